//! What somebody would never do: body in body, back to the opponent, blows at nobody.
//!
//! Reference: \[Shum2012\], section V-C. The four criteria are in descending order of importance; where nothing meets
//! them all, what meets the more important ones stays.
//! Differs from the paper: whether a blow is out of range is asked when it is farthest, not when it starts, so that a
//! blow with a step in it counts from where it lands. As with penetration, of which the paper says so, what cannot be met at
//! all is met as far as can be: where nothing faces the opponent, what turns towards it stays, not everything.

use std::f32::consts::PI;
use std::hash::{Hash, Hasher};

use randori_motion::annotation::Kind;
use randori_motion::{ActionId, Ground};
use smallvec::SmallVec;

use crate::bodies::{Brief, Doing, Rigid, TICKS_PER_SECOND};
use crate::stage::{Moment, Outlook, Sight, Stage};
use crate::style::Style;

/// The limits of what is plausible.
///
/// ```
/// use randori_arena::plausible::Plausibility;
/// use randori_arena::style::Style;
/// let [boxer, on_a_path] =
///     ["general-boxer", "runaway-path"].map(|name| Plausibility::of(&Style::preset(name).unwrap()));
/// assert!(boxer.facing < on_a_path.facing);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plausibility {
    /// How deep trunks and heads may be in each other (m).
    pub depth: f32,
    /// How far the gaze may miss the opponent at the end (rad); π for somebody who may turn away.
    pub facing: f32,
    /// Whether, where every action misses the opponent by more, only those stay that miss it by less than now.
    pub turning: bool,
    /// From how far away a blow makes sense, when it is farthest (m); a weapon's length comes on top.
    pub attack: f32,
    /// From how far away a defence makes sense (m).
    pub defence: f32,
    /// Whether a defence needs an attack, and an attack calls for a defence.
    pub logical: bool,
    /// How long a blow has to be under way before anybody sees it coming (s).
    pub notice: f32,
}

/// How far from its root a body can be struck (m).
const BODY: f32 = 0.25;

impl Default for Plausibility {
    /// What nobody would do, whatever they are after. The ranges are the paper's.
    fn default() -> Plausibility {
        Plausibility {
            depth: 0.02,
            facing: PI * 2.0 / 9.0,
            turning: false,
            attack: 1.0,
            defence: 3.0,
            logical: true,
            notice: 0.05,
        }
    }
}

impl Plausibility {
    /// What is plausible for somebody of this style, who keeps an eye on the opponent unless it may turn away.
    ///
    /// The paper does not say how exactly one has to face the opponent: with 30°, about the share of choices is left out
    /// that its table V reports.
    pub fn of(style: &Style) -> Plausibility {
        let facing = if style.may_turn_away { PI } else { PI / 6.0 };
        Plausibility { facing, turning: true, ..Plausibility::default() }
    }
}

/// How many choices were left by which criterion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Screening {
    /// All that the graph allows.
    pub options: u32,
    /// Left out because bodies would be in each other.
    pub penetrating: u32,
    /// Left out for facing elsewhere.
    pub turned_away: u32,
    /// Left out as out of range.
    pub out_of_range: u32,
    /// Left out because they do not answer what the opponent does.
    pub illogical: u32,
    /// What stays.
    pub left: u32,
}

/// What an action meets, from the least important criterion on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meets {
    Nothing,
    Facing,
    Range,
    Logic,
}

/// Something that somebody might do; the same for the same action.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// What.
    pub action: ActionId,
    /// Whether it stands as it is: bodies do not get into each other, or cannot help it. If not, it is to be asked
    /// with [`penetrates`] before it counts.
    pub is_certain: bool,
}

impl PartialEq for Choice {
    fn eq(&self, other: &Choice) -> bool {
        self.action == other.action
    }
}

impl Eq for Choice {}

impl Hash for Choice {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.action.hash(state);
    }
}

/// Whether an action gets the body too deep into others to be plausible.
pub fn penetrates(
    stage: &Stage,
    moment: &Moment,
    (who, doing): (usize, &Doing),
    limits: &Plausibility,
) -> bool {
    stage.penetrates(moment, who, doing, limits.depth)
}

