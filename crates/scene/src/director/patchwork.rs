//! Scenes of interaction patches: the composer's people become a take.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::Vec3;
use randori_arena::bodies::Bodies;
use randori_arena::bodies::TICKS_PER_SECOND;
use randori_arena::bout::Track;
use randori_arena::hits::{Hit, Part};
use randori_arena::record::{Blows, record_track, record_tracks};
use randori_arena::stage::Landed;
use randori_motion::annotation::{Kind, Load};
use randori_motion::{Character, Event, EventKind, Ground, Placement, Take};
use randori_patches::composing::appointments::{Appointment, Kept};
use randori_patches::composing::bystanders;
use randori_patches::composing::choice::{Command, Wishes};
use randori_patches::composing::crowd::Person;
use randori_patches::composing::dominoes::{self, Dominoes, Filled};
use randori_patches::composing::duel::{self, Duel};
use randori_patches::composing::footprint::Girth;
use randori_patches::composing::lead::{self, Field, Lead};
use randori_patches::composing::luggage::{self, Chain, Journey};
use randori_patches::composing::{Composer, Join, Use};
use randori_patches::patch::Contact;
use randori_patches::{Patches, Role as PatchRole};
use rayon::prelude::*;
use serde::Serialize;
use serde_json::json;

use super::report::Report;
use super::take::{footsteps, insert};
use super::{DirectorError, Libraries, library_key, seconds, things};
use crate::screenplay::{Patchwork, Piece, Plan, Role, Screenplay, Turn, placements};

/// From one place in a line of porters to the next (m).
const SPACING: f32 = 2.4;
/// How far to the side a runner goes (m).
const LANE: f32 = 6.0;

/// What a scene of patches was made of.
#[derive(Clone, Debug, Serialize)]
pub struct PatchReport {
    /// Patches that there are.
    pub patches: usize,
    /// People who took part.
    pub people: usize,
    /// How often patches were used.
    pub uses: usize,
    /// The largest share of the uses that one patch has (%).
    pub most_used_percent: f64,
    /// Uses by how they were joined: right after each other, in space, after movements.
    pub joins: BTreeMap<&'static str, usize>,
    /// Every patch that was used, with its pattern and how often.
    pub used: Vec<UsedReport>,
    /// How often commands were followed.
    pub wishes: Wishes,
    /// What became of appointments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub appointments: Vec<Kept>,
    /// How much of an area is filled, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filled: Option<Filled>,
    /// Pieces of luggage that arrived, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arrived: Option<usize>,
}

/// How often a patch was used.
#[derive(Clone, Debug, Serialize)]
pub struct UsedReport {
    /// Its number.
    pub patch: u32,
    /// What its pattern is called.
    pub pattern: String,
    /// How often.
    pub uses: usize,
}

/// Puts a scene of patches together; `None` if it is not one.
pub fn compose(scene: &Screenplay, libraries: &Libraries) -> Result<Option<(Take, Report)>, DirectorError> {
    Composition::of(scene, libraries)?.map(|made| made.take()).transpose()
}

/// The name under which the patches of a scene are to be [brought along](Libraries::add_patches).
pub fn patches_key(scene: &Screenplay, patchwork: &Patchwork) -> String {
    let library = scene.characters.first().map(|role| library_key(scene, role));
    format!("{} {}", library.unwrap_or_default(), patchwork.patterns)
}

/// What came of a plan besides what people do.
#[derive(Default)]
struct Outcome {
    /// How much of an area is filled.
    filled: Option<Filled>,
    /// The ways of pieces of luggage.
    journeys: Vec<Journey>,
}

