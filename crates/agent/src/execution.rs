//! Executes a command (contract/plans §8.1): resolves its inputs, asks an LLM, and turns the answer into files and messages.
//!
//! Whatever ends this process, the stored files say where to continue. The message lies in `.pending/` until it has ended. A
//! request is stored before it is sent and an answer before it is read, so that an answered request is never sent again.
//! Results are stored before any of them is published, so that they are published once, under the same ids, and completely.

mod block;
mod publish;

use crate::answer::{Answer, Violation};
use crate::clock::{Clock, stamped};
use crate::current_call::CurrentCall;
use crate::folder::{
    AgentFolder, Event, InputTrace, KeyRecord, LogName, OutputTrace, PlanFolder, RequestTrace,
    StoredDocument, Trace, TraceStatus, UsedFile, archive_name,
};
use crate::gateway::People;
use crate::inputs::{self, AmbiguousInput, InlineLimits, MissingInput};
use crate::{hash, identity, outputs, prompt, template};
use files::{FileError, durable};
use llm::{Cancellation, Ledger, LlmError, Provider, RecordedAnswer, RecordedRequest, Request};
use model::SessionId;
use model::agent::{
    Ack, AckStatus, Code, Command, Envelope, Extra, Format, Id, MessageType, Mode, Order, Payload,
    ProducedFile, ResultDocument, SchemaVersion, State, TaskState, UsedInput,
};
use serde_json::{Value, json};
use std::cell::Cell;
use std::io;
use std::time::Duration;
use store::StoreError;

/// What marks a message that was made from a command which came without one.
const DIRECT: &str = "direct";
const SOURCE: &str = "source";

/// How commands are executed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rules {
    /// How long a person may take; as long as it takes, if nothing is said.
    pub human_timeout: Option<Duration>,
    /// How much of the inputs a prompt has.
    pub inline: InlineLimits,
    /// How long what arrives and is not whole must have been still before it is given up; not at all, if nothing is said.
    pub settle: Duration,
}

/// Executes commands of one agent, one at a time.
#[derive(Clone, Copy)]
pub struct Executor<'e> {
    /// Whose commands.
    pub folder: &'e AgentFolder,
    /// The time, and chance.
    pub clock: &'e dyn Clock,
    /// Who is asked.
    pub provider: &'e dyn Provider,
    /// How.
    pub rules: Rules,
    /// Where people are asked; without it, requests are written for a router to pass on.
    pub people: Option<People<'e>>,
    /// Shows what the provider does while it is asked.
    pub call: &'e CurrentCall,
    /// Interrupts an execution, which continues later.
    pub cancellation: &'e Cancellation,
}

/// A command that was taken and has not ended.
#[derive(Debug)]
pub struct Work {
    pub(crate) envelope: Envelope,
    pub(crate) command: Command,
    /// Its name in `.pending/`.
    pub(crate) taken: String,
    /// What it has cost in this process.
    spent: Cell<Spending>,
}

/// What the answers for a command have cost, if providers report it. The costs of a killed process are not included.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Spending {
    /// How many answers were asked for and given.
    pub answers: u32,
    /// What was read, in tokens.
    pub input_tokens: u64,
    /// What was written, in tokens.
    pub output_tokens: u64,
    /// How many of the answers came without saying how many tokens they took.
    pub unmeasured: u32,
    /// In dollars; `None` where no provider has said it.
    pub cost_usd: Option<f64>,
}

/// What becomes of a command that is given directly.
#[derive(Debug)]
pub enum CommandAdmission {
    /// It must be executed.
    Work(Box<Work>),
    /// It has ended before.
    Ended(Box<CommandEnd>),
}

/// How far an execution has come.
#[derive(Debug)]
pub enum Progress {
    /// To its end.
    Ended(Box<CommandEnd>),
    /// It waits for inputs.
    Blocked(Blocker),
    /// It was cancelled, and continues later.
    Interrupted,
}

/// How a command has ended.
#[derive(Debug)]
pub struct CommandEnd {
    /// The message that was made from its template.
    pub message: String,
    /// Why it has failed, if it has.
    pub failure: Option<CommandFailure>,
    /// The result document, unless it has failed.
    pub document: Option<ResultDocument>,
    /// What was odd.
    pub warnings: Vec<String>,
    /// The command had ended before, so the LLM was not asked.
    pub from_record: bool,
    /// What it has cost.
    pub spent: Spending,
}

/// Why a command has failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandFailure {
    /// The code, where it is known.
    pub code: Option<Code>,
    /// What was found.
    pub detail: String,
}

