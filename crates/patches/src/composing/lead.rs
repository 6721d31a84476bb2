//! One who meets many: interactions one after the other for a main character, each with somebody new.
//!
//! Reference: \[Shum2008\], section 4.2, figure 6, upper part.
//!
//! A scene may be looked at while its commands are given ([`Composer::late`]). Then a command given at a moment changes
//! nothing that was seen before it: whoever was on their way at that moment is met first, and whoever comes because of the
//! command enters after it. What is drawn at random belongs to the moment of a choice and not to those before, so
//! that the same commands give the same scene, given one by one or all at once.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use randori_arena::bodies::{Doing, Rigid, TICKS_PER_SECOND};
use randori_motion::library::NodeId;
use randori_motion::math::wrap_angle;
use randori_motion::{ActionId, Ground, Placement};

use super::choice::Command;
use super::crowd::Leave;
use super::footprint::Girth;
use super::locomotion::{Errand, Locomotion, Standing, bearing};
use super::lots::{self, Urn};
use super::{Composer, Course, Join, behind, beyond, least_distance, prints, room};
use crate::patch::Role;
use crate::set::{Family, PatchId};
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
    /// In the middle of a crowd, all of whom stand where they are from the start.
    Crowd {
        /// Its middle.
        center: Ground,
        /// How far it reaches (m).
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
/// How far around a newcomer people are counted (m).
const CROWDED: f32 = 2.0;
/// How far ahead lies where somebody is sent (m).
const SENT: f32 = 4.0;
/// How long before a choice somebody sets off for it at most, if they are not seen before (ticks).
pub(super) const EARLIEST: i32 = 480;
/// What being out of the field, or turned away from the lane, costs of S, per metre and for half a turn.
const STRAYED: f32 = 300.0;
const TURNED: f32 = 3000.0;

/// How many movements are tried to find out whether the main character can go on after whatever it does.
const WAYS_ON: u32 = 200;

/// How far from somewhere the main character has to get (m) until a tick.
struct Onward<'a> {
    from: Ground,
    far: f32,
    until: i32,
    leave: Leave<'a>,
    /// What somebody does who is not in the scene yet, and how far to keep from them (m).
    besides: Option<(&'a [(i32, Doing)], f32)>,
}

/// A way to go on.
#[derive(Clone, Copy)]
struct Candidate {
    patch: PatchId,
    before: Option<Doing>,
    from: Standing,
    is_wanted: bool,
    score: f32,
}

/// Patches that begin with the same part of the main character.
struct Prospect<'a> {
    family: &'a Family,
    before: Option<Doing>,
    from: Standing,
    is_wanted: bool,
    /// The most that S could be.
    bound: f32,
}

impl Prospect<'_> {
    fn candidate(&self, patch: PatchId, score: f32) -> Candidate {
        let Prospect { before, from, is_wanted, .. } = *self;
        Candidate { patch, before, from, is_wanted, score }
    }
}

/// What is done if a candidate is taken.
pub(super) struct Plan {
    lead: Vec<(i32, Doing)>,
    pub(super) after: Standing,
    begins: i32,
    world_from_patch: Rigid,
    part: Part,
}

/// Somebody who is not in the scene yet.
#[derive(Clone, Copy)]
pub(super) struct Newcomer {
    pub(super) who: usize,
    /// The earliest tick at which they may be seen; `None` if they wait from the start.
    pub(super) enters: Option<i32>,
}

/// All that a newcomer does.
struct Part {
    doings: Vec<(i32, Doing)>,
    /// From when on they stay as they are.
    still: Option<i32>,
}

/// How far a scene is: the main character about to choose, the first who is not in it yet, and, after a choice, when the
/// first of those enters who come for it (ticks).
#[derive(Clone, Copy)]
struct Turn {
    now: Standing,
    next: usize,
    enters: Option<i32>,
}

