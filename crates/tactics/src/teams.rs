//! Two teams as wholes: which formation to take, and where, given what the other team may take in answer.
//!
//! Reference: \[Shum2012\], section IX: expanding the actions of everybody at once costs too much, so a team is
//! represented by its formation, the tree is expanded at that level, and min-max selects the best formation, taking into
//! account the counter formation of the other team. What people do to get to their places is left to themselves, who plan
//! with the motions that they have.
//! Differs from the paper: it only proposes this. People of a [`Field`] are points that go straight to their places at a
//! walking or running pace; formations take as long as the last one needs, so that, as among people, turns do not
//! alternate.

use randori_gametree::{Bounds, Decision, Edge, Player, Settings, Workspace, World, search};
use randori_motion::Ground;

use randori_arena::bodies::TICKS_PER_SECOND;

/// How a team stands, seen from its middle towards the other team's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Shape {
    /// Shoulder to shoulder, across the way to the others.
    Line,
    /// One behind the other.
    Column,
    /// The middle ahead, the wings behind.
    Wedge,
    /// In two halves, on either side of the others.
    Pincer,
    /// All around the others.
    Ring,
}

/// How near to the others a formation is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Range {
    /// Within reach of them.
    Close,
    /// As near as the team is now.
    Keep,
    /// Farther off.
    Back,
}

/// A formation to take, and where: what a team chooses from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Plan {
    /// How to stand.
    pub shape: Shape,
    /// How near to the others.
    pub range: Range,
}

impl Plan {
    /// All there are, in the order in which equals are preferred.
    pub fn all() -> impl Iterator<Item = Plan> {
        [Range::Keep, Range::Close, Range::Back].into_iter().flat_map(|range| {
            [Shape::Line, Shape::Column, Shape::Wedge, Shape::Pincer, Shape::Ring]
                .into_iter()
                .map(move |shape| Plan { shape, range })
        })
    }
}

/// What a team is after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    /// To be more than the others wherever they meet.
    Outnumber,
    /// To be near every one of the others, and all around them.
    Catch,
    /// The reverse.
    Escape,
}

/// A team on a field.
#[derive(Clone, Debug, PartialEq)]
pub struct Team {
    /// Where its people are (m).
    pub places: Vec<Ground>,
    /// Where they go (m).
    pub targets: Vec<Ground>,
    /// How fast they get there (m/s).
    pub speed: f32,
    /// When the team chooses again (ticks).
    pub until: i32,
}

impl Team {
    /// A team that stands and is about to choose.
    pub fn of(places: Vec<Ground>, speed: f32, now: i32) -> Team {
        Team { targets: places.clone(), places, speed, until: now }
    }

    /// Where its people are so many ticks later, if they go on (m).
    fn after(&self, ticks: i32) -> Vec<Ground> {
        let far = self.speed * ticks as f32 / TICKS_PER_SECOND;
        (self.places.iter().zip(&self.targets)).map(|(place, target)| toward(*place, *target, far)).collect()
    }
}

/// Two teams at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Now (ticks).
    pub tick: i32,
    /// Both teams.
    pub teams: [Team; 2],
}

/// Two teams as a game.
///
/// ```
/// use randori_motion::Ground;
/// use randori_tactics::teams::{Aim, Field, Rules, Team};
/// let row = |z: f32, n: i32| (0..n).map(|k| Ground { x: k as f32, z }).collect();
/// let field = Field { tick: 0, teams: [Team::of(row(0.0, 3), 2.0, 0), Team::of(row(4.0, 1), 2.0, 0)] };
/// let rules = Rules { aims: [Aim::Catch, Aim::Escape], ..Rules::default() };
/// let decision = rules.plan(&field, 0, 3);
/// assert!(decision.choice.is_some());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// What both teams are after.
    pub aims: [Aim; 2],
    /// Between neighbours of a formation (m).
    pub spacing: f32,
    /// From how near somebody can be got at (m).
    pub reach: f32,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules { aims: [Aim::Outnumber; 2], spacing: 1.2, reach: 1.0 }
    }
}

