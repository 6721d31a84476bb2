//! Blows on the built-in boxer: the reaction goes the way of the blow, and the struck body gives where it was struck.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use std::f32::consts::{FRAC_PI_2, PI};
use std::sync::{Arc, OnceLock};

use glam::Vec3;
use randori_actor::{Casting, Temperament, boxing, reactions};
use randori_arena::particles::shake;
use randori_arena::reactions::{Answer, Blow, Reactions};
use randori_motion::analyse::Discipline;
use randori_motion::annotation::Kind;
use randori_motion::library::Player;
use randori_motion::{Action, ActionId, ActionLibrary, Bone, Build, Pose, Side};

const CASTING: Casting =
    Casting { build: Build::AVERAGE, temperament: Temperament::Calm, seed: 1, seconds: 40.0 };

fn library(is_struck: bool) -> ActionLibrary {
    let struck = Casting { seconds: 100.0, ..CASTING };
    let takes = boxing(&CASTING).into_iter().map(|take| (take, Discipline::Boxing));
    let struck = if is_struck { reactions(&struck) } else { Vec::new() };
    common::library("boxer", takes.chain(struck.into_iter().map(|take| (take, Discipline::Reactions))))
}

fn boxer() -> &'static Reactions {
    static MADE: OnceLock<Reactions> = OnceLock::new();
    MADE.get_or_init(|| Reactions::of(Arc::new(library(true))))
}

/// A side that a blow comes from, and the way it goes relative to where the struck one looks (rad).
const SIDES: [(&str, f32); 4] = [("front", PI), ("left", -FRAC_PI_2), ("right", FRAC_PI_2), ("back", 0.0)];

/// Somebody struck in the middle of an action.
struct Struck {
    action: ActionId,
    /// Frames of the action that were shown.
    shown: u32,
    take: u32,
    frame: u32,
    blow: Blow,
    way: Vec3,
}

impl Struck {
    fn new(action: ActionId, shown: u32, bone: Bone, side: f32, impulse: f32) -> Struck {
        let library = boxer().library();
        let Action { take, frames, .. } = library.action(action);
        let (take, frame) = (*take, frames.start + shown);
        let taken = &library.takes()[take as usize];
        let heading =
            taken.placements[frame as usize].heading + library.baked(take).gaze(frame as usize) + side;
        let way = Vec3::new(libm::sinf(heading), 0.0, libm::cosf(heading));
        let skeleton = &library.body().skeleton;
        let globals = skeleton.global_pose(taken.clip.frame(frame as usize));
        let point = globals.positions[skeleton.bone(bone).unwrap().idx()] + Vec3::Y * 0.06 - way * 0.1;
        let blow = Blow { bone, point, velocity: way * (impulse / 2.5), mass: 2.5 };
        Struck { action, shown, take, frame, blow, way }
    }

    fn answer(&self, poise: f32) -> Answer {
        boxer().answer(self.take, self.frame, &self.blow, poise).unwrap()
    }

    /// What would be shown from the blow on, which feet stand, and what is shown.
    fn play(&self, answer: Answer, n_frames: usize) -> (Vec<Pose>, Vec<[bool; 2]>, Vec<Pose>) {
        let library = boxer().library();
        let action = library.action(self.action);
        let start = library.take_of(self.action).placements[action.frames.start as usize];
        let mut player = Player::new(library, self.action, start);
        for _ in 0..self.shown {
            player.step();
        }
        player.switch(answer.action, answer.skipped);
        let (standing, planned): (Vec<_>, Vec<_>) =
            (0..n_frames).map(|_| (player.standing(), player.step())).unzip();
        let shown = shake(library.body(), &planned, &standing, &self.blow);
        (planned, standing, shown)
    }
}

/// Actions that somebody on his feet chooses, each with a frame inside.
fn moments() -> Vec<(ActionId, u32)> {
    let library = boxer().library();
    let chosen = library.ids().filter(|id| library.action(*id).annotation.kind() != Kind::Reaction);
    chosen
        .map(|id| (id, library.action(id).n_frames() * (1 + id.0 % 4) / 5))
        .filter(|(id, shown)| hips(*id, *shown) > 0.6)
        .collect()
}

