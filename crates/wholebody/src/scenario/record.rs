//! From states to a [`Take`]: people on motion's skeleton, everything else as props.

use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3, Quat, Vec3};
use randori_motion::clip::ClipError;
use randori_motion::take::{ContactForce, Piece, PropId, Shape as Look, Touching};
use randori_motion::{
    Body, Bone, Character, CharacterId, Clip, Event, EventKind, FrameRate, GlobalPose, Joint, JointId, Prop,
    Skeleton, Take,
};

use super::Scenario;
use crate::model::{Model, Shape};
use crate::phase::{NoteKind, World};
use crate::scene::Place;
use crate::spatial::Pose;

/// Colours of people and things, in turn.
const PEOPLE: [[f32; 3]; 4] =
    [[0.10, 0.28, 0.62], [0.62, 0.16, 0.10], [0.16, 0.45, 0.20], [0.55, 0.40, 0.08]];
const THINGS: [f32; 3] = [0.45, 0.36, 0.24];
const FIXTURES: [f32; 3] = [0.36, 0.36, 0.38];

/// The links of the built-in person, the bones they are and how a bone's rest pose is turned to the link's.
pub(crate) const LINKS: [(&str, Bone); 16] = [
    ("pelvis", Bone::Hips),
    ("spine", Bone::Spine),
    ("chest", Bone::UpperChest),
    ("head", Bone::Head),
    ("left_thigh", Bone::LeftUpperLeg),
    ("left_shank", Bone::LeftLowerLeg),
    ("left_foot", Bone::LeftFoot),
    ("left_upper_arm", Bone::LeftUpperArm),
    ("left_forearm", Bone::LeftLowerArm),
    ("left_hand", Bone::LeftHand),
    ("right_thigh", Bone::RightUpperLeg),
    ("right_shank", Bone::RightLowerLeg),
    ("right_foot", Bone::RightFoot),
    ("right_upper_arm", Bone::RightUpperArm),
    ("right_forearm", Bone::RightLowerArm),
    ("right_hand", Bone::RightHand),
];

/// Collects the frames of a take while a scenario runs.
#[derive(Clone, Debug)]
pub struct Recorder {
    rate: FrameRate,
    frames: Vec<Vec<Pose>>,
    forces: Vec<ContactForce>,
    people: Vec<Option<Cast>>,
    n_frames: usize,
}

/// How one person's links become a skeleton's joints.
#[derive(Clone, Debug)]
pub(crate) struct Cast {
    pub(crate) body: Arc<Body>,
    /// For each joint of the skeleton the link it moves with, and `link_from_joint`.
    pub(crate) follows: Vec<(usize, Quat)>,
}

impl Recorder {
    /// A recorder of so many frames per second.
    pub fn new(scenario: &Scenario, rate: FrameRate) -> Recorder {
        let subsystems = &scenario.world().scene.subsystems;
        let people = subsystems.iter().map(|subsystem| cast(&subsystem.model)).collect();
        let frames = subsystems.iter().map(|_| Vec::new()).collect();
        Recorder { rate, frames, forces: Vec::new(), people, n_frames: 0 }
    }

    /// Looks at the scenario if a frame is due; call it before the first and after every step.
    pub fn look(&mut self, scenario: &Scenario) {
        let world = scenario.world();
        // Steps longer than a frame repeat the pose.
        while self.rate.time_of(self.n_frames) <= world.time + 1e-9 {
            for (idx, subsystem) in world.scene.subsystems.iter().enumerate() {
                let list = &mut self.frames[idx];
                match &self.people[idx] {
                    Some(_) => list.extend(LINKS.iter().filter_map(|(link, _)| {
                        let frame = subsystem.model.frame(link)?;
                        Some(world.pose(Place { subsystem: idx, frame }))
                    })),
                    None => list.extend(world.bodies(idx)),
                }
            }
            let t = self.rate.time_of(self.n_frames);
            self.n_frames += 1;
            for force in scenario.forces() {
                let on = self.touching(world, Some(force.on));
                let from = self.touching(world, force.from);
                let (point, force) = (force.point.as_vec3(), force.force.as_vec3());
                self.forces.push(ContactForce { t, on, from, point, force });
            }
        }
    }

