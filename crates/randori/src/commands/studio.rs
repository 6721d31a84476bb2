//! `randori studio`: everything in the browser.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, bail};
use randori_motion::Take;
use randori_motion::formats::Format;
use randori_scene::director::Libraries;
use randori_scene::files;
use randori_scene::screenplay::Screenplay;
use randori_studio::protocol::Ask;
use randori_studio::{Settings, Studio, Supply};
use serde::Serialize;

use crate::commands::run::read_scene;
use crate::output::Outcome;
use crate::progress::Progress;
use crate::source::{ImportArgs, Onto, take_of};
use crate::supplies::{Listener, Supplies};

/// Arguments of `randori studio`.
#[derive(Debug, clap::Args)]
pub(crate) struct StudioArgs {
    /// A scene file, or a scene or capture (.glb, .bvh) to look at; several may be named. Nothing else can be opened
    /// from the page but the scenes that come with the program.
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// The port to listen on; 0 takes any that is free.
    #[arg(long, default_value_t = 7878)]
    port: u16,

    /// Do not open the browser.
    #[arg(long)]
    no_open: bool,

    /// Let other machines in, at this address of this machine. Whoever reaches it can use the studio; there is no
    /// password.
    #[arg(long, value_name = "ADDRESS")]
    listen_beyond_loopback: Option<IpAddr>,
}

#[derive(Serialize)]
struct StudioReport {
    url: String,
}

/// Opens the studio and serves until it is stopped.
pub(crate) fn run(args: &StudioArgs, progress: &Progress) -> anyhow::Result<Outcome> {
    let mut shelf = Shelf::default();
    let mut first = None;
    for path in &args.files {
        let ask = shelf.add(path)?;
        first.get_or_insert(ask);
    }
    let ip = args.listen_beyond_loopback.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
    let settings = Settings {
        address: SocketAddr::new(ip, args.port),
        beyond_loopback: args.listen_beyond_loopback.is_some(),
        first,
        ..Settings::on_port(args.port)
    };
    serve(settings, shelf, args.no_open, progress)
}

/// Serves until somebody stops the program.
pub(crate) fn serve(
    settings: Settings,
    shelf: Shelf,
    no_open: bool,
    progress: &Progress,
) -> anyhow::Result<Outcome> {
    let studio = Studio::open(settings, Arc::new(shelf))?;
    let url = studio.url();
    progress.note(&format!("the studio is open at {url} (Ctrl-C closes it)"));
    if !no_open {
        // Without a browser there is still the address.
        open::that_detached(&url).ok();
    }
    studio.wait();
    Outcome::new(&StudioReport { url: url.clone() }, format!("{url}\n"))
}

macro_rules! shipped {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../../../scenes/", $name, ".toml")))),*]
    };
}

/// The scenes that come with the program.
const SHIPPED: [(&str, &str); 31] = shipped![
    "boxing-general",
    "boxing-in-vs-out",
    "boxing-infighters",
    "boxing-outboxers",
    "boxing-level4-vs-level2",
    "sword-duel",
    "chase",
    "chase-circle",
    "chase-two-on-one",
    "chase-crowd",
    "story-alley",
    "story-car",
    "formation-boxing",
    "formation-sword",
    "graph-boxing",
    "graph-style-switch",
    "graph-teams",
    "graph-carry",
    "graph-chase",
    "patches-one-one",
    "patches-one-one-commands",
    "patches-one-many",
    "patches-one-many-commands",
    "patches-football",
    "patches-football-commands",
    "patches-mouse",
    "patches-mouse-commands",
    "patches-dominoes",
    "patches-dominoes-commands",
    "tag",
    "sword-wits",
];

/// The pictures that those scenes name.
const SHIPPED_PICTURES: [(&str, &[u8]); 2] = [
    ("floor-r.png", include_bytes!("../../../../scenes/floor-r.png")),
    ("floor-ring.png", include_bytes!("../../../../scenes/floor-ring.png")),
];

/// What the studio may show: what was named, and what comes with the program.
#[derive(Default)]
pub(crate) struct Shelf {
    scenes: Vec<(String, Screenplay)>,
    files: Vec<(String, PathBuf)>,
    /// Pictures that scenes name, by the names of their files.
    pictures: BTreeMap<String, Vec<u8>>,
    supplies: Mutex<Supplies>,
}

