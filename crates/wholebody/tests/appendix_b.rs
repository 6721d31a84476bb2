//! The four ways of appendix B: one succeeds, three fail each in its own way.

use randori_wholebody::appendix_b::{PushSettings, appendix_b};

#[test]
fn only_the_integrated_program_brings_object_2_to_its_place() {
    let settings = PushSettings::default();
    let report = appendix_b(&settings).expect("the objects are possible");
    let [one, two, three, four] = report.cases.as_slice() else { panic!("four cases") };
    assert!(one.success, "{one:?}");
    assert!((one.final_position - settings.goal).abs() < 1e-3, "{one:?}");
    assert!(one.max_thrust <= settings.thrust + 1e-6 && one.max_thrust > 0.99 * settings.thrust, "{one:?}");
    assert!(one.min_gap < 1e-3, "{one:?}");
    assert!(!two.success && two.final_position < 0.6 * settings.goal, "falls short: {two:?}");
    assert!(two.max_thrust <= settings.thrust + 1e-6 && two.min_gap < 1e-6, "{two:?}");
    assert!(!three.success && three.min_gap > 0.005, "never makes contact: {three:?}");
    assert!((three.max_thrust - settings.thrust).abs() < 1e-6, "at its limit: {three:?}");
    assert!(!four.success && four.max_thrust > 2.0 * settings.thrust, "violates the limit: {four:?}");
    assert!((four.final_position - settings.goal).abs() < 1e-3, "{four:?}");
}
