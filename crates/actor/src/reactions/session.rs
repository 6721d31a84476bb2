//! A session: somebody in guard is struck again and again, and what becomes of it.

use std::f32::consts::TAU;
use std::sync::Arc;

use glam::Vec3;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use randori_motion::{Annotation, Clip, FrameRate, Ground, Placement, Pose, Side};

use super::falls::{Course, Fall};
use super::hits::Blow;
use super::keys::Key;
use super::tumble::Tumble;
use crate::boxing::{self, Shuffle};
use crate::fighter::Fighter;
use crate::figure::Posture;
use crate::fling::Fling;
use crate::footwork::Plant;
use crate::performance::{Casting, Performance};
use crate::performer::{other, sign};
use crate::stroke::{Channel, Stroke};
use crate::sword::{self, BLADE, Track};
use crate::timeline::Timeline;

/// How much sooner than the whole reaction the sudden half of it is there (-).
const SUDDEN: f32 = 0.45;

/// What befalls somebody.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ordeal {
    /// A blow that is taken standing.
    Hit { blow: Blow, heavy: bool },
    /// A blow that sends somebody back several steps.
    Stagger,
    /// A blow that fells somebody.
    Fall(Fall),
}

impl Ordeal {
    /// The longest it takes, with the hop before it (s).
    fn longest(self) -> f32 {
        match self {
            Ordeal::Hit { .. } => 1.6,
            Ordeal::Stagger => 2.6,
            Ordeal::Fall(_) => 5.8,
        }
    }
}

/// Who is struck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Victim {
    Boxer,
    Swordsman,
}

/// The takes of a session in order: what was not done in one is done in the next.
pub(super) fn perform(casting: &Casting, victim: Victim, n_takes: usize, seconds: f32) -> Vec<Performance> {
    let mut rng = ChaCha8Rng::seed_from_u64(casting.seed ^ 0x7265_6163_7469);
    let mut deck = Deck::default();
    (0..n_takes)
        .map(|take| {
            let mut session = Session::new(casting, victim, rng.random());
            // Two takes of three have a boxer's left side ahead; swords are always held in the right hand.
            session.play(seconds, victim == Victim::Boxer && take % 3 == 2, &mut deck);
            let whose = if victim == Victim::Boxer { "" } else { "sword-" };
            session.performance(&format!("{whose}reactions-{}", take + 1), seconds)
        })
        .collect()
}

/// What is still to be suffered, drawn from the end.
#[derive(Default)]
struct Deck {
    cards: Vec<Ordeal>,
    n_falls: usize,
}

impl Deck {
    const FALLS: [Fall; 4] = [Fall::Back, Fall::Aside(Side::Right), Fall::Forward, Fall::Aside(Side::Left)];

    /// The next ordeal that is over in so many seconds, if there is one.
    fn draw(&mut self, within: f32, rng: &mut ChaCha8Rng) -> Option<Ordeal> {
        if self.cards.is_empty() {
            self.cards.extend(
                [false, true].into_iter().flat_map(|heavy| Blow::ALL.map(|blow| Ordeal::Hit { blow, heavy })),
            );
            self.cards.extend([Ordeal::Stagger; 2]);
            for _ in 0..2 {
                self.cards.push(Ordeal::Fall(Deck::FALLS[self.n_falls % Deck::FALLS.len()]));
                self.n_falls += 1;
            }
            self.cards.shuffle(rng);
        }
        let at = self.cards.iter().rposition(|card| card.longest() <= within)?;
        Some(self.cards.remove(at))
    }
}

struct Session {
    boxer: Fighter,
    /// The sword of a swordsman, who steps where a boxer hops.
    sword: Option<Track>,
    /// Hops or steps per second, and how long both feet of one who hops are in the air (Hz, s).
    tempo: f32,
    flight: f32,
    rng: ChaCha8Rng,
    flings: Timeline<Fling>,
    tumbles: Timeline<Tumble>,
}

