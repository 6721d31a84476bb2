//! Everybody in a scene, in time and space: who is where, and whether somebody would get in another's way.
//!
//! The floor is cut into squares and time into spans of about a second; everybody is entered in all squares that they cover,
//! so that a newcomer is compared with nobody but those who are near at about the same time, however many people there are.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use randori_arena::bodies::{Bodies, Doing};
use randori_motion::Ground;
use smallvec::SmallVec;

use super::footprint::{Footprint, Footprints, Girth};

/// Ticks from one look at where everybody is to the next.
pub const LOOK: i32 = 4;
/// Looks in a span of time.
const LOOKS: i32 = 16;
/// The side of a square of the floor (m).
const SQUARE: f32 = 1.0;
/// By how much those who are too near already may come nearer still (m).
const SLACK: f32 = 0.03;

/// What one of the people does from entering to leaving.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Person {
    /// Actions in order of time, with the tick from which on each is shown.
    pub performed: Vec<(i32, Doing)>,
    /// How much of the floor they need.
    pub girth: Girth,
    /// The squares in which they are entered; some more than once.
    squares: Vec<SquareId>,
}

impl Person {
    /// Whoever stays about where they are is entered in the same few squares again and again.
    fn is_entered(&mut self, square: SquareId) {
        let latest = self.squares.len().saturating_sub(8);
        if !self.squares[latest..].contains(&square) {
            self.squares.push(square);
        }
    }
}

/// Everybody in a scene. See the [module](self).
#[derive(Clone, Debug)]
pub struct Crowd {
    bodies: Arc<Bodies>,
    prints: Footprints,
    /// Everybody.
    pub people: Vec<Person>,
    /// The squares that anybody covers.
    squares: HashMap<SquareId, Square, BuildHasherDefault<Scatter>>,
}

/// Who is in a square of the floor.
#[derive(Clone, Debug, Default)]
struct Square {
    /// Who moves through it, by spans of time in order.
    moving: Vec<(i32, Vec<Mark>)>,
    /// Who stays in it, from when until when.
    still: Vec<Still>,
}

impl Square {
    /// Those who cover it at a look.
    fn marks(&self, look: i32) -> impl Iterator<Item = &Mark> {
        let found = self.moving.binary_search_by_key(&span(look), |(span, _)| *span);
        let there = found.map_or(&[][..], |at| &self.moving[at].1[..]);
        there.iter().filter(move |mark| mark.look == look)
    }

    /// Those who move through it from a look until a tick.
    fn marks_in(&self, first: i32, until: i32) -> impl Iterator<Item = &Mark> {
        let begin = self.moving.partition_point(|(at, _)| *at < span(first));
        let spans = self.moving[begin..].iter().take_while(move |(at, _)| *at <= span(until - 1));
        spans.flat_map(|(_, marks)| marks).filter(move |mark| (first..until).contains(&mark.look))
    }

    /// Those who stay in it at a look.
    fn stays(&self, look: i32) -> impl Iterator<Item = &Still> {
        self.still.iter().filter(move |it| it.from <= look && look < it.until)
    }

    fn enter(&mut self, mark: Mark) {
        let at = span(mark.look);
        let place = self.moving.partition_point(|(span, _)| *span < at);
        if self.moving.get(place).is_none_or(|(span, _)| *span != at) {
            self.moving.insert(place, (at, Vec::new()));
        }
        self.moving[place].1.push(mark);
    }

    fn leave(&mut self, who: usize) {
        for (_, marks) in &mut self.moving {
            marks.retain(|mark| mark.who as usize != who);
        }
        self.still.retain(|it| it.who as usize != who);
    }
}

/// A square by its column and row, in one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct SquareId(u32);

/// Scatters numbers of squares: one multiplication. Nobody chooses squares to do harm, and nothing depends on their order.
#[derive(Clone, Copy, Debug, Default)]
struct Scatter(u64);

