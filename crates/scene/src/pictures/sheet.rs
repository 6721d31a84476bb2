//! Contact sheets: many moments on one page.

use randori_motion::{EventKind, Take};

use super::{MAX_CELLS, PictureError, Progress, Studio, aspect, check_moment, check_span, png};
use crate::render::overlay::{Canvas, text_scale};
use crate::render::{Angle, Camera, MAX_SIDE, RenderError, Shot, Stage, Style, text};

/// A page of pictures with the time under each.
#[derive(Clone, Debug, PartialEq)]
pub struct Sheet {
    /// Pictures across.
    pub columns: u32,
    /// Pictures down.
    pub rows: u32,
    /// Pixels across each picture.
    pub cell_width: u32,
    /// Pixels down each picture.
    pub cell_height: u32,
    /// Where they are seen from.
    pub camera: Camera,
    /// How they look; [`Style::clock`] writes the time into each.
    pub style: Style,
    /// A line above the pictures; nothing if empty.
    pub title: String,
    /// What each row shows, written into its first picture; rows beyond the end of the list say nothing.
    pub row_titles: Vec<String>,
    /// Which moments they show.
    pub moments: Moments,
}

/// The moments of a contact sheet.
#[derive(Clone, Debug, PartialEq)]
pub enum Moments {
    /// Evenly over the whole take, first and last moment included.
    Whole,
    /// Evenly from one time to another (s), both included.
    Between(f64, f64),
    /// At these times (s), row by row; as many as there are places.
    At(Vec<f64>),
    /// One row for each of the first events of these kinds, evenly from before to after it.
    Around {
        /// The kinds of events.
        kinds: Vec<EventKind>,
        /// How long before the event a row begins (s).
        before: f64,
        /// How long after the event a row ends (s).
        after: f64,
    },
}

impl Default for Sheet {
    fn default() -> Sheet {
        Sheet {
            columns: 6,
            rows: 3,
            cell_width: 240,
            cell_height: 240,
            camera: Camera::Steady(Angle { pitch: 0.12, margin: 0.05, ..Angle::default() }),
            style: Style { clock: true, ..Style::default() },
            title: String::new(),
            row_titles: Vec::new(),
            moments: Moments::Whole,
        }
    }
}

/// Between pictures and around them (pixels).
const MARGIN: u32 = 6;
const PAPER: u8 = 255;
const INK: [f32; 3] = [30.0, 33.0, 40.0];

/// A contact sheet as a PNG.
pub fn sheet(take: &Take, options: &Sheet, progress: Progress<'_>) -> Result<Vec<u8>, PictureError> {
    let columns = options.columns;
    for (what, count) in [("the number of columns", columns), ("the number of rows", options.rows)] {
        if !(1..=MAX_CELLS).contains(&count) {
            return Err(PictureError::Option { what, expected: "from 1 to 64", found: count.to_string() });
        }
    }
    let (cell_width, cell_height) = (options.cell_width, options.cell_height);
    let stage = Stage::new(take)?;
    let moments = moments(take, options)?;
    let rows = (moments.len() as u32).div_ceil(columns);
    let scale = text_scale(cell_height.saturating_mul(2));
    let head = if options.title.is_empty() { 0 } else { 11 * scale as u32 };
    let (width, height) = (page_side(columns, cell_width), page_side(rows, cell_height).saturating_add(head));
    if width > MAX_SIDE || height > MAX_SIDE {
        return Err(RenderError::Size { width, height, samples: 1 }.into());
    }

    let shot = Shot::new(take, &options.camera, aspect(cell_width, cell_height))?;
    let studio = Studio::new(&stage, &shot, (cell_width, cell_height), options.style)?;
    let mut page = vec![PAPER; width as usize * height as usize * 3];
    for (row, in_row) in moments.chunks(columns as usize).enumerate() {
        for (column, cell) in studio.frames(in_row, <[u8]>::to_vec)?.into_iter().enumerate() {
            let left = MARGIN as usize + column * (cell_width + MARGIN) as usize;
            let top = (head + MARGIN) as usize + row * (cell_height + MARGIN) as usize;
            for (y, line) in cell.chunks_exact(cell_width as usize * 3).enumerate() {
                let start = ((top + y) * width as usize + left) * 3;
                page[start..start + line.len()].copy_from_slice(line);
            }
            progress(row * columns as usize + column + 1, moments.len());
        }
    }
    let mut canvas = Canvas::new(width, height, &mut page);
    let (x, y) = (MARGIN as i32 + scale, MARGIN as i32);
    text::draw(&mut canvas, x, y, scale, &options.title, INK);
    for (row, title) in options.row_titles.iter().enumerate().take(rows as usize) {
        let top = head + MARGIN + row as u32 * (cell_height + MARGIN);
        text::draw(&mut canvas, x, top as i32 + 2 * scale, scale, title, INK);
    }
    png(width, height, &page, png::Compression::Balanced)
}

fn page_side(n_cells: u32, cell: u32) -> u32 {
    n_cells.saturating_mul(cell.saturating_add(MARGIN)).saturating_add(MARGIN)
}

fn moments(take: &Take, options: &Sheet) -> Result<Vec<f64>, PictureError> {
    let n_cells = (options.columns * options.rows) as usize;
    let moments = match &options.moments {
        Moments::Whole => even(0.0, take.duration(), n_cells),
        Moments::Between(from, to) => {
            check_span(*from, *to)?;
            even(*from, *to, n_cells)
        }
        Moments::At(moments) => moments.iter().copied().take(n_cells).collect(),
        Moments::Around { kinds, before, after } => {
            // Rows may begin before the take does, but not end before they begin.
            check_span(0.0, *before)?;
            check_span(0.0, *after)?;
            let events = take.events.iter().filter(|event| kinds.contains(&event.kind));
            (events.take(options.rows as usize))
                .flat_map(|event| even(event.t - before, event.t + after, options.columns as usize))
                .collect()
        }
    };
    moments.iter().try_for_each(|t| check_moment(*t))?;
    match (&options.moments, moments.is_empty()) {
        (Moments::Around { .. }, true) => Err(PictureError::NoEvents),
        (_, true) => Err(PictureError::Option {
            what: "the list of moments",
            expected: "at least one",
            found: "none".to_owned(),
        }),
        (_, false) => Ok(moments),
    }
}

/// `n` moments from one time to another, both included; one alone is the middle.
fn even(from: f64, to: f64, n: usize) -> Vec<f64> {
    match n {
        1 => vec![0.5 * (from + to)],
        _ => (0..n).map(|k| from + (to - from) * k as f64 / (n - 1) as f64).collect(),
    }
}
