//! Scenes of two teams that move as wholes.

/// How two teams choose their formations.
#[derive(Clone, Debug, PartialEq)]
pub struct Teamwork {
    /// How many formations each team looks ahead, one after the other as they first appear in the scene; 0 leaves a team
    /// without any.
    pub depths: [u8; 2],
    /// Between neighbours of a formation (m).
    pub spacing: f32,
    /// From how near somebody can be got at (m).
    pub reach: f32,
    /// How fast people get to their places, as far as teams reckon with it (m/s).
    pub speed: f32,
    /// Weight of the way to one's place: w_p.
    pub weight: f64,
}

impl Teamwork {
    /// The most formations that a team looks ahead.
    pub const MAX_DEPTH: u8 = 6;
}

impl Default for Teamwork {
    fn default() -> Teamwork {
        Teamwork { depths: [3, 3], spacing: 1.2, reach: 1.0, speed: 0.8, weight: 200.0 }
    }
}