/// Composes a scene of one who meets many.
pub fn compose(composer: &mut Composer<'_>, lead: &Lead) {
    let Some(node) = opening(composer, lead.role) else { return };
    let now = Standing { node, here: Rigid::of(lead.start), tick: 0 };
    let mut turn = Turn { now, next: lead.who + 1, enters: None };
    if composer.late {
        return compose_late(composer, lead, turn);
    }
    let mut rng = ChaCha8Rng::seed_from_u64(lead.seed);
    while turn.now.tick < composer.end {
        let asked = composer.command_at(turn.now.tick).cloned();
        let Some(after) = composer.go_on(lead, turn, asked.as_ref(), None, &mut rng) else { return };
        turn = after;
    }
}

/// Composes a scene whose commands nobody could foresee.
///
/// What a command asks for holds from the first choice after it on from which, without it, nobody would follow who entered
/// before it was given: what would follow is tried out.
fn compose_late(composer: &mut Composer<'_>, lead: &Lead, mut turn: Turn) {
    let given = composer.commands.iter().flat_map(|command| [command.from, command.until]);
    let mut given: Vec<i32> = std::iter::once(0).chain(given).filter(|tick| *tick >= 0).collect();
    given.sort_unstable();
    given.dedup();
    // What holds, and the choice after which the next is looked at.
    let (mut holds, mut after) = (0, -1);
    while turn.now.tick < composer.end {
        while let Some(next) = given.get(holds + 1).filter(|tick| **tick <= turn.now.tick) {
            if turn.now.tick <= after {
                break;
            }
            match last_before(composer, lead, turn, given[holds], *next) {
                Some(tick) => after = tick,
                None => holds += 1,
            }
        }
        let Some(next) = composer.go_on_late(lead, turn, given[holds]) else { return };
        turn = next;
    }
}

