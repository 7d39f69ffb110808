//! Routing: the next phase of a workflow, chosen by the router or the user (contract/workflows §6.3).

use super::PhaseExecution;
use super::ask::ask;
use crate::aggregate::{carry_out, drive};
use crate::engine::prompt::{Prompt, Repair, quoted};
use crate::engine::proposal::Proposal;
use crate::engine::track::StopReason;
use crate::tasks;
use crate::{answers, decisions};
use aide_core::decision::DecisionReason;
use aide_core::decision::NewDecision;
use aide_core::{Command, Context, TriggerPayload};
use protocol::workflow::{RecoveryQuestion, Route, Trigger, WorkflowState};
use serde_json::{Value, json};

/// How sure a router must be, of a hundred, not to ask a person.
const SURE: f64 = 60.0;

/// How sure a router must be, of a hundred, that a change is a minor one.
const SURE_OF_MINOR: f64 = 70.0;

impl PhaseExecution<'_> {
    pub(super) fn route(&mut self) -> Result<(), StopReason> {
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
        let context = Context::read(&self.workflow.context);
        let is_sure = is_sure(&proposal, &payload, context.relation().unwrap_or_default());
        if route == "control_action"
            && is_sure
            && self.stage.is_none()
            && self.control(&proposal, payload["controlAction"].as_str())?
        {
            return Ok(());
        }
        let routing = TriggerPayload::default().with_routing(payload);
        let direct = if is_sure { direct_route(&proposal, route, is_evaluation) } else { None };
        if self.stage.is_some() {
            let routing = self.with_result(routing, || {
                let payload = known_payload(&proposal);
                json!({
                    "route": route, "confidence": proposal.confidence, "payload": payload,
                    "requiresConfirmation": direct.is_none(),
                })
            });
            return self.go(&proposal, Trigger::RoutingDecided, &routing);
        }
        if let Some(route) = direct {
            return self.go(&proposal, Trigger::RoutingDecided, &routing.with_route(route));
        }
        let new = NewDecision {
            context: Some(quoted(&proposal.thought)),
            ..NewDecision::recovery(RecoveryQuestion::TaskChanged)
        };
        if is_evaluation {
            return self.decide_route(&proposal, &new, routing);
        }
        self.wait_for_route(&proposal, &new, routing)
    }

    /// A first input is planned without asking an agent for the route.
    fn plan_first_input(&self) -> Result<(), StopReason> {
        let payload = TriggerPayload::of_route(Route::FullReplan);
        self.commit(|draft, workflow| drive(draft, workflow, Trigger::RoutingDecided, payload.clone()))
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

    /// Carries out a control action; returns false if there is no such action.
    fn control(&mut self, proposal: &Proposal, action: Option<&str>) -> Result<bool, StopReason> {
        match action {
            Some("cancel") => self.go(proposal, Trigger::CancelRequested, &TriggerPayload::default())?,
            // It was paused, and has been resumed.
            Some("pause") if self.track.skip("pause").is_some() => {
                let payload = TriggerPayload::of_route(Route::ContinueExecution);
                self.go(proposal, Trigger::RoutingDecided, &payload)?;
            }
            Some("pause") => {
                self.commit(|draft, workflow| {
                    self.emit_proposal(draft, workflow, proposal)?;
                    self.track.note(draft, "pause")?;
                    carry_out(draft, workflow, Command::trigger(Trigger::PauseRequested)).map(drop)
                })?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Asks the user for the route, and waits here: no transition leads from an evaluation to the phase that waits for the user.
    fn decide_route(
        &mut self,
        proposal: &Proposal,
        new: &NewDecision,
        mut routing: TriggerPayload,
    ) -> Result<(), StopReason> {
        let said = decisions::answer_to(&self.ask_user(new, DecisionReason::Confirmation)?);
        if let Some(note) = &said.note {
            routing = routing.with_decision_note(note);
        }
        let route = match said.choice_or("replan") {
            Some("continue") => Route::ContinueExecution,
            Some("replan" | "new_task") => Route::FullReplan,
            _ => return self.fail("aborted"),
        };
        self.go(proposal, Trigger::RoutingDecided, &routing.with_route(route))
    }

    /// Asks the user for the route, and enters the phase that waits for the user.
    fn wait_for_route(
        &self,
        proposal: &Proposal,
        new: &NewDecision,
        routing: TriggerPayload,
    ) -> Result<(), StopReason> {
        let routing = routing.with_route(Route::WaitUserDecision);
        self.commit(|draft, workflow| {
            self.emit_proposal(draft, workflow, proposal)?;
            let new = NewDecision { workflow_id: Some(workflow.id.clone()), ..new.clone() };
            let why = DecisionReason::Confirmation;
            let decision = answers::create(draft, &new, Some(workflow), why, false)?;
            let payload = routing.clone().with_decision_id(&decision.id);
            drive(draft, workflow, Trigger::RoutingDecided, payload)
        })
    }
}

/// Whether the router is sure enough of its route that the user is not asked.
fn is_sure(proposal: &Proposal, payload: &Value, relation: &str) -> bool {
    let is_major = relation == "same_task_major_change" || relation == "different_task";
    let wants_confirmation =
        proposal.needs_confirmation || payload["requiresConfirmation"] == Value::Bool(true);
    proposal.confidence >= SURE && !is_major && !wants_confirmation
}

/// Returns the route that is taken if the router is sure; `None` if the user must choose.
fn direct_route(proposal: &Proposal, route: &str, is_evaluation: bool) -> Option<Route> {
    match route {
        "continue_execution" | "control_action" => Some(Route::ContinueExecution),
        "full_replan" => Some(Route::FullReplan),
        // Of a plan that is looked at again there is no smaller change, and what may be larger is planned as such.
        "minor_replan" if is_evaluation || proposal.confidence <= SURE_OF_MINOR => Some(Route::FullReplan),
        "minor_replan" => Some(Route::MinorReplan),
        _ => None,
    }
}

/// What a router says about its route.
fn known_payload(proposal: &Proposal) -> Value {
    proposal.params.get("payload").cloned().unwrap_or_default()
}
