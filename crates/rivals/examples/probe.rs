#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout, clippy::disallowed_methods)]
use randori_actor::{tag_agent, tag_opponent};
use randori_motion::Build;
use randori_motion::parametric::{Graph, LookAhead};
use randori_rivals::*;
use randori_rivals::decide::Manner;
use std::time::Instant;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let t = Instant::now();
    let graphs = [tag_agent(Build::AVERAGE), tag_opponent(Build::AVERAGE)].map(|it| Graph::new(&it).unwrap());
    let sides = graphs.map(|graph| Repertoire::new(graph, LookAhead::default()));
    let game = Game::tag(sides, Default::default());
    println!("graphs {:?}", t.elapsed());
    for (k, side) in game.sides.iter().enumerate() {
        for id in side.graph.ids() { let mut m = Vec::new(); side.moves(side.graph.start(id), &mut Default::default(), &mut m); println!("{k} {} {:.2}s {}", side.graph.node(id).name, side.graph.node(id).seconds(0.0), m.len()); }
    }
    let size = learn::Size::of_name(&args[1], &game).unwrap();
    let clock = move || t.elapsed().as_secs_f64();
    let host = randori_equilibrium::lspi::Host { clock: &clock, ..Default::default() };
    let (values, lesson) = learn::learn(&game, &size, 1, host, &mut |step| {
        match step { learn::Step::Level(l) => println!("{:?} {l:?}", t.elapsed()), learn::Step::Sweep(p) => println!("{:?} sweep {} {}", t.elapsed(), p.sweep, p.residual) }
        randori_equilibrium::lspi::Control::Continue
    }).unwrap();
    println!("{:?} {lesson:?}", t.elapsed());
    let settings = contest::ContestSettings { rounds: 200, decisions: 24, seed: 1 };
    for second in [Manner::Greedy, Manner::RandomGreedy, Manner::RewardOnly, Manner::OnlyLeft] {
        println!("{:?}", contest::play_off(&game, &values, [Manner::Optimal, second], &settings));
    }
    println!("{:?}", contest::play_off(&game, &values, [Manner::Adaptive, Manner::OnlyLeft], &settings));
    for nodes in [["run-on-left", "run-on-right"], ["walk-on-left", "walk-on-right"], ["quick-step-on-left", "run-on-left"]] {
        for heading in [0.0, 0.8, -0.8] {
            let map = map::Map::of(&game, &values, nodes, heading, 40, 7.0);
            println!("{nodes:?} {heading} near {:.4} mid {:.4} far {:.4}", map.mean(0.0..1.5), map.mean(1.5..5.0), map.mean(5.0..9.0));
        }
    }
    println!("{:?}", t.elapsed());
}
