//! Basis functions over a game's state, and value functions that are sums of them.
//!
//! Reference: \[Wampler2010\], sections 6.1 and 6.2. Along one axis a basis is a set of cubic B-splines or of
//! indicators; over several axes it is the outer product of such sets; a *reduced* basis is a set of fixed combinations
//! of another basis, as nested PCA makes them. All evaluate sparsely.

mod gram;
mod spline;

pub(crate) use gram::Preconditioner;
pub use spline::CubicSplines;

use crate::game::Axis;

/// A set of functions of the state.
///
/// ```
/// use randori_equilibrium::basis::{Basis, SparseRow};
/// use randori_equilibrium::game::Axis;
///
/// let axes = [Axis::Periodic { low: 0.0, high: 1.0 }, Axis::Discrete { count: 3 }];
/// let basis = Basis::over_axes(&axes, &[0, 1], 8)?;
/// assert_eq!(basis.len(), 8 * 3);
/// let mut row = SparseRow::default();
/// basis.evaluate(&[0.3, 2.0], &mut row);
/// assert_eq!(row.len(), 4);
/// assert!((row.iter().map(|(_, value)| value).sum::<f64>() - 1.0).abs() < 1e-15);
/// # Ok::<(), randori_equilibrium::basis::BasisError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Basis {
    /// Cubic B-splines of one coordinate.
    Splines {
        /// Which coordinate of the state.
        axis: usize,
        /// The splines.
        splines: CubicSplines,
    },
    /// One function per value of a discrete coordinate: 1 there, 0 elsewhere.
    Indicators {
        /// Which coordinate of the state.
        axis: usize,
        /// How many values it has.
        count: usize,
    },
    /// All products of one function of each factor; the last factor's index runs fastest.
    Outer(Vec<Basis>),
    /// Combinations of another basis.
    Reduced(Box<ReducedBasis>),
}

/// Fixed combinations of the functions of another basis.
#[derive(Clone, Debug, PartialEq)]
pub struct ReducedBasis {
    source: Basis,
    count: usize,
    /// `source.len() × count`: the coefficients of all combinations for one source function lie together.
    coefficients: Vec<f64>,
}

/// Why a basis cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BasisError {
    /// Four cubic splines overlap at every point.
    #[error("{0} cubic B-splines on an axis: at least 4 are needed")]
    TooFew(usize),
    /// A basis without axes or with none of the game's.
    #[error("no axis {axis} in a game of {count}")]
    NoSuchAxis {
        /// The axis asked for.
        axis: usize,
        /// How many the game has.
        count: usize,
    },
    /// Nothing to multiply.
    #[error("a basis needs at least one axis")]
    NoAxes,
    /// More functions than can be numbered.
    #[error("an outer product of more than {limit} functions", limit = u32::MAX)]
    TooLarge,
    /// Coefficients do not fit their source.
    #[error("{found} coefficients are no combinations of {source_len} functions")]
    Coefficients {
        /// Number of source functions.
        source_len: usize,
        /// Number of coefficients.
        found: usize,
    },
}

impl Basis {
    /// The plain basis on one axis: `count` splines on a continuous axis, indicators on a discrete one.
    pub fn on_axis(axes: &[Axis], axis: usize, count: usize) -> Result<Self, BasisError> {
        match axes.get(axis).copied() {
            None => Err(BasisError::NoSuchAxis { axis, count: axes.len() }),
            Some(Axis::Discrete { count }) => Ok(Self::Indicators { axis, count: count as usize }),
            Some(Axis::Continuous { low, high }) => {
                Ok(Self::Splines { axis, splines: CubicSplines::clamped(low, high, count)? })
            }
            Some(Axis::Periodic { low, high }) => {
                Ok(Self::Splines { axis, splines: CubicSplines::periodic(low, high, count)? })
            }
        }
    }

    /// The outer product of the plain bases on several axes, `count` splines on each continuous one.
    pub fn over_axes(axes: &[Axis], chosen: &[usize], count: usize) -> Result<Self, BasisError> {
        let factors =
            chosen.iter().map(|&axis| Self::on_axis(axes, axis, count)).collect::<Result<_, _>>()?;
        Self::outer(factors)
    }

