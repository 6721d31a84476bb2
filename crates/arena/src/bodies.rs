//! The bodies of a library in every frame, laid out for tests between two of them.
//!
//! Capsules are kept in the coordinates of their take. Two people who perform differ by one turn and one shift on the
//! floor for as long as neither starts another action, so a blow is tested by moving the striking part alone into the
//! other's take. Nothing here needs trigonometry after the layout is made: turns are kept as cosines and sines.

use std::ops::Range;
use std::sync::Arc;

use glam::{Quat, Vec3};
use randori_motion::annotation::Kind;
use randori_motion::library::NodeId;
use randori_motion::math::nearest_points;
use randori_motion::{ActionId, ActionLibrary, Bone, Capsule, GlobalPose, Ground, Placement};

use crate::hulls::{Ball, Disc, Extent, Hulls};
pub use crate::rigid::Rigid;
use crate::sweep::{apart, to_segment};
use crate::words::Words;

/// A library with the volume of its performer in every frame.
#[derive(Clone, Debug)]
pub struct Bodies {
    library: Arc<ActionLibrary>,
    takes: Vec<Layout>,
    moves: Vec<Move>,
    /// What may be chosen from each node of the graph, in the order of kinds: blows first, they decide most.
    options: Vec<Vec<Brief>>,
    radii: Vec<f32>,
    /// Half the length of each capsule's axis (m): bones do not stretch.
    halves: Vec<f32>,
    bones: Vec<Bone>,
    /// Which capsule is the weapon.
    weapon: Option<usize>,
    /// Both ends of what strikes in each action's window and a frame before it, one action after the other (m).
    strikes: Vec<[Vec3; 2]>,
    /// How far from the root any capsule reaches at most (m).
    reach: f32,
    /// The farthest that any single action gets (m).
    roam: f32,
    /// The same of what may be chosen from each node of the graph.
    strides: Vec<f32>,
    words: Words,
}

/// One take, frame after frame, in its own coordinates.
#[derive(Clone, Debug, Default)]
struct Layout {
    /// Both ends of every capsule (m).
    ends: Vec<[Vec3; 2]>,
    stances: Vec<Stance>,
    footings: Vec<Footing>,
    hulls: Hulls,
}

/// Root, gaze and core of one frame, in the take's coordinates.
#[derive(Clone, Copy, Debug)]
pub struct Stance {
    /// From the coordinates of the root's placement to the take's.
    pub root: Rigid,
    /// Where the head faces on the floor: unit vector.
    pub gaze: Ground,
    /// Hips and neck: the axis of the trunk (m).
    pub trunk: [Vec3; 2],
    /// Middle of the head (m).
    pub head: Vec3,
    /// How far trunk and head get from the root on the floor, their radii included (m).
    pub lean: f32,
}

/// What is asked of a frame most often, apart from the rest of its [`Stance`], so that many fit into a cache.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Footing {
    /// Where the root is (m).
    pub(crate) root: Ground,
    /// That of the stance (m).
    pub(crate) lean: f32,
    /// How far trunk and head have gone since the first frame of the take: the farthest of their points in each step (m).
    pub(crate) gone: f64,
}

