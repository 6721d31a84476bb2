//! Cuts and blocks as the nodes of a motion graph: the samples of a duel.
//!
//! Every line has a cut in three parts (it gathers, it strikes, the sword comes back), what is left of it when it is
//! stopped, and a block that rises and is lowered. A cut that gathers may go over into the cut of another line: feints are
//! ways through the graph, not nodes of it. Nodes have no parameter: each is one motion, as in \[Wampler2010\], section 8.2,
//! whose values of this game depend on nodes and times alone (16 × 85 × 85 basis functions). All nodes begin and end at the same place; a strike steps ahead, and what follows steps back.

use std::sync::Arc;

use randori_motion::library::Likeness;
use randori_motion::parametric::{Blade, Link, Measure, NodeRecipe, Recipe, Sample, When};
use randori_motion::{Annotation, Build, Clip, FrameRate, Ground, Placement, Side};

use super::BLADE;
use super::moves::Line;
use super::swordsman::{Guard, Swordsman};
use crate::performer::Stance;

/// How long before the blade arrives a strike begins, and how long after it ends (s).
const STRIKE: [f32; 2] = [0.30, 0.20];
/// How far a strike goes ahead (m).
const AHEAD: f32 = 0.26;
/// How long somebody stands in guard before everything that is performed (s).
const LEAD: f32 = 0.6;
/// How long a block stays up (s).
const STAYS: f32 = 0.30;
/// Decides the small differences between motions, the same for all.
const SEED: u64 = 1;

/// Somebody in a duel with swords: cuts and blocks on five lines; 31 nodes.
///
/// ```
/// use randori_motion::{Build, parametric::Graph};
/// let graph = Graph::new(&randori_actor::sword_duel(Build::AVERAGE)).unwrap();
/// assert_eq!(graph.nodes().len(), 31);
/// ```
pub fn sword_duel(build: Build) -> Recipe {
    let studio = Studio { body: Arc::new(build.body().armed(BLADE)) };
    let mut nodes = vec![studio.guard()];
    let mut links = Vec::new();
    let mut link = |from: String, to: String, when: When| links.push(Link { from, to, when });
    let guard = || "guard".to_owned();
    let at = |what: &str, line: Line| format!("{what}-{}", line.name());
    link(guard(), guard(), When::AtEnd);
    for line in Line::ALL {
        nodes.extend(studio.cut(line));
        nodes.extend(studio.block(line));
        for what in ["gather", "block"] {
            link(guard(), at(what, line), When::AtEnd);
            link(guard(), at(what, line), When::During(vec![0.25, 0.5, 0.75]));
        }
        link(at("gather", line), at("strike", line), When::AtEnd);
        link(at("strike", line), at("return", line), When::AtEnd);
        link(at("return", line), guard(), When::AtEnd);
        link(at("parried", line), guard(), When::AtEnd);
        link(at("block", line), at("lower", line), When::AtEnd);
        link(at("lower", line), guard(), When::AtEnd);
        for other in Line::ALL {
            link(at("block", line), at("gather", other), When::AtEnd);
            link(at("return", line), at("block", other), When::AtEnd);
            link(at("lower", line), at("gather", other), When::AtEnd);
            link(at("lower", line), at("block", other), When::During(vec![0.3, 0.6]));
            if other != line {
                link(at("block", line), at("block", other), When::During(vec![0.3, 0.6, 0.85]));
            }
        }
        // A feint: the line changes while the cut gathers.
        link(at("gather", line), at("gather", feinted(line)), When::During(vec![0.7]));
    }
    let [hilt, tip] = BLADE.ends;
    let blade = Some(Blade { hand: Side::Right, hilt, tip });
    // Lines change quickly: what is left of the posture before fades.
    let likeness = Likeness { distance: 1.5, velocity: 0.03, foot: 0.6 };
    Recipe { name: "sword-duel".to_owned(), build, blade, nodes, links, likeness }
}

/// The line that a cut may change to: it goes over to the other side, and from high to low or back.
fn feinted(line: Line) -> Line {
    match line {
        Line::Overhead => Line::Left,
        Line::Left => Line::RightUpper,
        Line::RightUpper => Line::Right,
        Line::Right => Line::LeftUpper,
        Line::LeftUpper => Line::Overhead,
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
        node("guard".to_owned(), "idle", sample(&man, [0.0, 0.36]))
    }

    /// Gathering, striking, coming back, and coming back from a cut that was stopped.
    fn cut(&self, line: Line) -> [NodeRecipe; 4] {
        let named = |what: &str| format!("{what}-{}", line.name());
        let cut = format!("cut-{}", line.name());
        let perform = |stopped: bool| {
            let mut man = self.man();
            let spent = man.cut(line, LEAD, AHEAD);
            let arrives = man.script().last().and_then(|beat| beat.peak).unwrap_or(spent);
            let strikes = arrives - STRIKE[0];
            let ends = arrives + STRIKE[1];
            let landed = man.fighter.landed;
            let back = man.recover(Guard::Middle, if stopped { arrives + 0.05 } else { spent }, 0.40);
            let home = Placement { position: Ground::default(), heading: 0.0 };
            let down = man.fighter.step_to(landed.max(ends) + 0.02, home, 0.19, 0.04);
            (man, strikes, ends, back.max(down) + 0.05)
        };
        let (man, strikes, ends, back) = perform(false);
        let (stopped, _, _, returned) = perform(true);
        [
            node(named("gather"), &cut, sample(&man, [LEAD, strikes])),
            node(named("strike"), &cut, sample(&man, [strikes, ends])),
            node(named("return"), "idle", sample(&man, [ends, back])),
            node(named("parried"), "idle", sample(&stopped, [ends, returned.max(ends + 0.5)])),
        ]
    }

    /// Rising and staying, and being lowered.
    fn block(&self, line: Line) -> [NodeRecipe; 2] {
        let named = |what: &str| format!("{what}-{}", line.name());
        let mut man = self.man();
        let up = man.block(line, LEAD, STAYS);
        let back = man.recover(Guard::Middle, up, 0.36);
        [
            node(named("block"), &format!("block-{}", line.name()), sample(&man, [LEAD, up])),
            node(named("lower"), "idle", sample(&man, [up, back])),
        ]
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

/// What somebody performs between two moments (s).
fn sample(man: &Swordsman, [from, to]: [f32; 2]) -> Sample {
    let rate = FrameRate::new(120, 1).unwrap_or(FrameRate::HOUSE);
    let n_frames = libm::roundf((to - from) * rate.fps() as f32).max(2.0) as usize + 1;
    let times: Vec<f32> = (0..n_frames).map(|frame| from + frame as f32 / rate.fps() as f32).collect();
    let performer = &man.fighter.performer;
    let skeleton = Arc::clone(&performer.body().skeleton);
    let clip = Clip::from_poses("sword", skeleton, rate, times.iter().map(|t| man.pose(*t)));
    Sample {
        clip: clip.expect("strokes, tracks and their sums are finite"),
        standing: times.iter().map(|t| performer.standing(*t)).collect(),
        placements: times.iter().map(|t| performer.path().at(*t)).collect(),
        parameter: 0.0,
    }
}
