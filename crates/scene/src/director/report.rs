//! What there is to say about a scene in numbers.

use randori_arena::bout::{Bout, Happening};
use randori_arena::hits::{Hit, Part};
use randori_motion::annotation::Kind;
use serde::Serialize;

use super::patchwork::PatchReport;
use super::rivalry::RivalReport;
use crate::refine;
use crate::screenplay::{Camera, Role, Screenplay};

/// A scene in numbers.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The scene.
    pub name: String,
    /// Of everything drawn at random.
    pub seed: u64,
    /// How long it lasted (s).
    pub seconds: f64,
    /// Decisions taken.
    pub decisions: u32,
    /// Decisions per second of planning, if somebody told the time (1/s).
    pub decisions_per_second: Option<f64>,
    /// Everybody.
    pub characters: Vec<CharacterReport>,
    /// What it was made of, if it was put together from interaction patches.
    pub patches: Option<PatchReport>,
    /// What two rivals did, if it was a game between them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rivals: Option<RivalReport>,
    /// What refinement changed, if it was done.
    pub refinement: Option<refine::Report>,
    /// When (s) the story turned to which other camera, in order of time.
    #[serde(skip)]
    pub cuts: Vec<(f64, Camera)>,
}

/// One of the people in numbers.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CharacterReport {
    /// Who.
    pub name: String,
    /// Who decided.
    pub controller: String,
    /// Blows that met somebody, by what they met.
    pub hits_given: PartCounts,
    /// Blows taken, by what was met.
    pub hits_taken: PartCounts,
    /// Sum of speed (m/s) times vulnerability of blows given.
    pub damage_given: f64,
    /// The same of blows taken.
    pub damage_taken: f64,
    /// Attacks chosen.
    pub attacks: u32,
    /// Defences chosen.
    pub defences: u32,
    /// Times knocked down.
    pub knock_downs: u32,
    /// Decisions taken.
    pub decisions: u32,
    /// Distance to the opponent, averaged over the time for which both were there and on their feet (m).
    pub mean_distance: f64,
    /// For how long that was (s).
    #[serde(skip)]
    apart_for: f64,
    /// Choices that the graph allowed, on average.
    pub choices_before: f64,
    /// Choices left by the criteria of plausibility, on average.
    pub choices_after: f64,
    /// Actions simulated.
    pub edges: u64,
    /// Time spent on decisions, if somebody told the time (s).
    pub planning_seconds: f64,
    /// Checkpoints done with.
    pub checkpoints: Vec<CheckpointReport>,
    /// Checkpoints not done with at the end.
    pub checkpoints_left: u32,
}

/// Blows by what they met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PartCounts {
    /// Head and neck.
    pub head: u32,
    /// Trunk.
    pub torso: u32,
    /// Arms and legs: these were stopped.
    pub limbs: u32,
}

/// A checkpoint that was done with.
#[derive(Clone, Debug, Serialize)]
pub struct CheckpointReport {
    /// Which, from 1.
    pub number: u32,
    /// When it was asked for (s).
    pub time: Option<f64>,
    /// When it was first reached (s); none for one that was missed.
    pub reached: Option<f64>,
    /// When it was done with (s).
    pub done: f64,
    /// The nearest that somebody came to it around its time (m).
    pub error: f32,
    /// How much too late it was reached (s), if it was and had a time.
    pub late: Option<f64>,
}

impl PartCounts {
    fn count(&mut self, part: Part) {
        match part {
            Part::Head => self.head += 1,
            Part::Torso => self.torso += 1,
            Part::Limb => self.limbs += 1,
        }
    }

    /// Those that hurt.
    pub fn hurting(&self) -> u32 {
        self.head + self.torso
    }
}

impl Report {
    pub(super) fn of(scene: &Screenplay, roles: &[Role]) -> Report {
        let character = |role: &Role| CharacterReport {
            name: role.name.clone(),
            controller: role.controller.to_string(),
            ..CharacterReport::default()
        };
        Report {
            name: scene.name.clone(),
            seed: scene.seed,
            seconds: 0.0,
            decisions: 0,
            decisions_per_second: None,
            characters: roles.iter().map(character).collect(),
            patches: None,
            rivals: None,
            refinement: None,
            cuts: Vec::new(),
        }
    }

    /// Counts something that happened; sums become means in [`Report::close`].
    pub(super) fn note(&mut self, bout: &Bout, happening: &Happening) {
        match happening {
            Happening::Decided { who, verdict, .. } => {
                self.decisions += 1;
                let kind = bout.stage.cast[*who].bodies.of_action(verdict.action).kind;
                let character = &mut self.characters[*who];
                character.decisions += 1;
                character.attacks += u32::from(kind == Kind::Attack);
                character.defences += u32::from(kind == Kind::Defence);
                character.choices_before += f64::from(verdict.screening.options);
                character.choices_after += f64::from(verdict.screening.left);
                character.edges += verdict.edges;
            }
            Happening::Landed(landed) => {
                self.landed(landed.who as usize, landed.whom as usize, &landed.hit);
                let taker = &mut self.characters[landed.whom as usize];
                taker.knock_downs += u32::from(landed.answer.is_some_and(|answer| answer.falls));
            }
        }
    }

    /// Counts a blow that met something.
    pub(super) fn landed(&mut self, who: usize, whom: usize, hit: &Hit) {
        let (part, damage) = (hit.part(), f64::from(hit.damage()));
        let giver = &mut self.characters[who];
        giver.hits_given.count(part);
        giver.damage_given += damage;
        let taker = &mut self.characters[whom];
        taker.hits_taken.count(part);
        taker.damage_taken += damage;
    }

    /// Sees where everybody is, who has been about there for some time (s).
    pub(super) fn watch(&mut self, bout: &Bout, elapsed: f64) {
        let moment = &bout.moment;
        let stands = |who: usize| {
            let person = &moment.people[who];
            person.is_present && !bout.stage.cast[who].bodies.of_action(person.doing.action).is_fall
        };
        let place = |who: usize| bout.stage.position(moment, who, moment.tick);
        for (who, character) in self.characters.iter_mut().enumerate() {
            let opponent = bout.aims[who].opponent;
            if opponent != who && stands(who) && stands(opponent) {
                character.mean_distance += elapsed * f64::from(place(who).distance(place(opponent)));
                character.apart_for += elapsed;
            }
        }
    }

    pub(super) fn close(&mut self, seconds: f64) {
        self.seconds = seconds;
        let planning: f64 = self.characters.iter().map(|character| character.planning_seconds).sum();
        self.decisions_per_second = (planning > 0.0).then(|| f64::from(self.decisions) / planning);
        for character in &mut self.characters {
            let n = f64::from(character.decisions.max(1));
            if character.apart_for > 0.0 {
                character.mean_distance /= character.apart_for;
            }
            character.choices_before /= n;
            character.choices_after /= n;
        }
    }
}
