//! The outlines of limbs, from the joint they hang from to the next.

/// One section of a limb: how far along it, and its half sizes relative to the capsule's radius.
pub(super) struct Section {
    pub(super) along: f32,
    pub(super) across: f32,
    pub(super) deep: f32,
    /// Shift to the front, in radii.
    pub(super) ahead: f32,
}

/// A round section that is not shifted.
const fn round(along: f32, size: f32) -> Section {
    Section { along, across: size, deep: size, ahead: 0.0 }
}

pub(super) const THIGH: [Section; 10] = [
    round(-0.13, 0.0),
    round(-0.11, 0.55),
    Section { along: -0.02, across: 0.98, deep: 1.06, ahead: 0.0 },
    Section { along: 0.12, across: 1.04, deep: 1.14, ahead: 0.06 },
    Section { along: 0.35, across: 0.98, deep: 1.08, ahead: 0.1 },
    Section { along: 0.6, across: 0.84, deep: 0.9, ahead: 0.08 },
    Section { along: 0.82, across: 0.7, deep: 0.72, ahead: 0.02 },
    round(0.93, 0.68),
    round(1.0, 0.5),
    round(1.02, 0.0),
];
pub(super) const CALF: [Section; 10] = [
    round(-0.03, 0.0),
    round(0.0, 0.55),
    round(0.07, 0.9),
    Section { along: 0.2, across: 1.08, deep: 1.12, ahead: -0.12 },
    Section { along: 0.33, across: 1.08, deep: 1.16, ahead: -0.2 },
    Section { along: 0.52, across: 0.88, deep: 0.95, ahead: -0.14 },
    Section { along: 0.72, across: 0.66, deep: 0.7, ahead: -0.04 },
    round(0.9, 0.58),
    round(0.98, 0.52),
    round(1.0, 0.0),
];
pub(super) const UPPER_ARM: [Section; 9] = [
    round(-0.17, 0.0),
    round(-0.13, 0.7),
    round(0.0, 1.24),
    round(0.13, 1.32),
    Section { along: 0.34, across: 1.1, deep: 1.16, ahead: 0.0 },
    Section { along: 0.6, across: 0.96, deep: 1.04, ahead: 0.0 },
    round(0.85, 0.78),
    round(0.97, 0.66),
    round(1.0, 0.0),
];
pub(super) const FOREARM: [Section; 9] = [
    round(-0.04, 0.0),
    round(-0.01, 0.6),
    round(0.08, 1.02),
    Section { along: 0.22, across: 1.1, deep: 1.22, ahead: 0.0 },
    Section { along: 0.42, across: 1.04, deep: 1.12, ahead: 0.0 },
    Section { along: 0.68, across: 0.8, deep: 0.86, ahead: 0.0 },
    Section { along: 0.9, across: 0.62, deep: 0.72, ahead: 0.0 },
    round(1.0, 0.6),
    round(1.03, 0.0),
];
