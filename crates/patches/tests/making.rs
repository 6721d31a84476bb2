//! Patches do what their patterns say, whichever way one looks at them.

mod common;

use common::{boxer, bystander_of_tests, fights, patterns, tumbles};
use randori_arena::bodies::Bodies;
use randori_arena::hits::{self, Part};
use randori_arena::stage::Pair;
use randori_motion::Bone;
use randori_motion::annotation::Kind;
use randori_patches::making::{MakeError, Tolerance, Why, make};
use randori_patches::pattern::{is_reaction, matches};
use randori_patches::{Patch, Patches, Role};

fn both() -> [(&'static Bodies, &'static Patches); 2] {
    [(boxer(), fights()), (bystander_of_tests(), tumbles())]
}

#[test]
fn there_are_patches_of_every_pattern_and_no_two_are_the_same() {
    for (_, set) in both() {
        assert!(set.counts().iter().all(|n| *n >= 5), "{:?}", set.counts());
        for (at, patch) in set.all().iter().enumerate() {
            assert!(
                set.all()[..at]
                    .iter()
                    .all(|other| other.lines != patch.lines || other.initial != patch.initial)
            );
        }
    }
}

#[test]
fn actions_are_those_of_the_pattern_in_its_order_and_follow_each_other_in_the_graph() {
    for (bodies, set) in both() {
        let library = bodies.library();
        for id in set.ids() {
            let (patch, pattern) = (set.patch(id), set.pattern_of(id));
            let mut next = [0; 2];
            let mut last = 0;
            for step in &pattern.steps {
                let stint = patch.of(step.role).stints[next[step.role.idx()]];
                assert!(matches(&step.word, &library.action(stint.action).annotation), "{id:?} {step:?}");
                assert!(stint.start >= last, "{id:?}: {step:?} starts too early");
                (next[step.role.idx()], last) = (next[step.role.idx()] + 1, stint.start);
                let is_first = next[step.role.idx()] == 1;
                assert!(stint.skipped == 0 || is_reaction(&step.word));
                if !is_first && !is_reaction(&step.word) {
                    let before = patch.of(step.role).stints[next[step.role.idx()] - 2];
                    assert!(library.next(before.action).contains(&stint.action), "{id:?}");
                }
            }
            assert_eq!(next, patch.lines.each_ref().map(|lines| lines.stints.len()));
            assert_eq!(patch.lines.iter().map(|lines| lines.start()).min(), Some(0));
        }
    }
}

#[test]
fn trunks_and_heads_stay_out_of_each_other_in_every_tick() {
    for (bodies, set) in both() {
        for id in set.ids() {
            let limit = set.pattern_of(id).depth;
            for (ticks, [first, second]) in set.patch(id).together(bodies) {
                let pair = Pair::of(bodies, &first, bodies, &second);
                for tick in ticks {
                    assert!(pair.depth(tick) <= limit + 1e-4, "{id:?} at {tick}: {}", pair.depth(tick));
                }
            }
        }
    }
}

/// Everything that the blows of somebody meet in a patch, found by the arena: the tick and what was struck.
fn struck(bodies: &Bodies, patch: &Patch, who: Role) -> Vec<(i32, Part)> {
    let mut found: Vec<(i32, Part)> = Vec::new();
    let mut spent = None;
    for (ticks, doings) in patch.together(bodies) {
        let (own, other) = (doings[who.idx()], doings[who.other().idx()]);
        let its = bodies.of_action(own.action);
        if its.window[0] == its.window[1] || spent == Some(own.start) {
            continue;
        }
        if let Some(hit) = hits::first((bodies, &own), (bodies, &other), ticks.start)
            && hit.tick <= ticks.end
        {
            found.push((hit.tick, hit.part()));
            spent = Some(own.start);
        }
    }
    found
}

#[test]
fn blows_land_where_the_pattern_wants_it_and_nowhere_else() {
    let (bodies, set) = (boxer(), fights());
    for id in set.ids() {
        let patch = set.patch(id);
        for role in Role::BOTH {
            let wanted: Vec<i32> =
                patch.contacts.iter().filter(|it| it.who == role).map(|it| it.tick).collect();
            let hurt: Vec<i32> = struck(bodies, patch, role)
                .into_iter()
                .filter(|(_, part)| *part != Part::Limb)
                .map(|(tick, _)| tick)
                .collect();
            assert_eq!(hurt, wanted, "{id:?} {role:?}");
        }
        for contact in &patch.contacts {
            let lines = patch.of(contact.who.other());
            let reaction = lines.stints.iter().find(|stint| stint.start == contact.tick).unwrap();
            let annotation = &bodies.library().action(reaction.action).annotation;
            assert_eq!(annotation.kind(), Kind::Reaction, "{id:?}");
        }
    }
}

