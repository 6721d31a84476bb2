//! A bout: the people of a stage act, time runs, and what happened is written down.
//!
//! Nothing is planned here. A bout stops whenever somebody has to decide, so that whoever directs it can change aims,
//! controllers and people between any two decisions; all of it takes effect at the next.

use std::sync::Arc;

use randori_motion::ActionId;
use randori_motion::annotation::Kind;
use smallvec::SmallVec;

use crate::bodies::{Bodies, Doing, Rigid};
use crate::controller::{Controller, Situation, Verdict};
use crate::objectives::Aims;
use crate::reactions::{Answer, Reactions};
use crate::stage::{Landed, Moment, Person, Stage};

/// A performance under way.
pub struct Bout {
    /// Who is on the stage.
    pub stage: Stage,
    /// What they do now.
    pub moment: Moment,
    /// What they are after, one for each of the cast.
    pub aims: Vec<Aims>,
    /// What happened so far, in order of time.
    pub happenings: Vec<Happening>,
    /// What each of the cast did, in order of time.
    pub tracks: Vec<Track>,
    /// The libraries that each of the cast had before the one they have, with the place in what they performed up to which
    /// they had it.
    pub earlier: Vec<Vec<(usize, Arc<Bodies>)>>,
    /// What each of the cast is to go by from their next decision on.
    taught: Vec<Option<Taught>>,
    /// Whether decisions are written down with what else was considered.
    pub explain: bool,
    controllers: Vec<Box<dyn Controller>>,
    /// Which controller decides for whom.
    controlled: Vec<usize>,
}

/// A library for somebody who has another one.
struct Taught {
    bodies: Arc<Bodies>,
    reactions: Option<Arc<Reactions>>,
}

/// Somebody was to be taught what another body does.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the library {library} is one of another body; somebody keeps the one they have")]
pub struct OtherBody {
    /// The library.
    pub library: String,
}

/// What one of the cast did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Track {
    /// Actions in order of time, with the tick from which on each is shown.
    pub performed: Vec<(i32, Doing)>,
    /// When they left the stage, if they did.
    pub left: Option<i32>,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Happening {
    /// Somebody decided what to do next.
    Decided {
        /// When.
        tick: i32,
        /// Who, by their place in the cast.
        who: usize,
        /// What and why.
        verdict: Verdict,
    },
    /// A blow met something.
    Landed(Landed),
}

/// A stage with only those on it who matter to somebody's decision: that person first, then the others.
#[derive(Clone, Debug)]
pub struct Excerpt {
    /// Who is on it.
    pub stage: Stage,
    /// What they do now.
    pub moment: Moment,
    /// What they are after.
    pub aims: Vec<Aims>,
}

impl Excerpt {
    /// The situation of the first.
    pub fn situation(&self, explain: bool) -> Situation<'_> {
        Situation { stage: &self.stage, moment: &self.moment, aims: &self.aims, who: 0, explain }
    }
}

/// Why a bout waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pause {
    /// Somebody has to decide.
    Decision(usize),
    /// The time that was given is up.
    Limit,
}

impl Bout {
    /// Everybody in place, with what they are after and who decides for them.
    ///
    /// The three lists have one entry for each of the cast; `controlled` gives the controller of each by its place.
    pub fn new(
        stage: Stage,
        moment: Moment,
        aims: Vec<Aims>,
        controllers: Vec<Box<dyn Controller>>,
        controlled: Vec<usize>,
    ) -> Bout {
        let track = |person: &Person| {
            let performed = if person.is_present { vec![(moment.tick, person.doing)] } else { Vec::new() };
            Track { performed, left: None }
        };
        let tracks = moment.people.iter().map(track).collect();
        let n_people = stage.cast.len();
        Bout {
            stage,
            aims,
            happenings: Vec::new(),
            tracks,
            earlier: vec![Vec::new(); n_people],
            taught: (0..n_people).map(|_| None).collect(),
            explain: false,
            controllers,
            controlled,
            moment,
        }
    }

