//! Shadows on the floor: each body's outline as the key light throws it, softened, and a darker touch
//! where it is close to the floor.

use glam::Vec3;

/// The shadow of one body on a patch of the floor.
#[derive(Debug, Default)]
pub(super) struct ShadowMap {
    /// Side of a texel (m); texels lie on a lattice fixed to the world, so that shadows do not shimmer.
    texel: f32,
    /// The first texel's place on the lattice.
    first: [i32; 2],
    /// Texels along x and z.
    size: [usize; 2],
    /// How dark, 0 to 1.
    dark: Vec<f32>,
    touch: Vec<f32>,
    scratch: Vec<f32>,
    thrown: Vec<[f32; 3]>,
}

/// The finest texel (m).
const TEXEL: f32 = 0.02;
/// Bodies larger than this many texels get coarser ones.
const MAX_TEXELS: f32 = 320.0;
/// Box blurs of this radius are done twice, in texels.
const BLUR: usize = 2;
const MARGIN: i32 = 2 * BLUR as i32 + 8;
/// Beyond this a lattice of 2 cm has no 32-bit numbers (m).
const FAR: f32 = 1e6;

impl ShadowMap {
    /// Throws the triangles of a body onto the floor; `key` points to the light, above the horizon.
    pub(super) fn throw(&mut self, positions: &[Vec3], indices: &[u32], key: Vec3) {
        self.size = [0, 0];
        let slope = [key.x / key.y, key.z / key.y];
        self.thrown.clear();
        let (mut low, mut high) = ([FAR; 2], [-FAR; 2]);
        for position in positions {
            let height = position.y.max(0.0);
            let place = [position.x - slope[0] * height, position.z - slope[1] * height];
            for k in 0..2 {
                low[k] = low[k].min(place[k]);
                high[k] = high[k].max(place[k]);
            }
            // What is high throws a paler shadow, as under a large lamp.
            self.thrown.push([place[0], place[1], 1.0 / (1.0 + 0.45 * height * height)]);
        }
        if !(0..2).all(|k| low[k] <= high[k] && low[k] > -FAR && high[k] < FAR) {
            return;
        }
        self.texel = TEXEL;
        while (high[0] - low[0]).max(high[1] - low[1]) > MAX_TEXELS * self.texel {
            self.texel *= 2.0;
        }
        for k in 0..2 {
            self.first[k] = libm::floorf(low[k] / self.texel) as i32 - MARGIN;
            self.size[k] = (libm::ceilf(high[k] / self.texel) as i32 + MARGIN - self.first[k]) as usize;
        }
        let n = self.size[0] * self.size[1];
        for values in [&mut self.dark, &mut self.touch, &mut self.scratch] {
            values.clear();
            values.resize(n, 0.0);
        }
        for corners in indices.chunks_exact(3) {
            let corners = [0, 1, 2].map(|k| {
                let [x, z, dark] = self.thrown[corners[k] as usize];
                [x / self.texel - self.first[0] as f32, z / self.texel - self.first[1] as f32, dark]
            });
            self.fill(corners);
        }
        for _ in 0..2 {
            blur_rows(&self.dark, &mut self.scratch, self.size[0]);
            blur_columns(&self.scratch, &mut self.dark, self.size[0]);
        }
    }

    /// Darkens the floor below a ball that is close to it.
    pub(super) fn touch(&mut self, center: Vec3, radius: f32) {
        /// The height from which a body no longer darkens the floor below (m).
        const CLOSE: f32 = 0.35;
        let gap = (center.y - radius).max(0.0);
        if self.size[0] == 0 || gap >= CLOSE || radius.is_nan() || radius > 10.0 {
            return;
        }
        let near = 1.0 - gap / CLOSE;
        let strength = 0.75 * near * near;
        let reach = (1.5 * radius + 0.03 + 0.4 * gap) / self.texel;
        let [x, z] = [(center.x, 0), (center.z, 1)].map(|(at, k)| at / self.texel - self.first[k] as f32);
        let range = |at: f32, size: usize| {
            ((at - reach).max(0.0) as usize).min(size)..((at + reach + 1.0).max(0.0) as usize).min(size)
        };
        for row in range(z, self.size[1]) {
            for column in range(x, self.size[0]) {
                let (dx, dz) = (column as f32 + 0.5 - x, row as f32 + 0.5 - z);
                let inside = (1.0 - (dx * dx + dz * dz) / (reach * reach)).max(0.0);
                let texel = &mut self.touch[row * self.size[0] + column];
                *texel = texel.max(strength * inside * inside);
            }
        }
    }

