//! Nested PCA: few good basis functions for games with many axes.
//!
//! Reference: \[Wampler2010\], section 6.2. Axes are taken group by group. For the first group, games restricted to random
//! slices are learned over its plain basis, and the principal components of their weights become a small basis; this
//! times the next group's plain basis is the basis for slices of two groups, reduced again; and so on, until the last
//! product is the basis for the whole game.
//!
//! Differs from the paper: components are principal in the norm of the functions, not of their weights, which makes the
//! reduced functions orthonormal and the systems over them well conditioned. They are uncentred.

mod checkpoint;

pub(crate) use checkpoint::with_levels;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::basis::{Basis, BasisError, Preconditioner};
use crate::game::{ActionCounts, ActionPair, Axis, MarkovGame, sample_state};
use crate::linear::symmetric_eigen;
use crate::lspi::{
    CheckpointError, Control, Host, Learned, LspiError, LspiSettings, PhaseSeconds, Progress, learn, resume,
};
use checkpoint::DoneLevel;

/// How to learn by nested PCA.
#[derive(Clone, Debug, PartialEq)]
pub struct NestedSettings {
    /// The axes, group by group, in the order in which they join; no axis twice. What is in no group the value function
    /// does not see: it varies in all slices, and values are learned over all of it.
    pub groups: Vec<Vec<usize>>,
    /// Splines per continuous axis.
    pub bases_per_axis: usize,
    /// Axes with another number of splines, and how many.
    pub other_bases: Vec<(usize, usize)>,
    /// Random slices per level. No level can have more components.
    pub slices: usize,
    /// Components are kept until what is left out is this share of the slices' root mean square.
    pub tolerance: f64,
    /// At most so many components per level.
    pub max_components: usize,
    /// How the slices are learned; their seeds are derived from its seed.
    pub slice: LspiSettings,
    /// How the whole game is learned over the last basis.
    pub whole: LspiSettings,
}

impl NestedSettings {
    /// Every axis on its own, in the game's order.
    pub fn axis_by_axis(n_axes: usize, bases_per_axis: usize) -> Self {
        let whole = LspiSettings::default();
        Self {
            groups: (0..n_axes).map(|axis| vec![axis]).collect(),
            bases_per_axis,
            other_bases: Vec::new(),
            slices: 32,
            tolerance: 2e-3,
            max_components: 24,
            slice: LspiSettings { max_sweeps: 6, max_backups: 0, tolerance: 1e-2, ..whole },
            whole,
        }
    }
}

/// Why nested PCA failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NestedError {
    /// No axis, one twice, or one that is not there.
    #[error("the groups {groups:?} do not name some of the {axes} axes, each at most once")]
    Groups {
        /// The groups.
        groups: Vec<Vec<usize>>,
        /// How many axes the game has.
        axes: usize,
    },
    /// The observer or the host stopped it before there was a basis for the whole game.
    #[error("stopped at level {level} of nested PCA")]
    Stopped {
        /// The last level that was done, from 0.
        level: usize,
    },
    /// Nothing to take components of.
    #[error("nested PCA needs at least one slice and one component")]
    NoSlices,
    /// The basis cannot be made.
    #[error(transparent)]
    Basis(#[from] BasisError),
    /// A slice or the whole game cannot be learned.
    #[error(transparent)]
    Lspi(#[from] LspiError),
}

/// One level of the nesting.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct NestedLevel {
    /// Axes that vary in its slices.
    pub free_axes: usize,
    /// Basis functions its slices were learned over.
    pub bases: usize,
    /// Samples per slice.
    pub samples: usize,
    /// Slices learned.
    pub slices: usize,
    /// Components kept.
    pub components: usize,
    /// Root mean square of what was left out, as a share of the slices'.
    pub left_out: f64,
    /// Seconds spent on its slices, all threads together.
    pub seconds: PhaseSeconds,
}

/// A value function learned by nested PCA.
#[derive(Clone, Debug, PartialEq)]
pub struct NestedLearned {
    /// The last step: the whole game over the last basis.
    pub learned: Learned,
    /// The levels before it.
    pub levels: Vec<NestedLevel>,
}

