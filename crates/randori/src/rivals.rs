//! Games of rivals by name: their graphs, and what was learned of them, kept in the user's cache folder.

use std::sync::Arc;

use randori_actor::{sword_duel, tag_agent, tag_opponent};
use randori_equilibrium::lspi::{Control, Host};
use randori_motion::Build;
use randori_motion::parametric::{BadRecipe, Graph, LookAhead};
use randori_rivals::learn::{LearnError, Lesson, Step};
use randori_rivals::tag::TagRules;
use randori_rivals::{Game, Repertoire, Rules, Size, Values, learn};
use randori_scene::files;
use randori_tactics::wits::Taught;

use crate::libraries::cache_folder;

/// Which game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// One chases, the other runs.
    Tag,
    /// Both cut and block.
    Sword,
}

/// What is played, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variant {
    /// The game.
    pub which: Which,
    /// How long a decision holds (s).
    pub look_ahead: f32,
    /// Whether the one who chases is a giant: everything takes them longer.
    pub giant: bool,
}

impl Variant {
    /// The game as it is usually played.
    pub fn usual(which: Which) -> Variant {
        Variant { which, look_ahead: 0.25, giant: false }
    }
}

/// Values are the same for whatever is played with them.
pub const VALUES_SEED: u64 = 1;
/// How finely values are learned on first use.
pub const VALUES_SIZE: &str = "medium";

/// Whoever chases is this much quicker: nobody would ever be caught otherwise.
const QUICKER: f32 = 0.8;
/// All that a giant does takes so many times as long.
const GIANT: f32 = 2.0;

/// The game, its motions made.
pub fn game(variant: &Variant) -> Result<Game, BadRecipe> {
    let build = Build::AVERAGE;
    let look_ahead = LookAhead { seconds: variant.look_ahead, ..LookAhead::default() };
    let repertoire = |graph: Graph| Repertoire::new(graph, look_ahead);
    match variant.which {
        Which::Tag => {
            let pace = if variant.giant { GIANT } else { QUICKER };
            let agent = Graph::new(&tag_agent(build))?.slowed(pace);
            let opponent = Graph::new(&tag_opponent(build))?;
            Ok(Game::tag([agent, opponent].map(repertoire), TagRules::default()))
        }
        Which::Sword => {
            let graph = Graph::new(&sword_duel(build))?;
            Ok(Game::sword([graph.clone(), graph].map(repertoire)))
        }
    }
}

/// The values of a game as they are in the user's cache folder; learned first if they are not there, at a size that takes
/// seconds. `step` hears how many of the steps are done, and of how many.
pub fn open(
    game: &Game,
    size: &str,
    seed: u64,
    step: &mut dyn FnMut(usize, usize),
) -> Result<Values, LearnError> {
    let wanted = Size::of_name(size, game).unwrap_or_else(|| Size::medium(game));
    let tenths = libm_round(1000.0 * game.seconds());
    let graphs = game.sides.iter().map(|side| side.graph.to_bytes().len()).sum::<usize>();
    let name = format!("{}-{size}-{tenths}-{graphs:x}-{seed}-{GRAPHS}-{CODE}.values", game.name());
    let path = cache_folder().map(|folder| folder.join(name));
    let kept = path.as_ref().and_then(|path| files::read(path).ok());
    if let Some(values) = kept.and_then(|bytes| Values::from_bytes(&bytes, game).ok()) {
        return Ok(values);
    }
    let (values, _) = taught(game, &wanted, seed, Host::default(), step)?;
    if let Some(path) = &path {
        // A cache that cannot be written costs time, nothing else.
        files::write_atomically(path, &values.to_bytes()).ok();
    }
    Ok(values)
}

/// Tag with its values, as it is usually played.
pub fn tag(step: &mut dyn FnMut(usize, usize)) -> Result<Arc<Taught>, TagError> {
    let game = game(&Variant::usual(Which::Tag))?;
    let values = open(&game, VALUES_SIZE, VALUES_SEED, step)?;
    Ok(Arc::new(Taught { game, values }))
}

/// Why there is no tag.
#[derive(Debug, thiserror::Error)]
pub enum TagError {
    /// Its motions cannot be made.
    #[error(transparent)]
    Motions(#[from] BadRecipe),
    /// Its values cannot be learned.
    #[error(transparent)]
    Values(#[from] LearnError),
}

/// Learns, and tells how far it is.
pub fn taught(
    game: &Game,
    size: &Size,
    seed: u64,
    host: Host<'_>,
    step: &mut dyn FnMut(usize, usize),
) -> Result<(Values, Lesson), LearnError> {
    let all = steps(game, size);
    let mut done = 0;
    learn(game, size, seed, host, None, &mut |event| {
        done = after(done, &event);
        step(done.min(all), all);
        Control::Continue
    })
}

/// Steps of learning: levels count for several sweeps.
pub fn steps(game: &Game, size: &Size) -> usize {
    let levels = if let Rules::Tag(_) = game.rules { 2 * LEVEL } else { 0 };
    levels + size.sweeps[1] + size.backups
}

/// Steps that are done after one more event.
pub fn after(done: usize, event: &Step<'_>) -> usize {
    match event {
        Step::Level(_) => done + LEVEL,
        Step::Sweep(_) | Step::Moments(_) => done + 1,
    }
}

/// A level of nested PCA takes about as long as so many sweeps.
const LEVEL: usize = 2;

fn libm_round(x: f64) -> u64 {
    x.round().max(0.0) as u64
}

/// Change with the code that makes motions, and with the code that plays and learns.
const GRAPHS: &str = env!("RANDORI_CODE");
const CODE: &str = env!("RANDORI_RIVALS_CODE");
