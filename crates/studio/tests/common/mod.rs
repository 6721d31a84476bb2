//! A studio for tests: a small library, a duel, a scene that makes a session crash, and a viewer.

#![allow(dead_code, reason = "every test uses a part of it")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use randori_actor::{Casting, Performance, Temperament, boxing, reactions};
use randori_motion::analyse::{Discipline, analyse};
use randori_motion::library::{Likeness, Recording, assemble};
use randori_motion::{ActionLibrary, Build, Take};
use randori_scene::director::Libraries;
use randori_scene::screenplay::Screenplay;
use randori_studio::limits::Limits;
use randori_studio::{Settings, Studio, Supply};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::{self, Message, WebSocket};

/// What the tests show.
pub(crate) struct Props;

pub(crate) const DUEL: &str = r#"
seconds = 6
seed = 3
library = "builtin:boxing"
[[characters]]
name = "red"
color = "red"
controller = "gametree:1"
at = [0, -0.8]
facing = "blue"
[[characters]]
name = "blue"
color = "blue"
controller = "gametree:1"
at = [0, 0.8]
facing = "red"
"#;

fn library() -> &'static Libraries {
    static MADE: OnceLock<Libraries> = OnceLock::new();
    MADE.get_or_init(|| {
        let casting = |seconds: f32| Casting {
            build: Build::AVERAGE,
            temperament: Temperament::Calm,
            seed: 1,
            seconds,
        };
        let recording = |(performance, discipline): (Performance, Discipline)| {
            let settings = randori_motion::analyse::Settings::of(discipline);
            let analysis = analyse(&performance.clip, &settings).unwrap();
            let [left, right] = analysis.contacts.feet;
            let standing = [left.down, right.down];
            Recording { clip: performance.clip, standing, segments: analysis.segments }
        };
        let boxes = boxing(&casting(60.0)).into_iter().map(|take| (take, Discipline::Boxing));
        let struck = reactions(&casting(30.0)).into_iter().map(|take| (take, Discipline::Reactions));
        let recordings: Vec<Recording> = boxes.chain(struck).map(recording).collect();
        let made: ActionLibrary =
            assemble("boxing", "boxing", Build::AVERAGE, &recordings, &Likeness::default()).unwrap();
        let mut libraries = Libraries::default();
        libraries.add("builtin:boxing", Arc::new(made));
        libraries
    })
}

impl Supply for Props {
    fn scenes(&self) -> Vec<String> {
        ["duel", "crash", "broken"].map(str::to_owned).to_vec()
    }

    fn scene(&self, name: &str) -> Result<Screenplay, String> {
        match name {
            "duel" => Screenplay::parse("duel.toml", DUEL.as_bytes()).map_err(|error| error.to_string()),
            "crash" => panic!("a session that crashes, on purpose"),
            _ => Err("this scene is broken".to_owned()),
        }
    }

    fn files(&self) -> Vec<String> {
        vec!["motley.glb".to_owned()]
    }

    fn file(&self, _: &str) -> Result<Take, String> {
        Ok(randori_testkit::takes::motley())
    }

    fn libraries(&self, _: &Screenplay, _: &dyn Fn(&str)) -> Result<Libraries, String> {
        Ok(library().clone())
    }

    fn dropped(&self, name: &str, bytes: &[u8]) -> Result<Take, String> {
        if bytes.len() < 4 { Err(format!("{name} is empty")) } else { Ok(randori_testkit::takes::motley()) }
    }
}

/// The libraries of the test scenes.
pub(crate) fn libraries() -> Libraries {
    library().clone()
}

/// A studio that lets everybody ask a great deal.
pub(crate) fn studio() -> Studio {
    let limits = Limits { messages_per_second: 1e9, burst: 1e9, upload_bytes: 1 << 20, ..Limits::default() };
    Studio::open(Settings { limits, ..Settings::on_port(0) }, Arc::new(Props)).unwrap()
}

/// Somebody at a browser.
pub(crate) struct Viewer {
    pub(crate) socket: WebSocket<TcpStream>,
    pub(crate) frames: Vec<Vec<u8>>,
}

impl Viewer {
    pub(crate) fn at(address: SocketAddr, session: Option<&str>) -> Viewer {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let query = session.map_or_else(String::new, |name| format!("?session={name}"));
        let (socket, _) = tungstenite::client(format!("ws://{address}/ws{query}"), stream).unwrap();
        Viewer { socket, frames: Vec::new() }
    }

    pub(crate) fn ask(&mut self, ask: Value) {
        self.socket.send(Message::Text(ask.to_string().into())).unwrap();
    }

    /// The next message that is words; frames are put aside.
    pub(crate) fn next(&mut self) -> Option<Value> {
        loop {
            match self.socket.read() {
                Ok(Message::Text(text)) => return Some(serde_json::from_str(&text).unwrap()),
                Ok(Message::Binary(bytes)) => self.frames.push(bytes.to_vec()),
                Ok(_) => {}
                Err(_) => return None,
            }
        }
    }

    /// The next message of a kind that is as wanted.
    pub(crate) fn wait(&mut self, kind: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.next().unwrap_or_else(|| panic!("no {kind} came"));
            assert!(kind == "error" || message["is"] != "error", "waiting for {kind}: {}", message["words"]);
            if message["is"] == kind && wanted(&message) {
                return message;
            }
        }
    }

    pub(crate) fn frame(&mut self) -> Vec<u8> {
        loop {
            match self.socket.read().unwrap() {
                Message::Binary(bytes) => return bytes.to_vec(),
                _ => continue,
            }
        }
    }

    /// Waits for a frame; what is told of the score on the way is heard.
    pub(crate) fn frame_or_score(&mut self, heard: &mut dyn FnMut(&Value)) {
        let Message::Text(text) = self.socket.read().unwrap() else { return };
        let told: Value = serde_json::from_str(&text).unwrap();
        if told["is"] == "score" {
            heard(&told);
        }
    }

    /// Opens the duel and waits for all of it.
    pub(crate) fn open_duel(&mut self) -> Value {
        self.ask(json!({ "do": "open", "scene": "duel" }));
        self.wait("take", |take| take["done"] == true && take["name"] == "duel")
    }
}

/// The time of a frame (s).
pub(crate) fn time_of(frame: &[u8]) -> f32 {
    f32::from_le_bytes(frame[4..8].try_into().unwrap())
}

/// Sends bytes, and reads what comes back until the other end closes. Whoever is silent for so long is told that no
/// more comes.
pub(crate) fn raw(address: SocketAddr, request: &[u8], patience: Duration) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).unwrap();
    // A server may close before it has read all of something bad.
    let _ = stream.write_all(request);
    let mut answer = Vec::new();
    stream.set_read_timeout(Some(patience)).unwrap();
    if stream.read_to_end(&mut answer).is_err() {
        let _ = stream.shutdown(std::net::Shutdown::Write);
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let _ = stream.read_to_end(&mut answer);
    }
    answer
}

/// A plain request: its status and its body.
pub(crate) fn fetch(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &str,
    body: &[u8],
) -> (u16, Vec<u8>) {
    let length = body.len();
    let head =
        format!("{method} {path} HTTP/1.1\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n");
    let answer = raw(address, &[head.as_bytes(), body].concat(), Duration::from_secs(60));
    let text = String::from_utf8_lossy(&answer[..answer.len().min(64)]).into_owned();
    let status = text.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
    let start = answer.windows(4).position(|four| four == b"\r\n\r\n").map_or(answer.len(), |at| at + 4);
    (status, answer[start..].to_vec())
}
