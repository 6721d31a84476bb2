//! Running around holds up before the linter, has the rhythm of people, and follows its script.

use std::collections::BTreeMap;
use std::sync::Arc;

use randori_actor::{Casting, Performance, Temperament, running};
use randori_motion::contacts::{ContactSettings, Contacts};
use randori_motion::{Bone, Build, Character, Side, Take};
use randori_scene::check::{Footage, Limits, check};

const BUILDS: [Build; 3] = [Build::AVERAGE, Build::SLIM, Build::STOCKY];
const TEMPERAMENTS: [Temperament; 2] = [Temperament::Calm, Temperament::Fierce];

fn castings(seconds: f32) -> impl Iterator<Item = Casting> {
    let pairs = BUILDS.into_iter().flat_map(|build| TEMPERAMENTS.map(|temperament| (build, temperament)));
    pairs.zip(1..).map(move |((build, temperament), seed)| Casting { build, temperament, seed, seconds })
}

/// Frames of the beats whose word satisfies `counts`.
fn frames<'a>(
    performance: &'a Performance,
    counts: impl Fn(&str) -> bool + 'a,
) -> impl Iterator<Item = usize> + 'a {
    let fps = performance.clip.rate().fps() as f32;
    let beats = performance.script.iter().filter(move |beat| counts(beat.annotation.name()));
    beats.flat_map(move |beat| (beat.start * fps) as usize..(beat.end * fps) as usize)
}

fn is_walk(word: &str) -> bool {
    word.starts_with("walk")
}

fn is_run(word: &str) -> bool {
    word.starts_with("jog") || word.starts_with("run")
}

#[test]
fn the_linter_finds_nothing_even_with_strict_limits() {
    let limits = Limits {
        foot_slide_cm: 1.0,
        skate_cm_per_s: 5.0,
        foot_sink_cm: 0.1,
        acceleration_m_s2: 800.0,
        root_speed_m_s: 6.5,
        ..Limits::default()
    };
    for casting in castings(50.0) {
        for performance in running(&casting) {
            let mut take = Take::new(&performance.name, casting.seed);
            let body = Arc::clone(&performance.body);
            let (name, color) = ("runner".to_owned(), [0.5; 3]);
            take.characters.push(Character { name, color, body, enter: 0.0, clip: performance.clip });
            let report = check(&Footage::of_take(&take, 60.0).unwrap(), &limits);
            assert!(report.passes(), "{casting:?} {:#?}", report.findings);
        }
    }
}

#[test]
fn walking_has_double_support_and_running_has_flight() {
    for casting in castings(100.0) {
        let mut counts = BTreeMap::new();
        for performance in running(&casting) {
            let contacts = Contacts::of(&performance.clip, &ContactSettings::default()).unwrap();
            for (gait, counts_as) in [("walk", is_walk as fn(&str) -> bool), ("run", is_run)] {
                for frame in frames(&performance, counts_as) {
                    let [left, right] = contacts.feet.each_ref().map(|foot| foot.down[frame]);
                    *counts.entry((gait, left as usize + right as usize)).or_insert(0.0) += 1.0;
                }
            }
        }
        let share = |gait, n_feet| {
            let all: f64 = (0..3).filter_map(|n| counts.get(&(gait, n))).sum();
            counts.get(&(gait, n_feet)).copied().unwrap_or(0.0) / all
        };
        assert!((0.15..0.30).contains(&share("walk", 2)), "{casting:?} {counts:?}");
        assert!(share("walk", 0) < 0.05, "{casting:?} {counts:?}");
        assert!((0.35..0.55).contains(&share("run", 0)), "{casting:?} {counts:?}");
        assert!(share("run", 2) < 0.02, "{casting:?} {counts:?}");
    }
}

#[test]
fn hips_fall_freely_while_no_foot_is_down() {
    for performance in castings(50.0).flat_map(|casting| running(&casting)) {
        let contacts = Contacts::of(&performance.clip, &ContactSettings::default()).unwrap();
        let height = |frame: usize| performance.clip.frame(frame).root().y;
        let dt = 1.0 / performance.clip.rate().fps() as f32;
        let flies = |frame: usize| contacts.feet.iter().all(|foot| !foot.down[frame]);
        let mut falls: Vec<f32> = frames(&performance, |word| word == "run" || word == "jog")
            // The tips of the toes still push for a moment.
            .filter(|&frame| (frame - 4..=frame + 1).all(flies))
            .map(|frame| (height(frame - 1) + height(frame + 1) - 2.0 * height(frame)) / (dt * dt))
            .collect();
        falls.sort_by(f32::total_cmp);
        let median = falls[falls.len() / 2];
        assert!((-11.0..-8.5).contains(&median), "{} m/s² in {} frames", median, falls.len());
    }
}

