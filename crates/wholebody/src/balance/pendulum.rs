//! The linear inverted pendulum by its divergent part: where somebody falls to, and what push or step stops that.
//!
//! Reference: \[Englsberger2015\] (divergent component of motion), \[Pratt2006\] (capture point). The centre of mass c at
//! height z above the ground, pushed at the point p under the feet (zero-moment point), moves by
//!
//! ```text
//! c̈ = ω² (c - p),   ω² = g / z
//! ```
//!
//! With the capture point ξ = c + ċ / ω this is ċ = ω (ξ - c), which always settles, and ξ̇ = ω (ξ - p), which never does:
//! all of balance is to steer ξ. It is the point where somebody comes to rest who stands there with all weight.
//! Everything here is on the ground, coordinates x and z (m); it knows no body and no contact.

use glam::DVec2;

use super::support::Support;

/// A pendulum of one height.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pendulum {
    /// ω (1/s).
    pub rate: f64,
}

impl Pendulum {
    /// Of a centre of mass so high above the ground (m), at least a hand's breadth, under a gravity (m/s²).
    pub fn new(height: f64, gravity: f64) -> Pendulum {
        Pendulum { rate: libm::sqrt(gravity / height.max(0.1)) }
    }

    /// ξ of a centre of mass and its velocity (m/s).
    pub fn capture_point(&self, center: DVec2, velocity: DVec2) -> DVec2 {
        center + velocity / self.rate
    }

    /// Acceleration of the centre of mass that is pushed at a point (m/s²).
    pub fn acceleration(&self, center: DVec2, push: DVec2) -> DVec2 {
        self.rate * self.rate * (center - push)
    }

    /// The only capture point from which planned pushes lead nowhere infinite: that of the whole time to come,
    ///
    /// ```text
    /// ξ(t) = ω ∫ exp(-ω (s - t)) p(s) ds
    /// ```
    ///
    /// with pushes that last `dt` each, the last of them for ever; none for no pushes. The pendulum forgets what is
    /// farther ahead than a few 1/ω.
    pub fn bounded(&self, pushes: impl DoubleEndedIterator<Item = DVec2>, dt: f64) -> Option<DVec2> {
        let share = self.fading(dt);
        let back =
            |later: Option<DVec2>, push: DVec2| Some(later.map_or(push, |later| push.lerp(later, share)));
        pushes.rev().fold(None, back)
    }

    /// exp(-ω t).
    pub fn fading(&self, seconds: f64) -> f64 {
        libm::exp(-self.rate * seconds)
    }

    /// The push that makes an error of the capture point fade at `gain` (1/s), beside the push that its plan needs: from
    /// ξ̇ - ξ̇_planned = ω (error - (p - p_planned)) = -gain error.
    pub fn push_against(&self, planned: DVec2, error: DVec2, gain: f64) -> DVec2 {
        planned + (1.0 + gain / self.rate) * error
    }

    /// By how much the capture point will still be off in `seconds` if pushes from now on are all at the best single point of
    /// an area: by so much the next foot has to land beside where it was planned to.
    ///
    /// With the constant push p_planned + u the error e becomes e exp(ω t) - u (exp(ω t) - 1), so that u = e / (1 - exp(-ω t))
    /// would undo it; what the area lacks of that is left.
    pub fn left_over(&self, planned: DVec2, error: DVec2, seconds: f64, area: &Support) -> DVec2 {
        let fading = self.fading(seconds);
        let gone = (1.0 - fading).max(1e-9);
        let push = area.nearest(planned + error / gone);
        (error - gone * (push - planned)) / fading
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::balance::support::sole;
    use crate::spatial::Pose;

    const DT: f64 = 1e-3;

    /// The pendulum itself, pushed as told.
    fn roll(
        pendulum: &Pendulum,
        mut center: DVec2,
        mut velocity: DVec2,
        pushes: impl Iterator<Item = DVec2>,
    ) -> [DVec2; 2] {
        for push in pushes {
            velocity += DT * pendulum.acceleration(center, push);
            center += DT * velocity;
        }
        [center, velocity]
    }

    #[test]
    fn from_the_bounded_point_planned_pushes_end_at_rest() {
        let pendulum = Pendulum::new(0.9, 9.81);
        let push = |k: usize| DVec2::new(if k < 400 { 0.1 } else { -0.1 }, 2e-4 * (k.min(1500)) as f64);
        let start = pendulum.bounded((0..3000).map(push), DT).unwrap();
        let [center, velocity] = roll(&pendulum, start, DVec2::ZERO, (0..2500).map(push));
        assert!(center.distance(push(2500)) < 0.02 && velocity.length() < 0.05, "{center} {velocity}");
        assert_eq!(pendulum.bounded(std::iter::empty(), DT), None);
    }

    #[test]
    fn an_error_fades_by_pushes_and_what_they_lack_by_a_step() {
        let pendulum = Pendulum::new(0.9, 9.81);
        let foot = Support::of(sole(&Pose::IDENTITY, [0.04, 0.1]));
        for (error, seconds) in [(0.01, 0.4), (0.05, 0.4), (-0.08, 0.25), (0.03, 0.05)] {
            let error = DVec2::new(error, 0.5 * error);
            let left = pendulum.left_over(DVec2::ZERO, error, seconds, &foot);
            let gone = 1.0 - pendulum.fading(seconds);
            let push = foot.nearest(error / gone);
            // Start at rest with the capture point off by the error, where the plan stands still.
            let n = (seconds / DT) as usize;
            let [center, velocity] = roll(&pendulum, error, DVec2::ZERO, (0..n).map(|_| push));
            let found = pendulum.capture_point(center, velocity);
            assert!(found.distance(left) < 2e-3 + 0.02 * left.length(), "{found} {left}");
            let is_enough = foot.margin(error / gone) >= 0.0;
            assert_eq!(left.length() < 1e-9, is_enough, "{error} {seconds}: {left}");
        }
    }

    #[test]
    fn a_push_against_an_error_makes_it_fade_as_fast_as_asked() {
        let pendulum = Pendulum::new(0.8, 9.81);
        let (mut center, mut velocity) = (DVec2::new(0.03, -0.02), DVec2::ZERO);
        for _ in 0..500 {
            let error = pendulum.capture_point(center, velocity);
            let push = pendulum.push_against(DVec2::ZERO, error, 4.0);
            velocity += DT * pendulum.acceleration(center, push);
            center += DT * velocity;
        }
        let left = pendulum.capture_point(center, velocity).length() / DVec2::new(0.03, -0.02).length();
        assert!((left - libm::exp(-2.0)).abs() < 0.01, "{left}");
    }
}
