//! Which reaction follows a blow: chosen by its impulse and by the posture that it meets.
//!
//! The particles of the struck body are run for the first moments after the blow. Which parts of it they throw which
//! way, and the postures and velocities that they come to, are compared with those of the frames around which the
//! reactions of the library give way, as they would be shown: the root placed where it is now. The best matching frame
//! is taken; driving the struck part another way than the blow went counts against it.
//!
//! Reference: \[Shum2012\], section VII. Nothing is chosen at random and nothing depends on who asked before: a blow is
//! rounded to one of a few kinds first, so that planners that ask millions of times are answered from memory.

mod entries;
mod memory;

use std::f32::consts::TAU;
use std::sync::Arc;

use glam::Vec3;
use randori_motion::{Action, ActionId, ActionLibrary, Bone, GlobalPose};

pub use crate::particles::Blow;
use crate::particles::ParticleBody;
use entries::{COMPARED, Entry, LANDMARKS, Moment, Parts, THROWN, squared};
use memory::Memory;

/// What a body does that was struck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The reaction.
    pub action: ActionId,
    /// The frame of the action that is shown at the tick of the blow, from 0.
    pub skipped: u32,
    /// Whether it ends on the floor.
    pub falls: bool,
}

/// The reactions of a library, ready to be asked for.
///
/// ```
/// use std::sync::Arc;
/// use randori_arena::reactions::{Blow, Reactions};
/// use randori_motion::library::{Likeness, assemble};
/// use randori_motion::{Bone, Build, math::Vec3};
/// let library = assemble("nobody", "boxing", Build::AVERAGE, &[], &Likeness::default()).unwrap();
/// let reactions = Reactions::of(Arc::new(library));
/// let blow = Blow { bone: Bone::Head, point: Vec3::Y * 1.6, velocity: Vec3::NEG_Z * 6.0, mass: 2.5 };
/// assert_eq!(reactions.answer(0, 0, &blow, 30.0), None);
/// ```
#[derive(Debug)]
pub struct Reactions {
    library: Arc<ActionLibrary>,
    particles: ParticleBody,
    entries: Vec<Entry>,
    /// Whether the body is on its feet, by the number of the frame among the frames of all takes.
    upright: Vec<bool>,
    /// Where the particles are (m), frame after frame of all takes.
    places: Vec<Vec3>,
    /// Number of the first frame of each take among the frames of all takes.
    first_frames: Vec<u64>,
    memory: Memory,
}

impl Reactions {
    /// Prepares the reactions of a library.
    pub fn of(library: Arc<ActionLibrary>) -> Reactions {
        Reactions::among(library, &|_| true)
    }

    /// Prepares some of the reactions of a library: nobody reacts in another way.
    pub fn among(library: Arc<ActionLibrary>, is_one: &dyn Fn(&Action) -> bool) -> Reactions {
        let mut first_frames = vec![0];
        for take in library.takes() {
            first_frames.push(first_frames[first_frames.len() - 1] + take.clip.n_frames() as u64);
        }
        let particles = ParticleBody::of(library.body());
        let (upright, places) = postures(&library, &particles);
        Reactions {
            upright,
            places,
            particles,
            entries: Entry::all_of(&library, is_one),
            first_frames,
            memory: Memory::default(),
            library,
        }
    }

    /// The same with room for so many answers, of 16 bytes each: for whoever asks for millions of different ones.
    pub fn remembering(self, answers: usize) -> Reactions {
        Reactions { memory: Memory::of(answers), ..self }
    }

    /// The library.
    pub fn library(&self) -> &Arc<ActionLibrary> {
        &self.library
    }

