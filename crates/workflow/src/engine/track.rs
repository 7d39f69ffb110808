//! A series of steps that belong together: those of one phase, or of one attempt at a task.
//!
//! Each request is written before it is sent, each answer in the change that it leads to: nothing follows from an answer that is
//! not on the disk, and both share a flush. So a driver that continues a track first walks its stored steps: a stored answer is
//! read again without asking again; a step that was begun and has no answer is repeated.

use super::agenda::{is_current, waits};
use super::{Job, Shared};
use crate::active_work::{WorkItem, WorkKind};
use crate::draft::{Draft, EventScope};
use crate::failure::Failure;
use crate::ids;
use crate::rows;
use journal::{Instruction, Key, Lease, Millis, Query, Row as _, Step, ViewExt as _};
use llm::{
    Activity, Answer, BadAnswer, Cancellation, Format, Image, Ledger, LlmError, Provider, RecordedAnswer,
    RecordedRequest, Request,
};
use protocol::workflow::{AssistantComplete, WorkflowState};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::io;
use std::path::PathBuf;

/// How much of an answer is in its event, in bytes; the step has all of it.
const MAX_TOLD: usize = 64 << 10;

/// Why a track stops.
#[derive(Debug)]
pub(crate) enum StopReason {
    /// The result is no longer wanted.
    Unwanted,
    /// A person has to decide first.
    Waiting,
    /// A model has not answered.
    Unanswered(LlmError),
    /// The journal could not be read or written.
    Failed(Failure),
}

impl From<Failure> for StopReason {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<journal::JournalError> for StopReason {
    fn from(error: journal::JournalError) -> Self {
        Self::Failed(error.into())
    }
}

/// What a model is asked, as it is kept.
#[derive(Debug, Serialize, Deserialize)]
struct PromptRecord {
    agent: String,
    provider: String,
    format: String,
    prompt: String,
    /// The user's instructions that the prompt contains.
    #[serde(default)]
    said: Vec<String>,
}

/// What a model has answered, and what a person had said to which it is the answer.
pub(crate) struct ModelReply {
    pub(crate) answer: Result<Answer, BadAnswer>,
    pub(crate) said: Vec<String>,
}

/// The steps of one phase, or of one try at a task.
pub(crate) struct Track<'a> {
    shared: &'a Shared,
    lease: &'a Lease,
    cancellation: &'a Cancellation,
    /// What it is walked along for.
    job: Job,
    /// What the track is called; its steps are called so, with what they are.
    name: String,
    task: Option<String>,
    /// The phase that its workflow was in when it was opened.
    phase: WorkflowState,
    /// The session that it belongs to.
    session: String,
    folder: Option<PathBuf>,
    /// The images for the next prompts.
    images: Vec<Image>,
    /// Those of before that were not walked along yet.
    before: VecDeque<Step>,
    /// The last answer of a model: the next change writes it.
    unwritten: RefCell<Option<ReceivedAnswer>>,
}

/// An answer of a model to a step.
struct ReceivedAnswer {
    step: Key,
    /// As it came.
    raw: String,
    /// What it has cost, as JSON.
    tokens: Option<String>,
    text: String,
    agent: String,
    came: Millis,
}

impl<'a> Track<'a> {
    /// Returns the track of this name, at its beginning.
    pub(crate) fn open(
        shared: &'a Shared,
        lease: &'a Lease,
        cancellation: &'a Cancellation,
        job: &Job,
        name: String,
        task: Option<String>,
    ) -> Result<Self, StopReason> {
        let view = shared.runtime.journal.view()?;
        let workflow = view.row::<journal::Workflow>(&journal::Workflow::key_of(&lease.workflow))?;
        let (session, phase) =
            workflow.map(|workflow| (workflow.session, workflow.state)).ok_or(StopReason::Unwanted)?;
        let row = view.row::<journal::Session>(&journal::Session::key_of(&session))?;
        let project = row.and_then(|row| row.project).map(|id| journal::Project::key_of(&id));
        let project = project.map(|key| view.row::<journal::Project>(&key)).transpose()?.flatten();
        let mut before: VecDeque<Step> = VecDeque::new();
        let steps = Query::steps_of(&lease.workflow);
        let steps = match &task {
            Some(task) => steps.for_task(task),
            None => steps,
        };
        for step in view.find(&steps)? {
            if !is_of(&step, &name) {
                continue;
            }
            // Of each step the last attempt.
            match before.back_mut() {
                Some(last) if last.no == step.no => *last = step,
                _ => before.push_back(step),
            }
        }
        let folder = project.map(|project| PathBuf::from(project.root));
        let job = job.clone();
        let images = Vec::new();
        let unwritten = RefCell::default();
        Ok(Self {
            shared,
            lease,
            cancellation,
            job,
            name,
            task,
            phase,
            session,
            folder,
            images,
            before,
            unwritten,
        })
    }

