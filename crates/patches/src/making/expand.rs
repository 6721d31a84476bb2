//! Expanding the game tree of two people along a pattern.
//!
//! Every action is a step of the pattern: between the starts of two steps both go on with what they do, so that one turn
//! and one shift tell how they stand to each other. A reaction is not chosen; it starts when its cause is there.
//!
//! Reference: \[Shum2008\], section 2.2, "Expanding Game Tree".

use std::ops::Range;

use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use randori_arena::bodies::{Bodies, Doing, Rigid};
use randori_arena::hits::{self, Hit, Part};
use randori_arena::reactions::Blow;
use randori_arena::stage::{Pair, mass_behind};
use randori_motion::annotation::Kind;
use randori_motion::{ActionId, Placement};

use super::score::Marks;
use super::touch::{self, Touch};
use super::troupe::Troupe;
use super::{Discard, Discards};
use crate::patch::{Contact, Initial, Lines, Patch, Role, Stint};
use crate::pattern::{Pattern, Step, is_reaction, matches};

/// People whose roots are nearer than this when somebody starts something stand too close (m).
const CLOSEST: f32 = 0.35;
/// An attack that is avoided passes no farther away than this (m).
const NEAR_MISS: f32 = 0.4;
/// The same for a tackle, which goes for the whole body (m).
const NEAR_TACKLE: f32 = 0.8;
/// Somebody who comes no nearer than this to where another stands is not avoided (m).
const IN_THE_WAY: f32 = 0.7;

/// A tree under expansion.
pub(super) struct Tree<'a> {
    pub(super) troupe: &'a Troupe,
    pub(super) pattern: &'a Pattern,
    /// Its place in the list of patterns.
    pub(super) number: u16,
    pub(super) initial: Initial,
}

/// What both did so far.
#[derive(Clone)]
pub(super) struct Way {
    stints: [Vec<Stint>; 2],
    doings: [Option<Doing>; 2],
    /// Whose blow has met something.
    spent: [bool; 2],
    /// When the last step started.
    tick: i32,
    contacts: Vec<Contact>,
    marks: Marks,
}

/// What starts a reaction.
struct Cause {
    tick: i32,
    blow: Blow,
    contact: Contact,
}

