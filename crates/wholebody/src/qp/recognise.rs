//! From the plain matrices of a problem file back to the blocks they were made of.
//!
//! The file's layout says which variable belongs to whom; equations of motion, no-slip rows and limits
//! are then read off. Two things need arithmetic: the generators of a patch (its sixteen columns are its
//! six Jacobian rows times them), and the tasks that couple subsystems, which the file has multiplied out
//! into its Hessian and which are split off again as few shared rows. A solution found is checked against
//! the file's own matrices, so nothing rests on the recognition.

use super::blocks::{Block, BlockQp, BlockSolution, LinkRow, Patch, PatchForce, SharedTask, Side};
use super::dense::DenseQp;
use super::file::{FileLayout, Form};
use super::kernels::{self, dot};
use super::kkt::Multipliers;
use super::solver::MAX_GENERATORS;

/// Rows of one split-off task: a centre of mass needs three.
const MAX_SHARED_ROWS: usize = 12;

/// Where the blocks' rows are in the file's problem.
#[derive(Clone, Debug, Default)]
pub struct Recognised {
    /// The problem in blocks.
    pub blocks: BlockQp,
    form: Option<Form>,
    /// Cost of torques, which the six-row form has outside.
    torque_cost: f64,
    /// For each block and degree of freedom the row of its equation of motion.
    motion_rows: Vec<Vec<MotionRow>>,
    first_no_slip: usize,
    first_pair: usize,
    first_face: usize,
    layout: FileLayout,
}

#[derive(Clone, Copy, Debug)]
enum MotionRow {
    Equality(usize),
    Inequality(usize),
}

/// The blocks of a file's problem; `None` if it is not of the kind its layout says.
pub fn recognise(qp: &DenseQp, layout: &FileLayout, form: Form) -> Option<Recognised> {
    let wrench = |len: usize| if form == Form::Wrench { len == 6 } else { len <= MAX_GENERATORS };
    if form == Form::Table || !layout.contacts.iter().all(|contact| wrench(contact.force_len)) {
        return None;
    }
    let mut out = Recognised { form: Some(form), layout: layout.clone(), ..Recognised::default() };
    out.place_rows(qp, form)?;
    out.read_motion(qp, form);
    out.read_contacts(qp, form)?;
    out.read_pairs(qp);
    split_shared_tasks(qp, layout, &mut out.blocks)?;
    if form == Form::Six {
        out.substitute_torques();
    }
    Some(out)
}

impl Recognised {
    fn place_rows(&mut self, qp: &DenseQp, form: Form) -> Option<()> {
        let (mut equality, mut inequality) = (0, 0);
        for s in &self.layout.subsystems {
            let passive = s.nv - s.na;
            let mut rows = Vec::new();
            for dof in 0..s.nv {
                if form == Form::Six || dof < passive {
                    rows.push(MotionRow::Equality(equality));
                    equality += 1;
                } else {
                    rows.push(MotionRow::Inequality(inequality));
                    inequality += 1;
                }
            }
            self.motion_rows.push(rows);
        }
        self.first_no_slip = equality;
        self.first_pair = inequality;
        self.first_face = inequality + self.layout.collision_pairs;
        let enough =
            equality + 6 * self.layout.contacts.len() == qp.b.len() && self.first_face <= qp.lower.len();
        enough.then_some(())
    }

