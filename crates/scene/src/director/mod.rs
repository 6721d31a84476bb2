//! The director: has a screenplay played, and hands over the take.
//!
//! People act by themselves on a [`Bout`]; the director tells them where to be and when, what to do there, who enters,
//! what changes with the story, and writes down what happened. Whatever it changes takes effect at the next decision.
//!
//! Reference: \[Shum2012\], section VIII-C.
//! Differs from the paper: between two checkpoints with times, the place that somebody is asked for moves along the line
//! between them, so that they arrive in time instead of running ahead and waiting.

mod area;
pub(crate) mod crew;
mod held;
mod patchwork;
mod report;
mod rivalry;
mod steering;
mod story;
mod take;
mod teamwork;
mod things;
mod way;

use std::collections::BTreeMap;
use std::sync::Arc;

use randori_arena::bodies::{Bodies, Rigid, TICKS_PER_SECOND};
use randori_arena::bout::{Bout, Happening, OtherBody, Pause};
use randori_arena::combination::Table;
use randori_arena::controller::Verdict;
use randori_arena::objectives::{Aims, Goal, Scoring};
use randori_arena::reactions::Reactions;
use randori_arena::stage::{Cast, Contest, Moment, Stage};
use randori_interaction_graph::background::Policies;
use randori_motion::annotation::Kind;
use randori_motion::clip::ClipError;
use randori_motion::{ActionId, ActionLibrary, Event, Ground, Placement, SkeletonError, Take};
use randori_patches::Patches;
use randori_patches::composing::floor::Floor;
use randori_tactics::wits::Taught;

use crate::screenplay::{Controller, Role, Screenplay, placements};
pub use area::{AreaError, area};
use crew::Knowledge;
pub use patchwork::{Composition, PatchReport, UsedReport, compose, patches_key};
pub use report::{CharacterReport, CheckpointReport, PartCounts, Report};
pub use rivalry::{RivalReport, contend, rivals_key};
pub(crate) use steering::off_line;
pub(crate) use story::KNOCK_DOWN;
use story::{Story, is_asked_for};
use teamwork::Captains;
use way::Way;

/// The impulse that knocks somebody down who has no poise of their own (N s): hard kicks do.
pub(crate) const POISE: f32 = 65.0;
/// The impulse that knocks somebody down of whom just that is asked (N s): almost any blow.
const ASKED_TO_FALL: f32 = 5.0;
/// How often the director looks (ticks).
const LOOK: i32 = 3;

