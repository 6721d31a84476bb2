//! Smooth corrections of a path: standing still where it must, else staying close to what it was.

/// One coordinate of a path and what is wanted of its correction, one entry per frame.
pub(super) struct Track<'a> {
    /// Change of the coordinate from each frame to the next that the correction shall cancel, in metres; and how
    /// much, 0 to 1.
    pub(super) steps: &'a [(f64, f64)],
    /// The correction wanted, in metres; and how much, 0 to 1.
    pub(super) offsets: &'a [(f64, f64)],
}

/// How firmly a correction holds.
#[derive(Clone, Copy)]
pub(super) struct Stiffness {
    /// A planted point comes to rest within about this time, in seconds; shorter means harder braking.
    pub(super) brake: f64,
    /// A wanted offset is taken up within about this time, in seconds.
    pub(super) settle: f64,
    /// Motions of a planted point that are slower than this are taken for shuffling and followed, in seconds.
    pub(super) follow: f64,
}

/// The correction c that minimises, summed over frames,
///
/// |c''|^2 + p |x' + c'|^2 / brake^2 + q |c - offset|^2 / settle^4 + |c|^2 / (brake follow)^2
///
/// where p and q are the weights of `steps` and `offsets`: the first term keeps the correction smooth, the second
/// brakes a planted point, the third brings it to its height, the last lets corrections fade where nothing else
/// holds them. A banded system, solved in time and memory proportional to the frames.
pub(super) fn correction(track: &Track<'_>, dt: f64, stiffness: Stiffness) -> Vec<f64> {
    let n = track.offsets.len();
    let smooth = 1.0 / (dt * dt * dt * dt);
    let brake = 1.0 / (stiffness.brake * stiffness.brake * dt * dt);
    let settle = 1.0 / (stiffness.settle * stiffness.settle * stiffness.settle * stiffness.settle);
    let fade = 1.0 / (stiffness.brake * stiffness.brake * stiffness.follow * stiffness.follow);

    // Diagonal and the two bands below it of the normal equations, and their right-hand side.
    let mut diagonal = vec![fade; n];
    let mut below = vec![0.0; n];
    let mut below_two = vec![0.0; n];
    let mut rhs = vec![0.0; n];
    for k in 1..n.saturating_sub(1) {
        for (at, weight) in [(k - 1, 1.0), (k, 4.0), (k + 1, 1.0)] {
            diagonal[at] += smooth * weight;
        }
        below[k] -= 2.0 * smooth;
        below[k + 1] -= 2.0 * smooth;
        below_two[k + 1] += smooth;
    }
    for k in 0..n.saturating_sub(1) {
        let (step, weight) = track.steps[k];
        let weight = weight * brake;
        diagonal[k] += weight;
        diagonal[k + 1] += weight;
        below[k + 1] -= weight;
        rhs[k] += weight * step;
        rhs[k + 1] -= weight * step;
    }
    for (k, (offset, weight)) in track.offsets.iter().enumerate() {
        diagonal[k] += weight * settle;
        rhs[k] += weight * settle * offset;
    }
    solve_banded(&mut diagonal, &mut below, &mut below_two, &mut rhs);
    rhs
}

