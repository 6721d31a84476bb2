//! Scene files: those that are shipped, mistakes and how they are told, writing and reading back, formations, the schema.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::path::{Path, PathBuf};

use randori_motion::{Annotation, Build, Ground};
use randori_scene::director::area;
use randori_scene::files;
use randori_scene::screenplay::{
    Beat, Camera, Checkpoint, Controller, Daring, Facing, Formation, Looks, Pattern, Plan, PropRole, Record,
    Refinement, RivalGame, Role, Screenplay, Then, Turn, Waypoint, Weights, When, placements, schema,
};
use randori_scene::shipped::SCENES;
use randori_testkit::mutate::mutant;

fn root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

fn text(path: &str) -> String {
    String::from_utf8(files::read(&root(path)).unwrap()).unwrap()
}

fn shipped(name: &str) -> (String, Screenplay) {
    let text = randori_scene::shipped::scene(name).unwrap();
    let scene = Screenplay::parse(&format!("{name}.toml"), text.as_bytes());
    (text.to_owned(), scene.unwrap_or_else(|error| panic!("{error}")))
}

#[test]
fn shipped_scenes_are_sound() {
    assert!(SCENES.len() >= 30, "{}", SCENES.len());
    for (name, _) in SCENES {
        let (text, scene) = shipped(name);
        assert!(
            text.starts_with("#:schema ./schema.json\n# "),
            "{name}: a schema for editors, then what is seen"
        );
        assert_eq!(scene.name, *name);
        // The rest is about people who decide for themselves, one against another.
        if scene.patches.is_some() || scene.rivals.is_some() || name.starts_with("graph-") {
            continue;
        }
        let roles = scene.expanded();
        let placements = placements(&roles);
        let running = scene.library.as_deref() == Some("builtin:run");
        for (role, placement) in roles.iter().zip(&placements).filter(|(role, _)| !role.waits) {
            // Who fights starts face to face with somebody, near enough to begin.
            let apart = |other: &Ground| role.at.distance(*other);
            let others = roles.iter().filter(|other| other.team != role.team && !other.waits);
            let nearest = others.map(|other| other.at).min_by(|a, b| apart(a).total_cmp(&apart(b))).unwrap();
            // Runners, and teams that take up formations first, start farther apart.
            let far = running || scene.teamwork.is_some();
            let range = if far { 1.5..=4.5 } else { 1.5..=2.5 };
            let distance = (f64::from(apart(&nearest)) * 1e4).round() / 1e4;
            assert!(range.contains(&distance), "{name}: {} {distance} m", role.name);
            let to_other = (nearest.x - role.at.x).atan2(nearest.z - role.at.z);
            assert!(far || (placement.heading - to_other).abs() < 1e-3, "{name}: {}", role.name);
        }
    }
    let formation = shipped("formation-boxing").1;
    let down = Annotation::of("knock-down");
    let falls = formation
        .expanded()
        .iter()
        .filter(|role| role.path.last().unwrap().require == [down.clone()])
        .count();
    assert_eq!((formation.expanded().len(), falls), (80, 40));
}

const DUEL: &str = r#"seconds = 30
seed = 7
library = "builtin:boxing"
camera = "follow"

[[characters]]
name = "red"
color = "red"
style = "general-boxer-path"
controller = "gametree:3"
at = [0.0, -1.0]
facing = "blue"
path = [{ at = [0, 3], time = 9 }, { at = [0, 6], time = 18, require = ["duck"] }]

[[characters]]
name = "blue"
at = [0.0, 1.0]

[[props]]
name = "car"
size = [2, 1, 4]
waits = true
path = [{ at = [0, -20], time = 0 }, { at = [0, 20], time = 4 }]

[[beats]]
name = "go"
when = { checkpoint = 2, who = "red" }
then = [{ prop = "car" }, { style = "infighter", who = "blue" }]
"#;

const PATCHES: &str = r#"seconds = 30
library = "builtin:boxing"

[[characters]]
name = "hero"
at = [0, 0]

[patches]
plan = "one-many"
people = 30
down = 2.5

[[patches.commands]]
at = 5
do = ["kick", "left-hook"]

[[patches.commands]]
at = 9
until = 12
direction = 90
turn = "left"
"#;

