//! Poses, motions, forces and masses in four lanes.
//!
//! In memory they are groups of [`Four`], in registers the same with a [`Lanes`] for each. All are in world axes about
//! the reference point, except what a name says otherwise.

use glam::{DMat3, DVec3};

use super::lanes::{Four, Lanes};
use crate::spatial::{Force, Inertia, Motion, Pose, Symmetric};

/// A placement: columns of the rotation, and the origin, whose last lane is one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PoseFours {
    pub(super) axes: [Four; 3],
    pub(super) origin: Four,
}

impl PoseFours {
    pub(super) const IDENTITY: PoseFours = PoseFours {
        axes: [Four::new(DVec3::X, 0.0), Four::new(DVec3::Y, 0.0), Four::new(DVec3::Z, 0.0)],
        origin: Four::new(DVec3::ZERO, 1.0),
    };

    pub(super) fn to_pose(self) -> Pose {
        let [x, y, z] = self.axes.map(|axis| axis.xyz());
        Pose { rotation: DMat3::from_cols(x, y, z), translation: self.origin.xyz() }
    }
}

/// A placement in registers.
#[derive(Clone, Copy)]
pub(super) struct PoseLanes<L> {
    pub(super) x: L,
    pub(super) y: L,
    pub(super) z: L,
    pub(super) origin: L,
}

impl<L: Lanes> PoseLanes<L> {
    #[inline(always)]
    pub(super) fn load(machine: L::Machine, from: &PoseFours) -> PoseLanes<L> {
        let [x, y, z] = &from.axes;
        PoseLanes {
            x: L::load(machine, x),
            y: L::load(machine, y),
            z: L::load(machine, z),
            origin: L::load(machine, &from.origin),
        }
    }

    #[inline(always)]
    pub(super) fn store(self) -> PoseFours {
        PoseFours { axes: [self.x.store(), self.y.store(), self.z.store()], origin: self.origin.store() }
    }

    /// A vector given in the placed frame.
    #[inline(always)]
    pub(super) fn vector(self, v: DVec3) -> L {
        self.x.scaled(v.x) + self.y.scaled(v.y) + self.z.scaled(v.z)
    }

    /// A point given in the placed frame.
    #[inline(always)]
    pub(super) fn point(self, point: DVec3) -> L {
        self.vector(point) + self.origin
    }

    /// Turned by a rotation of the placed frame.
    #[inline(always)]
    pub(super) fn rotated(self, rotation: &DMat3) -> PoseLanes<L> {
        PoseLanes {
            x: self.vector(rotation.x_axis),
            y: self.vector(rotation.y_axis),
            z: self.vector(rotation.z_axis),
            origin: self.origin,
        }
    }

    /// Turned about its own z axis.
    #[inline(always)]
    pub(super) fn turned(self, cosine: f64, sine: f64) -> PoseLanes<L> {
        PoseLanes {
            x: self.x.scaled(cosine) + self.y.scaled(sine),
            y: self.y.scaled(cosine) - self.x.scaled(sine),
            ..self
        }
    }

    /// The frame placed in the placed frame.
    #[inline(always)]
    pub(super) fn then(self, child: &Pose) -> PoseLanes<L> {
        PoseLanes { origin: self.point(child.translation), ..self.rotated(&child.rotation) }
    }

    /// Motion of everything about an axis through the origin, at unit rate.
    #[inline(always)]
    pub(super) fn about(self, axis: L) -> MotionFours {
        MotionFours { linear: self.origin.cross(axis).store(), angular: axis.store() }
    }
}

/// A velocity or an acceleration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MotionFours {
    pub(super) linear: Four,
    pub(super) angular: Four,
}

impl MotionFours {
    pub(super) const ZERO: MotionFours = MotionFours { linear: Four::ZERO, angular: Four::ZERO };

    pub(super) fn to_motion(self) -> Motion {
        Motion { linear: self.linear.xyz(), angular: self.angular.xyz() }
    }
}

