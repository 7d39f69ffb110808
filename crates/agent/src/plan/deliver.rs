//! What the router has decided is done: payload first, envelope last, and a line in the log when the agent has it (contract/plans
//! §2.3).

use super::PlanError;
use super::collect::details;
use super::documents::Documents;
use super::ledger::Ledger;
use super::scan::payload;
use super::turn::{AlertSubject, PlanEvent, Turn, deadletter_id};
use crate::clock::stamped;
use crate::dag::{evidence_formats, format_of_name, is_deliverable};
use crate::folder::ENVELOPE_LIMIT;
use crate::routing::{
    DeadLetterReason, Decision, InboxNames, OutgoingMessage, PayloadFile, Retry, Route, TargetRoute, Warning,
    dead_letter, lines, retry,
};
use crate::transfer;
use files::{Dir, FileError, FileType, durable};
use protocol::agent::{
    Code, Delivery, DeliveryError, DeliveryStatus, Envelope, Extra, FileRef, Format, Id, Mode, Recipient,
};
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Where files lie that judge something, as they were delivered.
pub(super) const EVIDENCE: &str = "evidence";

/// What lies with the receivers, by agent.
pub(super) type Inboxes = BTreeMap<Id, InboxNames>;

/// A message with its outbox.
pub(super) struct OutboxMessage<'p> {
    pub(super) outbox: &'p Dir,
    pub(super) out: &'p OutgoingMessage<'p>,
    pub(super) documents: &'p Documents,
}

