//! The server: the page, one web socket per viewer, and nothing else.
//!
//! It listens on loopback unless it is told otherwise, answers only requests that name it as their host and come from
//! its own page, and serves only what is in the program or was made for a viewer.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{DefaultBodyLimit, Path, Query, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use futures_util::{SinkExt, StreamExt};
use serde::Deserialize;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::clock;
use crate::downloads::Downloads;
use crate::limits::{Limits, Pace};
use crate::outbox::{Outbox, Parcel};
use crate::page::ASSETS;
use crate::protocol::{Ask, Tell, read};
use crate::session::{self, ORDERS, Order, Surroundings};
use crate::supply::Supply;

/// How a studio is opened.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where it listens; an address that is not loopback is refused unless `beyond_loopback` is set.
    pub address: SocketAddr,
    /// Whether others than this machine may come in.
    pub beyond_loopback: bool,
    /// What every session opens first.
    pub first: Option<Ask>,
    /// How much anybody may ask.
    pub limits: Limits,
}

impl Settings {
    /// On loopback, on a port; 0 takes any that is free.
    pub fn on_port(port: u16) -> Settings {
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        Settings { address, beyond_loopback: false, first: None, limits: Limits::default() }
    }
}

/// Why a studio cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum StudioError {
    /// It would be open to others.
    #[error("{0} is not an address of this machine alone; say so if others may come in")]
    BeyondLoopback(SocketAddr),
    /// The system says no.
    #[error("cannot listen on {address}: {error}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// Why.
        error: std::io::Error,
    },
    /// There is no thread to serve with.
    #[error("cannot start the server: {0}")]
    Start(std::io::Error),
}

