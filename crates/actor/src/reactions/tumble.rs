//! A fall and the way up from it: key postures laid over what the performer does otherwise, and the floor under them.

use std::f32::consts::TAU;

use glam::{Quat, Vec3};
use randori_motion::math::{quat_from_rotation_vector, rotation_between, smootherstep};
use randori_motion::{Bone, GlobalPose, Placement, Side};

use super::keys::{Foot, Hand, Hold, Key, Tilt, through, through_at};
use crate::figure::{Figure, FootGoal, HandGoal, Posture};
use crate::performer::sign;
use crate::timeline::Span;

/// Somebody goes down and gets up again.
#[derive(Clone, Debug)]
pub(crate) struct Tumble {
    /// When the blow lands (s).
    start: f32,
    /// Where the person stood and faced then.
    placement: Placement,
    times: Vec<f32>,
    keys: Vec<Key>,
    /// When breathing heaves the chest: from and to, since the blow (s).
    lies: (f32, f32),
    /// The key after which the body flies to the next, if it does.
    flies: Option<usize>,
}

/// How long the fall takes to take over from the performer, and the performer from it (s).
const TAKE_OVER: f32 = 0.10;
const HAND_BACK: f32 = 0.35;
/// The floor gives way to flesh over so much (m).
const FLESH: f32 = 0.025;
/// Acceleration of free fall (m/s²).
const GRAVITY: f32 = 9.81;
/// Soles may sink so far before the foot is put up (m).
const SOLE: f32 = 0.004;

impl Span for Tumble {
    fn start(&self) -> f32 {
        self.start
    }

    fn end(&self) -> f32 {
        self.start + self.times.last().copied().unwrap_or(0.0)
    }
}

impl Tumble {
    /// A fall through the keys that begins in one posture and ends in another, at `start` and `end` (s).
    pub(crate) fn new(
        figure: &Figure,
        placement: Placement,
        [from, to]: [(f32, &Posture); 2],
        inner: &[Key],
        lies: (f32, f32),
    ) -> Tumble {
        Tumble::out_of(figure, placement, [&[from], &[to]], inner, lies)
    }

    /// As [`Tumble::new`], out of a movement: the last of the postures before is where the fall begins, those before it
    /// say how fast everything goes.
    pub(crate) fn out_of(
        figure: &Figure,
        placement: Placement,
        [from, to]: [&[(f32, &Posture)]; 2],
        inner: &[Key],
        lies: (f32, f32),
    ) -> Tumble {
        let start = from.last().map_or(0.0, |(t, _)| *t);
        let key = |(t, posture): &(f32, &Posture)| key_of(figure, placement, t - start, posture);
        let keys: Vec<Key> =
            from.iter().map(key).chain(inner.iter().copied()).chain(to.iter().map(key)).collect();
        Tumble { start, placement, times: keys.iter().map(|key| key.t).collect(), keys, lies, flies: None }
    }

    /// The same, where the body is thrown from one key to the next: `from` is when it leaves the floor, since the
    /// beginning (s).
    pub(crate) fn flying(mut self, from: Option<f32>) -> Tumble {
        let near = |key: &Key| from.is_some_and(|from| (key.t - from).abs() < 1e-4);
        self.flies = self.keys.iter().position(near).filter(|at| at + 1 < self.keys.len());
        self
    }

    /// How fast the hips of somebody of a stature (m) pass a key where they begin or end to fall freely (1/s).
    fn thrown(&self, key: usize, stature: f32) -> Option<Vec3> {
        let from = self.flies.filter(|from| key == *from || key == *from + 1)?;
        let seconds = (self.times[from + 1] - self.times[from]).max(1e-3);
        let mean = (self.keys[from + 1].hips - self.keys[from].hips) / seconds;
        let way = if key == from { 0.5 } else { -0.5 };
        Some(mean + Vec3::Y * (way * GRAVITY / stature * seconds))
    }

    /// The posture at a time, where the performer would be in `base`.
    pub(crate) fn posture(&self, figure: &Figure, base: &Posture, t: f32) -> Posture {
        let share = smootherstep((t - self.start) / TAKE_OVER) * smootherstep((self.end() - t) / HAND_BACK);
        let mut posture = mixed(base, &self.fallen(figure, t - self.start), share);
        settle(figure, &mut posture, share);
        posture
    }

