//! What choices promise: the most that they can be worth to whoever makes them, before anything is simulated.
//!
//! Where an action leaves one, and what was asked for, is known before it is simulated. As for blows, every one that the
//! others have under way may be avoided, and the action's own may land as fast as it gets, on the head, if it gets near
//! its victim at all.

use randori_motion::{ActionId, Ground};

use super::{Judge, Ready};
use crate::bodies::{Brief, Rigid};
use crate::hits;
use crate::plausible::{Choice, Scene, penetrates, sketch};
use crate::stage::{Contest, Moment, Outlook, Stage};

/// What an option promises wherever people stand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranked {
    /// Its place among the options of its node.
    index: u32,
    /// The most that it can be worth, but for what is [known](Outset::known) and for the combination (points).
    most: f64,
}

/// What may get lost in sums of large terms (points).
const ROUNDING: f64 = 30.0;

/// How far two ways to reckon where an action ends may differ, by how far out it is (-).
const BLUR: f32 = 4e-6;

impl Judge {
    /// The most that each choice can be worth to whoever makes it, F_comp + F_coop (points).
    pub fn promises(
        &self,
        stage: &Stage,
        moment: &Moment,
        who: usize,
        choices: impl Iterator<Item = ActionId>,
        out: &mut Vec<f64>,
    ) {
        let outset = Outset::of(self, stage, moment, who);
        let outlook = Outlook::of(stage, moment, self.people[who].aims.opponent);
        let bodies = &stage.cast[who].bodies;
        out.extend(choices.map(|id| outset.most(&bodies.of_action(id).brief(id), &outlook)));
    }

    /// The most that each choice and whatever is chosen after it can be worth to whoever makes it, less what it is worth
    /// to the other if that is the other's choice (points); infinite where that is not known. `false` if nothing is
    /// known of any: only of two who are nothing but rivals.
    ///
    /// It is known of an action during which nobody is struck, and after which the other chooses. Whatever that is, it
    /// is worth no less to the other than the worst place and gaze that it may come to, because a blow under way counts
    /// once, as soon as it looks like landing, and any other is the other's own.
    pub fn prospects(
        &self,
        stage: &Stage,
        moment: &Moment,
        who: usize,
        choices: impl Iterator<Item = ActionId>,
        out: &mut Vec<f64>,
    ) -> bool {
        let [_, _] = moment.people[..] else { return false };
        let other = 1 - who;
        let [ready, rival] = [who, other].map(|it| &self.people[it]);
        let them = &moment.people[other];
        let [own, theirs] = [who, other].map(|it| &*stage.cast[it].bodies);
        let their_move = theirs.of_action(them.doing.action);
        let are_rivals = ready.is_rival
            && rival.is_rival
            && [ready.aims.opponent, rival.aims.opponent] == [other, who]
            && moment.people.iter().all(|person| person.is_present);
        if !are_rivals || their_move.is_terminal {
            return false;
        }
        let outset = Outset::of(self, stage, moment, who);
        let outlook = Outlook::of(stage, moment, other);
        let their_end = them.doing.end(theirs).max(moment.tick);
        let there = outlook.after(their_end - moment.tick);
        let apart = apart(outset.here.shift(), there) + theirs.stride(them.doing.action);
        let window_ends = them.doing.start + their_move.window[1] as i32 - their_move.first as i32;
        let is_striking = !them.is_spent && window_ends > moment.tick;
        out.extend(choices.map(|id| {
            let its = own.of_action(id);
            let ends = moment.tick + its.length();
            let is_answered = its.is_terminal || their_end < ends || (their_end == ends && other < who);
            if !is_answered {
                return f64::INFINITY;
            }
            let is_blow = its.window[0] != its.window[1];
            let doing = stage.begin(moment, who, id);
            let (mine, others) = ((own, &doing), (theirs, &them.doing));
            if (is_blow && hits::may_meet(mine, others)) || (is_striking && hits::may_meet(others, mine)) {
                return f64::INFINITY;
            }
            // A blow that meets nothing now may meet what the other does next.
            let later = if is_blow { ready.blow(stage, who, id, outset.feared) } else { 0.0 };
            outset.most(&its.brief(id), &outlook) + later + rival.dread(apart + its.roam)
        }));
        true
    }

