//! The block solver against the dense one and an interior-point method, over thousands of random scenes.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "tests fail by panicking and speak by printing")]

mod common;

use common::{Judged, judge};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use randori_wholebody::qp::blocks::{Block, LinkRow, Patch, PatchForce, SharedTask, Side};
use randori_wholebody::qp::{BlockQp, BlockSolver, DenseSolver, Status};

/// A few random bodies that push each other and the ground through random patches. Some are impossible,
/// some redundant, some without drive.
fn random_scene(seed: u64) -> BlockQp {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut number = move |low: f64, high: f64| rng.random_range(low..high);
    let n_blocks = number(1.0, 4.99) as usize;
    let mut qp = BlockQp::default();
    for _ in 0..n_blocks {
        let n = number(2.0, 9.0) as usize;
        let mut gram = |ridge: f64| {
            let rows: Vec<Vec<f64>> = (0..n).map(|_| (0..n).map(|_| number(-1.0, 1.0)).collect()).collect();
            let entry = |i: usize, j: usize| -> f64 {
                let sum: f64 = rows.iter().map(|row| row[i] * row[j]).sum();
                if i == j { sum + ridge } else { sum }
            };
            (0..n * n).map(|k| entry(k / n, k % n)).collect::<Vec<f64>>()
        };
        let (hessian, mass) = (gram(0.01), gram(1.0));
        let strength = number(0.0, 8.0);
        let driven = number(0.0, 1.0) < 0.8;
        qp.blocks.push(Block {
            n,
            hessian,
            mass,
            gradient: (0..n).map(|_| number(-2.0, 2.0)).collect(),
            nonlinear: (0..n).map(|_| number(-2.0, 2.0)).collect(),
            bounds: (0..n).map(|_| [number(-6.0, -0.5), number(0.5, 6.0)]).collect(),
            torque: (0..n)
                .map(|dof| if driven && dof > 0 { [-strength, strength] } else { [0.0, 0.0] })
                .collect(),
        });
    }
    for _ in 0..number(0.0, 4.0) as usize {
        let first = number(0.0, n_blocks as f64) as usize;
        let second = number(0.0, n_blocks as f64) as usize;
        let mut side = |block: usize| {
            let n = qp.blocks[block].n;
            let empty = number(0.0, 3.0) as usize;
            let rows = (0..6).flat_map(|axis| (0..n).map(move |_| axis)).collect::<Vec<_>>();
            let jacobian =
                rows.iter().map(|axis| if axis % 3 >= 3 - empty { 0.0 } else { number(-1.0, 1.0) }).collect();
            Side { block, jacobian, cross: Vec::new() }
        };
        let sides = if first == second { vec![side(first)] } else { vec![side(first), side(second)] };
        let columns = (0..16).map(|_| std::array::from_fn(|_| number(-1.0, 1.0))).collect();
        // Mostly targets that some accelerations reach, so that many scenes are possible.
        let reach: Vec<f64> = (0..9).map(|_| number(-0.4, 0.4)).collect();
        let target = std::array::from_fn(|axis| {
            sides
                .iter()
                .map(|side: &Side| {
                    let n = qp.blocks[side.block].n;
                    (0..n).map(|j| side.jacobian[axis * n + j] * reach[j]).sum::<f64>()
                })
                .sum()
        });
        qp.patches.push(Patch {
            key: qp.patches.len() as u64,
            sides,
            target,
            gradient: [0.0; 6],
            force: PatchForce::Generators { columns, weight: 1e-3 },
        });
    }
    if n_blocks > 1 && number(0.0, 1.0) < 0.5 {
        let parts = (0..n_blocks)
            .map(|b| (b, (0..3 * qp.blocks[b].n).map(|_| number(-1.0, 1.0)).collect()))
            .collect();
        qp.shared.push(SharedTask { rows: 3, parts, target: (0..3).map(|_| number(-1.0, 1.0)).collect() });
    }
    for _ in 0..number(0.0, 4.0) as usize {
        let blocks = [number(0.0, n_blocks as f64) as usize, number(0.0, n_blocks as f64) as usize];
        let blocks = if blocks[0] == blocks[1] { &blocks[..1] } else { &blocks[..] };
        let parts =
            blocks.iter().map(|b| (*b, (0..qp.blocks[*b].n).map(|_| number(-1.0, 1.0)).collect())).collect();
        qp.rows.push(LinkRow { parts, limits: [number(-1.0, 1.0), f64::INFINITY] });
    }
    qp
}

