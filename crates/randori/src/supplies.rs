//! All that scenes are played with: libraries, graphs, patches and values, opened or made on first use, and kept while the
//! program runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Context, bail};
use randori::libraries::{self, Builtin};
use randori::rivals::{self, VALUES_SEED, VALUES_SIZE, Variant, Which};
use randori::{graphs, patch_sets};
use randori_actor::Casting;
use randori_interaction_graph::build::Phase as GraphPhase;
use randori_motion::ActionLibrary;
use randori_patches::making::Phase as PatchPhase;
use randori_scene::director::{Libraries, area, library_key, patches_key, rivals_key};
use randori_scene::screenplay::{RivalGame, Rivalry, Role, Screenplay};
use randori_tactics::wits::Taught;

use crate::progress::Progress;

/// Somebody who wants to know what takes so long.
pub(crate) trait Listener {
    /// Hears that something begins, and how much of it is done from time to time.
    fn hear(&self, what: &'static str) -> Box<dyn Fn(usize, usize) + Sync + '_>;
}

impl Listener for Progress {
    fn hear(&self, what: &'static str) -> Box<dyn Fn(usize, usize) + Sync + '_> {
        let job = self.job(what);
        Box::new(move |done, all| job.step(done, all))
    }
}

/// What was opened so far.
#[derive(Default)]
pub(crate) struct Supplies {
    /// All of it, for directors.
    pub(crate) libraries: Libraries,
    opened: BTreeMap<String, Opened>,
    has_tag: bool,
}

/// A library that was opened.
struct Opened {
    library: Arc<ActionLibrary>,
    has_graph: bool,
    /// Keys of its patches.
    patches: Vec<String>,
}

impl Supplies {
    /// Opens all that a scene needs and that is not open yet; `picture` reads a picture that the scene names.
    pub(crate) fn gather(
        &mut self,
        scene: &Screenplay,
        picture: &dyn Fn(&str) -> anyhow::Result<Vec<u8>>,
        listener: &dyn Listener,
    ) -> anyhow::Result<()> {
        if let Some(wanted) = &scene.rivals {
            return self.gather_rivals(wanted, VALUES_SIZE, listener);
        }
        if scene.plays_with_wits() && !self.has_tag {
            let step = listener.hear("learning");
            self.libraries.add_tag(rivals::tag(&mut |done, all| step(done, all))?);
            self.has_tag = true;
        }
        for role in scene.expanded() {
            let key = library_key(scene, &role);
            if !self.opened.contains_key(&key) {
                let _told = listener.hear("library");
                let library = library_of(scene, &role)
                    .with_context(|| format!("the library of \"{}\" in scene {}", role.name, scene.name))?;
                let library = Arc::new(library);
                self.libraries.add(&key, Arc::clone(&library));
                self.opened.insert(key.clone(), Opened { library, has_graph: false, patches: Vec::new() });
            }
            if scene.plays_on_graph(&role.name)
                && let Some(opened) = self.opened.get_mut(&key).filter(|opened| !opened.has_graph)
            {
                let (samples, edges) = (listener.hear("samples"), listener.hear("edges"));
                let graph = graphs::open(&opened.library, &|phase, done, all| match phase {
                    GraphPhase::Samples => samples(done, all),
                    GraphPhase::Edges => edges(done, all),
                })?;
                self.libraries.add_graph(&key, graph);
                opened.has_graph = true;
            }
        }
        if let Some(floor) = scene.patches.as_ref().and_then(|patchwork| patchwork.floor.as_ref()) {
            let filled = area(&picture(&floor.file)?, floor.pixel).with_context(|| floor.file.clone())?;
            self.libraries.add_area(&floor.file, Arc::new(filled));
        }
        if let (Some(patchwork), Some(role)) = (&scene.patches, scene.characters.first())
            && let Some(opened) = self.opened.get_mut(&library_key(scene, role))
        {
            let key = patches_key(scene, patchwork);
            if !opened.patches.contains(&key) {
                let (patterns, tables) = (listener.hear("patterns"), listener.hear("tables"));
                let step = |phase, done, all| match phase {
                    PatchPhase::Patterns => patterns(done, all),
                    PatchPhase::Tables => tables(done, all),
                };
                self.libraries
                    .add_patches(&key, patch_sets::open(&opened.library, &patchwork.patterns, &step)?);
                opened.patches.push(key);
            }
        }
        Ok(())
    }

    /// Opens all that a scene of rivals needs, with values of this size.
    pub(crate) fn gather_rivals(
        &mut self,
        wanted: &Rivalry,
        size: &str,
        listener: &dyn Listener,
    ) -> anyhow::Result<()> {
        let key = rivals_key(wanted);
        if self.libraries.rivals(&key).is_some() {
            return Ok(());
        }
        let which = match wanted.game {
            RivalGame::Tag => Which::Tag,
            RivalGame::Sword => Which::Sword,
        };
        let game = rivals::game(&Variant { which, look_ahead: wanted.look_ahead, giant: wanted.giant })?;
        let step = listener.hear("learning");
        let values = rivals::open(&game, size, VALUES_SEED, &mut |done, all| step(done, all))?;
        self.libraries.add_rivals(&key, Arc::new(Taught { game, values }));
        Ok(())
    }
}

fn library_of(scene: &Screenplay, role: &Role) -> anyhow::Result<ActionLibrary> {
    let Some(name) = scene.library_of(role) else {
        bail!("no library is named; for instance builtin:boxing")
    };
    match role.build {
        None => Ok(libraries::open(name)?),
        Some(build) if name.starts_with("builtin:") => {
            let builtin = Builtin::from_name(name)?;
            Ok(builtin.make(&Casting { build, ..builtin.casting() })?)
        }
        Some(_) => {
            bail!("a build can be asked of built-in libraries only; {name} is a file of its own person")
        }
    }
}
