//! What two people are to each other when one of them decides: the state of the graph.
//!
//! Reference: \[Shum2008b\], section 5.2: I_A = (r, θ_a, θ_b, Next(M_a), M_b, F_b).
//! Differs from the paper: angles are those of the root's heading, not of the head, because what an action makes of two
//! people follows from where their roots are, and from nothing else; the other's root is where it will be in a moment,
//! about when blows land. Next(M_a) is the node of the library's graph in which M_a ended. Whether the other's blow has
//! met something already is a part of the state while that blow can land.

use std::f32::consts::PI;

use randori_arena::bodies::{Bodies, Doing, Rigid};
use randori_arena::stage::{Moment, Person};
use randori_motion::library::NodeId;
use randori_motion::math::wrap_angle;
use randori_motion::{ActionId, Ground, Placement};

/// A relative situation of two people, one of whom decides.
///
/// ```
/// use randori_interaction_graph::pairing::Relation;
/// let relation = Relation { distance: 1.2, own: 0.3, other: -0.2 };
/// let again = Relation::of(relation.placement());
/// assert!((again.distance - 1.2).abs() < 1e-6);
/// assert!((again.own - 0.3).abs() < 1e-6 && (again.other + 0.2).abs() < 1e-6);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pairing {
    /// The posture in which whoever decides has ended: all that may follow starts from it.
    pub node: NodeId,
    /// What the other does.
    pub theirs: ActionId,
    /// How far the other got with it (ticks).
    pub frame: u16,
    /// The other's blow can still be on its way, but has met something already.
    pub is_spent: bool,
    /// Where they are, the other [`AHEAD`] ticks from now.
    pub relation: Relation,
}

/// Where two people are to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Relation {
    /// r: between the roots (m).
    pub distance: f32,
    /// θ_a: where the other is, seen from whoever decides; to the own left of where the root faces is positive (rad).
    pub own: f32,
    /// θ_b: where whoever decides is, seen from the other (rad).
    pub other: f32,
}

impl Relation {
    /// Of the other's root, placed as seen from the root of whoever decides.
    pub fn of(other: Placement) -> Relation {
        let Ground { x, z } = other.position;
        let own = libm::atan2f(x, z);
        Relation { distance: (x * x + z * z).sqrt(), own, other: wrap_angle(own + PI - other.heading) }
    }

    /// Where the other's root is, seen from the root of whoever decides.
    pub fn placement(self) -> Placement {
        let Relation { distance, own, other } = self;
        let position = Ground { x: distance * libm::sinf(own), z: distance * libm::cosf(own) };
        Placement { position, heading: wrap_angle(own + PI - other) }
    }
}

impl Pairing {
    /// Of somebody who decides now and another.
    pub fn of(moment: &Moment, who: usize, whom: usize, [own, other]: [&Bodies; 2]) -> Pairing {
        let (person, theirs) = (&moment.people[who], &moment.people[whom]);
        let here = person.doing.root(own, moment.tick);
        let there = theirs.doing.root(other, moment.tick + AHEAD);
        let its = other.of_action(theirs.doing.action);
        let frame = (moment.tick - theirs.doing.start).clamp(0, its.length()) as u16;
        Pairing {
            node: own.library().action(person.doing.action).to,
            theirs: theirs.doing.action,
            frame,
            is_spent: theirs.is_spent && is_striking(other, theirs.doing.action, frame),
            relation: Relation::of(here.inverse().then(there).placement()),
        }
    }

    /// What two get into next if one does this from a tick on and no blow lands, and whether the other decides then.
    pub(crate) fn next(
        [own, other]: [&Bodies; 2],
        doing: &Doing,
        theirs: &Person,
        tick: i32,
    ) -> (Pairing, bool) {
        let (mine, others) = (doing.end(own), theirs.doing.end(other).max(tick));
        let is_swapped = others < mine;
        let then = mine.min(others);
        let (decides, of, goes_on, on) =
            if is_swapped { (&theirs.doing, other, doing, own) } else { (doing, own, &theirs.doing, other) };
        let there = goes_on.root(on, then + AHEAD);
        let frame = (then - goes_on.start).clamp(0, on.of_action(goes_on.action).length()) as u16;
        let next = Pairing {
            node: of.library().action(decides.action).to,
            theirs: goes_on.action,
            frame,
            is_spent: !is_swapped && theirs.is_spent && is_striking(on, goes_on.action, frame),
            relation: Relation::of(decides.root(of, then).inverse().then(there).placement()),
        };
        (next, is_swapped)
    }

    /// The other, seen from the root of whoever decides, at tick 0.
    pub fn other(&self, bodies: &Bodies) -> Person {
        let there = Rigid::of(self.relation.placement());
        let ahead = AHEAD.min(bodies.of_action(self.theirs).length() - i32::from(self.frame)).max(0);
        Person {
            doing: Doing::begin(bodies, self.theirs, ahead, u32::from(self.frame) + ahead as u32, there),
            is_spent: self.is_spent,
            is_present: true,
            ahead: None,
        }
    }
}

/// How far ahead the other is looked at (ticks): when a blow that starts now lands, that is where they are.
pub const AHEAD: i32 = 12;

