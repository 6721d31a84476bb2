//! The graph: states that two people can get into, what leads from one to another, and how to find them.
//!
//! Everything lies in few long lists of plain numbers, in the order in which policies run over them: a state is eight
//! bytes, an edge fourteen. States of the same Next and manner of M_b stand together; within them those of which about as
//! much is left of M_b, in the order of where the other is seen, so that few have to be looked at to find one.

use std::ops::RangeInclusive;

use randori_motion::library::{Fingerprint, NodeId};
use randori_motion::{ActionId, ActionLibrary};

use crate::duel::{Activity, Facts};
use crate::manner::Manners;
use crate::pairing::{Pairing, Place, SIGMA_ANGLE, Theirs};
use crate::sample::Tolerance;

/// A state, by its place in the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateId(pub u32);

/// States of two people of one library, and edges between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Graph {
    pub(crate) about: About,
    pub(crate) index: Index,
    /// Edges of state i are `firsts[i]..firsts[i + 1]`.
    pub(crate) firsts: Vec<u32>,
    pub(crate) edges: Edges,
}

/// What a graph was made of.
#[derive(Clone, Debug, PartialEq)]
pub struct About {
    /// The library.
    pub library: Fingerprint,
    /// The impulse from which on both fall (N s).
    pub poise: f32,
    /// What both do with each other.
    pub activity: Activity,
    /// What lies within it is looked up as the same.
    pub tolerance: Tolerance,
    /// Samples that it was made of.
    pub samples: u64,
    /// By how much the gaze is turned from where the root faces, on average of all actions that end in a node (rad).
    pub gaze: Vec<f32>,
}

/// An edge: what whoever decides does, and what comes of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// What is done.
    pub action: ActionId,
    /// Where it leads.
    pub to: StateId,
    /// Whether the other decides there.
    pub is_swapped: bool,
    /// Whether it answers nothing in its state, and is there for whoever is in nearly that state only: policies look past
    /// it.
    pub is_spare: bool,
    /// What a reward may ask for.
    pub facts: Facts,
}

/// Where a pairing was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// The state most like it.
    pub state: StateId,
    /// The square root of how unlike it is (-).
    pub unlike: f32,
}

impl Graph {
    /// What it was made of.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// How many states there are.
    pub fn n_states(&self) -> usize {
        self.index.places.len()
    }

    /// How many edges there are.
    pub fn n_edges(&self) -> usize {
        self.edges.targets.len()
    }

    /// The pairing that a state stands for.
    pub fn pairing(&self, state: StateId) -> Pairing {
        self.index.pairing(state)
    }

    /// The edges of a state.
    pub fn edges(&self, state: StateId) -> impl ExactSizeIterator<Item = Edge> + '_ {
        self.range(state).map(|at| self.edges.get(at))
    }

    /// The state within the tolerance that is most like a pairing.
    pub fn find(&self, pairing: &Pairing) -> Option<Found> {
        self.index.find(pairing)
    }

    /// The state most like a pairing, however unlike it is, of the same Next and manner of M_b.
    pub fn nearest(&self, pairing: &Pairing) -> Option<Found> {
        self.index.nearest(pairing)
    }

    /// Whether it was made of this library.
    pub fn fits(&self, library: &ActionLibrary) -> bool {
        self.about.library == Fingerprint::of(library)
    }

    /// Where an action leads from a state, with all that is said of it; `None` if it has no such edge.
    pub(crate) fn target(&self, state: StateId, action: ActionId) -> Option<u32> {
        let range = self.range(state);
        let mut actions = self.edges.actions[range.clone()].iter();
        let at = actions.position(|known| u32::from(*known) == action.0)?;
        Some(self.edges.targets[range.start + at])
    }

    pub(crate) fn range(&self, state: StateId) -> std::ops::Range<usize> {
        let at = state.0 as usize;
        self.firsts[at] as usize..self.firsts[at + 1] as usize
    }
}

