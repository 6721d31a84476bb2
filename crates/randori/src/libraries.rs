//! Libraries of actions by name: those that come with the program, and files.
//!
//! `builtin:boxing` and its like are performed by the [actor](randori_actor), analysed and kept in the user's cache
//! folder, under a name that changes with the code that makes them.

use std::fmt;
use std::path::{Path, PathBuf};

use randori_actor::{Casting, Performance, Temperament};
use randori_motion::Build;
use randori_motion::analyse::{self, AnalyseError, Analysis, Discipline, analyse};
use randori_motion::library::{ActionLibrary, AssembleError, LibraryError, Likeness, Recording, assemble};
use randori_motion::parametric::{self, BadRecipe, Graph};
use randori_scene::files::{self, FileError};
use rayon::prelude::*;

/// The libraries that come with the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Builtin {
    /// Shadow boxing with kicks, defences, reactions and falls.
    Boxing,
    /// Walking, running, turning, dodging and catching.
    Running,
    /// Lifting, carrying, handing over, receiving and putting down, alone and in pairs.
    Carrying,
    /// Cuts, blocks, feints and lunges with a sword, reactions and falls.
    Sword,
    /// Standing in a crowd: looking, stepping aside, being pushed, stumbling, falling and getting up.
    Crowd,
    /// Running with a ball, dodging, spinning and leaping; tackling, being tackled and getting up.
    Football,
}

/// What a parametric motion graph is made of, for somebody of a build.
type GraphRecipe = fn(Build) -> parametric::Recipe;

/// The share of a fighter's takes in which one is struck (-).
const STRUCK: f32 = 1.0 / 6.0;
/// The share of a porter's takes in which loads are passed on from hand to hand (-).
const EXCHANGED: f32 = 1.0 / 4.0;

