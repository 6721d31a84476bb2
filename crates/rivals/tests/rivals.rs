//! Tag and sword, learned small: the rules, files, minds and what comes of them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::collections::BTreeMap;
use std::sync::LazyLock;

use randori_actor::{sword_duel, tag_agent, tag_opponent};
use randori_equilibrium::conformance;
use randori_equilibrium::finite::{FiniteGame, FiniteSettings, FiniteState, solve_finite};
use randori_equilibrium::game::MarkovGame;
use randori_equilibrium::lspi::{Control, Host};
use randori_motion::Build;
use randori_motion::parametric::{Graph, LookAhead};
use randori_rivals::answer::{expected, lost};
use randori_rivals::behaviour::Behaviour;
use randori_rivals::contest::{ContestSettings, Mean, exploited, play_off, rounds};
use randori_rivals::map::{Map, Spreads, plans};
use randori_rivals::record::{Performance, perform};
use randori_rivals::round::{RoundSettings, minds, play, start};
use randori_rivals::sword::stopped_by;
use randori_rivals::values::ValuesError;
use randori_rivals::{
    Choices, Doing, Game, Manner, Relation, Repertoire, Role, Situation, Size, Values, learn,
};

static TAG: LazyLock<Game> = LazyLock::new(|| {
    let graphs = [tag_agent(Build::AVERAGE), tag_opponent(Build::AVERAGE)];
    let [agent, opponent] = graphs.map(|recipe| Graph::new(&recipe).unwrap());
    let sides = [agent.slowed(0.8), opponent].map(|graph| Repertoire::new(graph, LookAhead::default()));
    Game::tag(sides, Default::default())
});

static SWORD: LazyLock<Game> = LazyLock::new(|| {
    let graph = Graph::new(&sword_duel(Build::AVERAGE)).unwrap();
    Game::sword([graph.clone(), graph].map(|graph| Repertoire::new(graph, LookAhead::default())))
});

fn taught(game: &Game) -> Values {
    learn(game, &Size::small(game), 1, Host::default(), None, &mut |_| Control::Continue).unwrap().0
}

static TAG_VALUES: LazyLock<Values> = LazyLock::new(|| taught(&TAG));
static SWORD_VALUES: LazyLock<Values> = LazyLock::new(|| taught(&SWORD));

#[test]
fn both_are_sound_markov_games() {
    for table in [TAG.table(), SWORD.table(), SWORD.moments()] {
        conformance::check(&table, 3, 5, 1).unwrap();
        assert!(table.discount() < 1.0);
    }
    assert_eq!((TAG.discount, SWORD.discount), (0.8, 0.5));
}

#[test]
fn tag_rewards_are_the_four_of_the_paper() {
    let mut choices = Choices::default();
    let at = |distance: f64, nodes: [&str; 2]| randori_rivals::Situation {
        relation: Relation { x: 0.0, z: distance, theta: 0.0 },
        states: [0, 1].map(|side| TAG.start(side, nodes[side])),
    };
    let mut reward = |distance: f64, nodes: [&str; 2]| {
        let situation = at(distance, nodes);
        TAG.choices(&situation, &mut choices);
        TAG.outcome(situation.relation, &choices.moves[0][0], &choices.moves[1][0])
    };
    let run = "run-on-left";
    // Nearer is better.
    assert!(reward(2.0, [run, run]).reward > reward(4.0, [run, run]).reward);
    // Hands near the opponent are worth something in a tackle only.
    let tackled = reward(0.9, ["tackle-on-left", run]);
    assert!(tackled.caught > 0.3 && tackled.reward > reward(0.9, [run, run]).reward + 0.5, "{tackled:?}");
    // Less against a dodge.
    let dodged = reward(0.9, ["tackle-on-left", "dodge-left-on-left"]);
    assert!(dodged.caught < 0.5 * tackled.caught, "{dodged:?}");
    // Tackles and dodges far away are of no use.
    let far = reward(5.0, [run, run]).reward;
    assert!(reward(5.0, ["tackle-on-left", run]).reward < far);
    assert!(reward(5.0, [run, "dodge-left-on-left"]).reward > far);
}

#[test]
fn what_is_told_of_a_move_is_where_people_get() {
    let mut minds = minds(&TAG, &TAG_VALUES, [Manner::Optimal; 2]);
    let round = play(&TAG, &mut minds, &RoundSettings { decisions: 12, seed: 3 });
    let mut placements = round.start;
    for pair in round.turns.windows(2) {
        for (placement, made) in placements.iter_mut().zip(&pair[0].moves) {
            *placement = placement.then(made.displacement());
        }
        let relation = Relation::of(placements[0], placements[1]);
        let told = pair[1].situation.relation;
        assert!((relation.x - told.x).abs() < 1e-3 && (relation.z - told.z).abs() < 1e-3);
    }
}

