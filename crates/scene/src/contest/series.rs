//! Many rounds between two, and what they say about who is better.

use std::sync::atomic::{AtomicUsize, Ordering};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde::Serialize;

use super::{Contender, Ring, Round};

/// Rounds between two, summed up. Pairs are the first's and the second's.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Series {
    /// Rounds played.
    pub rounds: u32,
    /// Rounds won.
    pub wins: [u32; 2],
    /// Rounds that nobody won.
    pub draws: u32,
    /// Blows that met head or trunk, or catches.
    pub hits: [u32; 2],
    /// Sum of speed (m/s) times vulnerability of all blows.
    pub damage: [f64; 2],
    /// Wilson's interval, at 95 %, of the first's score: its wins and half the draws, as a share of the rounds.
    pub score_ci95: [f64; 2],
}

impl Series {
    /// Sums up rounds that [`rounds`] played.
    pub fn of(rounds: &[Round]) -> Series {
        let n_rounds = rounds.len() as u32;
        let won = |side: u8| rounds.iter().filter(|round| round.winner == Some(side)).count() as u32;
        let wins = [won(0), won(1)];
        let draws = n_rounds - wins[0] - wins[1];
        Series {
            rounds: n_rounds,
            wins,
            draws,
            hits: [0, 1].map(|side| rounds.iter().map(|round| round.deeds[side].hits).sum()),
            damage: [0, 1].map(|side| rounds.iter().map(|round| round.deeds[side].damage).sum()),
            score_ci95: wilson(f64::from(wins[0]) + 0.5 * f64::from(draws), f64::from(n_rounds)),
        }
    }

    /// The first's wins and half the draws, as a share of the rounds (-).
    pub fn score(&self) -> f64 {
        (f64::from(self.wins[0]) + 0.5 * f64::from(self.draws)) / f64::from(self.rounds.max(1))
    }
}

/// Plays rounds of two against each other, several at a time; they come back in order, with the first of the two first,
/// whatever side it was on. The two change sides, and their order in the cast, from round to round. `step` is told how
/// many are done.
pub fn rounds(
    ring: &Ring,
    pair: [&Contender; 2],
    n_rounds: usize,
    seed: u64,
    step: &(dyn Fn(usize) + Sync),
) -> Vec<Round> {
    let done = AtomicUsize::new(0);
    let play = |round_idx: usize| {
        let is_swapped = round_idx % 2 == 1;
        let order = if is_swapped { [1, 0] } else { [0, 1] };
        let contenders = [0, 1].map(|side: u8| Contender { side, ..pair[order[usize::from(side)]].clone() });
        let mut round = ring.round(&contenders, round_seed(seed, round_idx));
        if is_swapped {
            round.deeds.reverse();
            round.winner = round.winner.map(|side| 1 - side);
        }
        step(done.fetch_add(1, Ordering::Relaxed) + 1);
        round
    };
    (0..n_rounds).into_par_iter().map(play).collect()
}

/// The seed of one of many rounds.
pub fn round_seed(seed: u64, round_idx: usize) -> u64 {
    let mut chance = ChaCha8Rng::seed_from_u64(seed);
    chance.set_stream(round_idx as u64);
    chance.next_u64()
}

/// Wilson's score interval at 95 % of a share of `total`.
///
/// Reference: \[Wilson1927\]. With p the share, n the total and z the normal quantile: the p̂ for which
/// |p - p̂| = z √(p̂ (1 - p̂) / n).
///
/// ```
/// use randori_scene::contest::series::wilson;
/// let [low, high] = wilson(45.0, 50.0);
/// assert!((low - 0.7864).abs() < 1e-4 && (high - 0.9565).abs() < 1e-4);
/// assert_eq!(wilson(0.0, 0.0), [0.0, 1.0]);
/// ```
pub fn wilson(count: f64, total: f64) -> [f64; 2] {
    const Z: f64 = 1.959_963_984_540_054;
    if total <= 0.0 {
        return [0.0, 1.0];
    }
    let share = (count / total).clamp(0.0, 1.0);
    let z2 = Z * Z / total;
    let middle = share + 0.5 * z2;
    let half = Z * (share * (1.0 - share) / total + 0.25 * z2 / total).sqrt();
    // At the ends, rounding must not leave the share outside.
    [((middle - half) / (1.0 + z2)).clamp(0.0, share), ((middle + half) / (1.0 + z2)).clamp(share, 1.0)]
}

#[cfg(test)]
mod tests {
    use super::super::Deeds;
    use super::*;

    #[test]
    fn rounds_are_summed_up() {
        let round = |winner: Option<u8>, damage: [f64; 2]| Round {
            seconds: 1.0,
            caught: None,
            distance: 1.0,
            winner,
            deeds: damage.map(|damage| Deeds { hits: 2, damage, ..Deeds::default() }).to_vec(),
        };
        let rounds = [round(Some(0), [3.0, 1.0]), round(Some(1), [0.0, 2.0]), round(None, [1.0, 1.0])];
        let series = Series::of(&rounds);
        assert_eq!((series.rounds, series.wins, series.draws), (3, [1, 1], 1));
        assert_eq!((series.hits, series.damage), ([6, 6], [4.0, 4.0]));
        assert_eq!(series.score(), 0.5);
        let [low, high] = series.score_ci95;
        assert!((low + high - 1.0).abs() < 1e-12 && low > 0.0, "even and not sure: {low} to {high}");
    }

    #[test]
    fn intervals_hold_the_share_and_narrow_with_more_rounds() {
        for total in [1.0, 2.0, 10.0, 1000.0] {
            for share in [0.0, 0.25, 0.5, 1.0] {
                let [low, high] = wilson(share * total, total);
                assert!(0.0 <= low && low <= share && share <= high && high <= 1.0, "{share} of {total}");
                let [less, more] = wilson(2.0 * share * total, 2.0 * total);
                assert!(more - less < high - low);
            }
        }
    }

    #[test]
    fn every_round_has_a_seed_of_its_own() {
        let seeds: std::collections::BTreeSet<u64> =
            (0..4).flat_map(|seed| (0..50).map(move |round| round_seed(seed, round))).collect();
        assert_eq!(seeds.len(), 200);
    }
}
