//! The page: a few files of our own, in the program itself.

/// A file of the page: path, media type, contents.
pub(crate) struct Asset {
    pub(crate) path: &'static str,
    pub(crate) media: &'static str,
    pub(crate) text: &'static str,
}

macro_rules! script {
    ($name:literal) => {
        Asset {
            path: concat!("/", $name),
            media: "text/javascript; charset=utf-8",
            text: include_str!(concat!("../page/", $name)),
        }
    };
}

/// All of them; nothing else is served as a file.
pub(crate) const ASSETS: &[Asset] = &[
    Asset { path: "/", media: "text/html; charset=utf-8", text: include_str!("../page/index.html") },
    Asset { path: "/style.css", media: "text/css; charset=utf-8", text: include_str!("../page/style.css") },
    Asset { path: "/icon.svg", media: "image/svg+xml", text: include_str!("../page/icon.svg") },
    script!("main.js"),
    script!("connection.js"),
    script!("renderer.js"),
    script!("shapes.js"),
    script!("matrices.js"),
    script!("camera.js"),
    script!("stage.js"),
    script!("timeline.js"),
    script!("transport.js"),
    script!("direct.js"),
    script!("explain.js"),
    script!("play.js"),
    script!("hero.js"),
    script!("bodies.js"),
    script!("wits.js"),
    script!("dom.js"),
];
