//! A step allocates nothing once it has run at its size.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod people;

use glam::DVec3;
use randori_wholebody::scenario::{Options, Scenario};
use randori_wholebody::scene::{Controller, Feature, Scene, Verdict};

#[test]
fn a_warm_step_allocates_nothing() {
    let mut scene = Scene::default();
    people::chain(&mut scene, 3);
    let center = scene.center_of(&[0]);
    let mut controller = Controller::default();
    let mut sway = |scene: &mut Scene, step: u32| {
        let shift = DVec3::new(0.02 * (0.05 * f64::from(step)).sin(), 0.0, 0.0);
        for task in &mut scene.tasks {
            if let Feature::CenterOfMass { subsystems, position } = &mut task.feature
                && subsystems.as_slice() == [0]
            {
                *position = center + shift;
            }
        }
        assert_eq!(controller.step(scene).verdict, Verdict::Solved);
    };
    (0..100).for_each(|step| sway(&mut scene, step));
    let counted = allocation_counter::measure(|| (100..200).for_each(|step| sway(&mut scene, step)));
    assert_eq!(counted.count_total, 0, "{counted:?}");
}

#[test]
fn a_scenario_in_one_phase_allocates_nothing() {
    for name in ["funambulist", "box"] {
        let mut scenario = Scenario::build(name, &Options { seed: 1, ..Options::default() }).unwrap();
        while !scenario.machine().is_interactive() || scenario.world().time < 4.0 {
            scenario.step();
        }
        (0..200).for_each(|_| assert_eq!(scenario.step().verdict, Verdict::Solved));
        let counted = allocation_counter::measure(|| {
            (0..50).for_each(|_| {
                scenario.step();
            });
        });
        assert_eq!(counted.count_total, 0, "{name}: {counted:?}");
    }
}
