//! Two who carry something, and things that would run into them: which way out is safest.
//!
//! It sees where a thing is and how it moves, not where it is going to turn.
//!
//! Reference: \[Shum2008b\], section 7.2, where a person steers the two away from a ball.

use std::f32::consts::TAU;

use randori_arena::objectives::Goal;
use randori_interaction_graph::duel::Activity;
use randori_motion::Ground;

use super::Director;

/// A thing that passes at this distance from both and from what they carry is let pass (m).
const SAFE: f32 = 1.0;
/// How far ahead they look (s): a ball that is rolled at them comes near in six.
const AHEAD: f32 = 8.0;
/// Between two looks (s).
const STEP: f32 = 0.1;
/// How fast two go who get out of the way (m/s), a little less than they mostly do, and how long it takes them to get going
/// (s).
const SPEED: f32 = 0.35;
const LAG: f32 = 0.7;
/// How much farther outside a thing has to pass for two to turn right round on their way out of its way (m): turning takes
/// them longer than the plain rule here knows.
const KEEPING: f32 = 0.15;
/// How many ways out they think of.
const WAYS: i32 = 16;
/// How far ahead of them the place is that they are asked for (m).
const WAY: f32 = 2.0;

/// A thing on its way.
struct Threat {
    place: Ground,
    velocity: Ground,
    /// Half of what it is wide (m).
    radius: f32,
}

impl Director {
    /// Whether somebody carries something with the one they face.
    pub(super) fn carries(&self, who: usize) -> bool {
        let activity = self.graphs[who].as_ref().map(|graph| graph.graph().about().activity);
        activity == Some(Activity::Carry) && self.roles[who].controller.needs_graph()
    }

    /// Asks both who carry something for a place away from what would run into them, as long as it would.
    pub(super) fn steer(&mut self, who: usize) {
        let whom = self.bout.aims[who].opponent;
        let threats = self.threats();
        if whom == who || threats.is_empty() {
            return;
        }
        let (stage, moment) = (&self.bout.stage, &self.bout.moment);
        let both = [who, whom].map(|who| stage.position(moment, who, moment.tick));
        let middle = Ground { x: 0.5 * (both[0].x + both[1].x), z: 0.5 * (both[0].z + both[1].z) };
        let clear = |way: Ground| clearance(both, way, &threats);
        let unit = |x: f32, z: f32| {
            let length = (x * x + z * z).sqrt().max(1e-6);
            Ground { x: x / length, z: z / length }
        };
        let asked = self.bout.aims[who].goal.or(self.bout.aims[whom].goal).map(|goal| goal.position);
        let wanted = asked
            .filter(|place| middle.distance(*place) > 0.2)
            .map_or_else(Ground::default, |place| unit(place.x - middle.x, place.z - middle.z));
        if clear(wanted) >= SAFE {
            self.ways_out[who.min(whom)] = None;
            return;
        }
        let line = libm::atan2f(both[1].x - both[0].x, both[1].z - both[0].z);
        let ways = (0..WAYS).map(|way| {
            let heading = line + TAU / WAYS as f32 * way as f32;
            Ground { x: libm::sinf(heading), z: libm::cosf(heading) }
        });
        // Whoever is on the way out already does not turn for a little.
        let before = self.ways_out[who.min(whom)];
        let worth = |way: Ground| {
            let same = before.map_or(0.0, |before| way.x * before.x + way.z * before.z);
            clear(way) + KEEPING * same
        };
        let way = ways.max_by(|a, b| worth(*a).total_cmp(&worth(*b))).unwrap_or_default();
        self.ways_out[who.min(whom)] = Some(way);
        let position = Ground { x: middle.x + WAY * way.x, z: middle.z + WAY * way.z };
        for who in [who, whom] {
            self.steered[who] = Some(Goal { position, heading: None });
            self.bout.aims[who].goal = self.steered[who];
        }
    }

    /// Takes back what somebody and whom they face were asked for to get out of the way, unless they were asked for
    /// something else since.
    pub(super) fn forget_steering(&mut self, who: usize) {
        for who in [who, self.bout.aims[who].opponent] {
            let goal = &mut self.bout.aims[who].goal;
            *goal = goal.filter(|goal| self.steered[who] != Some(*goal));
            self.steered[who] = None;
        }
    }

    /// Things under way that knock people down.
    fn threats(&self) -> Vec<Threat> {
        let now = self.now();
        let hits = self.story.props.iter().filter(|thing| thing.role.hits);
        let threat = |thing: &super::story::Thing| {
            let (place, _) = thing.place(now)?;
            let [x, _, z] = thing.role.size;
            Some(Threat {
                place: Ground::below(place),
                velocity: Ground::below(thing.velocity(now)),
                radius: 0.5 * if thing.role.is_ball { x } else { x.max(z) },
            })
        };
        hits.filter_map(threat).collect()
    }
}

/// The least distance from the line between two to any thing while they go this way (m), from the thing's outside.
fn clearance(both: [Ground; 2], way: Ground, threats: &[Threat]) -> f32 {
    let mut least = f32::INFINITY;
    for threat in threats {
        for step in 0..=(AHEAD / STEP) as i32 {
            let time = STEP * step as f32;
            let gone = SPEED * (time - LAG).max(0.0);
            let [a, b] = both.map(|it| Ground { x: it.x + gone * way.x, z: it.z + gone * way.z });
            let thing = Ground {
                x: threat.place.x + time * threat.velocity.x,
                z: threat.place.z + time * threat.velocity.z,
            };
            least = least.min(off_line(thing, a, b) - threat.radius);
        }
    }
    least
}

/// How far a place is from the line between two others (m).
pub(crate) fn off_line(place: Ground, a: Ground, b: Ground) -> f32 {
    let (x, z) = (b.x - a.x, b.z - a.z);
    let squared = x * x + z * z;
    let along = (place.x - a.x) * x + (place.z - a.z) * z;
    let share = if squared > 0.0 { (along / squared).clamp(0.0, 1.0) } else { 0.0 };
    place.distance(Ground { x: a.x + share * x, z: a.z + share * z })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clearance_is_least_where_a_thing_passes() {
        let both = [Ground { x: 0.0, z: 0.0 }, Ground { x: 0.0, z: 1.5 }];
        let ball = |x: f32, z: f32, vx: f32| Threat {
            place: Ground { x, z },
            velocity: Ground { x: vx, z: 0.0 },
            radius: 0.2,
        };
        let still = Ground::default();
        // Straight at what they carry; past them, 2 m from the end; away from them.
        assert!(clearance(both, still, &[ball(-3.0, 0.7, 1.0)]) < 0.0);
        assert!((clearance(both, still, &[ball(-3.0, 3.5, 1.0)]) - 1.8).abs() < 1e-3);
        assert!((clearance(both, still, &[ball(-3.0, 0.7, -1.0)]) - 2.8).abs() < 1e-3);
        // Along the line is out of the way of what crosses it.
        let away = Ground { x: 0.0, z: 1.0 };
        assert!(
            clearance(both, away, &[ball(-3.5, 0.2, 1.0)]) > clearance(both, still, &[ball(-3.5, 0.2, 1.0)])
        );
        assert!((off_line(Ground { x: 3.0, z: 5.5 }, both[0], both[1]) - 5.0).abs() < 1e-6);
    }
}
