//! Sword work by the numbers: feet, speeds, the script, a blade that stays out of its owner and out of the floor, and an
//! analyser that recognises what was meant.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::collections::BTreeMap;

use glam::Vec3;
use randori_actor::sword::{BLADE, Guard, Line, Swordsman};
use randori_actor::{Casting, Performance, Stance, Temperament, sword, sword_duel, sword_reactions};
use randori_motion::analyse::labels::Label;
use randori_motion::analyse::score::Score;
use randori_motion::analyse::{Discipline, Settings, analyse};
use randori_motion::annotation::{KNOWN, Kind, STEPS};
use randori_motion::math::nearest_points;
use randori_motion::parametric::{Graph, Leg, NodeId, play};
use randori_motion::{Bone, Build, Character, GlobalPose, Placement, Take};
use randori_scene::check::{Footage, Limits, Report, check};

const BUILDS: [Build; 3] = [Build::AVERAGE, Build::SLIM, Build::STOCKY];
const TEMPERAMENTS: [Temperament; 2] = [Temperament::Calm, Temperament::Fierce];

/// Takes of every build and temperament.
fn everybody(perform: fn(&Casting) -> Vec<Performance>, seconds: f32) -> Vec<(String, Performance)> {
    let castings = BUILDS.into_iter().zip(["average", "slim", "stocky"]).flat_map(|(build, name)| {
        TEMPERAMENTS.into_iter().enumerate().map(move |(k, temperament)| {
            (format!("{name} {temperament:?}"), Casting { build, temperament, seed: 11 + k as u64, seconds })
        })
    });
    castings.map(|(who, casting)| (who, perform(&casting).swap_remove(0))).collect()
}

fn globals(performance: &Performance) -> Vec<GlobalPose> {
    let skeleton = performance.clip.skeleton();
    performance.clip.frames().map(|frame| skeleton.global_pose(frame)).collect()
}

fn linted(performance: Performance, limits: &Limits) -> Report {
    let mut take = Take::new(&performance.name, 1);
    let Performance { body, clip, .. } = performance;
    take.characters.push(Character { name: "one".to_owned(), color: [0.5; 3], body, enter: 0.0, clip });
    check(&Footage::of_take(&take, 60.0).unwrap(), limits)
}

#[test]
fn the_linter_finds_nothing_with_strict_limits() {
    let limits = Limits {
        foot_slide_cm: 3.0,
        skate_cm_per_s: 5.0,
        foot_sink_cm: 0.1,
        acceleration_m_s2: 700.0,
        root_speed_m_s: 3.0,
        hyperextension_deg: 5.0,
        ..Limits::default()
    };
    for (who, performance) in everybody(sword, 20.0) {
        let report = linted(performance, &limits);
        assert!(report.passes(), "{who} {:#?}", report.findings);
    }
    let limits = Limits { foot_sink_cm: 1.0, acceleration_m_s2: 1000.0, root_speed_m_s: 4.5, ..limits };
    for (who, performance) in everybody(sword_reactions, 26.0) {
        let report = linted(performance, &Limits { foot_slide_cm: 30.0, ..limits });
        assert!(report.passes(), "{who} {:#?}", report.findings);
    }
}

#[test]
fn tips_of_swords_are_as_fast_as_those_of_people() {
    for (who, performance) in everybody(sword, 30.0) {
        let (globals, blade) = (globals(&performance), performance.body.held().unwrap());
        let tip = |frame: usize| globals[frame.min(globals.len() - 1)].point(blade.joint, blade.b);
        let speed = |frame: usize| tip(frame + 1).distance(tip(frame - 1)) * 30.0;
        for beat in performance.script.iter().filter(|beat| beat.annotation.kind() == Kind::Attack) {
            let [start, peak, end] = [beat.start, beat.peak.unwrap(), beat.end].map(|t| (t * 60.0) as usize);
            let fastest = (start.max(1)..end).max_by(|a, b| speed(*a).total_cmp(&speed(*b))).unwrap();
            if beat.annotation.name() == "lunge" {
                assert!((3.5..9.0).contains(&speed(fastest)), "{who} {beat:?} {}", speed(fastest));
            } else {
                assert!((8.0..20.0).contains(&speed(fastest)), "{who} {beat:?} {}", speed(fastest));
                assert!(fastest.abs_diff(peak) <= 4, "{who} {beat:?} fastest at {fastest}");
            }
        }
    }
}

