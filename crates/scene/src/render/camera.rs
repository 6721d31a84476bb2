//! Cameras: where to look from so that everybody is in the picture.

use std::f32::consts::FRAC_PI_2;

use glam::Vec3;
use randori_motion::math::wrap_angle;
use randori_motion::{GlobalPose, Pose, Take};

use super::{MAX_DURATION, RenderError};

/// An eye at one moment. The picture's upper edge is level with the horizon: there is no roll.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Where the camera is (m).
    pub eye: Vec3,
    /// What is in the middle of the picture (m).
    pub target: Vec3,
    /// From the lower to the upper edge of the picture (rad).
    pub fov: f32,
}

/// The direction a camera looks from, when it finds its own distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Angle {
    /// Where it stands around the scene (rad): 0 is in front of a rest pose (+Z), positive towards +X.
    pub heading: f32,
    /// How far above the horizon it stands (rad); below π/2.
    pub pitch: f32,
    /// From the lower to the upper edge of the picture (rad).
    pub fov: f32,
    /// The share of the picture that stays free at each edge, 0 to 0.45.
    pub margin: f32,
}

impl Default for Angle {
    fn default() -> Angle {
        Angle { heading: 0.6, pitch: 0.22, fov: 0.55, margin: 0.09 }
    }
}

impl Angle {
    /// Across the lines between the characters of a take, so that they hide each other as little as
    /// possible; as the default for one alone.
    pub fn across(take: &Take) -> Angle {
        /// How many moments of the take are looked at.
        const N_LOOKS: usize = 64;
        /// A little off the right angle, for depth (rad).
        const OFF: f32 = 0.25;
        let default = Angle::default();
        let mut pose = Pose::default();
        // Lines have no sign: their directions are added with doubled angles.
        let (mut doubled_sine, mut doubled_cosine) = (0.0f64, 0.0f64);
        for look in 0..N_LOOKS {
            let t = take.duration() * look as f64 / (N_LOOKS - 1) as f64;
            let mut roots: Vec<Vec3> = Vec::new();
            for character in &take.characters {
                if super::stage::present(character.enter, character.exit(), t) {
                    character.clip.sample_into(t - character.enter, &mut pose);
                    roots.push(pose.root());
                }
            }
            for (place, a) in roots.iter().enumerate() {
                for b in &roots[place + 1..] {
                    let (x, z) = (f64::from(b.x - a.x), f64::from(b.z - a.z));
                    doubled_sine += 2.0 * x * z;
                    doubled_cosine += z * z - x * x;
                }
            }
        }
        let spread = libm::hypot(doubled_sine, doubled_cosine);
        if !spread.is_finite() || spread < 1e-6 {
            return default;
        }
        let line = 0.5 * libm::atan2(doubled_sine, doubled_cosine) as f32;
        // Of the two sides, the one nearer to the default.
        let sides = [line + FRAC_PI_2 - OFF, line - FRAC_PI_2 - OFF].map(wrap_angle);
        let off = |heading: f32| wrap_angle(heading - default.heading).abs();
        let heading = if off(sides[1]) < off(sides[0]) { sides[1] } else { sides[0] };
        Angle { heading, ..default }
    }
}

/// How the camera moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Camera {
    /// It stands still.
    Fixed(View),
    /// It stands still where it sees all characters during the whole take.
    Whole(Angle),
    /// It moves smoothly along with the characters and keeps all of them in the picture.
    Follow(Angle),
    /// It frames the characters of every moment anew: for single pictures.
    Moment(Angle),
    /// It has the characters of every moment in the middle, from one distance for the whole take: for
    /// pictures that are compared with each other.
    Steady(Angle),
}

impl Default for Camera {
    fn default() -> Camera {
        Camera::Follow(Angle::default())
    }
}

impl Camera {
    /// The direction it looks from, if it finds its own distance; `None` if it is [`Camera::Fixed`].
    pub fn angle(&self) -> Option<Angle> {
        match self {
            Camera::Fixed(_) => None,
            Camera::Whole(angle) | Camera::Follow(angle) | Camera::Moment(angle) | Camera::Steady(angle) => {
                Some(*angle)
            }
        }
    }

    /// Checks the numbers.
    pub fn validate(&self) -> Result<(), RenderError> {
        match self {
            Camera::Fixed(view) => view.validate(),
            _ => self.angle().map_or(Ok(()), |angle| angle.validate()),
        }
    }
}

