//! Answers that were found before.

use std::sync::atomic::{AtomicU64, Ordering};

use randori_motion::ActionId;

use super::Answer;

/// A table of answers of fixed size that many threads share without waiting for each other.
///
/// What is asked for is a function of the key alone, so an answer that was pushed out by another is found again. A slot
/// holds the answer and, beside it, key and answer folded together: a slot that two threads wrote at once does not
/// unfold to the key that is asked for, and counts as empty.
#[derive(Debug)]
pub(super) struct Memory {
    slots: Box<[[AtomicU64; 2]]>,
}

/// As many answers are kept: four megabytes.
const SIZE: usize = 1 << 18;
/// As many can be.
const MOST: usize = 1 << 24;

impl Default for Memory {
    fn default() -> Memory {
        Memory::of(SIZE)
    }
}

impl Memory {
    /// With room for at least so many.
    pub(super) fn of(size: usize) -> Memory {
        let size = size.clamp(1, MOST).next_power_of_two();
        Memory { slots: (0..size).map(|_| [AtomicU64::new(0), AtomicU64::new(0)]).collect() }
    }

    /// The answer for a key, found if it is not here.
    pub(super) fn recall(&self, key: u64, find: impl FnOnce() -> Option<Answer>) -> Option<Answer> {
        // Neighbouring frames are asked for together; a multiplication spreads them.
        let at = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize & (self.slots.len() - 1);
        let [folded, kept] = &self.slots[at];
        let (fold, bits) = (folded.load(Ordering::Relaxed), kept.load(Ordering::Relaxed));
        if bits & PRESENT != 0 && fold ^ bits == key {
            return unpacked(bits);
        }
        let answer = find();
        let bits = packed(answer);
        folded.store(key ^ bits, Ordering::Relaxed);
        kept.store(bits, Ordering::Relaxed);
        answer
    }
}

const PRESENT: u64 = 1;
const SOME: u64 = 2;
const FALLS: u64 = 4;

/// Action in the upper half; frames to skip, fewer than two to the 28th, below.
fn packed(answer: Option<Answer>) -> u64 {
    let Some(answer) = answer else { return PRESENT };
    let falls = if answer.falls { FALLS } else { 0 };
    u64::from(answer.action.0) << 32 | u64::from(answer.skipped) << 4 | falls | SOME | PRESENT
}

fn unpacked(bits: u64) -> Option<Answer> {
    (bits & SOME != 0).then_some(Answer {
        action: ActionId((bits >> 32) as u32),
        skipped: (bits as u32) >> 4,
        falls: bits & FALLS != 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_come_back_as_they_were() {
        let memory = Memory::default();
        for key in 0..100_000_u64 {
            let key = key * 977;
            let answer = (!key.is_multiple_of(5)).then(|| Answer {
                action: ActionId(key as u32),
                skipped: (key % 60) as u32,
                falls: key.is_multiple_of(3),
            });
            assert_eq!(memory.recall(key, || answer), answer);
            assert_eq!(memory.recall(key, || panic!("it was there a moment ago")), answer);
        }
    }
}
