//! Balance of somebody who moves: where the feet can push, and where the centre of mass should go for that.
//!
//! [`preview`] looks ahead along planned pushes (model-predictive, on the cart-table model), [`pendulum`] says where somebody
//! falls to and what push or step stops that, [`support`] is the area in which the feet can push. The rest of the body stays the business of the quadratic program.

pub mod pendulum;
pub mod preview;
pub mod support;
