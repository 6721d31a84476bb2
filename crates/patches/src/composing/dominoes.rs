//! People who fall over each other until an area of the floor is full.
//!
//! Everybody stands where they are going to be struck from the start. Whoever falls next may fell others: patches that
//! begin with that fall are joined to it in space, the ones that fill most of what is left first. When the wave has passed,
//! what is left is filled by whoever fell near it.
//!
//! Reference: \[Shum2008\], section 5, "Crowd falling".
//! Differs from the paper: how much of the area a patch fills is part of its score, so that no square is left.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use randori_arena::bodies::{Bodies, Doing, Rigid};
use randori_motion::library::NodeId;
use randori_motion::{ActionId, Ground, Placement};

use super::choice::CHANCE;
use super::crowd::{Leave, Person};
use super::floor::{Cover, Floor, Shadow, spread};
use super::footprint::Girth;
use super::locomotion::Standing;
use super::{Composer, Join, Use};
use crate::patch::{Patch, Role};
use crate::set::PatchId;

/// An area to fill, and where it begins.
#[derive(Clone, Copy, Debug)]
pub struct Dominoes<'a> {
    /// The area.
    pub floor: &'a Floor,
    /// Where those stand who fall first, by themselves.
    pub starts: &'a [Placement],
    /// Of what is drawn at random.
    pub seed: u64,
}

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Filled {
    /// How many people lie.
    pub people: usize,
    /// The area (m²).
    pub area: f32,
    /// The area that is farther than half a metre from everybody who lies (m²).
    pub left: f32,
    /// How far anybody lies outside of it (m).
    pub outside: f32,
}

/// How near to a body the floor counts as covered, a little less than what is asked for because bodies are refined (m).
const NEAR: f32 = 0.48;
/// Half a metre is what is asked for (m).
const ASKED: f32 = 0.5;
/// How far anybody lies outside (m): less than the length of a body.
const OUTSIDE: f32 = 1.2;
/// What a square metre that is filled counts in S.
const FILLS: f32 = 1500.0;
/// What a metre outside of the area costs of S.
const STRAYS: f32 = 300.0;
/// In the wave nobody is felled who fills less than this (m²).
const LEAST: f32 = 0.3;
/// How many one who falls can fell.
const FELLED: usize = 3;
/// Ways to go on that are tried at a time, and whose surroundings are counted; what is tried for what the wave has left.
const TRIES: usize = 40;
const MORE_TRIES: usize = 400;
/// How far around a newcomer people are counted (m).
const CROWDED: f32 = 1.5;
/// Whoever falls farther away than this fells nobody who lies here (m).
const REACH: f32 = 4.0;
/// When those fall who fall by themselves, and how much later each next one does (ticks).
const FIRST: i32 = 45;
const LATER: i32 = 20;

/// What is left is made anew together with what is around it until that did not help so often, and how far around (m).
const MENDS: usize = 400;
const AROUND: [f32; 4] = [1.0, 1.5, 2.0, 2.6];
/// Nobody is taken away with whom more people than this would have to go; it takes turns with [`AROUND`].
const MOST_GONE: [usize; 4] = [14, 14, 14, 40];
/// Chance decides between scores that are as near to each other as this, when something is made anew.
const ANEW: f32 = 500.0;
/// As many people as this lie on a square metre at least, where there is room for them; and how far from everybody there is
/// room for one more (m).
const DENSE: f32 = 0.68;
const ROOMY: f32 = 0.36;
/// How far anybody lies outside of the area who fills what the wave has left (m).
const FAR_OUTSIDE: f32 = 1.5;

