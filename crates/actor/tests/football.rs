//! Football holds up before the linter: runners with a ball and tacklers who go where they are called, stay above the floor,
//! and do everything.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::collections::BTreeMap;

use glam::Vec3;
use randori_actor::{Beat, Casting, Performance, Temperament, football};
use randori_motion::analyse::{Discipline, Settings, analyse, placement_of_pose};
use randori_motion::contacts::{ContactSettings, Contacts};
use randori_motion::{Bone, Build, Character, GlobalPose, Side, Take};
use randori_scene::check::{Footage, Limits, check};

const BUILDS: [Build; 3] = [Build::AVERAGE, Build::SLIM, Build::STOCKY];
const SIDED: [(&str, f32); 8] = [
    ("fall-left", 1.0),
    ("fall-right", -1.0),
    ("tackled-right", 1.0),
    ("tackled-left", -1.0),
    ("tackle-left", 1.0),
    ("tackle-right", -1.0),
    ("dodge-left", 1.0),
    ("dodge-right", -1.0),
];

fn casting(build: Build, seconds: f32) -> Casting {
    Casting { build, temperament: Temperament::Calm, seed: 1, seconds }
}

fn all(seconds: f32) -> impl Iterator<Item = Performance> {
    BUILDS.into_iter().flat_map(move |build| football(&casting(build, seconds)))
}

fn globals(take: &Performance, t: f32) -> GlobalPose {
    take.clip.skeleton().global_pose(take.clip.sample(f64::from(t)).view())
}

fn place(take: &Performance, bone: Bone, t: f32) -> Vec3 {
    globals(take, t).positions[take.clip.skeleton().bone(bone).unwrap().idx()]
}

/// Where the hips go during a beat, seen from where somebody was and faced at its start (m).
fn gone(take: &Performance, beat: &Beat) -> Vec3 {
    let start = take.clip.sample(f64::from(beat.start));
    let placement = placement_of_pose(take.clip.skeleton(), start.view());
    let at = |t: f32| placement.point_from_world(place(take, Bone::Hips, t));
    at(beat.end) - at(beat.start)
}

/// Whether somebody goes down, lies or gets up at some time between two (s).
fn is_down(take: &Performance, from: f32, to: f32) -> bool {
    let falls = |name: &str| ["fall-", "tackle"].iter().any(|word| name.starts_with(word));
    let pairs = take.script.windows(2).filter(|pair| falls(pair[0].annotation.name()));
    pairs.into_iter().any(|pair| from < pair[1].end && pair[0].start < to)
}

#[test]
fn the_linter_finds_nothing_but_feet_dragged_in_falls() {
    let limits = Limits {
        foot_slide_cm: 3.0,
        skate_cm_per_s: 13.5,
        foot_sink_cm: 1.0,
        acceleration_m_s2: 1200.0,
        root_speed_m_s: 7.5,
        ..Limits::default()
    };
    for performance in all(160.0) {
        let mut take = Take::new(&performance.name, 1);
        take.characters.push(Character {
            name: "player".to_owned(),
            color: [0.5; 3],
            body: performance.body.clone(),
            enter: 0.0,
            clip: performance.clip.clone(),
        });
        let mut report = check(&Footage::of_take(&take, 60.0).unwrap(), &limits);
        report.findings.retain(|finding| {
            let [from, to] = finding.frames.map(|frame| frame as f32 / 60.0);
            !(finding.unit == "cm" && is_down(&performance, from, to))
        });
        assert!(report.findings.is_empty(), "{} {:#?}", performance.name, report.findings);
    }
}

#[test]
fn nobody_is_under_the_floor() {
    for performance in all(160.0) {
        let skeleton = &performance.body.skeleton;
        for (frame, pose) in performance.clip.frames().enumerate() {
            let globals = skeleton.global_pose(pose);
            for capsule in &performance.body.capsules {
                let end = |point| globals.point(capsule.joint, point).y - capsule.radius;
                let low = end(capsule.a).min(end(capsule.b));
                assert!(low > -0.025, "{} {frame} {:?} {low}", performance.name, capsule.bone);
            }
        }
    }
}

#[test]
fn everything_is_done() {
    for build in BUILDS {
        let mut words = BTreeMap::new();
        for take in football(&casting(build, 320.0)) {
            assert!(take.script.windows(2).all(|pair| pair[0].end <= pair[1].start + 1e-3), "{}", take.name);
            for beat in &take.script {
                assert!(beat.annotation.word().is_some(), "{beat:?}");
                assert!(beat.peak.is_none_or(|peak| (beat.start..beat.end).contains(&peak)), "{beat:?}");
                *words.entry(beat.annotation.name().to_owned()).or_insert(0) += 1;
            }
        }
        let wanted = "idle start stop jog run run-left run-right sprint quick-step-left quick-step-right dodge-left dodge-right \
            spin-left spin-right jump-over tackle-legs tackle-waist tackle-left tackle-right tackle-behind tackled-front \
            tackled-left tackled-right tackled-behind fall-forward fall-back get-up step-left step-right";
        for word in wanted.split_whitespace() {
            assert!(words.contains_key(word), "{build:?} without {word}: {words:?}");
        }
        assert!(words.values().sum::<i32>() >= 400, "{words:?}");
    }
}

