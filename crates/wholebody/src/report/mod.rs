//! What the command `randori body …` prints: text or bytes in, a serialisable report out.

mod dynamics;
mod qp;
mod scenario;
mod states;

pub use dynamics::{CenterReport, DynamicsReport, FrameReport, JointReport, StateReport, dynamics_report};
pub use qp::{QpReport, qp_report};
pub use scenario::{Counts, PerStep, RunReport, dump_problems, run};
pub use states::{BodyText, ContactText, JointText, ModelText, StatesReport, StepText, states};

/// Why a report cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The model.
    #[error(transparent)]
    Model(#[from] crate::model::ModelError),
    /// Text that is not what it should be.
    #[error("{what}: {why}")]
    Input {
        /// Which input, and where in it.
        what: String,
        /// What is wrong.
        why: String,
    },
}
