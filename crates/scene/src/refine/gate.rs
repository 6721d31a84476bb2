//! The linter as judge: what a stage of corrections made worse.
//!
//! Each character is linted by itself, and each pair that comes near by its cores alone; so that after a stage only
//! those are looked at again who were changed.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use glam::Vec3;
use randori_motion::{Bone, Take};
use rayon::prelude::*;

use crate::check::{CharacterReport, Finding, Footage, Kind, Limits, Pair, Performer, check, check_pairs};

/// Cores of people whose hips never come nearer along the floor than this do not meet (m).
const NEAR: f32 = 1.4;
/// Accelerations from which a correction is not calm any more (m/s²); captured boxers peak at 1400.
const CALM: f64 = 1400.0;

/// What the linter says of a take.
#[derive(Clone, Debug)]
pub(super) struct Verdict {
    fps: f64,
    n_frames: usize,
    limits: Limits,
    characters: Vec<Arc<Seen>>,
    /// Findings about pairs, by their places among the characters.
    pairs: BTreeMap<[usize; 2], Vec<Finding>>,
}

/// What the linter says of one character.
#[derive(Debug)]
struct Seen {
    report: CharacterReport,
    /// Within the limits asked for, and within stricter ones.
    findings: [Vec<Finding>; 2],
    /// All that two cores need to be compared.
    core: Performer,
}

impl Verdict {
    /// `None` if the take cannot be looked at.
    pub(super) fn of(take: &Take, fps: f64, limits: &Limits) -> Option<Verdict> {
        let characters: Option<Vec<Arc<Seen>>> = (0..take.characters.len())
            .into_par_iter()
            .map(|who| Seen::of(take, who, fps, limits).map(Arc::new))
            .collect();
        let characters = characters?;
        let n_frames = characters.iter().map(|seen| seen.core.present.end).max().unwrap_or(0);
        let mut verdict = Verdict { fps, n_frames, limits: *limits, characters, pairs: BTreeMap::new() };
        verdict.look_at_pairs(&vec![true; take.characters.len()]);
        Some(verdict)
    }

    /// What the linter says after some of the characters have changed.
    pub(super) fn after(&self, take: &Take, has_changed: &[bool]) -> Option<Verdict> {
        let characters: Option<Vec<Arc<Seen>>> = (self.characters.par_iter().zip(has_changed).enumerate())
            .map(|(who, (seen, changed))| match changed {
                true => Seen::of(take, who, self.fps, &self.limits).map(Arc::new),
                false => Some(Arc::clone(seen)),
            })
            .collect();
        let mut verdict = Verdict { characters: characters?, ..self.clone() };
        verdict.look_at_pairs(has_changed);
        Some(verdict)
    }

    fn look_at_pairs(&mut self, has_changed: &[bool]) {
        let n = self.characters.len();
        let couples: Vec<[usize; 2]> = (0..n)
            .flat_map(|second| (0..second).map(move |first| [first, second]))
            .filter(|[first, second]| has_changed[*first] || has_changed[*second])
            .collect();
        let looked: Vec<([usize; 2], Vec<Finding>)> = couples
            .into_par_iter()
            .filter_map(|who| {
                let [first, second] = who.map(|who| &self.characters[who].core);
                if !are_near(first, second) {
                    return None;
                }
                let performers = vec![first.clone(), second.clone()];
                let footage = Footage { fps: self.fps, n_frames: self.n_frames, performers };
                let (_, findings) = check_pairs(&footage, &self.limits);
                Some((who, findings))
            })
            .collect();
        self.pairs.retain(|[first, second], _| !(has_changed[*first] || has_changed[*second]));
        self.pairs.extend(looked);
    }

    /// What was measured of each character.
    pub(super) fn characters(&self) -> impl Iterator<Item = &CharacterReport> {
        self.characters.iter().map(|seen| &seen.report)
    }

    /// How many things are beyond the limits.
    pub(super) fn n_findings(&self) -> usize {
        let of_pairs: usize = self.pairs.values().map(Vec::len).sum();
        of_pairs + self.characters.iter().map(|seen| seen.findings[0].len()).sum::<usize>()
    }

    /// Who is worse off in `after`, and when (s).
    pub(super) fn worse(&self, after: &Verdict) -> Vec<(usize, Range<f64>)> {
        let mut found = Vec::new();
        for (who, (old, new)) in self.characters.iter().zip(&after.characters).enumerate() {
            if !Arc::ptr_eq(old, new) {
                for (old, new) in old.findings.iter().zip(&new.findings) {
                    found.extend(self.worse_of(old, new).map(|span| (who, span)));
                }
            }
        }
        for (pair, new) in &after.pairs {
            let old = self.pairs.get(pair).map_or(&[][..], Vec::as_slice);
            for span in self.worse_of(old, new) {
                found.extend(pair.map(|who| (who, span.clone())));
            }
        }
        found
    }

