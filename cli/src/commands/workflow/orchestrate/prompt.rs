//! What a person is asked while they watch a workflow: one decision at a time, as contract/terminal §7.5 has it.

use super::{Mode, WatchOptions};
use crate::commands::workflow::answers::Answers;
use crate::commands::workflow::keyboard::Keyboard;
use crate::commands::workflow::{context, lines};
use crate::failure::{Failure, RemoteError};
use crate::messages::{DaemonMessage, Message};
use crate::output::Output;
use crate::remote::{self, Remote};
use client::{Client, ClientError};
use model::{Via, respond};
use protocol::workflow::api::DecisionView;
use protocol::workflow::{DecisionStatus, EventType, UserDecisionRequired};
use serde_json::json;
use std::collections::VecDeque;
use texts::json_safe;

const MARK: &str = "> ";

/// The decisions that are asked here.
pub(super) struct Prompt<'w> {
    output: &'w Output,
    how: &'w WatchOptions,
    /// Whether the output is JSON, for a program.
    is_json: bool,
    keyboard: Keyboard,
    /// Those that were asked later.
    waiting: VecDeque<UserDecisionRequired>,
    open: Option<OpenDecision>,
    /// Whether a question stands there, and what comes next is to be set apart from it.
    is_crowded: bool,
}

struct OpenDecision {
    decision: UserDecisionRequired,
    answers: Answers,
    /// Where its page is.
    page: String,
    /// The lines that were typed, as long as the last one says that it goes on.
    begun: String,
    stage: Stage,
}

/// How far the answer has come.
enum Stage {
    /// It is being typed.
    Typing,
    /// It is there, and was not given to the daemon yet.
    Typed(String),
    /// It was given.
    Given,
}

/// What has come of the keyboard.
pub(super) enum KeyboardOutcome {
    Answer,
    /// Nothing comes any more, and the decision is not answered.
    End {
        decision: String,
    },
}

impl<'w> Prompt<'w> {
    pub(super) fn new(remote: &Remote<'w>, how: &'w WatchOptions) -> Self {
        let (waiting, open) = (VecDeque::new(), None);
        let (output, is_json) = (&remote.context.output, remote.json);
        Self { output, how, is_json, keyboard: Keyboard::new(), waiting, open, is_crowded: false }
    }

    /// A decision is to be asked, once those before it are answered.
    pub(super) fn ask(&mut self, decision: UserDecisionRequired) {
        let is_same = |known: &UserDecisionRequired| known.decision_id == decision.decision_id;
        let is_open = self.open.as_ref().is_some_and(|open| is_same(&open.decision));
        if !is_open && !self.waiting.iter().any(is_same) {
            self.waiting.push_back(decision);
        }
    }

    /// Stops asking a decision that has ended, here or elsewhere.
    pub(super) fn close(&mut self, id: &str) -> Result<(), Failure> {
        self.waiting.retain(|decision| decision.decision_id != id);
        if let Some(open) = self.open.take_if(|open| open.decision.decision_id == id)
            && matches!(open.stage, Stage::Typing)
        {
            self.write("\n")?;
        }
        Ok(())
    }

    /// Stops asking anything.
    pub(super) fn abandon(&mut self) -> Result<(), Failure> {
        self.waiting.clear();
        match self.open.as_ref().map(|open| open.decision.decision_id.clone()) {
            Some(id) => self.close(&id),
            None => Ok(()),
        }
    }

    /// Whether a line is waited for.
    pub(super) fn wants_line(&self) -> bool {
        self.open.as_ref().is_some_and(|open| matches!(open.stage, Stage::Typing))
    }

    /// Whether there is an answer that the daemon has not taken yet, or a question that could not be asked.
    pub(super) fn has_answer(&self) -> bool {
        match &self.open {
            Some(open) => matches!(open.stage, Stage::Typed(_)),
            None => !self.waiting.is_empty(),
        }
    }

