//! A session: one stage that some viewers look at together, in a thread of its own.
//!
//! The thread keeps the clock and answers what viewers ask. What takes longer is done by [`rehearsal`] in further threads,
//! which report back. A session that crashes takes nobody with it but its own viewers.

mod asks;
mod live;
mod playhead;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::ws::Utf8Bytes;
use randori_arena::bout::Happening;
use randori_motion::Take;
use randori_scene::director::{Director, Libraries};
use randori_scene::screenplay::Screenplay;
use randori_wholebody::scenario::Scenario;
use serde_json::{Value, json};

use crate::bodies;
use crate::downloads::Downloads;
use crate::edits;
use crate::film::Film;
use crate::game::{self, Rival};
use crate::hero;
use crate::outbox::Outbox;
use crate::protocol::{Ask, Tell};
use crate::rehearsal::{self, Export, Job, Progress};
use crate::supply::Supply;
use crate::wits;
use playhead::Clock;

/// What reaches a session.
pub(crate) enum Order {
    /// Somebody comes to look.
    Join(u64, Arc<Outbox>),
    /// Somebody goes.
    Leave(u64),
    /// Somebody asks for something.
    Ask(u64, Ask),
    /// Somebody dropped in a file.
    Drop(u64, String, Vec<u8>),
    /// A thread got somewhere with what it was asked.
    Work(u64, Work),
}

/// What a thread got to.
pub(crate) enum Work {
    Ready(Box<Libraries>),
    Progress(Progress),
    Played,
    Told(Box<Tell>),
    Explained,
    Loaded(Box<Take>),
    Bout(Box<Director>, Rival),
    Bodies(Box<Scenario>),
    Files(Vec<Export>),
    Failed(String),
}

/// Orders that wait at most.
pub(crate) const ORDERS: usize = 1024;

/// Everything a session needs of the server.
pub(crate) struct Surroundings {
    pub(crate) name: String,
    pub(crate) supply: Arc<dyn Supply>,
    pub(crate) downloads: Arc<Downloads>,
    /// What is opened first: a scene or a file.
    pub(crate) first: Option<Ask>,
}

/// Runs a session until its last viewer is gone.
pub(crate) fn run(surroundings: Surroundings, orders: &Receiver<Order>, own: SyncSender<Order>) {
    let mut session = Session {
        surroundings,
        own,
        viewers: BTreeMap::new(),
        clock: Clock::new(),
        film: None,
        pinned: None,
        scene: None,
        libraries: None,
        happenings: Arc::new(Vec::new()),
        report: Value::Null,
        job: 0,
        is_cancelled: Arc::new(AtomicBool::new(false)),
        explained: Arc::new(AtomicBool::new(false)),
        version: 1,
        shown: None,
        took: None,
        awaited: None,
        rival: None,
        live: None,
    };
    // Viewers must hear of a crash, so the session itself outlives it.
    let crashed = catch_unwind(AssertUnwindSafe(|| session.work(orders))).is_err();
    session.is_cancelled.store(true, Ordering::Relaxed);
    session.explained.store(true, Ordering::Relaxed);
    for outbox in session.viewers.values() {
        if crashed {
            let words = "this session failed and has ended; others go on. Reload the page for a new one.";
            say(outbox, &Tell::error(words));
        }
        outbox.close();
    }
}

fn say(outbox: &Outbox, tell: &Tell) {
    let (kind, replaces) = tell.kind();
    outbox.say(kind, replaces, tell.text().into());
}

struct Session {
    surroundings: Surroundings,
    own: SyncSender<Order>,
    viewers: BTreeMap<u64, Arc<Outbox>>,
    clock: Clock,
    film: Option<Film>,
    pinned: Option<Film>,
    scene: Option<Screenplay>,
    libraries: Option<Libraries>,
    happenings: Arc<Vec<Happening>>,
    report: Value,
    /// The latest job; what earlier ones bring is not wanted any more.
    job: u64,
    is_cancelled: Arc<AtomicBool>,
    /// Set when what is being explained is not wanted any more.
    explained: Arc<AtomicBool>,
    /// Of the next film.
    version: u32,
    /// The time and the versions of what was shown last.
    shown: Option<(f64, u32, u32)>,
    /// How long the scene took to be put together the last time.
    took: Option<Duration>,
    /// From when on (s) the scene is played again once its libraries are there.
    awaited: Option<f64>,
    /// The rival of the bout under way.
    rival: Option<Rival>,
    /// Who is shown while a bout or a scenario is under way.
    live: Option<Value>,
}

