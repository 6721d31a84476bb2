//! The bones of a humanoid, named as in VRM 1.0.
//!
//! A joint of any skeleton may play the role of one of these bones; everything that must know a hand
//! from a foot (retargeting, bodies, contacts, the linter) asks for the role, never for a name.

use serde::{Deserialize, Serialize};

/// The side of the body a bone belongs to. Own left is +X in a rest pose that faces +Z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Side {
    /// The person's own left.
    Left,
    /// The person's own right.
    Right,
}

impl Side {
    /// Both sides, left first.
    pub const BOTH: [Side; 2] = [Side::Left, Side::Right];

    /// The other side.
    pub fn other(self) -> Side {
        match self {
            Side::Left => Side::Right,
            Side::Right => Side::Left,
        }
    }
}

macro_rules! bones {
    ($($variant:ident $name:literal $parent:ident;)*) => {
        /// A bone of the VRM 1.0 humanoid.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase")]
        #[expect(missing_docs, reason = "the names are VRM's own and say what they are")]
        pub enum Bone { $($variant),* }

        impl Bone {
            /// Every bone, parents before children.
            pub const ALL: &'static [Bone] = &[$(Bone::$variant),*];

            /// The VRM 1.0 name, such as `leftUpperArm`.
            pub fn name(self) -> &'static str {
                match self { $(Bone::$variant => $name),* }
            }

            /// The bone it hangs from in VRM's hierarchy; the hips are their own root.
            pub fn parent(self) -> Option<Bone> {
                match self { $(Bone::$variant => bones!(@parent $parent)),* }
            }
        }
    };
    (@parent None) => { None };
    (@parent $parent:ident) => { Some(Bone::$parent) };
}

bones! {
    Hips "hips" None;
    Spine "spine" Hips;
    Chest "chest" Spine;
    UpperChest "upperChest" Chest;
    Neck "neck" UpperChest;
    Head "head" Neck;
    LeftEye "leftEye" Head;
    RightEye "rightEye" Head;
    Jaw "jaw" Head;
    LeftUpperLeg "leftUpperLeg" Hips;
    LeftLowerLeg "leftLowerLeg" LeftUpperLeg;
    LeftFoot "leftFoot" LeftLowerLeg;
    LeftToes "leftToes" LeftFoot;
    RightUpperLeg "rightUpperLeg" Hips;
    RightLowerLeg "rightLowerLeg" RightUpperLeg;
    RightFoot "rightFoot" RightLowerLeg;
    RightToes "rightToes" RightFoot;
    LeftShoulder "leftShoulder" UpperChest;
    LeftUpperArm "leftUpperArm" LeftShoulder;
    LeftLowerArm "leftLowerArm" LeftUpperArm;
    LeftHand "leftHand" LeftLowerArm;
    RightShoulder "rightShoulder" UpperChest;
    RightUpperArm "rightUpperArm" RightShoulder;
    RightLowerArm "rightLowerArm" RightUpperArm;
    RightHand "rightHand" RightLowerArm;
    LeftThumbMetacarpal "leftThumbMetacarpal" LeftHand;
    LeftThumbProximal "leftThumbProximal" LeftThumbMetacarpal;
    LeftThumbDistal "leftThumbDistal" LeftThumbProximal;
    LeftIndexProximal "leftIndexProximal" LeftHand;
    LeftIndexIntermediate "leftIndexIntermediate" LeftIndexProximal;
    LeftIndexDistal "leftIndexDistal" LeftIndexIntermediate;
    LeftMiddleProximal "leftMiddleProximal" LeftHand;
    LeftMiddleIntermediate "leftMiddleIntermediate" LeftMiddleProximal;
    LeftMiddleDistal "leftMiddleDistal" LeftMiddleIntermediate;
    LeftRingProximal "leftRingProximal" LeftHand;
    LeftRingIntermediate "leftRingIntermediate" LeftRingProximal;
    LeftRingDistal "leftRingDistal" LeftRingIntermediate;
    LeftLittleProximal "leftLittleProximal" LeftHand;
    LeftLittleIntermediate "leftLittleIntermediate" LeftLittleProximal;
    LeftLittleDistal "leftLittleDistal" LeftLittleIntermediate;
    RightThumbMetacarpal "rightThumbMetacarpal" RightHand;
    RightThumbProximal "rightThumbProximal" RightThumbMetacarpal;
    RightThumbDistal "rightThumbDistal" RightThumbProximal;
    RightIndexProximal "rightIndexProximal" RightHand;
    RightIndexIntermediate "rightIndexIntermediate" RightIndexProximal;
    RightIndexDistal "rightIndexDistal" RightIndexIntermediate;
    RightMiddleProximal "rightMiddleProximal" RightHand;
    RightMiddleIntermediate "rightMiddleIntermediate" RightMiddleProximal;
    RightMiddleDistal "rightMiddleDistal" RightMiddleIntermediate;
    RightRingProximal "rightRingProximal" RightHand;
    RightRingIntermediate "rightRingIntermediate" RightRingProximal;
    RightRingDistal "rightRingDistal" RightRingIntermediate;
    RightLittleProximal "rightLittleProximal" RightHand;
    RightLittleIntermediate "rightLittleIntermediate" RightLittleProximal;
    RightLittleDistal "rightLittleDistal" RightLittleIntermediate;
}

