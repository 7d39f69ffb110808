//! Files that have arrived become inputs (contract/plans §6.5). All of a message's files are looked at before any is copied, and
//! only the inbox of this agent is touched.

use crate::clock::Clock;
use crate::execution::{ExecutionError, Executor};
use crate::folder::{ENVELOPE_LIMIT, Event, LogName, PlanFolder, alert};
use crate::hash;
use crate::identity;
use crate::settling::{self, SetAsideMessages};
use crate::transfer;
use files::{Dir, FileError, FileType, durable};
use model::SyntaxError;
use protocol::agent::{
    Ack, AckStatus, Code, Envelope, Extra, FileRef, Format, FormatError, Id, IndexedFile, InputEntry,
    InputIndex, MessageType, Mode, NonEmpty, SchemaVersion,
};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// Why a message is put aside.
#[derive(Debug)]
pub(crate) struct Rejection {
    pub(crate) code: Code,
    pub(crate) detail: String,
    pub(crate) details: Extra,
    /// It may not have arrived as a whole.
    pub(crate) is_half: bool,
}

/// What has become of an artifact.
#[derive(Debug)]
pub(crate) enum Filing {
    /// Its files are inputs.
    Filed,
    /// They were before.
    Known,
    /// It was put aside.
    Refused(Rejection),
    /// Its files are still being written, and are left for so long.
    Unsettled(Duration),
}

impl Rejection {
    pub(crate) fn new(code: Code, detail: impl Into<String>) -> Self {
        Self { code, detail: detail.into(), details: Extra::new(), is_half: false }
    }

    /// Rejects a message because this file cannot become an input.
    fn of_file(code: Code, file: &FileRef, detail: &str, more: &[(&str, Value)]) -> Self {
        let mut details: Extra = [("path".to_owned(), Value::from(file.path.as_str()))].into_iter().collect();
        details.extend(more.iter().map(|(key, value)| ((*key).to_owned(), value.clone())));
        let is_half = matches!(code, Code::MissingPayload | Code::PayloadShaMismatch);
        Self { code, detail: format!("{}: {detail}", file.path), details, is_half }
    }

    /// A message that cannot be read, or breaks rules.
    pub(crate) fn invalid(error: &FormatError) -> Self {
        let detail = match error {
            FormatError::Syntax(error) => format!("{error:?}"),
            FormatError::Invalid(problems) => {
                let told = problems.iter().take(20).map(|it| format!("{}: {:?}", it.path, it.rule));
                told.collect::<Vec<_>>().join("; ")
            }
        };
        let code = match error.code() {
            // The router has another name for it (contract/plans §14).
            Code::UnsupportedMessageType => Code::UnknownMessageType,
            code => code,
        };
        // What is the beginning of a message may become one.
        let is_half = match error {
            FormatError::Syntax(SyntaxError::Empty | SyntaxError::NotUtf8 { .. }) => true,
            FormatError::Syntax(SyntaxError::Json(words)) => words.starts_with("EOF"),
            FormatError::Syntax(SyntaxError::Utf16 | SyntaxError::Conflict) | FormatError::Invalid(_) => {
                false
            }
        };
        Self { is_half, ..Self::new(code, detail) }
    }
}

/// Where a file of a message goes.
struct Place<'f> {
    file: &'f FileRef,
    /// Where it lies now.
    source: (Dir, &'f str),
    /// Where it will lie, from the workspace of the plan.
    target: Vec<String>,
    /// It is there already.
    is_there: bool,
}

