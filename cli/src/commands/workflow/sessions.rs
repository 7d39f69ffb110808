//! `aide workflow sessions`, `resume-session` and `checkpoint`

use super::{given, help, list, named};
use crate::command_line::layout::{Layout, is_set};
use crate::command_line::{Command, remote_flags};
use crate::context::{Context, DONE};
use crate::failure::{Failure, RemoteError};
use crate::messages::{DaemonMessage, Message};
use crate::remote::{self, Remote};
use clap::ArgMatches;
use client::ClientError;
use protocol::workflow::ErrorCode;
use serde_json::json;
use texts::fill;

const SESSION: &str = "SESSION";

/// `aide workflow sessions`
pub(super) static SESSIONS: Command = Command { name: "sessions", build: build_sessions, run: run_sessions };

/// `aide workflow resume-session`
pub(super) static RESUME: Command = Command { name: "resume-session", build: build_resume, run: run_resume };

/// `aide workflow checkpoint`
pub(super) static CHECKPOINT: Command =
    Command { name: "checkpoint", build: build_checkpoint, run: run_checkpoint };

fn build_sessions(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .shared_command(SESSIONS.name, words.sessions, "{workflow} sessions [OPTIONS]", words.sessions_after)
        .arg(layout.flag("resumable", words.resumable))
        .args(remote_flags(layout))
}

fn build_resume(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    let usage = "{workflow} resume-session [OPTIONS] SESSION";
    layout
        .shared_command(RESUME.name, words.resume_session, usage, words.resume_session_after)
        .arg(named(layout, SESSION, words.session_id))
        .arg(layout.value("checkpoint", "CHECKPOINT", words.checkpoint_id))
        .args(remote_flags(layout))
}

fn build_checkpoint(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .shared_command(CHECKPOINT.name, words.checkpoint, "{workflow} checkpoint [OPTIONS] SESSION", "")
        .arg(named(layout, SESSION, words.session_id))
        .args(remote_flags(layout))
}

fn run_sessions(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    remote::ask(context, matches, async |remote| {
        if is_set(matches, "resumable") { print_resumable(remote).await } else { print_all(remote).await }
    })
}

async fn print_all(remote: &Remote<'_>) -> Result<u8, RemoteError> {
    let sessions = remote.client.sessions().await?;
    if remote.json {
        remote.json(&json!(sessions))?;
        return Ok(DONE);
    }
    if sessions.is_empty() {
        remote.notice(remote.pick(&help::ZH, &help::EN).no_sessions);
        return Ok(DONE);
    }
    let workflows = remote.client.workflows(&[]).await?;
    for session in sessions {
        remote.line(&format!("- {}: {} ({})", session.id, session.name, session.status));
        // Sessions of one project have one name: what was done in them tells them apart.
        for workflow in workflows.iter().filter(|workflow| workflow.session_id == session.id) {
            let (state, title) = (list::state(workflow), list::title(workflow));
            remote.line(&format!("  {}: {state}: {title}", workflow.id));
        }
    }
    Ok(DONE)
}

async fn print_resumable(remote: &Remote<'_>) -> Result<u8, RemoteError> {
    let resumable = remote.client.resumable_sessions().await?;
    if remote.json {
        remote.json(&json!(resumable))?;
        return Ok(DONE);
    }
    let words = remote.pick(&help::ZH, &help::EN);
    if resumable.sessions.is_empty() {
        remote.notice(words.nothing_resumable);
    }
    for (position, session) in (1..).zip(resumable.sessions) {
        let progress = fill(words.progress, &[("percent", &session.progress.to_string())]);
        remote.line(&format!("  {position}. {}: \"{}\" ({progress})", session.id, session.task));
    }
    Ok(DONE)
}

fn run_resume(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let session = given(matches, SESSION).unwrap_or_default();
    let checkpoint = given(matches, "checkpoint");
    remote::ask(context, matches, async |remote| {
        let words = remote.pick(&help::ZH, &help::EN);
        let say = |text: &str| remote.line(&format!("[{session}] {text}"));
        if !remote.json {
            say(words.resuming);
        }
        let answer = match remote.client.resume_session(&session, checkpoint.as_deref()).await {
            Err(error) if is_over(&error) && !remote.json => {
                let hint = Message::daemon(DaemonMessage::SessionEnded { session: session.clone() });
                return Err(Failure::from(error).with_hint(hint).into());
            }
            answer => answer?,
        };
        if remote.json {
            remote.json(&json!(answer))?;
            return Ok(DONE);
        }
        let phase = answer.resume_phase.map(|phase| phase.name()).unwrap_or_default();
        say(&fill(words.resumed_phase, &[("phase", phase)]));
        say(words.going_on);
        Ok(DONE)
    })
}

/// Whether the workflows of a session have ended.
fn is_over(error: &ClientError) -> bool {
    matches!(error, ClientError::Refused { refusal, .. } if refusal.code == ErrorCode::SessionNotResumable)
}

fn run_checkpoint(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let session = given(matches, SESSION).unwrap_or_default();
    remote::ask(context, matches, async |remote| {
        let latest = remote.client.latest_checkpoint(&session).await?;
        remote.json(&json!(latest))?;
        Ok(DONE)
    })
}
