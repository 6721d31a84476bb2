//! Shadow boxing by the numbers: feet, speeds, the script, and bodies that stay out of themselves.

use std::collections::BTreeMap;

use glam::Vec3;
use randori_actor::{Casting, Performance, Temperament, boxing};
use randori_motion::annotation::{KNOWN, Kind};
use randori_motion::contacts::{ContactSettings, Contacts};
use randori_motion::{Bone, Build, Character, GlobalPose, Side, Take};
use randori_scene::check::{Footage, Limits, check};

const BUILDS: [Build; 3] = [Build::AVERAGE, Build::SLIM, Build::STOCKY];
const TEMPERAMENTS: [Temperament; 2] = [Temperament::Calm, Temperament::Fierce];

/// Takes of 20 s of every build and temperament.
fn everybody() -> impl Iterator<Item = (String, Performance)> {
    BUILDS.into_iter().zip(["average", "slim", "stocky"]).flat_map(|(build, name)| {
        TEMPERAMENTS.into_iter().enumerate().map(move |(k, temperament)| {
            let casting = Casting { build, temperament, seed: 11 + k as u64, seconds: 20.0 };
            (format!("{name} {temperament:?}"), boxing(&casting).swap_remove(0))
        })
    })
}

fn globals(performance: &Performance) -> Vec<GlobalPose> {
    let skeleton = performance.clip.skeleton();
    performance.clip.frames().map(|frame| skeleton.global_pose(frame)).collect()
}

#[test]
fn the_linter_finds_nothing_with_strict_limits() {
    let limits = Limits {
        foot_slide_cm: 3.0,
        skate_cm_per_s: 5.0,
        foot_sink_cm: 0.1,
        acceleration_m_s2: 900.0,
        root_speed_m_s: 3.5,
        hyperextension_deg: 5.0,
        ..Limits::default()
    };
    for (who, performance) in everybody() {
        let mut take = Take::new(who.clone(), 1);
        take.characters.push(Character {
            name: who.clone(),
            color: [0.5; 3],
            body: performance.body,
            enter: 0.0,
            clip: performance.clip,
        });
        let report = check(&Footage::of_take(&take, 60.0).unwrap(), &limits);
        assert!(report.passes(), "{who} {:#?}", report.findings);
    }
}

#[test]
fn fists_and_feet_are_as_fast_as_those_of_people() {
    let (mut fists, mut usual) = (0, 0);
    for (who, performance) in everybody() {
        let globals = globals(&performance);
        for beat in performance.script.iter().filter(|beat| beat.annotation.kind() == Kind::Attack) {
            let name = beat.annotation.name();
            let side = if name.starts_with("left") { Side::Left } else { Side::Right };
            let is_kick = name.ends_with("kick") || name.ends_with("roundhouse");
            let bone = if is_kick { Bone::LeftToes } else { Bone::LeftHand }.on(side);
            let joint = performance.clip.skeleton().bone(bone).unwrap().idx();
            let peak = (beat.peak.unwrap() * 60.0) as usize;
            let place = |frame: usize| globals[frame.min(globals.len() - 1)].positions[joint];
            let speed = |frame: usize| place(frame + 1).distance(place(frame - 1)) * 30.0;
            let fastest = (peak.max(16) - 15..peak + 2).map(speed).fold(0.0, f32::max);
            let range = if is_kick { 7.5..14.0 } else { 3.8..9.8 };
            assert!(range.contains(&fastest), "{who} {beat:?} {fastest}");
            // Still fast a twentieth of a second before the limb is out.
            let late = speed(peak - 3).max(speed(peak - 2));
            assert!(late > 0.5 * fastest, "{who} {beat:?} {late} of {fastest}");
            if !is_kick {
                fists += 1;
                usual += usize::from((5.0..9.0).contains(&fastest));
            }
        }
    }
    assert!(4 * usual > 3 * fists, "{usual} of {fists} blows are as fast as most");
}

