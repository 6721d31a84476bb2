//! The story: beats that wait for something, and things that move.

use glam::{Quat, Vec3};
use randori_arena::particles::Blow;
use randori_arena::plausible::Plausibility;
use randori_arena::style::Style;
use randori_motion::{ActionId, Annotation, Bone, Event, EventKind, Ground};

use super::way::Way;
use super::{Director, seconds};
use crate::screenplay::{Beat, Checkpoint, PropRole, Role, Screenplay, Then, Waypoint, When};

/// What beats changed, and what they wait for.
pub(super) struct Story {
    beats: Vec<Beat>,
    /// When each came true (s).
    came: Vec<Option<f64>>,
    openings: Vec<ActionId>,
    pub(super) people: Vec<Part>,
    /// Blows that landed, by who struck whom.
    hits: Vec<Vec<u32>>,
    pub(super) props: Vec<Thing>,
}

/// What the story made of somebody.
#[derive(Clone)]
pub(super) struct Part {
    /// Their style when they are not daring.
    pub(super) own: Style,
    /// The style that the director gave them last.
    pub(super) told: Option<Style>,
    /// Their poise before they were asked to fall (N s), if they are.
    pub(super) poise_before: Option<f32>,
    pub(super) required: Vec<Annotation>,
    pub(super) forbidden: Vec<Annotation>,
    is_down: bool,
    fell_for_good: bool,
    struck_by: Vec<String>,
}

/// A prop under way.
pub(super) struct Thing {
    pub(super) role: PropRole,
    /// When it started (s).
    pub(super) started: Option<f64>,
    struck: Vec<usize>,
}

impl Story {
    pub(super) fn of(scene: &Screenplay, openings: &[ActionId], roles: &[Role]) -> Story {
        let part = |role: &Role| Part {
            own: role.objective(),
            told: None,
            poise_before: None,
            required: Vec::new(),
            forbidden: Vec::new(),
            is_down: false,
            fell_for_good: false,
            struck_by: Vec::new(),
        };
        let thing = |role: &PropRole| Thing {
            role: role.clone(),
            started: (!role.waits).then_some(0.0),
            struck: Vec::new(),
        };
        let n = openings.len();
        Story {
            beats: scene.beats.clone(),
            came: vec![None; scene.beats.len()],
            openings: openings.to_vec(),
            people: roles.iter().map(part).collect(),
            hits: vec![vec![0; n]; n],
            props: scene.props.iter().map(thing).collect(),
        }
    }

    pub(super) fn opening(&self, who: usize) -> ActionId {
        self.openings[who]
    }

    /// Somebody who has not entered yet starts with another action.
    pub(super) fn open_with(&mut self, who: usize, action: ActionId) {
        self.openings[who] = action;
    }

    pub(super) fn landed(&mut self, who: usize, whom: usize, falls: bool) {
        self.hits[who][whom] += 1;
        self.people[whom].is_down |= falls;
    }

    /// Whether somebody's part was to be knocked down, and they were.
    pub(super) fn is_down_for_good(&self, who: usize) -> bool {
        self.people[who].fell_for_good
    }
}

impl Thing {
    /// Where it is at a time of the scene: middle of the base and heading; `None` before it starts.
    pub(super) fn place(&self, now: f64) -> Option<(Vec3, f32)> {
        let since = now - self.started?;
        let path = &self.role.path;
        let at = path.partition_point(|point| point.time <= since);
        let [a, b] = [path.get(at.saturating_sub(1))?, path.get(at).or(path.last())?];
        let share =
            if b.time > a.time { ((since - a.time) / (b.time - a.time)).clamp(0.0, 1.0) as f32 } else { 0.0 };
        let place = |point: &Waypoint| point.at.at_height(point.height);
        let position = place(a).lerp(place(b), share);
        // A thing that stands looks where it went.
        let leg = path.windows(2).rev().find(|pair| pair[0].time <= since).or_else(|| path.windows(2).next());
        let way = leg.map_or(Vec3::Z, |pair| place(&pair[1]) - place(&pair[0]));
        let heading = a.heading_deg.map_or_else(|| libm::atan2f(way.x, way.z), f32::to_radians);
        Some((position, heading))
    }

