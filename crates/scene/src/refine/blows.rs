//! Blows that touch what they hit.

use glam::Vec3;
use randori_motion::{Bone, Capsule, Character, Event, EventKind, GlobalPose, Pose, Side, Take};
use rayon::prelude::*;

use super::Ban;
use super::figure::{Change, Figure};
use super::geometry::{Nearest, Solid};
use super::shape::window;

/// A blow within these gaps of what it hits touches it (m); negative inside.
const TOUCHES: std::ops::RangeInclusive<f32> = -0.02..=0.01;
/// The gap a blow is given (m).
const GAP: f32 = -0.002;
/// A blow that is farther from the bone it is said to hit takes the nearest instead (m).
const ASTRAY: f32 = 0.2;
/// How far a limb is led astray from its own way to touch (m).
const FARTHEST: f32 = 0.3;
/// How far the hips go along (m), and how far the back leans (rad).
const HIPS: f32 = 0.12;
const LEAN: f32 = 0.35;

/// An arm or a leg.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LimbOf {
    Arm(Side),
    Leg(Side),
}

impl LimbOf {
    pub(super) const ALL: [LimbOf; 4] = [
        LimbOf::Arm(Side::Left),
        LimbOf::Arm(Side::Right),
        LimbOf::Leg(Side::Left),
        LimbOf::Leg(Side::Right),
    ];

    /// The limb whose end this bone belongs to, fingers and toes included.
    pub(super) fn with(bone: Bone) -> Option<LimbOf> {
        let side = bone.side()?;
        std::iter::successors(Some(bone), |bone| bone.parent()).find_map(|bone| match bone.on(Side::Left) {
            Bone::LeftHand | Bone::LeftLowerArm => Some(LimbOf::Arm(side)),
            Bone::LeftFoot | Bone::LeftLowerLeg => Some(LimbOf::Leg(side)),
            _ => None,
        })
    }

    /// The bone it begins with.
    pub(super) fn upper(self) -> Bone {
        match self {
            LimbOf::Arm(side) => Bone::LeftUpperArm.on(side),
            LimbOf::Leg(side) => Bone::LeftUpperLeg.on(side),
        }
    }

    /// Moves the end of this limb in a change.
    pub(super) fn shift(self, change: &mut Change, by: Vec3) {
        match self {
            LimbOf::Arm(side) => change.hands[side as usize] += by,
            LimbOf::Leg(side) => change.feet[side as usize] += by,
        }
    }
}

/// A blow of one character against another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Strike {
    /// When (s).
    pub(super) t: f64,
    /// Places among the characters.
    pub(super) who: usize,
    pub(super) whom: usize,
    pub(super) limb: LimbOf,
    /// What strikes.
    pub(super) with: Bone,
    pub(super) capsule: Capsule,
    /// The bone it is said to hit.
    pub(super) struck: Option<Bone>,
    /// How fast it is said to be (m/s).
    pub(super) speed: Option<f64>,
}

impl Strike {
    /// Whether the other, struck on this bone, strikes at the same moment with the limb it belongs to.
    fn is_met_by(&self, other: &Strike, struck: Bone) -> bool {
        /// Moments closer than this are one (s): half a frame of the arena.
        const AT_ONCE: f64 = 1.0 / 120.0;
        (other.who, other.whom) == (self.whom, self.who)
            && (other.t - self.t).abs() < AT_ONCE
            && LimbOf::with(struck) == Some(other.limb)
    }
}

/// The blows of a take between characters who are there.
pub(super) fn strikes(take: &Take) -> Vec<Strike> {
    take.events.iter().filter_map(|event| strike_of(take, event)).collect()
}

fn strike_of(take: &Take, event: &Event) -> Option<Strike> {
    if !matches!(event.kind, EventKind::Hit | EventKind::Blocked) {
        return None;
    }
    let find = |name: Option<&String>| {
        let name = name?;
        let idx = take.characters.iter().position(|character| character.name == *name)?;
        let character = &take.characters[idx];
        (character.enter..=character.exit()).contains(&event.t).then_some(idx)
    };
    let (who, whom) = (find(event.who.as_ref())?, find(event.whom.as_ref())?);
    let part = Bone::from_name(event.part.as_deref()?)?;
    let limb = LimbOf::with(part)?;
    let body = &take.characters[who].body;
    let clothed = |bone: Bone| body.capsules.iter().find(|it| it.bone == bone).copied();
    let held = body.held().filter(|held| held.bone == part);
    let capsule =
        held.or_else(|| std::iter::successors(Some(part), |bone| bone.parent()).find_map(clothed))?;
    let struck = match event.kind {
        EventKind::Hit => event.details.get("bone").and_then(|bone| Bone::from_name(bone.as_str()?)),
        // What stops a blow is whatever it meets.
        _ => None,
    };
    let (t, speed) = (event.t, event.speed);
    (who != whom).then_some(Strike { t, who, whom, limb, with: part, capsule, struck, speed })
}

