//! How people go at a speed: rhythm, posture and swing of walking and running.

/// Everything about the manner of one step. Lengths are shares of the stature unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Gait {
    /// From this strike to the next (s).
    pub(crate) period: f32,
    /// How long the foot that strikes was in the air before (s).
    pub(crate) swing: f32,
    /// Height of the hips at touch-down in a run, on average in a walk; relative to standing upright (-).
    pub(crate) level: f32,
    /// How far the hips rise above and sink below that in a walk.
    pub(crate) bob: f32,
    /// Share of its stance after which the body passes over the foot.
    pub(crate) passing: f32,
    /// How far from the middle the feet come down to either side.
    pub(crate) width: f32,
    /// How far feet point outwards (rad).
    pub(crate) toe_out: f32,
    /// How far the toes are up when the foot comes down (rad).
    pub(crate) landing: f32,
    /// How far the heel is up when the ball leaves the floor (rad).
    pub(crate) push: f32,
    /// How far the foot is pitched, toes down, when it is folded up behind (rad).
    pub(crate) fold: f32,
    /// How high the ball is carried then.
    pub(crate) fold_height: f32,
    /// How high the ball is when the foot passes forward.
    pub(crate) pass_height: f32,
    /// How much sooner than usual a foot in the air comes forward, 0 to 1.
    pub(crate) haste: f32,
    /// How far the pelvis turns to either side with the legs (rad).
    pub(crate) hip_turn: f32,
    /// How far the chest turns the other way (rad).
    pub(crate) chest_turn: f32,
    /// How far the swinging side of the pelvis drops (rad).
    pub(crate) hip_drop: f32,
    /// How far the hips shift over the foot that carries.
    pub(crate) shift: f32,
    /// How far pelvis and chest are bent forward (rad).
    pub(crate) lean: f32,
    /// How far the hips get ahead and fall behind with every step.
    pub(crate) surge: f32,
    /// How far upper arms swing to either side of their middle (rad).
    pub(crate) arm_swing: f32,
    /// Where that middle is, forward of hanging down (rad).
    pub(crate) arm_middle: f32,
    /// How far elbows are bent (rad).
    pub(crate) elbow: f32,
    /// How much of the elbow's bend comes and goes with the swing (rad).
    pub(crate) elbow_swing: f32,
}

/// Standing about, feet under the hips.
pub(crate) const STAND: Gait = Gait {
    period: 0.5,
    swing: 0.36,
    level: 0.982,
    bob: 0.0,
    passing: 0.5,
    width: 0.055,
    toe_out: 0.12,
    landing: 0.02,
    push: 0.35,
    fold: 0.45,
    fold_height: 0.03,
    pass_height: 0.018,
    haste: 0.0,
    hip_turn: 0.0,
    chest_turn: 0.0,
    hip_drop: 0.0,
    shift: 0.012,
    lean: 0.02,
    surge: 0.0,
    arm_swing: 0.0,
    arm_middle: 0.02,
    elbow: 0.30,
    elbow_swing: 0.0,
};

/// A walk at 1.35 m/s.
const WALK: Gait = Gait {
    period: 0.54,
    swing: 0.415,
    level: 0.970,
    bob: 0.0105,
    passing: 0.5,
    width: 0.03,
    toe_out: 0.10,
    landing: 0.36,
    push: 0.95,
    fold: 1.12,
    fold_height: 0.04,
    pass_height: 0.012,
    haste: 0.0,
    hip_turn: 0.085,
    chest_turn: 0.09,
    hip_drop: 0.06,
    shift: 0.013,
    lean: 0.06,
    surge: 0.006,
    arm_swing: 0.27,
    arm_middle: 0.0,
    elbow: 0.42,
    elbow_swing: 0.14,
};

/// A jog at 2.5 m/s.
const JOG: Gait = Gait {
    period: 0.35,
    swing: 0.53,
    level: 0.95,
    bob: 0.0,
    passing: 0.42,
    width: 0.022,
    toe_out: 0.06,
    landing: 0.10,
    push: 1.05,
    fold: 1.25,
    fold_height: 0.075,
    pass_height: 0.045,
    haste: 0.0,
    hip_turn: 0.075,
    chest_turn: 0.13,
    hip_drop: 0.06,
    shift: 0.006,
    lean: 0.21,
    surge: 0.005,
    arm_swing: 0.40,
    arm_middle: -0.45,
    elbow: 1.72,
    elbow_swing: 0.16,
};

