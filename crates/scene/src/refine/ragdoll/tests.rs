//! Somebody who stands, or walks, and is struck.

use std::sync::Arc;

use randori_motion::math::angle_between;
use randori_motion::{Bone, Build, Clip, FrameRate};

use super::*;

/// Somebody on guard for two seconds: arms bent, knees soft, feet apart.
fn standing() -> Character {
    let body = Arc::new(Build::AVERAGE.body());
    let skeleton = &body.skeleton;
    let mut pose = skeleton.rest_pose();
    let mut turn = |bone: Bone, turn: Quat| {
        if let Some(id) = skeleton.bone(bone) {
            pose.rotations[id.idx()] = turn;
        }
    };
    turn(Bone::LeftUpperArm, Quat::from_rotation_z(-1.2));
    turn(Bone::RightUpperArm, Quat::from_rotation_z(1.2));
    turn(Bone::LeftLowerArm, Quat::from_rotation_y(-1.0));
    turn(Bone::RightLowerArm, Quat::from_rotation_y(1.0));
    for (leg, knee, foot) in [
        (Bone::LeftUpperLeg, Bone::LeftLowerLeg, Bone::LeftFoot),
        (Bone::RightUpperLeg, Bone::RightLowerLeg, Bone::RightFoot),
    ] {
        turn(leg, Quat::from_rotation_x(-0.25));
        turn(knee, Quat::from_rotation_x(0.5));
        turn(foot, Quat::from_rotation_x(-0.25));
    }
    let globals = skeleton.global_pose(pose.view());
    let ankle = globals.positions[skeleton.bone(Bone::LeftFoot).unwrap().idx()].y;
    pose.translations[0].y -= ankle - 0.044 * Build::AVERAGE.height;
    let clip = Clip::from_poses("stand", Arc::clone(skeleton), FrameRate::HOUSE, vec![pose; 120]).unwrap();
    Character { name: "ann".into(), color: [0.5; 3], body, enter: 0.0, clip }
}

struct Blow {
    bone: Bone,
    impulse: Vec3,
}

/// What becomes of somebody who is struck at half a second.
fn deviations(character: &Character, blows: &[Blow]) -> Option<Vec<Deviation>> {
    let model = Model::of(&character.body).unwrap();
    let guide = Guide::new(character, 30..90, &down(character));
    let pushes: Vec<Push> = (blows.iter())
        .map(|blow| {
            let segment = model.with(blow.bone).unwrap();
            let (piece, _) = model.segments[segment].pieces[0];
            let point = guide.states[0].point(piece.joint, 0.5 * (piece.a + piece.b));
            Push { step: 0, segment, point, impulse: blow.impulse }
        })
        .collect();
    Doll::new(&model, &guide, &[]).perform(&pushes)
}

fn struck(character: &Character, blow: Blow) -> Response {
    let model = Model::of(&character.body).unwrap();
    let mut take = Take::new("blow", 1);
    take.characters.push(character.clone());
    let globals = character.clip.skeleton().global_pose(character.clip.frame(30));
    let at = globals.positions[character.clip.skeleton().bone(blow.bone).unwrap().idx()];
    let collision = Collision {
        t: 0.5,
        whom: 0,
        by: By::Character(0, None),
        bone: blow.bone,
        point: at,
        impulse: blow.impulse,
    };
    respond(&take, (&model, &Figure::of(character)), (&[&collision], &[]), &down(character), 0.9).unwrap()
}

fn place(character: &Character, pose: &Pose, bone: Bone) -> Vec3 {
    let skeleton = character.clip.skeleton();
    skeleton.global_pose(pose.view()).positions[skeleton.bone(bone).unwrap().idx()]
}

#[test]
fn whoever_is_not_touched_follows_the_motion() {
    let found = deviations(&standing(), &[]).unwrap();
    let farthest = found.iter().map(|it| it.farthest).fold(0.0, f32::max);
    assert!(farthest < 1e-3, "{farthest}");
}