/// What planning asks of an action again and again, in one place.
#[derive(Clone, Copy, Debug)]
pub struct Move {
    /// The take it is cut from.
    pub take: u32,
    /// Its first frame in the take.
    pub first: u32,
    /// Its last frame, which is the first of whatever follows.
    pub last: u32,
    /// What it is for.
    pub kind: Kind,
    /// Number of its annotation among those of the library.
    pub(crate) word: u16,
    /// The node of the graph that it starts from.
    pub from: u32,
    /// The node of the graph that it leads to.
    pub to: u32,
    /// Its place among the [options](Bodies::options) there; none for what is not chosen.
    pub(crate) place: Option<u32>,
    /// Nothing follows it.
    pub is_terminal: bool,
    /// It ends on the floor.
    pub is_fall: bool,
    /// The frame in which a blow is farthest or a defence deepest; the middle of anything else.
    pub peak: u32,
    /// From the take's coordinates to those of the root's placement in the first frame.
    pub start_from_take: Rigid,
    /// Where the root is at the end, seen from where it starts (m).
    pub end: Ground,
    /// Where the head faces at the end, seen from the start: unit vector.
    pub gaze: Ground,
    /// Where the root is at the peak, seen from where it starts (m).
    pub at_peak: Ground,
    /// How far the root gets from where it starts (m).
    pub roam: f32,
    /// Holds trunk and head on the floor from the first frame to the last, in the take's coordinates.
    pub(crate) core: Disc,
    /// Frames in which it can land; empty if it cannot.
    pub window: [u32; 2],
    /// The capsule that lands.
    pub with: u16,
    /// The farthest from the root on the floor that it lands (m).
    pub reach: f32,
    /// The greatest speed of that capsule's middle in the window (m/s).
    pub speed: f32,
    /// The first of its [strikes](Bodies::strikes).
    strikes: u32,
    /// Holds that capsule in the whole window, in the take's coordinates.
    pub(crate) swing: Ball,
    /// Holds the whole body from the first frame to the last, in the take's coordinates.
    pub(crate) extent: Extent,
}

/// What is asked of every option before anything is simulated: in one piece, because it is asked most often.
#[derive(Clone, Copy, Debug)]
pub struct Brief {
    /// Which action.
    pub id: ActionId,
    /// What it is for.
    pub kind: Kind,
    /// How long it takes (ticks).
    pub length: i32,
    /// How long it takes to its peak (ticks).
    pub to_peak: i32,
    /// Where the root is at the end, seen from where it starts (m).
    pub end: Ground,
    /// Where the head faces at the end, seen from the start: unit vector.
    pub gaze: Ground,
    /// Where the root is at the peak, seen from where it starts (m).
    pub at_peak: Ground,
    /// The farthest from the root on the floor that a blow lands (m).
    pub reach: f32,
    /// The greatest speed with which it lands (m/s).
    pub speed: f32,
}

impl Move {
    pub(crate) fn brief(&self, id: ActionId) -> Brief {
        Brief {
            id,
            kind: self.kind,
            length: (self.last - self.first) as i32,
            to_peak: (self.peak - self.first) as i32,
            end: self.end,
            gaze: self.gaze,
            at_peak: self.at_peak,
            reach: self.reach,
            speed: self.speed,
        }
    }

    /// Frames that are shown in the window, and one before it if there is one; none if it is empty.
    fn swing_frames(&self) -> Range<u32> {
        let [from, to] = self.window;
        if from < to { from.max(self.first + 1) - 1..to.min(self.last + 1) } else { from..from }
    }

    /// The frame that is shown so many ticks after its start: the first before it, the last from its end on.
    pub(crate) fn shown(&self, ticks: i32) -> u32 {
        (self.first + ticks.max(0) as u32).min(self.last)
    }

    /// How long it takes (ticks).
    pub fn length(&self) -> i32 {
        (self.last - self.first) as i32
    }
}

