//! Contacts and retargeting on captured takes.

use std::sync::Arc;

use randori_motion::contacts::{ContactSettings, Contacts};
use randori_motion::formats::{ImportOptions, bvh};
use randori_motion::math::Vec3;
use randori_motion::retarget::{Report, Settings, fitted_skeleton, retarget};
use randori_motion::tracks::Tracks;
use randori_motion::{Bone, Build, Clip, FrameRate, Skeleton, names};
use randori_testkit::shared;

/// A captured take at its true rate, from its first captured row on, with roles.
fn load(name: &str, fps: u32, first_row: usize) -> Clip {
    let folder = shared::path("data/cmu/bvh").expect("looked for before");
    #[expect(clippy::disallowed_methods, reason = "tests read the captures")]
    let bytes = std::fs::read(folder.join(format!("{name}.bvh"))).expect("listed in the manifest");
    let options = ImportOptions { rate: FrameRate::new(fps, 1), ..ImportOptions::default() };
    let import = bvh::import(name, &bytes, &options).expect("a take that imports");
    let clip = import
        .clip
        .slice(first_row - import.source.frames_skipped..import.clip.n_frames())
        .expect("rows that are there");
    let (skeleton, detection) = names::assign_bones(clip.skeleton()).expect("names of the database");
    assert_eq!(detection.missing, []);
    let poses = clip.frames().map(|pose| pose.to_pose());
    Clip::from_poses(name, Arc::new(skeleton), clip.rate(), poses).expect("finite numbers")
}

/// Name, true rate and first captured row of every take.
fn manifest() -> Vec<(String, u32, usize)> {
    let Some(path) = shared::path("data/cmu/MANIFEST.csv") else { return Vec::new() };
    #[expect(clippy::disallowed_methods, reason = "tests read the list of captures")]
    let text = std::fs::read_to_string(path).expect("readable text");
    let unquoted = |line: &str| {
        let parts = line.split('"').enumerate();
        parts
            .map(|(k, part)| if k % 2 == 1 { part.replace(',', ";") } else { part.to_owned() })
            .collect::<String>()
    };
    let line = |line: &str| {
        let line = unquoted(line);
        let fields: Vec<&str> = line.split(',').collect();
        let name = fields[0].trim_start_matches("bvh/").trim_end_matches(".bvh").to_owned();
        (name, fields[5].parse().expect("a rate"), fields[10].parse().expect("a row"))
    };
    text.lines().skip(1).map(line).collect()
}

#[test]
fn contacts_agree_with_the_reference_measurements() {
    let manifest = manifest();
    // Share of double support, of flight, double supports a minute: MEASUREMENTS.md beside the takes.
    for (name, both, none, per_minute) in [
        ("16_17", 0.24, 0.00, 111.0),
        ("09_12", 0.10, 0.01, 101.0),
        ("16_55", 0.01, 0.38, 40.0),
        ("127_13", 0.00, 0.49, 0.0),
        ("13_17", 0.30, 0.33, 165.0),
        ("113_26", 0.30, 0.08, 71.0),
        ("90_16", 0.75, 0.21, 30.0),
        ("20_10", 0.10, 0.22, 43.0),
    ] {
        let Some((_, fps, first)) = manifest.iter().find(|(take, ..)| take == name) else { return };
        let contacts = Contacts::of(&load(name, *fps, *first), &ContactSettings::default()).unwrap();
        let found =
            (contacts.double_support_share(), contacts.flight_share(), contacts.double_supports_per_minute());
        println!("{name} {found:.2?}");
        assert!((found.0 - both).abs() < 0.006, "{name}: {found:?}");
        assert!((found.1 - none).abs() < 0.006, "{name}: {found:?}");
        assert!((found.2 - per_minute).abs() < 0.6, "{name}: {found:?}");
    }
}

/// One line of the table: what the issue asks to be reported.
fn line(name: &str, report: &Report) -> String {
    let errors: Vec<String> =
        report.end_effectors.iter().map(|end| format!("{:.1}", 100.0 * end.mean)).collect();
    format!(
        "{name:7} scale {:.3} error {:4.1} cm [{}] skate {:5.2} -> {:5.2} cm/s slide {:4.1} -> {:4.1} cm contacts {:3} acc {:5.0} -> {:5.0}",
        report.scale,
        100.0 * report.mean_error,
        errors.join(" "),
        100.0 * report.skate_before,
        100.0 * report.skate_after,
        100.0 * report.slide_before,
        100.0 * report.slide_after,
        report.n_contacts,
        report.acceleration_before,
        report.acceleration_after,
    )
}

