//! Planning: asks for plans until the user agrees to one (contract/workflows §6.3).

use super::PhaseExecution;
use super::ask::ask;
use crate::decisions;
use crate::engine::plan;
use crate::engine::prompt::{Prompt, Repair, quoted};
use crate::engine::proposal::Proposal;
use crate::engine::track::StopReason;
use crate::tasks;
use aide_core::decision::DecisionReason;
use aide_core::decision::NewDecision;
use aide_core::{Context, TriggerPayload};
use journal::{Query, ViewExt as _};
use protocol::workflow::api::Capability;
use protocol::workflow::{RecoveryQuestion, Route, Trigger};
use serde_json::{Value, json};
use std::cell::RefCell;

impl PhaseExecution<'_> {
    pub(super) fn plan(&mut self) -> Result<(), StopReason> {
        let catalogue = self.catalogue()?;
        let able: Vec<Capability> = catalogue.iter().filter_map(best_of).collect();
        let before = json!(tasks::nodes(&self.tasks()?));
        let (task, known) = (json!(self.workflow.task), self.known());
        // The patches of an earlier change do not apply to this one.
        let context = Context::read(&self.workflow.context);
        let is_minor = context.route() == Some(Route::MinorReplan.name());
        let patches = context.plan_patches().filter(|_| is_minor).cloned().unwrap_or_default();
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
                let said = decisions::answer_to(
                    &self.ask_user(&confirmation(&proposal, &tasks), DecisionReason::Confirmation)?,
                );
                match said.choice_or("replan") {
                    Some("continue") if said.note.is_none() => {}
                    Some("continue" | "replan") => {
                        unwanted.push(json!({ "tasks": tasks, "personSays": said.note }));
                        continue;
                    }
                    _ => return self.fail("the person did not want the plan"),
                }
            }
            let payload = self
                .with_result(TriggerPayload::default(), || json!({ "tasks": tasks }))
                .with_tasks(tasks)
                .with_planned_by(&self.agent)
                .with_deliverables(plan::deliverables(&proposal.params));
            return self.go(&proposal, Trigger::PlanCreated, &payload);
        }
    }

    /// The capabilities on offer (contract/workflows §6.1), of agents that have a provider or a courier.
    fn catalogue(&self) -> Result<Vec<Value>, StopReason> {
        let view = self.shared.runtime.journal.view()?;
        let mut catalogue: Vec<(String, Vec<Value>)> = Vec::new();
        for agent in view.find_readable(&Query::agents())? {
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
}

/// What a person is asked who is to agree to a plan.
fn confirmation(proposal: &Proposal, tasks: &[Value]) -> NewDecision {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut lines: Vec<String> = vec![proposal.user_message.clone()];
    lines.retain(|message| !message.is_empty());
    lines.extend(tasks.iter().map(|task| format!("{}: {}", text(&task["id"]), text(&task["description"]))));
    NewDecision {
        context: Some(quoted(&lines.join("\n"))),
        ..NewDecision::recovery(RecoveryQuestion::PlanUnconfirmed)
    }
}

/// How well the best are able to do what an entry of the catalogue is about.
fn best_of(entry: &Value) -> Option<Capability> {
    let levels = entry["resources"].as_array()?.iter().filter_map(|resource| resource["level"].as_u64());
    Some(Capability { kind: entry["capability"].as_str()?.to_owned(), level: levels.max()? })
}
