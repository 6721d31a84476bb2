//! Cuts and blocks as the nodes of a motion graph: the samples of a duel.
//!
//! Every line has a cut in three parts (it gathers, it strikes, the sword comes back), what is left of it when it is
//! stopped, and a block that rises and is lowered. A cut that gathers may go over into the cut of another line: feints are
//! ways through the graph, not nodes of it. Whoever steps back is out of reach for a while, and late for what comes then.
//! Nodes have no parameter: each is one motion, as in \[Wampler2010\], section 8.2, whose values of this game depend on nodes
//! and times alone (16 × 85 × 85 basis functions). All nodes begin and end at the same place; a strike steps ahead, and what
//! follows steps back.
//!
//! Timing makes the game. A block rises for as long as a strike falls, so that it is begun at the decision at which the line
//! may still change, or too late: both guess. A step back is out of reach of either line, and is caught by the slower feint.

use std::f32::consts::PI;
use std::sync::Arc;

use glam::{Quat, Vec3};
use randori_motion::library::Likeness;
use randori_motion::math::rotation_between;
use randori_motion::parametric::{Blade, Link, Measure, NodeRecipe, Recipe, Sample, When};
use randori_motion::{Annotation, Build, Clip, FrameRate, Ground, Placement, Pose, Side};

use super::BLADE;
use super::moves::Line;
use super::swordsman::{Guard, Swordsman};
use crate::fighter::Push;
use crate::performer::Stance;
use crate::stroke::Channel;

/// Motions of a duel keep a beat: all of them last so many beats, and go over into each other on beats only. Whoever decides on
/// every fourth comes through few moments of each (s).
const BEAT: f32 = 1.0 / 16.0;
/// Beats of standing in guard.
const GUARD: u8 = 4;
/// Beats in which a cut gathers, and from there until the blade arrives.
const GATHER: u8 = 5;
const STRIKE: u8 = 4;
/// Beats until the sword is back from a cut, and from one that was stopped.
const RETURN: u8 = 10;
const PARRIED: u8 = 8;
/// Beats of a block, which is up half way, and of lowering it. As long as a block rises, a cut strikes: nobody who has seen
/// the line in the strike is in time.
const BLOCK: u8 = 8;
const LOWER: u8 = 5;
/// Beats of stepping back out of reach, and forth again.
const RETREAT: u8 = 10;
/// How long before the blade arrives a strike is performed (s).
const STRIKES: f32 = 0.27;
/// How far a strike goes ahead, and somebody who steps back goes back (m).
const AHEAD: f32 = 0.26;
const BACK: f32 = 0.34;
/// How long somebody stands in guard before everything that is performed (s).
const LEAD: f32 = 0.6;
/// How long a block stays up (s).
const STAYS: f32 = 0.27;
/// Decides the small differences between motions, the same for all.
const SEED: u64 = 1;

/// Somebody in a duel with swords: cuts and blocks on five lines, and a step out of reach; 32 nodes.
///
/// ```
/// use randori_motion::{Build, parametric::Graph};
/// let graph = Graph::new(&randori_actor::sword_duel(Build::AVERAGE)).unwrap();
/// assert_eq!(graph.nodes().len(), 32);
/// ```
pub fn sword_duel(build: Build) -> Recipe {
    let studio = Studio { body: Arc::new(build.body().armed(BLADE)) };
    let mut nodes = vec![studio.guard(), studio.retreat()];
    let mut links = Vec::new();
    let mut link = |from: String, to: String, beats: [u8; 4]| {
        let [leaves, of, enters, whole] = beats.map(f32::from);
        links.push(Link { from, to, when: When::Between(vec![[leaves / of, enters / whole]]) });
    };
    let [guard, retreat] = ["guard", "retreat"].map(|name| move || name.to_owned());
    let at = |what: &str, line: Line| format!("{what}-{}", line.name());
    link(guard(), guard(), [GUARD, GUARD, 0, GUARD]);
    link(retreat(), guard(), [RETREAT, RETREAT, 0, GUARD]);
    for beat in 1..=GUARD {
        link(guard(), retreat(), [beat, GUARD, 0, RETREAT]);
    }
    for line in Line::ALL {
        nodes.extend(studio.cut(line));
        nodes.extend(studio.block(line));
        for beat in 1..=GUARD {
            link(guard(), at("gather", line), [beat, GUARD, 0, GATHER]);
            link(guard(), at("block", line), [beat, GUARD, 0, BLOCK]);
        }
        link(at("gather", line), at("strike", line), [GATHER, GATHER, 0, STRIKE]);
        link(at("strike", line), at("return", line), [STRIKE, STRIKE, 0, RETURN]);
        link(at("return", line), guard(), [RETURN, RETURN, 0, GUARD]);
        link(at("parried", line), guard(), [PARRIED, PARRIED, 0, GUARD]);
        link(at("block", line), at("lower", line), [BLOCK, BLOCK, 0, LOWER]);
        link(at("lower", line), guard(), [LOWER, LOWER, 0, GUARD]);
        for other in Line::ALL {
            link(at("block", line), at("gather", other), [BLOCK, BLOCK, 0, GATHER]);
            link(at("return", line), at("block", other), [RETURN, RETURN, 0, BLOCK]);
            link(at("lower", line), at("gather", other), [LOWER, LOWER, 0, GATHER]);
            link(at("lower", line), at("block", other), [2, LOWER, 0, BLOCK]);
            if other != line {
                link(at("block", line), at("block", other), [4, BLOCK, 0, BLOCK]);
                link(at("block", line), at("block", other), [6, BLOCK, 0, BLOCK]);
            }
        }
        // Feints: the line changes just before the strike, or while the cut gathers, which takes longer.
        let [late, early] = feinted(line);
        link(at("gather", line), at("strike", late), [GATHER, GATHER, 0, STRIKE]);
        link(at("gather", line), at("gather", early), [GATHER - 2, GATHER, 1, GATHER]);
    }
    let [hilt, tip] = BLADE.ends;
    let blade = Some(Blade { hand: Side::Right, hilt, tip });
    // Lines change quickly: what is left of the posture before fades.
    let likeness = Likeness { distance: 1.5, velocity: 0.03, foot: 0.6 };
    Recipe { name: "sword-duel".to_owned(), build, blade, nodes, links, likeness }
}