    fn touching(&self, world: &World, place: Option<Place>) -> Touching {
        let Some(place) = place else { return Touching::Floor };
        let before = self.people[..place.subsystem].iter().filter(|cast| cast.is_some()).count();
        let model = &world.scene.subsystems[place.subsystem].model;
        let body = model.frames[place.frame.idx()].body;
        match &self.people[place.subsystem] {
            Some(cast) => {
                let link = body.and_then(|body| {
                    let own =
                        model.frames.iter().find(|f| f.body == Some(body) && !f.name.ends_with("_link"))?;
                    LINKS.iter().find(|(link, _)| *link == own.name)
                });
                let bone = link.map_or(Bone::Hips, |(_, bone)| *bone);
                let joint = cast.body.skeleton.bone(bone).unwrap_or(JointId::ROOT);
                Touching::Character(CharacterId(before as u32), joint)
            }
            None => {
                let idx = place.subsystem - before;
                Touching::Prop(PropId(idx as u32), JointId(body.map_or(0, |body| body.0)))
            }
        }
    }

    /// The take of what has been recorded, with the scenario's notes as events.
    pub fn take(&self, scenario: &Scenario, seed: u64) -> Result<Take, ClipError> {
        let world = scenario.world();
        let mut take = Take::new(scenario.name(), seed);
        for (idx, subsystem) in world.scene.subsystems.iter().enumerate() {
            match &self.people[idx] {
                Some(cast) => {
                    let clip = person_clip(&subsystem.name, cast, self.rate, &self.frames[idx])?;
                    let color = PEOPLE[take.characters.len() % PEOPLE.len()];
                    let (name, body) = (subsystem.name.clone(), Arc::clone(&cast.body));
                    take.characters.push(Character { name, color, body, enter: 0.0, clip });
                }
                None => {
                    take.props.push(thing(&subsystem.name, &subsystem.model, self.rate, &self.frames[idx])?)
                }
            }
        }
        for fixture in &world.fixtures {
            let skeleton = bodies_skeleton(1);
            let place = fixture.world_from_shape;
            let pieces = vec![piece(JointId::ROOT, &Pose::IDENTITY, &fixture.shape)];
            let frames = vec![place; self.n_frames.max(1)];
            let clip = rigid_clip(&fixture.name, skeleton, self.rate, &frames)?;
            take.props.push(Prop { name: fixture.name.clone(), color: FIXTURES, pieces, enter: 0.0, clip });
        }
        let end = take.duration();
        for note in world.notes.iter().filter(|note| note.t <= end) {
            let kind = match note.kind {
                NoteKind::Phase => EventKind::Phase,
                NoteKind::ContactBegins => EventKind::ContactBegins,
                NoteKind::ContactEnds => EventKind::ContactEnds,
                NoteKind::Footstep => EventKind::Footstep,
                NoteKind::Infeasible => EventKind::Other("infeasible".into()),
                NoteKind::Other => EventKind::Other("note".into()),
            };
            let mut event = Event::new(note.t, kind);
            event.details.insert("words".into(), note.text.clone().into());
            take.events.push(event);
        }
        take.forces.clone_from(&self.forces);
        Ok(take)
    }
}

