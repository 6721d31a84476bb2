//! The linter finds each fault that is put into a clean take, at its frames and of its size.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::sync::Arc;

use glam::{Quat, Vec3};
use randori_motion::formats::gltf::Document;
use randori_motion::{Bone, Build, Character, Clip, FrameRate, Pose, Take};
use randori_scene::check::{Footage, FootageError, Kind, Limits, Report, check};
use randori_scene::export::{GlbOptions, glb};
use randori_testkit::glb as container;
use serde_json::{Value, json};

const N_FRAMES: usize = 120;

/// Somebody who stands still at `place` for two seconds, except for what `fault` does to each frame.
fn character(name: &str, place: Vec3, fault: impl Fn(usize, &mut Pose)) -> Character {
    let body = Arc::new(Build::AVERAGE.body());
    let poses = (0..N_FRAMES).map(|frame| {
        let mut pose = body.skeleton.rest_pose();
        pose.translations[0] += place;
        fault(frame, &mut pose);
        pose
    });
    let clip = Clip::from_poses("stand", Arc::clone(&body.skeleton), FrameRate::HOUSE, poses).unwrap();
    Character { name: name.to_owned(), color: [0.5; 3], body, enter: 0.0, clip }
}

fn report(characters: Vec<Character>) -> Report {
    let mut take = Take::new("faults", 0);
    take.characters = characters;
    check(&Footage::of_take(&take, 60.0).unwrap(), &Limits::default())
}

/// The take has one kind of fault, `expected` bad within a tenth, first seen in the frames given.
fn check_fault(kind: Kind, frames: [usize; 2], expected: f64, fault: impl Fn(usize, &mut Pose)) {
    let report = report(vec![character("blue", Vec3::ZERO, fault)]);
    let finding = report.findings.iter().find(|finding| finding.kind == kind);
    let finding = finding.unwrap_or_else(|| panic!("{kind:?} not found in {:?}", report.findings));
    assert_eq!(finding.frames, frames, "{finding:?}");
    assert!((finding.value / expected - 1.0).abs() < 0.1, "{finding:?}");
    assert!(!report.passes());
}

#[test]
fn standing_still_is_clean() {
    let report = report(vec![character("blue", Vec3::ZERO, |_, _| {})]);
    assert!(report.passes(), "{:?}", report.findings);
    assert_eq!(report.characters[0].feet.contacts, 2);
    assert_eq!(report.seconds, 119.0 / 60.0);
}

#[test]
fn sliding_feet_are_found() {
    let slide = |frame: usize, pose: &mut Pose| {
        pose.translations[0].x += 0.3 * (frame as f32 / 119.0);
    };
    check_fault(Kind::FootSlide, [0, 119], 30.0, slide);
    let report = report(vec![character("blue", Vec3::ZERO, slide)]);
    for skate in &report.characters[0].feet.skate_cm_per_s {
        assert!((skate / (30.0 * 60.0 / 119.0) - 1.0).abs() < 0.01, "{skate}");
    }
}

#[test]
fn sinking_feet_are_found() {
    let height = Build::AVERAGE.height * 0.02;
    check_fault(Kind::FootSink, [60, 79], 5.0, |frame, pose| {
        if (60..80).contains(&frame) {
            pose.translations[0].y -= height + 0.05;
        }
    });
}

#[test]
fn pops_and_jumps_are_found() {
    let jump = |frame: usize, pose: &mut Pose| {
        if frame >= 50 {
            pose.translations[0].z += 1.5;
        }
    };
    check_fault(Kind::RootJump, [49, 49], 90.0, jump);
    check_fault(Kind::Pop, [48, 48], 2700.0, jump);
}

