//! Pruned expansion finds what plain expansion finds: the same choice, the same scores to the bit.

mod toys;

use randori_gametree::{Decision, Method, Opponent, Player, Rule, Settings, Workspace, World, search};
use toys::duel::Duel;
use toys::{Drawn, Told, mix};

/// Searches both ways, compares, and returns the edges of both.
fn check<W: World>(world: &W, state: &W::State, settings: &Settings, what: &str) -> [u64; 2] {
    let workspace = &mut Workspace::default();
    let run =
        |settings: &Settings, workspace: &mut Workspace<W::Choice>| search(world, state, settings, workspace);
    let plain = run(&Settings { method: Method::Plain, ..settings.clone() }, workspace);
    let pruned = run(settings, workspace);
    agree(&plain, &pruned, what);
    assert_eq!(pruned.statistics.broken_bounds, 0, "{what}");
    for (exact, found) in plain.candidates.iter().zip(&pruned.candidates) {
        if let Some(scores) = found.scores {
            assert_eq!(exact.scores, Some(scores), "{what}: a score that is told is right");
        }
    }
    let all = run(&Settings { score_all: true, ..settings.clone() }, workspace);
    assert_eq!(all.candidates, plain.candidates, "{what}: all scores");
    agree(&plain, &all, what);
    [plain.statistics.edges, pruned.statistics.edges]
}

fn agree<C: PartialEq + std::fmt::Debug>(a: &Decision<C>, b: &Decision<C>, what: &str) {
    assert_eq!(a.choice, b.choice, "{what}");
    assert_eq!(a.scores.comp.to_bits(), b.scores.comp.to_bits(), "{what}: {:?} {:?}", a.scores, b.scores);
    assert_eq!(a.scores.coop.to_bits(), b.scores.coop.to_bits(), "{what}: {:?} {:?}", a.scores, b.scores);
    assert_eq!(a.candidates.len(), b.candidates.len(), "{what}");
}

#[test]
fn on_thousands_of_drawn_trees() {
    let mut edges = [0; 2];
    for seed in 0..6000_u64 {
        let pick = |what: u64, n: u64| mix(seed ^ what << 40) % n;
        let world = Drawn {
            seed,
            width: [2, 3, 5, 6][pick(1, 4) as usize],
            ends: pick(2, 2) == 0,
            comp: [0, 1, 3, 100][pick(3, 4) as usize],
            coop: [0, 1, 3, 100][pick(4, 4) as usize],
            unit: [1.0, 0.1, 1e5 / 3.0, 1e-7][pick(5, 4) as usize],
            nan_in: [0, 0, 9][pick(6, 3) as usize],
            states: [0, 0, 5, 40][pick(7, 4) as usize],
            told: [Told::Nothing, Told::Coop, Told::All, Told::All][pick(8, 4) as usize],
            habits: pick(9, 3) == 0,
            promised: [-1, 0, 2][pick(13, 3) as usize],
        };
        let settings = Settings {
            depth: 1 + pick(10, 5) as u8,
            rule: [Rule::TwoObjectives, Rule::TwoObjectives, Rule::Added, Rule::AddedShared]
                [pick(11, 4) as usize],
            opponent: if world.habits { Opponent::Habitual } else { Opponent::Rational },
            parallel: pick(12, 2) == 0,
            ..Settings::default()
        };
        let [plain, pruned] = check(&world, &world.root(), &settings, &format!("{world:?} {settings:?}"));
        edges = [edges[0] + plain, edges[1] + pruned];
    }
    assert!(4 * edges[1] < 3 * edges[0], "pruning saves edges even here: {edges:?}");
}

#[test]
fn on_duels() {
    for case in 0..40_u64 {
        let pick = |what: u64, n: u64| (mix(case ^ what << 40) % n) as i64;
        let world = Duel {
            liked: [500 + pick(1, 1500), 500 + pick(2, 1500)],
            path: [0.0, 1e3, 1e5][pick(3, 3) as usize],
            goal: pick(4, 2000) - 1000,
            keys: pick(5, 2) == 0,
            ..Duel::default()
        };
        let state = world.begin(400 + pick(6, 1400), pick(7, 500));
        let settings = Settings { depth: 3, parallel: pick(8, 2) == 0, ..Settings::default() };
        check(&world, &state, &settings, &format!("{world:?} {state:?}"));
    }
}

#[test]
fn with_any_number_of_threads() {
    let duels = [0.0, 1e4].map(|path| Duel { path, ..Duel::default() });
    for (world, depth) in duels.iter().zip([4, 3]) {
        for distance in [500, 900, 1600] {
            let state = world.begin(distance, 120);
            for score_all in [false, true] {
                let settings = Settings { depth, score_all, ..Settings::default() };
                let decide = |threads| {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                    pool.install(|| search(world, &state, &settings, &mut Workspace::default()))
                };
                let one = decide(1);
                assert_eq!(one, decide(2));
                assert_eq!(one, decide(5));
                let alone = Settings { parallel: false, ..settings.clone() };
                agree(&one, &search(world, &state, &alone, &mut Workspace::default()), "without threads");
            }
        }
    }
}

#[test]
fn a_zero_sum_tree_is_cut_as_deep_as_alpha_beta_cuts() {
    let world = Drawn { width: 6, ends: false, comp: 1000, coop: 0, told: Told::Coop, ..Drawn::default() };
    let [plain, pruned] = (0..20).fold([0; 2], |sum, seed| {
        let world = Drawn { seed, ..world.clone() };
        let edges = check(&world, &world.root(), &Settings { depth: 6, ..Settings::default() }, "zero sum");
        [sum[0] + edges[0], sum[1] + edges[1]]
    });
    assert!(pruned * 3 < plain, "{pruned} of {plain} edges");
}

#[test]
fn turns_repeat_and_blows_interrupt_in_the_toys() {
    let world = Duel::default();
    let actions: Vec<_> = toys::duel::actions().collect();
    let longest = actions.iter().copied().find(|action| action.duration == 900 && action.step == 0).unwrap();
    let short = actions.iter().copied().find(|action| action.duration == 300 && action.force == 0).unwrap();
    let (mut state, _) = world.play(&world.begin(3000, 0), longest);
    for answer in 0..3 {
        assert_eq!(world.turn(&state), Some(Player::Min), "short answer {answer} to a long action");
        state = world.play(&state, short).0;
    }
    assert_eq!(world.turn(&state), Some(Player::Max));

    let (state, _) = world.play(&world.begin(600, 0), longest);
    let (state, edge) = world.play(&state, actions[0]);
    assert!(edge.comp > 1e5, "the quick blow lands first: {edge:?}");
    assert_eq!(world.turn(&state), Some(Player::Min), "whoever was hit staggers on without a choice");
}