/// Solves a positive definite system with two bands below the diagonal: L D Lᵀ, in place; the solution is in `x`.
fn solve_banded(diagonal: &mut [f64], below: &mut [f64], below_two: &mut [f64], x: &mut [f64]) {
    let n = x.len();
    for k in 0..n {
        // `below[k]` is entry (k, k - 1), `below_two[k]` is entry (k, k - 2); both become factors of L.
        if k >= 2 {
            let factor = below_two[k] / diagonal[k - 2];
            below[k] -= below_two[k] * below[k - 1];
            diagonal[k] -= factor * below_two[k];
            below_two[k] = factor;
        }
        if k >= 1 {
            let factor = below[k] / diagonal[k - 1];
            diagonal[k] -= factor * below[k];
            below[k] = factor;
        }
    }
    for k in 0..n {
        if k >= 1 {
            x[k] -= below[k] * x[k - 1];
        }
        if k >= 2 {
            x[k] -= below_two[k] * x[k - 2];
        }
    }
    for k in (0..n).rev() {
        x[k] /= diagonal[k];
        if k + 1 < n {
            x[k] -= below[k + 1] * x[k + 1];
        }
        if k + 2 < n {
            x[k] -= below_two[k + 2] * x[k + 2];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_banded_solver_agrees_with_elimination() {
        for n in 1..12_usize {
            let value = |i: usize, j: usize| match i.abs_diff(j) {
                0 => 7.0 + i as f64,
                1 => -1.0 - 0.1 * i.min(j) as f64,
                2 => 0.5,
                _ => 0.0,
            };
            let expected: Vec<f64> = (0..n).map(|i| (i as f64 * 1.7).sin()).collect();
            let mut x: Vec<f64> = (0..n).map(|i| (0..n).map(|j| value(i, j) * expected[j]).sum()).collect();
            let mut bands = [0, 1, 2].map(|band| {
                (0..n).map(|k| if k >= band { value(k, k - band) } else { 0.0 }).collect::<Vec<f64>>()
            });
            let [diagonal, below, below_two] = &mut bands;
            solve_banded(diagonal, below, below_two, &mut x);
            assert!(x.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12), "{n}");
        }
    }

    const STIFFNESS: Stiffness = Stiffness { brake: 0.02, settle: 0.03, follow: 1.0 };

    #[test]
    fn planted_stretches_stand_still_and_nothing_jumps() {
        // A foot that comes in at 1 m/s, drifts at 0.2 m/s while planted from frame 60 to 120, and leaves.
        let dt = 1.0 / 120.0;
        let planted = |frame: usize| (60..120).contains(&frame);
        let mut path = vec![0.0];
        for frame in 0..179 {
            path.push(path[frame] + dt * if planted(frame) { 0.2 } else { 1.0 });
        }
        let steps: Vec<(f64, f64)> = (0..180)
            .map(|k| {
                if k < 179 {
                    (path[k + 1] - path[k], f64::from(planted(k) && planted(k + 1)))
                } else {
                    (0.0, 0.0)
                }
            })
            .collect();
        let offsets = vec![(0.0, 0.0); 180];
        let c = correction(&Track { steps: &steps, offsets: &offsets }, dt, STIFFNESS);
        let speed = |k: usize| (path[k + 1] + c[k + 1] - path[k] - c[k]) / dt;
        for k in 70..110 {
            assert!(speed(k).abs() < 0.02, "{k}: {}", speed(k));
        }
        let bend = |k: usize| (c[k - 1] - 2.0 * c[k] + c[k + 1]) / (dt * dt);
        assert!((1..179).all(|k| bend(k).abs() < 20.0));
        assert!(c[0].abs() < 0.03 && c[179].abs() < 0.03, "{} {}", c[0], c[179]);
    }

    #[test]
    fn offsets_are_taken_up_and_left_smoothly() {
        let offsets: Vec<(f64, f64)> =
            (0..200).map(|k| if (80..140).contains(&k) { (0.05, 1.0) } else { (0.0, 0.0) }).collect();
        let c =
            correction(&Track { steps: &vec![(0.0, 0.0); 200], offsets: &offsets }, 1.0 / 120.0, STIFFNESS);
        assert!((c[110] - 0.05).abs() < 1e-3);
        assert!(c[0].abs() < 0.01, "{}", c[0]);
        for n in [0, 1, 2, 3] {
            let c = correction(
                &Track { steps: &vec![(0.0, 1.0); n], offsets: &vec![(0.01, 1.0); n] },
                0.01,
                STIFFNESS,
            );
            assert!(c.iter().all(|x| x.is_finite()));
        }
    }
}
