//! One task for one agent, given by a caller without a plan: it travels as a plan of a single task, so that the router
//! carries the command there and the artifact back like any other.

use super::collect::acks_of;
use super::documents::{ACTIVE_DAG_REF, TASK_DAG};
use super::folders::Folders;
use super::listing::{DeliveryFilter, Window};
use super::steps::ISSUER;
use super::{AuthoredPlan, PlanError, System, SystemPart};
use crate::clock::Clock;
use crate::dag::Drafts;
use crate::document::text;
use files::{Dir, FileError, FileType, json};
use protocol::agent::{
    Ack, AckStatus, Code, Command, DagKind, Delivery, DeliveryStatus, Format, Id, Mode, ResultDocument,
    TaskDag, Timestamp,
};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// What the output of such a task is called.
const OUTPUT: &str = "result";
/// The folder below the system's own that has the results of plans.
const ARTIFACTS: &str = "artifacts";
/// Purpose of the lock on the folders, shown to other processes.
const PURPOSE: &str = "workflow";
/// How long what an agent writes and is not whole must have been still: as long as `agent.settle_time` is by default.
const SETTLE: Duration = Duration::from_secs(2);

/// One task for one agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Assignment {
    /// The plan as which it travels, and its idempotency key: the same one is never given twice.
    pub plan_id: Id,
    /// What the task is called in that plan.
    pub task_id: Id,
    /// The agent, by the name of its folder.
    pub agent: Id,
    /// The task.
    pub prompt: String,
    /// How long it may take, in seconds; at least 1.
    pub timeout: u64,
    /// What else the command says, beside the members that are documented.
    pub extra: Map<String, Value>,
}

/// How far an [`Assignment`] has come.
#[derive(Debug, Clone, PartialEq)]
pub enum Stage {
    /// The agent does not have it yet.
    Sent,
    /// It lies in the agent's inbox.
    Delivered {
        /// Since when.
        at: Timestamp,
    },
    /// The agent has acknowledged it, and is at work.
    Taken,
    /// The agent has done it; the router has the artifact still to carry.
    Returning,
    /// It is done; this is the artifact.
    Done(Box<ResultDocument>),
    /// The agent has failed, or the router could not deliver.
    Failed {
        /// The code, where it is known.
        code: Option<Code>,
        /// What was found.
        detail: String,
    },
}

impl Assignment {
    /// The plan of this one task, with its command.
    fn authored(&self) -> Result<AuthoredPlan, PlanError> {
        let command = json!({
            "schema_version": "1.0",
            "command_id": format!("cmd_{}", self.task_id),
            "plan_id": self.plan_id,
            "task_id": self.task_id,
            "idempotency_key": self.plan_id,
            "prompt": self.prompt,
            "required_inputs": [],
            "wait_for_inputs": false,
            "score_required": false,
            "timeout": self.timeout.max(1),
        });
        let mut members = self.extra.clone();
        members.extend(command.as_object().cloned().unwrap_or_default());
        let output = json!({
            "name": OUTPUT, "deliver_to": [], "deliverable": true, "idempotency_key": self.plan_id,
        });
        let dag = json!({
            "schema_version": "1.1",
            "plan_id": self.plan_id,
            "nodes": [{
                "task_id": self.task_id, "assigned_agent_id": self.agent, "depends_on": [], "outputs": [output],
            }],
        });
        let (bytes, draft) = (text(&dag)?, text(&members)?);
        let invalid = |error| PlanError::Invalid { path: self.plan_id.as_str().into(), error };
        let dag = TaskDag::parse(&bytes).map_err(invalid)?;
        let command = Command::parse_for(&draft, Mode::Direct).map_err(invalid)?;
        let drafts = Drafts::from([(self.task_id.clone(), command)]);
        Ok(AuthoredPlan::new(dag, bytes, drafts, vec![(self.task_id.clone(), draft)]))
    }
}

impl Folders {
    /// Gives an agent a task, unless it was given before: then nothing is done.
    ///
    /// # Errors
    ///
    /// When there is no such agent, and whatever the disk says.
    pub fn assign(&self, assignment: &Assignment, clock: &dyn Clock) -> Result<(), PlanError> {
        if !self.agents()?.contains(&assignment.agent) {
            return Err(PlanError::Missing { path: self.agents.path_of(&assignment.agent) });
        }
        if let Some(plan) = self.plan(&assignment.plan_id)?
            && plan.kind(TASK_DAG)?.is_some()
            && plan.kind(ACTIVE_DAG_REF)?.is_some()
        {
            return Ok(());
        }
        self.activate(&assignment.authored()?, DagKind::Business, clock)?;
        Ok(())
    }

    /// Routes the pending messages of one assignment, unless another program routes in these folders.
    ///
    /// # Errors
    ///
    /// What keeps the plan from going on, and whatever the disk says.
    pub fn carry(self, plan: &Id, clock: &dyn Clock) -> Result<(), PlanError> {
        let mut system = match System::open(self, clock, PURPOSE) {
            Err(PlanError::Held { .. }) => return Ok(()),
            system => system?.settling(SETTLE),
        };
        match system.tick(SystemPart::All, Some(plan))?.trouble.pop() {
            Some((_, error)) => Err(error),
            None => Ok(()),
        }
    }

