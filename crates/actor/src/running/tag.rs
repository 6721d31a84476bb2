//! Steps of a game of tag, each performed in several ways: the samples of parametric motion graphs.
//!
//! Every node is one step, from the strike of one foot to the strike of the other, and there is one for either foot. Its
//! samples differ in an angle: how far the step turns, or which way it goes. They are cut out of short runs that lead into
//! the step and out of it.

use std::sync::Arc;

use randori_motion::library::Likeness;
use randori_motion::parametric::{Link, Measure, NodeRecipe, Recipe, Sample, When};
use randori_motion::{Annotation, Build, Clip, FrameRate, Ground, Placement, Side};

use super::gait::Gait;
use super::plan::{Order, Plan, Proportions};
use super::runner::{Mishaps, Runner};
use crate::figure::Figure;

/// The one who chases: walks, runs, quick steps and tackles by angle, on either foot; 18 nodes.
///
/// ```
/// use randori_motion::{Build, parametric::Graph};
/// let graph = Graph::new(&randori_actor::tag_agent(Build::AVERAGE)).unwrap();
/// assert_eq!(graph.nodes().len(), 18);
/// ```
pub fn tag_agent(build: Build) -> Recipe {
    recipe("tag-agent", build, &[Manner::Tackle, Manner::Recover])
}

/// The one who is chased: walks, runs, quick steps and dodges by angle, on either foot; 20 nodes.
pub fn tag_opponent(build: Build) -> Recipe {
    recipe("tag-opponent", build, &[LEFT, RIGHT, Manner::Regain])
}

/// A kind of step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manner {
    Walk,
    Run,
    Sprint,
    /// From a walk to a run.
    Hasten,
    /// From a run to a walk.
    Slow,
    /// Short and low, in any direction, facing ahead.
    Quick,
    /// A sharp corner of a run, pushed off the foot outside.
    Cut,
    /// Low and far, both arms thrown ahead.
    Tackle,
    /// Up again from a tackle.
    Recover,
    /// Low and far aside, facing ahead.
    Dodge(Side),
    /// From a dodge on into its direction.
    Regain,
}

/// What everybody can do.
const COMMON: [Manner; 7] =
    [Manner::Walk, Manner::Run, Manner::Sprint, Manner::Hasten, Manner::Slow, Manner::Quick, Manner::Cut];

const LEFT: Manner = Manner::Dodge(Side::Left);
const RIGHT: Manner = Manner::Dodge(Side::Right);

/// Samples of a node.
const SAMPLES: usize = 7;
/// Usual speeds of somebody of 1.75 m (m/s).
const WALK: f32 = 1.4;
const RUN: f32 = 3.4;
const SPRINT: f32 = 4.9;
const QUICK: f32 = 2.1;
/// Steps that lead into the one that is wanted, until nothing is left of the start.
const LEAD: usize = 5;
/// Decides the small differences between steps, the same for all.
const SEED: u64 = 1;

