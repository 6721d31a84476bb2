//! How fast BVH files are read, and how much faster than by a plain Python reader of the same files.
//!
//! The captured takes and the Python reader lie beside the repository; what is absent is said loudly and left
//! out. `RANDORI_PYTHON` names a Python that has numpy, if `python3` is not one.
#![allow(missing_docs, reason = "criterion's macros make public items")]
#![allow(clippy::unwrap_used, reason = "a bench that unwraps in vain fails, as it should")]
#![allow(clippy::disallowed_methods, reason = "a bench reads files, the clock and where Python lies")]
#![allow(clippy::print_stdout, reason = "a bench talks to people")]

use std::hint::black_box;
use std::process::Command;
use std::time::{Duration, Instant};

use criterion::{
    BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime,
};
use randori_motion::formats::bvh::{self, Document, WriteOptions};
use randori_motion::formats::{ImportOptions, import};
use randori_testkit::{shared, toys};

criterion_group!(benches, parse, import_all, against_python);
criterion_main!(benches);

fn parse(criterion: &mut Criterion) {
    let mut group = group(criterion, "parse");
    let text = bvh::write(&toys::wriggling_person(1, 40_000), &WriteOptions::default()).unwrap();
    assert!(text.len() > 20_000_000, "{}", text.len());
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("generated", |bencher| {
        bencher.iter(|| Document::parse(black_box(text.as_bytes())).unwrap())
    });

    let takes = cmu_takes();
    if !takes.is_empty() {
        group.throughput(Throughput::Bytes(n_bytes(&takes) as u64));
        group.bench_function("all of CMU", |bencher| {
            bencher.iter(|| {
                takes.iter().map(|take| Document::parse(black_box(take)).unwrap().n_frames()).sum::<usize>()
            })
        });
    }
    group.finish();
}

fn import_all(criterion: &mut Criterion) {
    let takes = cmu_takes();
    if takes.is_empty() {
        return;
    }
    let mut group = group(criterion, "import");
    group.throughput(Throughput::Bytes(n_bytes(&takes) as u64));
    group.bench_function("all of CMU", |bencher| bencher.iter(|| import_takes(&takes)));
    group.finish();
}

/// Reading and forward kinematics of every frame, by us and by `tools/bvh_fk.py`, one core each.
fn against_python(_: &mut Criterion) {
    let (takes, Some(tools)) = (cmu_takes(), shared::path("data/cmu/tools")) else { return };
    let python = std::env::var("RANDORI_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let script = "
import glob, sys, time
sys.path.insert(0, sys.argv[1])
import bvh_fk
start = time.perf_counter()
files = [bvh_fk.load(path) for path in sorted(glob.glob(sys.argv[2] + '/*.bvh'))]
parsed = time.perf_counter()
for file in files:
    file.world()
print(parsed - start, time.perf_counter() - parsed)
";
    let folder = tools.with_file_name("bvh");
    let run = Command::new(&python)
        .arg("-c")
        .arg(script)
        .arg(&tools)
        .arg(&folder)
        .env("OMP_NUM_THREADS", "1")
        .output();
    let said = run
        .ok()
        .filter(|run| run.status.success())
        .map(|run| String::from_utf8_lossy(&run.stdout).into_owned());
    let seconds: Vec<f64> =
        said.iter().flat_map(|said| said.split_whitespace()).flat_map(str::parse).collect();
    let [their_parse, their_kinematics] = seconds[..] else {
        println!("SKIPPED: {python} with numpy is absent; nothing was compared with Python");
        return;
    };

    let start = Instant::now();
    let documents: Vec<Document> = takes.iter().map(|take| Document::parse(take).unwrap()).collect();
    let our_parse = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let points = documents
        .iter()
        .flat_map(|document| (0..document.n_frames()).map(|row| document.world_positions(row)));
    black_box(points.map(|points| points.unwrap().len()).sum::<usize>());
    let our_kinematics = start.elapsed().as_secs_f64();
    let megabytes = n_bytes(&takes) as f64 / 1e6;
    println!("{} takes, {megabytes:.1} MB", takes.len());
    for (what, ours, theirs) in
        [("parse", our_parse, their_parse), ("kinematics of every frame", our_kinematics, their_kinematics)]
    {
        println!("{what}: {ours:.3} s here, {theirs:.3} s by bvh_fk.py: {:.1} times", theirs / ours);
    }
}

fn group<'a>(criterion: &'a mut Criterion, name: &str) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group.sample_size(10).warm_up_time(Duration::from_secs(1)).measurement_time(Duration::from_secs(5));
    group
}

fn cmu_takes() -> Vec<Vec<u8>> {
    shared::cmu_takes().iter().map(|path| std::fs::read(path).unwrap()).collect()
}

fn n_bytes(takes: &[Vec<u8>]) -> usize {
    takes.iter().map(Vec::len).sum()
}

fn import_takes(takes: &[Vec<u8>]) -> usize {
    let options = ImportOptions::default();
    takes.iter().map(|take| import("take.bvh", black_box(take), &options).unwrap().clip.n_frames()).sum()
}
