//! One who meets many: interactions one after the other for a main character, each with somebody new.
//!
//! Reference: \[Shum2008\], section 4.2, figure 6, upper part.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use randori_arena::bodies::{Doing, Rigid, TICKS_PER_SECOND};
use randori_motion::library::NodeId;
use randori_motion::math::wrap_angle;
use randori_motion::{Ground, Placement};

use super::crowd::Leave;
use super::locomotion::{Errand, Locomotion, Standing, bearing};
use super::{Composer, Join, behind, beyond, least_distance, room};
use crate::patch::Role;
use crate::set::PatchId;
use crate::tables::{Manner, Overlap};

/// The main character, and where the others come from.
#[derive(Clone, Copy, Debug)]
pub struct Lead {
    /// Its place among the people; those after it are the others.
    pub who: usize,
    /// Its part in patches.
    pub role: Role,
    /// Where it starts.
    pub start: Placement,
    /// Where things happen.
    pub field: Field,
    /// How long those who fall stay down before they get up, if they do (ticks); `None` if they never do.
    pub down: Option<i32>,
    /// Of what is drawn at random.
    pub seed: u64,
}

/// Where things happen.
#[derive(Clone, Copy, Debug)]
pub enum Field {
    /// Around a place, from outside of which everybody comes.
    Ring {
        /// The place.
        center: Ground,
        /// How far away from it those wait who are not needed (m).
        radius: f32,
    },
    /// Along a line from the start on.
    Lane {
        /// Its heading (rad).
        heading: f32,
        /// How far behind those wait who are not needed (m).
        back: f32,
        /// How far to the side the main character goes (m).
        width: f32,
    },
}

/// How many ways to go on are looked at closer.
const CLOSER: usize = 400;
/// How many of those are tried.
const TRIES: usize = 300;
/// A second of movement before a patch costs this much of S.
const PER_SECOND: f32 = 25.0;
/// Chance decides between scores that are as near to each other as this.
const CHANCE: f32 = 3.0;
/// How far around a newcomer people are counted (m).
const CROWDED: f32 = 2.0;
/// What being out of the field, or turned away from the lane, costs of S, per metre and for half a turn.
const STRAYED: f32 = 300.0;
const TURNED: f32 = 3000.0;

/// A way to go on.
#[derive(Clone, Copy)]
struct Candidate {
    patch: PatchId,
    before: Option<Doing>,
    from: Standing,
    is_wanted: bool,
    score: f32,
}

/// What is done if a candidate is taken.
struct Plan {
    lead: Vec<(i32, Doing)>,
    after: Standing,
    begins: i32,
    world_from_patch: Rigid,
    part: Part,
}

/// All that a newcomer does.
struct Part {
    doings: Vec<(i32, Doing)>,
    /// From when on they stay as they are.
    still: Option<i32>,
}

/// Composes a scene of one who meets many.
pub fn compose(composer: &mut Composer<'_>, lead: &Lead) {
    let mut rng = ChaCha8Rng::seed_from_u64(lead.seed);
    let Some(node) = opening(composer, lead.role) else { return };
    let mut now = Standing { node, here: Rigid::of(lead.start), tick: 0 };
    let mut next = lead.who + 1;
    while now.tick < composer.end {
        let found = (next < composer.crowd.people.len())
            .then(|| composer.next_for(lead, now, next, &mut rng))
            .flatten();
        match found {
            Some((candidate, plan)) => {
                now = composer.take(lead, next, &candidate, plan);
                next += 1;
                if next < composer.crowd.people.len() && composer.join_third(lead, next) {
                    next += 1;
                }
            }
            None => match composer.stroll(lead, now) {
                Some(after) => now = after,
                None => return,
            },
        }
    }
}

/// The posture from which the most patches begin.
fn opening(composer: &Composer<'_>, role: Role) -> Option<NodeId> {
    let n_nodes = composer.bodies().library().n_nodes() as u32;
    let count = |node: &NodeId| {
        let openings = composer.patches.openings(*node).iter();
        openings
            .filter(|(id, as_role)| *as_role == role && composer.patches.patch(*id).stays_up(role))
            .count()
    };
    (0..n_nodes).map(NodeId).max_by_key(|node| (count(node), std::cmp::Reverse(node.0)))
}

