//! Playing: who wins, what commands do, what a change of style does, and what it costs.

mod common;

use std::sync::Arc;

use common::{POISE, aims, fight, policies, ring};
use randori_arena::bout::{Bout, Happening, Pause};
use randori_arena::controller::{Controller, Random, Situation, Still};
use randori_arena::hits::Part;
use randori_arena::style::Style;
use randori_interaction_graph::Player;
use randori_interaction_graph::player::{Command, Roulette};
use randori_motion::ActionId;

fn bout(style: &str, apart: f32, controllers: [Box<dyn Controller>; 2]) -> Bout {
    let stage = fight(&[0, 1], POISE);
    let moment = ring(&stage, 0.5 * apart);
    Bout::new(stage, moment, vec![aims(style, 1), aims(style, 0)], controllers.into(), vec![0, 1])
}

fn play(bout: &mut Bout, until: i32) {
    while let Pause::Decision(who) = bout.advance(until) {
        bout.decide(who);
    }
}

fn hits(bout: &Bout) -> [usize; 2] {
    [0, 1].map(|who| {
        let own = |happening: &&Happening| {
            matches!(happening, Happening::Landed(it) if it.who == who && it.hit.part() != Part::Limb)
        };
        bout.happenings.iter().filter(own).count()
    })
}

#[test]
fn whoever_looks_up_beats_whoever_does_anything() {
    let mut sums = [0; 2];
    for seed in 0..3 {
        let player = Player::new(policies(), 5);
        let mut bout = bout("general-boxer", 1.2, [Box::new(player), Box::new(Random::new(seed))]);
        play(&mut bout, 1200);
        let [own, other] = hits(&bout);
        sums = [sums[0] + own, sums[1] + other];
    }
    assert!(sums[0] > 2 * sums[1] && sums[0] > 10, "{sums:?}");
}

#[test]
fn the_same_fight_comes_out_again() {
    let fight = || {
        let players = [5, 3].map(|depth| Box::new(Player::new(policies(), depth)) as Box<dyn Controller>);
        let mut bout = bout("general-boxer", 1.4, players);
        play(&mut bout, 600);
        // A change of style is made ready on another thread, and takes effect at the same tick every time.
        bout.aims[0].style = Style::preset("outboxer").unwrap();
        play(&mut bout, 1200);
        bout.tracks
    };
    let first = fight();
    assert!((0..3).all(|_| fight() == first));
}

#[test]
fn commands_are_obeyed() {
    for (command, word) in [
        (Command::Punch, "jab straight hook uppercut"),
        (Command::Back, "step-back"),
        (Command::Dodge, "slip duck sway"),
    ] {
        let mut player = Player::new(policies(), 3);
        player.command = Some(command);
        let mut bout = bout("general-boxer", 0.9, [Box::new(player), Box::new(Still)]);
        play(&mut bout, 300);
        let library = Arc::clone(bout.stage.cast[0].bodies.library());
        let is_asked = |id: &ActionId| {
            let name = library.action(*id).annotation.name();
            word.split(' ').any(|part| name.contains(part))
        };
        let done = &bout.aims[0].done;
        let n = done.iter().filter(|id| is_asked(id)).count();
        assert!(2 * n > done.len(), "{command:?}: {n} of {}", done.len());
    }
}

#[test]
fn chance_varies_what_is_done() {
    let done = |seed: u64| {
        let mut player = Player::new(policies(), 3);
        player.roulette = Some(Roulette::new(seed, 2e5));
        let mut bout = bout("general-boxer", 1.0, [Box::new(player), Box::new(Still)]);
        play(&mut bout, 600);
        bout.aims[0].done.clone()
    };
    assert_eq!(done(1), done(1));
    assert_ne!(done(1), done(2));
}

#[test]
fn free_movement_leads_into_the_graph() {
    let player = Player::new(policies(), 3);
    let mut bout = bout("general-boxer", 5.5, [Box::new(player), Box::new(Still)]);
    play(&mut bout, 1500);
    let place = |who: usize| bout.stage.position(&bout.moment, who, bout.moment.tick);
    assert!(place(0).distance(place(1)) < 1.6, "{}", place(0).distance(place(1)));
}

#[test]
fn a_decision_allocates_nothing() {
    let players = [5, 5].map(|depth| Box::new(Player::new(policies(), depth)) as Box<dyn Controller>);
    let mut bout = bout("general-boxer", 1.2, players);
    let mut own = Player::new(policies(), 5);
    let mut n = 0;
    while let Pause::Decision(who) = bout.advance(900) {
        let situation =
            Situation { stage: &bout.stage, moment: &bout.moment, aims: &bout.aims, who, explain: false };
        // The first one has the policy made.
        own.decide(&situation);
        let counted = allocation_counter::measure(|| {
            std::hint::black_box(own.decide(&situation));
        });
        assert_eq!(counted.count_total, 0, "{counted:?}");
        n += 1;
        bout.decide(who);
    }
    assert!(n > 20, "{n}");
    let [found, asked] = own.lookups;
    assert!(2 * found > asked, "{found} of {asked}");
}
