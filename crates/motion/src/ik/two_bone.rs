//! Two bones and a hinge: hip, knee, ankle, or shoulder, elbow, wrist.

use glam::{Quat, Vec3};

use crate::math::{quat_from_rotation_vector, rotation_between};
use crate::pose::{GlobalPose, Pose};
use crate::skeleton::{JointId, Skeleton};

/// What a limb shall do. All vectors are in the world's frame.
///
/// ```
/// use randori_motion::{ik::{LimbGoal, Reach}, math::Vec3};
/// // A leg of 0.4 m and 0.4 m, slightly bent forward, shall lift its foot by 0.2 m.
/// let [hip, knee, ankle] = [Vec3::new(0.0, 0.8, 0.0), Vec3::new(0.0, 0.4, 0.05), Vec3::ZERO];
/// let goal = LimbGoal { target: Vec3::new(0.0, 0.2, 0.1), ..LimbGoal::of([hip, knee, ankle]) };
/// let solution = goal.solve();
/// assert_eq!(solution.reach, Reach::Reached);
/// assert!((solution.end - goal.target).length() < 1e-5);
/// assert!(solution.middle.z > 0.2); // the knee goes on bending forward
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimbGoal {
    /// Where hip, knee and ankle (or their like) are now, in metres.
    pub joints: [Vec3; 3],
    /// Where the ankle shall be, in metres.
    pub target: Vec3,
    /// The direction the knee shall point to, seen from the line between hip and target; any length. `None` keeps
    /// the plane the limb is bent in as far as the target allows. Default `None`.
    pub pole: Option<Vec3>,
    /// The axis about which the knee bends further by the right-hand rule, +X in the rest pose of a leg; any length.
    /// The bend is then in the plane across it, also where the limb as it is strays from that plane or is
    /// overstretched. `None` takes the axis from the limb's own bend. Default `None`.
    pub hinge: Option<Vec3>,
    /// The way the knee gives when the limb is so straight that its own bend does not tell; any length, need not be
    /// across the limb. Default +Z, the way knees bend in the rest pose.
    pub bend_hint: Vec3,
    /// Share of the limb's length, 0 to 0.5, over which it eases into straightness instead of snapping; the end
    /// then falls short of far targets by up to this much. Default 0.
    pub softness: f32,
}

impl LimbGoal {
    /// The goal to stay as it is.
    pub fn of(joints: [Vec3; 3]) -> LimbGoal {
        LimbGoal { joints, target: joints[2], pole: None, hinge: None, bend_hint: Vec3::Z, softness: 0.0 }
    }

    /// The turns that bring the end to the target, or as near as the bones allow.
    pub fn solve(&self) -> LimbSolution {
        let [start, middle, end] = self.joints;
        let (upper, lower) = (middle - start, end - middle);
        let (upper_length, lower_length) = (upper.length(), lower.length());
        let to_target = self.target - start;
        let nothing = LimbSolution {
            start_turn: Quat::IDENTITY,
            middle_turn: Quat::IDENTITY,
            middle,
            end,
            reach: Reach::TooFar,
        };
        if !(upper_length > 1e-6 && lower_length > 1e-6 && self.target.is_finite()) {
            return nothing;
        }
        let (distance, reach) = self.distance(upper_length, lower_length, to_target.length());

        // Open or close the hinge until the end is as far from the start as the target is.
        let cosine = (distance * distance - upper_length * upper_length - lower_length * lower_length)
            / (2.0 * upper_length * lower_length);
        let wanted = libm::acosf(cosine.clamp(-1.0, 1.0));
        let bend = self.bend(upper, lower, wanted);
        let bent_end = middle + bend * lower;

        // Swing the limb as it now is onto the line to the target.
        let swing = match to_target.length() > 1e-6 {
            true => rotation_between(bent_end - start, to_target),
            false => Quat::IDENTITY,
        };
        // Turn it about that line until the knee points to the pole.
        let line = (swing * (bent_end - start)).normalize_or_zero();
        let across = |v: Vec3| v - line * v.dot(line);
        let twist = self.pole.map_or(Quat::IDENTITY, |pole| {
            let (knee, pole) = (across(swing * upper), across(pole));
            if knee.length() < 1e-5 * upper_length || pole.length() < 1e-5 {
                return Quat::IDENTITY;
            }
            let angle = libm::atan2f(line.dot(knee.cross(pole)), knee.dot(pole));
            quat_from_rotation_vector(line * angle)
        });
        let start_turn = (twist * swing).normalize();
        LimbSolution {
            start_turn,
            middle_turn: (start_turn * bend).normalize(),
            middle: start + start_turn * upper,
            end: start + start_turn * (bent_end - start),
            reach,
        }
    }

