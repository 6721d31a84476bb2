//! From a [`Screenplay`] to a file.

use std::fmt::Write as _;

use randori_motion::take::Color;
use randori_motion::{Annotation, Build, Ground};

use super::camera::{Camera, Looks};
use super::color::NAMED_COLORS;
use super::formation::{Formation, Pattern};
use super::patchwork::{Patchwork, Picture, Turn};
use super::role::{Checkpoint, Controller, DEFAULT_WITHIN, Daring, Facing, OPPONENTS, RULES, Role, Weights};
use super::story::{Beat, PropRole, Then, Waypoint, When};
use super::{Record, Refinement, Screenplay};

pub(super) fn to_toml(scene: &Screenplay) -> String {
    let mut text = String::new();
    line(&mut text, "name", quoted(&scene.name));
    line(&mut text, "seconds", number(scene.seconds));
    line(&mut text, "seed", scene.seed.to_string());
    optional(&mut text, "library", scene.library.as_deref().map(quoted));
    line(&mut text, "camera", camera(&scene.camera));
    if let Some(formation) = &scene.formation {
        text.push_str("\n[formation]\n");
        write_formation(&mut text, formation);
    }
    for character in &scene.characters {
        text.push_str("\n[[characters]]\n");
        write_role(&mut text, character);
    }
    for prop in &scene.props {
        text.push_str("\n[[props]]\n");
        write_prop(&mut text, prop);
    }
    for beat in &scene.beats {
        text.push_str("\n[[beats]]\n");
        write_beat(&mut text, beat);
    }
    for record in &scene.combination {
        text.push_str("\n[[combination]]\n");
        write_record(&mut text, record);
    }
    if let Some(patches) = &scene.patches {
        text.push_str("\n[patches]\n");
        write_patchwork(&mut text, patches);
    }
    if let Some(rivals) = &scene.rivals {
        text.push_str("\n[rivals]\n");
        line(&mut text, "game", quoted(rivals.game.name()));
        line(&mut text, "agent", quoted(rivals.agent.name()));
        line(&mut text, "opponent", quoted(rivals.opponent.name()));
        line(&mut text, "look_ahead", small(rivals.look_ahead));
        line(&mut text, "giant", rivals.giant.to_string());
    }
    if let Some(teamwork) = &scene.teamwork {
        text.push_str("\n[teamwork]\n");
        let [first, second] = teamwork.depths;
        line(&mut text, "depths", format!("[{first}, {second}]"));
        line(&mut text, "spacing", small(teamwork.spacing));
        line(&mut text, "reach", small(teamwork.reach));
        line(&mut text, "speed", small(teamwork.speed));
        line(&mut text, "weight", number(teamwork.weight));
    }
    if scene.refinement != Refinement::default() {
        text.push_str("\n[refine]\n");
        line(&mut text, "ragdoll", scene.refinement.ragdoll.to_string());
    }
    text
}

fn write_patchwork(text: &mut String, patches: &Patchwork) {
    line(text, "plan", quoted(patches.plan.name()));
    line(text, "patterns", quoted(&patches.patterns));
    line(text, "people", patches.people.to_string());
    line(text, "colors", list(patches.colors.iter().map(|it| color(*it))));
    line(text, "radius", small(patches.radius));
    optional(text, "down", patches.down.map(number));
    optional(text, "late", patches.late.then(|| "true".to_owned()));
    let picture = |it: &Picture| format!("{{ picture = {}, pixel = {} }}", quoted(&it.file), small(it.pixel));
    optional(text, "floor", patches.floor.as_ref().map(picture));
    if !patches.luggage.is_empty() {
        line(text, "luggage", list(patches.luggage.iter().map(|piece| quoted(piece.name()))));
    }
    for command in &patches.commands {
        text.push_str("\n[[patches.commands]]\n");
        line(text, "at", number(command.at));
        optional(text, "until", command.until.map(number));
        if !command.actions.is_empty() {
            line(text, "do", list(command.actions.iter().map(|word| quoted(word))));
        }
        optional(text, "direction", command.direction_deg.map(small));
        let side = |turn: Turn| if turn == Turn::Left { "left" } else { "right" };
        optional(text, "turn", command.turn.map(|turn| quoted(side(turn))));
    }
    for appointment in &patches.appointments {
        text.push_str("\n[[patches.appointments]]\n");
        line(text, "at", number(appointment.at));
        line(text, "place", ground(appointment.place));
        if !appointment.actions.is_empty() {
            line(text, "do", list(appointment.actions.iter().map(|word| quoted(word))));
        }
    }
}

