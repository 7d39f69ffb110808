//! What follows from a command.

mod agents;
mod answers;
mod begin;
mod decisions;
mod enter;
mod input;
mod needed;
mod pause;
mod tasks;
mod transition;

pub use begin::{OpeningMessage, PhaseRequest, SendingAgent};
pub use needed::NeededAgents;

use crate::TriggerPayload;
use crate::decision::{DecisionReason, NewDecision, Resolution};
use crate::event::Event;
use crate::scratch::{Moment, Scratch};
use crate::state::State;
use model::Via;
use protocol::workflow::api::SessionCheckpoint;
use protocol::workflow::{AgentTrigger, RecoveryQuestion, Refusal, TaskTrigger, Trigger};

/// What is to happen to a workflow.
#[derive(Debug, Clone)]
pub enum Command {
    /// A new workflow begins, in the session and with the task that the state has.
    Begin(Box<OpeningMessage>),
    /// A trigger.
    Transition {
        /// The trigger.
        trigger: Trigger,
        /// What comes with it.
        payload: TriggerPayload,
        /// Whose act it is.
        by: Initiator,
    },
    /// A pause; a hard one breaks off what runs.
    Pause {
        /// Whether it is a hard one.
        is_hard: bool,
    },
    /// Input of the user.
    Input {
        /// The text.
        text: String,
        /// The way in which it came.
        via: Via,
    },
    /// The user is asked.
    Ask {
        /// The question.
        new: Box<NewDecision>,
        /// The session that it belongs to, or why there is none.
        session: Result<String, Refusal>,
        /// Why the user is asked.
        why: DecisionReason,
        /// Whether the workflow as a whole waits for it if it waits for no other decision.
        is_awaited: bool,
    },
    /// The user is asked how the workflow continues after this task has failed.
    AskAboutFailure {
        /// The task.
        task: String,
        /// An explanation, in Markdown.
        context: String,
    },
    /// The decision about the failed task is used.
    UseRecovery,
    /// A decision ends. It must be open.
    EndDecision {
        /// Its ID.
        decision: String,
        /// How it ends.
        resolution: Box<Resolution>,
        /// The way in which the answer came.
        via: Via,
    },
    /// A workflow that was left continues from a checkpoint.
    ResumeFrom {
        /// The checkpoint.
        checkpoint: Box<SessionCheckpoint>,
        /// Whether it is the last one: the workflow has not gone on since.
        is_last: bool,
    },
    /// The workflow is left without a driver.
    Interrupt,
    /// The workflow cannot continue: it is left to the user, who says when it does.
    Park {
        /// Why.
        error: String,
    },
    /// An agent is given to the workflow.
    Deploy {
        /// The agent.
        agent: String,
        /// The session that the workflow is expected to belong to.
        session: String,
    },
    /// An agent is taken from the workflow.
    Release {
        /// The agent.
        agent: String,
    },
    /// A task is sent to an agent, which is yet to accept it.
    Dispatch {
        /// The task.
        task: String,
        /// The agent.
        agent: String,
    },
    /// The agent has not accepted the task that was sent to it: the task can be sent again.
    TakeBackUnaccepted {
        /// The task.
        task: String,
        /// How that was noticed.
        why: TaskTrigger,
        /// The message.
        words: String,
    },
    /// The agent of a task that waited takes it up again.
    TakeUp {
        /// The task.
        task: String,
        /// The agent.
        agent: String,
    },
    /// The agent of a task that waits does other work meanwhile.
    LayAside {
        /// The task.
        task: String,
        /// The agent.
        agent: String,
    },
    /// A task that has failed can be tried again.
    Retry {
        /// The task.
        task: String,
    },
    /// All tasks that have failed, or could not be done, can be tried again.
    RetryFailed,
}

/// Whose act a transition is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Initiator {
    /// The workflow's driver.
    Driver,
    /// User input or the clock; neither drives a workflow.
    Other,
}

impl Command {
    /// Returns a transition by the driver.
    pub fn drive(trigger: Trigger, payload: TriggerPayload) -> Self {
        Self::Transition { trigger, payload, by: Initiator::Driver }
    }

