//! Models that must be refused, with the element named; and any broken text at all.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "tests fail by panicking and speak by printing")]

use randori_testkit::mutate::mutant;
use randori_wholebody::report::dynamics_report;
use randori_wholebody::urdf::{UrdfOptions, read_urdf};

const MASS: &str =
    r#"<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>"#;

fn robot(links: &[(&str, &str)], joints: &[(&str, &str, &str, &str)]) -> String {
    let links: String =
        links.iter().map(|(name, inside)| format!(r#"<link name="{name}">{inside}</link>"#)).collect();
    let joint = |(name, kind, parent, child): &(&str, &str, &str, &str)| {
        format!(
            r#"<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>"#
        )
    };
    format!(r#"<robot name="r">{links}{}</robot>"#, joints.iter().map(joint).collect::<String>())
}

#[track_caller]
fn check(text: &str, expected: &str) {
    let error = read_urdf(text, &UrdfOptions::default()).expect_err("must be refused").to_string();
    assert!(error.contains(expected), "`{error}` does not say `{expected}`");
}

#[test]
fn impossible_masses_are_refused_by_name() {
    let inertial = |mass: &str, ixx: &str| {
        format!(
            r#"<inertial><mass value="{mass}"/><inertia ixx="{ixx}" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>"#
        )
    };
    let arm =
        |inside: &str| robot(&[("base", MASS), ("arm", inside)], &[("elbow", "revolute", "base", "arm")]);
    check(&arm(&inertial("0", "1")), "link `arm`: mass is zero");
    check(&arm(&inertial("-2", "1")), "link `arm`: mass is negative");
    check(&arm(&inertial("1", "-1")), "link `arm`: inertia");
    check(&arm(&inertial("1", "0")), "link `arm`: inertia");
    check(&arm(&inertial("NaN", "1")), "link `arm`: mass, centre or inertia is not a finite number");
    check(&arm(""), "joint `elbow` moves no mass (link `arm`");
    check(&arm(r#"<inertial><mass value="1"/></inertial>"#), "link `arm`: custom: missing field `inertia`");
    let links = [("base", ""), ("arm", MASS), ("leg", MASS)];
    let joints = [("elbow", "revolute", "base", "arm"), ("hip", "revolute", "base", "leg")];
    check(
        &robot(&links[..2], &joints[..1]),
        "joint `root_joint`: its link `base` has no mass, and what hangs on it can stay where it is",
    );
    check(
        &robot(
            &[("base", MASS), ("arm", ""), ("tip", MASS)],
            &[joints[0], ("wrist", "revolute", "arm", "tip")],
        ),
        "joint `elbow`: its link `arm` has no mass",
    );
    let crossed = robot(&links, &joints).replacen("0 0 1", "1 0 0", 1);
    assert!(read_urdf(&crossed, &UrdfOptions::default()).is_ok(), "two hold the base");
    let root = robot(&[("base", &inertial("-1", "1"))], &[]);
    check(&root, "link `base`: mass is negative");
}

#[test]
fn whatever_is_no_tree_is_refused_by_name() {
    let links = [("a", MASS), ("b", MASS), ("c", MASS)];
    check(
        &robot(
            &links,
            &[("x", "revolute", "a", "b"), ("y", "revolute", "b", "a"), ("z", "revolute", "b", "c")],
        ),
        "loop",
    );
    check(
        &robot(
            &links,
            &[("x", "revolute", "a", "b"), ("y", "revolute", "b", "c"), ("z", "revolute", "a", "c")],
        ),
        "link `c`: it is the child of two joints",
    );
    check(
        &robot(&links, &[("x", "revolute", "a", "b")]),
        "link `c`: neither it nor `a` hangs on another link",
    );
    check(
        &robot(&links, &[("x", "revolute", "b", "c"), ("y", "revolute", "c", "b")]),
        "link `b`: it is part of a loop",
    );
    check(&robot(&links, &[("x", "revolute", "a", "nowhere")]), "joint `x` names the link `nowhere`");
    check(&robot(&[("a", MASS), ("a", MASS)], &[]), "link `a` occurs twice");
    check(&robot(&[], &[]), "no moving body");
    let twice = [("x", "revolute", "a", "b"), ("x", "revolute", "b", "c")];
    check(&robot(&links, &twice), "joint `x` occurs twice");
}

#[test]
fn unknown_joints_and_entities_are_refused() {
    let links = [("a", MASS), ("b", MASS)];
    check(&robot(&links, &[("knee", "rubber", "a", "b")]), "joint `knee`: unknown type `rubber`");
    check(&robot(&links, &[("knee", "planar", "a", "b")]), "joint `knee`: planar");
    let bomb = "<?xml version=\"1.0\"?>\n<!DOCTYPE robot [<!ENTITY a \"aaaa\">]>\n<robot name=\"&a;\"/>";
    check(bomb, "line 2: document types and entities are refused");
    check(&"<a>".repeat(100_000), "nested deeper");
    check("", "not a URDF");
    check("{}", "not a URDF");
    let reversed = robot(&links, &[("knee", "revolute", "a", "b")]).replace(r#"lower="-1""#, r#"lower="2""#);
    check(&reversed, "joint `knee`: its lower limit 2 is above");
    let still = robot(&links, &[("knee", "revolute", "a", "b")]).replace(r#"xyz="0 0 1""#, r#"xyz="0 0 0""#);
    check(&still, "joint `knee`: its axis");
}

#[test]
fn unreadable_elements_are_named_with_their_line() {
    let good = robot(&[("a", MASS), ("b", MASS)], &[("knee", "revolute", "a", "b")]);
    let good = good.replace("<link", "\n<link").replace("<joint", "\n<joint");
    let check_text = check;
    let check = |from: &str, to: &str, expected: &str| {
        assert!(good.contains(from));
        check_text(&good.replacen(from, to, 1), expected);
    };
    check(r#"<mass value="1""#, r#"<mass value="much""#, "line 2: link `a`:");
    check(r#"<mass value="1""#, r#"<mass weight="1""#, "line 2: link `a`:");
    check(r#"izz="1""#, r#"izz="1,0""#, "line 2: link `a`:");
    check(r#"<parent link="a"/>"#, "", "line 4: joint `knee`:");
    check(r#"xyz="0 0 1""#, r#"xyz="0 1""#, "line 4: joint `knee`:");
    check(r#"effort="1""#, r#"effort="&strong;""#, "not a URDF");
    check("</link>", "</robot>", "not a URDF");
    let text = good
        .replace(r#"name="r""#, r#"name="r" version="1.1""#)
        .replace("<axis", r#"<origin rpy="0 0 0" quat_xyzw="0 0 0 1"/><axis"#);
    check_text(&text, "line 4: joint `knee`: Both rpy and quat_xyzw");
}

#[test]
fn what_a_robot_looks_like_does_not_matter() {
    let joints = [("knee", "revolute", "a", "b")];
    let plain = robot(&[("a", MASS), ("b", MASS)], &joints);
    let expected = read_urdf(&plain, &UrdfOptions::default()).unwrap();
    for looks in [
        r#"<visual><geometry><mesh filename="package://nowhere/leg.dae" scale="1 1 1"/></geometry></visual>"#,
        r#"<visual><geometry><mesh/></geometry></visual>"#,
        r#"<visual><origin xyz="here"/><geometry><teapot size="1"/></geometry><material/></visual>"#,
        "<visual/>",
        "<visual></visual><visual>?</visual>",
    ] {
        let inside = format!("{looks}{MASS}");
        let painted = robot(&[("a", &inside), ("b", MASS)], &joints)
            .replace("<joint", r#"<material name="red"><color rgba="very"/></material><joint"#);
        let read = read_urdf(&painted, &UrdfOptions::default()).unwrap();
        assert_eq!((read.model, read.warnings), (expected.model.clone(), Vec::new()), "{looks}");
    }
}

#[test]
fn bad_states_are_refused() {
    let good = robot(&[("base", MASS), ("arm", MASS)], &[("elbow", "revolute", "base", "arm")]);
    let check = |states: &str, expected: &str| {
        let error = dynamics_report(&good, states).expect_err("must be refused").to_string();
        assert!(error.contains(expected), "`{error}` does not say `{expected}`");
    };
    check("{", "states: EOF");
    check(r#"{"states": [{"q": [0], "v": []}]}"#, "state 0: q has 1 of 8 numbers, v 0 of 7");
    check(
        r#"{"states": [{"q": [0,0,0,0,0,0,2,0], "v": [0,0,0,0,0,0,0]}]}"#,
        "state 0: joint `root_joint`: its quaternion",
    );
    check(
        r#"{"states": [{"q": [0,0,0,0,0,0,1,0], "v": [0,0,0,0,0,0,1e300]}]}"#,
        "state 0: 1e300 is not a usable velocity",
    );
    check(
        r#"{"frames": ["hat"], "states": [{"q": [0,0,0,0,0,0,1,0], "v": [0,0,0,0,0,0,0]}]}"#,
        "no frame `hat`",
    );
    check(r#"{"locked": ["wrist"], "states": []}"#, "the list of locked joints names the joint `wrist`");
}

#[test]
fn broken_text_never_panics() {
    let good = include_bytes!("data/odd.urdf");
    let mut read = 0;
    for seed in 0..2000 {
        let broken = mutant(good, seed);
        let text = String::from_utf8_lossy(&broken);
        if let Ok(found) = read_urdf(&text, &UrdfOptions::default()) {
            assert!(found.model.mass.is_finite());
            read += 1;
        }
    }
    assert!((20..1900).contains(&read), "{read} of 2000 mutants are still robots");
}
