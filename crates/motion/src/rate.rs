//! Frame rates as exact fractions.

use std::fmt;

/// Poses per second as a fraction, so that an hour of 30000/1001 does not drift.
///
/// ```
/// use randori_motion::FrameRate;
/// let rate = FrameRate::from_frame_time(0.0083333).unwrap();
/// assert_eq!(rate, FrameRate::new(120, 1).unwrap());
/// assert_eq!(rate.time_of(60), 0.5);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FrameRate {
    numerator: u32,
    denominator: u32,
}

impl FrameRate {
    /// 60 poses per second: what Randori works at inside.
    pub const HOUSE: FrameRate = FrameRate { numerator: 60, denominator: 1 };

    /// `numerator / denominator` poses per second in lowest terms; `None` if either is zero.
    pub fn new(numerator: u32, denominator: u32) -> Option<FrameRate> {
        if numerator == 0 || denominator == 0 {
            return None;
        }
        let divisor = gcd(numerator, denominator);
        Some(FrameRate { numerator: numerator / divisor, denominator: denominator / divisor })
    }

    /// The rate nearest to `fps`; `None` unless it is finite and between 0.001 and 1,000,000.
    ///
    /// Rates that people use (24, 25, 30, 60, 120, 30000/1001 and their kin) are recognised through the
    /// rounding of a file; others are kept to a thousandth of a pose per second.
    pub fn from_fps(fps: f64) -> Option<FrameRate> {
        /// Files print frame times with as few as five digits: .04167, .03333, .0083333.
        const ROUNDING: f64 = 2e-4;
        if !(0.001..=1e6).contains(&fps) {
            return None;
        }
        for whole in [24, 25, 30, 48, 50, 60, 72, 90, 100, 120, 144, 150, 180, 200, 240, 250, 300, 360, 480] {
            if (fps / f64::from(whole) - 1.0).abs() < ROUNDING {
                return FrameRate::new(whole, 1);
            }
            let drop_frame = f64::from(whole) / 1.001;
            if whole % 6 == 0 && (fps / drop_frame - 1.0).abs() < ROUNDING {
                return FrameRate::new(whole * 1000, 1001);
            }
        }
        if fps >= 1.0 && (fps / fps.round() - 1.0).abs() < ROUNDING {
            return FrameRate::new(fps.round() as u32, 1);
        }
        FrameRate::new((fps * 1000.0).round() as u32, 1000)
    }

    /// The rate of a file that states the seconds between two frames, as BVH does.
    pub fn from_frame_time(seconds: f64) -> Option<FrameRate> {
        FrameRate::from_fps(1.0 / seconds)
    }

    /// Poses and the whole seconds they take, in lowest terms: (30000, 1001).
    pub fn fraction(self) -> (u32, u32) {
        (self.numerator, self.denominator)
    }

    /// Poses per second.
    pub fn fps(self) -> f64 {
        f64::from(self.numerator) / f64::from(self.denominator)
    }

    /// Seconds between two poses.
    pub fn dt(self) -> f64 {
        f64::from(self.denominator) / f64::from(self.numerator)
    }

    /// The time in seconds of a frame, frame 0 being at 0.
    pub fn time_of(self, frame: usize) -> f64 {
        frame as f64 * f64::from(self.denominator) / f64::from(self.numerator)
    }
}

impl fmt::Display for FrameRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.denominator {
            1 => write!(f, "{}", self.numerator),
            _ => write!(f, "{}/{}", self.numerator, self.denominator),
        }
    }
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frame_times_of_files_snap_to_the_rates_they_mean() {
        for (seconds, expected) in [
            (0.0083333, "120"),
            (0.008333, "120"),
            (0.016667, "60"),
            (0.0166667, "60"),
            (0.033333, "30"),
            (0.03333, "30"),
            (0.0333667, "30000/1001"),
            (0.04, "25"),
            (0.0416667, "24"),
            (0.01, "100"),
            (1.0, "1"),
            (0.4, "5/2"),
            (1.0 / 59.94, "60000/1001"),
        ] {
            assert_eq!(FrameRate::from_frame_time(seconds).unwrap().to_string(), expected, "{seconds}");
        }
    }

    #[test]
    fn nonsense_is_no_rate() {
        for seconds in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-9, 1e9] {
            assert_eq!(FrameRate::from_frame_time(seconds), None, "{seconds}");
        }
        assert_eq!(FrameRate::new(0, 1), None);
        assert_eq!(FrameRate::new(1, 0), None);
    }
}
