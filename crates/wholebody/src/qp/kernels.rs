//! Dense kernels: partial factorisation of a symmetric matrix, triangular solves.
//!
//! They run with the widest vectors of the machine (through `pulp`), but every element is computed by the
//! same operations in the same order whatever the width, and nothing is fused: the bits do not depend on
//! the machine. Matrices are column-major, lower triangle; column `j` starts at `j * stride`.

use pulp::{Arch, Simd, WithSimd};

/// A pivot below this share of what its diagonal was is a dependent row.
pub const DEPENDENT: f64 = 1e-11;

/// Runs loops with wide vectors, of four numbers where the machine has them. The work must be marked
/// `#[inline(always)]`, and all it calls.
///
/// `FnMut` and not `FnOnce`: a call by value goes through a shim that is compiled for the narrowest vectors.
#[inline(always)]
pub(super) fn with_vectors<R>(work: impl FnMut() -> R) -> R {
    struct Work<F>(F);
    impl<R, F: FnMut() -> R> WithSimd for Work<F> {
        type Output = R;

        #[inline(always)]
        fn with_simd<S: Simd>(mut self, _: S) -> R {
            (self.0)()
        }
    }
    dispatch_short(Work(work))
}

/// Runs work on rows that are short: with vectors of eight, most of them would be the rest that no vector holds.
#[inline(always)]
fn dispatch_short<W: WithSimd>(work: W) -> W::Output {
    let arch = Arch::new();
    #[cfg(target_arch = "x86_64")]
    if let Arch::V4(simd) = arch {
        return Simd::vectorize(*simd, work);
    }
    arch.dispatch(work)
}

/// The rows of the [`PANEL`] columns from `e` on.
///
/// An array written out: what `from_fn` and `map` make is not inlined here, nor compiled for wide vectors.
#[inline(always)]
fn columns_at(a: &[f64], stride: usize, n: usize, e: usize) -> [&[f64]; PANEL] {
    let column = |p: usize| &a[(e + p) * stride..(e + p) * stride + n];
    [column(0), column(1), column(2), column(3)]
}

/// Solves with the first `count` columns of a unit lower factor of `n` rows (column-major), in place: what they add
/// to the other rows is taken off there.
#[inline(always)]
pub(super) fn substitute_forward(a: &[f64], stride: usize, n: usize, count: usize, x: &mut [f64]) {
    let x = &mut x[..n];
    let mut e = 0;
    while e + PANEL <= count {
        let columns = columns_at(a, stride, n, e);
        let mut v = [x[e], x[e + 1], x[e + 2], x[e + 3]];
        for p in 0..PANEL {
            for r in p + 1..PANEL {
                v[r] -= columns[p][e + r] * v[p];
            }
        }
        x[e..e + PANEL].copy_from_slice(&v);
        if v != [0.0; PANEL] {
            let rest = &mut x[e + PANEL..];
            let below = |p: usize| &columns[p][e + PANEL..][..rest.len()];
            let (l0, l1, l2, l3) = (below(0), below(1), below(2), below(3));
            for (i, x) in rest.iter_mut().enumerate() {
                *x -= (l0[i] * v[0] + l1[i] * v[1]) + (l2[i] * v[2] + l3[i] * v[3]);
            }
        }
        e += PANEL;
    }
    for e in e..count {
        let (value, rest) = (x[e], &mut x[e + 1..]);
        axpy(-value, &a[e * stride + e + 1..e * stride + n], rest);
    }
}

/// Solves with the transposed first `count` columns of a unit lower factor of `n` rows, in place, given the other
/// unknowns.
#[inline(always)]
pub(super) fn substitute_backward(a: &[f64], stride: usize, n: usize, count: usize, x: &mut [f64]) {
    let x = &mut x[..n];
    let mut e = count;
    while !e.is_multiple_of(PANEL) {
        e -= 1;
        x[e] -= dot(&a[e * stride + e + 1..e * stride + n], &x[e + 1..]);
    }
    while e >= PANEL {
        e -= PANEL;
        let columns = columns_at(a, stride, n, e);
        let (own, rest) = x[e..].split_at_mut(PANEL);
        let below = |p: usize| &columns[p][e + PANEL..];
        let sums = dot_four([below(0), below(1), below(2), below(3)], rest);
        for p in (0..PANEL).rev() {
            let inside: f64 = (p + 1..PANEL).map(|r| columns[p][e + r] * own[r]).sum();
            own[p] -= sums[p] + inside;
        }
    }
}

