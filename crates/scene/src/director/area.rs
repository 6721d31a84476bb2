//! Areas of the floor, read from pictures.

use std::io::Cursor;

use png::{Decoder, Transformations};
use randori_patches::composing::floor::Floor;

/// As many pixels has a picture of an area at most: a kilometre's side in half metres, and more than anybody can fill.
const MAX_PIXELS: u64 = 1 << 22;

/// Why a picture shows no area.
#[derive(Debug, thiserror::Error)]
pub enum AreaError {
    /// It is no PNG.
    #[error("expected a PNG: {0}")]
    Png(#[from] png::DecodingError),
    /// It is too large.
    #[error("expected at most {MAX_PIXELS} pixels, found {width} × {height}")]
    Large {
        /// Pixels in a row.
        width: u32,
        /// Rows.
        height: u32,
    },
    /// Nothing in it is dark.
    #[error("expected dark pixels, which are the area; all are light or transparent")]
    Empty,
}

/// Darker than this is the area, more opaque than this is there: of 255.
const HALF: u16 = 128;

/// The area that the dark pixels of a PNG show, each with this side (m); the top is -z, the left -x.
pub fn area(bytes: &[u8], pixel: f32) -> Result<Floor, AreaError> {
    let mut decoder = Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(Transformations::normalize_to_color8());
    let mut reader = decoder.read_info()?;
    let (width, height) = reader.info().size();
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(AreaError::Large { width, height });
    }
    let mut samples = vec![0; reader.output_buffer_size().ok_or(AreaError::Large { width, height })?];
    let frame = reader.next_frame(&mut samples)?;
    let n_samples = frame.color_type.samples();
    let is_dark = |pixel: &[u8]| {
        let (colors, opacity) = match pixel {
            [_, opacity] => (&pixel[..1], *opacity),
            [_, _, _, opacity] => (&pixel[..3], *opacity),
            _ => (pixel, 255),
        };
        let light: u16 = colors.iter().map(|it| u16::from(*it)).sum();
        u16::from(opacity) >= HALF && light < HALF * colors.len() as u16
    };
    let used = &samples[..frame.buffer_size()];
    let squares: Vec<bool> = used.chunks_exact(n_samples).map(is_dark).collect();
    Floor::new(pixel, width as usize, &squares).ok_or(AreaError::Empty)
}
