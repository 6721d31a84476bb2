//! From the steps that are wanted to where and when every foot comes down and how the body travels.

use glam::Vec3;
use randori_motion::math::{rotation_of_heading, smootherstep};
use randori_motion::{Annotation, Ground, Placement, Side};

use super::curve::{Curve, Key, through};
use super::gait::Gait;

/// One step as it is wanted: what holds from its strike to the next.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Order {
    pub(crate) annotation: Annotation,
    pub(crate) gait: Gait,
    /// How fast the body goes ahead (m/s).
    pub(crate) ahead: f32,
    /// How fast it goes to its left (m/s).
    pub(crate) aside: f32,
    /// How far it turns to its left (rad).
    pub(crate) turn: f32,
    /// Whether the left and the right hand reach out.
    pub(crate) reach: [bool; 2],
    /// Whether the foot stays where it stands: weight goes onto it, nothing more.
    pub(crate) stays: bool,
    /// Where the foot comes down, seen from where the body is then, if not where the gait puts it.
    pub(crate) place: Option<Placement>,
    /// Whether somebody else changes the velocity: at once, and without a push from the floor.
    pub(crate) driven: bool,
    /// How far the body tips towards where it accelerates, as a share of what balance asks (-).
    pub(crate) tips: f32,
    /// The arm that holds a ball, if one does.
    pub(crate) ball: Option<Side>,
    /// Whether the foot turns about its ball with the body that turns over it.
    pub(crate) pivots: bool,
}

impl Order {
    /// A step straight ahead.
    pub(crate) fn ahead(name: &'static str, gait: Gait, ahead: f32) -> Order {
        let annotation = Annotation::of(name);
        Order {
            annotation,
            gait,
            ahead,
            aside: 0.0,
            turn: 0.0,
            reach: [false; 2],
            stays: false,
            place: None,
            driven: false,
            tips: 1.0,
            ball: None,
            pivots: false,
        }
    }
}

impl Order {
    /// When a hand that reaches out in a step that begins at `strike` is farthest (s), if one does.
    pub(crate) fn reach_peak(&self, strike: f32) -> Option<f32> {
        self.reach.contains(&true).then_some(strike + 0.6 * self.gait.period)
    }
}

/// One step as it will be.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Step {
    pub(crate) order: Order,
    pub(crate) side: Side,
    /// When the foot comes down (s).
    pub(crate) strike: f32,
    /// When it leaves the floor again (s).
    pub(crate) lift: f32,
    /// Where its ball stands (m).
    pub(crate) ball: Vec3,
    /// Which way it points (rad).
    pub(crate) points: f32,
    /// Horizontal velocity from this step on (m/s).
    velocity: Vec3,
    /// How the velocity changes, over the whole step (m/s²).
    pub(crate) push: Vec3,
}

/// A whole take, planned.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// In order of time, feet in turn.
    pub(crate) steps: Vec<Step>,
    /// How long it is (s).
    pub(crate) seconds: f32,
    x: Curve,
    z: Curve,
    heading: Curve,
    /// Keys of the height of the hips, relative to standing upright (m).
    height: Vec<Key>,
    phase: Vec<Key>,
}

/// Acceleration of free fall (m/s²).
const GRAVITY: f32 = 9.81;
/// Share of the time between lift and next strike in which the tips of the toes still push.
const TOES: f32 = 0.25;
/// Toes of somebody who leaps push no longer than those of a runner who flies for so long (s).
const LONGEST_PUSH: f32 = 0.3;
/// How long somebody is in contact who pushes another (s).
const SHOVE: f32 = 0.17;
/// No foot stands shorter than this (s).
const SHORTEST_STANCE: f32 = 0.13;
/// How far from below the hips a foot comes down at most, share of the stature.
const REACH: f32 = 0.235;
/// Height of the centre of mass, share of the stature, as far as feet make room for it when the body
/// leans.
const BALANCE: f32 = 0.31;