#[test]
fn scenes_of_patches_are_read_and_written() {
    let scene = Screenplay::parse("patches.toml", PATCHES.as_bytes()).unwrap();
    let patches = scene.patches.as_ref().unwrap();
    assert_eq!((patches.plan, patches.patterns.as_str()), (Plan::OneMany, "fight-one-many"));
    assert_eq!((patches.people, patches.radius, patches.down), (30, 6.0, Some(2.5)));
    assert_eq!(patches.commands[0].actions, ["kick", "left-hook"]);
    assert_eq!((patches.commands[1].until, patches.commands[1].turn), (Some(12.0), Some(Turn::Left)));
    assert_eq!(Screenplay::parse("patches.toml", scene.to_toml().as_bytes()).unwrap(), scene);
    let late = PATCHES.replacen("people = 30", "people = 30\nlate = true", 1);
    let late = Screenplay::parse("patches.toml", late.as_bytes()).unwrap();
    assert!(late.patches.as_ref().unwrap().late && late != scene);
    assert_eq!(Screenplay::parse("patches.toml", late.to_toml().as_bytes()).unwrap(), late);
}

#[test]
fn mistakes_in_scenes_of_patches_are_told() {
    for (from, to, expected) in [
        ("\"one-many\"", "\"one-mny\"", "9:8: plan is \"one-mny\" (did you mean \"one-many\"?)"),
        ("\"one-many\"", "\"one-one\"", "characters"),
        ("\"one-many\"", "\"mouse\"\nlate = true", "late in the plan \"mouse\""),
        ("people = 30", "people = 600", "600"),
        ("at = 9", "at = 3", "at is 3"),
        ("at = 9", "at = 40", "at is 40"),
        ("until = 12", "until = 9", "until is 9"),
        ("do = [\"kick\", \"left-hook\"]", "", "a command that asks for nothing"),
    ] {
        assert!(PATCHES.contains(from), "{from}");
        let text = PATCHES.replacen(from, to, 1);
        let error = Screenplay::parse("patches.toml", text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(expected), "{to}: {error}");
    }
}

const RIVALS: &str = r#"seconds = 20

[[characters]]
name = "red"
at = [0, -2]

[[characters]]
name = "blue"
at = [0, 1]

[rivals]
game = "tag"
opponent = "adaptive"
"#;

#[test]
fn scenes_of_rivals_are_read_and_written() {
    let scene = Screenplay::parse("rivals.toml", RIVALS.as_bytes()).unwrap();
    let rivals = scene.rivals.as_ref().unwrap();
    assert_eq!((rivals.game, rivals.agent.name()), (RivalGame::Tag, "optimal"));
    assert_eq!((rivals.opponent.name(), rivals.look_ahead, rivals.giant), ("adaptive", 0.25, false));
    assert_eq!(Screenplay::parse("rivals.toml", scene.to_toml().as_bytes()).unwrap(), scene);
    for (from, to, expected) in [
        ("\"tag\"", "\"tga\"", "game is \"tga\" (did you mean \"tag\"?)"),
        ("\"adaptive\"", "\"adaptiv\"", "did you mean \"adaptive\""),
        ("[[characters]]\nname = \"blue\"\nat = [0, 1]\n", "", "1 characters; allowed: 2 for the game"),
        ("game = \"tag\"", "game = \"sword\"\ngiant = true", "a giant in the game \"sword\""),
        ("[rivals]", "[patches]\nplan = \"one-one\"\n[rivals]", "patches in a scene of rivals"),
    ] {
        assert!(RIVALS.contains(from), "{from}");
        let error = Screenplay::parse("rivals.toml", RIVALS.replacen(from, to, 1).as_bytes()).unwrap_err();
        assert!(error.to_string().contains(expected), "{to}: {error}");
    }
}

const FILLED: &str = r#"seconds = 10
library = "builtin:crowd"

[[characters]]
name = "first"
at = [0, 0]

[patches]
plan = "dominoes"
floor = { picture = "floor-r.png", pixel = 0.5 }
"#;

