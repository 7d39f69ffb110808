//! `aide workflow repl`: a conversation with a daemon.

use super::keyboard::Keyboard;
use super::lines::{self, Lines, WorkflowEnd};
use super::orchestrate::DEFAULT_RETRY;
use super::{context, decision, help, interrupted, list, output, status};
use crate::command_line::layout::{Layout, Program};
use crate::command_line::{Command, remote_flags};
use crate::context::{Context, DONE};
use crate::failure::{Failure, RemoteError};
use crate::known;
use crate::messages::{DaemonMessage, Message};
use crate::remote::{self, Remote};
use clap::ArgMatches;
use client::{Client, ClientError, FollowUpdate, Subscription};
use model::Via;
use protocol::workflow::api::DecisionView;
use protocol::workflow::requests::{MessageRequest, ORCHESTRATOR};
use protocol::workflow::{DecisionStatus, Event, EventType};
use serde_json::{Map, Value, json};
use texts::json_safe;

/// `aide workflow repl`
pub(super) static COMMAND: Command = Command { name: "repl", build, run };

/// So much of a workflow's name stands before the prompt.
const NAME_LENGTH: usize = 8;

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .shared_command(COMMAND.name, words.repl, "{workflow} repl [OPTIONS]", words.repl_after)
        .args(remote_flags(layout))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    remote::ask(context, matches, async |remote| {
        let root = context.project()?.root();
        known::note(root);
        let folder = root.to_string_lossy().into_owned();
        let (keyboard, lines) = (Keyboard::new(), Lines::default());
        let is_json = remote.json;
        let (workflow, interrupted) = (None, None);
        let repl =
            Repl { remote, folder, keyboard, workflow, lines, interrupted, is_json, is_prompted: false };
        repl.run().await
    })
}

struct Repl<'r> {
    remote: &'r Remote<'r>,
    /// Where new workflows belong.
    folder: String,
    keyboard: Keyboard,
    /// The one that is spoken to.
    workflow: Option<String>,
    lines: Lines,
    /// Since when it is interrupted, if that was told.
    interrupted: Option<String>,
    /// Whether events are printed as JSON.
    is_json: bool,
    /// Whether the prompt stands at the end of what was printed.
    is_prompted: bool,
}

/// Whether it goes on.
#[derive(PartialEq, Eq)]
enum NextAction {
    Line,
    Leave,
}

