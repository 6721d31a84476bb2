//! Damped least squares: several goals at once on any skeleton.
//!
//! Each step solves `(J W Jᵀ + λ²) y = e`, turns the joints by `W Jᵀ y` and is kept if it brings the goals nearer;
//! otherwise the damping λ grows (Levenberg and Marquardt's way). `J` maps small turns of the joints about the
//! world's axes, and a shift of the root, to motions of the goals; `W` is how willingly each joint moves; `e` is
//! what is missing. All inside is `f64`.

use glam::{DMat3, DQuat, DVec3, Quat, Vec3};

use crate::math::{quat_from_rotation_vector, rotation_vector_from_quat, swing_twist};
use crate::pose::{GlobalPose, Pose};
use crate::skeleton::{JointId, Skeleton};

/// What one joint shall do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// The joint.
    pub joint: JointId,
    /// The point of it that shall reach `position`, in the joint's frame in metres. Usually zero.
    pub point: Vec3,
    /// Where the point shall be in the world in metres, if anywhere.
    pub position: Option<Vec3>,
    /// `world_from_joint` the joint shall have, if any.
    pub rotation: Option<Quat>,
    /// How much a metre of error counts against other goals' errors, not negative. Default 1.
    pub position_weight: f32,
    /// How much a radian of error counts, not negative. Default 0.3: a radian is as bad as 0.3 m.
    pub rotation_weight: f32,
}

impl Goal {
    /// A joint shall be at a place; its orientation is free.
    pub fn position(joint: JointId, position: Vec3) -> Goal {
        Goal {
            joint,
            point: Vec3::ZERO,
            position: Some(position),
            rotation: None,
            position_weight: 1.0,
            rotation_weight: 0.3,
        }
    }

    /// The same goal with an orientation.
    pub fn with_rotation(self, world_from_joint: Quat) -> Goal {
        Goal { rotation: Some(world_from_joint), ..self }
    }
}

/// How far a joint may turn from its rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// The joint.
    pub joint: JointId,
    /// The bone's own axis in the joint's frame, unit length.
    pub axis: Vec3,
    /// The largest angle between the axis and its place at rest, in radians, 0 to π.
    pub swing: f32,
    /// Least and greatest turn about the axis, in radians, within -π to π.
    pub twist: [f32; 2],
}

/// How to search.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Most steps. Default 50.
    pub max_iterations: usize,
    /// The weighted error of all goals together (root of the sum of squares, in metres) that is small enough.
    /// Default 0.1 mm.
    pub tolerance: f32,
    /// λ at the start; larger is calmer and slower. Default 0.05.
    pub damping: f32,
    /// The largest turn of one joint in one step, in radians. Default 0.5.
    pub max_turn: f32,
    /// How willingly each joint turns, not negative; joints beyond the end of the list have 1. 0 fixes a joint.
    /// Default empty.
    pub mobility: Vec<f32>,
    /// How willingly the root shifts, relative to a joint's turning by a radian per metre; 0 fixes it. Default 0.
    pub root_mobility: f32,
    /// Limits that every pose on the way respects. Default none.
    pub limits: Vec<Limit>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            max_iterations: 50,
            tolerance: 1e-4,
            damping: 0.05,
            max_turn: 0.5,
            mobility: Vec::new(),
            root_mobility: 0.0,
            limits: Vec::new(),
        }
    }
}

/// How a search ended; an end without success is an answer too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// All goals are met within the tolerance.
    Reached,
    /// No step brings the goals nearer: they are out of reach or contradict each other.
    Stuck,
    /// The steps ran out.
    OutOfSteps,
}

/// What a search achieved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// How it ended.
    pub status: Status,
    /// Steps tried.
    pub iterations: usize,
    /// The weighted error that is left, in metres.
    pub error: f32,
}