/// How high the hips are in a frame of an action (m).
fn hips(action: ActionId, shown: u32) -> f32 {
    let library = boxer().library();
    let frame = library.action(action).frames.start + shown;
    place(&library.take_of(action).clip.frame(frame as usize).to_pose(), Bone::Hips).y
}

fn place(pose: &Pose, bone: Bone) -> Vec3 {
    let skeleton = &boxer().library().body().skeleton;
    skeleton.global_pose(pose.view()).positions[skeleton.bone(bone).unwrap().idx()]
}

/// Where a part was on average over the first 0.4 s, relative to where it was struck, on the floor (m).
fn driven(shown: &[Pose], bone: Bone) -> Vec3 {
    let start = place(&shown[0], bone);
    let sum: Vec3 = shown[1..=24].iter().map(|pose| place(pose, bone) - start).sum();
    (sum / 24.0).with_y(0.0)
}

#[test]
fn the_struck_part_goes_the_way_of_the_blow() {
    let moments = moments();
    assert!(moments.len() > 60, "{}", moments.len());
    for bone in [Bone::Head, Bone::UpperChest, Bone::Spine] {
        for (name, side) in SIDES {
            let (mut n, mut agree, mut clearly) = (0.0_f32, 0.0, 0.0);
            for (k, (action, shown)) in moments.iter().enumerate().skip(1).step_by(3) {
                let struck = Struck::new(*action, *shown, bone, side, [8.0, 14.0, 22.0][k % 3]);
                let answer = struck.answer(f32::INFINITY);
                let gone = driven(&struck.play(answer, 40).2, bone);
                n += 1.0;
                agree += f32::from(gone.dot(struck.way) > 0.0);
                clearly += f32::from(gone.dot(struck.way) > 0.5 * gone.length());
            }
            println!(
                "{bone:?} {name}: {n} blows, {agree} driven with them, {clearly} within a sixth of a turn"
            );
            assert!(agree >= 0.95 * n && clearly >= 0.9 * n, "{bone:?} {name} {n} {agree} {clearly}");
        }
    }
}

#[test]
fn falls_go_the_way_of_the_blow_as_far_as_the_library_has_them() {
    for (name, side) in SIDES {
        let (mut n, mut agree) = (0.0_f32, 0.0);
        for (action, shown) in moments().into_iter().step_by(5) {
            let struck = Struck::new(action, shown, Bone::Head, side, 30.0);
            let answer = struck.answer(25.0);
            assert!(answer.falls);
            let gone = driven(&struck.play(answer, 40).2, Bone::Head);
            n += 1.0;
            agree += f32::from(gone.dot(struck.way) > 0.0);
        }
        println!("{name}: {n} falls, {agree} with the blow");
        assert!(agree >= 0.9 * n, "{name} {n} {agree}");
    }
}

#[test]
fn poise_decides_who_falls() {
    let library = boxer().library();
    for (k, (action, shown)) in moments().into_iter().enumerate() {
        let impulse = 2.0 + (k % 40) as f32;
        let struck = Struck::new(action, shown, [Bone::Head, Bone::Chest][k % 2], 0.4 * k as f32, impulse);
        for (poise, falls) in
            [(f32::INFINITY, false), (0.0, true), (impulse + 0.1, false), (impulse - 0.1, true)]
        {
            let answer = struck.answer(poise);
            assert_eq!(answer.falls, falls, "{poise} {impulse}");
            let reaction = library.action(answer.action);
            assert_eq!(reaction.annotation.name() == "knock-down", falls, "{}", reaction.name);
            assert_eq!(reaction.annotation.kind(), Kind::Reaction);
            assert!(answer.skipped < reaction.n_frames());
        }
    }
}

#[test]
fn answers_are_of_the_struck_part_and_of_the_blow() {
    let library = boxer().library();
    let is_guard = |id: &ActionId| library.action(*id).annotation.name() == "idle" && hips(*id, 1) > 0.6;
    let idle: Vec<ActionId> = library.ids().filter(is_guard).collect();
    // There is no word for a blow on the back of the head.
    for (bone, names) in [
        (Bone::Head, &["hit-head-front", "hit-head-left", "hit-head-right"][..]),
        (Bone::Spine, &["hit-torso-front", "hit-torso-left", "hit-torso-right", "hit-back"][..]),
    ] {
        for ((name, side), expected) in SIDES.into_iter().zip(names) {
            let named = idle.iter().filter(|id| {
                let struck = Struck::new(**id, 1, bone, side, 9.0);
                library.action(struck.answer(f32::INFINITY).action).annotation.name() == *expected
            });
            let share = named.count() as f32 / idle.len() as f32;
            println!("{bone:?} {name}: {expected} in {share} of {}", idle.len());
            assert!(share > 0.9, "{bone:?} {name} {share}");
        }
    }
}

