//! Scores on a grid, so that sums are exact.
//!
//! Sums of `f64` depend on the order of addition, and a bound on one sum says nothing exact about another. Scores are
//! therefore rounded to a grid when an edge is played, and everything after that is arithmetic on integers: paths that
//! meet in one state carry values that differ exactly by what they had gathered before, and every inequality in the
//! proof of [`pruned`](crate::pruned) holds to the last bit.

use crate::world::{Bounds, Edge, Player};

/// Steps of the grid per point. A hit is worth 10⁵ points, so one step is far below anything that matters.
pub const GRID: f64 = 1_048_576.0;

/// Scores of one edge are cut off here (points). It is what 10 points per square centimetre cost at 829 m.
pub const MAX_SCORE: f64 = 68_719_476_736.0;

/// Most choices along a path: with [`GRID`] and [`MAX_SCORE`], as many as an `i64` can sum exactly.
pub const MAX_DEPTH: u8 = 16;

/// S_comp and S_coop of a path, or of a state under best play (points).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Scores {
    /// Competitive scores of Max's choices less those of Min's.
    pub comp: f64,
    /// Cooperative scores of everybody's choices.
    pub coop: f64,
}

/// Scores in steps of the grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sum {
    pub(crate) comp: i64,
    pub(crate) coop: i64,
}

impl Sum {
    /// The scores of an edge in the sums' signs; `None` if they are not finite.
    pub(crate) fn of_edge(player: Player, edge: Edge) -> Option<Self> {
        if !edge.comp.is_finite() || !edge.coop.is_finite() {
            return None;
        }
        let comp = steps(edge.comp);
        Some(Self { comp: if player == Player::Max { comp } else { -comp }, coop: steps(edge.coop) })
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        Self { comp: self.comp + other.comp, coop: self.coop + other.coop }
    }

    pub(crate) fn minus(self, other: Self) -> Self {
        Self { comp: self.comp - other.comp, coop: self.coop - other.coop }
    }

    /// What `player` tries to make large: S_comp + S_coop for Max, S_coop − S_comp for Min.
    pub(crate) fn utility(self, player: Player) -> i64 {
        match player {
            Player::Max => self.coop + self.comp,
            Player::Min => self.coop - self.comp,
        }
    }

    /// The mean by weights, all of them above zero, rounded to the grid.
    pub(crate) fn mean(values: &[(f64, Self)]) -> Self {
        let total: f64 = values.iter().map(|(weight, _)| weight).sum();
        let mean = |of: fn(&Self) -> i64| {
            let sum: f64 = values.iter().map(|(weight, value)| weight / total * of(value) as f64).sum();
            let [least, most] = values
                .iter()
                .fold([i64::MAX, i64::MIN], |[least, most], (_, v)| [least.min(of(v)), most.max(of(v))]);
            // A mean of equal values is that value, whatever the weights were rounded to.
            (sum.round() as i64).clamp(least, most)
        };
        Self { comp: mean(|value| value.comp), coop: mean(|value| value.coop) }
    }

    pub(crate) fn scores(self) -> Scores {
        Scores { comp: self.comp as f64 / GRID, coop: self.coop as f64 / GRID }
    }
}

/// Bounds of what a state may end in, in steps of the grid: everything gathered so far included.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    comp: [i64; 2],
    pub(crate) coop: [i64; 2],
}

/// As good as infinite, and can be added to a sum without overflow.
const FAR: i64 = 1 << 61;

impl Reach {
    /// What can be reached with `so_far` gathered and `left` more choices under `bounds`.
    pub(crate) fn new(so_far: Sum, bounds: &Bounds, left: u8) -> Self {
        Self { comp: span(so_far.comp, bounds.comp, left), coop: span(so_far.coop, bounds.coop, left) }
    }

    /// The most that `player` can hope for.
    pub(crate) fn most(&self, player: Player) -> i64 {
        match player {
            Player::Max => self.coop[1].saturating_add(self.comp[1]),
            Player::Min => self.coop[1].saturating_sub(self.comp[0]),
        }
    }

