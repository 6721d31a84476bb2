//! Curves over time: pieces of the fifth degree, and the way a blow goes.

use glam::Vec3;

/// Place, velocity and acceleration of something at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Key {
    /// Where it is.
    pub place: f32,
    /// How fast it moves (1/s).
    pub velocity: f32,
    /// How its velocity changes (1/s²).
    pub acceleration: f32,
}

impl Key {
    /// At rest somewhere.
    pub fn rest(place: f32) -> Key {
        Key { place, ..Key::default() }
    }
}

/// The polynomial of the fifth degree from one key to another in `duration` seconds, `t` after the first. The
/// ends are kept before and after.
pub fn quintic(from: Key, to: Key, duration: f32, t: f32) -> f32 {
    let duration = duration.max(1e-4);
    let s = (t / duration).clamp(0.0, 1.0);
    let (v0, v1) = (from.velocity * duration, to.velocity * duration);
    let (a0, a1) =
        (0.5 * from.acceleration * duration * duration, 0.5 * to.acceleration * duration * duration);
    let p = to.place - from.place;
    let c3 = 10.0 * p - 6.0 * v0 - 4.0 * v1 - 3.0 * a0 + a1;
    let c4 = -15.0 * p + 8.0 * v0 + 7.0 * v1 + 3.0 * a0 - 2.0 * a1;
    let c5 = 6.0 * p - 3.0 * v0 - 3.0 * v1 - a0 + a1;
    from.place + s * (v0 + s * (a0 + s * (c3 + s * (c4 + s * c5))))
}

/// How far a limb has gone on its way to a target and back over time: it draws back a little, gathers speed until most of
/// the way is done, stops sharply, and comes back at leisure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blow {
    /// When the limb is at the target (s).
    pub impact: f32,
    /// The greatest speed, in ways per second (1/s).
    pub speed: f32,
    /// How far it draws back before, as a share of the way (-).
    pub draw: f32,
    /// How long it stays (s).
    pub stay: f32,
    /// How long it takes to come back (s).
    pub back: f32,
}

/// The share of the way at which a blow is fastest.
const FASTEST: f32 = 0.7;
/// A piece that begins or ends at rest takes so many times as long as one at full speed.
const GATHER: f32 = 1.9;

impl Blow {
    /// When the limb leaves (s).
    pub fn start(&self) -> f32 {
        self.impact - self.gather() - self.stop() - self.draw_time()
    }

    /// When it is back (s).
    pub fn end(&self) -> f32 {
        self.impact + self.stay + self.back
    }

    /// How long the limb takes to its target once it moves towards it (s).
    pub fn rise(&self) -> f32 {
        self.gather() + self.stop()
    }

    /// The share of the way at a time, the way out and the way back told apart.
    pub fn at(&self, t: f32) -> Along {
        let fastest = Key { place: FASTEST, velocity: self.speed, acceleration: 0.0 };
        let drawn = Key::rest(-self.draw);
        let leaving = t - self.start();
        let gathering = leaving - self.draw_time();
        let stopping = gathering - self.gather();
        if t > self.impact + self.stay {
            Along::Back(quintic(Key::rest(1.0), Key::rest(0.0), self.back, t - self.impact - self.stay))
        } else if stopping > 0.0 {
            Along::Out(quintic(fastest, Key::rest(1.0), self.stop(), stopping))
        } else if gathering > 0.0 {
            Along::Out(quintic(drawn, fastest, self.gather(), gathering))
        } else {
            Along::Out(quintic(Key::rest(0.0), drawn, self.draw_time(), leaving))
        }
    }

    fn gather(&self) -> f32 {
        GATHER * (FASTEST + self.draw) / self.speed
    }

    fn stop(&self) -> f32 {
        GATHER * (1.0 - FASTEST) / self.speed
    }

    fn draw_time(&self) -> f32 {
        if self.draw > 0.0 { 0.1 } else { 0.0 }
    }
}

/// The share of a way that is done: 0 at its beginning, 1 at the target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Along {
    /// On the way to the target.
    Out(f32),
    /// On the way back.
    Back(f32),
}

impl Along {
    /// The share, whichever way.
    pub fn share(self) -> f32 {
        match self {
            Along::Out(share) | Along::Back(share) => share,
        }
    }
}

/// A point of a cubic Bézier curve.
pub fn bezier(points: [Vec3; 4], s: f32) -> Vec3 {
    let r = 1.0 - s;
    points[0] * (r * r * r)
        + points[1] * (3.0 * r * r * s)
        + points[2] * (3.0 * r * s * s)
        + points[3] * (s * s * s)
}

/// The length of a cubic Bézier curve (m).
pub fn bezier_length(points: [Vec3; 4]) -> f32 {
    const PIECES: usize = 16;
    let at = |piece: usize| bezier(points, piece as f32 / PIECES as f32);
    (0..PIECES).map(|piece| at(piece).distance(at(piece + 1))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quintics_keep_their_ends() {
        let from = Key { place: 0.3, velocity: -2.0, acceleration: -9.81 };
        let to = Key { place: -0.1, velocity: 0.5, acceleration: 4.0 };
        let at = |t: f32| quintic(from, to, 0.4, t);
        let h = 1e-3;
        assert!((at(0.0) - 0.3).abs() < 1e-6 && (at(0.4) + 0.1).abs() < 1e-5);
        assert!(((at(h) - at(0.0)) / h + 2.0).abs() < 0.02);
        assert!(((at(0.4) - at(0.4 - h)) / h - 0.5).abs() < 0.02);
    }

    #[test]
    fn blows_are_fastest_late_and_stop_at_the_target() {
        let blow = Blow { impact: 1.0, speed: 12.0, draw: 0.05, stay: 0.02, back: 0.3 };
        let at = |t: f32| blow.at(t).share();
        for (t, share) in [(blow.start(), 0.0), (1.0, 1.0), (1.01, 1.0), (blow.end(), 0.0)] {
            assert!((at(t) - share).abs() < 1e-5, "{t}");
        }
        let (h, mut fastest) = (1e-3, (0.0f32, 0.0));
        for step in 0..500 {
            let t = 0.6 + step as f32 * h;
            let speed = (at(t + h) - at(t)) / h;
            if speed > fastest.0 {
                fastest = (speed, at(t));
            }
        }
        assert!((fastest.0 - 12.0).abs() < 0.5 && (0.6..0.8).contains(&fastest.1), "{fastest:?}");
    }
}
