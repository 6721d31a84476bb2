//! Samples of equal discrete parts, grouped: k-means with as many means as it takes.

use crate::pairing::Place;

/// The average samples of groups that are no wider than `radius`, a square root of unlikeness, before they are averaged.
///
/// Reference: \[Shum2008b\], section 6.1. How many there are follows from the tolerance: every sample that is farther
/// than the radius from all seeds so far becomes one; Lloyd's steps then move them to where their samples are.
pub(crate) fn means(samples: &[Place], radius: f32) -> Vec<Place> {
    let limit = radius * radius;
    let mut centres: Vec<Place> = Vec::new();
    for sample in samples {
        if !centres.iter().any(|centre| centre.unlike(*sample) <= limit) {
            centres.push(*sample);
        }
    }
    for _ in 0..STEPS {
        let mut sums = vec![Sum::default(); centres.len()];
        for sample in samples {
            let at = nearest(&centres, *sample);
            sums[at].add(centres[at], *sample);
        }
        centres = (centres.iter().zip(&sums)).filter_map(|(centre, sum)| sum.mean(*centre)).collect();
    }
    centres.sort_unstable();
    centres.dedup();
    centres
}

/// Lloyd's steps: what they still change after these is less than the grid of the samples.
const STEPS: usize = 3;

pub(crate) fn nearest(centres: &[Place], sample: Place) -> usize {
    let mut best = (f32::INFINITY, 0);
    for (at, centre) in centres.iter().enumerate() {
        let unlike = centre.unlike(sample);
        if unlike < best.0 {
            best = (unlike, at);
        }
    }
    best.1
}

/// How far the samples of a group are from its centre, summed up.
#[derive(Clone, Copy, Default)]
struct Sum {
    n: i64,
    rest: i64,
    distance: i64,
    own: i64,
    other: i64,
}

impl Sum {
    fn add(&mut self, centre: Place, sample: Place) {
        self.n += 1;
        self.rest += i64::from(sample.rest) - i64::from(centre.rest);
        self.distance += i64::from(sample.distance) - i64::from(centre.distance);
        self.own += i64::from(sample.own.wrapping_sub(centre.own));
        self.other += i64::from(sample.other.wrapping_sub(centre.other));
    }

    fn mean(&self, centre: Place) -> Option<Place> {
        let of = |sum: i64| (sum as f64 / self.n as f64).round() as i64;
        (self.n > 0).then(|| Place {
            rest: (i64::from(centre.rest) + of(self.rest)) as u16,
            distance: (i64::from(centre.distance) + of(self.distance)) as u16,
            own: centre.own.wrapping_add(of(self.own) as i16),
            other: centre.other.wrapping_add(of(self.other) as i16),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(distance: u16, own: i16) -> Place {
        Place { rest: 3, distance, own, other: 0 }
    }

    #[test]
    fn heaps_are_found_also_across_the_turn() {
        let near = [place(10_000, 32_700), place(10_200, -32_700), place(10_100, 32_760)];
        let far = [place(20_000, 0), place(20_400, 200)];
        let all: Vec<Place> = near.into_iter().chain(far).collect();
        let found = means(&all, 0.3);
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!(found[0].distance, 10_100);
        assert!(found[0].own.unsigned_abs() > 32_700, "{found:?}");
        assert_eq!((found[1].distance, found[1].own), (20_200, 100));
    }

    #[test]
    fn every_sample_is_near_a_mean() {
        let all: Vec<Place> = (0..2000_u32)
            .map(|k| place(8000 + (k * 7919 % 9000) as u16, ((k * 104_729) % 20_000) as i16))
            .collect();
        for radius in [0.1, 0.3, 1.0] {
            let found = means(&all, radius);
            let worst =
                all.iter().map(|it| found[nearest(&found, *it)].unlike(*it)).fold(0.0, f32::max).sqrt();
            assert!(worst < 1.5 * radius, "{worst} of {radius}");
            assert!(found.len() < all.len());
        }
    }
}
