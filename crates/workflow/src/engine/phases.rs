//! The phases but execution (contract/workflows §6.3): each asks one agent, and goes where its answer leads.

use super::agenda::is_current;
use super::assignment::{DELIVERABLES, PERSON_SAYS};
use super::prompt::{Prompt, Repair, quoted};
use super::proposal::{Proposal, Risk};
use super::track::{ModelReply, StopReason, Track};
use super::{Job, Shared, plan};
use crate::agents;
use crate::context_keys;
use crate::decisions::{self, DecisionReason, NewDecision, UserAnswer};
use crate::draft::{Draft, EventScope, iso};
use crate::failure::Failure;
use crate::images;
use crate::stages;
use crate::steer::{self, Initiator};
use crate::tasks;
use journal::{Decision, Lease, Message, Query, Task, ViewExt as _, Workflow};
use llm::{Cancellation, Provider};
use model::workflow::api::Capability;
use model::workflow::{
    DecisionTreeNode, MissingResource, OrchestratorState, RecoveryQuestion, ResourceShortage, SingleStage,
    SystemError, TaskStatus, Trigger, WorkflowState, WorkflowUpdate,
};
use serde_json::{Map, Value, json};
use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::Arc;

/// How sure a router must be, of a hundred, not to ask a person.
const SURE: f64 = 60.0;

/// How sure a router must be, of a hundred, that a change is a minor one.
const SURE_OF_MINOR: f64 = 70.0;

/// How many messages of a session the intent prompt includes (contract/workflows §6.3).
const HISTORY: u32 = 5;

/// How much of each of them, in characters.
const HISTORY_TEXT: usize = 200;

/// What a session was about before a workflow.
struct SessionHistory {
    /// What was said last, as it was said.
    said: Value,
    /// How its last workflow stands.
    workflow: Value,
}

/// One phase that is being done.
struct PhaseExecution<'a> {
    shared: &'a Shared,
    track: Track<'a>,
    workflow: Workflow,
    /// The phase, if the workflow consists of it alone.
    stage: Option<SingleStage>,
    agent: String,
    provider: Arc<dyn Provider>,
}

/// Runs the phase that a workflow has entered by this event, with this agent, which needs a provider.
pub(crate) fn run(
    shared: &Shared,
    lease: &Lease,
    job: &Job,
    (entered, agent, kind): (i64, Option<&str>, &str),
    cancellation: &Cancellation,
) -> Result<(), StopReason> {
    let workflow = {
        let view = shared.runtime.journal.view()?;
        steer::find(&Draft::new(&*view, &*shared.runtime.world), &lease.workflow)?
    };
    let Some(agent) = agent.map(str::to_owned) else { return nobody(shared, lease, job, kind) };
    let provider = shared.providers.get(&agent).cloned().ok_or(StopReason::Unwanted)?;
    let name = format!("{}@{entered}", workflow.state);
    let track = Track::open(shared, lease, cancellation, job, name, None)?;
    let stage = stages::stage_of(&workflow).filter(|stage| stage.phase() == workflow.state);
    let mut phase = PhaseExecution { shared, track, workflow, stage, agent, provider };
    match phase.workflow.state {
        WorkflowState::SemanticUnderstanding => phase.understand(),
        WorkflowState::RoutingDecision | WorkflowState::ReplanEvaluation => phase.route(),
        WorkflowState::PlanLoop => phase.plan(),
        WorkflowState::Review => phase.review(),
        _ => Ok(()),
    }
}

