//! The take: all that the outside knows of a result, whichever planner made it.
//!
//! Exporters, the renderer, the linter and every viewer start from a [`Take`].

use std::sync::Arc;

use glam::{Quat, Vec3};
use serde::{Deserialize, Serialize};

use crate::body::Body;
use crate::clip::Clip;
use crate::skeleton::JointId;

/// A character of one take: its place in [`Take::characters`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CharacterId(pub u32);

/// A prop of one take: its place in [`Take::props`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PropId(pub u32);

/// A colour, linear red, green and blue from 0 to 1.
pub type Color = [f32; 3];

/// Several people and things in one world over one span of time.
#[derive(Clone, Debug, PartialEq)]
pub struct Take {
    /// What it is called.
    pub name: String,
    /// The seed it was made with.
    pub seed: u64,
    /// The people.
    pub characters: Vec<Character>,
    /// The things: balls, boxes, swords, cars, doors.
    pub props: Vec<Prop>,
    /// What happened, in order of time; that order is required.
    pub events: Vec<Event>,
    /// Forces between bodies, props and the floor, in order of time; that order is required.
    pub forces: Vec<ContactForce>,
}

/// One person of a take.
#[derive(Clone, Debug, PartialEq)]
pub struct Character {
    /// Unique among characters and props of the take; exported bones are named `blue.hips`.
    pub name: String,
    /// How it is painted.
    pub color: Color,
    /// Its shape. The clip's skeleton is the body's.
    pub body: Arc<Body>,
    /// When it enters the take (s); its clip's first frame is then.
    pub enter: f64,
    /// Its motion in world coordinates, at any rate. It leaves with the last frame.
    pub clip: Clip,
}

impl Character {
    /// When it leaves the take (s).
    pub fn exit(&self) -> f64 {
        self.enter + self.clip.duration()
    }
}

/// One thing of a take: rigid with one joint, articulated with several.
#[derive(Clone, Debug, PartialEq)]
pub struct Prop {
    /// Unique among characters and props of the take.
    pub name: String,
    /// How it is painted.
    pub color: Color,
    /// Its volume, each piece fixed to a joint of the clip's skeleton.
    pub pieces: Vec<Piece>,
    /// When it enters the take (s).
    pub enter: f64,
    /// Its motion in world coordinates, at any rate.
    pub clip: Clip,
}

impl Prop {
    /// When it leaves the take (s).
    pub fn exit(&self) -> f64 {
        self.enter + self.clip.duration()
    }
}

/// A rigid piece of a prop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece {
    /// The joint it is fixed to.
    pub joint: JointId,
    /// Its centre in the joint's frame (m).
    pub center: Vec3,
    /// `joint_from_piece`.
    pub rotation: Quat,
    /// What it looks like.
    pub shape: Shape,
}

/// The shape of a piece, centred on its origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// A box with these half sizes (m).
    Box {
        /// Half the size along each axis (m).
        half: Vec3,
    },
    /// A ball (m).
    Ball {
        /// Its radius (m).
        radius: f32,
    },
    /// A cylinder with round ends along Y.
    Capsule {
        /// Half the length of its axis, without the ends (m).
        half_length: f32,
        /// Its radius (m).
        radius: f32,
    },
    /// A cylinder along Y.
    Cylinder {
        /// Half its height (m).
        half_length: f32,
        /// Its radius (m).
        radius: f32,
    },
}

/// What kind of thing happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// A character chose its next action; the details hold candidates and reasons.
    Decision,
    /// A blow landed.
    Hit,
    /// A blow was stopped by a block or a parry.
    Blocked,
    /// Two bodies, or a body and a prop, began to touch.
    ContactBegins,
    /// They ceased to touch.
    ContactEnds,
    /// A foot came down.
    Footstep,
    /// A character passed a point of its path.
    Checkpoint,
    /// A phase of the scene began.
    Phase,
    /// Anything else, under its own name.
    #[serde(untagged)]
    Other(String),
}

/// Something that happened at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// When (s).
    pub t: f64,
    /// What.
    pub kind: EventKind,
    /// Name of the character or prop that did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub who: Option<String>,
    /// Name of the character or prop it was done to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whom: Option<String>,
    /// The part of the body or prop concerned, such as `rightHand`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// How fast (m/s).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed: Option<f64>,
    /// What else there is to say, under names other than those of the fields above.
    #[serde(default, flatten, skip_serializing_if = "serde_json::Map::is_empty")]
    pub details: serde_json::Map<String, serde_json::Value>,
}

