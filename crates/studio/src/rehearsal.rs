//! Work that takes its time, in threads of its own: playing a scene to its end, explaining a decision, making files.
//!
//! A scene is played as fast as it goes, ahead of the clock. After a change, what was decided before it is known already
//! and only what follows is planned again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use randori_arena::bout::{Happening, Pause};
use randori_gametree::Settings;
use randori_motion::formats::bvh::WriteOptions;
use randori_motion::{ActionId, Take};
use randori_scene::director::{Director, Libraries, Report, made_at_once};
use randori_scene::pictures::{self, Animation};
use randori_scene::refine::{self, refine};
use randori_scene::screenplay::{Controller, Screenplay};
use randori_scene::{contacts, export};
use randori_tactics::explain::{Branch, expand};
use serde_json::{Value, json};

use crate::clock;
use crate::edits;
use crate::film::{Film, kind_of};

/// A scene to be played, and what is known of it.
#[derive(Clone)]
pub(crate) struct Job {
    pub(crate) scene: Screenplay,
    pub(crate) libraries: Libraries,
    /// What happened when it was played before, up to where it is the same (s).
    pub(crate) recalled: Arc<Vec<Happening>>,
    pub(crate) until: f64,
    /// The first version that it may show; each is one more.
    pub(crate) version: u32,
    pub(crate) is_cancelled: Arc<AtomicBool>,
}

/// How far a scene is.
pub(crate) struct Progress {
    pub(crate) film: Film,
    pub(crate) happenings: Arc<Vec<Happening>>,
    pub(crate) report: Option<Value>,
    /// How long a scene took that is put together at once.
    pub(crate) took: Option<Duration>,
}

/// Plays a scene to its end, showing what there is on the way; `None` if nobody wants it any more.
pub(crate) fn play(job: &Job, show: &dyn Fn(Progress)) -> Result<Option<()>, String> {
    /// How much more there has to be to be shown (s).
    const MORE: f64 = 1.0;
    let mut version = job.version;
    let start = clock::now();
    if let Some(made) = made_at_once(&job.scene, &job.libraries).map_err(|error| error.to_string())? {
        return Ok(finish(job, made, version, (Arc::default(), Some(start)), show));
    }
    let mut director = Director::new(&job.scene, &job.libraries).map_err(|error| error.to_string())?;
    director.recall(&job.recalled, job.until);
    let mut next = job.until.max(0.0) + MORE;
    while director.step() {
        if job.is_cancelled.load(Ordering::Relaxed) {
            return Ok(None);
        }
        if director.now() >= next {
            let (take, _) = director.so_far().map_err(|error| error.to_string())?;
            let film = Film::new(Arc::new(take), version, director.end(), false);
            show(Progress {
                film,
                happenings: Arc::new(director.bout.happenings.clone()),
                report: None,
                took: None,
            });
            version += 1;
            // Twice as much every time: putting a take together costs as much as it is long.
            next += (next - job.until).max(MORE);
        }
    }
    let happenings = Arc::new(director.bout.happenings.clone());
    let made = director.finish().map_err(|error| error.to_string())?;
    Ok(finish(job, made, version, (happenings, None), show))
}

/// Shows a take that is all there, and again when feet and fists are put right; `None` if nobody wants it any more.
fn finish(
    job: &Job,
    (mut take, mut report): (Take, Report),
    version: u32,
    (happenings, since): (Arc<Vec<Happening>>, Option<Instant>),
    show: &dyn Fn(Progress),
) -> Option<()> {
    /// Whoever steers asks again before long: feet can wait for it.
    const PAUSE: Duration = Duration::from_secs(2);
    const LOOK: Duration = Duration::from_millis(50);
    let end = take.duration();
    let film = Film::new(Arc::new(take.clone()), version, end, false);
    let took = since.map(|since| clock::now() - since);
    show(Progress { film, happenings: Arc::clone(&happenings), report: None, took });
    let is_cancelled = || job.is_cancelled.load(Ordering::Relaxed);
    if job.scene.patches.as_ref().is_some_and(|patches| patches.late) {
        let until = clock::now() + PAUSE;
        while clock::now() < until && !is_cancelled() {
            std::thread::sleep(LOOK);
        }
    }
    if is_cancelled() {
        return None;
    }
    report.refinement = Some(refine(&mut take, &refine::Settings::of(&job.scene)));
    contacts::note(&mut take);
    let report = serde_json::to_value(&report).ok();
    let film = Film::new(Arc::new(take), version + 1, end, true);
    show(Progress { film, happenings, report, took: None });
    Some(())
}

