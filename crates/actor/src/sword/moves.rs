//! What a swordsman does with the sword, the whole body behind it: cuts, blocks, feints and lunges.

use glam::Vec3;
use randori_motion::{Annotation, Ground, Placement, Side};

use super::swordsman::{Guard, Swordsman};
use super::track::Hold;
use crate::boxing::foot_channels;
use crate::curve::Blow;
use crate::fighter::Push;
use crate::limb::{Aim, Punch};
use crate::stroke::Channel;

/// The line of a cut, by the own side it comes from; of a block, by the own side it covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Line {
    Overhead,
    Left,
    LeftUpper,
    Right,
    RightUpper,
}

/// How a cut goes. Holds are those of [`Hold`].
struct Cut {
    /// Where the wrist is when wound up, when the blade arrives, and when it is spent (m).
    wrists: [Vec3; 3],
    /// Where the elbow points at these moments.
    elbows: [Vec3; 3],
    /// The side that the blade comes from, across the way ahead: unit vector.
    from: Vec3,
    /// How far the blade is from pointing ahead at these moments, towards that side (rad).
    angles: [f32; 3],
}

impl Line {
    /// All of them.
    pub const ALL: [Line; 5] = [Line::Overhead, Line::Left, Line::LeftUpper, Line::Right, Line::RightUpper];

    pub(super) fn name(self) -> &'static str {
        match self {
            Line::Overhead => "overhead",
            Line::Left => "left",
            Line::LeftUpper => "left-upper",
            Line::Right => "right",
            Line::RightUpper => "right-upper",
        }
    }

    fn annotation(self, what: &str) -> Annotation {
        Annotation::new(&format!("{what}-{}", self.name())).unwrap_or(Annotation::of("idle"))
    }

    fn cut(self) -> Cut {
        let low = Vec3::new(-0.45, -1.0, -0.1);
        match self {
            Line::Overhead => Cut {
                wrists: [
                    Vec3::new(-0.19, 0.24, 0.06),
                    Vec3::new(-0.07, -0.06, 0.58),
                    Vec3::new(-0.01, -0.34, 0.50),
                ],
                elbows: [Vec3::new(-0.7, -0.2, 0.75), low, low],
                from: Vec3::Y,
                angles: [2.30, 0.12, -0.90],
            },
            Line::Right => Cut {
                wrists: [
                    Vec3::new(-0.44, -0.04, 0.02),
                    Vec3::new(-0.14, -0.22, 0.56),
                    Vec3::new(0.20, -0.26, 0.42),
                ],
                elbows: [Vec3::new(-0.6, -0.7, -0.4), low, Vec3::new(-0.6, -0.8, 0.2)],
                from: Vec3::new(-0.98, 0.2, 0.0),
                angles: [1.90, 0.10, -1.15],
            },
            Line::RightUpper => Cut {
                wrists: [
                    Vec3::new(-0.34, 0.20, 0.04),
                    Vec3::new(-0.12, -0.10, 0.57),
                    Vec3::new(0.17, -0.38, 0.42),
                ],
                elbows: [Vec3::new(-0.9, -0.4, 0.2), low, Vec3::new(-0.6, -0.9, 0.1)],
                from: Vec3::new(-0.72, 0.69, 0.0),
                angles: [2.10, 0.10, -1.10],
            },
            Line::Left => Cut {
                wrists: [
                    Vec3::new(0.17, -0.03, 0.27),
                    Vec3::new(-0.06, -0.22, 0.56),
                    Vec3::new(-0.42, -0.24, 0.36),
                ],
                elbows: [Vec3::new(-0.5, -0.8, 0.5), low, Vec3::new(-0.5, -0.9, -0.3)],
                from: Vec3::new(0.97, 0.25, 0.0),
                angles: [1.90, 0.10, -1.15],
            },
            Line::LeftUpper => Cut {
                wrists: [
                    Vec3::new(0.09, 0.19, 0.26),
                    Vec3::new(-0.06, -0.10, 0.57),
                    Vec3::new(-0.38, -0.38, 0.38),
                ],
                elbows: [Vec3::new(-0.8, -0.5, 0.6), low, Vec3::new(-0.5, -0.9, -0.3)],
                from: Vec3::new(0.72, 0.69, 0.0),
                angles: [2.00, 0.10, -1.10],
            },
        }
    }

    /// The sword where it stops what comes on this line.
    fn block(self) -> Hold {
        let hold = |wrist: [f32; 3], elbow: [f32; 3], blade: [f32; 3]| Hold {
            wrist: Vec3::from_array(wrist),
            elbow: Vec3::from_array(elbow),
            blade: Vec3::from_array(blade).normalize_or(Vec3::Y),
        };
        match self {
            Line::Overhead => hold([-0.25, 0.19, 0.36], [-0.9, -0.6, 0.0], [0.92, 0.20, 0.32]),
            Line::Left => hold([0.22, -0.31, 0.42], [-0.5, -0.9, 0.0], [0.16, 0.92, 0.34]),
            Line::Right => hold([-0.40, -0.31, 0.36], [-0.5, -0.9, -0.3], [-0.12, 0.94, 0.30]),
            Line::LeftUpper => hold([0.23, -0.12, 0.41], [-0.6, -0.8, 0.2], [-0.10, 0.92, 0.36]),
            Line::RightUpper => hold([-0.42, -0.05, 0.34], [-0.7, -0.8, -0.2], [0.32, 0.88, 0.32]),
        }
    }
}

