//! Maps of the floor seen from above: squares that are coloured by a number, and arrows.

use super::{PictureError, png};
use crate::render::overlay::Canvas;
use crate::render::text;

/// A number for every square of the floor around the origin, and arrows over it.
#[derive(Clone, Debug, PartialEq)]
pub struct FloorMap {
    /// Above the map.
    pub title: String,
    /// Squares on a side, 1 to 512.
    pub n: usize,
    /// From the middle to the edge (m).
    pub reach: f64,
    /// A number for each square, row by row from +Z to -Z, each from +X to -X; from 0 (purple) to `greatest` (red).
    pub squares: Vec<f64>,
    /// What is red.
    pub greatest: f64,
    /// Arrows, from light to dark by their share.
    pub arrows: Vec<Arrow>,
}

/// An arrow on the floor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrow {
    /// Where it begins (m): x and z.
    pub from: [f64; 2],
    /// Where it points (m).
    pub to: [f64; 2],
    /// How dark it is, 0 to 1.
    pub share: f64,
    /// Which of two colours it has: 0 or 1.
    pub who: usize,
}

/// Pixels on a side of the map, and of the edge around it.
const SIDE: usize = 560;
const EDGE: usize = 34;
const INK: [f32; 3] = [44.0, 48.0, 56.0];
const PEOPLE: [[f32; 3]; 2] = [[205.0, 60.0, 45.0], [30.0, 100.0, 190.0]];
/// From least to most.
const COLORS: [[f32; 3]; 6] = [
    [60.0, 20.0, 95.0],
    [50.0, 75.0, 165.0],
    [40.0, 155.0, 165.0],
    [110.0, 190.0, 90.0],
    [245.0, 205.0, 70.0],
    [215.0, 45.0, 35.0],
];

/// A map as a PNG.
pub fn floor_map(map: &FloorMap) -> Result<Vec<u8>, PictureError> {
    if !(1..=512).contains(&map.n) || map.squares.len() != map.n * map.n {
        let (what, expected) = ("the squares of a map", "n times n, n from 1 to 512");
        return Err(PictureError::Option { what, expected, found: map.squares.len().to_string() });
    }
    let (width, height) = (SIDE + 2 * EDGE, SIDE + 2 * EDGE);
    let mut page = vec![255; width * height * 3];
    let mut canvas = Canvas::new(width as u32, height as u32, &mut page);
    for y in 0..SIDE {
        for x in 0..SIDE {
            let value = map.squares[y * map.n / SIDE * map.n + x * map.n / SIDE];
            let color = color(if map.greatest > 0.0 { value / map.greatest } else { 0.0 });
            canvas.mix((x + EDGE) as i32, (y + EDGE) as i32, color, 1.0);
        }
    }
    let pixel = |[x, z]: [f64; 2]| {
        let at = |metres: f64| EDGE as f64 + 0.5 * SIDE as f64 * (1.0 - metres / map.reach);
        [at(x), at(z)]
    };
    for arrow in &map.arrows {
        draw_arrow(&mut canvas, pixel(arrow.from), pixel(arrow.to), arrow);
    }
    text::draw(&mut canvas, EDGE as i32, 10, 2, &map.title, INK);
    let scale = format!("{:.0} m", 2.0 * map.reach);
    let left = (width as i32 - text::width(&scale, 2)) / 2;
    text::draw(&mut canvas, left, (SIDE + EDGE + 10) as i32, 2, &scale, INK);
    png(width as u32, height as u32, &page, png::Compression::Balanced)
}

fn color(share: f64) -> [f32; 3] {
    let at = share.clamp(0.0, 1.0) * (COLORS.len() - 1) as f64;
    let below = (at as usize).min(COLORS.len() - 2);
    let rest = (at - below as f64) as f32;
    std::array::from_fn(|k| COLORS[below][k] + (COLORS[below + 1][k] - COLORS[below][k]) * rest)
}

fn draw_arrow(canvas: &mut Canvas<'_>, from: [f64; 2], to: [f64; 2], arrow: &Arrow) {
    let share = arrow.share.clamp(0.0, 1.0) as f32;
    let color = PEOPLE[arrow.who % 2];
    let along = [to[0] - from[0], to[1] - from[1]];
    let length = libm::hypot(along[0], along[1]);
    let thick = 1.0 + 2.5 * f64::from(share);
    line(canvas, from, to, thick, color, 0.25 + 0.75 * share);
    if length < 2.0 {
        return;
    }
    let [x, y] = along.map(|it| it / length);
    for side in [-1.0, 1.0] {
        let barb = [to[0] - 9.0 * x + side * 5.0 * y, to[1] - 9.0 * y - side * 5.0 * x];
        line(canvas, to, barb, thick, color, 0.25 + 0.75 * share);
    }
}

fn line(canvas: &mut Canvas<'_>, from: [f64; 2], to: [f64; 2], thick: f64, color: [f32; 3], share: f32) {
    let along = [to[0] - from[0], to[1] - from[1]];
    let squared = (along[0] * along[0] + along[1] * along[1]).max(1e-9);
    let low = |k: usize| libm::floor(from[k].min(to[k]) - thick - 1.0) as i32;
    let high = |k: usize| libm::ceil(from[k].max(to[k]) + thick + 1.0) as i32;
    for y in low(1)..=high(1) {
        for x in low(0)..=high(0) {
            let [dx, dy] = [f64::from(x) - from[0], f64::from(y) - from[1]];
            let at = ((dx * along[0] + dy * along[1]) / squared).clamp(0.0, 1.0);
            let off = libm::hypot(dx - at * along[0], dy - at * along[1]);
            let covered = (0.5 * thick + 0.5 - off).clamp(0.0, 1.0) as f32;
            if covered > 0.0 {
                canvas.mix(x, y, color, covered * share);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_are_drawn_and_what_is_no_map_is_refused() {
        let arrow = Arrow { from: [0.0, 0.0], to: [1.0, 1.0], share: 0.7, who: 0 };
        let map = FloorMap {
            title: "spread".into(),
            n: 2,
            reach: 2.0,
            squares: vec![0.0, 0.3, 0.6, 1.0],
            greatest: 1.0,
            arrows: vec![arrow],
        };
        assert!(floor_map(&map).unwrap().starts_with(b"\x89PNG"));
        assert!(floor_map(&FloorMap { n: 3, ..map }).is_err());
        assert_eq!((color(-1.0), color(2.0)), (COLORS[0], COLORS[5]));
    }
}
