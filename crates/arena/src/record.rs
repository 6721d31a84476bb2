//! From what everybody did to how it looks: clips in the world, with the first moments after a blow shaken.

use std::ops::Range;

use randori_motion::clip::ClipError;
use randori_motion::inertialize::Transition;
use randori_motion::library::Player;
use randori_motion::math::wrap_angle;
use randori_motion::math::{Quat, Vec3};
use randori_motion::{Body, Clip, FrameRate, Pose, PoseView};
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

/// What everybody looked like up to a tick; `None` for those who did not enter. Without `shaken`, bodies do not give way
/// to blows: whoever records them so lets them do that by other means.
pub fn record(
    bout: &Bout,
    names: &[String],
    until: i32,
    shaken: bool,
) -> Result<Vec<Option<Recorded>>, ClipError> {
    let bodies: Vec<Shapes<'_>> = (bout.stage.cast.iter().zip(&bout.earlier))
        .map(|(cast, earlier)| Shapes {
            earlier: earlier.iter().map(|(until, bodies)| (*until, &**bodies)).collect(),
            last: &cast.bodies,
        })
        .collect();
    let landed = bout.happenings.iter().filter_map(|happening| match happening {
        Happening::Landed(landed) => Some(*landed),
        Happening::Decided { .. } => None,
    });
    record_shapes(&bodies, &bout.tracks, (&landed.collect::<Vec<_>>(), shaken), names, until)
}

/// What people looked like up to a tick who did these things, with these blows in order of time, whoever planned it; there
/// is one entry in each list for each of them. `shaken` as for [`record`].
pub fn record_tracks(
    bodies: &[&Bodies],
    tracks: &[Track],
    (landed, shaken): (&[Landed], bool),
    names: &[String],
    until: i32,
) -> Result<Vec<Option<Recorded>>, ClipError> {
    let shapes: Vec<Shapes<'_>> =
        bodies.iter().map(|bodies| Shapes { earlier: Vec::new(), last: bodies }).collect();
    record_shapes(&shapes, tracks, (landed, shaken), names, until)
}

/// The libraries of one of the cast, laid out.
struct Shapes<'a> {
    /// Those of a time: up to which place in what was performed.
    earlier: Vec<(usize, &'a Bodies)>,
    last: &'a Bodies,
}

impl<'a> Shapes<'a> {
    /// What the action at this place of what was performed belongs to.
    fn of(&self, place: usize) -> &'a Bodies {
        self.earlier.iter().find(|(until, _)| place < *until).map_or(self.last, |(_, bodies)| bodies)
    }
}

/// Poses frame after frame, as a [`Clip`] has them.
struct Reel {
    n_joints: usize,
    n_translating: usize,
    translations: Vec<Vec3>,
    rotations: Vec<Quat>,
}

impl Reel {
    /// Room for so many poses of a body.
    fn of(body: &Body, n_frames: usize) -> Reel {
        let (n_joints, n_translating) = (body.skeleton.n_joints(), body.skeleton.translating().len());
        Reel {
            n_joints,
            n_translating,
            translations: Vec::with_capacity(n_frames * n_translating),
            rotations: Vec::with_capacity(n_frames * n_joints),
        }
    }

    fn len(&self) -> usize {
        self.rotations.len() / self.n_joints
    }

    fn push(&mut self, pose: &Pose) {
        self.translations.extend_from_slice(&pose.translations);
        self.rotations.extend_from_slice(&pose.rotations);
    }

