//! The built-in libraries and the seams between their actions, from performance to file.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use randori::libraries::{Builtin, OpenError, nearest_first, open};
use randori_motion::annotation::Kind;
use randori_motion::library::{
    ActionId, ActionLibrary, LibraryError, Likeness, Player, Stats, play, seam_slides, walk,
};
use randori_motion::parametric::{self, Graph, Measure, NodeRecipe, Sample};
use randori_motion::{Character, Clip, JointId, Placement, Take};
use randori_scene::check::{Footage, Limits, check};
use randori_testkit::mutate::mutant;
use rayon::prelude::*;

fn library(builtin: Builtin) -> &'static ActionLibrary {
    static MADE: [OnceLock<ActionLibrary>; Builtin::ALL.len()] =
        [const { OnceLock::new() }; Builtin::ALL.len()];
    MADE[builtin as usize].get_or_init(|| builtin.make(&builtin.casting()).unwrap())
}

#[test]
fn they_are_of_the_papers_size() {
    for (builtin, actions, choices) in [
        (Builtin::Boxing, 250, 90.0),
        (Builtin::Running, 200, 90.0),
        (Builtin::Carrying, 160, 40.0),
        (Builtin::Sword, 500, 90.0),
    ] {
        let stats = Stats::of(library(builtin));
        assert!(stats.actions >= actions, "{builtin}: {stats:#?}");
        assert!(stats.mean_choices >= choices, "{builtin}: {stats:#?}");
        assert!(stats.strongly_connected >= 0.95, "{builtin}: {stats:#?}");
        assert!(stats.seam_slide_cm_p95 <= 3.0, "{builtin}: {stats:#?}");
    }
}

/// Everything that an action leads to.
fn reach(library: &ActionLibrary, from: ActionId) -> BTreeSet<ActionId> {
    let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(id) = open.pop() {
        open.extend(library.next(id).iter().filter(|next| seen.insert(**next)));
    }
    seen
}

#[test]
fn every_action_leads_to_every_other() {
    for builtin in Builtin::ALL {
        let library = library(builtin);
        let all: BTreeSet<ActionId> = library.ids().collect();
        for id in library.ids().step_by(7).filter(|id| !library.action(*id).is_terminal) {
            assert_eq!(reach(library, id), all, "{builtin} {}", library.action(id).name);
        }
    }
}

#[test]
fn attacks_have_windows_and_everything_moves_forward_in_time() {
    let library = library(Builtin::Boxing);
    let mut names = BTreeSet::new();
    for action in library.actions() {
        assert!(names.insert(&action.name), "{} twice", action.name);
        assert_eq!(action.windows.is_empty(), action.annotation.kind() != Kind::Attack, "{}", action.name);
        for window in &action.windows {
            assert!(window.frames.start < window.frames.end && window.speed > 1.0, "{action:#?}");
            assert!((0.2..1.6).contains(&window.reach), "{action:#?}");
        }
        let frames = library.take_of(library.find(&action.name).unwrap()).clip.n_frames() as u32;
        assert!(action.frames.start < action.frames.end && action.frames.end < frames);
        assert!(library.valid_range(&action.annotation).is_some());
    }
}

#[test]
fn files_hold_all_of_a_library() {
    for builtin in Builtin::ALL {
        let bytes = library(builtin).to_bytes();
        let back = ActionLibrary::from_bytes(&bytes).unwrap();
        assert!(
            back.to_bytes() == bytes,
            "{builtin}: {:?}",
            back.to_bytes().iter().zip(&bytes).position(|(a, b)| a != b)
        );
        assert!(
            &back == library(builtin),
            "{builtin} {:?}",
            back.actions().iter().zip(library(builtin).actions()).find(|(a, b)| a != b)
        );
    }
}

#[test]
fn damaged_and_future_files_are_refused() {
    let casting = randori_actor::Casting { seconds: 12.0, ..Builtin::Boxing.casting() };
    let bytes = Builtin::Boxing.make(&casting).unwrap().to_bytes();
    assert_eq!(ActionLibrary::from_bytes(b"BVH"), Err(LibraryError::NotALibrary));
    let mut future = bytes.clone();
    future[8] = 200;
    assert_eq!(ActionLibrary::from_bytes(&future), Err(LibraryError::Version { found: 200 }));
    for cut in [9, 14, 30, bytes.len() - 1] {
        assert!(matches!(ActionLibrary::from_bytes(&bytes[..cut]), Err(LibraryError::Damaged(_))), "{cut}");
    }
    (0..300_u64).into_par_iter().for_each(|seed| {
        let mut broken = mutant(&bytes, seed);
        if broken == bytes {
            return;
        }
        assert!(ActionLibrary::from_bytes(&broken).is_err(), "{seed}");
        // Whoever makes the checksum fit gets an error or a library, never a panic.
        if broken.len() > 16 {
            let sum = crc32fast::hash(&broken[16..]);
            broken[12..16].copy_from_slice(&sum.to_le_bytes());
            drop(ActionLibrary::from_bytes(&broken));
        }
    });
}

#[test]
fn no_seam_slides_or_pops() {
    for builtin in Builtin::ALL {
        let library = library(builtin);
        let slides = seam_slides(library, 3000, 7);
        for (pair, slide) in &slides {
            let names = pair.map(|id| &library.action(id).name);
            assert!(*slide <= 0.03, "{builtin} {names:?} {slide}");
        }
        slides.par_iter().step_by(10).for_each(|(pair, _)| {
            let clip = play(library, Placement::default(), pair).unwrap();
            let worst = peak_acceleration(&clip);
            assert!(worst < 2000.0, "{builtin} {:?} {worst}", pair.map(|id| &library.action(id).name));
        });
    }
}

