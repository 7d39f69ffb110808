//! The phases of a workflow.

use super::TaskState;
use super::macros::names;
use serde_json::{Map, Value};

names! {
    /// The phase that a workflow is in.
    WorkflowState {
        /// Nothing has been asked of it.
        Idle = "idle",
        /// What was asked is being understood.
        SemanticUnderstanding = "semantic_understanding",
        /// Where to go on is being decided.
        RoutingDecision = "routing_decision",
        /// Its tasks are being planned.
        PlanLoop = "plan_loop",
        /// Its tasks are being done.
        Execution = "execution",
        /// What they have come to is being judged.
        Review = "review",
        /// Whether the plan still holds is being decided.
        ReplanEvaluation = "replan_evaluation",
        /// It cannot go on before a person has decided.
        WaitUserDecision = "wait_user_decision",
        /// Somebody has paused it.
        Paused = "paused",
        /// It has come to its end.
        Completed = "completed",
        /// It has ended without a result.
        Failed = "failed",
    }
}

names! {
    /// What can happen to a workflow.
    Trigger {
        /// A person has said what is wanted.
        UserInputReceived = "user_input_received",
        /// It is known what was meant.
        IntentAnalyzed = "intent_analyzed",
        /// It is decided where to go on: `context.route`.
        RoutingDecided = "routing_decided",
        /// There is a plan.
        PlanCreated = "plan_created",
        /// A task was given to an agent.
        TaskDispatched = "task_dispatched",
        /// An agent has begun a task.
        TaskStarted = "task_started",
        /// A task has come further.
        TaskProgress = "task_progress",
        /// A task is done.
        TaskCompleted = "task_completed",
        /// A task has failed.
        TaskFailed = "task_failed",
        /// The result is accepted.
        ReviewPassed = "review_passed",
        /// The result is not accepted.
        ReviewRejected = "review_rejected",
        /// What was planned no longer fits.
        MajorChangeDetected = "major_change_detected",
        /// Nobody can do what has to be done.
        ResourceMissing = "resource_missing",
        /// A person has decided: `context.decision`.
        UserDecisionReceived = "user_decision_received",
        /// Somebody wants it paused.
        PauseRequested = "pause_requested",
        /// Somebody wants it to go on.
        ResumeRequested = "resume_requested",
        /// Somebody wants it ended.
        CancelRequested = "cancel_requested",
        /// Something went wrong: `context.lastError`.
        ErrorOccurred = "error_occurred",
    }
}

names! {
    /// Where to go on: `context.route`.
    Route {
        /// With what is planned.
        ContinueExecution = "continue_execution",
        /// With a plan that differs a little.
        MinorReplan = "minor_replan",
        /// With a new plan.
        FullReplan = "full_replan",
        /// With another task.
        NewTask = "new_task",
        /// With what controls the workflow: pause, resume, cancel, status.
        ControlAction = "control_action",
        /// Where a person says.
        WaitUserDecision = "wait_user_decision",
    }
}

names! {
    /// What a person wants a workflow to do: `context.decision`. Any other decision is for the router.
    Answer {
        /// Plan anew.
        Replan = "replan",
        /// Go on.
        Continue = "continue",
        /// Plan something else.
        NewTask = "new_task",
        /// End.
        Abort = "abort",
    }
}

names! {
    /// A phase in one word, for whoever does not need to know more.
    SimpleStatus {
        /// What to do is not known yet.
        Planning = "planning",
        /// It is being done.
        Executing = "executing",
        /// It has come to its end.
        Completed = "completed",
        /// It has ended without a result.
        Failed = "failed",
        /// It waits for somebody.
        Paused = "paused",
    }
}

names! {
    /// One phase that is all that a workflow is for: `context.stage`. It ends with what comes of that phase.
    SingleStage {
        /// What is wanted is understood.
        Understand = "understand",
        /// Where to go on is decided.
        Route = "route",
        /// A task is planned.
        Plan = "plan",
        /// A task is done.
        Execute = "execute",
        /// What is proposed is judged.
        Review = "review",
    }
}

