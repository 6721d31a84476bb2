//! What can have happened after a while: paths through the graph that end exactly then.

use glam::Vec3;

use super::edges::{Edge, spread};
use super::node::Parts;
use super::{Graph, NodeId, State};
use crate::math::wrap_angle;
use crate::placement::{Ground, Placement};
use crate::rate::FrameRate;

/// Moments at which an action tells where everything is, spread evenly: the last is its end.
pub const MOMENTS: usize = 4;

/// How far to look, and how closely.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LookAhead {
    /// How long actions last (s). Default 0.25.
    pub seconds: f32,
    /// Parameters that are tried of each node that is entered, spread over those that can be reached. Default 3.
    pub samples: usize,
    /// A motion that was just entered is left after this at the earliest (s): nobody changes their mind all the
    /// time. A motion that is performed from its start may be shorter. At least a frame. Default 0.15.
    pub resolve: f32,
    /// Actions beyond so many are not listed, see [`ActionSet::is_cut`]: their number grows as a power of the
    /// time. Default 1024.
    pub most: usize,
}

impl Default for LookAhead {
    fn default() -> LookAhead {
        LookAhead { seconds: 0.25, samples: 3, resolve: 0.15, most: 1024 }
    }
}

/// One path through the graph, as what comes of it. Plain numbers; places are seen from where the person is at the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Action {
    /// The state at the end.
    pub end: State,
    /// Where everything is at [`MOMENTS`] moments: the first after a quarter of the time, the last at the end.
    pub moments: [Moment; MOMENTS],
    /// Its legs in the set: where they start, and how many.
    legs: [u32; 2],
}

/// Where somebody is at one moment, seen from where they were when the action began.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Moment {
    /// Where they are.
    pub placement: Placement,
    /// The joint of the head (m).
    pub head: Vec3,
    /// The wrists (m); left, then right.
    pub hands: [Vec3; 2],
    /// Near and far end of what is held (m); both at the right wrist if the graph has nothing to hold.
    pub blade: [Vec3; 2],
}

/// A stretch of one motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leg {
    /// The node.
    pub node: NodeId,
    /// Which motion of it.
    pub parameter: f32,
    /// When it is entered, 0 to 1.
    pub from: f32,
    /// When it is left, 0 to 1.
    pub to: f32,
}

/// The actions that a state offers. Keeps its memory from call to call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ActionSet {
    actions: Vec<Action>,
    legs: Vec<Leg>,
    is_cut: bool,
    /// The path under way while searching.
    path: Vec<Leg>,
}

impl Action {
    /// Where the person is at the end, seen from the start.
    pub fn displacement(&self) -> Placement {
        self.moments[MOMENTS - 1].placement
    }
}

impl ActionSet {
    /// The actions, in an order that depends on the state and the graph alone: those that go on longest with what is
    /// under way first.
    pub fn actions(&self) -> &[Action] {
        &self.actions
    }

    /// The path of one of the set's actions; the first leg goes on with what was under way.
    pub fn path(&self, action: &Action) -> &[Leg] {
        let [start, n] = action.legs.map(|at| at as usize);
        self.legs.get(start..start + n).unwrap_or_default()
    }

    /// Whether there were more actions than [`LookAhead::most`].
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }
}

impl Graph {
    /// All that can have happened a while after a state, by depth-first search (\[Wampler2010\], section 4.1). Never
    /// empty, unless no action is wanted or the state is none of this graph.
    ///
    /// A motion goes on until its end or until an edge leads out of it. One that nothing follows holds its end.
    pub fn actions(&self, state: State, look_ahead: &LookAhead, set: &mut ActionSet) {
        set.actions.clear();
        set.legs.clear();
        set.path.clear();
        set.is_cut = false;
        if !self.holds(state) {
            return;
        }
        let seconds = if look_ahead.seconds > 0.0 { look_ahead.seconds.min(LONGEST) } else { 0.0 };
        let resolve = look_ahead.resolve.max(FrameRate::HOUSE.dt() as f32);
        let moments = [Moment::default(); MOMENTS];
        let mut search = Search { graph: self, look_ahead, seconds, resolve, set, moments };
        search.go_on(state, 0.0, Frame::of(self, state), true);
    }
}

/// Nobody looks ahead farther than this (s).
const LONGEST: f32 = 10.0;
/// Times nearer than this are the same (s).
const SAME: f32 = 1e-5;

struct Search<'a> {
    graph: &'a Graph,
    look_ahead: &'a LookAhead,
    seconds: f32,
    resolve: f32,
    set: &'a mut ActionSet,
    /// Of the path under way; those that have passed are filled in.
    moments: [Moment; MOMENTS],
}

/// Where a node's frame is, seen from the start of the action.
#[derive(Clone, Copy)]
struct Frame {
    placement: Placement,
    /// Sine and cosine of its heading.
    turn: [f32; 2],
}

impl Frame {
    /// The frame of a state's node if the person is at the origin.
    fn of(graph: &Graph, state: State) -> Frame {
        Frame::before(Placement::default(), graph.node(state.node).placement(state.time, state.parameter))
    }

