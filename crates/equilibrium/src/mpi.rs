//! Learning over several processes with MPI.
//!
//! Reference: \[Wampler2010\], appendix A: samples are divided over processes, and LSQR needs only products with the
//! sample matrix and its transpose. Here the samples lie in fixed shards; each process computes its own, all receive
//! all, and sums run in shard order: one process and many give the same bits.

use mpi::datatype::PartitionMut;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives};

use crate::lspi::Exchange;

/// Shards divided over all processes of the job, in contiguous runs.
///
/// The learner shares from the one thread that called it, which should be the one that started MPI.
#[derive(Clone, Copy, Debug)]
pub struct MpiExchange {
    rank: usize,
    size: usize,
}

impl MpiExchange {
    /// Shares over all processes of the job. MPI must have been started, and every process must learn the same thing.
    pub fn over_the_world() -> Self {
        let world = SimpleCommunicator::world();
        Self { rank: world.rank() as usize, size: world.size() as usize }
    }

    fn owner(&self, shard: usize, n_shards: usize) -> usize {
        shard * self.size / n_shards
    }
}

impl Exchange for MpiExchange {
    fn owns(&self, shard: usize, n_shards: usize) -> bool {
        self.owner(shard, n_shards) == self.rank
    }

    fn share(&self, parts: &mut [&mut [f64]]) {
        let n_shards = parts.len();
        let mut counts = vec![0i32; self.size];
        let mut own = Vec::new();
        for (shard, part) in parts.iter().enumerate() {
            counts[self.owner(shard, n_shards)] += part.len() as i32;
            if self.owns(shard, n_shards) {
                own.extend_from_slice(part);
            }
        }
        let starts: Vec<i32> = counts
            .iter()
            .scan(0, |total, count| {
                let start = *total;
                *total += count;
                Some(start)
            })
            .collect();
        // Owners' shards are contiguous and rise with rank: received in rank order they are in shard order.
        let mut all = vec![0.0f64; parts.iter().map(|part| part.len()).sum()];
        let mut partition = PartitionMut::new(&mut all[..], counts, &starts[..]);
        SimpleCommunicator::world().all_gather_varcount_into(&own[..], &mut partition);
        let mut rest = &all[..];
        for part in parts {
            let (head, tail) = rest.split_at(part.len());
            part.copy_from_slice(head);
            rest = tail;
        }
    }
}
