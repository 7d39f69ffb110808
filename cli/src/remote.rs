//! Asking a daemon: where it is, how long it may take, and what becomes of what it refuses.

use crate::command_line::layout::{is_set, text};
use crate::context::Context;
use crate::daemon_control::{self, DaemonFlags};
use crate::failure::{CANCELLED, Failure, RemoteError};
use crate::messages::{DaemonMessage, Message};
use crate::signals::Signals;
use crate::user_daemon::{self, Place};
use clap::ArgMatches;
use client::{Address, Client, ClientError, DaemonRegistration, Secret};
use daemon::WORKFLOWS;
use protocol::workflow::api::DecisionView;
use serde_json::Value;
use std::cell::RefCell;
use std::env;
use std::ffi::OsString;
use std::time::Duration;
use texts::{Lang, Need};

/// The longest that a daemon is given, in seconds: ten years.
const MAX_TIMEOUT: i64 = 315_360_000;

/// The exit code of Ctrl-C, as [`Signals`] has it.
const CTRL_C: u8 = 130;

/// A daemon, and how its answers are printed.
pub(crate) struct Remote<'c> {
    pub(crate) context: &'c Context,
    matches: &'c ArgMatches,
    limit: Option<Duration>,
    pub(crate) client: Client,
    /// Whether results are printed as JSON.
    pub(crate) json: bool,
    /// What is being waited for, where that is not the daemon's answer.
    awaited: RefCell<Option<DaemonMessage>>,
}

impl Remote<'_> {
    /// A line of the contract, the same in every language. What others have said in it is made harmless.
    pub(crate) fn line(&self, line: &str) {
        self.context.output.plain(line);
    }

    /// The same beside a result.
    pub(crate) fn notice(&self, line: &str) {
        self.context.output.relay(&format!("{}\n", line.replace('\n', "\\n")));
    }

    /// A result as one line of JSON.
    pub(crate) fn json(&self, value: &Value) -> Result<(), Failure> {
        self.context.output.json(&value.to_string())
    }

    /// A result of several lines.
    pub(crate) fn text(&self, text: &str) -> Result<(), Failure> {
        let end = if text.ends_with('\n') { "" } else { "\n" };
        self.context.output.text(&format!("{text}{end}"))
    }

    /// The table of the language that is spoken.
    pub(crate) fn pick<T>(&self, zh: &'static T, en: &'static T) -> &'static T {
        match self.context.output.lang() {
            Lang::Zh => zh,
            Lang::En => en,
        }
    }

    /// From now on `what` is being waited for; the daemon's answer where it is `None`.
    pub(crate) fn awaits(&self, what: Option<DaemonMessage>) {
        self.awaited.replace(what);
    }

    /// What is to be said of a signal that ends the wait.
    fn interrupted(&self, code: u8) -> Failure {
        let url = || self.client.address().ws().to_owned();
        let awaited = self.awaited.take().unwrap_or_else(|| DaemonMessage::AwaitedDaemon { url: url() });
        let mut failure = Failure::new(Message::daemon(DaemonMessage::Interrupted), None);
        failure.lines.push(Message::daemon(awaited));
        // Ctrl-C has a code of its own in the contract.
        failure.with_code(if code == CTRL_C { CANCELLED } else { code })
    }

    /// That the time is up, with what was being waited for.
    fn timed_out(&self, after: Duration) -> RemoteError {
        let error = ClientError::TimedOut { after };
        if self.json {
            return error.into();
        }
        let mut failure = Failure::from(error);
        failure.lines.extend(self.awaited.take().map(Message::daemon));
        failure.into()
    }

    /// The daemon as it is to be found now; `None` where that cannot be told. One that was started again may listen elsewhere.
    pub(crate) fn again(&self) -> Option<Client> {
        Client::new(located(self.context, self.matches).ok()?.0, self.limit).ok()
    }

    /// That the daemon has ended.
    pub(crate) fn gone(&self) -> ClientError {
        let url = self.client.address().ws().to_owned();
        ClientError::Unreachable { url, reason: "the connection was closed".to_owned() }
    }
}

/// Returns the address of a page of the daemon, by the name `localhost`.
pub(crate) fn page(client: &Client, path: &str) -> String {
    let http = client.address().http().to_string();
    format!("{}{path}", http.replacen("://127.0.0.1:", "://localhost:", 1))
}

/// Returns the address of the page of a decision; where it is not known, of the page of its workflow, or of the inbox.
pub(crate) fn page_of(client: &Client, decision: &DecisionView) -> String {
    let of_workflow = || decision.workflow_id.as_ref().map(|id| format!("/workflows/{id}"));
    let own = decision.set_id.as_ref().map(|set| format!("/d/{WORKFLOWS}.{set}"));
    page(client, &own.or_else(of_workflow).unwrap_or_default())
}

