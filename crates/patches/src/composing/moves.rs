//! The movements of a library: what brings somebody from place to place, and what they wait with.

use randori_motion::annotation::Kind;
use randori_motion::library::NodeId;
use randori_motion::{ActionId, ActionLibrary};

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
    get_up: Vec<Vec<ActionId>>,
    /// Movements to a posture in which one can wait.
    to_rest: Vec<u32>,
    /// Movements from a posture in which one can wait.
    from_rest: Vec<u32>,
}

/// No way there.
const NEVER: u32 = u32::MAX;

impl Moves {
    /// The movements of a library: those done with empty hands, or those done with something in them.
    pub fn of(library: &ActionLibrary, carries: bool) -> Moves {
        let n = library.n_nodes();
        let empty = || vec![Vec::new(); n];
        let mut moves = Moves {
            from: empty(),
            to: empty(),
            calm: empty(),
            get_up: empty(),
            to_rest: Vec::new(),
            from_rest: Vec::new(),
        };
        for id in library.ids() {
            let action = library.action(id);
            let (word, [held, holds]) = (&action.annotation, action.annotation.holds());
            let [from, to] = [action.from, action.to].map(|node| node.0 as usize);
            if word.name() == "get-up" {
                moves.get_up[from].push(id);
            }
            let stem = word.stem();
            let is_calm = CALM.contains(&stem) || stem == "carry-stand";
            let is_move = is_calm || word.kind() == Kind::Transition && !NO_MOVES.contains(&stem);
            let alone = held.is_some() == carries && holds == held && !held.is_some_and(|it| it.is_shared);
            if action.is_terminal || !is_move || !alone {
                continue;
            }
            moves.from[from].push(id);
            moves.to[to].push(id);
            if is_calm && from == to {
                moves.calm[from].push(id);
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

    /// What gets somebody up who lies in this posture.
    pub fn get_up(&self, node: NodeId) -> &[ActionId] {
        &self.get_up[node.0 as usize]
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
