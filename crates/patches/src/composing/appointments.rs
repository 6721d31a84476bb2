//! Appointments: interactions that have to happen at a time and a place.
//!
//! Patches are chosen freely as long as the next appointment can still be kept. Then the wanted patch is put where and when
//! it has to be, whichever way it is turned, and the main character's way there is planned backward in time from it and bent
//! to begin where the character is; so that it is in time and in place exactly.
//!
//! Reference: \[Shum2008\], section 6, which wishes for a planner for strictly constrained times and places.

use std::f32::consts::TAU;

use randori_arena::bodies::{Doing, Rigid, TICKS_PER_SECOND};
use randori_motion::library::NodeId;
use randori_motion::math::wrap_angle;
use randori_motion::{Ground, Placement};

use super::lead::{EARLIEST, Lead, Newcomer};
use super::locomotion::{Standing, bearing};
use super::reach::{Reach, Way, bent};
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

/// How fast somebody gets to an appointment at least (m/s), and what turning and waiting take besides (ticks).
const SPEED: f32 = 0.55;
const BESIDES: i32 = 240;
/// Ways that a wanted patch is turned, and how many ways there are tried.
const TURNS: usize = 12;
const TRIES: usize = 40;
/// How far off a way may begin that is bent (m, rad), for each of its movements and altogether.
const BENT: [f32; 2] = [0.06, 0.12];
const MOST_BENT: [f32; 2] = [0.5, 0.9];

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

/// A wanted patch, put where it has to be.
struct Wanted {
    patch: PatchId,
    to: Standing,
    cost: f32,
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

    /// Goes to the next appointment and keeps it, with a newcomer; how the main character stands afterwards. `None` if it
    /// is missed, which is written down too.
    pub(super) fn keep_appointment(
        &mut self,
        lead: &Lead,
        now: Standing,
        newcomer: usize,
    ) -> Option<Standing> {
        let number = self.kept.len();
        let appointment = self.appointments.get(number)?.clone();
        let mut wanted = self.wanted(lead, now, &appointment);
        wanted.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        let found = wanted.iter().take(TRIES).find_map(|it| {
            let before = self.way_to(now, it.to)?;
            let newcomer = Newcomer { who: newcomer, enters: self.late.then_some(now.tick - EARLIEST) };
            let plan = self.plan_after(lead, now, newcomer, it.patch, (before, it.to))?;
            Some((it.patch, plan))
        });
        let Some((patch, plan)) = found else {
            self.kept.push(Kept { number, patch: None, off: f32::INFINITY, late: f32::INFINITY });
            return None;
        };
        let after = self.take(lead, newcomer, patch, plan, Join::Recycled);
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

    /// All wanted patches, turned every way, that somebody could get to.
    fn wanted(&self, lead: &Lead, now: Standing, appointment: &Appointment) -> Vec<Wanted> {
        let (bodies, library) = (self.bodies(), self.bodies().library());
        let mut wanted = Vec::new();
        for id in self.patches.ids() {
            let patch = self.patches.patch(id);
            let lines = patch.of(lead.role);
            let says = appointment.words.is_empty()
                || appointment.words.iter().any(|word| patch.has(library, lead.role, word));
            let goes_on = lines.exit.is_some_and(|exit| !self.moves.from(exit).is_empty());
            let Some(node) = lines.entry.filter(|_| says && goes_on && patch.stays_up(lead.role)) else {
                continue;
            };
            if patch.of(lead.role.other()).entry.is_none() {
                continue;
            }
            let mark = self.mark(lead, id, &appointment.words);
            let tick = appointment.tick - mark + lines.start();
            let there = patch.placement(bodies, lead.role, mark);
            for turn in 0..TURNS {
                let heading = TAU * turn as f32 / TURNS as f32;
                let world = Rigid::of(Placement { position: appointment.place, heading })
                    .then(Rigid::of(there).inverse());
                let here = world.then(Rigid::of(lines.from));
                let place = here.placement();
                let far = now.from(place.position);
                let way = bearing(now.here.shift(), place.position);
                let off = if far > 0.5 { wrap_angle(place.heading - way).abs() } else { 0.0 };
                let cost = far + 0.5 * off + 2.0 * self.usage.of(id).min(1.0);
                wanted.push(Wanted { patch: id, to: Standing { node, here, tick }, cost });
            }
        }
        wanted
    }

    /// What somebody does to stand like this at just that time: waiting, and a way that is bent to begin where they are.
    fn way_to(&self, now: Standing, to: Standing) -> Option<Vec<(i32, Doing)>> {
        let bodies = self.bodies();
        let reach = Reach { crowd: &self.crowd, moves: &self.moves };
        let rests = |node: NodeId| !self.moves.calm(node).is_empty();
        // Whoever cannot wait as they are comes to rest first.
        let rest = if rests(now.node) {
            Way { doings: Vec::new(), end: now, off: [0.0; 2] }
        } else {
            reach.ahead(now, now.here.placement(), &rests)?
        };
        let back = reach.back(to, rest.end.here.placement(), &|node| node == rest.end.node)?;
        let n = back.doings.len() as f32;
        let is_bent = |k: usize| back.off[k] <= (BENT[k] * n).min(MOST_BENT[k]);
        if !is_bent(0) || !is_bent(1) || back.end.tick < rest.end.tick {
            return None;
        }
        let mut doings = rest.doings;
        self.wait(rest.end, back.end.tick, &mut doings)?;
        let here = match doings.last() {
            Some((_, doing)) => doing.placement(bodies, back.end.tick),
            None => now.here.placement(),
        };
        doings.extend(bent(bodies, &back.doings, here));
        Some(doings)
    }
}
