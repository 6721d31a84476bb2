//! A duel on a line: steps, blows of different length and reach, guards. A blow that lands cuts short what its victim
//! was doing, and a stagger follows that nobody chose.

use std::hash::{DefaultHasher, Hash, Hasher};

use randori_gametree::{Bounds, Edge, Player, World};

#[derive(Clone, Debug)]
pub struct Duel {
    /// Distance that each would like best (mm).
    pub liked: [i64; 2],
    /// Points per hit and unit of force.
    pub hit: f64,
    /// Cost of a metre squared between the middle of the two and `goal`; zero for a plain duel.
    pub path: f64,
    /// Where the middle of the two should be (mm).
    pub goal: i64,
    /// Whether states have keys.
    pub keys: bool,
}

impl Default for Duel {
    fn default() -> Self {
        Self { liked: [800, 900], hit: 1e5, path: 0.0, goal: 0, keys: true }
    }
}

/// Lengths of time are in ms, lengths in mm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Action {
    pub step: i64,
    pub duration: i64,
    /// When a blow lands, how far it reaches and how hard it is; force 0 is no blow.
    lands: i64,
    reach: i64,
    pub force: i64,
    guard: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Fighter {
    place: i64,
    action: Action,
    elapsed: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Moment {
    fighters: [Fighter; 2],
}

const REST: Action = Action { step: 0, duration: 100, lands: 0, reach: 0, force: 0, guard: false };
const STAGGER: Action = Action { step: -120, duration: 500, ..REST };
const STEPS: [i64; 5] = [0, 150, -150, 300, -300];
/// Duration, landing, reach, force, guard.
const KINDS: [(i64, i64, i64, i64, bool); 7] = [
    (400, 180, 750, 2, false),
    (650, 330, 900, 4, false),
    (900, 470, 1100, 6, false),
    (300, 150, 600, 1, false),
    (350, 0, 0, 0, true),
    (300, 0, 0, 0, false),
    (550, 0, 0, 0, true),
];

/// All 35 of them.
pub fn actions() -> impl Iterator<Item = Action> {
    KINDS.into_iter().flat_map(|(duration, lands, reach, force, guard)| {
        STEPS.into_iter().map(move |step| Action { step, duration, lands, reach, force, guard })
    })
}

impl Duel {
    /// Two who stand `distance` apart, the first about to choose, the second in `wait` ms.
    pub fn begin(&self, distance: i64, wait: i64) -> Moment {
        let rest = |place, duration| Fighter { place, action: Action { duration, ..REST }, elapsed: 0 };
        Moment { fighters: [rest(-distance / 2, 0), rest(distance - distance / 2, wait)] }
    }

    /// Square of the middle's distance to the goal (m²).
    fn off_path(&self, moment: &Moment) -> f64 {
        let middle = (moment.fighters[0].place + moment.fighters[1].place) / 2 - self.goal;
        (middle as f64 / 1000.0) * (middle as f64 / 1000.0)
    }
}

impl Moment {
    fn chooser(&self) -> usize {
        let left = |f: &Fighter| f.action.duration - f.elapsed;
        usize::from(left(&self.fighters[0]) > left(&self.fighters[1]))
    }

    fn distance(&self) -> i64 {
        self.fighters[1].place - self.fighters[0].place
    }

    /// Lets time pass until somebody is free; tells the force of hits on each.
    fn run(&mut self) -> [i64; 2] {
        let mut hurt = [0; 2];
        loop {
            let ends = self.fighters.map(|f| f.action.duration - f.elapsed);
            let lands = self.fighters.map(|f| {
                let ahead = f.action.force > 0 && f.elapsed < f.action.lands;
                if ahead { f.action.lands - f.elapsed } else { i64::MAX }
            });
            let passed = ends[0].min(ends[1]).min(lands[0]).min(lands[1]);
            let mut moved = [0; 2];
            for (f, moved) in self.fighters.iter_mut().zip(&mut moved) {
                let along = |elapsed: i64| f.action.step * elapsed / f.action.duration.max(1);
                *moved = along(f.elapsed + passed) - along(f.elapsed);
                f.elapsed += passed;
            }
            // Steps lead towards the other, but not through them.
            let room = (self.distance() - 350).max(0);
            let closing = (moved[0] + moved[1]).max(1);
            for (side, forward) in [(0, 1), (1, -1)] {
                let step = if closing > room { moved[side] * room / closing } else { moved[side] };
                self.fighters[side].place += forward * step;
            }
            let distance = self.distance();
            for side in [0, 1] {
                let blow = self.fighters[side];
                if lands[side] == passed && distance <= blow.action.reach {
                    let victim = &mut self.fighters[1 - side];
                    if !victim.action.guard {
                        hurt[1 - side] += blow.action.force;
                        victim.action = STAGGER;
                        victim.elapsed = 0;
                    }
                }
            }
            if self.fighters.iter().any(|f| f.elapsed >= f.action.duration) {
                return hurt;
            }
        }
    }
}

impl World for Duel {
    type State = Moment;
    type Choice = Action;

    fn turn(&self, moment: &Moment) -> Option<Player> {
        Some([Player::Max, Player::Min][moment.chooser()])
    }

    fn choices(&self, _: &Moment, out: &mut Vec<Action>) {
        out.extend(actions());
    }

    fn play(&self, moment: &Moment, action: Action) -> (Moment, Edge) {
        let side = moment.chooser();
        let mut next = *moment;
        next.fighters[side].action = action;
        next.fighters[side].elapsed = 0;
        let hurt = next.run();
        let off = (next.distance() - self.liked[side]) as f64 / 10.0;
        let comp = self.hit * (hurt[1 - side] - hurt[side]) as f64 - 10.0 * off * off;
        (next, Edge { comp, coop: -self.path * self.off_path(&next) })
    }

    fn bounds(&self, moment: &Moment, left: u8) -> Bounds {
        if self.path == 0.0 {
            return Bounds::ZERO_SUM;
        }
        // Between two choices each moves by at most a step and a stagger, and the middle by as much.
        let middle = (moment.fighters[0].place + moment.fighters[1].place) / 2 - self.goal;
        let [mut worst, mut best] = [0.0; 2];
        for n in 1..=i64::from(left) {
            let far = (middle.abs() + 425 * n) as f64 / 1000.0;
            let near = (middle.abs() - 425 * n).max(0) as f64 / 1000.0;
            worst -= self.path * far * far;
            best -= self.path * near * near;
        }
        Bounds { coop: [worst, best], ..Bounds::UNKNOWN }
    }

    fn key(&self, moment: &Moment) -> Option<u64> {
        let mut hasher = DefaultHasher::new();
        moment.hash(&mut hasher);
        self.keys.then(|| hasher.finish())
    }
}
