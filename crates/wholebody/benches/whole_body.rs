//! The dynamics of one model, a whole step, and how steps grow with the number of people.

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
use randori_wholebody::model::Model;
use randori_wholebody::scene::{Controller, Feature, Scene, Verdict};
use randori_wholebody::urdf::{self, UrdfOptions};

#[path = "../tests/people/mod.rs"]
mod people;

/// Whether a part of this bench was asked for: `cargo bench … -- WORD` runs those with the word in their name.
fn asked_for(name: &str) -> bool {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    words.is_empty() || words.iter().any(|word| name.contains(word.as_str()))
}

/// The model of the text file `RANDORI_URDF`, without the joints listed in `RANDORI_LOCKED` (comma between); the
/// built-in person otherwise.
fn model_to_measure() -> Model {
    let Ok(path) = std::env::var("RANDORI_URDF") else { return humanoid::person() };
    let locked = std::env::var("RANDORI_LOCKED").unwrap_or_default();
    let locked = locked.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect();
    let text = std::fs::read_to_string(&path).expect("RANDORI_URDF names a text file");
    urdf::read_urdf(&text, &UrdfOptions { locked, ..UrdfOptions::default() }).expect("a URDF").model
}

/// Each algorithm by itself, from a state to its result, as other libraries' functions are called. The states are
/// those of `bench-peers/dynamics`, so both can be run in turns.
fn algorithms(_: &mut Criterion) {
    if !asked_for("algorithms") {
        return;
    }
    let model = model_to_measure();
    let states: Vec<(Vec<f64>, Vec<f64>)> = (0..40)
        .map(|idx| {
            let mut q = model.neutral();
            let wave = |scale: f64, shift: f64, turn: f64| -> Vec<f64> {
                (0..model.n_v).map(|k| scale * libm::sin(shift + k as f64 + turn * f64::from(idx))).collect()
            };
            model.integrate(&mut q, &wave(0.8, 1.0, 7.0));
            (q, wave(1.0, 2.0, 5.0))
        })
        .collect();
    let gravity = DVec3::new(0.0, 0.0, -9.81);
    let ws = &mut Workspace::new(&model);
    let (q, v) = &states[3];
    dynamics::update(&model, ws, q, v);
    dynamics::mass_matrix(&model, ws);
    dynamics::nonlinear_terms(&model, ws, gravity);
    let size = |numbers: &[f64]| numbers.iter().map(|x| x.abs()).sum::<f64>();
    println!(
        "{}, {} dofs: sum |M| {:.10}, sum |nle| {:.10}",
        model.name,
        model.n_v,
        size(&ws.mass_matrix),
        size(&ws.nonlinear)
    );
    type Algorithm = fn(&Model, &mut Workspace, &[f64], &[f64]);
    let rows: [(&str, Algorithm); 5] = [
        ("mass matrix", |model, ws, q, _| {
            dynamics::place(model, ws, q);
            dynamics::weigh(model, ws);
            dynamics::mass_matrix(model, ws);
        }),
        ("non-linear terms", |model, ws, q, v| {
            dynamics::update(model, ws, q, v);
            dynamics::nonlinear_terms(model, ws, DVec3::new(0.0, 0.0, -9.81));
        }),
        ("Jacobians", |model, ws, q, _| dynamics::place(model, ws, q)),
        ("time variation of Jacobians", |model, ws, q, v| {
            dynamics::place(model, ws, q);
            dynamics::set_in_motion(model, ws, v);
            dynamics::jacobian_rates(model, ws);
        }),
        ("all of them", |model, ws, q, v| {
            dynamics::update(model, ws, q, v);
            dynamics::mass_matrix(model, ws);
            dynamics::nonlinear_terms(model, ws, DVec3::new(0.0, 0.0, -9.81));
            dynamics::jacobian_rates(model, ws);
        }),
    ];
    let clock = ProcessTime::now();
    for (name, run) in rows {
        let mut rounds: Vec<f64> = (0..400)
            .map(|_| {
                let before = clock.elapsed().as_secs_f64();
                for _ in 0..5 {
                    for (q, v) in &states {
                        run(&model, ws, q, v);
                        std::hint::black_box(&mut *ws);
                    }
                }
                (clock.elapsed().as_secs_f64() - before) * 1e6 / (5 * states.len()) as f64
            })
            .collect();
        rounds.sort_by(f64::total_cmp);
        println!("{name:<40} least {:7.3}  median {:7.3} us", rounds[0], rounds[rounds.len() / 2]);
    }
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
    if !asked_for("growth") {
        return;
    }
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

/// A whole step (dynamics, assembly, solution) of one person on both feet who is led to and fro, as in TSID's own
/// bench: the time of every step of one run.
fn sway(_: &mut Criterion) {
    const STEPS: usize = 1000;
    if !asked_for("sway") {
        return;
    }
    let mut scene = Scene::default();
    scene.settings.dt = 0.002;
    people::row(&mut scene, 1);
    let center = scene.center_of(&[0]);
    let mut controller = Controller::default();
    let clock = ProcessTime::now();
    let mut times: Vec<f64> = (0..STEPS)
        .map(|step| {
            let time = step as f64 * scene.settings.dt;
            let shift = DVec3::new(0.03 * libm::sin(6.0 * time), 0.0, 0.04 * libm::sin(4.0 * time));
            for task in &mut scene.tasks {
                if let Feature::CenterOfMass { position, .. } = &mut task.feature {
                    *position = center + shift;
                }
            }
            let before = clock.elapsed().as_secs_f64();
            assert_eq!(controller.step(&mut scene).verdict, Verdict::Solved);
            (clock.elapsed().as_secs_f64() - before) * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let share = |percent: usize| times[(STEPS - 1) * percent / 100];
    println!(
        "one person who sways: median {:.1} us a step, 95 in 100 below {:.1}, longest {:.1}",
        share(50),
        share(95),
        share(100)
    );
}

criterion_group!(benches, algorithms, sway, growth, steps);
criterion_main!(benches);
