//! `randori body run` and `randori body dump`: the scenarios of whole bodies.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use cpu_time::ThreadTime;
use randori_motion::FrameRate;
use randori_scene::pictures::{self, Animation, Format};
use randori_scene::render::{Angle, Camera};
use randori_scene::{export, files};
use randori_wholebody::report::{self, RunReport};
use randori_wholebody::scenario::{Options, Recorder, Scenario};
use serde::Serialize;

use crate::output::Outcome;
use crate::progress::Progress;
use crate::source::read_text;

/// Arguments of `randori body run`.
#[derive(Debug, clap::Args)]
pub(crate) struct RunArgs {
    /// The scenario: king, funambulist, sword, acrobats, door, valve, box, lever, walk; or a scene file, NAME.toml.
    name: String,

    #[command(flatten)]
    outputs: Outputs,

    /// How long it runs, in seconds; as long as its script by default.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    seconds: Option<f64>,

    /// The time step, in seconds; the paper's by default.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    dt: Option<f64>,

    /// King: a program for each body by itself instead of one for all.
    #[arg(long)]
    separate: bool,

    /// How late people know of each other, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 0.0, allow_negative_numbers = true)]
    delay: f64,
}

/// What a run writes.
#[derive(Debug, clap::Args)]
pub(crate) struct Outputs {
    /// The scene to write, a GLB.
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// The moving picture to write: .apng, .gif or .mp4 (feature `mp4`).
    #[arg(long, value_name = "FILE")]
    video: Option<PathBuf>,
}

impl Outputs {
    /// Whether everything asked for can be written, before anything runs.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        self.video.as_deref().map(video_format).transpose().map(|_| ())
    }
}

/// Arguments of `randori body dump`.
#[derive(Debug, clap::Args)]
pub(crate) struct DumpArgs {
    /// The scenario: king, funambulist, sword, acrobats, door, valve, box, lever, walk.
    name: String,

    /// The folder to write into.
    folder: PathBuf,

    /// Write models, states and forces of every tenth step instead, for programs that work physics out.
    #[arg(long)]
    states: bool,

    /// How many problems at most: the last of one shape.
    #[arg(long, value_name = "COUNT", default_value_t = 100)]
    steps: usize,

    /// How long the scenario runs, in seconds.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    seconds: Option<f64>,

    /// The time step, in seconds.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    dt: Option<f64>,
}

/// Longest run (s).
const LONGEST: f64 = 3600.0;

/// Processor time of this thread (s): other programs do not count.
pub(crate) fn processor_clock() -> impl FnMut() -> f64 {
    let start = ThreadTime::now();
    move || start.elapsed().as_secs_f64()
}

pub(super) fn span(asked: Option<f64>, usual: f64) -> anyhow::Result<f64> {
    let seconds = asked.unwrap_or(usual);
    if !(seconds > 0.0 && seconds <= LONGEST) {
        bail!("--seconds: expected more than 0 and at most {LONGEST}, found {seconds}");
    }
    Ok(seconds)
}

/// Runs a scenario and says how it went.
pub(crate) fn run(args: &RunArgs, seed: u64, progress: &Progress) -> anyhow::Result<Outcome> {
    let options = Options { dt: args.dt, seed, separate: args.separate, delay: args.delay };
    let mut scenario = if args.name.ends_with(".toml") {
        let text = read_text(Path::new(&args.name))?;
        Scenario::read(&text, &options).with_context(|| args.name.clone())?
    } else {
        Scenario::build(&args.name, &options)?
    };
    let seconds = span(args.seconds, scenario.seconds())?;
    args.outputs.check()?;
    play_and_write(&mut scenario, seconds, &args.outputs, seed, progress)
}

