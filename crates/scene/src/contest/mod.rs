//! Contests: people against each other for a while, and who did better.
//!
//! A [`Ring`] holds one library and the length of a round. It places [`Contender`]s as a seed says, lets them act on a
//! [`Bout`], and counts what they did. [`series`] plays many rounds and sums them up; [`cost`] compares what decisions
//! cost when they are searched in different ways; [`path`] measures how well people keep to the way they were given,
//! [`carry`] how two do who carry something, and [`mod@switch`] what a change of style does.
//!
//! What it refuses to do: it makes no take and no picture. A scene with paths, a story and an audience is the
//! [director](crate::director)'s.

pub mod carry;
pub mod cost;
pub mod path;
pub mod series;
pub mod switch;

use std::sync::Arc;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use randori_arena::bodies::{Bodies, Rigid, TICKS_PER_SECOND};
use randori_arena::bout::{Bout, Happening, Pause};
use randori_arena::combination::Table;
use randori_arena::controller;
use randori_arena::hits::Part;
use randori_arena::objectives::{Aims, Scoring};
use randori_arena::reactions::Reactions;
use randori_arena::stage::{self, Cast, Moment, Stage};
use randori_arena::style::Style;
use randori_gametree::Settings;
use randori_interaction_graph::background::Policies;
use randori_motion::annotation::Kind;
use randori_motion::{ActionId, ActionLibrary, Ground, Placement};
use randori_tactics::Planner;
use randori_tactics::wits::Taught;

use crate::director::crew::{self, Knowledge};
use crate::director::{POISE, calm_actions};
use crate::screenplay::Controller;

/// How often the distance is looked at (ticks).
const LOOK: i32 = 6;
/// How far apart two sides start, at least and at most, in a fight and in a chase (m).
const APART: [[f32; 2]; 2] = [[1.0, 2.5], [2.0, 4.0]];
/// Between neighbours of one side at the start (m).
const ELBOW_ROOM: f32 = 1.5;
/// How far a start may be turned away from where it should look (rad).
const TURNED: f32 = 0.3;

/// Why there is no contest.
#[derive(Debug, thiserror::Error)]
pub enum ContestError {
    /// A library without actions.
    #[error("the library {library} has no actions")]
    Empty {
        /// The library.
        library: String,
    },
    /// A round that is no time at all, or that nobody lives to see.
    #[error("a round of {seconds} s; it lasts from {least} s to {most} s")]
    Seconds {
        /// What was asked for (s).
        seconds: f64,
        /// The shortest (s).
        least: f64,
        /// The longest (s).
        most: f64,
    },
}

/// Where people meet: what all of them can do, and for how long they do it.
///
/// In a library with blows they fight: whoever gives more damage wins, and a round ends early only when somebody is
/// down for good. In a library whose only attack is to catch, they chase: a round ends with the first catch, which wins
/// it; if there is none, whoever did not have to catch anybody wins.
#[derive(Clone, Debug)]
pub struct Ring {
    seconds: f64,
    bodies: Arc<Bodies>,
    reactions: Arc<Reactions>,
    rules: stage::Contest,
    table: Arc<Table>,
    graph: Option<Arc<Policies>>,
    tag: Option<Arc<Taught>>,
    calm: Vec<ActionId>,
}

/// Somebody who takes part.
#[derive(Clone, Debug, PartialEq)]
pub struct Contender {
    /// Who chooses its actions.
    pub controller: Controller,
    /// What it is after.
    pub style: Style,
    /// Whose side it is on: 0 starts in the north (-Z), 1 in the south.
    pub side: u8,
}

impl Contender {
    /// Whether it is after blows or catches of its own.
    fn attacks(&self) -> bool {
        self.style.short_damage_weight > 0.0 || self.style.long_damage_weight > 0.0
    }
}

/// What came of a round.
#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    /// How long it lasted (s).
    pub seconds: f64,
    /// When somebody was caught (s).
    pub caught: Option<f64>,
    /// Mean distance over time of the first contender from its opponent (m).
    pub distance: f64,
    /// The side that won; `None` for a draw.
    pub winner: Option<u8>,
    /// What each contender did.
    pub deeds: Vec<Deeds>,
}

/// What one contender did in a round.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Deeds {
    /// Blows that met head or trunk; in a chase, catches.
    pub hits: u32,
    /// Sum of speed (m/s) times vulnerability of the blows given; nothing in a chase.
    pub damage: f64,
    /// Attacks chosen.
    pub attacks: u32,
    /// Decisions taken.
    pub decisions: u32,
    /// Actions simulated for them.
    pub edges: u64,
}

impl Ring {
    /// The shortest and the longest round (s).
    pub const SECONDS: [f64; 2] = [0.1, 3600.0];

