//! The data of the paper's figures, as plain structs; pictures are drawn elsewhere.
//!
//! Reference: \[Wampler2010\]. Times come from a clock that the caller hands in; everything else is reproducible.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use crate::arcade::Pendulum;
use crate::basis::{Basis, ValueFunction};
use crate::game::MarkovGame;
use crate::incremental::{IncrementalSettings, IncrementalWorkspace, Start, solve_incrementally};
use crate::lspi::{Control, Host, Learned, LspiSettings, LspiStatus, PhaseSeconds, learn};
use crate::matrix::{MatrixError, PayoffMatrix, Workspace, solve};
use crate::nested::{NestedSettings, learn_nested};
use crate::report::{MatrixReport, ReportError, continuous_game, lookahead_value, solve_matrix_json};

/// Equation (1): rock, paper, scissors, solved.
pub fn equation_1() -> Result<MatrixReport, ReportError> {
    solve_matrix_json("[[0, 1, -1], [-1, 0, 1], [1, -1, 0]]")
}

/// One panel of figure 2: the subsets, and which entries are known.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure2Panel {
    /// Rounds made.
    pub rounds: usize,
    /// The agent's columns considered, from 1 as in the figure.
    pub agent_subset: Vec<u32>,
    /// The opponent's rows considered, from 1.
    pub opponent_subset: Vec<u32>,
    /// Entries by row and column, none where not computed.
    pub entries: Vec<Vec<Option<f64>>>,
    /// The agent's policy.
    pub agent: Vec<f64>,
    /// The opponent's policy.
    pub opponent: Vec<f64>,
    /// What the agent's policy is sure of.
    pub lower: f64,
    /// What the opponent's policy holds it to.
    pub upper: f64,
}

/// Figure 2's game, from its third column, round by round.
pub fn figure_2() -> Result<Vec<Figure2Panel>, MatrixError> {
    let figure = [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [1.0, 2.0, 4.0, 3.0], [7.0, 8.0, 5.0, 6.0]];
    let mut workspace = IncrementalWorkspace::default();
    let mut panels = Vec::new();
    for max_rounds in 1..=2 {
        let settings = IncrementalSettings { whole_up_to: 0, max_rounds, ..Default::default() };
        let start = Start { agent: &[2], opponent: &[] };
        let solution = solve_incrementally(4, 4, start, &settings, &mut workspace, |i, j| figure[i][j])?;
        let (agent, opponent) = (solution.agent.to_vec(), solution.opponent.to_vec());
        let (lower, upper, rounds) = (solution.lower, solution.upper, solution.rounds);
        let from_one = |set: &[u32]| set.iter().map(|k| k + 1).collect();
        panels.push(Figure2Panel {
            rounds,
            agent_subset: from_one(workspace.agent_subset()),
            opponent_subset: from_one(workspace.opponent_subset()),
            entries: (0..4).map(|i| (0..4).map(|j| workspace.known_entry(i, j)).collect()).collect(),
            agent,
            opponent,
            lower,
            upper,
        });
    }
    Ok(panels)
}

/// One step of tag as a matrix: both pick a displacement, the agent scores by ending close.
pub fn tag_like_matrix(rows: usize, cols: usize, seed: u64) -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut uniform = |low: f64, high: f64| low + (high - low) * rng.random::<f64>();
    let mut moves = |count: usize| -> Vec<[f64; 2]> {
        (0..count)
            .map(|k| {
                let angle = std::f64::consts::TAU * (k as f64 + uniform(0.0, 1.0)) / count as f64;
                let reach = [0.3, 0.7, 1.0][(uniform(0.0, 3.0) as usize).min(2)];
                [reach * libm::cos(angle), reach * libm::sin(angle)]
            })
            .collect()
    };
    let (agent, opponent) = (moves(cols), moves(rows));
    let (distance, bearing) = (uniform(0.2, 1.2), uniform(0.0, std::f64::consts::TAU));
    let offset = [distance * libm::cos(bearing), distance * libm::sin(bearing)];
    let score = |o: &[f64; 2], a: &[f64; 2]| {
        let (x, y) = (offset[0] + a[0] - o[0], offset[1] + a[1] - o[1]);
        libm::exp(-(x * x + y * y) / 0.32)
    };
    opponent.iter().flat_map(|o| agent.iter().map(|a| score(o, a)).collect::<Vec<_>>()).collect()
}

