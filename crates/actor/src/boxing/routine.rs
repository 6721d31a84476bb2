//! A routine: what a boxer does in one take, in which order, and when.

use std::f32::consts::{FRAC_PI_4, TAU};
use std::sync::Arc;

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use randori_motion::annotation::STEPS;
use randori_motion::{Annotation, Ground, Placement, Side};

use super::hands::Fist;
use super::legs::Leg;
use crate::fighter::{Fighter as Boxer, Height, STAGGER, Shuffle};
use crate::performance::{Casting, Performance, Temperament};
use crate::performer::{Stance, other};

/// One thing in a phrase; lead and rear are those of the moment.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Act {
    Lead(Fist, Height),
    Rear(Fist, Height),
    LeadKick(Leg, Height),
    RearKick(Leg, Height),
    Cover,
    LeadParry,
    RearParry,
    Duck,
    SlipLeft,
    SlipRight,
    Sway,
    JumpBack,
    Switch,
}

use Act::{
    Cover, Duck, JumpBack, Lead, LeadKick, LeadParry, Rear, RearKick, RearParry, SlipLeft, SlipRight, Sway,
    Switch,
};
use Fist::{Hook, Straight, Uppercut};
use Height::{Body, Head, Legs};
use Leg::{Front, Round};

/// What boxers do in one go. A take goes through all of them in an order of its own, then again.
const PHRASES: &[&[Act]] = &[
    &[Lead(Straight, Head)],
    &[Lead(Straight, Head), Lead(Straight, Head)],
    &[Lead(Straight, Head), Rear(Straight, Head)],
    &[Lead(Straight, Head), Lead(Straight, Head), Rear(Straight, Head)],
    &[Lead(Straight, Body), Rear(Straight, Head)],
    &[Lead(Straight, Head), Rear(Straight, Head), Lead(Hook, Head)],
    &[Lead(Straight, Head), Rear(Straight, Body), Lead(Hook, Head), Rear(Straight, Head)],
    &[Rear(Straight, Head)],
    &[Rear(Straight, Head), Lead(Hook, Head), Rear(Straight, Head)],
    &[Lead(Hook, Head)],
    &[Lead(Hook, Body), Lead(Hook, Head)],
    &[Lead(Straight, Head), Rear(Hook, Head)],
    &[Rear(Hook, Body), Lead(Hook, Head), Rear(Straight, Head)],
    &[Rear(Uppercut, Head)],
    &[Lead(Straight, Head), Rear(Uppercut, Head), Lead(Hook, Head)],
    &[Lead(Uppercut, Head), Rear(Straight, Head)],
    &[Lead(Uppercut, Body), Rear(Hook, Head)],
    &[Duck, Lead(Hook, Head), Rear(Straight, Head)],
    &[Duck, Rear(Uppercut, Head)],
    &[SlipLeft, Rear(Straight, Head)],
    &[SlipRight, Lead(Hook, Body), Rear(Straight, Head)],
    &[SlipLeft, SlipRight, Lead(Straight, Head)],
    &[LeadParry, Rear(Straight, Head)],
    &[RearParry, Lead(Straight, Head), Rear(Straight, Head)],
    &[Cover],
    &[Cover, Rear(Straight, Head), Lead(Hook, Head)],
    &[Sway, Rear(Straight, Head)],
    &[Sway],
    &[Duck],
    &[SlipRight, SlipLeft],
    &[JumpBack],
    &[JumpBack, Lead(Straight, Head), Rear(Straight, Head)],
    &[LeadKick(Front, Body)],
    &[RearKick(Front, Body)],
    &[RearKick(Front, Head)],
    &[LeadKick(Round, Body)],
    &[RearKick(Round, Body)],
    &[RearKick(Round, Head)],
    &[LeadKick(Round, Legs)],
    &[RearKick(Round, Legs)],
    &[Lead(Straight, Head), Rear(Straight, Head), RearKick(Round, Legs)],
    &[Lead(Straight, Head), RearKick(Round, Body)],
    &[Switch],
    &[Switch],
];

/// How somebody goes about boxing.
pub(crate) struct Manner {
    /// Hops per second when nothing else is done (Hz).
    pub(crate) tempo: f32,
    /// How long both feet are in the air (s).
    pub(crate) flight: f32,
    /// How fast blows are (-).
    pace: f32,
    /// Between the blows of a combination (s).
    beat: f32,
    /// Hops between phrases, at least and at most.
    hops: [u32; 2],
    /// Lowers the stance by so much (-).
    low: f32,
}

impl Manner {
    pub(crate) fn of(temperament: Temperament) -> Manner {
        match temperament {
            Temperament::Calm => {
                Manner { tempo: 2.42, flight: 0.13, pace: 0.98, beat: 0.34, hops: [1, 5], low: 0.0 }
            }
            Temperament::Fierce => {
                Manner { tempo: 2.5, flight: 0.128, pace: 1.0, beat: 0.31, hops: [1, 4], low: 0.012 }
            }
        }
    }
}