impl Hasher for Scatter {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u32(u32::from(*byte));
        }
    }

    fn write_u32(&mut self, number: u32) {
        let mixed = (self.0 ^ u64::from(number)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = mixed ^ (mixed >> 32);
    }
}

/// Somebody who covers a square at a look, and with what.
#[derive(Clone, Copy, Debug)]
struct Mark {
    look: i32,
    who: u32,
    print: Footprint,
}

#[derive(Clone, Copy, Debug)]
struct Still {
    who: u32,
    print: Footprint,
    from: i32,
    until: i32,
}

/// Somebody who sways and shifts by less than this stays in one place (m).
const STAYING: f32 = 0.06;

/// What somebody covers for a while who waits, with as much more room as they sway.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stay {
    /// What they cover.
    pub print: Footprint,
    /// From when on (ticks).
    pub from: i32,
    /// Until when (ticks).
    pub until: i32,
}

/// Who is planned, and whom they may be near.
#[derive(Clone, Copy, Debug, Default)]
pub struct Leave<'a> {
    /// How much of the floor they need.
    pub girth: Girth,
    /// These do not count at all.
    pub partners: &'a [usize],
    /// These are near already: how near they are (m).
    pub near: &'a [(usize, f32)],
}

impl Leave<'_> {
    /// Whether they get in the way of somebody who covers something.
    fn clashes(&self, own: &Footprint, who: u32, other: &Footprint) -> bool {
        let who = who as usize;
        if self.partners.contains(&who) {
            return false;
        }
        let near = self.near.iter().find(|(other, _)| *other == who);
        let clearance = own.clearance(other);
        let limit = near.map_or(clearance, |(_, distance)| (distance - SLACK).min(clearance));
        own.distance(other) < limit
    }
}

impl Crowd {
    /// A scene with this many people, none of whom is there yet.
    pub fn new(bodies: Arc<Bodies>, n_people: usize) -> Crowd {
        let prints = Footprints::of(&bodies);
        let people = vec![Person::default(); n_people];
        Crowd { bodies, prints, people, squares: HashMap::default() }
    }

    /// The bodies of everybody.
    pub fn bodies(&self) -> &Arc<Bodies> {
        &self.bodies
    }

    /// How much of the floor one of the people needs.
    pub fn girth(&self, who: usize) -> Girth {
        self.people[who].girth
    }

    /// What a person who does this covers at a tick.
    pub fn print(&self, doings: &[(i32, Doing)], tick: i32) -> Option<Footprint> {
        self.print_with(Girth::PERSON, doings, tick)
    }

    /// What somebody of a girth who does this covers at a tick.
    pub fn print_with(&self, girth: Girth, doings: &[(i32, Doing)], tick: i32) -> Option<Footprint> {
        let at = doings.partition_point(|(start, _)| *start <= tick).max(1) - 1;
        doings.get(at).map(|(_, doing)| self.prints.at(&self.bodies, girth, doing, tick))
    }

    /// What one of the people covers at a tick; the first place before they enter.
    pub fn print_of(&self, who: usize, tick: i32) -> Option<Footprint> {
        let person = &self.people[who];
        self.print_with(person.girth, &person.performed, tick)
    }

    /// Somebody does this, from the tick of the first until another: entered where others look for them.
    pub fn perform(&mut self, who: usize, doings: &[(i32, Doing)], until: i32) {
        let Some((from, _)) = doings.first() else { return };
        let girth = self.people[who].girth;
        for look in looks(*from, until) {
            let Some(print) = self.print_with(girth, doings, look) else { continue };
            for square in squares(&print) {
                self.squares.entry(square).or_default().enter(Mark { look, who: who as u32, print });
                self.people[who].is_entered(square);
            }
        }
        self.people[who].performed.extend_from_slice(doings);
    }

