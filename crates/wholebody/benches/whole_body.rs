//! Dynamics of one person, a whole step, and how steps grow with the number of people.

#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "criterion's macros make public items; a bench reads clocks and prints"
)]

use cpu_time::ProcessTime;
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use glam::DVec3;
use randori_wholebody::dynamics::{self, Workspace};
use randori_wholebody::humanoid;
use randori_wholebody::scene::{Controller, Scene, Verdict};

#[path = "../tests/people/mod.rs"]
mod people;

fn one_person(c: &mut Criterion) {
    let model = humanoid::person();
    let mut workspace = Workspace::new(&model);
    let mut q = model.neutral();
    let step: Vec<f64> = (0..model.n_v).map(|k| 0.3 * libm::sin(k as f64)).collect();
    model.integrate(&mut q, &step);
    let v = step;
    dynamics::update(&model, &mut workspace, &q, &v);
    let mut group = c.benchmark_group("dynamics");
    group.bench_function("poses, jacobian columns, velocities, biases", |b| {
        b.iter(|| dynamics::update(&model, &mut workspace, &q, &v));
    });
    group.bench_function("mass matrix", |b| b.iter(|| dynamics::mass_matrix(&model, &mut workspace)));
    let gravity = DVec3::new(0.0, -9.81, 0.0);
    group.bench_function("nonlinear terms", |b| {
        b.iter(|| dynamics::nonlinear_terms(&model, &mut workspace, gravity))
    });
    let frame = model.frame("left_sole").expect("the built-in person has it");
    let mut jacobian = vec![0.0; 6 * model.n_v];
    group.bench_function("frame jacobian", |b| {
        b.iter(|| dynamics::frame_jacobian(&model, &workspace, frame, &mut jacobian));
    });
    group.finish();
}

fn steps(c: &mut Criterion) {
    let mut group = c.benchmark_group("step");
    for n in [1, 2, 4, 8, 16] {
        type Build = fn(&mut Scene, usize);
        let kinds: [(&str, Build); 2] = [
            ("independent", |scene, n| {
                people::row(scene, n);
            }),
            ("chain", people::chain),
        ];
        for (name, build) in kinds {
            let mut scene = Scene::default();
            build(&mut scene, n);
            let mut controller = Controller::default();
            (0..20).for_each(|_| assert_eq!(controller.step(&mut scene).verdict, Verdict::Solved));
            group.bench_function(BenchmarkId::new(name, n), |b| b.iter(|| controller.solve(&scene).verdict));
            group.bench_function(BenchmarkId::new(format!("{name}, assembly alone"), n), |b| {
                b.iter(|| controller.assembly.assemble(&scene));
            });
        }
    }
    group.finish();
}

/// The curve of growth in one run, by the time of this process: the least time of each step, the median over
/// steps, for people who stand apart and who hold hands. Apart they should cost the sum.
fn growth(_: &mut Criterion) {
    const STEPS: usize = 100;
    let clock = ProcessTime::now();
    for (name, together) in [("apart", false), ("hand in hand", true)] {
        let mut one = 0.0;
        for n in [1, 2, 4, 8, 16] {
            let mut least = vec![f64::INFINITY; STEPS];
            for _ in 0..8 {
                let mut scene = Scene::default();
                if together {
                    people::chain(&mut scene, n);
                } else {
                    people::row(&mut scene, n);
                }
                let mut controller = Controller::default();
                for time in &mut least {
                    let before = clock.elapsed().as_secs_f64();
                    assert_eq!(controller.step(&mut scene).verdict, Verdict::Solved);
                    *time = time.min((clock.elapsed().as_secs_f64() - before) * 1e6);
                }
            }
            least.drain(..10);
            least.sort_by(f64::total_cmp);
            let (median, longest) = (least[least.len() / 2], least[least.len() - 1]);
            if n == 1 {
                one = median;
            }
            println!(
                "{n:2} people {name}: {median:8.1} us a step, {:6.1} each, {:5.2} times one; longest {longest:.1} us",
                median / n as f64,
                median / one
            );
        }
    }
}

criterion_group!(benches, growth, one_person, steps);
criterion_main!(benches);
