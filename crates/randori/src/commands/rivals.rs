//! `randori rivals`: tag and sword between people who act at once.

pub(crate) mod contest;
pub(crate) mod map;

use std::path::PathBuf;

use anyhow::Context;
use clap::{Subcommand, ValueEnum};
use randori::rivals::{self, VALUES_SEED, Variant, Which};
use randori_equilibrium::lspi::{Control, Host};
use randori_rivals::behaviour::Behaviour;
use randori_rivals::learn::Lesson;
use randori_rivals::record::{Performance, perform};
use randori_rivals::round::minds;
use randori_rivals::{Game, Manner, Size, Values, learn};
use randori_scene::files;
use randori_scene::refine::{self, refine};
use randori_scene::screenplay::Camera;
use serde::Serialize;

use crate::commands::game::clock;
use crate::commands::run::{write_take, write_video};
use crate::output::{Outcome, table};
use crate::progress::Progress;

/// Arguments of `randori rivals`.
#[derive(Debug, clap::Args)]
pub(crate) struct RivalsArgs {
    #[command(subcommand)]
    command: RivalsCommand,
}

#[derive(Debug, Subcommand)]
enum RivalsCommand {
    /// Learn what situations of a game are worth, and write that to a file.
    Learn(LearnArgs),
    /// Play a game, and write or draw how it looks.
    Play(PlayArgs),
    /// Draw where it pays to be unpredictable (figures 8 and 9), or what is planned in one situation (figure 1).
    Map(map::MapArgs),
    /// Let those who draw from the mixed policy play those who do not, and count what they do.
    Contest(contest::ContestArgs),
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum GameArg {
    Tag,
    Sword,
}

/// Which game, and with which values.
#[derive(Debug, Clone, Copy, clap::Args)]
struct GameArgs {
    /// The game.
    #[arg(value_enum)]
    game: GameArg,

    /// How long a decision holds (s).
    #[arg(long, value_name = "SECONDS", default_value_t = 0.25)]
    look_ahead: f32,

    /// In tag: whoever chases is a slow giant.
    #[arg(long)]
    giant: bool,
}

/// Where values come from.
#[derive(Debug, clap::Args)]
struct ValuesArgs {
    /// A file of `randori rivals learn`; otherwise values are learned on first use, and kept.
    #[arg(long, value_name = "FILE")]
    values: Option<PathBuf>,

