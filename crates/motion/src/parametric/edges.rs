//! What may follow what: edges between points of parameter spaces.

use std::collections::BTreeMap;

use super::NodeId;
use super::node::Node;
use super::recipe::{BadRecipe, Link, Recipe, When};
use crate::bone::Side;
use crate::library::Likeness;
use crate::library::feet::KeptFoot;
use crate::library::posture::Posture;
use crate::rate::FrameRate;
use crate::skeleton::Skeleton;

/// A transition from points of one node's parameter space to points of another's.
///
/// From each of a few parameters of the first, spread evenly over its range, it leads to an interval of parameters of the
/// second, those that are like enough (\[HeckGleicher2007\]); in between, to what lies in between.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// The node it leaves.
    pub from: NodeId,
    /// When it does, above 0 and up to 1.
    pub at: f32,
    /// The node it leads to.
    pub to: NodeId,
    /// Where in time it arrives there, from 0 to below 1.
    pub start: f32,
    /// The range of the first node's parameter.
    pub(super) sources: [f32; 2],
    /// Where it leads from each of the parameters; from greater to less if nowhere.
    pub(super) targets: [[f32; 2]; ANCHORS],
}

/// Parameters of the first node from which is told where an edge leads.
pub(super) const ANCHORS: usize = 5;
/// Parameters of the second node that are tried.
const TRIED: usize = 9;
/// Leads nowhere.
pub(super) const CLOSED: [f32; 2] = [1.0, 0.0];
/// Moments of a node that edges on the way may arrive at.
const MOMENTS: usize = 20;

impl Edge {
    /// The interval of the second node's parameter that can be reached from a parameter of the first; `None` if none can.
    #[inline]
    pub fn targets(&self, parameter: f32) -> Option<[f32; 2]> {
        let [least, most] = self.sources;
        let spread = most - least;
        let x = if spread > 0.0 { (parameter - least) / spread * (ANCHORS - 1) as f32 } else { 0.0 };
        let x = x.max(0.0).min((ANCHORS - 1) as f32);
        let at = (x as usize).min(ANCHORS - 2);
        let share = x - at as f32;
        let open = |[from, to]: [f32; 2]| from <= to;
        match (self.targets[at], self.targets[at + 1]) {
            (a, b) if open(a) && open(b) => Some([0, 1].map(|end| a[end] + (b[end] - a[end]) * share)),
            (a, _) if open(a) && share < 0.5 => Some(a),
            (_, b) if open(b) && share >= 0.5 => Some(b),
            _ => None,
        }
    }
}

/// The edges of a recipe's links, in order.
pub(super) fn found(recipe: &Recipe, skeleton: &Skeleton, nodes: &[Node]) -> Result<Vec<Edge>, BadRecipe> {
    let feet = Side::BOTH.map(|side| KeptFoot::new(skeleton, side));
    let mut eye = Eye { skeleton, nodes, feet, likeness: recipe.likeness, seen: BTreeMap::new() };
    let id = |name: &str| {
        let at = nodes.iter().position(|node| node.name == name).unwrap_or(0);
        NodeId(at as u16)
    };
    let mut edges = Vec::new();
    for Link { from, to, when } in &recipe.links {
        let (from, to) = (id(from), id(to));
        match when {
            When::AtEnd => edges.push(eye.edge(from, 1.0, to, Some(0.0))?),
            When::During(times) => {
                for time in times {
                    edges.push(eye.edge(from, *time, to, None)?);
                }
            }
            When::Between(times) => {
                for [leaves, enters] in times {
                    edges.push(eye.edge(from, *leaves, to, Some(*enters))?);
                }
            }
        }
    }
    edges.sort_by(|a, b| {
        let order = |edge: &Edge| (edge.from, edge.to);
        a.from.cmp(&b.from).then(a.at.total_cmp(&b.at)).then(order(a).cmp(&order(b)))
    });
    edges.dedup_by(|b, a| (a.from, a.to, a.at) == (b.from, b.to, b.at));
    for (at, node) in nodes.iter().enumerate() {
        let leaving = || edges.iter().filter(|edge| edge.from.idx() == at);
        let dead = |anchor: &usize| {
            !leaving().any(|edge| edge.at >= 1.0 && edge.targets[*anchor][0] <= edge.targets[*anchor][1])
        };
        // A node that nothing shall follow is the end; one with holes in what follows is a trap.
        if leaving().next().is_some()
            && let Some(anchor) = (0..ANCHORS).find(dead)
        {
            let parameter = spread(node.range(), anchor, ANCHORS);
            return Err(BadRecipe::DeadEnd { node: node.name.clone(), parameter });
        }
    }
    Ok(edges)
}

