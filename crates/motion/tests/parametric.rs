//! Parametric motion graphs of made-up motions: what recipes are refused, what blends are, what files survive.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::sync::Arc;

use randori_motion::library::Likeness;
use randori_motion::math::Vec3;
use randori_motion::parametric::{
    ActionSet, BadRecipe, Blade, Graph, GraphError, Link, LookAhead, Measure, NodeRecipe, Player, Recipe,
    Sample, State, When,
};
use randori_motion::{Annotation, Build, Clip, FrameRate, Ground, Placement, Side, Skeleton};

/// Somebody who glides ahead in the rest pose for so many seconds, turning by an angle in all; stands on the left foot
/// first and on the right from `change` on.
fn glide(skeleton: &Arc<Skeleton>, seconds: f32, speed: f32, turn: f32, change: f32) -> Sample {
    let n_frames = (60.0 * seconds) as usize + 1;
    let mut placement = Placement::default();
    let mut placements = Vec::new();
    for frame in 0..n_frames {
        let heading = turn * frame as f32 / (n_frames - 1) as f32;
        placements.push(Placement { heading, ..placement });
        let ahead = Placement { heading, ..placement }.point(Vec3::Z * speed / 60.0);
        placement.position = Ground::below(ahead);
    }
    let poses = placements.iter().map(|placement| {
        let mut pose = skeleton.rest_pose();
        pose.translations[0] = placement.point(pose.translations[0]);
        pose.rotations[0] = placement.rotation() * pose.rotations[0];
        pose
    });
    let clip = Clip::from_poses("glide", Arc::clone(skeleton), FrameRate::HOUSE, poses).unwrap();
    let stands = |frame: usize| if frame as f32 / 60.0 < change { [true, false] } else { [false, true] };
    Sample { clip, standing: (0..n_frames).map(stands).collect(), placements, parameter: turn }
}

fn recipe() -> Recipe {
    let skeleton = Arc::new(Build::AVERAGE.skeleton());
    let node = |name: &str, measure, samples| NodeRecipe {
        name: name.to_owned(),
        annotation: Annotation::of("walk"),
        measure,
        range: None,
        samples,
    };
    let turns = [0.6, -0.4, 0.0].map(|turn| glide(&skeleton, 0.5 + 0.2 * turn, 1.0, turn, 0.2));
    let speeds = [1.0, 2.0, 3.0].map(|speed| glide(&skeleton, 0.8 / speed, speed, 0.0, 0.3 / speed));
    let link = |from: &str, to: &str, when| Link { from: from.to_owned(), to: to.to_owned(), when };
    Recipe {
        name: "toy".to_owned(),
        build: Build::AVERAGE,
        blade: Some(Blade { hand: Side::Right, hilt: Vec3::Z * 0.1, tip: Vec3::Z * 1.0 }),
        nodes: vec![node("turn", Measure::Turn, turns.to_vec()), node("go", Measure::Speed, speeds.to_vec())],
        links: vec![
            link("turn", "turn", When::AtEnd),
            link("turn", "go", When::AtEnd),
            link("go", "turn", When::AtEnd),
            link("turn", "turn", When::During(vec![0.3, 0.6])),
        ],
        likeness: Likeness { distance: 0.5, velocity: 0.03, foot: 0.5 },
    }
}

#[test]
fn blends_have_the_time_the_place_and_the_parameter_in_between() {
    let graph = Graph::new(&recipe()).unwrap();
    let turn = graph.node(graph.find("turn").unwrap());
    assert_eq!(turn.parameters().len(), 3);
    for parameter in [-0.4, -0.1, 0.0, 0.2, 0.5, 0.6] {
        assert!((turn.measured(parameter) - parameter).abs() < 1e-4, "{parameter}");
        assert!((turn.seconds(parameter) - (0.5 + 0.2 * parameter)).abs() < 0.02);
        // All change feet after 0.2 s, whatever their lengths.
        let change = turn.time_at(0.2, parameter);
        assert_eq!(turn.standing(change - 0.01), [true, false], "{parameter} {change}");
        assert_eq!(turn.standing(change + 0.01), [false, true], "{parameter} {change}");
        for k in 0..=20 {
            let time = k as f32 / 20.0;
            assert!((turn.time_at(turn.seconds_at(time, parameter), parameter) - time).abs() < 1e-4);
        }
    }
    // Outside of the samples is the nearest.
    assert_eq!(turn.placement(1.0, 9.0), turn.placement(1.0, 0.6));
    assert_eq!(turn.placement(f32::NAN, f32::NAN), turn.placement(0.0, -0.4));
    let go = graph.node(graph.find("go").unwrap());
    for speed in [1.0, 1.3, 1.5, 2.2, 2.9] {
        // Times go as the inverse of the speed: half way between two samples is not half the speed.
        assert!((go.measured(speed) - speed).abs() < 0.02, "{speed} {}", go.measured(speed));
    }
}

#[test]
fn the_blade_is_where_the_hand_holds_it() {
    let graph = Graph::new(&recipe()).unwrap();
    let mut set = ActionSet::default();
    graph.actions(graph.start(graph.find("go").unwrap()), &LookAhead::default(), &mut set);
    for moment in set.actions().iter().flat_map(|action| action.moments) {
        assert!((moment.blade[0].distance(moment.blade[1]) - 0.9).abs() < 1e-3);
        assert!((moment.blade[0].distance(moment.hands[1]) - 0.1).abs() < 1e-3);
    }
}

