//! Learning in bytes, so that a long run can be broken off and gone on with.
//!
//! Format: magic, version, payload of little-endian numbers, FNV-1a checksum of everything before it.

const MAGIC: &[u8; 8] = b"rnd-lspi";
const VERSION: u32 = 2;

/// Why bytes are not a checkpoint to go on from.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckpointError {
    /// These bytes are something else.
    #[error("not a checkpoint of learning")]
    NotACheckpoint,
    /// Written by another version.
    #[error("a checkpoint of version {found}, which this program does not go on from")]
    Version {
        /// The version found.
        found: u32,
    },
    /// Cut off or changed.
    #[error("the checkpoint is damaged: its checksum does not fit")]
    Damaged,
    /// It belongs to another game, basis or seed.
    #[error("the checkpoint belongs to another game, basis, seed or number of samples")]
    OtherProblem,
}

/// State of learning between two sweeps.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Checkpoint {
    pub(super) seed: u64,
    pub(super) n_samples: u64,
    pub(super) discount: f64,
    pub(super) weights: Vec<f64>,
    pub(super) last_weights: Vec<f64>,
    pub(super) residuals: Vec<f64>,
    pub(super) lsqr_iterations: u64,
    pub(super) linear_programs: u64,
    pub(super) matrix_bytes: u64,
    pub(super) backups: u64,
    pub(super) last_change: f64,
    /// Per shard: the supports that warm-start the next policies.
    pub(super) supports: Vec<Vec<u32>>,
}

impl Checkpoint {
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for number in [
            self.seed,
            self.n_samples,
            self.discount.to_bits(),
            self.lsqr_iterations,
            self.linear_programs,
            self.matrix_bytes,
            self.backups,
            self.last_change.to_bits(),
        ] {
            bytes.extend(number.to_le_bytes());
        }
        for list in [&self.weights, &self.last_weights, &self.residuals] {
            bytes.extend((list.len() as u64).to_le_bytes());
            list.iter().for_each(|x| bytes.extend(x.to_le_bytes()));
        }
        bytes.extend((self.supports.len() as u64).to_le_bytes());
        for list in &self.supports {
            bytes.extend((list.len() as u64).to_le_bytes());
            list.iter().for_each(|x| bytes.extend(x.to_le_bytes()));
        }
        sealed(MAGIC, VERSION, &bytes)
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Self, CheckpointError> {
        let mut reader = Reader(unsealed(MAGIC, VERSION, bytes)?);
        let read = |reader: &mut Reader<'_>| {
            let mut numbers = [0; 8];
            for number in &mut numbers {
                *number = reader.u64()?;
            }
            let [
                seed,
                n_samples,
                discount,
                lsqr_iterations,
                linear_programs,
                matrix_bytes,
                backups,
                last_change,
            ] = numbers;
            let (weights, last_weights, residuals) = (reader.floats()?, reader.floats()?, reader.floats()?);
            let shards = reader.count(8)?;
            let supports = (0..shards).map(|_| reader.words()).collect::<Option<_>>()?;
            Some(Self {
                seed,
                n_samples,
                discount: f64::from_bits(discount),
                weights,
                last_weights,
                residuals,
                lsqr_iterations,
                linear_programs,
                matrix_bytes,
                backups,
                last_change: f64::from_bits(last_change),
                supports,
            })
        };
        read(&mut reader).filter(|_| reader.0.is_empty()).ok_or(CheckpointError::Damaged)
    }
}

/// A payload behind its magic and version, with a checksum behind it.
pub(crate) fn sealed(magic: &[u8; 8], version: u32, payload: &[u8]) -> Vec<u8> {
    let mut bytes = magic.to_vec();
    bytes.extend(version.to_le_bytes());
    bytes.extend_from_slice(payload);
    let sum = checksum(&bytes);
    bytes.extend(sum.to_le_bytes());
    bytes
}

/// The payload of what [`sealed`] made.
pub(crate) fn unsealed<'a>(
    magic: &[u8; 8],
    version: u32,
    bytes: &'a [u8],
) -> Result<&'a [u8], CheckpointError> {
    let Some(rest) = bytes.strip_prefix(magic) else { return Err(CheckpointError::NotACheckpoint) };
    let Some((found, _)) = rest.split_first_chunk() else { return Err(CheckpointError::Damaged) };
    let found = u32::from_le_bytes(*found);
    if found != version {
        return Err(CheckpointError::Version { found });
    }
    let Some((body, sum)) = bytes.split_last_chunk() else { return Err(CheckpointError::Damaged) };
    if checksum(body) != u64::from_le_bytes(*sum) {
        return Err(CheckpointError::Damaged);
    }
    body.get(magic.len() + 4..).ok_or(CheckpointError::Damaged)
}

/// Fowler, Noll and Vo's hash, 64 bits, variant 1a.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Reads little-endian numbers off the front of some bytes.
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl Reader<'_> {
    pub(crate) fn u64(&mut self) -> Option<u64> {
        let (head, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*head))
    }

    /// A length, if that many items of `size` bytes can follow.
    pub(crate) fn count(&mut self, size: usize) -> Option<usize> {
        let count = usize::try_from(self.u64()?).ok()?;
        (count <= self.0.len() / size).then_some(count)
    }

    pub(crate) fn floats(&mut self) -> Option<Vec<f64>> {
        let count = self.count(8)?;
        (0..count).map(|_| self.u64().map(f64::from_bits)).collect()
    }

    fn words(&mut self) -> Option<Vec<u32>> {
        let count = self.count(4)?;
        let (words, rest) = self.0.split_at(count * 4);
        self.0 = rest;
        Some(words.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::{Checkpoint, CheckpointError};

    #[test]
    fn bytes_come_back_and_every_flipped_bit_is_noticed() {
        let checkpoint = Checkpoint {
            seed: 7,
            n_samples: 24,
            discount: 0.8,
            weights: vec![1.5, -2.0],
            last_weights: vec![0.0, f64::MIN_POSITIVE],
            residuals: vec![0.25],
            lsqr_iterations: 12,
            linear_programs: 0,
            matrix_bytes: 100,
            backups: 3,
            last_change: f64::INFINITY,
            supports: vec![vec![1, 2, 3], vec![]],
        };
        let bytes = checkpoint.to_bytes();
        assert_eq!(Checkpoint::from_bytes(&bytes), Ok(checkpoint));
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(Checkpoint::from_bytes(&flipped).is_err(), "bit {bit}");
        }
        for len in 0..bytes.len() {
            assert!(Checkpoint::from_bytes(&bytes[..len]).is_err(), "{len} bytes");
        }
        let mut newer = bytes;
        newer[8] = 3;
        assert_eq!(Checkpoint::from_bytes(&newer), Err(CheckpointError::Version { found: 3 }));
    }
}
