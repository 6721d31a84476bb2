use glam::Vec3;

use super::*;
use crate::body::Build;
use crate::skeleton::Joint;

/// Names of a person's joints in a row, all hanging from the first.
fn skeleton_of(names: &str) -> Skeleton {
    let joints = names.split_whitespace().enumerate().map(|(joint_idx, name)| {
        Joint::new(name.replace('~', " "), (joint_idx > 0).then_some(JointId(0)), Vec3::Y)
    });
    Skeleton::new(joints.collect()).unwrap()
}

/// `expected` lists `bone=joint` pairs that must be found; nothing required may be missing.
fn check(names: &str, map: &str, expected: &str) {
    let skeleton = skeleton_of(names);
    let (with_roles, detection) = assign_bones(&skeleton).unwrap();
    assert_eq!(detection.map, map);
    assert_eq!(detection.missing, [], "{map}");
    assert_eq!(with_roles.bones().count(), detection.matched.len());
    for pair in expected.split_whitespace() {
        let (bone, joint) = pair.split_once('=').unwrap();
        let played = with_roles.bone(Bone::from_name(bone).unwrap());
        let played = played.map_or("nobody", |id| with_roles.joint(id).name.as_str());
        assert_eq!(played, joint.replace('~', " "), "{map}: {bone}");
    }
}

const HUMAN_IK: &str = "Hips Spine Spine1 Spine2 Neck Head HeadTop_End LeftShoulder LeftArm LeftForeArm LeftHand \
    LeftHandThumb1 LeftHandIndex1 LeftHandIndex2 LeftHandPinky3 RightShoulder RightArm RightForeArm RightHand \
    LeftUpLeg LeftLeg LeftFoot LeftToeBase RightUpLeg RightLeg RightFoot RightToeBase";

const CMU: &str = "Hips LHipJoint LeftUpLeg LeftLeg LeftFoot LeftToeBase RHipJoint RightUpLeg RightLeg RightFoot \
    RightToeBase LowerBack Spine Spine1 Neck Neck1 Head LeftShoulder LeftArm LeftForeArm LeftHand LeftFingerBase \
    LeftHandIndex1 LThumb RightShoulder RightArm RightForeArm RightHand RightFingerBase RightHandIndex1 RThumb";

