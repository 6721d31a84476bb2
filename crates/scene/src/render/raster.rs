//! The z-buffer: triangles to samples, samples to pixels.

/// Places on the picture are counted in sixteenths of a sample, so that edges that two triangles share are
/// decided exactly: no gap, no overlap.
const SUB: f32 = 16.0;
/// Corners farther out than this are not drawn: sums would leave 64 bits, and no picture is that large.
const FAR_OUT: f32 = 1e7;

/// A corner on the picture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corner {
    /// In sixteenths of a sample, to the right.
    x: i32,
    /// In sixteenths of a sample, down.
    y: i32,
    /// One over the depth (1/m).
    inv_depth: f32,
    /// sRGB 0 to 255, divided by the depth.
    color: [f32; 3],
}

impl Corner {
    /// A corner at a place in samples; `None` if it is too far out to be drawn.
    pub(super) fn new(x: f32, y: f32, inv_depth: f32, color: [f32; 3]) -> Option<Corner> {
        let (x, y) = (x * SUB, y * SUB);
        let inside = x.abs() < FAR_OUT && y.abs() < FAR_OUT;
        // Not-a-number is not inside either.
        inside.then(|| Corner {
            x: libm::rintf(x) as i32,
            y: libm::rintf(y) as i32,
            inv_depth,
            color: color.map(|part| part * inv_depth),
        })
    }
}

/// Depth and colour of every sample.
#[derive(Debug)]
pub(super) struct Samples {
    width: i32,
    height: i32,
    /// One over the depth of what was drawn so far (1/m).
    depths: Vec<f32>,
    /// sRGB and whether anything was drawn.
    colors: Vec<[u8; 4]>,
    /// Columns and rows drawn to since the last clearing.
    touched: [i32; 4],
}

impl Samples {
    pub(super) fn new(width: u32, height: u32) -> Samples {
        let n = width as usize * height as usize;
        let (width, height) = (width as i32, height as i32);
        Samples {
            width,
            height,
            depths: vec![0.0; n],
            colors: vec![[0; 4]; n],
            touched: [0, 0, width, height],
        }
    }

    /// Forgets what was drawn; in row `y` only what is nearer than `1 / floor(y)` will be seen.
    pub(super) fn clear(&mut self, floor: impl Fn(i32) -> f32) {
        let [left, top, right, bottom] = self.touched;
        for row in top..bottom {
            let row = row as usize * self.width as usize;
            self.colors[row + left as usize..row + right as usize].fill([0; 4]);
        }
        self.touched = [self.width, self.height, 0, 0];
        for (y, row) in self.depths.chunks_exact_mut(self.width as usize).enumerate() {
            row.fill(floor(y as i32));
        }
    }

