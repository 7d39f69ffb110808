//! A command waits for its inputs (contract/plans §6.4), and for a person when they do not come.

use super::direct::NotAskedReason;
use super::{Blocker, ExecutionError, Executor, HumanWait, Progress, Work};
use crate::clock::id;
use crate::folder::{LogName, PlanFolder, StoredDocument, Trace, alert, filled};
use crate::hash;
use crate::human::answer_name;
use crate::human::response::REASON;
use crate::inputs::{AmbiguousInput, InputFile, MissingInput, PERSON};
use files::json;
use protocol::agent::{
    Blocking, Code, Extra, Format, HumanDecision, HumanRequest, HumanResponse, Id, Needed, NeededFile,
    RequestBlocking, RequestedBy, SchemaVersion, Severity, State, TaskState, Timestamp,
};
use serde_json::Value;
use std::time::Duration;

/// Since when a person is waited for.
const ASKED_AT: &str = "asked_at";
const MISSING_INPUTS: &str = "MISSING_INPUTS";

impl Executor<'_> {
    /// Notes what a command waits for. When that has taken too long, or nothing that comes by itself would help, a person is
    /// asked, once.
    pub(super) fn block(
        &self,
        plan: &PlanFolder<'_>,
        trace: &Trace<'_>,
        work: &Work,
        missing: Vec<MissingInput>,
        ambiguous: Vec<AmbiguousInput>,
    ) -> Result<Progress, ExecutionError> {
        let now = self.clock.now();
        let (before, fallback) = self.before(plan, work)?;
        let blocking = before.as_ref().and_then(|state| state.blocking.clone());
        let started_at = blocking.as_ref().and_then(|blocking| blocking.started_at.clone());
        let started_at = started_at.or(fallback).unwrap_or_else(|| now.clone());
        let names = values(&missing, &ambiguous);
        if let Some(request_id) = blocking.as_ref().and_then(|blocking| blocking.request_id.clone())
            && before.as_ref().is_some_and(|state| state.state == State::BlockedWaitingHuman)
        {
            let asked_at = blocking.as_ref().and_then(|blocking| blocking.extra.get(ASKED_AT));
            let asked_at = asked_at.and_then(Value::as_str).and_then(|time| time.parse().ok());
            return self.wait_for_person(
                plan,
                trace,
                work,
                missing,
                ambiguous,
                (request_id, asked_at.unwrap_or(started_at)),
            );
        }
        let waited = u64::try_from(now.seconds_since(&started_at)).unwrap_or(0);
        let timeout = work.command.timeout.get();
        if waited >= timeout || !ambiguous.is_empty() {
            let request_id = self.ask_for_inputs(plan, work, &missing, &ambiguous, &started_at, &names)?;
            return self.wait_for_person(plan, trace, work, missing, ambiguous, (request_id, now));
        }
        let is_known = before.as_ref().is_some_and(|state| state.state == State::BlockedWaitingInput)
            && blocking.as_ref().and_then(|blocking| blocking.missing.as_ref()) == Some(&names);
        if !is_known {
            let blocking = Blocking {
                reason: Some(filled(MISSING_INPUTS.parse())),
                started_at: Some(started_at),
                missing: Some(names.clone()),
                request_id: None,
                extra: Extra::new(),
            };
            self.write_state(plan, work, State::BlockedWaitingInput, Some(blocking), None)?;
            self.log(
                plan,
                LogName::Activity,
                "command_blocked",
                work,
                serde_json::json!({ "missing": names }),
            );
        }
        let until = Some(Duration::from_secs(timeout - waited));
        Ok(Progress::Blocked(Blocker { missing, ambiguous, until, human: None }))
    }

    /// What is known of an earlier wait of the same message, and since when it waits where that cannot be read.
    fn before(
        &self,
        plan: &PlanFolder<'_>,
        work: &Work,
    ) -> Result<(Option<TaskState>, Option<Timestamp>), ExecutionError> {
        Ok(match plan.task_state(&work.command.task_id)? {
            StoredDocument::Found(state) => {
                let is_ours =
                    state.message_id.as_ref() == Some(work.message_id()) && state.state.is_blocked();
                (is_ours.then_some(*state), None)
            }
            StoredDocument::Nothing => (None, None),
            StoredDocument::Corrupt => {
                let code = Code::TaskStateCorruptFallback;
                let about = format!("{} {}", work.message_id(), self.clock.now());
                let source = (Some(&work.command.task_id), Some(&work.command.command_id));
                let words = "the state of the task cannot be read; it waits since the command was made";
                plan.alert(&alert(plan, self.clock, code, &about, source, words, Extra::new()))?;
                self.log(
                    plan,
                    LogName::ErrorChains,
                    "task_state_corrupt",
                    work,
                    serde_json::json!({ "code": code }),
                );
                (None, Some(work.envelope.created_at.clone()))
            }
        })
    }

    /// Marks the task, writes the log, alerts, and asks for the inputs. All ids derive from the message, so that repeating
    /// this after a kill does not ask twice.
    fn ask_for_inputs(
        &self,
        plan: &PlanFolder<'_>,
        work: &Work,
        missing: &[MissingInput],
        ambiguous: &[AmbiguousInput],
        started_at: &Timestamp,
        names: &[Value],
    ) -> Result<Id, ExecutionError> {
        let now = self.clock.now();
        let code = if ambiguous.is_empty() { Code::WaitForInputsTimeout } else { Code::InputAmbiguous };
        let request_id = self.request_id(work, started_at);
        self.log(
            plan,
            LogName::ErrorChains,
            "asks_person",
            work,
            serde_json::json!({
                "code": code, "missing": names, "request_id": request_id, "started_at": started_at,
            }),
        );
        let files = self.needed_files(missing, ambiguous);
        plan.ask_person(&self.human_request(plan, work, code, &request_id, files, now.clone()))?;
        self.alert_of_request(plan, work, code, &request_id, names)?;
        let blocking = Blocking {
            reason: Some(filled(code.name().parse())),
            started_at: Some(started_at.clone()),
            missing: Some(names.to_vec()),
            request_id: Some(request_id.clone()),
            extra: [(ASKED_AT.to_owned(), now.as_str().into())].into_iter().collect(),
        };
        self.write_state(plan, work, State::BlockedWaitingHuman, Some(blocking), None)?;
        self.log(
            plan,
            LogName::Activity,
            "waits_for_person",
            work,
            serde_json::json!({ "request_id": request_id }),
        );
        Ok(request_id)
    }

    /// Returns the id of the request for the inputs of a message that has waited since `started_at`.
    fn request_id(&self, work: &Work, started_at: &Timestamp) -> Id {
        let digest = hash::sha256(format!("{} {}", self.folder.id(), work.message_id()).as_bytes());
        let time: String = Timestamp::from_unix(started_at.unix_seconds())
            .as_str()
            .chars()
            .filter(|c| !matches!(c, '-' | ':'))
            .collect();
        id(&format!("human_req_{time}_{}", &digest.hex()[..8]))
    }

    /// Returns the files that a person is asked for.
    fn needed_files(&self, missing: &[MissingInput], ambiguous: &[AmbiguousInput]) -> Vec<NeededFile> {
        let mut files: Vec<NeededFile> = missing.iter().map(|input| input.needed(self.folder.id())).collect();
        files.extend(ambiguous.iter().map(|input| NeededFile {
            name: input.name.clone(),
            description: Some(format!(
                "Several tasks have produced it: {}",
                input.tasks.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
            )),
            sensitivity: Some("UNKNOWN".to_owned()),
            deliver_to_agent_id: Some(self.folder.id().clone()),
            extra: Extra::new(),
        }));
        files
    }

    /// Returns the request for these files.
    fn human_request(
        &self,
        plan: &PlanFolder<'_>,
        work: &Work,
        code: Code,
        request_id: &Id,
        files: Vec<NeededFile>,
        created_at: Timestamp,
    ) -> HumanRequest {
        let kind = match code {
            Code::InputAmbiguous => "CLARIFY",
            _ => "MISSING_FILE",
        };
        HumanRequest {
            schema_version: SchemaVersion::CURRENT,
            request_id: request_id.clone(),
            plan_id: plan.id().clone(),
            created_at,
            created_by: Some(RequestedBy {
                agent_id: Some(self.folder.id().clone()),
                task_id: Some(work.command.task_id.clone()),
                command_id: Some(work.command.command_id.clone()),
                extra: Extra::new(),
            }),
            severity: Severity::High,
            kind: filled(kind.parse()),
            title: None,
            blocking: Some(RequestBlocking {
                status: Some(State::BlockedWaitingHuman.to_string()),
                reason: Some(code.to_string()),
                extra: Extra::new(),
            }),
            needed: Needed { files: Some(files), decision: None, criteria: None, extra: Extra::new() },
            deadline: None,
            context_refs: None,
            extra: Extra::new(),
        }
    }

    /// Raises the alert that a person is asked.
    fn alert_of_request(
        &self,
        plan: &PlanFolder<'_>,
        work: &Work,
        code: Code,
        request_id: &Id,
        names: &[Value],
    ) -> Result<(), ExecutionError> {
        let details = [
            ("missing".to_owned(), names.to_vec().into()),
            ("request_id".to_owned(), request_id.as_str().into()),
        ];
        let source = (Some(&work.command.task_id), Some(&work.command.command_id));
        let words = match code {
            Code::InputAmbiguous => {
                "an input was produced by several tasks, and the user is asked to choose one"
            }
            _ => "inputs are missing, and the user is asked",
        };
        let about = work.message_id().as_str();
        plan.alert(&alert(plan, self.clock, code, about, source, words, details.into_iter().collect()))?;
        Ok(())
    }

    /// Why a person has refused what was asked for, if one has.
    fn rejection(&self, plan: &PlanFolder<'_>, request_id: &Id) -> Result<Option<String>, ExecutionError> {
        let response = answered(plan, request_id)?.filter(|it| it.decision == HumanDecision::Reject);
        Ok(response.map(|response| {
            let reason = response.extra.get(REASON).and_then(Value::as_str);
            reason.map_or_else(|| request_id.to_string(), str::to_owned)
        }))
    }

    /// The answer by which a person lets a command continue without its missing inputs, if there is one.
    pub(super) fn let_go(
        &self,
        plan: &PlanFolder<'_>,
        work: &Work,
    ) -> Result<Option<InputFile>, ExecutionError> {
        let StoredDocument::Found(state) = plan.task_state(&work.command.task_id)? else { return Ok(None) };
        let is_ours = state.message_id.as_ref() == Some(work.message_id());
        let request_id = state.blocking.as_ref().and_then(|blocking| blocking.request_id.as_ref());
        let Some(request_id) = request_id.filter(|_| is_ours) else { return Ok(None) };
        let response = answered(plan, request_id)?;
        let goes_on = response.is_some_and(|response| {
            matches!(response.decision, HumanDecision::Approve | HumanDecision::Clarify)
        });
        Ok(goes_on.then(|| InputFile::answer(request_id)).flatten())
    }

    /// A person may take as long as is configured.
    fn wait_for_person(
        &self,
        plan: &PlanFolder<'_>,
        trace: &Trace<'_>,
        work: &Work,
        missing: Vec<MissingInput>,
        ambiguous: Vec<AmbiguousInput>,
        (request_id, asked_at): (Id, Timestamp),
    ) -> Result<Progress, ExecutionError> {
        if let Some(reason) = self.rejection(plan, &request_id)? {
            return self.fail(plan, trace, work, Code::HumanRejected, reason);
        }
        let until = match self.rules.human_timeout {
            None => None,
            Some(limit) => {
                let waited = u64::try_from(self.clock.now().seconds_since(&asked_at)).unwrap_or(0);
                let left = limit.saturating_sub(Duration::from_secs(waited));
                if left.is_zero() {
                    let detail = format!("no answer to {request_id} after {} s", limit.as_secs());
                    return self.fail(plan, trace, work, Code::HumanTimeout, detail);
                }
                Some(left)
            }
        };
        let session = match self.ask_directly(plan, &request_id)? {
            Ok(session) => Some(session),
            Err(NotAskedReason::ByUs) => None,
            Err(NotAskedReason::Ever(why)) => {
                return self.fail(plan, trace, work, Code::HumanRequestSchemaInvalid, why);
            }
        };
        let human = Some(HumanWait { request_id, session });
        Ok(Progress::Blocked(Blocker { missing, ambiguous, until, human }))
    }
}

/// What a person has answered to a request, once it has arrived.
fn answered(plan: &PlanFolder<'_>, request_id: &Id) -> Result<Option<HumanResponse>, ExecutionError> {
    let Some(folder) = plan.inputs.folder_at([PERSON, request_id.as_str()])? else { return Ok(None) };
    let bytes = folder.read(&answer_name(request_id), json::MAX_JSON)?;
    Ok(bytes.and_then(|bytes| HumanResponse::parse(&bytes).ok()))
}

/// As the state of a task has it.
fn values(missing: &[MissingInput], ambiguous: &[AmbiguousInput]) -> Vec<Value> {
    let ambiguous =
        ambiguous.iter().map(|input| serde_json::json!({ "name": input.name, "ambiguous": input.tasks }));
    missing.iter().map(MissingInput::to_value).chain(ambiguous).collect()
}
