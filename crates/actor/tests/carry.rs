//! Carrying holds up before the linter, loads stay rigid in the hands, and everything goes the way it is called.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use glam::Vec3;
use randori_actor::{Beat, Casting, Performance, Temperament, carrying, exchanges};
use randori_motion::analyse::{Discipline, Settings, analyse, placement_of_pose};
use randori_motion::annotation::{Annotation, KNOWN, Load};
use randori_motion::math::{angle_between, nearest_points, wrap_angle};
use randori_motion::{Bone, Build, Capsule, Character, GlobalPose, Side, Take};
use randori_scene::check::{Footage, Limits, check};

/// As long as the built-in library, of which a part is exchanges.
const WHOLE: f32 = 720.0;
const EXCHANGES: f32 = 240.0;

fn all() -> &'static [Performance] {
    static TAKES: OnceLock<Vec<Performance>> = OnceLock::new();
    TAKES.get_or_init(|| {
        let casting =
            Casting { build: Build::AVERAGE, temperament: Temperament::Calm, seed: 1, seconds: WHOLE };
        let others = [(Build::SLIM, Temperament::Fierce, 2), (Build::STOCKY, Temperament::Calm, 3)]
            .map(|(build, temperament, seed)| Casting { build, temperament, seed, seconds: 150.0 });
        let passing = Casting { seconds: EXCHANGES, ..casting };
        let mut takes = carrying(&casting);
        takes.extend(exchanges(&passing));
        takes.extend(others.iter().flat_map(carrying));
        takes.extend(others.iter().flat_map(|casting| exchanges(&Casting { seconds: 60.0, ..*casting })));
        takes
    })
}

fn of_the_library() -> &'static [Performance] {
    let others = all().iter().position(|take| take.body != all()[0].body).unwrap();
    &all()[..others]
}

fn frame(take: &Performance, t: f32) -> usize {
    ((f64::from(t) * take.clip.rate().fps()) as usize).min(take.clip.n_frames() - 1)
}

fn globals(take: &Performance, frame: usize) -> GlobalPose {
    take.body.skeleton.global_pose(take.clip.frame(frame))
}

fn place(take: &Performance, globals: &GlobalPose, bone: Bone) -> Vec3 {
    globals.positions[take.body.skeleton.bone(bone).unwrap().idx()]
}

/// Where the palms are, as the documentation of the module has it.
fn palms(take: &Performance, globals: &GlobalPose) -> [Vec3; 2] {
    let skeleton = &take.body.skeleton;
    let stature = skeleton.joint(skeleton.bone(Bone::Hips).unwrap()).offset.y / 0.54;
    Side::BOTH.map(|side| {
        let hand = skeleton.bone(Bone::LeftHand.on(side)).unwrap();
        let along = if side == Side::Left { Vec3::X } else { Vec3::NEG_X };
        globals.point(hand, along * (0.0243 * stature))
    })
}

/// Frames in which loads are in the hands, from the moment in which hands close to that in which they open.
fn holds(take: &Performance) -> Vec<(Load, Range<usize>)> {
    let mut found = Vec::new();
    let mut taken: Option<(Load, usize)> = None;
    for beat in &take.script {
        match beat.annotation.holds() {
            [None, Some(load)] => taken = Some((load, frame(take, beat.peak.unwrap()) + 1)),
            [Some(load), None] => {
                let (same, start) = taken.take().unwrap();
                assert_eq!(same, load, "{beat:?}");
                found.push((load, start..frame(take, beat.peak.unwrap())));
            }
            _ => {}
        }
    }
    assert!(taken.is_none(), "{} ends with something in the hands", take.name);
    found
}

