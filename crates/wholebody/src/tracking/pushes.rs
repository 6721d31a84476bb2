//! Where the feet of a clip push, from its beginning to its end: the contacts to come, as the centre of mass needs to know them.

use glam::{DVec2, DVec3};

use super::feet::Stance;
use crate::balance::support::{Support, sole};

/// Pushes are planned in this part of a sole, half its edges (m): the rest is for what comes unplanned.
const PUSH: [f64; 2] = [0.012, 0.05];
/// While both feet stand, the push goes from foot to foot in so long at either end (s), or in half of the time there is.
const SHIFT: f64 = 0.15;

/// Points on the ground that the feet push through, frame by frame; coordinates of the clip.
#[derive(Clone, Debug)]
pub(super) struct Pushes {
    points: Vec<DVec2>,
    fps: f64,
    /// Between the feet as they stand before the clip begins ...
    middle: DVec2,
    /// ... and how long before that is left (s).
    lead: f64,
}

impl Pushes {
    /// Below the centre of mass as far as the feet that stand allow; while one swings, in the other.
    pub(super) fn of(centers: &[DVec3], stances: &[Vec<Stance>; 2], fps: f64, lead: f64) -> Pushes {
        let last = centers.len() - 1;
        let below = |t: f64| {
            let center = centers[((t * fps) as usize).min(last)];
            DVec2::new(center.x, center.z)
        };
        let mut area = Support::default();
        let point = |k: usize| {
            let t = k as f64 / fps;
            let stands =
                |foot: usize| stances[foot].iter().find(|stance| t >= stance.from && t < stance.until);
            let mut nearest = |feet: &[&Stance], t: f64| {
                area.set(feet.iter().flat_map(|stance| sole(&stance.sole, PUSH)));
                area.nearest(below(t))
            };
            match [stands(0), stands(1)] {
                [Some(a), Some(b)] => {
                    let (older, newer) = if a.from <= b.from { (a, b) } else { (b, a) };
                    let stays = if a.until <= b.until { b } else { a };
                    let (begins, ends) = (newer.from, a.until.min(b.until));
                    let shift = SHIFT.min(0.5 * (ends - begins));
                    let point = nearest(&[a, b], t);
                    if t - begins < shift {
                        nearest(&[older], begins).lerp(point, (t - begins) / shift)
                    } else if ends - t < shift {
                        nearest(&[stays], ends).lerp(point, (ends - t) / shift)
                    } else {
                        point
                    }
                }
                [Some(stance), None] | [None, Some(stance)] => nearest(&[stance], t),
                [None, None] => below(t),
            }
        };
        let middle = 0.5 * (stances[0][0].sole.translation + stances[1][0].sole.translation);
        let middle = DVec2::new(middle.x, middle.z);
        Pushes { points: (0..=last).map(point).collect(), fps, middle, lead }
    }

    /// At a time (s).
    pub(super) fn at(&self, time: f64) -> DVec2 {
        let last = self.points.len() - 1;
        let x = (time * self.fps).clamp(0.0, last as f64);
        let k = (x as usize).min(last.saturating_sub(1));
        let point = self.points[k].lerp(self.points[(k + 1).min(last)], x - k as f64);
        point.lerp(self.middle, (-time / self.lead).clamp(0.0, 1.0))
    }
}
