//! How fast scenes are put together from patches, without pictures: the shipped scenes beside \[Shum2008\], table 3, and
//! dominoes from a hundred people to ten thousand.
//!
//! `cargo bench -p randori --bench composing` prints seconds of the clock and of all processors together. Patches are made
//! first, if they are not in the cache.
#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a bench reports, and reads the clock")]

use std::sync::Arc;
use std::time::Instant;

use cpu_time::ProcessTime;
use randori::patch_scenes::{SHIPPED, open};
use randori_patches::composing::floor::Floor;
use randori_scene::director::Composition;

/// Frames per second of the paper, in the order of [`SHIPPED`].
const TABLE_3: [f64; 6] = [87.0, 104.0, 194.0, 78.0, 72.0, 162.0];

/// Work, with the seconds that it took by the clock and of all processors together.
fn timed<T>(work: impl FnOnce() -> T) -> (T, [f64; 2]) {
    let (clock, processors) = (Instant::now(), ProcessTime::now());
    let made = work();
    (made, [clock.elapsed().as_secs_f64(), processors.elapsed().as_secs_f64()])
}

fn main() -> anyhow::Result<()> {
    for ((name, _), paper) in SHIPPED.into_iter().zip(TABLE_3) {
        let (scene, libraries) = open(name)?;
        let (made, [clock, processors]) = timed(|| Composition::of(&scene, &libraries));
        let Some(made) = made? else { continue };
        let frames = 60.0 * scene.seconds;
        println!(
            "{name}: {} uses, {frames:.0} frames in {clock:.3} s ({processors:.3} s of processors): {:.0} frames/s, \
             {:.0} times the paper's {paper:.0}",
            made.composer().uses.len(),
            frames / processors,
            frames / processors / paper,
        );
    }
    let (mut scene, mut libraries) = open("dominoes")?;
    for n_people in [100, 300, 1000, 3000, 10_000_usize] {
        // A square with a metre and a half square for everybody: about two in three square metres fill it.
        let side = 0.25;
        let n = ((n_people as f32).sqrt() * 1.24 / side) as usize;
        let area = Floor::new(side, n, &vec![true; n * n]).ok_or_else(|| anyhow::anyhow!("no area"))?;
        let corner = 0.5 * side * n as f32 - 1.0;
        let Some(patchwork) = &mut scene.patches else { continue };
        patchwork.people = n_people as u32;
        let file = patchwork.floor.as_ref().map(|floor| floor.file.clone()).unwrap_or_default();
        libraries.add_area(&file, Arc::new(area));
        scene.characters[0].at.x = -corner;
        scene.characters[0].at.z = corner;
        // The wave takes its time.
        scene.seconds = 10.0 + 1.2 * f64::from(corner);
        let (made, [clock, processors]) = timed(|| Composition::of(&scene, &libraries));
        let Some(made) = made? else { continue };
        let n_there = made.composer().uses.len() + 1;
        let (poses, [pose_clock, pose_processors]) = timed(|| made.evaluate());
        let poses = poses?;
        println!(
            "{n_there} dominoes for {:.0} s: composed in {clock:.2} s ({processors:.2} s of processors, {:.2} ms each): \
             {:.0} frames/s; {poses} poses in {pose_clock:.2} s ({pose_processors:.2} s of processors, {:.2} µs each); \
             together {:.2} times as fast as time goes by",
            scene.seconds,
            1e3 * processors / n_there as f64,
            60.0 * scene.seconds / processors,
            1e6 * pose_processors / poses.max(1) as f64,
            scene.seconds / (clock + pose_clock),
        );
    }
    Ok(())
}
