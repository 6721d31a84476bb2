//! Feet across seams: those that stand stay where they are, and make good the difference when they are lifted.

use glam::Vec3;

use crate::bone::{Bone, Side};
use crate::ik::{Limb, LimbGoal};
use crate::inertialize::Fading;
use crate::math::smootherstep;
use crate::pose::{GlobalPose, Pose};
use crate::rate::FrameRate;
use crate::skeleton::{JointId, Skeleton};

/// A foot takes this long at least, and at most, to make good where it should have been (s).
const CARRY: std::ops::Range<f32> = 0.12..0.45;
/// How high a foot is lifted on the way, relative to how far it has to go (-), and at most (m): a step, not a slide.
const LIFT: f32 = 0.7;
const HIGHEST_LIFT: f32 = 0.07;

/// Share of its length to which a leg stretches before the hips give way.
const STRETCH: f32 = 0.998;

/// A foot that stays where it stands across seams.
#[derive(Clone, Debug)]
pub(crate) struct KeptFoot {
    limb: Option<Limb>,
    ball: JointId,
    /// From the root to the ball.
    chain: Vec<JointId>,
    /// The joints of the leg and all that they hang from, parents first.
    leg: Vec<JointId>,
    side: Side,
    /// Height of the ball when the foot stands (m).
    floor: f32,
    /// How far the foot is from where the action has it (m).
    offset: Vec3,
    /// How that offset goes away.
    carry: Option<Carry>,
    /// The part of the offset above or below, which goes away whether the foot stands or not.
    lift: Option<(Fading, u32)>,
}

impl KeptFoot {
    pub(crate) fn new(skeleton: &Skeleton, side: Side) -> KeptFoot {
        let ball = skeleton.bone(Bone::LeftToes.on(side)).or(skeleton.bone(Bone::LeftFoot.on(side)));
        let ball = ball.unwrap_or(JointId::ROOT);
        let limb = Limb::ending_in(skeleton, Bone::LeftFoot.on(side));
        let mut chain = up_from(skeleton, ball);
        chain.reverse();
        let mut leg = chain.clone();
        leg.extend(limb.iter().flat_map(|limb| up_from(skeleton, limb.end)));
        leg.sort_unstable();
        leg.dedup();
        KeptFoot {
            limb,
            ball,
            chain,
            leg,
            side,
            floor: skeleton.global_pose(skeleton.rest_pose().view()).positions[ball.idx()].y,
            offset: Vec3::ZERO,
            carry: None,
            lift: None,
        }
    }

    /// A new action begins: `shown` are the last two poses that were shown, `next` what the action has for the
    /// same times.
    pub(crate) fn meet(
        &mut self,
        standing: &[[bool; 2]],
        frame: usize,
        skeleton: &Skeleton,
        shown: [&Pose; 2],
        next: &[Pose; 2],
    ) {
        let place = |pose: &Pose| skeleton.end_of(pose.view(), &self.chain);
        let [before, now] = [0, 1].map(|at: usize| place(shown[at]) - place(&next[at]));
        let velocity = (now - before) * FrameRate::HOUSE.fps() as f32;
        let up = Vec3::Y;
        self.lift = Some((Fading::new(up * now.y, up * velocity.y, CARRY.start), 0));
        self.offset = now.with_y(0.0);
        self.carry = match self.stands(standing, frame) {
            true => None,
            false => Some(Carry::new(self.offset, velocity.with_y(0.0), self.time_to_land(standing, frame))),
        };
    }

    /// Where the ball of the foot shall be in this frame, of which `source` is what the action has; `None` if that
    /// is where it is.
    pub(crate) fn wanted(
        &mut self,
        standing: &[[bool; 2]],
        frame: usize,
        in_seam: bool,
        skeleton: &Skeleton,
        source: &Pose,
    ) -> Option<Vec3> {
        let moved = self.moved(standing, frame, in_seam)?;
        Some(self.target(skeleton.end_of(source.view(), &self.chain), moved))
    }

