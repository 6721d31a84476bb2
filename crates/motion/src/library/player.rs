//! Performing actions one after the other: seams that fade, feet that stay.

use glam::{Quat, Vec3};

use super::{ActionId, ActionLibrary};
use crate::bone::{Bone, Side};
use crate::clip::{Clip, ClipError};
use crate::ik::{Limb, LimbGoal};
use crate::inertialize::{Fading, Transition};
use crate::math::smootherstep;
use crate::placement::{Ground, Placement};
use crate::pose::{GlobalPose, Pose};
use crate::rate::FrameRate;
use crate::skeleton::{JointId, Skeleton};

/// How long what is left of the old action takes to fade (s).
const FADE: f32 = 0.3;
/// A foot takes this long at least, and at most, to make good where it should have been (s).
const CARRY: std::ops::Range<f32> = 0.12..0.45;
/// How high a foot is lifted on the way, relative to how far it has to go (-), and at most (m): a step, not a slide.
const LIFT: f32 = 0.7;
const HIGHEST_LIFT: f32 = 0.07;

/// Somebody who performs the actions of a library, frame by frame.
///
/// At a seam the new action starts where the old one's placement ends; what differs in posture fades over 0.3 s
/// ([`Transition`]). Feet that stand stay where they are until their next lift, and make good the difference in
/// the air.
#[derive(Clone, Debug)]
pub struct Player<'a> {
    library: &'a ActionLibrary,
    action: ActionId,
    /// The frame of the take that is shown next.
    frame: usize,
    /// Where the take's world is in ours.
    world_from_take: Placement,
    seam: Option<Seam>,
    feet: [KeptFoot; 2],
    /// The last pose but one and the last.
    shown: Option<[Pose; 2]>,
}

/// What is left of the action before.
#[derive(Clone, Debug)]
pub struct Seam {
    transition: Transition,
    /// Frames since the switch.
    age: u32,
}

impl<'a> Player<'a> {
    /// Somebody about to perform an action, the root placed here.
    pub fn new(library: &'a ActionLibrary, action: ActionId, placement: Placement) -> Player<'a> {
        let mut player = Player {
            library,
            action,
            frame: 0,
            world_from_take: Placement::default(),
            seam: None,
            feet: Side::BOTH.map(|side| KeptFoot::new(&library.body().skeleton, side)),
            shown: None,
        };
        player.begin(action, 0, placement);
        player
    }

    /// The action under way.
    pub fn action(&self) -> ActionId {
        self.action
    }

    /// The frame of the action that is shown next, from 0; its length when all were shown.
    pub fn progress(&self) -> u32 {
        self.frame as u32 - self.library.action(self.action).frames.start
    }

    /// Whether the action's last frame was shown: the next action's first one is due.
    pub fn is_done(&self) -> bool {
        self.progress() >= self.library.action(self.action).n_frames()
    }

    /// Where the root would be in the frame that is shown next, seams aside: what planners reckon with.
    pub fn placement(&self) -> Placement {
        let take = self.library.take_of(self.action);
        let frame = self.frame.min(take.placements.len() - 1);
        self.world_from_take.then(take.placements[frame])
    }

    /// Goes on with another action from its frame `start_at` on, wherever the one under way is.
    pub fn switch(&mut self, action: ActionId, start_at: u32) {
        let placement = self.placement();
        self.begin(action, start_at, placement);
        let (Some(shown), take) = (self.shown.clone(), self.library.take_of(action)) else { return };
        let earlier = [2, 1].map(|back| self.placed(&pose_before(&take.clip, self.frame, back)));
        let views = [shown[0].view(), shown[1].view()];
        let next = [earlier[0].view(), earlier[1].view()];
        let dt = FrameRate::HOUSE.dt() as f32;
        self.seam = Some(Seam { transition: Transition::new(views, next, dt, FADE), age: 0 });
        for foot in &mut self.feet {
            foot.meet(
                &take.standing,
                self.frame,
                &self.library.body().skeleton,
                [&shown[0], &shown[1]],
                &earlier,
            );
        }
    }

    /// The next pose; after the last one of the action the take goes on, if there is more of it.
    pub fn step(&mut self) -> Pose {
        let take = self.library.take_of(self.action);
        let frame = self.frame.min(take.clip.n_frames() - 1);
        let source = self.placed(&take.clip.frame(frame).to_pose());
        let mut pose = source.clone();
        if let Some(seam) = &mut self.seam {
            seam.age += 1;
            let since = seam.age as f32 * FrameRate::HOUSE.dt() as f32;
            seam.transition.apply(since, &mut pose);
            if since > FADE {
                self.seam = None;
            }
        }
        let skeleton = &self.library.body().skeleton;
        for foot in &mut self.feet {
            foot.keep(&take.standing, frame, self.seam.is_some(), skeleton, &source, &mut pose);
        }
        self.frame += 1;
        let last = self.shown.take().map_or_else(|| pose.clone(), |[_, last]| last);
        self.shown = Some([last, pose.clone()]);
        pose
    }

    /// Passes over one frame without showing it.
    pub(super) fn skip(&mut self) {
        self.frame += 1;
    }

    /// Which feet stand in the frame that is shown next; left, then right.
    pub fn standing(&self) -> [bool; 2] {
        let take = self.library.take_of(self.action);
        take.standing[self.frame.min(take.standing.len() - 1)]
    }

    /// What the action itself has for the frame that is shown next, seams aside.
    pub(super) fn source(&self) -> Pose {
        let clip = &self.library.take_of(self.action).clip;
        self.placed(&clip.frame(self.frame.min(clip.n_frames() - 1)).to_pose())
    }

    fn begin(&mut self, action: ActionId, start_at: u32, placement: Placement) {
        self.action = action;
        let frames = self.library.action(action).frames.clone();
        self.frame = (frames.start + start_at).min(frames.end) as usize;
        let there = self.library.take_of(action).placements[self.frame];
        // world_from_take * there = placement.
        let heading = placement.heading - there.heading;
        let turn = Placement { position: Ground::default(), heading };
        let turned = turn.point(there.position.at_height(0.0));
        let position = Ground { x: placement.position.x - turned.x, z: placement.position.z - turned.z };
        self.world_from_take = Placement { position, heading };
    }

    /// A pose of the take, in our world.
    fn placed(&self, pose: &Pose) -> Pose {
        let mut placed = pose.clone();
        placed.translations[0] = self.world_from_take.point(pose.translations[0]);
        placed.rotations[0] = self.world_from_take.rotation() * pose.rotations[0];
        placed
    }
}

/// Plays actions one after the other, the first one's root placed here; the clip ends with the last action's last
/// pose. Any action may follow any other here: whether it should is the caller's business.
pub fn play(library: &ActionLibrary, start: Placement, actions: &[ActionId]) -> Result<Clip, ClipError> {
    let Some((first, rest)) = actions.split_first() else { return Err(ClipError::Empty) };
    let mut player = Player::new(library, *first, start);
    let mut poses = Vec::new();
    let mut perform = |player: &mut Player<'_>| {
        while !player.is_done() {
            poses.push(player.step());
        }
    };
    perform(&mut player);
    for action in rest {
        player.switch(*action, 0);
        perform(&mut player);
    }
    poses.push(player.step());
    Clip::from_poses(&library.name, library.body().skeleton.clone(), FrameRate::HOUSE, poses)
}

