//! Many pairs from a few lines: everybody's way in space and time, so that no pair runs into another.
//!
//! Reference: \[Shum2012\], section VIII-C: pairs on spirals that spread out and end in knock-downs, and pairs that chase
//! each other on circles. Ways cross in space, never in time.

use std::f32::consts::PI;

use randori_motion::take::Color;
use randori_motion::{Annotation, Ground};

use super::role::{Checkpoint, Controller, Daring, Facing, Role, Weights};

/// Pairs that move together in a pattern.
///
/// ```
/// use randori_scene::screenplay::Formation;
/// let formation = Formation::spiral(40, 30.0);
/// assert_eq!(formation.roles().len(), 80);
/// assert!(formation.clearance() >= Formation::CLEARANCE);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Formation {
    /// The pattern.
    pub kind: Pattern,
    /// How many pairs.
    pub pairs: u32,
    /// The middle of the pattern (m).
    pub center: Ground,
    /// Between the middles of neighbouring pairs at the start (m).
    pub spacing: f32,
    /// Between the two of a pair on their way (m).
    pub gap: f32,
    /// When the last checkpoint is reached (s).
    pub until: f64,
    /// From checkpoint to checkpoint at most (s).
    pub every: f64,
    /// Whether the second of each pair is knocked down at the last checkpoint.
    pub finish: bool,
    /// What the two of a pair are called; a number follows. Also their teams.
    pub names: [String; 2],
    /// How they are painted.
    pub colors: [Color; 2],
    /// Their presets.
    pub styles: [String; 2],
    /// Who chooses their actions.
    pub controllers: [Controller; 2],
}

/// The pattern of a [`Formation`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pattern {
    /// A sunflower's seeds that spread out and turn. The first of each pair drives the second outwards.
    Spiral {
        /// How many times as wide it is at the end as at the start, 1 or more.
        spread: f32,
        /// How far it turns (degrees); positive towards +X at the +Z side.
        turn_deg: f32,
    },
    /// Equal circles on a triangular grid, all run in step; the first of each pair runs after the second.
    Circles {
        /// Of each circle (m).
        radius: f32,
        /// Along the circle (m/s).
        speed: f32,
    },
}

/// Between the two of a fighting pair when they start: they have not yet come to blows (m).
const START_APART: f32 = 1.5;

/// From seed to seed of a sunflower (rad).
const GOLDEN_ANGLE: f32 = 2.399_963_2;

impl Formation {
    /// Nobody's planned place is ever nearer than this to that of somebody of another pair (m): two people who each
    /// reach out with an arm do not touch.
    pub const CLEARANCE: f32 = 2.2;

    /// Fighting pairs that spread out on spirals and end in knock-downs, in a scene of this length (s).
    pub fn spiral(pairs: u32, seconds: f64) -> Formation {
        Formation {
            kind: Pattern::Spiral { spread: 1.25, turn_deg: 20.0 },
            pairs,
            center: Ground::default(),
            spacing: 4.0,
            gap: 0.9,
            // To fall takes a moment.
            until: (seconds - 4.0).max(0.5 * seconds),
            every: 4.0,
            finish: true,
            names: ["red", "blue"].map(str::to_owned),
            colors: [[0.74, 0.13, 0.10], [0.10, 0.30, 0.72]],
            styles: ["general-boxer-path", "general-boxer-path"].map(str::to_owned),
            controllers: [Controller::game_tree(2), Controller::game_tree(2)],
        }
    }

    /// Chasing pairs on circles, in a scene of this length (s).
    pub fn circles(pairs: u32, seconds: f64) -> Formation {
        Formation {
            kind: Pattern::Circles { radius: 5.0, speed: 3.0 },
            spacing: 6.0,
            gap: 2.0,
            until: seconds,
            every: 1.0,
            finish: false,
            names: ["chaser", "runaway"].map(str::to_owned),
            styles: ["chaser-path", "runaway-path"].map(str::to_owned),
            ..Formation::spiral(pairs, seconds)
        }
    }

    /// Everybody, the two of a pair one after the other.
    pub fn roles(&self) -> Vec<Role> {
        let middles = self.middles();
        let digits = self.pairs.to_string().len().max(2);
        let mut roles = Vec::with_capacity(2 * middles.len());
        for (pair_idx, middle) in middles.iter().enumerate() {
            let names = [0, 1].map(|side| format!("{}-{:0digits$}", self.names[side], pair_idx + 1));
            for side in [0, 1] {
                let facing = match self.kind {
                    Pattern::Spiral { .. } => Facing::Towards(names[1 - side].clone()),
                    Pattern::Circles { .. } => Facing::Heading(self.along_circle(side, 0.0)),
                };
                roles.push(Role {
                    name: names[side].clone(),
                    color: self.colors[side],
                    library: None,
                    build: None,
                    team: self.names[side].clone(),
                    style: self.styles[side].clone(),
                    weights: self.weights(side),
                    controller: self.controllers[side].clone(),
                    at: self.place(*middle, side, 0.0),
                    facing,
                    enter: 0.0,
                    waits: false,
                    leave: None,
                    poise: None,
                    opponent: Some(names[1 - side].clone()),
                    path: self.path(*middle, side),
                    opening: None,
                    losing: Daring::default(),
                });
            }
        }
        roles
    }