/// How far the left foot is ahead of the right one, seen by the body (m).
fn lead(action: ActionId, shown: u32) -> f32 {
    let library = boxer().library();
    let frame = (library.action(action).frames.start + shown) as usize;
    let take = library.take_of(action);
    let pose = take.clip.frame(frame).to_pose();
    let [left, right] = [Bone::LeftToes, Bone::RightToes]
        .map(|bone| take.placements[frame].point_from_world(place(&pose, bone)).z);
    left - right
}

#[test]
fn the_same_foot_leads_before_and_after_a_blow() {
    let (mut n, mut same) = ([0.0_f32; 2], [0.0; 2]);
    for (k, (action, shown)) in moments().into_iter().enumerate() {
        let before = lead(action, shown);
        if before.abs() < 0.2 {
            continue;
        }
        let struck = Struck::new(action, shown, Bone::Head, SIDES[k % 4].1, 12.0);
        let answer = struck.answer(f32::INFINITY);
        let at = usize::from(before > 0.0);
        n[at] += 1.0;
        same[at] += f32::from(lead(answer.action, answer.skipped) * before > 0.0);
    }
    println!("right and left ahead {n:?}, still so {same:?}");
    assert!(n[0] > 10.0 && n[1] > 10.0 && same[0] > 0.8 * n[0] && same[1] > 0.8 * n[1], "{n:?} {same:?}");
}

#[test]
fn shaken_bodies_give_at_once_without_a_jump_and_keep_their_feet() {
    let skeleton = &boxer().library().body().skeleton;
    let ball = |side: Side| Bone::LeftToes.on(side);
    for (k, (action, shown)) in moments().into_iter().enumerate().step_by(4) {
        let bone = [Bone::Head, Bone::Spine, Bone::UpperChest, Bone::Hips, Bone::LeftLowerArm][k % 5];
        let (_, side) = SIDES[k / 4 % 4];
        let poise = if k % 3 == 0 { 0.0 } else { f32::INFINITY };
        let struck = Struck::new(action, shown, bone, side, 22.0);
        let (planned, standing, shown) = struck.play(struck.answer(poise), 36);
        assert_eq!(shown.len(), planned.len());
        assert_eq!((&shown[0], &shown[35]), (&planned[0], &planned[35]));
        let offset = |tick: usize| place(&shown[tick], bone) - place(&planned[tick], bone);
        let most = (1..=6).map(|tick| offset(tick).dot(struck.way)).fold(f32::MIN, f32::max);
        assert!(most > 0.008, "{k} {bone:?} {most}");
        for tick in 1..shown.len() {
            assert!(shown[tick].translations[0].is_finite());
            assert!(shown[tick].rotations.iter().all(|rotation| rotation.is_normalized()));
            let jump = (offset(tick) - offset(tick - 1)).length();
            assert!(jump < 0.08, "{k} {bone:?} {tick} {jump}");
            for side in Side::BOTH.into_iter().filter(|side| standing[tick][*side as usize]) {
                let slid = place(&shown[tick], ball(side)).distance(place(&planned[tick], ball(side)));
                let was_standing = standing[tick - 1][side as usize];
                assert!(slid < if was_standing { 0.004 } else { 0.02 }, "{k} {tick} {slid}");
            }
            let lowest = |pose: &Pose| {
                skeleton
                    .global_pose(pose.view())
                    .positions
                    .iter()
                    .map(|place| place.y)
                    .fold(f32::MAX, f32::min)
            };
            assert!(lowest(&shown[tick]) > lowest(&planned[tick]).min(0.0) - 0.005, "{k} {tick}");
        }
    }
}

