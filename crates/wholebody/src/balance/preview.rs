//! Preview control of the centre of mass.
//!
//! Reference: \[Kajita2003\], section 3, with a term for the way of the centre itself. Model: the cart on a
//! table, one for each horizontal axis. Its state is position, velocity and acceleration of the centre of mass,
//! its input the jerk, its output the zero-moment point
//!
//! ```text
//! p = c - (h / g) c̈
//! ```
//!
//! where h is the height of the centre above the ground. The input minimises, over all time to come,
//!
//! ```text
//! Σ wp (p - p_planned)² + wc (c - c_planned)² + wj j²
//! ```
//!
//! exactly: references beyond the horizon stay as they are at its end. Gains are worked out once; an answer takes
//! one pass over the horizon. It knows no body and no contact.

/// Weights of the three terms of the cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// Of the zero-moment point's distance to its plan (1/m²).
    pub push: f64,
    /// Of the centre's distance to its plan (1/m²); zero leaves its way free.
    pub center: f64,
    /// Of the jerk (s⁶/m²).
    pub jerk: f64,
}

/// What is planned for one axis at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Plan {
    /// Zero-moment point (m).
    pub push: f64,
    /// Centre of mass (m).
    pub center: f64,
}

/// Position, velocity and acceleration of the centre along one axis (m, m/s, m/s²).
pub type State = [f64; 3];

type Matrix = [[f64; 3]; 3];

/// A controller for one time step and one height.
#[derive(Clone, Debug, PartialEq)]
pub struct Preview {
    dt: f64,
    /// Of the output: `p = row · state`.
    row: State,
    weights: Weights,
    /// Feedback of the state.
    feedback: State,
    /// Of what is ahead, already divided by the curvature of the cost in the jerk.
    ahead: State,
    /// The transposed closed loop.
    back: Matrix,
    /// `(1 - back)⁻¹`: references that stay for ever.
    forever: Matrix,
}

/// Rounds of the Riccati equation; it has converged to rounding long before.
const ROUNDS: usize = 20_000;

impl Preview {
    /// A controller for steps of `dt` (s) and a centre `height` (m) above the ground; `None` unless both, the
    /// gravity (m/s²) and the weights are positive and finite.
    pub fn new(dt: f64, height: f64, gravity: f64, weights: Weights) -> Option<Preview> {
        let positive = [dt, height, gravity, weights.push, weights.jerk];
        if positive.iter().any(|x| !(*x > 0.0 && x.is_finite()))
            || !(weights.center >= 0.0 && weights.center.is_finite())
        {
            return None;
        }
        let forth: Matrix = [[1.0, dt, 0.5 * dt * dt], [0.0, 1.0, dt], [0.0, 0.0, 1.0]];
        let input = [dt * dt * dt / 6.0, 0.5 * dt * dt, dt];
        let row = [1.0, 0.0, -height / gravity];
        let mut stage: Matrix = [[0.0; 3]; 3];
        for i in 0..3 {
            for j in 0..3 {
                stage[i][j] = weights.push * row[i] * row[j];
            }
        }
        stage[0][0] += weights.center;
        let mut cost = stage;
        let (mut feedback, mut curvature) = ([0.0; 3], weights.jerk);
        for _ in 0..ROUNDS {
            let pushed = times(&cost, &input);
            curvature = weights.jerk + dot(&input, &pushed);
            let cross = times(&transposed(&forth), &pushed);
            feedback = cross.map(|x| x / curvature);
            let carried = product(&transposed(&forth), &product(&cost, &forth));
            let mut next = stage;
            let mut change = 0.0_f64;
            for i in 0..3 {
                for j in 0..3 {
                    next[i][j] += carried[i][j] - cross[i] * feedback[j];
                    change = change.max((next[i][j] - cost[i][j]).abs() / (1.0 + cost[i][j].abs()));
                }
            }
            cost = next;
            if change < 1e-14 {
                break;
            }
        }
        let mut closed = forth;
        for i in 0..3 {
            for j in 0..3 {
                closed[i][j] -= input[i] * feedback[j];
            }
        }
        let back = transposed(&closed);
        let forever = inverse(&back)?;
        let ahead = input.map(|x| x / curvature);
        let finite = feedback.iter().chain(forever.iter().flatten()).all(|x| x.is_finite());
        finite.then_some(Preview { dt, row, weights, feedback, ahead, back, forever })
    }

    /// The state one step on, with the best jerk for what is planned: `plan[k]` is that of `k + 1` steps from now. An
    /// empty plan leaves the centre to come to rest where it can.
    pub fn next(&self, state: &State, plan: impl DoubleEndedIterator<Item = Plan>) -> State {
        let source = |plan: &Plan| {
            let mut source = self.row.map(|x| x * self.weights.push * plan.push);
            source[0] += self.weights.center * plan.center;
            source
        };
        let mut pull: Option<State> = None;
        for plan in plan.rev() {
            pull = Some(match pull {
                None => times(&self.forever, &source(&plan)),
                Some(later) => {
                    let (carried, here) = (times(&self.back, &later), source(&plan));
                    std::array::from_fn(|i| carried[i] + here[i])
                }
            });
        }
        let jerk = dot(&self.ahead, &pull.unwrap_or([0.0; 3])) - dot(&self.feedback, state);
        let [x, v, a] = *state;
        let dt = self.dt;
        [x + dt * (v + dt * (0.5 * a + dt * jerk / 6.0)), v + dt * (a + 0.5 * dt * jerk), a + dt * jerk]
    }

    /// The zero-moment point of a state (m).
    pub fn push_of(&self, state: &State) -> f64 {
        dot(&self.row, state)
    }
}

