//! Routing: the next phase of a workflow, chosen by the router or the user (contract/workflows §6.3).

use super::PhaseExecution;
use super::ask::ask;
use crate::decisions::{self, DecisionReason, NewDecision, UserAnswer};
use crate::engine::prompt::{Prompt, Repair, quoted};
use crate::engine::proposal::Proposal;
use crate::engine::track::StopReason;
use crate::steer::{self, Initiator};
use crate::tasks;
use model::workflow::{RecoveryQuestion, Trigger, WorkflowState};
use serde_json::{Map, Value, json};

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

    /// A first input is planned without asking an agent for the route.
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

    /// Carries out a control action; returns false if there is no such action.
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

    /// Asks the user for the route, and waits here: no transition leads from an evaluation to the phase that waits for the user.
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

    /// Asks the user for the route, and enters the phase that waits for the user.
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
}

/// Whether the router is sure enough of its route that the user is not asked.
fn is_sure(proposal: &Proposal, payload: &Value, relation: &str) -> bool {
    let is_major = relation == "same_task_major_change" || relation == "different_task";
    let wants_confirmation =
        proposal.needs_confirmation || payload["requiresConfirmation"] == Value::Bool(true);
    proposal.confidence >= SURE && !is_major && !wants_confirmation
}

/// Returns the route that is taken if the router is sure; `None` if the user must choose.
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