    /// What somebody of a girth covers who waits with these actions until a tick. Whoever keeps clear of that comes no nearer
    /// than those may who are near already, wherever in their sway they are.
    pub fn stays(&self, girth: Girth, doings: &[(i32, Doing)], until: i32) -> SmallVec<[Stay; 2]> {
        let mut stays: SmallVec<[Stay; 2]> = SmallVec::new();
        let mut sway = 0.0;
        for (at, (from, doing)) in doings.iter().enumerate() {
            let end = doings.get(at + 1).map_or(until, |(next, _)| *next);
            if end <= *from {
                continue;
            }
            let print = self.prints.at(&self.bodies, girth, doing, doing.start);
            let own = self.prints.sway(doing);
            let there = stays.last().map(|stay| stay.print.apart(&print) + own);
            if let Some((stay, there)) = stays.last_mut().zip(there.filter(|it| *it < STAYING.max(sway))) {
                sway = there.max(sway);
                stay.until = end;
                continue;
            }
            if let Some(stay) = stays.last_mut() {
                stay.print = stay.print.with_more_room((sway - SLACK).max(0.0));
            }
            stays.push(Stay { print, from: *from, until: end });
            sway = own;
        }
        if let Some(stay) = stays.last_mut() {
            stay.print = stay.print.with_more_room((sway - SLACK).max(0.0));
        }
        stays
    }

    /// Somebody waits with these actions until a tick.
    pub fn wait(&mut self, who: usize, doings: &[(i32, Doing)], until: i32) {
        for Stay { print, from, until } in self.stays(self.people[who].girth, doings, until) {
            self.occupy(who, print, from, until);
        }
        self.people[who].performed.extend_from_slice(doings);
    }

    /// Somebody stays as they are from a tick until another.
    pub fn stay(&mut self, who: usize, from: i32, until: i32) {
        if let Some(print) = self.print_of(who, from) {
            self.occupy(who, print, from, until);
        }
    }

    /// Somebody is taken out of the scene again; what they did.
    pub fn withdraw(&mut self, who: usize) -> Vec<(i32, Doing)> {
        let mut covered = std::mem::take(&mut self.people[who].squares);
        covered.sort_unstable();
        covered.dedup();
        for square in covered {
            if let Some(square) = self.squares.get_mut(&square) {
                square.leave(who);
            }
        }
        std::mem::take(&mut self.people[who].performed)
    }

    fn occupy(&mut self, who: usize, print: Footprint, from: i32, until: i32) {
        if from >= until {
            return;
        }
        for square in squares(&print) {
            let still = Still { who: who as u32, print, from, until };
            self.squares.entry(square).or_default().still.push(still);
            self.people[who].is_entered(square);
        }
    }

    /// Whether somebody who does this gets in nobody's way, from the tick of the first action until another.
    pub fn is_free(&self, doings: &[(i32, Doing)], until: i32, leave: &Leave<'_>) -> bool {
        let from = doings.first().map_or(until, |(from, _)| *from);
        looks(from, until).all(|look| {
            let print = self.print_with(leave.girth, doings, look);
            print.is_none_or(|print| self.is_free_at(&print, look, leave))
        })
    }

    /// Whether somebody gets in nobody's way who covers this until another tick.
    pub fn is_free_to_stay(&self, print: &Footprint, from: i32, until: i32, leave: &Leave<'_>) -> bool {
        let Some(first) = looks(from, until).next() else { return true };
        self.squares_of(print).all(|square| {
            let lasts = |it: &Still| it.from < until && first < it.until;
            !square.still.iter().any(|it| lasts(it) && leave.clashes(print, it.who, &it.print))
                && !square.marks_in(first, until).any(|mark| leave.clashes(print, mark.who, &mark.print))
        })
    }

    /// Whether somebody who covers this at a tick gets in nobody's way.
    fn is_free_at(&self, print: &Footprint, look: i32, leave: &Leave<'_>) -> bool {
        self.squares_of(print).all(|square| {
            !square.marks(look).any(|mark| leave.clashes(print, mark.who, &mark.print))
                && !square.stays(look).any(|it| leave.clashes(print, it.who, &it.print))
        })
    }

