//! The motion graphs of tag: their sizes, what they offer, and how well their blends keep feet and parameters.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::sync::LazyLock;

use randori_actor::{tag_agent, tag_opponent};
use randori_motion::math::Vec3;
use randori_motion::parametric::{Action, ActionSet, Graph, GraphStats, Leg, LookAhead, Player, State, walk};
use randori_motion::{Bone, Build, FrameRate, Placement, Pose, Side};

static GRAPHS: LazyLock<[Graph; 2]> = LazyLock::new(|| {
    [tag_agent(Build::AVERAGE), tag_opponent(Build::AVERAGE)].map(|recipe| Graph::new(&recipe).unwrap())
});

/// States all over a graph.
fn states(graph: &Graph) -> impl Iterator<Item = State> + '_ {
    let shares = [0.0, 0.21, 0.5, 0.83, 1.0];
    let of = move |node| {
        let [least, most] = graph.node(node).range();
        (0..35).map(move |k| State {
            node,
            time: (k % 7) as f32 / 6.0,
            parameter: (least + (most - least) * shares[k / 7]).min(most),
        })
    };
    graph.ids().flat_map(of)
}

#[test]
fn sizes_are_those_of_the_game() {
    for (graph, n_nodes) in GRAPHS.iter().zip([18, 20]) {
        let stats = GraphStats::of(graph, &LookAhead::default());
        assert_eq!(stats.nodes, n_nodes);
        assert!(stats.mean_actions >= 10.0, "{}: {}", graph.name, stats.mean_actions);
        println!(
            "{}: {:.1} actions on average, {} to {}",
            graph.name, stats.mean_actions, stats.least_actions, stats.most_actions
        );
        // Somebody always has a choice.
        assert!(stats.least_actions >= 2);
        assert!(graph.nodes().iter().all(|node| node.parameters().len() >= 3));
        // From anywhere to anywhere.
        for start in graph.ids() {
            let mut reached = vec![false; n_nodes];
            let mut open = vec![start];
            while let Some(node) = open.pop() {
                for edge in graph.edges(node) {
                    if !std::mem::replace(&mut reached[edge.to.idx()], true) {
                        open.push(edge.to);
                    }
                }
            }
            assert!(reached.iter().all(|is| *is), "{} from {}", graph.name, graph.node(start).name);
        }
    }
}

/// How far each standing ball slides in a row of poses (m), contact by contact.
fn slides(graph: &Graph, poses: &[(Pose, [bool; 2])]) -> Vec<f32> {
    let skeleton = &graph.body().skeleton;
    let mut slides = Vec::new();
    for side in Side::BOTH {
        let ball = skeleton.bone(Bone::LeftToes.on(side)).unwrap();
        let mut last: Option<Vec3> = None;
        let mut slid = None;
        for (pose, standing) in poses {
            let now = standing[side as usize]
                .then(|| skeleton.global_pose(pose.view()).positions[ball.idx()].with_y(0.0));
            match (last, now) {
                (Some(last), Some(now)) => *slid.get_or_insert(0.0) += last.distance(now),
                _ => slides.extend(slid.take()),
            }
            last = now;
        }
        slides.extend(slid);
    }
    slides
}

fn p95(mut numbers: Vec<f32>) -> f32 {
    numbers.sort_by(f32::total_cmp);
    numbers[numbers.len() * 95 / 100]
}

#[test]
fn blends_between_samples_keep_the_feet_and_the_parameter() {
    for graph in &*GRAPHS {
        let (mut all, mut worst) = (Vec::new(), 0.0_f32);
        for id in graph.ids() {
            let node = graph.node(id);
            let [least, most] = node.range();
            for pair in node.parameters().windows(2) {
                for share in [0.25, 0.5, 0.75] {
                    let parameter = pair[0] + (pair[1] - pair[0]) * share;
                    let error = (node.measured(parameter) - parameter).abs() / (most - least);
                    assert!(error < 0.05, "{} {parameter}: {error}", node.name);
                    worst = worst.max(error);
                    let start = State { node: id, time: 0.0, parameter };
                    let mut player = Player::new(graph, start, Placement::default());
                    let n_frames = (node.seconds(parameter) * FrameRate::HOUSE.fps() as f32) as usize;
                    let poses: Vec<_> = (0..n_frames)
                        .map(|_| {
                            let standing = player.standing();
                            (player.step(), standing)
                        })
                        .collect();
                    all.extend(slides(graph, &poses));
                }
            }
        }
        let slide = p95(all);
        println!(
            "{}: blends slide {slide:.4} m (95th percentile), off by {worst:.4} of the range",
            graph.name
        );
        assert!(slide < 0.02, "{}: {slide}", graph.name);
    }
}

/// Somebody who takes actions at random.
fn wander(graph: &Graph, n_actions: usize) -> Vec<(Pose, [bool; 2])> {
    let mut state = graph.start(graph.ids().next().unwrap());
    let mut player = Player::new(graph, state, Placement::default());
    let (mut set, mut poses) = (ActionSet::default(), Vec::new());
    for k in 0..n_actions {
        graph.actions(state, &LookAhead::default(), &mut set);
        let action = set.actions()[(k * 7919 + 13) % set.actions().len()];
        player.follow(set.path(&action));
        for _ in 0..15 {
            let standing = player.standing();
            poses.push((player.step(), standing));
        }
        state = action.end;
        let reached = player.state();
        assert_eq!((reached.node, reached.parameter), (state.node, state.parameter));
        assert!((reached.time - state.time).abs() < 2e-3, "{reached:?} {state:?}");
    }
    poses
}