/// The skeleton of a built-in person in the T-pose that motion's bodies are made in; `None` for other models.
pub(crate) fn cast(model: &Model) -> Option<Cast> {
    let q = model.neutral();
    let mut workspace = crate::dynamics::Workspace::new(model);
    crate::dynamics::update(model, &mut workspace, &q, &vec![0.0; model.n_v]);
    let mut places = Vec::new();
    for (link, _) in LINKS {
        let frame = model.frame(link)?;
        places.push(crate::dynamics::frame_pose(model, &workspace, frame).translation.as_vec3());
    }
    let end = |frame: &str| {
        let id = model.frame(frame)?;
        Some(crate::dynamics::frame_pose(model, &workspace, id).translation.as_vec3())
    };
    let (crown, grip) = (end("crown")?, [end("left_grip")?, end("right_grip")?]);
    let h = 2.0 * (crown.y - places[0].y) / (2.0 * 0.47);
    // Joints: bone, parent, place at rest, link it follows, tip.
    let mut joints: Vec<Joint> = Vec::new();
    let mut rest: Vec<Vec3> = Vec::new();
    let mut follows = Vec::new();
    let mut ids: Vec<(Bone, JointId)> = Vec::new();
    let mut add =
        |bone: Bone, parent: Option<Bone>, place: Vec3, link: usize, turn: Quat, tip: Option<Vec3>| {
            let parent = parent.and_then(|parent| ids.iter().find(|(b, _)| *b == parent).map(|(_, id)| *id));
            let offset = parent.map_or(place, |parent| place - rest[parent.idx()]);
            let mut joint = Joint::new(bone.name(), parent, offset).with_bone(bone);
            joint.tips.extend(tip.map(|tip| tip - place));
            ids.push((bone, JointId(joints.len() as u32)));
            joints.push(joint);
            rest.push(place);
            follows.push((link, turn));
        };
    let id = Quat::IDENTITY;
    add(Bone::Hips, None, places[0], 0, id, None);
    add(Bone::Spine, Some(Bone::Hips), places[1], 1, id, None);
    add(Bone::Chest, Some(Bone::Spine), places[1].lerp(places[2], 0.6), 1, id, None);
    add(Bone::UpperChest, Some(Bone::Chest), places[2], 2, id, None);
    add(Bone::Neck, Some(Bone::UpperChest), places[3] - Vec3::Y * (0.02 * h), 2, id, None);
    add(Bone::Head, Some(Bone::Neck), places[3] + Vec3::Y * (0.025 * h), 3, id, Some(crown));
    for (side, out, first) in [(0, 1.0_f32, 4), (1, -1.0, 10)] {
        let bone = |left: Bone| if side == 0 { left } else { left.mirrored() };
        let mut add = |left: Bone, parent: Bone, place: Vec3, link: usize, turn: Quat, tip: Option<Vec3>| {
            let parent = if parent.side().is_some() { bone(parent) } else { parent };
            add(bone(left), Some(parent), place, link, turn, tip);
        };
        add(Bone::LeftUpperLeg, Bone::Hips, places[first], first, id, None);
        add(Bone::LeftLowerLeg, Bone::LeftUpperLeg, places[first + 1], first + 1, id, None);
        let ankle = places[first + 2];
        add(Bone::LeftFoot, Bone::LeftLowerLeg, ankle, first + 2, id, None);
        let toes = ankle + Vec3::new(0.0, -0.022 * h, 0.075 * h);
        let tip = Some(toes + Vec3::new(0.0, -0.003 * h, 0.045 * h));
        add(Bone::LeftToes, Bone::LeftFoot, toes, first + 2, id, tip);
        // At rest the arms point outwards; the model's hang.
        let shoulder = places[first + 3];
        let turn = Quat::from_rotation_z(-out * std::f32::consts::FRAC_PI_2);
        let outwards = |point: Vec3| shoulder + turn.inverse() * (point - shoulder);
        let collar = Vec3::new(out * 0.02 * h, shoulder.y, shoulder.z);
        add(Bone::LeftShoulder, Bone::UpperChest, collar, 2, id, None);
        add(Bone::LeftUpperArm, Bone::LeftShoulder, shoulder, first + 3, turn, None);
        add(Bone::LeftLowerArm, Bone::LeftUpperArm, outwards(places[first + 4]), first + 4, turn, None);
        let fingers = places[first + 5] + (grip[side] - places[first + 5]) * 1.8;
        let tip = Some(outwards(fingers));
        add(Bone::LeftHand, Bone::LeftLowerArm, outwards(places[first + 5]), first + 5, turn, tip);
    }
    let skeleton = Arc::new(Skeleton::new(joints).ok()?);
    Some(Cast { body: Arc::new(Body::of(skeleton, model.mass as f32, 1.0)), follows })
}

