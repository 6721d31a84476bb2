//! How a game looks: rounds performed by the people of its graphs, as a take.

use std::sync::Arc;

use randori_motion::parametric::{Graph, Leg, Player, State};
use randori_motion::{
    Body, Bone, Character, Clip, Event, EventKind, FrameRate, Ground, Placement, Pose, Side, Take, Weapon,
};

use serde_json::{Value, json};

use crate::decide::Mind;
use crate::game::{Game, Relation, Rules, Situation};
use crate::map::Plan;
use crate::round::{Round, RoundSettings, Turn, play_from, start};

/// What is asked of a performance.
#[derive(Clone, Debug, PartialEq)]
pub struct Performance {
    /// How long it lasts (s).
    pub seconds: f64,
    /// Seed of where it starts and of all that is drawn.
    pub seed: u64,
    /// Names and colours of the agent and the opponent.
    pub cast: [(String, [f32; 3]); 2],
    /// Where both start; by the seed if nobody says. Swordsmen stand as far apart as their rules say, on the line between.
    pub starts: Option<[Placement; 2]>,
}

/// A take and the rounds in it.
#[derive(Clone, Debug)]
pub struct Performed {
    /// How it looks.
    pub take: Take,
    /// What was played.
    pub rounds: Vec<Round>,
}

/// Half the width of a blade (m).
const BLADE: f32 = 0.025;
/// How much of a tackle must meet the other to be told (share).
const TOLD: f64 = 0.5;
/// Longest performance (s).
const LONGEST: f64 = 600.0;

