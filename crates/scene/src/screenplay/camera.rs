//! Where a scene is seen from.

use glam::Vec3;
use randori_motion::Take;

use crate::render;
use crate::render::{Angle, View};

/// Where a scene is seen from; see [`render::Camera`], which it becomes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Camera {
    /// It moves along with the characters and keeps all of them in the picture.
    Follow(Looks),
    /// It stands still where it sees all characters during the whole take.
    Whole(Looks),
    /// It has the characters in the middle, always from one distance.
    Steady(Looks),
    /// It stands still.
    Fixed {
        /// Where it is (m).
        eye: [f32; 3],
        /// What is in the middle of the picture (m).
        target: [f32; 3],
        /// From the lower to the upper edge of the picture (degrees); `None` is as the renderer likes.
        fov_deg: Option<f32>,
    },
}

/// The direction of a camera that finds its own distance; `None` is as the renderer likes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Looks {
    /// Where it stands around the scene (degrees): 0 is at +Z, positive towards +X; `None` is across the lines between
    /// the characters.
    pub heading_deg: Option<f32>,
    /// How far above the horizon it stands (degrees).
    pub pitch_deg: Option<f32>,
    /// From the lower to the upper edge of the picture (degrees).
    pub fov_deg: Option<f32>,
    /// The share of the picture that stays free at each edge, 0 to 0.45.
    pub margin: Option<f32>,
}

impl Default for Camera {
    fn default() -> Camera {
        Camera::Follow(Looks::default())
    }
}

impl Camera {
    /// Its name in files.
    pub fn name(&self) -> &'static str {
        match self {
            Camera::Follow(_) => "follow",
            Camera::Whole(_) => "whole",
            Camera::Steady(_) => "steady",
            Camera::Fixed { .. } => "fixed",
        }
    }

    /// The renderer's camera for this take.
    pub fn of(&self, take: &Take) -> render::Camera {
        match self {
            Camera::Follow(looks) => render::Camera::Follow(looks.of(take)),
            Camera::Whole(looks) => render::Camera::Whole(looks.of(take)),
            Camera::Steady(looks) => render::Camera::Steady(looks.of(take)),
            Camera::Fixed { eye, target, fov_deg } => render::Camera::Fixed(View {
                eye: Vec3::from(*eye),
                target: Vec3::from(*target),
                fov: fov_deg.map_or(Angle::default().fov, f32::to_radians),
            }),
        }
    }
}

impl Looks {
    fn of(&self, take: &Take) -> Angle {
        let across = Angle::across(take);
        Angle {
            heading: self.heading_deg.map_or(across.heading, f32::to_radians),
            pitch: self.pitch_deg.map_or(across.pitch, f32::to_radians),
            fov: self.fov_deg.map_or(across.fov, f32::to_radians),
            margin: self.margin.unwrap_or(across.margin),
        }
    }
}