impl Turn<'_> {
    /// Does what was decided for a message; whether it has left its outbox.
    pub(super) fn act(
        &mut self,
        posted: &OutboxMessage<'_>,
        decision: &Decision,
        ledger: &mut Ledger,
        inboxes: &mut Inboxes,
    ) -> Result<bool, PlanError> {
        match decision {
            Decision::Held | Decision::GivenUp => return Ok(false),
            Decision::Settled => {}
            Decision::Duplicate { .. } => self.say(posted, decision, ledger)?,
            Decision::Superseded(superseding) => {
                self.archive_command(posted, &superseding.archive)?;
                self.say(posted, decision, ledger)?;
            }
            Decision::DeadLetter(dead) if self.is_for_archive(posted, dead) => {
                if !self.archive_alone(posted, decision, ledger)? {
                    return Ok(false);
                }
            }
            Decision::DeadLetter(dead) => {
                self.give_up(posted, dead, ledger)?;
                return Ok(false);
            }
            Decision::Deliver(route) => {
                if !self.deliver(posted, route, ledger, inboxes)? {
                    return Ok(false);
                }
            }
        }
        self.settle(posted.outbox, posted.out.name)?;
        Ok(true)
    }

    fn deliver(
        &mut self,
        posted: &OutboxMessage<'_>,
        route: &Route,
        ledger: &mut Ledger,
        inboxes: &mut Inboxes,
    ) -> Result<bool, PlanError> {
        let Ok(envelope) = posted.out.envelope else { return Ok(false) };
        for Warning::OtherProducer(other) in &route.warnings {
            let words = format!("{} of {} says that {other} sends it", posted.out.name, posted.out.owner);
            let about = AlertSubject { agent: Some(posted.out.owner), ..AlertSubject::default() };
            let key = format!("{} {other}", envelope.message_id);
            self.alert(Code::EnvelopeInvalid, &key, &words, about)?;
        }
        if let Some(archive) = &route.archive {
            self.archive_command(posted, archive)?;
        }
        self.keep(posted, envelope)?;
        let mut settles = route.settles();
        for (agent, target) in &route.targets {
            let TargetRoute::Deliver { name, .. } = target else { continue };
            let key = (envelope.message_id.to_string(), agent.clone());
            if let Some((failures, last)) = ledger.failed.get(&key) {
                match retry(*failures, Some(last), &self.now) {
                    Retry::Now => {}
                    Retry::At(_) => {
                        settles = false;
                        continue;
                    }
                    Retry::GiveUp => {
                        let detail = format!("{agent} cannot be given it");
                        let dead = DeadLetterReason { code: Code::UnhandledException, detail, file: None };
                        self.give_up(posted, &dead, ledger)?;
                        return Ok(false);
                    }
                }
            }
            let one = Decision::Deliver(Route {
                targets: vec![(agent.clone(), target.clone())],
                archive: None,
                warnings: Vec::new(),
            });
            match self.hand_over(posted, envelope, agent, name) {
                Ok(()) => {
                    self.say(posted, &one, ledger)?;
                    inboxes.entry(agent.clone()).or_default().claim(name, envelope);
                    self.happened.push(PlanEvent::Delivered {
                        message_id: envelope.message_id.clone(),
                        task_id: envelope.task_id.clone(),
                        output_name: envelope.output_name.clone(),
                        from: posted.out.owner.clone(),
                        to: Some(agent.clone()),
                    });
                }
                Err(error) if error.is_disk_refusing() => return Err(error.into()),
                Err(error) => {
                    settles = false;
                    for mut line in self.lines(posted, &one) {
                        line.status = DeliveryStatus::Failed;
                        line.error = Some(DeliveryError {
                            code: Some(Code::UnhandledException.name().to_owned()),
                            message: Some(error.to_string()),
                            file: Some(name.clone()),
                            extra: Extra::new(),
                        });
                        ledger.append(self.lock, &line)?;
                    }
                }
            }
        }
        Ok(settles)
    }

    /// Puts a message into an inbox.
    fn hand_over(
        &self,
        posted: &OutboxMessage<'_>,
        envelope: &Envelope,
        agent: &Id,
        name: &str,
    ) -> Result<(), FileError> {
        let inbox = self.folders.inbox(agent, self.plan)?;
        for file in envelope.files() {
            self.copy_to(posted.outbox, file, &inbox)?;
        }
        let Some(bytes) = posted.outbox.read(posted.out.name, ENVELOPE_LIMIT)? else {
            return Err(posted.outbox.missing(posted.out.name));
        };
        if crate::hash::sha256(&bytes) != *posted.out.sha256 {
            return Err(changed(posted.out.name));
        }
        durable::replace(self.lock, &inbox, name, &bytes)
    }

    fn copy_to(&self, outbox: &Dir, file: &FileRef, target: &Dir) -> Result<(), FileError> {
        let mut way: Vec<&str> = file.path.components().collect();
        let name = way.pop().unwrap_or_default();
        let Some(from) = outbox.folder_at(way.iter().copied())? else {
            return Err(outbox.missing(file.path.as_str()));
        };
        let into = Arc::new(if way.is_empty() { target.again()? } else { target.ensure_folders(way)? });
        transfer::copy(self.lock, (&from, name), (&into, name), &file.sha256)
    }

    /// Archives evidence and deliverables before another agent can change them.
    fn keep(&self, posted: &OutboxMessage<'_>, envelope: &Envelope) -> Result<(), PlanError> {
        let (Some(task), Some(output)) = (&envelope.task_id, &envelope.output_name) else { return Ok(()) };
        let Documents { active, manifest, drafts } = posted.documents;
        let is_wanted = manifest
            .as_ref()
            .is_some_and(|manifest| is_deliverable(&active.dag, manifest, drafts, task, output));
        let is_marked = active.dag.node(task).and_then(|node| node.output(output));
        let is_marked = is_marked.is_some_and(|output| output.deliverable == Some(true));
        for file in envelope.files() {
            if is_wanted || is_marked {
                let artifacts = self.folders.ensure(["artifacts", self.plan.as_str(), task.as_str()])?;
                self.copy_to(posted.outbox, file, &artifacts)?;
            }
            if evidence_format(posted.documents, task, output, file.path.as_str()).is_some() {
                let way = ["plans", self.plan.as_str(), EVIDENCE, envelope.message_id.as_str()];
                self.copy_to(posted.outbox, file, &self.folders.ensure(way)?)?;
            }
        }
        Ok(())
    }

    /// Whether a message without recipients only needs to be archived, as a deliverable of the plan.
    fn is_for_archive(&self, posted: &OutboxMessage<'_>, dead: &DeadLetterReason) -> bool {
        let Ok(envelope) = posted.out.envelope else { return false };
        let (Some(task), Some(output)) = (&envelope.task_id, &envelope.output_name) else { return false };
        let Documents { active, manifest, drafts } = posted.documents;
        let marked = active.dag.node(task).and_then(|node| node.output(output));
        dead.code == Code::RoutingNoTarget
            && (marked.is_some_and(|output| output.deliverable == Some(true))
                || manifest
                    .as_ref()
                    .is_some_and(|manifest| is_deliverable(&active.dag, manifest, drafts, task, output)))
    }

    /// Archives a message without recipients; returns whether that was possible.
    fn archive_alone(
        &mut self,
        posted: &OutboxMessage<'_>,
        decision: &Decision,
        ledger: &mut Ledger,
    ) -> Result<bool, PlanError> {
        let Ok(envelope) = posted.out.envelope else { return Ok(false) };
        if ledger.is_archived(&envelope.message_id, posted.out.sha256) {
            return Ok(true);
        }
        for file in envelope.files() {
            let (code, detail) = match payload(posted.outbox, &file.path)? {
                PayloadFile::Present(found) if found == file.sha256 => continue,
                PayloadFile::Present(found) => {
                    (Code::PayloadShaMismatch, format!("{found}, not {}", file.sha256))
                }
                PayloadFile::Missing => (Code::MissingPayload, file.path.to_string()),
                PayloadFile::Unsafe => (Code::UnsafePath, file.path.to_string()),
            };
            let dead = DeadLetterReason { code, detail, file: Some(file.path.to_string()) };
            self.give_up(posted, &dead, ledger)?;
            return Ok(false);
        }
        self.keep(posted, envelope)?;
        for mut line in self.lines(posted, decision) {
            line.status = DeliveryStatus::Delivered;
            line.error = None;
            line.to_agent_id = Recipient::nobody();
            line.extra.insert("archived".to_owned(), json!(true));
            ledger.append(self.lock, &line)?;
        }
        self.happened.push(PlanEvent::Delivered {
            message_id: envelope.message_id.clone(),
            task_id: envelope.task_id.clone(),
            output_name: envelope.output_name.clone(),
            from: posted.out.owner.clone(),
            to: None,
        });
        Ok(true)
    }

    fn archive_command(&self, posted: &OutboxMessage<'_>, name: &str) -> Result<(), PlanError> {
        let Some(bytes) = posted.outbox.read(posted.out.name, ENVELOPE_LIMIT)? else {
            return Err(posted.outbox.missing(posted.out.name).into());
        };
        let commands = self.archive(COMMANDS)?;
        if commands.kind(&archived_as(name))?.is_none() {
            durable::publish_once(self.lock, &commands, &archived_as(name), &bytes)?;
        }
        Ok(())
    }

    fn give_up(
        &mut self,
        posted: &OutboxMessage<'_>,
        dead: &DeadLetterReason,
        ledger: &mut Ledger,
    ) -> Result<(), PlanError> {
        let out = posted.out;
        let source =
            (out.message_id().to_owned(), out.owner.clone(), out.name.to_owned(), out.sha256.to_string());
        let times = ledger.given_up.get(&source).map_or(0, |known| known.times);
        let about = format!("{} {} {} {} {times}", source.0, source.1, source.2, source.3);
        let letter = dead_letter(out, dead, &self.now, deadletter_id(&about));
        self.bury(&letter, dead.code, out.owner)?;
        self.say(posted, &Decision::DeadLetter(dead.clone()), ledger)
    }

    fn lines(&self, posted: &OutboxMessage<'_>, decision: &Decision) -> Vec<Delivery> {
        let mut ids = |kind: &str| stamped(kind, &self.now, self.clock.random());
        lines(posted.out, decision, &posted.documents.active, &self.now, &mut ids)
    }

    fn say(
        &self,
        posted: &OutboxMessage<'_>,
        decision: &Decision,
        ledger: &mut Ledger,
    ) -> Result<(), PlanError> {
        for line in self.lines(posted, decision) {
            ledger.append(self.lock, &line)?;
        }
        Ok(())
    }

    /// What lies with the agents: their names must not be used twice.
    pub(super) fn inboxes(&self) -> Result<Inboxes, PlanError> {
        let mut inboxes = Inboxes::new();
        for agent in self.folders.agents()? {
            let way = [agent.as_str(), "inbox", self.plan.as_str()];
            let Ok(Some(inbox)) = self.folders.agents.folder_at(way) else { continue };
            let mut delivered = InboxNames::default();
            let pending = inbox.folder(".pending").ok().flatten();
            for dir in std::iter::once(&inbox).chain(&pending) {
                for (name, kind) in dir.entries()? {
                    if kind != FileType::RegularFile || !name.ends_with(".msg.json") {
                        continue;
                    }
                    // What cannot be read is the agent's matter, and what was taken meanwhile has freed its names.
                    let Ok(Some(bytes)) = dir.read(&name, ENVELOPE_LIMIT) else { continue };
                    if let Ok(envelope) = Envelope::parse_for(&bytes, Mode::Direct) {
                        delivered.claim(&name, &envelope);
                    }
                }
            }
            inboxes.insert(agent, delivered);
        }
        Ok(inboxes)
    }

    /// Alerts once that a plan is paused.
    pub(super) fn alert_paused(&mut self, code: Code, key: &str) -> Result<(), PlanError> {
        let about =
            AlertSubject { details: details([("plan_id", json!(self.plan))]), ..AlertSubject::default() };
        self.alert(code, key, &format!("the plan {} cannot continue: {code}", self.plan), about)
    }
}

