//! Where there is no state: towards where one wants to be, by single steps.

use randori_arena::bodies::Brief;
use randori_arena::controller::Situation;
use randori_motion::ActionId;
use randori_motion::annotation::Kind;

use super::{Command, Repertoire};

/// Nobody steps nearer to anybody than this by a plain rule (m).
const ROOM: f32 = 0.45;

/// The action that leaves somebody best to their opponent, of those that are no blows; whoever is struck at defends
/// themselves, if they see it coming.
pub(super) fn step(
    situation: &Situation<'_>,
    repertoire: &Repertoire,
    command: Option<Command>,
) -> Option<ActionId> {
    let Situation { stage, moment, aims, who, .. } = *situation;
    let own = &aims[who];
    let options = stage.options(moment, who);
    let here = moment.people[who].doing.root(&stage.cast[who].bodies, moment.tick);
    let is_struck = moment.people.iter().any(|it| it.ahead.is_some_and(|ahead| ahead.whom as usize == who));
    let answers = |option: &Brief, command: Command| {
        (option.id.idx() < repertoire.words.len()) && repertoire.is(option.id.0 as u16, command)
    };
    let is_any_asked = command.is_some_and(|command| options.iter().any(|it| answers(it, command)));
    let last = own.done.last();
    let mut best: Option<(f64, ActionId)> = None;
    for option in options {
        let wanted = match (command, option.kind) {
            (Some(command), _) if is_any_asked => answers(option, command),
            (_, Kind::Defence) => is_struck,
            (_, kind) => kind == Kind::Transition && !is_struck,
        };
        let end = here.ground(option.end);
        let there = stage.position(moment, own.opponent, moment.tick + option.length);
        let (x, z) = (there.x - end.x, there.z - end.z);
        let distance = (x * x + z * z).sqrt();
        let gaze = here.turned_ground(option.gaze);
        let angle = libm::atan2f(gaze.z * x - gaze.x * z, gaze.x * x + gaze.z * z);
        let worth = if own.opponent == who { 0.0 } else { own.style.movement(distance, angle) };
        let crowded = own.opponent != who && distance < ROOM;
        let worth = worth
            - if wanted { 0.0 } else { UNWANTED }
            - if crowded { 0.5 * UNWANTED } else { 0.0 }
            - if last == Some(&option.id) { own.style.recency_weight } else { 0.0 };
        if best.is_none_or(|(most, _)| worth > most) {
            best = Some((worth, option.id));
        }
    }
    best.map(|(_, id)| id)
}

/// Keeps what is not wanted behind everything that is (points).
const UNWANTED: f64 = 1e12;
