//! Frames per second of the renderer on one core: two characters in motion, seen by the follow camera.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use randori_motion::{Body, Character, Take};
use randori_scene::render::{Camera, Quality, Renderer, Shot, Stage, Style};
use randori_testkit::toys;

fn two_people() -> Take {
    let mut take = Take::new("bench", 1);
    for (name, color, seed) in [("blue", [0.05, 0.22, 0.62], 1), ("red", [0.6, 0.07, 0.05], 2)] {
        let clip = toys::wriggling_person(seed, 120);
        let body = Arc::new(Body::of(Arc::clone(clip.skeleton()), 74.0, 1.0));
        take.characters.push(Character { name: name.to_owned(), color, body, enter: 0.0, clip });
    }
    take
}

fn frames(criterion: &mut Criterion) {
    let take = two_people();
    let stage = Stage::new(&take).expect("a sound take");
    let mut group = criterion.benchmark_group("frame");
    group.throughput(Throughput::Elements(1));
    for (name, width, height, quality) in [
        ("640x360 draft", 640, 360, Quality::Draft),
        ("640x360 normal", 640, 360, Quality::Normal),
        ("640x360 fine", 640, 360, Quality::Fine),
        ("1280x720 normal", 1280, 720, Quality::Normal),
    ] {
        let style = Style { quality, ..Style::default() };
        let shot = Shot::new(&take, &Camera::default(), f64::from(width) / f64::from(height))
            .expect("a sound camera");
        let mut renderer = Renderer::new(width, height, style).expect("a sound size");
        let mut frame = 0;
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                frame = (frame + 1) % 120;
                let t = f64::from(frame) / 60.0;
                black_box(renderer.draw(&stage, t, &shot.view(t)));
            });
        });
    }
    group.finish();
}

criterion_group!(benches, frames);
criterion_main!(benches);
