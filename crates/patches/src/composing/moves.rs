//! The movements of a library: what brings somebody from place to place, and what they wait with.

use randori_arena::bodies::{Bodies, Doing};
use randori_motion::annotation::Kind;
use randori_motion::library::NodeId;
use randori_motion::{ActionId, ActionLibrary, Bone, Ground};

/// What somebody does who waits.
const CALM: [&str; 5] = ["idle", "look-around", "look-left", "look-right", "guard"];
/// What is no way to get anywhere.
const NO_MOVES: [&str; 2] = ["get-up", "feint"];

/// Movements by the posture they begin and end in.
#[derive(Clone, Debug)]
pub struct Moves {
    from: Vec<Vec<ActionId>>,
    to: Vec<Vec<ActionId>>,
    calm: Vec<Vec<ActionId>>,
    /// Whether somebody in this posture lies or kneels.
    low: Vec<bool>,
    /// What brings somebody from a posture to one in which one can walk, soonest.
    onward: Vec<Option<ActionId>>,
    /// Movements to a posture in which one can wait.
    to_rest: Vec<u32>,
    /// Movements from a posture in which one can wait.
    from_rest: Vec<u32>,
    /// Whether the left and the right foot are lifted, action by action.
    lifts: Vec<[bool; 2]>,
    /// The left and the right foot among the parts of a body.
    feet: [Option<usize>; 2],
}

/// How far a foot that stands stays behind where a movement has it (m): what the hips do not have to give way for.
const DRAGGED: f32 = 0.2;

/// No way there.
const NEVER: u32 = u32::MAX;

impl Moves {
    /// The movements of a library: those done with empty hands, or those done with something in them.
    pub fn of(bodies: &Bodies, carries: bool) -> Moves {
        let library = bodies.library();
        let n = library.n_nodes();
        let empty = || vec![Vec::new(); n];
        let mut moves = Moves {
            from: empty(),
            to: empty(),
            calm: empty(),
            low: low_postures(bodies),
            onward: vec![None; n],
            to_rest: Vec::new(),
            from_rest: Vec::new(),
            lifts: library.ids().map(|id| lifts(library, id)).collect(),
            feet: [Bone::LeftFoot, Bone::RightFoot]
                .map(|foot| bodies.bones().iter().position(|known| *known == foot)),
        };
        for id in library.ids() {
            let action = library.action(id);
            let (word, [held, holds]) = (&action.annotation, action.annotation.holds());
            let [from, to] = [action.from, action.to].map(|node| node.0 as usize);
            let stem = word.stem();
            let is_calm = CALM.contains(&stem) || stem == "carry-stand";
            let is_move = is_calm || word.kind() == Kind::Transition && !NO_MOVES.contains(&stem);
            let alone = held.is_some() == carries && holds == held && !held.is_some_and(|it| it.is_shared);
            if action.is_terminal || !is_move || !alone || moves.low[from] || moves.low[to] {
                continue;
            }
            moves.from[from].push(id);
            moves.to[to].push(id);
            if is_calm && from == to {
                moves.calm[from].push(id);
            }
        }
        moves.onward = onward(bodies, &moves);
        for node in 0..n {
            if moves.from[node].is_empty() && !moves.low[node] {
                moves.from[node].extend(moves.onward[node]);
            }
        }
        let rests = |node: usize| !moves.calm[node].is_empty();
        let edges: Vec<(usize, usize)> = (moves.from.iter().flatten())
            .map(|id| (library.action(*id).from.0 as usize, library.action(*id).to.0 as usize))
            .collect();
        let back: Vec<(usize, usize)> = edges.iter().map(|(from, to)| (*to, *from)).collect();
        moves.to_rest = hops(n, rests, &edges);
        moves.from_rest = hops(n, rests, &back);
        moves
    }

    /// What somebody in this posture can do.
    pub fn from(&self, node: NodeId) -> &[ActionId] {
        &self.from[node.0 as usize]
    }

    /// What brings somebody into this posture.
    pub fn to(&self, node: NodeId) -> &[ActionId] {
        &self.to[node.0 as usize]
    }

    /// What somebody in this posture waits with.
    pub fn calm(&self, node: NodeId) -> &[ActionId] {
        &self.calm[node.0 as usize]
    }

    /// Whether somebody in this posture lies or kneels.
    pub fn is_low(&self, node: NodeId) -> bool {
        self.low[node.0 as usize]
    }

