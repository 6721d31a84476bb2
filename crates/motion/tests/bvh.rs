//! BVH in and out: what is read, what is guessed, and that nothing is lost on the way round.
#![allow(clippy::unwrap_used, reason = "a test that unwraps in vain fails, as it should")]

use std::sync::Arc;

use randori_motion::formats::bvh::{self, Document, RotationOrder, WriteOptions};
use randori_motion::formats::{Basis, Import, ImportOptions, UpAxis};
use randori_motion::math::{DVec3, Quat, Vec3};
use randori_motion::{Clip, FrameRate, Joint, JointId, Skeleton};
use randori_testkit::{shared, toys};

fn read(path: &std::path::Path) -> Vec<u8> {
    #[expect(clippy::disallowed_methods, reason = "tests open the files they check")]
    std::fs::read(path).unwrap()
}

fn import(text: &str, options: ImportOptions) -> Import {
    bvh::import("test", text.as_bytes(), &options).unwrap()
}

const METRES: ImportOptions = ImportOptions { scale: Some(1.0), rate: None, up: Some(UpAxis::Y) };

/// World positions of all joints and tips of one frame, in metres.
fn world(clip: &Clip, frame: usize) -> Vec<(String, Vec3)> {
    let globals = clip.skeleton().global_pose(clip.frame(frame));
    let joints = clip.skeleton().joints().iter().zip(clip.skeleton().ids());
    let mut points: Vec<(String, Vec3)> = joints
        .flat_map(|(joint, id)| {
            let tips = joint.tips.iter().enumerate();
            let tips = tips.map(move |(at, tip)| (format!("{}#{at}", joint.name), *tip));
            [(joint.name.clone(), Vec3::ZERO)]
                .into_iter()
                .chain(tips)
                .map(move |(name, point)| (name, id, point))
        })
        .map(|(name, id, point)| (name, globals.point(id, point)))
        .collect();
    points.sort_by(|a, b| a.0.cmp(&b.0));
    points
}

/// The largest distance between the same points of two clips, every `step` frames.
fn widest_gap(a: &Clip, b: &Clip, step: usize) -> f32 {
    assert_eq!((a.n_frames(), a.rate()), (b.n_frames(), b.rate()));
    let mut gap = 0.0f32;
    for frame in (0..a.n_frames()).step_by(step) {
        for ((name, p), (other, q)) in world(a, frame).into_iter().zip(world(b, frame)) {
            assert_eq!(name, other);
            gap = gap.max((p - q).length());
        }
    }
    gap
}

#[test]
fn forward_kinematics_agree_with_the_reference() {
    let Some(path) = shared::path("data/cmu/fk_reference.json") else { return };
    let reference: serde_json::Value = serde_json::from_slice(&read(&path)).unwrap();
    let names = reference["joint_order"].as_array().unwrap();
    let mut n_points = 0;
    let mut widest = 0.0f64;
    for take in reference["takes"].as_object().unwrap().values() {
        let file = take["file"].as_str().unwrap();
        let bytes = read(&path.with_file_name(file));
        let document = Document::parse(&bytes).unwrap();
        let clip = bvh::import_document("take", &document, &ImportOptions::default()).unwrap().clip;
        assert!(document.point_names().iter().eq(names.iter().map(|name| name.as_str().unwrap())));
        let frames = take["frames"].as_array().unwrap().iter();
        for (frame, points) in frames.zip(take["positions"].as_array().unwrap()) {
            let frame = frame.as_u64().unwrap() as usize;
            let ours = document.world_positions(frame).unwrap();
            let points = points.as_array().unwrap();
            assert_eq!(ours.len(), points.len());
            for (ours, theirs) in ours.iter().zip(points) {
                let theirs: Vec<f64> =
                    theirs.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
                widest = widest.max((*ours - DVec3::from_slice(&theirs)).length());
                n_points += 1;
            }
            if frame > 0 {
                let scale = 0.0254 / 0.45;
                let in_clip = world(&clip, frame - 1);
                for (name, point) in document.point_names().iter().zip(&ours) {
                    let (joint, is_tip) =
                        name.strip_suffix("_end").map_or((name.as_str(), false), |n| (n, true));
                    let name = if is_tip { format!("{joint}#0") } else { joint.to_owned() };
                    let found = in_clip.iter().find(|(other, _)| *other == name).unwrap().1;
                    assert!((found.as_dvec3() - *point * scale).length() < 1e-5, "{file} {frame} {name}");
                }
            }
        }
    }
    println!("{n_points} points, at most {widest:.2e} units apart");
    assert!(n_points > 700 && widest < 1e-4, "{n_points} {widest}");
}

