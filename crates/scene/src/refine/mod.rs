//! Refinement: a planned take of several people made presentable.
//!
//! Planners put captured motions side by side: feet slide where motions were joined or turned, fists miss by a hand's
//! breadth what the plan says they hit, bodies stand a little inside each other. [`refine()`] mends that, in stages:
//!
//! 1. feet that stand are held where they stand, and what that changes is made good in the air;
//! 2. torsos and heads that are inside each other part: the hips of both give way, the feet stay;
//! 3. limbs that strike touch what they hit, at the moment they hit it; hips and back help an arm that is too short;
//! 4. arms, and legs that kick, leave the bodies they are in; a blow ends at the surface it meets;
//! 5. if asked for, bodies that are struck or bump into something give way as rigid bodies do, and find back.
//!
//! Every correction eases in and out, and no bone changes its length. After each stage the linter compares: where
//! anything of any kind got worse for a character, or an arm deeper in another, the corrections of that moment are taken back, and if that does
//! not help all of the stage's corrections of that character. So no take leaves worse than it came. What is good
//! enough is left alone, bit by bit.
//!
//! It does not choose motions or move events, and which reaction follows a blow is not its business.

mod blows;
mod cores;
mod feet;
mod figure;
mod gate;
mod geometry;
mod grid;
mod limbs;
mod ragdoll;
mod shape;

use std::ops::Range;

use randori_motion::{Clip, Take};
use rayon::prelude::*;
use serde::Serialize;

use crate::check::{Limits, Pair};
use crate::screenplay::Screenplay;
use blows::Strike;
use figure::{Change, Figure};
use gate::Verdict;
use grid::Grid;
use limbs::Arms;

/// What to mend, and how far to go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Hold feet that stand. Default true.
    pub feet: bool,
    /// Part torsos and heads. Default true.
    pub bodies: bool,
    /// Make blows touch. Default true.
    pub blows: bool,
    /// Push limbs out of others. Default true.
    pub limbs: bool,
    /// Let those who are struck give way as rigid bodies. Default false: most takes have other answers to blows already.
    pub ragdoll: bool,
    /// How long after it was struck a body is back in its motion (s). Default 0.9.
    pub ragdoll_seconds: f64,
    /// How often characters are looked at together, and the linter looks (1/s). Default 60.
    pub fps: f64,
    /// The farthest that hips give way to another body (m). Default 0.15.
    pub farthest_shift: f32,
    /// The farthest that a limb is pushed out of another body (m). Default 0.2.
    pub farthest_push: f32,
    /// How long before and after a blow the limb leaves its own way (s). Default 0.12.
    pub blow_window: f64,
    /// The limits within which the linter compares. Default [`Limits::default`].
    pub limits: Limits,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            feet: true,
            bodies: true,
            blows: true,
            limbs: true,
            ragdoll: false,
            ragdoll_seconds: 0.9,
            fps: 60.0,
            farthest_shift: 0.15,
            farthest_push: 0.2,
            blow_window: 0.12,
            limits: Limits::default(),
        }
    }
}

impl Settings {
    /// What a scene asks for.
    pub fn of(scene: &Screenplay) -> Settings {
        Settings { ragdoll: scene.refinement.ragdoll, ..Settings::default() }
    }
}

/// One kind of correction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Feet held.
    Feet,
    /// Torsos and heads parted.
    Bodies,
    /// Blows led to what they hit.
    Blows,
    /// Limbs pushed out of others.
    Limbs,
    /// Struck bodies that give way.
    Ragdoll,
}

/// What was done, and what is left.
#[derive(Clone, Debug, PartialEq, Default, Serialize)]
pub struct Report {
    /// One entry per character; none if the take could not be looked at.
    pub characters: Vec<CharacterReport>,
    /// Every blow between two characters who are there.
    pub blows: Vec<BlowReport>,
    /// Pairs of characters that came near each other, by the linter.
    pub pairs: Vec<PairReport>,
    /// Struck bodies that were simulated, in order of who and when; none unless asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub responses: Vec<ResponseReport>,
    /// What was taken back because the linter found it worse.
    pub reverted: Vec<Reverted>,
    /// How many things the linter found before and after (-).
    pub findings: [usize; 2],
}