    /// Its velocity (m/s).
    pub(super) fn velocity(&self, now: f64) -> Vec3 {
        const MOMENT: f64 = 0.05;
        let places = (self.place(now - MOMENT), self.place(now));
        let (Some((before, _)), Some((after, _))) = places else { return Vec3::ZERO };
        (after - before) / MOMENT as f32
    }

    /// Whether somebody's trunk is in it.
    fn touches(&self, now: f64, person: Ground) -> bool {
        /// Half the thickness of a person (m).
        const PERSON: f32 = 0.22;
        let Some((place, heading)) = self.place(now) else { return false };
        let off = Quat::from_rotation_y(-heading) * (person.at_height(0.0) - place.with_y(0.0));
        let [x, _, z] = self.role.size;
        off.x.abs() <= 0.5 * x + PERSON && off.z.abs() <= 0.5 * z + PERSON
    }
}

impl Director {
    /// Moves the story on.
    pub(super) fn tell(&mut self) {
        self.run_into();
        for who in 0..self.roles.len() {
            // Whoever was to fall at the end, and did, stays down.
            let part = &mut self.story.people[who];
            let was_last = self.ways[who].n_left() == 0 && asks_to_fall(&self.roles[who].path);
            let fell = part.is_down && (was_last || is_asked_for(KNOCK_DOWN, &part.required));
            part.fell_for_good |= fell;
        }
        let now = self.now();
        for at in 0..self.story.beats.len() {
            if self.story.came[at].is_none() && self.is_true(&self.story.beats[at].when, now) {
                self.story.came[at] = Some(now);
                let Beat { name, then, .. } = self.story.beats[at].clone();
                let mut event = Event::new(now, EventKind::Phase);
                event.details.insert("beat".to_owned(), name.into());
                self.events.push(event);
                for then in &then {
                    self.happen(then, now);
                }
            }
        }
    }

    fn who(&self, name: &str) -> Option<usize> {
        self.roles.iter().position(|role| role.name == name)
    }

    fn is_true(&self, when: &When, now: f64) -> bool {
        let place = |who: usize| self.bout.stage.position(&self.bout.moment, who, self.bout.moment.tick);
        let both = |a: &str, b: &str| Some((self.who(a)?, self.who(b)?));
        match when {
            When::Time(time) => now >= *time,
            When::Beat { name, after } => (self.story.beats.iter().zip(&self.story.came))
                .any(|(beat, came)| beat.name == *name && came.is_some_and(|came| now >= came + after)),
            When::Checkpoint { who, number } => self.who(who).is_some_and(|who| {
                self.report.characters[who].checkpoints.iter().any(|passed| passed.number == *number)
            }),
            When::Hits { who, whom, count } => {
                both(who, whom).is_some_and(|(who, whom)| self.story.hits[who][whom] >= *count)
            }
            When::Distance { who, whom, below } => both(who, whom).is_some_and(|(who, whom)| {
                let people = &self.bout.moment.people;
                let both_there = people[who].is_present && people[whom].is_present;
                both_there && place(who).distance(place(whom)) < *below
            }),
            When::Down { who } => self.who(who).is_some_and(|who| self.story.people[who].is_down),
            When::Struck { who, by } => {
                self.who(who).is_some_and(|who| self.story.people[who].struck_by.contains(by))
            }
        }
    }

