//! From events and contacts to segments that cover the take.

use std::ops::Range;

use crate::contacts::{Contacts, runs};

use super::signals::{Signals, least};
use super::{Discipline, Settings, Stroke};

/// A segment to be: its frames, and the stroke in it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Piece {
    pub(super) frames: Range<usize>,
    pub(super) stroke: Option<usize>,
}

/// Cuts the take: pieces cover it without gaps, and none holds the peaks of two strokes.
pub(super) fn pieces(
    signals: &Signals,
    contacts: &Contacts,
    strokes: &[Stroke],
    settings: &Settings,
) -> Vec<Piece> {
    let mut cuts = calm_cuts(signals, contacts, settings);
    if settings.discipline == Discipline::Crowd {
        // Who stands about does so until something happens, and what happens must not wait for it.
        cuts.extend(strokes.iter().flat_map(|stroke| [stroke.start, stroke.end]));
        cuts.sort_unstable();
        cuts.dedup();
    }
    cuts.retain(|cut| !strokes.iter().any(|stroke| is_inside(stroke, strokes, *cut)));
    let partings: Vec<usize> =
        strokes.windows(2).filter_map(|pair| between(signals, &pair[0], &pair[1], &cuts)).collect();
    cuts.extend(partings);
    cuts.sort_unstable();
    cuts.dedup();
    let mut pieces = cover(signals.n_frames, &cuts, strokes);
    join_short(signals, &mut pieces, settings);
    divide_long(signals, pieces, strokes, settings)
}

/// Cuts a stretch without strokes as [`pieces`] would.
pub(super) fn quiet_pieces(
    signals: &Signals,
    contacts: &Contacts,
    frames: Range<usize>,
    settings: &Settings,
) -> Vec<Range<usize>> {
    let mut cuts = calm_cuts(signals, contacts, settings);
    cuts.retain(|cut| frames.contains(cut));
    let mut pieces = cover(signals.n_frames, &cuts, &[]);
    pieces.retain_mut(|piece| {
        piece.frames = piece.frames.start.max(frames.start)..piece.frames.end.min(frames.end);
        !piece.frames.is_empty()
    });
    join_short(signals, &mut pieces, settings);
    divide_long(signals, pieces, &[], settings).into_iter().map(|piece| piece.frames).collect()
}

/// Frames in which the body is calm enough to end an action: the calmest of each double support unless even that is
/// busy, several in a long one, and foot strikes where somebody travels without double supports.
fn calm_cuts(signals: &Signals, contacts: &Contacts, settings: &Settings) -> Vec<usize> {
    let both: Vec<bool> = contacts.feet[0]
        .down
        .iter()
        .zip(&contacts.feet[1].down)
        .map(|(left, right)| *left && *right)
        .collect();
    let mut cuts: Vec<usize> = Vec::new();
    for support in runs(&both, true) {
        cuts.extend(
            calm_moments(signals, support, settings).filter(|cut| signals.s[*cut] <= settings.merge_above),
        );
    }
    if settings.discipline.travels() {
        cuts.extend(strikes_between(signals, &cuts));
        cuts.sort_unstable();
    }
    cuts
}

/// The calmest frame of a stretch, or of each part of it if it is long.
fn calm_moments(
    signals: &Signals,
    support: Range<usize>,
    settings: &Settings,
) -> impl Iterator<Item = usize> {
    let part = signals.frames(0.7 * settings.longest);
    let n_parts = support.len().div_ceil(part.max(1)).max(1);
    let part = support.len().div_ceil(n_parts);
    (0..n_parts).filter_map(move |k| {
        let start = support.start + k * part;
        let end = (start + part).min(support.end);
        (start < end).then(|| least(&signals.s, start..end))
    })
}

/// Slower than this nobody runs (m/s).
const TRAVELS: f32 = 1.2;
/// Foot strikes closer to a cut than this are the same (s).
const STRIDE: f32 = 0.22;

/// Foot strikes of somebody who travels, away from other cuts.
fn strikes_between(signals: &Signals, cuts: &[usize]) -> Vec<usize> {
    let apart = signals.frames(STRIDE);
    let mut found: Vec<usize> = Vec::new();
    for strike in &signals.strikes {
        let near = |cut: &usize| cut.abs_diff(*strike) < apart;
        if signals.speed(*strike) > TRAVELS && !cuts.iter().any(near) && !found.last().is_some_and(near) {
            found.push(*strike);
        }
    }
    found
}

/// Whether a cut would divide a stroke: between its start and its end, or what the next stroke leaves of that.
fn is_inside(stroke: &Stroke, strokes: &[Stroke], cut: usize) -> bool {
    let next = strokes.iter().map(|other| other.start).filter(|start| *start > stroke.peak).min();
    let end = next.map_or(stroke.end, |next| stroke.end.min(next));
    cut > stroke.start && cut < end.max(stroke.peak + 1)
}

/// Where two neighbouring strokes part, if no cut does so yet: the calmest frame between them.
fn between(signals: &Signals, first: &Stroke, second: &Stroke, cuts: &[usize]) -> Option<usize> {
    let between = first.peak + 1..second.peak;
    if between.is_empty() || cuts.iter().any(|cut| between.contains(cut)) {
        return None;
    }
    // Within the return of the first and the way out of the second, or where these overlap.
    let quarter = between.len() / 4;
    let middle = between.start + quarter..(between.end - quarter).max(between.start + quarter + 1);
    let pause = first.end.min(second.start)..first.end.max(second.start) + 1;
    let pause = pause.start.max(middle.start)..pause.end.min(middle.end);
    Some(least(&signals.s, if pause.is_empty() { middle } else { pause }))
}