/// A formation takes at least and at most so long (ticks): half a second, and as long as anybody looks ahead.
const TAKES: [f32; 2] = [30.0, 180.0];
/// How much farther off a team goes that draws back (m).
const BACK: f32 = 2.0;

impl Rules {
    /// What a team does next that looks so many formations ahead.
    pub fn plan(&self, field: &Field, side: usize, depth: u8) -> Decision<Plan> {
        let settings = Settings { depth, parallel: false, ..Settings::default() };
        search(&Contest { rules: self, side }, field, &settings, &mut Workspace::default())
    }

    /// Where the people of a team are to be for a plan (m), each at the place that suits them all best.
    pub fn places(&self, field: &Field, side: usize, plan: Plan) -> Vec<Ground> {
        let [own, others] = [&field.teams[side].places, &field.teams[1 - side].places];
        let (middle, there) = (mean(own), mean(others));
        let apart = middle.distance(there);
        let ahead = unit(Ground { x: there.x - middle.x, z: there.z - middle.z });
        let wide = others.iter().map(|place| place.distance(there)).fold(0.0, f32::max);
        let off = match plan.range {
            Range::Close => self.reach,
            Range::Keep => apart,
            Range::Back => apart + BACK,
        };
        let n = own.len();
        let across = Ground { x: ahead.z, z: -ahead.x };
        let at = |forward: f32, aside: f32| Ground {
            x: there.x + forward * ahead.x + aside * across.x,
            z: there.z + forward * ahead.z + aside * across.z,
        };
        let rank = |k: usize| k as f32 - 0.5 * (n as f32 - 1.0);
        let around = |angle: f32, radius: f32| at(-radius * libm::cosf(angle), radius * libm::sinf(angle));
        let spot = |k: usize| match plan.shape {
            Shape::Line => at(-off, self.spacing * rank(k)),
            Shape::Column => at(-off - self.spacing * k as f32, 0.0),
            Shape::Wedge => at(-off - 0.7 * self.spacing * rank(k).abs(), self.spacing * rank(k)),
            Shape::Pincer => {
                let (half, side) = ((k / 2) as f32, if k.is_multiple_of(2) { 1.0 } else { -1.0 });
                at(self.spacing * (half - 0.25 * (n as f32 - 1.0)), side * (wide + off))
            }
            Shape::Ring => around(std::f32::consts::TAU * k as f32 / n.max(1) as f32, wide + off),
        };
        assigned(own, (0..n).map(spot).collect())
    }

    /// How a team stands when everybody has got where they are going (points).
    fn standing(&self, field: &Field, side: usize) -> f64 {
        let last = field.teams.iter().map(|team| team.until).fold(field.tick, i32::max);
        let [own, others] = [side, 1 - side].map(|team| field.teams[team].after(last - field.tick));
        match self.aims[side] {
            Aim::Outnumber => self.superiority(&own, &others),
            Aim::Catch => self.grip(&own, &others),
            Aim::Escape => -self.grip(&others, &own),
        }
    }

    /// How near two are to each other: 1 at one place, a half at twice the reach.
    fn near(&self, a: Ground, b: Ground) -> f64 {
        let share = f64::from(a.distance(b) / (2.0 * self.reach));
        1.0 / (1.0 + share * share)
    }

    /// How much more help people have than those of the others whom they meet.
    fn superiority(&self, own: &[Ground], others: &[Ground]) -> f64 {
        let help = |team: &[Ground], who: usize| -> f64 {
            let allies = team.iter().enumerate().filter(|(ally, _)| *ally != who);
            allies.map(|(_, ally)| self.near(team[who], *ally)).sum()
        };
        let mut sum = 0.0;
        for (i, place) in own.iter().enumerate() {
            for (j, other) in others.iter().enumerate() {
                sum += self.near(*place, *other) * (1.0 + help(own, i) - help(others, j));
            }
        }
        sum
    }

