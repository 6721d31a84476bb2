//! How well captures are performed under physics: `track_captures [--load KG] [--pace SHARE] [--seconds S] FILE.bvh[@FPS]…`,
//! one line for each.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "an example reads files and arguments and prints"
)]

use std::collections::BTreeMap;

use randori_motion::FrameRate;
use randori_motion::formats::{self, ImportOptions};
use randori_wholebody::humanoid::Stature;
use randori_wholebody::scenario::Figures;
use randori_wholebody::tracking::{Reference, Settings, repeated, scenario};

/// So many steps that cannot be solved as asked are enough to call it a failure.
const GIVE_UP: usize = 50;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut settings = Settings::default();
    let (mut pace, mut seconds) = (1.0, 0.0);
    println!(
        "take        asked  upright  waited steps  off(m) along(m) pelvis(m) max(m) angle(rad) below(m) lean(rad) slip(mm) friction(N) eom      infeasible"
    );
    while let Some(argument) = arguments.next() {
        if argument == "--load" {
            settings.load = arguments.next().unwrap_or_default().parse()?;
            continue;
        }
        if argument == "--pace" {
            pace = arguments.next().unwrap_or_default().parse()?;
            continue;
        }
        if argument == "--seconds" {
            seconds = arguments.next().unwrap_or_default().parse()?;
            continue;
        }
        let (path, fps) = argument.split_once('@').unwrap_or((&argument, ""));
        let rate = fps.parse().ok().and_then(FrameRate::from_fps);
        let options = ImportOptions { rate, ..ImportOptions::default() };
        let clip = formats::import(path, &std::fs::read(path)?, &options)?.clip;
        let slower = FrameRate::from_fps(pace * clip.rate().fps()).ok_or("no pace")?;
        let mut clip = clip.with_rate(slower);
        if seconds > 0.0 {
            clip = repeated(&clip, seconds)?;
        }
        let reference = Reference::of(&clip, Stature { strength: 1.5, ..Stature::default() })?;
        let mut run = scenario(reference, &settings)?;
        let mut worst = Figures::default();
        while !run.is_over() && run.world().time < run.seconds() {
            worst = worst.worse(&run.step().figures);
            let results: BTreeMap<&str, f64> = run.results().into_iter().collect();
            let has_fallen = results["upright for (s)"] < results["tracked for (s)"];
            if has_fallen || run.infeasible_steps() > GIVE_UP {
                break;
            }
        }
        let results: BTreeMap<&str, f64> = run.results().into_iter().collect();
        let name = path.rsplit('/').next().unwrap_or(path);
        println!(
            "{name:11} {:6.2} {:7.2} {:7.2} {:5} {:7.3} {:8.3} {:9.3} {:6.2} {:10.3} {:8.3} {:9.3} {:8.3} {:11.0e} {:.1e} {:10}",
            results["clip (s)"],
            results["upright for (s)"],
            results["waited for balance (s)"],
            results["steps"],
            results["links off their places in the clip, mean (m)"],
            results["links off their places along the shortened steps, mean (m)"],
            results["links off their places as seen from the pelvis, mean (m)"],
            results["a link off its place, largest (m)"],
            results["joints off their angles, mean (rad)"],
            results["pelvis below its place, most (m)"],
            results["chest leaning farther than in the clip, most (rad)"],
            worst.slip_mm_max,
            worst.friction_margin_min,
            worst.eom_residual_max,
            run.infeasible_steps(),
        );
    }
    Ok(())
}