/// What a command waits for.
#[derive(Debug)]
pub struct Blocker {
    /// What is not there.
    pub missing: Vec<MissingInput>,
    /// What is there more than once.
    pub ambiguous: Vec<AmbiguousInput>,
    /// After which time something happens even if nothing comes.
    pub until: Option<Duration>,
    /// The person who was asked.
    pub human: Option<HumanWait>,
}

/// That a person was asked.
#[derive(Debug)]
pub struct HumanWait {
    /// The request.
    pub request_id: Id,
    /// The questions that the person sees; `None` while only a router could open them.
    pub session: Option<SessionId>,
}

/// Why an execution neither continues nor ends. It can be tried again.
#[derive(Debug, thiserror::Error)]
pub enum ExecutionError {
    /// The disk refuses, or something else stands where a file or folder should.
    #[error(transparent)]
    File(#[from] FileError),
    /// What was asked or answered could not be recorded.
    #[error("cannot record: {0}")]
    NotRecorded(io::Error),
    /// The id of the message belongs to another one.
    #[error("used by another message: {message_id}")]
    MessageReused {
        /// The id.
        message_id: Id,
    },
    /// A command cannot be written as JSON.
    #[error("cannot be written: {0}")]
    Json(#[from] serde_json::Error),
    /// The questions to a person cannot be opened or read.
    #[error(transparent)]
    Questions(StoreError),
}

impl From<StoreError> for ExecutionError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::File(error) => Self::File(error),
            error => Self::Questions(error),
        }
    }
}

/// A later command of the same task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LaterCommand {
    pub(crate) seq: u64,
    pub(crate) command_id: Id,
}

/// Why an attempt has no answer.
enum AttemptError {
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
struct AttemptResult {
    answer: Answer,
    /// Which answer it was.
    number: u32,
    outputs: Vec<model::agent::Produced>,
}

impl Work {
    /// The command.
    pub fn command(&self) -> &Command {
        &self.command
    }

    /// The message that it came with.
    pub fn message_id(&self) -> &Id {
        &self.envelope.message_id
    }

    /// A message that was taken and is a command; `None` for any other.
    pub fn new(envelope: Envelope, taken: String) -> Option<Self> {
        let command = envelope.command()?.clone();
        Some(Self { envelope, command, taken, spent: Cell::default() })
    }
}

impl Spending {
    fn and(self, answer: &llm::Answer) -> Self {
        let usage = answer.usage.unwrap_or_default();
        Self {
            answers: self.answers.saturating_add(1),
            input_tokens: self.input_tokens.saturating_add(usage.input_tokens),
            output_tokens: self.output_tokens.saturating_add(usage.output_tokens),
            unmeasured: self.unmeasured.saturating_add(u32::from(answer.usage.is_none())),
            cost_usd: answer.cost.map(|cost| cost + self.cost_usd.unwrap_or_default()).or(self.cost_usd),
        }
    }
}

impl CommandEnd {
    fn from_trace(trace: &OutputTrace, from_record: bool) -> Self {
        let failure = (trace.status == TraceStatus::Failed)
            .then(|| CommandFailure { code: trace.code, detail: trace.error.clone().unwrap_or_default() });
        Self {
            message: trace.message.clone(),
            failure,
            document: trace.document.clone(),
            warnings: trace.warnings.clone(),
            from_record,
            spent: Spending::default(),
        }
    }

    /// Where nothing but the acknowledgement is left.
    fn of_ack(ack: &Ack) -> Self {
        let details = ack.result.as_ref().and_then(|result| result.get("details"));
        let text = |key| details.and_then(|details| details.get(key)).and_then(Value::as_str);
        let failure = (ack.status == AckStatus::Failed).then(|| CommandFailure {
            code: text("code").and_then(Code::named),
            detail: text("error").unwrap_or_default().to_owned(),
        });
        let message = text("message").unwrap_or_default().to_owned();
        let spent = Spending::default();
        Self { message, failure, document: None, warnings: Vec::new(), from_record: true, spent }
    }
}

impl Executor<'_> {
    /// Takes a command that is given directly. If it was taken before, it continues where it was left, or has ended.
    ///
    /// # Errors
    ///
    /// When its id belongs to another message, and whatever the disk says.
    pub fn accept(&self, order: Order, bytes: &[u8]) -> Result<CommandAdmission, ExecutionError> {
        let plan = match &order {
            Order::Envelope(envelope) => &envelope.plan_id,
            Order::Bare(command) => &command.plan_id,
        };
        self.folder.plan(plan)?.sweep()?;
        match order {
            Order::Envelope(envelope) => self.accept_envelope(*envelope, bytes),
            Order::Bare(command) => self.accept_bare(*command),
        }
    }