    /// Returns a transition that no driver has made.
    pub fn trigger(trigger: Trigger) -> Self {
        Self::Transition { trigger, payload: TriggerPayload::default(), by: Initiator::Other }
    }

    /// Returns the decision that it names, besides those that the context of the workflow names.
    pub fn decision(&self) -> Option<&str> {
        match self {
            Self::Transition { payload, .. } => payload.decision_id(),
            Self::EndDecision { decision, .. } => Some(decision),
            _ => None,
        }
    }

    /// Returns the task whose [`State::last_round`] it depends on.
    pub fn task_without_round(&self) -> Option<&str> {
        match self {
            Self::Transition { trigger: Trigger::TaskProgress, payload, .. } => payload.task_without_round(),
            _ => None,
        }
    }
}

/// Returns what follows from a command, in its order. The state is used up: a command of several steps changes it as it goes.
///
/// # Errors
///
/// Why it is refused.
pub fn decide(state: State, moment: Moment, command: Command) -> Result<Vec<Event>, Refusal> {
    let mut scratch = Scratch::new(state, moment);
    execute(&mut scratch, command)?;
    Ok(scratch.into_events())
}

fn execute(scratch: &mut Scratch, command: Command) -> Result<(), Refusal> {
    match command {
        Command::Begin(message) => begin::begin(scratch, *message)?,
        Command::Transition { trigger, payload, by } => {
            transition::transition(scratch, trigger, &payload, by)?;
        }
        Command::Pause { is_hard } => pause::pause(scratch, is_hard)?,
        Command::Input { text, via } => input::take(scratch, &text, via)?,
        Command::Ask { new, session, why, is_awaited } => {
            let decision = decisions::ask(scratch, &new, session, why)?;
            if is_awaited {
                answers::await_asked(scratch, &decision);
            }
        }
        Command::AskAboutFailure { task, context } => ask_about_failure(scratch, &task, context)?,
        Command::UseRecovery => {
            let mut context = scratch.state().context.clone();
            context.clear_recovery();
            scratch.store(context);
        }
        Command::EndDecision { decision, resolution, via } => {
            answers::end_and_go_on(scratch, &decision, &resolution, via)?;
        }
        Command::ResumeFrom { checkpoint, is_last } => pause::resume_from(scratch, *checkpoint, is_last)?,
        Command::Interrupt => pause::interrupt(scratch),
        Command::Park { error } => pause::park(scratch, error),
        Command::Deploy { agent, session } => agents::deploy(scratch, &agent, &session)?,
        Command::Release { agent } => agents::release(scratch, &agent),
        Command::Dispatch { task, agent } => tasks::dispatch(scratch, &task, &agent),
        Command::TakeBackUnaccepted { task, why, words } => {
            tasks::take_back_unaccepted(scratch, &task, why, &words);
        }
        Command::TakeUp { task, agent } => {
            if let Some(task) = scratch.state().task(&task).cloned() {
                let steps = [AgentTrigger::DispatchAck, AgentTrigger::TaskExecutionStarted];
                agents::works(scratch, &agent, &task, &steps);
            }
        }
        Command::LayAside { task, agent } => agents::leave(scratch, &agent, &task),
        Command::Retry { task } => tasks::retry(scratch, &task),
        Command::RetryFailed => tasks::retry_failed(scratch),
    }
    Ok(())
}

/// Asks the user how the workflow continues after a task has failed.
fn ask_about_failure(scratch: &mut Scratch, task: &str, context: String) -> Result<(), Refusal> {
    let state = scratch.state();
    let number = state.task(task).map_or(0, |task| task.no).to_string();
    let session = state.workflow.session.clone();
    let question = RecoveryQuestion::TaskFailed { number: &number };
    let new = NewDecision { context: Some(context), ..NewDecision::recovery(question) };
    let decision = decisions::ask(scratch, &new, Ok(session), DecisionReason::Recovery)?;
    let mut context = scratch.state().context.clone();
    context.set_recovery(&decision);
    scratch.store(context);
    Ok(())
}
