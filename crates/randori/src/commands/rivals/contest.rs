//! `randori rivals contest`: who does better, and what they turn out to do.

use rand::SeedableRng;
use randori_rivals::answer::{Loss, lost};
use randori_rivals::behaviour::Behaviour;
use randori_rivals::contest::{ContestSettings, Mean, PlayOff, exploited, play_off, rounds};
use randori_rivals::round::{RoundSettings, minds, play, start};
use randori_rivals::{Choices, Game, Manner, Rules, Values};
use serde::Serialize;

use super::{GameArgs, ValuesArgs};
use crate::commands::game::clock;
use crate::output::{Outcome, table};
use crate::progress::Progress;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
A round is worth what the agent gets in it, discounted. The difference is what the first makes of the agent's role less what \
the second makes of it, from the same starts. Exploited is what a manner loses, in both roles together, to somebody who \
knows at every decision how likely each of its moves is; the best answer of all knows that of all later decisions, too.")]
pub(super) struct ContestArgs {
    #[command(flatten)]
    game: GameArgs,

    #[command(flatten)]
    values: ValuesArgs,

    /// Rounds of every pair, each with the roles exchanged as well.
    #[arg(long, default_value_t = 200)]
    rounds: usize,

    /// Decisions per round at most.
    #[arg(long, default_value_t = 24)]
    decisions: usize,

    /// With swords: find the best answer there is to each of the manners, which takes a minute.
    #[arg(long)]
    best_answers: bool,
}

/// Situations of duels that best answers are looked for in, at most.
pub(crate) const SITUATIONS: usize = 400_000;

#[derive(Serialize)]
struct Report {
    game: String,
    play_offs: Vec<PlayOff>,
    exploited: Vec<(Manner, Mean)>,
    /// What is lost to the best answer there is; with swords only, and if it was asked for.
    lost: Vec<(Manner, Loss)>,
    optimal: Behaviour,
    turn_based: Behaviour,
    decision_us_p50: f64,
}

pub(super) fn run(args: &ContestArgs, seed: u64, progress: &Progress) -> anyhow::Result<Outcome> {
    let game = args.game.make()?;
    let values = args.values.open(&game, progress)?;
    let settings = ContestSettings { rounds: args.rounds, decisions: args.decisions, seed };
    let mut pairs = vec![
        [Manner::Optimal, Manner::Greedy],
        [Manner::Optimal, Manner::RandomGreedy],
        [Manner::Optimal, Manner::RewardOnly],
    ];
    if let Rules::Tag(_) = game.rules {
        pairs.extend([[Manner::Optimal, Manner::OnlyLeft], [Manner::Adaptive, Manner::OnlyLeft]]);
    }
    let manners = [Manner::Optimal, Manner::Greedy, Manner::RandomGreedy, Manner::RewardOnly];
    let job = progress.job("rounds");
    let all = pairs.len() + manners.len() + 2;
    let mut play_offs = Vec::new();
    for (done, pair) in pairs.iter().enumerate() {
        job.step(done, all);
        play_offs.push(play_off(&game, &values, *pair, &settings));
    }
    let mut losses = Vec::new();
    for (done, manner) in manners.iter().enumerate() {
        job.step(pairs.len() + done, all);
        losses.push((*manner, exploited(&game, &values, *manner, &settings)));
    }
    let best = |manner: &Manner| Some((*manner, lost(&game, &values, *manner, SITUATIONS)?));
    let best: Vec<(Manner, Loss)> = match args.best_answers {
        true => manners.iter().filter_map(best).collect(),
        false => Vec::new(),
    };
    let behaviour = |manners: [Manner; 2]| {
        let long = ContestSettings { decisions: 2 * args.decisions, ..settings };
        Behaviour::of(&game, &rounds(&game, &values, manners, &long))
    };
    let report = Report {
        game: game.name().to_owned(),
        play_offs,
        exploited: losses,
        lost: best,
        optimal: behaviour([Manner::Optimal; 2]),
        turn_based: behaviour([Manner::Greedy, Manner::FirstMover]),
        decision_us_p50: decision_us(&game, &values, seed),
    };
    drop(job);
    Outcome::new(&report, describe(&report))
}

