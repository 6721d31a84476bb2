//! Changes to a scene while it is played: from a moment on, as beats of its story.
//!
//! A change at the beginning changes the scene itself. A later one becomes a beat that comes true half a tick after the
//! moment, so that whoever plays the saved scene gets the same: it takes effect at the next decision after it.

use randori_arena::bodies::TICKS_PER_SECOND;
use randori_arena::style::Style;
use randori_motion::{Annotation, EventKind, Ground, Take};
use randori_scene::screenplay::{
    Beat, Checkpoint, Controller, Facing, Role, Screenplay, Then, Weights, When,
};
use serde_json::{Value, json};

use crate::hero;

/// Beats of the studio are called so, with a number behind it.
const NAME: &str = "studio-";

/// The time of a beat for a change at a time (s).
pub(crate) fn moment(at: f64) -> f64 {
    let ticks = f64::from(TICKS_PER_SECOND);
    ((at * ticks).floor() + 0.5) / ticks
}

/// Whether a change is one of the scene itself.
fn is_first(at: f64) -> bool {
    at * f64::from(TICKS_PER_SECOND) < 1.0
}

fn time_of(beat: &Beat) -> Option<f64> {
    match beat.when {
        When::Time(time) if beat.name.starts_with(NAME) => Some(time),
        _ => None,
    }
}

/// Forgets all changes after a time (s).
pub(crate) fn rewind(scene: &mut Screenplay, at: f64) {
    let last = moment(at);
    scene.beats.retain(|beat| time_of(beat).is_none_or(|time| time <= last));
}

/// Has something happen from a time (s) on; what the same kind of change said at that time is forgotten.
fn from_then_on(scene: &mut Screenplay, at: f64, then: Then) {
    let time = moment(at);
    rewind(scene, at);
    let is_same = |beat: &Beat| {
        time_of(beat) == Some(time) && beat.then.first().is_some_and(|known| replaces(&then, known))
    };
    scene.beats.retain(|beat| !is_same(beat));
    let next = scene.beats.iter().filter_map(|beat| beat.name.strip_prefix(NAME)?.parse::<u32>().ok()).max();
    let name = format!("{NAME}{}", next.map_or(1, |last| last + 1));
    scene.beats.push(Beat { name, when: When::Time(time), then: vec![then] });
}

/// Whether a change makes an earlier one at the same time pointless.
fn replaces(new: &Then, old: &Then) -> bool {
    match (new, old) {
        (Then::Controller { who, .. }, Then::Controller { who: other, .. })
        | (Then::Path { who, .. }, Then::Path { who: other, .. }) => who == other,
        (Then::Style { who, style: Some(_), .. }, Then::Style { who: other, .. }) => who == other,
        (
            Then::Style { who, weights, style: None },
            Then::Style { who: other, weights: old, style: None },
        ) => {
            // The same weights are set, to other values.
            let set = |weights: &Weights| {
                WEIGHTS.iter().filter(|it| (it.get)(weights).is_some()).map(|it| it.name).collect::<Vec<_>>()
            };
            who == other && set(weights) == set(old)
        }
        _ => false,
    }
}

fn role<'a>(scene: &'a mut Screenplay, who: &str) -> Result<&'a mut Role, String> {
    let is_in_formation =
        scene.formation.as_ref().is_some_and(|it| it.roles().iter().any(|role| role.name == who));
    (scene.characters.iter_mut().find(|role| role.name == who)).ok_or_else(|| {
        if is_in_formation {
            format!("\"{who}\" is one of a formation, which changes as a whole")
        } else {
            format!("nobody is called \"{who}\"")
        }
    })
}

fn is_known(scene: &Screenplay, who: &str) -> Result<(), String> {
    let is_there = scene.expanded().iter().any(|role| role.name == who);
    is_there.then_some(()).ok_or_else(|| format!("nobody is called \"{who}\""))
}

/// Moves the place where somebody starts.
pub(crate) fn start(scene: &mut Screenplay, who: &str, at: Ground) -> Result<(), String> {
    role(scene, who)?.at = at;
    Ok(())
}

/// Gives somebody another style.
pub(crate) fn style(scene: &mut Screenplay, who: &str, style: &str, at: f64) -> Result<(), String> {
    is_known(scene, who)?;
    if Style::preset(style).is_none() {
        return Err(format!("there is no style \"{style}\""));
    }
    if is_first(at) {
        let role = role(scene, who)?;
        (role.style, role.weights) = (style.to_owned(), Weights::default());
    } else {
        let (who, style) = (who.to_owned(), Some(style.to_owned()));
        from_then_on(scene, at, Then::Style { who, style, weights: Weights::default() });
    }
    Ok(())
}

/// A weight by its name in scene files.
struct Weight {
    name: &'static str,
    get: fn(&Weights) -> Option<f64>,
    set: fn(&mut Weights, f64),
    of: fn(&Style) -> f64,
}

