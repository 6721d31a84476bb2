//! How the tools of the trade name the joints of a person, as data.
//!
//! Names stand folded: lower case, letters and digits only. `*` is the side as the convention spells it, `#`
//! the number of a finger's joint from the knuckle outwards (1 to 3). Where a role lists several names, the
//! first one that the skeleton has plays it.

use crate::bone::Bone::{self, *};

/// One way of naming.
pub(super) struct Convention {
    pub(super) name: &'static str,
    /// What the common prefix of all names must begin with, such as `mixamorig`; empty if any will do.
    pub(super) prefix: &'static str,
    /// Names that tell this convention from its neighbours; all must be there.
    pub(super) requires: &'static [&'static str],
    /// Spellings of left and right.
    pub(super) sides: &'static [[&'static str; 2]],
    /// Roles and names; sided roles in their left form.
    pub(super) roles: &'static [(Bone, &'static [&'static str])],
    /// Thumb, index, middle, ring and little finger; empty if the convention has none.
    pub(super) fingers: &'static [&'static str],
}

const WORDS: &[[&str; 2]] = &[["left", "right"]];
const LETTERS: &[[&str; 2]] = &[["l", "r"]];
const WORDS_OR_LETTERS: &[[&str; 2]] = &[["left", "right"], ["l", "r"]];

/// The names of MotionBuilder's character template, which Mixamo and many captures share.
const HUMAN_IK: &[(Bone, &[&str])] = &[
    (Hips, &["hips"]),
    (Spine, &["spine"]),
    (Chest, &["spine1"]),
    (UpperChest, &["spine9", "spine8", "spine7", "spine6", "spine5", "spine4", "spine3", "spine2"]),
    (Neck, &["neck"]),
    (Head, &["head"]),
    (LeftEye, &["*eye"]),
    (Jaw, &["jaw"]),
    (LeftUpperLeg, &["*upleg"]),
    (LeftLowerLeg, &["*leg"]),
    (LeftFoot, &["*foot"]),
    (LeftToes, &["*toebase", "*toe"]),
    (LeftShoulder, &["*shoulder"]),
    (LeftUpperArm, &["*arm"]),
    (LeftLowerArm, &["*forearm"]),
    (LeftHand, &["*hand"]),
];

const HUMAN_IK_FINGERS: &[&str] =
    &["*handthumb#", "*handindex#", "*handmiddle#", "*handring#", "*handpinky#"];

const VRM: &[(Bone, &[&str])] = &[
    (Hips, &["hips"]),
    (Spine, &["spine"]),
    (Chest, &["chest"]),
    (UpperChest, &["upperchest"]),
    (Neck, &["neck"]),
    (Head, &["head"]),
    (LeftEye, &["*eye"]),
    (Jaw, &["jaw"]),
    (LeftUpperLeg, &["*upperleg"]),
    (LeftLowerLeg, &["*lowerleg"]),
    (LeftFoot, &["*foot"]),
    (LeftToes, &["*toes", "*toebase"]),
    (LeftShoulder, &["*shoulder"]),
    (LeftUpperArm, &["*upperarm"]),
    (LeftLowerArm, &["*lowerarm"]),
    (LeftHand, &["*hand"]),
    (LeftIndexProximal, &["*indexproximal"]),
    (LeftIndexIntermediate, &["*indexintermediate"]),
    (LeftIndexDistal, &["*indexdistal"]),
    (LeftMiddleProximal, &["*middleproximal"]),
    (LeftMiddleIntermediate, &["*middleintermediate"]),
    (LeftMiddleDistal, &["*middledistal"]),
    (LeftRingProximal, &["*ringproximal"]),
    (LeftRingIntermediate, &["*ringintermediate"]),
    (LeftRingDistal, &["*ringdistal"]),
    (LeftLittleProximal, &["*littleproximal"]),
    (LeftLittleIntermediate, &["*littleintermediate"]),
    (LeftLittleDistal, &["*littledistal"]),
    // Unity and VRM 0.x count the thumb's joints one name further out.
    (LeftThumbMetacarpal, &["*thumbmetacarpal", "*thumbproximal"]),
    (LeftThumbProximal, &["*thumbintermediate", "*thumbproximal"]),
    (LeftThumbDistal, &["*thumbdistal"]),
];

