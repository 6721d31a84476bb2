//! From takes and their segments to a library.

use std::ops::Range;

use super::posture::{Posture, group};
use super::{Action, ActionLibrary, Likeness, NodeId, file, graph};
use crate::analyse::{Segment, placement_of, valid_ranges};
use crate::annotation::Annotation;
use crate::body::Build;
use crate::clip::{Clip, ClipError};
use crate::contacts::runs;
use crate::placement::Placement;
use crate::rate::FrameRate;
use crate::skeleton::Skeleton;

/// One take with what was found in it.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The motion, on the library's skeleton of the build that is assembled, at 60 poses per second.
    pub clip: Clip,
    /// Whether each foot stands, frame by frame; left, then right.
    pub standing: [Vec<bool>; 2],
    /// The segments, in order, in frames of the clip.
    pub segments: Vec<Segment>,
}

/// Why takes do not make a library.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum AssembleError {
    /// A take is on another skeleton.
    #[error("{take}: on another skeleton than the library's; retarget it first")]
    Skeleton {
        /// The take's name.
        take: String,
    },
    /// A take has another rate.
    #[error("{take}: {fps} poses per second; a library has {}", FrameRate::HOUSE.fps())]
    Rate {
        /// The take's name.
        take: String,
        /// Its rate.
        fps: f64,
    },
    /// Segments or contacts lie outside their take or overlap.
    #[error("{take}: segment {segment} lies outside the take's {n_frames} frames or overlaps the one before")]
    Segment {
        /// The take's name.
        take: String,
        /// The segment, from 0.
        segment: usize,
        /// Frames of the take.
        n_frames: usize,
    },
    /// The poses are not finite.
    #[error(transparent)]
    Clip(#[from] ClipError),
}

/// Makes a library of takes. Nodes are groups of postures alike by `likeness`; actions outside the largest part in
/// which all can follow each other are left out, except those after which the body lies.
///
/// Without any segment the library is empty.
pub fn assemble(
    name: &str,
    discipline: &str,
    build: Build,
    recordings: &[Recording],
    likeness: &Likeness,
) -> Result<ActionLibrary, AssembleError> {
    let skeleton = build.skeleton();
    for recording in recordings {
        check(recording, &skeleton)?;
    }
    let cut: Vec<Cut<'_>> =
        recordings.iter().enumerate().flat_map(|(take, r)| Cut::all_of(take, r)).collect();
    let ends = Ends::of(recordings, &cut, likeness);
    let edges: Vec<(u32, u32)> = ends.nodes.iter().map(|[from, to]| (*from, *to)).collect();
    let kept = Kept::of(ends.n_nodes, &edges, &cut);

    let mut numbers = std::collections::BTreeMap::<&Annotation, u32>::new();
    let mut actions = Vec::new();
    for (at, cut) in cut.iter().enumerate().filter(|(at, _)| kept.actions[*at]) {
        let number = numbers.entry(&cut.segment.annotation).or_default();
        *number += 1;
        let [from, to] = ends.nodes[at].map(|node| NodeId(kept.numbers[node as usize]));
        let name = format!("{}-{number}", cut.segment.annotation);
        actions.push(cut.action(name, from, to, kept.terminal[at]));
    }
    let ranges = valid_ranges(cut.iter().map(|cut| cut.segment), FrameRate::HOUSE.fps());
    let share = if cut.is_empty() { 1.0 } else { actions.len() as f32 / cut.len() as f32 };
    let contents = file::Contents {
        name: name.to_owned(),
        discipline: discipline.to_owned(),
        build,
        connected: share,
        n_nodes: kept.n_nodes,
        takes: recordings,
        actions: &actions,
        ranges: &ranges,
    };
    // What is assembled is what a file would hold, to the last bit.
    Ok(file::decode(&file::encode(&contents))
        .expect("what was just encoded decodes; a test does it for every build"))
}

fn check(recording: &Recording, skeleton: &Skeleton) -> Result<(), AssembleError> {
    let clip = &recording.clip;
    let take = || clip.name.clone();
    if **clip.skeleton() != *skeleton {
        return Err(AssembleError::Skeleton { take: take() });
    }
    if clip.rate() != FrameRate::HOUSE {
        return Err(AssembleError::Rate { take: take(), fps: clip.rate().fps() });
    }
    let n_frames = clip.n_frames();
    let mut end = 0;
    for (segment, found) in recording.segments.iter().enumerate() {
        let Range { start, end: next } = found.frames;
        if start < end
            || next <= start
            || next > n_frames
            || recording.standing.iter().any(|s| s.len() != n_frames)
        {
            return Err(AssembleError::Segment { take: take(), segment, n_frames });
        }
        end = next;
    }
    Ok(())
}

/// A segment with its place in a take.
struct Cut<'a> {
    take: usize,
    recording: &'a Recording,
    segment: &'a Segment,
    /// First and last pose.
    frames: Range<u32>,
    placements: [Placement; 2],
}

