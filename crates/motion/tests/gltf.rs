//! glTF files made by hand: what they mean, and what is said of broken ones.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use glam::{DQuat, DVec3, Quat, Vec3};
use randori_motion::formats::gltf::{Document, ImportedScene, WorldPose, import};
use randori_motion::formats::{ImportError, ImportOptions, UpAxis};
use randori_motion::{Bone, FrameRate, JointId};
use serde_json::{Value, json};

/// A file under construction: one buffer of everything, one view and one accessor for each array.
struct File {
    json: Value,
    bytes: Vec<u8>,
}

impl File {
    fn new(nodes: Value) -> File {
        let json = json!({"asset": {"version": "2.0"}, "nodes": nodes, "accessors": [], "bufferViews": []});
        File { json, bytes: Vec::new() }
    }

    /// Adds an array; `kind` gives its width. The index of its accessor.
    fn floats(&mut self, kind: &str, numbers: &[f32]) -> usize {
        let width = match kind {
            "SCALAR" => 1,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 16,
        };
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        let view = self.view(&bytes);
        let accessor =
            json!({"bufferView": view, "componentType": 5126, "count": numbers.len() / width, "type": kind});
        self.push("accessors", accessor)
    }

    fn view(&mut self, bytes: &[u8]) -> usize {
        let view = json!({"buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len()});
        self.bytes.extend_from_slice(bytes);
        self.push("bufferViews", view)
    }

    fn push(&mut self, list: &str, value: Value) -> usize {
        if self.json[list].is_null() {
            self.json[list] = json!([]);
        }
        let list = self.json[list].as_array_mut().unwrap();
        list.push(value);
        list.len() - 1
    }

    /// Adds an animation with one channel per entry: node, path, times, values.
    fn animate(&mut self, interpolation: &str, channels: &[(usize, &str, &[f32], &[f32])]) {
        let (mut samplers, mut targets) = (Vec::new(), Vec::new());
        for (node, path, times, values) in channels {
            let kind = if *path == "rotation" { "VEC4" } else { "VEC3" };
            let (input, output) = (self.floats("SCALAR", times), self.floats(kind, values));
            targets.push(json!({"sampler": samplers.len(), "target": {"node": node, "path": path}}));
            samplers.push(json!({"input": input, "output": output, "interpolation": interpolation}));
        }
        self.push("animations", json!({"name": "walk", "channels": targets, "samplers": samplers}));
    }

    fn text(&self) -> Vec<u8> {
        let mut json = self.json.clone();
        let uri = format!("data:application/octet-stream;base64,{}", STANDARD.encode(&self.bytes));
        if json["buffers"].is_null() {
            json["buffers"] = json!([{"byteLength": self.bytes.len(), "uri": uri}]);
        }
        json.to_string().into_bytes()
    }

    fn document(&self) -> Result<Document, ImportError> {
        Document::parse(&self.text(), &no_files)
    }

    fn import(&self) -> Result<ImportedScene, ImportError> {
        import("test", &self.text(), &ImportOptions::default(), &no_files)
    }
}

fn no_files(path: &str) -> Result<Vec<u8>, String> {
    Err(format!("{path}: no files here"))
}

fn positions(document: &Document, seconds: f64) -> Vec<DVec3> {
    let mut pose = WorldPose::default();
    document.evaluator(&[0]).evaluate(seconds, &mut pose);
    (0..document.nodes.len()).map(|node| pose.position(node)).collect()
}

/// An arm of three nodes, 1 m apart along X.
fn arm() -> File {
    File::new(json!([
        {"name": "a", "children": [1]},
        {"name": "b", "children": [2], "translation": [1, 0, 0]},
        {"name": "c", "translation": [1, 0, 0]},
    ]))
}

/// The arm as a skin, moved by a turn of its first node.
fn skinned_arm() -> File {
    let mut file = arm();
    file.push("skins", json!({"joints": [0, 1, 2]}));
    let half = std::f32::consts::FRAC_1_SQRT_2;
    file.animate(
        "LINEAR",
        &[(0, "rotation", &[0.0, 0.5, 1.0], &[0., 0., 0., 1., 0., 0., 0., 1., 0., 0., half, half])],
    );
    file
}

#[test]
fn keys_are_joined_as_the_file_says() {
    // Along a Hermite spline from 0 to 1 with tangents 2 (out) and 4 (in) over 2 s.
    let spline: &[f32] = &[0., 0., 0., 0., 0., 0., 2., 0., 0., 4., 0., 0., 1., 0., 0., 0., 0., 0.];
    let line: &[f32] = &[0., 0., 0., 1., 0., 0.];
    for (interpolation, values, seconds, expected) in [
        ("STEP", line, 1.5, 0.0),
        ("STEP", line, 3.0, 1.0),
        ("LINEAR", line, 0.5, 0.0),
        ("LINEAR", line, 1.5, 0.25),
        ("LINEAR", line, 9.0, 1.0),
        // h00 = 0.5, h10 = 0.125, h01 = 0.5, h11 = -0.125 in the middle.
        ("CUBICSPLINE", spline, 2.0, 0.125 * 2.0 * 2.0 + 0.5 - 0.125 * 2.0 * 4.0),
        ("CUBICSPLINE", spline, 3.0, 1.0),
        ("LINEAR", line, f64::NAN, 0.0),
    ] {
        let mut file = arm();
        file.animate(interpolation, &[(0, "translation", &[1.0, 3.0], values)]);
        let document = file.document().unwrap();
        let x = positions(&document, seconds)[0].x;
        assert!((x - expected).abs() < 1e-9, "{interpolation} at {seconds}: {x}");
        assert_eq!(document.animations[0].end(), 3.0);
    }
}

#[test]
fn rotations_take_the_shorter_way() {
    let mut file = arm();
    let quarter = Quat::from_rotation_z(std::f32::consts::FRAC_PI_2);
    let keys = [Quat::IDENTITY.to_array(), (-quarter).to_array()].concat();
    file.animate("LINEAR", &[(0, "rotation", &[0.0, 1.0], &keys)]);
    let document = file.document().unwrap();
    let place = positions(&document, 0.5)[2];
    let expected = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_4) * DVec3::X * 2.0;
    assert!(place.distance(expected) < 1e-6, "{place}");
}

#[test]
fn matrices_scales_and_integers_are_read() {
    // A matrix that doubles and lifts, and a rotation as normalised 16-bit integers.
    let mut file = File::new(json!([
        {"name": "m", "matrix": [2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 5, 0, 1], "children": [1]},
        {"name": "n", "children": [2]},
        {"name": "tip", "translation": [1, 0, 0]},
    ]));
    let half = (std::f32::consts::FRAC_1_SQRT_2 * 32767.0).round() as i16;
    let bytes: Vec<u8> = [0, 0, half, half].iter().flat_map(|number: &i16| number.to_le_bytes()).collect();
    let view = file.view(&bytes);
    let output = file.push(
        "accessors",
        json!({"bufferView": view, "componentType": 5122, "normalized": true, "count": 1, "type": "VEC4"}),
    );
    let input = file.floats("SCALAR", &[0.0]);
    file.push(
        "animations",
        json!({
            "channels": [{"sampler": 0, "target": {"node": 1, "path": "rotation"}}],
            "samplers": [{"input": input, "output": output}],
        }),
    );
    let document = file.document().unwrap();
    let tip = positions(&document, 0.0)[2];
    assert!(tip.distance(DVec3::new(0.0, 7.0, 0.0)) < 1e-4, "{tip}");
}

#[test]
fn sparse_accessors_replace_what_they_list() {
    let mut file = arm();
    let indices = file.view(&[1, 0, 0, 0]);
    let values = file.view(&[1.5f32, 0.0, 0.0].map(f32::to_le_bytes).concat());
    // Without a view of its own, an accessor begins as zeros.
    let output = file.push(
        "accessors",
        json!({
            "componentType": 5126, "count": 2, "type": "VEC3",
            "sparse": {
                "count": 1,
                "indices": {"bufferView": indices, "componentType": 5121},
                "values": {"bufferView": values},
            },
        }),
    );
    let input = file.floats("SCALAR", &[0.0, 1.0]);
    file.push(
        "animations",
        json!({
            "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}],
            "samplers": [{"input": input, "output": output}],
        }),
    );
    assert_eq!(positions(&file.document().unwrap(), 1.0)[0].x, 1.5);
}

#[test]
fn buffers_come_from_beside_the_file_once() {
    let mut file = skinned_arm();
    let bytes = file.bytes.clone();
    file.json["buffers"] = json!([
        {"byteLength": bytes.len(), "uri": "my%20data.bin"},
        {"byteLength": 1, "uri": "my%20data.bin"},
    ]);
    let asked = std::cell::RefCell::new(Vec::new());
    let resolve = |path: &str| {
        asked.borrow_mut().push(path.to_owned());
        Ok(bytes.clone())
    };
    assert!(Document::parse(&file.text(), &resolve).is_ok());
    assert_eq!(*asked.borrow(), ["my data.bin"]);
    let error = Document::parse(&file.text(), &no_files).unwrap_err();
    assert_eq!(
        error.to_string(),
        "buffers[0].uri: expected the file \"my data.bin\" to be readable, found my data.bin: no files here"
    );
}

#[test]
fn skins_become_clips() {
    let scene = skinned_arm().import().unwrap();
    let character = &scene.characters[0];
    let clip = &character.import.clip;
    assert_eq!(clip.rate(), FrameRate::new(2, 1).unwrap());
    assert_eq!((clip.n_frames(), clip.name.as_str()), (3, "walk"));
    let end = clip.skeleton().global_pose(clip.frame(2)).positions[2];
    assert!(end.distance(Vec3::Y * 2.0) < 1e-6, "{end}");
    assert!(clip.skeleton().joints()[1..].iter().all(|joint| !joint.translates));
}

#[test]
fn options_change_size_axis_and_rate() {
    let options = ImportOptions { scale: Some(0.01), up: Some(UpAxis::Z), rate: FrameRate::new(30, 1) };
    let mut file = skinned_arm();
    file.json["nodes"][0]["translation"] = json!([0, 0, 100]);
    let scene = import("test", &file.text(), &options, &no_files).unwrap();
    let import = &scene.characters[0].import;
    assert_eq!(import.clip.rate(), FrameRate::new(30, 1).unwrap());
    let pose = import.clip.skeleton().global_pose(import.clip.frame(2));
    assert!(pose.positions[0].distance(Vec3::Y) < 1e-6, "{:?}", pose.positions);
    // What was +Y in the file is -Z in the house.
    assert!(pose.positions[2].distance(Vec3::new(0.0, 1.0, -0.02)) < 1e-6, "{:?}", pose.positions);
}

#[test]
fn bones_that_grow_translate_and_say_so() {
    let mut file = arm();
    file.push("skins", json!({"joints": [0, 1, 2]}));
    file.animate("LINEAR", &[(0, "scale", &[0.0, 0.5, 1.0], &[1., 1., 1., 1.5, 1.5, 1.5, 2., 2., 2.])]);
    let scene = file.import().unwrap();
    let import = &scene.characters[0].import;
    assert!(import.warnings[0].to_string().starts_with("nodes[0].scale: the scale is animated"));
    let ends: Vec<f32> =
        import.clip.frames().map(|pose| import.clip.skeleton().global_pose(pose).positions[2].x).collect();
    assert_eq!(ends, [2.0, 3.0, 4.0]);
    assert!(import.clip.skeleton().joint(JointId(1)).translates);
}

#[test]
fn the_bind_pose_is_the_rest_pose() {
    // The node of the arm is stored bent; the mesh was bound to a straight one.
    let mut file = skinned_arm();
    let half = std::f64::consts::FRAC_1_SQRT_2;
    file.json["nodes"][1]["rotation"] = json!([0, 0, half, half]);
    let matrices: Vec<f32> = [0.0f32, 1.0, 2.0]
        .iter()
        .flat_map(|x| glam::Mat4::from_translation(Vec3::X * -x).to_cols_array())
        .collect();
    let accessor = file.floats("MAT4", &matrices);
    file.json["skins"][0]["inverseBindMatrices"] = json!(accessor);
    let scene = file.import().unwrap();
    let clip = &scene.characters[0].import.clip;
    assert_eq!(clip.skeleton().joint(JointId(1)).rest_rotation, Quat::IDENTITY);
    let first = clip.skeleton().global_pose(clip.frame(0)).positions[2];
    assert!(first.distance(Vec3::new(1.0, 1.0, 0.0)) < 1e-6, "{first}");
}

#[test]
fn characters_are_told_apart() {
    // Two people, one of whom wears two skins; and a skin of two loose trees.
    let mut file = File::new(json!([
        {"name": "blue", "children": [1]}, {"name": "hips", "children": [2]}, {"name": "hair"},
        {"name": "red", "children": [4]}, {"name": "hips"},
        {"name": "left"}, {"name": "right"},
    ]));
    for joints in [json!([1]), json!([2]), json!([4]), json!([5, 6])] {
        file.push("skins", json!({"joints": joints}));
    }
    let times: &[f32] = &[0.0, 0.1, 0.2];
    let values: &[f32] = &[0., 0., 0., 1., 0., 0., 2., 0., 0.];
    file.animate("LINEAR", &[1, 4, 6].map(|node| (node, "translation", times, values)));
    let scene = file.import().unwrap();
    let found: Vec<(&str, Vec<&str>)> = (scene.characters.iter())
        .map(|character| {
            let joints = character.import.clip.skeleton().joints();
            (character.name.as_str(), joints.iter().map(|joint| joint.name.as_str()).collect())
        })
        .collect();
    assert_eq!(
        found,
        [("blue", vec!["hips", "hair"]), ("red", vec!["hips"]), ("left", vec!["root", "left", "right"]),]
    );
}

#[test]
fn humanoid_tables_are_honoured() {
    for extension in ["VRMC_vrm", "VRMC_vrm_animation"] {
        let mut file = arm();
        let bones = json!({"hips": {"node": 0}, "spine": {"node": 1}, "head": {"node": 2}});
        file.json["extensions"] =
            json!({extension: {"specVersion": "1.0", "humanoid": {"humanBones": bones}}});
        file.animate("LINEAR", &[(0, "translation", &[0.0, 1.0], &[0., 0., 0., 1., 0., 0.])]);
        let scene = file.import().unwrap();
        let skeleton = scene.characters[0].import.clip.skeleton();
        assert_eq!(skeleton.bone(Bone::Head), Some(JointId(2)), "{extension}");
    }
}

#[test]
fn uneven_keys_are_sampled_at_a_common_or_the_house_rate() {
    let values: &[f32] = &[0., 0., 0., 1., 0., 0., 2., 0., 0., 3., 0., 0.];
    for (times, rate, n_frames, n_warnings) in [
        ([0.0f32, 0.2, 0.4, 0.6], 5.0, 4, 0),
        ([0.0, 1.0 / 24.0, 5.0 / 24.0, 1.0], 24.0, 25, 0),
        ([0.0, 0.1, 0.217, 1.0], 60.0, 61, 1),
    ] {
        let mut file = arm();
        file.animate("LINEAR", &[(0, "translation", &times, values)]);
        let scene = file.import().unwrap();
        let import = &scene.characters[0].import;
        assert_eq!(import.clip.rate().fps(), rate);
        assert_eq!(import.clip.n_frames(), n_frames);
        // One more says that the names are nobody's.
        assert_eq!(import.warnings.len(), n_warnings + 1, "{:?}", import.warnings);
    }
}

#[test]
fn deep_trees_are_walked_without_recursion() {
    let n_nodes = 10_000;
    let nodes: Vec<Value> = (0..n_nodes)
        .map(|node| match node + 1 < n_nodes {
            true => json!({"children": [node + 1], "translation": [0, 1, 0]}),
            false => json!({"translation": [0, 1, 0]}),
        })
        .collect();
    let mut file = File::new(Value::Array(nodes));
    file.animate("LINEAR", &[(0, "translation", &[0.0], &[0., 1., 0.])]);
    let document = file.document().unwrap();
    assert_eq!(positions(&document, 0.0)[n_nodes - 1].y, n_nodes as f64);
    // As a skeleton it is too much.
    assert!(file.import().unwrap_err().to_string().contains("a skeleton of at most 4096 joints"));
}

/// What is said of the skinned arm after a change to its JSON.
fn check(pointer: &str, value: Value, expected: &str) {
    let mut file = skinned_arm();
    file.text();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    match file.json.pointer_mut(parent).unwrap() {
        Value::Array(list) => list[key.parse::<usize>().unwrap()] = value,
        object => object[key] = value,
    }
    let found = file.import().map(|_| ()).unwrap_err().to_string();
    assert_eq!(found, expected, "{pointer}");
}

#[test]
fn errors_name_the_element_and_what_was_expected() {
    check("/asset/version", json!("1.0"), "asset.version: expected 2.0, found 1.0");
    check("/asset", json!(null), "asset: expected an object, found type: null");
    check(
        "/nodes/0/children",
        json!([7]),
        "nodes[0].children[0]: expected an index into nodes, found 7, which is not there",
    );
    check(
        "/nodes/2/children",
        json!([0]),
        "nodes[0]: expected a tree of nodes, found a node that is its own ancestor",
    );
    check(
        "/nodes/2/children",
        json!([1]),
        "nodes[2].children[0]: expected a node without another parent, found 1, already a child of nodes[0]",
    );
    check(
        "/nodes/0/children",
        json!("x"),
        "nodes[0].children: expected a list of at most 131072 elements, found type: string \"x\"",
    );
    check(
        "/nodes/0/rotation",
        json!([0, 0, 0, 0]),
        "nodes[0].rotation: expected a unit quaternion, found one of length 0",
    );
    check(
        "/nodes/0/translation",
        json!([0, 0, 1e40]),
        "nodes[0].translation: expected finite numbers, found 10000000000000000000000000000000000000000",
    );
    check(
        "/nodes/0/skin",
        json!(5),
        "nodes[0].skin: expected an index into skins, found 5, which is not there",
    );
    check(
        "/skins/0/joints",
        json!([0, 0]),
        "skins[0].joints[1]: expected each joint once, found node 0 again",
    );
    check(
        "/skins/0/inverseBindMatrices",
        json!(1),
        "accessors[1].type: expected MAT4 (used by skins[0].inverseBindMatrices), found VEC4",
    );
    check(
        "/accessors/0/count",
        json!(1_000_000_000),
        "accessors[0].count: expected at most 262384 numbers, in proportion to the file, found 1000000000 × 1",
    );
    check(
        "/accessors/0/count",
        json!(4),
        "accessors[0]: expected room in bufferViews[0] for 4 elements of 4 bytes, 4 apart, from byte 0, found 12 bytes",
    );
    check(
        "/accessors/0/count",
        json!(2),
        "animations[0].samplers[0].output: expected 2 values for 2 times, found 3",
    );
    check("/accessors/0/count", json!(0), "accessors[0]: expected at least one time, found none");
    check(
        "/accessors/0/componentType",
        json!(5125),
        "accessors[0].componentType: expected 5126 (f32), or 5120 to 5123 (8 and 16 bit integers) normalised, found 5125, normalized: false",
    );
    check(
        "/accessors/0/bufferView",
        json!(9),
        "accessors[0].bufferView: expected an index into bufferViews, found 9, which is not there",
    );
    check("/accessors/0/bufferView", json!(1), "accessors[0][1]: expected a time after 0, found 0");
    check(
        "/bufferViews/0/byteStride",
        json!(2),
        "bufferViews[0].byteStride: expected at least 4, the size of an element, found 2",
    );
    check(
        "/bufferViews/0/byteLength",
        json!(1_000),
        "bufferViews[0]: expected a range of buffers[0] with its 60 bytes, found 1000 from 0",
    );
    check(
        "/bufferViews/0/extensions",
        json!({"EXT_meshopt_compression": {}}),
        "bufferViews[0]: expected a plain buffer view, found the extension EXT_meshopt_compression",
    );
    check(
        "/animations/0/channels/0/sampler",
        json!(3),
        "animations[0].channels[0].sampler: expected an index into samplers, found 3, which is not there",
    );
    check(
        "/animations/0/channels/0/target/path",
        json!("colour"),
        "animations[0].channels[0].target.path: expected translation, rotation, scale or weights, found colour",
    );
    check(
        "/animations/0/channels/0/target/node",
        json!(3),
        "animations[0].channels[0].target.node: expected an index into nodes, found 3, which is not there",
    );
    check(
        "/animations/0/samplers/0/interpolation",
        json!("BEZIER"),
        "animations[0].samplers[0].interpolation: expected LINEAR, STEP or CUBICSPLINE, found BEZIER",
    );
    check("/animations", json!([]), "file: expected an animation that moves a character, found no animation");
    check(
        "/buffers",
        json!([{"byteLength": 5, "uri": "../secret"}]),
        "buffers[0].uri: expected a file in the same folder or below it, or a data: URI, found an empty step or one of dots in \"../secret\"",
    );
    check(
        "/buffers",
        json!([{"byteLength": 5, "uri": "data:;base64,AAAA"}]),
        "buffers[0]: expected 5 bytes as byteLength says, found 3 bytes",
    );
    check(
        "/extras",
        json!({"randori": {"events": [{"kind": "hit"}]}}),
        "extras.randori.events[0]: expected an event with t and kind, found missing field `t`",
    );
}

#[test]
fn broken_text_is_shown_by_line() {
    let check = |text: &[u8], expected: &str| {
        assert_eq!(Document::parse(text, &no_files).unwrap_err().to_string(), expected);
    };
    check(b"", "line 1, column 1: expected JSON of a glTF file, found EOF while parsing a value");
    check(b"{\n\"asset\" 1", "line 2, column 9: expected JSON of a glTF file, found expected `:`");
    check(
        b"\xff\xfe",
        "byte 0: expected a GLB file or UTF-8 text of a glTF file, found bytes that are neither",
    );
    check(b"3", "the top level: expected an object, found type: integer `3`");
}

#[test]
fn times_that_do_not_increase_are_refused() {
    for (times, expected) in [
        ([0.0f32, 0.5, 0.5], "accessors[0][2]: expected a time after 0.5, found 0.5"),
        ([-1.0, 0.5, 1.0], "accessors[0][0]: expected a time not below 0, found -1"),
        ([0.0, f32::NAN, 1.0], "accessors[0][1]: expected a finite number, found NaN"),
        ([0.0, 1.0, f32::INFINITY], "accessors[0][2]: expected a finite number, found inf"),
    ] {
        let mut file = skinned_arm();
        file.bytes.splice(..12, times.map(f32::to_le_bytes).concat());
        assert_eq!(file.import().unwrap_err().to_string(), expected);
    }
}

#[test]
fn two_keys_an_age_apart_do_not_fill_the_memory() {
    let mut file = skinned_arm();
    file.bytes.splice(..12, [0.0f32, 0.01, 1e6].map(f32::to_le_bytes).concat());
    let error = file.import().unwrap_err().to_string();
    assert!(error.starts_with("animations[0]: expected at most 4194352 transforms of nodes"), "{error}");
}

#[test]
fn quaternions_that_are_not_unit_are_mended_aloud() {
    let mut file = skinned_arm();
    file.json["nodes"][2]["rotation"] = json!([0, 0, 0, 1.5]);
    let scene = file.import().unwrap();
    let warning = &scene.characters[0].import.warnings[0];
    assert_eq!(warning.to_string(), "nodes[2]: rotation has length 1.5000; it was made 1");
}

#[test]
fn many_characters_below_a_deep_chain_do_not_take_for_ever() {
    let (depth, n_characters) = (20_000, 500);
    let mut nodes: Vec<Value> = (1..depth).map(|child| json!({"children": [child]})).collect();
    nodes.push(json!({"children": (depth..depth + n_characters).collect::<Vec<_>>()}));
    nodes.extend((0..n_characters).map(|_| json!({})));
    let mut file = File::new(Value::Array(nodes));
    file.json["skins"] = (0..n_characters).map(|leaf| json!({"joints": [depth + leaf]})).collect();
    file.animate("LINEAR", &[(0, "translation", &[0.0, 1.0], &[0., 0., 0., 1., 0., 0.])]);
    let error = file.import().unwrap_err().to_string();
    assert_eq!(
        error,
        "nodes: expected at most 2097152 nodes in and above all skeletons, found 20001 for one of many characters"
    );
}