/// Dot product, in four interleaved sums.
#[inline(always)]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (a4, b4) = (a.chunks_exact(4), b.chunks_exact(4));
    let tail: f64 = a4.remainder().iter().zip(b4.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a4.zip(b4) {
        for lane in 0..4 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    total(sums) + tail
}

/// Dot product of six numbers each: of wrenches, faces and generators.
#[inline(always)]
pub(super) fn dot_six(a: &[f64; SIX], b: &[f64; SIX]) -> f64 {
    (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]) + (a[4] * b[4] + a[5] * b[5])
}

/// Sum of four interleaved sums.
///
/// By way of memory: a compiler that sees these pairs makes pairs of the lanes in the loop before, too, which is then
/// twice as long.
#[inline(always)]
pub(super) fn total(sums: [f64; 4]) -> f64 {
    let sums = std::hint::black_box(sums);
    (sums[0] + sums[2]) + (sums[1] + sums[3])
}

/// [`dot`] of four lists with one.
#[inline(always)]
fn dot_four(a: [&[f64]; 4], b: &[f64]) -> [f64; 4] {
    let (b4, rest) = b.as_chunks::<4>();
    let fours = |p: usize| &a[p].as_chunks::<4>().0[..b4.len()];
    let (a0, a1, a2, a3) = (fours(0), fours(1), fours(2), fours(3));
    let mut sums = [[0.0; 4]; 4];
    for (i, b) in b4.iter().enumerate() {
        for lane in 0..4 {
            sums[0][lane] += a0[i][lane] * b[lane];
            sums[1][lane] += a1[i][lane] * b[lane];
            sums[2][lane] += a2[i][lane] * b[lane];
            sums[3][lane] += a3[i][lane] * b[lane];
        }
    }
    let mut dots = [0.0; 4];
    for (p, sum) in sums.iter().enumerate() {
        let mut tail = 0.0;
        for (a, b) in a[p][4 * b4.len()..].iter().zip(rest) {
            tail += a * b;
        }
        dots[p] = total(*sum) + tail;
    }
    dots
}

/// `y += factor * x`.
#[inline(always)]
pub fn axpy(factor: f64, x: &[f64], y: &mut [f64]) {
    let n = x.len().min(y.len());
    let (y, y_tail) = y[..n].as_chunks_mut::<4>();
    let (x, x_tail) = x[..n].as_chunks::<4>();
    for (y, x) in y.iter_mut().zip(x) {
        // By value: the compiler then sees one vector.
        let (mut sum, x) = (*y, *x);
        for lane in 0..4 {
            sum[lane] += factor * x[lane];
        }
        *y = sum;
    }
    for (y, x) in y_tail.iter_mut().zip(x_tail) {
        *y += factor * x;
    }
}

/// Rows that go together in [`add_rows`] and [`add_products`]: those of a wrench.
const SIX: usize = 6;

/// The next six rows of `n` numbers, taken off.
#[inline(always)]
fn next_six<'a>(rows: &mut &'a [f64], n: usize) -> [&'a [f64]; SIX] {
    let mut next = || {
        let (row, rest) = rows.split_at(n);
        *rows = rest;
        row
    };
    [next(), next(), next(), next(), next(), next()]
}

/// `out += Σ factors[r] rows[r]`, six rows at a time.
///
/// A call, like [`add_products`]: what uses them would not fit the cache of instructions with all of them inside.
#[inline(never)]
pub(super) fn add_rows(rows: &[f64], factors: &[f64], out: &mut [f64]) {
    let is_whole = out.len().is_multiple_of(GROUP);
    let work = AddRows { rows, factors, out };
    if is_whole { Arch::new().dispatch(work) } else { dispatch_short(work) }
}

struct AddRows<'a> {
    rows: &'a [f64],
    factors: &'a [f64],
    out: &'a mut [f64],
}

