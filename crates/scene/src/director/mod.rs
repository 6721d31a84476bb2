//! The director: has a screenplay played, and hands over the take.
//!
//! People act by themselves on a [`Bout`]; the director tells them where to be and when, what to do there, who enters,
//! what changes with the story, and writes down what happened. Whatever it changes takes effect at the next decision.
//!
//! Reference: \[Shum2012\], section VIII-C.
//! Differs from the paper: between two checkpoints with times, the place that somebody is asked for moves along the line
//! between them, so that they arrive in time instead of running ahead and waiting.

pub(crate) mod crew;
mod report;
mod story;
mod take;
mod way;

use std::collections::BTreeMap;
use std::sync::Arc;

use randori_arena::bodies::{Bodies, Rigid, TICKS_PER_SECOND};
use randori_arena::bout::{Bout, Happening, Pause};
use randori_arena::combination::Table;
use randori_arena::objectives::{Aims, Scoring};
use randori_arena::reactions::Reactions;
use randori_arena::stage::{Cast, Contest, Moment, Stage};
use randori_motion::clip::ClipError;
use randori_motion::{ActionId, ActionLibrary, Event, Ground, Placement, Take};

use crate::screenplay::{Role, Screenplay, placements};
pub use report::{CharacterReport, CheckpointReport, PartCounts, Report};
use story::Story;
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
}

/// Libraries by the names under which a screenplay asks for them, ready to be played with.
#[derive(Clone, Debug, Default)]
pub struct Libraries(BTreeMap<String, (Arc<Bodies>, Arc<Reactions>)>);

impl Libraries {
    /// Brings a library along.
    pub fn add(&mut self, name: &str, library: Arc<ActionLibrary>) {
        let bodies = Arc::new(Bodies::of(Arc::clone(&library)));
        self.0.insert(name.to_owned(), (bodies, Arc::new(Reactions::of(library))));
    }

    /// Whether a library is there.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
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
    ways: Vec<Way>,
    story: Story,
    events: Vec<Event>,
    report: Report,
    /// Happenings that were already looked at.
    seen: usize,
    end: i32,
    /// Whether decisions are written down with their candidates.
    pub explain: bool,
    /// Tells the time (s), for the report; the director has no clock of its own.
    pub clock: Option<Box<dyn Fn() -> f64 + Send>>,
}