#[test]
fn files_come_back_and_are_refused_by_other_games() {
    let bytes = TAG_VALUES.to_bytes();
    assert_eq!(Values::from_bytes(&bytes, &TAG).unwrap(), *TAG_VALUES);
    assert!(matches!(Values::from_bytes(&bytes, &SWORD), Err(ValuesError::Other { .. })));
    assert!(matches!(Values::from_bytes(&bytes[..bytes.len() - 5], &TAG), Err(ValuesError::Broken(_))));
}

#[test]
fn learning_goes_on_from_a_checkpoint_with_the_same_bits() {
    let game = &*SWORD;
    let exact = Size { backups: 4, ..Size::small(game) };
    let splines = Size { samples: [0.0, 2.0], backups: 1, ..Size::paper(game) };
    for size in [exact, splines] {
        let mut kept = None;
        let all = learn(game, &size, 7, Host::default(), None, &mut |step| {
            kept.get_or_insert(step.checkpoint());
            Control::Continue
        });
        let on = learn(game, &size, 7, Host::default(), kept.as_deref(), &mut |_| Control::Continue);
        assert!(all.unwrap().0 == on.unwrap().0);
    }
    let other = learn(game, &Size::small(game), 7, Host::default(), Some(b"PK"), &mut |_| Control::Continue);
    assert!(other.is_err());
}

#[test]
fn reason_beats_chance_and_habit_is_made_use_of() {
    let settings = ContestSettings { rounds: 50, decisions: 16, seed: 5 };
    let against =
        |first: Manner, second: Manner| play_off(&TAG, &TAG_VALUES, [first, second], &settings).difference;
    let random = against(Manner::Optimal, Manner::RandomGreedy);
    assert!(random.mean > random.margin, "{random:?}");
    let left = against(Manner::Optimal, Manner::OnlyLeft);
    assert!(left.mean > left.margin, "{left:?}");
    let same = against(Manner::Optimal, Manner::Optimal);
    assert!(same.mean.abs() < 3.0 * same.margin.max(1e-9), "{same:?}");
}

#[test]
fn the_adaptive_one_learns_that_somebody_only_turns_left() {
    let mut pair = minds(&TAG, &TAG_VALUES, [Manner::Adaptive, Manner::OnlyLeft]);
    for seed in 0..10 {
        play(&TAG, &mut pair, &RoundSettings { decisions: 20, seed });
    }
    let belief = pair[0].belief().unwrap();
    let seen = if belief.near.observations > belief.far.observations { belief.near } else { belief.far };
    assert!(seen.rationality < 0.7 && seen.evidence > 0.0, "{seen:?}");
    let left: f64 = [0, 3, 6].map(|sort| seen.habit[sort]).iter().sum();
    assert!(left > 0.6, "{seen:?}");
    assert!(pair[1].belief().is_none());
}

#[test]
fn swords_are_stopped_by_their_blocks_alone_and_the_agent_has_the_right_of_way() {
    assert_eq!([0, 1, 2, 3, 4].map(stopped_by), [0, 3, 4, 1, 2]);
    let mut choices = Choices::default();
    let opposite = start(&SWORD, 1).relation;
    let mut moves = |nodes: [&str; 2], times: [f32; 2]| {
        let states = [0, 1].map(|side| randori_motion::parametric::State {
            time: times[side],
            ..SWORD.start(side, nodes[side])
        });
        SWORD.choices(&randori_rivals::Situation { relation: opposite, states }, &mut choices);
        let outcome = SWORD.outcome(opposite, &choices.moves[0][0], &choices.moves[1][0]);
        (outcome, choices.moves[1].iter().any(|it| it.begins_attack))
    };
    // A cut from the own left meets whoever does not cover their right.
    let (hit, may_attack) = moves(["strike-left", "guard"], [0.3, 0.0]);
    assert!(!hit.goes_on && hit.reward == 1.0 && !may_attack, "{hit:?}");
    let (stopped, _) = moves(["strike-left", "block-right"], [0.3, 0.5]);
    assert!(stopped.goes_on && stopped.reward == 0.0 && stopped.ends[0] == SWORD.start(0, "parried-left"));
    assert!(!moves(["strike-left", "block-left"], [0.3, 0.5]).0.goes_on);
    // Too late.
    assert!(!moves(["strike-left", "block-right"], [0.5, 0.0]).0.goes_on);
    // Both at once: the agent's counts.
    assert_eq!(moves(["strike-left", "strike-right"], [0.3, 0.3]).0.reward, 1.0);
    assert_eq!(moves(["guard", "strike-right"], [0.0, 0.3]).0.reward, -1.0);
    // Who has stepped back is out of reach for a while.
    let (missed, _) = moves(["strike-left", "retreat"], [0.5, 0.25]);
    assert!(
        missed.goes_on && missed.reward == 0.0 && missed.ends[0].node != SWORD.start(0, "parried-left").node
    );
    assert!(!moves(["strike-left", "retreat"], [0.5, 0.0]).0.goes_on);
    assert!(!moves(["strike-left", "retreat"], [0.5, 0.7]).0.goes_on);
}

