//! One time line for several samples: dynamic time warping between the moments at which feet come down and leave.
//!
//! The order in which feet come down and leave the floor must be the same in all samples; these moments then fall
//! together exactly. In between, frames are matched by dynamic time warping against the sample in the middle, by the
//! places of the joints relative to the placement. The common time line runs evenly with the mean of all samples.

use glam::Vec3;

use super::recipe::{BadRecipe, Sample};
use crate::bone::Bone;
use crate::skeleton::Skeleton;

/// A phase of the common time line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Phase {
    /// When it begins, 0 to 1.
    pub(super) start: f32,
    /// Which feet stand; left, then right.
    pub(super) standing: [bool; 2],
}

/// Samples on one time line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Aligned {
    /// For each sample, its time (s) at every key of the common time line.
    pub(super) times: Vec<Vec<f32>>,
    /// Which feet stand, from when on; the last phase begins at 1, with what stands when all is over.
    pub(super) phases: Vec<Phase>,
}

/// Keys of the common time line per second.
const KEYS_PER_SECOND: f32 = 60.0;
/// A frame of one sample takes at least and at most this many times as long as that of another, next to the mean
/// between two contacts: time does not stand still.
const SLOPES: [f32; 2] = [0.4, 2.5];

/// Aligns samples, which are sound one by one and stand in order of their parameters.
pub(super) fn align(node: &str, skeleton: &Skeleton, samples: &[&Sample]) -> Result<Aligned, BadRecipe> {
    let runs: Vec<Vec<(usize, [bool; 2])>> = samples.iter().map(|sample| runs(&sample.standing)).collect();
    let middle = samples.len() / 2;
    for (sample, found) in runs.iter().enumerate() {
        let same = found.len() == runs[middle].len()
            && found.iter().zip(&runs[middle]).all(|((_, a), (_, b))| a == b);
        if !same {
            return Err(BadRecipe::ContactsDisagree {
                node: node.to_owned(),
                reference: middle,
                expected: spelled(&runs[middle]),
                sample,
                found: spelled(found),
            });
        }
    }
    let features: Vec<Vec<Vec<Vec3>>> = samples.iter().map(|sample| features(skeleton, sample)).collect();
    let ends = |sample: usize| {
        let starts = runs[sample].iter().map(|(start, _)| *start);
        starts.chain([samples[sample].standing.len() - 1]).collect::<Vec<usize>>()
    };
    // For each sample, its frame at every frame of the middle one.
    let reference = ends(middle);
    let frames: Vec<Vec<f32>> = (0..samples.len())
        .map(|sample| {
            let own = ends(sample);
            let mut frames = vec![0.0];
            for (a, b) in reference.windows(2).zip(own.windows(2)) {
                let matched = matched(&features[middle][a[0]..=a[1]], &features[sample][b[0]..=b[1]]);
                frames.extend(matched.into_iter().skip(1).map(|frame| frame + b[0] as f32));
            }
            frames
        })
        .collect();
    let seconds: Vec<f32> = samples.iter().map(|sample| sample.clip.rate().dt() as f32).collect();
    let time = |sample: usize, frame: usize| frames[sample][frame] * seconds[sample];
    let n_samples = samples.len() as f32;
    let mean = |frame: usize| (0..samples.len()).map(|sample| time(sample, frame)).sum::<f32>() / n_samples;
    let means: Vec<f32> = (0..frames[middle].len()).map(mean).collect();
    let last = means.len() - 1;
    let n_keys = (libm::roundf(means[last] * KEYS_PER_SECOND) as usize + 1).max(3);
    let times = (0..samples.len())
        .map(|sample| {
            let mut times: Vec<f32> = (0..n_keys)
                .map(|key| {
                    let wanted = means[last] * key as f32 / (n_keys - 1) as f32;
                    let after = means.partition_point(|mean| *mean <= wanted).clamp(1, last);
                    let share = (wanted - means[after - 1]) / (means[after] - means[after - 1]);
                    let [from, to] = [after - 1, after].map(|frame| time(sample, frame));
                    from + (to - from) * share.clamp(0.0, 1.0)
                })
                .collect();
            // Rounding must not lose the last frame.
            times[n_keys - 1] = time(sample, last);
            times
        })
        .collect();
    let mut phases: Vec<Phase> = (runs[middle].iter())
        .map(|(start, standing)| Phase { start: means[*start] / means[last], standing: *standing })
        .collect();
    let landed = samples[middle].standing[samples[middle].standing.len() - 1];
    phases.push(Phase { start: 1.0, standing: landed });
    Ok(Aligned { times, phases })
}

/// From which frame on which feet stand; what the last frame alone has belongs to what follows.
fn runs(standing: &[[bool; 2]]) -> Vec<(usize, [bool; 2])> {
    let mut found: Vec<(usize, [bool; 2])> = Vec::new();
    for (frame, stands) in standing[..standing.len() - 1].iter().enumerate() {
        if found.last().is_none_or(|(_, last)| last != stands) {
            found.push((frame, *stands));
        }
    }
    found
}

