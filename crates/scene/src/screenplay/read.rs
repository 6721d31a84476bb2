//! From a file to a [`Screenplay`].

use randori_motion::take::Color;
use randori_motion::{Annotation, Build, Ground};
use randori_rivals::Manner;
use toml::de::DeTable;

use super::camera::{Camera, Looks};
use super::error::{Mistake, SceneError};
use super::formation::{Formation, Pattern};
use super::keys::SCENE;
use super::patchwork::{Appointment, Command, Patchwork, Picture, Piece, Plan, Turn};
use super::rivalry::{RivalGame, Rivalry};
use super::role::{
    Checkpoint, Controller, DEFAULT_STYLE, DEFAULT_WITHIN, Daring, Facing, OPPONENTS, RULES, Role, Weights,
};
use super::story::{Beat, PropRole, Then, Waypoint, When};
use super::table::{Source, Table, Value, line_and_column};
use super::teamwork::Teamwork;
use super::{Record, Refinement, Screenplay, check, color};

/// Larger files are no scenes, and need not be looked at.
const MAX_BYTES: usize = 4 << 20;

pub(super) fn parse(file: &str, bytes: &[u8]) -> Result<Screenplay, SceneError> {
    let refuse = |at: usize, found: String, allowed: &str| {
        let (line, column) = line_and_column(bytes, at);
        let mistake = Mistake { line, column, found, allowed: allowed.to_owned(), nearest: None };
        SceneError { file: file.to_owned(), mistakes: vec![mistake] }
    };
    if bytes.len() > MAX_BYTES {
        return Err(refuse(0, format!("a file of {} bytes", bytes.len()), "4 MiB"));
    }
    let text = std::str::from_utf8(bytes)
        .map_err(|error| refuse(error.valid_up_to(), "bytes that are no text".to_owned(), "UTF-8"))?;
    let document = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        refuse(at, format!("not TOML: {}", error.message().replace('\n', "; ")), "")
    })?;
    let source = Source::new(text);
    let table = Table::new(&source, &SCENE, document.get_ref(), String::new(), 0);
    let scene = scene(&table, file);
    // What is missing or of a wrong kind would only be found wrong again.
    source.verdict(file)?;
    check::check(&scene, &source);
    source.verdict(file)?;
    Ok(scene)
}

fn scene(table: &Table<'_>, file: &str) -> Screenplay {
    let seconds = table.number("seconds").unwrap_or(1.0);
    let mut characters: Vec<Role> = table
        .items("characters")
        .iter()
        .filter_map(Value::table)
        .enumerate()
        .map(|(idx, table)| role(&table, idx))
        .collect();
    look_at_opponents(&mut characters);
    Screenplay {
        name: table.text("name").unwrap_or_else(|| stem(file)),
        seconds,
        seed: table.integer("seed").unwrap_or(0),
        library: table.text("library"),
        characters,
        props: table.items("props").iter().filter_map(Value::table).map(|table| prop(&table)).collect(),
        beats: table
            .items("beats")
            .iter()
            .filter_map(Value::table)
            .filter_map(|table| beat(&table))
            .collect(),
        camera: table.get("camera").and_then(|value| camera(&value)).unwrap_or_default(),
        formation: table
            .get("formation")
            .and_then(|value| value.table())
            .map(|table| formation(&table, seconds)),
        combination: table
            .items("combination")
            .iter()
            .filter_map(Value::table)
            .filter_map(|table| record(&table))
            .collect(),
        patches: table.get("patches").and_then(|value| value.table()).map(|table| patchwork(&table)),
        rivals: table.get("rivals").and_then(|value| value.table()).map(|table| rivalry(&table)),
        teamwork: table.get("teamwork").and_then(|value| value.table()).map(|table| teamwork(&table)),
        refinement: Refinement {
            ragdoll: table.get("refine").and_then(|value| value.table()?.flag("ragdoll")).unwrap_or(false),
        },
    }
}

/// The name of a scene that has none: its file's, without folders and extension.
fn stem(file: &str) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = name.strip_suffix(".toml").unwrap_or(name);
    let name: String = name.chars().filter(|c| !c.is_control()).take(100).collect();
    let name = name.trim();
    if name.is_empty() { "scene".to_owned() } else { name.to_owned() }
}

