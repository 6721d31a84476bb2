//! Pose frames: where everybody is at one moment, in a few bytes.
//!
//! Little-endian; every field is aligned to its size, so that a browser can look at it in place.
//!
//! | bytes | what |
//! |---|---|
//! | 0 | u8: 1 |
//! | 1 | u8: which picture, 0 or 1 when two takes are shown side by side |
//! | 2 | u16: people in the frame |
//! | 4 | f32: time (s) |
//! | 8 | u32: version of the take that says how they look |
//! | 12 | u16: things in the frame |
//! | 14 | u16: force arrows in the frame |
//! | then | for each person: u16 place in the take, u16 pieces n, 3 × f32 root (m), n × 6 × i16: both ends of each piece from the root (mm) |
//! | then | for each thing and joint: u16 place in the take, u16 joint, 7 × f32: position (m), rotation x y z w |
//! | then | for each arrow: 6 × f32: point (m), force (N) |

use glam::{Quat, Vec3};
use randori_motion::{GlobalPose, Take};

use crate::figure::Figure;

/// Bytes before the first person.
pub const HEADER: usize = 16;

/// A frame under way.
#[derive(Debug, Default)]
pub struct Frame {
    bytes: Vec<u8>,
    people: u16,
    things: u16,
    arrows: u16,
}

impl Frame {
    /// A frame of a picture at a time (s), of a version of a take.
    pub fn new(picture: u8, t: f64, version: u32) -> Frame {
        let mut bytes = Vec::with_capacity(1024);
        bytes.extend_from_slice(&[1, picture, 0, 0]);
        bytes.extend_from_slice(&(t as f32).to_le_bytes());
        bytes.extend_from_slice(&version.to_le_bytes());
        bytes.extend_from_slice(&[0; 4]);
        Frame { bytes, people: 0, things: 0, arrows: 0 }
    }

    /// Adds a person; all of them come before the things.
    pub fn person(&mut self, place: usize, figure: &Figure, pose: &GlobalPose) {
        self.people += 1;
        let root = pose.positions.first().copied().unwrap_or(Vec3::ZERO);
        self.bytes.extend_from_slice(&(place as u16).to_le_bytes());
        self.bytes.extend_from_slice(&(figure.pieces.len() as u16).to_le_bytes());
        self.numbers(&root.to_array());
        for piece in &figure.pieces {
            for end in piece.ends {
                let off = (pose.point(piece.joint, end) - root) * 1000.0;
                for millimetres in off.to_array() {
                    // Casts of floats saturate: whoever is farther away is shown at 32 m.
                    self.bytes.extend_from_slice(&(millimetres.round() as i16).to_le_bytes());
                }
            }
        }
    }

    /// Adds a joint of a thing.
    pub fn thing(&mut self, place: usize, joint: usize, position: Vec3, rotation: Quat) {
        self.things += 1;
        self.bytes.extend_from_slice(&(place as u16).to_le_bytes());
        self.bytes.extend_from_slice(&(joint as u16).to_le_bytes());
        self.numbers(&position.to_array());
        self.numbers(&rotation.to_array());
    }

    /// Adds a force (N) at a point (m), after the things.
    pub fn arrow(&mut self, point: Vec3, force: Vec3) {
        self.arrows += 1;
        self.numbers(&point.to_array());
        self.numbers(&force.to_array());
    }

    fn numbers(&mut self, numbers: &[f32]) {
        for number in numbers {
            self.bytes.extend_from_slice(&number.to_le_bytes());
        }
    }

    /// The bytes.
    pub fn finish(mut self) -> Vec<u8> {
        self.bytes[2..4].copy_from_slice(&self.people.to_le_bytes());
        self.bytes[12..14].copy_from_slice(&self.things.to_le_bytes());
        self.bytes[14..16].copy_from_slice(&self.arrows.to_le_bytes());
        self.bytes
    }
}

/// The frame of a take at a time (s). The figures are those of its characters.
///
/// ```
/// use randori_studio::{figure::Figure, frames};
/// let take = randori_testkit::takes::motley();
/// let figures: Vec<Figure> = take.characters.iter().map(|it| Figure::of(&it.body)).collect();
/// let frame = frames::of_take(&take, &figures, 0, 0.5, 7);
/// assert_eq!(u16::from_le_bytes([frame[2], frame[3]]) as usize, take.characters.len());
/// ```
pub fn of_take(take: &Take, figures: &[Figure], picture: u8, t: f64, version: u32) -> Vec<u8> {
    let mut frame = Frame::new(picture, t, version);
    let mut globals = GlobalPose::default();
    let is_there = |enter: f64, exit: f64| (enter..=exit + HALF_A_FRAME).contains(&t);
    for (place, (character, figure)) in take.characters.iter().zip(figures).enumerate() {
        if is_there(character.enter, character.exit()) {
            let skeleton = character.clip.skeleton();
            skeleton.globals_into(character.clip.sample(t - character.enter).view(), &mut globals);
            frame.person(place, figure, &globals);
        }
    }
    for (place, prop) in take.props.iter().enumerate() {
        if is_there(prop.enter, prop.exit()) {
            prop.clip.skeleton().globals_into(prop.clip.sample(t - prop.enter).view(), &mut globals);
            for (joint, (position, rotation)) in globals.positions.iter().zip(&globals.rotations).enumerate()
            {
                frame.thing(place, joint, *position, *rotation);
            }
        }
    }
    let first = take.forces.partition_point(|force| force.t < t - HALF_A_FRAME);
    for force in take.forces[first..].iter().take_while(|force| force.t < t + HALF_A_FRAME) {
        frame.arrow(force.point, force.force);
    }
    frame.finish()
}

/// Says that a frame is of another time (s).
pub(crate) fn set_time(frame: &mut [u8], t: f64) {
    frame[4..8].copy_from_slice(&(t as f32).to_le_bytes());
}

/// Half of a sixtieth (s).
const HALF_A_FRAME: f64 = 0.5 / 60.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_says_where_the_head_is() {
        let take = randori_testkit::takes::motley();
        let figures: Vec<Figure> = take.characters.iter().map(|it| Figure::of(&it.body)).collect();
        let bytes = of_take(&take, &figures, 1, 0.25, 3);
        assert_eq!(bytes[..2], [1, 1]);
        let float = |at: usize| f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        assert_eq!(float(4), 0.25);
        let character = &take.characters[0];
        let pose = character.clip.skeleton().global_pose(character.clip.sample(0.25).view());
        assert_eq!([float(20), float(24), float(28)], pose.positions[0].to_array());
        let piece = figures[0].pieces[3];
        let at = 32 + 3 * 12;
        let short = |at: usize| f32::from(i16::from_le_bytes(bytes[at..at + 2].try_into().unwrap()));
        let told = pose.positions[0] + Vec3::new(short(at), short(at + 2), short(at + 4)) / 1000.0;
        assert!(told.distance(pose.point(piece.joint, piece.ends[0])) < 1e-3);
        let n = bytes[18] as usize;
        assert_eq!(n, figures[0].pieces.len());
    }
}