    /// Every action and frame of it in which a reaction may begin: the number of frames that are left out.
    pub fn beginnings(&self) -> impl Iterator<Item = (ActionId, u32)> + '_ {
        self.entries.iter().map(|entry| (entry.action, entry.skipped))
    }

    /// What somebody does who is struck while a frame of a take is shown.
    ///
    /// `poise` is the impulse, mass times speed of the striking part, from which on the body is knocked down (N s): 0
    /// always, infinity never. Without knock-downs nobody falls.
    ///
    /// `None` if there is no such frame, if the body is not on its feet in it, or if the library has no reaction: none
    /// at all, or none that stays on its feet for a body that does not fall.
    pub fn answer(&self, take: u32, frame: u32, blow: &Blow, poise: f32) -> Option<Answer> {
        let n_frames = self.library.takes().get(take as usize)?.clip.n_frames();
        if frame as usize >= n_frames {
            return None;
        }
        let number = self.first_frames[take as usize] + u64::from(frame);
        if !self.upright[number as usize] {
            return None;
        }
        let kind = Kind::of(blow, poise);
        self.memory.recall(number << Kind::BITS | u64::from(kind.bits()), || self.best(take, frame, kind))
    }

    /// Whether there is an [answer](Self::answer), without finding it.
    pub fn answers(&self, take: u32, frame: u32, blow: &Blow, poise: f32) -> bool {
        let Some(taken) = self.library.takes().get(take as usize) else { return false };
        let number = self.first_frames[take as usize] as usize + frame as usize;
        if frame as usize >= taken.clip.n_frames() || !self.upright[number] {
            return false;
        }
        let any = |falls: bool| self.entries.iter().any(|entry| entry.falls == falls);
        any(Kind::of(blow, poise).fells && any(true))
    }

    /// The best reaction to a kind of blow.
    fn best(&self, take: u32, frame: u32, kind: Kind) -> Option<Answer> {
        let falls = kind.fells && self.entries.iter().any(|entry| entry.falls);
        let struck = self.struck(take, frame, kind);
        // What costs little to find out tells most entries apart from the best: whichever that favours comes first.
        let fitting = || self.entries.iter().enumerate().filter(|(_, entry)| entry.falls == falls);
        // Somebody who falls goes as a whole.
        let parts = Parts::of(if falls { &THROWN } else { kind.zone.bones() });
        let (way, impulse) = (struck.turn * kind.way(), kind.impulse());
        let early: Vec<[f32; 2]> = (fitting())
            .map(|(_, entry)| [entry.astray(&struck, &parts, way), entry.unfit(kind.zone, impulse)])
            .collect();
        let first = early.iter().enumerate().min_by(|(_, a), (_, b)| (a[0] + a[1]).total_cmp(&(b[0] + b[1])));
        let mut best: Option<(f32, usize, &Entry)> = None;
        let all = fitting().zip(&early).enumerate();
        for (_, ((at, entry), [astray, unfit])) in
            all.clone().filter(|(place, _)| Some(*place) == first.map(|(place, _)| place)).chain(all)
        {
            let least = best.map_or(f32::INFINITY, |(cost, ..)| cost);
            // Nothing that follows is below zero, but sums are rounded.
            if astray + unfit > least * (1.0 + 1e-5) {
                continue;
            }
            let mut cost = astray + entry.unlike(&struck) + unfit;
            for (seen, theirs) in struck.moments.iter().zip(&entry.moments) {
                if cost > least {
                    break;
                }
                cost += seen.difference(theirs) / struck.moments.len() as f32;
            }
            if best.is_none_or(|(least, first, _)| cost < least || (cost == least && at < first)) {
                best = Some((cost, at, entry));
            }
        }
        best.map(|(_, _, entry)| Answer { action: entry.action, skipped: entry.skipped, falls })
    }

    /// What a body looks like in the first moments after a blow, seen from where its root was.
    fn struck(&self, take: u32, frame: u32, kind: Kind) -> Struck {
        let taken = &self.library.takes()[take as usize];
        let placement = taken.placements[frame as usize];
        let shown = |tick: usize| (frame as usize + tick).min(taken.clip.n_frames() - 1);
        let n_particles = self.particles.len();
        let plan = |tick: usize| {
            let number = self.first_frames[take as usize] as usize + shown(tick);
            &self.places[number * n_particles..(number + 1) * n_particles]
        };
        let turn = placement.rotation().inverse();
        let origin = placement.position.at_height(0.0);
        let landmarks = LANDMARKS.map(|bone| self.particles.particle(bone));
        let seen = |places: &[Vec3]| -> Vec<Vec3> {
            landmarks.iter().map(|at| at.map_or(Vec3::ZERO, |at| turn * (places[at] - origin))).collect()
        };
        let mut deviation = self.particles.struck(plan(0), &self.blow(kind, plan(0)));
        let mut last = seen(plan(0));
        let start = Moment::between(&last, seen(plan(1)));
        let mut moments = Vec::with_capacity(COMPARED.len());
        for tick in 1..=COMPARED[COMPARED.len() - 1] {
            let plan = plan(tick);
            self.particles.step(&mut deviation, plan, taken.standing[shown(tick)]);
            let places: Vec<Vec3> =
                plan.iter().zip(&deviation.offsets).map(|(p, offset)| *p + *offset).collect();
            let now = seen(&places);
            if COMPARED.contains(&tick) {
                moments.push(Moment::between(&last, now.clone()));
            }
            last = now;
        }
        let thrown = landmarks.iter().map(|at| at.map_or(Vec3::ZERO, |at| turn * deviation.offsets[at]));
        let thrown: Vec<Vec3> = thrown.collect();
        Struck { start, moments, thrown_squared: squared(&thrown), thrown, turn }
    }

    /// A blow of a kind, in the middle of its zone.
    fn blow(&self, kind: Kind, places: &[Vec3]) -> Blow {
        let bones = kind.zone.bones();
        let middle = bones.iter().filter_map(|bone| self.particles.particle(*bone)).map(|at| places[at]);
        let n_particles = middle.clone().count().max(1) as f32;
        let point = middle.sum::<Vec3>() / n_particles;
        Blow { bone: bones[0], point, velocity: kind.direction() * kind.impulse(), mass: 1.0 }
    }
}

