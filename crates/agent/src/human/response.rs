//! What a person has answered, as the response that the plan gets (contract/plans §13).

use super::questions::{Part, parts};
use model::{Attachment, Chosen, DecideOutput, Decision, Ending};
use protocol::agent::{
    DecisionAnswer, Extra, HumanDecision, HumanRequest, HumanResponse, Id, PayloadPath, ProvidedFile,
    Responder, SchemaVersion, Sha256, Timestamp,
};
use serde_json::{Value, json};

/// Why a request was refused, in a response.
pub(crate) const REASON: &str = "reason";
const CANCELLED: &str = "cancelled";
/// What was written beside the answers, in a response.
pub(crate) const NOTES: &str = "notes";
/// The words of one of these.
pub(crate) const NOTE: &str = "note";

/// A file that a person has attached.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AttachedFile {
    /// The item that it is attached to.
    pub(crate) item: u64,
    /// What it is called there.
    pub(crate) attachment: Attachment,
    /// As what it is delivered.
    pub(crate) path: PayloadPath,
}

/// Returns the response to a request, with its files; `None` if the request ended without an answer.
pub(crate) fn response(
    request: &HumanRequest,
    ending: &Ending,
    now: &Timestamp,
) -> Option<(HumanResponse, Vec<AttachedFile>)> {
    let mut response = HumanResponse {
        schema_version: SchemaVersion::CURRENT,
        request_id: request.request_id.clone(),
        plan_id: request.plan_id.clone(),
        responded_at: now.clone(),
        responder: Some(Responder { name: None, role: Some("person".to_owned()), extra: Extra::new() }),
        decision: HumanDecision::Reject,
        provided_files: None,
        decision_answers: None,
        criteria_updates: None,
        extra: Extra::new(),
    };
    let output = match ending {
        Ending::Decided(output) => output,
        Ending::Returned(returned) => {
            response.extra.insert(REASON.to_owned(), returned.message.clone().into());
            return Some((response, Vec::new()));
        }
        Ending::Cancelled => {
            response.extra.insert(REASON.to_owned(), CANCELLED.into());
            return Some((response, Vec::new()));
        }
        // A deadline that passes is no answer.
        Ending::Expired(_) | Ending::Replaced(_) => return None,
    };
    let provided = fill(&mut response, request, output);
    Some((response, provided))
}

/// Fills in what was answered; returns the files.
fn fill(response: &mut HumanResponse, request: &HumanRequest, output: &DecideOutput) -> Vec<AttachedFile> {
    let mut provided = Vec::new();
    let (mut files, mut answers, mut criteria) = (Vec::new(), Vec::new(), Extra::new());
    let (mut has_chosen, mut notes) = (false, Vec::new());
    let parts = parts(request);
    for decision in &output.decisions {
        let at = usize::try_from(decision.id).ok().and_then(|id| id.checked_sub(1));
        let Some(part) = at.and_then(|at| parts.get(at)) else { continue };
        if let Some(note) = &decision.note {
            notes.push(json!({ "item": decision.id, NOTE: note }));
        }
        match part {
            Part::File(file) => {
                let agent = file.deliver_to_agent_id.clone().or_else(|| requester(request));
                for attachment in &decision.files {
                    let Some(path) = delivered_as(file.name.as_str(), &attachment.name) else { continue };
                    files.push(ProvidedFile {
                        name: Some(path.clone()),
                        sha256: attached_hash(attachment),
                        deliver_to_agent_id: agent.clone(),
                        extra: Extra::new(),
                    });
                    provided.push(AttachedFile { item: decision.id, attachment: attachment.clone(), path });
                }
            }
            Part::Decision { question, .. } => {
                let selected = selected(decision);
                has_chosen |= decision.other.is_none();
                answers.push(DecisionAnswer {
                    question: Some((*question).to_owned()),
                    selected: Some(selected),
                    extra: Extra::new(),
                });
            }
            Part::Criterion { key, .. } => {
                if let Some(text) = &decision.other {
                    criteria.insert((*key).to_owned(), text.clone().into());
                }
            }
            Part::Anything => {
                if let Some(text) = &decision.other {
                    response.extra.insert("message".to_owned(), text.clone().into());
                }
            }
        }
    }
    response.decision = if !files.is_empty() {
        HumanDecision::Provide
    } else if has_chosen {
        HumanDecision::Approve
    } else {
        HumanDecision::Clarify
    };
    response.provided_files = (!files.is_empty()).then_some(files);
    response.decision_answers = (!answers.is_empty()).then_some(answers);
    response.criteria_updates = (!criteria.is_empty()).then_some(criteria);
    if !notes.is_empty() {
        response.extra.insert(NOTES.to_owned(), notes.into());
    }
    provided
}

/// Who has asked.
pub(crate) fn requester(request: &HumanRequest) -> Option<Id> {
    request.created_by.as_ref().and_then(|by| by.agent_id.clone())
}

fn selected(decision: &Decision) -> Value {
    match (&decision.other, &decision.chosen) {
        (Some(other), _) => other.clone().into(),
        (None, Chosen::One(value)) => value.clone().into(),
        (None, chosen) => json!(chosen),
    }
}

/// The hash of an attachment: 64 hexadecimal digits where a person attaches, with the method before it among agents.
pub(crate) fn attached_hash(attachment: &Attachment) -> Option<Sha256> {
    format!("sha256:{}", attachment.sha256).parse().ok()
}

/// The name under which a file is delivered: the one that is wanted. A pattern wants one that fits it.
fn delivered_as(wanted: &str, attached: &str) -> Option<PayloadPath> {
    if !wanted.contains(['*', '?', '[']) {
        return wanted.parse().ok();
    }
    let folder = wanted.rsplit_once('/').map(|(folder, _)| folder);
    match folder.filter(|folder| !folder.contains(['*', '?', '['])) {
        Some(folder) => format!("{folder}/{attached}").parse().ok(),
        None => attached.parse().ok(),
    }
}