impl Manner {
    fn name(self) -> &'static str {
        match self {
            Manner::Walk => "walk",
            Manner::Run => "run",
            Manner::Sprint => "sprint",
            Manner::Hasten => "hasten",
            Manner::Slow => "slow",
            Manner::Quick => "quick-step",
            Manner::Cut => "cut",
            Manner::Tackle => "tackle",
            Manner::Recover => "recover",
            Manner::Dodge(Side::Left) => "dodge-left",
            Manner::Dodge(Side::Right) => "dodge-right",
            Manner::Regain => "regain",
        }
    }

    fn measure(self) -> Measure {
        match self {
            Manner::Quick | Manner::Dodge(_) => Measure::Direction,
            _ => Measure::Turn,
        }
    }

    /// What is asked of the samples, from the first to the last: an angle to the left (rad), on a foot.
    fn asked(self, foot: Side) -> [f32; 2] {
        // A foot pushes to the other side.
        let away = if foot == Side::Left { -1.0 } else { 1.0 };
        let [near, far]: [f32; 2] = match self {
            Manner::Walk => [-0.70, 0.70],
            Manner::Run => [-0.38, 0.38],
            Manner::Sprint => [-0.16, 0.16],
            Manner::Hasten | Manner::Slow => [-0.45, 0.45],
            Manner::Quick => [-0.50 * away, 1.30 * away],
            Manner::Cut => [0.25 * away, 1.25 * away],
            Manner::Tackle => [-0.50, 0.50],
            Manner::Recover => [-0.60, 0.60],
            Manner::Dodge(Side::Left) => [0.40, 1.15],
            Manner::Dodge(Side::Right) => [-0.40, -1.15],
            Manner::Regain => [-0.70, 0.70],
        };
        [near.min(far), near.max(far)]
    }

    /// What may follow at its end, on the other foot.
    fn followed_by(self) -> &'static [Manner] {
        use Manner::*;
        match self {
            Walk => &[Walk, Quick],
            Run => &[Run, Sprint, Slow, Quick, Cut, Tackle, LEFT, RIGHT],
            Sprint => &[Sprint, Run, Cut, Tackle, LEFT, RIGHT],
            Hasten => &[Run, Slow, Quick, Cut, Tackle, LEFT, RIGHT],
            Slow => &[Walk, Quick],
            Quick => &[Quick, Run, Hasten, Walk, Tackle, LEFT, RIGHT],
            Cut => &[Run, Sprint, Quick, Tackle, LEFT, RIGHT],
            Tackle => &[Recover],
            Recover => &[Walk, Quick],
            Dodge(_) => &[Regain, Run, Quick],
            Regain => &[Run, Sprint, Quick, Cut, LEFT, RIGHT],
        }
    }

    /// What it may become on the way, on the same foot.
    fn becomes(self) -> &'static [Manner] {
        use Manner::*;
        match self {
            Walk => &[Walk, Hasten],
            Run => &[Run, Cut, Tackle, LEFT, RIGHT],
            Sprint => &[Sprint, Run],
            Hasten => &[Hasten],
            Slow => &[Slow],
            Quick => &[Quick, Run],
            Cut => &[Cut],
            Recover => &[Recover],
            // While the foot that pushes is down, the angle can still be changed.
            Tackle => &[Tackle],
            Dodge(Side::Left) => &[LEFT],
            Dodge(Side::Right) => &[RIGHT],
            Regain => &[Regain],
        }
    }

    /// When: in mid-stance, and late enough that the end is never farther off than one usually looks ahead (0.25 s), so
    /// that somebody always has a choice.
    fn moments(self) -> Vec<f32> {
        match self {
            // Walking steps last long.
            Manner::Walk => vec![0.35, 0.65],
            Manner::Hasten | Manner::Slow | Manner::Dodge(_) => vec![0.33],
            Manner::Cut => vec![0.36],
            Manner::Recover => vec![0.39],
            Manner::Tackle => vec![0.43],
            _ => vec![0.25],
        }
    }
}

fn recipe(name: &str, build: Build, own: &[Manner]) -> Recipe {
    let figure = Figure::new(Arc::new(build.body()));
    let studio = Studio {
        proportions: Proportions { stature: figure.stature(), hip_height: figure.hip_height() },
        pace: libm::sqrtf(figure.stature() / 1.75),
        figure: &figure,
    };
    let manners: Vec<Manner> = COMMON.iter().chain(own).copied().collect();
    let both = |manner: &Manner| Side::BOTH.map(|foot| (*manner, foot));
    let nodes = manners.iter().flat_map(both).map(|(manner, foot)| studio.node(manner, foot));
    let mut links = Vec::new();
    for (manner, foot) in manners.iter().flat_map(both) {
        let from = name_of(manner, foot);
        let known = |next: &&Manner| manners.contains(next);
        for next in manner.followed_by().iter().filter(known) {
            links.push(Link { from: from.clone(), to: name_of(*next, foot.other()), when: When::AtEnd });
        }
        for next in manner.becomes().iter().filter(known) {
            let when = When::During(manner.moments());
            links.push(Link { from: from.clone(), to: name_of(*next, foot), when });
        }
    }
    Recipe { name: name.to_owned(), build, blade: None, nodes: nodes.collect(), links, likeness: LIKENESS }
}

