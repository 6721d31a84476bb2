//! Colours by name.

use randori_motion::take::Color;

/// Colours with a name in scene files, linear as everywhere. The first six tell characters apart, also for people who
/// see fewer colours.
pub const NAMED_COLORS: [(&str, Color); 12] = [
    ("blue", [0.10, 0.30, 0.72]),
    ("red", [0.74, 0.13, 0.10]),
    ("orange", [0.85, 0.55, 0.05]),
    ("green", [0.10, 0.48, 0.36]),
    ("purple", [0.45, 0.25, 0.60]),
    ("grey", [0.35, 0.36, 0.38]),
    ("yellow", [0.88, 0.76, 0.10]),
    ("brown", [0.28, 0.14, 0.06]),
    ("pink", [0.80, 0.32, 0.42]),
    ("cyan", [0.12, 0.58, 0.72]),
    ("white", [0.85, 0.85, 0.85]),
    ("black", [0.03, 0.03, 0.03]),
];

/// The colours of characters that name none, in turn.
pub const COLORS: [Color; 6] = [
    NAMED_COLORS[0].1,
    NAMED_COLORS[1].1,
    NAMED_COLORS[2].1,
    NAMED_COLORS[3].1,
    NAMED_COLORS[4].1,
    NAMED_COLORS[5].1,
];

/// A name, or `#rrggbb` as in web pages.
pub(super) fn from_text(text: &str) -> Option<Color> {
    let named = || NAMED_COLORS.iter().find(|(name, _)| *name == text).map(|(_, color)| *color);
    from_hex(text).or_else(named)
}

fn from_hex(text: &str) -> Option<Color> {
    let digits = text.strip_prefix('#').filter(|rest| rest.len() == 6)?;
    if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let number = u32::from_str_radix(digits, 16).ok()?;
    Some([16, 8, 0].map(|shift| linear((number >> shift & 0xff) as f32 / 255.0)))
}

/// From the numbers of screens (sRGB) to amounts of light.
fn linear(screen: f32) -> f32 {
    if screen <= 0.04045 { screen / 12.92 } else { libm::powf((screen + 0.055) / 1.055, 2.4) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_web_colours() {
        assert_eq!(from_text("red"), Some([0.74, 0.13, 0.10]));
        assert_eq!(from_text("#ffffff"), Some([1.0; 3]));
        assert_eq!(from_text("#000000"), Some([0.0; 3]));
        assert!((from_text("#808080").unwrap()[0] - 0.2159).abs() < 1e-3);
        for bad in ["", "#fff", "#gggggg", "#+12345", "rot", "Red"] {
            assert_eq!(from_text(bad), None, "{bad}");
        }
    }
}
