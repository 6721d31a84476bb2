//! Four ways to push an object to its place; one works. See the module `appendix_b`.

#![allow(clippy::print_stdout, reason = "an example prints")]

use randori_wholebody::appendix_b::{PushSettings, appendix_b};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for case in appendix_b(&PushSettings::default())?.cases {
        let mark = if case.success { "works" } else { "fails" };
        println!("{}. {}: {mark}. {}", case.case, case.name, case.verdict);
    }
    Ok(())
}
