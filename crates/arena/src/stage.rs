//! A stage: who is on it, what everybody does at a moment, and what comes of the next action.
//!
//! Planners ask what would happen, scenes what does happen: it is the same [`Stage::simulate`]. It knows no reward.
//! Time runs from one decision to the next: everybody goes on with what they do until somebody's action ends, or is cut
//! short by a blow, which a reaction answers that nobody chose.
//!
//! Reference: \[Shum2012\], section V-A, figures 3 to 5.

use std::ops::Range;
use std::sync::Arc;

use randori_motion::annotation::Kind;
use randori_motion::{ActionId, Bone, Ground};
use smallvec::SmallVec;

use crate::bodies::{Bodies, Brief, Doing, Rigid};
use crate::hits::{self, Hit, Part};
use crate::reactions::{Answer, Blow, Reactions};

/// Who is on it, and what it is about: all that does not change from one moment to the next.
#[derive(Clone, Debug)]
pub struct Stage {
    /// Everybody, also those who have not entered yet.
    pub cast: Vec<Cast>,
    /// What a blow does.
    pub contest: Contest,
}

/// Somebody on a stage.
#[derive(Clone, Debug)]
pub struct Cast {
    /// What they can do, and the volume of their body.
    pub bodies: Arc<Bodies>,
    /// How they take blows; `None` for somebody whom nothing moves.
    pub reactions: Option<Arc<Reactions>>,
    /// Whose side they are on. People of one side do not hit each other.
    pub side: u8,
    /// The impulse that knocks them down: see [`Reactions::answer`].
    pub poise: f32,
}

/// What a blow does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Contest {
    /// It hurts head and trunk, and is stopped by arms and legs.
    #[default]
    Fight,
    /// It catches whatever it meets, and hurts nobody.
    Chase,
}

/// What everybody does at one moment. Ticks are sixtieths of a second.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// Now.
    pub tick: i32,
    /// One for each of the cast.
    pub people: SmallVec<[Person; 2]>,
}

/// What somebody does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Person {
    /// The action under way.
    pub doing: Doing,
    /// The blow of this action has met something, or there was none.
    pub is_spent: bool,
    /// On the stage: others see and touch them.
    pub is_present: bool,
    /// What the blow under way will meet if everybody goes on.
    pub ahead: Option<Ahead>,
}

/// A blow that will land unless somebody does something about it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ahead {
    /// Who will be struck, by their place in the cast.
    pub whom: u16,
    /// Where and when.
    pub hit: Hit,
}

/// A blow that met something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Landed {
    /// Who struck.
    pub who: u16,
    /// Who was struck.
    pub whom: u16,
    /// With what action.
    pub action: ActionId,
    /// What the victim was doing.
    pub during: ActionId,
    /// Where, when and how hard.
    pub hit: Hit,
    /// The reaction that it forced; `None` for a blow that was blocked.
    pub answer: Option<Answer>,
    /// How that reaction is performed.
    pub reacting: Option<Doing>,
}

/// What came of an action.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The moment at which somebody decides next.
    pub next: Moment,
    /// All blows that met something on the way there, in order of time.
    pub landed: SmallVec<[Landed; 1]>,
}

/// How a body gets into others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penetration {
    /// Deeper than what was asked for, at any moment of the action.
    pub is_deeper: bool,
    /// How deep it is in its last frame (m); negative if it is not.
    pub at_end: f32,
}

impl Moment {
    /// Everybody in the first frame of an action, placed here; `None` for those who are not on the stage yet.
    pub fn opening(stage: &Stage, tick: i32, people: &[Option<(ActionId, Rigid)>]) -> Moment {
        let person = |(cast, start): (&Cast, &Option<(ActionId, Rigid)>)| {
            let (action, here) = start.unwrap_or((ActionId(0), Rigid::of(Default::default())));
            Person {
                doing: Doing::begin(&cast.bodies, action, tick, 0, here),
                is_spent: false,
                is_present: start.is_some(),
                ahead: None,
            }
        };
        let people = stage.cast.iter().zip(people).map(person).collect();
        let mut moment = Moment { tick, people };
        for who in 0..moment.people.len() {
            moment.people[who].ahead = stage.look_ahead(&moment, who);
        }
        moment
    }
}

