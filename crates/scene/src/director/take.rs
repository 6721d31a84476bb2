//! From a finished scene to its take: clips, props, events.

use std::sync::Arc;

use glam::{Quat, Vec3};
use randori_arena::bodies::TICKS_PER_SECOND;
use randori_arena::bout::Happening;
use randori_arena::controller::Considered;
use randori_arena::hits::Part;
use randori_arena::record::{Recorded, record};
use randori_arena::stage::Contest;
use randori_motion::take::{Piece, Shape};
use randori_motion::{
    Character, Clip, Event, EventKind, FrameRate, Joint, JointId, Pose, Prop, Skeleton, Take,
};
use serde_json::{Value, json};

use super::report::CheckpointReport;
use super::{Director, DirectorError, Report, held, seconds};

/// Candidates that an explained decision names.
const CANDIDATES: usize = 8;

pub(super) fn take_of(director: &Director) -> Result<(Take, Report), DirectorError> {
    let names: Vec<String> = director.roles.iter().map(|role| role.name.clone()).collect();
    let end = director.bout.moment.tick.min(director.end).max(1);
    let recorded = record(&director.bout, &names, end, !director.scene.refinement.ragdoll)?;
    let mut take = Take::new(director.scene.name.clone(), director.scene.seed);
    let mut events = director.events.clone();
    for (who, recorded) in recorded.into_iter().enumerate() {
        let passed = &director.report.characters[who].checkpoints;
        events.extend(passed.iter().map(|passed| checkpoint_event(&names[who], passed)));
        let Some(recorded) = recorded else { continue };
        events.extend(footsteps(&names[who], &recorded));
        take.characters.push(Character {
            name: names[who].clone(),
            color: director.roles[who].color,
            body: Arc::clone(director.bout.stage.cast[who].bodies.library().body()),
            enter: seconds(recorded.enter.max(0)),
            clip: recorded.clip,
        });
    }
    for at in 0..director.story.props.len() {
        let prop = prop_of(director, at, &take.characters, end)?;
        take.props.extend(prop);
    }
    events.retain(|event| event.t <= seconds(end));
    events.sort_by(|a, b| a.t.total_cmp(&b.t));
    take.events = events;
    let mut report = director.report.clone();
    for (character, way) in report.characters.iter_mut().zip(&director.ways) {
        character.checkpoints_left = way.n_left() as u32;
    }
    report.close(seconds(end));
    Ok((take, report))
}

/// What a happening is called in the take.
pub(super) fn events_of(director: &Director, happening: &Happening) -> Vec<Event> {
    let name = |who: usize| Some(director.roles[who].name.clone());
    match happening {
        Happening::Decided { tick, who, verdict } => {
            let cast = &director.bout.stage.cast[*who];
            let action = cast.bodies.library().action(verdict.action);
            let mut event = Event::new(seconds(*tick), EventKind::Decision);
            event.who = name(*who);
            let screening = &verdict.screening;
            insert(&mut event, "action", action.name.as_str().into());
            insert(&mut event, "options", screening.options.into());
            insert(&mut event, "plausible", screening.left.into());
            if director.bout.explain {
                let pruned = json!({
                    "penetration": screening.penetrating,
                    "facing": screening.turned_away,
                    "range": screening.out_of_range,
                    "logic": screening.illogical,
                });
                insert(&mut event, "pruned", pruned);
                let library = cast.bodies.library();
                let told = |it: &Considered| candidate(&library.action(it.action).name, it);
                let list: Vec<Value> = verdict.candidates.iter().take(CANDIDATES).map(told).collect();
                insert(&mut event, "candidates", list.into());
                insert(&mut event, "edges", verdict.edges.into());
            }
            let mut events = vec![event];
            if director.bout.is_attack(*who, verdict.action) {
                let mut event = Event::new(seconds(*tick), EventKind::Other("attack".to_owned()));
                event.who = name(*who);
                event.whom = name(director.bout.aims[*who].opponent);
                event.part = action.windows.first().map(|window| window.part.name().to_owned());
                insert(&mut event, "action", action.name.as_str().into());
                events.push(event);
            }
            events
        }
        Happening::Landed(landed) => {
            let hit = &landed.hit;
            // Whoever is caught is caught by an arm, too.
            let is_fight = director.bout.stage.contest == Contest::Fight;
            let stopped = is_fight && hit.part() == Part::Limb;
            let kind = if stopped { EventKind::Blocked } else { EventKind::Hit };
            let mut event = Event::new(seconds(hit.tick), kind);
            let [who, whom] = [landed.who, landed.whom].map(usize::from);
            (event.who, event.whom) = (name(who), name(whom));
            event.part = Some(hit.with.name().to_owned());
            event.speed = Some(f64::from(hit.velocity.length()));
            insert(&mut event, "bone", hit.bone.name().into());
            insert(&mut event, "point", json!(hit.point.to_array()));
            insert(&mut event, "damage", json!(hit.damage()));
            if hit.on_weapon {
                insert(&mut event, "on_weapon", true.into());
            }
            let library = |who: usize| director.bout.stage.cast[who].bodies.library();
            insert(&mut event, "action", library(who).action(landed.action).name.as_str().into());
            let mut contact = Event::new(event.t, EventKind::ContactBegins);
            (contact.who, contact.whom, contact.part) =
                (event.who.clone(), event.whom.clone(), event.part.clone());
            let mut events = vec![event, contact];
            if let Some(answer) = landed.answer {
                let mut event = Event::new(seconds(hit.tick), EventKind::Other("reaction".to_owned()));
                event.who = name(whom);
                insert(&mut event, "action", library(whom).action(answer.action).name.as_str().into());
                insert(&mut event, "frame", answer.skipped.into());
                events.push(event);
            }
            events
        }
    }
}