    /// The outer product of bases; a single one is itself, and a product of products is one product.
    pub fn outer(factors: Vec<Basis>) -> Result<Self, BasisError> {
        let flat = factors.into_iter().flat_map(|factor| match factor {
            Self::Outer(inner) => inner,
            single => vec![single],
        });
        let mut factors: Vec<Basis> = flat.collect();
        let size = factors.iter().try_fold(1usize, |size, factor| size.checked_mul(factor.len()));
        if size.is_none_or(|size| size > u32::MAX as usize) {
            return Err(BasisError::TooLarge);
        }
        match factors.len() {
            0 => Err(BasisError::NoAxes),
            1 => Ok(factors.remove(0)),
            _ => Ok(Self::Outer(factors)),
        }
    }

    /// Combinations of `source`; `combinations` holds one after another, each as long as the source.
    pub fn reduced(source: Basis, combinations: &[f64]) -> Result<Self, BasisError> {
        let n = source.len();
        if combinations.is_empty() || n == 0 || !combinations.len().is_multiple_of(n) {
            return Err(BasisError::Coefficients { source_len: n, found: combinations.len() });
        }
        let count = combinations.len() / n;
        let coefficients = (0..n * count).map(|k| combinations[k % count * n + k / count]).collect();
        Ok(Self::Reduced(Box::new(ReducedBasis { source, count, coefficients })))
    }

    /// Number of functions.
    pub fn len(&self) -> usize {
        match self {
            Self::Splines { splines, .. } => splines.len(),
            Self::Indicators { count, .. } => *count,
            Self::Outer(factors) => factors.iter().map(Basis::len).product(),
            Self::Reduced(reduced) => reduced.count,
        }
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many values the discrete axes of an outer product have together; 1 if there are none.
    pub(crate) fn n_blocks(&self) -> usize {
        match self {
            Self::Indicators { count, .. } => *count,
            Self::Outer(factors) => factors.iter().map(Basis::n_blocks).product(),
            Self::Splines { .. } | Self::Reduced(_) => 1,
        }
    }

    /// How many numbers it takes to store the basis itself, beside the weights of a value function.
    pub fn stored_numbers(&self) -> usize {
        match self {
            Self::Splines { .. } | Self::Indicators { .. } => 0,
            Self::Outer(factors) => factors.iter().map(Basis::stored_numbers).sum(),
            Self::Reduced(reduced) => reduced.coefficients.len() + reduced.source.stored_numbers(),
        }
    }

    /// Writes the functions that are not zero at `state`, by rising index.
    pub fn evaluate(&self, state: &[f64], row: &mut SparseRow) {
        row.clear();
        match self {
            Self::Splines { axis, splines } => splines.evaluate(state[*axis], row),
            Self::Indicators { axis, count } => {
                let value = state[*axis].max(0.0) as usize;
                row.push(value.min(count.saturating_sub(1)) as u32, 1.0);
            }
            Self::Outer(factors) => {
                row.push(0, 1.0);
                let mut factor_row = SparseRow::default();
                for factor in factors {
                    factor.evaluate(state, &mut factor_row);
                    row.multiply(&factor_row, factor.len() as u32);
                }
            }
            Self::Reduced(reduced) => reduced.evaluate(state, row),
        }
    }
}

impl ReducedBasis {
    fn source(&self) -> &Basis {
        &self.source
    }

    /// `source.len() × count`, row-major.
    fn coefficients(&self) -> &[f64] {
        &self.coefficients
    }

    fn evaluate(&self, state: &[f64], row: &mut SparseRow) {
        let mut source = SparseRow::default();
        self.source.evaluate(state, &mut source);
        row.indices.extend(0..self.count as u32);
        row.values.resize(self.count, 0.0);
        for (index, value) in source.iter() {
            let line = &self.coefficients[index as usize * self.count..][..self.count];
            for (sum, c) in row.values.iter_mut().zip(line) {
                *sum += c * value;
            }
        }
    }
}

/// A vector that is mostly zero.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SparseRow {
    indices: Vec<u32>,
    values: Vec<f64>,
    scratch: (Vec<u32>, Vec<f64>),
}