#[test]
fn areas_luggage_and_appointments_are_read_and_written() {
    let again = |scene: &Screenplay| Screenplay::parse("a.toml", scene.to_toml().as_bytes()).unwrap();
    let filled = Screenplay::parse("a.toml", FILLED.as_bytes()).unwrap();
    let floor = filled.patches.as_ref().unwrap().floor.clone().unwrap();
    assert_eq!((floor.file.as_str(), floor.pixel), ("floor-r.png", 0.5));
    assert_eq!(again(&filled), filled);
    let text = FILLED.replace("\"dominoes\"", "\"luggage\"").replace(
        "floor = { picture = \"floor-r.png\", pixel = 0.5 }",
        "luggage = [\"heavy-small\", \"light-large\"]",
    );
    let handed = Screenplay::parse("a.toml", text.as_bytes()).unwrap();
    let names: Vec<&str> = handed.patches.as_ref().unwrap().luggage.iter().map(|it| it.name()).collect();
    assert_eq!(names, ["heavy-small", "light-large"]);
    assert_eq!(again(&handed), handed);
    let appointed =
        format!("{PATCHES}\n[[patches.appointments]]\nat = 14\nplace = [1, -2.5]\ndo = [\"hook\"]\n");
    let appointed = Screenplay::parse("a.toml", appointed.as_bytes()).unwrap();
    let [appointment] = &appointed.patches.as_ref().unwrap().appointments[..] else { panic!() };
    assert_eq!((appointment.at, appointment.place.z), (14.0, -2.5));
    assert_eq!(appointment.actions, ["hook"]);
    assert_eq!(again(&appointed), appointed);
    for (from, to, expected) in [
        ("\"dominoes\"", "\"mouse\"", "a floor for the plan"),
        ("floor = {", "#", "no floor for the plan"),
        ("\"dominoes\"", "\"luggage\"", "a floor for the plan"),
        ("\"dominoes\"\nfloor", "\"luggage\"\n# floor", "no luggage for the plan"),
        ("pixel = 0.5", "pixel = 0", "pixel is 0"),
        ("[patches]", "[[patches.appointments]]\nat = 3\nplace = [0, 0]\n[patches]", "appointment"),
        ("[patches]", "[[patches.appointments]]\nat = 30\nplace = [0, 0]\n[patches]", "at is 30"),
    ] {
        let text = FILLED.replacen(from, to, 1);
        let error = Screenplay::parse("a.toml", text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(expected), "{to}: {error}");
    }
}

#[test]
fn dark_pixels_are_an_area_and_other_files_are_none() {
    let bytes = files::read(&root("scenes/floor-r.png")).unwrap();
    let letter = area(&bytes, 0.3).unwrap();
    assert!((letter.area() - 4988.0 * 0.09).abs() < 1.0, "{}", letter.area());
    // The stem of the letter is on the left, which is -x; what it encloses and what is around it are no part of it.
    let ground = |x: f32, z: f32| Ground { x, z };
    assert_eq!(letter.outside(ground(-8.0, 0.0)), 0.0);
    assert!(letter.outside(ground(2.0, -5.4)) > 0.5, "{}", letter.outside(ground(2.0, -5.4)));
    assert!(letter.outside(ground(12.5, 0.0)) > 0.5);
    assert!(area(b"no picture", 0.3).is_err());
    assert!(area(&bytes[..bytes.len() / 2], 0.3).is_err());
}

