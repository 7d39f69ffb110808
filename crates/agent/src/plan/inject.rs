//! Delivers a person's answers to the waiting agents (contract/plans §13).

use super::PlanError;
use super::collect::{Disposition, OutboxDocument};
use super::ledger::Ledger;
use super::scan::payload;
use super::steps::ISSUER;
use super::turn::{PlanEvent, Turn};
use crate::document::text;
use crate::folder::ack_name;
use crate::hash;
use crate::human::response::requester;
use crate::human::{GATEWAY, InjectedFile, answer_name, envelope_of, filled_id};
use crate::routing::PayloadFile;
use crate::transfer;
use files::{Dir, durable};
use protocol::agent::{Code, HumanDecision, HumanRequest, HumanResponse, Id, PayloadPath, SchemaVersion};
use serde_json::json;
use std::sync::Arc;

const DONE: &str = ".processed";

impl Turn<'_> {
    /// Whether a response may be archived: why not, if not.
    pub(super) fn check_response(
        &self,
        found: &OutboxDocument<'_>,
        response: &HumanResponse,
    ) -> Result<Result<(), (Code, String)>, PlanError> {
        if response.decision != HumanDecision::Provide {
            return Ok(Ok(()));
        }
        for file in response.provided_files.iter().flatten() {
            let (Some(path), Some(to)) = (&file.name, &file.deliver_to_agent_id) else {
                let name = file.name.as_ref().map(ToString::to_string).unwrap_or_default();
                return Ok(Err((Code::HumanResponseMissingDeliverTo, name)));
            };
            if !self.folders.agents()?.contains(to) {
                return Ok(Err((Code::TargetAgentNotFound, to.to_string())));
            }
            let (code, detail) = match payload(found.outbox, path)? {
                PayloadFile::Present(there) => match &file.sha256 {
                    Some(given) if *given != there => {
                        (Code::PayloadShaMismatch, format!("{path}: {there}, not {given}"))
                    }
                    _ => continue,
                },
                PayloadFile::Missing => (Code::MissingPayload, path.to_string()),
                PayloadFile::Unsafe => (Code::UnsafePath, path.to_string()),
            };
            return Ok(Err((code, detail)));
        }
        Ok(Ok(()))
    }

    /// Delivers the files that a person has provided, or the answer itself to the requester.
    pub(super) fn inject(
        &mut self,
        found: &OutboxDocument<'_>,
        request: &HumanRequest,
        response: &HumanResponse,
        ledger: &mut Ledger,
    ) -> Result<Disposition, PlanError> {
        let responses = self.archive("human_responses")?;
        let marker = format!("{}.json", request.request_id);
        let processed = responses.ensure_folder(DONE)?;
        if processed.kind(&marker)?.is_none() {
            let is_delivered = match response.decision {
                HumanDecision::Provide => self.give_files(found, request, response, ledger)?,
                _ => self.give_answer(request, found, ledger)?,
            };
            if !is_delivered {
                return Ok(Disposition::Waiting);
            }
            let mark = json!({
                "schema_version": SchemaVersion::CURRENT, "plan_id": self.plan,
                "request_id": request.request_id, "processed_at": self.now,
            });
            self.publish(&processed, &marker, &mark)?;
            self.happened.push(PlanEvent::Answered { request_id: request.request_id.clone() });
        }
        self.settle(found.outbox, found.name)?;
        Ok(Disposition::Gone)
    }

    /// Whether all files are with their agents: a name that is taken there is waited for.
    fn give_files(
        &mut self,
        found: &OutboxDocument<'_>,
        request: &HumanRequest,
        response: &HumanResponse,
        ledger: &mut Ledger,
    ) -> Result<bool, PlanError> {
        let mut is_complete = true;
        for file in response.provided_files.iter().flatten() {
            let (Some(path), Some(to)) = (&file.name, &file.deliver_to_agent_id) else { continue };
            let PayloadFile::Present(sha256) = payload(found.outbox, path)? else {
                // It was delivered, and has gone since.
                continue;
            };
            let gift = InjectedFile { path: path.clone(), sha256, to: to.clone() };
            is_complete &= self.give(request, &gift, ledger, |turn, inbox| {
                let mut way: Vec<&str> = gift.path.components().collect();
                let name = way.pop().unwrap_or_default();
                let Some(from) = found.outbox.folder_at(way.iter().copied())? else {
                    return Err(found.outbox.missing(gift.path.as_str()).into());
                };
                let into =
                    Arc::new(if way.is_empty() { inbox.again()? } else { inbox.ensure_folders(way)? });
                Ok(transfer::copy(turn.lock, (&from, name), (&into, name), &gift.sha256)?)
            })?;
        }
        Ok(is_complete)
    }

    /// Delivers the answer itself to the requester. The archive answers the plan's own questions.
    fn give_answer(
        &mut self,
        request: &HumanRequest,
        found: &OutboxDocument<'_>,
        ledger: &mut Ledger,
    ) -> Result<bool, PlanError> {
        let Some(to) = requester(request).filter(|agent| agent.as_str() != ISSUER) else { return Ok(true) };
        // Its folder may be back in a moment, and a person has decided only once.
        if !self.folders.agents()?.contains(&to) {
            return Ok(false);
        }
        let Ok(path) = answer_name(&request.request_id).parse::<PayloadPath>() else { return Ok(true) };
        let gift = InjectedFile { path, sha256: hash::sha256(&found.bytes), to };
        self.give(request, &gift, ledger, |turn, inbox| {
            Ok(durable::replace(turn.lock, inbox, gift.path.as_str(), &found.bytes)?)
        })
    }

    /// Delivers one file, payload first, unless the agent has it; false while something else has its name there.
    fn give(
        &mut self,
        request: &HumanRequest,
        gift: &InjectedFile,
        ledger: &mut Ledger,
        put: impl FnOnce(&Self, &Dir) -> Result<(), PlanError>,
    ) -> Result<bool, PlanError> {
        let envelope = envelope_of(request, gift);
        let message = text(&envelope)?;
        let sha256 = hash::sha256(&message);
        ledger.recall(&envelope)?;
        if ledger.log().has(&envelope.message_id, &sha256, &gift.to) {
            return Ok(true);
        }
        // An agent that asked the person itself has the answer already.
        if !self.has_taken(&gift.to, &envelope.message_id)? {
            let inboxes = self.inboxes()?;
            let is_taken = inboxes
                .get(&gift.to)
                .is_some_and(|inbox| inbox.path_taken(gift.path.as_str(), &envelope.message_id).is_some());
            if is_taken {
                return Ok(false);
            }
            let inbox = self.folders.inbox(&gift.to, self.plan)?;
            put(self, &inbox)?;
            durable::replace(self.lock, &inbox, &format!("{}.msg.json", envelope.message_id), &message)?;
        }
        let line = self.line_of(&envelope, &sha256, gift.to.clone());
        ledger.append(self.lock, &line)?;
        self.happened.push(PlanEvent::Delivered {
            message_id: envelope.message_id,
            task_id: envelope.task_id,
            output_name: envelope.output_name,
            from: filled_id(GATEWAY),
            to: Some(gift.to.clone()),
        });
        Ok(true)
    }

    /// Whether an agent has acknowledged a message.
    fn has_taken(&self, agent: &Id, message: &Id) -> Result<bool, PlanError> {
        let Some(outbox) = self.folders.outbox(agent, self.plan)? else { return Ok(false) };
        let name = ack_name(message);
        let sent = outbox.folder(".sent")?;
        Ok(outbox.kind(&name)?.is_some()
            || sent.map(|sent| sent.kind(&name)).transpose()?.flatten().is_some())
    }
}
