//! The rules on trees small enough to be worked out by hand, and worlds that offer little or nothing.

mod toys;

use randori_gametree::score::{MAX_DEPTH, MAX_SCORE};
use randori_gametree::{
    Candidate, Decision, Edge, Method, Opponent, Player, Rule, Scores, Settings, Workspace, World, search,
};
use toys::written::{Tree, Written, max, min};

/// Searches by both methods, which must agree.
fn find<W: World>(world: &W, state: &W::State, settings: &Settings) -> Decision<W::Choice> {
    let [plain, pruned] = [Method::Plain, Method::Pruned].map(|method| {
        search(world, state, &Settings { method, ..settings.clone() }, &mut Workspace::default())
    });
    assert_eq!((plain.choice, plain.scores), (pruned.choice, pruned.scores));
    assert_eq!(plain.candidates.len(), pruned.candidates.len());
    plain
}

fn check<W: World>(world: &W, state: &W::State, settings: &Settings, choice: W::Choice, scores: [f64; 2]) {
    let found = find(world, state, settings);
    let [comp, coop] = scores;
    assert_eq!((found.choice, found.scores), (Some(choice), Scores { comp, coop }), "{settings:?}");
}

fn depth(depth: u8) -> Settings {
    Settings { depth, ..Settings::default() }
}

/// \[Shum2012\], figure 6 (left): e0 and e2 are Max's edges, e1 is Min's, and the leaf scores
/// S_comp = F_comp(e0) + F_comp(e2) − F_comp(e1), S_coop = F_coop(e0) + F_coop(e2) + F_coop(e1).
#[test]
fn figure_6_a_leaf_sums_its_path() {
    for [e0, e1, e2] in [[(5.0, 1.0), (2.0, 4.0), (8.0, -16.0)], [(-1.5, 0.0), (0.25, 0.5), (-3.0, 7.0)]] {
        let tree = max([(e0.0, e0.1, min([(e1.0, e1.1, max([(e2.0, e2.1, Tree::End)]))]))]);
        check(&Written::default(), &tree, &depth(3), 0, [e0.0 + e2.0 - e1.0, e0.1 + e2.1 + e1.1]);
    }
}

/// Two replies of Min to each of two choices of Max. Leaves: (−3, 0), (−1, 5) and (1, 0), (−1, ½).
fn two_by_two() -> Tree {
    max([
        (0.0, 0.0, min([(3.0, 0.0, Tree::End), (1.0, 5.0, Tree::End)])),
        (1.0, 0.0, min([(0.0, 0.0, Tree::End), (2.0, 0.5, Tree::End)])),
    ])
}

#[test]
fn each_rule_by_hand() {
    let world = Written::default();
    let with = |rule| Settings { rule, ..depth(2) };
    // Min: least of −3 − 0 and −1 − 5; of 1 − 0 and −1 − ½. Max: the larger of −1 + 5 and −1 + ½.
    check(&world, &two_by_two(), &with(Rule::TwoObjectives), 0, [-1.0, 5.0]);
    // Min's gain is Max's loss: −3 and −6; 1 and 1 − 2.5.
    check(&world, &two_by_two(), &with(Rule::Added), 1, [-1.5, 0.0]);
    // Min makes the common sum small: −3 and 4; 1 and −½.
    check(&world, &two_by_two(), &with(Rule::AddedShared), 1, [-0.5, 0.0]);
    // One choice ahead, the second looks better.
    check(&world, &two_by_two(), &depth(1), 1, [1.0, 0.0]);
}

#[test]
fn a_habit_makes_a_mean() {
    let habitual = |depth| Settings { depth, opponent: Opponent::Habitual, ..Settings::default() };
    let tree = two_by_two();
    // ¼ (−3, 0) + ¾ (−1, 5); weights need not sum to one.
    check(&Written { habit: vec![1.0, 3.0] }, &tree, &habitual(2), 0, [-1.5, 3.75]);
    // Always the first reply: (−3, 0) or (1, 0).
    check(&Written { habit: vec![1.0, 0.0] }, &tree, &habitual(2), 1, [1.0, 0.0]);
    // No habit to speak of: Min chooses.
    for habit in [vec![], vec![0.0, 0.0], vec![f64::NAN, -1.0], vec![1.0], vec![f64::INFINITY, 0.0]] {
        check(&Written { habit }, &tree, &habitual(2), 0, [-1.0, 5.0]);
    }
    // A world with a habit, and a planner who does not ask for it.
    check(&Written { habit: vec![1.0, 0.0] }, &tree, &depth(2), 0, [-1.0, 5.0]);
}

#[test]
fn a_mean_is_of_what_follows() {
    let tree = max([(1.0, 0.0, min([(0.0, 1.0, two_by_two()), (4.0, 0.0, Tree::End)]))]);
    let settings = Settings { opponent: Opponent::Habitual, ..depth(4) };
    // Below the first reply: (1, 1) + (−1.5, 3.75); the second ends in (−3, 0).
    check(&Written { habit: vec![1.0, 3.0] }, &tree, &settings, 0, [-2.375, 1.1875]);
}