/// Has the plan of a scene put together.
fn play(
    composer: &mut Composer<'_>,
    scene: &Screenplay,
    patchwork: &Patchwork,
    libraries: &Libraries,
) -> Result<Outcome, DirectorError> {
    let starts = placements(&scene.characters);
    let down = patchwork.down.map(|down| (down * f64::from(TICKS_PER_SECOND)).round() as i32);
    let start = starts.first().copied().unwrap_or_default();
    let mut outcome = Outcome::default();
    let lead = |role: PatchRole, field: Field| Lead { who: 0, role, start, field, down, seed: scene.seed };
    match patchwork.plan {
        Plan::OneOne => {
            let other = starts.get(1).copied().unwrap_or(Placement::default());
            duel::compose(composer, &Duel { who: [0, 1], starts: [start, other], seed: scene.seed });
        }
        Plan::OneMany => {
            let field = Field::Ring { center: start.position, radius: patchwork.radius };
            lead::compose(composer, &lead(PatchRole::Second, field));
        }
        Plan::Football => {
            let field = Field::Lane { heading: start.heading, back: patchwork.radius, width: LANE };
            lead::compose(composer, &lead(PatchRole::First, field));
        }
        Plan::Mouse => {
            let (center, radius) = (Ground::default(), patchwork.radius);
            composer.crowd.people[0].girth = Girth::MOUSE;
            lead::compose(composer, &lead(PatchRole::First, Field::Crowd { center, radius }));
            let met = composer.uses.iter().flat_map(|it| it.people).max().unwrap_or(0);
            let others = met + 1..composer.crowd.people.len();
            bystanders::stand_by(composer, others, center, radius, scene.seed);
        }
        Plan::Dominoes => {
            let picture = patchwork.floor.as_ref().map(|it| it.file.clone()).unwrap_or_default();
            let floor = libraries.areas.get(&picture).ok_or(DirectorError::Area { picture })?;
            let dominoes = Dominoes { floor, starts: &starts, seed: scene.seed };
            outcome.filled = Some(dominoes::compose(composer, &dominoes));
        }
        Plan::Luggage => {
            let load =
                |piece: &Piece| Load { is_heavy: piece.is_heavy, is_large: piece.is_large, is_shared: false };
            let pieces: Vec<Load> = patchwork.luggage.iter().map(load).collect();
            let n_people = composer.crowd.people.len();
            let chain = Chain { start, spacing: SPACING, n_people, pieces: &pieces };
            outcome.journeys = luggage::compose(composer, &chain);
        }
    }
    Ok(outcome)
}

/// Everybody: those written one by one, and the others.
fn cast(scene: &Screenplay, patchwork: &Patchwork) -> Vec<Role> {
    let mut roles = scene.characters.clone();
    let Some(first) = roles.first().cloned() else { return roles };
    let name = match patchwork.plan {
        Plan::OneOne | Plan::OneMany => "foe",
        Plan::Football => "defender",
        Plan::Mouse | Plan::Dominoes => "bystander",
        Plan::Luggage => "porter",
    };
    for number in 0..patchwork.people as usize {
        let color = patchwork.colors[number % patchwork.colors.len()];
        roles.push(Role { name: format!("{name}-{}", number + 1), color, ..first.clone() });
    }
    roles
}

fn commands(patchwork: &Patchwork, end: i32) -> Vec<Command> {
    let tick = |t: f64| (t * f64::from(TICKS_PER_SECOND)).round() as i32;
    let later = patchwork.commands.iter().skip(1).map(|it| tick(it.at)).chain([end]);
    (patchwork.commands.iter().zip(later))
        .map(|(command, next)| Command {
            from: tick(command.at),
            until: command.until.map_or(next, tick),
            words: command.actions.clone(),
            direction: command.direction_deg.map(f32::to_radians),
            turn: command.turn.map(|turn| if turn == Turn::Left { 1.0 } else { -1.0 }),
        })
        .collect()
}

/// A scene that was put together: who does what where and when, before anybody is shown.
pub struct Composition<'a> {
    scene: &'a Screenplay,
    roles: Vec<Role>,
    patches: &'a Patches,
    composer: Composer<'a>,
    outcome: Outcome,
    end: i32,
}

/// A touch between two people of the scene.
struct Touch {
    who: usize,
    whom: usize,
    hit: Hit,
    /// What the one who touches is doing.
    action: String,
    /// Whether it is a blow, not hands or bodies that meet.
    is_blow: bool,
    /// What it does to the body, if it is more than hands that meet.
    landed: Option<Landed>,
}