#[test]
fn joints_beyond_their_limits_are_found() {
    let skeleton = Build::AVERAGE.skeleton();
    let bent = |bone: Bone, axis: Vec3, degrees: f32| {
        let joint = skeleton.bone(bone).unwrap();
        move |frame: usize, pose: &mut Pose| {
            let share = if (40..60).contains(&frame) { 1.0 } else { 0.0 };
            pose.rotations[joint.idx()] = Quat::from_axis_angle(axis, share * degrees.to_radians());
        }
    };
    check_fault(Kind::Hyperextension, [40, 59], 40.0, bent(Bone::LeftLowerLeg, -Vec3::X, 40.0));
    check_fault(Kind::Flexion, [40, 59], 170.0, bent(Bone::RightLowerLeg, Vec3::X, 170.0));
    check_fault(Kind::Hyperextension, [40, 59], 40.0, bent(Bone::LeftLowerArm, Vec3::Y, 40.0));
    check_fault(Kind::Hyperextension, [40, 59], 40.0, bent(Bone::RightLowerArm, -Vec3::Y, 40.0));
    // The right way round is no fault, however the person stands.
    let turned = |frame: usize, pose: &mut Pose| {
        bent(Bone::LeftLowerLeg, Vec3::X, 90.0)(frame, pose);
        bent(Bone::RightLowerArm, Vec3::Y, 90.0)(frame, pose);
        pose.rotations[0] = Quat::from_rotation_y(2.0);
    };
    let report = report(vec![character("blue", Vec3::ZERO, turned)]);
    assert!(report.findings.iter().all(|finding| finding.kind != Kind::Hyperextension));
    assert!((report.characters[0].body.knee_flexion_deg_max - 90.0).abs() < 5.0);
}

#[test]
fn bodies_inside_each_other_are_found() {
    let apart = |distance: f32| {
        report(vec![
            character("blue", Vec3::ZERO, |_, _| {}),
            character("red", Vec3::Z * distance, |frame, pose| {
                if frame < 30 {
                    pose.translations[0].z += 1.0;
                }
            }),
        ])
    };
    let near = apart(0.2);
    let pair = &near.pairs[0];
    assert!((pair.core_penetration_cm_max - 6.0).abs() < 0.3, "{pair:?}");
    assert!((pair.frames_core_deeper_3cm_percent - 75.0).abs() < 0.1, "{pair:?}");
    let finding = near.findings.iter().find(|finding| finding.kind == Kind::Penetration).unwrap();
    assert_eq!(finding.frames, [30, 119]);
    assert_eq!(apart(2.0).pairs[0].core_penetration_cm_max, 0.0);
    assert!(apart(4.0).pairs.is_empty());
}

#[test]
fn absent_characters_are_not_measured() {
    let mut late = character("late", Vec3::ZERO, |_, _| {});
    late.enter = 10.0;
    let mut take = Take::new("one after the other", 0);
    take.characters = vec![character("early", Vec3::ZERO, |_, _| {}), late];
    let bytes = glb(&take, &GlbOptions::default()).unwrap();
    let document = Document::parse(&bytes, &|_| Err("no other files".to_owned())).unwrap();
    let (_, from_file) = Footage::of_gltf(&document, 60.0).unwrap().remove(0);
    for footage in [Footage::of_take(&take, 60.0).unwrap(), from_file] {
        let report = check(&footage, &Limits::default());
        assert!(report.pairs.is_empty(), "{:?}", report.pairs);
        assert!(report.passes());
    }
}

/// The exported take with its JSON changed.
fn changed(take: &Take, change: impl FnOnce(&mut Value)) -> Document {
    let bytes = glb(take, &GlbOptions::default()).unwrap();
    let (json, binary) = container::split(&bytes);
    let mut document: Value = serde_json::from_slice(json).unwrap();
    change(&mut document);
    let bytes = container::join(document.to_string().as_bytes(), binary);
    Document::parse(&bytes, &|_| Err("no other files".to_owned())).unwrap()
}

fn two() -> Take {
    let shift = |frame: usize, pose: &mut Pose| pose.translations[0].x += 0.001 * frame as f32;
    let mut take = Take::new("two", 0);
    take.characters = vec![character("blue", Vec3::ZERO, shift), character("red", Vec3::Z * 3.0, shift)];
    take
}

