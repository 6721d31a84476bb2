//! Planted feet: where the target's feet go, and the legs that bring them there.

use glam::{Quat, Vec3};

use super::ground::{Grounding, Standing};
use super::lock::{Stiffness, Track, correction};
use crate::bone::Bone;
use crate::clip::{Clip, ClipError};
use crate::contacts::{Contacts, FootContacts, PointContacts};
use crate::ik::two_bone::{Limb, LimbGoal};
use crate::math::quat_from_rotation_vector;
use crate::pose::GlobalPose;
use crate::skeleton::Skeleton;
use crate::tracks::Tracks;

/// Planted balls of feet come to rest within 8 ms, which costs them some 60 m/s² where they are planted at 0.5 m/s and
/// hundreds are usual; they are set on the floor within 40 ms; shuffles slower than half a second are followed.
const ACROSS: Stiffness = Stiffness { brake: 0.008, settle: 0.04, follow: 0.5 };

/// Legs ease into straightness over the last fiftieth of their length: no snapping knees.
const SOFTNESS: f32 = 0.02;

/// The hips come down until planted feet are within this share of the legs' length: a knee bent by 16 degrees.
const REACH: f32 = 0.99;

/// The clip with its feet at their scaled places, the planted ones standing still on the floor.
pub(super) fn plant(
    clip: &Clip,
    source_tracks: &Tracks,
    contacts: &Contacts,
    grounding: &Grounding,
) -> Result<Clip, ClipError> {
    let target = clip.skeleton();
    let tracks = Tracks::of(clip);
    let feet: Vec<PlantedFoot> = (contacts.feet.iter())
        .zip(&grounding.standing)
        .filter_map(|(foot, standing)| {
            PlantedFoot::new(foot, standing, source_tracks, clip, &tracks, grounding)
        })
        .collect();
    let drops = hips_drops(&feet, &tracks, clip.rate().dt());
    let mut globals = GlobalPose::default();
    clip.map_poses(|frame, pose| {
        pose.translations[0].y -= drops[frame];
        target.globals_into(pose.view(), &mut globals);
        for foot in &feet {
            let joints = foot.limb.positions(&globals);
            let hinge = globals.rotations[foot.limb.start.idx()] * foot.hinge_in_thigh;
            let goal = LimbGoal {
                target: foot.ankles[frame],
                hinge: Some(hinge),
                softness: SOFTNESS,
                ..LimbGoal::of(joints)
            };
            let world_from_foot = foot.rotations[frame];
            foot.limb.apply(target, &globals, &goal.solve(), world_from_foot, pose);
        }
    })
}

/// Where one foot of the target goes.
struct PlantedFoot {
    limb: Limb,
    /// The knee's axis in the thigh's frame.
    hinge_in_thigh: Vec3,
    /// Where the ankle goes, frame by frame.
    ankles: Vec<Vec3>,
    /// `world_from_foot`, frame by frame.
    rotations: Vec<Quat>,
    down: Vec<bool>,
}

impl PlantedFoot {
    fn new(
        foot: &FootContacts,
        standing: &Standing,
        source_tracks: &Tracks,
        clip: &Clip,
        tracks: &Tracks,
        grounding: &Grounding,
    ) -> Option<PlantedFoot> {
        let target = clip.skeleton();
        let ankle_bone = Bone::LeftFoot.on(foot.side);
        let limb = Limb::ending_in(target, ankle_bone)?;
        let toes = target.bone(Bone::LeftToes.on(foot.side));
        // The point that is led: the ball where both have one, else the ankle.
        let (led, led_joint) = match (&foot.ball, toes) {
            (Some(ball), Some(toes)) => (ball, toes),
            _ => (&foot.ankle, limb.end),
        };
        let n_frames = clip.n_frames();
        let flatten = flattening(foot, standing, target, &grounding.target_rest);
        let rotations: Vec<Quat> =
            (0..n_frames).map(|frame| (tracks.rotation(frame, limb.end) * flatten).normalize()).collect();
        // From the ankle to the point that is led, in the foot's frame.
        let lever = {
            let rest = &grounding.target_rest;
            let ankle = rest.rotations[limb.end.idx()].inverse();
            ankle * (rest.positions[led_joint.idx()] - rest.positions[limb.end.idx()])
        };
        let rest_height = grounding.target_rest.positions[led_joint.idx()].y;
        let led_path: Vec<Vec3> = (0..n_frames)
            .map(|frame| {
                let place = source_tracks.position(frame, led.joint);
                let mut scaled = grounding.point(place);
                scaled.y = (place.y - standing.height) * grounding.scale + rest_height;
                scaled
            })
            .collect();
        let shift = shifts(foot, led, &led_path, &rotations, lever, rest_height, clip.rate().dt());
        let ankles =
            (0..n_frames).map(|frame| led_path[frame] + shift[frame] - rotations[frame] * lever).collect();
        let hinge_in_thigh = hinge_of(tracks, limb, grounding);
        Some(PlantedFoot { limb, hinge_in_thigh, ankles, rotations, down: foot.down.clone() })
    }
}

