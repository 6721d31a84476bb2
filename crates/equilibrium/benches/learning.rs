//! Full bases against nested PCA: figure 5's question at sizes that a bench can wait for.
#![allow(missing_docs, reason = "criterion's macros write undocumented functions")]
#![allow(clippy::unwrap_used, reason = "a bench fails loudly")]

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use randori_equilibrium::figures::figure_5_point;
use randori_equilibrium::lspi::{Host, LspiSettings};

fn learning(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("pursuit");
    group.sample_size(10);
    let settings = LspiSettings { max_backups: 0, max_sweeps: 4, ..Default::default() };
    for (dimensions, bases) in [(2, 12), (2, 24), (4, 5), (4, 7)] {
        for nested in [false, true] {
            let name = format!("{dimensions} axes, {bases} per axis");
            let method = if nested { "nested" } else { "full" };
            group.bench_function(BenchmarkId::new(method, name), |bencher| {
                bencher
                    .iter(|| figure_5_point(dimensions, bases, nested, &settings, Host::default()).unwrap());
            });
        }
    }
    group.finish();
}

criterion_group!(benches, learning);
criterion_main!(benches);
