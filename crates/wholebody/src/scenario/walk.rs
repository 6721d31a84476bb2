//! Walk: somebody walks dynamically, the centre of mass led by a preview of the steps to come.
//!
//! Beyond the source, whose people walk quasi-statically: the centre of mass stays over the feet that stand. Here
//! it falls from foot to foot. Steps are planned from pace and turn, which the user moves; the
//! [preview](crate::balance::preview) sees the pushes of the next three steps.

use std::f64::consts::PI;

use glam::{DMat3, DQuat, DVec2, DVec3};

use super::inputs::Inputs;
use super::people::{self, Person, place};
use super::{Options, Parts, Script, Value};
use crate::balance::preview::{Plan, Preview, State, Weights};
use crate::balance::support::Support;
use crate::humanoid::Stature;
use crate::model::ModelError;
use crate::phase::{Machine, SWING, Side, World, between, blocks};
use crate::scene::{Controller, Feature, Task};
use crate::spatial::Pose;

const WHO: &str = "walker";
/// Both feet stand for so long between steps (s) ...
const DOUBLE: f64 = 0.14;
/// ... and one is in the air for so long (s).
const SINGLE: f64 = 0.56;
/// How far ahead pushes are planned (s).
const HORIZON: f64 = 1.8;
/// Height of a foot mid-step (m).
const LIFT: f64 = 0.07;
/// Slowest and fastest pace (m/s), and the sharpest turn either way (rad/s).
const PACES: [f64; 2] = [-0.3, 0.8];
const TURN: f64 = 0.5;
/// Pushes are planned so far inwards of the middle of a sole (m): narrow steps sway less.
const INWARDS: f64 = 0.015;

pub(super) fn build(_options: &Options) -> Result<Parts, ModelError> {
    let mut world = super::empty(0.005);
    let joints =
        [("thigh_x", -0.4), ("shank_x", 0.8), ("foot_x", -0.4), ("upper_arm_z", 0.1), ("forearm_x", -0.45)];
    let stature = Stature { strength: 1.2, ..Stature::default() };
    let person = Person { name: WHO, stature, at: DVec3::ZERO, yaw: 0.0, joints: &joints };
    let who = people::add(&mut world, &person)?;
    people::stand(&mut world, who, None);
    people::keep_posture(&mut world, who, 1.0, 40.0);
    people::keep_balance(&mut world, "balance", &[who], 5000.0, 30.0);
    for (name, frame, weight) in [("pelvis", "pelvis", 40.0), ("chest", "chest", 20.0)] {
        let feature = Feature::Orientation { place: place(&world, who, frame), rotation: DMat3::IDENTITY };
        world.scene.tasks.push(Task::new(name, feature, weight, 60.0));
    }
    let pairs = [("left_shank", "right_shank"), ("left_foot", "right_foot"), ("left_thigh", "left_hand")];
    for (a, b) in pairs.into_iter().chain([("right_thigh", "right_hand")]) {
        people::keep_apart(&mut world, (who, a), (who, b));
    }
    world.scene.settings.collision_damper.influence = 0.06;
    world.scene.settings.collision_damper.security = 0.005;
    let mut inputs = Inputs::default();
    inputs.number("pace", PACES, "m/s", 0.0);
    inputs.number("turn", [-TURN, TURN], "rad/s", 0.0);
    let center = world.center(&[who]);
    let width = world.pose(place(&world, who, "left_sole")).translation.x;
    let script = Walk {
        who,
        width,
        height: center.y,
        rest: world.scene.subsystems[who].q.clone(),
        preview: None,
        stage: Stage { began: 0.0, swings: None, next: Side::Left },
        soles: [Sole::default(); 2],
        plan: Vec::new(),
        accelerations: [0.0; 2],
        speeds: [0.0; 2],
        heading: 0.0,
        pace: [0.0; 2],
        tally: Tally { lowest: center.y, ..Tally::default() },
    };
    let phases = vec![blocks::interactive("walk", None)];
    Ok(Parts { world, phases, inputs, script: Box::new(script), seconds: 24.0 })
}

/// Where a foot stands or will: the middle of its sole on the ground, and its heading (rad).
#[derive(Clone, Copy, Debug, Default)]
struct Sole {
    at: DVec2,
    heading: f64,
}

