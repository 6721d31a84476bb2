//! A rival that thinks ahead of its time: while its action lasts, a thread works out what comes after it.
//!
//! It assumes that everybody goes on as they do, and looks one choice farther each time, as long as there is time. When
//! the action is over, the deepest answer that is there is taken. If the player did something else meanwhile, it is asked
//! again; an answer to the older question will do if nothing better is there, as long as it is possible at all.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use randori_arena::bout::Excerpt;
use randori_arena::controller::{Controller, Verdict};
use randori_arena::stage::Stage;
use randori_gametree::Settings;
use randori_tactics::Planner;

use crate::clock;

/// The rival's thread.
pub(crate) struct Foresight {
    desk: Arc<Desk>,
}

struct Desk {
    papers: Mutex<Papers>,
    wake: Condvar,
}

#[derive(Default)]
struct Papers {
    question: Option<Question>,
    answer: Option<Answer>,
    is_over: bool,
}

struct Question {
    excerpt: Excerpt,
    depth: u8,
    due: Instant,
}

/// What was thought of so far.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) verdict: Verdict,
    /// How far it was looked ahead.
    pub(crate) depth: u8,
}

impl Foresight {
    pub(crate) fn new() -> Foresight {
        let desk = Arc::new(Desk { papers: Mutex::new(Papers::default()), wake: Condvar::new() });
        let own = Arc::clone(&desk);
        // Without a thread nothing is thought of ahead, and the rival decides when it has to.
        std::thread::Builder::new().name("foresight".to_owned()).spawn(move || own.work()).ok();
        Foresight { desk }
    }

    /// Asks what the first of an excerpt is to do when its action is over.
    pub(crate) fn ask(&self, excerpt: Excerpt, depth: u8, due: Instant) {
        let mut papers = self.desk.lock();
        papers.question = Some(Question { excerpt, depth, due });
        drop(papers);
        self.desk.wake.notify_one();
    }

    /// What was thought of last, whatever it was about.
    pub(crate) fn answer(&self) -> Option<Answer> {
        self.desk.lock().answer.clone()
    }

    /// What was thought of before is about something else.
    pub(crate) fn forget(&self) {
        let mut papers = self.desk.lock();
        (papers.question, papers.answer) = (None, None);
    }
}

impl Drop for Foresight {
    fn drop(&mut self) {
        self.desk.lock().is_over = true;
        self.desk.wake.notify_one();
    }
}

impl Desk {
    fn lock(&self) -> MutexGuard<'_, Papers> {
        self.papers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) {
        loop {
            let mut papers = self.lock();
            while papers.question.is_none() && !papers.is_over {
                papers = self.wake.wait(papers).unwrap_or_else(PoisonError::into_inner);
            }
            if papers.is_over {
                return;
            }
            let Some(question) = papers.question.take() else { continue };
            drop(papers);
            self.think(&question);
        }
    }

    /// Looks farther and farther ahead, until it is time or somebody asks something else.
    fn think(&self, question: &Question) {
        /// How much longer one choice farther takes, if nothing is known of it.
        const USUAL: f64 = 6.0;
        let mut took: Option<Duration> = None;
        let mut growth = USUAL;
        for depth in 1..=question.depth {
            let start = clock::now();
            if let Some(took) = took
                && start + took.mul_f64(growth) > question.due
            {
                return;
            }
            let settings = Settings { depth, ..Settings::default() };
            let verdict = Planner::new(settings).decide(&question.excerpt.situation(false));
            let mut papers = self.lock();
            if papers.question.is_some() || papers.is_over {
                return;
            }
            if let Some(verdict) = verdict {
                papers.answer = Some(Answer { verdict, depth });
            }
            drop(papers);
            let now = clock::now() - start;
            if let Some(before) = took.filter(|before| *before > Duration::from_micros(200)) {
                growth = (now.as_secs_f64() / before.as_secs_f64()).clamp(2.0, 20.0);
            }
            took = Some(now);
        }
    }
}

/// The excerpt as it will be when the first one's action is over, if everybody goes on and whoever is done waits.
pub(crate) fn foreseen(mut excerpt: Excerpt) -> Excerpt {
    /// Longer than any action (ticks).
    const LONGEST: i32 = 600;
    let Excerpt { stage, moment, .. } = &mut excerpt;
    let last = moment.tick + LONGEST;
    while moment.tick < last {
        match stage.turn(moment) {
            Some(0) => break,
            Some(other) => moment.people[other].doing.start += 1,
            None => {
                let before = moment.tick;
                Stage::run(stage, moment, last);
                if moment.tick == before && stage.turn(moment).is_none() {
                    break;
                }
            }
        }
    }
    excerpt
}
