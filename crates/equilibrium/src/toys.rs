//! Finite games whose values are published or have a closed form.

use crate::finite::{FiniteError, FiniteGame, FiniteState};

/// A matrix game repeated for ever: each state is worth `value / (1 - discount)`.
pub fn repeated(discount: f64, rows: usize, cols: usize, payoff: &[f64]) -> Result<FiniteGame, FiniteError> {
    let next = vec![vec![(0, 1.0)]; payoff.len()];
    FiniteGame::new(discount, vec![FiniteState { rows, cols, reward: payoff.to_vec(), next }], false)
}

/// Rock, paper, scissors for ever: worth 0. Payoffs of \[Wampler2010\], equation (1).
pub fn rock_paper_scissors(discount: f64) -> Result<FiniteGame, FiniteError> {
    repeated(discount, 3, 3, &[0.0, 1.0, -1.0, -1.0, 0.0, 1.0, 1.0, -1.0, 0.0])
}

/// The big match: Gillette 1957, Blackwell and Ferguson 1968. Worth `1/2 / (1 - discount)` at state 0.
///
/// Agent's columns: go on, stop. Stopping ends in state 1 (0 for ever) against the first row, in state 2 (1 for ever)
/// against the second.
pub fn big_match(discount: f64) -> Result<FiniteGame, FiniteError> {
    let main =
        two_by_two([1.0, 0.0, 0.0, 1.0], [vec![(0, 1.0)], vec![(1, 1.0)], vec![(0, 1.0)], vec![(2, 1.0)]]);
    FiniteGame::new(discount, vec![main, absorbing(0.0, 1), absorbing(1.0, 2)], false)
}

/// A game of Shapley's kind (1953): one state, each cell goes on with its own probability and otherwise ends.
///
/// With `v` its value, `v = val [[1 + 0.6 v, 1 + 0.8 v], [3 + 0.2 v, 2 + 0.4 v]]`, so `v = 5 / √2`.
pub fn shapley_stopping() -> Result<FiniteGame, FiniteError> {
    let go = |p: f64| vec![(0, p)];
    FiniteGame::new(1.0, vec![two_by_two([1.0, 1.0, 3.0, 2.0], [go(0.6), go(0.8), go(0.2), go(0.4)])], true)
}

/// Matching pennies at two tables. At table 0 a match pays 1 and leads to table 1, a miss pays nothing and stays; at
/// table 1 a match pays 3 and stays, a miss costs 1 and leads back.
///
/// Both mix evenly everywhere, so `V(0) = (1/2 + discount / 4) / (1 - discount)` and `V(1) = V(0) + 1/2`.
pub fn pennies_at_two_tables(discount: f64) -> Result<FiniteGame, FiniteError> {
    let (low, high) = (vec![(0, 1.0)], vec![(1, 1.0)]);
    let next = [high.clone(), low.clone(), low, high];
    let tables =
        vec![two_by_two([1.0, 0.0, 0.0, 1.0], next.clone()), two_by_two([3.0, -1.0, -1.0, 3.0], next)];
    FiniteGame::new(discount, tables, false)
}

/// Where the players stand and who has the ball, in Littman's soccer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SoccerState {
    /// The agent's row and column.
    pub agent: (i32, i32),
    /// The opponent's row and column.
    pub opponent: (i32, i32),
    /// Whether the agent has the ball.
    pub agent_has_ball: bool,
}

const SOCCER_ROWS: i32 = 4;
const SOCCER_COLS: i32 = 5;
/// Up, down, left, right, stand.
const SOCCER_MOVES: [(i32, i32); 5] = [(-1, 0), (1, 0), (0, -1), (0, 1), (0, 0)];

/// Every state of [`soccer`], in the order of its state numbers.
pub fn soccer_states() -> Vec<SoccerState> {
    let cells: Vec<(i32, i32)> =
        (0..SOCCER_ROWS).flat_map(|r| (0..SOCCER_COLS).map(move |c| (r, c))).collect();
    let mut states = Vec::new();
    for &agent in &cells {
        for &opponent in cells.iter().filter(|&&cell| cell != agent) {
            for agent_has_ball in [true, false] {
                states.push(SoccerState { agent, opponent, agent_has_ball });
            }
        }
    }
    states
}

/// Soccer of Littman 1994 on a 4×5 field: moves are carried out in random order, running into the other player leaves
/// him the ball. The agent scores off the right edge in the middle rows, the opponent off the left; a goal pays ±1
/// and ends the game, which is what a fair restart is worth.
pub fn soccer(discount: f64) -> Result<FiniteGame, FiniteError> {
    let all = soccer_states();
    let number = |state: SoccerState| -> usize {
        let cell = |(r, c): (i32, i32)| (r * SOCCER_COLS + c) as usize;
        let (a, o) = (cell(state.agent), cell(state.opponent));
        let others = (SOCCER_ROWS * SOCCER_COLS - 1) as usize;
        (a * others + o - usize::from(o > a)) * 2 + usize::from(!state.agent_has_ball)
    };
    let mut states = Vec::with_capacity(all.len());
    for &from in &all {
        let (mut reward, mut next) = (Vec::new(), Vec::new());
        for opponent_move in SOCCER_MOVES {
            for agent_move in SOCCER_MOVES {
                let (mut expected, mut list) = (0.0, Vec::new());
                for agent_first in [true, false] {
                    match soccer_turn(from, agent_move, opponent_move, agent_first) {
                        Ok(state) => list.push((number(state), 0.5)),
                        Err(goal) => expected += 0.5 * goal,
                    }
                }
                reward.push(expected);
                next.push(list);
            }
        }
        states.push(FiniteState { rows: 5, cols: 5, reward, next });
    }
    FiniteGame::new(discount, states, true)
}

/// Both moves in order; the error is a goal, with its reward.
fn soccer_turn(
    from: SoccerState,
    agent: (i32, i32),
    opponent: (i32, i32),
    agent_first: bool,
) -> Result<SoccerState, f64> {
    let mut state = from;
    for agents_turn in [agent_first, !agent_first] {
        let (place, other, step) = if agents_turn {
            (state.agent, state.opponent, agent)
        } else {
            (state.opponent, state.agent, opponent)
        };
        let to = (place.0 + step.0, place.1 + step.1);
        let has_ball = state.agent_has_ball == agents_turn;
        if !(0..SOCCER_ROWS).contains(&to.0) || !(0..SOCCER_COLS).contains(&to.1) {
            let goal_line = if agents_turn { SOCCER_COLS } else { -1 };
            if has_ball && (1..=2).contains(&to.0) && to.1 == goal_line {
                return Err(if agents_turn { 1.0 } else { -1.0 });
            }
        } else if to == other && step != (0, 0) {
            if has_ball {
                state.agent_has_ball = !agents_turn;
            }
        } else if agents_turn {
            state.agent = to;
        } else {
            state.opponent = to;
        }
    }
    Ok(state)
}

fn two_by_two(reward: [f64; 4], next: [Vec<(usize, f64)>; 4]) -> FiniteState {
    FiniteState { rows: 2, cols: 2, reward: reward.to_vec(), next: next.to_vec() }
}

fn absorbing(reward: f64, itself: usize) -> FiniteState {
    FiniteState { rows: 1, cols: 1, reward: vec![reward], next: vec![vec![(itself, 1.0)]] }
}
