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
    /// Share of all labels, whatever their kind, in whose moment a segment lies whose name agrees; 1 without any.
    pub named: f64,
    /// F1 of reactions (being struck, pushed, falling), whatever their names, matched within 0.2 s.
    pub reaction_f1: f64,
    /// Share of reactions matched within 0.2 s whose names agree.
    pub reaction_accuracy: f64,
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
        let is_named = |label: &&Label| {
            let frame = (label.moment() * fps) as usize;
            let at = segments.partition_point(|segment| segment.frames.end <= frame);
            let segment = segments.get(at).filter(|segment| segment.frames.contains(&frame));
            segment.is_some_and(|segment| agree(&segment.annotation, &label.annotation))
        };
        let n_named = labels.iter().filter(is_named).count();
        let (found_reactions, labelled_reactions) = (found(&[Kind::Reaction]), labelled(&[Kind::Reaction]));
        Score {
            named: if labels.is_empty() { 1.0 } else { n_named as f64 / labels.len() as f64 },
            boundary_f1: f1(&found_strokes, &labelled_strokes, NEAR),
            label_accuracy: accuracy(&found_strokes, &labelled_strokes),
            reaction_f1: f1(&found_reactions, &labelled_reactions, WITHIN_REACH),
            reaction_accuracy: accuracy(&found_reactions, &labelled_reactions),
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

/// The share of matched moments whose names agree.
fn accuracy(found: &[Moment<'_>], labelled: &[Moment<'_>]) -> f64 {
    let matched = matches(found, labelled, WITHIN_REACH);
    let n_right = matched.iter().filter(|(at, label)| agree(found[*at].name, labelled[*label].name)).count();
    match (matched.len(), labelled.len()) {
        (0, 0) => 1.0,
        (0, _) => 0.0,
        (n, _) => n_right as f64 / n as f64,
    }
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
/// (`jab`), without what is carried (`lift`), or by family (`slip` is any slip or sway, `guard` and `block` are any cover,
/// `step` any step; `carry`, `hand` and `turn` are those of \[Shum2008\], table 1).
pub fn agree(found: &Annotation, label: &Annotation) -> bool {
    let (stem, found, label) = (found.stem(), found.name(), label.name());
    if found == label || stem == label {
        return true;
    }
    match label {
        "carry" => stem.starts_with("carry-") || stem.starts_with("pair-carry-"),
        "hand" => stem == "hand-over",
        "slip" => found.starts_with("slip-") || found == "sway-back",
        "guard" | "block" | "parry" => matches!(found, "guard" | "parry"),
        "step" => found.starts_with("step-") || found.starts_with("quick-step-"),
        "turn" => ["turn-", "carry-turn-", "pair-carry-turn-"].iter().any(|turn| stem.starts_with(turn)),
        "dodge" => found.starts_with("dodge-"),
        "avoid" => ["dodge-", "step-aside-", "spin-", "jump-"].iter().any(|word| found.starts_with(word)),
        "step-aside" | "spin" | "pushed" | "tackled" | "tackle" | "fall" => {
            found.strip_prefix(label).is_some_and(|rest| rest.starts_with('-'))
        }
        "falling" => found.starts_with("fall-") || found.starts_with("tackled-") || found == "knock-down",
        "kick" => found.ends_with("-kick") || found.ends_with("-roundhouse"),
        "punch" => ["jab", "straight", "hook", "uppercut"].iter().any(|blow| found.ends_with(blow)),
        _ => found.strip_suffix(label).is_some_and(|side| matches!(side, "left-" | "right-")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_hold_their_words_and_no_others() {
        for (label, words, others) in [
            (
                "avoid",
                "dodge-left step-aside-back-right spin-left jump-over jump-back",
                "run tackle-legs slip-left",
            ),
            ("pushed", "pushed-left pushed-hard-front-right", "stumble fall-left"),
            ("tackle", "tackle-waist tackle-behind", "tackled-front fall-back"),
            ("tackled", "tackled-front tackled-left", "tackle-legs"),
            ("fall", "fall-forward fall-right", "tackled-left get-up"),
            ("falling", "fall-back tackled-behind knock-down", "stumble get-up"),
        ] {
            for (names, right) in [(words, true), (others, false)] {
                for name in names.split_whitespace() {
                    let found = Annotation::new(name).unwrap();
                    assert!(found.word().is_some(), "{name}");
                    assert_eq!(agree(&found, &Annotation::new(label).unwrap()), right, "{label} {name}");
                }
            }
        }
    }
}