/// Cuts of a duel as they are performed: on every line, and on lines that change early, late, and both.
#[test]
fn tips_of_swords_in_duels_are_as_fast() {
    let graph = Graph::new(&sword_duel(Build::AVERAGE)).unwrap();
    let blade = graph.blade().unwrap();
    let joint = graph.body().skeleton.bone(Bone::RightHand).unwrap();
    let name = |node: NodeId| graph.node(node).name.as_str();
    let leg = |node: NodeId, [from, to]: [f32; 2]| Leg { node, parameter: 0.0, from, to };
    let guard = leg(graph.find("guard").unwrap(), [0.0, 1.0]);
    let mut gathered = Vec::new();
    for node in graph.ids().filter(|node| name(*node).starts_with("gather-")) {
        gathered.push(vec![guard, leg(node, [0.0, 1.0])]);
        for early in graph.edges(node).iter().filter(|edge| name(edge.to).starts_with("gather-")) {
            gathered.push(vec![guard, leg(node, [0.0, early.at]), leg(early.to, [early.start, 1.0])]);
        }
    }
    let mut n_cuts = 0;
    for way in gathered {
        for strikes in graph.edges(way[way.len() - 1].node).iter().filter(|edge| edge.at >= 1.0) {
            let back = graph.edges(strikes.to)[0].to;
            let path = [&way[..], &[strikes.to, back].map(|node| leg(node, [0.0, 1.0]))].concat();
            let seconds =
                path.iter().map(|leg| graph.node(leg.node).seconds(0.0) * (leg.to - leg.from)).sum();
            let start = graph.start(guard.node);
            let clip = play(&graph, start, Placement::default(), &[&path], seconds).unwrap();
            let skeleton = clip.skeleton();
            let tips: Vec<Vec3> =
                clip.frames().map(|frame| skeleton.global_pose(frame).point(joint, blade.tip)).collect();
            let speeds = tips.windows(3).map(|tips| 30.0 * tips[2].distance(tips[0]));
            let fastest = speeds.fold(0.0, f32::max);
            let names: Vec<&str> = path.iter().map(|leg| name(leg.node)).collect();
            assert!((8.0..20.0).contains(&fastest), "{names:?}: {fastest}");
            n_cuts += 1;
        }
    }
    assert_eq!(n_cuts, 20);
}

#[test]
fn blades_stay_out_of_whoever_holds_them_and_out_of_the_floor() {
    for (who, performance) in everybody(sword, 60.0) {
        let blade = performance.body.held().unwrap();
        let mut worst: (f32, usize, Bone) = (0.0, 0, Bone::Hips);
        for (frame, globals) in globals(&performance).iter().enumerate() {
            let ends = [blade.a, blade.b].map(|end| globals.point(blade.joint, end));
            assert!(ends[1].y > 0.02, "{who}: in the floor at {frame}");
            let others = performance
                .body
                .capsules
                .iter()
                .filter(|capsule| ![Bone::RightHand, Bone::RightLowerArm].contains(&capsule.bone));
            for capsule in others {
                let [p, q] =
                    nearest_points(ends, [capsule.a, capsule.b].map(|end| globals.point(capsule.joint, end)));
                let depth = capsule.radius - p.distance(q);
                if depth > worst.0 {
                    worst = (depth, frame, capsule.bone);
                }
            }
        }
        assert!(worst.0 < 0.02, "{who} {worst:?}");
    }
    // Whoever falls keeps it, and it lies on the floor.
    for (who, performance) in everybody(sword_reactions, 60.0) {
        let blade = performance.body.held().unwrap();
        let lowest = globals(&performance)
            .iter()
            .map(|globals| globals.point(blade.joint, blade.b).y)
            .fold(f32::INFINITY, f32::min);
        assert!(lowest > -0.02, "{who}: {lowest}");
    }
}

#[test]
fn arms_stay_out_of_the_body_and_of_each_other() {
    let trunk = [Bone::Head, Bone::Neck, Bone::UpperChest, Bone::Chest, Bone::Spine, Bone::Hips];
    let left = [Bone::LeftHand, Bone::LeftLowerArm];
    let right = [Bone::RightHand, Bone::RightLowerArm];
    for (who, performance) in everybody(sword, 30.0) {
        let capsules = &performance.body.capsules;
        for (frame, globals) in globals(&performance).iter().enumerate() {
            for a in capsules.iter().filter(|a| left.contains(&a.bone) || right.contains(&a.bone)) {
                let is_other =
                    |bone: Bone| trunk.contains(&bone) || left.contains(&a.bone) && right.contains(&bone);
                for b in capsules.iter().filter(|b| is_other(b.bone)) {
                    let axis =
                        |it: &randori_motion::Capsule| [it.a, it.b].map(|end| globals.point(it.joint, end));
                    let [p, q] = nearest_points(axis(a), axis(b));
                    let depth = a.radius + b.radius - p.distance(q);
                    assert!(depth < 0.03, "{who} at {frame}: {:?} in {:?} by {depth}", a.bone, b.bone);
                }
            }
        }
    }
}

