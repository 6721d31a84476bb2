//! What a pruned search remembers: which choices refuted others, the order that a shallower search found, and states
//! that were seen before.
//!
//! Orders and refutations only decide what is looked at first. What is kept of states is exact, so none of it changes a
//! decision.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::BuildHasherDefault;

use crate::score::Sum;
use crate::world::Player;

/// Most orders, and most states, that are kept: some tens of megabytes. Later ones are not remembered.
const MAX_ENTRIES: usize = 1 << 17;

type Map<K, V> = HashMap<K, V, BuildHasherDefault<DefaultHasher>>;

/// What is known of a state with a number of choices left, relative to what was gathered before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    pub(crate) value: Option<Sum>,
    /// Utilities that the state's value does not exceed, by player.
    pub(crate) at_most: [i64; 2],
}

impl Default for Known {
    fn default() -> Self {
        Self { value: None, at_most: [i64::MAX; 2] }
    }
}

#[derive(Debug)]
pub(crate) struct Memory<C> {
    orders: Map<u64, Box<[u32]>>,
    states: Map<(u64, u8), Known>,
    /// By number of choices made so far and player: the latest two choices that refuted another.
    refutations: Vec<[[Option<C>; 2]; 2]>,
}

impl<C> Default for Memory<C> {
    fn default() -> Self {
        Self { orders: Map::default(), states: Map::default(), refutations: Vec::new() }
    }
}

impl<C: Copy + PartialEq> Memory<C> {
    pub(crate) fn clear(&mut self) {
        self.orders.clear();
        self.states.clear();
        self.refutations.clear();
    }

    /// An empty memory that begins with the same refutations.
    pub(crate) fn young(&self) -> Self {
        Self { refutations: self.refutations.clone(), ..Self::default() }
    }

    /// Takes over what another learned.
    pub(crate) fn absorb(&mut self, other: Self) {
        self.orders.extend(other.orders);
        self.states.extend(other.states);
    }

    pub(crate) fn order(&self, path: u64) -> Option<&[u32]> {
        self.orders.get(&path).map(|order| &**order)
    }

    pub(crate) fn keep_order(&mut self, path: u64, order: &[u32]) {
        if self.orders.len() < MAX_ENTRIES || self.orders.contains_key(&path) {
            self.orders.insert(path, order.into());
        }
    }

    pub(crate) fn state(&self, key: u64, left: u8) -> Option<&Known> {
        self.states.get(&(key, left))
    }

    pub(crate) fn keep_state(&mut self, key: u64, left: u8, known: Known) {
        if self.states.len() < MAX_ENTRIES || self.states.contains_key(&(key, left)) {
            self.states.insert((key, left), known);
        }
    }

    pub(crate) fn refutations(&self, made: u8, player: Player) -> [Option<C>; 2] {
        self.refutations.get(usize::from(made)).map_or([None; 2], |by_player| by_player[player as usize])
    }

    pub(crate) fn refuted(&mut self, made: u8, player: Player, choice: C) {
        let made = usize::from(made);
        if self.refutations.len() <= made {
            self.refutations.resize(made + 1, [[None; 2]; 2]);
        }
        let latest = &mut self.refutations[made][player as usize];
        if latest[0] != Some(choice) {
            *latest = [Some(choice), latest[0]];
        }
    }
}
