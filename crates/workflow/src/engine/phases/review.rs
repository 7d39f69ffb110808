//! Review: whether the results are accepted (contract/workflows §6.3).

use super::ask::ask;
use super::{PhaseExecution, picked};
use crate::aggregate::drive;
use crate::decisions;
use crate::engine::prompt::{Prompt, Repair, quoted};
use crate::engine::proposal::{Proposal, Risk};
use crate::engine::track::StopReason;
use crate::tasks;
use aide_core::decision::DecisionReason;
use aide_core::decision::NewDecision;
use aide_core::{Context, Review, TriggerPayload};
use journal::Task;
use protocol::workflow::{RecoveryQuestion, Route, TaskStatus, Trigger};
use serde_json::{Map, Value, json};

impl PhaseExecution<'_> {
    pub(super) fn review(&mut self) -> Result<(), StopReason> {
        let rows = self.tasks()?;
        let context = Context::read(&self.workflow.context);
        let proposal = context.proposal().filter(|_| self.stage.is_some());
        let asked = self.ask_for_review(&rows, proposal)?;
        let claims = match proposal {
            Some(proposal) => claims_in(proposal),
            None => rows.iter().map(claim).collect(),
        };
        let unproven: Vec<&str> =
            claims.iter().filter(|claim| !claim.has_evidence).map(|claim| &*claim.task).collect();
        let (mut review, is_passed) = judge_review(asked.as_ref(), &unproven);
        if is_passed {
            return self.pass(asked.as_ref(), &rows, review);
        }
        if !unproven.is_empty() && asked.as_ref().is_ok_and(|proposal| proposal.action == "REVIEW_APPROVE") {
            review.set_feedback("a result without evidence is not accepted");
            review.set_tasks(Some(unproven.iter().map(|task| Value::from(*task)).collect()));
        }
        let named = named_tasks(&review, &claims);
        let is_exhausted = self.is_exhausted(&rows, &named);
        review.set_tasks((!named.is_empty()).then_some(named));
        if is_exhausted {
            review = match self.ask_after_rejections(asked.as_ref(), &rows, review)? {
                Some(review) => review,
                None => return Ok(()),
            };
        }
        let payload = self.with_result(TriggerPayload::default(), || judged(false, &review));
        self.settle(asked.as_ref(), Trigger::ReviewRejected, &payload.with_review(review))
    }

    /// Asks the reviewer for a review of these tasks, or of a proposal.
    fn ask_for_review(
        &mut self,
        rows: &[Task],
        proposal: Option<&Value>,
    ) -> Result<Result<Proposal, String>, StopReason> {
        let (task, subject) = match proposal {
            // What it is for, if anything, is part of it.
            Some(_) => (Value::Null, "Proposal"),
            None => (json!(self.workflow.task), "Tasks and results"),
        };
        let nodes = proposal.cloned().unwrap_or_else(|| json!(tasks::nodes(rows)));
        let prompt = |said: &[String], repair: Option<&Repair<'_>>| {
            let actions = [
                "REVIEW_APPROVE {approved: true, score: 0-100, feedback, riskLevel: low|medium|high}",
                "REVIEW_REJECT {approved: false, score: 0-100, feedback, requiredFixes: [], riskLevel, tasks: [ids of the tasks to redo]}",
            ];
            Prompt::new(
                "You review the work of other agents. Reject every claim without evidence.",
                &actions.map(str::to_owned),
            )
            .data("The task", &task)
            .data(subject, &nodes)
            .said(said)
            .repair(repair)
            .finish()
        };
        let check = |proposal: &Proposal| match &*proposal.action {
            "REVIEW_APPROVE" | "REVIEW_REJECT" => Ok(()),
            other => Err(format!("there is no action {other}")),
        };
        ask(&mut self.track, &self.agent, &*self.provider, self.shared.limits.repairs, &prompt, &check)
    }

    /// Applies a review that accepts the result.
    fn pass(
        &self,
        asked: Result<&Proposal, &String>,
        rows: &[Task],
        review: Review,
    ) -> Result<(), StopReason> {
        let output = match self.stage {
            Some(_) => judged(true, &review),
            None => tasks::output_of(rows),
        };
        let payload = TriggerPayload::default().with_output(output).with_review(review);
        self.settle(asked, Trigger::ReviewPassed, &payload)
    }

    /// Whether one of the named tasks was rejected too often; of all tasks, if none is named.
    fn is_exhausted(&self, rows: &[Task], named: &[Value]) -> bool {
        let is_meant =
            |task: &Task| named.is_empty() || named.iter().any(|name| name.as_str() == Some(&*task.id));
        rows.iter().any(|task| is_meant(task) && task.rejections >= self.shared.limits.rejections)
    }

    /// Asks the user how to continue with tasks that were rejected too often. Returns the review if it is to be applied once
    /// more.
    fn ask_after_rejections(
        &mut self,
        asked: Result<&Proposal, &String>,
        rows: &[Task],
        mut review: Review,
    ) -> Result<Option<Review>, StopReason> {
        let new = NewDecision {
            context: Some(quoted(review.feedback())),
            ..NewDecision::recovery(RecoveryQuestion::ReviewsFailed)
        };
        let said = decisions::answer_to(&self.ask_user(&new, DecisionReason::Recovery)?);
        if let Some(note) = &said.note {
            review.set_person_says(note);
        }
        match said.choice_or("continue") {
            Some("accept") => {
                let output = tasks::output_of(rows);
                let payload = TriggerPayload::default().with_review(review).with_output(output);
                self.settle(asked, Trigger::ReviewPassed, &payload)?;
            }
            Some("continue") => return Ok(Some(review)),
            Some("replan") => self.replan(&review)?,
            _ => self.fail("the review did not accept the result")?,
        }
        Ok(None)
    }

    /// Rejects the result, and makes another plan.
    fn replan(&self, review: &Review) -> Result<(), StopReason> {
        self.commit(|draft, workflow| {
            let payload = TriggerPayload::default().with_review(review.clone());
            drive(draft, workflow, Trigger::ReviewRejected, payload)?;
            let payload = TriggerPayload::default();
            drive(draft, workflow, Trigger::MajorChangeDetected, payload)?;
            let payload = TriggerPayload::of_route(Route::FullReplan);
            drive(draft, workflow, Trigger::RoutingDecided, payload)
        })
    }
}

