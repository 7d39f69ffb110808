//! One message: taken, looked at, and dispatched (contract/plans §6.3).

use super::event::{CommandRef, EventKind};
use crate::execution::{ExecutionError, Executor, LaterCommand, Progress, Work};
use crate::folder::{ENVELOPE_LIMIT, PlanFolder, StoredDocument};
use crate::identity;
use crate::ingest::{Filing, Rejection, reused};
use files::{Dir, FileError};
use protocol::agent::{Ack, Code, Envelope, Format, Id, MessageType, Mode, Timestamp};
use std::collections::BTreeMap;
use std::time::Duration;

/// Times are counted in whole seconds, and never too few.
pub(super) const ROUNDED_UP: Duration = Duration::from_secs(1);

/// The latest command of each task that is known to be there.
pub(super) type LatestCommands = BTreeMap<Id, LaterCommand>;

/// What has become of a message.
#[derive(Debug)]
pub(super) enum Outcome {
    /// It is done with. It was before, if it was only swept.
    Settled { was_swept: bool, has_filed: bool },
    /// It waits.
    Waits { due: Option<i64> },
    /// It was interrupted, like everything else.
    Interrupted,
}

/// What is known of a message before it is dispatched.
pub(super) enum Inspection {
    /// It is one.
    Message(Box<Envelope>),
    /// It is none.
    Refused(Rejection, Option<Box<Envelope>>),
    /// It is gone.
    Gone,
}

impl Outcome {
    const SETTLED: Self = Self::Settled { was_swept: false, has_filed: false };
    const SWEPT: Self = Self::Settled { was_swept: true, has_filed: false };
}

impl CommandRef {
    fn from_work(work: &Work) -> Self {
        let command = work.command();
        Self {
            task_id: command.task_id.clone(),
            command_id: command.command_id.clone(),
            command_seq: command.seq(),
            message_id: work.message_id().clone(),
        }
    }
}

/// Reads the message `name`.
pub(super) fn look(plan: &PlanFolder<'_>, dir: &Dir, name: &str) -> Result<Inspection, FileError> {
    let bytes = match dir.read(name, ENVELOPE_LIMIT) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Ok(Inspection::Gone),
        Err(FileError::TooLarge { limit, .. }) => {
            let detail = format!("larger than {limit} bytes");
            return Ok(Inspection::Refused(Rejection::new(Code::EnvelopeInvalid, detail), None));
        }
        Err(error) => return Err(error),
    };
    let envelope = match Envelope::parse_for(&bytes, Mode::Direct) {
        Ok(envelope) => Box::new(envelope),
        Err(error) => return Ok(Inspection::Refused(Rejection::invalid(&error), None)),
    };
    if envelope.plan_id == *plan.id() {
        return Ok(Inspection::Message(envelope));
    }
    let refused = Rejection::new(Code::EnvelopeInvalid, format!("of the plan {}", envelope.plan_id));
    Ok(Inspection::Refused(refused, Some(envelope)))
}

/// Remembers a command as the latest of its task, if it is. One whose id belongs to another message will not be executed.
pub(super) fn remember(
    plan: &PlanFolder<'_>,
    latest: &mut LatestCommands,
    envelope: &Envelope,
) -> Result<(), FileError> {
    let Some(command) = envelope.command() else { return Ok(()) };
    let is_later = latest.get(&command.task_id).is_none_or(|known| known.seq < command.seq());
    if !is_later {
        return Ok(());
    }
    if plan.ack(&envelope.message_id)?.is_some_and(|ack| identity::differs(&ack, envelope)) {
        return Ok(());
    }
    let known = LaterCommand { seq: command.seq(), command_id: command.command_id.clone() };
    latest.insert(command.task_id.clone(), known);
    Ok(())
}

/// Does what can be done now for a message that was taken.
pub(super) fn process(
    executor: &Executor<'_>,
    plan: &PlanFolder<'_>,
    taken: &str,
    latest: &LatestCommands,
    observe: &mut dyn FnMut(EventKind),
) -> Result<Outcome, ExecutionError> {
    let mut refuse = |refused: Rejection, envelope: Option<&Envelope>| {
        executor.refuse(plan, &plan.pending, taken, envelope, &refused)?;
        observe(EventKind::PutAside { name: taken.to_owned(), code: refused.code, detail: refused.detail });
        Ok(Outcome::SETTLED)
    };
    let envelope = match look(plan, &plan.pending, taken)? {
        Inspection::Message(envelope) => envelope,
        Inspection::Refused(refused, envelope) => return refuse(refused, envelope.as_deref()),
        Inspection::Gone => return Ok(Outcome::SWEPT),
    };
    let ack = plan.ack(&envelope.message_id)?;
    if let Some(refused) = ack.as_ref().and_then(|ack| reused(ack, &envelope)) {
        return refuse(refused, Some(&envelope));
    }
    if envelope.kind == MessageType::Artifact {
        return file(executor, plan, taken, *envelope, observe);
    }
    let message_id = envelope.message_id.clone();
    // It was read as one that has a command.
    let Some(work) = Work::new(*envelope, taken.to_owned()) else { return Ok(Outcome::SWEPT) };
    if let Some(ack) = &ack
        && is_settled_before(executor, plan, taken, &work, ack)?
    {
        plan.put_away(taken)?;
        observe(EventKind::Duplicate { message_id });
        return Ok(Outcome::SWEPT);
    }
    let about = CommandRef::from_work(&work);
    if let Some(by) = overtaker(plan, &work, latest)? {
        let failed = executor.supersede(plan, &work, &by)?;
        observe(EventKind::Superseded { about, failed });
        return Ok(Outcome::SETTLED);
    }
    if ack.is_none() {
        observe(EventKind::Taken(about.clone()));
    }
    advance(executor, &work, about, observe)
}