impl SingleStage {
    /// The stage that a context names.
    pub fn of(context: &Map<String, Value>) -> Option<Self> {
        context.get("stage").and_then(Value::as_str).and_then(Self::named)
    }

    /// The module that a message goes to that asks for it.
    pub fn module(self) -> &'static str {
        match self {
            Self::Understand => "understanding-agent",
            Self::Route => "router-agent",
            Self::Plan => "planner-agent",
            Self::Execute => "executor-agent",
            Self::Review => "reviewer-agent",
        }
    }

    /// The phase that is meant.
    pub fn phase(self) -> WorkflowState {
        match self {
            Self::Understand => SemanticUnderstanding,
            Self::Route => RoutingDecision,
            Self::Plan => PlanLoop,
            Self::Execute => Execution,
            Self::Review => Review,
        }
    }
}

/// One row of the table: where, what happens, on which condition, and what follows.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// In which phases.
    pub from: From,
    /// What happens.
    pub trigger: Trigger,
    /// The condition; none if it always holds.
    pub guard: Option<Guard>,
    /// What follows.
    pub to: To,
}

/// In which phases a [`Rule`] holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum From {
    /// In this one.
    State(WorkflowState),
    /// In every one that has not ended and is not paused.
    Active,
    /// In every one that has not ended.
    Open,
}

/// On which condition a [`Rule`] holds, as the context tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guard {
    /// `route` is one of these.
    Route(&'static [Route]),
    /// `route` is one of these, or absent.
    RouteOrNone(&'static [Route]),
    /// `decision` is one of these.
    Decision(&'static [Answer]),
    /// Every one of `tasks` has ended, or there are none.
    TasksEnded,
    /// `stage` is one of these.
    Stage(&'static [SingleStage]),
    /// `stage` is `execute`, and every one of `tasks` has ended.
    StageTasksEnded,
    /// `retriesExhausted`, and not `replannable`.
    CannotRecover,
    /// `lastError` is told.
    ErrorTold,
}

/// What follows from a [`Rule`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum To {
    /// This phase.
    State(WorkflowState),
    /// The phase that was paused.
    BeforePause,
    /// The same phase: it is known now, and nothing changes.
    Same,
}

/// What becomes of a workflow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// It enters this phase.
    Enter(WorkflowState),
    /// It stays where it is.
    Stay,
}

/// Why nothing becomes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// The workflow has ended.
    Ended,
    /// It is paused already.
    AlreadyPaused,
    /// It is not paused.
    NotPaused,
    /// Nothing of the kind can happen in this phase, or not with this context.
    Invalid,
}

use WorkflowState::{
    Completed, Execution, Failed, Idle, Paused, PlanLoop, ReplanEvaluation, Review, RoutingDecision,
    SemanticUnderstanding, WaitUserDecision,
};

