//! What editors and readers are told of scene files: the JSON schema and the tables of docs/scenes.md, both made from the
//! table of keys that files are read by.

use randori_arena::style::PRESETS;
use randori_motion::annotation::{KNOWN, MAX_NAME};
use serde_json::{Map, Value, json};

use super::color::NAMED_COLORS;
use super::keys::{CAMERAS, CONTROLLERS, FAR, FORMATIONS, SCENE, Section, Shape, THEN, WHEN};

/// The JSON schema of scene files: draft 7, which editors of TOML know best.
///
/// It tells what a file may hold, not what makes sense together: that is for
/// [`Screenplay::parse`](super::Screenplay::parse).
///
/// ```
/// let schema: serde_json::Value = serde_json::from_str(&randori_scene::screenplay::schema::json()).unwrap();
/// assert_eq!(schema["properties"]["seconds"]["maximum"], 3600.0);
/// ```
pub fn json() -> String {
    let mut definitions = Map::new();
    let mut schema = of_section(&SCENE, &mut definitions);
    if let Value::Object(schema) = &mut schema {
        schema.insert("$schema".to_owned(), json!("http://json-schema.org/draft-07/schema#"));
        schema.insert("title".to_owned(), json!("Randori scene"));
        schema.insert("definitions".to_owned(), Value::Object(definitions));
    }
    // Sorted keys and numbers only: this cannot fail.
    let text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text + "\n"
}

/// The tables of all keys in Markdown, each under the name of what it describes.
pub fn tables() -> String {
    let mut text = String::new();
    table(&SCENE, "Scene", &mut text);
    let mut done = vec![SCENE.name];
    inner_tables(&SCENE, &mut done, &mut text);
    for (title, forms) in [
        ("Controllers with more to say", &CONTROLLERS[..]),
        ("Cameras with more to say", &CAMERAS[..]),
        ("Formations", &FORMATIONS[..]),
        ("When: one of these", &WHEN[..]),
        ("Then: any of these", &THEN[..]),
    ] {
        text.push_str(&format!("### {title}\n\n"));
        for form in forms {
            rows(form, &mut text);
        }
    }
    text.truncate(text.trim_end().len());
    text + "\n"
}

/// The tables of what a section's keys hold, depth first.
fn inner_tables(section: &Section, done: &mut Vec<&'static str>, text: &mut String) {
    for key in section.keys {
        let Some(inner) = inner(&key.shape).filter(|inner| !done.contains(&inner.name)) else { continue };
        done.push(inner.name);
        let name = inner.name.trim_start_matches("a ");
        let title: String = name[..1].to_uppercase() + &name[1..];
        table(inner, &title, text);
        inner_tables(inner, done, text);
    }
}

fn inner(shape: &Shape) -> Option<&'static Section> {
    match shape {
        Shape::Table(section) => Some(section),
        Shape::List(_, shape) => inner(shape),
        Shape::Either(shapes) => shapes.iter().find_map(inner),
        _ => None,
    }
}

fn table(section: &Section, title: &str, text: &mut String) {
    text.push_str(&format!("### {title}\n\n"));
    rows(section, text);
}

fn rows(section: &Section, text: &mut String) {
    text.push_str(&format!("| {} | | without it |\n|---|---|---|\n", section.name));
    for key in section.keys {
        let default = key.default.unwrap_or("**needed**");
        let words = match key.shape {
            Shape::OneOf(words) => {
                words.iter().map(|word| format!("`\"{word}\"`")).collect::<Vec<_>>().join(", ")
            }
            _ => String::new(),
        };
        let colon = if words.is_empty() { "" } else { ": " };
        text.push_str(&format!("| `{}` | {}{colon}{words} | {default} |\n", key.name, key.meaning));
    }
    text.push('\n');
}

fn of_section(section: &'static Section, definitions: &mut Map<String, Value>) -> Value {
    let mut properties = Map::new();
    for key in section.keys {
        let mut value = of_shape(&key.shape, definitions);
        if let Value::Object(value) = &mut value {
            let default =
                key.default.map_or_else(|| "needed".to_owned(), |default| format!("default: {default}"));
            value.insert("description".to_owned(), json!(format!("{}; {default}", key.meaning)));
        }
        properties.insert(key.name.to_owned(), value);
    }
    let needed: Vec<&str> =
        section.keys.iter().filter(|key| key.default.is_none()).map(|key| key.name).collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": needed,
        "additionalProperties": false,
    })
}

