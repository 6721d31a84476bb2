//! Files of quadratic programs (`randori-qp`, version 1): a header in JSON, records of doubles.
//!
//! One family is a sequence of problems of one shape: `minimise ½ xᵀHx + gᵀx` subject to `A x = b`,
//! `lg <= C x <= ug`, `lb <= x <= ub`, each with a reference solution.

use serde::Deserialize;

use super::dense::DenseQp;
use super::kkt::Multipliers;

/// Variables, rows, records and stored values a family may have: a hundred people in one problem fit.
const MAX_SIZE: usize = 8192;
const MAX_RECORD: usize = 64 << 20;

/// Why a family cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The header is not what it should be.
    #[error("{file}: {why}")]
    Header {
        /// The header's file.
        file: String,
        /// What is wrong, with the key.
        why: String,
    },
    /// The records do not fit the header.
    #[error("{file}: {why}")]
    Records {
        /// The records' file.
        file: String,
        /// What is wrong.
        why: String,
    },
}

/// Which unknowns a family has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// Accelerations, torques and coefficients; three no-slip rows per contact point.
    Table,
    /// The same with six no-slip rows per patch.
    Six,
    /// Torques substituted out.
    Notau,
    /// Wrenches in place of coefficients as well.
    Wrench,
}

#[derive(Deserialize)]
struct Header {
    format: String,
    version: u32,
    scenario: String,
    form: Form,
    n: usize,
    m_eq: usize,
    m_in: usize,
    steps: usize,
    record_len: usize,
    fields: Vec<Field>,
    patterns: Patterns,
    layout: FileLayout,
}

#[derive(Clone, Deserialize)]
struct Field {
    name: String,
    offset: usize,
    len: usize,
}

#[derive(Deserialize)]
#[serde(rename_all = "UPPERCASE")]
struct Patterns {
    h: Pattern,
    a: Pattern,
    c: Pattern,
}

#[derive(Deserialize)]
struct Pattern {
    rows: Vec<usize>,
    cols: Vec<usize>,
}

/// Which variable belongs to what.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct FileLayout {
    /// Subsystems in order.
    pub subsystems: Vec<FileSubsystem>,
    /// Contact patches in order.
    pub contacts: Vec<FileContact>,
    /// Number of collision rows.
    pub collision_pairs: usize,
}

/// A subsystem's variables.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct FileSubsystem {
    /// For messages.
    pub name: String,
    /// Degrees of freedom.
    pub nv: usize,
    /// Driven ones: the last.
    pub na: usize,
    /// Where its accelerations start.
    pub qdd: usize,
    /// Where its torques start, if they are variables.
    pub tau: Option<usize>,
}

/// A patch's variables.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct FileContact {
    /// For messages.
    pub name: String,
    /// Subsystem pushed.
    pub i: usize,
    /// Subsystem pushed back; `None` is the ground.
    pub j: Option<usize>,
    /// Where its force variables start.
    pub force: usize,
    /// How many they are.
    pub force_len: usize,
}

/// A sequence of problems of one shape.
pub struct Family {
    /// Name of the scenario.
    pub scenario: String,
    /// Which unknowns.
    pub form: Form,
    /// Number of problems.
    pub steps: usize,
    /// Meaning of the variables.
    pub layout: FileLayout,
    header: Header,
    offsets: [usize; 10],
    records: Vec<f64>,
}

/// A problem with its reference solution.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// The problem.
    pub problem: DenseQp,
    /// Its optimum as the file has it.
    pub x: Vec<f64>,
    /// And multipliers.
    pub multipliers: Multipliers,
}

const FIELDS: [&str; 9] = ["H", "g", "A", "b", "C", "lg", "ug", "lb", "ub"];

