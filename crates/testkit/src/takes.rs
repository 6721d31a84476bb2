//! Toy takes: people and things that wriggle, for exporters and viewers to be tried on.

use std::sync::Arc;

use glam::{Quat, Vec3};
use randori_motion::take::{ContactForce, Piece, Shape, Touching};
use randori_motion::{
    Body, Bone, Build, Character, CharacterId, Clip, Event, EventKind, FrameRate, Joint, JointId, Prop,
    Skeleton, Take,
};

use crate::toys;

/// Three people of different builds and rates, one of whom comes late and leaves early, a ball, a sword
/// and a door on its post, with two events and a force.
pub fn motley() -> Take {
    let mut take = Take::new("motley", 7);
    take.characters = vec![
        character("blue", Build::AVERAGE, [0.05, 0.2, 0.8], 0, 120),
        character("red", Build::STOCKY, [0.8, 0.1, 0.05], 1, 120),
        character("late", Build::SLIM, [0.1, 0.6, 0.2], 2, 61),
    ];
    let late = &mut take.characters[2];
    late.enter = 0.5;
    late.clip = late.clip.resampled(FrameRate::new(30, 1).expect("a rate"));
    take.props = vec![
        prop("ball", 0.0, Shape::Ball { radius: 0.12 }),
        prop("sword", 0.25, Shape::Capsule { half_length: 0.4, radius: 0.02 }),
        door(),
    ];
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

/// A creature of a few joints, some of which translate, for ten frames: a take of few bytes.
pub fn creature(seed: u64) -> Take {
    let skeleton = Arc::new(toys::random_skeleton(seed, 6));
    let body = Arc::new(Body::of(Arc::clone(&skeleton), 10.0, 1.0));
    let clip = toys::wriggling(skeleton, seed, 10);
    let mut take = Take::new("creature", seed);
    take.characters.push(Character { name: "it".to_owned(), color: [0.5; 3], body, enter: 0.25, clip });
    take.events.push(Event::new(0.3, EventKind::Footstep));
    take
}

fn character(name: &str, build: Build, color: [f32; 3], number: u64, n_frames: usize) -> Character {
    let body = Arc::new(build.body());
    let clip = toys::wriggling(Arc::clone(&body.skeleton), number, n_frames)
        .map_poses(|_, pose| pose.translations[0] += Vec3::X * 1.5 * number as f32)
        .expect("finite numbers");
    Character { name: name.to_owned(), color, body, enter: 0.0, clip }
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
