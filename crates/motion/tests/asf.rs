//! ASF and AMC, against arithmetic of the tests' own.
//!
//! There are no such files to ship, so tests write them: from the definition of the format, with rotation
//! matrices where the reader uses quaternions.
#![allow(clippy::unwrap_used, reason = "a test that unwraps in vain fails, as it should")]

use std::fmt::Write as _;
use std::sync::Arc;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use randori_motion::formats::bvh::{self, Document};
use randori_motion::formats::{Basis, Format, ImportError, ImportOptions, UpAxis, asf, import};
use randori_motion::math::{DVec3, Mat3, Quat};
use randori_motion::{Clip, FrameRate, JointId, Skeleton};
use randori_testkit::{mutate::mutant, shared, toys};

type Matrix = [[f64; 3]; 3];

const IDENTITY: Matrix = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

fn product(a: Matrix, b: Matrix) -> Matrix {
    std::array::from_fn(|r| std::array::from_fn(|c| (0..3).map(|k| a[r][k] * b[k][c]).sum()))
}

fn transposed(a: Matrix) -> Matrix {
    std::array::from_fn(|r| std::array::from_fn(|c| a[c][r]))
}

fn about(axis: usize, degrees: f64) -> Matrix {
    let (s, c) = degrees.to_radians().sin_cos();
    let (a, b) = ((axis + 1) % 3, (axis + 2) % 3);
    let mut matrix = IDENTITY;
    matrix[a][a] = c;
    matrix[b][b] = c;
    matrix[a][b] = -s;
    matrix[b][a] = s;
    matrix
}

/// `Rz · Ry · Rx`: what `axis a b c XYZ` and `dof rx ry rz` mean.
fn xyz(degrees: [f64; 3]) -> Matrix {
    product(about(2, degrees[2]), product(about(1, degrees[1]), about(0, degrees[0])))
}

/// The angles for which [`xyz`] gives this matrix.
fn xyz_angles(m: Matrix) -> [f64; 3] {
    let y = (-m[2][0]).clamp(-1.0, 1.0).asin();
    [m[2][1].atan2(m[2][2]), y, m[1][0].atan2(m[0][0])].map(f64::to_degrees)
}

fn matrix(rotation: Quat) -> Matrix {
    let m = Mat3::from_quat(rotation.normalize());
    std::array::from_fn(|r| std::array::from_fn(|c| f64::from(m.col(c)[r])))
}

/// A clip as ASF and AMC text: every joint but the root becomes a bone that starts there, with a random
/// frame of rotation; it ends at its first child, or at its tip.
///
/// Only skeletons in which all children of a joint share one offset, and those of the root have none, have
/// this form; see [`acclaim_skeleton`].
fn to_acclaim(clip: &Clip, units_per_metre: f64, seed: u64) -> (String, String) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let skeleton = clip.skeleton();
    let mut asf = String::from(
        "# made by a test\r\n:version 1.10\n:name toy\n:units\n  mass 1.0\n  length 0.45\n  angle deg\n\
         :documentation\n  free words\n:root\n  order TX TY TZ RX RY RZ\n  axis XYZ\n  position 0 0 0\n  \
         orientation 0 0 0\n:bonedata\n",
    );
    let mut hierarchy = String::from(":hierarchy\n  begin\n");
    let mut frames_of_bones = vec![IDENTITY];
    for id in skeleton.ids().skip(1) {
        let joint = skeleton.joint(id);
        let child = skeleton.children(id).next();
        let vector = child.map_or_else(|| joint.tips[0], |child| skeleton.joint(child).offset).as_dvec3();
        let length = vector.length() * units_per_metre;
        let direction = vector.normalize_or_zero();
        let axis: [f64; 3] =
            std::array::from_fn(|_| (rng.random_range(-180.0..180.0f64) * 100.0).round() / 100.0);
        frames_of_bones.push(xyz(axis));
        writeln!(
            asf,
            "  begin\n    id {}\n    name {}\n    direction {} {} {}\n    length {length}\n    axis {} {} {} XYZ\n    \
             dof rx ry rz\n    limits (-160.0 20.0)\n           (-70.0 70.0)\n           (-60.0 70.0)\n  end",
            id.0, joint.name, direction.x, direction.y, direction.z, axis[0], axis[1], axis[2],
        )
        .unwrap();
    }
    // Children after parents in the file, but parents' lines in reverse: any order must do.
    for id in (0..skeleton.n_joints() as u32).rev().map(JointId) {
        let children: Vec<&str> =
            skeleton.children(id).map(|child| skeleton.joint(child).name.as_str()).collect();
        if !children.is_empty() {
            let name = if id == JointId::ROOT { "root" } else { &skeleton.joint(id).name };
            writeln!(hierarchy, "    {name} {}", children.join(" ")).unwrap();
        }
    }
    let asf = asf + &hierarchy + "  end\n";

    let mut amc = String::from("#!OML:ASF toy\r\n:FULLY-SPECIFIED\n:DEGREES\n");
    for (frame, pose) in clip.frames().enumerate() {
        writeln!(amc, "{}", frame + 1).unwrap();
        for id in skeleton.ids() {
            let frame_of_bone = frames_of_bones[id.idx()];
            let turn = matrix(pose.rotations[id.idx()]);
            let motion = product(transposed(frame_of_bone), product(turn, frame_of_bone));
            let [x, y, z] = xyz_angles(motion);
            if id == JointId::ROOT {
                let at = pose.root().as_dvec3() * units_per_metre;
                writeln!(amc, "root {} {} {} {x} {y} {z}", at.x, at.y, at.z).unwrap();
            } else {
                writeln!(amc, "{} {x} {y} {z}", skeleton.joint(id).name).unwrap();
            }
        }
    }
    (asf, amc)
}