impl Bodies {
    /// Lays out a library. Whatever its performer holds lands instead of the hand that holds it.
    pub fn of(library: Arc<ActionLibrary>) -> Bodies {
        let (capsules, held) = (&library.body().capsules, library.body().held());
        let mut radii: Vec<f32> = capsules.iter().map(|capsule| capsule.radius).collect();
        let mut bones: Vec<Bone> = capsules.iter().map(|capsule| capsule.bone).collect();
        let mut halves: Vec<f32> =
            capsules.iter().map(|capsule| 0.5 * capsule.a.distance(capsule.b)).collect();
        if let Some(Capsule { bone, a, b, radius, .. }) = held {
            radii.push(radius);
            bones.push(bone);
            halves.push(0.5 * a.distance(b));
        }
        let mut takes: Vec<Layout> =
            (0..library.takes().len()).map(|take| Layout::of(&library, take as u32)).collect();
        for take in &mut takes {
            take.hulls = Hulls::of(&take.ends, &radii, &halves);
        }
        let n = radii.len();
        let reach = (takes.iter())
            .flat_map(|take| take.ends.chunks(n).zip(&take.stances))
            .flat_map(|(ends, stance)| ends.iter().flatten().map(|end| stance.root.off(*end)))
            .fold(0.0, f32::max);
        let mut bodies = Bodies {
            takes,
            moves: Vec::new(),
            options: Vec::new(),
            weapon: held.map(|_| n - 1),
            reach: reach + radii.iter().fold(0.0_f32, |most, radius| most.max(*radius)),
            strikes: Vec::new(),
            roam: 0.0,
            strides: Vec::new(),
            words: Words::of(&library),
            library,
            radii,
            halves,
            bones,
        };
        bodies.moves = bodies.library.ids().map(|id| bodies.laid_out(id)).collect();
        for at in 0..bodies.moves.len() {
            let its = bodies.moves[at];
            bodies.moves[at].strikes = bodies.strikes.len() as u32;
            let ends = its.swing_frames().map(|frame| bodies.frame(its.take, frame)[usize::from(its.with)]);
            let ends: Vec<[Vec3; 2]> = ends.collect();
            bodies.strikes.extend(ends);
        }
        bodies.roam = bodies.moves.iter().map(|its| its.roam).fold(0.0, f32::max);
        bodies.options =
            (0..bodies.library.n_nodes() as u32).map(|node| bodies.options_from(NodeId(node))).collect();
        for options in &bodies.options {
            let roams = options.iter().map(|option| bodies.moves[option.id.0 as usize].roam);
            bodies.strides.push(roams.fold(0.0, f32::max));
            for (place, option) in (0..).zip(options) {
                bodies.moves[option.id.0 as usize].place = Some(place);
            }
        }
        bodies
    }

    /// What may be chosen after an action, in the order of kinds: reactions are not, unless there is nothing else.
    pub fn options(&self, after: ActionId) -> &[Brief] {
        let its = self.of_action(after);
        if its.is_terminal { &[] } else { &self.options[its.to as usize] }
    }

    fn options_from(&self, node: NodeId) -> Vec<Brief> {
        let all = self.library.starting_from(node);
        let kind = |id: &ActionId| self.of_action(*id).kind;
        let any = all.iter().any(|id| kind(id) != Kind::Reaction);
        let mut options: Vec<ActionId> =
            all.iter().copied().filter(|id| !any || kind(id) != Kind::Reaction).collect();
        options.sort_by_key(|id| (kind(id), *id));
        options.into_iter().map(|id| self.of_action(id).brief(id)).collect()
    }

    /// The library.
    pub fn library(&self) -> &Arc<ActionLibrary> {
        &self.library
    }

    /// The bones of the capsules.
    pub fn bones(&self) -> &[Bone] {
        &self.bones
    }

    /// The radii of the capsules (m).
    pub fn radii(&self) -> &[f32] {
        &self.radii
    }

    /// Half the lengths of the capsules' axes (m).
    pub fn halves(&self) -> &[f32] {
        &self.halves
    }

    /// The capsule of what is held, if anything is.
    pub fn weapon(&self) -> Option<usize> {
        self.weapon
    }

    /// How far from the root any part of the body ever is (m).
    pub fn reach(&self) -> f32 {
        self.reach
    }

    /// The farthest from where it starts that the root gets in any single action (m).
    pub fn roam(&self) -> f32 {
        self.roam
    }

    /// The farthest from where it starts that the root gets in anything that may be chosen after an action (m).
    pub(crate) fn stride(&self, after: ActionId) -> f32 {
        self.strides[self.of_action(after).to as usize]
    }

