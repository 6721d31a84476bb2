//! Luggage that is handed on along a line of people, each of whom goes back to its place.
//!
//! The first lifts a piece from the floor, the last puts it down; in between everybody takes it from the one before, turns
//! round with it, hands it to the one after, and walks back. Patches of handing over are chosen by what the piece is; whoever
//! is early waits for a partner who is late.
//!
//! Reference: \[Shum2008\], section 5, "Luggage".
//! Differs from the paper: where a patch begins is not a standard pose, but worked out from where both stand, and the way
//! there is bent until it ends there.

use randori_arena::bodies::{Doing, Rigid, TICKS_PER_SECOND};
use randori_motion::annotation::{Annotation, Load};
use randori_motion::library::NodeId;
use randori_motion::math::wrap_angle;
use randori_motion::{ActionId, Ground, Placement};

use super::locomotion::Standing;
use super::moves::Moves;
use super::reach::{Reach, Way, bent};
use super::{Composer, Join};
use crate::patch::Role;
use crate::set::PatchId;

/// People in a line, and what they hand on.
#[derive(Clone, Copy, Debug)]
pub struct Chain<'a> {
    /// Where the first has its place; the line goes the way it is turned.
    pub start: Placement,
    /// From one place to the next (m).
    pub spacing: f32,
    /// How many people there are; they are the first ones of the scene.
    pub n_people: usize,
    /// What is handed on, one after the other.
    pub pieces: &'a [Load],
}

/// The way of one piece.
#[derive(Clone, Debug, PartialEq)]
pub struct Journey {
    /// What it is.
    pub load: Load,
    /// In whose hands it is, one after the other.
    pub holds: Vec<Hold>,
    /// Whether it was put down at the end of the line before the scene ends.
    pub has_arrived: bool,
}

/// Somebody who holds a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hold {
    /// Who.
    pub who: usize,
    /// The tick at which the hands close.
    pub from: i32,
    /// The tick at which they open.
    pub until: i32,
}

/// How far giver and receiver stand from where they meet (m).
const FROM_THE_MIDDLE: f32 = 0.5;
/// How far beyond the ends of the line pieces lie, and from one to the next (m).
const BEYOND: f32 = 0.9;
const ABREAST: f32 = 0.9;
/// What a metre and a radian off count (s), a radian that the receiver has yet to turn, and a patch that was just used.
const OFF: f32 = 4.0;
const TURNED: f32 = 1.5;
const TURNS: f32 = 1.1;
const USED: f32 = 0.7;
/// How many ways to hand something over are looked at closer.
const TRIES: usize = 60;
/// How far off a way may begin that is bent (m, rad).
const BENT: [f32; 2] = [0.45, 0.7];
/// How often somebody waits for a partner.
const WAITS: usize = 12;

/// A line under way.
struct Line<'c, 'a, 'p> {
    composer: &'c mut Composer<'a>,
    carrying: Moves,
    chain: Chain<'p>,
    now: Vec<Standing>,
    /// Of each patch what is handed over, and where the giver is then; `None` if nothing is.
    given: Vec<Option<(Load, Placement)>>,
}

/// A way to hand something over.
struct Candidate {
    patch: PatchId,
    way: Way,
}

/// Hands pieces on along a line; the way of each.
pub fn compose(composer: &mut Composer<'_>, chain: &Chain<'_>) -> Vec<Journey> {
    let bodies = composer.bodies_handle();
    let nodes = (0..bodies.library().n_nodes() as u32).map(NodeId);
    let Some(node) = nodes.max_by_key(|node| (composer.moves.calm(*node).len(), std::cmp::Reverse(node.0)))
    else {
        return Vec::new();
    };
    let given = composer.patches.ids().map(|id| given(composer, id)).collect();
    let chain = Chain { n_people: chain.n_people.min(composer.crowd.people.len()), ..*chain };
    let now = (0..chain.n_people).map(|who| {
        let here = Rigid::of(home(&chain, who));
        Standing { node, here, tick: 0 }
    });
    let mut line = Line { carrying: Moves::of(&bodies, true), now: now.collect(), given, chain, composer };
    let mut journeys: Vec<Journey> = Vec::new();
    for piece in 0..chain.pieces.len() {
        let journey = line.journey(piece);
        let is_over = journey.holds.last().is_some_and(|hold| hold.until < line.composer.end);
        journeys.push(journey);
        // Whoever could not hand a piece on has no hands for another.
        if !is_over {
            break;
        }
    }
    for who in 0..chain.n_people {
        line.wait(who, line.composer.end, false);
    }
    journeys
}

