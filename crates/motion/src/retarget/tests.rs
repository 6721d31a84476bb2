use glam::{Quat, Vec3};

use super::*;
use crate::body::Build;
use crate::math::quat_from_rotation_vector;
use crate::pose::Pose;
use crate::rate::FrameRate;
use crate::skeleton::{Joint, JointId};

/// Somebody who stands and swings arms, legs and trunk.
fn busy(skeleton: &Arc<Skeleton>, n_frames: usize) -> Clip {
    let poses = (0..n_frames).map(|frame| {
        let t = frame as f32 / 120.0;
        let mut pose = skeleton.rest_pose();
        let mut turn = |bone: Bone, vector: Vec3| {
            if let Some(id) = skeleton.bone(bone) {
                pose.rotations[id.idx()] = quat_from_rotation_vector(vector) * pose.rotations[id.idx()];
            }
        };
        turn(Bone::Spine, Vec3::new(0.2, 0.3 * libm::sinf(t), 0.0));
        turn(Bone::LeftUpperArm, Vec3::new(0.0, -0.5, -0.8 + 0.3 * libm::sinf(3.0 * t)));
        turn(Bone::RightLowerArm, Vec3::new(0.0, 1.2 + 0.3 * libm::cosf(2.0 * t), 0.0));
        turn(Bone::LeftUpperLeg, Vec3::new(-0.3 + 0.1 * libm::sinf(2.0 * t), 0.0, 0.05));
        turn(Bone::LeftLowerLeg, Vec3::new(0.5, 0.0, 0.0));
        turn(Bone::Head, Vec3::new(0.1, 0.4, 0.0));
        pose.translations[0].z += 0.5 * t;
        pose
    });
    Clip::from_poses(
        "busy",
        Arc::clone(skeleton),
        FrameRate::new(120, 1).unwrap(),
        poses.collect::<Vec<Pose>>(),
    )
    .unwrap()
}

/// The same person in an A-pose with every joint's axes turned, facing -X, in other names and 1.2 times as large.
fn stranger() -> Skeleton {
    let own = Build::AVERAGE.skeleton();
    let mut pose = own.rest_pose();
    for (bone, angle) in [(Bone::LeftUpperArm, -0.8), (Bone::RightUpperArm, 0.8)] {
        pose.rotations[own.bone(bone).unwrap().idx()] = Quat::from_rotation_z(angle);
    }
    pose.rotations[0] = Quat::from_rotation_y(-std::f32::consts::FRAC_PI_2);
    let rest = own.global_pose(pose.view());
    let axes = |id: usize| quat_from_rotation_vector(Vec3::new(0.4 * id as f32, 1.0 - 0.3 * id as f32, 0.7));
    let joints = own.joints().iter().enumerate().map(|(joint_idx, joint)| {
        let place = rest.positions[joint_idx];
        let (origin, parent) = joint.parent.map_or((Vec3::ZERO, Quat::IDENTITY), |parent| {
            (rest.positions[parent.idx()], axes(parent.idx()))
        });
        Joint {
            name: format!("joint{joint_idx}"),
            offset: parent.inverse() * (place - origin) * 1.2,
            rest_rotation: (parent.inverse() * axes(joint_idx)).normalize(),
            tips: joint
                .tips
                .iter()
                .map(|tip| axes(joint_idx).inverse() * (rest.rotations[joint_idx] * *tip) * 1.2)
                .collect(),
            ..joint.clone()
        }
    });
    Skeleton::new(joints.collect()).unwrap()
}

fn positions(clip: &Clip, frame: usize, bone: Bone) -> Vec3 {
    let globals = clip.skeleton().global_pose(clip.frame(frame));
    globals.positions[clip.skeleton().bone(bone).unwrap().idx()]
}

#[test]
fn onto_itself_nothing_changes() {
    let skeleton = Arc::new(Build::AVERAGE.skeleton());
    let clip = busy(&skeleton, 200);
    let settings = Settings { keep_contacts: false, ..Settings::default() };
    let result = retarget(&clip, &skeleton, &settings).unwrap();
    assert!((result.report.scale - 1.0).abs() < 1e-4, "{}", result.report.scale);
    for bone in Bone::ALL.iter().filter(|bone| skeleton.bone(**bone).is_some()) {
        let away = positions(&clip, 77, *bone) - positions(&result.clip, 77, *bone);
        // The floor is found from the feet, which do not stand quite at rest here.
        assert!(Vec3::new(away.x, 0.0, away.z).length() < 1e-3, "{bone:?} {away}");
    }
}