    /// The annotations of the library.
    pub(crate) fn words(&self) -> &Words {
        &self.words
    }

    /// What planning asks of an action.
    pub fn of_action(&self, action: ActionId) -> &Move {
        &self.moves[action.0 as usize]
    }

    /// Both ends of all capsules in a frame of a take, in the take's coordinates (m).
    pub fn frame(&self, take: u32, frame: u32) -> &[[Vec3; 2]] {
        let n = self.radii.len();
        &self.takes[take as usize].ends[frame as usize * n..(frame as usize + 1) * n]
    }

    /// Both ends of what strikes in each frame of an action's window, and in the one before it, in the take's coordinates
    /// (m), with the number of the first of these frames.
    pub(crate) fn strikes(&self, its: &Move) -> (u32, &[[Vec3; 2]]) {
        let frames = its.swing_frames();
        (frames.start, &self.strikes[its.strikes as usize..][..frames.len()])
    }

    /// Root, gaze and core in a frame of a take.
    pub fn stance(&self, take: u32, frame: u32) -> &Stance {
        &self.takes[take as usize].stances[frame as usize]
    }

    /// Where somebody stands in every frame of a take.
    pub(crate) fn footings(&self, take: u32) -> &[Footing] {
        &self.takes[take as usize].footings
    }

    /// Coarse bounds of the body in every frame of a take.
    pub(crate) fn hulls(&self, take: u32) -> &Hulls {
        &self.takes[take as usize].hulls
    }

    fn laid_out(&self, id: ActionId) -> Move {
        let action = self.library.action(id);
        let (first, last) = (action.frames.start, action.frames.end);
        let root = |frame: u32| self.stance(action.take, frame).root;
        let from = root(first);
        let roam = (first..=last).map(|frame| root(frame).shift().distance(from.shift())).fold(0.0, f32::max);
        let stance = |frame: u32| self.stance(action.take, frame);
        let cores = (first..=last).flat_map(|frame| stance(frame).core());
        let peak = action.peak.unwrap_or(first.midpoint(last)).clamp(first, last);
        let start = from.inverse();
        let mut laid_out = Move {
            take: action.take,
            first,
            last,
            kind: action.annotation.kind(),
            word: self.words.of_action[id.0 as usize],
            from: action.from.0,
            to: action.to.0,
            place: None,
            is_terminal: action.is_terminal,
            is_fall: action.annotation.name() == "knock-down",
            peak,
            start_from_take: start,
            end: start.ground(root(last).shift()),
            gaze: Ground::below(start.turned(stance(last).gaze.at_height(0.0))),
            at_peak: start.ground(root(peak).shift()),
            roam,
            core: Disc::around(cores),
            window: [first; 2],
            with: 0,
            reach: 0.0,
            speed: 0.0,
            strikes: 0,
            swing: Ball { center: Vec3::ZERO, radius: 0.0 },
            extent: self.hulls(action.take).extent_over(first..=last),
        };
        // An action has one window: analysers cut combinations into single blows.
        let Some(window) = action.windows.first() else { return laid_out };
        let armed = self.weapon.filter(|weapon| self.bones[*weapon] == window.part);
        let Some(with) = armed.or_else(|| self.bones.iter().position(|bone| *bone == window.part)) else {
            return laid_out;
        };
        let [from, to] =
            [window.frames.start, window.frames.end].map(|frame| (frame as u32).clamp(first, last + 1));
        let middle = |frame: u32| {
            let [a, b] = self.frame(action.take, frame)[with];
            0.5 * (a + b)
        };
        (laid_out.window, laid_out.with) = ([from.max(1), to], with as u16);
        laid_out.reach = (from.max(1)..to.min(last + 1))
            .map(|frame| root(frame).off(middle(frame)) + self.radii[with] + self.halves[with])
            .fold(0.0, f32::max);
        laid_out.speed = (from.max(1)..to)
            .map(|frame| middle(frame).distance(middle(frame - 1)) * TICKS_PER_SECOND)
            .fold(0.0, f32::max);
        laid_out.swing = (laid_out.swing_frames())
            .map(|frame| self.frame(action.take, frame)[with])
            .map(|ends| Ball::of(ends, ends, self.halves[with], self.radii[with]))
            .reduce(Ball::around)
            .unwrap_or(laid_out.swing);
        laid_out
    }
}