/// Somebody who falls.
#[derive(Clone, Copy, Debug)]
struct Faller {
    who: usize,
    /// Who felled them, and in which patch.
    by: Option<(usize, PatchId)>,
    /// The same one by its place among those who fall.
    parent: Option<usize>,
    /// Whether this was as asked, and could have been; `None` if nothing was asked.
    wish: Option<[bool; 2]>,
    /// The patch in which they were felled.
    used: Option<Use>,
    /// Whether they were taken away again.
    is_gone: bool,
    fall: (ActionId, u16),
    /// When and where the fall begins.
    tick: i32,
    here: Rigid,
    felled: usize,
}

/// Somebody who could be felled.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    by: usize,
    patch: PatchId,
    world: Rigid,
    begins: i32,
    is_wanted: bool,
    score: f32,
}

/// How the one who is felled in a patch lies in the end, in the frame of the patch; nowhere if nobody who stands is felled.
#[derive(Default)]
struct Lying {
    shadows: Vec<Shadow>,
    /// The middle of that, and how far it reaches from there (m).
    middle: Ground,
    radius: f32,
    /// Places that it covers, as far from each other as squares of the floor are.
    places: Vec<Ground>,
}

/// Where somebody is to be felled.
#[derive(Clone, Copy)]
enum Where {
    /// Anywhere.
    Anywhere,
    /// Within a distance of a place (m).
    About(Ground, f32),
    /// So that this place is covered.
    Over(Ground),
}

/// Somebody who was taken away, and all that is needed to put them back.
struct Gone {
    at: usize,
    performed: Vec<(i32, Doing)>,
}

/// An area under way.
struct Filling<'c, 'a, 'f> {
    composer: &'c mut Composer<'a>,
    cover: Cover<'f>,
    floor: &'f Floor,
    rng: ChaCha8Rng,
    fallers: Vec<Faller>,
    /// Whom each of them felled and who was not taken away again.
    children: Vec<Vec<usize>>,
    /// Those who were not taken away again by where they fall, in squares as wide as [`REACH`].
    places: HashMap<(i32, i32), Vec<usize>>,
    /// Patches by the fall they begin with.
    by_fall: BTreeMap<(ActionId, u16), Vec<PatchId>>,
    /// How the one who is felled lies in the end, patch by patch.
    lying: Vec<Lying>,
    next: usize,
    /// Those who were taken away, and whose places among the people are free.
    free: Vec<usize>,
    /// How many people are enough.
    enough: usize,
    /// See [`CHANCE`] and [`ANEW`], [`OUTSIDE`] and [`FAR_OUTSIDE`].
    chance: f32,
    farthest: f32,
}

/// Fills an area with people who fall over each other.
pub fn compose(composer: &mut Composer<'_>, dominoes: &Dominoes<'_>) -> Filled {
    let bodies = composer.bodies_handle();
    let mut by_fall: BTreeMap<(ActionId, u16), Vec<PatchId>> = BTreeMap::new();
    let mut lying = Vec::with_capacity(composer.patches.len());
    for id in composer.patches.ids() {
        let patch = composer.patches.patch(id);
        let usable = is_domino(composer, patch);
        if let Some(stint) = patch.of(Role::Second).stints.first().filter(|_| usable) {
            by_fall.entry((stint.action, stint.skipped)).or_default().push(id);
        }
        lying.push(if usable { lies(&bodies, patch, dominoes.floor.side()) } else { Lying::default() });
    }
    let mut filling = Filling {
        cover: Cover::new(dominoes.floor, NEAR),
        floor: dominoes.floor,
        rng: ChaCha8Rng::seed_from_u64(dominoes.seed),
        fallers: Vec::new(),
        children: Vec::new(),
        places: HashMap::new(),
        by_fall,
        lying,
        next: dominoes.starts.len(),
        free: Vec::new(),
        enough: usize::MAX,
        chance: CHANCE,
        farthest: OUTSIDE,
        composer,
    };
    for (who, start) in dominoes.starts.iter().enumerate() {
        filling.begin(who, *start, FIRST + LATER * who as i32);
    }
    filling.wave(0, Where::Anywhere);
    filling.farthest = FAR_OUTSIDE;
    filling.fill_in(None);
    filling.mend();
    filling.crowd_in();
    filling.close_ranks();
    filling.told()
}