/// From the striking capsule to the nearest of the other's at the moment of the blow (m); negative inside.
pub(super) fn gap(characters: &[Character], strike: &Strike) -> f32 {
    let (_, globals) = posed(&characters[strike.who], strike.t);
    let fist = Solid::of(&strike.capsule, &globals);
    let gaps = solids(&characters[strike.whom], strike.t).into_iter().map(|solid| fist.nearest(&solid).gap);
    gaps.fold(f32::INFINITY, f32::min)
}

/// The changes that make blows touch, one list per character; none for those who need none.
///
/// `reach` is how long before and after a blow the limb leaves its way (s).
pub(super) fn plan(
    characters: &[Character],
    figures: &[Figure],
    strikes: &[Strike],
    reach: f64,
    bans: &[Ban],
) -> Vec<Option<Vec<Change>>> {
    let aims: Vec<Option<Aim>> = (strikes.par_iter())
        .map(|strike| {
            let banned = bans[strike.who].meets(strike.t..strike.t);
            if banned { None } else { aim(characters, &figures[strike.who], strike, strikes) }
        })
        .collect();
    (characters.par_iter().enumerate())
        .map(|(who, character)| {
            let mine: Vec<(&Strike, Option<Aim>)> =
                strikes.iter().zip(aims.iter().copied()).filter(|(strike, _)| strike.who == who).collect();
            if mine.iter().all(|(_, aim)| aim.is_none()) {
                return None;
            }
            let mut changes = spread(character, &mine, reach);
            figures[who].give_way(&character.clip, &mut changes);
            Some(changes)
        })
        .collect()
}

/// How a blow is led to what it hits, at its moment.
#[derive(Clone, Copy, Debug, Default)]
struct Aim {
    /// The end of the limb goes this far (m).
    end: Vec3,
    hips: Vec3,
    lean: Vec3,
}

impl Aim {
    fn change(&self, limb: LimbOf) -> Change {
        let mut change = Change { hips: self.hips, lean: self.lean, ..Change::default() };
        if let LimbOf::Arm(side) = limb {
            change.pins[side as usize] = 1.0;
        }
        limb.shift(&mut change, self.end);
        change
    }
}

/// Leads the limb until its capsule touches, or half of the way if what it meets comes the other half; none if it does
/// already.
fn aim(characters: &[Character], figure: &Figure, strike: &Strike, strikes: &[Strike]) -> Option<Aim> {
    const ROUNDS: usize = 12;
    /// Shares of what an arm lacks that hips and back make good; together a little more than all.
    const SHARE_OF_HIPS: f32 = 0.5;
    const SHARE_OF_BACK: f32 = 0.6;
    let attacker = &characters[strike.who];
    let (pose, before) = posed(attacker, strike.t);
    let capsule = &strike.capsule;
    let jointed = match strike.limb {
        LimbOf::Arm(side) => figure.arms[side as usize]?,
        LimbOf::Leg(side) => figure.legs[side as usize]?,
    };
    let victim = solids(&characters[strike.whom], strike.t);
    let fist = Solid::of(capsule, &before);
    let target = target(&fist, &victim, strike.struck)?;
    let gap = meeting(&fist, &victim, target).gap;
    if TOUCHES.contains(&gap) {
        return None;
    }
    let is_met = strikes.iter().any(|other| strike.is_met_by(other, victim[target].bone));
    let wanted = if is_met { 0.5 * (gap + GAP) } else { GAP };
    let [shoulder, _, end] = jointed.limb.positions(&before);
    let longest = jointed.longest(shoulder.distance(end));
    let mut aim = Aim::default();
    for _ in 0..ROUNDS {
        let mut changed = pose.clone();
        figure.apply(&aim.change(strike.limb), &mut changed);
        let globals = figure.skeleton.global_pose(changed.view());
        let Nearest { between, gap, .. } = meeting(&Solid::of(capsule, &globals), &victim, target);
        let wrong = gap - wanted;
        if wrong.abs() < 1e-3 {
            break;
        }
        // What the limb did not reach is not asked of it twice.
        let reached = globals.positions[jointed.limb.end.idx()] - end;
        aim.end = (reached - between.normalize_or(Vec3::Z) * wrong).clamp_length_max(FARTHEST);
        let shoulder = globals.positions[jointed.limb.start.idx()];
        let to_end = end + aim.end - shoulder;
        let missing = to_end.normalize_or_zero() * (to_end.length() - longest).max(0.0);
        let level = Vec3::new(missing.x, 0.0, missing.z);
        aim.hips = (aim.hips + SHARE_OF_HIPS * level).clamp_length_max(HIPS);
        if let (LimbOf::Arm(_), Some(back)) = (strike.limb, figure.small_of_back(&globals)) {
            let arm = shoulder - back;
            let turn = arm.cross(SHARE_OF_BACK * missing) / arm.length_squared().max(0.01);
            aim.lean = (aim.lean + turn).clamp_length_max(LEAN);
        }
    }
    Some(aim)
}