#[test]
fn whoever_falls_is_told_and_pushes_come_from_bodies_that_touch() {
    let (bodies, set) = (bystander_of_tests(), tumbles());
    for id in set.ids() {
        let patch = set.patch(id);
        let falls = |role: Role| patch.has(bodies.library(), role, "fall");
        assert!(Role::BOTH.into_iter().all(|role| patch.stays_up(role) != falls(role)), "{id:?}");
        let [contact] = patch.contacts[..] else { panic!("{id:?}: {:?}", patch.contacts) };
        assert_eq!(contact.who, Role::Second);
        // The touched bone is there, and the point is near it.
        let (_, doings) = patch
            .together(bodies)
            .into_iter()
            .find(|(ticks, _)| ticks.contains(&(contact.tick - 1)))
            .unwrap();
        let place = |role: Role, bone: Bone| {
            let doing = doings[role.idx()];
            let at = bodies.bones().iter().position(|known| *known == bone).unwrap();
            let its = bodies.of_action(doing.action);
            let ends = bodies.frame(its.take, doing.frame(bodies, contact.tick))[at];
            (ends.map(|end| doing.world_from_take.point(end)), bodies.radii()[at])
        };
        // The point is half way between the axes of two parts that touch.
        let parts = [place(Role::First, contact.bone), place(Role::Second, contact.with)];
        let reach = 0.5 * (parts[0].1 + parts[1].1);
        for (ends, _) in parts {
            let [near, _] = randori_motion::math::nearest_points(ends, [contact.point; 2]);
            assert!(near.distance(contact.point) < reach + 1e-3, "{id:?}");
        }
    }
}

#[test]
fn the_same_bytes_for_any_number_of_threads_and_back_again() {
    let text = "[[pattern]]\nsteps = [\"1 stand\", \"2 attack\", \"1 fall\"]\nsamples = 60\nchoices = 4\nmost = 20\n";
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| common::made(boxer(), text)).to_bytes()
    };
    let bytes = with(1);
    assert!(bytes == with(2));
    let read = Patches::from_bytes(&bytes).unwrap();
    assert!(read.to_bytes() == bytes);
    assert!(read.check_library(boxer().library()).is_ok());
    assert!(read.check_library(bystander_of_tests().library()).is_err());
}

#[test]
fn damaged_files_are_refused() {
    let bytes = tumbles().to_bytes();
    assert_eq!(&Patches::from_bytes(&bytes).unwrap(), tumbles());
    for cut in [0, 7, 12, 40, bytes.len() / 2, bytes.len() - 1] {
        assert!(Patches::from_bytes(&bytes[..cut]).is_err(), "cut at {cut}");
    }
    for at in (0..bytes.len()).step_by(bytes.len() / 97 + 1) {
        let mut changed = bytes.clone();
        changed[at] ^= 0x10;
        assert!(Patches::from_bytes(&changed).is_err(), "changed at {at}");
    }
    // Bytes that are changed with their checksum are read to the end or refused, never believed blindly.
    for at in (16..bytes.len()).step_by(bytes.len() / 997 + 1) {
        let mut forged = bytes.clone();
        forged[at] = forged[at].wrapping_add(0x91);
        let sum = crc32fast::hash(&forged[16..]);
        forged[12..16].copy_from_slice(&sum.to_le_bytes());
        if let Ok(set) = Patches::from_bytes(&forged) {
            for id in set.ids() {
                let all = Role::BOTH.map(|role| set.tables.relays(id, role, role).count());
                assert!(all.iter().all(|n| *n <= set.len()));
            }
        }
    }
}

#[test]
fn patterns_that_cannot_be_satisfied_say_why() {
    let why = |text: &str| match make(boxer(), &patterns(text), &Tolerance::default(), 1, &|_, _, _| ()) {
        Err(MakeError::Pattern { why, .. }) => why,
        other => panic!("{:?}", other.map(|(set, _)| set.len())),
    };
    let text = "[[pattern]]\nsteps = [\"1 attack\", \"2 cartwheel\"]\n";
    assert!(
        matches!(why(text), Why::NoAction { word, known, .. } if word == "cartwheel" && known.contains("duck"))
    );
    assert!(matches!(why("[[pattern]]\nsteps = [\"1 attack\", \"1 attack\"]\n"), Why::OneAlone(2)));
    // A reaction wants its cause in front of it within a metre and a half; a blow is never that near from so far.
    let far =
        "[[pattern]]\nsteps = [\"1 stand\", \"2 attack\", \"1 fall\"]\ndistance = [8, 9]\nsamples = 20\n";
    let Why::AllDiscarded { discards, samples, .. } = why(far) else { panic!() };
    assert_eq!(samples, 20);
    assert!(discards.of(randori_patches::making::Discard::NoContact) > 0, "{discards}");
}