/// A question about a decision.
pub(crate) struct Question {
    pub(crate) who: String,
    /// When they decided (s).
    pub(crate) t: f64,
    /// How deep a tree is wanted; as deep as the planner looked if not said.
    pub(crate) depth: Option<u8>,
    /// Whether something else was asked meanwhile.
    pub(crate) is_over: Arc<AtomicBool>,
}

/// The deepest tree that anybody may ask for.
pub(crate) const DEEPEST: u8 = 8;

/// Why somebody decided as they did: told once for a shallow tree, and again for every deeper one until it is as deep as
/// wanted.
pub(crate) fn explain(job: &Job, question: &Question, tell: &dyn Fn(Value)) -> Result<(), String> {
    /// Answers that are shown behind the best choices, by depth.
    const BREADTH: [usize; 8] = [5, 3, 2, 1, 1, 1, 1, 1];
    /// The depth of the tree that is told first.
    const FIRST: u8 = 3;
    /// A tree that takes longer than this is not made (s).
    const PATIENCE: f64 = 90.0;
    /// How much longer a tree takes that is one deeper, at least.
    const GROWTH: f64 = 4.0;
    let Question { who, t, .. } = question;
    let (who, t) = (who.as_str(), *t);
    if job.scene.patches.is_some() || job.scene.rivals.is_some() {
        return Err("nobody decides one by one here: there are no candidates to show".to_owned());
    }
    let place = (job.scene.expanded().iter().position(|role| role.name == who))
        .ok_or_else(|| format!("nobody is called \"{who}\""))?;
    let names: Vec<String> = job.scene.expanded().into_iter().map(|role| role.name).collect();
    let mut director = Director::new(&job.scene, &job.libraries).map_err(|error| error.to_string())?;
    director.recall(&job.recalled, f64::INFINITY);
    let half = 0.5 / 60.0;
    loop {
        match director.pause() {
            Some(Pause::Decision(found)) if found == place && (director.now() - t).abs() < half => break,
            Some(Pause::Decision(found)) if director.now() <= t + half => director.decide(found),
            Some(Pause::Limit) if director.now() <= t + half => {}
            _ => return Err(format!("{who} decided nothing at {t:.2} s")),
        }
    }
    let taken = (job.recalled.iter()).find_map(|happening| match happening {
        Happening::Decided { tick, who, verdict } if *who == place && *tick == director.bout.moment.tick => {
            Some(verdict.clone())
        }
        _ => None,
    });
    let library = director.bout.stage.cast[place].bodies.library();
    let name = |action: ActionId| library.action(action).name.clone();
    let excerpt = director.bout.excerpt(place);
    let situation = excerpt.situation(true);
    let (_, screening) = situation.choices();
    let controller = edits::controller_at(&job.scene, who, director.now());
    let mut told = json!({
        "who": who, "t": director.now(), "opponent": names.get(director.bout.aims[place].opponent),
        "chosen": taken.map(|verdict| name(verdict.action)),
        "controller": controller.as_ref().map(ToString::to_string),
        "options": screening.options, "plausible": screening.left,
        "pruned": { "penetration": screening.penetrating, "facing": screening.turned_away,
            "range": screening.out_of_range, "logic": screening.illogical },
    });
    let Some(Controller::GameTree { depth: planned, rule, opponent, .. }) = controller else {
        told["words"] =
            "This controller looks up what to do, or goes by a rule; it compares no candidates.".into();
        tell(told);
        return Ok(());
    };
    let wanted = question.depth.unwrap_or(planned).clamp(1, DEEPEST);
    let group = director.bout.group_of(place);
    let title = |it: &Branch| {
        let who = group.get(it.who).copied().unwrap_or(place);
        let action = director.bout.stage.cast[who].bodies.library().action(it.action).name.clone();
        (names[who].clone(), action)
    };
    (told["planned"], told["wanted"]) = (planned.into(), wanted.into());
    let mut took = [0.0_f64; 2];
    for depth in wanted.min(FIRST)..=wanted {
        if question.is_over.load(Ordering::Relaxed) || job.is_cancelled.load(Ordering::Relaxed) {
            return Ok(());
        }
        let growth = if took[0] > 0.0 { (took[1] / took[0]).max(GROWTH) } else { GROWTH };
        if took[1] * growth > PATIENCE {
            told["words"] = format!("A tree of depth {depth} would take too long.").into();
            told["wanted"] = (depth - 1).into();
            tell(told);
            return Ok(());
        }
        let start = clock::now();
        let settings = Settings { depth, rule, opponent, ..Settings::default() };
        let branches = expand(&situation, &settings, &BREADTH);
        let left_out: Vec<String> = (situation.stage.options(situation.moment, 0).iter())
            .filter(|option| !branches.iter().any(|branch| branch.action == option.id))
            .map(|option| name(option.id))
            .collect();
        let tree: Vec<Value> = branches.iter().map(|it| branch(it, &title)).collect();
        told["depth"] = depth.into();
        told["left_out"] = left_out.into();
        told["candidates"] = tree.into();
        tell(told.clone());
        took = [took[1], (clock::now() - start).as_secs_f64()];
    }
    Ok(())
}