/// A viewer who is told what takes so long.
struct Viewer<'a>(&'a dyn Fn(&str));

impl Listener for Viewer<'_> {
    fn hear(&self, what: &'static str) -> Box<dyn Fn(usize, usize) + Sync + '_> {
        (self.0)(&format!("getting ready ({what}): made on first use, which takes a while"));
        Box::new(|_, _| ())
    }
}

impl Shelf {
    /// Adds a scene file or a file with a take; says how to open it.
    pub(crate) fn add(&mut self, path: &Path) -> anyhow::Result<Ask> {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let end = path.extension().map(|end| end.to_string_lossy().to_ascii_lowercase());
        match end.as_deref() {
            Some("toml") => {
                let scene = read_scene(path)?;
                if let Some(floor) = scene.patches.as_ref().and_then(|patchwork| patchwork.floor.as_ref()) {
                    let picture = files::read(&path.with_file_name(&floor.file))?;
                    self.pictures.insert(floor.file.clone(), picture);
                }
                self.scenes.push((name.clone(), scene));
                Ok(Ask::Open { scene: name })
            }
            Some("glb" | "gltf" | "bvh" | "fbx" | "amc") => {
                if !path.is_file() {
                    bail!("{}: no such file", path.display());
                }
                self.files.push((name.clone(), path.to_owned()));
                Ok(Ask::OpenFile { file: name })
            }
            _ => bail!("{}: expected a scene (.toml), or a scene or capture (.glb, .bvh)", path.display()),
        }
    }
}

impl Supply for Shelf {
    fn scenes(&self) -> Vec<String> {
        let shipped = SHIPPED.iter().map(|(name, _)| (*name).to_owned());
        self.scenes.iter().map(|(name, _)| name.clone()).chain(shipped).collect()
    }

    fn scene(&self, name: &str) -> Result<Screenplay, String> {
        if let Some((_, scene)) = self.scenes.iter().find(|(known, _)| known == name) {
            return Ok(scene.clone());
        }
        let found = SHIPPED.iter().find(|(known, _)| *known == name);
        let (name, text) = found.ok_or_else(|| format!("there is no scene \"{name}\""))?;
        Screenplay::parse(&format!("{name}.toml"), text.as_bytes()).map_err(|error| error.to_string())
    }

    fn files(&self) -> Vec<String> {
        self.files.iter().map(|(name, _)| name.clone()).collect()
    }

    fn file(&self, name: &str) -> Result<Take, String> {
        let found = self.files.iter().find(|(known, _)| known == name);
        let (name, path) = found.ok_or_else(|| format!("there is no file \"{name}\""))?;
        let made = ImportArgs::default().load(path).and_then(|file| take_of(file, name, Onto::Own, None));
        made.map(|made| made.take).map_err(|error| format!("{error:#}"))
    }

    fn libraries(&self, scene: &Screenplay, say: &dyn Fn(&str)) -> Result<Libraries, String> {
        let mut supplies = self.supplies.lock().unwrap_or_else(PoisonError::into_inner);
        let picture = |name: &str| {
            let shipped =
                || SHIPPED_PICTURES.iter().find(|(known, _)| *known == name).map(|(_, it)| it.to_vec());
            self.pictures
                .get(name)
                .cloned()
                .or_else(shipped)
                .with_context(|| format!("{name}: no such picture"))
        };
        supplies.gather(scene, &picture, &Viewer(say)).map_err(|error| format!("{error:#}"))?;
        Ok(supplies.libraries.clone())
    }

    fn dropped(&self, name: &str, bytes: &[u8]) -> Result<Take, String> {
        let read = || {
            if !matches!(Format::detect(name, bytes), Some(Format::Gltf | Format::Bvh)) {
                bail!("{name}: expected a .glb or .bvh file");
            }
            // Whatever a dropped file refers to stays closed.
            let refuse = |uri: &str| Err(format!("{uri} is another file, and was not dropped in"));
            let file = ImportArgs::default().read(Path::new(name), bytes, &refuse)?;
            take_of(file, name, Onto::Own, None).map(|made| made.take)
        };
        read().map_err(|error| format!("{error:#}"))
    }
}
