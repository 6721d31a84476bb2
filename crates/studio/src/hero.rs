//! The hero of a scene of patches, steered while somebody looks on.
//!
//! A command holds from a moment on and changes nothing that was seen before it: the scene is put together again, and comes
//! out the same up to there. How long that takes is how much notice a command needs.

use std::collections::BTreeMap;
use std::time::Duration;

use randori_arena::bodies::TICKS_PER_SECOND;
use randori_scene::director::Libraries;
use randori_scene::screenplay::{Command, Plan, Screenplay, Turn};
use serde_json::{Value, json};

/// How long a scene with a hero lasts (s).
const SECONDS: f64 = 60.0;

/// The scene of a plan whose first character is steered, or why there is none.
pub(crate) fn scene(plan: &str, seed: u64) -> Result<Screenplay, String> {
    let known = || Plan::NAMES.iter().filter(|(_, plan)| plan.is_steered());
    if !known().any(|(name, _)| *name == plan) {
        let names: Vec<&str> = known().map(|(name, _)| *name).collect();
        return Err(format!("nobody is steered in \"{plan}\"; there are {}", names.join(", ")));
    }
    let (library, at, more, rest) = match plan {
        "one-one" => {
            let foe = "[[characters]]\nname = \"foe\"\ncolor = \"red\"\nat = [0, 0.6]\nfacing = 180\n";
            ("boxing", "[0, -0.6]", foe, "people = 0")
        }
        "football" => ("football", "[0, 0]", "", "people = 24\nradius = 5\ndown = 3"),
        _ => ("boxing", "[0, 0]", "", "people = 24\nradius = 4\ndown = 2"),
    };
    let text = format!(
        r#"
        name = "hero"
        seconds = {SECONDS}
        seed = {seed}
        library = "builtin:{library}"
        [[characters]]
        name = "hero"
        color = "blue"
        at = {at}
        facing = 0
        {more}
        [patches]
        plan = "{plan}"
        colors = ["red", "orange", "brown", "grey"]
        late = true
        {rest}
        "#
    );
    Screenplay::parse("hero.toml", text.as_bytes()).map_err(|error| error.to_string())
}

/// What is asked of a hero.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Wish {
    pub(crate) actions: Vec<String>,
    /// Degrees.
    pub(crate) direction: Option<f32>,
    pub(crate) turn: Option<Turn>,
}

/// Asks something of the first character of a scene of patches from a time (s) on, and nothing any more of what was asked
/// for later; the moment from which on it holds (s).
pub(crate) fn ask(scene: &mut Screenplay, at: f64, wish: Wish) -> Result<f64, String> {
    let patches = scene.patches.as_mut().ok_or("nobody can be steered in this scene: it has no patches")?;
    if matches!(patches.plan, Plan::Luggage) {
        return Err("nobody is steered in a line of porters".to_owned());
    }
    let ticks = f64::from(TICKS_PER_SECOND);
    let at = (at * ticks).ceil() / ticks;
    patches.commands.retain(|command| command.at < at);
    if let Some(last) = patches.commands.last_mut() {
        // Whoever asks for the same again has asked already.
        let (actions, direction_deg, turn) = (&last.actions, last.direction_deg, last.turn);
        if last.until.is_none()
            && (actions, direction_deg, turn) == (&wish.actions, wish.direction, wish.turn)
        {
            return Ok(at);
        }
        last.until = last.until.map_or(Some(at), |until| Some(until.min(at)));
    }
    let Wish { actions, direction, turn } = wish;
    if !actions.is_empty() || direction.is_some() || turn.is_some() {
        patches.commands.push(Command { at, until: None, actions, direction_deg: direction, turn });
    }
    Ok(at)
}

/// Forgets all that was asked after a time (s).
pub(crate) fn rewind(scene: &mut Screenplay, at: f64) {
    if let Some(patches) = &mut scene.patches {
        patches.commands.retain(|command| command.at <= at);
        for command in &mut patches.commands {
            command.until = command.until.filter(|until| *until <= at);
        }
    }
}