#[test]
fn feints_come_about_and_turns_end_bouts_sooner() {
    let settings = ContestSettings { rounds: 60, decisions: 40, seed: 1 };
    let of = |manners: [Manner; 2]| Behaviour::of(&SWORD, &rounds(&SWORD, &SWORD_VALUES, manners, &settings));
    let (optimal, greedy) = (of([Manner::Optimal; 2]), of([Manner::Greedy, Manner::FirstMover]));
    assert!(optimal.attacks > 0 && 20 * optimal.feints >= optimal.attacks, "{optimal:?}");
    assert!(greedy.decisions <= optimal.decisions, "{greedy:?} {optimal:?}");
    // Line after line is tried, and some of them change.
    assert!(2 * optimal.feints < optimal.attacks + optimal.attacks / 2, "{optimal:?}");
    // \[Wampler2010\], section 8.2: who takes turns is done in a move or two.
    assert!(greedy.ended == 60 && greedy.attacks_per_round <= 2.0, "{greedy:?}");
    assert!(optimal.attacks_per_round > 2.0 && 10 * optimal.blocked >= optimal.attacks, "{optimal:?}");
}

/// What contests draw lots for, without the lots.
#[test]
fn wits_pay_with_the_sword() {
    let expected = |manners: [Manner; 2]| expected(&SWORD, &SWORD_VALUES, manners, 400_000).unwrap();
    let fair = expected([Manner::Optimal; 2]);
    let start = start(&SWORD, 0);
    let worth = SWORD_VALUES.value(&SWORD, start.relation, start.states, &mut Default::default());
    assert!((fair - worth).abs() < 5e-3 && (0.0..0.05).contains(&worth), "{fair} {worth}");
    let sure = lost(&SWORD, &SWORD_VALUES, Manner::Optimal, 400_000).unwrap();
    assert!((-1e-6..5e-3).contains(&sure.both), "{sure:?}");
    for other in [Manner::Greedy, Manner::RandomGreedy, Manner::RewardOnly] {
        let difference = expected([Manner::Optimal, other]) - expected([other, Manner::Optimal]);
        assert!(difference > 0.1, "{other:?} {difference}");
        let loses = lost(&SWORD, &SWORD_VALUES, other, 400_000).unwrap();
        assert!(loses.both > sure.both + 0.1, "{other:?} {loses:?}");
    }
}

#[test]
fn those_who_do_without_a_value_function_are_exploited_with_the_sword() {
    let settings = ContestSettings { rounds: 25, decisions: 24, seed: 1 };
    let [optimal, blind] = [Manner::Optimal, Manner::RewardOnly]
        .map(|manner| exploited(&SWORD, &SWORD_VALUES, manner, &settings));
    assert!(blind.mean > optimal.mean, "{blind:?} {optimal:?}");
}

/// No answer that is tried does better than the best one, which nobody can be worse off against than they are.
#[test]
fn the_best_answer_is_the_best() {
    let settings = ContestSettings { rounds: 25, decisions: 24, seed: 3 };
    let of = |manner: Manner| lost(&SWORD, &SWORD_VALUES, manner, 400_000).unwrap();
    let blind = of(Manner::RewardOnly);
    assert!(blind.situations > 100 && blind.as_opponent >= 0.0 && blind.as_agent <= 0.0, "{blind:?}");
    let tried = exploited(&SWORD, &SWORD_VALUES, Manner::RewardOnly, &settings);
    // What is worth something only later than that was not looked for.
    let later = 2.0 * libm::pow(SWORD.discount, 8.0);
    assert!(tried.mean - tried.margin <= blind.both + later, "{tried:?} {blind:?}");
    let first = of(Manner::FirstMover);
    assert!(first.both >= -1e-9, "{first:?}");
    assert_eq!(lost(&SWORD, &SWORD_VALUES, Manner::RewardOnly, 10), None, "too many situations");
    assert_eq!(
        lost(&SWORD, &SWORD_VALUES, Manner::Adaptive, 400_000),
        None,
        "who learns is not always alike"
    );
    assert_eq!(lost(&TAG, &TAG_VALUES, Manner::Greedy, 400_000), None, "nobody can count tag's situations");
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(alone.install(|| of(Manner::RewardOnly)), blind);
}