impl WithSimd for AddRows<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let AddRows { mut rows, factors, out } = self;
        let n = out.len();
        let (out, tail) = S::as_mut_simd_f64s(out);
        let (sixes, rest) = factors.as_chunks::<SIX>();
        for f in sixes {
            let rows = next_six(&mut rows, n);
            let splat = |r: usize| simd.splat_f64s(f[r]);
            let f = [splat(0), splat(1), splat(2), splat(3), splat(4), splat(5)];
            let whole = |r: usize| &S::as_simd_f64s(rows[r]).0[..out.len()];
            let (r0, r1, r2, r3, r4, r5) = (whole(0), whole(1), whole(2), whole(3), whole(4), whole(5));
            for (i, out) in out.iter_mut().enumerate() {
                *out = combine_six(simd, &f, *out, [r0[i], r1[i], r2[i], r3[i], r4[i], r5[i]]);
            }
            if !tail.is_empty() {
                let part = |r: usize| simd.partial_load_f64s(S::as_simd_f64s(rows[r]).1);
                let parts = [part(0), part(1), part(2), part(3), part(4), part(5)];
                let sum = combine_six(simd, &f, simd.partial_load_f64s(tail), parts);
                simd.partial_store_f64s(tail, sum);
            }
        }
        for f in rest {
            let (row, later) = rows.split_at(n);
            rows = later;
            let (row, row_tail) = S::as_simd_f64s(row);
            let factor = simd.splat_f64s(*f);
            for (out, x) in out.iter_mut().zip(row) {
                *out = simd.add_f64s(*out, simd.mul_f64s(factor, *x));
            }
            for (out, x) in tail.iter_mut().zip(row_tail) {
                *out += f * x;
            }
        }
    }
}

/// Adds the products of six rows with their factors.
#[inline(always)]
fn combine_six<S: Simd>(simd: S, f: &[S::f64s; SIX], x: S::f64s, rows: [S::f64s; SIX]) -> S::f64s {
    let pair = |r: usize| simd.add_f64s(simd.mul_f64s(f[r], rows[r]), simd.mul_f64s(f[r + 1], rows[r + 1]));
    simd.add_f64s(x, simd.add_f64s(simd.add_f64s(pair(0), pair(2)), pair(4)))
}

/// Adds the product of each row with `x` to `out`, six rows at a time.
#[inline(never)]
pub(super) fn add_products(rows: &[f64], x: &[f64], out: &mut [f64]) {
    with_vectors(
        #[inline(always)]
        || {
            let (mut rows, n) = (rows, x.len());
            let (sixes, rest) = out.as_chunks_mut::<SIX>();
            for out in sixes {
                add_six_products(next_six(&mut rows, n), x, out);
            }
            for out in rest {
                let (row, later) = rows.split_at(n);
                rows = later;
                *out += dot(row, x);
            }
        },
    );
}

/// Adds the products of six rows with `x` to `out`.
#[inline(always)]
fn add_six_products(rows: [&[f64]; SIX], x: &[f64], out: &mut [f64; SIX]) {
    let (x4, tail) = x.as_chunks::<4>();
    if !x4.is_empty() {
        let four = |r: usize| &rows[r].as_chunks::<4>().0[..x4.len()];
        let (r0, r1, r2, r3, r4, r5) = (four(0), four(1), four(2), four(3), four(4), four(5));
        let (mut s0, mut s1, mut s2) = ([0.0; 4], [0.0; 4], [0.0; 4]);
        let (mut s3, mut s4, mut s5) = ([0.0; 4], [0.0; 4], [0.0; 4]);
        for (i, x) in x4.iter().enumerate() {
            let (x, r0, r1, r2, r3, r4, r5) = (*x, r0[i], r1[i], r2[i], r3[i], r4[i], r5[i]);
            for lane in 0..4 {
                s0[lane] += r0[lane] * x[lane];
                s1[lane] += r1[lane] * x[lane];
                s2[lane] += r2[lane] * x[lane];
                s3[lane] += r3[lane] * x[lane];
                s4[lane] += r4[lane] * x[lane];
                s5[lane] += r5[lane] * x[lane];
            }
        }
        for (out, s) in out.iter_mut().zip(std::hint::black_box([s0, s1, s2, s3, s4, s5])) {
            *out += (s[0] + s[2]) + (s[1] + s[3]);
        }
    }
    if !tail.is_empty() {
        for (i, x) in (4 * x4.len()..x.len()).zip(tail) {
            for (out, row) in out.iter_mut().zip(rows) {
                *out += row[i] * x;
            }
        }
    }
}

/// The first `count` columns of a unit lower factor `L` of `n` rows (column-major) as what solving with them does to
/// a right-hand side: `[L₁₁⁻¹; -L₂₁ L₁₁⁻¹]`, into `out`, column after column.
///
/// Costs what a few right-hand sides cost, and each of those needs no triangular solve then, whose unknowns wait for
/// each other.
pub(super) fn unwind(a: &[f64], stride: usize, n: usize, count: usize, out: &mut Vec<f64>) {
    out.clear();
    out.resize(count * stride, 0.0);
    Arch::new().dispatch(Unwind { a, stride, n, count, out });
}