/// The lines that a cut may change to, just before it strikes and earlier: lines near its own, or the way of the sword would be
/// too long for the time.
fn feinted(line: Line) -> [Line; 2] {
    match line {
        Line::Overhead => [Line::RightUpper, Line::Right],
        Line::Left => [Line::Overhead, Line::LeftUpper],
        Line::LeftUpper => [Line::Left, Line::Overhead],
        Line::Right => [Line::Overhead, Line::RightUpper],
        Line::RightUpper => [Line::Right, Line::Overhead],
    }
}

/// Where motions are performed.
struct Studio {
    body: Arc<randori_motion::Body>,
}

impl Studio {
    fn man(&self) -> Swordsman {
        let mut man = Swordsman::new(Arc::clone(&self.body), Stance::SWORDSMAN, Placement::default(), SEED);
        man.fighter.rest_until(LEAD);
        man
    }

    fn guard(&self) -> NodeRecipe {
        let man = self.man();
        node("guard".to_owned(), "idle", sample(&man, Span::even([0.0, BEAT * f32::from(GUARD)]), GUARD))
    }

    /// Out of reach with both feet, and forth again.
    fn retreat(&self) -> NodeRecipe {
        let mut man = self.man();
        let here = Placement::default();
        let away = Placement { position: Ground { x: 0.0, z: -BACK }, heading: 0.0 };
        let fighter = &mut man.fighter;
        let back = fighter.step_to(LEAD + 0.07, away, 0.13, 0.04);
        let home = fighter.step_to(back + 0.06, here, 0.13, 0.04);
        let bends = Push { peak: back, rise: 0.2, hold: 0.04, fall: 0.25 };
        fighter.push(Channel::Crouch, bends, 0.03);
        fighter.push(Channel::Bow, bends, 0.10);
        node("retreat".to_owned(), "step-back", sample(&man, Span::even([LEAD, home + 0.05]), RETREAT))
    }

    /// Gathering, striking, coming back, and coming back from a cut that was stopped.
    fn cut(&self, line: Line) -> [NodeRecipe; 4] {
        let named = |what: &str| format!("{what}-{}", line.name());
        let cut = format!("cut-{}", line.name());
        let perform = |stopped: bool| {
            let mut man = self.man();
            let spent = man.cut(line, LEAD, AHEAD);
            let arrives = man.script().last().and_then(|beat| beat.peak).unwrap_or(spent);
            let landed = man.fighter.landed;
            let back = man.recover(Guard::Middle, if stopped { arrives + 0.05 } else { spent }, 0.36);
            let home = Placement { position: Ground::default(), heading: 0.0 };
            let down = man.fighter.step_to(landed + 0.02, home, 0.16, 0.04);
            (man, arrives, back.max(down) + 0.05)
        };
        let (man, arrives, back) = perform(false);
        let (stopped, _, returned) = perform(true);
        let strikes = arrives - STRIKES;
        // Who comes back goes on as fast as the blade arrived, and makes haste later.
        let pace = STRIKES / (BEAT * f32::from(STRIKE));
        [
            node(named("gather"), &cut, sample(&man, Span::even([LEAD, strikes]), GATHER)),
            node(named("strike"), &cut, sample(&man, Span::even([strikes, arrives]), STRIKE)),
            node(
                named("return"),
                "idle",
                sample(&man, Span { from: arrives, to: back, pace: Some(pace) }, RETURN),
            ),
            node(named("parried"), "idle", sample(&stopped, Span::even([arrives + 0.05, returned]), PARRIED)),
        ]
    }