/// What was done to one character.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CharacterReport {
    /// Its name.
    pub name: String,
    /// Stands of a foot that were held.
    pub feet_held: usize,
    /// The longest slide of a foot in one contact, before and after (cm), by the linter.
    pub foot_slide_cm: [f64; 2],
    /// The worse foot's skate, before and after (cm/s), by the linter.
    pub skate_cm_per_s: [f64; 2],
    /// The farthest its hips gave way (cm).
    pub hips_shift_cm: f64,
    /// The farthest a hand was led from its way (cm).
    pub hand_shift_cm: f64,
    /// Its highest acceleration, before and after (m/s²), by the linter.
    pub peak_acceleration_m_s2: [f64; 2],
}

/// How one blow meets what it hits.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BlowReport {
    /// When (s).
    pub t: f64,
    /// Who strikes.
    pub who: String,
    /// Who is struck.
    pub whom: String,
    /// From the surface of the striking bone's capsule to the nearest of the other's, before and after (cm); negative
    /// inside.
    pub gap_cm: [f64; 2],
}

/// How one body gave way to a blow or a bump, or several soon after each other.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ResponseReport {
    /// When it was struck first (s).
    pub t: f64,
    /// Who is struck.
    pub whom: String,
    /// The character or prop that strikes first.
    pub by: String,
    /// How many blows and bumps.
    pub collisions: usize,
    /// Of the hardest (N s).
    pub impulse_n_s: f64,
    /// The farthest that any part of the body is from its motion (cm).
    pub farthest_cm: f64,
    /// Whether it is in the take: not if the linter found anything worse with it, or a blow missed.
    pub kept: bool,
}

/// How deep two characters are inside each other.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairReport {
    /// Their names.
    pub pair: [String; 2],
    /// Torsos and heads at their deepest, before and after (cm).
    pub core_penetration_cm: [f64; 2],
    /// Share of all frames with torsos or heads deeper than 3 cm in each other, before and after (%).
    pub frames_core_deeper_3cm_percent: [f64; 2],
    /// Any parts at their deepest, before and after (cm).
    pub limb_penetration_cm: [f64; 2],
    /// How long an arm was deeper than 3 cm in the other, before and after (s).
    pub seconds_arms_inside: [f64; 2],
}

/// Corrections that were taken back.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reverted {
    /// The character.
    pub who: String,
    /// Which corrections.
    pub stage: Stage,
    /// From when to when (s); all of them if none.
    pub seconds: Option<[f64; 2]>,
}

/// Mends a take and says what was done.
///
/// A take that is not valid, or too long for the linter, is left as it is, with an empty report.
///
/// ```
/// use std::sync::Arc;
/// use randori_motion::{Build, Character, Clip, FrameRate, Take};
/// use randori_scene::refine::{Settings, refine};
/// // Someone in a T-pose glides along at 0.3 m/s.
/// let body = Arc::new(Build::AVERAGE.body());
/// let poses = (0..120).map(|frame| {
///     let mut pose = body.skeleton.rest_pose();
///     pose.translations[0] += glam::Vec3::new(0.0, -0.03, 0.005 * frame as f32);
///     pose
/// });
/// let clip = Clip::from_poses("glide", Arc::clone(&body.skeleton), FrameRate::HOUSE, poses)?;
/// let mut take = Take::new("glide", 1);
/// take.characters.push(Character { name: "ann".into(), color: [0.5; 3], body, enter: 0.0, clip });
/// let report = refine(&mut take, &Settings::default());
/// let [before, after] = report.characters[0].skate_cm_per_s;
/// assert!(before > 29.0 && after < 0.5 * before);
/// # Ok::<(), randori_motion::clip::ClipError>(())
/// ```
pub fn refine(take: &mut Take, settings: &Settings) -> Report {
    if take.validate().is_err() {
        return Report::default();
    }
    let Some(raw) = Verdict::of(take, settings.fps, &settings.limits) else { return Report::default() };
    let raw_pairs = gate::pairs(take, settings.fps, &settings.limits);
    let raw_arms = Arms::of(take, settings.fps);
    let strikes = blows::strikes(take);
    let gaps: Vec<f32> = strikes.iter().map(|strike| blows::gap(&take.characters, strike)).collect();
    let mut work = Work {
        figures: take.characters.iter().map(Figure::of).collect(),
        strikes,
        settings,
        verdict: raw.clone(),
        done: vec![Done::default(); take.characters.len()],
        reverted: Vec::new(),
        responses: Vec::new(),
    };
    if settings.feet {
        work.stage(take, Stage::Feet, settings.blow_window);
    }
    if settings.bodies {
        work.stage(take, Stage::Bodies, settings.blow_window);
    }
    if settings.blows {
        // Twice, for hips that had to give way to a leg did not help the arm as far as they should.
        work.stage(take, Stage::Blows, settings.blow_window);
        work.stage(take, Stage::Blows, settings.blow_window);
    }
    if settings.limbs {
        work.stage(take, Stage::Limbs, settings.blow_window);
    }
    if settings.blows {
        work.retouch(take);
    }
    if settings.ragdoll {
        work.respond(take);
    }
    work.report(take, &raw, &gaps, (&raw_pairs, &raw_arms))
}