    /// The posture of the keys alone, `t` after the blow.
    fn fallen(&self, figure: &Figure, t: f32) -> Posture {
        let stature = figure.stature();
        let facing = self.placement.rotation();
        let world = |point: Vec3| self.placement.point(point * stature);
        let along = |value: &dyn Fn(&Key) -> Vec3| through(&self.times, |k| value(&self.keys[k]), t);
        let tilt = |value: &dyn Fn(&Key) -> Tilt| along(&|key| value(key).vector());

        // Somebody who lies there pants.
        let (from, to) = self.lies;
        let lying = smootherstep((t - from) / 0.3) * smootherstep((to - t) / 0.3);
        let breath = 0.045 * lying * libm::sinf(TAU * 0.9 * (t - from));
        let mut posture = Posture {
            hips: world(through_at(&self.times, |k| self.keys[k].hips, |k| self.thrown(k, stature), t)),
            pelvis: facing * Tilt::turn(tilt(&|key| key.pelvis)),
            chest: facing * Tilt::turn(tilt(&|key| key.chest) - Vec3::X * breath),
            head: facing * Tilt::turn(tilt(&|key| key.head) + Vec3::X * (0.5 * breath)),
            ..figure.at_ease()
        };
        let neck = figure.place_of(Bone::Neck, &posture);
        let held = |hand: &Hand| match hand.at {
            Hold::Chest(point) => neck + posture.chest * (point * stature),
            Hold::Floor(point) => world(point),
        };
        let pointed = |hand: &Hand| match hand.at {
            Hold::Chest(_) => posture.chest * hand.elbow.normalize_or_zero(),
            Hold::Floor(_) => facing * hand.elbow.normalize_or_zero(),
        };
        let hands = [0, 1].map(|side| HandGoal {
            wrist: along(&|key| held(&key.hands[side])),
            elbow: along(&|key| pointed(&key.hands[side])),
            ..posture.hands[side]
        });
        let feet = [0, 1].map(|side| FootGoal {
            ball: world(along(&|key| key.feet[side].ball)),
            sole: facing * Tilt::turn(tilt(&|key| key.feet[side].sole)),
            heel: along(&|key| Vec3::splat(key.feet[side].heel)).x,
            knee: facing * along(&|key| key.feet[side].knee.normalize_or_zero()),
        });
        posture.hands = hands;
        posture.feet = feet;
        posture
    }
}

/// A posture as a key.
pub(crate) fn key_of(figure: &Figure, placement: Placement, t: f32, posture: &Posture) -> Key {
    let stature = figure.stature();
    let back = placement.rotation().inverse();
    let neck = figure.place_of(Bone::Neck, posture);
    let tilt = |turn| Tilt::of(back * turn);
    Key {
        t,
        hips: placement.point_from_world(posture.hips) / stature,
        pelvis: tilt(posture.pelvis),
        chest: tilt(posture.chest),
        head: tilt(posture.head),
        hands: posture.hands.map(|hand| Hand {
            at: Hold::Chest(posture.chest.inverse() * (hand.wrist - neck) / stature),
            elbow: posture.chest.inverse() * hand.elbow,
        }),
        feet: posture.feet.map(|foot| Foot {
            ball: placement.point_from_world(foot.ball) / stature,
            sole: tilt(foot.sole),
            heel: foot.heel,
            knee: back * foot.knee,
        }),
    }
}

/// Between two postures.
fn mixed(a: &Posture, b: &Posture, share: f32) -> Posture {
    let hand = |a: &HandGoal, b: &HandGoal| HandGoal {
        wrist: a.wrist.lerp(b.wrist, share),
        elbow: a.elbow.normalize_or_zero().lerp(b.elbow.normalize_or_zero(), share),
        protraction: a.protraction + share * (b.protraction - a.protraction),
        shrug: a.shrug + share * (b.shrug - a.shrug),
        bend: a.bend.slerp(b.bend, share),
    };
    let foot = |a: &FootGoal, b: &FootGoal| FootGoal {
        ball: a.ball.lerp(b.ball, share),
        sole: a.sole.slerp(b.sole, share),
        heel: a.heel + share * (b.heel - a.heel),
        knee: a.knee.normalize_or_zero().lerp(b.knee.normalize_or_zero(), share),
    };
    Posture {
        hips: a.hips.lerp(b.hips, share),
        pelvis: a.pelvis.slerp(b.pelvis, share),
        chest: a.chest.slerp(b.chest, share),
        head: a.head.slerp(b.head, share),
        hands: [0, 1].map(|side| hand(&a.hands[side], &b.hands[side])),
        feet: [0, 1].map(|side| foot(&a.feet[side], &b.feet[side])),
    }
}

/// Keeps the body above the floor: the trunk is borne by what touches first, hands and feet are put on the floor,
/// and elbows and knees swing up and out until they clear it.
fn settle(figure: &Figure, posture: &mut Posture, share: f32) {
    const TRUNK: [Bone; 5] = [Bone::Hips, Bone::Spine, Bone::Chest, Bone::UpperChest, Bone::Neck];
    let globals = figure.globals(posture);
    let lift = TRUNK.iter().map(|bone| ease_above(-lowest(figure, &globals, *bone))).fold(0.0f32, f32::max);
    posture.hips.y += share * lift;
    put_up(figure, posture, share);
    for side in Side::BOTH {
        let (elbow, knee) = (Bone::LeftLowerArm.on(side), Bone::LeftLowerLeg.on(side));
        let free = |part: Quat, pole: Vec3| {
            let across = (part * Vec3::X).with_y(0.0);
            Vec3::Y + 3.0 * pole.normalize_or_zero().dot(across) * across
        };
        let hand = posture.hands[side as usize];
        posture.hands[side as usize].elbow =
            clear(figure, elbow, [hand.elbow, free(posture.chest, hand.elbow)], |elbow| {
                let mut posture = *posture;
                posture.hands[side as usize] = HandGoal { elbow, ..hand };
                posture
            });
        let foot = posture.feet[side as usize];
        posture.feet[side as usize].knee =
            clear(figure, knee, [foot.knee, free(posture.pelvis, foot.knee)], |knee| {
                let mut posture = *posture;
                posture.feet[side as usize] = FootGoal { knee, ..foot };
                posture
            });
    }
    // Forearms and hands have turned with the elbows.
    let bends = posture.hands.map(|hand| hand.bend);
    for _ in 0..3 {
        flatten(figure, posture, share, bends);
        put_up(figure, posture, share);
    }
    // The head last: the neck holds it off the floor.
    let sunk = -lowest(figure, &figure.globals(posture), Bone::Head);
    if sunk > -FLESH {
        let lever = 0.1 * figure.stature();
        let up = posture.head * Vec3::Y;
        let axis = up.cross(Vec3::Y).normalize_or_zero();
        let raise = (ease_above(sunk) / lever).min(1.0);
        posture.head = quat_from_rotation_vector(axis * (share * raise)) * posture.head;
    }
}

