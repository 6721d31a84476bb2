//! Those who are struck give way, find back, and are never worse off by the linter.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::sync::Arc;

use glam::{Quat, Vec3};
use randori_actor::sparring;
use randori_motion::take::{Piece, Shape};
use randori_motion::{
    Bone, Build, Character, Clip, EventKind, FrameRate, Joint, JointId, Pose, Prop, Skeleton, Take,
};
use randori_scene::check::{Footage, Kind, Limits, check};
use randori_scene::refine::{Report, Settings, refine};

const RIGID: fn() -> Settings = || Settings { ragdoll: true, ..Settings::default() };

fn findings(take: &Take) -> Vec<Kind> {
    check(&Footage::of_take(take, 60.0).unwrap(), &Limits::default())
        .findings
        .iter()
        .map(|it| it.kind)
        .collect()
}

#[test]
fn whoever_is_hit_gives_way_and_the_linter_finds_nothing_worse() {
    let mut n_kept = 0;
    for seed in 1..4 {
        let (mut plain, mut rigid) = (sparring(seed), sparring(seed));
        let usual = refine(&mut plain, &Settings::default());
        let report = refine(&mut rigid, &RIGID());
        assert!(usual.responses.is_empty());
        let hits: Vec<_> = rigid.events.iter().filter(|it| it.kind == EventKind::Hit).collect();
        assert!(!report.responses.is_empty() && report.responses.len() <= 2 * hits.len(), "{report:#?}");
        let (before, after) = (findings(&plain), findings(&rigid));
        assert!(after.len() <= before.len(), "{before:?} {after:?}");
        assert!(report.findings[1] <= usual.findings[1], "{:?} {:?}", report.findings, usual.findings);
        for (plain, rigid) in usual.blows.iter().zip(&report.blows) {
            assert!(rigid.gap_cm[1] <= plain.gap_cm[1].max(1.5) + 0.2, "{plain:?} {rigid:?}");
        }
        for response in report.responses.iter().filter(|it| it.kept) {
            n_kept += 1;
            let at = |take: &Take, t: f64| {
                let who = take.characters.iter().find(|it| it.name == response.whom).unwrap();
                let globals = who.clip.skeleton().global_pose(who.clip.sample(t - who.enter).view());
                globals.positions[who.clip.skeleton().bone(Bone::Head).unwrap().idx()]
            };
            let off = |t: f64| at(&plain, t).distance(at(&rigid, t));
            let farthest = (0..30).map(|k| off(response.t + f64::from(k) / 60.0)).fold(0.0, f32::max);
            assert!(farthest > 0.005, "{response:?}: {farthest}");
        }
    }
    assert!(n_kept >= 4, "{n_kept}");
}

fn standing(name: &str, place: Vec3) -> Character {
    let body = Arc::new(Build::AVERAGE.body());
    let mut pose = body.skeleton.rest_pose();
    for (bone, turn) in [(Bone::LeftUpperArm, -1.2), (Bone::RightUpperArm, 1.2)] {
        pose.rotations[body.skeleton.bone(bone).unwrap().idx()] = Quat::from_rotation_z(turn);
    }
    pose.translations[0] += place - Vec3::Y * 0.01;
    let poses = vec![pose; 180];
    let clip = Clip::from_poses(name, Arc::clone(&body.skeleton), FrameRate::HOUSE, poses).unwrap();
    Character { name: name.into(), color: [0.5; 3], body, enter: 0.0, clip }
}

/// A ball that flies at somebody's chest at a speed (m/s), and stops there.
fn ball_at(speed: f32) -> Take {
    let mut take = Take::new("ball", 1);
    take.characters.push(standing("ann", Vec3::ZERO));
    let skeleton = Arc::new(Skeleton::new(vec![Joint::new("ball", None, Vec3::ZERO)]).unwrap());
    let poses = (0..180).map(|frame| Pose {
        rotations: vec![Quat::IDENTITY],
        translations: vec![Vec3::new(0.0, 1.3, (1.5 - speed * frame as f32 / 60.0).max(0.17))],
    });
    let clip = Clip::from_poses("ball", skeleton, FrameRate::HOUSE, poses).unwrap();
    let shape = Shape::Ball { radius: 0.2 };
    let piece = Piece { joint: JointId(0), center: Vec3::ZERO, rotation: Quat::IDENTITY, shape };
    take.props.push(Prop { name: "ball".into(), color: [0.5; 3], pieces: vec![piece], enter: 0.0, clip });
    take
}

#[test]
fn things_that_run_into_somebody_push() {
    for speed in [3.0, 8.0] {
        let report = refine(&mut ball_at(speed), &RIGID());
        assert_eq!(report.responses.len(), 1, "{report:?}");
        let response = &report.responses[0];
        assert!(response.kept && response.by == "ball", "{response:?}");
    }
}

#[test]
fn two_who_run_into_each_other_both_give_way() {
    let mut take = Take::new("bump", 1);
    take.characters = vec![standing("ann", Vec3::ZERO), standing("bob", Vec3::Z * 1.5)];
    let walk = take.characters[1].clip.map_poses(|frame, pose| {
        pose.translations[0].z -= (2.5 * frame as f32 / 60.0).min(1.3);
    });
    take.characters[1].clip = walk.unwrap();
    let report = refine(&mut take, &Settings { feet: false, bodies: false, ..RIGID() });
    let names: Vec<&str> = report.responses.iter().map(|it| it.whom.as_str()).collect();
    assert_eq!(names, ["ann", "bob"], "{report:?}");
    let [ann, bob] = [0, 1].map(|at| &report.responses[at]);
    assert!((ann.t - bob.t).abs() < 1e-9 && (ann.impulse_n_s - bob.impulse_n_s).abs() < 1e-3);
    assert!(report.findings[1] <= report.findings[0], "{:?}", report.findings);
}

#[test]
fn the_same_for_any_number_of_threads() {
    let run = |n_threads: usize| -> (Take, Report) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
        let mut take = sparring(2);
        let report = pool.install(|| refine(&mut take, &RIGID()));
        (take, report)
    };
    let (one, two) = (run(1), run(2));
    assert!(one.1.responses.iter().any(|it| it.kept), "{:?}", one.1.responses);
    assert_eq!(one.1, two.1);
    assert_eq!(one.0, two.0);
}