fn write_role(text: &mut String, role: &Role) {
    line(text, "name", quoted(&role.name));
    line(text, "color", color(role.color));
    optional(text, "library", role.library.as_deref().map(quoted));
    optional(text, "build", role.build.map(build));
    line(text, "team", quoted(&role.team));
    line(text, "style", quoted(&role.style));
    if role.weights != Weights::default() {
        line(text, "weights", weights(&role.weights));
    }
    line(text, "controller", controller(&role.controller));
    line(text, "at", ground(role.at));
    let facing = match &role.facing {
        Facing::Heading(degrees) => small(*degrees),
        Facing::Towards(name) => quoted(name),
    };
    line(text, "facing", facing);
    optional(text, "opponent", role.opponent.as_deref().map(quoted));
    if role.enter != 0.0 {
        line(text, "enter", number(role.enter));
    }
    optional(text, "leave", role.leave.map(number));
    if role.waits {
        line(text, "waits", "true".to_owned());
    }
    optional(text, "poise", role.poise.map(small));
    optional(text, "opening", role.opening.as_ref().map(|word| quoted(word.name())));
    if role.losing != Daring::default() {
        let Daring { share, behind, last } = role.losing;
        let values = [("share", share), ("behind", behind), ("last", last)];
        line(text, "losing", table(values.map(|(key, value)| (key, Some(number(value))))));
    }
    if !role.path.is_empty() {
        line(text, "path", list(role.path.iter().map(checkpoint)));
    }
}

fn write_prop(text: &mut String, prop: &PropRole) {
    line(text, "name", quoted(&prop.name));
    line(text, "color", color(prop.color));
    line(text, "size", numbers(&prop.size));
    if prop.is_ball {
        line(text, "ball", "true".to_owned());
    }
    if let Some(both) = &prop.between {
        line(text, "between", inline(both.iter().map(|name| quoted(name))));
    }
    line(text, "hits", prop.hits.to_string());
    if prop.waits {
        line(text, "waits", "true".to_owned());
    }
    let waypoint = |point: &Waypoint| {
        table([
            ("at", Some(ground(point.at))),
            ("time", Some(number(point.time))),
            ("height", (point.height != 0.0).then(|| small(point.height))),
            ("heading", point.heading_deg.map(small)),
        ])
    };
    if !prop.path.is_empty() {
        line(text, "path", list(prop.path.iter().map(waypoint)));
    }
}

fn write_beat(text: &mut String, beat: &Beat) {
    line(text, "name", quoted(&beat.name));
    line(text, "when", when(&beat.when));
    line(text, "then", list(beat.then.iter().map(then)));
}

fn write_record(text: &mut String, record: &Record) {
    line(text, "own", quoted(record.own.name()));
    line(text, "other", quoted(record.other.name()));
    line(text, "suitability", small(record.suitability));
}

fn write_formation(text: &mut String, formation: &Formation) {
    match formation.kind {
        Pattern::Spiral { spread, turn_deg } => {
            line(text, "kind", quoted("spiral"));
            line(text, "spread", small(spread));
            line(text, "turn", small(turn_deg));
        }
        Pattern::Circles { radius, speed } => {
            line(text, "kind", quoted("circles"));
            line(text, "radius", small(radius));
            line(text, "speed", small(speed));
        }
    }
    line(text, "pairs", formation.pairs.to_string());
    line(text, "center", ground(formation.center));
    line(text, "spacing", small(formation.spacing));
    line(text, "gap", small(formation.gap));
    line(text, "until", number(formation.until));
    line(text, "every", number(formation.every));
    line(text, "finish", formation.finish.to_string());
    line(text, "names", inline(formation.names.iter().map(|name| quoted(name))));
    line(text, "colors", inline(formation.colors.iter().map(|it| color(*it))));
    line(text, "styles", inline(formation.styles.iter().map(|name| quoted(name))));
    line(text, "controllers", inline(formation.controllers.iter().map(controller)));
}

