//! Uniform cubic B-splines on an interval or around a circle.

use super::{BasisError, SparseRow};

/// `len` cubic B-splines over `[low, high]`: on an interval with clamped ends (knots threefold at both), on a circle
/// evenly spaced. Four overlap at every point and add to one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CubicSplines {
    low: f64,
    high: f64,
    len: usize,
    periodic: bool,
}

impl CubicSplines {
    /// Splines on an interval, with threefold knots at its ends.
    pub fn clamped(low: f64, high: f64, len: usize) -> Result<Self, BasisError> {
        if len < 4 { Err(BasisError::TooFew(len)) } else { Ok(Self { low, high, len, periodic: false }) }
    }

    /// Splines around a circle, where `high` is `low` again.
    pub fn periodic(low: f64, high: f64, len: usize) -> Result<Self, BasisError> {
        if len < 4 { Err(BasisError::TooFew(len)) } else { Ok(Self { low, high, len, periodic: true }) }
    }

    /// Number of splines.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Never: there are at least four.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The four splines that are not zero at `x` and their values, by rising index on an interval; points outside are
    /// clamped or wrapped.
    pub fn at(&self, x: f64) -> ([usize; 4], [f64; 4]) {
        let width = self.high - self.low;
        // A slice of a game may have shrunk the axis to a point.
        self.at_share(if width > 0.0 { (x - self.low) / width } else { 0.0 })
    }

    /// Number of intervals between knots.
    pub(super) fn cells(&self) -> usize {
        if self.periodic { self.len } else { self.len - 3 }
    }

    /// [`Self::at`] for a point given as a share of the way from `low` to `high`.
    pub(super) fn at_share(&self, share: f64) -> ([usize; 4], [f64; 4]) {
        if self.periodic {
            let position = (share - libm::floor(share)) * self.len as f64;
            let cell = (position as usize).min(self.len - 1);
            let f = position - cell as f64;
            let g = 1.0 - f;
            let values = [
                g * g * g / 6.0,
                (3.0 * f * f * f - 6.0 * f * f + 4.0) / 6.0,
                (3.0 * g * g * g - 6.0 * g * g + 4.0) / 6.0,
                f * f * f / 6.0,
            ];
            (std::array::from_fn(|k| (cell + self.len + k - 1) % self.len), values)
        } else {
            let cells = self.cells();
            let position = share.clamp(0.0, 1.0) * cells as f64;
            let cell = (position as usize).min(cells - 1);
            // Knots in units of cells: 0 0 0 0 1 2 … cells cells cells cells; Cox and de Boor, unrolled.
            let knot = |k: usize| (k as f64 - 3.0).clamp(0.0, cells as f64);
            let span = cell + 3;
            let mut values = [1.0, 0.0, 0.0, 0.0];
            for degree in 1..=3 {
                let mut saved = 0.0;
                for (r, value) in values[..degree].iter_mut().enumerate() {
                    let (left, right) = (knot(span + 1 + r - degree), knot(span + 1 + r));
                    let part = *value / (right - left);
                    *value = saved + (right - position) * part;
                    saved = (position - left) * part;
                }
                values[degree] = saved;
            }
            (std::array::from_fn(|k| cell + k), values)
        }
    }

    /// Where each spline is centred: on an interval the mean of its inner knots (Greville), which are points where
    /// interpolation is well posed.
    pub fn centres(&self) -> Vec<f64> {
        let cells = self.cells();
        let step = (self.high - self.low) / cells as f64;
        let knot = |k: usize| (k as f64 - 3.0).clamp(0.0, cells as f64);
        (0..self.len)
            .map(|k| {
                let place =
                    if self.periodic { k as f64 } else { (knot(k + 1) + knot(k + 2) + knot(k + 3)) / 3.0 };
                self.low + step * place
            })
            .collect()
    }

    pub(super) fn evaluate(&self, x: f64, row: &mut SparseRow) {
        let (indices, values) = self.at(x);
        // Around the circle the four may wrap: by rising index all the same.
        let first = (0..4).min_by_key(|&k| indices[k]).unwrap_or(0);
        for k in (0..4).map(|k| (first + k) % 4) {
            row.push(indices[k] as u32, values[k]);
        }
    }
}