    fn accept_envelope(&self, envelope: Envelope, bytes: &[u8]) -> Result<CommandAdmission, ExecutionError> {
        let plan = self.folder.plan(&envelope.plan_id)?;
        let message = envelope.message_id.clone();
        let known = match plan.taken_as(&message)? {
            Some(known) => Some(known),
            None => plan.ended_as(&message)?,
        };
        if known.as_ref().is_some_and(|(_, known)| !says_the_same(known, bytes)) {
            return Err(ExecutionError::MessageReused { message_id: message });
        }
        if let Some(ended) = self.ended(&plan, &message)? {
            return Ok(CommandAdmission::Ended(Box::new(ended)));
        }
        let taken = archive_name(&message, &format!("{}.msg.json", command_name(&envelope)));
        let taken = match plan.taken_as(&message)? {
            Some((taken, _)) => taken,
            None => {
                durable::replace(plan.lock(), &plan.pending, &taken, bytes)?;
                taken
            }
        };
        // It was read as one that has a command.
        Work::new(envelope, taken)
            .map(|work| CommandAdmission::Work(Box::new(work)))
            .ok_or(ExecutionError::MessageReused { message_id: message })
    }

    /// A command without a message: work that was begun with the same command and has not ended is continued.
    fn accept_bare(&self, command: Command) -> Result<CommandAdmission, ExecutionError> {
        let plan = self.folder.plan(&command.plan_id)?;
        let content = content_of(&command)?;
        for taken in plan.taken()? {
            let bytes = plan.pending.read(&taken, crate::folder::ENVELOPE_LIMIT)?.unwrap_or_default();
            let Ok(envelope) = Envelope::parse_for(&bytes, Mode::Direct) else { continue };
            let is_direct =
                envelope.correlation.as_ref().is_some_and(|it| it.get(SOURCE) == Some(&DIRECT.into()));
            let same = match envelope.command() {
                Some(other) if is_direct => content_of(other)? == content,
                _ => false,
            };
            if !same {
                continue;
            }
            // One that has ended, and was only not put away, is another one.
            if self.ended(&plan, &envelope.message_id)?.is_some() {
                continue;
            }
            if let Some(work) = Work::new(envelope, taken) {
                return Ok(CommandAdmission::Work(Box::new(work)));
            }
        }
        let now = self.clock.now();
        let message_id = stamped("msg", &now, self.clock.random());
        let correlation = [(SOURCE.to_owned(), Value::from(DIRECT))].into_iter().collect();
        let envelope = Envelope {
            schema_version: SchemaVersion::CURRENT,
            message_id: message_id.clone(),
            plan_id: command.plan_id.clone(),
            task_id: Some(command.task_id.clone()),
            output_name: None,
            command_id: Some(command.command_id.clone()),
            producer_agent_id: self.folder.id().clone(),
            kind: MessageType::Command,
            subtype: None,
            created_at: now,
            idempotency_key: command.idempotency_key.clone(),
            payload: Payload { command: Some(Box::new(command.clone())), files: None, extra: Extra::new() },
            routing: None,
            correlation: Some(correlation),
            extra: Extra::new(),
        };
        let taken = archive_name(&message_id, &format!("{}.msg.json", command.command_id));
        let mut bytes = serde_json::to_vec_pretty(&envelope)?;
        bytes.push(b'\n');
        durable::replace(plan.lock(), &plan.pending, &taken, &bytes)?;
        Ok(CommandAdmission::Work(Box::new(Work { envelope, command, taken, spent: Cell::default() })))
    }

