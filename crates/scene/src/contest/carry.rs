//! Two who carry something: whether they keep together, go where they are told, and get out of a ball's way.

use std::f32::consts::TAU;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use randori_arena::bout::Pause;
use randori_arena::objectives::Goal;
use randori_interaction_graph::carriers::APART;
use randori_motion::Ground;
use serde::Serialize;

use crate::director::{Director, DirectorError, Libraries, off_line};
use crate::screenplay::{PropRole, Screenplay, Waypoint};

/// How two did who carried something, in two trials.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Carried {
    /// The least and the most that they were apart (m).
    pub apart: [f32; 2],
    /// How long it took them to go each way they were told (s); `None` for those they did not take within [`WITHIN`].
    pub turned: Vec<Option<f64>>,
    /// How far outside of the ball both and what they carried were at the nearest (m); negative if it ran into them.
    pub clearance: f32,
}

/// A way is taken within this time (s).
pub const WITHIN: f64 = 2.0;

impl Carried {
    /// Whether they were never nearer or farther apart than they should.
    pub fn kept(&self) -> bool {
        self.apart[0] >= APART[0] && self.apart[1] <= APART[1]
    }
}

/// How long they go one way (ticks), and how many they are told one after another.
const LEG: i32 = 240;
const LEGS: usize = 8;
/// They go a way when over a second they get this far along it (m), and no farther off it than half of what is between two
/// of eight ways: the cosine of 22.5 degrees.
const ALONG: f32 = 0.15;
const STRAIGHT: f32 = 0.923_879_5;
const SECOND: i32 = 60;
/// Half the thickness of a person, and half the width of what two carry (m).
const BODY: f32 = 0.22;
/// The ball's radius (m).
const BALL: f32 = 0.2;

/// Two trials by a seed: eight ways one after another, and a ball that is rolled at them while they go somewhere.
pub fn carry(libraries: &Libraries, library: &str, seed: u64) -> Result<Carried, DirectorError> {
    let mut chance = ChaCha8Rng::seed_from_u64(seed);
    let headings: Vec<f32> = (0..LEGS).map(|_| chance.random_range(0.0..TAU)).collect();
    let mut told = Trial::of(libraries, &scene(library, seed, LEG * LEGS as i32, Vec::new()))?;
    for heading in &headings {
        told.go(*heading, LEG);
    }
    let turned = headings.iter().enumerate().map(|(leg, heading)| told.turned(leg as i32 * LEG, *heading));
    let turned = turned.collect();

    let (from, heading) = (chance.random_range(0.0..TAU), chance.random_range(0.0..TAU));
    let (far, speed) = (chance.random_range(6.0..8.0_f32), chance.random_range(0.7..1.1_f32));
    let start = Ground { x: far * libm::sinf(from), z: far * libm::cosf(from) };
    let end = Ground { x: -start.x, z: -start.z };
    let seconds = f64::from(2.0 * far / speed);
    let waypoint = |at: Ground, time: f64| Waypoint { at, time, height: 0.0, heading_deg: None };
    let ball = PropRole {
        name: "ball".to_owned(),
        color: [0.8, 0.3, 0.1],
        size: [2.0 * BALL; 3],
        is_ball: true,
        path: vec![waypoint(start, 0.0), waypoint(end, seconds)],
        between: None,
        hits: true,
        waits: false,
    };
    let ticks = (seconds * 60.0) as i32;
    let mut rolled = Trial::of(libraries, &scene(library, seed, ticks, vec![ball]))?;
    // Not away from where the ball is rolled at: they are told to stay about there.
    for leg in 0..ticks / LEG {
        rolled.go(heading + if leg % 2 == 0 { 0.0 } else { 0.5 * TAU }, LEG);
    }
    let ball_at = |tick: usize| {
        let share = tick as f32 / ticks as f32;
        Ground { x: start.x + (end.x - start.x) * share, z: start.z + (end.z - start.z) * share }
    };
    let clear = |(tick, [a, b]): (usize, &[Ground; 2])| off_line(ball_at(tick), *a, *b) - BALL - BODY;
    let clearance = rolled.places.iter().enumerate().map(clear).fold(f32::INFINITY, f32::min);
    let apart = [told.apart(), rolled.apart()];
    Ok(Carried { apart: [apart[0][0].min(apart[1][0]), apart[0][1].max(apart[1][1])], turned, clearance })
}

