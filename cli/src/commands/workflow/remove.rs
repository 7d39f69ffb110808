//! `aide workflow remove` and `prune`: old workflows are forgotten.

use super::{WORKFLOW, help, workflow};
use crate::command_line::layout::{Layout, is_set, text};
use crate::command_line::{Command, remote_flags};
use crate::commands::decide::age;
use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::remote::{self, Remote};
use clap::{ArgAction, ArgMatches};
use client::ClientError;
use protocol::workflow::api::WorkflowSummary;
use serde_json::json;
use std::ffi::OsString;
use std::time::Duration;
use texts::Need;

/// `aide workflow remove`
pub(super) static REMOVE: Command = Command { name: "remove", build: build_remove, run: run_remove };

/// `aide workflow prune`
pub(super) static PRUNE: Command = Command { name: "prune", build: build_prune, run: run_prune };

fn build_remove(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    let usage = "{workflow} remove [OPTIONS] WORKFLOW...";
    layout
        .shared_command(REMOVE.name, words.remove, usage, words.remove_after)
        .arg(workflow(layout).action(ArgAction::Append).num_args(1..))
        .args(remote_flags(layout))
}

fn build_prune(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    let usage = "{workflow} prune [OPTIONS] --older-than AGE";
    layout
        .shared_command(PRUNE.name, words.prune, usage, words.prune_after)
        .arg(layout.value("older-than", "AGE", words.prune_older).required(true))
        .arg(layout.flag("dry-run", words.prune_dry))
        .args(remote_flags(layout))
}

fn run_remove(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let names = matches.get_many::<OsString>(WORKFLOW).into_iter().flatten();
    let names: Vec<_> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    remote::ask(context, matches, async |remote| {
        let mut removed = Vec::new();
        for name in &names {
            let answer = remote.client.remove_workflow(name).await?;
            print(remote, &answer.workflow_id);
            removed.push(answer.workflow_id);
        }
        if remote.json {
            remote.json(&json!({ "success": true, "removed": removed }))?;
        }
        Ok(DONE)
    })
}

fn run_prune(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let given = text(matches, "older-than").unwrap_or_default();
    let oldest = given
        .to_str()
        .and_then(age)
        .ok_or_else(|| Failure::flag("--older-than", given.to_string_lossy().into_owned(), Need::Age))?;
    let is_dry = is_set(matches, "dry-run");
    remote::ask(context, matches, async |remote| {
        let now = store::now();
        let mut removed = Vec::new();
        for workflow in remote.client.workflows(&[]).await? {
            if !is_old(&workflow, &now, oldest) {
                continue;
            }
            if !is_dry {
                match remote.client.remove_workflow(&workflow.id).await {
                    Ok(_) => {}
                    // It goes on, or another command has removed it.
                    Err(ClientError::Refused { status: 404 | 409, .. }) => continue,
                    Err(error) => return Err(error.into()),
                }
            }
            if is_dry && !remote.json {
                remote.line(&format!("Would remove: {}", workflow.id));
            } else {
                print(remote, &workflow.id);
            }
            removed.push(workflow.id);
        }
        if remote.json {
            remote.json(&json!({ "success": true, "dryRun": is_dry, "removed": removed }))?;
        } else if removed.is_empty() {
            remote.line("Nothing to remove");
        }
        Ok(DONE)
    })
}

/// Whether it has ended, waits for no answer, and has not changed for so long.
fn is_old(workflow: &WorkflowSummary, now: &str, oldest: Duration) -> bool {
    let has_ended = workflow.fsm_state.is_terminal() && workflow.pending_decisions.is_none();
    let age = store::seconds_between(&workflow.updated_at, now);
    has_ended && age.is_some_and(|age| age >= oldest.as_secs())
}

fn print(remote: &Remote<'_>, id: &str) {
    if !remote.json {
        remote.line(&format!("Workflow removed: {id}"));
    }
}
