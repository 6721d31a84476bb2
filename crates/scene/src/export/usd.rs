//! USD: a whole take as one text file (`.usda`) that Houdini, Maya, Omniverse, Blender and usdview open.
//!
//! - Metres, +Y up; time codes are sixtieths of a second, those of the take.
//! - Each character is a `SkelRoot` with its `Skeleton` (bound in the rest pose), its `SkelAnimation` and the skinned
//!   mannequin. Joints are named as in the GLB, after the bone they play.
//! - Props are trees of `Xform`s with a mesh for each piece.
//! - Whoever is not there all the time is invisible outside its span.
//! - `customLayerData` holds `randori:seed` and, as JSON, `randori:events`.
//!
//! Names become what USD allows: letters, digits and underscores. The own name of a character or prop stays readable
//! as its `displayName`.

use std::collections::BTreeSet;
use std::fmt::{Display, Write as _};

use glam::{Mat4, Quat, Vec3};
use randori_motion::take::{Color, Piece};
use randori_motion::{Body, Character, Clip, Prop, Skeleton, Take};

use super::ExportError;
use super::glb::{bone_names, shown, tidy_weights, unique};
use crate::mannequin::{Mesh, mannequin, shape_mesh};

/// Time codes in a second.
const CODES: f64 = 60.0;
/// The prim that holds everything.
const SCENE: &str = "Scene";

/// The text of a USD file that holds the take. The same take gives the same bytes.
///
/// ```
/// use std::sync::Arc;
/// use randori_motion::{Build, Character, Clip, FrameRate, Take};
///
/// let body = Arc::new(Build::AVERAGE.body());
/// let poses = vec![body.skeleton.rest_pose(); 2];
/// let clip = Clip::from_poses("stand", Arc::clone(&body.skeleton), FrameRate::HOUSE, poses).unwrap();
/// let mut take = Take::new("alone", 1);
/// take.characters.push(Character { name: "blue".into(), color: [0.1, 0.3, 0.8], body, enter: 0.0, clip });
/// let text = randori_scene::export::usd(&take).unwrap();
/// assert!(text.starts_with("#usda 1.0") && text.contains("def SkelRoot \"blue\""));
/// ```
pub fn usd(take: &Take) -> Result<String, ExportError> {
    take.validate()?;
    let events =
        serde_json::to_string(&take.events).map_err(|error| ExportError::Events(error.to_string()))?;
    let mut page = Page { duration: take.duration(), ..Page::default() };
    page.line("#usda 1.0");
    page.block("(", ")", |page| {
        page.line(format!("defaultPrim = {}", quoted(SCENE)));
        page.line(format!("doc = {}", quoted(&take.name)));
        page.line("metersPerUnit = 1");
        page.line("upAxis = \"Y\"");
        page.line(format!("timeCodesPerSecond = {CODES}"));
        page.line(format!("framesPerSecond = {CODES}"));
        page.line("startTimeCode = 0");
        page.line(format!("endTimeCode = {}", CODES * page.duration));
        page.block("customLayerData = {", "}", |page| {
            page.line(format!("string \"randori:seed\" = \"{}\"", take.seed));
            page.line(format!("string \"randori:events\" = {}", quoted(&events)));
        });
    });
    page.block(&format!("def Xform \"{SCENE}\"\n{{"), "}", |page| {
        for character in &take.characters {
            page.character(character);
        }
        for prop in &take.props {
            page.prop(prop);
        }
    });
    Ok(page.text)
}

/// The file under construction.
#[derive(Default)]
struct Page {
    text: String,
    depth: usize,
    /// Names of prims at the top of the scene.
    names: BTreeSet<String>,
    /// Of the whole take (s).
    duration: f64,
}

/// The time that a character or prop is there.
struct Span<'a> {
    enter: f64,
    clip: &'a Clip,
}

impl Page {
    fn line(&mut self, line: impl Display) {
        for part in line.to_string().split('\n') {
            self.text.extend(std::iter::repeat_n("    ", self.depth));
            self.text.push_str(part);
            self.text.push('\n');
        }
    }

