//! Learns the two-dimensional pursuit game over MPI and prints a digest of the weights.
//!
//! Run it with one process and with two: the line is the same.
//!
//! ```text
//! cargo build -p randori-equilibrium --features mpi --example learn_mpi
//! mpirun -n 2 --allow-run-as-root --oversubscribe target/debug/examples/learn_mpi
//! ```
#![allow(clippy::print_stdout, reason = "an example prints its result")]

use mpi::traits::Communicator;
use randori_equilibrium::arcade::Pursuit;
use randori_equilibrium::basis::Basis;
use randori_equilibrium::game::MarkovGame;
use randori_equilibrium::lspi::{Control, Host, LspiSettings, learn};
use randori_equilibrium::mpi::MpiExchange;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let universe = mpi::initialize().ok_or("MPI does not start")?;
    let rank = universe.world().rank();
    let game = Pursuit::in_dimensions(2).ok_or("no such game")?;
    let basis = Basis::over_axes(game.axes(), &[0, 1, 2, 3], 5)?;
    let settings = LspiSettings { max_sweeps: 3, max_backups: 2, ..Default::default() };
    let exchange = MpiExchange::over_the_world();
    let host = Host { exchange: &exchange, ..Host::default() };
    let learned = learn(&game, &basis, &settings, host, &mut |_| Control::Continue)?;
    let digest = learned.value.weights.iter().fold(0xcbf2_9ce4_8422_2325u64, |hash, weight| {
        (hash ^ weight.to_bits()).wrapping_mul(0x0000_0100_0000_01b3)
    });
    if rank == 0 {
        println!(
            "{} weights, residuals {:?}, digest {digest:016x}",
            learned.value.weights.len(),
            learned.residuals
        );
    }
    Ok(())
}
