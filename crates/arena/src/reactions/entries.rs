//! Frames at which the reactions of a library may be entered.

use std::ops::Range;

use glam::{Quat, Vec3};
use randori_motion::tracks::Tracks;
use randori_motion::{
    Action, ActionId, ActionLibrary, Annotation, Bone, FrameRate, JointId, Kind as Purpose,
};

use super::{Struck, Zone};

/// Joints that are compared, the hips first.
pub(super) const LANDMARKS: [Bone; 20] = Bone::LANDMARKS;

/// Ticks after the blow at which postures are compared.
pub(super) const COMPARED: [usize; 3] = [2, 4, 6];

/// A frame of a reaction, with what is seen from it on.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) action: ActionId,
    /// Frames of the action before it.
    pub(super) skipped: u32,
    pub(super) falls: bool,
    staggers: bool,
    /// Whether it answers a blow on the head or one on the trunk, if only one of them.
    of_head: Option<bool>,
    /// The frame itself.
    start: Moment,
    /// What is seen at the compared ticks after it.
    pub(super) moments: Vec<Moment>,
    /// How far the landmarks have gone at the last of these (m), and the sum of the squares of it.
    gone: Vec<Vec3>,
    gone_squared: f32,
    /// Where the landmarks are on average over the ticks of [`DRIVE`] (m).
    later: Vec<Vec3>,
}

/// A posture and its change, relative to where the root was when the blow landed.
#[derive(Clone, Debug)]
pub(super) struct Moment {
    /// (m), one for each landmark.
    pub(super) places: Vec<Vec3>,
    /// (m/s).
    pub(super) velocities: Vec<Vec3>,
}

/// Ticks over which a reaction must go the way of the blow: 0.4 s.
const DRIVE: usize = 24;
/// How long what is left of the old posture takes to fade when a reaction is played (s).
const FADE: f32 = 0.3;
/// Seconds of difference in velocity that count as much as a difference in place (s).
const VELOCITY: f32 = 0.05;
/// A reaction that goes against the blow costs twice the square of this (m): as much as a posture so far off.
const ASTRAY: f32 = 0.25;
/// A reaction that throws the body as the blow does not costs the square of this (m), one that throws it the opposite
/// way twice as much.
const UNLIKE: f32 = 0.25;
/// Going less far than this is no clear direction (m).
const CLEAR: f32 = 0.03;
/// Impulse from which on somebody may stagger (N s): a fist with 3 kg behind it at 5 m/s.
const STAGGERING: f32 = 15.0;
/// What it costs to stagger from less, or not to from twice as much (m): its square.
const UNFIT: f32 = 0.3;
/// What it costs to answer a blow on the head as one on the trunk, or the reverse (m): its square.
const ELSEWHERE: f32 = 0.15;

impl Entry {
    /// All entries of some reactions of a library, in order of their actions.
    pub(super) fn all_of(library: &ActionLibrary, is_one: &dyn Fn(&Action) -> bool) -> Vec<Entry> {
        let mut entries = Vec::new();
        for (number, take) in library.takes().iter().enumerate() {
            let of_take = |id: &ActionId| {
                let action = library.action(*id);
                let is_reaction = action.annotation.kind() == Purpose::Reaction;
                action.take as usize == number && is_reaction && is_one(action)
            };
            let ids: Vec<ActionId> = library.ids().filter(of_take).collect();
            if ids.is_empty() {
                continue;
            }
            let tracks = Tracks::of(&take.clip);
            let joints = LANDMARKS.map(|bone| take.clip.skeleton().bone(bone).unwrap_or(JointId::ROOT));
            for id in ids {
                let action = library.action(id);
                for skipped in giving_way(&tracks, &joints, action) {
                    let placement = take.placements[(action.frames.start + skipped) as usize];
                    let (turn, origin) = (placement.rotation().inverse(), placement.position.at_height(0.0));
                    let seen = Seen { tracks: &tracks, joints: &joints, turn, origin };
                    entries.push(Entry::of(id, &action.annotation, action.frames.start, skipped, &seen));
                }
            }
        }
        entries.sort_by_key(|entry| (entry.action, entry.skipped));
        entries
    }

