//! What an optimum is measured by: multipliers and residuals.

/// Multipliers: `H x + g + Aᵀ y + Cᵀ z + z_bound = 0`; positive presses on the upper limit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Multipliers {
    /// Of the equalities.
    pub y: Vec<f64>,
    /// Of the inequalities.
    pub z: Vec<f64>,
    /// Of the bounds.
    pub z_bound: Vec<f64>,
}

/// How far a point and its multipliers are from optimal (largest of each kind).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Residuals {
    /// Violation of rows and bounds.
    pub primal: f64,
    /// Of `H x + g + Aᵀ y + Cᵀ z + z_bound = 0`.
    pub stationarity: f64,
    /// Smaller of slack and multiplier, for each limit.
    pub complementarity: f64,
}

impl Residuals {
    /// The largest of the three.
    pub fn max(&self) -> f64 {
        self.primal.max(self.stationarity).max(self.complementarity)
    }
}