#[test]
fn it_pays_to_be_unpredictable_near_and_nobody_runs_away_from_the_game() {
    let spreads = Spreads::of(&TAG, &TAG_VALUES, ["run-on-left", "run-on-right"], 12);
    assert!(spreads.near > 5.0 * spreads.far, "{spreads:?}");
    let settings = ContestSettings { rounds: 20, decisions: 40, seed: 11 };
    let played = rounds(&TAG, &TAG_VALUES, [Manner::Optimal; 2], &settings);
    // Whoever chases stays with whoever runs.
    let last = |round: &randori_rivals::round::Round| round.turns[39].situation.relation.distance();
    let mut distances: Vec<f64> = played.iter().map(last).collect();
    distances.sort_by(f64::total_cmp);
    assert!(distances[10] < 4.0 && distances[18] < 8.0, "{distances:?}");
    let behaviour = Behaviour::of(&TAG, &played);
    assert!(behaviour.tackles >= 10 && behaviour.quick_near >= behaviour.quick_far, "{behaviour:?}");
}

#[test]
fn far_away_both_run_straight() {
    let mut choices = Choices::default();
    for bearing in [-2.5, -1.0, 0.0, 0.7, 2.0_f64] {
        let relation = Relation { x: 7.0 * bearing.sin(), z: 7.0 * bearing.cos(), theta: 0.4 };
        let mut situation = randori_rivals::Situation {
            relation,
            states: [TAG.start(0, "run-on-left"), TAG.start(1, "run-on-right")],
        };
        let mut pair = minds(&TAG, &TAG_VALUES, [Manner::Optimal; 2]);
        for _ in 0..10 {
            TAG.choices(&situation, &mut choices);
            let chosen = [0, 1].map(|side| {
                let decided = pair[side].decide(&situation, &choices);
                let best = (0..decided.len()).max_by(|a, b| decided[*a].total_cmp(&decided[*b]));
                choices.moves[side][best.unwrap()]
            });
            let outcome = TAG.outcome(situation.relation, &chosen[0], &chosen[1]);
            situation = randori_rivals::Situation { relation: outcome.relation, states: outcome.ends };
        }
        // The one who chases has turned to the other, who has turned away.
        let Relation { x, z, theta } = situation.relation;
        let turned = |angle: f64| {
            (angle + 3.0 * std::f64::consts::PI).rem_euclid(std::f64::consts::TAU) - std::f64::consts::PI
        };
        let direction = x.atan2(z);
        assert!(turned(direction).abs() < 0.5, "{bearing}: {situation:?}");
        assert!(turned(direction - theta).abs() < 0.5, "{bearing}: {situation:?}");
    }
}

/// All situations that can be met in a duel as it is played, and the finite game between them.
fn enumerated(game: &Game) -> (Vec<Situation>, FiniteGame) {
    let key = |situation: &Situation| {
        situation.states.map(|state| (state.node.0, (1000.0 * state.time).round() as u32))
    };
    let mut found = vec![start(game, 0)];
    let mut numbers = BTreeMap::from([(key(&found[0]), 0)]);
    let mut choices = Choices::default();
    let mut states = Vec::new();
    while let Some(situation) = found.get(states.len()).copied() {
        game.choices(&situation, &mut choices);
        let (mut reward, mut next) = (Vec::new(), Vec::new());
        for theirs in &choices.moves[1] {
            for mine in &choices.moves[0] {
                let outcome = game.outcome(situation.relation, mine, theirs);
                reward.push(outcome.reward);
                let after = Situation { relation: outcome.relation, states: outcome.ends };
                let number = outcome.goes_on.then(|| {
                    *numbers.entry(key(&after)).or_insert_with(|| {
                        found.push(after);
                        found.len() - 1
                    })
                });
                next.push(number.map(|number| (number, 1.0)).into_iter().collect());
            }
        }
        let [cols, rows] = [0, 1].map(|side| choices.moves[side].len());
        states.push(FiniteState { rows, cols, reward, next });
    }
    (found, FiniteGame::new(game.discount, states, true).unwrap())
}