fn pose_before(clip: &Clip, frame: usize, back: usize) -> Pose {
    if frame >= back {
        return clip.frame(frame - back).to_pose();
    }
    // Before the start as if the first velocity had been kept.
    let missing = (back - frame) as f32;
    let [first, second] = [0, 1].map(|frame: usize| clip.frame(frame.min(clip.n_frames() - 1)));
    crate::blend::add(first, first, second, missing)
}

/// A foot that stays where it stands across seams.
#[derive(Clone, Debug)]
struct KeptFoot {
    limb: Option<Limb>,
    ball: JointId,
    side: Side,
    /// How far the foot is from where the action has it (m).
    offset: Vec3,
    /// How that offset goes away.
    carry: Option<Carry>,
    /// The part of the offset above or below, which goes away whether the foot stands or not.
    lift: Option<(Fading, u32)>,
}

impl KeptFoot {
    fn new(skeleton: &Skeleton, side: Side) -> KeptFoot {
        let ball = skeleton.bone(Bone::LeftToes.on(side)).or(skeleton.bone(Bone::LeftFoot.on(side)));
        KeptFoot {
            limb: Limb::ending_in(skeleton, Bone::LeftFoot.on(side)),
            ball: ball.unwrap_or(JointId::ROOT),
            side,
            offset: Vec3::ZERO,
            carry: None,
            lift: None,
        }
    }

    /// A new action begins: `shown` are the last two poses that were shown, `next` what the action has for the
    /// same times.
    fn meet(
        &mut self,
        standing: &[[bool; 2]],
        frame: usize,
        skeleton: &Skeleton,
        shown: [&Pose; 2],
        next: &[Pose; 2],
    ) {
        let place = |pose: &Pose| skeleton.global_pose(pose.view()).positions[self.ball.idx()];
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

    /// Puts the foot of `pose` where it shall be; `source` is what the action has.
    fn keep(
        &mut self,
        standing: &[[bool; 2]],
        frame: usize,
        in_seam: bool,
        skeleton: &Skeleton,
        source: &Pose,
        pose: &mut Pose,
    ) {
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
            }
        }
        let lift = self.lift.as_mut().map_or(Vec3::ZERO, |(fading, age)| {
            *age += 1;
            fading.at(*age as f32 * dt)
        });
        if lift == Vec3::ZERO {
            self.lift = None;
        }
        if !in_seam && self.offset == Vec3::ZERO {
            return;
        }
        let Some(limb) = self.limb else { return };
        let wanted =
            skeleton.global_pose(source.view()).positions[self.ball.idx()] + self.offset + lift + raised;
        place_ball(skeleton, limb, self.ball, wanted, pose);
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

/// Bends a leg until the ball of its foot is at `wanted`; the foot keeps its turn.
fn place_ball(skeleton: &Skeleton, limb: Limb, ball: JointId, wanted: Vec3, pose: &mut Pose) {
    let globals: GlobalPose = skeleton.global_pose(pose.view());
    let foot: Quat = globals.rotations[limb.end.idx()];
    let ankle = globals.positions[limb.end.idx()] + wanted - globals.positions[ball.idx()];
    let hinge = globals.rotations[limb.middle.idx()] * Vec3::X;
    let goal = LimbGoal { target: ankle, hinge: Some(hinge), ..LimbGoal::of(limb.positions(&globals)) };
    limb.apply(skeleton, &globals, &goal.solve(), foot, pose);
}