impl Sole {
    fn pose(&self) -> Pose {
        Pose::new(DQuat::from_rotation_y(self.heading), DVec3::new(self.at.x, 0.0, self.at.y))
    }

    /// Its own left, on the ground.
    fn left(&self) -> DVec2 {
        DVec2::new(libm::cos(self.heading), -libm::sin(self.heading))
    }

    fn ahead(&self) -> DVec2 {
        DVec2::new(libm::sin(self.heading), libm::cos(self.heading))
    }

    /// Where the person pushes through it.
    fn push(&self, side: Side) -> DVec2 {
        self.at - self.left() * (INWARDS * out(side)) - self.ahead() * 0.01
    }
}

/// How long both feet stand before the next swing (s) after so many steps: longer before the first.
fn double(steps: usize) -> f64 {
    if steps == 0 { 0.9 } else { DOUBLE }
}

/// +1 for the left.
fn out(side: Side) -> f64 {
    if side == Side::Left { 1.0 } else { -1.0 }
}

fn index(side: Side) -> usize {
    if side == Side::Left { 0 } else { 1 }
}

/// Both feet stand, or one swings to somewhere.
#[derive(Clone, Copy, Debug)]
struct Stage {
    /// (s)
    began: f64,
    swings: Option<Sole>,
    /// The foot that swings, or will next.
    next: Side,
}

#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    steps: usize,
    /// Way of the centre of mass on the ground (m).
    way: f64,
    last: Option<DVec2>,
    /// Time with the centre of mass beyond the feet that stand, and all time walked (s).
    beyond: f64,
    walked: f64,
    fastest: f64,
    lowest: f64,
}

struct Walk {
    who: usize,
    /// From the middle to a sole (m).
    width: f64,
    /// Of the centre of mass (m).
    height: f64,
    rest: Vec<f64>,
    preview: Option<Preview>,
    stage: Stage,
    soles: [Sole; 2],
    plan: Vec<DVec2>,
    /// Of the centre of mass, along x and z, as the last step led to (m/s²).
    accelerations: [f64; 2],
    /// Of the centre of mass before the step, likewise (m/s).
    speeds: [f64; 2],
    heading: f64,
    /// Pace and turn as they are followed: smoothly (m/s, rad/s).
    pace: [f64; 2],
    tally: Tally,
}

impl Walk {
    /// Where a foot lands next if the other stands at `stance`: level with it plus one step's way.
    fn landing(&self, stance: &Sole, side: Side) -> Sole {
        let [pace, turn] = self.pace;
        let period = SINGLE + DOUBLE;
        let heading = stance.heading + turn * period;
        let middle = Sole { heading: stance.heading + 0.5 * turn * period, ..*stance };
        let at =
            stance.at + middle.left() * (2.0 * self.width * out(side)) + middle.ahead() * (pace * period);
        Sole { at, heading }
    }

    /// Whether another step is worth it: it is asked for, or the feet are not level.
    fn wants_step(&self, side: Side) -> bool {
        let stance = self.soles[index(side.other())];
        let level = self.landing(&stance, side);
        let mine = self.soles[index(side)];
        self.pace[0].abs() > 0.03
            || self.pace[1].abs() > 0.03
            || level.at.distance(mine.at) > 0.02
            || (level.heading - mine.heading).abs() > 0.05
    }

    /// Pushes for the time ahead, one per time step.
    fn plan_pushes(&mut self, time: f64, dt: f64) {
        let mut soles = self.soles;
        let mut stage = self.stage;
        let at = |soles: &[Sole; 2]| {
            let [left, right] = [soles[0].push(Side::Left), soles[1].push(Side::Right)];
            0.5 * (left + right)
        };
        let still = stage.swings.is_none() && !self.wants_step(stage.next);
        self.plan.clear();
        let n = (HORIZON / dt) as usize;
        let mut steps = self.tally.steps;
        let mut from = None;
        for k in 1..=n {
            let t = time + k as f64 * dt;
            if still {
                self.plan.push(at(&soles));
                continue;
            }
            let stance = soles[index(stage.next.other())].push(stage.next.other());
            if let Some(landing) = stage.swings {
                self.plan.push(stance);
                if t - stage.began >= SINGLE {
                    soles[index(stage.next)] = landing;
                    from = Some(stance);
                    steps += 1;
                    stage = Stage { began: t, swings: None, next: stage.next.other() };
                }
            } else {
                // From the foot that bore the weight to the one that will.
                let before = from.unwrap_or_else(|| match self.tally.steps {
                    0 => at(&soles),
                    _ => soles[index(stage.next)].push(stage.next),
                });
                let share = ((t - stage.began) / double(steps)).clamp(0.0, 1.0);
                self.plan.push(before.lerp(stance, share));
                if share >= 1.0 {
                    let landing = self.landing(&soles[index(stage.next.other())], stage.next);
                    stage = Stage { began: t, swings: Some(landing), ..stage };
                }
            }
        }
    }

