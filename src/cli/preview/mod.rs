//! `packer preview`: the page of a prompt, served on the loopback address, that follows changes.

mod shown;

use std::collections::HashSet;
use std::convert::Infallible;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use anyhow::Context as _;
use context_packer::command::state_of;
use context_packer::explain::{Explanation, Question};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{self, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::{Value as Json, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Mutex, Semaphore, watch};

use self::shown::{Choice, Shown};
use super::input::Input;
use super::options::{PromptArgs, Purpose};
use super::page::Problem;
use super::report::{Terminal, print, sentence};
use super::request::Order;
use super::{Global, explain, page, trust};

pub(super) const EXAMPLES: &str = "\
Examples:
  packer preview --role implementer --task 'Add a --json flag' --target src/main.rs
  packer preview --role .packer/roles/auditor.yaml --prompts-dir prompts --allow-template audit.j2";

/// The interval at which what was packed is looked at again.
const LOOK: Duration = Duration::from_millis(300);

/// A page that waits for changes gets an answer after this time, whatever happens.
const WAIT: Duration = Duration::from_secs(25);

/// A browser that has not sent its headers, or what follows them, within this time is disconnected.
const HEADERS: Duration = Duration::from_secs(10);

/// The most connections at a time.
const CONNECTIONS: usize = 64;

/// How many prompts fit into memory, with everything that is said about them: the one that is
/// shown, the next one, and what is being sent.
const PROMPTS: usize = 4;

/// The most bytes that a page sends.
const MAX_BODY: usize = 1024 * 1024;

#[derive(Debug, clap::Args)]
pub(super) struct PreviewArgs {
    /// Use this template instead of the role's own
    #[arg(long, value_name = "NAME")]
    template: Option<String>,

    /// Listen on this port of 127.0.0.1 [default: a free one]
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1024..))]
    port: Option<u16>,

    #[command(flatten)]
    prompt: PromptArgs,
}

struct Preview {
    global: Global,
    /// What the command line asks for.
    order: Order,
    /// What the page asks for instead, and what it shows. One prompt is built at a time.
    state: Mutex<State>,
    /// Counts the renderings.
    version: watch::Sender<u64>,
    /// The host names under which a browser may call this server.
    hosts: [String; 2],
}

struct State {
    choice: Choice,
    shown: Shown,
    /// The files that the prompt is made of, and the folders in which new files may appear.
    watched: HashSet<PathBuf>,
    /// What they looked like.
    seen: u64,
    /// The answer for what is shown, with the number of its rendering: slow readers share it with
    /// all others.
    page: Option<(u64, Bytes)>,
    json: Option<(u64, Bytes)>,
}

/// A prompt that was built.
struct Built {
    explanation: Explanation,
    watched: HashSet<PathBuf>,
    seen: u64,
}

impl State {
    fn show(&mut self, built: Built) {
        self.shown = Shown::of(built.explanation);
        self.watched = built.watched;
        self.seen = built.seen;
        (self.page, self.json) = (None, None);
    }

    fn fail(&mut self, error: &anyhow::Error) {
        self.watched.extend(told_of(error));
        self.seen = state_of(&self.watched, SystemTime::now());
        self.shown.fail(Problem::of(error));
        (self.page, self.json) = (None, None);
    }

    fn page(&mut self, version: u64) -> anyhow::Result<Bytes> {
        if let Some((_, page)) = self.page.as_ref().filter(|(of, _)| *of == version) {
            return Ok(page.clone());
        }
        let shown = &self.shown;
        let page = page::live(&shown.explanation, version, shown.problem.as_ref())?;
        let page = Bytes::from(page);
        self.page = Some((version, page.clone()));
        Ok(page)
    }

    fn json(&mut self, version: u64) -> Bytes {
        if let Some((_, json)) = self.json.as_ref().filter(|(of, _)| *of == version) {
            return json.clone();
        }
        let json = Bytes::from(self.shown.json(version).to_string());
        self.json = Some((version, json.clone()));
        json
    }
}