    fn frame(&self, frame: usize) -> PoseView<'_> {
        PoseView {
            translations: &self.translations[frame * self.n_translating..][..self.n_translating],
            rotations: &self.rotations[frame * self.n_joints..][..self.n_joints],
        }
    }

    fn last_two(&self) -> Option<[PoseView<'_>; 2]> {
        let n = self.len();
        (n >= 2).then(|| [self.frame(n - 2), self.frame(n - 1)])
    }

    fn poses(&self, frames: Range<usize>) -> Vec<Pose> {
        frames.map(|frame| self.frame(frame).to_pose()).collect()
    }

    /// Shows these poses instead, from a frame on.
    fn replace(&mut self, from: usize, poses: &[Pose]) {
        for (frame, pose) in (from..).zip(poses) {
            self.translations[frame * self.n_translating..][..self.n_translating]
                .copy_from_slice(&pose.translations);
            self.rotations[frame * self.n_joints..][..self.n_joints].copy_from_slice(&pose.rotations);
        }
    }
}

/// From one library to another: what differs fades.
struct Seam {
    transition: Transition,
    /// Poses shown since.
    age: u16,
}

impl Seam {
    /// How long that takes (s).
    const FADE: f32 = 0.3;

    /// After these poses somebody goes on as this player does; `None` if there is nothing to go on from.
    fn between(shown: Option<[PoseView<'_>; 2]>, next: &Player<'_>) -> Option<Seam> {
        let shown = shown?;
        let mut ahead = next.clone();
        let [first, second] = [ahead.step(), ahead.step()];
        // As if the other motion had gone on like that before it began.
        let before = one_before(&first, &second);
        let long_before = one_before(&before, &first);
        let dt = FrameRate::HOUSE.dt() as f32;
        let next = [long_before.view(), before.view()];
        Some(Seam { transition: Transition::new(shown, next, dt, Seam::FADE), age: 0 })
    }

    /// Adds what is left of the difference to the next pose; `None` when it was the last.
    fn fade(mut self, pose: &mut Pose) -> Option<Seam> {
        self.age += 1;
        let since = f32::from(self.age) * FrameRate::HOUSE.dt() as f32;
        self.transition.apply(since, pose);
        (since <= Seam::FADE).then_some(self)
    }
}

/// The pose before a first and a second one of an even motion.
fn one_before(first: &Pose, second: &Pose) -> Pose {
    let rotations = first.rotations.iter().zip(&second.rotations).map(|(a, b)| *a * (b.inverse() * *a));
    let translations = first.translations.iter().zip(&second.translations).map(|(a, b)| *a + (*a - *b));
    Pose { rotations: rotations.collect(), translations: translations.collect() }
}

fn record_shapes(
    bodies: &[Shapes<'_>],
    tracks: &[Track],
    (landed, shaken): (&[Landed], bool),
    names: &[String],
    until: i32,
) -> Result<Vec<Option<Recorded>>, ClipError> {
    let mut blows: Vec<Blows<'_>> = tracks.iter().map(|_| Blows::default()).collect();
    for landed in landed {
        if let Some(of) = blows.get_mut(landed.whom as usize).filter(|_| shaken) {
            of.taken.push(landed);
        }
        if let Some(of) = blows.get_mut(landed.who as usize).filter(|_| landed.who != landed.whom) {
            of.given.push(landed);
        }
    }
    let people: Vec<(usize, (&Shapes<'_>, &Track))> = bodies.iter().zip(tracks).enumerate().collect();
    people
        .into_par_iter()
        .map(|(who, (bodies, track))| {
            let name = names.get(who).map_or("", String::as_str);
            one(bodies, track, &blows[who], name, until)
        })
        .collect()
}

/// The blows of one of the cast that landed, in order of time.
#[derive(Clone, Debug, Default)]
pub struct Blows<'a> {
    /// Those that landed on them and shake them.
    pub taken: Vec<&'a Landed>,
    /// Those of theirs.
    pub given: Vec<&'a Landed>,
}

/// How far an action may begin from where the one before it ends without that being meant (m, rad).
const MEANT: f32 = 1e-3;

/// What one person looked like up to a tick; `None` for somebody who did nothing.
pub fn record_track(
    bodies: &Bodies,
    track: &Track,
    blows: &Blows<'_>,
    name: &str,
    until: i32,
) -> Result<Option<Recorded>, ClipError> {
    one(&Shapes { earlier: Vec::new(), last: bodies }, track, blows, name, until)
}

/// An action that begins a little off where the one before it ends is joined to it: what differs fades, feet that stand
/// stay.
fn one(
    shapes: &Shapes<'_>,
    track: &Track,
    blows: &Blows<'_>,
    name: &str,
    until: i32,
) -> Result<Option<Recorded>, ClipError> {
    let Some((enter, first)) = track.performed.first().copied() else { return Ok(None) };
    let bodies = shapes.of(0);
    let library = shapes.last.library();
    let until = track.left.unwrap_or(until).min(until).max(enter + 1);
    let skipped = first.frame(bodies, enter) - bodies.of_action(first.action).first;
    let mut player =
        Player::entering(bodies.library(), first.action, skipped, first.placement(bodies, enter));
    let n_frames = (until - enter) as usize;
    let mut reel = Reel::of(library.body(), n_frames);
    let mut standing = Vec::with_capacity(n_frames);
    let mut pose = Pose::default();
    let mut next = track.performed.iter().enumerate().skip(1).peekable();
    let mut shown = bodies;
    let mut seam: Option<Seam> = None;
    for tick in enter..until {
        // Of several at one tick, the last is what is done.
        while let Some((place, (_, doing))) = next.next_if(|(_, (at, _))| *at <= tick) {
            let bodies = shapes.of(place);
            let skipped = doing.frame(bodies, tick) - bodies.of_action(doing.action).first;
            let (here, there) = (player.placement(), doing.placement(bodies, tick));
            let turned = wrap_angle(there.heading - here.heading).abs();
            if !std::ptr::eq(bodies, shown) {
                player = Player::entering(bodies.library(), doing.action, skipped, there);
                seam = Seam::between(reel.last_two(), &player);
                shown = bodies;
            } else if here.position.distance(there.position) < MEANT && turned < MEANT {
                player.switch(doing.action, skipped);
            } else {
                player.switch_to(doing.action, skipped, there);
            }
        }
        standing.push(player.standing());
        // Somebody with nothing more to do stays as they are.
        if tick == enter || !player.is_done() {
            player.step_into(&mut pose);
            seam = seam.and_then(|seam| seam.fade(&mut pose));
        }
        reel.push(&pose);
    }
    let frame = |landed: &Landed| (landed.hit.tick - enter).max(0) as usize;
    let held = library.body().weapon.map(|weapon| weapon.bone);
    let given: Vec<&&Landed> = blows.given.iter().filter(|landed| Some(landed.hit.with) == held).collect();
    let mut poses = if given.is_empty() { Vec::new() } else { reel.poses(0..reel.len()) };
    for (landed, next) in given.iter().zip(given.iter().skip(1).map(Some).chain([None])) {
        let free = next.map_or(usize::MAX, |next| frame(next).saturating_sub(WIND_UP));
        let is_stopped = landed.hit.part() == Part::Limb;
        let meeting = Meeting { at: frame(landed), point: landed.hit.point, is_stopped, free };
        recoil(library.body(), &mut poses, &meeting);
    }
    reel.replace(0, &poses);
    for landed in &blows.taken {
        let at = frame(landed);
        let is_stopped = landed.hit.part() == Part::Limb;
        let (length, share) = if is_stopped { (JARRED, STOPPED) } else { (SHAKEN, 1.0) };
        let range = at.min(reel.len())..(at + length).min(reel.len());
        let hit = &landed.hit;
        let blow = Blow {
            bone: hit.bone,
            point: hit.point,
            velocity: hit.velocity,
            mass: share * mass_behind(hit.with),
        };
        let shaken = shake(library.body(), &reel.poses(range.clone()), &standing[range.clone()], &blow);
        reel.replace(range.start, &shaken);
    }
    let skeleton = library.body().skeleton.clone();
    let clip = Clip::new(name, skeleton, FrameRate::HOUSE, reel.translations, reel.rotations)?;
    Ok(Some(Recorded { enter, clip, standing }))
}