#[test]
fn people_go_at_the_speeds_of_their_words() {
    for casting in castings(50.0) {
        for performance in running(&casting) {
            let speed_of = |start: f32, end: f32| {
                let at = |t: f32| performance.clip.sample(f64::from(t)).root().with_y(0.0);
                at(end).distance(at(start)) / (end - start)
            };
            for beat in &performance.script {
                let range = match beat.annotation.name() {
                    "idle" => 0.0..0.3,
                    word if is_walk(word) => 0.8..2.3,
                    word if word.starts_with("jog") => 1.6..3.75,
                    word if word.starts_with("run") => 3.3..6.0,
                    _ => 0.0..6.0,
                };
                let speed = speed_of(beat.start, beat.end);
                assert!(range.contains(&speed), "{casting:?} {beat:?} at {speed} m/s");
            }
        }
    }
}

#[test]
fn turns_go_the_way_they_are_called() {
    for performance in castings(50.0).flat_map(|casting| running(&casting)) {
        let path = |t: f32| performance.clip.sample(f64::from(t)).root().with_y(0.0);
        for (before, beat) in performance.script.iter().zip(&performance.script[1..]) {
            let name = beat.annotation.name();
            let way = match name.rsplit_once('-') {
                Some(("walk" | "jog" | "run", "left")) => 1.0,
                Some(("walk" | "jog" | "run", "right")) => -1.0,
                _ => continue,
            };
            // The way out of the step is to the left (+X when ahead is +Z) of the way into it.
            let (into, out) =
                (path(beat.start) - path(before.start), path(beat.end + 0.1) - path(beat.start));
            assert!(way * into.cross(out).y > 0.0, "{beat:?} from {into} to {out}");
        }
    }
}

#[test]
fn the_script_is_in_order_full_and_known() {
    for casting in castings(150.0) {
        let performances = running(&casting);
        assert!((3..=5).contains(&performances.len()));
        let seconds: f64 = performances.iter().map(|performance| performance.clip.duration()).sum();
        assert!((seconds - 150.0).abs() < 0.1, "{seconds}");
        let mut words = BTreeMap::new();
        for performance in &performances {
            assert!(performance.script.windows(2).all(|pair| (pair[0].end - pair[1].start).abs() < 1e-3));
            let last = performance.script.last().unwrap();
            assert!((f64::from(last.end) - performance.clip.duration()).abs() < 0.05);
            for beat in &performance.script {
                assert!(beat.end > beat.start);
                assert!(beat.peak.is_none_or(|peak| (beat.start..beat.end).contains(&peak)));
                assert!(beat.annotation.word().is_some(), "{beat:?}");
                *words.entry(beat.annotation.name()).or_insert(0) += 1;
            }
        }
        let n_beats: i32 = words.values().sum();
        assert!(n_beats >= 300, "{n_beats}");
        let always = "walk walk-left walk-right jog jog-left jog-right run run-left run-right start stop idle left-catch right-catch \
            dodge-left dodge-right quick-step-left quick-step-right step-left step-right step-back";
        for word in always.split_whitespace() {
            assert!(words.contains_key(word), "{casting:?} without {word}: {words:?}");
        }
    }
}

#[test]
fn hands_reach_out_to_catch() {
    for performance in castings(50.0).flat_map(|casting| running(&casting)) {
        let skeleton = performance.clip.skeleton();
        for beat in performance.script.iter() {
            let Some(peak) = beat.peak else { continue };
            let side = if beat.annotation.name() == "left-catch" { Side::Left } else { Side::Right };
            let globals = skeleton.global_pose(performance.clip.sample(f64::from(peak)).view());
            let place = |bone: Bone| globals.positions[skeleton.bone(bone).unwrap().idx()];
            let reach = place(Bone::LeftHand.on(side)).distance(place(Bone::LeftUpperArm.on(side)));
            let arm = 0.314 * skeleton.joint(skeleton.bone(Bone::Hips).unwrap()).offset.y / 0.54;
            assert!(reach > 0.85 * arm, "{beat:?} reaches {reach} of {arm}");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_takes_and_another_others() {
    let casting = Casting { build: Build::SLIM, temperament: Temperament::Calm, seed: 7, seconds: 20.0 };
    assert_eq!(running(&casting), running(&casting));
    assert_ne!(running(&casting)[0].clip, running(&Casting { seed: 8, ..casting })[0].clip);
}

#[test]
fn any_length_gives_a_take() {
    for seconds in [0.0, -3.0, 0.01, 1.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let casting = Casting { build: Build::STOCKY, temperament: Temperament::Fierce, seed: 1, seconds };
        let performances = running(&casting);
        assert!(!performances.is_empty());
        assert!(performances.iter().all(|performance| performance.clip.n_frames() > 0));
    }
}