    /// How near a team is to every one of the others, and how little of their way out is free.
    fn grip(&self, own: &[Ground], others: &[Ground]) -> f64 {
        let mut sum = 0.0;
        for other in others {
            let nearest = own.iter().map(|place| place.distance(*other)).fold(f32::INFINITY, f32::min);
            let mut ways: Vec<f32> =
                own.iter().map(|place| libm::atan2f(place.x - other.x, place.z - other.z)).collect();
            ways.sort_by(f32::total_cmp);
            let turn = ways.first().map(|first| first + std::f32::consts::TAU);
            let next = ways.iter().copied().skip(1).chain(turn);
            let free = ways.iter().zip(next).map(|(way, next)| next - way).fold(0.0, f32::max);
            sum -= f64::from(nearest / self.reach) + f64::from(free / std::f32::consts::PI);
        }
        sum
    }
}

/// Two teams seen by one of them.
struct Contest<'a> {
    rules: &'a Rules,
    side: usize,
}

impl Contest<'_> {
    fn chooser(&self, field: &Field) -> Option<usize> {
        let waits = |side: &usize| {
            let team = &field.teams[*side];
            team.until <= field.tick && !team.places.is_empty() && !field.teams[1 - side].places.is_empty()
        };
        [self.side, 1 - self.side].into_iter().find(waits)
    }
}

impl World for Contest<'_> {
    type State = Field;
    type Choice = Plan;

    fn turn(&self, field: &Field) -> Option<Player> {
        let side = self.chooser(field)?;
        Some(if side == self.side { Player::Max } else { Player::Min })
    }

    fn choices(&self, _: &Field, out: &mut Vec<Plan>) {
        out.extend(Plan::all());
    }

    fn play(&self, field: &Field, plan: Plan) -> (Field, Edge) {
        let Some(side) = self.chooser(field) else { return (field.clone(), Edge::default()) };
        let mut next = field.clone();
        next.take_up(self.rules, side, plan);
        let then = next.teams.iter().map(|team| team.until).fold(i32::MAX, i32::min).max(next.tick);
        next.run(then);
        // What both sides add up is how they stand in the end, less how they stood.
        let comp = self.rules.standing(&next, side) - self.rules.standing(field, side);
        (next, Edge { comp, coop: 0.0 })
    }

    fn bounds(&self, _: &Field, _: u8) -> Bounds {
        Bounds::ZERO_SUM
    }
}

impl Field {
    /// Lets a team take up a plan.
    pub fn take_up(&mut self, rules: &Rules, side: usize, plan: Plan) {
        let targets = rules.places(self, side, plan);
        let (team, tick) = (&mut self.teams[side], self.tick);
        let far = team.places.iter().zip(&targets).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
        let ticks = (far / team.speed.max(0.1) * TICKS_PER_SECOND).clamp(TAKES[0], TAKES[1]);
        (team.targets, team.until) = (targets, tick + libm::ceilf(ticks) as i32);
    }

    /// Lets both teams go where they are going, up to a tick.
    pub fn run(&mut self, tick: i32) {
        for team in &mut self.teams {
            team.places = team.after(tick - self.tick);
        }
        self.tick = self.tick.max(tick);
    }
}

/// Everybody to one of these places, so that two never gain by changing theirs: the sum of the squares of their ways.
fn assigned(people: &[Ground], mut places: Vec<Ground>) -> Vec<Ground> {
    let squared = |who: usize, place: Ground| f64::from(people[who].distance(place)).powi(2);
    let mut is_better = true;
    // Every change makes the sum smaller, by more than what rounding does.
    while std::mem::take(&mut is_better) {
        for a in 0..places.len() {
            for b in a + 1..places.len() {
                let now = squared(a, places[a]) + squared(b, places[b]);
                if squared(a, places[b]) + squared(b, places[a]) < now * (1.0 - 1e-9) {
                    places.swap(a, b);
                    is_better = true;
                }
            }
        }
    }
    places
}

