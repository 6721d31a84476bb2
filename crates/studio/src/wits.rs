//! Games of two rivals who act at once: the scene of one, and the map of where it pays to be unpredictable.

use randori_rivals::map::Map;
use randori_rivals::{Manner, Rules};
use randori_scene::director::{Libraries, rivals_key};
use randori_scene::screenplay::{RivalGame, Screenplay};
use serde_json::{Value, json};

/// How long a game is played (s).
const SECONDS: f64 = 20.0;
/// Squares of the map on a side, and from its middle to its edge (m).
const SQUARES: usize = 27;
const REACH: f64 = 4.0;

/// The scene of a game, or why there is none.
pub(crate) fn scene(game: &str, agent: &str, opponent: &str, seed: u64) -> Result<Screenplay, String> {
    if !RivalGame::NAMES.iter().any(|(name, _)| *name == game) {
        let known: Vec<&str> = RivalGame::NAMES.iter().map(|(name, _)| *name).collect();
        return Err(format!("there is no game \"{game}\"; there are {}", known.join(" and ")));
    }
    for manner in [agent, opponent] {
        if !Manner::ALL.iter().any(|known| known.name() == manner) {
            let known: Vec<&str> = Manner::ALL.iter().map(|known| known.name()).collect();
            return Err(format!("nobody decides \"{manner}\"; there are {}", known.join(", ")));
        }
    }
    let text = format!(
        r#"
        name = "{game}"
        seconds = {SECONDS}
        seed = {seed}
        [[characters]]
        name = "red"
        color = "red"
        at = [0, -1.5]
        facing = 0
        [[characters]]
        name = "blue"
        color = "blue"
        at = [0, 1]
        facing = 0
        [rivals]
        game = "{game}"
        agent = "{agent}"
        opponent = "{opponent}"
        "#
    );
    Screenplay::parse("wits.toml", text.as_bytes()).map_err(|error| error.to_string())
}

/// The map around the opponent of a scene of rivals; `None` if it is not one, or not played all over a floor.
pub(crate) fn map(scene: &Screenplay, libraries: &Libraries) -> Option<Value> {
    let taught = libraries.rivals(&rivals_key(scene.rivals.as_ref()?))?;
    let Rules::Tag(_) = taught.game.rules else { return None };
    let nodes = ["run-on-left", "run-on-right"];
    let map = Map::of(&taught.game, &taught.values, nodes, 0.0, SQUARES, REACH);
    Some(json!({ "map": { "n": map.n, "reach": map.reach, "spread": map.spread } }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_asked_for_by_name() {
        let tag = scene("tag", "optimal", "only-left", 7).unwrap();
        assert_eq!((tag.seed, tag.rivals.as_ref().map(|it| it.opponent)), (7, Some(Manner::OnlyLeft)));
        assert!(scene("chess", "optimal", "optimal", 1).unwrap_err().contains("tag and sword"));
        assert!(scene("tag", "optimal", "drunk", 1).unwrap_err().contains("random-greedy"));
    }
}