#[test]
fn the_linter_finds_nothing_even_with_strict_limits() {
    let limits = Limits {
        foot_slide_cm: 1.0,
        skate_cm_per_s: 5.0,
        foot_sink_cm: 0.5,
        acceleration_m_s2: 300.0,
        root_speed_m_s: 2.5,
        flexion_deg: 152.0,
        hyperextension_deg: 1.0,
        ..Limits::default()
    };
    for performance in all() {
        let mut take = Take::new(&performance.name, 1);
        let (name, color, body) = ("porter".to_owned(), [0.5; 3], Arc::clone(&performance.body));
        take.characters.push(Character { name, color, body, enter: 0.0, clip: performance.clip.clone() });
        let report = check(&Footage::of_take(&take, 60.0).unwrap(), &limits);
        assert!(report.passes(), "{} {:#?}", performance.name, report.findings);
    }
}

#[test]
fn loads_are_rigid_and_as_wide_as_they_are_called() {
    let mut n_holds = 0;
    for take in all() {
        for (load, frames) in holds(take) {
            let width = if load.is_large { 0.50 } else { 0.30 };
            for frame in frames {
                let globals = globals(take, frame);
                let [left, right] = palms(take, &globals);
                let wrists =
                    place(take, &globals, Bone::LeftHand).distance(place(take, &globals, Bone::RightHand));
                for apart in [left.distance(right), wrists] {
                    assert!((apart - width).abs() < 0.005, "{} {frame} {load:?} {apart}", take.name);
                }
                // Level, and in front of the trunk.
                assert!((left.y - right.y).abs() < 0.01, "{} {frame}", take.name);
                let facing = placement_of_pose(&take.body.skeleton, take.clip.frame(frame));
                assert!(facing.point_from_world(0.5 * (left + right)).z > 0.15, "{} {frame}", take.name);
            }
            n_holds += 1;
        }
    }
    assert!(n_holds >= 12, "{n_holds}");
}

#[test]
fn loads_come_from_the_floor_and_from_hands_of_others() {
    for take in all() {
        for beat in &take.script {
            let Some(peak) = beat.peak else { continue };
            let [left, right] = palms(take, &globals(take, frame(take, peak)));
            let middle = 0.5 * (left + right);
            let facing = placement_of_pose(&take.body.skeleton, take.clip.frame(frame(take, peak)));
            let ahead = facing.point_from_world(middle).z;
            match beat.annotation.stem() {
                "hand-over" | "receive" => {
                    assert!(middle.y > 0.85 && ahead > 0.38, "{beat:?} {middle} {ahead}");
                }
                _ => assert!(middle.y < 0.26, "{beat:?} {middle}"),
            }
        }
    }
}

#[test]
fn wrists_and_trunk_stay_within_what_bodies_can() {
    const TRUNK: [Bone; 5] = [Bone::UpperChest, Bone::Chest, Bone::Spine, Bone::Hips, Bone::Head];
    for take in all() {
        let skeleton = &take.body.skeleton;
        let ends = |capsule: &Capsule, globals: &GlobalPose| {
            [globals.point(capsule.joint, capsule.a), globals.point(capsule.joint, capsule.b)]
        };
        for frame in (0..take.clip.n_frames()).step_by(3) {
            let globals = globals(take, frame);
            let turn = |bone: Bone| globals.rotations[skeleton.bone(bone).unwrap().idx()];
            for side in Side::BOTH {
                let bend = angle_between(turn(Bone::LeftLowerArm.on(side)), turn(Bone::LeftHand.on(side)));
                // Turning the palms over is part of it: forearms have no twist of their own.
                assert!(bend < 1.9, "{} {frame} {side:?} {bend}", take.name);
            }
            assert!(angle_between(turn(Bone::Hips), turn(Bone::UpperChest)) < 1.0, "{} {frame}", take.name);
            for arm in take.body.capsules.iter().filter(|capsule| {
                [Bone::LeftLowerArm, Bone::LeftHand, Bone::RightLowerArm, Bone::RightHand]
                    .contains(&capsule.bone)
            }) {
                for trunk in take.body.capsules.iter().filter(|capsule| TRUNK.contains(&capsule.bone)) {
                    let [a, b] = nearest_points(ends(arm, &globals), ends(trunk, &globals));
                    let depth = arm.radius + trunk.radius - a.distance(b);
                    assert!(depth < 0.03, "{} {frame} {:?} {:?} {depth}", take.name, arm.bone, trunk.bone);
                }
            }
        }
    }
}