/// One point of figure 3.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure3Point {
    /// Actions of each player.
    pub actions: usize,
    /// Games averaged.
    pub games: usize,
    /// Entries that the incremental method computed, on average.
    pub entries_used: f64,
    /// Entries of the whole matrix.
    pub entries: usize,
    /// Seconds per game with the whole matrix.
    pub whole_seconds: f64,
    /// Seconds per game with the incremental method.
    pub incremental_seconds: f64,
    /// How many times faster the incremental method is, on average over games.
    pub times_faster: f64,
    /// Entries in rows and columns that are played, on average: no method can prove policies with fewer.
    pub least_entries: f64,
}

/// Figure 3: whole matrix against rows and columns on demand, on tag-like games. `dear` is called once per entry and
/// stands for the cost of computing it.
pub fn figure_3(
    sizes: &[usize],
    games: usize,
    clock: &dyn Fn() -> f64,
    dear: &dyn Fn(),
) -> Result<Vec<Figure3Point>, MatrixError> {
    let (mut whole, mut grown) = (Workspace::default(), IncrementalWorkspace::default());
    let mut points = Vec::new();
    for &n in sizes {
        let (mut used, mut whole_seconds, mut incremental_seconds) = (0, 0.0, 0.0);
        let (mut times_faster, mut least_entries) = (0.0, 0);
        let mut payoff = Vec::new();
        for seed in 0..games as u64 {
            let matrix = tag_like_matrix(n, n, seed);
            let start = clock();
            payoff.clear();
            for &entry in &matrix {
                dear();
                payoff.push(entry);
            }
            let solved = solve(PayoffMatrix::new(n, n, &payoff)?, &mut whole);
            let middle = clock();
            let value = solved.value;
            let played = |policy: &[f64]| policy.iter().filter(|p| **p > 0.0).count();
            let (cols_played, rows_played) = (played(solved.agent), played(solved.opponent));
            least_entries += (cols_played + rows_played) * n - cols_played * rows_played;
            let settings = IncrementalSettings::default();
            let begun = clock();
            let solution = solve_incrementally(n, n, Start::default(), &settings, &mut grown, |i, j| {
                dear();
                matrix[i * n + j]
            })?;
            let end = clock();
            debug_assert!((solution.value() - value).abs() < 1e-9);
            used += solution.entries_used;
            whole_seconds += middle - start;
            incremental_seconds += end - begun;
            times_faster += (middle - start) / (end - begun).max(1e-12);
        }
        let per_game = 1.0 / games.max(1) as f64;
        points.push(Figure3Point {
            actions: n,
            games,
            entries_used: used as f64 * per_game,
            entries: n * n,
            whole_seconds: whole_seconds * per_game,
            incremental_seconds: incremental_seconds * per_game,
            times_faster: times_faster * per_game,
            least_entries: least_entries as f64 * per_game,
        });
    }
    Ok(points)
}

/// Figure 4: slices of the pendulum, the basis functions made of them, and the value function over them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure4 {
    /// Angles at which the curves below are given \[rad\].
    pub angles: Vec<f64>,
    /// The reduced basis functions over the angle, one curve each.
    pub components: Vec<Vec<f64>>,
    /// Angular velocities of the surface below \[rad/s\].
    pub velocities: Vec<f64>,
    /// The final value function, one curve over the angles per velocity.
    pub surface: Vec<Vec<f64>>,
}

/// Figure 4's data with `bases` splines per axis.
pub fn figure_4(bases: usize) -> Result<Figure4, ReportError> {
    let game = Pendulum::default();
    let settings = NestedSettings::axis_by_axis(2, bases);
    let learned = learn_nested(&game, &settings, Host::default(), &mut |_| Control::Continue)?.learned.value;
    let along = |axis: usize, count: usize| -> Vec<f64> {
        (0..count).map(|k| game.axes()[axis].at_share((k as f64 + 0.5) / count as f64)).collect()
    };
    let (angles, velocities) = (along(0, 64), along(1, 33));
    let reduced = match &learned.basis {
        Basis::Outer(factors) => factors[0].clone(),
        single => single.clone(),
    };
    let components = (0..reduced.len())
        .map(|k| {
            let weights = (0..reduced.len()).map(|other| f64::from(u8::from(other == k))).collect();
            let component = ValueFunction { basis: reduced.clone(), weights };
            angles.iter().map(|&angle| component.value(&[angle, 0.0])).collect()
        })
        .collect();
    let surface = velocities
        .iter()
        .map(|&v| angles.iter().map(|&angle| learned.value(&[angle, v])).collect())
        .collect();
    Ok(Figure4 { angles, components, velocities, surface })
}