    fn block(&mut self, open: &str, close: &str, inside: impl FnOnce(&mut Page)) {
        self.line(open);
        self.depth += 1;
        inside(self);
        self.depth -= 1;
        self.line(close);
    }

    fn prim(&mut self, kind: &str, name: &str, about: &[String], inside: impl FnOnce(&mut Page)) {
        let about =
            if about.is_empty() { String::new() } else { format!(" (\n    {}\n)", about.join("\n    ")) };
        self.block(&format!("def {kind} \"{name}\"{about}\n{{"), "}", inside);
    }

    /// A name of its own at the top of the scene.
    fn name(&mut self, name: &str) -> String {
        unique(&identifier(name), &mut self.names)
    }

    fn character(&mut self, character: &Character) {
        let name = self.name(&character.name);
        let path = format!("/{SCENE}/{name}");
        let span = Span { enter: character.enter, clip: &character.clip };
        let skeleton = character.clip.skeleton();
        let joints = joint_paths(skeleton);
        let about = [SKINNED.to_owned(), format!("displayName = {}", quoted(&character.name))];
        self.prim("SkelRoot", &name, &about, |page| {
            page.visibility(&span);
            page.skeleton(skeleton, &joints, &path);
            page.animation(&span, &joints);
            page.mannequin(&character.body, character.color, &path);
        });
    }

    fn skeleton(&mut self, skeleton: &Skeleton, joints: &str, path: &str) {
        let rest = skeleton.rest_pose();
        let bound = skeleton.global_pose(rest.view());
        let bind = bound.rotations.iter().zip(&bound.positions).map(|(r, p)| matrix(*r, *p));
        let local = skeleton.joints().iter().map(|joint| matrix(joint.rest_rotation, joint.offset));
        self.prim("Skeleton", "Skeleton", &[SKINNED.to_owned()], |page| {
            page.line(format!("uniform token[] joints = {joints}"));
            page.line(format!("uniform matrix4d[] bindTransforms = {}", list(bind)));
            page.line(format!("uniform matrix4d[] restTransforms = {}", list(local)));
            page.line(format!("rel skel:animationSource = <{path}/Animation>"));
        });
    }

    fn animation(&mut self, span: &Span<'_>, joints: &str) {
        let skeleton = span.clip.skeleton();
        let place = |translations: &[Vec3]| {
            let of = |id| match skeleton.translation_idx(id) {
                Some(at) => translations[at],
                None => skeleton.joint(id).offset,
            };
            list(skeleton.ids().map(of).map(point))
        };
        self.prim("SkelAnimation", "Animation", &[], |page| {
            page.line(format!("uniform token[] joints = {joints}"));
            page.samples("float3[] translations", span, |pose| place(pose.translations));
            page.samples("quatf[] rotations", span, |pose| list(pose.rotations.iter().map(turn)));
            page.line(format!("half3[] scales = {}", list(skeleton.ids().map(|_| "(1, 1, 1)"))));
        });
    }

    fn mannequin(&mut self, body: &Body, color: Color, path: &str) {
        let mut skin = mannequin(body);
        if skin.indices.is_empty() {
            return;
        }
        for (joints, weights) in skin.joints.iter_mut().zip(&mut skin.weights) {
            tidy_weights(joints, weights);
        }
        let tone = |tone: &f32| point(Vec3::from_array(shown(color)) * *tone);
        self.prim("Mesh", "Mannequin", &[SKINNED.to_owned()], |page| {
            page.mesh(&skin.positions, &skin.normals, &skin.indices);
            page.line(format!("color3f[] primvars:displayColor = {} (", list(skin.tones.iter().map(tone))));
            page.line("    interpolation = \"vertex\"\n)");
            let four = "    elementSize = 4\n    interpolation = \"vertex\"\n)";
            page.line(format!("int[] primvars:skel:jointIndices = {} (", list(skin.joints.iter().flatten())));
            page.line(four);
            page.line(format!(
                "float[] primvars:skel:jointWeights = {} (",
                list(skin.weights.iter().flatten())
            ));
            page.line(four);
            page.line(format!("rel skel:skeleton = <{path}/Skeleton>"));
        });
    }

