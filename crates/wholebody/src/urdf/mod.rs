//! Models from URDF text.
//!
//! Links fixed to others are merged into them and keep a frame of their name. Joints come depth first,
//! children in the order of their names, which is the order other readers of the format use. Collision
//! shapes that are boxes, cylinders, spheres or capsules are kept; meshes lie in other files and are
//! listed as skipped. What a robot looks like is not read at all.

mod text;

use std::collections::BTreeMap;

use glam::{DMat3, DVec3};
use urdf_rs::{Geometry, JointType, Robot};

pub use self::text::MAX_TEXT;
use crate::dynamics::{self, Workspace};
use crate::model::{
    BodyId, JointKind, JointSpec, Limits, MAX_BODIES, Model, ModelBuilder, ModelError, Shape,
};
use crate::spatial::{Inertia, Pose, Symmetric};

/// A joint that moves less than this share of what hangs on it moves nothing (-): some digits above rounding.
const LOOSE: f64 = 1e-11;

/// How to read a URDF.
#[derive(Clone, Debug, PartialEq)]
pub struct UrdfOptions {
    /// Hang the root link on a floating joint named `root_joint` instead of fixing it to the world.
    pub floating_base: bool,
    /// Joints to freeze at position zero.
    pub locked: Vec<String>,
}

impl Default for UrdfOptions {
    fn default() -> Self {
        UrdfOptions { floating_base: true, locked: Vec::new() }
    }
}

/// A model and what of its text was left out.
#[derive(Clone, Debug)]
pub struct UrdfModel {
    /// The model.
    pub model: Model,
    /// In words: meshes that were skipped, couplings that were ignored.
    pub warnings: Vec<String>,
    /// The link each joint moves, by the joint's name; fixed joints and `root_joint` too.
    pub link_of_joint: BTreeMap<String, String>,
    /// Mass of the links that are fixed to the world (kg); no part of the model.
    pub fixed_mass: f64,
}

/// Reads a model from the text of a URDF file.
///
/// ```
/// use randori_wholebody::urdf::{UrdfOptions, read_urdf};
/// let text = r#"<robot name="swing"><link name="hook"/>
///   <link name="bob"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
///   <joint name="pivot" type="revolute"><parent link="hook"/><child link="bob"/><axis xyz="0 0 1"/>
///     <limit lower="-1" upper="1" effort="5" velocity="3"/></joint></robot>"#;
/// let read = read_urdf(text, &UrdfOptions { floating_base: false, ..UrdfOptions::default() })?;
/// assert_eq!(read.model.n_v, 1);
/// # Ok::<(), randori_wholebody::model::ModelError>(())
/// ```
pub fn read_urdf(text: &str, options: &UrdfOptions) -> Result<UrdfModel, ModelError> {
    text::check(text)?;
    let text = text::without_looks(text);
    let robot = urdf_rs::read_from_string(&text).map_err(|error| unreadable(&text, &error))?;
    if robot.links.len() > MAX_BODIES {
        return Err(ModelError::TooLarge { what: "links", found: robot.links.len(), cap: MAX_BODIES });
    }
    let tree = Tree::of(&robot)?;
    for name in &options.locked {
        if !robot.joints.iter().any(|joint| joint.name == *name) {
            let wanted_by = "the list of locked joints".into();
            return Err(ModelError::Missing { wanted_by, what: "joint", name: name.clone() });
        }
    }
    let mut reader = Reader {
        robot: &robot,
        tree: &tree,
        options,
        builder: ModelBuilder::new(robot.name.clone()),
        warnings: Vec::new(),
        fixed_mass: 0.0,
    };
    let root = tree.root;
    let base = if options.floating_base {
        let spec = JointSpec::new("root_joint", JointKind::Floating).with_limits(Limits::PASSIVE);
        Some(reader.builder.add_body(None, &robot.links[root].name, spec, inertia_of(&robot, root)?)?)
    } else {
        reader.builder.add_frame(&robot.links[root].name, None, Pose::IDENTITY)?;
        reader.fixed_mass += inertia_of(&robot, root)?.mass;
        None
    };
    reader.shapes(root, base, &Pose::IDENTITY)?;
    reader.children(root, base, Pose::IDENTITY)?;
    let Reader { builder, warnings, fixed_mass, .. } = reader;
    let pairs = robot.joints.iter().map(|joint| (joint.name.clone(), joint.child.link.clone()));
    let mut link_of_joint: BTreeMap<String, String> = pairs.collect();
    if options.floating_base {
        link_of_joint.insert("root_joint".into(), robot.links[root].name.clone());
    }
    let model = builder.build()?;
    if let Some(joint) = loose_joint(&model) {
        let joint = model.joints[joint].name.clone();
        let link = &link_of_joint[&joint];
        let why = format!("its link `{link}` has no mass, and what hangs on it can stay where it is");
        return Err(ModelError::Joint { joint, why });
    }
    Ok(UrdfModel { model, warnings, link_of_joint, fixed_mass })
}

