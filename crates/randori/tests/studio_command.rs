//! `randori studio`, as a person starts it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// The command.
const RANDORI: &str = env!("CARGO_BIN_EXE_randori");

/// A studio that is stopped when the test is over.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

fn scene(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../../scenes/{name}.toml"))
}

#[test]
fn the_studio_says_where_it_is_and_answers_there() {
    let mut command = Command::new(RANDORI);
    command.args(["studio", "--port", "0", "--no-open"]).arg(scene("sword-duel"));
    let mut running = Running(command.stderr(Stdio::piped()).spawn().unwrap());
    let mut line = String::new();
    BufReader::new(running.0.stderr.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.split("http://").nth(1).and_then(|rest| rest.split('/').next()).unwrap().to_owned();
    assert!(address.starts_with("127.0.0.1:"), "{line}");
    let mut stream = TcpStream::connect(&address).unwrap();
    write!(stream, "GET / HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
    let mut page = String::new();
    stream.read_to_string(&mut page).unwrap();
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("Randori studio"), "{page}");
}

#[test]
fn what_cannot_be_shown_is_refused_before_anything_is_opened() {
    let refused = |args: &[&str], words: &str| {
        let output =
            Command::new(RANDORI).args(["studio", "--no-open", "--port", "0"]).args(args).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(words), "{said}");
    };
    refused(&["nothing.glb"], "nothing.glb: no such file");
    refused(&["notes.txt"], "expected a scene (.toml)");
    refused(&["missing.toml"], "missing.toml");
    refused(&["--listen-beyond-loopback", "203.0.113.7"], "cannot listen on 203.0.113.7");
}