/// What can happen in which phase. The first row that fits holds.
pub const RULES: &[Rule] = &[
    guarded(Idle, Trigger::UserInputReceived, Guard::Stage(&[SingleStage::Route]), RoutingDecision),
    guarded(Idle, Trigger::UserInputReceived, Guard::Stage(&[SingleStage::Plan]), PlanLoop),
    guarded(Idle, Trigger::UserInputReceived, Guard::Stage(&[SingleStage::Execute]), Execution),
    guarded(Idle, Trigger::UserInputReceived, Guard::Stage(&[SingleStage::Review]), Review),
    always(Idle, Trigger::UserInputReceived, To::State(SemanticUnderstanding)),
    guarded(
        SemanticUnderstanding,
        Trigger::IntentAnalyzed,
        Guard::Stage(&[SingleStage::Understand]),
        Completed,
    ),
    always(SemanticUnderstanding, Trigger::IntentAnalyzed, To::State(RoutingDecision)),
    guarded(RoutingDecision, Trigger::RoutingDecided, Guard::Stage(&[SingleStage::Route]), Completed),
    guarded(
        RoutingDecision,
        Trigger::RoutingDecided,
        Guard::RouteOrNone(&[Route::FullReplan, Route::MinorReplan]),
        PlanLoop,
    ),
    guarded(RoutingDecision, Trigger::RoutingDecided, Guard::Route(&[Route::ContinueExecution]), Execution),
    guarded(
        RoutingDecision,
        Trigger::RoutingDecided,
        Guard::Route(&[Route::WaitUserDecision, Route::NewTask]),
        WaitUserDecision,
    ),
    guarded(PlanLoop, Trigger::PlanCreated, Guard::Stage(&[SingleStage::Plan]), Completed),
    always(PlanLoop, Trigger::PlanCreated, To::State(Execution)),
    always(Execution, Trigger::TaskDispatched, To::Same),
    always(Execution, Trigger::TaskStarted, To::Same),
    always(Execution, Trigger::TaskProgress, To::Same),
    guarded(Execution, Trigger::TaskCompleted, Guard::StageTasksEnded, Completed),
    guarded(Execution, Trigger::TaskCompleted, Guard::TasksEnded, Review),
    always(Execution, Trigger::TaskCompleted, To::Same),
    guarded(Execution, Trigger::TaskFailed, Guard::CannotRecover, Failed),
    always(Execution, Trigger::TaskFailed, To::Same),
    always(Execution, Trigger::MajorChangeDetected, To::State(ReplanEvaluation)),
    always(Execution, Trigger::ResourceMissing, To::State(WaitUserDecision)),
    stays(Execution, Trigger::UserInputReceived, Guard::Stage(STAGES)),
    always(Execution, Trigger::UserInputReceived, To::State(SemanticUnderstanding)),
    guarded(ReplanEvaluation, Trigger::RoutingDecided, Guard::Route(&[Route::FullReplan]), PlanLoop),
    guarded(ReplanEvaluation, Trigger::RoutingDecided, Guard::Route(&[Route::ContinueExecution]), Execution),
    guarded(Review, Trigger::ReviewRejected, Guard::Stage(&[SingleStage::Review]), Completed),
    always(Review, Trigger::ReviewRejected, To::State(Execution)),
    always(Review, Trigger::ReviewPassed, To::State(Completed)),
    guarded(Review, Trigger::TaskFailed, Guard::CannotRecover, Failed),
    guarded(
        WaitUserDecision,
        Trigger::UserDecisionReceived,
        Guard::Decision(&[Answer::Replan, Answer::NewTask]),
        PlanLoop,
    ),
    guarded(WaitUserDecision, Trigger::UserDecisionReceived, Guard::Decision(&[Answer::Continue]), Execution),
    guarded(WaitUserDecision, Trigger::UserDecisionReceived, Guard::Decision(&[Answer::Abort]), Failed),
    always(WaitUserDecision, Trigger::UserDecisionReceived, To::State(RoutingDecision)),
    // What runs goes on while it is paused, and what comes of it is judged when that is over.
    always(Paused, Trigger::TaskStarted, To::Same),
    always(Paused, Trigger::TaskProgress, To::Same),
    always(Paused, Trigger::TaskCompleted, To::Same),
    always(Paused, Trigger::TaskFailed, To::Same),
    always(Paused, Trigger::ResumeRequested, To::BeforePause),
    stays(Paused, Trigger::UserInputReceived, Guard::Stage(STAGES)),
    always(Paused, Trigger::UserInputReceived, To::State(SemanticUnderstanding)),
    Rule { from: From::Active, trigger: Trigger::PauseRequested, guard: None, to: To::State(Paused) },
    Rule { from: From::Open, trigger: Trigger::CancelRequested, guard: None, to: To::State(Failed) },
    Rule {
        from: From::Open,
        trigger: Trigger::ErrorOccurred,
        guard: Some(Guard::ErrorTold),
        to: To::State(Failed),
    },
];

/// What is said to a workflow of one phase is for the next that is asked in that phase.
const STAGES: &[SingleStage] = SingleStage::ALL;

const fn stays(from: WorkflowState, trigger: Trigger, guard: Guard) -> Rule {
    Rule { from: From::State(from), trigger, guard: Some(guard), to: To::Same }
}

const fn always(from: WorkflowState, trigger: Trigger, to: To) -> Rule {
    Rule { from: From::State(from), trigger, guard: None, to }
}

