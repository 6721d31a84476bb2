//! A round between two minds, decision by decision, and how it looks.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use randori_equilibrium::game::ActionId;
use randori_motion::parametric::{Leg, State};
use randori_motion::{Ground, Placement};

use crate::decide::{Manner, Mind, Role};
use crate::game::{Choices, Game, Outcome, Relation, Rules, Situation};
use crate::map::Plan;
use crate::moves::Move;
use crate::values::Values;

/// One decision of a round, and what came of it.
#[derive(Clone, Debug)]
pub struct Turn {
    /// Where they were.
    pub situation: Situation,
    /// What they did.
    pub moves: [Move; 2],
    /// The ways through their graphs.
    pub paths: [Vec<Leg>; 2],
    /// The probability with which each did it.
    pub probabilities: [f64; 2],
    /// How many moves each might have made.
    pub open: [usize; 2],
    /// All that each might have done with some probability, seen from where they were themselves.
    pub plans: [Vec<Plan>; 2],
    /// What the agent got.
    pub reward: f64,
    /// How well somebody was met, see [`crate::Outcome::caught`].
    pub caught: f64,
    /// The states they were in after it.
    pub ends: [State; 2],
}

/// A round as it was played.
#[derive(Clone, Debug)]
pub struct Round {
    /// Where the two were at first.
    pub start: [Placement; 2],
    /// Decision by decision.
    pub turns: Vec<Turn>,
    /// Whether it ended by itself.
    pub is_over: bool,
    /// The agent's discounted rewards.
    pub worth: f64,
}

/// How a round is played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoundSettings {
    /// Decisions at most.
    pub decisions: usize,
    /// Seed of where it starts and of all that is drawn.
    pub seed: u64,
}

/// Where the two are at the start of a round, by its seed: running, near enough to mean something to each other.
pub fn start(game: &Game, seed: u64) -> Situation {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(1);
    match &game.rules {
        Rules::Tag(_) => {
            let distance = rng.random_range(1.0..3.0);
            let bearing = rng.random_range(-0.8..0.8_f64);
            let theta = rng.random_range(-std::f64::consts::PI..std::f64::consts::PI);
            let relation =
                Relation { x: distance * libm::sin(bearing), z: distance * libm::cos(bearing), theta };
            let foot = |left: bool| if left { "run-on-left" } else { "run-on-right" };
            let states = [0, 1].map(|side| game.start(side, foot(rng.random_bool(0.5))));
            Situation { relation, states }
        }
        Rules::Sword(rules) => {
            Situation { relation: rules.opposite(), states: [0, 1].map(|side| game.start(side, "guard")) }
        }
    }
}

/// Plays a round from the start that its seed gives.
pub fn play(game: &Game, minds: &mut [Mind<'_>; 2], settings: &RoundSettings) -> Round {
    play_from(game, start(game, settings.seed), minds, settings)
}

/// Plays a round from a situation.
pub fn play_from(
    game: &Game,
    mut situation: Situation,
    minds: &mut [Mind<'_>; 2],
    settings: &RoundSettings,
) -> Round {
    let mut rngs = [2, 3].map(|stream| {
        let mut rng = ChaCha8Rng::seed_from_u64(settings.seed);
        rng.set_stream(stream);
        rng
    });
    let here = Placement::default();
    let Relation { x, z, theta } = situation.relation;
    let there = Placement { position: Ground { x: x as f32, z: z as f32 }, heading: theta as f32 };
    let mut round = Round { start: [here, there], turns: Vec::new(), is_over: false, worth: 0.0 };
    let mut choices = Choices::default();
    let mut weight = 1.0;
    for _ in 0..settings.decisions {
        game.choices(&situation, &mut choices);
        let mut chosen = [0; 2];
        let mut probabilities = [0.0; 2];
        for side in 0..2 {
            let decided = minds[side].decide(&situation, &choices);
            if decided.is_empty() {
                return round;
            }
            chosen[side] = minds[side].draw(&mut rngs[side]);
            probabilities[side] = minds[side].decided()[chosen[side]];
        }
        for side in 0..2 {
            minds[side].see(ActionId(chosen[1 - side] as u32));
        }
        let moves = [0, 1].map(|side| choices.moves[side][chosen[side]]);
        let outcome = game.outcome(situation.relation, &moves[0], &moves[1]);
        round.worth += weight * outcome.reward;
        weight *= game.discount;
        let paths = [0, 1].map(|side| choices.path(side, chosen[side]).to_vec());
        let open = [0, 1].map(|side| choices.moves[side].len());
        let plans = [0, 1].map(|side| {
            let likely = choices.moves[side].iter().zip(minds[side].decided()).filter(|(_, p)| **p > 0.0);
            likely.map(|(it, p)| Plan { to: it.place(), probability: *p }).collect()
        });
        let Outcome { reward, caught, ends, .. } = outcome;
        round.turns.push(Turn { situation, moves, paths, probabilities, open, plans, reward, caught, ends });
        situation = Situation { relation: outcome.relation, states: ends };
        if !outcome.goes_on {
            round.is_over = true;
            break;
        }
    }
    round
}

/// Two minds of these manners.
pub fn minds<'a>(game: &'a Game, values: &'a Values, manners: [Manner; 2]) -> [Mind<'a>; 2] {
    let [agent, opponent] = manners;
    [Mind::new(game, values, agent, Role::Agent), Mind::new(game, values, opponent, Role::Opponent)]
}
