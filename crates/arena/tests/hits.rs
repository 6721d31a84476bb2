//! Blows of the built-in boxer land where fine steps in the world find them, and nowhere else.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use std::sync::{Arc, OnceLock};

use glam::Vec3;
use randori_actor::{Casting, Temperament, boxing};
use randori_arena::bodies::{Bodies, Doing, Rigid, TICKS_PER_SECOND};
use randori_arena::hits::{self, Hit, Part};
use randori_arena::sweep::{Sweep, meet};
use randori_motion::analyse::Discipline;
use randori_motion::annotation::Kind;
use randori_motion::math::nearest_points;
use randori_motion::{ActionId, Build, Ground, Placement};

fn boxer() -> &'static Bodies {
    static MADE: OnceLock<Bodies> = OnceLock::new();
    MADE.get_or_init(|| {
        let casting =
            Casting { build: Build::AVERAGE, temperament: Temperament::Calm, seed: 3, seconds: 60.0 };
        let takes = boxing(&casting).into_iter().map(|take| (take, Discipline::Boxing));
        Bodies::of(Arc::new(common::library("boxer", takes)))
    })
}

/// Two who face each other at a distance: the one attacks, the other does something else.
fn pair(attack: ActionId, other: ActionId, distance: f32, turn: f32) -> [Doing; 2] {
    let library = boxer().library();
    let gaze = |id: ActionId| {
        let action = library.action(id);
        library.baked(action.take).gaze(action.frames.start as usize)
    };
    let here = Placement { position: Ground::default(), heading: -gaze(attack) };
    let there = Placement {
        position: Ground { x: 0.0, z: distance },
        heading: std::f32::consts::PI - gaze(other) + turn,
    };
    [
        Doing::begin(boxer(), attack, 0, 0, Rigid::of(here)),
        Doing::begin(boxer(), other, 0, 0, Rigid::of(there)),
    ]
}

/// The first tick before which the striking part touches the other body, in steps of a fiftieth of a tick, in the
/// world.
fn plainly([own, other]: &[Doing; 2]) -> Option<i32> {
    let bodies = boxer();
    let library = bodies.library();
    let action = library.action(own.action);
    let place = |doing: &Doing, tick: i32, capsule: usize| -> [Vec3; 2] {
        let take = library.action(doing.action).take;
        let frame = doing.frame(bodies, tick);
        bodies.frame(take, frame)[capsule].map(|end| doing.world_from_take.point(end))
    };
    (1..=action.n_frames() as i32).find(|tick| {
        let frame = own.frame(bodies, *tick) as usize;
        let Some(window) = action.windows.iter().find(|window| window.frames.contains(&frame)) else {
            return false;
        };
        let fist = bodies.bones().iter().position(|bone| *bone == window.part).unwrap();
        (0..=50).map(|step| step as f32 / 50.0).any(|share| {
            let at = |doing: &Doing, capsule: usize| {
                let [before, now] = [place(doing, tick - 1, capsule), place(doing, *tick, capsule)];
                [before[0].lerp(now[0], share), before[1].lerp(now[1], share)]
            };
            (0..bodies.radii().len()).any(|capsule| {
                let [p, q] = nearest_points(at(own, fist), at(other, capsule));
                p.distance(q) <= bodies.radii()[fist] + bodies.radii()[capsule]
            })
        })
    })
}

fn first_hit(doings: &[Doing; 2]) -> Option<Hit> {
    hits::first((boxer(), &doings[0]), (boxer(), &doings[1]), 0)
}

#[test]
fn hits_are_those_that_fine_steps_find() {
    let library = boxer().library();
    let attacks: Vec<ActionId> =
        library.ids().filter(|id| library.action(*id).annotation.kind() == Kind::Attack).collect();
    let others: Vec<ActionId> = library.ids().step_by(5).collect();
    let (mut landed, mut missed, mut on_head) = (0, 0, 0);
    for (k, attack) in attacks.iter().enumerate() {
        for (j, distance) in [0.5, 0.8, 1.1, 2.5].into_iter().enumerate() {
            let other = others[(3 * k + j) % others.len()];
            let doings = pair(*attack, other, distance, 0.2 * wobble(k));
            let (found, expected) = (first_hit(&doings), plainly(&doings));
            assert_eq!(found.map(|hit| hit.tick), expected, "{k} {distance} {found:?}");
            match found {
                Some(hit) => {
                    landed += 1;
                    on_head += usize::from(hit.part() == Part::Head);
                    assert!(hit.velocity.length() < 20.0 && hit.point.is_finite(), "{hit:?}");
                }
                None => missed += 1,
            }
            assert!(found.is_none() || distance < 2.0, "{found:?}");
        }
    }
    assert!(landed > 20 && missed > 20 && on_head > 3, "{landed} {missed} {on_head}");
}