    /// How far from where the action has it the foot is in this frame; `None` if it is there.
    pub(crate) fn moved(&mut self, standing: &[[bool; 2]], frame: usize, in_seam: bool) -> Option<Moved> {
        let dt = FrameRate::HOUSE.dt() as f32;
        if self.offset != Vec3::ZERO && !self.stands(standing, frame) && self.carry.is_none() {
            self.carry = Some(Carry::new(self.offset, Vec3::ZERO, self.time_to_land(standing, frame)));
        }
        let mut raised = Vec3::ZERO;
        if let Some(carry) = &mut self.carry {
            carry.age += 1;
            let since = carry.age as f32 * dt;
            self.offset = carry.fading.at(since);
            raised.y = carry.height_at(since);
            if since >= carry.duration {
                self.carry = None;
            } else if standing.get(frame).is_some_and(|stands| stands[self.side as usize]) {
                // What is left on landing stays until the next lift.
                self.lift = Some((Fading::new(raised, Vec3::ZERO, CARRY.start), 0));
                self.carry = None;
                raised = Vec3::ZERO;
            }
        }
        let lift = self.lift.as_mut().map_or(Vec3::ZERO, |(fading, age)| {
            *age += 1;
            fading.at(*age as f32 * dt)
        });
        if lift == Vec3::ZERO {
            self.lift = None;
        }
        let is_moved = in_seam || self.offset != Vec3::ZERO;
        is_moved.then_some(Moved { offset: self.offset, lift, raised })
    }

    /// Where the ball shall be that the action has there (m).
    fn target(&self, there: Vec3, Moved { offset, lift, raised }: Moved) -> Vec3 {
        let wanted = there + offset + lift + raised;
        // Never below the floor, nor below where the action has it.
        wanted.with_y(wanted.y.max(self.floor.min(there.y)))
    }

    /// How much longer the leg would have to be for the ball to be somewhere (m); below 0 if it reaches.
    pub(crate) fn missing(&self, globals: &GlobalPose, wanted: Vec3) -> f32 {
        self.goal(globals, Some(wanted)).map_or(0.0, |goal| goal.target.distance(goal.hip) - goal.length)
    }

    /// What the leg has to do for the ball to be where it is wanted. A foot that is where it shall be stays there, also
    /// when the hips give way to the other.
    fn goal(&self, globals: &GlobalPose, wanted: Option<Vec3>) -> Option<Goal> {
        let limb = self.limb?;
        let [hip, knee, ankle] = limb.positions(globals);
        let length = STRETCH * (hip.distance(knee) + knee.distance(ankle));
        let ball = globals.positions[self.ball.idx()];
        let target = ankle + (wanted.unwrap_or(ball) - ball);
        Some(Goal { limb, hip, target, length })
    }

    fn stands(&self, standing: &[[bool; 2]], frame: usize) -> bool {
        standing[frame.min(standing.len() - 1)][self.side as usize]
    }

    /// How long until the foot comes down (s), within what a foot can do.
    fn time_to_land(&self, standing: &[[bool; 2]], frame: usize) -> f32 {
        let ahead = standing.iter().skip(frame).position(|stands| stands[self.side as usize]);
        ahead
            .map_or(CARRY.end, |frames| frames as f32 * FrameRate::HOUSE.dt() as f32)
            .clamp(CARRY.start, CARRY.end)
    }
}

/// How far a foot is from where the action has it: along the floor, above or below for a while, and above on its way (m).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moved {
    offset: Vec3,
    lift: Vec3,
    raised: Vec3,
}

/// A joint, its parent, and so on up to the root.
fn up_from(skeleton: &Skeleton, joint: JointId) -> Vec<JointId> {
    std::iter::successors(Some(joint), |id| skeleton.joint(*id).parent).collect()
}