/// Steps of different speeds and directions follow each other; what is left of the momentum fades.
const LIKENESS: Likeness = Likeness { distance: 0.26, velocity: 0.03, foot: 0.42 };

fn name_of(manner: Manner, foot: Side) -> String {
    format!("{}-on-{}", manner.name(), if foot == Side::Left { "left" } else { "right" })
}

/// Where steps are performed.
struct Studio<'a> {
    figure: &'a Figure,
    proportions: Proportions,
    /// How much faster than usual long legs go.
    pace: f32,
}

impl Studio<'_> {
    fn node(&self, manner: Manner, foot: Side) -> NodeRecipe {
        let [first, last] = manner.asked(foot);
        let samples = (0..SAMPLES).map(|k| {
            let angle = first + (last - first) * k as f32 / (SAMPLES - 1) as f32;
            self.sample(manner, foot, angle)
        });
        NodeRecipe {
            name: name_of(manner, foot),
            annotation: Annotation::new(manner.name()).unwrap_or(Annotation::of("run")),
            measure: manner.measure(),
            range: None,
            samples: samples.collect(),
        }
    }

    /// One step on a foot, at an angle to the left (rad).
    fn sample(&self, manner: Manner, foot: Side, angle: f32) -> Sample {
        let (walk, run) = (self.walk(WALK), self.run(RUN));
        let turned = |order: Order| Order { turn: angle, ..order };
        // Corners are taken slower.
        let corner = 1.0 - 0.3 * angle.abs();
        let (lead, step, after) = match manner {
            Manner::Walk => {
                let step = turned(self.walk(WALK * corner));
                (vec![step.clone()], step.clone(), vec![step])
            }
            Manner::Run => {
                let step = turned(self.run(RUN * corner));
                (vec![step.clone()], step.clone(), vec![step])
            }
            Manner::Sprint => {
                let step = turned(self.run(SPRINT * corner));
                (vec![step.clone()], step.clone(), vec![step])
            }
            Manner::Hasten => {
                // The foot behind stays down until the other has struck, as in a walk.
                (vec![walk], turned(self.run(2.5)), vec![swung(self.run(3.0), 0.38), run])
            }
            Manner::Slow => {
                let after = vec![swung(walk.clone(), 0.50), swung(walk.clone(), 0.58), walk];
                (vec![run], turned(self.run(2.1)), after)
            }
            Manner::Quick => {
                // Quick steps go to and fro.
                let lead = vec![self.quick(0.0), self.quick(-0.3 * angle)];
                (lead, self.quick(angle), vec![self.quick(-0.3 * angle), self.quick(0.0)])
            }
            Manner::Cut => {
                let step = Order { gait: lowered(run.gait, 0.03, 0.38), ..turned(self.run(2.7)) };
                (vec![run.clone()], step, vec![self.run(3.0), run])
            }
            // A foot that pushed far ahead is off the floor long before the other lands.
            Manner::Tackle => {
                (vec![run], turned(self.tackle()), vec![self.landing(), swung(walk.clone(), 0.59), walk])
            }
            Manner::Recover => {
                let after = vec![swung(self.walk(1.2), 0.59), swung(walk.clone(), 0.65), walk];
                (vec![run, self.tackle()], turned(self.landing()), after)
            }
            Manner::Dodge(_) => (vec![run.clone()], self.dodge(angle), vec![self.dodge(0.5 * angle), run]),
            Manner::Regain => {
                let step = Order { gait: lowered(run.gait, 0.015, 0.33), ..turned(self.run(3.2)) };
                (vec![run.clone(), self.dodge(1.3 * angle)], step, vec![run])
            }
        };
        self.perform(foot, &lead, step, &after)
    }

    fn walk(&self, speed: f32) -> Order {
        let speed = speed * self.pace;
        Order::ahead("walk", Gait::walk(speed, self.proportions.stature), speed)
    }

    fn run(&self, speed: f32) -> Order {
        let speed = speed * self.pace;
        Order::ahead("run", Gait::run(speed, self.proportions.stature), speed)
    }

    /// A short step into a direction.
    fn quick(&self, direction: f32) -> Order {
        let run = self.run(QUICK);
        let gait = Gait { swing: 0.36, width: 0.05, ..lowered(run.gait, 0.02, 0.27) };
        let speed = run.ahead;
        let (aside, ahead) = (speed * libm::sinf(direction), speed * libm::cosf(direction));
        Order { gait, aside, ahead, ..run }
    }

    /// A long step into a direction, low.
    fn dodge(&self, direction: f32) -> Order {
        let run = self.run(RUN);
        let gait = Gait { width: run.gait.width + 0.015, ..lowered(run.gait, 0.05, 0.36) };
        let (aside, ahead) = (run.ahead * libm::sinf(direction), run.ahead * libm::cosf(direction));
        Order { gait, aside: 0.85 * aside, ahead: 0.85 * ahead, ..run }
    }

    fn tackle(&self) -> Order {
        let run = self.run(4.1);
        let gait = Gait { lean: 0.62, ..lowered(run.gait, 0.09, 0.43) };
        Order { gait, reach: [true; 2], ..run }
    }

    /// The step that catches somebody who has thrown themselves ahead.
    fn landing(&self) -> Order {
        let run = self.run(1.7);
        Order { gait: Gait { lean: 0.35, ..lowered(run.gait, 0.06, 0.40) }, ..run }
    }

    /// Performs a run of steps, of which the first is made several times, and cuts `step` out, made on `foot`.
    fn perform(&self, foot: Side, lead: &[Order], step: Order, after: &[Order]) -> Sample {
        let rate = FrameRate::new(120, 1).unwrap_or(FrameRate::HOUSE);
        let beats = rate.fps() as f32;
        let mut orders: Vec<Order> = lead[..1].iter().cycle().take(LEAD).cloned().collect();
        orders.extend_from_slice(&lead[1..]);
        let at = orders.len();
        orders.push(step);
        orders.extend_from_slice(after);
        orders.extend(after.last().into_iter().cycle().take(LEAD).cloned());
        for order in &mut orders {
            // Strikes fall on whole frames.
            order.gait.period = libm::roundf(order.gait.period * beats).max(1.0) / beats;
        }
        let first = if at.is_multiple_of(2) { foot } else { foot.other() };
        let plan = Plan::of(orders, first, &self.proportions);
        let mishaps = Mishaps::default();
        let runner = Runner::new(self.figure, &plan, &mishaps, SEED);
        let start = plan.steps[at].strike;
        let n_frames = libm::roundf((plan.steps[at + 1].strike - start) * beats) as usize + 1;
        let times: Vec<f32> = (0..n_frames).map(|frame| start + frame as f32 / beats).collect();
        let skeleton = Arc::clone(&self.figure.body().skeleton);
        let poses = times.iter().map(|t| self.figure.pose(&runner.posture(*t)));
        let clip = Clip::from_poses("step", skeleton, rate, poses);
        let stands = |t: f32, foot: Side| {
            let steps = plan.steps.iter().filter(|step| step.side == foot);
            // A strike that falls on a frame is in it, whatever the rounding.
            steps.clone().any(|step| step.strike <= t + 1e-3 && t + 1e-3 < step.lift)
        };
        Sample {
            clip: clip.expect("plans, curves and their sums are finite"),
            standing: times.iter().map(|t| Side::BOTH.map(|foot| stands(*t, foot))).collect(),
            placements: times
                .iter()
                .map(|t| Placement { position: Ground::below(plan.place(*t)), heading: plan.heading(*t) })
                .collect(),
            parameter: 0.0,
        }
    }
}

/// The step with its foot in the air for so long before (s).
fn swung(order: Order, swing: f32) -> Order {
    Order { gait: Gait { swing, ..order.gait }, ..order }
}

/// The gait with lower hips (share of standing height), in a rhythm of its own (s).
fn lowered(gait: Gait, by: f32, period: f32) -> Gait {
    Gait { level: gait.level - by, period, ..gait }
}