impl Composer<'_> {
    /// The best way to go on, with a newcomer.
    fn next_for(
        &mut self,
        lead: &Lead,
        now: Standing,
        newcomer: usize,
        rng: &mut ChaCha8Rng,
    ) -> Option<(Candidate, Plan)> {
        let mut candidates = self.candidates(lead, now, rng);
        let by_score = |a: &Candidate, b: &Candidate| b.score.total_cmp(&a.score);
        candidates.sort_by(by_score);
        let wanted: Vec<Candidate> = candidates.iter().filter(|it| it.is_wanted).copied().collect();
        candidates.truncate(CLOSER);
        for candidate in &mut candidates {
            let patch = self.patches.patch(candidate.patch);
            let world = patch.placed_by_start(lead.role, candidate.from.here);
            let place = world.ground(patch.of(lead.role.other()).from.position);
            let density = self.crowd.density(place, CROWDED, candidate.from.tick);
            candidate.score += self.weights.density / (density as f32 + 1.0);
        }
        candidates.sort_by(by_score);
        let is_asked = self.command_at(now.tick).is_some();
        let found = candidates
            .into_iter()
            .take(TRIES)
            .find_map(|candidate| self.plan(lead, now, newcomer, &candidate).map(|plan| (candidate, plan)));
        if let Some((candidate, _)) = found.as_ref().filter(|_| is_asked) {
            // Those that do as asked come first, but no more than a number of them were looked at.
            let mut others = wanted.iter();
            let is_possible =
                candidate.is_wanted || others.any(|wanted| self.plan(lead, now, newcomer, wanted).is_some());
            self.wishes.count(is_possible, candidate.is_wanted);
        }
        found
    }

    /// All ways to go on, at once or after one movement, by S without the density.
    fn candidates(&self, lead: &Lead, now: Standing, rng: &mut ChaCha8Rng) -> Vec<Candidate> {
        let bodies = self.bodies();
        let begin = |id| {
            let doing = Doing::begin(bodies, id, now.tick, 0, now.here);
            (Some(doing), Standing::after(&self.crowd, &doing))
        };
        let moves = self.moves.from(now.node).iter().map(|id| begin(*id));
        let mut candidates = Vec::new();
        for (before, from) in std::iter::once((None, now)).chain(moves) {
            let seconds = (from.tick - now.tick) as f32 / TICKS_PER_SECOND;
            for (id, role) in self.patches.openings(from.node) {
                let patch = self.patches.patch(*id);
                let other = patch.of(lead.role.other());
                let goes_on = patch.of(*role).exit.is_some_and(|exit| !self.moves.from(exit).is_empty());
                if *role != lead.role || !patch.stays_up(*role) || !goes_on || other.entry.is_none() {
                    continue;
                }
                let world = patch.placed_by_start(*role, from.here);
                let to = world.placed(patch.of(*role).to);
                let is_wanted = self.command_at(now.tick).is_some_and(|command| {
                    command.is_met(bodies.library(), patch, *role, [now.here.placement(), to])
                });
                let usage = self.usage.of(*id);
                let score = self.weights.score(usize::MAX >> 1, usage, is_wanted)
                    - PER_SECOND * seconds
                    - lead.field.strayed(lead.start, to)
                    + CHANCE * rng.random::<f32>();
                candidates.push(Candidate { patch: *id, before, from, is_wanted, score });
            }
        }
        candidates
    }

    /// What a candidate comes to; `None` if somebody would get in another's way.
    fn plan(&self, lead: &Lead, now: Standing, newcomer: usize, candidate: &Candidate) -> Option<Plan> {
        let (bodies, patch) = (self.bodies(), self.patches.patch(candidate.patch));
        let world = patch.placed_by_start(lead.role, candidate.from.here);
        let begins = candidate.from.tick - patch.of(lead.role).start();
        let mut own: Vec<(i32, Doing)> = candidate.before.iter().map(|doing| (now.tick, *doing)).collect();
        own.extend(patch.of(lead.role).doings(bodies, world, begins));
        let after = self.after_part(patch, lead.role, world, begins)?;
        let near = self.crowd.near(&self.crowd.print(&own, now.tick)?, now.tick);
        if !self.crowd.is_free(&own, after.tick, &Leave { partners: &[], near: &near }) {
            return None;
        }
        let part =
            self.part(lead, newcomer, (candidate.patch, lead.role.other()), world, begins, (lead.who, &own))?;
        // The main character is not in the scene yet with what it is about to do.
        let lines = patch.of(lead.role.other());
        let (start, end) = (begins + lines.start(), begins + lines.end());
        let distance = |tick: i32| -> Option<f32> {
            Some(self.crowd.print(&own, tick)?.distance(&self.crowd.print(&part.doings, tick)?))
        };
        let before = least_distance(&self.crowd, &own, &part.doings, now.tick, start);
        let later = least_distance(&self.crowd, &own, &part.doings, end, after.tick);
        let apart = before >= room(distance(start)?) && later >= room(distance(end)?);
        apart.then_some(Plan { lead: own, after, begins, world_from_patch: world, part })
    }

    /// All that somebody does for a part in a patch: coming, taking part, and what follows.
    fn part(
        &self,
        lead: &Lead,
        who: usize,
        (id, role): (PatchId, Role),
        world: Rigid,
        begins: i32,
        partner: (usize, &[(i32, Doing)]),
    ) -> Option<Part> {
        let partners = &[partner.0];
        let (bodies, patch) = (self.bodies(), self.patches.patch(id));
        let lines = patch.of(role);
        let (start, end) = (begins + lines.start(), begins + lines.end());
        if start < 0 {
            return None;
        }
        let within = lines.doings(bodies, world, begins);
        if !self.crowd.is_free(&within, end, &Leave { partners, near: &[] }) {
            return None;
        }
        let engine = Locomotion { crowd: &self.crowd, moves: &self.moves };
        let from = world.placed(lines.from);
        let near_at = |tick: i32| -> Vec<(usize, f32)> {
            let Some(print) = self.crowd.print(&within, tick) else { return Vec::new() };
            let mut near = self.crowd.near(&print, tick);
            // What the partner is about to do is not in the scene yet.
            if let Some(there) = self.crowd.print(partner.1, tick) {
                near.retain(|(who, _)| *who != partner.0);
                near.push((partner.0, print.distance(&there)));
            }
            near
        };
        let near = near_at(start);
        let errand = Errand { variety: who, ..lead.field.outside(from) };
        let to = Standing { node: lines.entry?, here: Rigid::of(from), tick: start };
        let mut doings = engine.arrive(to, &errand, &Leave { partners: &[], near: &near })?;
        doings.extend(within.iter().copied());
        let near = near_at(end);
        let leave = Leave { partners: &[], near: &near };
        let after = self.after_part(patch, role, world, begins);
        let is_down = lines.falls || lines.exit.is_some_and(|exit| self.moves.is_low(exit));
        if !is_down {
            let after = after?;
            let errand = Errand { variety: who, ..lead.field.outside(after.here.placement()) };
            let here = Errand { goal: after.here.shift(), within: 1.0, ..errand };
            let way = engine.leave(after, &errand, &leave, self.end);
            doings.extend(way.or_else(|| engine.leave(after, &here, &leave, self.end))?);
            return Some(Part { doings, still: None });
        }
        let rise = lead.down.zip(after).and_then(|(down, after)| {
            let (mut way, up) = self.rise(after, after.tick + down + 20 * (who as i32 % 5))?;
            let errand = Errand { variety: who, ..lead.field.outside(up.here.placement()) };
            way.extend(engine.leave(up, &errand, &leave, self.end)?);
            let all: Vec<(i32, Doing)> =
                within.last().copied().into_iter().chain(way.iter().copied()).collect();
            self.crowd.is_free(&all, up.tick, &Leave { partners, near: &near }).then_some(way)
        });
        match rise {
            Some(way) => {
                doings.extend(way);
                Some(Part { doings, still: None })
            }
            None => {
                let print = self.crowd.print(&within, end)?;
                let stays =
                    self.crowd.is_free_to_stay(&print, end, self.end, &Leave { partners, near: &near });
                stays.then_some(Part { doings, still: Some(end) })
            }
        }
    }

    /// Takes a candidate; where the main character is afterwards.
    fn take(&mut self, lead: &Lead, newcomer: usize, candidate: &Candidate, plan: Plan) -> Standing {
        let join = if candidate.before.is_some() { Join::Recycled } else { Join::Temporal };
        let people = match lead.role {
            Role::First => [lead.who, newcomer],
            Role::Second => [newcomer, lead.who],
        };
        self.crowd.perform(lead.who, &plan.lead, plan.after.tick);
        self.enter(newcomer, &plan.part);
        self.note(candidate.patch, plan.begins, plan.world_from_patch, people, join);
        plan.after
    }

    fn enter(&mut self, who: usize, part: &Part) {
        let until = part.still.unwrap_or(self.end);
        self.crowd.perform(who, &part.doings, until);
        if let Some(from) = part.still {
            self.crowd.stay(who, from, self.end);
        }
    }

    /// Joins a patch to the last one in space: somebody of it has to do with a third person at the same time.
    fn join_third(&mut self, lead: &Lead, newcomer: usize) -> bool {
        let Some(last) = self.uses.last().copied() else { return false };
        let patches = self.patches;
        let patch = patches.patch(last.patch);
        let mut options: Vec<(f32, &Overlap)> = (patches.tables.overlaps(last.patch).iter())
            .filter(|overlap| {
                let with = patches.patch(overlap.with);
                let (own, theirs) = (patch.of(overlap.own), with.of(overlap.theirs));
                let shift = i32::from(overlap.begins);
                overlap.manner == Manner::Inside
                    && own.start() <= theirs.start() + shift
                    && theirs.end() + shift <= own.end()
                    && with.of(overlap.theirs.other()).entry.is_some()
            })
            .map(|overlap| (self.weights.score(0, self.usage.of(overlap.with), false), overlap))
            .collect();
        options.sort_by(|a, b| b.0.total_cmp(&a.0));
        let bodies = self.bodies_handle();
        for (_, overlap) in options.into_iter().take(TRIES) {
            let with = patches.patch(overlap.with);
            let begins = last.begins + i32::from(overlap.begins);
            let shared = last.people[overlap.own.idx()];
            let at = begins + with.of(overlap.theirs).start();
            let lines = patch.of(overlap.own).doings(&bodies, last.world_from_patch, last.begins);
            let Some((_, doing)) = lines.iter().rev().find(|(start, _)| *start <= at) else { continue };
            let world = with.placed_by_start(overlap.theirs, doing.root(&bodies, at));
            let role = overlap.theirs.other();
            let part = self.part(lead, newcomer, (overlap.with, role), world, begins, (shared, &lines));
            let Some(part) = part else { continue };
            self.enter(newcomer, &part);
            let people = match overlap.theirs {
                Role::First => [shared, newcomer],
                Role::Second => [newcomer, shared],
            };
            self.note(overlap.with, begins, world, people, Join::Spatial);
            return true;
        }
        false
    }

    /// The main character goes its way for one movement; `None` if it cannot move at all.
    fn stroll(&mut self, lead: &Lead, now: Standing) -> Option<Standing> {
        let goal = lead.field.ahead(lead.start, now.here.placement());
        let bodies = self.bodies_handle();
        let any = Doing::begin(&bodies, *self.moves.from(now.node).first()?, now.tick, 0, now.here);
        let near = self.crowd.near(&self.crowd.print(&[(now.tick, any)], now.tick)?, now.tick);
        let leave = Leave { partners: &[], near: &near };
        let mut options: Vec<(f32, Doing, Standing)> = (self.moves.from(now.node).iter())
            .map(|id| {
                let doing = Doing::begin(&bodies, *id, now.tick, 0, now.here);
                let after = Standing::after(&self.crowd, &doing);
                let place = after.here.placement();
                let off = wrap_angle(place.heading - bearing(place.position, goal)).abs();
                let seconds = (after.tick - now.tick).max(6) as f32 / TICKS_PER_SECOND;
                ((place.position.distance(goal) + off - now.from(goal)) / seconds, doing, after)
            })
            .collect();
        options.sort_by(|a, b| a.0.total_cmp(&b.0));
        let free = options
            .iter()
            .find(|(_, doing, after)| self.crowd.is_free(&[(now.tick, *doing)], after.tick, &leave));
        let (_, doing, after) = *free.or(options.first())?;
        self.crowd.perform(lead.who, &[(now.tick, doing)], after.tick);
        Some(after)
    }
}