impl<'a> Composition<'a> {
    /// Puts a scene of patches together; `None` if it is not one.
    pub fn of(
        scene: &'a Screenplay,
        libraries: &'a Libraries,
    ) -> Result<Option<Composition<'a>>, DirectorError> {
        let Some(patchwork) = &scene.patches else { return Ok(None) };
        let Some(first) = scene.characters.first() else { return Ok(None) };
        let key = library_key(scene, first);
        let who = || first.name.clone();
        let shelf = libraries.shelves.get(&key);
        let shelf = shelf.ok_or_else(|| DirectorError::Library { who: who(), library: key.clone() })?;
        let found = libraries.patches.get(&patches_key(scene, patchwork));
        let patches = found.ok_or_else(|| DirectorError::Patches { patterns: patchwork.patterns.clone() })?;
        let roles = cast(scene, patchwork);
        let end = (scene.seconds * f64::from(TICKS_PER_SECOND)).round() as i32;
        let mut composer = Composer::new(patches, Arc::clone(&shelf.bodies), roles.len(), end);
        composer.commands = commands(patchwork, end);
        composer.late = patchwork.late;
        composer.appointments = (patchwork.appointments.iter())
            .map(|it| Appointment {
                tick: (it.at * f64::from(TICKS_PER_SECOND)).round() as i32,
                place: it.place,
                words: it.actions.clone(),
            })
            .collect();
        let outcome = play(&mut composer, scene, patchwork, libraries)?;
        Ok(Some(Composition { scene, roles, patches, composer, outcome, end }))
    }

    /// Everybody, and which patches were used.
    pub fn composer(&self) -> &Composer<'a> {
        &self.composer
    }

    /// Works out every pose of everybody and lets go of it; how many there are.
    pub fn evaluate(&self) -> Result<usize, DirectorError> {
        let (_, landed) = self.all_touches();
        let mut blows: Vec<Blows<'_>> = self.roles.iter().map(|_| Blows::default()).collect();
        for it in &landed {
            blows[it.whom as usize].taken.push(it);
            blows[it.who as usize].given.push(it);
        }
        let people: Vec<usize> = (0..self.roles.len()).collect();
        let counts = people.into_par_iter().map(|who| {
            let track = self.track(&self.composer.crowd.people[who]);
            let recorded = record_track(self.composer.bodies(), &track, &blows[who], "", self.end)?;
            Ok(recorded.map_or(0, |it| it.clip.n_frames()))
        });
        counts.collect::<Result<Vec<usize>, DirectorError>>().map(|all| all.into_iter().sum())
    }

    /// All touches, and what they do to bodies, in order of time.
    fn all_touches(&self) -> (Vec<Touch>, Vec<Landed>) {
        let touches: Vec<Touch> = self.composer.uses.iter().flat_map(|it| self.touches(it)).collect();
        let mut landed: Vec<Landed> = touches.iter().filter_map(|touch| touch.landed).collect();
        landed.sort_by_key(|it| it.hit.tick);
        (touches, landed)
    }

    fn track(&self, person: &Person) -> Track {
        let before_the_end = person.performed.iter().copied().filter(|(tick, _)| *tick < self.end);
        Track { performed: before_the_end.collect(), left: None }
    }

    /// What it looks like, and what is told of it.
    pub fn take(&self) -> Result<(Take, Report), DirectorError> {
        let (touches, landed) = self.all_touches();
        let bodies = self.composer.bodies();
        let all: Vec<&Bodies> = self.roles.iter().map(|_| &**bodies).collect();
        let tracks: Vec<Track> = self.composer.crowd.people.iter().map(|it| self.track(it)).collect();
        let names: Vec<String> = self.roles.iter().map(|role| role.name.clone()).collect();
        let recorded =
            record_tracks(&all, &tracks, (&landed, !self.scene.refinement.ragdoll), &names, self.end)?;
        let mut take = Take::new(self.scene.name.clone(), self.scene.seed);
        let mut events: Vec<Event> = self.composer.uses.iter().map(|it| self.used(it)).collect();
        events.extend(touches.iter().flat_map(|touch| self.touched(touch)));
        for (at, journey) in self.outcome.journeys.iter().enumerate() {
            let name = format!("piece-{}", at + 1);
            let body = bodies.library().body();
            take.props.extend(things::luggage(&name, journey, body, &recorded, self.end)?);
        }
        let is_mouse = self.scene.patches.as_ref().is_some_and(|it| it.plan == Plan::Mouse);
        for (who, (recorded, role)) in recorded.into_iter().zip(&self.roles).enumerate() {
            let Some(recorded) = recorded else { continue };
            if is_mouse && who == 0 {
                let performed = &self.composer.crowd.people[0].performed;
                take.props.push(things::mouse(&role.name, role.color, bodies, performed, self.end)?);
                continue;
            }
            events.extend(footsteps(&role.name, &recorded));
            events.extend(self.actions(who));
            take.characters.push(Character {
                name: role.name.clone(),
                color: role.color,
                body: Arc::clone(bodies.library().body()),
                enter: seconds(recorded.enter.max(0)),
                clip: recorded.clip,
            });
        }
        events.retain(|event| event.t >= 0.0 && event.t <= seconds(self.end));
        events.sort_by(|a, b| a.t.total_cmp(&b.t));
        take.events = events;
        let report = self.report(&touches, take.characters.len());
        Ok((take, report))
    }

    /// What somebody does from when on.
    fn actions(&self, who: usize) -> impl Iterator<Item = Event> + '_ {
        let library = self.composer.bodies().library();
        self.composer.crowd.people[who].performed.iter().map(move |(tick, doing)| {
            let mut event = Event::new(seconds((*tick).max(0)), EventKind::Other("action".to_owned()));
            event.who = Some(self.roles[who].name.clone());
            insert(&mut event, "action", library.action(doing.action).name.as_str().into());
            event
        })
    }

    /// All touches of a use, in the world.
    fn touches(&self, it: &Use) -> Vec<Touch> {
        let (library, patch) = (self.composer.bodies().library(), self.patches.patch(it.patch));
        let touch = |contact: &Contact| {
            let doing = |role: PatchRole| Some(patch.of(role).stint_at(contact.tick - 1)?.action);
            let (own, during) = (doing(contact.who)?, doing(contact.who.other())?);
            let action = library.action(own);
            let [who, whom] = [contact.who, contact.who.other()].map(|role| it.people[role.idx()]);
            let hit = Hit {
                tick: it.begins + contact.tick,
                with: contact.with,
                bone: contact.bone,
                on_weapon: false,
                point: it.world_from_patch.point(contact.point),
                velocity: it.world_from_patch.turned(contact.velocity),
            };
            let is_blow = action.annotation.kind() == Kind::Attack;
            let landed = (contact.velocity != Vec3::ZERO).then_some(Landed {
                who: who as u16,
                whom: whom as u16,
                action: own,
                during,
                hit,
                answer: None,
                reacting: None,
            });
            Some(Touch { who, whom, hit, action: action.name.clone(), is_blow, landed })
        };
        patch.contacts.iter().filter_map(touch).filter(|touch| touch.hit.tick < self.end).collect()
    }

    fn touched(&self, touch: &Touch) -> Vec<Event> {
        let (hit, t) = (&touch.hit, seconds(touch.hit.tick));
        let mut contact = Event::new(t, EventKind::ContactBegins);
        contact.who = Some(self.roles[touch.who].name.clone());
        contact.whom = Some(self.roles[touch.whom].name.clone());
        contact.part = Some(hit.with.name().to_owned());
        if !touch.is_blow {
            return vec![contact];
        }
        let kind = if hit.part() == Part::Limb { EventKind::Blocked } else { EventKind::Hit };
        let mut event = Event { kind, speed: Some(f64::from(hit.velocity.length())), ..contact.clone() };
        insert(&mut event, "bone", hit.bone.name().into());
        insert(&mut event, "point", json!(hit.point.to_array()));
        insert(&mut event, "damage", json!(hit.damage()));
        insert(&mut event, "action", touch.action.as_str().into());
        vec![event, contact]
    }

    fn used(&self, it: &Use) -> Event {
        let mut event = Event::new(seconds(it.begins.max(0)), EventKind::Other("patch".to_owned()));
        let [first, second] = it.people.map(|who| self.roles[who].name.clone());
        (event.who, event.whom) = (Some(first), Some(second));
        insert(&mut event, "patch", it.patch.0.into());
        insert(&mut event, "pattern", self.patches.pattern_of(it.patch).name.as_str().into());
        insert(&mut event, "join", join_name(it.join).into());
        event
    }

    fn report(&self, touches: &[Touch], n_people: usize) -> Report {
        let (composer, library) = (&self.composer, self.composer.bodies().library());
        let mut report = Report::of(self.scene, &self.roles);
        for (character, person) in report.characters.iter_mut().zip(&composer.crowd.people) {
            let done = person.performed.iter().filter(|(tick, _)| *tick < self.end);
            let kinds: Vec<Kind> = done.map(|(_, it)| library.action(it.action).annotation.kind()).collect();
            character.controller = "patches".to_owned();
            character.decisions = kinds.len() as u32;
            character.attacks = kinds.iter().filter(|kind| **kind == Kind::Attack).count() as u32;
            character.defences = kinds.iter().filter(|kind| **kind == Kind::Defence).count() as u32;
        }
        for touch in touches.iter().filter(|touch| touch.is_blow) {
            report.landed(touch.who, touch.whom, &touch.hit);
        }
        report.decisions = composer.uses.len() as u32;
        report.seconds = seconds(self.end);
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        let mut joins: BTreeMap<&'static str, usize> = BTreeMap::new();
        for it in &composer.uses {
            *counts.entry(it.patch.0).or_default() += 1;
            *joins.entry(join_name(it.join)).or_default() += 1;
        }
        let most = counts.values().max().copied().unwrap_or(0);
        let used = counts.iter().map(|(patch, uses)| UsedReport {
            patch: *patch,
            pattern: self.patches.pattern_of(randori_patches::PatchId(*patch)).name.clone(),
            uses: *uses,
        });
        report.patches = Some(PatchReport {
            patches: self.patches.len(),
            people: n_people,
            uses: composer.uses.len(),
            most_used_percent: 100.0 * most as f64 / composer.uses.len().max(1) as f64,
            joins,
            used: used.collect(),
            wishes: composer.wishes,
            appointments: composer.kept.clone(),
            filled: self.outcome.filled,
            arrived: (!self.outcome.journeys.is_empty())
                .then(|| self.outcome.journeys.iter().filter(|journey| journey.has_arrived).count()),
        });
        report
    }
}

fn join_name(join: Join) -> &'static str {
    match join {
        Join::Temporal => "temporal",
        Join::Spatial => "spatial",
        Join::Recycled => "recycled",
    }
}