    fn of(action: ActionId, annotation: &Annotation, first: u32, skipped: u32, seen: &Seen<'_>) -> Entry {
        let start = (first + skipped) as usize;
        let mut later = vec![Vec3::ZERO; LANDMARKS.len()];
        for tick in 1..=DRIVE {
            for (sum, place) in later.iter_mut().zip(seen.places(start + tick)) {
                *sum += place / DRIVE as f32;
            }
        }
        let begin = seen.moment(start);
        let moments: Vec<Moment> = COMPARED.iter().map(|tick| seen.moment(start + tick)).collect();
        let last = moments.last().unwrap_or(&begin);
        let gone: Vec<Vec3> = last.places.iter().zip(&begin.places).map(|(then, was)| *then - *was).collect();
        Entry {
            action,
            skipped,
            falls: annotation.name() == "knock-down",
            staggers: annotation.name() == "stagger",
            of_head: annotation.name().starts_with("hit-").then(|| annotation.name().starts_with("hit-head")),
            gone_squared: squared(&gone),
            gone,
            start: begin,
            moments,
            later,
        }
    }

    /// What it costs that the struck parts would not go the way of the blow (m, squared);
    /// `way` is on the floor, seen from where the root was.
    pub(super) fn astray(&self, struck: &Struck, parts: &Parts, way: Vec3) -> f32 {
        // The posture of the blow fades into that of the reaction, over half of [`FADE`] on average, and so does its
        // velocity: the means of the quintics by which it does.
        let share = FADE * FrameRate::HOUSE.fps() as f32 / DRIVE as f32;
        let (kept, carried) = (0.5 * share, 0.1 * FADE * share);
        let mut gone = Vec3::ZERO;
        for &at in &parts.landmarks {
            let (was, begins) = (struck.start.places[at], self.start.places[at]);
            let velocity = struck.start.velocities[at] - self.start.velocities[at];
            gone += self.later[at] - was + (was - begins) * kept + velocity * carried;
        }
        let gone = gone.with_y(0.0) / parts.n_bones as f32;
        ASTRAY * ASTRAY * (way.length() - gone.dot(way) / (gone.length() + CLEAR))
    }

    /// How far the bones of a zone go on average while it is played by itself (m).
    #[cfg(test)]
    pub(super) fn drives(&self, zone: Zone) -> Vec3 {
        let of_zone = LANDMARKS.iter().enumerate().filter(|(_, bone)| zone.bones().contains(bone));
        of_zone.map(|(at, _)| self.later[at] - self.start.places[at]).sum()
    }

    /// What it costs that the body is thrown otherwise than by the blow (m, squared): not how far, but which parts of
    /// it which way. Postures differ by more than a blow moves them in so short a time, so this counts by itself.
    pub(super) fn unlike(&self, struck: &Struck) -> f32 {
        let along =
            self.gone.iter().zip(&struck.thrown).fold(0.0, |sum, (gone, thrown)| sum + gone.dot(*thrown));
        let size = libm::sqrtf(self.gone_squared * struck.thrown_squared);
        let likeness = if size > 0.0 { along / size } else { 0.0 };
        UNLIKE * UNLIKE * (1.0 - likeness)
    }

    /// What it costs that it suits other blows better than one of this impulse (N s) here (m, squared).
    pub(super) fn unfit(&self, zone: Zone, impulse: f32) -> f32 {
        let too_much = self.staggers && impulse < STAGGERING;
        let too_little = !self.staggers && !self.falls && impulse > 2.0 * STAGGERING;
        let elsewhere = self.of_head.is_some_and(|of_head| of_head != (zone == Zone::Head));
        let cost = |unfit: bool, by: f32| if unfit { by * by } else { 0.0 };
        cost(too_much || too_little, UNFIT) + cost(elsewhere, ELSEWHERE)
    }
}

impl Moment {
    /// The later of two postures a tick apart.
    pub(super) fn between(before: &[Vec3], places: Vec<Vec3>) -> Moment {
        let fps = FrameRate::HOUSE.fps() as f32;
        let velocities = places.iter().zip(before).map(|(now, before)| (*now - *before) * fps).collect();
        Moment { places, velocities }
    }

    /// How different two moments are (m, squared).
    pub(super) fn difference(&self, other: &Moment) -> f32 {
        let square =
            |a: &[Vec3], b: &[Vec3]| -> f32 { a.iter().zip(b).map(|(a, b)| a.distance_squared(*b)).sum() };
        let places = square(&self.places, &other.places);
        let velocities = square(&self.velocities, &other.velocities);
        (places + VELOCITY * VELOCITY * velocities) / self.places.len().max(1) as f32
    }
}