/// A joint that moves without moving any mass, because others can move against it, so that accelerations are not
/// determined. Only a link without mass of its own can have one.
///
/// Reference: \[Featherstone2008\], chapter 6: the mass matrix is factorised from the tips inwards, along branches.
fn loose_joint(model: &Model) -> Option<usize> {
    let n = model.n_v;
    let mut q = model.neutral();
    // Nowhere special: at rest axes may be parallel that are not elsewhere.
    let step: Vec<f64> = (0..n).map(|k| 0.5 * libm::sin(1.0 + k as f64)).collect();
    model.integrate(&mut q, &step);
    let mut workspace = Workspace::new(model);
    dynamics::place(model, &mut workspace, &q);
    dynamics::weigh(model, &mut workspace);
    dynamics::mass_matrix(model, &mut workspace);
    let matrix = &mut workspace.mass_matrix;
    let whole: Vec<f64> = (0..n).map(|k| matrix[k * n + k]).collect();
    for k in (0..n).rev() {
        let pivot = matrix[k * n + k];
        if !(pivot > LOOSE * whole[k]) {
            return Some(model.dofs[k].joint);
        }
        let mut row = model.dofs[k].towards_base;
        while let Some(i) = row {
            let factor = matrix[k * n + i] / pivot;
            let mut column = Some(i);
            while let Some(j) = column {
                matrix[i * n + j] -= factor * matrix[k * n + j];
                column = model.dofs[j].towards_base;
            }
            row = model.dofs[i].towards_base;
        }
    }
    None
}

/// The reader's own message does not name the element, so find the first that it refuses by itself.
fn unreadable(text: &str, error: &urdf_rs::UrdfError) -> ModelError {
    const KNOWN: [&str; 7] =
        ["revolute", "continuous", "prismatic", "fixed", "floating", "planar", "spherical"];
    for element in text::links_and_joints(text) {
        let name = element.attribute(text, "name").unwrap_or("?");
        if element.tag == "joint"
            && let Some(kind) = element.attribute(text, "type")
            && !KNOWN.contains(&kind)
        {
            return ModelError::Joint { joint: name.into(), why: format!("unknown type `{kind}`") };
        }
        if let Err(why) = urdf_rs::read_from_string(&text::alone(text, &element)) {
            let line = text::line_of(text, element.range.start);
            return ModelError::Urdf { why: format!("line {line}: {} `{name}`: {why}", element.tag) };
        }
    }
    ModelError::Urdf { why: error.to_string() }
}

/// Who hangs on whom.
struct Tree {
    root: usize,
    /// Joints below each link, sorted by name.
    below: Vec<Vec<usize>>,
    /// Child link of each joint.
    child: Vec<usize>,
}

