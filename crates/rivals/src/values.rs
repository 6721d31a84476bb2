//! What situations are worth, and the file of it.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use randori_equilibrium::basis::{Basis, BasisError, SparseRow, ValueFunction};
use randori_equilibrium::game::{payoff_matrix, sample_state};
use randori_equilibrium::matrix::{self, PayoffMatrix, Workspace};
use randori_motion::parametric::State;
use randori_motion::sealed::{Broken, Seal};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::game::{Game, Relation};

/// A value function of a game: the outer product of nodes and splines, written out; or, of a duel, what every pair of known
/// states is worth.
#[derive(Clone, Debug, PartialEq)]
pub struct Values {
    about: About,
    function: ValueFunction,
}

/// What a file of values says of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct About {
    /// `tag` or `sword`.
    pub game: String,
    /// Functions on each axis; of a table, known states of the agent and of the opponent.
    pub bases: Vec<usize>,
    /// How long decisions hold (s).
    pub look_ahead: f64,
    /// What a reward is worth one decision later.
    pub discount: f64,
    /// Of the bytes of both graphs.
    pub graphs: [u32; 2],
}

/// Why bytes are no values.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ValuesError {
    /// The envelope is not right.
    #[error("not a file of values: {0}")]
    Broken(#[from] Broken),
    /// Numbers are missing, too many, or none.
    #[error("values of {expected} functions, found {found}")]
    Count {
        /// How many there should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// The axes are those of another game.
    #[error("values of {found:?}, where the game is {expected:?}")]
    Other {
        /// What the game is.
        expected: Box<About>,
        /// What the values are of.
        found: Box<About>,
    },
    /// No such basis.
    #[error(transparent)]
    Basis(#[from] BasisError),
}

const SEAL: Seal = Seal { magic: b"randval\x1a", version: 3 };

impl Values {
    /// Values as they were learned; `function` is an outer product of plain bases. Rounded as a file rounds them.
    pub(crate) fn new(game: &Game, function: &ValueFunction) -> Values {
        let bases = match &function.basis {
            Basis::Outer(factors) => factors.iter().map(Basis::len).collect(),
            single => vec![single.len()],
        };
        let weights = function.weights.iter().map(|weight| f64::from(*weight as f32)).collect();
        let function = ValueFunction { basis: function.basis.clone(), weights };
        Values { about: about(game, bases), function: function.in_blocks() }
    }

    /// What pairs of known states are worth, the opponent's running fastest.
    pub(crate) fn of_table(game: &Game, worths: &[f64]) -> Result<Values, BasisError> {
        let basis = table_basis(game)?;
        Ok(Values::new(game, &ValueFunction { basis, weights: worths.to_vec() }))
    }

    /// Whether every pair of known states has a value of its own.
    fn is_table(&self) -> bool {
        self.about.bases.len() == 2
    }

    /// What they are of.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// How far values are from their own backup at states spread over the axes: the root mean square of the Bellman
    /// errors of the learned game there.
    pub fn residual(&self, game: &Game, n_states: usize, seed: u64) -> f64 {
        let table = if self.is_table() { game.moments() } else { game.table() };
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let states: Vec<Vec<f64>> = (0..n_states)
            .map(|_| {
                let mut state = Vec::new();
                sample_state(&table, &mut rng, &mut state);
                state
            })
            .collect();
        let error = |state: &Vec<f64>| {
            let (mut payoff, mut scratch) = (Vec::new(), SparseRow::default());
            let value = &mut |next: &[f64]| self.function.value_with(next, &mut scratch);
            let counts = payoff_matrix(&table, state, value, &mut payoff);
            let matrix = PayoffMatrix::new(counts.opponent, counts.agent, &payoff);
            let backed = matrix.map_or(0.0, |it| matrix::solve(it, &mut Workspace::default()).value);
            let error = backed - self.function.value(state);
            error * error
        };
        let errors: Vec<f64> = states.par_iter().map(error).collect();
        (errors.iter().sum::<f64>() / n_states.max(1) as f64).sqrt()
    }

    /// Number of functions of the outer product.
    pub fn len(&self) -> usize {
        self.function.weights.len()
    }

    /// Never.
    pub fn is_empty(&self) -> bool {
        self.function.weights.is_empty()
    }

    /// What a situation is worth to the agent.
    #[inline]
    pub fn value(&self, game: &Game, relation: Relation, states: [State; 2], scratch: &mut SparseRow) -> f64 {
        if self.is_table() {
            let [agent, opponent] = [0, 1].map(|side| game.known(side, states[side]));
            return self.function.weights[agent * self.about.bases[1] + opponent];
        }
        game.potential(relation, states) + self.function.value_with(&game.point(relation, states), scratch)
    }

    /// The file.
    pub fn to_bytes(&self) -> Vec<u8> {
        SEAL.close(&self.about, |body| {
            for weight in &self.function.weights {
                body.extend((*weight as f32).to_le_bytes());
            }
        })
    }

    /// Reads a file of values of this game.
    pub fn from_bytes(bytes: &[u8], game: &Game) -> Result<Values, ValuesError> {
        let (found, body, at): (About, _, _) = SEAL.open(bytes)?;
        let expected = about(game, found.bases.clone());
        if found != expected {
            return Err(ValuesError::Other { expected: Box::new(expected), found: Box::new(found) });
        }
        let basis = if found.bases == table_bases(game) {
            table_basis(game)?
        } else if found.bases.len() == game.axes().len() {
            let factors = found.bases.iter().enumerate();
            let factors = factors.map(|(axis, count)| Basis::on_axis(game.axes(), axis, *count));
            let mut factors: Vec<Basis> = factors.collect::<Result<_, _>>()?;
            factors.sort_by_key(|factor| !matches!(factor, Basis::Indicators { .. }));
            Basis::outer(factors)?
        } else {
            return Err(ValuesError::Count { expected: game.axes().len(), found: found.bases.len() });
        };
        let numbers = &body[at..];
        if numbers.len() != 4 * basis.len() {
            return Err(ValuesError::Count { expected: basis.len(), found: numbers.len() / 4 });
        }
        let number = |bytes: &[u8; 4]| f64::from(f32::from_le_bytes(*bytes));
        let weights = numbers.as_chunks().0.iter().map(number).collect();
        Ok(Values { about: found, function: ValueFunction { basis, weights } })
    }
}

/// How many known states the agent and the opponent of a duel have.
fn table_bases(game: &Game) -> Vec<usize> {
    game.visited.iter().map(|known| known.states.len()).collect()
}

fn table_basis(game: &Game) -> Result<Basis, BasisError> {
    let counts = table_bases(game).into_iter().enumerate();
    Basis::outer(counts.map(|(axis, count)| Basis::Indicators { axis, count }).collect())
}

fn about(game: &Game, bases: Vec<usize>) -> About {
    About {
        game: game.name().to_owned(),
        bases,
        look_ahead: game.seconds(),
        discount: game.discount,
        graphs: [0, 1].map(|side| crc32fast::hash(&game.sides[side].graph.to_bytes())),
    }
}
