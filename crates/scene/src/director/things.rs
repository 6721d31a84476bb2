//! Things in scenes of patches: what they look like, and where they are.

use std::sync::Arc;

use glam::{Quat, Vec3};
use randori_arena::bodies::{Bodies, Doing};
use randori_motion::take::{Color, Piece, Shape};
use randori_motion::{Clip, FrameRate, Joint, JointId, Placement, Pose, Prop, Skeleton};

use randori_arena::record::Recorded;
use randori_motion::math::smootherstep;
use randori_motion::{Body, Bone, GlobalPose};
use randori_patches::composing::luggage::{Hold, Journey};

use super::DirectorError;

/// A mouse goes straight through what walking sways: its place is the mean over so many ticks before and after.
const SWAY: i32 = 18;
/// The way ahead that a mouse faces (ticks).
const AHEAD: i32 = 6;

/// A mouse that goes where somebody would who does these things, from tick 0 until an end.
pub(super) fn mouse(
    name: &str,
    color: Color,
    bodies: &Bodies,
    performed: &[(i32, Doing)],
    end: i32,
) -> Result<Prop, DirectorError> {
    let place = |tick: i32| -> Placement {
        let at = performed.partition_point(|(start, _)| *start <= tick).max(1) - 1;
        performed.get(at).map_or(Placement::default(), |(_, doing)| doing.placement(bodies, tick))
    };
    let middle = |tick: i32| -> Vec3 {
        let ticks = (tick - SWAY..=tick + SWAY).map(|tick| tick.clamp(0, end - 1));
        let sum: Vec3 = ticks.map(|tick| place(tick).position.at_height(0.0)).sum();
        sum / (2 * SWAY + 1) as f32
    };
    let middles: Vec<Vec3> = (0..end + AHEAD).map(middle).collect();
    let mut heading = place(0).heading;
    let mut poses = Vec::new();
    for tick in 0..end.max(1) as usize {
        let (here, ahead) = (middles[tick], middles[tick + AHEAD as usize]);
        let way = ahead - here;
        if way.length() > 0.02 {
            heading = libm::atan2f(way.x, way.z);
        }
        poses.push(Pose { rotations: vec![Quat::from_rotation_y(heading)], translations: vec![here] });
    }
    let skeleton = Skeleton::new(vec![Joint::new(name, None, Vec3::ZERO)])?;
    let clip = Clip::from_poses(name, Arc::new(skeleton), FrameRate::HOUSE, poses)?;
    let piece =
        |center: Vec3, rotation: Quat, shape: Shape| Piece { joint: JointId::ROOT, center, rotation, shape };
    let along = Quat::from_rotation_x(std::f32::consts::FRAC_PI_2);
    let ball = |x: f32, y: f32, z: f32, radius: f32| {
        piece(Vec3::new(x, y, z), Quat::IDENTITY, Shape::Ball { radius })
    };
    let rod = |z: f32, y: f32, half_length: f32, radius: f32| {
        piece(Vec3::new(0.0, y, z), along, Shape::Capsule { half_length, radius })
    };
    let pieces = vec![
        rod(0.0, 0.09, 0.09, 0.085),
        rod(0.17, 0.10, 0.05, 0.05),
        ball(0.055, 0.16, 0.14, 0.04),
        ball(-0.055, 0.16, 0.14, 0.04),
        rod(-0.32, 0.05, 0.16, 0.012),
    ];
    Ok(Prop { name: name.to_owned(), color, pieces, enter: 0.0, clip })
}

/// How long a piece takes to settle into other hands (ticks).
const SETTLES: i32 = 12;
/// How thick hands are beside what they hold (m).
const HAND: f32 = 0.025;
/// Half the height and half the depth of a small and of a large piece (m).
const HALVES: [[f32; 2]; 2] = [[0.10, 0.09], [0.15, 0.14]];
/// Light and heavy pieces (linear red, green, blue).
const LIGHT: Color = [0.62, 0.45, 0.22];
const HEAVY: Color = [0.16, 0.10, 0.08];

/// Where a piece is: its middle, and the direction of its own left on the floor.
#[derive(Clone, Copy)]
struct Held {
    middle: Vec3,
    left: Vec3,
    width: f32,
}

/// A piece of luggage on its way through these people's hands; `None` if nobody ever has it.
pub(super) fn luggage(
    name: &str,
    journey: &Journey,
    body: &Body,
    recorded: &[Option<Recorded>],
    end: i32,
) -> Result<Option<Prop>, DirectorError> {
    let (Some(first), Some(last)) = (journey.holds.first(), journey.holds.last()) else { return Ok(None) };
    let mut globals = GlobalPose::default();
    let mut held = |hold: &Hold, tick: i32| -> Option<Held> {
        let its = recorded.get(hold.who)?.as_ref()?;
        let frame = (tick - its.enter).clamp(0, its.clip.n_frames() as i32 - 1) as usize;
        body.skeleton.globals_into(its.clip.frame(frame), &mut globals);
        let palm = |bone: Bone| {
            let capsule = body.capsules.iter().find(|capsule| capsule.bone == bone)?;
            Some(globals.point(capsule.joint, 0.5 * (capsule.a + capsule.b)))
        };
        let (left, right) = (palm(Bone::LeftHand)?, palm(Bone::RightHand)?);
        let across = (left - right).with_y(0.0);
        Some(Held {
            middle: 0.5 * (left + right),
            left: across.normalize_or(Vec3::X),
            width: left.distance(right),
        })
    };
    let mut poses: Vec<Pose> = Vec::new();
    let Some(lifted) = held(first, first.from) else { return Ok(None) };
    let (mut shown, mut before) = (lifted, lifted);
    for tick in 0..end.max(1) {
        let at = journey.holds.partition_point(|hold| hold.from <= tick).max(1) - 1;
        let hold = &journey.holds[at];
        if let Some(mut now) = held(hold, tick.clamp(first.from, last.until)) {
            if tick == hold.from {
                before = shown;
            }
            // What is held by both from opposite sides is the same thing.
            if now.left.dot(shown.left) < 0.0 {
                now.left = -now.left;
            }
            let since = (tick - hold.from).max(0) as f32 / SETTLES as f32;
            let share = if at == 0 { 1.0 } else { smootherstep(since.min(1.0)) };
            shown = Held {
                middle: before.middle.lerp(now.middle, share),
                left: before.left.lerp(now.left, share).normalize_or(Vec3::X),
                width: now.width,
            };
        }
        let heading = libm::atan2f(-shown.left.z, shown.left.x);
        poses
            .push(Pose { rotations: vec![Quat::from_rotation_y(heading)], translations: vec![shown.middle] });
    }
    let [high, deep] = HALVES[usize::from(journey.load.is_large)];
    // What stands on the floor reaches down to it.
    let half = Vec3::new(0.5 * lifted.width - HAND, high.min(lifted.middle.y.max(0.05)), deep);
    let piece = Piece {
        joint: JointId::ROOT,
        center: Vec3::ZERO,
        rotation: Quat::IDENTITY,
        shape: Shape::Box { half },
    };
    let skeleton = Skeleton::new(vec![Joint::new(name, None, Vec3::ZERO)])?;
    let clip = Clip::from_poses(name, Arc::new(skeleton), FrameRate::HOUSE, poses)?;
    let color = if journey.load.is_heavy { HEAVY } else { LIGHT };
    Ok(Some(Prop { name: name.to_owned(), color, pieces: vec![piece], enter: 0.0, clip }))
}
