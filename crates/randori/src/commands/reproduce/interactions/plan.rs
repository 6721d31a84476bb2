//! How much is played.

use super::Effort;

/// Rounds and their length.
#[derive(Clone, Copy)]
pub(super) struct Sizes {
    pub(super) rounds: usize,
    /// Of each round (s).
    pub(super) seconds: f64,
}

/// How much of everything is played.
pub(super) struct Plan {
    /// Table V; the paper's own is 10 minutes.
    pub(super) census: Sizes,
    /// Level 4 against level 2.
    pub(super) duel: Sizes,
    /// Each level from 2 on against the one below: rounds by level, each as long as a duel.
    pub(super) strength: &'static [usize],
    /// Chases; rounds last this long if nobody is caught.
    pub(super) chase: Sizes,
    /// The levels of chasers who run after a runaway of level 2, the first of them the paper's.
    pub(super) chasers: &'static [u8],
    /// The level of two chasers, who are compared with either of them alone.
    pub(super) two_chasers: u8,
    /// Infighters and outboxers, and their level.
    pub(super) distance: Sizes,
    pub(super) distance_depth: u8,
    /// Levels at which scenes along a path are played, and how many: few deep ones, because what both gain is hard to
    /// prune. Each of them lasts so long (s).
    pub(super) paths: &'static [(u8, usize)],
    pub(super) path_seconds: f64,
    /// Scenes of pairs on spirals.
    pub(super) formation_seeds: usize,
    /// Attacks per minute by level, up to the deepest.
    pub(super) activity: Sizes,
    pub(super) deepest: u8,
    /// Moments at which costs are compared, and those at which level 4 is expanded in full; 0 extrapolates.
    pub(super) dilemmas: usize,
    pub(super) plain_dilemmas: usize,
    /// How long the fight is whose planning is timed (s).
    pub(super) timed_seconds: f64,
}

impl Plan {
    pub(super) fn of(effort: Effort) -> Plan {
        let sizes = |rounds: usize, seconds: f64| Sizes { rounds, seconds };
        match effort {
            Effort::Quick => Plan {
                census: sizes(2, 4.0),
                duel: sizes(2, 2.5),
                strength: &[4],
                chase: sizes(2, 5.0),
                chasers: &[4],
                two_chasers: 2,
                distance: sizes(2, 8.0),
                distance_depth: 2,
                paths: &[(2, 1)],
                path_seconds: 10.0,
                formation_seeds: 1,
                activity: sizes(2, 4.0),
                deepest: 2,
                dilemmas: 3,
                plain_dilemmas: 0,
                timed_seconds: 2.0,
            },
            Effort::Normal => Plan {
                census: sizes(4, 20.0),
                duel: sizes(50, 8.0),
                strength: &[20, 20, 6],
                chase: sizes(20, 20.0),
                chasers: &[4],
                two_chasers: 4,
                distance: sizes(6, 30.0),
                distance_depth: 3,
                paths: &[(2, 8), (3, 8), (4, 3)],
                path_seconds: 13.0,
                formation_seeds: 5,
                activity: sizes(2, 12.0),
                deepest: 5,
                dilemmas: 10,
                plain_dilemmas: 1,
                timed_seconds: 30.0,
            },
            Effort::Whole => Plan {
                census: sizes(20, 30.0),
                duel: sizes(50, 30.0),
                chase: sizes(50, 30.0),
                chasers: &[4, 5],
                strength: &[50; 4],
                distance: sizes(50, 30.0),
                paths: &[(2, 20), (3, 20), (4, 20)],
                path_seconds: 20.0,
                formation_seeds: 25,
                activity: sizes(20, 30.0),
                dilemmas: 40,
                plain_dilemmas: 12,
                two_chasers: 4,
                ..Plan::of(Effort::Normal)
            },
        }
    }
}