#[test]
fn everything_is_done_with_everything() {
    let done: BTreeSet<&str> =
        (of_the_library().iter()).flat_map(|take| &take.script).map(|beat| beat.annotation.name()).collect();
    let mut missing = Vec::new();
    let loads = [(false, false), (false, true), (true, false), (true, true)];
    for word in KNOWN {
        let is_shared = word.name.starts_with("pair-");
        let carries = ["lift", "put-down", "hand-over", "receive"].contains(&word.name)
            || word.name.starts_with("carry-")
            || is_shared;
        if !carries {
            continue;
        }
        for (is_heavy, is_large) in loads.into_iter().filter(|(_, is_large)| !is_shared || *is_large) {
            let name = Annotation::of(word.name).with(Load { is_heavy, is_large, is_shared });
            missing.extend((!done.contains(name.name())).then(|| name.name().to_owned()));
        }
    }
    assert!(missing.is_empty(), "nobody does {missing:?}");
    for word in ["idle", "walk", "walk-left", "walk-right", "turn-left", "turn-right", "start", "stop"] {
        assert!(done.contains(word), "nobody does {word}");
    }
}

#[test]
fn every_load_changes_hands_many_times() {
    for (is_heavy, is_large) in [(false, false), (false, true), (true, false), (true, true)] {
        let load = Load { is_heavy, is_large, is_shared: false };
        for stem in ["hand-over", "receive"] {
            let name = Annotation::of(stem).with(load);
            let beats = of_the_library().iter().flat_map(|take| &take.script);
            let n_done = beats.filter(|beat| beat.annotation == name).count();
            eprintln!("{name}: {n_done}");
            assert!(n_done >= 6, "{name}: {n_done}");
        }
    }
}

#[test]
fn scripts_are_in_order_full_and_known() {
    let n_beats: usize = of_the_library().iter().map(|take| take.script.len()).sum();
    assert!(n_beats >= 400, "{n_beats}");
    for take in all() {
        assert!(take.script.windows(2).all(|pair| (pair[0].end - pair[1].start).abs() < 1e-3));
        assert!(take.script.iter().all(|beat| beat.end > beat.start && beat.annotation.word().is_some()));
        assert!(take.script.iter().all(|beat| beat.peak.is_none_or(|t| (beat.start..beat.end).contains(&t))));
        let last = take.script.last().unwrap();
        assert!((f64::from(last.end) - take.clip.duration()).abs() < 0.05);
    }
}

/// How far a body goes in a beat, to the left and ahead (m), and how far it turns to the left (rad).
fn way(take: &Performance, beat: &Beat) -> (Vec3, f32) {
    let at = |t: f32| placement_of_pose(&take.body.skeleton, take.clip.sample(f64::from(t)).view());
    let (from, to) = (at(beat.start), at(beat.end));
    (from.point_from_world(to.position.at_height(0.0)), wrap_angle(to.heading - from.heading))
}

#[test]
fn steps_go_where_they_are_called_after() {
    let mut n_seen = 0;
    for take in all() {
        for beat in &take.script {
            let stem = beat.annotation.stem();
            let name = stem.strip_prefix("pair-").unwrap_or(stem);
            let (moved, turned) = way(take, beat);
            let Some(direction) = name.strip_prefix("carry-") else { continue };
            let expected = match direction {
                "stand" => {
                    assert!(moved.length() < 0.2, "{beat:?} {moved}");
                    continue;
                }
                "turn-left" => {
                    assert!(turned > 0.04, "{beat:?} {turned}");
                    continue;
                }
                "turn-right" => {
                    assert!(turned < -0.04, "{beat:?} {turned}");
                    continue;
                }
                eighth => Vec3::new(
                    f32::from(i8::from(eighth.contains("left")) - i8::from(eighth.contains("right"))),
                    0.0,
                    f32::from(i8::from(eighth.contains("forward")) - i8::from(eighth.contains("back"))),
                ),
            };
            let cosine = moved.normalize().dot(expected.normalize());
            assert!(cosine > 0.75, "{beat:?} {moved} {expected}");
            n_seen += 1;
        }
    }
    assert!(n_seen >= 150, "{n_seen}");
}