/// A studio that is open; it closes when this is dropped.
#[derive(Debug)]
pub struct Studio {
    address: SocketAddr,
    close: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Studio {
    /// Opens a studio with what there is to show.
    pub fn open(settings: Settings, supply: Arc<dyn Supply>) -> Result<Studio, StudioError> {
        let address = settings.address;
        if !address.ip().is_loopback() && !settings.beyond_loopback {
            return Err(StudioError::BeyondLoopback(address));
        }
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("studio")
            .enable_io()
            .enable_time()
            .build()
            .map_err(StudioError::Start)?;
        let listen = |error| StudioError::Listen { address, error };
        let listener = runtime.block_on(TcpListener::bind(address)).map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        // What is small must not wait for what was sent before it to be acknowledged: that takes 40 ms.
        let listener = listener.tap_io(|stream| {
            stream.set_nodelay(true).ok();
        });
        let shared = Arc::new(Shared {
            address,
            settings,
            supply,
            downloads: Arc::new(Downloads::default()),
            sessions: Mutex::new(BTreeMap::new()),
            next: AtomicU64::new(1),
        });
        let (close, closed) = oneshot::channel::<()>();
        let app = router(shared);
        let serve = move || {
            runtime.block_on(async {
                tokio::select! {
                    _ = axum::serve(listener, app) => {}
                    _ = closed => {}
                }
            });
            runtime.shutdown_background();
        };
        let thread =
            std::thread::Builder::new().name("studio".to_owned()).spawn(serve).map_err(StudioError::Start)?;
        Ok(Studio { address, close: Some(close), thread: Some(thread) })
    }

    /// Where it is to be found.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// For a browser on this machine.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Stays open until the program ends.
    pub fn wait(mut self) {
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}

impl Drop for Studio {
    fn drop(&mut self) {
        drop(self.close.take());
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}

struct Shared {
    address: SocketAddr,
    settings: Settings,
    supply: Arc<dyn Supply>,
    downloads: Arc<Downloads>,
    sessions: Mutex<BTreeMap<String, Running>>,
    next: AtomicU64,
}

#[derive(Clone)]
struct Running {
    orders: SyncSender<Order>,
    /// Viewers that came and did not go.
    viewers: usize,
}

fn router(shared: Arc<Shared>) -> Router {
    let upload = DefaultBodyLimit::max(shared.settings.limits.upload_bytes);
    Router::new()
        .route("/ws", get(connect))
        .route("/upload", post(dropped).layer(upload))
        .route("/download/{number}/{name}", get(download))
        .fallback(get(asset))
        .layer(middleware::from_fn_with_state(Arc::clone(&shared), guard))
        .with_state(shared)
}

/// Turns away whoever does not name this server as their host, or comes from another page.
async fn guard(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let mut response = match check(&shared, request.headers()) {
        Ok(()) => next.run(request).await,
        Err(words) => (StatusCode::FORBIDDEN, words).into_response(),
    };
    let headers: [(HeaderName, &str); 6] = [
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; \
             base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        ),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ];
    for (name, value) in headers {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

fn check(shared: &Shared, headers: &HeaderMap) -> Result<(), &'static str> {
    let text = |name: HeaderName| -> Option<&str> { headers.get(name)?.to_str().ok() };
    let mut hosts = headers.get_all(header::HOST).iter();
    let (Some(_), None) = (hosts.next(), hosts.next()) else { return Err("expected one Host\n") };
    let host = text(header::HOST).filter(|host| shared.is_own(host)).ok_or("not a host of this studio\n")?;
    if !headers.contains_key(header::ORIGIN) {
        return Ok(());
    }
    let is_own = text(header::ORIGIN).is_some_and(|origin| origin.strip_prefix("http://") == Some(host));
    is_own.then_some(()).ok_or("not from a page of this studio\n")
}

impl Shared {
    /// Whether a host, as a browser names it, is this server. A name that somebody else points here is not.
    fn is_own(&self, host: &str) -> bool {
        let Ok(uri) = host.parse::<Uri>() else { return false };
        let Some(authority) = uri.authority() else { return false };
        if authority.port_u16().unwrap_or(80) != self.address.port() || authority.as_str().contains('@') {
            return false;
        }
        let name = authority.host().trim_start_matches('[').trim_end_matches(']');
        match name.parse::<IpAddr>() {
            Ok(ip) => ip.is_loopback() || self.settings.beyond_loopback,
            Err(_) => name == "localhost",
        }
    }

    fn sessions(&self) -> MutexGuard<'_, BTreeMap<String, Running>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session of a name, opened if it is not there, with one viewer more.
    fn enter(
        self: &Arc<Shared>,
        name: &str,
        viewer: u64,
        outbox: &Arc<Outbox>,
    ) -> Result<SyncSender<Order>, String> {
        let limits = &self.settings.limits;
        let mut sessions = self.sessions();
        if let Some(running) = sessions.get_mut(name) {
            if running.viewers >= limits.viewers {
                return Err(format!("this session has {} viewers already", running.viewers));
            }
            if running.orders.try_send(Order::Join(viewer, Arc::clone(outbox))).is_ok() {
                running.viewers += 1;
                return Ok(running.orders.clone());
            }
            // It has just ended.
            sessions.remove(name);
        }
        if sessions.len() >= limits.sessions {
            return Err(format!("there are {} sessions already; close one", sessions.len()));
        }
        let (orders, received) = sync_channel(ORDERS);
        let surroundings = Surroundings {
            name: name.to_owned(),
            supply: Arc::clone(&self.supply),
            downloads: Arc::clone(&self.downloads),
            first: self.settings.first.clone(),
        };
        let (own, shared, key) = (orders.clone(), Arc::clone(self), name.to_owned());
        // The first order is there before the session looks for viewers.
        orders.try_send(Order::Join(viewer, Arc::clone(outbox))).map_err(|error| error.to_string())?;
        let run = move || {
            session::run(surroundings, &received, own);
            drop(received);
            // If another session took the name meanwhile, that one stays.
            let mut sessions = shared.sessions();
            if sessions.get(&key).is_some_and(|it| it.orders.try_send(Order::Leave(0)).is_err()) {
                sessions.remove(&key);
            }
        };
        let spawned = std::thread::Builder::new().name(format!("session {name}")).spawn(run);
        spawned.map_err(|error| format!("no thread for a session: {error}"))?;
        sessions.insert(name.to_owned(), Running { orders: orders.clone(), viewers: 1 });
        Ok(orders)
    }

    fn leave(&self, name: &str, viewer: u64, orders: &SyncSender<Order>) {
        if let Some(running) = self.sessions().get_mut(name) {
            running.viewers = running.viewers.saturating_sub(1);
        }
        // A session that is busy hears of it later: it must not be missed, or it would never end.
        let order = Order::Leave(viewer);
        if let Err(TrySendError::Full(order)) = orders.try_send(order) {
            let orders = orders.clone();
            std::thread::spawn(move || orders.send(order).ok());
        }
    }
}

/// A file of the page.
async fn asset(uri: Uri) -> Response {
    match ASSETS.iter().find(|asset| asset.path == uri.path()) {
        Some(asset) => ([(header::CONTENT_TYPE, asset.media)], asset.text).into_response(),
        None => (StatusCode::NOT_FOUND, "there is nothing here\n").into_response(),
    }
}

/// A file that was made for a viewer.
async fn download(State(shared): State<Arc<Shared>>, Path((number, name)): Path<(u64, String)>) -> Response {
    let Some(file) = shared.downloads.fetch(number, &name) else {
        return (StatusCode::NOT_FOUND, "there is no such file any more\n").into_response();
    };
    let disposition = format!("attachment; filename=\"{}\"", file.name);
    let headers = [(header::CONTENT_TYPE, file.media.to_owned()), (header::CONTENT_DISPOSITION, disposition)];
    (headers, Body::from(file.bytes)).into_response()
}

/// Which session a viewer means.
#[derive(Debug, Deserialize)]
struct Where {
    session: Option<String>,
    name: Option<String>,
}

/// A name of a session: short, and of letters, digits and dashes.
fn session_name(name: Option<&str>) -> Option<&str> {
    let is_good = |c: char| c.is_ascii_alphanumeric() || c == '-';
    name.filter(|name| (1..=64).contains(&name.len()) && name.chars().all(is_good))
}

/// Somebody dropped in a file.
async fn dropped(State(shared): State<Arc<Shared>>, Query(place): Query<Where>, bytes: Bytes) -> Response {
    let orders = session_name(place.session.as_deref())
        .and_then(|session| Some(shared.sessions().get(session)?.orders.clone()));
    let Some(orders) = orders else {
        return (StatusCode::NOT_FOUND, "there is no such session\n").into_response();
    };
    let name: String = place.name.unwrap_or_default().chars().filter(|c| !c.is_control()).take(200).collect();
    match orders.try_send(Order::Drop(0, name, bytes.to_vec())) {
        Ok(()) => (StatusCode::ACCEPTED, "").into_response(),
        Err(_) => (StatusCode::SERVICE_UNAVAILABLE, "the session is busy\n").into_response(),
    }
}

/// Somebody comes to look.
async fn connect(
    State(shared): State<Arc<Shared>>,
    Query(place): Query<Where>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let viewer = shared.next.fetch_add(1, Ordering::Relaxed);
    let name = match place.session.as_deref() {
        None => format!("viewer-{viewer}"),
        given => match session_name(given) {
            Some(name) => name.to_owned(),
            None => {
                return (StatusCode::BAD_REQUEST, "a session is named by letters, digits and dashes\n")
                    .into_response();
            }
        },
    };
    let limit = shared.settings.limits.message_bytes;
    upgrade
        .max_message_size(limit)
        .max_frame_size(limit)
        .on_upgrade(move |socket| look(shared, name, viewer, socket))
}

/// One viewer, from coming to going.
async fn look(shared: Arc<Shared>, name: String, viewer: u64, socket: WebSocket) {
    let outbox = Arc::new(Outbox::default());
    let (mut sink, mut stream) = socket.split();
    let orders = match shared.enter(&name, viewer, &outbox) {
        Ok(orders) => orders,
        Err(words) => {
            sink.send(Message::Text(Tell::error(words).text().into())).await.ok();
            return;
        }
    };
    let sent = Arc::clone(&outbox);
    let mut writing = tokio::spawn(async move {
        loop {
            let message = match sent.next().await {
                Parcel::Words(text) => Message::Text(text),
                Parcel::Frame(bytes) => Message::Binary(bytes),
                Parcel::End => break,
            };
            if sink.send(message).await.is_err() {
                break;
            }
        }
        sink.close().await.ok();
    });
    let mut pace = Pace::new(shared.settings.limits, clock::now());
    loop {
        let message = tokio::select! {
            message = stream.next() => message,
            _ = &mut writing => break,
        };
        let complain = |words: String| outbox.say("error", false, Tell::error(words).text().into());
        match message {
            Some(Ok(Message::Text(text))) => {
                if !pace.allows(clock::now()) {
                    complain("too many messages at once; this one was left out".to_owned());
                    continue;
                }
                match read(&text) {
                    Ok(ask) => match orders.try_send(Order::Ask(viewer, ask)) {
                        Ok(()) => {}
                        Err(TrySendError::Full(_)) => complain("the session is busy; ask again".to_owned()),
                        Err(TrySendError::Disconnected(_)) => break,
                    },
                    Err(words) => complain(words),
                }
            }
            Some(Ok(Message::Binary(_))) => complain("expected words, found bytes".to_owned()),
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
            Some(Ok(Message::Close(_)) | Err(_)) | None => break,
        }
    }
    shared.leave(&name, viewer, &orders);
    outbox.close();
    writing.abort();
}
