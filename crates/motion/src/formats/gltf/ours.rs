//! What only our own files say, in `extras.randori`: how people are painted and built, the pieces of
//! props, events and forces. Other files have none of it; where it stands, it must make sense.

use std::collections::BTreeMap;

use glam::{Quat, Vec3};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::bad;
use super::cast::Actor;
use super::document::Document;
use crate::body::Weapon;
use crate::bone::Bone;
use crate::formats::ImportError;
use crate::skeleton::{JointId, Skeleton};
use crate::take::{Color, ContactForce, Event, Piece, Shape, Touching};

/// The most props a file may hold; each costs a pass over all nodes.
const MAX_PROPS: usize = 1024;

/// Of a whole body (kg): beyond all that walks.
const MAX_MASS: f32 = 1e6;

/// Relative to the average of that height (-).
const MAX_GIRTH: f32 = 100.0;

/// The colour of props in files that do not state it.
const GREY: Color = [0.5; 3];

/// How an armature of ours says its character looks; all `None` elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Looks {
    pub(super) color: Option<Color>,
    pub(super) mass: Option<f32>,
    pub(super) girth: Option<f32>,
    pub(super) weapon: Option<Weapon>,
}

/// The looks of a character whose armature is this node.
pub(super) fn read_looks(document: &Document, armature: usize) -> Result<Looks, ImportError> {
    let ours = Ours::of(document, armature);
    let number = |key: &str, most: f32, expected: &str| match ours.read::<f32>(key, expected)? {
        Some(number) if !(0.0..=most).contains(&number) => Err(ours.bad(key, expected, number.to_string())),
        number => Ok(number),
    };
    Ok(Looks {
        color: ours.color()?,
        mass: number("mass", MAX_MASS, "kilograms from 0 to 1000000")?,
        girth: number("girth", MAX_GIRTH, "a ratio from 0 to 100")?,
        weapon: ours.weapon()?,
    })
}

/// A weapon as it is written.
#[derive(Clone, Debug, Deserialize)]
struct WrittenWeapon {
    bone: String,
    ends: [[f32; 3]; 2],
    radius: f32,
}

/// The nodes that make the skeletons of props, the first of each with its name.
pub(super) fn prop_actors(document: &Document) -> Result<Vec<(String, Actor)>, ImportError> {
    let roots =
        document.nodes.iter().enumerate().filter_map(|(root, _)| Some((root, prop_at(document, root)?)));
    let mut props = Vec::new();
    for (root, name) in roots {
        if props.len() == MAX_PROPS {
            return Err(bad("nodes", format!("at most {MAX_PROPS} props"), "more"));
        }
        let (mut nodes, mut parents) = (vec![root], vec![None]);
        let mut at = 0;
        while at < nodes.len() {
            let is_joint =
                |child: &&usize| document.nodes[**child].randori.as_ref().is_some_and(is_joint_of_prop);
            for child in document.nodes[nodes[at]].children.iter().filter(is_joint) {
                nodes.push(*child);
                parents.push(Some(at));
            }
            at += 1;
        }
        props.push((name.to_owned(), Actor { nodes, parents, skins: Vec::new() }));
    }
    Ok(props)
}

/// The name of the prop whose root a node is.
pub(super) fn prop_at(document: &Document, node: usize) -> Option<&str> {
    document.nodes[node].randori.as_ref()?.get("prop")?.as_str()
}

/// A joint that is not the root of a prop of its own.
fn is_joint_of_prop(randori: &Value) -> bool {
    randori.get("joint").is_some_and(Value::is_string) && randori.get("prop").is_none()
}