/// How the path of a foot is moved so that it stands still where it is planted.
fn shifts(
    foot: &FootContacts,
    led: &PointContacts,
    led_path: &[Vec3],
    rotations: &[Quat],
    lever: Vec3,
    rest_height: f32,
    dt: f64,
) -> Vec<Vec3> {
    let n_frames = led_path.len();
    let ankle_rests = |frame: usize| foot.down[frame] && !led.resting[frame] && foot.ankle.resting[frame];
    let led_rests = |frame: usize| foot.down[frame] && !ankle_rests(frame);
    let ankle = |frame: usize| led_path[frame] - rotations[frame] * lever;
    let axis = |pick: fn(Vec3) -> f32| {
        let steps: Vec<(f64, f64)> = (0..n_frames)
            .map(|frame| {
                let next = (frame + 1).min(n_frames - 1);
                if led_rests(frame) && led_rests(next) {
                    (f64::from(pick(led_path[next] - led_path[frame])), 1.0)
                } else if ankle_rests(frame) && ankle_rests(next) {
                    (f64::from(pick(ankle(next) - ankle(frame))), 1.0)
                } else {
                    (0.0, 0.0)
                }
            })
            .collect();
        correction(&Track { steps: &steps, offsets: &vec![(0.0, 0.0); n_frames] }, dt, ACROSS)
    };
    let (x, z) = (axis(|v| v.x), axis(|v| v.z));
    let heights: Vec<(f64, f64)> = (led_path.iter().enumerate())
        .map(|(frame, place)| {
            let below = rest_height - place.y;
            // What is too low comes up, planted or not.
            (f64::from(below), if led_rests(frame) || below > 0.0 { 1.0 } else { 0.0 })
        })
        .collect();
    let y = correction(&Track { steps: &vec![(0.0, 0.0); n_frames], offsets: &heights }, dt, ACROSS);
    // A smooth correction gives way to some of what is too low; the floor does not.
    let above_floor = |k: usize| (y[k] as f32).max(rest_height - led_path[k].y);
    (0..n_frames).map(|k| Vec3::new(x[k] as f32, above_floor(k), z[k] as f32)).collect()
}

/// The turn of the foot, in its own frame, that lays it flat when the source's foot stands: the target's sole is
/// parallel to the floor at rest.
fn flattening(foot: &FootContacts, standing: &Standing, target: &Skeleton, target_rest: &GlobalPose) -> Quat {
    /// Beyond this it is no matter of proportions, but a foot that never stands flat.
    const MOST: f32 = 0.35;
    let bones = [Bone::LeftFoot, Bone::LeftToes].map(|bone| target.bone(bone.on(foot.side)));
    let (Some(theirs), [Some(ankle), Some(toes)]) = (standing.flat.map(|flat| flat.slope), bones) else {
        return Quat::IDENTITY;
    };
    let along = target_rest.positions[toes.idx()] - target_rest.positions[ankle.idx()];
    let Some(axis) = Vec3::Y.cross(along).try_normalize() else { return Quat::IDENTITY };
    let mine = libm::asinf((-along.y / along.length()).clamp(-1.0, 1.0));
    // The foot now slopes as the source's does; at its stance it shall slope as the target's does at rest.
    let turn = quat_from_rotation_vector(axis * (mine - theirs).clamp(-MOST, MOST));
    let rest = target_rest.rotations[ankle.idx()];
    (rest.inverse() * turn * rest).normalize()
}

/// The axis of a knee in the thigh's frame: the mean of what the motion shows, weighed by how far the knee is bent.
fn hinge_of(tracks: &Tracks, limb: Limb, grounding: &Grounding) -> Vec3 {
    let bend = |frame: usize| {
        let [hip, knee, ankle] = [limb.start, limb.middle, limb.end].map(|id| tracks.position(frame, id));
        tracks.rotation(frame, limb.start).inverse() * (knee - hip).cross(ankle - knee)
    };
    let sum: Vec3 = (0..tracks.n_frames()).map(bend).sum();
    let at_rest = grounding.target_rest.rotations[limb.start.idx()].inverse() * Vec3::X;
    let [hip, knee, ankle] = limb.positions(&grounding.target_rest);
    // As much bend as 6 degrees all the time: less is noise.
    let enough = 0.1 * hip.distance(knee) * knee.distance(ankle) * tracks.n_frames() as f32;
    if sum.length() > enough { sum.normalize() } else { at_rest }
}

/// How far the hips must come down for planted feet to be within reach, frame by frame, in metres.
fn hips_drops(feet: &[PlantedFoot], tracks: &Tracks, dt: f64) -> Vec<f32> {
    let needed = |frame: usize| {
        let needs = feet.iter().filter(|foot| foot.down[frame]).map(|foot| {
            let [hip, knee, ankle] =
                [foot.limb.start, foot.limb.middle, foot.limb.end].map(|id| tracks.position(frame, id));
            let reach = (hip.distance(knee) + knee.distance(ankle)) * REACH;
            let away = hip - foot.ankles[frame];
            let level = libm::hypotf(away.x, away.z);
            let highest = libm::sqrtf((reach * reach - level * level).max(0.0));
            // A foot too far to the side is no matter of height.
            if level < reach { (away.y - highest).clamp(0.0, 0.1) } else { 0.0 }
        });
        needs.fold(0.0, f32::max)
    };
    let offsets: Vec<(f64, f64)> =
        (0..tracks.n_frames()).map(|frame| (f64::from(needed(frame)), 1.0)).collect();
    let steps = vec![(0.0, 0.0); offsets.len()];
    let calm = Stiffness { brake: 0.1, settle: 0.1, follow: 1.0 };
    correction(&Track { steps: &steps, offsets: &offsets }, dt, calm).into_iter().map(|x| x as f32).collect()
}
