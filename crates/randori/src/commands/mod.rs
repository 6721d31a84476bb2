//! One module per command: its arguments, the library calls, its report.

pub(crate) mod body;
pub(crate) mod capture;
pub(crate) mod check;
pub(crate) mod demo;
pub(crate) mod game;
pub(crate) mod graph;
pub(crate) mod library;
pub(crate) mod match_;
pub(crate) mod patches;
pub(crate) mod render;
pub(crate) mod reproduce;
pub(crate) mod rivals;
pub(crate) mod run;
pub(crate) mod shell;
pub(crate) mod studio;