impl Stage {
    /// Who decides now: the first in the cast whose action is over; `None` when nobody has anything to decide.
    pub fn turn(&self, moment: &Moment) -> Option<usize> {
        (0..moment.people.len())
            .find(|who| self.decides_at(moment, *who).is_some_and(|tick| tick <= moment.tick))
    }

    /// When somebody decides next; `None` for those who are not there, or lie where they fell.
    fn decides_at(&self, moment: &Moment, who: usize) -> Option<i32> {
        let (person, bodies) = (&moment.people[who], &self.cast[who].bodies);
        let goes_on = person.is_present && !bodies.of_action(person.doing.action).is_terminal;
        goes_on.then(|| person.doing.end(bodies))
    }

    /// What somebody could do next, whatever comes of it.
    pub fn options(&self, moment: &Moment, who: usize) -> &[Brief] {
        self.cast[who].bodies.options(moment.people[who].doing.action)
    }

    /// An action of somebody who decides now.
    pub fn begin(&self, moment: &Moment, who: usize, action: ActionId) -> Doing {
        let bodies = &self.cast[who].bodies;
        let here = moment.people[who].doing.root(bodies, moment.tick);
        Doing::begin(bodies, action, moment.tick, 0, here)
    }

    /// What happens if somebody does this: everything up to the next decision.
    pub fn simulate(&self, moment: &Moment, who: usize, action: ActionId) -> Outcome {
        self.perform(moment, who, self.begin(moment, who, action))
    }

    /// What happens if somebody does something, however it begins.
    pub fn perform(&self, moment: &Moment, who: usize, doing: Doing) -> Outcome {
        let mut next = moment.clone();
        self.start(&mut next, who, doing);
        let landed = self.run(&mut next, i32::MAX);
        Outcome { next, landed }
    }

    /// What lands up to the next decision if somebody does something, and what will land after it, without working out
    /// how the struck react.
    ///
    /// With two on the stage these are the blows of [`Stage::perform`], but for the reactions: whoever reacts strikes
    /// nobody. What everybody does in the next moment is not what it says.
    pub fn glimpse(&self, moment: &Moment, who: usize, doing: Doing) -> Outcome {
        let mut next = moment.clone();
        self.start(&mut next, who, doing);
        let landed = self.run_with(&mut next, i32::MAX, |moment, landed| {
            for blow in landed {
                let whom = blow.whom as usize;
                if self.is_answered(moment, whom, &blow.hit) {
                    let person = &mut moment.people[whom];
                    (person.is_spent, person.ahead) = (true, None);
                }
            }
        });
        Outcome { next, landed }
    }

    /// Lets somebody do something else from now on.
    pub fn start(&self, moment: &mut Moment, who: usize, doing: Doing) {
        let person = &mut moment.people[who];
        (person.doing, person.is_spent) = (doing, false);
        self.look_again(moment, who);
    }

    /// Runs time until somebody decides, but not beyond `limit`; says what landed.
    pub fn run(&self, moment: &mut Moment, limit: i32) -> SmallVec<[Landed; 1]> {
        self.run_with(moment, limit, |moment, landed| {
            for blow in landed {
                let whom = blow.whom as usize;
                blow.answer = self.answer(moment, whom, &blow.hit);
                if let Some(answer) = blow.answer {
                    self.react(moment, whom, answer);
                    blow.reacting = Some(moment.people[whom].doing);
                }
            }
        })
    }

    /// The same with another way to answer the blows that land at one tick.
    fn run_with(
        &self,
        moment: &mut Moment,
        limit: i32,
        answer: impl Fn(&mut Moment, &mut [Landed]),
    ) -> SmallVec<[Landed; 1]> {
        let mut landed = SmallVec::new();
        loop {
            let until = (0..moment.people.len())
                .filter_map(|who| self.decides_at(moment, who))
                .fold(limit, i32::min)
                .max(moment.tick);
            let next = moment.people.iter().filter_map(|person| Some(person.ahead?.hit.tick)).min();
            let Some(tick) = next.filter(|tick| *tick <= until) else {
                // With nobody to decide, and no limit, nothing happens any more.
                moment.tick = if until == i32::MAX { moment.tick } else { until };
                return landed;
            };
            moment.tick = tick;
            let first = landed.len();
            land(moment, &mut landed);
            answer(moment, &mut landed[first..]);
        }
    }

