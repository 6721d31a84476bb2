//! The bodies of a library in every frame, laid out for tests between two of them.
//!
//! Capsules are kept in the coordinates of their take. Two people who perform differ by one turn and one shift on the
//! floor for as long as neither starts another action, so a blow is tested by moving the striking part alone into the
//! other's take.

use std::sync::Arc;

use glam::Vec3;
use randori_motion::{ActionId, ActionLibrary, Bone, Ground, Placement};

/// A library with the volume of its performer in every frame.
#[derive(Clone, Debug)]
pub struct Bodies {
    library: Arc<ActionLibrary>,
    /// Per take, frame after frame: both ends of every capsule (m).
    ends: Vec<Vec<[Vec3; 2]>>,
    radii: Vec<f32>,
    bones: Vec<Bone>,
}

impl Bodies {
    /// Lays out a library.
    pub fn of(library: Arc<ActionLibrary>) -> Bodies {
        let capsules = &library.body().capsules;
        let ends = (library.takes().iter().enumerate())
            .map(|(number, take)| {
                let baked = library.baked(number as u32);
                let placed = |(frame, placement): (usize, &Placement)| {
                    let (turn, origin) = (placement.rotation(), placement.position.at_height(0.0));
                    baked.frame(frame).iter().map(move |ends| ends.map(|end| origin + turn * end))
                };
                take.placements.iter().enumerate().flat_map(placed).collect()
            })
            .collect();
        let radii = capsules.iter().map(|capsule| capsule.radius).collect();
        let bones = capsules.iter().map(|capsule| capsule.bone).collect();
        Bodies { library, ends, radii, bones }
    }

    /// The library.
    pub fn library(&self) -> &Arc<ActionLibrary> {
        &self.library
    }

    /// The bones of the capsules.
    pub fn bones(&self) -> &[Bone] {
        &self.bones
    }

    /// The radii of the capsules (m).
    pub fn radii(&self) -> &[f32] {
        &self.radii
    }

    /// Both ends of all capsules in a frame of a take, in the take's coordinates (m).
    pub fn frame(&self, take: u32, frame: u32) -> &[[Vec3; 2]] {
        let n = self.radii.len();
        &self.ends[take as usize][frame as usize * n..(frame as usize + 1) * n]
    }
}

/// Somebody who performs an action, in time and place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Doing {
    /// What is done.
    pub action: ActionId,
    /// The tick (a sixtieth of a second) at which the action's first frame is shown, or would have been.
    pub start: u32,
    /// From the coordinates of the action's take to the world's.
    pub world_from_take: Rigid,
}

impl Doing {
    /// An action whose frame `skipped` is shown at `tick`, the root then placed here.
    pub fn begin(
        library: &ActionLibrary,
        action: ActionId,
        tick: u32,
        skipped: u32,
        placement: Placement,
    ) -> Doing {
        let frame = library.action(action).frames.start + skipped;
        let there = library.take_of(action).placements[frame as usize];
        let world_from_take = Rigid::of(placement).then(Rigid::of(there).inverse());
        Doing { action, start: tick.wrapping_sub(skipped), world_from_take }
    }

    /// The frame of the take that is shown at a tick, the last of the action from its end on.
    pub fn frame(&self, library: &ActionLibrary, tick: u32) -> u32 {
        let frames = &library.action(self.action).frames;
        (frames.start + tick.wrapping_sub(self.start)).min(frames.end)
    }

    /// The tick at which the next action begins.
    pub fn end(&self, library: &ActionLibrary) -> u32 {
        self.start.wrapping_add(library.action(self.action).n_frames())
    }

    /// Where the root is at a tick.
    pub fn placement(&self, library: &ActionLibrary, tick: u32) -> Placement {
        let frame = self.frame(library, tick);
        self.world_from_take.placed(library.take_of(self.action).placements[frame as usize])
    }
}

/// A turn about the vertical and a shift on the floor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rigid {
    cos: f32,
    sin: f32,
    shift: Ground,
    heading: f32,
}

impl Rigid {
    /// From the coordinates of a placement to the world's.
    pub fn of(placement: Placement) -> Rigid {
        let Placement { position, heading } = placement;
        Rigid { cos: libm::cosf(heading), sin: libm::sinf(heading), shift: position, heading }
    }

    /// A point carried over (m).
    pub fn point(&self, p: Vec3) -> Vec3 {
        // A positive heading turns +Z to +X.
        let (x, z) = (self.cos * p.x + self.sin * p.z, self.cos * p.z - self.sin * p.x);
        Vec3::new(x + self.shift.x, p.y, z + self.shift.z)
    }

    /// The way back.
    pub fn inverse(self) -> Rigid {
        let back = Rigid { sin: -self.sin, heading: -self.heading, shift: Ground::default(), ..self };
        let shift = back.point(Vec3::new(-self.shift.x, 0.0, -self.shift.z));
        Rigid { shift: Ground { x: shift.x, z: shift.z }, ..back }
    }

    /// `other` first, then this.
    pub fn then(self, other: Rigid) -> Rigid {
        let shift = self.point(other.shift.at_height(0.0));
        Rigid {
            cos: self.cos * other.cos - self.sin * other.sin,
            sin: self.sin * other.cos + self.cos * other.sin,
            shift: Ground { x: shift.x, z: shift.z },
            heading: self.heading + other.heading,
        }
    }

    /// A placement carried over.
    pub fn placed(&self, placement: Placement) -> Placement {
        let position = Ground::below(self.point(placement.position.at_height(0.0)));
        Placement { position, heading: randori_motion::math::wrap_angle(placement.heading + self.heading) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rigid_motions_agree_with_placements() {
        for k in 0..100 {
            let k = k as f32;
            let placement = |a: f32| Placement {
                position: Ground { x: 3.0 * libm::sinf(a * k), z: 3.0 * libm::cosf(1.7 * a * k) },
                heading: 3.0 * libm::sinf(2.3 * a * k),
            };
            let (a, b) = (placement(1.0), placement(0.6));
            let p = Vec3::new(libm::sinf(k), libm::cosf(k), libm::sinf(0.3 * k));
            let near = |p: Vec3, q: Vec3| assert!(p.distance(q) < 1e-5, "{p} {q}");
            near(Rigid::of(a).point(p), a.point(p));
            near(Rigid::of(a).inverse().point(p), a.point_from_world(p));
            near(Rigid::of(a).then(Rigid::of(b)).point(p), a.point(b.point(p)));
            let (found, expected) = (Rigid::of(a).placed(b), a.then(b));
            assert!(found.position.distance(expected.position) < 1e-5);
            assert!(randori_motion::math::wrap_angle(found.heading - expected.heading).abs() < 1e-5);
        }
    }
}