    fn motion_row<'a>(&self, qp: &'a DenseQp, block: usize, dof: usize) -> &'a [f64] {
        match self.motion_rows[block][dof] {
            MotionRow::Equality(i) => &qp.a[i * qp.n..(i + 1) * qp.n],
            MotionRow::Inequality(i) => &qp.c[i * qp.n..(i + 1) * qp.n],
        }
    }

    fn read_motion(&mut self, qp: &DenseQp, form: Form) {
        for (b, s) in self.layout.subsystems.iter().enumerate() {
            let mut block =
                Block { n: s.nv, gradient: qp.g[s.qdd..s.qdd + s.nv].to_vec(), ..Block::default() };
            for dof in 0..s.nv {
                block.mass.extend_from_slice(&self.motion_row(qp, b, dof)[s.qdd..s.qdd + s.nv]);
                block.bounds.push([qp.x_lower[s.qdd + dof], qp.x_upper[s.qdd + dof]]);
                let driven = dof.checked_sub(s.nv - s.na);
                let (nonlinear, torque) = match self.motion_rows[b][dof] {
                    MotionRow::Equality(i) => {
                        let tau = driven.and_then(|driven| s.tau.map(|tau| tau + driven));
                        (-qp.b[i], tau.map_or([0.0, 0.0], |tau| [qp.x_lower[tau], qp.x_upper[tau]]))
                    }
                    MotionRow::Inequality(i) => {
                        let (lower, upper) = (qp.lower[i], qp.upper[i]);
                        let middle = -0.5 * (lower + upper);
                        (middle, [lower + middle, upper + middle])
                    }
                };
                block.nonlinear.push(nonlinear);
                block.torque.push(torque);
            }
            if let (Form::Six, Some(tau), true) = (form, s.tau, s.na > 0) {
                self.torque_cost = qp.h[tau * qp.n + tau];
            }
            self.blocks.blocks.push(block);
        }
    }

    fn read_contacts(&mut self, qp: &DenseQp, form: Form) -> Option<()> {
        let n = qp.n;
        let layout = self.layout.clone();
        let size = 6 * layout.contacts.len();
        for (k, contact) in layout.contacts.iter().enumerate() {
            let no_slip = self.first_no_slip + 6 * k;
            let mut sides = Vec::new();
            for b in std::iter::once(contact.i).chain(contact.j) {
                let s = &layout.subsystems[b];
                let mut side = Side { block: b, ..Side::default() };
                for axis in 0..6 {
                    side.jacobian.extend_from_slice(&qp.a[(no_slip + axis) * n + s.qdd..][..s.nv]);
                }
                sides.push(side);
            }
            let target = std::array::from_fn(|axis| qp.b[no_slip + axis]);
            let mut patch = Patch {
                key: 0,
                sides,
                target,
                gradient: [0.0; 6],
                force: PatchForce::Generators { columns: Vec::new(), weight: 1.0 },
            };
            if form == Form::Wrench {
                patch.gradient.copy_from_slice(&qp.g[contact.force..contact.force + 6]);
                let mut cost = [0.0; 36];
                for i in 0..6 {
                    cost[6 * i..6 * i + 6]
                        .copy_from_slice(&qp.h[(contact.force + i) * n + contact.force..][..6]);
                    for side in &mut patch.sides {
                        let s = &layout.subsystems[side.block];
                        side.cross.extend_from_slice(&qp.h[(contact.force + i) * n + s.qdd..][..s.nv]);
                    }
                }
                let mut faces = Vec::new();
                for row in qp.c[self.first_face * n..].chunks_exact(n) {
                    let face: [f64; 6] = std::array::from_fn(|i| row[contact.force + i]);
                    if face.iter().any(|x| *x != 0.0) {
                        faces.push(face);
                    }
                }
                patch.force = PatchForce::Faces { faces, cost };
            } else {
                patch.force =
                    PatchForce::Generators { columns: self.generators(qp, k, &patch)?, weight: 1.0 };
            }
            self.blocks.patches.push(patch);
        }
        self.blocks.wrench_cost = vec![0.0; size * size];
        if form == Form::Wrench {
            for (k, a) in layout.contacts.iter().enumerate() {
                for (l, b) in layout.contacts.iter().enumerate().filter(|(l, _)| *l != k) {
                    for i in 0..6 {
                        let from = &qp.h[(a.force + i) * n + b.force..][..6];
                        self.blocks.wrench_cost[(6 * k + i) * size + 6 * l..][..6].copy_from_slice(from);
                    }
                }
            }
            return Some(());
        }
        if form == Form::Notau {
            self.torque_cost = self.infer_torque_cost(qp);
            self.add_torque_cost_of_wrenches();
        }
        for (k, contact) in layout.contacts.iter().enumerate() {
            let at = contact.force;
            let mut rest = qp.h[at * n + at];
            if let PatchForce::Generators { columns, weight } = &mut self.blocks.patches[k].force {
                for i in 0..6 {
                    for j in 0..6 {
                        let cost = self.blocks.wrench_cost[(6 * k + i) * size + 6 * k + j];
                        rest -= columns[0][i] * columns[0][j] * cost;
                    }
                }
                if !(rest > 0.0) {
                    return None;
                }
                *weight = rest;
            }
        }
        Some(())
    }

    /// Columns of a patch: its generalised forces on a floating base are six independent mixtures of them.
    fn generators(&self, qp: &DenseQp, k: usize, patch: &Patch) -> Option<Vec<[f64; 6]>> {
        let contact = &self.layout.contacts[k];
        let side = patch.sides.iter().find(|side| self.blocks.blocks[side.block].n >= 6)?;
        let nv = self.blocks.blocks[side.block].n;
        let mut columns = Vec::new();
        for c in 0..contact.force_len {
            let mut system = [[0.0; 7]; 6];
            for (dof, row) in system.iter_mut().enumerate() {
                for axis in 0..6 {
                    row[axis] = side.jacobian[axis * nv + dof];
                }
                row[6] = -self.motion_row(qp, side.block, dof)[contact.force + c];
            }
            columns.push(kernels::solve_six(&mut system)?);
        }
        Some(columns)
    }

    /// The weight of torques, from the entries between accelerations and force coefficients.
    fn infer_torque_cost(&self, qp: &DenseQp) -> f64 {
        let (mut above, mut below) = (0.0, 0.0);
        for (b, s) in self.layout.subsystems.iter().enumerate() {
            for contact in self.layout.contacts.iter().filter(|c| c.i == b || c.j == Some(b)) {
                for dof in 0..s.nv {
                    let found = qp.h[(s.qdd + dof) * qp.n + contact.force];
                    let expected: f64 = (s.nv - s.na..s.nv)
                        .map(|a| {
                            let row = self.motion_row(qp, b, a);
                            row[s.qdd + dof] * row[contact.force]
                        })
                        .sum();
                    above += found * expected;
                    below += expected * expected;
                }
            }
        }
        if below > 0.0 { above / below } else { 0.0 }
    }

    /// `½ cost |torques|²` written out in accelerations and wrenches, but for its part in accelerations
    /// alone.
    fn add_torque_cost_of_wrenches(&mut self) {
        let cost = self.torque_cost;
        let size = 6 * self.blocks.patches.len();
        let driven = |layout: &FileLayout, b: usize| {
            layout.subsystems[b].nv - layout.subsystems[b].na..layout.subsystems[b].nv
        };
        let jacobians: Vec<Vec<(usize, Vec<f64>)>> = self
            .blocks
            .patches
            .iter()
            .map(|patch| patch.sides.iter().map(|side| (side.block, side.jacobian.clone())).collect())
            .collect();
        for (k, sides) in jacobians.iter().enumerate() {
            for (s, (b, jacobian)) in sides.iter().enumerate() {
                let (range, nv) = (driven(&self.layout, *b), self.blocks.blocks[*b].n);
                let block = &self.blocks.blocks[*b];
                let mut cross = vec![0.0; 6 * nv];
                for axis in 0..6 {
                    for a in range.clone() {
                        let push = -cost * jacobian[axis * nv + a];
                        kernels::axpy(
                            push,
                            &block.mass[a * nv..(a + 1) * nv],
                            &mut cross[axis * nv..(axis + 1) * nv],
                        );
                        self.blocks.patches[k].gradient[axis] += push * block.nonlinear[a];
                    }
                }
                self.blocks.patches[k].sides[s].cross = cross;
                for (l, others) in jacobians.iter().enumerate() {
                    for (_, other) in others.iter().filter(|(b2, _)| b2 == b) {
                        for i in 0..6 {
                            for j in 0..6 {
                                let both: f64 =
                                    range.clone().map(|a| jacobian[i * nv + a] * other[j * nv + a]).sum();
                                self.blocks.wrench_cost[(6 * k + i) * size + 6 * l + j] += cost * both;
                            }
                        }
                    }
                }
            }
        }
    }

    /// The six-row form has its torques as variables: their cost moves into the blocks.
    fn substitute_torques(&mut self) {
        self.add_torque_cost_of_wrenches();
        for (b, block) in self.blocks.blocks.iter_mut().enumerate() {
            let s = &self.layout.subsystems[b];
            let nv = block.n;
            for a in s.nv - s.na..s.nv {
                let row = block.mass[a * nv..(a + 1) * nv].to_vec();
                kernels::axpy(self.torque_cost * block.nonlinear[a], &row, &mut block.gradient);
                for i in 0..nv {
                    kernels::axpy(self.torque_cost * row[i], &row, &mut block.hessian[i * nv..(i + 1) * nv]);
                }
            }
        }
    }

    fn read_pairs(&mut self, qp: &DenseQp) {
        for r in self.first_pair..self.first_face {
            let row = &qp.c[r * qp.n..(r + 1) * qp.n];
            let parts = self.layout.subsystems.iter().enumerate().filter_map(|(b, s)| {
                let part = &row[s.qdd..s.qdd + s.nv];
                part.iter().any(|x| *x != 0.0).then(|| (b, part.to_vec()))
            });
            self.blocks.rows.push(LinkRow { parts: parts.collect(), limits: [qp.lower[r], qp.upper[r]] });
        }
    }

    /// The file's variables and multipliers of a solution in blocks.
    pub fn to_file(&self, qp: &DenseQp, solution: &BlockSolution) -> (Vec<f64>, Multipliers) {
        let mut x = vec![0.0; qp.n];
        let mut m =
            Multipliers { y: vec![0.0; qp.b.len()], z: vec![0.0; qp.lower.len()], z_bound: vec![0.0; qp.n] };
        let mut at = 0;
        for (b, s) in self.layout.subsystems.iter().enumerate() {
            x[s.qdd..s.qdd + s.nv].copy_from_slice(&solution.qdd[at..at + s.nv]);
            m.z_bound[s.qdd..s.qdd + s.nv].copy_from_slice(&solution.bound_multipliers[at..at + s.nv]);
            for dof in 0..s.nv {
                let mut multiplier = solution.torque_multipliers[at + dof];
                if let (Some(tau), Some(driven)) = (s.tau, dof.checked_sub(s.nv - s.na)) {
                    x[tau + driven] = solution.torques[at + dof];
                    m.z_bound[tau + driven] = multiplier;
                    multiplier += self.torque_cost * solution.torques[at + dof];
                }
                match self.motion_rows[b][dof] {
                    MotionRow::Equality(i) => m.y[i] = multiplier,
                    MotionRow::Inequality(i) => m.z[i] = multiplier,
                }
            }
            at += s.nv;
        }
        m.y[self.first_no_slip..].copy_from_slice(&solution.contact_multipliers);
        m.z[self.first_pair..self.first_face].copy_from_slice(&solution.row_multipliers);
        let mut cone = 0;
        for (k, contact) in self.layout.contacts.iter().enumerate() {
            let len = self.blocks.patches[k].force.len();
            if self.form == Some(Form::Wrench) {
                x[contact.force..contact.force + 6].copy_from_slice(&solution.wrenches[6 * k..6 * k + 6]);
                m.z[self.first_face + cone..][..len]
                    .copy_from_slice(&solution.cone_multipliers[cone..cone + len]);
            } else {
                x[contact.force..contact.force + len]
                    .copy_from_slice(&solution.coefficients[cone..cone + len]);
                m.z_bound[contact.force..contact.force + len]
                    .copy_from_slice(&solution.cone_multipliers[cone..cone + len]);
            }
            cone += len;
        }
        (x, m)
    }
}