    /// The reaction that a blow forces.
    fn answer(&self, moment: &Moment, whom: usize, hit: &Hit) -> Option<Answer> {
        let felt = self.felt(moment, whom, hit)?;
        let cast = &self.cast[whom];
        let answer = cast.reactions.as_ref()?.answer(felt.take, felt.frame, &felt.blow, cast.poise)?;
        (answer.falls || !felt.is_reeling).then_some(answer)
    }

    /// Whether a blow forces a reaction, whichever.
    fn is_answered(&self, moment: &Moment, whom: usize, hit: &Hit) -> bool {
        let cast = &self.cast[whom];
        match (self.felt(moment, whom, hit), &cast.reactions) {
            (Some(felt), Some(_)) if felt.is_reeling => self.answer(moment, whom, hit).is_some(),
            (Some(felt), Some(reactions)) => reactions.answers(felt.take, felt.frame, &felt.blow, cast.poise),
            _ => false,
        }
    }

    /// A blow as its victim feels it; `None` if it leaves them as they are.
    fn felt(&self, moment: &Moment, whom: usize, hit: &Hit) -> Option<Felt> {
        let (cast, person) = (&self.cast[whom], &moment.people[whom]);
        let fighting = self.contest == Contest::Fight && hit.part() != Part::Limb;
        let its = cast.bodies.of_action(person.doing.action);
        // Whoever falls is not struck upright again.
        if !fighting || its.is_fall {
            return None;
        }
        let take_from_world = person.doing.world_from_take.inverse();
        // Whoever is still reeling from another blow has little to set against it.
        let is_reeling = its.kind == Kind::Reaction;
        let blow = Blow {
            bone: hit.bone,
            point: take_from_world.point(hit.point),
            velocity: take_from_world.turned(hit.velocity),
            mass: if is_reeling { REELING } else { 1.0 } * mass_behind(hit.with),
        };
        // A further blow shakes whoever reels, but does not keep them from finding back, unless it fells them: else the
        // first to strike could strike for ever.
        if is_reeling && blow.impulse().length() < cast.poise {
            return None;
        }
        let frame = person.doing.frame(&cast.bodies, moment.tick);
        Some(Felt { take: its.take, frame, blow, is_reeling })
    }

    /// Cuts what somebody does, and lets them react.
    pub fn react(&self, moment: &mut Moment, who: usize, answer: Answer) {
        let bodies = &self.cast[who].bodies;
        let here = moment.people[who].doing.root(bodies, moment.tick);
        let doing = Doing::begin(bodies, answer.action, moment.tick, answer.skipped, here);
        self.start(moment, who, doing);
    }

    /// After somebody started something else, or left: what their blow will meet, and what those of others will.
    pub(crate) fn look_again(&self, moment: &mut Moment, who: usize) {
        for other in 0..moment.people.len() {
            if other == who || self.cast[other].side != self.cast[who].side {
                moment.people[other].ahead = self.look_ahead(moment, other);
            }
        }
    }

    /// What the blow of somebody will meet first if everybody goes on.
    fn look_ahead(&self, moment: &Moment, who: usize) -> Option<Ahead> {
        let (cast, person) = (&self.cast[who], &moment.people[who]);
        let its = cast.bodies.of_action(person.doing.action);
        if person.is_spent || its.window[0] == its.window[1] || !person.is_present {
            return None;
        }
        let own = (&*cast.bodies, &person.doing);
        let mut soonest: Option<Ahead> = None;
        for (whom, (other, struck)) in self.cast.iter().zip(&moment.people).enumerate() {
            if other.side == cast.side || !struck.is_present {
                continue;
            }
            if let Some(hit) = hits::first(own, (&other.bodies, &struck.doing), moment.tick)
                && soonest.is_none_or(|known| hit.tick < known.hit.tick)
            {
                soonest = Some(Ahead { whom: whom as u16, hit });
            }
        }
        soonest
    }

    /// Whether somebody's trunk or head would get deeper than a limit (m) into those of others while they do this, if
    /// the others go on.
    pub fn penetration(&self, moment: &Moment, who: usize, doing: &Doing, limit: f32) -> Penetration {
        let mut found = Penetration { is_deeper: false, at_end: f32::NEG_INFINITY };
        for (whom, person) in moment.people.iter().enumerate() {
            if whom == who || !person.is_present {
                continue;
            }
            let pair = Pair::of(&self.cast[who].bodies, doing, &self.cast[whom].bodies, &person.doing);
            let end = doing.end(&self.cast[who].bodies);
            found.at_end = found.at_end.max(pair.depth(end));
            let ticks = moment.tick + 1..end;
            found.is_deeper = found.is_deeper || found.at_end > limit || pair.is_deeper(ticks, limit);
        }
        found
    }

