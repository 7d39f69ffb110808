//! `aide workflow decision`: what people are asked.

use super::answers::{self, Answers};
use super::{context, free_text, given, help, interrupted, lines, named, part};
use crate::command_line::layout::{Layout, is_set, text};
use crate::command_line::{Command, remote_flags};
use crate::context::{Context, DONE};
use crate::failure::{CANCELLED, FAILED, Failure, RemoteError, TIMED_OUT};
use crate::messages::{DaemonMessage, Message};
use crate::remote::{self, Remote};
use clap::{ArgAction, ArgMatches};
use client::ClientError;
use model::Via;
use protocol::workflow::api::DecisionView;
use protocol::workflow::requests::DecisionRequest;
use protocol::workflow::{DecisionStatus, ErrorCode, WorkflowState};
use serde_json::{Value, json};
use std::ffi::OsString;
use texts::Need;

const MESSAGE: &str = "MESSAGE";
const DECISION: &str = "DECISION";
const ANSWER: &str = "ANSWER";
/// How long one request waits, in seconds. It is repeated until there is an answer.
const WAIT: u32 = 20;
/// The longest time that a decision can have, in seconds.
const MAX_EXPIRY: i64 = 315_360_000;

/// `aide workflow decision`
pub(super) static COMMAND: Command = Command { name: "decision", build, run: run_one };

static COMMANDS: [&Command; 3] = [&LIST, &CREATE, &RESPOND];

/// `aide workflow decision list`
static LIST: Command = Command { name: "list", build: build_list, run: run_list };

/// `aide workflow decision create`
static CREATE: Command = Command { name: "create", build: build_create, run: run_create };

/// `aide workflow decision respond`
static RESPOND: Command = Command { name: "respond", build: build_respond, run: run_respond };

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .shared_command(COMMAND.name, words.decision, "{workflow} decision <COMMAND>", words.decision_after)
        .subcommands(COMMANDS.map(|command| (command.build)(layout)))
}

fn run_one(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    Command::run_one_of(&COMMANDS, context, matches)
}

fn build_list(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .shared_command(LIST.name, words.decision_list, "{workflow} decision list [OPTIONS]", "")
        .arg(layout.value("workflow", "WORKFLOW", words.decision_of))
        .arg(layout.flag("all", words.decision_all))
        .args(part::flags(layout))
        .args(remote_flags(layout))
}

fn build_create(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    let usage = "{workflow} decision create [OPTIONS] MESSAGE";
    layout
        .shared_command(CREATE.name, words.decision_create, usage, words.decision_create_after)
        .arg(free_text(layout, MESSAGE, words.decision_message))
        .arg(layout.value("option", "TEXT", words.decision_option).action(ArgAction::Append))
        .arg(layout.value("workflow", "WORKFLOW", words.decision_workflow))
        .arg(layout.value("default", "TEXT", words.decision_default))
        .arg(layout.value("expires", "SECONDS", words.decision_expires))
        .arg(layout.flag("single", words.decision_single))
        .arg(layout.flag("wait", words.decision_wait))
        .args(remote_flags(layout))
}

fn build_respond(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    let usage = "{workflow} decision respond [OPTIONS] DECISION ANSWER";
    layout
        .shared_command(RESPOND.name, words.decision_respond, usage, words.decision_respond_after)
        .arg(named(layout, DECISION, words.decision_id))
        .arg(free_text(layout, ANSWER, words.decision_answer))
        .args(remote_flags(layout))
}

fn run_list(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let status = (!is_set(matches, "all")).then_some(DecisionStatus::Pending.name());
    let [limit, cursor] = part::parameters(matches)?;
    let sought =
        [("workflowId", given(matches, "workflow")), ("status", status.map(str::to_owned)), limit, cursor];
    remote::ask(context, matches, async |remote| {
        let (found, next) = remote.client.part_of_decisions(&part::given_of(&sought)).await?;
        if remote.json {
            remote.json(&json!(found))?;
            part::note_rest(remote, next);
            return Ok(DONE);
        }
        if found.decisions.is_empty() {
            // Standard output is a list, which is empty.
            let words = remote.pick(&help::ZH, &help::EN);
            remote.notice(if status.is_some() { words.no_open_decision } else { words.no_decision });
        }
        for decision in &found.decisions {
            listed(remote, decision);
        }
        part::note_rest(remote, next);
        Ok(DONE)
    })
}