impl View {
    fn validate(&self) -> Result<(), RenderError> {
        // Beyond this, 32-bit numbers no longer tell a hand from a foot.
        const FAR: f32 = 1e6;
        let sane = |point: Vec3| point.is_finite() && point.abs().max_element() <= FAR;
        if !sane(self.eye) {
            return refused("eye", "a point within 1,000 km", self.eye);
        }
        if !sane(self.target) || (self.target - self.eye).try_normalize().is_none() {
            return refused("target", "a point within 1,000 km that is not the eye", self.target);
        }
        check_fov(self.fov)
    }
}

impl Angle {
    fn validate(&self) -> Result<(), RenderError> {
        if !self.heading.is_finite() {
            return refused("heading", "a finite angle", self.heading);
        }
        if !(-1.57..=1.57).contains(&self.pitch) {
            return refused("pitch", "an angle from -1.57 to 1.57", self.pitch);
        }
        if !(0.0..=0.45).contains(&self.margin) {
            return refused("margin", "a share from 0 to 0.45", self.margin);
        }
        check_fov(self.fov)
    }
}

fn check_fov(fov: f32) -> Result<(), RenderError> {
    if (0.01..=2.8).contains(&fov) { Ok(()) } else { refused("fov", "an angle from 0.01 to 2.8", fov) }
}

fn refused(what: &'static str, expected: &'static str, found: impl ToString) -> Result<(), RenderError> {
    Err(RenderError::Camera { what, expected, found: found.to_string() })
}

/// A camera's way through a take.
///
/// The same take, camera and shape of picture give the same way; moments may be asked for in any order.
#[derive(Clone, Debug)]
pub struct Shot {
    way: Way,
    /// Other ways, each from its time (s) on.
    cuts: Vec<(f64, Way)>,
}

#[derive(Clone, Debug)]
enum Way {
    Still(View),
    /// What must be in the picture, at even steps of time.
    Moving {
        angle: Angle,
        lens: Lens,
        step: f64,
        reaches: Vec<Reach>,
    },
}

impl Shot {
    /// Plans the way for pictures that are `aspect` times as wide as high.
    pub fn new(take: &Take, camera: &Camera, aspect: f64) -> Result<Shot, RenderError> {
        camera.validate()?;
        if !(1e-4..=1e4).contains(&aspect) {
            let found = aspect.to_string();
            return Err(RenderError::Camera {
                what: "aspect",
                expected: "a ratio from 0.0001 to 10000",
                found,
            });
        }
        let duration = take.duration();
        if duration.is_nan() || duration > MAX_DURATION {
            return Err(RenderError::TooLong(duration));
        }
        if let Camera::Fixed(view) = camera {
            return Ok(Shot::of(Way::Still(*view)));
        }
        // All others have one.
        let angle = camera.angle().unwrap_or_default();
        let lens = Lens::new(angle, aspect as f32);
        // A character moves little in a twentieth of a second; long takes are sampled more coarsely.
        const N_STEPS_MAX: f64 = 20_000.0;
        let step = (duration / N_STEPS_MAX).max(0.05);
        let n_steps = libm::ceil(duration / step) as usize;
        let mut scratch = Scratch::default();
        let mut seen = |t: f64| Reach::at(take, t, &lens, &mut scratch);
        let seen: Vec<Option<Reach>> =
            (0..=n_steps).map(|step_idx| seen((step_idx as f64 * step).min(duration))).collect();
        let mut reaches = fill_gaps(&seen);
        match camera {
            Camera::Whole(_) => {
                let all = reaches.iter().copied().reduce(Reach::max).unwrap_or_default();
                return Ok(Shot::of(Way::Still(lens.view(angle, all))));
            }
            Camera::Follow(_) => {
                /// How long before and after a moment the camera already knows of it (s).
                const FORESIGHT: f64 = 1.2;
                let radius = libm::ceil(0.5 * FORESIGHT / step) as usize;
                // The largest reach within the window, then averaged within the same window: never less
                // than the reach of the moment itself, so that nobody leaves the picture.
                reaches = windows(&reaches, 2 * radius, Reach::max_of);
                reaches = windows(&reaches, radius, Reach::mean_of);
                reaches = windows(&reaches, radius, Reach::mean_of);
            }
            Camera::Steady(_) => {
                let distance = |reach: &Reach| reach.depth() - lens.nearest_eye(*reach);
                let farthest = reaches.iter().map(distance).fold(0.0, f32::max);
                reaches.iter_mut().for_each(|reach| *reach = lens.moved_back(*reach, farthest));
            }
            _ => {}
        }
        Ok(Shot::of(Way::Moving { angle, lens, step, reaches }))
    }

