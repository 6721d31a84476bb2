//! Broken files on purpose: seeded structured mutations of good ones.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Numbers and words that trip parsers.
const NASTY: &[&str] = &[
    "nan",
    "NaN",
    "inf",
    "-inf",
    "1e999",
    "-1e-999",
    "1e38",
    "-0",
    "1000000000",
    "-1",
    "0",
    "0.0",
    "99999999999999999999",
    "0x10",
    "1e",
    "--5",
    ".",
    "{",
    "}",
    "{{{{",
    "}}}}",
    "\0",
    "\u{feff}",
    "é",
    "\"",
    "[[[[",
    "]]]]",
    ":",
    ",",
    "null",
    "true",
    "4294967295",
    "2147483648",
    "1.7976931348623157e308",
];

/// A broken copy of `original`: a few random changes of the kinds files suffer (bits flipped, cut short,
/// parts lost, doubled or swapped, lines moved, numbers and words replaced by nasty ones).
///
/// The same seed gives the same mutant.
pub fn mutant(original: &[u8], seed: u64) -> Vec<u8> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut bytes = original.to_vec();
    for _ in 0..rng.random_range(1..=4) {
        mutate_once(&mut bytes, &mut rng);
    }
    bytes
}

fn mutate_once(bytes: &mut Vec<u8>, rng: &mut impl Rng) {
    if bytes.is_empty() {
        bytes.extend_from_slice(NASTY[rng.random_range(0..NASTY.len())].as_bytes());
        return;
    }
    let at = rng.random_range(0..bytes.len());
    match rng.random_range(0..10) {
        0 => bytes[at] ^= 1 << rng.random_range(0..8),
        1 => bytes[at] = rng.random(),
        2 => bytes.truncate(at),
        3 => {
            let end = (at + rng.random_range(1..200)).min(bytes.len());
            bytes.drain(at..end);
        }
        4 => {
            let end = (at + rng.random_range(1..200)).min(bytes.len());
            let copy = bytes[at..end].to_vec();
            let to = rng.random_range(0..=bytes.len());
            bytes.splice(to..to, copy);
        }
        5 => {
            let nasty = NASTY[rng.random_range(0..NASTY.len())].bytes();
            bytes.splice(at..at, nasty);
        }
        6 | 7 => {
            // A whole word becomes a nasty one.
            let is_space = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b',' | b':' | b'"');
            let start = bytes[..at].iter().rposition(is_space).map_or(0, |space| space + 1);
            let end = bytes[at..].iter().position(is_space).map_or(bytes.len(), |space| at + space);
            let nasty = NASTY[rng.random_range(0..NASTY.len())].bytes();
            bytes.splice(start.min(end)..end, nasty);
        }
        8 => {
            // A whole line is lost or doubled.
            let start = bytes[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
            let end =
                bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |end| at + end + 1);
            let line = bytes[start.min(end)..end].to_vec();
            match rng.random() {
                true => drop(bytes.drain(start.min(end)..end)),
                false => drop(bytes.splice(end..end, line)),
            }
        }
        _ => {
            // A 32-bit number of a binary file becomes another.
            if at + 4 <= bytes.len() {
                let choices = [0, 1, u32::MAX, 0x8000_0000, 0x7fff_ffff, bytes.len() as u32, rng.random()];
                let value = choices[rng.random_range(0..choices.len())];
                bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
            }
        }
    }
}
