//! Damaged takes come out mended, and never worse.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::Vec3;
use randori_actor::{Casting, Temperament, boxing, sparring};
use randori_motion::analyse::{Discipline, Settings as Analysis, analyse};
use randori_motion::library::{Likeness, Recording, assemble, play, walk};
use randori_motion::{
    ActionLibrary, Build, Character, Clip, Event, EventKind, FrameRate, Ground, Placement, Take,
};
use randori_scene::check::{Footage, Kind, Limits, check};
use randori_scene::refine::{Report, Settings, Stage, refine};

/// Shifts one character of a take, frame by frame: seconds to metres.
fn shift(take: &mut Take, who: usize, by: impl Fn(f32) -> Vec3) {
    let character = &mut take.characters[who];
    let rate = character.clip.rate();
    let shifted = character.clip.map_poses(|frame, pose| {
        pose.translations[0] += by(rate.time_of(frame) as f32);
    });
    character.clip = shifted.unwrap();
}

fn slid(seed: u64) -> Take {
    let mut take = sparring(seed);
    shift(&mut take, 0, |t| Vec3::new(0.12 * libm::sinf(2.0 * t), 0.0, 0.08 * libm::cosf(3.1 * t)));
    take
}

fn apart(seed: u64, by: f32) -> Take {
    let mut take = sparring(seed);
    shift(&mut take, 1, |_| Vec3::Z * by);
    take
}

#[test]
fn feet_that_slide_stand() {
    for seed in [1, 2, 3] {
        let mut take = slid(seed);
        let report = refine(&mut take, &Settings::default());
        let blue = &report.characters[0];
        assert!(blue.foot_slide_cm[0] > 15.0 && blue.foot_slide_cm[1] < 2.0, "{blue:?}");
        assert!(blue.skate_cm_per_s[0] > 15.0 && blue.skate_cm_per_s[1] < 5.0, "{blue:?}");
        assert!(blue.feet_held > 10, "{blue:?}");
        // A blow that ends at a surface stops harder than one that does not, but not as hard as captured ones.
        assert!(blue.peak_acceleration_m_s2[1] < 600.0, "{blue:?}");
        let after = check(&Footage::of_take(&take, 60.0).unwrap(), &Limits::default());
        assert!(after.passes(), "{:?}", after.findings);
        assert!(after.characters.iter().all(|it| it.body.bone_stretch_mm < 0.1));
    }
}

/// Gaps of all blows (cm), before and after.
fn gaps(mut take: Take) -> Vec<[f64; 2]> {
    let report = refine(&mut take, &Settings::default());
    let gaps: Vec<[f64; 2]> = report.blows.iter().map(|blow| blow.gap_cm).collect();
    assert_eq!(gaps.len(), 4, "{report:?}");
    gaps
}

#[test]
fn blows_that_miss_touch_and_blows_that_are_buried_stop_at_the_surface() {
    let mut farthest: f64 = 0.0;
    for seed in 1..4 {
        for by in [-0.10, -0.05, 0.0, 0.05, 0.08, 0.12, 0.15, 0.2] {
            for [before, after] in gaps(apart(seed, by)) {
                farthest = farthest.max(before);
                // Where arm, back and hips together are at their ends, a hair's breadth stays.
                let longest = if before > 12.0 { 3.0 } else { 1.5 };
                assert!(
                    (-2.1..longest).contains(&after),
                    "seed {seed}, {by} m apart: {before} to {after} cm"
                );
            }
        }
    }
    assert!(farthest > 12.0, "none of the blows missed by much: {farthest} cm");
}

#[test]
fn the_bone_that_an_event_names_is_hit() {
    let mut take = apart(1, 0.06);
    take.events.retain(|event| event.kind == EventKind::Hit);
    for event in &mut take.events {
        event.details.insert("bone".to_owned(), "upperChest".into());
    }
    let mut other = take.clone();
    other.events.iter_mut().for_each(|event| _ = event.details.remove("bone"));
    refine(&mut take, &Settings::default());
    refine(&mut other, &Settings::default());
    assert_ne!(take.characters[0].clip, other.characters[0].clip);
}

