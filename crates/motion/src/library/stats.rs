//! Figures of a library, and of the seams between its actions.

use std::collections::BTreeMap;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde::Serialize;

use super::{ActionId, ActionLibrary, Player};
use crate::bone::{Bone, Side};
use crate::placement::Placement;
use crate::rate::FrameRate;

/// A library in figures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stats {
    /// How many actions there are.
    pub actions: usize,
    /// How many of each annotation.
    pub annotations: BTreeMap<String, usize>,
    /// Groups of like postures.
    pub nodes: usize,
    /// Pairs of actions that may follow each other.
    pub edges: usize,
    /// Actions that may follow one, on average over all that are followed.
    pub mean_choices: f64,
    /// How long all takes are together (s).
    pub seconds: f64,
    /// Share of the analysed actions that can be left and come back to, -.
    pub strongly_connected: f64,
    /// 95th percentile of how far a standing foot slides at a seam (cm).
    pub seam_slide_cm_p95: f64,
}

/// Seams that are played to learn how far feet slide in them.
const SEAMS: usize = 1000;

impl Stats {
    /// Measures a library. Plays up to a thousand of its seams, drawn with a fixed seed.
    pub fn of(library: &ActionLibrary) -> Stats {
        let mut annotations = BTreeMap::new();
        for action in library.actions() {
            *annotations.entry(action.annotation.name().to_owned()).or_default() += 1;
        }
        let followed = library.ids().filter(|id| !library.action(*id).is_terminal).count();
        let edges: usize = library.ids().map(|id| library.next(id).len()).sum();
        let frames: usize = library.takes().iter().map(|take| take.clip.n_frames()).sum();
        let mut slides: Vec<f32> =
            seam_slides(library, SEAMS, 1).into_iter().map(|(_, slide)| slide).collect();
        slides.sort_by(f32::total_cmp);
        let p95 = slides.get((slides.len() * 95 / 100).min(slides.len().saturating_sub(1)));
        Stats {
            actions: library.actions().len(),
            annotations,
            nodes: library.n_nodes(),
            edges,
            mean_choices: edges as f64 / followed.max(1) as f64,
            seconds: frames as f64 / FrameRate::HOUSE.fps(),
            strongly_connected: f64::from(library.connected()),
            seam_slide_cm_p95: p95.map_or(0.0, |slide| f64::from(*slide) * 100.0),
        }
    }
}

/// Plays seams drawn at random, or all if there are fewer, and tells how far a standing foot slides in each beyond
/// what it does in the actions themselves (m).
pub fn seam_slides(library: &ActionLibrary, n_seams: usize, seed: u64) -> Vec<([ActionId; 2], f32)> {
    let n_edges: usize = library.ids().map(|id| library.next(id).len()).sum();
    let followers: Vec<ActionId> = library.ids().filter(|id| !library.next(*id).is_empty()).collect();
    let pairs: Vec<[ActionId; 2]> = if n_edges <= n_seams {
        let of = |a: &ActionId| library.next(*a).iter().map(|b| [*a, *b]).collect::<Vec<_>>();
        followers.iter().flat_map(of).collect()
    } else {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut draw = || {
            let a = followers[rng.random_range(0..followers.len())];
            let next = library.next(a);
            [a, next[rng.random_range(0..next.len())]]
        };
        (0..n_seams).map(|_| draw()).collect()
    };
    pairs.into_par_iter().map(|pair| (pair, seam_slide(library, pair))).collect()
}

/// Frames before a seam that are played, and after it that are looked at.
const BEFORE: u32 = 6;
const AFTER: u32 = 24;

fn seam_slide(library: &ActionLibrary, [a, b]: [ActionId; 2]) -> f32 {
    let skeleton = &library.body().skeleton;
    let balls = Side::BOTH.map(|side| skeleton.bone(Bone::LeftToes.on(side)));
    let mut player = Player::new(library, a, Placement::default());
    let n_frames = library.action(a).n_frames();
    // The end of the first action alone matters.
    for _ in 0..n_frames.saturating_sub(BEFORE) {
        player.skip();
    }
    let mut paths: [Vec<Option<glam::Vec3>>; 2] = Default::default();
    let mut own: [Vec<glam::Vec3>; 2] = Default::default();
    let mut see = |player: &mut Player<'_>| {
        let (stands, source) = (player.standing(), player.source());
        let globals = skeleton.global_pose(player.step().view());
        let source = skeleton.global_pose(source.view());
        for foot in 0..2 {
            let Some(ball) = balls[foot] else { continue };
            paths[foot].push(stands[foot].then(|| globals.positions[ball.idx()]));
            own[foot].push(source.positions[ball.idx()]);
        }
    };
    while !player.is_done() {
        see(&mut player);
    }
    player.switch(b, 0);
    for _ in 0..AFTER.min(library.action(b).n_frames()) {
        see(&mut player);
    }
    let mut worst = 0.0_f32;
    for foot in 0..2 {
        let mut slid = 0.0_f32;
        for at in 1..paths[foot].len() {
            let (Some(last), Some(now)) = (paths[foot][at - 1], paths[foot][at]) else {
                slid = 0.0;
                continue;
            };
            let moved = (now - last).with_y(0.0).length();
            let meant = (own[foot][at] - own[foot][at - 1]).with_y(0.0).length();
            // Across the seam itself the sources do not belong together.
            let meant = if at == BEFORE.min(n_frames) as usize { 0.0 } else { meant };
            slid += (moved - meant).max(0.0);
            worst = worst.max(slid);
        }
    }
    worst
}