/// Memory for searches, kept from one to the next: after the first on a skeleton nothing is allocated.
///
/// ```
/// use randori_motion::{Bone, Build, ik::{Goal, Settings, Solver, Status}, math::Vec3};
/// let skeleton = Build::AVERAGE.skeleton();
/// let hand = skeleton.bone(Bone::RightHand).unwrap();
/// let mut pose = skeleton.rest_pose();
/// let goals = [Goal::position(hand, Vec3::new(-0.2, 1.3, 0.4))];
/// let outcome = Solver::default().solve(&skeleton, &goals, &Settings::default(), &mut pose);
/// assert_eq!(outcome.status, Status::Reached);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Solver {
    globals: GlobalPose,
    trial: Pose,
    /// Joints that can move a goal.
    columns: Vec<Column>,
    /// For each joint, whether it is in `columns` already.
    moves: Vec<bool>,
    /// Rows of the Jacobian, each `3 * columns.len() + 3` long; the last three are the root's shift.
    jacobian: Vec<f64>,
    error: Vec<f64>,
    matrix: Vec<f64>,
    solution: Vec<f64>,
    step: Vec<f64>,
}

#[derive(Clone, Copy, Debug)]
struct Column {
    joint: JointId,
    mobility: f64,
}

impl Solver {
    /// Changes `pose` so that the goals are met as well as may be, starting from it.
    ///
    /// Joints that play no part in a goal are left alone. Goals for joints the skeleton does not have, and goals
    /// that are not finite, are passed over.
    pub fn solve(
        &mut self,
        skeleton: &Skeleton,
        goals: &[Goal],
        settings: &Settings,
        pose: &mut Pose,
    ) -> Outcome {
        self.find_columns(skeleton, goals, settings);
        clamp_to_limits(skeleton, &settings.limits, pose);
        let mut error = self.measure(skeleton, goals, pose);
        let mut damping = f64::from(settings.damping).max(1e-6);
        let mut iterations = 0;
        let mut status = Status::OutOfSteps;
        while iterations < settings.max_iterations {
            if error <= f64::from(settings.tolerance) {
                break;
            }
            self.find_jacobian(skeleton, goals);
            // Steps that do not help cost an iteration each, so that the work is bounded.
            loop {
                iterations += 1;
                self.find_step(damping, settings);
                let mut trial = std::mem::take(&mut self.trial);
                self.take_step(skeleton, pose, &mut trial);
                clamp_to_limits(skeleton, &settings.limits, &mut trial);
                let trial_error = self.measure(skeleton, goals, &trial);
                let better = trial_error < error * (1.0 - 1e-9);
                if better {
                    pose.copy_from(trial.view());
                    let gain = error - trial_error;
                    error = trial_error;
                    damping = (0.4 * damping).max(1e-6);
                    if gain < 1e-3 * f64::from(settings.tolerance) {
                        status = Status::Stuck;
                    }
                } else {
                    damping *= 4.0;
                    if damping > 1e4 {
                        status = Status::Stuck;
                    }
                }
                self.trial = trial;
                if better || status == Status::Stuck || iterations == settings.max_iterations {
                    break;
                }
            }
            if status == Status::Stuck {
                break;
            }
            // The last trial may have been refused: what is measured next is the pose as it stands.
            self.measure(skeleton, goals, pose);
        }
        if error <= f64::from(settings.tolerance) {
            status = Status::Reached;
        }
        Outcome { status, iterations, error: error as f32 }
    }

    fn find_columns(&mut self, skeleton: &Skeleton, goals: &[Goal], settings: &Settings) {
        self.columns.clear();
        self.moves.clear();
        self.moves.resize(skeleton.n_joints(), false);
        for goal in goals.iter().filter(|goal| goal.joint.idx() < skeleton.n_joints()) {
            let mut next = Some(goal.joint);
            while let Some(joint) = next
                && !self.moves[joint.idx()]
            {
                self.moves[joint.idx()] = true;
                next = skeleton.joint(joint).parent;
            }
        }
        for joint in skeleton.ids().filter(|joint| self.moves[joint.idx()]) {
            let mobility = f64::from(settings.mobility.get(joint.idx()).copied().unwrap_or(1.0)).max(0.0);
            if mobility > 0.0 {
                self.columns.push(Column { joint, mobility });
            }
        }
    }

