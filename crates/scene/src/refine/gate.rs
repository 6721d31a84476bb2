//! The linter as judge: what a stage of corrections made worse.

use std::collections::BTreeMap;
use std::ops::Range;

use randori_motion::Take;

use crate::check::{Finding, Footage, Kind, Limits, Report, check};

/// What the linter says of a take, within the limits asked for and within stricter ones.
#[derive(Clone, Debug)]
pub(super) struct Verdict {
    pub(super) report: Report,
    strict: Report,
}

/// Accelerations from which a correction is not calm any more (m/s²); captured boxers peak at 1400.
const CALM: f64 = 1400.0;

impl Verdict {
    /// `None` if the take cannot be looked at.
    pub(super) fn of(take: &Take, fps: f64, limits: &Limits) -> Option<Verdict> {
        let footage = Footage::of_take(take, fps).ok()?;
        let strict = Limits {
            acceleration_m_s2: limits.acceleration_m_s2.min(CALM),
            foot_slide_cm: limits.foot_slide_cm.min(5.0),
            hyperextension_deg: limits.hyperextension_deg.min(15.0),
            ..*limits
        };
        Some(Verdict { report: check(&footage, limits), strict: check(&footage, &strict) })
    }

    /// Who is worse off in `after`, and when (s).
    pub(super) fn worse(&self, after: &Verdict) -> Vec<(String, Range<f64>)> {
        let mut found = worse(&self.report, &after.report);
        found.extend(worse(&self.strict, &after.strict));
        found
    }
}

/// A kind of finding about one character or one pair.
type Key<'a> = (Kind, &'a str, Option<&'a str>);

/// Findings of a kind are worse if there are more of them, or the worst of them is worse.
fn worse(before: &Report, after: &Report) -> Vec<(String, Range<f64>)> {
    /// Rounding is no change for the worse.
    const SLACK: f64 = 1.0 + 1e-6;
    let (old, new) = (by_kind(&before.findings), by_kind(&after.findings));
    let mut found = Vec::new();
    for (key, findings) in &new {
        let previous = old.get(key).map_or(&[][..], Vec::as_slice);
        let worst = |findings: &[&Finding]| findings.iter().map(|it| it.value).fold(0.0, f64::max);
        if findings.len() <= previous.len() && worst(findings) <= SLACK * worst(previous) {
            continue;
        }
        for finding in findings.iter().filter(|finding| !contains(previous, finding)) {
            let [first, last] = finding.frames.map(|frame| frame as f64 / after.fps);
            found.extend(
                [Some(key.1), key.2].into_iter().flatten().map(|name| (name.to_owned(), first..last)),
            );
        }
    }
    found
}

/// Whether something at least as bad was there before, at the same time.
fn contains(previous: &[&Finding], finding: &Finding) -> bool {
    previous
        .iter()
        .any(|it| it.part == finding.part && it.frames == finding.frames && it.value >= finding.value)
}

fn by_kind(findings: &[Finding]) -> BTreeMap<Key<'_>, Vec<&Finding>> {
    let mut kinds: BTreeMap<Key<'_>, Vec<&Finding>> = BTreeMap::new();
    for finding in findings {
        kinds.entry((finding.kind, &finding.who, finding.whom.as_deref())).or_default().push(finding);
    }
    kinds
}