/// Radius of the trunk for tests between cores (m).
const TRUNK: f32 = 0.13;
/// Radius of the head for tests between cores (m).
const HEAD: f32 = 0.10;

impl Stance {
    fn new(root: Rigid, gaze: Ground, trunk: [Vec3; 2], head: Vec3) -> Stance {
        let lean = (root.off(trunk[0]) + TRUNK).max(root.off(trunk[1]) + TRUNK).max(root.off(head) + HEAD);
        Stance { root, gaze, trunk, head, lean }
    }

    /// Places on the floor that trunk and head are around, and how far around them (m).
    fn core(&self) -> impl Iterator<Item = (Ground, f32)> + Clone {
        let [hips, neck] = self.trunk;
        [(hips, TRUNK), (neck, TRUNK), (self.head, HEAD)]
            .into_iter()
            .map(|(point, radius)| (Ground::below(point), radius))
    }

    /// The farthest that any of its points is in the other (m).
    fn pace(&self, other: &Stance) -> f32 {
        let points = [self.trunk[0], self.trunk[1], self.head];
        let others = [other.trunk[0], other.trunk[1], other.head];
        points.iter().zip(others).map(|(point, other)| apart(*point, other)).fold(0.0, f32::max)
    }

    /// How deep its trunk and head are in another's, which is moved into its coordinates first (m); negative if they
    /// are apart, by no more than they are.
    pub fn depth_in(&self, own_from_other: &Rigid, other: &Stance) -> f32 {
        let [own, theirs] =
            [self, other].map(|it| Footing { root: it.root.shift(), lean: it.lean, gone: 0.0 });
        if let Some(depth) = own.apart_from(own_from_other, &theirs) {
            return depth;
        }
        let trunk = other.trunk.map(|end| own_from_other.point(end));
        let head = own_from_other.point(other.head);
        let [p, q] = nearest_points(self.trunk, trunk);
        let trunks = 2.0 * TRUNK - apart(p, q);
        let heads = 2.0 * HEAD - apart(self.head, head);
        let off = |trunk: [Vec3; 2], head: Vec3| to_segment(trunk, head).length_squared().sqrt();
        let mixed = TRUNK + HEAD - off(self.trunk, head).min(off(trunk, self.head));
        trunks.max(heads).max(mixed)
    }
}

impl Footing {
    /// Less than nothing by no more than two are apart (m), if the places of their roots tell that they are.
    pub(crate) fn apart_from(&self, own_from_other: &Rigid, other: &Footing) -> Option<f32> {
        let there = own_from_other.ground(other.root);
        let (x, z) = (there.x - self.root.x, there.z - self.root.z);
        let (squared, near) = (x * x + z * z, self.lean + other.lean);
        (squared > near * near).then(|| near - squared.sqrt())
    }
}

/// One tick is one frame of the house's rate.
pub const TICKS_PER_SECOND: f32 = 60.0;