impl Session {
    fn new(casting: &Casting, victim: Victim, seed: u64) -> Session {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let origin = Placement { position: Ground::default(), heading: rng.random_range(0.0..TAU) };
        let boxing = boxing::Manner::of(casting.temperament);
        let body = casting.build.body();
        let (body, stance, lead, sword) = match victim {
            Victim::Boxer => (body, boxing.stance(), Side::Left, None),
            Victim::Swordsman => {
                let stance = sword::Manner::of(casting.temperament).stance();
                (body.armed(BLADE), stance, Side::Right, Some(sword::in_guard()))
            }
        };
        Session {
            boxer: Fighter::leading(Arc::new(body), stance, origin, lead, rng.random()),
            sword,
            tempo: boxing.tempo,
            flight: boxing.flight,
            rng,
            flings: Timeline::default(),
            tumbles: Timeline::default(),
        }
    }

    fn play(&mut self, seconds: f32, begins_switched: bool, deck: &mut Deck) {
        self.boxer.landed = 0.1;
        if begins_switched {
            self.boxer.switch(0.3, 0.15);
        }
        self.hop();
        while let Some(ordeal) = deck.draw(seconds - self.boxer.landed, &mut self.rng) {
            match ordeal {
                Ordeal::Hit { blow, heavy } => self.hit(blow, heavy),
                Ordeal::Stagger => self.stagger(),
                Ordeal::Fall(fall) => self.fall(fall),
            }
            self.hop();
        }
        while self.boxer.landed < seconds + 0.5 {
            self.hop();
        }
    }

    /// Bounces once, and closes in a little on the one who strikes.
    fn hop(&mut self) {
        let period = 1.0 / self.tempo;
        let takeoff = self.boxer.landed + (period - self.flight - 0.05) * self.boxer.about(0.1);
        let here = self.boxer.performer().path().last();
        let home = here.point_from_world(Vec3::ZERO);
        let homewards = (0.12 * home).with_y(0.0).clamp_length_max(0.16);
        let stray = Placement {
            position: Ground {
                x: homewards.x + self.boxer.spread(0.04),
                z: homewards.z + self.boxer.spread(0.04),
            },
            heading: self.boxer.spread(0.12),
        };
        let to = here.then(stray);
        if self.sword.is_some() {
            let swing = 0.19 * self.boxer.about(0.1);
            self.boxer.landed = self.boxer.step_to(takeoff, to, swing, 0.035) + 0.05;
        } else {
            let flight = self.flight * self.boxer.about(0.12);
            self.boxer.shuffle(Shuffle { takeoff, flight, to });
        }
    }

    /// A blow that is taken standing; after a heavy one the feet catch up with the body.
    fn hit(&mut self, blow: Blow, heavy: bool) {
        let t = self.boxer.landed + 0.07 + 0.02 * self.rng.random::<f32>();
        let power = if heavy { 1.0 } else { 0.66 } * self.boxer.about(0.14);
        self.shake(blow, t, power);
        let peak = t + 0.15;
        let end = if heavy || self.rng.random_bool(0.4) {
            let way = blow.drives() * (if heavy { 0.24 } else { 0.10 } * self.boxer.about(0.25));
            let by = Placement {
                position: Ground { x: way.x, z: way.z },
                heading: -0.35 * way.x + self.boxer.spread(0.08),
            };
            let to = self.boxer.performer().path().last().then(by);
            // The feet follow the body.
            let swing = 0.19 * self.boxer.about(0.08);
            self.boxer.step_to(t + 0.09, to, swing, if heavy { 0.07 } else { 0.045 }) + 0.06
        } else {
            t + 0.34
        };
        self.boxer.landed = end;
        self.boxer.note(blow.annotation(), t, Some(peak), end);
    }

    /// Trunk, head and hands give way to a blow of some power (1 is heavy).
    fn shake(&mut self, blow: Blow, t: f32, power: f32) {
        // Light blows are over sooner.
        let slow = 0.75 + 0.25 * power;
        for shove in blow.shoves() {
            let amount = shove.amount * power * self.boxer.about(0.15);
            let fall = shove.fall * slow * self.boxer.about(0.1);
            let start = t + shove.delay;
            // A blow gives its speed at once; what it moves comes to rest more slowly.
            let sudden = SUDDEN * shove.rise;
            let shapes =
                [(sudden, shove.hold + 1.3 * shove.rise - sudden, 0.6), (1.3 * shove.rise, shove.hold, 0.4)];
            for (rise, hold, share) in shapes {
                let amount = share * amount;
                self.boxer.stroke(Stroke { channel: shove.channel, start, rise, hold, fall, amount });
            }
        }
        for side in Side::BOTH {
            let by = blow.flings(side) * power * self.boxer.about(0.3);
            let start = t + 0.02 + 0.02 * self.rng.random::<f32>();
            self.fling(side, [start, 0.14, 0.06, 0.42 * slow], by);
        }
    }