    /// What gets somebody up who lies in this posture, one after the other; empty if nothing does.
    pub fn rise(&self, library: &ActionLibrary, node: NodeId) -> Vec<ActionId> {
        let mut now = node;
        let mut path = Vec::new();
        while self.is_low(now) {
            let Some(id) = self.onward[now.0 as usize] else { return Vec::new() };
            path.push(id);
            now = library.action(id).to;
        }
        path
    }

    /// How far each foot is from where an action has it when that is over (m), if it follows another after which feet were
    /// as far off as this; `None` if a foot would stay too far behind. Whatever is off is made good when a foot is lifted.
    pub fn dragged(
        &self,
        bodies: &Bodies,
        (last, off): (&Doing, [Ground; 2]),
        next: &Doing,
    ) -> Option<[Ground; 2]> {
        let mut after = [Ground::default(); 2];
        for (side, foot) in self.feet.into_iter().enumerate() {
            let Some(foot) = foot else { continue };
            let place = |doing: &Doing| {
                let take = bodies.of_action(doing.action).take;
                let ends = bodies.frame(take, doing.frame(bodies, next.start));
                doing.world_from_take.ground(Ground::below(ends[foot][0]))
            };
            let (was, is) = (place(last), place(next));
            let off = Ground { x: was.x + off[side].x - is.x, z: was.z + off[side].z - is.z };
            if libm::hypotf(off.x, off.z) > DRAGGED {
                return None;
            }
            if !self.lifts[next.action.0 as usize][side] {
                after[side] = off;
            }
        }
        Some(after)
    }

    /// How many movements there are at least from this posture to one in which one can wait.
    pub fn to_rest(&self, node: NodeId) -> u32 {
        self.to_rest[node.0 as usize]
    }

    /// How many movements there are at least from a posture in which one can wait to this one.
    pub fn from_rest(&self, node: NodeId) -> u32 {
        self.from_rest[node.0 as usize]
    }
}

/// A head that is lower than this is that of somebody who lies or kneels (m).
const LOW: f32 = 0.9;
/// Blows into the air count as this many times as long.
const INTO_THE_AIR: u32 = 4;

/// Whether the left and the right foot are lifted in an action.
fn lifts(library: &ActionLibrary, id: ActionId) -> [bool; 2] {
    let frames = &library.action(id).frames;
    let standing = &library.take_of(id).standing;
    let shown = standing.iter().skip(frames.start as usize).take(frames.len());
    shown.fold([false; 2], |[left, right], [stands_left, stands_right]| {
        [left || !stands_left, right || !stands_right]
    })
}

fn low_postures(bodies: &Bodies) -> Vec<bool> {
    let library = bodies.library();
    let is_low = |node: u32| {
        let starting = library.starting_from(NodeId(node));
        let head = |id: &ActionId| {
            let its = bodies.of_action(*id);
            bodies.stance(its.take, its.first).head.y
        };
        let sum: f32 = starting.iter().map(head).sum();
        !starting.is_empty() && sum < LOW * starting.len() as f32
    };
    (0..library.n_nodes() as u32).map(is_low).collect()
}

/// The first action of the quickest way from each posture to one from which movements begin.
fn onward(bodies: &Bodies, moves: &Moves) -> Vec<Option<ActionId>> {
    let library = bodies.library();
    let n = library.n_nodes();
    let is_goal = |node: usize| !moves.low[node] && !moves.calm[node].is_empty();
    let mut left: Vec<u32> = (0..n).map(|node| if is_goal(node) { 0 } else { NEVER }).collect();
    let mut first = vec![None; n];
    loop {
        let mut is_settled = true;
        for id in library.ids() {
            let (action, kind) = (library.action(id), library.action(id).annotation.kind());
            let (from, to) = (action.from.0 as usize, action.to.0 as usize);
            if kind == Kind::Reaction || action.is_terminal || left[to] == NEVER {
                continue;
            }
            let times = if kind == Kind::Attack { INTO_THE_AIR } else { 1 };
            let via = left[to] + times * action.n_frames().max(1);
            if via < left[from] {
                (left[from], first[from], is_settled) = (via, Some(id), false);
            }
        }
        if is_settled {
            return first;
        }
    }
}

/// For each node, the fewest edges to one of the goals.
fn hops(n: usize, is_goal: impl Fn(usize) -> bool, edges: &[(usize, usize)]) -> Vec<u32> {
    let mut hops: Vec<u32> = (0..n).map(|node| if is_goal(node) { 0 } else { NEVER }).collect();
    loop {
        let mut is_settled = true;
        for (from, to) in edges {
            let via = hops[*to].saturating_add(1);
            if via < hops[*from] {
                hops[*from] = via;
                is_settled = false;
            }
        }
        if is_settled {
            return hops;
        }
    }
}