/// The greatest acceleration of any joint (m/s²).
fn peak_acceleration(clip: &Clip) -> f32 {
    let tracks = randori_motion::tracks::Tracks::of(clip);
    let fps = clip.rate().fps() as f32;
    let mut worst = 0.0_f32;
    for joint in (0..clip.skeleton().n_joints() as u32).map(JointId) {
        for frame in 1..clip.n_frames().saturating_sub(1) {
            let [a, b, c] = [frame - 1, frame, frame + 1].map(|frame| tracks.position(frame, joint));
            worst = worst.max((a - 2.0 * b + c).length() * fps * fps);
        }
    }
    worst
}

#[test]
fn hands_hold_what_they_held() {
    let library = library(Builtin::Carrying);
    for id in library.ids() {
        let [_, held] = library.action(id).annotation.holds();
        for next in library.next(id) {
            let [holds, _] = library.action(*next).annotation.holds();
            let names = [id, *next].map(|id| &library.action(id).name);
            assert_eq!(held, holds, "{names:?}");
        }
    }
}

#[test]
fn planners_reckon_with_where_the_player_is() {
    let library = library(Builtin::Boxing);
    let path = walk(library, 20.0, 3);
    let mut player = Player::new(library, path[0], Placement::default());
    let mut reckoned = Placement::default();
    for (at, id) in path.iter().enumerate() {
        if at > 0 {
            player.switch(*id, 0);
        }
        while !player.is_done() {
            player.step();
        }
        reckoned = reckoned.then(library.action(*id).displacement);
        let away = reckoned.relative(player.placement());
        assert!(away.position.distance(Default::default()) < 2e-3 && away.heading.abs() < 2e-3, "{away:?}");
    }
}

#[test]
fn walks_pass_the_linter_and_are_the_same_every_time() {
    for (builtin, slide) in
        [(Builtin::Boxing, 10.0), (Builtin::Running, 3.0), (Builtin::Carrying, 5.0), (Builtin::Sword, 10.0)]
    {
        let library = library(builtin);
        let path = walk(library, 60.0, 1);
        let clip = play(library, Placement::default(), &path).unwrap();
        assert_eq!(clip, play(library, Placement::default(), &walk(library, 60.0, 1)).unwrap());
        assert_ne!(path, walk(library, 60.0, 2));
        let mut take = Take::new("walk", 1);
        let body = Arc::clone(library.body());
        take.characters.push(Character { name: "blue".into(), color: [0.5; 3], body, enter: 0.0, clip });
        let limits =
            Limits { foot_slide_cm: slide, skate_cm_per_s: 13.5, foot_sink_cm: 2.0, ..Limits::default() };
        let report = check(&Footage::of_take(&take, 60.0).unwrap(), &limits);
        assert!(report.passes(), "{builtin} {:#?}", report.findings);
    }
}

#[test]
fn unknown_libraries_list_what_there_is() {
    let error = Builtin::from_name("builtin:boxin").unwrap_err();
    assert!(matches!(&error, OpenError::Unknown { near, .. } if near[0] == "boxing"), "{error}");
    assert!(open("no-such-file.randori").unwrap_err().to_string().contains("no-such-file.randori"));
    let names = ["left-jab-1", "right-jab-1", "duck-2"].map(str::to_owned).to_vec();
    assert_eq!(nearest_first("left-jab-2", names)[0], "left-jab-1");
}

/// Which feet stand, without how long.
fn order_of_contacts(library: &ActionLibrary, id: ActionId) -> Vec<[bool; 2]> {
    let frames = &library.action(id).frames;
    let mut order = library.take_of(id).standing[frames.start as usize..frames.end as usize].to_vec();
    order.dedup();
    order
}

#[test]
fn actions_of_a_library_make_a_parametric_node() {
    let library = library(Builtin::Running);
    let is_run = |id: &ActionId| {
        let name = library.action(*id).annotation.name();
        ["jog", "jog-left", "jog-right"].contains(&name)
    };
    let jogs: Vec<ActionId> = library.ids().filter(is_run).collect();
    let alike = |order: &[[bool; 2]]| -> Vec<ActionId> {
        jogs.iter().copied().filter(|id| order_of_contacts(library, *id) == order).collect()
    };
    let groups = jogs.iter().map(|id| alike(&order_of_contacts(library, *id)));
    let mut steps = groups.max_by_key(Vec::len).unwrap();
    // By how far they turn, a few degrees apart.
    let turn = |id: &ActionId| library.action(*id).displacement.heading;
    steps.sort_by(|a, b| turn(a).total_cmp(&turn(b)));
    steps.dedup_by(|b, a| turn(b) - turn(a) < 0.06);
    assert!(steps.len() >= 5, "{}", steps.len());
    let recipe = parametric::Recipe {
        name: "jog".to_owned(),
        build: library.build(),
        blade: None,
        nodes: vec![NodeRecipe {
            name: "jog".to_owned(),
            annotation: library.action(steps[0]).annotation.clone(),
            measure: Measure::Turn,
            range: None,
            samples: steps.iter().map(|id| Sample::of_action(library, *id).unwrap()).collect(),
        }],
        links: Vec::new(),
        likeness: Likeness::default(),
    };
    let graph = Graph::new(&recipe).unwrap();
    let node = &graph.nodes()[0];
    let [least, most] = node.range();
    for k in 0..=40 {
        let parameter = (least + (most - least) * k as f32 / 40.0).min(most);
        let error = (node.measured(parameter) - parameter).abs() / (most - least);
        assert!(error < 0.05, "{parameter}: {error}");
    }
}
