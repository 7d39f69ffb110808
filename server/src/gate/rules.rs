//! What a request may be: a row for each endpoint. Router and gate are both made from these rows, so that nothing is routed
//! that the gate does not know, and nothing is let through in another form than the one that is handled.

use axum::Router;
use axum::handler::Handler;
use axum::routing::{MethodRouter, delete, get, post, put};
use http::Method;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// One method of one path, how it is asked for, and what answers.
pub(crate) struct Endpoint<S> {
    pub(crate) rules: Rules,
    handler: MethodRouter<S>,
}

/// What the gate asks of a request.
#[derive(Debug, Clone)]
pub(crate) struct Rules {
    pub(crate) method: Method,
    /// In the notation of axum.
    pub(crate) path: &'static str,
    /// Whether `HEAD` is answered as well, as it is for nearly every `GET`.
    pub(crate) answers_head: bool,
    pub(crate) form: Form,
    pub(crate) caller: Caller,
    /// The end of paths that are files, which programs read.
    file: Option<&'static str>,
    /// Whether this is the login itself, which is there only where one is needed.
    pub(crate) is_login: bool,
    /// Whether a link on another site may lead here.
    pub(crate) is_linkable: bool,
    /// Whether it is a WebSocket, which does more than other requests that only ask.
    pub(crate) is_socket: bool,
    pub(crate) class: Class,
    pub(crate) body: BodyLimits,
}

/// In which form the body comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Ignored.
    None,
    /// As a form of a page is posted.
    Urlencoded,
    Json,
    /// JSON, or nothing at all: then no content type is needed either.
    MaybeJson,
    /// As files are sent with a form; read as it comes.
    Multipart,
}

/// Who reads the answer, and hence in which form something is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Caller {
    /// A person, who wants to see the page.
    Page,
    /// A person, who has sent the form.
    Form,
    /// The page, on its own.
    Function,
    Script,
    /// A program that drives the daemon; its answers have the form of the contract.
    Program,
}

/// How long an answer may take, and who waits for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// It is known without the disk and the journal: the thread that serves answers it, whatever else waits.
    Instant,
    /// It only reads: on a thread that may wait, with a deadline.
    Quick,
    /// It writes something down: on a thread that may wait. Once begun it has no deadline, and the server does not end before
    /// it.
    Write,
    /// It takes its body as it comes, and has a turn among those that write ([`crate::InFlight::write`]) only when it
    /// does: a slow client would keep the others waiting. A thread that serves runs it: what may wait it does elsewhere.
    Upload,
    /// It is held until there is news: the server ends without it, and only so many are held. A thread that serves runs it: what
    /// may wait it does elsewhere.
    Held,
}

/// How much a body may be, and how fast it must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BodyLimits {
    /// The largest, in bytes.
    pub(crate) bytes: usize,
    /// How long all of it may take.
    pub(crate) deadline: Duration,
}

impl Default for BodyLimits {
    /// The documented 1 MiB, within 15 seconds.
    fn default() -> Self {
        Self { bytes: 1_048_576, deadline: Duration::from_secs(15) }
    }
}

impl BodyLimits {
    /// So many bytes, with as much time for each MiB as there is for one.
    pub(crate) fn up_to(bytes: usize) -> Self {
        let usual = Self::default();
        let times = u32::try_from(bytes.div_ceil(usual.bytes)).unwrap_or(u32::MAX);
        Self { bytes, deadline: usual.deadline.saturating_mul(times.max(1)) }
    }
}

impl Form {
    /// Whether the body is handed on as it comes, instead of as a whole.
    pub(crate) fn is_streamed(self) -> bool {
        self == Self::Multipart
    }

    /// The one content type that a body may have.
    pub(crate) fn media_type(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Urlencoded => Some("application/x-www-form-urlencoded"),
            Self::Json | Self::MaybeJson => Some("application/json"),
            Self::Multipart => Some("multipart/form-data"),
        }
    }
}