/// No agent qualifies, nor will one: fails the workflow.
fn nobody(shared: &Shared, lease: &Lease, job: &Job, kind: &str) -> Result<(), StopReason> {
    let made = shared.runtime.make(lease, |draft| {
        let mut workflow = steer::find(draft, &lease.workflow)?;
        if !is_current(draft, &workflow, job)? {
            return Ok(());
        }
        let reason = RecoveryQuestion::ResourcesMissing { resources: kind }.to_string();
        let told = ResourceShortage {
            task_id: None,
            missing_resources: vec![MissingResource {
                kind: kind.to_owned(),
                capabilities: None,
                min_level: None,
            }],
            reason: reason.clone(),
            suggestion: String::new(),
        };
        draft.emit(EventScope::workflow(&workflow), told);
        let mut known = Map::new();
        known.insert("lastError".to_owned(), json!(reason));
        steer::apply(draft, &mut workflow, Trigger::ErrorOccurred, &known, Initiator::Driver)
    })?;
    made.ok_or(StopReason::Unwanted)
}

impl PhaseExecution<'_> {
    fn understand(&mut self) -> Result<(), StopReason> {
        let mut asked: Vec<Value> = Vec::new();
        let (task, known) = (json!(self.workflow.task), self.known());
        let (tasks, earlier) = (json!(tasks::nodes(&self.tasks()?)), self.earlier()?);
        let standing = self.standing()?;
        let context = steer::context_of(&self.workflow);
        let folder = self.track.folder().map(PathBuf::as_path);
        let (images, pictures) = images::shown(folder, context.get(context_keys::IMAGES));
        self.track.show(images);
        loop {
            let prompt = |said: &[String], repair: Option<&Repair<'_>>| {
                let actions = [
                    "INTENT_ANALYSIS {normalizedIntent: {goal, action: create|modify|query|cancel|continue|clarify, scope: full_task|partial_task|meta_control, urgency: low|medium|high}, \
                     taskRelation: {type: same_task_no_change|same_task_minor_change|same_task_major_change|different_task|\
                     control_instruction, confidence: 0-1, reasoning}, suggestedRoute: {nextPhase: plan_loop|execution|replan|new_task|wait_user|control, reason}}",
                    "CLARIFICATION_REQUIRED {question, suggestions: []} - only if you cannot do anything useful without an answer",
                ];
                Prompt::new("You understand what the user wants.", &actions.map(str::to_owned))
                    .data("The user's request", &task)
                    .data("Images attached to the request (files in your working folder)", &pictures)
                    .data("Known so far", &known)
                    .data("Workflow status", &standing)
                    .data("Tasks", &tasks)
                    .data("Earlier messages in this session", &earlier.said)
                    .data("Previous workflow of this session", &earlier.workflow)
                    .data("Asked and answered", &json!(asked))
                    .said(said)
                    .repair(repair)
                    .finish()
            };
            let check = |proposal: &Proposal| match &*proposal.action {
                "INTENT_ANALYSIS"
                    if proposal.params.get("normalizedIntent").is_some_and(Value::is_object) =>
                {
                    Ok(())
                }
                "INTENT_ANALYSIS" => Err("`params.normalizedIntent` is not an object".to_owned()),
                "CLARIFICATION_REQUIRED" if proposal.text("question").is_some() => {
                    decisions::check(&clarification(proposal)).map_err(|refused| refused.to_string())
                }
                "CLARIFICATION_REQUIRED" => Err("`params.question` is not a string".to_owned()),
                other => Err(format!("there is no action {other}")),
            };
            let proposal = ask(
                &mut self.track,
                &self.agent,
                &*self.provider,
                self.shared.limits.repairs,
                &prompt,
                &check,
            )?;
            let proposal = match proposal {
                Ok(proposal) => proposal,
                Err(problem) => return self.fail(&self.unusable(&problem)),
            };
            if proposal.action == "INTENT_ANALYSIS" {
                let mut known = Map::new();
                let mut intent = proposal.params.clone();
                intent.insert("confidence".to_owned(), json!(proposal.confidence));
                const MEMBERS: [&str; 5] =
                    ["normalizedIntent", "taskRelation", "contextDependency", "suggestedRoute", "confidence"];
                self.result(&mut known, || picked(&intent, &MEMBERS));
                known.insert("intent".to_owned(), Value::Object(intent));
                return self.go(&proposal, Trigger::IntentAnalyzed, &known);
            }
            let new = clarification(&proposal);
            let said = UserAnswer::from_decision(&self.decide(&new, DecisionReason::Ambiguity)?);
            if said.choice.is_none() && said.note.is_none() {
                return self.fail("the user has not said what was meant");
            }
            let mut answered = json!({ "question": new.message, "answer": said.choice });
            if let Some(note) = said.note {
                answered["note"] = json!(note);
            }
            asked.push(answered);
        }
    }

    fn route(&mut self) -> Result<(), StopReason> {
        let has_tasks = !self.tasks()?.is_empty();
        let is_evaluation = self.workflow.state == WorkflowState::ReplanEvaluation;
        if !has_tasks && self.stage.is_none() {
            return self.plan_first_input();
        }
        let known = self.known();
        let proposal = match self.ask_for_route(&known)? {
            Ok(proposal) => proposal,
            Err(problem) => return self.fail(&self.unusable(&problem)),
        };
        let route = proposal.text("route").unwrap_or_default();
        let payload = known_payload(&proposal);
        let relation = known["intent"]["taskRelation"]["type"].as_str().unwrap_or_default();
        let is_sure = is_sure(&proposal, &payload, relation);
        if route == "control_action"
            && is_sure
            && self.stage.is_none()
            && self.control(&proposal, payload["controlAction"].as_str())?
        {
            return Ok(());
        }
        let mut known = Map::new();
        known.insert("routing".to_owned(), payload);
        let direct = if is_sure { direct_route(&proposal, route, is_evaluation) } else { None };
        if self.stage.is_some() {
            self.result(&mut known, || {
                let payload = known_payload(&proposal);
                json!({
                    "route": route, "confidence": proposal.confidence, "payload": payload,
                    "requiresConfirmation": direct.is_none(),
                })
            });
            return self.go(&proposal, Trigger::RoutingDecided, &known);
        }
        if let Some(route) = direct {
            known.insert("route".to_owned(), json!(route));
            return self.go(&proposal, Trigger::RoutingDecided, &known);
        }
        let new = NewDecision {
            context: Some(quoted(&proposal.thought)),
            ..decisions::recovery(RecoveryQuestion::TaskChanged)
        };
        if is_evaluation {
            return self.decide_route(&proposal, &new, known);
        }
        self.wait_for_route(&proposal, &new, known)
    }

    /// A first input is planned without asking an agent.
    fn plan_first_input(&self) -> Result<(), StopReason> {
        let mut known = Map::new();
        known.insert("route".to_owned(), json!("full_replan"));
        self.commit(|draft, workflow| {
            steer::apply(draft, workflow, Trigger::RoutingDecided, &known, Initiator::Driver)
        })
    }

    /// Asks the router.
    fn ask_for_route(&mut self, known: &Value) -> Result<Result<Proposal, String>, StopReason> {
        const ROUTES: [&str; 6] = [
            "continue_execution",
            "minor_replan",
            "full_replan",
            "new_task",
            "control_action",
            "wait_user_decision",
        ];
        let tasks = json!(tasks::nodes(&self.tasks()?));
        let standing = self.standing()?;
        let task = json!(self.workflow.task);
        let prompt = |said: &[String], repair: Option<&Repair<'_>>| {
            let action = format!(
                "ROUTE_DECISION {{route: {}, payload: {{reason, requiresConfirmation: true|false, \
                 planPatches: [changes to the plan, for minor_replan], controlAction: pause|resume|cancel|status_query, \
                 replanTrigger: major_failure|major_change|resource_missing|review_reject, newTaskJustification}}}}",
                ROUTES.join("|")
            );
            Prompt::new("You decide what a workflow does next.", &[action])
                .data("The task", &task)
                .data("Known so far", known)
                .data("Workflow status", &standing)
                .data("Tasks", &tasks)
                .said(said)
                .repair(repair)
                .finish()
        };
        let check = |proposal: &Proposal| match (&*proposal.action, proposal.text("route")) {
            ("ROUTE_DECISION", Some(route)) if ROUTES.contains(&route) => Ok(()),
            ("ROUTE_DECISION", _) => Err(format!("`params.route` must be one of {}", ROUTES.join(", "))),
            (other, _) => Err(format!("there is no action {other}")),
        };
        ask(&mut self.track, &self.agent, &*self.provider, self.shared.limits.repairs, &prompt, &check)
    }

    /// Carries out a control action; returns whether there is such a one.
    fn control(&mut self, proposal: &Proposal, action: Option<&str>) -> Result<bool, StopReason> {
        match action {
            Some("cancel") => self.go(proposal, Trigger::CancelRequested, &Map::new())?,
            // It was paused, and has been resumed.
            Some("pause") if self.track.skip("pause").is_some() => {
                let known = Map::from_iter([("route".to_owned(), json!("continue_execution"))]);
                self.go(proposal, Trigger::RoutingDecided, &known)?;
            }
            Some("pause") => {
                self.commit(|draft, workflow| {
                    self.emit_proposal(draft, workflow, proposal);
                    self.track.note(draft, "pause")?;
                    steer::apply(draft, workflow, Trigger::PauseRequested, &Map::new(), Initiator::Other)
                })?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Asks a person for the route, and waits here: no way leads from an evaluation to where a person is waited for.
    fn decide_route(
        &mut self,
        proposal: &Proposal,
        new: &NewDecision,
        mut known: Map<String, Value>,
    ) -> Result<(), StopReason> {
        let said = UserAnswer::from_decision(&self.decide(new, DecisionReason::Confirmation)?);
        if let Some(note) = &said.note {
            known.insert("decisionNote".to_owned(), json!(note));
        }
        match said.choice_or("replan") {
            Some("continue") => {
                known.insert("route".to_owned(), json!("continue_execution"));
                self.go(proposal, Trigger::RoutingDecided, &known)
            }
            Some("replan" | "new_task") => {
                known.insert("route".to_owned(), json!("full_replan"));
                self.go(proposal, Trigger::RoutingDecided, &known)
            }
            _ => self.fail("aborted"),
        }
    }

    /// Asks a person for the route, and goes to where a person is waited for.
    fn wait_for_route(
        &self,
        proposal: &Proposal,
        new: &NewDecision,
        mut known: Map<String, Value>,
    ) -> Result<(), StopReason> {
        known.insert("route".to_owned(), json!("wait_user_decision"));
        self.commit(|draft, workflow| {
            self.emit_proposal(draft, workflow, proposal);
            let new = NewDecision { workflow_id: Some(workflow.id.clone()), ..new.clone() };
            let decision = decisions::create(draft, &new, Some(workflow), DecisionReason::Confirmation)?;
            let mut known = known.clone();
            known.insert("decisionId".to_owned(), json!(decision.id));
            steer::apply(draft, workflow, Trigger::RoutingDecided, &known, Initiator::Driver)
        })
    }

    fn plan(&mut self) -> Result<(), StopReason> {
        let catalogue = self.catalogue()?;
        let able: Vec<Capability> = catalogue.iter().filter_map(best_of).collect();
        let before = json!(tasks::nodes(&self.tasks()?));
        let (task, known) = (json!(self.workflow.task), self.known());
        // The patches of an earlier change do not apply to this one.
        let patches = match known["route"].as_str() {
            Some("minor_replan") => known["routing"]["planPatches"].clone(),
            _ => Value::Null,
        };
        let mut unwanted: Vec<Value> = Vec::new();
        let prompt = |unwanted: &[Value], said: &[String], repair: Option<&Repair<'_>>| {
            let actions = [
                "TASK_PLAN {tasks: [{id: \"task-1\", description, dependencies: [ids], requiredCapabilities: [], \
                 minLevel: 1-10 (only if the task needs a highly capable agent), estimatedDuration: ms, deliverable}]} - 1 to 15 tasks, usually 3 to 7; \
                 tasks that do not depend on each other run in parallel",
                "FAIL {reason} - only if the task cannot be done at all",
            ];
            Prompt::new("You plan how to carry out a task.", &actions.map(str::to_owned))
                .data("The task", &task)
                .data("Known so far", &known)
                .data("Available capabilities", &json!(catalogue))
                .data("Previous plan", &before)
                .data("Changes to make to the previous plan (keep the rest)", &patches)
                .data("Plans that the user rejected", &json!(unwanted))
                .said(said)
                .repair(repair)
                .finish()
        };
        // The last plan that needs what no agent is able to do.
        let lacking: RefCell<Option<Proposal>> = RefCell::default();
        let check = |proposal: &Proposal| match &*proposal.action {
            "TASK_PLAN" => {
                let lacks = plan::read_lacking(&proposal.params, &able);
                lacking.replace(lacks.map(|_| proposal.clone()));
                plan::read_plan(&proposal.params, &able).map(drop)
            }
            "FAIL" => Ok(()),
            other => Err(format!("there is no action {other}")),
        };
        loop {
            let asked = |said: &[String], repair: Option<&Repair<'_>>| prompt(&unwanted, said, repair);
            let repairs = self.shared.limits.repairs;
            let proposal = ask(&mut self.track, &self.agent, &*self.provider, repairs, &asked, &check)?;
            let insists = lacking.take().filter(|_| self.stage.is_none());
            let proposal = match (proposal, insists) {
                (Ok(proposal), _) => proposal,
                // The planner needs a capability that no agent has: a person is asked once that task is due.
                (Err(_), Some(proposal)) => proposal,
                (Err(problem), None) => return self.fail(&self.unusable(&problem)),
            };
            if proposal.action == "FAIL" {
                return self.fail(proposal.text("reason").unwrap_or("the planner gives no reason"));
            }
            let tasks = plan::read_plan(&proposal.params, &able).ok();
            let tasks = tasks.or_else(|| plan::read_lacking(&proposal.params, &able)).unwrap_or_default();
            // A plan that is not executed needs no approval.
            if proposal.needs_confirmation && self.stage.is_none() {
                let said = UserAnswer::from_decision(
                    &self.decide(&confirmation(&proposal, &tasks), DecisionReason::Confirmation)?,
                );
                match said.choice_or("replan") {
                    Some("continue") if said.note.is_none() => {}
                    Some("continue" | "replan") => {
                        unwanted.push(json!({ "tasks": tasks, PERSON_SAYS: said.note }));
                        continue;
                    }
                    _ => return self.fail("the person did not want the plan"),
                }
            }
            let mut known = Map::new();
            self.result(&mut known, || json!({ "tasks": tasks }));
            known.insert("tasks".to_owned(), Value::Array(tasks));
            known.insert(tasks::PLANNED_BY.to_owned(), json!(self.agent));
            known.insert(DELIVERABLES.to_owned(), Value::Object(plan::deliverables(&proposal.params)));
            return self.go(&proposal, Trigger::PlanCreated, &known);
        }
    }

    fn review(&mut self) -> Result<(), StopReason> {
        let rows = self.tasks()?;
        let context = steer::context_of(&self.workflow);
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

    /// Asks the reviewer: for a review of these tasks, or of a proposal.
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

    /// The review accepts the result.
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

    /// Whether one of the named tasks, or of all if none is named, was rejected too often.
    fn is_exhausted(&self, rows: &[Task], named: &[Value]) -> bool {
        let is_meant =
            |task: &Task| named.is_empty() || named.iter().any(|name| name.as_str() == Some(&*task.id));
        rows.iter().any(|task| is_meant(task) && task.rejections >= self.shared.limits.rejections)
    }

    /// Asks a person what becomes of tasks that were rejected too often. Returns the review if it is to be followed once more.
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

    /// Follows a review with another plan.
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

    /// Asks a person, once, and waits.
    fn decide(&mut self, new: &NewDecision, why: DecisionReason) -> Result<Decision, StopReason> {
        let id = self.workflow.id.clone();
        let question = json!(new.message);
        self.track.decide("ask", &question, |draft| {
            let workflow = steer::find(draft, &id)?;
            let new = NewDecision { workflow_id: Some(id.clone()), ..new.clone() };
            decisions::create(draft, &new, Some(&workflow), why.clone()).map(|decision| decision.id)
        })
    }

    /// What the session was about before this workflow: a person may refer to it.
    fn earlier(&self) -> Result<SessionHistory, StopReason> {
        let view = self.shared.runtime.journal.view()?;
        let session = &self.workflow.session;
        let mut said = view.find(&Query::messages_of(session).limit(HISTORY + 1))?;
        said.retain(|message| message.workflow.as_ref() != Some(&self.workflow.id));
        said.truncate(HISTORY as usize);
        let shown = |message: &Message| {
            let content: String = message.content.chars().take(HISTORY_TEXT).collect();
            json!({ "role": message.role, "content": content })
        };
        let draft = Draft::new(&*view, &*self.shared.runtime.world);
        let workflow = match self.stage {
            // It is known already.
            Some(_) => None,
            None => stages::before(&draft, session, Some(&self.workflow.id))?,
        };
        Ok(SessionHistory {
            said: said.iter().rev().map(shown).collect(),
            workflow: workflow.unwrap_or_default(),
        })
    }

    /// How the workflow stands, in numbers, and who could do something for it (contract/workflows §6.3).
    fn standing(&self) -> Result<Value, StopReason> {
        let view = self.shared.runtime.journal.view()?;
        let tasks = view.find(&Query::tasks_of(&self.workflow.id))?;
        let count = |status: TaskStatus| tasks.iter().filter(|task| task.state.simple() == status).count();
        let completed = count(TaskStatus::Completed);
        let progress = (100 * completed).checked_div(tasks.len());
        let current = progress.map(|progress| {
            json!({
                "goal": self.workflow.task, "progress": progress, "completed": completed,
                "failed": count(TaskStatus::Failed), "blocked": count(TaskStatus::Blocked),
            })
        });
        let mut available: Map<String, Value> = Map::new();
        for agent in view.find(&Query::agents())? {
            if agents::is_free(&agent) && self.shared.drives(&agent.id) {
                let count = available.get(&agent.kind).and_then(Value::as_u64).unwrap_or_default();
                available.insert(agent.kind, json!(count + 1));
            }
        }
        Ok(json!({
            "workflowStatus": self.workflow.state.simple(), "currentTask": current,
            "lastActivity": iso(self.workflow.updated), "availableResources": available,
        }))
    }

    fn tasks(&self) -> Result<Vec<Task>, StopReason> {
        let view = self.shared.runtime.journal.view()?;
        Ok(view.find(&Query::tasks_of(&self.workflow.id))?)
    }

    /// What is known of the workflow.
    fn known(&self) -> Value {
        let mut context = steer::context_of(&self.workflow);
        context.shift_remove("plan");
        context.shift_remove(context_keys::BREAKS);
        context.shift_remove(context_keys::STAGE);
        context.shift_remove(tasks::PLANNED_BY);
        context.shift_remove(context_keys::IMAGES);
        context.shift_remove(context_keys::WAITING_FOR);
        context.shift_remove(context_keys::PHASE_FAILURE);
        Value::Object(context)
    }

    /// The capabilities on offer (contract/workflows §6.1), of agents that have a provider or a courier.
    fn catalogue(&self) -> Result<Vec<Value>, StopReason> {
        let view = self.shared.runtime.journal.view()?;
        let mut catalogue: Vec<(String, Vec<Value>)> = Vec::new();
        for agent in view.find(&Query::agents())? {
            if agent.kind != "executor" || !self.shared.drives(&agent.id) {
                continue;
            }
            let able: Vec<Capability> = serde_json::from_str(&agent.capabilities).unwrap_or_default();
            let is_there = |able: &Capability| !self.shared.lacks(&agent.id, &able.kind);
            for Capability { kind, level } in able.into_iter().filter(is_there) {
                let resource = json!({ "id": agent.id, "name": agent.name, "level": level, "status": agent.status.name() });
                match catalogue.iter_mut().find(|(known, _)| *known == kind) {
                    Some((_, resources)) => resources.push(resource),
                    None => catalogue.push((kind, vec![resource])),
                }
            }
        }
        let entry = |(kind, resources): (String, Vec<Value>)| {
            let available = resources.iter().filter(|resource| resource["status"] == "available").count();
            json!({ "capability": kind, "resourceCount": resources.len(), "availableCount": available, "resources": resources })
        };
        Ok(catalogue.into_iter().map(entry).collect())
    }

    /// If the workflow consists of this phase alone, the result of the phase is the output of the workflow.
    fn result(&self, known: &mut Map<String, Value>, result: impl FnOnce() -> Value) {
        if self.stage.is_some() {
            known.insert("output".to_owned(), result());
        }
    }

    /// Emits the proposal, and applies it as `trigger`.
    fn go(
        &self,
        proposal: &Proposal,
        trigger: Trigger,
        known: &Map<String, Value>,
    ) -> Result<(), StopReason> {
        self.settle(Ok(proposal), trigger, known)
    }

    fn settle(
        &self,
        asked: Result<&Proposal, &String>,
        trigger: Trigger,
        known: &Map<String, Value>,
    ) -> Result<(), StopReason> {
        self.commit(|draft, workflow| {
            match asked {
                Ok(proposal) => self.emit_proposal(draft, workflow, proposal),
                // Why it is not accepted stands nowhere else.
                Err(problem) => {
                    let (error, component) = (problem.clone(), "review".to_owned());
                    let trouble = SystemError { error, component, recoverable: true };
                    draft.emit(EventScope::workflow(workflow), trouble);
                }
            }
            workflow.failures = 0;
            steer::apply(draft, workflow, trigger, known, Initiator::Driver)
        })
    }

    /// Why the phase cannot continue: whose answer is unusable, and what is wrong with it.
    fn unusable(&self, problem: &str) -> String {
        format!("cannot use what {} answers as {}: {problem}", self.provider.name(), self.agent)
    }

    /// It cannot be done.
    fn fail(&self, error: &str) -> Result<(), StopReason> {
        let mut known = Map::new();
        known.insert("lastError".to_owned(), json!(error));
        self.commit(|draft, workflow| {
            steer::apply(draft, workflow, Trigger::ErrorOccurred, &known, Initiator::Driver)
        })
    }

    /// Changes the workflow if it is still in the phase of this result. A paused workflow is not: its steps are replayed after
    /// the pause, without asking again.
    fn commit(
        &self,
        change: impl Fn(&mut Draft<'_>, &mut Workflow) -> Result<(), Failure>,
    ) -> Result<(), StopReason> {
        self.track.begin_by(|draft| {
            let mut workflow = steer::find(draft, &self.workflow.id)?;
            change(draft, &mut workflow)
        })
    }

    fn emit_proposal(&self, draft: &mut Draft<'_>, workflow: &Workflow, proposal: &Proposal) {
        let round = u64::try_from(workflow.round).unwrap_or_default();
        let about = EventScope { agent: Some(&self.agent), ..EventScope::workflow(workflow) };
        draft.emit(
            about,
            DecisionTreeNode {
                phase: workflow.state.name().to_owned(),
                round,
                thought: proposal.thought.clone(),
                action: proposal.action.clone(),
                params: Value::Object(proposal.params.clone()),
                observation: None,
                output_files: None,
            },
        );
        if let Ok(update) = steer::update(draft, workflow) {
            let orchestrator_state = Some(OrchestratorState { round, thought: proposal.thought.clone() });
            draft.emit(EventScope::workflow(workflow), WorkflowUpdate { orchestrator_state, ..update });
        }
    }
}

/// What a person is asked who is to agree to a plan.
fn confirmation(proposal: &Proposal, tasks: &[Value]) -> NewDecision {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut lines: Vec<String> = vec![proposal.user_message.clone()];
    lines.retain(|message| !message.is_empty());
    lines.extend(tasks.iter().map(|task| format!("{}: {}", text(&task["id"]), text(&task["description"]))));
    NewDecision {
        context: Some(quoted(&lines.join("\n"))),
        ..decisions::recovery(RecoveryQuestion::PlanUnconfirmed)
    }
}

/// What a person is asked who was not understood.
fn clarification(proposal: &Proposal) -> NewDecision {
    NewDecision {
        message: proposal.text("question").unwrap_or_default().to_owned(),
        options: proposal.texts("suggestions"),
        allow_other: true,
        multi_select: Some(false),
        ..NewDecision::default()
    }
}

/// Asks an agent until its answer can be used, or too often; then what is wrong with the last one is returned.
pub(crate) fn ask(
    track: &mut Track<'_>,
    agent: &str,
    provider: &dyn Provider,
    repairs: usize,
    prompt: &dyn Fn(&[String], Option<&Repair<'_>>) -> String,
    check: &dyn Fn(&Proposal) -> Result<(), String>,
) -> Result<Result<Proposal, String>, StopReason> {
    let mut before: Option<(String, String)> = None;
    let mut said_before: Vec<String> = Vec::new();
    for _ in 0..=repairs {
        let repair = before.as_ref().map(|(problem, answer)| Repair { problem, answer });
        let ModelReply { answer, said } =
            track.think(agent, provider, &said_before, |said| prompt(said, repair.as_ref()))?;
        // A repair prompt repeats the user's instructions: they have had no effect yet.
        said_before = said;
        let (problem, text) = match answer {
            Ok(answer) => {
                match Proposal::read(&answer.text).and_then(|proposal| check(&proposal).map(|()| proposal)) {
                    Ok(proposal) => return Ok(Ok(proposal)),
                    Err(problem) => (problem, answer.text),
                }
            }
            Err(bad) => (bad.to_string(), String::new()),
        };
        before = Some((problem, text));
    }
    Ok(Err(before.map(|(problem, _)| problem).unwrap_or_default()))
}

/// How well the best are able to do what an entry of the catalogue is about.
fn best_of(entry: &Value) -> Option<Capability> {
    let levels = entry["resources"].as_array()?.iter().filter_map(|resource| resource["level"].as_u64());
    Some(Capability { kind: entry["capability"].as_str()?.to_owned(), level: levels.max()? })
}

/// Whether a router is so sure of its route that no person is asked.
fn is_sure(proposal: &Proposal, payload: &Value, relation: &str) -> bool {
    let is_major = relation == "same_task_major_change" || relation == "different_task";
    let wants_confirmation =
        proposal.needs_confirmation || payload["requiresConfirmation"] == Value::Bool(true);
    proposal.confidence >= SURE && !is_major && !wants_confirmation
}

/// Returns the route that is taken when the router is sure; `None` when a person has to choose.
fn direct_route(proposal: &Proposal, route: &str, is_evaluation: bool) -> Option<&'static str> {
    match route {
        "continue_execution" | "control_action" => Some("continue_execution"),
        "full_replan" => Some("full_replan"),
        // Of a plan that is looked at again there is no smaller change, and what may be larger is planned as such.
        "minor_replan" if is_evaluation || proposal.confidence <= SURE_OF_MINOR => Some("full_replan"),
        "minor_replan" => Some("minor_replan"),
        _ => None,
    }
}

/// What a router says about its route.
fn known_payload(proposal: &Proposal) -> Value {
    proposal.params.get("payload").cloned().unwrap_or_default()
}

/// These members of an object, if it has them.
fn picked(object: &Map<String, Value>, members: &[&str]) -> Value {
    let member = |name: &&str| Some(((*name).to_owned(), object.get(*name)?.clone()));
    Value::Object(members.iter().filter_map(member).collect())
}

/// Returns what a reviewer says, and whether that accepts the result.
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

/// Returns the tasks that a review names. What it does not name, or what is none of the tasks, is everything.
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