#[test]
fn actions_are_bounded_whatever_is_asked() {
    let graph = Graph::new(&recipe()).unwrap();
    let start = graph.start(graph.find("turn").unwrap());
    let mut set = ActionSet::default();
    let all = LookAhead::default();
    for seconds in [f32::NAN, -1.0, 0.0, 1e-9, 0.2, 3.0, f32::INFINITY] {
        for (samples, resolve, most) in [(0, 0.15, 64), (3, f32::NAN, 64), (50, 0.0, 64), (3, 0.15, 0)] {
            let look_ahead = LookAhead { seconds, samples, resolve, most };
            graph.actions(start, &look_ahead, &mut set);
            assert!(set.actions().len() <= most && (most == 0 || !set.actions().is_empty()));
            let finite = |action: &randori_motion::parametric::Action| {
                graph.holds(action.end) && action.moments.iter().all(|moment| moment.head.is_finite())
            };
            assert!(set.actions().iter().all(finite), "{look_ahead:?}");
        }
    }
    for state in [
        State { time: f32::NAN, ..start },
        State { parameter: 7.0, ..start },
        State { node: randori_motion::parametric::NodeId(99), ..start },
    ] {
        graph.actions(state, &all, &mut set);
        assert!(set.actions().is_empty());
    }
}

#[test]
fn what_nothing_follows_holds_its_end() {
    let mut recipe = recipe();
    recipe.links.clear();
    let graph = Graph::new(&recipe).unwrap();
    let mut set = ActionSet::default();
    let start = graph.start(graph.find("go").unwrap());
    graph.actions(start, &LookAhead { seconds: 2.0, ..LookAhead::default() }, &mut set);
    assert_eq!(set.actions().len(), 1);
    assert_eq!(set.actions()[0].end.time, 1.0);
    let mut player = Player::new(&graph, start, Placement::default());
    player.follow(set.path(&set.actions()[0]));
    let poses: Vec<_> = (0..200).map(|_| player.step()).collect();
    assert_eq!(poses[150], poses[199]);
}

/// The recipe after a change is refused for a reason.
fn check_refused(change: impl Fn(&mut Recipe), reason: &str) {
    let mut recipe = recipe();
    change(&mut recipe);
    match Graph::new(&recipe) {
        Ok(_) => panic!("made; expected: {reason}"),
        Err(error) => assert!(error.to_string().contains(reason), "{error}"),
    }
}

#[test]
fn bad_recipes_are_refused_with_reasons() {
    check_refused(|recipe| recipe.nodes[0].samples.clear(), "has no samples");
    check_refused(|recipe| recipe.nodes[0].samples[1].placements[3].heading = f32::NAN, "is placed nowhere");
    check_refused(
        |recipe| {
            recipe.nodes[0].measure = Measure::Given;
            recipe.nodes[0].samples[2].parameter = f32::NAN;
        },
        "its parameter is NaN",
    );
    check_refused(|recipe| recipe.nodes[0].samples[0].standing.truncate(5), "5 contacts for");
    check_refused(|recipe| recipe.nodes[0].samples[0].standing.fill([true; 2]), "in the order B, those of");
    check_refused(
        |recipe| {
            let sample = recipe.nodes[0].samples[0].clone();
            recipe.nodes[0].samples.push(sample);
        },
        "have the same parameter",
    );
    check_refused(|recipe| recipe.nodes[0].range = Some([-2.0, 0.0]), "is not within");
    check_refused(|recipe| recipe.nodes[1].name = "turn".to_owned(), "two nodes are named \"turn\"");
    check_refused(|recipe| recipe.links[0].to = "fly".to_owned(), "names the node \"fly\"");
    check_refused(|recipe| recipe.links[3].when = When::During(vec![1.5]), "names the time 1.5");
    check_refused(|recipe| recipe.likeness.distance = 1e-6, "is like anything of");
    check_refused(
        |recipe| recipe.links.retain(|link| link.when != When::AtEnd || link.from != "turn"),
        "nothing can follow the end of \"turn\"",
    );
    check_refused(
        |recipe| {
            let sample = &mut recipe.nodes[0].samples[0];
            sample.clip = sample.clip.slice(0..1).unwrap();
        },
        "1 frames",
    );
    check_refused(|recipe| recipe.build = Build::SLIM, "moves another skeleton");
}

#[test]
fn files_come_back_and_damage_is_noticed() {
    let graph = Graph::new(&recipe()).unwrap();
    let bytes = graph.to_bytes();
    let read = Graph::from_bytes(&bytes).unwrap();
    assert_eq!(read.to_bytes(), bytes);
    assert_eq!((read.nodes(), read.blade()), (graph.nodes(), graph.blade()));
    assert_eq!(Graph::from_bytes(b"randori\x1a").unwrap_err(), GraphError::NotAGraph);
    let mut later = bytes.clone();
    later[8] = 9;
    assert_eq!(Graph::from_bytes(&later).unwrap_err(), GraphError::Version { found: 9 });
    for at in [12, 20, 40, bytes.len() / 2, bytes.len() - 1] {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        assert!(matches!(Graph::from_bytes(&changed), Err(GraphError::Damaged(_))), "{at}");
        assert!(Graph::from_bytes(&bytes[..at]).is_err());
    }
    assert!(matches!(
        Graph::new(&Recipe { nodes: Vec::new(), links: Vec::new(), ..recipe() }),
        Ok(graph) if graph.nodes().is_empty()
    ));
    let error: BadRecipe = GraphError::NotAGraph.into();
    assert!(error.to_string().contains("cannot be kept"));
}
