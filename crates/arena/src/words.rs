//! The annotations of a library as numbers, for tables over them.

use std::collections::BTreeMap;

use randori_motion::{ActionLibrary, Annotation};

/// The annotations of a library, numbered.
#[derive(Clone, Debug, Default)]
pub(crate) struct Words {
    pub(crate) known: Vec<Annotation>,
    /// How many actions have each.
    pub(crate) sizes: Vec<u16>,
    /// Number of each action's annotation.
    pub(crate) of_action: Vec<u16>,
}

impl Words {
    pub(crate) fn of(library: &ActionLibrary) -> Words {
        let mut numbers: BTreeMap<&Annotation, u16> = BTreeMap::new();
        let mut words = Words::default();
        for action in library.actions() {
            let number = *numbers.entry(&action.annotation).or_insert_with(|| {
                words.known.push(action.annotation.clone());
                words.sizes.push(0);
                words.known.len() as u16 - 1
            });
            words.sizes[usize::from(number)] += 1;
            words.of_action.push(number);
        }
        words
    }

    /// Something of every action, from that of every annotation.
    pub(crate) fn of_actions(&self, of_words: &[f64]) -> Vec<f64> {
        self.of_action.iter().map(|word| of_words[usize::from(*word)]).collect()
    }
}
