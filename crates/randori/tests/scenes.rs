//! The shipped scenes, played: what must be seen in each of them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

use randori::libraries::Builtin;
use randori_actor::Casting;
use randori_motion::{EventKind, Take};
use randori_scene::check::{Footage, Limits, check};
use randori_scene::contest::path::keep;
use randori_scene::director::{Director, DirectorError, Libraries, Report, library_key};
use randori_scene::refine::{Settings, refine};
use randori_scene::screenplay::{Controller, Screenplay};

fn scene(name: &str) -> Screenplay {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../scenes/{name}.toml"));
    Screenplay::parse(name, &randori_scene::files::read(&path).unwrap()).unwrap()
}

/// The libraries that a scene needs; each is made once for all tests.
fn libraries(scene: &Screenplay) -> Libraries {
    type Known = BTreeMap<String, Arc<randori_motion::ActionLibrary>>;
    static KNOWN: OnceLock<Mutex<Known>> = OnceLock::new();
    let mut known = KNOWN.get_or_init(Mutex::default).lock().unwrap();
    let mut gathered = Libraries::default();
    for role in scene.expanded() {
        let key = library_key(scene, &role);
        let library = known.entry(key.clone()).or_insert_with(|| {
            let builtin = Builtin::from_name(scene.library_of(&role).unwrap()).unwrap();
            let usual = builtin.casting();
            let build = role.build.unwrap_or(usual.build);
            Arc::new(builtin.make(&Casting { build, ..usual }).unwrap())
        });
        if !gathered.has(&key) {
            gathered.add(&key, Arc::clone(library));
        }
    }
    gathered
}

fn play(scene: &Screenplay) -> (Take, Report) {
    let mut director = Director::new(scene, &libraries(scene)).unwrap();
    director.run();
    let (mut take, mut report) = director.finish().unwrap();
    report.refinement = Some(refine(&mut take, &Settings::of(scene)));
    (take, report)
}

/// The same with game trees of this depth.
fn at_depth(mut scene: Screenplay, depth: u8) -> Screenplay {
    for role in &mut scene.characters {
        role.controller = Controller::game_tree(depth);
    }
    scene
}

fn count(take: &Take, kind: &EventKind) -> usize {
    take.events.iter().filter(|event| event.kind == *kind).count()
}

/// At least 15 attacks and 5 hits in 30 s, and every blow touches.
fn assert_is_a_fight(take: &Take, report: &Report) {
    let share = report.seconds / 30.0;
    let attacks: u32 = report.characters.iter().map(|it| it.attacks).sum();
    assert!(f64::from(attacks) >= 15.0 * share, "{}: {attacks} attacks", report.name);
    let hits = count(take, &EventKind::Hit);
    assert!(hits as f64 >= 5.0 * share, "{}: {hits} hits", report.name);
    for blow in &report.refinement.as_ref().unwrap().blows {
        assert!(blow.gap_cm[1] <= 5.0, "{}: {blow:?}", report.name);
    }
}

#[test]
fn general_boxers_exchange_blows() {
    let (take, report) = play(&at_depth(scene("boxing-general"), 2));
    assert_is_a_fight(&take, &report);
    assert!(report.characters.iter().all(|it| it.attacks >= 5), "{:#?}", report.characters);
}

#[test]
fn struck_boxers_give_way_and_the_linter_finds_nothing_worse() {
    let mut scene = at_depth(scene("boxing-general"), 2);
    let findings = |take: &Take| {
        let footage = Footage::of_take(take, 60.0).unwrap();
        check(&footage, &Limits::default()).findings.len()
    };
    let (shaken, _) = play(&scene);
    scene.refinement.ragdoll = true;
    let (take, report) = play(&scene);
    assert_is_a_fight(&take, &report);
    assert!(findings(&take) <= findings(&shaken));
    let responses = &report.refinement.as_ref().unwrap().responses;
    // How many are shown is up to the linter; each that is not keeps its captured reaction.
    let kept = responses.iter().filter(|it| it.kept).count();
    assert!(kept >= 3, "{responses:#?}");
}

