//! Steps with what comes over them: from a list of orders to a take.

use std::sync::Arc;

use rand::{Rng, RngExt};
use randori_motion::{Clip, FrameRate, Side};

use super::gait::{Gait, STAND};
use super::plan::{Order, Plan, Proportions};
use super::player::{Pace, Player};
use super::runner::{Mishaps, Runner};
use crate::falling::Descent;
use crate::figure::{Figure, Posture};
use crate::performance::{Beat, Performance};
use crate::reactions::tumble::{Tumble, key_of};
use crate::timeline::Timeline;

/// What somebody does in one take.
pub(crate) struct Act {
    pub(crate) orders: Vec<Order>,
    /// The foot of the first step.
    pub(crate) first: Side,
    pub(crate) mishaps: Mishaps,
    /// Falls and when they begin (s).
    pub(crate) falls: Vec<(f32, Descent)>,
    pub(crate) script: Vec<Beat>,
}

impl Act {
    /// The take of so many seconds that comes of it; `seed` is for breath and sway.
    pub(crate) fn perform(self, figure: &Figure, name: &str, seconds: f32, seed: u64) -> Performance {
        let proportions = Proportions { stature: figure.stature(), hip_height: figure.hip_height() };
        let plan = Plan::of(self.orders, self.first, &proportions);
        let runner = Runner::new(figure, &plan, &self.mishaps, seed);
        let mut tumbles = Timeline::default();
        for (t, descent) in &self.falls {
            tumbles.push(tumble(figure, &runner, *t, descent));
        }
        let posture = |t: f32| {
            let steps = runner.posture(t);
            tumbles.under_way(t).fold(steps, |posture, tumble: &Tumble| tumble.posture(figure, &posture, t))
        };
        let rate = FrameRate::HOUSE;
        let n_frames = (seconds * rate.fps() as f32) as usize + 1;
        let poses = (0..n_frames).map(|frame| figure.pose(&posture(rate.time_of(frame) as f32)));
        let clip = Clip::from_poses(name, Arc::clone(&figure.body().skeleton), rate, poses);
        let mut script = self.script;
        script.retain(|beat| beat.end <= seconds + 1e-3);
        Performance {
            clip: clip.expect("plans, curves, keys and their sums are finite"),
            body: Arc::clone(figure.body()),
            script,
            name: name.to_owned(),
        }
    }
}

/// How long before a fall it is looked at how fast everything goes (s).
const LEAD_IN: [f32; 3] = [0.10, 0.05, 0.0];

fn tumble(figure: &Figure, runner: &Runner<'_>, t: f32, descent: &Descent) -> Tumble {
    let before = LEAD_IN.map(|lead| (t - lead, runner.posture(t - lead)));
    let up = t + descent.up;
    let placement = runner.placement(t);
    let [.., (_, begins)] = &before;
    let keys = descent.keys_from(key_of(figure, placement, 0.0, begins).feet);
    let borrowed: Vec<(f32, &Posture)> = before.iter().map(|(t, posture)| (*t, posture)).collect();
    let lies = (descent.still - 0.2, descent.rises + 0.2);
    let ends = [(up, &runner.posture(up))];
    Tumble::out_of(figure, placement, [&borrowed, &ends], &keys, lies).flying(descent.flies)
}

/// How long a step takes that nobody sees (s).
const UNSEEN: f32 = 0.3;

impl<R: Rng> Player<'_, R> {
    /// Goes down and gets up again, while the steps go unseen to where somebody will stand. The fall begins with the next
    /// strike of a foot.
    pub(crate) fn tumble(&mut self, descent: &Descent) {
        let stature = self.who.stature;
        let begins = self.seconds;
        let speed = self.orders.last().map_or(0.0, |order| order.ahead);
        let [mut aside, mut ahead] = [descent.ends.x * stature, descent.ends.z * stature];
        let unseen = |ahead: f32, aside: f32| {
            let gait = Gait { period: UNSEEN, swing: 0.2, level: 0.95, ..STAND };
            Order { aside, tips: 0.0, ..Order::ahead("idle", gait, ahead) }
        };
        let runs = speed > 0.5;
        if runs {
            self.step(Order::ahead("run", self.in_rhythm(speed), speed));
            ahead -= speed * (self.seconds - begins + 0.5 * UNSEEN);
            self.step(unseen(0.0, 0.0));
        }
        [aside, ahead] = [aside / UNSEEN, ahead / UNSEEN];
        // Feet that stand are not lifted before the fall begins.
        self.step(Order { stays: !runs, ..unseen(ahead, aside) });
        self.step(unseen(0.0, 0.0));
        for _ in 0..2 {
            let place = Some(descent.stands(self.side, stature));
            self.step(Order { place, ..unseen(0.0, 0.0) });
        }
        // The next foot is lifted when all is over.
        let left = begins + descent.up - self.seconds + 1.2 * STAND.swing;
        let gait = Gait { period: left.max(0.1), level: 0.95, ..STAND };
        self.step(Order { stays: true, ..Order::ahead("idle", gait, 0.0) });
        // The feet come together again.
        for _ in 0..2 {
            let period = 0.44 + 0.06 * self.rng.random::<f32>();
            let gait = Gait { period, fold_height: 0.07, pass_height: 0.05, ..STAND };
            self.step(Order::ahead("idle", gait, 0.0));
        }
        self.pace = Pace::Stand;
    }
}