impl<S: Clone + Send + Sync + 'static> Endpoint<S> {
    fn new(method: Method, path: &'static str, form: Form, caller: Caller, handler: MethodRouter<S>) -> Self {
        let (is_get, body) = (method == Method::GET, BodyLimits::default());
        let class = if is_get { Class::Quick } else { Class::Write };
        let rules = Rules {
            method,
            path,
            answers_head: is_get,
            form,
            caller,
            file: None,
            is_login: false,
            is_linkable: false,
            is_socket: false,
            class,
            body,
        };
        Self { rules, handler }
    }

    /// A page that a person looks at.
    pub(crate) fn page<H: Handler<T, S>, T: 'static>(path: &'static str, handler: H) -> Self {
        Self::new(Method::GET, path, Form::None, Caller::Page, get(handler))
    }

    /// What a program reads.
    pub(crate) fn data<H: Handler<T, S>, T: 'static>(path: &'static str, handler: H) -> Self {
        Self::new(Method::GET, path, Form::None, Caller::Script, get(handler))
    }

    /// A form that is sent without script, and writes.
    pub(crate) fn form<H: Handler<T, S>, T: 'static>(path: &'static str, handler: H) -> Self {
        Self::new(Method::POST, path, Form::Urlencoded, Caller::Form, post(handler))
    }

    /// JSON that a program sends, and that is written down.
    pub(crate) fn json<H: Handler<T, S>, T: 'static>(path: &'static str, handler: H) -> Self {
        Self::new(Method::POST, path, Form::Json, Caller::Script, post(handler))
    }

    /// A server function that the page calls, and that writes.
    pub(crate) fn function<H: Handler<T, S>, T: 'static>(path: &'static str, handler: H) -> Self {
        Self::new(Method::POST, path, Form::Json, Caller::Function, post(handler))
    }

    /// What a program asks the daemon.
    pub(crate) fn ask<H: Handler<T, S>, T: 'static>(path: &'static str, handler: H) -> Self {
        Self::new(Method::GET, path, Form::None, Caller::Program, get(handler))
    }

    /// What a program tells the daemon, and that is written down.
    pub(crate) fn report<H: Handler<T, S>, T: 'static>(path: &'static str, handler: H) -> Self {
        Self::new(Method::POST, path, Form::MaybeJson, Caller::Program, post(handler))
    }

    /// What a program says to be so from now on.
    pub(crate) fn say<H: Handler<T, S>, T: 'static>(path: &'static str, handler: H) -> Self {
        Self::new(Method::PUT, path, Form::MaybeJson, Caller::Program, put(handler))
    }

    /// What a program has removed.
    pub(crate) fn remove<H: Handler<T, S>, T: 'static>(path: &'static str, handler: H) -> Self {
        Self::new(Method::DELETE, path, Form::MaybeJson, Caller::Program, delete(handler))
    }

    /// A message that a client posts, as JSON of up to so many bytes; the answer may take as long as it wants.
    pub(crate) fn post_message<H: Handler<T, S>, T: 'static>(
        path: &'static str,
        bytes: usize,
        handler: H,
    ) -> Self {
        let mut endpoint = Self::new(Method::POST, path, Form::Json, Caller::Program, post(handler));
        endpoint.rules.body = BodyLimits::up_to(bytes);
        endpoint.waiting()
    }

    /// Where a client listens for as long as it wants.
    pub(crate) fn listen<H: Handler<T, S>, T: 'static>(path: &'static str, handler: H) -> Self {
        let mut endpoint = Self::ask(path, handler).waiting();
        endpoint.rules.answers_head = false;
        endpoint
    }

    /// Where a client ends its session.
    pub(crate) fn end_session<H: Handler<T, S>, T: 'static>(path: &'static str, handler: H) -> Self {
        Self::remove(path, handler).waiting()
    }

    /// Allows callers to wait: the handler itself says when it writes ([`crate::InFlight::write`]).
    pub(crate) fn waiting(mut self) -> Self {
        self.rules.class = Class::Upload;
        self
    }

    /// The same as a WebSocket: it says by itself how long it is held, and browsers name their origin.
    pub(crate) fn socket(mut self) -> Self {
        self.rules.is_socket = true;
        self.rules.answers_head = false;
        self.waiting()
    }

    /// The same, where files are sent, up to so many bytes: the body is read as it comes.
    pub(crate) fn with_files(mut self, bytes: usize) -> Self {
        self.rules.form = Form::Multipart;
        self.rules.body = BodyLimits::up_to(bytes);
        self.rules.class = Class::Upload;
        self
    }

    /// The same, where a link on another site may lead.
    pub(crate) fn linkable(mut self) -> Self {
        self.rules.is_linkable = true;
        self
    }

    /// The same, where a path that ends in `suffix` is a file for programs.
    pub(crate) fn or_file(mut self, suffix: &'static str) -> Self {
        self.rules.file = Some(suffix);
        self
    }

    /// The same as a login: nothing is needed to ask for it, and it is there only where a login is needed.
    pub(crate) fn login(mut self) -> Self {
        self.rules.is_login = true;
        self.rules.answers_head = false;
        self
    }

    /// The same, known without the disk and the journal.
    pub(crate) fn instant(mut self) -> Self {
        self.rules.class = Class::Instant;
        self
    }

    /// The same, held until there is news. It writes nothing.
    pub(crate) fn held(mut self) -> Self {
        self.rules.class = Class::Held;
        self
    }
}