/// A foot on its way to where the action has it.
#[derive(Clone, Debug)]
struct Carry {
    fading: Fading,
    /// Frames since it began.
    age: u32,
    /// How long it takes (s).
    duration: f32,
    /// How high it goes (m).
    height: f32,
}

impl Carry {
    fn new(offset: Vec3, velocity: Vec3, duration: f32) -> Carry {
        let height = (LIFT * offset.length()).min(HIGHEST_LIFT);
        Carry { fading: Fading::new(offset, velocity, duration), age: 0, duration, height }
    }

    /// How high the foot is above the action's own path (m).
    fn height_at(&self, since: f32) -> f32 {
        let share = (since / self.duration).clamp(0.0, 1.0);
        self.height * smootherstep(2.0 * share.min(1.0 - share))
    }
}

/// Bends the legs until the balls of the feet are where they are wanted, the feet keeping their turns. Where a leg is
/// too short for that, the hips give way. `globals` lends its memory.
pub(crate) fn place(
    skeleton: &Skeleton,
    feet: &[KeptFoot; 2],
    wanted: [Option<Vec3>; 2],
    globals: &mut GlobalPose,
    pose: &mut Pose,
) {
    if wanted.iter().any(Option::is_some) {
        legs_into(skeleton, feet, pose, globals);
        bend(skeleton, feet, wanted, globals, pose);
    }
}

/// The same in a pose that is what the action has, by how far the feet are from there.
pub(crate) fn place_moved(
    skeleton: &Skeleton,
    feet: &[KeptFoot; 2],
    moved: [Option<Moved>; 2],
    globals: &mut GlobalPose,
    pose: &mut Pose,
) {
    if moved.iter().any(Option::is_some) {
        legs_into(skeleton, feet, pose, globals);
        let wanted = |(foot, moved): (&KeptFoot, Option<Moved>)| {
            moved.map(|moved| foot.target(globals.positions[foot.ball.idx()], moved))
        };
        let [left, right] = feet;
        let wanted = [(left, moved[0]), (right, moved[1])].map(wanted);
        bend(skeleton, feet, wanted, globals, pose);
    }
}

/// Where the joints of both legs are.
fn legs_into(skeleton: &Skeleton, feet: &[KeptFoot; 2], pose: &Pose, globals: &mut GlobalPose) {
    for foot in feet {
        skeleton.branches_into(pose.view(), foot.leg.iter().copied(), globals);
    }
}

/// As [`place`], from where the joints of the legs are.
fn bend(
    skeleton: &Skeleton,
    feet: &[KeptFoot; 2],
    wanted: [Option<Vec3>; 2],
    globals: &mut GlobalPose,
    pose: &mut Pose,
) {
    let goals = [0, 1].map(|at| feet[at].goal(globals, wanted[at]));
    let n_goals = goals.iter().flatten().count();
    // Each leg in turn draws the hips to itself until both are satisfied.
    let mut shift = Vec3::ZERO;
    for goal in goals.iter().flatten().cycle().take(16 * n_goals) {
        let to_target = goal.target - (goal.hip + shift);
        let missing = to_target.length() - goal.length;
        if missing > 0.0 {
            shift += to_target.normalize_or_zero() * missing;
        }
    }
    if shift != Vec3::ZERO {
        pose.translations[0] += shift;
        legs_into(skeleton, feet, pose, globals);
    }
    // No joint of one leg hangs from the other: what bends the first leaves the second where it is.
    for goal in goals.iter().flatten() {
        let turn = globals.rotations[goal.limb.end.idx()];
        let hinge = globals.rotations[goal.limb.middle.idx()] * Vec3::X;
        let joints = goal.limb.positions(globals);
        let solution = LimbGoal { target: goal.target, hinge: Some(hinge), ..LimbGoal::of(joints) }.solve();
        goal.limb.apply(skeleton, globals, &solution, turn, pose);
    }
}

struct Goal {
    limb: Limb,
    hip: Vec3,
    /// Where the ankle shall be.
    target: Vec3,
    length: f32,
}
