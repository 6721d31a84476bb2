//! Making patches: sampling, expanding, judging; and the tables of what can be joined.
//!
//! Reference: \[Shum2008\], sections 2.2, 2.3 and 3.

mod exchange;
mod expand;
mod join;
mod sample;
mod score;
mod touch;
mod troupe;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use randori_arena::bodies::Bodies;
use randori_motion::library::Fingerprint;
use rayon::prelude::*;

pub use join::{Tolerance, tables};

use crate::patch::{Patch, Role};
use crate::pattern::{Pattern, matches};
use crate::set::Patches;
use exchange::Exchange;
use expand::Tree;
use sample::Grid;
use troupe::Troupe;

/// Why a series of actions is no patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Discard {
    /// The two stand too close when one of them starts something.
    TooClose,
    /// Actions do not start in the order of the pattern.
    Order,
    /// Nothing that the pattern has next may follow in the graph.
    NoAction,
    /// Bodies get into each other.
    Collision,
    /// Somebody is struck who should not be.
    Struck,
    /// A touch that the pattern needs does not happen, or is too weak; an attack goes nowhere near whoever avoids it.
    NoContact,
    /// There is no reaction to the touch.
    NoReaction,
    /// Not good enough.
    Score,
    /// Like another one.
    Duplicate,
    /// Good, but there are enough.
    Surplus,
}

impl Discard {
    /// All of them.
    pub const ALL: [Discard; 10] = [
        Discard::TooClose,
        Discard::Order,
        Discard::NoAction,
        Discard::Collision,
        Discard::Struck,
        Discard::NoContact,
        Discard::NoReaction,
        Discard::Score,
        Discard::Duplicate,
        Discard::Surplus,
    ];

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Discard::TooClose => "too close",
            Discard::Order => "order of starts",
            Discard::NoAction => "nothing may follow",
            Discard::Collision => "collision",
            Discard::Struck => "struck against the pattern",
            Discard::NoContact => "no contact",
            Discard::NoReaction => "no reaction",
            Discard::Score => "score",
            Discard::Duplicate => "duplicate",
            Discard::Surplus => "surplus",
        }
    }
}

/// How many were discarded for which reason.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Discards([u64; Discard::ALL.len()]);

impl Discards {
    /// How many for this reason.
    pub fn of(&self, discard: Discard) -> u64 {
        self.0[discard as usize]
    }

    /// How many for any reason.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    fn add(&mut self, discard: Discard) {
        self.0[discard as usize] += 1;
    }

    fn absorb(&mut self, other: &Discards) {
        for (sum, more) in self.0.iter_mut().zip(other.0) {
            *sum += more;
        }
    }
}

impl fmt::Display for Discards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut reasons: Vec<Discard> = Discard::ALL.into_iter().filter(|it| self.of(*it) > 0).collect();
        reasons.sort_by_key(|it| (std::cmp::Reverse(self.of(*it)), *it));
        let said: Vec<String> = reasons.iter().map(|it| format!("{} {}", self.of(*it), it.name())).collect();
        f.write_str(&said.join(", "))
    }
}

/// What came of one pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// The pattern's name.
    pub pattern: String,
    /// Initial conditions that there are.
    pub conditions: usize,
    /// Initial conditions that were tried.
    pub samples: usize,
    /// Patches kept.
    pub kept: usize,
    /// What was discarded.
    pub discards: Discards,
}

/// Why a pattern cannot be satisfied.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Why {
    /// The library has no such action.
    #[error("no action of the library {library} is called {word:?}; it has {known}")]
    NoAction {
        /// The library.
        library: String,
        /// The word.
        word: String,
        /// What the library has.
        known: String,
    },
    /// The first actions of both make sense in no common initial condition.
    #[error(
        "{what}: the first one's action asks for {first:?}, the second one's for {second:?}, which have nothing in common"
    )]
    EmptyRange {
        /// Of what.
        what: &'static str,
        /// From and to.
        first: [f32; 2],
        /// From and to.
        second: [f32; 2],
    },
    /// Somebody has nothing to do.
    #[error("a pattern has steps of 1 and of 2; this one has none of {0}")]
    OneAlone(u8),
    /// Everything that was tried was discarded.
    #[error("all {tried} attempts from {samples} initial conditions were discarded: {discards}")]
    AllDiscarded {
        /// How many series of actions.
        tried: u64,
        /// From how many initial conditions.
        samples: usize,
        /// By which rule.
        discards: Box<Discards>,
    },
}