    /// Draws a triangle whose corners run counter-clockwise on the picture; others are seen from behind.
    pub(super) fn triangle(&mut self, corners: [&Corner; 3]) {
        // Downwards y makes counter-clockwise areas negative: swap two corners.
        let [a, c, b] = corners;
        let double_area = (i64::from(b.x) - i64::from(a.x)) * (i64::from(c.y) - i64::from(a.y))
            - (i64::from(b.y) - i64::from(a.y)) * (i64::from(c.x) - i64::from(a.x));
        if double_area <= 0 {
            return;
        }
        // Samples whose middle, 8 sixteenths in, may lie inside.
        let first = |low: i32| ((low + 7) >> 4).max(0);
        let last = |high: i32, size: i32| ((high - 8) >> 4).min(size - 1);
        let (left, right) = (first(a.x.min(b.x).min(c.x)), last(a.x.max(b.x).max(c.x), self.width));
        let (top, bottom) = (first(a.y.min(b.y).min(c.y)), last(a.y.max(b.y).max(c.y), self.height));
        if left > right || top > bottom {
            return;
        }
        self.touched = [
            self.touched[0].min(left),
            self.touched[1].min(top),
            self.touched[2].max(right + 1),
            self.touched[3].max(bottom + 1),
        ];

        let (x, y) = (left * 16 + 8, top * 16 + 8);
        let edges = [Edge::new(b, c, x, y), Edge::new(c, a, x, y), Edge::new(a, b, x, y)];
        let scale = 1.0 / double_area as f32;
        // What is interpolated, at the first sample and per sample right and down.
        let plane = |at: [f32; 3]| {
            let sum =
                |of: fn(&Edge) -> i64| (0..3).map(|k| at[k] * of(&edges[k]) as f32).sum::<f32>() * scale;
            // The edges' own values lack the rule for shared edges, one unit of 1/256 of a sample.
            (sum(|edge| edge.start + edge.excluded), sum(|edge| edge.right), sum(|edge| edge.down))
        };
        let depth = plane([a.inv_depth, b.inv_depth, c.inv_depth]);
        let color = [0, 1, 2].map(|k| plane([a.color[k], b.color[k], c.color[k]]));

        for row in top..=bottom {
            let down = row - top;
            let mut inside = [0, 1, 2].map(|k| edges[k].start + i64::from(down) * edges[k].down);
            let along = |plane: (f32, f32, f32)| plane.0 + down as f32 * plane.2;
            let (depth_row, color_row) = (along(depth), color.map(along));
            let start = row as usize * self.width as usize;
            let depths = &mut self.depths[start + left as usize..=start + right as usize];
            let colors = &mut self.colors[start + left as usize..=start + right as usize];
            for (step, (nearest, painted)) in depths.iter_mut().zip(colors).enumerate() {
                if inside[0] | inside[1] | inside[2] >= 0 {
                    let step = step as f32;
                    let inv_depth = depth_row + step * depth.1;
                    if inv_depth > *nearest {
                        *nearest = inv_depth;
                        let depth = 1.0 / inv_depth;
                        let part = |k: usize| ((color_row[k] + step * color[k].1) * depth + 0.5) as u8;
                        *painted = [part(0), part(1), part(2), 255];
                    }
                }
                for k in 0..3 {
                    inside[k] += edges[k].right;
                }
            }
        }
    }

    /// Mixes what was drawn over a picture with `side` × `side` samples per pixel, three bytes each.
    pub(super) fn resolve(&self, side: u32, rgb: &mut [u8]) {
        let [left, top, right, bottom] = self.touched.map(|edge| edge as usize);
        if left >= right || top >= bottom {
            return;
        }
        let side = side as usize;
        let (width, all) = (self.width as usize, (side * side) as u32);
        for y in top / side..bottom.div_ceil(side) {
            let row = y * (width / side) * 3;
            for x in left / side..right.div_ceil(side) {
                let mut sum = [0u32; 4];
                for sub in 0..side {
                    let start = (y * side + sub) * width + x * side;
                    for color in &self.colors[start..start + side] {
                        for k in 0..4 {
                            sum[k] += u32::from(color[k]);
                        }
                    }
                }
                let drawn = sum[3] / 255;
                if drawn > 0 {
                    for (k, part) in rgb[row + x * 3..row + x * 3 + 3].iter_mut().enumerate() {
                        *part = ((sum[k] + (all - drawn) * u32::from(*part) + all / 2) / all) as u8;
                    }
                }
            }
        }
    }
}

/// The side of a triangle's edge a sample lies on: not negative inside.
struct Edge {
    start: i64,
    right: i64,
    down: i64,
    /// 1 where a sample exactly on the edge belongs to the neighbour.
    excluded: i64,
}

impl Edge {
    fn new(from: &Corner, to: &Corner, x: i32, y: i32) -> Edge {
        let (dx, dy) = (i64::from(to.x) - i64::from(from.x), i64::from(to.y) - i64::from(from.y));
        let value = dx * (i64::from(y) - i64::from(from.y)) - dy * (i64::from(x) - i64::from(from.x));
        let excluded = i64::from(!(dy < 0 || (dy == 0 && dx > 0)));
        Edge { start: value - excluded, right: -16 * dy, down: 16 * dx, excluded }
    }
}