/// The pieces between cuts.
fn cover(n_frames: usize, cuts: &[usize], strokes: &[Stroke]) -> Vec<Piece> {
    let mut pieces = Vec::with_capacity(cuts.len() + 1);
    let mut start = 0;
    for end in cuts.iter().copied().filter(|cut| *cut > 0 && *cut < n_frames).chain([n_frames]) {
        let stroke = strokes.iter().position(|stroke| (start..end).contains(&stroke.peak));
        pieces.push(Piece { frames: start..end, stroke });
        start = end;
    }
    pieces
}

/// Joins pieces that are too short for an action with a neighbour: with one that holds no stroke, if there is one,
/// else across the busier boundary.
fn join_short(signals: &Signals, pieces: &mut Vec<Piece>, settings: &Settings) {
    let mut at = 0;
    while at < pieces.len() && pieces.len() > 1 {
        let piece = &pieces[at];
        if piece.stroke.is_some()
            || piece.frames.len() >= signals.frames(shortest(signals, &piece.frames, settings))
        {
            at += 1;
            continue;
        }
        let before = at.checked_sub(1);
        let after = Some(at + 1).filter(|after| *after < pieces.len());
        let is_free = |other: Option<usize>| other.is_some_and(|other| pieces[other].stroke.is_none());
        let joins_before = match (is_free(before), is_free(after)) {
            (true, false) => true,
            (false, true) => false,
            (true, true) => {
                before.is_some_and(|before| pieces[before].frames.len() <= pieces[at + 1].frames.len())
            }
            (false, false) => {
                after.is_none()
                    || before.is_some()
                        && signals.s[piece.frames.start] >= signals.s[pieces[at + 1].frames.start]
            }
        };
        let first = if joins_before { at - 1 } else { at };
        let second = pieces.remove(first + 1);
        pieces[first].frames.end = second.frames.end;
        pieces[first].stroke = pieces[first].stroke.or(second.stroke);
        at = first;
    }
}

/// The shortest action of these frames (s): steps of somebody who travels are shorter than pauses of one who stands.
fn shortest(signals: &Signals, frames: &Range<usize>, settings: &Settings) -> f32 {
    let middle = (frames.start + frames.end) / 2;
    let travels = settings.discipline.travels() && signals.speed(middle) > TRAVELS;
    if travels { settings.shortest.min(STRIDE) } else { settings.shortest }
}

/// Divides pieces longer than an action, at the calmest frame outside the strokes.
fn divide_long(signals: &Signals, pieces: Vec<Piece>, strokes: &[Stroke], settings: &Settings) -> Vec<Piece> {
    let (longest, shortest) = (signals.frames(settings.longest), signals.frames(settings.shortest));
    let mut rest: Vec<Piece> = pieces.into_iter().rev().collect();
    let mut done = Vec::with_capacity(rest.len());
    while let Some(piece) = rest.pop() {
        let frames = piece.frames.clone();
        let core = piece.stroke.map(|stroke| strokes[stroke].start..strokes[stroke].end + 1);
        let allowed = |frame: &usize| core.as_ref().is_none_or(|core| !core.contains(frame));
        let cut = (frames.start + shortest..frames.end.saturating_sub(shortest))
            .filter(allowed)
            .min_by(|a, b| signals.s[*a].total_cmp(&signals.s[*b]));
        match cut {
            Some(cut) if frames.len() > longest => {
                let stroke_at = piece.stroke.map(|stroke| strokes[stroke].peak);
                let part = |frames: Range<usize>| {
                    let holds = stroke_at.is_some_and(|peak| frames.contains(&peak));
                    Piece { frames, stroke: piece.stroke.filter(|_| holds) }
                };
                rest.push(part(cut..frames.end));
                rest.push(part(frames.start..cut));
            }
            _ => done.push(piece),
        }
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bone::Side;

    fn stroke(start: usize, peak: usize, end: usize) -> Stroke {
        let annotation = crate::annotation::Annotation::sided(Side::Left, "jab");
        Stroke { start, peak, end, annotation, confidence: 1.0 }
    }

    #[test]
    fn pieces_cover_the_take_with_one_stroke_each() {
        let strokes = [stroke(5, 10, 15), stroke(12, 20, 30)];
        let pieces = cover(50, &[0, 14, 40, 50], &strokes);
        let found: Vec<_> = pieces.iter().map(|piece| (piece.frames.clone(), piece.stroke)).collect();
        assert_eq!(found, [(0..14, Some(0)), (14..40, Some(1)), (40..50, None)]);
    }

    #[test]
    fn no_cut_divides_a_stroke() {
        let strokes = [stroke(5, 10, 25), stroke(18, 20, 30)];
        let inside: Vec<usize> =
            (0..40).filter(|cut| strokes.iter().any(|one| is_inside(one, &strokes, *cut))).collect();
        assert_eq!(inside, (6..18).chain(19..30).collect::<Vec<_>>());
    }
}
