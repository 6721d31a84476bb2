//! Small sets of patches for tests.

#![allow(dead_code, reason = "every test uses a part of it")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::sync::{Arc, OnceLock};

use randori_actor::{Casting, Performance, Temperament, boxing, crowd, reactions};
use randori_arena::bodies::Bodies;
use randori_motion::analyse::{Discipline, Settings, analyse};
use randori_motion::library::{Likeness, Recording, assemble};
use randori_motion::{ActionLibrary, Build};
use randori_patches::making::{Tolerance, make};
use randori_patches::pattern::PatternFile;
use randori_patches::{Patches, Pattern};

fn library(name: &str, takes: impl Iterator<Item = (Performance, Discipline)>) -> ActionLibrary {
    let recordings: Vec<Recording> = takes
        .map(|(performance, discipline)| {
            let analysis = analyse(&performance.clip, &Settings::of(discipline)).unwrap();
            let standing = analysis.contacts.feet.map(|foot| foot.down);
            Recording { clip: performance.clip, standing, segments: analysis.segments }
        })
        .collect();
    assemble(name, name, Build::AVERAGE, &recordings, &Likeness::default()).unwrap()
}

fn casting(seconds: f32) -> Casting {
    Casting { build: Build::AVERAGE, temperament: Temperament::Calm, seed: 1, seconds }
}

/// Somebody who boxes and can be struck.
pub(crate) fn boxer() -> &'static Arc<Bodies> {
    static MADE: OnceLock<Arc<Bodies>> = OnceLock::new();
    MADE.get_or_init(|| {
        let takes = boxing(&casting(60.0)).into_iter().map(|take| (take, Discipline::Boxing));
        let struck = reactions(&casting(60.0)).into_iter().map(|take| (take, Discipline::Reactions));
        Arc::new(Bodies::of(Arc::new(library("boxing", takes.chain(struck)))))
    })
}

/// Somebody who stands in a crowd for so long (s).
pub(crate) fn bystander(seconds: f32) -> Arc<Bodies> {
    let takes = crowd(&casting(seconds)).into_iter().map(|take| (take, Discipline::Crowd));
    Arc::new(Bodies::of(Arc::new(library("crowd", takes))))
}

/// Somebody who stands in a crowd for a short while.
pub(crate) fn bystander_of_tests() -> &'static Arc<Bodies> {
    static MADE: OnceLock<Arc<Bodies>> = OnceLock::new();
    MADE.get_or_init(|| bystander(80.0))
}

const FIGHT: &str = r#"
[[pattern]]
steps = ["1 attack", "2 defence"]
samples = 120
choices = 6
most = 25
[[pattern]]
steps = ["1 stand", "2 attack", "1 fall"]
samples = 120
choices = 5
most = 25
impulse = 12.0
[[pattern]]
steps = ["1 attack", "2 defence", "2 attack", "1 fall"]
samples = 120
choices = 6
most = 20
impulse = 8.0
"#;

const DOMINOES: &str = r#"
[[pattern]]
steps = ["1 arbitrary", "2 fall", "1 fall"]
samples = 150
choices = 5
most = 60
impulse = 20.0
limbs = 0.12
distance = [0.4, 1.8]
angle1 = [-180, 180]
angle2 = [-180, 180]
delay = [0.0, 0.6]
[[pattern]]
steps = ["1 stand", "2 avoid", "1 pushed"]
samples = 150
choices = 5
most = 60
limbs = 0.12
distance = [0.5, 1.7]
angle1 = [-180, 180]
angle2 = [-180, 180]
delay = [0.0, 0.4]
"#;

pub(crate) fn patterns(text: &str) -> Vec<Pattern> {
    PatternFile::read(text).unwrap().patterns
}

pub(crate) fn made(bodies: &Arc<Bodies>, text: &str) -> Patches {
    make(bodies, &patterns(text), &Tolerance::default(), 1, &|_, _, _| ()).unwrap().0
}

/// A small set of fights.
pub(crate) fn fights() -> &'static Patches {
    static MADE: OnceLock<Patches> = OnceLock::new();
    MADE.get_or_init(|| made(boxer(), FIGHT))
}

/// A small set of people in a crowd who fall on each other and bump into each other.
pub(crate) fn tumbles() -> &'static Patches {
    static MADE: OnceLock<Patches> = OnceLock::new();
    MADE.get_or_init(|| made(bystander_of_tests(), DOMINOES))
}
