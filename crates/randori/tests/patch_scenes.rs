//! The shipped scenes of interaction patches: what must hold of each of them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

use randori::libraries::Builtin;
use randori::patch_sets;
use randori_arena::bodies::{Bodies, Doing};
use randori_motion::annotation::Kind;
use randori_motion::annotation::Load;
use randori_motion::{Ground, Placement};
use randori_patches::composing::Composer;
use randori_patches::composing::appointments::Appointment;
use randori_patches::composing::bystanders;
use randori_patches::composing::choice::Command;
use randori_patches::composing::crowd::Person;
use randori_patches::composing::dominoes::{self, Dominoes, Filled, shadows};
use randori_patches::composing::duel::{self, Duel};
use randori_patches::composing::floor::Floor;
use randori_patches::composing::footprint::Girth;
use randori_patches::composing::lead::{self, Field, Lead};
use randori_patches::composing::luggage::{self, Chain, Journey};
use randori_patches::{Patches, Role};
use randori_scene::director::area;
use randori_scene::screenplay::Screenplay;

/// A library laid out, with its patches; each is made once for all tests.
fn patches(library: &str, patterns: &str) -> (Arc<Bodies>, Arc<Patches>) {
    type Known = BTreeMap<String, (Arc<Bodies>, Arc<Patches>)>;
    static KNOWN: OnceLock<Mutex<Known>> = OnceLock::new();
    let mut known = KNOWN.get_or_init(Mutex::default).lock().unwrap();
    let made = known.entry(patterns.to_owned()).or_insert_with(|| {
        let library = Arc::new(Builtin::from_name(library).unwrap().open().unwrap());
        let patches = patch_sets::open(&library, patterns, &|_, _, _| {}).unwrap();
        (Arc::new(Bodies::of(library)), patches)
    });
    made.clone()
}

