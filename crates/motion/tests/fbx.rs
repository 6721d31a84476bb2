//! A small ASCII FBX made by hand: centimetres, +Z up, 60 frames per second.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]
#![cfg(feature = "fbx")]

use glam::Vec3;
use randori_motion::formats::{Format, ImportOptions, UpAxis, fbx};
use randori_motion::{FrameRate, JointId};
use randori_testkit::mutate::mutant;

/// Hips 1 m up that turn by 90° about X within a second, and a spine half a metre above them.
const TURN: &str = r#"; FBX 7.4.0 project file
FBXHeaderExtension:  {
	FBXHeaderVersion: 1003
	FBXVersion: 7400
}
GlobalSettings:  {
	Version: 1000
	Properties70:  {
		P: "UpAxis", "int", "Integer", "",2
		P: "UpAxisSign", "int", "Integer", "",1
		P: "FrontAxis", "int", "Integer", "",1
		P: "FrontAxisSign", "int", "Integer", "",-1
		P: "CoordAxis", "int", "Integer", "",0
		P: "CoordAxisSign", "int", "Integer", "",1
		P: "UnitScaleFactor", "double", "Number", "",1
		P: "TimeMode", "enum", "", "",3
	}
}
Objects:  {
	NodeAttribute: 100, "NodeAttribute::hips", "LimbNode" {
		TypeFlags: "Skeleton"
	}
	NodeAttribute: 101, "NodeAttribute::spine", "LimbNode" {
		TypeFlags: "Skeleton"
	}
	Model: 200, "Model::Hips", "LimbNode" {
		Version: 232
		Properties70:  {
			P: "Lcl Translation", "Lcl Translation", "", "A",0,0,100
		}
	}
	Model: 201, "Model::Spine", "LimbNode" {
		Version: 232
		Properties70:  {
			P: "Lcl Translation", "Lcl Translation", "", "A",0,0,50
		}
	}
	AnimationStack: 300, "AnimStack::turn", "" {
		Properties70:  {
			P: "LocalStart", "KTime", "Time", "",0
			P: "LocalStop", "KTime", "Time", "",46186158000
		}
	}
	AnimationLayer: 400, "AnimLayer::base", "" {
	}
	AnimationCurveNode: 500, "AnimCurveNode::R", "" {
		Properties70:  {
			P: "d|X", "Number", "", "A",0
		}
	}
	AnimationCurve: 600, "AnimCurve::", "" {
		Default: 0
		KeyVer: 4008
		KeyTime: *2 {
			a: 0,46186158000
		}
		KeyValueFloat: *2 {
			a: 0,90
		}
		KeyAttrFlags: *1 {
			a: 4
		}
		KeyAttrDataFloat: *4 {
			a: 0,0,0,0
		}
		KeyAttrRefCount: *1 {
			a: 2
		}
	}
}
Connections:  {
	C: "OO",200,0
	C: "OO",100,200
	C: "OO",201,200
	C: "OO",101,201
	C: "OO",400,300
	C: "OO",500,400
	C: "OP",500,200, "Lcl Rotation"
	C: "OP",600,500, "d|X"
}
"#;

fn ends(options: &ImportOptions) -> [Vec3; 3] {
    let characters = fbx::import("test", TURN.as_bytes(), options).unwrap();
    assert_eq!(characters.len(), 1);
    let clip = &characters[0].import.clip;
    let pose = |frame| clip.skeleton().global_pose(clip.frame(frame));
    [pose(0).positions[0], pose(0).positions[1], pose(clip.n_frames() - 1).positions[1]]
}

#[test]
fn unit_and_axes_become_the_houses() {
    let characters = fbx::import("test", TURN.as_bytes(), &ImportOptions::default()).unwrap();
    let import = &characters[0].import;
    assert_eq!(import.source.format, Format::Fbx);
    assert_eq!(import.source.metres_per_unit, 0.01);
    assert_eq!(import.clip.rate(), FrameRate::HOUSE);
    assert_eq!((import.clip.n_frames(), import.clip.name.as_str()), (61, "turn"));
    let spine = import.clip.skeleton().joint(JointId(1));
    assert_eq!((spine.name.as_str(), spine.translates), ("Spine", false));

    let expected = [Vec3::Y, Vec3::Y * 1.5, Vec3::new(0.0, 1.0, 0.5)];
    for (found, expected) in ends(&ImportOptions::default()).into_iter().zip(expected) {
        assert!(found.distance(expected) < 1e-5, "{found} {expected}");
    }
}

#[test]
fn options_override_what_the_file_says() {
    let options = ImportOptions { scale: Some(0.02), up: Some(UpAxis::Y), ..Default::default() };
    // Not turned upright, twice as large.
    let expected = [Vec3::Z * 2.0, Vec3::Z * 3.0, Vec3::new(0.0, -1.0, 2.0)];
    for (found, expected) in ends(&options).into_iter().zip(expected) {
        assert!(found.distance(expected) < 1e-5, "{found} {expected}");
    }
}

#[test]
fn what_is_no_fbx_is_refused() {
    for (bytes, expected) in [
        (&b""[..], "file: expected an FBX file, found Empty file"),
        (b"hello", "file: expected an FBX file, found Unrecognized file format"),
    ] {
        let error = fbx::import("test", bytes, &ImportOptions::default()).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
    let still = TURN.replace("C: \"OO\",400,300", "").replace("AnimationStack", "Nothing");
    let error = fbx::import("test", still.as_bytes(), &ImportOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), "file: expected an animation that moves a character, found no animation");
    let age = TURN.replace("46186158000", "4618615800000000000");
    let error = fbx::import("test", age.as_bytes(), &ImportOptions::default()).unwrap_err();
    assert!(error.to_string().starts_with("animation stack \"turn\": expected at most"), "{error}");
}

#[test]
fn thousands_of_broken_files_are_survived() {
    let (mut read, mut refused) = (0, 0);
    for seed in 0..20_000 {
        match fbx::import("test", &mutant(TURN.as_bytes(), seed), &ImportOptions::default()) {
            Ok(_) => read += 1,
            Err(_) => refused += 1,
        }
    }
    assert!(read > 2_000 && refused > 2_000, "{read} read, {refused} refused");
}