    fn fling(&mut self, side: Side, shape: [f32; 4], by: Vec3) {
        self.flings.push(Fling::new(side, shape, by));
    }

    /// A blow to the head takes the balance: several steps until the feet are under the body again.
    fn stagger(&mut self) {
        let t = self.boxer.landed + 0.07;
        let n_steps: usize = if self.rng.random_bool(0.35) { 6 } else { 4 };
        let blow = match self.rng.random_range(0..3) {
            0 => Blow::HeadSide(Side::Left),
            1 => Blow::HeadSide(Side::Right),
            _ => Blow::HeadFront,
        };
        self.shake(blow, t, 1.0);
        let length = 0.19 * n_steps as f32 * self.boxer.about(0.15);
        let way =
            (blow.drives() * Vec3::new(0.5, 0.0, 1.0) - 0.6 * Vec3::Z).normalize_or(Vec3::NEG_Z) * length;
        let from = self.boxer.performer().path().last();
        let stride = 0.205 * self.boxer.about(0.06);
        let swing = 0.175;
        let first = t + 0.11 + swing;
        let last = first + stride * (n_steps - 1) as f32;
        let turned = self.boxer.spread(0.3);
        let along = |share: f32| {
            let position = Ground { x: share * way.x, z: share * way.z };
            from.then(Placement { position, heading: share * turned })
        };
        // The body is ahead of its feet until they catch it.
        self.boxer.performer.glide(t + 0.02, last + 0.05, along(1.0));
        let rear = other(self.boxer.lead);
        for k in 0..n_steps {
            let side = if k % 2 == 0 { rear } else { self.boxer.lead };
            let share = ((k as f32 + 1.25) / (n_steps - 1) as f32).min(1.0);
            let lift = 0.06 * self.boxer.about(0.2);
            self.boxer.plant(side, along(share), first + stride * k as f32, swing, lift);
            // Each foot takes the weight with a dip and a lurch to its side.
            let start = first + stride * k as f32 - 0.03;
            let lurch = 0.17 * sign(side) * self.boxer.about(0.4);
            for (channel, amount) in
                [(Channel::Crouch, 0.06), (Channel::Lean, lurch), (Channel::Aside, 0.3 * lurch)]
            {
                self.boxer.stroke(Stroke { channel, start, rise: 0.12, hold: 0.0, fall: 0.26, amount });
            }
        }
        let (rise, hold, fall) = (0.22, last - t - 0.25, 0.45);
        for (channel, amount) in [
            (Channel::Bow, -0.34),
            (Channel::Crouch, 0.05),
            (Channel::Ahead, -0.06),
            (Channel::HeadNod, 0.12),
        ] {
            let amount = amount * self.boxer.about(0.2);
            self.boxer.stroke(Stroke { channel, start: t + 0.08, rise, hold, fall, amount });
        }
        for side in Side::BOTH {
            // Arms go out for balance, not together.
            let out = sign(side);
            let by = Vec3::new(0.27 * out, -0.30, -0.12) * self.boxer.about(0.2);
            let late = 0.05 + 0.12 * self.rng.random::<f32>();
            self.fling(side, [t + late, 0.26, hold - 0.15, 0.45], by);
            let wave = Vec3::new(0.08 * out, 0.22, 0.04) * self.boxer.about(0.3);
            self.fling(side, [t + 0.35 + late, 0.18, 0.0, 0.24], wave);
        }
        let end = last + 0.16;
        self.boxer.landed = end;
        self.boxer.note(Annotation::of("stagger"), t, Some(0.5 * (t + last)), end);
    }

