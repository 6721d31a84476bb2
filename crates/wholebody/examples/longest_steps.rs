//! How much longer than usual a scenario's longest steps take: `longest_steps [RUNS [SCENARIO…]]`.
//!
//! Runs are the same to the last bit, so the least time of each step over several runs is that of an idle machine.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "an example reads clocks and arguments and prints"
)]

use cpu_time::ProcessTime;
use randori_wholebody::phase::NoteKind;
use randori_wholebody::scenario::{NAMES, Options, Scenario};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let runs: usize = arguments.next().map_or(Ok(3), |text| text.parse())?;
    let wanted: Vec<String> = arguments.collect();
    let clock = ProcessTime::now();
    for name in NAMES.iter().filter(|name| wanted.is_empty() || wanted.iter().any(|w| w == *name)) {
        let mut least: Vec<f64> = Vec::new();
        let mut work: Vec<(usize, usize, bool)> = Vec::new();
        let mut changes: Vec<usize> = Vec::new();
        for run in 0..runs {
            let mut scenario = Scenario::build(name, &Options::default())?;
            let steps = (scenario.seconds() / scenario.world().scene.settings.dt) as usize;
            for idx in 0..steps {
                let notes = scenario.world().notes.len();
                let step = scenario.step_timed(&mut || clock.elapsed().as_secs_f64());
                let time = (step.spent[0] + step.spent[1]) * 1e6;
                if run == 0 {
                    least.push(time);
                    let solver = &scenario.controller().solver;
                    work.push((solver.rounds, solver.changes, step.fell_back));
                    let is_change =
                        |kind: &NoteKind| matches!(kind, NoteKind::ContactBegins | NoteKind::ContactEnds);
                    // The first step's contacts are there from the start.
                    if idx > 0 && scenario.world().notes[notes..].iter().any(|note| is_change(&note.kind)) {
                        changes.push(idx);
                    }
                } else {
                    least[idx] = least[idx].min(time);
                }
            }
        }
        let mut order: Vec<usize> = (0..least.len()).collect();
        order.sort_by(|a, b| least[*b].total_cmp(&least[*a]));
        let Some(median) = order.get(order.len() / 2).map(|idx| least[*idx]) else { continue };
        let over = least.iter().filter(|time| **time > 4.0 * median).count();
        let dense = work.iter().filter(|work| work.2).count();
        println!(
            "{name}: median {median:.1} us of {} steps, {over} over 4 times that, {dense} dense",
            least.len()
        );
        let show = |idx: usize, what: &str| {
            let (rounds, changes, _) = work[idx];
            let times = least[idx] / median;
            println!(
                "    step {idx}: {times:.1} times, {rounds} factorisations, {changes} single changes{what}"
            );
        };
        order.iter().take(4).for_each(|idx| show(*idx, ""));
        let longest = changes.iter().copied().max_by(|a, b| least[*a].total_cmp(&least[*b]));
        longest.into_iter().for_each(|idx| show(idx, ", the longest at which contacts change"));
    }
    Ok(())
}