const UNREAL_LIMBS: [(Bone, &[&str]); 8] = [
    (LeftUpperLeg, &["thigh*"]),
    (LeftLowerLeg, &["calf*"]),
    (LeftFoot, &["foot*"]),
    (LeftToes, &["ball*"]),
    (LeftShoulder, &["clavicle*"]),
    (LeftUpperArm, &["upperarm*"]),
    (LeftLowerArm, &["lowerarm*"]),
    (LeftHand, &["hand*"]),
];

const UNREAL_FINGERS: &[&str] = &["thumb0#*", "index0#*", "middle0#*", "ring0#*", "pinky0#*"];

const UNREAL_4: &[(Bone, &[&str])] = &with_limbs([
    (Hips, &["pelvis"]),
    (Spine, &["spine01"]),
    (Chest, &["spine02"]),
    (UpperChest, &["spine03"]),
    (Neck, &["neck01"]),
    (Head, &["head"]),
]);

const UNREAL_5: &[(Bone, &[&str])] = &with_limbs([
    (Hips, &["pelvis"]),
    (Spine, &["spine01"]),
    (Chest, &["spine03"]),
    (UpperChest, &["spine05"]),
    (Neck, &["neck01"]),
    (Head, &["head"]),
]);

type Role = (Bone, &'static [&'static str]);

const fn with_limbs(trunk: [Role; 6]) -> [Role; 14] {
    let mut roles = [trunk[0]; 14];
    let mut at = 0;
    while at < 14 {
        roles[at] = if at < 6 { trunk[at] } else { UNREAL_LIMBS[at - 6] };
        at += 1;
    }
    roles
}