/// Appends what somebody might plausibly do now, in the order of kinds: blows, defences, all else.
pub fn plausible(
    stage: &Stage,
    moment: &Moment,
    who: usize,
    (limits, opponent): (&Plausibility, usize),
    out: &mut Vec<ActionId>,
) -> Screening {
    let mut choices = Vec::new();
    let mut screening = sketch(stage, moment, who, (limits, opponent), &mut choices);
    let before = out.len();
    for choice in &choices {
        let doing = || stage.begin(moment, who, choice.action);
        if choice.is_certain || !penetrates(stage, moment, (who, &doing()), limits) {
            out.push(choice.action);
        } else {
            screening.penetrating += 1;
        }
    }
    screening.left = (out.len() - before) as u32;
    screening
}

/// The same without asking of every single choice whether bodies get into each other, which most searches never need
/// to know: at least one choice is certain, and of each that is not, it is to be asked.
pub fn sketch(
    stage: &Stage,
    moment: &Moment,
    who: usize,
    (limits, opponent): (&Plausibility, usize),
    out: &mut Vec<Choice>,
) -> Screening {
    let from = out.len();
    let scene = Scene::of(stage, moment, who, opponent, limits, Outlook::of(stage, moment, opponent));
    let options = stage.options(moment, who);
    let graded: SmallVec<[Meets; 256]> = options.iter().map(|option| scene.meets(limits, option)).collect();
    let mut counts = [0_u32; 4];
    for meets in &graded {
        counts[*meets as usize] += 1;
    }
    let penetration =
        |id: ActionId| stage.penetration(moment, who, &stage.begin(moment, who, id), limits.depth);
    let mut least = f32::INFINITY;
    let mut penetrating = 0;
    // What is left meets this much: only what meets less was left out for it.
    let mut level = Meets::Nothing;
    let mut averted = 0;
    let grades = [Meets::Logic, Meets::Range, Meets::Facing, Meets::Nothing];
    for (best, is_rest) in grades.map(|best| (best, false)).into_iter().chain([(Meets::Nothing, true)]) {
        if counts[best as usize] == 0 {
            continue;
        }
        let of_grade = || options.iter().zip(&graded).filter(|(_, meets)| **meets == best);
        // Of what does not face the opponent: what turns towards it first.
        let far = match best {
            Meets::Nothing if limits.turning => {
                let sight = stage.sight(moment, (who, &moment.people[who].doing), opponent, moment.tick);
                scene.turning(sight, of_grade().map(|(option, _)| option))
            }
            _ => None,
        };
        let is_asked = |option: &Brief| is_rest != far.is_none_or(|far| scene.cosine(option) >= far);
        averted = if is_rest { 0 } else { of_grade().filter(|(option, _)| !is_asked(option)).count() as u32 };
        for action in of_grade().filter(|(option, _)| is_asked(option)).map(|(option, _)| option.id) {
            let mut choice = Choice { action, is_certain: false };
            if out.len() == from {
                let penetration = penetration(action);
                if penetration.is_deeper {
                    penetrating += 1;
                    least = least.min(penetration.at_end);
                    continue;
                }
                choice.is_certain = true;
            }
            out.push(choice);
        }
        if out.len() > from {
            level = best;
            break;
        }
    }
    if out.len() == from {
        averted = 0;
        // Nothing avoids it: at least out of it in the last frame, or as far out of it as can be.
        let enough = limits.depth.max(least);
        let left = options.iter().filter(|option| penetration(option.id).at_end <= enough);
        out.extend(left.map(|option| Choice { action: option.id, is_certain: true }));
        penetrating = (options.len() + from - out.len()) as u32;
    }
    let below = |meets: Meets| if (meets as usize) < level as usize { counts[meets as usize] } else { 0 };
    Screening {
        options: options.len() as u32,
        penetrating,
        turned_away: below(Meets::Nothing) + averted,
        out_of_range: below(Meets::Facing),
        illogical: below(Meets::Range),
        left: (out.len() - from) as u32,
    }
}

/// Whom one faces, and what they are up to.
pub(crate) struct Scene<'a> {
    here: Rigid,
    opponent: Outlook<'a>,
    /// A blow of the opponent is under way, and not over.
    is_threatened: bool,
    /// It will land if nobody does anything.
    is_attacked: bool,
    is_near: bool,
    /// From how far away a blow makes sense (m).
    attack: f32,
    /// Cosine of the angle by which the gaze may miss the opponent; none for somebody who may turn away.
    facing: Option<f32>,
}

