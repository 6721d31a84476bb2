//! The renderer: scratch memory that turns a moment of a stage into pixels.

use glam::{Mat3, Vec3};
use randori_motion::take::Shape;
use randori_motion::{GlobalPose, Pose};

use super::backdrop::{Projection, Rows};
use super::camera::View;
use super::light::{Encoding, Lamps};
use super::overlay;
use super::raster::{Corner, Samples};
use super::shadow::ShadowMap;
use super::stage::{Stage, present, sane_color};
use super::{MAX_SAMPLES, MAX_SIDE, RenderError, Style};

/// Draws frames of one size in one style.
///
/// It keeps its memory from frame to frame and nothing else: the same moment gives the same bytes whatever
/// was drawn before.
#[derive(Debug)]
pub struct Renderer {
    width: u32,
    height: u32,
    style: Style,
    samples: Samples,
    rgb: Vec<u8>,
    rows: Rows,
    encoding: Encoding,
    body: BodyScratch,
    shadows: Vec<ShadowMap>,
}

/// Memory for one body at a time.
#[derive(Debug, Default)]
struct BodyScratch {
    pose: Pose,
    globals: GlobalPose,
    /// `world_from_rest` of every joint.
    carries: Vec<(Mat3, Vec3)>,
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
    /// In the eye's frame (m) and sRGB.
    lit: Vec<(Vec3, [f32; 3])>,
    corners: Vec<Option<Corner>>,
}

/// Nothing nearer than this to the eye is drawn (m).
const NEAR: f32 = 0.05;
/// Walls are cut away up to this far before the nearest person (m), as in an architect's drawing: otherwise
/// an alley would be nothing but its wall.
const CLEARANCE: f32 = 0.6;

impl Renderer {
    /// Memory for pictures of this size (pixels).
    pub fn new(width: u32, height: u32, style: Style) -> Result<Renderer, RenderError> {
        style.validate()?;
        let side = style.quality.samples_per_side();
        let n_samples = u64::from(width) * u64::from(height) * u64::from(side * side);
        let fits = |side: u32| (1..=MAX_SIDE).contains(&side);
        if !fits(width) || !fits(height) || n_samples > MAX_SAMPLES {
            return Err(RenderError::Size { width, height, samples: side * side });
        }
        Ok(Renderer {
            width,
            height,
            style,
            samples: Samples::new(width * side, height * side),
            rgb: vec![0; width as usize * height as usize * 3],
            rows: Rows::default(),
            encoding: Encoding::new(),
            body: BodyScratch::default(),
            shadows: Vec::new(),
        })
    }

    /// The picture's width and height (pixels).
    pub fn size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    /// Draws a moment (s): rows from the top, three bytes of sRGB for each pixel.
    pub fn draw(&mut self, stage: &Stage<'_>, t: f64, view: &View) -> &[u8] {
        let projection = Projection::new(view, self.width, self.height);
        let lamps = Lamps::new(projection.eye, projection.right);
        let side = self.style.quality.samples_per_side();
        // A hair below the floor, so that soles are not torn by rounding.
        self.samples.clear(|row| projection.inv_depth_of_plane((row as f32 + 0.5) / side as f32, -0.004));

        let mut n_shadows = 0;
        let mut next_shadow = |shadows: &mut Vec<ShadowMap>| {
            n_shadows += 1;
            if shadows.len() < n_shadows {
                shadows.push(ShadowMap::default());
            }
            n_shadows - 1
        };
        // How far ahead of the eye the nearest person is (m).
        let mut nearest = f32::INFINITY;
        for (character, skin) in stage.take.characters.iter().zip(&stage.skins) {
            if !present(character.enter, character.exit(), t) {
                continue;
            }
            character.clip.sample_into(t - character.enter, &mut self.body.pose);
            character.body.skeleton.globals_into(self.body.pose.view(), &mut self.body.globals);
            let dressed = &stage.wardrobe[*skin];
            self.body.carry_skin(dressed);
            let albedo = sane_color(character.color);
            let paint = |corner: usize| albedo * dressed.skin.tones[corner];
            self.draw_mesh(&dressed.skin.indices, &projection, &lamps, NEAR, paint);
            let depth = (self.body.globals.positions.iter())
                .map(|joint| projection.to_eye(*joint).z)
                .filter(|depth| *depth > NEAR)
                .fold(f32::INFINITY, f32::min);
            nearest = nearest.min(depth);
            let shadow_idx = next_shadow(&mut self.shadows);
            let shadow = &mut self.shadows[shadow_idx];
            shadow.throw(&self.body.positions, &dressed.skin.indices, lamps.key);
            for capsule in &character.body.capsules {
                let ends = [capsule.a, capsule.b].map(|end| self.body.globals.point(capsule.joint, end));
                for place in [ends[0], 0.5 * (ends[0] + ends[1]), ends[1]] {
                    shadow.touch(place, capsule.radius);
                }
            }
            shadow.finish();
        }
        for (prop, pieces) in stage.take.props.iter().zip(&stage.props) {
            if !present(prop.enter, prop.exit(), t) {
                continue;
            }
            prop.clip.sample_into(t - prop.enter, &mut self.body.pose);
            prop.clip.skeleton().globals_into(self.body.pose.view(), &mut self.body.globals);
            let albedo = sane_color(prop.color);
            for (piece, (joint, mesh)) in prop.pieces.iter().zip(pieces) {
                let at = joint.idx();
                let (position, rotation) = (self.body.globals.positions[at], self.body.globals.rotations[at]);
                let turn = Mat3::from_quat(rotation);
                self.body.positions.clear();
                self.body.positions.extend(mesh.positions.iter().map(|corner| position + turn * *corner));
                self.body.normals.clear();
                self.body.normals.extend(mesh.normals.iter().map(|normal| turn * *normal));
                let cut =
                    if is_wall(&piece.shape) && nearest.is_finite() { nearest - CLEARANCE } else { NEAR };
                self.draw_mesh(&mesh.indices, &projection, &lamps, cut.max(NEAR), |_| albedo);
                let shadow_idx = next_shadow(&mut self.shadows);
                self.shadows[shadow_idx].throw(&self.body.positions, &mesh.indices, lamps.key);
            }
        }

        self.rows.paint(&projection, &self.style, &self.shadows[..n_shadows], &mut self.rgb);
        self.samples.resolve(side, &mut self.rgb);
        let mut canvas = overlay::Canvas::new(self.width, self.height, &mut self.rgb);
        overlay::draw(
            &mut canvas,
            &mut self.body.pose,
            &mut self.body.globals,
            stage,
            t,
            &projection,
            &self.style,
        );
        &self.rgb
    }