    /// The folder that is worked in.
    pub(crate) fn folder(&self) -> Option<&PathBuf> {
        self.folder.as_ref()
    }

    /// Shows these images with all further prompts.
    pub(crate) fn show(&mut self, images: Vec<Image>) {
        self.images = images;
    }

    /// Asks a model. `prompt` says what, given what a person has said: `said_before`, and what has come since. Everything is as it
    /// was if it was asked before.
    pub(crate) fn think(
        &mut self,
        agent: &str,
        provider: &dyn Provider,
        said_before: &[String],
        prompt: impl Fn(&[String]) -> String,
    ) -> Result<ModelReply, StopReason> {
        let asked = |before: &[String], said: &[String]| {
            let said = [before, said].concat();
            let asked = PromptRecord {
                agent: agent.to_owned(),
                provider: provider.name().to_owned(),
                format: provider.format().to_string(),
                prompt: prompt(&said),
                said,
            };
            json!(asked).to_string()
        };
        let step = match self.walk("think") {
            Some(Step { answer: Some(raw), request, .. }) => {
                let asked = serde_json::from_str::<PromptRecord>(&request).ok();
                let format = asked.as_ref().and_then(|asked| asked.format.parse().ok());
                let answer = llm::read(format.unwrap_or(provider.format()), raw.as_bytes());
                return Ok(ModelReply { answer, said: asked.map(|asked| asked.said).unwrap_or_default() });
            }
            Some(begun) => {
                let before = serde_json::from_str::<PromptRecord>(&begun.request).map(|asked| asked.said);
                let before = before.unwrap_or_default();
                self.again(begun, |said| (!said.is_empty()).then(|| asked(&before, said)))?
            }
            None => self.begin("think", |said| asked(said_before, said))?,
        };
        let asked: PromptRecord =
            serde_json::from_str(&step.request).map_err(|error| crate::failure::unwritable(&error))?;
        let request = Request {
            prompt: asked.prompt,
            wants_json: true,
            // For the same request the provider may repeat its answer; for another request it must not.
            idempotency_key: Some(format!("{}-{}-{:.8}", step.workflow, step.no, step.request_sha256)),
            folder: self.folder.clone(),
            images: self.images.clone(),
        };
        let book = StepLedger { track: self, step: &step, agent };
        let said = asked.said;
        let activity = Activity::default();
        let kind = WorkKind::Model { provider: provider.name().to_owned(), activity: activity.clone() };
        let _work = self.shared.runtime.begin_work(self.work(agent, kind));
        match activity.ask(provider, &request, &book, self.cancellation) {
            Ok(reply) => Ok(ModelReply { answer: Ok(reply.answer), said }),
            Err(LlmError::BadAnswer(bad)) if bad.is_correctable() => {
                Ok(ModelReply { answer: Err(bad), said })
            }
            Err(LlmError::Cancelled) => Err(StopReason::Unwanted),
            Err(_) if self.cancellation.is_cancelled() => Err(StopReason::Unwanted),
            Err(error) => Err(StopReason::Unanswered(error)),
        }
    }

    /// What this track is about to do, for those who wait for it.
    pub(crate) fn work(&self, agent: &str, kind: WorkKind) -> WorkItem {
        WorkItem {
            workflow: self.lease.workflow.clone(),
            phase: self.phase,
            task: self.task.clone(),
            agent: agent.to_owned(),
            kind,
        }
    }

