//! Charts: curves over two axes, for figures of papers.
//!
//! Drawn here, because the field's plotting crates want a font file or the system's fonts for their
//! pictures, and this program carries neither.

use super::{PictureError, png};
use crate::render::overlay::Canvas;
use crate::render::text;

/// Curves over two axes.
///
/// ```
/// use randori_scene::pictures::{Chart, Curve, chart};
/// let curve = Curve { name: "squares".into(), points: vec![(1.0, 1.0), (2.0, 4.0), (3.0, 9.0)] };
/// let png = chart(&Chart { title: "growth".into(), curves: vec![curve], ..Chart::default() }).unwrap();
/// assert!(png.starts_with(b"\x89PNG"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// Above the curves.
    pub title: String,
    /// What the horizontal axis counts.
    pub x_label: String,
    /// What the vertical axis counts.
    pub y_label: String,
    /// Whether the horizontal axis counts powers of ten.
    pub x_is_log: bool,
    /// Whether the vertical axis counts powers of ten.
    pub y_is_log: bool,
    /// The curves. Points that are not finite, or not above zero on an axis of powers, are left out.
    pub curves: Vec<Curve>,
    /// Pixels across and down, from 200 by 150.
    pub size: (u32, u32),
}

/// One curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// What it shows.
    pub name: String,
    /// Its points, joined in this order.
    pub points: Vec<(f64, f64)>,
}

impl Default for Chart {
    fn default() -> Chart {
        Chart {
            title: String::new(),
            x_label: String::new(),
            y_label: String::new(),
            x_is_log: false,
            y_is_log: false,
            curves: Vec::new(),
            size: (800, 500),
        }
    }
}

const INK: [f32; 3] = [44.0, 48.0, 56.0];
const FAINT: [f32; 3] = [205.0, 208.0, 212.0];
/// Told apart by people who see fewer colours, too.
const COLORS: [[f32; 3]; 6] = [
    [30.0, 100.0, 190.0],
    [205.0, 60.0, 45.0],
    [230.0, 150.0, 20.0],
    [30.0, 140.0, 105.0],
    [130.0, 80.0, 160.0],
    [100.0, 105.0, 110.0],
];

/// A chart as a PNG.
pub fn chart(chart: &Chart) -> Result<Vec<u8>, PictureError> {
    let (width, height) = chart.size;
    if !(200..=4096).contains(&width) || !(150..=4096).contains(&height) {
        let (what, expected) = ("the size of a chart", "from 200x150 to 4096x4096");
        return Err(PictureError::Option { what, expected, found: format!("{width}x{height}") });
    }
    let mut page = vec![255; width as usize * height as usize * 3];
    let mut drawing = Drawing {
        canvas: Canvas::new(width, height, &mut page),
        x: Axis::over(
            chart.curves.iter().flat_map(|curve| curve.points.iter().map(|(x, _)| *x)),
            chart.x_is_log,
        ),
        y: Axis::over(
            chart.curves.iter().flat_map(|curve| curve.points.iter().map(|(_, y)| *y)),
            chart.y_is_log,
        ),
        left: 86,
        right: width as i32 - 20,
        top: 34,
        bottom: height as i32 - 48,
    };
    drawing.frame(chart);
    for (curve, color) in chart.curves.iter().zip(COLORS.into_iter().cycle()) {
        drawing.curve(curve, color);
    }
    drawing.legend(&chart.curves);
    png(width, height, &page, png::Compression::Balanced)
}

/// An axis and what it counts.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Axis {
    /// At its ends, as logarithms on an axis of powers.
    low: f64,
    high: f64,
    is_log: bool,
}

impl Axis {
    fn over(values: impl Iterator<Item = f64>, is_log: bool) -> Axis {
        let axis = Axis { low: 0.0, high: 1.0, is_log };
        let (low, high) = (values.filter_map(|value| axis.place(value)))
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| (low.min(at), high.max(at)));
        if low > high {
            return axis;
        }
        // Curves keep away from the frame, and a single value has an axis around it.
        let air = if high > low { 0.04 * (high - low) } else { 0.5 };
        Axis { low: low - air, high: high + air, is_log }
    }

    /// Where a value stands between `low` and `high`; `None` if nowhere.
    fn place(&self, value: f64) -> Option<f64> {
        let at = if self.is_log { libm::log10(value) } else { value };
        at.is_finite().then_some(at)
    }

    /// Round values to mark, and how they are written.
    fn marks(&self) -> Vec<(f64, String)> {
        let span = self.high - self.low;
        let rough = span / 5.0;
        let power = libm::pow(10.0, libm::floor(libm::log10(rough)));
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|step| step * power).find(|step| *step >= rough);
        let step = if self.is_log { step.unwrap_or(1.0).ceil() } else { step.unwrap_or(power) };
        let first = (self.low / step).ceil() as i64;
        let last = (self.high / step).floor() as i64;
        let write = |at: f64| match self.is_log {
            true => format!("1e{at:.0}"),
            false if at == 0.0 => "0".to_owned(),
            false if !(1e-3..1e5).contains(&at.abs()) => format!("{at:.1e}"),
            false => format!("{:.*}", (-libm::floor(libm::log10(step)).min(0.0)) as usize, at),
        };
        (first..=last.min(first + 20)).map(|mark| mark as f64 * step).map(|at| (at, write(at))).collect()
    }

    fn share(&self, at: f64) -> f64 {
        (at - self.low) / (self.high - self.low)
    }
}

