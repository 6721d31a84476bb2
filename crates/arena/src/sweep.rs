//! Parts of bodies that move from one frame to the next: when do they meet?

use glam::Vec3;
use randori_motion::math::nearest_points;

/// A segment with a radius that moves from one place to another, each end along a line at even speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sweep {
    /// Where it is at the start.
    pub from: [Vec3; 2],
    /// Where it is at the end.
    pub to: [Vec3; 2],
    /// Everything within this distance of the segment is inside (m).
    pub radius: f32,
}

/// When and where two parts meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meeting {
    /// Share of the way, 0 to 1.
    pub share: f32,
    /// Half way between the two axes (m).
    pub point: Vec3,
}

/// How near counts as touching (m): a tenth of a millimetre is nothing to a fist.
const TOUCH: f32 = 1e-4;

/// The first meeting of two parts on their way; `None` if they pass each other.
///
/// Conservative advancement: the distance between the axes shrinks no faster than the fastest points of both approach
/// each other, so the way can be run in steps of distance over speed without missing anything, however fast a fist is.
///
/// ```
/// use randori_arena::sweep::{Sweep, meet};
/// use randori_motion::math::Vec3;
/// let at = |x: f32| [Vec3::new(x, 0.0, 0.0), Vec3::new(x, 0.1, 0.0)];
/// let fist = Sweep { from: at(-1.0), to: at(1.0), radius: 0.05 };
/// let chin = Sweep { from: at(0.0), to: at(0.0), radius: 0.05 };
/// let meeting = meet(&fist, &chin).unwrap();
/// assert!((meeting.share - 0.45).abs() < 1e-3);
/// ```
pub fn meet(a: &Sweep, b: &Sweep) -> Option<Meeting> {
    meet_before(a, b, f32::INFINITY)
}

/// The same of a meeting before a share of the way, for whoever knows of another one there; later ones may be told or not.
pub(crate) fn meet_before(a: &Sweep, b: &Sweep, until: f32) -> Option<Meeting> {
    /// Enough for any way: each step leaves at most a part of the distance.
    const MOST_STEPS: usize = 200;
    let reach = a.radius + b.radius;
    // No two points approach each other faster than the ends do.
    let speed = (0..2)
        .flat_map(|i| (0..2).map(move |j| (i, j)))
        .map(|(i, j)| ((a.to[i] - a.from[i]) - (b.to[j] - b.from[j])).length_squared())
        .fold(0.0, f32::max)
        .sqrt();
    let mut share = 0.0_f32;
    for _ in 0..MOST_STEPS {
        let [p, q] = nearest_points(a.at(share), b.at(share));
        let gap = apart(p, q) - reach;
        if gap <= TOUCH {
            return Some(Meeting { share, point: 0.5 * (p + q) });
        }
        // Whoever does not move does not come nearer.
        if gap >= speed * (1.0 - share) {
            return None;
        }
        if pass_aside(a, b, share, q - p) {
            return None;
        }
        share += gap / speed;
        if share > until {
            return None;
        }
    }
    None
}

/// Whether two parts surely stay apart from a share of the way on: all along, one is beyond the other in this direction.
///
/// The ends go along lines, so how far the nearest ends are apart in a direction is the least of linear functions of
/// time, which is nowhere less than at the first or at the last moment.
pub(crate) fn pass_aside(a: &Sweep, b: &Sweep, share: f32, along: Vec3) -> bool {
    /// More than what counts as touching, and than what rounding does (m).
    const CLEAR: f32 = 1e-3;
    // From one of the ends on, so that rounding does not grow with how far out they are.
    let room = |a: [Vec3; 2], b: [Vec3; 2]| {
        let ahead = |end: Vec3| (end - a[0]).dot(along);
        ahead(b[0]).min(ahead(b[1])) - ahead(a[1]).max(0.0)
    };
    let reach = a.radius + b.radius + CLEAR;
    let least = reach * reach * along.length_squared();
    let is_beyond = |room: f32| room > 0.0 && room * room > least;
    is_beyond(room(a.to, b.to)) && is_beyond(room(a.at(share), b.at(share)))
}

/// The distance between two points (m). The processor's square root is exact, so it is the same everywhere.
pub(crate) fn apart(p: Vec3, q: Vec3) -> f32 {
    p.distance_squared(q).sqrt()
}

/// The shortest way from a point to a segment (m).
pub(crate) fn to_segment([p, q]: [Vec3; 2], point: Vec3) -> Vec3 {
    const SMALL: f32 = 1e-12;
    let along = q - p;
    let length = along.dot(along);
    let share = if length <= SMALL { 0.0 } else { ((point - p).dot(along) / length).clamp(0.0, 1.0) };
    p + along * share - point
}

impl Sweep {
    /// Both ends after a share of the way (m).
    pub fn at(&self, share: f32) -> [Vec3; 2] {
        [self.from[0].lerp(self.to[0], share), self.from[1].lerp(self.to[1], share)]
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Numbers between -1 and 1 that look like nothing.
    pub(crate) fn noise(k: u32) -> impl FnMut() -> f32 {
        let mut state = u64::from(k).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
        }
    }

    fn point(next: &mut impl FnMut() -> f32) -> Vec3 {
        Vec3::new(next(), next(), next())
    }

    #[test]
    fn meetings_are_those_that_small_steps_find() {
        const STEPS: usize = 4000;
        let (mut met, mut passed) = (0, 0);
        for k in 0..400 {
            let mut next = noise(k + 1000);
            let mut sweep = || {
                let (center, way) = (0.4 * point(&mut next), point(&mut next));
                let half = 0.15 * point(&mut next);
                let tilt = 0.1 * point(&mut next);
                let from = [center - half, center + half];
                Sweep { from, to: [from[0] + way - tilt, from[1] + way + tilt], radius: 0.06 }
            };
            let (a, b) = (sweep(), sweep());
            let first = (0..=STEPS).map(|step| step as f32 / STEPS as f32).find(|share| {
                let [p, q] = nearest_points(a.at(*share), b.at(*share));
                p.distance(q) <= a.radius + b.radius
            });
            match (meet(&a, &b), first) {
                (Some(meeting), Some(first)) => {
                    met += 1;
                    assert!((meeting.share - first).abs() < 2e-3, "{k}: {meeting:?} {first}");
                }
                (None, None) => passed += 1,
                // A graze shallower than what counts as touching.
                (Some(meeting), None) => {
                    let [p, q] = nearest_points(a.at(meeting.share), b.at(meeting.share));
                    assert!(p.distance(q) <= a.radius + b.radius + 2.0 * TOUCH, "{k}");
                }
                (None, Some(first)) => panic!("{k}: missed at {first}"),
            }
        }
        assert!(met > 30 && passed > 30, "{met} {passed}");
    }

    #[test]
    fn a_fast_fist_does_not_pass_through_a_thin_arm() {
        let at = |z: f32| [Vec3::new(0.0, 1.4, z), Vec3::new(0.0, 1.4, z + 0.01)];
        let fist = Sweep { from: at(-2.0), to: at(2.0), radius: 0.01 };
        let arm = [Vec3::new(-0.2, 1.4, 0.3), Vec3::new(0.2, 1.4, 0.3)];
        assert!(meet(&fist, &Sweep { from: arm, to: arm, radius: 0.01 }).is_some());
        let lower = arm.map(|end| end - Vec3::Y * 0.05);
        assert!(meet(&fist, &Sweep { from: lower, to: lower, radius: 0.01 }).is_none());
    }
}
