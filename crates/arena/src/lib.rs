//! Several people in one world: what happens when they act at the same time.
//!
//! [`stage`] runs time from one decision to the next and tells what comes of an action, whoever asks: planners what would
//! happen, scenes what does. Below it: [`bodies`] lays out who is where in every frame, [`sweep`] tells when moving parts
//! meet, [`hits`] which blows land, [`reactions`] what they do to the struck, by [`particles`]. Above it: [`style`],
//! [`combination`] and [`objectives`] say what somebody is after, [`plausible`] what they would never do,
//! [`controller`] who decides, [`bout`] what happened, and [`record`](mod@record) how it looks.
//!
//! It knows no particular planner, opens no file, reads no clock and prints nothing.

pub mod bodies;
pub mod bout;
pub mod combination;
pub mod controller;
pub mod hits;
mod hulls;
pub mod objectives;
pub mod particles;
pub mod plausible;
pub mod reactions;
mod recoil;
pub mod record;
mod rigid;
pub mod stage;
pub mod style;
pub mod sweep;
mod words;