/// Files an artifact.
fn file(
    executor: &Executor<'_>,
    plan: &PlanFolder<'_>,
    taken: &str,
    envelope: Envelope,
    observe: &mut dyn FnMut(EventKind),
) -> Result<Outcome, ExecutionError> {
    match executor.file_artifact(plan, taken, &envelope)? {
        Filing::Filed => {
            observe(EventKind::Filed {
                paths: envelope.files().iter().map(|file| file.path.as_str().to_owned()).collect(),
                message_id: envelope.message_id,
                task_id: envelope.task_id,
                output_name: envelope.output_name,
            });
            Ok(Outcome::Settled { was_swept: false, has_filed: true })
        }
        Filing::Known => {
            observe(EventKind::Duplicate { message_id: envelope.message_id });
            Ok(Outcome::SWEPT)
        }
        Filing::Unsettled(left) => {
            Ok(Outcome::Waits { due: Some(due(&executor.clock.now(), left.saturating_add(ROUNDED_UP))) })
        }
        Filing::Refused(refused) => {
            observe(EventKind::PutAside {
                name: taken.to_owned(),
                code: refused.code,
                detail: refused.detail,
            });
            Ok(Outcome::SETTLED)
        }
    }
}

/// Whether an acknowledged message needs nothing more: its command has ended, or the message was taken twice.
fn is_settled_before(
    executor: &Executor<'_>,
    plan: &PlanFolder<'_>,
    taken: &str,
    work: &Work,
    ack: &Ack,
) -> Result<bool, ExecutionError> {
    let is_over = ack.status.is_terminal();
    if is_over {
        executor.settle_state(plan, work, ack)?;
    }
    Ok(is_over || is_second(plan, &work.envelope, taken)?)
}

/// Executes a command as far as possible now.
fn advance(
    executor: &Executor<'_>,
    work: &Work,
    about: CommandRef,
    observe: &mut dyn FnMut(EventKind),
) -> Result<Outcome, ExecutionError> {
    match executor.advance(work)? {
        Progress::Ended(ended) => {
            observe(EventKind::Ended { about, ended });
            Ok(Outcome::SETTLED)
        }
        Progress::Interrupted => {
            observe(EventKind::Parked(about));
            Ok(Outcome::Interrupted)
        }
        Progress::Blocked(blocked) => {
            let now = executor.clock.now();
            let due = blocked.until.map(|until| due(&now, until));
            let missing = blocked.missing.iter().map(|input| input.name.to_string());
            let ambiguous = blocked.ambiguous.iter().map(|input| input.name.to_string());
            observe(EventKind::Waits {
                about,
                names: missing.chain(ambiguous).collect(),
                asked: blocked.human,
                until: blocked.until,
            });
            Ok(Outcome::Waits { due })
        }
    }
}

/// Whether the same message was taken under another name as well, which comes first.
fn is_second(plan: &PlanFolder<'_>, envelope: &Envelope, taken: &str) -> Result<bool, FileError> {
    let Some((first, bytes)) = plan.taken_as(&envelope.message_id)? else { return Ok(false) };
    let first = (first != taken).then(|| Envelope::parse_for(&bytes, Mode::Direct).ok()).flatten();
    Ok(first.is_some_and(|first| identity::content(&first) == identity::content(envelope)))
}

/// When it is so much later.
pub(super) fn due(now: &Timestamp, until: Duration) -> i64 {
    now.unix_seconds().saturating_add(i64::try_from(until.as_secs()).unwrap_or(i64::MAX))
}

/// The later command of the same task that is pending or done (contract/plans §6.3).
fn overtaker(
    plan: &PlanFolder<'_>,
    work: &Work,
    latest: &LatestCommands,
) -> Result<Option<LaterCommand>, ExecutionError> {
    let command = work.command();
    let seq = command.seq();
    if let Some(known) = latest.get(&command.task_id).filter(|known| known.seq > seq) {
        return Ok(Some(known.clone()));
    }
    let StoredDocument::Found(state) = plan.task_state(&command.task_id)? else { return Ok(None) };
    Ok(match (state.command_seq, state.command_id, state.message_id) {
        (Some(later), Some(command_id), Some(message_id))
            if later > seq && message_id != *work.message_id() =>
        {
            Some(LaterCommand { seq: later, command_id })
        }
        _ => None,
    })
}
