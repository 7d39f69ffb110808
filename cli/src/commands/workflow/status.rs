//! `aide workflow status`

use super::{decision, given, help, interrupted, lines, list, named, output};
use crate::command_line::layout::{Layout, is_set};
use crate::command_line::{Command, remote_flags};
use crate::context::{Context, DONE};
use crate::failure::{CANCELLED, Failure, RemoteError, TASK_FAILED};
use crate::remote::{self, Remote};
use clap::ArgMatches;
use client::{ClientError, Subscription};
use protocol::workflow::api::{MailboxMessage, StateSnapshot};
use protocol::workflow::{ErrorCode, TaskStatus, WorkflowState};
use serde_json::json;
use std::time::Duration;

const NAME: &str = "NAME";
/// How often is looked what a workflow waits for that is followed.
const POLL_INTERVAL: Duration = Duration::from_secs(2);

/// `aide workflow status`
pub(super) static COMMAND: Command = Command { name: "status", build, run };

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .shared_command(COMMAND.name, words.status, "{workflow} status [OPTIONS] NAME", words.status_after)
        .arg(named(layout, NAME, words.status_name))
        .arg(layout.flag("follow", words.follow).short('f'))
        .args(remote_flags(layout))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let name = given(matches, NAME).unwrap_or_default();
    remote::ask(context, matches, async |remote| {
        if is_set(matches, "follow") {
            return follow(remote, &name).await;
        }
        match find(remote, &name).await? {
            NamedItem::Workflow(state) => print_state(remote, &state).await?,
            NamedItem::Message(message) => print_message(remote, *message)?,
        }
        Ok(DONE)
    })
}

/// What may have a name.
enum NamedItem {
    Workflow(Box<StateSnapshot>),
    Message(Box<MailboxMessage>),
}

async fn find(remote: &Remote<'_>, name: &str) -> Result<NamedItem, RemoteError> {
    let no_workflow = match remote.client.state(name).await {
        Ok(state) => return Ok(NamedItem::Workflow(Box::new(state))),
        Err(ClientError::Refused { status, refusal }) if refusal.code == ErrorCode::WorkflowNotFound => {
            ClientError::Refused { status, refusal }
        }
        Err(error) => return Err(error.into()),
    };
    match remote.client.message(name).await {
        Ok(message) => Ok(NamedItem::Message(Box::new(message))),
        // It is no name of anything.
        Err(ClientError::Refused { status: 404, .. }) => Err(no_workflow.into()),
        Err(error) => Err(error.into()),
    }
}

fn print_message(remote: &Remote<'_>, message: MailboxMessage) -> Result<(), Failure> {
    if remote.json {
        return remote.json(&json!(message));
    }
    remote.line(&format!("Message: {}", message.id));
    remote.line(&format!("Status: {}", message.status));
    let result = message.result.map(|result| result.to_string());
    for (name, value) in [("Workflow", message.workflow_id), ("Result", result), ("Error", message.error)] {
        if let Some(value) = value {
            remote.line(&format!("{name}: {value}"));
        }
    }
    Ok(())
}

/// Tells how a workflow, or that which a message is about, stands whenever that changes, until it has ended.
async fn follow(remote: &Remote<'_>, name: &str) -> Result<u8, RemoteError> {
    let workflow = match find(remote, name).await? {
        NamedItem::Workflow(state) => state.workflow_id,
        NamedItem::Message(mut message) => match message.workflow_id.take() {
            Some(workflow) => workflow,
            None => {
                let has_failed = message.status == "failed";
                print_message(remote, *message)?;
                return Ok(if has_failed { TASK_FAILED } else { DONE });
            }
        },
    };
    // First to listen, then to look: nothing happens in between.
    let wanted = Subscription { workflow: Some(workflow.clone()), ..Subscription::default() };
    let mut events = remote.client.events(wanted).await?;
    let mut last = None;
    loop {
        let state = remote.client.state(&workflow).await?;
        let view = StatusView::new(&state);
        if last.as_ref() != Some(&view) {
            print_state(remote, &state).await?;
            last = Some(view);
        }
        match state.fsm_state {
            WorkflowState::Completed => return Ok(DONE),
            WorkflowState::Failed if output::is_cancelled(&state) => return Ok(CANCELLED),
            WorkflowState::Failed => return Ok(TASK_FAILED),
            _ => {}
        }
        // No event tells of the work of models and tools.
        tokio::select! {
            event = events.next() => if event?.is_none() {
                return Err(remote.gone().into());
            },
            () = tokio::time::sleep(POLL_INTERVAL) => {}
        }
    }
}

/// What is printed about a workflow.
#[derive(PartialEq)]
struct StatusView {
    state: WorkflowState,
    done: usize,
    total: usize,
    decision: Option<String>,
    waits: Vec<String>,
    is_interrupted: bool,
    error: Option<String>,
}

impl StatusView {
    fn new(state: &StateSnapshot) -> Self {
        let done = state.tasks.iter().filter(|task| task.simplified_status == TaskStatus::Completed).count();
        Self {
            state: state.fsm_state,
            done,
            total: state.tasks.len(),
            decision: state.pending_decision.clone(),
            waits: state.waiting_for.iter().flatten().filter_map(lines::waiting).collect(),
            is_interrupted: interrupted::is_interrupted(state),
            error: state.error.clone(),
        }
    }
}

/// How a workflow stands, in a word for people.
pub(super) fn word(state: &StateSnapshot) -> &'static str {
    let is_asked = state.pending_decision.is_some();
    if list::waits_for_you(state.fsm_state, is_asked) {
        list::WAITING
    } else {
        state.simplified_status.name()
    }
}

async fn print_state(remote: &Remote<'_>, state: &StateSnapshot) -> Result<(), RemoteError> {
    if remote.json {
        return Ok(remote.json(&json!(state))?);
    }
    let StatusView { done, total, decision, is_interrupted, error, .. } = StatusView::new(state);
    remote.line(&format!("Workflow: {}", state.workflow_id));
    let is_cancelled = output::is_cancelled(state) && state.fsm_state == WorkflowState::Failed;
    let marked = |word: &dyn std::fmt::Display| match (is_cancelled, is_interrupted) {
        (true, _) => "cancelled".to_owned(),
        (false, true) => format!("{word} (interrupted)"),
        (false, false) => word.to_string(),
    };
    remote.line(&format!("Status: {}", marked(&word(state))));
    remote.line(&format!("Phase: {}", marked(&state.fsm_state)));
    remote.line(&format!("Tasks: {done}/{total} completed"));
    if decision.is_some() {
        decision::print_pending(remote, &state.workflow_id).await?;
    }
    for waiting in state.waiting_for.iter().flatten() {
        if let Some(waits) = lines::waiting(waiting) {
            remote.line(&format!("Waiting for: {waits}{}", lines::progress(waiting)));
        }
    }
    if let Some(error) = error.filter(|_| !is_cancelled) {
        let lang = remote.context.output.lang();
        remote.line(&format!("Error: {}", lang.cause(&error)));
        if let Some(remedy) = lang.remedy(&error) {
            remote.notice(&app::markdown_to_text(remedy));
        }
    }
    if state.fsm_state == WorkflowState::Completed {
        let saved = output::OutputLocation::fetch(&remote.client, &state.workflow_id).await;
        if let Some(line) = saved.line(remote, &remote.client, &state.workflow_id).await? {
            remote.line(&line);
        }
    }
    if state.fsm_state == WorkflowState::Paused {
        remote.line(&format!("To resume: aide workflow resume {}", state.workflow_id));
    }
    if is_interrupted {
        interrupted::print(&remote.context.output, state);
    }
    Ok(())
}