/// States by their discrete parts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Index {
    pub(crate) manners: Manners,
    pub(crate) tolerance: Tolerance,
    /// States of node n and manner m of the other are `buckets[k]..buckets[k + 1]`, with k = n × manners + m.
    pub(crate) buckets: Vec<u32>,
    /// In the order of [`Index::key`] within a bucket.
    pub(crate) places: Vec<Place>,
    pub(crate) theirs: Vec<Theirs>,
}

/// A state before it has a number, in the order in which they stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Numbered {
    pub(crate) bucket: u32,
    pub(crate) place: Place,
    pub(crate) theirs: Theirs,
}

impl Numbered {
    pub(crate) fn of(manners: &Manners, pairing: &Pairing) -> Numbered {
        let (manner, rest) = manners.rest(pairing.theirs, pairing.frame, pairing.is_spent);
        Numbered {
            bucket: pairing.node.0 * manners.n + u32::from(manner),
            place: Place::of(pairing, rest),
            theirs: Theirs::of(pairing),
        }
    }
}

/// Rests that are as unlike as one unit of unlikeness (ticks): in a quarter of a second one gets half a metre on.
const SIGMA_REST: f32 = 15.0;

impl Index {
    /// Of states in order.
    pub(crate) fn of(manners: &Manners, n_nodes: usize, tolerance: Tolerance, states: &[Numbered]) -> Index {
        let mut buckets = vec![0_u32; n_nodes * manners.n as usize + 1];
        for state in states {
            buckets[state.bucket as usize + 1] += 1;
        }
        for at in 1..buckets.len() {
            buckets[at] += buckets[at - 1];
        }
        Index {
            manners: manners.clone(),
            tolerance,
            buckets,
            places: states.iter().map(|state| state.place).collect(),
            theirs: states.iter().map(|state| state.theirs).collect(),
        }
    }

    pub(crate) fn pairing(&self, state: StateId) -> Pairing {
        let at = state.0 as usize;
        let bucket = self.buckets.partition_point(|first| *first <= state.0) as u32 - 1;
        self.theirs[at].pairing(NodeId(bucket / self.manners.n), self.places[at])
    }

    /// The bucket of a pairing, and its place in it; an empty one for actions and postures that are not known.
    fn of_bucket(&self, pairing: &Pairing) -> (std::ops::Range<usize>, Place) {
        if pairing.theirs.idx() >= self.manners.actions.len() {
            return (0..0, Place::of(pairing, 0));
        }
        let Numbered { bucket, place, .. } = Numbered::of(&self.manners, pairing);
        let range = match self.buckets.get(bucket as usize..bucket as usize + 2) {
            Some([from, to]) => *from as usize..*to as usize,
            _ => 0..0,
        };
        (range, place)
    }

    /// The order in which states stand: by bucket, then by what is left of the other's action in steps of a power of two
    /// that is more than the tolerance, then by where the other is seen.
    pub(crate) fn key(tolerance: Tolerance, state: &Numbered) -> (u32, u16, i16, Numbered) {
        (state.bucket, state.place.rest >> step_of(tolerance), state.place.own, *state)
    }

    pub(crate) fn find(&self, pairing: &Pairing) -> Option<Found> {
        let (bucket, place) = self.of_bucket(pairing);
        let places = &self.places[bucket.clone()];
        let Tolerance { unlike, frames } = self.tolerance;
        let (least, most) = (place.rest.saturating_sub(frames), place.rest.saturating_add(frames));
        let step = step_of(self.tolerance);
        let mut closest = Closest { place, most: unlike * unlike, best: None };
        let mut from = places.partition_point(|other| other.rest >> step < least >> step);
        for rest in least >> step..=most >> step {
            let group = &places[from..];
            let group = &group[..group.partition_point(|other| other.rest >> step <= rest)];
            closest.offer_seen((from, group), unlike, |other| (least..=most).contains(&other.rest));
            from += group.len();
        }
        closest.found(bucket.start)
    }

