//! GIF: one palette for the whole take, and of each frame only what changed.

use std::borrow::Cow;

use randori_motion::FrameRate;
use rayon::prelude::*;

use super::animation::batch_size;
use super::changes::Window;
use super::palette::{Histogram, MAX_COLORS, Palette};
use super::{PictureError, Progress, Studio};

/// The place in the palette that stands for "as before".
const UNCHANGED: u8 = MAX_COLORS as u8;

pub(super) fn encode(
    studio: &Studio<'_>,
    moments: &[f64],
    rate: FrameRate,
    progress: Progress<'_>,
) -> Result<Vec<u8>, PictureError> {
    let failed = PictureError::encode("GIF");
    // Players take shorter delays for mistakes and slow them down to a tenth of a second.
    if rate.fps() > 50.0 || rate.fps() < 1.0 / 600.0 {
        return Err(PictureError::Option {
            what: "the frame rate of a GIF",
            expected: "at most 50 per second and at least one in ten minutes",
            found: rate.to_string(),
        });
    }
    let (width, height) = (studio.width as usize, studio.height as usize);
    let palette = choose_palette(studio, moments)?;
    let mut encoder = gif::Encoder::new(Vec::new(), width as u16, height as u16, &palette.bytes())
        .map_err(|error| failed(&error))?;
    encoder.set_repeat(gif::Repeat::Infinite).map_err(|error| failed(&error))?;

    let mut before: Option<Vec<u8>> = None;
    let mut n_done = 0;
    for batch in moments.chunks(batch_size(studio)) {
        let frames = studio.frames(batch, |rgb| palette.paint(rgb, width))?;
        let parts: Vec<gif::Frame<'static>> = (0..frames.len())
            .into_par_iter()
            .map(|frame| {
                let last = if frame == 0 { before.as_ref() } else { Some(&frames[frame - 1]) };
                let mut part = changed(last, &frames[frame], width, height);
                part.delay = delay(rate, n_done + frame);
                part.make_lzw_pre_encoded();
                part
            })
            .collect();
        for part in parts {
            encoder.write_lzw_pre_encoded_frame(&part).map_err(|error| failed(&error))?;
            n_done += 1;
            progress(n_done, moments.len());
        }
        before = frames.into_iter().next_back();
    }
    encoder.into_inner().map_err(|error| failed(&error))
}

/// The part of a frame that differs from the one before.
fn changed(before: Option<&Vec<u8>>, after: &[u8], width: usize, height: usize) -> gif::Frame<'static> {
    let Some(before) = before else {
        let (width, height) = (width as u16, height as u16);
        return gif::Frame { width, height, buffer: Cow::Owned(after.to_vec()), ..Default::default() };
    };
    let window = Window::of_changes(before, after, width, 1);
    let rows = window.rows(before, width, 1).zip(window.rows(after, width, 1));
    let pixels = rows.flat_map(|(before, after)| {
        before.iter().zip(after).map(|(before, after)| if before == after { UNCHANGED } else { *after })
    });
    gif::Frame {
        left: window.left as u16,
        top: window.top as u16,
        width: window.width as u16,
        height: window.height as u16,
        transparent: Some(UNCHANGED),
        buffer: Cow::Owned(pixels.collect()),
        ..Default::default()
    }
}

/// Hundredths of a second that a frame is shown: rounded so that the sum never drifts.
fn delay(rate: FrameRate, frame: usize) -> u16 {
    let end = |frame: usize| (100.0 * rate.time_of(frame)).round();
    (end(frame + 1) - end(frame)) as u16
}

/// From a few frames spread over the take.
fn choose_palette(studio: &Studio<'_>, moments: &[f64]) -> Result<Palette, PictureError> {
    const N_LOOKS: usize = 12;
    let n_looks = N_LOOKS.min(moments.len());
    let looks: Vec<f64> =
        (0..n_looks).map(|look| moments[look * (moments.len() - 1) / n_looks.max(1)]).collect();
    let mut histogram = Histogram::new();
    for batch in looks.chunks(batch_size(studio)) {
        studio.frames(batch, <[u8]>::to_vec)?.iter().for_each(|frame| histogram.add(frame));
    }
    Ok(Palette::of(&histogram))
}