impl Tree {
    fn of(robot: &Robot) -> Result<Tree, ModelError> {
        let mut links = BTreeMap::new();
        for (idx, link) in robot.links.iter().enumerate() {
            if links.insert(link.name.as_str(), idx).is_some() {
                return Err(ModelError::Duplicate { what: "link", name: link.name.clone() });
            }
        }
        let mut below = vec![Vec::new(); robot.links.len()];
        let mut child = Vec::new();
        let mut parent_of: Vec<Option<usize>> = vec![None; robot.links.len()];
        for (joint_idx, joint) in robot.joints.iter().enumerate() {
            let find = |name: &str| {
                links.get(name).copied().ok_or_else(|| ModelError::Missing {
                    wanted_by: format!("joint `{}`", joint.name),
                    what: "link",
                    name: name.to_owned(),
                })
            };
            let (from, to) = (find(&joint.parent.link)?, find(&joint.child.link)?);
            if parent_of[to].replace(from).is_some() {
                let (link, why) = (joint.child.link.clone(), "it is the child of two joints".into());
                return Err(ModelError::NotATree { link, why });
            }
            below[from].push(joint_idx);
            child.push(to);
        }
        for joints in &mut below {
            joints.sort_by(|a, b| robot.joints[*a].name.cmp(&robot.joints[*b].name));
        }
        let roots: Vec<usize> = (0..robot.links.len()).filter(|link| parent_of[*link].is_none()).collect();
        let name = |link: usize| robot.links[link].name.clone();
        let &[root, ..] = roots.as_slice() else {
            return match robot.links.first() {
                Some(link) => Err(ModelError::NotATree {
                    link: link.name.clone(),
                    why: "every link has a parent, so they form a loop".into(),
                }),
                None => Err(ModelError::Empty { name: robot.name.clone() }),
            };
        };
        if let Some(second) = roots.get(1) {
            let why = format!("neither it nor `{}` hangs on another link", name(root));
            return Err(ModelError::NotATree { link: name(*second), why });
        }
        // One root and one parent each: whoever does not reach the root goes round in a circle.
        for start in 0..robot.links.len() {
            let mut at = start;
            for _ in 0..robot.links.len() {
                at = parent_of[at].unwrap_or(at);
            }
            if at != root {
                return Err(ModelError::NotATree { link: name(start), why: "it is part of a loop".into() });
            }
        }
        Ok(Tree { root, below, child })
    }
}

struct Reader<'a> {
    robot: &'a Robot,
    tree: &'a Tree,
    options: &'a UrdfOptions,
    builder: ModelBuilder,
    warnings: Vec<String>,
    fixed_mass: f64,
}

impl Reader<'_> {
    /// Adds everything below `link`, which sits at `body_from_link` on `body` (`None`: the world).
    fn children(
        &mut self,
        link: usize,
        body: Option<BodyId>,
        body_from_link: Pose,
    ) -> Result<(), ModelError> {
        // An explicit stack: the depth of the tree is the file's choice. Last in, first out, so reversed.
        let mut stack: Vec<(usize, Option<BodyId>, Pose)> = Vec::new();
        let tree = self.tree;
        let push = |stack: &mut Vec<_>, link: usize, body, pose| {
            stack.extend(tree.below[link].iter().rev().map(|joint| (*joint, body, pose)));
        };
        push(&mut stack, link, body, body_from_link);
        while let Some((joint_idx, body, body_from_parent)) = stack.pop() {
            let joint = &self.robot.joints[joint_idx];
            let child = tree.child[joint_idx];
            let link = &self.robot.links[child];
            let body_from_joint = body_from_parent * pose_of(&joint.origin);
            let inertia = inertia_of(self.robot, child)?;
            let locked = self.options.locked.contains(&joint.name);
            if locked || joint.joint_type == JointType::Fixed {
                match body {
                    Some(body) => self.builder.add_mass(&link.name, body, &body_from_joint, inertia)?,
                    None => self.fixed_mass += inertia.mass,
                }
                self.builder.add_frame(&link.name, body, body_from_joint)?;
                self.shapes(child, body, &body_from_joint)?;
                push(&mut stack, child, body, body_from_joint);
                continue;
            }
            if joint.mimic.is_some() {
                self.warnings.push(format!("joint `{}`: its coupling (mimic) is ignored", joint.name));
            }
            let spec = spec_of(joint)?.at(body_from_joint);
            let new = self.builder.add_body(body, &link.name, spec, inertia)?;
            self.shapes(child, Some(new), &Pose::IDENTITY)?;
            push(&mut stack, child, Some(new), Pose::IDENTITY);
        }
        Ok(())
    }

    fn shapes(&mut self, link: usize, body: Option<BodyId>, body_from_link: &Pose) -> Result<(), ModelError> {
        let link = &self.robot.links[link];
        for (idx, collision) in link.collision.iter().enumerate() {
            // URDF's cylinders and capsules lie along z, ours along y.
            let upright = Pose {
                rotation: DMat3::from_rotation_x(std::f64::consts::FRAC_PI_2),
                translation: DVec3::ZERO,
            };
            let (shape, turned) = match &collision.geometry {
                Geometry::Box { size } => {
                    (Shape::Box { half: DVec3::from_array(size.0) * 0.5 }, Pose::IDENTITY)
                }
                Geometry::Sphere { radius } => (Shape::Ball { radius: *radius }, Pose::IDENTITY),
                Geometry::Cylinder { radius, length } => {
                    (Shape::Cylinder { half_length: 0.5 * length, radius: *radius }, upright)
                }
                Geometry::Capsule { radius, length } => {
                    (Shape::Capsule { half_length: 0.5 * length, radius: *radius }, upright)
                }
                Geometry::Mesh { filename, .. } => {
                    self.warnings.push(format!("link `{}`: the mesh `{filename}` is not read", link.name));
                    continue;
                }
            };
            let place = *body_from_link * pose_of(&collision.origin) * turned;
            let frame = self.builder.add_frame(format!("{}#shape{idx}", link.name), body, place)?;
            self.builder.add_shape(frame, shape)?;
        }
        Ok(())
    }
}