macro_rules! weight {
    ($name:ident) => {
        Weight {
            name: stringify!($name),
            get: |weights| weights.$name.map(f64::from),
            set: |weights, value| weights.$name = Some(value as _),
            of: |style| f64::from(style.$name),
        }
    };
}

/// The weights that can be changed while a scene is played.
const WEIGHTS: [Weight; 12] = [
    weight!(distance),
    weight!(distance_weight),
    Weight {
        name: "angle_deg",
        get: |weights| weights.angle_deg.map(f64::from),
        set: |weights, value| weights.angle_deg = Some(value as f32),
        of: |style| f64::from(style.angle.to_degrees()),
    },
    weight!(angle_weight),
    weight!(short_damage_weight),
    weight!(long_damage_weight),
    weight!(taken_weight),
    weight!(combination_weight),
    weight!(path_weight),
    weight!(heading_weight),
    weight!(requirement_weight),
    weight!(recency_weight),
];

/// Gives somebody another weight.
pub(crate) fn weight(
    scene: &mut Screenplay,
    who: &str,
    name: &str,
    value: f64,
    at: f64,
) -> Result<(), String> {
    is_known(scene, who)?;
    let Some(known) = WEIGHTS.iter().find(|weight| weight.name == name) else {
        let names: Vec<&str> = WEIGHTS.iter().map(|weight| weight.name).collect();
        return Err(format!("there is no weight \"{name}\"; there are {}", names.join(", ")));
    };
    if is_first(at) {
        (known.set)(&mut role(scene, who)?.weights, value);
    } else {
        let mut weights = Weights::default();
        (known.set)(&mut weights, value);
        from_then_on(scene, at, Then::Style { who: who.to_owned(), style: None, weights });
    }
    Ok(())
}

/// Has somebody else decide.
pub(crate) fn controller(scene: &mut Screenplay, who: &str, name: &str, at: f64) -> Result<(), String> {
    is_known(scene, who)?;
    let controller =
        Controller::from_short(name).ok_or_else(|| format!("there is no controller \"{name}\""))?;
    if is_first(at) {
        role(scene, who)?.controller = controller;
    } else {
        from_then_on(scene, at, Then::Controller { who: who.to_owned(), controller });
    }
    Ok(())
}

/// Changes somebody's way from a time (s) on: all of it at the start, else what is left of it.
pub(crate) fn path(
    scene: &mut Screenplay,
    take: Option<&Take>,
    who: &str,
    at: f64,
    change: impl FnOnce(&mut Vec<Checkpoint>) -> Result<(), String>,
) -> Result<(), String> {
    let (mut path, first) = path_at(scene, take, who, at)?;
    let is_later = first > 0 || !is_first(at);
    if !is_later {
        change(&mut role(scene, who)?.path)?;
    } else {
        change(&mut path)?;
        let time = moment(at);
        // What lies behind stays as it was.
        let left = path.split_off(first.min(path.len()));
        let later = |mut checkpoint: Checkpoint| {
            // Of whoever is told of a time that has passed, it is asked at once.
            checkpoint.time = checkpoint.time.map(|due| (due - time).max(0.1));
            checkpoint
        };
        let path = left.into_iter().map(later).collect();
        from_then_on(scene, at, Then::Path { who: who.to_owned(), path });
    }
    mind_way(scene, who, at)
}

/// Whoever is given a way is also given a mind to keep to it, unless they have one.
fn mind_way(scene: &mut Screenplay, who: &str, at: f64) -> Result<(), String> {
    /// Those of the presets for people on paths.
    const USUAL: [(&str, f64); 2] = [("path_weight", 10.0), ("requirement_weight", 1e6)];
    let role = role(scene, who)?.clone();
    let now =
        settings(scene, &role).into_iter().rfind(|it| it["t"].as_f64().is_some_and(|t| t <= moment(at)));
    for (name, usual) in USUAL {
        if now.as_ref().is_some_and(|now| now["weights"][name] == 0.0) {
            weight(scene, who, name, usual, at)?;
        }
    }
    Ok(())
}

/// Somebody's way as it is at a time (s), in times of the scene, and how much of it lies behind.
fn path_at(
    scene: &mut Screenplay,
    take: Option<&Take>,
    who: &str,
    at: f64,
) -> Result<(Vec<Checkpoint>, usize), String> {
    let mut path = role(scene, who)?.path.clone();
    let mut since = 0.0;
    for beat in &scene.beats {
        let Some(time) = time_of(beat).filter(|time| *time <= at) else { continue };
        for then in &beat.then {
            if let Then::Path { who: whose, path: new } = then
                && whose == who
            {
                path = new.clone();
                for checkpoint in &mut path {
                    checkpoint.time = checkpoint.time.map(|due| due + time);
                }
                since = time;
            }
        }
    }
    let passed = take.map_or(0, |take| {
        let is_passed = |it: &&randori_motion::Event| {
            it.kind == EventKind::Checkpoint && it.who.as_deref() == Some(who) && (since..at).contains(&it.t)
        };
        take.events.iter().filter(is_passed).count()
    });
    Ok((path, passed))
}