#[test]
fn torsos_leave_each_other_and_feet_stay() {
    for (seed, by) in [(1, -0.55), (2, -0.6), (3, -0.6), (4, -0.58)] {
        let mut take = apart(seed, by);
        let feet_before = feet(&take);
        let report = refine(&mut take, &Settings { blows: false, limbs: false, ..Settings::default() });
        let pair = &report.pairs[0];
        assert!(pair.frames_core_deeper_3cm_percent[0] > 1.0, "{pair:?}");
        assert!(pair.frames_core_deeper_3cm_percent[1] < 0.2, "{pair:?}");
        assert!(pair.core_penetration_cm[1] < 3.0, "{pair:?}");
        // Both share.
        assert!(report.characters.iter().all(|it| (0.5..12.0).contains(&it.hips_shift_cm)), "{report:?}");
        let farthest = feet_before.iter().zip(feet(&take)).map(|(a, b)| a.distance(b)).fold(0.0, f32::max);
        assert!(farthest < 0.002, "{farthest}");
    }
}

/// Where all balls of the feet are in all frames.
fn feet(take: &Take) -> Vec<Vec3> {
    let footage = Footage::of_take(take, 60.0).unwrap();
    let tracks = footage.performers.iter().flat_map(|performer| &performer.tracks);
    let balls = tracks.filter(|track| track.name.ends_with("Toes"));
    balls.flat_map(|track| track.positions.clone()).collect()
}

#[test]
fn arms_leave_bodies() {
    for seed in [1, 2] {
        let mut take = apart(seed, -0.1);
        let report = refine(&mut take, &Settings::default());
        let [before, after] = report.pairs[0].limb_penetration_cm;
        assert!(before > 5.0 && after < 3.0, "{before} {after}");
    }
}

/// Findings by kind: how many, and the worst.
fn findings(take: &Take) -> BTreeMap<Kind, (usize, f64)> {
    let mut kinds = BTreeMap::new();
    for finding in check(&Footage::of_take(take, 60.0).unwrap(), &Limits::default()).findings {
        let entry = kinds.entry(finding.kind).or_insert((0, 0.0_f64));
        *entry = (entry.0 + 1, entry.1.max(finding.value));
    }
    kinds
}

#[test]
fn the_linter_never_finds_more_than_before() {
    let mut n_mended = 0;
    for seed in 0..24_u64 {
        let mut take = sparring(seed);
        let s = seed as f32;
        let away = Vec3::new(0.15 * libm::sinf(1.7 * s), 0.0, -0.45 + 0.5 * libm::cosf(2.3 * s));
        shift(&mut take, 1, |t| away + 0.02 * s * Vec3::X * libm::sinf(0.4 * s + (1.0 + 0.1 * s) * t));
        shift(&mut take, 0, |t| 0.01 * s * Vec3::Z * libm::sinf(1.3 * s + 2.0 * t));
        let before = findings(&take);
        let report = refine(&mut take, &Settings::default());
        let after = findings(&take);
        for (kind, (n, worst)) in &after {
            let (n_before, worst_before) = before.get(kind).copied().unwrap_or_default();
            assert!(
                *n <= n_before && *worst <= worst_before * 1.0001,
                "seed {seed}, {kind:?}: {before:?} {after:?}"
            );
        }
        let total = |kinds: &BTreeMap<Kind, (usize, f64)>| kinds.values().map(|(n, _)| n).sum::<usize>();
        assert_eq!(report.findings, [total(&before), total(&after)], "seed {seed}");
        n_mended += total(&before) - total(&after);
    }
    assert!(n_mended > 20, "{n_mended}");
}

fn boxer() -> ActionLibrary {
    let casting = Casting { build: Build::AVERAGE, temperament: Temperament::Calm, seed: 3, seconds: 40.0 };
    let recordings: Vec<Recording> = boxing(&casting)
        .into_iter()
        .map(|performance| {
            let analysis = analyse(&performance.clip, &Analysis::of(Discipline::Boxing)).unwrap();
            let [left, right] = analysis.contacts.feet;
            Recording {
                clip: performance.clip,
                standing: [left.down, right.down],
                segments: analysis.segments,
            }
        })
        .collect();
    assemble("boxer", "boxing", Build::AVERAGE, &recordings, &Likeness::default()).unwrap()
}