/// A fast run at 5 m/s.
const RUN: Gait = Gait {
    period: 0.285,
    swing: 0.435,
    level: 0.945,
    bob: 0.0,
    passing: 0.38,
    width: 0.012,
    toe_out: 0.04,
    landing: 0.06,
    push: 1.15,
    fold: 1.75,
    fold_height: 0.15,
    pass_height: 0.08,
    haste: 0.0,
    hip_turn: 0.11,
    chest_turn: 0.20,
    hip_drop: 0.07,
    shift: 0.004,
    lean: 0.32,
    surge: 0.004,
    arm_swing: 0.58,
    arm_middle: -0.48,
    elbow: 1.75,
    elbow_swing: 0.28,
};

const WALK_SPEED: f32 = 1.35;
const JOG_SPEED: f32 = 2.5;
const RUN_SPEED: f32 = 5.0;

impl Gait {
    /// A walk (m/s), for somebody of a stature (m).
    pub(crate) fn walk(speed: f32, stature: f32) -> Gait {
        // People who walk slower take shorter and fewer steps alike.
        let slow = (speed / WALK_SPEED).clamp(0.0, 1.5);
        let mut gait = STAND.towards(&WALK, slow.min(1.15));
        let rate = libm::sqrtf(slow.max(0.3));
        gait.period = WALK.period / rate;
        gait.swing = WALK.swing / libm::sqrtf(rate);
        gait.paced_for(stature)
    }

    /// A jog or run (m/s), for somebody of a stature (m).
    pub(crate) fn run(speed: f32, stature: f32) -> Gait {
        let share = (speed - JOG_SPEED) / (RUN_SPEED - JOG_SPEED);
        JOG.towards(&RUN, share.clamp(-0.4, 1.4)).paced_for(stature)
    }

    /// Low and quick on the feet, facing ahead while going aside or back.
    pub(crate) fn shuffle(stature: f32) -> Gait {
        Gait {
            period: 0.30,
            swing: 0.24,
            level: 0.90,
            width: 0.125,
            push: 0.5,
            fold: 0.5,
            fold_height: 0.035,
            pass_height: 0.03,
            lean: 0.22,
            arm_swing: 0.14,
            chest_turn: 0.05,
            arm_middle: 0.25,
            elbow: 1.25,
            ..STAND
        }
        .paced_for(stature)
    }

    /// The gait a share of the way to another.
    pub(crate) fn towards(&self, other: &Gait, share: f32) -> Gait {
        let mix = |a: f32, b: f32| a + share * (b - a);
        Gait {
            period: mix(self.period, other.period),
            swing: mix(self.swing, other.swing),
            level: mix(self.level, other.level),
            bob: mix(self.bob, other.bob),
            passing: mix(self.passing, other.passing),
            width: mix(self.width, other.width),
            toe_out: mix(self.toe_out, other.toe_out),
            landing: mix(self.landing, other.landing),
            push: mix(self.push, other.push),
            fold: mix(self.fold, other.fold),
            fold_height: mix(self.fold_height, other.fold_height),
            pass_height: mix(self.pass_height, other.pass_height),
            haste: mix(self.haste, other.haste),
            hip_turn: mix(self.hip_turn, other.hip_turn),
            chest_turn: mix(self.chest_turn, other.chest_turn),
            hip_drop: mix(self.hip_drop, other.hip_drop),
            shift: mix(self.shift, other.shift),
            lean: mix(self.lean, other.lean),
            surge: mix(self.surge, other.surge),
            arm_swing: mix(self.arm_swing, other.arm_swing),
            arm_middle: mix(self.arm_middle, other.arm_middle),
            elbow: mix(self.elbow, other.elbow),
            elbow_swing: mix(self.elbow_swing, other.elbow_swing),
        }
    }

    /// Long legs swing slower, as pendulums do.
    pub(crate) fn paced_for(mut self, stature: f32) -> Gait {
        let pace = libm::sqrtf(stature / 1.75);
        self.period *= pace;
        self.swing *= pace;
        self
    }
}
