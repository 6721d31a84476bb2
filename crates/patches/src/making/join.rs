//! Which patches can be joined: all pairs, by posture, by what is shared, and by whether the others keep out of each
//! other's way.
//!
//! Reference: \[Shum2008\], sections 3.1 and 3.2.
//! Differs from the paper: bodies are tested by trunk and head, after circles around all that somebody does; and two who
//! go on together may stand a little differently from how the next patch begins.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use randori_arena::bodies::{Bodies, Doing, Rigid};
use randori_arena::stage::Pair;
use randori_motion::math::wrap_angle;
use randori_motion::{Ground, Placement};
use rayon::prelude::*;

use super::{Phase, Progress};
use crate::patch::{Initial, Patch, Role, Stint};
use crate::set::PatchId;
use crate::tables::{Manner, Overlap, Rejoin, Tables, row_width};

/// How much two who go on together may differ from how the next patch begins: half a step of the samples, so that every
/// place is near one of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// (m).
    pub distance: f32,
    /// (rad).
    pub angle: f32,
    /// (ticks).
    pub delay: i32,
}

impl Default for Tolerance {
    fn default() -> Tolerance {
        Tolerance { distance: 0.1, angle: 10.0_f32.to_radians(), delay: 3 }
    }
}

impl Tolerance {
    /// Whether two conditions are near enough.
    pub fn covers(&self, a: &Initial, b: &Initial) -> bool {
        (a.delay - b.delay).abs() <= self.delay
            && (a.distance - b.distance).abs() <= self.distance
            && (0..2).all(|role| wrap_angle(a.angles[role] - b.angles[role]).abs() <= self.angle)
    }
}

/// All tables of a list of patches. The same for any number of threads.
pub fn tables(bodies: &Bodies, patches: &[Patch], tolerance: &Tolerance, progress: Progress<'_>) -> Tables {
    let outlines: Vec<[Outline; 2]> =
        patches.par_iter().map(|patch| Role::BOTH.map(|role| Outline::of(bodies, patch, role))).collect();
    let all = All { bodies, patches, outlines: &outlines };
    let done = AtomicUsize::new(0);
    let index = Index::of(patches);
    let rows: Vec<Row> = (0..patches.len())
        .into_par_iter()
        .map(|at| {
            let row = Row {
                rejoins: all.rejoins(&index, at, tolerance),
                relays: all.relays(&index, at),
                overlaps: all.overlaps(&index, at),
            };
            progress(Phase::Tables, done.fetch_add(1, Ordering::Relaxed) + 1, patches.len());
            row
        })
        .collect();
    let mut tables = Tables { n_patches: patches.len(), ..Tables::default() };
    let mut overlaps: Vec<Vec<Overlap>> = vec![Vec::new(); patches.len()];
    tables.rejoin_starts.push(0);
    for (at, row) in rows.into_iter().enumerate() {
        tables.rejoins.extend(row.rejoins);
        tables.rejoin_starts.push(tables.rejoins.len() as u32);
        tables.relays.extend(row.relays);
        // Found from one side, told by both.
        for found in row.overlaps {
            overlaps[found.with.idx()].push(seen_by_the_other(at, &found));
            overlaps[at].push(found);
        }
    }
    tables.overlap_starts.push(0);
    for mut row in overlaps {
        row.sort_unstable();
        tables.overlaps.extend(row);
        tables.overlap_starts.push(tables.overlaps.len() as u32);
    }
    tables
}

struct Row {
    rejoins: Vec<Rejoin>,
    relays: Vec<u64>,
    overlaps: Vec<Overlap>,
}

fn seen_by_the_other(at: usize, found: &Overlap) -> Overlap {
    Overlap {
        own: found.theirs,
        with: PatchId(at as u32),
        theirs: found.own,
        begins: -found.begins,
        manner: match found.manner {
            Manner::Ends => Manner::Starts,
            Manner::Starts => Manner::Ends,
            Manner::Inside => Manner::Inside,
        },
    }
}

/// What one of two does, in the frame of the patch, with a circle around all of it.
struct Outline {
    doings: Vec<(i32, Doing)>,
    end: i32,
    falls: bool,
    from: Rigid,
    to: Rigid,
    center: Ground,
    radius: f32,
}