impl Manner {
    /// How somebody of this manner stands.
    pub(crate) fn stance(&self) -> Stance {
        Stance { height: Stance::BOXER.height - self.low, ..Stance::BOXER }
    }
}

/// One take.
pub(super) fn perform(casting: &Casting, take: usize, seconds: f32) -> Performance {
    let mut rng = ChaCha8Rng::seed_from_u64(casting.seed);
    rng.set_stream(take as u64);
    let manner = Manner::of(casting.temperament);
    let origin = Placement { position: Ground::default(), heading: rng.random_range(0.0..TAU) };
    let body = Arc::new(casting.build.body());
    let boxer = Boxer::new(body, manner.stance(), origin, rng.random());
    let mut routine = Routine { boxer, manner, rng, idle_since: None, planted: Vec::new() };
    routine.boxer.pace = routine.manner.pace;
    routine.play(seconds, take % 2 == 1);
    let name = format!("shadow-boxing-{}", take + 1);
    let clip = routine.boxer.clip(&name, seconds);
    let mut script = routine.boxer.script;
    script.retain(|beat| beat.end <= seconds);
    script.sort_by(|a, b| a.start.total_cmp(&b.start));
    Performance { name, body: Arc::clone(routine.boxer.performer.body()), clip, script }
}

struct Routine {
    boxer: Boxer,
    manner: Manner,
    rng: ChaCha8Rng,
    /// When the hops on the spot began that nothing was noted for (s).
    idle_since: Option<f32>,
    /// When the feet must not be in the air (s), in order of time.
    planted: Vec<(f32, f32)>,
}

/// How far from where they began people stay (m).
const ROOM: f32 = 1.8;

impl Routine {
    fn play(&mut self, seconds: f32, begins_switched: bool) {
        self.boxer.landed = 0.1;
        self.idle_since = Some(0.0);
        if begins_switched {
            self.act(Switch, 0.3);
        }
        let mut deck: Vec<&[Act]> = Vec::new();
        while self.boxer.landed < seconds {
            self.planted.clear();
            for _ in 0..self.rng.random_range(self.manner.hops[0]..=self.manner.hops[1]) {
                self.move_about();
            }
            if deck.is_empty() {
                deck.extend_from_slice(PHRASES);
                deck.shuffle(&mut self.rng);
            }
            if let Some(phrase) = deck.pop() {
                self.phrase(phrase);
            }
        }
    }

    /// One hop: on the spot, a step in one of eight directions, or a turn.
    fn move_about(&mut self) {
        let here = self.boxer.performer.path().last();
        let away = libm::hypotf(here.position.x, here.position.z);
        let kind: f32 = self.rng.random();
        let homewards = away > ROOM;
        if kind < 0.36 && !homewards {
            self.idle_hop();
        } else if kind < 0.80 || homewards {
            // Home, as one of the eight directions, or anywhere.
            let home = here.point_from_world(glam::Vec3::ZERO);
            let eighth = if homewards {
                libm::roundf(libm::atan2f(home.x, home.z) / FRAC_PI_4) as i32
            } else {
                self.rng.random_range(0..8)
            };
            self.step(eighth.rem_euclid(8));
        } else {
            let turn = self.rng.random_range(0.35..0.75f32);
            let turn = if self.rng.random() { turn } else { -turn };
            self.turn(turn);
        }
    }

    fn stance_time(&mut self) -> f32 {
        let period = 1.0 / self.manner.tempo;
        (period - self.manner.flight - STAGGER) * self.boxer.about(0.10)
    }

    fn idle_hop(&mut self) {
        let takeoff = self.boxer.landed + self.stance_time();
        let stray = Placement {
            position: Ground { x: self.boxer.spread(0.03), z: self.boxer.spread(0.03) },
            heading: self.boxer.spread(0.08),
        };
        let to = self.boxer.performer.path().last().then(stray);
        self.idle_since.get_or_insert(self.boxer.landed);
        let flight = self.manner.flight * self.boxer.about(0.12);
        self.boxer.shuffle(Shuffle { takeoff, flight, to });
    }

    /// A step: 0 is ahead, then on to the left in eighths of a turn.
    fn step(&mut self, eighth: i32) {
        self.idle_ends();
        let angle = eighth as f32 * FRAC_PI_4 + self.boxer.spread(0.15);
        let length = self.rng.random_range(0.17..0.34f32);
        let position = Ground { x: length * libm::sinf(angle), z: length * libm::cosf(angle) };
        // Steps to the side go round the opponent who is not there.
        let heading = -0.45 * position.x + self.boxer.spread(0.05);
        let start = self.boxer.landed;
        let takeoff = start + self.stance_time();
        let to = self.boxer.performer.path().last().then(Placement { position, heading });
        let flight = self.manner.flight * self.boxer.about(0.1) + 0.02;
        self.boxer.shuffle(Shuffle { takeoff, flight, to });
        let end = self.boxer.landed;
        self.boxer.note(Annotation::of(STEPS[eighth as usize % 8]), start, None, end);
    }

