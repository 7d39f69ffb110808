//! What `aide mcp` has this program do: serve pages, make projects, run commands.

use crate::command_line::layout::{Layout, Program as Called};
use crate::command_line::{self, Command, Invocation};
use crate::commands::COMMANDS;
use crate::context::{Context, DONE};
use crate::detach::{self, BackgroundServer, StartOutcome};
use crate::failure::Failure;
use crate::notify::{self, Notifier, Question};
use crate::offer::Offer;
use crate::output::{Captured, Output};
use crate::server_flags::ServerFlags;
use crate::{known, user_files};
use files::{Dir, FileError, FileFormat, Lock, durable};
use mcp::{Backend, CommandOutput, PageState, ToolFailure, UnannouncedQuestions};
use model::SessionId;
use serde_json::Value;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use store::{Decisions, Project, ServerInfo};
use texts::Lang;

/// What was learned of clients, in the folder of the person's state.
const STATE: &str = "aide";
const CLIENTS: &str = "mcp-clients.json";
/// The format of that file, and its member that has what was learned.
const FORMAT: FileFormat = FileFormat::FIRST;
const LEARNED: &str = "clients";
/// How large that may be, in bytes.
const MAX_CLIENTS: u64 = 64 << 10;

/// This program, for agents.
pub(super) struct Program {
    /// `--lang`, as given: that of the page.
    lang: Option<OsString>,
    /// Held while a server is started: a call at the same moment waits for it instead of starting another one.
    starting: Mutex<()>,
}

impl Program {
    pub(super) fn new(lang: Option<OsString>) -> Self {
        Self { lang, starting: Mutex::default() }
    }

    /// What a command has at hand in `folder`. It prints nothing, and what it would print is in English.
    fn context(&self, folder: &Path) -> (Context, Captured) {
        let captured = Captured::default();
        let arguments: Vec<_> = self.lang.iter().flat_map(|lang| ["--lang".into(), lang.clone()]).collect();
        let output = |_| Output::captured(Lang::En, captured.clone());
        let (context, _) = Context::at(Ok(PathBuf::from(folder)), &arguments, output);
        (context, captured)
    }

    fn show(
        &self,
        context: &Context,
        project: &Project,
        decisions: &Decisions,
        session: &SessionId,
        news: Option<&UnannouncedQuestions>,
    ) -> Result<Result<ServerInfo, PageState>, Failure> {
        // Questions that are known have had a server: it is brought back where it was.
        if news.is_none() {
            let _starting = self.starting.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(server) = detach::served_by(decisions, session)? {
                return Ok(Ok(server));
            }
            return Ok(match detach::bring_back(context, project, decisions, session)? {
                StartOutcome::Serves(server) => Ok(*server),
                StartOutcome::Over => Err(PageState::Over),
                StartOutcome::Failed(code) => return Err(not_started(code)),
            });
        }
        // They are open until they are answered, whether or not a call still waits.
        let flags = ServerFlags { timeout: Some("0".into()), ..ServerFlags::default() };
        let offer = Offer::new(context, &flags, false)?;
        let _starting = self.starting.lock().unwrap_or_else(PoisonError::into_inner);
        let served =
            detach::serve(context, project, decisions, session, (&flags, false), Some((&offer, None)))?;
        Ok(match served {
            BackgroundServer::Before(server) | BackgroundServer::Now(server) => Ok(*server),
            BackgroundServer::Over => Err(PageState::Over),
            BackgroundServer::Failed(code) => return Err(not_started(code)),
        })
    }
}

/// Tells the person of new questions. It is a courtesy: whatever is wrong with it is no matter of the agent.
fn notify(
    context: &Context,
    project: &Project,
    server: &ServerInfo,
    session: &SessionId,
    news: &UnannouncedQuestions,
) {
    let config = context.layers().and_then(|layers| Ok(layers.config()?));
    let when = notify::when_requested(None, |name| env::var_os(name));
    if let (Ok(config), Ok(when)) = (config, when) {
        let question = Question { server, session, task: &news.task, items: news.items };
        Notifier::new(context, project, &config, when).notify(context, &question);
    }
}

fn not_started(code: u8) -> Failure {
    let words = format!("the server of the page ended with {code}");
    Failure::new(crate::messages::Message::Internal { words }, None)
}

fn unable(failure: &Failure, captured: &Captured) -> ToolFailure {
    let explained = failure.explain(Lang::En);
    let notes = captured.lock().unwrap_or_else(PoisonError::into_inner).1.trim().to_owned();
    let what = if notes.is_empty() { explained.what } else { format!("{}: {notes}", explained.what) };
    ToolFailure { what, hint: explained.hint }
}