/// Splits the Hessian of the accelerations into one block per subsystem and shared rows.
///
/// For a subsystem `a` coupled to the others through `H_ar = Qᵀ B` (Q orthonormal), any symmetric Θ with
/// `B H_rr⁻¹ Bᵀ <= Θ <= (Q H_aa⁻¹ Qᵀ)⁻¹` gives rows `Θ^½ Q` and `Θ^-½ B` whose product is the coupling and
/// whose squares both diagonal blocks can spare. The Θ that also explains the coupling among the others is
/// taken where it lies in that range, else the middle.
fn split_shared_tasks(qp: &DenseQp, layout: &FileLayout, out: &mut BlockQp) -> Option<()> {
    let subs = &layout.subsystems;
    let starts: Vec<usize> = subs.iter().scan(0, |at, s| Some(std::mem::replace(at, *at + s.nv))).collect();
    let n: usize = subs.iter().map(|s| s.nv).sum();
    let mut h = Square { n, a: vec![0.0; n * n] };
    for (a, sa) in subs.iter().enumerate() {
        for (b, sb) in subs.iter().enumerate() {
            for i in 0..sa.nv {
                for j in 0..sb.nv {
                    h.a[(starts[a] + i) * n + starts[b] + j] = qp.h[(sa.qdd + i) * qp.n + sb.qdd + j];
                }
            }
        }
    }
    let size = h.a.iter().fold(0.0, |worst: f64, x| worst.max(x.abs()));
    for a in 0..subs.len() {
        let mine: Vec<usize> = (starts[a]..starts[a] + subs[a].nv).collect();
        let coupled: Vec<usize> = (a + 1..subs.len())
            .filter(|b| {
                let theirs = starts[*b]..starts[*b] + subs[*b].nv;
                mine.iter().any(|i| theirs.clone().any(|j| h.a[i * n + j].abs() > 1e-13 * size))
            })
            .collect();
        if coupled.is_empty() {
            continue;
        }
        let others: Vec<usize> = coupled.iter().flat_map(|b| starts[*b]..starts[*b] + subs[*b].nv).collect();
        let q = h.row_space(&mine, &others)?;
        let r = q.len();
        let b: Vec<Vec<f64>> = q
            .iter()
            .map(|row| {
                others.iter().map(|j| mine.iter().zip(row).map(|(i, x)| x * h.a[i * n + j]).sum()).collect()
            })
            .collect();
        let low = h.inner(&others, &b)?;
        let high = h.inner(&mine, &q)?.inverse()?;
        let exact = (coupled.len() > 1).then(|| explain(&h, &coupled, &starts, subs, &others, &b)).flatten();
        let fits = |theta: &Square| theta.minus(&low).is_definite() && high.minus(theta).is_definite();
        let theta = exact.filter(fits).unwrap_or_else(|| low.middle(&high));
        let root = theta.cholesky()?;
        // Θ = L Lᵀ: rows Lᵀ Q of this subsystem, L⁻¹ B of the others.
        let mut own = vec![0.0; r * mine.len()];
        for i in 0..r {
            for k in i..r {
                kernels::axpy(root.a[k * r + i], &q[k], &mut own[i * mine.len()..(i + 1) * mine.len()]);
            }
        }
        let mut theirs = b.clone();
        for i in 0..r {
            for k in 0..i {
                let (done, rest) = theirs.split_at_mut(i);
                kernels::axpy(-root.a[i * r + k], &done[k], &mut rest[0]);
            }
            theirs[i].iter_mut().for_each(|x| *x /= root.a[i * r + i]);
        }
        for row in own.chunks_exact(mine.len()) {
            h.subtract(&mine, row);
        }
        for row in &theirs {
            h.subtract(&others, row);
        }
        let mut parts = vec![(a, own)];
        let mut at = 0;
        for b in coupled {
            let nv = subs[b].nv;
            parts.push((b, theirs.iter().flat_map(|row| row[at..at + nv].iter().copied()).collect()));
            at += nv;
        }
        out.shared.push(SharedTask { rows: r, parts, target: vec![0.0; r] });
    }
    for (b, block) in out.blocks.iter_mut().enumerate() {
        for i in starts[b]..starts[b] + block.n {
            block.hessian.extend_from_slice(&h.a[i * n + starts[b]..i * n + starts[b] + block.n]);
        }
    }
    Some(())
}

