//! The quadratic program of a scene, kept in the blocks it is made of.
//!
//! Unknown are the accelerations of each subsystem and the wrench of each contact patch. Torques are
//! already substituted out: they are `M qdd + h - Jᵀ w`, zero where there is no drive.
//!
//! ```text
//! minimise    Σ ½ qddᵀHqdd + gᵀqdd   + Σ ½ |R qdd - e|² (shared tasks)
//!             + ½ wᵀKw + kᵀw + qddᵀX w   + the cost of the patches' forces
//! subject to  torque limits, acceleration limits, J qdd = target at each patch,
//!             each wrench in its friction cone, further rows on accelerations
//! ```

use super::dense::DenseQp;

/// A subsystem: a character, an object or a part of the environment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// Degrees of freedom.
    pub n: usize,
    /// Quadratic cost of its accelerations, `n` × `n`, symmetric.
    pub hessian: Vec<f64>,
    /// Linear cost of its accelerations.
    pub gradient: Vec<f64>,
    /// Limits of its accelerations; infinite where there are none.
    pub bounds: Vec<[f64; 2]>,
    /// Mass matrix, `n` × `n`, symmetric.
    pub mass: Vec<f64>,
    /// Non-linear terms.
    pub nonlinear: Vec<f64>,
    /// Limits of the generalised force of each degree of freedom; both zero where there is no drive.
    pub torque: Vec<[f64; 2]>,
}

/// How one subsystem takes part in a patch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Side {
    /// Which block.
    pub block: usize,
    /// 6 × `n`, with the sign of its part: `Jᵀ w` is the generalised force on the block.
    pub jacobian: Vec<f64>,
    /// Cost between accelerations and wrench, 6 × `n`; empty for none.
    pub cross: Vec<f64>,
}

/// What force a patch may carry, and its cost.
#[expect(clippy::large_enum_variant, reason = "there are few patches, and boxes would scatter them")]
#[derive(Clone, Debug, PartialEq)]
pub enum PatchForce {
    /// `w = G c` with coefficients `c >= 0` and the cost `½ weight |c|²`; columns of `G`.
    Generators {
        /// Columns: unit forces with their moments.
        columns: Vec<[f64; 6]>,
        /// Cost of the coefficients.
        weight: f64,
    },
    /// Any wrench with `face · w >= 0`, at the cost `½ wᵀ cost w`.
    Faces {
        /// Inward normals of the cone; none for a cone without faces.
        faces: Vec<[f64; 6]>,
        /// 6 × 6, positive definite.
        cost: [f64; 36],
    },
}

impl PatchForce {
    /// Generators or faces: what an active set lists.
    pub fn len(&self) -> usize {
        match self {
            PatchForce::Generators { columns, .. } => columns.len(),
            PatchForce::Faces { faces, .. } => faces.len(),
        }
    }

    /// Without any generator or face.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A contact patch between a subsystem and another or the environment.
#[derive(Clone, Debug, PartialEq)]
pub struct Patch {
    /// Says which patch it is while others come and go, so that its active set can be kept.
    pub key: u64,
    /// One or two.
    pub sides: Vec<Side>,
    /// What `Σ J qdd` must be.
    pub target: [f64; 6],
    /// Linear cost of the wrench.
    pub gradient: [f64; 6],
    /// Cone and cost.
    pub force: PatchForce,
}

impl Patch {
    /// Whether its cone is given by faces.
    pub fn has_faces(&self) -> bool {
        matches!(self.force, PatchForce::Faces { .. })
    }
}

/// A task that several subsystems serve together: `½ |Σ R qdd - e|²`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SharedTask {
    /// Number of rows.
    pub rows: usize,
    /// Block and its part of `R`, `rows` × `n`.
    pub parts: Vec<(usize, Vec<f64>)>,
    /// `e`.
    pub target: Vec<f64>,
}