    /// Fills `globals` and `error` for a pose and answers the length of the error.
    fn measure(&mut self, skeleton: &Skeleton, goals: &[Goal], pose: &Pose) -> f64 {
        skeleton.globals_into(pose.view(), &mut self.globals);
        self.error.clear();
        for (goal, part) in parts(goals, skeleton) {
            let missing = match part {
                Part::Position(position, weight) => {
                    (position - self.globals.point(goal.joint, goal.point)).as_dvec3() * weight
                }
                Part::Rotation(rotation, weight) => {
                    let turn = rotation * self.globals.rotations[goal.joint.idx()].inverse();
                    rotation_vector_from_quat(turn).as_dvec3() * weight
                }
            };
            self.error.extend(missing.to_array());
        }
        self.error.iter().map(|e| e * e).sum::<f64>().sqrt()
    }

    /// Motions of the goals per turn of each joint about the world's axes, at the pose last measured.
    fn find_jacobian(&mut self, skeleton: &Skeleton, goals: &[Goal]) {
        let width = 3 * self.columns.len() + 3;
        self.jacobian.clear();
        self.jacobian.resize(self.error.len() * width, 0.0);
        for (row_block, (goal, part)) in parts(goals, skeleton).enumerate() {
            let point = self.globals.point(goal.joint, goal.point).as_dvec3();
            for column_idx in 0..self.columns.len() {
                let joint = self.columns[column_idx].joint;
                let mut above = std::iter::successors(Some(goal.joint), |id| skeleton.joint(*id).parent);
                if !above.any(|id| id == joint) {
                    continue;
                }
                let arm = point - self.globals.positions[joint.idx()].as_dvec3();
                let block = match part {
                    // w × arm = -[arm]× w.
                    Part::Position(_, weight) => cross_matrix(arm) * -weight,
                    Part::Rotation(_, weight) => DMat3::IDENTITY * weight,
                };
                self.write_block(row_block, 3 * column_idx, width, block);
            }
            if let Part::Position(_, weight) = part {
                self.write_block(row_block, width - 3, width, DMat3::IDENTITY * weight);
            }
        }
    }

    fn write_block(&mut self, row_block: usize, column: usize, width: usize, block: DMat3) {
        for row in 0..3 {
            let at = (3 * row_block + row) * width + column;
            self.jacobian[at..at + 3].copy_from_slice(&block.row(row).to_array());
        }
    }

    /// `step = W Jᵀ (J W Jᵀ + λ²)⁻¹ e`, each joint's turn capped.
    fn find_step(&mut self, damping: f64, settings: &Settings) {
        let n_rows = self.error.len();
        let width = 3 * self.columns.len() + 3;
        let root_mobility = f64::from(settings.root_mobility).max(0.0);
        let mobility = |at: usize| self.columns.get(at / 3).map_or(root_mobility, |column| column.mobility);
        self.matrix.clear();
        self.matrix.resize(n_rows * n_rows, 0.0);
        for i in 0..n_rows {
            for j in 0..=i {
                let (a, b) = (&self.jacobian[i * width..][..width], &self.jacobian[j * width..][..width]);
                let dot: f64 = a.iter().zip(b).enumerate().map(|(at, (a, b))| a * b * mobility(at)).sum();
                self.matrix[i * n_rows + j] = dot + if i == j { damping * damping } else { 0.0 };
            }
        }
        self.solution.clear();
        self.solution.extend_from_slice(&self.error);
        solve_cholesky(&mut self.matrix, &mut self.solution);
        self.step.clear();
        self.step.extend((0..width).map(|at| {
            let row = |i: usize| self.jacobian[i * width + at] * self.solution[i];
            mobility(at) * (0..n_rows).map(row).sum::<f64>()
        }));
        let n_turns = self.columns.len();
        for turn in self.step[..3 * n_turns].chunks_exact_mut(3) {
            let length = DVec3::from_slice(turn).length();
            let cap = f64::from(settings.max_turn).max(0.0);
            if length > cap {
                turn.iter_mut().for_each(|x| *x *= cap / length);
            }
        }
    }