    /// Draws the triangles of `body.positions`, painted by corner, as far as they are beyond `near` (m).
    fn draw_mesh(
        &mut self,
        indices: &[u32],
        projection: &Projection,
        lamps: &Lamps,
        near: f32,
        albedo: impl Fn(usize) -> Vec3,
    ) {
        let side = self.style.quality.samples_per_side() as f32;
        let body = &mut self.body;
        body.lit.clear();
        body.corners.clear();
        let corner_at = |in_eye: Vec3, color: [f32; 3]| {
            let [x, y] = projection.pixel(in_eye);
            Corner::new(x * side, y * side, 1.0 / in_eye.z, color)
        };
        for (corner, (position, normal)) in body.positions.iter().zip(&body.normals).enumerate() {
            let in_eye = projection.to_eye(*position);
            let color = self.encoding.encode(lamps.shade(*position, *normal, albedo(corner)));
            body.lit.push((in_eye, color));
            body.corners.push(if in_eye.z > near { corner_at(in_eye, color) } else { None });
        }
        for triangle in indices.chunks_exact(3) {
            let triangle = [triangle[0] as usize, triangle[1] as usize, triangle[2] as usize];
            let [a, b, c] = triangle.map(|corner| &body.corners[corner]);
            if let (Some(a), Some(b), Some(c)) = (a, b, c) {
                self.samples.triangle([a, b, c]);
                continue;
            }
            // Some of it is too near: what is beyond has three or four corners.
            let mut ahead: [Option<Corner>; 4] = [None; 4];
            let mut n_ahead = 0;
            let mut push = |in_eye: Vec3, color: [f32; 3]| {
                ahead[n_ahead] = corner_at(in_eye, color);
                n_ahead += 1;
            };
            for k in 0..3 {
                let ((from, color), (to, next)) = (body.lit[triangle[k]], body.lit[triangle[(k + 1) % 3]]);
                if from.z > near {
                    push(from, color);
                }
                if (from.z > near) != (to.z > near) {
                    let share = (near - from.z) / (to.z - from.z);
                    let cut = from.lerp(to, share);
                    let mixed = std::array::from_fn(|part| color[part] + (next[part] - color[part]) * share);
                    push(Vec3::new(cut.x, cut.y, near), mixed);
                }
            }
            for third in 2..n_ahead {
                if let [Some(a), Some(b), Some(c)] = [&ahead[0], &ahead[third - 1], &ahead[third]] {
                    self.samples.triangle([a, b, c]);
                }
            }
        }
    }
}

/// Whether a piece can hide people who stand behind it from head to foot, wherever they go: a slab that is
/// larger than a person both ways. Cars, doors and beams are not.
fn is_wall(shape: &Shape) -> bool {
    /// Half of the second longest side (m).
    const HALF: f32 = 1.0;
    match shape {
        Shape::Box { half } => half.to_array().iter().filter(|half| **half >= HALF).count() >= 2,
        Shape::Ball { .. } | Shape::Capsule { .. } | Shape::Cylinder { .. } => false,
    }
}

impl BodyScratch {
    /// Carries a skin from its rest pose to the pose of `globals`.
    fn carry_skin(&mut self, dressed: &super::stage::Dressed) {
        let (rest, skin) = (&dressed.rest, &dressed.skin);
        self.carries.clear();
        for joint in 0..rest.positions.len() {
            let rotation = self.globals.rotations[joint] * rest.rotations[joint].inverse();
            let turn = Mat3::from_quat(rotation);
            self.carries.push((turn, self.globals.positions[joint] - turn * rest.positions[joint]));
        }
        self.positions.clear();
        self.normals.clear();
        for (corner, (joints, weights)) in skin.joints.iter().zip(&skin.weights).enumerate() {
            let (position, normal) = (skin.positions[corner], skin.normals[corner]);
            let (turn, shift) = &self.carries[usize::from(joints[0])];
            if weights[0] >= 1.0 {
                self.positions.push(*turn * position + *shift);
                self.normals.push(*turn * normal);
                continue;
            }
            let (mut place, mut out) = (Vec3::ZERO, Vec3::ZERO);
            for (joint, weight) in joints.iter().zip(weights).filter(|(_, weight)| **weight > 0.0) {
                let (turn, shift) = &self.carries[usize::from(*joint)];
                place += (*turn * position + *shift) * *weight;
                out += *turn * normal * *weight;
            }
            self.positions.push(place);
            self.normals.push(out.normalize_or(normal));
        }
    }
}
