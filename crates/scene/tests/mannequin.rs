//! The mannequin's skin and the meshes of props are sound for any skeleton and shape.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::{Quat, Vec3};
use randori_motion::take::Shape;
use randori_motion::{Body, Bone, Build, Joint, JointId, Skeleton};
use randori_scene::mannequin::{Mesh, SkinnedMesh, mannequin, shape_mesh};
use randori_testkit::toys;

/// Closed and counter-clockwise outside, with unit normals on the right side of every triangle.
fn check_surface(name: &str, positions: &[Vec3], normals: &[Vec3], indices: &[u32]) {
    assert_eq!(positions.len(), normals.len());
    assert_eq!(indices.len() % 3, 0);
    assert!(positions.iter().all(|position| position.is_finite()), "{name}");
    assert!(normals.iter().all(|normal| (normal.length() - 1.0).abs() < 1e-4), "{name}");
    // Hard edges have corners of their own, so that only the place tells what is joined.
    let key = |corner: u32| positions[corner as usize].to_array().map(|x| (x + 0.0).to_bits());
    let mut open: BTreeMap<_, i32> = BTreeMap::new();
    let mut volume = 0.0;
    for corners in indices.chunks(3) {
        let [a, b, c] = [0, 1, 2].map(|k| positions[corners[k] as usize]);
        let area = (b - a).cross(c - a);
        assert!(area.length() > 0.0, "{name}: a triangle without area at {a}");
        let mean: Vec3 = corners.iter().map(|corner| normals[*corner as usize]).sum();
        assert!(area.dot(mean) > 0.0, "{name}: a normal points inwards at {a}");
        volume += a.dot(b.cross(c));
        for k in 0..3 {
            let (from, to) = (key(corners[k]), key(corners[(k + 1) % 3]));
            *open.entry((from.min(to), from.max(to))).or_default() += if from < to { 1 } else { -1 };
        }
    }
    assert!(open.values().all(|count| *count == 0), "{name}: not closed");
    assert!(volume > 0.0, "{name}: inside out");
}

fn check_skin(name: &str, body: &Body) -> SkinnedMesh {
    let skin = mannequin(body);
    check_surface(name, &skin.positions, &skin.normals, &skin.indices);
    let n = skin.positions.len();
    assert_eq!([skin.joints.len(), skin.weights.len(), skin.tones.len()], [n; 3]);
    for (joints, weights) in skin.joints.iter().zip(&skin.weights) {
        assert!((weights.iter().sum::<f32>() - 1.0).abs() < 1e-6, "{name}: {weights:?}");
        assert!(weights.iter().all(|weight| *weight >= 0.0));
        assert!(joints.iter().all(|joint| usize::from(*joint) < body.skeleton.n_joints()));
    }
    assert!(skin.tones.iter().all(|tone| (0.0..=1.0).contains(tone)));
    skin
}

#[test]
fn builds_wear_a_sound_skin_of_moderate_size() {
    for build in [Build::AVERAGE, Build::SLIM, Build::STOCKY] {
        let body = build.body();
        let skin = check_skin("build", &body);
        let n_triangles = skin.indices.len() / 3;
        assert!((2000..=5000).contains(&n_triangles), "{n_triangles}");
        let top = skin.positions.iter().map(|position| position.y).fold(0.0, f32::max);
        let bottom = skin.positions.iter().map(|position| position.y).fold(1.0, f32::min);
        assert!((top / build.height - 1.0).abs() < 0.01, "{top}");
        assert!(bottom.abs() < 0.005, "{bottom}");
    }
}

#[test]
fn the_skin_is_its_own_mirror_image() {
    let skin = mannequin(&Build::AVERAGE.body());
    for position in &skin.positions {
        let mirrored = *position * Vec3::new(-1.0, 1.0, 1.0);
        let nearest = skin.positions.iter().map(|other| other.distance(mirrored)).fold(1.0, f32::min);
        assert!(nearest < 1e-4, "{position} has no mirror image within {nearest} m");
    }
}

#[test]
fn the_face_looks_ahead() {
    let body = Build::AVERAGE.body();
    let skin = mannequin(&body);
    let head = body.skeleton.bone(Bone::Head).unwrap().0 as u16;
    let visor: Vec<Vec3> = (skin.positions.iter().zip(&skin.joints).zip(&skin.tones))
        .filter(|((_, joints), tone)| joints[0] == head && **tone < 0.3)
        .map(|((position, _), _)| *position)
        .collect();
    assert!(visor.len() > 20 && visor.iter().all(|position| position.z > 0.0));
}

