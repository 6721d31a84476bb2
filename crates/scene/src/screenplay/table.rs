//! Tables of a file, read by the [table of keys](super::keys): every value has its place, every mistake is noted.

use std::cell::RefCell;
use std::collections::BTreeMap;

use randori_arena::style::PRESETS;
use randori_motion::{Annotation, Ground};
use toml::de::{DeTable, DeValue};

use super::error::{Mistake, SceneError};
use super::keys::{FAR, Key, Section, Shape};
use super::role::Controller;

/// A file's text and what is known of it so far.
pub(super) struct Source<'a> {
    text: &'a str,
    /// By offset.
    mistakes: RefCell<Vec<(usize, Mistake)>>,
    /// Offsets of values by their paths, as `characters[1].path[0].time`.
    places: RefCell<BTreeMap<String, usize>>,
}

/// More are not told; the first ones say enough.
const MAX_MISTAKES: usize = 50;

impl<'a> Source<'a> {
    pub(super) fn new(text: &'a str) -> Source<'a> {
        Source { text, mistakes: RefCell::default(), places: RefCell::default() }
    }

    /// Notes a mistake at an offset of the text.
    pub(super) fn note(&self, at: usize, found: String, allowed: String, nearest: Option<String>) {
        let mut mistakes = self.mistakes.borrow_mut();
        if mistakes.len() < MAX_MISTAKES {
            let (line, column) = line_and_column(self.text.as_bytes(), at);
            mistakes.push((at, Mistake { line, column, found, allowed, nearest }));
        }
    }

    /// Notes a mistake at the value of this path, or at what holds it, if it is the first one there.
    pub(super) fn note_at(&self, path: &str, found: String, allowed: String, nearest: Option<String>) {
        let mut holder = path;
        let at = loop {
            if let Some(at) = self.places.borrow().get(holder) {
                break *at;
            }
            match holder.rfind(['.', '[']) {
                Some(end) => holder = &holder[..end],
                None => break 0,
            }
        };
        // One formation makes many people, who all have the same mistake.
        if self.mistakes.borrow().iter().all(|(other, _)| *other != at) {
            self.note(at, found, allowed, nearest);
        }
    }

    /// Nothing if all is well, otherwise the mistakes in the order of the file.
    pub(super) fn verdict(&self, file: &str) -> Result<(), SceneError> {
        let mut mistakes = self.mistakes.borrow_mut();
        if mistakes.is_empty() {
            return Ok(());
        }
        mistakes.sort_by_key(|(at, _)| *at);
        let mistakes = mistakes.drain(..).map(|(_, mistake)| mistake).collect();
        Err(SceneError { file: file.to_owned(), mistakes })
    }
}

/// Line and column of an offset, both counted from 1, the column in characters.
pub(super) fn line_and_column(text: &[u8], at: usize) -> (usize, usize) {
    let before = &text[..at.min(text.len())];
    let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    // Bytes that go on with a character begin with 10.
    let column = 1 + before[start..].iter().filter(|byte| **byte & 0xc0 != 0x80).count();
    (line, column)
}

/// A table with the keys that it may have.
pub(super) struct Table<'a> {
    source: &'a Source<'a>,
    /// What it describes.
    pub(super) section: &'static Section,
    entries: &'a DeTable<'a>,
    /// Its path with a dot, empty for the whole file.
    prefix: String,
}

impl<'a> Table<'a> {
    /// The table at `at`; notes keys that it may not have, and those that are missing.
    pub(super) fn new(
        source: &'a Source<'a>,
        section: &'static Section,
        entries: &'a DeTable<'a>,
        prefix: String,
        at: usize,
    ) -> Table<'a> {
        let names = || section.keys.iter().map(|key| key.name);
        for (key, _) in entries.iter() {
            let name: &str = key.get_ref().as_ref();
            if names().all(|known| known != name) {
                let found = format!("unknown key {} in {}", quoted(name), section.name);
                source.note(key.span().start, found, listed(names()), nearest(name, names()));
            }
        }
        for key in section.keys.iter().filter(|key| key.default.is_none()) {
            if !entries.contains_key(key.name) {
                let found = format!("{} has no {}", section.name, key.name);
                source.note(at, found, format!("{} = {}", key.name, key.shape.allowed()), None);
            }
        }
        Table { source, section, entries, prefix }
    }

    /// The value of a key, if it is there and of a type that it may have.
    pub(super) fn get(&self, name: &str) -> Option<Value<'a>> {
        let key: &'static Key = self.section.keys.iter().find(|key| key.name == name)?;
        let value = self.entries.get(name)?;
        let path = format!("{}{name}", self.prefix);
        Value::new(self.source, &key.shape, value.get_ref(), value.span().start, path)
    }

    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.get(name)?.text()
    }

    pub(super) fn number(&self, name: &str) -> Option<f64> {
        self.get(name)?.number()
    }

    pub(super) fn small(&self, name: &str) -> Option<f32> {
        self.number(name).map(|number| number as f32)
    }

    pub(super) fn integer(&self, name: &str) -> Option<u64> {
        self.get(name)?.integer()
    }

    pub(super) fn flag(&self, name: &str) -> Option<bool> {
        self.get(name)?.flag()
    }

    pub(super) fn ground(&self, name: &str) -> Option<Ground> {
        let [x, z] = self.get(name)?.numbers(-FAR, FAR)?;
        Some(Ground { x, z })
    }

    pub(super) fn words(&self, name: &str) -> Vec<Annotation> {
        self.items(name).iter().filter_map(Value::word).collect()
    }

    pub(super) fn items(&self, name: &str) -> Vec<Value<'a>> {
        self.get(name).map(|value| value.items()).unwrap_or_default()
    }
}

