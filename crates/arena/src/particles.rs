//! Bodies of particles: what a blow does in the first moments, before anybody can answer it.
//!
//! A particle sits at each of the main joints, two more at crown and face. Links keep bones as long as they are and the
//! trunk in shape, muscles pull every particle to where the plan has it, feet that stand stay. [`shake`] runs
//! them over the poses that would be shown and gives the poses that are shown instead; [`crate::reactions`] runs them
//! to see which reaction the blow looks like.
//!
//! Reference: \[Jakobsen2001\], Verlet integration with projected constraints, driven by a proportional-derivative
//! controller as in \[Shum2012\], section VII. Differs from it: what is integrated is how far each particle is from the
//! plan, so that gravity and the forces of the floor, which the plan already answers, cancel, and a body that nobody
//! touches follows its plan to the last bit.

mod shake;

use glam::Vec3;
use randori_motion::body::Body;
use randori_motion::{Bone, FrameRate, GlobalPose, JointId, Side, Skeleton};

pub use shake::shake;

/// A blow as the struck body feels it, in the coordinates of the motion that is being performed.
///
/// ```
/// use randori_arena::particles::Blow;
/// use randori_motion::{Bone, math::Vec3};
/// let jab = Blow { bone: Bone::Head, point: Vec3::new(0.0, 1.6, 0.1), velocity: Vec3::NEG_Z * 6.0, mass: 2.5 };
/// assert_eq!(jab.impulse(), Vec3::NEG_Z * 15.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blow {
    /// The bone that is struck.
    pub bone: Bone,
    /// Where (m).
    pub point: Vec3,
    /// Of the striking part (m/s).
    pub velocity: Vec3,
    /// How much of the striker is behind it (kg): about 3 for a fist.
    pub mass: f32,
}

impl Blow {
    /// All that the striking part can give away (N s); nothing if that is not a number.
    pub fn impulse(&self) -> Vec3 {
        let impulse = self.velocity * self.mass.max(0.0);
        if impulse.is_finite() { impulse } else { Vec3::ZERO }
    }
}

/// The particles of a body and what holds them together.
#[derive(Clone, Debug)]
pub(crate) struct ParticleBody {
    particles: Vec<Particle>,
    links: Vec<Link>,
    /// Pairs that keep this far from each other (m), or as far as the plan has them.
    apart: Vec<(usize, usize, f32)>,
    /// Share of their strength that the muscles use, 0 to 1.
    tone: f32,
}

#[derive(Clone, Copy, Debug)]
struct Particle {
    spot: Spot,
    joint: JointId,
    /// Where it is in the joint's frame (m).
    local: Vec3,
    /// (kg).
    mass: f32,
    /// How fast the muscles bring it back: the undamped frequency (rad/s).
    recovery: f32,
    /// The foot it belongs to.
    foot: Option<Side>,
    /// How near to the floor it may come (m).
    clearance: f32,
}

/// What a particle stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spot {
    Joint(Bone),
    Crown,
    Face,
}

#[derive(Clone, Copy, Debug)]
struct Link {
    ends: [usize; 2],
    /// Share of what is missing or too much that one pass makes good, 0 to 1.
    firmness: f32,
}

/// How far the particles are from where the plan has them.
#[derive(Clone, Debug)]
pub(crate) struct Deviation {
    /// Now (m).
    pub(crate) offsets: Vec<Vec3>,
    /// A tick earlier (m).
    before: Vec<Vec3>,
    /// The impulse on each that is still to come (N s), and how many ticks were given.
    pushes: Vec<Vec3>,
    age: usize,
}

/// Share of an impulse that each of the first ticks gives: a fist does not stop at once.
const CONTACT: [f32; 3] = [0.25, 0.5, 0.25];
/// A struck part is thrown no faster than this (m/s).
const FASTEST: f32 = 4.5;
/// How well the muscles damp (-).
const DAMPING: f32 = 0.8;
/// Passes over all links in a tick.
const PASSES: usize = 10;
/// No particle is farther from its plan than this (m).
const FARTHEST: f32 = 0.45;

/// How near the crown comes to the chest at most, relative to an upright neck (-): a head bent by a sixth of a turn.
const BENT_NECK: f32 = 0.87;