/// Sets a checkpoint in a way, or adds one after the last.
pub(crate) fn set_checkpoint(
    path: &mut Vec<Checkpoint>,
    number: usize,
    new: Checkpoint,
) -> Result<(), String> {
    let at = number.checked_sub(1).filter(|at| *at <= path.len());
    let at =
        at.ok_or_else(|| format!("expected a checkpoint from 1 to {}, found {number}", path.len() + 1))?;
    match path.get_mut(at) {
        Some(known) => *known = Checkpoint { within: known.within, forbid: known.forbid.clone(), ..new },
        None => path.push(new),
    }
    Ok(())
}

/// Takes a checkpoint out of a way.
pub(crate) fn remove_checkpoint(path: &mut Vec<Checkpoint>, number: usize) -> Result<(), String> {
    let at = number.checked_sub(1).filter(|at| *at < path.len());
    path.remove(at.ok_or_else(|| format!("there is no checkpoint {number}"))?);
    Ok(())
}

/// The scene for the viewers: places, ways, and what everybody is after from when on.
pub(crate) fn told(scene: &Screenplay) -> Value {
    let people = scene.expanded().into_iter().map(|role| {
        let changeable = scene.characters.iter().any(|own| own.name == role.name);
        let facing = match &role.facing {
            Facing::Heading(degrees) => json!(degrees),
            Facing::Towards(name) => json!(name),
        };
        json!({
            "name": role.name, "color": role.color, "at": [role.at.x, role.at.z], "facing": facing, "team": role.team,
            "opponent": role.opponent, "changeable": changeable, "settings": settings(scene, &role),
            "paths": paths(scene, &role),
        })
    });
    let asked = scene.patches.iter().flat_map(|patches| patches.commands.iter().map(|command| command.at));
    let changes = scene.beats.iter().filter_map(time_of).chain(asked);
    json!({
        "name": scene.name, "seconds": scene.seconds, "seed": scene.seed, "library": scene.library,
        "people": people.collect::<Vec<Value>>(), "changes": changes.collect::<Vec<f64>>(),
        "camera": scene.camera.name(), "patches": hero::told(scene),
    })
}

/// What somebody is after, from when on.
fn settings(scene: &Screenplay, role: &Role) -> Vec<Value> {
    let (mut style, mut name, mut controller) =
        (role.objective(), role.style.clone(), role.controller.clone());
    let told = |t: f64, name: &str, style: &Style, controller: &Controller| {
        let weights: serde_json::Map<String, Value> =
            WEIGHTS.iter().map(|it| (it.name.to_owned(), json!((it.of)(style)))).collect();
        json!({ "t": t, "style": name, "controller": controller.to_string(), "weights": weights })
    };
    let mut list = vec![told(0.0, &name, &style, &controller)];
    for beat in &scene.beats {
        let When::Time(time) = beat.when else { continue };
        for then in &beat.then {
            match then {
                Then::Style { who, style: preset, weights } if *who == role.name => {
                    if let Some((known, found)) =
                        preset.as_deref().and_then(|it| Some((it, Style::preset(it)?)))
                    {
                        (name, style) = (known.to_owned(), found);
                    }
                    style = weights.applied_to(style);
                }
                Then::Controller { who, controller: new } if *who == role.name => controller = new.clone(),
                _ => continue,
            }
            list.push(told(time, &name, &style, &controller));
        }
    }
    list
}

/// Somebody's way, from when on.
fn paths(scene: &Screenplay, role: &Role) -> Vec<Value> {
    let told = |t: f64, path: &[Checkpoint]| {
        let points: Vec<Value> = path
            .iter()
            .map(|it| {
                let require: Vec<&str> = it.require.iter().map(Annotation::name).collect();
                json!({ "at": [it.at.x, it.at.z], "time": it.time.map(|due| due + t), "within": it.within,
                    "require": require })
            })
            .collect();
        json!({ "t": t, "points": points })
    };
    let mut list = vec![told(0.0, &role.path)];
    for beat in &scene.beats {
        let When::Time(time) = beat.when else { continue };
        for then in &beat.then {
            if let Then::Path { who, path } = then
                && *who == role.name
            {
                list.push(told(time, path));
            }
        }
    }
    list
}

/// Who decides for somebody at a time (s).
pub(crate) fn controller_at(scene: &Screenplay, who: &str, at: f64) -> Option<Controller> {
    let mut controller = scene.expanded().into_iter().find(|role| role.name == who)?.controller;
    for beat in &scene.beats {
        if !matches!(beat.when, When::Time(time) if time <= at) {
            continue;
        }
        for then in &beat.then {
            if let Then::Controller { who: whose, controller: new } = then
                && whose == who
            {
                controller = new.clone();
            }
        }
    }
    Some(controller)
}
