//! Takes written as GLB and read back: what goes out comes in again, and broken files are refused.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::sync::Arc;

use glam::{Quat, Vec3};
use randori_motion::formats::gltf::{self, Document, ImportedScene, WorldPose};
use randori_motion::formats::{ImportError, ImportOptions};
use randori_motion::take::{CharacterId, ContactForce, PropId, TakeError, Touching};
use randori_motion::{Body, Bone, Character, JointId, Prop, Take};
use randori_scene::export::{ExportError, GlbOptions, glb, joint_positions};
use randori_testkit::{glb as container, takes};
use serde_json::{Value, json};

fn export(take: &Take) -> Vec<u8> {
    glb(take, &GlbOptions::default()).unwrap()
}

fn import(bytes: &[u8]) -> Result<ImportedScene, ImportError> {
    gltf::import("test", bytes, &ImportOptions::default(), &|path| Err(format!("asked for {path}")))
}

/// The largest distance of any joint in any frame between a character and its copy (m).
fn distance(character: &Character, copy: &randori_motion::Clip) -> f32 {
    let (skeleton, other) = (character.clip.skeleton(), copy.skeleton());
    let mut worst = 0.0f32;
    for (pose, copied) in character.clip.frames().zip(copy.frames()) {
        let (pose, copied) = (skeleton.global_pose(pose), other.global_pose(copied));
        for id in skeleton.ids() {
            let same = other.find(&skeleton.joint(id).name).unwrap();
            worst = worst.max(pose.positions[id.idx()].distance(copied.positions[same.idx()]));
        }
    }
    worst
}

#[test]
fn a_take_comes_back_as_it_went() {
    let take = takes::motley();
    let scene = import(&export(&take)).unwrap();
    assert_eq!(scene.seed, Some(7));
    assert_eq!(scene.events, take.events);
    assert_eq!(scene.characters.len(), 3);
    for (character, copy) in take.characters.iter().zip(&scene.characters) {
        let clip = &copy.import.clip;
        assert_eq!(copy.name, character.name);
        assert_eq!(copy.start, character.enter);
        assert_eq!(copy.animation.as_deref(), Some("motley"));
        assert_eq!(clip.rate(), character.clip.rate());
        assert_eq!(clip.n_frames(), character.clip.n_frames());
        assert_eq!(copy.import.warnings, []);
        let worst = distance(character, clip);
        assert!(worst < 1e-5, "{worst} m");
        for joint in character.clip.skeleton().joints() {
            let id = clip.skeleton().find(&joint.name).unwrap();
            let copied = clip.skeleton().joint(id);
            assert_eq!((copied.bone, &copied.tips), (joint.bone, &joint.tips));
            assert!(copied.offset.distance(joint.offset) < 1e-6);
            assert_eq!(copied.translates, joint.translates);
        }
    }
}

/// What a file of ours holds, put together to a take again.
fn take_of(scene: ImportedScene, name: &str) -> Take {
    let mut take = Take::new(name, scene.seed.unwrap());
    for character in scene.characters {
        let clip = character.import.clip;
        let skeleton = Arc::clone(clip.skeleton());
        let body = Arc::new(Body::of(skeleton, character.mass.unwrap(), character.girth.unwrap()));
        let (name, color, enter) = (character.name, character.color.unwrap(), character.start);
        take.characters.push(Character { name, color, body, enter, clip });
    }
    take.props = scene.props;
    take.events = scene.events;
    take.forces = scene.forces;
    take
}

/// The motley take with more forces: on a limb and between things.
fn busy() -> Take {
    let mut take = takes::motley();
    let hand = take.characters[0].clip.skeleton().bone(Bone::RightHand).unwrap();
    let (blue, ball) = (Touching::Character(CharacterId(0), hand), Touching::Prop(PropId(0), JointId::ROOT));
    let leaf = Touching::Prop(PropId(2), JointId(1));
    for (t, on, from) in [(0.8, ball, blue), (0.9, leaf, ball)] {
        take.forces.push(ContactForce { t, on, from, point: Vec3::ONE, force: Vec3::new(1.0, -2.0, 3.5) });
    }
    take.props[1].pieces[0].rotation = Quat::from_rotation_x(0.4);
    take.props[1].pieces[0].center = Vec3::new(0.0, 0.3, -0.1);
    take
}