    /// Lets time run until somebody has to decide, or to a tick.
    pub fn advance(&mut self, limit: i32) -> Pause {
        if let Some(who) = self.stage.turn(&self.moment) {
            return Pause::Decision(who);
        }
        let landed = self.stage.run(&mut self.moment, limit);
        self.write_down(landed);
        match self.stage.turn(&self.moment) {
            Some(who) if self.moment.tick < limit => Pause::Decision(who),
            _ => Pause::Limit,
        }
    }

    /// Has somebody decide, who is to, and lets them begin. Whoever does not decide waits for a tick.
    pub fn decide(&mut self, who: usize) {
        self.learn(who);
        let excerpt = self.excerpt(who);
        match self.controllers[self.controlled[who]].decide(&excerpt.situation(self.explain)) {
            Some(verdict) => self.perform(who, verdict),
            None => self.wait(who),
        }
    }

    /// Lets somebody begin what was decided elsewhere, one of [`Stage::options`]; what they do now is cut short.
    pub fn perform(&mut self, who: usize, verdict: Verdict) {
        let doing = self.stage.begin(&self.moment, who, verdict.action);
        self.aims[who].done.push(verdict.action);
        self.happenings.push(Happening::Decided { tick: self.moment.tick, who, verdict });
        self.begin(who, doing);
    }

    /// Whether whoever decides for somebody goes by the situation alone: see [`Controller::forgets`].
    pub fn forgets(&self, who: usize) -> bool {
        self.controllers[self.controlled[who]].forgets()
    }

    /// What somebody would know who had to decide now.
    pub fn excerpt(&self, who: usize) -> Excerpt {
        self.excerpt_of(&self.group_of(who))
    }

    /// Gives somebody another controller.
    pub fn control(&mut self, who: usize, controller: Box<dyn Controller>) {
        self.controlled[who] = self.controllers.len();
        self.controllers.push(controller);
    }

    /// Gives somebody another library of the same body, to be chosen from from their next decision on.
    pub fn teach(
        &mut self,
        who: usize,
        bodies: Arc<Bodies>,
        reactions: Option<Arc<Reactions>>,
    ) -> Result<(), OtherBody> {
        let [own, other] = [&self.stage.cast[who].bodies, &bodies].map(|bodies| bodies.library().body());
        if own != other {
            return Err(OtherBody { library: bodies.library().name.clone() });
        }
        self.taught[who] = Some(Taught { bodies, reactions });
        Ok(())
    }

    /// Lets somebody who decides now go by what they were [taught](Bout::teach) since their last decision: as if they
    /// came from the action whose end is most like how they stand.
    pub fn learn(&mut self, who: usize) {
        let Some(Taught { bodies, reactions }) = self.taught[who].take() else { return };
        let (cast, person) = (&mut self.stage.cast[who], &mut self.moment.people[who]);
        let tick = self.moment.tick;
        let here = person.doing.root(&cast.bodies, tick);
        let Some(action) = most_alike(&bodies, &cast.bodies, &person.doing, tick) else { return };
        let its = bodies.of_action(action);
        person.doing = Doing::begin(&bodies, action, tick, its.last - its.first, here);
        (person.is_spent, person.ahead) = (true, None);
        let before = std::mem::replace(&mut cast.bodies, bodies);
        cast.reactions = reactions;
        self.earlier[who].push((self.tracks[who].performed.len(), before));
        // What was done before has no number any more.
        self.aims[who].done.clear();
        self.stage.look_again(&mut self.moment, who);
    }

    /// Somebody enters, in the first frame of an action.
    pub fn enter(&mut self, who: usize, action: ActionId, here: Rigid) {
        self.moment.people[who].is_present = true;
        let doing = Doing::begin(&self.stage.cast[who].bodies, action, self.moment.tick, 0, here);
        self.begin(who, doing);
    }

    /// Somebody leaves.
    pub fn leave(&mut self, who: usize) {
        self.moment.people[who].is_present = false;
        self.stage.look_again(&mut self.moment, who);
        self.tracks[who].left = Some(self.moment.tick);
    }