fn spec_of(joint: &urdf_rs::Joint) -> Result<JointSpec, ModelError> {
    let refuse = |why: String| Err(ModelError::Joint { joint: joint.name.clone(), why });
    let axis = DVec3::from_array(joint.axis.xyz.0);
    let unit = axis.try_normalize();
    let needs_axis = !matches!(joint.joint_type, JointType::Floating | JointType::Spherical);
    let axis = match unit {
        Some(unit) => unit,
        None if needs_axis => return refuse(format!("its axis {axis} has no direction")),
        None => DVec3::Z,
    };
    let kind = match joint.joint_type {
        JointType::Revolute => JointKind::Revolute(axis),
        JointType::Continuous => JointKind::Continuous(axis),
        JointType::Prismatic => JointKind::Prismatic(axis),
        JointType::Spherical => JointKind::Spherical,
        JointType::Floating => JointKind::Floating,
        JointType::Planar => return refuse("planar joints are not supported".into()),
        JointType::Fixed => return refuse("a fixed joint moves nothing".into()),
    };
    let unlimited = [f64::NEG_INFINITY, f64::INFINITY];
    let bounded = matches!(kind, JointKind::Revolute(_) | JointKind::Prismatic(_));
    let limits = Limits {
        position: if bounded { [joint.limit.lower, joint.limit.upper] } else { unlimited },
        velocity: joint.limit.velocity,
        torque: (kind != JointKind::Floating).then_some(joint.limit.effort),
    };
    Ok(JointSpec::new(&joint.name, kind).with_limits(limits))
}

fn pose_of(pose: &urdf_rs::Pose) -> Pose {
    let [roll, pitch, yaw] = pose.rpy.0;
    let rotation = DMat3::from_rotation_z(yaw) * DMat3::from_rotation_y(pitch) * DMat3::from_rotation_x(roll);
    Pose { rotation, translation: DVec3::from_array(pose.xyz.0) }
}

fn inertia_of(robot: &Robot, link: usize) -> Result<Inertia, ModelError> {
    let inertial = &robot.links[link].inertial;
    let i = &inertial.inertia;
    let local = Inertia {
        mass: inertial.mass.value,
        center: DVec3::ZERO,
        about_center: Symmetric::new(i.ixx, i.iyy, i.izz, i.ixy, i.ixz, i.iyz),
    };
    match local.fault() {
        Some(why) => Err(ModelError::Inertia { link: robot.links[link].name.clone(), why }),
        None => Ok(local.seen_from(&pose_of(&inertial.origin))),
    }
}