fn checkpoint(checkpoint: &Checkpoint) -> String {
    table([
        ("at", Some(ground(checkpoint.at))),
        ("time", checkpoint.time.map(number)),
        ("within", (checkpoint.within != DEFAULT_WITHIN).then(|| small(checkpoint.within))),
        ("require", (!checkpoint.require.is_empty()).then(|| words(&checkpoint.require))),
        ("forbid", (!checkpoint.forbid.is_empty()).then(|| words(&checkpoint.forbid))),
    ])
}

fn controller(controller: &Controller) -> String {
    if let Some(short) = controller.short() {
        return quoted(&short);
    }
    let flag = |flag: bool| flag.then(|| "true".to_owned());
    match controller {
        Controller::GameTree { depth, rule, opponent, staged } => table([
            ("gametree", Some(depth.to_string())),
            ("rule", name_of(*rule, &RULES)),
            ("opponent", name_of(*opponent, &OPPONENTS)),
            ("staged", flag(*staged)),
        ]),
        Controller::Scripted { actions, repeat } => {
            table([("scripted", Some(words(actions))), ("repeat", flag(*repeat))])
        }
        // All others have a short name.
        other => quoted(&other.to_string()),
    }
}

/// The name of a value that is not the default.
fn name_of<T: PartialEq + Default>(value: T, values: &[(&str, T)]) -> Option<String> {
    let named = values.iter().find(|(_, known)| *known == value && value != T::default());
    named.map(|(name, _)| quoted(name))
}

fn camera(camera: &Camera) -> String {
    let (kind, looks) = match camera {
        Camera::Follow(looks) => ("follow", looks),
        Camera::Whole(looks) => ("whole", looks),
        Camera::Steady(looks) => ("steady", looks),
        Camera::Fixed { eye, target, fov_deg } => {
            return table([
                ("kind", Some(quoted("fixed"))),
                ("eye", Some(numbers(eye))),
                ("target", Some(numbers(target))),
                ("fov", fov_deg.map(small)),
            ]);
        }
    };
    if *looks == Looks::default() {
        return quoted(kind);
    }
    table([
        ("kind", Some(quoted(kind))),
        ("heading", looks.heading_deg.map(small)),
        ("pitch", looks.pitch_deg.map(small)),
        ("fov", looks.fov_deg.map(small)),
        ("margin", looks.margin.map(small)),
    ])
}

fn when(when: &When) -> String {
    let name = |name: &str| Some(quoted(name));
    match when {
        When::Time(time) => table([("time", Some(number(*time)))]),
        When::Beat { name: beat, after } => {
            table([("beat", name(beat)), ("after", (*after != 0.0).then(|| number(*after)))])
        }
        When::Checkpoint { who, number } => {
            table([("checkpoint", Some(number.to_string())), ("who", name(who))])
        }
        When::Hits { who, whom, count } => {
            table([("hits", Some(count.to_string())), ("who", name(who)), ("whom", name(whom))])
        }
        When::Distance { who, whom, below } => {
            table([("distance", Some(small(*below))), ("who", name(who)), ("whom", name(whom))])
        }
        When::Down { who } => table([("down", name(who))]),
        When::Struck { who, by } => table([("struck", name(who)), ("by", name(by))]),
    }
}