    /// The least distance of somebody of a girth who does this from all others who are near, until a tick (m); infinite if
    /// nobody is.
    pub fn room(&self, girth: Girth, doings: &[(i32, Doing)], until: i32) -> f32 {
        let from = doings.first().map_or(until, |(from, _)| *from);
        let mut least = f32::INFINITY;
        for look in looks(from, until) {
            let Some(print) = self.print_with(girth, doings, look) else { continue };
            for (_, distance) in self.near(&print, look) {
                least = least.min(distance);
            }
        }
        least
    }

    /// The squares that somebody covers, as far as anybody is there.
    fn squares_of(&self, print: &Footprint) -> impl Iterator<Item = &Square> {
        squares(print).filter_map(|square| self.squares.get(&square))
    }

    /// Those who are nearer to somebody than people who have nothing to do with each other, and how near.
    pub fn near(&self, print: &Footprint, tick: i32) -> Vec<(usize, f32)> {
        let look = looks(tick, tick + LOOK).next().unwrap_or(tick);
        let mut near: Vec<(usize, f32)> = Vec::new();
        let mut meet = |who: u32, other: &Footprint| {
            let distance = print.distance(other);
            if distance < print.clearance(other) + SLACK
                && !near.iter().any(|(known, _)| *known == who as usize)
            {
                near.push((who as usize, distance));
            }
        };
        for square in self.squares_of(print) {
            // Whoever moved just before counts as well: times between two looks are theirs.
            for look in [look - LOOK, look] {
                for mark in square.marks(look) {
                    meet(mark.who, &mark.print);
                }
            }
            for it in square.stays(look) {
                meet(it.who, &it.print);
            }
        }
        near
    }

    /// How many people are within a distance of a place at a tick: the density map of \[Shum2008\], section 4.1.
    pub fn density(&self, place: Ground, within: f32, tick: i32) -> usize {
        let look = looks(tick, tick + LOOK).next().unwrap_or(tick);
        let mut found: SmallVec<[u32; 16]> = SmallVec::new();
        let mut count = |who: u32, print: &Footprint| {
            if print.hips().distance(place) < within && !found.contains(&who) {
                found.push(who);
            }
        };
        let [low, high] = [-within, within].map(|by| Ground { x: place.x + by, z: place.z + by });
        for square in squares_between(low, high).filter_map(|square| self.squares.get(&square)) {
            square.marks(look).for_each(|mark| count(mark.who, &mark.print));
            square.stays(look).for_each(|it| count(it.who, &it.print));
        }
        found.len()
    }
}

/// The ticks of looks from a tick until another.
fn looks(from: i32, until: i32) -> impl Iterator<Item = i32> {
    let first = from.div_euclid(LOOK) * LOOK;
    let first = if first < from { first + LOOK } else { first };
    (first..until).step_by(LOOK as usize)
}

/// The span of time of a look.
fn span(look: i32) -> i32 {
    look.div_euclid(LOOK * LOOKS)
}

/// The squares that somebody covers, with the room that is left around them.
fn squares(print: &Footprint) -> impl Iterator<Item = SquareId> + use<> {
    let [low, high] = print.surroundings(0.5 * SLACK);
    squares_between(low, high)
}

/// The squares between two corners.
fn squares_between(low: Ground, high: Ground) -> impl Iterator<Item = SquareId> + use<> {
    let cell = |at: f32| (at / SQUARE).floor().clamp(-32000.0, 32000.0) as i16;
    let (x0, z0, x1, z1) = (cell(low.x), cell(low.z), cell(high.x), cell(high.z));
    let id = |x: i16, z: i16| SquareId(u32::from(x.cast_unsigned()) << 16 | u32::from(z.cast_unsigned()));
    (x0..=x1).flat_map(move |x| (z0..=z1).map(move |z| id(x, z)))
}