/// Links besides the bones, with their firmness: pelvis and shoulder girdle are rigid, the trunk gives a little.
const BRACES: [(Bone, Bone, f32); 17] = [
    (Bone::LeftUpperLeg, Bone::RightUpperLeg, 1.0),
    (Bone::Spine, Bone::LeftUpperLeg, 1.0),
    (Bone::Spine, Bone::RightUpperLeg, 1.0),
    (Bone::LeftUpperArm, Bone::RightUpperArm, 1.0),
    (Bone::Neck, Bone::LeftUpperArm, 1.0),
    (Bone::Neck, Bone::RightUpperArm, 1.0),
    (Bone::Chest, Bone::LeftUpperArm, 0.3),
    (Bone::Chest, Bone::RightUpperArm, 0.3),
    (Bone::Hips, Bone::Chest, 0.3),
    (Bone::Spine, Bone::UpperChest, 0.3),
    (Bone::Chest, Bone::Neck, 0.3),
    (Bone::Hips, Bone::UpperChest, 0.2),
    (Bone::UpperChest, Bone::Head, 0.4),
    (Bone::LeftUpperLeg, Bone::LeftUpperArm, 0.1),
    (Bone::RightUpperLeg, Bone::RightUpperArm, 0.1),
    (Bone::LeftUpperLeg, Bone::RightUpperArm, 0.1),
    (Bone::RightUpperLeg, Bone::LeftUpperArm, 0.1),
];

impl ParticleBody {
    /// The particles of a body. Bones that its skeleton lacks are passed over.
    pub(crate) fn of(body: &Body) -> ParticleBody {
        let particles = scattered(body);
        let (links, apart) = (side_by_side(linked(&particles)), kept_apart(&body.skeleton, &particles));
        ParticleBody { particles, links, apart, tone: 1.0 }
    }

    /// How many particles there are.
    pub(crate) fn len(&self) -> usize {
        self.particles.len()
    }

    /// Where the particles of a pose are (m).
    pub(crate) fn places(&self, globals: &GlobalPose) -> Vec<Vec3> {
        self.particles.iter().map(|particle| globals.point(particle.joint, particle.local)).collect()
    }

    /// The particle of a bone's joint; none for bones without one.
    pub(crate) fn particle(&self, bone: Bone) -> Option<usize> {
        self.at(Spot::Joint(bone))
    }

    fn at(&self, spot: Spot) -> Option<usize> {
        find(&self.particles, spot)
    }

    /// A body that follows its plan and is now struck; `plan` is where the particles are.
    pub(crate) fn struck(&self, plan: &[Vec3], blow: &Blow) -> Deviation {
        let n = self.particles.len();
        let mut pushes = vec![Vec3::ZERO; n];
        let near = self.around(blow.bone);
        let point = if blow.point.is_finite() { blow.point } else { Vec3::ZERO };
        // Nearer particles take more, each in proportion to its mass: a part moves as one and turns a little.
        let share = |at: usize| {
            let distance = plan[at].distance(point);
            self.particles[at].mass / (0.01 + distance * distance)
        };
        let total: f32 = near.iter().map(|at| share(*at)).sum();
        if total > 0.0 {
            let mass: f32 = near.iter().map(|at| self.particles[*at].mass).sum();
            let impulse = blow.impulse().clamp_length_max(FASTEST * mass);
            for at in near {
                pushes[at] = impulse * (share(at) / total);
            }
        }
        Deviation { offsets: vec![Vec3::ZERO; n], before: vec![Vec3::ZERO; n], pushes, age: 0 }
    }

