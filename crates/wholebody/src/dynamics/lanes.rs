//! Four numbers at a time: what the algorithms of this module compute with.
//!
//! A vector of space fills three of the four lanes, a column of a homogeneous matrix all. Every lane is computed by
//! the same operations in the same order on every machine, and nothing is fused: the bits do not depend on the
//! machine. It knows no mechanics.

use std::ops::{Add, Mul, Sub};

use glam::DVec3;

/// Four numbers in memory; of a vector in space the last one is zero, of a point one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub(crate) struct Four(pub(crate) [f64; 4]);

impl Four {
    pub(crate) const ZERO: Four = Four([0.0; 4]);

    pub(crate) const fn new(v: DVec3, last: f64) -> Four {
        Four([v.x, v.y, v.z, last])
    }

    /// The first three.
    #[inline(always)]
    pub(crate) fn xyz(&self) -> DVec3 {
        DVec3::new(self.0[0], self.0[1], self.0[2])
    }
}

/// Four numbers in a register.
pub(super) trait Lanes: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    /// Proof that the machine has such registers.
    type Machine: Copy;

    /// From memory.
    fn load(machine: Self::Machine, from: &Four) -> Self;

    /// To memory.
    fn store(self) -> Four;

    /// Every lane times one number.
    fn scaled(self, factor: f64) -> Self;

    /// `y z x w`.
    fn yzx(self) -> Self;

    /// Cross product of vectors in space; zero in the last lane if both were finite.
    #[inline(always)]
    fn cross(self, other: Self) -> Self {
        (self * other.yzx() - self.yzx() * other).yzx()
    }
}

/// For every machine.
#[derive(Clone, Copy)]
pub(super) struct Plain([f64; 4]);

impl Add for Plain {
    type Output = Plain;

    #[inline(always)]
    fn add(self, Plain(b): Plain) -> Plain {
        let a = self.0;
        Plain([a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]])
    }
}

impl Sub for Plain {
    type Output = Plain;

    #[inline(always)]
    fn sub(self, Plain(b): Plain) -> Plain {
        let a = self.0;
        Plain([a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3]])
    }
}

impl Mul for Plain {
    type Output = Plain;

    #[inline(always)]
    fn mul(self, Plain(b): Plain) -> Plain {
        let a = self.0;
        Plain([a[0] * b[0], a[1] * b[1], a[2] * b[2], a[3] * b[3]])
    }
}

impl Lanes for Plain {
    type Machine = ();

    #[inline(always)]
    fn load((): (), from: &Four) -> Plain {
        Plain(from.0)
    }

    #[inline(always)]
    fn store(self) -> Four {
        Four(self.0)
    }

    #[inline(always)]
    fn scaled(self, factor: f64) -> Plain {
        self * Plain([factor; 4])
    }

    #[inline(always)]
    fn yzx(self) -> Plain {
        let [x, y, z, w] = self.0;
        Plain([y, z, x, w])
    }
}

/// Work that is written once for all machines. `run` and all it calls must be `#[inline(always)]`, so closures are
/// out: a function of its own would be compiled for the narrowest registers.
pub(super) trait Algorithm: Sized {
    fn run<L: Lanes>(self, machine: L::Machine);

    /// Runs it with the best registers this machine has.
    #[inline(always)]
    fn run_here(self) {
        #[cfg(target_arch = "x86_64")]
        if let Some(machine) = pulp::x86::V3::try_new() {
            wide::run(machine, self);
            return;
        }
        self.run::<Plain>(());
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) mod wide {
    //! Registers of 256 bits.

    use std::arch::x86_64::__m256d;
    use std::ops::{Add, Mul, Sub};

    use pulp::x86::V3;
    use pulp::{Simd, WithSimd};

    use super::{Algorithm, Four, Lanes};

    /// One register.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Wide(V3, __m256d);

    impl Add for Wide {
        type Output = Wide;

        #[inline(always)]
        fn add(self, other: Wide) -> Wide {
            Wide(self.0, self.0.avx._mm256_add_pd(self.1, other.1))
        }
    }

    impl Sub for Wide {
        type Output = Wide;

        #[inline(always)]
        fn sub(self, other: Wide) -> Wide {
            Wide(self.0, self.0.avx._mm256_sub_pd(self.1, other.1))
        }
    }

    impl Mul for Wide {
        type Output = Wide;

        #[inline(always)]
        fn mul(self, other: Wide) -> Wide {
            Wide(self.0, self.0.avx._mm256_mul_pd(self.1, other.1))
        }
    }

    impl Lanes for Wide {
        type Machine = V3;

        #[inline(always)]
        fn load(machine: V3, from: &Four) -> Wide {
            Wide(machine, pulp::cast(from.0))
        }

        #[inline(always)]
        fn store(self) -> Four {
            Four(pulp::cast(self.1))
        }

        #[inline(always)]
        fn scaled(self, factor: f64) -> Wide {
            Wide(self.0, self.0.avx._mm256_mul_pd(self.1, self.0.avx._mm256_set1_pd(factor)))
        }

        #[inline(always)]
        fn yzx(self) -> Wide {
            // Two bits for each lane, from the last to the first: w x z y.
            Wide(self.0, self.0.avx2._mm256_permute4x64_pd::<0b11_00_10_01>(self.1))
        }
    }

    /// Runs an algorithm with them.
    #[inline(always)]
    pub(in super::super) fn run(machine: V3, algorithm: impl Algorithm) {
        struct Work<A>(V3, A);
        impl<A: Algorithm> WithSimd for Work<A> {
            type Output = ();

            #[inline(always)]
            fn with_simd<S: Simd>(self, _: S) {
                self.1.run::<Wide>(self.0);
            }
        }
        Simd::vectorize(machine, Work(machine, algorithm));
    }
}