#[test]
fn limbs_stay_out_of_the_body_and_of_each_other() {
    let arms = [Bone::LeftHand, Bone::LeftLowerArm, Bone::RightHand, Bone::RightLowerArm];
    let trunk = [Bone::Head, Bone::Neck, Bone::UpperChest, Bone::Chest, Bone::Spine, Bone::Hips];
    let left_leg = [Bone::LeftLowerLeg, Bone::LeftFoot];
    let right_leg = [Bone::RightLowerLeg, Bone::RightFoot, Bone::RightUpperLeg];
    let thighs = [Bone::LeftUpperLeg];
    let shins = [Bone::RightLowerLeg, Bone::RightFoot];
    let left_arm = [Bone::LeftHand, Bone::LeftLowerArm];
    let right_arm = [Bone::RightHand, Bone::RightLowerArm];
    let apart: [(&[Bone], &[Bone]); 4] =
        [(&arms, &trunk), (&left_leg, &right_leg), (&thighs, &shins), (&left_arm, &right_arm)];
    // Depth (m), frame and number of frames of what is too deep.
    let mut worst = BTreeMap::new();
    for (who, performance) in everybody() {
        let capsules = &performance.body.capsules;
        for (frame, globals) in globals(&performance).iter().enumerate() {
            for (some, others) in apart {
                for a in capsules.iter().filter(|a| some.contains(&a.bone)) {
                    for b in capsules.iter().filter(|b| others.contains(&b.bone)) {
                        let depth = a.radius + b.radius
                            - distance(
                                [globals.point(a.joint, a.a), globals.point(a.joint, a.b)],
                                [globals.point(b.joint, b.a), globals.point(b.joint, b.b)],
                            );
                        if depth >= 0.03 {
                            let worst =
                                worst.entry((who.clone(), a.bone, b.bone)).or_insert((depth, frame, 0));
                            worst.2 += 1;
                            if depth > worst.0 {
                                (worst.0, worst.1) = (depth, frame);
                            }
                        }
                    }
                }
            }
        }
    }
    assert!(worst.is_empty(), "{worst:#?}");
}

#[test]
fn feet_rest_and_leave_the_floor_as_often_as_those_of_captured_boxers() {
    for temperament in TEMPERAMENTS {
        let casting = Casting { build: Build::AVERAGE, temperament, seed: 5, seconds: 60.0 };
        let performance = boxing(&casting).swap_remove(0);
        let contacts = Contacts::of(&performance.clip, &ContactSettings::default()).unwrap();
        // Captured boxers: 130 to 165 a minute, 30 to 54 % of the time on both feet, 19 to 33 % on none.
        assert!(
            (125.0..165.0).contains(&contacts.double_supports_per_minute()),
            "{temperament:?} {}",
            contacts.double_supports_per_minute()
        );
        assert!(
            (0.30..0.54).contains(&contacts.double_support_share()),
            "{temperament:?} {}",
            contacts.double_support_share()
        );
        assert!(
            (0.15..0.33).contains(&contacts.flight_share()),
            "{temperament:?} {}",
            contacts.flight_share()
        );
    }
}

#[test]
fn seven_minutes_hold_every_attack_and_defence_often_enough() {
    let casting = Casting { build: Build::AVERAGE, temperament: Temperament::Calm, seed: 1, seconds: 420.0 };
    let takes = boxing(&casting);
    assert_eq!(takes.len(), 7);
    let mut counts = BTreeMap::new();
    for take in &takes {
        assert_eq!(take.clip.n_frames(), 3601);
        for pair in take.script.windows(2) {
            assert!(pair[0].start <= pair[1].start);
        }
        for beat in &take.script {
            assert!(beat.annotation.word().is_some(), "{beat:?}");
            let peak = beat.peak.unwrap_or(beat.start);
            assert!(
                0.0 <= beat.start && beat.start <= peak && peak <= beat.end && beat.end <= 60.0,
                "{beat:?}"
            );
            *counts.entry(beat.annotation.name().to_owned()).or_insert(0) += 1;
        }
    }
    assert!(counts.values().sum::<i32>() >= 400, "{counts:?}");
    for word in KNOWN {
        let others = ["cut-", "block-", "lunge", "dodge", "spin", "jump-over", "step-aside", "tackle"];
        let is_boxing =
            !word.name.ends_with("catch") && !others.iter().any(|other| word.name.starts_with(other));
        let counts_here = matches!(word.kind, Kind::Attack | Kind::Defence) || word.name.starts_with("step");
        if is_boxing && counts_here {
            assert!(counts.get(word.name).is_some_and(|count| *count >= 5), "{}: {counts:?}", word.name);
        }
    }
}

#[test]
fn takes_follow_from_the_casting_alone() {
    let casting = Casting { build: Build::SLIM, temperament: Temperament::Fierce, seed: 3, seconds: 8.0 };
    assert_eq!(boxing(&casting), boxing(&casting));
    assert_ne!(boxing(&casting)[0].clip, boxing(&Casting { seed: 4, ..casting })[0].clip);
    for seconds in [0.0, -3.0, f32::NAN, f32::NEG_INFINITY, 0.01] {
        let takes = boxing(&Casting { seconds, ..casting });
        assert_eq!((takes.len(), takes[0].clip.n_frames()), (1, 1), "{seconds}");
    }
}

/// The least distance between two segments, along one of them (m): exact enough for limbs.
fn distance([a0, a1]: [Vec3; 2], [b0, b1]: [Vec3; 2]) -> f32 {
    let along = b1 - b0;
    let nearest = |p: Vec3| {
        let share = (p - b0).dot(along) / along.length_squared().max(1e-9);
        p.distance(b0 + along * share.clamp(0.0, 1.0))
    };
    (0..=16).map(|k| nearest(a0.lerp(a1, k as f32 / 16.0))).fold(f32::INFINITY, f32::min)
}
