//! The `randori` command.
fn main() {}
