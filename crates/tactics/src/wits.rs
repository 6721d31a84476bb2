//! A controller that is unpredictable on purpose: it draws from the mixed policy of tag.
//!
//! People of a library decide one after the other, whenever an action is over, and not both every quarter of a second. So
//! the matrix has a column for each plausible action of one's own, and a row for each that the other may go on with when
//! theirs is over; an entry is what the distance costs until the own action is over, what a catch on the way is worth, and the
//! learned value of tag where both are then.
//!
//! Reference: \[Wampler2010\], sections 5 and 8.1.

use std::sync::Arc;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use randori_arena::bodies::{Bodies, Doing, TICKS_PER_SECOND};
use randori_arena::controller::{Controller, Situation, Verdict};
use randori_equilibrium::basis::SparseRow;
use randori_equilibrium::matrix::{PayoffMatrix, Workspace, solve};
use randori_motion::ActionId;
use randori_motion::annotation::Kind;
use randori_motion::parametric::State;
use randori_rivals::game::LOOK_AHEAD;
use randori_rivals::{Game, Relation, Rules, Values};

/// Tag with what its situations are worth.
#[derive(Clone, Debug)]
pub struct Taught {
    /// The game.
    pub game: Game,
    /// What situations are worth.
    pub values: Values,
}

/// Somebody who draws from the mixed policy.
pub struct Wits {
    taught: Arc<Taught>,
    chance: ChaCha8Rng,
    workspace: Workspace,
    scratch: SparseRow,
    payoff: Vec<f64>,
}

/// What somebody does in the time of a decision: first one action, then another.
type Course = [Doing; 2];

/// No more of the other's actions are looked at, spread over all of them.
const MOST_ROWS: usize = 24;

impl Wits {
    /// Somebody who knows what situations are worth; chance is that of the seed.
    pub fn new(taught: Arc<Taught>, seed: u64) -> Wits {
        Wits {
            taught,
            chance: ChaCha8Rng::seed_from_u64(seed),
            workspace: Workspace::default(),
            scratch: SparseRow::default(),
            payoff: Vec::new(),
        }
    }

    /// What two courses until `to` are worth to the one who chases.
    fn worth(&mut self, bodies: [&Bodies; 2], courses: [&Course; 2], [from, to]: [i32; 2]) -> f64 {
        let Taught { game, values } = &*self.taught;
        let Rules::Tag(rules) = &game.rules else { return 0.0 };
        let at = |side: usize, tick: i32| {
            let [now, then] = courses[side];
            if tick < now.end(bodies[side]) { now } else { then }
        };
        let relation = |tick: i32| {
            let [chaser, runner] = [0, 1].map(|side| at(side, tick).placement(bodies[side], tick));
            Relation::of(chaser, runner)
        };
        let decision = LOOK_AHEAD * f64::from(TICKS_PER_SECOND);
        let mut sum = 0.0;
        for tick in from + 1..=to {
            let weight = libm::pow(game.discount, f64::from(tick - from) / decision);
            let distance = relation(tick).distance();
            sum -= weight * rules.apart * distance / decision;
            // A hand is out at the peak of an attack.
            let attack = at(0, tick);
            let its = bodies[0].of_action(attack.action);
            if its.kind == Kind::Attack && attack.frame(bodies[0], tick) == its.peak && tick > attack.start {
                let dodges = bodies[1].of_action(at(1, tick).action).kind == Kind::Defence;
                let off = (distance - f64::from(its.reach)).max(0.0) / rules.reach;
                let caught = libm::exp(-off * off) * if dodges { rules.dodged } else { 1.0 };
                sum += weight * rules.hands * caught;
            }
        }
        let states = [0, 1].map(|side| alike(game, side, bodies[side], at(side, to), to));
        let after = values.value(game, relation(to), states, &mut self.scratch);
        sum + libm::pow(game.discount, f64::from(to - from) / decision) * after
    }
}

impl Controller for Wits {
    fn decide(&mut self, situation: &Situation<'_>) -> Option<Verdict> {
        let Situation { stage, moment, aims, who, .. } = *situation;
        let (choices, screening) = situation.choices();
        let other = aims[who].opponent;
        let (first, now) = (*choices.first()?, moment.tick);
        let [own, its] = [who, other].map(|it| &*stage.cast[it].bodies);
        if other == who || !moment.people[other].is_present {
            return Some(Verdict { action: first, screening, candidates: Vec::new(), edges: 0 });
        }
        let chases = aims[who].style.short_damage_weight > 0.0 || aims[who].style.long_damage_weight > 0.0;
        let columns: Vec<Doing> = choices.iter().map(|id| stage.begin(moment, who, *id)).collect();
        let rows = courses(its, &moment.people[other].doing);
        self.payoff.clear();
        for row in &rows {
            for column in &columns {
                let (course, times) = ([*column; 2], [now, column.end(own).max(now + 1)]);
                let worth = if chases {
                    self.worth([own, its], [&course, row], times)
                } else {
                    -self.worth([its, own], [row, &course], times)
                };
                self.payoff.push(worth);
            }
        }
        let payoff = PayoffMatrix::new(rows.len(), columns.len(), &self.payoff).ok()?;
        let solution = solve(payoff, &mut self.workspace);
        let mut left: f64 = self.chance.random();
        let drawn = solution.agent.iter().position(|probability| {
            left -= probability;
            left < 0.0
        });
        let action = drawn.and_then(|at| choices.get(at)).copied().unwrap_or(first);
        let edges = (rows.len() * columns.len()) as u64;
        Some(Verdict { action, screening, candidates: Vec::new(), edges })
    }
}

/// What somebody may do from now on: goes on, and then does any of what may follow.
fn courses(bodies: &Bodies, doing: &Doing) -> Vec<Course> {
    let ends = doing.end(bodies);
    let here = doing.root(bodies, ends);
    let all: Vec<ActionId> = bodies.options(doing.action).iter().map(|option| option.id).collect();
    let step = all.len().div_ceil(MOST_ROWS).max(1);
    let then = |id: &ActionId| [*doing, Doing::begin(bodies, *id, ends, 0, here)];
    let mut courses: Vec<Course> = all.iter().step_by(step).map(then).collect();
    if courses.is_empty() {
        courses.push([*doing; 2]);
    }
    courses
}

/// Speeds from which on somebody runs, and sprints (m/s).
const RUNS: f32 = 1.9;
const SPRINTS: f32 = 4.2;

/// The state of tag's graph that is most like what somebody does.
fn alike(game: &Game, side: usize, bodies: &Bodies, doing: &Doing, tick: i32) -> State {
    let before = doing.position(bodies, (tick - LAST).max(doing.start));
    let elapsed = (tick - doing.start).clamp(1, LAST) as f32 / TICKS_PER_SECOND;
    let speed = before.distance(doing.position(bodies, tick)) / elapsed;
    let manner = match bodies.of_action(doing.action).kind {
        Kind::Attack if side == 0 => "recover",
        _ if speed > SPRINTS => "sprint",
        _ if speed > RUNS => "run",
        _ => "walk",
    };
    // Whichever foot: values hardly differ.
    game.start(side, &format!("{manner}-on-left"))
}

/// Speed is that of the last so many ticks.
const LAST: i32 = 6;
