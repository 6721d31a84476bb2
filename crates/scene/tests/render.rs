//! The renderer shows what is there, where it is, and the same every time.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail as the tests themselves do")]

use std::sync::Arc;

use glam::Vec3;
use randori_motion::take::{Piece, Shape};
use randori_motion::{
    Body, Build, Character, Clip, Event, EventKind, FrameRate, Joint, JointId, Prop, Skeleton, Take,
};
use randori_scene::render::{Angle, Camera, Quality, RenderError, Renderer, Shot, Stage, Style, View};
use randori_testkit::toys;

const WIDTH: u32 = 320;
const HEIGHT: u32 = 240;
const ASPECT: f64 = 4.0 / 3.0;

fn ball(name: &str, color: [f32; 3], center: Vec3, radius: f32) -> Prop {
    let skeleton = Arc::new(Skeleton::new(vec![Joint::new("ball", None, center)]).unwrap());
    let poses = vec![skeleton.rest_pose()];
    let clip = Clip::from_poses(name, skeleton, FrameRate::HOUSE, poses).unwrap();
    let piece = Piece {
        joint: JointId::ROOT,
        center: Vec3::ZERO,
        rotation: glam::Quat::IDENTITY,
        shape: Shape::Ball { radius },
    };
    Prop { name: name.to_owned(), color, pieces: vec![piece], enter: 0.0, clip }
}

fn person(name: &str, clip: Clip, enter: f64) -> Character {
    let body = Arc::new(Body::of(Arc::clone(clip.skeleton()), 74.0, 1.0));
    Character { name: name.to_owned(), color: [0.05, 0.22, 0.62], body, enter, clip }
}

fn standing(name: &str, enter: f64, n_frames: usize) -> Character {
    let skeleton = Arc::new(Build::AVERAGE.skeleton());
    let poses = vec![skeleton.rest_pose(); n_frames];
    person(name, Clip::from_poses("stand", skeleton, FrameRate::HOUSE, poses).unwrap(), enter)
}

fn take_of(characters: Vec<Character>, props: Vec<Prop>) -> Take {
    Take { characters, props, ..Take::new("test", 0) }
}

const AHEAD: View = View { eye: Vec3::new(0.0, 1.0, 5.0), target: Vec3::new(0.0, 1.0, 0.0), fov: 0.6 };

fn draw(take: &Take, t: f64, view: &View, style: Style) -> Vec<u8> {
    let stage = Stage::new(take).unwrap();
    Renderer::new(WIDTH, HEIGHT, style).unwrap().draw(&stage, t, view).to_vec()
}

fn pixel(rgb: &[u8], x: u32, y: u32) -> [i32; 3] {
    let at = ((y * WIDTH + x) * 3) as usize;
    [0, 1, 2].map(|k| i32::from(rgb[at + k]))
}

fn is_red([r, g, _]: [i32; 3]) -> bool {
    r > g + 40
}

fn is_green([r, g, _]: [i32; 3]) -> bool {
    g > r + 40
}

#[test]
fn a_ball_covers_the_area_it_should() {
    let check = |quality: Quality, center: Vec3, tolerance: f32| {
        let radius = 0.4;
        let take = take_of(vec![], vec![ball("ball", [0.8, 0.02, 0.02], center, radius)]);
        let rgb = draw(&take, 0.0, &AHEAD, Style { quality, shadow: 0.0, ..Style::default() });
        let n_red = (0..WIDTH * HEIGHT).filter(|at| is_red(pixel(&rgb, at % WIDTH, at / WIDTH))).count();
        // The outline of a ball is where rays touch it: at the slope r / √(d² − r²).
        let distance = 5.0 - center.z;
        let focal = 0.5 * HEIGHT as f32 / 0.3f32.tan();
        let expected =
            std::f32::consts::PI * focal * focal * radius * radius / (distance * distance - radius * radius);
        assert!((n_red as f32 / expected - 1.0).abs() < tolerance, "{n_red} of {expected}");
        assert!(is_red(pixel(&rgb, WIDTH / 2, HEIGHT / 2)));
    };
    for quality in [Quality::Draft, Quality::Normal, Quality::Fine] {
        check(quality, Vec3::Y, 0.03);
        check(quality, Vec3::new(0.0, 1.0, 2.0), 0.03);
    }
}