impl Field {
    /// Where somebody comes from who is here when they are needed, or goes to.
    fn outside(&self, here: Placement) -> Errand {
        match *self {
            Field::Ring { center, radius } => {
                let goal = beyond(center, here.position, radius.max(center.distance(here.position)));
                Errand { goal, within: 0.6, variety: 0 }
            }
            Field::Lane { back, .. } => Errand { goal: behind(here, back), within: 1.2, variety: 0 },
        }
    }

    /// Where the main character goes when it has nothing to do.
    fn ahead(&self, start: Placement, here: Placement) -> Ground {
        match *self {
            Field::Ring { center, .. } => center,
            Field::Lane { heading, .. } => {
                let lane = Placement { position: start.position, heading };
                let there = lane.relative(here).position.z + 8.0;
                lane.then(Placement { position: Ground { x: 0.0, z: there }, heading: 0.0 }).position
            }
        }
    }

    /// What it costs to end up here.
    fn strayed(&self, start: Placement, to: Placement) -> f32 {
        match *self {
            Field::Ring { center, radius } => {
                STRAYED * (center.distance(to.position) - 0.45 * radius).max(0.0)
            }
            Field::Lane { heading, width, .. } => {
                let lane = Placement { position: start.position, heading };
                let there = lane.relative(to);
                let aside = (there.position.x.abs() - width).max(0.0);
                STRAYED * aside + 0.5 * TURNED * (1.0 - libm::cosf(there.heading))
            }
        }
    }
}