    /// Contests of people who can do what is in this library, in rounds of this length (s).
    pub fn of(library: Arc<ActionLibrary>, seconds: f64) -> Result<Ring, ContestError> {
        let [least, most] = Ring::SECONDS;
        if !(least..=most).contains(&seconds) {
            return Err(ContestError::Seconds { seconds, least, most });
        }
        let calm = calm_actions(&library);
        if calm.is_empty() {
            return Err(ContestError::Empty { library: library.name.clone() });
        }
        let is_blow = |name: &str| !name.ends_with("catch");
        let fights = (library.actions().iter().map(|action| &action.annotation))
            .any(|annotation| annotation.kind() == Kind::Attack && is_blow(annotation.name()));
        Ok(Ring {
            seconds,
            bodies: Arc::new(Bodies::of(Arc::clone(&library))),
            reactions: Arc::new(Reactions::of(library)),
            rules: if fights { stage::Contest::Fight } else { stage::Contest::Chase },
            table: Arc::new(Table::of_known_words()),
            graph: None,
            tag: None,
            calm,
        })
    }

    /// The same with the interaction graph of its library, for contenders who play on it; without it they stand.
    pub fn with_graph(self, graph: Arc<Policies>) -> Ring {
        Ring { graph: Some(graph), ..self }
    }

    /// The same with tag and its values, for contenders who play with wits; without them they stand.
    pub fn with_tag(self, tag: Arc<Taught>) -> Ring {
        Ring { tag: Some(tag), ..self }
    }

