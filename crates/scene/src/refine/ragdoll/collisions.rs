//! What strikes whom: blows that a take tells of, and bodies and things that are found to run into each other.

use rapier3d_f64::parry;
use rapier3d_f64::prelude::{Capsule as Solid3, Pose as WorldPose};

use glam::Vec3;
use randori_arena::stage::mass_behind;
use randori_motion::take::Shape;
use randori_motion::{Bone, Character, GlobalPose, Prop, Take};
use rayon::prelude::*;

use super::super::blows::{LimbOf, Strike};
use super::super::geometry::{Solid, is_core};
use super::super::grid::{Grid, Together};
use super::super::limbs::solids;
use super::around::shape_of;
use super::model::Model;
use super::{vector, world_pose};

/// Something that strikes somebody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    /// A character, with a limb or with any other part.
    Character(usize, Option<LimbOf>),
    Prop(usize),
}

/// One collision as the struck body feels it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Collision {
    /// When (s).
    pub(super) t: f64,
    /// Who is struck, by place among the characters.
    pub(super) whom: usize,
    pub(super) by: By,
    /// The bone that is struck.
    pub(super) bone: Bone,
    /// Where, in the world (m).
    pub(super) point: Vec3,
    /// In the world (N s).
    pub(super) impulse: Vec3,
}

/// How far bodies rebound (-).
const RESTITUTION: f32 = 0.2;
/// Collisions slower than this are touches (m/s).
const SLOWEST: f32 = 1.2;
/// What happens so soon after another collision of the same two belongs to it (s).
const SAME: f64 = 0.3;
/// Limbs of people whose hips are farther apart along the floor do not meet (m).
const NEAR: f32 = 1.8;
/// Nothing of a body is farther from its hips than this (m).
const IN_REACH: f32 = 1.5;
/// What a thing weighs (kg/m³): something between a suitcase and a car.
const DENSITY: f32 = 200.0;

/// All collisions of a take, in order of time and then of who is struck.
pub(super) fn collisions(
    take: &Take,
    models: &[Option<Model>],
    strikes: &[Strike],
    fps: f64,
) -> Vec<Collision> {
    let mut found: Vec<Collision> =
        strikes.iter().filter_map(|strike| of_strike(take, models, strike)).collect();
    let grid = Grid::new(&take.characters, fps);
    let told = |who: [usize; 2], t: f64| {
        let of_both = |strike: &&Strike| who.contains(&strike.who) && who.contains(&strike.whom);
        strikes.iter().filter(of_both).any(|strike| (strike.t - t).abs() < SAME)
    };
    let pairs = grid.pairs(NEAR);
    let volumes = solids(&take.characters, &grid, &pairs);
    let bumps: Vec<Vec<Collision>> =
        pairs.par_iter().map(|pair| of_pair(models, (&grid, &volumes), pair, &told)).collect();
    found.extend(bumps.into_iter().flatten());
    let with_things: Vec<Vec<Collision>> = (0..take.props.len())
        .into_par_iter()
        .map(|prop| {
            (0..take.characters.len()).flat_map(|who| of_prop(take, models, &grid, prop, who)).collect()
        })
        .collect();
    found.extend(with_things.into_iter().flatten());
    found.sort_by(|a, b| a.t.total_cmp(&b.t).then(a.whom.cmp(&b.whom)));
    found
}

/// What two masses (kg) that meet at a velocity (m/s) give each other (N s), by Newton's law of restitution.
fn impulse(velocity: Vec3, [one, other]: [f32; 2]) -> Vec3 {
    let together = one * other / (one + other).max(1e-6);
    let impulse = velocity * ((1.0 + RESTITUTION) * together);
    if impulse.is_finite() { impulse } else { Vec3::ZERO }
}

/// A blow that the take tells of.
fn of_strike(take: &Take, models: &[Option<Model>], strike: &Strike) -> Option<Collision> {
    let (striker, victim) = (&take.characters[strike.who], &take.characters[strike.whom]);
    let model = models[strike.whom].as_ref()?;
    let [before, now] = [strike.t - DT, strike.t].map(|t| globals(striker, t));
    let fist = Solid::of(&strike.capsule, &now);
    let came_from = Solid::of(&strike.capsule, &before);
    let way = 0.5 * ((fist.axis[0] + fist.axis[1]) - (came_from.axis[0] + came_from.axis[1]));
    let posed = globals(victim, strike.t);
    let solids = victim.body.capsules.iter().map(|capsule| Solid::of(capsule, &posed));
    let met = solids.min_by(|a, b| fist.nearest(a).gap.total_cmp(&fist.nearest(b).gap))?;
    let bone = strike.struck.unwrap_or(met.bone);
    let segment = model.with(bone)?;
    let point = fist.touch(&met);
    // A fist that is led to a surface is slower there than it came; the event knows better.
    let speed = strike.speed.map_or(way.length() / DT as f32, |speed| speed as f32);
    let velocity = way.normalize_or_zero() * speed;
    let masses = [mass_behind(strike.with), model.mass_around(segment)];
    let by = By::Character(strike.who, Some(strike.limb));
    Some(Collision { t: strike.t, whom: strike.whom, by, bone, point, impulse: impulse(velocity, masses) })
}

