//! Luggage that is handed on along a line of people, each of whom goes back to its place.
//!
//! The first lifts a piece from the floor, the last puts it down; in between everybody takes it from the one before, turns
//! round with it, hands it to the one after, and walks back. Patches of handing over are chosen by what the piece is; whoever
//! is early waits for a partner who is late.
//!
//! Reference: \[Shum2008\], section 5, "Luggage".
//! Differs from the paper: where a patch begins is not a standard pose. All that the giver could get to with its load and all
//! that the receiver could get to are worked out, and the patch is taken that fits a place of each best; what is still off is
//! shared by the seams of the receiver's way.

use std::collections::HashMap;

use randori_arena::bodies::{Doing, Rigid, TICKS_PER_SECOND};
use randori_motion::annotation::{Annotation, Load};
use randori_motion::library::NodeId;
use randori_motion::math::wrap_angle;
use randori_motion::{ActionId, Ground, Placement};

use super::choice::Command;
use super::crowd::Leave;
use super::footprint::Girth;
use super::locomotion::Standing;
use super::moves::Moves;
use super::reach::{AT_A_SEAM, Reach, Reached, Way, bend_of, bent, between};
use super::{Composer, Join, least_distance, prints, room};
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

/// All there is that one person carries.
const LOADS: [Load; 4] = [
    Load { is_heavy: false, is_large: false, is_shared: false },
    Load { is_heavy: false, is_large: true, is_shared: false },
    Load { is_heavy: true, is_large: false, is_shared: false },
    Load { is_heavy: true, is_large: true, is_shared: false },
];
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
/// What ways count that are bent as far as they may be at each seam (s).
const BENT: f32 = 1.5;
/// Handing over farther off or turned farther than this is not looked at (m, rad).
const FARTHEST: [f32; 2] = [0.9, 1.2];
/// How many ways to hand something over are worked out.
const TRIES: usize = 60;
/// Places that are looked up together (m, rad): less than what ways are bent by.
const CELL: [f32; 2] = [0.25, 0.4];
/// How often somebody waits for a partner, and how long at least (ticks).
const WAITS: usize = 24;
const PAUSE: i32 = 30;
/// How many of the ways back are tried, and how many ways to wait are compared.
const WAYS_BACK: usize = 60;
const CALM: usize = 8;

/// A line under way.
struct Line<'c, 'a, 'p> {
    composer: &'c mut Composer<'a>,
    carrying: Moves,
    chain: Chain<'p>,
    now: Vec<Standing>,
    /// Patches that hand a load over, by load and by the posture in which the giver begins.
    given: GivenBy,
    /// Where the receiver begins, on average, seen from where the giver is when the load is handed over.
    meets: HashMap<Load, Placement>,
}

/// A patch in which something is handed over.
#[derive(Clone, Copy)]
struct Given {
    patch: PatchId,
    /// Where the giver is then.
    hand: Placement,
}

/// A patch after one of the giver's ways.
#[derive(Clone, Copy)]
struct Candidate {
    patch: PatchId,
    /// The giver's way.
    way: usize,
    is_wanted: bool,
    cost: f32,
}

/// A candidate, with one of the receiver's ways.
#[derive(Clone, Copy)]
struct Meeting {
    candidate: Candidate,
    way: usize,
    /// How much too late the receiver is (ticks).
    late: i32,
    cost: f32,
}

/// Somebody hands something over: all that both do.
struct Handing {
    patch: PatchId,
    world: Rigid,
    begins: i32,
    own: Vec<(i32, Doing)>,
    theirs: Vec<(i32, Doing)>,
}

/// Where two people could get to, and who of them is who.
struct Reaches {
    who: [usize; 2],
    own: Reached,
    theirs: Reached,
}