pub(super) fn run(global: &Global, args: &PreviewArgs, terminal: &Terminal) -> anyhow::Result<()> {
    let purpose = Purpose {
        command: "preview",
        template: args.template.as_deref(),
        no_task: Some(explain::NO_TASK),
    };
    let mut input = Input::default();
    let order = args.prompt.order(global, &purpose, &mut input)?;
    terminal.warn(&input.warnings);
    context_packer::memory::make_room_for(PROMPTS);
    check_open_files().context("cannot start")?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start")?;
    let served = runtime.block_on(serve(global.clone(), order, args.port.unwrap_or(0)));
    // A prompt that is being built is not waited for.
    runtime.shutdown_background();
    served
}

/// Checks whether enough files may be opened to wait for signals: otherwise the library that does
/// so panics.
#[cfg(unix)]
fn check_open_files() -> std::io::Result<()> {
    let pair = |_| std::os::unix::net::UnixStream::pair();
    (0..3).map(pair).collect::<Result<Vec<_>, _>>().map(drop)
}

#[cfg(not(unix))]
fn check_open_files() -> std::io::Result<()> {
    Ok(())
}

/// Serves until Ctrl-C.
async fn serve(global: Global, order: Order, port: u16) -> anyhow::Result<()> {
    let choice = Choice::of(&order);
    let built = built(&global, choice.clone().over(&order))?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
        .await
        .with_context(|| format!("cannot listen on port {port} of 127.0.0.1"))?;
    let port = listener
        .local_addr()
        .context("cannot tell the port")?
        .port();
    let preview = Arc::new(Preview {
        global,
        order,
        state: Mutex::new(State {
            choice,
            shown: Shown::of(built.explanation),
            watched: built.watched,
            seen: built.seen,
            page: None,
            json: None,
        }),
        version: watch::Sender::new(1),
        hosts: ["127.0.0.1", "localhost"].map(|host| format!("{host}:{port}")),
    });
    // Waited for before anybody knows the address.
    let mut ended = pin!(tokio::signal::ctrl_c());
    if let Ok(ended) = tokio::time::timeout(Duration::ZERO, &mut ended).await {
        return ended.context("cannot wait for Ctrl-C");
    }
    print(&format!("http://127.0.0.1:{port}/\n"))?;
    super::report::say(
        "Updates when a role, a template or a packed file changes. Press Ctrl-C to stop.\n",
    );
    let connections = Arc::new(Semaphore::new(CONNECTIONS));
    tokio::select! {
        () = accept(&listener, &preview, &connections) => {}
        () = follow(&preview) => {}
        ended = &mut ended => ended.context("cannot wait for Ctrl-C")?,
    }
    Ok(())
}

/// Takes one connection after another.
async fn accept(listener: &TcpListener, preview: &Arc<Preview>, connections: &Arc<Semaphore>) {
    loop {
        let Ok(permit) = connections.clone().acquire_owned().await else {
            return;
        };
        let Ok((stream, _)) = listener.accept().await else {
            // Too many open files, say: what is open may be closed soon.
            tokio::time::sleep(LOOK).await;
            continue;
        };
        let preview = preview.clone();
        tokio::spawn(async move {
            converse(stream, preview).await;
            drop(permit);
        });
    }
}

