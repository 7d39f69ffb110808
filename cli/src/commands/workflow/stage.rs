//! `aide workflow understand`, `route`, `plan`, `execute` and `review`: one phase alone.

use super::{given, help, input, orchestrate};
use crate::command_line::layout::{Layout, is_set};
use crate::command_line::{Command, remote_flags};
use crate::context::{Context, DONE};
use crate::failure::{Failure, RemoteError};
use crate::messages::{DaemonMessage, Message};
use crate::remote::{self, Remote};
use clap::ArgMatches;
use client::Client;
use protocol::workflow::SingleStage;
use protocol::workflow::api::{MessageAccepted, StageAnswer};
use protocol::workflow::requests::MessageRequest;
use serde_json::{Map, Value, json};

const INPUT: &str = "INPUT";
const TASK: &str = "TASK";

/// `aide workflow understand`
pub(super) static UNDERSTAND: Command =
    Command { name: "understand", build: build_understand, run: run_understand };

/// `aide workflow route`
pub(super) static ROUTE: Command = Command { name: "route", build: build_route, run: run_route };

/// `aide workflow plan`
pub(super) static PLAN: Command = Command { name: "plan", build: build_plan, run: run_plan };

/// `aide workflow execute`
pub(super) static EXECUTE: Command = Command { name: "execute", build: build_execute, run: run_execute };

/// `aide workflow review`
pub(super) static REVIEW: Command = Command { name: "review", build: build_review, run: run_review };

fn build_understand(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    let usage = "{workflow} understand [OPTIONS] [INPUT]";
    let command = layout.shared_command(UNDERSTAND.name, words.understand, usage, words.stage_after);
    let command = command.arg(layout.positional(INPUT, words.understand_input).allow_hyphen_values(true));
    common(command.arg(orchestrate::image(layout)), layout)
}

fn build_route(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    let usage = "{workflow} route [OPTIONS] [--intent JSON]";
    let command = layout.shared_command(ROUTE.name, words.route, usage, words.stage_after);
    common(command.arg(layout.value("intent", "JSON", words.route_intent)), layout)
}

fn build_plan(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    let usage = "{workflow} plan [OPTIONS] [TASK]";
    let command = layout.shared_command(PLAN.name, words.plan, usage, words.stage_after);
    common(command.arg(layout.positional(TASK, words.task).allow_hyphen_values(true)), layout)
}

fn build_execute(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    let usage = "{workflow} execute [OPTIONS] [TASK]";
    let command = layout
        .shared_command(EXECUTE.name, words.execute, usage, words.execute_after)
        .arg(layout.positional(TASK, words.task).allow_hyphen_values(true))
        .arg(layout.value("task", "TASK", words.execute_task))
        .arg(layout.value("agent", "AGENT", words.execute_agent))
        .arg(layout.flag("no-queue", words.execute_no_queue).requires("agent"))
        .arg(layout.flag("blocking", words.execute_blocking));
    common(command, layout)
}

fn build_review(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    let usage = "{workflow} review [OPTIONS] [--proposal JSON]";
    let command = layout.shared_command(REVIEW.name, words.review, usage, words.stage_after);
    common(command.arg(layout.value("proposal", "JSON", words.review_proposal)), layout)
}

/// What all of them are given.
fn common(command: clap::Command, layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    command
        .arg(layout.value("file", "FILE", words.stage_file))
        .arg(layout.value("session", "SESSION", words.session).short('s'))
        .args(remote_flags(layout))
}

fn run_understand(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    run(context, matches, SingleStage::Understand, || {
        let input = input::read(matches, &[INPUT], "<INPUT>", "workflow understand")?;
        let mut members = Map::from_iter([("input".to_owned(), json!(input))]);
        orchestrate::show(context, matches, &mut members)?;
        Ok(members)
    })
}

fn run_route(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    run(context, matches, SingleStage::Route, || {
        let intent = read_json(matches, "intent", "--intent <JSON>", "workflow route")?;
        Ok(Map::from_iter([("intentAnalysis".to_owned(), intent)]))
    })
}

fn run_plan(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    run(context, matches, SingleStage::Plan, || {
        let task = input::read(matches, &[TASK], "<TASK>", "workflow plan")?;
        Ok(Map::from_iter([("task".to_owned(), json!(task))]))
    })
}

fn run_execute(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    run(context, matches, SingleStage::Execute, || {
        let task = input::read(matches, &[TASK, "task"], "<TASK>", "workflow execute")?;
        let mut members = Map::from_iter([("task".to_owned(), json!(task))]);
        if let Some(agent) = given(matches, "agent") {
            members.insert("agent".to_owned(), json!(agent));
            members.insert("queueOnBusy".to_owned(), json!(!matches.get_flag("no-queue")));
        }
        Ok(members)
    })
}

fn run_review(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    run(context, matches, SingleStage::Review, || {
        let proposal = read_json(matches, "proposal", "--proposal <JSON>", "workflow review")?;
        Ok(Map::from_iter([("proposal".to_owned(), proposal)]))
    })
}

/// What must be JSON; of what one of these commands has printed with `--json`, its result.
fn read_json(matches: &ArgMatches, flag: &str, shown: &str, command: &str) -> Result<Value, Failure> {
    let text = input::read(matches, &[flag], shown, command)?;
    let read: Value = serde_json::from_str(&text).map_err(|error| {
        let no_json = DaemonMessage::NoJson { argument: format!("--{flag}"), reason: error.to_string() };
        let hint = Message::SeeHelp { command: format!("aide {command}") };
        Failure::usage(Message::daemon(no_json), hint)
    })?;
    match serde_json::from_value::<StageAnswer>(read.clone()) {
        Ok(answer) => Ok(answer.result),
        Err(_) => Ok(read),
    }
}

fn run(
    context: &Context,
    matches: &ArgMatches,
    stage: SingleStage,
    build: impl FnOnce() -> Result<Map<String, Value>, Failure>,
) -> Result<u8, Failure> {
    remote::ask(context, matches, async |remote| {
        let mut message = build()?;
        message.insert("type".to_owned(), json!(stage.name().to_ascii_uppercase()));
        let message = orchestrate::message(context, matches, stage.module(), message)?;
        let code = if stage == SingleStage::Execute && !is_set(matches, "blocking") {
            begin(remote, &message).await
        } else {
            orchestrate::stage(remote, &message).await
        };
        code.map_err(|error| orchestrate::with_remedy(remote, error))
    })
}

/// Does not wait for it.
async fn begin(remote: &Remote<'_>, message: &MessageRequest) -> Result<u8, RemoteError> {
    let accepted = remote.client.send(message).await?;
    if remote.json {
        remote.json(&json!(accepted))?;
    } else {
        remote.line(&format!("Message queued: {}", accepted.message_id));
        remote.line(&format!("Workflow started: {}", accepted.workflow_id.unwrap_or_default()));
    }
    Ok(DONE)
}

/// Tells what came of a phase.
pub(super) async fn print(
    remote: &Remote<'_>,
    client: &Client,
    accepted: &MessageAccepted,
) -> Result<(), RemoteError> {
    let MessageAccepted { message_id, workflow_id, session_id, .. } = accepted.clone();
    let result = client.message(&message_id).await?.result.unwrap_or_default();
    if remote.json {
        let answer = StageAnswer { success: true, result, message_id, workflow_id, session_id };
        return Ok(remote.json(&json!(answer))?);
    }
    remote.line(&format!("[CLI] Result: {result}"));
    Ok(())
}
