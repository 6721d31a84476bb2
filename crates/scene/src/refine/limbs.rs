//! Arms, and legs that kick, that do not go through the other: a blow ends at the surface it meets.

use std::ops::Range;

use glam::Vec3;
use randori_motion::contacts::runs;
use randori_motion::tracks::smoothed;
use randori_motion::{Bone, Character, Side, Take};
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
const NEAR: f32 = 1.8;
/// How long before and after its blow a limb counts as striking (s).
const STRIKING: f64 = 0.3;
/// Width of the Gaussian that smooths what is required (s).
const SIGMA: f32 = 0.025;
const ROUNDS: usize = 8;

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
    let solids = solids(characters, grid, &pairs);
    let mut offsets: Vec<Vec<PerLimb>> =
        solids.iter().map(|frames| vec![PerLimb::default(); frames.len()]).collect();
    let limbs: Vec<Vec<Option<usize>>> = characters.iter().map(limbs_of).collect();
    let striking: Vec<Vec<[bool; 4]>> =
        (0..characters.len()).map(|who| striking(strikes, who, grid)).collect();
    for round in 0..ROUNDS {
        let bodies = Bodies {
            solids: &solids,
            offsets: &offsets,
            grid,
            striking: &striking,
            limbs: &limbs,
            bans,
            is_first: round == 0,
        };
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

/// The volumes of all who are near another, from when they enter.
pub(super) fn solids(characters: &[Character], grid: &Grid, pairs: &[Together]) -> Vec<Vec<Vec<Solid>>> {
    (characters.par_iter().enumerate())
        .map(|(who, character)| {
            if !pairs.iter().any(|pair| pair.who.contains(&who)) {
                return Vec::new();
            }
            let capsules = &character.body.capsules;
            grid.sample(who, character, |globals| {
                capsules.iter().map(|capsule| Solid::of(capsule, globals)).collect()
            })
        })
        .collect()
}

/// How deep arms are in the other, for every pair that is near (m).
pub(super) struct Arms {
    grid: Grid,
    pairs: Vec<(Together, Vec<f32>)>,
}

impl Arms {
    pub(super) fn of(take: &Take, fps: f64) -> Arms {
        let characters = &take.characters;
        let grid = Grid::new(characters, fps);
        let pairs = grid.pairs(NEAR);
        let solids = solids(characters, &grid, &pairs);
        let limbs: Vec<Vec<Option<usize>>> = characters.iter().map(limbs_of).collect();
        let depth = |pair: &Together, tick: usize| {
            let [a, b] = pair.who.map(|who| &solids[who][tick - grid.present[who].start]);
            deepest((a, &limbs[pair.who[0]]), b).max(deepest((b, &limbs[pair.who[1]]), a))
        };
        let of_pair = |pair: Together| {
            let depths = pair.ticks.clone().map(|tick| depth(&pair, tick)).collect();
            (pair, depths)
        };
        let pairs = pairs.into_par_iter().map(of_pair).collect();
        Arms { grid, pairs }
    }

    /// How long an arm of one of two was clearly inside the other (s).
    pub(super) fn seconds_inside(&self, who: [Option<usize>; 2]) -> f64 {
        /// What is clearly inside (m).
        const INSIDE: f32 = 0.03;
        let of_pair = self.pairs.iter().filter(|(pair, _)| pair.who.map(Some) == who);
        let n_inside = of_pair.flat_map(|(_, depths)| depths).filter(|depth| **depth > INSIDE).count();
        n_inside as f64 / self.grid.fps
    }

    /// Who is deeper in another in `after`, and when (s): at that moment and, all in all, around it.
    pub(super) fn worse(&self, after: &Arms) -> Vec<(usize, Range<f64>)> {
        /// What counts as deeper (m).
        const DEEPER: f32 = 0.01;
        /// How far around is (s).
        const AROUND: f64 = 0.2;
        let grid = &self.grid;
        let half = (AROUND * grid.fps) as usize;
        let mut found = Vec::new();
        for ((pair, before), (same, after)) in self.pairs.iter().zip(&after.pairs) {
            let excess = |depths: &[f32]| -> Vec<f32> {
                depths.iter().map(|depth| (depth - TOUCH).max(0.0)).collect()
            };
            let (before, after) = (excess(before), excess(after));
            let around = |depths: &[f32], at: usize| -> f32 {
                depths[at.saturating_sub(half)..(at + half + 1).min(depths.len())].iter().sum()
            };
            let is_worse =
                |at: usize| after[at] > before[at] + DEEPER && around(&after, at) > around(&before, at);
            let worse: Vec<bool> = (0..before.len().min(after.len())).map(is_worse).collect();
            for run in runs(&worse, true).into_iter().filter(|_| pair == same) {
                let span = grid.time(pair.ticks.start + run.start)..grid.time(pair.ticks.start + run.end);
                found.extend(pair.who.map(|who| (who, span.clone())));
            }
        }
        found
    }
}

/// How deep the arms of one body are in another (m).
fn deepest((own, limbs): (&[Solid], &[Option<usize>]), other: &[Solid]) -> f32 {
    let is_arm = |limb: &Option<usize>| limb.is_some_and(|idx| matches!(LimbOf::ALL[idx], LimbOf::Arm(_)));
    let arms = own.iter().zip(limbs).filter(|(_, limb)| is_arm(limb));
    arms.flat_map(|(part, _)| other.iter().filter(|it| part.may_meet(it)).map(|it| -part.nearest(it).gap))
        .fold(0.0, f32::max)
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
    /// Whether nothing has been moved yet.
    is_first: bool,
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

    /// Whether a limb of the first is so near to the other, or either has been moved, that it must be looked at closely.
    fn can_touch(&self, (who, at): (usize, usize), (other, at_other): (usize, usize)) -> bool {
        let is_moved = |who: usize, at: usize| self.offsets[who][at] != PerLimb::default();
        if is_moved(who, at) || is_moved(other, at_other) {
            return true;
        }
        // What did not meet in the first round and was not moved does not meet later.
        self.is_first && {
            let others = &self.solids[other][at_other];
            let limbs = self.solids[who][at].iter().zip(&self.limbs[who]).filter(|(_, limb)| limb.is_some());
            limbs.into_iter().any(|(part, _)| others.iter().any(|obstacle| part.may_meet(obstacle)))
        }
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