    /// How near the planned places of two people of different pairs can come at most, whenever (m).
    ///
    /// Between two checkpoints everybody goes straight, which keeps a pattern what it is: middles of pairs on spirals
    /// are one pattern turned and enlarged, (1 − u) a + u b times the seeds for complex a and b, and |(1 − u) a + u b| is
    /// at least the smaller size times the cosine of half the turn between them. Middles on circles keep their
    /// distances. From a middle to its two people it is never farther than at a checkpoint.
    pub fn clearance(&self) -> f32 {
        match self.kind {
            Pattern::Spiral { turn_deg, .. } => {
                let half_step = 0.5 * turn_deg.to_radians().abs() / self.n_steps() as f32;
                self.spacing * libm::cosf(half_step.min(0.5 * PI)) - self.gap.max(START_APART)
            }
            Pattern::Circles { .. } => self.spacing - self.gap,
        }
    }

    /// Ways between checkpoints.
    pub(super) fn n_steps(&self) -> u32 {
        // Far more than a scene of an hour has, and no more than memory holds.
        libm::ceil((self.until / self.every).clamp(1.0, 1e5)) as u32
    }

    /// What differs from the presets: the ways of many are near each other, so everybody keeps to the time at each
    /// place, and a metre off the way costs more than the hardest blow. Whoever runs on a circle turns in time, and whoever runs away looks where it goes, not at whom it runs away from.
    fn weights(&self, side: usize) -> Weights {
        let runs = matches!(self.kind, Pattern::Circles { .. });
        Weights {
            path_weight: Some(if runs { 100.0 } else { 4800.0 }),
            requirement_weight: self.finish.then_some(1e7),
            heading_weight: runs.then_some(100.0),
            angle_weight: (runs && side == 1).then_some(0.0),
            ..Weights::default()
        }
    }

    fn path(&self, middle: Ground, side: usize) -> Vec<Checkpoint> {
        let n_steps = self.n_steps();
        let mut path: Vec<Checkpoint> = (1..=n_steps)
            .map(|step| {
                let share = f64::from(step) / f64::from(n_steps);
                let at = self.place(middle, side, share);
                Checkpoint { time: Some(self.until * share), ..Checkpoint::new(at) }
            })
            .collect();
        if let Some(last) = path.last_mut().filter(|_| self.finish && side == 1) {
            last.require.push(Annotation::of("knock-down"));
        }
        path
    }

    /// Middles of the pairs at the start, around the origin; of circles, their centres (m).
    fn middles(&self) -> Vec<Ground> {
        match self.kind {
            Pattern::Spiral { .. } => {
                let seeds: Vec<Ground> = (0..self.pairs)
                    .map(|k| polar(libm::sqrtf(k as f32 + 0.5), GOLDEN_ANGLE * k as f32))
                    .collect();
                let distances = seeds
                    .iter()
                    .enumerate()
                    .flat_map(|(k, seed)| seeds[..k].iter().map(move |other| seed.distance(*other)));
                let nearest = distances.fold(f32::INFINITY, f32::min);
                let scale = if nearest.is_finite() { self.spacing / nearest } else { 1.0 };
                seeds.iter().map(|seed| Ground { x: seed.x * scale, z: seed.z * scale }).collect()
            }
            Pattern::Circles { .. } => {
                // The nearest points of the grid to its middle: i² + ij + j² is their squared distance.
                let reach = 1 + libm::sqrtf(self.pairs as f32) as i32;
                let mut grid: Vec<(i32, i32, i32)> = (-reach..=reach)
                    .flat_map(|i| (-reach..=reach).map(move |j| (i * i + i * j + j * j, i, j)))
                    .collect();
                grid.sort_unstable();
                grid.truncate(self.pairs as usize);
                let point = |&(_, i, j): &(i32, i32, i32)| Ground {
                    x: self.spacing * (i as f32 + 0.5 * j as f32),
                    z: self.spacing * (libm::sqrtf(0.75) * j as f32),
                };
                grid.iter().map(point).collect()
            }
        }
    }

    /// Where the first (0) or second (1) of a pair is planned to be after a share of the time (m).
    fn place(&self, middle: Ground, side: usize, share: f64) -> Ground {
        let around = match self.kind {
            Pattern::Spiral { spread, turn_deg } => {
                let turn = turn_deg.to_radians();
                let share = share as f32;
                let radius = libm::hypotf(middle.x, middle.z) * libm::powf(spread, share);
                let angle = libm::atan2f(middle.x, middle.z) + turn * share;
                // The way of a seed makes this angle with its radius all along.
                let ahead = angle + libm::atan2f(turn, libm::logf(spread));
                let apart = if share == 0.0 { self.gap.max(START_APART) } else { self.gap };
                let (seed, half) = (polar(radius, angle), polar(0.5 * apart, ahead));
                let sign = if side == 0 { -1.0 } else { 1.0 };
                Ground { x: seed.x + sign * half.x, z: seed.z + sign * half.z }
            }
            Pattern::Circles { radius, .. } => {
                let on_circle = polar(radius, self.circle_angle(side, share));
                Ground { x: middle.x + on_circle.x, z: middle.z + on_circle.z }
            }
        };
        Ground { x: self.center.x + around.x, z: self.center.z + around.z }
    }

    /// Where on its circle somebody is (rad); 0 for a spiral.
    fn circle_angle(&self, side: usize, share: f64) -> f32 {
        let Pattern::Circles { radius, speed } = self.kind else { return 0.0 };
        let lead = 2.0 * libm::asinf((0.5 * self.gap / radius).min(1.0));
        let run = f64::from(speed) * self.until * share / f64::from(radius);
        (run % std::f64::consts::TAU) as f32 + if side == 1 { lead } else { 0.0 }
    }

    /// The heading along its circle (degrees).
    fn along_circle(&self, side: usize, share: f64) -> f32 {
        libm::roundf(self.circle_angle(side, share).to_degrees() + 90.0)
    }
}

fn polar(radius: f32, angle: f32) -> Ground {
    let (sine, cosine) = libm::sincosf(angle);
    Ground { x: radius * sine, z: radius * cosine }
}