#[test]
fn people_are_found_by_what_the_file_states() {
    let nameless = |document: &mut Value| {
        for (idx, node) in document["nodes"].as_array_mut().unwrap().iter_mut().enumerate() {
            node["name"] = json!(format!("thing {idx}"));
        }
    };
    let (_, footage) = Footage::of_gltf(&changed(&two(), nameless), 60.0).unwrap().remove(0);
    let names: Vec<&str> = footage.performers.iter().map(|performer| performer.name.as_str()).collect();
    assert_eq!(names, ["blue", "red"]);
    assert!(footage.performers[0].bone(Bone::LeftToes).is_some());

    // A table of VRM bones, and nothing else to go by.
    let mut alone = two();
    alone.characters.truncate(1);
    let table_only = |document: &mut Value| {
        nameless(document);
        let mut bones = serde_json::Map::new();
        for (idx, node) in document["nodes"].as_array_mut().unwrap().iter_mut().enumerate() {
            let extras = node.as_object_mut().unwrap().remove("extras").unwrap_or_default();
            if let Some(bone) = extras["randori"]["bone"].as_str() {
                bones.insert(bone.to_owned(), json!({"node": idx}));
            }
        }
        document["extensions"] = json!({"VRMC_vrm": {"humanoid": {"humanBones": bones}}});
    };
    let (_, footage) = Footage::of_gltf(&changed(&alone, table_only), 60.0).unwrap().remove(0);
    assert_eq!(footage.performers.len(), 1);
    assert_eq!(footage.n_frames, N_FRAMES);
    assert!(footage.performers[0].bone(Bone::LeftToes).is_some());

    let nobody = |document: &mut Value| {
        nameless(document);
        for node in document["nodes"].as_array_mut().unwrap() {
            node.as_object_mut().unwrap().remove("extras");
        }
    };
    assert!(matches!(Footage::of_gltf(&changed(&two(), nobody), 60.0), Err(FootageError::Nobody)));
}

/// How the take of two is played after `change` to its animations: the names of each footage and of those
/// who are in it.
fn check_programmes(change: impl Fn(&mut Vec<Value>, &dyn Fn(&str) -> Value), expected: &[(&str, &[&str])]) {
    let document = changed(&two(), |document| {
        let nodes = document["nodes"].clone();
        let all = document["animations"][0].clone();
        // The animation of those nodes alone whose names begin with a word.
        let part = |word: &str| {
            let mut part = all.clone();
            part["name"] = json!(word);
            part["channels"].as_array_mut().unwrap().retain(|channel| {
                let node = &nodes[channel["target"]["node"].as_u64().unwrap() as usize];
                node["name"].as_str().unwrap().starts_with(word)
            });
            part
        };
        change(document["animations"].as_array_mut().unwrap(), &part);
    });
    let played = Footage::of_gltf(&document, 60.0).unwrap();
    let found: Vec<(&str, Vec<&str>)> = (played.iter())
        .map(|(name, footage)| {
            let people = footage.performers.iter().map(|performer| performer.name.as_str());
            (name.as_deref().unwrap_or_default(), people.collect())
        })
        .collect();
    let expected: Vec<(&str, Vec<&str>)> =
        expected.iter().map(|(name, people)| (*name, people.to_vec())).collect();
    assert_eq!(found, expected);
}

#[test]
fn animations_of_the_same_nodes_are_alternatives() {
    let both: &[&str] = &["blue", "red"];
    check_programmes(|_, _| {}, &[("two", both)]);
    // The file twice.
    check_programmes(|animations, _| animations.push(animations[0].clone()), &[("two", both), ("two", both)]);
    // One animation for each character.
    check_programmes(
        |animations, part| *animations = vec![part("blue"), part("red")],
        &[("blue, red", both)],
    );
    // Two for one and one for the other.
    check_programmes(
        |animations, part| *animations = vec![part("blue"), part("blue"), part("red")],
        &[("blue, red", both), ("blue", &["blue"])],
    );
    // Nobody moves red at all: it stands there all the time.
    check_programmes(|animations, part| *animations = vec![part("blue")], &[("blue", both)]);
    check_programmes(|animations, _| animations.clear(), &[("", both)]);
}
