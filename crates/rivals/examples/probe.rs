#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout, clippy::disallowed_methods)]
use randori_actor::{tag_agent, tag_opponent};
use randori_motion::Build;
use randori_motion::parametric::{Graph, LookAhead};
use randori_rivals::decide::Manner;
use randori_rivals::*;
use std::time::Instant;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let t = Instant::now();
    let graphs = [tag_agent(Build::AVERAGE), tag_opponent(Build::AVERAGE)].map(|it| Graph::new(&it).unwrap());
    let [a, b] = graphs;
    let sides = [a.slowed(0.92), b].map(|graph| Repertoire::new(graph, LookAhead::default()));
    let mut rules = tag::TagRules::default();
    if let Some(x) = args.get(2) {
        let v: Vec<f64> = x.split(',').map(|x| x.parse().unwrap()).collect();
        rules.apart = v[0];
        rules.hands = v[1];
        rules.reach = v[2];
        rules.dodged = v[3];
        rules.idle = v[4];
    }
    let game = Game::tag(sides, rules);
    println!("graphs {:?}", t.elapsed());
    if args.get(3).is_some() {
        let graph = Graph::new(&randori_actor::sword_duel(Build::AVERAGE)).unwrap();
        for id in graph.ids() {
            let n = graph.node(id);
            print!("{} {:.2}s {} | ", n.name, n.seconds(0.0), graph.edges(id).len());
        }
        println!();
        let game =
            Game::sword([graph.clone(), graph].map(|graph| Repertoire::new(graph, LookAhead::default())));
        probe(&game, &args[1]);
        return;
    }
    probe(&game, &args[1]);
}
fn probe(game: &Game, size: &str) {
    let t = Instant::now();
    let size = learn::Size::of_name(size, game).unwrap();
    let clock = move || t.elapsed().as_secs_f64();
    let host = randori_equilibrium::lspi::Host { clock: &clock, ..Default::default() };
    let (values, lesson) = learn::learn(game, &size, 1, host, None, &mut |step| {
        match step {
            learn::Step::Level(l) => println!("{:?} {l:?}", t.elapsed()),
            learn::Step::Sweep(p) => println!("{:?} sweep {} {}", t.elapsed(), p.sweep, p.residual),
        }
        randori_equilibrium::lspi::Control::Continue
    })
    .unwrap();
    println!("{:?} {lesson:?}", t.elapsed());
    let settings = contest::ContestSettings { rounds: 200, decisions: 24, seed: 1 };
    for second in [Manner::Greedy, Manner::RandomGreedy, Manner::RewardOnly, Manner::OnlyLeft] {
        println!("{:?}", contest::play_off(game, &values, [Manner::Optimal, second], &settings));
    }
    println!("{:?}", contest::play_off(game, &values, [Manner::Adaptive, Manner::OnlyLeft], &settings));
    for m in [Manner::Optimal, Manner::Greedy, Manner::RandomGreedy, Manner::RewardOnly] {
        println!("exploited {m:?} {:?} {:?}", contest::exploited(game, &values, m, &settings), t.elapsed());
    }
    println!("residual {}", values.residual(game, 2000, 5));
    for m in [Manner::Optimal, Manner::Greedy] {
        println!(
            "{:?}",
            behaviour::Behaviour::of(
                game,
                &contest::rounds(
                    game,
                    &values,
                    [m; 2],
                    &contest::ContestSettings { decisions: 48, ..settings }
                )
            )
        );
    }
    if let Rules::Sword(_) = game.rules {
        return;
    }
    for nodes in [
        ["run-on-left", "run-on-right"],
        ["walk-on-left", "walk-on-right"],
        ["quick-step-on-left", "run-on-left"],
    ] {
        for heading in [0.0, 0.8, -0.8] {
            let map = map::Map::of(game, &values, nodes, heading, 40, 7.0);
            println!(
                "{nodes:?} {heading} near {:.4} mid {:.4} far {:.4}",
                map.mean(0.0..1.5),
                map.mean(1.5..5.0),
                map.mean(5.0..9.0)
            );
        }
    }
    println!("{:?}", t.elapsed());
}
