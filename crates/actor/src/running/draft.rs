//! A take in the making: steps, what comes over them, falls, and what was meant by it all.

use glam::Vec3;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use randori_motion::{Annotation, Side};

use super::act::Act;
use super::player::Player;
use super::runner::Mishaps;
use crate::falling::Descent;
use crate::fling::Fling;
use crate::performance::Beat;
use crate::stroke::{Channel, Stroke};

pub(crate) struct Draft<'a> {
    pub(crate) player: Player<'a, ChaCha8Rng>,
    first: Side,
    mishaps: Mishaps,
    falls: Vec<(f32, Descent)>,
    script: Vec<Beat>,
}

impl<'a> Draft<'a> {
    /// What a player does who began with one foot.
    pub(crate) fn new(player: Player<'a, ChaCha8Rng>, first: Side) -> Draft<'a> {
        Draft { player, first, mishaps: Mishaps::default(), falls: Vec::new(), script: Vec::new() }
    }

    /// About 1: so much more or less.
    pub(crate) fn about(&mut self, share: f32) -> f32 {
        self.spread(1.0, share)
    }

    /// About so much, up to `by` more or less.
    pub(crate) fn spread(&mut self, middle: f32, by: f32) -> f32 {
        self.player.rng.random_range(middle - by..middle + by)
    }

    /// Something was meant from `start` (s) until now.
    pub(crate) fn note(&mut self, name: &'static str, start: f32, peak: Option<f32>) {
        let end = self.player.seconds;
        self.script.push(Beat { start, peak, end, annotation: Annotation::of(name) });
    }

    /// Trunk or head do something, never twice the same.
    pub(crate) fn stroke(&mut self, channel: Channel, start: f32, [rise, hold, fall]: [f32; 3], amount: f32) {
        let amount = amount * self.about(0.12);
        self.mishaps.strokes.push(Stroke { channel, start, rise, hold, fall, amount });
    }

    /// A hand is flung somewhere: start, rise, hold and fall (s), and how far in the body's frame (m).
    pub(crate) fn fling(&mut self, side: Side, shape: [f32; 4], by: Vec3) {
        let by = by * self.about(0.2);
        self.mishaps.flings.push(Fling::new(side, shape, by));
    }

    /// Goes down and gets up again.
    pub(crate) fn fall(&mut self, name: &'static str, descent: Descent) {
        let start = self.player.seconds;
        self.player.tumble(&descent);
        let beat = |name: &'static str, [from, peak, to]: [f32; 3]| Beat {
            start: start + from,
            peak: Some(start + peak),
            end: start + to,
            annotation: Annotation::of(name),
        };
        let Descent { down, still, rises, up, .. } = descent;
        self.script.push(beat(name, [0.0, down, still]));
        self.script.push(beat("get-up", [rises, 0.5 * (rises + up), up]));
        self.falls.push((start, descent));
    }

    /// What comes of it, with what was noted as its script.
    pub(crate) fn act(self) -> Act {
        let Draft { player, first, mishaps, falls, script } = self;
        Act { orders: player.orders, first, mishaps, falls, script }
    }

    /// What comes of it; every step is in the script that nothing else was noted for.
    pub(crate) fn act_with_steps(self) -> Act {
        let mut act = self.act();
        let lies = act.falls.iter().map(|(start, descent)| (*start, start + descent.up + 0.1));
        let busy: Vec<(f32, f32)> =
            act.script.iter().map(|beat| (beat.start, beat.end)).chain(lies).collect();
        let is_free =
            |beat: &Beat| !busy.iter().any(|(from, to)| beat.end > from + 0.01 && beat.start < to - 0.01);
        let steps = super::beats(&act.orders, f32::INFINITY).into_iter().filter(is_free);
        act.script.extend(steps);
        act.script.sort_by(|a, b| a.start.total_cmp(&b.start));
        act
    }
}
