//! Whole bodies in contact, in real time, while the user moves their targets.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use randori_motion::FrameRate;
use randori_wholebody::scenario::{Input, InputKind, NAMES, Options, Recorder, Scenario, Value as Setting};
use serde_json::{Value, json};

use crate::clock;
use crate::film::Film;
use crate::frames;

/// What reaches a scenario from outside.
pub(crate) enum Heard<O> {
    Set(String, Setting),
    Other(O),
    Nothing,
}

/// Where a scenario is shown.
pub(crate) trait Onlookers<O> {
    fn sort(&mut self, order: O) -> Heard<O>;
    fn show(&mut self, frame: Vec<u8>);
    fn tell_take(&mut self, take: Value);
    fn tell_state(&mut self, state: Value);
    fn complain(&mut self, words: String);
}

/// Names of the scenarios.
pub(crate) fn names() -> &'static [&'static str] {
    &NAMES
}

/// The scenario of a name.
pub(crate) fn build(name: &str) -> Result<Scenario, String> {
    Scenario::build(name, &Options::default()).map_err(|error| error.to_string())
}

/// Runs a scenario until something else is asked for, which is handed back; `None` when nobody is there any more.
pub(crate) fn run<O>(
    mut scenario: Scenario,
    orders: &Receiver<O>,
    onlookers: &mut dyn Onlookers<O>,
    version: u32,
) -> Option<O> {
    /// Between two pictures.
    const FRAME: Duration = Duration::from_micros(16_667);
    /// Pictures between two reports on how things stand.
    const REPORT: u32 = 6;
    // At a rate so low that there is never a second frame, a recorder takes down how things are now.
    let rate = FrameRate::new(1, 1000)?;
    let blank = Recorder::new(&scenario, rate);
    let mut told = false;
    let mut due = clock::now() + FRAME;
    let mut pictures = 0;
    loop {
        match orders.recv_timeout(due.saturating_duration_since(clock::now())) {
            Ok(order) => {
                match onlookers.sort(order) {
                    Heard::Set(name, value) => {
                        if let Err(error) = scenario.set(&name, value) {
                            onlookers.complain(error.to_string());
                        }
                    }
                    Heard::Other(order) => return Some(order),
                    Heard::Nothing => {}
                }
                continue;
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return None,
        }
        let start = clock::now();
        due += FRAME;
        if start > due + 6 * FRAME {
            due = start + FRAME;
        }
        // As much time as has passed; where that cannot be had, it goes slowly.
        let until = scenario.world().time + FRAME.as_secs_f64();
        while scenario.world().time < until && clock::now() < start + FRAME {
            scenario.step();
        }
        let mut recorder = blank.clone();
        recorder.look(&scenario);
        let take = match recorder.take(&scenario, 0) {
            Ok(take) => take,
            Err(error) => {
                onlookers.complain(error.to_string());
                continue;
            }
        };
        let film = Film::new(take.into(), version, 0.0, false);
        if !told {
            told = true;
            let mut take = film.told(0);
            (take["live"], take["done"]) = (true.into(), true.into());
            onlookers.tell_take(take);
        }
        let mut frame = film.frame(0, 0.0);
        frames::set_time(&mut frame, scenario.world().time);
        onlookers.show(frame);
        pictures += 1;
        if pictures % REPORT == 1 {
            onlookers.tell_state(state(&scenario));
        }
    }
}

/// How things stand.
fn state(scenario: &Scenario) -> Value {
    let inputs: Vec<Value> = scenario.inputs().iter().map(input).collect();
    let results = scenario.results().into_iter().map(|(name, value)| json!([name, value]));
    json!({
        "scenario": scenario.name(), "t": scenario.world().time, "seconds": scenario.seconds(), "inputs": inputs,
        "trouble": scenario.trouble(), "infeasible": scenario.infeasible_steps(),
        "results": results.collect::<Vec<Value>>(),
    })
}

fn input(input: &Input) -> Value {
    let (kind, low, high, unit) = match input.kind {
        InputKind::Number { range: [low, high], unit } => ("number", json!(low), json!(high), unit),
        InputKind::Point { low, high } => ("point", json!(low), json!(high), "m"),
    };
    json!({ "name": input.name, "kind": kind, "low": low, "high": high, "unit": unit, "value": input.value,
        "scripted": input.scripted })
}

/// A value as a viewer sends it: a number, or three.
pub(crate) fn setting(value: &Value) -> Result<Setting, String> {
    let number = |value: &Value| value.as_f64().filter(|number| number.is_finite());
    if let Some(value) = number(value) {
        return Ok(Setting::Number(value));
    }
    let point: Option<Vec<f64>> = value.as_array().and_then(|list| list.iter().map(number).collect());
    match point.as_deref() {
        Some([x, y, z]) => Ok(Setting::Point([*x, *y, *z])),
        _ => Err(format!("expected a number or three, found {value}")),
    }
}