/// A decision: who waits for it, what it is about, and what can be answered or was.
fn listed(remote: &Remote<'_>, decision: &DecisionView) {
    let (id, status) = (&decision.decision_id, &decision.status);
    remote.line(&format!("- {id}: {status} {}", remote.context.output.lang().message(decision)));
    for (name, value) in [("Workflow", &decision.workflow_id), ("Task", &decision.task_id)] {
        if let Some(value) = value {
            remote.line(&format!("  {name}: {value}"));
        }
    }
    details(remote, decision);
    let selected = (!decision.selected.is_empty()).then(|| decision.selected.join(", "));
    for (name, value) in [("Answer", selected.or(decision.response.clone())), ("Note", decision.note.clone())]
    {
        let lines = value.iter().flat_map(|value| value.lines()).enumerate();
        lines.for_each(|(index, line)| match index {
            0 => remote.line(&format!("  {name}: {line}")),
            _ => remote.line(&format!("    {line}")),
        });
    }
}

/// The decisions that a workflow waits for, each with the command that answers it.
pub(super) async fn print_pending(remote: &Remote<'_>, workflow: &str) -> Result<(), RemoteError> {
    let found = remote.client.decisions(Some(workflow), Some(DecisionStatus::Pending.name())).await?;
    for decision in &found.decisions {
        let id = &decision.decision_id;
        remote.line(&format!("Decision: {}", remote.context.output.lang().message(decision)));
        details(remote, decision);
        remote.line(&format!("  To answer: aide workflow decision respond {id} ANSWER"));
    }
    Ok(())
}

/// The whole call where a decision is about one, else what it is about, and what can be answered.
fn details(remote: &Remote<'_>, decision: &DecisionView) {
    let lang = remote.context.output.lang();
    if let Some(consent) = &decision.consent {
        let call = context::call(consent);
        remote.line(&format!("  Call: {}", call.first().map(String::as_str).unwrap_or_default()));
        call.iter().skip(1).for_each(|row| remote.line(&format!("    {row}")));
    } else {
        context::rows(lang, decision).iter().for_each(|row| remote.line(&format!("    {row}")));
    }
    let options = context::effects(lang, decision).or_else(|| decision.options.clone());
    for (position, option) in (1..).zip(options.into_iter().flatten()) {
        remote.line(&format!("  {position}. {option}"));
    }
    if let Some(words) = answers::besides(decision) {
        remote.line(&format!("  {words}"));
    }
}

fn asked(matches: &ArgMatches) -> Result<DecisionRequest, Failure> {
    let options = matches.get_many::<OsString>("option").into_iter().flatten();
    let options: Vec<String> = options.map(|option| option.to_string_lossy().into_owned()).collect();
    Ok(DecisionRequest {
        message: given(matches, MESSAGE).unwrap_or_default(),
        options: (!options.is_empty()).then_some(options),
        workflow_id: given(matches, "workflow"),
        session_id: None,
        task_id: None,
        agent_id: None,
        default: given(matches, "default"),
        multi_select: is_set(matches, "single").then_some(false),
        timeout_ms: text(matches, "expires").map(|given| millis(&given)).transpose()?,
        context: None,
    })
}

fn run_create(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let wait = is_set(matches, "wait");
    remote::ask(context, matches, async |remote| {
        let created = remote.client.create_decision(&asked(matches)?).await?;
        if !wait {
            if remote.json {
                remote.json(&json!(created))?;
            } else {
                remote.line(&format!("Decision created: {}", created.decision_id));
            }
            return Ok(DONE);
        }
        // So that it can be answered elsewhere.
        if !remote.json {
            remote.notice(&format!("Decision created: {}", created.decision_id));
        }
        ended(remote, &await_end(remote, &created.decision_id).await?)
    })
}