/// The median time of a decision: what can be done, what it is worth, the policy and the draw (µs).
pub(crate) fn decision_us(game: &Game, values: &Values, seed: u64) -> f64 {
    let mut pair = minds(game, values, [Manner::Optimal; 2]);
    let mut choices = Choices::default();
    let mut times = Vec::new();
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
    for round in 0..20 {
        let settings = RoundSettings { decisions: 12, seed: seed.wrapping_add(round) };
        let situations = play(game, &mut pair, &settings).turns.into_iter().map(|turn| turn.situation);
        for situation in situations.chain([start(game, settings.seed)]) {
            let since = clock();
            game.choices(&situation, &mut choices);
            pair[0].decide(&situation, &choices);
            std::hint::black_box(pair[0].draw(&mut rng));
            times.push(1e6 * since());
        }
    }
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn describe(report: &Report) -> String {
    let rows: Vec<Vec<String>> = (report.play_offs.iter())
        .map(|it| {
            vec![
                format!("{} - {}", it.first.name(), it.second.name()),
                format!("{:+.3}", it.difference.mean),
                format!("±{:.3}", it.difference.margin),
                format!("{:.3}", it.as_agent[0]),
                format!("{:.3}", it.as_agent[1]),
                format!("{:.1}", it.decisions),
            ]
        })
        .collect();
    let header = ["pair", "difference", "95 %", "first as agent", "second as agent", "decisions"];
    let mut text = format!("{}: {} rounds each way\n", report.game, report.play_offs[0].rounds);
    text += &table(&header, &rows);
    let rows: Vec<Vec<String>> = (report.exploited.iter())
        .map(|(manner, loss)| {
            vec![manner.name().to_owned(), format!("{:.3}", loss.mean), format!("±{:.3}", loss.margin)]
        })
        .collect();
    text += &format!("\n{}", table(&["exploited", "", "95 %"], &rows));
    if !report.lost.is_empty() {
        let rows: Vec<Vec<String>> = (report.lost.iter())
            .map(|(manner, loss)| {
                vec![
                    manner.name().to_owned(),
                    format!("{:.3}", loss.both),
                    format!("{:.3}", loss.as_agent),
                    format!("{:.3}", loss.as_opponent),
                    loss.situations.to_string(),
                ]
            })
            .collect();
        let header = ["lost to the best answer", "", "as agent", "as opponent", "situations"];
        text += &format!("\n{}", table(&header, &rows));
    }
    let both = behaviour_rows(&report.optimal).into_iter().zip(behaviour_rows(&report.turn_based));
    let rows: Vec<Vec<String>> = both.map(|(a, b)| vec![a[0].clone(), a[1].clone(), b[1].clone()]).collect();
    text += &format!("\n{}", table(&["what both do", "optimal", "turn-based"], &rows));
    text + &format!("\na decision takes {:.0} µs at the median\n", report.decision_us_p50)
}

/// A behaviour for people.
pub(super) fn behaviour_rows(it: &Behaviour) -> Vec<Vec<String>> {
    let share = |some: usize, all: usize| 100.0 * some as f64 / all.max(1) as f64;
    let mut rows = vec![
        ("rounds", it.rounds.to_string()),
        ("decisions per round", format!("{:.1}", it.decisions)),
        ("rounds that ended", it.ended.to_string()),
    ];
    if it.attacks > 0 {
        rows.extend([
            ("attacks", it.attacks.to_string()),
            ("attacks per round", format!("{:.2}", it.attacks_per_round)),
            ("feints (% of attacks)", format!("{:.1}", share(it.feints, it.attacks))),
            ("blocked (% of attacks)", format!("{:.1}", share(it.blocked, it.attacks))),
        ]);
    } else {
        rows.extend([
            ("quick steps near (%)", format!("{:.1}", 100.0 * it.quick_near)),
            ("quick steps far (%)", format!("{:.1}", 100.0 * it.quick_far)),
            ("tackles", it.tackles.to_string()),
            ("dodges", it.dodges.to_string()),
            ("caught", it.caught.to_string()),
        ]);
    }
    rows.into_iter().map(|(what, value)| vec![what.to_owned(), value]).collect()
}
