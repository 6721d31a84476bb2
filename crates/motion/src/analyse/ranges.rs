//! From where an action makes sense: ranges of the initial conditions of an interaction.

use std::f32::consts::PI;
use std::ops::Range;

use crate::annotation::{Annotation, Kind};

use super::Segment;

/// In which initial conditions an action of an annotation makes sense.
///
/// Reference: \[Shum2008\], section 2.2, "Sampling Initial Conditions": attacks need the other in front of
/// them at some distance and their range is narrow, avoiding works wherever one can get away. Symbols:
/// `distance` = r (m), `own_angle` = θ1 and `other_angle` = θ2, by which each has to turn to its own left to
/// face the other (rad), `delay` = t_diff, the start of the other's action after this one's (s).
/// Differs from the paper: the ranges of attacks come from what was measured in the library's actions instead
/// of being set by hand.
#[derive(Clone, Debug, PartialEq)]
pub struct ValidRange {
    /// Between the two placements (m).
    pub distance: Range<f32>,
    /// Where the other is, seen by the one who acts (rad).
    pub own_angle: Range<f32>,
    /// Where the one who acts is, seen by the other (rad).
    pub other_angle: Range<f32>,
    /// By how much the other's action starts later (s).
    pub delay: Range<f32>,
}

/// The valid range of every annotation that occurs, in the order of names.
///
/// `fps` is the rate of the clips that the segments were cut from.
pub fn valid_ranges<'a>(
    segments: impl IntoIterator<Item = &'a Segment>,
    fps: f64,
) -> Vec<(Annotation, ValidRange)> {
    let mut segments: Vec<&Segment> = segments.into_iter().collect();
    segments.sort_by(|a, b| a.annotation.cmp(&b.annotation));
    segments
        .chunk_by(|a, b| a.annotation == b.annotation)
        .map(|same| (same[0].annotation.clone(), range_of(same, fps)))
        .collect()
}

/// Half the depth of the body that is hit (m).
const BODY: f32 = 0.15;
/// Where everything is possible: as far as anybody looks (m), all around (rad), a second either way (s).
const FAR: f32 = 4.0;

/// What is done face to face, hands to hands.
const EXCHANGES: [&str; 2] = ["hand-over", "receive"];

fn range_of(same: &[&Segment], fps: f64) -> ValidRange {
    let round = -PI..PI;
    let longest = same.iter().map(|segment| segment.frames.len()).max().unwrap_or(0) as f64 / fps;
    let longest = longest as f32;
    let reaches = same.iter().flat_map(|segment| &segment.windows).map(|window| window.reach);
    match same[0].annotation.kind() {
        _ if EXCHANGES.contains(&same[0].annotation.stem()) => ValidRange {
            distance: 0.85..1.25,
            own_angle: -0.4..0.4,
            other_angle: -0.4..0.4,
            delay: -longest..longest,
        },
        Kind::Attack => {
            let least = reaches.clone().fold(f32::INFINITY, f32::min);
            let most = reaches.fold(0.0, f32::max);
            let impact = (same.iter())
                .filter_map(|segment| Some((segment.peak?.checked_sub(segment.frames.start)?) as f64 / fps))
                .fold(0.0, f64::max) as f32;
            let distance = if most > 0.0 { (0.5 * least)..(most + 2.0 * BODY) } else { 0.3..1.2 };
            // The other may act before, but must still be there when the blow lands.
            ValidRange {
                distance,
                own_angle: -0.5..0.5,
                other_angle: round,
                delay: -impact.max(0.1)..impact.max(0.1),
            }
        }
        Kind::Defence => ValidRange {
            distance: 0.3..2.0,
            own_angle: -1.2..1.2,
            other_angle: -0.8..0.8,
            delay: -longest.max(0.1)..0.3,
        },
        Kind::Reaction => ValidRange {
            distance: 0.2..1.5,
            own_angle: round,
            other_angle: -0.6..0.6,
            delay: -longest.max(0.1)..0.0,
        },
        Kind::Transition => {
            ValidRange { distance: 0.3..FAR, own_angle: round.clone(), other_angle: round, delay: -1.0..1.0 }
        }
    }
}