/// Whether somebody who stands still is felled in a patch by somebody who falls.
fn is_domino(composer: &Composer<'_>, patch: &Patch) -> bool {
    let [first, second] = &patch.lines;
    let can_wait = first.entry.is_some_and(|node| !composer.moves.calm(node).is_empty());
    first.falls && second.falls && second.stints.len() == 1 && can_wait
}

/// How the first one of a patch lies in the end.
fn lies(bodies: &Bodies, patch: &Patch, apart: f32) -> Lying {
    let lines = patch.of(Role::First);
    let doings = lines.doings(bodies, Rigid::of(Placement::default()), 0);
    let shadows = doings.last().map_or_else(Vec::new, |(_, doing)| shadows(bodies, doing, lines.end()));
    let n = (2 * shadows.len()).max(1) as f32;
    let ends = || shadows.iter().flat_map(|shadow| shadow.ends);
    let middle =
        Ground { x: ends().map(|it| it.x).sum::<f32>() / n, z: ends().map(|it| it.z).sum::<f32>() / n };
    let far = |shadow: &Shadow| {
        let [a, b] = shadow.ends.map(|end| end.distance(middle));
        a.max(b) + shadow.radius
    };
    let radius = shadows.iter().map(far).fold(0.0, f32::max);
    Lying { places: spread(&shadows, NEAR, apart), shadows, middle, radius }
}

/// What somebody covers of the floor at a tick.
pub fn shadows(bodies: &Bodies, doing: &Doing, tick: i32) -> Vec<Shadow> {
    let take = bodies.of_action(doing.action).take;
    let parts = bodies.frame(take, doing.frame(bodies, tick)).iter().zip(bodies.radii());
    let place = |end: glam::Vec3| doing.world_from_take.ground(Ground::below(end));
    parts.map(|(ends, radius)| Shadow { ends: ends.map(place), radius: *radius }).collect()
}

impl Lying {
    /// Whether a place is covered, in the frame of the patch.
    fn covers(&self, place: Ground) -> bool {
        self.shadows.iter().any(|shadow| shadow.from(place) < NEAR)
    }

    /// What is covered where the patch is placed.
    fn at(&self, world: &Rigid) -> Vec<Shadow> {
        self.shadows.iter().map(|it| moved(it, world)).collect()
    }
}

