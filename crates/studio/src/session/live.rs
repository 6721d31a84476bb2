//! What becomes of orders while a bout or a scenario is under way.

use axum::body::Bytes;
use serde_json::Value;

use super::{Order, Session, Work};
use crate::bodies::{self, Heard, Onlookers};
use crate::game::{Audience, Input};
use crate::protocol::{Ask, Tell};

impl Audience<Order> for Session {
    fn sort(&mut self, order: Order) -> Input<Order> {
        match order {
            Order::Ask(_, Ask::Key { key, down }) => Input::Key(key, down),
            Order::Ask(id, Ask::Rival { depth, style }) => {
                let changed = self.rival.as_ref().map(|rival| rival.changed(depth, &style));
                match changed {
                    Some(Ok(rival)) => {
                        self.rival = Some(rival.clone());
                        Input::Rival(rival)
                    }
                    Some(Err(words)) => {
                        self.tell_one(id, &Tell::error(words));
                        Input::Nothing
                    }
                    None => Input::Nothing,
                }
            }
            Order::Ask(_, Ask::End) => Input::Other(Order::Work(0, Work::Played)),
            Order::Ask(id, ask) if ends_live(&ask) => Input::Other(Order::Ask(id, ask)),
            Order::Ask(id, _) => {
                self.tell_one(id, &Tell::error("this is not for a bout; end it first"));
                Input::Nothing
            }
            Order::Drop(..) => Input::Other(order),
            Order::Join(..) => {
                self.handle(order);
                Input::Nothing
            }
            Order::Leave(..) => {
                self.handle(order);
                if self.viewers.is_empty() {
                    Input::Other(Order::Work(0, Work::Played))
                } else {
                    Input::Nothing
                }
            }
            Order::Work(..) => Input::Nothing,
        }
    }

    fn show(&mut self, frame: Vec<u8>) {
        let frame: Bytes = frame.into();
        for outbox in self.viewers.values() {
            outbox.show(0, frame.clone());
        }
    }

    fn tell_people(&mut self, take: Value) {
        self.live = Some(take.clone());
        self.tell(&Tell::Scene(Value::Null));
        self.tell(&Tell::Take(take));
    }

    fn tell_score(&mut self, score: Value) {
        self.tell(&Tell::Score(score));
    }
}

/// Whether something is asked that ends a bout or a scenario.
fn ends_live(ask: &Ask) -> bool {
    matches!(
        ask,
        Ask::Open { .. }
            | Ask::OpenFile { .. }
            | Ask::Match { .. }
            | Ask::Bodies { .. }
            | Ask::Wits { .. }
            | Ask::Hero { .. }
    )
}

impl Onlookers<Order> for Session {
    fn sort(&mut self, order: Order) -> Heard<Order> {
        match order {
            Order::Ask(id, Ask::Input { name, value }) => match bodies::setting(&value) {
                Ok(value) => Heard::Set(name, value),
                Err(words) => {
                    self.tell_one(id, &Tell::error(words));
                    Heard::Nothing
                }
            },
            // All else is as in a bout, without the player.
            order => match Audience::sort(self, order) {
                Input::Other(order) => Heard::Other(order),
                Input::Key(..) | Input::Rival(_) | Input::Nothing => Heard::Nothing,
            },
        }
    }

    fn show(&mut self, frame: Vec<u8>) {
        Audience::show(self, frame);
    }

    fn tell_take(&mut self, take: Value) {
        self.tell_people(take);
    }

    fn tell_state(&mut self, state: Value) {
        self.tell(&Tell::Bodies(state));
    }

    fn complain(&mut self, words: String) {
        self.tell(&Tell::error(words));
    }
}