impl Outline {
    fn of(bodies: &Bodies, patch: &Patch, role: Role) -> Outline {
        let lines = patch.of(role);
        let doings = lines.doings(bodies, Rigid::of(Placement::default()), 0);
        let mut places: Vec<(Ground, f32)> = Vec::new();
        for (at, (start, doing)) in doings.iter().enumerate() {
            let end = doings.get(at + 1).map_or(lines.end(), |(next, _)| *next);
            places.extend(
                (*start..=end).map(|tick| (doing.position(bodies, tick), doing.stance(bodies, tick).lean)),
            );
        }
        let bound = |of: &dyn Fn(&Ground) -> f32| {
            let all = places.iter().map(|(place, _)| of(place));
            all.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), it| (low.min(it), high.max(it)))
        };
        let ((x0, x1), (z0, z1)) = (bound(&|place| place.x), bound(&|place| place.z));
        let center = Ground { x: 0.5 * (x0 + x1), z: 0.5 * (z0 + z1) };
        let radius = places.iter().map(|(place, lean)| center.distance(*place) + lean).fold(0.0, f32::max);
        Outline {
            doings,
            end: lines.end(),
            falls: lines.falls,
            from: Rigid::of(lines.from),
            to: Rigid::of(lines.to),
            center,
            radius,
        }
    }

    fn start(&self) -> i32 {
        self.doings.first().map_or(0, |(start, _)| *start)
    }

    /// What is done from which tick to which; the last is held up to `until`.
    fn spans(&self, until: i32) -> impl Iterator<Item = (std::ops::Range<i32>, &Doing)> {
        let end = self.end.max(until);
        self.doings.iter().enumerate().map(move |(at, (start, doing))| {
            (*start..self.doings.get(at + 1).map_or(end, |(next, _)| *next), doing)
        })
    }
}

/// Patches by what they begin with.
struct Index {
    /// By entry node and role: those of a node are a list of patches.
    by_node: BTreeMap<(u32, Role), Vec<u32>>,
    /// By the entry nodes of both.
    by_nodes: BTreeMap<[u32; 2], Vec<u32>>,
    /// By the first action and the frames of it that are left out.
    by_action: BTreeMap<(u32, u16), Vec<(u32, Role)>>,
}

impl Index {
    fn of(patches: &[Patch]) -> Index {
        let mut index =
            Index { by_node: BTreeMap::new(), by_nodes: BTreeMap::new(), by_action: BTreeMap::new() };
        for (at, patch) in patches.iter().enumerate() {
            let at = at as u32;
            for role in Role::BOTH {
                let lines = patch.of(role);
                if let Some(node) = lines.entry {
                    index.by_node.entry((node.0, role)).or_default().push(at);
                }
                if let Some(stint) = lines.stints.first() {
                    index.by_action.entry((stint.action.0, stint.skipped)).or_default().push((at, role));
                }
            }
            if let [Some(first), Some(second)] = patch.lines.each_ref().map(|lines| lines.entry) {
                index.by_nodes.entry([first.0, second.0]).or_default().push(at);
            }
        }
        index
    }
}

struct All<'a> {
    bodies: &'a Bodies,
    patches: &'a [Patch],
    outlines: &'a [[Outline; 2]],
}

