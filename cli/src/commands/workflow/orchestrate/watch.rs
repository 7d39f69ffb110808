//! Watches a workflow from the message that begins it to its end.

use super::prompt::{KeyboardOutcome, Prompt, put_off};
use super::{Mode, WatchOptions, unattended, work};
use crate::commands::workflow::lines::{self, Lines, WorkflowEnd};
use crate::commands::workflow::output::OutputLocation;
use crate::commands::workflow::{interrupted, output, stage};
use crate::context::DONE;
use crate::due::Due;
use crate::failure::{CANCELLED, Failure, MISSING, RemoteError, TASK_FAILED, TIMED_OUT};
use crate::messages::{DaemonMessage, Message};
use crate::remote::Remote;
use client::{Client, ClientError, FollowUpdate, Follower, Subscription};
use protocol::workflow::api::{MessageAccepted, StateSnapshot};
use protocol::workflow::requests::MessageRequest;
use protocol::workflow::{DecisionStatus, Event, EventType, Trigger, UserDecisionRequired, WorkflowState};
use serde_json::{Map, Value, json};
use std::time::Duration;
use texts::json_safe;
use tokio::time::Instant;

/// What a task or a workflow says that waited for a decision in vain.
const TIMEOUT: &str = "TIMEOUT";
/// After how much silence is looked what the agents do.
const POLL_INTERVAL: Duration = Duration::from_secs(2);
/// After how long an answer is given again that could not be.
const AGAIN: Duration = Duration::from_millis(500);
/// For how long a client is waited for that drives what no agent of the daemon takes on.
const UNATTENDED: Duration = Duration::from_secs(10);

struct Watch<'w, 'r> {
    remote: &'w Remote<'r>,
    how: &'w WatchOptions,
    accepted: MessageAccepted,
    workflow: String,
    lines: Lines,
    /// What was told of the work of the agents.
    due: Due,
    prompt: Prompt<'w>,
    /// When what is being told has happened.
    time: String,
    /// Whether it may be interrupted; the daemon has not been asked yet.
    is_in_doubt: bool,
    /// Whether the daemon was away since an open question was shown.
    was_away: bool,
    /// Since when it is interrupted, if that was told.
    interrupted: Option<String>,
    /// The state that it is in, as far as it was told.
    state: Option<String>,
    /// The providers, tools and agents that it waits for, as of the last look.
    works: Vec<String>,
    /// The decision that was asked last and has not been made.
    asked: Option<String>,
    /// Until when a client is waited for that drives it, where no agent does.
    unattended: Option<Instant>,
}

/// Begins a workflow and watches it until it has ended; returns what that means.
pub(super) async fn watch(
    remote: &Remote<'_>,
    how: &WatchOptions,
    message: &MessageRequest,
) -> Result<u8, RemoteError> {
    let say = |text: &str| {
        if how.mode == Mode::Text {
            remote.line(&format!("[{}] {text}", store::time_of_day(Duration::ZERO)));
        }
    };
    say("Connecting to daemon...");
    // First to listen, then to begin: nothing happens in between.
    let following = remote.client.follow(Subscription::default(), how.retry, || remote.again());
    let mut following = following.await?;
    say("Connected");
    say("Starting workflow...");
    let accepted = remote.client.send(message).await?;
    let workflow = accepted.workflow_id.clone().unwrap_or_default();
    following.narrow(&workflow);
    unattended::print(remote, &accepted);
    let unattended = (accepted.unattended == Some(true)).then(|| Instant::now() + UNATTENDED);
    let prompt = Prompt::new(remote, how);
    let (lines, due, time) = (Lines::default(), Due::default(), String::new());
    let (is_in_doubt, interrupted, state, asked) = (false, None, None, None);
    Watch {
        remote,
        how,
        accepted,
        workflow,
        lines,
        due,
        prompt,
        time,
        is_in_doubt,
        was_away: false,
        interrupted,
        state,
        works: Vec::new(),
        asked,
        unattended,
    }
    .run(following)
    .await
}