/// Hands pieces on along a line; the way of each.
pub fn compose(composer: &mut Composer<'_>, chain: &Chain<'_>) -> Vec<Journey> {
    let bodies = composer.bodies_handle();
    let nodes = (0..bodies.library().n_nodes() as u32).map(NodeId);
    let Some(node) = nodes.max_by_key(|node| (composer.moves.calm(*node).len(), std::cmp::Reverse(node.0)))
    else {
        return Vec::new();
    };
    let (given, meets) = given(composer);
    let chain = Chain { n_people: chain.n_people.min(composer.crowd.people.len()), ..*chain };
    let now = (0..chain.n_people).map(|who| {
        let here = Rigid::of(home(&chain, who));
        Standing { node, here, tick: 0 }
    });
    let mut line =
        Line { carrying: Moves::of(&bodies, true), now: now.collect(), given, meets, chain, composer };
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

/// Patches that hand something over, by what it is and the giver's posture.
type GivenBy = HashMap<(Load, NodeId), Vec<Given>>;

/// Patches that hand something over, and where receivers begin.
fn given(composer: &Composer<'_>) -> (GivenBy, HashMap<Load, Placement>) {
    let bodies = composer.bodies();
    let is_given = |action: ActionId| bodies.library().action(action).annotation.stem() == "hand-over";
    let mut given = GivenBy::new();
    let mut sums: HashMap<Load, [f32; 5]> = HashMap::new();
    for id in composer.patches.ids() {
        let patch = composer.patches.patch(id);
        let [first, second] = &patch.lines;
        let goes_on = first.exit.is_some() && second.exit.is_some() && second.entry.is_some();
        let hand = first.stints.iter().find(|stint| is_given(stint.action)).filter(|_| goes_on);
        let load = hand.and_then(|hand| bodies.library().action(hand.action).annotation.holds()[0]);
        let (Some(hand), Some(load), Some(entry)) = (hand, load, first.entry) else { continue };
        let hand = patch.placement(bodies, Role::First, hand.start);
        given.entry((load, entry)).or_default().push(Given { patch: id, hand });
        let from = hand.relative(second.from);
        let (x, z) = (libm::sinf(from.heading), libm::cosf(from.heading));
        let sum = sums.entry(load).or_default();
        for (sum, part) in sum.iter_mut().zip([from.position.x, from.position.z, x, z, 1.0]) {
            *sum += part;
        }
    }
    let mean = |[x, z, sin, cos, n]: [f32; 5]| Placement {
        position: Ground { x: x / n, z: z / n },
        heading: libm::atan2f(sin, cos),
    };
    let mut meets = HashMap::new();
    for load in LOADS {
        if let Some(sum) = sums.get(&load) {
            meets.insert(load, mean(*sum));
        }
    }
    (given, meets)
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
        for _ in 0..WAITS {
            if self.composer.moves.calm(self.now[receiver].node).is_empty() {
                self.go_back(receiver);
            }
            let late = match self.handing([giver, receiver], load, goal) {
                Ok(handing) => return Some(self.take([giver, receiver], handing)),
                Err(late) => late,
            };
            self.settle(giver);
            let until = self.now[giver].tick + late.max(PAUSE);
            if until > self.composer.end || !self.wait(giver, until, true) {
                return None;
            }
        }
        None
    }

    /// The best way to hand a piece over; else how much too late the receiver would be for the best one (ticks).
    fn handing(&mut self, who: [usize; 2], load: Load, goal: Placement) -> Result<Handing, i32> {
        let Some(meets) = self.meets.get(&load) else { return Err(0) };
        let [now, theirs] = who.map(|who| self.now[who]);
        let carrying = Reach { crowd: &self.composer.crowd, moves: &self.carrying };
        let walking = Reach { crowd: &self.composer.crowd, moves: &self.composer.moves };
        let reaches =
            Reaches { who, own: carrying.about(now, goal), theirs: walking.about(theirs, goal.then(*meets)) };
        let candidates = self.candidates(&reaches, load, goal);
        let meetings = self.meetings(&reaches, &candidates);
        let mut late = 0;
        for meeting in meetings.iter().take(TRIES) {
            if meeting.late > 0 {
                // Waiting for the best is better than doing with another.
                late = meeting.late;
                break;
            }
            if let Some(handing) = self.plan(&reaches, meeting) {
                self.count_wish(&reaches, &meetings, meeting);
                return Ok(handing);
            }
        }
        Err(late)
    }

    /// Counts whether a command was followed, if there is one.
    fn count_wish(&mut self, reaches: &Reaches, meetings: &[Meeting], chosen: &Meeting) {
        if self.composer.command_at(self.now[reaches.who[0]].tick).is_none() {
            return;
        }
        let is_met = chosen.candidate.is_wanted;
        let mut wanted = meetings.iter().filter(|it| it.candidate.is_wanted && it.late <= 0);
        let is_possible = is_met || wanted.any(|it| self.plan(reaches, it).is_some());
        self.composer.wishes.count(is_possible, is_met);
    }

    /// Patches that hand a load over after one of the giver's ways: what the user asks for first, then what takes the least
    /// time, with what is off and what has yet to be turned counted as time.
    fn candidates(&self, reaches: &Reaches, load: Load, goal: Placement) -> Vec<Candidate> {
        let (patches, now) = (self.composer.patches, self.now[reaches.who[0]]);
        let library = self.composer.bodies().library();
        let command = self.composer.command_at(now.tick);
        let turned = |at: Placement| wrap_angle(at.heading - goal.heading).abs();
        let mut candidates: Vec<Candidate> = Vec::new();
        for (way, at) in reaches.own.standings().enumerate() {
            let seconds = (at.tick - now.tick) as f32 / TICKS_PER_SECOND;
            for given in self.given.get(&(load, at.node)).into_iter().flatten() {
                let patch = patches.patch(given.patch);
                let world = patch.placed_by_start(Role::First, at.here);
                let there = world.placed(given.hand);
                let off = [there.position.distance(goal.position), turned(there)];
                if off[0] > FARTHEST[0] || off[1] > FARTHEST[1] {
                    continue;
                }
                let [first, second] = &patch.lines;
                // The receiver has to turn round with it.
                let after = world.placed(second.to);
                let cost = seconds
                    + (second.end() - first.start()) as f32 / TICKS_PER_SECOND
                    + OFF * off[0]
                    + TURNED * off[1]
                    + TURNS * turned(after)
                    + USED * self.composer.usage.of(given.patch).min(1.0);
                let is_met = |command: &Command, role: Role| {
                    let ways = [patch.of(role).from, patch.of(role).to].map(|it| world.placed(it));
                    command.is_met(library, patch, role, ways)
                };
                let is_wanted =
                    command.is_some_and(|command| Role::BOTH.into_iter().any(|role| is_met(command, role)));
                candidates.push(Candidate { patch: given.patch, way, is_wanted, cost });
            }
        }
        candidates.sort_by(|a, b| b.is_wanted.cmp(&a.is_wanted).then(a.cost.total_cmp(&b.cost)));
        candidates
    }

    /// The receiver's ways that end about where candidates want them, the best first.
    fn meetings(&self, reaches: &Reaches, candidates: &[Candidate]) -> Vec<Meeting> {
        let theirs: Vec<(Standing, Placement, f32)> = (reaches.theirs.standings().enumerate())
            .map(|(at, it)| (*it, it.here.placement(), reaches.theirs.n_movements(at).max(1) as f32))
            .collect();
        let mut by_cell: HashMap<(NodeId, [i32; 3]), Vec<usize>> = HashMap::new();
        for (at, (standing, place, _)) in theirs.iter().enumerate() {
            by_cell.entry((standing.node, cell(*place))).or_default().push(at);
        }
        let own: Vec<Standing> = reaches.own.standings().copied().collect();
        let mut meetings: Vec<Meeting> = Vec::new();
        // The costs of the best ones so far of those who are wanted like the last candidate, the worst last.
        let mut best: Vec<f32> = Vec::new();
        let mut is_wanted = None;
        for candidate in candidates {
            if is_wanted.replace(candidate.is_wanted) != Some(candidate.is_wanted) {
                best.clear();
            }
            if best.get(TRIES - 1).is_some_and(|worst| candidate.cost >= *worst) {
                continue;
            }
            let patch = self.composer.patches.patch(candidate.patch);
            let lines = patch.of(Role::Second);
            let Some(node) = lines.entry else { continue };
            let from = own[candidate.way];
            let place = patch.placed_by_start(Role::First, from.here).placed(lines.from);
            let start = from.tick - patch.of(Role::First).start() + lines.start();
            for cell in around(cell(place)) {
                for way in by_cell.get(&(node, cell)).into_iter().flatten() {
                    let (standing, there, n) = theirs[*way];
                    let off = [
                        there.position.distance(place.position) / (n * AT_A_SEAM[0]),
                        wrap_angle(there.heading - place.heading).abs() / (n * AT_A_SEAM[1]),
                    ];
                    if off[0] > 1.0 || off[1] > 1.0 {
                        continue;
                    }
                    let late = standing.tick - start;
                    let cost = candidate.cost
                        + 0.5 * BENT * (off[0] + off[1])
                        + late.max(0) as f32 / TICKS_PER_SECOND;
                    let place = best.partition_point(|it| *it <= cost);
                    if place < TRIES {
                        best.insert(place, cost);
                        best.truncate(TRIES);
                        meetings.push(Meeting { candidate: *candidate, way: *way, late, cost });
                    }
                }
            }
        }
        let wanted = |it: &Meeting| it.candidate.is_wanted;
        meetings.sort_by(|a, b| wanted(b).cmp(&wanted(a)).then(a.cost.total_cmp(&b.cost)));
        meetings
    }

    /// What both do; `None` if a way would have to be bent too far, or somebody gets in another's way.
    fn plan(&self, reaches: &Reaches, meeting: &Meeting) -> Option<Handing> {
        let (bodies, crowd) = (self.composer.bodies(), &self.composer.crowd);
        let [giver, receiver] = reaches.who;
        let [now, theirs_now] = reaches.who.map(|who| self.now[who]);
        let id = meeting.candidate.patch;
        let patch = self.composer.patches.patch(id);
        let [first, second] = &patch.lines;
        let from = *reaches.own.standings().nth(meeting.candidate.way)?;
        let world = patch.placed_by_start(Role::First, from.here);
        let begins = from.tick - first.start();
        let start = begins + second.start();
        // The receiver waits, and goes so that it is there just in time.
        let to = *reaches.theirs.standings().nth(meeting.way)?;
        let leaves = start - (to.tick - theirs_now.tick);
        let later = leaves - theirs_now.tick;
        if later < 0 {
            return None;
        }
        let (waiting, _) = self.waiting(receiver, leaves, false);
        let here = match waiting.last() {
            Some((_, doing)) => doing.placement(bodies, leaves),
            None => theirs_now.here.placement(),
        };
        let way: Vec<(i32, Doing)> = (reaches.theirs.way(meeting.way).into_iter())
            .map(|(tick, doing)| (tick + later, Doing { start: doing.start + later, ..doing }))
            .collect();
        let ends = [here, world.placed(second.from)];
        let bend = bend_of(bodies, &way, to.here.placement(), ends);
        let n = way.len().max(1) as f32;
        if bend[0] > n * AT_A_SEAM[0] || bend[1] > n * AT_A_SEAM[1] {
            return None;
        }
        let mut going = bent(bodies, &way, to.here.placement(), ends);
        going.extend(second.doings(bodies, world, begins));
        let mut own = reaches.own.way(meeting.candidate.way);
        let part = first.doings(bodies, world, begins);
        let near = |doings: &[(i32, Doing)], tick: i32| {
            crowd.print(doings, tick).map_or_else(Vec::new, |print| crowd.near(&print, tick))
        };
        let (near_own, near_theirs) = (near(&own, now.tick), near(&going, leaves));
        let alone = Leave { near: &near_own, ..Leave::default() };
        let is_free = crowd.is_free(&own, from.tick, &alone)
            && crowd.is_free(&part, begins + first.end(), &Leave { partners: &[receiver], ..alone })
            && crowd.is_free(
                &going,
                begins + second.end(),
                &Leave { partners: &[giver], near: &near_theirs, ..alone },
            );
        own.extend(part);
        // What both are about to do is not in the scene yet.
        let both = from.tick.max(start);
        let (gives, takes) = ((Girth::PERSON, &own[..]), (Girth::PERSON, &going[..]));
        let there = prints(crowd, gives, takes, both)?;
        let apart = least_distance(crowd, gives, takes, now.tick.max(leaves), both) >= room(&there);
        let mut theirs = waiting;
        theirs.extend(going);
        (is_free && apart).then_some(Handing { patch: id, world, begins, own, theirs })
    }

    fn take(&mut self, [giver, receiver]: [usize; 2], handing: Handing) -> i32 {
        let Handing { patch: id, world, begins, own, theirs } = handing;
        let patch = self.composer.patches.patch(id);
        self.composer.crowd.perform(giver, &own, begins + patch.of(Role::First).end());
        self.composer.crowd.perform(receiver, &theirs, begins + patch.of(Role::Second).end());
        for (who, role) in [(giver, Role::First), (receiver, Role::Second)] {
            if let Some(after) = self.composer.after_part(patch, role, world, begins) {
                self.now[who] = after;
            }
        }
        self.composer.note(id, begins, world, [giver, receiver], Join::Recycled);
        self.go_back(giver);
        begins + patch.contacts.first().map_or(0, |contact| contact.tick)
    }

    /// Somebody with empty hands goes back to its place: the shortest way that gets in nobody's way, bent to end there.
    fn go_back(&mut self, who: usize) {
        let (goal, now) = (home(&self.chain, who), self.now[who]);
        let (moves, crowd) = (&self.composer.moves, &self.composer.crowd);
        let reached = Reach { crowd, moves }.about(now, goal);
        let mut ends: Vec<(f32, usize, Standing)> = (reached.standings().enumerate())
            .filter(|(_, at)| !moves.calm(at.node).is_empty())
            .map(|(way, at)| {
                let place = at.here.placement();
                let seconds = (at.tick - now.tick) as f32 / TICKS_PER_SECOND;
                let turned = wrap_angle(place.heading - goal.heading).abs();
                (seconds + 2.0 * (OFF * at.from(goal.position) + TURNED * turned), way, *at)
            })
            .collect();
        ends.sort_by(|a, b| a.0.total_cmp(&b.0));
        let bodies = self.composer.bodies();
        let back = |(_, way, at): &(f32, usize, Standing)| {
            let way = reached.way(*way);
            let (start, end) = (now.here.placement(), at.here.placement());
            let off = bend_of(bodies, &way, end, [start, goal]);
            let most = |k: usize| way.len() as f32 * AT_A_SEAM[k] / off[k].max(1e-6);
            let end_there = between(end, goal, most(0).min(most(1)).min(1.0));
            let doings = bent(bodies, &way, end, [start, end_there]);
            (doings, Standing { here: Rigid::of(end_there), ..*at })
        };
        let is_free = |(doings, at): &(Vec<(i32, Doing)>, Standing)| {
            let near = crowd.print(doings, now.tick).map_or_else(Vec::new, |it| crowd.near(&it, now.tick));
            crowd.is_free(doings, at.tick, &Leave { near: &near, ..Leave::default() })
        };
        let free = ends.iter().take(WAYS_BACK).map(back).find(is_free);
        if let Some((doings, at)) = free.or_else(|| ends.first().map(back)) {
            self.composer.crowd.perform(who, &doings, at.tick);
            self.now[who] = at;
        }
    }

    /// Somebody with a load comes to stand where they can wait with it, if they cannot wait as they are.
    fn settle(&mut self, who: usize) {
        let rests = |node: NodeId| !self.carrying.calm(node).is_empty();
        let now = self.now[who];
        if rests(now.node) {
            return;
        }
        let reach = Reach { crowd: &self.composer.crowd, moves: &self.carrying };
        if let Some(way) = reach.ahead(now, now.here.placement(), &rests) {
            self.composer.crowd.perform(who, &way.doings, way.end.tick);
            self.now[who] = way.end;
        }
    }

    /// Somebody waits until a tick, with a load or without; whether there is anything to wait with. What is under way at the
    /// tick is cut short by whatever follows.
    fn wait(&mut self, who: usize, until: i32, carries: bool) -> bool {
        let (doings, after) = self.waiting(who, until, carries);
        self.composer.crowd.perform(who, &doings, after.tick.min(until));
        self.now[who] = after;
        !doings.is_empty()
    }

    /// What somebody waits with until a tick, as near to where they are as possible, and how they stand afterwards. Nobody
    /// draws nearer to their place while they wait: feet that stand stay, and hips that move on without them jump back when
    /// the next step frees them.
    fn waiting(&self, who: usize, until: i32, carries: bool) -> (Vec<(i32, Doing)>, Standing) {
        let bodies = self.composer.bodies();
        let moves = if carries { &self.carrying } else { &self.composer.moves };
        let mut at = self.now[who];
        let place = at.here.placement();
        let mut doings = Vec::new();
        let mut turn = who + at.tick.unsigned_abs() as usize;
        while at.tick < until {
            let calm = moves.calm(at.node);
            let begun = (0..CALM.min(calm.len())).map(|k| {
                let doing = Doing::begin(bodies, calm[(turn + k) % calm.len()], at.tick, 0, at.here);
                let after = Standing::after(&self.composer.crowd, &doing);
                let turned = wrap_angle(after.here.placement().heading - place.heading).abs();
                (after.from(place.position) + 0.5 * turned, doing, after)
            });
            let Some((_, doing, after)) = begun.min_by(|a, b| a.0.total_cmp(&b.0)) else { break };
            doings.push((at.tick, doing));
            at = after;
            turn += CALM;
        }
        (doings, at)
    }
}

fn cell(place: Placement) -> [i32; 3] {
    let [apart, turned] = CELL;
    let heading = wrap_angle(place.heading);
    [place.position.x / apart, place.position.z / apart, heading / turned].map(|it| it.floor() as i32)
}

/// A cell and all beside it; headings come round.
fn around([x, z, turn]: [i32; 3]) -> impl Iterator<Item = [i32; 3]> {
    let n = (std::f32::consts::PI / CELL[1]).floor() as i32;
    (-1..=1).flat_map(move |dx| {
        (-1..=1).flat_map(move |dz| {
            (-1..=1).map(move |dt| {
                let turn = turn + dt;
                let turn = if turn > n {
                    -n - 1
                } else if turn < -n - 1 {
                    n
                } else {
                    turn
                };
                [x + dx, z + dz, turn]
            })
        })
    })
}