#[test]
fn skins_follow_skeletons_with_bones_missing_or_without_length() {
    let full = Build::AVERAGE.skeleton();
    for missing in Bone::ALL.iter().filter(|bone| full.bone(**bone).is_some()) {
        let without = full.with_bones(|joint| joint.bone.filter(|bone| bone != missing)).unwrap();
        check_skin(missing.name(), &Body::of(Arc::new(without), 70.0, 1.0));
        let joints = full.joints().iter().map(|joint| match joint.bone {
            Some(bone) if bone == *missing => Joint { offset: Vec3::ZERO, tips: vec![], ..joint.clone() },
            _ => joint.clone(),
        });
        let short = Skeleton::new(joints.collect()).unwrap();
        check_skin(missing.name(), &Body::of(Arc::new(short), 70.0, 1.0));
    }
    // A person whose rest pose lies down, turned away.
    let mut lying = full.rest_pose();
    lying.rotations[0] = Quat::from_rotation_y(2.0) * Quat::from_rotation_x(1.5);
    let lying = full.with_rest_rotations(&lying.rotations).unwrap();
    check_skin("lying", &Body::of(Arc::new(lying), 70.0, 1.0));
}

#[test]
fn any_tree_of_joints_can_be_seen() {
    for seed in 0..50 {
        let skeleton = toys::random_skeleton(seed, 60);
        let skin = check_skin("tree", &Body::of(Arc::new(skeleton), 70.0, 1.0));
        assert!(!skin.indices.is_empty(), "seed {seed}");
    }
    let point = Skeleton::new(vec![Joint::new("point", None, Vec3::ZERO)]).unwrap();
    assert!(!check_skin("point", &Body::of(Arc::new(point), 70.0, 1.0)).indices.is_empty());
}

#[test]
fn sizes_beyond_reason_leave_parts_out_and_nothing_broken() {
    for scale in [1e-30, 1e-12, 1e-6, 1e6, 1e15, 1e30, 1e38] {
        let joints = Build::AVERAGE.skeleton().joints().to_vec();
        let joints = joints.into_iter().map(|joint| Joint {
            offset: joint.offset * scale,
            tips: joint.tips.iter().map(|tip| *tip * scale).collect(),
            ..joint
        });
        let skin = mannequin(&Body::of(Arc::new(Skeleton::new(joints.collect()).unwrap()), 70.0, 1.0));
        assert!(skin.positions.iter().all(|position| position.is_finite()), "{scale}");
        assert!(skin.normals.iter().all(|normal| (normal.length() - 1.0).abs() < 1e-4), "{scale}");
    }
    let far = vec![
        Joint::new("near", None, Vec3::ZERO),
        Joint::new("far", Some(JointId(0)), Vec3::splat(f32::MAX)),
    ];
    mannequin(&Body::of(Arc::new(Skeleton::new(far).unwrap()), 70.0, 1.0));
}

#[test]
fn shapes_are_as_large_as_they_say() {
    let check = |shape: Shape, expected: Vec3| {
        let Mesh { positions, normals, indices } = shape_mesh(&shape);
        check_surface("shape", &positions, &normals, &indices);
        let high = positions.iter().fold(Vec3::ZERO, |high, position| high.max(*position));
        let low = positions.iter().fold(Vec3::ZERO, |low, position| low.min(*position));
        // Round shapes are polygons: a little inside.
        assert!(((high - low) / expected - 1.0).abs().max_element() < 0.01, "{shape:?}: {low} {high}");
    };
    let half = Vec3::new(0.1, 0.2, 0.3);
    check(Shape::Box { half }, 2.0 * half);
    check(Shape::Ball { radius: 0.11 }, Vec3::splat(0.22));
    check(Shape::Capsule { half_length: 0.5, radius: 0.1 }, Vec3::new(0.2, 1.2, 0.2));
    check(Shape::Capsule { half_length: 0.0, radius: 0.1 }, Vec3::splat(0.2));
    check(Shape::Cylinder { half_length: 0.5, radius: 0.1 }, Vec3::new(0.2, 1.0, 0.2));
}

#[test]
fn shapes_without_size_have_no_triangles() {
    for radius in [0.0, -1.0, f32::NAN, f32::INFINITY, 1e-30] {
        for shape in [
            Shape::Box { half: Vec3::new(1.0, radius, 1.0) },
            Shape::Ball { radius },
            Shape::Capsule { half_length: 1.0, radius },
            Shape::Cylinder { half_length: 1.0, radius },
        ] {
            assert!(shape_mesh(&shape).indices.is_empty() || radius == 1e-30, "{shape:?}");
            assert!(shape_mesh(&shape).normals.iter().all(|normal| normal.is_finite()));
        }
    }
}
