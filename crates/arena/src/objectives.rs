//! What an action is worth to whoever does it, and to the scene: the competitive and the cooperative function.
//!
//! Reference: \[Shum2012\], section VI, equations (4) to (11).
//! Differs from the paper: a blow counts as soon as it is under way and would land if everybody went on, and whoever
//! gets out of its way takes that back. Summed along a path nothing changes, but a path that ends before the blow lands
//! sees it, and avoiding a blow is worth as much as the blow. The movement term is what an action changes between now and
//! its end, so that whoever takes many short steps does not pay more often than whoever takes a long one; the way to the
//! goal, which both pay alike, is as printed. A blow counts twice, as given by the one (w+) and as taken
//! by the other (w-), as it does in the paper when both are asked what their action brought them.

mod promises;

use std::sync::{Arc, OnceLock};

use randori_motion::annotation::Kind;
use randori_motion::{ActionId, Annotation, Ground};

use crate::bodies::{Doing, Move};
use crate::combination::Table;
use crate::hits::Hit;
use crate::plausible::Plausibility;
use crate::stage::{Moment, Outcome, Stage};
use crate::style::Style;
use crate::words::Words;
use promises::{Ranked, apart, blur};

/// What somebody is after.
#[derive(Clone, Debug)]
pub struct Aims {
    /// Weights and preferences.
    pub style: Style,
    /// Whom they face, by their place in the cast; nobody if it is their own.
    pub opponent: usize,
    /// Where they are asked to go.
    pub goal: Option<Goal>,
    /// Annotations that they are asked to perform: A+. A reaction can only be brought about by others, whose blows they
    /// then do not mind.
    pub required: Vec<Annotation>,
    /// Annotations that they are asked not to perform: A-.
    pub forbidden: Vec<Annotation>,
    /// What they chose so far, the latest at the end.
    pub done: Vec<ActionId>,
    /// What a blow is worth.
    pub scoring: Scoring,
    /// Which answers suit which actions.
    pub table: Arc<Table>,
    /// Whether the combination table counts for both: they stage an exchange together instead of each looking for its
    /// own advantage (section IX).
    pub staged: bool,
    /// What they would never do.
    pub plausibility: Plausibility,
}

impl Aims {
    /// What somebody of this style is after who faces this opponent.
    pub fn of(style: Style, opponent: usize, table: &Arc<Table>) -> Aims {
        Aims {
            style,
            opponent,
            goal: None,
            required: Vec::new(),
            forbidden: Vec::new(),
            done: Vec::new(),
            scoring: Scoring::default(),
            table: Arc::clone(table),
            staged: false,
            plausibility: Plausibility::of(&style),
        }
    }
}

/// Where somebody is asked to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// Where (m).
    pub position: Ground,
    /// Which way to face (rad), if that matters.
    pub heading: Option<f32>,
}

/// What a blow is worth: D of \[Shum2012\], equation (5).
#[derive(Clone, Copy, Debug, Default)]
pub enum Scoring {
    /// Speed in metres per second times the vulnerability of what is struck.
    #[default]
    Damage,
    /// A catch, wherever the hand gets hold.
    Catch,
    /// Anything else: a function of the blow, for games with their own rules.
    Own(fn(&Hit) -> f32),
}

/// What a catch is worth (-): as much as a fast blow to the head.
const CATCH: f32 = 10.0;

impl Scoring {
    /// What a blow is worth (-).
    pub fn worth(&self, hit: &Hit) -> f32 {
        match self {
            Scoring::Damage => hit.damage(),
            Scoring::Catch => CATCH,
            Scoring::Own(worth) => worth(hit),
        }
    }

    /// The most that the blow of an action can be worth (-).
    fn most(&self, its: &Move) -> f64 {
        match self {
            _ if its.window[0] == its.window[1] => 0.0,
            Scoring::Own(_) => f64::INFINITY,
            Scoring::Damage => 2.0 * f64::from(its.speed),
            Scoring::Catch => f64::from(CATCH),
        }
    }
}

/// The terms of both functions for one action (points).
///
/// ```
/// use randori_arena::objectives::Terms;
/// let terms = Terms { movement: -3.0, score: 10.0, path: 2.0, ..Terms::default() };
/// assert_eq!((terms.competitive(), terms.cooperative()), (7.0, 2.0));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Terms {
    /// f_mov1: where it leaves one to the opponent.
    pub movement: f64,
    /// f_score of both: blows given less blows taken.
    pub score: f64,
    /// f_comb: how it suits what the opponent does.
    pub combination: f64,
    /// What having done it lately takes away.
    pub recency: f64,
    /// f_mov2: the way to the goal.
    pub path: f64,
    /// f_req: what was asked for.
    pub requirement: f64,
    /// f_comb of somebody who stages an exchange with the opponent.
    pub staged: f64,
}

