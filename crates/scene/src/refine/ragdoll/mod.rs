//! Bodies that give way when they are struck.
//!
//! A body that collides with another or with a thing is handed to a rigid-body simulation: the impulse throws it off its
//! motion, muscles lead it back to the motion or into the reaction that the motion goes on with, the floor and whoever
//! stands about are solid. What comes of it is blended out before the time is up.
//!
//! Reference: \[Shum2008\], section 4.4, after \[Zordan2002\] and \[Zordan2005\]. Differs from it: the push of the floor and
//! the forces of the motion itself are fed forward instead of found by the solver, and balance is a pull at the hips.
//!
//! Where to start reading: [`responses`]; `doll` is the simulation, `model` the body, `collisions` what strikes.

mod around;
mod collisions;
mod doll;
mod guide;
mod model;

use std::ops::Range;

use glam::{Quat, Vec3};
use randori_motion::contacts::{ContactSettings, Contacts};
use randori_motion::math::smootherstep;
use randori_motion::{Character, Pose, Take};
use rapier3d_f64::math as solid;
use rayon::prelude::*;

use super::Ban;
use super::blows::{LimbOf, Strike};
use super::figure::Figure;
use collisions::{By, Collision, collisions};
use doll::{Deviation, Doll, MOST_SEGMENTS, Push};
use guide::Guide;
use model::Model;

/// The share of the time after the last collision in which a response is blended out.
const FADE: f64 = 0.5;
/// A body that is thrown farther than this from its motion would not find back in time (m).
const FARTHEST: f32 = 0.6;
/// Collisions that give less than this go unnoticed (N s).
const LEAST: f32 = 2.0;

/// How one body answers collisions that follow each other closely.
#[derive(Clone, Debug)]
pub(super) struct Response {
    /// Who is struck, by place among the characters.
    pub(super) whom: usize,
    /// When first (s), and until when it shows.
    pub(super) span: Range<f64>,
    /// Who or what strikes first, by name.
    pub(super) by: String,
    /// How many collisions.
    pub(super) n_collisions: usize,
    /// Of the hardest (N s).
    pub(super) impulse: f32,
    /// The farthest that any part is shown from its motion (m).
    pub(super) farthest: f32,
    /// The first frame that is changed, and all poses from there.
    first: usize,
    poses: Vec<Pose>,
}

impl Response {
    /// Writes it into the poses of the whole clip.
    pub(super) fn write(&self, poses: &mut [Pose]) {
        for (pose, shown) in poses.iter_mut().skip(self.first).zip(&self.poses) {
            pose.clone_from(shown);
        }
    }

    /// Whether it may be shown.
    pub(super) fn is_allowed(&self, bans: &[Ban]) -> bool {
        self.farthest <= FARTHEST && !bans[self.whom].meets(self.span.clone())
    }
}

/// The answers to all collisions of a take, in order of who and when. Each is over within `seconds` of its last
/// collision; characters are looked at together `fps` times a second.
pub(super) fn responses(
    take: &Take,
    figures: &[Figure],
    strikes: &[Strike],
    seconds: f64,
    fps: f64,
) -> Vec<Response> {
    let models: Vec<Option<Model>> = (take.characters.iter())
        .map(|it| Model::of(&it.body).filter(|model| model.segments.len() <= MOST_SEGMENTS))
        .collect();
    let all = collisions(take, &models, strikes, fps);
    let mut clusters: Vec<Vec<&Collision>> = Vec::new();
    for whom in 0..take.characters.len() {
        let mine = all.iter().filter(|it| it.whom == whom && it.impulse.length() >= LEAST);
        let mut last: Option<f64> = None;
        for collision in mine {
            match clusters.last_mut().filter(|_| last.is_some_and(|last| collision.t < last + seconds)) {
                Some(cluster) => cluster.push(collision),
                None => clusters.push(vec![collision]),
            }
            last = Some(collision.t);
        }
    }
    let down: Vec<Vec<[bool; 2]>> = (take.characters.par_iter().enumerate())
        .map(|(who, character)| {
            let is_struck = clusters.iter().any(|cluster| cluster[0].whom == who);
            if is_struck { down(character) } else { Vec::new() }
        })
        .collect();
    (clusters.par_iter())
        .filter_map(|cluster| {
            let whom = cluster[0].whom;
            let model = models[whom].as_ref()?;
            respond(take, (model, &figures[whom]), (cluster, strikes), &down[whom], seconds)
        })
        .collect()
}

/// Which feet stand in each frame.
fn down(character: &Character) -> Vec<[bool; 2]> {
    let Some(contacts) = Contacts::of(&character.clip, &ContactSettings::default()) else {
        return vec![[false; 2]; character.clip.n_frames()];
    };
    let [left, right] = contacts.feet;
    left.down.into_iter().zip(right.down).map(|(left, right)| [left, right]).collect()
}

