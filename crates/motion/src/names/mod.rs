//! From the joint names of a file to the bones they play.
//!
//! Every tool names the joints of a person its own way. The tables in `conventions` know the common ways;
//! [`assign_bones`] finds out which one a skeleton follows, [`BoneOverride`] is what people write when none
//! of them fits. Prefixes that all names share (`mixamorig:`, `blue.`, `Bip01 `), case and punctuation do not
//! matter.

mod conventions;
mod overrides;

use std::collections::{BTreeMap, BTreeSet};

use crate::bone::{Bone, Side};
use crate::skeleton::{JointId, Skeleton, SkeletonError};

use conventions::{CONVENTIONS, Convention, FINGERS};
pub use overrides::{BoneOverride, OverrideError};

/// The bones without which VRM 1.0 sees no humanoid.
pub const REQUIRED: [Bone; 15] = [
    Bone::Hips,
    Bone::Spine,
    Bone::Head,
    Bone::LeftUpperLeg,
    Bone::LeftLowerLeg,
    Bone::LeftFoot,
    Bone::RightUpperLeg,
    Bone::RightLowerLeg,
    Bone::RightFoot,
    Bone::LeftUpperArm,
    Bone::LeftLowerArm,
    Bone::LeftHand,
    Bone::RightUpperArm,
    Bone::RightLowerArm,
    Bone::RightHand,
];

/// The fewest of the [`REQUIRED`] bones, the hips among them, that make names a convention and not an accident.
const ENOUGH: usize = 8;

/// Which convention a skeleton's names follow and how well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detection {
    /// The convention, such as `Mixamo`; `roles` if the skeleton came with roles of its own, `override` if a
    /// person named the bones.
    pub map: &'static str,
    /// The bones found, with their joints, in VRM's order.
    pub matched: Vec<(Bone, JointId)>,
    /// Those of the [`REQUIRED`] bones that no joint plays.
    pub missing: Vec<Bone>,
}

impl Detection {
    fn new(map: &'static str, bones: BTreeMap<Bone, JointId>) -> Detection {
        let missing = REQUIRED.into_iter().filter(|bone| !bones.contains_key(bone)).collect();
        Detection { map, matched: bones.into_iter().collect(), missing }
    }

    /// Whether enough bones were found to call the skeleton a person.
    pub fn is_humanoid(&self) -> bool {
        REQUIRED.len() - self.missing.len() >= ENOUGH && !self.missing.contains(&Bone::Hips)
    }
}