fn dot(a: &State, b: &State) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn times(matrix: &Matrix, vector: &State) -> State {
    std::array::from_fn(|i| dot(&matrix[i], vector))
}

fn transposed(matrix: &Matrix) -> Matrix {
    std::array::from_fn(|i| std::array::from_fn(|j| matrix[j][i]))
}

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    let columns = transposed(b);
    std::array::from_fn(|i| std::array::from_fn(|j| dot(&a[i], &columns[j])))
}

/// `(1 - matrix)⁻¹`.
fn inverse(matrix: &Matrix) -> Option<Matrix> {
    let m = glam::DMat3::from_cols_array_2d(matrix);
    let rest = glam::DMat3::IDENTITY - m;
    (rest.determinant().abs() > 1e-30).then(|| rest.inverse().to_cols_array_2d())
}

#[cfg(test)]
mod tests {
    use super::*;

    const DT: f64 = 0.02;
    const WEIGHTS: Weights = Weights { push: 1.0, center: 0.05, jerk: 1e-6 };

    fn plans(n: usize) -> Vec<Plan> {
        // Steps to and fro, then for ever at one place.
        let push =
            |k: usize| if k < 60 { 0.1 * f64::from(u8::from((k / 15).is_multiple_of(2))) } else { 0.3 };
        (0..n).map(|k| Plan { push: push(k), center: 0.3 }).collect()
    }

    /// The same optimum by another way: all jerks of a long run at once, by conjugate gradients on the cost.
    #[test]
    fn the_first_jerk_is_that_of_the_whole_run_optimised_at_once() {
        let preview = Preview::new(DT, 0.9, 9.81, WEIGHTS).unwrap();
        let start = [0.02, -0.1, 0.3];
        let n = 400;
        let plan = plans(n);
        let roll = |jerks: &[f64]| -> Vec<State> {
            let mut state = start;
            (jerks.iter())
                .map(|j| {
                    let [x, v, a] = state;
                    state = [
                        x + DT * v + 0.5 * DT * DT * a + DT * DT * DT / 6.0 * j,
                        v + DT * a + 0.5 * DT * DT * j,
                        a + DT * j,
                    ];
                    state
                })
                .collect()
        };
        // The gradient by the adjoint of the roll.
        let gradient = |jerks: &[f64]| -> Vec<f64> {
            let states = roll(jerks);
            let mut adjoint = [0.0; 3];
            let mut out = vec![0.0; n];
            for k in (0..n).rev() {
                let off = preview.push_of(&states[k]) - plan[k].push;
                let [p, q, r] = preview.row.map(|x| 2.0 * WEIGHTS.push * off * x);
                let aside = 2.0 * WEIGHTS.center * (states[k][0] - plan[k].center);
                adjoint = [adjoint[0] + p + aside, adjoint[1] + q, adjoint[2] + r];
                out[k] = 2.0 * WEIGHTS.jerk * jerks[k]
                    + DT * DT * DT / 6.0 * adjoint[0]
                    + 0.5 * DT * DT * adjoint[1]
                    + DT * adjoint[2];
                let [x, v, a] = adjoint;
                adjoint = [x, v + DT * x, a + DT * v + 0.5 * DT * DT * x];
            }
            out
        };
        let zero = gradient(&vec![0.0; n]);
        let mut jerks = vec![0.0; n];
        let norm = |a: &[f64]| a.iter().map(|x| x * x).sum::<f64>();
        // The problem is so badly conditioned that residuals drift: they are worked out anew a few times.
        for _ in 0..4 {
            let mut rest: Vec<f64> = gradient(&jerks).iter().map(|x| -x).collect();
            let mut way = rest.clone();
            for _ in 0..4000 {
                let curved: Vec<f64> = gradient(&way).iter().zip(&zero).map(|(g, z)| g - z).collect();
                let before = norm(&rest);
                if before < 1e-28 {
                    break;
                }
                let step = before / way.iter().zip(&curved).map(|(a, b)| a * b).sum::<f64>();
                for k in 0..n {
                    jerks[k] += step * way[k];
                    rest[k] -= step * curved[k];
                }
                let share = norm(&rest) / before;
                (0..n).for_each(|k| way[k] = rest[k] + share * way[k]);
            }
        }
        let expected = roll(&jerks)[0];
        let found = preview.next(&start, plan.into_iter());
        for (a, b) in found.iter().zip(&expected) {
            assert!((a - b).abs() < 1e-6 * (1.0 + b.abs()), "{found:?} {expected:?}");
        }
    }

    #[test]
    fn the_centre_moves_before_the_push_does_and_comes_to_rest_above_it() {
        let preview = Preview::new(DT, 0.9, 9.81, Weights { center: 0.0, ..WEIGHTS }).unwrap();
        let push = |k: usize| Plan { push: if k < 100 { 0.0 } else { 0.2 }, center: 0.0 };
        let mut state = [0.0; 3];
        for k in 0..400 {
            state = preview.next(&state, (k + 1..k + 81).map(push));
            if k == 95 {
                assert!(state[0] > 0.03, "it waits for the push: {state:?}");
            }
            assert!((preview.push_of(&state) - push(k + 1).push).abs() < 0.21);
        }
        assert!((state[0] - 0.2).abs() < 1e-3 && state[1].abs() < 1e-3, "{state:?}");
    }

    #[test]
    fn what_is_no_controller_is_refused() {
        for (dt, height, weights) in [
            (0.0, 0.9, WEIGHTS),
            (DT, f64::NAN, WEIGHTS),
            (DT, 0.9, Weights { jerk: 0.0, ..WEIGHTS }),
            (DT, 0.9, Weights { center: -1.0, ..WEIGHTS }),
        ] {
            assert!(Preview::new(dt, height, 9.81, weights).is_none());
        }
    }
}