    fn of(way: Way) -> Shot {
        Shot { way, cuts: Vec::new() }
    }

    /// The same up to a time (s), and another camera's way from there on. Cuts are made in order of time.
    pub fn cut(mut self, at: f64, next: Shot) -> Shot {
        self.cuts.retain(|(earlier, _)| *earlier < at);
        self.cuts.push((at, next.way));
        self
    }

    /// The eye at a time (s).
    pub fn view(&self, t: f64) -> View {
        let cut = self.cuts.iter().rfind(|(at, _)| *at <= t);
        match cut.map_or(&self.way, |(_, way)| way) {
            Way::Still(view) => *view,
            Way::Moving { angle, lens, step, reaches } => {
                let at = (t / step).max(0.0).min((reaches.len() - 1) as f64);
                let before = at as usize;
                let after = (before + 1).min(reaches.len() - 1);
                lens.view(*angle, reaches[before].lerp(reaches[after], (at - before as f64) as f32))
            }
        }
    }
}

/// The axes of a camera that looks one way, and the slopes of its picture's edges.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lens {
    pub(super) right: Vec3,
    pub(super) up: Vec3,
    pub(super) forward: Vec3,
    slope_x: f32,
    slope_y: f32,
}

impl Lens {
    fn new(angle: Angle, aspect: f32) -> Lens {
        let (sine, cosine) = libm::sincosf(angle.pitch);
        let (across, ahead) = libm::sincosf(angle.heading);
        let [right, up, forward] = axes(-Vec3::new(across * cosine, sine, ahead * cosine));
        let free = 1.0 - 2.0 * angle.margin;
        let slope = libm::tanf(0.5 * angle.fov);
        Lens { right, up, forward, slope_x: slope * aspect * free, slope_y: slope * free }
    }

    /// The nearest view that holds this reach.
    ///
    /// In the camera's axes a point (x, y, z) is below the upper edge of an eye (ex, ey, ez) if
    /// y − ey ≤ s (z − ez), so the eye must fulfil ey − s ez ≥ max(y − s z) = `top`, and likewise
    /// −ey − s ez ≥ `bottom`. Their sum bounds ez, their difference puts ey in the middle.
    fn view(&self, angle: Angle, reach: Reach) -> View {
        let [left, right, bottom, top, ..] = reach.0;
        let z = self.nearest_eye(reach);
        let eye = self.right * (0.5 * (right - left)) + self.up * (0.5 * (top - bottom)) + self.forward * z;
        View { eye, target: eye + self.forward, fov: angle.fov }
    }

    /// The depth of the nearest eye that holds this reach, along the camera's axis (m).
    fn nearest_eye(&self, reach: Reach) -> f32 {
        let [left, right, bottom, top, ..] = reach.0;
        let z_for_x = -(left + right) / (2.0 * self.slope_x);
        let z_for_y = -(bottom + top) / (2.0 * self.slope_y);
        z_for_x.min(z_for_y)
    }

    /// A larger reach with the same middle, seen from this distance (m).
    fn moved_back(&self, reach: Reach, distance: f32) -> Reach {
        let more = self.nearest_eye(reach) - (reach.depth() - distance);
        let [left, right, bottom, top, near, far] = reach.0;
        let (x, y) = (more * self.slope_x, more * self.slope_y);
        Reach([left + x, right + x, bottom + y, top + y, near, far])
    }
}

/// Right, up and forward of a camera that looks along `forward` without roll.
pub(super) fn axes(forward: Vec3) -> [Vec3; 3] {
    let forward = forward.normalize_or(-Vec3::Z);
    let right = forward.cross(Vec3::Y);
    // Straight up or down, "up" in the picture is away from a viewer who faces -Z.
    let right = if right.length_squared() < 1e-8 { Vec3::X } else { right.normalize() };
    [right, right.cross(forward), forward]
}

/// What must be in the picture, as bounds on the eye; see [`Lens::view`]. Left, right, bottom, top; then how
/// far it extends towards the camera and away from it.
#[derive(Clone, Copy, Debug, Default)]
struct Reach([f32; 6]);