#[test]
fn every_cmu_take_comes_in_as_it_should_and_goes_round() {
    let mut widest = 0.0f32;
    for path in shared::cmu_takes() {
        let bytes = read(&path);
        let document = Document::parse(&bytes).unwrap();
        let import = bvh::import_document("take", &document, &ImportOptions::default()).unwrap();
        assert_eq!(import.warnings, [], "{path:?}");
        assert_eq!(import.source.metres_per_unit, 0.0254 / 0.45, "{path:?}");
        assert_eq!(import.source.scale_basis, Basis::Detected);
        assert_eq!(import.source.stated_frame_time, Some(0.0083333));
        assert_eq!((import.source.up, import.source.frames_skipped), (UpAxis::Y, 1), "{path:?}");
        assert_eq!(import.clip.rate(), FrameRate::new(120, 1).unwrap());
        assert_eq!(import.clip.n_frames(), document.n_frames() - 1);

        let detection = randori_motion::names::detect(import.clip.skeleton());
        assert_eq!(
            (detection.map, detection.missing),
            ("roles", vec![]),
            "{path:?}: all bones have their roles"
        );
        let rest = import.clip.skeleton().rest_pose();
        let rest = import.clip.skeleton().global_pose(rest.view());
        let at = |name: &str| rest.positions[import.clip.skeleton().find(name).unwrap().idx()];
        let height = at("Head").y - at("LeftToeBase").y;
        assert!((1.0..1.9).contains(&height), "{path:?}: {height}");
        assert!(at("LeftHand").x > 0.4 && at("RightHand").x < -0.4, "{path:?}: a T-pose");
        assert!(at("LeftToeBase").y.abs() < 0.1, "{path:?}: on the floor");

        let options = WriteOptions { metres_per_unit: 0.0254 / 0.45, ..WriteOptions::default() };
        let text = bvh::write(&import.clip, &options).unwrap();
        let back = bvh::import("take", text.as_bytes(), &ImportOptions::default()).unwrap();
        assert_eq!(back.source.frames_skipped, 0, "{path:?}");
        widest = widest.max(widest_gap(&import.clip, &back.clip, 7));

        let with_rest = WriteOptions { rest_row: true, ..options };
        let text = bvh::write(&import.clip, &with_rest).unwrap();
        let back = bvh::import("take", text.as_bytes(), &ImportOptions::default()).unwrap();
        assert_eq!(back.source.frames_skipped, 1, "{path:?}");
        for (ours, theirs) in import.clip.skeleton().joints().iter().zip(back.clip.skeleton().joints()) {
            let angle = randori_motion::math::angle_between(ours.rest_rotation, theirs.rest_rotation);
            assert!(angle < 1e-3, "{path:?} {}: {angle}", ours.name);
        }
    }
    println!("widest gap after BVH -> clip -> BVH -> clip: {widest:.2e} m");
    assert!(widest < 1e-4, "{widest}");
}

#[test]
fn a_document_and_its_text_are_the_same() {
    let texts = shared::cmu_takes().into_iter().take(3).map(|path| read(&path));
    let toys = (0..20).map(|seed| {
        let clip = toys::wriggling(Arc::new(toys::random_skeleton(seed, 12)), seed, 5);
        bvh::write(&clip, &WriteOptions::default()).unwrap().into_bytes()
    });
    let odd = b"hierarchy root a b\n{ offset 1e-9 -0 .5 channels 2 xrotation yposition joint c {offset 0 0 0
        channels 0 } } motion frames 2 frame time 1e-7\n\n 1e-20 3.3333333333333335 \n 5 0.1\n"
        .to_vec();
    for bytes in texts.chain(toys).chain([odd]) {
        let document = Document::parse(&bytes).unwrap();
        assert_eq!(Document::parse(document.to_text().as_bytes()).unwrap(), document);
    }
}

