//! Arms, and legs that kick, that do not go through the other: a blow ends at the surface it meets.

use std::ops::Range;

use glam::Vec3;
use randori_motion::tracks::smoothed;
use randori_motion::{Bone, Character, Side};
use rayon::prelude::*;

use super::Ban;
use super::blows::{LimbOf, Strike};
use super::figure::{Change, Figure};
use super::geometry::Solid;
use super::grid::{Grid, Together};

/// A limb this deep in another body is in touch, not inside (m).
const TOUCH: f32 = 0.02;
/// How deep it is left (m).
const LEFT: f32 = 0.008;
/// Limbs of people whose hips are farther apart along the floor do not meet (m).
const NEAR: f32 = 2.2;
/// How long before and after its blow a limb counts as striking (s).
const STRIKING: f64 = 0.3;
/// Width of the Gaussian that smooths what is required (s).
const SIGMA: f32 = 0.025;
const ROUNDS: usize = 4;

/// One vector per limb.
type PerLimb = [Vec3; 4];

/// The changes that keep limbs out of others, one list per character; none for those who need none.
pub(super) fn plan(
    characters: &[Character],
    figures: &[Figure],
    grid: &Grid,
    strikes: &[Strike],
    farthest: f32,
    bans: &[Ban],
) -> Vec<Option<Vec<Change>>> {
    let pairs = grid.pairs(NEAR);
    let involved: Vec<bool> =
        (0..characters.len()).map(|who| pairs.iter().any(|pair| pair.who.contains(&who))).collect();
    let solids: Vec<Vec<Vec<Solid>>> = (characters.par_iter().enumerate())
        .map(|(who, character)| {
            if !involved[who] {
                return Vec::new();
            }
            let capsules = &character.body.capsules;
            grid.sample(who, character, |globals| {
                capsules.iter().map(|capsule| Solid::of(capsule, globals)).collect()
            })
        })
        .collect();
    let mut offsets: Vec<Vec<PerLimb>> =
        solids.iter().map(|frames| vec![PerLimb::default(); frames.len()]).collect();
    let limbs: Vec<Vec<Option<usize>>> = characters.iter().map(limbs_of).collect();
    let striking: Vec<Vec<[bool; 4]>> =
        (0..characters.len()).map(|who| striking(strikes, who, grid)).collect();
    for _ in 0..ROUNDS {
        let bodies =
            Bodies { solids: &solids, offsets: &offsets, grid, striking: &striking, limbs: &limbs, bans };
        let required: Vec<[Vec<(usize, usize, Vec3)>; 2]> =
            pairs.par_iter().map(|pair| [bodies.push(pair, 0), bodies.push(pair, 1)]).collect();
        let mut wanted: Vec<Vec<PerLimb>> =
            offsets.iter().map(|frames| vec![PerLimb::default(); frames.len()]).collect();
        let mut any = false;
        for (pair, required) in pairs.iter().zip(required) {
            for (who, required) in pair.who.into_iter().zip(required) {
                for (at, limb, push) in required {
                    wanted[who][at][limb] += push;
                    any = true;
                }
            }
        }
        if !any {
            break;
        }
        for (who, (offsets, wanted)) in offsets.iter_mut().zip(wanted).enumerate() {
            for (idx, limb) in LimbOf::ALL.into_iter().enumerate() {
                let wanted: Vec<Vec3> = wanted.iter().map(|wanted| wanted[idx]).collect();
                if wanted.iter().all(|push| *push == Vec3::ZERO) {
                    continue;
                }
                for stretch in between_blows(strikes, who, limb, grid) {
                    let more = smoothed(&wanted[stretch.clone()], grid.fps as f32, SIGMA);
                    for (offset, more) in offsets[stretch].iter_mut().zip(more) {
                        offset[idx] = (offset[idx] + more).clamp_length_max(farthest);
                    }
                }
            }
        }
    }
    (characters.par_iter().enumerate())
        .map(|(who, character)| changes(who, character, &figures[who], grid, &offsets[who]))
        .collect()
}

