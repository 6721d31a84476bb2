//! Patches as takes: what they look like.

use std::sync::Arc;

use randori_arena::bodies::{Bodies, Rigid};
use randori_arena::record::{Recorded, record_tracks};
use randori_motion::clip::ClipError;
use randori_motion::take::Color;
use randori_motion::{Character, Clip, FrameRate, Placement, Take};
use randori_patches::{PatchId, Patches};

/// Who is who in a take of a patch.
const PEOPLE: [(&str, Color); 2] = [("first", [0.72, 0.12, 0.10]), ("second", [0.10, 0.30, 0.72])];

/// One patch as a take: the first in red, the second in blue.
pub fn take_of(bodies: &Bodies, set: &Patches, id: PatchId) -> Result<Take, ClipError> {
    let patch = set.patch(id);
    let tracks = patch.tracks(bodies, Rigid::of(Placement::default()), 0);
    let landed = patch.landed();
    let names = PEOPLE.map(|(name, _)| name.to_owned());
    let recorded = record_tracks(&[bodies, bodies], &tracks, (&landed, true), &names, patch.length())?;
    let mut take = Take::new(&set.pattern_of(id).name, u64::from(id.0));
    for (recorded, (name, color)) in recorded.into_iter().zip(PEOPLE) {
        let Some(Recorded { enter, clip, .. }) = recorded else { continue };
        // Whoever is not there yet waits, and whoever is done stays.
        let mut poses = vec![clip.frame(0).to_pose(); enter.max(0) as usize];
        poses.extend(clip.frames().map(|pose| pose.to_pose()));
        let last = clip.frame(clip.n_frames() - 1).to_pose();
        poses.resize(poses.len().max(patch.length().max(1) as usize), last);
        let clip = Clip::from_poses(name, clip.skeleton().clone(), FrameRate::HOUSE, poses)?;
        take.characters.push(Character {
            name: name.to_owned(),
            color,
            body: Arc::clone(bodies.library().body()),
            enter: 0.0,
            clip,
        });
    }
    Ok(take)
}