struct Drawing<'a> {
    canvas: Canvas<'a>,
    x: Axis,
    y: Axis,
    left: i32,
    right: i32,
    top: i32,
    bottom: i32,
}

impl Drawing<'_> {
    fn frame(&mut self, chart: &Chart) {
        for (at, mark) in self.x.marks() {
            let x = self.left + (self.x.share(at) * f64::from(self.right - self.left)) as i32;
            (self.top..self.bottom).for_each(|y| self.canvas.mix(x, y, FAINT, 1.0));
            self.write(x - text::width(&mark, 1) / 2, self.bottom + 6, 1, &mark);
        }
        for (at, mark) in self.y.marks() {
            let y = self.bottom - (self.y.share(at) * f64::from(self.bottom - self.top)) as i32;
            (self.left..self.right).for_each(|x| self.canvas.mix(x, y, FAINT, 1.0));
            self.write(self.left - 6 - text::width(&mark, 1), y - 3, 1, &mark);
        }
        (self.left..=self.right).for_each(|x| self.canvas.mix(x, self.bottom, INK, 1.0));
        (self.top..=self.bottom).for_each(|y| self.canvas.mix(self.left, y, INK, 1.0));
        self.write(12, 8, 2, &chart.title);
        self.write(self.right - text::width(&chart.x_label, 1), self.bottom + 24, 1, &chart.x_label);
        self.write(self.left + 6, self.top + 2, 1, &chart.y_label);
    }

    fn curve(&mut self, curve: &Curve, color: [f32; 3]) {
        let place = |(x, y): &(f64, f64)| {
            let (x, y) = (self.x.share(self.x.place(*x)?), self.y.share(self.y.place(*y)?));
            let across = f64::from(self.left) + x * f64::from(self.right - self.left);
            Some((across, f64::from(self.bottom) - y * f64::from(self.bottom - self.top)))
        };
        let places: Vec<(f64, f64)> = curve.points.iter().filter_map(place).collect();
        for pair in places.windows(2) {
            self.line(pair[0], pair[1], color);
        }
        if places.len() <= 40 {
            for (x, y) in places {
                for (dx, dy) in (-3..=3i32).flat_map(|dy| (-3..=3i32).map(move |dx| (dx, dy))) {
                    if dx * dx + dy * dy <= 9 {
                        self.canvas.mix(x as i32 + dx, y as i32 + dy, color, 1.0);
                    }
                }
            }
        }
    }

    /// A line two pixels wide.
    fn line(&mut self, from: (f64, f64), to: (f64, f64), color: [f32; 3]) {
        let n_steps = libm::hypot(to.0 - from.0, to.1 - from.1).ceil().max(1.0) as i32;
        for step in 0..=n_steps {
            let share = f64::from(step) / f64::from(n_steps);
            let (x, y) = (from.0 + share * (to.0 - from.0), from.1 + share * (to.1 - from.1));
            for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                self.canvas.mix(x as i32 + dx, y as i32 + dy, color, 0.7);
            }
        }
    }

    fn legend(&mut self, curves: &[Curve]) {
        let widest = curves.iter().map(|curve| text::width(&curve.name, 1)).max().unwrap_or(0);
        let x = self.right - widest - 24;
        for (row, (curve, color)) in curves.iter().zip(COLORS.into_iter().cycle()).take(12).enumerate() {
            let y = self.top + 6 + 13 * row as i32;
            self.line((f64::from(x), f64::from(y + 3)), (f64::from(x + 14), f64::from(y + 3)), color);
            self.write(x + 20, y, 1, &curve.name);
        }
    }

    fn write(&mut self, x: i32, y: i32, scale: i32, words: &str) {
        text::draw(&mut self.canvas, x, y, scale, words, INK);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_marks(values: &[f64], is_log: bool, expected: &[&str]) {
        let marks = Axis::over(values.iter().copied(), is_log).marks();
        let written: Vec<&str> = marks.iter().map(|(_, written)| written.as_str()).collect();
        assert_eq!(written, expected);
    }

    #[test]
    fn axes_are_marked_at_round_values() {
        check_marks(&[0.0, 10.0], false, &["0", "5", "10"]);
        check_marks(&[0.0, 0.4], false, &["0", "0.1", "0.2", "0.3", "0.4"]);
        check_marks(&[1.0, 1e6], true, &["1e0", "1e2", "1e4", "1e6"]);
        check_marks(&[3.0], false, &["2.6", "2.8", "3.0", "3.2", "3.4"]);
        check_marks(&[], false, &["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
    }

    #[test]
    fn curves_leave_ink_and_bad_points_none() {
        let curve = |points| Curve { name: String::new(), points };
        let plain = |points| chart(&Chart { curves: vec![curve(points)], ..Chart::default() }).unwrap();
        let line = vec![(0.0, 0.0), (1.0, 1.0)];
        assert_ne!(plain(line.clone()), plain(vec![(0.0, 1.0), (1.0, 0.0)]));
        let with_bad = vec![(0.0, 0.0), (f64::NAN, 0.5), (0.5, f64::INFINITY), (1.0, 1.0)];
        assert_eq!(plain(line), plain(with_bad));
        assert!(chart(&Chart { size: (1, 1), ..Chart::default() }).is_err());
    }
}
