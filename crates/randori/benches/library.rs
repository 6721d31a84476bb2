//! How long a library takes: performed and analysed from nothing, and read from its file.
//!
//! `cargo bench -p randori --bench library`

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use randori::libraries::Builtin;
use randori_actor::Casting;
use randori_motion::library::{ActionLibrary, Player, walk};
use randori_motion::{FrameRate, Placement};
use std::hint::black_box;

/// Ten minutes of boxing.
fn ten_minutes() -> Casting {
    Casting { seconds: 600.0, ..Builtin::Boxing.casting() }
}

fn build(c: &mut Criterion) {
    let mut group = c.benchmark_group("from nothing");
    group.sample_size(10);
    for builtin in Builtin::ALL {
        group.bench_function(builtin.to_string(), |b| {
            b.iter(|| builtin.make(black_box(&builtin.casting())).expect("a library"));
        });
    }
    group.finish();
}

fn load(c: &mut Criterion) {
    let bytes = Builtin::Boxing.make(&ten_minutes()).expect("a library").to_bytes();
    let mut group = c.benchmark_group("read");
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    group.bench_function("ten minutes", |b| {
        // Giving the memory back is not part of reading.
        b.iter_with_large_drop(|| ActionLibrary::from_bytes(black_box(&bytes)).expect("a library"));
    });
    group.finish();
}

fn perform(c: &mut Criterion) {
    let library = Builtin::Boxing.make(&Builtin::Boxing.casting()).expect("a library");
    let path = walk(&library, 60.0, 1);
    let frames: u32 = path.iter().map(|id| library.action(*id).n_frames()).sum();
    let mut group = c.benchmark_group("play");
    group.throughput(Throughput::Elements(u64::from(frames)));
    group.bench_function(format!("poses, against {} a second", FrameRate::HOUSE.fps()), |b| {
        b.iter(|| {
            let mut player = Player::new(&library, path[0], Placement::default());
            for id in &path {
                player.switch(*id, 0);
                while !player.is_done() {
                    black_box(player.step());
                }
            }
        });
    });
    group.finish();
}

criterion_group!(benches, build, load, perform);
criterion_main!(benches);