/// Whether the body is on its feet in every frame of every take, and where its particles are (m).
fn postures(library: &ActionLibrary, particles: &ParticleBody) -> (Vec<bool>, Vec<Vec3>) {
    let skeleton = &library.body().skeleton;
    let rest = skeleton.global_pose(skeleton.rest_pose().view());
    let hips = skeleton.bone(Bone::Hips).map(|hips| hips.idx());
    let least = hips.map_or(0.0, |hips| UPRIGHT * rest.positions[hips].y);
    let mut globals = GlobalPose::default();
    let (mut upright, mut places) = (Vec::new(), Vec::new());
    for take in library.takes() {
        for pose in take.clip.frames() {
            skeleton.globals_into(pose, &mut globals);
            upright.push(hips.is_none_or(|hips| globals.positions[hips].y >= least));
            places.extend(particles.places(&globals));
        }
    }
    (upright, places)
}

/// Somebody whose hips are lower than this share of their height when standing lies, kneels or sits.
const UPRIGHT: f32 = 0.5;

/// A body after a blow.
struct Struck {
    /// A tick after the blow, had it not been there.
    start: Moment,
    /// At the ticks that are compared.
    moments: Vec<Moment>,
    /// How far the blow alone has thrown each landmark at the last of them (m).
    thrown: Vec<Vec3>,
    /// The sum of the squares of it.
    thrown_squared: f32,
    /// From the take's coordinates to those of the root's placement.
    turn: glam::Quat,
}

/// Where a blow lands, as coarsely as reactions differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Zone {
    Head,
    Chest,
    Belly,
    LeftArm,
    RightArm,
    LeftLeg,
    RightLeg,
}

impl Zone {
    fn of(bone: Bone) -> Zone {
        let above = std::iter::successors(Some(bone), |bone| bone.parent());
        let known = above.into_iter().find_map(|bone| {
            Some(match bone {
                Bone::Head | Bone::Neck => Zone::Head,
                Bone::UpperChest | Bone::LeftShoulder | Bone::RightShoulder => Zone::Chest,
                Bone::Chest | Bone::Spine | Bone::Hips => Zone::Belly,
                Bone::LeftUpperArm => Zone::LeftArm,
                Bone::RightUpperArm => Zone::RightArm,
                Bone::LeftUpperLeg => Zone::LeftLeg,
                Bone::RightUpperLeg => Zone::RightLeg,
                _ => return None,
            })
        });
        known.unwrap_or(Zone::Belly)
    }

    /// The bone that is struck, then others of the zone.
    fn bones(self) -> &'static [Bone] {
        match self {
            Zone::Head => &[Bone::Head],
            Zone::Chest => &[Bone::UpperChest, Bone::Neck],
            Zone::Belly => &[Bone::Chest, Bone::Spine],
            Zone::LeftArm => &[Bone::LeftUpperArm],
            Zone::RightArm => &[Bone::RightUpperArm],
            Zone::LeftLeg => &[Bone::LeftUpperLeg, Bone::LeftLowerLeg],
            Zone::RightLeg => &[Bone::RightUpperLeg, Bone::RightLowerLeg],
        }
    }
}

/// A kind of blow: all that an answer depends on, besides the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Kind {
    zone: Zone,
    /// The way it goes on the floor, in sixteenths of a turn from the take's +Z towards +X.
    sixteenth: u32,
    /// 0 upwards, 1 level, 2 downwards.
    level: u32,
    /// The impulse is two to half this power (N s).
    strength: u32,
    fells: bool,
}