impl Executor<'_> {
    /// Files all artifacts that have arrived for a plan, and those that were taken before this process was. What is wrong is
    /// put aside with an alert, and stops nothing. What is no artifact stays where it is.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn file_arrived(&self, plan: &PlanFolder<'_>) -> Result<(), ExecutionError> {
        self.take_answers(plan)?;
        SetAsideMessages::default().take_back(plan)?;
        for name in plan.arrived()? {
            let Some((kind, _)) = look(&plan.inbox, &name)? else { continue };
            let Some(parsed) = kind else { continue };
            let message = match &parsed {
                Ok(envelope) => envelope.message_id.clone(),
                Err(error) => {
                    self.refuse_invalid(plan, &plan.inbox, &name, error)?;
                    continue;
                }
            };
            if let Some(taken) = plan.claim(&name, &message)? {
                self.file(plan, &taken)?;
            }
        }
        for taken in plan.taken()? {
            self.file(plan, &taken)?;
        }
        Ok(())
    }

    /// Files a message that was taken, if it is an artifact.
    fn file(&self, plan: &PlanFolder<'_>, taken: &str) -> Result<(), ExecutionError> {
        let Some((Some(parsed), _)) = look(&plan.pending, taken)? else { return Ok(()) };
        match parsed {
            Ok(envelope) => self.file_artifact(plan, taken, &envelope).map(drop),
            Err(error) => self.refuse_invalid(plan, &plan.pending, taken, &error),
        }
    }

    /// Files an artifact that was taken.
    pub(crate) fn file_artifact(
        &self,
        plan: &PlanFolder<'_>,
        taken: &str,
        envelope: &Envelope,
    ) -> Result<Filing, ExecutionError> {
        let ack = plan.ack(&envelope.message_id)?;
        if let Some(refused) = ack.as_ref().and_then(|ack| reused(ack, envelope)) {
            self.refuse(plan, &plan.pending, taken, Some(envelope), &refused)?;
            return Ok(Filing::Refused(refused));
        }
        let is_done = ack.is_some_and(|ack| ack.status.is_terminal());
        if !is_done {
            match self.check(plan, envelope)? {
                Ok(places) => self.store(plan, envelope, &places)?,
                Err(refused) => {
                    if refused.is_half
                        && let Some(left) = self.unsettled_message(plan, taken, envelope)?
                    {
                        return Ok(Filing::Unsettled(left));
                    }
                    self.refuse(plan, &plan.pending, taken, Some(envelope), &refused)?;
                    return Ok(Filing::Refused(refused));
                }
            }
        }
        self.finalize(plan, envelope)?;
        plan.put_away(taken)?;
        Ok(if is_done { Filing::Known } else { Filing::Filed })
    }

    /// How long to leave the file `name` because it was written to a moment ago; `None` if it is still, or gone.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub(crate) fn unsettled(&self, dir: &Dir, name: &str) -> Result<Option<Duration>, FileError> {
        settling::unsettled(dir, name, self.rules.settle)
    }

    /// How long to leave a message with an incomplete file; `None` if all of its files have been still.
    fn unsettled_message(
        &self,
        plan: &PlanFolder<'_>,
        taken: &str,
        envelope: &Envelope,
    ) -> Result<Option<Duration>, FileError> {
        let mut left = self.unsettled(&plan.pending, taken)?;
        for file in envelope.files() {
            let way: Vec<&str> = file.path.components().collect();
            if let Ok(Some((folder, name))) = folder_of(&plan.inbox, &way) {
                left = left.max(self.unsettled(&folder, name)?);
            }
        }
        Ok(left)
    }

    /// Looks at all files of a message before any is copied.
    fn check<'f>(
        &self,
        plan: &PlanFolder<'_>,
        envelope: &'f Envelope,
    ) -> Result<Result<Vec<Place<'f>>, Rejection>, ExecutionError> {
        let (Some(task), Some(output)) = (&envelope.task_id, &envelope.output_name) else {
            let detail = "no task or no output".to_owned();
            return Ok(Err(Rejection::new(Code::EnvelopeInvalid, detail)));
        };
        if envelope.plan_id != *plan.id() {
            let detail = format!("of the plan {}", envelope.plan_id);
            return Ok(Err(Rejection::new(Code::EnvelopeInvalid, detail)));
        }
        let keeps_versions =
            self.folder.config().is_none_or(protocol::agent::HeartbeatConfig::keeps_versions);
        let version = keeps_versions.then_some(&envelope.message_id);
        let mut places = Vec::new();
        for file in envelope.files() {
            let way: Vec<&str> = file.path.components().collect();
            let source = match check_source(plan, file, &way)? {
                Ok(source) => source,
                Err(refused) => return Ok(Err(refused)),
            };
            let (target, is_there) = match find_target(plan, file, &way, (task, output), version)? {
                Ok(found) => found,
                Err(refused) => return Ok(Err(refused)),
            };
            places.push(Place { file, source, target, is_there });
        }
        Ok(Ok(places))
    }

    /// Copies the files, and then says where they are.
    fn store(
        &self,
        plan: &PlanFolder<'_>,
        envelope: &Envelope,
        places: &[Place<'_>],
    ) -> Result<(), ExecutionError> {
        for place in places.iter().filter(|place| !place.is_there) {
            let Some((name, way)) = place.target.split_last() else { continue };
            let folder = Arc::new(plan.workspace.ensure_folders(way.iter().map(String::as_str))?);
            let from = (&place.source.0, place.source.1);
            transfer::copy(plan.lock(), from, (&folder, name), &place.file.sha256)?;
        }
        let now = self.clock.now();
        let files: Vec<IndexedFile> = places
            .iter()
            .filter_map(|place| {
                let stored_at = format!("workspace/{}/{}", plan.id(), place.target.join("/"));
                Some(IndexedFile {
                    path: place.file.path.clone().into(),
                    sha256: place.file.sha256,
                    stored_at: stored_at.parse().ok()?,
                    extra: Extra::new(),
                })
            })
            .collect();
        let mut index = match plan.index()? {
            Some(index) => index,
            None => InputIndex {
                schema_version: SchemaVersion::CURRENT,
                plan_id: plan.id().clone(),
                agent_id: self.folder.id().clone(),
                updated_at: now.clone(),
                entries: Vec::new(),
                extra: Extra::new(),
            },
        };
        let is_known = index.entries.iter().any(|entry| entry.message_id == envelope.message_id);
        if let (Some(task_id), Some(output_name), Some(files), false) =
            (&envelope.task_id, &envelope.output_name, NonEmpty::new(files), is_known)
        {
            index.entries.push(InputEntry {
                message_id: envelope.message_id.clone(),
                task_id: task_id.clone(),
                output_name: output_name.clone(),
                received_at: now.clone(),
                files,
                extra: Extra::new(),
            });
            index.updated_at = now.clone();
            plan.write_index(&index)?;
        }
        let filed: Vec<Value> = places
            .iter()
            .map(|place| json!({ "path": place.file.path, "sha256": place.file.sha256 }))
            .collect();
        let result = json!({ "ok": true, "details": { "ingested_files": filed } });
        plan.write_ack(&Ack {
            schema_version: SchemaVersion::CURRENT,
            plan_id: plan.id().clone(),
            message_id: envelope.message_id.clone(),
            task_id: envelope.task_id.clone(),
            command_id: envelope.command_id.clone(),
            command_seq: None,
            consumer_agent_id: self.folder.id().clone(),
            status: AckStatus::Succeeded,
            consumed_at: now.clone(),
            finished_at: Some(now),
            result: result.as_object().cloned(),
            extra: identity::member(envelope),
        })?;
        note(
            self.clock,
            plan,
            LogName::Activity,
            "artifact_filed",
            &envelope.message_id,
            json!({ "files": filed }),
        );
        Ok(())
    }

    /// Clears the inbox of what was filed.
    fn finalize(&self, plan: &PlanFolder<'_>, envelope: &Envelope) -> Result<(), ExecutionError> {
        for file in envelope.files() {
            let way: Vec<&str> = file.path.components().collect();
            let source = match folder_of(&plan.inbox, &way) {
                Ok(Some(source)) => source,
                // It was moved before, or never was one.
                Ok(None) | Err(FileError::Symlink { .. } | FileError::NotAFolder { .. }) => continue,
                Err(error) => return Err(error.into()),
            };
            if source.0.kind(source.1)? != Some(FileType::RegularFile) {
                continue;
            }
            // Another message may have brought a file of this name since.
            let found = hash::of_file(&source.0, source.1)?;
            if found.is_none_or(|(found, _)| found != file.sha256) {
                continue;
            }
            let folders = ["_payload", envelope.message_id.as_str()];
            let folders = folders.into_iter().chain(way[..way.len() - 1].iter().copied());
            let target = plan.processed.ensure_folders(folders)?;
            match hash::of_file(&target, source.1)? {
                None => drop(durable::move_file(plan.lock(), &source.0, source.1, &target, source.1)?),
                Some((there, _)) if there == file.sha256 => {
                    source.0.unlink(source.1)?;
                    source.0.sync()?;
                }
                Some((there, _)) => {
                    let folders = ["_payload_conflict", envelope.message_id.as_str()];
                    let folders = folders.into_iter().chain(way[..way.len() - 1].iter().copied());
                    let aside = plan.deadletter.ensure_folders(folders)?;
                    durable::move_file(plan.lock(), &source.0, source.1, &aside, source.1)?;
                    let details = json!({ "path": file.path, "expected": file.sha256, "actual": there });
                    let about = format!("{} {}", envelope.message_id, file.path);
                    let words = "a file of the payload already exists with different content";
                    let source = (envelope.task_id.as_ref(), None);
                    let details = details.as_object().cloned().unwrap_or_default();
                    let code = Code::PayloadFinalizeConflict;
                    plan.alert(&alert(plan, self.clock, code, &about, source, words, details))?;
                }
            }
        }
        Ok(())
    }

    fn refuse_invalid(
        &self,
        plan: &PlanFolder<'_>,
        folder: &Dir,
        name: &str,
        error: &FormatError,
    ) -> Result<(), ExecutionError> {
        let refused = Rejection::invalid(error);
        self.refuse(plan, folder, name, None, &refused)
    }

    /// Puts a message aside and alerts observers.
    pub(crate) fn refuse(
        &self,
        plan: &PlanFolder<'_>,
        folder: &Dir,
        name: &str,
        envelope: Option<&Envelope>,
        refused: &Rejection,
    ) -> Result<(), ExecutionError> {
        // What was put aside before stays.
        let aside = free_name(&plan.deadletter, name)?;
        let mut details = refused.details.clone();
        details.insert("file".to_owned(), aside.clone().into());
        details.insert("error".to_owned(), refused.detail.clone().into());
        if let Some(envelope) = envelope {
            details.insert("message_id".to_owned(), envelope.message_id.to_string().into());
        }
        let task = envelope.and_then(|envelope| envelope.task_id.as_ref());
        let about = format!("{aside} {}", refused.detail);
        let words = format!("{name} was moved aside: {}", refused.detail);
        // Alert first: a message that was put aside is not looked at again.
        plan.alert(&alert(plan, self.clock, refused.code, &about, (task, None), &words, details.clone()))?;
        let fields = json!({ "code": refused.code, "details": details });
        plan.log(self.clock, LogName::ErrorChains, &Event { event: "message_put_aside", fields });
        durable::move_file(plan.lock(), folder, name, &plan.deadletter, &aside)?;
        Ok(())
    }
}

