//! Two who go on with each other: from patch to patch, with movements in between where they are needed.
//!
//! Reference: \[Shum2008\], section 4.3, figure 8.
//! Differs from the paper: a patch fits if both stand within a hand's breadth of where it begins; what is left is made
//! good at the seams, half by each.

use std::collections::HashMap;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use randori_arena::bodies::{Doing, Rigid, TICKS_PER_SECOND};
use randori_motion::library::NodeId;
use randori_motion::math::wrap_angle;
use randori_motion::{ActionId, Ground, Placement};

use super::choice::CHANCE;
use super::footprint::Girth;
use super::locomotion::Standing;
use super::standard::{self, StandardPose, nearest, standard_poses};
use super::{Composer, Join, least_distance, prints, room};
use crate::patch::{Initial, Role};
use crate::set::PatchId;

/// How far both together may be from where a patch begins (m), and turned (rad).
const OFF: f32 = 0.13;
const TURNED: f32 = 0.24;
/// What a second of movements and waiting costs of S, and a metre off.
const PER_SECOND: f32 = 40.0;
const PER_METRE: f32 = 300.0;
/// What a metre off a path costs of S: what the user draws counts for more than variety.
const OFF_PATH: f32 = 4000.0;
/// How many ways to go on are tried.
const TRIES: usize = 200;
/// How many movements bring two people to a standard pose at most, before they wait and look again.
const MOVEMENTS: usize = 16;
/// How near two come to each other between patches (m).
const APART: f32 = 0.5;
/// How long somebody stays down (ticks).
const DOWN: i32 = 45;

/// Two people.
#[derive(Clone, Copy, Debug)]
pub struct Duel {
    /// Their places among the people; commands are for the first.
    pub who: [usize; 2],
    /// Where they start.
    pub starts: [Placement; 2],
    /// Of what is drawn at random.
    pub seed: u64,
}

/// What somebody could do before a patch, and how they stand then.
#[derive(Clone, Copy)]
struct Lead {
    doing: Option<Doing>,
    at: Standing,
}

/// A way to go on.
#[derive(Clone, Copy)]
struct Candidate {
    patch: PatchId,
    /// The part of the first.
    role: Role,
    leads: [Lead; 2],
    is_wanted: bool,
    score: f32,
}

/// What both do if a candidate is taken.
struct Plan {
    doings: [Vec<(i32, Doing)>; 2],
    after: [Standing; 2],
    begins: i32,
    world_from_patch: Rigid,
}

/// Composes a scene of two.
pub fn compose(composer: &mut Composer<'_>, duel: &Duel) {
    let mut rng = ChaCha8Rng::seed_from_u64(duel.seed);
    let poses = standard_poses(composer.patches);
    let Some(most) = poses.iter().max_by_key(|pose| pose.n_patches) else { return };
    let stand = |k: usize| Standing { node: most.nodes[k], here: Rigid::of(duel.starts[k]), tick: 0 };
    let mut now = [stand(0), stand(1)];
    let mut movements = 0;
    while now.iter().any(|it| it.tick < composer.end) {
        if let Some((candidate, plan)) = composer.next_for_both(duel, &now, &mut rng) {
            let moved = movements > 0 || candidate.leads.iter().any(|lead| lead.doing.is_some());
            let join = if moved { Join::Recycled } else { Join::Temporal };
            let people = match candidate.role {
                Role::First => duel.who,
                Role::Second => [duel.who[1], duel.who[0]],
            };
            for k in 0..2 {
                composer.crowd.perform(duel.who[k], &plan.doings[k], plan.after[k].tick);
            }
            composer.note(candidate.patch, plan.begins, plan.world_from_patch, people, join);
            movements = 0;
            now = std::array::from_fn(|k| composer.back_on_feet(duel.who[k], plan.after[k]));
        } else {
            movements += 1;
            let is_late = movements > MOVEMENTS;
            let Some(after) = composer.approach(duel, &now, &poses, is_late, &mut rng) else { return };
            now = after;
        }
    }
}