#[test]
fn infighters_are_near() {
    let (take, report) = play(&at_depth(scene("boxing-infighters"), 2));
    assert_is_a_fight(&take, &report);
    assert!(report.characters[0].mean_distance < 0.9, "{:#?}", report.characters);
}

#[test]
fn outboxers_keep_away_and_strike_all_the_same() {
    let (take, report) = play(&scene("boxing-outboxers"));
    assert_is_a_fight(&take, &report);
    assert!(report.characters[0].mean_distance > 1.4, "{:#?}", report.characters);
}

/// How many of somebody's attacks are hooks and uppercuts, and how many are others.
fn short_and_long(take: &Take, who: &str) -> [usize; 2] {
    let attacks = take.events.iter().filter(|event| {
        event.kind == EventKind::Other("attack".to_owned()) && event.who.as_deref() == Some(who)
    });
    let is_short = |event: &&randori_motion::Event| {
        let action = event.details["action"].as_str().unwrap();
        action.contains("hook") || action.contains("uppercut")
    };
    let (short, long): (Vec<_>, Vec<_>) = attacks.partition(is_short);
    [short.len(), long.len()]
}

#[test]
fn whoever_presses_strikes_short_more_often_than_whoever_keeps_away() {
    let (take, report) = play(&at_depth(scene("boxing-in-vs-out"), 2));
    assert_is_a_fight(&take, &report);
    let [red, blue] = ["red", "blue"].map(|who| short_and_long(&take, who));
    let share = |[short, long]: [usize; 2]| short as f64 / (short + long).max(1) as f64;
    assert!(share(red) > share(blue), "short and long blows: infighter {red:?}, outboxer {blue:?}");
}

/// When somebody is caught with a catch (s), if anybody is.
fn caught(take: &Take) -> Option<f64> {
    let is_catch = |event: &&randori_motion::Event| {
        event.kind == EventKind::Hit && event.details["action"].as_str().unwrap().contains("catch")
    };
    take.events
        .iter()
        .filter(|event| event.whom.as_deref() == Some("runaway"))
        .find(is_catch)
        .map(|event| event.t)
}

#[test]
fn a_runaway_is_caught() {
    let (take, _) = play(&scene("chase"));
    assert!(caught(&take).is_some_and(|t| t > 1.0));
}

/// The same runaway, with and without the second chaser.
#[test]
fn two_catch_sooner_than_one() {
    let both = scene("chase-two-on-one");
    let mut alone = both.clone();
    alone.characters.retain(|role| role.name != "right-chaser");
    alone.beats.retain(|beat| beat.name != "caught by the right one");
    let [one, two] = [alone, both].map(|scene| caught(&play(&scene).0).unwrap_or(f64::INFINITY));
    assert!(two < one, "one chaser {one} s, two {two} s");
}

#[test]
fn a_chase_on_a_circle_keeps_time() {
    let (_, report) = play(&scene("chase-circle"));
    for character in &report.characters {
        assert_eq!(character.checkpoints_left, 0, "{}", character.name);
        let errors: Vec<f32> = character.checkpoints.iter().map(|passed| passed.error).collect();
        let far = errors.iter().filter(|error| **error > 0.5).count();
        assert!(far <= 1 && errors.iter().all(|error| *error < 0.7), "{}: {errors:?}", character.name);
    }
}

/// Where somebody's hips are on the floor, ten times a second (m).
fn places(take: &Take, who: usize) -> Vec<[f32; 2]> {
    let character = &take.characters[who];
    let mut pose = randori_motion::Pose::default();
    let mut place = |k: usize| {
        character.clip.sample_into(0.1 * k as f64, &mut pose);
        let root = pose.root();
        [root.x, root.z]
    };
    (0..(10.0 * character.clip.duration()) as usize).map(&mut place).collect()
}