impl Backend for Program {
    fn serve(
        &self,
        project: &Project,
        decisions: &Decisions,
        session: &SessionId,
        news: Option<&UnannouncedQuestions>,
    ) -> Result<PageState, ToolFailure> {
        known::note(project.root());
        let (context, captured) = self.context(project.root());
        if news.is_some() {
            notify::prepare(
                project,
                session,
                notify::when_requested(None, |name| env::var_os(name)).ok().flatten(),
            );
        }
        match self.show(&context, project, decisions, session, news) {
            Ok(Ok(server)) => {
                if let Some(news) = news {
                    notify(&context, project, &server, session, news);
                }
                // Never one that lets in: an agent passes on what it gets.
                Ok(PageState::At(server.link_to(session)))
            }
            Ok(Err(shown)) => Ok(shown),
            Err(failure) => Err(unable(&failure, &captured)),
        }
    }

    fn init(&self, folder: &Path) -> Result<(), ToolFailure> {
        let (context, captured) = self.context(folder);
        let user = user_files::config();
        let made = store::init_below(folder, user.as_deref(), context.language.given);
        made.map(drop).map_err(|error| unable(&error.into(), &captured))
    }

    fn remembered(&self) -> String {
        let folder = user_files::state().and_then(|state| Dir::open(&state.join(STATE)).ok());
        folder.and_then(|folder| learned_in(&folder).ok()).unwrap_or_default()
    }

    fn remember(&self, learned: &str) {
        let Some(state) = user_files::state() else { return };
        if let Err(error) = keep(&state.join(STATE), learned) {
            tracing::debug!(?error, "cannot save what was learned about clients");
        }
    }

    fn run(&self, folder: &Path, arguments: &[String]) -> CommandOutput {
        let (context, captured) = self.context(folder);
        let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        let layout = Layout { lang: Lang::En, program: Called::Aide };
        let ran = command_line::parse(&COMMANDS, layout, &arguments).and_then(|asked| match asked {
            Invocation::Show(text) => context.output.text(&text).map(|()| DONE),
            Invocation::Run(matches) => Command::run_one_of(&COMMANDS, &context, &matches),
        });
        let code = ran.unwrap_or_else(|failure| {
            context.output.failure(&failure);
            failure.code
        });
        let (output, notes) = std::mem::take(&mut *captured.lock().unwrap_or_else(PoisonError::into_inner));
        CommandOutput { code, output, notes }
    }
}

/// Adds what was learned to what is kept in `folder`. Other processes do the same.
fn keep(folder: &Path, learned: &str) -> Result<(), FileError> {
    let folder = Dir::ensure(folder)?;
    let lock = Lock::take(&folder)?;
    let all = mcp::with_learned(&learned_in(&folder)?, learned);
    let all: Value = serde_json::from_str(&all).unwrap_or_default();
    let text = FORMAT.object([(LEARNED, all)]).to_string();
    durable::replace(&lock, &folder, CLIENTS, text.as_bytes())
}

/// What is kept in `folder` of what was learned, as JSON; nothing where it cannot be read.
///
/// # Errors
///
/// When a later program has written it.
fn learned_in(folder: &Dir) -> Result<String, FileError> {
    let bytes = folder.read(CLIENTS, MAX_CLIENTS).ok().flatten().unwrap_or_default();
    let document = serde_json::from_slice(&bytes).unwrap_or_default();
    let mut document: Value = FORMAT.known(&folder.path_of(CLIENTS), document)?;
    Ok(document.get_mut(LEARNED).map(Value::take).unwrap_or_default().to_string())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]
mod tests {
    use super::{CLIENTS, keep};
    use files::FileError;
    use serde_json::Value;
    use std::{fs, thread};

    #[test]
    fn processes_that_learn_at_once_lose_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let keep_one = |number: usize| {
            let learned =
                format!("[{{\"client\":\"{number}\",\"version\":\"1\",\"hold\":90,\"is_cut\":false}}]");
            keep(folder.path(), &learned).unwrap();
        };
        let keep_one = &keep_one;
        thread::scope(|scope| (0..16).for_each(|number| drop(scope.spawn(move || keep_one(number)))));
        let read = || fs::read(folder.path().join(CLIENTS)).unwrap();
        let kept: Value = serde_json::from_slice(&read()).unwrap();
        let kept = kept["clients"].as_array().unwrap().iter();
        let mut names: Vec<usize> =
            kept.map(|entry| entry["client"].as_str().unwrap().parse().unwrap()).collect();
        names.sort_unstable();
        assert_eq!(names, (0..16).collect::<Vec<_>>());
        // What a later program has learned is left as it is.
        let later = r#"{"format":2,"needs":"9.0.0","clients":{}}"#;
        fs::write(folder.path().join(CLIENTS), later).unwrap();
        assert!(matches!(keep(folder.path(), "[]"), Err(FileError::Newer { .. })));
        assert_eq!(read(), later.as_bytes());
    }
}