/// What a force is on or from, by names: the order of joints is the file's.
fn named(take: &Take, touching: Touching) -> (String, String) {
    let (name, clip, joint) = match touching {
        Touching::Floor => return ("floor".to_owned(), String::new()),
        Touching::Character(id, joint) => {
            let character = &take.characters[id.0 as usize];
            (&character.name, &character.clip, joint)
        }
        Touching::Prop(id, joint) => {
            let prop = &take.props[id.0 as usize];
            (&prop.name, &prop.clip, joint)
        }
    };
    (name.clone(), clip.skeleton().joint(joint).name.clone())
}

fn check_same_take(take: &Take, copy: &Take) {
    copy.validate().unwrap();
    assert_eq!((take.seed, &take.events), (copy.seed, &copy.events));
    assert_eq!(take.characters.len(), copy.characters.len());
    for (one, other) in take.characters.iter().zip(&copy.characters) {
        assert_eq!((&one.name, one.color, one.body.girth), (&other.name, other.color, other.body.girth));
        assert!((one.body.total_mass() - other.body.total_mass()).abs() < 1e-4);
        assert!((one.enter - other.enter).abs() < 1e-6);
        assert!(distance(one, &other.clip) < 1e-5);
        for capsule in &one.body.capsules {
            let same = other.body.capsules.iter().find(|same| same.bone == capsule.bone).unwrap();
            assert!((capsule.radius - same.radius).abs() < 1e-6, "{:?} of {}", capsule.bone, one.name);
        }
    }
    assert_eq!(take.props.len(), copy.props.len());
    for (one, other) in take.props.iter().zip(&copy.props) {
        assert_eq!((&one.name, one.color, one.clip.rate()), (&other.name, other.color, other.clip.rate()));
        assert!((one.enter - other.enter).abs() < 1e-6);
        assert_eq!(one.clip.n_frames(), other.clip.n_frames());
        for (pose, copied) in one.clip.frames().zip(other.clip.frames()) {
            for (a, b) in pose.translations.iter().zip(copied.translations) {
                assert!(a.distance(*b) < 1e-5);
            }
            for (a, b) in pose.rotations.iter().zip(copied.rotations) {
                assert!(a.dot(*b).abs() > 1.0 - 1e-6);
            }
        }
        assert_eq!(one.pieces.len(), other.pieces.len());
        for (piece, copied) in one.pieces.iter().zip(&other.pieces) {
            assert_eq!((piece.shape, piece.center), (copied.shape, copied.center));
            assert!(piece.rotation.dot(copied.rotation) > 1.0 - 1e-6);
            let name = |prop: &Prop, joint| prop.clip.skeleton().joint(joint).name.clone();
            assert_eq!(name(one, piece.joint), name(other, copied.joint));
        }
    }
    assert_eq!(take.forces.len(), copy.forces.len());
    for (one, other) in take.forces.iter().zip(&copy.forces) {
        assert_eq!((one.t, one.point, one.force), (other.t, other.point, other.force));
        assert_eq!(named(take, one.on), named(copy, other.on));
        assert_eq!(named(take, one.from), named(copy, other.from));
    }
}

#[test]
fn looks_props_and_forces_come_back() {
    let take = busy();
    check_same_take(&take, &take_of(import(&export(&take)).unwrap(), "motley"));
    // Again and again.
    let copy = take_of(import(&export(&take)).unwrap(), "motley");
    check_same_take(&take, &take_of(import(&export(&copy)).unwrap(), "motley"));
    // Things alone are a take as well.
    let mut things = busy();
    things.characters.clear();
    things.forces.retain(|force| matches!((force.on, force.from), (Touching::Prop(..), Touching::Prop(..))));
    check_same_take(&things, &take_of(import(&export(&things)).unwrap(), "motley"));
}

