//! What somebody is after: the weights of the competitive and the cooperative function.
//!
//! Reference: \[Shum2012\], section VI and tables III and IV. The weights of movement are magnitudes: deviation is
//! penalised. With v' = 100 for speeds in cm/s, movement is evaluated in centimetres and degrees, so that one metre off
//! costs as much as a hit; the unit is a field of the style.

use randori_motion::Annotation;

/// How somebody competes and cooperates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Style {
    /// Preferred distance to the opponent: r_d (m).
    pub distance: f32,
    /// Weight of the distance: w_r.
    pub distance_weight: f64,
    /// Preferred angle between where the head faces and the opponent: θ_d (rad).
    pub angle: f32,
    /// Weight of the angle: w_θ.
    pub angle_weight: f64,
    /// Weight of damage given by short blows (hooks, uppercuts): w+.
    pub short_damage_weight: f64,
    /// Weight of damage given by all others: w+.
    pub long_damage_weight: f64,
    /// Weight of damage taken: w-.
    pub taken_weight: f64,
    /// Weight of the combination table: w_S.
    pub combination_weight: f64,
    /// Weight of the way to the next checkpoint: w_p.
    pub path_weight: f64,
    /// Weight of the heading at the next checkpoint: w_γ.
    pub heading_weight: f64,
    /// Weight of required and forbidden actions: w_a.
    pub requirement_weight: f64,
    /// What doing again what was just done takes away: it fades by half with every action since.
    pub recency_weight: f64,
    /// Whether turning the back on the opponent is in order where one could face it.
    pub may_turn_away: bool,
    /// Metres per unit of length in the terms of movement (m); 0.01 is the paper's.
    pub metre: f64,
    /// Radians per unit of angle in the terms of movement (rad); a degree is the paper's.
    pub radian: f64,
}

/// The paper's styles by name.
pub const PRESETS: [(&str, Style); 10] = [
    ("general-boxer", GENERAL_BOXER),
    ("infighter", INFIGHTER),
    ("outboxer", OUTBOXER),
    ("sword-fighter", SWORD_FIGHTER),
    ("chaser", CHASER),
    ("runaway", RUNAWAY),
    ("general-boxer-path", on_path(GENERAL_BOXER, 1e6)),
    ("sword-fighter-path", on_path(SWORD_FIGHTER, 1e6)),
    ("chaser-path", on_path(CHASER, 0.0)),
    ("runaway-path", on_path(RUNAWAY_ON_PATH, 0.0)),
];

const GENERAL_BOXER: Style = Style {
    distance: 0.8,
    distance_weight: 10.0,
    angle: 0.0,
    angle_weight: 10.0,
    short_damage_weight: 1e5,
    long_damage_weight: 1e5,
    taken_weight: 1e5,
    combination_weight: 1e2,
    path_weight: 0.0,
    heading_weight: 0.0,
    requirement_weight: 0.0,
    recency_weight: 5e4,
    may_turn_away: false,
    metre: 0.01,
    radian: std::f64::consts::PI / 180.0,
};
const INFIGHTER: Style = Style { distance: 0.5, long_damage_weight: 1e1, ..GENERAL_BOXER };
const OUTBOXER: Style = Style { distance: 2.0, short_damage_weight: 1e1, ..GENERAL_BOXER };
const SWORD_FIGHTER: Style = Style { distance: 1.5, ..GENERAL_BOXER };
const CHASER: Style = Style {
    distance: 0.1,
    taken_weight: 0.0,
    combination_weight: 0.0,
    // Whoever runs takes one step like the other.
    recency_weight: 0.0,
    ..GENERAL_BOXER
};
const RUNAWAY: Style = Style {
    distance: 3.0,
    short_damage_weight: 0.0,
    long_damage_weight: 0.0,
    combination_weight: 0.0,
    recency_weight: 0.0,
    ..GENERAL_BOXER
};
/// Whoever runs away along a path looks where it goes.
const RUNAWAY_ON_PATH: Style = Style { may_turn_away: true, ..RUNAWAY };

const fn on_path(style: Style, requirement_weight: f64) -> Style {
    Style { path_weight: 10.0, requirement_weight, ..style }
}

impl Style {
    /// The preset of this name.
    ///
    /// ```
    /// use randori_arena::style::Style;
    /// assert_eq!(Style::preset("infighter").unwrap().distance, 0.5);
    /// assert!(Style::preset("juggler").is_none());
    /// ```
    pub fn preset(name: &str) -> Option<Style> {
        PRESETS.iter().find(|(known, _)| *known == name).map(|(_, style)| *style)
    }

    /// Weight of damage given by an attack: w+.
    pub fn damage_weight(&self, attack: &Annotation) -> f64 {
        let is_short = ["hook", "uppercut"].iter().any(|blow| attack.name().ends_with(blow));
        if is_short { self.short_damage_weight } else { self.long_damage_weight }
    }

    /// f_mov1: what it costs to be at this distance (m) and angle (rad) from the opponent; 0 at best.
    pub fn movement(&self, distance: f32, angle: f32) -> f64 {
        let off = (f64::from(distance) - f64::from(self.distance)) / self.metre;
        let turned = (f64::from(angle) - f64::from(self.angle)) / self.radian;
        -(self.distance_weight * off * off + self.angle_weight * turned * turned)
    }

    /// f_mov2: what it costs to be so far from where one is asked to be (m), and turned away from the heading asked for
    /// (rad), if there is one; 0 at best.
    pub fn way(&self, off: f32, turned: Option<f32>) -> f64 {
        let off = f64::from(off) / self.metre;
        let turned =
            turned.map_or(0.0, |turned| f64::from(randori_motion::math::wrap_angle(turned)) / self.radian);
        -(self.path_weight * off * off + self.heading_weight * turned * turned)
    }

    /// More daring by `share`, 0 to 1: w+ grows and w- shrinks. For somebody who is losing or short of time.
    pub fn daring(&self, share: f64) -> Style {
        let share = share.clamp(0.0, 1.0);
        Style {
            short_damage_weight: self.short_damage_weight * (1.0 + share),
            long_damage_weight: self.long_damage_weight * (1.0 + share),
            taken_weight: self.taken_weight * (1.0 - 0.5 * share),
            ..*self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_metre_off_costs_as_much_as_a_hit() {
        let boxer = Style::preset("general-boxer").unwrap();
        assert!((boxer.movement(1.8, 0.0) + 1e5).abs() < 1.0);
        assert_eq!(boxer.movement(0.8, 0.0), 0.0);
        assert!(boxer.movement(0.8, 0.2) < boxer.movement(0.8, 0.1));
    }

    #[test]
    fn infighters_prefer_short_blows_and_outboxers_long_ones() {
        let [hook, straight] = ["left-hook", "right-straight"].map(Annotation::of);
        let weights = |name: &str| {
            let style = Style::preset(name).unwrap();
            [&hook, &straight].map(|blow| style.damage_weight(blow))
        };
        assert_eq!(weights("infighter"), [1e5, 1e1]);
        assert_eq!(weights("outboxer"), [1e1, 1e5]);
        assert_eq!(weights("general-boxer"), [1e5, 1e5]);
    }

    #[test]
    fn the_daring_give_more_and_mind_less() {
        let boxer = Style::preset("general-boxer").unwrap();
        let daring = boxer.daring(0.5);
        assert!(daring.long_damage_weight > boxer.long_damage_weight);
        assert!(daring.taken_weight < boxer.taken_weight);
        assert_eq!(boxer.daring(-3.0), boxer);
    }
}