#[test]
fn the_nearer_hides_the_farther_in_any_order() {
    let near = ball("near", [0.8, 0.02, 0.02], Vec3::new(0.0, 1.0, 1.0), 0.2);
    let far = ball("far", [0.02, 0.6, 0.02], Vec3::new(0.0, 1.0, -1.0), 0.6);
    for props in [vec![near.clone(), far.clone()], vec![far, near]] {
        let rgb = draw(&take_of(vec![], props), 0.0, &AHEAD, Style::default());
        assert!(is_red(pixel(&rgb, WIDTH / 2, HEIGHT / 2)));
        assert!(is_green(pixel(&rgb, WIDTH / 2 + 25, HEIGHT / 2)));
    }
}

#[test]
fn the_floor_hides_what_is_below_it() {
    let take = take_of(vec![], vec![ball("sunk", [0.8, 0.02, 0.02], Vec3::new(0.0, -1.0, 0.0), 0.5)]);
    let rgb = draw(&take, 0.0, &AHEAD, Style::default());
    assert!((0..WIDTH * HEIGHT).all(|at| !is_red(pixel(&rgb, at % WIDTH, at / WIDTH))));
}

#[test]
fn a_symmetric_pose_has_a_symmetric_outline() {
    let take = take_of(vec![standing("a", 1.0, 1)], vec![]);
    let style = Style { shadow: 0.0, ..Style::default() };
    let (empty, seen) = (draw(&take, 0.0, &AHEAD, style), draw(&take, 1.0, &AHEAD, style));
    let drawn = |x: u32, y: u32| pixel(&empty, x, y) != pixel(&seen, x, y);
    let (mut n_drawn, mut n_odd) = (0, 0);
    for (x, y) in (0..HEIGHT).flat_map(|y| (0..WIDTH / 2).map(move |x| (x, y))) {
        n_drawn += usize::from(drawn(x, y));
        n_odd += usize::from(drawn(x, y) != drawn(WIDTH - 1 - x, y));
    }
    assert!(n_drawn > 1000, "{n_drawn}");
    assert!(n_odd * 50 < n_drawn, "{n_odd} of {n_drawn} pixels have no mirror image");
}

#[test]
fn characters_are_drawn_from_enter_to_exit_only() {
    let take = take_of(vec![standing("a", 1.0, 61), standing("late", 10.0, 1)], vec![]);
    let nobody = draw(&take, 5.0, &AHEAD, Style::default());
    for (t, seen) in [(0.0, false), (0.99, false), (1.0, true), (1.5, true), (2.0, true), (2.01, false)] {
        assert_eq!(draw(&take, t, &AHEAD, Style::default()) != nobody, seen, "{t}");
    }
}

#[test]
fn walls_before_people_are_cut_away_and_cars_are_not() {
    // Two metres from the eye, where the person would be hidden by either.
    let place = AHEAD.eye + 2.0 * (AHEAD.target - AHEAD.eye).normalize();
    let thing = |half: Vec3| {
        let mut prop = ball("thing", [0.3, 0.3, 0.3], place, 0.1);
        prop.pieces[0].shape = Shape::Box { half };
        prop
    };
    let draw_with = |props: Vec<Prop>| {
        let take = take_of(vec![standing("a", 0.0, 2)], props);
        draw(&take, 0.0, &AHEAD, Style { shadow: 0.0, ..Style::default() })
    };
    let open = draw_with(vec![]);
    let (wall, car) = (Vec3::new(4.0, 1.5, 0.15), Vec3::new(2.2, 0.8, 0.9));
    assert!(draw_with(vec![thing(wall)]) == open);
    assert!(draw_with(vec![thing(car)]) != open);
    let mut behind = thing(wall);
    behind.pieces[0].center = AHEAD.target - AHEAD.eye;
    assert!(draw_with(vec![behind]) != open);
}

#[test]
fn frames_do_not_depend_on_those_before() {
    let take = take_of(vec![person("a", toys::wriggling_person(1, 60), 0.0), standing("b", 0.5, 10)], vec![]);
    let stage = Stage::new(&take).unwrap();
    let shot = Shot::new(&take, &Camera::default(), ASPECT).unwrap();
    let style = Style { names: true, clock: true, ..Style::default() };
    let mut used = Renderer::new(WIDTH, HEIGHT, style).unwrap();
    for t in [0.9, 0.0, 0.55, 0.3] {
        let fresh = Renderer::new(WIDTH, HEIGHT, style).unwrap().draw(&stage, t, &shot.view(t)).to_vec();
        assert!(used.draw(&stage, t, &shot.view(t)) == fresh, "{t}");
    }
}