/// A value of a type that its key may have; what it holds is yet to be looked at.
pub(super) struct Value<'a> {
    source: &'a Source<'a>,
    /// Never [`Shape::Either`].
    pub(super) shape: &'static Shape,
    value: &'a DeValue<'a>,
    at: usize,
    path: String,
}

impl<'a> Value<'a> {
    fn new(
        source: &'a Source<'a>,
        shape: &'static Shape,
        value: &'a DeValue<'a>,
        at: usize,
        path: String,
    ) -> Option<Value<'a>> {
        source.places.borrow_mut().insert(path.clone(), at);
        let fitting = match shape {
            Shape::Either(shapes) => shapes.iter().find(|shape| shape.is_type_of(value)),
            shape => Some(shape).filter(|shape| shape.is_type_of(value)),
        };
        let found = Value { source, shape: fitting.unwrap_or(shape), value, at, path };
        if fitting.is_none() {
            found.refuse(shape.allowed(), None);
            return None;
        }
        Some(found)
    }

    /// Notes that it is not what is allowed.
    pub(super) fn refuse(&self, allowed: String, nearest: Option<String>) {
        let name = self.path.rsplit('.').next().unwrap_or_default();
        let found = format!("{name} is {}", described(self.value));
        self.source.note(self.at, found, allowed, nearest);
    }

    /// The text, if it is one and its shape allows it.
    pub(super) fn text(&self) -> Option<String> {
        let text = self.value.as_str()?;
        let is_fine = match self.shape {
            Shape::Text => is_text(text),
            Shape::Name => is_name(text),
            Shape::OneOf(words) => words.contains(&text),
            Shape::Style => PRESETS.iter().any(|(name, _)| *name == text),
            Shape::Word => Annotation::new(text).is_ok(),
            Shape::Controller => Controller::from_short(text).is_some(),
            _ => true,
        };
        if is_fine {
            return Some(text.to_owned());
        }
        let nearest = match self.shape {
            Shape::OneOf(words) => nearest(text, words.iter().copied()),
            Shape::Style => nearest(text, PRESETS.iter().map(|(name, _)| *name)),
            Shape::Controller if !text.starts_with("gametree") && !text.starts_with("graph") => {
                nearest(text, Controller::NAMES.iter().copied())
            }
            _ => None,
        };
        self.refuse(self.shape.allowed(), nearest);
        None
    }

    pub(super) fn word(&self) -> Option<Annotation> {
        Annotation::new(&self.text()?).ok()
    }

    pub(super) fn number(&self) -> Option<f64> {
        let Shape::Number { min, max } = self.shape else { return None };
        let number = as_number(self.value).filter(|number| (*min..=*max).contains(number));
        if number.is_none() {
            self.refuse(self.shape.allowed(), None);
        }
        number
    }

    pub(super) fn integer(&self) -> Option<u64> {
        let (Shape::Integer { min, max }, DeValue::Integer(integer)) = (self.shape, self.value) else {
            return None;
        };
        let number = u64::from_str_radix(integer.as_str(), integer.radix()).ok();
        let number = number.filter(|number| (*min..=*max).contains(number));
        if number.is_none() {
            self.refuse(self.shape.allowed(), None);
        }
        number
    }

    pub(super) fn flag(&self) -> Option<bool> {
        let flag = self.value.as_bool();
        if matches!(self.shape, Shape::True) && flag == Some(false) {
            self.refuse(self.shape.allowed(), None);
        }
        flag
    }

    /// As many numbers as asked for, each within bounds.
    pub(super) fn numbers<const N: usize>(&self, min: f64, max: f64) -> Option<[f32; N]> {
        let items = self.value.as_array()?;
        let numbers: Vec<f32> = items
            .iter()
            .filter_map(|item| as_number(item.get_ref()))
            .filter(|number| (min..=max).contains(number))
            .map(|number| number as f32)
            .collect();
        let numbers = if items.len() == N { <[f32; N]>::try_from(numbers).ok() } else { None };
        if numbers.is_none() {
            self.refuse(self.shape.allowed(), None);
        }
        numbers
    }

    /// The members of a list, without those of a wrong type.
    pub(super) fn items(&self) -> Vec<Value<'a>> {
        let (shape, is_long_enough): (&'static Shape, &dyn Fn(usize) -> bool) = match self.shape {
            Shape::List(min, shape) => (shape, &|n| n >= *min),
            Shape::Two(shape) => (shape, &|n| n == 2),
            _ => return Vec::new(),
        };
        let Some(items) = self.value.as_array() else { return Vec::new() };
        if !is_long_enough(items.len()) {
            self.refuse(self.shape.allowed(), None);
        }
        let value = |(idx, item): (usize, &'a toml::Spanned<DeValue<'a>>)| {
            let path = format!("{}[{idx}]", self.path);
            Value::new(self.source, shape, item.get_ref(), item.span().start, path)
        };
        items.iter().enumerate().filter_map(value).collect()
    }

    /// The table; of several forms, the one whose first key is there.
    pub(super) fn table(&self) -> Option<Table<'a>> {
        let entries = self.value.as_table()?;
        let section = match self.shape {
            Shape::Table(section) => Some(*section),
            Shape::Forms(forms) => forms.iter().find(|form| is_form(form, entries)),
            _ => None,
        };
        if section.is_none() {
            self.refuse_form(entries);
        }
        Some(Table::new(self.source, section?, entries, format!("{}.", self.path), self.at))
    }

    /// Notes that a table has none of its forms.
    fn refuse_form(&self, entries: &DeTable<'_>) {
        let Shape::Forms(forms) = self.shape else { return };
        let firsts = || forms.iter().filter_map(|form| form.keys.first());
        // Forms that differ by the word of one key: the word is wrong, if it is there.
        if let Some(word) = firsts().next().and_then(|key| entries.get(key.name)) {
            let words: Vec<&str> = firsts()
                .flat_map(|key| match key.shape {
                    Shape::OneOf(words) => words,
                    _ => &[],
                })
                .copied()
                .collect();
            let name = firsts().next().map_or("", |key| key.name);
            let found = format!("{name} is {}", described(word.get_ref()));
            let near = word.get_ref().as_str().and_then(|text| nearest(text, words.iter().copied()));
            self.source.note(word.span().start, found, listed(words.iter().copied()), near);
            return;
        }
        let name = self.path.rsplit('.').next().unwrap_or_default();
        let found = format!("{name} has none of the keys that say what it is");
        let stray = entries.iter().map(|(key, _)| key).next();
        let near = stray.and_then(|key| nearest(key.get_ref(), firsts().map(|key| key.name)));
        let mut names: Vec<&str> = firsts().map(|key| key.name).collect();
        names.dedup();
        self.source.note(self.at, found, listed(names.into_iter()), near);
    }
}

