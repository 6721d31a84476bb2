//! Playing on the graph: the controller that looks up what to do.
//!
//! A decision finds the state that two people are in and reads what is best there; it allocates nothing. Where there is
//! no such state, because they are far apart or in something rare, a plain rule moves the person to where the graph
//! begins.
//!
//! Reference: \[Shum2008b\], sections 7.1 and 8.

mod command;
mod free;
mod looking;
mod many;
mod roulette;

use std::sync::Arc;

use randori_arena::controller::{Controller, Situation, Verdict};
use randori_arena::objectives::Aims;
use randori_arena::plausible::Screening;
use randori_motion::{ActionId, ActionLibrary};

pub use command::{Command, Commander};
pub use looking::{PLIES, WIDTHS};
pub use roulette::Roulette;

use crate::background::{Coming, Matchup, Plan, Policies};
use crate::graph::{DEFENCE, Graph, SPARE, StateId};
use crate::pairing::Pairing;
use crate::reward::{Reward, Turn};
use looking::{Rooms, Threat, View};

/// Somebody who plays on a graph.
///
/// ```no_run
/// # use std::sync::Arc;
/// # use randori_arena::bout::{Bout, Pause};
/// # fn game(graph: randori_interaction_graph::Graph, library: randori_motion::ActionLibrary, mut bout: Bout) {
/// use randori_interaction_graph::Player;
/// use randori_interaction_graph::background::Policies;
/// let policies = Arc::new(Policies::of(Arc::new(graph), Arc::new(library)));
/// bout.control(1, Box::new(Player::new(&policies, 5)));
/// // The loop of a game: sixty times a second.
/// for frame in 1..=600 {
///     while let Pause::Decision(who) = bout.advance(frame) {
///         bout.decide(who);
///     }
///     // … show `bout.moment` …
/// }
/// # }
/// ```
#[derive(Debug)]
pub struct Player {
    /// Choices looked ahead: 1 is weak, 5 is strong; may be changed at any time.
    pub depth: usize,
    /// What a person asks for, who plays: the best action of that sort is done.
    pub command: Option<Command>,
    /// Chance, instead of always the best.
    pub roulette: Option<Roulette>,
    /// How much is looked at from where people really are.
    pub looks: Looks,
    /// Found on the graph, and asked for in all.
    pub lookups: [u64; 2],
    policies: Arc<Policies>,
    plan: Option<(Matchup, Arc<Plan>)>,
    coming: Option<Coming>,
    rooms: Rooms,
}

/// How much of a decision is looked at from where people really are, instead of being read off the graph. Whoever looks
/// `depth` choices ahead looks at no more than half of them one by one, the first included; the others are the tables'. The
/// work is bounded by [`WIDTHS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Looks {
    /// Nothing: for many, and where a microsecond matters.
    Table,
    /// What one might do, and what own blows and the opponent's meet.
    Once,
    /// The same, and what is best then for whoever decides next.
    Twice,
    /// The same, and what is best after that.
    Thrice,
}

/// How long a new style is made ready before it takes effect (ticks).
const MADE_READY: i32 = 20;

/// A state that is no more unlike than this says better what to do than a plain rule (-).
const USEFUL: f32 = 1.5;

/// How much of what somebody did still takes away from doing it again.
const REMEMBERED: usize = 8;

impl Player {
    /// Somebody who looks so many choices ahead.
    pub fn new(policies: &Arc<Policies>, depth: usize) -> Player {
        Player {
            depth,
            command: None,
            roulette: None,
            looks: Looks::Thrice,
            lookups: [0; 2],
            policies: Arc::clone(policies),
            plan: None,
            coming: None,
            rooms: Rooms::default(),
        }
    }

    /// The plan for what both are after now. A change of style is made ready while play goes on with the old one, and
    /// takes effect a third of a second later.
    fn plan(&mut self, wanted: Matchup, tick: i32) -> Arc<Plan> {
        let Some((known, plan)) = &self.plan else {
            let plan = self.policies.get(&wanted);
            self.plan = Some((wanted, Arc::clone(&plan)));
            return plan;
        };
        if *known == wanted {
            return Arc::clone(plan);
        }
        let plan = Arc::clone(plan);
        if self.coming.as_ref().is_none_or(|coming| *coming.matchup() != wanted) {
            // A thread whose result nobody wants any more finishes by itself.
            self.coming = Some(Coming::new(&self.policies, wanted, tick + MADE_READY));
        }
        match self.coming.take_if(|coming| coming.is_due(tick)).and_then(Coming::wait) {
            Some(plan) => {
                self.plan = Some((wanted, Arc::clone(&plan)));
                plan
            }
            None => plan,
        }
    }

