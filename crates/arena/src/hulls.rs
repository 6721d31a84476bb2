//! Coarse bounds of bodies on their way from one frame to the next, for blows that are nowhere near them.
//!
//! A box around the whole body and a ball around each of its capsules hold everything that these are in a frame, in the
//! frame before it, and on the straight way between the two. Most parts of most blows are told apart from most bodies by
//! these alone. They only ever say that something cannot touch; what touches is for [`sweep`](crate::sweep) to say.

use std::ops::RangeInclusive;

use glam::Vec3;
use randori_motion::Ground;

/// Bounds are wider than what they hold by this much (m): far more than what counts as touching, and than what rounding
/// does to a place within some hundred metres.
const MARGIN: f32 = 1e-3;

/// A ball that holds something that moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ball {
    pub(crate) center: Vec3,
    pub(crate) radius: f32,
}

impl Ball {
    /// Holds a capsule on its way from one place to another, each end along a line; `half` is half the length of its
    /// axis (m), which it keeps.
    pub(crate) fn of(from: [Vec3; 2], to: [Vec3; 2], half: f32, radius: f32) -> Ball {
        let (start, end) = (0.5 * (from[0] + from[1]), 0.5 * (to[0] + to[1]));
        let way = (end - start).length_squared().sqrt();
        Ball { center: 0.5 * (start + end), radius: 0.5 * way + half + radius + MARGIN }
    }

    /// Holds two others.
    pub(crate) fn around(self, other: Ball) -> Ball {
        let way = other.center - self.center;
        let apart = way.length_squared().sqrt();
        if apart + other.radius <= self.radius {
            return self;
        }
        if apart + self.radius <= other.radius {
            return other;
        }
        let radius = 0.5 * (apart + self.radius + other.radius);
        Ball { center: self.center + way * ((radius - self.radius) / apart), radius: radius + MARGIN }
    }
}

/// Part of the floor that holds something that moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Disc {
    pub(crate) center: Ground,
    pub(crate) radius: f32,
}

impl Disc {
    /// Holds all that is within these distances of these places (m).
    pub(crate) fn around(places: impl Iterator<Item = (Ground, f32)> + Clone) -> Disc {
        let nothing = [[f32::INFINITY; 2], [f32::NEG_INFINITY; 2]];
        let [low, high] = places.clone().fold(nothing, |[low, high], (Ground { x, z }, _)| {
            [[low[0].min(x), low[1].min(z)], [high[0].max(x), high[1].max(z)]]
        });
        let center = Ground { x: low[0].midpoint(high[0]), z: low[1].midpoint(high[1]) };
        let radius = places.map(|(place, radius)| place.distance(center) + radius).fold(0.0, f32::max);
        Disc { center, radius: radius + MARGIN }
    }
}

/// A box along the axes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    low: Vec3,
    high: Vec3,
}

impl Extent {
    const NOTHING: Extent = Extent { low: Vec3::INFINITY, high: Vec3::NEG_INFINITY };

    /// With a capsule on its way from one place to another, each end along a line.
    fn with(self, from: [Vec3; 2], to: [Vec3; 2], radius: f32) -> Extent {
        let low = from[0].min(from[1]).min(to[0]).min(to[1]) - (radius + MARGIN);
        let high = from[0].max(from[1]).max(to[0]).max(to[1]) + (radius + MARGIN);
        self.with_all(Extent { low, high })
    }

    fn with_all(self, other: Extent) -> Extent {
        Extent { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// Whether a ball may touch what is in it.
    pub(crate) fn may_touch(&self, ball: &Ball) -> bool {
        let off = (self.low - ball.center).max(ball.center - self.high).max(Vec3::ZERO);
        off.length_squared() <= ball.radius * ball.radius
    }
}

/// Balls that are tested together.
const LANES: usize = 4;

#[derive(Clone, Copy, Debug)]
struct Balls {
    x: [f32; LANES],
    y: [f32; LANES],
    z: [f32; LANES],
    radius: [f32; LANES],
}

impl Balls {
    /// Nothing is near these.
    const NOWHERE: Balls =
        Balls { x: [1e18; LANES], y: [1e18; LANES], z: [1e18; LANES], radius: [0.0; LANES] };

    /// One bit for each that may touch.
    fn near(&self, ball: &Ball) -> u32 {
        let mut near = 0;
        for lane in 0..LANES {
            let (x, y, z) =
                (self.x[lane] - ball.center.x, self.y[lane] - ball.center.y, self.z[lane] - ball.center.z);
            let reach = self.radius[lane] + ball.radius;
            near |= u32::from(x * x + y * y + z * z <= reach * reach) << lane;
        }
        near
    }
}

/// The bounds of one take, frame after frame, in the take's coordinates.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hulls {
    extents: Vec<Extent>,
    balls: Vec<Balls>,
    per_frame: usize,
}

impl Hulls {
    /// Of a take, from both ends of every capsule in every frame (m).
    pub(crate) fn of(ends: &[[Vec3; 2]], radii: &[f32], halves: &[f32]) -> Hulls {
        let (n, per_frame) = (radii.len(), radii.len().div_ceil(LANES));
        let mut hulls = Hulls { extents: Vec::new(), balls: Vec::new(), per_frame };
        if n == 0 {
            return hulls;
        }
        for (frame, now) in ends.chunks_exact(n).enumerate() {
            let before = if frame == 0 { now } else { &ends[(frame - 1) * n..frame * n] };
            let mut extent = Extent::NOTHING;
            let first = hulls.balls.len();
            hulls.balls.resize(first + per_frame, Balls::NOWHERE);
            for capsule in 0..n {
                let ball = Ball::of(before[capsule], now[capsule], halves[capsule], radii[capsule]);
                extent = extent.with(before[capsule], now[capsule], radii[capsule]);
                let (together, lane) = (&mut hulls.balls[first + capsule / LANES], capsule % LANES);
                (together.x[lane], together.y[lane], together.z[lane]) = ball.center.into();
                together.radius[lane] = ball.radius;
            }
            hulls.extents.push(extent);
        }
        hulls
    }

