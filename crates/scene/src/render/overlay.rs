//! What is written over a picture: blows, names, the time.

use std::fmt::Write;

use glam::Vec3;
use randori_motion::{Bone, GlobalPose, Pose};

use super::backdrop::Projection;
use super::stage::{Hit, Stage, present, sane_color};
use super::{Style, text};

/// Pixels that can be drawn over, three bytes of sRGB each.
#[derive(Debug)]
pub(crate) struct Canvas<'a> {
    pub(crate) width: u32,
    pub(crate) height: u32,
    rgb: &'a mut [u8],
}

impl<'a> Canvas<'a> {
    pub(crate) fn new(width: u32, height: u32, rgb: &'a mut [u8]) -> Canvas<'a> {
        Canvas { width, height, rgb }
    }

    /// Mixes a colour (0 to 255) into a pixel; outside of the picture nothing happens.
    pub(crate) fn mix(&mut self, x: i32, y: i32, color: [f32; 3], share: f32) {
        if x < 0 || y < 0 || x >= self.width as i32 || y >= self.height as i32 {
            return;
        }
        let at = (y as usize * self.width as usize + x as usize) * 3;
        for (part, color) in self.rgb[at..at + 3].iter_mut().zip(color) {
            *part = (f32::from(*part) + (color - f32::from(*part)) * share + 0.5) as u8;
        }
    }
}

/// How long a blow is shown (s).
const FLASH: f64 = 0.3;
const INK: [f32; 3] = [44.0, 48.0, 56.0];

pub(super) fn draw(
    canvas: &mut Canvas<'_>,
    pose: &mut Pose,
    globals: &mut GlobalPose,
    stage: &Stage<'_>,
    t: f64,
    projection: &Projection,
    style: &Style,
) {
    if style.hits {
        // Hits are in order of time: only the last few can still be seen.
        let begin = stage.hits.partition_point(|hit| hit.t < t - FLASH);
        for hit in stage.hits[begin..].iter().take_while(|hit| hit.t <= t + 1e-9) {
            flash(canvas, hit, t, projection);
        }
    }
    let scale = text_scale(canvas.height);
    if style.names {
        for character in &stage.take.characters {
            if !present(character.enter, character.exit(), t) {
                continue;
            }
            let skeleton = &character.body.skeleton;
            character.clip.sample_into(t - character.enter, pose);
            skeleton.globals_into(pose.view(), globals);
            let head = skeleton.bone(Bone::Head).map_or(0, |head| head.idx());
            let above = projection.to_eye(globals.positions[head] + Vec3::Y * 0.34);
            if above.z < 0.1 {
                continue;
            }
            let [x, y] = projection.pixel(above);
            let width = text::width(&character.name, scale) as f32;
            let color = (sane_color(character.color) * 150.0).to_array();
            text::draw(canvas, (x - 0.5 * width) as i32, y as i32 - 7 * scale, scale, &character.name, color);
        }
    }
    if style.clock {
        let mut clock = ShortText::default();
        // A clock too long for its place is cut, never an error.
        let _ = write!(clock, "{t:.2} s");
        let y = canvas.height as i32 - 11 * scale;
        text::draw(canvas, 5 * scale, y, scale, clock.as_str(), INK);
    }
}

/// Size of letters for a picture of this height: dots per dot.
pub(crate) fn text_scale(height: u32) -> i32 {
    (height as i32 / 260).max(1)
}

/// A star that grows and fades.
fn flash(canvas: &mut Canvas<'_>, hit: &Hit, t: f64, projection: &Projection) {
    let in_eye = projection.to_eye(hit.place);
    if in_eye.z < 0.1 {
        return;
    }
    let age = ((t - hit.t) / FLASH).clamp(0.0, 1.0) as f32;
    let [x, y] = projection.pixel(in_eye);
    let reach = (0.26 * (0.55 + 0.45 * age) * projection.focal / in_eye.z).clamp(3.0, 400.0);
    let fade = (1.0 - age) * (1.0 - age);
    let color = if hit.blocked { [235.0, 245.0, 255.0] } else { [255.0, 196.0, 46.0] };
    let white = [255.0, 250.0, 235.0];
    let r = libm::ceilf(reach) as i32;
    let (left, top) = (x as i32, y as i32);
    for row in top - r..=top + r {
        for column in left - r..=left + r {
            let (dx, dy) = (column as f32 + 0.5 - x, row as f32 + 0.5 - y);
            let off = libm::sqrtf(dx * dx + dy * dy) / reach;
            if off >= 1.0 {
                continue;
            }
            // Rays along the axes, shorter ones along the diagonals.
            let straight = dx.abs().min(dy.abs()) / reach;
            let slanted = (dx + dy).abs().min((dx - dy).abs()) * std::f32::consts::FRAC_1_SQRT_2 / reach;
            let ray = |from_axis: f32, length: f32| {
                let width = 0.13 * (1.0 - off / length);
                ((width - from_axis) * reach + 0.5).clamp(0.0, 1.0)
            };
            let star = ray(straight, 1.0).max(ray(slanted, 0.7));
            let glow = (1.0 - off) * (1.0 - off) * 0.55;
            canvas.mix(column, row, color, (star.max(glow) * fade).min(1.0));
            canvas.mix(column, row, white, (1.0 - off / 0.3).clamp(0.0, 1.0) * fade);
        }
    }
}

/// A short text without memory of its own, so that a frame allocates nothing.
#[derive(Default)]
struct ShortText {
    bytes: [u8; 24],
    length: usize,
}

impl ShortText {
    fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..self.length]).unwrap_or("")
    }
}

impl Write for ShortText {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let room = self.bytes.get_mut(self.length..self.length + text.len()).ok_or(std::fmt::Error)?;
        room.copy_from_slice(text.as_bytes());
        self.length += text.len();
        Ok(())
    }
}