const fn guarded(from: WorkflowState, trigger: Trigger, guard: Guard, to: WorkflowState) -> Rule {
    Rule { from: From::State(from), trigger, guard: Some(guard), to: To::State(to) }
}

/// Returns what becomes of a workflow that is in the phase `state` and was paused in the phase `paused_in`, when `trigger`
/// happens. `context` is what would be known of it afterwards.
///
/// # Errors
///
/// When no row of [`RULES`] fits.
pub fn next(
    state: WorkflowState,
    paused_in: Option<WorkflowState>,
    trigger: Trigger,
    context: &Map<String, Value>,
) -> Result<Next, Refused> {
    let mut rules = RULES.iter().filter(|rule| rule.trigger == trigger && rule.from.holds(state));
    let rule = rules.find(|rule| rule.guard.is_none_or(|guard| guard.holds(context)));
    match rule.map(|rule| rule.to) {
        Some(To::State(state)) => Ok(Next::Enter(state)),
        Some(To::BeforePause) => paused_in.map(Next::Enter).ok_or(Refused::Invalid),
        Some(To::Same) => Ok(Next::Stay),
        None if state.is_terminal() => Err(Refused::Ended),
        None if trigger == Trigger::PauseRequested => Err(Refused::AlreadyPaused),
        None if trigger == Trigger::ResumeRequested => Err(Refused::NotPaused),
        None => Err(Refused::Invalid),
    }
}

impl WorkflowState {
    /// Whether nothing more can happen to it.
    pub fn is_terminal(self) -> bool {
        matches!(self, Completed | Failed)
    }

    /// Returns the phase in one word.
    pub fn simple(self) -> SimpleStatus {
        match self {
            Idle | SemanticUnderstanding | RoutingDecision | PlanLoop => SimpleStatus::Planning,
            Execution | Review | ReplanEvaluation => SimpleStatus::Executing,
            WaitUserDecision | Paused => SimpleStatus::Paused,
            Completed => SimpleStatus::Completed,
            Failed => SimpleStatus::Failed,
        }
    }
}

impl From {
    /// Whether `state` is one of these.
    pub fn holds(self, state: WorkflowState) -> bool {
        match self {
            Self::State(one) => one == state,
            Self::Active => !state.is_terminal() && state != Paused,
            Self::Open => !state.is_terminal(),
        }
    }
}

impl Guard {
    /// Whether the context says so.
    pub fn holds(self, context: &Map<String, Value>) -> bool {
        let text = |key: &str| context.get(key).and_then(Value::as_str);
        let flag = |key: &str| context.get(key) == Some(&Value::Bool(true));
        match self {
            Self::Route(routes) => text("route").and_then(Route::named).is_some_and(|r| routes.contains(&r)),
            Self::RouteOrNone(routes) => {
                matches!(context.get("route"), None | Some(Value::Null)) || Self::Route(routes).holds(context)
            }
            Self::Decision(answers) => {
                text("decision").and_then(Answer::named).is_some_and(|a| answers.contains(&a))
            }
            Self::TasksEnded => match context.get("tasks") {
                Some(Value::Array(tasks)) => tasks.iter().all(has_ended),
                _ => true,
            },
            Self::Stage(stages) => SingleStage::of(context).is_some_and(|stage| stages.contains(&stage)),
            Self::StageTasksEnded => {
                SingleStage::of(context) == Some(SingleStage::Execute) && Self::TasksEnded.holds(context)
            }
            Self::CannotRecover => flag("retriesExhausted") && !flag("replannable"),
            Self::ErrorTold => text("lastError").is_some_and(|error| !crate::is_blank(error)),
        }
    }
}

/// Whether a task, as a context tells of it, has ended. Its state says more than the word that stands for several.
fn has_ended(task: &Value) -> bool {
    const ENDED: [&str; 5] = ["completed", "failed", "skipped", "done", "blocked"];
    let said = |key: &str| task.get(key).and_then(Value::as_str);
    let is_end = |name: &str| match TaskState::named(name) {
        Some(state) => state.has_ended(),
        None => ENDED.contains(&name),
    };
    said("fsmState").or_else(|| said("status")).is_some_and(is_end)
}
