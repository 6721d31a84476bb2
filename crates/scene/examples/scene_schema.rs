//! Writes what is made from the table of a scene file's keys: the JSON schema, and the tables of the document between its
//! two marks.
//!
//! `cargo run -p randori-scene --example scene_schema -- scenes/schema.json docs/scenes.md`

use std::path::PathBuf;

use randori_scene::files;
use randori_scene::screenplay::schema;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [schema_path, document_path] = paths.as_slice() else {
        return Err("usage: scene_schema SCHEMA.json DOCUMENT.md".into());
    };
    files::write_atomically(schema_path, schema::json().as_bytes())?;
    let document = String::from_utf8(files::read(document_path)?)?;
    let (before, rest) = document.split_once("<!-- keys -->\n").ok_or("the document has no <!-- keys -->")?;
    let (_, after) =
        rest.split_once("<!-- end of keys -->").ok_or("the document has no <!-- end of keys -->")?;
    let document = format!("{before}<!-- keys -->\n\n{}\n<!-- end of keys -->{after}", schema::tables());
    files::write_atomically(document_path, document.as_bytes())?;
    Ok(())
}
