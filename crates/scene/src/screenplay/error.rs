//! What is wrong with a scene file.

use std::fmt;

/// All that is wrong with a scene file, in the order of its lines.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct SceneError {
    /// The file's name as it was given.
    pub file: String,
    /// At least one.
    pub mistakes: Vec<Mistake>,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Where, counted from 1.
    pub line: usize,
    /// Where in the line, in characters counted from 1.
    pub column: usize,
    /// What is there.
    pub found: String,
    /// What is allowed there.
    pub allowed: String,
    /// What was probably meant.
    pub nearest: Option<String>,
}

/// A line for each mistake: `file:line:column: what; allowed: what`.
impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (idx, mistake) in self.mistakes.iter().enumerate() {
            if idx > 0 {
                writeln!(f)?;
            }
            write!(f, "{}:{}:{}: {mistake}", self.file, mistake.line, mistake.column)?;
        }
        Ok(())
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.found)?;
        if let Some(nearest) = &self.nearest {
            write!(f, " (did you mean {nearest:?}?)")?;
        }
        if !self.allowed.is_empty() {
            write!(f, "; allowed: {}", self.allowed)?;
        }
        Ok(())
    }
}
