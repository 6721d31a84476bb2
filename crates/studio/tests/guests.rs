//! Who is let in, and what they get.

mod common;

use std::net::SocketAddr;
use std::sync::Arc;

use common::{Props, Viewer, fetch, studio};
use randori_studio::limits::Limits;
use randori_studio::{Settings, Studio, StudioError};
use serde_json::json;

#[test]
fn the_page_is_served_to_its_own_host_only() {
    let studio = studio();
    let address = studio.address();
    let status = |headers: &str| fetch(address, "GET", "/", headers, b"").0;
    let port = address.port();
    assert_eq!(status(&format!("Host: {address}\r\n")), 200);
    assert_eq!(status(&format!("Host: localhost:{port}\r\n")), 200);
    assert_eq!(status(&format!("Host: [::1]:{port}\r\n")), 200);
    assert_eq!(status(&format!("Host: {address}\r\nOrigin: http://{address}\r\n")), 200);
    for headers in [
        "Host: example.org\r\n".to_owned(),
        format!("Host: example.org:{port}\r\n"),
        format!("Host: localhost.example.org:{port}\r\n"),
        format!("Host: user@127.0.0.1:{port}\r\n"),
        "Host: 127.0.0.1:1\r\n".to_owned(),
        format!("Host: 192.168.0.1:{port}\r\n"),
        format!("Host: {address}\r\nHost: {address}\r\n"),
        format!("Host: {address}\r\nOrigin: http://example.org\r\n"),
        format!("Host: {address}\r\nOrigin: https://{address}\r\n"),
        format!("Host: {address}\r\nOrigin: null\r\n"),
        format!("Host: {address}\r\nOrigin: http://localhost:{port}\r\n"),
    ] {
        assert_eq!(status(&headers), 403, "{headers}");
    }
}

#[test]
fn nothing_is_served_that_is_not_in_the_program() {
    let studio = studio();
    let address = studio.address();
    let get = |path: &str| fetch(address, "GET", path, &format!("Host: {address}\r\n"), b"").0;
    for path in ["/", "/main.js", "/style.css", "/renderer.js", "/icon.svg"] {
        assert_eq!(get(path), 200, "{path}");
    }
    for path in [
        "/../Cargo.toml",
        "/..%2f..%2fCargo.toml",
        "/etc/passwd",
        "//etc/passwd",
        "/page/main.js",
        "/main.js/",
        "/download/1/x",
        "/download/99999999999999999999/x",
        "/download/1/..%2f..%2fetc%2fpasswd",
        "/%00",
    ] {
        assert!([400, 404].contains(&get(path)), "{path}: {}", get(path));
    }
    assert_eq!(fetch(address, "POST", "/", &format!("Host: {address}\r\n"), b"").0, 405);
    assert_eq!(
        fetch(address, "POST", "/upload?session=nobody&name=x", &format!("Host: {address}\r\n"), b"abcd").0,
        404
    );
}

#[test]
fn others_come_in_only_if_that_is_said() {
    let everywhere = Settings { address: SocketAddr::from(([0, 0, 0, 0], 0)), ..Settings::on_port(0) };
    let refused = Studio::open(everywhere.clone(), Arc::new(Props));
    assert!(matches!(refused, Err(StudioError::BeyondLoopback(_))));
    let open = Studio::open(Settings { beyond_loopback: true, ..everywhere }, Arc::new(Props)).unwrap();
    let address = SocketAddr::from(([127, 0, 0, 1], open.address().port()));
    let status =
        |host: &str| fetch(address, "GET", "/", &format!("Host: {host}:{}\r\n", address.port()), b"").0;
    assert_eq!(status("192.168.0.1"), 200);
    assert_eq!(status("example.org"), 403);
}

#[test]
fn what_is_too_large_or_too_fast_is_refused() {
    let limits = Limits {
        messages_per_second: 5.0,
        burst: 5.0,
        upload_bytes: 1000,
        message_bytes: 500,
        ..Limits::default()
    };
    let studio = Studio::open(Settings { limits, ..Settings::on_port(0) }, Arc::new(Props)).unwrap();
    let address = studio.address();
    let mut viewer = Viewer::at(address, Some("small"));
    viewer.wait("welcome", |_| true);
    let upload = |n: usize| {
        let headers = format!("Host: {address}\r\n");
        fetch(address, "POST", "/upload?session=small&name=a.bvh", &headers, &vec![b'x'; n]).0
    };
    assert_eq!(upload(5000), 413);
    assert_eq!(upload(500), 202);
    for _ in 0..40 {
        viewer.ask(json!({ "do": "seek", "t": 0.0 }));
    }
    let error = viewer.wait("error", |_| true);
    assert!(error["words"].as_str().unwrap().contains("too many messages"), "{error}");
    let mut loud = Viewer::at(address, Some("loud"));
    loud.ask(json!({ "do": "open", "scene": "x".repeat(1000) }));
    // A message beyond the limit ends the connection, and only that.
    while loud.next().is_some() {}
    Viewer::at(address, Some("loud-again")).wait("welcome", |_| true);
}

#[test]
fn there_are_only_so_many_sessions_and_viewers() {
    let limits = Limits { sessions: 2, viewers: 2, ..Limits::default() };
    let studio = Studio::open(Settings { limits, ..Settings::on_port(0) }, Arc::new(Props)).unwrap();
    let address = studio.address();
    let mut come = |name: &str| {
        let mut viewer = Viewer::at(address, Some(name));
        let first = viewer.next().unwrap();
        (viewer, first["is"].as_str().unwrap().to_owned())
    };
    let kept = ["a", "a", "b"].map(&mut come);
    assert!(kept.iter().all(|(_, is)| is == "welcome"));
    assert_eq!(come("a").1, "error");
    assert_eq!(come("c").1, "error");
}
