//! The tables, against a slow and simple look at the same questions.

mod common;

use common::{boxer, bystander_of_tests, fights, tumbles};
use randori_arena::bodies::{Bodies, Doing, Rigid};
use randori_arena::stage::Pair;
use randori_motion::Placement;
use randori_patches::making::Tolerance;
use randori_patches::tables::Manner;
use randori_patches::{Lines, PatchId, Patches, Role};

/// What somebody does at a tick: `None` before the start, and after the end unless they stay.
fn at(bodies: &Bodies, lines: &Lines, from: Placement, begins: i32, tick: i32, stays: bool) -> Option<Doing> {
    if tick < begins + lines.start() || (!stays && tick >= begins + lines.end()) {
        return None;
    }
    let doings = lines.doings(bodies, Rigid::of(from), begins);
    doings.into_iter().rev().find(|(start, _)| *start <= tick).map(|(_, doing)| doing)
}

/// How deep two of two patches get into each other at most (m); the second patch is placed here and begins then.
fn deepest(
    bodies: &Bodies,
    [own, other]: [&Lines; 2],
    (from, begins): (Placement, i32),
    stay: [bool; 2],
) -> f32 {
    let last = own.end().max(other.end() + begins);
    let first = own.start().min(other.start() + begins);
    let mut deepest = f32::NEG_INFINITY;
    for tick in first..last {
        let here = at(bodies, own, Placement::default(), 0, tick, stay[0]);
        let there = at(bodies, other, from, begins, tick, stay[1]);
        if let (Some(here), Some(there)) = (here, there) {
            deepest = deepest.max(Pair::of(bodies, &here, bodies, &there).depth(tick));
        }
    }
    deepest
}

/// Nearer to the limit than this, two ways to reckon may differ (m).
const UNSURE: f32 = 1e-3;
const LIMIT: f32 = 0.0;

fn placed(here: Placement, from: Placement) -> Placement {
    here.then(from.relative(Placement::default()))
}

fn check_relays(bodies: &Bodies, set: &Patches) {
    let (mut yes, mut no) = (0, 0);
    for a in set.ids().step_by(7) {
        for b in set.ids().step_by(5) {
            for (own, theirs) in Role::BOTH.into_iter().flat_map(|own| Role::BOTH.map(|theirs| (own, theirs)))
            {
                let (from, to) = (set.patch(a).of(own), set.patch(b).of(theirs));
                let found = set.tables.can_relay(a, own, b, theirs);
                assert_eq!(found, set.tables.relays(a, own, theirs).any(|id| id == b));
                if from.exit.is_none() || from.exit != to.entry {
                    assert!(!found);
                    continue;
                }
                let others = [set.patch(a).of(own.other()), set.patch(b).of(theirs.other())];
                let place = (placed(from.to, to.from), from.end() - to.start());
                let depth = deepest(bodies, others, place, [true, false]);
                if (depth - LIMIT).abs() > UNSURE {
                    assert_eq!(found, depth <= LIMIT, "{a:?} {own:?} {b:?} {theirs:?}: {depth}");
                    if found { yes += 1 } else { no += 1 }
                }
            }
        }
    }
    assert!(yes > 10 && no > 3, "{yes} joined, {no} apart");
}

#[test]
fn one_goes_on_with_somebody_else_where_nobody_is_in_the_way() {
    check_relays(boxer(), fights());
}

#[test]
fn both_go_on_where_postures_and_places_fit() {
    let (set, tolerance) = (fights(), Tolerance::default());
    for a in set.ids() {
        let ends = set.patch(a).final_condition();
        for b in set.ids() {
            for (is_swapped, roles) in [(false, Role::BOTH), (true, [Role::Second, Role::First])] {
                let to = set.patch(b);
                let fits = Role::BOTH.into_iter().zip(roles).all(|(own, theirs)| {
                    let (from, to) = (set.patch(a).of(own), to.of(theirs));
                    from.exit.is_some() && from.exit == to.entry
                });
                let wanted = if is_swapped { to.initial.swapped() } else { to.initial };
                let expected = fits && tolerance.covers(&ends, &wanted);
                let found = set.tables.rejoins(a).iter().any(|it| it.to == b && it.is_swapped == is_swapped);
                assert_eq!(found, expected, "{a:?} {b:?} {is_swapped}");
            }
        }
    }
}

#[test]
fn overlapping_patches_share_what_somebody_does_and_keep_the_others_apart() {
    let (bodies, set) = (bystander_of_tests(), tumbles());
    let mut n_found = 0;
    for a in set.ids() {
        for overlap in set.tables.overlaps(a) {
            n_found += 1;
            let (own, other) = (set.patch(a), set.patch(overlap.with));
            let (mine, theirs) = (own.of(overlap.own), other.of(overlap.theirs));
            let begins = i32::from(overlap.begins);
            // Whoever is shared does the same at every tick that both have.
            let from = mine.start().max(theirs.start() + begins);
            let to = mine.end().min(theirs.end() + begins);
            assert!(from < to, "{a:?} {overlap:?}");
            let shared = |lines: &Lines, tick: i32| {
                let stint = lines.stint_at(tick).unwrap();
                (stint.action, i32::from(stint.skipped) + tick - stint.start)
            };
            for tick in from..to {
                assert_eq!(shared(mine, tick), shared(theirs, tick - begins), "{a:?} {overlap:?} at {tick}");
            }
            if overlap.manner == Manner::Inside {
                let inside = (from, to) == (mine.start(), mine.end())
                    || (from, to) == (theirs.start() + begins, theirs.end() + begins);
                assert!(inside, "{a:?} {overlap:?}");
            }
            // Seen from the other patch it is the same.
            let back = set.tables.overlaps(overlap.with).iter().any(|it| {
                it.with == a
                    && it.own == overlap.theirs
                    && it.theirs == overlap.own
                    && it.begins == -overlap.begins
            });
            assert!(back, "{a:?} {overlap:?}");
            if n_found % 11 == 0 {
                let here = own.placement(bodies, overlap.own, from);
                let there = other.placement(bodies, overlap.theirs, from - begins);
                let others = [own.of(overlap.own.other()), other.of(overlap.theirs.other())];
                let stay = others.map(|lines| lines.falls);
                let depth = deepest(bodies, others, (placed(here, there), begins), stay);
                assert!(depth <= LIMIT + UNSURE, "{a:?} {overlap:?}: {depth}");
            }
        }
    }
    assert!(n_found > 20, "{n_found}");
    assert!(set.tables.overlaps(PatchId(set.len() as u32)).is_empty());
}
