//! What viewers ask, and what comes of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use randori_motion::{Annotation, Ground};
use randori_scene::director::Director;
use randori_scene::screenplay::{Checkpoint, Screenplay, Turn};
use serde_json::{Value, json};

use super::{Order, Session, Work};
use crate::film::Film;
use crate::game::Rival;
use crate::hero::{self, Wish};
use crate::protocol::{Ask, Side, Tell};
use crate::rehearsal::{self, DEEPEST, Export, Question};
use crate::{bodies, edits, wits};

impl Session {
    /// Does what a viewer asks, or says why not.
    pub(super) fn answer(&mut self, ask: Ask) -> Result<(), String> {
        match ask {
            Ask::Open { scene } => {
                if !self.surroundings.supply.scenes().contains(&scene) {
                    return Err(format!("no scene \"{scene}\" was named"));
                }
                let scene = self.surroundings.supply.scene(&scene)?;
                self.open(scene)?;
            }
            Ask::Wits { game, agent, opponent, seed } => {
                self.open(wits::scene(&game, &agent, &opponent, seed)?)?;
            }
            Ask::Hero { plan, seed } => self.open(hero::scene(&plan, seed)?)?,
            Ask::OpenFile { file } => {
                if !self.surroundings.supply.files().contains(&file) {
                    return Err(format!("no file \"{file}\" was named"));
                }
                let supply = Arc::clone(&self.surroundings.supply);
                self.cancel();
                self.spawn(&format!("reading {file}"), move |_| {
                    supply.file(&file).map(|take| Work::Loaded(Box::new(take)))
                })?;
            }
            Ask::Play { on } => self.clock.run(on, self.film.as_ref()),
            Ask::Seek { t } => {
                let end = self.film.as_ref().map_or(0.0, Film::ready);
                self.clock.go_to(t.clamp(0.0, end));
            }
            Ask::Speed { rate } if (0.05..=4.0).contains(&rate) => self.clock.speed(rate),
            Ask::Speed { rate } => return Err(format!("expected a speed from 0.05 to 4, found {rate}")),
            Ask::Loop { on } => self.clock.loops = on,
            Ask::Rewind { at } => {
                let at = self.in_scene(at)?;
                edits::rewind(self.scene_mut()?, at);
                hero::rewind(self.scene_mut()?, at);
                self.clock.go_to(at);
                self.rehearse(edits::moment(at))?;
            }
            Ask::Save => {
                let scene = self.scene.as_ref().ok_or("there is no scene to save, only a take")?;
                let name = format!("{}.toml", rehearsal::file_name(&scene.name));
                let bytes = scene.to_toml().into_bytes();
                self.hand_over(vec![Export { name, media: "application/toml", bytes }]);
            }
            Ask::Export { format } => self.export(format)?,
            Ask::Explain { t, who, depth } => {
                if depth.is_some_and(|depth| !(1..=DEEPEST).contains(&depth)) {
                    return Err(format!("expected a depth from 1 to {DEEPEST}"));
                }
                let job = self.known_job()?;
                self.explained.store(true, Ordering::Relaxed);
                self.explained = Arc::new(AtomicBool::new(false));
                let is_over = Arc::clone(&self.explained);
                let (own, number) = (self.own.clone(), self.job);
                self.spawn(&format!("explaining {who} at {t:.2} s"), move |_| {
                    let question = Question { who, t, depth, is_over };
                    let tell = |told: Value| {
                        let work = Work::Told(Box::new(Tell::Explained(told)));
                        if !question.is_over.load(Ordering::Relaxed) {
                            own.send(Order::Work(number, work)).ok();
                        }
                    };
                    rehearsal::explain(&job, &question, &tell)?;
                    let is_over = question.is_over.load(Ordering::Relaxed);
                    Ok(if is_over { Work::Played } else { Work::Explained })
                })?;
            }
            Ask::Pin => {
                let film = self.film.clone().ok_or("there is no take to keep")?;
                self.tell(&Tell::Take(film.told(1)));
                self.pinned = Some(film);
            }
            Ask::Unpin => {
                self.pinned = None;
                self.tell(&Tell::Take(json!({ "picture": 1, "none": true })));
            }
            Ask::Match { discipline, rival, depth, style } => {
                let rival = Rival::new(&discipline, &rival, depth, &style)?;
                let scene = rival.scene()?;
                let supply = Arc::clone(&self.surroundings.supply);
                self.cancel();
                self.spawn("getting the bout ready", move |say| {
                    let libraries = supply.libraries(&scene, say)?;
                    let director = || Director::new(&scene, &libraries).map_err(|error| error.to_string());
                    // Once for nothing, so that all is made that is made on first use.
                    let mut trial = director()?;
                    while trial.now() < 2.0 && trial.step() {}
                    Ok(Work::Bout(Box::new(director()?), rival))
                })?;
            }
            Ask::Bodies { scenario } => {
                let scenario = bodies::build(&scenario)?;
                self.cancel();
                self.spawn("getting the bodies ready", move |_| Ok(Work::Bodies(Box::new(scenario))))?;
            }
            Ask::Rival { .. } | Ask::Key { .. } | Ask::End => return Err("there is no bout".to_owned()),
            Ask::Input { .. } => return Err("there is no scenario".to_owned()),
            edit => return self.edit(edit),
        }
        self.tell(&Tell::Clock(self.clock.told()));
        Ok(())
    }

