//! Exploring what two people get into: samples for the graph, found without asking what anybody wants.
//!
//! Reference: \[Shum2008b\], section 5.3. The motion tree is expanded from starting pairings; of the actions that can be
//! launched in each, those with the highest J1 + J2 are followed further, and all are kept.
//! Differs from the paper: J1, the number of edges that lead back into the archive, is estimated from some of the
//! actions that could follow, without their blows. Actions that nobody would plausibly do are not launched. What is
//! worth following waits in a pool, from all of which each round takes its share, so that no corner is explored to its
//! end before another is begun.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

use randori_motion::ActionId;
use rayon::prelude::*;

use crate::duel::Duel;
use crate::interaction::Interaction;
use crate::manner::Manners;
use crate::pairing::{Pairing, Place, SIGMA_ANGLE, SIGMA_DISTANCE};

/// How like two pairings of equal Next and M_b are that count as one; M_b as in [`Pairing`]'s manner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// The square root of [`unlikeness`](crate::pairing::unlikeness) (-): 0.2 is 10 cm or 6 degrees.
    pub unlike: f32,
    /// How much longer or shorter the rest of M_b may be (ticks).
    pub frames: u16,
}

impl Default for Tolerance {
    fn default() -> Tolerance {
        Tolerance { unlike: 0.6, frames: 6 }
    }
}

/// How far to explore.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampling {
    /// Stops at this many samples.
    pub most: usize,
    /// Stops when a round brings fewer new samples than this share of what it explored (-).
    pub least_new: f32,
    /// The share of the actions of a pairing that is followed further (-).
    pub share: f32,
    /// Pairings expanded in a round.
    pub width: usize,
    /// Actions tried to estimate J1.
    pub probes: usize,
    /// What one interaction of J2 counts against one edge of J1 (-).
    pub interaction: f32,
    /// How far apart people stand where exploring starts (m).
    pub distances: Vec<f32>,
}

impl Default for Sampling {
    fn default() -> Sampling {
        Sampling {
            most: 270_000,
            least_new: 0.02,
            share: 0.3,
            width: 512,
            probes: 8,
            interaction: 10.0,
            distances: vec![0.7, 1.0, 1.4, 2.0, 2.6],
        }
    }
}

/// Everything that was explored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Archive {
    /// Where exploring started.
    pub starts: Vec<Pairing>,
    /// No two of them are alike.
    pub samples: Vec<Pairing>,
    /// What each round brought.
    pub rounds: Vec<Round>,
}

/// A round of exploring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Round {
    /// Pairings expanded.
    pub expanded: usize,
    /// Actions played.
    pub explored: usize,
    /// Samples that were new.
    pub new: usize,
}

/// Explores until one of the two rules stops it. `step` is told how many samples there are, and how many at most.
///
/// The same for any number of threads, and for any reward: there is none here.
pub fn explore(
    duel: &Duel,
    interaction: &dyn Interaction,
    tolerance: Tolerance,
    settings: &Sampling,
    step: &dyn Fn(usize, usize),
) -> Archive {
    let mut exploration = Exploration::begin(duel, tolerance, settings);
    let mut explorer = Explorer::of(duel, interaction, tolerance, settings, &exploration);
    while explorer.round(&mut exploration) {
        step(exploration.archive.samples.len(), settings.most);
    }
    exploration.archive
}

/// Exploring that may be left after any round, and taken up again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exploration {
    /// What was found so far.
    pub archive: Archive,
    /// What is worth following and was not yet.
    pub(crate) pool: Vec<Pairing>,
    /// One of the rules has stopped it.
    pub(crate) is_over: bool,
}

impl Exploration {
    /// Where exploring starts.
    pub fn begin(duel: &Duel, tolerance: Tolerance, settings: &Sampling) -> Exploration {
        let grid = Grid::of(duel, tolerance);
        let mut known = Cells::default();
        let mut archive = Archive { starts: duel.openings(&settings.distances), ..Archive::default() };
        archive.samples = archive.starts.iter().filter(|it| known.insert(grid.cell(it))).copied().collect();
        Exploration { pool: archive.samples.clone(), archive, is_over: false }
    }
}

/// Whoever explores.
pub(crate) struct Explorer<'a> {
    duel: &'a Duel,
    interaction: &'a dyn Interaction,
    settings: &'a Sampling,
    grid: Grid<'a>,
    known: Cells,
}

impl<'a> Explorer<'a> {
    /// Takes up what was explored before.
    pub(crate) fn of(
        duel: &'a Duel,
        interaction: &'a dyn Interaction,
        tolerance: Tolerance,
        settings: &'a Sampling,
        exploration: &Exploration,
    ) -> Explorer<'a> {
        let grid = Grid::of(duel, tolerance);
        // Every sample is the first of its cell, and no cell is known without one.
        let known = exploration.archive.samples.iter().map(|sample| grid.cell(sample)).collect();
        Explorer { duel, interaction, settings, grid, known }
    }

    /// One more round; `false` if there is none, because one of the rules has stopped it.
    pub(crate) fn round(&mut self, exploration: &mut Exploration) -> bool {
        let Explorer { duel, interaction, settings, ref grid, ref mut known } = *self;
        let Exploration { archive, pool, is_over } = exploration;
        *is_over = *is_over || pool.is_empty() || archive.samples.len() >= settings.most;
        if *is_over {
            return false;
        }
        let chosen = take_spread(pool, settings.width.max(1));
        let mut families: Vec<Vec<Child>> =
            chosen.par_iter().map(|pairing| expand(duel, interaction, pairing)).collect();
        let before = archive.samples.len();
        let explored = families.iter().map(Vec::len).sum();
        for child in families.iter_mut().flatten() {
            child.is_new = archive.samples.len() < settings.most && known.insert(grid.cell(&child.pairing));
            if child.is_new {
                archive.samples.push(child.pairing);
            }
        }
        let best: Vec<Vec<Pairing>> =
            families.into_par_iter().map(|family| best_of(duel, grid, known, family, settings)).collect();
        pool.extend(best.into_iter().flatten());
        let new = archive.samples.len() - before;
        archive.rounds.push(Round { expanded: chosen.len(), explored, new });
        *is_over = (new as f32) < settings.least_new * explored as f32;
        true
    }
}