impl Terms {
    /// F_comp.
    pub fn competitive(&self) -> f64 {
        self.movement + self.score + self.combination + self.recency
    }

    /// F_coop.
    pub fn cooperative(&self) -> f64 {
        self.path + self.requirement + self.staged
    }
}

/// The aims of a whole cast, ready to be asked millions of times.
#[derive(Clone, Debug)]
pub struct Judge {
    people: Vec<Ready>,
}

/// The aims of one person, by the number of the action.
#[derive(Clone, Debug)]
struct Ready {
    aims: Aims,
    /// w+ of each action.
    given: Vec<f64>,
    /// w-; nothing for somebody of whom it is asked to be struck.
    taken: f64,
    /// f_req of each action.
    asked: Vec<f64>,
    /// The least and the most of it, and of nothing.
    asked_range: [f64; 2],
    /// What recency takes away from each action.
    worn: Vec<f64>,
    /// The most of it.
    worn_most: f64,
    n_words_of_opponent: usize,
    /// f_comb by own and the opponent's annotation.
    combined: Vec<f64>,
    /// The largest of its magnitudes.
    combined_most: f64,
    /// Whether nothing but blows, all of them worth something to whoever gives them, and costs count.
    is_rival: bool,
    /// How often each action was chosen, by its annotation (-).
    used: Vec<f64>,
    /// What the options of each node of the graph promise, once somebody asked.
    ranked: Vec<OnceLock<Box<[Ranked]>>>,
}

impl Judge {
    /// Makes the aims of everybody ready.
    pub fn of(stage: &Stage, aims: &[Aims]) -> Judge {
        let people = aims.iter().enumerate().map(|(who, aims)| {
            let (bodies, style) = (&stage.cast[who].bodies, &aims.style);
            let words = bodies.words();
            let other = stage.cast[aims.opponent.min(stage.cast.len() - 1)].bodies.words();
            // Most annotations answer nothing.
            let combined = words.known.iter().flat_map(|own| {
                let answers = aims.table.answers(own);
                other.known.iter().map(move |other| {
                    let suitability = answers.and_then(|answers| answers.get(other));
                    suitability.map_or(0.0, |s| style.combination_weight * f64::from(*s))
                })
            });
            let combined: Vec<f64> = combined.collect();
            let asked = |annotation: &Annotation| {
                let of = |list: &[Annotation]| f64::from(u8::from(list.contains(annotation)));
                style.requirement_weight * (of(&aims.required) - of(&aims.forbidden))
            };
            let given = |annotation: &Annotation| match annotation.kind() {
                Kind::Attack => style.damage_weight(annotation),
                _ => 0.0,
            };
            let of_words = |worth: &dyn Fn(&Annotation) -> f64| -> Vec<f64> {
                words.of_actions(&words.known.iter().map(worth).collect::<Vec<f64>>())
            };
            let asked = of_words(&asked);
            let given = of_words(&given);
            let is_to_be_struck = aims.required.iter().any(|annotation| annotation.kind() == Kind::Reaction);
            let worn = worn(aims, &words.of_action);
            let weights = [style.distance_weight, style.angle_weight, style.taken_weight];
            let of_blows = weights.iter().chain(&given).all(|weight| *weight >= 0.0);
            let is_asked = aims.goal.is_some() || asked.iter().any(|asked| *asked != 0.0);
            let is_known = !matches!(aims.scoring, Scoring::Own(_));
            Ready {
                is_rival: of_blows && is_known && !is_asked && !aims.staged,
                given,
                taken: if is_to_be_struck { 0.0 } else { style.taken_weight },
                asked_range: [
                    asked.iter().fold(0.0, |a, b| b.min(a)),
                    asked.iter().fold(0.0, |a, b| b.max(a)),
                ],
                asked,
                worn_most: worn.iter().fold(0.0, |most, worn| worn.max(most)),
                worn,
                used: used(aims, words),
                combined_most: combined.iter().fold(0.0, |most: f64, value| most.max(value.abs())),
                combined,
                n_words_of_opponent: other.known.len(),
                ranked: vec![OnceLock::new(); bodies.library().n_nodes()],
                aims: aims.clone(),
            }
        });
        Judge { people: people.collect() }
    }

    /// What somebody is after.
    pub fn aims(&self, who: usize) -> &Aims {
        &self.people[who].aims
    }