/// The Θ with `B_bᵀ Θ⁻¹ B_c = H_bc` for the first two others, if there is one for all of them.
fn explain(
    h: &Square,
    coupled: &[usize],
    starts: &[usize],
    subs: &[super::file::FileSubsystem],
    others: &[usize],
    b: &[Vec<f64>],
) -> Option<Square> {
    let r = b.len();
    let range = |block: usize| {
        let first = others.iter().position(|i| *i == starts[block])?;
        Some(first..first + subs[block].nv)
    };
    let (first, second) = (range(coupled[0])?, range(coupled[1])?);
    let part =
        |range: &std::ops::Range<usize>| b.iter().map(|row| row[range.clone()].to_vec()).collect::<Vec<_>>();
    let (p, s) = (part(&first), part(&second));
    let gram = |rows: &[Vec<f64>]| Square::from_fn(r, |i, j| dot(&rows[i], &rows[j]));
    let (gp, gs) = (gram(&p).inverse()?, gram(&s).inverse()?);
    let middle = Square::from_fn(r, |i, j| {
        let mut sum = 0.0;
        for (x, gi) in p[i].iter().zip(first.clone()) {
            for (y, gj) in s[j].iter().zip(second.clone()) {
                sum += x * h.a[others[gi] * h.n + others[gj]] * y;
            }
        }
        sum
    });
    let inverse = gp.times(&middle).times(&gs);
    let inverse = Square::from_fn(r, |i, j| 0.5 * (inverse.a[i * r + j] + inverse.a[j * r + i]));
    inverse.inverse()
}