/// Where commands are archived.
pub(super) const COMMANDS: &str = "commands";

/// The format by which a file judges something, if it does.
pub(super) fn evidence_format(
    documents: &Documents,
    task: &Id,
    output: &Id,
    path: &str,
) -> Option<protocol::agent::FormatName> {
    let draft = documents.drafts.get(task);
    let produced = draft.into_iter().flat_map(|draft| draft.produces.iter().flatten());
    let stated = produced
        .filter(|produced| produced.output_name == *output)
        .flat_map(|produced| &produced.files)
        .find(|file| file.path.as_str() == path)
        .and_then(|file| file.format);
    stated.or_else(|| format_of_name(path))
}

/// Texts of which every line of the log about a file with an [`evidence_format`] contains one: most other lines contain none.
pub(super) fn evidence_marks(documents: &Documents) -> Vec<String> {
    let produced = documents.drafts.values().flat_map(|draft| draft.produces.iter().flatten());
    let stated = produced.filter(|produced| produced.files.iter().any(|file| file.format.is_some()));
    let outputs = stated.map(|produced| produced.output_name.to_string());
    outputs.chain(evidence_formats().map(|format| format.name().to_owned())).collect()
}

/// Names that are made from ids may be too long for one.
fn archived_as(name: &str) -> String {
    const MAX: usize = 250;
    if name.len() <= MAX {
        return name.to_owned();
    }
    let kept = &name[..name.floor_char_boundary(MAX - 40)];
    format!("{kept}-{}.msg.json", &crate::hash::sha256(name.as_bytes()).hex()[..16])
}

fn changed(name: &str) -> FileError {
    FileError::Corrupt { file: name.to_owned(), message: "changed while it was copied".to_owned() }
}