impl Cut {
    /// How the sword is held at one of the three moments.
    fn hold(&self, moment: usize) -> Hold {
        let (sine, cosine) = libm::sincosf(self.angles[moment]);
        Hold {
            wrist: self.wrists[moment],
            elbow: self.elbows[moment],
            blade: (Vec3::Z * cosine + self.from * sine).normalize_or(Vec3::Z),
        }
    }

    /// The same a little different.
    fn varied(mut self, man: &mut Swordsman) -> Cut {
        let fighter = &mut man.fighter;
        for (wrist, by) in self.wrists.iter_mut().zip([0.03, 0.035, 0.04]) {
            *wrist += Vec3::new(fighter.spread(by), fighter.spread(by), fighter.spread(0.6 * by));
        }
        for (angle, by) in self.angles.iter_mut().zip([0.16, 0.05, 0.12]) {
            *angle += fighter.spread(by);
        }
        let tilt = fighter.spread(0.09);
        self.from = Vec3::new(self.from.x - tilt * self.from.y, self.from.y + tilt * self.from.x, 0.0)
            .normalize_or(Vec3::Y);
        self
    }
}

/// A blade that begins or ends at rest takes so many times as long as one at full speed.
const GATHER: f32 = 1.9;

/// How much longer than the blade the hand takes to come to rest (s).
const LINGER: f32 = 0.06;

impl Swordsman {
    /// A cut that begins at `t`, with a step ahead of so many metres as the blade arrives. The sword stays where it is
    /// spent; returns when that is (s).
    pub fn cut(&mut self, line: Line, t: f32, ahead: f32) -> f32 {
        let cut = line.cut().varied(self);
        let pace = self.fighter.pace;
        let windup = (0.30 * self.fighter.about(0.12) / pace).max(self.least_time(&cut.hold(0)));
        let speed = 13.2 * pace * self.fighter.about(0.09);
        let wound = t + windup;
        let arrives = wound + GATHER * (cut.angles[0] - cut.angles[1]) / speed;
        let spent = arrives + GATHER * (cut.angles[1] - cut.angles[2]) / speed;

        self.track.rest([t, wound - 0.03], 0.03, cut.hold(0));
        // The hand is ahead of the blade until it arrives.
        let [wound_at, there, out] = cut.wrists;
        let velocity =
            0.5 * ((there - wound_at) / (arrives - wound) + (out - there) / (spent + LINGER - arrives));
        let spin = cut.from.cross(Vec3::Z) * speed;
        self.track.pass(arrives, cut.hold(1), velocity, spin);
        // … and comes to rest after it.
        self.track.rest([arrives, spent + LINGER], -LINGER, cut.hold(2));
        self.behind(&cut, [t, wound, arrives, spent]);
        if ahead.abs() > 0.02 {
            let swing = 0.21 * self.fighter.about(0.08);
            let to = self.fighter.performer.path().last().then(Placement {
                position: Ground { x: self.fighter.spread(0.05), z: ahead },
                heading: self.fighter.spread(0.06),
            });
            let start = (arrives - swing + 0.02).max(self.fighter.landed + 0.02);
            self.fighter.landed = self.fighter.step_to(start, to, swing, 0.05);
        }
        self.fighter.note(line.annotation("cut"), t, Some(arrives), spent + 0.1);
        spent + LINGER
    }