fn then(then: &Then) -> String {
    let name = |name: &str| Some(quoted(name));
    match then {
        Then::Style { who, style: None, weights: new } => {
            table([("weights", Some(weights(new))), ("who", name(who))])
        }
        Then::Style { who, style: Some(style), weights: new } => table([
            ("style", name(style)),
            ("who", name(who)),
            ("weights", (*new != Weights::default()).then(|| weights(new))),
        ]),
        Then::Controller { who, controller: new } => {
            table([("controller", Some(controller(new))), ("who", name(who))])
        }
        Then::Path { who, path } => {
            table([("path", Some(inline(path.iter().map(checkpoint)))), ("who", name(who))])
        }
        Then::Poise { who, poise } => table([("poise", Some(small(*poise))), ("who", name(who))]),
        Then::Opponent { who, whom } => table([("opponent", name(whom)), ("who", name(who))]),
        Then::Enter { who } => table([("enter", name(who))]),
        Then::Leave { who } => table([("leave", name(who))]),
        Then::Require { who, actions } => table([("require", Some(words(actions))), ("who", name(who))]),
        Then::Forbid { who, actions } => table([("forbid", Some(words(actions))), ("who", name(who))]),
        Then::Camera(new) => table([("camera", Some(camera(new)))]),
        Then::Prop { name: prop } => table([("prop", name(prop))]),
        Then::End => table([("end", Some("true".to_owned()))]),
    }
}

fn weights(weights: &Weights) -> String {
    table([
        ("distance", weights.distance.map(small)),
        ("distance_weight", weights.distance_weight.map(number)),
        ("angle", weights.angle_deg.map(small)),
        ("angle_weight", weights.angle_weight.map(number)),
        ("short_damage_weight", weights.short_damage_weight.map(number)),
        ("long_damage_weight", weights.long_damage_weight.map(number)),
        ("taken_weight", weights.taken_weight.map(number)),
        ("combination_weight", weights.combination_weight.map(number)),
        ("path_weight", weights.path_weight.map(number)),
        ("heading_weight", weights.heading_weight.map(number)),
        ("requirement_weight", weights.requirement_weight.map(number)),
        ("recency_weight", weights.recency_weight.map(number)),
        ("metre", weights.metre.map(number)),
        ("radian", weights.radian.map(number)),
    ])
}

fn build(build: Build) -> String {
    let named = [("average", Build::AVERAGE), ("slim", Build::SLIM), ("stocky", Build::STOCKY)];
    if let Some((name, _)) = named.iter().find(|(_, known)| *known == build) {
        return quoted(name);
    }
    let values =
        [("height", build.height), ("mass", build.mass), ("breadth", build.breadth), ("girth", build.girth)];
    table(values.map(|(key, value)| (key, Some(small(value)))))
}

fn color(color: Color) -> String {
    let named = NAMED_COLORS.iter().find(|(_, known)| *known == color);
    named.map_or_else(|| numbers(&color), |(name, _)| quoted(name))
}

fn line(text: &mut String, key: &str, value: String) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{key} = {value}");
}

fn optional(text: &mut String, key: &str, value: Option<String>) {
    if let Some(value) = value {
        line(text, key, value);
    }
}

/// A table in one line, of the keys that have a value.
fn table<const N: usize>(entries: [(&str, Option<String>); N]) -> String {
    let entries: Vec<String> =
        entries.into_iter().filter_map(|(key, value)| Some(format!("{key} = {}", value?))).collect();
    format!("{{ {} }}", entries.join(", "))
}

/// A list with a line for each.
fn list(items: impl Iterator<Item = String>) -> String {
    let items: String = items.map(|item| format!("    {item},\n")).collect();
    format!("[\n{items}]")
}

fn inline(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

fn words(words: &[Annotation]) -> String {
    inline(words.iter().map(|word| quoted(word.name())))
}

fn ground(ground: Ground) -> String {
    numbers(&[ground.x, ground.z])
}

fn numbers(numbers: &[f32]) -> String {
    inline(numbers.iter().map(|it| small(*it)))
}

/// The shortest digits that are read back to the same number.
fn number(number: f64) -> String {
    if number.is_nan() { "nan".to_owned() } else { format!("{number:?}") }
}

fn small(number: f32) -> String {
    if number.is_nan() { "nan".to_owned() } else { format!("{number:?}") }
}

fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}