impl<'a> Scene<'a> {
    pub(crate) fn of(
        stage: &Stage,
        moment: &Moment,
        who: usize,
        opponent: usize,
        limits: &Plausibility,
        outlook: Outlook<'a>,
    ) -> Scene<'a> {
        let (own, them) = (&moment.people[who], &moment.people[opponent]);
        let (bodies, theirs) = (&*stage.cast[who].bodies, &*stage.cast[opponent].bodies);
        let its = theirs.of_action(them.doing.action);
        let window_ends = them.doing.start + (its.window[1] - its.first) as i32;
        let is_seen = (moment.tick - them.doing.start) as f32 >= limits.notice * TICKS_PER_SECOND;
        let is_threatened =
            its.kind == Kind::Attack && !them.is_spent && window_ends > moment.tick && is_seen;
        let here = own.doing.root(bodies, moment.tick);
        let weapon = bodies.library().body().weapon;
        Scene {
            here,
            is_threatened: is_threatened && them.is_present,
            is_attacked: is_seen && them.ahead.is_some_and(|ahead| ahead.whom as usize == who),
            is_near: here.shift().distance(outlook.after(0)) <= limits.defence,
            opponent: outlook,
            attack: limits.attack + weapon.map_or(0.0, |weapon| weapon.length()),
            facing: (limits.facing < PI && who != opponent).then(|| libm::cosf(limits.facing)),
        }
    }

    /// Where the opponent will be.
    pub(crate) fn outlook(&self) -> &Outlook<'a> {
        &self.opponent
    }

    /// From a place seen from where the action starts to the opponent some ticks later (m).
    fn to_opponent(&self, place: Ground, after: i32) -> Ground {
        let here = self.here.ground(place);
        let there = self.opponent.after(after);
        Ground { x: there.x - here.x, z: there.z - here.z }
    }

    /// Cosine of the angle by which the gaze misses the opponent at the end of an action.
    fn cosine(&self, option: &Brief) -> f32 {
        let gaze = self.here.turned_ground(option.gaze);
        let way = self.to_opponent(option.end, option.length);
        (gaze.x * way.x + gaze.z * way.z) / (way.x * way.x + way.z * way.z).sqrt().max(1e-6)
    }

    /// The least cosine with which one of these actions, none of which faces the opponent, turns towards it: that of now;
    /// `None` if none does.
    fn turning<'b>(&self, now: Sight, actions: impl Iterator<Item = &'b Brief>) -> Option<f32> {
        self.facing?;
        let now = now.ahead / now.distance().max(1e-6);
        let most = actions.map(|option| self.cosine(option)).fold(-1.0, f32::max);
        (most >= now).then_some(now)
    }

    pub(crate) fn meets(&self, limits: &Plausibility, option: &Brief) -> Meets {
        if !self.is_faced(option) {
            return Meets::Nothing;
        }
        if !self.is_in_range(option) {
            return Meets::Facing;
        }
        if self.is_logical(limits, option) { Meets::Logic } else { Meets::Range }
    }

    /// Whether an action meets everything: what is asked soonest comes first.
    pub(crate) fn meets_all(&self, limits: &Plausibility, option: &Brief) -> bool {
        self.is_logical(limits, option) && self.is_in_range(option) && self.is_faced(option)
    }

    fn is_faced(&self, option: &Brief) -> bool {
        let Some(cosine) = self.facing else { return true };
        let way = self.to_opponent(option.end, option.length);
        let gaze = self.here.turned_ground(option.gaze);
        let (along, apart) = (gaze.x * way.x + gaze.z * way.z, way.x * way.x + way.z * way.z);
        let is_averted = along < cosine * apart.sqrt();
        !is_averted
    }

    fn is_in_range(&self, option: &Brief) -> bool {
        match option.kind {
            Kind::Attack => {
                let way = self.to_opponent(option.at_peak, option.to_peak);
                let reach = self.attack.min(option.reach + BODY);
                way.x * way.x + way.z * way.z <= reach * reach
            }
            Kind::Defence => self.is_near,
            _ => true,
        }
    }

    fn is_logical(&self, limits: &Plausibility, option: &Brief) -> bool {
        let is_logical = match option.kind {
            Kind::Defence => self.is_threatened,
            _ => !self.is_attacked,
        };
        is_logical || !limits.logical
    }
}
