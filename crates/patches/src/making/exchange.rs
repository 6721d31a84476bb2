//! Handing something over: two who stand so that the hands of one take what those of the other let go.
//!
//! Differs from \[Shum2008\]: where both have to be for their hands to meet follows from what they do, so that initial
//! conditions are worked out instead of sampled, and kept if they are in the valid range.

use glam::Vec3;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use randori_arena::bodies::{Bodies, Doing, Rigid};
use randori_arena::stage::Pair;
use randori_motion::annotation::Load;
use randori_motion::math::wrap_angle;
use randori_motion::{ActionId, Bone, Ground, Placement};

use super::Discard;
use super::expand::patch;
use super::score::Marks;
use crate::patch::{Contact, Initial, Patch, Role, Stint};
use crate::pattern::{Pattern, matches};

/// Palms that are farther apart than this do not hold the same thing (m).
const APART: f32 = 0.15;

/// Everything that giver and receiver could do along a pattern.
pub(super) struct Exchange {
    giver: Role,
    /// For each role, its steps: what leads to the end of its part.
    parts: [Part; 2],
}

/// What one of the two could do.
struct Part {
    /// For each step, the actions from which all later steps can be reached.
    layers: Vec<Vec<ActionId>>,
    /// The step in which hands meet.
    exchange: usize,
    /// The places of its steps in the pattern.
    places: Vec<usize>,
}

/// What one of the two does, as if alone at the origin from tick 0 on.
struct Solo {
    actions: Vec<ActionId>,
    doings: Vec<(i32, Doing)>,
    /// When the hands open or close.
    tick: i32,
    /// Left and right palm then (m).
    palms: [Vec3; 2],
    load: Option<Load>,
}

impl Exchange {
    /// `None` if nobody hands anything over in a pattern.
    pub(super) fn of(bodies: &Bodies, pattern: &Pattern) -> Option<Exchange> {
        let role_of = |word: &str| Some(pattern.steps.iter().find(|step| step.word == word)?.role);
        let (giver, receiver) = (role_of("hand")?, role_of("receive")?);
        if giver == receiver {
            return None;
        }
        let part =
            |role: Role| Part::of(bodies, pattern, role, if role == giver { "hand" } else { "receive" });
        Some(Exchange { giver, parts: [part(Role::First)?, part(Role::Second)?] })
    }

    /// A patch of what both do at random.
    pub(super) fn attempt(
        &self,
        bodies: &Bodies,
        pattern: &Pattern,
        number: u16,
        rng: &mut ChaCha8Rng,
    ) -> Result<Patch, Discard> {
        let parts = [&self.parts[self.giver.idx()], &self.parts[self.giver.other().idx()]];
        let giver = parts[0].perform(bodies, None, rng).ok_or(Discard::NoAction)?;
        let receiver = parts[1].perform(bodies, giver.load, rng).ok_or(Discard::NoAction)?;
        self.fit(bodies, pattern, number, [&giver, &receiver])
    }

    /// Puts the receiver where and when its hands take what the giver's let go.
    fn fit(
        &self,
        bodies: &Bodies,
        pattern: &Pattern,
        number: u16,
        [giver, receiver]: [&Solo; 2],
    ) -> Result<Patch, Discard> {
        // The left hand of one is where the right hand of the other is.
        let facing = |palms: [Vec3; 2]| {
            let line = palms[1] - palms[0];
            (Ground::below(0.5 * (palms[0] + palms[1])), libm::atan2f(line.x, line.z))
        };
        let (middle, line) = facing(giver.palms);
        let (their_middle, their_line) = facing(receiver.palms);
        let turn = Rigid::of(Placement {
            position: Ground::default(),
            heading: wrap_angle(line + std::f32::consts::PI - their_line),
        });
        let turned = turn.ground(their_middle);
        let shift = Ground { x: middle.x - turned.x, z: middle.z - turned.z };
        let from = Placement { position: shift, heading: turn.placement().heading };
        let giver_from_receiver = Rigid::of(from);
        let moved = receiver.palms.map(|palm| giver_from_receiver.point(palm));
        let apart = giver.palms[0].distance(moved[1]).max(giver.palms[1].distance(moved[0]));
        if apart > APART {
            return Err(Discard::NoContact);
        }
        // Of giver and receiver, in the coordinates and on the clock of the giver.
        let later = giver.tick - receiver.tick;
        let starts = [0, later];
        let initial = match self.giver {
            Role::First => Initial::of(Placement::default(), from, later),
            Role::Second => Initial::of(from, Placement::default(), -later),
        };
        let begins = starts[0].min(starts[1]);
        let roles = [self.giver, self.giver.other()];
        let mut stints = [Vec::new(), Vec::new()];
        for ((role, solo), start) in roles.into_iter().zip([giver, receiver]).zip(starts) {
            stints[role.idx()] = solo.stints(bodies, start - begins);
        }
        self.check_order(&stints)?;
        self.check_range(bodies, [giver, receiver], &giver_from_receiver)?;
        let mut marks = Marks::default();
        marks.contact(1.0 - apart / APART);
        let score = marks.score(&pattern.weights);
        if score < pattern.threshold {
            return Err(Discard::Score);
        }
        let mut made = patch(bodies, number, initial, &stints, &[], score);
        let patch_from_giver = Rigid::of(made.of(self.giver).from);
        let hands = [(Bone::LeftHand, Bone::RightHand), (Bone::RightHand, Bone::LeftHand)];
        made.contacts = hands
            .into_iter()
            .zip(giver.palms)
            .map(|((with, bone), palm)| Contact {
                tick: giver.tick - begins,
                who: self.giver,
                with,
                bone,
                point: patch_from_giver.point(palm),
                velocity: Vec3::ZERO,
            })
            .collect();
        let is_deep = |(ticks, [first, second]): (std::ops::Range<i32>, [Doing; 2])| {
            Pair::of(bodies, &first, bodies, &second).is_deeper(ticks, pattern.depth)
        };
        if made.together(bodies).into_iter().any(is_deep) {
            return Err(Discard::Collision);
        }
        Ok(made)
    }