    /// The terms of an action for whoever did it, from the moment before and what came of it.
    pub fn terms(
        &self,
        stage: &Stage,
        before: &Moment,
        who: usize,
        doing: &Doing,
        outcome: &Outcome,
    ) -> Terms {
        let ready = &self.people[who];
        let aims = &ready.aims;
        let action = doing.action;
        let end = doing.end(&stage.cast[who].bodies);
        let side = stage.cast[who].side;
        let mut blows = self.coming(stage, &outcome.next, side) - self.coming(stage, before, side);
        let mut requirement = ready.asked[action.0 as usize];
        let mut path = ready.path(stage, (who, doing), end);
        for landed in &outcome.landed {
            let [who, whom] = [landed.who, landed.whom].map(usize::from);
            blows += self.worth(stage, side, (who, landed.action), whom, &landed.hit);
            // A reaction is an edge like any other, only that nobody chose it.
            if let Some(reacting) = &landed.reacting {
                let victim = &self.people[whom];
                let asked = victim.asked[reacting.action.0 as usize];
                requirement += asked;
                // Whoever is asked to fall is where they were asked to be, wherever they come to lie.
                if asked <= 0.0 {
                    path += victim.path(stage, (whom, reacting), reacting.end(&stage.cast[whom].bodies));
                }
            }
        }
        let combined = ready.combination(stage, before, who, action);
        let [combination, staged] = if aims.staged { [0.0, combined] } else { [combined, 0.0] };
        let current = &before.people[who].doing;
        let movement = |doing: &Doing, tick: i32| ready.movement(stage, before, (who, doing), tick);
        Terms {
            movement: movement(doing, end) - movement(current, before.tick),
            score: blows,
            combination,
            staged,
            recency: -ready.worn[action.0 as usize],
            path,
            requirement,
        }
    }

    /// Whether reactions can be what was asked of anybody, or drive them off their way, so that it matters which one
    /// follows a blow.
    pub fn minds_reactions(&self) -> bool {
        self.people.iter().any(|ready| ready.asked_range != [0.0; 2] || ready.aims.goal.is_some())
    }

    /// How likely somebody is to choose an action, from what was chosen before: the share of its annotation (-).
    pub fn habit(&self, who: usize, action: ActionId) -> f64 {
        self.people[who].used[action.0 as usize]
    }

    /// What all blows under way are worth to a side, if they land as it looks (points).
    pub fn coming(&self, stage: &Stage, moment: &Moment, side: u8) -> f64 {
        let mut sum = 0.0;
        for (who, person) in moment.people.iter().enumerate() {
            if let Some(ahead) = &person.ahead {
                sum += self.worth(stage, side, (who, person.doing.action), ahead.whom as usize, &ahead.hit);
            }
        }
        sum
    }

    /// What a blow is worth to a side: w+ of whoever gives it and w- of whoever takes it (points).
    fn worth(
        &self,
        stage: &Stage,
        side: u8,
        (who, action): (usize, ActionId),
        whom: usize,
        hit: &Hit,
    ) -> f64 {
        let (giver, taker) = (&self.people[who], &self.people[whom]);
        let weight = giver.given[action.0 as usize] + taker.taken;
        let worth = weight * f64::from(giver.aims.scoring.worth(hit));
        if stage.cast[who].side == side { worth } else { -worth }
    }

    /// The least and the most that `left` further choices can add to the cooperative function (points).
    pub fn cooperation(&self, stage: &Stage, moment: &Moment, left: u8) -> [f64; 2] {
        let (mut least, mut most) = (0.0_f64, 0.0_f64);
        let [spoiled, forced] = self.asked_by_blows();
        let n_blows = self.people.len() as f64;
        let next = stage.turn(moment);
        for choice in 1..=left {
            let (mut lower, mut upper, mut driven_off) = (f64::INFINITY, f64::NEG_INFINITY, 0.0_f64);
            for (who, ready) in self.people.iter().enumerate() {
                let way = ready.way_after(stage, moment, who, choice);
                driven_off = driven_off.min(way[0]);
                // Who makes the first choice, and from where, is known.
                let [worse, better] = match next {
                    Some(next) if choice == 1 && next != who => continue,
                    Some(_) if choice == 1 => ready.way_next(stage, moment, who),
                    _ => way,
                };
                let [least, most] = ready.asked_and_staged();
                (lower, upper) = (lower.min(worse + least), upper.max(better + most));
            }
            let lower = lower + spoiled + n_blows * driven_off;
            (least, most) = (least + lower.min(0.0), most + (upper + forced).max(0.0));
        }
        [least, most]
    }

    /// The least and the most that blows which land during one action can add as what was asked of their victims: one
    /// blow of everybody (points).
    fn asked_by_blows(&self) -> [f64; 2] {
        let n = self.people.len() as f64;
        let of = |end: usize, pick: fn(f64, f64) -> f64| {
            n * self.people.iter().map(|ready| ready.asked_range[end]).fold(0.0, pick)
        };
        [of(0, f64::min), of(1, f64::max)]
    }
}