impl All<'_> {
    /// Both go on in another patch.
    fn rejoins(&self, index: &Index, at: usize, tolerance: &Tolerance) -> Vec<Rejoin> {
        let patch = &self.patches[at];
        let [Some(first), Some(second)] = patch.lines.each_ref().map(|lines| lines.exit) else {
            return Vec::new();
        };
        let ends = patch.final_condition();
        let mut found = Vec::new();
        for (is_swapped, nodes, ends) in
            [(false, [first.0, second.0], ends), (true, [second.0, first.0], ends.swapped())]
        {
            for to in index.by_nodes.get(&nodes).into_iter().flatten() {
                if tolerance.covers(&ends, &self.patches[*to as usize].initial) {
                    found.push(Rejoin { to: PatchId(*to), is_swapped });
                }
            }
        }
        found.sort_unstable();
        found
    }

    /// One goes on with somebody else; whoever is left stays out of the newcomer's way.
    fn relays(&self, index: &Index, at: usize) -> Vec<u64> {
        let width = row_width(self.patches.len());
        let mut rows = vec![0_u64; 4 * width];
        for role in Role::BOTH {
            let Some(node) = self.patches[at].of(role).exit else { continue };
            let own = &self.outlines[at][role.idx()];
            let leaver = &self.outlines[at][role.other().idx()];
            for as_role in Role::BOTH {
                let row = &mut rows[(role.idx() * 2 + as_role.idx()) * width..][..width];
                for to in index.by_node.get(&(node.0, as_role)).into_iter().flatten() {
                    let there = &self.outlines[*to as usize];
                    let (theirs, newcomer) = (&there[as_role.idx()], &there[as_role.other().idx()]);
                    let own_from_other = own.to.then(theirs.from.inverse());
                    let begins = own.end - theirs.start();
                    if !self.collide(leaver, newcomer, &own_from_other, begins, [true, false]) {
                        row[*to as usize / 64] |= 1 << (to % 64);
                    }
                }
            }
        }
        rows
    }

    /// Patches that begin with what somebody does here.
    fn overlaps(&self, index: &Index, at: usize) -> Vec<Overlap> {
        let mut found = Vec::new();
        for role in Role::BOTH {
            let own = &self.patches[at].of(role).stints;
            for (k, stint) in own.iter().enumerate() {
                let same = index.by_action.get(&(stint.action.0, stint.skipped));
                for (with, theirs) in same.into_iter().flatten() {
                    let other = &self.patches[*with as usize].of(*theirs).stints;
                    // Those that begin together are found from both sides.
                    if k == 0 && (*with as usize, *theirs) <= (at, role) {
                        continue;
                    }
                    let Some(manner) = manner(&own[k..], other, k) else { continue };
                    let Ok(begins) = i16::try_from(stint.start - other[0].start) else { continue };
                    let here = &self.outlines[at][role.idx()];
                    let (start, doing) = here.doings[k];
                    let there = &self.outlines[*with as usize];
                    let own_from_other =
                        doing.root(self.bodies, start).then(there[theirs.idx()].from.inverse());
                    let others = [&self.outlines[at][role.other().idx()], &there[theirs.other().idx()]];
                    let stay = [others[0].falls, others[1].falls];
                    if !self.collide(others[0], others[1], &own_from_other, i32::from(begins), stay) {
                        let with = PatchId(*with);
                        found.push(Overlap { own: role, with, theirs: *theirs, begins, manner });
                    }
                }
            }
        }
        found
    }

    /// Whether two get into each other; the other one's clock begins at a tick of the own one, and `stay` tells who is still
    /// there after the end.
    fn collide(
        &self,
        own: &Outline,
        other: &Outline,
        own_from_other: &Rigid,
        begins: i32,
        stay: [bool; 2],
    ) -> bool {
        let there = own_from_other.ground(other.center);
        let (x, z, near) = (there.x - own.center.x, there.z - own.center.z, own.radius + other.radius);
        if x * x + z * z > near * near {
            return false;
        }
        let last = own.end.max(other.end + begins);
        let until = |stays: bool| if stays { last } else { i32::MIN };
        for (ticks, doing) in other.spans(until(stay[1]).saturating_sub(begins)) {
            let moved = Doing {
                action: doing.action,
                start: doing.start + begins,
                world_from_take: own_from_other.then(doing.world_from_take),
            };
            for (own_ticks, own_doing) in own.spans(until(stay[0])) {
                let common = own_ticks.start.max(ticks.start + begins)..own_ticks.end.min(ticks.end + begins);
                if common.is_empty() {
                    continue;
                }
                let pair = Pair::of(self.bodies, own_doing, self.bodies, &moved);
                if pair.is_deeper(common, TOUCHING) {
                    return true;
                }
            }
        }
        false
    }
}

/// Trunks and heads of people who have nothing to do with each other do not touch: how deep they may be in each other (m).
const TOUCHING: f32 = 0.0;

/// What somebody shares who does these things in one patch from some place on, and those from the start in another.
fn manner(own: &[Stint], other: &[Stint], k: usize) -> Option<Manner> {
    let is_same =
        |(a, b): (&Stint, &Stint)| (a.action, a.skipped, a.length) == (b.action, b.skipped, b.length);
    if !own.iter().zip(other).all(is_same) {
        return None;
    }
    Some(if other.len() <= own.len() || k == 0 { Manner::Inside } else { Manner::Ends })
}