#[test]
fn a_blow_throws_the_body_its_way_and_the_body_comes_back() {
    let ann = standing();
    for way in [Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z] {
        for bone in [Bone::Head, Bone::UpperChest, Bone::Hips] {
            let response = struck(&ann, Blow { bone, impulse: 15.0 * way });
            let still = ann.clip.frame(0).to_pose();
            let off = |pose: &Pose| place(&ann, pose, bone) - place(&ann, &still, bone);
            let farthest = response.poses.iter().map(&off).max_by(|a, b| a.length().total_cmp(&b.length()));
            let farthest = farthest.unwrap();
            assert!(
                farthest.dot(way) > 0.7 * farthest.length() && farthest.length() > 0.004,
                "{bone:?} {farthest}"
            );
            let last = response.poses.last().unwrap();
            let wrong = last.rotations.iter().zip(&still.rotations).map(|(a, b)| angle_between(*a, *b));
            assert!(wrong.fold(0.0, f32::max) < 0.5_f32.to_radians());
            let feet = [Bone::LeftFoot, Bone::RightFoot, Bone::LeftToes, Bone::RightToes];
            for pose in &response.poses {
                for foot in feet {
                    let moved = place(&ann, pose, foot).distance(place(&ann, &still, foot));
                    assert!(moved < 2e-3, "{foot:?} {moved}");
                }
            }
        }
    }
}

#[test]
fn the_body_is_back_before_it_is_blended_out() {
    let found = deviations(&standing(), &[Blow { bone: Bone::Head, impulse: Vec3::NEG_Z * 15.0 }]).unwrap();
    let turned = |at: usize| {
        let turns = found[at].turns.iter().map(|turn| angle_between(*turn, Quat::IDENTITY));
        turns.fold(0.0, f32::max).to_degrees()
    };
    let most = (0..found.len()).map(turned).fold(0.0, f32::max);
    assert!(most > 10.0, "{most}");
    assert!(turned(54) < 5.0, "{}", turned(54));
}

#[test]
fn harder_blows_throw_farther_and_no_energy_comes_from_nowhere() {
    let ann = standing();
    let mut before = 0.0;
    for impulse in [2.0, 5.0, 10.0, 20.0] {
        let found = deviations(&ann, &[Blow { bone: Bone::Head, impulse: Vec3::NEG_Z * impulse }]).unwrap();
        let farthest = found.iter().map(|it| it.farthest).fold(0.0, f32::max);
        let peak = found.iter().map(|it| it.energy).fold(0.0, f64::max);
        assert!(farthest > 1.2 * before, "{impulse} N s: {farthest} m after {before} m");
        // An impulse gives a segment at most J² / 2m, the head being the lightest that is near.
        let model = Model::of(&ann.body).unwrap();
        let mass = model.segments[model.with(Bone::Head).unwrap()].mass();
        assert!(peak < f64::from(impulse * impulse / (2.0 * mass)), "{impulse} N s: {peak} J");
        assert!(found.last().unwrap().energy < 0.02 * peak, "{found:?}");
        before = farthest;
    }
}

#[test]
fn no_blow_is_too_hard() {
    let ann = standing();
    for impulse in [1e3, 1e6, 1e12] {
        for bone in [Bone::Head, Bone::LeftHand, Bone::RightFoot, Bone::Hips] {
            for way in [Vec3::X, Vec3::Y, Vec3::NEG_Y, Vec3::new(0.6, 0.0, -0.8)] {
                let response = struck(&ann, Blow { bone, impulse: impulse * way });
                assert!(response.farthest < 1.5, "{bone:?} {impulse} {}", response.farthest);
                for pose in &response.poses {
                    let globals = ann.clip.skeleton().global_pose(pose.view());
                    assert!(globals.positions.iter().all(|it| it.is_finite() && it.y > -0.05));
                }
            }
        }
    }
}