/// Patches cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MakeError {
    /// A pattern cannot be satisfied.
    #[error("pattern {pattern:?}: {why}")]
    Pattern {
        /// Its name.
        pattern: String,
        /// Why.
        why: Why,
    },
    /// No patterns, or more than a file can number.
    #[error("expected 1 to 65535 patterns, found {0}")]
    Count(usize),
}

/// What is told while patches are made: what is done of the patterns, or of the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Initial conditions of a pattern.
    Patterns,
    /// Rows of the tables.
    Tables,
}

/// Is told how much of a phase is done, and of how much.
pub type Progress<'a> = &'a (dyn Fn(Phase, usize, usize) + Sync);

/// Makes patches of patterns, with their tables; and tells what came of each pattern.
///
/// The same for any number of threads.
pub fn make(
    bodies: &Arc<Bodies>,
    patterns: &[Pattern],
    tolerance: &Tolerance,
    seed: u64,
    progress: Progress<'_>,
) -> Result<(Patches, Vec<Made>), MakeError> {
    if patterns.is_empty() || patterns.len() > usize::from(u16::MAX) {
        return Err(MakeError::Count(patterns.len()));
    }
    let plans: Vec<Plan> = patterns
        .iter()
        .map(|pattern| Plan::of(bodies, pattern).map_err(|why| told(pattern, why)))
        .collect::<Result<_, _>>()?;
    let troupe = Troupe::of(bodies, patterns);
    let total: usize = plans.iter().map(Plan::n_samples).sum();
    let done = AtomicUsize::new(0);
    let step = || progress(Phase::Patterns, done.fetch_add(1, Ordering::Relaxed) + 1, total);
    let (mut patches, mut reports) = (Vec::new(), Vec::new());
    for (number, (pattern, plan)) in patterns.iter().zip(&plans).enumerate() {
        let (found, made) = one(&troupe, pattern, number as u16, plan, seed, &step);
        if found.is_empty() {
            let Made { samples, discards, .. } = made;
            let why = Why::AllDiscarded { tried: discards.total(), samples, discards: Box::new(discards) };
            return Err(told(pattern, why));
        }
        patches.extend(found);
        reports.push(made);
    }
    let tables = tables(bodies, &patches, tolerance, progress);
    let library = Fingerprint::of(bodies.library());
    Ok((Patches::new(library, patterns.to_vec(), patches, tables), reports))
}

fn told(pattern: &Pattern, why: Why) -> MakeError {
    MakeError::Pattern { pattern: pattern.name.clone(), why }
}

/// Where the patches of a pattern are looked for.
enum Plan {
    /// In these of so many initial conditions.
    Sampled(usize, Vec<crate::Initial>),
    /// In pairs of what giver and receiver do.
    Exchanged(Exchange, usize),
}

impl Plan {
    fn of(bodies: &Bodies, pattern: &Pattern) -> Result<Plan, Why> {
        let library = bodies.library();
        for role in Role::BOTH {
            pattern.first_of(role).ok_or(Why::OneAlone(role.idx() as u8 + 1))?;
        }
        for step in &pattern.steps {
            if !library.actions().iter().any(|action| matches(&step.word, &action.annotation)) {
                let mut known: Vec<&str> =
                    library.actions().iter().map(|action| action.annotation.stem()).collect();
                known.sort_unstable();
                known.dedup();
                let (library, word) = (library.name.clone(), step.word.clone());
                return Err(Why::NoAction { library, word, known: known.join(", ") });
            }
        }
        if let Some(exchange) = Exchange::of(bodies, pattern) {
            return Ok(Plan::Exchanged(exchange, pattern.sampling.samples));
        }
        let grid = Grid::of(library, pattern)?;
        Ok(Plan::Sampled(grid.len(), grid.spread(pattern.sampling.samples)))
    }

