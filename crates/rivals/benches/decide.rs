//! How long an entry of a payoff matrix takes, and a decision.
//!
//! `cargo bench -p randori-rivals --bench decide`

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rand::SeedableRng;
use randori_actor::{sword_duel, tag_agent, tag_opponent};
use randori_equilibrium::basis::SparseRow;
use randori_equilibrium::lspi::{Control, Host};
use randori_motion::Build;
use randori_motion::parametric::{Graph, LookAhead};
use randori_rivals::round::start;
use randori_rivals::{Choices, Game, Manner, Mind, Repertoire, Role, Size, learn};

fn games() -> [Game; 2] {
    let graph = |recipe| Graph::new(&recipe).expect("sound");
    let repertoire = |graph| Repertoire::new(graph, LookAhead::default());
    let tag = [tag_agent(Build::AVERAGE), tag_opponent(Build::AVERAGE)].map(graph).map(repertoire);
    let duel = graph(sword_duel(Build::AVERAGE));
    [Game::tag(tag, Default::default()), Game::sword([duel.clone(), duel].map(repertoire))]
}

fn deciding(c: &mut Criterion) {
    for game in games() {
        let learned = learn(&game, &Size::small(&game), 1, Host::default(), None, &mut |_| Control::Continue);
        let (values, _) = learned.expect("sound");
        let mut group = c.benchmark_group(game.name());
        let situations: Vec<_> = (0..64).map(|seed| start(&game, seed)).collect();
        let mut choices = Choices::default();
        game.choices(&situations[0], &mut choices);
        let [agent, opponent] = choices.moves.clone();
        group.throughput(Throughput::Elements((agent.len() * opponent.len()) as u64));
        let mut scratch = SparseRow::default();
        group.bench_function("entries of a matrix", |b| {
            b.iter(|| {
                let mut sum = 0.0;
                for mine in &agent {
                    for theirs in &opponent {
                        let outcome = game.outcome(black_box(situations[0].relation), mine, theirs);
                        sum += outcome.reward;
                        sum += values.value(&game, outcome.relation, outcome.ends, &mut scratch);
                    }
                }
                sum
            });
        });
        group.throughput(Throughput::Elements(situations.len() as u64));
        let mut mind = Mind::new(&game, &values, Manner::Optimal, Role::Agent);
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        group.bench_function("decisions", |b| {
            b.iter(|| {
                for situation in &situations {
                    game.choices(situation, &mut choices);
                    mind.decide(situation, &choices);
                    black_box(mind.draw(&mut rng));
                }
            });
        });
        group.finish();
    }
}

criterion_group!(benches, deciding);
criterion_main!(benches);
