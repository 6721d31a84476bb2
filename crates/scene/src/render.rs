//! Pictures without a GPU: a take at one moment, seen by a camera, as pixels.
//!
//! A [`Stage`] is a take made ready for drawing and never changes; a [`Shot`] is a camera's way through it;
//! a [`Renderer`] is scratch memory that turns both into a frame. Frames do not depend on those drawn
//! before, so any number of renderers may share the work and the pixels stay the same.
//!
//! ```
//! use std::sync::Arc;
//! use randori_motion::{Build, Character, Clip, FrameRate, Take};
//! use randori_scene::render::{Camera, Renderer, Shot, Stage, Style};
//!
//! let body = Arc::new(Build::AVERAGE.body());
//! let poses = vec![body.skeleton.rest_pose()];
//! let clip = Clip::from_poses("stand", Arc::clone(&body.skeleton), FrameRate::HOUSE, poses).unwrap();
//! let mut take = Take::new("one", 0);
//! take.characters.push(Character { name: "blue".into(), color: [0.1, 0.3, 0.8], body, enter: 0.0, clip });
//!
//! let stage = Stage::new(&take).unwrap();
//! let shot = Shot::new(&take, &Camera::default(), 320.0 / 180.0).unwrap();
//! let mut renderer = Renderer::new(320, 180, Style::default()).unwrap();
//! let rgb = renderer.draw(&stage, 0.0, &shot.view(0.0));
//! assert_eq!(rgb.len(), 320 * 180 * 3);
//! ```

mod backdrop;
mod camera;
mod light;
pub(crate) mod overlay;
mod raster;
mod renderer;
mod shadow;
mod stage;
pub(crate) mod text;

use randori_motion::take::{Color, TakeError};

pub use camera::{Angle, Camera, Shot, View};
pub use renderer::Renderer;
pub use stage::Stage;

/// The most pixels a picture may have along one side: what players and browsers still open.
pub const MAX_SIDE: u32 = 8192;
/// The most samples of one frame, about 0.5 GB of scratch memory.
pub const MAX_SAMPLES: u64 = 1 << 26;
/// The longest take a camera can be planned for (s): one day.
pub const MAX_DURATION: f64 = 86_400.0;

/// How many samples are taken of each pixel at the edges of bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Quality {
    /// One: fast and jagged.
    Draft,
    /// Two by two.
    #[default]
    Normal,
    /// Four by four, for stills.
    Fine,
}

impl Quality {
    /// Samples along each side of a pixel.
    pub fn samples_per_side(self) -> u32 {
        match self {
            Quality::Draft => 1,
            Quality::Normal => 2,
            Quality::Fine => 4,
        }
    }
}

/// How pictures look. Colours are sRGB, 0 to 1, as they appear on a screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Style {
    /// Samples at edges.
    pub quality: Quality,
    /// High in the background.
    pub sky: Color,
    /// The background at the horizon, into which the floor fades.
    pub horizon: Color,
    /// The floor near the camera.
    pub floor: Color,
    /// The lines of the floor's grid.
    pub line: Color,
    /// Between two strong lines of the grid (m); weak ones lie half-way. 0 for no grid.
    pub grid: f32,
    /// How dark shadows are, 0 to 1.
    pub shadow: f32,
    /// Shows blows as they land.
    pub hits: bool,
    /// Shows the characters' names above their heads.
    pub names: bool,
    /// Shows the time in a corner.
    pub clock: bool,
}

impl Default for Style {
    fn default() -> Style {
        Style {
            quality: Quality::default(),
            sky: [0.70, 0.78, 0.86],
            horizon: [0.93, 0.94, 0.94],
            floor: [0.80, 0.80, 0.79],
            line: [0.62, 0.64, 0.66],
            grid: 1.0,
            shadow: 0.55,
            hits: true,
            names: false,
            clock: false,
        }
    }
}

/// Why nothing can be drawn.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RenderError {
    /// The picture has no pixels or too many.
    #[error(
        "a picture of {width} x {height} pixels with {samples} samples each; sides may have 1 to {MAX_SIDE} \
         pixels and a picture {MAX_SAMPLES} samples"
    )]
    Size {
        /// Pixels across.
        width: u32,
        /// Pixels down.
        height: u32,
        /// Samples of one pixel.
        samples: u32,
    },
    /// A number of the camera is out of range.
    #[error("the camera's {what} is {found}; expected {expected}")]
    Camera {
        /// Which number.
        what: &'static str,
        /// What it must be.
        expected: &'static str,
        /// What it is.
        found: String,
    },
    /// A number of the style is out of range.
    #[error("the style's {what} must be finite and not below 0")]
    Style {
        /// Which number.
        what: &'static str,
    },
    /// The take lasts longer than [`MAX_DURATION`].
    #[error("the take lasts {0} s; at most {MAX_DURATION} s can be shown")]
    TooLong(f64),
    /// The take is broken.
    #[error(transparent)]
    Take(#[from] TakeError),
}

impl Style {
    /// Checks the numbers.
    pub fn validate(&self) -> Result<(), RenderError> {
        let colors =
            [("sky", self.sky), ("horizon", self.horizon), ("floor", self.floor), ("line", self.line)];
        let numbers = colors.iter().flat_map(|(what, color)| color.map(|part| (*what, part)));
        for (what, number) in numbers.chain([("grid", self.grid), ("shadow", self.shadow)]) {
            if !(number.is_finite() && number >= 0.0) {
                return Err(RenderError::Style { what });
            }
        }
        Ok(())
    }
}
