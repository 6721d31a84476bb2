//! People in a crowd hold up before the linter, go where they are pushed, stay above the floor, and do everything.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::collections::BTreeMap;
use std::f32::consts::FRAC_PI_4;

use glam::Vec3;
use randori_actor::{Beat, Casting, Performance, Temperament, crowd};
use randori_motion::analyse::{Discipline, Settings, analyse, placement_of_pose};
use randori_motion::annotation::{KNOWN, PUSHES, PUSHES_HARD, STEPS_ASIDE};
use randori_motion::contacts::{ContactSettings, Contacts};
use randori_motion::{Bone, Build, Character, Take};
use randori_scene::check::{Footage, Limits, check};

const BUILDS: [Build; 3] = [Build::AVERAGE, Build::SLIM, Build::STOCKY];

fn casting(build: Build, seconds: f32) -> Casting {
    Casting { build, temperament: Temperament::Calm, seed: 1, seconds }
}

fn all(seconds: f32) -> impl Iterator<Item = Performance> {
    BUILDS.into_iter().flat_map(move |build| crowd(&casting(build, seconds)))
}

/// Where a bone goes during a beat, seen from where somebody stood and faced at its start (m).
fn gone(take: &Performance, beat: &Beat, bone: Bone, until: f32) -> Vec3 {
    let skeleton = take.clip.skeleton();
    let joint = skeleton.bone(bone).unwrap().idx();
    let start = take.clip.sample(f64::from(beat.start));
    let placement = placement_of_pose(skeleton, start.view());
    let at = |t: f32| skeleton.global_pose(take.clip.sample(f64::from(t)).view()).positions[joint];
    placement.point_from_world(at(until)) - placement.point_from_world(at(beat.start))
}

/// The angle between a level way and one of the eight directions, ahead and on to the left (rad).
fn off(way: Vec3, eighth: usize) -> f32 {
    let angle = FRAC_PI_4 * eighth as f32;
    way.with_y(0.0).angle_between(Vec3::new(angle.sin(), 0.0, angle.cos()))
}

#[test]
fn the_linter_finds_nothing() {
    let limits = Limits {
        skate_cm_per_s: 5.0,
        foot_sink_cm: 1.0,
        acceleration_m_s2: 1000.0,
        root_speed_m_s: 4.0,
        ..Limits::default()
    };
    for performance in all(120.0) {
        let mut take = Take::new(&performance.name, 1);
        take.characters.push(Character {
            name: "bystander".to_owned(),
            color: [0.5; 3],
            body: performance.body,
            enter: 0.0,
            clip: performance.clip,
        });
        let report = check(&Footage::of_take(&take, 60.0).unwrap(), &limits);
        assert!(report.passes(), "{} {:#?}", performance.name, report.findings);
    }
}

#[test]
fn nobody_is_under_the_floor() {
    for performance in all(120.0) {
        let skeleton = &performance.body.skeleton;
        for (frame, pose) in performance.clip.frames().enumerate() {
            let globals = skeleton.global_pose(pose);
            for capsule in &performance.body.capsules {
                let end = |point| globals.point(capsule.joint, point).y - capsule.radius;
                let low = end(capsule.a).min(end(capsule.b));
                assert!(low > -0.02, "{} {frame} {:?} {low}", performance.name, capsule.bone);
            }
        }
    }
}

#[test]
fn everything_happens() {
    for build in BUILDS {
        let mut words = BTreeMap::new();
        for take in crowd(&casting(build, 240.0)) {
            assert!(take.script.windows(2).all(|pair| pair[0].end <= pair[1].start + 1e-3));
            for beat in &take.script {
                assert!(KNOWN.iter().any(|word| word.name == beat.annotation.name()), "{beat:?}");
                assert!(beat.peak.is_none_or(|peak| (beat.start..beat.end).contains(&peak)), "{beat:?}");
                *words.entry(beat.annotation.name().to_owned()).or_insert(0) += 1;
            }
            for pair in take.script.windows(2).filter(|pair| pair[0].annotation.name().starts_with("fall-")) {
                assert_eq!(pair[1].annotation.name(), "get-up");
            }
        }
        let moves = "idle walk turn-left turn-right look-left look-right look-around jump-back stumble get-up \
            fall-forward fall-back fall-left fall-right";
        let wanted = moves.split_whitespace().chain(PUSHES).chain(PUSHES_HARD);
        for word in wanted.chain(STEPS_ASIDE.into_iter().flatten()) {
            assert!(words.contains_key(word), "{build:?} without {word}: {words:?}");
        }
        assert!(words.values().sum::<i32>() >= 80, "{words:?}");
    }
}

#[test]
fn pushes_send_people_away_from_where_they_come() {
    let mut n_seen = 0;
    for take in all(240.0) {
        for beat in &take.script {
            let name = beat.annotation.name();
            let light = PUSHES.iter().position(|word| *word == name);
            let hard = PUSHES_HARD.iter().position(|word| *word == name);
            let Some(eighth) = light.or(hard) else { continue };
            let way = gone(&take, beat, Bone::Hips, beat.end);
            assert!(off(way, (eighth + 4) % 8) < 0.35, "{beat:?} {way}");
            let range = if hard.is_some() { 0.8..1.8 } else { 0.15..0.5 };
            assert!(range.contains(&way.with_y(0.0).length()), "{beat:?} {way}");
            // The shoulders go before the hips.
            let [chest, hips] =
                [Bone::UpperChest, Bone::Hips].map(|bone| gone(&take, beat, bone, beat.start + 0.2));
            assert!(chest.dot(way) > hips.dot(way) + 0.01 * way.length(), "{beat:?} {chest} {hips}");
            n_seen += 1;
        }
    }
    assert!(n_seen > 60, "{n_seen}");
}

