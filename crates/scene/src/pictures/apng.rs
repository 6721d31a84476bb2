//! Animated PNG: frames compressed in parallel, each only where it differs from the one before.

use randori_motion::FrameRate;
use rayon::prelude::*;

use super::animation::batch_size;
use super::changes::Window;
use super::{PictureError, Progress, Studio, png};

pub(super) fn encode(
    studio: &Studio<'_>,
    moments: &[f64],
    rate: FrameRate,
    progress: Progress<'_>,
) -> Result<Vec<u8>, PictureError> {
    let failed = PictureError::encode("APNG");
    let (width, height) = (studio.width, studio.height);
    let delay = delay(rate);
    let mut bytes = Vec::new();
    let mut encoder = ::png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(::png::ColorType::Rgb);
    encoder.set_depth(::png::BitDepth::Eight);
    encoder.set_source_srgb(::png::SrgbRenderingIntent::Perceptual);
    encoder.set_animated(moments.len() as u32, 0).map_err(|error| failed(&error))?;
    let mut writer = encoder.write_header().map_err(|error| failed(&error))?;

    let mut sequence = 0u32;
    let mut next_number = || {
        sequence += 1;
        (sequence - 1).to_be_bytes()
    };
    let mut before: Option<Vec<u8>> = None;
    let mut n_done = 0;
    for batch in moments.chunks(batch_size(studio)) {
        let frames = studio.frames(batch, <[u8]>::to_vec)?;
        let parts = (0..frames.len()).into_par_iter().map(|frame| {
            let last = if frame == 0 { before.as_ref() } else { Some(&frames[frame - 1]) };
            compress(last, &frames[frame], width as usize, height as usize)
        });
        let parts: Vec<(Window, Vec<u8>)> = parts.collect::<Result<_, PictureError>>()?;
        for (window, compressed) in parts {
            let mut control = Vec::with_capacity(26);
            control.extend(next_number());
            for number in [window.width, window.height, window.left, window.top] {
                control.extend((number as u32).to_be_bytes());
            }
            control.extend(delay.0.to_be_bytes());
            control.extend(delay.1.to_be_bytes());
            // Leave the frame as it is; replace what the next one covers.
            control.extend([0, 0]);
            writer.write_chunk(::png::chunk::fcTL, &control).map_err(|error| failed(&error))?;
            if n_done == 0 {
                writer.write_chunk(::png::chunk::IDAT, &compressed).map_err(|error| failed(&error))?;
            } else {
                let mut data = next_number().to_vec();
                data.extend(compressed);
                writer.write_chunk(::png::chunk::fdAT, &data).map_err(|error| failed(&error))?;
            }
            n_done += 1;
            progress(n_done, moments.len());
        }
        before = frames.into_iter().next_back();
    }
    writer.finish().map_err(|error| failed(&error))?;
    Ok(bytes)
}

/// The changed window of a frame as a compressed stream of PNG's rows.
fn compress(
    before: Option<&Vec<u8>>,
    after: &[u8],
    width: usize,
    height: usize,
) -> Result<(Window, Vec<u8>), PictureError> {
    let window = match before {
        None => Window { left: 0, top: 0, width, height },
        Some(before) => Window::of_changes(before, after, width, 3),
    };
    let pixels: Vec<u8> = window.rows(after, width, 3).flatten().copied().collect();
    let file = png(window.width as u32, window.height as u32, &pixels, ::png::Compression::Balanced)?;
    Ok((window, image_data(&file)))
}

/// The contents of all IDAT chunks of a PNG: a signature of eight bytes, then chunks of length, name,
/// contents and checksum.
fn image_data(file: &[u8]) -> Vec<u8> {
    let mut data = Vec::new();
    let mut rest = file.get(8..).unwrap_or_default();
    while let Some((head, after)) = rest.split_first_chunk::<8>() {
        let length = u32::from_be_bytes([head[0], head[1], head[2], head[3]]) as usize;
        let Some(contents) = after.get(..length) else { break };
        if head[4..] == *b"IDAT" {
            data.extend_from_slice(contents);
        }
        rest = after.get(length + 4..).unwrap_or_default();
    }
    data
}

/// Seconds between frames as a fraction of 16-bit numbers; exact for every rate that people use.
fn delay(rate: FrameRate) -> (u16, u16) {
    let (numerator, denominator) = rate.fraction();
    match (u16::try_from(denominator), u16::try_from(numerator)) {
        (Ok(seconds), Ok(frames)) => (seconds, frames),
        _ => ((1000.0 * rate.dt()).round().clamp(1.0, 65_535.0) as u16, 1000),
    }
}