    /// Returns how far an assignment has come.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn stage(&self, plan: &Id, task: &Id, agent: &Id) -> Result<Stage, PlanError> {
        let filter = DeliveryFilter { task_id: Some(task.to_string()), ..DeliveryFilter::default() };
        let lines = self.deliveries(plan, &filter, Window::ALL)?.items;
        let is_command = |line: &&Delivery| line.command_id.is_some() && line.output_name.is_none();
        let is_given_up = |line: &&Delivery| line.status == DeliveryStatus::Deadlettered;
        let arrived = lines.iter().filter(is_command).find(|line| {
            line.status == DeliveryStatus::Delivered && line.to_agent_id.agent().as_ref() == Some(agent)
        });
        let Some(arrived) = arrived else {
            return Ok(lines.iter().find(is_given_up).map_or(Stage::Sent, undelivered));
        };
        let ack = match arrived.message_id.parse() {
            Ok(message) => self.ack_of(plan, agent, &message)?,
            Err(_) => None,
        };
        let Some(ack) = ack else {
            return Ok(Stage::Delivered { at: arrived.delivered_at.clone() });
        };
        Ok(match ack.status {
            AckStatus::Succeeded => match self.artifact(plan, task, arrived)? {
                Some(document) => Stage::Done(Box::new(document)),
                None => lines.iter().find(is_given_up).map_or(Stage::Returning, undelivered),
            },
            AckStatus::Failed => failed(&ack),
            _ => Stage::Taken,
        })
    }

    /// Takes an assignment back, unless its agent has taken it; whether that was possible. What was taken back can be given
    /// anew.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn withdraw(&self, plan: &Id, agent: &Id) -> Result<bool, PlanError> {
        // Another router may deliver it once more at most, and then finds no plan.
        let _router = self.route(PURPOSE).ok();
        let _lock = self.lock()?;
        let Some(plans) = self.runtime.folder("plans")? else { return Ok(true) };
        let inbox = self.agents.folder_at([agent.as_str(), "inbox", plan.as_str()])?;
        let mut is_untaken = true;
        if let Some(inbox) = &inbox {
            let mut is_gone = false;
            for name in inbox.names()?.iter().filter(|name| name.ends_with(".msg.json")) {
                // An agent takes a message by moving it: only one of the two finds it.
                is_gone |= inbox.unlink(name)?;
            }
            inbox.sync()?;
            let has = |name: &str| -> Result<bool, FileError> {
                Ok(inbox
                    .folder(name)?
                    .map(|folder| folder.names())
                    .transpose()?
                    .is_some_and(|names| names.iter().any(|name| name.ends_with(".msg.json"))))
            };
            is_untaken = is_gone || !(has(".pending")? || has(".processed")?);
        }
        if !is_untaken {
            return Ok(false);
        }
        if let Some(outboxes) = self.agents.folder_at([ISSUER, "outbox"])? {
            remove_tree(&outboxes, plan)?;
        }
        remove_tree(&plans, plan)?;
        Ok(true)
    }

    /// How an agent has acknowledged a message, be it that the router has archived that already.
    fn ack_of(&self, plan: &Id, agent: &Id, message: &Id) -> Result<Option<Ack>, PlanError> {
        if let Some(outbox) = self.outbox(agent, plan)? {
            let bytes = outbox.read(&format!("ack_{message}.json"), json::MAX_JSON)?;
            if let Some(ack) = bytes.and_then(|bytes| Ack::parse(&bytes).ok()) {
                return Ok(Some(ack));
            }
        }
        let Some(folder) = self.plan(plan)? else { return Ok(None) };
        Ok(acks_of(&folder, message, agent)?.pop())
    }

    fn artifact(
        &self,
        plan: &Id,
        task: &Id,
        arrived: &Delivery,
    ) -> Result<Option<ResultDocument>, PlanError> {
        let way = [ARTIFACTS, plan.as_str(), task.as_str()];
        let Some(folder) = self.runtime.folder_at(way)? else { return Ok(None) };
        let command = arrived.command_id.as_deref().unwrap_or_default();
        let bytes = folder.read(&format!("result_{command}.json"), json::MAX_JSON)?;
        Ok(bytes.and_then(|bytes| ResultDocument::parse(&bytes).ok()))
    }
}

fn undelivered(line: &Delivery) -> Stage {
    let error = line.error.as_ref();
    let detail = error.map(|error| format!("{error:?}")).unwrap_or_default();
    Stage::Failed { code: None, detail: format!("not delivered: {detail}") }
}

fn failed(ack: &Ack) -> Stage {
    let details = ack.result.as_ref().and_then(|result| result.get("details"));
    let text = |key| details.and_then(|details| details.get(key)).and_then(Value::as_str);
    let detail = text("error").unwrap_or_default().to_owned();
    Stage::Failed { code: text("code").and_then(Code::named), detail }
}

/// Removes a folder with all that is in it; nothing to do if there is none.
fn remove_tree(parent: &Dir, name: &str) -> Result<(), FileError> {
    let Some(folder) = parent.folder(name)? else { return Ok(()) };
    for (entry, kind) in folder.entries()? {
        match kind {
            FileType::Directory => remove_tree(&folder, &entry)?,
            _ => drop(folder.unlink(&entry)?),
        }
    }
    parent.remove_folder(name)?;
    parent.sync()
}
