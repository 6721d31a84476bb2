//! From particles back to poses.

use glam::{Quat, Vec3};
use randori_motion::body::Body;
use randori_motion::ik::{Limb, LimbGoal};
use randori_motion::math::{rotation_between, smootherstep};
use randori_motion::{Bone, GlobalPose, JointId, Pose, Side};

use super::{Blow, ParticleBody, Spot};

/// What is shown instead of a plan from a blow on.
///
/// `planned` are the poses that would be shown, the first at the tick of the blow, `standing` which feet stand in each;
/// a foot that stands stays where it is planned, and so does everything in the first and in the last pose. Bones keep
/// their lengths, and nothing goes deeper into the floor than planned. A blow that is no number changes nothing.
///
/// ```
/// use randori_arena::particles::{Blow, shake};
/// use randori_motion::{Bone, Build, math::Vec3};
/// let body = Build::AVERAGE.body();
/// let planned = vec![body.skeleton.rest_pose(); 30];
/// let blow = Blow { bone: Bone::Head, point: Vec3::new(0.0, 1.6, 0.1), velocity: Vec3::NEG_Z * 6.0, mass: 2.5 };
/// let shown = shake(&body, &planned, &[[true; 2]; 30], &blow);
/// assert_eq!(shown[0], planned[0]);
/// let head = |pose: &_| body.skeleton.global_pose(randori_motion::Pose::view(pose)).positions[5];
/// assert!(head(&shown[6]).z < head(&planned[6]).z - 0.01);
/// ```
pub fn shake(body: &Body, planned: &[Pose], standing: &[[bool; 2]], blow: &Blow) -> Vec<Pose> {
    let Some(first) = planned.first() else { return Vec::new() };
    let skeleton = &body.skeleton;
    let particles = ParticleBody::of(body);
    let mut globals = skeleton.global_pose(first.view());
    let mut deviation = particles.struck(&particles.places(&globals), blow);
    let mut shown = vec![first.clone()];
    for (tick, pose) in planned.iter().enumerate().skip(1) {
        skeleton.globals_into(pose.view(), &mut globals);
        let plan = particles.places(&globals);
        particles.step(&mut deviation, &plan, standing.get(tick).copied().unwrap_or_default());
        let share = 1.0 - smootherstep((2.0 * tick as f32 / (planned.len() - 1) as f32 - 1.0).max(0.0));
        let offsets: Vec<Vec3> = deviation.offsets.iter().map(|offset| *offset * share).collect();
        shown.push(posed(body, &particles, pose, &globals, &plan, &offsets));
    }
    shown
}

/// Least offset that is worth a change of pose (m).
const LEAST: f32 = 1e-5;
/// Share of its length to which a leg stretches before the hips give way.
const STRETCH: f32 = 0.998;

/// The pose whose particles are nearly `offsets` from those of a planned pose.
fn posed(
    body: &Body,
    particles: &ParticleBody,
    planned: &Pose,
    globals: &GlobalPose,
    plan: &[Vec3],
    offsets: &[Vec3],
) -> Pose {
    if offsets.iter().all(|offset| offset.length() < LEAST) {
        return planned.clone();
    }
    let skeleton = &body.skeleton;
    let turns = Turns { particles, plan, offsets };
    let turned = turns.of_joints(body);
    let rotations: Vec<Quat> =
        turned.iter().zip(&globals.rotations).map(|(turn, planned)| (*turn * *planned).normalize()).collect();
    let mut moved = GlobalPose { positions: globals.positions.clone(), rotations };
    let hips = particles.particle(Bone::Hips).map_or(Vec3::ZERO, |at| offsets[at]);
    moved.positions[JointId::ROOT.idx()] += hips;
    let mut pose = GlobalPose { positions: moved.positions, rotations: moved.rotations }.to_pose(skeleton);
    // Joints that translate do so as planned, in their parents' turned frames.
    pose.translations[1..].copy_from_slice(&planned.translations[1..]);
    pose.translations[0].y += sinking(body, globals, &skeleton.global_pose(pose.view()));
    stand(body, particles, globals, offsets, &mut pose);
    pose
}

/// How much deeper than planned the body is in the floor (m); its feet aside, which are placed by themselves.
fn sinking(body: &Body, planned: &GlobalPose, shown: &GlobalPose) -> f32 {
    let depth = |globals: &GlobalPose, capsule: &randori_motion::Capsule| {
        let low = [capsule.a, capsule.b].map(|end| globals.point(capsule.joint, end).y);
        (capsule.radius - low[0].min(low[1])).max(0.0)
    };
    (body.capsules.iter())
        .filter(|capsule| !super::is_foot(capsule.bone))
        .map(|capsule| depth(shown, capsule) - depth(planned, capsule))
        .fold(0.0, f32::max)
}