#[test]
fn seams_keep_the_feet() {
    for graph in &*GRAPHS {
        let slide = p95(slides(graph, &wander(graph, 400)));
        println!("{}: seams slide {slide:.4} m (95th percentile)", graph.name);
        assert!(slide < 0.02, "{}: {slide}", graph.name);
    }
}

#[test]
fn seams_are_smooth() {
    for graph in &*GRAPHS {
        let skeleton = &graph.body().skeleton;
        let poses = wander(graph, 200);
        let places: Vec<_> =
            poses.iter().map(|(pose, _)| skeleton.global_pose(pose.view()).positions).collect();
        let head = skeleton.bone(Bone::Head).unwrap().idx();
        let push = |at: &[Vec<Vec3>]| (at[2][head] - 2.0 * at[1][head] + at[0][head]).length() * 3600.0;
        let push = p95(places.windows(3).map(push).collect());
        assert!(push < 60.0, "{}: {push} m/s2", graph.name);
    }
}

/// Legs take as long as the look-ahead, and each starts where an edge from the one before leads.
fn check_path(graph: &Graph, state: State, action: &Action, path: &[Leg], seconds: f32) {
    let first = &path[0];
    assert_eq!((first.node, first.parameter, first.from), (state.node, state.parameter, state.time));
    let length = |leg: &Leg| {
        let node = graph.node(leg.node);
        node.seconds_at(leg.to, leg.parameter) - node.seconds_at(leg.from, leg.parameter)
    };
    let total: f32 = path.iter().map(length).sum();
    assert!((total - seconds).abs() < 1e-3, "{total}");
    for pair in path.windows(2) {
        let edge = graph
            .edges(pair[0].node)
            .iter()
            .find(|edge| edge.at == pair[0].to && edge.to == pair[1].node && edge.start == pair[1].from);
        let [least, most] = edge.unwrap().targets(pair[0].parameter).unwrap();
        assert!((least - 1e-6..=most + 1e-6).contains(&pair[1].parameter));
    }
    let last = path.last().unwrap();
    assert_eq!(
        (last.node, last.parameter, last.to),
        (action.end.node, action.end.parameter, action.end.time)
    );
}

#[test]
fn actions_end_when_told_and_say_where_the_body_will_be() {
    let mut set = ActionSet::default();
    for graph in &*GRAPHS {
        let skeleton = &graph.body().skeleton;
        let [head, hand] = [Bone::Head, Bone::LeftHand].map(|bone| skeleton.bone(bone).unwrap().idx());
        for seconds in [0.1, 0.25, 0.33, 0.5] {
            let look_ahead = LookAhead { seconds, ..LookAhead::default() };
            for state in states(graph) {
                graph.actions(state, &look_ahead, &mut set);
                assert!(!set.actions().is_empty() && !set.is_cut());
                for action in set.actions() {
                    check_path(graph, state, action, set.path(action), seconds);
                }
                // The posture of the end, placed where the action says, has head and hand there too.
                for action in set.actions().iter().step_by(7) {
                    let globals = skeleton.global_pose(graph.pose(action.end).view());
                    let there = action.displacement();
                    let last = action.moments.last().unwrap();
                    for (joint, found) in [(head, last.head), (hand, last.hands[0])] {
                        let expected = there.point(globals.positions[joint]);
                        assert!(expected.distance(found) < 0.02, "{expected} {found}");
                    }
                }
            }
        }
    }
}

#[test]
fn warm_searches_allocate_nothing() {
    let graph = &GRAPHS[1];
    let states: Vec<State> = states(graph).collect();
    let mut set = ActionSet::default();
    let mut search =
        || states.iter().for_each(|state| graph.actions(*state, &LookAhead::default(), &mut set));
    search();
    let counted = allocation_counter::measure(search);
    assert_eq!(counted.count_total, 0, "{counted:?}");
}

#[test]
fn the_same_recipe_gives_the_same_bytes_and_bytes_the_same_graph() {
    let graph = &GRAPHS[0];
    let bytes = graph.to_bytes();
    assert!(Graph::new(&tag_agent(Build::AVERAGE)).unwrap().to_bytes() == bytes);
    let read = Graph::from_bytes(&bytes).unwrap();
    assert!(read.to_bytes() == bytes);
    let (mut a, mut b) = (ActionSet::default(), ActionSet::default());
    for state in states(graph) {
        graph.actions(state, &LookAhead::default(), &mut a);
        read.actions(state, &LookAhead::default(), &mut b);
        assert_eq!(a, b);
    }
    let look_ahead = LookAhead::default();
    assert_eq!(walk(graph, &look_ahead, 3.0, 5), walk(&read, &look_ahead, 3.0, 5));
}

#[test]
fn all_builds_can_play() {
    for build in [Build::SLIM, Build::STOCKY] {
        for recipe in [tag_agent(build), tag_opponent(build)] {
            let graph = Graph::new(&recipe).unwrap();
            assert!(GraphStats::of(&graph, &LookAhead::default()).mean_actions >= 10.0);
        }
    }
}

#[test]
fn a_slow_giant_gets_less_far() {
    let graph = &GRAPHS[0];
    let giant = graph.clone().slowed(2.0);
    let run = graph.find("run-on-left").unwrap();
    let mut set = ActionSet::default();
    let mut farthest = |graph: &Graph| {
        graph.actions(graph.start(run), &LookAhead::default(), &mut set);
        let far = set.actions().iter().map(|action| action.displacement().position.z);
        far.fold(0.0, f32::max)
    };
    let (usual, slow) = (farthest(graph), farthest(&giant));
    assert!((0.4..0.62).contains(&(slow / usual)), "{usual} {slow}");
}