/// How much notice a command needs (s), if the scene took this long to be put together the last time.
pub(crate) fn notice(took: Option<Duration>) -> f64 {
    /// As long as anything takes to be heard and shown, and longer than anybody waits.
    const RANGE: [f64; 2] = [0.1, 3.0];
    took.map_or(0.5, |took| 1.3 * took.as_secs_f64()).clamp(RANGE[0], RANGE[1])
}

/// What is asked from when on, for the viewers.
pub(crate) fn told(scene: &Screenplay) -> Value {
    let Some(patches) = &scene.patches else { return Value::Null };
    let commands = patches.commands.iter().map(|command| {
        let turn = command.turn.map(|turn| if turn == Turn::Left { "left" } else { "right" });
        json!({ "at": command.at, "until": command.until, "actions": command.actions,
            "direction": command.direction_deg, "turn": turn })
    });
    json!({ "plan": patches.plan.name(), "late": patches.late, "commands": commands.collect::<Vec<Value>>() })
}

/// The area of the floor that a scene fills, in strips along x: where each begins, its row, and how long it is (m); null if
/// there is none.
pub(crate) fn floor(scene: &Screenplay, libraries: &Libraries) -> Value {
    let picture = scene.patches.as_ref().and_then(|patches| patches.floor.as_ref());
    let Some(area) = picture.and_then(|picture| libraries.area(&picture.file)) else { return Value::Null };
    let side = area.side();
    // Columns by rows, counted in sides.
    let mut rows: BTreeMap<i32, Vec<i32>> = BTreeMap::new();
    for place in area.places() {
        let row = rows.entry((2.0 * place.z / side).round() as i32).or_default();
        row.push((2.0 * place.x / side).round() as i32);
    }
    let half = f64::from(side) / 2.0;
    let mut strips: Vec<[f64; 3]> = Vec::new();
    for (row, mut columns) in rows {
        columns.sort_unstable();
        for strip in columns.chunk_by(|a, b| b - a == 2) {
            let (first, n) = (f64::from(strip[0]), strip.len() as f64);
            strips.push([half * (first - 1.0), half * f64::from(row), 2.0 * half * n]);
        }
    }
    json!({ "side": side, "strips": strips })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(actions: &[&str], direction: Option<f32>) -> Wish {
        Wish { actions: actions.iter().map(|it| (*it).to_owned()).collect(), direction, turn: None }
    }

    #[test]
    fn commands_end_where_the_next_begins_and_are_forgotten_by_rewinding() {
        let mut scene = scene("one-many", 1).unwrap();
        ask(&mut scene, 2.0, wish(&["punch"], None)).unwrap();
        ask(&mut scene, 5.0, wish(&[], Some(90.0))).unwrap();
        ask(&mut scene, 8.0, Wish::default()).unwrap();
        scene.validate().unwrap();
        let times = |scene: &Screenplay| -> Vec<(f64, Option<f64>)> {
            scene.patches.as_ref().unwrap().commands.iter().map(|it| (it.at, it.until)).collect()
        };
        assert_eq!(times(&scene), [(2.0, Some(5.0)), (5.0, Some(8.0))]);
        rewind(&mut scene, 6.0);
        assert_eq!(times(&scene), [(2.0, Some(5.0)), (5.0, None)]);
        // Before what was asked later.
        ask(&mut scene, 3.0, wish(&["kick"], None)).unwrap();
        assert_eq!(times(&scene), [(2.0, Some(3.0)), (3.0, None)]);
        ask(&mut scene, 4.0, wish(&["kick"], None)).unwrap();
        assert_eq!(times(&scene).len(), 2);
    }

    #[test]
    fn whoever_cannot_be_steered_is_not() {
        assert!(super::scene("mouse", 1).unwrap_err().contains("one-one, one-many, football"));
        for (plan, _) in Plan::NAMES.iter().filter(|(_, plan)| plan.is_steered()) {
            super::scene(plan, 1).unwrap();
        }
    }
}