#[test]
fn random_skeletons_go_round_in_every_mix_of_orders() {
    let mut widest = 0.0f32;
    for seed in 0..200 {
        let skeleton = Arc::new(toys::random_skeleton(seed, 24));
        let clip = toys::wriggling(Arc::clone(&skeleton), seed, 12);
        let clip = clip
            .map_poses(|frame, pose| {
                for (at, translation) in pose.translations.iter_mut().enumerate() {
                    *translation += Vec3::new(0.1, -0.2, 0.05) * ((frame + at) as f32 * 0.7).sin();
                }
            })
            .unwrap();
        let orders: Vec<RotationOrder> =
            (0..skeleton.n_joints()).map(|joint| RotationOrder::ALL[(joint + seed as usize) % 6]).collect();
        let metres_per_unit = [1.0, 0.01, 0.0254, 0.001][seed as usize % 4];
        let options = WriteOptions { metres_per_unit, orders: orders.clone(), rest_row: false };
        let document = Document::from_clip(&clip, &options).unwrap();
        for node in document.nodes() {
            let joint = skeleton.find(&node.name).unwrap();
            assert_eq!(RotationOrder::of(node), orders[joint.idx()]);
        }
        let force = ImportOptions { scale: Some(metres_per_unit), ..METRES };
        let back = bvh::import("toy", document.to_text().as_bytes(), &force).unwrap();
        widest = widest.max(widest_gap(&clip, &back.clip, 1));
    }
    println!("widest gap of 200 random skeletons: {widest:.2e} m");
    assert!(widest < 2e-5, "{widest}");
}

/// A half turn is what gimbal lock may cost; a whole one would be a jump for no reason.
#[test]
fn written_angles_do_not_jump() {
    let clip = toys::wriggling_person(5, 600);
    let spin = clip
        .map_poses(|frame, pose| {
            let turn = Quat::from_rotation_y(frame as f32 * 0.05);
            pose.rotations[0] = turn * pose.rotations[0];
        })
        .unwrap();
    let document = Document::from_clip(&spin, &WriteOptions::default()).unwrap();
    for frame in 1..document.n_frames() {
        let (before, after) = (document.frame(frame - 1).unwrap(), document.frame(frame).unwrap());
        for (before, after) in before.iter().zip(after) {
            assert!((before - after).abs() < 180.0, "row {frame}: {before} {after}");
        }
    }
}

/// Three joints whose channels differ in order and count; the numbers are worked out by hand.
#[test]
fn each_joint_has_channels_of_its_own() {
    let text = "\u{feff}hierarchy\r\nRoot hips\r\n{\r\n\toffset 1 2 3\r\n\tChannels 3 YROTATION yposition Xposition\r\n\
        \tjoint a {\n offset 0 1 0\n channels 1 Zrotation\n joint b\n {\n offset 1 0 0\n channels 4 Zposition \
        Xrotation Xposition Yposition\nEnd site tip\n{ offset 0 0 2 }\nEND SITE\n{ offset 0 0 1 } } } }\n\
        MOTION\nFrames:2\nFrameTime:.5\n\n90 +5e0 .7E1 9.0e1 -1. 90 1 2\r\n\r\n\n0\t0\t0 0 0 0 0 0\n \n\n";
    let document = Document::parse(text.as_bytes()).unwrap();
    assert_eq!(document.point_names(), ["hips", "a", "b", "b_end", "b_end2"]);
    let expected = [
        // The root stands at x = 7 and y = 5 by its channels, at z = 3 by its offset, and faces +X.
        DVec3::new(7.0, 5.0, 3.0),
        DVec3::new(7.0, 6.0, 3.0),
        // b at (1, 2, -1) in a; a's quarter turn about z makes that (-2, 1, -1); the root's about y (-1, 1, 2).
        DVec3::new(6.0, 7.0, 5.0),
        // z by b's quarter turn about x: -y; by a's about z: x; by the root's about y: -z.
        DVec3::new(6.0, 7.0, 3.0),
        DVec3::new(6.0, 7.0, 4.0),
    ];
    for (ours, expected) in document.world_positions(0).unwrap().iter().zip(expected) {
        assert!((*ours - expected).length() < 1e-12, "{ours} {expected}");
    }
    assert_eq!(document.world_positions(2), None);

    let clip = import(text, METRES).clip;
    assert_eq!((clip.n_frames(), clip.rate()), (2, FrameRate::new(2, 1).unwrap()));
    let globals = clip.skeleton().global_pose(clip.frame(0));
    for (position, expected) in globals.positions.iter().zip(expected) {
        assert!((*position - expected.as_vec3()).length() < 1e-6, "{position} {expected}");
    }
}

#[test]
fn a_root_without_positions_stays_at_its_offset() {
    let text =
        "HIERARCHY ROOT r\n{ OFFSET 1 2 3 CHANNELS 1 Xrotation }\nMOTION Frames: 1 Frame Time: 0.1\n0\n";
    let clip = import(text, METRES).clip;
    assert_eq!(clip.frame(0).root(), Vec3::new(1.0, 2.0, 3.0));
    assert_eq!(clip.skeleton().rest_pose().root(), Vec3::new(1.0, 2.0, 3.0));
}

