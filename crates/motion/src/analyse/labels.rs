//! Labels: the sidecar in which a person sees and corrects what the analyser found.
//!
//! A CSV with the columns `start_s,end_s,peak_s,label,confidence,note`, one line per action. `peak_s` may be
//! empty. Labels may overlap, as blows of a combination do. [`read()`] and [`write()`] go there and back;
//! [`super::analyse_labelled`] turns corrected labels into segments.

use std::fmt::Write as _;
use std::ops::Range;

use crate::annotation::{Annotation, Kind};
use crate::clip::Clip;

use super::{AnalyseError, Segment};

/// One line of the sidecar. Times count from the first frame of the clip (s).
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// When the body leaves what it did before (s).
    pub start: f64,
    /// When it is over (s).
    pub end: f64,
    /// When a blow is farthest or a defence deepest (s), if it has such a moment.
    pub peak: Option<f64>,
    /// What it is. Words that are not known, such as `slip`, are allowed.
    pub annotation: Annotation,
    /// How sure the name is, 0 to 1.
    pub confidence: f32,
    /// Whatever the person wants to keep.
    pub note: String,
}

impl Label {
    /// The moment by which labels are compared: the peak, or the middle.
    pub fn moment(&self) -> f64 {
        self.peak.unwrap_or(0.5 * (self.start + self.end))
    }
}

/// Why text is no list of labels.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: expected {expected}, found {found:?}")]
pub struct LabelError {
    /// The line, from 1.
    pub line: usize,
    /// What should stand there.
    pub expected: &'static str,
    /// What stands there.
    pub found: String,
}

const COLUMNS: [&str; 6] = ["start_s", "end_s", "peak_s", "label", "confidence", "note"];

/// Reads a sidecar. Empty lines are skipped; lines are numbered from 1.
///
/// ```
/// use randori_motion::analyse::labels;
/// let text = "start_s,end_s,peak_s,label,confidence,note\n0.5,0.9,0.72,left-jab,0.9,\"short, high\"\n";
/// let found = labels::read(text).unwrap();
/// assert_eq!(found[0].note, "short, high");
/// assert_eq!(labels::read(&labels::write(&found)).unwrap(), found);
/// assert_eq!(labels::read("start_s;end_s").unwrap_err().line, 1);
/// ```
pub fn read(text: &str) -> Result<Vec<Label>, LabelError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.lines().enumerate().map(|(at, line)| (at + 1, line));
    let error = |line, expected, found: &str| {
        Err(LabelError { line, expected, found: found.chars().take(80).collect() })
    };
    let head = lines.next().map_or("", |(_, line)| line.trim());
    if !head.split(',').map(str::trim).eq(COLUMNS) {
        return error(1, "start_s,end_s,peak_s,label,confidence,note", head);
    }
    let mut labels = Vec::new();
    for (line, text) in lines.filter(|(_, text)| !text.trim().is_empty()) {
        let Some(fields) = fields(text) else { return error(line, "fields with closed quotes", text) };
        let [start, end, peak, label, confidence, note] = &fields[..] else {
            return error(line, "six fields", text);
        };
        let seconds = |text: &str| text.parse::<f64>().ok().filter(|t| (0.0..=MOST_SECONDS).contains(t));
        let Some(start) = seconds(start) else { return error(line, "a start in seconds", start) };
        let Some(end) = seconds(end).filter(|end| *end > start) else {
            return error(line, "an end in seconds, after the start", end);
        };
        let peak = match peak.as_str() {
            "" => None,
            text => match seconds(text).filter(|peak| (start..=end).contains(peak)) {
                Some(peak) => Some(peak),
                None => return error(line, "a peak in seconds, between start and end, or nothing", text),
            },
        };
        let Ok(annotation) = Annotation::new(label) else {
            return error(line, "a label of lower-case letters, digits and hyphens", label);
        };
        let confidence = match confidence.as_str() {
            "" => 1.0,
            text => match text.parse::<f32>().ok().filter(|share| (0.0..=1.0).contains(share)) {
                Some(share) => share,
                None => return error(line, "a confidence from 0 to 1, or nothing", text),
            },
        };
        labels.push(Label { start, end, peak, annotation, confidence, note: note.clone() });
    }
    Ok(labels)
}

/// Nobody is captured for longer than this (s).
const MOST_SECONDS: f64 = 1e6;