/// The file of a busy take with one value changed is refused with this message.
fn check_refused(change: impl Fn(&mut Value), expected: &str) {
    let bytes = export(&busy());
    let (json, binary) = container::split(&bytes);
    let mut document: Value = serde_json::from_slice(json).unwrap();
    change(&mut document);
    let error = import(&container::join(document.to_string().as_bytes(), binary)).unwrap_err();
    assert!(error.to_string().contains(expected), "{error}");
}

/// `extras.randori` of the node with this name.
fn extras_of<'a>(document: &'a mut Value, name: &str) -> &'a mut Value {
    let nodes = document["nodes"].as_array_mut().unwrap();
    &mut nodes.iter_mut().find(|node| node["name"] == name).unwrap()["extras"]["randori"]
}

#[test]
fn looks_props_and_forces_must_make_sense() {
    let refused = |name: &'static str, key: &'static str, value: Value, expected: &str| {
        check_refused(|document| extras_of(document, name)[key] = value.clone(), expected);
    };
    refused("blue", "color", json!([0.5, 2.0, 0.0]), "extras.randori.color: expected red, green and blue");
    refused("blue", "mass", json!(-3), "extras.randori.mass: expected kilograms");
    refused("blue", "girth", json!("much"), "extras.randori.girth: expected a ratio");
    refused("ball", "color", json!(7), "extras.randori.color");
    refused("ball", "pieces", json!([{"joint": "ball"}]), "extras.randori.pieces: expected pieces with");
    let piece = |joint: &str, radius: f64| {
        json!([{"joint": joint, "center": [0, 0, 0], "rotation": [0, 0, 0, 1],
            "shape": {"kind": "ball", "radius": radius}}])
    };
    refused("ball", "pieces", piece("leaf", 1.0), "expected joints of the prop, found \"leaf\"");
    refused("ball", "pieces", piece("ball", -1.0), "expected finite sizes");
    check_refused(
        |document| document["extras"]["randori"]["forces"][0]["t"] = json!(-1.0),
        "extras.randori.forces[0]: expected finite numbers and a time not below 0",
    );
    check_refused(
        |document| document["extras"]["randori"]["forces"][1]["on"] = json!("ceiling"),
        "extras.randori.forces[1]: expected a force with",
    );
}

#[test]
fn scales_that_are_none_are_refused() {
    let bytes = export(&takes::creature(3));
    for scale in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let options = ImportOptions { scale: Some(scale), ..ImportOptions::default() };
        assert!(gltf::import("test", &bytes, &options, &|path| Err(path.to_owned())).is_err(), "{scale}");
    }
}

#[test]
fn creatures_of_any_shape_come_back() {
    for seed in 0..40 {
        let take = takes::creature(seed);
        let scene = import(&export(&take)).unwrap();
        let worst = distance(&take.characters[0], &scene.characters[0].import.clip);
        assert!(worst < 1e-5, "creature {seed}: {worst} m");
        assert_eq!(scene.characters[0].start, 0.25);
    }
}

