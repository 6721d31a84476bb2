//! Who touches whom: hands, feet and trunks of people that meet and part again, as events of a take.
//!
//! What it refuses to do: it moves nobody and judges nothing; how deep bodies are in each other is the
//! [linter](crate::check)'s business. A foot on the floor is a footstep, and no contact.

use std::collections::BTreeMap;

use glam::Vec3;
use randori_motion::math::nearest_points;
use randori_motion::{Bone, Character, Event, EventKind, GlobalPose, Pose, Take};
use rayon::prelude::*;

/// How often it is looked (s).
const LOOK: f64 = 1.0 / 30.0;
/// Nearer than this two parts touch (m).
const TOUCHES: f32 = 0.005;
/// Those that touch part when they are farther than this from each other (m).
const PARTS: f32 = 0.02;
/// Hips farther apart than this on the floor are out of each other's reach (m).
const OUT_OF_REACH: f32 = 2.2;
/// A contact that begins so soon before or after one that is already told is the same (s).
const TOLD: f64 = 0.15;

/// The parts that touch something, by the bones they go by: hands and feet, and the trunk with the head.
const TOUCHING: [&[Bone]; 5] = [
    &[Bone::LeftHand],
    &[Bone::RightHand],
    &[Bone::LeftFoot, Bone::LeftToes],
    &[Bone::RightFoot, Bone::RightToes],
    TRUNK,
];
const TRUNK: &[Bone] = &[Bone::Hips, Bone::Spine, Bone::Chest, Bone::UpperChest, Bone::Neck, Bone::Head];

/// Adds to a take when hands, feet and trunks of its people begin to touch somebody, and cease to. Blows that met
/// something are contacts that were already told of; only their ends are added.
pub fn note(take: &mut Take) {
    let people = &take.characters;
    let couples: Vec<(usize, usize)> = (0..people.len())
        .flat_map(|a| (0..people.len()).map(move |b| (a, b)))
        .filter(|(a, b)| a != b)
        .collect();
    let bodies: Vec<Vec<Vec<[Vec3; 2]>>> = people.par_iter().map(bodies).collect();
    let found: Vec<Vec<Event>> = (couples.par_iter())
        .map(|(a, b)| contacts_of([(&people[*a], &bodies[*a]), (&people[*b], &bodies[*b])], a < b))
        .collect();
    let mut told: BTreeMap<Ends, Vec<f64>> = BTreeMap::new();
    for event in take.events.iter().filter(|event| event.kind == EventKind::ContactBegins) {
        told.entry(ends(event)).or_default().push(event.t);
    }
    let is_told = |event: &Event| {
        let times = told.get(&ends(event)).map_or(&[][..], Vec::as_slice);
        event.kind == EventKind::ContactBegins && times.iter().any(|t| (t - event.t).abs() < TOLD)
    };
    take.events.extend(found.into_iter().flatten().filter(|event| !is_told(event)));
    take.events.sort_by(|a, b| a.t.total_cmp(&b.t));
}

type Ends = [Option<String>; 3];

fn ends(event: &Event) -> Ends {
    [event.who.clone(), event.whom.clone(), event.part.clone()]
}

/// Both ends of all capsules of somebody, whenever it is looked (m).
fn bodies(character: &Character) -> Vec<Vec<[Vec3; 2]>> {
    let n_looks = (character.clip.duration() / LOOK) as usize + 1;
    let (mut pose, mut globals) = (Pose::default(), GlobalPose::default());
    let mut look = |k: usize| {
        // Looks are at whole multiples of their interval in the time of the take.
        let t = first_look(character) as f64 * LOOK + k as f64 * LOOK - character.enter;
        character.clip.sample_into(t.min(character.clip.duration()), &mut pose);
        character.clip.skeleton().globals_into(pose.view(), &mut globals);
        let ends = |capsule: &randori_motion::Capsule| {
            [capsule.a, capsule.b].map(|end| globals.point(capsule.joint, end))
        };
        character.body.capsules.iter().map(ends).collect()
    };
    (0..n_looks).map(&mut look).collect()
}