/// The fields of a line, quotes removed; `None` if a quote stays open.
fn fields(line: &str) -> Option<Vec<String>> {
    let mut fields = Vec::new();
    let (mut field, mut quoted) = (String::new(), false);
    let mut letters = line.trim_end_matches('\r').chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                field.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(std::mem::take(&mut field).trim().to_owned()),
            _ => field.push(letter),
        }
    }
    fields.push(field.trim().to_owned());
    (!quoted).then_some(fields)
}

/// Writes a sidecar that [`read`] reads.
pub fn write(labels: &[Label]) -> String {
    let mut text = COLUMNS.join(",") + "\n";
    for label in labels {
        let peak = label.peak.map_or(String::new(), seconds);
        let (start, end) = (seconds(label.start), seconds(label.end));
        // A note is one line of a file, and its quotes are doubled.
        let note = label.note.replace(['\r', '\n'], " ");
        let note =
            if note.contains([',', '"']) { format!("\"{}\"", note.replace('"', "\"\"")) } else { note };
        let _ = writeln!(text, "{start},{end},{peak},{},{:.2},{note}", label.annotation, label.confidence);
    }
    text
}

/// A time with as few digits as say it, at most a tenth of a millisecond.
fn seconds(time: f64) -> String {
    let text = format!("{time:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The labels that say what the segments say.
pub fn of_segments(segments: &[Segment], fps: f64) -> Vec<Label> {
    let time = |frame: usize| frame as f64 / fps;
    (segments.iter())
        .map(|segment| Label {
            start: time(segment.frames.start),
            end: time(segment.frames.end),
            peak: segment.peak.map(time),
            annotation: segment.annotation.clone(),
            confidence: segment.confidence,
            note: String::new(),
        })
        .collect()
}

/// Frames that one label, or none, decides.
pub(super) struct Piece<'a> {
    pub(super) frames: Range<usize>,
    pub(super) label: Option<&'a Label>,
    pub(super) peak: Option<usize>,
}

/// Divides a clip among labels. Of two that overlap, strokes win over transitions, and two strokes part where
/// the later starts, or half way between their peaks if it starts before the earlier's peak.
pub(super) fn pieces<'a>(clip: &Clip, labels: &'a [Label]) -> Result<Vec<Piece<'a>>, AnalyseError> {
    let (n_frames, fps) = (clip.n_frames(), clip.rate().fps());
    let frame = |time: f64| (libm::round(time * fps) as usize).min(n_frames);
    if let Some(outside) = labels.iter().find(|label| frame(label.start) >= n_frames) {
        let (clip, seconds, start) = (clip.name.clone(), clip.duration(), outside.start);
        return Err(AnalyseError::LabelOutside { clip, seconds, start });
    }
    let mut order: Vec<&Label> = labels.iter().collect();
    let is_stroke = |label: &Label| label.annotation.kind() != Kind::Transition;
    order.sort_by(|a, b| {
        is_stroke(a)
            .cmp(&is_stroke(b))
            .then(a.moment().total_cmp(&b.moment()))
            .then(a.start.total_cmp(&b.start))
    });
    let mut owners: Vec<Option<usize>> = vec![None; n_frames];
    for (at, label) in order.iter().enumerate() {
        let mut start = frame(label.start);
        if let Some(before) = at.checked_sub(1).map(|before| order[before])
            && is_stroke(before) == is_stroke(label)
            && frame(before.moment()) >= start
        {
            let middle = frame(0.5 * (before.moment() + label.moment()));
            start = middle.max(frame(before.moment()) + 1).min(n_frames);
        }
        owners[start..frame(label.end).max(start)].fill(Some(at));
    }
    let mut pieces: Vec<Piece<'a>> = Vec::new();
    let mut start = 0;
    for same in owners.chunk_by(|a, b| a == b) {
        let frames = start..start + same.len();
        start = frames.end;
        let label = same[0].map(|at| order[at]);
        let peak = label.and_then(|label| label.peak).map(frame).filter(|peak| frames.contains(peak));
        // Crumbs between labels belong to what was before.
        let is_crumb = peak.is_none()
            && (frames.len() as f64) < CRUMB * fps
            && label.is_none_or(|label| !is_stroke(label));
        match pieces.last_mut() {
            Some(last) if is_crumb => last.frames.end = frames.end,
            _ => pieces.push(Piece { frames, label, peak }),
        }
    }
    Ok(pieces)
}

/// Shorter rests between labels (s) are no actions.
const CRUMB: f64 = 0.1;