impl Repl<'_> {
    async fn run(mut self) -> Result<u8, RemoteError> {
        let remote = self.remote;
        let program = match Program::called(std::env::args_os().next().as_deref()) {
            Program::Finger => "Finger",
            Program::Aide => "Aide",
        };
        remote.line(&format!("{program} REPL v{}", env!("CARGO_PKG_VERSION")));
        remote.line("Type /help for available commands");
        remote.line("");
        remote.line("Connecting to daemon...");
        let following = remote.client.follow(Subscription::default(), DEFAULT_RETRY, || remote.again());
        let mut following = following.await?;
        remote.line("Connected ✓");
        loop {
            self.prompt()?;
            tokio::select! {
                biased;
                heard = following.next() => {
                    let heard = heard?;
                    self.hear(heard, following.client()).await?;
                }
                line = self.keyboard.line() => {
                    let line = line?;
                    self.is_prompted = false;
                    // Echo input that was not typed at a terminal, as if it had been.
                    match &line {
                        Some(line) if !self.keyboard.is_terminal => remote.line(line),
                        None => remote.line(""),
                        Some(_) => {}
                    }
                    // The end of input is a way to leave.
                    let line = line.unwrap_or_else(|| "/exit".to_owned());
                    match self.take(line.trim(), following.client()).await {
                        Ok(NextAction::Line) => {}
                        Ok(NextAction::Leave) => break,
                        // It goes on with the next line.
                        Err(RemoteError::Client(error)) => remote.context.output.failure(&error.into()),
                        Err(trouble) => return Err(trouble),
                    }
                }
            }
        }
        remote.line("Goodbye!");
        Ok(DONE)
    }

    fn prompt(&mut self) -> Result<(), Failure> {
        if std::mem::replace(&mut self.is_prompted, true) {
            return Ok(());
        }
        let mark = match &self.workflow {
            Some(workflow) => format!("[{}] > ", workflow.chars().take(NAME_LENGTH).collect::<String>()),
            None => "> ".to_owned(),
        };
        self.remote.context.output.prompt(&mark)
    }

    /// A line beside what is being typed.
    fn say(&mut self, line: &str) -> Result<(), Failure> {
        if std::mem::take(&mut self.is_prompted) {
            self.remote.context.output.prompt("\n")?;
        }
        self.remote.line(line);
        Ok(())
    }

    async fn hear(&mut self, heard: FollowUpdate, client: &Client) -> Result<(), RemoteError> {
        let is_back = heard == FollowUpdate::Back;
        let message = match heard {
            FollowUpdate::Event(event) => return self.event(&event, client).await,
            FollowUpdate::Gap(_) => return Ok(()),
            FollowUpdate::Lost => DaemonMessage::ConnectionLost,
            FollowUpdate::Silent => DaemonMessage::NoAnswerYet,
            FollowUpdate::Back => DaemonMessage::ConnectionBack,
        };
        if std::mem::take(&mut self.is_prompted) {
            self.remote.context.output.prompt("\n")?;
        }
        self.remote.context.output.warning(&Message::daemon(message));
        if is_back { self.print_interruption(client).await } else { Ok(()) }
    }

    /// Reports, once, that the workflow is interrupted, if it is. Reports nothing if the daemon cannot be asked.
    async fn print_interruption(&mut self, client: &Client) -> Result<(), RemoteError> {
        let Some(workflow) = &self.workflow else { return Ok(()) };
        let Ok(state) = client.state(workflow).await else { return Ok(()) };
        let since = interrupted::is_interrupted(&state).then(|| state.timestamp.clone());
        if since.is_none() || self.interrupted == since {
            return Ok(());
        }
        self.interrupted = since;
        if std::mem::take(&mut self.is_prompted) {
            self.remote.context.output.prompt("\n")?;
        }
        interrupted::print(&self.remote.context.output, &state);
        Ok(())
    }

    async fn event(&mut self, envelope: &Map<String, Value>, client: &Client) -> Result<(), RemoteError> {
        let text = |member: &str| envelope.get(member).and_then(Value::as_str);
        let Some(workflow) = self.workflow.clone().filter(|known| text("workflowId") == Some(known)) else {
            return Ok(());
        };
        let payload = envelope.get("payload").unwrap_or(&Value::Null).to_string();
        let read = EventType::named(text("type").unwrap_or_default()).map(|kind| Event::read(kind, &payload));
        let event = read.and_then(Result::ok);
        let end = event.as_ref().and_then(WorkflowEnd::from_event);
        if self.is_json {
            self.say(&json_safe(&json!(envelope).to_string()))?;
        } else if let Some(event) = &event {
            if self.lines.needs_order(event)
                && let Ok(tasks) = client.tasks(&workflow).await
            {
                self.lines.set_order(tasks.into_iter().map(|task| task.id).collect());
            }
            let time = text("timestamp").and_then(store::local_time).unwrap_or_default();
            let mut lines = self.lines.for_event(event);
            if let Event::UserDecisionReceived(received) = event {
                lines.push(format!("Decision: {}", lines::answer(&received.decision, &received.selected)));
            }
            if let Some(end) = end {
                lines.push(format!("Workflow {}: {workflow}", end.word()));
                if let (WorkflowEnd::Completed, Some(path)) = (end, self.lines.output()) {
                    let path = output::told_path(self.remote, client, &workflow, path).await?;
                    lines.push(format!("Output saved to: {path}"));
                }
            }
            for line in lines {
                self.say(&format!("[{time}] {line}"))?;
            }
            if let Event::UserDecisionRequired(asked) = event {
                // Where it cannot be asked, its question stands alone.
                let mut message = asked.message.clone();
                if let Ok(found) = client.decision(&asked.decision_id, None).await {
                    self.print_context(&found, client)?;
                    message = self.remote.context.output.lang().message(&found).into_owned();
                }
                self.ask(&message, asked.options.as_deref())?;
            }
        }
        if matches!(event, Some(Event::SystemError(_))) {
            self.print_interruption(client).await?;
        }
        if end.is_some() {
            self.turn_to(None)?;
        }
        Ok(())
    }

    fn print_context(&mut self, decision: &DecisionView, client: &Client) -> Result<(), Failure> {
        if std::mem::take(&mut self.is_prompted) {
            self.remote.context.output.prompt("\n")?;
        }
        context::print(&self.remote.context.output, client, decision);
        Ok(())
    }

    fn ask(&mut self, message: &str, options: Option<&[String]>) -> Result<(), Failure> {
        self.say("")?;
        lines::question(message, options).iter().try_for_each(|line| self.say(line))
    }

    /// Speaks to another workflow from now on.
    fn turn_to(&mut self, workflow: Option<String>) -> Result<(), Failure> {
        if std::mem::take(&mut self.is_prompted) {
            // The prompt names it.
            self.remote.context.output.prompt("\n")?;
        }
        (self.workflow, self.lines) = (workflow, Lines::default());
        Ok(())
    }

    async fn take(&mut self, line: &str, client: &Client) -> Result<NextAction, RemoteError> {
        let Some(command) = line.strip_prefix('/') else {
            if !line.is_empty() {
                self.speak(line, client).await?;
            }
            return Ok(NextAction::Line);
        };
        let (command, argument) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
        match command {
            "exit" | "quit" => return Ok(NextAction::Leave),
            "help" => {
                let words = self.remote.pick(&help::ZH, &help::EN);
                words.repl_help.iter().for_each(|line| self.remote.line(line));
            }
            "list" => {
                for workflow in client.workflows(&[]).await? {
                    self.remote.line(&format!("- {}: {}", workflow.id, list::state(&workflow)));
                }
            }
            "new" => {
                self.turn_to(None)?;
                self.remote.line("✓ Ready for a new workflow");
            }
            "json" | "text" => {
                self.is_json = command == "json";
                self.remote.line(&format!("✓ Output: {command}"));
            }
            "clear" if self.remote.context.output.is_terminal() => self.remote.context.output.clear(),
            "clear" => {}
            "answer" => self.answer(argument.trim(), client).await?,
            "switch" => self.switch(argument.trim(), client).await?,
            "status" | "pause" | "resume" | "cancel" => self.steer(command, client).await?,
            _ => {
                self.remote.line(&format!("Unknown command: /{command}"));
                self.remote.line("Type /help for available commands");
            }
        }
        Ok(NextAction::Line)
    }

    /// Begins a workflow, or says something to the one that is there.
    async fn speak(&mut self, line: &str, client: &Client) -> Result<(), RemoteError> {
        if let Some(workflow) = &self.workflow {
            client.input(workflow, line).await?;
            self.remote.line("✓ Input sent");
            return Ok(());
        }
        let message = MessageRequest {
            target: ORCHESTRATOR.to_owned(),
            message: json!({ "content": line, "projectPath": self.folder }),
            blocking: None,
            sender: Some("cli".to_owned()),
            callback_id: None,
        };
        let workflow = client.send(&message).await?.workflow_id.unwrap_or_default();
        self.remote.line(&format!("✓ Workflow started: {workflow}"));
        self.turn_to(Some(workflow))?;
        Ok(())
    }

    /// Answers the decision that is named first.
    async fn answer(&mut self, argument: &str, client: &Client) -> Result<(), RemoteError> {
        let Some((decision, answer)) = argument.split_once(char::is_whitespace) else {
            self.remote.line("Usage: /answer DECISION ANSWER");
            return Ok(());
        };
        let answer = answer.trim();
        match client.respond_via(decision, answer, Via::Terminal).await {
            Err(error) if decision::is_no_answer(&error) => {
                let failure = decision::with_page(self.remote, decision, answer, error).await;
                self.remote.context.output.failure(&failure);
            }
            answered => {
                answered?;
                self.remote.line("✓ Answer sent");
            }
        }
        Ok(())
    }

    async fn switch(&mut self, workflow: &str, client: &Client) -> Result<(), RemoteError> {
        let found = client.state(workflow).await?.workflow_id;
        self.remote.line(&format!("✓ Switched to workflow {found}"));
        let pending = client.decisions(Some(&found), Some(DecisionStatus::Pending.name())).await?;
        self.turn_to(Some(found))?;
        for asked in pending.decisions {
            self.print_context(&asked, client)?;
            let message = self.remote.context.output.lang().message(&asked).into_owned();
            self.ask(&message, asked.options.as_deref())?;
        }
        Ok(())
    }

    async fn steer(&mut self, command: &str, client: &Client) -> Result<(), RemoteError> {
        let Some(workflow) = &self.workflow else {
            self.remote.line("No workflow");
            return Ok(());
        };
        let line = match command {
            "pause" => client.pause(workflow, false).await.map(|_| "✓ Workflow paused".to_owned()),
            "resume" => client.resume(workflow).await.map(|_| "✓ Workflow resumed".to_owned()),
            "cancel" => client.cancel(workflow).await.map(|_| "✓ Workflow cancelled".to_owned()),
            _ => {
                let state = client.state(workflow).await;
                state.map(|state| format!("Status: {} ({})", status::word(&state), state.fsm_state))
            }
        };
        self.remote.line(&line.map_err(|error: ClientError| RemoteError::Client(error))?);
        Ok(())
    }
}
