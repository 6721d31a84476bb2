//! From samples to a graph: states, edges, and nothing that leads nowhere.
//!
//! Reference: \[Shum2008b\], sections 6.1 and 6.2.

use std::f32::consts::PI;
use std::sync::atomic::{AtomicUsize, Ordering};

use randori_motion::ActionId;
use randori_motion::annotation::Kind;
use randori_motion::library::Fingerprint;
use randori_motion::math::wrap_angle;
use rayon::prelude::*;

use crate::cluster::{means, nearest};
use crate::duel::{Activity, Duel, Facts};
use crate::graph::{About, DEFENCE, Edges, Graph, Index, Numbered, SPARE, STATE, SWAPPED, StateId};
use crate::interaction::Interaction;
use crate::pairing::{Pairing, Place};
use crate::sample::{Archive, Exploration, Explorer, Grid, Sampling, Tolerance};

/// How a graph is made.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// How far to explore.
    pub sampling: Sampling,
    /// What counts as the same.
    pub tolerance: Tolerance,
    /// How wide the groups are that make a state, as a share of the tolerance (-).
    pub width: f32,
    /// States made by hand: kept as they are, beside those that are found.
    pub by_hand: Vec<Pairing>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            sampling: Sampling::default(),
            tolerance: Tolerance::default(),
            width: 0.8,
            by_hand: Vec::new(),
        }
    }
}

impl Settings {
    /// What suits an activity.
    pub fn of(activity: Activity) -> Settings {
        let usual = Settings::default();
        match activity {
            Activity::Fight => usual,
            Activity::Chase => Settings {
                sampling: Sampling { distances: vec![1.0, 2.0, 3.0, 4.0], ..usual.sampling },
                ..usual
            },
            // Whoever holds on to the same thing is always about as far away: finer cells are filled with as many samples.
            Activity::Carry => Settings {
                sampling: Sampling {
                    most: 720_000,
                    distances: vec![1.3, 1.4, 1.5, 1.6, 1.7],
                    ..usual.sampling
                },
                tolerance: Tolerance { unlike: 0.2, frames: 4 },
                ..usual
            },
        }
    }
}

/// Why no graph can be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// More than a file of graphs can number.
    #[error("a library of {actions} actions and {nodes} postures; a graph holds at most {MOST} of each")]
    TooLarge {
        /// Actions of the library.
        actions: usize,
        /// Nodes of its graph.
        nodes: usize,
    },
    /// Nothing leads anywhere.
    #[error(
        "two people of the library {library} have nothing to do with each other for long: no state is left"
    )]
    Empty {
        /// The library.
        library: String,
    },
}

/// Actions and nodes that are told apart.
const MOST: usize = u16::MAX as usize;

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Looking for what people get into.
    Samples,
    /// Playing what they can do in every state.
    Edges,
}

/// Explores, and makes a graph of it. `step` is told how much of which phase is done.
pub fn build(
    duel: &Duel,
    interaction: &dyn Interaction,
    settings: &Settings,
    step: &(dyn Fn(Phase, usize, usize) + Sync),
) -> Result<Graph, BuildError> {
    go_on(duel, interaction, settings, None, step, &mut |_| ())
}

/// The same from where an earlier attempt was left, if there is one; the graph is the same. `keep` is shown what there is
/// every now and then, for whoever wants to keep it.
pub fn go_on(
    duel: &Duel,
    interaction: &dyn Interaction,
    settings: &Settings,
    draft: Option<Draft>,
    step: &(dyn Fn(Phase, usize, usize) + Sync),
    keep: &mut dyn FnMut(&Draft),
) -> Result<Graph, BuildError> {
    let library = duel.bodies().library();
    let (actions, nodes) = (library.actions().len(), library.n_nodes());
    if actions > MOST || nodes > MOST {
        return Err(BuildError::TooLarge { actions, nodes });
    }
    let Settings { sampling, tolerance, .. } = settings;
    let mut draft = draft.unwrap_or_else(|| Draft {
        exploration: Exploration::begin(duel, *tolerance, sampling),
        ..Draft::default()
    });
    let mut explorer = Explorer::of(duel, interaction, *tolerance, sampling, &draft.exploration);
    while explorer.round(&mut draft.exploration) {
        step(Phase::Samples, draft.exploration.archive.samples.len(), sampling.most);
        keep(&draft);
    }
    drop(explorer);
    finished(duel, settings, draft, &|done, all| step(Phase::Edges, done, all), keep)
}