    /// Rising and staying, and being lowered.
    fn block(&self, line: Line) -> [NodeRecipe; 2] {
        let named = |what: &str| format!("{what}-{}", line.name());
        let mut man = self.man();
        let up = man.block(line, LEAD, STAYS);
        let back = man.recover(Guard::Middle, up, 0.30);
        [
            node(
                named("block"),
                &format!("block-{}", line.name()),
                sample(&man, Span::even([LEAD, up]), BLOCK),
            ),
            node(named("lower"), "idle", sample(&man, Span::even([up, back]), LOWER)),
        ]
    }
}

/// From when to when something is performed (s).
struct Span {
    from: f32,
    to: f32,
    /// How many times as fast as it was performed it is shown at first; evenly if nobody says.
    pace: Option<f32>,
}

impl Span {
    fn even([from, to]: [f32; 2]) -> Span {
        Span { from, to, pace: None }
    }

    /// What is performed at a share of the time that is given for it, `seconds` in all (s).
    fn at(&self, share: f32, seconds: f32) -> f32 {
        let whole = self.to - self.from;
        // A parabola through both ends with the slope at the start.
        let slope = self.pace.map_or(whole, |pace| pace * seconds);
        self.from + slope * share + (whole - slope) * share * share
    }
}

fn node(name: String, annotation: &str, sample: Sample) -> NodeRecipe {
    NodeRecipe {
        name,
        annotation: Annotation::new(annotation).unwrap_or(Annotation::of("idle")),
        measure: Measure::Given,
        range: None,
        samples: vec![sample],
    }
}

/// What somebody performs, shown in so many beats.
fn sample(man: &Swordsman, span: Span, beats: u8) -> Sample {
    // Beats are whole numbers of frames.
    let rate = FrameRate::new(160, 1).unwrap_or(FrameRate::HOUSE);
    let seconds = BEAT * f32::from(beats);
    let n_frames = libm::roundf(seconds * rate.fps() as f32).max(2.0) as usize + 1;
    let share = |frame: usize| frame as f32 / (n_frames - 1) as f32;
    let times: Vec<f32> = (0..n_frames).map(|frame| span.at(share(frame), seconds)).collect();
    let performer = &man.fighter.performer;
    let skeleton = Arc::clone(&performer.body().skeleton);
    let clip = Clip::from_poses("sword", skeleton, rate, times.iter().map(|t| turned_over(man, *t)));
    Sample {
        clip: clip.expect("strokes, tracks and their sums are finite"),
        standing: times.iter().map(|t| performer.standing(*t)).collect(),
        placements: times.iter().map(|t| performer.path().at(*t)).collect(),
        parameter: 0.0,
    }
}

/// How long before and after a moment the hand has for turning over (s).
const TURNS_OVER: f32 = 0.12;

/// The pose at a time (s), the hand turned about the blade as it is on the average around then. Where a blade passes the side
/// that no thumb gets to, a hand turns over from one moment to the next: no tip shows it, but what is left of such a spin
/// at a seam would fling the sword away.
fn turned_over(man: &Swordsman, t: f32) -> Pose {
    let mut pose = man.pose(t);
    let Some(hand) = man.fighter.performer.body().skeleton.bone(BLADE.bone) else { return pose };
    let held = (BLADE.ends[1] - BLADE.ends[0]).normalize_or(Vec3::Z);
    let without = |bend: Quat| rotation_between(held, bend * held);
    let turn = |bend: Quat| {
        let about = without(bend).inverse() * bend;
        2.0 * libm::atan2f(about.xyz().dot(held) * about.w.signum(), about.w.abs())
    };
    let (mut sum, mut weights) = (0.0, 0.0);
    for step in -5..=5_i8 {
        let share = f32::from(step) / 6.0;
        let weight = 1.0 + libm::cosf(PI * share);
        sum += weight * turn(man.pose(t + share * TURNS_OVER).rotations[hand.idx()]);
        weights += weight;
    }
    let bend = &mut pose.rotations[hand.idx()];
    *bend = without(*bend) * Quat::from_axis_angle(held, sum / weights);
    pose
}