fn is_form(form: &Section, entries: &DeTable<'_>) -> bool {
    let Some(first) = form.keys.first() else { return false };
    let Some(value) = entries.get(first.name) else { return false };
    match first.shape {
        Shape::OneOf(words) => value.get_ref().as_str().is_some_and(|text| words.contains(&text)),
        _ => true,
    }
}

impl Shape {
    fn is_type_of(&self, value: &DeValue<'_>) -> bool {
        match self {
            Shape::Text | Shape::Name | Shape::OneOf(_) | Shape::Style | Shape::Word | Shape::Controller => {
                value.is_str()
            }
            Shape::Number { .. } => value.is_integer() || value.is_float(),
            Shape::Integer { .. } => value.is_integer(),
            Shape::Flag | Shape::True => value.is_bool(),
            Shape::Color => value.is_str() || value.is_array(),
            Shape::Ground | Shape::Three { .. } | Shape::List(..) | Shape::Two(_) => value.is_array(),
            Shape::Table(_) | Shape::Forms(_) => value.is_table(),
            Shape::Either(shapes) => shapes.iter().any(|shape| shape.is_type_of(value)),
        }
    }

    /// What is allowed, in words.
    pub(super) fn allowed(&self) -> String {
        match self {
            Shape::Text => "a text of 1 to 100 characters, without line breaks".to_owned(),
            Shape::Name => "a name of 1 to 64 letters, digits, - and _".to_owned(),
            Shape::OneOf(words) => listed(words.iter().copied()),
            Shape::Style => listed(PRESETS.iter().map(|(name, _)| *name)),
            Shape::Word => "an annotation in lower case with hyphens, as \"left-jab\"".to_owned(),
            Shape::Controller => {
                let depth = randori_gametree::score::MAX_DEPTH;
                format!("\"gametree:1\" to \"gametree:{depth}\", \"static\", \"random\", \"still\"")
            }
            Shape::Number { min, max } => format!("a number from {min} to {max}"),
            Shape::Integer { min, max: u64::MAX } => format!("a whole number, {min} or more"),
            Shape::Integer { min, max } => format!("a whole number from {min} to {max}"),
            Shape::Flag => "true or false".to_owned(),
            Shape::True => "true".to_owned(),
            Shape::Color => {
                let names = super::color::NAMED_COLORS.iter().map(|(name, _)| *name);
                format!("\"#rrggbb\", [r, g, b] from 0 to 1, or one of {}", listed(names))
            }
            Shape::Ground => format!("[x, z] in metres, from -{FAR} to {FAR}"),
            Shape::Three { min, max } => format!("three numbers from {min} to {max}"),
            Shape::Table(section) => {
                format!("a table with {}", listed(section.keys.iter().map(|key| key.name)))
            }
            Shape::Forms(forms) => {
                let firsts = forms.iter().filter_map(|form| form.keys.first());
                let mut names: Vec<&str> = firsts.map(|key| key.name).collect();
                names.dedup();
                format!("a table with {}", names.join(" or "))
            }
            Shape::Either(shapes) => shapes.iter().map(Shape::allowed).collect::<Vec<_>>().join(", or "),
            Shape::List(0, shape) => format!("a list, each {}", shape.allowed()),
            Shape::List(min, shape) => format!("a list of {min} or more, each {}", shape.allowed()),
            Shape::Two(shape) => format!("a list of two, each {}", shape.allowed()),
        }
    }
}