/// What an observer of [`learn_nested`] hears.
#[derive(Clone, Copy)]
pub enum NestedEvent<'a> {
    /// A level's components are found.
    Level(&'a LevelDone<'a>),
    /// A sweep over the whole game is done, or a backup after them.
    Sweep(&'a Progress<'a>),
}

impl NestedEvent<'_> {
    /// Everything that [`resume_nested`] needs to go on from here, bit for bit: versioned, with a checksum.
    pub fn checkpoint(&self) -> Vec<u8> {
        match self {
            Self::Level(done) => with_levels(done.levels, &[]),
            Self::Sweep(progress) => progress.checkpoint(),
        }
    }
}

/// A level that has just been done.
#[derive(Clone, Copy)]
pub struct LevelDone<'a> {
    /// What is told of it.
    pub level: &'a NestedLevel,
    /// Its number, from 0.
    pub number: usize,
    levels: &'a [u8],
}

/// Learns a value function by nested PCA; the same bits for any number of threads.
///
/// ```
/// use randori_equilibrium::arcade::Pursuit;
/// use randori_equilibrium::lspi::{Control, Host};
/// use randori_equilibrium::nested::{NestedSettings, learn_nested};
///
/// let game = Pursuit::in_dimensions(1).ok_or("one dimension")?;
/// let settings = NestedSettings::axis_by_axis(2, 16);
/// let nested = learn_nested(&game, &settings, Host::default(), &mut |_| Control::Continue)?;
/// // Fewer than ten functions of the position stand for its sixteen splines.
/// assert!(nested.levels[0].components < 10);
/// assert!((4.5..5.2).contains(&nested.learned.value.value(&[0.0, 0.0])));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn learn_nested(
    game: &dyn MarkovGame,
    settings: &NestedSettings,
    host: Host<'_>,
    observer: &mut dyn FnMut(NestedEvent<'_>) -> Control,
) -> Result<NestedLearned, NestedError> {
    nest(game, settings, host, None, observer)
}

