//! Output lines of a watched workflow: those of contract/terminal §7, the same in every language.

use model::respond;
use protocol::workflow::{Event, PhaseTransition, TaskStatus, Trigger, WaitingFor, WorkflowState};
use std::collections::{HashMap, HashSet};
use texts::en_count;

/// How a workflow has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WorkflowEnd {
    Completed,
    Failed,
    Cancelled,
}

impl WorkflowEnd {
    /// How the event ends its workflow; `None` if it does not.
    pub(super) fn from_event(event: &Event) -> Option<Self> {
        let Event::PhaseTransition(PhaseTransition { to, trigger, .. }) = event else { return None };
        match to {
            WorkflowState::Completed => Some(Self::Completed),
            WorkflowState::Failed if *trigger == Some(Trigger::CancelRequested) => Some(Self::Cancelled),
            WorkflowState::Failed => Some(Self::Failed),
            _ => None,
        }
    }

    /// The word of the contract.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

/// Makes lines of events. What they say depends on what came before.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// The tasks in the order of the plan, as far as that had to be known.
    order: Vec<String>,
    /// The tasks that have failed and were not dispatched to an agent since.
    failed: HashSet<String>,
    /// Version of the plan that was told of, and how many tasks it has.
    plan: Option<(u64, u64)>,
    /// The tasks that no agent can do; an empty name for the workflow as a whole.
    short: HashMap<String, String>,
    /// The file that came of it.
    output: Option<String>,
}

impl Lines {
    /// The task that the event is about, if its place in the plan has to be known for that.
    pub(super) fn needs_order(&self, event: &Event) -> bool {
        let id = match event {
            Event::TaskStarted(task) => &task.task_id,
            Event::TaskCompleted(task) => &task.task_id,
            Event::TaskFailed(task) => &task.task_id,
            Event::TaskBlocked(task) => &task.task_id,
            _ => return false,
        };
        number(id).is_none() && !self.order.contains(id)
    }

    /// Takes note of the order of the plan.
    pub(super) fn set_order(&mut self, order: Vec<String>) {
        self.order = order;
    }

    /// The file that came of the workflow, if one was told of.
    pub(super) fn output(&self) -> Option<&str> {
        self.output.as_deref()
    }

    /// Why no agent can do the pending work, if that is so.
    pub(super) fn shortage(&self) -> Option<&str> {
        self.short.values().next().map(String::as_str)
    }

