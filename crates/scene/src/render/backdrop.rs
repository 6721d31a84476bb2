//! What is behind the bodies: sky, floor, its grid, and the shadows on it.
//!
//! A camera without roll sees every row of the floor at one depth, along which places on the floor run
//! straight. All of it follows from that: a row costs a few sums per pixel.

use glam::Vec3;

use super::camera::{View, axes};
use super::shadow::ShadowMap;
use super::{Color, Style};

/// A view with the size of its picture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Projection {
    pub(super) eye: Vec3,
    pub(super) right: Vec3,
    pub(super) up: Vec3,
    pub(super) forward: Vec3,
    /// Pixels per unit of slope.
    pub(super) focal: f32,
    pub(super) width: u32,
    pub(super) height: u32,
}

impl Projection {
    pub(super) fn new(view: &View, width: u32, height: u32) -> Projection {
        let [right, up, forward] = axes(view.target - view.eye);
        let focal = 0.5 * height as f32 / libm::tanf(0.5 * view.fov);
        Projection { eye: view.eye, right, up, forward, focal, width, height }
    }

    /// Right, up and ahead of the eye (m).
    pub(super) fn to_eye(self, point: Vec3) -> Vec3 {
        let from_eye = point - self.eye;
        Vec3::new(self.right.dot(from_eye), self.up.dot(from_eye), self.forward.dot(from_eye))
    }

    /// Pixels from the left and from the top of a point ahead of the eye.
    pub(super) fn pixel(self, in_eye: Vec3) -> [f32; 2] {
        let scale = self.focal / in_eye.z;
        [0.5 * self.width as f32 + in_eye.x * scale, 0.5 * self.height as f32 - in_eye.y * scale]
    }

    /// The direction of a row's middle, one unit ahead; rows are counted in pixels from the top.
    fn row_direction(self, row: f32) -> Vec3 {
        self.forward + self.up * ((0.5 * self.height as f32 - row) / self.focal)
    }

    /// One over the depth at which a row meets the plane at this height; 0 if it does not (1/m).
    pub(super) fn inv_depth_of_plane(self, row: f32, height: f32) -> f32 {
        let above = self.eye.y - height;
        if above <= 0.0 { 0.0 } else { (-self.row_direction(row).y / above).max(0.0) }
    }
}

/// Scratch memory of one row.
#[derive(Debug, Default)]
pub(super) struct Rows {
    lines: Vec<f32>,
    shade: Vec<f32>,
}

impl Rows {
    /// Paints everything behind the bodies, three bytes per pixel.
    pub(super) fn paint(
        &mut self,
        projection: &Projection,
        style: &Style,
        shadows: &[ShadowMap],
        rgb: &mut [u8],
    ) {
        let width = projection.width as usize;
        self.lines.resize(width, 0.0);
        self.shade.resize(width, 0.0);
        for (row, pixels) in rgb.chunks_exact_mut(width * 3).enumerate() {
            let row = row as f32 + 0.5;
            let inv_depth = projection.inv_depth_of_plane(row, 0.0);
            if inv_depth < 1.0 / FAR_FLOOR {
                let slope = projection.row_direction(row).normalize_or_zero().y.max(0.0);
                let color =
                    mix(style.horizon, style.sky, 1.0 - 1.0 / (1.0 + 4.0 * slope * slope + 1.4 * slope));
                let color = color.map(|part| (255.0 * part + 0.5) as u8);
                pixels.chunks_exact_mut(3).for_each(|pixel| pixel.copy_from_slice(&color));
                continue;
            }
            self.paint_floor_row(projection, style, shadows, row, 1.0 / inv_depth, pixels);
        }
    }

    fn paint_floor_row(
        &mut self,
        projection: &Projection,
        style: &Style,
        shadows: &[ShadowMap],
        row: f32,
        depth: f32,
        pixels: &mut [u8],
    ) {
        let places = FloorRow::new(projection, row, depth);
        let inv_below = projection.inv_depth_of_plane(row + 1.0, 0.0);
        let below = FloorRow::new(projection, row + 1.0, 1.0 / inv_below.max(1e-9));

        let far = depth / FADE;
        let fade = far * far / (1.0 + far * far);
        let floor = mix(style.floor, style.horizon, fade);
        if style.grid > 0.0 && fade < 0.97 {
            let inv_grid = 1.0 / style.grid;
            let half_width = (0.008 * inv_grid).min(0.1);
            let strength = 1.0 - fade;
            self.lines.fill(0.0);
            for axis in 0..2 {
                let (start, step) = (places.start[axis] * inv_grid, places.step[axis] * inv_grid);
                let drift = (below.start[axis] * inv_grid - start, below.step[axis] * inv_grid - step);
                for (column, line) in self.lines.iter_mut().enumerate() {
                    let column = column as f32;
                    let at = start + step * column;
                    // How much of the grid one pixel spans.
                    let span = (step.abs() + (drift.0 + drift.1 * column).abs()).clamp(1e-6, 1.0);
                    let strong = covered(at, span, half_width);
                    let weak = 0.4 * covered(at + 0.5, span, 0.7 * half_width);
                    *line = line.max((strong + weak) * strength);
                }
            }
        } else {
            self.lines.fill(0.0);
        }

        self.shade.fill(0.0);
        for shadow in shadows {
            shadow.shade_row(places.start, places.step, &mut self.shade);
        }
        let dark = style.shadow.min(1.0) * (1.0 - fade);
        let (floor, line) = (floor.map(|part| 255.0 * part), style.line.map(|part| 255.0 * part));
        // Sky light reaches into shadows: they keep more blue.
        let dark = [dark, 0.97 * dark, 0.9 * dark];
        for ((pixel, on_line), shade) in pixels.chunks_exact_mut(3).zip(&self.lines).zip(&self.shade) {
            for k in 0..3 {
                let color = floor[k] + (line[k] - floor[k]) * on_line;
                pixel[k] = (color * (1.0 - shade * dark[k]) + 0.5) as u8;
            }
        }
    }
}

/// Beyond this the floor has faded into the horizon (m).
const FAR_FLOOR: f32 = 400.0;
/// Where half of the floor's colour has faded (m).
const FADE: f32 = 16.0;

/// Places on the floor, x and z, along one row: the leftmost pixel's, and the step from pixel to pixel (m).
struct FloorRow {
    start: [f32; 2],
    step: [f32; 2],
}

impl FloorRow {
    fn new(projection: &Projection, row: f32, depth: f32) -> FloorRow {
        let middle = projection.eye + projection.row_direction(row) * depth;
        let step = projection.right * (depth / projection.focal);
        let start = middle - step * (0.5 * projection.width as f32 - 0.5);
        FloorRow { start: [start.x, start.z], step: [step.x, step.z] }
    }
}

/// The share of a pixel that a line covers; the lines lie at whole numbers.
fn covered(at: f32, span: f32, half_width: f32) -> f32 {
    // Adding and taking away 1.5 · 2²³ rounds to the nearest whole number.
    const ROUND: f32 = 12_582_912.0;
    let off = (at - ((at + ROUND) - ROUND)).abs();
    let half = 0.5 * span;
    let overlap = (off + half).min(half_width) - (off - half).max(-half_width);
    overlap.max(0.0) / span
}

pub(super) fn mix(a: Color, b: Color, share: f32) -> Color {
    std::array::from_fn(|k| (a[k] + (b[k] - a[k]) * share).clamp(0.0, 1.0))
}