/// Goes on with [`learn_nested`] from a checkpoint of a level or of a sweep over the whole game. The result has the same
/// bits as if it had never stopped.
///
/// Game and settings must be those of the first run; what can be compared is.
pub fn resume_nested(
    game: &dyn MarkovGame,
    settings: &NestedSettings,
    host: Host<'_>,
    checkpoint: &[u8],
    observer: &mut dyn FnMut(NestedEvent<'_>) -> Control,
) -> Result<NestedLearned, NestedError> {
    nest(game, settings, host, Some(checkpoint), observer)
}

fn nest(
    game: &dyn MarkovGame,
    settings: &NestedSettings,
    host: Host<'_>,
    checkpoint: Option<&[u8]>,
    observer: &mut dyn FnMut(NestedEvent<'_>) -> Control,
) -> Result<NestedLearned, NestedError> {
    let n_axes = game.axes().len();
    let mut named: Vec<usize> = settings.groups.concat();
    named.sort_unstable();
    let sound = named.windows(2).all(|pair| pair[0] < pair[1]) && named.last().is_some_and(|&it| it < n_axes);
    if !sound || settings.groups.iter().any(Vec::is_empty) {
        return Err(NestedError::Groups { groups: settings.groups.clone(), axes: n_axes });
    }
    if settings.slices == 0 || settings.max_components == 0 {
        return Err(NestedError::NoSlices);
    }
    let (mut done, whole) = match checkpoint {
        Some(bytes) => checkpoint::read(game, settings, bytes).map_err(LspiError::from)?,
        None => (Vec::new(), None),
    };
    let mut reduced: Option<Basis> = None;
    let mut free: Vec<usize> = (0..n_axes).filter(|axis| !named.contains(axis)).collect();
    for (number, group) in settings.groups.iter().enumerate() {
        free.extend_from_slice(group);
        let plain = group.iter().map(|&axis| {
            let other = settings.other_bases.iter().find(|(other, _)| *other == axis);
            Basis::on_axis(game.axes(), axis, other.map_or(settings.bases_per_axis, |(_, count)| *count))
        });
        let plain = Basis::outer(plain.collect::<Result<_, _>>()?)?;
        let basis = Basis::outer(reduced.take().into_iter().chain([plain]).collect())?;
        if number + 1 == settings.groups.len() {
            let before = checkpoint::write_levels(game, settings, &done);
            let observer =
                &mut |progress: &Progress<'_>| observer(NestedEvent::Sweep(&progress.after(&before)));
            let learned = match whole {
                Some(checkpoint) => resume(game, &basis, &settings.whole, host, checkpoint, observer)?,
                None => learn(game, &basis, &settings.whole, host, observer)?,
            };
            return Ok(NestedLearned { learned, levels: done.into_iter().map(|done| done.level).collect() });
        }
        if number == done.len() {
            done.push(reduce(game, &basis, &free, number, settings, host)?);
            if (host.stop)() {
                return Err(NestedError::Stopped { level: number });
            }
            let levels = &checkpoint::write_levels(game, settings, &done);
            let event = LevelDone { level: &done[number].level, number, levels };
            if observer(NestedEvent::Level(&event)) == Control::Stop {
                return Err(NestedError::Stopped { level: number });
            }
        }
        let fits = done[number].combinations.len().is_multiple_of(basis.len());
        if !fits {
            return Err(LspiError::from(CheckpointError::OtherProblem).into());
        }
        reduced = Some(Basis::reduced(basis, &done[number].combinations)?);
    }
    Err(NestedError::Groups { groups: settings.groups.clone(), axes: n_axes })
}

/// Learns one level's slices and takes their principal components.
fn reduce(
    game: &dyn MarkovGame,
    basis: &Basis,
    free: &[usize],
    number: usize,
    settings: &NestedSettings,
    host: Host<'_>,
) -> Result<DoneLevel, NestedError> {
    let Host { clock, stop, .. } = host;
    // Slices are learned side by side, each by one process alone.
    let slices: Vec<Learned> = (0..settings.slices)
        .into_par_iter()
        .map(|slice| {
            let mut rng = ChaCha8Rng::seed_from_u64(settings.slice.seed);
            rng.set_stream(1 + ((number as u64) << 32) + slice as u64);
            let mut fixed = Vec::new();
            sample_state(game, &mut rng, &mut fixed);
            let slice_game = SliceGame::new(game, fixed, free);
            let seed =
                settings.slice.seed.wrapping_add(0x9e37_79b9_7f4a_7c15u64.wrapping_mul(1 + slice as u64));
            let own = Host { clock, stop, ..Host::default() };
            learn(&slice_game, basis, &LspiSettings { seed, ..settings.slice }, own, &mut |_| {
                Control::Continue
            })
        })
        .collect::<Result<_, _>>()?;
    let mut level = NestedLevel {
        free_axes: free.len(),
        bases: basis.len(),
        samples: slices.first().map_or(0, |learned| learned.samples),
        slices: slices.len(),
        ..Default::default()
    };
    for learned in &slices {
        level.seconds.policies += learned.seconds.policies;
        level.seconds.rows += learned.seconds.rows;
        level.seconds.projection += learned.seconds.projection;
    }
    let preconditioner = Preconditioner::of(basis);
    let functions: Vec<Vec<f64>> = slices
        .into_iter()
        .map(|learned| {
            let mut function = learned.value.weights;
            preconditioner.weights_to_unknowns(&mut function);
            function
        })
        .collect();
    let (components, left_out) =
        principal_components(&functions, settings.tolerance, settings.max_components);
    level.components = components.len();
    level.left_out = left_out;
    let mut combinations = Vec::with_capacity(components.len() * basis.len());
    for mut component in components {
        preconditioner.unknowns_to_weights(&mut component);
        combinations.extend(component);
    }
    Ok(DoneLevel { level, combinations })
}

/// Orthonormal directions that span most of the vectors, and the share left out. At least one.
fn principal_components(vectors: &[Vec<f64>], tolerance: f64, most: usize) -> (Vec<Vec<f64>>, f64) {
    let m = vectors.len();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let gram: Vec<f64> = (0..m * m).map(|k| dot(&vectors[k / m], &vectors[k % m])).collect();
    let (energies, mixes) = symmetric_eigen(gram, m);
    let total: f64 = energies.iter().map(|e| e.max(0.0)).sum();
    let mut components: Vec<Vec<f64>> = Vec::new();
    let mut left = total;
    for (&energy, mix) in energies.iter().zip(mixes.chunks_exact(m)) {
        // Below this the Gram matrix holds rounding only.
        let exhausted = left <= tolerance * tolerance * total || energy <= 1e-13 * total;
        if !components.is_empty() && (exhausted || components.len() == most) {
            break;
        }
        let mut component = vec![0.0; vectors[0].len()];
        for (vector, weight) in vectors.iter().zip(mix) {
            component.iter_mut().zip(vector).for_each(|(c, v)| *c += weight * v);
        }
        let length = dot(&component, &component).sqrt();
        if length > 0.0 {
            component.iter_mut().for_each(|c| *c /= length);
        } else {
            // All slices are zero: any direction will do.
            component[0] = 1.0;
        }
        components.push(component);
        left -= energy.max(0.0);
    }
    (components, if total > 0.0 { (left.max(0.0) / total).sqrt() } else { 0.0 })
}

/// A game whose other coordinates are held: after every transition they are set back.
struct SliceGame<'a> {
    game: &'a dyn MarkovGame,
    axes: Vec<Axis>,
    fixed: Vec<f64>,
    held: Vec<usize>,
}

impl<'a> SliceGame<'a> {
    fn new(game: &'a dyn MarkovGame, fixed: Vec<f64>, free: &[usize]) -> Self {
        let mut axes = game.axes().to_vec();
        let held: Vec<usize> = (0..axes.len()).filter(|axis| !free.contains(axis)).collect();
        for &axis in &held {
            axes[axis] = Axis::Continuous { low: fixed[axis], high: fixed[axis] };
        }
        Self { game, axes, fixed, held }
    }
}

impl MarkovGame for SliceGame<'_> {
    fn axes(&self) -> &[Axis] {
        &self.axes
    }

    fn discount(&self) -> f64 {
        self.game.discount()
    }

    fn action_counts(&self, state: &[f64]) -> ActionCounts {
        self.game.action_counts(state)
    }

    fn reward(&self, state: &[f64], pair: ActionPair) -> f64 {
        self.game.reward(state, pair)
    }

    fn visit_successors(&self, state: &[f64], pair: ActionPair, visit: &mut dyn FnMut(f64, &[f64])) {
        self.play(state, pair, visit);
    }

    fn play(&self, state: &[f64], pair: ActionPair, visit: &mut dyn FnMut(f64, &[f64])) -> f64 {
        let mut snapped = [0.0; 16];
        self.game.play(state, pair, &mut |probability, next| {
            if next.len() <= snapped.len() {
                let snapped = &mut snapped[..next.len()];
                snapped.copy_from_slice(next);
                self.held.iter().for_each(|&axis| snapped[axis] = self.fixed[axis]);
                visit(probability, snapped);
            } else {
                let mut snapped = next.to_vec();
                self.held.iter().for_each(|&axis| snapped[axis] = self.fixed[axis]);
                visit(probability, &snapped);
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::principal_components;

    #[test]
    fn components_span_what_made_the_vectors() {
        let direction = |k: usize| -> Vec<f64> { (0..12).map(|i| ((i * (k + 2)) as f64).sin()).collect() };
        let basis: Vec<Vec<f64>> = (0..3).map(direction).collect();
        let vectors: Vec<Vec<f64>> = (0..9)
            .map(|v| {
                (0..12)
                    .map(|i| (0..3).map(|k| basis[k][i] * ((v * v + 7 * k * v + k) as f64).cos()).sum())
                    .collect()
            })
            .collect();
        let (components, left_out) = principal_components(&vectors, 1e-6, 12);
        assert_eq!(components.len(), 3);
        assert!(left_out < 1e-6);
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
        for vector in &vectors {
            let mut rest = vector.clone();
            for component in &components {
                let share = dot(vector, component);
                rest.iter_mut().zip(component).for_each(|(r, c)| *r -= share * c);
            }
            assert!(dot(&rest, &rest) < 1e-18);
        }
        let (one, left_out) = principal_components(&vectors, 0.0, 1);
        assert!(one.len() == 1 && left_out > 0.1);
        assert_eq!(principal_components(&[vec![0.0; 4], vec![0.0; 4]], 0.1, 3).0, [vec![1.0, 0.0, 0.0, 0.0]]);
    }
}
