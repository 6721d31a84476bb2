//! Two who change their style while they fight: how soon it shows in how far apart they are.

use randori_arena::bout::{Bout, Pause};
use randori_arena::style::Style;

use super::{Contender, Ring};
use crate::screenplay::Controller;

/// How long both fight before they change (ticks): they first have to find their distance.
const BEFORE: i32 = 600;
/// Over how long the distance is averaged (ticks).
pub const WINDOW: i32 = 300;

/// The mean distance of both in the [`WINDOW`] before they change from one style to another, in the one that begins with the
/// change, and in the one after that (m).
pub fn switch(ring: &Ring, controller: &Controller, [from, to]: [Style; 2], seed: u64) -> [f64; 3] {
    let contender = |side: u8| Contender { controller: controller.clone(), style: from, side };
    let mut bout = ring.bout(&[contender(0), contender(1)], seed);
    play(&mut bout, BEFORE - WINDOW);
    let before = play(&mut bout, BEFORE);
    for aims in &mut bout.aims {
        aims.style = to;
    }
    [before, play(&mut bout, BEFORE + WINDOW), play(&mut bout, BEFORE + 2 * WINDOW)]
}

/// Plays on until a tick; the mean distance over all ticks up to it (m).
fn play(bout: &mut Bout, until: i32) -> f64 {
    let (mut sum, mut n) = (0.0, 0_u32);
    while bout.moment.tick < until {
        match bout.advance(bout.moment.tick + 1) {
            Pause::Decision(who) => bout.decide(who),
            Pause::Limit => {
                let place = |who: usize| bout.stage.position(&bout.moment, who, bout.moment.tick);
                sum += f64::from(place(0).distance(place(1)));
                n += 1;
            }
        }
    }
    sum / f64::from(n.max(1))
}