/// Makes a graph of what was explored. `step` is told how many states have their edges, and of how many.
pub fn graph_of(
    duel: &Duel,
    archive: &Archive,
    settings: &Settings,
    step: &(dyn Fn(usize, usize) + Sync),
) -> Result<Graph, BuildError> {
    let exploration = Exploration { archive: archive.clone(), pool: Vec::new(), is_over: true };
    finished(duel, settings, Draft { exploration, ..Draft::default() }, step, &mut |_| ())
}

/// A graph that is not finished: what was explored, and the edges of the first states.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draft {
    pub(crate) exploration: Exploration,
    /// How many edges each of the first states has.
    pub(crate) counts: Vec<u32>,
    pub(crate) edges: Edges,
}

fn finished(
    duel: &Duel,
    settings: &Settings,
    mut draft: Draft,
    step: &(dyn Fn(usize, usize) + Sync),
    keep: &mut dyn FnMut(&Draft),
) -> Result<Graph, BuildError> {
    let states = states_of(duel, &draft.exploration.archive, settings);
    let n_nodes = duel.bodies().library().n_nodes();
    let index = Index::of(duel.manners(), n_nodes, settings.tolerance, &states);
    drop(states);
    let n_states = index.places.len();
    let leads_on = |target: &u32| ((target & STATE) as usize) < n_states;
    if draft.counts.len() > n_states || !draft.edges.targets.iter().all(leads_on) {
        // Not the edges of these states.
        (draft.counts, draft.edges) = (Vec::new(), Edges::default());
    }
    edges_of(duel, &index, &mut draft, step, keep);
    let Draft { exploration: Exploration { archive, .. }, counts, edges } = draft;
    let mut firsts = vec![0_u32];
    for count in counts {
        firsts.push(firsts[firsts.len() - 1] + count);
    }
    let starts = archive.starts.iter().chain(&settings.by_hand).filter_map(|start| index.find(start));
    let kept = lasting(&firsts, &edges, starts.map(|found| found.state));
    let (index, firsts, edges) = compacted(index, &firsts, &edges, &kept);
    if index.places.is_empty() {
        return Err(BuildError::Empty { library: duel.bodies().library().name.clone() });
    }
    Ok(Graph {
        about: About {
            library: Fingerprint::of(duel.bodies().library()),
            poise: duel.stage().cast[0].poise,
            activity: duel.activity(),
            tolerance: settings.tolerance,
            samples: archive.samples.len() as u64,
            gaze: gaze_of(duel),
        },
        index,
        firsts,
        edges,
    })
}

/// The average samples of all groups, in order. What the other does is what it does in the sample nearest to it.
fn states_of(duel: &Duel, archive: &Archive, settings: &Settings) -> Vec<Numbered> {
    let manners = duel.manners();
    let grid = Grid::of(duel, settings.tolerance);
    let mut sorted: Vec<(u64, Numbered)> = archive
        .samples
        .par_iter()
        .map(|sample| (grid.group(sample), Numbered::of(manners, sample)))
        .collect();
    sorted.par_sort_unstable();
    let groups: Vec<&[(u64, Numbered)]> = sorted.chunk_by(|a, b| a.0 == b.0).collect();
    let radius = settings.width * settings.tolerance.unlike;
    let found: Vec<Vec<Numbered>> = (groups.into_par_iter())
        .map(|group| {
            let places: Vec<Place> = group.iter().map(|(_, sample)| sample.place).collect();
            let state = |mean: Place| {
                let (_, nearest) = group[nearest(&places, mean)];
                Numbered { place: Place { rest: nearest.place.rest, ..mean }, ..nearest }
            };
            means(&places, radius).into_iter().map(state).collect()
        })
        .collect();
    let mut states: Vec<Numbered> = found.into_iter().flatten().collect();
    let n_actions = manners.actions.len();
    let known = |pairing: &&Pairing| pairing.theirs.idx() < n_actions && duel.moment(pairing).is_some();
    states.extend(settings.by_hand.iter().filter(known).map(|pairing| Numbered::of(manners, pairing)));
    states.par_sort_unstable_by_key(|state| Index::key(settings.tolerance, state));
    states.dedup();
    states
}