impl Filling<'_, '_, '_> {
    /// Somebody falls by themselves.
    fn begin(&mut self, who: usize, start: Placement, tick: i32) {
        let Some((calm, fall)) = self.first_fall() else { return };
        let bodies = self.composer.bodies_handle();
        let here = Rigid::of(start);
        let node = bodies.library().action(calm).from;
        let waiting = waits(self.composer, Standing { node, here, tick }, who);
        let doing = Doing::begin(&bodies, fall.0, tick, u32::from(fall.1), here);
        let end = doing.end(&bodies);
        self.composer.crowd.wait(who, &waiting, tick);
        self.composer.crowd.perform(who, &[(tick, doing)], end);
        self.composer.crowd.stay(who, end, self.composer.end);
        self.cover.cover(&shadows(&bodies, &doing, end));
        let faller = Faller {
            who,
            by: None,
            parent: None,
            wish: None,
            used: None,
            is_gone: false,
            fall,
            tick,
            here,
            felled: 0,
        };
        self.enter(faller);
    }

    /// What somebody waits with who falls by themselves, and the fall that fits it best, of those that fell others.
    fn first_fall(&self) -> Option<(ActionId, (ActionId, u16))> {
        let bodies = self.composer.bodies();
        let nodes = (0..bodies.library().n_nodes() as u32).map(NodeId);
        let calm: Vec<ActionId> =
            nodes.filter_map(|node| self.composer.moves.calm(node).first().copied()).collect();
        let seen = |take: u32, frame: u32| {
            let from_take = bodies.stance(take, frame).root.inverse();
            bodies.frame(take, frame).iter().map(move |ends| from_take.point(0.5 * (ends[0] + ends[1])))
        };
        let mut best: Option<(f32, ActionId, (ActionId, u16))> = None;
        for id in calm {
            let its = bodies.of_action(id);
            for fall in self.by_fall.keys() {
                let theirs = bodies.of_action(fall.0);
                let frame = theirs.first + u32::from(fall.1);
                let pairs = seen(its.take, its.first).zip(seen(theirs.take, frame));
                let off: f32 = pairs.map(|(a, b)| a.distance_squared(b)).sum();
                if best.is_none_or(|(least, ..)| off < least) {
                    best = Some((off, id, *fall));
                }
            }
        }
        best.map(|(_, calm, fall)| (calm, fall))
    }

    fn enter(&mut self, faller: Faller) {
        let at = self.fallers.len();
        self.places.entry(cell(faller.here.shift())).or_default().push(at);
        if let Some(parent) = faller.parent {
            self.children[parent].push(at);
        }
        self.fallers.push(faller);
        self.children.push(Vec::new());
    }

    /// Everybody from a faller on fells others, and those others, in order of time.
    fn wave(&mut self, from: usize, place: Where) {
        self.wave_of((from..self.fallers.len()).collect(), place);
    }

    /// These fell others, and those others, in order of time.
    fn wave_of(&mut self, fallers: Vec<usize>, place: Where) {
        let mut due: BinaryHeap<Reverse<(i32, usize)>> =
            fallers.into_iter().map(|at| Reverse((self.fallers[at].tick, at))).collect();
        while let Some(Reverse((_, by))) = due.pop() {
            while self.fallers[by].felled < FELLED && self.is_anybody_left() {
                let candidates = self.candidates(by, LEAST, place);
                if !self.take_one_of(candidates, TRIES) {
                    break;
                }
                let at = self.fallers.len() - 1;
                due.push(Reverse((self.fallers[at].tick, at)));
            }
        }
    }

    /// Whatever the wave left, everywhere or within a distance of a place (m), is filled by those who fell near it, as long
    /// as that is possible.
    fn fill_in(&mut self, about: Option<(Ground, f32)>) {
        loop {
            let before = self.fallers.len();
            let open: Vec<Ground> = match about {
                Some((place, far)) => self.cover.open_about(place, far).collect(),
                None => self.cover.open().collect(),
            };
            for place in open {
                if !self.is_anybody_left() {
                    return;
                }
                self.fill_at(place);
            }
            if self.fallers.len() == before {
                return;
            }
            self.wave(before, about.map_or(Where::Anywhere, |(place, far)| Where::About(place, far)));
        }
    }

    /// Somebody falls over a place that is left, if anybody near it can fell them.
    fn fill_at(&mut self, place: Ground) {
        if !self.is_anybody_left() || !self.cover.is_open(place) {
            return;
        }
        let mut candidates = Vec::new();
        for by in self.near(place) {
            candidates.extend(self.candidates(by, 0.0, Where::Over(place)));
        }
        self.take_one_of(candidates, MORE_TRIES);
    }

    fn is_anybody_left(&self) -> bool {
        let is_anybody = !self.free.is_empty() || self.next < self.composer.crowd.people.len();
        is_anybody && self.cover.n_open() > 0 && self.next - self.free.len() < self.enough
    }

    /// Those who fall near a place, in order.
    fn near(&self, place: Ground) -> Vec<usize> {
        let (x, z) = cell(place);
        let cells = (x - 1..=x + 1).flat_map(|x| (z - 1..=z + 1).map(move |z| (x, z)));
        let all = cells.filter_map(|cell| self.places.get(&cell)).flatten().copied();
        let mut near: Vec<usize> =
            all.filter(|by| self.fallers[*by].here.shift().distance(place) < REACH).collect();
        near.sort_unstable();
        near
    }

    /// All whom somebody could fell somewhere and who would fill more than this (m²).
    fn candidates(&mut self, by: usize, least: f32, place: Where) -> Vec<Candidate> {
        let faller = self.fallers[by];
        let patches = self.composer.patches;
        let joined: Vec<PatchId> = match faller.by {
            None => self.by_fall.get(&faller.fall).cloned().unwrap_or_default(),
            Some((_, patch)) => (patches.tables.overlaps(patch).iter())
                .filter(|overlap| overlap.own == Role::First && overlap.theirs == Role::Second)
                .map(|overlap| overlap.with)
                .collect(),
        };
        let library = self.composer.bodies_handle();
        let square = self.floor.side() * self.floor.side();
        let mut candidates = Vec::new();
        for id in joined {
            let (patch, lying) = (patches.patch(id), &self.lying[id.idx()]);
            if lying.shadows.is_empty() {
                continue;
            }
            let second = patch.of(Role::Second);
            let begins = faller.tick - second.start();
            if begins + patch.of(Role::First).start() < 0 {
                continue;
            }
            let world = patch.placed_by_start(Role::Second, faller.here);
            let near =
                |place: Ground, by: f32| world.ground(lying.middle).distance(place) < lying.radius + by;
            let mut gain = 0.0;
            match place {
                Where::Anywhere => {}
                Where::About(place, by) if near(place, by) => {}
                Where::Over(place) if near(place, NEAR) && lying.covers(world.inverse().ground(place)) => {
                    gain = square;
                }
                Where::About(..) | Where::Over(_) => continue,
            }
            let gain = self.cover.about(lying.places.iter().map(|it| world.ground(*it))).max(gain);
            if gain <= least {
                continue;
            }
            let outside = self.outside(lying, &world);
            if outside > self.farthest {
                continue;
            }
            let lines = patch.of(Role::First);
            let ways = [lines.from, lines.to].map(|it| world.placed(it));
            let command = self.composer.command_at(begins + patch.length());
            let is_wanted = command.is_some_and(|it| it.is_met(library.library(), patch, Role::First, ways));
            let usage = self.composer.usage.of(id);
            let score = self.composer.weights.score(usize::MAX >> 1, usage, is_wanted) + FILLS * gain
                - STRAYS * outside
                + self.chance * self.rng.random::<f32>();
            candidates.push(Candidate { by, patch: id, world, begins, is_wanted, score });
        }
        candidates
    }

    /// How far somebody who lies in a place is outside of the area (m).
    fn outside(&self, lying: &Lying, world: &Rigid) -> f32 {
        let ends = lying.shadows.iter().flat_map(|shadow| shadow.ends);
        ends.map(|end| self.floor.outside(world.ground(end))).fold(0.0, f32::max)
    }

    /// Takes the best that gets in nobody's way.
    fn take_one_of(&mut self, mut candidates: Vec<Candidate>, tries: usize) -> bool {
        let by_score = |a: &Candidate, b: &Candidate| b.score.total_cmp(&a.score);
        candidates.sort_by(by_score);
        let is_asked = candidates.first().is_some_and(|it| self.composer.command_at(it.begins).is_some());
        let rest = candidates.split_off(candidates.len().min(tries));
        for candidate in candidates.iter_mut().take(TRIES) {
            let lines = self.composer.patches.patch(candidate.patch).of(Role::First);
            let place = candidate.world.ground(lines.from.position);
            let density = self.composer.crowd.density(place, CROWDED, candidate.begins + lines.start());
            candidate.score += self.composer.weights.density / (density as f32 + 1.0);
        }
        candidates.sort_by(by_score);
        let found = candidates.iter().position(|candidate| self.fell(candidate));
        if let Some(taken) = found.map(|at| candidates[at]).filter(|_| is_asked) {
            // Those that do as asked come first; whoever was passed over gets in somebody's way.
            let is_possible =
                taken.is_wanted || rest.iter().any(|it| it.is_wanted && self.plan(it).is_some());
            if let Some(faller) = self.fallers.last_mut() {
                faller.wish = Some([is_possible, taken.is_wanted]);
            }
        }
        found.is_some()
    }

    /// What somebody does who is felled: waiting, and falling. `None` if they get in another's way.
    fn plan(&self, candidate: &Candidate) -> Option<[Vec<(i32, Doing)>; 2]> {
        let (composer, faller) = (&*self.composer, self.fallers[candidate.by]);
        let (bodies, patch) = (composer.bodies(), composer.patches.patch(candidate.patch));
        let lines = patch.of(Role::First);
        let (start, end) = (candidate.begins + lines.start(), candidate.begins + lines.end());
        let mut partners = vec![faller.who];
        partners.extend(faller.by.map(|(by, _)| by));
        let leave = Leave { partners: &partners, ..Leave::default() };
        let within = lines.doings(bodies, candidate.world, candidate.begins);
        let last = composer.crowd.print(&within, end)?;
        // Most of those who get in another's way lie on somebody.
        let is_free = composer.crowd.is_free_to_stay(&last, end, composer.end, &leave)
            && composer.crowd.is_free(&within, end, &leave);
        if !is_free {
            return None;
        }
        let here = candidate.world.then(Rigid::of(lines.from));
        let waiting = waits(composer, Standing { node: lines.entry?, here, tick: start }, self.newcomer());
        let mut stays = composer.crowd.stays(Girth::PERSON, &waiting, start).into_iter();
        let is_free =
            stays.all(|it| composer.crowd.is_free_to_stay(&it.print, it.from, it.until, &Leave::default()));
        is_free.then_some([waiting, within])
    }

    fn fell(&mut self, candidate: &Candidate) -> bool {
        let Some([waiting, within]) = self.plan(candidate) else { return false };
        let who = self.newcomer();
        let patch = self.composer.patches.patch(candidate.patch);
        let lines = patch.of(Role::First);
        let (start, end) = (candidate.begins + lines.start(), candidate.begins + lines.end());
        let Some(((tick, doing), stint)) = within.last().copied().zip(lines.stints.last()) else {
            return false;
        };
        self.composer.crowd.wait(who, &waiting, start);
        self.composer.crowd.perform(who, &within, end);
        self.composer.crowd.stay(who, end, self.composer.end);
        let people = [who, self.fallers[candidate.by].who];
        let join = if self.fallers[candidate.by].by.is_some() { Join::Spatial } else { Join::Temporal };
        let Candidate { patch: id, begins, world: world_from_patch, .. } = *candidate;
        self.composer.usage.choose(id);
        self.cover.cover(&self.lying[candidate.patch.idx()].at(&candidate.world));
        self.fallers[candidate.by].felled += 1;
        let here = doing.root(self.composer.bodies(), tick);
        self.enter(Faller {
            who,
            by: Some((people[1], candidate.patch)),
            parent: Some(candidate.by),
            wish: None,
            used: Some(Use { patch: id, begins, world_from_patch, people, join }),
            is_gone: false,
            fall: (stint.action, stint.skipped),
            tick,
            here,
            felled: 0,
        });
        if self.free.pop().is_none() {
            self.next += 1;
        }
        true
    }

    /// Who comes next.
    fn newcomer(&self) -> usize {
        self.free.last().copied().unwrap_or(self.next)
    }

    /// What is still left is made anew together with what is around it, until everything is full or nothing helps: those who
    /// lie about there are taken away, others fall in their stead, and if that fills less, it is taken back.
    fn mend(&mut self) {
        self.chance = ANEW;
        let (mut attempt, mut in_vain) = (0, 0);
        while in_vain < MENDS {
            let open: Vec<Ground> = self.cover.open().collect();
            if open.is_empty() {
                return;
            }
            let place = open[self.rng.random_range(0..open.len())];
            let before = self.cover.n_open();
            let kept = self.fallers.len();
            let (around, most) =
                (AROUND[attempt % AROUND.len()], MOST_GONE[attempt / AROUND.len() % MOST_GONE.len()]);
            let gone = self.clear(place, around, most);
            let far = |it: &Gone| self.fallers[it.at].here.shift().distance(place);
            let far = gone.iter().map(far).fold(REACH, f32::max);
            // What nobody covered before comes first.
            self.fill_at(place);
            let near = self.near(place);
            self.wave_of(near, Where::About(place, far));
            self.fill_in(Some((place, far)));
            attempt += 1;
            in_vain = if self.cover.n_open() < before { 0 } else { in_vain + 1 };
            if self.cover.n_open() > before {
                // Newcomers go first: those who were there are in their way.
                for at in (kept..self.fallers.len()).rev() {
                    if !self.fallers[at].is_gone {
                        self.withdraw(at);
                    }
                }
                for it in gone.into_iter().rev() {
                    self.put_back(it);
                }
            }
        }
    }

    /// Takes away all who lie about a place, with those whom they felled, unless too many would have to go; in an order in
    /// which nobody goes before those whom they felled.
    fn clear(&mut self, place: Ground, around: f32, most: usize) -> Vec<Gone> {
        let mut going: Vec<usize> = Vec::new();
        for root in self.near(place) {
            let faller = self.fallers[root];
            let Some((_, doing)) = self.composer.crowd.people[faller.who].performed.last() else { continue };
            let lying = shadows(self.composer.bodies(), doing, doing.end(self.composer.bodies()));
            let far = lying.iter().map(|it| it.from(place)).fold(f32::INFINITY, f32::min);
            if far > around || faller.parent.is_none() {
                continue;
            }
            let mut all = vec![root];
            let mut at = 0;
            while at < all.len() && all.len() <= most {
                all.extend(&self.children[all[at]]);
                at += 1;
            }
            if all.len() <= most {
                going.extend(all);
            }
        }
        going.sort_unstable();
        going.dedup();
        // Whoever fell later was felled by somebody who came before.
        going.into_iter().rev().map(|at| self.withdraw(at)).collect()
    }

    fn withdraw(&mut self, at: usize) -> Gone {
        let faller = self.fallers[at];
        let performed = self.composer.crowd.withdraw(faller.who);
        if let Some((_, doing)) = performed.last() {
            let bodies = self.composer.bodies();
            self.cover.uncover(&shadows(bodies, doing, doing.end(bodies)));
        }
        self.fallers[at].is_gone = true;
        if let Some(parent) = faller.parent {
            self.fallers[parent].felled -= 1;
            self.children[parent].retain(|child| *child != at);
        }
        self.places.entry(cell(faller.here.shift())).or_default().retain(|it| *it != at);
        self.free.push(faller.who);
        Gone { at, performed }
    }

    fn put_back(&mut self, gone: Gone) {
        let Gone { at, performed } = gone;
        let faller = self.fallers[at];
        let bodies = self.composer.bodies_handle();
        let parts = faller.used.map(|used| self.composer.patches.patch(used.patch).of(Role::First));
        let n_parts = parts.map_or(0, |lines| lines.stints.len());
        let (waiting, within) = performed.split_at(performed.len() - n_parts);
        if let Some(((start, _), (_, doing))) = within.first().zip(within.last()) {
            let end = doing.end(&bodies);
            self.composer.crowd.wait(faller.who, waiting, *start);
            self.composer.crowd.perform(faller.who, within, end);
            self.composer.crowd.stay(faller.who, end, self.composer.end);
            self.cover.cover(&shadows(&bodies, doing, end));
        }
        self.fallers[at].is_gone = false;
        if let Some(parent) = faller.parent {
            self.fallers[parent].felled += 1;
            self.children[parent].push(at);
        }
        self.places.entry(cell(faller.here.shift())).or_default().push(at);
        self.free.retain(|who| *who != faller.who);
    }

    /// More people fall where there is room, until an area is as crowded as it should be.
    fn crowd_in(&mut self) {
        self.enough = (DENSE * self.floor.area()) as usize;
        if self.next - self.free.len() >= self.enough {
            return;
        }
        let bodies = self.composer.bodies_handle();
        self.cover = Cover::new(self.floor, ROOMY);
        for faller in self.fallers.iter().filter(|it| !it.is_gone) {
            if let Some((_, doing)) = self.composer.crowd.people[faller.who].performed.last() {
                self.cover.cover(&shadows(&bodies, doing, doing.end(&bodies)));
            }
        }
        self.chance = CHANCE;
        self.fill_in(None);
    }

    /// Those who are there get the first places among the people, in the order in which they came; wishes are counted.
    fn close_ranks(&mut self) {
        self.fallers.retain(|faller| !faller.is_gone);
        let mut new = vec![usize::MAX; self.composer.crowd.people.len()];
        let mut people = Vec::with_capacity(new.len());
        for (at, faller) in self.fallers.iter_mut().enumerate() {
            new[faller.who] = at;
            people.push(std::mem::take(&mut self.composer.crowd.people[faller.who]));
            faller.who = at;
            if let Some([is_possible, is_met]) = faller.wish {
                self.composer.wishes.count(is_possible, is_met);
            }
        }
        people.resize_with(new.len(), Person::default);
        self.composer.crowd.people = people;
        let uses = self.fallers.iter().filter_map(|faller| faller.used);
        let people = |used: Use| Use { people: used.people.map(|who| new[who]), ..used };
        self.composer.uses.extend(uses.map(people));
    }

    fn told(&self) -> Filled {
        let (composer, bodies) = (&*self.composer, self.composer.bodies());
        let mut cover = Cover::new(self.floor, ASKED);
        let mut outside = 0.0_f32;
        for faller in &self.fallers {
            let Some((_, doing)) = composer.crowd.people[faller.who].performed.last() else { continue };
            // Whoever still falls when the scene ends does not lie.
            let end = doing.end(bodies);
            if end <= composer.end {
                let lying = shadows(bodies, doing, end);
                let ends = lying.iter().flat_map(|shadow| shadow.ends);
                outside = ends.map(|end| self.floor.outside(end)).fold(outside, f32::max);
                cover.cover(&lying);
            }
        }
        let left = cover.n_open() as f32 / Cover::new(self.floor, ASKED).n_open().max(1) as f32;
        let area = self.floor.area();
        Filled { people: self.fallers.len(), area, left: area * left, outside }
    }
}

/// What somebody waits with from tick 0 until they stand like this.
fn waits(composer: &Composer<'_>, to: Standing, variety: usize) -> Vec<(i32, Doing)> {
    let (bodies, calm) = (composer.bodies(), composer.moves.calm(to.node));
    let (mut tick, mut here) = (to.tick, to.here);
    let mut way = Vec::new();
    let mut turn = variety;
    while tick > 0 && !calm.is_empty() {
        let id = calm[turn % calm.len()];
        let doing = Doing::begin(bodies, id, tick, bodies.of_action(id).length() as u32, here);
        way.push((doing.start.max(0), doing));
        (tick, here) = (doing.start, doing.root(bodies, doing.start));
        turn += 1;
    }
    way.reverse();
    way
}

fn moved(shadow: &Shadow, by: &Rigid) -> Shadow {
    Shadow { ends: shadow.ends.map(|end| by.ground(end)), radius: shadow.radius }
}

fn cell(place: Ground) -> (i32, i32) {
    ((place.x / REACH).floor() as i32, (place.z / REACH).floor() as i32)
}
