//! `aide decide serve`: the server of a set of questions, as a process of its own. Not meant to be called by hand.

use crate::command_line::Command;
use crate::command_line::layout::{self, Layout, is_set};
use crate::context::{Context, DONE};
use crate::detach;
use crate::failure::Failure;
use crate::host::{Host, HostOutcome};
use crate::question_server::{QuestionServer, server_of, told_end};
use crate::server_flags::ServerFlags;
use crate::{outcome, trust};
use app::BlankForm;
use clap::ArgMatches;
use decide::WaitEnd;
use model::Ending;
use std::env;

/// `aide decide serve`
pub(crate) static COMMAND: Command = Command { name: "serve", build, run };

fn build(layout: Layout) -> clap::Command {
    clap::Command::new(COMMAND.name)
        .hide(true)
        .disable_help_flag(true)
        .arg(layout.session().required(true))
        .args(ServerFlags::arguments(layout))
        .arg(layout.flag(detach::BESIDE_DAEMON, ""))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    // Away from the terminal it was started in, so that neither its end nor its Ctrl-C is this process's. The leader of a
    // group cannot leave it; then it is on its own already.
    let _ = rustix::process::setsid();
    let project = context.project()?.clone();
    // It keeps no folder of its caller from being removed or unmounted.
    let _ = env::set_current_dir("/");
    // The caller has warned.
    context.has_warned.set(true);
    let settings = trust::server_settings(&project, context.layers()?, &ServerFlags::read(matches))?.value;
    let decisions = project.decisions()?;
    let session = outcome::session(&decisions, layout::session(matches).as_deref())?;
    let Some((pending, questions)) = decisions.set(&session)? else {
        let record = decide::record(&decisions, &session)?;
        let ending = record.map_or(Ending::Replaced(None), |record| record.ending);
        return Ok(told_end(context, &decisions, &session, WaitEnd::Ended(ending), false));
    };
    let form = BlankForm::prepare(questions, context.language.page.unwrap_or_default());
    let beside_daemon = is_set(matches, detach::BESIDE_DAEMON);
    let mut host = Host { project, decisions, pending, form, settings, beside_daemon };
    loop {
        let session = host.pending.session.clone();
        let HostOutcome { end, next } = match server_of(&host.decisions, &session)?
            .unless_beside_daemon(beside_daemon)
        {
            QuestionServer::By(_) => {
                // The caller that asked for a server has one.
                detach::is_served(context);
                return Ok(DONE);
            }
            QuestionServer::Missing => host
                .run(context, |info| detach::ready(context, &host.decisions, beside_daemon.then_some(info)))
                .inspect_err(|failure| detach::not_served(context, failure))?,
            QuestionServer::Ended(ending) => HostOutcome { end: WaitEnd::Ended(ending), next: None },
        };
        match end {
            WaitEnd::Elsewhere => {}
            // The message of this end may have no reader any more; the record tells all.
            WaitEnd::Ended(ending) if !matches!(ending, Ending::Replaced(_)) => {
                // Others that are open are served as well, until none are.
                let Some(next) = next else { return Ok(DONE) };
                let Some((pending, questions)) = host.decisions.set(&next)? else { return Ok(DONE) };
                let form = BlankForm::prepare(questions, context.language.page.unwrap_or_default());
                host = Host { pending, form, ..host };
            }
            end => return Ok(told_end(context, &host.decisions, &session, end, false)),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::command_line::{layout, read};
    use crate::server_flags::ServerFlags;

    #[test]
    fn the_arguments_are_read() {
        let matches = read(&["decide", "serve", "x", "--port=0"]).unwrap_or_else(|| panic!("no command"));
        assert_eq!(layout::session(&matches), Some("x".into()));
        let flags = ServerFlags { port: Some("0".into()), ..ServerFlags::default() };
        assert_eq!(ServerFlags::read(&matches), flags);
        assert_eq!(flags.written(), ["--port=0"]);
    }
}