/// `lower <= Σ coefficients · qdd <= upper` over one or two blocks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkRow {
    /// Block and its coefficients.
    pub parts: Vec<(usize, Vec<f64>)>,
    /// Limits.
    pub limits: [f64; 2],
}

/// The whole problem.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlockQp {
    /// Subsystems.
    pub blocks: Vec<Block>,
    /// Contacts.
    pub patches: Vec<Patch>,
    /// Tasks of groups.
    pub shared: Vec<SharedTask>,
    /// Collision rows and the like.
    pub rows: Vec<LinkRow>,
    /// Cost between wrenches, (6 patches) × (6 patches), symmetric; empty for none. Only patches that
    /// share a block may have any.
    pub wrench_cost: Vec<f64>,
}

/// A limit of a [`BlockQp`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Limit {
    /// Generalised force of a block's degree of freedom (passive ones included).
    Torque {
        /// Block.
        block: usize,
        /// Degree of freedom.
        dof: usize,
    },
    /// Acceleration of a block's degree of freedom.
    Acceleration {
        /// Block.
        block: usize,
        /// Degree of freedom.
        dof: usize,
    },
    /// One of the six no-slip rows of a patch.
    NoSlip {
        /// Patch.
        patch: usize,
        /// 0 to 5: linear, angular.
        axis: usize,
    },
    /// A generator or face of a patch.
    Cone {
        /// Patch.
        patch: usize,
        /// Generator or face.
        idx: usize,
    },
    /// A row over one or two blocks.
    Row {
        /// Row.
        row: usize,
    },
}

/// A solution of a [`BlockQp`]: point and multipliers.
///
/// Multipliers are positive where they press on an upper limit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlockSolution {
    /// Accelerations, block after block.
    pub qdd: Vec<f64>,
    /// Wrenches, six per patch: force, then moment.
    pub wrenches: Vec<f64>,
    /// Coefficients of generators (zero for faces), patch after patch.
    pub coefficients: Vec<f64>,
    /// Generalised forces, block after block.
    pub torques: Vec<f64>,
    /// Of the torque limits (and of the equations of motion without drive).
    pub torque_multipliers: Vec<f64>,
    /// Of the acceleration limits.
    pub bound_multipliers: Vec<f64>,
    /// Of the no-slip rows.
    pub contact_multipliers: Vec<f64>,
    /// Of the generators' or faces' signs.
    pub cone_multipliers: Vec<f64>,
    /// Of the further rows.
    pub row_multipliers: Vec<f64>,
}

impl BlockQp {
    /// Where each block's accelerations start.
    pub fn block_start(&self, block: usize) -> usize {
        self.blocks[..block].iter().map(|block| block.n).sum()
    }

    /// Number of accelerations.
    pub fn n_qdd(&self) -> usize {
        self.blocks.iter().map(|block| block.n).sum()
    }

    /// Number of generators and faces.
    pub fn n_cone(&self) -> usize {
        self.patches.iter().map(|patch| patch.force.len()).sum()
    }

    /// Whether every limit is one: a number, or infinite on its own side.
    pub fn has_limits(&self) -> bool {
        // False for what is no number, too.
        let range = |limits: &[f64; 2]| limits[0] < f64::INFINITY && limits[1] > f64::NEG_INFINITY;
        self.blocks.iter().all(|block| block.bounds.iter().all(range) && block.torque.iter().all(range))
            && self.rows.iter().all(|row| range(&row.limits))
    }

