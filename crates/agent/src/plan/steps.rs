//! The work of a plan's issuer (contract/plans §10.4, §11): sends commands once their tasks can begin, asks people where only
//! they can help, and requests another plan.

use super::PlanError;
use super::collect::details;
use super::documents::Documents;
use super::facts::PlanFacts;
use super::human::PlanQuestions;
use super::ledger::Ledger;
use super::question_context::QuestionContext;
use super::turn::{AlertSubject, PlanEvent, Turn};
use crate::clock::{id, stamped};
use crate::dag::{Facts, Graph, Issuer, NodeProgress, Step, default_key, steps};
use crate::document::text;
use crate::folder::filled;
use crate::hash;
use crate::human::{artifact, filled_id};
use files::durable;
use protocol::agent::{
    Code, DeliveredFile, DeliveredPayload, Delivery, DeliveryStatus, Envelope, Extra, FileRef, Id, Recipient,
    ReplanRequest, SchemaVersion, State,
};
use serde_json::{Value, json};

/// The agent that sends a plan's commands.
pub const ISSUER: &str = "agent_issuer";
/// Where a manifest names the agent that is asked for another plan.
const PLANNER: &str = "planner_agent_id";
/// The task and the output as which a request for another plan is delivered.
const REPLAN: &str = "replan_request";

