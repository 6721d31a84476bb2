//! How many choices the graph allows and how many are plausible, over all nodes of the trees that are searched.
//!
//! Reference: \[Shum2012\], table V. Its protocol: ten minutes of interactions with trees of three levels.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use randori_arena::controller::{Controller, Situation, Verdict};
use randori_arena::objectives::Judge;
use randori_arena::plausible::{Choice, Screening, plausible};
use randori_arena::stage::Moment;
use randori_gametree::{Bounds, Edge, Player, Promise, Settings, Workspace, World, search};

use crate::game::Game;

/// Choices counted so far; the same for any number of threads.
#[derive(Debug, Default)]
pub struct Census {
    nodes: AtomicU64,
    options: AtomicU64,
    left: AtomicU64,
    /// Left out by each criterion, the most important first.
    out: [AtomicU64; 4],
}

/// What choices are left out for, the most important first.
pub const CRITERIA: [&str; 4] = ["body penetration", "facing", "out of range", "illogical"];

impl Census {
    /// Nodes expanded.
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    /// Choices of a node before pruning, on average; 0 without nodes.
    pub fn before(&self) -> f64 {
        self.options.load(Ordering::Relaxed) as f64 / self.nodes().max(1) as f64
    }

    /// Choices of a node after pruning, on average; 0 without nodes.
    pub fn after(&self) -> f64 {
        self.left.load(Ordering::Relaxed) as f64 / self.nodes().max(1) as f64
    }

    /// The share of choices that are left out (-).
    pub fn pruned(&self) -> f64 {
        let options = self.options.load(Ordering::Relaxed);
        1.0 - self.left.load(Ordering::Relaxed) as f64 / options.max(1) as f64
    }

    /// The share of choices that each of the [`CRITERIA`] leaves out (-); one that fails several counts for the most
    /// important one that it was asked about.
    pub fn pruned_by(&self) -> [f64; 4] {
        let options = self.options.load(Ordering::Relaxed).max(1) as f64;
        std::array::from_fn(|criterion| self.out[criterion].load(Ordering::Relaxed) as f64 / options)
    }
}

/// A planner that counts the choices of all nodes that its searches expand.
#[derive(Debug, Default)]
pub struct Counting {
    /// How far and by which rule it plans.
    pub settings: Settings,
    /// Where it counts.
    pub census: Arc<Census>,
    workspace: Workspace<Choice>,
}

impl Counting {
    /// A planner with these settings that counts here.
    pub fn new(settings: Settings, census: Arc<Census>) -> Counting {
        Counting { settings, census, workspace: Workspace::default() }
    }
}

impl Controller for Counting {
    fn decide(&mut self, situation: &Situation<'_>) -> Option<Verdict> {
        let Situation { stage, moment, aims, who, .. } = *situation;
        let judge = Judge::of(stage, aims);
        let game = Game { stage, judge: &judge, side: stage.cast[who].side };
        let counted = Counted { game, census: &self.census };
        let decision = search(&counted, moment, &self.settings, &mut self.workspace);
        let (_, screening) = situation.choices();
        let edges = decision.statistics.edges;
        Some(Verdict { action: decision.choice?.action, screening, candidates: Vec::new(), edges })
    }
}

/// A game whose choices are counted.
struct Counted<'a> {
    game: Game<'a>,
    census: &'a Census,
}

impl Counted<'_> {
    /// Counts the choices of a node.
    fn count(&self, moment: &Moment) {
        let Game { stage, judge, .. } = self.game;
        let Some(who) = stage.turn(moment) else { return };
        let aims = judge.aims(who);
        let limits = (&aims.plausibility, aims.opponent);
        let screening = plausible(stage, moment, who, limits, &mut Vec::new());
        self.census.nodes.fetch_add(1, Ordering::Relaxed);
        self.census.options.fetch_add(u64::from(screening.options), Ordering::Relaxed);
        self.census.left.fetch_add(u64::from(screening.left), Ordering::Relaxed);
        let Screening { penetrating, turned_away, out_of_range, illogical, .. } = screening;
        for (sum, n) in self.census.out.iter().zip([penetrating, turned_away, out_of_range, illogical]) {
            sum.fetch_add(u64::from(n), Ordering::Relaxed);
        }
    }
}

impl World for Counted<'_> {
    type State = Moment;
    type Choice = Choice;

    fn turn(&self, moment: &Moment) -> Option<Player> {
        self.game.turn(moment)
    }

    fn choices(&self, moment: &Moment, out: &mut Vec<Choice>) {
        self.game.choices(moment, out);
        self.count(moment);
    }

    fn promising(&self, moment: &Moment, above: f64, out: &mut Vec<Promise<Choice>>) -> bool {
        let is_known = self.game.promising(moment, above, out);
        if is_known {
            self.count(moment);
        }
        is_known
    }

    fn prospects(&self, moment: &Moment, choices: &[Choice], left: u8, out: &mut Vec<f64>) -> bool {
        self.game.prospects(moment, choices, left, out)
    }

    fn offers(&self, moment: &Moment, choice: Choice) -> Option<(Choice, u32)> {
        self.game.offers(moment, choice)
    }

    fn setting(&self, moment: &Moment) -> u32 {
        self.game.setting(moment)
    }

    fn play(&self, moment: &Moment, choice: Choice) -> (Moment, Edge) {
        self.game.play(moment, choice)
    }

    fn play_last(&self, moment: &Moment, choice: Choice) -> Edge {
        self.game.play_last(moment, choice)
    }

    fn habit(&self, moment: &Moment, choices: &[Choice], out: &mut Vec<f64>) -> bool {
        self.game.habit(moment, choices, out)
    }

    fn bounds(&self, moment: &Moment, left: u8) -> Bounds {
        self.game.bounds(moment, left)
    }

    fn key(&self, moment: &Moment) -> Option<u64> {
        self.game.key(moment)
    }
}
