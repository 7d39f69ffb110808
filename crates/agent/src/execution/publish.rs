//! What a command has made is published (contract/plans §8.6): payload first, envelope last.

use super::{ExecutionError, Executor, Work};
use crate::answer::Answer;
use crate::clock::stamped;
use crate::dag::IMPROVES;
use crate::folder::{
    ENVELOPE_LIMIT, OutputTrace, PlanFolder, PublishedFile, PublishedMessage, Trace, TraceStatus,
    artifact_name,
};
use crate::inputs::LoadedInput;
use crate::outputs::{self, Output};
use crate::{hash, inputs};
use files::{Dir, FileError, FileType, durable};
use protocol::agent::{
    Envelope, Extra, FileRef, Format, MessageType, Mode, NonEmpty, Payload, ResultDocument, SchemaVersion,
    Timestamp,
};
use serde_json::Value;

const PARENT_MESSAGE: &str = "parent_message_id";
const PARENT_COMMAND: &str = "parent_command_id";

impl Executor<'_> {
    /// What is written down of an output before it is published.
    pub(super) fn published(&self, now: &Timestamp, output: &Output) -> PublishedMessage {
        let files = output.files.iter().map(|content| PublishedFile {
            path: content.file.path.clone(),
            sha256: hash::sha256(&content.bytes),
            content_type: content.file.content_type.clone(),
            size_bytes: u64::try_from(content.bytes.len()).unwrap_or(u64::MAX),
        });
        PublishedMessage {
            output_name: output.name.clone(),
            message_id: stamped("msg", now, self.clock.random()),
            files: files.collect(),
        }
    }

    /// Describes the first path in `made` that is already taken by something else, if any.
    pub(super) fn collision(
        &self,
        plan: &PlanFolder<'_>,
        work: &Work,
        made: &[Output],
    ) -> Result<Option<String>, ExecutionError> {
        for content in made.iter().flat_map(|output| &output.files) {
            let path = &content.file.path;
            let way: Vec<&str> = path.components().collect();
            let there = match there(&plan.outbox, &way) {
                Ok(there) => there,
                Err(
                    FileError::Symlink { .. } | FileError::NotAFolder { .. } | FileError::NotAFile { .. },
                ) => {
                    return Ok(Some(format!("something else has the name {path}")));
                }
                Err(error) => return Err(error.into()),
            };
            let Some((folder, name)) = there else { continue };
            let sha256 = hash::sha256(&content.bytes);
            if inputs::same_file(&folder, name, &sha256)? == Some(true) {
                continue;
            }
            let owner = artifacts(plan, "")?.into_iter().find(|(_, envelope)| {
                let is_another = envelope.task_id.as_ref() != Some(&work.command.task_id);
                is_another && envelope.files().iter().any(|file| file.path == *path)
            });
            if let Some((_, owner)) = owner {
                let task = owner.task_id.as_deref().unwrap_or_default().to_owned();
                return Ok(Some(format!("{path} was written by the task {task}")));
            }
        }
        Ok(None)
    }

    /// Publishes what was decided and is not published yet.
    pub(super) fn publish(
        &self,
        plan: &PlanFolder<'_>,
        trace: &Trace<'_>,
        work: &Work,
        decided: &OutputTrace,
    ) -> Result<(), ExecutionError> {
        let (Some(document), Some(number)) = (&decided.document, decided.answer) else { return Ok(()) };
        // The answer says again what is in the files: it is stored, and nothing here depends on chance.
        let text = self.stored_text(trace, number)?;
        let Ok(answer) = Answer::parse(&text, work.command.score_required) else { return Ok(()) };
        let chosen = outputs::chosen(&work.command, answer.score.as_ref());
        let made = outputs::contents(&work.command, chosen, &answer, document)?;
        for (output, artifact) in made.iter().zip(&decided.artifacts) {
            let name = artifact_name(&work.command.task_id, &artifact.output_name, &artifact.message_id);
            if is_sent(plan, &name)? {
                continue;
            }
            for content in &output.files {
                let mut way: Vec<&str> = content.file.path.components().collect();
                let Some(name) = way.pop() else { continue };
                let folder = plan.outbox.ensure_folders(way)?;
                durable::replace(plan.lock(), &folder, name, &content.bytes)?;
            }
            let envelope = self.envelope(work, artifact, &decided.finished_at);
            if let Some(envelope) = envelope {
                let mut bytes = serde_json::to_vec_pretty(&envelope)?;
                bytes.push(b'\n');
                durable::replace(plan.lock(), &plan.outbox, &name, &bytes)?;
            }
        }
        Ok(())
    }

    fn envelope(&self, work: &Work, artifact: &PublishedMessage, created_at: &Timestamp) -> Option<Envelope> {
        let command = &work.command;
        let files = artifact.files.iter().map(|file| FileRef {
            path: file.path.clone(),
            sha256: file.sha256,
            content_type: file.content_type.clone(),
            size_bytes: Some(file.size_bytes),
            extra: Extra::new(),
        });
        let mut correlation = Extra::new();
        if let Some(Value::String(trace)) =
            work.envelope.correlation.as_ref().and_then(|it| it.get("trace_id"))
        {
            correlation.insert("trace_id".to_owned(), trace.clone().into());
        }
        correlation.insert(PARENT_MESSAGE.to_owned(), work.message_id().to_string().into());
        correlation.insert(PARENT_COMMAND.to_owned(), command.command_id.to_string().into());
        Some(Envelope {
            schema_version: SchemaVersion::CURRENT,
            message_id: artifact.message_id.clone(),
            plan_id: command.plan_id.clone(),
            task_id: Some(command.task_id.clone()),
            output_name: Some(artifact.output_name.clone()),
            command_id: Some(command.command_id.clone()),
            producer_agent_id: self.folder.id().clone(),
            kind: MessageType::Artifact,
            subtype: Some(artifact.output_name.to_string()),
            created_at: created_at.clone(),
            idempotency_key: Some(format!(
                "{}:{}:{}",
                command.plan_id, command.task_id, artifact.output_name
            )),
            payload: Payload { command: None, files: NonEmpty::new(files.collect()), extra: Extra::new() },
            routing: None,
            correlation: Some(correlation),
            extra: Extra::new(),
        })
    }

    /// The former result of the task, if its command asks to improve it: the files of the latest command of the task that has
    /// made any.
    pub(super) fn former_result(
        &self,
        plan: &PlanFolder<'_>,
        work: &Work,
        others: &[LoadedInput],
    ) -> Result<Vec<LoadedInput>, ExecutionError> {
        if work.command.extra.get(IMPROVES) != Some(&Value::Bool(true)) {
            return Ok(Vec::new());
        }
        let is_its = |envelope: &Envelope| {
            let is_other = envelope.command_id.as_ref() != Some(&work.command.command_id);
            envelope.task_id.as_ref() == Some(&work.command.task_id) && is_other
        };
        let mut made = artifacts(plan, &format!("artifact_{}_", work.command.task_id))?;
        made.retain(|(_, envelope)| is_its(envelope));
        let order = |envelope: &Envelope| (envelope.created_at.clone(), envelope.message_id.clone());
        made.sort_by_key(|(_, envelope)| order(envelope));
        let Some(last) = made.last().map(|(_, envelope)| envelope.command_id.clone()) else {
            return Ok(Vec::new());
        };
        let mut former: Vec<LoadedInput> = Vec::new();
        for (_, envelope) in made.iter().filter(|(_, envelope)| envelope.command_id == last) {
            for file in envelope.files() {
                let way: Vec<&str> = file.path.components().collect();
                // What is not what was sent any more is no result.
                let Some((folder, name)) = there(&plan.outbox, &way)? else { continue };
                if inputs::same_file(&folder, name, &file.sha256)? != Some(true) {
                    continue;
                }
                let inlined = others.iter().chain(&former).filter_map(|one| one.text.as_ref().ok());
                let (used, limits) = (inlined.map(String::len).sum(), self.rules.inline);
                let message_id = &envelope.message_id;
                former.extend(inputs::former((&folder, name), &file.path, message_id, used, limits)?);
            }
        }
        Ok(former)
    }

    /// What the messages say that were published for this command, where nothing else does: every output is there, and its
    /// files are those that were sent.
    pub(super) fn published_before(
        &self,
        plan: &PlanFolder<'_>,
        work: &Work,
    ) -> Result<Option<OutputTrace>, ExecutionError> {
        let expected = outputs::predefined(&work.command);
        if expected.is_empty() || expected.iter().any(|output| output.when.is_some()) {
            return Ok(None);
        }
        let mut document: Option<ResultDocument> = None;
        let mut found = Vec::new();
        let beginning = format!("artifact_{}_", work.command.task_id);
        for (folder, envelope) in artifacts(plan, &beginning)? {
            let parent = envelope.correlation.as_ref().and_then(|it| it.get(PARENT_MESSAGE));
            if parent.and_then(Value::as_str) != Some(work.message_id().as_str()) {
                continue;
            }
            for file in envelope.files() {
                let way: Vec<&str> = file.path.components().collect();
                let Some((folder, name)) = there(&folder, &way)? else { return Ok(None) };
                if inputs::same_file(&folder, name, &file.sha256)? != Some(true) {
                    return Ok(None);
                }
                let bytes = folder.read(name, ENVELOPE_LIMIT).ok().flatten().unwrap_or_default();
                document = document.or_else(|| ResultDocument::parse(&bytes).ok());
            }
            found.extend(envelope.output_name);
        }
        if !expected.iter().all(|output| found.contains(&output.output_name)) {
            return Ok(None);
        }
        let message = document.as_ref().map(|document| document.message.clone()).unwrap_or_default();
        Ok(Some(OutputTrace {
            status: TraceStatus::Succeeded,
            message,
            code: None,
            error: None,
            document,
            answer: None,
            artifacts: Vec::new(),
            warnings: Vec::new(),
            finished_at: self.clock.now(),
        }))
    }
}

