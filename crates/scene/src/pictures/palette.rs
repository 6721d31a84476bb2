//! A palette for pictures with few colours.

/// How many colours a palette holds; one place of 256 is kept for "unchanged".
pub(super) const MAX_COLORS: usize = 255;

/// Colours chosen for a set of pictures, with the nearest one of every colour.
pub(super) struct Palette {
    colors: Vec<[u8; 3]>,
    /// The nearest colour of each cell of the colour cube.
    nearest: Vec<u8>,
}

/// Bits of each channel that tell cells of the colour cube apart.
const BITS: u32 = 6;
const SIDE: usize = 1 << BITS;

/// All colours of one cell that occur.
#[derive(Clone, Copy)]
struct Cell {
    color: [f64; 3],
    weight: f64,
}

/// How often colours occur: for each cell of the colour cube the sum of its colours and their number.
pub(super) struct Histogram(Vec<([u64; 3], u64)>);

impl Histogram {
    pub(super) fn new() -> Histogram {
        Histogram(vec![([0; 3], 0); SIDE * SIDE * SIDE])
    }

    /// Counts the colours of a picture, three bytes per pixel.
    pub(super) fn add(&mut self, picture: &[u8]) {
        for pixel in picture.chunks_exact(3) {
            let (sum, count) = &mut self.0[cell_of([pixel[0], pixel[1], pixel[2]])];
            (0..3).for_each(|k| sum[k] += u64::from(pixel[k]));
            *count += 1;
        }
    }
}

impl Palette {
    /// Splits the colours that occur until there are enough groups, always the group with the largest
    /// spread.
    pub(super) fn of(histogram: &Histogram) -> Palette {
        let cells = histogram.0.iter().filter(|(_, count)| *count > 0).map(|(sum, count)| Cell {
            color: sum.map(|sum| sum as f64 / *count as f64),
            // Backgrounds are large; people are what one looks at.
            weight: libm::pow(*count as f64, 0.6),
        });
        let mut groups = vec![Group::new(cells.collect())];
        while groups.len() < MAX_COLORS {
            // The first of equals, so that the choice does not depend on anything but the colours.
            let mut widest = 0;
            for (place, group) in groups.iter().enumerate() {
                if group.spread > groups[widest].spread {
                    widest = place;
                }
            }
            if groups[widest].spread <= 0.0 {
                break;
            }
            let (low, high) = groups.swap_remove(widest).split();
            groups.extend([low, high]);
        }
        let colors: Vec<[u8; 3]> = groups.iter().map(Group::color).collect();
        let nearest = (0..SIDE * SIDE * SIDE).map(|cell| nearest(&colors, middle_of(cell)));
        Palette { nearest: nearest.collect(), colors }
    }

    /// Red, green and blue of every colour, with a place for "unchanged" after the last.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes: Vec<u8> = self.colors.iter().flatten().copied().collect();
        bytes.resize(256 * 3, 0);
        bytes
    }

    /// The picture in this palette, one byte per pixel.
    ///
    /// A fixed pattern of small nudges hides the steps in smooth backgrounds and stays where it is from
    /// frame to frame.
    pub(super) fn paint(&self, rgb: &[u8], width: usize) -> Vec<u8> {
        /// A Bayer pattern.
        const NUDGES: [[i16; 4]; 4] = [[-8, 0, -6, 2], [4, -4, 6, -2], [-5, 3, -7, 1], [7, -1, 5, -3]];
        let nudge = |part: u8, by: i16| (i16::from(part) + by / 3).clamp(0, 255) as u8;
        let rows = rgb.chunks_exact(width * 3).enumerate();
        rows.flat_map(|(y, row)| {
            row.chunks_exact(3).enumerate().map(move |(x, pixel)| {
                let by = NUDGES[y % 4][x % 4];
                let pixel = [nudge(pixel[0], by), nudge(pixel[1], by), nudge(pixel[2], by)];
                self.nearest[cell_of(pixel)]
            })
        })
        .collect()
    }
}

fn cell_of(color: [u8; 3]) -> usize {
    color.iter().fold(0, |cell, part| cell << BITS | usize::from(*part >> (8 - BITS)))
}

fn middle_of(cell: usize) -> [i32; 3] {
    let part = |shift: u32| ((cell >> shift & (SIDE - 1)) << (8 - BITS)) as i32 + (1 << (7 - BITS));
    [part(2 * BITS), part(BITS), part(0)]
}

/// How much a difference of red, green and blue is seen.
const SEEN: [i32; 3] = [3, 6, 2];

fn nearest(colors: &[[u8; 3]], color: [i32; 3]) -> u8 {
    let distance = |other: &[u8; 3]| {
        let part = |k: usize| {
            let off = color[k] - i32::from(other[k]);
            SEEN[k] * off * off
        };
        part(0) + part(1) + part(2)
    };
    let nearest = colors.iter().enumerate().min_by_key(|(_, other)| distance(other));
    nearest.map_or(0, |(place, _)| place as u8)
}

/// Colours that will share one place of the palette.
struct Group {
    cells: Vec<Cell>,
    mean: [f64; 3],
    /// The channel along which the colours lie farthest apart.
    axis: usize,
    /// Weighted squared distances along that channel.
    spread: f64,
}

impl Group {
    fn new(cells: Vec<Cell>) -> Group {
        let weight: f64 = cells.iter().map(|cell| cell.weight).sum();
        let mean = [0, 1, 2].map(|k| {
            let sum: f64 = cells.iter().map(|cell| cell.weight * cell.color[k]).sum();
            if weight > 0.0 { sum / weight } else { 0.0 }
        });
        let spread = |k: usize| -> f64 {
            let squares =
                cells.iter().map(|cell| cell.weight * (cell.color[k] - mean[k]) * (cell.color[k] - mean[k]));
            f64::from(SEEN[k]) * squares.sum::<f64>()
        };
        let spreads = [spread(0), spread(1), spread(2)];
        let axis = (1..3).fold(0, |axis, k| if spreads[k] > spreads[axis] { k } else { axis });
        let spread = if cells.len() > 1 { spreads[axis] } else { 0.0 };
        Group { cells, mean, axis, spread }
    }

    /// Both sides of the mean; neither is empty, since the spread is above 0.
    fn split(self) -> (Group, Group) {
        let (low, high) =
            self.cells.into_iter().partition(|cell| cell.color[self.axis] <= self.mean[self.axis]);
        (Group::new(low), Group::new(high))
    }

    fn color(&self) -> [u8; 3] {
        self.mean.map(|part| (part + 0.5) as u8)
    }
}
