//! The unknowns that stand for a patch's wrench.

use super::super::blocks::{Patch, PatchForce};
use super::super::kernels::{self, dot, dot_six};

/// Unknowns that stand for a patch's wrench.
#[derive(Clone, Debug)]
pub(super) struct Basis {
    pub(super) d: usize,
    /// The unknowns are the six components of the wrench.
    pub(super) is_wrench: bool,
    pub(super) columns: [[f64; 6]; MAX_GENERATORS],
    pub(super) cost: [f64; 36],
    /// Inverse of `G_F G_Fᵀ` if the unknowns are the wrench itself.
    pub(super) gram_inverse: Option<[f64; 36]>,
    pub(super) diagonal: f64,
}

/// Generators a patch may have: four points with four edges each.
pub const MAX_GENERATORS: usize = 16;

impl Default for Basis {
    fn default() -> Self {
        Basis {
            d: 0,
            is_wrench: false,
            columns: [[0.0; 6]; MAX_GENERATORS],
            cost: [0.0; 36],
            gram_inverse: None,
            diagonal: 0.0,
        }
    }
}

impl Basis {
    /// Picks the wrench itself, at this cost.
    pub(super) fn be_wrench(&mut self, cost: [f64; 36]) {
        const UNIT: [[f64; 6]; 6] = {
            let mut unit = [[0.0; 6]; 6];
            let mut i = 0;
            while i < 6 {
                unit[i][i] = 1.0;
                i += 1;
            }
            unit
        };
        self.d = 6;
        self.is_wrench = true;
        self.columns[..6].copy_from_slice(&UNIT);
        self.cost = cost;
        self.gram_inverse = None;
        self.diagonal = 0.0;
    }

    /// Picks the unknowns for a patch, given which of its generators are at zero.
    pub(super) fn choose(&mut self, patch: &Patch, states: &[i8]) {
        match &patch.force {
            PatchForce::Faces { cost, .. } => self.be_wrench(*cost),
            PatchForce::Generators { columns, weight } => {
                let mut free = 0;
                for (column, _) in columns.iter().zip(states).filter(|(_, state)| **state == 0) {
                    self.columns[free] = *column;
                    free += 1;
                }
                if let Some(inverse) = invert_gram(&self.columns[..free]) {
                    self.be_wrench(inverse.map(|x| x * weight));
                    self.gram_inverse = Some(inverse);
                } else {
                    self.d = free;
                    self.is_wrench = false;
                    self.gram_inverse = None;
                    self.diagonal = *weight;
                }
            }
        }
    }

    pub(super) fn wrench(&self, x: impl Iterator<Item = f64>) -> [f64; 6] {
        let mut wrench = [0.0; 6];
        for (value, column) in x.zip(&self.columns) {
            kernels::axpy(value, column, &mut wrench);
        }
        wrench
    }

    /// What each component of the wrench asks of a generator, `(G_F G_Fᵀ)⁻¹ column`, if the unknowns are the
    /// wrench itself.
    pub(super) fn share(&self, column: &[f64; 6]) -> Option<[f64; 6]> {
        let inverse = self.gram_inverse.as_ref()?;
        Some(std::array::from_fn(|i| dot(&inverse[6 * i..6 * i + 6], column)))
    }

    /// Coefficients of the generators that make the wrench at least cost.
    pub(super) fn write_coefficients(
        &self,
        patch: &Patch,
        states: &[i8],
        wrench: &[f64; 6],
        x: &[f64],
        out: &mut [f64],
    ) {
        let PatchForce::Generators { columns, .. } = &patch.force else { return };
        let mut free = 0;
        let pull = self.share(wrench).unwrap_or_default();
        for (idx, column) in columns.iter().enumerate() {
            out[idx] = match (states[idx], &self.gram_inverse) {
                (0, Some(_)) => dot_six(column, &pull),
                (0, None) => {
                    free += 1;
                    x[free - 1]
                }
                _ => 0.0,
            };
        }
    }

    /// Entry of the cost between the unknowns `i` and `j`.
    pub(super) fn cost_at(&self, i: usize, j: usize) -> f64 {
        if self.diagonal > 0.0 { if i == j { self.diagonal } else { 0.0 } } else { self.cost[i * 6 + j] }
    }
}

/// `(G Gᵀ)⁻¹`, given the columns of `G`; `None` if they do not safely span all wrenches.
pub(super) fn invert_gram(columns: &[[f64; 6]]) -> Option<[f64; 36]> {
    if columns.len() <= 6 {
        return None;
    }
    let mut gram = [0.0; 36];
    for column in columns {
        // Whole rows, of which the lower half is used: they are vectors.
        for (row, x) in gram.as_chunks_mut::<6>().0.iter_mut().zip(column) {
            for j in 0..6 {
                row[j] += x * column[j];
            }
        }
    }
    invert_symmetric(&gram)
}

/// Inverse of a symmetric 6 × 6 matrix given by its lower half; `None` if not safely positive definite.
fn invert_symmetric(lower: &[f64; 36]) -> Option<[f64; 36]> {
    let mut l = [0.0; 36];
    for i in 0..6 {
        for j in 0..=i {
            let mut sum = lower[i * 6 + j];
            for k in 0..j {
                sum -= l[i * 6 + k] * l[j * 6 + k];
            }
            if i == j {
                if !(sum > 1e-7 * lower[i * 6 + i]) {
                    return None;
                }
                l[i * 6 + i] = libm::sqrt(sum);
            } else {
                l[i * 6 + j] = sum / l[j * 6 + j];
            }
        }
    }
    // Columns of L⁻¹, then L⁻ᵀ L⁻¹.
    let mut inverse_l = [0.0; 36];
    for c in 0..6 {
        for i in c..6 {
            let mut sum = if i == c { 1.0 } else { 0.0 };
            for k in c..i {
                sum -= l[i * 6 + k] * inverse_l[k * 6 + c];
            }
            inverse_l[i * 6 + c] = sum / l[i * 6 + i];
        }
    }
    let mut inverse = [0.0; 36];
    for i in 0..6 {
        for j in 0..6 {
            inverse[i * 6 + j] = (i.max(j)..6).map(|k| inverse_l[k * 6 + i] * inverse_l[k * 6 + j]).sum();
        }
    }
    Some(inverse)
}