fn wobble(k: usize) -> f32 {
    libm::sinf(k as f32 * 0.7)
}

#[test]
fn the_world_does_not_matter_only_how_they_stand_to_each_other() {
    let library = boxer().library();
    let attack =
        library.ids().find(|id| library.action(*id).annotation.name().ends_with("straight")).unwrap();
    let doings = pair(attack, attack, 0.7, 0.0);
    let elsewhere = Rigid::of(Placement { position: Ground { x: 12.0, z: -7.0 }, heading: 2.1 });
    let moved = doings.map(|doing| Doing { world_from_take: elsewhere.then(doing.world_from_take), ..doing });
    let (a, b) = (first_hit(&doings), first_hit(&moved));
    assert_eq!(a.map(|hit| (hit.tick, hit.bone)), b.map(|hit| (hit.tick, hit.bone)));
}

/// The same without any bounds: every capsule at every tick of the window.
fn without_bounds([own, other]: &[Doing; 2], after: i32) -> Option<Hit> {
    let bodies = boxer();
    let [its, theirs] = [own, other].map(|doing| bodies.of_action(doing.action));
    let there = other.world_from_take.inverse().then(own.world_from_take);
    let with = its.with as usize;
    let [from, to] = its.window.map(|frame| own.start + (frame - its.first) as i32);
    (from.max(after + 1)..to).find_map(|tick| {
        let ends =
            |tick: i32| bodies.frame(its.take, own.frame(bodies, tick))[with].map(|end| there.point(end));
        let blow = Sweep { from: ends(tick - 1), to: ends(tick), radius: bodies.radii()[with] };
        let [before, now] = [tick - 1, tick].map(|tick| bodies.frame(theirs.take, other.frame(bodies, tick)));
        let meetings = (0..bodies.radii().len()).filter_map(|capsule| {
            let body = Sweep { from: before[capsule], to: now[capsule], radius: bodies.radii()[capsule] };
            meet(&blow, &body).map(|meeting| (capsule, meeting))
        });
        let (capsule, meeting) = meetings.min_by(|(_, a), (_, b)| a.share.total_cmp(&b.share))?;
        let way = (blow.to[0] + blow.to[1] - blow.from[0] - blow.from[1]) * 0.5;
        Some(Hit {
            tick,
            with: bodies.bones()[with],
            bone: bodies.bones()[capsule],
            on_weapon: bodies.weapon() == Some(capsule),
            point: other.world_from_take.point(meeting.point),
            velocity: other.world_from_take.turned(way) * TICKS_PER_SECOND,
        })
    })
}

#[test]
fn bounds_change_nothing() {
    let library = boxer().library();
    let of_kind = |id: &ActionId| boxer().of_action(*id).kind == Kind::Attack;
    let attacks: Vec<ActionId> = library.ids().filter(of_kind).collect();
    let others: Vec<ActionId> = library.ids().collect();
    let (mut landed, mut missed) = (0, 0);
    for (k, attack) in attacks.iter().enumerate() {
        for j in 0..150 {
            let other = others[(7 * k + 13 * j) % others.len()];
            let mut doings = pair(*attack, other, 0.4 + 0.011 * j as f32, 1.5 * wobble(5 * k + j));
            // Some began long before, or have not begun yet.
            doings[1].start += (j as i32 % 7) * 6 - 18;
            let after = (j as i32 % 5) * 4 - 4;
            let found = hits::first((boxer(), &doings[0]), (boxer(), &doings[1]), after);
            assert_eq!(found, without_bounds(&doings, after), "{k} {j}");
            (landed, missed) = (landed + usize::from(found.is_some()), missed + usize::from(found.is_none()));
        }
    }
    assert!(landed > 500 && missed > 500, "{landed} {missed}");
}