/// States whose edges are played by one thread at a time, and how many such parts are played before they are kept.
const CHUNK: usize = 64;
const PARTS: usize = 128;

/// All that can be done in every state, if it leads to a state: of those that are not in the draft yet.
fn edges_of(
    duel: &Duel,
    index: &Index,
    draft: &mut Draft,
    step: &(dyn Fn(usize, usize) + Sync),
    keep: &mut dyn FnMut(&Draft),
) {
    let n_states = index.places.len();
    let done = AtomicUsize::new(draft.counts.len());
    while draft.counts.len() < n_states {
        let from = draft.counts.len();
        let parts: Vec<(Vec<u32>, Edges)> = (0..PARTS.min((n_states - from).div_ceil(CHUNK)))
            .into_par_iter()
            .map(|part| {
                let (mut counts, mut edges) = (Vec::new(), Edges::default());
                let mut room = Vec::new();
                let first = from + part * CHUNK;
                for state in first..(first + CHUNK).min(n_states) {
                    let before = edges.targets.len();
                    edges_from(duel, index, StateId(state as u32), &mut room, &mut edges);
                    counts.push((edges.targets.len() - before) as u32);
                }
                step(done.fetch_add(counts.len(), Ordering::Relaxed) + counts.len(), n_states);
                (counts, edges)
            })
            .collect();
        for (counts, edges) in parts {
            draft.counts.extend(counts);
            draft.edges.append(&edges);
        }
        keep(draft);
    }
}

/// All that can be done in a state, if it leads to a state.
fn edges_from(
    duel: &Duel,
    index: &Index,
    state: StateId,
    choices: &mut Vec<(ActionId, bool)>,
    edges: &mut Edges,
) {
    let pairing = index.pairing(state);
    let Some(moment) = duel.moment(&pairing) else { return };
    let around = duel.around(&pairing, index.tolerance);
    let coming = moment.people[1].ahead.map_or(0.0, |ahead| duel.scoring().worth(&ahead.hit));
    let [_, coming] = duel.blows(&around, &moment.people[0].doing, [0.0, coming]);
    choices.clear();
    duel.all_choices(&moment, choices);
    for (action, is_spare) in choices {
        let (doing, outcome, here) = duel.play_out(&moment, *action);
        let consequence = duel.consequence(&moment, &doing, &outcome);
        let Some(found) = consequence.next.and_then(|next| index.find(&next)) else { continue };
        let [given, taken] = duel.blows(&around, &doing, here);
        let facts = Facts { given, taken: taken - coming, ..consequence.facts };
        let is_defence = duel.bodies().of_action(*action).kind == Kind::Defence;
        let flag = |it: bool, flag: u32| if it { flag } else { 0 };
        let target = found.state.0
            | flag(consequence.is_swapped, SWAPPED)
            | flag(*is_spare, SPARE)
            | flag(is_defence, DEFENCE);
        edges.push(*action, target, &facts);
    }
}