/// Runs a scenario, writes what is asked for and says how it went.
pub(super) fn play_and_write(
    scenario: &mut Scenario,
    seconds: f64,
    outputs: &Outputs,
    seed: u64,
    progress: &Progress,
) -> anyhow::Result<Outcome> {
    let format = outputs.video.as_deref().map(video_format).transpose()?;
    let wanted = outputs.out.is_some() || outputs.video.is_some();
    let rate = FrameRate::new(60, 1).unwrap_or(FrameRate::HOUSE);
    let mut recorder = wanted.then(|| Recorder::new(scenario, rate));
    let job = progress.job("simulating");
    let report =
        report::run(scenario, seconds, &mut processor_clock(), recorder.as_mut(), &mut |done, total| {
            job.step(done, total)
        });
    drop(job);
    if let Some(recorder) = &recorder {
        let take = recorder.take(scenario, seed)?;
        if let Some(out) = &outputs.out {
            files::write_atomically(out, &export::glb(&take, &export::GlbOptions::default())?)?;
        }
        if let (Some(video), Some(format)) = (&outputs.video, format) {
            let job = progress.job("drawing");
            let options = Animation { camera: Camera::Whole(Angle::across(&take)), ..Animation::default() };
            let bytes =
                pictures::animation(&take, format, &options, &mut |done, total| job.step(done, total))?;
            drop(job);
            files::write_atomically(video, &bytes)?;
        }
    }
    let notes = report.trouble.clone().into_iter().collect();
    let solved = report.infeasible_steps == 0;
    Ok(Outcome::new(&report, words(&report))?.with_notes(notes).good_if(solved))
}

fn video_format(path: &Path) -> anyhow::Result<Format> {
    match path.extension().and_then(|end| end.to_str()) {
        Some("apng" | "png") => Ok(Format::Apng),
        Some("gif") => Ok(Format::Gif),
        #[cfg(feature = "mp4")]
        Some("mp4") => Ok(Format::Mp4),
        _ => bail!("{}: expected a name that ends in .apng or .gif", path.display()),
    }
}

fn words(report: &RunReport) -> String {
    let f = &report.figures;
    let mut text = format!(
        "{}: {} steps of {:.1} ms, {} infeasible\n\
         step      {:.3} ms median ({:.3} assembly, {:.3} solution), {:.3} ms longest, {:.3} ms at changes of contacts\n\
         physics   equations of motion {:.1e}, action and reaction {:.1e}, friction margin {:.1e} N, slip {:.3} mm,\n\
         \x20         limits {:.1e}, distances {:.1} mm\n",
        report.scenario,
        report.steps,
        1e3 * report.dt,
        report.infeasible_steps,
        report.step_median_ms,
        report.assembly_ms,
        report.solve_ms,
        report.step_max_ms,
        report.contact_change_max_ms,
        f.eom_residual_max,
        f.action_reaction_max,
        f.friction_margin_min,
        f.slip_mm_max,
        f.limit_violation_max,
        f.distance_margin_min_mm,
    );
    for (name, value) in &report.results {
        text.push_str(&format!("{value:>12.4}  {name}\n"));
    }
    text
}

#[derive(Serialize)]
struct DumpReport {
    scenario: String,
    header: PathBuf,
    records: PathBuf,
    steps: usize,
}

#[derive(Serialize)]
struct StatesWritten {
    scenario: String,
    states: PathBuf,
    steps: usize,
}

/// Runs a scenario and writes its last problems, or its states.
pub(crate) fn dump(args: &DumpArgs, seed: u64) -> anyhow::Result<Outcome> {
    let options = Options { dt: args.dt, seed, ..Options::default() };
    let mut scenario = Scenario::build(&args.name, &options)?;
    let seconds = span(args.seconds, scenario.seconds())?;
    if args.states {
        let states = report::states(&mut scenario, seconds, 10);
        let path = args.folder.join(format!("{}.states.json", args.name));
        files::write_atomically(&path, &serde_json::to_vec(&states)?)?;
        let report = StatesWritten { scenario: args.name.clone(), states: path, steps: states.steps.len() };
        let text = format!("{}\n", report.states.display());
        return Outcome::new(&report, text);
    }
    let dumped = report::dump_problems(&mut scenario, seconds, args.steps.clamp(1, 10_000))
        .with_context(|| format!("{}: no problem to write", args.name))?;
    let path = |end: &str| args.folder.join(format!("{}.notau.{end}", args.name));
    let report = DumpReport {
        scenario: args.name.clone(),
        header: path("json"),
        records: path("bin"),
        steps: dumped.steps,
    };
    files::write_atomically(&report.header, &dumped.json)?;
    files::write_atomically(&report.records, &dumped.bin)?;
    let text = format!("{}\n{}\n", report.header.display(), report.records.display());
    Outcome::new(&report, text)
}
