//! Sections 4.1, 8 and 9: tag and sword, and games for which it does not pay to be unpredictable.

use randori::rivals::{self, Variant, Which, taught};
use randori_equilibrium::lspi::Host;
use randori_rivals::answer::lost;
use randori_rivals::behaviour::Behaviour;
use randori_rivals::contest::{ContestSettings, Mean, exploited, play_off, rounds};
use randori_rivals::learn::Lesson;
use randori_rivals::map::{Map, Spreads};
use randori_rivals::{Game, Manner, Size, Values};
use randori_scene::pictures::{FloorMap, floor_map};

use super::{Effort, Folder, Row};
use crate::commands::game::clock;
use crate::commands::rivals::contest::{SITUATIONS, decision_us};
use crate::commands::rivals::map::{Latency, by_look_ahead};
use crate::progress::Progress;

/// Learning at the paper's size may take so long (s): tag, and sword.
const LIMITS: [f64; 2] = [900.0, 600.0];
/// The paper's times of learning with 64 processes (s): tag, and sword.
const PAPER_SECONDS: [f64; 2] = [8.0 * 3600.0, 6.0 * 3600.0];
/// A decision may take so long (ms).
const DECISION_LIMIT: f64 = 0.3;
/// Look-aheads of the sweep (s).
const LOOK_AHEADS: [f32; 4] = [0.1, 0.17, 0.25, 0.33];
/// Squares on a side of the maps that figures are means of.
const SQUARES: usize = 24;
/// Orientations of both: running.
const RUNNING: [&str; 2] = ["run-on-left", "run-on-right"];

/// Those who do without the mixed policy, or without a value function.
const OTHERS: [Manner; 3] = [Manner::Greedy, Manner::RandomGreedy, Manner::RewardOnly];

struct Making<'a> {
    folder: &'a mut Folder,
    rows: &'a mut Vec<Row>,
    effort: Effort,
    seed: u64,
}

/// A game with its values, and how long it took to learn them (s).
struct Learned {
    game: Game,
    values: Values,
    lesson: Lesson,
    seconds: f64,
}

/// Makes them all.
pub(super) fn make(
    folder: &mut Folder,
    rows: &mut Vec<Row>,
    effort: Effort,
    seed: u64,
    progress: &Progress,
) -> anyhow::Result<()> {
    let mut making = Making { folder, rows, effort, seed };
    // Seconds are too few for tag.
    if effort > Effort::Quick {
        let job = progress.job("tag");
        let size = making.size();
        let tag = making.learned(Variant::usual(Which::Tag), size, &mut |done, all| job.step(done, all))?;
        making.learning(&tag, 0);
        making.unpredictable(&tag, progress)?;
        making.contests(&tag);
        making.tag_behaviour(&tag);
    }
    let job = progress.job("sword");
    let sword =
        making.learned(Variant::usual(Which::Sword), making.size(), &mut |done, all| job.step(done, all))?;
    making.learning(&sword, 1);
    making.contests(&sword);
    making.sword_behaviour(&sword);
    Ok(())
}

