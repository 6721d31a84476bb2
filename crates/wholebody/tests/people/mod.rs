//! People who stand, alone or hand in hand.

use std::sync::Arc;

use randori_wholebody::humanoid;
use randori_wholebody::scene::{ContactArea, Feature, Scene, Subsystem, Task};

/// Adds `n` people in a row, each standing on both feet with posture and balance tasks; answers the first.
#[allow(dead_code, reason = "each test and bench uses what it needs")]
pub(crate) fn row(scene: &mut Scene, n: usize) -> usize {
    let model = Arc::new(humanoid::person());
    let first = scene.subsystems.len();
    for idx in 0..n {
        let person = scene.add(Subsystem::new(format!("person {idx}"), Arc::clone(&model)));
        let q = &mut scene.subsystems[person].q;
        for (joint, value) in [("thigh_x", -0.3), ("shank_x", 0.6), ("foot_x", -0.3), ("upper_arm_z", 0.0)] {
            for side in ["left", "right"] {
                let joint = model.joint(&format!("{side}_{joint}")).expect("the built-in person has it");
                q[model.joints[joint.idx()].q_start] = value;
            }
        }
        q[0] = 0.8 * idx as f64;
        let sole = scene.place(person, "left_sole").expect("the built-in person has it");
        let height = scene.pose_of(sole).translation.y;
        scene.subsystems[person].q[1] -= height;
        for sole in ["left_sole", "right_sole"] {
            let place = scene.place(person, sole).expect("the built-in person has it");
            let pose = scene.pose_of(place);
            let area = ContactArea::Planar { half: [0.04, 0.1] };
            let contact = scene.contact_here(format!("{sole} {idx}"), place, None, pose, area, 0.7);
            scene.contacts.push(contact);
        }
        let q = scene.subsystems[person].q.clone();
        scene.tasks.push(Task::new("posture", Feature::Posture { subsystem: person, q }, 1.0, 20.0));
        let position = scene.center_of(&[person]);
        let feature = Feature::CenterOfMass { subsystems: vec![person], position };
        scene.tasks.push(Task::new("balance", feature, 50.0, 20.0));
    }
    first
}

/// The same, each holding the next one's right hand with the left.
#[allow(dead_code, reason = "each test and bench uses what it needs")]
pub(crate) fn chain(scene: &mut Scene, n: usize) {
    let first = row(scene, n);
    for idx in first..(first + n).saturating_sub(1) {
        let left = scene.place(idx, "left_grip").expect("the built-in person has it");
        let right = scene.place(idx + 1, "right_grip").expect("the built-in person has it");
        let pose = scene.pose_of(left);
        let area = ContactArea::Grasp { radius: 0.02, half_length: 0.03 };
        let contact = scene.contact_here(format!("hands {idx}"), left, Some(right), pose, area, 0.7);
        scene.contacts.push(contact);
    }
}