    /// The best action in a state, by the tables alone.
    fn read_off(&mut self, plan: &Plan, state: StateId, situation: &Situation<'_>) -> Option<ActionId> {
        let Situation { stage, moment, aims, who, .. } = *situation;
        let policies = Arc::clone(&self.policies);
        let (graph, repertoire) = (&**policies.graph(), policies.repertoire());
        let range = graph.range(state);
        let worn = Worn { words: &repertoire.words, aims: &aims[who] };
        let (actions, targets) = (&graph.edges.actions, &graph.edges.targets);
        let threat = Threat::of(stage, moment, &aims[who], (who, aims[who].opponent));
        let action = |at: usize| ActionId(u32::from(actions[at]));
        let (depth, command) = (self.depth, self.command);
        if command.is_none() && self.roulette.is_none() {
            let best = match threat {
                Threat::None => plan.policy.best_of(state, depth, false),
                Threat::Misses => None,
                Threat::Lands => plan.policy.best_of(state, depth, true),
            };
            let best = range.start + best.unwrap_or_else(|| plan.policy.best(state, depth));
            if worn.of(actions[best]) == 0.0 {
                return Some(action(best));
            }
        }
        let base = plan.reward.of_state(graph, state, Turn::Own);
        let fresh = |at: usize| {
            let own = plan.reward.of_edge(&base, actions[at], &graph.edges.facts(at), Turn::Own);
            own + plan.policy.ahead(Turn::Own, targets[at], depth)
        };
        let is_asked = |at: &usize| command.is_none_or(|command| repertoire.is(actions[*at], command));
        if let Some(roulette) = &mut self.roulette {
            let is_one = |at: &usize| is_asked(at) && (command.is_some() || targets[*at] & SPARE == 0);
            let worth = |at: usize| fresh(at) - worn.of(actions[at]);
            return roulette.spin(state, range.filter(is_one), worth, |at| actions[at]).map(action);
        }
        // What answers the opponent as things stand; if nothing does, whatever the state has.
        let answers = |at: &usize| threat.is_answered_by(targets[*at] & DEFENCE != 0);
        let is_any = !range.clone().any(|at| is_asked(&at) && answers(&at));
        let mut best: Option<(f32, usize)> = None;
        for at in range.filter(|at| is_asked(at) && (is_any || answers(at))) {
            let fresh = fresh(at);
            if best.is_none_or(|(most, _)| fresh + worn.most() > most) {
                let worth = fresh - worn.of(actions[at]);
                if best.is_none_or(|(most, _)| worth > most) {
                    best = Some((worth, at));
                }
            }
        }
        best.map(|(_, at)| action(at))
    }

    /// The best action from where people really are.
    fn look(&mut self, plan: &Plan, state: StateId, situation: &Situation<'_>) -> Option<ActionId> {
        let Situation { stage, moment, aims, who, .. } = *situation;
        let repertoire = self.policies.repertoire();
        let worn = Worn { words: &repertoire.words, aims: &aims[who] };
        let command = self.command;
        let asked = |action: ActionId| {
            let action = action.0 as u16;
            let is_asked = command.is_none_or(|command| repertoire.is(action, command));
            is_asked.then(|| worn.of(action))
        };
        if stage.cast.len() != 2 {
            return many::best((plan, self.policies.graph()), state, situation, self.depth, asked);
        }
        let plies = (self.looks as usize).min(self.depth.div_ceil(2)).max(1);
        let pair = [who, aims[who].opponent];
        let beyond = self.depth.saturating_sub(plies);
        let view = View { plan, graph: self.policies.graph(), stage, aims, pair, beyond };
        view.best(moment, plies, asked, &mut self.rooms)
    }
}

