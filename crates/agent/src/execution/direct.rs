//! An agent asks a person by itself: what it says to have asked is open at once, and the answer reaches it without a router
//! and without the folder of a gateway.
//!
//! Where a router is there as well, both ask in the same questions (they have the same key), and both bring the same message,
//! which counts once.

use super::{ExecutionError, Executor};
use crate::document;
use crate::folder::PlanFolder;
use crate::hash;
use crate::human::asking::{self, ASKED, Note};
use crate::human::response::{self, AttachedFile};
use crate::human::{GATEWAY, InjectedFile, People, answer_name, envelope_of, request_name, response_name};
use files::{Dir, FileError, durable, json};
use model::{Ending, SessionId};
use protocol::agent::{Format, HumanRequest, HumanResponse, Id, PayloadPath};

/// Why a request is not in any questions.
pub(super) enum NotAskedReason {
    /// The executor has no [`People`], or the request is not there.
    ByUs,
    /// It cannot be asked, for this reason.
    Ever(String),
}

impl Executor<'_> {
    /// Opens the questions of a request that waits for its answer, unless they are open.
    ///
    /// # Errors
    ///
    /// When they cannot be written. It can be tried again.
    pub(super) fn ask_directly(
        &self,
        plan: &PlanFolder<'_>,
        request_id: &Id,
    ) -> Result<Result<SessionId, NotAskedReason>, ExecutionError> {
        let Some(people) = self.people else { return Ok(Err(NotAskedReason::ByUs)) };
        let notes = notes(plan)?;
        if let Some(note) = Note::read(&notes, request_id.as_str())? {
            return Ok(Ok(note.session));
        }
        let session = match asking::ended(people.decisions, plan.id(), request_id)? {
            Some(ended) if counts(people, &ended)? => ended,
            _ => {
                let Some(request) = request(plan, request_id)? else { return Ok(Err(NotAskedReason::ByUs)) };
                match asking::ask(people.decisions, people.words, &request)? {
                    Ok(session) => session,
                    Err(why) => return Ok(Err(NotAskedReason::Ever(why))),
                }
            }
        };
        Note::new(request_id, session.clone()).write(plan.lock(), &notes)?;
        Ok(Ok(session))
    }

    /// Takes the answers that people have given to what this agent has asked, into its inbox.
    ///
    /// # Errors
    ///
    /// Whatever the disk says. It can be tried again.
    pub(crate) fn take_answers(&self, plan: &PlanFolder<'_>) -> Result<(), ExecutionError> {
        let Some(people) = self.people else { return Ok(()) };
        let Some(notes) = plan.workspace.folder(ASKED)? else { return Ok(()) };
        for name in notes.names()? {
            let Some(request_id) = name.strip_suffix(".json") else { continue };
            let Some(mut note) = Note::read(&notes, request_id)?.filter(|note| !note.delivered) else {
                continue;
            };
            let Some(ending) = people.decisions.watch(note.session.clone()).look()? else { continue };
            let Ok(request_id) = request_id.parse::<Id>() else { continue };
            if is_open_again(&ending) {
                // It is asked anew by the command that still waits.
                notes.unlink(&name)?;
                continue;
            }
            if self.deliver(people, plan, &request_id, &note.session, &ending)? {
                note.delivered = true;
                note.write(plan.lock(), &notes)?;
            }
        }
        Ok(())
    }

    /// Puts an answer into the inbox; false while something else has the name of one of its files there.
    fn deliver(
        &self,
        people: People<'_>,
        plan: &PlanFolder<'_>,
        request_id: &Id,
        session: &SessionId,
        ending: &Ending,
    ) -> Result<bool, ExecutionError> {
        // Answered by hand in the gateway's folder: the router brings that.
        if *ending == Ending::Cancelled && self.is_answered_by_hand(plan, request_id)? {
            return Ok(true);
        }
        let Some(request) = request(plan, request_id)? else { return Ok(true) };
        let now = asking::answered_at(people.decisions, session, self.clock.now())?;
        let Some((response, provided)) = response::response(&request, ending, &now) else { return Ok(true) };
        if provided.is_empty() {
            return self.give_answer(plan, &request, &response);
        }
        let mut is_complete = true;
        for file in &provided {
            is_complete &= self.give_file(people, plan, &request, (session, file))?;
        }
        Ok(is_complete)
    }

    fn give_answer(
        &self,
        plan: &PlanFolder<'_>,
        request: &HumanRequest,
        response: &HumanResponse,
    ) -> Result<bool, ExecutionError> {
        let bytes = document::text(response)?;
        let Ok(path) = answer_name(&request.request_id).parse::<PayloadPath>() else { return Ok(true) };
        let gift = InjectedFile { path, sha256: hash::sha256(&bytes), to: self.folder.id().clone() };
        self.give(plan, request, &gift, || {
            durable::replace(plan.lock(), &plan.inbox, gift.path.as_str(), &bytes)?;
            Ok(())
        })
    }

    fn give_file(
        &self,
        people: People<'_>,
        plan: &PlanFolder<'_>,
        request: &HumanRequest,
        (session, file): (&SessionId, &AttachedFile),
    ) -> Result<bool, ExecutionError> {
        let Some(sha256) = response::attached_hash(&file.attachment) else { return Ok(true) };
        let gift = InjectedFile { path: file.path.clone(), sha256, to: self.folder.id().clone() };
        self.give(plan, request, &gift, || {
            Ok(asking::provide(plan.lock(), people.decisions, session, file, &plan.inbox)?)
        })
    }

    /// Payload first, envelope last.
    fn give(
        &self,
        plan: &PlanFolder<'_>,
        request: &HumanRequest,
        gift: &InjectedFile,
        put: impl FnOnce() -> Result<(), ExecutionError>,
    ) -> Result<bool, ExecutionError> {
        let envelope = envelope_of(request, gift);
        if plan.ack(&envelope.message_id)?.is_some() {
            return Ok(true);
        }
        if is_taken(&plan.inbox, gift)? {
            return Ok(false);
        }
        put()?;
        let message = document::text(&envelope)?;
        let name = format!("{}.msg.json", envelope.message_id);
        durable::replace(plan.lock(), &plan.inbox, &name, &message)?;
        Ok(true)
    }

    /// Whether the gateway's folder, beside this agent's, has a response to the request.
    fn is_answered_by_hand(&self, plan: &PlanFolder<'_>, request_id: &Id) -> Result<bool, ExecutionError> {
        let Some(agents) = self.folder.path().parent() else { return Ok(false) };
        let outbox = agents.join(GATEWAY).join("outbox").join(plan.id().as_str());
        let Ok(outbox) = Dir::open(&outbox) else { return Ok(false) };
        let name = response_name(request_id);
        if outbox.kind(&name)?.is_some() {
            return Ok(true);
        }
        Ok(match outbox.folder(".sent")? {
            Some(sent) => sent.kind(&name)?.is_some(),
            None => false,
        })
    }
}

