//! Small tools on evenly sampled signals.

/// Maximal runs of frames for which `holds`, as first and one-past-last frame.
pub(super) fn runs(n_frames: usize, holds: impl Fn(usize) -> bool) -> Vec<(usize, usize)> {
    let mut runs = Vec::new();
    let mut start = None;
    for frame in 0..=n_frames {
        let inside = frame < n_frames && holds(frame);
        match start {
            None if inside => start = Some(frame),
            Some(first) if !inside => {
                runs.push((first, frame));
                start = None;
            }
            _ => {}
        }
    }
    runs
}

/// The value below which `percent` of the values lie, interpolated between neighbours; 0 of nothing.
pub(super) fn percentile(values: &[f64], percent: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else { return 0.0 };
    let at = percent / 100.0 * last as f64;
    let below = (at as usize).min(last);
    let above = (below + 1).min(last);
    sorted[below] + (at - below as f64) * (sorted[above] - sorted[below])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_maximal() {
        let mask = [true, true, false, true, false, false, true];
        assert_eq!(runs(7, |frame| mask[frame]), [(0, 2), (3, 4), (6, 7)]);
        assert_eq!(runs(0, |_| true), []);
    }

    #[test]
    fn percentiles_interpolate() {
        assert_eq!(percentile(&[3.0, 1.0, 2.0], 50.0), 2.0);
        assert_eq!(percentile(&[0.0, 10.0], 95.0), 9.5);
        assert_eq!(percentile(&[], 95.0), 0.0);
    }
}
