//! Captured motion performed under physics.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::collections::BTreeMap;
use std::sync::Arc;

use randori_motion::formats::{self, ImportOptions};
use randori_motion::math::{Quat, Vec3};
use randori_motion::{Bone, Build, Clip, FrameRate};
use randori_testkit::shared;
use randori_wholebody::humanoid::Stature;
use randori_wholebody::scene::Verdict;
use randori_wholebody::tracking::{Reference, Settings, TrackingError, repeated, scenario};

/// Somebody who sways and swings both arms for so long (s).
fn swaying(seconds: f64) -> Clip {
    let skeleton = Arc::new(Build::AVERAGE.skeleton());
    let arms = [(Bone::LeftUpperArm, -1.0), (Bone::RightUpperArm, 1.0)];
    let poses = (0..(seconds * 60.0) as usize).map(|k| {
        let t = k as f32 / 60.0;
        let mut pose = skeleton.rest_pose();
        pose.translations[0] += Vec3::new(0.04 * (1.5 * t).sin(), -0.05, 0.0);
        for (bone, out) in arms {
            let joint = skeleton.bone(bone).unwrap();
            let hangs = Quat::from_rotation_z(out * 1.2);
            pose.rotations[joint.idx()] = Quat::from_rotation_x(0.5 * (2.0 * t).sin()) * hangs;
        }
        pose
    });
    Clip::from_poses("swaying", Arc::clone(&skeleton), FrameRate::HOUSE, poses.collect::<Vec<_>>()).unwrap()
}

/// Somebody who walks ahead at that pace (m/s), legs and arms swinging, from rest and to rest.
fn walking(seconds: f64, pace: f64) -> Clip {
    let skeleton = Arc::new(Build::AVERAGE.skeleton());
    let joint = |bone: Bone| skeleton.bone(bone).unwrap().idx();
    let fps = 60.0;
    let mut way = 0.0;
    let poses = (0..(seconds * fps) as usize).map(|k| {
        let t = k as f64 / fps;
        // Two steps a period.
        let phase = (std::f64::consts::TAU * t / 1.3) as f32;
        let share = ((t - 0.8).min(seconds - 0.8 - t).clamp(0.0, 0.6) / 0.6) as f32;
        way += pace as f32 * share / fps as f32;
        let mut pose = skeleton.rest_pose();
        pose.translations[0] += Vec3::new(0.03 * share * phase.sin(), -0.05, way);
        for (side, sign) in [(true, 1.0_f32), (false, -1.0)] {
            let bones = if side {
                [Bone::LeftUpperLeg, Bone::LeftLowerLeg, Bone::LeftFoot, Bone::LeftUpperArm]
            } else {
                [Bone::RightUpperLeg, Bone::RightLowerLeg, Bone::RightFoot, Bone::RightUpperArm]
            };
            let swing = sign * phase.sin();
            let lifted = (sign * phase.cos()).max(0.0);
            let (hip, knee) =
                (0.35 + share * 0.32 * swing + share * 0.3 * lifted, 0.65 + share * 0.6 * lifted);
            pose.rotations[joint(bones[0])] = Quat::from_rotation_x(-hip);
            pose.rotations[joint(bones[1])] = Quat::from_rotation_x(knee);
            pose.rotations[joint(bones[2])] = Quat::from_rotation_x(hip - knee);
            let hangs = Quat::from_rotation_z(-sign * 1.2);
            pose.rotations[joint(bones[3])] = Quat::from_rotation_x(0.3 * share * swing) * hangs;
        }
        pose
    });
    Clip::from_poses("walking", Arc::clone(&skeleton), FrameRate::HOUSE, poses.collect::<Vec<_>>()).unwrap()
}

fn performed(load: f64) -> BTreeMap<&'static str, f64> {
    let reference = Reference::of(&swaying(4.0), Stature::default()).unwrap();
    assert!(reference.fit < 0.03, "the person can take the poses: {}", reference.fit);
    let end = reference.duration() + 1.0;
    let mut track = scenario(reference, &Settings { load, ..Settings::default() }).unwrap();
    while track.world().time < end {
        let step = track.step();
        assert_eq!(step.verdict, Verdict::Solved, "{:.2} s: {:?}", track.world().time, track.trouble());
        let f = &step.figures;
        assert!(f.eom_residual_max < 1e-6 && f.action_reaction_max < 1e-9 && f.slip_mm_max < 1.0, "{f:?}");
        assert!(f.friction_margin_min > -1e-6 && f.limit_violation_max < 1e-6, "{f:?}");
    }
    track.results().into_iter().collect()
}

#[test]
fn a_clip_becomes_physically_consistent() {
    let results = performed(0.0);
    assert!(results["upright for (s)"] > 3.9, "{results:?}");
    assert!(results["links off their places in the clip, mean (m)"] < 0.06, "{results:?}");
    assert!(results["joints off their angles, mean (rad)"] < 0.15, "{results:?}");
}