/// Times at which one character is not to be changed.
#[derive(Clone, Debug, Default)]
struct Ban {
    spans: Vec<Range<f64>>,
    all: bool,
}

impl Ban {
    /// Whether any of these moments (s) is banned.
    fn meets(&self, span: Range<f64>) -> bool {
        self.all || self.spans.iter().any(|ban| ban.start <= span.end && span.start <= ban.end)
    }
}

/// How far one character was changed.
#[derive(Clone, Copy, Debug, Default)]
struct Done {
    feet_held: usize,
    hips: f32,
    hands: f32,
}

/// A take's refinement under way.
struct Work<'a> {
    figures: Vec<Figure>,
    strikes: Vec<Strike>,
    settings: &'a Settings,
    /// What the linter says of the take as it stands.
    verdict: Verdict,
    done: Vec<Done>,
    reverted: Vec<Reverted>,
    responses: Vec<ResponseReport>,
}

/// What a stage would make of a take: a clip for each character that it changes, and what was done to them.
type Proposal = (Vec<Option<Clip>>, Vec<Option<Plan>>);

impl Work<'_> {
    /// What holds limbs back or throws bodies off may pull a blow off by a little; it is led back within the shortest
    /// time that the linter accepts.
    fn retouch(&mut self, take: &mut Take) {
        /// Shares of a blow's window.
        const RETOUCH: [f64; 3] = [0.5, 1.0, 2.0];
        for share in RETOUCH {
            self.stage(take, Stage::Blows, share * self.settings.blow_window);
        }
    }

    /// Applies one stage of changes and keeps of it what the linter does not find worse.
    fn stage(&mut self, take: &mut Take, stage: Stage, blow_window: f64) {
        let bans = vec![Ban::default(); take.characters.len()];
        self.attempt(take, stage, bans, &|work, take, bans| {
            let plans = work.plan(take, stage, blow_window, bans);
            let clips = (plans.par_iter().zip(&work.figures).zip(&take.characters))
                .map(|((plan, figure), character)| figure.applied(&plan.as_ref()?.changes, &character.clip))
                .collect();
            (clips, plans)
        });
    }

    /// Lets struck bodies give way, and keeps what the linter does not find worse and no blow misses for.
    fn respond(&mut self, take: &mut Take) {
        /// How often responses for which a blow misses are taken back before all are.
        const ROUNDS: usize = 3;
        /// A blow that was off by less than this (m), or becomes no farther off than that, does not miss.
        const TOUCHES: f32 = 0.015;
        const SLACK: f32 = 0.002;
        let settings = self.settings;
        let seconds = settings.ragdoll_seconds;
        let before: Vec<Clip> = take.characters.iter().map(|character| character.clip.clone()).collect();
        let strikes = self.strikes.clone();
        let responses = ragdoll::responses(take, &self.figures, &strikes, seconds, settings.fps);
        let gaps = |take: &Take| -> Vec<f32> {
            strikes.iter().map(|strike| blows::gap(&take.characters, strike)).collect()
        };
        let raw_gaps = gaps(take);
        let (raw_verdict, raw_done) = (self.verdict.clone(), self.done.clone());
        let mut bans = vec![Ban::default(); take.characters.len()];
        let mut kept = vec![false; responses.len()];
        for _ in 0..ROUNDS {
            bans = self.attempt(take, Stage::Ragdoll, bans, &|_, take, bans| {
                let clips = (take.characters.par_iter().enumerate())
                    .map(|(who, character)| {
                        let mut mine = responses.iter().filter(|it| it.whom == who && it.is_allowed(bans));
                        let first = mine.next()?;
                        let mut poses: Vec<randori_motion::Pose> =
                            character.clip.frames().map(|pose| pose.to_pose()).collect();
                        std::iter::once(first).chain(mine).for_each(|it| it.write(&mut poses));
                        let clip = &character.clip;
                        Clip::from_poses(clip.name.clone(), clip.skeleton().clone(), clip.rate(), poses).ok()
                    })
                    .collect();
                (clips, Vec::new())
            });
            kept = responses.iter().map(|it| it.is_allowed(&bans)).collect();
            if settings.blows {
                self.retouch(take);
            }
            let missed: Vec<&Strike> = (strikes.iter().zip(raw_gaps.iter().zip(gaps(take))))
                .filter(|(_, (before, after))| *after > TOUCHES && *after > **before + SLACK)
                .map(|(strike, _)| strike)
                .collect();
            if missed.is_empty() {
                break;
            }
            let missed: Vec<(usize, f64)> =
                missed.into_iter().flat_map(|it| [(it.who, it.t), (it.whom, it.t)]).collect();
            // Where a blow misses though nobody there gave way, nothing can be taken back.
            let is_guilty = |(who, t): &(usize, f64)| {
                let mut shown = responses.iter().zip(&kept).filter(|(it, kept)| **kept && it.whom == *who);
                shown.any(|(it, _)| it.span.contains(t))
            };
            let guilty: Vec<(usize, f64)> = missed.into_iter().filter(is_guilty).collect();
            replaced(take, before.iter().cloned().map(Some).collect());
            (self.verdict, self.done) = (raw_verdict.clone(), raw_done.clone());
            kept = vec![false; responses.len()];
            if guilty.is_empty() {
                break;
            }
            for (who, t) in guilty {
                bans[who].spans.push(t..t);
            }
        }
        let report = |it: &ragdoll::Response, kept: &bool| ResponseReport {
            t: it.span.start,
            whom: take.characters[it.whom].name.clone(),
            by: it.by.clone(),
            collisions: it.n_collisions,
            impulse_n_s: f64::from(it.impulse),
            farthest_cm: 100.0 * f64::from(it.farthest),
            kept: *kept,
        };
        self.responses = responses.iter().zip(&kept).map(|(it, kept)| report(it, kept)).collect();
    }

    /// Applies what is proposed, and keeps of it what the linter does not find worse; what is banned by then.
    fn attempt(
        &mut self,
        take: &mut Take,
        stage: Stage,
        mut bans: Vec<Ban>,
        propose: &dyn Fn(&Self, &Take, &[Ban]) -> Proposal,
    ) -> Vec<Ban> {
        /// Rounds in which only moments are taken back; then whole characters.
        const GENTLE_ROUNDS: usize = 2;
        const ROUNDS: usize = 4;
        /// A correction reaches this far beyond what it mends (s).
        const AROUND: f64 = 0.3;
        // The linter does not judge arms inside others; these stages know better.
        let fps = self.settings.fps;
        let minds_arms = matches!(stage, Stage::Limbs | Stage::Ragdoll);
        let arms = |take: &Take| minds_arms.then(|| Arms::of(take, fps));
        let raw_arms = arms(take);
        for round in 0..ROUNDS {
            let (clips, plans) = propose(self, take, &bans);
            if clips.iter().all(Option::is_none) {
                return bans;
            }
            let has_changed: Vec<bool> = clips.iter().map(Option::is_some).collect();
            let previous = replaced(take, clips);
            let after = self.verdict.after(take, &has_changed);
            let mut worse = after.as_ref().map(|after| self.verdict.worse(after)).unwrap_or_default();
            if let (Some(before), Some(after)) = (&raw_arms, arms(take)) {
                worse.extend(before.worse(&after));
            }
            if let Some(after) = after.filter(|_| worse.is_empty()) {
                self.verdict = after;
                self.done.iter_mut().zip(&plans).for_each(|(done, plan)| done.add(plan.as_ref()));
                return bans;
            }
            replaced(take, previous);
            for (who, span) in worse {
                let span = span.start - AROUND..span.end + AROUND;
                let seconds = (round < GENTLE_ROUNDS).then_some([span.start.max(0.0), span.end]);
                if seconds.is_some() {
                    bans[who].spans.push(span);
                } else if std::mem::replace(&mut bans[who].all, true) {
                    continue;
                }
                let reverted = Reverted { who: take.characters[who].name.clone(), stage, seconds };
                if !self.reverted.contains(&reverted) {
                    self.reverted.push(reverted);
                }
            }
        }
        let everyone = take.characters.iter();
        self.reverted.extend(everyone.map(|it| Reverted { who: it.name.clone(), stage, seconds: None }));
        bans.iter_mut().for_each(|ban| ban.all = true);
        bans
    }

    fn plan(&self, take: &Take, stage: Stage, blow_window: f64, bans: &[Ban]) -> Vec<Option<Plan>> {
        let characters = &take.characters;
        let (figures, strikes, settings) = (&self.figures, &self.strikes, self.settings);
        let grid = || Grid::new(characters, settings.fps);
        let plans = match stage {
            Stage::Feet => {
                return (characters.par_iter().zip(figures).zip(bans))
                    .map(|((character, figure), ban)| {
                        let (changes, feet_held) = feet::plan(character, figure, &take.events, ban)?;
                        Some(Plan { changes, feet_held })
                    })
                    .collect();
            }
            Stage::Bodies => cores::plan(characters, figures, &grid(), settings.farthest_shift, bans),
            Stage::Blows => blows::plan(characters, figures, strikes, blow_window, bans),
            Stage::Limbs => limbs::plan(characters, figures, &grid(), strikes, settings.farthest_push, bans),
            // Bodies that give way are no small changes.
            Stage::Ragdoll => Vec::new(),
        };
        plans.into_iter().map(|changes| Some(Plan { changes: changes?, feet_held: 0 })).collect()
    }

    fn report(
        self,
        take: &Take,
        raw: &Verdict,
        gaps: &[f32],
        (raw_pairs, raw_arms): (&[Pair], &Arms),
    ) -> Report {
        let all_pairs = [raw_pairs, &gate::pairs(take, self.settings.fps, &self.settings.limits)];
        let all_arms = [raw_arms, &Arms::of(take, self.settings.fps)];
        let characters = (raw.characters().zip(self.verdict.characters()).zip(&self.done))
            .map(|((before, after), done)| {
                let both = [before, after];
                CharacterReport {
                    name: before.name.clone(),
                    feet_held: done.feet_held,
                    foot_slide_cm: both.map(|it| it.feet.foot_slide_cm_p50_p95_max.map_or(0.0, |it| it[2])),
                    skate_cm_per_s: both.map(|it| it.feet.skate_cm_per_s.iter().copied().fold(0.0, f64::max)),
                    hips_shift_cm: 100.0 * f64::from(done.hips),
                    hand_shift_cm: 100.0 * f64::from(done.hands),
                    peak_acceleration_m_s2: both.map(|it| it.body.peak_acceleration_m_s2),
                }
            })
            .collect();
        let blows = (self.strikes.iter().zip(gaps))
            .map(|(strike, before)| BlowReport {
                t: strike.t,
                who: take.characters[strike.who].name.clone(),
                whom: take.characters[strike.whom].name.clone(),
                gap_cm: [*before, blows::gap(&take.characters, strike)].map(|gap| 100.0 * f64::from(gap)),
            })
            .collect();
        Report {
            characters,
            blows,
            pairs: pairs(take, all_pairs, all_arms),
            responses: self.responses,
            findings: [raw, &self.verdict].map(Verdict::n_findings),
            reverted: self.reverted,
        }
    }
}

