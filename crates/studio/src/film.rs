//! A take that is shown: its figures, and all that a timeline says about it.

use std::sync::Arc;

use randori_motion::annotation::Kind;
use randori_motion::take::{Piece, Shape};
use randori_motion::{Annotation, Event, EventKind, Take};
use randori_scene::check::{Finding, Footage, Limits, check};
use serde_json::{Value, json};

use crate::figure::Figure;
use crate::frames;

/// A take with what is needed to show it.
#[derive(Clone, Debug)]
pub(crate) struct Film {
    pub(crate) take: Arc<Take>,
    figures: Vec<Figure>,
    findings: Vec<Finding>,
    /// Counts up whenever something else is shown.
    pub(crate) version: u32,
    /// How long it will be (s).
    pub(crate) seconds: f64,
    /// Whether it is all there, feet put right.
    pub(crate) is_done: bool,
}

impl Film {
    pub(crate) fn new(take: Arc<Take>, version: u32, seconds: f64, is_done: bool) -> Film {
        let figures = take.characters.iter().map(|character| Figure::of(&character.body)).collect();
        let findings = if is_done { findings(&take) } else { Vec::new() };
        Film { take, figures, findings, version, seconds, is_done }
    }

    /// How much of it is there (s).
    pub(crate) fn ready(&self) -> f64 {
        self.take.duration()
    }

    /// The frame at a time (s).
    pub(crate) fn frame(&self, picture: u8, t: f64) -> Vec<u8> {
        frames::of_take(&self.take, &self.figures, picture, t, self.version)
    }

    /// For the viewers.
    pub(crate) fn told(&self, picture: u8) -> Value {
        let take = &self.take;
        let people = take.characters.iter().zip(&self.figures).map(|(character, figure)| {
            let told = person(&character.name, character.color, figure);
            let acts: Vec<Value> = (take.events.iter())
                .filter(|event| event.who.as_deref() == Some(&character.name))
                .filter_map(act)
                .collect();
            let plans: Vec<Value> = (take.events.iter())
                .filter(|event| event.who.as_deref() == Some(&character.name))
                .filter_map(planned)
                .collect();
            let more =
                json!({ "enter": character.enter, "exit": character.exit(), "acts": acts, "plans": plans });
            merged(told, more)
        });
        let things = take.props.iter().map(|prop| {
            let pieces: Vec<Value> = prop.pieces.iter().map(piece).collect();
            json!({ "name": prop.name, "color": prop.color, "pieces": pieces })
        });
        let marks: Vec<Value> = take.events.iter().filter_map(mark).collect();
        let findings = self.findings.iter().map(|finding| {
            let [first, last] = finding.frames.map(|frame| frame as f64 / FPS);
            json!({ "kind": finding.kind, "who": finding.who, "whom": finding.whom, "part": finding.part,
                "from": first, "to": last, "value": finding.value, "limit": finding.limit, "unit": finding.unit })
        });
        json!({
            "picture": picture,
            "version": self.version,
            "name": take.name,
            "seconds": self.seconds.max(self.ready()),
            "ready": self.ready(),
            "done": self.is_done,
            "people": people.collect::<Vec<Value>>(),
            "things": things.collect::<Vec<Value>>(),
            "marks": marks,
            "findings": findings.collect::<Vec<Value>>(),
        })
    }
}

/// Frames of the linter in a second.
const FPS: f64 = 60.0;

fn findings(take: &Take) -> Vec<Finding> {
    Footage::of_take(take, FPS)
        .map_or_else(|_| Vec::new(), |footage| check(&footage, &Limits::default()).findings)
}

/// How somebody looks.
pub(crate) fn person(name: &str, color: [f32; 3], figure: &Figure) -> Value {
    let pieces: Vec<Value> =
        figure.pieces.iter().map(|it| json!([it.radii[0], it.radii[1], it.tint as u8])).collect();
    json!({ "name": name, "color": color, "pieces": pieces, "trails": figure.trails })
}

/// The fields of both.
fn merged(mut into: Value, from: Value) -> Value {
    if let (Value::Object(into), Value::Object(from)) = (&mut into, from) {
        into.extend(from);
    }
    into
}

fn piece(piece: &Piece) -> Value {
    let (shape, size) = match piece.shape {
        Shape::Box { half } => ("box", half.to_array()),
        Shape::Ball { radius } => ("ball", [radius; 3]),
        Shape::Capsule { half_length, radius } => ("capsule", [radius, half_length, radius]),
        Shape::Cylinder { half_length, radius } => ("cylinder", [radius, half_length, radius]),
    };
    json!({ "joint": piece.joint.0, "center": piece.center.to_array(), "rotation": piece.rotation.to_array(),
        "shape": shape, "size": size })
}

/// A new action on somebody's track: when, what, of what kind, whether it was decided.
fn act(event: &Event) -> Option<Value> {
    let is_decision = event.kind == EventKind::Decision;
    let is_act =
        |kind: &EventKind| matches!(kind, EventKind::Other(name) if name == "reaction" || name == "action");
    if !is_decision && !is_act(&event.kind) {
        return None;
    }
    let name = event.details.get("action")?.as_str()?;
    Some(json!([event.t, name, kind_of(name), is_decision]))
}

/// What somebody might have done, who draws from a mixed policy: when, where from (m, m, rad), and places with their
/// probabilities.
fn planned(event: &Event) -> Option<Value> {
    let detail = |key: &str| event.details.get(key);
    let at = detail("at")?.as_array()?;
    Some(json!([event.t, at.first()?, at.get(1)?, detail("heading")?, detail("plans")?]))
}

/// The kind of an action by its name, which is its annotation and a number.
pub(crate) fn kind_of(name: &str) -> &'static str {
    let (stem, number) = name.rsplit_once('-').unwrap_or((name, ""));
    let is_numbered = !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit());
    match Annotation::new(if is_numbered { stem } else { name }).map(|annotation| annotation.kind()) {
        Ok(Kind::Attack) => "attack",
        Ok(Kind::Defence) => "defence",
        Ok(Kind::Reaction) => "reaction",
        Ok(Kind::Transition) => "move",
        Err(_) => "other",
    }
}

/// Something to mark on the timeline and in the picture.
fn mark(event: &Event) -> Option<Value> {
    let kind = match &event.kind {
        EventKind::Hit => "hit",
        EventKind::Blocked => "blocked",
        EventKind::Checkpoint => "checkpoint",
        EventKind::Phase => "phase",
        _ => return None,
    };
    let detail = |key: &str| event.details.get(key).cloned().unwrap_or(Value::Null);
    Some(json!({ "t": event.t, "kind": kind, "who": event.who, "whom": event.whom, "part": event.part,
        "point": detail("point"), "damage": detail("damage"), "bone": detail("bone"), "camera": detail("camera"),
        "name": detail("beat"), "number": detail("number") }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_known_by_their_names() {
        assert_eq!(kind_of("left-hook-12"), "attack");
        assert_eq!(kind_of("slip-left"), "defence");
        assert_eq!(kind_of("step-forward-3"), "move");
    }

    #[test]
    fn a_film_tells_who_is_in_it() {
        let film = Film::new(Arc::new(randori_testkit::takes::motley()), 1, 2.0, true);
        let told = film.told(0);
        assert_eq!(told["people"].as_array().unwrap().len(), 3);
        assert_eq!(told["things"].as_array().unwrap().len(), 3);
        assert_eq!(told["marks"][1]["kind"], "hit");
    }
}
