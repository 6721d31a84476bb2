//! What is left of an action, as far as it matters to whoever faces it.
//!
//! Reference: \[Shum2008b\], section 5.2, where states are alike if M_b is equal and F_b nearly so.
//! Differs from the paper: a library holds dozens of every blow, so M_b counts as equal if what is left of it is of the
//! same manner: a blow that can still land is of the manner of its annotation, anything else of its kind; both end in
//! the same posture. F_b is counted from the end.

use std::collections::BTreeMap;

use randori_arena::bodies::Bodies;
use randori_motion::ActionId;
use randori_motion::annotation::Kind;

/// How everything that the actions of a library come to is told apart.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Manners {
    /// One for each action.
    pub(crate) actions: Vec<Manner>,
    /// How many manners there are.
    pub(crate) n: u32,
}

/// How an action is seen by whoever faces it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Manner {
    /// Its manner as long as it can land; the other one if it never can.
    pub(crate) threat: u16,
    /// Its manner when it cannot.
    pub(crate) harmless: u16,
    /// Until when it can (ticks).
    pub(crate) until: u16,
    /// How long it is (ticks).
    pub(crate) length: u16,
}

impl Manners {
    /// Of a library.
    pub(crate) fn of(bodies: &Bodies) -> Manners {
        let library = bodies.library();
        // Whoever gets up is to be told from whoever stands.
        let lying: Vec<u32> = (library.ids().filter(|id| bodies.of_action(*id).is_fall))
            .map(|id| library.action(id).to.0)
            .collect();
        let mut numbers: BTreeMap<(&str, u32), u16> = BTreeMap::new();
        let mut number = |name, node| {
            let next = numbers.len() as u16;
            *numbers.entry((name, node)).or_insert(next)
        };
        let actions = library.ids().map(|id| {
            let (action, its) = (library.action(id), bodies.of_action(id));
            let sort = match its.kind {
                _ if lying.contains(&action.from.0) => "rising",
                Kind::Attack => "recovery",
                Kind::Defence => "defence",
                Kind::Transition => "transition",
                Kind::Reaction => "reaction",
            };
            let harmless = number(sort, action.to.0);
            let strikes = its.window[0] < its.window[1];
            Manner {
                threat: if strikes { number(action.annotation.name(), action.to.0) } else { harmless },
                harmless,
                until: if strikes { (its.window[1] - its.first) as u16 } else { 0 },
                length: its.length() as u16,
            }
        });
        Manners { actions: actions.collect(), n: numbers.len() as u32 }
    }

    /// The manner of what is left after so many ticks, and how long that is (ticks).
    pub(crate) fn rest(&self, action: ActionId, frame: u16, is_spent: bool) -> (u16, u16) {
        let its = self.actions[action.0 as usize];
        let manner = if frame < its.until && !is_spent { its.threat } else { its.harmless };
        (manner, its.length.saturating_sub(frame))
    }
}