/// A small square matrix, row after row.
#[derive(Clone, Debug)]
struct Square {
    n: usize,
    a: Vec<f64>,
}

impl Square {
    fn from_fn(n: usize, f: impl Fn(usize, usize) -> f64) -> Square {
        Square { n, a: (0..n * n).map(|k| f(k / n, k % n)).collect() }
    }

    fn minus(&self, other: &Square) -> Square {
        Square { n: self.n, a: self.a.iter().zip(&other.a).map(|(x, y)| x - y).collect() }
    }

    fn middle(&self, other: &Square) -> Square {
        Square { n: self.n, a: self.a.iter().zip(&other.a).map(|(x, y)| 0.5 * (x + y)).collect() }
    }

    fn times(&self, other: &Square) -> Square {
        Square::from_fn(self.n, |i, j| {
            (0..self.n).map(|k| self.a[i * self.n + k] * other.a[k * self.n + j]).sum()
        })
    }

    /// Lower factor, rows.
    fn cholesky(&self) -> Option<Square> {
        let n = self.n;
        let mut l = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..=i {
                let sum = self.a[i * n + j] - dot(&l[i * n..i * n + j], &l[j * n..j * n + j]);
                if i == j {
                    if !(sum > 1e-14 * self.a[i * n + i].abs()) {
                        return None;
                    }
                    l[i * n + i] = libm::sqrt(sum);
                } else {
                    l[i * n + j] = sum / l[j * n + j];
                }
            }
        }
        Some(Square { n, a: l })
    }

    fn is_definite(&self) -> bool {
        self.cholesky().is_some()
    }

    fn inverse(&self) -> Option<Square> {
        let n = self.n;
        let unit: Vec<Vec<f64>> =
            (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
        self.inner(&(0..n).collect::<Vec<_>>(), &unit)
    }

    /// `rows · A⁻¹ · rowsᵀ` with `A` the part of this matrix at the given indices.
    fn inner(&self, at: &[usize], rows: &[Vec<f64>]) -> Option<Square> {
        let m = at.len();
        let part = Square::from_fn(m, |i, j| self.a[at[i] * self.n + at[j]]);
        let l = part.cholesky()?;
        let mut half = rows.to_vec();
        for row in &mut half {
            for i in 0..m {
                row[i] = (row[i] - dot(&l.a[i * m..i * m + i], &row[..i])) / l.a[i * m + i];
            }
        }
        Some(Square::from_fn(rows.len(), |i, j| dot(&half[i], &half[j])))
    }

    fn subtract(&mut self, at: &[usize], row: &[f64]) {
        for (i, x) in at.iter().zip(row) {
            for (j, y) in at.iter().zip(row) {
                self.a[i * self.n + j] -= x * y;
            }
        }
    }

    /// Orthonormal rows that span the columns of the part `mine` × `others`; `None` if they are too many.
    fn row_space(&self, mine: &[usize], others: &[usize]) -> Option<Vec<Vec<f64>>> {
        let mut columns: Vec<Vec<f64>> =
            others.iter().map(|j| mine.iter().map(|i| self.a[i * self.n + j]).collect()).collect();
        let largest = columns.iter().fold(0.0, |worst: f64, c| worst.max(dot(c, c)));
        let mut basis: Vec<Vec<f64>> = Vec::new();
        loop {
            let best = columns.iter().max_by(|x, y| dot(x, x).total_cmp(&dot(y, y)))?.clone();
            let length2 = dot(&best, &best);
            if !(length2 > 1e-18 * largest) {
                return Some(basis);
            }
            if basis.len() == MAX_SHARED_ROWS.min(mine.len()) {
                return None;
            }
            let length = libm::sqrt(length2);
            let unit: Vec<f64> = best.iter().map(|x| x / length).collect();
            for column in &mut columns {
                let along = dot(column, &unit);
                kernels::axpy(-along, &unit, column);
            }
            basis.push(unit);
        }
    }
}
