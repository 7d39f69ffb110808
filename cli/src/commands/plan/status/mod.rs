//! `aide plan status`

mod help;
mod watch;

use super::folders::{self, PLAN, Paths};
use super::{people, table};
use crate::command_line::Command;
use crate::command_line::layout::{Layout, is_set, text};
use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::messages::{AgainMessage, Message, PlanMessage};
use crate::output::Output;
use agent::plan::{Folders, PlanError};
use clap::ArgMatches;
use protocol::agent::{HumanRequest, Id, PlanStatus, State};
use serde_json::json;
use std::ffi::{OsStr, OsString};
use texts::{task_failure, terminal_safe};

/// `aide plan status`
pub(crate) static COMMAND: Command = Command { name: "status", build, run };

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .command(COMMAND.name, words.about, words.usage, words.after)
        .arg(folders::plan(layout))
        .arg(layout.flag("watch", words.watch))
        .args(folders::flags(layout))
        .arg(layout.flag("json", words.json))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let paths = Paths::from_args(context, matches)?;
    let asked = StatusArgs { plan: text(matches, PLAN), json: is_set(matches, "json") };
    if is_set(matches, "watch") {
        return watch::watch(context, &paths, &asked);
    }
    asked.print(context, &context.output, &asked.views(&paths)?)?;
    Ok(DONE)
}

/// What is to be shown.
struct StatusArgs {
    plan: Option<OsString>,
    json: bool,
}

/// What is shown of a plan.
#[derive(PartialEq)]
struct PlanView {
    plan: Id,
    /// `None` before the monitor has written it.
    status: Option<PlanStatus>,
    /// What people were asked and have not answered, and whether it was asked.
    requests: Vec<(HumanRequest, bool)>,
    /// How many messages were given up.
    given_up: usize,
}

impl PlanView {
    fn read(folders: &Folders, plan: Id) -> Result<Self, PlanError> {
        let requests = folders.open_requests(&plan)?.into_iter().map(|request| {
            let is_asked = folders.is_asked(&request)?;
            Ok((request, is_asked))
        });
        Ok(Self {
            status: folders.status(&plan)?,
            requests: requests.collect::<Result<_, PlanError>>()?,
            given_up: folders.dead_letters(&plan)?.len(),
            plan,
        })
    }

    /// Whether nothing more will happen by itself.
    fn is_over(&self) -> bool {
        let Some(status) = &self.status else { return false };
        let release = status.gates.as_ref().and_then(|gates| gates.release.as_ref());
        let is_pending = release.is_some_and(|gate| {
            gate.required == Some(true) && gate.status.as_deref().is_none_or(|status| status == "PENDING")
        });
        !is_pending && status.tasks.iter().all(|task| task.state.is_terminal())
    }
}

impl StatusArgs {
    /// The plan that is named, else all of which anything is known.
    fn views(&self, paths: &Paths) -> Result<Vec<PlanView>, Failure> {
        let folders = paths.look()?;
        let named = self.plan.as_deref().map(|given: &OsStr| folders::known(folders.as_ref(), given));
        let named = named.transpose()?;
        let Some(folders) = folders else { return Ok(Vec::new()) };
        let plans = match named {
            Some(plan) => vec![plan],
            None => folders.plans().map_err(PlanError::from)?.into_iter().collect(),
        };
        let views = plans.into_iter().map(|plan| PlanView::read(&folders, plan));
        Ok(views.collect::<Result<_, _>>()?)
    }

    fn print(&self, context: &Context, output: &Output, all: &[PlanView]) -> Result<(), Failure> {
        if self.json {
            let documents: Vec<_> = all.iter().filter_map(|view| view.status.as_ref()).collect();
            let json = match (documents.as_slice(), &self.plan) {
                ([document], _) => json!(document),
                ([], Some(_)) => json!(null),
                (documents, _) => json!({ "plans": documents }),
            };
            return output.json(&json.to_string());
        }
        if all.is_empty() {
            output.info(&Message::plan(PlanMessage::NoPlans));
        }
        for (index, view) in all.iter().enumerate() {
            if index > 0 {
                output.text("\n")?;
            }
            print(context, output, view)?;
        }
        Ok(())
    }
}

fn print(context: &Context, output: &Output, view: &PlanView) -> Result<(), Failure> {
    let say = |message| output.found(&Message::plan(message));
    let Some(status) = &view.status else {
        return say(PlanMessage::NotYetSeen { plan: view.plan.clone() });
    };
    let updated_at = table::local(status.updated_at.as_str());
    say(PlanMessage::Plan { plan: view.plan.clone(), updated_at })?;
    output.text(&table::render(status, context.language.messages, None))?;
    say(summary(status))?;
    let gates = status.gates.as_ref();
    let required = |gate: &&protocol::agent::GateStatus| gate.required == Some(true);
    let pending = |status: &Option<String>| status.clone().unwrap_or_else(|| "PENDING".to_owned());
    if let Some(gate) = gates.and_then(|gates| gates.dag_review.as_ref()).filter(required) {
        let score = gate.score.as_ref().map(ToString::to_string);
        say(PlanMessage::ReviewGate { status: pending(&gate.status), score })?;
    }
    if let Some(gate) = gates.and_then(|gates| gates.release.as_ref()).filter(required) {
        say(PlanMessage::ReleaseGate { status: pending(&gate.status) })?;
    }
    for task in status.tasks.iter().filter(|task| task.state == State::Failed) {
        let cause = task_failure(context.language.messages, task);
        let cause = cause.map(|cause| terminal_safe(&cause).replace('\n', " "));
        output
            .found(&Message::again(AgainMessage::FailedBecause { task: task.task_id.to_string(), cause }))?;
    }
    for (request, is_asked) in &view.requests {
        let title = request.title.as_ref().map_or(request.request_id.as_str(), |title| title.as_str());
        let session = people::session_of(context, request);
        let title = title.to_owned();
        // What was asked and is open no more was answered.
        say(match session {
            None if *is_asked => PlanMessage::AnsweredRequest { title },
            session => PlanMessage::OpenRequest { title, session },
        })?;
    }
    if view.given_up > 0 {
        say(PlanMessage::GivenUp { plan: view.plan.clone(), count: view.given_up })?;
    }
    Ok(())
}

fn summary(status: &PlanStatus) -> PlanMessage {
    let count = |state| status.tasks.iter().filter(|task| task.state == state).count();
    PlanMessage::Summary {
        total: status.tasks.len(),
        completed: count(State::Completed),
        running: count(State::Running),
        failed: count(State::Failed),
        skipped: count(State::Skipped),
        blocked: status.blocked_summary.clone(),
    }
}
