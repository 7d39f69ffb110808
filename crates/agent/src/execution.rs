//! Executes a command (contract/plans §8.1): resolves its inputs, asks an LLM, and turns the answer into files and messages.
//!
//! Whatever ends this process, the stored files say where to continue. The message lies in `.pending/` until it has ended. A
//! request is stored before it is sent and an answer before it is read, so that an answered request is never sent again.
//! Results are stored before any of them is published, so that they are published once, under the same ids, and completely.
//!
//! `aide agent exec` opens the agent's folder, which keeps other runtimes out by a lock (`AgentFolder`), and takes the command:
//! an envelope is written to `inbox/PLAN/.pending/` under its id; a bare command gets an envelope, unless the same command is
//! there and has not ended. From then on the folder records where to continue, and `Executor::advance` does everything that can
//! be done now:
//!
//! 1. The acknowledgement is `CONSUMED`. A command whose key has ended (`keys/`) ends here, without the LLM.
//! 2. `inputs::resolve` looks for the inputs: the index of arrived files, then `inputs/`, then the folder of the task; an
//!    existing name takes precedence over its meaning as a pattern. Missing inputs park the command (`execution/block.rs`). Its
//!    clock is in the state of the task; when the time is up, a person is asked, under an id that is derived from the message.
//! 3. `prompt::compose` combines agent, inputs, command and the form of the answer. `input_trace.json` is written.
//! 4. The provider is asked. It reports to `Journal` what it sends and receives: `request_1.json` is written before the request
//!    is sent, `answer_1` before the answer is read. If both exist, no request is repeated. If an answer breaks a rule of
//!    `Answer::parse` or `outputs::check`, it is requested once more (`2`); after that the command has failed.
//! 5. Message, result document and the ids of the messages are determined and written to `output_trace.json`. Everything after
//!    that is made from this file and from the stored answer, as often as necessary: files, then envelopes
//!    (`execution/publish.rs`), key, acknowledgement, state; last, the command is moved into `.processed/`.
//!
//! After a disk error, the command has neither succeeded nor failed: it stays where it is. A low score is a result. While a
//! command waits, `agent::finish` files what arrives (`ingest.rs`): all files of a message are checked before one is copied.
//! `notify` only wakes the agent; only a check of the folder finds messages.

mod admission;
mod attempt;
mod block;
mod direct;
mod ending;
mod publish;

use crate::clock::Clock;
use crate::current_call::CurrentCall;
use crate::folder::{
    AgentFolder, Event, InputTrace, LogName, OutputTrace, PlanFolder, StoredDocument, Trace, TraceStatus,
    UsedFile,
};
use crate::human::People;
use crate::inputs::{self, AmbiguousInput, InlineLimits, MissingInput};
use crate::{hash, identity, outputs, prompt};
use attempt::AttemptError;
use files::FileError;
use llm::{Cancellation, Provider};
use model::SessionId;
use protocol::agent::{
    Ack, AckStatus, Code, Command, Envelope, Extra, Id, ProducedFile, ResultDocument, SchemaVersion, State,
    TaskState,
};
use serde_json::{Value, json};
use std::cell::Cell;
use std::io;
use std::time::Duration;
use store::StoreError;

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
        blocking: Option<protocol::agent::Blocking>,
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

/// The hash of what a command says, whatever message it came with.
fn content_of(command: &Command) -> Result<protocol::agent::Sha256, serde_json::Error> {
    Ok(hash::of_content(&serde_json::to_value(command)?))
}
