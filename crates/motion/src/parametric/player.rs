//! Performing paths through the graph: seams that fade, feet that stay.

use std::collections::VecDeque;

use glam::Vec3;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{ActionSet, Graph, Leg, LookAhead, State, carry};
use crate::blend;
use crate::clip::{Clip, ClipError};
use crate::inertialize::Transition;
use crate::library::feet::{self, KeptFoot};
use crate::placement::Placement;
use crate::pose::{GlobalPose, Pose};
use crate::rate::FrameRate;

/// How long what is left of the motion before takes to fade (s).
const FADE: f32 = 0.3;

/// A standing foot leaves the floor when its leg is too short by this much (m).
const LET_GO: f32 = 0.005;

/// Somebody who performs motions of a graph, 60 poses a second.
///
/// At a seam the new motion starts where the old one's placement is; what differs in posture and momentum fades over
/// 0.3 s ([`Transition`]). Feet that stand stay where they are until their next lift, or until they are out of reach, and make
/// good the difference in the air.
#[derive(Clone, Debug)]
pub struct Player<'a> {
    graph: &'a Graph,
    state: State,
    /// What comes next, and when the motion under way is left for it.
    next: VecDeque<Leg>,
    /// When the leg under way is left, if anything comes next.
    until: f32,
    world_from_node: Placement,
    seam: Option<Seam>,
    feet: [KeptFoot; 2],
    /// Which feet stand in each frame of the motion under way since it was entered, up to its end.
    standing: Vec<[bool; 2]>,
    /// Frames since it was entered.
    frame: usize,
    /// How much too short the legs were in the last pose (m); below 0 if they were not.
    missing: [f32; 2],
    /// The last pose but one and the last.
    shown: Option<[Pose; 2]>,
}

/// What is left of the motion before.
#[derive(Clone, Debug)]
struct Seam {
    transition: Transition,
    /// Frames since the switch.
    age: u32,
}