impl Watch<'_, '_> {
    async fn run(
        mut self,
        mut following: Follower<impl FnMut() -> Option<Client>>,
    ) -> Result<u8, RemoteError> {
        loop {
            // A daemon that is gone is asked once it is there again, and is not kept from that meanwhile.
            let is_there = !following.is_lost();
            if is_there {
                match self.ask(following.client()).await {
                    // Who follows it is to say so, and to try again.
                    Err(RemoteError::Client(ClientError::Unresponsive { .. })) => following.give_up(),
                    asked => asked?,
                }
            }
            self.remote.awaits(self.awaited(is_there));
            let wants_line = self.prompt.wants_line();
            let waits = is_there && (self.prompt.has_answer() || self.is_in_doubt);
            // Beside an open question it would be in the way of what is typed.
            let looks = is_there && !wants_line && self.how.mode == Mode::Text;
            let end = tokio::select! {
                biased;
                heard = following.next() => self.hear(heard?, following.client()).await?,
                typed = self.prompt.typed(), if wants_line => match typed? {
                    KeyboardOutcome::Answer => None,
                    KeyboardOutcome::End { decision } => return Err(unanswered(decision).into()),
                },
                () = until(self.unattended) => return Err(self.not_driven().into()),
                () = tokio::time::sleep(AGAIN), if waits => None,
                () = tokio::time::sleep(POLL_INTERVAL), if looks => {
                    self.print_work(following.client()).await?;
                    None
                }
            };
            if let Some(end) = end {
                return self.end(end, following.client()).await;
            }
        }
    }

    /// What a signal would end the wait for.
    fn awaited(&self, is_there: bool) -> Option<DaemonMessage> {
        if !is_there {
            return None;
        }
        let workflow = self.workflow.clone();
        Some(match &self.asked {
            Some(decision) => DaemonMessage::AwaitedDecision { workflow, decision: decision.clone() },
            None => {
                let (state, works) = (self.state.clone(), self.works.clone());
                DaemonMessage::AwaitedWorkflow { workflow, state, works }
            }
        })
    }

    /// Asks the daemon what there is to ask: the next question, whether the workflow is interrupted.
    async fn ask(&mut self, client: &Client) -> Result<(), RemoteError> {
        self.prompt.advance(client).await?;
        self.settle_doubt(client).await
    }

    async fn hear(
        &mut self,
        heard: FollowUpdate,
        client: &Client,
    ) -> Result<Option<WorkflowEnd>, RemoteError> {
        match heard {
            FollowUpdate::Event(event) => self.event(&event, client).await,
            FollowUpdate::Lost => {
                self.warn(DaemonMessage::ConnectionLost);
                Ok(None)
            }
            FollowUpdate::Silent => {
                self.warn(DaemonMessage::NoAnswerYet);
                Ok(None)
            }
            FollowUpdate::Back => {
                // It may be another daemon, and have a provider.
                self.unattended = None;
                self.warn(DaemonMessage::ConnectionBack);
                // No event tells that a daemon which was away goes on with nothing.
                self.is_in_doubt = true;
                self.was_away = true;
                Ok(None)
            }
            FollowUpdate::Gap(oldest) => self.catch_up(oldest, client).await,
        }
    }

    async fn event(
        &mut self,
        envelope: &Map<String, Value>,
        client: &Client,
    ) -> Result<Option<WorkflowEnd>, RemoteError> {
        let text = |member: &str| envelope.get(member).and_then(Value::as_str).unwrap_or_default();
        let payload = envelope.get("payload").unwrap_or(&Value::Null).to_string();
        self.time = store::local_time(text("timestamp")).unwrap_or_default();
        match self.how.mode {
            Mode::Json => self.remote.json(&json!(envelope))?,
            Mode::Stream => self.stream(text("type"), &payload)?,
            Mode::Text | Mode::Silent | Mode::Stage => {}
        }
        // One of a later version says nothing here.
        let read = EventType::named(text("type")).map(|kind| Event::read(kind, &payload));
        let Some(Ok(event)) = read else { return Ok(None) };
        if !is_beginning(&event) {
            self.unattended = None;
        }
        let end = WorkflowEnd::from_event(&event);
        if end.is_some() {
            self.prompt.abandon()?;
        }
        if self.how.mode == Mode::Text && self.lines.needs_order(&event) {
            // Where it cannot be asked, the task is called by its own name.
            if let Ok(tasks) = client.tasks(&self.workflow).await {
                self.lines.set_order(tasks.into_iter().map(|task| task.id).collect());
            }
        }
        for line in self.lines.for_event(&event) {
            self.say(&line)?;
        }
        match &event {
            Event::PhaseTransition(transition) => {
                self.state = Some(transition.to.name().to_owned());
                self.works.clear();
            }
            Event::UserDecisionRequired(asked) => {
                self.asked = Some(asked.decision_id.clone());
                self.prompt.ask(asked.clone());
            }
            Event::UserDecisionReceived(received) => {
                self.asked.take_if(|asked| *asked == received.decision_id);
                self.prompt.close(&received.decision_id)?;
                // An answer is thought to move it, and does not where it is interrupted.
                self.is_in_doubt |= self.interrupted.take().is_some();
                self.say(&format!("Decision: {}", lines::answer(&received.decision, &received.selected)))?;
            }
            // Something is tried again after it, or nothing is done any more.
            Event::SystemError(_) => self.is_in_doubt = true,
            _ => {}
        }
        Ok(end)
    }

