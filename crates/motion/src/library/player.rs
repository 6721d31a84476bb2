//! Performing actions one after the other: seams that fade, feet that stay.

use super::feet::{self, KeptFoot};
use super::{ActionId, ActionLibrary};
use crate::bone::Side;
use crate::clip::{Clip, ClipError};
use crate::inertialize::{Transition, before};
use crate::placement::Placement;
use crate::pose::{GlobalPose, Pose};
use crate::rate::FrameRate;

/// How long what is left of the old action takes to fade (s).
const FADE: f32 = 0.3;

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
    scratch: Scratch,
}

/// Memory that is used again in every step.
#[derive(Clone, Debug, Default)]
struct Scratch {
    source: Pose,
    globals: GlobalPose,
}

/// What is left of the action before.
#[derive(Clone, Debug)]
struct Seam {
    transition: Transition,
    /// Frames since the switch.
    age: u32,
}

impl<'a> Player<'a> {
    /// Somebody about to perform an action, the root placed here.
    pub fn new(library: &'a ActionLibrary, action: ActionId, placement: Placement) -> Player<'a> {
        Player::entering(library, action, 0, placement)
    }

    /// Somebody about to perform an action from its frame `start_at` on, the root then placed here.
    pub fn entering(
        library: &'a ActionLibrary,
        action: ActionId,
        start_at: u32,
        placement: Placement,
    ) -> Player<'a> {
        let mut player = Player {
            library,
            action,
            frame: 0,
            world_from_take: Placement::default(),
            seam: None,
            feet: Side::BOTH.map(|side| KeptFoot::new(&library.body().skeleton, side)),
            shown: None,
            scratch: Scratch::default(),
        };
        player.begin(action, start_at, placement);
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
        self.switch_to(action, start_at, self.placement());
    }

    /// The same, with the root placed here instead of where the action under way has brought it. How far apart the two are
    /// fades like everything else in which the actions differ.
    pub fn switch_to(&mut self, action: ActionId, start_at: u32, placement: Placement) {
        self.begin(action, start_at, placement);
        let (Some(shown), take) = (self.shown.clone(), self.library.take_of(action)) else { return };
        let earlier = [2, 1].map(|back| self.placed(before(&take.clip, self.frame, back)));
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
        let mut pose = Pose::default();
        self.step_into(&mut pose);
        pose
    }

    /// As [`Player::step`], into a pose that keeps its memory from call to call.
    pub fn step_into(&mut self, pose: &mut Pose) {
        let take = self.library.take_of(self.action);
        let frame = self.frame.min(take.clip.n_frames() - 1);
        pose.copy_from(take.clip.frame(frame));
        self.place(pose);
        let Scratch { source, globals } = &mut self.scratch;
        if let Some(seam) = &mut self.seam {
            source.copy_from(pose.view());
            seam.age += 1;
            let since = seam.age as f32 * FrameRate::HOUSE.dt() as f32;
            seam.transition.apply(since, pose);
            if since > FADE {
                self.seam = None;
            }
        }
        let skeleton = &self.library.body().skeleton;
        let in_seam = self.seam.is_some();
        if in_seam {
            let feet = self.feet.each_mut();
            let wanted = feet.map(|foot| foot.wanted(&take.standing, frame, in_seam, skeleton, source));
            feet::place(skeleton, &self.feet, wanted, globals, pose);
        } else {
            let moved = self.feet.each_mut().map(|foot| foot.moved(&take.standing, frame, in_seam));
            feet::place_moved(skeleton, &self.feet, moved, globals, pose);
        }
        self.frame += 1;
        match &mut self.shown {
            Some(shown) => {
                shown.swap(0, 1);
                shown[1].copy_from(pose.view());
            }
            None => self.shown = Some([pose.clone(), pose.clone()]),
        }
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
        self.placed(clip.frame(self.frame.min(clip.n_frames() - 1)).to_pose())
    }

    fn begin(&mut self, action: ActionId, start_at: u32, placement: Placement) {
        self.action = action;
        let frames = self.library.action(action).frames.clone();
        self.frame = (frames.start + start_at).min(frames.end) as usize;
        let there = self.library.take_of(action).placements[self.frame];
        self.world_from_take = placement.then(there.relative(Placement::default()));
    }

    /// A pose of the take, in our world.
    fn placed(&self, mut pose: Pose) -> Pose {
        self.place(&mut pose);
        pose
    }

    /// The same, in its own memory.
    fn place(&self, pose: &mut Pose) {
        let turn = self.world_from_take.rotation();
        pose.translations[0] = self.world_from_take.position.at_height(0.0) + turn * pose.translations[0];
        pose.rotations[0] = turn * pose.rotations[0];
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
