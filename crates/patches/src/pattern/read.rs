//! Files of patterns: TOML, with what is not usual about a pattern.

use std::ops::Range;

use randori_arena::bodies::TICKS_PER_SECOND;
use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::{Pattern, Ranges, Sampling, Step, Weights};
use crate::patch::Role;

/// A file of patterns.
#[derive(Clone, Debug, PartialEq)]
pub struct PatternFile {
    /// What the patterns are for.
    pub name: String,
    /// The library that they were written for: a file, or `builtin:NAME`; empty if it does not matter.
    pub library: String,
    /// The patterns, in the order of the file.
    pub patterns: Vec<Pattern>,
}

/// Why a text is no file of patterns.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {what}")]
pub struct BadPatterns {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// What is wrong there.
    pub what: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileRecord {
    #[serde(default)]
    name: String,
    #[serde(default)]
    library: String,
    pattern: Vec<Spanned<PatternRecord>>,
}

/// A pattern as it is written: degrees and seconds, and nothing that is usual.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PatternRecord {
    name: Option<String>,
    steps: Vec<String>,
    weights: Option<WeightsRecord>,
    threshold: Option<f32>,
    impulse: Option<f32>,
    depth: Option<f32>,
    limbs: Option<f32>,
    distance_step: Option<f32>,
    angle_step: Option<f32>,
    delay_step: Option<f32>,
    distance: Option<[f32; 2]>,
    angle1: Option<[f32; 2]>,
    angle2: Option<[f32; 2]>,
    delay: Option<[f32; 2]>,
    samples: Option<usize>,
    choices: Option<usize>,
    most: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WeightsRecord {
    contact: f32,
    relation: f32,
    timing: f32,
}

impl PatternFile {
    /// Reads a text.
    ///
    /// ```
    /// use randori_patches::pattern::PatternFile;
    /// let read = PatternFile::read("[[pattern]]\nsteps = [\"1 attack\", \"2 defence\"]\n").unwrap();
    /// assert_eq!(read.patterns[0].name, "attack DEFENCE");
    /// let wrong = PatternFile::read("[[pattern]]\nsteps = [\"3 attack\"]\n").unwrap_err();
    /// assert_eq!((wrong.line, wrong.column), (2, 10));
    /// ```
    pub fn read(text: &str) -> Result<PatternFile, BadPatterns> {
        let file: FileRecord = toml::from_str(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            bad(text, at, error.message().to_owned())
        })?;
        if file.pattern.is_empty() {
            return Err(bad(text, 0, "expected at least one [[pattern]]".to_owned()));
        }
        // The span of a table is that of its header: it goes on to the next one.
        let starts: Vec<usize> = file.pattern.iter().map(|record| record.span().start).collect();
        let read = |(at, record): (usize, &Spanned<PatternRecord>)| {
            let span = starts[at]..starts.get(at + 1).copied().unwrap_or(text.len());
            record.get_ref().pattern().map_err(|Wrong { near, what }| {
                let within = text.get(span.clone()).unwrap_or("");
                bad(text, span.start + within.find(&near).unwrap_or(0), what)
            })
        };
        let patterns = file.pattern.iter().enumerate().map(read).collect::<Result<_, _>>()?;
        Ok(PatternFile { name: file.name, library: file.library, patterns })
    }
}

fn bad(text: &str, at: usize, what: String) -> BadPatterns {
    let before = text.get(..at).unwrap_or("");
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
    BadPatterns { line: before.matches('\n').count() + 1, column, what }
}

/// What is wrong with a pattern, and a word near which it is.
pub(crate) struct Wrong {
    near: String,
    pub(crate) what: String,
}

fn wrong(near: &str, what: String) -> Wrong {
    Wrong { near: near.to_owned(), what }
}

