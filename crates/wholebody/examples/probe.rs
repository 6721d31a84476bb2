#![allow(
    clippy::all,
    clippy::pedantic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    missing_docs
)]
use randori_wholebody::scenario::*;
use std::time::Instant;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let dt = a.get(2).and_then(|x| x.parse::<f64>().ok()).filter(|x| *x > 0.0);
    let secs = a.get(3).and_then(|x| x.parse::<f64>().ok());
    let every = a.get(4).and_then(|x| x.parse::<f64>().ok()).unwrap_or(1.0);
    let separate = a.get(5).is_some_and(|x| x == "separate");
    let mut s = Scenario::build(&a[1], &Options { dt, seed: 1, separate }).unwrap();
    let start = Instant::now();
    let mut all = Figures::default();
    let mut times = Vec::new();
    let mut next = 0.0;
    let mut falls = 0;
    let mut printed = 0;
    while s.world().time < secs.unwrap_or(s.seconds()) {
        let c = Instant::now();
        let mut clock = || c.elapsed().as_secs_f64();
        let step = s.step_timed(&mut clock);
        falls += usize::from(step.fell_back);
        times.push((
            1e3 * (step.spent[0] + step.spent[1]),
            s.world().time,
            step.spent[1] * 1e3,
            s.controller().solver.rounds,
        ));
        all = all.worse(&step.figures);
        if let Some(t) = s.trouble() {
            if printed < 12 {
                printed += 1;
                println!(
                    "{:.3} {}: {}",
                    s.world().time,
                    s.machine().phase(),
                    t.chars().take(600).collect::<String>()
                );
            }
        }
        if s.world().time >= next {
            next += every;
            println!(
                "{:.2} [{}] {:?} slip {:.3} {:?}",
                s.world().time,
                s.machine().phase(),
                s.results(),
                step.figures.slip_mm_max,
                s.tasks().iter().map(|(n, d)| format!("{n} {d:.3}")).collect::<Vec<_>>()
            );
        }
    }
    println!("{all:#?} infeasible {} falls {falls} wall {:?}", s.infeasible_steps(), start.elapsed());
    let mut t: Vec<f64> = times.iter().map(|x| x.0).collect();
    t.sort_by(f64::total_cmp);
    println!(
        "median {:.4} p99 {:.4} max {:.4} steps {}",
        t[t.len() / 2],
        t[t.len() * 99 / 100],
        t[t.len() - 1],
        t.len()
    );
    times.sort_by(|a, b| b.0.total_cmp(&a.0));
    for x in times.iter().take(6) {
        println!("  slow {x:?}");
    }
    let q = s.controller().assembly.qp.to_dense().0;
    println!("n {} eq {}", q.n, q.b.len());
}