/// Something that was explored.
struct Child {
    pairing: Pairing,
    amount: f32,
    is_new: bool,
}

/// All that somebody can do in a pairing.
fn expand(duel: &Duel, interaction: &dyn Interaction, pairing: &Pairing) -> Vec<Child> {
    let Some(moment) = duel.moment(pairing) else { return Vec::new() };
    let mut choices = Vec::new();
    duel.choices(&moment, &mut choices);
    let child = |action: &ActionId| {
        let (doing, outcome) = duel.play(&moment, *action);
        let amount = interaction.amount(duel.stage(), &moment, &doing, &outcome)?;
        let next = duel.consequence(&moment, &doing, &outcome).next?;
        Some(Child { pairing: next, amount, is_new: false })
    };
    choices.iter().filter_map(child).collect()
}

/// Those of the best share of a family that are new, by J1 + J2.
fn best_of(
    duel: &Duel,
    grid: &Grid<'_>,
    known: &Cells,
    family: Vec<Child>,
    settings: &Sampling,
) -> Vec<Pairing> {
    let followed = (family.len() as f32 * settings.share).ceil() as usize;
    let mut scored: Vec<(f32, Pairing)> = (family.into_iter().filter(|child| child.is_new))
        .map(|child| {
            let edges = connectivity(duel, grid, known, &child.pairing, settings.probes);
            (edges + settings.interaction * child.amount, child.pairing)
        })
        .collect();
    // Stable: of equals, the first launched.
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.into_iter().take(followed).map(|(_, pairing)| pairing).collect()
}

/// J1: how many edges lead from a pairing into the archive, from a few actions spread over all that may follow.
fn connectivity(duel: &Duel, grid: &Grid<'_>, known: &Cells, pairing: &Pairing, probes: usize) -> f32 {
    let options = duel.options(pairing.node);
    let probes = probes.min(options.len());
    if probes == 0 {
        return 0.0;
    }
    let leads_back = |probe: usize| {
        let action = options[probe * options.len() / probes].id;
        duel.guess(pairing, action).is_some_and(|next| known.contains(&grid.cell(&next)))
    };
    let found = (0..probes).filter(|probe| leads_back(*probe)).count();
    found as f32 * options.len() as f32 / probes as f32
}

/// Takes up to so many, spread evenly over a pool; the others stay, in order.
fn take_spread(pool: &mut Vec<Pairing>, most: usize) -> Vec<Pairing> {
    let (n, taken) = (pool.len(), most.min(pool.len()));
    let mut chosen = Vec::with_capacity(taken);
    let mut at = 0;
    pool.retain(|pairing| {
        let is_chosen = (at + 1) * taken / n > at * taken / n;
        at += 1;
        if is_chosen {
            chosen.push(*pairing);
        }
        !is_chosen
    });
    chosen
}

/// Cells within which two pairings are alike.
pub(crate) struct Grid<'a> {
    manners: &'a Manners,
    window: u16,
    /// Widths of a cell (m), (rad).
    distance: f32,
    angle: f32,
}

impl Grid<'_> {
    pub(crate) fn of(duel: &Duel, tolerance: Tolerance) -> Grid<'_> {
        // The diagonal of a cell is the tolerance, and none is so small that the number of a cell does not fit.
        let share = tolerance.unlike.max(0.05) / libm::sqrtf(3.0);
        Grid {
            manners: duel.manners(),
            window: 2 * tolerance.frames + 1,
            distance: share * SIGMA_DISTANCE,
            angle: share * SIGMA_ANGLE,
        }
    }

    /// The cell that a pairing is in, by a number: no two have the same.
    fn cell(&self, pairing: &Pairing) -> u64 {
        let (manner, rest) = self.manners.rest(pairing.theirs, pairing.frame, pairing.is_spent);
        let relation = Place::of(pairing, rest).relation();
        let angle = |angle: f32| (angle / self.angle + 512.0) as u64 & 1023;
        let mut cell = u64::from(pairing.node.0) * u64::from(self.manners.n) + u64::from(manner);
        cell = cell << 9 | u64::from(rest / self.window) & 511;
        cell = cell << 9 | (relation.distance / self.distance) as u64 & 511;
        cell << 20 | angle(relation.own) << 10 | angle(relation.other)
    }

    /// The group of equal discrete parts that a pairing belongs to.
    pub(crate) fn group(&self, pairing: &Pairing) -> u64 {
        self.cell(pairing) >> 29
    }
}

type Cells = HashSet<u64, BuildHasherDefault<Mixed>>;

/// Numbers of cells are spread well enough by one multiplication.
#[derive(Default)]
pub(crate) struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        let mixed = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 29);
    }
}
