//! Solving families of problem files.

use serde::Serialize;

use crate::qp::file::{Family, Form};
use crate::qp::recognise::{Recognised, recognise};
use crate::qp::{BlockSolver, DenseSolver, Status};

/// How one family went.
#[derive(Clone, Debug, Serialize)]
pub struct QpReport {
    /// Name of the scenario.
    pub scenario: String,
    /// `six`, `notau` or `wrench`.
    pub form: &'static str,
    /// Problems solved.
    pub steps: usize,
    /// Problems without an optimum within 1e-6 of the conditions.
    pub failures: usize,
    /// New solver for each problem (ms).
    pub cold_median_ms: f64,
    /// One solver for the whole sequence, from its second problem on (ms).
    pub warm_median_ms: f64,
    /// Slowest problem of the sequence (ms).
    pub warm_max_ms: f64,
    /// Largest residual of the optimality conditions, in the file's own matrices.
    pub kkt_max: f64,
    /// Largest difference to the reference's objective, relative.
    pub objective_gap_max: f64,
    /// Most factorisations one problem of the sequence needed.
    pub rounds_max: usize,
    /// Problems of the sequence that the dense solver had to decide.
    pub fallbacks: usize,
}

/// Pairs of readings of a clock that tell what one costs.
const CLOCK_READINGS: usize = 100;

/// Solves a family twice, each problem on its own and all in sequence, and measures with `now` (seconds).
///
/// As for other solvers on these files, the data are brought into the solver's layout (its blocks) before
/// the clock runs, and memory is given back after it has stopped. What reading the clock itself costs is taken off:
/// a tenth of a small problem, where the clock is that of the process.
pub fn qp_report(family: &Family, now: &mut dyn FnMut() -> f64) -> QpReport {
    let form = match family.form {
        Form::Table => "table",
        Form::Six => "six",
        Form::Notau => "notau",
        Form::Wrench => "wrench",
    };
    let mut report = QpReport {
        scenario: family.scenario.clone(),
        form,
        steps: family.steps,
        failures: 0,
        cold_median_ms: 0.0,
        warm_median_ms: 0.0,
        warm_max_ms: 0.0,
        kkt_max: 0.0,
        objective_gap_max: 0.0,
        rounds_max: 0,
        fallbacks: 0,
    };
    let (mut cold, mut warm) = (Vec::new(), Vec::new());
    let mut watch = Stopwatch::new(now);
    let mut solver = BlockSolver::default();
    for step in 0..family.steps {
        let Some(reference) = family.problem(step) else { break };
        let qp = &reference.problem;
        let (status, x, multipliers) = match recognise(qp, &family.layout, family.form) {
            Some(known) => {
                let fresh = || {
                    let mut solver = BlockSolver::default();
                    solver.solve(&known.blocks);
                    solver
                };
                cold.push(watch.time(fresh).0);
                let (time, status) = watch.time(|| solver.solve(&known.blocks));
                // The first of a sequence has nothing to be warm from.
                if step > 0 || family.steps == 1 {
                    warm.push(time);
                    report.rounds_max = report.rounds_max.max(solver.rounds);
                }
                report.fallbacks += usize::from(solver.fell_back);
                let (x, multipliers) = Recognised::to_file(&known, qp, &solver.solution);
                (status, x, multipliers)
            }
            None => {
                let mut dense = DenseSolver::default();
                let (time, status) = watch.time(|| dense.solve(qp));
                cold.push(time);
                warm.push(time);
                report.fallbacks += 1;
                (status, dense.x, dense.multipliers)
            }
        };
        let kkt = qp.residuals(&x, &multipliers).max();
        let (found, best) = (qp.objective(&x), qp.objective(&reference.x));
        if status != Status::Solved || !(kkt < 1e-6) {
            report.failures += 1;
        }
        report.kkt_max = report.kkt_max.max(kkt);
        report.objective_gap_max = report.objective_gap_max.max((found - best).abs() / (1.0 + best.abs()));
    }
    report.cold_median_ms = median(&mut cold);
    report.warm_max_ms = warm.iter().copied().fold(0.0, f64::max);
    report.warm_median_ms = median(&mut warm);
    report
}

struct Stopwatch<'a> {
    /// Seconds.
    now: &'a mut dyn FnMut() -> f64,
    /// What reading the clock costs (s).
    cost: f64,
}

impl<'a> Stopwatch<'a> {
    fn new(now: &'a mut dyn FnMut() -> f64) -> Self {
        let mut cost = f64::INFINITY;
        for _ in 0..CLOCK_READINGS {
            let start = now();
            cost = cost.min(now() - start);
        }
        Stopwatch { now, cost }
    }

    /// How long work takes (ms), and what comes of it.
    fn time<T>(&mut self, work: impl FnOnce() -> T) -> (f64, T) {
        let start = (self.now)();
        let result = work();
        let time = (self.now)() - start - self.cost;
        (time.max(0.0) * 1e3, result)
    }
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(0.0)
}
