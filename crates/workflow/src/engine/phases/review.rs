//! Review: whether the results are accepted (contract/workflows §6.3).

use super::ask::ask;
use super::{PhaseExecution, picked};
use crate::decisions::{self, DecisionReason, NewDecision, UserAnswer};
use crate::engine::assignment::PERSON_SAYS;
use crate::engine::prompt::{Prompt, Repair, quoted};
use crate::engine::proposal::{Proposal, Risk};
use crate::engine::track::StopReason;
use crate::steer::{self, Initiator};
use crate::{rows, stages, tasks};
use journal::Task;
use model::workflow::{RecoveryQuestion, TaskStatus, Trigger};
use serde_json::{Map, Value, json};

impl PhaseExecution<'_> {
    pub(super) fn review(&mut self) -> Result<(), StopReason> {
        let rows = self.tasks()?;
        let context = rows::context_of(&self.workflow);
        let proposal = context.get(stages::PROPOSAL).filter(|_| self.stage.is_some());
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
            review.insert("feedback".to_owned(), json!("a result without evidence is not accepted"));
            review.insert("tasks".to_owned(), json!(unproven));
        }
        let named = named_tasks(&review, &claims);
        let is_exhausted = self.is_exhausted(&rows, &named);
        if named.is_empty() {
            review.shift_remove("tasks");
        } else {
            review.insert("tasks".to_owned(), Value::Array(named));
        }
        if is_exhausted {
            review = match self.ask_after_rejections(asked.as_ref(), &rows, review)? {
                Some(review) => review,
                None => return Ok(()),
            };
        }
        let mut known = Map::new();
        self.result(&mut known, || judged(false, &review));
        known.insert("review".to_owned(), Value::Object(review));
        self.settle(asked.as_ref(), Trigger::ReviewRejected, &known)
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
        review: Map<String, Value>,
    ) -> Result<(), StopReason> {
        let mut known = Map::new();
        if self.stage.is_some() {
            self.result(&mut known, || judged(true, &review));
        } else {
            known.insert("output".to_owned(), tasks::output_of(rows));
        }
        known.insert("review".to_owned(), Value::Object(review));
        self.settle(asked, Trigger::ReviewPassed, &known)
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
        mut review: Map<String, Value>,
    ) -> Result<Option<Map<String, Value>>, StopReason> {
        let feedback = review.get("feedback").and_then(Value::as_str).unwrap_or_default();
        let new = NewDecision {
            context: Some(quoted(feedback)),
            ..decisions::recovery(RecoveryQuestion::ReviewsFailed)
        };
        let said = UserAnswer::from_decision(&self.decide(&new, DecisionReason::Recovery)?);
        if let Some(note) = &said.note {
            review.insert(PERSON_SAYS.to_owned(), json!(note));
        }
        match said.choice_or("continue") {
            Some("accept") => {
                let mut known = Map::new();
                known.insert("review".to_owned(), Value::Object(review));
                known.insert("output".to_owned(), tasks::output_of(rows));
                self.settle(asked, Trigger::ReviewPassed, &known)?;
            }
            Some("continue") => return Ok(Some(review)),
            Some("replan") => self.replan(&review)?,
            _ => self.fail("the review did not accept the result")?,
        }
        Ok(None)
    }

    /// Rejects the result, and makes another plan.
    fn replan(&self, review: &Map<String, Value>) -> Result<(), StopReason> {
        self.commit(|draft, workflow| {
            let mut known = Map::new();
            known.insert("review".to_owned(), Value::Object(review.clone()));
            steer::apply(draft, workflow, Trigger::ReviewRejected, &known, Initiator::Driver)?;
            steer::apply(draft, workflow, Trigger::MajorChangeDetected, &Map::new(), Initiator::Driver)?;
            let mut known = Map::new();
            known.insert("route".to_owned(), json!("full_replan"));
            steer::apply(draft, workflow, Trigger::RoutingDecided, &known, Initiator::Driver)
        })
    }
}

/// Returns the review, and whether it accepts the result.
fn judge_review(asked: Result<&Proposal, &String>, unproven: &[&str]) -> (Map<String, Value>, bool) {
    match asked {
        Ok(proposal) => {
            let level = proposal.text("riskLevel").map(str::to_ascii_lowercase);
            let is_high = proposal.risk == Risk::High || level.as_deref() == Some("high");
            let says_so = proposal.params.get("approved") != Some(&Value::Bool(false));
            let is_passed = proposal.action == "REVIEW_APPROVE" && says_so && !is_high && unproven.is_empty();
            (proposal.params.clone(), is_passed)
        }
        // An unreadable review accepts nothing.
        Err(problem) => (json!({ "feedback": problem }).as_object().cloned().unwrap_or_default(), false),
    }
}

/// Returns the tasks that a review names; names of other tasks do not count. None means all tasks.
fn named_tasks(review: &Map<String, Value>, claims: &[TaskClaim]) -> Vec<Value> {
    let named: Vec<Value> = review.get("tasks").and_then(Value::as_array).cloned().unwrap_or_default();
    named.into_iter().filter(|name| claims.iter().any(|claim| name.as_str() == Some(&*claim.task))).collect()
}

/// The result of a review.
fn judged(is_approved: bool, review: &Map<String, Value>) -> Value {
    const MEMBERS: [&str; 6] =
        ["score", "feedback", "requiredFixes", "riskLevel", "tasks", "alternativeAction"];
    let mut judged = Map::from_iter([("approved".to_owned(), json!(is_approved))]);
    if let Value::Object(members) = picked(review, &MEMBERS) {
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