/// Colour and pieces of the prop whose root is this node; lengths times `scale`.
pub(super) fn read_prop(
    document: &Document,
    root: usize,
    skeleton: &Skeleton,
    scale: f32,
) -> Result<(Color, Vec<Piece>), ImportError> {
    const EXPECTED: &str = "pieces with joint, center, rotation and shape";
    let ours = Ours::of(document, root);
    let mut pieces = Vec::new();
    for written in ours.read::<Vec<WrittenPiece>>("pieces", EXPECTED)?.unwrap_or_default() {
        let joint = skeleton.find(&written.joint).ok_or_else(|| {
            ours.bad("pieces", "joints of the prop", format!("{:?}", super::uri::shorten(&written.joint)))
        })?;
        let rotation = Quat::from_array(written.rotation);
        let piece = Piece {
            joint,
            center: Vec3::from_array(written.center) * scale,
            rotation: rotation.normalize(),
            shape: written.shape.scaled(scale).ok_or_else(|| {
                ours.bad("pieces", "finite sizes, not below 0", format!("{:?}", written.shape))
            })?,
        };
        if !piece.center.is_finite() || !piece.rotation.is_finite() {
            let found = format!("{:?} {:?}", written.center, written.rotation);
            return Err(ours.bad("pieces", "finite numbers and unit quaternions", found));
        }
        pieces.push(piece);
    }
    Ok((ours.color()?.unwrap_or(GREY), pieces))
}

#[derive(Debug, Deserialize)]
struct WrittenPiece {
    joint: String,
    center: [f32; 3],
    rotation: [f32; 4],
    shape: WrittenShape,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum WrittenShape {
    Box { half: [f32; 3] },
    Ball { radius: f32 },
    Capsule { half_length: f32, radius: f32 },
    Cylinder { half_length: f32, radius: f32 },
}

impl WrittenShape {
    /// `None` if a size is not finite or below 0.
    fn scaled(self, scale: f32) -> Option<Shape> {
        let size = |size: f32| Some(size * scale).filter(|size| size.is_finite() && *size >= 0.0);
        Some(match self {
            WrittenShape::Box { half: [x, y, z] } => {
                Shape::Box { half: Vec3::new(size(x)?, size(y)?, size(z)?) }
            }
            WrittenShape::Ball { radius } => Shape::Ball { radius: size(radius)? },
            WrittenShape::Capsule { half_length, radius } => {
                Shape::Capsule { half_length: size(half_length)?, radius: size(radius)? }
            }
            WrittenShape::Cylinder { half_length, radius } => {
                Shape::Cylinder { half_length: size(half_length)?, radius: size(radius)? }
            }
        })
    }
}

/// Events, in order of time, and seed of a file.
pub(super) fn read_events(randori: Option<&Value>) -> Result<(Vec<Event>, Option<u64>), ImportError> {
    let Some(randori) = randori else { return Ok((Vec::new(), None)) };
    let mut events = Vec::new();
    for (idx, event) in list(randori, "events").enumerate() {
        let event: Event = serde_json::from_value(event.clone()).map_err(|error| {
            bad(format!("extras.randori.events[{idx}]"), "an event with t and kind", error.to_string())
        })?;
        events.push(event);
    }
    events.sort_by(|a, b| a.t.total_cmp(&b.t));
    Ok((events, randori.get("seed").and_then(Value::as_u64)))
}

/// Somebody or something that forces act on, by name.
pub(super) type Bodies<'a> = BTreeMap<&'a str, (fn(u32, JointId) -> Touching, u32, &'a Skeleton)>;

/// Forces between those who are there, in order of time; `house_from_file` turns them, `scale` moves where they act. Forces
/// on or from somebody who was taken out of the file are left out.
pub(super) fn read_forces(
    randori: Option<&Value>,
    bodies: &Bodies<'_>,
    house_from_file: Quat,
    scale: f32,
) -> Result<Vec<ContactForce>, ImportError> {
    let mut forces = Vec::new();
    for (idx, written) in randori.into_iter().flat_map(|randori| list(randori, "forces")).enumerate() {
        let element = || format!("extras.randori.forces[{idx}]");
        let written: WrittenForce = serde_json::from_value(written.clone()).map_err(|error| {
            bad(element(), "a force with t, on, from, point and force", error.to_string())
        })?;
        let (Some(on), Some(from)) = (written.on.find(bodies), written.from.find(bodies)) else { continue };
        let force = ContactForce {
            t: written.t,
            on,
            from,
            point: house_from_file * Vec3::from_array(written.point) * scale,
            force: house_from_file * Vec3::from_array(written.force),
        };
        let timely = force.t.is_finite() && force.t >= 0.0;
        if !timely || !force.point.is_finite() || !force.force.is_finite() {
            let found = format!("{:?} N at {:?} at {} s", written.force, written.point, written.t);
            return Err(bad(element(), "finite numbers and a time not below 0", found));
        }
        forces.push(force);
    }
    forces.sort_by(|a, b| a.t.total_cmp(&b.t));
    Ok(forces)
}

#[derive(Debug, Deserialize)]
struct WrittenForce {
    t: f64,
    on: WrittenTouching,
    from: WrittenTouching,
    point: [f32; 3],
    force: [f32; 3],
}

/// `joint` is written where the part has another name than the joint.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum WrittenTouching {
    Named(Named),
    Part { who: String, part: String, joint: Option<String> },
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Named {
    Floor,
}

impl WrittenTouching {
    fn find(&self, bodies: &Bodies<'_>) -> Option<Touching> {
        match self {
            WrittenTouching::Named(Named::Floor) => Some(Touching::Floor),
            WrittenTouching::Part { who, part, joint } => {
                let (touching, id, skeleton) = bodies.get(who.as_str())?;
                let found = skeleton.find(joint.as_ref().unwrap_or(part));
                Some(touching(*id, found.or_else(|| skeleton.bone(Bone::from_name(part)?))?))
            }
        }
    }
}

/// Ends of bones that our own files keep.
pub(super) fn read_tips(ours: Option<&Value>) -> Vec<Vec3> {
    let tips = ours.and_then(|ours| ours.get("tips")?.as_array());
    let tip = |value: &Value| {
        let numbers: [f32; 3] = serde_json::from_value(value.clone()).ok()?;
        Some(Vec3::from_array(numbers)).filter(|tip| tip.is_finite())
    };
    tips.into_iter().flatten().filter_map(tip).collect()
}

fn list<'a>(randori: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    randori.get(key).and_then(Value::as_array).into_iter().flatten()
}

/// `extras.randori` of one node.
struct Ours<'a> {
    node: usize,
    randori: Option<&'a Value>,
}