    /// Advances as far as possible without waiting for the user: asks the next question, sends an answer. What the daemon cannot
    /// be asked now stays as it is.
    ///
    /// # Errors
    ///
    /// When the daemon refuses, or does not answer; the question, or the answer, stays as it is then as well.
    pub(super) async fn advance(&mut self, client: &Client) -> Result<(), RemoteError> {
        while self.open.is_none() {
            let Some(decision) = self.waiting.front() else { return Ok(()) };
            match client.decision(&decision.decision_id, None).await {
                // It has ended meanwhile; its own event reports that.
                Ok(found) if found.status != DecisionStatus::Pending.name() => {
                    self.waiting.pop_front();
                }
                Ok(found) => {
                    if !self.open_next(client, &found).await? {
                        return Ok(());
                    }
                }
                Err(error) if error.may_pass() => return put_off(error),
                Err(error) => return Err(error.into()),
            }
        }
        let Some(OpenDecision { decision, answers, page, stage: stage @ Stage::Typed(_), .. }) =
            &mut self.open
        else {
            return Ok(());
        };
        let Stage::Typed(answer) = std::mem::replace(stage, Stage::Given) else { return Ok(()) };
        match client.respond_via(&decision.decision_id, &answer, Via::Terminal).await {
            // Also if another client was faster: the answer that stands is reported.
            Ok(_) | Err(ClientError::Refused { status: 404 | 409, .. }) => Ok(()),
            Err(error) if error.may_pass() => {
                *stage = Stage::Typed(answer);
                put_off(error)
            }
            Err(ClientError::Refused { status: 400, .. }) if self.keyboard.is_terminal => {
                *stage = Stage::Typing;
                let what = answers.complaint(&answer);
                let hint = DaemonMessage::NoteOnPage { page: page.clone() };
                self.output.warning_with(&Message::daemon(what), &Message::daemon(hint));
                Ok(self.write(MARK)?)
            }
            // What comes next in a pipe was meant for another question.
            Err(error @ ClientError::Refused { status: 400, .. }) if !self.is_json => {
                Err(answers.refused(&answer, page.clone(), error).into())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Asks the next question, or answers it by what is declared for it. False if it cannot be asked now.
    async fn open_next(&mut self, client: &Client, found: &DecisionView) -> Result<bool, RemoteError> {
        let Some(decision) = self.waiting.front().cloned() else { return Ok(true) };
        // The meaning of a bare Enter is no declared default: a user who is not asked has not said it.
        if self.how.takes_defaults && found.default.is_some() {
            match client.respond(&decision.decision_id, "").await {
                Ok(answered) => {
                    self.waiting.pop_front();
                    self.show(&decision)?;
                    self.echo(&answered.response)?;
                    self.open = Some(OpenDecision {
                        decision,
                        answers: Answers::default(),
                        page: String::new(),
                        begun: String::new(),
                        stage: Stage::Given,
                    });
                    return Ok(true);
                }
                Err(error) if error.may_pass() => return put_off(error).map(|()| false),
                Err(ClientError::Refused { status: 404 | 409, .. }) => {
                    self.waiting.pop_front();
                    return Ok(true);
                }
                Err(error) => return Err(error.into()),
            }
        }
        self.waiting.pop_front();
        if self.how.mode == Mode::Silent {
            self.print_open(client, found);
            return Ok(true);
        }
        if self.how.mode == Mode::Stage && !self.is_shown() {
            self.print_open(client, found);
        }
        self.keyboard.forget();
        if self.is_shown() {
            self.set_apart();
            context::print(self.output, client, found);
        }
        if self.is_shown() && found.allow_other == Some(true) {
            self.output.notice(&Message::daemon(DaemonMessage::OwnWords));
        }
        let message = self.output.lang().message(found).into_owned();
        let decision = UserDecisionRequired { message, ..decision };
        self.show(&decision)?;
        let page = remote::page_of(client, found);
        self.open = Some(OpenDecision {
            decision,
            answers: Answers::to(found),
            page,
            begun: String::new(),
            stage: Stage::Typing,
        });
        Ok(true)
    }

    /// Says that a decision waits for an answer, where it is not asked here.
    fn print_open(&self, client: &Client, found: &DecisionView) {
        let (decision, workflow) = (found.decision_id.clone(), &found.workflow_id);
        if self.is_json {
            let event = json!({
                "type": EventType::UserDecisionRequired.name(), "workflowId": workflow, "decisionId": decision,
                "message": found.message,
            });
            self.output.relay(&format!("{}\n", json_safe(&event.to_string())));
            return;
        }
        let question = self.output.lang().message(found).into_owned();
        let (what, page) = (DaemonMessage::WaitsForAnswer { question }, remote::page_of(client, found));
        let hint = DaemonMessage::AnswerOpen { page, decision };
        self.output.warning_with(&Message::daemon(what), &Message::daemon(hint));
    }

    /// Asks the open question once more: what was told since stands between it and the place where it is answered.
    pub(super) fn repeat(&mut self) -> Result<(), Failure> {
        if !self.wants_line() {
            return Ok(());
        }
        let Some(open) = &self.open else { return Ok(()) };
        let decision = open.decision.clone();
        self.write("\n")?;
        self.is_crowded = false;
        self.show(&decision)
    }

    /// Waits for an answer. Can be given up without losing one.
    pub(super) async fn typed(&mut self) -> Result<KeyboardOutcome, Failure> {
        let line = self.keyboard.line().await?;
        let is_shown = self.is_shown();
        let Some(open) = &mut self.open else { return Ok(KeyboardOutcome::Answer) };
        match line {
            Some(line) => {
                let (typed, goes_on) = respond::typed_line(&line);
                open.begun.push_str(typed);
                if goes_on {
                    open.begun.push('\n');
                } else {
                    open.stage = Stage::Typed(std::mem::take(&mut open.begun));
                }
                if !self.keyboard.is_terminal {
                    self.echo(&line)?;
                }
                if goes_on {
                    self.write(MARK)?;
                }
                Ok(KeyboardOutcome::Answer)
            }
            None if is_shown => Ok(KeyboardOutcome::End { decision: open.decision.decision_id.clone() }),
            // No user was asked here; one is asked elsewhere.
            None => std::future::pending().await,
        }
    }

    /// Whether a user can see questions: on a terminal also beside output for a program.
    fn is_shown(&self) -> bool {
        self.how.mode == Mode::Text || self.keyboard.is_terminal && self.how.mode != Mode::Silent
    }

    fn show(&mut self, decision: &UserDecisionRequired) -> Result<(), Failure> {
        if !self.is_shown() {
            return Ok(());
        }
        self.set_apart();
        self.line("");
        lines::question(&decision.message, decision.options.as_deref())
            .iter()
            .for_each(|line| self.line(line));
        self.is_crowded = true;
        self.write(MARK)
    }

    /// Echoes an answer that was not typed at a terminal, as if it had been.
    fn echo(&self, answer: &str) -> Result<(), Failure> {
        if self.is_shown() {
            self.line(answer);
        }
        Ok(())
    }

    /// Tells something, beside a question that may be open.
    pub(super) fn between(&mut self, tell: impl FnOnce(&Output)) -> Result<(), Failure> {
        let is_open = self.is_shown() && self.wants_line();
        if is_open {
            self.write("\n")?;
        } else {
            self.set_apart();
        }
        tell(self.output);
        if is_open { self.write(MARK) } else { Ok(()) }
    }

    fn set_apart(&mut self) {
        if std::mem::take(&mut self.is_crowded) {
            self.line("");
        }
    }

    fn line(&self, line: &str) {
        match self.how.mode {
            Mode::Text => self.output.plain(line),
            _ => self.output.relay(&format!("{}\n", line.replace('\n', "\\n"))),
        }
    }

    fn write(&self, text: &str) -> Result<(), Failure> {
        match self.how.mode {
            _ if !self.is_shown() => Ok(()),
            Mode::Text => self.output.prompt(text),
            _ => {
                self.output.relay(text);
                Ok(())
            }
        }
    }
}

/// Leaves for later what the daemon cannot be asked now.
///
/// # Errors
///
/// When the daemon does not answer: asking again would find that out each time anew, and say nothing of it.
pub(super) fn put_off(error: ClientError) -> Result<(), RemoteError> {
    match error {
        ClientError::Unresponsive { .. } => Err(error.into()),
        _ => Ok(()),
    }
}

impl Drop for Prompt<'_> {
    fn drop(&mut self) {
        if self.wants_line() {
            // What comes next does not stand behind it.
            let _ = self.write("\n");
        }
    }
}