impl Event {
    /// An event of which nothing but time and kind is known.
    pub fn new(t: f64, kind: EventKind) -> Event {
        Event { t, kind, who: None, whom: None, part: None, speed: None, details: Default::default() }
    }
}

/// One end of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touching {
    /// The ground.
    Floor,
    /// A joint of a character.
    Character(CharacterId, JointId),
    /// A joint of a prop.
    Prop(PropId, JointId),
}

/// A force between two things at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactForce {
    /// When (s).
    pub t: f64,
    /// What it acts on.
    pub on: Touching,
    /// What it comes from.
    pub from: Touching,
    /// Where, in the world (m).
    pub point: Vec3,
    /// How strong and which way, in the world (N).
    pub force: Vec3,
}

/// Why a take cannot be shown or exported.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TakeError {
    /// Nobody and nothing is in it.
    #[error("the take has neither characters nor props")]
    Empty,
    /// Two characters or props share a name, or one is empty.
    #[error("two characters or props are named \"{0}\"; names must be unique and not empty")]
    Name(String),
    /// A character's clip moves another skeleton than its body's.
    #[error("the clip of \"{0}\" was made for another skeleton than its body's")]
    Skeleton(String),
    /// A time is not finite, or before the take begins.
    #[error("\"{name}\" has the time {t}; times must be finite and not below 0")]
    Time {
        /// The character, prop or event.
        name: String,
        /// The time (s).
        t: f64,
    },
    /// A piece or a force refers to a joint, character or prop that is not there.
    #[error("\"{0}\" refers to a joint, character or prop that is not there")]
    Dangling(String),
    /// A number is NaN or infinite.
    #[error("\"{0}\" has a number that is not finite")]
    NotFinite(String),
    /// A piece of a prop is turned by something that is no rotation.
    #[error("a piece of \"{0}\" has a rotation that is not of unit length")]
    Rotation(String),
    /// A piece of a prop has a negative size.
    #[error("a piece of \"{name}\" has the size {size}; sizes must not be below 0")]
    Size {
        /// The prop.
        name: String,
        /// The size (m).
        size: f32,
    },
    /// Events or forces are not in order of time.
    #[error("{what} must be in order of time; one at {t} s comes after one at {before} s")]
    Order {
        /// `events` or `forces`.
        what: &'static str,
        /// The later time (s), which comes first.
        before: f64,
        /// The earlier time (s), which comes next.
        t: f64,
    },
    /// A detail of an event has the name of one of its fields.
    #[error("an event at {t} s has the detail \"{key}\", which is the name of a field of every event")]
    Detail {
        /// When the event is (s).
        t: f64,
        /// The name.
        key: String,
    },
}

impl Take {
    /// A take without anybody in it yet.
    pub fn new(name: impl Into<String>, seed: u64) -> Take {
        Take {
            name: name.into(),
            seed,
            characters: Vec::new(),
            props: Vec::new(),
            events: Vec::new(),
            forces: Vec::new(),
        }
    }

    /// When the last character or prop leaves (s).
    pub fn duration(&self) -> f64 {
        let exits = self.characters.iter().map(Character::exit).chain(self.props.iter().map(Prop::exit));
        exits.fold(0.0, f64::max)
    }

    /// Checks all that exporters and viewers rely on.
    pub fn validate(&self) -> Result<(), TakeError> {
        if self.characters.is_empty() && self.props.is_empty() {
            return Err(TakeError::Empty);
        }
        let mut names = std::collections::BTreeSet::new();
        let entries = (self.characters.iter().map(|character| (&character.name, character.enter)))
            .chain(self.props.iter().map(|prop| (&prop.name, prop.enter)));
        for (name, enter) in entries {
            if name.is_empty() || !names.insert(name) {
                return Err(TakeError::Name(name.clone()));
            }
            check_time(name, enter)?;
        }
        for character in &self.characters {
            let (clip, body) = (character.clip.skeleton(), &character.body.skeleton);
            if !Arc::ptr_eq(clip, body) && clip != body {
                return Err(TakeError::Skeleton(character.name.clone()));
            }
        }
        for prop in &self.props {
            for piece in &prop.pieces {
                if piece.joint.idx() >= prop.clip.skeleton().n_joints() {
                    return Err(TakeError::Dangling(prop.name.clone()));
                }
                check_piece(&prop.name, piece)?;
            }
        }
        for event in &self.events {
            check_time("event", event.t)?;
            if event.speed.is_some_and(|speed| !speed.is_finite()) {
                return Err(TakeError::NotFinite("event".to_owned()));
            }
            if let Some(key) = EVENT_FIELDS.into_iter().find(|key| event.details.contains_key(*key)) {
                return Err(TakeError::Detail { t: event.t, key: key.to_owned() });
            }
        }
        check_order("events", self.events.iter().map(|event| event.t))?;
        for force in &self.forces {
            check_time("force", force.t)?;
            if !self.holds(force.on) || !self.holds(force.from) {
                return Err(TakeError::Dangling("force".to_owned()));
            }
            if !force.point.is_finite() || !force.force.is_finite() {
                return Err(TakeError::NotFinite("force".to_owned()));
            }
        }
        check_order("forces", self.forces.iter().map(|force| force.t))
    }