/// The same file in Blender 5.0.1 puts the heads of its bones where `expected` says.
#[test]
fn positions_replace_offsets_as_in_blender() {
    let six = "6 Xposition Yposition Zposition Zrotation Yrotation Xrotation";
    let three = "3 Zrotation Yrotation Xrotation";
    for (root, joint, row, expected) in [
        (
            six,
            six,
            "10 20 30 0 0 0 1 2 3 10 20 30 0 0 0",
            [[10.0, 20.0, 30.0], [11.0, 22.0, 33.0], [11.0901, 26.4128, 35.3492]],
        ),
        (three, three, "0 0 0 10 20 30 0 0 0", [[1.0, 2.0, 3.0], [1.0, 6.0, 3.0], [1.0901, 10.4128, 5.3492]]),
    ] {
        let text = format!(
            "HIERARCHY ROOT hips\n{{ OFFSET 1 2 3 CHANNELS {root} JOINT a\n{{ OFFSET 0 4 0 CHANNELS {joint} \
             JOINT b\n{{ OFFSET 0 5 0 CHANNELS {three} }} }} }} MOTION Frames: 1 Frame Time: 0.1\n{row}\n"
        );
        let document = Document::parse(text.as_bytes()).unwrap();
        for (ours, expected) in document.world_positions(0).unwrap().iter().zip(expected) {
            assert!((*ours - DVec3::from_array(expected)).length() < 1e-4, "{ours} {expected:?}");
        }
    }
}

/// A person of sticks, `size` file units to the metre, along the given up axis.
fn stick_person(units_per_metre: f32, up: UpAxis) -> Clip {
    let turn = |v: Vec3| match up {
        UpAxis::Y => v,
        UpAxis::Z => Vec3::new(v.x, -v.z, v.y),
    } * units_per_metre;
    let joint = |name: &str, parent: Option<u32>, x: f32, y: f32| {
        Joint::new(name, parent.map(JointId), turn(Vec3::new(x, y, 0.0)))
    };
    let skeleton = Skeleton::new(vec![
        joint("pelvis", None, 0.0, 0.9),
        joint("spine", Some(0), 0.0, 0.2),
        joint("head", Some(1), 0.0, 0.4).with_tip(turn(Vec3::Y * 0.2)),
        joint("thigh_l", Some(0), 0.1, -0.05),
        joint("shin_l", Some(3), 0.0, -0.4),
        joint("foot_l", Some(4), 0.0, -0.4).with_tip(turn(Vec3::Z * 0.2)),
        joint("arm_l", Some(1), 0.2, 0.3),
        joint("hand_l", Some(6), 0.5, 0.0).with_tip(turn(Vec3::X * 0.15)),
    ]);
    toys::wriggling(Arc::new(skeleton.unwrap()), 3, 40)
}

#[test]
fn units_and_axes_are_guessed_and_the_guess_is_told() {
    for (metres_per_unit, word) in
        [(1.0, "metres"), (0.01, "centimetres"), (0.001, "millimetres"), (0.0254, "inches")]
    {
        for up in [UpAxis::Y, UpAxis::Z] {
            let units = stick_person(1.0 / metres_per_unit, up);
            let text = bvh::write(&units, &WriteOptions::default()).unwrap();
            let import = import(&text, ImportOptions::default());
            let case = format!("{word} {up:?}: {:?}", import.warnings);
            assert!((import.source.metres_per_unit as f32 - metres_per_unit).abs() < 1e-9, "{case}");
            assert_eq!((import.source.up, import.source.scale_basis), (up, Basis::Detected), "{case}");
            assert!(import.warnings.iter().any(|warning| warning.message.contains(word)), "{case}");
            let tells_axis = import.warnings.iter().any(|warning| warning.message.contains("z axis"));
            assert_eq!(tells_axis, up == UpAxis::Z, "{case}");
            let upright = stick_person(1.0, UpAxis::Y);
            let rest = import.clip.skeleton().rest_pose();
            let expected = upright.skeleton().global_pose(upright.skeleton().rest_pose().view());
            let ours = import.clip.skeleton().global_pose(rest.view());
            for (joint, ours) in import.clip.skeleton().joints().iter().zip(ours.positions) {
                let theirs = expected.positions[upright.skeleton().find(&joint.name).unwrap().idx()];
                assert!(
                    (theirs - ours).abs().max_element() < 0.051,
                    "{case} {}: {ours} {theirs}",
                    joint.name
                );
            }
        }
    }
}