impl Tree<'_> {
    /// All patches that begin in the initial condition, of as many actions as the pattern allows to be tried.
    pub(super) fn grow(&self, rng: &mut ChaCha8Rng, discards: &mut Discards) -> Vec<Patch> {
        let way = Way {
            stints: [Vec::new(), Vec::new()],
            doings: [None; 2],
            spent: [false; 2],
            tick: 0,
            contacts: Vec::new(),
            marks: Marks::default(),
        };
        let mut found = Vec::new();
        self.expand(0, &way, rng, discards, &mut found);
        found
    }

    fn bodies(&self) -> &Bodies {
        &self.troupe.bodies
    }

    /// Goes on with a step in all ways, and with all that follows.
    fn expand(
        &self,
        number: usize,
        way: &Way,
        rng: &mut ChaCha8Rng,
        discards: &mut Discards,
        found: &mut Vec<Patch>,
    ) {
        let Some(step) = self.pattern.steps.get(number) else {
            match self.finish(&mut way.clone()) {
                Ok(patch) => found.push(patch),
                Err(discard) => discards.add(discard),
            }
            return;
        };
        let role = step.role.idx();
        if is_reaction(&step.word) && way.doings[role].is_some() {
            let mut next = way.clone();
            match self.react(&mut next, step) {
                Ok(()) => self.expand(number + 1, &next, rng, discards, found),
                Err(discard) => discards.add(discard),
            }
            return;
        }
        let candidates = match way.stints[role].last() {
            Some(last) => self.troupe.following(last.action, &step.word),
            None => self.troupe.openings(&step.word),
        };
        if candidates.is_empty() {
            discards.add(Discard::NoAction);
        }
        for (action, skipped) in drawn(candidates, self.pattern.sampling.choices, rng) {
            let mut next = way.clone();
            match self.begin(&mut next, number, (action, skipped)) {
                Ok(()) => self.expand(number + 1, &next, rng, discards, found),
                Err(discard) => discards.add(discard),
            }
        }
    }

    /// Where and when somebody begins a patch.
    fn opening(&self, role: Role) -> (i32, Rigid) {
        let delay = self.initial.delay;
        match role {
            Role::First => ((-delay).max(0), Rigid::of(Placement::default())),
            Role::Second => (delay.max(0), Rigid::of(self.initial.second_in_first())),
        }
    }

    /// Starts an action that is chosen, once the one before is over.
    fn begin(&self, way: &mut Way, number: usize, (action, skipped): (ActionId, u32)) -> Result<(), Discard> {
        let step = &self.pattern.steps[number];
        let (bodies, role) = (self.bodies(), step.role);
        let (tick, here) = match &way.doings[role.idx()] {
            Some(doing) => {
                let end = doing.end(bodies);
                (end, doing.root(bodies, end))
            }
            None => self.opening(role),
        };
        if tick < way.tick {
            return Err(Discard::Order);
        }
        self.is_quiet(way, tick)?;
        let doing = Doing::begin(bodies, action, tick, skipped, here);
        self.start(way, role, doing, skipped, tick);
        let Some(other) = way.doings[role.other().idx()] else { return Ok(()) };
        let distance = doing.position(bodies, tick).distance(other.position(bodies, tick));
        if distance < CLOSEST && !is_reaction(&step.word) {
            return Err(Discard::TooClose);
        }
        if matches!(bodies.of_action(action).kind, Kind::Attack | Kind::Defence) {
            way.marks.facing(bodies, &doing, &other, tick);
        }
        if bodies.of_action(action).kind == Kind::Defence {
            self.defend(way, number, &doing, &other)?;
        }
        Ok(())
    }

    /// Writes down that somebody does something else from a tick on.
    fn start(&self, way: &mut Way, role: Role, doing: Doing, skipped: u32, tick: i32) {
        let stints = &mut way.stints[role.idx()];
        if let Some(last) = stints.last_mut() {
            last.length = (tick - last.start).max(0) as u16;
        }
        let length = (doing.end(self.bodies()) - tick).max(0) as u16;
        stints.push(Stint { action: doing.action, skipped: skipped as u16, start: tick, length });
        (way.doings[role.idx()], way.spent[role.idx()]) = (Some(doing), false);
        way.tick = tick;
    }

    /// Whether a defence has something to do with what the other does.
    fn defend(&self, way: &mut Way, number: usize, doing: &Doing, other: &Doing) -> Result<(), Discard> {
        let bodies = self.bodies();
        let (its, theirs) = (bodies.of_action(doing.action), bodies.of_action(other.action));
        if theirs.kind == Kind::Attack {
            let landing = |frame: u32| other.start + (frame - theirs.first) as i32;
            let [from, to] = theirs.window.map(landing);
            if to <= doing.start || from >= doing.end(bodies) {
                return Err(Discard::NoContact);
            }
            let is_tackle = matches("tackle", &bodies.library().action(other.action).annotation);
            let near = if is_tackle { NEAR_TACKLE } else { NEAR_MISS };
            let gap = touch::gap((bodies, other), (bodies, doing)).ok_or(Discard::NoContact)?;
            if gap > near {
                return Err(Discard::NoContact);
            }
            way.marks.contact(1.0 - gap / near);
            let peak = doing.start + (its.peak - its.first) as i32;
            way.marks.timing((peak - landing(theirs.peak)).abs() as f32 / 30.0);
            return Ok(());
        }
        let is_cause = self.pattern.steps[number + 1..].iter().any(|step| is_reaction(&step.word));
        if is_cause {
            return Ok(());
        }
        // Nobody strikes: whoever avoids makes way for somebody who comes.
        let stood = doing.position(bodies, doing.start);
        let ticks = doing.start..=other.end(bodies);
        let nearest = ticks.map(|tick| other.position(bodies, tick).distance(stood)).fold(f32::MAX, f32::min);
        if nearest > IN_THE_WAY {
            return Err(Discard::NoContact);
        }
        way.marks.contact(1.0 - nearest / IN_THE_WAY);
        Ok(())
    }

    /// Whether nothing happens from the start of the last step to a tick that the pattern does not have.
    fn is_quiet(&self, way: &mut Way, until: i32) -> Result<(), Discard> {
        let [Some(first), Some(second)] = way.doings else { return Ok(()) };
        let bodies = self.bodies();
        for (role, own, other) in [(Role::First, &first, &second), (Role::Second, &second, &first)] {
            let Some(hit) = self.blow(way, role, own, other).filter(|hit| hit.tick <= until) else {
                continue;
            };
            if hit.part() != Part::Limb || self.is_tackle(own) {
                return Err(Discard::Struck);
            }
            way.spent[role.idx()] = true;
        }
        let pair = Pair::of(bodies, &first, bodies, &second);
        if pair.is_deeper(way.tick..until + 1, self.pattern.depth) {
            return Err(Discard::Collision);
        }
        Ok(())
    }

    /// What the blow of somebody meets after the start of the last step.
    fn blow(&self, way: &Way, role: Role, own: &Doing, other: &Doing) -> Option<Hit> {
        let bodies = self.bodies();
        let its = bodies.of_action(own.action);
        let strikes = its.window[0] < its.window[1] && !way.spent[role.idx()];
        strikes.then(|| hits::first((bodies, own), (bodies, other), way.tick))?
    }

    fn is_tackle(&self, doing: &Doing) -> bool {
        matches("tackle", &self.bodies().library().action(doing.action).annotation)
    }

    /// Starts the reaction of somebody when the other strikes or pushes them.
    fn react(&self, way: &mut Way, step: &Step) -> Result<(), Discard> {
        let role = step.role;
        let (Some(own), Some(other)) = (way.doings[role.idx()], way.doings[role.other().idx()]) else {
            return Err(Discard::NoContact);
        };
        let bodies = self.bodies();
        let cause = self.cause(way, role, &own, &other)?;
        let pair = Pair::of(bodies, &own, bodies, &other);
        if pair.is_deeper(way.tick..cause.tick + 1, self.pattern.depth) {
            return Err(Discard::Collision);
        }
        if let Some(hit) = self.blow(way, role, &own, &other)
            && hit.tick <= cause.tick
            && hit.part() != Part::Limb
        {
            return Err(Discard::Struck);
        }
        let its = bodies.of_action(own.action);
        let reactions = self.troupe.reactions(&step.word).ok_or(Discard::NoReaction)?;
        let frame = own.frame(bodies, cause.tick);
        let answer = reactions.answer(its.take, frame, &cause.blow, 0.0).ok_or(Discard::NoReaction)?;
        let here = own.root(bodies, cause.tick);
        let doing = Doing::begin(bodies, answer.action, cause.tick, answer.skipped, here);
        way.marks.contact(1.0);
        way.marks.timing((cause.tick - other.start) as f32 / 120.0);
        way.contacts.push(cause.contact);
        way.spent[role.other().idx()] = true;
        self.start(way, role, doing, answer.skipped, cause.tick);
        Ok(())
    }

    /// The first blow or push of the other that is hard enough, while somebody goes on.
    fn cause(&self, way: &Way, role: Role, own: &Doing, other: &Doing) -> Result<Cause, Discard> {
        let bodies = self.bodies();
        let take_from_world = own.world_from_take.inverse();
        let until = own.end(bodies).min(other.end(bodies)) - 1;
        let its = bodies.of_action(other.action);
        if its.window[0] < its.window[1] {
            let hit = self.blow(way, role.other(), other, own).filter(|hit| hit.tick <= until);
            let hit = hit.ok_or(Discard::NoContact)?;
            let is_stopped = hit.part() == Part::Limb && !self.is_tackle(other);
            let mass = mass_behind(hit.with);
            if is_stopped || hit.velocity.length() * mass < self.pattern.impulse {
                return Err(Discard::NoContact);
            }
            let contact = Contact {
                tick: hit.tick,
                who: role.other(),
                with: hit.with,
                bone: hit.bone,
                point: hit.point,
                velocity: hit.velocity,
            };
            let (point, velocity) = (take_from_world.point(hit.point), take_from_world.turned(hit.velocity));
            return Ok(Cause {
                tick: hit.tick,
                blow: Blow { bone: hit.bone, point, velocity, mass },
                contact,
            });
        }
        let push =
            self.troupe.girths.first_push(bodies, [other, own], way.tick + 1..=until, self.pattern.impulse);
        let Touch { tick, with, bone, point, velocity, mass, .. } = push.ok_or(Discard::NoContact)?;
        let contact = Contact { tick, who: role.other(), with, bone, point, velocity };
        let (point, velocity) = (take_from_world.point(point), take_from_world.turned(velocity));
        Ok(Cause { tick, blow: Blow { bone, point, velocity, mass }, contact })
    }

    /// Lets both end what they do, and makes a patch of it.
    fn finish(&self, way: &mut Way) -> Result<Patch, Discard> {
        let [Some(first), Some(second)] = way.doings else { return Err(Discard::Order) };
        let bodies = self.bodies();
        let until = first.end(bodies).max(second.end(bodies));
        self.is_quiet(way, until)?;
        let score = way.marks.score(&self.pattern.weights);
        if score < self.pattern.threshold {
            return Err(Discard::Score);
        }
        let made = patch(bodies, self.number, self.initial, &way.stints, &way.contacts, score);
        let is_deep = |(ticks, [first, second]): (Range<i32>, [Doing; 2])| {
            self.troupe.girths.are_deeper(bodies, [&first, &second], ticks, self.pattern.limbs)
        };
        if self.pattern.limbs.is_finite() && made.together(bodies).into_iter().any(is_deep) {
            return Err(Discard::Collision);
        }
        Ok(made)
    }
}

