//! A short bout of two boxers, set by hand: who does what, when, and where it lands.

use std::sync::Arc;

use glam::Vec3;
use randori_motion::take::Color;
use randori_motion::{Bone, Build, Character, Event, EventKind, Ground, Placement, Side, Take};

use crate::boxing::{Boxer, Fist, Height, Shuffle};
use crate::performer::Stance;
use crate::stroke::{Channel, Stroke};

/// How long the bout lasts (s).
const DURATION: f32 = 9.0;

const BLUE: Color = [0.10, 0.30, 0.72];
const RED: Color = [0.74, 0.13, 0.10];

/// Two people spar: jabs, slips, a block, a duck under a hook, a counter that lands.
///
/// ```
/// let take = randori_actor::sparring(1);
/// assert_eq!(take.characters.len(), 2);
/// assert!(take.validate().is_ok());
/// ```
pub fn sparring(seed: u64) -> Take {
    let place = |x: f32, z: f32, heading: f32| Placement { position: Ground { x, z }, heading };
    let half_turn = std::f32::consts::PI;
    let mut bout = Bout {
        boxers: [
            boxer(Build::AVERAGE, place(0.0, -0.68, 0.0), seed),
            boxer(Build::SLIM, place(0.0, 0.68, half_turn), seed.wrapping_add(1)),
        ],
        events: Vec::new(),
    };
    let (blue, red) = (Who::Blue, Who::Red);

    // Feeling out: a step to the side, a jab that red sways away from.
    bout.move_to(blue, 0.85, place(0.10, -0.64, -0.05));
    bout.move_to(red, 1.10, place(-0.06, 0.66, half_turn - 0.06));
    bout.throw(blue, Blow::Jab, 1.55, Outcome::Misses);
    bout.boxer(red).sway(1.50);

    // A jab and a straight into red's cover.
    bout.move_to(blue, 2.25, place(0.08, -0.56, -0.06));
    bout.throw(blue, Blow::Jab, 2.42, Outcome::Blocked);
    bout.throw(blue, Blow::Straight, 2.74, Outcome::Blocked);
    bout.boxer(red).cover(2.30, 0.55);

    // Red answers with a hook; blue ducks under it and digs a right into the ribs.
    bout.move_to(red, 3.30, place(-0.02, 0.58, half_turn - 0.08));
    bout.throw(red, Blow::Hook, 3.72, Outcome::Misses);
    bout.boxer(blue).duck(3.68);
    bout.throw(blue, Blow::Body, 4.22, Outcome::Lands);
    bout.move_to(red, 4.78, place(0.10, 0.86, half_turn + 0.05));

    // Both circle, then red comes back with a one-two: blue slips both.
    bout.move_to(blue, 5.35, place(-0.16, -0.52, 0.16));
    bout.move_to(red, 5.75, place(0.22, 0.74, half_turn + 0.20));
    bout.throw(red, Blow::Jab, 6.30, Outcome::Misses);
    bout.boxer(blue).slip(Side::Left, 6.26);
    bout.throw(red, Blow::Straight, 6.66, Outcome::Misses);
    bout.boxer(blue).slip(Side::Right, 6.64);

    // A step in, and the counter lands and sends red back.
    bout.move_to(blue, 7.02, place(-0.06, -0.26, 0.20));
    bout.throw(blue, Blow::Straight, 7.12, Outcome::Lands);
    bout.move_to(red, 7.72, place(0.34, 1.12, half_turn + 0.22));
    bout.move_to(blue, 8.20, place(-0.02, -0.12, 0.24));

    bout.take(seed)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Who {
    Blue,
    Red,
}

impl Who {
    fn other(self) -> Who {
        match self {
            Who::Blue => Who::Red,
            Who::Red => Who::Blue,
        }
    }

    fn name(self) -> String {
        match self {
            Who::Blue => "blue".to_owned(),
            Who::Red => "red".to_owned(),
        }
    }
}

#[derive(Clone, Copy)]
enum Blow {
    /// The front hand, straight.
    Jab,
    /// The rear hand, straight.
    Straight,
    /// The front hand, from the side.
    Hook,
    /// The rear hand, low.
    Body,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Lands,
    Blocked,
    /// It goes where the head would have been.
    Misses,
}

struct Bout {
    boxers: [Boxer; 2],
    events: Vec<Event>,
}

fn boxer(build: Build, placement: Placement, seed: u64) -> Boxer {
    let mut boxer = Boxer::new(Arc::new(build.body()), Stance::BOXER, placement, seed);
    boxer.look_at(placement.point(Vec3::new(0.0, 1.5, 1.3)));
    boxer
}

impl Bout {
    fn boxer(&mut self, who: Who) -> &mut Boxer {
        &mut self.boxers[who as usize]
    }

    /// Hops on the spot until it is time to be elsewhere at `landed`.
    fn move_to(&mut self, who: Who, landed: f32, to: Placement) {
        const FLIGHT: f32 = 0.13;
        let boxer = self.boxer(who);
        let takeoff = landed - FLIGHT - 0.05;
        boxer.hop_until(takeoff - 0.22);
        boxer.shuffle(Shuffle { takeoff, flight: FLIGHT, to });
    }

    /// A blow that arrives at `t`, with the whole body behind it.
    fn throw(&mut self, who: Who, blow: Blow, t: f32, outcome: Outcome) {
        let target = self.target(who, blow, t, outcome);
        let (fist, side, height) = match blow {
            Blow::Jab => (Fist::Straight, Side::Left, Height::Head),
            Blow::Straight => (Fist::Straight, Side::Right, Height::Head),
            Blow::Hook => (Fist::Hook, Side::Left, Height::Head),
            Blow::Body => (Fist::Straight, Side::Right, Height::Body),
        };
        self.boxer(who).throw_at(fist, side, height, t, Some(target));
        self.tell(who, blow, t, outcome, side, target);
    }

    /// Where the fist goes: the surface of what it hits, as it will be when it arrives.
    fn target(&self, who: Who, blow: Blow, t: f32, outcome: Outcome) -> Vec3 {
        let (me, other) =
            (self.boxers[who as usize].performer(), self.boxers[who.other() as usize].performer());
        let bone = if matches!(blow, Blow::Body) { Bone::Spine } else { Bone::Head };
        let place = other.place_of(bone, t);
        let towards_me = (me.place_of(bone, t) - place).with_y(0.0).normalize_or(Vec3::Z);
        let (height, surface) = match (blow, outcome) {
            (Blow::Body, _) => (0.05, 0.13),
            // Gloves held before the face.
            (_, Outcome::Blocked) => (0.04, 0.24),
            (_, Outcome::Lands) => (0.06, 0.10),
            (_, Outcome::Misses) => (0.06, 0.04),
        };
        place + Vec3::Y * height + surface * towards_me
    }

    /// What the other one feels, and what the take says of it.
    fn tell(&mut self, who: Who, blow: Blow, t: f32, outcome: Outcome, side: Side, target: Vec3) {
        let other = self.boxer(who.other());
        let mut push = |channel, rise, hold, fall, amount| {
            other.stroke(Stroke { channel, start: t - 0.01, rise, hold, fall, amount });
        };
        match (blow, outcome) {
            (_, Outcome::Misses) => {}
            (_, Outcome::Blocked) => {
                push(Channel::Bow, 0.09, 0.0, 0.30, -0.10);
                push(Channel::Ahead, 0.10, 0.0, 0.35, -0.04);
            }
            (Blow::Body, Outcome::Lands) => {
                push(Channel::Bow, 0.12, 0.05, 0.60, 0.38);
                push(Channel::Ahead, 0.12, 0.05, 0.50, -0.14);
                push(Channel::Crouch, 0.14, 0.05, 0.50, 0.07);
                push(Channel::HeadNod, 0.13, 0.05, 0.50, 0.25);
            }
            (_, Outcome::Lands) => {
                push(Channel::HeadNod, 0.09, 0.0, 0.50, -0.55);
                push(Channel::HeadTurn, 0.09, 0.02, 0.55, 0.45);
                push(Channel::Bow, 0.13, 0.05, 0.60, -0.30);
                push(Channel::Ahead, 0.14, 0.10, 0.60, -0.16);
                push(Channel::ChestTurn, 0.13, 0.05, 0.60, 0.25);
                push(Channel::Crouch, 0.20, 0.05, 0.60, 0.05);
            }
        }
        let kind = match outcome {
            Outcome::Lands => EventKind::Hit,
            Outcome::Blocked => EventKind::Blocked,
            Outcome::Misses => return,
        };
        let mut event = Event::new(f64::from(t), kind);
        event.who = Some(who.name());
        event.whom = Some(who.other().name());
        event.part = Some(Bone::LeftHand.on(side).name().to_owned());
        let point = serde_json::json!([target.x, target.y, target.z]);
        event.details.insert("point".to_owned(), point);
        self.events.push(event);
    }

    fn take(self, seed: u64) -> Take {
        let mut take = Take::new("sparring", seed);
        for (mut boxer, (who, color)) in self.boxers.into_iter().zip([(Who::Blue, BLUE), (Who::Red, RED)]) {
            boxer.hop_until(DURATION + 1.0);
            let clip = boxer.clip("sparring", DURATION);
            let body = Arc::clone(boxer.performer().body());
            take.characters.push(Character { name: who.name(), color, body, enter: 0.0, clip });
        }
        take.events = self.events;
        for event in &mut take.events {
            event.speed = speed_of_blow(&take.characters, event);
        }
        take
    }
}

/// How fast the hand of an event is at its fastest in the last moment before it arrives (m/s).
fn speed_of_blow(characters: &[Character], event: &Event) -> Option<f64> {
    const FRAME: f64 = 1.0 / 60.0;
    const LAST_FRAMES: usize = 5;
    let character = characters.iter().find(|character| Some(&character.name) == event.who.as_ref())?;
    let skeleton = character.clip.skeleton();
    let hand = skeleton.bone(Bone::from_name(event.part.as_deref()?)?)?;
    let place = |frames: usize| {
        let t = event.t - frames as f64 * FRAME;
        skeleton.global_pose(character.clip.sample(t).view()).positions[hand.idx()]
    };
    let speed = |frames: usize| f64::from(place(frames).distance(place(frames + 1))) / FRAME;
    Some((0..LAST_FRAMES).map(speed).fold(0.0, f64::max))
}
