//! What is still to be carried, and how.

use rand::Rng;
use rand::seq::SliceRandom;
use randori_motion::Side;
use randori_motion::annotation::Load;

use super::grip::Place;

/// What is still to be carried and how, drawn from the ends. Kept from take to take, so that all is done before
/// anything is done again.
#[derive(Default)]
pub(super) struct Deck {
    errands: Vec<Errand>,
    /// Ways still to go, by what is carried.
    ways: Vec<(Load, Vec<Way>)>,
    exchanges: Vec<Exchange>,
    n_rounds: usize,
}

/// One load that comes and goes on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Exchange {
    pub(super) load: Load,
    pub(super) passing: Passing,
}

/// How somebody passes on a load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Passing {
    /// From hands into hands, where one stands.
    On,
    /// From hands into hands, turned to a side in between, as in a row of people.
    Round(Side),
    /// From hands into hands, some steps ahead.
    Along,
    /// From the floor into hands.
    Up,
    /// From hands to the floor.
    Down,
}

impl Passing {
    const ALL: [Passing; 6] = [
        Passing::On,
        Passing::Up,
        Passing::Round(Side::Left),
        Passing::Down,
        Passing::Round(Side::Right),
        Passing::Along,
    ];
}

/// One load, from its taking to its giving.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Errand {
    pub(super) load: Load,
    pub(super) from: Place,
    pub(super) to: Place,
}

/// Something that is done with a load in the hands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Way {
    /// Steps in one of eight directions, in eighths of a turn to the own left from ahead.
    Steps(u8),
    /// Turns on the spot.
    Turn(Side),
    /// Turns while going ahead, or round the one at the other end.
    Round(Side),
    Wait,
}

/// How many ways are gone with one load, if there is time for another after it.
pub(super) const WAYS: usize = 7;

/// Every load: weight, size, and whether two carry it.
const LOADS: [Load; 6] = [
    Load { is_heavy: false, is_large: false, is_shared: false },
    Load { is_heavy: true, is_large: true, is_shared: true },
    Load { is_heavy: false, is_large: true, is_shared: false },
    Load { is_heavy: true, is_large: false, is_shared: false },
    Load { is_heavy: false, is_large: true, is_shared: true },
    Load { is_heavy: true, is_large: true, is_shared: false },
];

impl Deck {
    /// The next load to be carried.
    pub(super) fn errand(&mut self, rng: &mut impl Rng) -> Errand {
        if self.errands.is_empty() {
            // Lifted loads are handed over and received ones put down in one round, the other way round in the next.
            let to = [Place::Hands, Place::Floor];
            let (lifted, received) = (to[self.n_rounds % 2], to[(self.n_rounds + 1) % 2]);
            self.n_rounds += 1;
            // Every load is lifted before any is received, or lifted by two again.
            self.errands.extend(LOADS.map(|load| match load.is_shared {
                true => Errand { load, from: Place::Floor, to: Place::Floor },
                false => Errand { load, from: Place::Hands, to: received },
            }));
            self.errands.shuffle(rng);
            let n_received = self.errands.len();
            self.errands.extend(LOADS.map(|load| {
                let to = if load.is_shared { Place::Floor } else { lifted };
                Errand { load, from: Place::Floor, to }
            }));
            self.errands[n_received..].shuffle(rng);
        }
        // What was cut short by the end of a take comes first.
        let left = |errand: &Errand| {
            let ways = self.ways.iter().find(|(load, _)| *load == errand.load);
            ways.map_or(WAYS, |(_, ways)| ways.len())
        };
        let next = (0..self.errands.len()).max_by_key(|at| (left(&self.errands[*at]), *at)).unwrap_or(0);
        self.errands.remove(next)
    }

    /// The next load that comes and goes on: every way of passing on with every load that one carries alone, in turn.
    pub(super) fn exchange(&mut self, rng: &mut impl Rng) -> Exchange {
        if self.exchanges.is_empty() {
            let alone = LOADS.into_iter().filter(|load| !load.is_shared);
            let ways = |load: Load| Passing::ALL.map(|passing| Exchange { load, passing });
            self.exchanges = alone.flat_map(ways).collect();
            self.exchanges.shuffle(rng);
        }
        let usual = Exchange { load: LOADS[0], passing: Passing::On };
        self.exchanges.pop().unwrap_or(usual)
    }

    /// What is done next with a load.
    pub(super) fn way(&mut self, load: Load, rng: &mut impl Rng) -> Way {
        let at = self.ways.iter().position(|(other, _)| *other == load).unwrap_or_else(|| {
            self.ways.push((load, Vec::new()));
            self.ways.len() - 1
        });
        let ways = &mut self.ways[at].1;
        if ways.is_empty() {
            ways.extend((0..8).map(Way::Steps));
            ways.extend(Side::BOTH.map(Way::Turn));
            ways.extend(Side::BOTH.map(Way::Round));
            // People go ahead more often than aside.
            ways.extend([Way::Steps(0), Way::Wait]);
            ways.shuffle(rng);
        }
        ways.pop().unwrap_or(Way::Wait)
    }
}