impl Making<'_> {
    fn size(&self) -> &'static str {
        match self.effort {
            Effort::Quick => "small",
            Effort::Normal => "medium",
            Effort::Whole => "paper",
        }
    }

    fn row(&mut self, what: String, paper: Option<f64>, ours: f64, unit: &'static str, holds: bool) {
        self.rows.push(Row { what, paper, ours, unit, holds });
    }

    fn learned(
        &self,
        variant: Variant,
        size: &str,
        step: &mut dyn FnMut(usize, usize),
    ) -> anyhow::Result<Learned> {
        let game = rivals::game(&variant)?;
        let size = Size::of_name(size, &game).unwrap_or_else(|| Size::medium(&game));
        let clock = clock();
        let host = Host { clock: &clock, ..Host::default() };
        let (values, lesson) = taught(&game, &size, self.seed, host, step)?;
        Ok(Learned { game, values, lesson, seconds: clock() })
    }

    fn contest(&self) -> ContestSettings {
        let rounds = if self.effort == Effort::Quick { 20 } else { 200 };
        // Not the seed that values were learned with.
        ContestSettings { rounds, decisions: 24, seed: self.seed.wrapping_add(100) }
    }

    /// How large what was learned is, and how long it took.
    fn learning(&mut self, learned: &Learned, at: usize) {
        let name = learned.game.name();
        if self.effort == Effort::Whole {
            let paper = [5_898_240.0, 115_600.0][at];
            let ours = learned.lesson.bases as f64;
            let holds = at == 1 || ours == paper;
            self.row(format!("{name}: outer products"), Some(paper), ours, "functions", holds);
            let holds = learned.seconds <= LIMITS[at];
            self.row(format!("{name}: learning"), Some(PAPER_SECONDS[at]), learned.seconds, "s", holds);
        }
        if at == 0 {
            let ours = learned.lesson.solved_at_once as f64;
            self.row(
                "tag: most solved at once".to_owned(),
                Some(10_000.0),
                ours,
                "functions",
                ours <= 10_000.0,
            );
        }
        let ours = 1e-3 * decision_us(&learned.game, &learned.values, self.seed);
        self.row(format!("{name}: a decision"), Some(10.0), ours, "ms", ours <= DECISION_LIMIT);
    }

    /// Figures 8 and 9, and the sweep of look-aheads.
    fn unpredictable(&mut self, tag: &Learned, progress: &Progress) -> anyhow::Result<()> {
        let ordinary = Spreads::of(&tag.game, &tag.values, RUNNING, SQUARES);
        self.picture("figure8-running", tag, RUNNING)?;
        self.picture("figure8-walking", tag, ["walk-on-left", "walk-on-right"])?;
        let ratio = ordinary.near / ordinary.far.max(1e-9);
        let what = "figure 8: spread of plans within 1.5 m, times that beyond 5 m";
        self.row(what.to_owned(), None, ratio, "times", ratio >= 5.0);
        let usual = Variant::usual(Which::Tag);
        // Of the same size as each other, whatever ordinary tag was learned at.
        let size = if self.effort == Effort::Whole { "medium" } else { self.size() };
        let mut points = Vec::new();
        let mut variants = LOOK_AHEADS.map(|look_ahead| Variant { look_ahead, ..usual }).to_vec();
        variants.push(Variant { giant: true, ..usual });
        let job = progress.job("look-aheads");
        for (done, variant) in variants.iter().enumerate() {
            let step = &mut |now: usize, all: usize| job.step(done * all + now, variants.len() * all);
            let anew;
            let learned = if *variant == usual && size == self.size() {
                tag
            } else {
                anew = self.learned(*variant, size, step)?;
                &anew
            };
            let spreads = Spreads::of(&learned.game, &learned.values, RUNNING, SQUARES);
            let name = if variant.giant {
                "figure9-giant".to_owned()
            } else {
                format!("look-ahead-{}", variant.look_ahead)
            };
            self.picture(&name, learned, RUNNING)?;
            points.push(Latency { look_ahead: variant.look_ahead, giant: variant.giant, spreads });
        }
        self.folder.data("look-aheads", &points)?;
        let usual = points[2].spreads.mean.max(1e-9);
        for (at, what) in [(0, "look-ahead 0.1 s"), (4, "the giant")] {
            let share = points[at].spreads.mean / usual;
            let what = format!("figure 9: spread of plans for {what}, as a share of ordinary tag's");
            self.row(what, None, share, "-", share <= 0.2);
        }
        // The longer a decision holds, the more it pays to be unpredictable.
        let sweep = &points[..LOOK_AHEADS.len()];
        self.folder.chart("section4-look-aheads", &by_look_ahead(sweep))?;
        for (shorter, longer) in sweep.iter().zip(&sweep[1..]) {
            let share = longer.spreads.mean / shorter.spreads.mean.max(1e-9);
            let (now, before) = (longer.look_ahead, shorter.look_ahead);
            let what =
                format!("section 4.1: spread of plans for look-ahead {now} s, times that for {before} s");
            self.row(what, None, share, "times", share >= 1.0);
        }
        Ok(())
    }

    fn picture(&mut self, name: &str, learned: &Learned, nodes: [&str; 2]) -> anyhow::Result<()> {
        let map = Map::of(&learned.game, &learned.values, nodes, 0.0, 2 * SQUARES, 7.0);
        let greatest = map.spread.iter().copied().fold(0.0, f64::max).max(0.15);
        let picture = FloorMap {
            title: format!("spread of plans, up to {greatest:.2} m"),
            n: map.n,
            reach: map.reach,
            squares: map.spread,
            greatest,
            arrows: Vec::new(),
        };
        self.folder.write(format!("{name}.png"), &floor_map(&picture)?)
    }

    /// Who does better, and who loses how much to somebody who knows them.
    fn contests(&mut self, learned: &Learned) {
        let (game, values, settings) = (&learned.game, &learned.values, self.contest());
        let name = game.name();
        let surely = |mean: &Mean| mean.mean > mean.margin;
        for other in OTHERS {
            let difference = play_off(game, values, [Manner::Optimal, other], &settings).difference;
            let what = format!("{name}: optimal against {}, ±{:.3}", other.name(), difference.margin);
            self.row(what, None, difference.mean, "reward", surely(&difference));
        }
        // With swords the best answer of all can be found, in tag only somebody who knows what comes next.
        let most = if self.effort == Effort::Quick { 0 } else { SITUATIONS };
        let loss_of = |manner: Manner| match lost(game, values, manner, most) {
            Some(loss) => ("lost to the best answer", loss.both),
            None => ("exploited", exploited(game, values, manner, &settings).mean),
        };
        let (what, optimal) = loss_of(Manner::Optimal);
        self.row(format!("{name}: {what}, optimal"), None, optimal, "reward", true);
        for other in OTHERS {
            let (what, loss) = loss_of(other);
            self.row(format!("{name}: {what}, {}", other.name()), None, loss, "reward", loss > optimal);
        }
        if name == "tag" {
            let [adaptive, optimal] = [Manner::Adaptive, Manner::Optimal]
                .map(|manner| play_off(game, values, [manner, Manner::OnlyLeft], &settings).difference.mean);
            let what = "tag: adaptive against only left, less what optimal makes of it";
            self.row(what.to_owned(), None, adaptive - optimal, "reward", adaptive > optimal);
        }
    }

    fn behaviour(&self, learned: &Learned, manners: [Manner; 2]) -> Behaviour {
        let settings = ContestSettings { decisions: 48, ..self.contest() };
        Behaviour::of(&learned.game, &rounds(&learned.game, &learned.values, manners, &settings))
    }

    fn tag_behaviour(&mut self, tag: &Learned) {
        let both = self.behaviour(tag, [Manner::Optimal; 2]);
        let more = both.quick_near - both.quick_far;
        let what = "tag: quick steps near the one who tackles, more than far away";
        self.row(what.to_owned(), None, 100.0 * more, "%", more > 0.0);
    }

    fn sword_behaviour(&mut self, sword: &Learned) {
        let both = self.behaviour(sword, [Manner::Optimal; 2]);
        let feints = 100.0 * both.feints as f64 / both.attacks.max(1) as f64;
        self.row("sword: feints".to_owned(), None, feints, "% of attacks", feints >= 5.0);
        let what = "sword: attacks per bout, optimal".to_owned();
        self.row(what, None, both.attacks_per_round, "attacks", both.attacks_per_round > 2.0);
        let turns = self.behaviour(sword, [Manner::Greedy, Manner::FirstMover]);
        let what = "sword: attacks per bout, turn by turn".to_owned();
        let ended = turns.ended == turns.rounds;
        self.row(
            what,
            Some(2.0),
            turns.attacks_per_round,
            "attacks",
            ended && turns.attacks_per_round <= 2.0,
        );
    }
}