    /// Joins touches and shadow: each lets its share of the light through.
    pub(super) fn finish(&mut self) {
        for (dark, touch) in self.dark.iter_mut().zip(&self.touch) {
            *dark = 1.0 - (1.0 - *dark) * (1.0 - touch);
        }
    }

    /// Adds its darkness to a row of pixels whose places on the floor run straight from `start` by `step`
    /// (m). Where shadows of several bodies meet, the darkest counts.
    pub(super) fn shade_row(&self, start: [f32; 2], step: [f32; 2], shade: &mut [f32]) {
        if self.size[0] == 0 {
            return;
        }
        // In texels, so that whole numbers are the middles of texels.
        let inv = 1.0 / self.texel;
        let at = [0, 1].map(|k| start[k] * inv - self.first[k] as f32 - 0.5);
        let by = step.map(|step| step * inv);
        // The columns between which both coordinates are inside.
        let (mut from, mut to) = (0.0f32, shade.len() as f32);
        for k in 0..2 {
            let last = (self.size[k] - 1) as f32 - 0.01;
            if by[k].abs() < 1e-9 {
                if !(at[k] > 0.0 && at[k] < last) {
                    return;
                }
                continue;
            }
            let (a, b) = (-at[k] / by[k], (last - at[k]) / by[k]);
            from = from.max(a.min(b));
            to = to.min(a.max(b));
        }
        let columns = from as usize + usize::from(from > 0.0)..(to as usize).min(shade.len());
        if columns.start >= columns.end {
            return;
        }
        let width = self.size[0];
        for (column, shade) in columns.clone().zip(&mut shade[columns]) {
            let (x, z) = (at[0] + by[0] * column as f32, at[1] + by[1] * column as f32);
            let (left, top) = (x as usize, z as usize);
            let corner = top * width + left;
            let (Some(upper), Some(lower)) =
                (self.dark.get(corner..corner + 2), self.dark.get(corner + width..corner + width + 2))
            else {
                continue;
            };
            let (right, down) = (x - left as f32, z - top as f32);
            let upper = upper[0] + (upper[1] - upper[0]) * right;
            let lower = lower[0] + (lower[1] - lower[0]) * right;
            *shade = shade.max(upper + (lower - upper) * down);
        }
    }

    /// Fills a thrown triangle of either turn.
    fn fill(&mut self, [a, b, c]: [[f32; 3]; 3]) {
        let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        // Every closed body throws each of its points twice: half of the triangles suffice.
        if area <= 0.0 {
            return;
        }
        let dark = (a[2] + b[2] + c[2]) / 3.0;
        let low = |k: usize| (a[k].min(b[k]).min(c[k]) - 0.5).max(0.0) as usize;
        let high = |k: usize| ((a[k].max(b[k]).max(c[k]) + 0.5) as usize).min(self.size[k]);
        for row in low(1)..high(1) {
            let z = row as f32 + 0.5;
            for column in low(0)..high(0) {
                let x = column as f32 + 0.5;
                let side = |p: [f32; 3], q: [f32; 3]| (q[0] - p[0]) * (z - p[1]) - (q[1] - p[1]) * (x - p[0]);
                if side(a, b) >= 0.0 && side(b, c) >= 0.0 && side(c, a) >= 0.0 {
                    let texel = &mut self.dark[row * self.size[0] + column];
                    *texel = texel.max(dark);
                }
            }
        }
    }
}

const WINDOW: f32 = 1.0 / (2 * BLUR + 1) as f32;

/// The margin keeps everything `BLUR` texels away from the edges, where nothing is written.
fn blur_rows(from: &[f32], to: &mut [f32], width: usize) {
    for (from, to) in from.chunks_exact(width).zip(to.chunks_exact_mut(width)) {
        for (window, to) in from.windows(2 * BLUR + 1).zip(&mut to[BLUR..]) {
            *to = window.iter().sum::<f32>() * WINDOW;
        }
    }
}

fn blur_columns(from: &[f32], to: &mut [f32], width: usize) {
    let n_rows = from.len() / width;
    for row in BLUR..n_rows - BLUR {
        let to = &mut to[row * width..][..width];
        to.fill(0.0);
        for near in row - BLUR..=row + BLUR {
            for (to, from) in to.iter_mut().zip(&from[near * width..][..width]) {
                *to += from * WINDOW;
            }
        }
    }
}
