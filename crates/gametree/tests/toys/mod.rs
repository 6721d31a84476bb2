//! Toy worlds: trees drawn from a hash or written down, and a duel on a line.
#![allow(dead_code, unreachable_pub, reason = "each test and bench uses its part")]

pub mod duel;
pub mod written;

use randori_gametree::{Bounds, Edge, Player, Promise, World};

/// A tree whose choices, durations and scores are drawn from a hash of the way that led there.
#[derive(Clone, Debug)]
pub struct Drawn {
    pub seed: u64,
    /// Most choices of a node; it has between none and that many.
    pub width: u32,
    /// Whether nodes may have no choice at all.
    pub ends: bool,
    /// Scores are whole numbers up to this, so that ties are common.
    pub comp: i32,
    /// The same for what both gain.
    pub coop: i32,
    /// Scores are multiples of this.
    pub unit: f64,
    /// One of so many scores is not a number; none for 0.
    pub nan_in: u64,
    /// Ways that lead to the same of so many states coincide; none do for 0.
    pub states: u64,
    /// How much of the bounds the world tells.
    pub told: Told,
    /// Whether Min has habits.
    pub habits: bool,
    /// By how many units choices promise more than they hold; nothing is promised below 0.
    pub promised: i32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Told {
    Nothing,
    Coop,
    All,
}

impl Default for Drawn {
    fn default() -> Self {
        Self {
            seed: 0,
            width: 4,
            ends: true,
            comp: 5,
            coop: 5,
            unit: 1.0,
            nan_in: 0,
            states: 0,
            told: Told::All,
            habits: false,
            promised: -1,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    pub place: u64,
    /// Time until each is free to choose.
    pub busy: [u64; 2],
}

impl Drawn {
    pub fn root(&self) -> Moment {
        Moment { place: self.place(self.seed), busy: [0, 3] }
    }

    fn place(&self, hash: u64) -> u64 {
        if self.states == 0 { hash } else { hash % self.states }
    }

    /// The most that a choice, and paths of so many choices with it, add to the utilities of the other and of whoever
    /// makes it; not a number if it is no choice.
    fn paths(&self, moment: &Moment, choice: u32, left: u8) -> [f64; 2] {
        let (next, Edge { comp, coop }) = self.play(moment, choice);
        let mut more = [0.0_f64; 2];
        if let Some(turn) = self.turn(&next).filter(|_| left > 1) {
            let mut choices = Vec::new();
            self.choices(&next, &mut choices);
            let is_same = self.turn(moment) == Some(turn);
            for [others, own] in choices.iter().map(|choice| self.paths(&next, *choice, left - 1)) {
                let [theirs, ours] = if is_same { [others, own] } else { [own, others] };
                more = [more[0].max(theirs), more[1].max(ours)];
            }
        }
        [coop - comp + more[0], comp + coop + more[1]]
    }

    fn draw(&self, moment: &Moment, what: u64) -> u64 {
        mix(mix(mix(self.seed ^ mix(moment.place)) ^ (moment.busy[0] << 32 | moment.busy[1])) ^ what)
    }
}

pub fn mix(x: u64) -> u64 {
    let x = (x ^ x >> 30).wrapping_add(0x9E37_79B9_7F4A_7C15).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ x >> 31
}

impl World for Drawn {
    type State = Moment;
    type Choice = u32;

    fn turn(&self, moment: &Moment) -> Option<Player> {
        if self.ends && self.draw(moment, 1).is_multiple_of(11) {
            return None;
        }
        Some(if moment.busy[0] <= moment.busy[1] { Player::Max } else { Player::Min })
    }

    fn choices(&self, moment: &Moment, out: &mut Vec<u32>) {
        let least = u64::from(!self.ends);
        let n = least + self.draw(moment, 2) % (u64::from(self.width) + 1 - least);
        // Names that differ from their places in the list.
        out.extend((0..n as u32).map(|index| (index + moment.place as u32) % 97));
    }

    fn play(&self, moment: &Moment, choice: u32) -> (Moment, Edge) {
        let chooser = usize::from(moment.busy[0] > moment.busy[1]);
        let draw = |what: u64| self.draw(moment, 16 * (u64::from(choice) + 1) + what);
        let mut busy = moment.busy;
        let now = busy[chooser];
        busy[1 - chooser] -= now;
        busy[chooser] = 1 + draw(0) % 8;
        let passed = busy[0].min(busy[1]);
        let busy = [busy[0] - passed, busy[1] - passed];
        let score = |what: u64, most: i32| {
            if self.nan_in > 0 && draw(what + 8).is_multiple_of(self.nan_in) {
                return f64::NAN;
            }
            let span = 2 * i64::from(most) + 1;
            self.unit * ((draw(what) % span as u64) as i64 - i64::from(most)) as f64
        };
        let edge = Edge { comp: score(1, self.comp), coop: score(2, self.coop) };
        (Moment { place: self.place(draw(3)), busy }, edge)
    }

    fn bounds(&self, _: &Moment, left: u8) -> Bounds {
        let most = Edge { comp: self.unit * f64::from(self.comp), coop: self.unit * f64::from(self.coop) };
        let all = Bounds::of_edges(Edge { comp: -most.comp, coop: -most.coop }, most, left);
        match self.told {
            Told::Nothing => Bounds::UNKNOWN,
            Told::Coop => Bounds { coop: all.coop, ..Bounds::UNKNOWN },
            Told::All => all,
        }
    }

    fn promising(&self, moment: &Moment, above: f64, out: &mut Vec<Promise<u32>>) -> bool {
        let mut choices = Vec::new();
        self.choices(moment, &mut choices);
        let worth = |choice: u32| {
            let edge = self.play(moment, choice).1;
            edge.comp + edge.coop
        };
        let any = choices.iter().any(|choice| worth(*choice).is_finite());
        // Those that are no choice promise something, too.
        let most = |choice: u32| worth(choice).max(0.0) + self.unit * f64::from(self.promised);
        let all = (0..choices.len() as u32).zip(choices).map(|(rank, choice)| Promise {
            choice,
            rank,
            most: most(choice),
        });
        out.extend(all.rev().filter(|promise| promise.most > above));
        any && self.promised >= 0
    }

    fn prospects(&self, moment: &Moment, choices: &[u32], left: u8, out: &mut Vec<f64>) -> bool {
        out.extend(choices.iter().map(|choice| {
            let [_, most] = self.paths(moment, *choice, left);
            // Nothing is known of some, and of those that are no choice.
            let is_known = most.is_finite() && !self.draw(moment, 7 + u64::from(*choice)).is_multiple_of(4);
            if is_known { most + self.unit * f64::from(self.promised) } else { f64::INFINITY }
        }));
        let any = choices.iter().any(|choice| self.paths(moment, *choice, 1)[1].is_finite());
        any && left < 4 && self.promised >= 0
    }

    fn offers(&self, moment: &Moment, choice: u32) -> Option<(u32, u32)> {
        let mut choices = Vec::new();
        self.choices(moment, &mut choices);
        let place = choices.iter().position(|known| *known == choice && self.promised >= 0);
        place.map(|rank| (choice, rank as u32))
    }

    fn setting(&self, moment: &Moment) -> u32 {
        moment.busy[0] as u32 % 3
    }

    fn key(&self, moment: &Moment) -> Option<u64> {
        (self.states > 0).then(|| mix(mix(moment.place) ^ (moment.busy[0] << 32 | moment.busy[1])))
    }

    fn habit(&self, moment: &Moment, choices: &[u32], out: &mut Vec<f64>) -> bool {
        out.extend((0..choices.len() as u64).map(|index| match self.draw(moment, 1000 + index) % 6 {
            0 => 0.0,
            1 => f64::NAN,
            2 => -1.0,
            n => n as f64 / 7.0,
        }));
        self.habits && !self.draw(moment, 3).is_multiple_of(3)
    }
}