    /// The pose after the step; `globals` are not touched.
    fn take_step(&mut self, skeleton: &Skeleton, pose: &Pose, trial: &mut Pose) {
        // The globals of the pose, not of the last trial, give the joints' frames.
        skeleton.globals_into(pose.view(), &mut self.globals);
        trial.copy_from(pose.view());
        for (column, turn) in self.columns.iter().zip(self.step.chunks_exact(3)) {
            let joint = column.joint;
            let world_from_parent = skeleton
                .joint(joint)
                .parent
                .map_or(Quat::IDENTITY, |parent| self.globals.rotations[parent.idx()]);
            let in_parent = world_from_parent.as_dquat().inverse() * DVec3::from_slice(turn);
            let turned = dquat_from_rotation_vector(in_parent) * trial.rotations[joint.idx()].as_dquat();
            trial.rotations[joint.idx()] = turned.normalize().as_quat();
        }
        let shift = DVec3::from_slice(&self.step[3 * self.columns.len()..]);
        trial.translations[0] += shift.as_vec3();
    }
}

#[derive(Clone, Copy)]
enum Part {
    Position(Vec3, f64),
    Rotation(Quat, f64),
}

/// The parts of all usable goals, each worth three rows.
fn parts<'a>(goals: &'a [Goal], skeleton: &'a Skeleton) -> impl Iterator<Item = (&'a Goal, Part)> {
    goals.iter().filter(|goal| goal.joint.idx() < skeleton.n_joints()).flat_map(|goal| {
        let weight = |weight: f32| f64::from(weight.max(0.0));
        let position = (goal.position.filter(|position| position.is_finite() && goal.point.is_finite()))
            .map(|position| Part::Position(position, weight(goal.position_weight)));
        let rotation = (goal.rotation.filter(|rotation| rotation.is_normalized()))
            .map(|rotation| Part::Rotation(rotation, weight(goal.rotation_weight)));
        [position, rotation].into_iter().flatten().map(move |part| (goal, part))
    })
}

fn clamp_to_limits(skeleton: &Skeleton, limits: &[Limit], pose: &mut Pose) {
    for limit in limits.iter().filter(|limit| limit.joint.idx() < skeleton.n_joints()) {
        let rest = skeleton.joint(limit.joint).rest_rotation;
        let rotation = &mut pose.rotations[limit.joint.idx()];
        let (swing, twist) = swing_twist(rest.inverse() * *rotation, limit.axis);
        let swing = rotation_vector_from_quat(swing).clamp_length_max(limit.swing.max(0.0));
        let [least, greatest] = limit.twist;
        let twist = rotation_vector_from_quat(twist).dot(limit.axis).max(least).min(greatest);
        *rotation = (rest * quat_from_rotation_vector(swing) * quat_from_rotation_vector(limit.axis * twist))
            .normalize();
    }
}

fn cross_matrix(v: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, v.z, -v.y), DVec3::new(-v.z, 0.0, v.x), DVec3::new(v.y, -v.x, 0.0))
}

fn dquat_from_rotation_vector(rotation: DVec3) -> DQuat {
    let angle = rotation.length();
    let scale = if angle < 1e-12 { 0.5 } else { libm::sin(0.5 * angle) / angle };
    let v = rotation * scale;
    DQuat::from_xyzw(v.x, v.y, v.z, libm::cos(0.5 * angle))
}