impl Director {
    /// Everybody in place.
    pub fn new(scene: &Screenplay, libraries: &Libraries) -> Result<Director, DirectorError> {
        let roles = scene.expanded();
        let starts = placements(&roles);
        let mut teams: Vec<&str> = Vec::new();
        let mut cast = Vec::new();
        for role in &roles {
            let team = teams.iter().position(|team| *team == role.team).unwrap_or_else(|| {
                teams.push(&role.team);
                teams.len() - 1
            });
            let library = library_key(scene, role);
            let Some((bodies, reactions)) = libraries.0.get(&library) else {
                return Err(DirectorError::Library { who: role.name.clone(), library });
            };
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
            aims
        });
        let aims: Vec<Aims> = aims.collect();
        let controllers =
            (roles.iter().enumerate()).map(|(who, role)| crew::hired(&role.controller, scene.seed, who));
        let bout = Bout::new(stage, moment, aims, controllers.collect(), (0..roles.len()).collect());
        let ways = roles.iter().map(|role| Way::of(&role.path, role.at, role.enter)).collect();
        Ok(Director {
            bout,
            ways,
            story: Story::of(scene, &openings),
            events: Vec::new(),
            report: Report::of(scene, &roles),
            seen: 0,
            end: (scene.seconds * f64::from(TICKS_PER_SECOND)).round() as i32,
            explain: false,
            clock: None,
            scene: scene.clone(),
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
        self.look();
        let tick = self.bout.moment.tick;
        if tick >= self.end {
            return false;
        }
        match self.bout.advance((tick / LOOK * LOOK + LOOK).min(self.end)) {
            Pause::Limit => {}
            Pause::Decision(who) => {
                self.look();
                self.prepare(who);
                let before = self.clock.as_ref().map(|clock| clock());
                self.bout.decide(who);
                if let (Some(before), Some(clock)) = (before, &self.clock) {
                    self.report.characters[who].planning_seconds += clock() - before;
                }
            }
        }
        true
    }

    /// Plays all of it.
    pub fn run(&mut self) {
        while self.step() {}
    }

    /// The take of what was played so far, and what there is to say about it.
    pub fn finish(mut self) -> Result<(Take, Report), DirectorError> {
        self.look();
        take::take_of(self)
    }

    /// Looks at what happened, and does what is due.
    fn look(&mut self) {
        let now = self.now();
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
        let happening = self.bout.happenings[at].clone();
        match &happening {
            Happening::Decided { who, verdict, .. } => {
                let annotation = self.annotation(*who, verdict.action);
                self.ways[*who].performed(&annotation);
            }
            Happening::Landed(landed) => {
                let [who, whom] = [landed.who, landed.whom].map(usize::from);
                self.story.landed(who, whom, landed.answer.is_some_and(|answer| answer.falls));
                if let Some(answer) = landed.answer {
                    let annotation = self.annotation(whom, answer.action);
                    self.ways[whom].performed(&annotation);
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
        for passed in self.ways[who].look(place, now) {
            let event = take::checkpoint_event(&self.roles[who].name, now, &passed);
            self.events.push(event);
            self.report.characters[who].checkpoints.push(passed);
        }
    }

    /// Tells somebody who is about to decide what to aim at.
    fn prepare(&mut self, who: usize) {
        let now = self.now();
        for other in 0..self.roles.len() {
            let is_concerned = other == who || self.bout.aims[who].opponent == other;
            if !is_concerned {
                continue;
            }
            let way = &self.ways[other];
            let aims = &mut self.bout.aims[other];
            aims.goal = way.goal(now);
            aims.required = way.required(now).into_iter().chain(self.story.required(other)).collect();
            aims.forbidden = way.forbidden().into_iter().chain(self.story.forbidden(other)).collect();
            let falls = aims.required.iter().any(|annotation| annotation.name() == "knock-down");
            let poise = self.story.poise(other).or(self.roles[other].poise).unwrap_or(POISE);
            self.bout.stage.cast[other].poise = if falls { poise.min(ASKED_TO_FALL) } else { poise };
        }
        let behind = self.report.characters[who].damage_taken - self.report.characters[who].damage_given;
        let daring = self.roles[who].losing.share_at(behind, seconds(self.end) - now);
        self.bout.aims[who].style = self.story.style(who, self.roles[who].objective()).daring(daring);
        if self.story.is_down_for_good(who) || self.story.is_down_for_good(self.bout.aims[who].opponent) {
            crew::dismiss(&mut self.bout, who, self.story.is_down_for_good(who));
        }
    }
}

/// The time of a tick (s).
fn seconds(tick: i32) -> f64 {
    f64::from(tick) / f64::from(TICKS_PER_SECOND)
}

/// The action somebody starts with.
fn opening(scene: &Screenplay, role: &Role, bodies: &Bodies, who: usize) -> Result<ActionId, DirectorError> {
    let library = bodies.library();
    let found = match &role.opening {
        Some(annotation) => actions_of(library, annotation.name()),
        None => calm_actions(library),
    };
    // Not everybody starts with the same: a seed picks.
    let pick = (scene.seed as usize).wrapping_mul(7).wrapping_add(who * 3);
    found.get(pick % found.len().max(1)).copied().ok_or_else(|| DirectorError::Opening {
        who: role.name.clone(),
        library: library.name.clone(),
        action: role.opening.as_ref().map_or_else(|| "idle".to_owned(), |it| it.name().to_owned()),
    })
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
