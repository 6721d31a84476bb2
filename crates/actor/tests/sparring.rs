//! The bout holds up before the linter, and its blows land where the take says.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use randori_actor::sparring;
use randori_motion::{Bone, EventKind, Take};
use randori_scene::check::{Footage, Limits, check};

#[test]
fn the_linter_finds_nothing_even_with_strict_limits() {
    let limits = Limits { foot_slide_cm: 1.0, skate_cm_per_s: 2.0, foot_sink_cm: 0.1, ..Limits::default() };
    let report = check(&Footage::of_take(&sparring(1), 60.0).unwrap(), &limits);
    assert!(report.passes(), "{:#?}", report.findings);
    for character in &report.characters {
        // Blows are fast, and nobody pops.
        assert!((50.0..900.0).contains(&character.body.peak_acceleration_m_s2), "{character:#?}");
    }
}

#[test]
fn blows_arrive_where_and_when_the_events_say() {
    let take = sparring(1);
    let landed: Vec<_> = take.events.iter().filter(|event| event.kind == EventKind::Hit).collect();
    assert!(landed.len() >= 2);
    for event in &take.events {
        let knuckles =
            knuckles(&take, event.who.as_deref().unwrap(), event.part.as_deref().unwrap(), event.t);
        let point = event.details["point"].as_array().unwrap();
        let point: Vec<f32> = point.iter().map(|x| x.as_f64().unwrap() as f32).collect();
        let miss = knuckles.distance(glam::Vec3::new(point[0], point[1], point[2]));
        assert!(miss < 0.06, "{event:?} misses by {miss}");
        // From the weakest jabs of captured boxers to their hardest blows.
        assert!((2.0..10.0).contains(&event.speed.unwrap()), "{event:?}");
    }
}

#[test]
fn the_same_seed_gives_the_same_bout_and_another_another() {
    assert_eq!(sparring(3), sparring(3));
    assert_ne!(sparring(3).characters[0].clip, sparring(4).characters[0].clip);
}

fn knuckles(take: &Take, who: &str, part: &str, t: f64) -> glam::Vec3 {
    let character = take.characters.iter().find(|character| character.name == who).unwrap();
    let skeleton = character.clip.skeleton();
    let globals = skeleton.global_pose(character.clip.sample(t).view());
    let bone = Bone::from_name(part).unwrap();
    let out = if part.starts_with("left") { 0.085 } else { -0.085 };
    globals.point(skeleton.bone(bone).unwrap(), glam::Vec3::X * out)
}