    /// Looks at rests further and further from the pairing's own, until time alone tells them further apart than the best
    /// so far.
    pub(crate) fn nearest(&self, pairing: &Pairing) -> Option<Found> {
        let (bucket, place) = self.of_bucket(pairing);
        let places = &self.places[bucket.clone()];
        let step = step_of(self.tolerance);
        let mut closest = Closest { place, most: f32::INFINITY, best: None };
        let from = places.partition_point(|other| other.rest >> step < place.rest >> step);
        let (mut before, mut after) = places.split_at(from);
        loop {
            // Of both groups that are next, the one that is less far in time; a group is as far as its nearest rest can be.
            let earlier = before.last().map(|last| place.rest.abs_diff(last.rest | low_bits(step)));
            let later = after.first().map(|first| (first.rest & !low_bits(step)).saturating_sub(place.rest));
            let is_earlier = match (earlier, later) {
                (None, None) => break,
                (Some(earlier), Some(later)) => earlier < later,
                (earlier, _) => earlier.is_some(),
            };
            let ticks = f32::from(if is_earlier { earlier } else { later }.unwrap_or(0)) / SIGMA_REST;
            let room = closest.best.map_or(f32::INFINITY, |(least, ..)| least - ticks * ticks);
            if room < 0.0 {
                break;
            }
            let (first, group);
            if is_earlier {
                let rest = before[before.len() - 1].rest >> step;
                first = before.partition_point(|other| other.rest >> step < rest);
                (before, group) = before.split_at(first);
            } else {
                first = places.len() - after.len();
                let rest = after[0].rest >> step;
                (group, after) = after.split_at(after.partition_point(|other| other.rest >> step <= rest));
            }
            closest.offer_seen((first, group), room.sqrt(), |_| true);
        }
        closest.found(bucket.start)
    }
}

/// By how many bits rests are shifted that stand together.
fn step_of(tolerance: Tolerance) -> u32 {
    u32::from(tolerance.frames).saturating_add(1).next_power_of_two().trailing_zeros().min(15)
}

/// All bits that rests of one group differ in.
fn low_bits(step: u32) -> u16 {
    ((1_u32 << step) - 1) as u16
}

/// All steps of an angle from which another is no more unlike than this by itself: one range, or two across the seam.
fn seen_about(own: i16, unlike: f32) -> impl Iterator<Item = RangeInclusive<i16>> {
    // A step more than needed: nobody is left out by rounding.
    let width = (unlike * SIGMA_ANGLE * PER_RADIAN + 2.0).clamp(0.0, 32767.0) as i16;
    let (from, to) = (own.wrapping_sub(width), own.wrapping_add(width));
    let [first, second] = match width {
        i16::MAX => [Some(i16::MIN..=i16::MAX), None],
        _ if from <= to => [Some(from..=to), None],
        _ => [Some(i16::MIN..=to), Some(from..=i16::MAX)],
    };
    first.into_iter().chain(second)
}

/// The first of those most like a place.
struct Closest {
    place: Place,
    /// No more unlike than this.
    most: f32,
    /// Unlikeness with time, unlikeness, and which it is.
    best: Option<(f32, f32, usize)>,
}

impl Closest {
    /// Offers those of a group, in the order of where the other is seen, that are no more unlike than this by that alone.
    fn offer_seen(
        &mut self,
        (first, group): (usize, &[Place]),
        unlike: f32,
        is_one: impl Fn(&Place) -> bool,
    ) {
        for seen in seen_about(self.place.own, unlike) {
            let from = group.partition_point(|other| other.own < *seen.start());
            let near = group.iter().enumerate().skip(from).take_while(|(_, other)| other.own <= *seen.end());
            for (at, other) in near.filter(|(_, other)| is_one(other)) {
                self.offer(first + at, other);
            }
        }
    }