struct Unwind<'a> {
    a: &'a [f64],
    stride: usize,
    n: usize,
    count: usize,
    out: &'a mut [f64],
}

impl WithSimd for Unwind<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Unwind { a, stride, n, count, out } = self;
        for j in (0..count).rev() {
            let column = &a[j * stride..(j + 1) * stride];
            let (own, later) = out[j * stride..].split_at_mut(stride);
            own[j] = 1.0;
            for (own, below) in own[count..n].iter_mut().zip(&column[count..n]) {
                *own = -below;
            }
            let own = S::as_mut_simd_f64s(own).0;
            // Column `k` begins with its own unknown.
            let top = |k: usize| k / GROUP * (GROUP / S::F64_LANES);
            let (few, sixes) = column[j + 1..count].as_rchunks::<SIX>();
            let mut later = later;
            for (k, f) in (j + 1..).zip(few) {
                let (other, rest) = later.split_at_mut(stride);
                later = rest;
                let (factor, other) = (simd.splat_f64s(-f), &S::as_simd_f64s(other).0[top(k)..]);
                for (own, x) in own[top(k)..].iter_mut().zip(other) {
                    *own = simd.add_f64s(*own, simd.mul_f64s(factor, *x));
                }
            }
            let mut later = &*later;
            for (k, f) in (j + 1 + few.len()..).step_by(SIX).zip(sixes) {
                let rows = next_six(&mut later, stride);
                let own = &mut own[top(k)..];
                let splat = |r: usize| simd.splat_f64s(-f[r]);
                let f = [splat(0), splat(1), splat(2), splat(3), splat(4), splat(5)];
                let row = |r: usize| &S::as_simd_f64s(rows[r]).0[top(k)..][..own.len()];
                let (r0, r1, r2, r3, r4, r5) = (row(0), row(1), row(2), row(3), row(4), row(5));
                for (i, own) in own.iter_mut().enumerate() {
                    *own = combine_six(simd, &f, *own, [r0[i], r1[i], r2[i], r3[i], r4[i], r5[i]]);
                }
            }
        }
    }
}

/// `y += factor * x` in whole groups of four; both lengths are multiples of four. For short rows, where the tails of
/// [`axpy`] would cost more than the row.
#[inline(always)]
pub(super) fn axpy_fours(factor: f64, x: &[f64], y: &mut [f64]) {
    for (y, x) in y.as_chunks_mut::<4>().0.iter_mut().zip(x.as_chunks::<4>().0) {
        // By value: the compiler then sees one vector.
        let (mut sum, x) = (*y, *x);
        for lane in 0..4 {
            sum[lane] += factor * x[lane];
        }
        *y = sum;
    }
}

/// Eliminates the pivots `from..to` of a symmetric matrix of `n` rows in place: afterwards those columns
/// hold the unit lower factor below the diagonal and `inverse` the reciprocals of the pivots; the rest of
/// the lower triangle holds the Schur complement. The stride is a multiple of [`GROUP`] and all numbers are
/// finite, also in the rows from `n` to the stride.
///
/// `sign` is what the pivots must be (+1 or -1). A pivot that is not `sign * pivot > DEPENDENT * scale[j]`
/// is left out: its column becomes zero, its reciprocal 0, and it is counted in the answer.
#[expect(clippy::too_many_arguments, reason = "a kernel takes its matrix apart")]
pub fn eliminate(
    a: &mut [f64],
    stride: usize,
    n: usize,
    from: usize,
    to: usize,
    sign: f64,
    scale: &[f64],
    inverse: &mut [f64],
) -> usize {
    Arch::new().dispatch(Eliminate { a, stride, n, from, to, sign, scale, inverse })
}

/// Columns eliminated together before the rest is touched: few enough for their factors to stay in
/// registers.
const PANEL: usize = 4;

/// Rows are worked on in whole groups of eight, which every vector width divides: the few entries above the
/// diagonal and below the last row that come along are never read.
pub const GROUP: usize = 8;

struct Eliminate<'a> {
    a: &'a mut [f64],
    stride: usize,
    n: usize,
    from: usize,
    to: usize,
    sign: f64,
    scale: &'a [f64],
    inverse: &'a mut [f64],
}

