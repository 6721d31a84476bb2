//! A bout of a person at the keys against the computer, sixty times a second.
//!
//! A key is answered at the next cut: at once while somebody stands, steps, defends or strikes, after the blow when one lands
//! within two ticks. What is done is the best action of the sort that was asked for.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use randori_arena::bodies::{Brief, TICKS_PER_SECOND};
use randori_arena::bout::{Excerpt, Happening, Pause};
use randori_arena::controller::{Controller as _, Still, Verdict};
use randori_arena::hits::Part;
use randori_arena::objectives::Judge;
use randori_arena::plausible::{Plausibility, Screening};
use randori_arena::style::Style;
use randori_interaction_graph::player::Command;
use randori_motion::annotation::Kind;
use randori_motion::library::Player;
use randori_motion::{ActionId, ActionLibrary, Annotation, GlobalPose};
use randori_scene::director::Director;
use randori_scene::screenplay::{Controller, Screenplay};
use randori_tactics::Planner;
use serde_json::{Value, json};

use crate::clock;
use crate::figure::Figure;
use crate::film::{kind_of, person};
use crate::foresight::{Foresight, foreseen};
use crate::frames::Frame;
use crate::protocol::Key;

/// The person at the keys, and the computer, by their places in the cast.
pub(crate) const YOU: usize = 0;
const RIVAL: usize = 1;

/// A blow that lands within so many ticks cannot be broken off any more.
const LANDING: i32 = 2;

/// What the rival is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rival {
    pub(crate) discipline: String,
    pub(crate) is_graph: bool,
    pub(crate) depth: u8,
    pub(crate) style: String,
}

impl Rival {
    /// Checks what a viewer asked for.
    pub(crate) fn new(discipline: &str, rival: &str, depth: u8, style: &str) -> Result<Rival, String> {
        if !["boxing", "sword"].contains(&discipline) {
            return Err(format!("there is no bout of \"{discipline}\"; there are boxing and sword"));
        }
        if !["gametree", "graph"].contains(&rival) {
            return Err(format!("there is no rival \"{rival}\"; there are gametree and graph"));
        }
        let new = Rival {
            discipline: discipline.to_owned(),
            is_graph: rival == "graph",
            depth: 1,
            style: String::new(),
        };
        new.changed(depth, style)
    }

    /// The same with another depth and style.
    pub(crate) fn changed(&self, depth: u8, style: &str) -> Result<Rival, String> {
        if !(1..=5).contains(&depth) {
            return Err(format!("expected a depth from 1 to 5, found {depth}"));
        }
        if Style::preset(style).is_none() {
            return Err(format!("there is no style \"{style}\""));
        }
        Ok(Rival { depth, style: style.to_owned(), ..self.clone() })
    }

    fn controller(&self) -> Controller {
        if self.is_graph {
            Controller::Graph { depth: self.depth }
        } else {
            Controller::game_tree(self.depth)
        }
    }

    /// The scene in which they meet.
    pub(crate) fn scene(&self) -> Result<Screenplay, String> {
        let text = format!(
            r#"
            name = "bout"
            seconds = 3600
            seed = 1
            library = "builtin:{}"
            [[characters]]
            name = "you"
            color = "blue"
            style = "{}"
            controller = "still"
            at = [0, -0.9]
            facing = "rival"
            [[characters]]
            name = "rival"
            color = "red"
            style = "{}"
            controller = "{}"
            at = [0, 0.9]
            facing = "you"
            "#,
            self.discipline,
            if self.discipline == "sword" { "sword-fighter" } else { "general-boxer" },
            self.style,
            self.controller(),
        );
        Screenplay::parse("bout.toml", text.as_bytes()).map_err(|error| error.to_string())
    }
}

/// What reaches a bout from outside.
pub(crate) enum Input<O> {
    Key(Key, bool),
    Rival(Rival),
    /// Something else: the bout ends with it.
    Other(O),
    /// Nothing to do with the bout.
    Nothing,
}

/// Where a bout is shown.
pub(crate) trait Audience<O> {
    fn sort(&mut self, order: O) -> Input<O>;
    fn show(&mut self, frame: Vec<u8>);
    fn tell_people(&mut self, take: Value);
    fn tell_score(&mut self, score: Value);
}

/// What a bout is about besides the stage.
struct Bench {
    director: Director,
    rival: Rival,
    foresight: Foresight,
    planner: Planner,
    /// Keys that are down, the latest last.
    held: Vec<Key>,
    /// What was asked for and is not done yet.
    asked: Option<Key>,
    /// What is being done for the player.
    doing: Option<Key>,
    depth_reached: u8,
}