/// The limb that each capsule belongs to, from its middle on.
fn limbs_of(character: &Character) -> Vec<Option<usize>> {
    let limb = |bone: Bone| LimbOf::ALL.into_iter().position(|limb| LimbOf::with(bone) == Some(limb));
    character.body.capsules.iter().map(|capsule| limb(capsule.bone)).collect()
}

/// Offsets of the limbs as changes of the clip's frames; `None` if there are none.
fn changes(
    who: usize,
    character: &Character,
    figure: &Figure,
    grid: &Grid,
    offsets: &[PerLimb],
) -> Option<Vec<Change>> {
    if offsets.iter().all(|offset| *offset == PerLimb::default()) {
        return None;
    }
    let mut changes = vec![Change::default(); character.clip.n_frames()];
    for (idx, limb) in LimbOf::ALL.into_iter().enumerate() {
        let path: Vec<Vec3> = offsets.iter().map(|offset| offset[idx]).collect();
        for (change, by) in changes.iter_mut().zip(grid.onto(who, character, &path)) {
            limb.shift(change, by);
        }
    }
    figure.give_way(&character.clip, &mut changes);
    Some(changes)
}

/// The stretches of a character's moments between the blows of one limb. A fist stops where it lands: what holds it
/// back afterwards must not be smoothed into the moment of the blow.
fn between_blows(strikes: &[Strike], who: usize, limb: LimbOf, grid: &Grid) -> Vec<Range<usize>> {
    let present = &grid.present[who];
    let mut cuts: Vec<usize> = (strikes.iter().filter(|strike| strike.who == who && strike.limb == limb))
        .map(|strike| libm::floor(strike.t * grid.fps + 1e-6) as usize + 1)
        .filter(|tick| present.contains(tick))
        .map(|tick| tick - present.start)
        .collect();
    cuts.extend([0, present.len()]);
    cuts.sort_unstable();
    cuts.dedup();
    cuts.windows(2).map(|pair| pair[0]..pair[1]).collect()
}

/// Everybody's volumes, and how far their limbs have been moved already.
struct Bodies<'a> {
    solids: &'a [Vec<Vec<Solid>>],
    offsets: &'a [Vec<PerLimb>],
    grid: &'a Grid,
    /// Whether each limb of each character strikes, from when it enters.
    striking: &'a [Vec<[bool; 4]>],
    /// The limb that each capsule of each character belongs to.
    limbs: &'a [Vec<Option<usize>>],
    bans: &'a [Ban],
}

