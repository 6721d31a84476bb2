//! Captured motion performed under physics.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::collections::BTreeMap;
use std::sync::Arc;

use randori_motion::math::{Quat, Vec3};
use randori_motion::{Bone, Build, Clip, FrameRate};
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