#[test]
fn falls_and_steps_go_the_way_they_are_called() {
    let ways = ["fall-forward", "fall-left", "fall-back", "fall-right"];
    for take in all(240.0) {
        for beat in &take.script {
            if let Some(quarter) = ways.iter().position(|word| *word == beat.annotation.name()) {
                let [head, hips] = [Bone::Head, Bone::Hips].map(|bone| gone(&take, beat, bone, beat.end));
                assert!(
                    off(head, 2 * quarter) < 0.5 && off(hips, 2 * quarter) < 0.5,
                    "{beat:?} {head} {hips}"
                );
                assert!(head.with_y(0.0).length() > hips.with_y(0.0).length(), "{beat:?}");
            }
            let step = STEPS_ASIDE.iter().position(|word| *word == Some(beat.annotation.name()));
            if let Some(eighth) = step {
                let way = gone(&take, beat, Bone::Hips, beat.end);
                assert!(off(way, eighth) < 0.35 && way.length() > 0.4, "{beat:?} {way}");
            }
        }
    }
}

#[test]
fn who_jumps_back_in_fright_falls_freely() {
    let mut n_seen = 0;
    for take in all(120.0) {
        let contacts = Contacts::of(&take.clip, &ContactSettings::default()).unwrap();
        let dt = 1.0 / take.clip.rate().fps() as f32;
        let height = |frame: usize| take.clip.frame(frame).root().y;
        for beat in take.script.iter().filter(|beat| beat.annotation.name() == "jump-back") {
            let frames = (beat.start / dt) as usize..(beat.end / dt) as usize;
            let flies = |frame: &usize| {
                (frame - 2..=frame + 1).all(|at| contacts.feet.iter().all(|foot| !foot.down[at]))
            };
            let mut falls: Vec<f32> = frames
                .filter(flies)
                .map(|frame| (height(frame - 1) + height(frame + 1) - 2.0 * height(frame)) / (dt * dt))
                .collect();
            falls.sort_by(f32::total_cmp);
            assert!(falls.len() >= 4, "{beat:?} flies {} frames", falls.len());
            assert!((-11.5..-7.5).contains(&falls[falls.len() / 2]), "{beat:?} {falls:?}");
            n_seen += 1;
        }
    }
    assert!(n_seen >= 3, "{n_seen}");
}

#[test]
fn knees_and_elbows_bend_one_way_and_not_too_far() {
    for take in all(80.0) {
        let skeleton = take.clip.skeleton();
        let limbs = [
            [Bone::LeftUpperLeg, Bone::LeftLowerLeg, Bone::LeftFoot],
            [Bone::RightUpperLeg, Bone::RightLowerLeg, Bone::RightFoot],
            [Bone::LeftUpperArm, Bone::LeftLowerArm, Bone::LeftHand],
            [Bone::RightUpperArm, Bone::RightLowerArm, Bone::RightHand],
        ];
        for (frame, pose) in take.clip.frames().enumerate() {
            let globals = skeleton.global_pose(pose);
            let at = |bone: Bone| globals.positions[skeleton.bone(bone).unwrap().idx()];
            for [upper, middle, end] in limbs {
                let bent = (at(middle) - at(upper)).angle_between(at(end) - at(middle));
                assert!(bent < 2.85, "{} {frame} {middle:?} {bent}", take.name);
            }
        }
    }
}

#[test]
fn the_analyser_recognises_them() {
    let (mut n_right, mut n_all) = (0, 0);
    for seed in [1, 2] {
        for take in crowd(&Casting { seed, ..casting(Build::AVERAGE, 240.0) }) {
            let analysis = analyse(&take.clip, &Settings::of(Discipline::Crowd)).unwrap();
            for beat in take.script.iter().filter(|beat| beat.peak.is_some()) {
                let middle = (f64::from(beat.peak.unwrap()) * take.clip.rate().fps()) as usize;
                let found = analysis.segments.iter().find(|segment| segment.frames.contains(&middle));
                let found = found.map_or("nothing", |segment| segment.annotation.name());
                n_all += 1;
                n_right += usize::from(found == beat.annotation.name());
                if found != beat.annotation.name() {
                    eprintln!("{} {:.2} {}: {found}", take.name, beat.start, beat.annotation.name());
                }
            }
        }
    }
    assert!(n_right * 100 >= 95 * n_all, "{n_right} of {n_all}");
}

#[test]
fn the_same_seed_gives_the_same_takes_and_another_others() {
    let casting = casting(Build::SLIM, 30.0);
    assert_eq!(crowd(&casting), crowd(&casting));
    assert_ne!(crowd(&casting)[0].clip, crowd(&Casting { seed: 2, ..casting })[0].clip);
}

#[test]
fn any_length_gives_a_take() {
    for seconds in [0.0, -3.0, 0.01, 1.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let performances = crowd(&casting(Build::STOCKY, seconds));
        assert!(!performances.is_empty());
        assert!(performances.iter().all(|performance| performance.clip.n_frames() > 0));
    }
}