/// Puts hands and feet onto the floor that are in it.
fn put_up(figure: &Figure, posture: &mut Posture, share: f32) {
    let globals = figure.globals(posture);
    for side in Side::BOTH {
        let hand = &mut posture.hands[side as usize];
        hand.wrist.y += share * ease_above(0.012 - lowest(figure, &globals, Bone::LeftHand.on(side)));
        let foot = &mut posture.feet[side as usize];
        let sunk = [Bone::LeftLowerLeg, Bone::LeftFoot, Bone::LeftToes]
            .map(|bone| -lowest(figure, &globals, bone.on(side)));
        foot.ball.y += share * (sunk.into_iter().fold(0.0, f32::max) - SOLE).max(0.0);
    }
}

/// Lays hands flat that are near the floor, as far as wrists bend; others are bent as they were.
fn flatten(figure: &Figure, posture: &mut Posture, share: f32, bends: [Quat; 2]) {
    /// How far a wrist bends (rad).
    const MOST: f32 = 1.3;
    let globals = figure.globals(posture);
    let skeleton = &figure.body().skeleton;
    let upwards = (posture.chest * Vec3::Y).with_y(0.0);
    for side in Side::BOTH {
        let joint = |bone: Bone| skeleton.bone(bone.on(side));
        let (Some(forearm), Some(hand)) = (joint(Bone::LeftLowerArm), joint(Bone::LeftHand)) else {
            continue;
        };
        let height = globals.positions[hand.idx()].y / figure.stature();
        let near = share * smootherstep((0.10 - height) / 0.06);
        let turn = globals.rotations[forearm.idx()];
        let points = turn * Vec3::X * sign(side);
        let level = (points.with_y(0.0) + 0.3 * upwards).normalize_or(points);
        let full = rotation_between(points, level);
        let angle = points.angle_between(level).max(1e-3);
        let bent = Quat::IDENTITY.slerp(full, near * (MOST / angle).min(1.0));
        posture.hands[side as usize].bend = turn.inverse() * bent * turn * bends[side as usize];
    }
}

/// The pole nearest to the first one, towards the second, with which the joint at a bone's upper end clears the floor.
fn clear(figure: &Figure, bone: Bone, poles: [Vec3; 2], posed: impl Fn(Vec3) -> Posture) -> Vec3 {
    const MOST: f32 = 0.9;
    let [pole, free] = poles.map(Vec3::normalize_or_zero);
    let capsules = || figure.body().capsules.iter();
    let Some(joint) = capsules().find(|capsule| capsule.bone == bone).map(|capsule| capsule.joint) else {
        return pole;
    };
    let is_beside = |of: Bone| of == bone || Some(of) == bone.parent();
    let radius =
        capsules().filter(|capsule| is_beside(capsule.bone)).fold(0.0, |most, next| next.radius.max(most));
    let swung = |share: f32| pole.lerp(free, share);
    let sinks = |share: f32| figure.globals(&posed(swung(share))).positions[joint.idx()].y < radius - 0.002;
    if !sinks(0.0) {
        return pole;
    }
    let (mut low, mut high) = (0.0, MOST);
    for _ in 0..10 {
        let middle = 0.5 * (low + high);
        if sinks(middle) { low = middle } else { high = middle }
    }
    swung(high)
}

/// How high the lowest point of a bone's volume is (m).
fn lowest(figure: &Figure, globals: &GlobalPose, bone: Bone) -> f32 {
    let capsules = figure.body().capsules.iter().filter(|capsule| capsule.bone == bone);
    capsules
        .map(|capsule| {
            let end = |point: Vec3| globals.point(capsule.joint, point).y;
            end(capsule.a).min(end(capsule.b)) - capsule.radius
        })
        .fold(f32::INFINITY, f32::min)
}

/// 0 for what is well below 0, the value itself for what is well above, smooth between.
fn ease_above(x: f32) -> f32 {
    if x < -FLESH {
        0.0
    } else if x > FLESH {
        x
    } else {
        (x + FLESH) * (x + FLESH) / (4.0 * FLESH)
    }
}