fn is_text(text: &str) -> bool {
    let n_characters = text.chars().count();
    (1..=100).contains(&n_characters) && !text.chars().any(char::is_control) && text.trim() == text
}

fn is_name(text: &str) -> bool {
    let is_letter = |c: u8| c.is_ascii_alphanumeric() || c == b'-' || c == b'_';
    (1..=64).contains(&text.len()) && text.bytes().all(is_letter)
}

fn as_number(value: &DeValue<'_>) -> Option<f64> {
    match value {
        DeValue::Integer(integer) => {
            i128::from_str_radix(integer.as_str(), integer.radix()).ok().map(|number| number as f64)
        }
        DeValue::Float(float) => float.as_str().parse().ok(),
        _ => None,
    }
}

fn described(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => quoted(text),
        DeValue::Integer(integer) => cut(integer.as_str()),
        DeValue::Float(float) => cut(float.as_str()),
        DeValue::Boolean(flag) => flag.to_string(),
        DeValue::Datetime(_) => "a date".to_owned(),
        DeValue::Array(items) if items.len() <= 4 => {
            let items: Vec<String> = items.iter().map(|item| brief(item.get_ref())).collect();
            format!("[{}]", items.join(", "))
        }
        DeValue::Array(items) => format!("a list of {}", items.len()),
        DeValue::Table(_) => "a table".to_owned(),
    }
}

/// As a member of a list.
fn brief(value: &DeValue<'_>) -> String {
    if value.is_array() { "[…]".to_owned() } else { described(value) }
}

pub(super) fn quoted(text: &str) -> String {
    format!("{:?}", cut(text))
}

fn cut(text: &str) -> String {
    const MAX: usize = 60;
    let start: String = text.chars().take(MAX).collect();
    if start.len() < text.len() { format!("{start}…") } else { start }
}

pub(super) fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

/// The most similar of these names, if any is similar.
pub(super) fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<String> {
    let name: String = name.chars().take(64).collect::<String>().to_lowercase();
    let likeness = |known: &str| strsim::normalized_damerau_levenshtein(&name, known);
    let best = names
        .map(|known| (likeness(known), known))
        .fold((0.0, ""), |best, one| if one.0 > best.0 { one } else { best });
    (best.0 >= 0.5).then(|| best.1.to_owned())
}