fn mean(places: &[Ground]) -> Ground {
    let n = places.len().max(1) as f32;
    let sum = |of: fn(&Ground) -> f32| places.iter().map(of).sum::<f32>() / n;
    Ground { x: sum(|place| place.x), z: sum(|place| place.z) }
}

/// The direction of a way; ahead for none.
fn unit(way: Ground) -> Ground {
    let length = (way.x * way.x + way.z * way.z).sqrt();
    if length < 1e-6 { Ground { x: 0.0, z: 1.0 } } else { Ground { x: way.x / length, z: way.z / length } }
}

/// From one place towards another, so far (m), but not beyond it.
fn toward(from: Ground, to: Ground, far: f32) -> Ground {
    let apart = from.distance(to);
    if apart <= far {
        return to;
    }
    let share = far / apart;
    Ground { x: from.x + share * (to.x - from.x), z: from.z + share * (to.z - from.z) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use randori_gametree::Method;

    fn drawn(seed: u64, sizes: [usize; 2]) -> Field {
        let mut chance = ChaCha8Rng::seed_from_u64(seed);
        let mut side = -1.0;
        let teams = sizes.map(|n| {
            side = -side;
            let mut place = || Ground {
                x: chance.random_range(-3.0..3.0),
                z: 3.0 * side + chance.random_range(-2.0..2.0),
            };
            let places = (0..n).map(|_| place()).collect();
            Team::of(places, chance.random_range(1.0..3.0), 0)
        });
        Field { tick: 0, teams }
    }

    #[test]
    fn pruned_and_plain_trees_of_formations_choose_alike() {
        for seed in 0..40 {
            let aims = if seed % 2 == 0 { [Aim::Outnumber; 2] } else { [Aim::Catch, Aim::Escape] };
            let rules = Rules { aims, ..Rules::default() };
            let mut field = drawn(seed, [3, 1 + seed as usize % 3]);
            if seed % 3 == 0 {
                field.take_up(&rules, 1, Plan { shape: Shape::Line, range: Range::Back });
            }
            let found = [Method::Plain, Method::Pruned].map(|method| {
                let settings = Settings { depth: 3, method, ..Settings::default() };
                search(&Contest { rules: &rules, side: 0 }, &field, &settings, &mut Workspace::default())
            });
            let [plain, pruned] = &found;
            assert_eq!((plain.choice, plain.scores), (pruned.choice, pruned.scores), "{seed}");
            assert!(pruned.statistics.edges < plain.statistics.edges && pruned.statistics.broken_bounds == 0);
        }
    }

    #[test]
    fn a_ring_is_around_the_others_and_nobody_crosses_it_for_nothing() {
        let rules = Rules::default();
        let field = drawn(3, [4, 2]);
        let places = rules.places(&field, 0, Plan { shape: Shape::Ring, range: Range::Close });
        let there = mean(&field.teams[1].places);
        let wide = field.teams[1].places.iter().map(|place| place.distance(there)).fold(0.0, f32::max);
        assert!(places.iter().all(|place| (place.distance(there) - wide - rules.reach).abs() < 1e-4));
        assert!(mean(&places).distance(there) < 1e-4);
        let way = |places: &[Ground]| -> f32 {
            field.teams[0].places.iter().zip(places).map(|(a, b)| a.distance(*b).powi(2)).sum()
        };
        let mut turned = places.clone();
        for _ in 0..3 {
            turned.rotate_left(1);
            assert!(way(&places) <= way(&turned) + 1e-3);
        }
    }

    #[test]
    fn teams_of_nobody_choose_nothing() {
        let mut field = drawn(1, [3, 2]);
        field.teams[1] = Team::of(Vec::new(), 1.0, 0);
        assert_eq!(Rules::default().plan(&field, 0, 3).choice, None);
        assert_eq!(Rules::default().plan(&field, 1, 3).choice, None);
    }
}