    /// How finely values are learned that are not there.
    #[arg(long, value_enum, default_value_t = SizeArg::Medium)]
    size: SizeArg,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum SizeArg {
    /// For tests.
    Small,
    /// As on first use.
    Medium,
    /// The paper's.
    Paper,
}

impl SizeArg {
    fn name(self) -> &'static str {
        match self {
            SizeArg::Small => "small",
            SizeArg::Medium => "medium",
            SizeArg::Paper => "paper",
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum MannerArg {
    Optimal,
    Greedy,
    RandomGreedy,
    RewardOnly,
    Adaptive,
    OnlyLeft,
    FirstMover,
}

impl From<MannerArg> for Manner {
    fn from(manner: MannerArg) -> Manner {
        match manner {
            MannerArg::Optimal => Manner::Optimal,
            MannerArg::Greedy => Manner::Greedy,
            MannerArg::RandomGreedy => Manner::RandomGreedy,
            MannerArg::RewardOnly => Manner::RewardOnly,
            MannerArg::Adaptive => Manner::Adaptive,
            MannerArg::OnlyLeft => Manner::OnlyLeft,
            MannerArg::FirstMover => Manner::FirstMover,
        }
    }
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
After every level, sweep and backup a checkpoint is written beside the file, with `.part` behind its name; the same command goes on from it.")]
struct LearnArgs {
    #[command(flatten)]
    game: GameArgs,

    /// How finely.
    #[arg(long, value_enum, default_value_t = SizeArg::Medium)]
    size: SizeArg,

    /// The file to write.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
}

#[derive(Debug, clap::Args)]
struct PlayArgs {
    #[command(flatten)]
    game: GameArgs,

    #[command(flatten)]
    values: ValuesArgs,

    /// How the agent decides: the one who chases, who has the right of way.
    #[arg(long, value_enum, default_value_t = MannerArg::Optimal)]
    agent: MannerArg,

    /// How the opponent decides.
    #[arg(long, value_enum, default_value_t = MannerArg::Optimal)]
    opponent: MannerArg,

    /// How long to play (s).
    #[arg(long, default_value_t = 20.0)]
    seconds: f64,

    /// The scene to write: .glb, .usda, or .bvh with one file for each character.
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// An animated picture of it: .gif, .apng, .mp4 (feature `mp4`).
    #[arg(long, value_name = "FILE")]
    video: Option<PathBuf>,

    /// Leave the take as it was planned: feet and bodies are not put right.
    #[arg(long)]
    raw: bool,
}

/// Runs one of the subcommands.
pub(crate) fn run(args: &RivalsArgs, seed: u64, progress: &Progress) -> anyhow::Result<Outcome> {
    match &args.command {
        RivalsCommand::Learn(args) => learned(args, seed, progress),
        RivalsCommand::Play(args) => play(args, seed, progress),
        RivalsCommand::Map(args) => map::run(args, progress),
        RivalsCommand::Contest(args) => contest::run(args, seed, progress),
    }
}

impl GameArgs {
    fn make(&self) -> anyhow::Result<Game> {
        let which = match self.game {
            GameArg::Tag => Which::Tag,
            GameArg::Sword => Which::Sword,
        };
        let look_ahead = self.look_ahead;
        anyhow::ensure!((0.05..=1.0).contains(&look_ahead), "a look-ahead of {look_ahead} s: from 0.05 to 1");
        Ok(rivals::game(&Variant { which, look_ahead, giant: self.giant })?)
    }
}

impl ValuesArgs {
    fn open(&self, game: &Game, progress: &Progress) -> anyhow::Result<Values> {
        if let Some(path) = &self.values {
            let bytes = files::read(path)?;
            return Values::from_bytes(&bytes, game).with_context(|| path.display().to_string());
        }
        let job = progress.job("learning");
        Ok(rivals::open(game, self.size.name(), VALUES_SEED, &mut |done, all| job.step(done, all))?)
    }
}

#[derive(Serialize)]
struct Learned {
    #[serde(flatten)]
    lesson: Lesson,
    total_seconds: f64,
    bytes: usize,
    /// Root mean square of the Bellman errors at fresh states.
    residual: f64,
    file: PathBuf,
}

fn learned(args: &LearnArgs, seed: u64, progress: &Progress) -> anyhow::Result<Outcome> {
    let game = args.game.make()?;
    let size = Size::of_name(args.size.name(), &game).unwrap_or_else(|| Size::medium(&game));
    let mut part = args.out.clone().into_os_string();
    part.push(".part");
    let part = PathBuf::from(part);
    let checkpoint = files::read(&part).ok().filter(|bytes| !bytes.is_empty());
    let clock = clock();
    let host = Host { clock: &clock, ..Host::default() };
    let job = progress.job("learning");
    let (all, mut done) = (rivals::steps(&game, &size), 0);
    let mut failed = None;
    let (values, lesson) = learn(&game, &size, seed, host, checkpoint.as_deref(), &mut |event| {
        done = rivals::after(done, &event);
        job.step(done.min(all), all);
        if let Err(error) = files::write_atomically(&part, &event.checkpoint()) {
            failed = Some(error);
            return Control::Stop;
        }
        Control::Continue
    })
    .with_context(|| format!("a checkpoint of something else may be in {}", part.display()))?;
    drop(job);
    if let Some(error) = failed {
        return Err(error.into());
    }
    let bytes = values.to_bytes();
    files::write_atomically(&args.out, &bytes)?;
    // Nothing is left to go on with.
    files::write_atomically(&part, &[])?;
    let learned = Learned {
        total_seconds: clock(),
        bytes: bytes.len(),
        residual: values.residual(&game, 2000, seed ^ 0x7e57),
        lesson,
        file: args.out.clone(),
    };
    let text = format!(
        "{}: {} functions, at most {} solved at once, {} samples, {} sweeps and {} backups in {:.1} s, Bellman error {:.4}\n{}\n",
        learned.lesson.game,
        learned.lesson.bases,
        learned.lesson.solved_at_once,
        learned.lesson.samples,
        learned.lesson.residuals.len(),
        learned.lesson.backups,
        learned.total_seconds,
        learned.residual,
        args.out.display()
    );
    Outcome::new(&learned, text)
}

#[derive(Serialize)]
struct Played {
    game: String,
    agent: Manner,
    opponent: Manner,
    seconds: f64,
    behaviour: Behaviour,
    #[serde(skip_serializing_if = "Option::is_none")]
    belief: Option<randori_rivals::habits::Belief>,
    files: Vec<PathBuf>,
}

/// The colours of the two.
const COLORS: [[f32; 3]; 2] = [[0.72, 0.16, 0.12], [0.12, 0.30, 0.65]];

fn play(args: &PlayArgs, seed: u64, progress: &Progress) -> anyhow::Result<Outcome> {
    let game = args.game.make()?;
    let values = args.values.open(&game, progress)?;
    let manners = [args.agent, args.opponent].map(Manner::from);
    let names = match args.game.game {
        GameArg::Tag => ["chaser", "runner"],
        GameArg::Sword => ["red", "blue"],
    };
    let cast = [0, 1].map(|side| (names[side].to_owned(), COLORS[side]));
    let mut minds = minds(&game, &values, manners);
    let wanted = Performance { seconds: args.seconds, seed, cast, starts: None };
    let mut performed = perform(&game, &mut minds, &wanted).context("nothing was played")?;
    if !args.raw {
        refine(&mut performed.take, &refine::Settings::default());
    }
    let mut written = Vec::new();
    if let Some(path) = &args.out {
        write_take(path, &performed.take)?;
        written.push(path.clone());
    }
    if let Some(path) = &args.video {
        write_video(path, &performed.take, (Camera::default(), &[]), progress)?;
        written.push(path.clone());
    }
    let [agent, opponent] = manners;
    let belief = minds.iter().find_map(randori_rivals::Mind::belief);
    let behaviour = Behaviour::of(&game, &performed.rounds);
    let played = Played {
        game: game.name().to_owned(),
        agent,
        opponent,
        seconds: args.seconds,
        behaviour,
        belief,
        files: written,
    };
    let mut text = format!("{}: {} against {}\n", played.game, agent.name(), opponent.name());
    text += &table(&["what", ""], &contest::behaviour_rows(&played.behaviour));
    for path in &played.files {
        text += &format!("{}\n", path.display());
    }
    Outcome::new(&played, text)
}