    /// One tick on; `plan` is where the particles should be after it, `standing` which feet stand then.
    pub(crate) fn step(&self, deviation: &mut Deviation, plan: &[Vec3], standing: [bool; 2]) {
        let dt = FrameRate::HOUSE.dt() as f32;
        let given = CONTACT.get(deviation.age).copied().unwrap_or(0.0);
        deviation.age += 1;
        let is_fixed = |particle: &Particle| particle.foot.is_some_and(|side| standing[side as usize]);
        let lightness: Vec<f32> = (self.particles.iter())
            .map(|particle| if is_fixed(particle) { 0.0 } else { 1.0 / particle.mass.max(1e-3) })
            .collect();
        let mut places: Vec<Vec3> = plan.to_vec();
        for (at, particle) in self.particles.iter().enumerate() {
            let (now, before) = (deviation.offsets[at], deviation.before[at]);
            let velocity = (now - before) / dt + deviation.pushes[at] * (given * lightness[at]);
            let omega = particle.recovery * self.tone;
            let pull = -now * (omega * omega) - velocity * (2.0 * DAMPING * omega);
            // A foot that comes to stand comes down nearly where the plan has it; the rest goes at once.
            let moved = if lightness[at] > 0.0 { now + (velocity + pull * dt) * dt } else { 0.5 * now };
            places[at] += moved;
            deviation.before[at] = now;
        }
        let planned = |a: usize, b: usize| plan[a].distance(plan[b]);
        let lengths: Vec<f32> = self.links.iter().map(|link| planned(link.ends[0], link.ends[1])).collect();
        let least: Vec<f32> = self.apart.iter().map(|(a, b, least)| least.min(planned(*a, *b))).collect();
        for _ in 0..PASSES {
            for (Link { ends, firmness }, length) in self.links.iter().zip(&lengths) {
                hold(&mut places, &lightness, *ends, *length, *firmness);
            }
            for ((a, b, _), least) in self.apart.iter().zip(&least) {
                if places[*a].distance_squared(places[*b]) < least * least {
                    hold(&mut places, &lightness, [*a, *b], *least, 1.0);
                }
            }
            for (at, particle) in self.particles.iter().enumerate() {
                places[at].y = places[at].y.max(particle.clearance.min(plan[at].y));
            }
        }
        for (at, place) in places.iter().enumerate() {
            deviation.offsets[at] = (*place - plan[at]).clamp_length_max(FARTHEST);
        }
    }

    /// The particles that take a blow on a bone.
    fn around(&self, bone: Bone) -> Vec<usize> {
        let spots: &[Spot] = match bone {
            Bone::Head | Bone::Jaw | Bone::LeftEye | Bone::RightEye => {
                &[Spot::Joint(Bone::Head), Spot::Crown, Spot::Face]
            }
            Bone::Neck => &[Spot::Joint(Bone::Neck), Spot::Joint(Bone::Head)],
            Bone::UpperChest | Bone::LeftShoulder | Bone::RightShoulder => &[
                Spot::Joint(Bone::UpperChest),
                Spot::Joint(Bone::Neck),
                Spot::Joint(Bone::LeftUpperArm),
                Spot::Joint(Bone::RightUpperArm),
            ],
            Bone::Chest => &[Spot::Joint(Bone::Chest), Spot::Joint(Bone::UpperChest)],
            Bone::Spine => &[Spot::Joint(Bone::Spine), Spot::Joint(Bone::Chest)],
            Bone::Hips => &[
                Spot::Joint(Bone::Hips),
                Spot::Joint(Bone::Spine),
                Spot::Joint(Bone::LeftUpperLeg),
                Spot::Joint(Bone::RightUpperLeg),
            ],
            _ => &[],
        };
        let mut near: Vec<usize> = spots.iter().filter_map(|spot| self.at(*spot)).collect();
        if near.is_empty() {
            // A limb: the joint above and the one below the struck place; fingers are a hand's.
            let above = std::iter::successors(Some(bone), |bone| bone.parent())
                .find_map(|bone| self.particle(bone).map(|at| (bone, at)));
            let below = above.and_then(|(bone, _)| {
                self.particles
                    .iter()
                    .position(|p| matches!(p.spot, Spot::Joint(other) if other.parent() == Some(bone)))
            });
            near.extend(above.map(|(_, at)| at));
            near.extend(below);
        }
        near
    }
}

fn find(particles: &[Particle], spot: Spot) -> Option<usize> {
    particles.iter().position(|particle| particle.spot == spot)
}