/// Runs a bout until something else is asked for, which is handed back; `None` when nobody is there any more.
pub(crate) fn run<O>(
    director: Director,
    rival: Rival,
    orders: &Receiver<O>,
    audience: &mut dyn Audience<O>,
    version: u32,
) -> Option<O> {
    let mut bench = Bench {
        director,
        rival,
        foresight: Foresight::new(),
        planner: Planner::of_depth(1),
        held: Vec::new(),
        asked: None,
        doing: None,
        depth_reached: 0,
    };
    bench.planner.settings.parallel = false;
    let libraries: Vec<Arc<ActionLibrary>> =
        bench.director.bout.stage.cast.iter().map(|cast| Arc::clone(cast.bodies.library())).collect();
    let figures: Vec<Figure> = libraries.iter().map(|library| Figure::of(library.body())).collect();
    let mut shows: Vec<Show<'_>> = Vec::new();
    for (who, library) in libraries.iter().enumerate() {
        let (_, first) = bench.director.bout.tracks[who].performed.first().copied()?;
        let placement = first.placement(&bench.director.bout.stage.cast[who].bodies, first.start);
        shows.push(Show {
            player: Player::new(library, first.action, placement),
            seen: 1,
            pose: GlobalPose::default(),
        });
    }
    let colors = [[0.10, 0.30, 0.72], [0.74, 0.13, 0.10]];
    let people: Vec<Value> = ["you", "rival"]
        .iter()
        .zip(&figures)
        .zip(colors)
        .map(|((name, figure), color)| person(name, color, figure))
        .collect();
    audience.tell_people(json!({
        "picture": 0, "version": version, "name": "bout", "live": true, "seconds": 0, "ready": 0, "done": true,
        "people": people, "things": [], "marks": [], "findings": [],
    }));
    audience.tell_score(bench.score());
    let tick_length = Duration::from_secs_f64(1.0 / f64::from(TICKS_PER_SECOND));
    let mut due = clock::now() + tick_length;
    let mut counted = 0;
    loop {
        // A key that is answered brings the next tick on at once.
        match wait(orders, due) {
            Ok(Some(order)) => {
                match audience.sort(order) {
                    Input::Key(key, down) => {
                        if bench.key(key, down) {
                            due = clock::now();
                        }
                    }
                    Input::Rival(rival) => bench.change(rival),
                    Input::Other(order) => return Some(order),
                    Input::Nothing => {}
                }
                continue;
            }
            Ok(None) => {}
            Err(()) => return None,
        }
        let now = clock::now();
        due += tick_length;
        if now > due + 6 * tick_length {
            // Whoever was held up goes on from here, and does not run after the time that was lost.
            due = now + tick_length;
        }
        bench.tick();
        let tick = bench.director.bout.moment.tick;
        let mut frame = Frame::new(0, f64::from(tick) / f64::from(TICKS_PER_SECOND), version);
        for (who, show) in shows.iter_mut().enumerate() {
            show.step(&bench, who, tick);
            frame.person(who, &figures[who], &show.pose);
        }
        audience.show(frame.finish());
        let happened = bench.director.bout.happenings.len();
        if happened != counted {
            counted = happened;
            audience.tell_score(bench.score());
        }
    }
}

/// The next order before a time; nothing if there is none, an error when nobody can send any.
fn wait<O>(orders: &Receiver<O>, due: Instant) -> Result<Option<O>, ()> {
    let left = due.saturating_duration_since(clock::now());
    match orders.recv_timeout(left) {
        Ok(order) => Ok(Some(order)),
        Err(RecvTimeoutError::Timeout) => Ok(None),
        Err(RecvTimeoutError::Disconnected) => Err(()),
    }
}

/// How one of the two looks.
struct Show<'a> {
    player: Player<'a>,
    /// Actions of the track that were begun.
    seen: usize,
    pose: GlobalPose,
}

impl Show<'_> {
    fn step(&mut self, bench: &Bench, who: usize, tick: i32) {
        let bout = &bench.director.bout;
        let bodies = &bout.stage.cast[who].bodies;
        for (_, doing) in &bout.tracks[who].performed[self.seen..] {
            let skipped = doing.frame(bodies, tick) - bodies.of_action(doing.action).first;
            self.player.switch(doing.action, skipped);
        }
        self.seen = bout.tracks[who].performed.len();
        if !self.player.is_done() || self.pose.positions.is_empty() {
            let pose = self.player.step();
            bodies.library().body().skeleton.globals_into(pose.view(), &mut self.pose);
        }
    }
}

