//! Pruned planning is plain planning: the same choice and the same scores, bit by bit, on states of real bouts.

#[path = "../../arena/tests/common/mod.rs"]
mod common;

use common::{aims, boxer, chase, fight, play, ring};
use randori_arena::objectives::{Aims, Goal, Judge};
use randori_arena::plausible::Choice;
use randori_arena::stage::{Moment, Stage};
use randori_gametree::{Decision, Method, Opponent, Rule, Settings, Workspace, search};
use randori_motion::{Annotation, Ground};
use randori_tactics::Game;

/// People with aims, and moments of theirs at which somebody decides.
struct Case {
    name: &'static str,
    stage: Stage,
    aims: Vec<Aims>,
    moments: Vec<Moment>,
}

impl Case {
    fn of(name: &'static str, stage: Stage, aims: Vec<Aims>, seed: u64, n: usize) -> Case {
        let steps = play(&stage, &ring(&stage, 0.6), &aims, seed, 3 * n);
        let moments = steps.into_iter().step_by(3).map(|step| step.before).collect();
        Case { name, stage, aims, moments }
    }

    /// Two boxers; with a way to go, actions to do and not to do, or an exchange to stage, if asked for.
    fn duel(name: &'static str, style: &str, change: impl Fn(&mut Aims), n: usize) -> Case {
        let mut both = [aims(style, 1), aims(style, 0)];
        both.iter_mut().for_each(change);
        Case::of(name, fight(&[0, 1], 60.0), both.to_vec(), n as u64, n)
    }

    /// Chasers and whoever runs away from them.
    fn chase(name: &'static str, style: [&str; 2], sides: &[u8], n: usize) -> Case {
        let goal = Goal { position: Ground { x: 2.0, z: -1.0 }, heading: Some(0.5) };
        let of = |side: &u8| if *side == 0 { aims(style[0], sides.len() - 1) } else { aims(style[1], 0) };
        let mut all: Vec<Aims> = sides.iter().map(of).collect();
        for aims in all.iter_mut().filter(|aims| aims.style.path_weight > 0.0) {
            aims.goal = Some(goal);
        }
        Case::of(name, chase(sides), all, 7, n)
    }

    /// Compares a search with the plain expansion of the same tree at every moment; the edges of both.
    fn compare(&self, settings: &Settings, moments: &[Moment]) -> [u64; 2] {
        let judge = Judge::of(&self.stage, &self.aims);
        let workspace = &mut Workspace::default();
        let mut edges = [0; 2];
        for (k, moment) in moments.iter().enumerate() {
            let who = self.stage.turn(moment).unwrap_or(0);
            // Both sides ask: whoever decides plans as Max, and is seen as Min.
            let side = if k % 4 == 3 { 1 - self.stage.cast[who].side } else { self.stage.cast[who].side };
            let game = Game { stage: &self.stage, judge: &judge, side };
            let plain = Settings { method: Method::Plain, ..settings.clone() };
            let expected = search(&game, moment, &plain, workspace);
            let found = search(&game, moment, settings, workspace);
            let bits =
                |it: &Decision<Choice>| (it.choice, it.scores.comp.to_bits(), it.scores.coop.to_bits());
            assert_eq!(bits(&found), bits(&expected), "{} {k} {settings:?}", self.name);
            assert!(found.choice.is_some());
            for one in found.candidates.iter().filter(|candidate| candidate.scores.is_some()) {
                assert!(expected.candidates.contains(one), "{} {k} {one:?}", self.name);
            }
            assert_eq!(found.statistics.broken_bounds, 0, "{} {k} {settings:?}", self.name);
            edges[0] += expected.statistics.edges;
            edges[1] += found.statistics.edges;
        }
        edges
    }
}

fn words(names: &[&'static str]) -> Vec<Annotation> {
    names.iter().copied().map(Annotation::of).collect()
}

/// All kinds of aims, with this many moments each.
fn cases(n: usize) -> Vec<Case> {
    let nothing = |_: &mut Aims| {};
    let path = |aims: &mut Aims| {
        aims.goal = Some(Goal { position: Ground { x: 1.5, z: 2.5 }, heading: Some(1.0) });
        aims.style.heading_weight = 3.0;
    };
    let asked = |aims: &mut Aims| {
        path(aims);
        aims.required = words(&["left-jab", "hit-head-front", "hit-torso-front"]);
        aims.forbidden = words(&["right-straight", "duck", "hit-head-left"]);
    };
    let staged = |aims: &mut Aims| aims.staged = true;
    let tired = |aims: &mut Aims| aims.done = boxer().library().ids().take(9).collect();
    vec![
        Case::duel("boxers", "general-boxer", nothing, n),
        Case::duel("infighters", "infighter", tired, n),
        Case::duel("on a way", "general-boxer-path", path, n),
        Case::duel("asked for", "general-boxer-path", asked, n),
        Case::duel("staged", "general-boxer", staged, n),
        Case::chase("chase", ["chaser", "runaway"], &[0, 1], n),
        Case::chase("chase on a way", ["chaser-path", "runaway-path"], &[0, 1], n),
        Case::of(
            "three boxers",
            fight(&[0, 1, 1], 60.0),
            vec![aims("general-boxer", 1), aims("infighter", 0), aims("general-boxer", 0)],
            5,
            n,
        ),
        Case::chase("two chasers", ["chaser", "runaway"], &[0, 0, 1], n / 2),
    ]
}

#[test]
fn pruned_is_plain_at_depth_two() {
    for case in cases(60) {
        let settings = Settings { depth: 2, ..Settings::default() };
        let [plain, pruned] = case.compare(&settings, &case.moments);
        println!("{}: {plain} edges plain, {pruned} pruned", case.name);
        assert!(plain > case.moments.len() as u64);
    }
}

#[test]
fn pruned_is_plain_by_every_rule_with_and_without_threads_and_habits() {
    for case in cases(12) {
        for rule in [Rule::TwoObjectives, Rule::Added, Rule::AddedShared] {
            for opponent in [Opponent::Rational, Opponent::Habitual] {
                for parallel in [false, true] {
                    let settings = Settings { depth: 2, rule, opponent, parallel, ..Settings::default() };
                    case.compare(&settings, &case.moments);
                }
            }
        }
    }
}

#[test]
fn pruned_is_plain_at_depth_three() {
    for case in cases(4) {
        let settings = Settings { depth: 3, ..Settings::default() };
        let [plain, pruned] = case.compare(&settings, &case.moments[..2]);
        println!("{}: {plain} edges plain, {pruned} pruned", case.name);
        if case.name == "boxers" {
            assert!(pruned < plain, "{pruned} {plain}");
        }
    }
}