/// Patches with more generators than the blocks have room for once made the last look at the dense solution panic.
#[test]
fn more_generators_than_there_is_room_for_are_left_to_the_dense_solver() {
    let mut solved = 0;
    for seed in 0..200 {
        let mut qp = random_scene(seed);
        for patch in &mut qp.patches {
            if let PatchForce::Generators { columns, .. } = &mut patch.force {
                let more: Vec<[f64; 6]> =
                    columns[..5].iter().map(|column| column.map(|x| -0.5 * x)).collect();
                columns.extend(more);
            }
        }
        let mut solver = BlockSolver::default();
        let status = solver.solve(&qp);
        let (dense, _) = qp.to_dense();
        let mut other = DenseSolver::default();
        assert_eq!(status == Status::Solved, other.solve(&dense) == Status::Solved, "seed {seed}");
        if status == Status::Solved && !qp.patches.is_empty() {
            solved += 1;
            let mut x = solver.solution.qdd.clone();
            x.extend_from_slice(&solver.solution.coefficients);
            let (found, best) = (dense.objective(&x), dense.objective(&other.x));
            assert!((found - best).abs() < 1e-7 * (1.0 + best.abs()), "seed {seed}: {found} is not {best}");
        }
    }
    assert!(solved > 50, "{solved}");
}

#[test]
fn verdicts_and_optima_agree_with_an_interior_point_method() {
    let (mut solved, mut infeasible, mut fallbacks, mut unclear) = (0, 0, 0, 0);
    for seed in 0..3000 {
        let qp = random_scene(seed);
        let (dense, _) = qp.to_dense();
        let mut solver = BlockSolver::default();
        let status = solver.solve(&qp);
        match (judge(&dense), &status) {
            (Judged::Solved(best), Status::Solved) => {
                solved += 1;
                fallbacks += usize::from(solver.fell_back);
                let mut x = solver.solution.qdd.clone();
                x.extend_from_slice(&solver.solution.coefficients);
                let found = dense.objective(&x);
                assert!(
                    (found - best).abs() < 1e-5 * (1.0 + best.abs()),
                    "seed {seed}: {found} is not {best}"
                );
            }
            (Judged::Infeasible, Status::Infeasible { .. }) => {
                infeasible += 1;
                assert!(!solver.conflict.is_empty(), "seed {seed}");
            }
            (Judged::Unclear, _) => unclear += 1,
            (judged, found) => panic!("seed {seed}: {found:?} but the judge says {judged:?}"),
        }
        // The same again, warm: the same point.
        if status == Status::Solved {
            let before = solver.solution.qdd.clone();
            assert_eq!(solver.solve(&qp), Status::Solved);
            let off =
                before.iter().zip(&solver.solution.qdd).fold(0.0, |w: f64, (a, b)| w.max((a - b).abs()));
            assert!(off < 1e-6, "seed {seed}: {off:e}");
        }
    }
    eprintln!(
        "{solved} solved ({fallbacks} by the dense solver), {infeasible} infeasible, {unclear} left open"
    );
    assert!(solved > 500 && infeasible > 200 && unclear < 60);
}

/// The same scene with each patch's cone given by faces instead of generators.
fn with_faces(mut qp: BlockQp, seed: u64) -> BlockQp {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    for patch in &mut qp.patches {
        let mut face = || std::array::from_fn(|i| rng.random_range(if i == 0 { 0.0 } else { -1.0 }..1.0));
        let faces = (0..8).map(|_| face()).collect();
        let cost = std::array::from_fn(|i| if i % 7 == 0 { 1e-3 } else { 0.0 });
        patch.force = PatchForce::Faces { faces, cost };
    }
    qp
}

/// The active set of one problem is a bad guess for another with the opposite gradient: many limits change at
/// once, rows become dependent, and still the blocks find the optimum without the dense solver.
#[test]
fn bad_guesses_are_put_right_by_the_blocks_alone() {
    let (mut solved, mut fallbacks) = (0, 0);
    for seed in 10_000..10_800 {
        for faces in [false, true] {
            let qp = random_scene(seed);
            let qp = if faces { with_faces(qp, seed) } else { qp };
            let mut opposite = qp.clone();
            opposite.blocks.iter_mut().for_each(|block| block.gradient.iter_mut().for_each(|g| *g = -*g));
            let mut solver = BlockSolver::default();
            for problem in [&qp, &opposite, &qp] {
                let (plain, _) = problem.to_dense();
                let mut dense = DenseSolver::default();
                let (found, expected) = (solver.solve(problem), dense.solve(&plain));
                if expected != Status::Solved {
                    assert!(matches!(found, Status::Infeasible { .. }), "seed {seed}: {found:?}");
                    continue;
                }
                assert_eq!(found, Status::Solved, "seed {seed}");
                let forces = if faces { &solver.solution.wrenches } else { &solver.solution.coefficients };
                let x: Vec<f64> = solver.solution.qdd.iter().chain(forces).copied().collect();
                let (value, best) = (plain.objective(&x), plain.objective(&dense.x));
                assert!(
                    (value - best).abs() < 1e-6 * (1.0 + best.abs()),
                    "seed {seed}: {value} is not {best}"
                );
                solved += 1;
                fallbacks += usize::from(solver.fell_back);
            }
        }
    }
    eprintln!("{solved} solved, {fallbacks} by the dense solver");
    assert!(solved > 1500 && fallbacks * 100 < solved, "{fallbacks} of {solved}");
}