#[test]
fn with_a_load_in_both_hands_too() {
    let results = performed(6.0);
    assert!(results["upright for (s)"] > 3.9, "{results:?}");
    assert!(results["pelvis below its place, most (m)"] < 0.15, "{results:?}");
}

/// Performs a CMU take, repeated, for so long (s); nobody may fall, and physics hold at every step.
fn perform_take(take: &str, seconds: f64, load: f64) -> Option<BTreeMap<&'static str, f64>> {
    let path = shared::path(&format!("data/cmu/bvh/{take}.bvh"))?;
    let options = ImportOptions { rate: FrameRate::from_fps(120.0), ..ImportOptions::default() };
    #[expect(clippy::disallowed_methods, reason = "tests read the captures")]
    let bytes = std::fs::read(&path).unwrap();
    let clip = formats::import(path.to_str().unwrap(), &bytes, &options).unwrap().clip;
    let clip = repeated(&clip, seconds + 1.0).unwrap();
    let reference = Reference::of(&clip, Stature { strength: 1.5, ..Stature::default() }).unwrap();
    let mut track = scenario(reference, &Settings { load, ..Settings::default() }).unwrap();
    while track.world().time < seconds + 1.0 {
        let step = track.step();
        assert_eq!(
            step.verdict,
            Verdict::Solved,
            "{take} {:.2} s: {:?}",
            track.world().time,
            track.trouble()
        );
        let f = &step.figures;
        assert!(f.eom_residual_max < 1e-6 && f.action_reaction_max < 1e-6 && f.slip_mm_max < 1.0, "{f:?}");
        assert!(f.friction_margin_min > -0.1 && f.limit_violation_max < 1e-6, "{f:?}");
    }
    Some(track.results().into_iter().collect())
}

#[test]
fn a_captured_carry_stays_upright() {
    let Some(results) = perform_take("69_69", 21.0, 5.0) else { return };
    assert!(results["upright for (s)"] >= 20.0, "{results:?}");
    assert!(results["steps"] >= 20.0, "{results:?}");
    assert!(results["links off their places as seen from the pelvis, mean (m)"] < 0.1, "{results:?}");
}

#[test]
fn who_walks_in_a_clip_walks() {
    let reference = Reference::of(&walking(8.0, 0.9), Stature::default()).unwrap();
    let flat = reference.stances.iter().flat_map(|foot| foot.windows(2));
    let longest =
        flat.map(|pair| pair[0].sole.translation.distance(pair[1].sole.translation)).fold(0.0, f64::max);
    assert!((0.3..0.9).contains(&longest), "steps that flat soles reach: {longest} m");
    assert!(reference.beside(8.0).z < 0.0, "and so it gets less far than the clip");
    let mut track = scenario(reference, &Settings::default()).unwrap();
    while track.world().time < 9.0 {
        let step = track.step();
        assert_eq!(step.verdict, Verdict::Solved, "{:.2} s: {:?}", track.world().time, track.trouble());
        assert!(step.figures.eom_residual_max < 1e-6 && step.figures.slip_mm_max < 1.0, "{step:?}");
    }
    let results: BTreeMap<&str, f64> = track.results().into_iter().collect();
    assert!(results["upright for (s)"] > 7.9 && results["steps"] >= 8.0, "{results:?}");
}

#[test]
fn what_cannot_be_tracked_is_refused_in_words() {
    let short = Reference::of(&swaying(0.2), Stature::default()).unwrap_err();
    assert!(matches!(short, TrackingError::Short { .. }), "{short}");
    let reference = Reference::of(&swaying(1.0), Stature::default()).unwrap();
    for settings in [
        Settings { dt: 0.5, ..Settings::default() },
        Settings { load: -1.0, ..Settings::default() },
        Settings { load: f64::NAN, ..Settings::default() },
    ] {
        let Err(fault) = scenario(reference.clone(), &settings) else { panic!("{settings:?} was taken") };
        assert!(matches!(fault, TrackingError::Setting { .. }), "{fault}");
    }
}

#[test]
fn a_clip_goes_on_beyond_its_end_without_a_leap() {
    let clip = swaying(5.0);
    let long = repeated(&clip, 14.0).unwrap();
    assert!((long.duration() - 14.0).abs() < 0.05, "{}", long.duration());
    let roots: Vec<Vec3> = long.frames().map(|pose| pose.translations[0]).collect();
    let fastest = roots.windows(2).map(|pair| pair[0].distance(pair[1])).fold(0.0, f32::max);
    assert!(60.0 * fastest < 0.15, "twice as fast as it sways: {} m/s", 60.0 * fastest);
    assert_eq!(repeated(&clip, 2.0).unwrap().n_frames(), 121);
}