impl Bodies<'_> {
    /// How far the limbs of one of a pair must yet go: moment since it entered, limb, and way.
    fn push(&self, pair: &Together, own: usize) -> Vec<(usize, usize, Vec3)> {
        let (who, other) = (pair.who[own], pair.who[1 - own]);
        let mut pushes = Vec::new();
        // The way out that each limb took a moment ago.
        let mut ways: [Option<Vec3>; 4] = [None; 4];
        for tick in pair.ticks.clone() {
            let [at, at_other] = [who, other].map(|who| tick - self.grid.present[who].start);
            let t = self.grid.time(tick);
            if self.bans[who].meets(t..t) || !self.can_touch((who, at), (other, at_other)) {
                ways = [None; 4];
                continue;
            }
            let (mine, others) = (self.at(who, at), self.at(other, at_other));
            let (striking, striking_other) = (self.striking[who][at], self.striking[other][at_other]);
            for idx in 0..LimbOf::ALL.len() {
                // Legs that do not kick have to stand.
                if matches!(LimbOf::ALL[idx], LimbOf::Leg(_)) && !striking[idx] {
                    ways[idx] = None;
                    continue;
                }
                let mut longest = Vec3::ZERO;
                for (part, _) in mine.iter().zip(&self.limbs[who]).filter(|(_, limb)| **limb == Some(idx)) {
                    for (obstacle, limb) in others.iter().zip(&self.limbs[other]) {
                        let push = push_out(part, obstacle, ways[idx]);
                        let share = match limb {
                            // A blow ends at what it meets; what is met holds.
                            Some(_) if striking[idx] => 1.0,
                            Some(limb) if striking_other[*limb] => 0.0,
                            Some(_) => 0.5,
                            None => 1.0,
                        };
                        if share * push.length() > longest.length() {
                            longest = share * push;
                        }
                    }
                }
                ways[idx] = longest.try_normalize();
                if ways[idx].is_some() {
                    pushes.push((at, idx, longest));
                }
            }
        }
        pushes
    }

    /// Whether any limb that could be pushed is near enough to the middle of the other.
    fn can_touch(&self, (who, at): (usize, usize), (other, at_other): (usize, usize)) -> bool {
        /// No part of a body is farther from its first capsule, the hips (m); and no limb has been moved farther.
        const REACH: f32 = 1.4;
        let Some(middle) = self.solids[other][at_other].first() else { return false };
        let limbs = self.solids[who][at].iter().zip(&self.limbs[who]).filter(|(_, limb)| limb.is_some());
        limbs.map(|(solid, _)| solid.axis[1].distance_squared(middle.axis[0])).any(|d2| d2 < REACH * REACH)
    }

    /// A character's volume at a moment since it entered, moved as far as its limbs have been.
    fn at(&self, who: usize, at: usize) -> Vec<Solid> {
        /// How much of the way of the wrist the elbow goes.
        const MIDDLE: f32 = 0.4;
        let offsets = self.offsets[who][at];
        let moved = |(solid, limb): (&Solid, &Option<usize>)| {
            let Some(limb) = limb else { return *solid };
            match solid.bone.on(Side::Left) {
                Bone::LeftLowerArm | Bone::LeftLowerLeg => {
                    let [middle, end] = solid.axis;
                    Solid { axis: [middle + MIDDLE * offsets[*limb], end + offsets[*limb]], ..*solid }
                }
                _ => solid.moved(offsets[*limb]),
            }
        };
        self.solids[who][at].iter().zip(&self.limbs[who]).map(moved).collect()
    }
}

/// The moments, since it entered, at which each limb of a character is about to strike or has just struck.
fn striking(strikes: &[Strike], who: usize, grid: &Grid) -> Vec<[bool; 4]> {
    let present = &grid.present[who];
    let mut striking = vec![[false; 4]; present.len()];
    for strike in strikes.iter().filter(|strike| strike.who == who) {
        let idx = LimbOf::ALL.into_iter().position(|limb| limb == strike.limb);
        let first = libm::ceil((strike.t - STRIKING) * grid.fps).max(present.start as f64) as usize;
        let last = libm::floor((strike.t + STRIKING) * grid.fps) as usize;
        for at in (first..=last).filter(|tick| present.contains(tick)).map(|tick| tick - present.start) {
            idx.into_iter().for_each(|idx| striking[at][idx] = true);
        }
    }
    striking
}

/// The way of a part out of an obstacle; zero if it is not inside. A part that went through the middle leaves the way
/// it came.
fn push_out(part: &Solid, obstacle: &Solid, before: Option<Vec3>) -> Vec3 {
    /// Cosine between the ways out of two moments below which the part went through.
    const TURNED: f32 = 0.2;
    if !part.may_meet(obstacle) {
        return Vec3::ZERO;
    }
    let nearest = part.nearest(obstacle);
    if nearest.gap > -TOUCH {
        return Vec3::ZERO;
    }
    let out = nearest.between.normalize_or(before.unwrap_or(Vec3::Y));
    let way = before.filter(|before| before.dot(out) < TURNED).unwrap_or(out);
    way * (nearest.radii - LEFT - nearest.between.dot(way)).max(0.0)
}
