//! Asks people what agents need to continue (contract/plans §13): a request becomes a set of questions like any other, and its
//! outcome a response in the gateway's outbox.
//!
//! Whatever is remembered lies in files: which questions belong to a request, and that it was answered. A person is asked
//! once for a request, however often this is killed.

use crate::clock::Clock;
use crate::document;
use crate::folder::ENVELOPE_LIMIT;
use crate::human::asking::{self, ASKED, Note};
use crate::human::{GATEWAY, Words, response, response_name};
use crate::plan::{Folders, PlanError};
use files::{Dir, FileError, FileType, Lock, durable};
use model::{Ending, SessionId, Via};
use protocol::agent::{Format, HumanRequest, Id};
use store::{Decisions, StoreError};

const PROCESSED: &str = ".processed";
const REFUSED: &str = ".deadletter";

/// Something that the gateway has done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GatewayEvent {
    /// The plan.
    pub plan_id: Id,
    /// The request.
    pub request_id: String,
    /// What became of it.
    pub what: RequestOutcome,
}

impl GatewayEvent {
    /// The questions that were opened by it, if that is what was done.
    pub fn asked(self) -> Option<SessionId> {
        match self.what {
            RequestOutcome::Asked(session) => Some(session),
            _ => None,
        }
    }
}

/// What became of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestOutcome {
    /// A person is asked, in these questions.
    Asked(SessionId),
    /// A person has answered.
    Answered,
    /// A response was placed by hand, and the questions are closed.
    AnsweredElsewhere,
    /// It was not answered in time.
    Expired,
    /// It is overtaken, and the questions are closed.
    Withdrawn,
    /// It cannot be asked.
    Refused(String),
}

/// Why people could not be asked for now.
#[derive(Debug, thiserror::Error)]
pub enum GatewayError {
    /// Something about questions.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Something about the gateway's folder.
    #[error(transparent)]
    File(#[from] FileError),
    /// Something about plans.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A document cannot be written as JSON.
    #[error("cannot be written: {0}")]
    Json(#[from] serde_json::Error),
}

/// Asks people for the agents of a project.
pub struct Gateway<'g> {
    /// The folders of the agents.
    pub folders: &'g Folders,
    /// Where people are asked.
    pub decisions: &'g Decisions,
    /// In which words.
    pub words: &'g Words,
    /// The time.
    pub clock: &'g dyn Clock,
}

impl Gateway<'_> {
    /// Asks the new requests, and responds to those whose questions have ended. An error of one request does not delay others.
    ///
    /// # Errors
    ///
    /// Whatever the disk says; the next tick continues from there.
    pub fn tick(&self) -> Result<Vec<GatewayEvent>, GatewayError> {
        let mut done = Vec::new();
        // Something else has the gateway's name: requests wait with an alert, and everything else continues.
        if !self.folders.agents()?.iter().any(|agent| agent.as_str() == GATEWAY) {
            return Ok(done);
        }
        let Some(inbox) = self.folders.agents.folder_at([GATEWAY, "inbox"])? else { return Ok(done) };
        let lock = self.folders.lock()?;
        for (plan, kind) in inbox.entries()? {
            let Ok(plan_id) = plan.parse::<Id>() else { continue };
            let Some(folder) = inbox.folder(&plan).ok().flatten().filter(|_| kind == FileType::Directory)
            else {
                continue;
            };
            for (name, kind) in folder.entries()? {
                let is_request = name.starts_with("human_intervention_request_") && name.ends_with(".json");
                if is_request && kind == FileType::RegularFile {
                    let turn =
                        Turn { gateway: self, lock: &lock, plan: &plan_id, inbox: &folder, name: &name };
                    done.extend(turn.advance()?);
                }
            }
        }
        Ok(done)
    }
}

/// One request.
struct Turn<'t> {
    gateway: &'t Gateway<'t>,
    lock: &'t Lock,
    plan: &'t Id,
    inbox: &'t Dir,
    name: &'t str,
}