/// Bends the legs until the feet are where the particles have them, turned as planned; the hips give way where a leg is
/// too short.
fn stand(body: &Body, particles: &ParticleBody, planned: &GlobalPose, offsets: &[Vec3], pose: &mut Pose) {
    let skeleton = &body.skeleton;
    let globals = skeleton.global_pose(pose.view());
    let legs: Vec<(Limb, Vec3)> = (Side::BOTH.into_iter())
        .filter_map(|side| {
            let foot = Bone::LeftFoot.on(side);
            let limb = Limb::ending_in(skeleton, foot)?;
            Some((limb, planned.positions[limb.end.idx()] + offsets[particles.particle(foot)?]))
        })
        .collect();
    let mut shift = Vec3::ZERO;
    for (limb, target) in legs.iter().cycle().take(16 * legs.len()) {
        let [hip, knee, ankle] = limb.positions(&globals);
        let longest = STRETCH * (hip.distance(knee) + knee.distance(ankle));
        // A leg that was planned straighter than that may stay so.
        let [hip_planned, _, ankle_planned] = limb.positions(planned);
        let to_target = *target - (hip + shift);
        let missing = to_target.length() - longest.max(hip_planned.distance(ankle_planned));
        if missing > 0.0 {
            shift += to_target.normalize_or_zero() * missing;
        }
    }
    pose.translations[0] += shift;
    for (limb, target) in legs {
        let globals = skeleton.global_pose(pose.view());
        let bend_hint = globals.rotations[limb.middle.idx()] * Vec3::Z;
        let goal = LimbGoal { target, bend_hint, ..LimbGoal::of(limb.positions(&globals)) };
        limb.apply(skeleton, &globals, &goal.solve(), planned.rotations[limb.end.idx()], pose);
    }
}

/// How the parts of a body are turned by its particles.
struct Turns<'a> {
    particles: &'a ParticleBody,
    plan: &'a [Vec3],
    offsets: &'a [Vec3],
}

impl Turns<'_> {
    /// For every joint, the turn in the world from planned to shown.
    fn of_joints(&self, body: &Body) -> Vec<Quat> {
        use Spot::Joint;
        let skeleton = &body.skeleton;
        let side = |left: Bone| (Joint(left.mirrored()), Joint(left));
        let hips =
            self.framed(Quat::IDENTITY, side(Bone::LeftUpperLeg), (Joint(Bone::Hips), Joint(Bone::Spine)));
        let trunk = (Joint(Bone::UpperChest), Joint(Bone::Neck));
        let chest = self.framed(hips, trunk, side(Bone::LeftUpperArm));
        let head = Joint(Bone::Head);
        let skull = self.framed(chest, (head, Spot::Crown), (head, Spot::Face));
        let mut turns: Vec<Quat> = Vec::with_capacity(skeleton.n_joints());
        for id in skeleton.ids() {
            let joint = skeleton.joint(id);
            let above = joint.parent.map_or(Quat::IDENTITY, |parent| turns[parent.idx()]);
            let along = |base: Quat, from: Bone, to: Bone| self.swung(base, (Joint(from), Joint(to)));
            turns.push(match joint.bone {
                Some(Bone::Hips) => hips,
                Some(Bone::Spine) => along(hips.slerp(chest, 1.0 / 3.0), Bone::Spine, Bone::Chest),
                Some(Bone::Chest) => along(hips.slerp(chest, 2.0 / 3.0), Bone::Chest, Bone::UpperChest),
                Some(Bone::UpperChest) => chest,
                Some(Bone::Neck) => along(chest.slerp(skull, 0.5), Bone::Neck, Bone::Head),
                Some(Bone::Head) => skull,
                Some(bone) => match next(bone) {
                    Some(next) => along(above, bone, next),
                    None => above,
                },
                None => above,
            });
        }
        turns
    }

    /// The least turn beyond `base` that brings a line to where it is.
    fn swung(&self, base: Quat, line: (Spot, Spot)) -> Quat {
        match self.line(line) {
            Some([planned, shown]) => (rotation_between(base * planned, shown) * base).normalize(),
            None => base,
        }
    }

    /// The turn that brings one line to where it is, and another as near as that allows.
    fn framed(&self, base: Quat, first: (Spot, Spot), second: (Spot, Spot)) -> Quat {
        let swung = self.swung(base, first);
        let (Some([_, axis]), Some([planned, shown])) = (self.line(first), self.line(second)) else {
            return swung;
        };
        let axis = axis.normalize_or_zero();
        let across = |v: Vec3| v - axis * v.dot(axis);
        (rotation_between(across(swung * planned), across(shown)) * swung).normalize()
    }

    /// A line between two particles, as planned and as shown.
    fn line(&self, (from, to): (Spot, Spot)) -> Option<[Vec3; 2]> {
        let (from, to) = (self.particles.at(from)?, self.particles.at(to)?);
        let planned = self.plan[to] - self.plan[from];
        Some([planned, planned + self.offsets[to] - self.offsets[from]])
    }
}

/// The joint at the other end of a limb's bone.
fn next(bone: Bone) -> Option<Bone> {
    let left = match bone.side()? {
        Side::Left => bone,
        Side::Right => bone.mirrored(),
    };
    let next = match left {
        Bone::LeftUpperArm => Bone::LeftLowerArm,
        Bone::LeftLowerArm => Bone::LeftHand,
        Bone::LeftUpperLeg => Bone::LeftLowerLeg,
        Bone::LeftLowerLeg => Bone::LeftFoot,
        _ => return None,
    };
    bone.side().map(|side| next.on(side))
}