#[test]
fn of_equals_the_first_is_taken_at_every_node() {
    let world = Written::default();
    let leaf = || Tree::End;
    // Both replies serve Min equally, S_comp − S_coop = −1, but not Max.
    let replies = || min([(1.0, 0.0, leaf()), (3.0, -2.0, leaf())]);
    check(&world, &max([(0.0, 0.0, replies()), (0.0, 0.0, replies())]), &depth(2), 0, [-1.0, 0.0]);
    let swapped = min([(3.0, -2.0, leaf()), (1.0, 0.0, leaf())]);
    check(&world, &max([(0.0, 0.0, swapped)]), &depth(2), 0, [-3.0, -2.0]);
}

#[test]
fn the_other_side_may_be_first() {
    let tree = min([(1.0, 0.0, Tree::End), (0.0, 5.0, Tree::End), (3.0, 1.0, Tree::End)]);
    check(&Written::default(), &tree, &depth(3), 1, [0.0, 5.0]);
}

#[test]
fn where_there_is_nothing_to_choose() {
    let world = Written::default();
    let nothing = |found: Decision<usize>| {
        assert_eq!((found.choice, found.scores, found.candidates.len()), (None, Scores::default(), 0));
    };
    nothing(find(&world, &Tree::End, &depth(3)));
    nothing(find(&world, &max([]), &depth(3)));
    nothing(find(&world, &two_by_two(), &depth(0)));
    // A path that ends early keeps what it has.
    let early = max([(2.0, 1.0, min([])), (2.0, 0.5, Tree::End), (1.0, 0.0, max([(9.0, 0.0, Tree::End)]))]);
    check(&world, &early, &depth(5), 2, [10.0, 0.0]);
    check(&world, &early, &depth(1), 0, [2.0, 1.0]);
}

#[test]
fn scores_that_are_not_finite_are_no_choice() {
    let world = Written::default();
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let tree = max([
            (bad, 0.0, Tree::End),
            (1.0, 0.0, min([(bad, 0.0, Tree::End), (0.0, bad, Tree::End)])),
            (0.5, 0.0, min([(bad, 0.0, Tree::End), (-1.0, 0.0, Tree::End)])),
        ]);
        let found = find(&world, &tree, &depth(4));
        assert_eq!((found.choice, found.scores.comp, found.statistics.refused), (Some(2), 1.5, 4));
        let scores = |comp| Some(Scores { comp, coop: 0.0 });
        assert_eq!(
            found.candidates,
            [Candidate { choice: 1, scores: scores(1.0) }, Candidate { choice: 2, scores: scores(1.5) }]
        );
        assert_eq!(find(&world, &max([(bad, 0.0, Tree::End)]), &depth(4)).choice, None);
    }
}

/// One choice for ever, worth as much as can be.
struct Endless;

impl World for Endless {
    type State = ();
    type Choice = ();
    fn turn(&self, (): &()) -> Option<Player> {
        Some(Player::Max)
    }
    fn choices(&self, (): &(), out: &mut Vec<()>) {
        out.push(());
    }
    fn play(&self, (): &(), (): ()) -> ((), Edge) {
        ((), Edge { comp: f64::MAX, coop: f64::MAX })
    }
}

#[test]
fn depth_and_scores_have_an_end() {
    for rule in [Rule::TwoObjectives, Rule::Added, Rule::AddedShared] {
        let found = find(&Endless, &(), &Settings { depth: u8::MAX, rule, ..Settings::default() });
        let most = MAX_SCORE * f64::from(MAX_DEPTH);
        match rule {
            Rule::TwoObjectives => assert_eq!(found.scores, Scores { comp: most, coop: most }),
            // The sum of the two is infinite, and so no score.
            Rule::Added | Rule::AddedShared => assert_eq!(found.choice, None),
        }
    }
}

#[test]
fn broken_bounds_are_noticed() {
    struct Liar(toys::Drawn);
    impl World for Liar {
        type State = toys::Moment;
        type Choice = u32;
        fn turn(&self, moment: &toys::Moment) -> Option<Player> {
            self.0.turn(moment)
        }
        fn choices(&self, moment: &toys::Moment, out: &mut Vec<u32>) {
            self.0.choices(moment, out);
        }
        fn play(&self, moment: &toys::Moment, choice: u32) -> (toys::Moment, Edge) {
            self.0.play(moment, choice)
        }
        fn bounds(&self, _: &toys::Moment, _: u8) -> randori_gametree::Bounds {
            randori_gametree::Bounds::ZERO_SUM
        }
    }
    let drawn = toys::Drawn { seed: 3, ends: false, ..toys::Drawn::default() };
    let found = search(&Liar(drawn.clone()), &drawn.root(), &depth(4), &mut Workspace::default());
    assert!(found.statistics.broken_bounds > 0);
}