    /// Tells what the agents do meanwhile.
    async fn print_work(&mut self, client: &Client) -> Result<(), RemoteError> {
        let state = match client.state(&self.workflow).await {
            Ok(state) => state,
            // Who follows the daemon says so.
            Err(error) if error.may_pass() => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        self.time = store::time_of_day(Duration::ZERO);
        let waiting = state.waiting_for.unwrap_or_default();
        self.works = waiting.iter().filter_map(lines::waiting).collect();
        for line in work::lines(&mut self.due, &waiting) {
            self.say(&line)?;
        }
        Ok(())
    }

    /// A line of the contract.
    fn say(&mut self, text: &str) -> Result<(), Failure> {
        if self.how.mode == Mode::Text {
            self.prompt.between(|output| output.plain(&format!("[{}] {text}", self.time)))?;
        }
        Ok(())
    }

    fn stream(&self, kind: &str, payload: &str) -> Result<(), Failure> {
        let record = format!("event: {kind}\ndata: {}\n\n", json_safe(payload));
        self.remote.context.output.text(&record)
    }

    fn warn(&mut self, message: DaemonMessage) {
        if self.how.mode == Mode::Text {
            // Whether it can be told or not, it goes on.
            let _ = self.prompt.between(|output| output.warning(&Message::daemon(message)));
        }
    }

    /// Reports, once, if the workflow is interrupted. It is still watched: it may be resumed elsewhere.
    async fn settle_doubt(&mut self, client: &Client) -> Result<(), RemoteError> {
        if !self.is_in_doubt {
            return Ok(());
        }
        match client.state(&self.workflow).await {
            Ok(state) => self.print_interruption(&state)?,
            Err(error) if error.may_pass() => return put_off(error),
            Err(error) => return Err(error.into()),
        }
        self.is_in_doubt = false;
        if std::mem::take(&mut self.was_away) {
            self.prompt.repeat()?;
        }
        Ok(())
    }

    fn print_interruption(&mut self, state: &StateSnapshot) -> Result<(), Failure> {
        let since = interrupted::is_interrupted(state).then(|| state.timestamp.clone());
        if since.is_none() || self.interrupted == since {
            return Ok(());
        }
        self.interrupted = since;
        if self.remote.json {
            self.remote.notice(&interrupted::line(state));
            return Ok(());
        }
        self.prompt.between(|output| interrupted::print(output, state))
    }

    /// Events were missed. What still matters is asked for.
    async fn catch_up(&mut self, oldest: i64, client: &Client) -> Result<Option<WorkflowEnd>, RemoteError> {
        self.remote.notice(&json!({ "type": "replay_gap", "oldestSeq": oldest }).to_string());
        let pending = client.decisions(Some(&self.workflow), Some(DecisionStatus::Pending.name())).await?;
        self.asked = pending.decisions.last().map(|asked| asked.decision_id.clone());
        for asked in pending.decisions {
            self.prompt.ask(UserDecisionRequired {
                decision_id: asked.decision_id,
                workflow_id: asked.workflow_id,
                message: asked.message,
                options: asked.options,
            });
        }
        let state = client.state(&self.workflow).await?;
        self.print_interruption(&state)?;
        self.state = Some(state.fsm_state.name().to_owned());
        Ok(match state.fsm_state {
            WorkflowState::Completed => Some(WorkflowEnd::Completed),
            WorkflowState::Failed if output::is_cancelled(&state) => Some(WorkflowEnd::Cancelled),
            WorkflowState::Failed => Some(WorkflowEnd::Failed),
            _ => None,
        })
    }

    /// Tells how it has ended; the exit code of that.
    async fn end(mut self, end: WorkflowEnd, client: &Client) -> Result<u8, RemoteError> {
        match self.how.mode {
            Mode::Text => {
                self.say(&format!("Workflow {}: {}", end.word(), self.workflow))?;
                if end == WorkflowEnd::Completed
                    && let Some(line) = self.output_line(client).await?
                {
                    self.say(&line)?;
                }
            }
            Mode::Stream => {
                let done = json!({ "workflowId": self.workflow, "status": end.word() });
                self.stream("done", &done.to_string())?;
            }
            Mode::Silent if end == WorkflowEnd::Completed => self.result(client).await?,
            Mode::Stage if end == WorkflowEnd::Completed => {
                stage::print(self.remote, client, &self.accepted).await?;
            }
            Mode::Json | Mode::Silent | Mode::Stage => {}
        }
        Ok(match end {
            WorkflowEnd::Completed => DONE,
            WorkflowEnd::Cancelled => CANCELLED,
            WorkflowEnd::Failed => self.failed(client).await,
        })
    }

    /// Where to find its output.
    async fn output_line(&self, client: &Client) -> Result<Option<String>, RemoteError> {
        let saved = match self.lines.output() {
            Some(path) => OutputLocation::As(path.to_owned()),
            None => OutputLocation::fetch(client, &self.workflow).await,
        };
        saved.line(self.remote, client, &self.workflow).await
    }

    /// That no program drives it.
    fn not_driven(&self) -> Failure {
        let what = Message::daemon(DaemonMessage::NotDriven { workflow: self.workflow.clone() });
        let hint = unattended::advice(self.remote.context, &self.workflow);
        Failure::new(what, Message::daemon(hint)).with_code(MISSING)
    }

    /// Prints the result, for a caller that has waited for nothing else.
    async fn result(&self, client: &Client) -> Result<(), RemoteError> {
        if !self.remote.json {
            return output::print(self.remote, client, &self.workflow, output::AbsenceMeaning::IsNothing)
                .await;
        }
        let message = client.message(&self.accepted.message_id).await?;
        let answer = MessageAccepted {
            status: message.status,
            queued: false,
            result: Some(message.result.unwrap_or_default()),
            ..self.accepted.clone()
        };
        Ok(self.remote.json(&json!(answer))?)
    }

    async fn failed(&self, client: &Client) -> u8 {
        let state = client.state(&self.workflow).await;
        let error = state.ok().and_then(|state| state.error);
        let has_expired = error.as_deref() == Some(TIMEOUT);
        let (error, code) = match self.lines.shortage() {
            _ if has_expired => (error, TIMED_OUT),
            Some(reason) => (Some(reason.to_owned()), MISSING),
            None => (error, TASK_FAILED),
        };
        let error = error.unwrap_or_else(|| "unknown".to_owned());
        if self.remote.json {
            let details = json!({ "workflowId": self.workflow });
            let line = json!({ "error": error, "code": code, "details": details }).to_string();
            self.remote.notice(&json_safe(&line));
        } else {
            let output = &self.remote.context.output;
            self.remote.notice(&format!("Error: {}", output.lang().cause(&error)));
            let remedy = output.lang().remedy(&error).map(|words| app::markdown_to_text(words).into_owned());
            let is_known = remedy.is_some();
            if let Some(words) = remedy {
                output.notice(&Message::daemon(DaemonMessage::Words { words }));
            }
            if code == TASK_FAILED && self.how.mode == Mode::Text {
                let workflow = self.workflow.clone();
                output.notice(&Message::daemon(DaemonMessage::SeeEvents { workflow }));
                if !is_known {
                    output.notice(&Message::daemon(DaemonMessage::TryProvider));
                }
            }
        }
        code
    }
}

/// Waits until then; for ever where that is no time.
async fn until(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

/// Whether an event tells of nothing but that a workflow has begun.
fn is_beginning(event: &Event) -> bool {
    match event {
        Event::PhaseTransition(transition) => transition.trigger == Some(Trigger::UserInputReceived),
        Event::SessionCreated(_) | Event::UserMessage(_) | Event::WorkflowUpdate(_) => true,
        _ => false,
    }
}

fn unanswered(decision: String) -> Failure {
    let what = Message::daemon(DaemonMessage::Unanswered { decision: decision.clone() });
    Failure::new(what, Message::daemon(DaemonMessage::AnswerLater { decision })).with_code(CANCELLED)
}