/// Particles at the main joints of a body, at its crown and its face.
fn scattered(body: &Body) -> Vec<Particle> {
    let skeleton = &body.skeleton;
    let mut particles: Vec<Particle> = Vec::new();
    for bone in Bone::LANDMARKS {
        let Some(joint) = skeleton.bone(bone) else { continue };
        let capsule = body.capsules.iter().find(|capsule| capsule.joint == joint);
        particles.push(Particle {
            spot: Spot::Joint(bone),
            joint,
            local: Vec3::ZERO,
            mass: 0.0,
            recovery: recovery(bone),
            foot: if is_foot(bone) { bone.side() } else { None },
            clearance: capsule.map_or(0.0, |capsule| capsule.radius),
        });
    }
    if let Some(head) = find(&particles, Spot::Joint(Bone::Head)).map(|at| particles[at])
        && let Some(skull) = body.capsules.iter().find(|capsule| capsule.joint == head.joint)
    {
        let along = (skull.b - skull.a).normalize_or_zero();
        let ahead = (Vec3::Z - along * along.z).normalize_or(Vec3::Z);
        let face = 0.5 * (skull.a + skull.b) + ahead * (NOSE * skull.radius);
        particles.push(Particle { spot: Spot::Crown, local: skull.b, ..head });
        particles.push(Particle { spot: Spot::Face, local: face, ..head });
    }
    weigh(body, &mut particles);
    particles
}

/// How far the face is ahead of the middle of the head, in radii of the skull (-).
const NOSE: f32 = 1.4;

/// Bones and braces.
fn linked(particles: &[Particle]) -> Vec<Link> {
    use Spot::Joint;
    let bones = particles.iter().filter_map(|particle| {
        let Joint(bone) = particle.spot else { return None };
        let mut above = std::iter::successors(bone.parent(), |bone| bone.parent()).map(Joint);
        Some((above.find(|above| find(particles, *above).is_some())?, Joint(bone), 1.0))
    });
    let braces = BRACES.into_iter().map(|(a, b, firmness)| (Joint(a), Joint(b), firmness));
    let skull = [
        (Joint(Bone::Head), Spot::Crown, 1.0),
        (Joint(Bone::Head), Spot::Face, 1.0),
        (Spot::Crown, Spot::Face, 1.0),
        (Joint(Bone::Neck), Spot::Crown, 0.3),
        (Joint(Bone::Neck), Spot::Face, 0.2),
        (Joint(Bone::UpperChest), Spot::Crown, 0.1),
    ];
    (bones.chain(braces).chain(skull))
        .filter_map(|(a, b, firmness)| {
            Some(Link { ends: [find(particles, a)?, find(particles, b)?], firmness })
        })
        .collect()
}

/// The same links in an order in which neighbours seldom share a particle, so that they need not wait for each other.
///
/// Links that do share one stay in their order, and others do not affect each other: the result is the same.
fn side_by_side(links: Vec<Link>) -> Vec<Link> {
    let mut ranked: Vec<(usize, Link)> = Vec::new();
    for link in links {
        let shares = |(_, other): &&(usize, Link)| other.ends.iter().any(|end| link.ends.contains(end));
        let rank = ranked.iter().filter(shares).map(|(rank, _)| rank + 1).max().unwrap_or(0);
        ranked.push((rank, link));
    }
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, link)| link).collect()
}

/// Pairs that do not come nearer: crown and chest, so that the neck does not break; hands and what they guard.
fn kept_apart(skeleton: &Skeleton, particles: &[Particle]) -> Vec<(usize, usize, f32)> {
    let rest = skeleton.global_pose(skeleton.rest_pose().view());
    let place = |at: usize| rest.point(particles[at].joint, particles[at].local);
    let pair = |a: Spot, b: Spot| Some((find(particles, a)?, find(particles, b)?));
    let chest = Spot::Joint(Bone::UpperChest);
    let neck = pair(chest, Spot::Crown).map(|(a, b)| (a, b, BENT_NECK * place(a).distance(place(b))));
    let hands = [Bone::LeftHand, Bone::RightHand].into_iter().flat_map(|hand| {
        [Spot::Joint(Bone::Head), Spot::Face, Spot::Crown, chest].map(|other| pair(Spot::Joint(hand), other))
    });
    let touching = |(a, b): (usize, usize)| (a, b, particles[a].clearance + 0.8 * particles[b].clearance);
    neck.into_iter().chain(hands.flatten().map(touching)).collect()
}

