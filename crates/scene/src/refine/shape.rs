//! Shapes in time: windows, envelopes and curves that begin and end gently.

use glam::Vec3;
use randori_motion::math::smootherstep;
use randori_motion::tracks::smoothed;

/// 1 at `center`, 0 from `half` seconds away on, without a jump in velocity or acceleration.
pub(super) fn window(t: f64, center: f64, half: f64) -> f32 {
    if half <= 0.0 {
        return 0.0;
    }
    smootherstep((1.0 - (t - center).abs() / half) as f32)
}

/// A smooth vector at least about as long as the required one in every frame, and of its direction: lengths are held
/// over `hold` seconds to either side, then smoothed by a Gaussian of `sigma` seconds.
pub(super) fn envelope(required: &[Vec3], fps: f32, hold: f32, sigma: f32) -> Vec<Vec3> {
    let half = libm::ceilf(hold * fps) as usize;
    let lengths: Vec<f32> = required.iter().map(|vector| vector.length()).collect();
    let held: Vec<Vec3> = (0..lengths.len())
        .map(|frame| {
            let window = &lengths[frame.saturating_sub(half)..(frame + half + 1).min(lengths.len())];
            Vec3::X * window.iter().copied().fold(0.0, f32::max)
        })
        .collect();
    let lengths = smoothed(&held, fps, sigma);
    // As wide as the lengths reach, so that every length has a direction.
    let directions = smoothed(required, fps, hold.max(sigma));
    lengths.iter().zip(directions).map(|(length, way)| way.normalize_or_zero() * length.x).collect()
}

/// The cubic curve from value and change per frame `(a, da)` at 0 to `(b, db)` at `n` frames.
pub(super) fn hermite((a, da): (Vec3, Vec3), (b, db): (Vec3, Vec3), n: f32, at: f32) -> Vec3 {
    let s = (at / n.max(1.0)).clamp(0.0, 1.0);
    let (s2, s3) = (s * s, s * s * s);
    a * (2.0 * s3 - 3.0 * s2 + 1.0)
        + da * n * (s3 - 2.0 * s2 + s)
        + b * (3.0 * s2 - 2.0 * s3)
        + db * n * (s3 - s2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_full_in_the_middle_and_nothing_outside() {
        assert_eq!(window(1.0, 1.0, 0.1), 1.0);
        assert_eq!((window(1.1, 1.0, 0.1), window(0.8, 1.0, 0.1), window(1.0, 1.0, 0.0)), (0.0, 0.0, 0.0));
    }

    #[test]
    fn envelopes_cover_what_is_required_and_are_smooth() {
        let required: Vec<Vec3> =
            (0..200).map(|k| if (90..100).contains(&k) { Vec3::Z * 0.08 } else { Vec3::ZERO }).collect();
        let found = envelope(&required, 60.0, 0.15, 0.06);
        assert!((90..100).all(|k| found[k].z > 0.075), "{:?}", &found[88..102]);
        assert!(found[0] == Vec3::ZERO && found[199] == Vec3::ZERO);
        assert!(found.windows(3).all(|w| (w[0] - 2.0 * w[1] + w[2]).length() * 3600.0 < 20.0));
        assert!(envelope(&[], 60.0, 0.1, 0.1).is_empty());
    }

    #[test]
    fn curves_begin_and_end_as_told() {
        let (a, b) = ((Vec3::X, Vec3::Y * 0.1), (Vec3::Z, Vec3::ZERO));
        assert_eq!(hermite(a, b, 10.0, 0.0), Vec3::X);
        assert_eq!(hermite(a, b, 10.0, 10.0), Vec3::Z);
        let step = hermite(a, b, 10.0, 0.01) - Vec3::X;
        assert!((step / 0.01 - a.1).length() < 0.01);
    }
}