fn role(table: &Table<'_>, idx: usize) -> Role {
    let name = table.text("name").unwrap_or_default();
    Role {
        color: color_of(table, "color").unwrap_or(color::COLORS[idx % color::COLORS.len()]),
        library: table.text("library"),
        build: table.get("build").and_then(|value| build(&value)),
        team: table.text("team").unwrap_or_else(|| name.clone()),
        style: table.text("style").unwrap_or_else(|| DEFAULT_STYLE.to_owned()),
        weights: weights(table),
        controller: table.get("controller").and_then(|value| controller(&value)).unwrap_or_default(),
        at: table.ground("at").unwrap_or_default(),
        facing: match table.get("facing") {
            Some(value) => match value.text() {
                Some(name) => Facing::Towards(name),
                None => Facing::Heading(value.number().unwrap_or(0.0) as f32),
            },
            // Until everybody is known.
            None => Facing::Towards(String::new()),
        },
        enter: table.number("enter").unwrap_or(0.0),
        waits: table.flag("waits").unwrap_or(false),
        leave: table.number("leave"),
        poise: table.small("poise"),
        opponent: table.text("opponent"),
        path: path(table),
        opening: table.get("opening").and_then(|value| value.word()),
        losing: table
            .get("losing")
            .and_then(|value| value.table())
            .map_or(Daring::default(), |table| losing(&table)),
        name,
    }
}

/// Whoever looks nowhere in particular looks at its opponent, or at the nearest of another team.
fn look_at_opponents(characters: &mut [Role]) {
    let others: Vec<(String, String, Ground)> =
        characters.iter().map(|role| (role.name.clone(), role.team.clone(), role.at)).collect();
    for role in characters.iter_mut().filter(|role| role.facing == Facing::Towards(String::new())) {
        let nearest = others
            .iter()
            .filter(|(_, team, _)| *team != role.team)
            .min_by(|a, b| role.at.distance(a.2).total_cmp(&role.at.distance(b.2)));
        let opponent = role.opponent.as_ref().or(nearest.map(|(name, _, _)| name));
        role.facing = opponent.map_or(Facing::Heading(0.0), |name| Facing::Towards(name.clone()));
    }
}

fn color_of(table: &Table<'_>, name: &str) -> Option<Color> {
    table.get(name).and_then(|value| color(&value))
}

fn color(value: &Value<'_>) -> Option<Color> {
    let Some(text) = value.text() else { return value.numbers(0.0, 1.0) };
    let color = color::from_text(&text);
    if color.is_none() {
        let names = color::NAMED_COLORS.iter().map(|(name, _)| *name);
        value.refuse(value.shape.allowed(), super::table::nearest(&text, names));
    }
    color
}

fn build(value: &Value<'_>) -> Option<Build> {
    if let Some(name) = value.text() {
        return Some(match name.as_str() {
            "slim" => Build::SLIM,
            "stocky" => Build::STOCKY,
            _ => Build::AVERAGE,
        });
    }
    let table = value.table()?;
    let average = Build::AVERAGE;
    Some(Build {
        height: table.small("height").unwrap_or(average.height),
        mass: table.small("mass").unwrap_or(average.mass),
        breadth: table.small("breadth").unwrap_or(average.breadth),
        girth: table.small("girth").unwrap_or(average.girth),
    })
}

fn weights(holder: &Table<'_>) -> Weights {
    let Some(table) = holder.get("weights").and_then(|value| value.table()) else {
        return Weights::default();
    };
    Weights {
        distance: table.small("distance"),
        distance_weight: table.number("distance_weight"),
        angle_deg: table.small("angle"),
        angle_weight: table.number("angle_weight"),
        short_damage_weight: table.number("short_damage_weight"),
        long_damage_weight: table.number("long_damage_weight"),
        taken_weight: table.number("taken_weight"),
        combination_weight: table.number("combination_weight"),
        path_weight: table.number("path_weight"),
        heading_weight: table.number("heading_weight"),
        requirement_weight: table.number("requirement_weight"),
        recency_weight: table.number("recency_weight"),
        metre: table.number("metre"),
        radian: table.number("radian"),
    }
}