fn respond(
    take: &Take,
    (model, figure): (&Model, &Figure),
    (cluster, strikes): (&[&Collision], &[Strike]),
    down: &[[bool; 2]],
    seconds: f64,
) -> Option<Response> {
    let (first, last) = (cluster.first()?, cluster.last()?);
    let whom = first.whom;
    let character = &take.characters[whom];
    let rate = character.clip.rate();
    let frame_at = |t: f64| libm::floor((t - character.enter) * rate.fps() + 1e-6).max(0.0) as usize;
    let end = (frame_at(last.t + seconds) + 1).min(character.clip.n_frames());
    let frames = frame_at(first.t).min(end)..end;
    if frames.len() < 2 {
        return None;
    }
    let guide = Guide::new(character, frames.clone(), down);
    let is_striking = |who: usize, bone| {
        let limb = LimbOf::with(bone);
        cluster.iter().any(|it| matches!(it.by, By::Character(other, with) if other == who && with == limb))
    };
    let is_led = |other: usize, bone| {
        let arm = |limb: LimbOf| LimbOf::with(bone) == Some(limb) || limb.upper() == bone;
        strikes.iter().any(|it| (it.who, it.whom) == (whom, other) && arm(it.limb))
    };
    let meant = around::Meant { strikes: &is_striking, is_led: &is_led };
    let obstacles = around::obstacles(take, whom, (model, &guide), &meant);
    let pushes: Vec<Push> = (cluster.iter())
        .filter_map(|it| {
            let since = it.t - character.enter - rate.time_of(frames.start);
            let step = libm::round(since.max(0.0) / guide.dt) as usize;
            Some(Push { step, segment: model.with(it.bone)?, point: it.point, impulse: it.impulse })
        })
        .collect();
    let deviations = Doll::new(model, &guide, &obstacles).perform(&pushes)?;
    let t = |at: usize| character.enter + rate.time_of(frames.start + at);
    let share = |at: usize| smootherstep(((last.t + seconds - t(at)) / (FADE * seconds)) as f32);
    let poses = (deviations.iter().enumerate())
        .map(|(at, deviation)| {
            let share = share(at);
            let shown = Shown { model, figure, share, standing: guide.standing[at * guide.per_frame] };
            shown.pose(&character.clip.frame(frames.start + at).to_pose(), deviation)
        })
        .collect();
    let name = match first.by {
        By::Character(who, _) => &take.characters[who].name,
        By::Prop(prop) => &take.props[prop].name,
    };
    Some(Response {
        whom,
        span: first.t..t(frames.len() - 1),
        by: name.clone(),
        n_collisions: cluster.len(),
        impulse: cluster.iter().map(|it| it.impulse.length()).fold(0.0, f32::max),
        farthest: deviations.iter().enumerate().map(|(at, it)| share(at) * it.farthest).fold(0.0, f32::max),
        first: frames.start,
        poses,
    })
}

/// How a deviation is shown.
struct Shown<'a> {
    model: &'a Model,
    figure: &'a Figure,
    /// How much of it, 0 to 1.
    share: f32,
    /// How firmly each foot stands, 0 to 1.
    standing: [f32; 2],
}

impl Shown<'_> {
    fn pose(&self, planned: &Pose, deviation: &Deviation) -> Pose {
        if self.share <= 0.0 {
            return planned.clone();
        }
        let skeleton = &self.figure.skeleton;
        let before = skeleton.global_pose(planned.view());
        let turns: Vec<Quat> =
            deviation.turns.iter().map(|turn| Quat::IDENTITY.slerp(*turn, self.share)).collect();
        let turned = |joint: usize| turns[self.model.of_joint[joint]] * before.rotations[joint];
        let mut pose = planned.clone();
        for id in skeleton.ids() {
            pose.rotations[id.idx()] = match skeleton.joint(id).parent {
                Some(parent) => (turned(parent.idx()).inverse() * turned(id.idx())).normalize(),
                None => turned(id.idx()).normalize(),
            };
        }
        pose.translations[0] += self.share * deviation.hips;
        // Feet that stand stay, to the last millimetre.
        for (leg, firmness) in self.figure.legs.iter().zip(self.standing) {
            let Some(leg) = leg.as_ref().filter(|_| firmness > 0.0) else { continue };
            let now = skeleton.global_pose(pose.view());
            let end = leg.limb.end.idx();
            let target = now.positions[end].lerp(before.positions[end], firmness);
            let world_from_end = now.rotations[end].slerp(before.rotations[end], firmness);
            leg.reach_for(skeleton, &now, (target, world_from_end), &mut pose);
        }
        pose
    }
}

fn vector(it: Vec3) -> solid::Vector {
    let [x, y, z] = it.to_array().map(f64::from);
    solid::Vector::new(x, y, z)
}

fn rotation(it: Quat) -> solid::Rotation {
    let [x, y, z, w] = it.to_array().map(f64::from);
    solid::Rotation::from_xyzw(x, y, z, w).normalize()
}

fn world_pose((place, turn): (Vec3, Quat)) -> solid::Pose {
    solid::Pose::from_parts(vector(place), rotation(turn))
}

#[cfg(test)]
mod tests;