/// A velocity or an acceleration in registers.
#[derive(Clone, Copy)]
pub(super) struct MotionLanes<L> {
    pub(super) linear: L,
    pub(super) angular: L,
}

impl<L: Lanes> MotionLanes<L> {
    #[inline(always)]
    pub(super) fn load(machine: L::Machine, from: &MotionFours) -> MotionLanes<L> {
        MotionLanes { linear: L::load(machine, &from.linear), angular: L::load(machine, &from.angular) }
    }

    #[inline(always)]
    pub(super) fn store(self) -> MotionFours {
        MotionFours { linear: self.linear.store(), angular: self.angular.store() }
    }

    #[inline(always)]
    pub(super) fn plus(self, other: MotionLanes<L>) -> MotionLanes<L> {
        MotionLanes { linear: self.linear + other.linear, angular: self.angular + other.angular }
    }

    #[inline(always)]
    pub(super) fn times(self, factor: f64) -> MotionLanes<L> {
        MotionLanes { linear: self.linear.scaled(factor), angular: self.angular.scaled(factor) }
    }

    /// The rate of change of `other` when it is carried along by `self`.
    #[inline(always)]
    pub(super) fn cross(self, other: MotionLanes<L>) -> MotionLanes<L> {
        let (linear, angular) = (self.linear.yzx(), self.angular.yzx());
        let (other_linear, other_angular) = (other.linear.yzx(), other.angular.yzx());
        let turned = (self.angular * other_linear - angular * other.linear)
            + (self.linear * other_angular - linear * other.angular);
        MotionLanes {
            linear: turned.yzx(),
            angular: (self.angular * other_angular - angular * other.angular).yzx(),
        }
    }

    /// The same for a force.
    #[inline(always)]
    pub(super) fn cross_force(self, force: ForceLanes<L>) -> ForceLanes<L> {
        let (linear, angular) = (self.linear.yzx(), self.angular.yzx());
        let (force_linear, force_angular) = (force.linear.yzx(), force.angular.yzx());
        let turned = (self.angular * force_angular - angular * force.angular)
            + (self.linear * force_linear - linear * force.linear);
        ForceLanes {
            linear: (self.angular * force_linear - angular * force.linear).yzx(),
            angular: turned.yzx(),
        }
    }

    /// Power of a force on this motion.
    #[inline(always)]
    pub(super) fn dot(self, force: ForceLanes<L>) -> f64 {
        let [x, y, z, _] = (self.linear * force.linear + self.angular * force.angular).store().0;
        x + y + z
    }
}

/// A force and the moment about the reference point, or a momentum; the last lane of the moment has no meaning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ForceFours {
    pub(super) linear: Four,
    pub(super) angular: Four,
}

impl ForceFours {
    pub(super) const ZERO: ForceFours = ForceFours { linear: Four::ZERO, angular: Four::ZERO };

    pub(super) fn to_force(self) -> Force {
        Force { linear: self.linear.xyz(), angular: self.angular.xyz() }
    }
}

/// A force or a momentum in registers.
#[derive(Clone, Copy)]
pub(super) struct ForceLanes<L> {
    pub(super) linear: L,
    pub(super) angular: L,
}

impl<L: Lanes> ForceLanes<L> {
    #[inline(always)]
    pub(super) fn load(machine: L::Machine, from: &ForceFours) -> ForceLanes<L> {
        ForceLanes { linear: L::load(machine, &from.linear), angular: L::load(machine, &from.angular) }
    }

    #[inline(always)]
    pub(super) fn store(self) -> ForceFours {
        ForceFours { linear: self.linear.store(), angular: self.angular.store() }
    }

    #[inline(always)]
    pub(super) fn plus(self, other: ForceLanes<L>) -> ForceLanes<L> {
        ForceLanes { linear: self.linear + other.linear, angular: self.angular + other.angular }
    }
}

/// How mass is distributed: the sum of `m p pᵀ` over all its points, `p = (x, y, z, 1)`. Its last column is the mass
/// times its centre, and the mass; masses of several bodies add, and a pose on both sides carries it to another frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct MassFours {
    columns: [Four; 4],
}