    /// What the body does behind a cut: it winds up, and drives the blade from the feet upwards.
    fn behind(&mut self, cut: &Cut, [t, wound, arrives, spent]: [f32; 4]) {
        let power = self.fighter.about(0.14);
        let (aside, above) = (cut.from.x, cut.from.y);
        let gathers =
            Push { peak: wound - 0.02, rise: wound - t, hold: 0.0, fall: (arrives - wound).max(0.2) };
        let drives = Push {
            peak: arrives,
            rise: (arrives - wound) + 0.04,
            hold: (spent - arrives) + 0.02,
            fall: 0.46 * self.fighter.about(0.1),
        };
        let fighter = &mut self.fighter;
        fighter.push(Channel::Ahead, gathers, -0.05 * power);
        fighter.push(Channel::HipTurn, gathers.earlier(0.03), 0.26 * aside * power);
        fighter.push(Channel::ChestTurn, gathers, (0.50 * aside - 0.16 * above) * power);
        fighter.push(Channel::Bow, gathers, -0.12 * above * power);
        fighter.push(Channel::Lean, gathers, 0.06 * aside * power);
        // Feet, hips, chest, and the hand last.
        let (heel, pivot) = foot_channels(Side::Left);
        fighter.push(heel, drives.earlier(0.07), 0.28 * power);
        fighter.push(pivot, drives.earlier(0.07), (0.16 - 0.20 * aside) * power);
        fighter.push(Channel::Crouch, drives.earlier(0.05), (0.045 + 0.02 * above) * power);
        fighter.push(Channel::Ahead, drives.earlier(0.05), 0.10 * power);
        fighter.push(Channel::HipTurn, drives.earlier(0.06), (0.14 - 0.26 * aside) * power);
        fighter.push(Channel::ChestTurn, drives.earlier(0.03), (0.24 - 0.36 * aside) * power);
        fighter.push(Channel::Bow, drives.earlier(0.01), (0.12 + 0.13 * above) * power);
        fighter.push(Channel::Lean, drives, -0.08 * aside * power);
        fighter.push(Channel::HeadNod, drives, 0.05);
        self.balance(arrives, spent, 0.9 * power);
    }

    /// The free arm swings against the sword.
    fn balance(&mut self, peak: f32, until: f32, power: f32) {
        let fighter = &mut self.fighter;
        if fighter.free[Side::Left as usize] > peak - 0.3 {
            return;
        }
        let shoulder = fighter.performer.shoulder(Side::Left, 0.0, peak);
        let own = fighter.own(shoulder, peak);
        let to = Vec3::new(0.20, -0.40, -0.14) * power;
        let blow = Blow { impact: peak, speed: 3.4, draw: 0.0, stay: (until - peak).max(0.02), back: 0.5 };
        let leave = Vec3::new(0.06, -0.04, 0.0);
        fighter.performer.punch(Punch {
            side: Side::Left,
            blow,
            aim: Aim::Own(own + to),
            leave,
            arrive: leave,
            elbow: Vec3::new(0.5, -0.3, -1.0),
            protraction: 0.0,
        });
        fighter.free[Side::Left as usize] = blow.end();
    }