    fn n_samples(&self) -> usize {
        match self {
            Plan::Sampled(_, initials) => initials.len(),
            Plan::Exchanged(_, n) => *n,
        }
    }
}

/// The patches of one pattern.
fn one(
    troupe: &Troupe,
    pattern: &Pattern,
    number: u16,
    plan: &Plan,
    seed: u64,
    step: &(dyn Fn() + Sync),
) -> (Vec<Patch>, Made) {
    let seed = seed ^ u64::from(number) << 32;
    let found: Vec<(Vec<Patch>, Discards)> = (0..plan.n_samples())
        .into_par_iter()
        .map(|sample| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(sample as u64);
            let mut discards = Discards::default();
            let found = match plan {
                Plan::Sampled(_, initials) => {
                    let tree = Tree { troupe, pattern, number, initial: initials[sample] };
                    tree.grow(&mut rng, &mut discards)
                }
                Plan::Exchanged(exchange, _) => {
                    let made = exchange.attempt(&troupe.bodies, pattern, number, &mut rng);
                    made.map_err(|discard| discards.add(discard)).into_iter().collect()
                }
            };
            step();
            (found, discards)
        })
        .collect();
    let mut discards = Discards::default();
    let mut all = Vec::new();
    for (patches, more) in found {
        all.extend(patches);
        discards.absorb(&more);
    }
    // Everything that is handed over is to be handed over in as many ways.
    let series = |patch: &Patch| match plan {
        Plan::Sampled(..) => all_actions(patch),
        Plan::Exchanged(..) => actions_of_contact(patch),
    };
    let kept = choose(all, pattern.sampling.most, &series, &mut discards);
    let conditions = match plan {
        Plan::Sampled(conditions, _) => *conditions,
        Plan::Exchanged(_, n) => *n,
    };
    let (samples, pattern) = (plan.n_samples(), pattern.name.clone());
    let made = Made { pattern, conditions, samples, kept: kept.len(), discards };
    (kept, made)
}

/// All actions of a patch, and the frames of each that are left out.
fn all_actions(patch: &Patch) -> Vec<(u32, u16)> {
    let lines = patch.lines.iter().flat_map(|lines| &lines.stints);
    lines.map(|stint| (stint.action.0, stint.skipped)).collect()
}

/// What both do when they first touch.
fn actions_of_contact(patch: &Patch) -> Vec<(u32, u16)> {
    let tick = patch.contacts.first().map_or(0, |contact| contact.tick);
    let stints = patch.lines.iter().filter_map(|lines| lines.stint_at(tick));
    stints.map(|stint| (stint.action.0, stint.skipped)).collect()
}

/// The best of each series of actions, then the second best of each, and so on, without doubles.
fn choose(
    all: Vec<Patch>,
    most: usize,
    key: &dyn Fn(&Patch) -> Vec<(u32, u16)>,
    discards: &mut Discards,
) -> Vec<Patch> {
    let mut groups: BTreeMap<Vec<(u32, u16)>, Vec<Patch>> = BTreeMap::new();
    for patch in all {
        let group = groups.entry(key(&patch)).or_default();
        if group.iter().any(|known| known.lines == patch.lines) {
            discards.add(Discard::Duplicate);
        } else {
            group.push(patch);
        }
    }
    let mut ranked: Vec<(usize, Patch)> = Vec::new();
    for mut group in groups.into_values() {
        group.sort_by(|a, b| b.score.total_cmp(&a.score));
        ranked.extend(group.into_iter().enumerate());
    }
    ranked.sort_by(|(rank, a), (other, b)| rank.cmp(other).then(b.score.total_cmp(&a.score)));
    for _ in most..ranked.len() {
        discards.add(Discard::Surplus);
    }
    ranked.truncate(most);
    ranked.into_iter().map(|(_, patch)| patch).collect()
}
