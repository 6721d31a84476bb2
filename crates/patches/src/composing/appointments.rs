//! Appointments: interactions that have to happen at a time and a place.
//!
//! Patches are chosen freely as long as the next appointment can still be kept. Then all that the main character could get to
//! is worked out, and the wanted patch is taken that would be nearest to the place from there, whichever way it is turned; the
//! way is bent by what is off, and begun so that it ends just in time: in time and in place exactly. Where nothing fits, the
//! main character goes on for a movement and looks again from there, until it is too late.
//!
//! Reference: \[Shum2008\], section 6, which wishes for a planner for strictly constrained times and places.

use std::collections::BTreeMap;

use randori_arena::bodies::{Doing, Rigid, TICKS_PER_SECOND};
use randori_motion::library::NodeId;
use randori_motion::{Ground, Placement};

use super::lead::{EARLIEST, Lead, Newcomer};
use super::locomotion::{Standing, bearing};
use super::reach::{AT_A_SEAM, Reach, Reached, Way, bent};
use super::{Composer, Join};
use crate::set::PatchId;

/// An interaction that has to happen at a time and a place.
#[derive(Clone, Debug, PartialEq)]
pub struct Appointment {
    /// When bodies touch, or else when the first of the wanted actions begins (ticks).
    pub tick: i32,
    /// Where the main character is then.
    pub place: Ground,
    /// One of these is done by the main character: annotations, or families of them; anything if there are none.
    pub words: Vec<String>,
}

/// What became of an appointment.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Kept {
    /// Which one it was, in order of time.
    pub number: usize,
    /// The patch with which it was kept; `None` if it was missed.
    pub patch: Option<u32>,
    /// How far off it was (m) and how late (s).
    pub off: f32,
    /// See `off`.
    pub late: f32,
}

/// How fast somebody gets to an appointment at least, on ways that are not straight (m/s), and what turning and waiting take
/// besides (ticks).
const SPEED: f32 = 0.4;
const BESIDES: i32 = 360;
/// Ways in which an appointment could be kept that are tried, and patches after the same way.
const TRIES: usize = 400;
const ON_A_WAY: u32 = 3;
/// From farther away than this somebody comes nearer first (m), unless there are no more than so many ticks left.
const FAR: f32 = 2.5;
const LEFT: i32 = 360;
/// Later than this before an appointment nothing more is tried (ticks).
const LAST_CALL: i32 = 60;
/// What ways count that are bent as far as they may be at each seam, and a patch that was just used.
const BENT: f32 = 3.0;
const USED: f32 = 2.0;

impl Appointment {
    /// Whether somebody who stands like this can still be there in time.
    pub(super) fn can_be_kept(&self, from: &Standing) -> bool {
        from.tick + self.takes(from) <= self.tick
    }

    /// How long it takes to get there at most (ticks).
    fn takes(&self, from: &Standing) -> i32 {
        BESIDES + (from.from(self.place) / SPEED * TICKS_PER_SECOND) as i32
    }
}

/// A wanted patch after one of the ways.
struct Wanted {
    patch: PatchId,
    way: usize,
    /// How much later than it could the way is begun (ticks), and where waiting for that has led to.
    later: i32,
    start: Placement,
    /// Where the patch would have to begin.
    end: Placement,
    cost: f32,
}

/// How somebody comes to rest, waits from then on, and what they could get to from there at once.
struct Outlook {
    rest: Way,
    waiting: Vec<(i32, Doing)>,
    reached: Reached,
}