impl WithSimd for Eliminate<'_> {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> usize {
        let Eliminate { a, stride, n, from, to, sign, scale, inverse } = self;
        let mut left_out = 0;
        let mut start = from;
        while start < to {
            let end = (start + PANEL).min(to);
            let mut pivots = [0.0; PANEL];
            for j in start..end {
                // Bring column j up to date with the earlier columns of the panel.
                let top = j / GROUP * (GROUP / S::F64_LANES);
                let (done, rest) = a.split_at_mut(j * stride);
                let mut factors = [0.0; PANEL];
                for p in start..j {
                    factors[p - start] = done[p * stride + j] * pivots[p - start];
                }
                let (done, column) = (S::as_simd_f64s(done).0, S::as_mut_simd_f64s(&mut rest[..stride]).0);
                let tall = column.len();
                for p in start..j {
                    let factor = simd.splat_f64s(factors[p - start]);
                    let source = &done[p * tall + top..(p + 1) * tall];
                    for (target, source) in column[top..].iter_mut().zip(source) {
                        *target = simd.sub_f64s(*target, simd.mul_f64s(factor, *source));
                    }
                }
                let pivot = rest[j];
                let kept = sign * pivot > DEPENDENT * scale[j];
                (inverse[j], pivots[j - start]) = if kept { (1.0 / pivot, pivot) } else { (0.0, 0.0) };
                left_out += usize::from(!kept);
                let factor = simd.splat_f64s(inverse[j]);
                for target in &mut S::as_mut_simd_f64s(&mut rest[..stride]).0[top..] {
                    *target = simd.mul_f64s(*target, factor);
                }
            }
            update_trailing(simd, a, stride, n, start, end, &pivots);
            start = end;
        }
        left_out
    }
}

/// Runs of rows that are looked for in a panel; what is behind the last one's start counts as one run.
const RUNS: usize = 4;

/// The runs of row groups from `first` on in which the panel is not all zero, and how many they are.
#[inline(always)]
fn find_runs(l: &[&[f64]; PANEL], first: usize, groups: usize) -> ([[usize; 2]; RUNS], usize) {
    let mut runs = [[groups; 2]; RUNS];
    let (mut count, mut inside) = (0, false);
    let rows = |p: usize| &l[p].as_chunks::<GROUP>().0[..groups];
    let (l0, l1, l2, l3) = (rows(0), rows(1), rows(2), rows(3));
    for g in first..groups {
        let is_any = |column: &[[f64; GROUP]]| column[g] != [0.0; GROUP];
        let any = is_any(l0) || is_any(l1) || is_any(l2) || is_any(l3);
        if any && !inside {
            runs[count][0] = g;
            count += 1;
        } else if !any && inside {
            if count == RUNS {
                break;
            }
            runs[count - 1][1] = g;
        }
        inside = any;
    }
    (runs, count)
}

/// What each column of the panel is multiplied with for column `c`, of the other sign, so that products are added.
///
/// Functions and not closures: those are not always inlined, and called for each column they cost as much as it does.
#[inline(always)]
fn negated_factors<S: Simd>(
    simd: S,
    l: &[&[f64]; PANEL],
    pivots: &[f64; PANEL],
    c: usize,
) -> [S::f64s; PANEL] {
    [
        simd.splat_f64s(-(l[0][c] * pivots[0])),
        simd.splat_f64s(-(l[1][c] * pivots[1])),
        simd.splat_f64s(-(l[2][c] * pivots[2])),
        simd.splat_f64s(-(l[3][c] * pivots[3])),
    ]
}

/// Adds the products of the panel's columns with their factors.
#[inline(always)]
fn combine<S: Simd>(simd: S, f: &[S::f64s; PANEL], x: S::f64s, l: [S::f64s; PANEL]) -> S::f64s {
    let first = simd.add_f64s(simd.mul_f64s(f[0], l[0]), simd.mul_f64s(f[1], l[1]));
    let second = simd.add_f64s(simd.mul_f64s(f[2], l[2]), simd.mul_f64s(f[3], l[3]));
    simd.add_f64s(simd.add_f64s(first, second), x)
}

