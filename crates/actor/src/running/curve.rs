//! Curves over time: sampled and smoothed ones, and paths through keys.

use crate::curve::{self, quintic};

/// Samples per second of sampled curves.
const RATE: f32 = 120.0;

/// A quantity over time, sampled evenly and read between the samples.
#[derive(Clone, Debug)]
pub(crate) struct Curve {
    samples: Vec<f32>,
}

impl Curve {
    /// The curve that has these values at moments of `[0, seconds]`.
    pub(crate) fn of(seconds: f32, value: impl FnMut(f32) -> f32) -> Curve {
        let n_samples = (seconds.max(0.0) * RATE) as usize + 2;
        Curve { samples: (0..n_samples).map(|k| k as f32 / RATE).map(value).collect() }
    }

    /// The same with its corners rounded by a Gaussian of width `sigma` (s). The ends are taken to go on as
    /// they are.
    pub(crate) fn rounded(&self, sigma: f32) -> Curve {
        let width = sigma * RATE;
        let half = (3.5 * width) as isize;
        let weights: Vec<f32> =
            (-half..=half).map(|k| k as f32 / width.max(1e-3)).map(|x| libm::expf(-0.5 * x * x)).collect();
        let total: f32 = weights.iter().sum();
        let last = self.samples.len() as isize - 1;
        let mean = |at: isize| {
            let weighted = weights
                .iter()
                .zip(at - half..)
                .map(|(weight, k)| weight * self.samples[k.clamp(0, last) as usize]);
            weighted.sum::<f32>() / total
        };
        Curve { samples: (0..=last).map(mean).collect() }
    }

    /// Its integral from 0 on.
    pub(crate) fn integrated(&self) -> Curve {
        // Sums run in doubles: takes are long and steps are short.
        let mut sum = 0.0_f64;
        let mut samples = vec![0.0];
        for pair in self.samples.windows(2) {
            sum += 0.5 * f64::from(pair[0] + pair[1]) / f64::from(RATE);
            samples.push(sum as f32);
        }
        Curve { samples }
    }

    /// The value at a time (s), by the cubic through four samples; beyond the ends the nearest value.
    pub(crate) fn at(&self, t: f32) -> f32 {
        let last = self.samples.len() as isize - 1;
        let x = (t * RATE).clamp(0.0, last as f32);
        let k = x as isize;
        let u = x - k as f32;
        let sample = |k: isize| self.samples[k.clamp(0, last) as usize];
        let [a, b, c, d] = [sample(k - 1), sample(k), sample(k + 1), sample(k + 2)];
        let (from, to) = (0.5 * (c - a), 0.5 * (d - b));
        let (rest, turn) = (c - b, from + to - 2.0 * (c - b));
        b + u * (from + u * (3.0 * rest - 2.0 * from - to + u * turn))
    }
}

/// A value that is passed at a time, with its rates of change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Key {
    /// When (s).
    pub(crate) t: f32,
    pub(crate) value: f32,
    /// First derivative.
    pub(crate) velocity: f32,
    /// Second derivative.
    pub(crate) acceleration: f32,
}

impl Key {
    /// A key that is passed at rest.
    pub(crate) fn resting(t: f32, value: f32) -> Key {
        Key { t, value, velocity: 0.0, acceleration: 0.0 }
    }

    /// The same without its time.
    fn at(&self) -> curve::Key {
        curve::Key { place: self.value, velocity: self.velocity, acceleration: self.acceleration }
    }

    /// A key that is passed at a steady rate.
    pub(crate) fn moving(t: f32, value: f32, velocity: f32) -> Key {
        Key { t, value, velocity, acceleration: 0.0 }
    }
}

/// The quintics through keys in order of time: continuous up to the second derivative. Beyond the ends the
/// nearest value.
pub(crate) fn through(keys: &[Key], t: f32) -> f32 {
    let after = keys.partition_point(|key| key.t <= t);
    match (after.checked_sub(1).and_then(|k| keys.get(k)), keys.get(after)) {
        (Some(from), Some(to)) => quintic(from.at(), to.at(), to.t - from.t, t - from.t),
        (Some(key), None) | (None, Some(key)) => key.value,
        (None, None) => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_go_through_their_keys_at_the_given_rates() {
        let keys = [
            Key::resting(0.0, 1.0),
            Key { t: 0.5, value: 2.0, velocity: -3.0, acceleration: 5.0 },
            Key::moving(0.8, 0.0, 1.0),
        ];
        let h = 2e-3;
        for key in &keys[1..2] {
            let [before, here, after] = [-h, 0.0, h].map(|step| through(&keys, key.t + step));
            assert!((here - key.value).abs() < 1e-5);
            assert!(((after - before) / (2.0 * h) - key.velocity).abs() < 0.05);
            assert!(((after + before - 2.0 * here) / (h * h) - key.acceleration).abs() < 2.0);
        }
        assert_eq!(through(&keys, -1.0), 1.0);
        assert_eq!(through(&keys, 9.0), 0.0);
        assert_eq!(through(&[], 0.0), 0.0);
    }

    #[test]
    fn integrals_and_rounded_curves_agree_with_calculus() {
        let wave = Curve::of(4.0, |t| libm::cosf(3.0 * t));
        let sum = wave.integrated();
        // A Gaussian damps a wave by exp(-(omega sigma)^2 / 2).
        let damped = wave.rounded(0.1);
        for k in 10..30 {
            let t = 0.1 * k as f32;
            assert!((wave.at(t) - libm::cosf(3.0 * t)).abs() < 1e-4);
            assert!((sum.at(t) - libm::sinf(3.0 * t) / 3.0).abs() < 1e-3);
            assert!((damped.at(t) - libm::expf(-0.045) * libm::cosf(3.0 * t)).abs() < 2e-3, "{t}");
        }
    }
}