    fn happen(&mut self, then: &Then, now: f64) {
        let who = |name: &str| self.roles.iter().position(|role| role.name == name);
        match then {
            Then::Style { who: name, style, weights } => {
                let Some(who) = who(name) else { return };
                let preset = style.as_deref().and_then(Style::preset);
                let style = weights.applied_to(preset.unwrap_or(self.story.people[who].own));
                self.bout.aims[who].style = style;
                self.bout.aims[who].plausibility = Plausibility::of(&style);
            }
            Then::Controller { who: name, controller } => {
                let Some(who) = who(name) else { return };
                self.hire(who, controller);
            }
            Then::Path { who: name, path } => {
                let Some(who) = who(name) else { return };
                let place = self.bout.stage.position(&self.bout.moment, who, self.bout.moment.tick);
                self.ways[who] = Way::of(path, place, now).later(now);
                self.bout.aims[who].goal = None;
            }
            Then::Poise { who: name, poise } => {
                let Some(who) = who(name) else { return };
                self.bout.stage.cast[who].poise = *poise;
            }
            Then::Opponent { who: name, whom } => {
                if let (Some(who), Some(whom)) = (who(name), who(whom)) {
                    self.bout.aims[who].opponent = whom;
                }
            }
            Then::Enter { who: name } => {
                if let Some(who) = who(name) {
                    self.enter(who);
                }
            }
            Then::Leave { who: name } => {
                if let Some(who) = who(name) {
                    self.bout.leave(who);
                }
            }
            Then::Require { who: name, actions } => {
                if let Some(who) = who(name) {
                    let part = &mut self.story.people[who];
                    part.required = actions.clone();
                    // An earlier fall is not the one that is meant.
                    part.is_down &= !is_asked_for(KNOCK_DOWN, actions);
                }
            }
            Then::Forbid { who: name, actions } => {
                if let Some(who) = who(name) {
                    self.story.people[who].forbidden = actions.clone();
                }
            }
            Then::Camera(camera) => {
                self.report.cuts.push((now, *camera));
                let mut event = Event::new(now, EventKind::Phase);
                event.details.insert("camera".to_owned(), camera.name().into());
                self.events.push(event);
            }
            Then::Prop { name } => {
                if let Some(thing) = self.story.props.iter_mut().find(|thing| thing.role.name == *name) {
                    thing.started.get_or_insert(now);
                }
            }
            Then::End => self.end = self.end.min(self.bout.moment.tick),
        }
    }

    /// Props that run into people.
    fn run_into(&mut self) {
        let (now, tick) = (self.now(), self.bout.moment.tick);
        for at in 0..self.story.props.len() {
            for who in 0..self.roles.len() {
                let thing = &self.story.props[at];
                if !thing.role.hits || thing.struck.contains(&who) || !self.bout.moment.people[who].is_present
                {
                    continue;
                }
                let person = self.bout.stage.position(&self.bout.moment, who, tick);
                let velocity = thing.velocity(now);
                if velocity.length() < 0.5 || !thing.touches(now, person) {
                    continue;
                }
                let name = thing.role.name.clone();
                self.story.props[at].struck.push(who);
                self.story.people[who].struck_by.push(name.clone());
                self.knock_over(who, &name, velocity, person);
            }
        }
    }

    fn knock_over(&mut self, who: usize, by: &str, velocity: Vec3, person: Ground) {
        /// What is behind a car, as far as one person can feel it (kg).
        const CAR: f32 = 60.0;
        let cast = &self.bout.stage.cast[who];
        let doing = &self.bout.moment.people[who].doing;
        let take_from_world = doing.world_from_take.inverse();
        let blow = Blow {
            bone: Bone::Hips,
            point: take_from_world.point(person.at_height(0.9)),
            velocity: take_from_world.turned(velocity),
            mass: CAR,
        };
        let take = cast.bodies.of_action(doing.action).take;
        let frame = doing.frame(&cast.bodies, self.bout.moment.tick);
        let answer = cast.reactions.as_ref().and_then(|reactions| reactions.answer(take, frame, &blow, 0.0));
        let mut event = Event::new(seconds(self.bout.moment.tick), EventKind::Hit);
        event.who = Some(by.to_owned());
        event.whom = Some(self.roles[who].name.clone());
        event.speed = Some(f64::from(velocity.length()));
        event.details.insert("bone".to_owned(), Bone::Hips.name().into());
        self.events.push(event);
        if let Some(answer) = answer {
            self.bout.force(who, answer);
            let part = &mut self.story.people[who];
            part.is_down |= answer.falls;
            // Nobody gets up after that.
            part.fell_for_good |= answer.falls;
        }
    }
}

/// The annotation that asks somebody to fall.
pub(crate) const KNOCK_DOWN: &str = "knock-down";

/// Whether an annotation of this name is among those that are asked for.
pub(super) fn is_asked_for(name: &str, required: &[Annotation]) -> bool {
    required.iter().any(|annotation| annotation.name() == name)
}

fn asks_to_fall(path: &[Checkpoint]) -> bool {
    path.last().is_some_and(|last| is_asked_for(KNOCK_DOWN, &last.require))
}
