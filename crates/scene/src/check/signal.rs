//! Small tools on evenly sampled signals.

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
    fn percentiles_interpolate() {
        assert_eq!(percentile(&[3.0, 1.0, 2.0], 50.0), 2.0);
        assert_eq!(percentile(&[0.0, 10.0], 95.0), 9.5);
        assert_eq!(percentile(&[], 95.0), 0.0);
    }
}