    /// A block that begins at `start` and stays for `stay` seconds. The sword stays there; returns when it may leave (s).
    pub fn block(&mut self, line: Line, start: f32, stay: f32) -> f32 {
        let mut hold = line.block();
        let rise = (0.23 * self.fighter.about(0.1)).max(0.8 * self.least_time(&hold));
        let fighter = &mut self.fighter;
        hold.wrist += Vec3::new(fighter.spread(0.02), fighter.spread(0.025), fighter.spread(0.025));
        hold.blade += Vec3::new(fighter.spread(0.06), fighter.spread(0.06), fighter.spread(0.06));
        hold.blade = hold.blade.normalize_or(Vec3::Y);
        let t = start + rise;
        self.track.rest([start, t - 0.03], 0.03, hold);
        let fighter = &mut self.fighter;
        let power = fighter.about(0.15);
        let shape = Push { peak: t, rise, hold: stay, fall: 0.38 };
        let (aside, above) = match line {
            Line::Overhead => (0.0, 1.0),
            Line::Left => (1.0, 0.0),
            Line::Right => (-1.0, 0.0),
            Line::LeftUpper => (0.8, 0.6),
            Line::RightUpper => (-0.8, 0.6),
        };
        // The arm with the sword has farther to go to the other side.
        let turn = if aside > 0.0 { 0.42 } else { 0.26 };
        fighter.push(Channel::ChestTurn, shape.earlier(0.02), turn * aside * power);
        fighter.push(Channel::HipTurn, shape.earlier(0.05), 0.4 * turn * aside * power);
        fighter.push(Channel::Lean, shape, -0.07 * aside * power);
        fighter.push(Channel::Aside, shape.earlier(0.04), -0.035 * aside * power);
        fighter.push(Channel::Crouch, shape.earlier(0.03), (0.04 + 0.035 * above) * power);
        fighter.push(Channel::Ahead, shape.earlier(0.03), -0.04 * power);
        fighter.push(Channel::Bow, shape, (0.05 - 0.10 * above) * power);
        fighter.push(Channel::HeadNod, shape, 0.07 * above);
        let end = t + stay;
        fighter.note(line.annotation("block"), start, Some(t + 0.5 * stay), end + 0.15);
        if aside > 0.0 {
            // The free arm makes way for the blade.
            self.balance(t, end, 0.75);
        }
        end
    }

    /// Begins a cut at `t` and breaks it off half way; returns when the next may begin (s).
    pub fn feint(&mut self, line: Line, t: f32) -> f32 {
        let cut = line.cut().varied(self);
        let windup = (0.27 * self.fighter.about(0.1)).max(self.least_time(&cut.hold(0)));
        let (wound, broken) = (t + windup, t + windup + 0.24 * self.fighter.about(0.1));
        let [first, second] = [cut.hold(0), cut.hold(1)];
        self.track.rest(
            [t, wound - 0.03],
            0.03,
            Hold { wrist: first.wrist.lerp(second.wrist, 0.12), ..first },
        );
        let half = cut.angles[0] + 0.52 * (cut.angles[1] - cut.angles[0]);
        let (sine, cosine) = libm::sincosf(half);
        let blade = (Vec3::Z * cosine + cut.from * sine).normalize_or(Vec3::Z);
        let hold = Hold {
            wrist: first.wrist.lerp(second.wrist, 0.55),
            elbow: first.elbow.lerp(second.elbow, 0.55),
            blade,
        };
        self.track.rest([wound, broken], 0.0, hold);
        let power = self.fighter.about(0.15);
        let aside = cut.from.x;
        let gathers = Push { peak: wound, rise: windup, hold: 0.0, fall: 0.30 };
        let drives = Push { peak: broken - 0.02, rise: 0.26, hold: 0.02, fall: 0.34 };
        let fighter = &mut self.fighter;
        fighter.push(Channel::ChestTurn, gathers, 0.40 * aside * power);
        fighter.push(Channel::HipTurn, gathers.earlier(0.03), 0.18 * aside * power);
        fighter.push(Channel::Ahead, drives.earlier(0.03), 0.08 * power);
        fighter.push(Channel::ChestTurn, drives, (0.12 - 0.18 * aside) * power);
        fighter.push(Channel::Crouch, drives.earlier(0.03), 0.035 * power);
        fighter.push(Channel::Bow, drives, 0.07 * power);
        fighter.note(Annotation::of("feint"), t, Some(broken), broken + 0.05);
        broken + 0.02
    }