#[test]
fn each_convention_is_known_by_its_names() {
    check(
        HUMAN_IK,
        "HumanIK",
        "spine=Spine chest=Spine1 upperChest=Spine2 leftUpperArm=LeftArm leftToes=LeftToeBase",
    );
    let mixamo = HUMAN_IK.split_whitespace().map(|name| format!("mixamorig:{name} ")).collect::<String>();
    check(&mixamo, "Mixamo", "hips=mixamorig:Hips leftLittleDistal=mixamorig:LeftHandPinky3 jaw=nobody");
    check(&mixamo.replace(':', "1:"), "Mixamo", "leftThumbMetacarpal=mixamorig1:LeftHandThumb1");
    check(&mixamo.replace(':', ""), "Mixamo", "rightHand=mixamorigRightHand");
    check(CMU, "CMU", "spine=LowerBack chest=Spine upperChest=Spine1 neck=Neck1 leftShoulder=LeftShoulder");
    check(CMU, "CMU", "leftUpperLeg=LeftUpLeg leftToes=LeftToeBase leftIndexProximal=nobody");
    check(
        "root lhipjoint lfemur ltibia lfoot ltoes rhipjoint rfemur rtibia rfoot rtoes lowerback upperback thorax \
         lowerneck upperneck head lclavicle lhumerus lradius lwrist lhand lfingers lthumb rclavicle rhumerus \
         rradius rwrist rhand rfingers rthumb",
        "CMU ASF",
        "hips=root spine=lowerback chest=upperback upperChest=thorax neck=lowerneck leftHand=lwrist \
         leftLowerLeg=ltibia rightShoulder=rclavicle",
    );
    check(
        "Hips LeftUpLeg LeftLeg LeftFoot LeftToe RightUpLeg RightLeg RightFoot RightToe Spine Spine1 Spine2 Neck \
         Head LeftShoulder LeftArm LeftForeArm LeftHand RightShoulder RightArm RightForeArm RightHand",
        "LaFAN1",
        "leftToes=LeftToe upperChest=Spine2",
    );
    let unreal = "root pelvis spine_01 spine_02 spine_03 clavicle_l upperarm_l lowerarm_l hand_l index_01_l \
         upperarm_twist_01_l clavicle_r upperarm_r lowerarm_r hand_r neck_01 head thigh_l calf_l foot_l ball_l \
         thigh_r calf_r foot_r ball_r ik_foot_root ik_foot_l";
    check(unreal, "Unreal 4", "hips=pelvis chest=spine_02 leftToes=ball_l leftIndexProximal=index_01_l");
    let unreal_5 = format!("{unreal} spine_04 spine_05 neck_02");
    check(&unreal_5, "Unreal 5", "spine=spine_01 chest=spine_03 upperChest=spine_05 neck=neck_01");
    let smpl = "pelvis left_hip right_hip spine1 left_knee right_knee spine2 left_ankle right_ankle spine3 \
         left_foot right_foot neck left_collar right_collar head left_shoulder right_shoulder left_elbow \
         right_elbow left_wrist right_wrist";
    check(
        smpl,
        "SMPL",
        "leftFoot=left_ankle leftToes=left_foot leftShoulder=left_collar leftHand=left_wrist",
    );
    check(
        &format!("{smpl} jaw left_eye_smplhf left_thumb1 right_pinky3"),
        "SMPL",
        "rightLittleDistal=right_pinky3",
    );
    let letters = smpl.replace("left_", "L_").replace("right_", "R_").replace("pelvis", "Pelvis");
    check(&letters, "SMPL", "hips=Pelvis leftUpperLeg=L_hip rightToes=R_foot");
    check(
        "Hips Chest Chest2 Chest3 Chest4 Neck Head RightCollar RightShoulder RightElbow RightWrist LeftCollar \
         LeftShoulder LeftElbow LeftWrist RightHip RightKnee RightAnkle RightToe LeftHip LeftKnee LeftAnkle LeftToe",
        "Xsens BVH",
        "spine=Chest upperChest=Chest4 leftUpperArm=LeftShoulder",
    );
    check(
        "Hips LeftHip LeftKnee LeftAnkle RightHip RightKnee RightAnkle Chest LeftCollar LeftShoulder LeftElbow \
         LeftWrist RightCollar RightShoulder RightElbow RightWrist Neck Head",
        "Biovision",
        "spine=Chest leftShoulder=LeftCollar leftFoot=LeftAnkle chest=nobody",
    );
    check(
        "Pelvis L5 L3 T12 T8 Neck Head RightShoulder RightUpperArm RightForeArm RightHand LeftShoulder \
         LeftUpperArm LeftForeArm LeftHand RightUpperLeg RightLowerLeg RightFoot RightToe LeftUpperLeg \
         LeftLowerLeg LeftFoot LeftToe",
        "Xsens",
        "spine=L5 chest=T12 upperChest=T8 leftLowerArm=LeftForeArm",
    );
    check(
        "Hips Spine1 Spine2 Spine3 Spine4 Neck Head LeftShoulder LeftArm LeftForeArm LeftHand RightShoulder \
         RightArm RightForeArm RightHand LeftThigh LeftShin LeftFoot LeftToe RightThigh RightShin RightFoot RightToe",
        "Rokoko",
        "spine=Spine1 upperChest=Spine4 leftUpperLeg=LeftThigh",
    );
    check(
        "Bip01 Bip01~Pelvis Bip01~Spine Bip01~Spine1 Bip01~Neck Bip01~Head Bip01~L~Clavicle Bip01~L~UpperArm \
         Bip01~L~Forearm Bip01~L~Hand Bip01~R~Clavicle Bip01~R~UpperArm Bip01~R~Forearm Bip01~R~Hand \
         Bip01~L~Thigh Bip01~L~Calf Bip01~L~Foot Bip01~L~Toe0 Bip01~R~Thigh Bip01~R~Calf Bip01~R~Foot",
        "3ds Max Biped",
        "hips=Bip01~Pelvis leftToes=Bip01~L~Toe0",
    );
    check(
        "hip abdomen chest neck head lCollar lShldr lForeArm lHand rCollar rShldr rForeArm rHand lThigh lShin \
         lFoot rThigh rShin rFoot",
        "Poser",
        "spine=abdomen rightUpperArm=rShldr",
    );
}

