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

/// The scene with a cost of torques, `½ weight |M qdd + h - Jᵀ w|²`: accelerations and wrenches meet in it.
fn with_torque_cost(mut qp: BlockQp, weight: f64) -> BlockQp {
    let size = 6 * qp.patches.len();
    qp.wrench_cost = vec![0.0; size * size];
    for (b, block) in qp.blocks.iter_mut().enumerate() {
        let n = block.n;
        let product = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| weight * a * b).sum() };
        let mass = block.mass.clone();
        let masses: Vec<&[f64]> = mass.chunks_exact(n).collect();
        for (at, x) in block.hessian.iter_mut().enumerate() {
            *x += product(masses[at / n], masses[at % n]);
        }
        for (x, row) in block.gradient.iter_mut().zip(&masses) {
            *x += product(row, &block.nonlinear);
        }
        // All rows of all patches on this block, the number of each among all wrenches first.
        let mut pushes: Vec<(usize, Vec<f64>)> = Vec::new();
        for (k, patch) in qp.patches.iter_mut().enumerate() {
            for side in patch.sides.iter_mut().filter(|side| side.block == b) {
                side.cross.clear();
                for (axis, row) in side.jacobian.chunks_exact(n).enumerate() {
                    side.cross.extend(masses.iter().map(|column| -product(row, column)));
                    patch.gradient[axis] -= product(row, &block.nonlinear);
                    pushes.push((6 * k + axis, row.to_vec()));
                }
            }
        }
        for (i, a) in &pushes {
            for (j, b) in &pushes {
                qp.wrench_cost[i * size + j] += product(a, b);
            }
        }
    }
    qp
}

fn farthest(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()))
}

/// Many problems of a slow sequence are solved with the factor of an earlier one, and have the same optimum: points,
/// torques and multipliers are those that a new solver finds.
#[test]
fn what_follows_has_the_optimum_that_it_has_alone() {
    let (mut solved, mut followed) = (0, 0);
    for seed in 30_000..30_200 {
        for kind in 0..4 {
            let first = random_scene(seed);
            let first = if kind % 2 == 1 { with_faces(first, seed) } else { first };
            let mut solver = BlockSolver::default();
            for step in 0..12 {
                let problem = drifted(&first, 0.01 * f64::from(step));
                let problem = if kind >= 2 { with_torque_cost(problem, 1e-2) } else { problem };
                let mut alone = BlockSolver::default();
                let (found, expected) = (solver.solve(&problem), alone.solve(&problem));
                if expected != Status::Solved {
                    assert!(
                        matches!(found, Status::Infeasible { .. }),
                        "seed {seed} {kind} {step}: {found:?}"
                    );
                    continue;
                }
                assert_eq!(found, Status::Solved, "seed {seed} {kind} {step}");
                solved += 1;
                if solver.rounds > 0 || solver.fell_back || alone.fell_back {
                    continue;
                }
                followed += 1;
                let (a, b) = (&solver.solution, &alone.solution);
                let what = [
                    ("accelerations", farthest(&a.qdd, &b.qdd), 1e-6),
                    ("torques", farthest(&a.torques, &b.torques), 1e-5),
                    ("wrenches", farthest(&a.wrenches, &b.wrenches), 1e-5),
                    ("coefficients", farthest(&a.coefficients, &b.coefficients), 1e-5),
                    ("faces", farthest(&a.cone_multipliers, &b.cone_multipliers), 1e-5),
                    ("torque limits", farthest(&a.torque_multipliers, &b.torque_multipliers), 1e-5),
                    ("bounds", farthest(&a.bound_multipliers, &b.bound_multipliers), 1e-5),
                    ("rows", farthest(&a.row_multipliers, &b.row_multipliers), 1e-5),
                ];
                for (what, off, most) in what {
                    assert!(off < most, "seed {seed} {kind} {step}: {what} differ by {off:e}");
                }
            }
        }
    }
    eprintln!("{solved} solved, {followed} of them by following");
    assert!(followed * 3 > solved, "{followed} of {solved}");
}

/// One free body with a cost for each of two accelerations.
fn free(costs: [f64; 2], gradient: [f64; 2]) -> BlockQp {
    let block = Block {
        n: 2,
        hessian: vec![costs[0], 0.0, 0.0, costs[1]],
        gradient: gradient.to_vec(),
        bounds: vec![[f64::NEG_INFINITY, f64::INFINITY]; 2],
        mass: vec![1.0, 0.0, 0.0, 1.0],
        nonlinear: vec![0.0; 2],
        torque: vec![[f64::NEG_INFINITY, f64::INFINITY]; 2],
    };
    BlockQp { blocks: vec![block], ..BlockQp::default() }
}

