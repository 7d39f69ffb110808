//! One pass over one plan: what it works with, and how it reports errors.

use super::PlanError;
use super::folders::Folders;
use super::scan::SENT;
use crate::clock::{Clock, id};
use crate::document::text;
use crate::folder::filled;
use crate::hash;
use files::{Dir, FileType, Lock, durable};
use protocol::agent::{
    Alert, AlertSource, Code, DeadActions, DeadLetter, DeadOriginal, DeadReason, Extra, Id, SchemaVersion,
    SuggestedNext, Text, Timestamp,
};
use serde::Serialize;
use std::time::Duration;

/// Where a document lies that was refused.
const REFUSED: &str = ".deadletter";

/// Something that has happened to a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanEvent {
    /// A message was delivered.
    Delivered {
        /// The message.
        message_id: Id,
        /// The task.
        task_id: Option<Id>,
        /// What it has made; `None` of a command.
        output_name: Option<Id>,
        /// Who has sent it.
        from: Id,
        /// The receiver; `None` if it went only to the archive.
        to: Option<Id>,
    },
    /// A message or another document was given up.
    GivenUp {
        /// Why.
        code: Code,
        /// Whose outbox it lies in.
        from: Id,
        /// Its file.
        file_name: String,
        /// What exactly.
        detail: String,
    },
    /// A command was issued.
    Issued {
        /// The task.
        task_id: Id,
        /// The command.
        command_id: Id,
        /// How often the task was done again.
        reexecutions: u64,
    },
    /// A person is asked.
    Asked {
        /// The request.
        request_id: Id,
        /// The task, if it is about one.
        task_id: Option<Id>,
    },
    /// A person has answered.
    Answered {
        /// The request.
        request_id: Id,
    },
    /// A person no longer needs to answer.
    Withdrawn {
        /// The request.
        request_id: Id,
        /// The task, if it is about one.
        task_id: Option<Id>,
    },
    /// Another plan was asked for.
    ReplanRequested {
        /// The request.
        request_id: Id,
    },
    /// It was decided about the release.
    Released {
        /// Whether it may be released.
        is_approved: bool,
    },
    /// An alert was raised.
    Alerted {
        /// What it is.
        code: Code,
        /// In words.
        message: String,
    },
}

/// One pass over one plan.
pub(super) struct Turn<'t> {
    pub(super) folders: &'t Folders,
    pub(super) lock: &'t Lock,
    pub(super) clock: &'t dyn Clock,
    pub(super) plan: &'t Id,
    pub(super) now: Timestamp,
    /// Since when the same program runs agents as well.
    pub(super) runs_agents: Option<&'t Timestamp>,
    /// How long a document that ends too early must have been still before it is refused.
    pub(super) settle: Duration,
    /// Whether a document was left because its author may still be writing it.
    pub(super) is_unsettled: bool,
    pub(super) happened: Vec<PlanEvent>,
}

/// What an alert is about.
#[derive(Default)]
pub(super) struct AlertSubject<'a> {
    pub(super) agent: Option<&'a Id>,
    pub(super) task: Option<&'a Id>,
    pub(super) details: Extra,
}