/// A section that several keys share is written once. In draft 7 a reference stands alone, so that it is wrapped to
/// have a description beside it.
fn reference(section: &'static Section, definitions: &mut Map<String, Value>) -> Value {
    if !definitions.contains_key(section.name) {
        let definition = of_section(section, definitions);
        definitions.insert(section.name.to_owned(), definition);
    }
    reference_to(section.name)
}

fn reference_to(name: &str) -> Value {
    json!({ "allOf": [{ "$ref": format!("#/definitions/{}", name.replace(' ', "%20")) }] })
}

/// As [`reference`], of a value with a long list of names.
fn named(name: &str, value: Value, definitions: &mut Map<String, Value>) -> Value {
    definitions.insert(name.to_owned(), value);
    reference_to(name)
}

fn of_shape(shape: &'static Shape, definitions: &mut Map<String, Value>) -> Value {
    match shape {
        Shape::Text => json!({ "type": "string", "minLength": 1, "maxLength": 100 }),
        Shape::Name => json!({ "type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$" }),
        Shape::OneOf(words) => json!({ "enum": words }),
        Shape::Style => named("a style", json!({ "enum": PRESETS.map(|(name, _)| name) }), definitions),
        Shape::Word => {
            let known: Vec<&str> = KNOWN.iter().map(|word| word.name).collect();
            let any = format!("^[a-z0-9-]{{1,{MAX_NAME}}}$");
            let word = json!({ "anyOf": [{ "enum": known }, { "type": "string", "pattern": any }] });
            named("an annotation", word, definitions)
        }
        Shape::Controller => {
            let trees = (1..=randori_gametree::score::MAX_DEPTH).map(|depth| format!("gametree:{depth}"));
            let graphs = (1..=super::GRAPH_DEPTH).map(|depth| format!("graph:{depth}"));
            let names = super::Controller::NAMES.iter().map(|name| (*name).to_owned());
            let all: Vec<String> = names.chain(trees).chain(graphs).collect();
            named("a controller", json!({ "enum": all }), definitions)
        }
        Shape::Number { min, max } => json!({ "type": "number", "minimum": min, "maximum": max }),
        Shape::Integer { min, max: u64::MAX } => json!({ "type": "integer", "minimum": min }),
        Shape::Integer { min, max } => json!({ "type": "integer", "minimum": min, "maximum": max }),
        Shape::Flag => json!({ "type": "boolean" }),
        Shape::True => json!({ "enum": [true] }),
        Shape::Color => {
            let color = json!({ "anyOf": [
                { "enum": NAMED_COLORS.map(|(name, _)| name) },
                { "type": "string", "pattern": "^#[0-9A-Fa-f]{6}$" },
                numbers(3, 0.0, 1.0),
            ] });
            named("a color", color, definitions)
        }
        Shape::Ground => numbers(2, -FAR, FAR),
        Shape::Three { min, max } => numbers(3, *min, *max),
        Shape::Table(section) => reference(section, definitions),
        Shape::Forms(forms) => {
            let forms: Vec<Value> = forms.iter().map(|form| reference(form, definitions)).collect();
            json!({ "anyOf": forms })
        }
        Shape::Either(shapes) => {
            let shapes: Vec<Value> = shapes.iter().map(|shape| of_shape(shape, definitions)).collect();
            json!({ "anyOf": shapes })
        }
        Shape::List(min, shape) => {
            json!({ "type": "array", "minItems": min, "items": of_shape(shape, definitions) })
        }
        Shape::Two(shape) => {
            json!({ "type": "array", "minItems": 2, "maxItems": 2, "items": of_shape(shape, definitions) })
        }
    }
}

fn numbers(n: usize, min: f64, max: f64) -> Value {
    let item = json!({ "type": "number", "minimum": min, "maximum": max });
    json!({ "type": "array", "minItems": n, "maxItems": n, "items": item })
}