fn losing(table: &Table<'_>) -> Daring {
    let default = Daring::default();
    Daring {
        share: table.number("share").unwrap_or(default.share),
        behind: table.number("behind").unwrap_or(default.behind),
        last: table.number("last").unwrap_or(default.last),
    }
}

fn controller(value: &Value<'_>) -> Option<Controller> {
    if let Some(name) = value.text() {
        return Controller::from_short(&name);
    }
    let table = value.table()?;
    if let Some(depth) = table.integer("gametree") {
        return Some(Controller::GameTree {
            depth: u8::try_from(depth).ok()?,
            rule: named(&table, "rule", &RULES),
            opponent: named(&table, "opponent", &OPPONENTS),
            staged: table.flag("staged").unwrap_or(false),
        });
    }
    let actions = table.words("scripted");
    (!actions.is_empty())
        .then(|| Controller::Scripted { actions, repeat: table.flag("repeat").unwrap_or(false) })
}

/// The value of this name, or the default.
fn named<T: Copy + Default>(table: &Table<'_>, key: &str, values: &[(&str, T)]) -> T {
    let name = table.text(key);
    values.iter().find(|(known, _)| Some(*known) == name.as_deref()).map_or(T::default(), |(_, value)| *value)
}

fn path(table: &Table<'_>) -> Vec<Checkpoint> {
    let checkpoint = |table: Table<'_>| Checkpoint {
        at: table.ground("at").unwrap_or_default(),
        time: table.number("time"),
        within: table.small("within").unwrap_or(DEFAULT_WITHIN),
        require: table.words("require"),
        forbid: table.words("forbid"),
    };
    table.items("path").iter().filter_map(Value::table).map(checkpoint).collect()
}

fn prop(table: &Table<'_>) -> PropRole {
    let waypoint = |table: Table<'_>| Waypoint {
        at: table.ground("at").unwrap_or_default(),
        time: table.number("time").unwrap_or(0.0),
        height: table.small("height").unwrap_or(0.0),
        heading_deg: table.small("heading"),
    };
    PropRole {
        name: table.text("name").unwrap_or_default(),
        color: color_of(table, "color").unwrap_or(color::COLORS[5]),
        size: table.get("size").and_then(|value| value.numbers(0.01, super::keys::FAR)).unwrap_or([1.0; 3]),
        is_ball: table.flag("ball").unwrap_or(false),
        path: table.items("path").iter().filter_map(Value::table).map(waypoint).collect(),
        between: <[String; 2]>::try_from(
            table.items("between").iter().filter_map(Value::text).collect::<Vec<_>>(),
        )
        .ok(),
        hits: table.flag("hits").unwrap_or(false),
        waits: table.flag("waits").unwrap_or(false),
    }
}

fn camera(value: &Value<'_>) -> Option<Camera> {
    let table = value.table();
    let kind = value.text().or_else(|| table.as_ref()?.text("kind"))?;
    let looks = table.as_ref().map_or(Looks::default(), |table| Looks {
        heading_deg: table.small("heading"),
        pitch_deg: table.small("pitch"),
        fov_deg: table.small("fov"),
        margin: table.small("margin"),
    });
    match kind.as_str() {
        "whole" => Some(Camera::Whole(looks)),
        "steady" => Some(Camera::Steady(looks)),
        "fixed" => {
            let point = |name: &str| table.as_ref()?.get(name)?.numbers(-super::keys::FAR, super::keys::FAR);
            Some(Camera::Fixed { eye: point("eye")?, target: point("target")?, fov_deg: looks.fov_deg })
        }
        _ => Some(Camera::Follow(looks)),
    }
}