fn spelled(runs: &[(usize, [bool; 2])]) -> String {
    let letter = |standing: [bool; 2]| match standing {
        [true, true] => 'B',
        [true, false] => 'L',
        [false, true] => 'R',
        [false, false] => '-',
    };
    runs.iter().map(|(_, standing)| letter(*standing)).collect()
}

/// Where the joints are, seen from the placement, frame by frame.
fn features(skeleton: &Skeleton, sample: &Sample) -> Vec<Vec<Vec3>> {
    let joints: Vec<usize> =
        Bone::LANDMARKS.iter().filter_map(|bone| skeleton.bone(*bone)).map(|joint| joint.idx()).collect();
    (sample.clip.frames().zip(&sample.placements))
        .map(|(pose, placement)| {
            let globals = skeleton.global_pose(pose);
            joints.iter().map(|joint| placement.point_from_world(globals.positions[*joint])).collect()
        })
        .collect()
}

/// Dynamic time warping: for every frame of `a` its frame of `b`, never backwards; first goes with first and last with
/// last. Both have two frames at least.
fn matched(a: &[Vec<Vec3>], b: &[Vec<Vec3>]) -> Vec<f32> {
    let (n, m) = (a.len(), b.len());
    let distance =
        |i: usize, j: usize| a[i].iter().zip(&b[j]).map(|(p, q)| p.distance_squared(*q)).sum::<f32>();
    let mut cost = vec![f32::INFINITY; n * m];
    for i in 0..n {
        for j in 0..m {
            let before = |back_i: usize, back_j: usize| {
                (i >= back_i && j >= back_j).then(|| cost[(i - back_i) * m + j - back_j])
            };
            let best = [before(1, 1), before(1, 0), before(0, 1)].into_iter().flatten().reduce(f32::min);
            cost[i * m + j] = distance(i, j) + if i + j == 0 { 0.0 } else { best.unwrap_or(f32::INFINITY) };
        }
    }
    let mut sums = vec![(0.0_f32, 0.0_f32); n];
    let (mut i, mut j) = (n - 1, m - 1);
    loop {
        sums[i].0 += j as f32;
        sums[i].1 += 1.0;
        if i + j == 0 {
            break;
        }
        // Both at once if that is as good: steps alone bend the time line.
        let diagonal = if i > 0 && j > 0 { cost[(i - 1) * m + j - 1] } else { f32::INFINITY };
        let up = if i > 0 { cost[(i - 1) * m + j] } else { f32::INFINITY };
        let left = if j > 0 { cost[i * m + j - 1] } else { f32::INFINITY };
        if diagonal <= up && diagonal <= left {
            (i, j) = (i - 1, j - 1);
        } else if up <= left {
            i -= 1;
        } else {
            j -= 1;
        }
    }
    let mut frames: Vec<f32> = sums.iter().map(|(sum, count)| sum / count).collect();
    (frames[0], frames[n - 1]) = (0.0, (m - 1) as f32);
    let mean = (m - 1) as f32 / (n - 1) as f32;
    let slopes: Vec<f32> =
        frames.windows(2).map(|pair| (pair[1] - pair[0]).clamp(SLOPES[0] * mean, SLOPES[1] * mean)).collect();
    let scale = (m - 1) as f32 / slopes.iter().sum::<f32>();
    let mut at = 0.0;
    for (frame, slope) in frames[1..].iter_mut().zip(&slopes) {
        at += slope * scale;
        *frame = at;
    }
    frames[n - 1] = (m - 1) as f32;
    frames
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A point that moves as the argument says.
    fn path(n: usize, at: impl Fn(f32) -> f32) -> Vec<Vec<Vec3>> {
        (0..n).map(|k| vec![Vec3::X * at(k as f32 / (n - 1) as f32)]).collect()
    }

    #[test]
    fn warping_finds_the_other_time() {
        // The second is where the first is, at the square root of its time.
        let (a, b) = (path(41, |t| t), path(61, |t| 0.7 * t * t + 0.3 * t));
        let frames = matched(&a, &b);
        for (k, frame) in frames.iter().enumerate() {
            let x = frame / 60.0;
            let there = 0.7 * x * x + 0.3 * x;
            assert!((there - k as f32 / 40.0).abs() < 0.06, "{k}: {there}");
        }
        assert!(frames.windows(2).all(|pair| pair[1] > pair[0]));
        assert_eq!((frames[0], frames[40]), (0.0, 60.0));
    }

    #[test]
    fn time_never_stands_still() {
        let (a, b) = (path(30, |_| 0.0), path(10, |t| t));
        let frames = matched(&a, &b);
        assert!(frames.windows(2).all(|pair| pair[1] - pair[0] > 0.05), "{frames:?}");
        assert_eq!(matched(&path(2, |t| t), &path(9, |t| t)), [0.0, 8.0]);
    }

    #[test]
    fn what_the_last_frame_has_is_not_counted() {
        let (l, b) = ([true, false], [true, true]);
        assert_eq!(runs(&[l, l, b, b]), [(0, l), (2, b)]);
        assert_eq!(runs(&[l, l, b]), [(0, l)]);
        assert_eq!(spelled(&runs(&[b, l, [false; 2], [false, true], b])), "BL-R");
    }
}