    fn knows(&self) -> Knowledge<'_> {
        Knowledge { graph: self.graph.as_ref(), tag: self.tag.as_ref(), n_people: 2 }
    }

    /// The impulse that fells contenders (N s).
    pub const POISE: f32 = POISE;

    /// The same with rounds of another length (s), cut to what is possible.
    pub fn lasting(&self, seconds: f64) -> Ring {
        Ring { seconds: seconds.clamp(Ring::SECONDS[0], Ring::SECONDS[1]), ..self.clone() }
    }

    /// How long a round is (ticks).
    pub fn ticks(&self) -> i32 {
        (self.seconds * f64::from(TICKS_PER_SECOND)).round() as i32
    }

    /// Whether one side runs after the other, instead of fighting.
    pub fn is_chase(&self) -> bool {
        self.rules == stage::Contest::Chase
    }

    /// The styles of two who name none.
    pub fn usual_styles(&self) -> [&'static str; 2] {
        match self.rules {
            stage::Contest::Chase => ["chaser", "runaway"],
            stage::Contest::Fight if self.bodies.weapon().is_some() => ["sword-fighter"; 2],
            stage::Contest::Fight => ["general-boxer"; 2],
        }
    }

    /// A round from beginning to end. Distance, headings and postures at the start are those of the seed.
    pub fn round(&self, contenders: &[Contender], seed: u64) -> Round {
        self.play(&mut self.bout(contenders, seed), contenders)
    }

    /// The same round without one of a side of several: everybody else starts where they would beside them.
    pub fn round_without(&self, contenders: &[Contender], missing: usize, seed: u64) -> Round {
        let mut bout = self.bout(contenders, seed);
        bout.moment.people[missing].is_present = false;
        self.play(&mut bout, contenders)
    }

    /// Everybody in place, and nobody has moved.
    pub fn bout(&self, contenders: &[Contender], seed: u64) -> Bout {
        let cast = contenders.iter().map(|contender| Cast {
            bodies: Arc::clone(&self.bodies),
            reactions: Some(Arc::clone(&self.reactions)),
            side: contender.side,
            poise: POISE,
        });
        let stage = Stage { cast: cast.collect(), contest: self.rules };
        let moment = Moment::opening(&stage, 0, &self.places(contenders, seed));
        let aims = contenders.iter().enumerate().map(|(who, contender)| {
            let opponent = contenders.iter().position(|other| other.side != contender.side).unwrap_or(who);
            let mut aims = Aims::of(contender.style, opponent, &self.table);
            aims.scoring = if self.is_chase() { Scoring::Catch } else { Scoring::Damage };
            aims.staged = crew::is_staged(&contender.controller);
            aims
        });
        let aims = aims.collect();
        let controllers = (contenders.iter().enumerate())
            .map(|(who, contender)| hired_alone(&contender.controller, seed, who, self.knows()))
            .collect();
        Bout::new(stage, moment, aims, controllers, (0..contenders.len()).collect())
    }

    /// Where everybody starts, and in what action.
    fn places(&self, contenders: &[Contender], seed: u64) -> Vec<Option<(ActionId, Rigid)>> {
        let mut chance = ChaCha8Rng::seed_from_u64(seed);
        let [least, most] = APART[usize::from(self.is_chase())];
        let apart = chance.random_range(least..most);
        let is_first = |who: usize| contenders[who].side == 0;
        let place = |who: usize| {
            let own = (0..contenders.len()).filter(|other| is_first(*other) == is_first(who));
            let (n_own, before) = own.fold((0, 0), |(n, before), it| (n + 1, before + i32::from(it < who)));
            let north = if is_first(who) { -1.0 } else { 1.0 };
            // They face each other, also whoever runs away.
            let heading = if is_first(who) { 0.0 } else { std::f32::consts::PI };
            Placement {
                position: Ground {
                    x: (before as f32 - 0.5 * (n_own - 1) as f32) * ELBOW_ROOM,
                    z: north * 0.5 * apart,
                },
                heading: heading + chance.random_range(-TURNED..TURNED),
            }
        };
        let placements: Vec<Placement> = (0..contenders.len()).map(place).collect();
        (placements.into_iter())
            .map(|at| Some((self.calm[chance.random_range(0..self.calm.len())], Rigid::of(at))))
            .collect()
    }

    /// Plays a bout of these contenders to its end.
    pub fn play(&self, bout: &mut Bout, contenders: &[Contender]) -> Round {
        let end = self.ticks();
        let (mut seen, mut caught) = (0, None);
        let (mut sum, mut n_looks) = (0.0, 0_u32);
        let mut deeds = vec![Deeds::default(); contenders.len()];
        while bout.moment.tick < end {
            match bout.advance((bout.moment.tick / LOOK * LOOK + LOOK).min(end)) {
                Pause::Decision(who) => bout.decide(who),
                Pause::Limit => {
                    let place = |who: usize| bout.stage.position(&bout.moment, who, bout.moment.tick);
                    let opponent = bout.aims.first().map_or(0, |aims| aims.opponent);
                    sum += f64::from(place(0).distance(place(opponent)));
                    n_looks += 1;
                }
            }
            for happening in &bout.happenings[seen..] {
                caught = caught.or(self.note(bout, contenders, happening, &mut deeds));
            }
            seen = bout.happenings.len();
            if caught.is_some() || self.is_over(bout) {
                break;
            }
        }
        Round {
            seconds: seconds(bout.moment.tick),
            caught: caught.map(|(tick, _)| seconds(tick)),
            distance: sum / f64::from(n_looks.max(1)),
            winner: self.winner(contenders, &deeds, caught.map(|(_, side)| side)),
            deeds,
        }
    }

    /// Counts something that happened; says when and by which side somebody was caught.
    fn note(
        &self,
        bout: &Bout,
        contenders: &[Contender],
        happening: &Happening,
        deeds: &mut [Deeds],
    ) -> Option<(i32, u8)> {
        match happening {
            Happening::Decided { who, verdict, .. } => {
                let its = &mut deeds[*who];
                its.decisions += 1;
                its.attacks += u32::from(bout.is_attack(*who, verdict.action));
                its.edges += verdict.edges;
                None
            }
            Happening::Landed(landed) => {
                let who = landed.who as usize;
                let its = &mut deeds[who];
                if self.is_chase() {
                    let catches = contenders[who].attacks();
                    its.hits += u32::from(catches);
                    return catches.then_some((landed.hit.tick, contenders[who].side));
                }
                its.hits += u32::from(landed.hit.part() != Part::Limb);
                its.damage += f64::from(landed.hit.damage());
                None
            }
        }
    }

    /// Whether somebody lies where they fell, and is there to stay.
    fn is_over(&self, bout: &Bout) -> bool {
        let is_down = |(who, person): (usize, &stage::Person)| {
            let bodies = &bout.stage.cast[who].bodies;
            bodies.of_action(person.doing.action).is_terminal && person.doing.end(bodies) <= bout.moment.tick
        };
        bout.moment.people.iter().enumerate().any(is_down)
    }

    fn winner(&self, contenders: &[Contender], deeds: &[Deeds], caught_by: Option<u8>) -> Option<u8> {
        if self.is_chase() {
            let chases = |side: u8| contenders.iter().any(|it| it.side == side && it.attacks());
            return caught_by.or(match (chases(0), chases(1)) {
                (true, false) => Some(1),
                (false, true) => Some(0),
                _ => None,
            });
        }
        let given = |side: u8| -> f64 {
            let own = contenders.iter().zip(deeds).filter(|(it, _)| it.side == side);
            own.map(|(_, deeds)| deeds.damage).sum()
        };
        let [first, second] = [given(0), given(1)];
        if first == second { None } else { Some(u8::from(second > first)) }
    }
}

/// A controller that leaves the other threads to other rounds.
fn hired_alone(
    wanted: &Controller,
    seed: u64,
    who: usize,
    knows: Knowledge<'_>,
) -> Box<dyn controller::Controller> {
    match wanted {
        Controller::GameTree { depth, rule, opponent, .. } => Box::new(Planner::new(Settings {
            depth: *depth,
            rule: *rule,
            opponent: *opponent,
            parallel: false,
            ..Settings::default()
        })),
        other => crew::hired(other, seed, who, knows),
    }
}

/// The time of a tick (s).
fn seconds(tick: i32) -> f64 {
    f64::from(tick) / f64::from(TICKS_PER_SECOND)
}
