//! Scenes of rivals: a game between two people becomes a take.

use randori_motion::{EventKind, Take};
use randori_rivals::behaviour::Behaviour;
use randori_rivals::habits::Belief;
use randori_rivals::record::{Performance, perform};
use randori_rivals::round::minds;
use serde::Serialize;

use super::report::Report;
use super::{DirectorError, Libraries};
use crate::screenplay::{Rivalry, Screenplay, placements};

/// What two rivals did.
#[derive(Clone, Debug, Serialize)]
pub struct RivalReport {
    /// The game.
    pub game: &'static str,
    /// What was counted.
    pub behaviour: Behaviour,
    /// What those who learn the habits of the other believe at the end; of the agent and of the opponent.
    pub beliefs: [Option<Belief>; 2],
}

/// Has a scene of rivals played; `None` if it is not one.
pub fn contend(scene: &Screenplay, libraries: &Libraries) -> Result<Option<(Take, Report)>, DirectorError> {
    let Some(rivals) = &scene.rivals else { return Ok(None) };
    let missing = || DirectorError::Rivals { game: rivals.game.name() };
    let taught = libraries.rivals.get(&rivals_key(rivals)).ok_or_else(missing)?;
    let [agent, opponent] = &scene.characters[..] else { return Err(missing()) };
    let game = &taught.game;
    let mut minds = minds(game, &taught.values, [rivals.agent, rivals.opponent]);
    let wanted = Performance {
        seconds: scene.seconds,
        seed: scene.seed,
        cast: [agent, opponent].map(|role| (role.name.clone(), role.color)),
        starts: placements(&scene.characters).try_into().ok(),
    };
    let mut performed = perform(game, &mut minds, &wanted).ok_or_else(missing)?;
    performed.take.name.clone_from(&scene.name);
    let mut report = Report::of(scene, &scene.characters);
    let turns = || performed.rounds.iter().flat_map(|round| &round.turns);
    let n_decisions = turns().count() as u32;
    let distance = turns().map(|turn| turn.situation.relation.distance()).sum::<f64>();
    for (side, character) in report.characters.iter_mut().enumerate() {
        character.controller = format!("markov:{} ({})", game.name(), minds[side].manner().name());
        character.decisions = n_decisions;
        character.mean_distance = distance / f64::from(n_decisions.max(1));
        character.choices_before =
            turns().map(|turn| turn.open[side] as f64).sum::<f64>() / f64::from(n_decisions.max(1));
        character.choices_after = character.choices_before;
        let told = |kind: EventKind| {
            let by = |event: &&randori_motion::Event| event.who.as_deref() == Some(character.name.as_str());
            performed.take.events.iter().filter(|event| event.kind == kind).filter(by).count() as u32
        };
        character.hits_given.torso = told(EventKind::Hit);
        character.defences = told(EventKind::Blocked);
    }
    let hits = [0, 1].map(|side| report.characters[side].hits_given);
    for side in 0..2 {
        report.characters[side].hits_taken = hits[1 - side];
        report.characters[side].attacks = Behaviour::attacks_of(game, side, &performed.rounds) as u32;
    }
    report.decisions = 2 * n_decisions;
    report.seconds = performed.take.duration();
    report.rivals = Some(RivalReport {
        game: game.name(),
        behaviour: Behaviour::of(game, &performed.rounds),
        beliefs: minds.each_ref().map(randori_rivals::Mind::belief),
    });
    Ok(Some((performed.take, report)))
}

/// The name under which the game of a scene is to be [brought along](Libraries::add_rivals).
pub fn rivals_key(rivals: &Rivalry) -> String {
    format!("{} {} {}", rivals.game.name(), rivals.look_ahead, rivals.giant)
}
