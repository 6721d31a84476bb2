//! Random walks over the graph: a long, endless-looking performance of a library.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{ActionId, ActionLibrary};
use crate::annotation::Kind;
use crate::rate::FrameRate;

/// Actions that follow each other for at least `seconds`, chosen at random among those used least, reactions and
/// falls aside unless nothing else can follow; empty if the library is.
pub fn walk(library: &ActionLibrary, seconds: f64, seed: u64) -> Vec<ActionId> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let chosen_freely = |id: &ActionId| {
        let action = library.action(*id);
        !action.is_terminal && action.annotation.kind() != Kind::Reaction
    };
    let mut n_uses = vec![0_u32; library.actions().len()];
    let mut path: Vec<ActionId> = Vec::new();
    let wanted = (seconds * FrameRate::HOUSE.fps()) as u64;
    let mut n_frames = 0;
    let all: Vec<ActionId> = library.ids().filter(chosen_freely).collect();
    while n_frames < wanted {
        let choices = path.last().map_or(&all[..], |last| library.next(*last));
        let free: Vec<ActionId> = choices.iter().copied().filter(chosen_freely).collect();
        let choices = if free.is_empty() { choices } else { &free[..] };
        let Some(fewest) = choices.iter().map(|id| n_uses[id.idx()]).min() else { break };
        let fresh: Vec<ActionId> = choices.iter().copied().filter(|id| n_uses[id.idx()] == fewest).collect();
        let id = fresh[rng.random_range(0..fresh.len())];
        n_uses[id.idx()] += 1;
        n_frames += u64::from(library.action(id).n_frames());
        path.push(id);
    }
    path
}