/// Where somebody has its place, turned to where luggage comes from.
fn home(chain: &Chain<'_>, who: usize) -> Placement {
    let ahead = Placement {
        position: Ground { x: 0.0, z: chain.spacing * who as f32 },
        heading: std::f32::consts::PI,
    };
    chain.start.then(ahead)
}

fn given(composer: &Composer<'_>, id: PatchId) -> Option<(Load, Placement)> {
    let (bodies, patch) = (composer.bodies(), composer.patches.patch(id));
    let first = patch.of(Role::First);
    let is_given = |action: ActionId| bodies.library().action(action).annotation.stem() == "hand-over";
    let hand = first.stints.iter().find(|stint| is_given(stint.action))?;
    let load = bodies.library().action(hand.action).annotation.holds()[0]?;
    let can_go_on = patch.lines.iter().all(|lines| lines.entry.is_some() && lines.exit.is_some());
    can_go_on.then(|| (load, patch.placement(bodies, Role::First, hand.start)))
}

impl Line<'_, '_, '_> {
    /// Hands one piece on from the first to the last.
    fn journey(&mut self, piece: usize) -> Journey {
        let load = self.chain.pieces[piece];
        let mut journey = Journey { load, holds: Vec::new(), has_arrived: false };
        let last = self.chain.n_people - 1;
        let Some(closed) = self.lift(piece) else { return journey };
        let mut from = closed;
        for giver in 0..last {
            let Some(handed) = self.hand_on(giver, load) else { break };
            journey.holds.push(Hold { who: giver, from, until: handed });
            from = handed;
        }
        if journey.holds.len() == last
            && let Some(opened) = self.put_down(piece)
        {
            journey.holds.push(Hold { who: last, from, until: opened });
            journey.has_arrived = opened < self.composer.end;
        } else {
            // Whoever has it keeps it.
            journey.holds.push(Hold { who: journey.holds.len(), from, until: self.composer.end });
        }
        journey
    }

    /// The first lifts a piece; the tick at which the hands close.
    fn lift(&mut self, piece: usize) -> Option<i32> {
        let spot = Placement {
            position: Ground { x: self.abreast(piece), z: -BEYOND },
            heading: std::f32::consts::PI,
        };
        let goal = self.chain.start.then(spot);
        let lifts = self.named(Annotation::of("lift").with(self.chain.pieces[piece]));
        let reach = Reach { crowd: &self.composer.crowd, moves: &self.composer.moves };
        let starts = self.starts(&lifts);
        let way = reach.ahead(self.now[0], goal, &|node| starts.contains(&node))?;
        self.act(0, way, &lifts)
    }

    /// The last puts a piece down and goes back; the tick at which the hands open.
    fn put_down(&mut self, piece: usize) -> Option<i32> {
        let last = self.chain.n_people - 1;
        let far = self.chain.spacing * last as f32 + BEYOND;
        let spot = Placement { position: Ground { x: self.abreast(piece), z: far }, heading: 0.0 };
        let goal = self.chain.start.then(spot);
        let ends = self.named(Annotation::of("put-down").with(self.chain.pieces[piece]));
        let reach = Reach { crowd: &self.composer.crowd, moves: &self.carrying };
        let starts = self.starts(&ends);
        let way = reach.ahead(self.now[last], goal, &|node| starts.contains(&node))?;
        let opened = self.act(last, way, &ends)?;
        self.go_back(last);
        Some(opened)
    }

    /// Where a piece lies beside the others (m).
    fn abreast(&self, piece: usize) -> f32 {
        ABREAST * (piece as f32 - 0.5 * (self.chain.pieces.len() as f32 - 1.0))
    }

    fn named(&self, word: Annotation) -> Vec<ActionId> {
        let library = self.composer.bodies().library();
        library.ids().filter(|id| library.action(*id).annotation == word).collect()
    }

    fn starts(&self, actions: &[ActionId]) -> Vec<NodeId> {
        let library = self.composer.bodies().library();
        actions.iter().map(|id| library.action(*id).from).collect()
    }

    /// Goes a way and does one of these actions at its end; the tick of its peak.
    fn act(&mut self, who: usize, way: Way, actions: &[ActionId]) -> Option<i32> {
        let bodies = self.composer.bodies_handle();
        let id = *actions.iter().find(|id| bodies.library().action(**id).from == way.end.node)?;
        let doing = Doing::begin(&bodies, id, way.end.tick, 0, way.end.here);
        let mut doings = way.doings;
        doings.push((way.end.tick, doing));
        let after = Standing::after(&self.composer.crowd, &doing);
        self.composer.crowd.perform(who, &doings, after.tick);
        self.now[who] = after;
        let its = bodies.of_action(id);
        Some(doing.start + (its.peak - its.first) as i32)
    }

    /// Somebody hands a piece to the next one, and goes back; the tick at which it changes hands.
    fn hand_on(&mut self, giver: usize, load: Load) -> Option<i32> {
        let receiver = giver + 1;
        let middle = self.chain.spacing * (giver as f32 + 0.5) - FROM_THE_MIDDLE;
        let place = Placement { position: Ground { x: 0.0, z: middle }, heading: 0.0 };
        let goal = self.chain.start.then(place);
        for attempt in 0..WAITS {
            // The longer nothing is found, the more a way may be bent.
            let slack = 1.0 + 0.25 * attempt as f32;
            let (found, late) = self.best(giver, receiver, load, goal, slack);
            if let Some((candidate, approach)) = found {
                return Some(self.take(giver, receiver, candidate, approach));
            }
            if late.is_none() {
                self.go_back(receiver);
            }
            let until = self.now[giver].tick + late.unwrap_or(0).max(30);
            if until > self.composer.end || !self.wait(giver, until, true) {
                return None;
            }
        }
        None
    }

    /// The best way to hand a piece over for which the receiver is there in time, with the receiver's way; else how much too
    /// late the receiver would be (ticks).
    fn best(
        &self,
        giver: usize,
        receiver: usize,
        load: Load,
        goal: Placement,
        slack: f32,
    ) -> (Option<(Candidate, Way)>, Option<i32>) {
        let (patches, now) = (self.composer.patches, self.now[giver]);
        let carrying = Reach { crowd: &self.composer.crowd, moves: &self.carrying };
        let mut ways = carrying.about(now, goal);
        let mut candidates: Vec<(f32, PatchId, usize)> = Vec::new();
        for (at, way) in ways.iter().enumerate() {
            let seconds = (way.end.tick - now.tick) as f32 / TICKS_PER_SECOND;
            for (id, role) in patches.openings(way.end.node) {
                let Some((of, hand)) = self.given[id.idx()].filter(|_| *role == Role::First) else {
                    continue;
                };
                if of != load {
                    continue;
                }
                let patch = patches.patch(*id);
                let world = patch.placed_by_start(Role::First, way.end.here);
                let there = world.placed(hand);
                // The receiver has to turn round with it.
                let (after, taken) = (world.placed(patch.of(Role::Second).to), patch.of(Role::Second).end());
                let turned = |at: Placement| wrap_angle(at.heading - goal.heading).abs();
                let cost = seconds
                    + (taken - patch.of(Role::First).start()) as f32 / TICKS_PER_SECOND
                    + OFF * there.position.distance(goal.position)
                    + TURNED * turned(there)
                    + TURNS * turned(after)
                    + USED * self.composer.usage.of(*id).min(1.0);
                candidates.push((cost, *id, at));
            }
        }
        candidates.sort_by(|a, b| a.0.total_cmp(&b.0));
        let walking = Reach { crowd: &self.composer.crowd, moves: &self.composer.moves };
        let rests = |node: NodeId| !self.composer.moves.calm(node).is_empty();
        let their_place = self.now[receiver].here.placement();
        let mut late: Option<i32> = None;
        for (_, id, at) in candidates.into_iter().take(TRIES) {
            let patch = patches.patch(id);
            let world = patch.placed_by_start(Role::First, ways[at].end.here);
            let begins = ways[at].end.tick - patch.of(Role::First).start();
            let lines = patch.of(Role::Second);
            let Some(node) = lines.entry else { continue };
            let tick = begins + lines.start();
            let to = Standing { node, here: world.then(Rigid::of(lines.from)), tick };
            let Some(approach) = walking.back(to, their_place, &rests) else { continue };
            if approach.off[0] > slack * BENT[0] || approach.off[1] > slack * BENT[1] {
                continue;
            }
            let by = self.now[receiver].tick - approach.end.tick;
            if by <= 0 {
                return (Some((Candidate { patch: id, way: ways.swap_remove(at) }, approach)), None);
            }
            late = Some(late.map_or(by, |least| least.min(by)));
        }
        (None, late)
    }

    fn take(&mut self, giver: usize, receiver: usize, candidate: Candidate, approach: Way) -> i32 {
        let bodies = self.composer.bodies_handle();
        let patch = self.composer.patches.patch(candidate.patch);
        let world = patch.placed_by_start(Role::First, candidate.way.end.here);
        let begins = candidate.way.end.tick - patch.of(Role::First).start();
        let mut own = candidate.way.doings;
        own.extend(patch.of(Role::First).doings(&bodies, world, begins));
        self.composer.crowd.perform(giver, &own, begins + patch.of(Role::First).end());
        self.wait(receiver, approach.end.tick, false);
        let here = self.place(receiver, approach.end.tick);
        let mut theirs = bent(&bodies, &approach.doings, here);
        theirs.extend(patch.of(Role::Second).doings(&bodies, world, begins));
        self.composer.crowd.perform(receiver, &theirs, begins + patch.of(Role::Second).end());
        for (who, role) in [(giver, Role::First), (receiver, Role::Second)] {
            if let Some(after) = self.composer.after_part(patch, role, world, begins) {
                self.now[who] = after;
            }
        }
        self.composer.note(candidate.patch, begins, world, [giver, receiver], Join::Recycled);
        self.go_back(giver);
        begins + patch.contacts.first().map_or(0, |contact| contact.tick)
    }

    /// Where somebody is at a tick.
    fn place(&self, who: usize, tick: i32) -> Placement {
        let performed = &self.composer.crowd.people[who].performed;
        let last = performed.iter().rev().find(|(start, _)| *start <= tick);
        last.map_or(self.now[who].here.placement(), |(_, doing)| {
            doing.placement(self.composer.bodies(), tick)
        })
    }

    /// Somebody with empty hands goes back to its place.
    fn go_back(&mut self, who: usize) {
        let goal = home(&self.chain, who);
        let reach = Reach { crowd: &self.composer.crowd, moves: &self.composer.moves };
        let rests = |node: NodeId| !self.composer.moves.calm(node).is_empty();
        if let Some(way) = reach.ahead(self.now[who], goal, &rests) {
            self.composer.crowd.perform(who, &way.doings, way.end.tick);
            self.now[who] = way.end;
        }
    }

    /// Somebody waits until a tick, with a load or without; whether there is anything to wait with. What is under way at the
    /// tick is cut short by whatever follows.
    fn wait(&mut self, who: usize, until: i32, carries: bool) -> bool {
        let bodies = self.composer.bodies_handle();
        let moves = if carries { &self.carrying } else { &self.composer.moves };
        let mut at = self.now[who];
        let mut doings = Vec::new();
        let mut turn = who + at.tick.unsigned_abs() as usize;
        while at.tick < until {
            let calm = moves.calm(at.node);
            let Some(id) = calm.get(turn % calm.len().max(1)) else { break };
            let doing = Doing::begin(&bodies, *id, at.tick, 0, at.here);
            doings.push((at.tick, doing));
            at = Standing::after(&self.composer.crowd, &doing);
            turn += 1;
        }
        self.composer.crowd.perform(who, &doings, at.tick.min(until));
        self.now[who] = at;
        !doings.is_empty()
    }
}
