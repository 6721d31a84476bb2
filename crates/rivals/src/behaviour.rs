//! What people turn out to do: counted, for nobody told them to.

use randori_motion::parametric::Leg;
use serde::Serialize;

use crate::game::Game;
use crate::moves::Doing;
use crate::round::{Round, Turn};

/// What was done in some rounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Behaviour {
    /// Rounds.
    pub rounds: usize,
    /// Decisions per round.
    pub decisions: f64,
    /// Rounds that ended by themselves.
    pub ended: usize,
    /// Of the opponent's decisions near the agent, the share that leads into quick steps or is spent in them.
    pub quick_near: f64,
    /// The same far from the agent.
    pub quick_far: f64,
    /// Tackles begun by the agent.
    pub tackles: usize,
    /// Dodges begun by the opponent.
    pub dodges: usize,
    /// Tackles that met the other.
    pub caught: usize,
    /// Attacks with the sword begun.
    pub attacks: usize,
    /// Those of them whose line changed before they landed.
    pub feints: usize,
    /// Attacks that the right block stopped.
    pub blocked: usize,
    /// Attacks per round.
    pub attacks_per_round: f64,
}

/// Near and far, for steps (m).
const NEAR: f64 = 2.0;
const FAR: f64 = 4.0;

impl Behaviour {
    /// Counts what was done.
    pub fn of(game: &Game, rounds: &[Round]) -> Behaviour {
        let mut counted = Behaviour { rounds: rounds.len(), ..Behaviour::default() };
        let mut near = [0_usize; 2];
        let mut far = [0_usize; 2];
        let mut n_decisions = 0;
        for round in rounds {
            n_decisions += round.turns.len();
            counted.ended += usize::from(round.is_over);
            for turn in &round.turns {
                let quick = usize::from(turn.moves[1].is(Doing::Quick));
                let distance = turn.situation.relation.distance();
                let place = if distance < NEAR { Some(&mut near) } else { None };
                let place = place.or_else(|| (distance > FAR).then_some(&mut far));
                if let Some([all, quickly]) = place {
                    *all += 1;
                    *quickly += quick;
                }
                counted.caught +=
                    usize::from(turn.caught > 0.4 && !turn.moves[0].begins_attack && !round.is_over);
            }
            for side in 0..2 {
                counted.count_side(game, side, &round.turns);
            }
        }
        let share = |[all, some]: [usize; 2]| some as f64 / all.max(1) as f64;
        counted.quick_near = share(near);
        counted.quick_far = share(far);
        let n_rounds = rounds.len().max(1) as f64;
        counted.decisions = n_decisions as f64 / n_rounds;
        counted.attacks_per_round = counted.attacks as f64 / n_rounds;
        counted
    }

    /// How many attacks one of the two began: tackles, or cuts.
    pub fn attacks_of(game: &Game, side: usize, rounds: &[Round]) -> usize {
        let mut counted = Behaviour::default();
        rounds.iter().for_each(|round| counted.count_side(game, side, &round.turns));
        counted.tackles + counted.attacks
    }

    /// Goes through what one of the two did, motion by motion.
    fn count_side(&mut self, game: &Game, side: usize, turns: &[Turn]) {
        let mut last = Doing::Else;
        // The line that the attack under way began on, and whether it has changed.
        let mut attack: Option<(u8, bool)> = None;
        for turn in turns {
            for (doing, is_new) in doings(game, side, &turn.paths[side]) {
                if doing == last && !is_new {
                    continue;
                }
                match doing {
                    Doing::Tackle => self.tackles += 1,
                    Doing::Dodge => self.dodges += 1,
                    Doing::Gather(line) | Doing::Strike(line) => match &mut attack {
                        None => {
                            self.attacks += 1;
                            attack = Some((line, false));
                        }
                        Some((first, changed)) => {
                            if *first != line && !*changed {
                                *changed = true;
                                self.feints += 1;
                            }
                        }
                    },
                    _ => {}
                }
                if !doing.attacks() {
                    attack = None;
                }
                last = doing;
            }
            if turn.ends[side] != turn.moves[side].end {
                self.blocked += 1;
                attack = None;
                last = Doing::Else;
            }
        }
    }
}

/// What somebody is at on a path, and whether it is begun there.
fn doings<'a>(game: &'a Game, side: usize, path: &'a [Leg]) -> impl Iterator<Item = (Doing, bool)> + 'a {
    let of = move |(at, leg): (usize, &Leg)| {
        let state = game.sides[side].graph.start(leg.node);
        (game.sides[side].doing(state), at > 0)
    };
    path.iter().enumerate().map(of)
}
