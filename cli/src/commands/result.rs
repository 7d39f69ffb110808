//! `aide decide result`

use super::Context;
use crate::failure::Failure;
use crate::messages::Message;
use model::{DecideOutput, DecisionRecord, SessionId, is_blank};
use store::{Decisions, ServerInfo, StoreError};

pub(super) fn run(context: &Context) -> Result<(), Failure> {
    let decisions = context.project()?.decisions()?;
    let session = pending(&decisions)?;
    // Asked before the record is looked for: a server that is gone by now has written all it ever will.
    let server = decisions.live_server();
    let output = match decisions.record(&session) {
        Ok(Some(DecisionRecord { output, .. })) => output,
        Ok(None) => return Err(missing(&decisions, &session, server)),
        Err(StoreError::Corrupt { file, message }) => {
            let what = Message::RecordCorrupt { file, words: message };
            return Err(Failure::new(what, Message::RestoreOrSubmit));
        }
        Err(error) => return Err(error.into()),
    };
    let json = serde_json::to_string(&without_blank_notes(output))
        .map_err(|error| Failure::new(Message::Internal { words: error.to_string() }, None))?;
    context.output.json(&json)
}

fn pending(decisions: &Decisions) -> Result<SessionId, Failure> {
    match decisions.pending() {
        Ok(Some(pending)) => Ok(pending.session),
        Ok(None) => Err(Failure::new(Message::NoPending, Message::SubmitFirst)),
        Err(StoreError::Corrupt { message, .. }) => {
            Err(Failure::new(Message::PendingCorrupt { words: message }, Message::SubmitAgainDamaged))
        }
        Err(error) => Err(error.into()),
    }
}

/// Why there is no record, by who could still write one.
fn missing(
    decisions: &Decisions,
    session: &SessionId,
    server: Result<Option<ServerInfo>, StoreError>,
) -> Failure {
    let state = server.and_then(|server| {
        // A server of earlier questions will not answer these.
        let alive = server.is_some_and(|server| server.session_id == *session);
        Ok((alive, decisions.has_records()?))
    });
    match state {
        Ok((true, _)) => Failure::new(Message::NoResult, Message::WaitForPerson),
        Ok((false, true)) => Failure::new(Message::Expired, Message::SubmitAgain),
        Ok((false, false)) => Failure::new(Message::NoResult, Message::ServerGone),
        Err(error) => error.into(),
    }
}

/// Other implementations have written empty notes; nobody wrote them.
fn without_blank_notes(mut output: DecideOutput) -> DecideOutput {
    for decision in &mut output.decisions {
        decision.note = decision.note.take().filter(|note| !is_blank(note));
    }
    output
}