    pub(crate) fn holds(&self, sum: Sum) -> bool {
        (self.comp[0]..=self.comp[1]).contains(&sum.comp) && (self.coop[0]..=self.coop[1]).contains(&sum.coop)
    }
}

fn span(so_far: i64, [least, most]: [f64; 2], left: u8) -> [i64; 2] {
    if least == 0.0 && most == 0.0 {
        return [so_far, so_far];
    }
    // Each edge may have been rounded by half a step, and the bounds themselves in their last bits.
    let rounding = |steps: f64| i64::from(left) + (steps.abs() * 4.0 * f64::EPSILON) as i64;
    // Beyond this, a single edge may have been cut off, and the end would be too tight.
    let known = |end: f64| end.abs() <= MAX_SCORE;
    let [least_steps, most_steps] = [(least * GRID).floor(), (most * GRID).ceil()];
    [
        if known(least) { so_far + least_steps as i64 - rounding(least_steps) } else { -FAR },
        if known(most) { so_far + most_steps as i64 + rounding(most_steps) } else { FAR },
    ]
}

/// The most that an edge can add to its chooser's utility, from what it promises: comp and coop may each have been
/// rounded up.
pub(crate) fn promise(points: f64) -> i64 {
    if points.abs() <= MAX_SCORE {
        let steps = (points * GRID).ceil();
        steps as i64 + 1 + (steps.abs() * 4.0 * f64::EPSILON) as i64
    } else {
        FAR
    }
}

/// The same of `left` edges together.
pub(crate) fn prospect(points: f64, left: u8) -> i64 {
    promise(points) + i64::from(left)
}

/// Points such that whatever promises no more is [promised](promise) no more than so many steps.
pub(crate) fn more_than(steps: i64) -> f64 {
    let points = steps.saturating_sub(2) as f64 / GRID;
    points - points.abs() * 16.0 * f64::EPSILON - 2.0 / GRID
}

fn steps(points: f64) -> i64 {
    (points.clamp(-MAX_SCORE, MAX_SCORE) * GRID).round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_path_fits() {
        let edge = Sum::of_edge(Player::Min, Edge { comp: -f64::MAX, coop: f64::MAX }).unwrap();
        let path = (0..MAX_DEPTH).fold(Sum::default(), |sum, _| sum.plus(edge));
        assert_eq!(path.utility(Player::Max), i64::from(MAX_DEPTH) * 2 * steps(MAX_SCORE));
        assert!(path.utility(Player::Max) <= FAR, "nothing lies beyond what counts as infinite");
        assert_eq!(path.scores().comp, MAX_SCORE * f64::from(MAX_DEPTH));
    }

    #[test]
    fn what_promises_no_more_is_promised_no_more() {
        for k in 0..2000_i64 {
            let above = (k - 1000) * (1 + (k % 37) * 977 * (k % 11) * 104_729) + k % 3;
            let points = more_than(above);
            assert!(promise(points) <= above, "{above}: {points} promises {}", promise(points));
            assert!(promise(points + 1.0) > above, "{above}");
        }
    }

    #[test]
    fn what_is_not_finite_is_no_score() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(Sum::of_edge(Player::Max, Edge { comp: bad, coop: 0.0 }), None);
            assert_eq!(Sum::of_edge(Player::Max, Edge { comp: 0.0, coop: bad }), None);
        }
    }

    #[test]
    fn reach_holds_what_rounding_adds() {
        let edge = Edge { comp: 0.7 / GRID, coop: 0.3 };
        let step = Sum::of_edge(Player::Max, edge).unwrap();
        let bounds = Bounds::of_edges(edge, edge, 3);
        let end = step.plus(step).plus(step);
        assert!(Reach::new(Sum::default(), &bounds, 3).holds(end));
        assert!(Reach::new(Sum::default(), &bounds, 3).holds(Sum::default()));
        assert!(!Reach::new(Sum::default(), &Bounds { coop: [0.0, 0.0], ..bounds }, 3).holds(end));
        let nothing_known = Bounds { comp: [f64::NAN; 2], ..Bounds::UNKNOWN };
        assert!(Reach::new(Sum::default(), &nothing_known, 3).holds(end));
    }
}