/// Why a library cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// No built-in library has this name.
    #[error("no built-in library \"{name}\"; there are {}", names(.near))]
    Unknown {
        /// What was asked for.
        name: String,
        /// What there is, the nearest name first.
        near: Vec<String>,
    },
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file holds no library.
    #[error("{}: {error}", .path.display())]
    Library {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: LibraryError,
    },
    /// A take cannot be analysed.
    #[error(transparent)]
    Analyse(#[from] AnalyseError),
    /// The takes make no library.
    #[error(transparent)]
    Assemble(#[from] AssembleError),
    /// The samples make no parametric motion graph.
    #[error(transparent)]
    Graph(#[from] BadRecipe),
}

fn names(near: &[String]) -> String {
    near.iter().map(|name| format!("builtin:{name}")).collect::<Vec<_>>().join(", ")
}

impl Builtin {
    /// All of them.
    pub const ALL: [Builtin; 6] = [
        Builtin::Boxing,
        Builtin::Running,
        Builtin::Carrying,
        Builtin::Sword,
        Builtin::Crowd,
        Builtin::Football,
    ];

    /// Its name after `builtin:`.
    pub fn name(self) -> &'static str {
        match self {
            Builtin::Boxing => "boxing",
            Builtin::Running => "run",
            Builtin::Carrying => "carry",
            Builtin::Sword => "sword",
            Builtin::Crowd => "crowd",
            Builtin::Football => "football",
        }
    }

    /// The built-in library of this name, with or without `builtin:`.
    pub fn from_name(name: &str) -> Result<Builtin, OpenError> {
        let name = name.strip_prefix("builtin:").unwrap_or(name);
        Builtin::ALL.into_iter().find(|builtin| builtin.name() == name).ok_or_else(|| {
            let all = Builtin::ALL.map(|builtin| builtin.name().to_owned());
            OpenError::Unknown { name: name.to_owned(), near: nearest_first(name, all.to_vec()) }
        })
    }

    /// Who performs it, and how long, unless somebody else is asked for.
    pub fn casting(self) -> Casting {
        let seconds = match self {
            Builtin::Boxing => 420.0,
            Builtin::Running => 180.0,
            Builtin::Carrying => 960.0,
            Builtin::Sword => 900.0,
            Builtin::Crowd => 240.0,
            Builtin::Football => 320.0,
        };
        Casting { build: Build::AVERAGE, temperament: Temperament::Calm, seed: 1, seconds }
    }

    /// What its parametric motion graphs are called and made of, for somebody of a build.
    fn graph_recipes(self) -> &'static [(&'static str, GraphRecipe)] {
        match self {
            Builtin::Running => {
                &[("tag-agent", randori_actor::tag_agent), ("tag-opponent", randori_actor::tag_opponent)]
            }
            Builtin::Sword => &[("sword-duel", randori_actor::sword_duel)],
            _ => &[],
        }
    }

    /// The parametric motion graphs that come with it, performed by somebody of a build; those of the usual build are
    /// kept in the user's cache folder.
    pub fn graphs(self, build: Build) -> Result<Vec<Graph>, OpenError> {
        let open = |(name, recipe): &(&str, GraphRecipe)| {
            let path = cache_folder().filter(|_| build == self.casting().build);
            let path = path.map(|folder| folder.join(format!("{name}-{CODE}.pmg")));
            let kept = path.as_ref().and_then(|path| files::read(path).ok());
            if let Some(graph) = kept.and_then(|bytes| Graph::from_bytes(&bytes).ok()) {
                return Ok(graph);
            }
            let graph = Graph::new(&recipe(build))?;
            // A cache that cannot be written costs time, nothing else.
            path.and_then(|path| files::write_atomically(&path, &graph.to_bytes()).ok());
            Ok(graph)
        };
        self.graph_recipes().iter().map(open).collect()
    }

    /// Has it performed; with each take, how it is to be analysed.
    pub fn perform(self, casting: &Casting) -> Vec<(Performance, Discipline)> {
        let all = |takes: Vec<Performance>, discipline| takes.into_iter().map(move |take| (take, discipline));
        match self {
            Builtin::Boxing => {
                let struck = Casting { seconds: STRUCK * casting.seconds, ..*casting };
                let boxing = Casting { seconds: casting.seconds - struck.seconds, ..*casting };
                all(randori_actor::boxing(&boxing), Discipline::Boxing)
                    .chain(all(randori_actor::reactions(&struck), Discipline::Reactions))
                    .collect()
            }
            Builtin::Running => all(randori_actor::running(casting), Discipline::Running).collect(),
            Builtin::Carrying => {
                let exchanges = Casting { seconds: EXCHANGED * casting.seconds, ..*casting };
                let carrying = Casting { seconds: casting.seconds - exchanges.seconds, ..*casting };
                all(randori_actor::carrying(&carrying), Discipline::Carrying)
                    .chain(all(randori_actor::exchanges(&exchanges), Discipline::Carrying))
                    .collect()
            }
            Builtin::Crowd => all(randori_actor::crowd(casting), Discipline::Crowd).collect(),
            Builtin::Football => all(randori_actor::football(casting), Discipline::Football).collect(),
            Builtin::Sword => {
                let struck = Casting { seconds: STRUCK * casting.seconds, ..*casting };
                let sword = Casting { seconds: casting.seconds - struck.seconds, ..*casting };
                all(randori_actor::sword(&sword), Discipline::Sword)
                    .chain(all(randori_actor::sword_reactions(&struck), Discipline::Reactions))
                    .collect()
            }
        }
    }

    /// How alike postures must be: a sword in another place makes another posture, though most of the body is the same.
    fn likeness(self) -> Likeness {
        match self {
            Builtin::Sword => Likeness { distance: 0.07, ..Likeness::default() },
            _ => Likeness::default(),
        }
    }

    /// Makes it from nothing.
    pub fn make(self, casting: &Casting) -> Result<ActionLibrary, OpenError> {
        let performances = self.perform(casting);
        let weapon = performances.iter().find_map(|(performance, _)| performance.body.weapon);
        let recordings = performances.into_par_iter().map(|(performance, discipline)| {
            let analysis = analyse(&performance.clip, &settings_of(&performance, discipline))?;
            Ok(recording(performance.clip, analysis))
        });
        let recordings: Vec<Recording> = recordings.collect::<Result<_, AnalyseError>>()?;
        let mut library = assemble(self.name(), self.name(), casting.build, &recordings, &self.likeness())?;
        library.origin = Recipe { builtin: self, casting: *casting }.to_text();
        Ok(match weapon {
            Some(weapon) => library.armed(weapon),
            None => library,
        })
    }

    /// The library as it is in the user's cache folder, made first if it is not there.
    pub fn open(self) -> Result<ActionLibrary, OpenError> {
        let casting = self.casting();
        let path = cache_folder().map(|folder| folder.join(format!("{}-{CODE}.randori", self.name())));
        let Some(path) = path else { return self.make(&casting) };
        if let Some(library) =
            files::read(&path).ok().and_then(|bytes| ActionLibrary::from_bytes(&bytes).ok())
        {
            return Ok(library);
        }
        let library = self.make(&casting)?;
        // A cache that cannot be written costs time, nothing else.
        files::write_atomically(&path, &library.to_bytes()).ok();
        Ok(library)
    }
}

