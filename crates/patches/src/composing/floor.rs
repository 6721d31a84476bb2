//! An area of the floor, in squares: what is to be filled with people who lie, and how much of it is.

use randori_motion::Ground;

/// The area: squares that count and squares that do not.
#[derive(Clone, Debug, PartialEq)]
pub struct Floor {
    /// The side of a square (m).
    side: f32,
    n_columns: usize,
    n_rows: usize,
    /// The corner with the least x and z (m).
    corner: Ground,
    is_inside: Vec<bool>,
    /// How far the middle of each square is from that of the nearest one that counts (m).
    outside: Vec<f32>,
}

/// Squares around the picture whose distance from the area is known exactly (m).
const MARGIN: f32 = 3.0;

/// The shadow of a part of a body on the floor: everything within a radius of a line (m).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shadow {
    /// Both ends of the line.
    pub ends: [Ground; 2],
    /// How far around it.
    pub radius: f32,
}

impl Shadow {
    /// The distance of a place from it (m): 0 if the place is in it.
    pub fn from(&self, place: Ground) -> f32 {
        let [a, b] = self.ends;
        let (x, z) = (b.x - a.x, b.z - a.z);
        let length = x * x + z * z;
        let along = if length > 0.0 { ((place.x - a.x) * x + (place.z - a.z) * z) / length } else { 0.0 };
        let along = along.clamp(0.0, 1.0);
        let (x, z) = (a.x + along * x - place.x, a.z + along * z - place.z);
        ((x * x + z * z).sqrt() - self.radius).max(0.0)
    }
}

impl Floor {
    /// An area given row by row, from the row with the least z on, its middle at the origin. `None` if no square counts,
    /// rows are not as long as `n_columns`, or the side is no length.
    pub fn new(side: f32, n_columns: usize, squares: &[bool]) -> Option<Floor> {
        let is_sound =
            side.is_finite() && side > 0.0 && n_columns > 0 && squares.len().is_multiple_of(n_columns);
        if !is_sound || !squares.contains(&true) {
            return None;
        }
        let margin = (MARGIN / side).ceil() as usize;
        let (wide, high) = (n_columns + 2 * margin, squares.len() / n_columns + 2 * margin);
        let mut is_inside = vec![false; wide * high];
        for (row, line) in squares.chunks(n_columns).enumerate() {
            let at = (row + margin) * wide + margin;
            is_inside[at..at + n_columns].copy_from_slice(line);
        }
        let corner = Ground { x: -0.5 * side * wide as f32, z: -0.5 * side * high as f32 };
        let outside = distances(&is_inside, wide, side);
        Some(Floor { side, n_columns: wide, n_rows: high, corner, is_inside, outside })
    }

    /// The side of a square (m).
    pub fn side(&self) -> f32 {
        self.side
    }

    /// The area that is filled (m²).
    pub fn area(&self) -> f32 {
        self.is_inside.iter().filter(|is_inside| **is_inside).count() as f32 * self.side * self.side
    }

    /// The middles of all squares that count (m).
    pub fn places(&self) -> impl Iterator<Item = Ground> + '_ {
        (0..self.is_inside.len()).filter(|at| self.is_inside[*at]).map(|at| self.middle(at))
    }

    /// How far a place is from the nearest square that counts (m), or a little more far away from all of them.
    pub fn outside(&self, place: Ground) -> f32 {
        let (column, row) = (self.column(place.x), self.row(place.z));
        let at = row * self.n_columns + column;
        let known = self.outside[at];
        // No place is farther than this from the middle of its own square; those at the edge do not count.
        if known == 0.0 { 0.0 } else { known + self.middle(at).distance(place) - 0.75 * self.side }
    }

    fn middle(&self, at: usize) -> Ground {
        let (column, row) = (at % self.n_columns, at / self.n_columns);
        Ground {
            x: self.corner.x + (column as f32 + 0.5) * self.side,
            z: self.corner.z + (row as f32 + 0.5) * self.side,
        }
    }

    fn column(&self, x: f32) -> usize {
        nearest((x - self.corner.x) / self.side, self.n_columns)
    }

    fn row(&self, z: f32) -> usize {
        nearest((z - self.corner.z) / self.side, self.n_rows)
    }
}

fn nearest(at: f32, n: usize) -> usize {
    // Below zero is zero, and so is what is no number.
    (at as usize).min(n - 1)
}

