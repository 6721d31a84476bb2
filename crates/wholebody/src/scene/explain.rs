//! When a step cannot be solved: which limits give way, and why, in words.
//!
//! Limits are softened in the order of [`Softness`], each level together with the ones before it, until
//! the rest can be satisfied; what is softened is then violated as little as possible (least squares, in
//! front of all tasks). Equations of motion and friction never give way, and with everything else soft
//! there is always a solution: falling freely.

use super::assembly::{Assembly, Rows, posture_target, task_rows};
use super::{Feature, Scene};
use crate::qp::blocks::{BlockQp, DenseMap, Limit, PatchForce};
use crate::qp::kernels::dot;
use crate::qp::{BlockSolution, DenseQp, DenseSolver, Status};

/// What gives way first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Softness {
    /// Keeping distance.
    Collision,
    /// Joint and velocity limits.
    Joint,
    /// Torque limits.
    Torque,
    /// Contacts.
    Contact,
    /// Equations of motion without drive, friction.
    Never,
}

/// A limit that had to give way.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    /// In words: `torque limit of joint `left_shank_x` of `anna``.
    pub what: String,
    /// What kind of limit it is.
    pub softness: Softness,
    /// By how much it is exceeded, in its own unit (m/s², rad/s², N or N m).
    pub by: f64,
}

/// Why a step could not be solved and what was done about it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Explanation {
    /// The scene itself is impossible, in words.
    pub fault: Option<String>,
    /// Limits that contradict each other, in words, without repetitions.
    pub conflict: Vec<String>,
    /// The softest level that sufficed.
    pub softened: Option<Softness>,
    /// Limits that are exceeded by the accelerations chosen, worst first of each kind.
    pub violations: Vec<Violation>,
    /// Tasks of the subsystems in conflict and how far their accelerations are from desired, worst first.
    pub tasks: Vec<(String, f64)>,
}

impl std::fmt::Display for Explanation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(fault) = &self.fault {
            return write!(f, "refused: {fault}");
        }
        write!(f, "these contradict each other: {}", self.conflict.join("; "))?;
        for violation in &self.violations {
            write!(f, ". The {} gave way by {:.3}", violation.what, violation.by)?;
        }
        for (task, error) in &self.tasks {
            write!(f, ". The task `{task}` misses its acceleration by {error:.3}")?;
        }
        Ok(())
    }
}

/// Cost of exceeding a softened limit, against tasks of weight 1: a violation of one unit outweighs an
/// acceleration error of a thousand.
const SLACK_COST: f64 = 1e6;
/// Accelerations beyond this are no motion (m/s², rad/s²).
const WILD: f64 = 5e3;
/// The share of every velocity that is taken off in a step where nothing else can be worked out.
const SLOWED: f64 = 0.2;
/// A softened limit exceeded by less than this is met.
const MET: f64 = 1e-6;