/// Why a screenplay cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum DirectorError {
    /// A library was not brought along.
    #[error("{who} needs the library {library}, which is not there")]
    Library {
        /// Who.
        who: String,
        /// What.
        library: String,
    },
    /// An interaction graph was not brought along.
    #[error("{who} plays on the interaction graph of the library {library}, which is not there")]
    Graph {
        /// Who.
        who: String,
        /// The library.
        library: String,
    },
    /// Interaction patches were not brought along.
    #[error("the patches of the patterns {patterns} are not there")]
    Patches {
        /// The patterns.
        patterns: String,
    },
    /// A game of rivals was not brought along, or is to be played by others than its two.
    #[error("the game {game} of two rivals is not there")]
    Rivals {
        /// The game.
        game: &'static str,
    },
    /// The picture of an area was not brought along.
    #[error("the picture {picture} of the area to fill is not there")]
    Area {
        /// The file.
        picture: String,
    },
    /// A library has no actions, or not the one somebody starts with.
    #[error("the library {library} has no action \"{action}\", with which {who} starts")]
    Opening {
        /// Who.
        who: String,
        /// The library.
        library: String,
        /// The annotation.
        action: String,
    },
    /// The motion cannot be put together.
    #[error(transparent)]
    Clip(#[from] ClipError),
    /// Somebody cannot change to another library.
    #[error(transparent)]
    Body(#[from] OtherBody),
    /// A prop cannot be put together.
    #[error(transparent)]
    Prop(#[from] SkeletonError),
}

/// Libraries by the names under which a screenplay asks for them, ready to be played with.
#[derive(Clone, Debug, Default)]
pub struct Libraries {
    shelves: BTreeMap<String, Shelf>,
    patches: BTreeMap<String, Arc<Patches>>,
    areas: BTreeMap<String, Arc<Floor>>,
    rivals: BTreeMap<String, Arc<Taught>>,
    /// What those know who play with wits.
    tag: Option<Arc<Taught>>,
}

/// Has a scene played that is made at once, of patches or of rivals; `None` if people decide one by one, which is for a
/// [`Director`].
pub fn made_at_once(
    scene: &Screenplay,
    libraries: &Libraries,
) -> Result<Option<(Take, Report)>, DirectorError> {
    match compose(scene, libraries)? {
        Some(made) => Ok(Some(made)),
        None => contend(scene, libraries),
    }
}

/// A library with all that belongs to it.
#[derive(Clone, Debug)]
struct Shelf {
    bodies: Arc<Bodies>,
    reactions: Arc<Reactions>,
    graph: Option<Arc<Policies>>,
}

impl Libraries {
    /// Brings a library along.
    pub fn add(&mut self, name: &str, library: Arc<ActionLibrary>) {
        let bodies = Arc::new(Bodies::of(Arc::clone(&library)));
        let shelf = Shelf { bodies, reactions: Arc::new(Reactions::of(library)), graph: None };
        self.shelves.insert(name.to_owned(), shelf);
    }

    /// Brings along the interaction graph of a library that is there.
    pub fn add_graph(&mut self, name: &str, graph: Arc<Policies>) {
        if let Some(shelf) = self.shelves.get_mut(name) {
            shelf.graph = Some(graph);
        }
    }

    /// Brings interaction patches along, under their [key](patches_key).
    pub fn add_patches(&mut self, key: &str, patches: Arc<Patches>) {
        self.patches.insert(key.to_owned(), patches);
    }

    /// Brings an area of the floor along, under the name of its picture.
    pub fn add_area(&mut self, picture: &str, area: Arc<Floor>) {
        self.areas.insert(picture.to_owned(), area);
    }

    /// Brings a game of rivals along, under its [key](rivals_key).
    pub fn add_rivals(&mut self, key: &str, taught: Arc<Taught>) {
        self.rivals.insert(key.to_owned(), taught);
    }

    /// Brings along what those know who play tag with wits.
    pub fn add_tag(&mut self, taught: Arc<Taught>) {
        self.tag = Some(taught);
    }

    /// An area of the floor that was brought along, by the name of its picture.
    pub fn area(&self, picture: &str) -> Option<&Arc<Floor>> {
        self.areas.get(picture)
    }

    /// A game of rivals that was brought along, by its [key](rivals_key).
    pub fn rivals(&self, key: &str) -> Option<&Arc<Taught>> {
        self.rivals.get(key)
    }

    /// Whether a library is there.
    pub fn has(&self, name: &str) -> bool {
        self.shelves.contains_key(name)
    }
}

/// The name under which the library of a role is to be [brought along](Libraries::add): with the build, if it has one.
pub fn library_key(scene: &Screenplay, role: &Role) -> String {
    let name = scene.library_of(role).unwrap_or_default();
    role.build.map_or_else(|| name.to_owned(), |build| format!("{name} {build:?}"))
}

/// A screenplay under way.
pub struct Director {
    /// The bout: aims, controllers and people may be changed between two [steps](Director::step).
    pub bout: Bout,
    scene: Screenplay,
    roles: Vec<Role>,
    starts: Vec<Placement>,
    /// What each could look things up in.
    graphs: Vec<Option<Arc<Policies>>>,
    tag: Option<Arc<Taught>>,
    ways: Vec<Way>,
    /// How long an action of each takes on average (s).
    strides: Vec<f64>,
    story: Story,
    events: Vec<Event>,
    report: Report,
    /// Happenings that were already looked at.
    seen: usize,
    /// The tick of the last look.
    looked: i32,
    /// Whose part is over.
    dismissed: Vec<bool>,
    /// Where those who carry something were last asked to go to get out of the way.
    steered: Vec<Option<Goal>>,
    /// Which way two who carry something get out of the way of a thing, by the first of them.
    ways_out: Vec<Option<Ground>>,
    /// Who chooses formations, if anybody does.
    captains: Option<Captains>,
    end: i32,
    /// Decisions that are known from an earlier run, by tick and place in the cast.
    known: BTreeMap<(i32, usize), Verdict>,
    /// Tells the time (s), for the report; the director has no clock of its own.
    pub clock: Option<Box<dyn Fn() -> f64 + Send>>,
}

impl Director {
    /// Everybody in place.
    pub fn new(scene: &Screenplay, libraries: &Libraries) -> Result<Director, DirectorError> {
        if let Some(rivals) = &scene.rivals {
            return Err(DirectorError::Rivals { game: rivals.game.name() });
        }
        if scene.plays_with_wits() && libraries.tag.is_none() {
            return Err(DirectorError::Rivals { game: "tag" });
        }
        let roles = scene.expanded();
        let starts = placements(&roles);
        let mut teams: Vec<&str> = Vec::new();
        let mut cast = Vec::new();
        let mut graphs = Vec::new();
        for role in &roles {
            let team = teams.iter().position(|team| *team == role.team).unwrap_or_else(|| {
                teams.push(&role.team);
                teams.len() - 1
            });
            let library = library_key(scene, role);
            let Some(Shelf { bodies, reactions, graph }) = libraries.shelves.get(&library) else {
                return Err(DirectorError::Library { who: role.name.clone(), library });
            };
            if graph.is_none() && scene.plays_on_graph(&role.name) {
                return Err(DirectorError::Graph { who: role.name.clone(), library });
            }
            graphs.push(graph.clone());
            cast.push(Cast {
                bodies: Arc::clone(bodies),
                reactions: Some(Arc::clone(reactions)),
                side: team as u8,
                poise: role.poise.unwrap_or(POISE),
            });
        }
        let is_chase = roles.iter().any(|role| role.style.starts_with("chaser"));
        let contest = if is_chase { Contest::Chase } else { Contest::Fight };
        let stage = Stage { cast, contest };
        let openings = (roles.iter().enumerate())
            .map(|(who, role)| opening(scene, role, &stage.cast[who].bodies, who))
            .collect::<Result<Vec<ActionId>, DirectorError>>()?;
        let there = |who: usize| !roles[who].waits && roles[who].enter <= 0.0;
        let people: Vec<Option<(ActionId, Rigid)>> =
            (0..roles.len()).map(|who| there(who).then(|| (openings[who], Rigid::of(starts[who])))).collect();
        let moment = Moment::opening(&stage, 0, &people);
        let mut table = Table::of_known_words();
        for record in &scene.combination {
            table.amend(record.own.clone(), record.other.clone(), record.suitability);
        }
        let table = Arc::new(table);
        let aims = (roles.iter().enumerate()).map(|(who, role)| {
            let mut aims = Aims::of(role.objective(), opponent_of(&roles, who), &table);
            aims.scoring = if is_chase { Scoring::Catch } else { Scoring::Damage };
            aims.staged = crew::is_staged(&role.controller);
            if let Some(teamwork) = &scene.teamwork {
                aims.style.path_weight = teamwork.weight;
            }
            aims
        });
        let aims: Vec<Aims> = aims.collect();
        let controllers = (roles.iter().zip(&graphs).enumerate()).map(|(who, (role, graph))| {
            let knows =
                Knowledge { graph: graph.as_ref(), tag: libraries.tag.as_ref(), n_people: roles.len() };
            crew::hired(&role.controller, scene.seed, who, knows)
        });
        let strides = stage.cast.iter().map(|cast| stride(cast.bodies.library())).collect();
        let bout = Bout::new(stage, moment, aims, controllers.collect(), (0..roles.len()).collect());
        let ways = roles.iter().map(|role| Way::of(&role.path, role.at, role.enter)).collect();
        Ok(Director {
            bout,
            tag: libraries.tag.clone(),
            ways,
            strides,
            story: Story::of(scene, &openings, &roles),
            events: Vec::new(),
            report: Report::of(scene, &roles),
            seen: 0,
            looked: 0,
            dismissed: vec![false; roles.len()],
            steered: vec![None; roles.len()],
            ways_out: vec![None; roles.len()],
            captains: scene.teamwork.as_ref().map(|work| Captains::of(work, &roles)),
            end: (scene.seconds * f64::from(TICKS_PER_SECOND)).round() as i32,
            known: BTreeMap::new(),
            clock: None,
            scene: scene.clone(),
            graphs,
            starts,
            roles,
        })
    }

    /// The time of the scene (s).
    pub fn now(&self) -> f64 {
        seconds(self.bout.moment.tick)
    }

    /// When the scene ends, as far as is known (s).
    pub fn end(&self) -> f64 {
        seconds(self.end)
    }

    /// Plays to the next decision, or for a few ticks; `false` when the scene is over.
    pub fn step(&mut self) -> bool {
        match self.pause() {
            Some(Pause::Decision(who)) => {
                self.decide(who);
                true
            }
            Some(Pause::Limit) => true,
            None => false,
        }
    }

    /// The first half of a [step](Director::step): up to where somebody decides, who has been told what to aim at; or for
    /// a few ticks. `None` when the scene is over.
    pub fn pause(&mut self) -> Option<Pause> {
        self.look();
        let tick = self.bout.moment.tick;
        if tick >= self.end {
            return None;
        }
        let pause = self.bout.advance((tick / LOOK * LOOK + LOOK).min(self.end));
        if let Pause::Decision(who) = pause {
            self.look();
            self.prepare(who);
        }
        Some(pause)
    }

    /// The second half: has somebody decide, for whom it [paused](Director::pause).
    pub fn decide(&mut self, who: usize) {
        let known = self.known.remove(&(self.bout.moment.tick, who)).filter(|_| self.bout.forgets(who));
        if let Some(verdict) = known {
            self.bout.perform(who, verdict);
            return;
        }
        let before = self.clock.as_ref().map(|clock| clock());
        self.bout.decide(who);
        if let (Some(before), Some(clock)) = (before, &self.clock) {
            self.report.characters[who].planning_seconds += clock() - before;
        }
    }

    /// Takes over what was decided before a time (s) of an earlier run of a scene that is the same up to there, so that
    /// nobody has to plan it again: happenings are those of [`Bout::happenings`].
    pub fn recall(&mut self, happenings: &[Happening], until: f64) {
        for happening in happenings {
            if let Happening::Decided { tick, who, verdict } = happening
                && seconds(*tick) < until
            {
                self.known.insert((*tick, *who), verdict.clone());
            }
        }
    }

    /// Has another controller decide for somebody, by their place in the cast, from the next decision on.
    pub fn hire(&mut self, who: usize, controller: &Controller) {
        self.bout.aims[who].staged = crew::is_staged(controller);
        let n_people = self.bout.stage.cast.len();
        let knows = Knowledge { graph: self.graphs[who].as_ref(), tag: self.tag.as_ref(), n_people };
        self.bout.control(who, crew::hired(controller, self.scene.seed, who, knows));
    }

    /// Gives somebody another library, of the same body, to choose from from the next decision on: one of those that were
    /// brought along, by its [key](library_key).
    pub fn teach(&mut self, who: usize, library: &str, libraries: &Libraries) -> Result<(), DirectorError> {
        let Some(Shelf { bodies, reactions, graph }) = libraries.shelves.get(library) else {
            let who = self.roles[who].name.clone();
            return Err(DirectorError::Library { who, library: library.to_owned() });
        };
        if graph.is_none() && self.roles[who].controller.needs_graph() {
            let who = self.roles[who].name.clone();
            return Err(DirectorError::Graph { who, library: library.to_owned() });
        }
        let role = &self.roles[who];
        let action = opening(&self.scene, role, bodies, who)?;
        self.bout.teach(who, Arc::clone(bodies), Some(Arc::clone(reactions)))?;
        self.graphs[who].clone_from(graph);
        self.strides[who] = stride(bodies.library());
        if self.roles[who].controller.needs_graph() {
            // What it looked things up in is about another library.
            let controller = self.roles[who].controller.clone();
            self.hire(who, &controller);
        }
        if !self.bout.moment.people[who].is_present {
            self.bout.learn(who);
            self.story.open_with(who, action);
        }
        Ok(())
    }

    /// Plays all of it.
    pub fn run(&mut self) {
        while self.step() {}
    }

    /// The take of what was played so far, and what there is to say about it.
    pub fn finish(mut self) -> Result<(Take, Report), DirectorError> {
        self.look();
        self.so_far()
    }

    /// The take of what was played so far, while it goes on.
    pub fn so_far(&self) -> Result<(Take, Report), DirectorError> {
        take::take_of(self)
    }

    /// Looks at what happened, and does what is due.
    fn look(&mut self) {
        let now = self.now();
        let elapsed = seconds(self.bout.moment.tick - self.looked);
        self.looked = self.bout.moment.tick;
        self.report.watch(&self.bout, elapsed);
        for at in self.seen..self.bout.happenings.len() {
            self.note(at);
        }
        self.seen = self.bout.happenings.len();
        for who in 0..self.roles.len() {
            let is_present = self.bout.moment.people[who].is_present;
            let role = &self.roles[who];
            if role.leave.is_some_and(|leave| leave <= now) && is_present {
                self.bout.leave(who);
            } else if !role.waits && !is_present && self.bout.tracks[who].left.is_none() && role.enter <= now
            {
                self.enter(who);
            }
            self.follow_way(who);
        }
        self.tell();
    }

    /// Writes down something that happened.
    fn note(&mut self, at: usize) {
        let (happening, now) = (self.bout.happenings[at].clone(), self.now());
        match &happening {
            Happening::Decided { who, verdict, .. } => {
                let annotation = self.annotation(*who, verdict.action);
                self.ways[*who].performed(&annotation, now);
            }
            Happening::Landed(landed) => {
                let [who, whom] = [landed.who, landed.whom].map(usize::from);
                self.story.landed(who, whom, landed.answer.is_some_and(|answer| answer.falls));
                if let Some(answer) = landed.answer {
                    let annotation = self.annotation(whom, answer.action);
                    self.ways[whom].performed(&annotation, now);
                }
            }
        }
        self.report.note(&self.bout, &happening);
        let events = take::events_of(self, &happening);
        self.events.extend(events);
    }

    fn annotation(&self, who: usize, action: ActionId) -> randori_motion::Annotation {
        self.bout.stage.cast[who].bodies.library().action(action).annotation.clone()
    }

    fn enter(&mut self, who: usize) {
        let action = self.story.opening(who);
        self.bout.enter(who, action, Rigid::of(self.starts[who]));
        let now = self.now();
        if self.roles[who].waits {
            self.ways[who] = Way::of(&self.roles[who].path, self.roles[who].at, now).later(now);
        }
    }

    /// Sees how far somebody got along their way.
    fn follow_way(&mut self, who: usize) {
        if !self.bout.moment.people[who].is_present {
            return;
        }
        let (now, tick) = (self.now(), self.bout.moment.tick);
        let place = self.bout.stage.position(&self.bout.moment, who, tick);
        let (way, passed) = (&mut self.ways[who], &mut self.report.characters[who].checkpoints);
        if let (Some(off), Some(last)) = (way.off_last(place, now), passed.last_mut()) {
            last.error = last.error.min(off);
        }
        passed.extend(way.look(place, now));
    }

    /// Tells somebody who is about to decide what to aim at.
    fn prepare(&mut self, who: usize) {
        let now = self.now();
        self.bout.learn(who);
        self.lead();
        let is_over =
            self.story.is_down_for_good(self.bout.aims[who].opponent) && !self.turns_to_another(who);
        if self.story.is_down_for_good(who) || is_over {
            self.dismiss(who);
        }
        self.turn_to_closest(who);
        self.forget_steering(who);
        let opponent = self.bout.aims[who].opponent;
        for other in 0..self.roles.len() {
            let theirs = self.bout.aims[other].opponent;
            if ![who, opponent].contains(&other) && ![who, opponent].contains(&theirs) {
                continue;
            }
            self.ask(other, now);
        }
        if self.carries(who) {
            self.steer(who);
        }
        // Whatever somebody else made of their style since, they are as daring as things stand.
        let aims = &mut self.bout.aims[who];
        let part = &mut self.story.people[who];
        if part.told != Some(aims.style) {
            part.own = aims.style;
        }
        let behind = self.report.characters[who].damage_taken - self.report.characters[who].damage_given;
        let daring = self.roles[who].losing.share_at(behind, seconds(self.end) - now);
        aims.style = part.own.daring(daring);
        part.told = Some(aims.style);
    }

    /// Tells somebody where to be, and what is asked of them.
    fn ask(&mut self, who: usize, now: f64) {
        let (way, part) = (&self.ways[who], &mut self.story.people[who]);
        let (aims, cast) = (&mut self.bout.aims[who], &mut self.bout.stage.cast[who]);
        let here = self.bout.moment.people[who].doing.position(&cast.bodies, self.bout.moment.tick);
        if let Some(goal) = way.goal(here, now, self.strides[who]) {
            aims.goal = Some(goal);
        }
        aims.required = way.required(now).into_iter().chain(part.required.clone()).collect();
        aims.forbidden = way.forbidden().into_iter().chain(part.forbidden.clone()).collect();
        let is_to_fall = is_asked_for(KNOCK_DOWN, &aims.required);
        // Whoever is to fall does not have to parry what is to fell them.
        aims.plausibility.logical = !is_to_fall;
        match part.poise_before {
            None if is_to_fall => {
                part.poise_before = Some(cast.poise);
                cast.poise = cast.poise.min(ASKED_TO_FALL);
            }
            Some(poise) if !is_to_fall => {
                part.poise_before = None;
                cast.poise = poise;
            }
            _ => {}
        }
    }

    /// Somebody's part is over.
    fn dismiss(&mut self, who: usize) {
        if !std::mem::replace(&mut self.dismissed[who], true) {
            crew::dismiss(&mut self.bout, who, self.story.is_down_for_good(who));
        }
    }

    /// Somebody who plays on a graph and was given no opponent by name faces whoever of another team is closest.
    fn turn_to_closest(&mut self, who: usize) {
        let role = &self.roles[who];
        if role.opponent.is_none() && role.controller.needs_graph() {
            self.face_closest(who);
        }
    }

    /// Somebody faces whoever of another team is closest, if there is anybody.
    fn face_closest(&mut self, who: usize) {
        let (stage, moment) = (&self.bout.stage, &self.bout.moment);
        let place = |who: usize| stage.position(moment, who, moment.tick);
        let is_foe = |other: &usize| {
            stage.cast[*other].side != stage.cast[who].side
                && moment.people[*other].is_present
                && !self.story.is_down_for_good(*other)
        };
        let far = |other: usize| place(who).distance(place(other));
        let closest =
            (0..self.roles.len()).filter(is_foe).min_by(|a, b| far(*a).total_cmp(&far(*b)).then(a.cmp(b)));
        if let Some(closest) = closest {
            self.bout.aims[who].opponent = closest;
        }
    }

    /// Somebody whose opponent is down turns to the nearest who is still after them, if there is one.
    fn turns_to_another(&mut self, who: usize) -> bool {
        let (stage, moment) = (&self.bout.stage, &self.bout.moment);
        let place = |who: usize| stage.position(moment, who, moment.tick);
        let is_foe = |other: &usize| {
            stage.cast[*other].side != stage.cast[who].side
                && moment.people[*other].is_present
                && !self.story.is_down_for_good(*other)
                && self.bout.aims[*other].opponent == who
        };
        let far = |other: usize| place(who).distance(place(other));
        let next =
            (0..self.roles.len()).filter(is_foe).min_by(|a, b| far(*a).total_cmp(&far(*b)).then(a.cmp(b)));
        self.bout.aims[who].opponent = next.unwrap_or(self.bout.aims[who].opponent);
        next.is_some()
    }
}

/// The time of a tick (s).
fn seconds(tick: i32) -> f64 {
    f64::from(tick) / f64::from(TICKS_PER_SECOND)
}

/// The action somebody starts with.
fn opening(scene: &Screenplay, role: &Role, bodies: &Bodies, who: usize) -> Result<ActionId, DirectorError> {
    let library = bodies.library();
    let mut found = match &role.opening {
        Some(annotation) => actions_of(library, annotation.name()),
        None => under_way(role, bodies).unwrap_or_else(|| calm_actions(library)),
    };
    // From the middle of things, not from the last step before a halt.
    let most = found.iter().map(|id| bodies.options(*id).len()).max().unwrap_or(0);
    found.retain(|id| 2 * bodies.options(*id).len() >= most);
    // Not everybody starts with the same: a seed picks.
    let pick = crew::child_seed(scene.seed, who) as usize;
    found.get(pick % found.len().max(1)).copied().ok_or_else(|| DirectorError::Opening {
        who: role.name.clone(),
        library: library.name.clone(),
        action: role.opening.as_ref().map_or_else(|| "idle".to_owned(), |it| it.name().to_owned()),
    })
}

/// How long an action takes on average (s).
fn stride(library: &ActionLibrary) -> f64 {
    let frames: u32 = library.actions().iter().map(|action| action.n_frames()).sum();
    f64::from(frames) / f64::from(TICKS_PER_SECOND) / library.actions().len().max(1) as f64
}

/// What somebody is in the middle of who has to be elsewhere soon: actions that go straight on, fast enough.
fn under_way(role: &Role, bodies: &Bodies) -> Option<Vec<ActionId>> {
    /// Whoever goes slower starts from where they stand (m/s).
    const SLOW: f32 = 1.5;
    /// How far from the speed asked for is near enough (m/s).
    const ABOUT: f32 = 0.3;
    let first = role.path.first()?;
    let speed = role.at.distance(first.at) / (first.time? - role.enter) as f32;
    let library = bodies.library();
    let goes = |id: &ActionId| {
        let (action, its) = (library.action(*id), bodies.of_action(*id));
        let seconds = action.n_frames() as f32 / TICKS_PER_SECOND;
        let way = action.displacement.position;
        its.kind == Kind::Transition
            && (way.z / seconds - speed).abs() < ABOUT
            && way.x.abs() < 0.1 * way.z
            && action.displacement.heading.abs() < 0.1
    };
    let found: Vec<ActionId> = library.ids().filter(goes).collect();
    (speed > SLOW && !found.is_empty()).then_some(found)
}

/// The actions in which somebody stands and waits; the first of all if there are none.
pub(crate) fn calm_actions(library: &ActionLibrary) -> Vec<ActionId> {
    let calm = ["idle", "stop", "guard"].iter().map(|name| actions_of(library, name));
    calm.into_iter().find(|found| !found.is_empty()).unwrap_or_else(|| library.ids().take(1).collect())
}

fn actions_of(library: &ActionLibrary, name: &str) -> Vec<ActionId> {
    library.ids().filter(|id| library.action(*id).annotation.name() == name).collect()
}

/// Whom somebody plays against: whom they name, or the nearest of another team; themselves if there is nobody.
fn opponent_of(roles: &[Role], who: usize) -> usize {
    let own = &roles[who];
    let named = own.opponent.as_ref().and_then(|name| roles.iter().position(|role| role.name == *name));
    let far = |role: &Role| -> f32 { Ground::distance(role.at, own.at) };
    named.unwrap_or_else(|| {
        (0..roles.len())
            .filter(|other| roles[*other].team != own.team)
            .min_by(|a, b| far(&roles[*a]).total_cmp(&far(&roles[*b])).then(a.cmp(b)))
            .unwrap_or(who)
    })
}
