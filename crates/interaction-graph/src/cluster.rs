//! Samples of equal discrete parts, grouped: k-means with as many means as it takes.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use crate::pairing::{PER_METRE, PER_RADIAN, Place, SIGMA_ANGLE, SIGMA_DISTANCE};
use crate::sample::Mixed;

/// The average samples of groups that are no wider than `radius`, a square root of unlikeness, before they are averaged.
///
/// Reference: \[Shum2008b\], section 6.1. How many there are follows from the tolerance: every sample that is farther
/// than the radius from all seeds so far becomes one; Lloyd's steps then move them to where their samples are.
pub(crate) fn means(samples: &[Place], radius: f32) -> Vec<Place> {
    let limit = radius * radius;
    let mut seeds = Centres::within(radius);
    for sample in samples {
        if !seeds.near(*sample).any(|at| seeds.places[at].unlike(*sample) <= limit) {
            seeds.push(*sample);
        }
    }
    let mut centres = seeds.places;
    for _ in 0..STEPS {
        let cells = Centres::of(&centres, radius);
        let mut sums = vec![Sum::default(); centres.len()];
        for sample in samples {
            let at = cells.nearest(*sample);
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

/// The first of those most like a sample.
pub(crate) fn nearest(centres: &[Place], sample: Place) -> usize {
    nearest_of(centres, 0..centres.len(), sample).1
}

/// How unlike the first of those most like a sample is, and which it is.
fn nearest_of(centres: &[Place], among: impl Iterator<Item = usize>, sample: Place) -> (f32, usize) {
    let mut best = (f32::INFINITY, 0);
    for at in among {
        let unlike = centres[at].unlike(sample);
        if unlike < best.0 || unlike == best.0 && at < best.1 {
            best = (unlike, at);
        }
    }
    best
}

/// Places by cells as wide as a radius, so that whatever is within it is in one of the cells around.
struct Centres {
    limit: f32,
    /// Widths of a cell, in steps of a distance and of an angle.
    widths: [i32; 2],
    /// Cells around.
    n_angles: i32,
    places: Vec<Place>,
    cells: HashMap<u64, Vec<u32>, BuildHasherDefault<Mixed>>,
}

impl Centres {
    fn within(radius: f32) -> Centres {
        let width = |steps: f32| libm::ceilf(radius * steps).clamp(1.0, 65536.0) as i32;
        let widths = [width(SIGMA_DISTANCE * PER_METRE), width(SIGMA_ANGLE * PER_RADIAN)];
        Centres {
            limit: radius * radius,
            widths,
            n_angles: (65536 / widths[1]).max(1),
            places: Vec::new(),
            cells: HashMap::default(),
        }
    }

    fn of(places: &[Place], radius: f32) -> Centres {
        let mut centres = Centres::within(radius);
        for place in places {
            centres.push(*place);
        }
        centres
    }

    fn push(&mut self, place: Place) {
        self.cells.entry(number(self.cell(place))).or_default().push(self.places.len() as u32);
        self.places.push(place);
    }

    /// The last cell around is the widest, so that its neighbour on the other side of the seam is as far away as any.
    fn cell(&self, place: Place) -> [i32; 3] {
        let angle = |it: i16| ((i32::from(it) + 32768) / self.widths[1]).min(self.n_angles - 1);
        [i32::from(place.distance) / self.widths[0], angle(place.own), angle(place.other)]
    }

    /// Those in the cells around a place; all that are within the radius are among them.
    fn near(&self, place: Place) -> impl Iterator<Item = usize> + '_ {
        let [distance, own, other] = self.cell(place);
        let n = self.n_angles;
        let around = move |it: i32| {
            let (from, to) = if n <= 3 { (0, n - 1) } else { (it - 1, it + 1) };
            (from..=to).map(move |it| it.rem_euclid(n))
        };
        (distance - 1..=distance + 1)
            .flat_map(move |d| around(own).flat_map(move |a| around(other).map(move |b| [d, a, b])))
            .filter_map(|cell| self.cells.get(&number(cell)))
            .flatten()
            .map(|at| *at as usize)
    }

    /// The first of those most like a sample, wherever it is.
    fn nearest(&self, sample: Place) -> usize {
        let (unlike, at) = nearest_of(&self.places, self.near(sample), sample);
        if unlike <= self.limit { at } else { nearest(&self.places, sample) }
    }
}

/// The number of a cell.
fn number(cell: [i32; 3]) -> u64 {
    cell.iter().fold(0, |number, it| number << 20 | u64::from((it + 1) as u32))
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
    fn cells_find_the_same_as_looking_at_all() {
        let some = |k: u32| Place {
            rest: 3,
            distance: (k * 7919 % 30_000) as u16,
            own: k.wrapping_mul(104_729) as u16 as i16,
            other: k.wrapping_mul(15_485_863) as u16 as i16,
        };
        for radius in [0.05, 0.3, 1.0, 4.0, 20.0] {
            let all: Vec<Place> = (0..600).map(some).collect();
            let centres = Centres::of(&all, radius);
            for k in 600..1200 {
                let sample = some(k);
                assert_eq!(centres.nearest(sample), nearest(&all, sample), "{radius} {sample:?}");
                let within = |at: &usize| all[*at].unlike(sample) <= radius * radius;
                let expected = (0..all.len()).filter(within).count();
                assert_eq!(centres.near(sample).filter(within).count(), expected, "{radius} {sample:?}");
            }
        }
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