/// Returns the review, and whether it accepts the result.
fn judge_review(asked: Result<&Proposal, &String>, unproven: &[&str]) -> (Review, bool) {
    match asked {
        Ok(proposal) => {
            let level = proposal.text("riskLevel").map(str::to_ascii_lowercase);
            let is_high = proposal.risk == Risk::High || level.as_deref() == Some("high");
            let says_so = proposal.params.get("approved") != Some(&Value::Bool(false));
            let is_passed = proposal.action == "REVIEW_APPROVE" && says_so && !is_high && unproven.is_empty();
            (Review::from_members(proposal.params.clone()), is_passed)
        }
        // An unreadable review accepts nothing.
        Err(problem) => {
            let mut review = Review::default();
            review.set_feedback(problem);
            (review, false)
        }
    }
}

/// Returns the tasks that a review names; names of other tasks do not count. None means all tasks.
fn named_tasks(review: &Review, claims: &[TaskClaim]) -> Vec<Value> {
    let is_known = |name: &Value| claims.iter().any(|claim| name.as_str() == Some(&*claim.task));
    review.tasks().into_iter().filter(is_known).collect()
}

/// The result of a review.
fn judged(is_approved: bool, review: &Review) -> Value {
    const MEMBERS: [&str; 6] =
        ["score", "feedback", "requiredFixes", "riskLevel", "tasks", "alternativeAction"];
    let mut judged = Map::from_iter([("approved".to_owned(), json!(is_approved))]);
    if let Value::Object(members) = picked(review.members(), &MEMBERS) {
        judged.extend(members);
    }
    Value::Object(judged)
}

/// A task, and whether it has anything to show for what it claims.
struct TaskClaim {
    task: String,
    has_evidence: bool,
}

fn claim(task: &Task) -> TaskClaim {
    let result =
        || task.result.as_deref().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    let has_evidence = task.state.simple() != TaskStatus::Completed || is_evidence(&result());
    TaskClaim { task: task.id.clone(), has_evidence }
}

/// The claims of the tasks in a proposal.
fn claims_in(proposal: &Value) -> Vec<TaskClaim> {
    let tasks = proposal.get("tasks").and_then(Value::as_array).into_iter().flatten();
    let claim = |task: &Value| {
        let is_claimed = task["status"].as_str() == Some(TaskStatus::Completed.name());
        let has_evidence = !is_claimed || is_evidence(&task["result"]);
        Some(TaskClaim { task: task["id"].as_str()?.to_owned(), has_evidence })
    };
    tasks.filter_map(claim).collect()
}

/// Whether a result shows anything.
fn is_evidence(result: &Value) -> bool {
    let is_said = |key: &str| match &result[key] {
        Value::Null => false,
        Value::String(text) => !model::is_blank(text),
        Value::Array(values) => !values.is_empty(),
        _ => true,
    };
    match result {
        Value::Object(_) => is_said("output") || is_said("files"),
        Value::String(text) => !model::is_blank(text),
        Value::Null => false,
        _ => true,
    }
}