/// What a stage would do to one character.
struct Plan {
    changes: Vec<Change>,
    feet_held: usize,
}

impl Done {
    fn add(&mut self, plan: Option<&Plan>) {
        let Some(plan) = plan else { return };
        self.feet_held += plan.feet_held;
        for change in &plan.changes {
            self.hips = self.hips.max(change.hips.length());
            self.hands = change.hands.iter().map(|hand| hand.length()).fold(self.hands, f32::max);
        }
    }
}

/// Exchanges clips of characters; answers what they had.
fn replaced(take: &mut Take, clips: Vec<Option<Clip>>) -> Vec<Option<Clip>> {
    (take.characters.iter_mut().zip(clips))
        .map(|(character, clip)| clip.map(|clip| std::mem::replace(&mut character.clip, clip)))
        .collect()
}

/// Pairs before and after; a pair that is near only once is not at all inside the other time.
fn pairs(take: &Take, [before, after]: [&[Pair]; 2], arms: [&Arms; 2]) -> Vec<PairReport> {
    let find = |pairs: &[Pair], names: &[String; 2]| pairs.iter().find(|pair| pair.pair == *names).cloned();
    let new = after.iter().filter(|pair| find(before, &pair.pair).is_none());
    let place = |name: &String| take.characters.iter().position(|it| it.name == *name);
    (before.iter().chain(new))
        .map(|pair| {
            let both = [find(before, &pair.pair), find(after, &pair.pair)];
            let each = |of: fn(&Pair) -> f64| both.each_ref().map(|pair| pair.as_ref().map_or(0.0, of));
            let who = pair.pair.each_ref().map(place);
            PairReport {
                pair: pair.pair.clone(),
                core_penetration_cm: each(|pair| pair.core_penetration_cm_max),
                frames_core_deeper_3cm_percent: each(|pair| pair.frames_core_deeper_3cm_percent),
                limb_penetration_cm: each(|pair| pair.limb_penetration_cm_max),
                seconds_arms_inside: arms.map(|arms| arms.seconds_inside(who)),
            }
        })
        .collect()
}
