//! Takes out: files, pictures and the linter.

pub mod mannequin;
pub mod render;