    fn turn(&mut self, by: f32) {
        self.idle_ends();
        let start = self.boxer.landed;
        let takeoff = start + self.stance_time();
        let to =
            self.boxer.performer.path().last().then(Placement { position: Ground::default(), heading: by });
        let flight = self.manner.flight + 0.02;
        self.boxer.shuffle(Shuffle { takeoff, flight, to });
        let name = if by > 0.0 { "turn-left" } else { "turn-right" };
        let end = self.boxer.landed;
        self.boxer.note(Annotation::of(name), start, None, end);
    }

    fn idle_ends(&mut self) {
        if let Some(since) = self.idle_since.take() {
            let end = self.boxer.landed;
            self.boxer.note(Annotation::of("idle"), since, None, end);
        }
    }

    /// Does one thing after the other; the feet hop on wherever they may.
    fn phrase(&mut self, phrase: &[Act]) {
        self.idle_ends();
        let mut t = self.boxer.landed + 0.04;
        for act in phrase {
            t = self.act(*act, t);
        }
        self.hops_until(t - 0.15);
    }

    /// Hops between blows until a time (s): forward while attacking.
    fn hops_until(&mut self, t: f32) {
        let flight = self.manner.flight;
        loop {
            let mut takeoff = self.boxer.landed + self.stance_time();
            while let Some((_, end)) =
                self.planted.iter().find(|(start, end)| takeoff < *end && takeoff + flight > *start)
            {
                takeoff = end + 0.005;
            }
            if takeoff > t {
                // Stands until then.
                self.boxer.landed = self.boxer.landed.max(takeoff - 0.24);
                return;
            }
            let ahead = 0.06 + self.boxer.spread(0.06);
            let position = Ground { x: self.boxer.spread(0.03), z: ahead };
            let to = self
                .boxer
                .performer
                .path()
                .last()
                .then(Placement { position, heading: self.boxer.spread(0.05) });
            let flight = flight * self.boxer.about(0.1);
            self.boxer.shuffle(Shuffle { takeoff, flight, to });
        }
    }

    /// One thing, begun at `t`; returns when the next may begin (s).
    fn act(&mut self, act: Act, t: f32) -> f32 {
        let (lead, rear) = (self.boxer.lead, other(self.boxer.lead));
        let beat = self.manner.beat * self.boxer.about(0.12);
        match act {
            Lead(fist, height) => {
                let impact = (t + 0.20).max(self.boxer.free[lead as usize] + 0.12);
                self.boxer.throw(fist, lead, height, impact);
                self.planted.push(if fist == Straight {
                    (impact - 0.02, impact)
                } else {
                    (impact - 0.1, impact + 0.03)
                });
                impact + beat - 0.20
            }
            Rear(fist, height) => {
                let impact = (t + 0.21).max(self.boxer.free[rear as usize] + 0.12);
                self.boxer.throw(fist, rear, height, impact);
                self.planted.push((impact - 0.1, impact + 0.03));
                impact + beat - 0.19
            }
            LeadKick(leg, height) => self.kick(leg, lead, height, t),
            RearKick(leg, height) => self.kick(leg, rear, height, t),
            Cover => {
                let hold = self.rng.random_range(0.15..0.4);
                self.boxer.cover(t + 0.17, hold)
            }
            LeadParry => self.boxer.parry(lead, t + 0.18) - 0.15,
            RearParry => self.boxer.parry(rear, t + 0.18) - 0.15,
            Duck => {
                self.planted.push((t + 0.08, t + 0.4));
                self.boxer.duck(t + 0.26) - 0.12
            }
            SlipLeft => self.slip(Side::Left, t),
            SlipRight => self.slip(Side::Right, t),
            Sway => {
                self.planted.push((t + 0.1, t + 0.35));
                self.boxer.sway(t + 0.22) - 0.1
            }
            JumpBack => {
                self.hops_until(t - 0.1);
                let length = self.rng.random_range(0.40..0.60f32);
                let back = Placement { position: Ground { x: 0.0, z: -length }, heading: 0.0 };
                let to = self.boxer.performer.path().last().then(back);
                let takeoff = t.max(self.boxer.landed) + 0.16;
                self.boxer.shuffle(Shuffle { takeoff, flight: 0.19, to });
                let end = self.boxer.landed;
                self.boxer.note(Annotation::of("jump-back"), takeoff - 0.18, Some(takeoff + 0.1), end);
                end
            }
            Switch => {
                let takeoff = t.max(self.boxer.landed) + 0.16;
                self.boxer.switch(takeoff, 0.15);
                self.boxer.landed
            }
        }
    }

    fn slip(&mut self, side: Side, t: f32) -> f32 {
        self.planted.push((t + 0.12, t + 0.26));
        self.boxer.slip(side, t + 0.2) - 0.08
    }

    fn kick(&mut self, leg: Leg, side: Side, height: Height, t: f32) -> f32 {
        self.hops_until(t - 0.1);
        self.boxer.kick(leg, side, height, t.max(self.boxer.landed))
    }
}
