//! `aide agent exec`

mod help;

use super::folder;
use crate::agents::interrupted_questions::InterruptedQuestions;
use crate::agents::wake::{Arrivals, Interruption};
use crate::agents::{calls, people, providers};
use crate::clock::SystemClock;
use crate::command_line::Command;
use crate::command_line::layout::{Layout, is_set, text};
use crate::context::{Context, DONE};
use crate::failure::{Failure, STILL_PENDING};
use crate::input_file;
use crate::messages::{AgentMessage, Message};
use agent::{
    AgentFolder, Blocker, CommandAdmission, CommandEnd, CurrentCall, Executor, Finish, InlineLimits, Rules,
    Waker,
};
use clap::ArgMatches;
use protocol::agent::Order;
use std::sync::mpsc;
use std::time::Duration;
use store::Decisions;

/// `aide agent exec`
pub(crate) static COMMAND: Command = Command { name: "exec", build, run };

/// Purpose of the folder's lock, shown to other processes.
const PURPOSE: &str = "agent exec";
const FILE: &str = "FILE";

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .command(COMMAND.name, words.about, words.usage, words.after)
        .arg(layout.positional(FILE, words.file).required(true))
        .arg(layout.value("agent", "DIR", words.agent).required(true))
        .arg(layout.value("provider", "NAME", words.provider))
        .arg(layout.flag("no-wait", words.no_wait))
        .arg(layout.flag("json", words.json))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let given = |name| text(matches, name).unwrap_or_default();
    let bytes = input_file::read(&given(FILE))?;
    let order = Order::parse(&bytes)?;
    let config = providers::config(context)?;
    let folder = AgentFolder::open(&folder::named(context.project()?, &given("agent")), PURPOSE)?;
    let profile = folder.profile().provider.as_deref();
    let provider = providers::choose(context, &config, text(matches, "provider").as_deref(), profile)?;
    let awaited = InterruptedQuestions::default();
    let provider = awaited.noting(provider, None);
    let interruption = Interruption::default();
    let channel = mpsc::channel();
    interruption.listen(channel.0.clone())?;
    let decisions = people::decisions(context.project()?)?;
    let call = CurrentCall::default();
    let executor = Executor {
        call: &call,
        people: people::for_context(context, decisions.as_ref()),
        folder: &folder,
        clock: &SystemClock,
        provider: &*provider,
        rules: Rules {
            human_timeout: Some(config.human_timeout).filter(|time| *time > 0).map(Duration::from_secs),
            inline: InlineLimits::default(),
            settle: Duration::from_secs(config.settle_time),
        },
        cancellation: &interruption.cancellation,
    };
    let json = is_set(matches, "json");
    let work = match executor.accept(order, &bytes)? {
        CommandAdmission::Ended(ended) => return print(context, *ended, json),
        CommandAdmission::Work(work) => work,
    };
    let plan = folder.plan(&work.command().plan_id)?;
    let answers = people::answers(context.project()?);
    let mut arrivals = (!is_set(matches, "no-wait")).then(|| {
        let folders = [plan.inbox_path(), plan.workspace_path(), answers.as_path()];
        Arrivals::watch(&folders, channel, |words| {
            context.output.warning(&Message::agent(AgentMessage::CannotWatch { words }));
        })
    });
    let waker = arrivals.as_mut().map(|arrivals| arrivals as &mut dyn Waker);
    let mut printed = Vec::new();
    let mut last = None;
    let mut tell_wait = |blocked: &Blocker| {
        last = Some(awaited_input(blocked));
        let message = waiting(blocked);
        let words = format!("{message:?}");
        if !printed.contains(&words) {
            context.output.notice(&Message::agent(message));
            printed.push(words);
            lead(context, decisions.as_ref(), blocked);
        }
    };
    let agent = folder.id().as_str();
    let finish = calls::with_reports(&context.output, (agent, &call), false, || {
        agent::finish(&executor, &work, waker, &mut tell_wait)
    })?;
    match finish {
        Finish::Ended(ended) => print(context, *ended, json),
        Finish::Missing(blocked) => {
            let what = AgentMessage::Missing { names: names(&blocked) };
            let hint = AgentMessage::PutInputs { folder: plan.inputs_path().to_owned() };
            Err(Failure::new(Message::agent(what), Message::agent(hint)).with_code(STILL_PENDING))
        }
        Finish::Interrupted => {
            let mut failure =
                Failure::new(Message::agent(AgentMessage::Parked), Message::agent(AgentMessage::RunAgain));
            failure.lines = awaited.lines();
            if failure.lines.is_empty() {
                failure.lines.extend(last.map(Message::agent));
            }
            Err(failure.with_code(interruption.code()))
        }
    }
}

/// Leads the person to the questions.
fn lead(context: &Context, decisions: Option<&Decisions>, blocked: &Blocker) {
    let session = blocked.human.as_ref().and_then(|human| human.session.as_ref());
    let (Some(decisions), Some(session)) = (decisions, session) else { return };
    match people::how_to_answer(context, decisions, session) {
        Ok((url, commands)) => {
            if let Some(url) = url {
                context.output.notice(&Message::OpenLink { url });
            }
            context.output.notice(&commands);
        }
        Err(failure) => context.output.warning_of(&failure),
    }
}

fn waiting(blocked: &Blocker) -> AgentMessage {
    let names = names(blocked);
    match &blocked.human {
        Some(human) => AgentMessage::PersonAsked { request: human.request_id.to_string(), names },
        None => AgentMessage::WaitsFor { names },
    }
}

/// What a signal has ended the wait for.
fn awaited_input(blocked: &Blocker) -> AgentMessage {
    let names = names(blocked);
    match &blocked.human {
        Some(human) => AgentMessage::AwaitedPerson { request: human.request_id.to_string(), names },
        None => AgentMessage::AwaitedInputs { names },
    }
}

fn names(blocked: &Blocker) -> Vec<String> {
    let missing = blocked.missing.iter().map(|input| input.name.to_string());
    missing.chain(blocked.ambiguous.iter().map(|input| input.name.to_string())).collect()
}

/// The message, or the result document.
fn print(context: &Context, ended: CommandEnd, json: bool) -> Result<u8, Failure> {
    if ended.from_record {
        context.output.notice(&Message::agent(AgentMessage::FromRecord));
    }
    if let Some(failure) = ended.failure {
        return Err(failure.into());
    }
    match ended.document {
        Some(document) if json => {
            let document = serde_json::to_string(&document);
            let failed = |error: serde_json::Error| Message::Internal { words: error.to_string() };
            context.output.json(&document.map_err(|error| Failure::new(failed(error), None))?)?;
        }
        _ => context.output.text(&(ended.message + "\n"))?,
    }
    Ok(DONE)
}

#[cfg(test)]
mod tests {
    use crate::command_line::layout::{is_set, text};
    use crate::command_line::read;

    #[test]
    fn arguments() {
        let words = ["agent", "exec", "--agent", "a", "-", "--provider=p", "--no-wait", "--json"];
        let matches = read(&words).unwrap();
        for (name, value) in [("FILE", "-"), ("agent", "a"), ("provider", "p")] {
            assert_eq!(text(&matches, name), Some(value.into()), "{name}");
        }
        assert!(is_set(&matches, "no-wait") && is_set(&matches, "json"));
        assert!(read(&["agent", "exec", "-"]).is_none());
        assert!(read(&["agent", "exec", "--agent", "a"]).is_none());
    }
}