/// Why no bones could be assigned.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NamesError {
    /// The names follow no known convention.
    #[error(
        "the joint names follow no known convention (nearest: {nearest} with {matched} of {} required bones; \
         joints: {joints}); name the bones in a TOML file: [bones] hips = \"…\"",
        REQUIRED.len()
    )]
    Unknown {
        /// The convention that fits best.
        nearest: &'static str,
        /// How many of the required bones it finds.
        matched: usize,
        /// The first few joint names of the skeleton.
        joints: String,
    },
    /// The override cannot be applied.
    #[error(transparent)]
    Override(#[from] OverrideError),
    /// The skeleton refuses the roles.
    #[error(transparent)]
    Skeleton(#[from] SkeletonError),
}

/// The convention that fits the skeleton's joint names best; a skeleton whose joints already play all
/// [`REQUIRED`] bones is taken at its word.
pub fn detect(skeleton: &Skeleton) -> Detection {
    let given = Detection::new("roles", skeleton.bones().collect());
    if given.missing.is_empty() {
        return given;
    }
    let mut joints: BTreeMap<String, JointId> = BTreeMap::new();
    for id in skeleton.ids() {
        joints.entry(fold(&skeleton.joint(id).name)).or_insert(id);
    }
    let candidates = CONVENTIONS.iter().flat_map(|convention| {
        let sides = convention.sides.iter().map(move |sides| (convention, sides));
        sides.flat_map(|(convention, sides)| {
            let joints = &joints;
            prefixes(convention, skeleton).into_iter().filter_map(move |prefix| {
                let bones = match_names(convention, sides, &prefix, joints)?;
                Some((convention, Detection::new(convention.name, bones)))
            })
        })
    });
    // Of equals the first: only a strictly better candidate replaces it.
    let score = |(convention, detection): &(&Convention, Detection)| {
        let required = REQUIRED.len() - detection.missing.len();
        (required, !convention.requires.is_empty(), detection.matched.len())
    };
    let best = candidates.reduce(|best, next| if score(&next) > score(&best) { next } else { best });
    best.map_or(given, |(_, detection)| detection)
}

/// The skeleton with the bones of the convention that its names follow.
///
/// ```
/// use randori_motion::{names, Bone, Joint, JointId, Skeleton, math::Vec3};
/// let names = ["Hips", "Spine", "Head", "LeftUpLeg", "LeftLeg", "LeftFoot", "RightUpLeg", "RightLeg", "RightFoot"];
/// let joints = names.iter().enumerate().map(|(joint_idx, name)| {
///     Joint::new(format!("mixamorig:{name}"), (joint_idx > 0).then_some(JointId(0)), Vec3::Y)
/// });
/// let (skeleton, detection) = names::assign_bones(&Skeleton::new(joints.collect()).unwrap()).unwrap();
/// assert_eq!(detection.map, "Mixamo");
/// assert_eq!(skeleton.bone(Bone::RightFoot), Some(JointId(8)));
/// assert_eq!(detection.missing.len(), 6);
/// ```
pub fn assign_bones(skeleton: &Skeleton) -> Result<(Skeleton, Detection), NamesError> {
    let detection = detect(skeleton);
    if !detection.is_humanoid() {
        let names = skeleton.joints().iter().take(6).map(|joint| joint.name.as_str());
        return Err(NamesError::Unknown {
            nearest: detection.map,
            matched: REQUIRED.len() - detection.missing.len(),
            joints: names.collect::<Vec<_>>().join(", "),
        });
    }
    Ok((with_roles(skeleton, &detection.matched)?, detection))
}

/// The skeleton with the bones a person named; bones the override does not speak of come from the convention
/// that the names follow, if any.
pub fn assign_bones_with(
    skeleton: &Skeleton,
    overrides: &BoneOverride,
) -> Result<(Skeleton, Detection), NamesError> {
    let detected = detect(skeleton);
    let mut bones: BTreeMap<Bone, JointId> = match detected.is_humanoid() {
        true => detected.matched.into_iter().collect(),
        false => BTreeMap::new(),
    };
    overrides.apply(skeleton, &mut bones)?;
    let detection = Detection::new("override", bones);
    Ok((with_roles(skeleton, &detection.matched)?, detection))
}

fn with_roles(skeleton: &Skeleton, bones: &[(Bone, JointId)]) -> Result<Skeleton, SkeletonError> {
    let by_name: BTreeMap<&str, Bone> =
        bones.iter().map(|(bone, id)| (skeleton.joint(*id).name.as_str(), *bone)).collect();
    skeleton.with_bones(|joint| by_name.get(joint.name.as_str()).copied())
}

/// Lower case, letters and digits only.
fn fold(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// What may stand before all names: nothing, or what stands before a joint that ends like the hips.
fn prefixes(convention: &Convention, skeleton: &Skeleton) -> Vec<String> {
    /// Several characters in one file have several prefixes; the first is taken, but not from thousands.
    const MOST: usize = 16;
    let hips = convention.roles[0].1[0];
    let mut found: Vec<String> = Vec::new();
    for joint in skeleton.joints() {
        if let Some(prefix) = fold(&joint.name).strip_suffix(hips)
            && prefix.starts_with(convention.prefix)
            && !found.iter().any(|known| known == prefix)
        {
            found.push(prefix.to_owned());
        }
        if found.len() == MOST {
            break;
        }
    }
    found
}

/// The joints whose names are the convention's behind this prefix; `None` if a required name is missing.
fn match_names(
    convention: &Convention,
    sides: &[&str; 2],
    prefix: &str,
    joints: &BTreeMap<String, JointId>,
) -> Option<BTreeMap<Bone, JointId>> {
    let find = |name: &str| joints.get(&format!("{prefix}{name}")).copied();
    if !convention.requires.iter().all(|name| find(name).is_some()) {
        return None;
    }
    let mut bones = BTreeMap::new();
    let mut taken = BTreeSet::new();
    let mut take = |bone: Bone, patterns: &[&str], number: &str| {
        for (side, word) in Side::BOTH.into_iter().zip(sides) {
            let bone = if bone.side().is_some() { bone.on(side) } else { bone };
            let mut names = patterns.iter().map(|pattern| pattern.replace('*', word).replace('#', number));
            if !bones.contains_key(&bone)
                && let Some(id) = names.find_map(|name| find(&name).filter(|id| !taken.contains(id)))
            {
                taken.insert(id);
                bones.insert(bone, id);
            }
        }
    };
    for (bone, patterns) in convention.roles {
        take(*bone, patterns, "");
    }
    for (pattern, finger) in convention.fingers.iter().zip(FINGERS) {
        for (bone, number) in finger.into_iter().zip(["1", "2", "3"]) {
            take(bone, &[pattern], number);
        }
    }
    Some(bones)
}

#[cfg(test)]
mod tests;
