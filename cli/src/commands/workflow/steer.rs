//! `aide workflow pause`, `resume`, `cancel` and `input`

use super::{WORKFLOW, decision, free_text, given, help, workflow};
use crate::command_line::layout::{Layout, is_set};
use crate::command_line::{Command, remote_flags};
use crate::context::{Context, DONE};
use crate::failure::{Failure, RemoteError};
use crate::messages::{DaemonMessage, Message};
use crate::remote::{self, Remote};
use clap::ArgMatches;
use client::ClientError;
use protocol::workflow::api::WorkflowAnswer;
use protocol::workflow::{ErrorCode, WorkflowState};
use serde_json::json;

const TEXT: &str = "TEXT";

/// `aide workflow pause`
pub(super) static PAUSE: Command = Command { name: "pause", build: build_pause, run: run_pause };

/// `aide workflow resume`
pub(super) static RESUME: Command = Command { name: "resume", build: build_resume, run: run_resume };

/// `aide workflow cancel`
pub(super) static CANCEL: Command = Command { name: "cancel", build: build_cancel, run: run_cancel };

/// `aide workflow input`
pub(super) static INPUT: Command = Command { name: "input", build: build_input, run: run_input };

fn build_pause(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .shared_command(PAUSE.name, words.pause, "{workflow} pause [OPTIONS] WORKFLOW", words.pause_after)
        .arg(workflow(layout))
        .arg(layout.flag("hard", words.hard))
        .args(remote_flags(layout))
}

fn build_resume(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .shared_command(RESUME.name, words.resume, "{workflow} resume [OPTIONS] WORKFLOW", words.resume_after)
        .arg(workflow(layout))
        .args(remote_flags(layout))
}

fn build_cancel(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .shared_command(CANCEL.name, words.cancel, "{workflow} cancel [OPTIONS] WORKFLOW", "")
        .arg(workflow(layout))
        .args(remote_flags(layout))
}

fn build_input(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .shared_command(
            INPUT.name,
            words.input,
            "{workflow} input [OPTIONS] WORKFLOW TEXT",
            words.input_after,
        )
        .arg(workflow(layout))
        .arg(free_text(layout, TEXT, words.input_text))
        .args(remote_flags(layout))
}

fn run_pause(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let hard = is_set(matches, "hard");
    steer(context, matches, "Workflow paused", async |remote, name| remote.client.pause(name, hard).await)
}

fn run_resume(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    steer(context, matches, "Workflow resumed", async |remote, name| remote.client.resume(name).await)
}

fn run_cancel(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    steer(context, matches, "Workflow cancelled", async |remote, name| remote.client.cancel(name).await)
}

fn run_input(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let name = given(matches, WORKFLOW).unwrap_or_default();
    let text = given(matches, TEXT).unwrap_or_default();
    remote::ask(context, matches, async |remote| {
        let was_paused = !remote.json && is_paused(remote, &name).await;
        let answer = match remote.client.input(&name, &text).await {
            Err(error) if decision::is_no_answer(&error) && !remote.json => {
                return Err(with_open_question(remote, &name, error).await);
            }
            answer => answer?,
        };
        if remote.json {
            remote.json(&json!(answer))?;
        } else {
            remote.line(&format!("Input sent: {}", json!(answer)));
            if was_paused && !is_paused(remote, &name).await {
                context.output.notice(&Message::daemon(DaemonMessage::PauseEnded));
            }
        }
        Ok(DONE)
    })
}

fn steer(
    context: &Context,
    matches: &ArgMatches,
    done: &str,
    act: impl AsyncFnOnce(&Remote<'_>, &str) -> Result<WorkflowAnswer, ClientError>,
) -> Result<u8, Failure> {
    let name = given(matches, WORKFLOW).unwrap_or_default();
    remote::ask(context, matches, async |remote| {
        let answer = match act(remote, &name).await {
            Err(error) if is_not_paused(&error) && !remote.json => {
                return Err(with_question(remote, &name, error).await);
            }
            answer => answer?,
        };
        if remote.json {
            remote.json(&json!(answer))?;
        } else {
            remote.line(&format!("{done}: {}", answer.workflow_id));
        }
        Ok::<_, RemoteError>(DONE)
    })
}

async fn is_paused(remote: &Remote<'_>, name: &str) -> bool {
    remote.client.state(name).await.is_ok_and(|state| state.fsm_state == WorkflowState::Paused)
}

/// A message while a question is open answers it: the refusal of what answers nothing, with that question.
async fn with_open_question(remote: &Remote<'_>, name: &str, error: ClientError) -> RemoteError {
    let asked = remote.client.state(name).await.ok().and_then(|state| state.pending_decision);
    let Some(decision) = asked else { return error.into() };
    let Ok(found) = remote.client.decision(&decision, None).await else { return error.into() };
    let question = remote.context.output.lang().message(&found).into_owned();
    let page = remote::page_of(&remote.client, &found);
    let hint = Message::daemon(DaemonMessage::NotSent { question, page });
    Failure::from(error).with_hint(hint).into()
}

fn is_not_paused(error: &ClientError) -> bool {
    matches!(error, ClientError::Refused { refusal, .. } if refusal.code == ErrorCode::WorkflowNotPaused)
}

/// The refusal of a workflow that is not paused, with the question that it waits for, if it does.
async fn with_question(remote: &Remote<'_>, name: &str, error: ClientError) -> RemoteError {
    let asked = remote.client.state(name).await.ok().and_then(|state| state.pending_decision);
    match asked {
        Some(decision) => {
            Failure::from(error).with_hint(Message::daemon(DaemonMessage::AnswerLater { decision })).into()
        }
        None => error.into(),
    }
}