#[test]
fn falls_and_dodges_go_the_way_they_are_called() {
    let mut n_seen = 0;
    for take in all(320.0) {
        for beat in &take.script {
            let name = beat.annotation.name();
            let way = gone(&take, beat);
            if let Some((_, left)) = SIDED.iter().find(|(word, _)| *word == name) {
                assert!(left * way.x > 0.1, "{} {beat:?} {way}", take.name);
                n_seen += 1;
            }
            match name {
                "fall-forward" | "tackle-legs" | "tackle-waist" => assert!(way.z > 0.6, "{beat:?} {way}"),
                "tackled-behind" | "tackle-behind" => assert!(way.z > 1.2, "{beat:?} {way}"),
                "fall-back" => assert!(way.z < -0.4, "{beat:?} {way}"),
                // Somebody who ran at them stops them and more.
                "tackled-front" => assert!(way.z < 0.1, "{beat:?} {way}"),
                _ => {}
            }
        }
    }
    assert!(n_seen > 20, "{n_seen}");
}

#[test]
fn the_arm_with_the_ball_stays_at_the_ribs() {
    for take in all(80.0).filter(|take| take.name.starts_with("football-runner")) {
        let skeleton = take.clip.skeleton();
        let joint = |bone: Bone| skeleton.bone(bone).unwrap().idx();
        let mut holds = [true; 2];
        for pose in take.clip.frames() {
            let globals = skeleton.global_pose(pose);
            for side in Side::BOTH {
                let chest = globals.positions[joint(Bone::UpperChest)];
                let wrist = globals.positions[joint(Bone::LeftHand.on(side))];
                holds[side as usize] &= chest.distance(wrist) < 0.36;
            }
        }
        assert!(holds[0] != holds[1], "{} {holds:?}", take.name);
    }
}

#[test]
fn who_leaps_falls_freely() {
    let mut n_seen = 0;
    for take in all(320.0) {
        let contacts = Contacts::of(&take.clip, &ContactSettings::default()).unwrap();
        let dt = 1.0 / take.clip.rate().fps() as f32;
        let height = |frame: usize| take.clip.frame(frame).root().y;
        let leaps = |beat: &&Beat| beat.annotation.name() == "jump-over";
        for beat in take.script.iter().filter(leaps) {
            let frames = (beat.start / dt) as usize..(beat.end / dt) as usize;
            let flies = |frame: &usize| {
                (frame - 4..=frame + 2).all(|at| contacts.feet.iter().all(|foot| !foot.down[at]))
            };
            let mut falls: Vec<f32> = frames
                .clone()
                .filter(flies)
                .map(|frame| (height(frame - 1) + height(frame + 1) - 2.0 * height(frame)) / (dt * dt))
                .collect();
            falls.sort_by(f32::total_cmp);
            assert!(falls.len() >= 12, "{beat:?} flies {} frames", falls.len());
            assert!((-10.8..-8.8).contains(&falls[falls.len() / 2]), "{beat:?} {falls:?}");
            // Both feet clear somebody who lies there at the same moment.
            let toes = |frame: usize, bone: Bone| place(&take, bone, frame as f32 * dt).y;
            let clear = frames.map(|frame| toes(frame, Bone::LeftToes).min(toes(frame, Bone::RightToes)));
            let clear = clear.fold(0.0, f32::max);
            assert!(clear > 0.35, "{beat:?} {clear}");
            n_seen += 1;
        }
    }
    assert!(n_seen >= 6, "{n_seen}");
}

#[test]
fn divers_fly() {
    let mut n_seen = 0;
    for take in all(160.0) {
        let dt = 1.0 / take.clip.rate().fps() as f32;
        let height = |frame: usize| take.clip.frame(frame).root().y;
        for beat in take.script.iter().filter(|beat| beat.annotation.name().starts_with("tackle-")) {
            let lands = (beat.peak.unwrap() / dt) as usize;
            // The last moments before the body meets the floor.
            let mut falls: Vec<f32> = (lands - 9..lands - 3)
                .map(|frame| (height(frame - 1) + height(frame + 1) - 2.0 * height(frame)) / (dt * dt))
                .collect();
            falls.sort_by(f32::total_cmp);
            assert!((-11.0..-8.5).contains(&falls[falls.len() / 2]), "{beat:?} {falls:?}");
            n_seen += 1;
        }
    }
    assert!(n_seen >= 8, "{n_seen}");
}

#[test]
fn the_analyser_recognises_them() {
    let (mut n_right, mut n_all) = (0, 0);
    for seed in [1, 2] {
        for take in football(&Casting { seed, ..casting(Build::AVERAGE, 320.0) }) {
            let analysis = analyse(&take.clip, &Settings::of(Discipline::Football)).unwrap();
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
    assert!(n_right * 100 >= 90 * n_all, "{n_right} of {n_all}");
}

#[test]
fn the_same_seed_gives_the_same_takes_and_another_others() {
    let casting = casting(Build::SLIM, 30.0);
    assert_eq!(football(&casting), football(&casting));
    assert_ne!(football(&casting)[0].clip, football(&Casting { seed: 2, ..casting })[0].clip);
}

#[test]
fn any_length_gives_a_take() {
    for seconds in [0.0, -3.0, 0.01, 1.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let performances = football(&casting(Build::STOCKY, seconds));
        assert!(!performances.is_empty());
        assert!(performances.iter().all(|performance| performance.clip.n_frames() > 0));
    }
}