impl<'a> Ours<'a> {
    fn of(document: &'a Document, node: usize) -> Ours<'a> {
        Ours { node, randori: document.nodes[node].randori.as_ref() }
    }

    /// What stands under a key; `None` if nothing does.
    fn read<T: DeserializeOwned>(&self, key: &str, expected: &str) -> Result<Option<T>, ImportError> {
        let value = self.randori.and_then(|randori| randori.get(key)).filter(|value| !value.is_null());
        let read = value.map(|value| serde_json::from_value(value.clone())).transpose();
        read.map_err(|error| self.bad(key, expected, error.to_string()))
    }

    fn color(&self) -> Result<Option<Color>, ImportError> {
        const EXPECTED: &str = "red, green and blue from 0 to 1";
        match self.read::<Color>("color", EXPECTED)? {
            Some(color) if !color.iter().all(|part| (0.0..=1.0).contains(part)) => {
                Err(self.bad("color", EXPECTED, format!("{color:?}")))
            }
            color => Ok(color),
        }
    }

    fn weapon(&self) -> Result<Option<Weapon>, ImportError> {
        const EXPECTED: &str = "a weapon with bone, ends and radius, no longer than anybody could hold";
        let Some(written) = self.read::<WrittenWeapon>("weapon", EXPECTED)? else { return Ok(None) };
        let bone = Bone::from_name(&written.bone);
        let weapon = |bone| Weapon { bone, ends: written.ends.map(Vec3::from_array), radius: written.radius };
        match bone.map(weapon).filter(Weapon::is_sound) {
            Some(weapon) => Ok(Some(weapon)),
            None => Err(self.bad("weapon", EXPECTED, format!("{written:?}"))),
        }
    }

    fn bad(&self, key: &str, expected: &str, found: String) -> ImportError {
        bad(format!("nodes[{}].extras.randori.{key}", self.node), expected, found)
    }
}
