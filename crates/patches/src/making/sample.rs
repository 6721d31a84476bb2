//! Initial conditions: the ranges in which both first actions make sense, and samples spread evenly over them.
//!
//! Reference: \[Shum2008\], section 2.2, "Sampling Initial Conditions".

use std::f32::consts::{PI, TAU};
use std::ops::Range;

use randori_arena::bodies::TICKS_PER_SECOND;
use randori_motion::ActionLibrary;
use randori_motion::analyse::ValidRange;

use super::Why;
use crate::patch::{Initial, Role};
use crate::pattern::{Pattern, Sampling, matches};

/// Values of one quantity at even distances.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Axis {
    from: f32,
    step: f32,
    n: usize,
}

impl Axis {
    /// Values within a range, as far from one end of it as from the other; both ends of a whole turn are the same.
    fn of(range: &Range<f32>, step: f32, is_angle: bool) -> Axis {
        let width = (range.end - range.start).max(0.0);
        // A step that fits up to rounding fits.
        let fits = libm::floorf(width / step + 1e-3) as usize;
        let is_round = is_angle && width > TAU - 1e-3;
        let n = if is_round { fits.max(1) } else { fits + 1 };
        let from = range.start + 0.5 * (width - fits as f32 * step);
        Axis { from, step, n }
    }

    fn at(&self, k: usize) -> f32 {
        self.from + k as f32 * self.step
    }
}

/// All initial conditions of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Grid {
    distance: Axis,
    angles: [Axis; 2],
    delay: Axis,
}

impl Grid {
    /// The conditions in which the first actions of both make sense, or why there are none.
    pub(super) fn of(library: &ActionLibrary, pattern: &Pattern) -> Result<Grid, Why> {
        let Sampling { distance_step, angle_step, delay_step, ranges, .. } = &pattern.sampling;
        let first = hull(library, pattern, Role::First);
        let second = hull(library, pattern, Role::Second).map(seen_by_the_other);
        let both = |what: &'static str, asked: Option<Range<f32>>, of: &dyn Fn(&ValidRange) -> Range<f32>| {
            if let Some(asked) = asked {
                return Ok(asked);
            }
            let everywhere = -1e3..1e3;
            let [a, b] = [&first, &second].map(|range| range.as_ref().map_or(everywhere.clone(), of));
            let common = a.start.max(b.start)..a.end.min(b.end);
            if common.start > common.end {
                let [first, second] = [a, b].map(|range| [range.start, range.end]);
                return Err(Why::EmptyRange { what, first, second });
            }
            Ok(common)
        };
        let distance = both("distance (m)", ranges.distance.clone(), &|range| range.distance.clone())?;
        let [own, other] = ranges.angles.clone();
        let own = both("angle of the first (rad)", own, &|range| range.own_angle.clone())?;
        let other = both("angle of the second (rad)", other, &|range| range.other_angle.clone())?;
        let delay = ranges.delay.clone().map(|ticks| ticks.start as f32..ticks.end as f32);
        let in_ticks = |range: &Range<f32>| range.start * TICKS_PER_SECOND..range.end * TICKS_PER_SECOND;
        let delay = both("delay (ticks)", delay, &|range| in_ticks(&range.delay))?;
        let round = |range: Range<f32>| range.start.max(-PI)..range.end.min(PI);
        Ok(Grid {
            distance: Axis::of(&distance, *distance_step, false),
            angles: [own, other].map(|range| Axis::of(&round(range), *angle_step, true)),
            delay: Axis::of(&delay, *delay_step as f32, false),
        })
    }

    /// How many conditions there are.
    pub(super) fn len(&self) -> usize {
        self.distance.n * self.angles[0].n * self.angles[1].n * self.delay.n
    }

    fn at(&self, k: usize) -> Initial {
        let (k, distance) = (k / self.distance.n, self.distance.at(k % self.distance.n));
        let (k, own) = (k / self.angles[0].n, self.angles[0].at(k % self.angles[0].n));
        let (k, other) = (k / self.angles[1].n, self.angles[1].at(k % self.angles[1].n));
        let delay = libm::roundf(self.delay.at(k % self.delay.n)) as i32;
        Initial { distance, angles: [own, other], delay }
    }

    /// At most so many of them, spread evenly.
    pub(super) fn spread(&self, most: usize) -> Vec<Initial> {
        let n = self.len();
        if n <= most {
            return (0..n).map(|k| self.at(k)).collect();
        }
        // Steps of about the golden section of all, without a common divisor with it, come back to none before all were
        // there, and leave no wide gap before.
        let mut stride = ((n as f64 * 0.618_033_988_75) as usize).max(1);
        while gcd(stride, n) != 1 {
            stride += 1;
        }
        (0..most).map(|k| self.at((k as u128 * stride as u128 % n as u128) as usize)).collect()
    }
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The range of all annotations that the first word of a role means, if it depends on the other at all.
fn hull(library: &ActionLibrary, pattern: &Pattern, role: Role) -> Option<ValidRange> {
    let word = &pattern.first_of(role)?.word;
    let mut hull: Option<ValidRange> = None;
    for action in library.actions().iter().filter(|action| matches(word, &action.annotation)) {
        let Some(range) = library.valid_range(&action.annotation) else { continue };
        let wider = |a: &Range<f32>, b: &Range<f32>| a.start.min(b.start)..a.end.max(b.end);
        hull = Some(match hull {
            None => range.clone(),
            Some(known) => ValidRange {
                distance: wider(&known.distance, &range.distance),
                own_angle: wider(&known.own_angle, &range.own_angle),
                other_angle: wider(&known.other_angle, &range.other_angle),
                delay: wider(&known.delay, &range.delay),
            },
        });
    }
    hull
}

/// The range of the second's action as a range of the first one's quantities.
fn seen_by_the_other(range: ValidRange) -> ValidRange {
    let ValidRange { distance, own_angle, other_angle, delay } = range;
    ValidRange { distance, own_angle: other_angle, other_angle: own_angle, delay: -delay.end..-delay.start }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_stay_in_their_range_and_a_turn_has_one_end() {
        let axis = Axis::of(&(0.5..1.4), 0.2, false);
        assert_eq!(axis.n, 5);
        assert!(axis.at(0) >= 0.5 && axis.at(4) <= 1.4 + 1e-5);
        let round = Axis::of(&(-PI..PI), TAU / 18.0, true);
        assert_eq!(round.n, 18);
        assert_eq!(Axis::of(&(1.0..1.0), 0.2, false).n, 1);
    }

    #[test]
    fn samples_are_spread_over_the_grid_and_are_all_different() {
        let axis = |n: usize| Axis { from: 0.0, step: 1.0, n };
        let grid = Grid { distance: axis(7), angles: [axis(6), axis(9)], delay: axis(5) };
        let key = |it: &Initial| [it.distance as i32, it.angles[0] as i32, it.angles[1] as i32, it.delay];
        for most in [50, 500, 5000] {
            let mut found: Vec<_> = grid.spread(most).iter().map(key).collect();
            found.sort_unstable();
            found.dedup();
            assert_eq!(found.len(), most.min(grid.len()));
            for (axis, n) in [7, 6, 9, 5].into_iter().enumerate() {
                let mut seen: Vec<i32> = found.iter().map(|it| it[axis]).collect();
                seen.sort_unstable();
                seen.dedup();
                assert_eq!(seen.len(), n, "axis {axis} of {most}");
            }
        }
    }
}
