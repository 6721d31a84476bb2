//! Metres per unit of files that do not state them.

use super::{Basis, ImportError, ImportOptions, Place, Warning};

/// The units that captures come in, with how strange each is: a stranger one must fit better.
const UNITS: [(f64, &str, f64); 5] = [
    (1.0, "metres", 0.0),
    (0.01, "centimetres", 0.0),
    (0.001, "millimetres", 0.0),
    (0.0254, "inches", 0.3),
    (0.0254 / 0.45, "CMU's unit of 0.0254 / 0.45 m", 0.3),
];

/// What the longest way along bones from the hips of a person comes to (m): mostly a leg to the tip of the
/// toes or an arm to the tip of the fingers.
const REACH: f64 = 1.25;

/// Reaches that are believed to be a person's (m).
const BELIEVED: std::ops::Range<f64> = 0.5..2.6;

/// The metres per unit of a file and how they were found.
pub(super) struct Scale {
    pub(super) metres_per_unit: f64,
    pub(super) basis: Basis,
    pub(super) warning: Option<Warning>,
}

impl Scale {
    /// The given scale, or the known one, or the unit in which `reach` (the longest way along bones from
    /// the root, in the file's units) fits a person best.
    pub(super) fn find(
        options: &ImportOptions,
        known: Option<(f64, Basis)>,
        reach: impl FnOnce() -> f64,
    ) -> Result<Scale, ImportError> {
        options.validate()?;
        if let Some(given) = options.scale {
            return Ok(Scale { metres_per_unit: given, basis: Basis::Given, warning: None });
        }
        if let Some((metres_per_unit, basis)) = known {
            return Ok(Scale { metres_per_unit, basis, warning: None });
        }
        let (metres_per_unit, message) = guess(reach());
        let warning = Some(Warning { place: Place::Whole, message });
        Ok(Scale { metres_per_unit, basis: Basis::Detected, warning })
    }
}

/// The longest way along bones from the root, given for every joint its parent, the length of the bone that
/// leads to it, and the length of the longest bone that ends at no joint.
pub(super) fn longest_way(bones: impl Iterator<Item = (Option<usize>, f64, f64)>) -> f64 {
    let mut ways: Vec<f64> = Vec::new();
    let mut longest = 0.0f64;
    for (parent, bone, tip) in bones {
        // Where the root stands says nothing about the body.
        let way = parent.map_or(0.0, |parent| ways[parent] + bone);
        ways.push(way);
        longest = longest.max(way + tip);
    }
    longest
}

fn guess(reach: f64) -> (f64, String) {
    if reach <= 0.0 {
        return (1.0, "no bone has a length to tell the unit by; metres are assumed".to_owned());
    }
    let misfit =
        |(metres, _, strangeness): &(f64, &str, f64)| libm::log(reach * metres / REACH).abs() + strangeness;
    let (metres, name, _) = UNITS
        .into_iter()
        .min_by(|a, b| misfit(a).total_cmp(&misfit(b)))
        .expect("there are units to choose from");
    let in_metres = reach * metres;
    let doubt = if BELIEVED.contains(&in_metres) { "" } else { ", which is no person's size" };
    let message = format!(
        "the file states no unit; taken as {name}, in which the longest chain of bones from the root is \
         {in_metres:.2} m{doubt}"
    );
    (metres, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_told_by_the_size_of_the_body() {
        for (reach, expected) in [
            (1.2, 1.0),
            (0.8, 1.0),
            (1.9, 1.0),
            (120.0, 0.01),
            (75.0, 0.01),
            (190.0, 0.01),
            (1200.0, 0.001),
            (49.0, 0.0254),
            (21.7, 0.0254 / 0.45),
            (0.0, 1.0),
        ] {
            assert_eq!(guess(reach).0, expected, "{reach}");
        }
        assert!(guess(1e7).1.ends_with("which is no person's size"));
    }
}
