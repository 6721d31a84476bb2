//! The studio: see scenes, direct them, have them explained and play against them, in the browser.
//!
//! [`server`] answers on loopback with a page that is part of the program and a web socket for each viewer, whose
//! messages are [`protocol`]'s. Behind it are sessions, each in a thread of its own; what takes long they have done by
//! further threads. [`frames`] carry poses, [`figure`] says what people look like.
//!
//! What it refuses to do: it holds no algorithm, and opens nothing that its [`Supply`] does not bring. It is an edge:
//! clocks and threads end here, and nothing that is planned depends on them but what a person at the keys does.

mod bodies;
mod clock;
mod downloads;
mod edits;
pub mod figure;
mod film;
mod foresight;
pub mod frames;
mod game;
mod hero;
pub mod limits;
mod outbox;
mod page;
pub mod protocol;
mod rehearsal;
pub mod server;
mod session;
mod supply;
mod wits;

pub use server::{Settings, Studio, StudioError};
pub use supply::Supply;
