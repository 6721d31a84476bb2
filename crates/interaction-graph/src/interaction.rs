//! How much two people have to do with each other: what exploring is led by, whatever anybody is after.
//!
//! Reference: \[Shum2008b\], section 5.3: J2 is defined by whoever uses the graph, by the activity.

use randori_arena::bodies::Doing;
use randori_arena::hits::Part;
use randori_arena::stage::{Moment, Outcome, Stage};
use randori_motion::annotation::Kind;

/// J2: the amount of interaction in what somebody did.
///
/// It is asked of every action that is explored, from the moment before it, and what came of it. Whoever acts is the
/// first in the cast. `None` means that the two must not get into this at all.
pub trait Interaction: Sync {
    /// How much there is, in interactions (-).
    fn amount(&self, stage: &Stage, before: &Moment, doing: &Doing, outcome: &Outcome) -> Option<f32>;
}

/// Attacks within reach, and defences that keep them off, of both.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fighting;

impl Interaction for Fighting {
    fn amount(&self, _: &Stage, before: &Moment, _: &Doing, outcome: &Outcome) -> Option<f32> {
        let met = |who: u16| outcome.landed.iter().filter(move |landed| landed.who == who);
        let lands = |who: usize| met(who as u16).next().is_some() || outcome.next.people[who].ahead.is_some();
        let attacks = [0, 1].iter().filter(|who| lands(**who)).count();
        // A blow that was going to meet its victim and does not any more, or meets an arm instead.
        let avoided = before.people[1].ahead.is_some() && !lands(1);
        let blocked = outcome.landed.iter().filter(|landed| landed.hit.part() == Part::Limb).count();
        Some(attacks as f32 + f32::from(u8::from(avoided)) + blocked as f32)
    }
}

/// Hands that catch, or nearly do, and steps that get out of their reach.
#[derive(Clone, Copy, Debug)]
pub struct Chasing {
    /// How near is a chase (m).
    pub near: f32,
}

impl Default for Chasing {
    fn default() -> Chasing {
        Chasing { near: 3.0 }
    }
}

impl Interaction for Chasing {
    fn amount(&self, stage: &Stage, before: &Moment, doing: &Doing, outcome: &Outcome) -> Option<f32> {
        let bodies = &stage.cast[0].bodies;
        let (distance, _) = stage.relation(before, (0, doing), 1, doing.end(bodies));
        let catches = bodies.of_action(doing.action).kind == Kind::Attack;
        let caught = !outcome.landed.is_empty() || outcome.next.people.iter().any(|it| it.ahead.is_some());
        let escaped = before.people[1].ahead.is_some() && outcome.next.people[1].ahead.is_none();
        let nearness = (1.0 - distance / self.near).max(0.0);
        let count = |it: bool| f32::from(u8::from(it));
        Some(nearness + count(caught) + count(escaped) + 0.5 * count(catches && distance < self.near))
    }
}

/// A distance kept between two thresholds.
#[derive(Clone, Copy, Debug)]
pub struct Carrying {
    /// The least and the most that two who carry something may be apart (m).
    pub apart: [f32; 2],
}

impl Interaction for Carrying {
    fn amount(&self, stage: &Stage, _: &Moment, _: &Doing, outcome: &Outcome) -> Option<f32> {
        let tick = outcome.next.tick;
        let [a, b] = [0, 1].map(|who| stage.position(&outcome.next, who, tick));
        let [least, most] = self.apart;
        let distance = a.distance(b);
        let middle = 0.5 * (least + most);
        let off = (distance - middle).abs() / (0.5 * (most - least)).max(1e-6);
        (off <= 1.0).then_some(1.0 - off)
    }
}