impl Bone {
    /// How many bones there are.
    pub const COUNT: usize = Bone::ALL.len();

    /// The bone with this VRM 1.0 name, in any case.
    ///
    /// ```
    /// use randori_motion::Bone;
    /// assert_eq!(Bone::from_name("leftupperarm"), Some(Bone::LeftUpperArm));
    /// assert_eq!(Bone::from_name("tail"), None);
    /// ```
    pub fn from_name(name: &str) -> Option<Bone> {
        Bone::ALL.iter().copied().find(|bone| bone.name().eq_ignore_ascii_case(name))
    }

    /// The side it belongs to; `None` for the bones of the middle.
    pub fn side(self) -> Option<Side> {
        match self.name() {
            name if name.starts_with("left") => Some(Side::Left),
            name if name.starts_with("right") => Some(Side::Right),
            _ => None,
        }
    }

    /// The same bone of the other side; bones of the middle are their own mirror.
    pub fn mirrored(self) -> Bone {
        let name = self.name();
        let other = match self.side() {
            None => return self,
            Some(Side::Left) => format!("right{}", &name["left".len()..]),
            Some(Side::Right) => format!("left{}", &name["right".len()..]),
        };
        Bone::from_name(&other).expect("every sided bone has a mirror; a test walks them all")
    }

    /// Enough joints to tell postures apart and none twice: those over which accelerations of captured people were
    /// measured.
    pub const LANDMARKS: [Bone; 20] = [
        Bone::Hips,
        Bone::LeftUpperLeg,
        Bone::LeftLowerLeg,
        Bone::LeftFoot,
        Bone::LeftToes,
        Bone::RightUpperLeg,
        Bone::RightLowerLeg,
        Bone::RightFoot,
        Bone::RightToes,
        Bone::Spine,
        Bone::Chest,
        Bone::UpperChest,
        Bone::Neck,
        Bone::Head,
        Bone::LeftUpperArm,
        Bone::LeftLowerArm,
        Bone::LeftHand,
        Bone::RightUpperArm,
        Bone::RightLowerArm,
        Bone::RightHand,
    ];

    /// The bone of this side, given its left form: `Bone::LeftFoot.on(Side::Right)`.
    pub fn on(self, side: Side) -> Bone {
        if self.side() == Some(side) { self } else { self.mirrored() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vrm_has_fifty_five_bones_parents_first() {
        assert_eq!(Bone::COUNT, 55);
        for bone in Bone::ALL {
            assert_eq!(Bone::from_name(bone.name()), Some(*bone));
            assert!(bone.parent().is_none_or(|parent| parent < *bone), "{bone:?}");
        }
    }

    #[test]
    fn mirroring_twice_is_nothing() {
        for bone in Bone::ALL {
            assert_eq!(bone.mirrored().mirrored(), *bone);
            assert_eq!(bone.mirrored() == *bone, bone.side().is_none());
            assert_eq!(bone.parent().map(Bone::mirrored), bone.mirrored().parent());
        }
    }
}