/// The farthest of all joints from the middle of the picture, where 1 is its edge.
fn farthest_out(take: &Take, shot: &Shot, t: f64) -> f32 {
    let view = shot.view(t);
    let forward = (view.target - view.eye).normalize();
    let right = forward.cross(Vec3::Y).normalize();
    let up = right.cross(forward);
    let slope = (0.5 * view.fov).tan();
    let mut farthest = 0.0f32;
    for character in &take.characters {
        let pose = character.clip.sample(t - character.enter);
        for position in character.body.skeleton.global_pose(pose.view()).positions {
            let off = position - view.eye;
            let depth = off.dot(forward);
            assert!(depth > 0.0);
            let across = (off.dot(right) / depth / slope / ASPECT as f32).abs();
            farthest = farthest.max(across).max((off.dot(up) / depth / slope).abs());
        }
    }
    farthest
}

#[test]
fn cameras_keep_everybody_in_the_picture() {
    let people = [1, 2, 3].map(|seed| person(&seed.to_string(), toys::wriggling_person(seed, 300), 0.0));
    let take = take_of(people.to_vec(), vec![]);
    for angle in
        [Angle::default(), Angle { heading: 2.5, pitch: 1.2, ..Angle::default() }, Angle::across(&take)]
    {
        for camera in
            [Camera::Whole(angle), Camera::Follow(angle), Camera::Moment(angle), Camera::Steady(angle)]
        {
            let shot = Shot::new(&take, &camera, ASPECT).unwrap();
            for frame in 0..300 {
                let out = farthest_out(&take, &shot, FrameRate::HOUSE.time_of(frame));
                assert!(out < 1.0, "{camera:?}, frame {frame}: {out}");
            }
        }
    }
}

#[test]
fn the_follow_camera_moves_smoothly() {
    let take = take_of(vec![person("a", toys::wriggling_person(4, 600), 0.0)], vec![]);
    let shot = Shot::new(&take, &Camera::default(), ASPECT).unwrap();
    let eye = |frame: usize| shot.view(FrameRate::HOUSE.time_of(frame)).eye;
    for frame in 1..599 {
        // Metres per frame, squared: 0.004 is 0.24 m/s more or less from one frame to the next.
        let jerk = (eye(frame + 1) - 2.0 * eye(frame) + eye(frame - 1)).length();
        assert!(jerk < 0.004, "frame {frame}: {jerk}");
    }
}

#[test]
fn a_shot_turns_to_another_camera_at_a_cut() {
    let take = take_of(vec![person("a", toys::wriggling_person(4, 600), 0.0)], vec![]);
    let shot = |camera: &Camera| Shot::new(&take, camera, ASPECT).unwrap();
    let [follow, whole, fixed] = [Camera::default(), Camera::Whole(Angle::default()), Camera::Fixed(AHEAD)]
        .map(|camera| shot(&camera));
    let film = follow.clone().cut(2.0, whole.clone()).cut(5.0, fixed.clone());
    for (t, expected) in
        [(0.0, &follow), (1.99, &follow), (2.0, &whole), (4.9, &whole), (5.0, &fixed), (9.0, &fixed)]
    {
        assert_eq!(film.view(t), expected.view(t), "at {t} s");
    }
    assert_ne!(follow.view(2.0), whole.view(2.0));
}

#[test]
fn two_people_are_seen_from_the_side() {
    let mut take = take_of(vec![standing("a", 0.0, 2), standing("b", 0.0, 2)], vec![]);
    for (direction, expected) in [(Vec3::Z, 1.32), (Vec3::X, -0.25), (Vec3::new(1.0, 0.0, 1.0), 2.106)] {
        let far = take.characters[0].clip.map_poses(|_, pose| pose.translations[0] += direction).unwrap();
        take.characters[1].clip = far;
        let heading = Angle::across(&take).heading;
        assert!((heading - expected).abs() < 0.01, "{direction}: {heading}");
    }
}

#[test]
fn blows_are_shown_where_they_land() {
    let mut take = take_of(vec![standing("a", 0.0, 120)], vec![]);
    let plain = draw(&take, 1.0, &AHEAD, Style::default());
    let mut hit = Event::new(0.95, EventKind::Hit);
    (hit.who, hit.part) = (Some("a".to_owned()), Some("leftHand".to_owned()));
    take.events.push(hit);
    let shown = draw(&take, 1.0, &AHEAD, Style::default());
    let changed: Vec<u32> = (0..WIDTH * HEIGHT)
        .filter(|at| pixel(&plain, at % WIDTH, at / WIDTH) != pixel(&shown, at % WIDTH, at / WIDTH))
        .collect();
    assert!(changed.len() > 30);
    // Its own left is on the right of a picture from the front.
    assert!(changed.iter().all(|at| at % WIDTH > WIDTH / 2));
    assert_eq!(draw(&take, 0.9, &AHEAD, Style::default()), plain);
    assert_eq!(draw(&take, 1.5, &AHEAD, Style::default()), plain);
}

