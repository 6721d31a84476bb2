//! Who decides, and how: the mixed policy of the game, and those who do without it.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use randori_equilibrium::basis::SparseRow;
use randori_equilibrium::bias::BiasMatrix;
use randori_equilibrium::game::ActionId;
use randori_equilibrium::matrix::{self, PayoffMatrix, Workspace};

use crate::game::{Choices, Game, Situation};
use crate::habits::{Belief, Habits};
use crate::values::Values;

/// How somebody decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Manner {
    /// Draws from the mixed policy of the game.
    Optimal,
    /// Takes turns: the other is taken to have chosen already, as well as they could if they had to go first.
    Greedy,
    /// The same, and draws from the three best answers.
    RandomGreedy,
    /// Draws from the mixed policy of the next rewards alone.
    RewardOnly,
    /// Learns what the other is used to, and makes use of it.
    Adaptive,
    /// Only ever turns left, whatever else there would be to do.
    OnlyLeft,
    /// Takes turns and goes first: takes what is surest, as if the other saw it and had the best answer.
    FirstMover,
}

impl Manner {
    /// All of them.
    pub const ALL: [Manner; 7] = [
        Manner::Optimal,
        Manner::Greedy,
        Manner::RandomGreedy,
        Manner::RewardOnly,
        Manner::Adaptive,
        Manner::OnlyLeft,
        Manner::FirstMover,
    ];

    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Manner::Optimal => "optimal",
            Manner::Greedy => "greedy",
            Manner::RandomGreedy => "random-greedy",
            Manner::RewardOnly => "reward-only",
            Manner::Adaptive => "adaptive",
            Manner::OnlyLeft => "only-left",
            Manner::FirstMover => "first-mover",
        }
    }
}

/// Whose decision it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Chases; has the right of way.
    Agent,
    /// Is chased.
    Opponent,
}

impl Role {
    /// The other one.
    pub fn other(self) -> Role {
        match self {
            Role::Agent => Role::Opponent,
            Role::Opponent => Role::Agent,
        }
    }

    /// 0 for the agent, 1 for the opponent.
    pub fn side(self) -> usize {
        self as usize
    }
}

/// Below this share of what the choice can make of a difference nobody hesitates: values are not known better. A pure
/// choice that is as good as that is taken.
pub const INDIFFERENCE: f64 = 0.01;

/// Somebody who decides. Keeps its memory from call to call.
pub struct Mind<'a> {
    game: &'a Game,
    values: &'a Values,
    manner: Manner,
    role: Role,
    habits: Option<Habits>,
    /// The other as they are, if that is known.
    known: Option<Box<Mind<'a>>>,
    payoff: Vec<f64>,
    bent: Vec<f64>,
    probabilities: Vec<f64>,
    workspace: Workspace,
    scratch: SparseRow,
}