impl SparseRow {
    /// Number of entries.
    pub fn len(&self) -> usize {
        self.indices.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.indices.is_empty()
    }

    /// Index and value of every entry.
    pub fn iter(&self) -> impl Iterator<Item = (u32, f64)> + '_ {
        self.indices.iter().copied().zip(self.values.iter().copied())
    }

    /// The product with a full vector.
    pub fn dot(&self, vector: &[f64]) -> f64 {
        self.iter().map(|(index, value)| value * vector[index as usize]).sum()
    }

    fn clear(&mut self) {
        self.indices.clear();
        self.values.clear();
    }

    fn push(&mut self, index: u32, value: f64) {
        self.indices.push(index);
        self.values.push(value);
    }

    /// Outer product in place; the new factor's index runs fastest.
    fn multiply(&mut self, factor: &SparseRow, factor_len: u32) {
        let (indices, values) = &mut self.scratch;
        std::mem::swap(indices, &mut self.indices);
        std::mem::swap(values, &mut self.values);
        self.indices.clear();
        self.values.clear();
        for (&index, &value) in indices.iter().zip(values.iter()) {
            self.indices.extend(factor.indices.iter().map(|other| index * factor_len + other));
            self.values.extend(factor.values.iter().map(|other| value * other));
        }
    }
}

/// A value function: a basis and the weight of each of its functions.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueFunction {
    /// The functions.
    pub basis: Basis,
    /// Their weights.
    pub weights: Vec<f64>,
}

impl ValueFunction {
    /// The value at a state.
    pub fn value(&self, state: &[f64]) -> f64 {
        let mut row = SparseRow::default();
        self.basis.evaluate(state, &mut row);
        row.dot(&self.weights)
    }

    /// Numbers stored: weights and the basis's own.
    pub fn stored_numbers(&self) -> usize {
        self.weights.len() + self.basis.stored_numbers()
    }

    /// The same function, written so that evaluating it costs least; for many evaluations with the same weights.
    ///
    /// A reduced first factor is multiplied into the weights where that makes evaluation cheaper and the table stays
    /// below `largest_table` numbers.
    pub fn unfolded(&self, largest_table: usize) -> ValueFunction {
        let mut function = self.clone();
        loop {
            let (reduced, rest) = match function.basis {
                Basis::Reduced(ref reduced) => (reduced, &[][..]),
                Basis::Outer(ref factors) => match factors.split_first() {
                    Some((Basis::Reduced(reduced), rest)) => (reduced, rest),
                    _ => return function,
                },
                _ => return function,
            };
            let width: usize = rest.iter().map(Basis::len).product();
            let size = reduced.source.len() * width;
            if size > largest_table {
                return function;
            }
            // w'(s, b) = Σ_k c(s, k) w(k, b)
            let mut weights = vec![0.0; size];
            for (line, coefficients) in
                weights.chunks_exact_mut(width).zip(reduced.coefficients.chunks_exact(reduced.count))
            {
                for (c, old) in coefficients.iter().zip(function.weights.chunks_exact(width)) {
                    for (sum, w) in line.iter_mut().zip(old) {
                        *sum += c * w;
                    }
                }
            }
            let mut factors = match &reduced.source {
                Basis::Outer(inner) => inner.clone(),
                single => vec![single.clone()],
            };
            factors.extend_from_slice(rest);
            let basis = if factors.len() == 1 { factors.remove(0) } else { Basis::Outer(factors) };
            function = ValueFunction { basis, weights };
        }
    }