#[test]
fn what_costs_next_to_nothing_is_followed_as_exactly() {
    for cost in [1e-6, 1e-8, 1e-9] {
        let mut solver = BlockSolver::default();
        for goal in [0.0, 0.0, 0.1, 1.0, 4.0, 4.0, -3.0] {
            assert_eq!(solver.solve(&free([1.0, cost], [0.5, -cost * goal])), Status::Solved);
            let found = &solver.solution.qdd;
            assert!((found[1] - goal).abs() < 1e-6, "cost {cost}: {found:?}, not {goal}");
        }
        assert_eq!(solver.rounds, 0, "the last one was followed");
    }
}

#[test]
fn what_stops_being_convex_is_noticed() {
    let mut solver = BlockSolver::default();
    assert_eq!(solver.solve(&free([1.0, 1.0], [-1.0, 0.0])), Status::Solved);
    assert_eq!(solver.solve(&free([1.0, 1.0], [-1.0, 0.0])), Status::Solved);
    assert_eq!(solver.solve(&free([1.0, -1.0], [-1.0, 0.0])), Status::Invalid);
}

/// A number that is none is never taken for a solution, first or later, and what comes after it is solved as before.
#[test]
fn numbers_that_are_none_are_refused_and_forgotten() {
    let mut refused = 0;
    for seed in 40_000..40_060 {
        let good = random_scene(seed);
        let good = if seed % 2 == 0 { good } else { with_faces(good, seed) };
        let mut alone = BlockSolver::default();
        if alone.solve(&good) != Status::Solved {
            continue;
        }
        for part in 0..9 {
            let mut bad = good.clone();
            let last = bad.blocks.len() - 1;
            let block = &mut bad.blocks[last];
            let n = block.n;
            match part {
                0 => block.hessian[n + 1] = f64::NAN,
                1 => block.gradient[n - 1] = f64::NAN,
                2 => block.mass[n * n - 1] = f64::NAN,
                3 => block.nonlinear[n - 1] = f64::NAN,
                4 => block.bounds[0][1] = f64::NAN,
                5 => block.bounds[0][0] = f64::INFINITY,
                6 => block.torque[n - 1][0] = f64::NAN,
                7 => match bad.rows.first_mut() {
                    Some(row) => row.parts[0].1[0] = f64::NAN,
                    None => continue,
                },
                _ => match bad.patches.first_mut().map(|patch| &mut patch.force) {
                    Some(PatchForce::Generators { columns, .. }) => columns[2][3] = f64::NAN,
                    Some(PatchForce::Faces { faces, .. }) => faces[2][3] = f64::NAN,
                    None => continue,
                },
            }
            let mut solver = BlockSolver::default();
            assert_eq!(solver.solve(&bad), Status::Invalid, "seed {seed} {part}, first");
            (0..3).for_each(|_| assert_eq!(solver.solve(&good), Status::Solved, "seed {seed} {part}"));
            assert_eq!(solver.solve(&bad), Status::Invalid, "seed {seed} {part}, later");
            assert_eq!(solver.solve(&good), Status::Solved, "seed {seed} {part}");
            let off = farthest(&solver.solution.qdd, &alone.solution.qdd);
            assert!(off < 1e-6, "seed {seed} {part}: {off:e}");
            refused += 1;
        }
    }
    assert!(refused > 100, "{refused}");
}

/// Whoever takes the solution away, or begins anew, gets what a new solver finds.
#[test]
fn solutions_may_be_taken_and_solvers_reset_between_problems() {
    let mut checked = 0;
    for seed in 45_000..45_060 {
        let first = random_scene(seed);
        let (mut solver, mut taken) = (BlockSolver::default(), Vec::new());
        for step in 0..6 {
            let problem = drifted(&first, 1e-4 * f64::from(step));
            if step == 4 {
                solver.reset();
            }
            let mut alone = BlockSolver::default();
            let status = solver.solve(&problem);
            assert_eq!(status, alone.solve(&problem), "seed {seed} {step}");
            if status != Status::Solved {
                break;
            }
            let off = farthest(&solver.solution.qdd, &alone.solution.qdd);
            assert!(off < 1e-6, "seed {seed} {step}: {off:e}");
            assert!(step != 4 || solver.solution == alone.solution, "seed {seed}: reset is not new");
            taken.push(std::mem::take(&mut solver.solution));
            checked += 1;
        }
    }
    assert!(checked > 60, "{checked}");
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