impl Plan {
    /// Plans steps in turn; the first foot is `first`. The body stands at the origin and faces +Z.
    pub(crate) fn of(orders: Vec<Order>, first: Side, figure: &Proportions) -> Plan {
        let mut steps = timed(orders, first);
        let seconds = steps.last().map_or(0.0, |step| step.strike + step.order.gait.period);
        let heading = headings(&steps, seconds);
        let velocity_at = |t: f32| velocity(&steps, t);
        let x = Curve::of(seconds, |t| velocity_at(t).x).integrated();
        let z = Curve::of(seconds, |t| velocity_at(t).z).integrated();
        for k in 0..steps.len() {
            let strike = steps[k].strike;
            let stays = k.checked_sub(2).filter(|_| steps[k].order.stays);
            let (ball, points) = match (stays, steps[k].order.place) {
                (Some(before), _) => (steps[before].ball, steps[before].points),
                (None, Some(place)) => {
                    let position = Ground { x: x.at(strike), z: z.at(strike) };
                    let there = Placement { position, heading: heading.at(strike) }.then(place);
                    (there.position.at_height(0.0), there.heading)
                }
                (None, None) => plant(&steps[k], &x, &z, &heading, figure),
            };
            steps[k].ball = ball;
            steps[k].points = points;
        }
        let height = heights(&steps, figure);
        let phase = phases(&steps);
        Plan { steps, seconds, x, z, heading, height, phase }
    }

    /// Where the body is over the floor (m).
    pub(crate) fn place(&self, t: f32) -> Vec3 {
        Vec3::new(self.x.at(t), 0.0, self.z.at(t))
    }

    /// Which way it faces (rad), not wrapped.
    pub(crate) fn heading(&self, t: f32) -> f32 {
        self.heading.at(t)
    }

    /// Height of the hips (m).
    pub(crate) fn height(&self, t: f32) -> f32 {
        through(&self.height, t)
    }

    /// How many steps were made: whole numbers at strikes.
    pub(crate) fn phase(&self, t: f32) -> f32 {
        through(&self.phase, t)
    }

    /// A quantity of the steps as a smooth curve: it changes over about `sigma` (s) around the strikes.
    pub(crate) fn curve(&self, sigma: f32, quantity: impl Fn(&Step) -> f32) -> Curve {
        Curve::of(self.seconds, |t| quantity(&self.steps[self.step_at(t)])).rounded(sigma)
    }

    /// The step under way at a time.
    pub(crate) fn step_at(&self, t: f32) -> usize {
        self.steps.partition_point(|step| step.strike <= t).saturating_sub(1)
    }
}

/// The measures of a body that a plan depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Proportions {
    /// From sole to crown (m).
    pub(crate) stature: f32,
    /// Height of the hips when standing upright (m).
    pub(crate) hip_height: f32,
}

/// Strikes, lifts and velocities.
fn timed(orders: Vec<Order>, first: Side) -> Vec<Step> {
    let mut side = first;
    let (mut strike, mut facing) = (0.0, 0.0);
    let mut velocity = Vec3::ZERO;
    let mut steps: Vec<Step> = Vec::with_capacity(orders.len());
    for order in orders {
        facing += order.turn;
        let wanted = rotation_of_heading(facing) * Vec3::new(order.aside, 0.0, order.ahead);
        let push = if order.driven { Vec3::ZERO } else { (wanted - velocity) / order.gait.period };
        velocity = wanted;
        let period = order.gait.period;
        steps.push(Step {
            order,
            side,
            strike,
            lift: f32::INFINITY,
            ball: Vec3::ZERO,
            points: facing,
            velocity,
            push,
        });
        strike += period;
        side = side.other();
    }
    for k in 2..steps.len() {
        let swing = if steps[k].order.stays { 0.0 } else { steps[k].order.gait.swing };
        let lift = steps[k].strike - swing;
        steps[k - 2].lift = lift.max(steps[k - 2].strike + SHORTEST_STANCE);
    }
    steps
}

/// Where a foot comes down (m), and which way it points (rad).
fn plant(step: &Step, x: &Curve, z: &Curve, heading: &Curve, figure: &Proportions) -> (Vec3, f32) {
    let gait = &step.order.gait;
    let stance = (step.lift - step.strike).min(1.4 * gait.period);
    let passing = step.strike + gait.passing * stance;
    let facing = heading.at(passing);
    let out = if step.side == Side::Left { 1.0 } else { -1.0 };
    let aside = rotation_of_heading(facing) * Vec3::X * (out * gait.width * figure.stature);
    // The floor pushes through the centre of mass: feet come down where they can.
    let room = step.push * (BALANCE * figure.stature / GRAVITY);
    let under = |t: f32| Vec3::new(x.at(t), 0.0, z.at(t));
    let away = under(passing) + aside - room - under(step.strike);
    let within = away.clamp_length_max(REACH * figure.stature);
    (under(step.strike) + within, facing + out * gait.toe_out)
}