#[test]
fn another_rest_pose_and_other_axes_make_no_difference() {
    let (own, stranger) = (Arc::new(Build::AVERAGE.skeleton()), Arc::new(stranger()));
    let clip = busy(&own, 120);
    let settings = Settings { keep_contacts: false, ..Settings::default() };
    let there = retarget(&clip, &stranger, &settings).unwrap();
    assert!((there.report.scale - 1.2).abs() < 0.01, "{}", there.report.scale);
    let back = retarget(&there.clip, &own, &settings).unwrap();
    for (bone, _) in own.bones() {
        let [before, after] =
            [&clip, &back.clip].map(|clip| positions(clip, 60, bone) - positions(clip, 60, Bone::Hips));
        assert!((before - after).length() < 3e-3, "{bone:?} {before} {after}");
    }
}

#[test]
fn spines_of_other_counts_bend_as_far() {
    let own = Arc::new(Build::AVERAGE.skeleton());
    for removed in [vec![Bone::UpperChest], vec![Bone::Chest, Bone::UpperChest], vec![Bone::Neck]] {
        let fewer = own.with_bones(|joint| joint.bone.filter(|bone| !removed.contains(bone))).unwrap();
        let clip = busy(&Arc::new(fewer), 60);
        let result = retarget(&clip, &own, &Settings::default()).unwrap();
        let globals = |clip: &Clip, bone| {
            let skeleton = clip.skeleton();
            skeleton.global_pose(clip.frame(30)).rotations[skeleton.bone(bone).unwrap().idx()]
        };
        let [before, after] = [&clip, &result.clip].map(|clip| globals(clip, Bone::Head));
        assert!(crate::math::angle_between(before, after) < 1e-3);
        assert!(result.report.unmapped.contains(&removed[0]));
    }
}

/// The average build, its rest pose with a trunk that leans and a neck that reaches by these angles more, in radians.
fn hunched(trunk: f32, neck: f32) -> Skeleton {
    let own = Build::AVERAGE.skeleton();
    let joints = own.joints().iter().map(|joint| {
        let lean = match joint.bone {
            Some(Bone::Spine | Bone::Chest | Bone::UpperChest | Bone::Neck) => trunk,
            Some(Bone::Head) => neck,
            _ => 0.0,
        };
        Joint { offset: Quat::from_rotation_x(lean) * joint.offset, ..joint.clone() }
    });
    Skeleton::new(joints.collect()).unwrap()
}

#[test]
fn another_spine_at_rest_does_not_lean() {
    let settings = Settings { keep_contacts: false, ..Settings::default() };
    let own = Arc::new(Build::STOCKY.skeleton());
    for (trunk, neck) in [(0.0, 0.0), (-0.15, 0.2), (0.25, -0.3)] {
        let clip = busy(&Arc::new(hunched(trunk, neck)), 60);
        let result = retarget(&clip, &own, &settings).unwrap();
        let lines = |clip: &Clip| {
            let place = |bone| positions(clip, 40, bone);
            let hips = 0.5 * (place(Bone::LeftUpperLeg) + place(Bone::RightUpperLeg));
            [place(Bone::Neck) - hips, place(Bone::Head) - place(Bone::Neck)]
        };
        for (before, after) in lines(&clip).into_iter().zip(lines(&result.clip)) {
            // The spine bends at joints of other heights: a degree and a half is what that makes.
            assert!(before.angle_between(after).to_degrees() < 1.5, "{trunk} {neck}: {before} {after}");
        }
    }
}

/// Somebody who stands at this place.
fn standing(skeleton: &Arc<Skeleton>, x: f32, z: f32) -> Clip {
    let mut pose = skeleton.rest_pose();
    pose.translations[0] += Vec3::new(x, 0.0, z);
    Clip::from_poses("stand", Arc::clone(skeleton), FrameRate::HOUSE, vec![pose; 30]).unwrap()
}

#[test]
fn one_person_starts_where_the_source_does() {
    let (tall, short) = (Arc::new(Build::SLIM.skeleton()), Arc::new(Build::STOCKY.skeleton()));
    let result = retarget(&standing(&tall, 5.0, -3.0), &short, &Settings::default()).unwrap();
    let root = result.clip.frame(0).root();
    assert!((root.x - 5.0).abs() < 1e-3 && (root.z + 3.0).abs() < 1e-3, "{root}");
}