impl Kind {
    /// Bits that a kind takes.
    const BITS: u32 = 14;
    /// Impulses from 1 N s to 128 N s are told apart.
    const STRONGEST: u32 = 14;

    fn of(blow: &Blow, poise: f32) -> Kind {
        let impulse = blow.impulse();
        let size = impulse.length();
        let turns = libm::atan2f(impulse.x, impulse.z) / TAU;
        let strength = libm::roundf(2.0 * libm::log2f(size.max(1.0))).min(Kind::STRONGEST as f32);
        let flat = libm::hypotf(impulse.x, impulse.z);
        Kind {
            zone: Zone::of(blow.bone),
            sixteenth: libm::roundf(16.0 * turns) as i32 as u32 & 15,
            level: if impulse.y > 1.2 * flat {
                0
            } else if impulse.y < -1.2 * flat {
                2
            } else {
                1
            },
            strength: strength as u32,
            fells: size >= poise,
        }
    }

    fn bits(self) -> u32 {
        let mut bits = self.zone as u32;
        for (value, n_bits) in
            [(self.sixteenth, 4), (self.level, 2), (self.strength, 4), (u32::from(self.fells), 1)]
        {
            bits = bits << n_bits | value;
        }
        bits
    }

    /// (N s).
    fn impulse(self) -> f32 {
        libm::exp2f(0.5 * self.strength as f32)
    }

    /// The way it goes on the floor; its length is the share of the blow that does.
    fn way(self) -> Vec3 {
        let angle = TAU * self.sixteenth as f32 / 16.0;
        let share = if self.level == 1 { 1.0 } else { 0.4 };
        Vec3::new(libm::sinf(angle), 0.0, libm::cosf(angle)) * share
    }

    /// The unit vector of the impulse.
    fn direction(self) -> Vec3 {
        let up = match self.level {
            0 => 1.0,
            1 => 0.0,
            _ => -1.0,
        };
        (self.way() + Vec3::Y * up * 0.9).normalize_or_zero()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use randori_actor::{Casting, Temperament};
    use randori_motion::Build;
    use randori_motion::analyse::{Discipline, Settings, analyse};
    use randori_motion::library::{Likeness, Recording, assemble};

    fn boxer() -> Reactions {
        let casting =
            Casting { build: Build::AVERAGE, temperament: Temperament::Calm, seed: 1, seconds: 80.0 };
        let recordings: Vec<Recording> = randori_actor::reactions(&casting)
            .into_iter()
            .map(|take| {
                let analysis = analyse(&take.clip, &Settings::of(Discipline::Reactions)).unwrap();
                let standing = analysis.contacts.feet.map(|foot| foot.down);
                Recording { clip: take.clip, standing, segments: analysis.segments }
            })
            .collect();
        let library = assemble("boxer", "boxing", casting.build, &recordings, &Likeness::default());
        Reactions::of(Arc::new(library.unwrap()))
    }

    /// Without a word on directions, names or postures: what the particles do finds the way of the blow.
    #[test]
    fn the_particles_alone_tell_which_way_a_body_is_thrown() {
        let reactions = boxer();
        let (mut n, mut agree) = (0, 0);
        for take in 0..reactions.library.takes().len() as u32 {
            for frame in (0..reactions.library.takes()[take as usize].clip.n_frames() as u32).step_by(90) {
                for (zone, sixteenth) in [Zone::Head, Zone::Chest, Zone::Belly]
                    .into_iter()
                    .flat_map(|zone| [0, 3, 6, 9, 12].map(|sixteenth| (zone, sixteenth)))
                {
                    let kind = Kind { zone, sixteenth, level: 1, strength: 8, fells: false };
                    if !reactions.upright[(reactions.first_frames[take as usize] + u64::from(frame)) as usize]
                    {
                        continue;
                    }
                    let struck = reactions.struck(take, frame, kind);
                    let entry = (reactions.entries.iter().filter(|entry| !entry.falls))
                        .min_by(|a, b| a.unlike(&struck).total_cmp(&b.unlike(&struck)))
                        .unwrap();
                    n += 1;
                    agree += usize::from(entry.drives(zone).dot(struck.turn * kind.way()) > 0.0);
                }
            }
        }
        println!("{agree} of {n}");
        assert!(n > 300 && agree * 10 > n * 9, "{agree} of {n}");
    }
}