/// A moment before another (s).
const DT: f64 = 1.0 / 60.0;

fn globals(character: &Character, t: f64) -> GlobalPose {
    let pose = character.clip.sample(t - character.enter);
    character.clip.skeleton().global_pose(pose.view())
}

/// When two who are near run into each other. A trunk or a head feels what it meets; a limb that runs into it is led there
/// by intent, as are limbs that meet each other.
fn of_pair(
    models: &[Option<Model>],
    (grid, volumes): (&Grid, &[Vec<Vec<Solid>>]),
    pair: &Together,
    told: &(dyn Fn([usize; 2], f64) -> bool + Sync),
) -> Vec<Collision> {
    let [Some(first), Some(second)] = pair.who.map(|who| models[who].as_ref()) else { return Vec::new() };
    let at = |tick: usize| pair.who.map(|who| volumes[who][tick - grid.present[who].start].as_slice());
    let mut found: Vec<Collision> = Vec::new();
    for tick in pair.ticks.clone().skip(1) {
        let (was, now, t) = (at(tick - 1), at(tick), grid.time(tick));
        if found.last().is_some_and(|last| t - last.t < SAME) || told(pair.who, t) {
            continue;
        }
        let Some([a, b]) = first_met(&was, &now) else { continue };
        let [one, other] = [now[0][a], now[1][b]];
        let normal = one.nearest(&other).between.normalize_or(Vec3::Y);
        let moved = |k: usize, at: usize| now[k][at].middle() - was[k][at].middle();
        // The first as seen from the second, along the way from the second to the first: negative when they close.
        let closing = -(moved(0, a) - moved(1, b)).dot(normal) * grid.fps as f32;
        if closing < SLOWEST {
            continue;
        }
        let [Some(struck), Some(by)] = [first.with(one.bone), second.with(other.bone)] else { continue };
        let masses = [first.mass_around(struck), second.mass_around(by)];
        let push = impulse(normal * closing, masses);
        let point = one.touch(&other);
        let [who, whom] = pair.who;
        let limbs = [other.bone, one.bone].map(LimbOf::with);
        let by = [By::Character(whom, limbs[0]), By::Character(who, limbs[1])];
        let both = [
            Collision { t, whom: who, by: by[0], bone: one.bone, point, impulse: push },
            Collision { t, whom, by: by[1], bone: other.bone, point, impulse: -push },
        ];
        found.extend(both.into_iter().filter(|it| is_core(it.bone)));
    }
    found
}

/// The two parts that did not touch a moment ago and are deepest in each other.
fn first_met(was: &[&[Solid]; 2], now: &[&[Solid]; 2]) -> Option<[usize; 2]> {
    let mut found: Option<(f32, [usize; 2])> = None;
    for (a, one) in now[0].iter().enumerate() {
        for (b, other) in now[1].iter().enumerate().filter(|(_, other)| one.may_meet(other)) {
            let gap = one.nearest(other).gap;
            let is_new = || was[0][a].nearest(&was[1][b]).gap > 0.0;
            if !(is_core(one.bone) || is_core(other.bone)) {
                continue;
            }
            if gap <= 0.0 && found.is_none_or(|(deepest, _)| gap < deepest) && is_new() {
                found = Some((gap, [a, b]));
            }
        }
    }
    found.map(|(_, parts)| parts)
}