    fn holds(&self, touching: Touching) -> bool {
        let (clip, joint) = match touching {
            Touching::Floor => return true,
            Touching::Character(id, joint) => {
                (self.characters.get(id.0 as usize).map(|character| &character.clip), joint)
            }
            Touching::Prop(id, joint) => (self.props.get(id.0 as usize).map(|prop| &prop.clip), joint),
        };
        clip.is_some_and(|clip| joint.idx() < clip.skeleton().n_joints())
    }
}

fn check_time(name: &str, t: f64) -> Result<(), TakeError> {
    if t.is_finite() && t >= 0.0 { Ok(()) } else { Err(TakeError::Time { name: name.to_owned(), t }) }
}

/// The names under which an [`Event`] writes what it always has.
const EVENT_FIELDS: [&str; 6] = ["t", "kind", "who", "whom", "part", "speed"];

fn check_piece(name: &str, piece: &Piece) -> Result<(), TakeError> {
    let sizes = match piece.shape {
        Shape::Box { half } => half,
        Shape::Ball { radius } => Vec3::splat(radius),
        Shape::Capsule { half_length, radius } | Shape::Cylinder { half_length, radius } => {
            Vec3::new(radius, half_length, radius)
        }
    };
    if !piece.center.is_finite() || !piece.rotation.is_finite() || !sizes.is_finite() {
        return Err(TakeError::NotFinite(name.to_owned()));
    }
    if !piece.rotation.is_normalized() {
        return Err(TakeError::Rotation(name.to_owned()));
    }
    match sizes.min_element() {
        size if size < 0.0 => Err(TakeError::Size { name: name.to_owned(), size }),
        _ => Ok(()),
    }
}