    /// A blow that fells somebody, who lies a while and gets up into the guard.
    fn fall(&mut self, fall: Fall) {
        let t = self.boxer.landed + 0.07;
        let lies = self.rng.random_range(0.25..0.75f32);
        let course = Course::of(fall, self.boxer.lead, lies);
        let (yaw, far) = (self.boxer.spread(0.16), self.boxer.about(0.05));
        let pace = self.boxer.about(0.05);
        let keys: Vec<Key> =
            course.keys.iter().map(|key| self.varied(*key, &course, yaw, far, pace)).collect();

        let from = self.boxer.performer().path().at(t);
        let stature = self.boxer.performer().figure().stature();
        let ends =
            glam::Quat::from_rotation_y(yaw) * Vec3::new(course.ends.x, 0.0, course.ends.z) * (far * stature);
        let to = from.then(Placement { position: Ground { x: ends.x, z: ends.z }, heading: yaw });
        // Where the guard is taken up again, while nobody sees it.
        let [still, rises, up] = [course.still, course.rises, course.up].map(|at| t + pace * at);
        self.boxer.performer.glide(t + 0.2, rises, to);
        for side in Side::BOTH {
            let placement = self.boxer.performer().foot_place(to, side, self.boxer.lead);
            self.boxer.performer.step(side, Plant { landed: rises, swing: 0.3, lift: 0.0, placement });
        }
        let performer = self.boxer.performer();
        let (begins, ends) = (self.standing(t), self.standing(up));
        let lies = (pace * course.still - 0.2, pace * course.rises + 0.2);
        let tumble = Tumble::new(performer.figure(), from, [(t, &begins), (up, &ends)], &keys, lies);
        self.tumbles.push(tumble);
        self.boxer.landed = up - 0.06;
        self.boxer.note(Annotation::of("knock-down"), t, Some(t + pace * course.down), still);
        self.boxer.note(Annotation::of("get-up"), rises, Some(0.5 * (rises + up)), up);
    }

    /// A key of a fall as it is this time: another way, another pace, a little more or less.
    fn varied(&mut self, key: Key, course: &Course, yaw: f32, far: f32, pace: f32) -> Key {
        // Feet still stand where the guard had them when the fall begins.
        let mut key = if key.t > 0.45 { key.turned(yaw, far) } else { key };
        let is_lying = (course.still..=course.rises).contains(&key.t);
        if !is_lying {
            for tilt in [&mut key.pelvis, &mut key.chest, &mut key.head] {
                tilt.ahead += self.boxer.spread(0.03);
                tilt.left += self.boxer.spread(0.03);
                tilt.twist += self.boxer.spread(0.05);
            }
        }
        key.t *= pace;
        key
    }

    /// The posture at a time without flings and falls.
    fn standing(&self, t: f32) -> Posture {
        let performer = self.boxer.performer();
        let mut posture = performer.posture(t);
        if let Some(track) = &self.sword {
            sword::hold(performer, track, &mut posture, t);
        }
        posture
    }

    fn pose(&self, t: f32) -> Pose {
        let performer = self.boxer.performer();
        let mut posture = self.standing(t);
        let facing = performer.path().at(t).rotation();
        for fling in self.flings.under_way(t) {
            posture.hands[fling.side as usize].wrist += fling.at(facing, t);
        }
        for tumble in self.tumbles.under_way(t) {
            posture = tumble.posture(performer.figure(), &posture, t);
        }
        performer.figure().keep_off_the_floor(&mut posture);
        performer.figure().pose(&posture)
    }

    fn performance(self, name: &str, seconds: f32) -> Performance {
        let rate = FrameRate::HOUSE;
        let n_frames = (f64::from(seconds) * rate.fps()) as usize + 1;
        let poses = (0..n_frames).map(|frame| self.pose(rate.time_of(frame) as f32));
        let body = Arc::clone(self.boxer.performer().body());
        let clip = Clip::from_poses(name, Arc::clone(&body.skeleton), rate, poses)
            .expect("keys, strokes and their sums are finite");
        let mut script = self.boxer.script;
        script.retain(|beat| beat.end <= seconds);
        Performance { name: name.to_owned(), body, clip, script }
    }
}
