//! Nested learning in bytes: the levels that are done, and how far the whole game has come.
//!
//! Format: that of [`crate::lspi`]'s checkpoints, with the problem first, then levels and their components, then the
//! checkpoint of the whole game, empty before its first sweep.

use super::{NestedLevel, NestedSettings};
use crate::game::MarkovGame;
use crate::lspi::{CheckpointError, PhaseSeconds, Reader, sealed, unsealed};

const MAGIC: &[u8; 8] = b"rnd-nest";
const VERSION: u32 = 1;

/// A level that is done: what is told of it, and its components as combinations of its basis.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DoneLevel {
    pub(super) level: NestedLevel,
    pub(super) combinations: Vec<f64>,
}

/// The problem and its levels as they stand in a checkpoint.
pub(super) fn write_levels(
    game: &dyn MarkovGame,
    settings: &NestedSettings,
    levels: &[DoneLevel],
) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut number = |number: u64| bytes.extend(number.to_le_bytes());
    let problem = fingerprint(game, settings);
    number(problem.len() as u64);
    problem.into_iter().for_each(&mut number);
    number(levels.len() as u64);
    for DoneLevel { level, combinations } in levels {
        [level.free_axes, level.bases, level.samples, level.slices, level.components]
            .into_iter()
            .for_each(|count| number(count as u64));
        let PhaseSeconds { policies, rows, projection } = level.seconds;
        [level.left_out, policies, rows, projection].into_iter().for_each(|x| number(x.to_bits()));
        number(combinations.len() as u64);
        combinations.iter().for_each(|x| number(x.to_bits()));
    }
    bytes
}

/// A whole checkpoint: levels as [`write_levels`] wrote them, and the checkpoint of the whole game.
pub(crate) fn with_levels(levels: &[u8], whole: &[u8]) -> Vec<u8> {
    sealed(MAGIC, VERSION, &[levels, whole].concat())
}

/// The levels of a checkpoint, and the checkpoint of the whole game if that has begun.
pub(super) fn read<'a>(
    game: &dyn MarkovGame,
    settings: &NestedSettings,
    bytes: &'a [u8],
) -> Result<(Vec<DoneLevel>, Option<&'a [u8]>), CheckpointError> {
    let mut reader = Reader(unsealed(MAGIC, VERSION, bytes)?);
    let problem = read_numbers(&mut reader).ok_or(CheckpointError::Damaged)?;
    if problem != fingerprint(game, settings) {
        return Err(CheckpointError::OtherProblem);
    }
    let levels = read_levels(&mut reader).ok_or(CheckpointError::Damaged)?;
    Ok((levels, Some(reader.0).filter(|whole| !whole.is_empty())))
}

fn read_numbers(reader: &mut Reader<'_>) -> Option<Vec<u64>> {
    let count = reader.count(8)?;
    (0..count).map(|_| reader.u64()).collect()
}

fn read_levels(reader: &mut Reader<'_>) -> Option<Vec<DoneLevel>> {
    let count = reader.count(80)?;
    let read = |_| {
        let mut counts = [0; 5];
        for count in &mut counts {
            *count = usize::try_from(reader.u64()?).ok()?;
        }
        let mut numbers = [0.0; 4];
        for number in &mut numbers {
            *number = f64::from_bits(reader.u64()?);
        }
        let [free_axes, bases, samples, slices, components] = counts;
        let [left_out, policies, rows, projection] = numbers;
        let seconds = PhaseSeconds { policies, rows, projection };
        let level = NestedLevel { free_axes, bases, samples, slices, components, left_out, seconds };
        Some(DoneLevel { level, combinations: reader.floats()? })
    };
    (0..count).map(read).collect()
}

/// Everything that levels depend on and that can be compared.
fn fingerprint(game: &dyn MarkovGame, settings: &NestedSettings) -> Vec<u64> {
    let NestedSettings {
        groups, bases_per_axis, other_bases, slices, tolerance, max_components, slice, ..
    } = settings;
    let mut words = vec![
        game.axes().len() as u64,
        game.discount().to_bits(),
        *bases_per_axis as u64,
        *slices as u64,
        tolerance.to_bits(),
        *max_components as u64,
        slice.seed,
        slice.samples_per_basis.to_bits(),
        slice.max_sweeps as u64,
        slice.max_backups as u64,
    ];
    for group in groups {
        words.push(group.len() as u64);
        words.extend(group.iter().map(|&axis| axis as u64));
    }
    words.extend(other_bases.iter().flat_map(|&(axis, count)| [axis as u64, count as u64]));
    words
}