/// Some tools model with z up and stand the body upright by the rotation of its root.
#[test]
fn what_moves_upright_is_upright_whatever_its_rest_pose() {
    let lying = stick_person(1.0, UpAxis::Z);
    let stood_up = |_, pose: &mut randori_motion::Pose| {
        pose.rotations[0] = Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2) * pose.rotations[0];
    };
    let text = bvh::write(&lying.map_poses(stood_up).unwrap(), &WriteOptions::default()).unwrap();
    let import = import(&text, ImportOptions::default());
    assert_eq!(import.source.up, UpAxis::Y);
    let is_told = import.warnings.iter().any(|warning| warning.message.contains("different axes"));
    assert!(is_told, "{:?}", import.warnings);
}

#[test]
fn turning_z_up_turns_the_whole_world() {
    let clip = stick_person(1.0, UpAxis::Z);
    let text = bvh::write(&clip, &WriteOptions::default()).unwrap();
    let as_is = import(&text, METRES).clip;
    let turned = import(&text, ImportOptions { up: Some(UpAxis::Z), ..METRES }).clip;
    for frame in 0..as_is.n_frames() {
        for ((name, p), (_, q)) in world(&as_is, frame).into_iter().zip(world(&turned, frame)) {
            assert!((Vec3::new(p.x, p.z, -p.y) - q).length() < 1e-5, "{name}");
        }
    }
}

#[test]
fn options_force_scale_and_rate() {
    let text = "HIERARCHY ROOT r\n{ OFFSET 0 0 0 CHANNELS 1 Yposition End Site\n{ OFFSET 0 100 0 } }\n\
        MOTION Frames: 2 Frame Time: 0\n1\n2\n";
    let rate = FrameRate::new(60, 1).unwrap();
    let forced = import(text, ImportOptions { scale: Some(2.0), rate: Some(rate), up: None });
    assert_eq!((forced.clip.rate(), forced.clip.frame(1).root().y), (rate, 4.0));
    assert_eq!((forced.source.scale_basis, forced.source.stated_frame_time), (Basis::Given, Some(0.0)));
}

#[test]
fn a_zero_pose_before_a_leap_is_a_rest_pose() {
    let header = "HIERARCHY ROOT r\n{ OFFSET 0 0 0 CHANNELS 4 Xposition Yposition Zposition Zrotation
        JOINT a { OFFSET 0 1 0 CHANNELS 1 Xrotation } }\nMOTION\nFrames: 3\nFrame Time: 0.1\n";
    for (rows, frames_skipped) in [
        ("0 0 0 0 0\n0 0 0 5 80\n0 0 0 5 81\n", 1),
        // The motion goes on as fast.
        ("0 0 0 0 0\n0 0 0 5 80\n0 0 0 5 150\n", 0),
        // No leap.
        ("0 0 0 0 0\n0 0 0 5 8\n0 0 0 5 8\n", 0),
        // The root is turned.
        ("0 0 0 1 0\n0 0 0 5 80\n0 0 0 5 81\n", 0),
        // No zero pose.
        ("0 0 0 0 1\n0 0 0 5 80\n0 0 0 5 81\n", 0),
    ] {
        let import = import(&format!("{header}{rows}"), METRES);
        assert_eq!(import.source.frames_skipped, frames_skipped, "{rows}");
        assert_eq!(import.clip.n_frames(), 3 - frames_skipped);
        let is_told = import.warnings.iter().any(|warning| warning.message.contains("reference pose"));
        assert_eq!(is_told, frames_skipped == 1);
    }
}

#[test]
fn names_that_would_break_a_file_are_made_plain() {
    let joint = |name: &str, parent: Option<u32>| Joint::new(name, parent.map(JointId), Vec3::X);
    let skeleton = Skeleton::new(vec![
        joint("a b", None),
        joint("a_b", Some(0)),
        joint("{\n}", Some(1)),
        joint("", Some(0)),
    ]);
    let clip = toys::wriggling(Arc::new(skeleton.unwrap()), 1, 2);
    let document = Document::from_clip(&clip, &WriteOptions::default()).unwrap();
    let names: Vec<&str> = document.nodes().iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["a_b", "a_b_2", "___", "_"]);
    assert_eq!(Document::parse(document.to_text().as_bytes()).unwrap(), document);
}

#[test]
fn clips_that_no_file_can_hold_are_refused() {
    let clip = toys::wriggling_person(1, 2);
    let options = |metres_per_unit| WriteOptions { metres_per_unit, ..WriteOptions::default() };
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-9] {
        assert!(bvh::write(&clip, &options(bad)).is_err(), "{bad}");
    }
    let far = clip.map_poses(|_, pose| pose.translations[0].x = 1e10).unwrap();
    let error = bvh::write(&far, &options(1.0)).unwrap_err().to_string();
    assert!(error.starts_with("joint \"hips\": 10000000000 units"), "{error}");
}
