//! How fast people on a stage plan.
#![allow(missing_docs, reason = "criterion's macros write undocumented functions")]
use criterion::{Criterion, criterion_group, criterion_main};
use randori_arena::bodies::Bodies;
#[path = "../../arena/tests/common/mod.rs"]
mod common;
fn x(_: &mut Criterion) {
    let _ = common::boxing_library([10.0, 10.0]);
    let _: Option<Bodies> = None;
}
criterion_group!(benches, x);
criterion_main!(benches);
