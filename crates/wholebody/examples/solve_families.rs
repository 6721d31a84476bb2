//! Solves families of problem files and prints how it went: `solve_families FOLDER [FORM…]`.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "an example reads files, clocks and prints"
)]

use cpu_time::ProcessTime;
use randori_wholebody::qp::file::Family;
use randori_wholebody::report::qp_report;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = std::path::PathBuf::from(arguments.next().ok_or("which folder?")?);
    let forms: Vec<String> = arguments.collect();
    let mut paths: Vec<_> =
        std::fs::read_dir(&folder)?.filter_map(|entry| entry.ok().map(|e| e.path())).collect();
    paths.sort();
    let start = ProcessTime::now();
    for json in paths.iter().filter(|path| path.extension().is_some_and(|e| e == "json")) {
        let form = json.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        if !forms.is_empty() && !forms.iter().any(|wanted| form.ends_with(wanted)) {
            continue;
        }
        let bin = json.with_extension("bin");
        let family = Family::read(
            &json.to_string_lossy(),
            &std::fs::read(json)?,
            &bin.to_string_lossy(),
            &std::fs::read(&bin)?,
        )?;
        let report = qp_report(&family, &mut || start.elapsed().as_secs_f64());
        println!("{}", serde_json::to_string(&report)?);
    }
    Ok(())
}
