//! `aide workflow list`

use super::{given, help, lines, part};
use crate::command_line::layout::Layout;
use crate::command_line::{Command, remote_flags};
use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::remote;
use clap::ArgMatches;
use protocol::workflow::WorkflowState;
use protocol::workflow::api::WorkflowSummary;
use serde_json::json;
use std::path::Path;
use texts::Lang;

/// How much of a task stands in its line, in characters.
const TITLE: usize = 80;
/// The same of why it has failed.
const REASON: usize = 200;

/// `aide workflow list`
pub(super) static COMMAND: Command = Command { name: "list", build, run };

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .shared_command(COMMAND.name, words.list, "{workflow} list [OPTIONS]", words.list_after)
        .arg(layout.value("state", "STATE", words.list_state))
        .arg(layout.value("project", "PROJECT", words.list_project))
        .arg(layout.value("search", "TEXT", words.list_search))
        .args(part::flags(layout))
        .args(remote_flags(layout))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let project = given(matches, "project").map(|project| folder(context, project));
    let [limit, cursor] = part::parameters(matches)?;
    let sought = [
        ("state", given(matches, "state")),
        ("project", project),
        ("search", given(matches, "search")),
        limit,
        cursor,
    ];
    remote::ask(context, matches, async |remote| {
        let query = part::given_of(&sought);
        let (workflows, next) = remote.client.part_of_workflows(&query).await?;
        if remote.json {
            remote.json(&json!(workflows))?;
        } else {
            if workflows.is_empty() {
                // Standard output is a list, which is empty.
                let words = remote.pick(&help::ZH, &help::EN);
                remote.notice(if query.is_empty() { words.no_workflows } else { words.none_found });
            }
            let lang = context.output.lang();
            workflows.iter().flat_map(|workflow| lines(lang, workflow)).for_each(|line| remote.line(&line));
        }
        part::note_rest(remote, next);
        Ok(DONE)
    })
}

/// The folder of a project in full, where it is named by a path; else its name.
fn folder(context: &Context, project: String) -> String {
    let is_path = project.starts_with('.') || project.contains('/');
    let full =
        || Some(context.folder().ok()?.join(Path::new(&project)).canonicalize().ok()?.display().to_string());
    if is_path { full().unwrap_or(project) } else { project }
}

/// A workflow: its name, how it stands, its age, its project and what is to be done; below that, why it has failed or
/// what it waits for.
fn lines(lang: Lang, workflow: &WorkflowSummary) -> Vec<String> {
    let (id, state) = (&workflow.id, state(workflow));
    let age = store::seconds_between(&workflow.created_at, &store::now())
        .map(|age| format!("started {} ago", self::age(age)));
    let project = workflow.project_path.as_deref().and_then(|path| path.rsplit('/').next());
    let about = [age.as_deref(), project].into_iter().flatten().map(|part| format!(", {part}"));
    let about: String = about.collect();
    let title = title(workflow);
    let decisions = workflow.pending_decisions.unwrap_or_default();
    let decisions = match decisions {
        0 => None,
        1 => Some("1 decision".to_owned()),
        count => Some(format!("{count} decisions")),
    };
    let others = workflow.waiting_for.iter().flatten().filter_map(lines::waiting);
    let waits: Vec<_> = decisions.into_iter().chain(others).collect();
    let waits = (!waits.is_empty()).then(|| format!("  Waiting for: {}", waits.join("; ")));
    let resumed = (workflow.interrupted == Some(true) || workflow.fsm_state == WorkflowState::Paused)
        .then(|| format!("  To resume: aide workflow resume {id}"));
    let session = format!("  Session: {}", workflow.session_id);
    let error = workflow.error.as_deref().map(|error| lang.cause(error));
    let error = error.map(|error| format!("  Error: {}", shortened(&error, REASON)));
    let line = format!("- {id}: {state}{about}: {title}");
    [line, session].into_iter().chain(error).chain(waits).chain(resumed).collect()
}

/// What is to be done, on one line that is not too long.
pub(super) fn title(workflow: &WorkflowSummary) -> String {
    shortened(&workflow.user_task, TITLE)
}

/// A text on one line of at most so many characters.
fn shortened(text: &str, most: usize) -> String {
    model::beginning(&model::on_one_line(text), most)
}

/// How it stands, in a word or two.
pub(super) fn state(workflow: &WorkflowSummary) -> String {
    let WorkflowSummary { fsm_state, status, .. } = workflow;
    if workflow.cancelled == Some(true) {
        "cancelled".to_owned()
    } else if workflow.interrupted == Some(true) {
        format!("{fsm_state} (interrupted)")
    } else if waits_for_you(*fsm_state, workflow.pending_decisions.unwrap_or_default() > 0) {
        format!("{fsm_state} ({WAITING})")
    } else if fsm_state.name() == status.name() {
        fsm_state.to_string()
    } else {
        format!("{fsm_state} ({status})")
    }
}