impl Composer<'_> {
    /// Somebody who lies gets up.
    fn back_on_feet(&mut self, who: usize, now: Standing) -> Standing {
        if !self.moves.is_low(now.node) {
            return now;
        }
        let Some((way, after)) = self.rise(now, now.tick + DOWN) else { return now };
        self.crowd.perform(who, &way, after.tick);
        after
    }

    /// The best way for both to go on.
    fn next_for_both(
        &mut self,
        duel: &Duel,
        now: &[Standing; 2],
        rng: &mut ChaCha8Rng,
    ) -> Option<(Candidate, Plan)> {
        let mut candidates = self.candidates_for_both(now, rng);
        candidates.sort_by(|a, b| b.score.total_cmp(&a.score));
        let wanted: Vec<Candidate> = candidates.iter().filter(|it| it.is_wanted).copied().collect();
        let is_asked = self.command_at(now[0].tick).is_some();
        let found = (candidates.into_iter().take(TRIES))
            .find_map(|candidate| self.plan_of_both(duel, now, &candidate).map(|plan| (candidate, plan)));
        if let Some((candidate, _)) = found.as_ref().filter(|_| is_asked) {
            let mut others = wanted.iter();
            let is_possible =
                candidate.is_wanted || others.any(|wanted| self.plan_of_both(duel, now, wanted).is_some());
            self.wishes.count(is_possible, candidate.is_wanted);
        }
        found
    }

    fn candidates_for_both(&self, now: &[Standing; 2], rng: &mut ChaCha8Rng) -> Vec<Candidate> {
        let leads = now.map(|at| self.leads(at));
        // Where the second could be, by posture and place.
        let cell = |place: Ground| [place.x, place.z].map(|at| (at / OFF).floor() as i32);
        let mut there: HashMap<(NodeId, [i32; 2]), Vec<usize>> = HashMap::new();
        for (at, lead) in leads[1].iter().enumerate() {
            there.entry((lead.at.node, cell(lead.at.here.shift()))).or_default().push(at);
        }
        let library = self.bodies().library();
        let mut candidates = Vec::new();
        for first in &leads[0] {
            for (id, role) in self.patches.openings(first.at.node) {
                let patch = self.patches.patch(*id);
                let (own, other) = (patch.of(*role), patch.of(role.other()));
                let (Some(node), true) = (other.entry, own.exit.is_some() && other.exit.is_some()) else {
                    continue;
                };
                let world = patch.placed_by_start(*role, first.at.here);
                let wanted = world.placed(other.from);
                let [x, z] = cell(wanted.position);
                let cells = (x - 1..=x + 1).flat_map(|x| (z - 1..=z + 1).map(move |z| [x, z]));
                for second in cells.filter_map(|cell| there.get(&(node, cell))).flatten() {
                    let second = leads[1][*second];
                    let found = second.at.here.placement();
                    let off = found.position.distance(wanted.position);
                    let turned = wrap_angle(found.heading - wanted.heading).abs();
                    if off > OFF || turned > TURNED {
                        continue;
                    }
                    let ready = [first.at.tick - own.start(), second.at.tick - other.start()];
                    let waits = (ready[0] - ready[1]).abs();
                    let busy = first.at.tick - now[0].tick + second.at.tick - now[1].tick;
                    let seconds = (waits + busy) as f32 / TICKS_PER_SECOND;
                    let ways = [now[0].here.placement(), world.placed(own.to)];
                    let ends = [ways[1].position, world.ground(other.to.position)];
                    let is_wanted = self
                        .command_at(now[0].tick)
                        .is_some_and(|command| command.is_met(library, patch, *role, ways));
                    let score = self.weights.score(1, self.usage.of(*id), is_wanted)
                        - PER_SECOND * seconds
                        - PER_METRE * (off + 0.5 * turned)
                        - OFF_PATH * self.off_path(ends, first.at.tick - own.start() + patch.length())
                        + CHANCE * rng.random::<f32>();
                    let leads = [*first, second];
                    candidates.push(Candidate { patch: *id, role: *role, leads, is_wanted, score });
                }
            }
        }
        candidates
    }

    /// What somebody could do first: nothing, or one movement.
    fn leads(&self, at: Standing) -> Vec<Lead> {
        let begin = |id: &ActionId| {
            let doing = Doing::begin(self.bodies(), *id, at.tick, 0, at.here);
            Lead { doing: Some(doing), at: Standing::after(&self.crowd, &doing) }
        };
        let nothing = Lead { doing: None, at };
        std::iter::once(nothing).chain(self.moves.from(at.node).iter().map(begin)).collect()
    }

    fn plan_of_both(&self, duel: &Duel, now: &[Standing; 2], candidate: &Candidate) -> Option<Plan> {
        let (bodies, patch) = (self.bodies(), self.patches.patch(candidate.patch));
        let roles = [candidate.role, candidate.role.other()];
        let lines = roles.map(|role| patch.of(role));
        let leads = &candidate.leads;
        let world = halfway(
            patch.placed_by_start(roles[0], leads[0].at.here),
            patch.placed_by_start(roles[1], leads[1].at.here),
            leads[0].at.here.shift(),
        );
        let ready = [0, 1].map(|k| leads[k].at.tick - lines[k].start());
        let begins = ready[0].max(ready[1]);
        let mut doings: [Vec<(i32, Doing)>; 2] = Default::default();
        for k in 0..2 {
            doings[k].extend(leads[k].doing.map(|doing| (now[k].tick, doing)));
            self.wait(leads[k].at, begins + lines[k].start(), &mut doings[k])?;
        }
        let starts = [0, 1].map(|k| begins + lines[k].start());
        // Until each begins; whoever waits longer may be waiting for the other to get up.
        let whole = [0, 1].map(|k| {
            let last = self.crowd.people[duel.who[k]].performed.last().copied();
            last.into_iter().chain(doings[k].iter().copied()).collect::<Vec<(i32, Doing)>>()
        });
        let (from, until) = (now[0].tick.min(now[1].tick), starts[0].max(starts[1]));
        if !whole[0].is_empty() && !whole[1].is_empty() {
            let [a, b] = [0, 1].map(|k| (Girth::PERSON, &whole[k][..]));
            let there = prints(&self.crowd, a, b, from)?;
            if least_distance(&self.crowd, a, b, from, until) < APART.min(room(&there)) {
                return None;
            }
        }
        let mut after = *now;
        for k in 0..2 {
            doings[k].extend(lines[k].doings(bodies, world, begins));
            after[k] = self.after_part(patch, roles[k], world, begins)?;
        }
        Some(Plan { doings, after, begins, world_from_patch: world })
    }

    /// Waits until a tick, cutting short the last action of waiting; `None` if there is nothing to wait with.
    pub(super) fn wait(&self, at: Standing, until: i32, doings: &mut Vec<(i32, Doing)>) -> Option<()> {
        let bodies = self.bodies();
        let calm = self.moves.calm(at.node);
        let mut now = at;
        let mut turn = at.tick as usize;
        while now.tick < until {
            let doing = Doing::begin(bodies, *calm.get(turn % calm.len().max(1))?, now.tick, 0, now.here);
            doings.push((now.tick, doing));
            now = Standing::after(&self.crowd, &doing);
            turn += 1;
        }
        Some(())
    }

    /// One movement of whoever is free first, towards the nearest standard pose.
    fn approach(
        &mut self,
        duel: &Duel,
        now: &[Standing; 2],
        poses: &[StandardPose],
        is_late: bool,
        rng: &mut ChaCha8Rng,
    ) -> Option<[Standing; 2]> {
        let mover = usize::from(now[1].tick < now[0].tick);
        let places = now.map(|at| at.here.placement());
        let (pose, is_swapped) = nearest(poses, &Initial::of(places[0], places[1], 0))?;
        let mut options: Vec<(f32, Lead)> = (self.leads(now[mover]).into_iter())
            .filter(|lead| lead.doing.is_some())
            .map(|lead| {
                let mut places = places;
                places[mover] = lead.at.here.placement();
                let then = Initial::of(places[0], places[1], 0);
                let then = if is_swapped { then.swapped() } else { then };
                let far = standard::distance(&pose.initial, &then);
                let node = pose.nodes[usize::from((mover == 1) != is_swapped)];
                let off = if lead.at.node == node { 0.0 } else { 0.01 };
                let chance = if is_late { 0.3 } else { 0.003 };
                let strayed = self.off_path(places.map(|it| it.position), lead.at.tick);
                (far + off + strayed + chance * rng.random::<f32>(), lead)
            })
            .collect();
        options.sort_by(|a, b| a.0.total_cmp(&b.0));
        let other = &self.crowd.people[duel.who[1 - mover]].performed;
        let standing = self.crowd.print(other, now[1 - mover].tick);
        let is_apart = |lead: &Lead| {
            let Some(doing) = lead.doing else { return false };
            let own = [(now[mover].tick, doing)];
            let there = |tick: i32| self.crowd.print(&own, tick).zip(standing).map(|(a, b)| [a, b]);
            let begin = there(now[mover].tick).map_or(APART, |both| room(&both));
            let ticks = (now[mover].tick..lead.at.tick).step_by(4);
            let least = ticks.filter_map(there).map(|[a, b]| a.distance(&b)).fold(f32::INFINITY, f32::min);
            least >= APART.min(begin)
        };
        let chosen = options.iter().map(|(_, lead)| lead).find(|lead| is_apart(lead)).copied();
        let lead = chosen.or_else(|| options.first().map(|(_, lead)| *lead))?;
        let doing = lead.doing?;
        self.crowd.perform(duel.who[mover], &[(now[mover].tick, doing)], lead.at.tick);
        let mut after = *now;
        after[mover] = lead.at;
        Some(after)
    }
}

/// The rigid motion halfway between two that are near each other, seen from a place.
fn halfway(a: Rigid, b: Rigid, about: Ground) -> Rigid {
    let [there, other] = [a, b].map(|it| it.then(a.inverse()).ground(about));
    let (from, to) = (a.placement(), b.placement());
    let heading = from.heading + 0.5 * wrap_angle(to.heading - from.heading);
    // Turned about the place that both nearly agree on, then shifted by half of what they do not.
    let turn = Rigid::of(Placement { position: Ground::default(), heading });
    let local = a.inverse().ground(about);
    let turned = turn.ground(local);
    let middle = Ground { x: 0.5 * (there.x + other.x), z: 0.5 * (there.z + other.z) };
    let position = Ground { x: middle.x - turned.x, z: middle.z - turned.z };
    Rigid::of(Placement { position, heading })
}