#[test]
fn blows_that_are_none_change_nothing() {
    let (action, shown) = moments()[0];
    let struck = Struck::new(action, shown, Bone::Head, 0.0, 10.0);
    let (planned, standing, _) = struck.play(struck.answer(f32::INFINITY), 20);
    let body = boxer().library().body();
    for velocity in [Vec3::ZERO, Vec3::NAN, Vec3::INFINITY] {
        let nothing = Blow { velocity, ..struck.blow };
        assert_eq!(shake(body, &planned, &standing, &nothing), planned);
        assert!(boxer().answer(struck.take, struck.frame, &nothing, 1.0).is_some());
    }
    assert!(shake(body, &[], &[], &struck.blow).is_empty());
    assert_eq!(shake(body, &planned[..1], &[], &struck.blow), planned[..1]);
    // Without a word on feet they are in the air.
    let floating = shake(body, &planned, &[], &struck.blow);
    assert!(floating.iter().all(|pose| pose.translations[0].is_finite()));
}

#[test]
fn frames_that_are_not_there_have_no_answer() {
    let struck = Struck::new(moments()[0].0, 0, Bone::Head, 0.0, 10.0);
    let n_takes = boxer().library().takes().len() as u32;
    for (take, frame) in [(n_takes, 0), (u32::MAX, 0), (0, u32::MAX)] {
        assert_eq!(boxer().answer(take, frame, &struck.blow, 10.0), None);
    }
    let n_frames = boxer().library().takes()[0].clip.n_frames() as u32;
    assert!(boxer().answer(0, n_frames - 1, &struck.blow, 10.0).is_some());
    assert_eq!(boxer().answer(0, n_frames, &struck.blow, 10.0), None);
}

#[test]
fn who_lies_has_fallen_already() {
    let library = boxer().library();
    let mut n_lying = 0;
    for id in library.ids().filter(|id| hips(*id, 1) < 0.4) {
        n_lying += 1;
        let struck = Struck::new(id, 1, Bone::Head, 0.0, 10.0);
        for poise in [0.0, f32::INFINITY] {
            assert_eq!(boxer().answer(struck.take, struck.frame, &struck.blow, poise), None);
        }
    }
    assert!(n_lying > 5, "{n_lying}");
}

#[test]
fn nobody_reacts_without_reactions() {
    let reactions = Reactions::of(Arc::new(library(false)));
    let struck = Struck::new(moments()[0].0, 0, Bone::Head, 0.0, 10.0);
    assert_eq!(reactions.answer(0, 10, &struck.blow, f32::INFINITY), None);
    assert_eq!(reactions.answer(0, 10, &struck.blow, 0.0), None);
}

/// Questions of many kinds, some of them asked more than once.
fn questions() -> impl Iterator<Item = (u32, u32, Blow, f32)> {
    (0..3000_u32).map(|k| {
        let angle = 0.37 * (k % 160) as f32;
        let velocity = Vec3::new(libm::sinf(angle), 0.3 * libm::cosf(3.0 * angle), libm::cosf(angle));
        let bone = [Bone::Head, Bone::Chest, Bone::LeftHand, Bone::RightLowerLeg][k as usize % 4];
        let blow = Blow { bone, point: Vec3::Y, velocity: velocity * (1.0 + (k % 9) as f32), mass: 2.5 };
        (k % 3, (k * 7) % 500, blow, if k % 5 == 0 { 5.0 } else { 40.0 })
    })
}

#[test]
fn answers_do_not_depend_on_who_asked_before() {
    let library = boxer().library();
    let alone: Vec<Option<Answer>> = {
        let reactions = Reactions::of(Arc::clone(library));
        questions().map(|(take, frame, blow, poise)| reactions.answer(take, frame, &blow, poise)).collect()
    };
    let shared = Reactions::of(Arc::clone(library));
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (shared, alone) = (&shared, &alone);
            scope.spawn(move || {
                let all: Vec<_> = questions().collect();
                for k in 0..all.len() {
                    // Each thread in another order.
                    let at = (k * [1, 7, 11, 13][thread] + 500 * thread) % all.len();
                    let (take, frame, blow, poise) = all[at];
                    assert_eq!(shared.answer(take, frame, &blow, poise), alone[at], "{at}");
                }
            });
        }
    });
}
