//! Writing a scenario's own problems as files that other solvers read: the form `notau` of [`super::file`].

use serde_json::json;

use super::blocks::{BlockQp, BlockSolution, Limit};
use super::dense::DenseQp;
use super::kkt::Multipliers;

/// A subsystem or a contact of the problems to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Its name.
    pub name: String,
    /// A free base (subsystems), or a grasp (contacts).
    pub mark: bool,
    /// Degrees with a drive (subsystems).
    pub driven: usize,
    /// The subsystem pushed and the one pushed back (contacts).
    pub sides: [Option<usize>; 2],
}

/// The two files of a family: header and records.
#[derive(Clone, Debug, PartialEq)]
pub struct Dumped {
    /// Of `SCENARIO.notau.json`.
    pub json: Vec<u8>,
    /// Of `SCENARIO.notau.bin`.
    pub bin: Vec<u8>,
    /// Number of problems.
    pub steps: usize,
}

/// Writes problems of one shape with their solutions.
pub fn dump(
    scenario: &str,
    dt: f64,
    subsystems: &[Named],
    contacts: &[Named],
    problems: &[(BlockQp, BlockSolution)],
) -> Option<Dumped> {
    let first = &problems.first()?.0;
    let dense: Vec<(DenseQp, Vec<f64>, Multipliers)> = problems.iter().map(solved).collect();
    let (n, m_eq, m_in) = (dense[0].0.n, dense[0].0.b.len(), dense[0].0.lower.len());
    let patterns = [
        pattern(&dense, n, n, |qp| &qp.h, true),
        pattern(&dense, m_eq, n, |qp| &qp.a, false),
        pattern(&dense, m_in, n, |qp| &qp.c, false),
    ];
    let lens = [
        ("H", patterns[0].len()),
        ("g", n),
        ("A", patterns[1].len()),
        ("b", m_eq),
        ("C", patterns[2].len()),
        ("lg", m_in),
        ("ug", m_in),
        ("lb", n),
        ("ub", n),
        ("x", n),
        ("y", m_eq),
        ("z", m_in),
        ("zb", n),
        ("kkt", 3),
    ];
    let mut offset = 0;
    let mut fields = Vec::new();
    for (name, len) in lens {
        fields.push(json!({ "name": name, "offset": offset, "len": len }));
        offset += len;
    }
    let mut bin = Vec::new();
    for (qp, x, multipliers) in &dense {
        let residuals = qp.residuals(x, multipliers);
        let matrix = |which: usize, full: &[f64]| -> Vec<f64> {
            patterns[which].iter().map(|(r, c)| full[r * n + c]).collect()
        };
        let lists: [&[f64]; 14] = [
            &matrix(0, &qp.h),
            &qp.g,
            &matrix(1, &qp.a),
            &qp.b,
            &matrix(2, &qp.c),
            &qp.lower,
            &qp.upper,
            &qp.x_lower,
            &qp.x_upper,
            x,
            &multipliers.y,
            &multipliers.z,
            &multipliers.z_bound,
            &[residuals.primal, residuals.stationarity, residuals.complementarity],
        ];
        bin.extend(lists.iter().flat_map(|list| list.iter()).flat_map(|value| value.to_le_bytes()));
    }
    let (mut nv, mut na, mut nf) = (0, 0, 0);
    let mut listed = Vec::new();
    for (block, named) in first.blocks.iter().zip(subsystems) {
        listed.push(json!({
            "name": named.name, "nv": block.n, "na": named.driven, "qdd": nv, "tau": null, "floating": named.mark,
        }));
        nv += block.n;
        na += named.driven;
    }
    let mut touching = Vec::new();
    for (patch, named) in first.patches.iter().zip(contacts) {
        let len = patch.force.len();
        touching.push(json!({
            "name": named.name, "kind": if named.mark { "grasp" } else { "planar" },
            "i": named.sides[0], "j": named.sides[1], "force": nv + nf, "force_len": len,
        }));
        nf += len;
    }
    let stored = |which: usize| {
        let (rows, cols): (Vec<usize>, Vec<usize>) = patterns[which].iter().copied().unzip();
        json!({ "rows": rows, "cols": cols })
    };
    let header = json!({
        "format": "randori-qp", "version": 1, "scenario": scenario, "form": "notau", "dt": dt,
        "n": n, "m_eq": m_eq, "m_in": m_in, "steps": dense.len(), "record_len": offset, "fields": fields,
        "patterns": { "H": stored(0), "A": stored(1), "C": stored(2) },
        "layout": {
            "nv": nv, "na": 0, "nf": nf, "driven": na, "subsystems": listed, "contacts": touching,
            "collision_pairs": first.rows.len(),
        },
    });
    let mut json = serde_json::to_vec(&header).ok()?;
    json.push(b'\n');
    Some(Dumped { json, bin, steps: dense.len() })
}

/// The problem without its structure, and the solution in its variables.
fn solved((qp, solution): &(BlockQp, BlockSolution)) -> (DenseQp, Vec<f64>, Multipliers) {
    let (dense, map) = qp.to_dense();
    let mut x = solution.qdd.clone();
    x.extend_from_slice(&solution.coefficients);
    let of = |limit: &Limit| match *limit {
        Limit::Torque { block, dof } => solution.torque_multipliers[qp.block_start(block) + dof],
        Limit::NoSlip { patch, axis } => solution.contact_multipliers[6 * patch + axis],
        Limit::Row { row } => solution.row_multipliers[row],
        Limit::Acceleration { .. } | Limit::Cone { .. } => 0.0,
    };
    let mut z_bound = solution.bound_multipliers.clone();
    z_bound.extend_from_slice(&solution.cone_multipliers);
    let multipliers = Multipliers {
        y: map.equalities.iter().map(of).collect(),
        z: map.inequalities.iter().map(of).collect(),
        z_bound,
    };
    (dense, x, multipliers)
}

/// Where any of the matrices has an entry: by column, then row; the upper half of symmetric ones.
fn pattern(
    problems: &[(DenseQp, Vec<f64>, Multipliers)],
    rows: usize,
    cols: usize,
    matrix: fn(&DenseQp) -> &Vec<f64>,
    upper: bool,
) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for c in 0..cols {
        for r in 0..rows {
            let here = |problem: &(DenseQp, Vec<f64>, Multipliers)| matrix(&problem.0)[r * cols + c] != 0.0;
            if (!upper || r <= c) && (r == c && upper || problems.iter().any(here)) {
                found.push((r, c));
            }
        }
    }
    found
}