impl Composer<'_> {
    /// The first appointment that is not over at a tick.
    pub(super) fn next_appointment(&self, tick: i32) -> Option<&Appointment> {
        self.appointments.get(self.kept.len()).filter(|it| it.tick > tick)
    }

    /// Whether it is time to go to the next appointment: nothing else can be done before.
    pub(super) fn is_due(&self, now: Standing) -> bool {
        let next = self.appointments.get(self.kept.len());
        next.is_some_and(|it| now.tick + it.takes(&now) + BESIDES / 2 > it.tick)
    }

    /// Whether the next appointment is so far away that somebody has to come nearer first, and there is time for it.
    pub(super) fn is_far(&self, now: Standing) -> bool {
        let next = self.appointments.get(self.kept.len());
        next.is_some_and(|it| now.from(it.place) > FAR && it.tick - now.tick > LEFT)
    }

    /// Goes to the next appointment and keeps it, with a newcomer; how the main character stands afterwards. `None` if that
    /// is not possible from here; if it is too late to try again, it is written down as missed.
    pub(super) fn keep_appointment(
        &mut self,
        lead: &Lead,
        now: Standing,
        newcomer: usize,
    ) -> Option<Standing> {
        let number = self.kept.len();
        let appointment = self.appointments.get(number)?.clone();
        let newcomer = Newcomer { who: newcomer, enters: self.late.then_some(now.tick - EARLIEST) };
        let found = self.outlook(now, &appointment).and_then(|outlook| {
            let mut wanted = self.wanted(lead, &outlook, &appointment);
            wanted.sort_by(|a, b| a.cost.total_cmp(&b.cost));
            // Whatever stands in a way is in the way of all patches after it.
            let mut tried = vec![0; outlook.reached.standings().len()];
            let is_new = |it: &&Wanted| {
                tried[it.way] += 1;
                tried[it.way] <= ON_A_WAY
            };
            wanted.iter().filter(is_new).take(TRIES).find_map(|it| {
                let way = self.way_to(&outlook, it)?;
                Some((it.patch, self.plan_after(lead, now, newcomer, it.patch, way)?))
            })
        });
        let Some((patch, plan)) = found else {
            if appointment.tick - now.tick <= LAST_CALL {
                self.kept.push(Kept { number, patch: None, off: f32::INFINITY, late: f32::INFINITY });
            }
            return None;
        };
        let after = self.take(lead, newcomer.who, patch, plan, Join::Recycled);
        let Some(used) = self.uses.last() else { return Some(after) };
        let mark = self.mark(lead, patch, &appointment.words);
        let there = self.patches.patch(patch).placement(self.bodies(), lead.role, mark);
        let off = used.world_from_patch.ground(there.position).distance(appointment.place);
        let late = (used.begins + mark - appointment.tick) as f32 / TICKS_PER_SECOND;
        self.kept.push(Kept { number, patch: Some(patch.0), off, late });
        Some(after)
    }

    /// The tick of a patch at which an appointment is kept with it.
    fn mark(&self, lead: &Lead, id: PatchId, words: &[String]) -> i32 {
        let (patch, library) = (self.patches.patch(id), self.bodies().library());
        let lines = patch.of(lead.role);
        let is_meant =
            |word: &String, action| crate::pattern::matches(word, &library.action(action).annotation);
        let first = lines.stints.iter().find(|it| words.iter().any(|word| is_meant(word, it.action)));
        let begins = first.map_or(lines.start(), |stint| stint.start);
        patch.contacts.first().map_or(begins, |contact| contact.tick)
    }

    /// All wanted patches after all ways to which they can be joined: how far they would be off the place is made good by
    /// bending the way.
    fn wanted(&self, lead: &Lead, outlook: &Outlook, appointment: &Appointment) -> Vec<Wanted> {
        let (bodies, library) = (self.bodies(), self.bodies().library());
        // Patches by the posture in which they begin, with where the main character is at the moment that counts, seen from
        // where it begins, and when it has to begin.
        let mut by_node: BTreeMap<NodeId, Vec<(PatchId, Placement, i32)>> = BTreeMap::new();
        for id in self.patches.ids() {
            let patch = self.patches.patch(id);
            let lines = patch.of(lead.role);
            let says = appointment.words.is_empty()
                || appointment.words.iter().any(|word| patch.has(library, lead.role, word));
            let goes_on = lines.exit.is_some_and(|exit| !self.moves.from(exit).is_empty());
            let can_come = patch.of(lead.role.other()).entry.is_some();
            let is_meant = says && goes_on && can_come && patch.stays_up(lead.role);
            if let Some(node) = lines.entry.filter(|_| is_meant) {
                let mark = self.mark(lead, id, &appointment.words);
                let there = lines.from.relative(patch.placement(bodies, lead.role, mark));
                by_node.entry(node).or_default().push((id, there, appointment.tick - mark + lines.start()));
            }
        }
        // Where waiting leads to, and what it moves whatever is done afterwards by, tick by tick.
        let Outlook { rest, waiting, reached } = outlook;
        let planned = Rigid::of(rest.end.here.placement()).inverse();
        let waited: Vec<(Placement, Rigid)> = (rest.end.tick..=appointment.tick)
            .map(|tick| {
                let under_way = waiting.partition_point(|(start, _)| *start < tick);
                let doing = under_way.checked_sub(1).map(|at| &waiting[at].1);
                let here = doing.map_or(rest.end.here.placement(), |it| it.placement(bodies, tick));
                (here, Rigid::of(here).then(planned))
            })
            .collect();
        let mut wanted = Vec::new();
        for (way, at) in reached.standings().enumerate() {
            let n = reached.n_movements(way).max(1) as f32;
            for (patch, there, begins) in by_node.get(&at.node).into_iter().flatten() {
                let later = begins - at.tick;
                let waited = usize::try_from(later).ok().and_then(|later| waited.get(later));
                let Some((start, moved)) = waited else { continue };
                let here = moved.placed(at.here.placement());
                let there = here.then(*there).position;
                let off = there.distance(appointment.place) / (n * AT_A_SEAM[0]);
                if off > 1.0 {
                    continue;
                }
                let by = Ground { x: appointment.place.x - there.x, z: appointment.place.z - there.z };
                let position = Ground { x: here.position.x + by.x, z: here.position.z + by.z };
                let cost = BENT * off + 0.2 * n + USED * self.usage.of(*patch).min(1.0);
                let end = Placement { position, ..here };
                wanted.push(Wanted { patch: *patch, way, later, start: *start, end, cost });
            }
        }
        wanted
    }

    /// What somebody could do about an appointment; `None` if they cannot come to rest.
    fn outlook(&self, now: Standing, appointment: &Appointment) -> Option<Outlook> {
        let rest = self.rest(now)?;
        let heading = bearing(rest.end.here.shift(), appointment.place);
        let goal = Placement { position: appointment.place, heading };
        let reached = Reach { crowd: &self.crowd, moves: &self.moves }.about(rest.end, goal);
        let mut waiting = Vec::new();
        self.wait(rest.end, appointment.tick, &mut waiting)?;
        Some(Outlook { rest, waiting, reached })
    }

    /// How somebody comes to rest, who cannot wait as they are.
    fn rest(&self, now: Standing) -> Option<Way> {
        let rests = |node: NodeId| !self.moves.calm(node).is_empty();
        if rests(now.node) {
            return Some(Way { doings: Vec::new(), end: now, off: [0.0; 2] });
        }
        Reach { crowd: &self.crowd, moves: &self.moves }.ahead(now, now.here.placement(), &rests)
    }

    /// What somebody does to begin a wanted patch at just the right time and place: coming to rest, waiting, and a way that is
    /// bent to lead there.
    fn way_to(&self, outlook: &Outlook, wanted: &Wanted) -> Option<(Vec<(i32, Doing)>, Standing)> {
        let Outlook { rest, waiting, reached } = outlook;
        let planned = *reached.standings().nth(wanted.way)?;
        let (later, leaves) = (wanted.later, rest.end.tick + wanted.later);
        let mut doings = rest.doings.clone();
        doings.extend(waiting.iter().take_while(|(start, _)| *start < leaves));
        let way: Vec<(i32, Doing)> = (reached.way(wanted.way).into_iter())
            .map(|(tick, doing)| (tick + later, Doing { start: doing.start + later, ..doing }))
            .collect();
        doings.extend(bent(self.bodies(), &way, planned.here.placement(), [wanted.start, wanted.end]));
        Some((doings, Standing { here: Rigid::of(wanted.end), tick: planned.tick + later, ..planned }))
    }
}
