//! From what everybody did to how it looks: clips in the world, with the first moments after a blow shaken.

use randori_motion::clip::ClipError;
use randori_motion::library::Player;
use randori_motion::math::wrap_angle;
use randori_motion::{Clip, FrameRate, Pose};
use rayon::prelude::*;

use crate::bodies::Bodies;
use crate::bout::{Bout, Happening, Track};
use crate::hits::Part;
use crate::particles::{Blow, shake};
use crate::recoil::{Meeting, recoil};
use crate::stage::{Landed, mass_behind};

/// How long a body shows that it was struck (ticks).
const SHAKEN: usize = 30;
/// The same for a blow that an arm or a leg stopped (ticks).
const JARRED: usize = 18;
/// The share of a stopped blow that the stopping limb feels (-).
const STOPPED: f32 = 0.4;

/// How long before it lands a blow must be free to come (ticks).
const WIND_UP: usize = 20;

/// What one of the cast looked like from the tick of entering on.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// The tick of the first pose.
    pub enter: i32,
    /// In the world, at 60 poses per second.
    pub clip: Clip,
    /// Whether the left and the right foot stand, frame by frame.
    pub standing: Vec<[bool; 2]>,
}

/// What everybody looked like up to a tick; `None` for those who did not enter.
pub fn record(bout: &Bout, names: &[String], until: i32) -> Result<Vec<Option<Recorded>>, ClipError> {
    let bodies: Vec<&Bodies> = bout.stage.cast.iter().map(|cast| &*cast.bodies).collect();
    let landed = bout.happenings.iter().filter_map(|happening| match happening {
        Happening::Landed(landed) => Some(*landed),
        Happening::Decided { .. } => None,
    });
    record_tracks(&bodies, &bout.tracks, &landed.collect::<Vec<_>>(), names, until)
}

/// What people looked like up to a tick who did these things, with these blows in order of time, whoever planned it; there
/// is one entry in each list for each of them.
pub fn record_tracks(
    bodies: &[&Bodies],
    tracks: &[Track],
    landed: &[Landed],
    names: &[String],
    until: i32,
) -> Result<Vec<Option<Recorded>>, ClipError> {
    let mut blows: Vec<Blows<'_>> = tracks.iter().map(|_| Blows::default()).collect();
    for landed in landed {
        if let Some(of) = blows.get_mut(landed.whom as usize) {
            of.taken.push(landed);
        }
        if let Some(of) = blows.get_mut(landed.who as usize).filter(|_| landed.who != landed.whom) {
            of.given.push(landed);
        }
    }
    let people: Vec<(usize, (&&Bodies, &Track))> = bodies.iter().zip(tracks).enumerate().collect();
    people
        .into_par_iter()
        .map(|(who, (bodies, track))| {
            let name = names.get(who).map_or("", String::as_str);
            record_track(bodies, track, &blows[who], name, until)
        })
        .collect()
}

/// The blows of one of the cast that landed, in order of time.
#[derive(Clone, Debug, Default)]
pub struct Blows<'a> {
    /// Those that landed on them.
    pub taken: Vec<&'a Landed>,
    /// Those of theirs.
    pub given: Vec<&'a Landed>,
}

/// How far an action may begin from where the one before it ends without that being meant (m, rad).
const MEANT: f32 = 1e-3;

/// What one person looked like up to a tick; `None` for somebody who did nothing.
///
/// An action that begins a little off where the one before it ends is joined to it: what differs fades, feet that stand
/// stay.
pub fn record_track(
    bodies: &Bodies,
    track: &Track,
    blows: &Blows<'_>,
    name: &str,
    until: i32,
) -> Result<Option<Recorded>, ClipError> {
    let Some((enter, first)) = track.performed.first().copied() else { return Ok(None) };
    let library = bodies.library();
    let until = track.left.unwrap_or(until).min(until).max(enter + 1);
    let skipped = first.frame(bodies, enter) - bodies.of_action(first.action).first;
    let mut player = Player::entering(library, first.action, skipped, first.placement(bodies, enter));
    let mut poses: Vec<Pose> = Vec::new();
    let mut standing = Vec::new();
    let mut next = track.performed[1..].iter().peekable();
    for tick in enter..until {
        // Of several at one tick, the last is what is done.
        while let Some((_, doing)) = next.next_if(|(at, _)| *at <= tick) {
            let skipped = doing.frame(bodies, tick) - bodies.of_action(doing.action).first;
            let (here, there) = (player.placement(), doing.placement(bodies, tick));
            let turned = wrap_angle(there.heading - here.heading).abs();
            if here.position.distance(there.position) < MEANT && turned < MEANT {
                player.switch(doing.action, skipped);
            } else {
                player.switch_to(doing.action, skipped, there);
            }
        }
        standing.push(player.standing());
        match poses.last().filter(|_| player.is_done()) {
            // Somebody with nothing more to do stays as they are.
            Some(last) => poses.push(last.clone()),
            None => poses.push(player.step()),
        }
    }
    let frame = |landed: &Landed| (landed.hit.tick - enter).max(0) as usize;
    let held = library.body().weapon.map(|weapon| weapon.bone);
    let given: Vec<&&Landed> = blows.given.iter().filter(|landed| Some(landed.hit.with) == held).collect();
    for (landed, next) in given.iter().zip(given.iter().skip(1).map(Some).chain([None])) {
        let free = next.map_or(usize::MAX, |next| frame(next).saturating_sub(WIND_UP));
        let is_stopped = landed.hit.part() == Part::Limb;
        let meeting = Meeting { at: frame(landed), point: landed.hit.point, is_stopped, free };
        recoil(library.body(), &mut poses, &meeting);
    }
    for landed in &blows.taken {
        let at = frame(landed);
        let is_stopped = landed.hit.part() == Part::Limb;
        let (length, share) = if is_stopped { (JARRED, STOPPED) } else { (SHAKEN, 1.0) };
        let range = at.min(poses.len())..(at + length).min(poses.len());
        let hit = &landed.hit;
        let blow = Blow {
            bone: hit.bone,
            point: hit.point,
            velocity: hit.velocity,
            mass: share * mass_behind(hit.with),
        };
        let shaken = shake(library.body(), &poses[range.clone()], &standing[range.clone()], &blow);
        poses[range].clone_from_slice(&shaken);
    }
    let clip = Clip::from_poses(name, library.body().skeleton.clone(), FrameRate::HOUSE, poses)?;
    Ok(Some(Recorded { enter, clip, standing }))
}