    /// A long step with the arm and the sword stretched out ahead; returns when the feet are together again and the
    /// sword is in guard (s).
    pub fn lunge(&mut self, t: f32) -> f32 {
        let figure_scale = self.fighter.performer.figure().stature() / 1.75;
        let height = -0.10 + self.fighter.spread(0.05);
        let across = self.fighter.spread(0.05);
        let mut drawn = self.guard(Guard::Middle);
        drawn.wrist += Vec3::new(-0.03, 0.06, -0.10);
        drawn.blade = Vec3::new(0.04 + across, 0.22, 1.0).normalize_or(Vec3::Z);
        let draw = (0.24 * self.fighter.about(0.1)).max(1.3 * self.least_time(&drawn));
        let swing = 0.27 * self.fighter.about(0.06);
        let lifted = t.max(self.fighter.landed) + draw;
        let arrives = lifted + swing;
        self.track.rest([lifted - draw, lifted], 0.0, drawn);
        let out = Hold {
            wrist: Vec3::new(-0.09 + across, height, 0.63),
            elbow: Vec3::new(-0.6, -0.9, 0.0),
            blade: Vec3::new(0.05 + across, 0.16, 1.0).normalize_or(Vec3::Z),
        };
        self.track.rest([lifted + 0.02, arrives], 0.0, out);

        let fighter = &mut self.fighter;
        let power = fighter.about(0.1);
        let length = 0.50 * power * figure_scale;
        let from = fighter.performer.path().last();
        let ahead = |z: f32| from.then(Placement { position: Ground { x: 0.0, z }, heading: 0.0 });
        let stay = 0.07 + 0.05 * fighter.about(0.5);
        let back = arrives + stay;
        // Out on the front foot; then the rear one comes up, or the front one goes back.
        let to = ahead(length);
        fighter.performer.glide(lifted - 0.06, arrives + 0.04, ahead(0.62 * length));
        fighter.plant(Side::Right, to, arrives, swing, 0.07);
        let (swing, lift) = (0.26 * fighter.about(0.08), 0.05);
        let together = back + swing;
        if fighter.spread(1.0) > 0.0 {
            fighter.performer.glide(back - 0.04, together + 0.1, to);
            fighter.plant(Side::Left, to, together, swing, lift);
        } else {
            fighter.performer.glide(back - 0.04, together + 0.1, from);
            fighter.plant(Side::Right, from, together, swing, lift);
        }
        let shape = Push { peak: arrives, rise: swing + 0.08, hold: stay, fall: 0.34 };
        fighter.push(Channel::Crouch, shape.earlier(0.02), 0.15 * power);
        fighter.push(Channel::Ahead, shape.earlier(0.02), 0.10 * power);
        fighter.push(Channel::Bow, shape, 0.16 * power);
        fighter.push(Channel::HipTurn, shape.earlier(0.05), 0.20 * power);
        fighter.push(Channel::ChestTurn, shape.earlier(0.02), 0.42 * power);
        let (heel, _) = foot_channels(Side::Left);
        fighter.push(heel, shape.earlier(0.04), 0.25 * power);
        self.balance(arrives, back, 1.1);
        let end = self.recover(Guard::Middle, back, 0.42);
        let fighter = &mut self.fighter;
        fighter.landed = together;
        fighter.note(Annotation::of("lunge"), lifted - 0.5 * draw, Some(arrives), together);
        end.max(together)
    }
}