/// The tick of the last choice for which somebody enters before `given`, if what was asked at `holds` goes on.
fn last_before(composer: &Composer<'_>, lead: &Lead, mut turn: Turn, holds: i32, given: i32) -> Option<i32> {
    let mut trial = composer.clone();
    let mut last = None;
    while turn.now.tick < composer.end.min(given + EARLIEST) {
        let tick = turn.now.tick;
        let Some(next) = trial.go_on_late(lead, turn, holds) else { break };
        turn = next;
        if turn.enters.is_some_and(|enters| enters < given) {
            last = Some(tick);
        }
    }
    last
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

impl Part {
    /// When they are seen first (ticks).
    fn enters(&self) -> i32 {
        self.doings.first().map_or(0, |(tick, _)| *tick)
    }
}

impl<'a> Composer<'a> {
    /// One choice after what was asked at a tick, with nobody who entered before it.
    fn go_on_late(&mut self, lead: &Lead, turn: Turn, asked: i32) -> Option<Turn> {
        let mut rng = ChaCha8Rng::seed_from_u64(lead.seed);
        rng.set_stream(turn.now.tick as u64);
        let command = self.command_at(asked).cloned();
        let enters = Some(asked.max(turn.now.tick - EARLIEST));
        self.go_on(lead, turn, command.as_ref(), enters, &mut rng)
    }

    /// One choice and what follows from it; `None` if there is nothing that the main character could do.
    fn go_on(
        &mut self,
        lead: &Lead,
        Turn { now, mut next, .. }: Turn,
        asked: Option<&Command>,
        enters: Option<i32>,
        rng: &mut ChaCha8Rng,
    ) -> Option<Turn> {
        let n_people = self.crowd.people.len();
        if self.is_due(now) && next < n_people {
            // From far away somebody goes there first.
            if let Some(now) = self.is_far(now).then(|| self.stroll(lead, now, asked)).flatten() {
                return Some(Turn { now, next, enters: None });
            }
            let n_over = self.kept.len();
            if let Some(now) = self.keep_appointment(lead, now, next) {
                return Some(Turn { now, next: next + 1, enters: None });
            }
            // A movement later it may be possible.
            let is_over = self.kept.len() > n_over;
            let now = if is_over { Some(now) } else { self.stroll(lead, now, asked) };
            return now.map(|now| Turn { now, next, enters: None });
        }
        let newcomer = Newcomer { who: next, enters };
        let found = (next < n_people).then(|| self.next_for(lead, now, newcomer, asked, rng)).flatten();
        let Some((candidate, plan)) = found else {
            return self.stroll(lead, now, asked).map(|now| Turn { now, next, enters: None });
        };
        let join = if candidate.before.is_some() { Join::Recycled } else { Join::Temporal };
        let enters = enters.map(|_| plan.part.enters());
        let now = self.take(lead, next, candidate.patch, plan, join);
        next += 1;
        // Whoever is joined in space may be joined to others in turn; none of them enters before the first.
        let mut at = self.uses.len() - 1;
        let most = at + lead.field.joined();
        while at < self.uses.len() && self.uses.len() <= most {
            let third = Newcomer { who: next, enters };
            let is_joined = next < n_people && self.join_third(lead, now, at, third);
            next += usize::from(is_joined);
            at += usize::from(!is_joined || lead.field.joined() == 1);
        }
        Some(Turn { now, next, enters })
    }

    /// The best way to go on, with a newcomer.
    fn next_for(
        &mut self,
        lead: &Lead,
        now: Standing,
        newcomer: Newcomer,
        asked: Option<&Command>,
        rng: &mut ChaCha8Rng,
    ) -> Option<(Candidate, Plan)> {
        let prospects = self.prospects(lead, now, asked);
        let mut candidates = self.best_of(&prospects, rng);
        for candidate in &mut candidates {
            let patch = self.patches.patch(candidate.patch);
            let world = patch.placed_by_start(lead.role, candidate.from.here);
            let place = world.ground(patch.of(lead.role.other()).from.position);
            let density = self.crowd.density(place, CROWDED, candidate.from.tick);
            candidate.score += self.weights.density / (density as f32 + 1.0);
        }
        candidates.sort_by(|a, b| b.score.total_cmp(&a.score));
        let found = candidates.into_iter().take(TRIES).find_map(|candidate| {
            let plan = self.plan(lead, now, newcomer, &candidate)?;
            Some((candidate, plan))
        });
        if let Some((candidate, _)) = found.as_ref().filter(|_| asked.is_some()) {
            // Those that do as asked come first, but no more than a number of them were looked at.
            let wanted = prospects.iter().filter(|it| it.is_wanted);
            let mut others =
                wanted.flat_map(|it| it.family.patches.iter().map(|id| it.candidate(*id, it.bound)));
            let is_possible =
                candidate.is_wanted || others.any(|wanted| self.plan(lead, now, newcomer, &wanted).is_some());
            self.wishes.count(is_possible, candidate.is_wanted);
        }
        found
    }

    /// What could be done, at once or after one movement, and the most that S could be without the density.
    fn prospects(&self, lead: &Lead, now: Standing, asked: Option<&Command>) -> Vec<Prospect<'a>> {
        let bodies = self.bodies();
        let begin = |id| {
            let doing = Doing::begin(bodies, id, now.tick, 0, now.here);
            (Some(doing), Standing::after(&self.crowd, &doing))
        };
        let moves = self.moves.from(now.node).iter().map(|id| begin(*id));
        let patches = self.patches;
        let mut prospects = Vec::new();
        for (before, from) in std::iter::once((None, now)).chain(moves) {
            let seconds = (from.tick - now.tick) as f32 / TICKS_PER_SECOND;
            for family in patches.families(from.node).iter().filter(|it| it.role == lead.role) {
                let Some(patch) = family.patches.first().map(|id| patches.patch(*id)) else { continue };
                let goes_on = patch.of(lead.role).exit.is_some_and(|exit| !self.moves.from(exit).is_empty());
                if !patch.stays_up(lead.role) || !goes_on {
                    continue;
                }
                let to = patch.placed_by_start(lead.role, from.here).placed(patch.of(lead.role).to);
                let is_wanted = asked.is_some_and(|command| {
                    command.is_met(bodies.library(), patch, lead.role, [now.here.placement(), to])
                });
                let bound = self.weights.score(usize::MAX >> 1, 0.0, is_wanted)
                    - PER_SECOND * seconds
                    - lead.field.strayed(lead.start, to);
                prospects.push(Prospect { family, before, from, is_wanted, bound });
            }
        }
        prospects
    }

    /// The best patches of all prospects, by S without the density, the best first.
    fn best_of(&mut self, prospects: &[Prospect<'a>], rng: &mut ChaCha8Rng) -> Vec<Candidate> {
        let urn =
            |it: &Prospect<'a>| Urn { patches: &it.family.patches, worth: it.bound, seed: rng.random() };
        let urns: Vec<Urn<'_>> = prospects.iter().map(urn).collect();
        let (patches, usage, weights) = (self.patches, &self.usage, self.weights);
        let Some(role) = prospects.first().map(|it| it.family.role) else { return Vec::new() };
        let cost = |id: PatchId| {
            let can_come = patches.patch(id).of(role.other()).entry.is_some();
            can_come.then(|| weights.usage * usage.of(id).min(1.0))
        };
        let found = lots::best(&urns, CLOSER, &cost, &mut self.effort);
        found.iter().map(|lot| prospects[lot.urn as usize].candidate(lot.patch, lot.score)).collect()
    }

    /// What a candidate comes to; `None` if somebody would get in another's way, or an appointment would be missed.
    fn plan(&self, lead: &Lead, now: Standing, newcomer: Newcomer, candidate: &Candidate) -> Option<Plan> {
        let before = candidate.before.iter().map(|doing| (now.tick, *doing)).collect();
        let plan = self.plan_after(lead, now, newcomer, candidate.patch, (before, candidate.from))?;
        let is_in_time = self.next_appointment(now.tick).is_none_or(|it| it.can_be_kept(&plan.after));
        is_in_time.then_some(plan)
    }

    /// What a patch comes to after the main character has done something else; `None` if somebody would get in another's
    /// way.
    pub(super) fn plan_after(
        &self,
        lead: &Lead,
        now: Standing,
        newcomer: Newcomer,
        id: PatchId,
        (before, from): (Vec<(i32, Doing)>, Standing),
    ) -> Option<Plan> {
        let (bodies, patch) = (self.bodies(), self.patches.patch(id));
        let world = patch.placed_by_start(lead.role, from.here);
        let begins = from.tick - patch.of(lead.role).start();
        let mut own = before;
        own.extend(patch.of(lead.role).doings(bodies, world, begins));
        let after = self.after_part(patch, lead.role, world, begins)?;
        let near = self.near_met(lead.who, &own, now.tick)?;
        let leave = Leave { girth: self.crowd.girth(lead.who), partners: &[], near: &near };
        if !self.crowd.is_free(&own, after.tick, &leave)
            || !self.can_go_on(lead, &own, after, &[], lead.field.gets_on())
        {
            return None;
        }
        let part = self.part(
            lead,
            newcomer,
            (id, lead.role.other()),
            world,
            begins,
            (lead.who, (self.crowd.girth(lead.who), &own)),
        )?;
        // The main character is not in the scene yet with what it is about to do.
        let lines = patch.of(lead.role.other());
        let (start, end) = (begins + lines.start(), begins + lines.end());
        let (leads, comes) = ((self.crowd.girth(lead.who), &own[..]), (Girth::PERSON, &part.doings[..]));
        let room_at = |tick: i32| prints(&self.crowd, leads, comes, tick).map(|both| room(&both));
        let before = least_distance(&self.crowd, leads, comes, now.tick, start);
        let later = least_distance(&self.crowd, leads, comes, end, after.tick);
        let apart = before >= room_at(start)? && later >= room_at(end)?;
        // Whoever comes may be in the way on.
        let (ticks, far) = lead.field.gets_on();
        let goes_on = far == 0.0 || self.can_go_on(lead, &own, after, &part.doings, (ticks, far));
        (apart && goes_on).then_some(Plan { lead: own, after, begins, world_from_patch: world, part })
    }

    /// Those who are near one of the people who does this, and whom they have met, and how near. Everybody else keeps clear
    /// of them.
    fn near_met(&self, who: usize, doings: &[(i32, Doing)], tick: i32) -> Option<Vec<(usize, f32)>> {
        let print = self.crowd.print_with(self.crowd.girth(who), doings, tick)?;
        let mut near = self.crowd.near(&print, tick);
        let has_met =
            |other: usize| self.uses.iter().any(|it| it.people.contains(&who) && it.people.contains(&other));
        near.retain(|(other, _)| has_met(*other));
        Some(near)
    }

    /// Whether the main character, who did this and stands like this, can go on for a while without getting in another's
    /// way, and get as far as it has to; `besides` is what somebody does who is not in the scene yet.
    fn can_go_on(
        &self,
        lead: &Lead,
        doings: &[(i32, Doing)],
        from: Standing,
        besides: &[(i32, Doing)],
        (ticks, far): (i32, f32),
    ) -> bool {
        let Some(near) = self.near_met(lead.who, doings, from.tick) else { return false };
        let girth = self.crowd.girth(lead.who);
        let both = prints(&self.crowd, (girth, doings), (Girth::PERSON, besides), from.tick);
        let onward = Onward {
            from: from.here.shift(),
            far,
            // Also when that is after the end, where nobody is in the way: nobody stops because a scene is about to end.
            until: from.tick + ticks,
            leave: Leave { girth, partners: &[], near: &near },
            besides: both.map(|both| (besides, room(&both))),
        };
        self.goes_on(from, &onward, &mut { WAYS_ON })
    }

    fn goes_on(&self, at: Standing, onward: &Onward<'_>, tries: &mut u32) -> bool {
        if at.tick >= onward.until {
            return at.from(onward.from) >= onward.far;
        }
        let waits = |id: &&ActionId| onward.far > 0.0 && self.moves.calm(at.node).contains(id);
        let is_free = |doing: Doing, end: i32| {
            let own = [(at.tick, doing)];
            let keeps_clear = |(others, room): (&[(i32, Doing)], f32)| {
                let (own, others) = ((onward.leave.girth, &own[..]), (Girth::PERSON, others));
                least_distance(&self.crowd, own, others, at.tick, end) >= room
            };
            self.crowd.is_free(&own, end, &onward.leave) && onward.besides.is_none_or(keeps_clear)
        };
        self.moves.from(at.node).iter().filter(|id| !waits(id)).any(|id| {
            let left = tries.checked_sub(1);
            *tries = left.unwrap_or(0);
            let doing = Doing::begin(self.bodies(), *id, at.tick, 0, at.here);
            left.is_some()
                && is_free(doing, doing.end(self.bodies()))
                && self.goes_on(Standing::after(&self.crowd, &doing), onward, tries)
        })
    }

    /// All that somebody does for a part in a patch: coming, taking part, and what follows.
    fn part(
        &self,
        lead: &Lead,
        Newcomer { who, enters }: Newcomer,
        (id, role): (PatchId, Role),
        world: Rigid,
        begins: i32,
        partner: (usize, Course<'_>),
    ) -> Option<Part> {
        let partners = &[partner.0];
        let (bodies, patch) = (self.bodies(), self.patches.patch(id));
        let lines = patch.of(role);
        let (start, end) = (begins + lines.start(), begins + lines.end());
        if start < 0 {
            return None;
        }
        let within = lines.doings(bodies, world, begins);
        if !self.crowd.is_free(&within, end, &Leave { partners, ..Leave::default() }) {
            return None;
        }
        let engine = Locomotion { crowd: &self.crowd, moves: &self.moves };
        let from = world.placed(lines.from);
        // Nobody but the partner may be near, whose part is not in the scene yet.
        let near_at = |tick: i32| -> Option<[(usize, f32); 1]> {
            let [own, theirs] = prints(&self.crowd, (Girth::PERSON, &within), partner.1, tick)?;
            Some([(partner.0, own.distance(&theirs))])
        };
        let near = near_at(start)?;
        let errand = Errand { variety: who, enters, ..lead.field.outside(from) };
        let to = Standing { node: lines.entry?, here: Rigid::of(from), tick: start };
        let mut doings = engine.arrive(to, &errand, &Leave { near: &near, ..Leave::default() })?;
        doings.extend(within.iter().copied());
        let near = near_at(end)?;
        let leave = Leave { near: &near, ..Leave::default() };
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
            self.crowd.is_free(&all, up.tick, &Leave { partners, ..leave }).then_some(way)
        });
        match rise {
            Some(way) => {
                doings.extend(way);
                Some(Part { doings, still: None })
            }
            None => {
                let print = self.crowd.print(&within, end)?;
                let stays = self.crowd.is_free_to_stay(&print, end, self.end, &Leave { partners, ..leave });
                stays.then_some(Part { doings, still: Some(end) })
            }
        }
    }

    /// Does as planned; where the main character is afterwards.
    pub(super) fn take(
        &mut self,
        lead: &Lead,
        newcomer: usize,
        id: PatchId,
        plan: Plan,
        join: Join,
    ) -> Standing {
        let people = match lead.role {
            Role::First => [lead.who, newcomer],
            Role::Second => [newcomer, lead.who],
        };
        self.crowd.perform(lead.who, &plan.lead, plan.after.tick);
        self.enter(newcomer, &plan.part);
        self.note(id, plan.begins, plan.world_from_patch, people, join);
        plan.after
    }

    fn enter(&mut self, who: usize, part: &Part) {
        let until = part.still.unwrap_or(self.end);
        self.crowd.perform(who, &part.doings, until);
        if let Some(from) = part.still {
            self.crowd.stay(who, from, self.end);
        }
    }

    /// Joins a patch to one that is used, in space: somebody of it has to do with a third person at the same time, who leaves
    /// the main character a way to go on.
    fn join_third(&mut self, lead: &Lead, now: Standing, at: usize, newcomer: Newcomer) -> bool {
        let Some(last) = self.uses.get(at).copied() else { return false };
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
            let part = self.part(
                lead,
                newcomer,
                (overlap.with, role),
                world,
                begins,
                (shared, (self.crowd.girth(shared), &lines)),
            );
            let Some(part) = part else { continue };
            self.enter(newcomer.who, &part);
            let own = &self.crowd.people[lead.who].performed;
            if !self.can_go_on(lead, own, now, &[], lead.field.gets_on()) {
                self.crowd.withdraw(newcomer.who);
                continue;
            }
            let people = match overlap.theirs {
                Role::First => [shared, newcomer.who],
                Role::Second => [newcomer.who, shared],
            };
            self.note(overlap.with, begins, world, people, Join::Spatial);
            return true;
        }
        false
    }

    /// The main character goes its way for one movement; `None` if it cannot move at all.
    fn stroll(&mut self, lead: &Lead, now: Standing, asked: Option<&Command>) -> Option<Standing> {
        let appointed = self.next_appointment(now.tick).map(|it| it.place);
        // Whoever is steered goes where they are sent, with nobody to meet on the way.
        let sent = asked.filter(|_| self.late).and_then(|it| it.direction);
        let sent = sent.map(|heading| behind(Placement { heading, ..now.here.placement() }, -SENT));
        let goal = appointed.or(sent).unwrap_or_else(|| lead.field.ahead(lead.start, now.here.placement()));
        let bodies = self.bodies_handle();
        let any = Doing::begin(&bodies, *self.moves.from(now.node).first()?, now.tick, 0, now.here);
        let near = self.near_met(lead.who, &[(now.tick, any)], now.tick)?;
        let leave = Leave { girth: self.crowd.girth(lead.who), partners: &[], near: &near };
        // What is left of the way, a radian off it counting as a metre.
        let left = |at: &Standing| {
            let place = at.here.placement();
            at.from(goal) + wrap_angle(place.heading - bearing(place.position, goal)).abs()
        };
        let mut options: Vec<(f32, Doing, Standing)> = (self.moves.from(now.node).iter())
            .map(|id| {
                let doing = Doing::begin(&bodies, *id, now.tick, 0, now.here);
                let after = Standing::after(&self.crowd, &doing);
                let seconds = (after.tick - now.tick).max(6) as f32 / TICKS_PER_SECOND;
                ((left(&after) - left(&now)) / seconds, doing, after)
            })
            .collect();
        options.sort_by(|a, b| a.0.total_cmp(&b.0));
        let is_free = |(_, doing, after): &&(f32, Doing, Standing)| {
            self.crowd.is_free(&[(now.tick, *doing)], after.tick, &leave)
        };
        let free: Vec<&(f32, Doing, Standing)> = options.iter().filter(is_free).collect();
        // Where nothing leads on as far as it should, what leads on some way is better than nothing.
        let (ticks, far) = lead.field.gets_on();
        let leading_on = [1, 2, 4].into_iter().find_map(|parts: i32| {
            let onward = (ticks / parts, far / parts as f32);
            let leads_on = |(_, doing, after): &&(f32, Doing, Standing)| {
                self.can_go_on(lead, &[(now.tick, *doing)], *after, &[], onward)
            };
            free.iter().copied().find(leads_on)
        });
        let free = leading_on.or(free.first().copied());
        // Whoever is hemmed in goes where there is most room.
        let roomiest = || {
            let room = |(_, doing, after): &&(f32, Doing, Standing)| {
                self.crowd.room(self.crowd.girth(lead.who), &[(now.tick, *doing)], after.tick)
            };
            options.iter().max_by(|a, b| room(a).total_cmp(&room(b)))
        };
        let (_, doing, after) = *free.or_else(roomiest)?;
        self.crowd.perform(lead.who, &[(now.tick, doing)], after.tick);
        Some(after)
    }
}

