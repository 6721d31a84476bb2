//! What the user moves while a scenario runs.

use glam::DVec3;
use serde::Serialize;

/// What an input is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum InputKind {
    /// One number.
    Number {
        /// Smallest and largest.
        range: [f64; 2],
        /// Its unit.
        unit: &'static str,
    },
    /// A point in the world (m).
    Point {
        /// Smallest coordinates (m).
        low: [f64; 3],
        /// Largest coordinates (m).
        high: [f64; 3],
    },
}

/// The value of an input.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// Of a number.
    Number(f64),
    /// Of a point (m).
    Point([f64; 3]),
}

/// Something that the user moves.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Input {
    /// Its name.
    pub name: &'static str,
    /// What it is and may be.
    pub kind: InputKind,
    /// What it is now.
    pub value: Value,
    /// The script moves it, because no user has yet.
    pub scripted: bool,
}

/// Why an input cannot be set.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum InputError {
    /// No input has the name.
    #[error("expected an input ({known}), found `{name}`")]
    Unknown {
        /// The name.
        name: String,
        /// The names there are.
        known: String,
    },
    /// A point for a number, a number for a point, or a number that is none.
    #[error("input `{name}`: expected {expected}, found {found:?}")]
    Value {
        /// The name.
        name: String,
        /// What it takes.
        expected: &'static str,
        /// What it got.
        found: Value,
    },
}

/// The inputs of a scenario.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Inputs(pub(crate) Vec<Input>);

impl Inputs {
    pub(crate) fn number(&mut self, name: &'static str, range: [f64; 2], unit: &'static str, value: f64) {
        let kind = InputKind::Number { range, unit };
        self.0.push(Input { name, kind, value: Value::Number(value), scripted: true });
    }

    pub(crate) fn point(&mut self, name: &'static str, low: DVec3, high: DVec3, value: DVec3) {
        let kind = InputKind::Point { low: low.to_array(), high: high.to_array() };
        self.0.push(Input { name, kind, value: Value::Point(value.to_array()), scripted: true });
    }

    /// Sets an input within its range.
    pub(crate) fn set(&mut self, name: &str, value: Value) -> Result<(), InputError> {
        let known = || self.0.iter().map(|input| input.name).collect::<Vec<_>>().join(", ");
        let Some(idx) = self.0.iter().position(|input| input.name == name) else {
            return Err(InputError::Unknown { name: name.into(), known: known() });
        };
        let input = &mut self.0[idx];
        let wrong = |expected| InputError::Value { name: name.into(), expected, found: value };
        input.value = match (input.kind, value) {
            (InputKind::Number { range, .. }, Value::Number(x)) if x.is_finite() => {
                Value::Number(x.clamp(range[0], range[1]))
            }
            (InputKind::Point { low, high }, Value::Point(p)) if p.iter().all(|x| x.is_finite()) => {
                Value::Point(std::array::from_fn(|k| p[k].clamp(low[k], high[k])))
            }
            (InputKind::Number { .. }, _) => return Err(wrong("a finite number")),
            (InputKind::Point { .. }, _) => return Err(wrong("three finite numbers")),
        };
        input.scripted = false;
        Ok(())
    }

    /// What the script would set, unless the user has taken over.
    pub(crate) fn script(&mut self, name: &str, value: Value) {
        if self.0.iter().any(|input| input.name == name && input.scripted) && self.set(name, value).is_ok() {
            self.0.iter_mut().filter(|input| input.name == name).for_each(|input| input.scripted = true);
        }
    }

    pub(crate) fn get_number(&self, name: &str) -> f64 {
        match self.0.iter().find(|input| input.name == name).map(|input| input.value) {
            Some(Value::Number(x)) => x,
            _ => 0.0,
        }
    }

    pub(crate) fn get_point(&self, name: &str) -> DVec3 {
        match self.0.iter().find(|input| input.name == name).map(|input| input.value) {
            Some(Value::Point(p)) => DVec3::from_array(p),
            _ => DVec3::ZERO,
        }
    }
}