fn quat(rotation: &DMat3) -> Quat {
    DQuat::from_mat3(rotation).normalize().as_quat()
}

fn person_clip(name: &str, cast: &Cast, rate: FrameRate, frames: &[Pose]) -> Result<Clip, ClipError> {
    let skeleton = &cast.body.skeleton;
    let poses = frames.chunks_exact(LINKS.len()).map(|links| {
        let mut globals = GlobalPose::default();
        for (link, turn) in &cast.follows {
            globals.positions.push(links[*link].translation.as_vec3());
            globals.rotations.push(quat(&links[*link].rotation) * *turn);
        }
        globals.to_pose(skeleton)
    });
    Clip::from_poses(name, Arc::clone(skeleton), rate, poses)
}

/// A skeleton of bodies that move freely: all under the first.
fn bodies_skeleton(n: usize) -> Arc<Skeleton> {
    let joints = (0..n).map(|idx| {
        let mut joint = Joint::new(format!("body{idx}"), (idx > 0).then_some(JointId::ROOT), Vec3::ZERO);
        joint.translates = true;
        joint
    });
    Arc::new(Skeleton::new(joints.collect()).expect("one root and its children form a tree"))
}

fn rigid_clip(
    name: &str,
    skeleton: Arc<Skeleton>,
    rate: FrameRate,
    frames: &[Pose],
) -> Result<Clip, ClipError> {
    let poses: Vec<_> = (frames.chunks_exact(skeleton.n_joints()))
        .map(|bodies| {
            let positions = bodies.iter().map(|pose| pose.translation.as_vec3()).collect();
            let rotations = bodies.iter().map(|pose| quat(&pose.rotation)).collect();
            GlobalPose { positions, rotations }.to_pose(&skeleton)
        })
        .collect();
    Clip::from_poses(name, skeleton, rate, poses)
}

fn thing(name: &str, model: &Model, rate: FrameRate, frames: &[Pose]) -> Result<Prop, ClipError> {
    let clip = rigid_clip(name, bodies_skeleton(model.joints.len()), rate, frames)?;
    let pieces = model.solids.iter().map(|solid| {
        let frame = &model.frames[solid.frame.idx()];
        piece(JointId(frame.body.map_or(0, |body| body.0)), &frame.body_from_frame, &solid.shape)
    });
    Ok(Prop { name: name.into(), color: THINGS, pieces: pieces.collect(), enter: 0.0, clip })
}

fn piece(joint: JointId, place: &Pose, shape: &Shape) -> Piece {
    let mut center = place.translation;
    let shape = match shape {
        Shape::Ball { radius } => Look::Ball { radius: *radius as f32 },
        Shape::Capsule { half_length, radius } => {
            Look::Capsule { half_length: *half_length as f32, radius: *radius as f32 }
        }
        Shape::Cylinder { half_length, radius } => {
            Look::Cylinder { half_length: *half_length as f32, radius: *radius as f32 }
        }
        Shape::Box { half } => Look::Box { half: half.as_vec3() },
        Shape::Hull { points } => {
            let low = points.iter().copied().fold(DVec3::INFINITY, DVec3::min);
            let high = points.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
            center += place.rotation * (0.5 * (low + high));
            Look::Box { half: (0.5 * (high - low)).as_vec3() }
        }
    };
    Piece { joint, center: center.as_vec3(), rotation: quat(&place.rotation), shape }
}