/// Subtracts the panel's outer products from the columns behind it, two columns at a time. Rows and columns in which
/// the panel is zero are passed over: those of a wrench have nothing to do with most of the accelerations.
#[inline(always)]
fn update_trailing<S: Simd>(
    simd: S,
    a: &mut [f64],
    stride: usize,
    n: usize,
    start: usize,
    end: usize,
    pivots: &[f64; PANEL],
) {
    let (panel, rest) = a.split_at_mut(end * stride);
    let width = end - start;
    // A narrow last panel repeats its first column with factors of zero.
    let column = |p: usize| {
        let p = start + if p < width { p } else { 0 };
        &panel[p * stride..(p + 1) * stride]
    };
    let l = [column(0), column(1), column(2), column(3)];
    let (runs, count) = find_runs(&l, end / GROUP, stride / GROUP);
    // From here on in vectors.
    let (tall, per) = (stride / S::F64_LANES, GROUP / S::F64_LANES);
    let vectors = |p: usize| &S::as_simd_f64s(l[p]).0[..tall];
    let (l0, l1, l2, l3) = (vectors(0), vectors(1), vectors(2), vectors(3));
    let rest = S::as_mut_simd_f64s(rest).0;
    for run in 0..count {
        let (mut c, last) = ((runs[run][0] * GROUP).max(end), (runs[run][1] * GROUP).min(n));
        while c < last {
            let (x, others) = rest[(c - end) * tall..].split_at_mut(tall);
            let f = negated_factors(simd, &l, pivots, c);
            let mut top = c / GROUP * per;
            if c + 1 < last {
                let (g, y) = (negated_factors(simd, &l, pivots, c + 1), &mut others[..tall]);
                for &[from, to] in &runs[run..count] {
                    let rows = top.max(from * per)..to * per;
                    let (x, y) = (&mut x[rows.clone()], &mut y[rows.clone()]);
                    let len = x.len();
                    let (l0, l1) = (&l0[rows.clone()][..len], &l1[rows.clone()][..len]);
                    let (l2, l3) = (&l2[rows.clone()][..len], &l3[rows.clone()][..len]);
                    let y = &mut y[..len];
                    for i in 0..len {
                        let l = [l0[i], l1[i], l2[i], l3[i]];
                        x[i] = combine(simd, &f, x[i], l);
                        y[i] = combine(simd, &g, y[i], l);
                    }
                    top = 0;
                }
                c += 2;
            } else {
                for &[from, to] in &runs[run..count] {
                    for i in top.max(from * per)..to * per {
                        x[i] = combine(simd, &f, x[i], [l0[i], l1[i], l2[i], l3[i]]);
                    }
                    top = 0;
                }
                c += 1;
            }
        }
    }
}

/// Cholesky factorisation in place of a matrix with stride `n`, lower triangle, diagonal included; false if
/// not positive definite (beyond rounding).
pub fn cholesky(a: &mut [f64], n: usize, inverse: &mut [f64]) -> bool {
    let stride = n.next_multiple_of(GROUP);
    let mut padded = vec![0.0; stride * n];
    for j in 0..n {
        padded[j * stride + j..j * stride + n].copy_from_slice(&a[j * n + j..(j + 1) * n]);
    }
    let scale: Vec<f64> = (0..n).map(|j| a[j * n + j].abs()).collect();
    if eliminate(&mut padded, stride, n, 0, n, 1.0, &scale, inverse) > 0 {
        return false;
    }
    for j in 0..n {
        let root = libm::sqrt(1.0 / inverse[j]);
        if !root.is_finite() {
            return false;
        }
        a[j * n + j] = root;
        for (to, from) in a[j * n + j + 1..(j + 1) * n].iter_mut().zip(&padded[j * stride + j + 1..]) {
            *to = from * root;
        }
    }
    true
}

/// Solves `L x = b` in place, `L` from [`cholesky`].
pub fn forward(l: &[f64], n: usize, x: &mut [f64]) {
    with_vectors(
        #[inline(always)]
        || {
            for j in 0..n {
                let column = &l[j * n + j..j * n + n];
                let value = x[j] / column[0];
                x[j] = value;
                for (x, l) in x[j + 1..n].iter_mut().zip(&column[1..]) {
                    *x -= value * l;
                }
            }
        },
    );
}

/// Solves `Lᵀ x = b` in place, `L` from [`cholesky`].
pub fn backward(l: &[f64], n: usize, x: &mut [f64]) {
    with_vectors(
        #[inline(always)]
        || {
            for j in (0..n).rev() {
                let column = &l[j * n + j..j * n + n];
                let sum = dot(&column[1..], &x[j + 1..n]);
                x[j] = (x[j] - sum) / column[0];
            }
        },
    );
}