/// Pairs of a crowd cross each other's ways, but are never at one place at one time.
#[test]
fn pairs_of_a_crowd_cross_their_ways_and_do_not_meet() {
    let mut scene = scene("chase-crowd");
    (scene.formation.as_mut().unwrap().pairs, scene.seconds) = (4, 12.0);
    scene.formation.as_mut().unwrap().until = 12.0;
    let (take, _) = play(&scene);
    let ways: Vec<Vec<[f32; 2]>> = (0..take.characters.len()).map(|who| places(&take, who)).collect();
    let apart = |a: &[f32; 2], b: &[f32; 2]| (a[0] - b[0]).hypot(a[1] - b[1]);
    let (mut nearest, mut crossings) = (f32::INFINITY, 0);
    for (a, way) in ways.iter().enumerate() {
        // The two of a pair follow each other in the list.
        for other in ways.iter().skip(a + 2 - a % 2) {
            let at_once = way.iter().zip(other).map(|(p, q)| apart(p, q));
            nearest = at_once.fold(nearest, f32::min);
            crossings += usize::from(way.iter().any(|p| other.iter().any(|q| apart(p, q) < 0.3)));
        }
    }
    // Shoulders are less than half a metre across.
    assert!(nearest > 0.5, "people of two pairs come as near as {nearest} m");
    assert!(crossings >= 4, "{crossings} ways cross");
}

#[test]
fn pairs_on_spirals_fight_along_their_ways_and_fall_at_their_end() {
    let mut scene = scene("formation-boxing");
    (scene.formation.as_mut().unwrap().pairs, scene.seed) = (3, 10);
    let (take, report) = play(&scene);
    assert_is_a_fight(&take, &report);
    let passed = report.characters.iter().flat_map(|it| &it.checkpoints);
    let far: Vec<_> = passed.filter(|it| it.error > 0.5 || it.late.is_none_or(|late| late > 0.5)).collect();
    assert!(far.len() <= 1, "{far:?}");
    for it in &report.characters {
        assert_eq!(it.knock_downs > 0, it.name.starts_with("blue"), "{}", it.name);
    }
}

/// Whatever the seed, pairs pass their checkpoints in time while they fight, and fall where they are to.
#[test]
fn pairs_keep_their_ways_whatever_the_seed() {
    let mut scene = scene("formation-boxing");
    scene.formation.as_mut().unwrap().pairs = 3;
    let libraries = libraries(&scene);
    let mut all = [0; 4];
    for seed in 20..26 {
        scene.seed = seed;
        let kept = keep(&scene, &libraries).unwrap();
        assert!(kept.hits >= 15, "{seed}: {kept:?}");
        for (sum, n) in all.iter_mut().zip([kept.near, kept.timed, kept.falls, kept.falls_asked]) {
            *sum += n;
        }
    }
    let [near, timed, falls, falls_asked] = all.map(f64::from);
    assert_eq!(falls_asked, 18.0);
    assert!(falls >= 0.95 * falls_asked, "{falls} of {falls_asked} fell where they were to");
    assert!(near >= 0.98 * timed, "{near} of {timed} checkpoints");
}

#[test]
fn teams_take_up_formations_and_fight_in_them() {
    let (take, report) = play(&scene("teams-boxing"));
    let hits = count(&take, &EventKind::Hit);
    assert!(hits >= 10, "{hits} hits");
    for team in ["red", "blue"] {
        let of_team = take.events.iter().filter(|event| {
            event.kind == EventKind::Other("formation".to_owned()) && event.who.as_deref() == Some(team)
        });
        let plans: Vec<[&str; 2]> = of_team
            .map(|event| ["shape", "range"].map(|detail| event.details[detail].as_str().unwrap()))
            .collect();
        assert!(plans.len() >= 5, "{team}: {plans:?}");
        assert!(plans.iter().any(|plan| *plan != plans[0]), "{team}: {plans:?}");
    }
    // Four against three: whoever is more gives more.
    let given = |team: &str| -> f64 {
        let own = report.characters.iter().filter(|it| it.name.starts_with(team));
        own.map(|it| it.damage_given).sum()
    };
    assert!(given("red") > given("blue"), "red {}, blue {}", given("red"), given("blue"));
}

/// Blows that a blade stopped.
fn crossed_blades(take: &Take) -> usize {
    let crosses = |event: &&randori_motion::Event| {
        event.kind == EventKind::Blocked && event.details.contains_key("on_weapon")
    };
    take.events.iter().filter(crosses).count()
}

