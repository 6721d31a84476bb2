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
    for _ in 0..ROUNDS {
        let bodies = Bodies { solids: &solids, offsets: &offsets, grid, strikes, bans };
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
    strikes: &'a [Strike],
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
            let t = self.grid.time(tick);
            let (mine, others) = (self.at(who, tick), self.at(other, tick));
            for (idx, limb) in LimbOf::ALL.into_iter().enumerate() {
                let strikes = self.is_striking(who, limb, t);
                if matches!(limb, LimbOf::Leg(_)) && !strikes || self.bans[who].meets(t..t) {
                    ways[idx] = None;
                    continue;
                }
                let parts = mine.iter().filter(|solid| belongs(solid.bone, limb));
                let mut deepest: Option<Vec3> = None;
                for part in parts {
                    for obstacle in &others {
                        let share = self.share(other, obstacle.bone, t, strikes);
                        let push = push_out(part, obstacle, ways[idx]) * share;
                        if push.length() > deepest.map_or(0.0, Vec3::length) {
                            deepest = Some(push);
                        }
                    }
                }
                ways[idx] = deepest.map(Vec3::normalize_or_zero);
                if let Some(push) = deepest {
                    pushes.push((tick - self.grid.present[who].start, idx, push));
                }
            }
        }
        pushes
    }

    /// What a limb gives way to a bone of the other: all of it to the trunk, half to another limb, nothing to a limb
    /// that strikes; and a limb that strikes gives way to all.
    fn share(&self, other: usize, bone: Bone, t: f64, strikes: bool) -> f32 {
        match LimbOf::with(bone) {
            Some(_) if strikes => 1.0,
            Some(limb) if self.is_striking(other, limb, t) => 0.0,
            Some(LimbOf::Arm(_)) => 0.5,
            _ => 1.0,
        }
    }

    fn is_striking(&self, who: usize, limb: LimbOf, t: f64) -> bool {
        (self.strikes.iter()).any(|it| it.who == who && it.limb == limb && (it.t - t).abs() < STRIKING)
    }

    /// A character's volume at a moment, moved as far as its limbs have been.
    fn at(&self, who: usize, tick: usize) -> Vec<Solid> {
        /// How much of the way of the wrist the elbow goes.
        const MIDDLE: f32 = 0.4;
        let at = tick - self.grid.present[who].start;
        let offsets = self.offsets[who][at];
        let moved = |solid: &Solid| {
            let Some(idx) = LimbOf::ALL.into_iter().position(|limb| belongs(solid.bone, limb)) else {
                return *solid;
            };
            match solid.bone.on(Side::Left) {
                Bone::LeftLowerArm | Bone::LeftLowerLeg => {
                    let [middle, end] = solid.axis;
                    Solid { axis: [middle + MIDDLE * offsets[idx], end + offsets[idx]], ..*solid }
                }
                _ => solid.moved(offsets[idx]),
            }
        };
        self.solids[who][at].iter().map(moved).collect()
    }
}

/// Whether a bone is part of a limb from its middle on.
fn belongs(bone: Bone, limb: LimbOf) -> bool {
    LimbOf::with(bone) == Some(limb)
}

/// The way of a part out of an obstacle; zero if it is not inside. A part that went through the middle leaves the way
/// it came.
fn push_out(part: &Solid, obstacle: &Solid, before: Option<Vec3>) -> Vec3 {
    /// Cosine between the ways out of two moments below which the part went through.
    const TURNED: f32 = 0.2;
    let nearest = part.nearest(obstacle);
    if nearest.gap > -TOUCH {
        return Vec3::ZERO;
    }
    let out = nearest.between.normalize_or(before.unwrap_or(Vec3::Y));
    let way = before.filter(|before| before.dot(out) < TURNED).unwrap_or(out);
    way * (nearest.radii - LEFT - nearest.between.dot(way)).max(0.0)
}