/// Why a message whose id was acknowledged for something else is put aside.
pub(crate) fn reused(ack: &Ack, envelope: &Envelope) -> Option<Rejection> {
    identity::differs(ack, envelope).then(|| {
        let detail = format!("{} was reused for different content", envelope.message_id);
        Rejection::new(Code::MessageIdReusedWithDifferentPayload, detail)
    })
}

/// A name like `name` that nothing in `dir` has.
fn free_name(dir: &Dir, name: &str) -> Result<String, FileError> {
    let mut free = name.to_owned();
    let mut number = 1;
    while dir.kind(&free)?.is_some() {
        let stem = name.strip_suffix(".msg.json").unwrap_or(name);
        // A name must not become too long.
        free = format!("{}__dup_{number}.msg.json", &stem[..stem.floor_char_boundary(200)]);
        number += 1;
    }
    Ok(free)
}

/// An artifact, or why it is none although it says so; `None` for anything else.
type ParsedArtifact = Option<Result<Envelope, FormatError>>;

/// Reads an envelope; `None` when it is gone, or too large to be one.
fn look(dir: &Dir, name: &str) -> Result<Option<(ParsedArtifact, Vec<u8>)>, FileError> {
    let bytes = match dir.read(name, ENVELOPE_LIMIT) {
        Ok(Some(bytes)) => bytes,
        Ok(None) | Err(FileError::TooLarge { .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    let kind = serde_json::from_slice::<Value>(&bytes).ok();
    let is_artifact =
        kind.as_ref().and_then(|value| value.get("type")) == Some(&MessageType::Artifact.name().into());
    let looked = is_artifact.then(|| Envelope::parse_for(&bytes, Mode::Direct));
    Ok(Some((looked, bytes)))
}

/// Finds a file of a message in the inbox, and checks that its hash is the one in the message.
fn check_source<'n>(
    plan: &PlanFolder<'_>,
    file: &FileRef,
    way: &[&'n str],
) -> Result<Result<(Dir, &'n str), Rejection>, FileError> {
    let refused =
        |code, detail, more: &[(&str, Value)]| Ok(Err(Rejection::of_file(code, file, detail, more)));
    let source = match folder_of(&plan.inbox, way) {
        Ok(Some(source)) => source,
        Ok(None) => return refused(Code::MissingPayload, "not there", &[]),
        Err(FileError::Symlink { .. } | FileError::NotAFolder { .. }) => {
            return refused(Code::UnsafePath, "behind a symlink or no folder", &[]);
        }
        Err(error) => return Err(error),
    };
    match source.0.kind(source.1)? {
        Some(FileType::RegularFile) => {}
        None => return refused(Code::MissingPayload, "not there", &[]),
        // Neither is it opened, nor would that ever end.
        Some(_) => return refused(Code::UnsafePath, "no regular file", &[]),
    }
    let Some((found, _)) = hash::of_file(&source.0, source.1)? else {
        return refused(Code::MissingPayload, "not there", &[]);
    };
    if found != file.sha256 {
        let hashes = [("expected", json!(file.sha256)), ("actual", json!(found))];
        return refused(Code::PayloadShaMismatch, "not the file that was sent", &hashes);
    }
    Ok(Ok(source))
}

/// Returns the place of a file of a message in the workspace, and whether the file is there already. If another file has the
/// name, the place is below `version`, the id of the message, if versions are kept.
fn find_target(
    plan: &PlanFolder<'_>,
    file: &FileRef,
    way: &[&str],
    (task, output): (&Id, &Id),
    version: Option<&Id>,
) -> Result<Result<(Vec<String>, bool), Rejection>, FileError> {
    let below = |folders: [&str; 3]| -> Vec<String> {
        folders.iter().chain(way).map(|part| (*part).to_owned()).collect()
    };
    let target = below(["inputs", task.as_str(), output.as_str()]);
    let conflict =
        |detail, more: &[(&str, Value)]| Ok(Err(Rejection::of_file(Code::InputConflict, file, detail, more)));
    match (stored(plan, &target)?, version) {
        (StoredContent::Nothing, _) => Ok(Ok((target, false))),
        (StoredContent::File(there), _) if there == file.sha256 => Ok(Ok((target, true))),
        (StoredContent::File(_), Some(version)) => {
            let target = below(["inputs", ".versions", version.as_str()]);
            let is_there =
                matches!(stored(plan, &target)?, StoredContent::File(there) if there == file.sha256);
            Ok(Ok((target, is_there)))
        }
        (StoredContent::File(there), None) => {
            let hashes = [("expected", json!(file.sha256)), ("actual", json!(there))];
            conflict("exists with different content", &hashes)
        }
        (StoredContent::SomethingElse, _) => conflict("something else has its name", &[]),
    }
}

enum StoredContent {
    Nothing,
    File(protocol::agent::Sha256),
    SomethingElse,
}

fn stored(plan: &PlanFolder<'_>, place: &[String]) -> Result<StoredContent, FileError> {
    let way: Vec<&str> = place.iter().map(String::as_str).collect();
    let there = match folder_of(&plan.workspace, &way) {
        Ok(Some(there)) => there,
        Ok(None) => return Ok(StoredContent::Nothing),
        Err(FileError::Symlink { .. } | FileError::NotAFolder { .. }) => {
            return Ok(StoredContent::SomethingElse);
        }
        Err(error) => return Err(error),
    };
    Ok(match there.0.kind(there.1)? {
        None => StoredContent::Nothing,
        Some(FileType::RegularFile) => hash::of_file(&there.0, there.1)?
            .map_or(StoredContent::Nothing, |(sha256, _)| StoredContent::File(sha256)),
        Some(_) => StoredContent::SomethingElse,
    })
}

/// The folder that the last of `way` lies in, with its name.
fn folder_of<'n>(root: &Dir, way: &[&'n str]) -> Result<Option<(Dir, &'n str)>, FileError> {
    let Some((name, way)) = way.split_last() else { return Ok(None) };
    Ok(root.folder_at(way.iter().copied())?.map(|folder| (folder, *name)))
}

fn note(clock: &dyn Clock, plan: &PlanFolder<'_>, log: LogName, event: &str, message: &Id, fields: Value) {
    let mut all = json!({ "message_id": message });
    if let (Value::Object(all), Value::Object(fields)) = (&mut all, fields) {
        all.extend(fields);
    }
    plan.log(clock, log, &Event { event, fields: all });
}
