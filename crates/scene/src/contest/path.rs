//! How well people keep to the way they were given.

use randori_arena::bout::Happening;
use randori_motion::Ground;

use crate::director::{Director, DirectorError, KNOCK_DOWN, Libraries};
use crate::screenplay::{Role, Screenplay};

/// How well a scene kept to its paths.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Kept {
    /// Mean distance, over time and over people with a path, from where the path is at that time (m).
    pub error: f64,
    /// Blows to head or trunk.
    pub hits: u32,
    /// Checkpoints passed.
    pub passed: u32,
    /// Checkpoints that nobody came to in time.
    pub missed: u32,
    /// Checkpoints with a time whose own came within [`NEAR`] of them around that time.
    pub near: u32,
    /// Checkpoints with a time.
    pub timed: u32,
    /// Falls that were asked for.
    pub falls_asked: u32,
    /// Those that came [at their checkpoint](FELL), by a blow.
    pub falls: u32,
}

/// How far from a checkpoint somebody may pass it (m).
pub const NEAR: f32 = 0.5;
/// How far from where it was asked for somebody may fall (m), and how much later or earlier than that (s): people step and
/// reel while it comes to that, and whoever is to strike has to get a blow through.
pub const FELL: (f32, f64) = (1.0, 5.0);

/// Plays a scene, and measures how far everybody is from their path while it moves on.
///
/// The place on the path goes in straight lines from where somebody starts from one checkpoint with a time to the next;
/// checkpoints without time do not count.
pub fn keep(scene: &Screenplay, libraries: &Libraries) -> Result<Kept, DirectorError> {
    let roles = scene.expanded();
    let mut director = Director::new(scene, libraries)?;
    let (mut sum, mut time) = (0.0, 0.0);
    let mut last = 0.0;
    let mut falls = vec![None; roles.len()];
    let mut seen = 0;
    while director.step() {
        let now = director.now();
        for happening in &director.bout.happenings[seen..] {
            if let Happening::Landed(landed) = happening
                && landed.answer.is_some_and(|answer| answer.falls)
            {
                let whom = landed.whom as usize;
                let place = director.bout.stage.position(&director.bout.moment, whom, landed.hit.tick);
                falls[whom] = Some((place, now));
            }
        }
        seen = director.bout.happenings.len();
        let moment = &director.bout.moment;
        for (who, role) in roles.iter().enumerate() {
            let Some(wanted) = place_at(role, now).filter(|_| moment.people[who].is_present) else {
                continue;
            };
            let place = director.bout.stage.position(moment, who, moment.tick);
            sum += (now - last) * f64::from(place.distance(wanted));
            time += now - last;
        }
        last = now;
    }
    let (_, report) = director.finish()?;
    let [mut near, mut timed, mut falls_asked, mut fell] = [0; 4];
    for ((role, its), fall) in roles.iter().zip(&report.characters).zip(&falls) {
        for (number, checkpoint) in (1..).zip(&role.path) {
            let Some(time) = checkpoint.time.filter(|time| *time <= scene.seconds) else { continue };
            let done = its.checkpoints.iter().find(|done| done.number == number);
            timed += 1;
            near += u32::from(done.is_some_and(|done| done.error <= NEAR));
            if checkpoint.require.iter().any(|wanted| wanted.name() == KNOCK_DOWN) {
                falls_asked += 1;
                fell += u32::from(fall.is_some_and(|(place, when): (Ground, f64)| {
                    place.distance(checkpoint.at) <= FELL.0 && (when - time).abs() <= FELL.1
                }));
            }
        }
    }
    Ok(Kept {
        near,
        timed,
        falls_asked,
        falls: fell,
        error: if time > 0.0 { sum / time } else { 0.0 },
        hits: report.characters.iter().map(|it| it.hits_given.hurting()).sum(),
        passed: report.characters.iter().map(|it| it.checkpoints.len() as u32).sum(),
        missed: report.characters.iter().map(|it| it.checkpoints_left).sum(),
    })
}

/// Where the path of somebody is at a time (s); `None` for somebody without one.
fn place_at(role: &Role, now: f64) -> Option<Ground> {
    let timed = role.path.iter().filter_map(|checkpoint| Some((checkpoint.at, checkpoint.time?)));
    let mut from = (role.at, role.enter);
    let mut place = None;
    for to in timed {
        place = Some(to.0);
        if now <= to.1 {
            let share = ((now - from.1) / (to.1 - from.1).max(1e-9)).clamp(0.0, 1.0) as f32;
            let (a, b) = (from.0, to.0);
            return Some(Ground { x: a.x + (b.x - a.x) * share, z: a.z + (b.z - a.z) * share });
        }
        from = to;
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_on_a_path_moves_from_checkpoint_to_checkpoint() {
        let text = r#"
            seconds = 10
            library = "builtin:boxing"
            [[characters]]
            name = "red"
            style = "general-boxer-path"
            at = [1, 0]
            path = [{ at = [1, 2], time = 4 }, { at = [9, 9] }, { at = [3, 2], time = 8 }]
            [[characters]]
            name = "blue"
            at = [1, -2]
        "#;
        let scene = Screenplay::parse("path.toml", text.as_bytes()).unwrap();
        let place = |now: f64| place_at(&scene.characters[0], now).map(|place| [place.x, place.z]);
        for (now, expected) in
            [(0.0, [1.0, 0.0]), (2.0, [1.0, 1.0]), (4.0, [1.0, 2.0]), (6.0, [2.0, 2.0]), (9.0, [3.0, 2.0])]
        {
            assert_eq!(place(now), Some(expected), "at {now} s");
        }
        assert_eq!(place_at(&scene.characters[1], 1.0), None);
    }
}