    /// Something else than a blow forces a reaction: a car, a push of the director.
    pub fn force(&mut self, who: usize, answer: Answer) {
        self.stage.react(&mut self.moment, who, answer);
        self.tracks[who].performed.push((self.moment.tick, self.moment.people[who].doing));
    }

    fn begin(&mut self, who: usize, doing: Doing) {
        self.stage.start(&mut self.moment, who, doing);
        self.tracks[who].performed.push((self.moment.tick, doing));
    }

    /// Somebody without a choice stays in the last frame for another tick.
    pub fn wait(&mut self, who: usize) {
        self.moment.people[who].doing.start += 1;
    }

    fn write_down(&mut self, landed: SmallVec<[Landed; 1]>) {
        for blow in landed {
            if let Some(doing) = blow.reacting {
                self.tracks[blow.whom as usize].performed.push((blow.hit.tick, doing));
            }
            self.happenings.push(Happening::Landed(blow));
        }
    }

    /// Those who matter to somebody's decision: the person first, the opponent, and allies with the same opponent.
    pub fn group_of(&self, who: usize) -> Vec<usize> {
        let opponent = self.aims[who].opponent;
        let side = self.stage.cast[who].side;
        let mut group = vec![who];
        let others =
            (0..self.aims.len()).filter(|other| *other != who && self.moment.people[*other].is_present);
        group.extend(others.filter(|other| {
            let is_ally = self.stage.cast[*other].side == side && self.aims[*other].opponent == opponent;
            let is_foe = self.stage.cast[*other].side != side && self.aims[*other].opponent == who;
            *other == opponent || is_ally || is_foe
        }));
        if !group.contains(&opponent) {
            group.push(opponent);
        }
        group
    }

    /// The stage as if only these were on it, in this order.
    fn excerpt_of(&self, group: &[usize]) -> Excerpt {
        let place = |who: usize| group.iter().position(|other| *other == who);
        let stage = Stage {
            cast: group.iter().map(|who| self.stage.cast[*who].clone()).collect(),
            contest: self.stage.contest,
        };
        let person = |who: &usize| {
            let mut person = self.moment.people[*who];
            person.ahead = person.ahead.and_then(|mut ahead| {
                ahead.whom = place(ahead.whom as usize)? as u16;
                Some(ahead)
            });
            person
        };
        let people = group.iter().map(person).collect();
        let moment = Moment { tick: self.moment.tick, people };
        let aims = group.iter().map(|who| {
            let mut aims = self.aims[*who].clone();
            aims.opponent = place(aims.opponent).unwrap_or(0);
            aims
        });
        Excerpt { stage, moment, aims: aims.collect() }
    }

    /// Whether what somebody does is a blow.
    pub fn is_attack(&self, who: usize, action: ActionId) -> bool {
        self.stage.cast[who].bodies.of_action(action).kind == Kind::Attack
    }
}

/// The action of a library after which somebody stands most like this person of another library at a tick.
fn most_alike(bodies: &Bodies, before: &Bodies, doing: &Doing, tick: i32) -> Option<ActionId> {
    let posture = |bodies: &Bodies, take: u32, frame: u32| {
        let root = bodies.stance(take, frame).root.inverse();
        let middle = |ends: &[glam::Vec3; 2]| root.point(0.5 * (ends[0] + ends[1]));
        bodies.frame(take, frame).iter().map(middle).collect::<SmallVec<[glam::Vec3; 24]>>()
    };
    let stands = posture(before, before.of_action(doing.action).take, doing.frame(before, tick));
    let mut best: Option<(f32, ActionId)> = None;
    for action in bodies.library().ids() {
        let its = bodies.of_action(action);
        if its.is_terminal || its.kind == Kind::Reaction || bodies.options(action).is_empty() {
            continue;
        }
        let other = posture(bodies, its.take, its.last);
        let off: f32 = stands.iter().zip(&other).map(|(a, b)| a.distance_squared(*b)).sum();
        if best.is_none_or(|(least, _)| off < least) {
            best = Some((off, action));
        }
    }
    best.map(|(_, action)| action)
}