    fn offer(&mut self, at: usize, other: &Place) {
        let unlike = self.place.unlike(*other);
        let ticks = (f32::from(self.place.rest) - f32::from(other.rest)) / SIGMA_REST;
        let cost = unlike + ticks * ticks;
        let is_closer = |(least, _, best): (f32, f32, usize)| cost < least || (cost == least && at < best);
        if unlike <= self.most && self.best.is_none_or(is_closer) {
            self.best = Some((cost, unlike, at));
        }
    }

    fn found(&self, first: usize) -> Option<Found> {
        self.best.map(|(_, unlike, at)| Found { state: StateId((first + at) as u32), unlike: unlike.sqrt() })
    }
}

/// Edges in lists of numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Edges {
    /// The state in [`STATE`]; above it [`SWAPPED`], [`SPARE`] and [`DEFENCE`].
    pub(crate) targets: Vec<u32>,
    pub(crate) actions: Vec<u16>,
    /// Millimetres.
    pub(crate) distances: Vec<u16>,
    /// 32768ths of half a turn.
    pub(crate) angles: Vec<i16>,
    /// Given, in steps of [`GIVEN`].
    pub(crate) given: Vec<u8>,
    /// Taken, in steps of [`TAKEN`].
    pub(crate) taken: Vec<i8>,
    /// Velocity, in steps of [`VELOCITY`].
    pub(crate) velocities: Vec<[i8; 2]>,
}

/// Set in a target at which the other decides.
pub(crate) const SWAPPED: u32 = 1 << 31;
/// Set in the target of an edge that answers nothing in its state: a defence against a blow that misses, or anything else
/// while one is about to land. Whoever is in nearly that state may be in need of it.
pub(crate) const SPARE: u32 = 1 << 30;
/// Set in the target of a defence.
pub(crate) const DEFENCE: u32 = 1 << 29;
/// The rest of a target: the state.
pub(crate) const STATE: u32 = DEFENCE - 1;
/// Bytes of an edge.
pub(crate) const EDGE_BYTES: usize = 14;
/// Damage given, in steps of this; more than 25.5 is as good as that.
pub(crate) const GIVEN: f32 = 0.1;
/// Damage taken, in steps of this.
pub(crate) const TAKEN: f32 = 0.2;
/// Velocity, in steps of this (m/s).
pub(crate) const VELOCITY: f32 = 0.05;
/// Steps of an angle in a radian.
pub(crate) const PER_RADIAN: f32 = 32768.0 / std::f32::consts::PI;

impl Edges {
    /// Appends an edge; its target holds the state, and what else is said of it.
    pub(crate) fn push(&mut self, action: ActionId, target: u32, facts: &Facts) {
        let round = |value: f32| libm::roundf(value);
        self.targets.push(target);
        self.actions.push(action.0 as u16);
        self.distances.push(round(facts.distance * 1e3) as u16);
        self.angles.push(round(facts.angle * PER_RADIAN) as i32 as i16);
        self.given.push(round(facts.given / GIVEN) as u8);
        self.taken.push(round(facts.taken / TAKEN) as i8);
        self.velocities.push(facts.velocity.map(|v| round(v / VELOCITY) as i8));
    }

    /// Appends an edge of another list that leads elsewhere.
    pub(crate) fn push_from(&mut self, other: &Edges, at: usize, target: u32) {
        self.targets.push(target);
        self.actions.push(other.actions[at]);
        self.distances.push(other.distances[at]);
        self.angles.push(other.angles[at]);
        self.given.push(other.given[at]);
        self.taken.push(other.taken[at]);
        self.velocities.push(other.velocities[at]);
    }

    /// Appends all edges of another list.
    pub(crate) fn append(&mut self, other: &Edges) {
        self.targets.extend(&other.targets);
        self.actions.extend(&other.actions);
        self.distances.extend(&other.distances);
        self.angles.extend(&other.angles);
        self.given.extend(&other.given);
        self.taken.extend(&other.taken);
        self.velocities.extend(&other.velocities);
    }

