//! Light: a soft key from above the camera's shoulder, a cool fill, and the sky and floor all around.

use glam::Vec3;

/// The lamps of one frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lamps {
    /// Unit vector towards the key light; also where shadows come from.
    pub(super) key: Vec3,
    fill: Vec3,
    eye: Vec3,
}

impl Lamps {
    /// Lamps that travel with the camera's direction, so that bodies are lit well from wherever they are
    /// seen. They turn with it, but do not move with its place.
    pub(super) fn new(eye: Vec3, right: Vec3) -> Lamps {
        // Horizontal, from the scene to the camera.
        let back = right.cross(Vec3::Y);
        let key = (back * 0.55 - right * 0.5 + Vec3::Y * 1.0).normalize();
        let fill = (back * 0.5 + right * 0.9 + Vec3::Y * 0.15).normalize();
        Lamps { key, fill, eye }
    }

    /// Linear light that leaves a surface towards the eye.
    pub(super) fn shade(&self, position: Vec3, normal: Vec3, albedo: Vec3) -> Vec3 {
        const SKY: Vec3 = Vec3::new(0.33, 0.36, 0.41);
        const GROUND: Vec3 = Vec3::new(0.15, 0.135, 0.13);
        const KEY: Vec3 = Vec3::new(1.0, 0.95, 0.87);
        const FILL: Vec3 = Vec3::new(0.15, 0.19, 0.25);
        // Light that wraps a little around the edge looks like a large lamp.
        const WRAP: f32 = 0.12;
        let ambient = GROUND.lerp(SKY, 0.5 + 0.5 * normal.y);
        let key = ((normal.dot(self.key) + WRAP) / (1.0 + WRAP)).max(0.0);
        let fill = normal.dot(self.fill).max(0.0);
        // Near the floor less of the sky is seen.
        let open = 0.62 + 0.38 * (position.y * 2.5).clamp(0.0, 1.0);
        let diffuse = albedo * (ambient * open + KEY * key + FILL * fill);

        let to_eye = (self.eye - position).normalize_or_zero();
        let shine = normal.dot((to_eye + self.key).normalize_or_zero()).max(0.0);
        let (shine2, edge) = (shine * shine, 1.0 - normal.dot(to_eye).max(0.0));
        let (shine4, edge2) = (shine2 * shine2, edge * edge);
        let (shine8, shine16) = (shine4 * shine4, shine4 * shine4 * shine4 * shine4);
        let gloss = 0.045 * shine8 + 0.13 * shine16 * shine16;
        let rim = 0.16 * edge2 * edge2 * (0.5 + 0.5 * normal.y);
        diffuse + Vec3::splat(gloss) + SKY * rim
    }
}

/// Linear light to sRGB, by table.
#[derive(Debug)]
pub(super) struct Encoding {
    table: Vec<f32>,
}

impl Encoding {
    const N: usize = 2048;

    pub(super) fn new() -> Encoding {
        let encode = |linear: f32| match linear {
            dark if dark <= 0.003_130_8 => 12.92 * dark,
            bright => 1.055 * libm::powf(bright, 1.0 / 2.4) - 0.055,
        };
        // The square root of the light is even to the eye, so that the table is fine where it must be.
        let entry = |k: usize| {
            let root = k as f32 / (Self::N - 1) as f32;
            255.0 * encode(root * root)
        };
        Encoding { table: (0..Self::N).map(entry).collect() }
    }

    /// 0 to 255; light beyond 1 is compressed gently rather than cut.
    pub(super) fn encode(&self, linear: Vec3) -> [f32; 3] {
        linear.to_array().map(|light| {
            let light = if light > 0.8 { 0.8 + 0.2 * (light - 0.8) / (light - 0.6) } else { light.max(0.0) };
            let root = libm::sqrtf(light);
            self.table[((root * (Self::N - 1) as f32 + 0.5) as usize).min(Self::N - 1)]
        })
    }
}