impl Turn<'_> {
    /// The system's folder of the plan.
    pub(super) fn folder(&self) -> Result<Dir, PlanError> {
        Ok(self.folders.ensure(["plans", self.plan.as_str()])?)
    }

    /// A folder in it.
    pub(super) fn archive(&self, name: &str) -> Result<Dir, PlanError> {
        Ok(self.folders.ensure(["plans", self.plan.as_str(), name])?)
    }

    /// Writes a document that is written once; whether it was not there.
    pub(super) fn publish(
        &self,
        dir: &Dir,
        name: &str,
        document: &impl Serialize,
    ) -> Result<bool, PlanError> {
        if dir.kind(name)?.is_some() {
            return Ok(false);
        }
        Ok(durable::publish_once(self.lock, dir, name, &text(document)?)?)
    }

    /// Whether it was said already.
    pub(super) fn is_alerted(&self, code: Code, key: &str) -> Result<bool, PlanError> {
        let alerts = self.folders.ensure(["alerts", self.plan.as_str()])?;
        Ok(alerts.kind(&format!("{}.json", alert_id(code, key)))?.is_some())
    }

    /// Raises an alert, once per key.
    pub(super) fn alert(
        &mut self,
        code: Code,
        key: &str,
        message: &str,
        about: AlertSubject<'_>,
    ) -> Result<(), PlanError> {
        let alerts = self.folders.ensure(["alerts", self.plan.as_str()])?;
        let alert_id = alert_id(code, key);
        let words: Result<Text, _> = message.parse();
        let alert = Alert {
            schema_version: SchemaVersion::CURRENT,
            plan_id: self.plan.clone(),
            severity: code.severity(),
            kind: filled(code.name().parse()),
            created_at: self.now.clone(),
            source: Some(AlertSource {
                agent_id: about.agent.map(ToString::to_string),
                task_id: about.task.map(ToString::to_string),
                command_id: None,
                extra: Extra::new(),
            }),
            message: words.unwrap_or_else(|_| filled(code.name().parse())),
            details: Some(about.details),
            extra: Extra::new(),
            alert_id,
        };
        if self.publish(&alerts, &format!("{}.json", alert.alert_id), &alert)? {
            self.happened.push(PlanEvent::Alerted { code, message: message.to_owned() });
        }
        Ok(())
    }

    /// Files a dead letter, and reports it.
    pub(super) fn bury(&mut self, letter: &DeadLetter, code: Code, from: &Id) -> Result<(), PlanError> {
        let letters = self.folders.ensure(["deadletter", self.plan.as_str()])?;
        self.publish(&letters, &format!("{}.json", letter.deadletter_id), letter)?;
        let (file_name, detail) = (letter.original.file_name.to_string(), letter.reason.message.to_string());
        let details = [
            ("file_name".to_owned(), file_name.clone().into()),
            ("deadletter_id".to_owned(), letter.deadletter_id.to_string().into()),
        ];
        let about = AlertSubject { agent: Some(from), details: details.into_iter().collect(), task: None };
        let key = letter.deadletter_id.as_str();
        self.alert(code, key, &format!("cannot deliver {file_name} of {from}: {detail}"), about)?;
        self.happened.push(PlanEvent::GivenUp { code, from: from.clone(), file_name, detail });
        Ok(())
    }

    /// Refuses a document that is no message: it leaves the outbox, so that it is refused once.
    pub(super) fn refuse(
        &mut self,
        outbox: &Dir,
        (owner, name): (&Id, &str),
        code: Code,
        detail: &str,
    ) -> Result<(), PlanError> {
        let sha256 = hash::of_file(outbox, name)?.map(|(sha256, _)| sha256);
        let about = format!("{owner} {name} {}", sha256.map(|it| it.to_string()).unwrap_or_default());
        let text = |text: &str| text.parse::<Text>().unwrap_or_else(|_| filled(code.name().parse()));
        let letter = DeadLetter {
            schema_version: SchemaVersion::CURRENT,
            plan_id: self.plan.clone(),
            deadletter_id: deadletter_id(&about),
            created_at: self.now.clone(),
            reason: DeadReason {
                code: filled(code.name().parse()),
                message: text(detail),
                extra: Extra::new(),
            },
            original: DeadOriginal {
                file_name: text(name),
                message_id: None,
                producer_agent_id: Some(owner.to_string()),
                extra: Extra::new(),
            },
            actions: Some(DeadActions {
                retriable: Some(false),
                suggested_next: Some(SuggestedNext::Alert),
                extra: Extra::new(),
            }),
            extra: Extra::new(),
        };
        self.bury(&letter, code, owner)?;
        let refused = outbox.ensure_folder(REFUSED)?;
        durable::move_file(self.lock, outbox, name, &refused, name)?;
        Ok(())
    }

    /// Clears away the halves of files that killed writers have left in the system's folders.
    pub(super) fn sweep(&self, plan: &Dir) -> Result<(), PlanError> {
        durable::sweep(self.lock, plan, &plan.names()?);
        for (name, kind) in plan.entries()? {
            if kind == FileType::Directory
                && let Some(folder) = plan.folder(&name)?
            {
                durable::sweep(self.lock, &folder, &folder.names()?);
            }
        }
        for name in ["alerts", "deadletter"] {
            if let Some(folder) = self.folders.runtime.folder_at([name, self.plan.as_str()])? {
                durable::sweep(self.lock, &folder, &folder.names()?);
            }
        }
        Ok(())
    }

    /// Puts away what is settled: it is not looked at again.
    pub(super) fn settle(&self, outbox: &Dir, name: &str) -> Result<(), PlanError> {
        let sent = outbox.ensure_folder(SENT)?;
        durable::move_file(self.lock, outbox, name, &sent, name)?;
        Ok(())
    }
}

/// The id of a dead letter, the same for the same.
pub(super) fn deadletter_id(about: &str) -> Id {
    id(&format!("dlq_{}", &hash::sha256(about.as_bytes()).hex()[..24]))
}

fn alert_id(code: Code, key: &str) -> Id {
    let digest = hash::sha256(format!("{code} {key}").as_bytes());
    id(&format!("alert_{}_{}", code.name().to_lowercase(), &digest.hex()[..16]))
}