#[test]
fn people_who_share_a_world_keep_their_distances() {
    let source = Arc::new(Build::AVERAGE.skeleton());
    let clips = [(4.0, 1.0), (5.0, 1.0), (4.5, 2.0)].map(|(x, z)| standing(&source, x, z));
    let targets = [Build::SLIM, Build::STOCKY, Build::STOCKY].map(|build| Arc::new(build.skeleton()));
    let settings = shared_settings(clips.iter().zip(&targets).map(|(clip, target)| (clip, &**target)));
    let scale = settings.scale.unwrap();
    let expected = (1.82_f32 * 1.68 * 1.68).cbrt() / 1.75;
    assert!((scale - expected).abs() < 1e-3, "{scale} {expected}");
    let roots = [0, 1, 2].map(|k| retarget(&clips[k], &targets[k], &settings).unwrap().clip.frame(0).root());
    for (a, b) in [(0, 1), (1, 2), (2, 0)] {
        let before =
            Ground::below(clips[a].frame(0).root()).distance(Ground::below(clips[b].frame(0).root()));
        let after = Ground::below(roots[a]).distance(Ground::below(roots[b]));
        assert!((after - scale * before).abs() < 1e-2, "{before} {after}");
    }
    let middle = roots.iter().sum::<Vec3>() / 3.0;
    assert!((middle.x - 4.5).abs() < 1e-2 && (middle.z - 4.0 / 3.0).abs() < 1e-2, "{middle}");
    // Nobody at all is no reason to panic.
    assert_eq!(shared_settings([]).scale, Some(1.0));
}

#[test]
fn planted_feet_stand_still_on_the_floor() {
    // A figure that slides at 0.2 m/s on both feet, 5 cm above its floor, with a leg that is planted and lifted.
    let tall = Arc::new(Build::SLIM.skeleton());
    let poses = (0..240).map(|frame| {
        let t = frame as f32 / 120.0;
        let mut pose = tall.rest_pose();
        pose.translations[0] += Vec3::new(0.03 * libm::sinf(9.0 * t), 0.05, 0.02 * libm::sinf(7.0 * t));
        pose
    });
    let clip = Clip::from_poses("slide", Arc::clone(&tall), FrameRate::new(120, 1).unwrap(), poses).unwrap();
    let short = Arc::new(Build::STOCKY.skeleton());
    let result = retarget(&clip, &short, &Settings::default()).unwrap();
    let report = &result.report;
    assert!(report.skate_before > 0.1 && report.skate_after < 0.25 * report.skate_before, "{report:?}");
    let ball = positions(&result.clip, 120, Bone::LeftToes).y;
    let rest = short.global_pose(short.rest_pose().view());
    assert!((ball - rest.positions[short.bone(Bone::LeftToes).unwrap().idx()].y).abs() < 3e-3, "{ball}");
}

#[test]
fn a_fitted_skeleton_has_the_lengths_of_its_model() {
    let stranger = stranger();
    let fitted = fitted_skeleton(&stranger);
    let own = Build::AVERAGE.skeleton();
    let [fitted_rest, own_rest] = [&fitted, &own].map(|it| it.global_pose(it.rest_pose().view()));
    for (bone, id) in fitted.bones() {
        let expected = own_rest.positions[own.bone(bone).unwrap().idx()] * 1.2;
        let found = fitted_rest.positions[id.idx()];
        assert!((found - expected).length() < 0.02, "{bone:?} {found} {expected}");
    }
    // A skeleton without any roles gives the average build.
    let nobody = Skeleton::new(vec![Joint::new("root", None, Vec3::ZERO)]).unwrap();
    assert_eq!(fitted_skeleton(&nobody).n_joints(), own.n_joints());
}

#[test]
fn bad_questions_have_answers() {
    let own = Arc::new(Build::AVERAGE.skeleton());
    let clip = busy(&own, 5);
    let nobody = Arc::new(Skeleton::new(vec![Joint::new("root", None, Vec3::ZERO)]).unwrap());
    assert_eq!(
        retarget(&clip, &nobody, &Settings::default()).unwrap_err().to_string(),
        "no joint of the target skeleton plays the hips; assign bones first"
    );
    for scale in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let settings = Settings { scale: Some(scale), ..Settings::default() };
        assert!(matches!(retarget(&clip, &own, &settings), Err(RetargetError::Scale(_))));
    }
    let settings = Settings { center: Some(Ground { x: f32::NAN, z: 0.0 }), ..Settings::default() };
    assert!(matches!(retarget(&clip, &own, &settings), Err(RetargetError::Center(_))));
    // Hips alone are enough to be carried along.
    let lone = Joint::new("root", None, Vec3::Y).with_bone(Bone::Hips);
    let lone =
        Arc::new(Skeleton::new(vec![lone, Joint::new("tail", Some(JointId(0)), Vec3::NEG_Z)]).unwrap());
    assert_eq!(retarget(&clip, &lone, &Settings::default()).unwrap().clip.n_frames(), 5);
    let from_lone =
        Clip::from_poses("lone", Arc::clone(&lone), FrameRate::HOUSE, [lone.rest_pose()]).unwrap();
    assert!(retarget(&from_lone, &own, &Settings::default()).is_ok());
}
