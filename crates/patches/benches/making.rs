//! What the largest set of patches costs to make, tables included, and how that grows with the samples.
//!
//! `cargo bench -p randori-patches --bench making` prints seconds of the clock and of all processors together.
#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a bench reports, and reads the clock")]

use std::time::Instant;

use cpu_time::ProcessTime;
use randori_patches::making::{Tolerance, make, tables};

#[path = "../tests/common/mod.rs"]
mod common;

/// Work, with the seconds that it took.
fn timed<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let (clock, processors) = (Instant::now(), ProcessTime::now());
    let made = work();
    let (clock, processors) = (clock.elapsed().as_secs_f64(), processors.elapsed().as_secs_f64());
    println!("{what}: {clock:.2} s, {processors:.2} s of processors");
    made
}

fn main() {
    let bodies = common::bystander(240.0);
    for (name, text) in [
        ("dominoes", include_str!("../../../patterns/dominoes.toml")),
        ("mouse", include_str!("../../../patterns/mouse.toml")),
    ] {
        let mut patterns = common::patterns(text);
        for share in [8, 1] {
            for pattern in &mut patterns {
                pattern.sampling.samples = pattern.sampling.samples.div_ceil(share);
            }
            let made = timed(&format!("{name}, 1/{share} of the samples"), || {
                make(&bodies, &patterns, &Tolerance::default(), 1, &|_, _, _| ())
            });
            match made {
                Ok((set, _)) => {
                    println!("{} patches, {:?}", set.len(), set.tables.counts());
                    timed("  tables alone", || {
                        tables(&bodies, set.all(), &Tolerance::default(), &|_, _, _| ())
                    });
                }
                Err(error) => println!("{error}"),
            }
            patterns = common::patterns(text);
        }
    }
}