    /// The frame in which what is `there` is `here` outside.
    fn before(here: Placement, there: Placement) -> Frame {
        let placement = here.then(there.relative(Placement::default()));
        Frame { placement, turn: [libm::sinf(placement.heading), libm::cosf(placement.heading)] }
    }

    #[inline]
    fn point(&self, point: Vec3) -> Vec3 {
        let ([sin, cos], Ground { x, z }) = (self.turn, self.placement.position);
        Vec3::new(x + cos * point.x + sin * point.z, point.y, z - sin * point.x + cos * point.z)
    }

    #[inline]
    fn placed(&self, placement: Placement) -> Placement {
        Placement {
            position: Ground::below(self.point(placement.position.at_height(0.0))),
            heading: wrap_angle(self.placement.heading + placement.heading),
        }
    }

    #[inline]
    fn moment(&self, (placement, parts): (Placement, Parts)) -> Moment {
        Moment {
            placement: self.placed(placement),
            head: self.point(parts.head),
            hands: parts.hands.map(|hand| self.point(hand)),
            blade: parts.blade.map(|end| self.point(end)),
        }
    }
}

impl Search<'_> {
    /// All paths on from a state entered at a time `since` after the start (s).
    fn go_on(&mut self, state: State, since: f32, frame: Frame, is_first: bool) {
        let node = self.graph.node(state.node);
        let entered = node.seconds_at(state.time, state.parameter);
        let left = self.seconds - since;
        let ends = node.seconds(state.parameter) - entered;
        let edges = self.graph.edges(state.node);
        self.set.path.push(Leg { node: state.node, parameter: state.parameter, from: state.time, to: 1.0 });

        if ends >= left - SAME || edges.is_empty() {
            let time = node.time_at(entered + left, state.parameter);
            self.pass(state, since, self.seconds, entered, frame);
            self.arrive(State { time, ..state });
        }
        // Edges that leave at the same moment stand together: the way there is gone once for all of them.
        for edges in edges.chunk_by(|a, b| a.at == b.at).rev() {
            let at = edges[0].at;
            let leaves = node.seconds_at(at, state.parameter) - entered;
            // Motions that are performed as a whole may be short.
            let whole = at >= 1.0 && state.time <= 0.0;
            let open = if is_first { leaves >= -SAME } else { leaves >= self.resolve || whole };
            if !open || leaves >= left - SAME {
                continue;
            }
            let leaves = leaves.max(0.0);
            self.pass(state, since, since + leaves, entered, frame);
            if let Some(leg) = self.set.path.last_mut() {
                leg.to = at;
            }
            let here = frame.placed(node.placement(at, state.parameter));
            for edge in edges {
                if let Some(targets) = edge.targets(state.parameter) {
                    self.enter(edge, targets, since + leaves, here);
                }
            }
            if self.set.is_cut {
                break;
            }
        }
        self.set.path.pop();
    }

    /// All paths on from the end of an edge, at a time (s) and place.
    fn enter(&mut self, edge: &Edge, targets: [f32; 2], since: f32, here: Placement) {
        if self.set.is_cut {
            return;
        }
        let node = self.graph.node(edge.to);
        let n = if targets[1] > targets[0] { self.look_ahead.samples.max(1) } else { 1 };
        for at in 0..n {
            let parameter = spread(targets, at, n);
            let state = State { node: edge.to, time: edge.start, parameter };
            let frame = Frame::before(here, node.placement(edge.start, parameter));
            self.go_on(state, since, frame, false);
            if self.set.is_cut {
                break;
            }
        }
    }

    /// Fills in the moments after `from` up to `to` (s), during which somebody goes on from a state.
    fn pass(&mut self, state: State, from: f32, to: f32, entered: f32, frame: Frame) {
        let node = self.graph.node(state.node);
        for at in 0..MOMENTS {
            let seconds = self.seconds * (at + 1) as f32 / MOMENTS as f32;
            let is_last = at + 1 == MOMENTS && to >= self.seconds;
            if seconds > from && (seconds <= to || is_last) {
                let time = node.time_at(entered + (seconds - from), state.parameter);
                self.moments[at] = frame.moment(node.moment(time, state.parameter));
            }
        }
    }

    /// Keeps the path under way.
    fn arrive(&mut self, end: State) {
        if self.set.actions.len() >= self.look_ahead.most {
            self.set.is_cut = true;
            return;
        }
        if let Some(leg) = self.set.path.last_mut() {
            leg.to = end.time;
        }
        if self.seconds <= 0.0 {
            let node = self.graph.node(end.node);
            self.moments = [Frame::of(self.graph, end).moment(node.moment(end.time, end.parameter)); MOMENTS];
        }
        let legs = [self.set.legs.len() as u32, self.set.path.len() as u32];
        self.set.legs.extend_from_slice(&self.set.path);
        self.set.actions.push(Action { end, moments: self.moments, legs });
    }
}
