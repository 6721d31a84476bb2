//! The words of patterns: which annotations they stand for.

use randori_motion::Annotation;
use randori_motion::annotation::Kind;

/// Words for more than one annotation whose names do not say so.
const FAMILIES: &[(&str, &[&str])] = &[
    ("punch", &["jab", "straight", "hook", "uppercut"]),
    ("kick", &["kick", "roundhouse"]),
    ("dodge", &["dodge", "slip", "sway", "duck"]),
    ("fall", &["fall", "knock-down", "tackled"]),
    ("pushed", &["pushed", "stumble"]),
    ("walk", &["walk", "start", "stop"]),
    ("run", &["run", "sprint", "jog"]),
    ("hand", &["hand-over"]),
    ("stand", &["idle", "look"]),
    ("transition", &["step", "turn"]),
];

/// Defences that stop an attack instead of getting out of its way.
const STOPS: [&str; 3] = ["guard", "parry", "block"];

/// Whether a word of a pattern means an annotation.
///
/// A word means the annotation of this name, and all that have it in their name: `hook` means `left-hook`. Some words
/// mean whole families: `attack`, `defence`, `avoid` (defences that stop nothing), `fall`, `pushed`, and `arbitrary`: whatever
/// somebody does who stands, turns or walks with free hands.
///
/// ```
/// use randori_motion::Annotation;
/// use randori_patches::pattern::matches;
/// assert!(matches("attack", &Annotation::of("left-jab")));
/// assert!(matches("punch", &Annotation::of("left-jab")) && !matches("kick", &Annotation::of("left-jab")));
/// assert!(matches("avoid", &Annotation::of("duck")) && !matches("avoid", &Annotation::of("parry")));
/// assert!(matches("fall", &Annotation::of("knock-down")));
/// ```
pub fn matches(word: &str, annotation: &Annotation) -> bool {
    let has = |part: &str| has_part(annotation.name(), part);
    let is_shared = annotation.name().starts_with("pair-");
    if annotation.name() == word {
        return true;
    }
    match word {
        "attack" => annotation.kind() == Kind::Attack,
        "defence" => annotation.kind() == Kind::Defence,
        "avoid" => annotation.kind() == Kind::Defence && !STOPS.iter().any(|stop| has(stop)),
        "arbitrary" => {
            let is_free = annotation.holds() == [None; 2];
            annotation.kind() == Kind::Transition && is_free && !has("get-up")
        }
        // What two people carry is no business of one.
        _ if is_shared => word.starts_with("pair-") && has(word),
        // Whoever turns with something in the hands carries it.
        "turn" => has("turn") && annotation.holds() == [None; 2],
        _ => match FAMILIES.iter().find(|(family, _)| *family == word) {
            Some((_, members)) => members.iter().any(|member| has(member)),
            None => has(word),
        },
    }
}

/// Whether a word means what is done to somebody, not what somebody does.
pub fn is_reaction(word: &str) -> bool {
    let is_family = ["fall", "falling", "pushed", "reaction"].contains(&word);
    is_family || Annotation::new(word).is_ok_and(|annotation| annotation.kind() == Kind::Reaction)
}

/// Whether a name has these words in it, whole ones: `low-kick` is in `left-low-kick`, `lift` is not in `shoplift`.
fn has_part(name: &str, part: &str) -> bool {
    let joins = |at: usize| {
        let before = at == 0 || name.as_bytes()[at - 1] == b'-';
        let end = at + part.len();
        before && (end == name.len() || name.as_bytes()[end] == b'-')
    };
    name.match_indices(part).any(|(at, _)| joins(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_mean_what_they_say() {
        let cases = [
            ("turn", "turn-left", true),
            ("turn", "carry-turn-left-light-small", false),
            ("carry", "carry-turn-left-light-small", true),
            ("carry", "pair-carry-back-light-large", false),
            ("hand", "hand-over-heavy-large", true),
            ("fall", "tackled-left", true),
            ("tackle", "tackled-left", false),
            ("tackle", "tackle-left", true),
            ("arbitrary", "get-up", false),
            ("arbitrary", "walk-left", true),
            ("arbitrary", "carry-stand-light-small", false),
            ("run", "jog-left", true),
            ("stand", "idle", true),
            ("avoid", "step-aside-back-left", true),
        ];
        for (word, name, expected) in cases {
            assert_eq!(matches(word, &Annotation::new(name).unwrap()), expected, "{word} {name}");
        }
        assert!(is_reaction("fall") && is_reaction("knock-down") && !is_reaction("attack"));
    }
}