impl Turn<'_> {
    /// Takes the steps that are due; returns whether a command was sent.
    pub(super) fn issue(
        &mut self,
        facts: &Facts<'_>,
        progress: &[NodeProgress],
        (documents, ledger): (&Documents, &Ledger),
        gathered: &PlanFacts,
    ) -> Result<bool, PlanError> {
        let issuer_id = filled_id(ISSUER);
        let planner = self.planner(documents)?;
        let issuer = Issuer {
            agent: &issuer_id,
            dag_sha256: &documents.active.sha256,
            revision: documents.active.revision,
            last_seqs: &gathered.last_seqs,
            planner: planner.as_ref(),
        };
        let (now, clock) = (self.now.clone(), self.clock);
        let mut ids = |kind: &str| stamped(kind, &now, clock.random());
        let mut has_issued = false;
        let steps = steps(facts, progress, &issuer, &mut ids);
        ledger.arrived.check()?;
        for step in steps {
            match step {
                Step::Issue(envelope) => {
                    self.send(&envelope, &issuer_id)?;
                    has_issued = true;
                }
                Step::Ask(question) => {
                    let cause = question
                        .failed()
                        .and_then(|task| gathered.work.get(task))
                        .and_then(|work| work.failure.as_deref());
                    let shown = match &question.about {
                        crate::dag::QuestionSubject::Gate(evidence) => {
                            self.judged(&question.task_id, evidence, documents)?
                        }
                        _ => QuestionContext::default(),
                    };
                    self.ask(&question, (cause, shown), &issuer_id)?;
                    has_issued = true;
                }
                Step::Replan { key, request } => self.request_replan(&key, *request)?,
                Step::Default { task_id, missing } => {
                    let key = progress
                        .iter()
                        .find(|one| one.task_id == task_id)
                        .map_or_else(|| task_id.to_string(), default_key);
                    let words =
                        format!("{task_id} was not judged in time: {} did not come", missing.join(", "));
                    let about = AlertSubject {
                        task: Some(&task_id),
                        details: details([("missing", json!(missing))]),
                        agent: None,
                    };
                    self.alert(Code::Timeout, &key, &words, about)?;
                }
                Step::CannotIssue(task_id) => {
                    let words = format!("{task_id} has no command");
                    let key = format!("{task_id} {}", documents.active.sha256);
                    let about = AlertSubject { task: Some(&task_id), ..AlertSubject::default() };
                    self.alert(Code::DagInvalid, &key, &words, about)?;
                }
            }
        }
        Ok(has_issued)
    }

    fn send(&mut self, envelope: &Envelope, issuer: &Id) -> Result<(), PlanError> {
        let Some(command) = envelope.command() else { return Ok(()) };
        let outbox = self.folders.agents.ensure_folders([issuer.as_str(), "outbox", self.plan.as_str()])?;
        let name = format!("{}.msg.json", command.command_id);
        durable::publish_once(self.lock, &outbox, &name, &text(envelope)?)?;
        self.happened.push(PlanEvent::Issued {
            task_id: command.task_id.clone(),
            command_id: command.command_id.clone(),
            reexecutions: crate::dag::reexecutions(command),
        });
        Ok(())
    }

    /// The agent to ask for another plan, if there is one.
    fn planner(&self, documents: &Documents) -> Result<Option<Id>, PlanError> {
        let manifest = documents.manifest.as_ref();
        let policies = manifest.and_then(|manifest| manifest.policies.as_ref());
        let named = policies
            .and_then(|policies| policies.extra.get(PLANNER))
            .or_else(|| manifest.and_then(|manifest| manifest.extra.get(PLANNER)));
        let planner = named.and_then(Value::as_str).and_then(|name| name.parse::<Id>().ok());
        let agents = self.folders.agents()?;
        Ok(planner.filter(|planner| agents.contains(planner)))
    }

    /// Writes down that another plan is asked for, once under this key. It is delivered by [`Turn::deliver_replans`].
    fn request_replan(&mut self, key: &str, request: ReplanRequest) -> Result<(), PlanError> {
        let request_id = id(&format!("replan_{}", &hash::sha256(key.as_bytes()).hex()[..24]));
        let mut request = ReplanRequest { request_id: request_id.clone(), ..request };
        request.extra.insert(KEY.to_owned(), key.into());
        let requests = self.archive(REPLANS)?;
        if self.publish(&requests, &format!("{request_id}.json"), &request)? {
            self.happened.push(PlanEvent::ReplanRequested { request_id });
        }
        Ok(())
    }

    /// Adds to what was asked the requests for other plans, and what was said to be taken as given.
    pub(super) fn asked_besides(
        &self,
        progress: &[NodeProgress],
        asked: &mut PlanQuestions,
    ) -> Result<(), PlanError> {
        for request in self.replans()? {
            if let Some(key) = request.extra.get(KEY).and_then(Value::as_str) {
                asked.answers.entry(key.to_owned()).or_insert(None);
            }
        }
        for one in progress.iter().filter(|one| !one.by_default.is_empty()) {
            let key = default_key(one);
            if self.is_alerted(Code::Timeout, &key)? {
                asked.answers.insert(key, None);
            }
        }
        Ok(())
    }

    fn replans(&self) -> Result<Vec<ReplanRequest>, PlanError> {
        let Some(plan) = self.folders.plan(self.plan)? else { return Ok(Vec::new()) };
        let Some(requests) = plan.folder(REPLANS)? else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for name in requests.names()? {
            found.extend(super::folders::read::<ReplanRequest>(&requests, &name).ok().flatten());
        }
        found.sort_by(|a, b| a.request_id.cmp(&b.request_id));
        Ok(found)
    }

    /// Delivers each request for another plan to its planner, once.
    pub(super) fn deliver_replans(&mut self, ledger: &mut Ledger) -> Result<(), PlanError> {
        for request in self.replans()? {
            let bytes = text(&request)?;
            let path = format!("replan_request_{}.json", request.request_id);
            let (Ok(path), Ok(size)) =
                (path.parse::<protocol::agent::PayloadPath>(), u64::try_from(bytes.len()))
            else {
                continue;
            };
            let to = request.deliver_to_agent_id.clone();
            let message_id = id(&format!("msg_{}", request.request_id));
            let file = FileRef {
                path,
                sha256: hash::sha256(&bytes),
                content_type: Some("application/json".to_owned()),
                size_bytes: Some(size),
                extra: Extra::new(),
            };
            let envelope = self.replan_envelope(&request, message_id, file.clone());
            let message = text(&envelope)?;
            let sha256 = hash::sha256(&message);
            ledger.recall(&envelope)?;
            if ledger.log().has(&envelope.message_id, &sha256, &to) || !self.folders.agents()?.contains(&to) {
                continue;
            }
            let inbox = self.folders.inbox(&to, self.plan)?;
            durable::replace(self.lock, &inbox, file.path.as_str(), &bytes)?;
            durable::replace(self.lock, &inbox, &format!("{}.msg.json", envelope.message_id), &message)?;
            let line = self.line_of(&envelope, &sha256, to);
            ledger.append(self.lock, &line)?;
        }
        Ok(())
    }

    fn replan_envelope(&self, request: &ReplanRequest, message_id: Id, file: FileRef) -> Envelope {
        let (request_id, created_at) = (request.request_id.clone(), request.created_at.clone());
        artifact(message_id, self.plan, (request_id, REPLAN), ISSUER, (created_at, file))
    }

    /// The line of a message that no outbox has had.
    pub(super) fn line_of(&self, envelope: &Envelope, sha256: &protocol::agent::Sha256, to: Id) -> Delivery {
        let files = envelope.files().iter().filter_map(|file| {
            let (path, sha256) = (file.path.parse().ok()?, file.sha256.into());
            Some(DeliveredFile { path, sha256, extra: Extra::new() })
        });
        Delivery {
            schema_version: SchemaVersion::CURRENT,
            delivery_id: stamped("del", &self.now, self.clock.random()),
            plan_id: self.plan.clone(),
            message_id: filled(envelope.message_id.parse()),
            envelope_sha256: Some((*sha256).into()),
            task_id: envelope.task_id.as_ref().map(ToString::to_string),
            command_id: envelope.command_id.as_ref().map(ToString::to_string),
            output_name: envelope.output_name.as_ref().map(ToString::to_string),
            from_agent_id: envelope.producer_agent_id.clone(),
            to_agent_id: Recipient::from(to),
            delivered_at: self.now.clone(),
            status: DeliveryStatus::Delivered,
            payload: Some(DeliveredPayload { files: Some(files.collect()), extra: Extra::new() }),
            skip_reason: None,
            superseded: None,
            superseded_by_message_id: None,
            superseded_by_command_id: None,
            superseded_by_command_seq: None,
            error: None,
            extra: Extra::new(),
        }
    }

    /// Tells of each failure once.
    pub(super) fn report_trouble(
        &mut self,
        progress: &[NodeProgress],
        gathered: &PlanFacts,
    ) -> Result<(), PlanError> {
        for alarm in &gathered.alarms {
            let about =
                AlertSubject { task: Some(&alarm.task_id), details: alarm.details.clone(), agent: None };
            let words = format!("{}: {} ({})", alarm.task_id, alarm.code, alarm.message_id);
            self.alert(alarm.code, &alarm.key(), &words, about)?;
        }
        for one in progress.iter().filter(|one| one.state == State::Failed) {
            let seq = gathered.work.get(&one.task_id).map_or(0, |work| work.seq);
            let about = AlertSubject { task: Some(&one.task_id), ..AlertSubject::default() };
            let key = format!("{} {seq}", one.task_id);
            self.alert(Code::TaskFailed, &key, &format!("{} has failed", one.task_id), about)?;
        }
        Ok(())
    }
}

/// Where requests for other plans lie.
const REPLANS: &str = "replan_requests";
/// Under which key one was made.
const KEY: &str = "question_key";

/// The tasks that may not begin, although a command was sent: what they need is not approved.
pub(super) fn held(progress: &[NodeProgress], gathered: &PlanFacts) -> std::collections::BTreeSet<Id> {
    use crate::dag::StateReason;
    let waits = |one: &&NodeProgress| {
        matches!(
            one.why,
            StateReason::GateMissing(_)
                | StateReason::Judged { .. }
                | StateReason::Person(_)
                | StateReason::Replan(_)
        ) && !gathered.work.get(&one.task_id).is_some_and(|work| work.state.is_terminal())
    };
    progress.iter().filter(waits).map(|one| one.task_id.clone()).collect()
}

/// The DAG as a graph.
pub(super) fn graph(documents: &Documents) -> Graph<'_> {
    Graph::new(&documents.active.dag)
}