fn checkpoint_event(name: &str, passed: &CheckpointReport) -> Event {
    let mut event = Event::new(passed.done, EventKind::Checkpoint);
    event.who = Some(name.to_owned());
    insert(&mut event, "number", passed.number.into());
    insert(&mut event, "error", json!(passed.error));
    event
}

pub(super) fn insert(event: &mut Event, key: &str, value: Value) {
    event.details.insert(key.to_owned(), value);
}

fn candidate(name: &str, considered: &Considered) -> Value {
    let terms = &considered.terms;
    json!({
        "action": name,
        "scores": considered.scores,
        "movement": terms.movement,
        "score": terms.score,
        "combination": terms.combination + terms.staged,
        "recency": terms.recency,
        "path": terms.path,
        "requirement": terms.requirement,
    })
}

/// Feet that come down.
pub(super) fn footsteps(name: &str, recorded: &Recorded) -> Vec<Event> {
    let mut events = Vec::new();
    for (frame, pair) in recorded.standing.windows(2).enumerate() {
        for (side, foot) in ["leftFoot", "rightFoot"].into_iter().enumerate() {
            if pair[1][side] && !pair[0][side] {
                let mut event = Event::new(seconds(recorded.enter + frame as i32 + 1), EventKind::Footstep);
                event.who = Some(name.to_owned());
                event.part = Some(foot.to_owned());
                events.push(event);
            }
        }
    }
    events
}

fn prop_of(
    director: &Director,
    at: usize,
    characters: &[Character],
    end: i32,
) -> Result<Option<Prop>, DirectorError> {
    let thing = &director.story.props[at];
    let Some(started) = thing.started else { return Ok(None) };
    let first = (started * f64::from(TICKS_PER_SECOND)).ceil() as i32;
    if first >= end {
        return Ok(None);
    }
    let [x, y, z] = thing.role.size;
    let skeleton = Skeleton::new(vec![Joint::new(&thing.role.name, None, Vec3::ZERO)])?;
    let carriers = thing.role.between.as_ref().and_then(|names| held::Carriers::of(characters, names));
    if thing.role.between.is_some() && carriers.is_none() {
        return Ok(None);
    }
    let pose = |tick: i32| {
        if let Some(carriers) = &carriers {
            let (middle, turn) = carriers.load_at(seconds(tick));
            return Pose { rotations: vec![turn], translations: vec![middle - turn * (0.5 * y * Vec3::Y)] };
        }
        let (place, heading) = thing.place(seconds(tick)).unwrap_or((Vec3::ZERO, 0.0));
        Pose { rotations: vec![Quat::from_rotation_y(heading)], translations: vec![place] }
    };
    let clip = Clip::from_poses(
        &thing.role.name,
        Arc::new(skeleton),
        FrameRate::HOUSE,
        (first..end).map(pose).collect::<Vec<Pose>>(),
    )?;
    let half = Vec3::new(0.5 * x, 0.5 * y, 0.5 * z);
    let (height, shape) = if thing.role.is_ball {
        (half.x, Shape::Ball { radius: half.x })
    } else {
        (half.y, Shape::Box { half })
    };
    let piece = Piece { joint: JointId::ROOT, center: Vec3::Y * height, rotation: Quat::IDENTITY, shape };
    Ok(Some(Prop {
        name: thing.role.name.clone(),
        color: thing.role.color,
        pieces: vec![piece],
        enter: seconds(first),
        clip,
    }))
}