/// One of `n` values spread evenly over a range.
pub(super) fn spread([least, most]: [f32; 2], at: usize, n: usize) -> f32 {
    match n {
        0 | 1 => 0.5 * (least + most),
        // Rounding must not lead out of the range.
        _ => (least + (most - least) * at as f32 / (n - 1) as f32).min(most),
    }
}

/// Sees postures of nodes, and remembers them.
struct Eye<'a> {
    skeleton: &'a Skeleton,
    nodes: &'a [Node],
    feet: [KeptFoot; 2],
    likeness: Likeness,
    /// By node, time and parameter, these by their bits.
    seen: BTreeMap<(NodeId, u32, u32), Posture>,
}

impl Eye<'_> {
    fn edge(&mut self, from: NodeId, at: f32, to: NodeId, start: Option<f32>) -> Result<Edge, BadRecipe> {
        let (source, target) = (&self.nodes[from.idx()], &self.nodes[to.idx()]);
        let start = start.or_else(|| self.moment_like(from, at, to));
        let unlike = |difference: f32| BadRecipe::Unlike {
            from: source.name.clone(),
            to: target.name.clone(),
            time: at,
            difference,
        };
        let start = start.ok_or_else(|| unlike(f32::INFINITY))?;
        let mut nearest = f32::INFINITY;
        let mut targets = [CLOSED; ANCHORS];
        for (anchor, reached) in targets.iter_mut().enumerate() {
            let differences: Vec<f32> = (0..TRIED)
                .map(|tried| self.difference((from, at, anchor, ANCHORS), (to, start, tried, TRIED)))
                .collect();
            let best =
                (0..TRIED).fold(0, |best, k| if differences[k] < differences[best] { k } else { best });
            nearest = nearest.min(differences[best]);
            if differences[best] > 1.0 {
                continue;
            }
            let alike = |k: &usize| differences[*k] <= 1.0;
            let low = (0..=best).rev().take_while(alike).last().unwrap_or(best);
            let high = (best..TRIED).take_while(alike).last().unwrap_or(best);
            *reached = [low, high].map(|tried| spread(target.range(), tried, TRIED));
        }
        if targets.iter().all(|[from, to]| from > to) {
            return Err(unlike(nearest));
        }
        Ok(Edge { from, at, to, start, sources: source.range(), targets })
    }

    /// The moment of a node that is most like a moment of another, with the same feet on the floor.
    fn moment_like(&mut self, from: NodeId, at: f32, to: NodeId) -> Option<f32> {
        if from == to {
            return Some(at);
        }
        let standing = self.nodes[from.idx()].standing(at);
        let mut best: Option<(f32, f32)> = None;
        for moment in (0..MOMENTS).map(|moment| moment as f32 / MOMENTS as f32) {
            if self.nodes[to.idx()].standing(moment) != standing {
                continue;
            }
            let total: f32 = (0..ANCHORS)
                .map(|anchor| {
                    let differences = (0..ANCHORS).map(|tried| {
                        self.difference((from, at, anchor, ANCHORS), (to, moment, tried, ANCHORS))
                    });
                    differences.fold(f32::INFINITY, f32::min)
                })
                .sum();
            if best.is_none_or(|(least, _)| total < least) {
                best = Some((total, moment));
            }
        }
        best.map(|(_, moment)| moment)
    }

    fn difference(&mut self, a: (NodeId, f32, usize, usize), b: (NodeId, f32, usize, usize)) -> f32 {
        let [a, b] = [a, b].map(|(node, time, at, n)| {
            let parameter = spread(self.nodes[node.idx()].range(), at, n);
            let key = (node, time.to_bits(), parameter.to_bits());
            if !self.seen.contains_key(&key) {
                let posture = self.posture(node, time, parameter);
                self.seen.insert(key, posture);
            }
            key
        });
        self.seen[&a].difference(&self.seen[&b], &self.likeness)
    }

    fn posture(&self, node: NodeId, time: f32, parameter: f32) -> Posture {
        let node = &self.nodes[node.idx()];
        let (dt, now) = (FrameRate::HOUSE.dt() as f32, node.seconds_at(time, parameter));
        let whole = node.seconds(parameter);
        let around = [(now - dt).max(0.0), now, (now + dt).min(whole)];
        let globals = around.map(|seconds| {
            let time = node.time_at(seconds, parameter);
            self.skeleton.global_pose(node.pose(time, parameter, self.skeleton, &self.feet).view())
        });
        let seconds = (around[2] - around[0]).max(1e-3);
        // A foot that comes down as the node ends stands in what follows.
        let standing = node.standing(time);
        Posture::between(self.skeleton, &globals, seconds, node.placement(time, parameter), standing)
    }
}