/// Asks a daemon by `act`, which returns the exit code, until it is done, its time is up or a signal comes.
pub(crate) fn ask(
    context: &Context,
    matches: &ArgMatches,
    act: impl AsyncFnOnce(&Remote<'_>) -> Result<u8, RemoteError>,
) -> Result<u8, Failure> {
    let json = is_set(matches, "json");
    match asked(context, matches, json, act) {
        Ok(code) => Ok(code),
        Err(trouble) if json => Ok(print_json(context, trouble)),
        Err(RemoteError::Client(error)) => Err(error.into()),
        Err(RemoteError::Here(failure)) => Err(failure),
    }
}

fn asked(
    context: &Context,
    matches: &ArgMatches,
    json: bool,
    act: impl AsyncFnOnce(&Remote<'_>) -> Result<u8, RemoteError>,
) -> Result<u8, RemoteError> {
    let limit = text(matches, "timeout").map(|given| seconds(&given)).transpose()?;
    let (address, own) = located(context, matches)?;
    // With --json, standard error has one line of JSON or none.
    if let Some(own) = own.filter(|_| !json) {
        user_daemon::note_version(context, &own);
    }
    let client = Client::new(address, limit)?;
    let remote = Remote { context, matches, limit, client, json, awaited: RefCell::default() };
    let runtime = crate::host::thread_runtime().map_err(|error| crate::host::failed(&error))?;
    let done = runtime.block_on(async {
        // Before the first request, so that no signal is missed.
        let mut signals = Signals::listen().map_err(|error| crate::host::failed(&error))?;
        let in_time = async {
            match limit {
                None => act(&remote).await,
                // All of it: each request alone, or each event, may be in time for ever.
                Some(after) => match tokio::time::timeout(after, act(&remote)).await {
                    Ok(done) => done,
                    Err(_) => Err(remote.timed_out(after)),
                },
            }
        };
        tokio::select! {
            done = in_time => done,
            code = signals.next() => Err(RemoteError::Here(remote.interrupted(code))),
        }
    });
    // A name that is still being looked up is not waited for.
    runtime.shutdown_background();
    done
}

/// A failure as one line of JSON on standard error; its exit code.
fn print_json(context: &Context, trouble: RemoteError) -> u8 {
    let details = match &trouble {
        RemoteError::Client(ClientError::Refused { refusal, .. }) => {
            let mut details = refusal.details.clone();
            details.insert("code".to_owned(), refusal.code.name().into());
            details
        }
        RemoteError::Here(failure) if !failure.lines.is_empty() => {
            let lang = context.output.lang();
            let lines: Vec<String> = failure.lines.iter().map(|line| line.render(lang)).collect();
            serde_json::Map::from_iter([("lines".to_owned(), lines.into())])
        }
        _ => serde_json::Map::new(),
    };
    let words = match &trouble {
        // As the contract has it, in every language.
        RemoteError::Client(ClientError::Refused { refusal, .. }) => Some(refusal.error.clone()),
        _ => None,
    };
    let failure = match trouble {
        RemoteError::Client(error) => error.into(),
        RemoteError::Here(failure) => failure,
    };
    context.output.failure_json(&failure, words, details);
    failure.code
}

fn seconds(given: &OsString) -> Result<Duration, Failure> {
    let seconds = given.to_str().and_then(|text| text.parse::<f64>().ok());
    let seconds = seconds.filter(|seconds| *seconds > 0.0 && *seconds <= 315_360_000.0);
    seconds.map(Duration::from_secs_f64).ok_or_else(|| {
        let need = Need::Integer { min: 1, max: MAX_TIMEOUT };
        Failure::flag("--timeout", given.to_string_lossy().into_owned(), need)
    })
}

/// Where the daemon is: where a flag or a variable says, else where one of this user runs, else where one would. With it, the one of
/// this user where that is meant.
fn located(
    context: &Context,
    matches: &ArgMatches,
) -> Result<(Address, Option<DaemonRegistration>), Failure> {
    let given = |flag: &str, variables: &[&str]| {
        let of_variable =
            || variables.iter().find_map(|name| env::var_os(name).filter(|url| !url.is_empty()));
        let url = text(matches, flag).or_else(of_variable)?;
        Some(url.to_string_lossy().into_owned())
    };
    let http = given("base-url", &["FINGER_HTTP_URL", "FINGER_HUB_URL"]);
    let ws = given("ws-url", &["FINGER_WS_URL"]);
    // Without a folder for its state there is none of this user's.
    let running = Place::of_user().ok().map_or(Ok(None), |place| place.running());
    // An error here does not stop a user who names another daemon.
    let own = if http.is_some() { running.unwrap_or_default() } else { running? };
    let address = match (&http, &own) {
        (Some(http), _) => Address::new(http, ws.as_deref(), Secret::default())?,
        (None, Some(own)) => {
            let own = own.address()?;
            Address::new(own.http(), Some(ws.as_deref().unwrap_or(own.ws())), Secret::default())?
        }
        (None, None) => {
            let settings = daemon_control::settings(context, &DaemonFlags::default())?;
            let http = format!("http://localhost:{}", settings.http_port);
            let own = format!("ws://localhost:{}", settings.ws_port);
            Address::new(&http, Some(ws.as_deref().unwrap_or(&own)), Secret::default())?
        }
    };
    // The secret is sent only to the daemon that it belongs to.
    match own {
        Some(own) if own.is_at(&address)? => Ok((address.with_secret(own.secret.clone()), Some(own))),
        _ => Ok((address, None)),
    }
}
