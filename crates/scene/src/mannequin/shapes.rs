//! The pieces of props as triangles.

use std::f32::consts::{FRAC_PI_2, PI, TAU};

use glam::Vec3;
use randori_motion::take::Shape;

use super::Mesh;

/// Triangles of a shape about its own centre.
///
/// A shape with a size that is not finite and above 0 has none; a capsule without length is a ball.
///
/// ```
/// use randori_motion::{math::Vec3, take::Shape};
/// let mesh = randori_scene::mannequin::shape_mesh(&Shape::Box { half: Vec3::ONE });
/// assert_eq!(mesh.indices.len(), 12 * 3);
/// ```
pub fn shape_mesh(shape: &Shape) -> Mesh {
    let mesh = match *shape {
        Shape::Box { half } if half.min_element() > 0.0 => cuboid(half),
        Shape::Ball { radius } if radius > 0.0 => turned(&round_profile(0.0, radius)),
        Shape::Capsule { half_length, radius } if radius > 0.0 && half_length >= 0.0 => {
            turned(&round_profile(half_length, radius))
        }
        Shape::Cylinder { half_length, radius } if radius > 0.0 && half_length > 0.0 => {
            let (top, side) = (Vec3::Y, Vec3::X);
            turned(&[
                Corner { out: 0.0, up: -half_length, normal: -top },
                Corner { out: radius, up: -half_length, normal: -top },
                Corner { out: radius, up: -half_length, normal: side },
                Corner { out: radius, up: half_length, normal: side },
                Corner { out: radius, up: half_length, normal: top },
                Corner { out: 0.0, up: half_length, normal: top },
            ])
        }
        _ => Mesh::default(),
    };
    let sound = |corners: &[u32]| {
        let [a, b, c] = [corners[0], corners[1], corners[2]].map(|corner| mesh.positions[corner as usize]);
        (b - a).cross(c - a).try_normalize().is_some()
    };
    if mesh.indices.chunks(3).all(sound) { mesh } else { Mesh::default() }
}

fn cuboid(half: Vec3) -> Mesh {
    let mut mesh = Mesh::default();
    for (normal, u) in [(Vec3::X, Vec3::Y), (Vec3::Y, Vec3::Z), (Vec3::Z, Vec3::X)] {
        for normal in [normal, -normal] {
            let v = normal.cross(u);
            let first = mesh.positions.len() as u32;
            for (along, across) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
                mesh.positions.push((normal + u * along + v * across) * half);
                mesh.normals.push(normal);
            }
            mesh.indices.extend([0, 1, 2, 0, 2, 3].map(|corner| first + corner));
        }
    }
    mesh
}

/// A corner of the outline that is turned about Y.
#[derive(Clone, Copy)]
struct Corner {
    out: f32,
    up: f32,
    /// In the plane of x and y.
    normal: Vec3,
}

const N_AROUND: u32 = 24;

fn round_profile(half_length: f32, radius: f32) -> Vec<Corner> {
    const N_STEPS: usize = 7;
    let half = |sign: f32, from: f32| {
        (0..=N_STEPS).map(move |step| {
            let (sine, cosine) = libm::sincosf(from + FRAC_PI_2 * step as f32 / N_STEPS as f32);
            // The poles lie on the axis whatever the cosine's rounding.
            let cosine = if cosine.abs() < 1e-6 { 0.0 } else { cosine };
            Corner {
                out: radius * cosine,
                up: radius * sine + sign * half_length,
                normal: Vec3::new(cosine, sine, 0.0),
            }
        })
    };
    let upper = half(1.0, 0.0).skip(usize::from(half_length == 0.0));
    half(-1.0, -FRAC_PI_2).chain(upper).collect()
}

/// An outline from bottom to top turned about Y, closed where it meets the axis.
fn turned(outline: &[Corner]) -> Mesh {
    let mut mesh = Mesh::default();
    for corner in outline {
        for step in 0..N_AROUND {
            // Half a step off, so that the surface is symmetric to both planes through its axis.
            let (sine, cosine) = libm::sincosf(TAU * (step as f32 + 0.5) / N_AROUND as f32 - PI);
            mesh.positions.push(Vec3::new(corner.out * cosine, corner.up, corner.out * sine));
            mesh.normals.push(Vec3::new(corner.normal.x * cosine, corner.normal.y, corner.normal.x * sine));
        }
    }
    for (row, pair) in outline.windows(2).enumerate() {
        let corner = |row: usize, step: u32| row as u32 * N_AROUND + step % N_AROUND;
        for step in 0..N_AROUND {
            let [a, b] = [corner(row, step), corner(row, step + 1)];
            let [c, d] = [corner(row + 1, step), corner(row + 1, step + 1)];
            let same = pair[0].out == pair[1].out && pair[0].up == pair[1].up;
            if pair[0].out > 0.0 && !same {
                mesh.indices.extend([a, c, b]);
            }
            if pair[1].out > 0.0 && !same {
                mesh.indices.extend([b, c, d]);
            }
        }
    }
    mesh
}
