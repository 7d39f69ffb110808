//! `aide decide wait`

mod help;

use crate::attend;
use crate::command_line::Command;
use crate::command_line::layout::{self, Layout, is_set, text};
use crate::context::Context;
use crate::detach::{self, StartOutcome};
use crate::failure::{Failure, STILL_PENDING};
use crate::link::{self, LastLink, LinkChange};
use crate::messages::Message;
use crate::notify::{self, Notifier, Question};
use crate::outcome;
use clap::ArgMatches;
use decide::{Outcome, WaitEnd};
use model::SessionId;
use settings::{WhenToNotify, keys};
use std::ffi::OsStr;
use std::time::{Duration, Instant};
use store::{Decisions, Project, ServerInfo};

/// `aide decide wait`
pub(crate) static COMMAND: Command = Command { name: "wait", build, run };

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .command(COMMAND.name, words.about, words.usage, words.after)
        .arg(layout.session())
        .arg(layout.value("timeout", "SECONDS", words.timeout))
        .arg(layout.value("notify", "HOW", words.notify))
        .arg(layout.json())
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let json = is_set(matches, "json");
    let limit = limit_of(text(matches, "timeout").as_deref())?;
    // A reminder is only given to who asks for one: waiting is begun again and again.
    let when = notify::when_requested(text(matches, "notify").as_deref(), |_| None)?;
    let deadline = limit.map(|limit| Instant::now() + limit);
    let project = context.project()?;
    let decisions = project.decisions()?;
    let Some(session) = outcome::asked_for(context, &decisions, layout::session(matches).as_deref())? else {
        return outcome::print_none(context, &decisions, COMMAND.name, json);
    };
    let mut last_link = LastLink::default();
    let mut tell = |server: &ServerInfo| {
        if let Some(news) = last_link.news_of(server) {
            // Standard output is for the result alone.
            context.output.notice(&Message::OpenLink { url: link::for_session(server, &session) });
            if news == LinkChange::First && when.is_some() {
                remind(context, project, &decisions, when, (server, &session));
            }
        }
    };
    loop {
        let server = match decide::outcome(&decisions, &session)? {
            Outcome::Pending { server } => server,
            Outcome::Unserved { .. } => match detach::bring_back(context, project, &decisions, &session)? {
                StartOutcome::Serves(server) => {
                    context.output.notice(&Message::BroughtBack);
                    server
                }
                // Told by the next look.
                StartOutcome::Over => continue,
                StartOutcome::Failed(code) => return Ok(code),
            },
            ended => return outcome::print(ended, context, &decisions, Some(&session), json),
        };
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let code = match attend::attend(&decisions, &session, left, || tell(&server))? {
            // Told by the next look.
            WaitEnd::Ended(_) | WaitEnd::Elsewhere | WaitEnd::Abandoned => continue,
            WaitEnd::Interrupted(code) => code,
            WaitEnd::TimedOut if json => {
                outcome::print_json(&Outcome::Pending { server }, context, Some(&session))?;
                STILL_PENDING
            }
            WaitEnd::TimedOut => {
                context
                    .output
                    .warning(&Message::StillPending { url: link::for_session(&server, &session), session });
                STILL_PENDING
            }
        };
        return Ok(code);
    }
}

/// How long `--timeout` lets wait; `None` is for ever.
fn limit_of(flag: Option<&OsStr>) -> Result<Option<Duration>, Failure> {
    let given = keys::DECIDE_TIMEOUT.given(flag, |_| None);
    let seconds = given.map(|given| given.value(&keys::DECIDE_TIMEOUT)).transpose()?;
    let seconds = seconds.and_then(|value| u64::try_from(value.as_integer()?).ok());
    Ok(seconds.filter(|seconds| *seconds > 0).map(Duration::from_secs))
}

/// It is a courtesy: without knowing what is asked there is none.
fn remind(
    context: &Context,
    project: &Project,
    decisions: &Decisions,
    when: Option<WhenToNotify>,
    (server, session): (&ServerInfo, &SessionId),
) {
    let config = context.layers().and_then(|layers| Ok(layers.config()?));
    if let (Ok(config), Ok(Some((_, questions)))) = (config, decisions.set(session)) {
        let input = context.language.messages.questions(questions.input());
        let question = Question { server, session, task: &input.task, items: input.items.len() };
        Notifier::new(context, project, &config, when).notify(context, &question);
    }
}