    /// Plays a scene from its beginning.
    fn open(&mut self, scene: Screenplay) -> Result<(), String> {
        self.cancel();
        (self.libraries, self.film, self.report, self.took) = (None, None, Value::Null, None);
        (self.scene, self.happenings) = (Some(scene), Arc::new(Vec::new()));
        self.clock.begin();
        self.rehearse(0.0)
    }

    /// Changes the scene, and plays it again from where it changes.
    fn edit(&mut self, ask: Ask) -> Result<(), String> {
        let take = self.film.as_ref().map(|film| Arc::clone(&film.take));
        let mut scene = self.scene_mut()?.clone();
        let at = match ask {
            Ask::Start { who, x, z } => {
                edits::start(&mut scene, &who, Ground { x, z })?;
                0.0
            }
            Ask::Checkpoint { who, number, x, z, time, require, at } => {
                let at = self.in_scene(at)?;
                let require: Result<Vec<Annotation>, _> =
                    require.iter().map(|name| Annotation::new(name)).collect();
                let require = require.map_err(|error| error.to_string())?;
                let new = Checkpoint { time, require, ..Checkpoint::new(Ground { x, z }) };
                edits::path(&mut scene, take.as_deref(), &who, at, |path| {
                    edits::set_checkpoint(path, number, new)
                })?;
                at
            }
            Ask::RemoveCheckpoint { who, number, at } => {
                let at = self.in_scene(at)?;
                edits::path(&mut scene, take.as_deref(), &who, at, |path| {
                    edits::remove_checkpoint(path, number)
                })?;
                at
            }
            Ask::Style { who, style, at } => {
                let at = self.in_scene(at)?;
                edits::style(&mut scene, &who, &style, at)?;
                at
            }
            Ask::Weight { who, weight, value, at } => {
                let at = self.in_scene(at)?;
                edits::weight(&mut scene, &who, &weight, value, at)?;
                at
            }
            Ask::Controller { who, controller, at } => {
                let at = self.in_scene(at)?;
                edits::controller(&mut scene, &who, &controller, at)?;
                at
            }
            Ask::Command { actions, direction, turn, at } => {
                // A command whose time has come before anybody heard of it would change what was seen already.
                let soonest =
                    self.clock.t + if self.clock.is_running() { hero::notice(self.took) } else { 0.0 };
                let at = self.in_scene(at.unwrap_or_else(|| soonest.min(scene.seconds - 0.1)))?;
                let turn = turn.map(|side| if side == Side::Left { Turn::Left } else { Turn::Right });
                hero::ask(&mut scene, at, Wish { actions, direction, turn })?
            }
            _ => return Err("this cannot be done now".to_owned()),
        };
        scene.validate().map_err(|error| error.to_string())?;
        let needs_graph = |scene: &Screenplay| -> Vec<String> {
            scene
                .expanded()
                .into_iter()
                .filter(|role| scene.plays_on_graph(&role.name))
                .map(|it| it.name)
                .collect()
        };
        if self.scene.as_ref().is_some_and(|old| needs_graph(old) != needs_graph(&scene)) {
            self.libraries = None;
        }
        self.scene = Some(scene);
        self.rehearse(if at * 60.0 < 1.0 { 0.0 } else { edits::moment(at) })
    }
}