impl Controller for Player {
    fn decide(&mut self, situation: &Situation<'_>) -> Option<Verdict> {
        let Situation { stage, moment, aims, who, .. } = *situation;
        let own = &aims[who];
        let whom = own.opponent;
        let options = stage.options(moment, who).len() as u32;
        let known = |who: usize| is_same(stage.cast[who].bodies.library(), self.policies.library());
        self.lookups[1] += 1;
        self.rooms.weighed = 0;
        let mut action = None;
        if whom != who && known(who) && known(whom) {
            let matchup = Matchup { own: own.style, other: aims[whom].style, depth: self.depth };
            let plan = self.plan(matchup, moment.tick);
            let bodies = [&*stage.cast[who].bodies, &*stage.cast[whom].bodies];
            let pairing = Pairing::of(moment, who, whom, bodies);
            let graph = Arc::clone(self.policies.graph());
            let found = graph.find(&pairing);
            self.lookups[0] += u64::from(found.is_some());
            let useful = || graph.nearest(&pairing).filter(|found| found.unlike <= USEFUL);
            if let Some(found) = found.or_else(useful) {
                action = if self.looks == Looks::Table || self.roulette.is_some() {
                    self.read_off(&plan, found.state, situation)
                } else {
                    self.look(&plan, found.state, situation)
                };
            }
        }
        let action = action.or_else(|| free::step(situation, self.policies.repertoire(), self.command))?;
        let screening = Screening { options, left: options, ..Screening::default() };
        Some(Verdict { action, screening, candidates: Vec::new(), edges: self.rooms.weighed })
    }
}

/// Whether it is the library that a graph is for; its fingerprint was looked at when the two were brought together.
fn is_same(library: &Arc<ActionLibrary>, known: &Arc<ActionLibrary>) -> bool {
    Arc::ptr_eq(library, known)
        || (library.actions().len() == known.actions().len()
            && library.n_nodes() == known.n_nodes()
            && library.name == known.name)
}

/// What having done something lately takes away, as in [`objectives`](randori_arena::objectives).
struct Worn<'a> {
    words: &'a [u16],
    aims: &'a Aims,
}

impl Worn<'_> {
    /// The most that any action is worth more for having been done lately: nothing, unless somebody likes to repeat things.
    fn most(&self) -> f32 {
        -2.0 * self.aims.style.recency_weight.min(0.0) as f32
    }

    fn of(&self, action: u16) -> f32 {
        let words = self.words;
        let (mut sum, mut weight) = (0.0, self.aims.style.recency_weight as f32);
        for done in self.aims.done.iter().rev().take(REMEMBERED) {
            if done.0 == u32::from(action) {
                sum += weight;
            } else if words.get(done.idx()) == Some(&words[action as usize]) {
                sum += 0.5 * weight;
            }
            weight *= 0.5;
        }
        sum
    }
}

/// What the actions of a library are, by their numbers.
#[derive(Clone, Debug)]
pub(crate) struct Repertoire {
    /// The number of each action's annotation.
    pub(crate) words: Vec<u16>,
    /// The commands that each answers, a bit for each.
    commands: Vec<u8>,
}

impl Repertoire {
    pub(crate) fn of(library: &ActionLibrary) -> Repertoire {
        let mut names: Vec<&str> = Vec::new();
        let words = library.actions().iter().map(|action| {
            let name = action.annotation.name();
            names.iter().position(|known| *known == name).unwrap_or_else(|| {
                names.push(name);
                names.len() - 1
            }) as u16
        });
        let words = words.collect();
        let commands = library.actions().iter().map(|action| {
            let answers = |command: &Command| command.is_answered_by(&action.annotation);
            let bits = Command::ALL.iter().filter(|it| answers(it)).map(|it| 1 << *it as u8);
            bits.fold(0, |all, bit: u8| all | bit)
        });
        Repertoire { words, commands: commands.collect() }
    }

    /// Whether an action is what a command asks for.
    pub(crate) fn is(&self, action: u16, command: Command) -> bool {
        self.commands[action as usize] & 1 << command as u8 != 0
    }
}

impl Graph {
    /// How a game looks up what to do without an arena: the best edge of the state that a pairing is in.
    pub fn advise(&self, plan: &Plan, pairing: &Pairing, depth: usize) -> Option<ActionId> {
        let found = self.find(pairing)?;
        let at = self.range(found.state).start + plan.policy.best(found.state, depth);
        Some(ActionId(u32::from(self.edges.actions[at])))
    }
}