/// Solves a symmetric positive definite system in place, given the lower triangle.
fn solve_cholesky(matrix: &mut [f64], x: &mut [f64]) {
    let n = x.len();
    for i in 0..n {
        for j in 0..=i {
            let dot: f64 = (0..j).map(|k| matrix[i * n + k] * matrix[j * n + k]).sum();
            let rest = matrix[i * n + j] - dot;
            // The damping keeps the diagonal positive; the floor is for rounding alone.
            matrix[i * n + j] = if i == j { rest.max(1e-18).sqrt() } else { rest / matrix[j * n + j] };
        }
    }
    for i in 0..n {
        let dot: f64 = (0..i).map(|k| matrix[i * n + k] * x[k]).sum();
        x[i] = (x[i] - dot) / matrix[i * n + i];
    }
    for i in (0..n).rev() {
        let dot: f64 = (i + 1..n).map(|k| matrix[k * n + i] * x[k]).sum();
        x[i] = (x[i] - dot) / matrix[i * n + i];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Build;
    use crate::bone::Bone;

    fn bent(skeleton: &Skeleton, amount: f32) -> Pose {
        let mut pose = skeleton.rest_pose();
        for (joint_idx, rotation) in pose.rotations.iter_mut().enumerate() {
            let k = joint_idx as f32;
            let turn = Vec3::new(libm::sinf(3.0 * k), libm::cosf(k), libm::sinf(k + 1.0));
            *rotation *= quat_from_rotation_vector(turn * amount);
        }
        pose.translations[0] += Vec3::new(0.1, -0.05, 0.2) * amount;
        pose
    }

    fn goals_of(skeleton: &Skeleton, pose: &Pose) -> Vec<Goal> {
        let globals = skeleton.global_pose(pose.view());
        [Bone::LeftHand, Bone::RightHand, Bone::LeftFoot, Bone::RightFoot, Bone::Head]
            .map(|bone| {
                let joint = skeleton.bone(bone).unwrap();
                Goal::position(joint, globals.positions[joint.idx()])
                    .with_rotation(globals.rotations[joint.idx()])
            })
            .to_vec()
    }

    #[test]
    fn the_jacobian_agrees_with_finite_differences() {
        let skeleton = Build::AVERAGE.skeleton();
        let pose = bent(&skeleton, 0.4);
        let mut goals = goals_of(&skeleton, &bent(&skeleton, 0.5));
        goals[0].point = Vec3::new(0.1, 0.02, -0.03);
        let mut solver = Solver::default();
        solver.find_columns(&skeleton, &goals, &Settings::default());
        solver.measure(&skeleton, &goals, &pose);
        solver.find_jacobian(&skeleton, &goals);
        let width = 3 * solver.columns.len() + 3;
        let (jacobian, n_rows) = (solver.jacobian.clone(), solver.error.len());
        // Small enough for the rotation error to be linear in the turn, large enough for f32.
        let h = 4e-3;
        for at in 0..width {
            let mut sides = [1.0, -1.0].map(|sign| {
                solver.step.clear();
                solver.step.resize(width, 0.0);
                solver.step[at] = sign * h;
                let mut trial = Pose::default();
                solver.take_step(&skeleton, &pose, &mut trial);
                solver.measure(&skeleton, &goals, &trial);
                solver.error.clone()
            });
            let [plus, minus] = &mut sides;
            for row in 0..n_rows {
                // Errors shrink as goals come nearer.
                let slope = -(plus[row] - minus[row]) / (2.0 * h);
                let found = jacobian[row * width + at];
                // Rotation rows are exact only where the error is small: 0.1 rad here.
                assert!((slope - found).abs() < 0.05, "row {row}, column {at}: {found} {slope}");
                if row % 6 < 3 {
                    assert!((slope - found).abs() < 1e-3, "row {row}, column {at}: {found} {slope}");
                }
            }
        }
    }

    #[test]
    fn poses_are_found_from_their_end_effectors() {
        let skeleton = Build::AVERAGE.skeleton();
        for amount in [0.1, 0.3, 0.6] {
            let goals = goals_of(&skeleton, &bent(&skeleton, amount));
            let mut pose = skeleton.rest_pose();
            let settings = Settings { max_iterations: 200, root_mobility: 1.0, ..Settings::default() };
            let outcome = Solver::default().solve(&skeleton, &goals, &settings, &mut pose);
            assert_eq!(outcome.status, Status::Reached, "{outcome:?}");
            let globals = skeleton.global_pose(pose.view());
            for goal in &goals {
                assert!(globals.positions[goal.joint.idx()].distance(goal.position.unwrap()) < 1e-3);
            }
        }
    }

    #[test]
    fn what_cannot_be_reached_is_approached() {
        let skeleton = Build::AVERAGE.skeleton();
        let hand = skeleton.bone(Bone::LeftHand).unwrap();
        let mut pose = skeleton.rest_pose();
        let goals = [Goal::position(hand, Vec3::new(3.0, 1.4, 0.0))];
        let settings = Settings { max_iterations: 500, ..Settings::default() };
        let outcome = Solver::default().solve(&skeleton, &goals, &settings, &mut pose);
        assert_ne!(outcome.status, Status::Reached);
        let globals = skeleton.global_pose(pose.view());
        let reach = (globals.positions[hand.idx()] - globals.positions[0]).normalize();
        assert!(reach.dot((Vec3::new(3.0, 1.4, 0.0) - globals.positions[0]).normalize()) > 0.999);
        assert!(pose.rotations.iter().all(|rotation| rotation.is_normalized()));
    }

    #[test]
    fn limits_and_fixed_joints_hold() {
        let skeleton = Build::AVERAGE.skeleton();
        let [hand, elbow, shoulder] =
            [Bone::LeftHand, Bone::LeftLowerArm, Bone::LeftUpperArm].map(|bone| skeleton.bone(bone).unwrap());
        let mut mobility = vec![0.0; skeleton.n_joints()];
        mobility[elbow.idx()] = 1.0;
        mobility[shoulder.idx()] = 1.0;
        let limit = Limit { joint: elbow, axis: Vec3::X, swing: 0.5, twist: [-0.1, 0.1] };
        let settings = Settings { mobility, limits: vec![limit], max_iterations: 100, ..Settings::default() };
        let mut pose = skeleton.rest_pose();
        let goals = [Goal::position(hand, Vec3::new(0.1, 1.5, 0.3))];
        Solver::default().solve(&skeleton, &goals, &settings, &mut pose);
        let (swing, twist) = swing_twist(pose.rotations[elbow.idx()], Vec3::X);
        assert!(rotation_vector_from_quat(swing).length() < 0.5 + 1e-3);
        assert!(rotation_vector_from_quat(twist).length() < 0.1 + 1e-3);
        for id in skeleton.ids().filter(|id| *id != elbow && *id != shoulder) {
            assert_eq!(pose.rotations[id.idx()], skeleton.joint(id).rest_rotation);
        }
        assert_eq!(pose.translations, skeleton.rest_pose().translations);
    }

    #[test]
    fn the_same_question_has_the_same_answer() {
        let skeleton = Build::AVERAGE.skeleton();
        let goals = goals_of(&skeleton, &bent(&skeleton, 0.3));
        let mut solver = Solver::default();
        let mut answers = [skeleton.rest_pose(), skeleton.rest_pose()];
        for pose in &mut answers {
            solver.solve(&skeleton, &goals, &Settings::default(), pose);
        }
        assert_eq!(answers[0], answers[1]);
    }

    #[test]
    fn nonsense_goals_are_passed_over() {
        let skeleton = Build::AVERAGE.skeleton();
        let mut pose = skeleton.rest_pose();
        let goals = [
            Goal::position(JointId(999), Vec3::ZERO),
            Goal::position(JointId(3), Vec3::NAN),
            Goal { position: None, ..Goal::position(JointId(3), Vec3::ZERO) },
        ];
        let outcome = Solver::default().solve(&skeleton, &goals, &Settings::default(), &mut pose);
        assert_eq!((outcome.status, &pose), (Status::Reached, &skeleton.rest_pose()));
    }
}