/// A duel of two lines only, solved as a finite game that was found by playing it.
#[test]
fn values_of_a_small_duel_are_those_of_the_finite_game() {
    let mut recipe = sword_duel(Build::AVERAGE);
    let kept = |name: &str| {
        ["guard", "retreat"].contains(&name) || name.ends_with("-overhead") || name.ends_with("-left")
    };
    recipe.nodes.retain(|node| kept(&node.name));
    recipe.links.retain(|link| kept(&link.from) && kept(&link.to));
    let graph = Graph::new(&recipe).unwrap();
    assert_eq!(graph.nodes().len(), 14);
    let game = Game::sword([graph.clone(), graph].map(|graph| Repertoire::new(graph, LookAhead::default())));
    let (situations, finite) = enumerated(&game);
    assert!(situations.len() > 500, "{}", situations.len());
    let settings = FiniteSettings { newton_up_to: 0, tolerance: 1e-10, ..FiniteSettings::default() };
    let exact = solve_finite(&finite, &settings);
    let learned =
        |size: &Size| learn(&game, size, 1, Host::default(), None, &mut |_| Control::Continue).unwrap().0;
    let errors = |values: &Values| -> Vec<f64> {
        let of = |(situation, exact): (&Situation, &f64)| {
            let value = values.value(&game, situation.relation, situation.states, &mut Default::default());
            value - exact
        };
        situations.iter().zip(&exact.values).map(of).collect()
    };
    let mean_square = |numbers: &[f64]| numbers.iter().map(|x| x * x).sum::<f64>() / numbers.len() as f64;
    let values = learned(&Size::small(&game));
    let worst = errors(&values).into_iter().fold(0.0, |a: f64, x| a.max(x.abs()));
    assert!(worst < 1e-6, "{worst}");
    // Policies are worth what they should be against whatever comes.
    let sure = lost(&game, &values, Manner::Optimal, 400_000).unwrap();
    assert!((sure.as_agent - exact.values[0]).abs() < 5e-3, "{sure:?} {}", exact.values[0]);
    assert!((sure.as_opponent - exact.values[0]).abs() < 5e-3, "{sure:?} {}", exact.values[0]);
    // Four splines along each time follow them roughly.
    let splines = Size { samples: [0.0, 16.0], sweeps: [0, 1], backups: 2, ..Size::paper(&game) };
    let (error, scale) = (mean_square(&errors(&learned(&splines))).sqrt(), mean_square(&exact.values).sqrt());
    assert!(error < 0.25 * scale, "{error} of {scale}");
}

#[test]
fn maps_and_plans_are_what_is_decided() {
    let map = Map::of(&TAG, &TAG_VALUES, ["run-on-left", "run-on-right"], 0.0, 12, 7.0);
    assert_eq!(map.spread.len(), 144);
    assert!(map.spread.iter().all(|it| (0.0..1.0).contains(it)));
    let situation = start(&TAG, 2);
    for plans in plans(&TAG, &TAG_VALUES, &situation) {
        assert!((plans.iter().map(|plan| plan.probability).sum::<f64>() - 1.0).abs() < 1e-9);
    }
}

#[test]
fn a_performance_is_a_take_of_two() {
    for (game, values) in [(&*TAG, &*TAG_VALUES), (&*SWORD, &*SWORD_VALUES)] {
        let cast = ["red", "blue"].map(|name| (name.to_owned(), [0.5; 3]));
        let mut minds = minds(game, values, [Manner::Optimal; 2]);
        let wanted = Performance { seconds: 4.0, seed: 1, cast, starts: None };
        let performed = perform(game, &mut minds, &wanted).unwrap();
        let [a, b] = &performed.take.characters[..] else { panic!("two people") };
        assert_eq!(a.clip.n_frames(), b.clip.n_frames());
        assert!(a.clip.duration() >= 3.9 && !performed.rounds.is_empty());
        assert_eq!(a.body.weapon.is_some(), game.name() == "sword");
        assert!(performed.take.events.windows(2).all(|pair| pair[0].t <= pair[1].t));
    }
}

#[test]
fn threads_change_nothing() {
    let settings = ContestSettings { rounds: 30, decisions: 6, seed: 9 };
    let of = || play_off(&TAG, &TAG_VALUES, [Manner::Optimal, Manner::Greedy], &settings);
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(alone.install(of), of());
    assert_eq!(Mean::of(&[1.0, 3.0]).mean, 2.0);
    assert!(TAG.sides[0].doing(TAG.start(0, "tackle-on-left")) == Doing::Tackle);
    assert_eq!(Role::Agent.other(), Role::Opponent);
}
