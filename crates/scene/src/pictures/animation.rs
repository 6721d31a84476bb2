//! Animations: the frames of a span of a take in one file.

use randori_motion::{FrameRate, Take};

use super::{MAX_FRAMES, PictureError, Progress, Studio, apng, aspect, check_span, gif};
use crate::render::{Angle, Camera, Shot, Stage, Style};

/// What a file of moving pictures is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// PNG with several frames: exact colours.
    Apng,
    /// 255 colours, chosen for the take.
    Gif,
    /// H.264 in an MP4 file; needs the feature `mp4`.
    #[cfg(feature = "mp4")]
    Mp4,
}

/// Moving pictures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Animation {
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// Frames per second of the pictures, whatever the rate of the poses.
    pub rate: FrameRate,
    /// The first moment (s).
    pub from: f64,
    /// The last moment (s); the take's end if `None`.
    pub to: Option<f64>,
    /// Where it is seen from.
    pub camera: Camera,
    /// How it looks.
    pub style: Style,
}

impl Default for Animation {
    fn default() -> Animation {
        Animation {
            width: 640,
            height: 360,
            rate: FrameRate::new(25, 1).unwrap_or(FrameRate::HOUSE),
            from: 0.0,
            to: None,
            // A camera that stands still leaves most pixels as they were: files are much smaller.
            camera: Camera::Whole(Angle::default()),
            style: Style::default(),
        }
    }
}

impl Animation {
    /// The moments of all frames (s).
    pub fn moments(&self, take: &Take) -> Result<Vec<f64>, PictureError> {
        let to = self.to.unwrap_or_else(|| take.duration());
        check_span(self.from, to)?;
        // A hair of slack, so that 1.0 s at 25 is 26 frames whatever the rounding.
        let n_frames = (to - self.from) * self.rate.fps() + 1.0 + 1e-6;
        if n_frames > MAX_FRAMES as f64 {
            return Err(PictureError::Option {
                what: "the number of frames",
                expected: "at most 36000",
                found: n_frames.to_string(),
            });
        }
        Ok((0..n_frames as usize).map(|frame| self.from + self.rate.time_of(frame)).collect())
    }
}

/// An animation of a take as the bytes of a file.
pub fn animation(
    take: &Take,
    format: Format,
    options: &Animation,
    progress: Progress<'_>,
) -> Result<Vec<u8>, PictureError> {
    film(take, format, options, &[], progress)
}

/// The same with cuts to other cameras, each from its time (s) on, in order of time.
pub fn film(
    take: &Take,
    format: Format,
    options: &Animation,
    cuts: &[(f64, Camera)],
    progress: Progress<'_>,
) -> Result<Vec<u8>, PictureError> {
    let size = (options.width, options.height);
    let moments = options.moments(take)?;
    let stage = Stage::new(take)?;
    let seen_by = |camera: &Camera| Shot::new(take, camera, aspect(options.width, options.height));
    let mut shot = seen_by(&options.camera)?;
    for (at, camera) in cuts {
        shot = shot.cut(*at, seen_by(camera)?);
    }
    let studio = Studio::new(&stage, &shot, size, options.style)?;
    match format {
        Format::Apng => apng::encode(&studio, &moments, options.rate, progress),
        Format::Gif => gif::encode(&studio, &moments, options.rate, progress),
        #[cfg(feature = "mp4")]
        Format::Mp4 => super::mp4::encode(&studio, &moments, options.rate, progress),
    }
}

/// How many frames are drawn before they are written: enough for many threads, within 256 MB.
pub(super) fn batch_size(studio: &Studio<'_>) -> usize {
    let frame = studio.width as usize * studio.height as usize * 3;
    ((256 << 20) / frame.max(1)).clamp(1, 64)
}