/// Two who perform actions at random, without any regard for each other.
fn heedless(library: &ActionLibrary, seed: u64) -> Take {
    let mut take = Take::new("heedless", seed);
    let half_turn = std::f32::consts::PI;
    for (idx, (name, z, heading)) in [("a", 0.0, 0.0), ("b", 0.75, half_turn)].into_iter().enumerate() {
        let start = Placement { position: Ground { x: 0.0, z }, heading };
        let actions = walk(library, 12.0, 2 * seed + idx as u64);
        let clip = play(library, start, &actions).unwrap();
        let body = Arc::clone(library.body());
        take.characters.push(Character { name: name.to_owned(), color: [0.5; 3], body, enter: 0.0, clip });
    }
    take
}

#[test]
fn boxers_of_a_library_who_walk_into_each_other_come_out_better() {
    let library = boxer();
    let (mut before, mut after) = ([0.0; 3], [0.0; 3]);
    for seed in 0..8 {
        let mut take = heedless(&library, seed);
        let raw = findings(&take);
        let report = refine(&mut take, &Settings::default());
        for (kind, (n, worst)) in findings(&take) {
            let (n_raw, worst_raw) = raw.get(&kind).copied().unwrap_or_default();
            assert!(n <= n_raw && worst <= worst_raw * 1.0001, "seed {seed}, {kind:?}");
        }
        for pair in &report.pairs {
            before[0] += pair.frames_core_deeper_3cm_percent[0];
            after[0] += pair.frames_core_deeper_3cm_percent[1];
            before[2] += pair.seconds_arms_inside[0];
            after[2] += pair.seconds_arms_inside[1];
        }
        for character in &report.characters {
            before[1] += character.skate_cm_per_s[0];
            after[1] += character.skate_cm_per_s[1];
        }
    }
    // Core frames in per cent, skate in cm/s, arms inside the other in seconds, summed over all.
    assert!(before[0] > 5.0 && after[0] < 0.5, "{before:?} {after:?}");
    assert!(after[1] <= 1.01 * before[1], "{before:?} {after:?}");
    assert!(after[2] < 0.5 * before[2], "{before:?} {after:?}");
}

#[test]
fn the_same_for_any_number_of_threads() {
    let run = |n_threads: usize| -> (Take, Report) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
        let mut take = slid(5);
        shift(&mut take, 1, |_| Vec3::NEG_Z * 0.4);
        let report = pool.install(|| refine(&mut take, &Settings::default()));
        (take, report)
    };
    let (one, two) = (run(1), run(2));
    assert_eq!(one.1, two.1);
    assert_eq!(one.0, two.0);
}

#[test]
fn what_is_good_is_left_alone() {
    let mut take = sparring(1);
    take.events.clear();
    shift(&mut take, 1, |_| Vec3::Z * 1.5);
    let before = take.clone();
    let report = refine(&mut take, &Settings::default());
    assert_eq!(take, before);
    assert!(report.reverted.is_empty());
    // Nor is anything done that was not asked for.
    let mut take = apart(1, -0.3);
    let before = take.clone();
    refine(
        &mut take,
        &Settings { feet: false, bodies: false, blows: false, limbs: false, ..Settings::default() },
    );
    assert_eq!(take, before);
}

#[test]
fn what_was_mended_needs_little_more() {
    let mut take = apart(1, 0.1);
    refine(&mut take, &Settings::default());
    let report = refine(&mut take, &Settings::default());
    assert!(report.blows.iter().all(|blow| (-2.1..1.5).contains(&blow.gap_cm[0])), "{report:?}");
    assert!(report.characters.iter().all(|it| it.hand_shift_cm < 3.0 && it.feet_held == 0), "{report:?}");
}

fn standing(name: &str, place: Vec3, rate: FrameRate, n_frames: usize, enter: f64) -> Character {
    let body = Arc::new(Build::AVERAGE.body());
    let poses = (0..n_frames).map(|_| {
        let mut pose = body.skeleton.rest_pose();
        pose.translations[0] += place;
        pose
    });
    let clip = Clip::from_poses("stand", Arc::clone(&body.skeleton), rate, poses).unwrap();
    Character { name: name.to_owned(), color: [0.5; 3], body, enter, clip }
}