    fn advance(&mut self, world: &mut World, machine: &mut Machine) {
        let side = self.stage.next;
        if let Some(landing) = self.stage.swings {
            if !machine.swings(WHO, side) {
                self.soles[index(side)] = landing;
                self.stage = Stage { began: world.time, swings: None, next: side.other() };
                self.tally.steps += 1;
            }
            return;
        }
        if !self.wants_step(side) {
            // Ready to set out; the time both feet stand begins anew.
            self.stage.began = world.time;
            return;
        }
        if world.time - self.stage.began < double(self.tally.steps) {
            return;
        }
        let landing = self.landing(&self.soles[index(side.other())], side);
        let sole = place(world, self.who, &format!("{}_sole", side.name()));
        let (start, end) = (world.pose(sole), landing.pose());
        let mid = |s: f64, lift: f64| {
            let way = start.translation.lerp(end.translation, s);
            let rotation = between(&start.rotation, &end.rotation, s);
            Pose { rotation, translation: DVec3::new(way.x, start.translation.y.max(0.0) + lift, way.z) }
        };
        let places = vec![start, mid(1.0 / 3.0, LIFT), mid(2.0 / 3.0, LIFT), end];
        machine.swing(world, WHO, side, (sole, None), (places, SINGLE), SWING);
        self.stage = Stage { began: world.time, swings: Some(landing), next: side };
    }

    /// Arms against legs, the trunk upright along the way.
    fn pose_body(&mut self, world: &mut World) {
        let dt = world.scene.settings.dt;
        let [left, right] = self.soles;
        let ahead = |side: Side| {
            let sole = place(world, self.who, &format!("{}_sole", side.name()));
            let at = world.pose(sole).translation;
            let middle = 0.5 * (left.at + right.at);
            (DVec2::new(at.x, at.z) - middle).dot(Sole { at: middle, heading: self.heading }.ahead())
        };
        let stride = (ahead(Side::Left) - ahead(Side::Right)).clamp(-0.6, 0.6);
        let towards = left.heading + 0.5 * wrapped(right.heading - left.heading);
        self.heading += wrapped(towards - self.heading) * (dt / 0.25).min(1.0);
        let model = std::sync::Arc::clone(&world.scene.subsystems[self.who].model);
        let sides = [("left_upper_arm_x", 1.0), ("right_upper_arm_x", -1.0)];
        let rest = &self.rest;
        if let Some(task) = world.task_mut("walker posture")
            && let Feature::Posture { q, .. } = &mut task.feature
        {
            for (joint, sign) in sides {
                let Some(joint) = model.joint(joint) else { continue };
                let at = model.joints[joint.idx()].q_start;
                q[at] = rest[at] + 0.9 * sign * stride;
            }
        }
        for (name, twist, lean) in [("pelvis", -0.15, 0.0), ("chest", 0.12, 0.06)] {
            let turn = DQuat::from_rotation_y(self.heading + twist * stride)
                * DQuat::from_rotation_x(lean * self.pace[0] / PACES[1]);
            if let Some(task) = world.task_mut(name)
                && let Feature::Orientation { rotation, .. } = &mut task.feature
            {
                *rotation = DMat3::from_quat(turn);
            }
        }
    }
}

/// An angle between -π and π (rad).
fn wrapped(angle: f64) -> f64 {
    angle - 2.0 * PI * libm::round(angle / (2.0 * PI))
}