/// Whether a blow can land in this frame of an action or in a later one, and could have before.
fn is_striking(bodies: &Bodies, action: ActionId, frame: u16) -> bool {
    let its = bodies.of_action(action);
    let [from, to] = its.window.map(|at| at.saturating_sub(its.first));
    from < to && (from..to).contains(&u32::from(frame))
}

/// How unlike two relations are: (Δr / σ_r)² + (Δθ_a / σ_θ)² + (Δθ_b / σ_θ)², with σ_r = 0.5 m and σ_θ = π/6.
///
/// Reference: \[Shum2008b\], section 6.1; the formula is lost in the text at hand and reconstructed from its constants.
pub fn unlikeness(a: Relation, b: Relation) -> f32 {
    let of = |difference: f32, sigma: f32| (difference / sigma) * (difference / sigma);
    of(a.distance - b.distance, SIGMA_DISTANCE)
        + of(wrap_angle(a.own - b.own), SIGMA_ANGLE)
        + of(wrap_angle(a.other - b.other), SIGMA_ANGLE)
}

/// σ_r (m).
pub const SIGMA_DISTANCE: f32 = 0.5;
/// σ_θ (rad).
pub const SIGMA_ANGLE: f32 = PI / 6.0;

/// What two pairings of the same Next and manner differ in, in eight bytes: how states are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    /// How long the other's action still takes (ticks): states of a bucket are in this order.
    pub(crate) rest: u16,
    /// Tenths of a millimetre.
    pub(crate) distance: u16,
    /// 32768ths of half a turn: differences wrap by themselves.
    pub(crate) own: i16,
    pub(crate) other: i16,
}

/// The other's action and its frame, as they are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Theirs {
    pub(crate) action: u16,
    /// Ticks, and whether the blow is spent in the highest bit.
    pub(crate) frame: u16,
}

/// Set in [`Theirs::frame`] of somebody whose blow is spent.
const SPENT: u16 = 1 << 15;
/// Tenths of a millimetre in a metre.
pub(crate) const PER_METRE: f32 = 1e4;
/// Steps of an angle in a radian.
pub(crate) const PER_RADIAN: f32 = 32768.0 / PI;
/// The farthest apart that two people have anything to do with each other (m).
pub const FARTHEST: f32 = 6.5;

impl Place {
    pub(crate) fn of(pairing: &Pairing, rest: u16) -> Place {
        let Relation { distance, own, other } = pairing.relation;
        let angle = |angle: f32| libm::roundf(wrap_angle(angle) * PER_RADIAN) as i32 as i16;
        Place {
            rest,
            distance: libm::roundf(distance.clamp(0.0, FARTHEST) * PER_METRE) as u16,
            own: angle(own),
            other: angle(other),
        }
    }

    pub(crate) fn relation(self) -> Relation {
        Relation {
            distance: f32::from(self.distance) / PER_METRE,
            own: f32::from(self.own) / PER_RADIAN,
            other: f32::from(self.other) / PER_RADIAN,
        }
    }

    /// [`unlikeness`] of two places.
    pub(crate) fn unlike(self, other: Place) -> f32 {
        let distance = (f32::from(self.distance) - f32::from(other.distance)) / (PER_METRE * SIGMA_DISTANCE);
        let angle = |a: i16, b: i16| f32::from(a.wrapping_sub(b)) / (PER_RADIAN * SIGMA_ANGLE);
        let (own, theirs) = (angle(self.own, other.own), angle(self.other, other.other));
        distance * distance + own * own + theirs * theirs
    }
}

impl Theirs {
    pub(crate) fn of(pairing: &Pairing) -> Theirs {
        let spent = if pairing.is_spent { SPENT } else { 0 };
        Theirs { action: pairing.theirs.0 as u16, frame: pairing.frame & !SPENT | spent }
    }

    pub(crate) fn pairing(self, node: NodeId, place: Place) -> Pairing {
        Pairing {
            node,
            theirs: ActionId(u32::from(self.action)),
            frame: self.frame & !SPENT,
            is_spent: self.frame & SPENT != 0,
            relation: place.relation(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_keep_relations() {
        for k in 0..200 {
            let k = k as f32;
            let relation =
                Relation { distance: 0.03 * k, own: 3.1 * libm::sinf(k), other: 3.1 * libm::cosf(1.3 * k) };
            let pairing = Pairing {
                node: NodeId(0),
                theirs: ActionId(0),
                frame: k as u16,
                is_spent: k > 100.0,
                relation,
            };
            let place = Place::of(&pairing, 0);
            assert!(unlikeness(place.relation(), relation).sqrt() < 1e-3, "{relation:?}");
            let kept = Theirs::of(&pairing).pairing(NodeId(0), place);
            assert_eq!((kept.frame, kept.is_spent), (pairing.frame, pairing.is_spent));
            let far = Relation { distance: relation.distance + 0.1, own: relation.own + 3.0, ..relation };
            let exact = unlikeness(relation, far);
            let packed = place.unlike(Place::of(&Pairing { relation: far, ..pairing }, 0));
            assert!((exact - packed).abs() < 1e-2 * exact, "{exact} {packed}");
        }
    }
}
