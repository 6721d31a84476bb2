//! GLB containers taken apart and put together again, and broken ones on purpose.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use crate::mutate;

/// The JSON text and the binary chunk of a well-formed GLB.
pub fn split(glb: &[u8]) -> (&[u8], &[u8]) {
    let word = |at: usize| u32::from_le_bytes(glb[at..at + 4].try_into().expect("four bytes")) as usize;
    let json = &glb[20..20 + word(12)];
    let binary_at = 20 + json.len();
    let binary = if binary_at < glb.len() { &glb[binary_at + 8..][..word(binary_at)] } else { &[] };
    (json, binary)
}

/// A GLB with right lengths, whatever the parts.
pub fn join(json: &[u8], binary: &[u8]) -> Vec<u8> {
    let pad = |bytes: &[u8], with: u8| {
        let mut out = bytes.to_vec();
        out.resize(bytes.len().next_multiple_of(4), with);
        out
    };
    let (json, binary) = (pad(json, b' '), pad(binary, 0));
    let total = (12 + 8 + json.len() + 8 + binary.len()) as u32;
    let mut out = [b"glTF".as_slice(), &2u32.to_le_bytes(), &total.to_le_bytes()].concat();
    for (kind, chunk) in [(b"JSON", json), (b"BIN\0", binary)] {
        out.extend((chunk.len() as u32).to_le_bytes());
        out.extend_from_slice(kind);
        out.extend(chunk);
    }
    out
}

/// A broken copy of a good GLB: its bytes as they are, the text of its JSON, its numbers in binary, or
/// the values of its JSON, which stays well-formed. The same seed gives the same mutant.
pub fn mutant(glb: &[u8], seed: u64) -> Vec<u8> {
    let (json, binary) = split(glb);
    match seed % 4 {
        0 => mutate::mutant(glb, seed),
        1 => join(&mutate::mutant(json, seed), binary),
        2 => join(json, &mutate::mutant(binary, seed)),
        _ => {
            let mut document: Value = serde_json::from_slice(json).expect("a good GLB");
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            for _ in 0..rng.random_range(1..=3) {
                mutate_value(&mut document, &mut rng);
            }
            join(document.to_string().as_bytes(), binary)
        }
    }
}

/// Changes one value somewhere in the tree.
fn mutate_value(value: &mut Value, rng: &mut impl Rng) {
    let n_children = match value {
        Value::Array(list) => list.len(),
        Value::Object(map) => map.len(),
        _ => 0,
    };
    // Down more often than not, so that leaves are reached.
    if n_children > 0 && rng.random_bool(0.9) {
        let at = rng.random_range(0..n_children);
        match value {
            Value::Array(list) => mutate_value(&mut list[at], rng),
            Value::Object(map) => {
                map.values_mut().nth(at).into_iter().for_each(|child| mutate_value(child, rng))
            }
            _ => {}
        }
        return;
    }
    match value {
        Value::Array(list) if !list.is_empty() => {
            let at = rng.random_range(0..list.len());
            match rng.random_range(0..4) {
                0 => drop(list.remove(at)),
                1 => list.push(list[at].clone()),
                2 => list.reverse(),
                _ => list.truncate(at),
            }
        }
        Value::Object(map) if !map.is_empty() => {
            let key = map.keys().nth(rng.random_range(0..map.len())).cloned().unwrap_or_default();
            map.remove(&key);
        }
        Value::Number(number) if rng.random_bool(0.5) => {
            let near = number.as_i64().unwrap_or(3) + rng.random_range(-2..=2);
            *value = json!(near);
        }
        Value::String(text) if rng.random_bool(0.7) => {
            const WORDS: [&str; 12] = [
                "LINEAR",
                "STEP",
                "CUBICSPLINE",
                "rotation",
                "translation",
                "scale",
                "weights",
                "VEC4",
                "MAT4",
                "SCALAR",
                "../../etc/passwd",
                "data:;base64,AAAA",
            ];
            *text = WORDS[rng.random_range(0..WORDS.len())].to_owned();
        }
        _ => {
            let choices = [
                json!(0),
                json!(-1),
                json!(1),
                json!(4294967295u32),
                json!(18446744073709551615u64),
                json!(1e300),
                json!(0.5),
                json!(1_000_000_000),
                json!(null),
                json!(true),
                json!("nasty"),
                json!([]),
                json!({}),
                json!([[[[[[[[]]]]]]]]),
            ];
            *value = choices[rng.random_range(0..choices.len())].clone();
        }
    }
}