    /// How far from the start the end shall be, and whether that is where the target is.
    fn distance(&self, upper: f32, lower: f32, wanted: f32) -> (f32, Reach) {
        // A hair from straight and from folded, so that the bend keeps a direction.
        let (longest, shortest) = ((upper + lower) * 0.9999, (upper - lower).abs() + 1e-4 * upper.min(lower));
        let soft = self.softness.clamp(0.0, 0.5) * longest;
        let firm = longest - soft;
        if wanted > firm && soft > 0.0 {
            let eased = firm + soft * (1.0 - libm::expf(-(wanted - firm) / soft));
            let reach = if wanted > longest { Reach::TooFar } else { Reach::Eased };
            return (eased, reach);
        }
        if wanted > longest {
            (longest, Reach::TooFar)
        } else if wanted < shortest {
            (shortest, Reach::TooNear)
        } else {
            (wanted, Reach::Reached)
        }
    }

    /// The turn of the lower bone that leaves it bent by `wanted` radians; 0 is straight.
    fn bend(&self, upper: Vec3, lower: Vec3, wanted: f32) -> Quat {
        let along = upper.normalize();
        let across_upper = |v: Vec3| (v - along * v.dot(along)).try_normalize();
        let normal = upper.cross(lower);
        let axis = match self.hinge.and_then(across_upper) {
            Some(axis) => axis,
            // Below a fifth of a degree the bend is noise. The knee goes towards the hint if the lower bone turns
            // away from it.
            None if normal.length() < 3e-3 * upper.length() * lower.length() => {
                let hinted = across_upper(self.pole.unwrap_or(self.bend_hint).cross(upper));
                hinted.unwrap_or_else(|| along.any_orthonormal_vector())
            }
            None => normal.normalize(),
        };
        let bent = along * libm::cosf(wanted) + axis.cross(along) * libm::sinf(wanted);
        rotation_between(lower, bent)
    }
}

/// How a limb reaches its target. World frame, metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimbSolution {
    /// Turns the upper bone: the new `world_from_hip` is this times the old one.
    pub start_turn: Quat,
    /// Turns the lower bone: the new `world_from_knee` is this times the old one.
    pub middle_turn: Quat,
    /// Where the knee comes to be.
    pub middle: Vec3,
    /// Where the ankle comes to be.
    pub end: Vec3,
    /// Whether that is the target.
    pub reach: Reach,
}

/// Whether a limb could reach its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The end is at the target.
    Reached,
    /// The target is within reach, but softness keeps the end a little short of it.
    Eased,
    /// The target is further than the limb is long; the limb points to it.
    TooFar,
    /// The target is nearer than the limb can fold.
    TooNear,
}

/// The three joints of an arm or leg in a skeleton: any joints between them just follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limb {
    /// Hip or shoulder.
    pub start: JointId,
    /// Knee or elbow.
    pub middle: JointId,
    /// Ankle or wrist.
    pub end: JointId,
}

impl Limb {
    /// The limb whose end plays this foot or hand; `None` if the skeleton lacks a joint of it, or they do not
    /// hang from each other.
    pub fn ending_in(skeleton: &Skeleton, bone: crate::bone::Bone) -> Option<Limb> {
        let middle = bone.parent()?;
        let start = middle.parent()?;
        let [start, middle, end] = [start, middle, bone].map(|bone| skeleton.bone(bone));
        let limb = Limb { start: start?, middle: middle?, end: end? };
        let hangs = |from: JointId, on: JointId| {
            std::iter::successors(Some(from), |id| skeleton.joint(*id).parent).any(|id| id == on)
        };
        (hangs(limb.end, limb.middle) && hangs(limb.middle, limb.start)).then_some(limb)
    }