/// Which of the other's capsules the blow goes to: the one it is said to hit, or the nearest.
fn target(fist: &Solid, victim: &[Solid], struck: Option<Bone>) -> Option<usize> {
    let gap = |idx: &usize| fist.nearest(&victim[*idx]).gap;
    let said = (0..victim.len()).find(|idx| Some(victim[*idx].bone) == struck);
    let nearest = || (0..victim.len()).min_by(|a, b| gap(a).total_cmp(&gap(b)));
    said.filter(|idx| gap(idx) < ASTRAY).or_else(nearest)
}

/// How the blow meets its target, or whatever else it is buried in.
fn meeting(fist: &Solid, victim: &[Solid], target: usize) -> Nearest {
    let all = victim.iter().map(|solid| fist.nearest(solid));
    let buried = all.filter(|nearest| nearest.gap < *TOUCHES.start());
    let deepest = buried.min_by(|a, b| a.gap.total_cmp(&b.gap));
    deepest.unwrap_or_else(|| fist.nearest(&victim[target]))
}

/// Spreads what is done at the moments of blows over the frames around them.
fn spread(character: &Character, mine: &[(&Strike, Option<Aim>)], reach: f64) -> Vec<Change> {
    /// The body begins to move before the arm does (s).
    const BODY: f64 = 0.25;
    let rate = character.clip.rate();
    let times: Vec<f64> = (0..character.clip.n_frames()).map(|k| character.enter + rate.time_of(k)).collect();
    let mut changes = vec![Change::default(); times.len()];
    for (strike, aim) in mine {
        // A blow does not spoil the next of the same limb.
        let others = mine.iter().filter(|(other, _)| other.limb == strike.limb && other.t != strike.t);
        let half = others.map(|(other, _)| (other.t - strike.t).abs()).fold(reach, f64::min);
        for (change, t) in changes.iter_mut().zip(&times) {
            let body = window(*t, strike.t, BODY);
            if let LimbOf::Arm(side) = strike.limb {
                let pin = &mut change.pins[side as usize];
                *pin = pin.max(body);
            }
            let Some(aim) = aim else { continue };
            change.hips += aim.hips * body;
            change.lean += aim.lean * body;
            strike.limb.shift(change, aim.end * window(*t, strike.t, half));
        }
    }
    for change in &mut changes {
        change.hips = change.hips.clamp_length_max(HIPS);
        change.lean = change.lean.clamp_length_max(LEAN);
    }
    changes
}

fn posed(character: &Character, t: f64) -> (Pose, GlobalPose) {
    let pose = character.clip.sample(t - character.enter);
    let globals = character.clip.skeleton().global_pose(pose.view());
    (pose, globals)
}

fn solids(character: &Character, t: f64) -> Vec<Solid> {
    let (_, globals) = posed(character, t);
    let body = &character.body;
    body.capsules.iter().chain(&body.held()).map(|capsule| Solid::of(capsule, &globals)).collect()
}