/// The best there is with some limits soft; `None` if the program holds numbers that are none.
pub(super) fn relax(
    scene: &Scene,
    assembly: &Assembly,
    conflict: &[Limit],
) -> Option<(BlockSolution, Explanation)> {
    let qp = &assembly.qp;
    let (dense, map) = qp.to_dense();
    let mut solver = DenseSolver::default();
    // Limits that can only be met by throwing bodies about are not met: more gives way, and of what is wild all the same
    // the mildest is taken.
    let mut mildest: Option<(f64, Softness, BlockSolution)> = None;
    for level in [Softness::Collision, Softness::Joint, Softness::Torque, Softness::Contact] {
        let soft = soften(qp, &dense, &map, level);
        if solver.solve(&soft) != Status::Solved {
            continue;
        }
        let solution = read(qp, &map, &solver.x);
        let wild = solution.qdd.iter().fold(0.0, |most: f64, a| most.max(a.abs()));
        if wild.is_finite() && mildest.as_ref().is_none_or(|(least, ..)| wild < *least) {
            mildest = Some((wild, level, solution));
        }
        if wild < WILD {
            break;
        }
    }
    let numbers = [&dense.h, &dense.g, &dense.a, &dense.c];
    if !numbers.iter().all(|numbers| numbers.iter().all(|number| number.is_finite())) {
        return None;
    }
    // Where not even that can be worked out, everybody slows down.
    let slowed = || {
        let velocities = scene.subsystems.iter().flat_map(|subsystem| &subsystem.v);
        let mut x: Vec<f64> = velocities.map(|v| -SLOWED * v / scene.settings.dt).collect();
        x.resize(dense.n, 0.0);
        (Softness::Contact, read(qp, &map, &x))
    };
    let (level, solution) = mildest.map_or_else(slowed, |(_, level, solution)| (level, solution));
    let violations = violations(scene, qp, &solution, level);
    let mut names: Vec<String> = Vec::new();
    for limit in conflict {
        let name = describe(scene, *limit);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let tasks = missed_tasks(scene, assembly, &solution, conflict);
    let softened = Some(level);
    Some((solution, Explanation { fault: None, conflict: names, softened, violations, tasks }))
}

fn softness_of(qp: &BlockQp, limit: Limit) -> Softness {
    match limit {
        Limit::Row { .. } => Softness::Collision,
        Limit::Acceleration { .. } => Softness::Joint,
        Limit::Torque { block, dof } => {
            let passive = qp.blocks[block].torque[dof] == [0.0, 0.0];
            if passive { Softness::Never } else { Softness::Torque }
        }
        Limit::NoSlip { .. } => Softness::Contact,
        Limit::Cone { .. } => Softness::Never,
    }
}

/// The same program with a slack variable for every limit as soft as `level` or softer.
fn soften(qp: &BlockQp, dense: &DenseQp, map: &DenseMap, level: Softness) -> DenseQp {
    let is_soft = |limit: Limit| softness_of(qp, limit) <= level;
    let n = dense.n;
    let n_qdd = qp.n_qdd();
    let bounded = |i: usize| dense.x_lower[i].is_finite() || dense.x_upper[i].is_finite();
    let soft_bounds: Vec<usize> = (0..n_qdd).filter(|i| bounded(*i) && level >= Softness::Joint).collect();
    let count = |limits: &[Limit]| limits.iter().filter(|limit| is_soft(**limit)).count();
    let total = n + count(&map.equalities) + count(&map.inequalities) + soft_bounds.len();
    let mut soft = DenseQp::new(total);
    for i in 0..n {
        soft.h[i * total..i * total + n].copy_from_slice(&dense.h[i * n..(i + 1) * n]);
        soft.g[i] = dense.g[i];
        (soft.x_lower[i], soft.x_upper[i]) = (dense.x_lower[i], dense.x_upper[i]);
    }
    for i in n..total {
        soft.h[i * total + i] = SLACK_COST;
    }
    let mut slack = n;
    let mut row = vec![0.0; total];
    let mut write_row = |soft: &mut DenseQp, coefficients: &[f64], give: bool, limits: [f64; 2]| {
        row.fill(0.0);
        row[..n].copy_from_slice(coefficients);
        if give {
            row[slack] = 1.0;
            slack += 1;
        }
        if limits[0] == limits[1] {
            soft.add_equality(&row, limits[0]);
        } else {
            soft.add_inequality(&row, limits[0], limits[1]);
        }
    };
    for (i, limit) in map.equalities.iter().enumerate() {
        write_row(&mut soft, &dense.a[i * n..(i + 1) * n], is_soft(*limit), [dense.b[i]; 2]);
    }
    for (i, limit) in map.inequalities.iter().enumerate() {
        write_row(&mut soft, &dense.c[i * n..(i + 1) * n], is_soft(*limit), [dense.lower[i], dense.upper[i]]);
    }
    for i in soft_bounds {
        let mut unit = vec![0.0; n];
        unit[i] = 1.0;
        write_row(&mut soft, &unit, true, [dense.x_lower[i], dense.x_upper[i]]);
        (soft.x_lower[i], soft.x_upper[i]) = (f64::NEG_INFINITY, f64::INFINITY);
    }
    soft
}

fn read(qp: &BlockQp, map: &DenseMap, x: &[f64]) -> BlockSolution {
    let n_qdd = qp.n_qdd();
    let mut out = BlockSolution {
        qdd: x[..n_qdd].to_vec(),
        wrenches: vec![0.0; 6 * qp.patches.len()],
        torque_multipliers: vec![0.0; n_qdd],
        bound_multipliers: vec![0.0; n_qdd],
        contact_multipliers: vec![0.0; 6 * qp.patches.len()],
        cone_multipliers: vec![0.0; qp.n_cone()],
        row_multipliers: vec![0.0; qp.rows.len()],
        ..BlockSolution::default()
    };
    for (k, patch) in qp.patches.iter().enumerate() {
        let at = map.force_starts[k];
        match &patch.force {
            PatchForce::Generators { columns, .. } => {
                for (idx, column) in columns.iter().enumerate() {
                    out.coefficients.push(x[at + idx]);
                    (0..6).for_each(|i| out.wrenches[6 * k + i] += x[at + idx] * column[i]);
                }
            }
            PatchForce::Faces { faces, .. } => {
                out.coefficients.resize(out.coefficients.len() + faces.len(), 0.0);
                out.wrenches[6 * k..6 * k + 6].copy_from_slice(&x[at..at + 6]);
            }
        }
    }
    for (b, block) in qp.blocks.iter().enumerate() {
        let start = qp.block_start(b);
        for dof in 0..block.n {
            let mut torque = block.nonlinear[dof];
            torque += dot(&block.mass[dof * block.n..(dof + 1) * block.n], &out.qdd[start..start + block.n]);
            for (k, patch) in qp.patches.iter().enumerate() {
                for side in patch.sides.iter().filter(|side| side.block == b) {
                    torque -= (0..6)
                        .map(|i| side.jacobian[i * block.n + dof] * out.wrenches[6 * k + i])
                        .sum::<f64>();
                }
            }
            out.torques.push(torque);
        }
    }
    out
}

fn violations(scene: &Scene, qp: &BlockQp, solution: &BlockSolution, level: Softness) -> Vec<Violation> {
    let mut found: Vec<Violation> = Vec::new();
    let mut look = |limit: Limit, value: f64, limits: [f64; 2]| {
        let by = (limits[0] - value).max(value - limits[1]);
        let softness = softness_of(qp, limit);
        if by > MET && softness <= level {
            found.push(Violation { what: describe(scene, limit), softness, by });
        }
    };
    for (b, block) in qp.blocks.iter().enumerate() {
        let start = qp.block_start(b);
        for dof in 0..block.n {
            look(Limit::Acceleration { block: b, dof }, solution.qdd[start + dof], block.bounds[dof]);
            look(Limit::Torque { block: b, dof }, solution.torques[start + dof], block.torque[dof]);
        }
    }
    let product = |b: usize, row: &[f64]| dot(row, &solution.qdd[qp.block_start(b)..][..row.len()]);
    for (k, patch) in qp.patches.iter().enumerate() {
        for axis in 0..6 {
            let sides = patch.sides.iter().map(|side| {
                let n = qp.blocks[side.block].n;
                product(side.block, &side.jacobian[axis * n..(axis + 1) * n])
            });
            look(Limit::NoSlip { patch: k, axis }, sides.sum(), [patch.target[axis]; 2]);
        }
    }
    for (r, row) in qp.rows.iter().enumerate() {
        look(Limit::Row { row: r }, row.parts.iter().map(|(b, part)| product(*b, part)).sum(), row.limits);
    }
    found.sort_by(|a, b| a.softness.cmp(&b.softness).then(b.by.total_cmp(&a.by)));
    found
}

/// A limit in words.
fn describe(scene: &Scene, limit: Limit) -> String {
    let joint = |block: usize, dof: usize| {
        let subsystem = &scene.subsystems[block];
        let joint = &subsystem.model.joints[subsystem.model.dofs[dof].joint];
        format!("joint `{}` of `{}`", joint.name, subsystem.name)
    };
    match limit {
        Limit::Torque { block, dof } => {
            let driven = scene.subsystems[block].model.actuated.contains(&dof);
            let what = if driven { "torque limit" } else { "equation of motion" };
            format!("{what} of {}", joint(block, dof))
        }
        Limit::Acceleration { block, dof } => format!("position or velocity limit of {}", joint(block, dof)),
        Limit::NoSlip { patch, .. } => format!("contact `{}`", scene.contacts[patch].name),
        Limit::Cone { patch, .. } => format!("friction of contact `{}`", scene.contacts[patch].name),
        Limit::Row { row } => format!("distance of `{}`", scene.pairs[row].name),
    }
}

/// Tasks of the subsystems that the conflict is about, by how far they are from what they want.
fn missed_tasks(
    scene: &Scene,
    assembly: &Assembly,
    solution: &BlockSolution,
    conflict: &[Limit],
) -> Vec<(String, f64)> {
    let qp = &assembly.qp;
    let mut involved: Vec<usize> = Vec::new();
    for limit in conflict {
        match *limit {
            Limit::Torque { block, .. } | Limit::Acceleration { block, .. } => involved.push(block),
            Limit::NoSlip { patch, .. } | Limit::Cone { patch, .. } => {
                involved.extend(qp.patches[patch].sides.iter().map(|side| side.block));
            }
            Limit::Row { row } => involved.extend(qp.rows[row].parts.iter().map(|part| part.0)),
        }
    }
    let workspaces = assembly.workspaces();
    let mut rows = Rows::default();
    let mut missed = Vec::new();
    for task in scene.tasks.iter().filter(|task| task.weight > 0.0) {
        let error = if let Feature::Posture { subsystem, .. } = &task.feature {
            if !involved.contains(subsystem) {
                continue;
            }
            let first = posture_target(&scene.subsystems[*subsystem], task, &mut rows.target);
            let qdd = &solution.qdd[qp.block_start(*subsystem) + first..];
            rows.target.iter().zip(qdd).map(|(want, have)| (want - have) * (want - have)).sum::<f64>()
        } else {
            task_rows(scene, workspaces, task, &mut rows);
            if !rows.parts.iter().any(|part| involved.contains(&part.0)) {
                continue;
            }
            (0..rows.n)
                .map(|r| {
                    let have: f64 = rows
                        .parts
                        .iter()
                        .map(|(b, part)| {
                            let n = qp.blocks[*b].n;
                            dot(&part[r * n..(r + 1) * n], &solution.qdd[qp.block_start(*b)..][..n])
                        })
                        .sum();
                    (rows.target[r] - have) * (rows.target[r] - have)
                })
                .sum::<f64>()
        };
        missed.push((task.name.clone(), libm::sqrt(error)));
    }
    missed.sort_by(|a, b| b.1.total_cmp(&a.1));
    missed
}