/// How far each square is from the nearest one that counts (m).
fn distances(is_inside: &[bool], n_columns: usize, side: f32) -> Vec<f32> {
    let n_rows = is_inside.len() / n_columns;
    let never = (n_columns + n_rows) as u64;
    // Along columns first, then the nearest of all columns for each square of a row.
    let mut along = vec![never; is_inside.len()];
    for column in 0..n_columns {
        let mut pass = |rows: &mut dyn Iterator<Item = usize>| {
            let mut last = never;
            for row in rows {
                let at = row * n_columns + column;
                last = if is_inside[at] { 0 } else { (last + 1).min(never) };
                along[at] = along[at].min(last);
            }
        };
        pass(&mut (0..n_rows));
        pass(&mut (0..n_rows).rev());
    }
    let mut found = Vec::with_capacity(is_inside.len());
    for row in along.chunks(n_columns) {
        for column in 0..n_columns {
            let squared = |(other, down): (usize, &u64)| {
                let across = column.abs_diff(other) as u64;
                across * across + down * down
            };
            let least = row.iter().enumerate().map(squared).min().unwrap_or(0);
            found.push((least as f32).sqrt() * side);
        }
    }
    found
}

/// How much of an area is covered so far.
#[derive(Clone, Debug)]
pub struct Cover<'a> {
    floor: &'a Floor,
    /// How near to a body counts as covered (m).
    within: f32,
    /// By how many each square is covered.
    by: Vec<u16>,
    /// How many squares are left, row by row and altogether.
    open_in_row: Vec<u32>,
    n_open: usize,
}

impl<'a> Cover<'a> {
    /// Nothing is covered yet; whatever is within a distance of a body will be (m).
    pub fn new(floor: &'a Floor, within: f32) -> Cover<'a> {
        let rows = floor.is_inside.chunks(floor.n_columns);
        let open_in_row: Vec<u32> = rows.map(|row| row.iter().map(|it| u32::from(*it)).sum()).collect();
        let n_open = open_in_row.iter().sum::<u32>() as usize;
        Cover { floor, within, by: vec![0; floor.is_inside.len()], open_in_row, n_open }
    }

    /// How many squares are left.
    pub fn n_open(&self) -> usize {
        self.n_open
    }

    fn is_left(&self, at: usize) -> bool {
        self.floor.is_inside[at] && self.by[at] == 0
    }

    /// Whether the square of a place is left.
    pub fn is_open(&self, place: Ground) -> bool {
        let (column, row) = (self.floor.column(place.x), self.floor.row(place.z));
        self.is_left(row * self.floor.n_columns + column)
    }

    /// The middles of the squares that are left (m).
    pub fn open(&self) -> impl Iterator<Item = Ground> + '_ {
        let n = self.floor.n_columns;
        let rows = (0..self.open_in_row.len()).filter(|row| self.open_in_row[*row] > 0);
        let squares = rows.flat_map(move |row| row * n..(row + 1) * n);
        squares.filter(|at| self.is_left(*at)).map(|at| self.floor.middle(at))
    }

    /// The middles of the squares that are left within a distance of a place (m).
    pub fn open_about(&self, place: Ground, within: f32) -> impl Iterator<Item = Ground> + '_ {
        let floor = self.floor;
        let columns = floor.column(place.x - within)..=floor.column(place.x + within);
        let rows = floor.row(place.z - within)..=floor.row(place.z + within);
        let squares =
            rows.flat_map(move |row| columns.clone().map(move |column| row * floor.n_columns + column));
        let left = squares.filter(|at| self.is_left(*at)).map(|at| floor.middle(at));
        left.filter(move |it| it.distance(place) < within)
    }

    /// The area that a body would cover of what is left (m²).
    pub fn gain(&self, body: &[Shadow]) -> f32 {
        let mut n = 0_usize;
        self.touched(body, true, |_| n += 1);
        n as f32 * self.floor.side * self.floor.side
    }

    /// About the area that a body would cover of what is left (m²): by [places](spread) that it covers, of as much floor each
    /// as a square has.
    pub fn about(&self, places: impl Iterator<Item = Ground>) -> f32 {
        places.filter(|place| self.is_open(*place)).count() as f32 * self.floor.side * self.floor.side
    }

    /// A body lies here.
    pub fn cover(&mut self, body: &[Shadow]) {
        let mut touched = Vec::new();
        self.touched(body, false, |at| touched.push(at));
        for at in touched {
            if self.is_left(at) {
                self.open_in_row[at / self.floor.n_columns] -= 1;
                self.n_open -= 1;
            }
            self.by[at] += 1;
        }
    }

    /// A body that was here does not lie here any more.
    pub fn uncover(&mut self, body: &[Shadow]) {
        let mut touched = Vec::new();
        self.touched(body, false, |at| touched.push(at));
        for at in touched {
            self.by[at] = self.by[at].saturating_sub(1);
            if self.is_left(at) {
                self.open_in_row[at / self.floor.n_columns] += 1;
                self.n_open += 1;
            }
        }
    }

    fn touched(&self, body: &[Shadow], is_left: bool, mut found: impl FnMut(usize)) {
        let [low, high] = around(body, self.within);
        if low.x > high.x {
            return;
        }
        let floor = self.floor;
        for row in floor.row(low.z)..=floor.row(high.z) {
            for column in floor.column(low.x)..=floor.column(high.x) {
                let at = row * floor.n_columns + column;
                let place = floor.middle(at);
                let counts = if is_left { self.is_left(at) } else { floor.is_inside[at] };
                if counts && body.iter().any(|shadow| shadow.from(place) < self.within) {
                    found(at);
                }
            }
        }
    }
}