/// Two with a box, and things.
fn scene(library: &str, seed: u64, ticks: i32, props: Vec<PropRole>) -> Screenplay {
    let text = r#"
        seconds = 1
        [[characters]]
        name = "front"
        controller = "graph:5"
        opening = "pair-carry-stand-light-large"
        at = [0, -0.75]
        facing = 0
        [[characters]]
        name = "rear"
        controller = "graph:5"
        opening = "pair-carry-stand-light-large"
        at = [0, 0.75]
        facing = 180
    "#;
    let scene = Screenplay::parse("carry.toml", format!("library = {library:?}\n{text}").as_bytes());
    let mut scene = scene.expect("written here");
    (scene.seed, scene.seconds, scene.props) = (seed, f64::from(ticks + SECOND) / 60.0, props);
    scene
}

/// A scene under way, and where both were at every tick.
struct Trial {
    director: Director,
    places: Vec<[Ground; 2]>,
}

impl Trial {
    fn of(libraries: &Libraries, scene: &Screenplay) -> Result<Trial, DirectorError> {
        Ok(Trial { director: Director::new(scene, libraries)?, places: Vec::new() })
    }

    /// Has them go towards a heading (rad) for some ticks.
    fn go(&mut self, heading: f32, ticks: i32) {
        let until = self.director.bout.moment.tick + ticks;
        while self.director.bout.moment.tick < until {
            let [a, b] = self.now();
            let place = |from: f32, to: f32, way: f32| 0.5 * (from + to) + 3.0 * way;
            let position =
                Ground { x: place(a.x, b.x, libm::sinf(heading)), z: place(a.z, b.z, libm::cosf(heading)) };
            for aims in &mut self.director.bout.aims {
                aims.goal = Some(Goal { position, heading: None });
            }
            match self.director.pause() {
                Some(Pause::Decision(who)) => self.director.decide(who),
                Some(Pause::Limit) => {}
                None => return,
            }
            self.note();
        }
    }

    /// Writes down where both were at all ticks since the last time.
    fn note(&mut self) {
        let bout = &self.director.bout;
        for tick in self.places.len() as i32..bout.moment.tick {
            // What they do now began before, so it also says where they were.
            self.places.push([0, 1].map(|who| bout.stage.position(&bout.moment, who, tick)));
        }
    }

    fn now(&self) -> [Ground; 2] {
        let bout = &self.director.bout;
        [0, 1].map(|who| bout.stage.position(&bout.moment, who, bout.moment.tick))
    }

    fn apart(&self) -> [f32; 2] {
        let all = self.places.iter().map(|[a, b]| a.distance(*b));
        all.fold([f32::INFINITY, 0.0], |[least, most], it| [least.min(it), most.max(it)])
    }

    /// How long after a tick they go towards a heading (s).
    fn turned(&self, from: i32, heading: f32) -> Option<f64> {
        let middle = |tick: i32| {
            let [a, b] = self.places[(tick as usize).min(self.places.len() - 1)];
            Ground { x: 0.5 * (a.x + b.x), z: 0.5 * (a.z + b.z) }
        };
        let goes = |tick: &i32| {
            let (a, b) = (middle(from + tick), middle(from + tick + SECOND));
            let along = (b.x - a.x) * libm::sinf(heading) + (b.z - a.z) * libm::cosf(heading);
            along >= ALONG && along >= STRAIGHT * a.distance(b)
        };
        (0..=(WITHIN * 60.0) as i32).find(goes).map(|tick| f64::from(tick) / 60.0)
    }
}
