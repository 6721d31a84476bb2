//! How fast poses are computed: forward kinematics, inverse kinematics, retargeting.
//!
//! `cargo bench -p randori-motion --bench motion`

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use randori_motion::ik::{Goal, LimbGoal, Settings as IkSettings, Solver};
use randori_motion::math::{Quat, Vec3};
use randori_motion::retarget::{Settings, retarget};
use randori_motion::{Bone, Build, Clip, FrameRate, GlobalPose, Skeleton};

/// Ten seconds of somebody who marches and swings the arms.
fn march(skeleton: &Arc<Skeleton>) -> Clip {
    let poses = (0..1200).map(|frame| {
        let t = frame as f32 / 120.0;
        let mut pose = skeleton.rest_pose();
        let swing = libm::sinf(6.0 * t);
        let mut turn = |bone: Bone, angle: f32| {
            if let Some(id) = skeleton.bone(bone) {
                pose.rotations[id.idx()] = Quat::from_rotation_x(angle);
            }
        };
        for (bone, sign) in [(Bone::LeftUpperLeg, 1.0), (Bone::RightUpperLeg, -1.0)] {
            turn(bone, 0.4 * sign * swing - 0.2);
        }
        for (bone, sign) in [(Bone::LeftLowerLeg, 1.0), (Bone::RightLowerLeg, -1.0)] {
            turn(bone, 0.4 + 0.3 * sign * swing);
        }
        pose.translations[0].z += t;
        pose
    });
    let rate = FrameRate::new(120, 1).expect("a rate");
    Clip::from_poses("march", Arc::clone(skeleton), rate, poses).expect("finite numbers")
}

fn forward_kinematics(c: &mut Criterion) {
    let clip = march(&Arc::new(Build::AVERAGE.skeleton()));
    let mut globals = GlobalPose::default();
    let mut group = c.benchmark_group("forward kinematics");
    group.throughput(Throughput::Elements(clip.n_frames() as u64));
    group.bench_function("poses", |b| {
        b.iter(|| {
            for pose in clip.frames() {
                clip.skeleton().globals_into(black_box(pose), &mut globals);
            }
            globals.positions[0]
        });
    });
    group.finish();
}

fn inverse_kinematics(c: &mut Criterion) {
    let joints = [Vec3::new(0.1, 0.9, 0.0), Vec3::new(0.1, 0.5, 0.1), Vec3::new(0.1, 0.1, 0.0)];
    let goal = LimbGoal { target: Vec3::new(0.2, 0.3, 0.2), softness: 0.02, ..LimbGoal::of(joints) };
    c.bench_function("two-bone", |b| b.iter(|| black_box(goal).solve()));

    let skeleton = Build::AVERAGE.skeleton();
    let goals = [(Bone::LeftHand, Vec3::new(0.3, 1.2, 0.4)), (Bone::RightFoot, Vec3::new(-0.1, 0.3, 0.3))]
        .map(|(bone, place)| Goal::position(skeleton.bone(bone).expect("the library has it"), place));
    let (mut solver, rest, settings) = (Solver::default(), skeleton.rest_pose(), IkSettings::default());
    c.bench_function("damped least squares, two goals from rest", |b| {
        b.iter(|| {
            let mut pose = rest.clone();
            solver.solve(&skeleton, black_box(&goals), &settings, &mut pose)
        });
    });
}

fn retargeting(c: &mut Criterion) {
    let clip = march(&Arc::new(Build::SLIM.skeleton()));
    let target = Arc::new(Build::STOCKY.skeleton());
    let mut group = c.benchmark_group("retarget");
    group.throughput(Throughput::Elements(clip.n_frames() as u64));
    group.bench_function("frames", |b| b.iter(|| retarget(black_box(&clip), &target, &Settings::default())));
    group.finish();
}

criterion_group!(benches, forward_kinematics, inverse_kinematics, retargeting);
criterion_main!(benches);