impl Bench {
    /// Takes a key in; says whether it is answered already.
    fn key(&mut self, key: Key, down: bool) -> bool {
        self.held.retain(|held| *held != key);
        if !down {
            return false;
        }
        self.held.push(key);
        self.asked = Some(key);
        let is_answered = self.may_cut(key);
        if is_answered {
            self.decide_for_you();
        }
        is_answered
    }

    /// Whether what the player does can be left for something else now.
    fn may_cut(&self, key: Key) -> bool {
        let bout = &self.director.bout;
        let (person, bodies) = (&bout.moment.people[YOU], &bout.stage.cast[YOU].bodies);
        let its = bodies.of_action(person.doing.action);
        let frame = person.doing.frame(bodies, bout.moment.tick);
        match its.kind {
            _ if its.is_terminal || its.is_fall || its.kind == Kind::Reaction => false,
            // Whoever asks for the same again waits for it to end.
            _ if self.doing == Some(key) => its.kind == Kind::Attack && frame >= its.window[1],
            // A blow that is about to land does; any other is broken off.
            Kind::Attack => person.ahead.is_none_or(|ahead| ahead.hit.tick - bout.moment.tick > LANDING),
            _ => true,
        }
    }

    /// The player's next action: the best of the sort that is asked for.
    fn decide_for_you(&mut self) {
        let key = self.asked.or(self.held.last().copied());
        let verdict = key.and_then(|key| self.best_of(key.command()));
        match verdict {
            Some(verdict) => {
                (self.asked, self.doing) = (None, key);
                self.director.bout.perform(YOU, verdict);
            }
            None => {
                (self.asked, self.doing) = (None, None);
                match Still.decide(&self.director.bout.excerpt(YOU).situation(false)) {
                    Some(verdict) => self.director.bout.perform(YOU, verdict),
                    None => self.director.bout.wait(YOU),
                }
            }
        }
        self.look_ahead();
    }

    /// By the competitive function, as everybody else, with what is asked for required above all. From a posture in which
    /// nothing of the sort begins, the seam has to bridge more.
    fn best_of(&mut self, command: Command) -> Option<Verdict> {
        let mut excerpt = self.director.bout.excerpt(YOU);
        let library = Arc::clone(excerpt.stage.cast[0].bodies.library());
        let answers = |annotation: &Annotation| command.is_answered_by(annotation);
        let options = excerpt.stage.options(&excerpt.moment, 0);
        let annotation = |option: &Brief| library.action(option.id).annotation.clone();
        let mut required: Vec<Annotation> = options.iter().map(annotation).filter(answers).collect();
        required.sort();
        required.dedup();
        let is_far = required.is_empty();
        let aims = &mut excerpt.aims[0];
        aims.required = required;
        aims.style.requirement_weight = 1e12;
        // A person may strike at the air, and turn away.
        aims.plausibility = Plausibility {
            attack: 1e3,
            defence: 1e3,
            logical: false,
            facing: std::f32::consts::PI,
            ..aims.plausibility
        };
        // What the planner is asked is the turn of whoever asks, in the middle of an action or not.
        let tick = excerpt.moment.tick;
        let person = &mut excerpt.moment.people[0];
        let bodies = &excerpt.stage.cast[0].bodies;
        let here = person.doing.root(bodies, tick);
        let end = person.doing.end(bodies);
        person.doing.start -= (end - tick).max(0);
        let there = person.doing.root(bodies, tick);
        person.doing.world_from_take = here.then(there.inverse()).then(person.doing.world_from_take);
        let planned = if is_far { None } else { self.planner.decide(&excerpt.situation(false)) };
        // Where nothing of the sort begins, or all of it leads into the rival, any will do.
        (planned.filter(|verdict| answers(&library.action(verdict.action).annotation)))
            .or_else(|| best_from_anywhere(&excerpt, &library, answers))
    }

    fn change(&mut self, rival: Rival) {
        self.rival = rival;
        if let Some(style) = Style::preset(&self.rival.style) {
            let aims = &mut self.director.bout.aims[RIVAL];
            let reach = aims.plausibility.attack;
            aims.style = style;
            aims.plausibility = Plausibility { attack: reach, ..Plausibility::of(&style) };
        }
        self.director.hire(RIVAL, &self.rival.controller());
        self.foresight.forget();
        self.look_ahead();
    }