#[test]
fn swordsmen_cut_and_cross_blades() {
    let (take, report) = play(&scene("sword-duel"));
    assert_is_a_fight(&take, &report);
    assert!(report.characters.iter().all(|it| it.attacks >= 5), "{:#?}", report.characters);
    assert!(crossed_blades(&take) >= 1, "{}", crossed_blades(&take));
    // A sword keeps people farther apart than fists do.
    assert!(report.characters[0].mean_distance > 1.1, "{:#?}", report.characters);
    assert!(take.characters.iter().all(|character| character.body.weapon.is_some()));
}

#[test]
fn swordsmen_on_spirals_are_cut_down_at_the_end() {
    let mut scene = scene("formation-sword");
    scene.formation.as_mut().unwrap().pairs = 3;
    let (take, report) = play(&scene);
    assert_is_a_fight(&take, &report);
    let falls: u32 = report.characters.iter().map(|it| it.knock_downs).sum();
    assert!(falls >= 2, "{:#?}", report.characters);
}

#[test]
fn the_enemy_meets_a_car_and_stays_down() {
    let (take, report) = play(&scene("story-car"));
    let crash = take.events.iter().find(|event| event.who.as_deref() == Some("car")).unwrap();
    assert_eq!((&crash.kind, crash.whom.as_deref()), (&EventKind::Hit, Some("enemy")));
    assert!(!take.events.iter().any(|event| {
        event.who.as_deref() == Some("enemy") && event.kind == EventKind::Decision && event.t > crash.t
    }));
    let [hero, enemy] = [0, 1].map(|who| &report.characters[who]);
    assert!(enemy.damage_given > hero.damage_given, "{report:#?}");
    assert_eq!([hero.checkpoints.len(), enemy.checkpoints.len()], [3, 3]);
}

#[test]
fn the_ally_knocks_the_enemy_down_in_the_alley() {
    let (take, report) = play(&scene("story-alley"));
    let beats: Vec<&str> = take
        .events
        .iter()
        .filter(|event| event.kind == EventKind::Phase)
        .map(|event| event.details["beat"].as_str().unwrap())
        .collect();
    assert_eq!(beats, ["the ally joins", "victory", "curtain"]);
    assert_eq!(report.characters[1].knock_downs, 1);
    let fall = take.events.iter().rfind(|event| event.kind == EventKind::Hit).unwrap();
    assert_eq!([fall.who.as_deref(), fall.whom.as_deref()], [Some("ally"), Some("enemy")]);
}

#[test]
fn seeds_differ_and_threads_do_not() {
    let mut short = at_depth(scene("boxing-general"), 2);
    short.seconds = 6.0;
    let pool = |n| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
    let [(one, _), (two, _)] = [1, 2].map(|n| pool(n).install(|| play(&short)));
    assert_eq!(one, two);
    short.seed += 1;
    assert_ne!(one.events, play(&short).0.events);
}

#[test]
fn what_is_changed_live_takes_effect_from_there_on() {
    let mut scene = at_depth(scene("boxing-general"), 2);
    scene.seconds = 10.0;
    let played = |change: &dyn Fn(&mut Director)| {
        let mut director = Director::new(&scene, &libraries(&scene)).unwrap();
        while director.now() < 5.0 && director.step() {}
        change(&mut director);
        director.run();
        director.finish().unwrap().0.events
    };
    let usual = played(&|_| {});
    let closer = played(&|director| {
        for aims in &mut director.bout.aims {
            aims.style.distance = 2.5;
        }
    });
    let before = |events: &[randori_motion::Event]| -> Vec<randori_motion::Event> {
        let chosen = |event: &&randori_motion::Event| event.t < 5.0 && event.kind == EventKind::Decision;
        events.iter().filter(chosen).cloned().collect()
    };
    assert_eq!(before(&usual), before(&closer));
    assert_ne!(usual, closer);
}