#[test]
fn heavy_loads_are_carried_lower_slower_and_leaning_back() {
    let mean = |is_heavy: bool, quantity: &dyn Fn(&Performance, &Beat) -> f32| {
        let of = |take: &'static Performance| {
            (take.script.iter())
                .filter(move |beat| {
                    beat.annotation.stem() == "carry-forward"
                        && beat.annotation.holds()[0].is_some_and(|load| load.is_heavy == is_heavy)
                })
                .map(move |beat| quantity(take, beat))
        };
        let values: Vec<f32> = of_the_library().iter().flat_map(of).collect();
        values.iter().sum::<f32>() / values.len() as f32
    };
    let at = |take: &Performance, beat: &Beat| globals(take, frame(take, 0.5 * (beat.start + beat.end)));
    let height = |take: &Performance, beat: &Beat| at(take, beat).positions[0].y;
    let speed = |take: &Performance, beat: &Beat| way(take, beat).0.length() / (beat.end - beat.start);
    let length = |take: &Performance, beat: &Beat| way(take, beat).0.length();
    let lean = |take: &Performance, beat: &Beat| {
        let globals = at(take, beat);
        let facing = placement_of_pose(&take.body.skeleton, take.clip.sample(f64::from(beat.start)).view());
        let up = place(take, &globals, Bone::Neck) - globals.positions[0];
        (facing.rotation().inverse() * up).z
    };
    assert!(mean(true, &height) < mean(false, &height) - 0.02);
    assert!(mean(true, &speed) < 0.75 * mean(false, &speed));
    assert!(mean(true, &length) < 0.85 * mean(false, &length));
    assert!(mean(true, &lean) < mean(false, &lean) - 0.05);
}

#[test]
fn the_analyser_recognises_them() {
    let (mut n_right, mut n_all) = (0, 0);
    for take in all() {
        let analysis = analyse(&take.clip, &Settings::of(Discipline::Carrying)).unwrap();
        for beat in &take.script {
            let moment = frame(take, beat.peak.unwrap_or(0.5 * (beat.start + beat.end)));
            let found = analysis.segments.iter().find(|segment| segment.frames.contains(&moment));
            let found = found.map_or("nothing", |segment| segment.annotation.name());
            n_all += 1;
            n_right += usize::from(found == beat.annotation.name());
            if found != beat.annotation.name() {
                eprintln!("{} {:.2} {}: {found}", take.name, beat.start, beat.annotation);
            }
        }
    }
    eprintln!("{n_right} of {n_all}");
    assert!(n_right * 100 >= 90 * n_all, "{n_right} of {n_all}");
}

#[test]
fn the_same_seed_gives_the_same_takes_and_another_others() {
    let casting = Casting { build: Build::SLIM, temperament: Temperament::Calm, seed: 7, seconds: 20.0 };
    assert_eq!(carrying(&casting), carrying(&casting));
    assert_eq!(exchanges(&casting), exchanges(&casting));
    assert_ne!(carrying(&casting)[0].clip, carrying(&Casting { seed: 8, ..casting })[0].clip);
}

#[test]
fn any_length_gives_a_take() {
    for seconds in [0.0, -3.0, 0.01, 1.0, 14.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let casting = Casting { build: Build::STOCKY, temperament: Temperament::Fierce, seed: 1, seconds };
        for performances in [carrying(&casting), exchanges(&casting)] {
            assert!(!performances.is_empty());
            assert!(performances.iter().all(|performance| performance.clip.n_frames() > 0));
        }
    }
}