    /// Whether actions start in the order of the pattern.
    fn check_order(&self, stints: &[Vec<Stint>; 2]) -> Result<(), Discard> {
        let mut starts: Vec<(usize, i32)> = Vec::new();
        for (part, stints) in self.parts.iter().zip(stints) {
            starts.extend(part.places.iter().copied().zip(stints.iter().map(|stint| stint.start)));
        }
        starts.sort_unstable();
        if starts.is_sorted_by_key(|(_, start)| *start) { Ok(()) } else { Err(Discard::Order) }
    }

    /// Whether both stand in the range of handing over when they begin to.
    fn check_range(
        &self,
        bodies: &Bodies,
        [giver, receiver]: [&Solo; 2],
        giver_from_receiver: &Rigid,
    ) -> Result<(), Discard> {
        let hands = self.parts[self.giver.idx()].exchange;
        let takes = self.parts[self.giver.other().idx()].exchange;
        let place = |solo: &Solo, at: usize| {
            let (tick, doing) = solo.doings[at];
            doing.placement(bodies, tick)
        };
        let (here, there) = (place(giver, hands), giver_from_receiver.placed(place(receiver, takes)));
        let stand = Initial::of(here, there, 0);
        let library = bodies.library();
        let range = library.valid_range(&library.action(giver.actions[hands]).annotation);
        let Some(range) = range else { return Ok(()) };
        let is_in = range.distance.contains(&stand.distance)
            && range.own_angle.contains(&stand.angles[0])
            && range.other_angle.contains(&stand.angles[1]);
        if is_in { Ok(()) } else { Err(Discard::TooClose) }
    }
}

impl Part {
    fn of(bodies: &Bodies, pattern: &Pattern, role: Role, exchange: &str) -> Option<Part> {
        let library = bodies.library();
        let steps = pattern.steps.iter().enumerate().filter(|(_, step)| step.role == role);
        let (places, words): (Vec<usize>, Vec<&str>) =
            steps.map(|(at, step)| (at, step.word.as_str())).unzip();
        let exchange = words.iter().position(|word| *word == exchange)?;
        let mut layers: Vec<Vec<ActionId>> = Vec::new();
        for word in words.iter().rev() {
            let leads_on = |id: &ActionId| match layers.last() {
                Some(next) => library.next(*id).iter().any(|next_id| next.contains(next_id)),
                None => true,
            };
            let is_meant = |id: &ActionId| matches(word, &library.action(*id).annotation);
            let layer = library.ids().filter(is_meant).filter(leads_on).collect();
            layers.push(layer);
        }
        layers.reverse();
        Some(Part { layers, exchange, places })
    }

    /// Something at random, with a load if it is given.
    fn perform(&self, bodies: &Bodies, load: Option<Load>, rng: &mut ChaCha8Rng) -> Option<Solo> {
        let library = bodies.library();
        let takes = |id: &ActionId| {
            let holds = library.action(*id).annotation.holds();
            load.is_none() || holds[0].or(holds[1]).is_none() || holds[0].or(holds[1]) == load
        };
        let mut actions: Vec<ActionId> = Vec::new();
        for layer in &self.layers {
            let may_follow =
                |id: &ActionId| actions.last().is_none_or(|last| library.next(*last).contains(id));
            let choices: Vec<ActionId> = layer.iter().copied().filter(may_follow).filter(takes).collect();
            if choices.is_empty() {
                return None;
            }
            actions.push(choices[rng.random_range(0..choices.len())]);
        }
        let (mut tick, mut here) = (0, Rigid::of(Placement::default()));
        let mut doings = Vec::new();
        for action in &actions {
            let doing = Doing::begin(bodies, *action, tick, 0, here);
            doings.push((tick, doing));
            tick = doing.end(bodies);
            here = doing.root(bodies, tick);
        }
        let (start, doing) = doings[self.exchange];
        let its = bodies.of_action(doing.action);
        let tick = start + (its.peak - its.first) as i32;
        let palm = |bone: Bone| {
            let at = bodies.bones().iter().position(|known| *known == bone)?;
            let [a, b] = bodies.frame(its.take, its.peak)[at];
            Some(doing.world_from_take.point(0.5 * (a + b)))
        };
        let palms = [palm(Bone::LeftHand)?, palm(Bone::RightHand)?];
        let holds = library.action(doing.action).annotation.holds();
        Some(Solo { load: holds[0].or(holds[1]), actions, doings, tick, palms })
    }
}

impl Solo {
    fn stints(&self, bodies: &Bodies, later: i32) -> Vec<Stint> {
        let stint = |(start, doing): &(i32, Doing)| Stint {
            action: doing.action,
            skipped: 0,
            start: start + later,
            length: bodies.of_action(doing.action).length() as u16,
        };
        self.doings.iter().map(stint).collect()
    }
}
