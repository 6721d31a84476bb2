//! How well segments agree with labels.

use crate::annotation::{Annotation, Kind};

use super::Segment;
use super::labels::Label;

/// Agreement of segments with labels, each from 0 to 1.
///
/// Strokes are attacks and defences, compared by their moments: the peak, or the middle if there is none. A
/// found stroke and a labelled one are matched one to one, the nearest in time first. F1 is the harmonic mean
/// of the shares of found and of labelled strokes that are matched; with nothing to find and nothing found it is 1.
///
/// ```
/// use randori_motion::analyse::{labels, score::Score};
/// let nothing = Score::of(&[], 60.0, &[]);
/// assert_eq!(nothing.attack_f1, 1.0);
/// let one = labels::read("start_s,end_s,peak_s,label,confidence,note\n0,1,0.5,left-jab,1,\n").unwrap();
/// assert_eq!(Score::of(&[], 60.0, &one).attack_f1, 0.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    /// F1 of strokes, whatever their names, matched within 0.1 s.
    pub boundary_f1: f64,
    /// Share of strokes matched within 0.2 s whose names agree, see [`agree`].
    pub label_accuracy: f64,
    /// F1 of attacks, whatever their names, matched within 0.2 s.
    pub attack_f1: f64,
    /// Strokes in the labels.
    pub n_labelled: usize,
    /// Strokes in the segments.
    pub n_found: usize,
}

/// How far apart the moments of a stroke may be (s).
const NEAR: f64 = 0.1;
const WITHIN_REACH: f64 = 0.2;

impl Score {
    /// Compares segments of a clip at `fps` frames per second with labels of the same clip.
    pub fn of(segments: &[Segment], fps: f64, labels: &[Label]) -> Score {
        let found = |kinds: &[Kind]| -> Vec<Moment<'_>> {
            let moment = |segment: &Segment| {
                let middle = 0.5 * (segment.frames.start + segment.frames.end) as f64;
                segment.peak.map_or(middle, |peak| peak as f64) / fps
            };
            (segments.iter())
                .filter(|segment| kinds.contains(&segment.annotation.kind()))
                .map(|segment| Moment { time: moment(segment), name: &segment.annotation })
                .collect()
        };
        let labelled = |kinds: &[Kind]| -> Vec<Moment<'_>> {
            (labels.iter())
                .filter(|label| kinds.contains(&label.annotation.kind()))
                .map(|label| Moment { time: label.moment(), name: &label.annotation })
                .collect()
        };
        let strokes = [Kind::Attack, Kind::Defence];
        let (found_strokes, labelled_strokes) = (found(&strokes), labelled(&strokes));
        let matched = matches(&found_strokes, &labelled_strokes, WITHIN_REACH);
        let n_right = matched
            .iter()
            .filter(|(found, label)| agree(found_strokes[*found].name, labelled_strokes[*label].name));
        let label_accuracy = match (matched.len(), labelled_strokes.len()) {
            (0, 0) => 1.0,
            (0, _) => 0.0,
            (n, _) => n_right.count() as f64 / n as f64,
        };
        Score {
            boundary_f1: f1(&found_strokes, &labelled_strokes, NEAR),
            label_accuracy,
            attack_f1: f1(&found(&[Kind::Attack]), &labelled(&[Kind::Attack]), WITHIN_REACH),
            n_labelled: labelled_strokes.len(),
            n_found: found_strokes.len(),
        }
    }
}

struct Moment<'a> {
    time: f64,
    name: &'a Annotation,
}

fn f1(found: &[Moment<'_>], labelled: &[Moment<'_>], within: f64) -> f64 {
    if found.is_empty() && labelled.is_empty() {
        return 1.0;
    }
    2.0 * matches(found, labelled, within).len() as f64 / (found.len() + labelled.len()) as f64
}

/// Pairs (found, labelled), the nearest in time first, each moment in one pair at most.
fn matches(found: &[Moment<'_>], labelled: &[Moment<'_>], within: f64) -> Vec<(usize, usize)> {
    let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
    for (i, one) in found.iter().enumerate() {
        for (j, other) in labelled.iter().enumerate() {
            // Times in files are rounded.
            let apart = (one.time - other.time).abs();
            if apart <= within + 1e-6 {
                pairs.push((apart, i, j));
            }
        }
    }
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let (mut used_found, mut used_labelled) = (vec![false; found.len()], vec![false; labelled.len()]);
    pairs.retain(|(_, i, j)| {
        let free = !used_found[*i] && !used_labelled[*j];
        used_found[*i] |= free;
        used_labelled[*j] |= free;
        free
    });
    pairs.into_iter().map(|(_, i, j)| (i, j)).collect()
}

/// Whether a found name is what a label says. Labels may be less exact than the analyser: without a side
/// (`jab`), or by family (`slip` is any slip or sway, `guard` and `block` are any cover, `step` any step).
pub fn agree(found: &Annotation, label: &Annotation) -> bool {
    let (found, label) = (found.name(), label.name());
    if found == label {
        return true;
    }
    match label {
        "slip" => found.starts_with("slip-") || found == "sway-back",
        "guard" | "block" | "parry" => matches!(found, "guard" | "parry"),
        "step" => found.starts_with("step-") || found.starts_with("quick-step-"),
        "turn" => found.starts_with("turn-"),
        "dodge" => found.starts_with("dodge-"),
        "kick" => found.ends_with("-kick") || found.ends_with("-roundhouse"),
        "punch" => ["jab", "straight", "hook", "uppercut"].iter().any(|blow| found.ends_with(blow)),
        _ => found.strip_suffix(label).is_some_and(|side| matches!(side, "left-" | "right-")),
    }
}
