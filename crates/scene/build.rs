//! Lists the scenes that come with the program: whatever lies in `scenes/`, so that no list has to be kept.

#![expect(clippy::disallowed_methods, reason = "a build script is at the edge")]

use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(&std::env::var("CARGO_MANIFEST_DIR")?).join("../../scenes").canonicalize()?;
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(&folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_, std::io::Error>>()?;
    paths.sort();
    let mut list = String::from("&[\n");
    let mut pictures = String::from("&[\n");
    for path in &paths {
        let name = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
        match path.extension().and_then(|end| end.to_str()) {
            Some("toml") => writeln!(list, "({:?}, include_str!({path:?})),", name(path.file_stem()))?,
            Some("png") => writeln!(pictures, "({:?}, include_bytes!({path:?})),", name(path.file_name()))?,
            _ => {}
        }
    }
    let out = std::env::var("OUT_DIR")?;
    std::fs::write(Path::new(&out).join("scenes.rs"), list + "]\n")?;
    std::fs::write(Path::new(&out).join("pictures.rs"), pictures + "]\n")?;
    Ok(())
}