/// Which landmarks stand for some bones.
pub(super) struct Parts {
    landmarks: Vec<usize>,
    n_bones: usize,
}

impl Parts {
    pub(super) fn of(bones: &[Bone]) -> Parts {
        let landmarks = (0..LANDMARKS.len()).filter(|at| bones.contains(&LANDMARKS[*at])).collect();
        Parts { landmarks, n_bones: bones.len() }
    }
}

/// The sum of the squares of some lengths.
pub(super) fn squared(ways: &[Vec3]) -> f32 {
    ways.iter().fold(0.0, |sum, way| sum + way.length_squared())
}

/// A take as it is seen from where the root was in one of its frames.
struct Seen<'a> {
    tracks: &'a Tracks,
    joints: &'a [JointId],
    turn: Quat,
    origin: Vec3,
}

impl Seen<'_> {
    fn places(&self, frame: usize) -> Vec<Vec3> {
        let frame = frame.min(self.tracks.n_frames() - 1);
        let place = |joint: &JointId| self.turn * (self.tracks.position(frame, *joint) - self.origin);
        self.joints.iter().map(place).collect()
    }

    fn moment(&self, frame: usize) -> Moment {
        Moment::between(&self.places(frame.saturating_sub(1)), self.places(frame))
    }
}

/// Frames of an action, counted from its first, at which the body begins to give way.
///
/// A segment may begin much earlier, in a hop or at rest. Head, chest or hips are jolted harder by a blow than at any
/// other time before the reaction is at its height, or the body on its way down, and have hardly moved yet. A segment
/// in which they move from the start begins late: it is entered at once.
fn giving_way(tracks: &Tracks, joints: &[JointId], action: &Action) -> Range<u32> {
    let n_frames = action.n_frames() as usize;
    let place = |at: usize, joint: JointId| {
        tracks.position((action.frames.start as usize + at).min(tracks.n_frames() - 1), joint)
    };
    let joint = |bone: Bone| LANDMARKS.iter().position(|known| *known == bone).map(|at| joints[at]);
    let most = |of_joint: &dyn Fn(JointId) -> Vec3| {
        THROWN.into_iter().filter_map(joint).map(|joint| of_joint(joint).length()).fold(0.0, f32::max)
    };
    let speed = |at: usize| most(&|joint| place(at + 1, joint) - place(at, joint));
    let jolt = |at: usize| {
        let before = at.saturating_sub(1);
        most(&|joint| place(at + 1, joint) - 2.0 * place(at, joint) + place(before, joint))
    };
    let height = |at: usize| joint(Bone::Hips).map_or(0.0, |joint| place(at, joint).y);
    let falling = (1..n_frames).find(|at| height(*at) < UPRIGHT * height(0)).unwrap_or(n_frames);
    let peak = action.peak.map_or(n_frames, |peak| peak.saturating_sub(action.frames.start) as usize);
    let last = falling.min(peak).clamp(1, n_frames);
    let hardest = (0..last).map(|at| (at, jolt(at))).fold(
        (0, 0.0),
        |best, now| {
            if now.1 > best.1 { now } else { best }
        },
    );
    let calm = (0..hardest.0).rev().take(BUILD_UP).find(|at| jolt(*at) < CALM * hardest.1);
    let onset = calm.unwrap_or(hardest.0.saturating_sub(BUILD_UP));
    let thrown = (onset..onset + 2 * BUILD_UP).map(speed).fold(0.0, f32::max);
    let onset = if speed(onset) < HARDLY * thrown { onset } else { 0 };
    onset.saturating_sub(1) as u32..(onset + 3).min(n_frames) as u32
}

/// What a blow throws first.
pub(super) const THROWN: [Bone; 3] = [Bone::Head, Bone::UpperChest, Bone::Hips];
/// Hips lower than this share of their height are on their way down.
const UPRIGHT: f32 = 0.85;
/// A blow is there in full after so many frames, and not there while the body is jolted less than this share of it.
const BUILD_UP: usize = 6;
const CALM: f32 = 0.25;
/// Share of the speed to which a blow leads that a body may have before (-).
const HARDLY: f32 = 0.5;