    /// The same function with the indicators of an outer product before its splines: what belongs to one value of the
    /// discrete axes then lies together, and a look ahead from one state stays within a few such blocks.
    ///
    /// ```
    /// use randori_equilibrium::basis::{Basis, ValueFunction};
    /// use randori_equilibrium::game::Axis;
    ///
    /// let axes = [Axis::Periodic { low: 0.0, high: 1.0 }, Axis::Discrete { count: 3 }];
    /// let basis = Basis::over_axes(&axes, &[0, 1], 8)?;
    /// let function = ValueFunction { basis, weights: (0..24).map(f64::from).collect() };
    /// let blocks = function.clone().in_blocks();
    /// assert_ne!(function.weights, blocks.weights);
    /// assert!((function.value(&[0.3, 2.0]) - blocks.value(&[0.3, 2.0])).abs() < 1e-12);
    /// # Ok::<(), randori_equilibrium::basis::BasisError>(())
    /// ```
    pub fn in_blocks(self) -> ValueFunction {
        let Basis::Outer(factors) = &self.basis else { return self };
        let is_spline = |at: &usize| !matches!(factors[*at], Basis::Indicators { .. });
        let mut order: Vec<usize> = (0..factors.len()).collect();
        order.sort_by_key(is_spline);
        if order.is_sorted() {
            return self;
        }
        // How far apart neighbours along each factor lie.
        let mut strides = vec![1; factors.len()];
        for at in (1..factors.len()).rev() {
            strides[at - 1] = strides[at] * factors[at].len();
        }
        let mut weights = Vec::with_capacity(self.weights.len());
        let mut at = vec![0; factors.len()];
        let mut from = 0;
        for _ in 0..self.weights.len() {
            weights.push(self.weights[from]);
            for &factor in order.iter().rev() {
                at[factor] += 1;
                from += strides[factor];
                if at[factor] < factors[factor].len() {
                    break;
                }
                from -= at[factor] * strides[factor];
                at[factor] = 0;
            }
        }
        let factors = order.iter().map(|at| factors[*at].clone()).collect();
        ValueFunction { basis: Basis::Outer(factors), weights }
    }

    /// [`Self::value`] with scratch space that is kept between calls.
    pub fn value_with(&self, state: &[f64], scratch: &mut SparseRow) -> f64 {
        if let Basis::Outer(factors) = &self.basis
            && factors.iter().all(|factor| !matches!(factor, Basis::Reduced(_) | Basis::Outer(_)))
            && factors.len() <= MAX_FLAT_FACTORS
        {
            return self.value_of_product(factors, state);
        }
        self.basis.evaluate(state, scratch);
        scratch.dot(&self.weights)
    }

    /// Plain factors only: summed from the last axis inwards without writing the product out.
    fn value_of_product(&self, factors: &[Basis], state: &[f64]) -> f64 {
        let mut active = [Active::default(); MAX_FLAT_FACTORS];
        for (active, factor) in active.iter_mut().zip(factors) {
            *active = match factor {
                Basis::Splines { axis, splines } => {
                    let (indices, values) = splines.at(state[*axis]);
                    Active { len: splines.len(), count: 4, indices, values }
                }
                Basis::Indicators { axis, count } => {
                    let value = (state[*axis].max(0.0) as usize).min(count - 1);
                    Active { len: *count, count: 1, indices: [value; 4], values: [1.0; 4] }
                }
                Basis::Outer(_) | Basis::Reduced(_) => Active::default(),
            };
        }
        sum_product(&self.weights, &active[..factors.len()], 0)
    }
}

/// The functions of one plain factor that are not zero at a state.
#[derive(Clone, Copy, Default)]
struct Active {
    len: usize,
    count: usize,
    indices: [usize; 4],
    values: [f64; 4],
}

fn sum_product(weights: &[f64], active: &[Active], base: usize) -> f64 {
    let Some((first, rest)) = active.split_first() else { return weights[base] };
    let base = base * first.len;
    if rest.is_empty() && first.count == 4 && first.indices[0] + 3 == first.indices[3] {
        let line = &weights[base + first.indices[0]..][..4];
        return (line[0] * first.values[0] + line[1] * first.values[1])
            + (line[2] * first.values[2] + line[3] * first.values[3]);
    }
    let mut total = 0.0;
    for (&index, &value) in first.indices.iter().zip(&first.values).take(first.count) {
        total += value * sum_product(weights, rest, base + index);
    }
    total
}

/// Outer products of more plain factors take the general road.
const MAX_FLAT_FACTORS: usize = 8;
