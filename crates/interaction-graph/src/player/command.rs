//! What a person asks for who plays with few keys.

use randori_arena::bodies::TICKS_PER_SECOND;
use randori_arena::controller::{Controller, Situation, Verdict};
use randori_motion::Annotation;
use randori_motion::annotation::Kind;

use super::Player;

/// A sort of action; the best one of it is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Nearer to where one faces.
    Forward,
    /// Away from it.
    Back,
    /// To the own left.
    TurnLeft,
    /// To the own right.
    TurnRight,
    /// A blow with a hand.
    Punch,
    /// A blow with a leg.
    Kick,
    /// The head out of the way, on the spot.
    Dodge,
    /// Arms in the way, or all of the body out of it.
    Avoid,
}

impl Command {
    /// All of them.
    pub const ALL: [Command; 8] = [
        Command::Forward,
        Command::Back,
        Command::TurnLeft,
        Command::TurnRight,
        Command::Punch,
        Command::Kick,
        Command::Dodge,
        Command::Avoid,
    ];

    /// Whether such actions are what is asked for.
    ///
    /// ```
    /// use randori_interaction_graph::player::Command;
    /// use randori_motion::Annotation;
    /// assert!(Command::Punch.is_answered_by(&Annotation::of("left-hook")));
    /// assert!(!Command::Punch.is_answered_by(&Annotation::of("left-low-kick")));
    /// ```
    pub fn is_answered_by(self, annotation: &Annotation) -> bool {
        let name = annotation.name();
        let kicks = ["kick", "roundhouse"].iter().any(|word| name.ends_with(word));
        let dodges = ["slip", "duck", "sway", "dodge"].iter().any(|word| name.starts_with(word));
        match self {
            Command::Forward => name.starts_with("step-forward"),
            Command::Back => name.starts_with("step-back"),
            Command::TurnLeft => ["turn-left", "step-left"].contains(&name),
            Command::TurnRight => ["turn-right", "step-right"].contains(&name),
            Command::Punch => annotation.kind() == Kind::Attack && !kicks,
            Command::Kick => annotation.kind() == Kind::Attack && kicks,
            Command::Dodge => annotation.kind() == Kind::Defence && dodges,
            Command::Avoid => annotation.kind() == Kind::Defence && !dodges,
        }
    }
}

/// A stand-in for a person at the keys: sees what comes with a person's delay, and keeps to simple rules.
#[derive(Debug)]
pub struct Commander {
    player: Player,
    asked: u32,
}

/// How long a person takes to see what the opponent does (s).
const SEES: f32 = 0.25;
/// How near somebody has to be for a punch, a kick, and how near is too near (m).
const NEAR: [f32; 3] = [0.95, 1.25, 0.5];

impl Commander {
    /// Somebody who presses the keys of a player.
    pub fn new(player: Player) -> Commander {
        Commander { player, asked: 0 }
    }

    fn command(&self, situation: &Situation<'_>) -> Command {
        let Situation { stage, moment, aims, who, .. } = *situation;
        let whom = aims[who].opponent;
        let (own, them) = (&moment.people[who], &moment.people[whom]);
        let (distance, angle) = stage.relation(moment, (who, &own.doing), whom, moment.tick);
        let is_seen = (moment.tick - them.doing.start) as f32 >= SEES * TICKS_PER_SECOND;
        let [punch, kick, close] = NEAR;
        if is_seen && them.ahead.is_some_and(|ahead| ahead.whom as usize == who) {
            return if self.asked.is_multiple_of(2) { Command::Dodge } else { Command::Avoid };
        }
        if angle.abs() > 0.6 {
            return if angle > 0.0 { Command::TurnLeft } else { Command::TurnRight };
        }
        match distance {
            d if d < close => Command::Back,
            d if d < punch && !self.asked.is_multiple_of(5) => Command::Punch,
            d if d < kick => Command::Kick,
            _ => Command::Forward,
        }
    }
}

impl Controller for Commander {
    fn decide(&mut self, situation: &Situation<'_>) -> Option<Verdict> {
        self.asked += 1;
        self.player.command = Some(self.command(situation));
        self.player.decide(situation)
    }
}