#[derive(Default)]
struct Scratch {
    pose: Pose,
    globals: GlobalPose,
}

impl Reach {
    /// Of all characters at a time, or of all props if the take has no characters; `None` if nobody is there.
    fn at(take: &Take, t: f64, lens: &Lens, scratch: &mut Scratch) -> Option<Reach> {
        /// From a joint to the skin around it (m).
        const FLESH: f32 = 0.11;
        /// Beyond this nothing can be shown, and sums would lose centimetres (m).
        const FAR: f32 = 1e5;
        let mut reach: Option<Reach> = None;
        let mut include = |point: Vec3, radius: f32| {
            if point.abs().max_element() > FAR {
                return;
            }
            let [x, y, z] = [lens.right, lens.up, lens.forward].map(|axis| axis.dot(point));
            let pad = |slope: f32| radius * libm::sqrtf(1.0 + slope * slope);
            let (pad_x, pad_y) = (pad(lens.slope_x), pad(lens.slope_y));
            let (deep_x, deep_y) = (lens.slope_x * z, lens.slope_y * z);
            let (across, high) = (pad_x - deep_x, pad_y - deep_y);
            let one = Reach([across - x, across + x, high - y, high + y, -z, z]);
            reach = Some(reach.map_or(one, |reach| reach.max(one)));
        };
        for character in &take.characters {
            if !super::stage::present(character.enter, character.exit(), t) {
                continue;
            }
            let skeleton = character.clip.skeleton();
            character.clip.sample_into(t - character.enter, &mut scratch.pose);
            skeleton.globals_into(scratch.pose.view(), &mut scratch.globals);
            for id in skeleton.ids() {
                include(scratch.globals.positions[id.idx()], FLESH);
                for tip in &skeleton.joint(id).tips {
                    include(scratch.globals.point(id, *tip), 0.5 * FLESH);
                }
            }
        }
        for prop in take.props.iter().filter(|_| take.characters.is_empty()) {
            if super::stage::present(prop.enter, prop.exit(), t) {
                prop.clip.sample_into(t - prop.enter, &mut scratch.pose);
                prop.clip.skeleton().globals_into(scratch.pose.view(), &mut scratch.globals);
                for piece in &prop.pieces {
                    let radius = super::stage::shape_radius(&piece.shape);
                    include(scratch.globals.point(piece.joint, piece.center), radius.clamp(0.01, 100.0));
                }
            }
        }
        reach
    }

    fn max(self, other: Reach) -> Reach {
        Reach(std::array::from_fn(|k| self.0[k].max(other.0[k])))
    }

    /// Midway between the nearest and the farthest (m).
    fn depth(self) -> f32 {
        0.5 * (self.0[5] - self.0[4])
    }

    fn lerp(self, other: Reach, share: f32) -> Reach {
        Reach(std::array::from_fn(|k| self.0[k] + (other.0[k] - self.0[k]) * share))
    }

    fn max_of(window: &[Reach]) -> Reach {
        window.iter().copied().reduce(Reach::max).unwrap_or_default()
    }

    fn mean_of(window: &[Reach]) -> Reach {
        let sum = |k: usize| window.iter().map(|reach| f64::from(reach.0[k])).sum::<f64>();
        Reach(std::array::from_fn(|k| (sum(k) / window.len() as f64) as f32))
    }
}

/// Moments at which nobody is there look where the last, or else the first, was seen.
fn fill_gaps(seen: &[Option<Reach>]) -> Vec<Reach> {
    /// An empty stage: a person's height around the origin.
    const NOBODY: Reach = Reach([1.0, 1.0, 0.1, 1.9, 0.0, 0.0]);
    let mut last = seen.iter().find_map(|reach| *reach).unwrap_or(NOBODY);
    let mut fill = |reach: &Option<Reach>| {
        last = reach.unwrap_or(last);
        last
    };
    seen.iter().map(&mut fill).collect()
}

/// Each entry from its neighbours up to `radius` away.
///
/// Windows are cut at the ends; a mean of maxima over cut windows still holds the entry itself.
fn windows(values: &[Reach], radius: usize, of: fn(&[Reach]) -> Reach) -> Vec<Reach> {
    let window = |k: usize| &values[k.saturating_sub(radius)..(k + radius + 1).min(values.len())];
    (0..values.len()).map(|k| of(window(k))).collect()
}