impl Turn<'_> {
    fn advance(&self) -> Result<Option<GatewayEvent>, GatewayError> {
        let request = match self.inbox.read(self.name, ENVELOPE_LIMIT) {
            Ok(Some(bytes)) => HumanRequest::parse(&bytes).ok().filter(|it| it.plan_id == *self.plan),
            Ok(None) => return Ok(None),
            Err(FileError::TooLarge { .. }) => None,
            Err(error) => return Err(error.into()),
        };
        let Some(request) = request else { return self.refuse("not a request of this plan").map(Some) };
        let done = |what| {
            Some(GatewayEvent {
                plan_id: self.plan.clone(),
                request_id: request.request_id.to_string(),
                what,
            })
        };
        let note = self.note(&request)?;
        if self.has_response(&request)? {
            if let Some(note) = note {
                self.close(&note.session)?;
            }
            self.put_away()?;
            return Ok(done(RequestOutcome::AnsweredElsewhere));
        }
        if self.gateway.folders.is_withdrawn(self.plan, &request.request_id)? {
            if let Some(note) = note {
                self.close(&note.session)?;
            }
            self.put_away()?;
            return Ok(done(RequestOutcome::Withdrawn));
        }
        let Some(note) = note else {
            return match self.ask(&request)? {
                Ok(session) => Ok(done(RequestOutcome::Asked(session))),
                Err(why) => self.refuse(&why).map(Some),
            };
        };
        let mut watch = self.gateway.decisions.watch(note.session.clone());
        let Some(ending) = watch.look()? else { return Ok(None) };
        let now = asking::answered_at(self.gateway.decisions, &note.session, self.gateway.clock.now())?;
        let Some((response, provided)) = response::response(&request, &ending, &now) else {
            self.put_away()?;
            return Ok(done(RequestOutcome::Expired));
        };
        let outbox = self.outbox()?;
        for file in &provided {
            asking::provide(self.lock, self.gateway.decisions, &note.session, file, &outbox)?;
        }
        let name = response_name(&request.request_id);
        durable::publish_once(self.lock, &outbox, &name, &document::text(&response)?)?;
        self.put_away()?;
        Ok(done(RequestOutcome::Answered))
    }

    fn outbox(&self) -> Result<Dir, FileError> {
        self.gateway.folders.agents.ensure_folders([GATEWAY, "outbox", self.plan.as_str()])
    }

    /// Whether a response exists, placed by hand or written before a kill.
    fn has_response(&self, request: &HumanRequest) -> Result<bool, FileError> {
        let name = response_name(&request.request_id);
        let outbox = self.outbox()?;
        if outbox.kind(&name)?.is_some() {
            return Ok(true);
        }
        match outbox.folder(".sent")? {
            Some(sent) => Ok(sent.kind(&name)?.is_some()),
            None => Ok(false),
        }
    }

    fn notes(&self) -> Result<Dir, FileError> {
        self.gateway.folders.agents.ensure_folders([GATEWAY, "workspace", self.plan.as_str(), ASKED])
    }

    /// The questions of a request, if it was asked. The asker may have been killed before that was noted.
    fn note(&self, request: &HumanRequest) -> Result<Option<Note>, GatewayError> {
        if let Some(note) = Note::read(&self.notes()?, request.request_id.as_str())? {
            return Ok(Some(note));
        }
        let ended = asking::ended(self.gateway.decisions, self.plan, &request.request_id)?;
        ended.map(|session| self.write_note(request, session)).transpose()
    }

    fn write_note(&self, request: &HumanRequest, session: SessionId) -> Result<Note, GatewayError> {
        let note = Note::new(&request.request_id, session);
        note.write(self.lock, &self.notes()?)?;
        Ok(note)
    }

    /// Asks a person; why that cannot be done, if it cannot.
    fn ask(&self, request: &HumanRequest) -> Result<Result<SessionId, String>, GatewayError> {
        let asked = asking::ask(self.gateway.decisions, self.gateway.words, request)?;
        if let Ok(session) = &asked {
            self.write_note(request, session.clone())?;
        }
        Ok(asked)
    }

    /// Closes questions that were answered elsewhere.
    fn close(&self, session: &SessionId) -> Result<(), GatewayError> {
        let decisions = self.gateway.decisions;
        if decisions.record(session)?.is_none()
            && let Some((pending, questions)) = decisions.set(session)?
        {
            decisions.publish(&pending, &questions, Ending::Cancelled, Via::Terminal)?;
        }
        Ok(())
    }

    fn put_away(&self) -> Result<(), FileError> {
        let processed = self.inbox.ensure_folder(PROCESSED)?;
        durable::move_file(self.lock, self.inbox, self.name, &processed, self.name).map(drop)
    }

    fn refuse(&self, why: &str) -> Result<GatewayEvent, GatewayError> {
        let refused = self.inbox.ensure_folder(REFUSED)?;
        durable::move_file(self.lock, self.inbox, self.name, &refused, self.name)?;
        Ok(GatewayEvent {
            plan_id: self.plan.clone(),
            request_id: self.name.to_owned(),
            what: RequestOutcome::Refused(why.to_owned()),
        })
    }
}