    /// Whether somebody's trunk or head would get deeper than a limit (m) into those of others while they do this, if the
    /// others go on: [`Penetration::is_deeper`], for less.
    pub fn penetrates(&self, moment: &Moment, who: usize, doing: &Doing, limit: f32) -> bool {
        let is_near = |whom: usize| {
            let (cast, person) = (&self.cast[whom], &moment.people[whom]);
            let pair = || Pair::of(&self.cast[who].bodies, doing, &cast.bodies, &person.doing);
            whom != who && person.is_present && pair().may_be_deeper(limit)
        };
        (0..moment.people.len()).any(is_near) && self.penetration(moment, who, doing, limit).is_deeper
    }

    /// How somebody stands to another at a tick: distance (m), and the angle by which the gaze misses the other (rad).
    pub fn relation(
        &self,
        moment: &Moment,
        (who, doing): (usize, &Doing),
        whom: usize,
        tick: i32,
    ) -> (f32, f32) {
        let sight = self.sight(moment, (who, doing), whom, tick);
        (sight.distance(), libm::atan2f(sight.aside, sight.ahead))
    }

    /// Where another is at a tick, seen along the gaze.
    pub fn sight(&self, moment: &Moment, (who, doing): (usize, &Doing), whom: usize, tick: i32) -> Sight {
        let stance = doing.stance(&self.cast[who].bodies, tick);
        let here = doing.world_from_take.ground(stance.root.shift());
        let gaze = doing.world_from_take.turned_ground(stance.gaze);
        let there = self.position(moment, whom, tick);
        let (x, z) = (there.x - here.x, there.z - here.z);
        Sight { ahead: gaze.x * x + gaze.z * z, aside: gaze.z * x - gaze.x * z }
    }

    /// Where somebody's root is at a tick, if they go on (m).
    pub fn position(&self, moment: &Moment, who: usize, tick: i32) -> Ground {
        moment.people[who].doing.position(&self.cast[who].bodies, tick)
    }
}

/// Where somebody's root will be from now on, if they go on.
#[derive(Clone, Debug)]
pub(crate) struct Outlook<'a> {
    bodies: &'a Bodies,
    doing: Doing,
    tick: i32,
    /// From now to the end of the action, if it was worked out.
    foreseen: SmallVec<[Ground; 64]>,
}

impl<'a> Outlook<'a> {
    /// Of one of the cast, for many questions.
    pub(crate) fn of(stage: &'a Stage, moment: &Moment, who: usize) -> Outlook<'a> {
        let mut outlook = Outlook::on_demand(stage, moment, who);
        let Outlook { bodies, doing, tick, .. } = outlook;
        let until = doing.end(bodies).max(tick);
        // What does not fit is worked out on demand, so that nobody who asks needs a heap.
        if tick >= doing.start && (until - tick) < outlook.foreseen.inline_size() as i32 {
            let its = bodies.of_action(doing.action);
            let (from, to) = (doing.frame(bodies, tick) as usize, its.last as usize);
            let footings = &bodies.footings(its.take)[from..=to];
            let places = footings.iter().map(|footing| doing.world_from_take.ground(footing.root));
            outlook.foreseen = places.collect();
        }
        outlook
    }

    /// The same, for a few questions.
    pub(crate) fn on_demand(stage: &'a Stage, moment: &Moment, who: usize) -> Outlook<'a> {
        let doing = moment.people[who].doing;
        Outlook { bodies: &stage.cast[who].bodies, doing, tick: moment.tick, foreseen: SmallVec::new() }
    }

    /// Some ticks from now (m).
    pub(crate) fn after(&self, ticks: i32) -> Ground {
        let ticks = ticks.max(0);
        match self.foreseen.len() {
            0 => self.doing.position(self.bodies, self.tick + ticks),
            n => self.foreseen[(ticks as usize).min(n - 1)],
        }
    }
}

/// A place on the floor, seen from somebody along the gaze (m).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sight {
    /// Along the gaze.
    pub ahead: f32,
    /// To the left of it.
    pub aside: f32,
}

impl Sight {
    /// How far it is (m).
    pub fn distance(self) -> f32 {
        (self.ahead * self.ahead + self.aside * self.aside).sqrt()
    }
}

/// Two who perform beside each other, for as long as neither starts another action.
pub struct Pair<'a> {
    own: (&'a Bodies, &'a Doing),
    other: (&'a Bodies, &'a Doing),
    other_from_own: Rigid,
}

