//! Writes what a parametric motion graph can do: a BVH of a random walk through it, and one of a path that holds a node
//! for its parameters between the samples; prints its figures.
//!
//! `cargo run --example parametric -- tag-agent|tag-opponent FOLDER [SECONDS] [SEED]`

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "an example at the edge reads arguments and writes files"
)]

use std::error::Error;
use std::path::Path;

use randori_actor::{tag_agent, tag_opponent};
use randori_motion::formats::bvh::{WriteOptions, write};
use randori_motion::parametric::{Graph, GraphStats, LookAhead, Player, State, walk};
use randori_motion::{Build, Clip, FrameRate, Placement};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let word = |k: usize, or: &str| arguments.get(k).map_or(or.to_owned(), Clone::clone);
    let recipe = match word(0, "tag-agent").as_str() {
        "tag-agent" => tag_agent(Build::AVERAGE),
        "tag-opponent" => tag_opponent(Build::AVERAGE),
        other => return Err(format!("expected tag-agent or tag-opponent, found {other}").into()),
    };
    let graph = Graph::new(&recipe)?;
    let stats = GraphStats::of(&graph, &LookAhead::default());
    println!("{}", serde_json::to_string_pretty(&stats)?);
    let folder = word(1, ".");
    let folder = Path::new(&folder);
    std::fs::create_dir_all(folder)?;
    let clip = walk(&graph, &LookAhead::default(), word(2, "20").parse()?, word(3, "1").parse()?);
    let clip = clip.ok_or("the graph has no nodes")?;
    std::fs::write(folder.join(format!("{}.bvh", graph.name)), write(&clip, &WriteOptions::default())?)?;
    for id in graph.ids() {
        let node = graph.node(id);
        let mut poses = Vec::new();
        for pair in node.parameters().windows(2).step_by(2) {
            let parameter = 0.5 * (pair[0] + pair[1]);
            let mut player =
                Player::new(&graph, State { node: id, time: 0.0, parameter }, Placement::default());
            let n_frames = (node.seconds(parameter) * FrameRate::HOUSE.fps() as f32) as usize + 1;
            poses.extend((0..n_frames).map(|_| player.step()));
        }
        let skeleton = graph.body().skeleton.clone();
        let blends = Clip::from_poses(&node.name, skeleton, FrameRate::HOUSE, poses)?;
        std::fs::write(folder.join(format!("{}.bvh", node.name)), write(&blends, &WriteOptions::default())?)?;
    }
    Ok(())
}
