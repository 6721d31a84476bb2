//! Pictures of takes as the bytes of files: stills, contact sheets, animations.
//!
//! Nothing here opens a file. Frames are drawn in parallel and written in order: the bytes are the same for
//! any number of threads.
//!
//! Start reading at [`still`], [`sheet`] and [`animation`].

mod animation;
mod apng;
mod changes;
mod chart;
mod floor;
mod gif;
#[cfg(feature = "mp4")]
mod mp4;
mod palette;
mod sheet;

pub use animation::{Animation, Format, animation, film};
pub use chart::{Chart, Curve, chart};
pub use floor::{Arrow, FloorMap, floor_map};
pub use sheet::{Moments, Sheet, sheet};

use std::sync::Mutex;

use randori_motion::Take;
use rayon::prelude::*;

use crate::render::{Camera, MAX_DURATION, Quality, RenderError, Renderer, Shot, Stage, Style};

/// The most frames of an animation: ten minutes at sixty a second.
pub const MAX_FRAMES: usize = 36_000;
/// The most pictures of a contact sheet along one side.
pub const MAX_CELLS: u32 = 64;

/// Told after every picture how many are done and how many there are in all.
pub type Progress<'a> = &'a mut dyn FnMut(usize, usize);

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// It cannot be drawn.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// An option is out of range.
    #[error("{what} is {found}; expected {expected}")]
    Option {
        /// Which option.
        what: &'static str,
        /// What it must be.
        expected: &'static str,
        /// What it is.
        found: String,
    },
    /// No event of the take is of the kinds asked for.
    #[error("the take has no event of the kinds asked for")]
    NoEvents,
    /// The encoder of a format failed.
    #[error("{format}: {reason}")]
    Encode {
        /// The format's name.
        format: &'static str,
        /// What its encoder says.
        reason: String,
    },
}

impl PictureError {
    fn encode(format: &'static str) -> impl Fn(&dyn std::fmt::Display) -> PictureError {
        move |reason| PictureError::Encode { format, reason: reason.to_string() }
    }
}

/// A single picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Still {
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// Where it is seen from.
    pub camera: Camera,
    /// How it looks.
    pub style: Style,
}

impl Default for Still {
    fn default() -> Still {
        let style = Style { quality: Quality::Fine, ..Style::default() };
        Still { width: 1280, height: 720, camera: Camera::Moment(Default::default()), style }
    }
}

/// One moment of a take (s) as a PNG.
pub fn still(take: &Take, t: f64, options: &Still) -> Result<Vec<u8>, PictureError> {
    check_moment(t)?;
    let mut renderer = Renderer::new(options.width, options.height, options.style)?;
    let stage = Stage::new(take)?;
    let shot = Shot::new(take, &options.camera, aspect(options.width, options.height))?;
    let rgb = renderer.draw(&stage, t, &shot.view(t));
    png(options.width, options.height, rgb, png::Compression::Balanced)
}

fn check_moment(t: f64) -> Result<(), PictureError> {
    if t.abs() <= MAX_DURATION {
        return Ok(());
    }
    Err(PictureError::Option { what: "the time", expected: "within a day of 0 s", found: t.to_string() })
}

/// Checks the ends of a span of time (s).
fn check_span(from: f64, to: f64) -> Result<(), PictureError> {
    let refused =
        |what, expected, found: f64| Err(PictureError::Option { what, expected, found: found.to_string() });
    if !(0.0..=MAX_DURATION).contains(&from) {
        return refused("the first moment", "a time from 0 s to a day", from);
    }
    if !(from..=MAX_DURATION).contains(&to) {
        return refused("the last moment", "a time within a day, not before the first", to);
    }
    Ok(())
}

fn aspect(width: u32, height: u32) -> f64 {
    f64::from(width) / f64::from(height.max(1))
}

/// A PNG of three bytes per pixel.
fn png(width: u32, height: u32, rgb: &[u8], compression: png::Compression) -> Result<Vec<u8>, PictureError> {
    let mut bytes = Vec::new();
    let failed = PictureError::encode("PNG");
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    encoder.set_compression(compression);
    let mut writer = encoder.write_header().map_err(|error| failed(&error))?;
    writer.write_image_data(rgb).map_err(|error| failed(&error))?;
    writer.finish().map_err(|error| failed(&error))?;
    Ok(bytes)
}

/// Renderers that threads borrow from one another, so that each frame finds memory that is warm.
struct Studio<'a> {
    stage: &'a Stage<'a>,
    shot: &'a Shot,
    width: u32,
    height: u32,
    style: Style,
    idle: Mutex<Vec<Renderer>>,
}

impl<'a> Studio<'a> {
    fn new(
        stage: &'a Stage<'a>,
        shot: &'a Shot,
        size: (u32, u32),
        style: Style,
    ) -> Result<Studio<'a>, RenderError> {
        let (width, height) = size;
        let first = Renderer::new(width, height, style)?;
        Ok(Studio { stage, shot, width, height, style, idle: Mutex::new(vec![first]) })
    }

    /// The frames of these moments, drawn in parallel, each passed through `finish`.
    fn frames<T: Send>(
        &self,
        moments: &[f64],
        finish: impl Fn(&[u8]) -> T + Sync,
    ) -> Result<Vec<T>, RenderError> {
        let idle = || self.idle.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let draw = |t: &f64| {
            let warm = idle().pop();
            let mut renderer = match warm {
                Some(renderer) => renderer,
                None => Renderer::new(self.width, self.height, self.style)?,
            };
            let finished = finish(renderer.draw(self.stage, *t, &self.shot.view(*t)));
            idle().push(renderer);
            Ok(finished)
        };
        moments.par_iter().map(draw).collect()
    }
}
