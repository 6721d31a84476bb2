//! What somebody can do within one look-ahead, as plain numbers that an entry of a payoff matrix is made of.

use randori_motion::Placement;
use randori_motion::parametric::{Action, ActionSet, Graph, Leg, LookAhead, MOMENTS, Node, State};

/// What a motion is to the rules of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Doing {
    /// Nothing that the rules know.
    Else,
    /// A walking step.
    Walk,
    /// A quick step.
    Quick,
    /// Throwing oneself at the other.
    Tackle,
    /// Throwing oneself aside.
    Dodge,
    /// A cut that gathers on a line, 0 to 4.
    Gather(u8),
    /// A cut that falls on a line.
    Strike(u8),
    /// A block on a line.
    Block(u8),
    /// A step back out of reach, and forth again.
    Retreat,
}

impl Doing {
    /// What a node of this name is.
    fn of(node: &Node) -> Doing {
        let name = node.name.as_str();
        let line = |of: fn(u8) -> Doing, rest: &str| {
            let at = LINES.iter().position(|line| *line == rest);
            at.map_or(Doing::Else, |at| of(at as u8))
        };
        match name {
            _ if name.starts_with("walk") => Doing::Walk,
            _ if name.starts_with("quick-step") => Doing::Quick,
            _ if name.starts_with("tackle") => Doing::Tackle,
            _ if name.starts_with("dodge") => Doing::Dodge,
            _ if name.starts_with("retreat") => Doing::Retreat,
            _ => {
                if let Some(rest) = name.strip_prefix("gather-") {
                    line(Doing::Gather, rest)
                } else if let Some(rest) = name.strip_prefix("strike-") {
                    line(Doing::Strike, rest)
                } else if let Some(rest) = name.strip_prefix("block-") {
                    line(Doing::Block, rest)
                } else {
                    Doing::Else
                }
            }
        }
    }

    /// Whether this is part of an attack with the sword.
    pub fn attacks(self) -> bool {
        matches!(self, Doing::Gather(_) | Doing::Strike(_))
    }
}

/// The lines of cuts by the own side they come from, and of blocks by the own side they cover.
pub const LINES: [&str; 5] = ["overhead", "left", "left-upper", "right", "right-upper"];

/// Somebody at one moment of a move, seen from where they were when it began.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Instant {
    /// Where they are (m): to the left and ahead.
    pub place: [f64; 2],
    /// Their hands (m): to the left and ahead.
    pub hands: [[f64; 2]; 2],
    /// What they are at.
    pub doing: Doing,
    /// When in the motion, 0 to 1.
    pub time: f64,
}

/// One thing that somebody can do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Move {
    /// The state of the graph at its end.
    pub end: State,
    /// Four moments, the last at the end.
    pub instants: [Instant; MOMENTS],
    /// How far it turns to the left (rad), and the sine and cosine of that.
    pub turn: [f64; 3],
    /// Whether a strike lands in it: its line, and at which of the moments.
    pub lands: Option<(u8, u8)>,
    /// What is begun in it first, if anything is.
    pub begins: Option<Doing>,
    /// Whether an attack with the sword is begun in it, first or later.
    pub begins_attack: bool,
}

impl Move {
    /// Where it leads (m).
    pub fn place(&self) -> [f64; 2] {
        self.instants[MOMENTS - 1].place
    }

    /// Where it leads, as a placement seen from the start.
    pub fn displacement(&self) -> Placement {
        let [x, z] = self.place().map(|at| at as f32);
        Placement { position: randori_motion::Ground { x, z }, heading: self.turn[0] as f32 }
    }

    /// Whether somebody is at it at any of the moments.
    pub fn is(&self, doing: Doing) -> bool {
        self.instants.iter().any(|at| at.doing == doing)
    }
}

/// A graph as a player of a game sees it.
#[derive(Clone, Debug)]
pub struct Repertoire {
    /// The graph.
    pub graph: Graph,
    /// How far actions go.
    pub look_ahead: LookAhead,
    doings: Vec<Doing>,
}

/// Where in a strike the blade arrives, 0 to 1.
pub const LANDS: f32 = 1.0;
/// Times of a motion closer than this are the same, and moments closer than so many seconds: a decision may end just as the
/// blade arrives.
const SAME: f32 = 1e-4;

impl Repertoire {
    /// The motions of a graph for actions of this length.
    pub fn new(graph: Graph, look_ahead: LookAhead) -> Repertoire {
        let doings = graph.nodes().iter().map(Doing::of).collect();
        Repertoire { graph, look_ahead, doings }
    }

    /// What a node is.
    pub fn doing(&self, state: State) -> Doing {
        self.doings[state.node.idx()]
    }

    /// All that can be done at a state, in the order of the set.
    pub fn moves(&self, state: State, set: &mut ActionSet, moves: &mut Vec<Move>) {
        self.graph.actions(state, &self.look_ahead, set);
        moves.clear();
        moves.extend(set.actions().iter().map(|action| self.compiled(action, set.path(action))));
    }

    fn compiled(&self, action: &Action, path: &[Leg]) -> Move {
        let seconds = f64::from(self.look_ahead.seconds);
        let ground = |at: randori_motion::math::Vec3| [f64::from(at.x), f64::from(at.z)];
        let instants = std::array::from_fn(|k| {
            let moment = &action.moments[k];
            let (doing, time) = self.at(path, seconds * (k + 1) as f64 / MOMENTS as f64);
            Instant {
                place: ground(moment.placement.position.at_height(0.0)),
                hands: moment.hands.map(ground),
                doing,
                time,
            }
        });
        let turn = f64::from(action.displacement().heading);
        Move {
            end: action.end,
            instants,
            turn: [turn, libm::sin(turn), libm::cos(turn)],
            lands: self.lands(path, seconds),
            begins: path.get(1).map(|leg| self.doings[leg.node.idx()]),
            begins_attack: path.iter().skip(1).any(|leg| self.doings[leg.node.idx()].attacks()),
        }
    }

    /// What somebody is at so long after the start of a path (s), and when in that motion.
    fn at(&self, path: &[Leg], since: f64) -> (Doing, f64) {
        let mut left = since;
        for (k, leg) in path.iter().enumerate() {
            let node = self.graph.node(leg.node);
            let [from, to] = [leg.from, leg.to].map(|time| f64::from(node.seconds_at(time, leg.parameter)));
            if left <= to - from + f64::from(SAME) || k + 1 == path.len() {
                let time = f64::from(node.time_at((from + left) as f32, leg.parameter));
                return (self.doings[leg.node.idx()], time);
            }
            left -= to - from;
        }
        (Doing::Else, 0.0)
    }

    /// Whether a strike lands on a path: its line and the moment at or after which it does.
    fn lands(&self, path: &[Leg], seconds: f64) -> Option<(u8, u8)> {
        let mut since = 0.0;
        for leg in path {
            let node = self.graph.node(leg.node);
            let at = |time: f32| f64::from(node.seconds_at(time, leg.parameter));
            if let Doing::Strike(line) = self.doings[leg.node.idx()]
                && leg.from < LANDS - SAME
                && LANDS - SAME <= leg.to
            {
                let when = since + at(LANDS) - at(leg.from);
                let moment = libm::ceil(MOMENTS as f64 * when / seconds - 1e-3).clamp(1.0, MOMENTS as f64);
                return Some((line, moment as u8 - 1));
            }
            since += at(leg.to) - at(leg.from);
        }
        None
    }
}