/// One point of figure 5.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure5Point {
    /// Axes of the state.
    pub dimensions: usize,
    /// Basis functions per axis.
    pub bases_per_axis: usize,
    /// Whether by nested PCA.
    pub nested: bool,
    /// Seconds to learn.
    pub total_seconds: f64,
    /// Where they went; of slices, all threads together.
    pub seconds: PhaseSeconds,
    /// Numbers stored.
    pub stored_numbers: usize,
    /// Whether the host gave up before it was learned: it takes longer than this.
    pub given_up: bool,
}

/// Figure 5: time and memory of full and nested learning of the pursuit game with 2, 4 or 6 axes.
pub fn figure_5_point(
    dimensions: usize,
    bases_per_axis: usize,
    nested: bool,
    settings: &LspiSettings,
    host: Host<'_>,
) -> Result<Figure5Point, ReportError> {
    let game = continuous_game(&format!("pursuit-{}d", dimensions / 2))?;
    let start = (host.clock)();
    let (learned, seconds) = learn_either(game.as_ref(), bases_per_axis, nested, settings, host)?;
    let total_seconds = (host.clock)() - start;
    let stored_numbers = learned.value.stored_numbers();
    let given_up = learned.status == LspiStatus::Stopped;
    Ok(Figure5Point { dimensions, bases_per_axis, nested, total_seconds, seconds, stored_numbers, given_up })
}

/// One point of figure 6.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure6Point {
    /// Basis functions per axis.
    pub bases_per_axis: usize,
    /// Whether by nested PCA.
    pub nested: bool,
    /// Mean squared deviation from the reference values.
    pub mean_squared_error: f64,
}

/// Figure 6: accuracy by bases per axis, against the values of the full method with `reference_bases` per axis, the
/// highest resolution, at random states.
pub fn figure_6(
    name: &str,
    full_sizes: &[usize],
    nested_sizes: &[usize],
    reference_bases: usize,
    settings: &LspiSettings,
) -> Result<Vec<Figure6Point>, ReportError> {
    let game = continuous_game(name)?;
    let mut rng = ChaCha8Rng::seed_from_u64(settings.seed ^ 0x6f16);
    let states: Vec<Vec<f64>> =
        (0..400).map(|_| game.axes().iter().map(|axis| axis.sample(&mut rng)).collect()).collect();
    let values = |bases: usize, nested: bool| -> Result<Vec<f64>, ReportError> {
        let (learned, _) = learn_either(game.as_ref(), bases, nested, settings, Host::default())?;
        let value = learned.value.unfolded(1 << 20);
        states.iter().map(|state| Ok(lookahead_value(game.as_ref(), &value, state)?)).collect()
    };
    let reference = values(reference_bases, false)?;
    let mut points = Vec::new();
    for (sizes, nested) in [(full_sizes, false), (nested_sizes, true)] {
        for &bases_per_axis in sizes {
            let found = values(bases_per_axis, nested)?;
            let total: f64 = found.iter().zip(&reference).map(|(a, b)| (a - b) * (a - b)).sum();
            points.push(Figure6Point {
                bases_per_axis,
                nested,
                mean_squared_error: total / states.len() as f64,
            });
        }
    }
    Ok(points)
}

/// What may be left out of slices where nobody plays against the agent: values are learned fast enough then for nearly all
/// to be kept, and nested ones converge as full ones do, which is what the paper shows of the pendulum.
const TOLERANCE_ALONE: f64 = 1e-6;

fn learn_either(
    game: &dyn MarkovGame,
    bases: usize,
    nested: bool,
    settings: &LspiSettings,
    host: Host<'_>,
) -> Result<(Learned, PhaseSeconds), ReportError> {
    let n_axes = game.axes().len();
    if nested {
        let mut nested = NestedSettings::axis_by_axis(n_axes, bases);
        nested.slice.seed = settings.seed;
        nested.whole = *settings;
        let middle: Vec<f64> = game.axes().iter().map(|axis| axis.at_share(0.5)).collect();
        if game.action_counts(&middle).opponent == 1 {
            nested.tolerance = TOLERANCE_ALONE;
        }
        let learned = learn_nested(game, &nested, host, &mut |_| Control::Continue)?;
        let mut seconds = learned.learned.seconds;
        for level in &learned.levels {
            seconds.policies += level.seconds.policies;
            seconds.rows += level.seconds.rows;
            seconds.projection += level.seconds.projection;
        }
        return Ok((learned.learned, seconds));
    }
    let basis = Basis::over_axes(game.axes(), &(0..n_axes).collect::<Vec<_>>(), bases)?;
    let learned = learn(game, &basis, settings, host, &mut |_| Control::Continue)?;
    let seconds = learned.seconds;
    Ok((learned, seconds))
}
