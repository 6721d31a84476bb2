//! Double-double arithmetic: an unevaluated sum of two `f64`, about 32 decimal digits.
//!
//! Reference: Dekker, "A floating-point technique for extending the available precision", 1971. Without fused
//! multiply-add, so that every machine gives the same bits.

use std::ops::{Add, Div, Mul, Neg, Sub};

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Double {
    high: f64,
    low: f64,
}

impl From<f64> for Double {
    fn from(high: f64) -> Self {
        Self { high, low: 0.0 }
    }
}

impl Double {
    pub(super) const ONE: Self = Self { high: 1.0, low: 0.0 };

    pub(super) fn to_f64(self) -> f64 {
        self.high + self.low
    }

    /// The exact product of two numbers.
    pub(super) fn product(a: f64, b: f64) -> Self {
        let high = a * b;
        let ((ah, al), (bh, bl)) = (split(a), split(b));
        let low = ((ah * bh - high) + ah * bl + al * bh) + al * bl;
        // Beyond 2^970 the split overflows; the rounded product is all there is.
        Self { high, low: if low.is_finite() { low } else { 0.0 } }
    }

    pub(super) fn less(self, other: Self) -> bool {
        self.high < other.high || (self.high == other.high && self.low < other.low)
    }

    /// |high| + |low| = high + low again.
    fn renormalise(high: f64, low: f64) -> Self {
        let sum = high + low;
        Self { high: sum, low: low - (sum - high) }
    }
}

fn split(a: f64) -> (f64, f64) {
    let t = 134_217_729.0 * a; // 2^27 + 1
    let high = t - (t - a);
    (high, a - high)
}

impl Add for Double {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let sum = self.high + other.high;
        let other_part = sum - self.high;
        let error = (self.high - (sum - other_part)) + (other.high - other_part);
        Self::renormalise(sum, error + self.low + other.low)
    }
}

impl Neg for Double {
    type Output = Self;
    fn neg(self) -> Self {
        Self { high: -self.high, low: -self.low }
    }
}

impl Sub for Double {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Double {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let p = Self::product(self.high, other.high);
        Self::renormalise(p.high, p.low + (self.high * other.low + self.low * other.high))
    }
}

impl Div for Double {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let first = self.high / other.high;
        let rest = self - other * Self::from(first);
        let second = rest.high / other.high;
        let rest = rest - other * Self::from(second);
        Self::renormalise(first, second) + Self::from(rest.high / other.high)
    }
}

#[cfg(test)]
mod tests {
    use super::Double;

    #[test]
    fn arithmetic_keeps_thirty_digits() {
        let (one, three) = (Double::ONE, Double::from(3.0));
        let third = one / three;
        assert!((third * three - one).to_f64().abs() < 1e-31);
        let tiny = Double::from(1e-25);
        assert_eq!(((one + tiny) - one).to_f64(), 1e-25);
        assert!(
            (Double::product(1.0 + 2f64.powi(-30), 1.0 - 2f64.powi(-30)) - one).to_f64() == -(2f64.powi(-60))
        );
        assert!(one.less(one + tiny) && !(one + tiny).less(one));
    }
}