    fn mesh(&mut self, positions: &[Vec3], normals: &[Vec3], indices: &[u32]) {
        self.line("uniform token subdivisionScheme = \"none\"");
        self.line(format!("int[] faceVertexCounts = {}", list(indices.chunks(3).map(<[u32]>::len))));
        self.line(format!("int[] faceVertexIndices = {}", list(indices)));
        self.line(format!("point3f[] points = {}", list(positions.iter().copied().map(point))));
        self.line(format!("normal3f[] normals = {} (", list(normals.iter().copied().map(point))));
        self.line("    interpolation = \"vertex\"\n)");
    }

    fn prop(&mut self, prop: &Prop) {
        let name = self.name(&prop.name);
        let span = Span { enter: prop.enter, clip: &prop.clip };
        let skeleton = prop.clip.skeleton();
        let names = identifiers(skeleton);
        self.prim("Xform", &name, &[format!("displayName = {}", quoted(&prop.name))], |page| {
            page.visibility(&span);
            for root in skeleton.ids().filter(|id| skeleton.joint(*id).parent.is_none()) {
                page.part(prop, &span, &names, root.idx());
            }
        });
    }

    /// A joint of a prop with its pieces, and all that hangs on it.
    fn part(&mut self, prop: &Prop, span: &Span<'_>, names: &[String], at: usize) {
        let skeleton = prop.clip.skeleton();
        let Some(id) = skeleton.ids().nth(at) else { return };
        self.prim("Xform", &names[at], &[], |page| {
            match skeleton.translation_idx(id) {
                Some(idx) => {
                    page.samples("float3 xformOp:translate", span, |pose| point(pose.translations[idx]))
                }
                None => page.line(format!("float3 xformOp:translate = {}", point(skeleton.joint(id).offset))),
            }
            page.samples("quatf xformOp:orient", span, |pose| turn(&pose.rotations[at]));
            page.line(PLACED);
            for (number, piece) in prop.pieces.iter().enumerate().filter(|(_, piece)| piece.joint == id) {
                page.piece(piece, number, prop.color);
            }
            for child in skeleton.children(id) {
                page.part(prop, span, names, child.idx());
            }
        });
    }

    fn piece(&mut self, piece: &Piece, number: usize, color: Color) {
        let Mesh { positions, normals, indices } = shape_mesh(&piece.shape);
        if indices.is_empty() {
            return;
        }
        self.prim("Mesh", &format!("piece{number}"), &[], |page| {
            page.line(format!("float3 xformOp:translate = {}", point(piece.center)));
            page.line(format!("quatf xformOp:orient = {}", turn(&piece.rotation.normalize())));
            page.line(PLACED);
            page.mesh(&positions, &normals, &indices);
            page.line(format!(
                "color3f[] primvars:displayColor = [{}]",
                point(Vec3::from_array(shown(color)))
            ));
        });
    }

