//! `aide doctor`

mod agents;
mod help;
mod machine;
mod probe;

use crate::command_line::Command;
use crate::command_line::layout::{Layout, is_set, text};
use crate::context::{Context, DONE};
use crate::failure::{FAILED, Failure};
use crate::messages::{Check, DoctorMessage, Message, SetupMessage};
use crate::output::Tone;
use crate::places;
use clap::ArgMatches;
use serde_json::{Value, json};
use settings::forms::span;
use setup::Agent;
use std::time::Duration;
use texts::Need;

/// `aide doctor`
pub(crate) static COMMAND: Command = Command { name: "doctor", build, run };

/// The longest that a call is held, for a trial.
const MAX_HOLD: Duration = Duration::from_secs(24 * 60 * 60);

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .command(COMMAND.name, words.about, words.usage, words.after)
        .arg(layout.value("agent", "AGENT", words.agent))
        .arg(layout.value("hold", "TIME", words.hold))
        .arg(layout.flag("json", words.json))
}

/// What was found out about one thing.
pub(super) struct Finding {
    check: Check,
    /// The agent that it is about, as the command line calls it.
    agent: Option<&'static str>,
    status: Status,
    /// Its name in JSON, the same in every language.
    code: &'static str,
    found: DoctorMessage,
    remedy: Option<DoctorMessage>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    Fine,
    /// Worth knowing, but nothing is wrong.
    Info,
    Wrong,
}

impl Finding {
    fn fine(check: Check, code: &'static str, found: DoctorMessage) -> Self {
        Self { check, agent: None, status: Status::Fine, code, found, remedy: None }
    }

    fn info(check: Check, code: &'static str, found: DoctorMessage, remedy: Option<DoctorMessage>) -> Self {
        Self { check, agent: None, status: Status::Info, code, found, remedy }
    }

    fn wrong(check: Check, code: &'static str, found: DoctorMessage, remedy: DoctorMessage) -> Self {
        Self { check, agent: None, status: Status::Wrong, code, found, remedy: Some(remedy) }
    }

    fn for_agent(self, agent: Agent) -> Self {
        Self { agent: Some(agent.name()), ..self }
    }

    fn to_json(&self, context: &Context) -> Value {
        let lang = context.output.lang();
        let check = match self.check {
            Check::Project => "project",
            Check::Trust => "trust",
            Check::Port => "port",
            Check::Browser => "browser",
            Check::Notification => "notification",
            Check::Agents | Check::Agent(_) => "agent",
        };
        let status = match self.status {
            Status::Fine => "ok",
            Status::Info => "info",
            Status::Wrong => "finding",
        };
        json!({
            "check": check,
            "agent": self.agent,
            "status": status,
            "code": self.code,
            "detail": self.found.render(lang),
            "remedy": self.remedy.as_ref().map(|remedy| remedy.render(lang)),
        })
    }
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let agent = text(matches, "agent").map(|name| read_agent(&name.to_string_lossy())).transpose()?;
    let hold = text(matches, "hold")
        .map(|given| {
            let read = given.to_str().and_then(span).filter(|hold| *hold <= MAX_HOLD);
            let refuse = || Failure::flag("--hold", given.to_string_lossy().into_owned(), Need::Age);
            read.ok_or_else(refuse)
        })
        .transpose()?;
    let places = places::resolve(context)?;
    let mut findings = machine::check(context);
    findings.extend(agents::check(&places, agent, hold));
    let wrong = findings.iter().filter(|finding| finding.status == Status::Wrong).count();
    if is_set(matches, "json") {
        let checks: Vec<_> = findings.iter().map(|finding| finding.to_json(context)).collect();
        let status = if wrong == 0 { "ok" } else { "findings" };
        let report = json!({ "status": status, "version": env!("CARGO_PKG_VERSION"), "checks": checks });
        context.output.json(&report.to_string())?;
    } else {
        print(context, findings, wrong)?;
        context.offer_english();
    }
    Ok(if wrong == 0 { DONE } else { FAILED })
}

fn read_agent(name: &str) -> Result<Agent, Failure> {
    name.parse().map_err(|_| {
        let names = Agent::ALL.map(Agent::name).to_vec();
        let unknown = SetupMessage::UnknownAgent { name: name.to_owned() };
        Failure::usage(Message::setup(unknown), Message::setup(SetupMessage::KnownAgents { names }))
    })
}

fn print(context: &Context, findings: Vec<Finding>, wrong: usize) -> Result<(), Failure> {
    let lang = context.output.lang();
    let width = findings.iter().map(|finding| finding.check.width(lang)).max().unwrap_or_default();
    for Finding { check, status, found, remedy, .. } in findings {
        let line = Message::doctor(DoctorMessage::Line { check, width, found: Box::new(found) });
        match status {
            Status::Fine => context.output.marked_entry(Tone::Ok, &line)?,
            Status::Info => context.output.found(&line)?,
            Status::Wrong => context.output.marked_entry(Tone::Failure, &line)?,
        }
        if let Some(remedy) = remedy {
            context.output.advice(&Message::doctor(remedy))?;
        }
    }
    let summary = if wrong == 0 { DoctorMessage::Fine } else { DoctorMessage::Findings { count: wrong } };
    let tone = if wrong == 0 { Tone::Ok } else { Tone::Warning };
    context.output.marked_entry(tone, &Message::doctor(summary))
}