impl Family {
    /// Reads a family from its two files' contents; the names are for messages.
    pub fn read(json_name: &str, json: &[u8], bin_name: &str, bin: &[u8]) -> Result<Family, FileError> {
        let bad = |why: String| FileError::Header { file: json_name.into(), why };
        let header: Header = serde_json::from_slice(json).map_err(|error| bad(error.to_string()))?;
        if header.format != "randori-qp" || header.version != 1 {
            return Err(bad(format!(
                "format `{}` version {}, expected `randori-qp` version 1",
                header.format, header.version
            )));
        }
        for (key, value) in
            [("n", header.n), ("m_eq", header.m_eq), ("m_in", header.m_in), ("steps", header.steps)]
        {
            if value > MAX_SIZE {
                return Err(bad(format!("{key} is {value}, at most {MAX_SIZE} are read")));
            }
        }
        if header.record_len > MAX_RECORD {
            return Err(bad(format!("record_len is {}, at most {MAX_RECORD} are read", header.record_len)));
        }
        let (n, me, mi) = (header.n, header.m_eq, header.m_in);
        for (name, pattern, rows, cols) in [
            ("H", &header.patterns.h, n, n),
            ("A", &header.patterns.a, me, n),
            ("C", &header.patterns.c, mi, n),
        ] {
            if pattern.rows.len() != pattern.cols.len() {
                return Err(bad(format!(
                    "pattern {name}: {} rows but {} columns",
                    pattern.rows.len(),
                    pattern.cols.len()
                )));
            }
            let outside = pattern.rows.iter().zip(&pattern.cols).find(|(r, c)| **r >= rows || **c >= cols);
            if let Some((r, c)) = outside {
                return Err(bad(format!("pattern {name}: entry ({r}, {c}) is outside {rows} x {cols}")));
            }
        }
        let lens = [
            header.patterns.h.rows.len(),
            n,
            header.patterns.a.rows.len(),
            me,
            header.patterns.c.rows.len(),
            mi,
            mi,
            n,
            n,
        ];
        let mut offsets = [0; 10];
        for (slot, (name, len)) in FIELDS.iter().zip(lens).chain([(&"x", n)]).enumerate() {
            let field = header.fields.iter().find(|field| field.name == *name);
            let field = field.ok_or_else(|| bad(format!("no field `{name}`")))?;
            let fits = field.offset.checked_add(field.len).is_some_and(|end| end <= header.record_len);
            if field.len != len || !fits {
                return Err(bad(format!(
                    "field `{name}` has {} numbers at {}, expected {len} inside {}",
                    field.len, field.offset, header.record_len
                )));
            }
            offsets[slot] = field.offset;
        }
        check_layout(&header).map_err(bad)?;
        let expected = header.steps.checked_mul(header.record_len).and_then(|count| count.checked_mul(8));
        if expected != Some(bin.len()) {
            let why = format!(
                "{} bytes, the header asks for {} records of {} doubles",
                bin.len(),
                header.steps,
                header.record_len
            );
            return Err(FileError::Records { file: bin_name.into(), why });
        }
        let records: Vec<f64> = bin
            .chunks_exact(8)
            .map(|bytes| f64::from_le_bytes(bytes.try_into().expect("eight bytes")))
            .collect();
        if let Some(at) = records.iter().position(|x| x.is_nan()) {
            let why =
                format!("record {}, number {}: not a number", at / header.record_len, at % header.record_len);
            return Err(FileError::Records { file: bin_name.into(), why });
        }
        let (scenario, form, steps, layout) =
            (header.scenario.clone(), header.form, header.steps, header.layout.clone());
        Ok(Family { scenario, form, steps, layout, header, offsets, records })
    }

    /// Problem number `step` and its reference solution; `None` past the end.
    pub fn problem(&self, step: usize) -> Option<Reference> {
        let len = self.header.record_len;
        let record = self.records.get(step * len..(step + 1) * len)?;
        let (n, me, mi) = (self.header.n, self.header.m_eq, self.header.m_in);
        let field = |slot: usize, len: usize| &record[self.offsets[slot]..self.offsets[slot] + len];
        let fill = |pattern: &Pattern, values: &[f64], rows: usize, mirror: bool| {
            let mut full = vec![0.0; rows * n];
            for ((r, c), value) in pattern.rows.iter().zip(&pattern.cols).zip(values) {
                full[r * n + c] = *value;
                if mirror {
                    full[c * n + r] = *value;
                }
            }
            full
        };
        let patterns = &self.header.patterns;
        let problem = DenseQp {
            n,
            h: fill(&patterns.h, field(0, patterns.h.rows.len()), n, true),
            g: field(1, n).to_vec(),
            a: fill(&patterns.a, field(2, patterns.a.rows.len()), me, false),
            b: field(3, me).to_vec(),
            c: fill(&patterns.c, field(4, patterns.c.rows.len()), mi, false),
            lower: field(5, mi).to_vec(),
            upper: field(6, mi).to_vec(),
            x_lower: field(7, n).to_vec(),
            x_upper: field(8, n).to_vec(),
        };
        let list = |name: &str, len: usize| {
            let field = self.header.fields.iter().find(|field| field.name == name && field.len == len);
            field
                .and_then(|field| record.get(field.offset..field.offset + len))
                .map_or(vec![0.0; len], <[f64]>::to_vec)
        };
        let multipliers = Multipliers { y: list("y", me), z: list("z", mi), z_bound: list("zb", n) };
        Some(Reference { problem, x: field(9, n).to_vec(), multipliers })
    }
}

fn check_layout(header: &Header) -> Result<(), String> {
    let inside = |start: usize, len: usize| start.checked_add(len).is_some_and(|end| end <= header.n);
    for s in &header.layout.subsystems {
        let torques = s.tau.is_none_or(|tau| inside(tau, s.na));
        if s.na > s.nv || !inside(s.qdd, s.nv) || !torques {
            return Err(format!("layout: subsystem `{}` reaches outside the {} variables", s.name, header.n));
        }
    }
    for c in &header.layout.contacts {
        let n = header.layout.subsystems.len();
        if c.i >= n || c.j.is_some_and(|j| j >= n) || !inside(c.force, c.force_len) {
            return Err(format!(
                "layout: contact `{}` names a subsystem or variables that do not exist",
                c.name
            ));
        }
    }
    Ok(())
}
