//! `aide decide answer`

use crate::context::{Context, DONE};
use crate::failure::{FAILED, Failure};
use crate::messages::Message;
use crate::outcome;
use crate::terminal::{self, Asked, Exit};
use model::{Ending, Via};
use std::ffi::OsStr;
use store::{Change, Published};

pub(super) fn run(context: &Context, session: Option<&OsStr>) -> Result<u8, Failure> {
    let project = context.project()?;
    let decisions = project.decisions()?;
    let session = outcome::session(&decisions, session)?;
    if let Some(record) = outcome::record(&decisions, &session)? {
        return Err(outcome::ended_before(&decisions, &session, record.ending));
    }
    let found = match outcome::pending(&decisions)? {
        Some(pending) if pending.session == session => decisions.pending_questions()?,
        _ => None,
    };
    let Some((pending, questions)) = found.filter(|(pending, _)| pending.session == session) else {
        return Err(Failure::new(Message::NoSession { session: session.to_string() }, Message::SeeList));
    };
    let asked = Asked { project, decisions: &decisions, pending: &pending, questions: &questions };
    let (ending, message) = match terminal::answer(context, &asked)? {
        Exit::Decided(output) => (Ending::Decided(output), Message::Decided),
        Exit::SentBack(returned) => (Ending::Returned(returned), Message::SentBack),
        Exit::Left => {
            context.output.info(&Message::AnswersKept);
            return Ok(FAILED);
        }
        Exit::NoInput => return Err(Failure::new(Message::NoMoreInput, Message::AnswersKept)),
        Exit::Elsewhere(Change::Ended(record)) => {
            return Err(outcome::ended_before(&decisions, &session, record.ending));
        }
        Exit::Elsewhere(Change::Replaced) => return Err(outcome::replaced(&decisions, &session)),
        Exit::Interrupted(code) => {
            context.output.warning(&Message::AnswersKept);
            return Ok(code);
        }
    };
    match decisions.publish(&pending, &questions, ending, Via::Terminal)? {
        // Whoever waits is told by the record.
        Published::Won(_) => {
            context.output.ok(&message);
            Ok(DONE)
        }
        Published::Lost(record) => Err(outcome::ended_before(&decisions, &session, record.ending)),
        Published::Replaced => Err(outcome::replaced(&decisions, &session)),
    }
}