    pub(crate) fn reserve(&mut self, n: usize) {
        self.targets.reserve_exact(n);
        self.actions.reserve_exact(n);
        self.distances.reserve_exact(n);
        self.angles.reserve_exact(n);
        self.given.reserve_exact(n);
        self.taken.reserve_exact(n);
        self.velocities.reserve_exact(n);
    }

    pub(crate) fn facts(&self, at: usize) -> Facts {
        Facts {
            distance: f32::from(self.distances[at]) * 1e-3,
            angle: f32::from(self.angles[at]) / PER_RADIAN,
            given: f32::from(self.given[at]) * GIVEN,
            taken: f32::from(self.taken[at]) * TAKEN,
            velocity: self.velocities[at].map(|v| f32::from(v) * VELOCITY),
        }
    }

    pub(crate) fn get(&self, at: usize) -> Edge {
        let target = self.targets[at];
        Edge {
            action: ActionId(u32::from(self.actions[at])),
            to: StateId(target & STATE),
            is_swapped: target & SWAPPED != 0,
            is_spare: target & SPARE != 0,
            facts: self.facts(at),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manner::Manner;

    /// Where states stand only says where to look: what is found is what looking at all of them finds.
    #[test]
    fn what_is_found_is_the_nearest_of_all() {
        let manner = Manner { threat: 0, harmless: 0, until: 0, length: 100 };
        let manners = Manners { actions: vec![manner], n: 1 };
        let pairing = |k: u32| {
            let part = |by: u32, of: f32| {
                let mut mixed = k.wrapping_mul(by) ^ by;
                for factor in [0x2c1b_3c6d, 0x297a_2d39] {
                    mixed = (mixed ^ mixed >> 15).wrapping_mul(factor);
                }
                (mixed >> 16) as f32 / 65536.0 * of
            };
            let relation = crate::pairing::Relation {
                distance: 0.4 + part(104_729, 1.5),
                own: part(15_485_863, 6.2) - 3.1,
                other: part(32_452_843, 6.2) - 3.1,
            };
            let frame = part(7919, 100.0) as u16;
            Pairing { node: NodeId(0), theirs: ActionId(0), frame, is_spent: false, relation }
        };
        for tolerance in [
            Tolerance { unlike: 0.3, frames: 4 },
            Tolerance { unlike: 1.5, frames: 8 },
            Tolerance { unlike: 9.0, frames: 0 },
        ] {
            let mut states: Vec<Numbered> = (0..4000).map(|k| Numbered::of(&manners, &pairing(k))).collect();
            states.sort_by_key(|state| Index::key(tolerance, state));
            let index = Index::of(&manners, 1, tolerance, &states);
            let mut n_found = 0;
            for k in 4000..5000 {
                let asked = pairing(k);
                let place = Numbered::of(&manners, &asked).place;
                let near = |other: &&Place| place.rest.abs_diff(other.rest) <= tolerance.frames;
                let unlike = index.places.iter().filter(near).map(|other| {
                    let ticks = (f32::from(place.rest) - f32::from(other.rest)) / SIGMA_REST;
                    (place.unlike(*other), place.unlike(*other) + ticks * ticks)
                });
                let allowed = unlike.filter(|(unlike, _)| *unlike <= tolerance.unlike * tolerance.unlike);
                let best = allowed.min_by(|a, b| a.1.total_cmp(&b.1));
                let found = index.find(&asked);
                assert_eq!(found.map(|found| found.unlike), best.map(|(unlike, _)| unlike.sqrt()));
                n_found += u32::from(found.is_some());
                let cost = |other: &Place| {
                    let ticks = (f32::from(place.rest) - f32::from(other.rest)) / SIGMA_REST;
                    place.unlike(*other) + ticks * ticks
                };
                let nearest = (0..4000).min_by(|a, b| {
                    cost(&index.places[*a as usize]).total_cmp(&cost(&index.places[*b as usize]))
                });
                assert_eq!(index.nearest(&asked).map(|found| found.state), nearest.map(StateId));
            }
            assert!(n_found > 10, "{n_found}");
        }
    }
}
