//! Two teams that choose their formations: everybody is asked for a place in that of their team, and faces whoever of the
//! others is nearest.
//!
//! Reference: \[Shum2012\], section IX. Formations are chosen by [`teams`](randori_tactics::teams); how people get to their
//! places, and what they do there, they plan themselves.

use randori_arena::objectives::Goal;
use randori_motion::{Event, EventKind, Ground};
use randori_tactics::teams::{Aim, Field, Plan, Range, Rules, Shape, Team};

use super::{Director, take};
use crate::screenplay::{Role, Teamwork};

/// What both teams were told.
#[derive(Clone, Debug)]
pub(super) struct Captains {
    rules: Rules,
    work: Teamwork,
    /// When each chooses again (ticks).
    until: [i32; 2],
    /// Everybody's place, by their place in the cast (m).
    places: Vec<Option<Ground>>,
}

impl Captains {
    pub(super) fn of(work: &Teamwork, roles: &[Role]) -> Captains {
        let first = roles.first().map(|role| role.team.as_str());
        let aims = [true, false].map(|is_first| {
            let mut own = roles.iter().filter(|role| (Some(role.team.as_str()) == first) == is_first);
            let chases = |role: &&Role| role.style.starts_with("chaser");
            let flees = |role: &&Role| role.style.starts_with("runaway");
            match own.find(|role| chases(role) || flees(role)) {
                Some(role) if chases(&role) => Aim::Catch,
                Some(_) => Aim::Escape,
                None => Aim::Outnumber,
            }
        });
        let rules = Rules { aims, spacing: work.spacing, reach: work.reach };
        Captains { rules, work: work.clone(), until: [0; 2], places: vec![None; roles.len()] }
    }
}

impl Director {
    /// Has each team choose its next formation whose last one is over, and tells everybody where to be.
    pub(super) fn lead(&mut self) {
        let Some(mut captains) = self.captains.take() else { return };
        let tick = self.bout.moment.tick;
        for side in [0, 1] {
            let depth = captains.work.depths[side];
            if captains.until[side] > tick || depth == 0 {
                continue;
            }
            let (mut field, people) = self.field(&captains);
            let Some(plan) = captains.rules.plan(&field, side, depth).choice else { continue };
            field.take_up(&captains.rules, side, plan);
            captains.until[side] = field.teams[side].until;
            for (who, place) in people[side].iter().zip(&field.teams[side].targets) {
                captains.places[*who] = Some(*place);
            }
            self.events.push(self.told(&people[side], plan));
        }
        for who in 0..self.roles.len() {
            let Some(position) = captains.places[who].filter(|_| self.roles[who].path.is_empty()) else {
                continue;
            };
            self.bout.aims[who].goal = Some(Goal { position, heading: None });
            if self.roles[who].opponent.is_none() {
                self.face_closest(who);
            }
        }
        self.captains = Some(captains);
    }

    /// Both teams as they are now, and who is who.
    fn field(&self, captains: &Captains) -> (Field, [Vec<usize>; 2]) {
        let (stage, moment) = (&self.bout.stage, &self.bout.moment);
        let people = [0, 1].map(|side: u8| {
            let is_one = |who: &usize| {
                let is_there = moment.people[*who].is_present && !self.story.is_down_for_good(*who);
                stage.cast[*who].side == side && is_there
            };
            (0..self.roles.len()).filter(is_one).collect::<Vec<usize>>()
        });
        let team = |side: usize| {
            let place = |who: &usize| stage.position(moment, *who, moment.tick);
            let places: Vec<Ground> = people[side].iter().map(place).collect();
            let targets = people[side].iter().zip(&places);
            Team {
                targets: targets.map(|(who, here)| captains.places[*who].unwrap_or(*here)).collect(),
                places,
                speed: captains.work.speed,
                until: captains.until[side].max(moment.tick),
            }
        };
        (Field { tick: moment.tick, teams: [team(0), team(1)] }, people)
    }

    /// A team took up a formation.
    fn told(&self, people: &[usize], Plan { shape, range }: Plan) -> Event {
        let mut event = Event::new(self.now(), EventKind::Other("formation".to_owned()));
        event.who = people.first().map(|who| self.roles[*who].team.clone());
        let shape = match shape {
            Shape::Line => "line",
            Shape::Column => "column",
            Shape::Wedge => "wedge",
            Shape::Pincer => "pincer",
            Shape::Ring => "ring",
        };
        let range = match range {
            Range::Close => "close",
            Range::Keep => "keep",
            Range::Back => "back",
        };
        take::insert(&mut event, "shape", shape.into());
        take::insert(&mut event, "range", range.into());
        event
    }
}
