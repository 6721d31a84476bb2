//! What two people carry between them: where it is follows from their hands.

use glam::{Mat3, Quat, Vec3};
use randori_motion::{Bone, Character, GlobalPose, JointId, Pose};

/// Two who carry something.
pub(super) struct Carriers<'a> {
    people: [(&'a Character, [JointId; 2]); 2],
}

impl<'a> Carriers<'a> {
    /// Those of these names; `None` if one of them is not there, or has no hands.
    pub(super) fn of(characters: &'a [Character], names: &[String; 2]) -> Option<Carriers<'a>> {
        let person = |name: &String| {
            let character = characters.iter().find(|character| character.name == *name)?;
            let hands = [Bone::LeftHand, Bone::RightHand].map(|bone| character.clip.skeleton().bone(bone));
            Some((character, [hands[0]?, hands[1]?]))
        };
        Some(Carriers { people: [person(&names[0])?, person(&names[1])?] })
    }

    /// The middle of what they carry at a time (s), and how it is turned: its length along the line from one pair of hands
    /// to the other, its width level.
    pub(super) fn load_at(&self, time: f64) -> (Vec3, Quat) {
        let [a, b] = self.people.map(|(character, hands)| {
            let (mut pose, mut globals) = (Pose::default(), GlobalPose::default());
            character.clip.sample_into(time - character.enter, &mut pose);
            character.clip.skeleton().globals_into(pose.view(), &mut globals);
            let [left, right] = hands.map(|hand| globals.point(hand, Vec3::ZERO));
            0.5 * (left + right)
        });
        let along = (b - a).try_normalize().unwrap_or(Vec3::Z);
        let wide = Vec3::Y.cross(along).try_normalize().unwrap_or(Vec3::X);
        (0.5 * (a + b), Quat::from_mat3(&Mat3::from_cols(wide, along.cross(wide), along)))
    }
}
