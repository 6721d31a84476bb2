//! Being struck holds up before the linter, stays above the floor, and is recognised for what it is.

use randori_actor::{Casting, Performance, Temperament, reactions};
use randori_motion::analyse::{Discipline, Settings, analyse};
use randori_motion::{Bone, Build, Character, Take};
use randori_scene::check::{Footage, Limits, check};

fn casting(build: Build, temperament: Temperament) -> Casting {
    Casting { build, temperament, seed: 1, seconds: 70.0 }
}

const BUILDS: [Build; 3] = [Build::AVERAGE, Build::SLIM, Build::STOCKY];
const TEMPERAMENTS: [Temperament; 2] = [Temperament::Calm, Temperament::Fierce];

fn all() -> impl Iterator<Item = (Casting, Performance)> {
    let castings =
        BUILDS.into_iter().flat_map(|build| TEMPERAMENTS.map(|temperament| casting(build, temperament)));
    castings.flat_map(|casting| reactions(&casting).into_iter().map(move |take| (casting, take)))
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
    for (casting, performance) in all() {
        let mut take = Take::new(&performance.name, casting.seed);
        take.characters.push(Character {
            name: "struck".to_owned(),
            color: [0.5; 3],
            body: performance.body,
            enter: 0.0,
            clip: performance.clip,
        });
        let report = check(&Footage::of_take(&take, 60.0).unwrap(), &limits);
        assert!(report.passes(), "{casting:?} {} {:#?}", performance.name, report.findings);
    }
}

#[test]
fn bodies_meet_the_floor_and_do_not_sink_into_it() {
    for (casting, performance) in all() {
        let skeleton = &performance.body.skeleton;
        let (mut lowest_hips, mut deepest) = (f32::INFINITY, (0.0, 0, Bone::Hips));
        for (frame, pose) in performance.clip.frames().enumerate() {
            let globals = skeleton.global_pose(pose);
            lowest_hips = lowest_hips.min(globals.positions[0].y);
            for capsule in &performance.body.capsules {
                let end = |point| globals.point(capsule.joint, point).y - capsule.radius;
                let low = end(capsule.a).min(end(capsule.b));
                if low < deepest.0 {
                    deepest = (low, frame, capsule.bone);
                }
            }
        }
        assert!(deepest.0 > -0.02, "{casting:?} {} {deepest:?}", performance.name);
        let falls = performance.script.iter().any(|beat| beat.annotation.name() == "knock-down");
        assert!(!falls || lowest_hips < 0.5 * 0.5 * casting.build.height, "{lowest_hips}");
    }
}

#[test]
fn there_are_many_kinds_and_each_leads_back_into_the_guard() {
    for build in BUILDS {
        let takes = reactions(&casting(build, Temperament::Fierce));
        let beats: Vec<_> = takes.iter().flat_map(|take| &take.script).collect();
        let mut names: Vec<&str> = beats.iter().map(|beat| beat.annotation.name()).collect();
        assert!(names.len() >= 45, "{}", names.len());
        names.sort_unstable();
        names.dedup();
        assert!(names.len() >= 10, "{names:?}");
        for take in &takes {
            assert!(take.script.windows(2).all(|pair| pair[0].end <= pair[1].start + 1e-4));
            assert!(take.script.iter().all(|beat| beat.annotation.word().is_some()));
            for pair in take.script.windows(2).filter(|pair| pair[0].annotation.name() == "knock-down") {
                assert_eq!(pair[1].annotation.name(), "get-up");
            }
            // At the ends somebody stands.
            for t in [0.0, take.clip.duration()] {
                let hips = take.body.skeleton.global_pose(take.clip.sample(t).view()).positions[0].y;
                assert!(hips > 0.45 * build.height, "{hips}");
            }
        }
    }
}

#[test]
fn the_struck_part_goes_first() {
    let takes = reactions(&casting(Build::AVERAGE, Temperament::Calm));
    let mut n_seen = 0;
    for take in &takes {
        let skeleton = &take.body.skeleton;
        for beat in take.script.iter().filter(|beat| beat.annotation.name() == "hit-head-front") {
            let turned = |bone: Bone, after: f32| {
                let turn = |t: f32| {
                    let pose = take.clip.sample(f64::from(t));
                    skeleton.global_pose(pose.view()).rotations[skeleton.bone(bone).unwrap().idx()]
                };
                turn(beat.start - 0.02).angle_between(turn(beat.start + after))
            };
            // The head is well on its way when the pelvis has hardly moved.
            assert!(turned(Bone::Head, 0.07) > 0.25, "{beat:?} {}", turned(Bone::Head, 0.07));
            assert!(turned(Bone::Hips, 0.07) < 0.3 * turned(Bone::Head, 0.07), "{beat:?}");
            n_seen += 1;
        }
    }
    assert!(n_seen >= 3);
}

#[test]
fn the_analyser_recognises_them() {
    let (mut n_right, mut n_all) = (0, 0);
    for temperament in TEMPERAMENTS {
        for take in reactions(&casting(Build::AVERAGE, temperament)) {
            let analysis = analyse(&take.clip, &Settings::of(Discipline::Reactions)).unwrap();
            let fps = take.clip.rate().fps();
            for beat in &take.script {
                let middle = (f64::from(beat.peak.unwrap_or(beat.start)) * fps) as usize;
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
    let casting = Casting { seconds: 20.0, ..casting(Build::SLIM, Temperament::Calm) };
    assert_eq!(reactions(&casting), reactions(&casting));
    assert_ne!(reactions(&casting)[0].clip, reactions(&Casting { seed: 2, ..casting })[0].clip);
}