fn fight_of_two(seed: u64, seconds: i32, commands: Vec<Command>, check: impl FnOnce(&Composer<'_>)) {
    let (bodies, patches) = patches("boxing", "fight-one-one");
    let mut composer = Composer::new(&patches, bodies, 2, 60 * seconds);
    composer.commands = commands;
    let at = |z: f32, heading: f32| Placement { position: Ground { x: 0.0, z }, heading };
    let starts = [at(-0.6, 0.0), at(0.6, std::f32::consts::PI)];
    duel::compose(&mut composer, &Duel { who: [0, 1], starts, seed });
    check(&composer);
}

fn one_against_many(seed: u64, seconds: i32, commands: Vec<Command>, check: impl FnOnce(&Composer<'_>)) {
    let (bodies, patches) = patches("boxing", "fight-one-many");
    let mut composer = Composer::new(&patches, bodies, 41, 60 * seconds);
    composer.commands = commands;
    let field = Field::Ring { center: Ground::default(), radius: 5.0 };
    let start = Placement::default();
    lead::compose(&mut composer, &Lead { who: 0, role: Role::Second, start, field, down: Some(120), seed });
    check(&composer);
}

/// Somebody who is steered through those who come when they are needed.
fn steered(is_football: bool, commands: Vec<Command>, check: impl FnOnce(&Composer<'_>)) {
    let name = if is_football { "football" } else { "fight-one-many" };
    let (bodies, patches) = patches(if is_football { "football" } else { "boxing" }, name);
    let mut composer = Composer::new(&patches, bodies, 25, 40 * 60);
    (composer.late, composer.commands) = (true, commands);
    let (role, field) = if is_football {
        (Role::First, Field::Lane { heading: 0.0, back: 5.0, width: 6.0 })
    } else {
        (Role::Second, Field::Ring { center: Ground::default(), radius: 4.0 })
    };
    let start = Placement::default();
    lead::compose(&mut composer, &Lead { who: 0, role, start, field, down: Some(120), seed: 1 });
    check(&composer);
}

fn run_through_defenders(seed: u64, commands: Vec<Command>, check: impl FnOnce(&Composer<'_>)) {
    let (bodies, patches) = patches("football", "football");
    let mut composer = Composer::new(&patches, bodies, 31, 16 * 60);
    composer.commands = commands;
    let field = Field::Lane { heading: 0.0, back: 6.0, width: 6.0 };
    let start = Placement::default();
    lead::compose(&mut composer, &Lead { who: 0, role: Role::First, start, field, down: Some(180), seed });
    check(&composer);
}

/// No two who have nothing to do with each other come nearer than this (m).
const APART: f32 = 0.38;

/// No mouse comes nearer than this to the middle of somebody it has nothing to do with (m): it is small, runs on the floor,
/// and has room beside a foot.
const APART_FROM_MOUSE: f32 = 0.24;

/// Nobody walks through another: people who share no patch keep apart, and those who do keep apart before and after it.
fn assert_nobody_walks_through_another(composer: &Composer<'_>) {
    let meets =
        |a: usize, b: usize| composer.uses.iter().any(|it| it.people.contains(&a) && it.people.contains(&b));
    assert_apart(composer, &meets, &|_, _| APART);
}

/// Whoever does not meet keeps apart, as far as they have to (m).
fn assert_apart(
    composer: &Composer<'_>,
    meets: &dyn Fn(usize, usize) -> bool,
    apart: &dyn Fn(usize, usize) -> f32,
) {
    let people = &composer.crowd.people;
    for a in 0..people.len() {
        for b in a + 1..people.len() {
            if people[a].performed.is_empty() || people[b].performed.is_empty() || meets(a, b) {
                continue;
            }
            for tick in (0..composer.end).step_by(4) {
                let [one, other] = [a, b].map(|who| composer.crowd.print_of(who, tick).unwrap());
                let distance = one.distance(&other);
                assert!(distance > apart(a, b), "{a} and {b} are {distance} m apart at tick {tick}");
            }
        }
    }
}

#[test]
fn shipped_scenes_of_patches_are_read() {
    let mut n_found = 0;
    for (name, text) in randori_scene::shipped::SCENES {
        let scene = Screenplay::parse(name, text.as_bytes()).unwrap();
        let Some(patchwork) = &scene.patches else { continue };
        n_found += 1;
        assert_eq!(patchwork.commands.is_empty(), !name.ends_with("commands"), "{name}");
        let again = Screenplay::parse(name, scene.to_toml().as_bytes()).unwrap();
        assert_eq!(again, scene);
        patch_sets::patterns(&patchwork.patterns).unwrap();
    }
    assert!(n_found >= 10, "{n_found}");
}

/// All that is seen before a tick: who does what from when on.
fn seen(composer: &Composer<'_>, before: i32) -> Vec<Vec<(i32, Doing)>> {
    let of = |person: &Person| person.performed.iter().filter(|it| it.0 < before).copied().collect();
    composer.crowd.people.iter().map(of).collect()
}

#[test]
fn a_command_changes_nothing_that_was_seen_and_is_followed() {
    let asks = |from: i32, until: i32, word: &str| Command {
        from: 60 * from,
        until: 60 * until,
        words: vec![word.to_owned()],
        ..Command::default()
    };
    for (is_football, words) in [(false, ["punch", "avoid"]), (true, ["jump-over", "dodge"])] {
        // One command after the other, as somebody gives them who looks on.
        let first = vec![asks(6, 40, words[0])];
        let both = vec![asks(6, 17, words[0]), asks(17, 40, words[1])];
        let mut last: Option<Vec<Vec<(i32, Doing)>>> = None;
        for (given, commands) in [(0, Vec::new()), (360, first), (1020, both)] {
            let is_asked = !commands.is_empty();
            steered(is_football, commands, |composer| {
                let all = seen(composer, i32::MAX);
                if let Some(before) = &last {
                    let then: Vec<Vec<(i32, Doing)>> = before
                        .iter()
                        .map(|it| it.iter().filter(|it| it.0 < given).copied().collect())
                        .collect();
                    assert!(then == seen(composer, given), "{words:?} at {given}");
                }
                let wishes = composer.wishes;
                println!("{words:?}: {} uses, {wishes:?}", composer.uses.len());
                assert!(composer.uses.len() >= 8, "{} uses", composer.uses.len());
                assert!(!is_asked || wishes.met > 0 && wishes.met == wishes.possible, "{wishes:?}");
                // Nobody is there before they are needed, but those of the beginning.
                let late = composer.crowd.people[1..].iter().filter_map(|it| it.performed.first());
                assert!(late.filter(|(tick, _)| *tick > 0).count() >= 5);
                last = Some(all);
            });
        }
    }
}

#[test]
fn two_fight_for_a_minute_without_repeating_themselves() {
    fight_of_two(5, 60, Vec::new(), |composer| {
        assert!(composer.uses.len() >= 20, "{} uses", composer.uses.len());
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        for it in &composer.uses {
            *counts.entry(it.patch.0).or_default() += 1;
        }
        let most = *counts.values().max().unwrap();
        assert!(10 * most <= composer.uses.len(), "one patch makes {most} of {} uses", composer.uses.len());
        // They are never idle for long.
        let mut begins: Vec<i32> = composer.uses.iter().map(|it| it.begins).collect();
        begins.sort_unstable();
        let pause = begins.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap();
        assert!(pause < 10 * 60, "nothing happens for {pause} ticks");
    });
}

#[test]
fn one_stays_up_against_twenty() {
    one_against_many(3, 60, Vec::new(), |composer| {
        let met = composer.uses.iter().filter(|it| it.people[1] == 0).count();
        assert!(met >= 20, "{met} met");
        let library = composer.bodies().library();
        let falls = (composer.crowd.people[0].performed.iter())
            .filter(|(_, it)| library.action(it.action).annotation.kind() == Kind::Reaction)
            .count();
        assert_eq!(falls, 0);
        assert_nobody_walks_through_another(composer);
    });
}

#[test]
fn a_runner_gets_past_twelve_and_jumps_over_two_at_once() {
    run_through_defenders(2, Vec::new(), |composer| {
        assert!(composer.uses.len() >= 12, "{} uses", composer.uses.len());
        let at_once = composer.uses.windows(2).filter(|pair| {
            let jumps = |at: usize| {
                let patch = composer.patches.patch(pair[at].patch);
                patch.has(composer.bodies().library(), Role::First, "jump-over")
            };
            pair[1].join == randori_patches::composing::Join::Spatial && jumps(0) && jumps(1)
        });
        assert!(at_once.count() > 0);
        assert_nobody_walks_through_another(composer);
    });
}

/// How many runs are tried.
const SEEDS: u64 = 20;

#[test]
fn nobody_walks_through_another_whatever_the_seed() {
    for seed in 0..SEEDS {
        run_through_defenders(seed, Vec::new(), assert_nobody_walks_through_another);
    }
    for seed in 0..8 {
        one_against_many(seed, 60, Vec::new(), assert_nobody_walks_through_another);
    }
}

#[test]
fn runners_who_are_told_to_avoid_get_through_whatever_the_seed() {
    let (mut through, mut wishes) = (0, [0, 0]);
    for seed in 0..SEEDS {
        run_through_defenders(100 + seed, told(&["avoid"]), |composer| {
            let library = composer.bodies().library();
            let is_down = composer.crowd.people[0]
                .performed
                .iter()
                .any(|(_, it)| library.action(it.action).annotation.kind() == Kind::Reaction);
            // Whoever is touched by a tackler was not past it.
            let is_touched = composer.uses.iter().any(|it| {
                let patch = composer.patches.patch(it.patch);
                it.people[0] == 0 && patch.contacts.iter().any(|contact| contact.who == Role::Second)
            });
            through += u64::from(!is_down && !is_touched && composer.uses.len() >= 8);
            wishes = [wishes[0] + composer.wishes.possible, wishes[1] + composer.wishes.met];
        });
    }
    assert!(10 * through >= 9 * SEEDS, "{through} of {SEEDS} get through");
    assert!(wishes[0] > 100 && 20 * wishes[1] >= 19 * wishes[0], "{wishes:?}");
}

fn told(words: &[&str]) -> Vec<Command> {
    let words = words.iter().map(|word| (*word).to_owned()).collect();
    vec![Command { from: 0, until: i32::MAX, words, ..Command::default() }]
}

#[test]
fn commands_are_followed_wherever_a_patch_can() {
    let kicks = |composer: &Composer<'_>, who: usize| {
        let library = composer.bodies().library();
        let done = composer.crowd.people[who].performed.iter();
        done.filter(|(_, it)| library.action(it.action).annotation.name().contains("kick")).count()
    };
    let mut free = 0;
    fight_of_two(4, 30, Vec::new(), |composer| free = kicks(composer, 0));
    one_against_many(4, 30, told(&["punch"]), |composer| {
        assert!(composer.wishes.possible >= 5, "{:?}", composer.wishes);
        assert!(20 * composer.wishes.met >= 19 * composer.wishes.possible, "{:?}", composer.wishes);
    });
    fight_of_two(4, 30, told(&["kick"]), |composer| {
        assert!(composer.wishes.possible >= 5, "{:?}", composer.wishes);
        assert!(20 * composer.wishes.met >= 19 * composer.wishes.possible, "{:?}", composer.wishes);
        assert!(kicks(composer, 0) > free, "{} kicks, {free} if free", kicks(composer, 0));
    });
}

#[test]
fn wishes_are_met_whatever_the_seed() {
    let mut counts: BTreeMap<&str, [u32; 2]> = BTreeMap::new();
    let mut count = |name, composer: &Composer<'_>| {
        let of = counts.entry(name).or_default();
        of[0] += composer.wishes.possible;
        of[1] += composer.wishes.met;
    };
    for seed in 20..24 {
        one_against_many(seed, 20, told(&["punch"]), |composer| count("one-many", composer));
        fight_of_two(seed, 30, told(&["kick"]), |composer| count("one-one", composer));
        let ahead = Command { until: i32::MAX, direction: Some(0.0), ..Command::default() };
        mouse(seed, vec![ahead], |composer| count("mouse", composer));
    }
    for (name, [possible, met]) in counts {
        assert!(possible >= 20, "{name}: {met} of {possible}");
        assert!(20 * met >= 19 * possible, "{name}: {met} of {possible}");
    }
}

#[test]
fn an_appointment_is_kept_in_place_and_in_time() {
    let (bodies, patches) = patches("boxing", "fight-one-many");
    let mut n_kept = 0;
    for seed in 0..12 {
        let mut composer = Composer::new(&patches, Arc::clone(&bodies), 41, 60 * 40);
        let at = |second: i32, x: f32, z: f32, word: &str| Appointment {
            tick: 60 * second,
            place: Ground { x, z },
            words: vec![word.to_owned()],
        };
        composer.appointments = vec![at(14, 1.4, 0.6, "punch"), at(30, -1.2, -0.8, "defence")];
        let appointments = composer.appointments.clone();
        let field = Field::Ring { center: Ground::default(), radius: 5.0 };
        let start = Placement::default();
        lead::compose(
            &mut composer,
            &Lead { who: 0, role: Role::Second, start, field, down: Some(120), seed },
        );
        assert_eq!(composer.kept.len(), 2);
        for (kept, appointment) in composer.kept.iter().zip(&appointments) {
            let Some(id) = kept.patch else { continue };
            n_kept += 1;
            assert!(kept.off < 0.01 && kept.late == 0.0, "{kept:?}");
            // As told by what is performed: there, then, and with somebody who touches or is touched.
            let performed = &composer.crowd.people[0].performed;
            let (_, doing) = performed.iter().rev().find(|(tick, _)| *tick <= appointment.tick).unwrap();
            let off = doing.position(&bodies, appointment.tick).distance(appointment.place);
            assert!(off < 0.02, "{off} m off: {kept:?}");
            let patch = patches.patch(randori_patches::PatchId(id));
            assert!(patch.has(bodies.library(), Role::Second, &appointment.words[0]), "{kept:?}");
            let is_then = |it: &randori_patches::composing::Use| {
                it.patch.0 == id
                    && it.people[1] == 0
                    && patch
                        .contacts
                        .first()
                        .is_none_or(|it_touches| it.begins + it_touches.tick == appointment.tick)
            };
            assert!(composer.uses.iter().any(is_then), "{kept:?}");
        }
        assert_nobody_walks_through_another(&composer);
        // Ways to appointments are bent, but nobody is moved by more than a seam takes.
        assert!(widest_seam(&composer) < 0.1, "{} m", widest_seam(&composer));
    }
    assert!(n_kept >= 22, "{n_kept} of 24 are kept");
}

/// The farthest that anybody is moved from the end of an action to the start of the next (m).
fn widest_seam(composer: &Composer<'_>) -> f32 {
    let bodies = composer.bodies();
    let seams = composer.crowd.people.iter().flat_map(|it| it.performed.windows(2));
    seams
        .map(|pair| {
            let tick = pair[1].0;
            pair[0].1.position(bodies, tick).distance(pair[1].1.position(bodies, tick))
        })
        .fold(0.0, f32::max)
}

#[test]
fn ten_times_as_many_patches_cost_hardly_more() {
    let (bodies, few) = patches("boxing", "fight-one-many");
    let all = few.all();
    let many: Vec<_> = (0..10).flat_map(|_| all.iter().cloned()).collect();
    let many = Patches::new(few.library.clone(), few.patterns.clone(), many, few.tables.clone());
    assert_eq!(many.len(), 10 * few.len());
    let effort = |patches: &Patches| {
        let mut composer = Composer::new(patches, Arc::clone(&bodies), 21, 60 * 20);
        let field = Field::Ring { center: Ground::default(), radius: 5.0 };
        let start = Placement::default();
        let lead = Lead { who: 0, role: Role::Second, start, field, down: Some(120), seed: 6 };
        lead::compose(&mut composer, &lead);
        let choices = composer.uses.len().max(1) as f64;
        (composer.effort.families as f64 / choices, composer.effort.patches as f64 / choices)
    };
    let ((few_families, few_patches), (families, patches)) = (effort(&few), effort(&many));
    assert!(few_patches > 100.0, "{few_patches}");
    assert!(families <= few_families, "{families} families, {few_families} of a tenth");
    assert!(patches < 1.3 * few_patches, "{patches} patches, {few_patches} of a tenth");
}

#[test]
fn the_same_seed_makes_the_same_scene() {
    let mut first = None;
    for _ in 0..2 {
        one_against_many(9, 15, Vec::new(), |composer| {
            let scene = (composer.uses.clone(), composer.crowd.people.clone());
            assert_eq!(*first.get_or_insert_with(|| scene.clone()), scene);
        });
    }
    one_against_many(10, 15, Vec::new(), |composer| {
        assert_ne!(first.as_ref().unwrap().0, composer.uses);
    });
}

/// People who fall over each other until the shipped letter is full.
fn letter(seed: u64, check: impl FnOnce(&Composer<'_>, &Floor, Filled)) {
    let (bodies, patches) = patches("crowd", "dominoes");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/floor-r.png");
    let floor = area(&randori_scene::files::read(&path).unwrap(), 0.3).unwrap();
    let mut composer = Composer::new(&patches, bodies, 450, 24 * 60);
    let start = Placement { position: Ground { x: -8.0, z: 14.5 }, heading: std::f32::consts::PI };
    let filled = dominoes::compose(&mut composer, &Dominoes { floor: &floor, starts: &[start], seed });
    check(&composer, &floor, filled);
}

#[test]
fn three_hundred_fall_until_the_letter_is_full() {
    letter(4, |composer, floor, filled| {
        assert!(filled.people >= 300, "{filled:?}");
        // Every place is within half a metre of somebody who lies, and nobody lies outside by more than a body.
        let bodies = composer.bodies();
        let lying: Vec<_> = (composer.crowd.people.iter())
            .filter_map(|person| person.performed.last())
            .map(|(_, doing)| shadows(bodies, doing, composer.end))
            .collect();
        assert_eq!(lying.len(), filled.people);
        for place in floor.places() {
            let near = lying.iter().flatten().map(|shadow| shadow.from(place)).fold(f32::INFINITY, f32::min);
            assert!(near <= 0.5, "{place:?} is {near} m from everybody");
        }
        let length = randori_motion::Build::AVERAGE.height;
        for end in lying.iter().flatten().flat_map(|shadow| shadow.ends) {
            let outside = floor.places().map(|place| place.distance(end)).fold(f32::INFINITY, f32::min);
            assert!(outside < length, "{outside} m outside");
        }
        // Everybody but the first is felled by somebody, at the time at which that one falls.
        for who in 1..filled.people {
            let felled = composer.uses.iter().filter(|it| it.people[0] == who).count();
            assert_eq!(felled, 1, "{who}");
        }
        // Those whom one and the same person touches are kept out of each other by the table of overlaps.
        let mut by = vec![None; composer.crowd.people.len()];
        for it in &composer.uses {
            by[it.people[0]] = Some(it.people[1]);
        }
        let is_after = |a: usize, b: usize| by[b] == Some(a) || by[b].is_some_and(|it| by[it] == Some(a));
        assert_apart(composer, &|a, b| is_after(a, b) || is_after(b, a), &|_, _| APART);
    });
}

#[test]
fn the_letter_is_filled_whatever_the_seed() {
    for seed in 11..17 {
        letter(seed, |composer, _, filled| {
            assert!(filled.people >= 300, "seed {seed}: {filled:?}");
            assert_eq!(filled.left, 0.0, "seed {seed}: {filled:?}");
            assert!(filled.outside < randori_motion::Build::AVERAGE.height, "seed {seed}: {filled:?}");
            for who in 1..filled.people {
                let felled = composer.uses.iter().filter(|it| it.people[0] == who).count();
                assert_eq!(felled, 1, "seed {seed}: {who}");
            }
        });
    }
}

/// A mouse in a crowd of so many.
fn mouse(seed: u64, commands: Vec<Command>, check: impl FnOnce(&Composer<'_>)) {
    let (bodies, patches) = patches("crowd", "mouse");
    let mut composer = Composer::new(&patches, bodies, 121, 30 * 60);
    composer.commands = commands;
    composer.crowd.people[0].girth = Girth::MOUSE;
    let field = Field::Crowd { center: Ground::default(), radius: 8.0 };
    let start = Placement { position: Ground { x: 0.0, z: -7.0 }, heading: 0.0 };
    lead::compose(&mut composer, &Lead { who: 0, role: Role::First, start, field, down: None, seed });
    let met = composer.uses.iter().flat_map(|it| it.people).max().unwrap();
    bystanders::stand_by(&mut composer, met + 1..121, Ground::default(), 8.0, seed);
    check(&composer);
}

#[test]
fn a_mouse_frightens_a_crowd_of_a_hundred() {
    mouse(4, Vec::new(), |composer| {
        let there = composer.crowd.people[1..].iter().filter(|it| !it.performed.is_empty()).count();
        assert!(there >= 100, "{there} people");
        let avoided = composer.uses.iter().filter(|it| it.people[0] == 0).count();
        assert!(avoided >= 10, "{avoided} avoid the mouse");
        let bumped = composer.uses.iter().filter(|it| it.people[0] != 0).count();
        assert!(bumped >= 10, "{bumped} are bumped into");
        assert_mouse_keeps_clear(composer);
    });
}

#[test]
fn a_mouse_runs_on_to_the_end_whatever_the_seed() {
    for seed in [4, 5001, 5002, 5005, 5008, 5010] {
        mouse(seed, Vec::new(), |composer| {
            let last = composer.uses.iter().filter(|it| it.people[0] == 0).map(|it| it.begins).max();
            assert!(last.unwrap() > composer.end - 6 * 60, "seed {seed}: the last is met at {last:?}");
            let place = |tick: i32| composer.crowd.print_of(0, tick).unwrap().hips();
            for tick in (0..=composer.end - 180).step_by(30) {
                let steps = (tick..tick + 180).step_by(30);
                let run: f32 = steps.map(|tick| place(tick).distance(place(tick + 30))).sum();
                assert!(run > 1.0, "seed {seed}: {run} m in the three seconds from {tick} on");
            }
            assert_mouse_keeps_clear(composer);
        });
    }
}

/// Whoever does not meet keeps apart, from the mouse as far as it is small.
fn assert_mouse_keeps_clear(composer: &Composer<'_>) {
    let meets =
        |a: usize, b: usize| composer.uses.iter().any(|it| it.people.contains(&a) && it.people.contains(&b));
    assert_apart(composer, &meets, &|a, _| if a == 0 { APART_FROM_MOUSE } else { APART });
}

/// A line of so many people who hand these pieces on, heavy or not, large or not.
fn line(
    n_people: usize,
    pieces: &[(bool, bool)],
    commands: Vec<Command>,
    check: impl FnOnce(&Composer<'_>, &[Journey]),
) {
    let (bodies, patches) = patches("carry", "luggage");
    let mut composer = Composer::new(&patches, bodies, n_people, 400 * 60);
    composer.commands = commands;
    let load = |(is_heavy, is_large): &(bool, bool)| Load {
        is_heavy: *is_heavy,
        is_large: *is_large,
        is_shared: false,
    };
    let pieces: Vec<Load> = pieces.iter().map(load).collect();
    let start = Placement { position: Ground::default(), heading: std::f32::consts::FRAC_PI_2 };
    let chain = Chain { start, spacing: 2.4, n_people, pieces: &pieces };
    let journeys = luggage::compose(&mut composer, &chain);
    check(&composer, &journeys);
}

/// Light, heavy, small and large.
const PIECES: [(bool, bool); 4] = [(false, false), (false, true), (true, false), (true, true)];

#[test]
fn twenty_hand_on_luggage_of_all_kinds_and_go_back_to_their_places() {
    line(20, &PIECES, Vec::new(), |composer, journeys| {
        let bodies = composer.bodies();
        assert_eq!(journeys.len(), PIECES.len());
        for journey in journeys {
            assert!(journey.has_arrived, "{journey:?}");
            let who: Vec<usize> = journey.holds.iter().map(|hold| hold.who).collect();
            assert_eq!(who, (0..20).collect::<Vec<_>>());
            assert!(journey.holds.windows(2).all(|pair| pair[0].until == pair[1].from));
        }
        // Hands meet: the palms of giver and receiver are at the same place when a piece changes hands.
        let palms = |who: usize, tick: i32| {
            let performed = &composer.crowd.people[who].performed;
            let (_, doing) = performed.iter().rev().find(|(start, _)| *start <= tick).unwrap();
            let take = bodies.of_action(doing.action).take;
            let ends = bodies.frame(take, doing.frame(bodies, tick));
            [randori_motion::Bone::LeftHand, randori_motion::Bone::RightHand].map(|bone| {
                let at = bodies.bones().iter().position(|known| *known == bone).unwrap();
                doing.world_from_take.point(0.5 * (ends[at][0] + ends[at][1]))
            })
        };
        for pair in journeys.iter().flat_map(|journey| journey.holds.windows(2)) {
            let tick = pair[0].until;
            let ([left, right], [other_left, other_right]) =
                (palms(pair[0].who, tick), palms(pair[1].who, tick));
            let apart = left.distance(other_right).max(right.distance(other_left));
            assert!(apart < 0.15, "hands are {apart} m apart: {pair:?}");
        }
        // Nobody is moved by more than a seam takes, and nobody who is done stands still until the next action.
        assert!(widest_seam(composer) < 0.1, "{} m", widest_seam(composer));
        for person in &composer.crowd.people {
            let is_idle = |pair: &[(i32, randori_arena::bodies::Doing)]| pair[1].0 > pair[0].1.end(bodies);
            assert!(!person.performed.windows(2).any(is_idle));
        }
        // Everybody is back where they began.
        for who in 0..20 {
            let performed = &composer.crowd.people[who].performed;
            let place = |tick: i32| {
                let (_, doing) = performed.iter().rev().find(|(start, _)| *start <= tick).unwrap();
                doing.position(bodies, tick)
            };
            let far = place(0).distance(place(composer.end - 1));
            assert!(far < 0.3, "{who} ends {far} m from its place");
        }
        assert_nobody_walks_through_another(composer);
    });
}

#[test]
fn whoever_hands_luggage_on_turns_as_asked() {
    let ask = |side: f32| vec![Command { until: i32::MAX, turn: Some(side), ..Command::default() }];
    for side in [1.0, -1.0] {
        line(6, &PIECES[..2], ask(side), |composer, journeys| {
            assert!(journeys.iter().all(|it| it.has_arrived));
            assert!(composer.wishes.possible >= 8, "{:?}", composer.wishes);
            assert!(20 * composer.wishes.met >= 19 * composer.wishes.possible, "{:?}", composer.wishes);
        });
    }
}
