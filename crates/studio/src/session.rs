//! A session: one stage that some viewers look at together, in a thread of its own.
//!
//! The thread keeps the clock and answers what viewers ask. What takes longer is done by [`rehearsal`] in further threads,
//! which report back. A session that crashes takes nobody with it but its own viewers.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use axum::extract::ws::Utf8Bytes;
use randori_arena::bout::Happening;
use randori_motion::{Annotation, Ground, Take};
use randori_scene::director::{Director, Libraries};
use randori_scene::screenplay::{Checkpoint, Screenplay};
use randori_wholebody::scenario::Scenario;
use serde_json::{Value, json};

use crate::bodies::{self, Heard, Onlookers};
use crate::downloads::Downloads;
use crate::film::Film;
use crate::game::{self, Audience, Input, Rival};
use crate::outbox::Outbox;
use crate::protocol::{Ask, Tell};
use crate::rehearsal::{self, Export, Job, Progress};
use crate::supply::Supply;
use crate::{clock, edits};

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
        version: 1,
        shown: None,
        awaited: None,
        rival: None,
    };
    // Viewers must hear of a crash, so the session itself outlives it.
    let crashed = catch_unwind(AssertUnwindSafe(|| session.work(orders))).is_err();
    session.is_cancelled.store(true, Ordering::Relaxed);
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
    /// Of the next film.
    version: u32,
    /// The time and the versions of what was shown last.
    shown: Option<(f64, u32, u32)>,
    /// From when on (s) the scene is played again once its libraries are there.
    awaited: Option<f64>,
    /// The rival of the bout under way.
    rival: Option<Rival>,
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
                    self.rival = None;
                    if next.is_none() {
                        return;
                    }
                }
                Ok(Order::Work(job, Work::Bodies(scenario))) if job == self.job => {
                    (self.film, self.scene, self.pinned) = (None, None, None);
                    let version = self.next_version(1);
                    self.tell(&Tell::Status(json!({ "words": "" })));
                    next = bodies::run(*scenario, orders, self, version);
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
        }
        for (picture, film) in [(0, &self.film), (1, &self.pinned)] {
            if let Some(film) = film {
                say(&outbox, &Tell::Take(film.told(picture)));
            }
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

    fn answer(&mut self, ask: Ask) -> Result<(), String> {
        match ask {
            Ask::Open { scene } => {
                if !self.surroundings.supply.scenes().contains(&scene) {
                    return Err(format!("no scene \"{scene}\" was named"));
                }
                let scene = self.surroundings.supply.scene(&scene)?;
                self.cancel();
                (self.libraries, self.film, self.report) = (None, None, Value::Null);
                (self.scene, self.happenings) = (Some(scene), Arc::new(Vec::new()));
                self.clock.begin();
                self.rehearse(0.0)?;
            }
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
            Ask::Explain { t, who } => {
                let job = self.known_job()?;
                self.spawn(&format!("explaining {who} at {t:.2} s"), move |_| {
                    let told = rehearsal::explain(&job, &who, t)?;
                    Ok(Work::Told(Box::new(Tell::Explained(told))))
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
            rehearsal::play(&job, &show).map(|_| Work::Played)
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
                self.libraries = Some(*libraries);
                let until = self.awaited.take().unwrap_or(0.0);
                if let Err(words) = self.rehearse(until) {
                    self.tell(&Tell::error(words));
                }
            }
            Work::Progress(Progress { film, happenings, report }) => {
                let (ready, seconds, is_done) = (film.ready(), film.seconds, film.is_done);
                (self.film, self.happenings) = (Some(film), happenings);
                self.report = report.unwrap_or(Value::Null);
                self.tell_film();
                let words =
                    if is_done { String::new() } else { format!("playing {ready:.0} of {seconds:.0} s") };
                self.tell(&Tell::Status(json!({ "words": words, "report": self.report })));
            }
            Work::Played => {}
            Work::Told(tell) => {
                self.tell(&tell);
                if matches!(*tell, Tell::Explained(_)) {
                    self.tell(&Tell::Status(json!({ "words": "" })));
                }
            }
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

impl Audience<Order> for Session {
    fn sort(&mut self, order: Order) -> Input<Order> {
        match order {
            Order::Ask(_, Ask::Key { key, down }) => Input::Key(key, down),
            Order::Ask(id, Ask::Rival { depth, style }) => {
                let changed = self.rival.as_ref().map(|rival| rival.changed(depth, &style));
                match changed {
                    Some(Ok(rival)) => {
                        self.rival = Some(rival.clone());
                        Input::Rival(rival)
                    }
                    Some(Err(words)) => {
                        self.tell_one(id, &Tell::error(words));
                        Input::Nothing
                    }
                    None => Input::Nothing,
                }
            }
            Order::Ask(_, Ask::End) => Input::Other(Order::Work(0, Work::Played)),
            Order::Ask(id, ask) if ends_live(&ask) => Input::Other(Order::Ask(id, ask)),
            Order::Ask(id, _) => {
                self.tell_one(id, &Tell::error("this is not for a bout; end it first"));
                Input::Nothing
            }
            Order::Drop(..) => Input::Other(order),
            Order::Join(..) => {
                self.handle(order);
                Input::Nothing
            }
            Order::Leave(..) => {
                self.handle(order);
                if self.viewers.is_empty() {
                    Input::Other(Order::Work(0, Work::Played))
                } else {
                    Input::Nothing
                }
            }
            Order::Work(..) => Input::Nothing,
        }
    }

    fn show(&mut self, frame: Vec<u8>) {
        let frame: Bytes = frame.into();
        for outbox in self.viewers.values() {
            outbox.show(0, frame.clone());
        }
    }

    fn tell_people(&mut self, take: Value) {
        self.tell(&Tell::Scene(Value::Null));
        self.tell(&Tell::Take(take));
    }

    fn tell_score(&mut self, score: Value) {
        self.tell(&Tell::Score(score));
    }
}

/// Whether something is asked that ends a bout or a scenario.
fn ends_live(ask: &Ask) -> bool {
    matches!(ask, Ask::Open { .. } | Ask::OpenFile { .. } | Ask::Match { .. } | Ask::Bodies { .. })
}

impl Onlookers<Order> for Session {
    fn sort(&mut self, order: Order) -> Heard<Order> {
        match order {
            Order::Ask(id, Ask::Input { name, value }) => match bodies::setting(&value) {
                Ok(value) => Heard::Set(name, value),
                Err(words) => {
                    self.tell_one(id, &Tell::error(words));
                    Heard::Nothing
                }
            },
            // All else is as in a bout, without the player.
            order => match Audience::sort(self, order) {
                Input::Other(order) => Heard::Other(order),
                Input::Key(..) | Input::Rival(_) | Input::Nothing => Heard::Nothing,
            },
        }
    }

    fn show(&mut self, frame: Vec<u8>) {
        Audience::show(self, frame);
    }

    fn tell_take(&mut self, take: Value) {
        self.tell_people(take);
    }

    fn tell_state(&mut self, state: Value) {
        self.tell(&Tell::Bodies(state));
    }

    fn complain(&mut self, words: String) {
        self.tell(&Tell::error(words));
    }
}

/// The clock that viewers look at.
struct Clock {
    t: f64,
    runs: bool,
    rate: f64,
    loops: bool,
    /// When it was looked at last.
    since: Instant,
}

impl Clock {
    fn new() -> Clock {
        Clock { t: 0.0, runs: false, rate: 1.0, loops: true, since: clock::now() }
    }

    fn begin(&mut self) {
        (self.t, self.runs, self.since) = (0.0, true, clock::now());
    }

    fn run(&mut self, on: bool, film: Option<&Film>) {
        if on && film.is_some_and(|film| self.t >= film.ready()) {
            self.t = 0.0;
        }
        (self.runs, self.since) = (on, clock::now());
    }

    fn go_to(&mut self, t: f64) {
        (self.t, self.since) = (t, clock::now());
    }

    fn speed(&mut self, rate: f64) {
        self.rate = rate;
    }

    /// How long to wait for orders before the next picture.
    fn patience(&self) -> Duration {
        let frame = Duration::from_micros(16_667);
        if !self.runs {
            return Duration::from_millis(250);
        }
        frame.saturating_sub(clock::now().saturating_duration_since(self.since))
    }

    /// Moves on; says whether it stopped.
    fn tick(&mut self, film: &Film) -> bool {
        let now = clock::now();
        let elapsed = now.saturating_duration_since(self.since).as_secs_f64();
        if !self.runs {
            self.since = now;
            return false;
        }
        if elapsed < 0.015 {
            return false;
        }
        self.since = now;
        self.t += self.rate * elapsed.min(0.25);
        let end = film.ready();
        if self.t < end {
            return false;
        }
        if !film.is_done {
            // What comes next is not there yet.
            self.t = end;
            return false;
        }
        if self.loops && end > 0.0 {
            self.t = 0.0;
            return false;
        }
        (self.t, self.runs) = (end, false);
        true
    }

    fn told(&self) -> Value {
        json!({ "t": self.t, "runs": self.runs, "rate": self.rate, "loops": self.loops })
    }
}