/// Solves six equations with their right-hand side in the last column.
pub(super) fn solve_six(system: &mut [[f64; 7]; 6]) -> Option<[f64; 6]> {
    for k in 0..6 {
        let pivot = (k..6).max_by(|a, b| system[*a][k].abs().total_cmp(&system[*b][k].abs()))?;
        system.swap(k, pivot);
        if !(system[k][k].abs() > 1e-9) {
            return None;
        }
        for row in 0..6 {
            if row != k {
                let factor = system[row][k] / system[k][k];
                for c in k..7 {
                    system[row][c] -= factor * system[k][c];
                }
            }
        }
    }
    Some(std::array::from_fn(|k| system[k][6] / system[k][k]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// A quasi-definite matrix: `n` rows, the first `p` of the positive kind.
    fn quasi_definite(n: usize, p: usize, seed: u64) -> Vec<f64> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut a = vec![0.0; n * n];
        for j in 0..n {
            for i in j..n {
                a[j * n + i] = rng.random_range(-1.0..1.0);
                a[i * n + j] = a[j * n + i];
            }
            a[j * n + j] = if j < p { n as f64 } else { -(n as f64) };
        }
        a
    }

    #[test]
    fn factors_multiply_back_for_every_size() {
        for n in 1..24 {
            let p = n / 2;
            let original = quasi_definite(n, p, n as u64);
            let stride = n.next_multiple_of(GROUP);
            let mut a = vec![0.0; stride * n];
            (0..n).for_each(|j| a[j * stride..j * stride + n].copy_from_slice(&original[j * n..(j + 1) * n]));
            let (scale, mut inverse) = (vec![1.0; n], vec![0.0; n]);
            assert_eq!(eliminate(&mut a, stride, n, 0, p, 1.0, &scale, &mut inverse), 0);
            assert_eq!(eliminate(&mut a, stride, n, p, n, -1.0, &scale, &mut inverse), 0);
            let l = |i: usize, j: usize| if i == j { 1.0 } else { a[j * stride + i] };
            for i in 0..n {
                for j in 0..=i {
                    let found: f64 = (0..=j).map(|k| l(i, k) * l(j, k) / inverse[k]).sum();
                    assert!((found - original[j * n + i]).abs() < 1e-12 * n as f64, "{n}: {i} {j}");
                }
            }
        }
    }

    #[test]
    fn substitution_solves_with_the_factor() {
        for n in 1..24_usize {
            for count in 0..=n {
                let stride = n.next_multiple_of(GROUP);
                let mut a = vec![0.0; stride * n];
                let values = quasi_definite(n, n, 100 + n as u64);
                (0..n)
                    .for_each(|j| a[j * stride..j * stride + n].copy_from_slice(&values[j * n..(j + 1) * n]));
                // Row i of the factor, whose later columns are those of the unit matrix.
                let l = |i: usize, j: usize| match i.cmp(&j) {
                    std::cmp::Ordering::Less => 0.0,
                    std::cmp::Ordering::Equal => 1.0,
                    std::cmp::Ordering::Greater => {
                        if j < count {
                            a[j * stride + i]
                        } else {
                            0.0
                        }
                    }
                };
                let x: Vec<f64> = (0..n).map(|i| libm::sin(i as f64 + 0.5)).collect();
                let mut forward: Vec<f64> = (0..n).map(|i| (0..n).map(|j| l(i, j) * x[j]).sum()).collect();
                let mut backward: Vec<f64> = (0..n).map(|j| (0..n).map(|i| l(i, j) * x[i]).sum()).collect();
                substitute_forward(&a, stride, n, count, &mut forward);
                substitute_backward(&a, stride, n, count, &mut backward);
                for i in 0..n {
                    assert!((forward[i] - x[i]).abs() < 1e-8, "{n} {count}: {} {}", forward[i], x[i]);
                    assert!((backward[i] - x[i]).abs() < 1e-8, "{n} {count}: {} {}", backward[i], x[i]);
                }
            }
        }
    }

    #[test]
    fn the_bits_do_not_depend_on_the_width_of_vectors() {
        for n in [5, 18, 23] {
            let stride = 24;
            let mut wide = vec![0.0; stride * n];
            let original = quasi_definite(n, n, 7);
            (0..n).for_each(|j| {
                wide[j * stride..j * stride + n].copy_from_slice(&original[j * n..(j + 1) * n])
            });
            let (mut narrow, scale) = (wide.clone(), vec![1.0; n]);
            let (mut inverse, mut inverse2) = (vec![0.0; n], vec![0.0; n]);
            eliminate(&mut wide, stride, n, 0, n, 1.0, &scale, &mut inverse);
            let (from, to, sign) = (0, n, 1.0);
            let op = Eliminate {
                a: &mut narrow,
                stride,
                n,
                from,
                to,
                sign,
                scale: &scale,
                inverse: &mut inverse2,
            };
            Simd::vectorize(pulp::Scalar, op);
            assert_eq!(inverse, inverse2);
            for j in 0..n {
                assert_eq!(wide[j * stride + j..j * stride + n], narrow[j * stride + j..j * stride + n]);
            }
        }
    }

    #[test]
    fn rows_add_up_for_every_size_and_width() {
        let numbers = |len: usize| (0..len).map(|i| libm::sin(1.7 * i as f64 + 0.3)).collect::<Vec<f64>>();
        for n in 0..20 {
            for m in 0..15 {
                let (rows, x, factors) = (numbers(m * n), numbers(n), numbers(m));
                let (mut sum, mut products) = (vec![1.0; n], vec![1.0; m]);
                add_rows(&rows, &factors, &mut sum);
                add_products(&rows, &x, &mut products);
                for i in 0..n {
                    let expected: f64 = 1.0 + (0..m).map(|r| factors[r] * rows[r * n + i]).sum::<f64>();
                    assert!((sum[i] - expected).abs() < 1e-13, "{n} {m}: {} is not {expected}", sum[i]);
                }
                for r in 0..m {
                    let expected: f64 = 1.0 + (0..n).map(|i| rows[r * n + i] * x[i]).sum::<f64>();
                    assert!(
                        (products[r] - expected).abs() < 1e-13,
                        "{n} {m}: {} is not {expected}",
                        products[r]
                    );
                }
                let mut narrow = vec![1.0; n];
                Simd::vectorize(pulp::Scalar, AddRows { rows: &rows, factors: &factors, out: &mut narrow });
                assert_eq!(sum, narrow);
            }
        }
    }

    #[test]
    fn an_unwound_factor_does_what_substitution_does() {
        for n in 1..24_usize {
            for count in 0..=n {
                let stride = n.next_multiple_of(GROUP);
                let mut a = vec![0.0; stride * n];
                let values = quasi_definite(n, n, 100 + n as u64);
                for j in 0..n {
                    (j..n).for_each(|i| a[j * stride + i] = values[j * n + i] / n as f64);
                }
                let mut unwound = Vec::new();
                unwind(&a, stride, n, count, &mut unwound);
                let x: Vec<f64> = (0..n).map(|i| libm::sin(i as f64 + 0.5)).collect();
                let (mut forward, mut backward) = (x.clone(), x.clone());
                substitute_forward(&a, stride, n, count, &mut forward);
                substitute_backward(&a, stride, n, count, &mut backward);
                let row = |e: usize| &unwound[e * stride..e * stride + n];
                for i in 0..n {
                    let rest = if i < count { 0.0 } else { x[i] };
                    let found = rest + (0..count).map(|e| row(e)[i] * x[e]).sum::<f64>();
                    assert!((found - forward[i]).abs() < 1e-12, "{n} {count}: {found} is not {}", forward[i]);
                }
                for e in 0..count {
                    let found = dot(row(e), &x);
                    assert!(
                        (found - backward[e]).abs() < 1e-12,
                        "{n} {count}: {found} is not {}",
                        backward[e]
                    );
                }
            }
        }
    }

    #[test]
    fn dependent_rows_are_left_out() {
        // Two equal rows of duals: [1 1 1; 1 0 0; 1 0 0].
        let mut a = vec![0.0; 3 * GROUP];
        a[..3].fill(1.0);
        (a[GROUP], a[2 * GROUP]) = (1.0, 1.0);
        let mut inverse = vec![0.0; 3];
        eliminate(&mut a, GROUP, 3, 0, 1, 1.0, &[1.0; 3], &mut inverse);
        assert_eq!(eliminate(&mut a, GROUP, 3, 1, 3, -1.0, &[1.0; 3], &mut inverse), 1);
        assert_eq!(inverse[2], 0.0);
    }
}