/// Headings turn evenly from strike to strike, rounded.
fn headings(steps: &[Step], seconds: f32) -> Curve {
    let mut knots = Vec::with_capacity(steps.len() + 1);
    let mut facing = 0.0;
    for step in steps {
        knots.push((step.strike, facing));
        facing += step.order.turn;
    }
    knots.push((seconds, facing));
    let mut k = 0;
    let even = |t: f32| {
        while k + 2 < knots.len() && knots[k + 1].0 <= t {
            k += 1;
        }
        let ((from, a), (to, b)) = (knots[k], knots[(k + 1).min(knots.len() - 1)]);
        a + (b - a) * ((t - from) / (to - from).max(1e-3)).clamp(0.0, 1.0)
    };
    Curve::of(seconds, even).rounded(0.09)
}

/// Velocity changes only while a foot pushes.
fn velocity(steps: &[Step], t: f32) -> Vec3 {
    let k = steps.partition_point(|step| step.strike <= t).saturating_sub(1);
    let step = &steps[k];
    let before = if k == 0 { Vec3::ZERO } else { steps[k - 1].velocity };
    let pushing = if step.order.driven { SHOVE } else { step.lift - step.strike };
    let pushing = pushing.min(step.order.gait.period);
    before.lerp(step.velocity, smootherstep((t - step.strike) / pushing.max(1e-3)))
}

/// Hips fly freely between touch-downs of a run and vault over the standing leg in a walk.
fn heights(steps: &[Step], figure: &Proportions) -> Vec<Key> {
    let level = |step: &Step| step.order.gait.level * figure.hip_height;
    let mut keys: Vec<Key> = Vec::new();
    let mut sinking = None;
    for pair in steps.windows(2) {
        let (step, next) = (&pair[0], &pair[1]);
        let flight = next.strike - step.lift;
        if let Some(velocity) = sinking.take() {
            keys.push(Key { t: step.strike, value: level(step), velocity, acceleration: -GRAVITY });
        }
        if flight > 0.02 {
            if keys.last().is_none_or(|key| key.t < step.strike) {
                keys.push(Key { t: step.strike, value: level(step), velocity: -0.3, acceleration: 0.0 });
            }
            let off = step.lift + TOES * flight.min(LONGEST_PUSH);
            let flight = next.strike - off;
            let rising = (level(next) - level(step)) / flight + 0.5 * GRAVITY * flight;
            keys.push(Key { t: off, value: level(step), velocity: rising, acceleration: -GRAVITY });
            sinking = Some(rising - GRAVITY * flight);
        } else {
            let bob = step.order.gait.bob * figure.stature;
            let beat = std::f32::consts::TAU / step.order.gait.period;
            let swell = 0.6 * bob * beat * beat;
            let middle = step.strike + 0.60 * step.order.gait.period;
            if keys.last().is_none_or(|key| key.t < step.strike) {
                let value = level(step) - bob;
                let t = step.strike + 0.1 * step.order.gait.period;
                keys.push(Key { t, value, velocity: 0.0, acceleration: swell });
            }
            keys.push(Key { t: middle, value: level(step) + bob, velocity: 0.0, acceleration: -swell });
        }
    }
    if keys.is_empty() {
        keys.push(Key::resting(0.0, steps.first().map_or(figure.hip_height, level)));
    }
    keys
}

/// Steps counted smoothly: the rhythm eases from one pace to the next.
fn phases(steps: &[Step]) -> Vec<Key> {
    let pace = |k: usize| 1.0 / steps[k].order.gait.period;
    let key = |k: usize| {
        let (before, after) = (pace(k.saturating_sub(1)), pace(k));
        // The harmonic mean keeps the count from running backwards.
        Key::moving(steps[k].strike, k as f32, 2.0 * before * after / (before + after))
    };
    (0..steps.len()).map(key).collect()
}