impl MassFours {
    pub(crate) const ZERO: MassFours = MassFours { columns: [Four::ZERO; 4] };

    /// Of a body, about the origin of the frame it is given in.
    pub(crate) fn of(inertia: &Inertia) -> MassFours {
        let Symmetric { diagonal, off } = inertia.about_center;
        let (mass, center) = (inertia.mass, inertia.center);
        let moment = center * mass;
        // An inertia is `tr(S) 1 - S` of the second moments S; its trace is twice theirs.
        let half_trace = 0.5 * (diagonal.x + diagonal.y + diagonal.z);
        let x = DVec3::new(half_trace - diagonal.x, -off.z, -off.y) + moment * center.x;
        let y = DVec3::new(-off.z, half_trace - diagonal.y, -off.x) + moment * center.y;
        let z = DVec3::new(-off.y, -off.x, half_trace - diagonal.z) + moment * center.z;
        let columns =
            [Four::new(x, moment.x), Four::new(y, moment.y), Four::new(z, moment.z), Four::new(moment, mass)];
        MassFours { columns }
    }

    /// Mass times its centre (kg m).
    pub(super) fn moment(&self) -> DVec3 {
        self.columns[3].xyz()
    }

    /// Of a body given in the frame of `pose`.
    #[inline(always)]
    pub(super) fn placed<L: Lanes>(&self, machine: L::Machine, pose: &PoseFours) -> MassFours {
        let PoseLanes { x, y, z, origin } = PoseLanes::<L>::load(machine, pose);
        let [a, b, c, d] = &self.columns;
        let axes = [x, y, z, origin];
        let half = [combined(axes, a.0), combined(axes, b.0), combined(axes, c.0), combined(axes, d.0)];
        let [x, y, z] = &pose.axes;
        let origin = &pose.origin;
        let columns = [
            combined(half, [x.0[0], y.0[0], z.0[0], origin.0[0]]).store(),
            combined(half, [x.0[1], y.0[1], z.0[1], origin.0[1]]).store(),
            combined(half, [x.0[2], y.0[2], z.0[2], origin.0[2]]).store(),
            half[3].store(),
        ];
        MassFours { columns }
    }

    #[inline(always)]
    pub(super) fn plus<L: Lanes>(&self, machine: L::Machine, other: &MassFours) -> MassFours {
        let mut sum = *self;
        for k in 0..4 {
            let column = L::load(machine, &self.columns[k]) + L::load(machine, &other.columns[k]);
            sum.columns[k] = column.store();
        }
        sum
    }

    /// Momentum at a velocity, or force for an acceleration.
    #[inline(always)]
    pub(super) fn times<L: Lanes>(&self, machine: L::Machine, motion: &MotionFours) -> ForceLanes<L> {
        let [x, y, z, last] = &self.columns;
        let moment = L::load(machine, last);
        let MotionLanes { linear, angular } = MotionLanes::<L>::load(machine, motion);
        let [turn_x, turn_y, turn_z, _] = motion.angular.0;
        let second = L::load(machine, x).scaled(turn_x)
            + L::load(machine, y).scaled(turn_y)
            + L::load(machine, z).scaled(turn_z);
        let trace = x.0[0] + y.0[1] + z.0[2];
        let (moment_yzx, linear_yzx, angular_yzx) = (moment.yzx(), linear.yzx(), angular.yzx());
        ForceLanes {
            linear: linear.scaled(last.0[3]) + (angular * moment_yzx - angular_yzx * moment).yzx(),
            angular: (angular.scaled(trace) - second) + (moment * linear_yzx - moment_yzx * linear).yzx(),
        }
    }
}

/// `Σ factor column`.
#[inline(always)]
fn combined<L: Lanes>(columns: [L; 4], factors: [f64; 4]) -> L {
    let [x, y, z, w] = columns;
    let [a, b, c, d] = factors;
    (x.scaled(a) + y.scaled(b)) + (z.scaled(c) + w.scaled(d))
}