/// Brings two particles nearer to a distance, the lighter one more.
fn hold(places: &mut [Vec3], lightness: &[f32], [a, b]: [usize; 2], distance: f32, firmness: f32) {
    let between = places[b] - places[a];
    let (length, weight) = (between.length(), lightness[a] + lightness[b]);
    if length < 1e-6 || weight <= 0.0 {
        return;
    }
    let by = between * (firmness * (length - distance) / (length * weight));
    places[a] += by * lightness[a];
    places[b] -= by * lightness[b];
}

fn is_foot(bone: Bone) -> bool {
    matches!(bone, Bone::LeftFoot | Bone::RightFoot | Bone::LeftToes | Bone::RightToes)
}

/// How fast muscles bring a part back to the plan (rad/s): chosen so that a struck head gives most after a twelfth of
/// a second, and a trunk a little later.
fn recovery(bone: Bone) -> f32 {
    match bone {
        Bone::Head | Bone::Neck => 11.0,
        Bone::Hips | Bone::LeftUpperLeg | Bone::RightUpperLeg => 8.0,
        Bone::LeftLowerLeg | Bone::RightLowerLeg => 8.0,
        // Feet in the air are on their way to where they will stand.
        Bone::LeftFoot | Bone::RightFoot | Bone::LeftToes | Bone::RightToes => 30.0,
        _ => 8.5,
    }
}