/// Retargets every take and prints the table.
///
/// `greatest_error` in metres; `livelier` is how much faster than the source's any joint may be accelerated.
#[expect(clippy::print_stdout, reason = "the figures are the point of the test")]
fn check_all(target_of: impl Fn(&Skeleton) -> Skeleton, greatest_error: f32, livelier: f32) {
    for (name, fps, first) in manifest() {
        let clip = load(&name, fps, first);
        let target = Arc::new(target_of(clip.skeleton()));
        let result = retarget(&clip, &target, &Settings::default()).expect("a person");
        let report = &result.report;
        println!("{}", line(&name, report));
        assert_eq!(result.clip.n_frames(), clip.n_frames());
        assert!(report.skate_after <= 0.8 * report.skate_before, "{name}");
        assert!(report.mean_error < greatest_error, "{name}");
        assert!(report.acceleration_after <= livelier * report.acceleration_before, "{name}");
        assert!(report.unmapped.is_empty() && report.missing.is_empty());
        // No ball of a foot is lower than where it stands, but where a folded leg cannot bring it up.
        let (tracks, rest) = (Tracks::of(&result.clip), target.global_pose(target.rest_pose().view()));
        for ball in [Bone::LeftToes, Bone::RightToes].map(|bone| target.bone(bone).expect("toes")) {
            let lowest = tracks.path(ball).iter().map(|place| place.y).fold(f32::INFINITY, f32::min);
            assert!(lowest > rest.positions[ball.idx()].y - 5e-3, "{name}: {lowest}");
        }
    }
}

#[test]
fn takes_keep_their_places_on_a_skeleton_of_their_own_lengths() {
    check_all(fitted_skeleton, 0.03, 1.2);
}

#[test]
fn takes_keep_their_feet_on_the_average_build() {
    // Its arms and trunk are longer for the same legs: hands are further out and swing faster, up to 1.34 times. In
    // 69_70 somebody kneels on folded legs, where a captured jump of the ankle turns the knee twice as fast.
    check_all(|_| Build::AVERAGE.skeleton(), 0.15, 2.1);
}

/// How far trunk (middle of the hips to neck) and neck (to head) lean forward of the vertical in the mean over a clip,
/// in degrees; forward is across the line between the hip joints.
fn leans(clip: &Clip) -> [f32; 2] {
    let tracks = Tracks::of(clip);
    let place = |frame, bone| tracks.position(frame, clip.skeleton().bone(bone).expect("a whole person"));
    let lean = |frame: usize, from: Vec3, to: Bone| {
        let across = place(frame, Bone::LeftUpperLeg) - place(frame, Bone::RightUpperLeg);
        let line = place(frame, to) - from;
        line.dot(across.cross(Vec3::Y).normalize()).atan2(line.y).to_degrees()
    };
    let mean =
        |lean: &dyn Fn(usize) -> f32| (0..clip.n_frames()).map(lean).sum::<f32>() / clip.n_frames() as f32;
    let hips = |frame| 0.5 * (place(frame, Bone::LeftUpperLeg) + place(frame, Bone::RightUpperLeg));
    [
        mean(&|frame| lean(frame, hips(frame), Bone::Neck)),
        mean(&|frame| lean(frame, place(frame, Bone::Neck), Bone::Head)),
    ]
}

#[test]
fn nobody_hunches_on_a_build_of_the_library() {
    let mut trunks = Vec::new();
    for (name, fps, first) in manifest() {
        let clip = load(&name, fps, first);
        let target = Arc::new(Build::STOCKY.skeleton());
        let result = retarget(&clip, &target, &Settings::default()).expect("a person");
        let ([trunk, neck], [trunk_after, neck_after]) = (leans(&clip), leans(&result.clip));
        println!("{name} trunk {trunk:.1} -> {trunk_after:.1}, neck {neck:.1} -> {neck_after:.1}");
        assert!((neck - neck_after).abs() < 1.0, "{name}");
        trunks.push((trunk - trunk_after).abs());
    }
    // The spine bends at joints of other heights, so that somebody who holds a bend all the time leans otherwise.
    assert!(trunks.iter().all(|away| *away < 8.0), "{trunks:?}");
    assert!(trunks.iter().sum::<f32>() <= 2.0 * trunks.len() as f32, "{trunks:?}");
}
