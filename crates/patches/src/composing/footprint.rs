//! What a body covers of the floor: the shadow of head, hips and feet, frame by frame.
//!
//! Differs from \[Shum2008\], section 4.1, where bodies are boxes: somebody who lies covers a line, not a square.

use glam::Vec3;
use randori_arena::bodies::{Bodies, Doing, Rigid};
use randori_motion::{Bone, Ground};

/// How much of the floor somebody needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Girth {
    /// What others leave free around the [line](Footprint::distance) of their print, besides what is free around their own
    /// (m).
    pub room: f32,
    /// Whether there is no more of them than where their root is: no head, no hips.
    pub is_spot: bool,
}

impl Girth {
    /// A grown person.
    pub const PERSON: Girth = Girth { room: 0.22, is_spot: false };
    /// An animal that passes beside a foot.
    pub const MOUSE: Girth = Girth { room: 0.05, is_spot: true };
}

impl Default for Girth {
    fn default() -> Girth {
        Girth::PERSON
    }
}

/// Head, hips and the middle of the feet on the floor (m), and what is left free around them (m).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Footprint {
    points: [Ground; 3],
    room: f32,
}

/// The footprints of a library in every frame, in the coordinates of its takes.
#[derive(Clone, Debug)]
pub struct Footprints {
    takes: Vec<Vec<Footprint>>,
    /// How far anything is from where it is in the first frame, action by action (m).
    sways: Vec<f32>,
}

impl Footprints {
    /// Lays out a library.
    pub fn of(bodies: &Bodies) -> Footprints {
        let capsule = |bone: Bone| bodies.bones().iter().position(|known| *known == bone);
        let head = capsule(Bone::Head);
        let feet = [Bone::LeftFoot, Bone::RightFoot].map(capsule);
        let print = |take: u32, frame: u32| {
            let (ends, stance) = (bodies.frame(take, frame), bodies.stance(take, frame));
            let place = |capsule: Option<usize>| capsule.map_or(stance.trunk[0], |at| ends[at][0]);
            let feet: Vec3 = 0.5 * (place(feet[0]) + place(feet[1]));
            let head = head.map_or(stance.head, |at| 0.5 * (ends[at][0] + ends[at][1]));
            let points = [head, stance.trunk[0], feet].map(Ground::below);
            Footprint { points, room: Girth::PERSON.room }
        };
        let takes = bodies.library().takes().iter().enumerate();
        let takes = takes.map(|(take, it)| {
            (0..it.placements.len() as u32).map(|frame| print(take as u32, frame)).collect()
        });
        let takes: Vec<Vec<Footprint>> = takes.collect();
        let sway = |id| {
            let its = bodies.of_action(id);
            let prints = &takes[its.take as usize][its.first as usize..=its.last as usize];
            prints.iter().map(|print| print.apart(&prints[0])).fold(0.0, f32::max)
        };
        Footprints { sways: bodies.library().ids().map(sway).collect(), takes }
    }

    /// How far anything of somebody who does this is from where it is at first (m).
    pub fn sway(&self, doing: &Doing) -> f32 {
        self.sways[doing.action.0 as usize]
    }

    /// What somebody of a girth covers at a tick, in the world.
    pub fn at(&self, bodies: &Bodies, girth: Girth, doing: &Doing, tick: i32) -> Footprint {
        if girth.is_spot {
            return Footprint { points: [doing.position(bodies, tick); 3], room: girth.room };
        }
        let take = bodies.of_action(doing.action).take as usize;
        let print = self.takes[take][doing.frame(bodies, tick) as usize].moved(&doing.world_from_take);
        Footprint { room: girth.room, ..print }
    }
}

impl Footprint {
    /// Somebody who stands here.
    pub fn standing(here: Ground) -> Footprint {
        Footprint { points: [here; 3], room: Girth::PERSON.room }
    }

    /// How far it is from others who have nothing to do with each other (m).
    pub fn clearance(&self, other: &Footprint) -> f32 {
        self.room + other.room
    }

    /// Where the hips are (m).
    pub fn hips(&self) -> Ground {
        self.points[1]
    }