#[test]
fn somebody_can_be_taught_another_library_while_they_fight() {
    let mut scene = at_depth(scene("boxing-general"), 2);
    scene.seconds = 10.0;
    let mut brought = libraries(&scene);
    let usual = Builtin::Boxing.casting();
    let other = Builtin::Boxing.make(&Casting { seed: usual.seed + 1, ..usual }).unwrap();
    let other = Arc::new(other);
    brought.add("other boxing", Arc::clone(&other));
    brought.add(
        "a giant",
        Arc::new({
            let build = randori_motion::Build { height: 2.1, ..usual.build };
            Builtin::Running.make(&Casting { build, ..Builtin::Running.casting() }).unwrap()
        }),
    );
    let mut director = Director::new(&scene, &brought).unwrap();
    while director.now() < 4.0 && director.step() {}
    let n_before = director.bout.happenings.len();
    let before = Arc::clone(director.bout.stage.cast[0].bodies.library());
    director.teach(0, "other boxing", &brought).unwrap();
    // The action under way goes on as it was.
    assert!(Arc::ptr_eq(director.bout.stage.cast[0].bodies.library(), &before));
    let refused = director.teach(1, "a giant", &brought).err().unwrap();
    assert!(matches!(refused, DirectorError::Body(_)), "{refused}");
    let missing = director.teach(1, "nowhere", &brought).err().unwrap();
    assert!(matches!(missing, DirectorError::Library { .. }), "{missing}");
    director.run();
    let is_reds = |happening: &randori_arena::bout::Happening| {
        matches!(happening, randori_arena::bout::Happening::Decided { who: 0, .. })
    };
    assert!(director.bout.happenings[n_before..].iter().filter(|it| is_reds(it)).count() > 5);
    assert!(Arc::ptr_eq(director.bout.stage.cast[0].bodies.library(), &other));
    assert!(!Arc::ptr_eq(director.bout.stage.cast[1].bodies.library(), &other));
    let (mut take, _) = director.finish().unwrap();
    refine(&mut take, &Settings::default());
    let footage = randori_scene::check::Footage::of_take(&take, 60.0).unwrap();
    let checked = randori_scene::check::check(&footage, &Default::default());
    let pops = checked.findings.iter().filter(|it| it.kind == randori_scene::check::Kind::Pop).count();
    assert_eq!(pops, 0, "the change of libraries shows: {:?}", checked.findings);
}

#[test]
fn people_who_fight_touch_and_part() {
    let mut scene = at_depth(scene("boxing-infighters"), 2);
    scene.seconds = 10.0;
    let (mut take, _) = play(&scene);
    let blows = count(&take, &EventKind::ContactBegins);
    assert!(blows > 0);
    randori_scene::contacts::note(&mut take);
    let [begun, ended] = [EventKind::ContactBegins, EventKind::ContactEnds].map(|kind| count(&take, &kind));
    assert!(begun > blows && ended > 0, "{blows} blows, {begun} contacts begin, {ended} end");
    assert!(take.events.is_sorted_by(|a, b| a.t <= b.t));
    // Of every part, contacts begin and end by turns, as far as bodies tell them.
    let told = |event: &&randori_motion::Event| event.kind == EventKind::ContactEnds;
    for end in take.events.iter().filter(told) {
        let is_its = |event: &&randori_motion::Event| {
            event.kind == EventKind::ContactBegins
                && event.t <= end.t + 0.2
                && [&event.who, &event.whom, &event.part] == [&end.who, &end.whom, &end.part]
        };
        assert!(take.events.iter().any(|event| is_its(&event)), "{end:?} has no beginning");
    }
}

#[test]
fn a_missing_library_and_an_unknown_opening_are_named() {
    let mut scene = scene("boxing-general");
    let error = Director::new(&scene, &Libraries::default()).err().unwrap();
    assert!(matches!(&error, DirectorError::Library { who, .. } if who == "red"), "{error}");
    scene.characters[0].opening = Some(randori_motion::Annotation::of("jog"));
    let error = Director::new(&scene, &libraries(&scene)).err().unwrap();
    assert!(matches!(&error, DirectorError::Opening { action, .. } if action == "jog"), "{error}");
}