/// A random skeleton in the form that ASF can state.
fn acclaim_skeleton(seed: u64) -> Skeleton {
    let random = toys::random_skeleton(seed, 20);
    let mut joints = random.joints().to_vec();
    for joint_idx in 1..joints.len() {
        let parent = joints[joint_idx].parent.unwrap();
        joints[joint_idx].translates = false;
        joints[joint_idx].offset =
            if parent == JointId::ROOT { Default::default() } else { joints[parent.idx()].tips[0] };
    }
    Skeleton::new(joints).unwrap()
}

fn widest_gap(ours: &Clip, theirs: &Clip) -> f32 {
    assert_eq!(ours.n_frames(), theirs.n_frames());
    let mut widest = 0.0f32;
    for (a, b) in ours.frames().zip(theirs.frames()) {
        let (a, b) = (ours.skeleton().global_pose(a), theirs.skeleton().global_pose(b));
        for id in theirs.skeleton().ids() {
            let joint = theirs.skeleton().joint(id);
            let name = if id == JointId::ROOT { "root" } else { &joint.name };
            let own = ours.skeleton().find(name).unwrap();
            widest = widest.max((a.positions[own.idx()] - b.positions[id.idx()]).length());
            for tip in &ours.skeleton().joint(own).tips {
                widest = widest.max((a.point(own, *tip) - b.point(id, joint.tips[0])).length());
            }
        }
    }
    widest
}

#[test]
fn random_skeletons_come_in_where_they_stand() {
    let metres_per_unit = 0.0254 / 0.45;
    let mut widest = 0.0f32;
    for seed in 0..100 {
        let clip = toys::wriggling(Arc::new(acclaim_skeleton(seed)), seed, 10);
        let (asf, amc) = to_acclaim(&clip, 1.0 / metres_per_unit, seed);
        let import = asf::import("toy", asf.as_bytes(), amc.as_bytes(), &ImportOptions::default()).unwrap();
        assert_eq!(import.source.format, Format::AsfAmc);
        assert_eq!(
            (import.source.metres_per_unit, import.source.scale_basis),
            (metres_per_unit, Basis::Stated)
        );
        assert_eq!((import.source.up, import.source.frames_skipped), (UpAxis::Y, 0));
        assert_eq!(import.clip.rate(), FrameRate::new(120, 1).unwrap());
        assert!(import.warnings[0].message.contains("120 poses per second"), "{:?}", import.warnings);
        widest = widest.max(widest_gap(&import.clip, &clip));
    }
    println!("widest gap of 100 random skeletons: {widest:.2e} m");
    assert!(widest < 2e-5, "{widest}");
}