impl<'a> Pair<'a> {
    /// Of two people and what they do.
    pub fn of(own: &'a Bodies, doing: &'a Doing, other: &'a Bodies, theirs: &'a Doing) -> Pair<'a> {
        let other_from_own = theirs.world_from_take.inverse().then(doing.world_from_take);
        Pair { own: (own, doing), other: (other, theirs), other_from_own }
    }

    /// How deep trunks and heads are in each other at a tick (m); negative if they are apart.
    pub fn depth(&self, tick: i32) -> f32 {
        let footing = |(bodies, doing): (&'a Bodies, &Doing)| doing.footing(bodies, tick);
        if let Some(depth) = footing(self.other).apart_from(&self.other_from_own, footing(self.own)) {
            return depth;
        }
        let stance = |(bodies, doing): (&'a Bodies, &Doing)| doing.stance(bodies, tick);
        stance(self.other).depth_in(&self.other_from_own, stance(self.own))
    }

    /// Whether trunks and heads may get deeper into each other than a limit (m): `false` only if they cannot, whatever the
    /// tick.
    pub(crate) fn may_be_deeper(&self, limit: f32) -> bool {
        let core = |(bodies, doing): (&Bodies, &Doing)| bodies.of_action(doing.action).core;
        let (own, other) = (core(self.own), core(self.other));
        let here = self.other_from_own.ground(own.center);
        let (x, z) = (here.x - other.center.x, here.z - other.center.z);
        let near = own.radius + other.radius;
        limit < 0.0 || x * x + z * z < near * near
    }

    /// Whether trunks and heads are deeper in each other than a limit (m, not below 0) at any of these ticks.
    ///
    /// Two cores come no nearer to each other than both go meanwhile, so all ticks can be passed over before they have
    /// gone as far as it takes to reach the limit.
    pub fn is_deeper(&self, ticks: Range<i32>, limit: f32) -> bool {
        /// What rounding may add to a depth (m), and more.
        const SLACK: f64 = 1e-4;
        let of = |(bodies, doing): (&Bodies, &Doing), tick: i32| doing.footing(bodies, tick).gone;
        let gone = |tick: i32| of(self.own, tick) + of(self.other, tick);
        let mut tick = ticks.start;
        while tick < ticks.end {
            let room = limit - self.depth(tick);
            if room < 0.0 {
                return true;
            }
            let far = gone(tick) + f64::from(room) - SLACK;
            let mut passed = ticks.end - 1 - tick;
            while passed > 0 && gone(tick + passed) > far {
                passed /= 2;
            }
            tick += passed + 1;
        }
        false
    }
}

/// All blows that land at this tick: also two that cross.
fn land(moment: &mut Moment, landed: &mut SmallVec<[Landed; 1]>) {
    let tick = moment.tick;
    for who in 0..moment.people.len() {
        let Some(Ahead { whom, hit }) = moment.people[who].ahead.filter(|ahead| ahead.hit.tick == tick)
        else {
            continue;
        };
        let (action, during) = (moment.people[who].doing.action, moment.people[whom as usize].doing.action);
        landed.push(Landed { who: who as u16, whom, action, during, hit, answer: None, reacting: None });
        let person = &mut moment.people[who];
        (person.is_spent, person.ahead) = (true, None);
    }
}

/// A blow as its victim feels it.
struct Felt {
    take: u32,
    frame: u32,
    blow: Blow,
    /// Whether they still reel from another one.
    is_reeling: bool,
}

/// How many times harder a blow is for somebody who reels from another (-).
const REELING: f32 = 2.0;

/// The mass that a blow with this bone brings to bear (kg): an arm with some of the shoulder behind it, a leg with some
/// of the hips.
pub fn mass_behind(bone: Bone) -> f32 {
    match bone {
        Bone::LeftFoot | Bone::RightFoot | Bone::LeftToes | Bone::RightToes => 6.0,
        Bone::LeftLowerLeg | Bone::RightLowerLeg => 9.0,
        _ => 3.0,
    }
}