#[test]
fn hands_that_strike_each_other_at_once_meet_half_way() {
    // Arms spread, side by side: one's left hand is 6 cm in the other's right.
    let rate = FrameRate::HOUSE;
    let mut take = Take::new("clash", 1);
    let at = |name: &str, x: f32| standing(name, Vec3::X * x, rate, 120, 0.0);
    take.characters = vec![at("ann", 0.0), at("bob", 0.0)];
    let blow = |who: &str, whom: &str, part: &str| Event {
        who: Some(who.to_owned()),
        whom: Some(whom.to_owned()),
        part: Some(part.to_owned()),
        ..Event::new(1.0, EventKind::Blocked)
    };
    take.events = vec![blow("ann", "bob", "leftHand"), blow("bob", "ann", "rightHand")];
    let gaps = |take: &Take| -> Vec<[f64; 2]> {
        refine(&mut take.clone(), &Settings::default()).blows.iter().map(|it| it.gap_cm).collect()
    };
    // As far apart as makes them 6 cm deep.
    let span = (100..250).map(|cm| cm as f32 / 100.0).find(|x| {
        take.characters[1] = at("bob", *x);
        gaps(&take)[0][0] > -6.5
    });
    assert!(span.is_some());
    for [before, after] in gaps(&take) {
        assert!(before < -5.0 && (-2.1..1.5).contains(&after), "{before} to {after} cm");
    }
}

#[test]
fn odd_takes_are_no_trouble() {
    let rate = |fps| FrameRate::new(fps, 1).unwrap();
    let here = Vec3::ZERO;
    let hit = |t: f64, who: &str, whom: &str, part: &str| {
        let mut event = Event::new(t, EventKind::Hit);
        (event.who, event.whom) = (Some(who.to_owned()), Some(whom.to_owned()));
        event.part = Some(part.to_owned());
        event
    };
    let mut take = Take::new("odd", 1);
    assert_eq!(refine(&mut take, &Settings::default()), Report::default());
    for n_frames in [1, 2, 3, 7] {
        take.characters = vec![standing("one", here, rate(60), n_frames, 0.0)];
        refine(&mut take, &Settings::default());
    }
    // Right inside each other, at other rates, entering late and leaving early, hit by and with whatever.
    take.characters = vec![
        standing("a", here, rate(60), 200, 0.0),
        standing("b", here, rate(24), 40, 0.31),
        standing("c", Vec3::X * 0.2, rate(120), 1, 1.0),
        standing("d", Vec3::Z * 0.3, FrameRate::new(30_000, 1001).unwrap(), 50, 7.77),
    ];
    take.events = vec![
        hit(0.0, "a", "b", "rightHand"),
        hit(0.5, "a", "b", "rightHand"),
        hit(0.5, "a", "b", "rightHand"),
        hit(0.5, "b", "a", "head"),
        hit(0.6, "a", "a", "leftHand"),
        hit(0.7, "b", "a", "leftFoot"),
        hit(0.8, "nobody", "a", "leftFoot"),
        hit(0.9, "a", "b", "tail"),
        hit(1.0, "a", "c", "leftLowerArm"),
        hit(99.0, "a", "b", "rightHand"),
    ];
    let report = refine(&mut take, &Settings::default());
    assert_eq!(take.validate(), Ok(()));
    assert_eq!(report.characters.len(), 4);
    // A settings' rate that nothing can be looked at with changes nothing.
    let before = take.clone();
    for fps in [0.0, f64::NAN, 1e9] {
        refine(&mut take, &Settings { fps, ..Settings::default() });
    }
    assert_eq!(take, before);
    // A skeleton without limbs.
    let mut creature = randori_testkit::takes::creature(3);
    refine(&mut creature, &Settings::default());
    let mut motley = randori_testkit::takes::motley();
    refine(&mut motley, &Settings::default());
}

#[test]
fn what_makes_it_worse_is_taken_back_and_said() {
    // Limbs deep in each other cannot be freed calmly everywhere.
    let mut take = apart(1, -0.8);
    let before = findings(&take);
    let report = refine(&mut take, &Settings::default());
    assert!(report.reverted.iter().all(|it| it.stage == Stage::Limbs && it.seconds.is_some()), "{report:?}");
    assert!(before.contains_key(&Kind::Penetration) && findings(&take).is_empty());
}