#[test]
fn vrm_names_are_known_behind_any_prefix() {
    let names: Vec<&str> = Bone::ALL.iter().map(|bone| bone.name()).collect();
    for prefix in ["", "blue.", "Armature|", "J_Bip_C_", "rig:"] {
        let prefixed: Vec<String> = names.iter().map(|name| format!("{prefix}{name}")).collect();
        let skeleton = skeleton_of(&prefixed.join(" "));
        let detection = detect(&skeleton);
        assert_eq!((detection.map, detection.matched.len()), ("VRM", Bone::COUNT), "{prefix}");
    }
    check(
        "J_Bip_C_Hips J_Bip_C_Spine J_Bip_C_Chest J_Bip_C_Neck J_Bip_C_Head J_Bip_L_Shoulder J_Bip_L_UpperArm \
         J_Bip_L_LowerArm J_Bip_L_Hand J_Bip_R_UpperArm J_Bip_R_LowerArm J_Bip_R_Hand J_Bip_L_UpperLeg \
         J_Bip_L_LowerLeg J_Bip_L_Foot J_Bip_L_ToeBase J_Bip_R_UpperLeg J_Bip_R_LowerLeg J_Bip_R_Foot J_Bip_L_Index2",
        "VRoid",
        "hips=J_Bip_C_Hips leftToes=J_Bip_L_ToeBase leftIndexIntermediate=J_Bip_L_Index2",
    );
    let unity = "Hips Spine Chest Head LeftUpperLeg LeftLowerLeg LeftFoot RightUpperLeg RightLowerLeg RightFoot \
        LeftUpperArm LeftLowerArm LeftHand RightUpperArm RightLowerArm RightHand Left~Thumb~Proximal \
        Left~Thumb~Intermediate Left~Thumb~Distal";
    check(unity, "VRM", "leftThumbMetacarpal=Left~Thumb~Proximal leftThumbProximal=Left~Thumb~Intermediate");
}

#[test]
fn roles_that_are_there_are_kept() {
    let own = Build::AVERAGE.skeleton();
    let (same, detection) = assign_bones(&own).unwrap();
    assert_eq!((detection.map, &same), ("roles", &own));
}

#[test]
fn of_two_characters_the_first_is_taken() {
    let names: Vec<String> = ["red.", "blue."]
        .iter()
        .flat_map(|who| REQUIRED.map(|bone| format!("{who}{}", bone.name())))
        .collect();
    check(&names.join(" "), "VRM", "hips=red.hips leftFoot=red.leftFoot");
}

#[test]
fn strangers_are_refused_with_what_was_seen() {
    let error = assign_bones(&skeleton_of("root tentacle1 tentacle2 head")).unwrap_err().to_string();
    assert!(error.starts_with("the joint names follow no known convention"), "{error}");
    assert!(error.contains("root, tentacle1, tentacle2, head"), "{error}");
}

#[test]
fn a_person_may_name_the_bones() {
    let skeleton = skeleton_of("Bekken Rug Hoofd Staart");
    let text = "# Dutch\n[bones]\nhips = \"Bekken\"\nspine = \"Rug\"\n";
    let (with_roles, detection) =
        assign_bones_with(&skeleton, &BoneOverride::from_toml(text).unwrap()).unwrap();
    assert_eq!(detection.map, "override");
    assert_eq!(with_roles.bone(Bone::Spine), Some(JointId(1)));
    assert_eq!(detection.missing.len(), REQUIRED.len() - 2);
}

#[test]
fn an_override_adds_to_what_the_names_say() {
    let skeleton = skeleton_of(CMU);
    let text = "[bones]\nneck = \"Neck\"\nleftShoulder = \"\"\nchest = \"Spine1\"";
    let (with_roles, _) = assign_bones_with(&skeleton, &BoneOverride::from_toml(text).unwrap()).unwrap();
    let played = |bone| with_roles.bone(bone).map(|id| with_roles.joint(id).name.as_str());
    assert_eq!(played(Bone::Neck), Some("Neck"));
    assert_eq!(played(Bone::LeftShoulder), None);
    // Spine1 moved from the upper chest to the chest.
    assert_eq!((played(Bone::Chest), played(Bone::UpperChest)), (Some("Spine1"), None));
    assert_eq!(played(Bone::LeftFoot), Some("LeftFoot"));
}

#[test]
fn mistakes_in_an_override_are_shown_with_their_line() {
    fn check(text: &str, expected: &str) {
        let error = BoneOverride::from_toml(text).map_err(NamesError::from);
        let error = error.and_then(|overrides| assign_bones_with(&skeleton_of(CMU), &overrides)).unwrap_err();
        assert_eq!(error.to_string(), expected, "{text}");
    }
    check(
        "[bones]\n\nleftUperArm = \"x\"",
        "line 3: \"leftUperArm\" is no VRM 1.0 bone; did you mean \"leftUpperArm\"?",
    );
    check(
        "[bones]\nhips = \"Hip\"",
        "line 2: the skeleton has no joint \"Hip\" to play hips; did you mean \"Hips\"?",
    );
    check(
        "[bones]\nhips = \"Hips\"\nspine = \"Hips\"",
        "line 3: joint \"Hips\" cannot play spine; line 2 makes it play hips",
    );
    for (text, line) in
        [("[bones]\nhips = 3", 2), ("[bones]\nhips =", 2), ("[bone]\nhips = \"Hips\"", 1), ("\n[bones", 2)]
    {
        let error = BoneOverride::from_toml(text).unwrap_err();
        assert!(
            matches!(&error, OverrideError::Toml { line: found, .. } if *found == line),
            "{text:?}: {error}"
        );
    }
    assert!(BoneOverride::from_toml("").is_err());
}
