//! Writes a toy take as a GLB and, beside it, the joint positions it should show: what the checks by
//! other programs (`.ci/blender_check.py`, `.ci/validate_glb.mjs`) start from.
//!
//! `cargo run -p randori-scene --example toy_take -- OUT.glb OUT.json`

use std::path::PathBuf;
use std::sync::Arc;

use glam::{Quat, Vec3};
use randori_motion::take::{ContactForce, Piece, Shape, Touching};
use randori_motion::{
    Body, Bone, Build, Character, CharacterId, Clip, Event, EventKind, FrameRate, Joint, JointId, Prop,
    Skeleton, Take,
};
use randori_scene::export::{GlbOptions, glb, joint_positions};
use randori_scene::files;
use randori_testkit::toys;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [glb_path, json_path] = paths.as_slice() else {
        return Err("usage: toy_take OUT.glb OUT.json".into());
    };
    let take = toy_take();
    files::write_atomically(glb_path, &glb(&take, &GlbOptions::default())?)?;
    let positions = joint_positions(&take, 60.0, &[0, 1, 17, 45, 60, 90, 119]);
    files::write_atomically(json_path, positions.to_string().as_bytes())?;
    Ok(())
}

/// Three people of different builds and rates, one of whom comes late and leaves early, a ball, a sword
/// and a door.
fn toy_take() -> Take {
    let mut take = Take::new("toy", 7);
    for (number, (name, build, color, enter, n_frames)) in [
        ("blue", Build::AVERAGE, [0.05, 0.2, 0.8], 0.0, 120),
        ("red", Build::STOCKY, [0.8, 0.1, 0.05], 0.0, 120),
        ("late", Build::SLIM, [0.1, 0.6, 0.2], 0.5, 61),
    ]
    .into_iter()
    .enumerate()
    {
        let body: Arc<Body> = Arc::new(build.body());
        let clip = toys::wriggling(Arc::clone(&body.skeleton), number as u64, n_frames)
            .map_poses(|_, pose| pose.translations[0] += Vec3::X * 1.5 * number as f32)
            .expect("finite numbers");
        let clip = if name == "late" { clip.resampled(FrameRate::new(30, 1).expect("a rate")) } else { clip };
        take.characters.push(Character { name: name.to_owned(), color, body, enter, clip });
    }
    take.props.push(prop("ball", 0.0, Shape::Ball { radius: 0.12 }));
    take.props.push(prop("sword", 0.25, Shape::Capsule { half_length: 0.4, radius: 0.02 }));
    take.props.push(door());
    let mut hit = Event::new(0.75, EventKind::Hit);
    hit.who = Some("blue".to_owned());
    hit.whom = Some("red".to_owned());
    hit.part = Some(Bone::RightHand.name().to_owned());
    hit.speed = Some(6.5);
    take.events = vec![Event::new(0.0, EventKind::Phase), hit];
    take.forces.push(ContactForce {
        t: 0.75,
        on: Touching::Character(CharacterId(1), JointId::ROOT),
        from: Touching::Floor,
        point: Vec3::ZERO,
        force: Vec3::Y * 700.0,
    });
    take
}

fn prop(name: &str, enter: f64, shape: Shape) -> Prop {
    let skeleton = Skeleton::new(vec![Joint::new(name, None, Vec3::Y)]).expect("one joint");
    let piece = Piece { joint: JointId::ROOT, center: Vec3::ZERO, rotation: Quat::IDENTITY, shape };
    let clip = toys::wriggling(Arc::new(skeleton), 40 + name.len() as u64, 60);
    Prop { name: name.to_owned(), color: [0.8, 0.7, 0.1], pieces: vec![piece], enter, clip }
}

/// An articulated prop: a leaf that turns on a post.
fn door() -> Prop {
    let joints = vec![
        Joint::new("post", None, Vec3::new(-1.5, 1.0, 0.0)),
        Joint::new("leaf", Some(JointId(0)), Vec3::ZERO),
    ];
    let skeleton = Arc::new(Skeleton::new(joints).expect("two joints"));
    let poses = (0..120).map(|frame| {
        let mut pose = skeleton.rest_pose();
        pose.rotations[1] = Quat::from_rotation_y(frame as f32 / 80.0);
        pose
    });
    let clip =
        Clip::from_poses("swing", Arc::clone(&skeleton), FrameRate::HOUSE, poses).expect("finite numbers");
    let piece =
        |joint, center, shape| Piece { joint: JointId(joint), center, rotation: Quat::IDENTITY, shape };
    let pieces = vec![
        piece(0, Vec3::ZERO, Shape::Cylinder { half_length: 1.0, radius: 0.05 }),
        piece(1, Vec3::X * 0.45, Shape::Box { half: Vec3::new(0.4, 0.95, 0.02) }),
    ];
    Prop { name: "door".to_owned(), color: [0.5, 0.3, 0.1], pieces, enter: 0.0, clip }
}
