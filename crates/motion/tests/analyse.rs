//! The analyser on captured boxing, on made-up motion, and on what nobody should give it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::sync::Arc;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use randori_motion::analyse::score::Score;
use randori_motion::analyse::{
    AnalyseError, Analysis, Discipline, Settings, Warning, analyse, analyse_labelled, labels,
    placement_of_pose, valid_ranges,
};
use randori_motion::formats::{ImportOptions, bvh};
use randori_motion::math::{Quat, Vec3};
use randori_motion::{Bone, Build, Clip, FrameRate, Joint, JointId, Kind, Skeleton, names};
use randori_testkit::{shared, toys};

/// A captured take of 120 frames per second from its first captured row on; `None`, loudly, if it is absent.
fn captured(name: &str) -> Option<Clip> {
    let path = shared::path(&format!("data/cmu/bvh/{name}.bvh"))?;
    #[expect(clippy::disallowed_methods, reason = "tests read the captures")]
    let bytes = std::fs::read(path).unwrap();
    let options = ImportOptions { rate: FrameRate::new(120, 1), ..ImportOptions::default() };
    let import = bvh::import(name, &bytes, &options).unwrap();
    let clip = import.clip.slice(1 - import.source.frames_skipped..import.clip.n_frames()).unwrap();
    let (skeleton, _) = names::assign_bones(clip.skeleton()).unwrap();
    clip.with_skeleton(Arc::new(skeleton))
}

const DISCIPLINES: [Discipline; 5] = [
    Discipline::Boxing,
    Discipline::Running,
    Discipline::Reactions,
    Discipline::Carrying,
    Discipline::General,
];

/// What holds for every analysis that found something.
fn check_sound(clip: &Clip, analysis: &Analysis) {
    let mut end = 0;
    for segment in &analysis.segments {
        assert_eq!(segment.frames.start, end, "{}: gap or overlap", clip.name);
        assert!(!segment.frames.is_empty());
        end = segment.frames.end;
        assert!(segment.peak.is_none_or(|peak| segment.frames.contains(&peak)), "{segment:?}");
        assert!((0.0..=1.0).contains(&segment.confidence));
        let is_attack = segment.annotation.kind() == Kind::Attack;
        assert_eq!(segment.windows.len(), usize::from(is_attack), "{segment:?}");
        for window in &segment.windows {
            assert!(!window.frames.is_empty() && window.frames.start >= segment.frames.start);
            assert!(window.frames.end <= segment.frames.end, "{segment:?}");
            assert!(window.speed.is_finite() && window.reach.is_finite() && window.point.is_finite());
        }
    }
    assert!(analysis.segments.is_empty() || end == clip.n_frames());
}

fn boxing(clip: &Clip) -> Analysis {
    let analysis = analyse(clip, &Settings::of(Discipline::Boxing)).unwrap();
    check_sound(clip, &analysis);
    analysis
}

#[test]
fn captured_boxers_are_cut_into_actions() {
    for name in ["13_17", "13_18", "14_02", "14_03"] {
        let Some(clip) = captured(name) else { return };
        let analysis = boxing(&clip);
        let (n, seconds) = (analysis.segments.len() as f64, clip.duration());
        let longest = analysis.segments.iter().map(|segment| segment.frames.len()).max().unwrap();
        let longest = longest as f64 / clip.rate().fps();
        println!("{name}: {n} actions, {:.0} a minute, longest {longest:.2} s", n * 60.0 / seconds);
        assert!(n >= 20.0 && n * 60.0 / seconds > 40.0 && n * 60.0 / seconds < 100.0, "{name}");
        assert!(longest < 2.0, "{name}");
        for window in analysis.segments.iter().flat_map(|segment| &segment.windows) {
            assert!((1.5..12.0).contains(&window.speed) && (0.2..1.1).contains(&window.reach), "{window:?}");
        }
    }
}

fn labels_of_13_18() -> Option<Vec<labels::Label>> {
    let path = shared::path("data/cmu/labels_13_18.csv")?;
    #[expect(clippy::disallowed_methods, reason = "tests read the labels")]
    let text = std::fs::read_to_string(path).unwrap();
    Some(labels::read(&text).unwrap())
}

#[test]
fn strokes_agree_with_labels_made_by_hand() {
    let (Some(clip), Some(labels)) = (captured("13_18"), labels_of_13_18()) else { return };
    let score_at = |fps: u32| {
        let clip = clip.resampled(FrameRate::new(fps, 1).unwrap());
        let score = Score::of(&boxing(&clip).segments, clip.rate().fps(), &labels);
        println!("13_18 at {fps}: {score:?}");
        score
    };
    for fps in [120, 60] {
        let score = score_at(fps);
        assert!(score.attack_f1 >= 0.9, "{score:?}");
        assert!(score.boundary_f1 >= 0.9, "{score:?}");
        assert!(score.label_accuracy >= 0.9, "{score:?}");
    }
}