impl Rules {
    /// Who reads what is answered at `path`, which is one of these.
    pub(crate) fn caller_of(&self, path: &str) -> Caller {
        match self.file {
            Some(suffix) if path.ends_with(suffix) => Caller::Script,
            _ => self.caller,
        }
    }

    fn has(&self, method: &Method) -> bool {
        self.method == *method || self.answers_head && *method == Method::HEAD
    }
}

/// The rules of a table, by path.
#[derive(Default)]
pub(crate) struct RuleBook(matchit::Router<PathRules>);

/// The rules of one path.
pub(crate) struct PathRules {
    rules: Vec<Rules>,
    /// For the header `Allow`.
    allowed: Arc<str>,
}

/// Takes a table apart: the handlers for the router, the rules for the gate.
pub(crate) fn split<S: Clone + Send + Sync + 'static>(table: Vec<Endpoint<S>>) -> (Router<S>, RuleBook) {
    let mut router = Router::new();
    let mut paths: Vec<(&'static str, Vec<Rules>)> = Vec::new();
    for Endpoint { rules, handler } in table {
        router = router.route(rules.path, handler);
        match paths.iter_mut().find(|(path, _)| *path == rules.path) {
            Some((_, of_path)) => of_path.push(rules),
            None => paths.push((rules.path, vec![rules])),
        }
    }
    let mut book = matchit::Router::new();
    for (path, rules) in paths {
        // The router has taken the same path, and panics before this could fail.
        let _ = book.insert(path, PathRules::new(rules));
    }
    (router, RuleBook(book))
}

impl RuleBook {
    /// The rules of a path, if there is any such path. It is matched as axum matches it.
    pub(crate) fn for_path(&self, path: &str) -> Option<&PathRules> {
        self.0.at(path).ok().map(|found| found.value)
    }
}

impl PathRules {
    fn new(rules: Vec<Rules>) -> Self {
        let mut allowed = Vec::new();
        for rules in &rules {
            allowed.push(rules.method.as_str());
            if rules.answers_head {
                allowed.push(Method::HEAD.as_str());
            }
        }
        let allowed = allowed.join(", ").into();
        Self { rules, allowed }
    }

    /// The rules of a method; all the methods there are, if it has none.
    pub(crate) fn for_method(&self, method: &Method) -> Result<&Rules, Arc<str>> {
        self.rules.iter().find(|rules| rules.has(method)).ok_or_else(|| Arc::clone(&self.allowed))
    }

    /// The path, as the table has it.
    pub(crate) fn path(&self) -> &'static str {
        self.rules.first().map_or("", |rules| rules.path)
    }

    /// Whether programs that drive the daemon ask here.
    pub(crate) fn is_for_programs(&self) -> bool {
        self.rules.iter().any(|rules| rules.caller == Caller::Program)
    }

    /// Whether pages ask here on their own.
    pub(crate) fn is_function(&self) -> bool {
        self.rules.iter().any(|rules| rules.caller == Caller::Function)
    }
}

impl fmt::Debug for RuleBook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RuleBook(…)")
    }
}
