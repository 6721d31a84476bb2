//! Torsos and heads that are not inside each other: the hips give way, the feet stay.

use glam::Vec3;
use randori_motion::{Bone, Character};
use rayon::prelude::*;

use super::Ban;
use super::figure::{Change, Figure};
use super::geometry::{Solid, along_floor, core};
use super::grid::{Grid, Together};
use super::shape::envelope;

/// Cores this deep in each other are in touch, not inside (m).
const TOUCH: f32 = 0.02;
/// How deep they are left (m).
const LEFT: f32 = 0.01;
/// Cores of people whose hips are farther apart along the floor do not meet (m).
const NEAR: f32 = 1.4;
/// The hips begin to give way this long before they must (s), and as long after.
const HOLD: f32 = 0.15;
const SIGMA: f32 = 0.08;
const ROUNDS: usize = 4;

/// The changes that part the cores of all characters, one list per character; none for those who stay.
pub(super) fn plan(
    characters: &[Character],
    figures: &[Figure],
    grid: &Grid,
    farthest: f32,
    bans: &[Ban],
) -> Vec<Option<Vec<Change>>> {
    let pairs = grid.pairs(NEAR);
    let involved: Vec<bool> =
        (0..characters.len()).map(|who| pairs.iter().any(|pair| pair.who.contains(&who))).collect();
    let cores: Vec<Vec<Vec<Solid>>> = (characters.par_iter().enumerate())
        .map(|(who, character)| {
            if !involved[who] || figures[who].skeleton.bone(Bone::Hips).is_none() {
                return Vec::new();
            }
            let globals = |globals: &_| core(&character.body, &figures[who].skeleton, globals);
            grid.sample(who, character, globals)
        })
        .collect();
    let mut shifts: Vec<Vec<Vec3>> = cores.iter().map(|frames| vec![Vec3::ZERO; frames.len()]).collect();
    for _ in 0..ROUNDS {
        let required: Vec<[Vec<(usize, Vec3)>; 2]> =
            pairs.par_iter().map(|pair| part(pair, &cores, &shifts, grid, bans)).collect();
        let mut wanted: Vec<Vec<Vec3>> = shifts.iter().map(|frames| vec![Vec3::ZERO; frames.len()]).collect();
        let mut any = false;
        for (pair, required) in pairs.iter().zip(required) {
            for (who, required) in pair.who.into_iter().zip(required) {
                for (at, shift) in required {
                    wanted[who][at] += shift;
                    any = true;
                }
            }
        }
        if !any {
            break;
        }
        for (shift, wanted) in shifts.iter_mut().zip(wanted) {
            if wanted.iter().any(|wanted| *wanted != Vec3::ZERO) {
                let more = envelope(&wanted, grid.fps as f32, HOLD, SIGMA);
                shift.iter_mut().zip(more).for_each(|(shift, more)| {
                    *shift = (*shift + more).clamp_length_max(farthest);
                });
            }
        }
    }
    (characters.par_iter().enumerate())
        .map(|(who, character)| {
            if shifts[who].iter().all(|shift| *shift == Vec3::ZERO) {
                return None;
            }
            let hips = grid.onto(who, character, &shifts[who]);
            let mut changes: Vec<Change> =
                hips.into_iter().map(|hips| Change { hips, ..Change::default() }).collect();
            figures[who].give_way(&character.clip, &mut changes);
            Some(changes)
        })
        .collect()
}

/// How far each of a pair must yet go in the frames in which their cores meet; frames count from when each enters.
fn part(
    pair: &Together,
    cores: &[Vec<Vec<Solid>>],
    shifts: &[Vec<Vec3>],
    grid: &Grid,
    bans: &[Ban],
) -> [Vec<(usize, Vec3)>; 2] {
    let mut required = [Vec::new(), Vec::new()];
    for tick in pair.ticks.clone() {
        let at = pair.who.map(|who| tick - grid.present[who].start);
        let [Some(first), Some(second)] = [0, 1].map(|k| cores[pair.who[k]].get(at[k])) else { continue };
        let t = grid.time(tick);
        let fixed = pair.who.map(|who| bans[who].meets(t..t));
        if fixed == [true; 2] {
            continue;
        }
        let apart = shifts[pair.who[0]][at[0]] - shifts[pair.who[1]][at[1]];
        let hips = first[0].axis[0] - second[0].axis[0] + apart;
        let way = parting(first, second, apart, hips);
        if way == Vec3::ZERO {
            continue;
        }
        let shares = match fixed {
            [true, _] => [0.0, 1.0],
            [_, true] => [1.0, 0.0],
            _ => [0.5, 0.5],
        };
        required[0].push((at[0], way * shares[0]));
        required[1].push((at[1], -way * shares[1]));
    }
    required
}

/// The level shift of the first, itself shifted by `apart`, that brings it out of the second.
fn parting(first: &[Solid], second: &[Solid], apart: Vec3, hips: Vec3) -> Vec3 {
    let mut longest = Vec3::ZERO;
    for mine in first.iter().map(|solid| solid.moved(apart)) {
        for other in second {
            if !mine.may_meet(other) {
                continue;
            }
            let nearest = mine.nearest(other);
            if nearest.gap > -TOUCH {
                continue;
            }
            let level = |vector: Vec3| Vec3::new(vector.x, 0.0, vector.z);
            // One above the other: away from each other's hips.
            let way = if along_floor(nearest.between) > 0.3 * nearest.between.length() {
                level(nearest.between)
            } else {
                level(hips)
            };
            let way = way.normalize_or(Vec3::X);
            // |between + s way| = distance, for the s that is not behind.
            let distance = nearest.radii - LEFT;
            let along = nearest.between.dot(way);
            let left = distance * distance - nearest.between.length_squared() + along * along;
            let shift = way * (left.max(0.0).sqrt() - along);
            if shift.length() > longest.length() {
                longest = shift;
            }
        }
    }
    longest
}
