//! Feet against the floor.

use std::ops::Range;

use glam::Vec3;
use randori_motion::contacts::runs;
use randori_motion::tracks::gradient;
use randori_motion::{Bone, Side};
use serde::Serialize;

use super::footage::{Performer, Track};
use super::signal::percentile;
use super::{Finding, Kind, Limits};

/// How well a character's feet keep to the floor. The ball of the foot is looked at; the ankle where a
/// skeleton has no toes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Feet {
    /// How far a foot wanders during one contact: median, 95th percentile and maximum over all contacts
    /// of both feet (cm); none without a contact.
    pub foot_slide_cm_p50_p95_max: Option<[f64; 3]>,
    /// Mean horizontal speed near the floor, weighted by nearness, left and right (cm/s).
    pub skate_cm_per_s: Vec<f64>,
    /// How deep the deepest ball is below the floor (cm).
    pub foot_sink_cm_max: Option<f64>,
    /// Contacts of both feet.
    pub contacts: usize,
}

/// A foot is down below this height above its own stance height (m)...
const DOWN_HEIGHT: f32 = 0.03;
/// ...if it also moves up or down slower than this (m/s).
const DOWN_SPEED: f32 = 0.25;
/// Shorter touches than this are no contact (s).
const SHORTEST_CONTACT: f64 = 0.08;
/// Skate counts below this height above the stance height (m).
const SKATE_HEIGHT: f32 = 0.025;

pub(super) fn measure(performer: &Performer, fps: f64, limits: &Limits, findings: &mut Vec<Finding>) -> Feet {
    let mut slides = Vec::new();
    let mut feet = Feet {
        foot_slide_cm_p50_p95_max: None,
        skate_cm_per_s: Vec::new(),
        foot_sink_cm_max: None,
        contacts: 0,
    };
    for side in Side::BOTH {
        let ball = performer.bone(Bone::LeftToes.on(side)).or(performer.bone(Bone::LeftFoot.on(side)));
        let Some(ball) = ball else { continue };
        let frames = performer.present.clone();
        if frames.is_empty() {
            continue;
        }
        let foot = Foot { ball, first: frames.start, path: &ball.positions[frames], name: &performer.name };
        foot.measure(fps, limits, &mut slides, &mut feet, findings);
    }
    feet.contacts = slides.len();
    if !slides.is_empty() {
        let max = slides.iter().copied().fold(0.0, f64::max);
        feet.foot_slide_cm_p50_p95_max = Some([percentile(&slides, 50.0), percentile(&slides, 95.0), max]);
    }
    feet
}

struct Foot<'a> {
    ball: &'a Track,
    /// The frame of the footage that `path` begins with.
    first: usize,
    path: &'a [Vec3],
    name: &'a str,
}

impl Foot<'_> {
    fn measure(
        &self,
        fps: f64,
        limits: &Limits,
        slides: &mut Vec<f64>,
        feet: &mut Feet,
        findings: &mut Vec<Finding>,
    ) {
        let heights: Vec<f64> = self.path.iter().map(|point| f64::from(point.y)).collect();
        let stance = percentile(&heights, 5.0) as f32;
        let velocity = gradient(self.path, fps as f32);
        let down: Vec<bool> = (self.path.iter().zip(&velocity))
            .map(|(point, velocity)| point.y < stance + DOWN_HEIGHT && velocity.y.abs() < DOWN_SPEED)
            .collect();
        let shortest = ((SHORTEST_CONTACT * fps) as usize).max(3);
        for Range { start, end } in runs(&down, true) {
            if end - start < shortest {
                continue;
            }
            // The first and last frame belong to landing and leaving.
            let planted = self.path[start + 1];
            let slide = (self.path[start + 1..end - 1].iter())
                .map(|point| 100.0 * f64::from(along_floor(*point - planted)))
                .fold(0.0, f64::max);
            slides.push(slide);
            if slide > limits.foot_slide_cm {
                let frames = (start, end - 1);
                findings.push(self.finding(Kind::FootSlide, frames, slide, limits.foot_slide_cm, "cm"));
            }
        }

        let skate = (self.path.iter().zip(&velocity))
            .map(|(point, velocity)| {
                let height = (point.y - stance).clamp(0.0, SKATE_HEIGHT);
                let nearness = 2.0 - libm::exp2(f64::from(height / SKATE_HEIGHT));
                100.0 * f64::from(along_floor(*velocity)) * nearness
            })
            .sum::<f64>()
            / self.path.len() as f64;
        feet.skate_cm_per_s.push(skate);
        if skate > limits.skate_cm_per_s {
            let all = (0, self.path.len() - 1);
            findings.push(self.finding(Kind::Skate, all, skate, limits.skate_cm_per_s, "cm/s"));
        }

        let depth = |frame: usize| (-100.0 * heights[frame]).max(0.0);
        let deepest = (0..heights.len()).map(depth).fold(0.0, f64::max);
        feet.foot_sink_cm_max = Some(feet.foot_sink_cm_max.unwrap_or(0.0).max(deepest));
        let sunk: Vec<bool> = (0..heights.len()).map(|frame| depth(frame) > limits.foot_sink_cm).collect();
        for Range { start, end } in runs(&sunk, true) {
            let value = (start..end).map(depth).fold(0.0, f64::max);
            findings.push(self.finding(Kind::FootSink, (start, end - 1), value, limits.foot_sink_cm, "cm"));
        }
    }

    fn finding(
        &self,
        kind: Kind,
        frames: (usize, usize),
        value: f64,
        limit: f64,
        unit: &'static str,
    ) -> Finding {
        Finding {
            kind,
            who: self.name.to_owned(),
            whom: None,
            part: Some(self.ball.name.clone()),
            frames: [self.first + frames.0, self.first + frames.1],
            value,
            limit,
            unit,
        }
    }
}

/// Length along the floor.
fn along_floor(vector: Vec3) -> f32 {
    libm::hypotf(vector.x, vector.z)
}