    /// Does something that has an effect, and returns the outcome. `announce` emits the events of its beginning, `told` those of
    /// its end, each in the change that writes it. If it was done before, nothing is done or emitted again.
    pub(crate) fn act(
        &mut self,
        kind: &str,
        request: &Value,
        announce: impl Fn(&mut Draft<'_>),
        act: impl FnOnce(&Cancellation) -> Value,
        told: impl Fn(&mut Draft<'_>, &Value) -> Result<(), Failure>,
    ) -> Result<Value, StopReason> {
        let step = match self.walk(kind) {
            Some(Step { answer: Some(answer), .. }) => {
                return Ok(serde_json::from_str(&answer).unwrap_or(Value::Null));
            }
            Some(begun) => self.again(begun, |_| None)?,
            None => self.begin_by(|draft| {
                announce(draft);
                let step = self.row(draft, kind, request.to_string())?;
                draft.put(step.clone());
                Ok(step)
            })?,
        };
        let outcome = act(self.cancellation);
        if self.cancellation.is_cancelled() {
            return Err(StopReason::Unwanted);
        }
        self.make(|draft| {
            write_answer(draft, &step, &outcome)?;
            told(draft, &outcome)
        })?;
        Ok(outcome)
    }

    /// Writes the outcome of a step that was begun.
    pub(crate) fn answered(&self, step: &Step, outcome: &Value) -> Result<(), StopReason> {
        self.make(|draft| write_answer(draft, step, outcome))
    }

    /// Asks the user a question, once, and returns the decision if it has ended. `ask` asks, and returns the ID of the decision.
    pub(crate) fn ask_user(
        &mut self,
        kind: &str,
        question: &Value,
        ask: impl Fn(&mut Draft<'_>) -> Result<String, Failure>,
    ) -> Result<journal::Decision, StopReason> {
        let decision = match self.walk(kind) {
            Some(step) => step.outcome.unwrap_or_default(),
            None => self.begin_by(|draft| {
                let decision = ask(draft)?;
                let step = self.row(draft, kind, question.to_string())?;
                draft.put(Step { outcome: Some(decision.clone()), ..step });
                Ok(decision)
            })?,
        };
        let view = self.shared.runtime.journal.view()?;
        // The workflow may have been paused and the decision answered since: the answer is used after the pause.
        let draft = Draft::new(&*view, &*self.shared.runtime.world);
        if let Some(task) = &self.task
            && waits(&draft, &self.lease.workflow, task)?
        {
            return Err(StopReason::Waiting);
        }
        let found = view.row::<journal::Decision>(&journal::Decision::key_of(&decision))?;
        match found {
            Some(found) if found.status != protocol::workflow::DecisionStatus::Pending => Ok(found),
            Some(_) => Err(StopReason::Waiting),
            None => Err(StopReason::Unwanted),
        }
    }

    /// Makes a change, unless its result is no longer wanted.
    pub(crate) fn make<T>(
        &self,
        compute: impl Fn(&mut Draft<'_>) -> Result<T, Failure>,
    ) -> Result<T, StopReason> {
        if self.cancellation.is_cancelled() {
            return Err(StopReason::Unwanted);
        }
        self.write(compute)?.ok_or(StopReason::Unwanted)
    }

    /// Makes a change that begins with the answer which was not written yet; `None` if another driver has claimed the workflow
    /// since.
    fn write<T>(&self, compute: impl Fn(&mut Draft<'_>) -> Result<T, Failure>) -> Result<Option<T>, Failure> {
        // `compute` makes no change of its own: one is being made.
        let mut unwritten = self.unwritten.borrow_mut();
        let made = self.shared.runtime.make(self.lease, |draft| {
            if let Some(answer) = &*unwritten {
                self.put_answer(draft, answer)?;
            }
            compute(draft)
        })?;
        *unwritten = None;
        Ok(made)
    }

    /// Writes what a model has answered into its step.
    fn put_answer(&self, draft: &mut Draft<'_>, answer: &ReceivedAnswer) -> Result<(), Failure> {
        // It is there if the flush of its change has failed only later.
        let row = draft.row::<Step>(&answer.step)?.filter(|row| row.answer.is_none());
        let Some(row) = row else { return Ok(()) };
        let (raw, tokens, finished) = (Some(answer.raw.clone()), answer.tokens.clone(), Some(answer.came));
        draft.put(Step { answer: raw, tokens, finished, ..row });
        let about = EventScope {
            session: Some(&self.session),
            workflow: Some(&self.lease.workflow),
            task: self.task.as_deref(),
            agent: Some(&answer.agent),
        };
        let end = answer.text.floor_char_boundary(MAX_TOLD);
        let told = AssistantComplete {
            message_id: ids::timed("msg", draft.now(), draft.world()),
            content: answer.text[..end].to_owned(),
            stop_reason: (end < answer.text.len()).then(|| "length".to_owned()),
        };
        draft.emit(about, told);
        Ok(())
    }

    /// Makes a change that begins something, unless the workflow no longer wants the job: its cancellation may not have arrived
    /// yet.
    pub(crate) fn begin_by<T>(
        &self,
        compute: impl Fn(&mut Draft<'_>) -> Result<T, Failure>,
    ) -> Result<T, StopReason> {
        let begun = self.make(|draft| {
            let workflow = rows::workflow(draft, &self.lease.workflow)?;
            // A task continues in a pause; a phase only finishes what was asked already.
            let is_held = matches!(self.job, Job::Phase { .. }) && workflow.state == WorkflowState::Paused;
            let is_wanted = !is_held && is_current(draft, &workflow, &self.job)?;
            is_wanted.then(|| compute(draft)).transpose()
        })?;
        begun.ok_or(StopReason::Unwanted)
    }

    /// Passes over the next step of before, if it is of this kind, and returns it.
    pub(crate) fn skip(&mut self, kind: &str) -> Option<Step> {
        if self.is_next(kind) { self.before.pop_front() } else { None }
    }

    /// Whether the next step of before is of this kind.
    pub(crate) fn is_next(&self, kind: &str) -> bool {
        let name = format!("{}/{kind}", self.name);
        self.before.front().is_some_and(|step| step.name == name)
    }

    /// Whether the next previous step is of this kind and has ended.
    pub(crate) fn is_done(&self, kind: &str) -> bool {
        self.is_next(kind) && self.before.front().is_some_and(|step| step.answer.is_some())
    }

    /// Whether there are steps of before that were not walked along yet.
    pub(crate) fn is_behind(&self) -> bool {
        !self.before.is_empty()
    }

    /// The next step of before, if it is of this kind.
    pub(crate) fn walk(&mut self, kind: &str) -> Option<Step> {
        if self.is_next(kind) {
            return self.before.pop_front();
        }
        // The track has taken another way since: results of the old one say nothing here.
        self.before.clear();
        None
    }

    /// Records that something was done that has no outcome.
    pub(crate) fn note(&self, draft: &mut Draft<'_>, kind: &str) -> Result<(), Failure> {
        let step = self.row(draft, kind, String::new())?;
        let finished = Some(draft.now());
        draft.put(Step { answer: Some(Value::Null.to_string()), finished, ..step });
        Ok(())
    }

    /// A new step of this track, which is not written yet.
    fn row(&self, draft: &Draft<'_>, kind: &str, request: String) -> Result<Step, Failure> {
        let last = draft.find(&Query::last_steps_of(&self.lease.workflow).limit(1))?.pop();
        Ok(Step {
            workflow: self.lease.workflow.clone(),
            no: last.map_or(1, |last| last.no + 1),
            attempt: 1,
            task: self.task.clone(),
            name: format!("{}/{kind}", self.name),
            request_sha256: crate::ids::sha256(request.as_bytes()),
            request,
            answer: None,
            outcome: None,
            tokens: None,
            started: draft.now(),
            finished: None,
            version: 0,
        })
    }

    /// Writes what is about to be done, with what a person has said to the workflow and no prompt has contained yet.
    pub(crate) fn begin(
        &self,
        kind: &str,
        request: impl Fn(&[String]) -> String,
    ) -> Result<Step, StopReason> {
        // It depends on the workflow, which every instruction writes: no prompt begins without the instructions given by then.
        self.begin_by(|draft| {
            let blank = self.row(draft, kind, String::new())?;
            let said = use_up(draft, unused(draft, &self.lease.workflow)?, blank.no);
            let request = request(&said);
            let request_sha256 = crate::ids::sha256(request.as_bytes());
            let step = Step { request, request_sha256, ..blank };
            draft.put(step.clone());
            Ok(step)
        })
    }

    /// Repeats a step whose outcome is unknown. If the user has given instructions since, the request is what `anew` makes of
    /// them. If the outcome is known by now, the track must be walked anew.
    fn again(&self, begun: Step, anew: impl Fn(&[String]) -> Option<String>) -> Result<Step, StopReason> {
        let again = self.begin_by(|draft| {
            // The previous driver may not have noticed yet that the step was taken from it.
            let row = draft.row::<Step>(&begun.key())?;
            if row.is_none_or(|row| row.answer.is_some()) {
                return Ok(None);
            }
            let attempt = begun.attempt + 1;
            let mut step = Step { attempt, started: draft.now(), version: 0, ..begun.clone() };
            let said = unused(draft, &self.lease.workflow)?;
            let texts: Vec<String> = said.iter().map(|instruction| instruction.text.clone()).collect();
            if let Some(request) = anew(&texts) {
                use_up(draft, said, step.no);
                step.request_sha256 = crate::ids::sha256(request.as_bytes());
                step.request = request;
            }
            draft.put(step.clone());
            Ok(Some(step))
        })?;
        again.ok_or(StopReason::Unwanted)
    }
}

/// The user's instructions to a workflow that no prompt has contained yet.
fn unused(draft: &Draft<'_>, workflow: &str) -> Result<Vec<Instruction>, Failure> {
    let mut said = draft.find(&Query::instructions_of(workflow))?;
    said.retain(|instruction| instruction.used_by.is_none());
    Ok(said)
}

/// Marks the instructions as used by this step, so that no other prompt has them.
fn use_up(draft: &mut Draft<'_>, said: Vec<Instruction>, step: i64) -> Vec<String> {
    let used = |instruction: Instruction| {
        let text = instruction.text.clone();
        draft.put(Instruction { used_by: Some(format!("step {step}")), ..instruction });
        text
    };
    said.into_iter().map(used).collect()
}

fn write_answer(draft: &mut Draft<'_>, step: &Step, outcome: &Value) -> Result<(), Failure> {
    if let Some(row) = draft.row::<Step>(&step.key())? {
        let finished = Some(draft.now());
        draft.put(Step { answer: Some(outcome.to_string()), finished, ..row });
    }
    Ok(())
}

/// Whether a step belongs to the track of this name.
fn is_of(step: &Step, track: &str) -> bool {
    step.name.strip_prefix(track).is_some_and(|rest| rest.starts_with('/'))
}

impl Drop for Track<'_> {
    /// Writes the answer to which nothing follows: it is not asked for again.
    fn drop(&mut self) {
        if self.unwritten.get_mut().is_some()
            && let Err(error) = self.write(|_| Ok(()))
        {
            tracing::error!(%error, workflow = self.lease.workflow, "cannot write what a model has answered");
        }
    }
}

/// Takes what a model answers to a step.
struct StepLedger<'t, 'a> {
    track: &'t Track<'a>,
    step: &'t Step,
    agent: &'t str,
}

impl Ledger for StepLedger<'_, '_> {
    fn request(&self, _: &RecordedRequest<'_>) -> io::Result<()> {
        // It was written before the provider was asked.
        match self.track.cancellation.is_cancelled() {
            true => Err(io::ErrorKind::Interrupted.into()),
            false => Ok(()),
        }
    }

    fn answer(&self, answer: &RecordedAnswer<'_>) -> io::Result<()> {
        let raw = String::from_utf8_lossy(answer.raw).into_owned();
        if self.track.cancellation.is_cancelled() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let read = llm::read(answer.format, answer.raw).ok();
        let tokens = read.as_ref().map(|read| cost(read, answer.format).to_string());
        let (text, agent) = (read.map(|read| read.text).unwrap_or_default(), self.agent.to_owned());
        let came = self.track.shared.runtime.now();
        let answer = ReceivedAnswer { step: self.step.key(), raw, tokens, text, agent, came };
        *self.track.unwritten.borrow_mut() = Some(answer);
        Ok(())
    }
}

/// What an answer has cost, as far as the provider reports it.
fn cost(answer: &Answer, format: Format) -> Value {
    json!({
        "format": format.name(),
        "model": answer.model,
        "input": answer.usage.map(|usage| usage.input_tokens),
        "output": answer.usage.map(|usage| usage.output_tokens),
        "cost": answer.cost,
    })
}