impl PatternRecord {
    pub(crate) fn of(pattern: &Pattern) -> PatternRecord {
        let Sampling { distance_step, angle_step, delay_step, ranges, samples, choices, most } =
            pattern.sampling.clone();
        let Weights { contact, relation, timing } = pattern.weights;
        let degrees =
            |range: &Option<Range<f32>>| range.as_ref().map(|it| [it.start, it.end].map(f32::to_degrees));
        let step = |step: &Step| format!("{} {}", step.role.idx() + 1, step.word);
        PatternRecord {
            name: Some(pattern.name.clone()),
            steps: pattern.steps.iter().map(step).collect(),
            weights: Some(WeightsRecord { contact, relation, timing }),
            threshold: Some(pattern.threshold),
            impulse: Some(pattern.impulse),
            depth: Some(pattern.depth),
            limbs: Some(pattern.limbs).filter(|depth| depth.is_finite()),
            distance_step: Some(distance_step),
            angle_step: Some(angle_step.to_degrees()),
            delay_step: Some(delay_step as f32 / TICKS_PER_SECOND),
            distance: ranges.distance.map(|it| [it.start, it.end]),
            angle1: degrees(&ranges.angles[0]),
            angle2: degrees(&ranges.angles[1]),
            delay: ranges.delay.map(|it| [it.start, it.end].map(|ticks| ticks as f32 / TICKS_PER_SECOND)),
            samples: Some(samples),
            choices: Some(choices),
            most: Some(most),
        }
    }

    pub(crate) fn pattern(&self) -> Result<Pattern, Wrong> {
        let steps = self.steps.iter().map(|text| step(text)).collect::<Result<Vec<_>, _>>()?;
        if steps.is_empty() || steps.len() > MOST_STEPS {
            let what = format!("expected 1 to {MOST_STEPS} steps, found {}", steps.len());
            return Err(wrong("steps", what));
        }
        let usual = Pattern::of(&self.name.clone().unwrap_or_else(|| called(&steps)), &[]);
        let range = |name: &str, found: Option<[f32; 2]>, least: f32, most: f32| match found {
            Some([from, to]) if !(from >= least && to <= most && from <= to) => {
                let what =
                    format!("{name}: expected [from, to] within {least} and {most}, found [{from}, {to}]");
                Err(wrong(name, what))
            }
            found => Ok(found.map(|[from, to]| from..to)),
        };
        let number = |name: &str, found: Option<f32>, usual: f32, least: f32, most: f32| match found {
            Some(value) if !(value >= least && value <= most) => {
                Err(wrong(name, format!("{name}: expected from {least} to {most}, found {value}")))
            }
            found => Ok(found.unwrap_or(usual)),
        };
        let count = |name: &str, found: Option<usize>, usual: usize| match found {
            Some(value) if !(1..=MOST).contains(&value) => {
                Err(wrong(name, format!("{name}: expected from 1 to {MOST}, found {value}")))
            }
            found => Ok(found.unwrap_or(usual)),
        };
        let radians = |range: Option<Range<f32>>| range.map(|it| it.start.to_radians()..it.end.to_radians());
        let ticks = |seconds: f32| libm::roundf(seconds * TICKS_PER_SECOND) as i32;
        let of = &usual.sampling;
        let sampling = Sampling {
            distance_step: number("distance_step", self.distance_step, of.distance_step, 0.01, 10.0)?,
            angle_step: number("angle_step", self.angle_step, of.angle_step.to_degrees(), 1.0, 360.0)?
                .to_radians(),
            delay_step: ticks(number("delay_step", self.delay_step, 0.1, 1.0 / TICKS_PER_SECOND, 10.0)?)
                .max(1),
            ranges: Ranges {
                distance: range("distance", self.distance, 0.0, 100.0)?,
                angles: [
                    radians(range("angle1", self.angle1, -180.0, 180.0)?),
                    radians(range("angle2", self.angle2, -180.0, 180.0)?),
                ],
                delay: range("delay", self.delay, -60.0, 60.0)?.map(|it| ticks(it.start)..ticks(it.end)),
            },
            samples: count("samples", self.samples, of.samples)?,
            choices: count("choices", self.choices, of.choices)?,
            most: count("most", self.most, of.most)?,
        };
        let weights = match self.weights {
            Some(WeightsRecord { contact, relation, timing }) => {
                for (name, weight) in [("contact", contact), ("relation", relation), ("timing", timing)] {
                    number(name, Some(weight), 0.0, 0.0, 1e6)?;
                }
                Weights { contact, relation, timing }
            }
            None => usual.weights,
        };
        Ok(Pattern {
            steps,
            weights,
            threshold: number("threshold", self.threshold, usual.threshold, 0.0, 1.0)?,
            sampling,
            impulse: number("impulse", self.impulse, usual.impulse, 0.0, 1e4)?,
            depth: number("depth", self.depth, usual.depth, 0.0, 1.0)?,
            limbs: number("limbs", self.limbs, usual.limbs, 0.0, 1.0)?,
            name: usual.name,
        })
    }
}

