//! Where a foot is between its strikes: it rolls over the floor, leaves it, and is carried forward.

use glam::{Quat, Vec3};
use randori_motion::math::{rotation_of_heading, smootherstep, wrap_angle};

use super::curve::{Key, through};
use super::plan::Step;

/// A foot at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FootAt {
    /// The ball; y is its height above where it stands (m).
    pub(crate) ball: Vec3,
    /// The turn of the sole.
    pub(crate) sole: Quat,
    /// How far the heel is up about the ball (rad).
    pub(crate) heel: f32,
    /// How free it is of the floor: 0 while it stands, 1 when it is well on its way.
    pub(crate) free: f32,
}

/// Share of the stature from heel to ball.
const HEEL_TO_BALL: f32 = 0.115;
/// Steps shorter than this (m) are made with less push.
const SHORT: f32 = 0.9;
/// How long a landing foot takes to lie flat (s), at most.
const SLAP: f32 = 0.10;
/// Shares of a swing over which the foot picks up speed and loses it again.
const PICK_UP: f32 = 0.38;
const SET_DOWN: f32 = 0.38;

/// The foot that stands by `here` and goes on to `there`, the next step of the same foot, if any.
pub(crate) fn foot_at(here: &Step, there: Option<&Step>, t: f32, stature: f32) -> FootAt {
    let pitch = pitch(here, there, t);
    let Some(there) = there.filter(|there| t > here.lift && !there.order.stays) else {
        return standing(here, pitch, stature);
    };
    let span = (there.strike - here.lift).max(1e-3);
    let u = ((t - here.lift) / span).clamp(0.0, 1.0);
    let gait = &there.order.gait;
    let step = there.ball - here.ball;
    // Short steps need no high knees.
    let reach = (step.length() / SHORT).min(1.0);
    let fold = stature * (0.02 + (gait.fold_height - 0.02) * reach);
    let pass = stature * (0.012 + (gait.pass_height - 0.012) * reach);
    let heights = [
        Key::resting(0.0, 0.0),
        Key::moving(0.36, fold, 0.0),
        Key::moving(0.72, pass, -2.2 * pass),
        Key { t: 1.0, value: 0.0, velocity: 0.0, acceleration: 2.0 * pass },
    ];
    let height = through(&heights, u);
    // Toes that were bent on the floor straighten once they are off it.
    let bend = pitch.max(0.0) * (1.0 - smootherstep(u / 0.3));
    let turned = there.points - here.points;
    // Who spins turns by more than half a turn from one strike of a foot to the next.
    let turned = if there.order.pivots { turned } else { wrap_angle(turned) };
    let points = here.points + turned * smootherstep(u);
    let facing = rotation_of_heading(points);
    let tilt = facing * rocked(pitch, stature);
    FootAt {
        ball: here.ball + step * carried(u, gait.haste) + Vec3::Y * height + tilt,
        sole: facing * Quat::from_rotation_x(pitch - bend),
        heel: bend,
        free: smootherstep(u / 0.2) * smootherstep((1.0 - u) / 0.2),
    }
}

fn standing(here: &Step, pitch: f32, stature: f32) -> FootAt {
    let facing = rotation_of_heading(here.points);
    FootAt {
        ball: here.ball + facing * rocked(pitch, stature),
        sole: facing * Quat::from_rotation_x(pitch.min(0.0)),
        heel: pitch.max(0.0),
        free: 0.0,
    }
}

/// How far the ball is from where it will stand while the toes are up and the foot stands on its heel (m).
fn rocked(pitch: f32, stature: f32) -> Vec3 {
    let up = (-pitch).max(0.0);
    let foot = HEEL_TO_BALL * stature;
    Vec3::new(0.0, foot * libm::sinf(up), foot * (libm::cosf(up) - 1.0))
}

/// The pitch of the whole foot, toes down (rad).
fn pitch(here: &Step, there: Option<&Step>, t: f32) -> f32 {
    let landing = here.order.gait.landing;
    let stance = (here.lift - here.strike).min(3.0);
    let slap = SLAP.min(0.35 * stance);
    let flat = Key::resting(here.strike + slap, 0.0);
    let struck = Key::moving(here.strike, -landing, 1.2 * landing / slap);
    if here.order.stays && t < flat.t {
        return 0.0;
    }
    let Some(there) = there.filter(|there| !there.order.stays) else {
        return through(&[struck, flat], t);
    };
    let gait = &there.order.gait;
    let span = there.strike - here.lift;
    // Heels of runners come up once the body has passed, those of walkers when the other foot lands.
    let rise = (0.55 * stance).min(0.30);
    // Short steps need little push.
    let reach = ((there.ball - here.ball).length() / SHORT).min(1.0);
    let push = gait.push * (0.4 + 0.6 * reach);
    let fold = gait.fold * (0.4 + 0.6 * reach);
    let roll = 2.2 * push / rise.max(0.05);
    let ready = -gait.landing;
    let slap_there = SLAP.min(0.35 * (there.lift - there.strike).min(3.0));
    let keys = [
        struck,
        flat,
        Key::resting((here.lift - rise).max(flat.t + 1e-3), 0.0),
        Key::moving(here.lift, push, roll.min(4.0 * (fold - push).max(0.1) / (0.3 * span))),
        Key::resting(here.lift + 0.30 * span, fold),
        Key::resting(here.lift + 0.85 * span, ready - 0.04),
        Key::moving(there.strike, ready, 1.2 * gait.landing / slap_there),
    ];
    through(&keys, t)
}

/// Share of the way that a carried foot has made, from rest to rest, by a share of its time.
fn carried(u: f32, haste: f32) -> f32 {
    let pick_up = PICK_UP * (1.0 - 0.75 * haste);
    let set_down = SET_DOWN + 0.22 * haste;
    // Speed grows and fades as smoothsteps, with an even stretch between.
    let top = 1.0 / (1.0 - 0.5 * (pick_up + set_down));
    let grown = |x: f32| x * x * x * (1.0 - 0.5 * x);
    if u < pick_up {
        top * pick_up * grown(u / pick_up)
    } else if u <= 1.0 - set_down {
        top * (u - 0.5 * pick_up)
    } else {
        1.0 - top * set_down * grown((1.0 - u) / set_down)
    }
}