/// What the script asks for at a time: pace and turn (m/s, rad/s).
fn script(t: f64) -> [f64; 2] {
    let hold = |from: f64, to: f64| f64::from(u8::from((from..to).contains(&t)));
    [0.55 * hold(0.5, 9.0) + 0.4 * hold(9.0, 17.0) + 0.55 * hold(17.0, 21.0), 0.3 * hold(9.0, 15.0)]
}

impl Script for Walk {
    fn drive(&mut self, world: &mut World, machine: &mut Machine, inputs: &mut Inputs) {
        let dt = world.scene.settings.dt;
        let asked = script(world.time);
        inputs.script("pace", Value::Number(asked[0]));
        inputs.script("turn", Value::Number(asked[1]));
        for (mine, (name, rate)) in self.pace.iter_mut().zip([("pace", 0.2), ("turn", 0.2)]) {
            *mine += (inputs.get_number(name) - *mine).clamp(-rate * dt, rate * dt);
        }
        let center = world.moving_center(&[self.who]);
        if self.preview.is_none() {
            let weights = Weights { push: 1.0, center: 0.0, jerk: 1e-6 };
            self.preview = Preview::new(dt, self.height, 9.81, weights);
            for (sole, side) in self.soles.iter_mut().zip(["left_sole", "right_sole"]) {
                let at = world.pose(place(world, self.who, side)).translation;
                *sole = Sole { at: DVec2::new(at.x, at.z), heading: 0.0 };
            }
        }
        self.advance(world, machine);
        self.plan_pushes(world.time, dt);
        let Some(preview) = &self.preview else { return };
        let (at, speed) = (center.position.to_array(), center.velocity.to_array());
        let mut target = [[0.0; 3]; 3];
        for (axis, acceleration) in [0, 2].into_iter().zip(self.accelerations) {
            let state: State = [at[axis], speed[axis], acceleration];
            let pushes = self.plan.iter().map(|push| Plan { push: push.to_array()[axis / 2], center: 0.0 });
            target[axis] = preview.next(&state, pushes);
        }
        target[1] = [self.height, 0.0, 0.0];
        if let Some(task) = world.task_mut("balance")
            && let Feature::CenterOfMass { position, .. } = &mut task.feature
        {
            *position = DVec3::from_array(target.map(|axis| axis[0]));
            task.velocity.clear();
            task.velocity.extend(target.map(|axis| axis[1]));
            task.acceleration.clear();
            task.acceleration.extend(target.map(|axis| axis[2]));
        }
        self.pose_body(world);
        self.tally.last = Some(DVec2::new(at[0], at[2]));
        self.speeds = [speed[0], speed[2]];
    }

    fn after(&mut self, world: &mut World, _controller: &Controller) {
        let dt = world.scene.settings.dt;
        let center = world.moving_center(&[self.who]);
        let speed = DVec2::new(center.velocity.x, center.velocity.z);
        let [before, now] = [self.speeds, speed.to_array()];
        self.accelerations = [0, 1].map(|axis| (now[axis] - before[axis]) / dt);
        let at = DVec2::new(center.position.x, center.position.z);
        let tally = &mut self.tally;
        tally.way += tally.last.map_or(0.0, |last| last.distance(at));
        tally.lowest = tally.lowest.min(center.position.y);
        tally.fastest = tally.fastest.max(speed.length());
        if speed.length() > 0.2 {
            tally.walked += dt;
            if Support::under(world, self.who).margin(at) < 0.0 {
                tally.beyond += dt;
            }
        }
    }

    fn results(&self, world: &World) -> Vec<(&'static str, f64)> {
        let tally = &self.tally;
        let up = world.pose(place(world, self.who, "chest")).rotation.y_axis.y;
        let share = if tally.walked > 0.0 { tally.beyond / tally.walked } else { 0.0 };
        vec![
            ("steps", tally.steps as f64),
            ("way of the centre of mass (m)", tally.way),
            ("fastest (m/s)", tally.fastest),
            ("share of walking with the centre of mass beyond the feet", share),
            ("lowest centre of mass (m)", tally.lowest),
            ("height of the centre of mass now (m)", world.center(&[self.who]).y),
            ("tilt of the chest (rad)", libm::acos(up.clamp(-1.0, 1.0))),
        ]
    }
}