    /// What the event says, without its time; most say nothing.
    pub(super) fn for_event(&mut self, event: &Event) -> Vec<String> {
        match event {
            Event::PhaseTransition(phase) => self.phase(phase),
            Event::PlanUpdated(plan) => {
                let shown = (plan.version, plan.task_count);
                let is_new = self.plan.replace(shown) != Some(shown);
                is_new
                    .then(|| format!("Plan created: {}", en_count(plan.task_count, "task")))
                    .into_iter()
                    .collect()
            }
            Event::TaskStarted(task) => {
                self.short.remove(&task.task_id);
                let mut lines = self.retried(&task.task_id);
                lines.push(self.task(&task.task_id, "dispatching → running"));
                lines
            }
            Event::TaskCompleted(task) => {
                self.failed.remove(&task.task_id);
                vec![self.task(&task.task_id, "running → completed")]
            }
            Event::TaskFailed(task) => {
                self.failed.insert(task.task_id.clone());
                vec![self.task(&task.task_id, "running → failed")]
            }
            Event::TaskBlocked(task) => {
                self.failed.remove(&task.task_id);
                vec![self.task(&task.task_id, "dispatching → blocked")]
            }
            Event::WorkflowUpdate(update) => {
                let sent = update.task_updates.iter().filter(|task| task.status == TaskStatus::InProgress);
                let sent: Vec<String> = sent.map(|task| task.id.clone()).collect();
                let waits = update.waiting_for.iter().flatten().filter_map(waiting);
                let waits: Vec<String> = waits.map(|waits| format!("Waiting for {waits}")).collect();
                sent.iter().flat_map(|id| self.retried(id)).chain(waits).collect()
            }
            Event::ToolError(failed) => vec![format!("Tool {} failed: {}", failed.tool_name, failed.error)],
            Event::ResourceShortage(shortage) => {
                self.short.insert(shortage.task_id.clone().unwrap_or_default(), shortage.reason.clone());
                Vec::new()
            }
            Event::PhaseOutputSaved(saved) => {
                // Told at the end: it is said before the phase that it belongs to is over.
                self.output = Some(saved.output_path.clone());
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    fn phase(&mut self, phase: &PhaseTransition) -> Vec<String> {
        if matches!(phase.to, WorkflowState::Execution | WorkflowState::PlanLoop) {
            self.short.clear();
        }
        let review = match phase.trigger {
            Some(Trigger::ReviewPassed) => Some("Review: passed".to_owned()),
            Some(Trigger::ReviewRejected) => Some("Review: rejected".to_owned()),
            _ => None,
        };
        let reason = phase.reason.as_deref().map(|reason| format!("Reason: {reason}"));
        let line = format!("Phase: {} → {}", phase.from, phase.to);
        review.into_iter().chain(reason).chain([line]).collect()
    }

    /// A failed task is dispatched again.
    fn retried(&mut self, id: &str) -> Vec<String> {
        let was_failed = self.failed.remove(id);
        was_failed.then(|| self.task(id, "failed → dispatching")).into_iter().collect()
    }

    fn task(&self, id: &str, change: &str) -> String {
        let place = || self.order.iter().position(|known| known == id).map(|place| (place + 1).to_string());
        let name = number(id).map(str::to_owned).or_else(place).unwrap_or_else(|| id.to_owned());
        format!("Task {name}: {change}")
    }
}

/// What a workflow waits for beside a person: `an agent (executor), in use by wf-1, wf-2`, `claude (planner-1, plan_loop)`,
/// `command_executor (executor-2, task search)`, `executor-3 (task search)`, `another attempt (plan_loop)`.
pub(super) fn waiting(waiting: &WaitingFor) -> Option<String> {
    match waiting.kind.as_str() {
        "agent" => {
            let agent = waiting.agent_type.as_deref()?;
            let used = waiting.used_by.as_deref().map(|used| format!(", in use by {}", used.join(", ")));
            Some(format!("an agent ({agent}){}", used.unwrap_or_default()))
        }
        "model" | "tool" => {
            let task = waiting.task_id.as_deref().map(task_name);
            let place = task.or_else(|| waiting.phase.map(|phase| phase.to_string()));
            let about =
                [waiting.agent_id.clone(), place].into_iter().flatten().collect::<Vec<_>>().join(", ");
            Some(format!("{} ({about})", waiting.name.as_deref()?))
        }
        "errand" => {
            Some(format!("{} ({})", waiting.agent_id.as_deref()?, task_name(waiting.task_id.as_deref()?)))
        }
        "retry" => Some(format!("another attempt ({})", waiting.phase?)),
        "provider" => Some("a provider (the daemon has none)".to_owned()),
        _ => None,
    }
}

/// `task-1` as it is, and `search` as `task search`.
fn task_name(id: &str) -> String {
    if number(id).is_some() { id.to_owned() } else { format!("task {id}") }
}

/// How far that is, to stand behind it: `, 12 s, 340 tokens`.
pub(super) fn progress(waiting: &WaitingFor) -> String {
    let seconds = age(waiting).map(|seconds| format!("{seconds} s"));
    let written = match (waiting.tokens, waiting.characters) {
        (Some(tokens), _) => Some(en_count(tokens, "token")),
        (None, characters) => characters.map(|characters| en_count(characters, "character")),
    };
    let again = waiting.error.as_deref().zip(waiting.retry_at.as_deref()).map(|(error, at)| {
        let (attempt, at) = (waiting.attempt.unwrap_or(1), store::local_time(at).unwrap_or_default());
        format!("attempt {attempt} has failed, the next one begins at {at}: {error}")
    });
    [seconds, written, again].into_iter().flatten().map(|part| format!(", {part}")).collect()
}

/// For how many seconds something is under way.
pub(super) fn age(waiting: &WaitingFor) -> Option<u64> {
    store::seconds_between(waiting.since.as_deref()?, &store::now())
}

/// A decision as a person is asked.
pub(super) fn question(message: &str, options: Option<&[String]>) -> Vec<String> {
    match options.unwrap_or_default() {
        [first, second] if respond::are_yes_and_no(first, second) => {
            // As the contract has it behind Chinese; elsewhere a bracket stands behind a space.
            let space = if message.ends_with(|end: char| end.is_ascii()) { " " } else { "" };
            vec![format!("❓ {message}{space}({first}/{second})")]
        }
        options => {
            let listed = (1..).zip(options).map(|(number, option)| format!("  {number}. {option}"));
            [format!("❓ {message}")].into_iter().chain(listed).collect()
        }
    }
}

/// Returns an answer for people: one option by its words, whatever was typed for it.
pub(super) fn answer<'a>(response: &'a str, selected: &'a [String]) -> &'a str {
    match selected {
        [only] => only,
        _ => response,
    }
}

/// The number of a task that is called by it.
fn number(id: &str) -> Option<&str> {
    let number = id.strip_prefix("task-")?;
    (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::{Lines, WorkflowEnd, answer, question};
    use protocol::workflow::{Event, EventType};
    use serde_json::{Value, json};

    fn event(kind: &str, payload: Value) -> Event {
        Event::read(EventType::named(kind).unwrap(), &payload.to_string()).unwrap()
    }

    fn lines(events: &[(&str, Value)]) -> Vec<String> {
        let mut lines = Lines::default();
        lines.set_order(vec!["search".to_owned(), "write".to_owned()]);
        events.iter().flat_map(|(kind, payload)| lines.for_event(&event(kind, payload.clone()))).collect()
    }

    fn phase(from: &str, to: &str, trigger: &str) -> (&'static str, Value) {
        ("phase_transition", json!({ "from": from, "to": to, "trigger": trigger }))
    }

    #[test]
    fn the_answers_stand_behind_a_space_but_for_the_line_of_the_contract() {
        let options = ["Y".to_owned(), "n".to_owned()];
        for (message, line) in [
            ("检测到网络访问，是否继续？", "❓ 检测到网络访问，是否继续？(Y/n)"),
            ("Allow network access?", "❓ Allow network access? (Y/n)"),
        ] {
            assert_eq!(question(message, Some(&options)), [line]);
        }
    }

    #[test]
    fn one_option_is_told_by_its_words_and_several_as_they_were_typed() {
        let words = |labels: &[&str]| labels.iter().map(|&label| label.to_owned()).collect::<Vec<_>>();
        for (response, selected, told) in [
            ("2", &["tulip"][..], "tulip"),
            ("Y", &["Y"], "Y"),
            ("1,3", &["paper1.pdf", "paper3.pdf"], "1,3"),
            ("my own", &[], "my own"),
        ] {
            assert_eq!(answer(response, &words(selected)), told);
        }
    }

    #[test]
    fn a_tool_that_failed_is_told_with_the_reason() {
        let failed = json!({
            "toolId": "tool-1", "toolName": "WEB_SEARCH", "agentId": "executor-1", "error": "HTTP 500", "duration": 2,
        });
        assert_eq!(lines(&[("tool_error", failed)]), ["Tool WEB_SEARCH failed: HTTP 500"]);
    }

    #[test]
    fn a_plan_is_told_once_and_another_one_again() {
        let plan = |version: u64, count: u64| {
            let plan = json!({ "planId": "p", "version": version, "taskCount": count, "completedCount": 0 });
            ("plan_updated", plan)
        };
        assert_eq!(
            lines(&[plan(1, 3), plan(1, 3), plan(1, 4), plan(2, 4)]),
            ["Plan created: 3 tasks", "Plan created: 4 tasks", "Plan created: 4 tasks"]
        );
    }

    #[test]
    fn tasks_are_called_by_their_number_or_their_place_in_the_plan() {
        let started = |id: &str| ("task_started", json!({ "taskId": id, "description": "" }));
        assert_eq!(
            lines(&[started("task-2"), started("write"), started("task-x"), started("task-")]),
            [
                "Task 2: dispatching → running",
                "Task 2: dispatching → running",
                "Task task-x: dispatching → running",
                "Task task-: dispatching → running"
            ]
        );
        let needs = |id: &str| Lines::default().needs_order(&event(started(id).0, started(id).1));
        assert!(needs("write") && !needs("task-1"));
    }

    #[test]
    fn a_task_that_failed_is_sent_again_before_it_runs_again() {
        let started = ("task_started", json!({ "taskId": "task-1", "description": "" }));
        let failed = ("task_failed", json!({ "taskId": "task-1", "error": "no network" }));
        let blocked = ("task_blocked", json!({ "taskId": "task-1", "reason": "nobody" }));
        let sent = json!({
            "workflowId": "wf", "status": "executing", "agentUpdates": [],
            "taskUpdates": [{ "id": "task-1", "status": "in_progress" }],
        });
        let sent = ("workflow_update", sent);
        let again =
            ["Task 1: running → failed", "Task 1: failed → dispatching", "Task 1: dispatching → running"];
        assert_eq!(lines(&[sent.clone(), failed.clone(), started.clone()]), again);
        // If there is an event for the dispatch, the line is printed then.
        assert_eq!(lines(&[failed.clone(), sent.clone(), sent, started.clone()]), again);
        let given_up = ["Task 1: running → failed", "Task 1: dispatching → blocked", again[2]];
        assert_eq!(lines(&[failed, blocked, started]), given_up);
    }

    #[test]
    fn what_is_waited_for_is_told() {
        let waits = json!({
            "workflowId": "wf", "status": "executing", "taskUpdates": [], "agentUpdates": [],
            "waitingFor": [{ "type": "agent", "agentType": "executor", "usedBy": ["wf-1", "wf-2"] },
                           { "type": "agent", "agentType": "reviewer" }],
        });
        assert_eq!(
            lines(&[("workflow_update", waits)]),
            ["Waiting for an agent (executor), in use by wf-1, wf-2", "Waiting for an agent (reviewer)"]
        );
    }

    #[test]
    fn what_the_review_says_stands_before_its_phase() {
        let (kind, mut rejected) = phase("review", "execution", "review_rejected");
        rejected["reason"] = json!("no sources");
        assert_eq!(
            lines(&[(kind, rejected), phase("review", "completed", "review_passed")]),
            [
                "Review: rejected",
                "Reason: no sources",
                "Phase: review → execution",
                "Review: passed",
                "Phase: review → completed"
            ]
        );
    }

    #[test]
    fn who_cannot_be_helped_is_known_until_somebody_begins() {
        let short = |task: Option<&str>| {
            let mut told = json!({ "missingResources": [], "reason": "nobody", "suggestion": "" });
            if let Some(task) = task {
                told["taskId"] = json!(task);
            }
            event("resource_shortage", told)
        };
        let mut lines = Lines::default();
        lines.for_event(&short(Some("task-1")));
        assert_eq!(lines.shortage(), Some("nobody"));
        lines.for_event(&event("task_started", json!({ "taskId": "task-2", "description": "" })));
        assert_eq!(lines.shortage(), Some("nobody"));
        lines.for_event(&event("task_started", json!({ "taskId": "task-1", "description": "" })));
        assert_eq!(lines.shortage(), None);
        lines.for_event(&short(None));
        let (kind, entered) = phase("wait_user_decision", "execution", "user_decision_received");
        assert_eq!(lines.shortage(), Some("nobody"));
        lines.for_event(&event(kind, entered));
        assert_eq!(lines.shortage(), None);
    }

    #[test]
    fn an_end_is_what_has_led_to_it() {
        for (to, trigger, end) in [
            ("completed", "review_passed", Some(WorkflowEnd::Completed)),
            ("failed", "error_occurred", Some(WorkflowEnd::Failed)),
            ("failed", "cancel_requested", Some(WorkflowEnd::Cancelled)),
            ("paused", "pause_requested", None),
        ] {
            let (kind, payload) = phase("review", to, trigger);
            assert_eq!(WorkflowEnd::from_event(&event(kind, payload)), end, "{to}");
        }
    }
}