impl Layout {
    fn of(library: &ActionLibrary, number: u32) -> Layout {
        let take = &library.takes()[number as usize];
        let baked = library.baked(number);
        let bones: Vec<Bone> = library.body().capsules.iter().map(|capsule| capsule.bone).collect();
        let capsule = |bone: Bone| bones.iter().position(|known| *known == bone);
        let [hips, neck, head] = [Bone::Hips, Bone::Neck, Bone::Head].map(capsule);
        let skeleton = &library.body().skeleton;
        let held = library.body().held();
        let mut globals = GlobalPose::default();
        let mut layout = Layout::default();
        for (frame, placement) in take.placements.iter().enumerate() {
            let (turn, origin) = (placement.rotation(), placement.position.at_height(0.0));
            let ends = baked.frame(frame).iter().map(|ends| ends.map(|end| origin + turn * end));
            let at = layout.ends.len();
            layout.ends.extend(ends);
            let body = &layout.ends[at..];
            let root = placement.position.at_height(1.0);
            let gaze = Quat::from_rotation_y(baked.gaze(frame)) * Vec3::Z;
            let neck = neck.map_or(root, |neck| body[neck][0]);
            layout.stances.push(Stance::new(
                Rigid::of(*placement),
                Ground::below(turn * gaze),
                [hips.map_or(root, |hips| body[hips][0]), neck],
                head.map_or(neck, |head| 0.5 * (body[head][0] + body[head][1])),
            ));
            if let Some(Capsule { joint, a, b, .. }) = held {
                skeleton.globals_into(take.clip.frame(frame), &mut globals);
                layout.ends.push([a, b].map(|end| globals.point(joint, end)));
            }
        }
        let mut gone = 0.0;
        layout.footings = (0..layout.stances.len())
            .map(|frame| {
                let stance = &layout.stances[frame];
                gone += f64::from(stance.pace(&layout.stances[frame.saturating_sub(1)]));
                Footing { root: stance.root.shift(), lean: stance.lean, gone }
            })
            .collect();
        layout
    }
}

/// Somebody who performs an action, in time and place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Doing {
    /// What is done.
    pub action: ActionId,
    /// The tick (a sixtieth of a second) at which the action's first frame is shown, or would have been; in the future for
    /// somebody who waits in that frame.
    pub start: i32,
    /// From the coordinates of the action's take to the world's.
    pub world_from_take: Rigid,
}

impl Doing {
    /// An action whose frame `skipped` is shown at `tick`, the root then placed here.
    pub fn begin(bodies: &Bodies, action: ActionId, tick: i32, skipped: u32, here: Rigid) -> Doing {
        let its = bodies.of_action(action);
        let take_from_root = if skipped == 0 {
            its.start_from_take
        } else {
            bodies.stance(its.take, (its.first + skipped).min(its.last)).root.inverse()
        };
        let world_from_take = here.then(take_from_root).straightened();
        Doing { action, start: tick - skipped as i32, world_from_take }
    }

    /// The frame of the take that is shown at a tick: the first of the action before its start, the last from its end
    /// on.
    pub fn frame(&self, bodies: &Bodies, tick: i32) -> u32 {
        bodies.of_action(self.action).shown(tick - self.start)
    }

    /// The tick at which the next action begins.
    pub fn end(&self, bodies: &Bodies) -> i32 {
        let its = bodies.of_action(self.action);
        self.start + (its.last - its.first) as i32
    }

    /// Root, gaze and core at a tick, in the coordinates of the take.
    pub fn stance<'a>(&self, bodies: &'a Bodies, tick: i32) -> &'a Stance {
        bodies.stance(bodies.of_action(self.action).take, self.frame(bodies, tick))
    }

    pub(crate) fn footing<'a>(&self, bodies: &'a Bodies, tick: i32) -> &'a Footing {
        let its = bodies.of_action(self.action);
        &bodies.footings(its.take)[its.shown(tick - self.start) as usize]
    }

    /// From the coordinates of the root's placement at a tick to the world's.
    pub fn root(&self, bodies: &Bodies, tick: i32) -> Rigid {
        self.world_from_take.then(self.stance(bodies, tick).root)
    }

    /// Where the root is at a tick.
    pub fn placement(&self, bodies: &Bodies, tick: i32) -> Placement {
        self.root(bodies, tick).placement()
    }

    /// Where the root is on the floor at a tick (m).
    pub fn position(&self, bodies: &Bodies, tick: i32) -> Ground {
        self.world_from_take.ground(self.footing(bodies, tick).root)
    }
}