/// CMU's BVH files were ASF and AMC once. Made so again, they stand where the BVH file says.
#[test]
fn a_cmu_take_in_its_original_form() {
    for path in shared::cmu_takes().into_iter().step_by(24) {
        #[expect(clippy::disallowed_methods, reason = "tests open the files they check")]
        let bytes = std::fs::read(&path).unwrap();
        let document = Document::parse(&bytes).unwrap();
        let clip = bvh::import_document("take", &document, &ImportOptions::default()).unwrap().clip;
        let clip = clip.slice(0..200.min(clip.n_frames())).unwrap();
        let (asf, amc) = to_acclaim(&clip, 0.45 / 0.0254, 5);
        let import = asf::import("take", asf.as_bytes(), amc.as_bytes(), &ImportOptions::default()).unwrap();
        assert_eq!(import.clip.skeleton().n_joints(), 31);
        for (frame, pose) in import.clip.frames().enumerate() {
            let globals = import.clip.skeleton().global_pose(pose);
            // Row 0 of the file is the T-pose. The reference is the file itself, in f64.
            let reference = document.world_positions(frame + 1).unwrap();
            for (name, expected) in document.point_names().iter().zip(reference) {
                let name = if name == "Hips" { "root" } else { name };
                let expected: DVec3 = expected * (0.0254 / 0.45);
                let ours = match name.strip_suffix("_end") {
                    None => globals.positions[import.clip.skeleton().find(name).unwrap().idx()],
                    Some(joint) => {
                        let id = import.clip.skeleton().find(joint).unwrap();
                        globals.point(id, import.clip.skeleton().joint(id).tips[0])
                    }
                };
                assert!(
                    (ours.as_dvec3() - expected).length() < 1e-4,
                    "{path:?} {frame} {name}: {ours} {expected}"
                );
            }
        }
    }
}

const ASF: &str = ":version 1.10\n:units\n  length 1.0\n  angle deg\n:root\n  order TX TY TZ RX RY RZ\n  axis XYZ\n  \
position 0 0 0\n  orientation 0 0 0\n:bonedata\n  begin\n    id 1\n    name back\n    direction 0 1 0\n    length 60\n    axis \
0 0 90 XYZ\n    dof rx tz\n    limits (-10 10)\n  end\n  begin\n    id 2\n    name head\n    direction 0 1 0\n    length \
30\n  end\n:hierarchy\n  begin\n    root back\n    back head\n  end\n";

const AMC: &str =
    ":FULLY-SPECIFIED\n:DEGREES\n1\nroot 0 90 0 0 0 0\nback 90 7\n2\nback 0 0\nroot 0 91 0 0 90 0\n";

#[test]
fn by_hand() {
    let options = ImportOptions { scale: Some(1.0), up: Some(UpAxis::Y), rate: FrameRate::new(60, 1) };
    let import = asf::import("hand", ASF.as_bytes(), AMC.as_bytes(), &options).unwrap();
    assert!(!import.warnings.iter().any(|warning| warning.message.contains("rate")), "{:?}", import.warnings);
    let clip = import.clip;
    let globals = clip.skeleton().global_pose(clip.frame(0));
    // The back's x axis points along +Y, its z axis along +Z: it moves 7 along z and turns about +Y.
    for (name, expected) in
        [("root", [0.0, 90.0, 0.0]), ("back", [0.0, 90.0, 7.0]), ("head", [0.0, 150.0, 7.0])]
    {
        let ours = globals.positions[clip.skeleton().find(name).unwrap().idx()];
        assert!((ours.as_dvec3() - DVec3::from_array(expected)).length() < 1e-4, "{name}: {ours}");
    }
    let back = clip.skeleton().find("back").unwrap();
    let expected = Quat::from_rotation_y(std::f32::consts::FRAC_PI_2);
    assert!(globals.rotations[back.idx()].abs_diff_eq(expected, 1e-6));
}

fn refusal(asf: &str, amc: &str) -> ImportError {
    asf::import("broken", asf.as_bytes(), amc.as_bytes(), &ImportOptions::default()).unwrap_err()
}

/// The good skeleton with one text replaced by another is refused in these words.
#[track_caller]
fn check_asf(old: &str, new: &str, expected: &str) {
    assert!(ASF.contains(old), "{old}");
    assert_eq!(refusal(&ASF.replacen(old, new, 1), AMC).to_string(), expected);
}

/// The good motion with one text replaced by another is refused in these words.
#[track_caller]
fn check_amc(old: &str, new: &str, expected: &str) {
    assert!(AMC.contains(old), "{old}");
    assert_eq!(refusal(ASF, &AMC.replacen(old, new, 1)).to_string(), expected);
}