fn notes(plan: &PlanFolder<'_>) -> Result<Dir, FileError> {
    plan.workspace.ensure_folder(ASKED)
}

/// Whether questions with this ending are asked again: the user has neither refused nor answered.
fn is_open_again(ending: &Ending) -> bool {
    matches!(ending, Ending::Replaced(_) | Ending::Expired(_))
}

fn counts(people: People<'_>, session: &SessionId) -> Result<bool, ExecutionError> {
    let record = people.decisions.record(session)?;
    Ok(record.is_some_and(|record| !is_open_again(&record.ending)))
}

/// A request of this agent, as it was written.
fn request(plan: &PlanFolder<'_>, request_id: &Id) -> Result<Option<HumanRequest>, FileError> {
    let name = request_name(request_id);
    let bytes = match (plan.outbox.read(&name, json::MAX_JSON)?, plan.outbox.folder(".sent")?) {
        (None, Some(sent)) => sent.read(&name, json::MAX_JSON)?,
        (bytes, _) => bytes,
    };
    Ok(bytes.and_then(|bytes| HumanRequest::parse(&bytes).ok()))
}

/// Whether another message's file, which is not filed yet, has the name in the inbox.
fn is_taken(inbox: &Dir, gift: &InjectedFile) -> Result<bool, FileError> {
    let mut way: Vec<&str> = gift.path.components().collect();
    let Some(name) = way.pop() else { return Ok(false) };
    let Some(folder) = inbox.folder_at(way)? else { return Ok(false) };
    if folder.kind(name)?.is_none() {
        return Ok(false);
    }
    Ok(hash::of_file(&folder, name)?.is_none_or(|(there, _)| there != gift.sha256))
}