    /// When (s) findings are new, in kinds of which there are more than before, or of which the worst is worse.
    fn worse_of(&self, old: &[Finding], new: &[Finding]) -> impl Iterator<Item = Range<f64>> {
        /// Rounding is no change for the worse.
        const SLACK: f64 = 1.0 + 1e-6;
        let mut kinds: Vec<Kind> = new.iter().map(|finding| finding.kind).collect();
        kinds.dedup();
        let fps = self.fps;
        kinds
            .into_iter()
            .flat_map(|kind| {
                let of_kind = |findings: &[Finding]| -> Vec<Finding> {
                    findings.iter().filter(|finding| finding.kind == kind).cloned().collect()
                };
                let worst = |findings: &[Finding]| findings.iter().map(|it| it.value).fold(0.0, f64::max);
                let (old, mut new) = (of_kind(old), of_kind(new));
                if new.len() <= old.len() && worst(&new) <= SLACK * worst(&old) {
                    new.clear();
                }
                // What was as bad before is not what made it worse.
                new.retain(|finding| {
                    let was = |it: &Finding| it.part == finding.part && it.frames == finding.frames;
                    !old.iter().any(|it| was(it) && it.value >= finding.value)
                });
                new
            })
            .map(move |finding| finding.frames[0] as f64 / fps..finding.frames[1] as f64 / fps)
            .collect::<Vec<_>>()
            .into_iter()
    }
}

impl Seen {
    fn of(take: &Take, who: usize, fps: f64, limits: &Limits) -> Option<Seen> {
        let performer = performer(take, who, fps)?;
        let strict = Limits {
            acceleration_m_s2: limits.acceleration_m_s2.min(CALM),
            foot_slide_cm: limits.foot_slide_cm.min(5.0),
            hyperextension_deg: limits.hyperextension_deg.min(15.0),
            ..*limits
        };
        let footage = Footage { fps, n_frames: performer.present.end, performers: vec![performer] };
        let mut report = check(&footage, limits);
        let character = report.characters.pop()?;
        let slide = character.feet.foot_slide_cm_p50_p95_max.map_or(0.0, |it| it[2]);
        let bent =
            character.body.knee_hyperextension_deg_max.max(character.body.elbow_hyperextension_deg_max);
        let is_strict = character.body.peak_acceleration_m_s2 <= strict.acceleration_m_s2
            && slide <= strict.foot_slide_cm
            && bent <= strict.hyperextension_deg;
        // Mostly nothing is between the limits, and one look does.
        let strictly = if is_strict { report.findings.clone() } else { check(&footage, &strict).findings };
        let findings = [report.findings, strictly];
        let core = [Bone::Hips, Bone::Spine, Bone::Chest, Bone::Neck, Bone::Head];
        Some(Seen { report: character, findings, core: only(&footage.performers[0], &core) })
    }
}

/// How deep near pairs are inside each other, by the linter.
pub(super) fn pairs(take: &Take, fps: f64, limits: &Limits) -> Vec<Pair> {
    let performers: Option<Vec<Performer>> =
        (0..take.characters.len()).into_par_iter().map(|who| performer(take, who, fps)).collect();
    let performers = performers.unwrap_or_default();
    let n_frames = performers.iter().map(|performer| performer.present.end).max().unwrap_or(0);
    let couples: Vec<[usize; 2]> =
        (0..performers.len()).flat_map(|second| (0..second).map(move |first| [first, second])).collect();
    couples
        .into_par_iter()
        .filter(|[first, second]| are_near(&performers[*first], &performers[*second]))
        .flat_map_iter(|who| {
            // No toes, no hands' children: only the joints between which the linter sees volumes.
            let performers = who.map(|who| only(&performers[who], &Bone::LANDMARKS)).to_vec();
            check_pairs(&Footage { fps, n_frames, performers }, limits).0
        })
        .collect()
}

/// One character as the linter sees it.
fn performer(take: &Take, who: usize, fps: f64) -> Option<Performer> {
    let mut alone = Take::new(take.name.clone(), take.seed);
    alone.characters.push(take.characters[who].clone());
    Footage::of_take(&alone, fps).ok()?.performers.pop()
}

/// Some of a performer's tracks, loose from each other.
fn only(performer: &Performer, bones: &[Bone]) -> Performer {
    let tracks = performer.tracks.iter().filter(|track| track.bone.is_some_and(|bone| bones.contains(&bone)));
    let tracks = tracks.cloned().map(|track| crate::check::Track { parent: None, ..track }).collect();
    Performer { name: performer.name.clone(), tracks, present: performer.present.clone() }
}

/// Whether the hips of two ever come near each other.
fn are_near(first: &Performer, second: &Performer) -> bool {
    let (Some(a), Some(b)) = (first.bone(Bone::Hips), second.bone(Bone::Hips)) else { return false };
    let together = first.present.start.max(second.present.start)..first.present.end.min(second.present.end);
    let apart = |frame: usize| a.positions[frame] - b.positions[frame];
    let level = |vector: Vec3| vector.x * vector.x + vector.z * vector.z;
    together.into_iter().any(|frame| level(apart(frame)) < NEAR * NEAR)
}