async fn converse(stream: TcpStream, preview: Arc<Preview>) {
    let service = service_fn(move |request| {
        let preview = preview.clone();
        async move { Ok::<_, Infallible>(guarded(answer(&preview, request).await)) }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEADERS);
    // A browser that goes away is no error of ours.
    let _ = http.serve_connection(TokioIo::new(stream), service).await;
}

type Answer = Response<Full<Bytes>>;

const JSON: &str = "application/json";

/// Tells the browser what may not be done with an answer.
fn guarded(mut answer: Answer) -> Answer {
    const HEADERS: [(header::HeaderName, &str); 5] = [
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (
            header::HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
    ];
    for (name, value) in HEADERS {
        let value = HeaderValue::from_static(value);
        answer.headers_mut().insert(name, value);
    }
    answer
}

async fn answer(preview: &Arc<Preview>, request: Request<Incoming>) -> Answer {
    if !preview.is_own(&request) {
        return refusal(
            StatusCode::FORBIDDEN,
            "this address answers only its own page",
        );
    }
    match (request.method(), request.uri().path()) {
        (&Method::GET, "/") => preview.page().await,
        (&Method::GET, "/changes") => preview.changes(request.uri().query()).await,
        (&Method::POST, "/explain") => preview.explain(request).await,
        (_, "/" | "/changes" | "/explain") => {
            refusal(StatusCode::METHOD_NOT_ALLOWED, "not this way")
        }
        _ => refusal(StatusCode::NOT_FOUND, "there is no such page"),
    }
}

impl Preview {
    /// Whether a request comes from the page itself, or from a person who typed the address.
    /// Another page could have its own name lead here, or send something blindly.
    fn is_own(&self, request: &Request<Incoming>) -> bool {
        let value = |name: &str| request.headers().get(name).map(HeaderValue::as_bytes);
        let is_host = |host: &[u8]| self.hosts.iter().any(|own| own.as_bytes() == host);
        let host = value("host").is_some_and(is_host);
        let origin = value("origin").is_none_or(|origin| {
            origin
                .strip_prefix(b"http://")
                .is_some_and(|origin| Some(origin) == value("host"))
        });
        let site = value("sec-fetch-site").is_none_or(|s| s == b"same-origin" || s == b"none");
        host && origin && site
    }

    async fn page(&self) -> Answer {
        let mut state = self.state.lock().await;
        match state.page(*self.version.borrow()) {
            Ok(page) => reply(StatusCode::OK, "text/html; charset=utf-8", page),
            Err(error) => refusal(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
        }
    }

    /// Waits for a newer rendering than the one that the page has.
    async fn changes(&self, query: Option<&str>) -> Answer {
        let since = query.and_then(|query| query.strip_prefix("since="));
        let Some(since) = since.and_then(|since| since.parse::<u64>().ok()) else {
            return refusal(StatusCode::BAD_REQUEST, "`since` must be a number");
        };
        let mut version = self.version.subscribe();
        // A page of an earlier server has seen more, and gets what there is.
        let newer = version.wait_for(|version| *version != since);
        // Whatever comes of waiting, what is there now is told.
        let _ = tokio::time::timeout(WAIT, newer).await;
        let mut state = self.state.lock().await;
        let version = *self.version.borrow();
        if version == since {
            return json_of(StatusCode::OK, &json!({"version": version}));
        }
        reply(StatusCode::OK, JSON, state.json(version))
    }

    /// Builds the prompt as the page asks for it.
    async fn explain(self: &Arc<Self>, request: Request<Incoming>) -> Answer {
        let kind = request.headers().get(header::CONTENT_TYPE);
        if kind.is_none_or(|kind| !kind.as_bytes().starts_with(b"application/json")) {
            return refusal(StatusCode::UNSUPPORTED_MEDIA_TYPE, "this is not JSON");
        }
        let body = Limited::new(request.into_body(), MAX_BODY).collect();
        let body = match tokio::time::timeout(HEADERS, body).await {
            Ok(Ok(body)) => body,
            Ok(Err(_)) => return refusal(StatusCode::PAYLOAD_TOO_LARGE, "this is too much"),
            Err(_) => return refusal(StatusCode::REQUEST_TIMEOUT, "this takes too long"),
        };
        let choice = match Choice::parse(&body.to_bytes()) {
            Ok(choice) => choice,
            Err(error) => return refusal(StatusCode::UNPROCESSABLE_ENTITY, &sentence(&error)),
        };
        let mut state = self.state.lock().await;
        match self.build(choice.clone()).await {
            Ok(built) => {
                state.choice = choice;
                state.show(built);
                self.version.send_modify(|version| *version += 1);
                reply(StatusCode::OK, JSON, state.json(*self.version.borrow()))
            }
            Err(error) => {
                let Problem { message, help } = Problem::of(&error);
                let json = json!({"error": message, "help": help});
                json_of(StatusCode::UNPROCESSABLE_ENTITY, &json)
            }
        }
    }

    async fn build(self: &Arc<Self>, choice: Choice) -> anyhow::Result<Built> {
        let preview = self.clone();
        let build = move || built(&preview.global, choice.over(&preview.order));
        tokio::task::spawn_blocking(build)
            .await
            .context("the prompt could not be built")?
    }
}

/// Renders again whenever something changed on disk.
async fn follow(preview: &Arc<Preview>) {
    loop {
        tokio::time::sleep(LOOK).await;
        let (watched, choice, seen) = {
            let state = preview.state.lock().await;
            (state.watched.clone(), state.choice.clone(), state.seen)
        };
        let look = move || state_of(&watched, SystemTime::now());
        let now = tokio::task::spawn_blocking(look).await;
        if now.is_ok_and(|now| now == seen) {
            continue;
        }
        let mut state = preview.state.lock().await;
        if state.seen != seen {
            continue;
        }
        let before = state.shown.text();
        match preview.build(choice).await {
            Ok(built) => state.show(built),
            Err(error) => state.fail(&error),
        }
        if state.shown.text() != before {
            preview.version.send_modify(|version| *version += 1);
        }
    }
}

/// Returns the files in which something is wrong: when they change, it may be fixed.
fn told_of(error: &anyhow::Error) -> Vec<PathBuf> {
    let known = error.downcast_ref::<context_packer::Error>();
    let places = known
        .into_iter()
        .flat_map(context_packer::Error::diagnostics);
    let places = places.filter_map(|problem| problem.place.as_ref());
    places.map(|place| PathBuf::from(&place.file)).collect()
}

/// Builds a prompt, explains it, and records what its files look like.
fn built(global: &Global, order: Order) -> anyhow::Result<Built> {
    let started = SystemTime::now();
    let job = order.prepare(&global.roles()?)?;
    let packer = global.packer()?;
    let question = Question {
        with_prompt: true,
        ..Question::default()
    };
    let explanation = explain::explain(&packer, &job, &question)?;
    let mut watched = made_of(packer.root(), &explanation);
    watched.extend(job.role.chain().iter().map(PathBuf::from));
    watched.extend(global.template_files());
    watched.extend(trust::files(&packer));
    watched.extend(packer.git_files());
    Ok(Built {
        // What was changed since then may have been read before that.
        seen: state_of(&watched, started),
        watched,
        explanation,
    })
}

/// Returns the files that are in a prompt, and the folders in which new ones may appear.
fn made_of(root: &Path, explanation: &Explanation) -> HashSet<PathBuf> {
    let mut paths: HashSet<PathBuf> = [".packer/roles", ".supervisor/roles"]
        .map(|path| root.join(path))
        .into();
    let pieces = explanation.sections.iter().flat_map(|s| &s.pieces);
    for path in pieces.filter_map(|piece| piece.path.as_deref()) {
        let path = root.join(path);
        paths.extend(path.parent().map(Path::to_owned));
        paths.insert(path);
    }
    paths
}

fn json_of(status: StatusCode, json: &Json) -> Answer {
    reply(status, JSON, json.to_string())
}

fn refusal(status: StatusCode, why: &str) -> Answer {
    json_of(status, &json!({"error": why, "help": null}))
}

fn reply(status: StatusCode, kind: &'static str, text: impl Into<Bytes>) -> Answer {
    let mut answer = Response::new(Full::new(text.into()));
    *answer.status_mut() = status;
    answer
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    answer
}