impl Ready {
    /// f_mov1 at a tick.
    fn movement(&self, stage: &Stage, moment: &Moment, (who, doing): (usize, &Doing), tick: i32) -> f64 {
        if self.aims.opponent == who {
            return 0.0;
        }
        let (distance, angle) = stage.relation(moment, (who, doing), self.aims.opponent, tick);
        self.aims.style.movement(distance, angle)
    }

    /// f_mov2 at a tick.
    fn path(&self, stage: &Stage, (who, doing): (usize, &Doing), tick: i32) -> f64 {
        self.aims.goal.map_or(0.0, |goal| {
            let root = doing.root(&stage.cast[who].bodies, tick).placement();
            let turned = goal.heading.map(|wanted| wanted - root.heading);
            self.aims.style.way(root.position.distance(goal.position), turned)
        })
    }

    /// f_comb of an action, given what the opponent does.
    fn combination(&self, stage: &Stage, moment: &Moment, who: usize, action: ActionId) -> f64 {
        let theirs = moment.people[self.aims.opponent].doing.action;
        let word = stage.cast[who].bodies.of_action(action).word;
        let their_word = stage.cast[self.aims.opponent].bodies.of_action(theirs).word;
        self.combined[usize::from(word) * self.n_words_of_opponent + usize::from(their_word)]
    }

    /// The least and the most of f_mov2 after so many choices, at the end of an action or of a reaction.
    fn way_after(&self, stage: &Stage, moment: &Moment, who: usize, choice: u8) -> [f64; 2] {
        let style = &self.aims.style;
        self.aims.goal.map_or([0.0; 2], |goal| {
            let bodies = &stage.cast[who].bodies;
            let doing = &moment.people[who].doing;
            let off = doing.position(bodies, doing.end(bodies)).distance(goal.position);
            // What is under way may be cut short by a blow of any other, with a reaction after it; every choice before
            // this one is an action of one's own, or brings about another reaction.
            let way = (1.0 + f32::from(choice) + moment.people.len() as f32) * bodies.roam();
            let turned = goal.heading.map(|_| std::f32::consts::PI);
            [style.way(off + way, turned), style.way((off - way).max(0.0), None)]
        })
    }

    /// The least and the most of f_mov2 of somebody who decides now.
    fn way_next(&self, stage: &Stage, moment: &Moment, who: usize) -> [f64; 2] {
        let style = &self.aims.style;
        self.aims.goal.map_or([0.0; 2], |goal| {
            let here = moment.people[who].doing.root(&stage.cast[who].bodies, moment.tick);
            let [nearest, farthest] = (stage.options(moment, who).iter())
                .map(|option| here.ground(option.end))
                .map(|end| (apart(end, goal.position), blur(end, goal.position)))
                .fold([f32::INFINITY, 0.0_f32], |[nearest, farthest], (off, blur)| {
                    [nearest.min(off - blur), farthest.max(off + blur)]
                });
            let turned = goal.heading.map(|_| std::f32::consts::PI);
            [style.way(farthest, turned), style.way(nearest.clamp(0.0, farthest), None)]
        })
    }

    /// The least and the most that an action's own annotation adds to F_coop.
    fn asked_and_staged(&self) -> [f64; 2] {
        let staged = if self.aims.staged { self.combined_most } else { 0.0 };
        let [least, most] = self.asked_range;
        [least - staged, most + staged]
    }
}

/// How much of what somebody did still takes away from doing it again.
const REMEMBERED: usize = 8;

/// How often each action's annotation was chosen, shared among its actions; nobody is sure to do only what was seen.
fn used(aims: &Aims, words: &Words) -> Vec<f64> {
    let mut counts = vec![0.5_f64; words.known.len()];
    for done in &aims.done {
        if let Some(word) = words.of_action.get(done.0 as usize) {
            counts[*word as usize] += 1.0;
        }
    }
    for (count, size) in counts.iter_mut().zip(&words.sizes) {
        *count /= f64::from(*size);
    }
    words.of_actions(&counts)
}

/// What recency takes away from each action: most from what was just done, half as much for each action since; half of
/// it from others of the same annotation.
fn worn(aims: &Aims, words: &[u16]) -> Vec<f64> {
    let mut worn = vec![0.0_f64; words.len()];
    let mut weight = aims.style.recency_weight;
    for done in aims.done.iter().rev().take(REMEMBERED) {
        let Some(word) = words.get(done.0 as usize) else { continue };
        for (action, worn) in worn.iter_mut().enumerate() {
            if action == done.0 as usize {
                *worn += weight;
            } else if words[action] == *word {
                *worn += 0.5 * weight;
            }
        }
        weight *= 0.5;
    }
    worn
}
