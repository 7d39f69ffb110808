//! Asks an LLM for an answer, or reads the one that is stored.

use super::{ExecutionError, Executor, Work};
use crate::answer::{Answer, Violation};
use crate::folder::{LogName, PlanFolder, RequestTrace, Trace};
use crate::{hash, outputs};
use llm::{Ledger, LlmError, RecordedAnswer, RecordedRequest, Request};
use protocol::agent::Code;
use serde_json::json;
use std::io;

/// Why an attempt has no answer.
pub(super) enum AttemptError {
    Interrupted,
    Failed(Code, String),
    Bad(Violation),
    Error(ExecutionError),
}

impl<E: Into<ExecutionError>> From<E> for AttemptError {
    fn from(error: E) -> Self {
        Self::Error(error.into())
    }
}

/// What was made of an answer.
pub(super) struct AttemptResult {
    pub(super) answer: Answer,
    /// Which answer it was.
    pub(super) number: u32,
    pub(super) outputs: Vec<protocol::agent::Produced>,
}

impl Executor<'_> {
    /// Asks, unless there is an answer already, and looks whether it has the form that was asked for.
    pub(super) fn ask(
        &self,
        plan: &PlanFolder<'_>,
        trace: &Trace<'_>,
        work: &Work,
        number: u32,
        prompt: &str,
    ) -> Result<AttemptResult, AttemptError> {
        let unstored = &self.folder.unstored;
        unstored.store(plan.id(), work.message_id(), number, |raw| trace.write_answer(number, raw))?;
        let stored = match (trace.request(number)?, trace.answer(number)?) {
            (Some(request), Some(raw)) => Some((request, raw)),
            _ => None,
        };
        let text = match stored {
            Some((request, raw)) => read_stored(&request, &raw)?,
            None => self.ask_provider(plan, trace, work, number, prompt)?,
        };
        let answer = Answer::parse(&text, work.command.score_required).map_err(AttemptError::Bad)?;
        let outputs = outputs::chosen(&work.command, answer.score.as_ref());
        outputs::check(&work.command, &outputs, &answer).map_err(AttemptError::Bad)?;
        Ok(AttemptResult { answer, number, outputs })
    }

    fn ask_provider(
        &self,
        plan: &PlanFolder<'_>,
        trace: &Trace<'_>,
        work: &Work,
        number: u32,
        prompt: &str,
    ) -> Result<String, AttemptError> {
        let folder = plan.task(&work.command.task_id)?;
        let request = Request {
            prompt: prompt.to_owned(),
            wants_json: true,
            idempotency_key: Some(format!("{}-{number}", work.message_id())),
            folder: Some(folder.path().to_owned()),
            images: Vec::new(),
        };
        let journal = Journal { executor: self, plan, trace, work, number };
        let prompt_sha256 = hash::sha256(prompt.as_bytes());
        let about = (plan.id(), &work.command.task_id);
        let current = self.provider.current();
        let provider = current.as_deref().unwrap_or(self.provider);
        let asked = self.call.ask(about, provider, (&request, &journal), self.cancellation);
        match asked {
            Ok(reply) => {
                work.spent.set(work.spent.get().and(&reply.answer));
                self.log(
                    plan,
                    LogName::LlmCalls,
                    "llm_call",
                    work,
                    json!({
                        "call": number,
                        "provider": provider.name(),
                        "model": reply.answer.model,
                        "prompt_sha256": prompt_sha256,
                        "prompt_bytes": prompt.len(),
                        "answer_bytes": reply.raw.len(),
                        "input_tokens": reply.answer.usage.map(|usage| usage.input_tokens),
                        "output_tokens": reply.answer.usage.map(|usage| usage.output_tokens),
                        "cost_usd": reply.answer.cost,
                        "response_time_ms": u64::try_from(reply.took.as_millis()).unwrap_or(u64::MAX),
                        "attempts": reply.attempts,
                    }),
                );
                Ok(reply.answer.text)
            }
            Err(error) => {
                if let LlmError::NotRecorded { raw: Some(raw), .. } = &error {
                    self.folder.unstored.keep(plan.id(), work.message_id(), number, raw);
                }
                self.log(
                    plan,
                    LogName::LlmCalls,
                    "llm_call_failed",
                    work,
                    json!({
                        "call": number,
                        "provider": provider.name(),
                        "prompt_sha256": prompt_sha256,
                        "prompt_bytes": prompt.len(),
                        "error": error.describe(),
                    }),
                );
                Err(stop(error))
            }
        }
    }

    /// What was answered, to be shown again.
    pub(super) fn stored_text(&self, trace: &Trace<'_>, number: u32) -> Result<String, ExecutionError> {
        let (Some(request), Some(raw)) = (trace.request(number)?, trace.answer(number)?) else {
            return Ok(String::new());
        };
        let read = request.format.parse().ok().and_then(|format| llm::read(format, &raw).ok());
        Ok(read.map_or_else(|| String::from_utf8_lossy(&raw).into_owned(), |answer| answer.text))
    }
}

/// Stores what is asked and answered.
struct Journal<'j> {
    executor: &'j Executor<'j>,
    plan: &'j PlanFolder<'j>,
    trace: &'j Trace<'j>,
    work: &'j Work,
    number: u32,
}

impl Ledger for Journal<'_> {
    fn request(&self, request: &RecordedRequest<'_>) -> io::Result<()> {
        let trace = RequestTrace {
            provider: request.provider.to_owned(),
            format: request.format.to_string(),
            target: request.target.to_owned(),
            model: request.model.map(str::to_owned),
            attempt: request.attempt,
            requested_at: self.executor.clock.now(),
            prompt_sha256: hash::sha256(request.prompt.as_bytes()),
            prompt: request.prompt.to_owned(),
        };
        self.trace.write_request(self.number, &trace).map_err(io::Error::other)
    }

    fn answer(&self, answer: &RecordedAnswer<'_>) -> io::Result<()> {
        self.trace.write_answer(self.number, answer.raw).map_err(io::Error::other)
    }

    fn failure(&self, attempt: u32, error: &LlmError) {
        let fields = json!({ "call": self.number, "attempt": attempt, "error": error.describe() });
        self.executor.log(self.plan, LogName::ErrorChains, "llm_attempt_failed", self.work, fields);
    }
}

fn read_stored(request: &RequestTrace, raw: &[u8]) -> Result<String, AttemptError> {
    let format = request.format.parse();
    let format = format
        .map_err(|_| AttemptError::Failed(Code::LlmFailed, format!("unknown format {}", request.format)))?;
    llm::read(format, raw).map(|answer| answer.text).map_err(|error| stop(error.into()))
}

fn stop(error: LlmError) -> AttemptError {
    match error {
        LlmError::Cancelled => AttemptError::Interrupted,
        LlmError::NotRecorded { source, .. } => AttemptError::Error(ExecutionError::NotRecorded(source)),
        LlmError::BadAnswer(bad) if bad.is_correctable() => {
            AttemptError::Bad(Violation::new(Code::LlmOutputInvalid, bad.to_string()))
        }
        LlmError::TooMuch { .. } => AttemptError::Failed(Code::LlmOutputInvalid, error.describe()),
        LlmError::TimedOut { .. } => AttemptError::Failed(Code::Timeout, error.describe()),
        error => AttemptError::Failed(Code::LlmFailed, error.describe()),
    }
}