impl<'a> Cut<'a> {
    fn all_of(take: usize, recording: &'a Recording) -> Vec<Cut<'a>> {
        let clip = &recording.clip;
        let placement = |frame: u32| {
            placement_of(clip.skeleton(), &clip.skeleton().global_pose(clip.frame(frame as usize)))
        };
        let last = clip.n_frames() as u32 - 1;
        let of = |segment: &'a Segment| {
            let frames = segment.frames.start as u32..(segment.frames.end as u32).min(last);
            let placements = [placement(frames.start), placement(frames.end)];
            Cut { take, recording, segment, frames, placements }
        };
        // A segment of the last frame alone goes nowhere.
        recording.segments.iter().map(of).filter(|cut| cut.frames.start < cut.frames.end).collect()
    }

    fn posture(&self, end: usize) -> Posture {
        let frame = [self.frames.start, self.frames.end][end] as usize;
        let standing = [0, 1].map(|foot: usize| self.recording.standing[foot][frame]);
        let load = self.segment.annotation.holds()[end];
        Posture::of(&self.recording.clip, frame, self.placements[end], standing, load)
    }

    fn action(&self, name: String, from: NodeId, to: NodeId, is_terminal: bool) -> Action {
        let contacts = [0, 1].map(|foot: usize| {
            let mask = &self.recording.standing[foot][self.frames.start as usize..=self.frames.end as usize];
            let shift = |range: Range<usize>| {
                self.frames.start + range.start as u32..self.frames.start + range.end as u32
            };
            runs(mask, true).into_iter().map(shift).collect()
        });
        Action {
            name,
            annotation: self.segment.annotation.clone(),
            take: self.take as u32,
            frames: self.frames.clone(),
            from,
            to,
            displacement: self.placements[0].relative(self.placements[1]),
            peak: self.segment.peak.map(|frame| frame as u32),
            windows: self.segment.windows.clone(),
            targets: self.segment.targets.clone(),
            directions: self.segment.directions.clone(),
            contacts,
            is_terminal,
            confidence: self.segment.confidence,
        }
    }
}

/// The nodes at both ends of every cut.
struct Ends {
    n_nodes: usize,
    nodes: Vec<[u32; 2]>,
}

impl Ends {
    fn of(recordings: &[Recording], cut: &[Cut<'_>], likeness: &Likeness) -> Ends {
        // Where one action ends and the next begins there is one posture, not two.
        let mut first_frame_of_take = vec![0_u64];
        for recording in recordings {
            let last = first_frame_of_take[first_frame_of_take.len() - 1];
            first_frame_of_take.push(last + recording.clip.n_frames() as u64);
        }
        let mut places = std::collections::BTreeMap::<u64, usize>::new();
        let mut postures: Vec<Posture> = Vec::new();
        let mut of = |cut: &Cut<'_>, end: usize| {
            let frame = [cut.frames.start, cut.frames.end][end];
            *places.entry(first_frame_of_take[cut.take] + u64::from(frame)).or_insert_with(|| {
                postures.push(cut.posture(end));
                postures.len() - 1
            })
        };
        let nodes: Vec<[usize; 2]> = cut.iter().map(|cut| [of(cut, 0), of(cut, 1)]).collect();
        let groups = group(&postures, likeness);
        let n_nodes = groups.iter().max().map_or(0, |last| *last as usize + 1);
        Ends { n_nodes, nodes: nodes.into_iter().map(|ends| ends.map(|at| groups[at])).collect() }
    }
}

/// What stays in the library.
struct Kept {
    actions: Vec<bool>,
    terminal: Vec<bool>,
    /// New numbers of the nodes that stay.
    numbers: Vec<u32>,
    n_nodes: usize,
}

impl Kept {
    fn of(n_nodes: usize, edges: &[(u32, u32)], cut: &[Cut<'_>]) -> Kept {
        let part = graph::strong_parts(n_nodes, edges);
        let mut sizes = vec![0_usize; n_nodes];
        for (from, to) in edges {
            if part[*from as usize] == part[*to as usize] {
                sizes[part[*from as usize] as usize] += 1;
            }
        }
        // The part with most actions; the first of several.
        let largest = (0..n_nodes).max_by_key(|at| (sizes[*at], std::cmp::Reverse(*at))).unwrap_or(0) as u32;
        let inside = |node: u32| part[node as usize] == largest;
        let falls = |at: usize| cut[at].segment.annotation.name().starts_with("knock-down");
        let terminal: Vec<bool> = (0..edges.len()).map(|at| falls(at) && !inside(edges[at].1)).collect();
        let actions: Vec<bool> = (edges.iter().zip(&terminal))
            .map(|((from, to), terminal)| inside(*from) && (inside(*to) || *terminal))
            .collect();
        let mut used = vec![false; n_nodes];
        for ((from, to), _) in edges.iter().zip(&actions).filter(|(_, kept)| **kept) {
            used[*from as usize] = true;
            used[*to as usize] = true;
        }
        let mut n_kept = 0;
        let numbers = used.iter().map(|used| {
            n_kept += u32::from(*used);
            n_kept.saturating_sub(1)
        });
        let numbers: Vec<u32> = numbers.collect();
        Kept { actions, terminal, numbers, n_nodes: n_kept as usize }
    }
}