    /// The place of an action in the order of [`sketch`], if it is surely among what somebody might plausibly do, unless
    /// bodies get into each other.
    pub fn offers(&self, stage: &Stage, moment: &Moment, who: usize, action: ActionId) -> Option<u32> {
        let bodies = &stage.cast[who].bodies;
        let (its, current) = (bodies.of_action(action), bodies.of_action(moment.people[who].doing.action));
        let place = its.place.filter(|_| its.from == current.to && !current.is_terminal)?;
        let aims = &self.people[who].aims;
        let outlook = Outlook::on_demand(stage, moment, aims.opponent);
        let scene = Scene::of(stage, moment, who, aims.opponent, &aims.plausibility, outlook);
        scene.meets_all(&aims.plausibility, &its.brief(action)).then_some(place)
    }

    /// Tells of every plausible choice that promises more than so much (points), in any order: the choice, its place in
    /// the order of [`sketch`], and the most that it can be worth. `false` if there is no choice at all.
    ///
    /// Choices that do not promise enough wherever people stand are not even looked at.
    pub fn promising(
        &self,
        stage: &Stage,
        moment: &Moment,
        who: usize,
        above: f64,
        mut tell: impl FnMut(Choice, u32, f64),
    ) -> bool {
        let ready = &self.people[who];
        let (limits, opponent) = (&ready.aims.plausibility, ready.aims.opponent);
        let options = stage.options(moment, who);
        if options.is_empty() {
            return false;
        }
        let outset = Outset::of(self, stage, moment, who);
        let ranked = ready.ranked(stage, who, moment.people[who].doing.action, outset.feared);
        let floor = above - outset.known - ready.combined_most;
        let ranked = &ranked[..ranked.partition_point(|option| option.most > floor)];
        if ranked.is_empty() {
            return true;
        }
        let scene =
            Scene::of(stage, moment, who, opponent, limits, Outlook::on_demand(stage, moment, opponent));
        let is_free =
            |action: ActionId| !penetrates(stage, moment, (who, &stage.begin(moment, who, action)), limits);
        // Whether anything is as plausible as can be: what is less plausible then is no choice.
        let (mut any, mut is_asked) = (false, false);
        for at in ranked {
            let option = &options[at.index as usize];
            if !scene.meets_all(limits, option) {
                is_asked = true;
                continue;
            }
            let most = outset.most(option, scene.outlook());
            if most <= above {
                continue;
            }
            is_asked = true;
            let is_certain = !any && is_free(option.id);
            if any || is_certain {
                tell(Choice { action: option.id, is_certain }, at.index, most);
            }
            any |= is_certain;
        }
        if any || !is_asked {
            return true;
        }
        let is_one = |option: &Brief| scene.meets_all(limits, option) && is_free(option.id);
        if options.iter().any(is_one) {
            return true;
        }
        let mut choices = Vec::new();
        sketch(stage, moment, who, (limits, opponent), &mut choices);
        for (rank, choice) in (0..).zip(&choices) {
            let option = stage.cast[who].bodies.of_action(choice.action).brief(choice.action);
            tell(*choice, rank, outset.most(&option, scene.outlook()));
        }
        !choices.is_empty()
    }
}

impl Ready {
    /// What the options after an action promise wherever people stand, the most first.
    fn ranked(&self, stage: &Stage, who: usize, after: ActionId, feared: f64) -> &[Ranked] {
        let bodies = &stage.cast[who].bodies;
        let Some(known) = self.ranked.get(bodies.of_action(after).to as usize) else { return &[] };
        known.get_or_init(|| {
            let most = |option: &Brief| self.own(option.id) + self.blow(stage, who, option.id, feared);
            let mut ranked: Vec<Ranked> = (0..)
                .zip(bodies.options(after))
                .map(|(index, option)| Ranked { index, most: most(option) })
                .collect();
            ranked.sort_by(|a, b| b.most.total_cmp(&a.most).then(a.index.cmp(&b.index)));
            ranked.into()
        })
    }

    /// The most that any action can cost by itself which leaves one no farther from the opponent than this (m, points).
    fn dread(&self, farthest: f32) -> f64 {
        let style = &self.aims.style;
        let farthest = farthest + BLUR.sqrt() + BLUR * farthest;
        let worst = |distance: f32| -style.movement(distance, style.angle);
        let turned = (std::f64::consts::PI + f64::from(style.angle.abs())) / style.radian;
        worst(0.0).max(worst(farthest))
            + style.angle_weight * turned * turned
            + self.worn_most
            + self.combined_most
            + ROUNDING
    }