    /// Head, hips and the middle of the feet (m).
    pub fn points(&self) -> [Ground; 3] {
        self.points
    }

    /// The distance from a place on the floor (m).
    pub fn from(&self, place: Ground) -> f32 {
        self.distance(&Footprint::standing(place))
    }

    /// The distance between the lines from head over hips to feet of two people (m).
    pub fn distance(&self, other: &Footprint) -> f32 {
        let mut least = f32::INFINITY;
        for own in self.points.windows(2) {
            for theirs in other.points.windows(2) {
                least = least.min(between([own[0], own[1]], [theirs[0], theirs[1]]));
            }
        }
        least.sqrt()
    }

    /// How far head, hips or feet are from where another has them, at most (m).
    pub fn apart(&self, other: &Footprint) -> f32 {
        self.points.iter().zip(other.points).map(|(own, it)| own.distance(it)).fold(0.0, f32::max)
    }

    /// The same with so much more room around it (m).
    pub fn with_more_room(self, by: f32) -> Footprint {
        Footprint { room: self.room + by, ..self }
    }

    /// The least and the greatest x and z (m).
    pub fn bounds(&self) -> [Ground; 2] {
        let [a, b, c] = self.points;
        let least = Ground { x: a.x.min(b.x).min(c.x), z: a.z.min(b.z).min(c.z) };
        [least, Ground { x: a.x.max(b.x).max(c.x), z: a.z.max(b.z).max(c.z) }]
    }

    /// The least and the greatest x and z of all that is to be free of others (m).
    pub fn surroundings(&self, slack: f32) -> [Ground; 2] {
        let [least, most] = self.bounds();
        let by = self.room + slack;
        [Ground { x: least.x - by, z: least.z - by }, Ground { x: most.x + by, z: most.z + by }]
    }

    fn moved(&self, by: &Rigid) -> Footprint {
        Footprint { points: self.points.map(|point| by.ground(point)), ..*self }
    }
}

/// The square of the distance between two stretches of the floor (m²).
fn between(a: [Ground; 2], b: [Ground; 2]) -> f32 {
    if crosses(a, b) {
        return 0.0;
    }
    let least = from_stretch(a[0], b).min(from_stretch(a[1], b));
    least.min(from_stretch(b[0], a)).min(from_stretch(b[1], a))
}

fn crosses([a, b]: [Ground; 2], [c, d]: [Ground; 2]) -> bool {
    let side = |p: Ground, q: Ground, r: Ground| (q.x - p.x) * (r.z - p.z) - (q.z - p.z) * (r.x - p.x);
    side(a, b, c) * side(a, b, d) < 0.0 && side(c, d, a) * side(c, d, b) < 0.0
}

fn from_stretch(p: Ground, [a, b]: [Ground; 2]) -> f32 {
    let (x, z) = (b.x - a.x, b.z - a.z);
    let length = x * x + z * z;
    let along = if length > 0.0 { ((p.x - a.x) * x + (p.z - a.z) * z) / length } else { 0.0 };
    let along = along.clamp(0.0, 1.0);
    let (x, z) = (a.x + along * x - p.x, a.z + along * z - p.z);
    x * x + z * z
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(points: [[f32; 2]; 3]) -> Footprint {
        Footprint { points: points.map(|[x, z]| Ground { x, z }), room: Girth::PERSON.room }
    }

    #[test]
    fn distances_are_those_between_lines() {
        let lies = line([[0.0, 0.0], [0.0, 1.0], [0.0, 2.0]]);
        let cases = [
            (line([[1.0, 1.5]; 3]), 1.0),
            (line([[-1.0, 1.0], [0.5, 1.2], [1.0, 1.0]]), 0.0),
            (line([[0.3, 2.4]; 3]), 0.5),
            (line([[0.5, -1.0], [0.5, 0.0], [0.5, 3.0]]), 0.5),
        ];
        for (other, expected) in cases {
            assert!((lies.distance(&other) - expected).abs() < 1e-6, "{other:?}");
            assert!((other.distance(&lies) - expected).abs() < 1e-6, "{other:?}");
        }
    }
}