    /// The whole body in a frame, and on its way there.
    pub(crate) fn extent(&self, frame: u32) -> &Extent {
        &self.extents[frame as usize]
    }

    /// The whole body in any of these frames, and on its way there.
    pub(crate) fn extent_over(&self, frames: RangeInclusive<u32>) -> Extent {
        frames.fold(Extent::NOTHING, |extent, frame| extent.with_all(self.extents[frame as usize]))
    }

    /// The capsules that a ball may touch in a frame or on the way there, in their order.
    pub(crate) fn near(&self, frame: u32, ball: Ball) -> impl Iterator<Item = usize> {
        let first = frame as usize * self.per_frame;
        self.balls[first..first + self.per_frame].iter().enumerate().flat_map(move |(group, balls)| {
            let mut near = balls.near(&ball);
            std::iter::from_fn(move || {
                let lane = near.trailing_zeros() as usize;
                near &= near.wrapping_sub(1);
                (lane < LANES).then_some(group * LANES + lane)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::tests::noise;

    /// Whatever a capsule is on its way is within its ball, within that of several, and within the body's extent.
    #[test]
    fn bounds_hold_what_they_are_of() {
        const N: usize = 7;
        let mut next = noise(5);
        let mut point = || Vec3::new(next(), next(), next());
        let halves: Vec<f32> = (0..N).map(|k| 0.05 * k as f32).collect();
        let radii: Vec<f32> = (0..N).map(|k| 0.02 + 0.01 * k as f32).collect();
        let ends: Vec<[Vec3; 2]> = (0..20 * N)
            .map(|k| {
                let (middle, along) = (point(), point().normalize());
                [middle - along * halves[k % N], middle + along * halves[k % N]]
            })
            .collect();
        let hulls = Hulls::of(&ends, &radii, &halves);
        let (mut near, mut far) = (0, 0);
        for frame in 1..20_usize {
            for capsule in 0..N {
                let [from, to] = [frame - 1, frame].map(|frame| ends[frame * N + capsule]);
                for share in 0..=10 {
                    for along in 0..=4 {
                        let at = |ends: [Vec3; 2]| ends[0].lerp(ends[1], along as f32 / 4.0);
                        let middle = at(from).lerp(at(to), share as f32 / 10.0);
                        let touching = middle + point().normalize() * (radii[capsule] + 0.05);
                        let ball = Ball { center: touching, radius: 0.05 };
                        assert!(hulls.extent(frame as u32).may_touch(&ball));
                        assert!(hulls.extent_over(0..=19).may_touch(&ball));
                        let found: Vec<usize> = hulls.near(frame as u32, ball).collect();
                        assert!(found.contains(&capsule), "{frame} {capsule}: {found:?}");
                        assert!(found.is_sorted() && found.iter().all(|at| *at < N));
                        (near, far) = (near + found.len(), far + N - found.len());
                    }
                }
            }
        }
        assert!(near > 1000 && far > 1000, "{near} {far}");
    }

    #[test]
    fn a_ball_around_others_holds_them() {
        let mut next = noise(9);
        for _ in 0..200 {
            let mut ball = || Ball { center: Vec3::new(next(), next(), next()), radius: next().abs() };
            let (a, b) = (ball(), ball());
            let both = a.around(b);
            for one in [a, b] {
                assert!(both.center.distance(one.center) + one.radius <= both.radius + 1e-5);
            }
        }
    }
}
