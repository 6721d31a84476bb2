//! Closed surfaces from rings, with the joints they follow.

use glam::Vec3;
use randori_motion::JointId;

use super::SkinnedMesh;

/// The joints a corner follows, at most two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Weights {
    joints: [u16; 4],
    weights: [f32; 4],
}

impl Weights {
    pub(super) fn rigid(joint: JointId) -> Weights {
        Weights { joints: [joint.0 as u16, 0, 0, 0], weights: [1.0, 0.0, 0.0, 0.0] }
    }

    /// From `a` alone at 0 to `b` alone at 1.
    pub(super) fn blend(a: JointId, b: JointId, share: f32) -> Weights {
        if a == b || share <= 0.0 {
            return Weights::rigid(a);
        }
        if share >= 1.0 {
            return Weights::rigid(b);
        }
        Weights { joints: [a.0 as u16, b.0 as u16, 0, 0], weights: [1.0 - share, share, 0.0, 0.0] }
    }
}

/// One section of a closed surface.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ring {
    pub(super) center: Vec3,
    /// Half axis of the section (m).
    pub(super) across: Vec3,
    /// The other half axis (m); across the first.
    pub(super) deep: Vec3,
    /// 0 for an ellipse, towards 1 for a box with round edges.
    pub(super) corner: f32,
    pub(super) weights: Weights,
}

/// Collects parts into one skin.
#[derive(Default)]
pub(super) struct Sculptor {
    skin: SkinnedMesh,
}

impl Sculptor {
    /// A closed surface through rings. The first and last are the poles: only their centres count.
    pub(super) fn loft(&mut self, rings: &[Ring], n_around: usize, tone: f32) {
        let [first, middle @ .., last] = rings else { return };
        let mut part = Part::default();
        part.push(first.center, first.weights);
        for ring in middle {
            for step in 0..n_around {
                let (sine, cosine) = libm::sincosf(std::f32::consts::TAU * step as f32 / n_around as f32);
                // Pushes the diagonals of the section outwards.
                let bulge = 1.0 + ring.corner * 0.27 * (4.0 * sine * sine * cosine * cosine);
                let out = ring.across * (cosine * bulge) + ring.deep * (sine * bulge);
                part.push(ring.center + out, ring.weights);
            }
        }
        part.push(last.center, last.weights);

        let n = n_around as u32;
        let corner = |ring: u32, step: u32| 1 + ring * n + step % n;
        let pole = part.positions.len() as u32 - 1;
        let last_ring = middle.len() as u32 - 1;
        for step in 0..n {
            part.triangles.push([0, corner(0, step + 1), corner(0, step)]);
            for ring in 0..last_ring {
                let [a, b] = [corner(ring, step), corner(ring, step + 1)];
                let [c, d] = [corner(ring + 1, step), corner(ring + 1, step + 1)];
                part.triangles.extend([[a, b, c], [b, d, c]]);
            }
            part.triangles.push([pole, corner(last_ring, step), corner(last_ring, step + 1)]);
        }
        self.add(part, tone);
    }

    /// An ellipsoid along the world's axes, fixed to one joint.
    pub(super) fn ball(&mut self, center: Vec3, half: Vec3, joint: JointId, n_around: usize, tone: f32) {
        let n_rings = n_around / 2;
        let rings: Vec<Ring> = (0..=n_rings)
            .map(|ring| {
                let (sine, cosine) = libm::sincosf(std::f32::consts::PI * ring as f32 / n_rings as f32);
                Ring {
                    center: center - Vec3::Y * (half.y * cosine),
                    across: Vec3::X * (half.x * sine),
                    deep: Vec3::Z * (half.z * sine),
                    corner: 0.0,
                    weights: Weights::rigid(joint),
                }
            })
            .collect();
        self.loft(&rings, n_around, tone);
    }

    /// A thin octahedron, widest near `from`: how a bone without a body is drawn.
    pub(super) fn double_pyramid(&mut self, from: Vec3, to: Vec3, radius: f32, joint: JointId) {
        let Some(along) = (to - from).try_normalize() else { return };
        let (u, v) = along.any_orthonormal_pair();
        let waist = from.lerp(to, 0.2);
        let corners =
            [from, waist + u * radius, waist + v * radius, waist - u * radius, waist - v * radius, to];
        for step in 0..4 {
            let (a, b) = (1 + step, 1 + (step + 1) % 4);
            // Corners of their own for every face, so that it is shaded flat; the part is still closed.
            for face in [[0, b, a], [5, a, b]] {
                let [p, q, r] = face.map(|corner| corners[corner]);
                self.flat_face([p, q, r], 0.5 * (from + to), Weights::rigid(joint));
            }
        }
    }

    fn flat_face(&mut self, corners: [Vec3; 3], inside: Vec3, weights: Weights) {
        let [a, b, c] = corners;
        let Some(normal) = (b - a).cross(c - a).try_normalize().filter(|_| a.is_finite()) else { return };
        let (corners, normal) =
            if normal.dot(a - inside) < 0.0 { ([a, c, b], -normal) } else { (corners, normal) };
        for corner in corners {
            self.skin.indices.push(self.skin.positions.len() as u32);
            self.push(corner, normal, weights, 1.0);
        }
    }

    fn push(&mut self, position: Vec3, normal: Vec3, weights: Weights, tone: f32) {
        self.skin.positions.push(position);
        self.skin.normals.push(normal);
        self.skin.joints.push(weights.joints);
        self.skin.weights.push(weights.weights);
        self.skin.tones.push(tone);
    }

    /// Adds a part if all its triangles have an area; turned inside out first where its frame was mirrored.
    fn add(&mut self, mut part: Part, tone: f32) {
        let center = part.positions[0];
        let volume: f32 = (part.triangles.iter())
            .map(|corners| {
                let [a, b, c] = corners.map(|corner| part.positions[corner as usize] - center);
                a.dot(b.cross(c))
            })
            .sum();
        if volume < 0.0 {
            part.triangles.iter_mut().for_each(|corners| corners.swap(1, 2));
        }
        let mut normals = vec![Vec3::ZERO; part.positions.len()];
        for corners in &part.triangles {
            let [a, b, c] = corners.map(|corner| part.positions[corner as usize]);
            let area = (b - a).cross(c - a);
            if area.try_normalize().is_none() {
                return;
            }
            corners.iter().for_each(|corner| normals[*corner as usize] += area);
        }
        let unit: Option<Vec<Vec3>> = normals.into_iter().map(Vec3::try_normalize).collect();
        let Some(normals) = unit.filter(|_| volume.is_finite()) else { return };
        let first = self.skin.positions.len() as u32;
        for ((position, weights), normal) in part.positions.iter().zip(&part.weights).zip(normals) {
            self.push(*position, normal, *weights, tone);
        }
        self.skin.indices.extend(part.triangles.iter().flatten().map(|corner| first + corner));
    }

    pub(super) fn finish(self) -> SkinnedMesh {
        self.skin
    }
}

/// One closed surface in the making.
#[derive(Default)]
struct Part {
    positions: Vec<Vec3>,
    weights: Vec<Weights>,
    triangles: Vec<[u32; 3]>,
}

impl Part {
    fn push(&mut self, position: Vec3, weights: Weights) {
        self.positions.push(position);
        self.weights.push(weights);
    }
}