impl Session {
    fn work(&mut self, orders: &Receiver<Order>) {
        let mut next: Option<Order> = None;
        loop {
            let order = match next.take() {
                Some(order) => Ok(order),
                None => orders.recv_timeout(self.clock.patience()),
            };
            match order {
                Ok(Order::Work(job, Work::Bout(director, rival))) if job == self.job => {
                    self.rival = Some(rival.clone());
                    (self.film, self.scene, self.pinned) = (None, None, None);
                    let version = self.next_version(1);
                    self.tell(&Tell::Status(json!({ "words": "" })));
                    next = game::run(*director, rival, orders, self, version);
                    (self.rival, self.live) = (None, None);
                    if next.is_none() {
                        return;
                    }
                }
                Ok(Order::Work(job, Work::Bodies(scenario))) if job == self.job => {
                    (self.film, self.scene, self.pinned) = (None, None, None);
                    let version = self.next_version(1);
                    self.tell(&Tell::Status(json!({ "words": "" })));
                    next = bodies::run(*scenario, orders, self, version);
                    self.live = None;
                    if next.is_none() {
                        return;
                    }
                }
                Ok(order) => {
                    self.handle(order);
                    // All that waits is heard before anything is shown.
                    while let Ok(order) = orders.try_recv() {
                        if matches!(order, Order::Work(_, Work::Bout(..) | Work::Bodies(_))) {
                            next = Some(order);
                            break;
                        }
                        self.handle(order);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            if self.viewers.is_empty() {
                return;
            }
            self.show();
        }
    }

    fn handle(&mut self, order: Order) {
        match order {
            Order::Join(id, outbox) => self.join(id, outbox),
            Order::Leave(id) => {
                self.viewers.remove(&id);
            }
            Order::Ask(id, ask) => {
                if let Err(words) = self.answer(ask) {
                    self.tell_one(id, &Tell::error(words));
                }
            }
            Order::Drop(id, name, bytes) => {
                let supply = Arc::clone(&self.surroundings.supply);
                self.cancel();
                let told = self.spawn(&format!("reading {name}"), move |_| {
                    supply.dropped(&name, &bytes).map(|take| Work::Loaded(Box::new(take)))
                });
                if let Err(words) = told {
                    self.tell_one(id, &Tell::error(words));
                }
            }
            Order::Work(job, work) if job == self.job => self.got(work),
            Order::Work(..) => {}
        }
    }

    fn join(&mut self, id: u64, outbox: Arc<Outbox>) {
        let supply = &self.surroundings.supply;
        let styles: Vec<&str> = randori_arena::style::PRESETS.iter().map(|(name, _)| *name).collect();
        say(
            &outbox,
            &Tell::Welcome(json!({
                "session": self.surroundings.name, "version": env!("CARGO_PKG_VERSION"), "scenes": supply.scenes(),
                "files": supply.files(), "styles": styles, "scenarios": bodies::names(),
            })),
        );
        let is_first = self.viewers.is_empty();
        self.viewers.insert(id, Arc::clone(&outbox));
        if let Some(scene) = &self.scene {
            say(&outbox, &Tell::Scene(edits::told(scene)));
            if let Some(libraries) = &self.libraries {
                say(&outbox, &Tell::Floor(json!({ "area": hero::floor(scene, libraries) })));
            }
        }
        for (picture, film) in [(0, &self.film), (1, &self.pinned)] {
            if let Some(film) = film {
                say(&outbox, &Tell::Take(film.told(picture)));
            }
        }
        if let Some(live) = &self.live {
            say(&outbox, &Tell::Take(live.clone()));
        }
        say(&outbox, &Tell::Clock(self.clock.told()));
        self.shown = None;
        if is_first
            && let Some(first) = self.surroundings.first.take()
            && let Err(words) = self.answer(first)
        {
            self.tell(&Tell::error(words));
        }
    }

    fn scene_mut(&mut self) -> Result<&mut Screenplay, String> {
        self.scene.as_mut().ok_or_else(|| "a take has nothing to direct; open a scene".to_owned())
    }

    /// A time (s) within the scene.
    fn in_scene(&self, at: f64) -> Result<f64, String> {
        let end = self.scene.as_ref().map_or(0.0, |scene| scene.seconds);
        if (0.0..=end).contains(&at) {
            Ok(at)
        } else {
            Err(format!("expected a time from 0 to {end} s, found {at}"))
        }
    }

    /// Nobody waits for what is being worked on any more.
    fn cancel(&mut self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
        self.is_cancelled = Arc::new(AtomicBool::new(false));
        self.job += 1;
        self.awaited = None;
    }

    fn next_version(&mut self, n: u32) -> u32 {
        let version = self.version;
        self.version += n;
        version
    }

    /// Plays the scene; before a time (s) it is as it was.
    fn rehearse(&mut self, until: f64) -> Result<(), String> {
        // Of two changes that wait, the earlier one counts.
        let until = self.awaited.map_or(until, |earlier| earlier.min(until));
        self.cancel();
        let scene = self.scene_mut()?.clone();
        self.tell(&Tell::Scene(edits::told(&scene)));
        let Some(libraries) = self.libraries.clone() else {
            self.awaited = Some(until);
            let supply = Arc::clone(&self.surroundings.supply);
            return self.spawn("getting the libraries ready", move |say| {
                supply.libraries(&scene, say).map(|libraries| Work::Ready(Box::new(libraries)))
            });
        };
        let job = Job {
            scene,
            libraries,
            recalled: Arc::clone(&self.happenings),
            until,
            // More than are ever shown on the way to the end of a scene.
            version: self.next_version(64),
            is_cancelled: Arc::clone(&self.is_cancelled),
        };
        let (own, number) = (self.own.clone(), self.job);
        self.spawn("playing", move |_| {
            let show = |progress: Progress| {
                own.send(Order::Work(number, Work::Progress(progress))).ok();
            };
            rehearsal::play(&job, &show)?;
            Ok(match wits::map(&job.scene, &job.libraries) {
                Some(map) => Work::Told(Box::new(Tell::Wits(map))),
                None => Work::Played,
            })
        })
    }

    /// The scene as it was played, for questions about it.
    fn known_job(&mut self) -> Result<Job, String> {
        let libraries =
            self.libraries.clone().ok_or("there is nothing to explain in a take without a scene")?;
        let scene = self.scene_mut()?.clone();
        let is_cancelled = Arc::clone(&self.is_cancelled);
        Ok(Job {
            scene,
            libraries,
            recalled: Arc::clone(&self.happenings),
            until: 0.0,
            version: 0,
            is_cancelled,
        })
    }

    fn export(&mut self, format: String) -> Result<(), String> {
        let film = self.film.as_ref().ok_or("there is no take to export")?;
        if !film.is_done {
            return Err("the take is not finished yet".to_owned());
        }
        let take = Arc::clone(&film.take);
        self.spawn(&format!("making a {format} file"), move |say| {
            let mut step = |done: usize, total: usize| {
                if done.is_multiple_of(20) {
                    say(&format!("drawing {done} of {total} pictures"));
                }
            };
            rehearsal::export(&take, &format, &mut step).map(Work::Files)
        })
    }

    /// Has a thread do something, and goes on meanwhile.
    fn spawn(
        &mut self,
        words: &str,
        work: impl FnOnce(&dyn Fn(&str)) -> Result<Work, String> + Send + 'static,
    ) -> Result<(), String> {
        self.tell(&Tell::Status(json!({ "words": words })));
        let (own, job) = (self.own.clone(), self.job);
        let task = move || {
            let send = |work: Work| own.send(Order::Work(job, work)).ok();
            let say = |words: &str| {
                send(Work::Told(Box::new(Tell::Status(json!({ "words": words })))));
            };
            let done = catch_unwind(AssertUnwindSafe(|| work(&say)));
            send(match done {
                Ok(Ok(work)) => work,
                Ok(Err(words)) => Work::Failed(words),
                Err(_) => Work::Failed("something went wrong inside; the scene is as it was".to_owned()),
            });
        };
        let spawned = std::thread::Builder::new().name("rehearsal".to_owned()).spawn(task);
        spawned.map(|_| ()).map_err(|error| format!("no thread to work in: {error}"))
    }

    /// A thread got somewhere.
    fn got(&mut self, work: Work) {
        match work {
            Work::Ready(libraries) => {
                if let Some(scene) = &self.scene {
                    self.tell(&Tell::Floor(json!({ "area": hero::floor(scene, &libraries) })));
                }
                self.libraries = Some(*libraries);
                let until = self.awaited.take().unwrap_or(0.0);
                if let Err(words) = self.rehearse(until) {
                    self.tell(&Tell::error(words));
                }
            }
            Work::Progress(Progress { film, happenings, report, took }) => {
                self.took = took.or(self.took);
                let (ready, seconds, is_done) = (film.ready(), film.seconds, film.is_done);
                (self.film, self.happenings) = (Some(film), happenings);
                self.report = report.unwrap_or(Value::Null);
                self.tell_film();
                let words =
                    if is_done { String::new() } else { format!("playing {ready:.0} of {seconds:.0} s") };
                self.tell(&Tell::Status(json!({ "words": words, "report": self.report })));
            }
            Work::Played => {}
            Work::Told(tell) => self.tell(&tell),
            Work::Explained => self.tell(&Tell::Status(json!({ "words": "" }))),
            Work::Loaded(take) => {
                (self.scene, self.libraries) = (None, None);
                let seconds = take.duration();
                let version = self.next_version(1);
                self.film = Some(Film::new(Arc::new(*take), version, seconds, true));
                self.clock.begin();
                self.tell(&Tell::Scene(Value::Null));
                self.tell_film();
                self.tell(&Tell::Status(json!({ "words": "" })));
                self.tell(&Tell::Clock(self.clock.told()));
            }
            Work::Files(files) => {
                self.hand_over(files);
                self.tell(&Tell::Status(json!({ "words": "" })));
            }
            Work::Failed(words) => {
                self.tell(&Tell::error(words));
                self.tell(&Tell::Status(json!({ "words": "" })));
            }
            // Taken care of where they are run.
            Work::Bout(..) | Work::Bodies(_) => {}
        }
    }

    fn hand_over(&mut self, files: Vec<Export>) {
        for file in files {
            let name = file.name.clone();
            let url = self.surroundings.downloads.keep(file);
            self.tell(&Tell::Download(json!({ "name": name, "url": url })));
        }
    }

    fn tell(&self, tell: &Tell) {
        let (kind, replaces) = tell.kind();
        let text: Utf8Bytes = tell.text().into();
        for outbox in self.viewers.values() {
            outbox.say(kind, replaces, text.clone());
        }
    }

    fn tell_one(&self, id: u64, tell: &Tell) {
        if let Some(outbox) = self.viewers.get(&id) {
            say(outbox, tell);
        }
    }

    fn tell_film(&mut self) {
        if let Some(film) = &self.film {
            self.tell(&Tell::Take(film.told(0)));
        }
    }

    /// Shows where everybody is now, if that is something new.
    fn show(&mut self) {
        let Some(film) = &self.film else { return };
        let ran = self.clock.tick(film);
        let t = self.clock.t;
        let now = (t, film.version, self.pinned.as_ref().map_or(0, |film| film.version));
        if self.shown == Some(now) {
            if ran {
                self.tell(&Tell::Clock(self.clock.told()));
            }
            return;
        }
        self.shown = Some(now);
        for (picture, film) in [(0, Some(film)), (1, self.pinned.as_ref())] {
            let Some(film) = film else { continue };
            let frame: Bytes = film.frame(picture, t.min(film.ready())).into();
            for outbox in self.viewers.values() {
                outbox.show(usize::from(picture), frame.clone());
            }
        }
        if ran {
            self.tell(&Tell::Clock(self.clock.told()));
        }
    }
}