impl<'a> Player<'a> {
    /// Somebody in a state of the graph, placed here.
    pub fn new(graph: &'a Graph, state: State, placement: Placement) -> Player<'a> {
        let mut player = Player {
            graph,
            state,
            next: VecDeque::new(),
            until: 1.0,
            world_from_node: Placement::default(),
            seam: None,
            feet: graph.feet.clone(),
            standing: Vec::new(),
            frame: 0,
            missing: [0.0; 2],
            shown: None,
        };
        player.begin(state, placement, 0.0);
        player
    }

    /// The state of the pose that is shown next.
    pub fn state(&self) -> State {
        self.state
    }

    /// Where the person is in the pose that is shown next, seams aside: what planners reckon with.
    pub fn placement(&self) -> Placement {
        let node = self.graph.node(self.state.node);
        self.world_from_node.then(node.placement(self.state.time, self.state.parameter))
    }

    /// Takes up a path, as [`ActionSet::path`] has it, in place of whatever was to come. Its first leg is taken to be the
    /// motion under way, if it is of the same node and parameter; else it is entered at once.
    pub fn follow(&mut self, path: &[Leg]) {
        self.next.clear();
        self.until = 1.0;
        let Some((first, rest)) = path.split_first() else { return };
        if (first.node, first.parameter) != (self.state.node, self.state.parameter) {
            let dt = FrameRate::HOUSE.dt() as f32;
            self.switch(State { node: first.node, time: first.from, parameter: first.parameter }, dt, 0.0);
        }
        self.until = first.to;
        self.next.extend(rest);
    }

    /// The next pose. When all that was to come is done, the motion goes on to its end and stays there.
    pub fn step(&mut self) -> Pose {
        let source = self.source(self.state);
        let mut pose = source.clone();
        if let Some(seam) = &mut self.seam {
            seam.age += 1;
            let since = seam.age as f32 * FrameRate::HOUSE.dt() as f32;
            seam.transition.apply(since, &mut pose);
            if since > FADE {
                self.seam = None;
            }
        }
        let skeleton = self.graph.skeleton();
        let (in_seam, standing, frame) = (self.seam.is_some(), &self.standing, self.frame);
        let frame = frame.min(standing.len() - 1);
        let wanted =
            self.feet.each_mut().map(|foot| foot.wanted(standing, frame, in_seam, skeleton, &source));
        self.let_go(&pose, wanted, frame);
        feet::place(self.graph.skeleton(), &self.feet, wanted, &mut GlobalPose::default(), &mut pose);
        let last = self.shown.take().map_or_else(|| pose.clone(), |[_, last]| last);
        self.shown = Some([last, pose.clone()]);
        self.advance(FrameRate::HOUSE.dt() as f32);
        pose
    }

    /// Which feet stand in the pose that is shown next; left, then right.
    pub fn standing(&self) -> [bool; 2] {
        self.standing[self.frame.min(self.standing.len() - 1)]
    }

    /// Feet that stayed behind so far that their legs are stretched leave the floor: they would hold the hips back.
    fn let_go(&mut self, pose: &Pose, wanted: [Option<Vec3>; 2], frame: usize) {
        let globals = self.graph.skeleton().global_pose(pose.view());
        for (side, wanted) in wanted.into_iter().enumerate() {
            let before = self.missing[side];
            self.missing[side] = wanted.map_or(0.0, |ball| self.feet[side].missing(&globals, ball));
            // A foot that has just come down ahead gets nearer.
            if self.missing[side] > LET_GO && self.missing[side] > before {
                let rest = self.standing[frame..].iter_mut();
                rest.take_while(|stands| stands[side]).for_each(|stands| stands[side] = false);
            }
        }
    }

    fn advance(&mut self, mut seconds: f32) {
        self.frame += 1;
        let mut since = 0.0;
        loop {
            let State { time, parameter, .. } = self.state;
            let node = self.graph.node(self.state.node);
            let now = node.seconds_at(time, parameter);
            let left = node.seconds_at(self.until, parameter) - now;
            // Rounding must not hold a switch back by a frame.
            if left > seconds + 1e-4 || self.next.is_empty() {
                self.state.time = node.time_at(now + seconds, parameter);
                return;
            }
            let Some(leg) = self.next.pop_front() else { return };
            self.state.time = self.until;
            since += left.max(0.0);
            seconds = (seconds - left).max(0.0);
            let state = State { node: leg.node, time: leg.from, parameter: leg.parameter };
            self.switch(state, since, seconds);
            self.until = leg.to;
        }
    }

    /// Goes over into another motion, wherever the one under way is: the last pose was shown `since` ago, the next one will
    /// be `until` later (s).
    fn switch(&mut self, state: State, since: f32, until: f32) {
        let placement = self.placement();
        self.begin(state, placement, until);
        let Some(shown) = self.shown.clone() else { return };
        // What the new motion would have shown when the last two poses were.
        let dt = FrameRate::HOUSE.dt() as f32;
        let earlier = [since + dt, since].map(|seconds| self.earlier(seconds));
        let views = [shown[0].view(), shown[1].view()];
        let next = [earlier[0].view(), earlier[1].view()];
        self.seam = Some(Seam { transition: Transition::new(views, next, dt, FADE), age: 0 });
        for foot in &mut self.feet {
            foot.meet(&self.standing, 0, self.graph.skeleton(), [&shown[0], &shown[1]], &earlier);
        }
    }

    /// The motion under way as it was so many seconds ago; before its start as if its first velocity had been kept.
    fn earlier(&self, seconds: f32) -> Pose {
        let State { time, parameter, .. } = self.state;
        let node = self.graph.node(self.state.node);
        let at = node.seconds_at(time, parameter) - seconds;
        let dt = FrameRate::HOUSE.dt() as f32;
        let shown = |at: f32| self.source(State { time: node.time_at(at, parameter), ..self.state });
        if at >= 0.0 {
            return shown(at);
        }
        let [first, second] = [0.0, dt.min(node.seconds(parameter))].map(shown);
        blend::add(first.view(), first.view(), second.view(), -at / dt)
    }

    /// Is in a state from now on, the next pose being shown `until` later (s).
    fn begin(&mut self, state: State, placement: Placement, until: f32) {
        self.state = state;
        let node = self.graph.node(state.node);
        let there = node.placement(state.time, state.parameter);
        self.world_from_node = placement.then(there.relative(Placement::default()));
        let (dt, now) = (FrameRate::HOUSE.dt() as f32, until + node.seconds_at(state.time, state.parameter));
        let n_frames = libm::ceilf((node.seconds(state.parameter) - now) / dt - 1e-3).max(0.0) as usize;
        self.standing.clear();
        self.standing.extend((0..n_frames).map(|frame| {
            let time = node.time_at(now + frame as f32 * dt, state.parameter);
            node.standing(time.min(0.999_99))
        }));
        self.standing.push(node.standing(1.0));
        self.frame = 0;
    }

    /// What the motion under way has for a state, in the world, seams aside.
    pub(super) fn source(&self, state: State) -> Pose {
        let node = self.graph.node(state.node);
        let mut pose = node.pose(state.time, state.parameter, self.graph.skeleton(), &self.graph.feet);
        carry(self.world_from_node, &mut pose);
        pose
    }
}

/// Performs paths one after the other from a state, each as long as the look-ahead that it was found with (s).
pub fn play(
    graph: &Graph,
    state: State,
    placement: Placement,
    paths: &[&[Leg]],
    seconds: f32,
) -> Result<Clip, ClipError> {
    let mut player = Player::new(graph, state, placement);
    let n_frames = libm::roundf(seconds.clamp(0.0, 3600.0) * FrameRate::HOUSE.fps() as f32) as usize;
    let mut poses = Vec::with_capacity(n_frames * paths.len() + 1);
    for path in paths {
        player.follow(path);
        poses.extend((0..n_frames).map(|_| player.step()));
    }
    poses.push(player.step());
    Clip::from_poses(&graph.name, graph.skeleton().clone(), FrameRate::HOUSE, poses)
}

/// Somebody who wanders through the graph for a while (s): at every look-ahead one of the actions that lead to the node
/// used least, drawn with a seed. `None` if the graph has no nodes.
pub fn walk(graph: &Graph, look_ahead: &LookAhead, seconds: f32, seed: u64) -> Option<Clip> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut state = graph.start(graph.ids().next()?);
    let mut player = Player::new(graph, state, Placement::default());
    let mut set = ActionSet::default();
    let mut n_uses = vec![0_u32; graph.nodes().len()];
    let fps = FrameRate::HOUSE.fps() as f32;
    let n_frames = (libm::roundf(look_ahead.seconds * fps) as usize).max(1);
    let n_decisions = libm::ceilf(seconds.clamp(0.0, 3600.0) * fps / n_frames as f32) as usize;
    let mut poses = Vec::with_capacity(n_decisions * n_frames);
    for _ in 0..n_decisions {
        graph.actions(state, look_ahead, &mut set);
        let uses = |action: &super::Action| n_uses[action.end.node.idx()];
        let fewest = set.actions().iter().map(uses).min()?;
        let fresh = || set.actions().iter().filter(|action| uses(action) == fewest);
        let chosen = fresh().nth(rng.random_range(0..fresh().count()))?;
        player.follow(set.path(chosen));
        n_uses[chosen.end.node.idx()] += 1;
        state = chosen.end;
        poses.extend((0..n_frames).map(|_| player.step()));
    }
    Clip::from_poses(&graph.name, graph.skeleton().clone(), FrameRate::HOUSE, poses).ok()
}
