//! Progress of long work: bars for people, lines of JSON for programs, both on stderr.

use std::sync::Mutex;

use indicatif::{ProgressBar, ProgressStyle};

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProgressMode {
    Bars,
    Ndjson,
    Silent,
}

/// Shows the progress of one job after another.
pub(crate) struct Progress {
    mode: ProgressMode,
}

impl Progress {
    pub(crate) fn new(mode: ProgressMode) -> Progress {
        Progress { mode }
    }

    /// Tells something on stderr: as it is, or as a line of JSON where programs listen.
    #[expect(clippy::print_stderr, reason = "this is where notes are told")]
    pub(crate) fn note(&self, note: &str) {
        match self.mode {
            ProgressMode::Ndjson => eprintln!("{}", serde_json::json!({ "note": note })),
            ProgressMode::Bars | ProgressMode::Silent => eprintln!("{note}"),
        }
    }

    /// Begins a job.
    pub(crate) fn job(&self, what: &'static str) -> Job {
        let bar = match self.mode {
            ProgressMode::Bars => ProgressBar::new(0),
            ProgressMode::Ndjson | ProgressMode::Silent => ProgressBar::hidden(),
        };
        let style = ProgressStyle::with_template("{msg:>12} {bar:32} {pos}/{len} {eta}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_message(what);
        Job { what, bar, ndjson: self.mode == ProgressMode::Ndjson, percent_told: Mutex::new(None) }
    }
}

/// One job under way; done when dropped.
pub(crate) struct Job {
    what: &'static str,
    bar: ProgressBar,
    ndjson: bool,
    percent_told: Mutex<Option<usize>>,
}

impl Job {
    /// Tells that `done` of `total` steps are done. Steps may arrive in any order from any thread.
    pub(crate) fn step(&self, done: usize, total: usize) {
        self.bar.set_length(total as u64);
        self.bar.set_position(done as u64);
        if !self.ndjson {
            return;
        }
        // A line per percent at most, and never backwards.
        let percent = 100 * done / total.max(1);
        let mut told = self.percent_told.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if told.is_none_or(|told| percent > told) {
            *told = Some(percent);
            let line = serde_json::json!({ "job": self.what, "done": done, "total": total });
            #[expect(clippy::print_stderr, reason = "progress goes to stderr")]
            {
                eprintln!("{line}");
            }
        }
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