/// A patch of what both do, with where they are and the postures at both ends.
pub(super) fn patch(
    bodies: &Bodies,
    pattern: u16,
    initial: Initial,
    stints: &[Vec<Stint>; 2],
    contacts: &[Contact],
    score: f32,
) -> Patch {
    let from = [Placement::default(), initial.second_in_first()];
    let lines = [0, 1].map(|role| {
        let library = bodies.library();
        let stints = stints[role].clone();
        let [first, last] =
            [stints.first(), stints.last()].map(|stint| stint.map(|it| library.action(it.action)));
        let entry =
            first.filter(|_| stints.first().is_some_and(|stint| stint.skipped == 0)).map(|it| it.from);
        let exit = last.filter(|action| !action.is_terminal).map(|action| action.to);
        let falls = last.is_some_and(|action| matches("fall", &action.annotation));
        let mut lines = Lines { stints, from: from[role], to: from[role], entry, exit, falls };
        let doings = lines.doings(bodies, Rigid::of(Placement::default()), 0);
        if let Some((_, doing)) = doings.last() {
            lines.to = doing.placement(bodies, lines.end());
        }
        lines
    });
    Patch { pattern, initial, lines, contacts: contacts.to_vec(), score }
}

/// So many of a list, in its order; drawn at random if there are more.
pub(super) fn drawn<T: Copy>(all: &[T], most: usize, rng: &mut ChaCha8Rng) -> Vec<T> {
    if all.len() <= most {
        return all.to_vec();
    }
    let mut places: Vec<usize> = Vec::with_capacity(most);
    if most * 4 < all.len() {
        while places.len() < most {
            let at = rng.random_range(0..all.len());
            if !places.contains(&at) {
                places.push(at);
            }
        }
    } else {
        places = (0..all.len()).collect();
        places.shuffle(rng);
        places.truncate(most);
    }
    places.sort_unstable();
    places.into_iter().map(|at| all[at]).collect()
}