/// The scene a little later: every number has moved on along its own wave.
fn drifted(qp: &BlockQp, time: f64) -> BlockQp {
    let mut qp = qp.clone();
    let mut phase = 0.0;
    let mut drift = |size: f64| {
        phase += 1.0;
        size * ((phase + time).sin() - phase.sin())
    };
    for block in &mut qp.blocks {
        for i in 0..block.n {
            for j in 0..=i {
                let (hessian, mass) = (drift(1e-3), drift(1e-3));
                for at in if i == j { vec![i * block.n + i] } else { vec![i * block.n + j, j * block.n + i] }
                {
                    block.hessian[at] += hessian;
                    block.mass[at] += mass;
                }
            }
            block.gradient[i] += drift(1.0);
            block.nonlinear[i] += drift(0.2);
        }
    }
    for patch in &mut qp.patches {
        patch.sides.iter_mut().flat_map(|side| &mut side.jacobian).for_each(|x| *x += drift(1e-2) * x.abs());
        patch.target.iter_mut().for_each(|x| *x += drift(0.05) * x.abs());
    }
    qp.shared.iter_mut().flat_map(|task| &mut task.target).for_each(|x| *x += drift(0.2));
    qp
}

/// Many problems of a slow sequence are solved with the factor of an earlier one, and have the same optimum.
#[test]
fn what_follows_has_the_optimum_that_it_has_alone() {
    let (mut solved, mut followed) = (0, 0);
    for seed in 30_000..30_300 {
        for faces in [false, true] {
            let first = random_scene(seed);
            let first = if faces { with_faces(first, seed) } else { first };
            let mut solver = BlockSolver::default();
            for step in 0..12 {
                let problem = drifted(&first, 0.01 * f64::from(step));
                let (plain, _) = problem.to_dense();
                let mut dense = DenseSolver::default();
                let (found, expected) = (solver.solve(&problem), dense.solve(&plain));
                if expected != Status::Solved {
                    assert!(matches!(found, Status::Infeasible { .. }), "seed {seed} {step}: {found:?}");
                    continue;
                }
                assert_eq!(found, Status::Solved, "seed {seed} {step}");
                let forces = if faces { &solver.solution.wrenches } else { &solver.solution.coefficients };
                let x: Vec<f64> = solver.solution.qdd.iter().chain(forces).copied().collect();
                let (value, best) = (plain.objective(&x), plain.objective(&dense.x));
                assert!(
                    (value - best).abs() < 1e-7 * (1.0 + best.abs()),
                    "seed {seed} {step}: {value} is not {best}"
                );
                let n = solver.solution.qdd.len();
                let off = x[..n].iter().zip(&dense.x).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()));
                assert!(off < 1e-5, "seed {seed} {step}: accelerations differ by {off:e}");
                solved += 1;
                followed += usize::from(solver.rounds == 0 && !solver.fell_back);
            }
        }
    }
    eprintln!("{solved} solved, {followed} of them by following");
    assert!(followed * 3 > solved, "{followed} of {solved}");
}

/// Groups that do not meet are solved one by one: each has the bits it has alone.
#[test]
fn groups_that_do_not_meet_are_problems_of_their_own() {
    let mut checked = 0;
    for seed in 20_000..20_200 {
        let (a, b) = (random_scene(seed), random_scene(seed + 1000));
        let mut alone = BlockSolver::default();
        let mut together = a.clone();
        let shift = a.blocks.len();
        together.blocks.extend(b.blocks.iter().cloned());
        for patch in &b.patches {
            let mut patch = patch.clone();
            patch.key += 100;
            patch.sides.iter_mut().for_each(|side| side.block += shift);
            together.patches.push(patch);
        }
        for task in &b.shared {
            let mut task = task.clone();
            task.parts.iter_mut().for_each(|part| part.0 += shift);
            together.shared.push(task);
        }
        for row in &b.rows {
            let mut row = row.clone();
            row.parts.iter_mut().for_each(|part| part.0 += shift);
            together.rows.push(row);
        }
        if alone.solve(&a) != Status::Solved || alone.fell_back {
            continue;
        }
        let first = alone.solution.qdd.clone();
        if alone.solve(&b) != Status::Solved || alone.fell_back {
            continue;
        }
        alone.reset();
        assert_eq!(alone.solve(&b), Status::Solved);
        let mut both = BlockSolver::default();
        assert_eq!(both.solve(&together), Status::Solved, "seed {seed}");
        let expected: Vec<f64> = first.iter().chain(&alone.solution.qdd).copied().collect();
        assert_eq!(both.solution.qdd, expected, "seed {seed}");
        checked += 1;
    }
    assert!(checked > 20, "{checked}");
}