/// Has a game performed. When a round ends, both come back to where rounds begin, and the next one starts.
pub fn perform(game: &Game, minds: &mut [Mind<'_>; 2], wanted: &Performance) -> Option<Performed> {
    let fps = FrameRate::HOUSE.fps();
    let per_decision = libm::round(game.seconds() * fps).max(1.0) as usize;
    let n_decisions = libm::ceil(wanted.seconds.clamp(0.0, LONGEST) / game.seconds()) as usize;
    let mut situation = start(game, wanted.seed);
    let mut agent = Placement::default();
    match (&game.rules, wanted.starts) {
        (Rules::Tag(_), Some([first, second])) => {
            situation.relation = Relation::of(first, second);
            agent = first;
        }
        (Rules::Sword(_), Some([first, second])) => agent = opposite(first, second, situation.relation.z),
        (_, None) => {}
    }
    let placements = [agent, agent.then(placed(situation.relation))];
    let mut players: [Player<'_>; 2] =
        [0, 1].map(|side| Player::new(&game.sides[side].graph, situation.states[side], placements[side]));
    let mut poses: [Vec<Pose>; 2] = [Vec::new(), Vec::new()];
    let mut events = Vec::new();
    let mut rounds = Vec::new();
    let mut n_done = 0;
    let mut number = 0;
    while n_done < n_decisions {
        let seed = wanted.seed.wrapping_add(0x51_7cc1 * number);
        let settings = RoundSettings { decisions: n_decisions - n_done, seed };
        let round = play_from(game, situation, minds, &settings);
        if round.turns.is_empty() {
            break;
        }
        number += 1;
        for turn in &round.turns {
            let now = poses[0].len() as f64 / fps;
            for side in 0..2 {
                let graph = &game.sides[side].graph;
                events.push(decision(now, wanted, (side, graph), turn, players[side].placement()));
                players[side].follow(&turn.paths[side]);
                poses[side].extend((0..per_decision).map(|_| players[side].step()));
                if turn.ends[side] != turn.moves[side].end {
                    events.push(event(now + game.seconds(), EventKind::Blocked, wanted, 1 - side));
                }
            }
            if turn.caught.abs() > TOLD {
                let side = usize::from(turn.caught < 0.0);
                events.push(event(now + 0.5 * game.seconds(), EventKind::Hit, wanted, side));
            }
            n_done += 1;
        }
        let Some(last) = round.turns.last() else { break };
        if round.is_over {
            let ends = last.ends;
            let back = [0, 1].map(|side| way_home(&game.sides[side].graph, ends[side]));
            let frames = |side: usize| {
                let seconds: f32 = back[side].iter().map(|leg| seconds(&game.sides[side].graph, leg)).sum();
                libm::ceil(f64::from(seconds) * fps) as usize
            };
            let n_frames = frames(0).max(frames(1)) + PAUSE;
            for side in 0..2 {
                players[side].follow(&back[side]);
                poses[side].extend((0..n_frames).map(|_| players[side].step()));
            }
            n_done += n_frames / per_decision;
            situation = Situation { states: start(game, wanted.seed).states, ..situation };
        } else {
            situation = Situation {
                relation: Relation::of(players[0].placement(), players[1].placement()),
                states: last.ends,
            };
        }
        rounds.push(round);
    }
    events.sort_by(|a: &Event, b| a.t.total_cmp(&b.t));
    let take = Take {
        name: game.name().to_owned(),
        seed: wanted.seed,
        characters: character(game, wanted, 0, &mut poses)
            .into_iter()
            .chain(character(game, wanted, 1, &mut poses))
            .collect(),
        props: Vec::new(),
        events,
        forces: Vec::new(),
    };
    (take.characters.len() == 2).then_some(Performed { take, rounds })
}

/// Frames of rest between two rounds.
const PAUSE: usize = 20;

/// Where the opponent is, seen from the agent.
fn placed(relation: Relation) -> Placement {
    let [x, z, heading] = [relation.x, relation.z, relation.theta].map(|it| it as f32);
    Placement { position: Ground { x, z }, heading }
}

/// Where somebody stands who faces another at a distance (m), both as near to where they were as can be.
fn opposite(first: Placement, second: Placement, apart: f64) -> Placement {
    let [from, to] = [first.position, second.position];
    let (x, z) = (to.x - from.x, to.z - from.z);
    let distance = libm::hypotf(x, z);
    let heading = if distance > 1e-3 { libm::atan2f(x, z) } else { first.heading };
    let ahead = 0.5 * (distance - apart as f32);
    let position =
        Ground { x: from.x + ahead * libm::sinf(heading), z: from.z + ahead * libm::cosf(heading) };
    Placement { position, heading }
}

fn event(t: f64, kind: EventKind, wanted: &Performance, side: usize) -> Event {
    let name = |side: usize| Some(wanted.cast[side].0.clone());
    Event { who: name(side), whom: name(1 - side), ..Event::new(t, kind) }
}

/// What somebody decided: the motion that it leads into, where they were, and all that it was drawn from, as places in the
/// world with their probabilities.
fn decision(
    now: f64,
    wanted: &Performance,
    (side, graph): (usize, &Graph),
    turn: &Turn,
    here: Placement,
) -> Event {
    let mut event = event(now, EventKind::Decision, wanted, side);
    let last = turn.paths[side].last().map_or(turn.ends[side].node, |leg| leg.node);
    let plan = |plan: &Plan| {
        let [x, z] = plan.to.map(|it| it as f32);
        let there = here.then(Placement { position: Ground { x, z }, heading: 0.0 }).position;
        json!([there.x, there.z, plan.probability])
    };
    let plans: Vec<Value> = turn.plans[side].iter().map(plan).collect();
    let mut insert = |key: &str, value: Value| event.details.insert(key.to_owned(), value);
    insert("action", graph.node(last).name.as_str().into());
    insert("at", json!([here.position.x, here.position.z]));
    insert("heading", json!(here.heading));
    insert("plans", plans.into());
    event
}

fn character(
    game: &Game,
    wanted: &Performance,
    side: usize,
    poses: &mut [Vec<Pose>; 2],
) -> Option<Character> {
    let graph = &game.sides[side].graph;
    let (name, color) = wanted.cast[side].clone();
    let skeleton = Arc::clone(&graph.body().skeleton);
    let clip = Clip::from_poses(&name, skeleton, FrameRate::HOUSE, std::mem::take(&mut poses[side])).ok()?;
    Some(Character { name, color, body: armed(game, graph), enter: 0.0, clip })
}

/// The body of a graph, with what it holds.
fn armed(game: &Game, graph: &Graph) -> Arc<Body> {
    match (&game.rules, graph.blade()) {
        (Rules::Sword(_), Some(blade)) => {
            let bone = if blade.hand == Side::Left { Bone::LeftHand } else { Bone::RightHand };
            let weapon = Weapon { bone, ends: [blade.hilt, blade.tip], radius: BLADE };
            Arc::new(graph.body().as_ref().clone().armed(weapon))
        }
        _ => Arc::clone(graph.body()),
    }
}

fn seconds(graph: &Graph, leg: &Leg) -> f32 {
    let node = graph.node(leg.node);
    node.seconds_at(leg.to, leg.parameter) - node.seconds_at(leg.from, leg.parameter)
}

/// From a state to the node `guard` by what follows at the end of each motion.
fn way_home(graph: &Graph, from: State) -> Vec<Leg> {
    let mut way = vec![Leg { node: from.node, parameter: from.parameter, from: from.time, to: 1.0 }];
    let home = graph.find("guard");
    for _ in 0..4 {
        let Some(last) = way.last() else { break };
        if Some(last.node) == home {
            break;
        }
        let at_end = graph.edges(last.node).iter().filter(|edge| edge.at >= 1.0);
        let next = at_end.clone().find(|edge| Some(edge.to) == home).or_else(|| {
            // Not into another attack.
            let quiet = |name: &str| name.starts_with("return") || name.starts_with("lower");
            at_end.clone().find(|edge| quiet(&graph.node(edge.to).name)).or_else(|| at_end.clone().next())
        });
        let Some(edge) = next else { break };
        let start = graph.start(edge.to);
        way.push(Leg { node: edge.to, parameter: start.parameter, from: edge.start, to: 1.0 });
    }
    way
}
