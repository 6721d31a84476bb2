//! The action combination table: how well an action suits what the opponent does.
//!
//! Reference: \[Shum2012\], section VIII-A, tables I and II: attacks are annotated with where they go and how they come,
//! defences with what they cover and keep off; the suitability of a pair is the number of common elements over the
//! number of elements of the defence. Records can be amended by hand.

use std::collections::BTreeMap;

use randori_motion::Annotation;
use randori_motion::annotation::{Direction, KNOWN, Kind, Target, Word};

/// Suitability of pairs of actions, by annotation.
///
/// ```
/// use randori_arena::combination::Table;
/// use randori_motion::Annotation;
/// let table = Table::of_known_words();
/// let (duck, jab) = (Annotation::of("duck"), Annotation::of("right-jab"));
/// assert_eq!(table.suitability(&duck, &jab), Some(0.75));
/// assert_eq!(table.suitability(&jab, &duck), None);
/// ```
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Table {
    /// By the character's action, then by the opponent's.
    records: BTreeMap<Annotation, BTreeMap<Annotation, f32>>,
}

impl Table {
    /// The pairs of all defences with all attacks that have a meaning here.
    pub fn of_known_words() -> Table {
        let of_kind = |kind: Kind| KNOWN.iter().filter(move |word| word.kind == kind);
        let mut table = Table::default();
        for defence in of_kind(Kind::Defence) {
            for attack in of_kind(Kind::Attack) {
                let names = [defence, attack].map(|word: &Word| Annotation::of(word.name));
                let [own, other] = names;
                let value =
                    suitability((defence.targets, defence.directions), (attack.targets, attack.directions));
                table.amend(own, other, value);
            }
        }
        table
    }

    /// Adds a record, or puts it in the place of another. Negative values discourage.
    pub fn amend(&mut self, own: Annotation, other: Annotation, suitability: f32) {
        self.records.entry(own).or_default().insert(other, suitability);
    }

    /// How well an action suits the opponent's: S; `None` if the table has no such pair.
    pub fn suitability(&self, own: &Annotation, other: &Annotation) -> Option<f32> {
        self.answers(own)?.get(other).copied()
    }

    /// What an action answers, and how well; `None` if it answers nothing.
    pub(crate) fn answers(&self, own: &Annotation) -> Option<&BTreeMap<Annotation, f32>> {
        self.records.get(own)
    }
}

/// S = matched elements of a defence over all of its elements; 0 for a defence of nothing.
pub fn suitability(
    (covered, kept_off): (&[Target], &[Direction]),
    (targets, directions): (&[Target], &[Direction]),
) -> f32 {
    let n_defence = covered.len() + kept_off.len();
    let n_matched = covered.iter().filter(|target| targets.contains(target)).count()
        + kept_off.iter().filter(|direction| directions.contains(direction)).count();
    if n_defence == 0 { 0.0 } else { n_matched as f32 / n_defence as f32 }
}

#[cfg(test)]
mod tests {
    use randori_motion::annotation::Direction::{Front, Horizontal, Upwards};
    use randori_motion::annotation::Target::{Head, LowerTorso, UpperTorso};

    use super::*;

    #[test]
    fn table_two_of_the_paper() {
        let duck: (&[Target], &[Direction]) = (&[Head, UpperTorso], &[Front, Horizontal]);
        let jump_back: (&[Target], &[Direction]) = (&[UpperTorso, LowerTorso], &[Horizontal, Upwards]);
        let right_jab: (&[Target], &[Direction]) = (&[Head, UpperTorso], &[Front]);
        let upwards_kick: (&[Target], &[Direction]) = (&[UpperTorso, LowerTorso], &[Upwards]);
        for (defence, attack, expected) in [
            (duck, right_jab, 0.75),
            (duck, upwards_kick, 0.25),
            (jump_back, right_jab, 0.25),
            (jump_back, upwards_kick, 0.75),
        ] {
            assert_eq!(suitability(defence, attack), expected);
        }
        assert_eq!(suitability((&[], &[]), right_jab), 0.0);
    }

    #[test]
    fn records_can_be_amended() {
        let mut table = Table::of_known_words();
        let [sway, hook] = ["sway-back", "left-hook"].map(Annotation::of);
        assert!(table.suitability(&sway, &hook).unwrap() > 0.0);
        table.amend(sway.clone(), hook.clone(), -1.0);
        assert_eq!(table.suitability(&sway, &hook), Some(-1.0));
    }
}