impl fmt::Display for Builtin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "builtin:{}", self.name())
    }
}

/// How a built-in library was made, so that it can be performed again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recipe {
    /// Which one it is.
    pub builtin: Builtin,
    /// Who performed it.
    pub casting: Casting,
}

impl Recipe {
    /// How this library was made; `None` if it was not by this program.
    pub fn of(library: &ActionLibrary) -> Option<Recipe> {
        let mut words = library.origin.split(' ');
        let builtin = Builtin::from_name(words.next().filter(|name| name.starts_with("builtin:"))?).ok()?;
        let temperament = match words.next()? {
            "calm" => Temperament::Calm,
            "fierce" => Temperament::Fierce,
            _ => return None,
        };
        let (seed, seconds) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        Some(Recipe { builtin, casting: Casting { build: library.build(), temperament, seed, seconds } })
    }

    fn to_text(self) -> String {
        let Casting { temperament, seed, seconds, .. } = self.casting;
        let temperament = match temperament {
            Temperament::Calm => "calm",
            Temperament::Fierce => "fierce",
        };
        format!("{} {temperament} {seed} {seconds}", self.builtin)
    }
}

/// Changes with the code that performs and analyses.
const CODE: &str = env!("RANDORI_CODE");

/// How a performance is to be analysed.
pub fn settings_of(performance: &Performance, discipline: Discipline) -> analyse::Settings {
    analyse::Settings { weapon: performance.body.weapon, ..analyse::Settings::of(discipline) }
}

/// A take with what the analyser found in it.
pub fn recording(clip: randori_motion::Clip, analysis: Analysis) -> Recording {
    let [left, right] = analysis.contacts.feet;
    Recording { clip, standing: [left.down, right.down], segments: analysis.segments }
}

/// Opens `builtin:NAME` or a file.
///
/// ```no_run
/// let library = randori::libraries::open("builtin:boxing")?;
/// println!("{} actions", library.actions().len());
/// # Ok::<(), randori::libraries::OpenError>(())
/// ```
pub fn open(name: &str) -> Result<ActionLibrary, OpenError> {
    if name.starts_with("builtin:") {
        return Builtin::from_name(name)?.open();
    }
    let path = Path::new(name);
    let bytes = files::read(path)?;
    ActionLibrary::from_bytes(&bytes).map_err(|error| OpenError::Library { path: path.to_owned(), error })
}

/// Where built-in libraries are kept: `RANDORI_CACHE`, or the system's folder for caches.
pub fn cache_folder() -> Option<PathBuf> {
    let own = std::env::var_os("RANDORI_CACHE").map(PathBuf::from);
    own.or_else(|| dirs::cache_dir().map(|folder| folder.join("randori")))
}

/// The names, those most like `name` first.
pub fn nearest_first(name: &str, mut names: Vec<String>) -> Vec<String> {
    names.sort_by_key(|known| (strsim::damerau_levenshtein(name, known), known.clone()));
    names
}