/// The messages with files that this agent has sent or is to send for a plan, each with the folder it lies in. What is none
/// is not looked at, nor whose name begins otherwise.
fn artifacts(plan: &PlanFolder<'_>, beginning: &str) -> Result<Vec<(Dir, Envelope)>, FileError> {
    let mut found = Vec::new();
    for folder in [Some(plan.outbox.again()?), plan.outbox.folder(".sent")?].into_iter().flatten() {
        for (name, kind) in folder.entries()? {
            let is_envelope = name.starts_with(beginning) && name.ends_with(".msg.json");
            if kind != FileType::RegularFile || !is_envelope {
                continue;
            }
            let Ok(Some(bytes)) = folder.read(&name, ENVELOPE_LIMIT) else { continue };
            let envelope = Envelope::parse_for(&bytes, Mode::Direct);
            if let Some(envelope) = envelope.ok().filter(|envelope| envelope.kind == MessageType::Artifact) {
                found.push((folder.again()?, envelope));
            }
        }
    }
    Ok(found)
}

/// Whether the router has put a message away.
fn is_sent(plan: &PlanFolder<'_>, name: &str) -> Result<bool, FileError> {
    match plan.outbox.folder(".sent")? {
        Some(sent) => Ok(sent.kind(name)?.is_some()),
        None => Ok(false),
    }
}

/// The folder of a file that is there, with its name.
fn there<'n>(root: &Dir, way: &[&'n str]) -> Result<Option<(Dir, &'n str)>, FileError> {
    let Some((name, way)) = way.split_last() else { return Ok(None) };
    let Some(folder) = root.folder_at(way.iter().copied())? else { return Ok(None) };
    match folder.kind(name)? {
        None => Ok(None),
        Some(FileType::RegularFile) => Ok(Some((folder, name))),
        Some(_) => Err(FileError::NotAFile { path: folder.path_of(name) }),
    }
}