/// A change to [`DUEL`], where the first mistake is, and what must be said of it.
const MISTAKES: &[(&str, &str, usize, usize, &[&str])] = &[
    (
        "color =",
        "colr =",
        8,
        1,
        &["unknown key \"colr\" in a character", "did you mean \"color\"", "name, at, color"],
    ),
    ("seed", "sede", 2, 1, &["unknown key \"sede\" in a scene", "did you mean \"seed\""]),
    ("seconds = 30", "seconds = 0", 1, 11, &["seconds is 0", "0.01 to 3600"]),
    ("seconds = 30", "seconds = 3601", 1, 11, &["3601", "3600"]),
    ("seconds = 30", "seconds = nan", 1, 11, &["seconds is nan", "a number from"]),
    ("seconds = 30", "seconds = inf", 1, 11, &["inf", "a number from"]),
    ("seconds = 30", "seconds = \"long\"", 1, 11, &["seconds is \"long\"", "a number from"]),
    ("seconds = 30\n", "", 1, 1, &["a scene has no seconds", "seconds = a number"]),
    ("seed = 7", "seed = -7", 2, 8, &["seed is -7", "0 or more"]),
    ("\"follow\"", "\"folow\"", 4, 10, &["folow", "did you mean \"follow\"", "follow, whole, steady"]),
    ("\"follow\"", "{ kind = \"orbit\" }", 4, 19, &["kind is \"orbit\"", "follow, whole, steady, fixed"]),
    ("\"follow\"", "{ kind = \"fixed\", eye = [0, 1, 0], target = [0, 1, 0] }", 4, 54, &["one point"]),
    ("\"gametree:3\"", "\"gametree:-3\"", 10, 14, &["gametree:-3", "\"gametree:1\" to \"gametree:16\""]),
    ("\"gametree:3\"", "\"gametree:17\"", 10, 14, &["gametree:17", "static"]),
    ("\"gametree:3\"", "{ gametree = -1 }", 10, 27, &["gametree is -1", "a whole number from 1 to 16"]),
    ("\"gametree:3\"", "{ gametree = 0 }", 10, 27, &["gametree is 0", "1 to 16"]),
    ("\"gametree:3\"", "{ gametree = 2, rule = \"add\" }", 10, 37, &["added", "two-objectives"]),
    ("\"gametree:3\"", "{ tree = 2 }", 10, 14, &["none of the keys", "gametree, scripted"]),
    ("\"gametree:3\"", "\"statc\"", 10, 14, &["did you mean \"static\""]),
    ("\"gametree:3\"", "{ scripted = [\"knock-down\"] }", 10, 28, &["nobody chooses knock-down"]),
    ("\"gametree:3\"", "{ scripted = [\"jabb\"] }", 10, 28, &["unknown annotation \"jabb\"", "left-jab"]),
    ("general-boxer-path", "general-boxer", 9, 9, &["red has a path", "path_weight 0", "-path"]),
    ("general-boxer-path", "chaser-path", 9, 9, &["requirement_weight 0", "1e6"]),
    ("general-boxer-path", "juggler", 9, 9, &["juggler", "infighter, outboxer, sword-fighter"]),
    ("color = \"red\"", "color = \"rot\"", 8, 9, &["color is \"rot\"", "#rrggbb", "blue, red"]),
    ("color = \"red\"", "color = [1, 2, 0]", 8, 9, &["color is [1, 2, 0]", "from 0 to 1"]),
    ("at = [0.0, -1.0]", "at = [0.0, 1.0]", 17, 6, &["blue starts where red stands"]),
    ("at = [0.0, -1.0]", "at = [0.0, -1.0, 3.0]", 11, 6, &["[x, z]"]),
    ("at = [0.0, -1.0]", "at = [0.0, 1e9]", 11, 6, &["-1000 to 1000"]),
    ("facing = \"blue\"", "facing = \"bleu\"", 12, 10, &["no character \"bleu\"", "did you mean \"blue\""]),
    ("facing = \"blue\"", "opponent = \"green\"", 12, 12, &["no character \"green\"", "blue, red"]),
    ("facing = \"blue\"", "opponent = \"red\"", 12, 12, &["one team"]),
    ("facing = \"blue\"", "poise = -1", 12, 9, &["poise is -1"]),
    ("facing = \"blue\"", "leave = 0", 12, 9, &["leave is 0", "after it enters"]),
    ("facing = \"blue\"", "enter = 30", 12, 9, &["enter is 30", "before the end"]),
    ("facing = \"blue\"", "team = \"blue\"", 12, 8, &["all are in the team \"blue\"", "two or more teams"]),
    ("facing = \"blue\"", "waits = true", 12, 9, &["no beat lets it enter"]),
    ("name = \"blue\"", "name = \"red\"", 16, 8, &["the name \"red\" is there twice"]),
    ("name = \"blue\"", "name = \"car\"", 20, 8, &["the name \"car\" is there twice"]),
    ("name = \"blue\"", "name = \"blue.hips\"", 16, 8, &["letters, digits"]),
    ("time = 18", "time = 9", 13, 58, &["time is 9", "later than 9 s"]),
    (
        "time = 18",
        "time = 9.2",
        13,
        58,
        &["impossible checkpoint: 2.50 m in 0.20 s", "6 m/s", "9.42 s or later"],
    ),
    ("time = 18", "time = 31", 13, 58, &["time is 31", "30 s"]),
    (
        "[\"duck\"]",
        "[\"dukc\"]",
        13,
        73,
        &["unknown annotation \"dukc\"", "did you mean \"duck\"", "sway-back"],
    ),
    ("[\"duck\"]", "[\"duck\"], forbid = [\"duck\"]", 13, 91, &["required and forbidden"]),
    ("library = \"builtin:boxing\"\n", "", 5, 1, &["red has no library", "builtin:boxing"]),
    ("time = 4", "time = 0", 23, 61, &["later than 0 s"]),
    ("size = [2, 1, 4]", "size = [2, 0, 4]", 21, 8, &["size is [2, 0, 4]", "0.01"]),
    ("checkpoint = 2", "checkpoint = 3", 27, 23, &["checkpoint is 3", "red has 2 checkpoints"]),
    ("who = \"red\"", "who = \"rd\"", 27, 32, &["no character \"rd\"", "did you mean \"red\""]),
    ("{ checkpoint = 2, who = \"red\" }", "{ beat = \"go\" }", 27, 17, &["no earlier beat \"go\""]),
    (
        "{ checkpoint = 2, who = \"red\" }",
        "{ checkpont = 2 }",
        27,
        8,
        &["did you mean \"checkpoint\"", "time, beat"],
    ),
    (
        "{ checkpoint = 2, who = \"red\" }",
        "{ struck = \"red\", by = \"bus\" }",
        27,
        31,
        &["no prop \"bus\"", "car"],
    ),
    ("{ prop = \"car\" }", "{ end = false }", 28, 17, &["end is false", "true"]),
    ("waits = true\n", "", 27, 18, &["car does not wait"]),
    ("seed = 7", "seed = 7 7", 2, 8, &["not TOML"]),
    ("seed = 7", "seed = 7\nseed = 8", 3, 1, &["not TOML", "duplicate"]),
];