impl Field {
    /// How many patches are joined in space to one that the main character has part in, at most.
    fn joined(&self) -> usize {
        match self {
            Field::Ring { .. } | Field::Lane { .. } => 1,
            Field::Crowd { .. } => 4,
        }
    }

    /// For how long the main character has to be able to go on after whatever it does (ticks), and how far it has to get
    /// meanwhile (m): whoever stands still in a crowd is soon shut in.
    fn gets_on(&self) -> (i32, f32) {
        match self {
            Field::Ring { .. } | Field::Lane { .. } => (90, 0.0),
            Field::Crowd { .. } => (240, 3.0),
        }
    }

    /// Where somebody comes from who is here when they are needed, or goes to.
    fn outside(&self, here: Placement) -> Errand {
        match *self {
            Field::Ring { center, radius } => {
                let goal = beyond(center, here.position, radius.max(center.distance(here.position)));
                Errand { goal, within: 0.6, variety: 0, enters: None }
            }
            Field::Crowd { .. } => Errand { goal: here.position, within: 1.0, variety: 0, enters: None },
            Field::Lane { back, .. } => {
                Errand { goal: behind(here, back), within: 1.2, variety: 0, enters: None }
            }
        }
    }

    /// Where the main character goes when it has nothing to do.
    fn ahead(&self, start: Placement, here: Placement) -> Ground {
        match *self {
            Field::Ring { center, .. } => center,
            // On through the crowd, and back to its middle where it ends.
            Field::Crowd { center, radius } => {
                let ahead = behind(here, -SENT);
                if center.distance(ahead) < radius { ahead } else { center }
            }
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
            Field::Crowd { center, radius } => {
                STRAYED * (center.distance(to.position) - 0.8 * radius).max(0.0)
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