/// Nobody follows longer patterns.
const MOST_STEPS: usize = 32;
/// Samples, choices and patches.
const MOST: usize = 10_000_000;

/// `2 attack`.
fn step(text: &str) -> Result<Step, Wrong> {
    let wrong = || {
        let what = format!("expected a step such as \"1 attack\" or \"2 arbitrary\", found {text:?}");
        wrong(&format!("\"{text}\""), what)
    };
    let (role, word) = text.split_once(' ').ok_or_else(wrong)?;
    let role = match role {
        "1" => Role::First,
        "2" => Role::Second,
        _ => return Err(wrong()),
    };
    let word = randori_motion::Annotation::new(word.trim()).map_err(|_| wrong())?;
    Ok(Step { role, word: word.name().to_owned() })
}

/// The words, those of the second in capitals.
fn called(steps: &[Step]) -> String {
    let words = steps.iter().map(|step| match step.role {
        Role::First => step.word.clone(),
        Role::Second => step.word.to_uppercase(),
    });
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        let check = |text: &str, line: usize, what: &str| {
            let error = PatternFile::read(text).unwrap_err();
            assert_eq!(error.line, line, "{error}");
            assert!(error.what.contains(what), "{error}");
        };
        check("", 1, "pattern");
        check("[[pattern]]\nsteps = [\"1 attack\"\n", 2, "");
        check("[[pattern]]\nsteps = [\"1 attack\", \"two attack\"]\n", 2, "two attack");
        check("[[pattern]]\nsteps = []\n", 2, "1 to 32 steps");
        check("[[pattern]]\nsteps = [\"1 a\"]\nspeed = 3\n", 3, "speed");
        check("[[pattern]]\nsteps = [\"1 a\"]\nthreshold = 3\n", 3, "from 0 to 1");
        check("[[pattern]]\nsteps = [\"1 a\"]\nangle1 = [20, -20]\n", 3, "[20, -20]");
        check("[[pattern]]\nsteps = [\"1 a\"]\n[[pattern]]\nsteps = [\"1 a\"]\nmost = 0\n", 5, "most");
    }

    #[test]
    fn a_pattern_is_the_same_after_being_written() {
        let text = "[[pattern]]\nsteps = [\"1 run\", \"2 tackle\"]\nangle1 = [-30, 30]\ndelay = [0, 0.5]\nmost = 7\n";
        let pattern = PatternFile::read(text).unwrap().patterns.remove(0);
        assert_eq!(pattern.sampling.ranges.delay, Some(0..30));
        let again = PatternRecord::of(&pattern).pattern().map_err(|wrong| wrong.what).unwrap();
        assert_eq!(again.steps, pattern.steps);
        assert_eq!(again.sampling.ranges.delay, pattern.sampling.ranges.delay);
        assert_eq!((again.name, again.sampling.most), (pattern.name, 7));
    }
}