#[test]
fn corrected_labels_replace_what_was_found() {
    let (Some(clip), Some(labels)) = (captured("13_18"), labels_of_13_18()) else { return };
    let settings = Settings::of(Discipline::Boxing);
    let fps = clip.rate().fps();
    // Labels made by hand: every stroke is there with its name.
    let by_hand = analyse_labelled(&clip, &settings, &labels).unwrap();
    check_sound(&clip, &by_hand);
    let score = Score::of(&by_hand.segments, fps, &labels);
    assert_eq!((score.boundary_f1, score.label_accuracy, score.attack_f1), (1.0, 1.0, 1.0), "{score:?}");
    // What was found, written and read back, is found again.
    let found = boxing(&clip);
    let text = labels::write(&labels::of_segments(&found.segments, fps));
    let again = analyse_labelled(&clip, &settings, &labels::read(&text).unwrap()).unwrap();
    assert_eq!(found.segments.len(), again.segments.len());
    for (one, other) in found.segments.iter().zip(&again.segments) {
        assert_eq!((&one.frames, &one.annotation, one.peak), (&other.frames, &other.annotation, other.peak));
        assert_eq!((&one.windows, &one.targets), (&other.windows, &other.targets));
    }
    let late = labels::Label { start: 99.0, end: 100.0, peak: None, ..labels[0].clone() };
    let error = analyse_labelled(&clip, &settings, &[late]).unwrap_err();
    assert_eq!(error.to_string(), "clip \"13_18\" lasts 24.99 s, but a label starts at 99.00 s");
}

#[test]
fn attacks_are_valid_in_front_and_near() {
    let Some(clip) = captured("14_02") else { return };
    let ranges = valid_ranges(&boxing(&clip).segments, clip.rate().fps());
    assert!(ranges.windows(2).all(|pair| pair[0].0 < pair[1].0));
    for (annotation, range) in &ranges {
        for span in [&range.distance, &range.own_angle, &range.other_angle, &range.delay] {
            assert!(span.start < span.end, "{annotation}: {range:?}");
        }
        if annotation.kind() == Kind::Attack {
            assert!(range.distance.end < 1.5 && range.own_angle.end < 1.0, "{annotation}: {range:?}");
        }
    }
}

/// A figure that stands, with changes.
fn standing(n_frames: usize, change: impl Fn(f32, &Skeleton, &mut randori_motion::Pose)) -> Clip {
    let skeleton = Arc::new(Build::AVERAGE.skeleton());
    let poses = (0..n_frames).map(|frame| {
        let mut pose = skeleton.rest_pose();
        change(frame as f32 / 60.0, &skeleton, &mut pose);
        pose
    });
    Clip::from_poses("figure", Arc::clone(&skeleton), FrameRate::HOUSE, poses).unwrap()
}

#[test]
fn nothing_to_see_gives_a_warning() {
    let statue = standing(120, |_, _, _| {});
    let analysis = analyse(&statue, &Settings::default()).unwrap();
    assert_eq!((analysis.segments.len(), analysis.warnings), (0, vec![Warning::Still]));
    for n_frames in [1, 2, 5] {
        let analysis = analyse(&standing(n_frames, |_, _, _| {}), &Settings::default()).unwrap();
        assert_eq!((analysis.segments.len(), analysis.warnings), (0, vec![Warning::TooShort { n_frames }]));
        let labelled =
            analyse_labelled(&standing(n_frames, |_, _, _| {}), &Settings::default(), &[]).unwrap();
        assert!(labelled.segments.is_empty());
    }
}

#[test]
fn upside_down_and_footless_people_are_refused() {
    let hanging = standing(120, |t, _, pose| {
        pose.rotations[0] = Quat::from_rotation_z(std::f32::consts::PI);
        pose.translations[0].z += 0.1 * t;
    });
    let error = analyse(&hanging, &Settings::default()).unwrap_err();
    assert_eq!(error, AnalyseError::UpsideDown { clip: "figure".to_owned() });

    let joints = vec![
        Joint::new("hips", None, Vec3::Y).with_bone(Bone::Hips),
        Joint::new("head", Some(JointId(0)), Vec3::Y * 0.6).with_bone(Bone::Head),
    ];
    let skeleton = Arc::new(Skeleton::new(joints).unwrap());
    let footless =
        Clip::from_poses("bust", Arc::clone(&skeleton), FrameRate::HOUSE, vec![skeleton.rest_pose(); 90])
            .unwrap();
    let error = analyse(&footless, &Settings::default()).unwrap_err().to_string();
    assert!(error.contains("leftFoot") && error.contains("rightFoot") && error.contains("bust"), "{error}");

    let settings = Settings { merge_above: f32::NAN, ..Settings::default() };
    let error = analyse(&standing(90, |_, _, _| {}), &settings).unwrap_err().to_string();
    assert_eq!(error, "setting merge_above = NaN: expected 0 to 1000000000");
}