#[test]
fn the_document_shows_every_joint_where_the_take_has_it() {
    let take = takes::motley();
    let document = Document::parse(&export(&take), &|path| Err(path.to_owned())).unwrap();
    let evaluator = document.evaluator(&[0]);
    assert!((evaluator.end() - take.duration()).abs() < 1e-6);
    let frames = [0, 13, 30, 64, 91, 119];
    let expected = joint_positions(&take, 60.0, &frames);
    let mut pose = WorldPose::default();
    let mut n_compared = 0;
    for (at, frame) in frames.iter().enumerate() {
        evaluator.evaluate(*frame as f64 / 60.0, &mut pose);
        for (idx, node) in document.nodes.iter().enumerate() {
            let name = node.name.as_deref().unwrap();
            let Some((character, joint)) = name.split_once('.') else { continue };
            let Some(track) = expected["characters"][character].get(joint) else { continue };
            let place: [f32; 3] = serde_json::from_value(track[at].clone()).unwrap();
            let found = pose.position(idx).as_vec3();
            assert!(found.distance(Vec3::from_array(place)) < 1e-4, "{name} {found} {place:?}");
            n_compared += 1;
        }
    }
    assert_eq!(n_compared, 6 * 3 * 22);
    let randori = document.randori.as_ref().unwrap();
    assert_eq!(randori["version"], 1);
    assert_eq!(randori["forces"][0]["on"]["who"], "red");
    assert_eq!(randori["forces"][0]["from"], "floor");
    // Things are nodes under their own names.
    let names: Vec<&str> = document.nodes.iter().filter_map(|node| node.name.as_deref()).collect();
    for name in ["blue", "blue.hips", "blue.mesh", "ball", "ball.piece0", "door", "door.leaf", "door.piece1"]
    {
        assert_eq!(names.iter().filter(|other| **other == name).count(), 1, "{name}");
    }
}

#[test]
fn the_same_take_gives_the_same_bytes() {
    assert_eq!(export(&takes::motley()), export(&takes::motley()));
}

#[test]
fn keys_share_their_times_and_still_joints_have_none() {
    let mut take = takes::motley();
    take.props.clear();
    take.characters.truncate(2);
    let still = &mut take.characters[0];
    still.clip = still
        .clip
        .map_poses(|_, pose| {
            pose.rotations[3] = glam::Quat::IDENTITY;
            pose.rotations[4] = glam::Quat::from_rotation_x(0.3);
        })
        .unwrap();
    let bytes = export(&take);
    let (json, _) = container::split(&bytes);
    let document: Value = serde_json::from_slice(json).unwrap();
    let animation = &document["animations"][0];
    let inputs: std::collections::BTreeSet<u64> = animation["samplers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|sampler| sampler["input"].as_u64().unwrap())
        .collect();
    // The common times of both, and the single key of the joint that keeps still.
    assert_eq!(inputs.len(), 2);
    assert_eq!(animation["channels"].as_array().unwrap().len(), 2 * 23 - 1);
    let scene = import(&bytes).unwrap();
    assert!(distance(&take.characters[0], &scene.characters[0].import.clip) < 1e-5);
}

#[test]
fn what_cannot_be_exported_is_named() {
    let empty = Take::new("empty", 0);
    assert_eq!(glb(&empty, &GlbOptions::default()), Err(ExportError::Take(TakeError::Empty)));
    let mut take = takes::creature(1);
    take.characters[0].enter = 1e7;
    let error = glb(&take, &GlbOptions::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "\"it\": frames 0 and 1 both fall on 10000000 s in the file's 32-bit times"
    );
}

#[test]
fn tens_of_thousands_of_broken_files_are_survived() {
    let originals: Vec<Vec<u8>> = (0..8).map(|seed| export(&takes::creature(seed))).collect();
    let (mut read, mut refused) = (0, 0);
    for seed in 0..24_000u64 {
        let mutant = container::mutant(&originals[seed as usize / 4 % originals.len()], seed);
        match import(&mutant) {
            Ok(scene) => {
                read += 1;
                for character in &scene.characters {
                    let clip = &character.import.clip;
                    assert!(clip.frames().all(|pose| pose.translations.iter().all(|at| at.is_finite())));
                }
            }
            Err(error) => {
                refused += 1;
                assert!(!error.expected.is_empty() && !error.found.is_empty(), "{error}");
            }
        }
    }
    // Mutants that all die the same death at the door would test nothing.
    assert!(read > 4_000 && refused > 8_000, "{read} read, {refused} refused");
}
