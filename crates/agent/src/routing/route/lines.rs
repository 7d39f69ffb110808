//! Writes a routing decision: lines of the log, and dead letters.

use super::{DAG, DeadLetterReason, Decision, FILE_NAME, OutgoingMessage, Supersession, TargetRoute, tag};
use crate::routing::ActiveDag;
use protocol::agent::{
    Code, DeadActions, DeadLetter, DeadOriginal, DeadReason, DeliveredFile, DeliveredPayload, Delivery,
    DeliveryError, DeliveryStatus, Envelope, Extra, Id, Recipient, SchemaVersion, SuggestedNext, Text,
    Timestamp,
};
use serde_json::json;

const DUPLICATE: &str = "DUPLICATE_MESSAGE_ID_AND_SHA256";
const SAME_CONTENT: &str = "DUPLICATE_IDEMPOTENCY_KEY_AND_SHA256";
const SUPERSEDED: &str = "SUPERSEDED_BY_NEWER_COMMAND";

/// Returns the lines that a decision leaves in the log: of a delivery, one for each target that gets it, written when it
/// has it. `ids` gives each its id.
pub fn lines(
    out: &OutgoingMessage<'_>,
    decision: &Decision,
    active: &ActiveDag,
    now: &Timestamp,
    ids: &mut dyn FnMut(&str) -> Id,
) -> Vec<Delivery> {
    let mut line = |to: Recipient, status| line(out, active, to, status, now, ids("del"));
    match decision {
        Decision::Deliver(route) => {
            let delivered = route.targets.iter().filter_map(|(agent, target)| match target {
                TargetRoute::Deliver { replaces, .. } => Some((agent, replaces)),
                _ => None,
            });
            let lines = delivered.map(|(agent, replaces)| {
                let mut line = line(Recipient::from(agent.clone()), DeliveryStatus::Delivered);
                if let Some(replaced) = replaces {
                    line.extra.insert("replaces_message_id".to_owned(), json!(replaced));
                }
                line
            });
            lines.collect()
        }
        Decision::Duplicate { of, by_content } => {
            let mut line = line(Recipient::nobody(), DeliveryStatus::SkippedDuplicate);
            line.skip_reason = Some((if *by_content { SAME_CONTENT } else { DUPLICATE }).to_owned());
            if *by_content {
                line.extra.insert("duplicate_of_message_id".to_owned(), json!(of));
            }
            vec![line]
        }
        Decision::Superseded(Supersession { by, .. }) => {
            let mut line = line(Recipient::nobody(), DeliveryStatus::SkippedSuperseded);
            line.skip_reason = Some(SUPERSEDED.to_owned());
            line.superseded = Some(true);
            line.superseded_by_message_id = Some(by.message_id.to_string());
            line.superseded_by_command_id = Some(by.command_id.to_string());
            line.superseded_by_command_seq = Some(by.seq);
            vec![line]
        }
        Decision::DeadLetter(dead) => {
            let mut line = line(Recipient::nobody(), DeliveryStatus::Deadlettered);
            line.error = Some(DeliveryError {
                code: Some(dead.code.name().to_owned()),
                message: Some(dead.detail.clone()),
                file: dead.file.clone().or_else(|| Some(out.name.to_owned())),
                extra: Extra::new(),
            });
            vec![line]
        }
        Decision::Held | Decision::Settled | Decision::GivenUp => Vec::new(),
    }
}

fn line(
    out: &OutgoingMessage<'_>,
    active: &ActiveDag,
    to_agent_id: Recipient,
    status: DeliveryStatus,
    now: &Timestamp,
    delivery_id: Id,
) -> Delivery {
    let envelope = out.envelope.ok();
    let text = |id: Option<&Id>| id.map(ToString::to_string);
    let files = envelope.map(Envelope::files).unwrap_or_default().iter().filter_map(|file| {
        let (path, sha256) = (file.path.parse().ok()?, file.sha256.into());
        Some(DeliveredFile { path, sha256, extra: Extra::new() })
    });
    let mut extra = Extra::new();
    extra.insert(FILE_NAME.to_owned(), json!(out.name));
    extra.insert(DAG.to_owned(), json!(active.sha256));
    if let Some(subtype) = envelope.and_then(|envelope| envelope.subtype.as_ref()) {
        extra.insert("subtype".to_owned(), json!(subtype));
    }
    if let Some(tag) = envelope.and_then(tag) {
        extra.insert("tag".to_owned(), json!(tag));
    }
    Delivery {
        schema_version: SchemaVersion::CURRENT,
        delivery_id,
        plan_id: out.plan_id.clone(),
        message_id: said(out.message_id()),
        envelope_sha256: Some((*out.sha256).into()),
        task_id: text(envelope.and_then(|envelope| envelope.task_id.as_ref())),
        command_id: text(envelope.and_then(|envelope| envelope.command_id.as_ref())),
        output_name: text(envelope.and_then(|envelope| envelope.output_name.as_ref())),
        from_agent_id: out.owner.clone(),
        to_agent_id,
        delivered_at: now.clone(),
        status,
        payload: Some(DeliveredPayload { files: Some(files.collect()), extra: Extra::new() }),
        skip_reason: None,
        superseded: None,
        superseded_by_message_id: None,
        superseded_by_command_id: None,
        superseded_by_command_seq: None,
        error: None,
        extra,
    }
}

/// A text that says something: a name of blanks says nothing.
fn said(text: &str) -> Text {
    let shown = || text.escape_debug().to_string().parse().ok();
    text.parse().ok().or_else(shown).unwrap_or_else(|| Text::from(Code::EnvelopeInvalid))
}

/// Returns what is filed of a message that is given up.
pub fn dead_letter(
    out: &OutgoingMessage<'_>,
    dead: &DeadLetterReason,
    now: &Timestamp,
    deadletter_id: Id,
) -> DeadLetter {
    let is_retriable = matches!(
        dead.code,
        Code::RoutingNoTarget
            | Code::TargetAgentNotFound
            | Code::MissingPayload
            | Code::DagTaskNotFound
            | Code::DagOutputNotFound
            | Code::UnhandledException
    );
    let next = if is_retriable { SuggestedNext::ManualReplay } else { SuggestedNext::Alert };
    DeadLetter {
        schema_version: SchemaVersion::CURRENT,
        plan_id: out.plan_id.clone(),
        deadletter_id,
        created_at: now.clone(),
        reason: DeadReason { code: Text::from(dead.code), message: said(&dead.detail), extra: Extra::new() },
        original: DeadOriginal {
            file_name: said(out.name),
            message_id: Some(out.message_id().to_owned()),
            producer_agent_id: Some(out.owner.to_string()),
            extra: Extra::new(),
        },
        actions: Some(DeadActions {
            retriable: Some(is_retriable),
            suggested_next: Some(next),
            extra: Extra::new(),
        }),
        extra: Extra::new(),
    }
}