/// Which states stay: those that can be reached from where people start, and from which play goes on for ever. Spare edges
/// count for neither.
fn lasting(firsts: &[u32], edges: &Edges, starts: impl Iterator<Item = StateId>) -> Vec<bool> {
    let n_states = firsts.len() - 1;
    let range = |state: usize| {
        let all = firsts[state] as usize..firsts[state + 1] as usize;
        all.filter(|at| edges.targets[*at] & SPARE == 0)
    };
    // Edges by where they lead, to go back from dead ends.
    let mut coming = vec![0_u32; n_states + 1];
    for target in edges.targets.iter().filter(|target| **target & SPARE == 0) {
        coming[(target & STATE) as usize + 1] += 1;
    }
    for at in 1..coming.len() {
        coming[at] += coming[at - 1];
    }
    let (mut filled, mut sources) = (coming.clone(), vec![0_u32; edges.targets.len()]);
    for state in 0..n_states {
        for at in range(state) {
            let slot = &mut filled[(edges.targets[at] & STATE) as usize];
            sources[*slot as usize] = state as u32;
            *slot += 1;
        }
    }
    let mut left: Vec<u32> = (0..n_states).map(|state| range(state).count() as u32).collect();
    let mut dead: Vec<usize> = (0..n_states).filter(|state| left[*state] == 0).collect();
    while let Some(state) = dead.pop() {
        for source in &sources[coming[state] as usize..coming[state + 1] as usize] {
            let left = &mut left[*source as usize];
            *left -= 1;
            if *left == 0 {
                dead.push(*source as usize);
            }
        }
    }
    let mut kept = vec![false; n_states];
    let mut reached: Vec<usize> = Vec::new();
    let mut reach = |state: usize, reached: &mut Vec<usize>| {
        if left[state] > 0 && !std::mem::replace(&mut kept[state], true) {
            reached.push(state);
        }
    };
    for start in starts {
        reach(start.0 as usize, &mut reached);
    }
    while let Some(state) = reached.pop() {
        for at in range(state) {
            reach((edges.targets[at] & STATE) as usize, &mut reached);
        }
    }
    kept
}

/// The same with those states only.
fn compacted(index: Index, firsts: &[u32], edges: &Edges, kept: &[bool]) -> (Index, Vec<u32>, Edges) {
    let mut numbers = vec![u32::MAX; kept.len()];
    let mut n_kept = 0;
    for (number, kept) in numbers.iter_mut().zip(kept) {
        if *kept {
            *number = n_kept;
            n_kept += 1;
        }
    }
    let mut before = vec![0_u32; kept.len() + 1];
    for (at, kept) in kept.iter().enumerate() {
        before[at + 1] = before[at] + u32::from(*kept);
    }
    let (mut new_firsts, mut new_edges) = (vec![0_u32], Edges::default());
    let is_kept = |target: &u32| kept[(target & STATE) as usize];
    new_edges.reserve(edges.targets.iter().filter(|target| is_kept(target)).count());
    for state in (0..kept.len()).filter(|state| kept[*state]) {
        for at in firsts[state] as usize..firsts[state + 1] as usize {
            let target = edges.targets[at];
            if is_kept(&target) {
                new_edges.push_from(edges, at, numbers[(target & STATE) as usize] | target & !STATE);
            }
        }
        new_firsts.push(new_edges.targets.len() as u32);
    }
    let places = index.places.iter().zip(kept).filter(|(_, kept)| **kept).map(|(place, _)| *place).collect();
    let theirs =
        index.theirs.iter().zip(kept).filter(|(_, kept)| **kept).map(|(theirs, _)| *theirs).collect();
    let buckets = index.buckets.iter().map(|first| before[*first as usize]).collect();
    (Index { buckets, places, theirs, ..index }, new_firsts, new_edges)
}

/// By how much the gaze is turned from where the root faces when an action ends, on average by node (rad).
fn gaze_of(duel: &Duel) -> Vec<f32> {
    let bodies = duel.bodies();
    let library = bodies.library();
    let mut sums = vec![[0.0_f32; 2]; library.n_nodes()];
    for id in library.ids() {
        let its = bodies.of_action(id);
        let stance = bodies.stance(its.take, its.last);
        let gaze = stance.root.inverse().turned_ground(stance.gaze);
        let sum = &mut sums[library.action(id).to.0 as usize];
        *sum = [sum[0] + gaze.x, sum[1] + gaze.z];
    }
    sums.into_iter().map(|[x, z]| wrap_angle(libm::atan2f(x, z)).clamp(-PI, PI)).collect()
}
