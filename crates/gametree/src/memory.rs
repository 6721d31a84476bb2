//! What a pruned search remembers: which choices refuted others, the order that a shallower search found, and states
//! that were seen before.
//!
//! Orders and refutations only decide what is looked at first. What is kept of states is exact, so none of it changes a
//! decision.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

use crate::score::Sum;
use crate::world::Player;

/// Most states, and most merits, that are kept: some megabytes. Later ones are not remembered.
const MAX_ENTRIES: usize = 1 << 17;

/// Most choices in all orders that are kept: 16 MiB of them.
const MAX_ORDERED: usize = 1 << 22;

type Map<K, V> = HashMap<K, V, BuildHasherDefault<Quick>>;

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
    /// By path: the choices that a shallower search visited, the best first.
    orders: Map<u64, Box<[u32]>>,
    /// Choices in all orders.
    ordered: usize,
    states: Map<(u64, u8), Known>,
    /// By player, number of choices left and setting: the latest two choices that refuted another.
    refutations: Map<(Player, u8, u32), [Option<C>; 2]>,
    /// How often a choice was the best or refuted another.
    merits: Map<(Player, u8, C), u64>,
}

impl<C> Default for Memory<C> {
    fn default() -> Self {
        Self {
            orders: Map::default(),
            ordered: 0,
            states: Map::default(),
            refutations: Map::default(),
            merits: Map::default(),
        }
    }
}

impl<C: Copy + Eq + Hash> Memory<C> {
    pub(crate) fn clear(&mut self) {
        self.orders.clear();
        self.ordered = 0;
        self.states.clear();
        self.refutations.clear();
        self.merits.clear();
    }

    /// Takes over what another learned, which counts as later than what is here.
    pub(crate) fn absorb(&mut self, other: Self) {
        self.orders.extend(other.orders);
        self.ordered += other.ordered;
        self.states.extend(other.states);
        self.refutations.extend(other.refutations);
        #[expect(clippy::iter_over_hash_type, reason = "sums do not depend on their order")]
        for (key, praises) in other.merits {
            *self.merits.entry(key).or_default() += praises;
        }
    }

    pub(crate) fn order(&self, path: u64) -> Option<&[u32]> {
        self.orders.get(&path).map(|order| &**order)
    }

    pub(crate) fn keep_order(&mut self, path: u64, order: &[u32]) {
        if let Some(old) = self.orders.get_mut(&path)
            && old.len() == order.len()
        {
            old.copy_from_slice(order);
        } else if self.ordered + order.len() <= MAX_ORDERED {
            self.ordered += order.len();
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

    pub(crate) fn refutations(&self, player: Player, left: u8, setting: u32) -> Option<[Option<C>; 2]> {
        self.refutations.get(&(player, left, setting)).copied()
    }

    pub(crate) fn keep_refutations(
        &mut self,
        player: Player,
        left: u8,
        setting: u32,
        latest: [Option<C>; 2],
    ) {
        self.refutations.insert((player, left, setting), latest);
    }

    pub(crate) fn merit(&self, player: Player, left: u8, choice: C) -> u64 {
        self.merits.get(&(player, left, choice)).copied().unwrap_or(0)
    }

    pub(crate) fn praise(&mut self, player: Player, left: u8, choice: C) {
        if self.merits.len() < MAX_ENTRIES {
            *self.merits.entry((player, left, choice)).or_default() += 1;
        }
    }
}

/// Stands for the choices of a path and one more.
pub(crate) fn longer(path: u64, choice: &impl Hash) -> u64 {
    let mut hasher = Quick(path);
    choice.hash(&mut hasher);
    hasher.finish()
}

/// Multiplies and folds. Merits are looked up as often as edges are played, which the standard hasher would make dear;
/// nobody outside chooses these keys.
#[derive(Default)]
struct Quick(u64);

impl Hasher for Quick {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u64(&mut self, word: u64) {
        let wide = u128::from(self.0 ^ word ^ 0x9E37_79B9_7F4A_7C15) * 0xD6E8_FEB8_6659_FD93;
        self.0 = (wide as u64) ^ ((wide >> 64) as u64);
    }

    fn write_u8(&mut self, word: u8) {
        self.write_u64(word.into());
    }

    fn write_u32(&mut self, word: u32) {
        self.write_u64(word.into());
    }

    fn write_i64(&mut self, word: i64) {
        self.write_u64(word as u64);
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    fn write_isize(&mut self, word: isize) {
        self.write_u64(word as u64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
