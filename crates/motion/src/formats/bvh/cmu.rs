//! The skeleton of Carnegie Mellon's database as converted by B. Hahne (cgspeed), known by its names.

use super::Document;

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
