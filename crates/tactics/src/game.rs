//! A stage as a game: who may do what, what comes of it, and what it is worth.

use randori_arena::bodies::Doing;
use randori_arena::objectives::Judge;
use randori_arena::plausible::{Choice, penetrates, sketch};
use randori_arena::stage::{Moment, Outcome, Stage};
use randori_gametree::{Bounds, Edge, Player, Promise, World};

/// A stage seen by one side.
#[derive(Clone, Copy, Debug)]
pub struct Game<'a> {
    /// Who is on it.
    pub stage: &'a Stage,
    /// What everybody is after.
    pub judge: &'a Judge,
    /// The side that plans.
    pub side: u8,
}

impl World for Game<'_> {
    type State = Moment;
    type Choice = Choice;

    fn turn(&self, moment: &Moment) -> Option<Player> {
        let who = self.stage.turn(moment)?;
        Some(if self.stage.cast[who].side == self.side { Player::Max } else { Player::Min })
    }

    fn choices(&self, moment: &Moment, out: &mut Vec<Choice>) {
        let Some(who) = self.stage.turn(moment) else { return };
        let aims = self.judge.aims(who);
        sketch(self.stage, moment, who, (&aims.plausibility, aims.opponent), out);
    }

    fn play(&self, moment: &Moment, choice: Choice) -> (Moment, Edge) {
        let Some((who, doing)) = self.begun(moment, choice) else { return (moment.clone(), NO_CHOICE) };
        let outcome = self.stage.perform(moment, who, doing);
        let edge = self.worth(moment, who, &doing, &outcome);
        (outcome.next, edge)
    }

    fn play_last(&self, moment: &Moment, choice: Choice) -> Edge {
        let Some((who, doing)) = self.begun(moment, choice) else { return NO_CHOICE };
        // How somebody reacts is half of the work, and matters to nobody who does not look any further.
        let outcome = if self.stage.cast.len() == 2 && !self.judge.minds_reactions() {
            self.stage.glimpse(moment, who, doing)
        } else {
            self.stage.perform(moment, who, doing)
        };
        self.worth(moment, who, &doing, &outcome)
    }

    fn promising(&self, moment: &Moment, above: f64, out: &mut Vec<Promise<Choice>>) -> bool {
        let Some(who) = self.stage.turn(moment) else { return false };
        let tell = |choice: Choice, rank: u32, most: f64| out.push(Promise { choice, rank, most });
        self.judge.promising(self.stage, moment, who, above, tell)
    }

    fn prospects(&self, moment: &Moment, choices: &[Choice], left: u8, out: &mut Vec<f64>) -> bool {
        let Some(who) = self.stage.turn(moment).filter(|_| left == 2) else { return false };
        let actions = choices.iter().map(|choice| choice.action);
        self.judge.prospects(self.stage, moment, who, actions, out)
    }

    fn offers(&self, moment: &Moment, choice: Choice) -> Option<(Choice, u32)> {
        let who = self.stage.turn(moment)?;
        let rank = self.judge.offers(self.stage, moment, who, choice.action)?;
        // Whether bodies get into each other is another question in every moment.
        Some((Choice { is_certain: false, ..choice }, rank))
    }

    fn setting(&self, moment: &Moment) -> u32 {
        let Some(who) = self.stage.turn(moment) else { return 0 };
        self.stage.cast[who].bodies.of_action(moment.people[who].doing.action).to
    }

    fn habit(&self, moment: &Moment, choices: &[Choice], out: &mut Vec<f64>) -> bool {
        let Some(who) = self.stage.turn(moment) else { return false };
        out.extend(choices.iter().map(|choice| self.judge.habit(who, choice.action)));
        true
    }

    fn bounds(&self, moment: &Moment, left: u8) -> Bounds {
        Bounds { coop: self.judge.cooperation(self.stage, moment, left), ..Bounds::ZERO_SUM }
    }
}

/// A choice that turned out to be none.
const NO_CHOICE: Edge = Edge { comp: f64::NAN, coop: f64::NAN };

impl Game<'_> {
    /// Whoever chooses, and the choice under way; `None` if it gets the body too deep into another.
    fn begun(&self, moment: &Moment, choice: Choice) -> Option<(usize, Doing)> {
        let who = self.stage.turn(moment)?;
        let doing = self.stage.begin(moment, who, choice.action);
        let limits = &self.judge.aims(who).plausibility;
        let is_none = !choice.is_certain && penetrates(self.stage, moment, (who, &doing), limits);
        (!is_none).then_some((who, doing))
    }

    fn worth(&self, moment: &Moment, who: usize, doing: &Doing, outcome: &Outcome) -> Edge {
        let terms = self.judge.terms(self.stage, moment, who, doing, outcome);
        Edge { comp: terms.competitive(), coop: terms.cooperative() }
    }
}