    /// Where its joints are, in metres.
    pub fn positions(self, globals: &GlobalPose) -> [Vec3; 3] {
        [self.start, self.middle, self.end].map(|id| globals.positions[id.idx()])
    }

    /// Writes a solution into the pose it was found for, whose world transforms are `globals`; the end is given the
    /// orientation `world_from_end`.
    pub fn apply(
        self,
        skeleton: &Skeleton,
        globals: &GlobalPose,
        solution: &LimbSolution,
        world_from_end: Quat,
        pose: &mut Pose,
    ) {
        let old = |id: JointId| globals.rotations[id.idx()];
        let parent = |id: JointId| skeleton.joint(id).parent.map_or(Quat::IDENTITY, old);
        let mut set = |id: JointId, parent_from_world: Quat, world_from_joint: Quat| {
            pose.rotations[id.idx()] = (parent_from_world * world_from_joint).normalize();
        };
        let (start, middle) = (solution.start_turn, solution.middle_turn);
        set(self.start, parent(self.start).inverse(), start * old(self.start));
        set(self.middle, (start * parent(self.middle)).inverse(), middle * old(self.middle));
        set(self.end, (middle * parent(self.end)).inverse(), world_from_end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Build;
    use crate::bone::Bone;
    use crate::math::angle_between;

    const LEG: [Vec3; 3] = [Vec3::new(0.1, 0.9, 0.0), Vec3::new(0.1, 0.5, 0.1), Vec3::new(0.1, 0.1, 0.0)];

    fn check(goal: LimbGoal, reach: Reach) -> LimbSolution {
        let solution = goal.solve();
        assert_eq!(solution.reach, reach, "{goal:?}");
        let [start, middle, end] = goal.joints;
        let lengths = |a: Vec3, b: Vec3, c: Vec3| (a.distance(b), b.distance(c));
        let (before, after) = (lengths(start, middle, end), lengths(start, solution.middle, solution.end));
        assert!(
            (before.0 - after.0).abs() < 1e-5 && (before.1 - after.1).abs() < 1e-5,
            "bones keep their length"
        );
        // The turns say the same as the positions.
        let turned_middle = start + solution.start_turn * (middle - start);
        let turned_end = turned_middle + solution.middle_turn * (end - middle);
        assert!((turned_middle - solution.middle).length() < 1e-5);
        assert!((turned_end - solution.end).length() < 1e-5);
        if reach == Reach::Reached {
            assert!((solution.end - goal.target).length() < 1e-4, "{goal:?} {solution:?}");
        }
        solution
    }

    #[test]
    fn targets_within_reach_are_reached() {
        for k in 0..200 {
            let k = k as f32;
            let direction =
                Vec3::new(libm::sinf(k), libm::cosf(1.7 * k), libm::sinf(2.3 * k + 1.0)).normalize();
            let target = LEG[0] + direction * (0.1 + 0.7 * (k / 200.0));
            check(LimbGoal { target, ..LimbGoal::of(LEG) }, Reach::Reached);
            let pole = Vec3::new(1.0, 0.2, -0.5);
            let solution = check(LimbGoal { target, pole: Some(pole), ..LimbGoal::of(LEG) }, Reach::Reached);
            let line = (target - LEG[0]).normalize();
            let across = |v: Vec3| (v - line * v.dot(line)).normalize();
            assert!(across(solution.middle - LEG[0]).dot(across(pole)) > 0.999);
        }
    }

    #[test]
    fn targets_out_of_reach_are_pointed_at() {
        let length = LEG[0].distance(LEG[1]) + LEG[1].distance(LEG[2]);
        let target = LEG[0] + Vec3::new(2.0, -1.0, 0.5);
        let solution = check(LimbGoal { target, ..LimbGoal::of(LEG) }, Reach::TooFar);
        assert!((solution.end.distance(LEG[0]) / length - 1.0).abs() < 1e-3);
        assert!((solution.end - LEG[0]).normalize().dot((target - LEG[0]).normalize()) > 0.999_99);
        check(LimbGoal { target: LEG[0], ..LimbGoal::of(LEG) }, Reach::TooNear);
        check(LimbGoal { target: Vec3::NAN, ..LimbGoal::of(LEG) }, Reach::TooFar);
        check(LimbGoal::of([Vec3::ZERO; 3]), Reach::TooFar);
    }

    #[test]
    fn softness_eases_into_straightness_without_a_step() {
        let length = LEG[0].distance(LEG[1]) + LEG[1].distance(LEG[2]);
        let bend_at = |distance: f32| {
            let target = LEG[0] + Vec3::NEG_Y * distance;
            let solution = LimbGoal { target, softness: 0.05, ..LimbGoal::of(LEG) }.solve();
            (solution.end.distance(LEG[0]), solution.middle)
        };
        let mut previous = bend_at(0.9 * length);
        for k in 1..400 {
            let next = bend_at(length * (0.9 + 0.0005 * k as f32));
            assert!(next.0 >= previous.0 - 1e-6 && next.0 < length);
            // The knee of a hard limb would jump by centimetres in the last half millimetre.
            assert!(next.1.distance(previous.1) < 0.003, "{k}");
            previous = next;
        }
    }

    #[test]
    fn a_straight_leg_bends_the_way_of_the_hint() {
        let straight = [Vec3::Y, Vec3::Y * 0.5, Vec3::ZERO];
        for hint in [Vec3::Z, Vec3::NEG_X] {
            let target = Vec3::Y * 0.3;
            let goal = LimbGoal { target, bend_hint: hint, ..LimbGoal::of(straight) };
            let solution = check(goal, Reach::Reached);
            assert!(solution.middle.dot(hint) > 0.2, "{solution:?}");
        }
        // An overstretched knee is bent the right way again.
        let back = [Vec3::Y, Vec3::new(0.0, 0.5, -0.02), Vec3::ZERO];
        let goal = LimbGoal { target: Vec3::Y * 0.1, hinge: Some(Vec3::X), ..LimbGoal::of(back) };
        let solution = check(goal, Reach::Reached);
        assert!(solution.middle.z > 0.1, "{solution:?}");
        // A hint along the limb says nothing; some way is found all the same.
        check(
            LimbGoal { target: Vec3::Y * 0.3, bend_hint: Vec3::Y, ..LimbGoal::of(straight) },
            Reach::Reached,
        );
    }

    #[test]
    fn the_hinge_axis_stays_fixed_in_both_bones() {
        let hinge = (LEG[1] - LEG[0]).cross(LEG[2] - LEG[1]).normalize();
        let solution =
            check(LimbGoal { target: Vec3::new(0.3, 0.4, 0.3), ..LimbGoal::of(LEG) }, Reach::Reached);
        assert!(((solution.start_turn * hinge) - (solution.middle_turn * hinge)).length() < 1e-5);
    }

    #[test]
    fn a_pose_takes_the_solution_over() {
        let skeleton = Build::AVERAGE.skeleton();
        let mut pose = skeleton.rest_pose();
        pose.rotations[0] = Quat::from_rotation_y(0.4);
        for bone in [Bone::LeftFoot, Bone::RightHand] {
            let limb = Limb::ending_in(&skeleton, bone).unwrap();
            let globals = skeleton.global_pose(pose.view());
            let joints = limb.positions(&globals);
            let target = joints[2].lerp(joints[0], 0.3) + Vec3::new(0.05, 0.0, 0.1);
            let solution = LimbGoal { target, ..LimbGoal::of(joints) }.solve();
            let wanted = Quat::from_rotation_x(0.3);
            limb.apply(&skeleton, &globals, &solution, wanted, &mut pose);
            let after = skeleton.global_pose(pose.view());
            assert!((after.positions[limb.end.idx()] - target).length() < 1e-4);
            assert!((after.positions[limb.middle.idx()] - solution.middle).length() < 1e-4);
            assert!(angle_between(after.rotations[limb.end.idx()], wanted) < 1e-3);
        }
    }
}