    /// How a message has ended, if it has.
    fn ended(&self, plan: &PlanFolder<'_>, message: &Id) -> Result<Option<CommandEnd>, ExecutionError> {
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

    /// Does what can be done for a command now (contract/plans §6.4, §8.1).
    ///
    /// # Errors
    ///
    /// What keeps it from going on for now. It has neither succeeded nor failed then.
    pub fn advance(&self, work: &Work) -> Result<Progress, ExecutionError> {
        let mut progress = self.go_on(work)?;
        if let Progress::Ended(ended) = &mut progress {
            ended.spent = work.spent.take();
        }
        Ok(progress)
    }

    fn go_on(&self, work: &Work) -> Result<Progress, ExecutionError> {
        let plan = self.folder.plan(&work.envelope.plan_id)?;
        if let Some(ended) = self.ended(&plan, work.message_id())? {
            return Ok(Progress::Ended(Box::new(ended)));
        }
        let was_taken = self.acknowledge(&plan, work)?;
        let trace = plan.trace(work.message_id())?;
        // What was decided is only published.
        if let Some(outputs) = trace.outputs()? {
            return self.conclude(&plan, &trace, work, outputs);
        }
        if let Some(progress) = self.under_its_key(&plan, &trace, work)? {
            return Ok(progress);
        }
        if was_taken
            && !self.is_blocked(&plan, work)?
            && let Some(outputs) = self.published_before(&plan, work)?
        {
            return self.conclude(&plan, &trace, work, outputs);
        }
        let begun = match (trace.inputs()?, trace.request(1)?) {
            (Some(inputs), Some(request)) => Some((inputs, request.prompt)),
            _ => None,
        };
        let (inputs, prompt) = match begun {
            // Repeat the first request, unless it was answered.
            Some(begun) => {
                self.write_state(&plan, work, State::Running, None, None)?;
                begun
            }
            None => {
                let mut found = inputs::resolve(&plan, &work.command)?;
                let is_blocked = !found.ambiguous.is_empty() || !found.missing.is_empty();
                if is_blocked && work.command.wait_for_inputs {
                    match self.let_go(&plan, work)? {
                        Some(answer) => found.found.push(answer),
                        None => return self.block(&plan, &trace, work, found.missing, found.ambiguous),
                    }
                }
                if let Some(ambiguous) = found.ambiguous.first() {
                    let detail = format!("{} was produced by several tasks", ambiguous.name);
                    return self.fail(&plan, &trace, work, Code::InputAmbiguous, detail);
                }
                self.begin(&plan, &trace, work, found)?
            }
        };
        if self.cancellation.is_cancelled() {
            return self.park(&plan, work);
        }
        let made = match self.ask(&plan, &trace, work, 1, &prompt) {
            Err(AttemptError::Bad(violation)) => {
                let answer = self.stored_text(&trace, 1)?;
                self.log(
                    &plan,
                    LogName::ErrorChains,
                    "answer_refused",
                    work,
                    json!({
                        "code": violation.code, "error": violation.detail, "answer": 1,
                    }),
                );
                let again = prompt::repair(&prompt, &answer, &violation);
                self.ask(&plan, &trace, work, 2, &again)
            }
            made => made,
        };
        match made {
            Ok(made) => self.succeed(&plan, &trace, work, &inputs, made),
            Err(AttemptError::Interrupted) => self.park(&plan, work),
            Err(AttemptError::Failed(code, detail)) => self.fail(&plan, &trace, work, code, detail),
            Err(AttemptError::Bad(violation)) => {
                self.fail(&plan, &trace, work, violation.code, violation.detail)
            }
            Err(AttemptError::Error(error)) => Err(error),
        }
    }

    /// Says that the command was taken, once; true if that was said before.
    fn acknowledge(&self, plan: &PlanFolder<'_>, work: &Work) -> Result<bool, ExecutionError> {
        let was_taken = plan.ack(work.message_id())?.is_some();
        if !was_taken {
            plan.write_ack(&self.ack(work, AckStatus::Consumed))?;
            self.log(plan, LogName::Activity, "command_claimed", work, json!({}));
        }
        Ok(was_taken)
    }

    /// Whether it waits: it has published nothing then.
    fn is_blocked(&self, plan: &PlanFolder<'_>, work: &Work) -> Result<bool, ExecutionError> {
        Ok(match plan.task_state(&work.command.task_id)? {
            StoredDocument::Found(state) => {
                state.message_id.as_ref() == Some(work.message_id()) && state.state.is_blocked()
            }
            StoredDocument::Nothing | StoredDocument::Corrupt => false,
        })
    }

    fn ack(&self, work: &Work, status: AckStatus) -> Ack {
        Ack {
            schema_version: SchemaVersion::CURRENT,
            plan_id: work.envelope.plan_id.clone(),
            message_id: work.message_id().clone(),
            task_id: Some(work.command.task_id.clone()),
            command_id: Some(work.command.command_id.clone()),
            command_seq: Some(work.command.seq()),
            consumer_agent_id: self.folder.id().clone(),
            status,
            consumed_at: self.clock.now(),
            finished_at: None,
            result: None,
            extra: identity::member(&work.envelope),
        }
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
    fn under_its_key(
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

    /// Reads the inputs, and stores what the execution is made from.
    fn begin(
        &self,
        plan: &PlanFolder<'_>,
        trace: &Trace<'_>,
        work: &Work,
        found: inputs::Resolution,
    ) -> Result<(InputTrace, String), ExecutionError> {
        let started_at = self.clock.now();
        self.write_state(plan, work, State::Running, None, None)?;
        let missing: Vec<String> = found.missing.iter().map(|input| input.name.to_string()).collect();
        let mut loaded = inputs::load(plan, found.found, self.rules.inline)?;
        loaded.extend(self.former_result(plan, work, &loaded)?);
        let produced = outputs::predefined(&work.command);
        let files: Vec<&ProducedFile> = produced.iter().flat_map(|output| &output.files).collect();
        let profile = self.folder.profile();
        if profile.prompt().is_none() {
            tracing::warn!(agent = %self.folder.id(), "the agent has no prompt of its own");
        }
        let prompt = prompt::compose(&prompt::Parts {
            agent: profile.prompt(),
            inputs: &loaded,
            missing: &missing,
            command: &work.command,
            files: &files,
            fence: self.clock.random(),
        });
        let used = loaded.into_iter().map(|input| UsedFile {
            path: input.path,
            sha256: input.sha256,
            message_id: input.message_id,
            size_bytes: input.size,
            inlined: input.text.is_ok(),
        });
        let inputs = InputTrace { started_at, inputs: used.collect(), missing };
        trace.write_inputs(&inputs)?;
        self.log(
            plan,
            LogName::DecisionLog,
            "inputs_resolved",
            work,
            json!({
                "inputs": inputs.inputs, "missing_inputs": inputs.missing,
            }),
        );
        Ok((inputs, prompt))
    }

    /// Asks, unless there is an answer already, and looks whether it has the form that was asked for.
    fn ask(
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
    fn stored_text(&self, trace: &Trace<'_>, number: u32) -> Result<String, ExecutionError> {
        let (Some(request), Some(raw)) = (trace.request(number)?, trace.answer(number)?) else {
            return Ok(String::new());
        };
        let read = request.format.parse().ok().and_then(|format| llm::read(format, &raw).ok());
        Ok(read.map_or_else(|| String::from_utf8_lossy(&raw).into_owned(), |answer| answer.text))
    }

    fn succeed(
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

    fn fail(
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
    fn conclude(
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

    /// Leaves a command for later.
    fn park(&self, plan: &PlanFolder<'_>, work: &Work) -> Result<Progress, ExecutionError> {
        self.write_state(plan, work, State::Ready, None, None)?;
        self.log(plan, LogName::Activity, "command_parked", work, json!({}));
        Ok(Progress::Interrupted)
    }

    fn write_state(
        &self,
        plan: &PlanFolder<'_>,
        work: &Work,
        state: State,
        blocking: Option<model::agent::Blocking>,
        result: Option<Extra>,
    ) -> Result<(), ExecutionError> {
        plan.write_task_state(&TaskState {
            schema_version: SchemaVersion::CURRENT,
            plan_id: plan.id().clone(),
            task_id: work.command.task_id.clone(),
            agent_id: self.folder.id().clone(),
            state,
            updated_at: self.clock.now(),
            message_id: Some(work.message_id().clone()),
            command_id: Some(work.command.command_id.clone()),
            command_seq: Some(work.command.seq()),
            blocking,
            progress: None,
            result,
            extra: Extra::new(),
        })?;
        Ok(())
    }

    fn log(&self, plan: &PlanFolder<'_>, log: LogName, event: &str, work: &Work, fields: Value) {
        let mut all = json!({
            "task_id": work.command.task_id,
            "command_id": work.command.command_id,
            "message_id": work.message_id(),
        });
        if let (Value::Object(all), Value::Object(fields)) = (&mut all, fields) {
            all.extend(fields);
        }
        plan.log(self.clock, log, &Event { event, fields: all });
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

/// The hash of what a command says, whatever message it came with.
fn content_of(command: &Command) -> Result<model::agent::Sha256, serde_json::Error> {
    Ok(hash::of_content(&serde_json::to_value(command)?))
}

fn command_name(envelope: &Envelope) -> String {
    envelope.command_id.as_ref().map_or_else(|| "command".to_owned(), ToString::to_string)
}

/// Whether two files are the same message, however it is laid out.
fn says_the_same(one: &[u8], other: &[u8]) -> bool {
    let content = |bytes| serde_json::from_slice::<Value>(bytes).ok().map(|value| hash::of_content(&value));
    one == other || content(one).is_some_and(|one| Some(one) == content(other))
}