    /// An attribute over the time that somebody is there.
    fn samples(
        &mut self,
        attribute: &str,
        span: &Span<'_>,
        value: impl Fn(randori_motion::PoseView<'_>) -> String,
    ) {
        let rate = span.clip.rate();
        self.block(&format!("{attribute}.timeSamples = {{"), "}", |page| {
            for (frame, pose) in span.clip.frames().enumerate() {
                page.line(format!("{}: {},", code(span.enter + rate.time_of(frame)), value(pose)));
            }
        });
    }

    /// When somebody comes and goes, unless they are there from beginning to end.
    fn visibility(&mut self, span: &Span<'_>) {
        let (enter, exit) = (span.enter, span.enter + span.clip.rate().time_of(span.clip.n_frames()));
        let mut keys = vec![(0.0, enter <= 0.0)];
        if enter > 0.0 {
            keys.push((enter, true));
        }
        if exit <= self.duration {
            keys.push((exit, false));
        }
        if keys.len() == 1 {
            return;
        }
        self.block("token visibility.timeSamples = {", "}", |page| {
            for (time, is_there) in keys {
                let word = if is_there { "inherited" } else { "invisible" };
                page.line(format!("{}: \"{word}\",", code(time)));
            }
        });
    }
}

const SKINNED: &str = "prepend apiSchemas = [\"SkelBindingAPI\"]";
const PLACED: &str = "uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]";

/// A time (s) as a time code; whole where a frame is meant.
fn code(seconds: f64) -> f64 {
    let code = CODES * seconds;
    if (code - code.round()).abs() < 1e-6 { code.round() } else { code }
}

fn list(items: impl IntoIterator<Item: Display>) -> String {
    let mut text = String::from("[");
    for (number, item) in items.into_iter().enumerate() {
        // Text cannot fail to be written to.
        let _ = write!(text, "{}{item}", if number == 0 { "" } else { ", " });
    }
    text + "]"
}

fn point(Vec3 { x, y, z }: Vec3) -> String {
    format!("({x}, {y}, {z})")
}

/// USD writes the real part first.
fn turn(Quat { x, y, z, w }: &Quat) -> String {
    format!("({w}, {x}, {y}, {z})")
}

/// USD multiplies rows from the left: its rows are our columns.
fn matrix(rotation: Quat, translation: Vec3) -> String {
    let columns = Mat4::from_rotation_translation(rotation, translation).to_cols_array_2d();
    let row = |[a, b, c, d]: &[f32; 4]| format!("({a}, {b}, {c}, {d})");
    format!("({})", columns.iter().map(row).collect::<Vec<_>>().join(", "))
}

/// Text between quotation marks.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            control if control.is_control() => quoted.push(' '),
            letter => quoted.push(letter),
        }
    }
    quoted + "\""
}

/// A name as USD allows it.
fn identifier(name: &str) -> String {
    let mut text: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if !text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        text.insert(0, '_');
    }
    text
}

/// Names of joints, no two alike.
fn identifiers(skeleton: &Skeleton) -> Vec<String> {
    let mut taken = BTreeSet::new();
    bone_names(skeleton).iter().map(|name| unique(&identifier(name), &mut taken)).collect()
}

/// Joints by their way from the root, as a list.
fn joint_paths(skeleton: &Skeleton) -> String {
    let names = identifiers(skeleton);
    let mut paths: Vec<String> = Vec::with_capacity(names.len());
    for (joint, name) in skeleton.joints().iter().zip(names) {
        paths.push(match joint.parent {
            Some(parent) => format!("{}/{name}", paths[parent.idx()]),
            None => name,
        });
    }
    list(paths.iter().map(|path| quoted(path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_words_are_as_usd_allows() {
        for (name, expected) in [("blue", "blue"), ("foe-1", "foe_1"), ("1st", "_1st"), ("", "_"), ("ö", "_")]
        {
            assert_eq!(identifier(name), expected);
        }
        assert_eq!(quoted("a \"b\"\\\n\u{7}"), "\"a \\\"b\\\"\\\\\\n \"");
        assert_eq!(turn(&Quat::from_xyzw(0.0, 0.6, 0.0, 0.8)), "(0.8, 0, 0.6, 0)");
        assert_eq!(
            matrix(Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.5)),
            "((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (1, 2, 3.5, 1))"
        );
    }

    #[test]
    fn whoever_comes_late_is_not_seen_before() {
        let take = randori_testkit::takes::motley();
        let text = usd(&take).unwrap();
        assert_eq!(text.matches("def SkelRoot").count(), 3);
        let spans = take.characters.iter().map(|it| (it.enter, it.clip.rate(), it.clip.n_frames()));
        let things = take.props.iter().map(|it| (it.enter, it.clip.rate(), it.clip.n_frames()));
        let is_absent = |(enter, rate, n_frames): (f64, randori_motion::FrameRate, usize)| {
            enter > 0.0 || enter + rate.time_of(n_frames) <= take.duration()
        };
        let absent = spans.chain(things).filter(|it| is_absent(*it)).count();
        assert!(absent >= 2);
        assert_eq!(text.matches("token visibility.timeSamples").count(), absent);
        assert!(text.contains("30: \"inherited\""), "{}", &text[..600]);
        assert_eq!(text.matches('{').count(), text.matches('}').count());
        assert_eq!(usd(&take).unwrap(), text);
    }
}