/// All known conventions; of two that fit as well, the first is taken.
pub(super) const CONVENTIONS: &[Convention] = &[
    Convention { name: "VRM", prefix: "", requires: &[], sides: WORDS, roles: VRM, fingers: &[] },
    // VRoid's avatars: J_Bip_C_Hips, J_Bip_L_UpperLeg.
    Convention {
        name: "VRoid",
        prefix: "jbip",
        requires: &[],
        sides: LETTERS,
        roles: &[
            (Hips, &["chips"]),
            (Spine, &["cspine"]),
            (Chest, &["cchest"]),
            (UpperChest, &["cupperchest"]),
            (Neck, &["cneck"]),
            (Head, &["chead"]),
            (LeftUpperLeg, &["*upperleg"]),
            (LeftLowerLeg, &["*lowerleg"]),
            (LeftFoot, &["*foot"]),
            (LeftToes, &["*toebase"]),
            (LeftShoulder, &["*shoulder"]),
            (LeftUpperArm, &["*upperarm"]),
            (LeftLowerArm, &["*lowerarm"]),
            (LeftHand, &["*hand"]),
        ],
        fingers: &["*thumb#", "*index#", "*middle#", "*ring#", "*little#"],
    },
    Convention {
        name: "Mixamo",
        prefix: "mixamorig",
        requires: &[],
        sides: WORDS,
        roles: HUMAN_IK,
        fingers: HUMAN_IK_FINGERS,
    },
    // The BVH release of the CMU database. Of joints in one place, that one has the role which turns the
    // bone: LowerBack turns the lowest piece of the spine from the hips' own place. Neck shares Spine1's
    // place, below the shoulders; Neck1 is where the neck leaves them. LHipJoint and LeftShoulder never
    // turn, but the latter is the collar bone. Fingers and thumbs were not captured.
    Convention {
        name: "CMU",
        prefix: "",
        requires: &["lowerback", "spine1", "neck1"],
        sides: WORDS,
        roles: &[
            (Hips, &["hips"]),
            (Spine, &["lowerback"]),
            (Chest, &["spine"]),
            (UpperChest, &["spine1"]),
            (Neck, &["neck1"]),
            (Head, &["head"]),
            (LeftUpperLeg, &["*upleg"]),
            (LeftLowerLeg, &["*leg"]),
            (LeftFoot, &["*foot"]),
            (LeftToes, &["*toebase"]),
            (LeftShoulder, &["*shoulder"]),
            (LeftUpperArm, &["*arm"]),
            (LeftLowerArm, &["*forearm"]),
            (LeftHand, &["*hand"]),
        ],
        fingers: &[],
    },
    // The Acclaim skeletons of the same database. A bone turns about its beginning: `lwrist` begins at the
    // wrist, `lhand` in the middle of the palm.
    Convention {
        name: "CMU ASF",
        prefix: "",
        requires: &["lowerback", "thorax"],
        sides: LETTERS,
        roles: &[
            (Hips, &["root"]),
            (Spine, &["lowerback"]),
            (Chest, &["upperback"]),
            (UpperChest, &["thorax"]),
            (Neck, &["lowerneck"]),
            (Head, &["head"]),
            (LeftUpperLeg, &["*femur"]),
            (LeftLowerLeg, &["*tibia"]),
            (LeftFoot, &["*foot"]),
            (LeftToes, &["*toes"]),
            (LeftShoulder, &["*clavicle"]),
            (LeftUpperArm, &["*humerus"]),
            (LeftLowerArm, &["*radius"]),
            (LeftHand, &["*wrist", "*hand"]),
        ],
        fingers: &[],
    },
    Convention {
        name: "LaFAN1",
        prefix: "",
        requires: &["lefttoe", "spine2"],
        sides: WORDS,
        roles: HUMAN_IK,
        fingers: &[],
    },
    Convention {
        name: "HumanIK",
        prefix: "",
        requires: &[],
        sides: WORDS,
        roles: HUMAN_IK,
        fingers: HUMAN_IK_FINGERS,
    },
    Convention {
        name: "Unreal 5",
        prefix: "",
        requires: &["spine05"],
        sides: LETTERS,
        roles: UNREAL_5,
        fingers: UNREAL_FINGERS,
    },
    Convention {
        name: "Unreal 4",
        prefix: "",
        requires: &[],
        sides: LETTERS,
        roles: UNREAL_4,
        fingers: UNREAL_FINGERS,
    },
    // SMPL, SMPL-H and SMPL-X, with sides as words (left_hip) or letters (L_Hip).
    Convention {
        name: "SMPL",
        prefix: "",
        requires: &["spine3"],
        sides: WORDS_OR_LETTERS,
        roles: &[
            (Hips, &["pelvis"]),
            (Spine, &["spine1"]),
            (Chest, &["spine2"]),
            (UpperChest, &["spine3"]),
            (Neck, &["neck"]),
            (Head, &["head"]),
            (LeftEye, &["*eyesmplhf", "*eye"]),
            (Jaw, &["jaw"]),
            (LeftUpperLeg, &["*hip"]),
            (LeftLowerLeg, &["*knee"]),
            (LeftFoot, &["*ankle"]),
            (LeftToes, &["*foot"]),
            (LeftShoulder, &["*collar"]),
            (LeftUpperArm, &["*shoulder"]),
            (LeftLowerArm, &["*elbow"]),
            (LeftHand, &["*wrist"]),
        ],
        fingers: &["*thumb#", "*index#", "*middle#", "*ring#", "*pinky#"],
    },
    // Biovision's own names, which Xsens writes into BVH with a spine of four.
    Convention {
        name: "Xsens BVH",
        prefix: "",
        requires: &["chest4"],
        sides: WORDS,
        roles: &[
            (Hips, &["hips"]),
            (Spine, &["chest"]),
            (Chest, &["chest3"]),
            (UpperChest, &["chest4"]),
            (Neck, &["neck"]),
            (Head, &["head"]),
            (LeftUpperLeg, &["*hip"]),
            (LeftLowerLeg, &["*knee"]),
            (LeftFoot, &["*ankle"]),
            (LeftToes, &["*toe"]),
            (LeftShoulder, &["*collar"]),
            (LeftUpperArm, &["*shoulder"]),
            (LeftLowerArm, &["*elbow"]),
            (LeftHand, &["*wrist"]),
        ],
        fingers: &[],
    },
    Convention {
        name: "Biovision",
        prefix: "",
        requires: &[],
        sides: WORDS,
        roles: &[
            (Hips, &["hips"]),
            (Spine, &["chest"]),
            (Chest, &["chest2"]),
            (UpperChest, &["chest3"]),
            (Neck, &["neck"]),
            (Head, &["head"]),
            (LeftUpperLeg, &["*hip"]),
            (LeftLowerLeg, &["*knee"]),
            (LeftFoot, &["*ankle"]),
            (LeftToes, &["*toe"]),
            (LeftShoulder, &["*collar"]),
            (LeftUpperArm, &["*shoulder"]),
            (LeftLowerArm, &["*elbow"]),
            (LeftHand, &["*wrist"]),
        ],
        fingers: &[],
    },
    Convention {
        name: "Xsens",
        prefix: "",
        requires: &["l5", "t8"],
        sides: WORDS,
        roles: &[
            (Hips, &["pelvis"]),
            (Spine, &["l5"]),
            (Chest, &["t12"]),
            (UpperChest, &["t8"]),
            (Neck, &["neck"]),
            (Head, &["head"]),
            (LeftUpperLeg, &["*upperleg"]),
            (LeftLowerLeg, &["*lowerleg"]),
            (LeftFoot, &["*foot"]),
            (LeftToes, &["*toe"]),
            (LeftShoulder, &["*shoulder"]),
            (LeftUpperArm, &["*upperarm"]),
            (LeftLowerArm, &["*forearm"]),
            (LeftHand, &["*hand"]),
        ],
        fingers: &[],
    },
    Convention {
        name: "Rokoko",
        prefix: "",
        requires: &["leftthigh", "leftshin"],
        sides: WORDS,
        roles: &[
            (Hips, &["hips"]),
            (Spine, &["spine1", "spine"]),
            (Chest, &["spine2"]),
            (UpperChest, &["spine4", "spine3"]),
            (Neck, &["neck"]),
            (Head, &["head"]),
            (LeftUpperLeg, &["*thigh"]),
            (LeftLowerLeg, &["*shin"]),
            (LeftFoot, &["*foot"]),
            (LeftToes, &["*toe"]),
            (LeftShoulder, &["*shoulder"]),
            (LeftUpperArm, &["*arm"]),
            (LeftLowerArm, &["*forearm"]),
            (LeftHand, &["*hand"]),
        ],
        fingers: &[],
    },
    // Bip01 L Thigh: the figure's name is a prefix like any other.
    Convention {
        name: "3ds Max Biped",
        prefix: "",
        requires: &[],
        sides: LETTERS,
        roles: &[
            (Hips, &["pelvis"]),
            (Spine, &["spine"]),
            (Chest, &["spine1"]),
            (UpperChest, &["spine3", "spine2"]),
            (Neck, &["neck"]),
            (Head, &["head"]),
            (LeftUpperLeg, &["*thigh"]),
            (LeftLowerLeg, &["*calf"]),
            (LeftFoot, &["*foot"]),
            (LeftToes, &["*toe0"]),
            (LeftShoulder, &["*clavicle"]),
            (LeftUpperArm, &["*upperarm"]),
            (LeftLowerArm, &["*forearm"]),
            (LeftHand, &["*hand"]),
        ],
        fingers: &[],
    },
    Convention {
        name: "Poser",
        prefix: "",
        requires: &[],
        sides: LETTERS,
        roles: &[
            (Hips, &["hip"]),
            (Spine, &["abdomen"]),
            (Chest, &["chest"]),
            (Neck, &["neck"]),
            (Head, &["head"]),
            (LeftUpperLeg, &["*thigh"]),
            (LeftLowerLeg, &["*shin"]),
            (LeftFoot, &["*foot"]),
            (LeftToes, &["*toe"]),
            (LeftShoulder, &["*collar"]),
            (LeftUpperArm, &["*shldr"]),
            (LeftLowerArm, &["*forearm"]),
            (LeftHand, &["*hand"]),
        ],
        fingers: &[],
    },
];

/// The joints of each finger from the knuckle outwards, in the order of [`Convention::fingers`].
pub(super) const FINGERS: [[Bone; 3]; 5] = [
    [LeftThumbMetacarpal, LeftThumbProximal, LeftThumbDistal],
    [LeftIndexProximal, LeftIndexIntermediate, LeftIndexDistal],
    [LeftMiddleProximal, LeftMiddleIntermediate, LeftMiddleDistal],
    [LeftRingProximal, LeftRingIntermediate, LeftRingDistal],
    [LeftLittleProximal, LeftLittleIntermediate, LeftLittleDistal],
];