#[test]
fn mistakes_have_a_place_and_say_what_is_allowed() {
    Screenplay::parse("duel.toml", DUEL.as_bytes()).unwrap();
    let mut failures = Vec::new();
    for (old, new, line, column, said) in MISTAKES {
        assert!(DUEL.contains(old), "{old}");
        let Err(error) = Screenplay::parse("duel.toml", DUEL.replacen(old, new, 1).as_bytes()) else {
            failures.push(format!("{new}: no mistake"));
            continue;
        };
        let message = error.to_string();
        let place = format!("duel.toml:{line}:{column}: ");
        if !message.starts_with(&place) || !said.iter().all(|part| message.contains(part)) {
            failures.push(format!("{new}: expected {place}{said:?}, found {message}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn all_mistakes_are_told_in_order() {
    let text = "seconds = 3\nlibrary = \"builtin:run\"\nsize = 1\n[[characters]]\nname = \"a b\"\nat = 3\nteem = \"x\"\n";
    let error = Screenplay::parse("x.toml", text.as_bytes()).unwrap_err();
    let places: Vec<(usize, usize)> =
        error.mistakes.iter().map(|mistake| (mistake.line, mistake.column)).collect();
    assert_eq!(places, [(3, 1), (5, 8), (6, 6), (7, 1)], "{error}");
    let nobody = Screenplay::parse("x.toml", b"seconds = 3").unwrap_err().to_string();
    assert!(nobody.starts_with("x.toml:1:1: no characters; allowed: 1 to 500"), "{nobody}");
}

#[test]
fn formations_that_do_not_fit_are_refused() {
    let head = "seconds = 20\nlibrary = \"builtin:run\"\n[formation]\npairs = 7\n";
    for (rest, said) in [
        ("kind = \"square\"", "spiral, circles"),
        ("kind = \"spiral\"\nspacing = 3.5", "pairs come as near as"),
        ("kind = \"circles\"\nspacing = 4.0", "pairs come as near as 2.00 m"),
        ("kind = \"circles\"\nradius = 1.0", "up to the radius"),
        ("kind = \"circles\"\nuntil = 21", "until is 21"),
        ("kind = \"circles\"\nturn = 21", "unknown key \"turn\" in circles"),
        ("kind = \"spiral\"\nspread = 4\nspacing = 60", "impossible checkpoint"),
        ("kind = \"spiral\"\nnames = [\"a\"]", "a list of two"),
        ("kind = \"spiral\"\nnames = [\"a\", \"a\"]", "twice"),
    ] {
        let error =
            Screenplay::parse("x.toml", format!("{head}{rest}\n").as_bytes()).unwrap_err().to_string();
        assert!(error.contains(said), "{rest}: {error}");
    }
}

/// A scene with everything in it.
fn rich() -> Screenplay {
    let ground = |x: f32, z: f32| Ground { x, z };
    let words = |names: &[&str]| names.iter().map(|name| Annotation::new(name).unwrap()).collect::<Vec<_>>();
    let role = |name: &str, at: Ground| Role {
        name: name.to_owned(),
        color: [0.1, 0.2, 1.0 / 3.0],
        library: None,
        build: None,
        team: name.to_owned(),
        style: "general-boxer-path".to_owned(),
        weights: Weights::default(),
        controller: Controller::default(),
        at,
        facing: Facing::Heading(-33.3),
        enter: 0.0,
        waits: false,
        leave: None,
        poise: None,
        opponent: None,
        path: Vec::new(),
        opening: None,
        losing: Daring::default(),
    };
    let weights = Weights {
        distance: Some(0.7),
        distance_weight: Some(11.5),
        angle_deg: Some(12.3),
        angle_weight: Some(1e-7),
        short_damage_weight: Some(1e5),
        long_damage_weight: Some(0.1),
        taken_weight: Some(-3.0),
        combination_weight: Some(0.0),
        path_weight: Some(10.0),
        heading_weight: Some(1.0),
        requirement_weight: Some(1e6),
        recency_weight: Some(2e4),
        metre: Some(0.02),
        radian: Some(0.0174),
    };
    let path = vec![
        Checkpoint::new(ground(0.1, 2.0)),
        Checkpoint {
            time: Some(7.25),
            within: 0.4,
            require: words(&["left-jab", "own-word"]),
            forbid: words(&["duck"]),
            ..Checkpoint::new(ground(1.0, 3.0))
        },
    ];
    let blue = || "blue".to_owned();
    let looks =
        Looks { heading_deg: Some(30.0), pitch_deg: Some(20.0), fov_deg: Some(40.0), margin: Some(0.1) };
    let tree = Controller::GameTree {
        depth: 5,
        rule: randori_gametree::Rule::AddedShared,
        opponent: randori_gametree::Opponent::Habitual,
        staged: true,
    };
    let fixed = Camera::Fixed { eye: [1.0, 2.0, 3.0], target: [0.0, 1.0, 0.0], fov_deg: Some(50.0) };
    let then = vec![
        Then::Style { who: blue(), style: Some("infighter".to_owned()), weights },
        Then::Style {
            who: blue(),
            style: None,
            weights: Weights { distance: Some(1.0), ..Weights::default() },
        },
        Then::Controller { who: blue(), controller: Controller::Random },
        Then::Path { who: blue(), path: path.clone() },
        Then::Path { who: blue(), path: Vec::new() },
        Then::Poise { who: blue(), poise: 3.5 },
        Then::Opponent { who: blue(), whom: "late".to_owned() },
        Then::Enter { who: "late".to_owned() },
        Then::Leave { who: blue() },
        Then::Require { who: blue(), actions: words(&["knock-down"]) },
        Then::Forbid { who: blue(), actions: words(&["idle", "feint"]) },
        Then::Camera(Camera::Steady(Looks::default())),
        Then::Camera(fixed),
        Then::Prop { name: "car".to_owned() },
        Then::End,
    ];
    let whens = [
        When::Time(3.5),
        When::Beat { name: "beat \"0\"".to_owned(), after: 1.5 },
        When::Checkpoint { who: blue(), number: 2 },
        When::Hits { who: blue(), whom: "red-1".to_owned(), count: 4 },
        When::Distance { who: blue(), whom: "late".to_owned(), below: 0.9 },
        When::Down { who: blue() },
        When::Struck { who: blue(), by: "car".to_owned() },
    ];
    let beat =
        |(idx, when): (usize, When)| Beat { name: format!("beat \"{idx}\""), when, then: then.clone() };
    let mut formation = Formation::circles(2, 20.0);
    formation.center = ground(40.0, -40.0);
    formation.controllers[1] = tree.clone();
    Screenplay {
        name: "Everything — at \"once\"".to_owned(),
        seconds: 33.3,
        seed: u64::MAX,
        library: Some("my library.randori".to_owned()),
        characters: vec![
            Role {
                library: Some("builtin:boxing".to_owned()),
                build: Some(Build { height: 1.9, ..Build::SLIM }),
                weights,
                controller: tree,
                leave: Some(30.0),
                poise: Some(12.5),
                opponent: Some(blue()),
                facing: Facing::Towards(blue()),
                opening: Some(Annotation::of("step-back")),
                losing: Daring { share: 0.5, behind: 3.0, last: 4.0 },
                ..role("red-1", ground(-0.1, 0.0))
            },
            Role {
                build: Some(Build::STOCKY),
                controller: Controller::Scripted { actions: words(&["left-jab", "own-word"]), repeat: true },
                enter: 1.5,
                path,
                ..role("blue", ground(1.5, 0.25))
            },
            Role {
                waits: true,
                team: "red-1".to_owned(),
                controller: Controller::Still,
                ..role("late", ground(0.0, 0.0))
            },
        ],
        props: vec![PropRole {
            name: "car".to_owned(),
            color: [0.74, 0.13, 0.10],
            size: [1.8, 1.4, 4.2],
            path: vec![
                Waypoint { at: ground(0.0, -9.0), time: 0.0, height: 0.1, heading_deg: Some(10.0) },
                Waypoint { at: ground(0.0, 9.0), time: 2.5, height: 0.0, heading_deg: None },
            ],
            is_ball: false,
            between: None,
            hits: true,
            waits: true,
        }],
        beats: whens.into_iter().enumerate().map(beat).collect(),
        camera: Camera::Whole(looks),
        formation: Some(formation),
        combination: vec![Record {
            own: Annotation::of("duck"),
            other: Annotation::new("own-word").unwrap(),
            suitability: -0.3,
        }],
        patches: None,
        rivals: None,
        teamwork: None,
        refinement: Refinement { ragdoll: true },
    }
}

#[test]
fn what_is_written_is_read_back() {
    let mut scenes: Vec<Screenplay> = SCENES.iter().map(|(name, _)| shipped(name).1).collect();
    scenes.push(rich());
    for scene in scenes {
        let text = scene.to_toml();
        let again = Screenplay::parse("other-name.toml", text.as_bytes());
        let again = again.unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(again, scene);
        assert_eq!(again.to_toml(), text);
        scene.validate().unwrap();
        // A plain list of people is the same scene.
        let plain = Screenplay { characters: scene.expanded(), formation: None, ..scene.clone() };
        plain.validate().unwrap();
        assert_eq!(plain.expanded(), scene.expanded());
    }
    let broken = Screenplay { seconds: f64::NAN, ..rich() };
    assert!(broken.validate().unwrap_err().to_string().contains("seconds is nan"));
}

#[test]
fn any_bytes_give_a_scene_or_a_message() {
    let mut originals: Vec<Vec<u8>> = SCENES.iter().map(|(_, text)| text.as_bytes().to_vec()).collect();
    originals.push(rich().to_toml().into_bytes());
    originals.push(DUEL.as_bytes().to_vec());
    let mut n_sound = 0;
    for (idx, original) in originals.iter().enumerate() {
        for seed in 0..400 {
            let bytes = mutant(original, 1000 * idx as u64 + seed);
            match Screenplay::parse("mutant.toml", &bytes) {
                Ok(scene) => {
                    n_sound += 1;
                    assert!(!scene.expanded().is_empty());
                    let again = Screenplay::parse("mutant.toml", scene.to_toml().as_bytes()).unwrap();
                    assert_eq!(again, scene);
                }
                Err(error) => {
                    let n_lines = 1 + bytes.iter().filter(|byte| **byte == b'\n').count();
                    for mistake in &error.mistakes {
                        assert!((1..=n_lines).contains(&mistake.line) && mistake.column >= 1, "{error}");
                    }
                }
            }
        }
    }
    assert!(n_sound > 50, "{n_sound} of {} mutants are sound", 400 * originals.len());
    for bytes in
        [&b""[..], b"\xff\xfe", b"\0", b"a = [[[[", &b"[".repeat(100_000), &b"x = 1\n".repeat(1_000_000)]
    {
        Screenplay::parse("", bytes).unwrap_err();
    }
    let deep = format!("a = {}{}", "[".repeat(5000), "]".repeat(5000));
    Screenplay::parse("", deep.as_bytes()).unwrap_err();
}

/// Where somebody is planned to be (m): straight from checkpoint to checkpoint.
fn planned(role: &Role, t: f64) -> Ground {
    let mut last = (role.at, 0.0);
    for checkpoint in &role.path {
        let time = checkpoint.time.unwrap();
        if t <= time {
            let share = ((t - last.1) / (time - last.1)) as f32;
            let between = |a: f32, b: f32| a + (b - a) * share;
            return Ground { x: between(last.0.x, checkpoint.at.x), z: between(last.0.z, checkpoint.at.z) };
        }
        last = (checkpoint.at, time);
    }
    last.0
}

#[test]
fn pairs_of_a_formation_never_meet_others() {
    let formations = [
        shipped("formation-boxing").1.formation.unwrap(),
        shipped("chase-crowd").1.formation.unwrap(),
        Formation {
            kind: Pattern::Spiral { spread: 1.0, turn_deg: 200.0 },
            spacing: 4.4,
            ..Formation::spiral(60, 40.0)
        },
        Formation {
            kind: Pattern::Circles { radius: 3.0, speed: 5.0 },
            spacing: 4.2,
            ..Formation::circles(30, 10.0)
        },
        Formation::spiral(1, 5.0),
    ];
    for formation in formations {
        let roles = formation.roles();
        let mut nearest = f32::INFINITY;
        let mut fastest = 0.0f64;
        for tick in 0..=(formation.until * 10.0) as usize {
            let t = tick as f64 / 10.0;
            let places: Vec<Ground> = roles.iter().map(|role| planned(role, t)).collect();
            for (idx, place) in places.iter().enumerate() {
                // The two of a pair come one after the other.
                let others = &places[..idx - idx % 2];
                nearest = others.iter().map(|other| place.distance(*other)).fold(nearest, f32::min);
                let next = planned(&roles[idx], (t + 0.1).min(formation.until));
                fastest = fastest.max(f64::from(place.distance(next)) / 0.1);
            }
        }
        println!("{:?}: {} pairs, {nearest:.3} m, up to {fastest:.2} m/s", formation.kind, formation.pairs);
        assert!(formation.clearance() >= Formation::CLEARANCE - 1e-4);
        assert!(nearest >= formation.clearance() - 1e-3, "{nearest} {}", formation.clearance());
        assert!(fastest <= Screenplay::MAX_SPEED);
    }
}

#[test]
fn formations_of_two_teams_are_read_and_written() {
    let (text, scene) = shipped("teams-boxing");
    assert_eq!(scene.teamwork.as_ref().unwrap().depths, [3, 3]);
    assert_eq!(Screenplay::parse("teams-boxing.toml", scene.to_toml().as_bytes()).unwrap(), scene);
    for (old, new, told) in [
        ("depths = [3, 3]", "depths = [3, 9]", "from 0 to 6"),
        ("depths = [3, 3]", "depths = [3]", "a list of two"),
        ("team = \"blue\"", "team = \"green\"", "two teams"),
    ] {
        let error = Screenplay::parse("teams.toml", text.replacen(old, new, 1).as_bytes()).unwrap_err();
        assert!(error.to_string().contains(told), "{error}");
    }
}

#[test]
fn the_schema_is_what_the_code_makes_of_it() {
    let advice = "cargo run -p randori-scene --example scene_schema -- scenes/schema.json docs/scenes.md";
    assert_eq!(text("scenes/schema.json"), schema::json(), "{advice}");
    let document = text("docs/scenes.md");
    let (_, rest) = document.split_once("<!-- keys -->\n\n").unwrap();
    assert_eq!(rest.split_once("\n<!-- end of keys -->").unwrap().0, schema::tables(), "{advice}");
}

#[test]
fn the_schema_accepts_scenes_and_refuses_mistakes() {
    let schema: serde_json::Value = serde_json::from_str(&schema::json()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let check = |text: &str| {
        let value: serde_json::Value = toml::from_str(text).unwrap();
        validator.validate(&value).map_err(|error| format!("{}: {error}", error.instance_path()))
    };
    let small_seed = Screenplay { seed: 1, ..rich() };
    let written: Vec<String> =
        SCENES.iter().map(|(_, text)| (*text).to_owned()).chain([small_seed.to_toml()]).collect();
    for text in written.iter().chain([&DUEL.to_owned()]) {
        check(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    }
    // What only sense can find is not in a schema; what it refuses, the reader refuses too.
    let mut n_refused = 0;
    for (old, new, ..) in MISTAKES {
        let text = DUEL.replacen(old, new, 1);
        if toml::from_str::<serde_json::Value>(&text).is_ok_and(|value| !validator.is_valid(&value)) {
            n_refused += 1;
            Screenplay::parse("duel.toml", text.as_bytes()).unwrap_err();
        }
    }
    println!("the schema refuses {n_refused} of {} mistakes", MISTAKES.len());
    for (old, new) in
        [("color =", "colr ="), ("\"gametree:3\"", "\"gametree:99\""), ("general-boxer-path", "juggler")]
    {
        check(&DUEL.replacen(old, new, 1)).unwrap_err();
    }
    assert!(n_refused >= 20, "{n_refused}");
}

#[test]
fn the_example_of_the_document_is_a_scene() {
    let document = text("docs/scenes.md");
    let example = document.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let scene = Screenplay::parse("first.toml", example.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(scene.characters[1].objective().distance, 1.6);
}