#[test]
fn any_poses_give_segments_that_cover_the_clip() {
    for seed in 0..30 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let skeleton = Arc::new(Build::AVERAGE.skeleton());
        let n_frames = rng.random_range(1..200);
        let scale = [0.0, 1e-3, 1.0, 1e3, 1e18][rng.random_range(0..5)];
        let rate = FrameRate::new([1, 24, 60, 240][rng.random_range(0..4)], 1).unwrap();
        let poses = (0..n_frames).map(|_| {
            let mut pose = skeleton.rest_pose();
            for rotation in &mut pose.rotations {
                let mut number = || rng.random_range(-1.0_f32..1.0);
                *rotation = Quat::from_xyzw(number(), number(), number(), 0.1 + number()).normalize();
            }
            pose.translations[0] = Vec3::splat(scale * rng.random_range(-1.0_f32..1.0));
            pose
        });
        let clip = Clip::from_poses("noise", Arc::clone(&skeleton), rate, poses).unwrap();
        for discipline in DISCIPLINES {
            match analyse(&clip, &Settings::of(discipline)) {
                Ok(analysis) => check_sound(&clip, &analysis),
                Err(error) => assert!(matches!(error, AnalyseError::UpsideDown { .. }), "{error}"),
            }
        }
        // Smoothly wriggling limbs, too.
        let wriggling = toys::wriggling(Arc::clone(&skeleton), seed, 90);
        if let Ok(analysis) = analyse(&wriggling, &Settings::default()) {
            check_sound(&wriggling, &analysis);
        }
    }
}

#[test]
fn placements_face_across_hips_and_shoulders() {
    let skeleton = Build::STOCKY.skeleton();
    for heading in [-3.0_f32, -0.4, 0.0, 1.2, 2.9] {
        let mut pose = skeleton.rest_pose();
        pose.translations[0] += Vec3::new(2.0, 0.3, -1.0);
        pose.rotations[0] = Quat::from_rotation_y(heading) * pose.rotations[0];
        let placement = placement_of_pose(&skeleton, pose.view());
        assert!((placement.heading - heading).abs() < 1e-4, "{placement:?}");
        let root = pose.translations[0];
        assert!((placement.position.x - root.x).abs() < 0.02 && (placement.position.z - root.z).abs() < 0.02);
    }
}

#[test]
fn bad_labels_are_refused_by_line() {
    let head = "start_s,end_s,peak_s,label,confidence,note\n";
    for (line, expected) in [
        ("x,1,0.5,left-jab,1,", "line 2: expected a start in seconds, found \"x\""),
        ("2,1,1.5,left-jab,1,", "line 2: expected an end in seconds, after the start, found \"1\""),
        (
            "0,1,3,left-jab,1,",
            "line 2: expected a peak in seconds, between start and end, or nothing, found \"3\"",
        ),
        (
            "0,1,,Left Jab,1,",
            "line 2: expected a label of lower-case letters, digits and hyphens, found \"Left Jab\"",
        ),
        ("0,1,,left-jab,7,", "line 2: expected a confidence from 0 to 1, or nothing, found \"7\""),
        ("0,1,left-jab", "line 2: expected six fields, found \"0,1,left-jab\""),
        (
            "0,1,,left-jab,1,\"open",
            "line 2: expected fields with closed quotes, found \"0,1,,left-jab,1,\\\"open\"",
        ),
        ("nan,1,,left-jab,1,", "line 2: expected a start in seconds, found \"nan\""),
    ] {
        assert_eq!(labels::read(&format!("{head}{line}\n")).unwrap_err().to_string(), expected);
    }
    assert_eq!(labels::read(head).unwrap(), []);
    assert_eq!(labels::read("").unwrap_err().line, 1);
    let fine = labels::read(&format!("{head}\r\n0,1,,slip,,\"a \"\"b\"\", c\"\r\n")).unwrap();
    assert_eq!((fine[0].confidence, fine[0].note.as_str()), (1.0, "a \"b\", c"));
}

#[test]
fn captured_people_lift_and_put_down() {
    // Seen in the captures: when the hands are on the floor (s), and what is done then.
    let seen: [(&str, &[(f64, &str)]); 1] = [("69_70", &[(3.2, "lift"), (7.2, "put-down")])];
    for (name, moments) in seen {
        let Some(clip) = captured(name) else { return };
        let analysis = analyse(&clip, &Settings::of(Discipline::Carrying)).unwrap();
        check_sound(&clip, &analysis);
        for (time, stem) in moments {
            let frame = (time * clip.rate().fps()) as usize;
            let found = analysis.segments.iter().find(|segment| segment.frames.contains(&frame)).unwrap();
            assert_eq!(found.annotation.stem(), *stem, "{name} at {time} s: {found:?}");
            let peak = found.peak.unwrap() as f64 / clip.rate().fps();
            assert!((peak - time).abs() < 0.4, "{name}: {stem} at {peak} s");
        }
    }
}
