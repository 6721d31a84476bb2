//! How fast the analyser is, as a multiple of real time on one core.
//!
//! `cargo bench -p randori-motion --bench analyse`

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use randori_motion::analyse::{Discipline, Settings, analyse};
use randori_motion::math::Quat;
use randori_motion::{Bone, Build, Clip, FrameRate};

/// Somebody who steps on the spot and strikes with both hands in turn.
fn boxer(seconds: u32, fps: u32) -> Clip {
    let skeleton = Arc::new(Build::AVERAGE.skeleton());
    let poses = (0..seconds * fps).map(|frame| {
        let t = frame as f32 / fps as f32;
        let mut pose = skeleton.rest_pose();
        let mut turn = |bone: Bone, rotation: Quat| {
            if let Some(id) = skeleton.bone(bone) {
                pose.rotations[id.idx()] = rotation;
            }
        };
        for (sign, arm, fore_arm, leg, shin) in [
            (1.0, Bone::LeftUpperArm, Bone::LeftLowerArm, Bone::LeftUpperLeg, Bone::LeftLowerLeg),
            (-1.0, Bone::RightUpperArm, Bone::RightLowerArm, Bone::RightUpperLeg, Bone::RightLowerLeg),
        ] {
            let blow = libm::powf(0.5 + 0.5 * sign * libm::sinf(4.0 * t), 8.0);
            turn(arm, Quat::from_rotation_y(-sign * (0.4 + blow)) * Quat::from_rotation_z(-0.8 * sign));
            turn(fore_arm, Quat::from_rotation_y(-2.0 * sign * (1.0 - blow)));
            let lift = (sign * libm::sinf(6.0 * t)).max(0.0);
            turn(leg, Quat::from_rotation_x(-0.3 * lift));
            turn(shin, Quat::from_rotation_x(0.6 * lift));
        }
        pose
    });
    let rate = FrameRate::new(fps, 1).expect("a rate");
    Clip::from_poses("boxer", Arc::clone(&skeleton), rate, poses).expect("finite numbers")
}

/// Elements per second are seconds of motion per second: times real time.
fn times_real_time(c: &mut Criterion) {
    const SECONDS: u32 = 60;
    let mut group = c.benchmark_group("analyse, times real time");
    group.throughput(Throughput::Elements(u64::from(SECONDS))).sample_size(20);
    for fps in [60, 120] {
        let clip = boxer(SECONDS, fps);
        let settings = Settings::of(Discipline::Boxing);
        group.bench_function(format!("{fps} poses per second"), |b| {
            b.iter(|| analyse(black_box(&clip), &settings))
        });
    }
    group.finish();
}

criterion_group!(benches, times_real_time);
criterion_main!(benches);
