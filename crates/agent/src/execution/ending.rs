//! The end of a command: its result or failure, what is published, and its records.

use super::attempt::AttemptResult;
use super::{CommandEnd, CommandFailure, ExecutionError, Executor, LaterCommand, Progress, Work, content_of};
use crate::folder::{
    InputTrace, KeyRecord, LogName, OutputTrace, PlanFolder, StoredDocument, Trace, TraceStatus,
};
use crate::{outputs, template};
use protocol::agent::{
    Ack, AckStatus, Code, Envelope, Extra, Format, Id, Mode, ResultDocument, SchemaVersion, State, UsedInput,
};
use serde_json::{Value, json};

impl Executor<'_> {
    /// How a message has ended, if it has.
    pub(super) fn ended(
        &self,
        plan: &PlanFolder<'_>,
        message: &Id,
    ) -> Result<Option<CommandEnd>, ExecutionError> {
        let Some(ack) = plan.ack(message)?.filter(|ack| ack.status.is_terminal()) else { return Ok(None) };
        if let Some((taken, bytes)) = plan.taken_as(message)? {
            // The process that acknowledged it ended before the remaining steps.
            let envelope = Envelope::parse_for(&bytes, Mode::Direct).ok();
            if let Some(work) = envelope.and_then(|envelope| Work::new(envelope, taken.clone())) {
                self.settle_state(plan, &work, &ack)?;
            }
            plan.put_away(&taken)?;
        }
        let trace = plan.trace(message)?.outputs()?;
        Ok(Some(trace.map_or_else(|| CommandEnd::of_ack(&ack), |trace| CommandEnd::from_trace(&trace, true))))
    }

    /// Makes the state of a task agree with the acknowledgement of its command, unless the state is of a later command.
    pub(crate) fn settle_state(
        &self,
        plan: &PlanFolder<'_>,
        work: &Work,
        ack: &Ack,
    ) -> Result<(), ExecutionError> {
        if let StoredDocument::Found(state) = plan.task_state(&work.command.task_id)? {
            let is_ours = state.message_id.as_ref() == Some(work.message_id());
            let is_settled = if is_ours {
                state.state.is_terminal()
            } else {
                state.command_seq.is_some_and(|seq| seq >= work.command.seq())
            };
            if is_settled {
                return Ok(());
            }
        }
        let state = if ack.status == AckStatus::Succeeded { State::Completed } else { State::Failed };
        self.write_state(plan, work, state, None, ack.result.clone())
    }

    /// Refuses a command that a later one of its task has overtaken (contract/plans §6.3). The state of the task is the later
    /// one's.
    pub(crate) fn supersede(
        &self,
        plan: &PlanFolder<'_>,
        work: &Work,
        by: &LaterCommand,
    ) -> Result<CommandFailure, ExecutionError> {
        let detail = format!("superseded by {} (command_seq {})", by.command_id, by.seq);
        let template = work.command.on_failure.as_ref().and_then(|it| it.message_template.as_deref());
        let message =
            template.map_or_else(|| detail.clone(), |it| template::render(it, &[("error", &detail)]));
        let result = json!({ "ok": false, "details": {
            "message": message, "error": detail, "reason": "SUPERSEDED",
            "superseded_by": { "command_id": by.command_id, "command_seq": by.seq },
        }});
        let mut ack = self.ack(work, AckStatus::Failed);
        if let Some(before) = plan.ack(work.message_id())? {
            ack.consumed_at = before.consumed_at;
        }
        ack.finished_at = Some(self.clock.now());
        ack.result = result.as_object().cloned();
        plan.write_ack(&ack)?;
        self.log(plan, LogName::Activity, "command_superseded", work, json!({ "by": by.command_id }));
        plan.put_away(&work.taken)?;
        Ok(CommandFailure { code: None, detail })
    }

    /// Looks under the key of the command: what has ended there is its end, if it is the same command.
    pub(super) fn under_its_key(
        &self,
        plan: &PlanFolder<'_>,
        trace: &Trace<'_>,
        work: &Work,
    ) -> Result<Option<Progress>, ExecutionError> {
        let Some(key) = &work.command.idempotency_key else { return Ok(None) };
        let Some(record) = plan.key_record(key)?.filter(|record| record.message_id != *work.message_id())
        else {
            return Ok(None);
        };
        if record.command_sha256 != content_of(&work.command)? {
            let detail = format!("the key {key} belongs to the command of the message {}", record.message_id);
            return self.fail(plan, trace, work, Code::IdempotencyKeyReused, detail).map(Some);
        }
        // Whose trace is gone is executed again.
        let Some(mut outputs) = plan.trace(&record.message_id)?.outputs()? else { return Ok(None) };
        // It has published what there is to publish.
        outputs.artifacts.clear();
        outputs.answer = None;
        trace.write_outputs(&outputs)?;
        self.log(
            plan,
            LogName::DecisionLog,
            "answered_from_record",
            work,
            json!({
                "idempotency_key": key, "of_message_id": record.message_id,
            }),
        );
        self.settle(plan, work, &outputs)?;
        Ok(Some(Progress::Ended(Box::new(CommandEnd::from_trace(&outputs, true)))))
    }

    pub(super) fn succeed(
        &self,
        plan: &PlanFolder<'_>,
        trace: &Trace<'_>,
        work: &Work,
        inputs: &InputTrace,
        made: AttemptResult,
    ) -> Result<Progress, ExecutionError> {
        let AttemptResult { answer, number, outputs } = made;
        let (command, mut warnings) = (&work.command, Vec::new());
        if command.score_required && answer.score_explanation.is_none() {
            warnings.push("score_explanation is missing".to_owned());
        }
        let result = answer.result_text();
        let template = command.on_complete.as_ref().and_then(|it| it.message_template.as_deref());
        let message = match template {
            Some(template) => {
                if answer.score.is_none() && template::mentions(template, "score") {
                    warnings.push("the template has {score}, and there is none".to_owned());
                }
                let score = answer.score.as_ref().map(ToString::to_string).unwrap_or_default();
                template::render(template, &[("result", &result), ("score", &score)])
            }
            None => result,
        };
        let finished_at = self.clock.now();
        let used = inputs.inputs.iter().map(|input| UsedInput {
            path: input.path.clone(),
            sha256: input.sha256,
            message_id: input.message_id.clone(),
            extra: [("size_bytes".to_owned(), input.size_bytes.into())].into_iter().collect(),
        });
        let document = ResultDocument {
            schema_version: SchemaVersion::CURRENT,
            plan_id: command.plan_id.clone(),
            task_id: command.task_id.clone(),
            command_id: command.command_id.clone(),
            command_seq: command.seq(),
            agent_id: self.folder.id().clone(),
            result: answer.result.clone(),
            score: answer.score.clone(),
            score_explanation: answer.score_explanation.clone(),
            message: message.clone(),
            inputs: used.collect(),
            started_at: inputs.started_at.clone(),
            finished_at: finished_at.clone(),
            extra: Extra::new(),
        };
        self.log(plan, LogName::DecisionLog, "outputs_chosen", work, json!({
            "score": answer.score, "outputs": outputs.iter().map(|output| &output.output_name).collect::<Vec<_>>(),
        }));
        let made = outputs::contents(command, outputs, &answer, &document)?;
        if let Some(detail) = self.collision(plan, work, &made)? {
            return self.fail(plan, trace, work, Code::OutputCollision, detail);
        }
        let artifacts = made.iter().map(|output| self.published(&finished_at, output)).collect();
        let outputs = OutputTrace {
            status: TraceStatus::Succeeded,
            message,
            code: None,
            error: None,
            document: Some(document),
            answer: Some(number),
            artifacts,
            warnings,
            finished_at,
        };
        trace.write_outputs(&outputs)?;
        self.conclude(plan, trace, work, outputs)
    }

    pub(super) fn fail(
        &self,
        plan: &PlanFolder<'_>,
        trace: &Trace<'_>,
        work: &Work,
        code: Code,
        detail: String,
    ) -> Result<Progress, ExecutionError> {
        let error = format!("{code}: {detail}");
        let template = work.command.on_failure.as_ref().and_then(|it| it.message_template.as_deref());
        let message = template.map_or_else(|| error.clone(), |it| template::render(it, &[("error", &error)]));
        let outputs = OutputTrace {
            status: TraceStatus::Failed,
            message,
            code: Some(code),
            error: Some(detail.clone()),
            document: None,
            answer: None,
            artifacts: Vec::new(),
            warnings: Vec::new(),
            finished_at: self.clock.now(),
        };
        trace.write_outputs(&outputs)?;
        self.log(
            plan,
            LogName::ErrorChains,
            "command_failed",
            work,
            json!({ "code": code, "error": detail }),
        );
        self.conclude(plan, trace, work, outputs)
    }

    /// Publishes what was decided, and says that the command has ended.
    pub(super) fn conclude(
        &self,
        plan: &PlanFolder<'_>,
        trace: &Trace<'_>,
        work: &Work,
        outputs: OutputTrace,
    ) -> Result<Progress, ExecutionError> {
        self.publish(plan, trace, work, &outputs)?;
        self.settle(plan, work, &outputs)?;
        Ok(Progress::Ended(Box::new(CommandEnd::from_trace(&outputs, false))))
    }

    fn settle(
        &self,
        plan: &PlanFolder<'_>,
        work: &Work,
        outputs: &OutputTrace,
    ) -> Result<(), ExecutionError> {
        // A command without an answer was not executed: it may be retried under its key.
        let was_executed =
            !matches!(outputs.code, Some(Code::LlmFailed | Code::Timeout | Code::IdempotencyKeyReused));
        if let Some(key) = work.command.idempotency_key.as_ref().filter(|_| was_executed)
            && plan.key_record(key)?.is_none()
        {
            plan.write_key_record(&KeyRecord {
                schema_version: SchemaVersion::CURRENT.to_string(),
                idempotency_key: key.clone(),
                command_sha256: content_of(&work.command)?,
                message_id: work.message_id().clone(),
            })?;
        }
        let succeeded = outputs.status == TraceStatus::Succeeded;
        let trace = plan.trace(work.message_id())?;
        let inputs = trace.inputs()?;
        let mut details = Extra::new();
        details.insert("message".to_owned(), outputs.message.clone().into());
        let mut add = |key: &str, value: Value| drop(details.insert(key.to_owned(), value));
        if let Some(document) = &outputs.document {
            if let Some(score) = &document.score {
                add("score", serde_json::to_value(score)?);
            }
            add("inputs", serde_json::to_value(&document.inputs)?);
        }
        if let Some(code) = outputs.code {
            add("code", code.name().into());
            add("error", outputs.error.clone().unwrap_or_default().into());
        }
        if let Some(missing) = inputs.map(|inputs| inputs.missing).filter(|missing| !missing.is_empty()) {
            add("missing_inputs", missing.into());
        }
        let published = outputs.artifacts.iter();
        let published: Vec<Value> = published
            .map(|artifact| json!({ "output_name": artifact.output_name, "message_id": artifact.message_id }))
            .collect();
        add("outputs", published.into());
        if !outputs.warnings.is_empty() {
            add("warnings", outputs.warnings.clone().into());
        }
        let result: Extra =
            [("ok".to_owned(), succeeded.into()), ("details".to_owned(), Value::Object(details))]
                .into_iter()
                .collect();
        let status = if succeeded { AckStatus::Succeeded } else { AckStatus::Failed };
        let before = plan.ack(work.message_id())?;
        let mut ack = self.ack(work, status);
        if let Some(before) = before {
            ack.consumed_at = before.consumed_at;
        }
        ack.finished_at = Some(outputs.finished_at.clone());
        ack.result = Some(result.clone());
        let state = if succeeded { State::Completed } else { State::Failed };
        plan.write_ack(&ack)?;
        self.write_state(plan, work, state, None, Some(result))?;
        let event = if succeeded { "command_succeeded" } else { "command_failed" };
        self.log(plan, LogName::Activity, event, work, json!({ "code": outputs.code }));
        plan.put_away(&work.taken)?;
        Ok(())
    }
}
