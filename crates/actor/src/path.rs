//! The way of the body over the floor: where its middle is and which way it faces.

use randori_motion::math::smootherstep;
use randori_motion::{Ground, Placement};

/// A move over the floor, added to all others: it begins and ends softly.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Glide {
    start: f32,
    end: f32,
    by: [f32; 3],
    /// All that came before, together.
    before: [f32; 3],
}

/// Where somebody's middle is on the floor over time, and which way they face.
#[derive(Clone, Debug)]
pub struct Path {
    origin: Placement,
    glides: Vec<Glide>,
    longest: f32,
}

impl Path {
    /// Standing somewhere.
    pub fn from(origin: Placement) -> Path {
        Path { origin, glides: Vec::new(), longest: 0.0 }
    }

    /// Where the path leads in the end. The heading counts whole turns.
    pub fn last(&self) -> Placement {
        let sum = self.glides.last().map_or([0.0; 3], |glide| add(glide.before, glide.by, 1.0));
        self.placed(sum)
    }

    /// Moves on to another place between two times; turns by the shorter way. Moves must begin in order of time.
    pub fn glide(&mut self, start: f32, end: f32, to: Placement) {
        let last = self.last();
        let turn = randori_motion::math::wrap_angle(to.heading - last.heading);
        let by = [to.position.x - last.position.x, to.position.z - last.position.z, turn];
        let before = self.glides.last().map_or([0.0; 3], |glide| add(glide.before, glide.by, 1.0));
        self.longest = self.longest.max(end - start);
        self.glides.push(Glide { start, end, by, before });
    }

    /// Where the middle is at a time. The heading counts whole turns.
    pub fn at(&self, t: f32) -> Placement {
        let from = self.glides.partition_point(|glide| glide.start < t - self.longest);
        let Some(first) = self.glides.get(from) else { return self.last() };
        let mut sum = first.before;
        for glide in self.glides[from..].iter().take_while(|glide| glide.start < t) {
            sum = add(sum, glide.by, smootherstep((t - glide.start) / (glide.end - glide.start).max(1e-3)));
        }
        self.placed(sum)
    }

    fn placed(&self, [x, z, turn]: [f32; 3]) -> Placement {
        let Placement { position, heading } = self.origin;
        Placement { position: Ground { x: position.x + x, z: position.z + z }, heading: heading + turn }
    }
}

fn add(a: [f32; 3], b: [f32; 3], share: f32) -> [f32; 3] {
    std::array::from_fn(|k| a[k] + share * b[k])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_moves_add_up() {
        let at = |x: f32, heading: f32| Placement { position: Ground { x, z: 1.0 }, heading };
        let mut path = Path::from(at(0.0, 3.0));
        path.glide(1.0, 1.6, at(0.3, 3.1));
        path.glide(1.4, 2.0, at(0.5, -3.0));
        assert_eq!(path.at(0.5), at(0.0, 3.0));
        assert!((path.at(1.3).position.x - 0.15).abs() < 1e-5);
        assert!(path.at(1.5).position.x < 0.3 && path.at(1.7).position.x > 0.3);
        let end = path.at(5.0);
        assert!((end.position.x - 0.5).abs() < 1e-6 && (end.heading - 3.2832).abs() < 1e-3);
    }
}