fn formation(table: &Table<'_>, seconds: f64) -> Formation {
    let pairs = table.integer("pairs").and_then(|pairs| u32::try_from(pairs).ok()).unwrap_or(1);
    let is_circles = table.text("kind").as_deref() == Some("circles");
    let default =
        if is_circles { Formation::circles(pairs, seconds) } else { Formation::spiral(pairs, seconds) };
    let kind = match default.kind {
        Pattern::Spiral { spread, turn_deg } => Pattern::Spiral {
            spread: table.small("spread").unwrap_or(spread),
            turn_deg: table.small("turn").unwrap_or(turn_deg),
        },
        Pattern::Circles { radius, speed } => Pattern::Circles {
            radius: table.small("radius").unwrap_or(radius),
            speed: table.small("speed").unwrap_or(speed),
        },
    };
    Formation {
        kind,
        pairs,
        center: table.ground("center").unwrap_or(default.center),
        spacing: table.small("spacing").unwrap_or(default.spacing),
        gap: table.small("gap").unwrap_or(default.gap),
        until: table.number("until").unwrap_or(default.until),
        every: table.number("every").unwrap_or(default.every),
        finish: table.flag("finish").unwrap_or(default.finish),
        names: two(table, "names", Value::text).unwrap_or(default.names),
        colors: two(table, "colors", color).unwrap_or(default.colors),
        styles: two(table, "styles", Value::text).unwrap_or(default.styles),
        controllers: two(table, "controllers", controller).unwrap_or(default.controllers),
    }
}

fn two<'a, T>(table: &Table<'a>, key: &str, read: impl Fn(&Value<'a>) -> Option<T>) -> Option<[T; 2]> {
    let both: Vec<T> = table.items(key).iter().filter_map(read).collect();
    both.try_into().ok()
}

fn patchwork(table: &Table<'_>) -> Patchwork {
    let name = table.text("plan").unwrap_or_default();
    let plan = Plan::NAMES.iter().find(|(known, _)| *known == name).map_or(Plan::OneMany, |(_, plan)| *plan);
    let colors: Vec<Color> = table.items("colors").iter().filter_map(color).collect();
    let default = if plan == Plan::OneOne { 0 } else { DEFAULT_PEOPLE };
    Patchwork {
        plan,
        patterns: table.text("patterns").unwrap_or_else(|| plan.patterns().to_owned()),
        people: table.integer("people").map_or(default, |people| people as u32),
        colors: if colors.is_empty() { color::COLORS[1..].to_vec() } else { colors },
        radius: table.small("radius").unwrap_or(DEFAULT_RADIUS),
        down: table.number("down"),
        late: table.flag("late").unwrap_or(false),
        floor: table.get("floor").and_then(|value| value.table()).and_then(|table| picture(&table)),
        luggage: table
            .items("luggage")
            .iter()
            .filter_map(Value::text)
            .filter_map(|name| piece(&name))
            .collect(),
        commands: table.items("commands").iter().filter_map(Value::table).map(|it| command(&it)).collect(),
        appointments: (table.items("appointments").iter())
            .filter_map(Value::table)
            .filter_map(|it| appointment(&it))
            .collect(),
    }
}

fn rivalry(table: &Table<'_>) -> Rivalry {
    let game = table.text("game").unwrap_or_default();
    let manner = |key: &str| {
        let name = table.text(key);
        let known = |manner: &Manner| name.as_deref() == Some(manner.name());
        Manner::ALL.into_iter().find(known).unwrap_or(Manner::Optimal)
    };
    Rivalry {
        game: RivalGame::NAMES.iter().find(|(name, _)| *name == game).map_or(RivalGame::Tag, |(_, it)| *it),
        agent: manner("agent"),
        opponent: manner("opponent"),
        look_ahead: table.small("look_ahead").unwrap_or(DEFAULT_LOOK_AHEAD),
        giant: table.flag("giant").unwrap_or(false),
    }
}

fn teamwork(table: &Table<'_>) -> Teamwork {
    let usual = Teamwork::default();
    let depths: Vec<u8> =
        table.items("depths").iter().filter_map(Value::integer).map(|depth| depth as u8).collect();
    Teamwork {
        depths: if let [first, second] = depths[..] { [first, second] } else { usual.depths },
        spacing: table.small("spacing").unwrap_or(usual.spacing),
        reach: table.small("reach").unwrap_or(usual.reach),
        speed: table.small("speed").unwrap_or(usual.speed),
        weight: table.number("weight").unwrap_or(usual.weight),
    }
}