    /// Whether every number is usable.
    pub fn is_finite(&self) -> bool {
        let ok = |list: &[f64]| list.iter().all(|x| x.is_finite());
        self.has_limits()
            && self.blocks.iter().all(|block| {
                ok(&block.hessian) && ok(&block.gradient) && ok(&block.mass) && ok(&block.nonlinear)
            })
            && self.patches.iter().all(|patch| {
                let force = match &patch.force {
                    PatchForce::Generators { columns, weight } => {
                        columns.iter().all(|column| ok(column)) && *weight > 0.0 && weight.is_finite()
                    }
                    PatchForce::Faces { faces, cost } => faces.iter().all(|face| ok(face)) && ok(cost),
                };
                force
                    && ok(&patch.target)
                    && ok(&patch.gradient)
                    && patch.sides.iter().all(|side| ok(&side.jacobian) && ok(&side.cross))
            })
            && self.shared.iter().all(|task| ok(&task.target) && task.parts.iter().all(|part| ok(&part.1)))
            && self.rows.iter().all(|row| row.parts.iter().all(|part| ok(&part.1)))
            && ok(&self.wrench_cost)
    }

    /// The same problem without its structure, with its rows' meanings: variables are the accelerations
    /// and then each patch's coefficients (or wrench).
    pub fn to_dense(&self) -> (DenseQp, DenseMap) {
        let nq = self.n_qdd();
        let mut starts = Vec::new();
        let mut n = nq;
        for patch in &self.patches {
            starts.push(n);
            n += match &patch.force {
                PatchForce::Generators { columns, .. } => columns.len(),
                PatchForce::Faces { .. } => 6,
            };
        }
        let mut qp = DenseQp::new(n);
        let mut map = DenseMap { force_starts: starts.clone(), ..DenseMap::default() };
        // Wrench of a patch as a combination of variables: column by column.
        let unit: Vec<[f64; 6]> =
            (0..6).map(|k| std::array::from_fn(|i| f64::from(u8::from(i == k)))).collect();
        let columns: Vec<&[[f64; 6]]> = self
            .patches
            .iter()
            .map(|patch| match &patch.force {
                PatchForce::Generators { columns, .. } => columns.as_slice(),
                PatchForce::Faces { .. } => unit.as_slice(),
            })
            .collect();
        for (b, block) in self.blocks.iter().enumerate() {
            let o = self.block_start(b);
            for i in 0..block.n {
                qp.g[o + i] = block.gradient[i];
                (qp.x_lower[o + i], qp.x_upper[o + i]) = (block.bounds[i][0], block.bounds[i][1]);
                for j in 0..block.n {
                    qp.h[(o + i) * n + o + j] += block.hessian[i * block.n + j];
                }
            }
        }
        for task in &self.shared {
            let mut rows = vec![0.0; task.rows * nq];
            for (b, part) in &task.parts {
                let (o, nb) = (self.block_start(*b), self.blocks[*b].n);
                for r in 0..task.rows {
                    rows[r * nq + o..r * nq + o + nb].copy_from_slice(&part[r * nb..(r + 1) * nb]);
                }
            }
            for (row, e) in rows.chunks_exact(nq).zip(&task.target) {
                for i in 0..nq {
                    qp.g[i] -= e * row[i];
                    for j in 0..nq {
                        qp.h[i * n + j] += row[i] * row[j];
                    }
                }
            }
        }
        let combine = |a: &[f64; 6], b: &[f64; 6], k: usize, l: usize| -> f64 {
            let size = 6 * self.patches.len();
            let mut sum = 0.0;
            for i in 0..6 {
                for j in 0..6 {
                    sum += a[i] * b[j] * self.wrench_cost[(6 * k + i) * size + 6 * l + j];
                }
            }
            sum
        };
        for (k, patch) in self.patches.iter().enumerate() {
            for (ci, column) in columns[k].iter().enumerate() {
                let at = starts[k] + ci;
                qp.g[at] = (0..6).map(|i| column[i] * patch.gradient[i]).sum();
                match &patch.force {
                    PatchForce::Generators { weight, .. } => {
                        qp.h[at * n + at] += weight;
                        qp.x_lower[at] = 0.0;
                    }
                    PatchForce::Faces { cost, .. } => {
                        for j in 0..6 {
                            qp.h[at * n + starts[k] + j] += cost[ci * 6 + j];
                        }
                    }
                }
                if !self.wrench_cost.is_empty() {
                    for (l, others) in columns.iter().enumerate() {
                        for (cj, other) in others.iter().enumerate() {
                            qp.h[at * n + starts[l] + cj] += combine(column, other, k, l);
                        }
                    }
                }
                for side in &patch.sides {
                    if side.cross.is_empty() {
                        continue;
                    }
                    let (o, nb) = (self.block_start(side.block), self.blocks[side.block].n);
                    for j in 0..nb {
                        let value: f64 = (0..6).map(|i| column[i] * side.cross[i * nb + j]).sum();
                        qp.h[at * n + o + j] += value;
                        qp.h[(o + j) * n + at] += value;
                    }
                }
            }
        }
        let mut row = vec![0.0; n];
        for (b, block) in self.blocks.iter().enumerate() {
            let o = self.block_start(b);
            for dof in 0..block.n {
                row.fill(0.0);
                row[o..o + block.n].copy_from_slice(&block.mass[dof * block.n..(dof + 1) * block.n]);
                for (k, patch) in self.patches.iter().enumerate() {
                    for side in patch.sides.iter().filter(|side| side.block == b) {
                        for (ci, column) in columns[k].iter().enumerate() {
                            let push: f64 =
                                (0..6).map(|i| column[i] * side.jacobian[i * block.n + dof]).sum();
                            row[starts[k] + ci] -= push;
                        }
                    }
                }
                let [lower, upper] = block.torque[dof].map(|limit| limit - block.nonlinear[dof]);
                if lower == upper {
                    qp.add_equality(&row, lower);
                    map.equalities.push(Limit::Torque { block: b, dof });
                } else {
                    qp.add_inequality(&row, lower, upper);
                    map.inequalities.push(Limit::Torque { block: b, dof });
                }
            }
        }
        for (k, patch) in self.patches.iter().enumerate() {
            for axis in 0..6 {
                row.fill(0.0);
                for side in &patch.sides {
                    let (o, nb) = (self.block_start(side.block), self.blocks[side.block].n);
                    for j in 0..nb {
                        row[o + j] += side.jacobian[axis * nb + j];
                    }
                }
                qp.add_equality(&row, patch.target[axis]);
                map.equalities.push(Limit::NoSlip { patch: k, axis });
            }
            if let PatchForce::Faces { faces, .. } = &patch.force {
                for (idx, face) in faces.iter().enumerate() {
                    row.fill(0.0);
                    row[starts[k]..starts[k] + 6].copy_from_slice(face);
                    qp.add_inequality(&row, 0.0, f64::INFINITY);
                    map.inequalities.push(Limit::Cone { patch: k, idx });
                }
            }
        }
        for (r, link) in self.rows.iter().enumerate() {
            row.fill(0.0);
            for (b, part) in &link.parts {
                let o = self.block_start(*b);
                for (x, value) in row[o..].iter_mut().zip(part) {
                    *x += value;
                }
            }
            qp.add_inequality(&row, link.limits[0], link.limits[1]);
            map.inequalities.push(Limit::Row { row: r });
        }
        (qp, map)
    }

    /// Which block and degree of freedom, or which patch and generator, a dense variable is.
    pub fn bound_of(&self, map: &DenseMap, variable: usize) -> Limit {
        if variable < self.n_qdd() {
            let mut dof = variable;
            for (block, b) in self.blocks.iter().enumerate() {
                if dof < b.n {
                    return Limit::Acceleration { block, dof };
                }
                dof -= b.n;
            }
        }
        let patch = map.force_starts.partition_point(|start| *start <= variable) - 1;
        Limit::Cone { patch, idx: variable - map.force_starts[patch] }
    }
}

/// What the rows of [`BlockQp::to_dense`] mean.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DenseMap {
    /// Where each patch's variables start.
    pub force_starts: Vec<usize>,
    /// Meaning of each equality.
    pub equalities: Vec<Limit>,
    /// Meaning of each inequality.
    pub inequalities: Vec<Limit>,
}
