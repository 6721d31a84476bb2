//! Whoever stands in a crowd and has to do with nobody: the room that is left is filled with them.

use std::f32::consts::{PI, TAU};
use std::ops::Range;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use randori_arena::bodies::Rigid;
use randori_motion::library::NodeId;
use randori_motion::{Ground, Placement};

use super::Composer;
use super::crowd::Leave;
use super::locomotion::{Errand, Locomotion, Standing};

/// How many places are tried for each of them.
const TRIES: usize = 200;

/// Puts people somewhere around a place, where they get in nobody's way and wait until the end; those for whom there is no
/// room stay away. How many found a place.
pub fn stand_by(
    composer: &mut Composer<'_>,
    who: Range<usize>,
    center: Ground,
    radius: f32,
    seed: u64,
) -> usize {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let nodes = (0..composer.bodies().library().n_nodes() as u32).map(NodeId);
    let Some(node) = nodes.max_by_key(|node| (composer.moves.calm(*node).len(), std::cmp::Reverse(node.0)))
    else {
        return 0;
    };
    let mut n_placed = 0;
    for who in who {
        let found = (0..TRIES).find_map(|_| {
            // Evenly over the disk, and turned more or less to its middle.
            let (far, bearing) = (radius * rng.random::<f32>().sqrt(), TAU * rng.random::<f32>());
            let position =
                Ground { x: center.x + far * libm::sinf(bearing), z: center.z + far * libm::cosf(bearing) };
            let heading = bearing + PI + 2.0 * (rng.random::<f32>() - 0.5);
            let at = Standing { node, here: Rigid::of(Placement { position, heading }), tick: 0 };
            let errand = Errand { goal: position, within: 1.0, variety: who, enters: None };
            let engine = Locomotion { crowd: &composer.crowd, moves: &composer.moves };
            let mut way = Vec::new();
            let is_free = engine.wait_after(at, &errand, &Leave::default(), composer.end, &mut way);
            is_free.then_some(way)
        });
        if let Some(way) = found {
            composer.crowd.wait(who, &way, composer.end);
            n_placed += 1;
        }
    }
    n_placed
}