async fn await_end(remote: &Remote<'_>, id: &str) -> Result<DecisionView, ClientError> {
    loop {
        let decision = remote.client.decision(id, Some(WAIT)).await?;
        if decision.status != DecisionStatus::Pending.name() {
            return Ok(decision);
        }
    }
}

fn ended(remote: &Remote<'_>, decision: &DecisionView) -> Result<u8, RemoteError> {
    if remote.json {
        remote.json(&json!(decision))?;
    }
    let answer = decision.response.clone();
    match DecisionStatus::named(&decision.status) {
        Some(DecisionStatus::Answered) => {
            if !remote.json {
                let answer = answer.unwrap_or_default();
                remote.line(&format!("Decision: {}", lines::answer(&answer, &decision.selected)));
            }
            Ok(DONE)
        }
        other => {
            if !remote.json {
                remote.notice(&format!("Decision: {}", decision.status));
            }
            Ok(match other {
                Some(DecisionStatus::Expired) => TIMED_OUT,
                Some(DecisionStatus::Cancelled) => CANCELLED,
                _ => FAILED,
            })
        }
    }
}

fn millis(given: &OsString) -> Result<u64, Failure> {
    let seconds = given.to_str().and_then(|text| text.parse::<u64>().ok());
    let millis = seconds
        .filter(|seconds| (1..=MAX_EXPIRY.unsigned_abs()).contains(seconds))
        .map(|seconds| seconds * 1000);
    millis.ok_or_else(|| {
        let need = Need::Integer { min: 1, max: MAX_EXPIRY };
        Failure::flag("--expires", given.to_string_lossy().into_owned(), need)
    })
}

fn run_respond(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let decision = given(matches, DECISION).unwrap_or_default();
    let answer = given(matches, ANSWER).unwrap_or_default();
    remote::ask(context, matches, async |remote| {
        let answered = match remote.client.respond_via(&decision, &answer, Via::Terminal).await {
            Err(error) if is_no_answer(&error) && !remote.json => {
                return Err(with_page(remote, &decision, &answer, error).await.into());
            }
            answered => answered?,
        };
        let response: Value = json!(answered);
        if remote.json {
            remote.json(&response)?;
        } else {
            remote.line(&format!("Decision: {}", lines::answer(&answered.response, &answered.selected)));
            warn_if_it_stands_still(remote, &decision).await;
        }
        Ok(DONE)
    })
}

/// An answer moves a workflow that was interrupted, or is paused, only once it is resumed.
async fn warn_if_it_stands_still(remote: &Remote<'_>, decision: &str) {
    let Ok(found) = remote.client.decision(decision, None).await else { return };
    let Some(workflow) = found.workflow_id else { return };
    let Ok(state) = remote.client.state(&workflow).await else { return };
    if interrupted::is_interrupted(&state) {
        interrupted::print(&remote.context.output, &state);
    } else if state.fsm_state == WorkflowState::Paused {
        let what = Message::daemon(DaemonMessage::WorkflowPaused);
        remote
            .context
            .output
            .warning_with(&what, &Message::daemon(DaemonMessage::ResumeWorkflow { workflow }));
    }
}

/// Whether the daemon says that an answer answers nothing.
pub(super) fn is_no_answer(error: &ClientError) -> bool {
    matches!(error, ClientError::Refused { refusal, .. } if refusal.code == ErrorCode::InvalidResponse)
}

/// The failure of an answer that answers nothing: what can be typed, and the page of the decision, which takes more than that.
pub(super) async fn with_page(
    remote: &Remote<'_>,
    decision: &str,
    answer: &str,
    error: ClientError,
) -> Failure {
    let Ok(found) = remote.client.decision(decision, None).await else { return error.into() };
    let page = remote::page_of(&remote.client, &found);
    Answers::to(&found).refused(answer, page, error)
}