impl<'a> Mind<'a> {
    /// Somebody who decides in this manner for one of the two.
    pub fn new(game: &'a Game, values: &'a Values, manner: Manner, role: Role) -> Mind<'a> {
        Mind {
            game,
            values,
            manner,
            role,
            habits: (manner == Manner::Adaptive).then(Habits::default),
            known: None,
            payoff: Vec::new(),
            bent: Vec::new(),
            probabilities: Vec::new(),
            workspace: Workspace::default(),
            scratch: SparseRow::default(),
        }
    }

    /// Somebody who knows the manner of the other, and what they are about to do as likely as they are: the best answer
    /// to it.
    pub fn knowing(game: &'a Game, values: &'a Values, other: Manner, role: Role) -> Mind<'a> {
        let known = Mind::new(game, values, other, role.other());
        Mind { known: Some(Box::new(known)), ..Mind::new(game, values, Manner::Optimal, role) }
    }

    /// How they decide.
    pub fn manner(&self) -> Manner {
        self.manner
    }

    /// What they believe of the other, if they are of those who learn.
    pub fn belief(&self) -> Option<Belief> {
        self.habits.as_ref().map(Habits::belief)
    }

    /// The payoffs of a situation: a row for each of the other's moves, a column for each of one's own.
    fn look(&mut self, situation: &Situation, choices: &Choices) -> [usize; 2] {
        let (game, side) = (self.game, self.role.side());
        let sees_ahead = self.manner != Manner::RewardOnly;
        let [own, other] = [&choices.moves[side], &choices.moves[1 - side]];
        self.payoff.clear();
        for theirs in other {
            for mine in own {
                let [agent, opponent] = if side == 0 { [mine, theirs] } else { [theirs, mine] };
                let outcome = game.outcome(situation.relation, agent, opponent);
                let mut entry = outcome.reward;
                if sees_ahead && outcome.goes_on {
                    let value = self.values.value(game, outcome.relation, outcome.ends, &mut self.scratch);
                    entry += game.discount * value;
                }
                self.payoff.push(if side == 0 { entry } else { -entry });
            }
        }
        [other.len(), own.len()]
    }

    /// The probability of each of one's own moves; of those of [`Choices`], which must be of this situation.
    pub fn decide(&mut self, situation: &Situation, choices: &Choices) -> &[f64] {
        let [n_rows, n_cols] = self.look(situation, choices);
        self.probabilities.clear();
        self.probabilities.resize(n_cols, 0.0);
        let Ok(payoff) = PayoffMatrix::new(n_rows, n_cols, &self.payoff) else {
            self.probabilities.fill(1.0 / n_cols.max(1) as f64);
            return &self.probabilities;
        };
        if let Some(known) = &mut self.known {
            let likely = known.decide(situation, choices);
            let mut expected = vec![0.0; n_cols];
            for (row, p) in likely.iter().enumerate().filter(|(_, p)| **p > 0.0) {
                expected.iter_mut().zip(payoff.row(row)).for_each(|(sum, entry)| *sum += p * entry);
            }
            self.probabilities[best(&expected, 1)[0]] = 1.0;
            return &self.probabilities;
        }
        match self.manner {
            Manner::Optimal | Manner::RewardOnly => {
                let pure = settled(payoff);
                let solution = matrix::solve(payoff, &mut self.workspace);
                match pure.filter(|pure| pure.1 >= solution.value - INDIFFERENCE * pure.2) {
                    Some((col, ..)) => self.probabilities[col] = 1.0,
                    None => self.probabilities.copy_from_slice(solution.agent),
                }
            }
            Manner::Greedy => {
                BiasMatrix::turn_based(payoff).apply(n_cols, &self.payoff, &mut self.bent);
                self.probabilities[best(&self.bent[..n_cols], 1)[0]] = 1.0;
            }
            Manner::RandomGreedy => {
                BiasMatrix::turn_based(payoff).apply(n_cols, &self.payoff, &mut self.bent);
                let best = best(&self.bent[..n_cols], 3);
                best.iter().for_each(|col| self.probabilities[*col] = 1.0 / best.len() as f64);
            }
            Manner::FirstMover => {
                if let Some((col, ..)) = settled(payoff) {
                    self.probabilities[col] = 1.0;
                }
            }
            Manner::OnlyLeft => {
                let own = &choices.moves[self.role.side()];
                let most = own.iter().map(|it| it.turn[0]).fold(f64::NEG_INFINITY, f64::max);
                let left = |it: &&crate::moves::Move| it.turn[0] > 0.5 * most.max(0.0) - 1e-9;
                let n_left = own.iter().filter(left).count().max(1);
                for (probability, it) in self.probabilities.iter_mut().zip(own) {
                    *probability = if left(&it) { 1.0 / n_left as f64 } else { 0.0 };
                }
            }
            Manner::Adaptive => {
                let solution = matrix::solve(payoff, &mut self.workspace);
                let other = &choices.moves[1 - self.role.side()];
                let habits = self.habits.get_or_insert_default();
                let reason = solution.opponent.to_vec();
                match habits.bias(situation, other) {
                    None => self.probabilities.copy_from_slice(solution.agent),
                    Some(bias) => {
                        bias.apply(n_cols, &self.payoff, &mut self.bent);
                        if let Ok(bent) = PayoffMatrix::new(n_rows, n_cols, &self.bent) {
                            self.probabilities
                                .copy_from_slice(matrix::solve(bent, &mut self.workspace).agent);
                        }
                    }
                }
                habits.expect(situation, other, &reason);
            }
        }
        &self.probabilities
    }

    /// What was decided last: the probability of each of one's own moves.
    pub fn decided(&self) -> &[f64] {
        &self.probabilities
    }

    /// One of one's own moves, drawn from what was decided last.
    pub fn draw(&self, rng: &mut ChaCha8Rng) -> usize {
        let mut left: f64 = rng.random();
        let n = self.probabilities.len();
        for (at, probability) in self.probabilities.iter().enumerate() {
            left -= probability;
            if left < 0.0 {
                return at;
            }
        }
        (0..n).rev().find(|at| self.probabilities[*at] > 0.0).unwrap_or(0)
    }

    /// Sees what the other did in the situation that was decided on last.
    pub fn see(&mut self, chosen: ActionId) {
        if let Some(habits) = &mut self.habits {
            habits.see(chosen);
        }
    }
}

/// The column that is sure of most, what it is sure of, and how much the choice of a column can matter.
fn settled(payoff: PayoffMatrix<'_>) -> Option<(usize, f64, f64)> {
    let sure = |col: usize| (0..payoff.rows()).map(|row| payoff.row(row)[col]).fold(f64::INFINITY, f64::min);
    let cols = || (0..payoff.cols()).map(|col| (col, sure(col)));
    let best = cols().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
    let worst = cols().map(|it| it.1).fold(f64::INFINITY, f64::min);
    Some((best.0, best.1, best.1 - worst))
}

/// The best few, in order.
fn best(payoffs: &[f64], count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..payoffs.len()).collect();
    order.sort_by(|&a, &b| payoffs[b].total_cmp(&payoffs[a]).then(a.cmp(&b)));
    order.truncate(count.max(1));
    order
}
