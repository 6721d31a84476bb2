//! The loop of a game at 60 Hz: two fighters who look up what to do.
//!
//! ```sh
//! randori library build builtin:boxing -o boxing.randori
//! randori graph build boxing.randori -o boxing.graph
//! cargo run --release -p randori-interaction-graph --example game_loop -- boxing.randori boxing.graph
//! ```
//!
//! A game loads two files, has one policy made, and then asks sixty times a second whether anybody has to decide. Nothing of
//! the builder is needed for it. Decisions allocate nothing; whoever wants to draw asks the moment where everybody is.
#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a game has a screen, files and a clock")]

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use randori_arena::bodies::{Bodies, Rigid};
use randori_arena::bout::{Bout, Happening, Pause};
use randori_arena::combination::Table;
use randori_arena::controller::Controller;
use randori_arena::objectives::Aims;
use randori_arena::reactions::Reactions;
use randori_arena::stage::{Cast, Contest, Moment, Stage};
use randori_arena::style::Style;
use randori_interaction_graph::background::Policies;
use randori_interaction_graph::player::Looks;
use randori_interaction_graph::{Graph, Player};
use randori_motion::{ActionLibrary, Ground, Placement};

/// How long it goes on (frames).
const FRAMES: i32 = 20 * 60;

fn main() -> Result<(), Box<dyn Error>> {
    let mut files = std::env::args().skip(1);
    let (Some(library), Some(graph)) = (files.next(), files.next()) else {
        return Err("a library and its graph are needed: game_loop boxing.randori boxing.graph".into());
    };
    let library = Arc::new(ActionLibrary::from_bytes(&std::fs::read(library)?)?);
    let graph = Graph::from_bytes(&std::fs::read(graph)?)?;
    graph.check_library(&library)?;
    let policies = Arc::new(Policies::of(Arc::new(graph), Arc::clone(&library)));
    let mut bout = opposite(&library, &policies)?;

    let mut slowest = Duration::ZERO;
    for frame in 1..=FRAMES {
        let started = Instant::now();
        while let Pause::Decision(who) = bout.advance(frame) {
            bout.decide(who);
        }
        // The first frames have the policy made; a game does that behind a loading screen.
        if frame > 60 {
            slowest = slowest.max(started.elapsed());
        }
        // Here a game draws `bout.moment`, and waits for the next frame.
    }
    let landed = bout.happenings.iter().filter(|it| matches!(it, Happening::Landed(_))).count();
    println!("{} decisions, {landed} blows that met something", bout.happenings.len() - landed);
    println!("the slowest of {FRAMES} frames took {:.3} ms of 16.7", 1e3 * slowest.as_secs_f64());
    Ok(())
}

/// Two who stand opposite each other, 1.4 m apart.
fn opposite(library: &Arc<ActionLibrary>, policies: &Arc<Policies>) -> Result<Bout, Box<dyn Error>> {
    let (bodies, reactions) =
        (Arc::new(Bodies::of(Arc::clone(library))), Arc::new(Reactions::of(Arc::clone(library))));
    let cast = |side: u8| Cast {
        bodies: Arc::clone(&bodies),
        reactions: Some(Arc::clone(&reactions)),
        side,
        poise: policies.graph().about().poise,
    };
    let stage = Stage { cast: vec![cast(0), cast(1)], contest: Contest::Fight };
    let idle = library.ids().find(|id| library.action(*id).annotation.name() == "idle");
    let idle = idle.ok_or("nobody waits in this library")?;
    let place =
        |z: f32, heading: f32| Some((idle, Rigid::of(Placement { position: Ground { x: 0.0, z }, heading })));
    let moment = Moment::opening(&stage, 0, &[place(-0.7, 0.0), place(0.7, std::f32::consts::PI)]);
    let table = Arc::new(Table::of_known_words());
    let style = Style::preset("general-boxer").ok_or("no such style")?;
    // One goes by the table alone, which takes a microsecond; the other looks closer.
    let player = |looks: Looks| {
        let mut player = Player::new(policies, 5);
        player.looks = looks;
        Box::new(player) as Box<dyn Controller>
    };
    Ok(Bout::new(
        stage,
        moment,
        vec![Aims::of(style, 1, &table), Aims::of(style, 0, &table)],
        vec![player(Looks::Table), player(Looks::Thrice)],
        vec![0, 1],
    ))
}