/// When a thing runs into somebody.
fn of_prop(take: &Take, models: &[Option<Model>], grid: &Grid, prop: usize, who: usize) -> Vec<Collision> {
    let (thing, character) = (&take.props[prop], &take.characters[who]);
    let Some(model) = models[who].as_ref() else { return Vec::new() };
    let mut found: Vec<Collision> = Vec::new();
    let mut was_inside = true;
    // Most things are far from most people most of the time.
    let reaches = thing.pieces.iter().map(|it| it.center.length() + shape_of(&it.shape).1);
    let in_reach = reaches.fold(0.0, f32::max) + IN_REACH;
    let is_far = |t: f64| {
        let roots = [(&thing.clip, thing.enter), (&character.clip, character.enter)].map(|(clip, enter)| {
            let frame = libm::round((t - enter) * clip.rate().fps()).max(0.0) as usize;
            clip.frame(frame.min(clip.n_frames() - 1)).root()
        });
        thing.clip.skeleton().n_joints() == 1 && roots[0].distance(roots[1]) > in_reach
    };
    for tick in grid.present[who].clone() {
        let t = grid.time(tick);
        if t < thing.enter + DT || t > thing.exit() {
            continue;
        }
        if is_far(t) {
            was_inside = false;
            continue;
        }
        let [before, now] = [t - DT, t].map(|t| placed(thing, t));
        let met = nearest_piece(thing, &now, &globals(character, t), character);
        let is_inside = met.is_some();
        let begins = !std::mem::replace(&mut was_inside, is_inside) && is_inside;
        let (true, Some((piece, capsule, point, normal))) = (begins, met) else { continue };
        let on_thing = now.rotations[thing.pieces[piece].joint.idx()].inverse()
            * (point - now.positions[thing.pieces[piece].joint.idx()]);
        let joint = thing.pieces[piece].joint;
        let [own_before, own] = [t - DT, t].map(|t| {
            let posed = globals(character, t);
            Solid::of(&character.body.capsules[capsule], &posed).middle()
        });
        let velocity = (point - before.point(joint, on_thing) - (own - own_before)) / DT as f32;
        let closing = velocity.dot(normal);
        let bone = character.body.capsules[capsule].bone;
        let Some(segment) = model.with(bone).filter(|_| closing > SLOWEST) else { continue };
        let masses = [mass_of(thing), model.mass_around(segment)];
        let impulse = impulse(normal * closing, masses);
        found.push(Collision { t, whom: who, by: By::Prop(prop), bone, point, impulse });
    }
    found
}

fn placed(prop: &Prop, t: f64) -> GlobalPose {
    let pose = prop.clip.sample(t - prop.enter);
    prop.clip.skeleton().global_pose(pose.view())
}

/// What a thing weighs (kg).
fn mass_of(prop: &Prop) -> f32 {
    const PI: f32 = std::f32::consts::PI;
    let volume = |shape: &Shape| match *shape {
        Shape::Box { half } => 8.0 * half.x * half.y * half.z,
        Shape::Ball { radius } => 4.0 / 3.0 * PI * radius * radius * radius,
        Shape::Capsule { half_length, radius } => {
            PI * radius * radius * (2.0 * half_length + 4.0 / 3.0 * radius)
        }
        Shape::Cylinder { half_length, radius } => 2.0 * PI * radius * radius * half_length,
    };
    DENSITY * prop.pieces.iter().map(|piece| volume(&piece.shape)).sum::<f32>()
}

/// The piece of a thing and the capsule of somebody that are deepest in each other, if any are: with the place (m) and
/// the way from the thing to the body.
fn nearest_piece(
    prop: &Prop,
    globals: &GlobalPose,
    posed: &GlobalPose,
    character: &Character,
) -> Option<(usize, usize, Vec3, Vec3)> {
    let mut found: Option<(f64, (usize, usize, Vec3, Vec3))> = None;
    for (at, piece) in prop.pieces.iter().enumerate() {
        let (shape, reach) = shape_of(&piece.shape);
        let center = globals.point(piece.joint, piece.center);
        if center.distance(posed.positions[0]) > reach + IN_REACH {
            continue;
        }
        let place = world_pose((center, globals.rotations[piece.joint.idx()] * piece.rotation));
        for (of_body, capsule) in character.body.capsules.iter().enumerate() {
            let [a, b] = [capsule.a, capsule.b].map(|end| vector(posed.point(capsule.joint, end)));
            let solid = Solid3::new(a, b, capsule.radius.into());
            let met = parry::query::contact(&place, &*shape, &WorldPose::IDENTITY, &solid, 0.0);
            let Ok(Some(met)) = met else { continue };
            if found.is_none_or(|(deepest, _)| met.dist < deepest) {
                let [point, normal] =
                    [met.point1, met.normal1].map(|it| Vec3::from_array(it.to_array().map(|it| it as f32)));
                found = Some((met.dist, (at, of_body, point, normal)));
            }
        }
    }
    found.map(|(_, met)| met)
}