/// Lays the mass of every bone onto the particles at its ends.
fn weigh(body: &Body, particles: &mut [Particle]) {
    let skeleton = &body.skeleton;
    for joint in skeleton.ids() {
        let mass = body.masses[joint.idx()];
        let on = std::iter::successors(Some(joint), |id| skeleton.joint(*id).parent);
        let own = on
            .into_iter()
            .find_map(|id| particles.iter().position(|p| p.joint == id && p.local == Vec3::ZERO));
        let ends: Vec<usize> = (0..particles.len())
            .filter(|at| {
                let particle = &particles[*at];
                (particle.joint == joint && particle.local != Vec3::ZERO)
                    || skeleton.joint(particle.joint).parent == Some(joint)
            })
            .collect();
        let Some(own) = own else { continue };
        let half = if ends.is_empty() { mass } else { 0.5 * mass };
        particles[own].mass += half;
        for end in &ends {
            particles[*end].mass += (mass - half) / ends.len() as f32;
        }
    }
    // Even toes weigh something.
    for particle in particles {
        particle.mass = particle.mass.max(0.1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use randori_motion::Build;

    fn standing() -> (ParticleBody, Vec<Vec3>) {
        let body = Build::AVERAGE.body();
        let particles = ParticleBody::of(&body);
        let globals = body.skeleton.global_pose(body.skeleton.rest_pose().view());
        let places = particles.places(&globals);
        (particles, places)
    }

    fn blow(bone: Bone, impulse: Vec3) -> Blow {
        let (particles, plan) = standing();
        let point = particles.particle(bone).map_or(Vec3::Y, |at| plan[at]) + Vec3::Y * 0.1;
        Blow { bone, point, velocity: impulse, mass: 1.0 }
    }

    #[test]
    fn the_mass_is_that_of_the_body() {
        let body = Build::STOCKY.body();
        let mass: f32 = ParticleBody::of(&body).particles.iter().map(|particle| particle.mass).sum();
        assert!((mass / body.total_mass() - 1.0).abs() < 0.01, "{mass}");
    }

    #[test]
    fn nobody_who_is_not_struck_leaves_the_plan() {
        let (particles, plan) = standing();
        for impulse in [Vec3::ZERO, Vec3::NAN] {
            let mut deviation = particles.struck(&plan, &blow(Bone::Head, impulse));
            for tick in 0..60 {
                // The plan walks away; feet may stand or not.
                let moved: Vec<Vec3> =
                    plan.iter().map(|place| *place + Vec3::Z * 0.02 * tick as f32).collect();
                particles.step(&mut deviation, &moved, [tick % 2 == 0, tick % 3 == 0]);
                assert!(deviation.offsets.iter().all(|offset| offset.length() < 1e-5), "{tick}");
            }
        }
    }

    #[test]
    fn the_order_of_links_that_share_nothing_does_not_matter() {
        let (mut particles, plan) = standing();
        let body = Build::AVERAGE.body();
        let mut other = particles.clone();
        other.links = linked(&scattered(&body));
        let ends = |body: &ParticleBody| body.links.iter().map(|link| link.ends).collect::<Vec<_>>();
        assert_ne!(ends(&particles), ends(&other));
        particles.tone = 0.7;
        other.tone = 0.7;
        let blow = blow(Bone::Head, Vec3::new(9.0, 1.0, -14.0));
        let mut deviations = [particles.struck(&plan, &blow), other.struck(&plan, &blow)];
        for tick in 0..30 {
            particles.step(&mut deviations[0], &plan, [tick > 9, true]);
            other.step(&mut deviations[1], &plan, [tick > 9, true]);
            assert_eq!(deviations[0].offsets, deviations[1].offsets, "{tick}");
        }
    }

    #[test]
    fn the_momentum_of_a_blow_arrives() {
        let (mut particles, plan) = standing();
        particles.tone = 0.0;
        let fps = FrameRate::HOUSE.fps() as f32;
        for bone in [Bone::Head, Bone::UpperChest, Bone::Spine, Bone::Hips, Bone::LeftUpperArm] {
            let impulse = Vec3::new(3.0, 0.0, -6.0);
            let mut deviation = particles.struck(&plan, &blow(bone, impulse));
            for _ in 0..4 {
                particles.step(&mut deviation, &plan, [false; 2]);
            }
            let momentum: Vec3 = (particles.particles.iter().enumerate())
                .map(|(at, particle)| (deviation.offsets[at] - deviation.before[at]) * fps * particle.mass)
                .sum();
            assert!((momentum - impulse).length() < 0.06 * impulse.length(), "{bone:?} {momentum}");
        }
    }

    #[test]
    fn a_struck_body_gives_where_it_is_struck_and_keeps_its_bones_and_feet() {
        let (particles, plan) = standing();
        for bone in [Bone::Head, Bone::UpperChest, Bone::Spine, Bone::Hips, Bone::Neck] {
            for (x, z) in [(0.0, 1.0), (0.0, -1.0), (1.0, 0.0), (-0.7, 0.7)] {
                let way = Vec3::new(x, 0.0, z);
                let mut deviation = particles.struck(&plan, &blow(bone, way * 20.0));
                let at = particles.particle(bone).unwrap();
                let (mut farthest, mut others) = (0.0_f32, 0.0_f32);
                for tick in 0..40 {
                    particles.step(&mut deviation, &plan, [true; 2]);
                    let places: Vec<Vec3> =
                        plan.iter().zip(&deviation.offsets).map(|(place, offset)| *place + *offset).collect();
                    for (at, particle) in particles.particles.iter().enumerate() {
                        assert!(deviation.offsets[at].is_finite() && places[at].y > -1e-4);
                        assert!(particle.foot.is_none() || deviation.offsets[at] == Vec3::ZERO);
                    }
                    for Link { ends: [a, b], .. } in
                        particles.links.iter().filter(|link| link.firmness == 1.0)
                    {
                        let (length, now) = (plan[*a].distance(plan[*b]), places[*a].distance(places[*b]));
                        assert!((now / length - 1.0).abs() < 0.1, "{bone:?} {tick} {length} {now}");
                    }
                    if tick < 6 {
                        farthest = farthest.max(deviation.offsets[at].dot(way));
                        let foot = particles.particle(Bone::LeftLowerLeg).unwrap();
                        others = others.max(deviation.offsets[foot].length());
                    }
                }
                assert!(farthest > 0.015 && farthest > 2.0 * others, "{bone:?} {way} {farthest} {others}");
                let left = deviation.offsets.iter().map(|offset| offset.length()).fold(0.0, f32::max);
                assert!(left < 0.03, "{bone:?} {way} {left}");
            }
        }
    }
}