    /// One sixtieth of a second.
    fn tick(&mut self) {
        let tick = self.director.bout.moment.tick + 1;
        let landed = self.director.bout.happenings.len();
        while let Pause::Decision(who) = self.director.bout.advance(tick) {
            if who == YOU {
                self.decide_for_you();
            } else {
                self.decide_for_rival();
            }
        }
        // What was asked for in the middle of a blow is done after it.
        if self.asked.is_some_and(|key| self.may_cut(key)) {
            self.decide_for_you();
        }
        let is_struck = (self.director.bout.happenings[landed..].iter())
            .any(|it| matches!(it, Happening::Landed(landed) if landed.answer.is_some()));
        if is_struck {
            self.doing = None;
            self.foresight.forget();
            self.look_ahead();
        }
    }

    fn decide_for_rival(&mut self) {
        if self.rival.is_graph {
            self.depth_reached = self.rival.depth;
            self.director.bout.decide(RIVAL);
            return;
        }
        let bout = &self.director.bout;
        let options = bout.stage.options(&bout.moment, RIVAL);
        let is_possible = |verdict: &Verdict| options.iter().any(|option| option.id == verdict.action);
        let thought_of = self.foresight.answer().filter(|answer| is_possible(&answer.verdict));
        let (verdict, depth) = match thought_of {
            Some(answer) => (Some(answer.verdict), answer.depth),
            None => (self.planner.decide(&bout.excerpt(RIVAL).situation(false)), 1),
        };
        self.depth_reached = depth;
        match verdict {
            Some(verdict) => self.director.bout.perform(RIVAL, verdict),
            None => self.director.bout.wait(RIVAL),
        }
        self.foresight.forget();
        self.look_ahead();
    }

    /// Has the rival think of what comes next.
    fn look_ahead(&self) {
        let bout = &self.director.bout;
        let (person, bodies) = (&bout.moment.people[RIVAL], &bout.stage.cast[RIVAL].bodies);
        if self.rival.is_graph || bodies.of_action(person.doing.action).is_terminal {
            return;
        }
        let left = (person.doing.end(bodies) - bout.moment.tick).max(1);
        let due = clock::now() + Duration::from_secs_f64(f64::from(left) / f64::from(TICKS_PER_SECOND));
        self.foresight.ask(foreseen(bout.excerpt(RIVAL)), self.rival.depth, due);
    }

    /// How it stands.
    fn score(&self) -> Value {
        let bout = &self.director.bout;
        let mut hits = [[0u32; 2]; 2];
        let mut damage = [0.0f64; 2];
        let mut last = Value::Null;
        for happening in &bout.happenings {
            if let Happening::Landed(landed) = happening {
                let who = usize::from(landed.who).min(1);
                let is_stopped = landed.hit.part() == Part::Limb;
                hits[who][usize::from(is_stopped)] += 1;
                if !is_stopped {
                    damage[who] += f64::from(landed.hit.damage());
                }
                last = json!({ "who": who, "bone": landed.hit.bone.name(), "point": landed.hit.point.to_array(),
                    "tick": landed.hit.tick, "stopped": is_stopped });
            }
        }
        let doing = [YOU, RIVAL].map(|who| {
            let name =
                &bout.stage.cast[who].bodies.library().action(bout.moment.people[who].doing.action).name;
            json!([name, kind_of(name)])
        });
        json!({ "hits": hits, "damage": damage, "last": last, "doing": doing, "depth": self.depth_reached,
            "rival": { "depth": self.rival.depth, "style": self.rival.style,
                "kind": if self.rival.is_graph { "graph" } else { "gametree" } } })
    }
}

/// The best of all actions of a sort, whatever posture they begin in.
fn best_from_anywhere(
    excerpt: &Excerpt,
    library: &ActionLibrary,
    answers: impl Fn(&Annotation) -> bool,
) -> Option<Verdict> {
    let Excerpt { stage, moment, aims } = excerpt;
    let judge = Judge::of(stage, aims);
    let worth = |id: ActionId| {
        let doing = stage.begin(moment, 0, id);
        judge.terms(stage, moment, 0, &doing, &stage.perform(moment, 0, doing)).competitive()
    };
    let asked = library.ids().filter(|id| answers(&library.action(*id).annotation));
    let best = asked.map(|id| (worth(id), id)).max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
    best.map(|(_, action)| Verdict {
        action,
        screening: Screening::default(),
        candidates: Vec::new(),
        edges: 0,
    })
}
