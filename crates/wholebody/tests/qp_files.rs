//! Problem files: read, refused, solved.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "tests fail by panicking and speak by printing")]

use randori_testkit::mutate::mutant;
use randori_wholebody::qp::file::Family;
use randori_wholebody::report::qp_report;
use serde_json::{Value, json};

/// A family of one problem: a body with one driven and one passive degree of freedom, no contact.
fn tiny() -> (Value, Vec<u8>) {
    let names = ["H", "g", "A", "b", "C", "lg", "ug", "lb", "ub", "x", "y", "z", "zb", "kkt"];
    let values: [&[f64]; 14] = [
        &[1.0, 1.0],
        &[-1.0, -1.0],
        &[2.0, 1.0],
        &[1.0],
        &[1.0, 2.0],
        &[-4.0],
        &[4.0],
        &[-9.0, -9.0],
        &[9.0, 9.0],
        &[0.2, 0.6],
        &[0.4],
        &[0.0],
        &[0.0, 0.0],
        &[0.0, 0.0, 0.0],
    ];
    let mut offset = 0;
    let mut fields = Vec::new();
    for (name, list) in names.iter().zip(values) {
        fields.push(json!({"name": name, "offset": offset, "len": list.len()}));
        offset += list.len();
    }
    let header = json!({
        "format": "randori-qp", "version": 1, "scenario": "tiny", "form": "notau", "dt": 0.01,
        "n": 2, "m_eq": 1, "m_in": 1, "steps": 1, "record_len": offset, "fields": fields,
        "patterns": {
            "H": {"rows": [0, 1], "cols": [0, 1]},
            "A": {"rows": [0, 0], "cols": [0, 1]},
            "C": {"rows": [0, 0], "cols": [0, 1]},
        },
        "layout": {
            "nv": 2, "na": 0, "nf": 0, "collision_pairs": 0, "contacts": [],
            "subsystems": [{"name": "body", "nv": 2, "na": 1, "qdd": 0, "tau": null, "floating": false}],
        },
    });
    let bytes = values.iter().flat_map(|list| list.iter()).flat_map(|x| x.to_le_bytes()).collect();
    (header, bytes)
}

fn read(header: &Value, bytes: &[u8]) -> Result<Family, String> {
    Family::read("tiny.json", header.to_string().as_bytes(), "tiny.bin", bytes)
        .map_err(|error| error.to_string())
}

#[test]
fn a_family_is_read_and_solved() {
    let (header, bytes) = tiny();
    let family = read(&header, &bytes).unwrap();
    // Costs a quarter of a millisecond to read, as two hundred readings tell before there is work.
    let (mut time, mut readings) = (0.0, 0);
    let report = qp_report(&family, &mut || {
        readings += 1;
        time += if readings <= 200 { 0.25e-3 } else { 1.25e-3 };
        time
    });
    assert_eq!((report.failures, report.fallbacks), (0, 0), "{report:?}");
    assert!(report.kkt_max < 1e-12 && report.objective_gap_max < 1e-12, "{report:?}");
    assert!((report.warm_median_ms - 1.0).abs() < 1e-9, "the clock is the caller's");
}

#[test]
fn bad_families_are_refused_with_file_and_key() {
    let (good, bytes) = tiny();
    let check = |change: &dyn Fn(&mut Value), expected: &str| {
        let mut header = good.clone();
        change(&mut header);
        let error = read(&header, &bytes).err().expect("must be refused");
        assert!(error.contains(expected), "`{error}` does not say `{expected}`");
    };
    check(&|h| h["version"] = json!(2), "tiny.json: format `randori-qp` version 2");
    check(&|h| h["n"] = json!(100_000), "tiny.json: n is 100000");
    check(&|h| h["n"] = json!(-1), "tiny.json: invalid value");
    check(&|h| h["patterns"]["A"]["cols"][1] = json!(7), "pattern A: entry (0, 7) is outside 1 x 2");
    check(&|h| h["patterns"]["A"]["cols"] = json!([0]), "pattern A: 2 rows but 1 columns");
    check(&|h| h["fields"][2]["len"] = json!(3), "field `A` has 3 numbers");
    check(&|h| h["fields"][3]["offset"] = json!(u64::MAX), "field `b`");
    check(&|h| h["fields"][0]["name"] = json!("G"), "no field `H`");
    check(&|h| h["steps"] = json!(3), "tiny.bin: ");
    check(&|h| h["layout"]["subsystems"][0]["nv"] = json!(5), "subsystem `body` reaches outside");
    check(&|h| h["form"] = json!("cubic"), "unknown variant `cubic`");
    let mut nan = bytes.clone();
    nan[16..24].copy_from_slice(&f64::NAN.to_le_bytes());
    let error = read(&good, &nan).err().expect("must be refused");
    assert!(error.contains("tiny.bin: record 0, number 2: not a number"), "{error}");
}

#[test]
fn broken_families_never_panic() {
    let (header, bytes) = tiny();
    let text = header.to_string();
    for seed in 0..1500 {
        let json = mutant(text.as_bytes(), seed);
        let bin = if seed % 3 == 0 { mutant(&bytes, seed) } else { bytes.clone() };
        if let Ok(family) = Family::read("json", &json, "bin", &bin) {
            qp_report(&family, &mut || 0.0);
        }
    }
}

/// The sequences of the peers: `RANDORI_QP` is a folder of families.
#[test]
#[expect(clippy::disallowed_methods, reason = "a test may read files it is pointed to")]
fn sequences_outside_the_repository_are_solved() {
    let Ok(folder) = std::env::var("RANDORI_QP") else {
        eprintln!("SKIPPED: RANDORI_QP names no folder; this test checked NOTHING");
        return;
    };
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for json in paths.iter().filter(|path| path.to_string_lossy().ends_with(".notau.json")) {
        let bin = json.with_extension("bin");
        let read = |path: &std::path::Path| std::fs::read(path).unwrap();
        let family = Family::read("json", &read(json), "bin", &read(&bin)).unwrap();
        let report = qp_report(&family, &mut || 0.0);
        eprintln!("{report:?}");
        assert_eq!(report.failures, 0);
        assert!(report.kkt_max < 1e-8 && report.objective_gap_max < 1e-6);
    }
}
