//! `aide hook guard`: withdraws the questions of a hook that was killed. Not meant to be called by hand.

use crate::command_line::Command;
use crate::command_line::layout::Layout;
use crate::context::{Context, DONE};
use crate::detach;
use crate::failure::Failure;
use clap::ArgMatches;
use model::{SessionId, Via};
use std::env;
use std::io::{self, Read, Write};
use std::process::ChildStdin;
use store::Project;

/// `aide hook guard`
pub(super) static COMMAND: Command = Command { name: "guard", build, run };

/// What the hook says when it has ended by itself.
const DONE_WORD: &str = "done\n";

/// More than a hook says, in bytes.
const MAX_SAID: u64 = 256;

/// A process that outlives this one. What it reads ends when this process does, however that comes about.
pub(super) struct Guard(Option<ChildStdin>);

impl Guard {
    /// Starts it for questions of `project`. Without one, a killed hook leaves its questions open until their deadline.
    pub(super) fn start(project: &Project) -> Self {
        Self(detach::listen(project, &["hook", "guard"]).ok())
    }

    /// Has it watch over the questions `session`.
    pub(super) fn watch(&mut self, session: &SessionId) {
        if let Some(pipe) = &mut self.0 {
            // One that is gone watches over nothing.
            let _ = writeln!(pipe, "{session}");
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(mut pipe) = self.0.take() {
            // One that is gone needs no word.
            let _ = pipe.write_all(DONE_WORD.as_bytes());
        }
    }
}

fn build(_: Layout) -> clap::Command {
    clap::Command::new(COMMAND.name).hide(true).disable_help_flag(true)
}

fn run(context: &Context, _: &ArgMatches) -> Result<u8, Failure> {
    // An agent ends a hook with its whole group.
    let _ = rustix::process::setsid();
    let decisions = context.project()?.decisions()?;
    let _ = env::set_current_dir("/");
    let mut input = String::new();
    // It ends when the hook does.
    let _ = io::stdin().lock().take(MAX_SAID).read_to_string(&mut input);
    let mut lines = input.lines();
    let session = lines.next().and_then(|session| session.parse::<SessionId>().ok());
    let has_ended = lines.next() == Some(DONE_WORD.trim_end());
    if let Some(session) = session.filter(|_| !has_ended) {
        // What has ended meanwhile stays as it ended.
        let _ = decide::cancel(&decisions, &session, Via::Api);
    }
    Ok(DONE)
}