/// How a workflow stands that goes on only once a person has answered.
pub(super) const WAITING: &str = "waiting for you";

/// Whether it is in that state, where `is_asked` says that a question of it is open. One that a person has paused waits for that
/// first.
pub(super) fn waits_for_you(state: WorkflowState, is_asked: bool) -> bool {
    state == WorkflowState::WaitUserDecision
        || is_asked && state != WorkflowState::Paused && !state.is_terminal()
}

/// A time in the largest unit that it fills.
fn age(seconds: u64) -> String {
    let units = [("d", 86_400), ("h", 3600), ("min", 60)];
    let (unit, length) = units.into_iter().find(|(_, length)| seconds >= *length).unwrap_or(("s", 1));
    format!("{} {unit}", seconds / length)
}

#[cfg(test)]
mod tests {
    use super::{age, lines};
    use protocol::workflow::api::WorkflowSummary;
    use serde_json::{Value, json};
    use texts::Lang;

    fn told(change: Value) -> Vec<String> {
        let mut workflow = json!({
            "id": "wf-1", "workflowId": "wf-1", "sessionId": "s", "status": "executing", "fsmState": "execution",
            "taskCount": 0, "completedTasks": 0, "failedTasks": 0, "createdAt": "2026-01-01T00:00:00Z",
            "updatedAt": "2026-01-01T00:00:00Z", "userTask": "Write\n a report", "projectPath": "/home/ann/shop",
        });
        for (name, value) in change.as_object().unwrap() {
            workflow[name] = value.clone();
        }
        let workflow: WorkflowSummary = serde_json::from_value(workflow).unwrap();
        let age = age(store::seconds_between(&workflow.created_at, &store::now()).unwrap());
        lines(Lang::En, &workflow).into_iter().map(|line| line.replace(&age, "AGE")).collect()
    }

    #[test]
    fn a_workflow_is_told_with_all_that_tells_it_from_others() {
        let running =
            ["- wf-1: execution (executing), started AGE ago, shop: Write a report", "  Session: s"];
        assert_eq!(told(json!({})), running);
        let cancelled = json!({ "fsmState": "failed", "status": "failed", "cancelled": true });
        assert_eq!(told(cancelled)[0], "- wf-1: cancelled, started AGE ago, shop: Write a report");
        let failed = json!({ "fsmState": "failed", "status": "failed", "error": "no\nJSON" });
        assert_eq!(told(failed)[2], "  Error: no JSON");
        let failed =
            json!({ "fsmState": "failed", "status": "failed", "error": "资源不足：缺少 web_search" });
        assert_eq!(told(failed)[2], "  Error: No agent can do the task: web_search is missing");
        // A word that says it all stands alone.
        let done = json!({ "fsmState": "completed", "status": "completed" });
        assert_eq!(told(done)[0], "- wf-1: completed, started AGE ago, shop: Write a report");
        let waits =
            json!({ "pendingDecisions": 2, "waitingFor": [{ "type": "agent", "agentType": "executor" }] });
        let waits = told(waits);
        assert_eq!(waits[2], "  Waiting for: 2 decisions; an agent (executor)");
        assert_eq!(waits[0], "- wf-1: execution (waiting for you), started AGE ago, shop: Write a report");
        let waits = json!({ "fsmState": "wait_user_decision", "status": "paused", "pendingDecisions": 1 });
        assert_eq!(
            told(waits)[0],
            "- wf-1: wait_user_decision (waiting for you), started AGE ago, shop: Write a report"
        );
        let paused = json!({ "fsmState": "paused", "status": "paused", "pendingDecisions": 1 });
        assert_eq!(told(paused)[0], "- wf-1: paused, started AGE ago, shop: Write a report");
        let interrupted = told(json!({ "interrupted": true }));
        assert_eq!(interrupted[0], "- wf-1: execution (interrupted), started AGE ago, shop: Write a report");
        assert_eq!(interrupted[2], "  To resume: aide workflow resume wf-1");
        assert!(told(json!({ "userTask": "a".repeat(81) }))[0].ends_with(&format!("{}…", "a".repeat(80))));
    }

    #[test]
    fn an_age_is_told_in_its_largest_unit() {
        for (seconds, told) in [(0, "0 s"), (59, "59 s"), (60, "1 min"), (7199, "1 h"), (172_800, "2 d")] {
            assert_eq!(age(seconds), told);
        }
    }
}
