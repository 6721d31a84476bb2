//! The skeleton of Carnegie Mellon's database as converted by B. Hahne (cgspeed), known by its names.

use std::sync::Arc;

use super::{Document, WriteError, WriteOptions, write};
use crate::bone::{Bone, Side};
use crate::clip::Clip;
use crate::skeleton::{Joint, Skeleton};

/// Inches, divided by the factor 0.45 of the original ASF files.
pub(super) const METRES_PER_UNIT: f64 = 0.0254 / 0.45;

const NAMES: [&str; 31] = [
    "Hips",
    "LHipJoint",
    "LeftUpLeg",
    "LeftLeg",
    "LeftFoot",
    "LeftToeBase",
    "RHipJoint",
    "RightUpLeg",
    "RightLeg",
    "RightFoot",
    "RightToeBase",
    "LowerBack",
    "Spine",
    "Spine1",
    "Neck",
    "Neck1",
    "Head",
    "LeftShoulder",
    "LeftArm",
    "LeftForeArm",
    "LeftHand",
    "LeftFingerBase",
    "LeftHandIndex1",
    "LThumb",
    "RightShoulder",
    "RightArm",
    "RightForeArm",
    "RightHand",
    "RightFingerBase",
    "RightHandIndex1",
    "RThumb",
];

/// Whether the file has these joints and no others, in this order.
pub(super) fn has_cmu_names(document: &Document) -> bool {
    document.nodes().iter().map(|node| node.name.as_str()).eq(NAMES)
}

/// The text of a BVH file with Carnegie Mellon's names, unit and first row, for tools that expect them.
///
/// Joints without a role keep their names. Bones that these files lack are left where they hang.
pub fn write_as_cmu(clip: &Clip) -> Result<String, WriteError> {
    let joints = clip.skeleton().joints().iter().map(|joint| Joint {
        name: joint.bone.and_then(name_of).unwrap_or_else(|| joint.name.clone()),
        ..joint.clone()
    });
    // The same joints under other names: if two should clash, the file keeps the old ones.
    let renamed = Skeleton::new(joints.collect()).ok().and_then(|s| clip.clone().with_skeleton(Arc::new(s)));
    let options =
        WriteOptions { metres_per_unit: METRES_PER_UNIT, rest_row: true, ..WriteOptions::default() };
    write(renamed.as_ref().unwrap_or(clip), &options)
}

/// The name of a bone in these files.
fn name_of(bone: Bone) -> Option<String> {
    let side = match bone.side() {
        None => "",
        Some(Side::Left) => "Left",
        Some(Side::Right) => "Right",
    };
    let name = match bone.on(Side::Left) {
        Bone::Hips => "Hips",
        Bone::Spine => "LowerBack",
        Bone::Chest => "Spine",
        Bone::UpperChest => "Spine1",
        Bone::Neck => "Neck1",
        Bone::Head => "Head",
        Bone::LeftShoulder => "Shoulder",
        Bone::LeftUpperArm => "Arm",
        Bone::LeftLowerArm => "ForeArm",
        Bone::LeftHand => "Hand",
        Bone::LeftUpperLeg => "UpLeg",
        Bone::LeftLowerLeg => "Leg",
        Bone::LeftFoot => "Foot",
        Bone::LeftToes => "ToeBase",
        _ => return None,
    };
    Some(format!("{side}{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Build;
    use crate::formats::ImportOptions;
    use crate::rate::FrameRate;

    #[test]
    fn files_with_their_names_come_back_in_metres() {
        let skeleton = Arc::new(Build::AVERAGE.skeleton());
        let poses = vec![skeleton.rest_pose(); 3];
        let clip = Clip::from_poses("stand", Arc::clone(&skeleton), FrameRate::HOUSE, poses).unwrap();
        let text = write_as_cmu(&clip).unwrap();
        assert!(text.contains("JOINT LeftForeArm") && text.contains("JOINT Spine1"));
        let options = ImportOptions { scale: Some(METRES_PER_UNIT), ..Default::default() };
        let back = super::super::import("stand", text.as_bytes(), &options).unwrap().clip;
        assert!((back.frame(0).root() - clip.frame(0).root()).length() < 1e-5);
        assert!(back.skeleton().bone(Bone::RightToes).is_some());
    }
}