#[test]
fn five_minutes_hold_every_move_often_enough() {
    let casting = Casting { build: Build::AVERAGE, temperament: Temperament::Calm, seed: 1, seconds: 300.0 };
    let mut counts = BTreeMap::new();
    for take in sword(&casting) {
        for beat in &take.script {
            assert!(beat.annotation.word().is_some(), "{beat:?}");
            let peak = beat.peak.unwrap_or(beat.start);
            assert!(0.0 <= beat.start && beat.start <= peak && peak <= beat.end, "{beat:?}");
            *counts.entry(beat.annotation.name().to_owned()).or_insert(0) += 1;
        }
    }
    let of_sword = |name: &str| name.starts_with("cut-") || name.starts_with("block-");
    let words = KNOWN.iter().map(|word| word.name).filter(|name| of_sword(name));
    for name in words.chain(STEPS).chain(["lunge", "feint", "turn-left", "turn-right", "idle"]) {
        assert!(counts.get(name).is_some_and(|count| *count >= 4), "{name}: {counts:?}");
    }
}

#[test]
fn the_analyser_finds_what_was_meant() {
    for seed in [3, 77] {
        let casting = Casting { build: Build::AVERAGE, temperament: Temperament::Calm, seed, seconds: 60.0 };
        let take = sword(&casting).swap_remove(0);
        let settings = Settings { weapon: Some(BLADE), ..Settings::of(Discipline::Sword) };
        let analysis = analyse(&take.clip, &settings).unwrap();
        let labels: Vec<Label> = (take.script.iter())
            .map(|beat| Label {
                start: f64::from(beat.start),
                end: f64::from(beat.end),
                peak: beat.peak.map(f64::from),
                annotation: beat.annotation.clone(),
                confidence: 1.0,
                note: String::new(),
            })
            .collect();
        let score = Score::of(&analysis.segments, 60.0, &labels);
        assert!(score.attack_f1 > 0.92 && score.boundary_f1 > 0.92, "{score:?}");
        assert!(score.label_accuracy > 0.95, "{score:?}");
        let cuts = analysis.segments.iter().filter(|segment| segment.annotation.name().starts_with("cut-"));
        for cut in cuts {
            let window = cut.windows.first().unwrap();
            assert_eq!(window.part, Bone::RightHand);
            // It lands with the blade, not with the hand.
            assert!(window.reach > 0.9 && window.speed > 8.0, "{cut:?}");
        }
    }
}

/// The tip of a blade that is held at a time, seen from where the body is placed (m).
fn tip(man: &Swordsman, t: f32) -> Vec3 {
    let body = Build::AVERAGE.body().armed(BLADE);
    let globals = body.skeleton.global_pose(man.pose(t).view());
    let held = body.held().unwrap();
    globals.point(held.joint, held.b)
}

#[test]
fn cuts_come_from_the_side_they_are_named_after() {
    for line in Line::ALL {
        let body = std::sync::Arc::new(Build::AVERAGE.body().armed(BLADE));
        let mut man = Swordsman::new(body, Stance::SWORDSMAN, Placement::default(), 5);
        let spent = man.cut(line, 0.5, 0.0);
        man.recover(Guard::Middle, spent, 0.5);
        let beat = man.script()[0].clone();
        let arrives = beat.peak.unwrap();
        let way = (tip(&man, arrives + 0.02) - tip(&man, arrives - 0.02)).normalize();
        let (aside, down) = match line {
            Line::Overhead => (0.0, 1.0),
            Line::Left => (-1.0, 0.2),
            Line::LeftUpper => (-0.7, 0.7),
            Line::Right => (1.0, 0.2),
            Line::RightUpper => (0.7, 0.7),
        };
        let expected = Vec3::new(aside, -down, 0.0).normalize();
        assert!(way.dot(expected) > 0.85, "{line:?}: {way}");
        assert_eq!(beat.annotation.kind(), Kind::Attack);
    }
}

#[test]
fn takes_follow_from_the_casting_alone() {
    let casting = Casting { build: Build::SLIM, temperament: Temperament::Fierce, seed: 3, seconds: 8.0 };
    assert_eq!(sword(&casting), sword(&casting));
    assert_ne!(sword(&casting)[0].clip, sword(&Casting { seed: 4, ..casting })[0].clip);
    for seconds in [0.0, -3.0, f32::NAN, f32::NEG_INFINITY, 0.01] {
        for perform in [sword, sword_reactions] {
            let takes = perform(&Casting { seconds, ..casting });
            assert_eq!((takes.len(), takes[0].clip.n_frames()), (1, 1), "{seconds}");
        }
    }
}