#[test]
fn broken_skeletons_are_refused() {
    check_asf(
        ":version 1.10",
        "version",
        "line 1, column 1: expected a section such as :version or :units in the ASF file, found \"version\"",
    );
    check_asf(
        "angle deg",
        "angle grad",
        "line 4, column 9: expected deg or rad in the ASF file, found \"grad\"",
    );
    check_asf(
        "length 1.0",
        "length 0",
        "line 3, column 10: expected a positive unit of length in the ASF file, found \"0\"",
    );
    check_asf(
        "dof rx tz",
        "dof rx l",
        "line 17, column 12: expected each of rx ry rz tx ty tz at most once in the ASF file, found \"l\"",
    );
    check_asf(
        "dof rx tz",
        "dof rx rx",
        "line 17, column 12: expected each of rx ry rz tx ty tz at most once in the ASF file, found \"rx\"",
    );
    check_asf(
        "0 0 90 XYZ",
        "0 0 90 XYX",
        "line 16, column 17: expected an order of axes such as XYZ in the ASF file, found \"XYX\"",
    );
    check_asf(
        "    name head\n",
        "",
        "line 24, column 3: expected name of the bone before its end in the ASF file, found \"end\"",
    );
    check_asf(
        "name head",
        "name back",
        "line 25, column 6: expected a name no other bone has in the ASF file, found \"back\" again",
    );
    check_asf(
        "    back head\n",
        "",
        "line 29, column 6: expected bone \"head\" in the hierarchy in the ASF file, found it hangs from nothing",
    );
    check_asf(
        "back head",
        "tail head",
        "line 29, column 5: expected root or the name of a bone of :bonedata in the ASF file, found \"tail\"",
    );
    check_asf(
        "root back\n    back head",
        "head back\n    back head",
        "line 30, column 6: expected bone \"back\" to hang from the root in the end in the ASF file, found it hangs from itself",
    );
    check_asf(
        "back head",
        "back back",
        "line 29, column 10: expected a bone that hangs from no other yet in the ASF file, found \"back\"",
    );
    check_asf(
        "direction 0 1 0",
        "direction 0 nan 0",
        "line 14, column 17: expected number 2 of 3 of the direction in the ASF file, found \"nan\"",
    );
}

#[test]
fn broken_motions_are_refused() {
    check_amc(
        "back 90 7",
        "back 90",
        "line 5, column 8: expected number 2 of 2 of back in frame 1 in the AMC file, found the end of the line",
    );
    check_amc(
        "back 90 7",
        "back 90 7 8",
        "line 5, column 11: expected the end of the line after the numbers of a bone in the AMC file, found \"8\"",
    );
    check_amc("back 90 7\n", "", "line 5, column 1: expected back in frame 1 in the AMC file, found \"2\"");
    check_amc(
        "back 90 7",
        "tail 90 7",
        "line 5, column 1: expected root, a bone of the skeleton or the number of a frame in the AMC file, found \"tail\"",
    );
    check_amc(
        "back 90 7",
        "back 90 7\nback 90 7",
        "line 6, column 1: expected one line for each bone in frame 1 in the AMC file, found \"back\"",
    );
    check_amc(
        "\n2\n",
        "\n3\n",
        "line 6, column 1: expected a frame after frame 1 in the AMC file, found \"3\"",
    );
    check_amc(
        "0 91 0",
        "0 inf 0",
        "line 8, column 8: expected number 2 of 6 of root in frame 2 in the AMC file, found \"inf\"",
    );
    assert_eq!(
        refusal(ASF, "").to_string(),
        "line 1, column 1: expected at least one frame in the AMC file, found the end of the file"
    );
    let alone = import("take.amc", AMC.as_bytes(), &ImportOptions::default()).unwrap_err();
    assert_eq!(alone.expected, "an ASF and an AMC file together");
}

#[test]
fn mutants_never_panic_and_hold_only_finite_numbers() {
    let mut n_ok = 0;
    for seed in 0..50_000u64 {
        let (mut asf, mut amc) = (ASF.as_bytes().to_vec(), AMC.as_bytes().to_vec());
        match seed % 2 {
            0 => asf = mutant(&asf, seed),
            _ => amc = mutant(&amc, seed),
        }
        let Ok(import) = asf::import("mutant", &asf, &amc, &ImportOptions::default()) else { continue };
        n_ok += 1;
        for pose in import.clip.frames() {
            let globals = import.clip.skeleton().global_pose(pose);
            assert!(globals.positions.iter().all(|position| position.is_finite()), "seed {seed}");
            assert!(globals.rotations.iter().all(|rotation| rotation.is_finite()), "seed {seed}");
        }
    }
    println!("{n_ok} of 50000 mutants are still files");
    assert!(n_ok > 500, "{n_ok}");
}