#[test]
fn odd_views_are_drawn_without_complaint() {
    let take = take_of(vec![standing("a", 0.0, 1)], vec![ball("b", [1.0; 3], Vec3::X, 0.3)]);
    for (eye, target) in [
        (Vec3::new(0.0, 1.2, 0.0), Vec3::new(0.0, 1.2, -1.0)),
        (Vec3::new(0.1, 0.9, 0.05), Vec3::new(1.0, 0.0, 0.0)),
        (Vec3::new(0.0, 8.0, 0.0), Vec3::ZERO),
        (Vec3::new(0.0, -3.0, 0.0), Vec3::ZERO),
        (Vec3::new(0.0, -1.0, 4.0), Vec3::Y),
        (Vec3::splat(1e6), Vec3::ZERO),
        (Vec3::new(0.0, 0.0, 3.0), Vec3::ZERO),
    ] {
        for fov in [0.01, 0.6, 2.8] {
            let view = View { eye, target, fov };
            assert_eq!(Camera::Fixed(view).validate(), Ok(()));
            draw(&take, 0.0, &view, Style { names: true, ..Style::default() });
        }
    }
}

#[test]
fn bodies_beyond_reason_are_drawn_without_complaint() {
    for far in [1e4, 1e9, 1e30, f32::MAX] {
        let mut take = take_of(vec![standing("a", 0.0, 1)], vec![]);
        let away =
            |_: usize, pose: &mut randori_motion::Pose| pose.translations[0] = Vec3::new(far, 0.0, far);
        take.characters[0].clip = take.characters[0].clip.map_poses(away).unwrap();
        for camera in [Camera::default(), Camera::Moment(Angle::default()), Camera::Steady(Angle::default())]
        {
            let view = Shot::new(&take, &camera, ASPECT).unwrap().view(0.0);
            assert!(view.eye.is_finite());
            draw(&take, 0.0, &view, Style::default());
        }
    }
}

#[test]
fn bad_options_are_refused() {
    let size = |width, height| Renderer::new(width, height, Style::default()).unwrap_err();
    for (width, height) in [(0, 0), (0, 10), (10, 0), (1_000_000, 1_000_000), (8192, 8192), (u32::MAX, 1)] {
        assert!(matches!(size(width, height), RenderError::Size { .. }), "{width} x {height}");
    }
    for style in [
        Style { grid: f32::NAN, ..Style::default() },
        Style { shadow: -1.0, ..Style::default() },
        Style { sky: [0.0, f32::INFINITY, 0.0], ..Style::default() },
    ] {
        assert!(matches!(Renderer::new(8, 8, style), Err(RenderError::Style { .. })));
    }
    let take = take_of(vec![standing("a", 0.0, 1)], vec![]);
    for camera in [
        Camera::Fixed(View { eye: Vec3::NAN, ..AHEAD }),
        Camera::Fixed(View { target: AHEAD.eye, ..AHEAD }),
        Camera::Fixed(View { fov: 0.0, ..AHEAD }),
        Camera::Fixed(View { fov: f32::NAN, ..AHEAD }),
        Camera::Fixed(View { eye: Vec3::splat(1e30), ..AHEAD }),
        Camera::Follow(Angle { heading: f32::NAN, ..Angle::default() }),
        Camera::Whole(Angle { pitch: 2.0, ..Angle::default() }),
        Camera::Moment(Angle { margin: 0.5, ..Angle::default() }),
        Camera::Steady(Angle { fov: 3.2, ..Angle::default() }),
    ] {
        assert!(matches!(Shot::new(&take, &camera, ASPECT), Err(RenderError::Camera { .. })), "{camera:?}");
    }
    assert!(Shot::new(&take, &Camera::default(), f64::NAN).is_err());
    let late = take_of(vec![standing("a", 1e300, 1)], vec![]);
    assert_eq!(Shot::new(&late, &Camera::default(), ASPECT).unwrap_err(), RenderError::TooLong(1e300));
    assert!(matches!(Stage::new(&Take::new("empty", 0)), Err(RenderError::Take(_))));
}
