//! The files of patterns that come with the program.

/// Name and text of each, in the order of \[Shum2008\], table 3.
pub const BUILTIN: [(&str, &str); 6] = [
    ("fight-one-many", include_str!("../../../patterns/fight-one-many.toml")),
    ("fight-one-one", include_str!("../../../patterns/fight-one-one.toml")),
    ("football", include_str!("../../../patterns/football.toml")),
    ("mouse", include_str!("../../../patterns/mouse.toml")),
    ("dominoes", include_str!("../../../patterns/dominoes.toml")),
    ("luggage", include_str!("../../../patterns/luggage.toml")),
];

/// The text of `builtin:NAME`.
pub fn builtin(name: &str) -> Option<&'static str> {
    let name = name.strip_prefix("builtin:")?;
    BUILTIN.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}
