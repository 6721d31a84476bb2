//! Which patch is the best: open space, not what was just seen, and what the user asks for.

use randori_motion::ActionLibrary;
use randori_motion::math::wrap_angle;
use randori_motion::{Ground, Placement};

use crate::patch::{Patch, Role};
use crate::set::PatchId;

/// Chance decides between scores that are as near to each other as this.
pub(super) const CHANCE: f32 = 3.0;

/// How much open space, variety and the user's wishes count.
///
/// Reference: \[Shum2008\], equation (1): S(p) = w_d s_d + w_f s_f + w_u s_u.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// w_d.
    pub density: f32,
    /// w_f.
    pub usage: f32,
    /// w_u.
    pub user: f32,
}

impl Default for Weights {
    fn default() -> Weights {
        Weights { density: 10.0, usage: 1000.0, user: 10000.0 }
    }
}

impl Weights {
    /// S(p) of a patch in a place with this many people, of this usage, that is what the user asks for or not.
    pub fn score(&self, density: usize, usage: f32, is_wanted: bool) -> f32 {
        let s_d = 1.0 / (density as f32 + 1.0);
        let s_f = 1.0 - usage.min(1.0);
        self.density * s_d + self.usage * s_f + if is_wanted { self.user } else { 0.0 }
    }
}

/// After as many choices of other patches f_p counts for nothing in S: 0.9 to this power is less than S can tell from 0.
const FORGOTTEN: u32 = 220;

/// f_p of every patch: up by one when it is used, down by a tenth whenever another one is.
///
/// What was not used for long is not touched: the tenths are taken off when f_p is asked for.
#[derive(Clone, Debug, Default)]
pub struct Usage {
    /// f_p when a patch was last chosen, and how many had been chosen then.
    known: Vec<(f32, u32)>,
    n_chosen: u32,
}

impl Usage {
    /// Nothing was used yet.
    pub fn new(n_patches: usize) -> Usage {
        Usage { known: vec![(0.0, 0); n_patches], n_chosen: 0 }
    }

    /// f_p.
    pub fn of(&self, patch: PatchId) -> f32 {
        let (usage, then) = self.known[patch.idx()];
        let since = self.n_chosen - then;
        if usage == 0.0 || since > FORGOTTEN { 0.0 } else { usage * libm::powf(0.9, since as f32) }
    }

    /// A patch is chosen.
    pub fn choose(&mut self, patch: PatchId) {
        let usage = self.of(patch) + 1.0;
        self.n_chosen += 1;
        self.known[patch.idx()] = (usage, self.n_chosen);
    }
}

/// What a user asks of the main character for some time.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Command {
    /// From when on (ticks).
    pub from: i32,
    /// Until when (ticks).
    pub until: i32,
    /// One of these is done: annotations, or families of them (see [`matches`](crate::pattern::matches)).
    pub words: Vec<String>,
    /// The way to go (rad).
    pub direction: Option<f32>,
    /// To which side to turn: positive to the own left.
    pub turn: Option<f32>,
}

/// As far as this in the direction that is asked for counts as going there (m).
const GOES: f32 = 0.15;
/// As much as this is a turn (rad).
const TURNS: f32 = 0.2;

impl Command {
    /// Whether somebody does as asked who has this part in a patch and gets from one place to another.
    pub fn is_met(
        &self,
        library: &ActionLibrary,
        patch: &Patch,
        role: Role,
        [from, to]: [Placement; 2],
    ) -> bool {
        let says = self.words.is_empty() || self.words.iter().any(|word| patch.has(library, role, word));
        let goes = self.direction.is_none_or(|direction| {
            let way = Ground { x: to.position.x - from.position.x, z: to.position.z - from.position.z };
            let along = way.x * libm::sinf(direction) + way.z * libm::cosf(direction);
            along > GOES && along > 0.5 * libm::hypotf(way.x, way.z)
        });
        let turns = self.turn.is_none_or(|side| {
            let turned = wrap_angle(to.heading - from.heading);
            turned * side > 0.0 && turned.abs() > TURNS
        });
        says && goes && turns
    }
}

/// How often a user's wishes were met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Wishes {
    /// Choices for which there was a command.
    pub asked: u32,
    /// Those in which some patch that could be joined without getting in anybody's way would do as asked.
    pub possible: u32,
    /// Those in which the chosen one does.
    pub met: u32,
}

impl Wishes {
    /// Counts a choice for which there was a command.
    pub(super) fn count(&mut self, is_possible: bool, is_met: bool) {
        self.asked += 1;
        self.possible += u32::from(is_possible);
        self.met += u32::from(is_met);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_goes_up_by_one_and_down_by_tenths() {
        let (mut usage, mut by_hand) = (Usage::new(5), [0.0_f32; 5]);
        for k in 0..60_u32 {
            let chosen = (k * k + k / 7) % 5;
            usage.choose(PatchId(chosen));
            for (at, it) in by_hand.iter_mut().enumerate() {
                *it = if at == chosen as usize { *it + 1.0 } else { 0.9 * *it };
            }
            for (at, it) in by_hand.iter().enumerate() {
                assert!((usage.of(PatchId(at as u32)) - it).abs() < 1e-4);
            }
        }
    }
}