/// A branch of the tree, for the viewers.
fn branch(it: &Branch, title: &dyn Fn(&Branch) -> (String, String)) -> Value {
    let (who, action) = title(it);
    let next: Vec<Value> = it.next.iter().map(|next| branch(next, title)).collect();
    let terms = &it.terms;
    json!({
        "who": who, "kind": kind_of(&action), "action": action, "taken": it.is_taken, "scores": it.scores,
        "terms": { "movement": terms.movement, "score": terms.score, "combination": terms.combination + terms.staged,
            "recency": terms.recency, "path": terms.path, "requirement": terms.requirement },
        "next": next,
    })
}

/// A take as a file: its name, its media type and its bytes.
pub(crate) fn export(
    take: &Take,
    format: &str,
    step: &mut dyn FnMut(usize, usize),
) -> Result<Vec<Export>, String> {
    let stem = file_name(&take.name);
    let words = |error: &dyn std::fmt::Display| error.to_string();
    match format {
        "glb" => {
            let bytes = export::glb(take, &export::GlbOptions::default()).map_err(|error| words(&error))?;
            Ok(vec![Export { name: format!("{stem}.glb"), media: "model/gltf-binary", bytes }])
        }
        "usda" => {
            let bytes = export::usd(take).map_err(|error| words(&error))?.into_bytes();
            Ok(vec![Export { name: format!("{stem}.usda"), media: "text/plain", bytes }])
        }
        "bvh" => {
            let texts = export::bvh(take, &WriteOptions::default()).map_err(|error| words(&error))?;
            let file = |(who, text): (String, String)| Export {
                name: format!("{stem}.{}.bvh", file_name(&who)),
                media: "application/octet-stream",
                bytes: text.into_bytes(),
            };
            Ok(texts.into_iter().map(file).collect())
        }
        "gif" => {
            let bytes = pictures::animation(take, pictures::Format::Gif, &Animation::default(), step)
                .map_err(|error| words(&error))?;
            Ok(vec![Export { name: format!("{stem}.gif"), media: "image/gif", bytes }])
        }
        _ => Err(format!("there is no format \"{format}\"; there are glb, usda, bvh and gif")),
    }
}

/// A file for a viewer to fetch.
#[derive(Clone, Debug)]
pub(crate) struct Export {
    pub(crate) name: String,
    pub(crate) media: &'static str,
    pub(crate) bytes: Vec<u8>,
}

/// A name that is safe in any folder.
pub(crate) fn file_name(name: &str) -> String {
    let safe: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '-' })
        .take(80)
        .collect();
    if safe.is_empty() { "scene".to_owned() } else { safe }
}