/// Places so far from each other (m) that are within a distance of a body (m).
pub fn spread(body: &[Shadow], within: f32, apart: f32) -> Vec<Ground> {
    let [low, high] = around(body, within);
    let count = |low: f32, high: f32| ((high - low) / apart).ceil().max(0.0) as usize;
    let (n_columns, n_rows) = (count(low.x, high.x), count(low.z, high.z));
    let at = |k: usize| Ground {
        x: low.x + ((k % n_columns) as f32 + 0.5) * apart,
        z: low.z + ((k / n_columns) as f32 + 0.5) * apart,
    };
    let places = (0..n_columns * n_rows).map(at);
    places.filter(|place| body.iter().any(|shadow| shadow.from(*place) < within)).collect()
}

/// The least and the greatest x and z within a distance of a body (m); the least is greater if there is none.
fn around(body: &[Shadow], within: f32) -> [Ground; 2] {
    let mut low = Ground { x: f32::INFINITY, z: f32::INFINITY };
    let mut high = Ground { x: f32::NEG_INFINITY, z: f32::NEG_INFINITY };
    for shadow in body {
        let far = shadow.radius + within;
        for end in shadow.ends {
            low = Ground { x: low.x.min(end.x - far), z: low.z.min(end.z - far) };
            high = Ground { x: high.x.max(end.x + far), z: high.z.max(end.z + far) };
        }
    }
    [low, high]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring() -> Floor {
        // Everything between 2 and 4 m from the middle, in squares of a quarter of a metre.
        let n = 40;
        let at = |k: usize| (k as f32 - 19.5) * 0.25;
        let is_inside = |k: usize| (2.0..4.0).contains(&libm::hypotf(at(k % n), at(k / n)));
        let squares: Vec<bool> = (0..n * n).map(is_inside).collect();
        Floor::new(0.25, n, &squares).unwrap()
    }

    #[test]
    fn distances_from_an_area_are_those_of_its_squares() {
        let floor = ring();
        assert!((floor.area() - std::f32::consts::PI * 12.0).abs() < 1.5, "{}", floor.area());
        for k in 0..200 {
            let k = k as f32;
            let place = Ground { x: 7.0 * libm::sinf(1.3 * k), z: 7.0 * libm::cosf(2.1 * k) };
            let nearest = floor.places().map(|it| it.distance(place)).fold(f32::INFINITY, f32::min);
            let told = floor.outside(place);
            assert!((told - nearest).abs() < 0.5, "{place:?}: {told}, {nearest}");
            assert!(told > 0.0 || nearest < 0.3);
        }
    }

    #[test]
    fn bodies_cover_what_is_near_them_once() {
        let floor = ring();
        let mut cover = Cover::new(&floor, 0.5);
        let all = cover.n_open();
        let body = [Shadow { ends: [Ground { x: 3.0, z: -0.8 }, Ground { x: 3.0, z: 0.8 }], radius: 0.1 }];
        let by_hand = floor.places().filter(|place| body[0].from(*place) < 0.5).count();
        assert!(by_hand > 20);
        assert_eq!(cover.gain(&body), by_hand as f32 * 0.0625);
        let near = Ground { x: 2.5, z: 1.0 };
        let by_hand_near: Vec<Ground> = cover.open().filter(|it| it.distance(near) < 0.9).collect();
        assert_eq!(cover.open_about(near, 0.9).collect::<Vec<_>>(), by_hand_near);
        let about = cover.about(spread(&body, 0.5, 0.25).into_iter());
        assert!((about - cover.gain(&body)).abs() < 0.15 * about, "{about}");
        cover.cover(&body);
        assert_eq!(cover.n_open(), all - by_hand);
        assert_eq!(cover.gain(&body), 0.0);
        assert!(cover.open().all(|place| body[0].from(place) >= 0.5));
        assert_eq!(cover.gain(&[]), 0.0);
        assert!(spread(&[], 0.5, 0.25).is_empty());
        // Whatever two cover is covered until both are gone.
        cover.cover(&body);
        cover.uncover(&body);
        assert_eq!(cover.n_open(), all - by_hand);
        cover.uncover(&body);
        assert_eq!(cover.n_open(), all);
    }

    #[test]
    fn areas_without_squares_or_sizes_are_refused() {
        assert!(Floor::new(0.5, 2, &[false; 4]).is_none());
        assert!(Floor::new(0.5, 3, &[true; 4]).is_none());
        assert!(Floor::new(0.5, 0, &[]).is_none());
        assert!(Floor::new(f32::NAN, 2, &[true; 4]).is_none());
        assert!(Floor::new(0.0, 2, &[true; 4]).is_none());
    }
}
