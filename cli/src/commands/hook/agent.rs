//! What an agent hands to a hook, and whether it is still there.

use crate::context::Context;
use crate::input_file::limited;
use crate::output::{Captured, Output};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, getppid};
use serde_json::{Map, Value};
use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use store::Project;
use texts::Lang;

/// How often to look whether the agent is gone. The system does not say when it ends.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

/// What an agent hands over on standard input.
pub(super) struct HookInput(Map<String, Value>);

impl HookInput {
    /// Reads it; `None` for what no agent sends.
    pub(super) fn read() -> Option<Self> {
        let bytes = limited(io::stdin().lock(), OsStr::new("-"), None).ok()?;
        let text = std::str::from_utf8(&bytes).ok()?;
        match serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()? {
            Value::Object(given) => Some(Self(given)),
            _ => None,
        }
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
    }

    pub(super) fn object(&self, name: &str) -> Option<&Map<String, Value>> {
        self.0.get(name).and_then(Value::as_object)
    }

    pub(super) fn value(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// The folders that the agent works in, the one that matters most first.
    pub(super) fn folders(&self) -> Vec<PathBuf> {
        let of_environment = env::var_os("CLAUDE_PROJECT_DIR").map(PathBuf::from);
        let roots = self.0.get("workspace_roots").and_then(Value::as_array).into_iter().flatten();
        let named = self.text("cwd").into_iter().chain(roots.filter_map(Value::as_str)).map(PathBuf::from);
        let mut folders: Vec<_> = of_environment.into_iter().chain(named).collect();
        folders.retain(|folder| folder.is_absolute() && folder.is_dir());
        if folders.is_empty() {
            folders.extend(env::current_dir());
        }
        folders.dedup();
        folders
    }
}

/// What a command has at hand in `folder`, whose output is not the agent's to read.
pub(super) fn quiet(context: &Context, folder: &Path) -> Context {
    let arguments: Vec<OsString> =
        context.lang_flag.iter().flat_map(|lang| ["--lang".into(), lang.clone()]).collect();
    let output = |_| Output::captured(Lang::En, Captured::default());
    Context::at(Ok(folder.to_owned()), &arguments, output).0
}

/// The project that one of `folders` is in; only one that has an `.aide/`.
pub(super) fn project(folders: &[PathBuf]) -> Option<Project> {
    let found = folders.iter().filter_map(|folder| Project::discover(folder).ok());
    found.into_iter().find(|project| project.root().join(".aide").is_dir())
}

/// The stream that an agent reads.
#[derive(Debug, Clone, Copy)]
pub(super) enum Stream {
    Output,
    Error,
}

/// The agent that has started this process.
pub(super) struct Presence {
    parent: Option<Pid>,
    stream: Stream,
}

impl Presence {
    pub(super) fn new(stream: Stream) -> Self {
        Self { parent: getppid(), stream }
    }

    /// Whether the agent has ended, or does not read any more what this process says.
    pub(super) fn is_over(&self) -> bool {
        if getppid() != self.parent {
            return true;
        }
        let closed = PollFlags::ERR | PollFlags::HUP;
        let is_closed = |fd: PollFd<'_>| {
            let mut fds = [fd];
            let looked = poll(&mut fds, Some(&rustix::event::Timespec::default()));
            looked.is_ok() && fds[0].revents().intersects(closed)
        };
        match self.stream {
            Stream::Output => is_closed(PollFd::new(&io::stdout(), PollFlags::empty())),
            Stream::Error => is_closed(PollFd::new(&io::stderr(), PollFlags::empty())),
        }
    }

    /// Completes once that is so.
    pub(super) async fn over(&self) {
        while !self.is_over() {
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }
}
