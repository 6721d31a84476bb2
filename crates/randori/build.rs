//! Tells the program which code its built-in libraries come from, so that cached ones are made again when it changes.

#![expect(clippy::disallowed_methods, reason = "a build script reads files and speaks to cargo")]

use std::path::{Path, PathBuf};

/// The code that decides what is in a built-in library, in an interaction graph and in a set of patches of any library,
/// and in what rivals have learned.
const MAKERS: [(&str, [&str; 2]); 4] = [
    ("RANDORI_CODE", ["../actor/src", "../motion/src"]),
    ("RANDORI_GRAPH_CODE", ["../arena/src", "../interaction-graph/src"]),
    ("RANDORI_PATCH_CODE", ["../arena/src", "../patches/src/making"]),
    ("RANDORI_RIVALS_CODE", ["../equilibrium/src", "../rivals/src"]),
];

fn main() {
    for (variable, makers) in MAKERS {
        println!("cargo:rustc-env={variable}={:016x}", hash_of(&makers));
    }
}

/// Changes with any file below these folders.
fn hash_of(makers: &[&str]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |bytes: &[u8]| {
        for byte in bytes {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        }
    };
    add(env!("CARGO_PKG_VERSION").as_bytes());
    for maker in makers {
        println!("cargo:rerun-if-changed={maker}");
        for file in files_in(Path::new(maker)) {
            add(file.to_string_lossy().as_bytes());
            add(&std::fs::read(&file).unwrap_or_default());
        }
    }
    hash
}

/// All files below a folder, in the order of their names; none if it is not there.
fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    paths.into_iter().flat_map(|path| if path.is_dir() { files_in(&path) } else { vec![path] }).collect()
}