/// How long decisions of rivals hold unless it is said (s).
const DEFAULT_LOOK_AHEAD: f32 = 0.25;

fn appointment(table: &Table<'_>) -> Option<Appointment> {
    Some(Appointment {
        at: table.number("at")?,
        place: table.ground("place")?,
        actions: table.items("do").iter().filter_map(Value::text).collect(),
    })
}

/// Others of a scene of patches that names no number, and how far away they wait (m).
const DEFAULT_PEOPLE: u32 = 24;
const DEFAULT_RADIUS: f32 = 6.0;

/// The side of a pixel of a picture that names none (m).
const DEFAULT_PIXEL: f32 = 0.25;

fn picture(table: &Table<'_>) -> Option<Picture> {
    Some(Picture { file: table.text("picture")?, pixel: table.small("pixel").unwrap_or(DEFAULT_PIXEL) })
}

fn piece(name: &str) -> Option<Piece> {
    Piece::NAMES.iter().find(|(known, _)| *known == name).map(|(_, piece)| *piece)
}

fn command(table: &Table<'_>) -> Command {
    Command {
        at: table.number("at").unwrap_or(0.0),
        until: table.number("until"),
        actions: table.items("do").iter().filter_map(Value::text).collect(),
        direction_deg: table.small("direction"),
        turn: table.text("turn").map(|side| if side == "left" { Turn::Left } else { Turn::Right }),
    }
}

fn record(table: &Table<'_>) -> Option<Record> {
    Some(Record {
        own: table.get("own")?.word()?,
        other: table.get("other")?.word()?,
        suitability: table.small("suitability")?,
    })
}

fn beat(table: &Table<'_>) -> Option<Beat> {
    let then: Vec<Then> =
        table.items("then").iter().filter_map(Value::table).filter_map(|table| then(&table)).collect();
    Some(Beat { name: table.text("name")?, when: when(&table.get("when")?.table()?)?, then })
}

fn when(table: &Table<'_>) -> Option<When> {
    let whole = |key: &str| u32::try_from(table.integer(key)?).ok();
    Some(match first_key(table) {
        "time" => When::Time(table.number("time")?),
        "beat" => When::Beat { name: table.text("beat")?, after: table.number("after").unwrap_or(0.0) },
        "checkpoint" => When::Checkpoint { number: whole("checkpoint")?, who: table.text("who")? },
        "hits" => When::Hits { count: whole("hits")?, who: table.text("who")?, whom: table.text("whom")? },
        "distance" => When::Distance {
            below: table.small("distance")?,
            who: table.text("who")?,
            whom: table.text("whom")?,
        },
        "down" => When::Down { who: table.text("down")? },
        "struck" => When::Struck { who: table.text("struck")?, by: table.text("by")? },
        _ => return None,
    })
}

fn then(table: &Table<'_>) -> Option<Then> {
    let who = || table.text("who");
    let some = |actions: Vec<Annotation>| (!actions.is_empty()).then_some(actions);
    Some(match first_key(table) {
        "style" => Then::Style { who: who()?, style: Some(table.text("style")?), weights: weights(table) },
        "weights" => Then::Style { who: who()?, style: None, weights: weights(table) },
        "controller" => Then::Controller { who: who()?, controller: controller(&table.get("controller")?)? },
        "path" => Then::Path { who: who()?, path: path(table) },
        "poise" => Then::Poise { who: who()?, poise: table.small("poise")? },
        "opponent" => Then::Opponent { who: who()?, whom: table.text("opponent")? },
        "enter" => Then::Enter { who: table.text("enter")? },
        "leave" => Then::Leave { who: table.text("leave")? },
        "require" => Then::Require { who: who()?, actions: some(table.words("require"))? },
        "forbid" => Then::Forbid { who: who()?, actions: some(table.words("forbid"))? },
        "camera" => Then::Camera(camera(&table.get("camera")?)?),
        "prop" => Then::Prop { name: table.text("prop")? },
        "end" => table.flag("end").map(|_| Then::End)?,
        _ => return None,
    })
}

/// The key that says which form a table has.
fn first_key(table: &Table<'_>) -> &'static str {
    table.section.keys.first().map_or("", |key| key.name)
}