fn check_order(what: &'static str, times: impl Iterator<Item = f64> + Clone) -> Result<(), TakeError> {
    match times.clone().zip(times.skip(1)).find(|(before, t)| t < before) {
        Some((before, t)) => Err(TakeError::Order { what, before, t }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Build;
    use crate::rate::FrameRate;

    fn standing(name: &str) -> Character {
        let body = Arc::new(Build::AVERAGE.body());
        let poses = vec![body.skeleton.rest_pose(); 3];
        let clip = Clip::from_poses("stand", Arc::clone(&body.skeleton), FrameRate::HOUSE, poses).unwrap();
        Character { name: name.to_owned(), color: [0.2, 0.4, 0.8], body, enter: 0.5, clip }
    }

    #[test]
    fn a_take_lasts_until_the_last_has_left() {
        let mut take = Take::new("two", 1);
        take.characters = vec![standing("a"), standing("b")];
        take.characters[1].enter = 2.0;
        assert!((take.duration() - (2.0 + 2.0 / 60.0)).abs() < 1e-12);
        assert_eq!(take.validate(), Ok(()));
    }

    #[test]
    fn mistakes_are_named() {
        let mut take = Take::new("bad", 1);
        assert_eq!(take.validate(), Err(TakeError::Empty));
        take.characters = vec![standing("a"), standing("a")];
        assert_eq!(take.validate(), Err(TakeError::Name("a".to_owned())));
        take.characters[1].name = "b".to_owned();
        take.characters[1].body = Arc::new(Build::SLIM.body());
        assert_eq!(take.validate(), Err(TakeError::Skeleton("b".to_owned())));
        take.characters.pop();
        take.events.push(Event::new(f64::NAN, EventKind::Hit));
        assert!(matches!(take.validate(), Err(TakeError::Time { .. })));
        take.events.clear();
        let force = ContactForce {
            t: 0.0,
            on: Touching::Character(CharacterId(7), JointId(0)),
            from: Touching::Floor,
            point: Vec3::ZERO,
            force: Vec3::Y,
        };
        take.forces.push(force);
        assert_eq!(take.validate(), Err(TakeError::Dangling("force".to_owned())));
    }

    fn check_refused(change: impl FnOnce(&mut Take), expected: &str) {
        let mut take = Take::new("prop", 1);
        let skeleton =
            Arc::new(crate::Skeleton::new(vec![crate::Joint::new("a", None, Vec3::ZERO)]).unwrap());
        let clip = Clip::from_poses("a", Arc::clone(&skeleton), FrameRate::HOUSE, [skeleton.rest_pose()]);
        let shape = Shape::Ball { radius: 0.0 };
        let piece = Piece { joint: JointId(0), center: Vec3::ZERO, rotation: Quat::IDENTITY, shape };
        let (name, color) = ("box".to_owned(), [0.5; 3]);
        take.props.push(Prop { name, color, pieces: vec![piece], enter: 0.0, clip: clip.unwrap() });
        take.events = [0.5, 0.5, 2.0].map(|t| Event::new(t, EventKind::Hit)).to_vec();
        let (on, from) = (Touching::Prop(PropId(0), JointId(0)), Touching::Floor);
        let force = |t| ContactForce { t, on, from, point: Vec3::ZERO, force: Vec3::Y };
        take.forces = [0.0, 1.0].map(force).to_vec();
        assert_eq!(take.validate(), Ok(()));
        change(&mut take);
        assert_eq!(take.validate().unwrap_err().to_string(), expected);
    }

    #[test]
    fn pieces_are_solid() {
        let piece = |change: fn(&mut Piece)| move |take: &mut Take| change(&mut take.props[0].pieces[0]);
        let not_unit = "a piece of \"box\" has a rotation that is not of unit length";
        check_refused(piece(|it| it.rotation = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0)), not_unit);
        check_refused(piece(|it| it.rotation = Quat::from_xyzw(0.0, 0.0, 0.0, 1.1)), not_unit);
        let negative = "a piece of \"box\" has the size -0.5; sizes must not be below 0";
        let half = Vec3::new(1.0, -0.5, 1.0);
        check_refused(move |take| take.props[0].pieces[0].shape = Shape::Box { half }, negative);
        check_refused(piece(|it| it.shape = Shape::Ball { radius: -0.5 }), negative);
        check_refused(piece(|it| it.shape = Shape::Capsule { half_length: -0.5, radius: 1.0 }), negative);
        check_refused(piece(|it| it.shape = Shape::Cylinder { half_length: 1.0, radius: -0.5 }), negative);
        let not_finite = "\"box\" has a number that is not finite";
        check_refused(piece(|it| it.shape = Shape::Ball { radius: f32::NAN }), not_finite);
        check_refused(piece(|it| it.center.x = f32::INFINITY), not_finite);
    }

    #[test]
    fn events_and_forces_are_in_order() {
        check_refused(
            |take| take.events[2].t = 0.25,
            "events must be in order of time; one at 0.25 s comes after one at 0.5 s",
        );
        check_refused(
            |take| take.forces[0].t = 3.0,
            "forces must be in order of time; one at 1 s comes after one at 3 s",
        );
        check_refused(
            |take| take.events[0].speed = Some(f64::INFINITY),
            "\"event\" has a number that is not finite",
        );
        for key in EVENT_FIELDS {
            check_refused(
                |take| drop(take.events[2].details.insert(key.to_owned(), 1.into())),
                &format!(
                    "an event at 2 s has the detail \"{key}\", which is the name of a field of every event"
                ),
            );
        }
    }

    #[test]
    fn events_read_as_people_write_them() {
        let mut event = Event::new(1.25, EventKind::Hit);
        event.who = Some("blue".to_owned());
        event.part = Some("rightHand".to_owned());
        event.details.insert("damage".to_owned(), 3.into());
        let text = serde_json::to_string(&event).unwrap();
        assert_eq!(text, r#"{"t":1.25,"kind":"hit","who":"blue","part":"rightHand","damage":3}"#);
        assert_eq!(serde_json::from_str::<Event>(&text).unwrap(), event);
        let other: Event = serde_json::from_str(r#"{"t":0,"kind":"taunt"}"#).unwrap();
        assert_eq!(other.kind, EventKind::Other("taunt".to_owned()));
    }
}