    /// What an action is worth by itself (points).
    fn own(&self, action: ActionId) -> f64 {
        self.asked[action.0 as usize] - self.worn[action.0 as usize]
    }

    /// The most that the blow of an action is worth to both, if victims fear so much (points).
    fn blow(&self, stage: &Stage, who: usize, action: ActionId, feared: f64) -> f64 {
        let most = self.aims.scoring.most(stage.cast[who].bodies.of_action(action));
        if most == 0.0 { 0.0 } else { (self.given[action.0 as usize] + feared) * most }
    }
}

/// What is known of somebody's choices before any of them is looked at.
struct Outset<'a> {
    judge: &'a Judge,
    stage: &'a Stage,
    moment: &'a Moment,
    who: usize,
    here: Rigid,
    /// The largest w- of all (points).
    feared: f64,
    /// The most that all choices are worth alike (points).
    known: f64,
}

impl<'a> Outset<'a> {
    fn of(judge: &'a Judge, stage: &'a Stage, moment: &'a Moment, who: usize) -> Outset<'a> {
        let (ready, side) = (&judge.people[who], stage.cast[who].side);
        let avoided: f64 = (moment.people.iter().enumerate())
            .filter(|(other, _)| stage.cast[*other].side != side)
            .filter_map(|(other, person)| {
                let ahead = person.ahead.as_ref()?;
                Some(-judge.worth(stage, side, (other, person.doing.action), ahead.whom as usize, &ahead.hit))
            })
            .sum();
        let feared = judge.people.iter().map(|ready| ready.taken).fold(0.0, f64::max);
        let [_, asked] = judge.asked_by_blows();
        // Whoever is struck may get into the way of somebody else's blow.
        let joined: f64 = (moment.people.iter().enumerate())
            .filter(|(other, person)| {
                let is_ally = *other != who && stage.cast[*other].side == side;
                is_ally && stage.contest == Contest::Fight && person.is_present && !person.is_spent
            })
            .map(|(other, person)| judge.people[other].blow(stage, other, person.doing.action, feared))
            .sum();
        let current = &moment.people[who].doing;
        let now = ready.movement(stage, moment, (who, current), moment.tick);
        let here = current.root(&stage.cast[who].bodies, moment.tick);
        let known = avoided.max(0.0) + joined + asked + ROUNDING - now;
        Outset { judge, stage, moment, who, here, feared, known }
    }

    /// The most that an option can be worth (points).
    fn most(&self, option: &Brief, opponent: &Outlook<'_>) -> f64 {
        let ready = &self.judge.people[self.who];
        let (aims, style) = (&ready.aims, &ready.aims.style);
        let end = self.here.ground(option.end);
        // Where the gaze goes at best costs nothing, and far out the simulation may round to another place.
        let mut then = 0.0;
        if aims.opponent != self.who {
            let there = opponent.after(option.length);
            let (off, blur) = (apart(end, there), blur(end, there));
            then += style.movement(style.distance.clamp(off - blur, off + blur), style.angle);
        }
        if let Some(goal) = aims.goal {
            let off = apart(end, goal.position) - blur(end, goal.position);
            then += style.way(off.max(0.0), None);
        }
        let blow = match ready.blow(self.stage, self.who, option.id, self.feared) {
            most if most > 0.0 && self.misses(option.id) => 0.0,
            most => most,
        };
        self.known
            + then
            + ready.combination(self.stage, self.moment, self.who, option.id)
            + ready.own(option.id)
            + blow
    }

    /// Whether the blow of an action gets nowhere near the other of two, who goes on with what they do until it lands.
    fn misses(&self, action: ActionId) -> bool {
        let [_, _] = self.moment.people[..] else { return false };
        let (own, other) = (&self.stage.cast[self.who], &self.stage.cast[1 - self.who]);
        let doing = self.stage.begin(self.moment, self.who, action);
        let struck = &self.moment.people[1 - self.who].doing;
        !hits::may_meet((&own.bodies, &doing), (&other.bodies, struck))
    }
}

/// How far two ways to reckon the distance of these places may differ (m).
pub(super) fn blur(a: Ground, b: Ground) -> f32 {
    BLUR * (1.0 + a.x.abs() + a.z.abs() + b.x.abs() + b.z.abs())
}

/// The distance of two places on the floor (m).
pub(super) fn apart(a: Ground, b: Ground) -> f32 {
    let (x, z) = (a.x - b.x, a.z - b.z);
    (x * x + z * z).sqrt()
}
