//! `aide daemon start --foreground`: the daemon in this process.

use super::super::mcp;
use crate::context::{Context, DONE};
use crate::daemon_control::{self, DaemonFlags, IN_BACKGROUND, READY};
use crate::failure::Failure;
use crate::host;
use crate::log;
use crate::messages::{DaemonMessage, Message};
use crate::notify::Steps;
use crate::signals::Signals;
use crate::this_program;
use crate::trust;
use crate::user_daemon::{Place, note_version};
use crate::user_files;
use ::mcp::Http;
use app::{Hall, SetId};
use client::DaemonRegistration;
use daemon::{Crew, DaemonOutcome, LogTo, Notices, Program, Stuck};
use settings::LogLevel;
use std::collections::BTreeMap;
use std::env;
use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt;
use std::process;
use std::sync::Arc;
use store::ServerInfo;
use texts::Lang;

/// Tells the process that the daemon in it has begun anew: its id, and what that daemon has waited for.
const RESTARTED: &str = "AIDE_DAEMON_RESTARTED";
/// The exit code of a process that a SIGTERM has ended, as [`Signals`] has it.
const TERMINATED: u8 = 143;

/// Returns the agents that are configured for the daemon.
///
/// # Errors
///
/// When the person's own file is wrong.
pub(super) fn crew(context: &Context) -> Result<Crew, Failure> {
    let user = context.user_layers()?;
    Ok(Crew::new(user.crew()?, &user.agent()?, trust::trusts_folder))
}

/// Warns of missing providers.
pub(super) fn warn_of_unknown_providers(context: &Context, crew: &Crew) {
    for (provider, agents) in crew.unknown_providers() {
        let what = DaemonMessage::UnknownProvider { provider: provider.to_owned(), agents };
        context.output.warning(&Message::daemon(what));
    }
}

/// Runs the daemon in this process until a signal or a request ends it.
pub(super) fn run(context: &Context, flags: &DaemonFlags) -> Result<u8, Failure> {
    let in_background = env::var_os(IN_BACKGROUND.0).is_some_and(|value| value == IN_BACKGROUND.1);
    if in_background {
        // Away from the terminal it was started in, so that neither its end nor its Ctrl-C is this process's. The leader of
        // a group cannot leave it; then it is on its own already.
        let _ = rustix::process::setsid();
        // The caller has warned.
        context.has_warned.set(true);
    }
    let settings = daemon_control::settings(context, flags)?;
    let crew = crew(context)?;
    let place = Place::of_user()?;
    let log = if in_background { LogTo::File } else { LogTo::Terminal };
    let program = DaemonProgram { context, flags, crew: &crew, in_background };
    loop {
        match daemon::run(&program, &place.make()?, &settings, &crew, log)? {
            // SIGTERM is the regular way to stop a daemon.
            DaemonOutcome::Ended(TERMINATED) => return Ok(DONE),
            DaemonOutcome::Ended(code) => return Ok(code),
            // The process that started this one waits until the other daemon answers.
            DaemonOutcome::AlreadyRunning if in_background => context.output.line(READY),
            DaemonOutcome::AlreadyRunning => match daemon_control::answering(&place)? {
                Some(running) => told_before(context, &running),
                // It was about to end.
                None => continue,
            },
        }
        return Ok(DONE);
    }
}

/// Says that the daemon was started.
pub(super) fn told_start(context: &Context, pid: u32) {
    context.output.line(&format!("Daemon started with PID {pid}"));
}

/// Says that the daemon runs already.
pub(super) fn told_before(context: &Context, running: &DaemonRegistration) {
    context.output.line(&format!("Daemon already running with PID {}", running.pid));
    note_version(context, running);
}

/// This program, for the daemon in it.
struct DaemonProgram<'c> {
    context: &'c Context,
    flags: &'c DaemonFlags,
    crew: &'c Crew,
    in_background: bool,
}

impl Program for DaemonProgram<'_> {
    type Signals = Signals;

    fn start_log(&self, level: LogLevel, file: Option<File>) -> io::Result<()> {
        log::start_at(level, file)
    }

    fn signals(&self) -> io::Result<Signals> {
        Signals::listen()
    }

    fn kept_flags(&self, http_port: u16, ws_port: u16) -> BTreeMap<String, String> {
        self.flags.kept(http_port, ws_port)
    }

    fn restarted(&self) -> Option<String> {
        let value = env::var(RESTARTED).ok()?;
        let (pid, reason) = value.split_once(' ')?;
        // The programs of that daemon have the same variable.
        (pid == process::id().to_string()).then(|| reason.to_owned())
    }

    fn hall(&self) -> Hall {
        Hall::without_home(self.context.language.page)
            .with_flow(host::flow_config)
            .with_undo(host::undo)
            .with_search(user_files::search_cache())
    }

    fn notices(&self) -> Box<dyn Notices> {
        let report = Arc::new(|message: &Message| tracing::warn!("{}", message.render(Lang::En)));
        Box::new(Steps::reporting(self.context.language.messages, report))
    }

    fn mcp(&self) -> io::Result<Arc<Http>> {
        mcp::for_daemon(self.context.lang_flag.clone())
    }

    fn ready(&self, daemon: &DaemonRegistration) {
        if self.in_background {
            self.context.output.line(READY);
        } else {
            told_start(self.context, daemon.pid);
            warn_of_unknown_providers(self.context, self.crew);
        }
    }

    fn end_stuck(stuck: Stuck) {
        log::flush();
        if let Stuck::Serving { reason } = stuck {
            let error = begin_anew(&reason);
            tracing::error!(%error, "cannot restart; exiting");
            log::flush();
        }
        process::exit(1);
    }
}

/// Makes this process the program that it was started as. Its id stays, so that a supervisor sees no end, and the ports are free for
/// it at once. Returns only if that cannot be done.
fn begin_anew(reason: &str) -> io::Error {
    let mut arguments = env::args_os();
    let name = arguments.next().unwrap_or_default();
    match this_program::executable() {
        Ok(program) => process::Command::new(program)
            .arg0(name)
            .args(arguments)
            .env(RESTARTED, format!("{} {reason}", process::id()))
            .exec(),
        Err(error) => error,
    }
}

impl daemon::Signals for Signals {
    async fn next(&mut self) -> u8 {
        Self::next(self).await
    }
}

impl Notices for Steps {
    fn look(&mut self, hall: &Hall, served_by: &dyn Fn(&SetId) -> Option<ServerInfo>) {
        Self::look(self, hall, served_by);
    }
}
