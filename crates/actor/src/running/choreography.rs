//! What a player of tag does: a seeded sequence of steps.

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};
use randori_motion::{Annotation, Side};

use super::plan::Order;
use super::player::{COMING_TO_A_STAND, Pace, Player, Who};
use crate::performance::Temperament;

/// Steps until `seconds` are filled, from standing to standing; the first is made with `first`.
pub(super) fn tag(rng: &mut impl Rng, player: Who, seconds: f32, first: Side) -> Vec<Order> {
    let mut game = Tag {
        player: Player::new(rng, player, first),
        deck: Vec::new(),
        halts: (0..PAUSES.len() as u64).map(|k| PAUSES[(player.take + k) as usize % PAUSES.len()]).collect(),
    };
    game.player.stand(0.05);
    game.player.stand(0.6);
    game.player.start(Pace::Jog);
    loop {
        let left = seconds - COMING_TO_A_STAND - game.player.seconds;
        if left <= 0.0 {
            break;
        }
        game.play(left);
    }
    game.player.stop();
    let left = seconds - game.player.seconds;
    game.player.stand(left.max(0.5));
    game.player.orders
}

/// Something a player does, over several steps.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Move {
    /// Turns by an angle (rad), to whichever side brings the player back to the field.
    Turn(f32),
    QuickStep(Side),
    Dodge(Side),
    Catch(Side),
    /// Runs for a while, round corners of about an angle (rad).
    Dash(f32),
    /// Walks for a while, round corners of about an angle (rad).
    Stroll(f32),
    /// Stops, does something, and starts again.
    Halt,
}

impl Move {
    /// How long it takes at most (s), about.
    fn seconds(self) -> f32 {
        match self {
            Move::Turn(angle) => 1.3 + 1.2 * angle,
            Move::QuickStep(_) | Move::Dodge(_) => 2.2,
            Move::Catch(_) => 1.4,
            Move::Dash(_) => 6.5,
            Move::Stroll(_) => 7.0,
            Move::Halt => 9.0,
        }
    }
}

/// What is done between stopping and starting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pause {
    ShuffleLeft,
    ShuffleRight,
    StepBack,
}

/// Every kind of pause. Takes begin with different ones, so that a few takes have all.
const PAUSES: [Pause; 3] = [Pause::ShuffleLeft, Pause::StepBack, Pause::ShuffleRight];

struct Tag<'a, R> {
    player: Player<'a, R>,
    /// Moves to come: all are made before any is made again.
    deck: Vec<Move>,
    halts: Vec<Pause>,
}

impl<R: Rng> Tag<'_, R> {
    /// The next move from the deck that can be made in the time left (s).
    fn play(&mut self, left: f32) {
        if self.deck.is_empty() {
            // One turn of each size: slight, quarter, and about.
            let turns = [30.0..50.0, 50.0..75.0, 75.0..110.0, 110.0..185.0_f32]
                .map(|degrees| Move::Turn(self.player.rng.random_range(degrees).to_radians()));
            let sided = Side::BOTH
                .map(|side| [Move::QuickStep(side), Move::Dodge(side), Move::Catch(side), Move::Catch(side)]);
            self.deck.extend(turns.into_iter().chain(sided.into_iter().flatten()));
            let corner = [35.0, 50.0, 65.0_f32][self.player.rng.random_range(0..3)];
            self.deck.push(Move::Dash(self.player.rng.random_range(0.5..1.1)));
            self.deck.push(Move::Stroll(corner.to_radians()));
            if self.player.who.temperament == Temperament::Fierce {
                self.deck.extend(Side::BOTH.map(Move::Catch));
            }
            self.deck.shuffle(self.player.rng);
            // Halts take long: early in the deck, so that short takes have one too.
            let n_moves = self.deck.len();
            self.deck.insert(self.player.rng.random_range(n_moves / 2..=n_moves), Move::Halt);
        }
        let fitting = self.deck.iter().rposition(|next| next.seconds() < left);
        match fitting.map(|k| self.deck.remove(k)) {
            Some(Move::Turn(angle)) => {
                let way = self.player.way(angle);
                self.player.turn(way * angle);
            }
            Some(Move::QuickStep(side)) => self.quick_step(side),
            Some(Move::Dodge(side)) => self.dodge(side),
            Some(Move::Catch(side)) => self.catch(side),
            Some(Move::Dash(corner)) => {
                self.player.change(Pace::Run);
                self.wind(corner);
                self.player.change(Pace::Jog);
            }
            Some(Move::Stroll(corner)) => {
                self.player.change(Pace::Walk);
                self.wind(corner);
                self.player.change(Pace::Jog);
            }
            Some(Move::Halt) => self.halt(),
            None => self.player.cruise(1),
        }
    }

    /// A corner of an angle (rad), and a smaller one the other way.
    fn wind(&mut self, corner: f32) {
        let way = self.player.way(corner);
        self.player.turn(way * corner);
        self.player.turn(-0.6 * way * corner);
    }

    /// Aside by two steps while going on.
    fn quick_step(&mut self, to: Side) {
        let aside = self.player.rng.random_range(0.85..1.15);
        self.player.sidestep(
            to,
            ("quick-step-left", "quick-step-right"),
            [1.0, 0.5, 0.4].map(|share| share * aside),
            0.95,
            0.0,
        );
    }

    /// Out of somebody's reach: low, far aside, and on.
    fn dodge(&mut self, to: Side) {
        let aside = self.player.rng.random_range(1.5..1.9);
        self.player.sidestep(
            to,
            ("dodge-left", "dodge-right"),
            [1.0, 0.55, 0.4].map(|share| share * aside),
            0.82,
            0.035,
        );
    }

    /// A hand thrown out to tag somebody, while the other foot carries.
    fn catch(&mut self, hand: Side) {
        self.player.until(hand.other());
        let speed = self.player.speed(self.player.pace);
        let gait = self.player.in_rhythm(speed);
        let annotation = Annotation::sided(hand, "catch");
        let reach = Side::BOTH.map(|side| side == hand);
        self.player.step(Order { annotation, reach, ..Order::ahead("jog", gait, speed) });
        self.player.cruise(2);
    }

    fn halt(&mut self) {
        self.player.stop();
        if self.halts.is_empty() {
            self.halts.extend(PAUSES);
            self.halts.shuffle(self.player.rng);
        }
        let seconds = self.player.rng.random_range(0.4..0.8);
        self.player.stand(seconds);
        let speed = self.player.rng.random_range(0.8..1.0);
        match self.halts.pop() {
            Some(Pause::ShuffleLeft) => self.player.shuffle("step-left", 0.0, speed, Side::Left),
            Some(Pause::ShuffleRight) => self.player.shuffle("step-right", 0.0, -speed, Side::Right),
            Some(Pause::StepBack) => self.player.shuffle("step-back", -speed, 0.0, self.player.side.other()),
            None => {}
        }
        let pace = if self.player.rng.random_bool(0.3) { Pace::Walk } else { Pace::Jog };
        self.player.start(pace);
        if pace == Pace::Walk {
            self.player.change(Pace::Jog);
        }
    }
}