/// The number of the first look at which somebody is there.
fn first_look(character: &Character) -> usize {
    (character.enter / LOOK).ceil() as usize
}

/// When the parts of the first touch the second. Trunks touch each other: that is told of the first of a couple only.
fn contacts_of(
    [(own, bodies), (other, others)]: [(&Character, &Vec<Vec<[Vec3; 2]>>); 2],
    is_first: bool,
) -> Vec<Event> {
    let [first, last] = [first_look(own), first_look(other)];
    let until = (first + bodies.len()).min(last + others.len());
    let is_of = |character: &Character, bones: &[Bone]| -> Vec<usize> {
        let capsules = character.body.capsules.iter().enumerate();
        capsules.filter(|(_, capsule)| bones.contains(&capsule.bone)).map(|(at, _)| at).collect()
    };
    let (Some(hips), Some(their_hips)) =
        (is_of(own, &[Bone::Hips]).first().copied(), is_of(other, &[Bone::Hips]).first().copied())
    else {
        return Vec::new();
    };
    let parts = TOUCHING.map(|bones| is_of(own, bones));
    let everything: Vec<usize> = (0..other.body.capsules.len()).collect();
    let trunk = is_of(other, TRUNK);
    let mut events = Vec::new();
    // What touches what, for as long as it does.
    let mut touching = [None::<[Bone; 2]>; TOUCHING.len()];
    for look in first.max(last)..until {
        let (mine, theirs) = (&bodies[look - first], &others[look - last]);
        let apart = mine[hips][0] - theirs[their_hips][0];
        let is_near = apart.x * apart.x + apart.z * apart.z < OUT_OF_REACH * OUT_OF_REACH;
        for (part, known) in touching.iter_mut().enumerate() {
            let is_trunk = TOUCHING[part] == TRUNK;
            if (is_trunk && !is_first) || (!is_near && known.is_none()) {
                continue;
            }
            let met = if is_trunk { &trunk } else { &everything };
            let limit = if known.is_some() { PARTS } else { TOUCHES };
            let nearest = nearest((own, mine, &parts[part]), (other, theirs, met), limit);
            let (kind, [with, bone]) = match (*known, nearest) {
                (None, Some([with, bone])) => {
                    let bones = [if is_trunk { with } else { TOUCHING[part][0] }, bone];
                    *known = Some(bones);
                    (EventKind::ContactBegins, bones)
                }
                (Some(bones), None) => {
                    *known = None;
                    (EventKind::ContactEnds, bones)
                }
                _ => continue,
            };
            let mut event = Event::new(look as f64 * LOOK, kind);
            (event.who, event.whom) = (Some(own.name.clone()), Some(other.name.clone()));
            event.part = Some(with.name().to_owned());
            event.details.insert("bone".to_owned(), bone.name().into());
            events.push(event);
        }
    }
    events
}

/// The bones of the two capsules, one of each, that are nearest to each other, if they are within a limit (m).
fn nearest(
    (own, mine, with): (&Character, &[[Vec3; 2]], &[usize]),
    (other, theirs, met): (&Character, &[[Vec3; 2]], &[usize]),
    limit: f32,
) -> Option<[Bone; 2]> {
    let mut found: Option<(f32, [Bone; 2])> = None;
    for a in with {
        for b in met {
            let (one, two) = (&own.body.capsules[*a], &other.body.capsules[*b]);
            let [p, q] = nearest_points(mine[*a], theirs[*b]);
            let gap = p.distance(q) - one.radius - two.radius;
            if gap < limit && found.is_none_or(|(least, _)| gap < least) {
                found = Some((gap, [one.bone, two.bone]));
            }
        }
    }
    found.map(|(_, bones)| bones)
}
