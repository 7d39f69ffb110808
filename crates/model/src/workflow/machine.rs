//! State machine of a workflow's phases.

use super::TaskState;
use super::macros::names;
use serde_json::{Map, Value};

names! {
    /// Phase of a workflow.
    WorkflowState {
        /// The workflow has received no input yet.
        Idle = "idle",
        /// The intent of the input is being analyzed.
        SemanticUnderstanding = "semantic_understanding",
        /// The route of the workflow is being decided.
        RoutingDecision = "routing_decision",
        /// The tasks are being planned.
        PlanLoop = "plan_loop",
        /// The tasks are being executed.
        Execution = "execution",
        /// The results of the tasks are being reviewed.
        Review = "review",
        /// It is being decided whether the plan still holds.
        ReplanEvaluation = "replan_evaluation",
        /// The workflow waits for a user's decision.
        WaitUserDecision = "wait_user_decision",
        /// The workflow was paused on request.
        Paused = "paused",
        /// The workflow has ended with a result.
        Completed = "completed",
        /// The workflow has ended without a result.
        Failed = "failed",
    }
}

names! {
    /// Trigger of a transition of a workflow.
    Trigger {
        /// A user has sent input.
        UserInputReceived = "user_input_received",
        /// The intent of the input is known.
        IntentAnalyzed = "intent_analyzed",
        /// The route is decided: `context.route`.
        RoutingDecided = "routing_decided",
        /// A plan was created.
        PlanCreated = "plan_created",
        /// A task was dispatched to an agent.
        TaskDispatched = "task_dispatched",
        /// An agent has started a task.
        TaskStarted = "task_started",
        /// A task has progressed.
        TaskProgress = "task_progress",
        /// A task was completed.
        TaskCompleted = "task_completed",
        /// A task has failed.
        TaskFailed = "task_failed",
        /// The review has accepted the result.
        ReviewPassed = "review_passed",
        /// The review has rejected the result.
        ReviewRejected = "review_rejected",
        /// The plan no longer fits.
        MajorChangeDetected = "major_change_detected",
        /// No agent can do the required work.
        ResourceMissing = "resource_missing",
        /// A user has decided: `context.decision`.
        UserDecisionReceived = "user_decision_received",
        /// A pause was requested.
        PauseRequested = "pause_requested",
        /// Resumption was requested.
        ResumeRequested = "resume_requested",
        /// Cancellation was requested.
        CancelRequested = "cancel_requested",
        /// An error has occurred: `context.lastError`.
        ErrorOccurred = "error_occurred",
    }
}

names! {
    /// Route of a workflow: `context.route`.
    Route {
        /// Continue with the current plan.
        ContinueExecution = "continue_execution",
        /// Continue with a slightly changed plan.
        MinorReplan = "minor_replan",
        /// Continue with a new plan.
        FullReplan = "full_replan",
        /// Continue with another task.
        NewTask = "new_task",
        /// Control the workflow: pause, resume, cancel or status.
        ControlAction = "control_action",
        /// Wait for a user's decision.
        WaitUserDecision = "wait_user_decision",
    }
}

names! {
    /// Decision of a user about a workflow: `context.decision`. Any other decision goes to the router.
    Answer {
        /// Create a new plan.
        Replan = "replan",
        /// Continue execution.
        Continue = "continue",
        /// Plan another task.
        NewTask = "new_task",
        /// End the workflow.
        Abort = "abort",
    }
}

names! {
    /// Simplified status of a workflow, for clients that need no more detail.
    SimpleStatus {
        /// The work is being planned.
        Planning = "planning",
        /// The work is being executed.
        Executing = "executing",
        /// The workflow has ended with a result.
        Completed = "completed",
        /// The workflow has ended without a result.
        Failed = "failed",
        /// The workflow is paused, or waits for a user's decision.
        Paused = "paused",
    }
}

names! {
    /// The only phase of a workflow that consists of a single phase: `context.stage`. The workflow ends with the result of that
    /// phase.
    SingleStage {
        /// Analyze the intent of an input.
        Understand = "understand",
        /// Decide on a route.
        Route = "route",
        /// Plan a task.
        Plan = "plan",
        /// Execute a task.
        Execute = "execute",
        /// Review a proposal.
        Review = "review",
    }
}

impl SingleStage {
    /// Returns the stage that a context names; `None` if it names none.
    pub fn from_context(context: &Map<String, Value>) -> Option<Self> {
        context.get("stage").and_then(Value::as_str).and_then(Self::named)
    }

    /// Returns the module that receives messages for this stage.
    pub fn module(self) -> &'static str {
        match self {
            Self::Understand => "understanding-agent",
            Self::Route => "router-agent",
            Self::Plan => "planner-agent",
            Self::Execute => "executor-agent",
            Self::Review => "reviewer-agent",
        }
    }

    /// Returns the corresponding phase.
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

/// One row of [`RULES`]: phases, trigger, condition and consequence.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Phases in which the rule applies.
    pub from: SourcePhases,
    /// The trigger.
    pub trigger: Trigger,
    /// Condition of the rule; `None` if it always applies.
    pub guard: Option<Guard>,
    /// Consequence of the rule.
    pub to: RuleTarget,
}

/// Phases in which a [`Rule`] applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourcePhases {
    /// Only this phase.
    State(WorkflowState),
    /// Every phase of a workflow that has not ended and is not paused.
    Active,
    /// Every phase of a workflow that has not ended.
    Open,
}

/// Condition of a [`Rule`], evaluated against the context.
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
    /// `retriesExhausted` is set, and `replannable` is not.
    CannotRecover,
    /// `lastError` is present and not blank.
    ErrorTold,
}

/// Consequence of a [`Rule`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleTarget {
    /// Enter this phase.
    State(WorkflowState),
    /// Enter the phase before the pause.
    BeforePause,
    /// Stay in the phase: the trigger is recorded, and nothing changes.
    Same,
}

/// Outcome of a transition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransitionOutcome {
    /// The workflow enters this phase.
    Enter(WorkflowState),
    /// The workflow stays in its phase.
    Stay,
}

/// Reason why a transition is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransitionRefusal {
    /// The workflow has ended.
    Ended,
    /// The workflow is already paused.
    AlreadyPaused,
    /// The workflow is not paused.
    NotPaused,
    /// The trigger is not allowed in this phase, or not with this context.
    Invalid,
}

use WorkflowState::{
    Completed, Execution, Failed, Idle, Paused, PlanLoop, ReplanEvaluation, Review, RoutingDecision,
    SemanticUnderstanding, WaitUserDecision,
};

/// All transitions of a workflow. The first matching row applies.
pub const RULES: &[Rule] = &[
    guarded(Idle, Trigger::UserInputReceived, Guard::Stage(&[SingleStage::Route]), RoutingDecision),
    guarded(Idle, Trigger::UserInputReceived, Guard::Stage(&[SingleStage::Plan]), PlanLoop),
    guarded(Idle, Trigger::UserInputReceived, Guard::Stage(&[SingleStage::Execute]), Execution),
    guarded(Idle, Trigger::UserInputReceived, Guard::Stage(&[SingleStage::Review]), Review),
    always(Idle, Trigger::UserInputReceived, RuleTarget::State(SemanticUnderstanding)),
    guarded(
        SemanticUnderstanding,
        Trigger::IntentAnalyzed,
        Guard::Stage(&[SingleStage::Understand]),
        Completed,
    ),
    always(SemanticUnderstanding, Trigger::IntentAnalyzed, RuleTarget::State(RoutingDecision)),
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
    always(PlanLoop, Trigger::PlanCreated, RuleTarget::State(Execution)),
    always(Execution, Trigger::TaskDispatched, RuleTarget::Same),
    always(Execution, Trigger::TaskStarted, RuleTarget::Same),
    always(Execution, Trigger::TaskProgress, RuleTarget::Same),
    guarded(Execution, Trigger::TaskCompleted, Guard::StageTasksEnded, Completed),
    guarded(Execution, Trigger::TaskCompleted, Guard::TasksEnded, Review),
    always(Execution, Trigger::TaskCompleted, RuleTarget::Same),
    guarded(Execution, Trigger::TaskFailed, Guard::CannotRecover, Failed),
    always(Execution, Trigger::TaskFailed, RuleTarget::Same),
    always(Execution, Trigger::MajorChangeDetected, RuleTarget::State(ReplanEvaluation)),
    always(Execution, Trigger::ResourceMissing, RuleTarget::State(WaitUserDecision)),
    stays(Execution, Trigger::UserInputReceived, Guard::Stage(STAGES)),
    always(Execution, Trigger::UserInputReceived, RuleTarget::State(SemanticUnderstanding)),
    guarded(ReplanEvaluation, Trigger::RoutingDecided, Guard::Route(&[Route::FullReplan]), PlanLoop),
    guarded(ReplanEvaluation, Trigger::RoutingDecided, Guard::Route(&[Route::ContinueExecution]), Execution),
    guarded(Review, Trigger::ReviewRejected, Guard::Stage(&[SingleStage::Review]), Completed),
    always(Review, Trigger::ReviewRejected, RuleTarget::State(Execution)),
    always(Review, Trigger::ReviewPassed, RuleTarget::State(Completed)),
    guarded(Review, Trigger::TaskFailed, Guard::CannotRecover, Failed),
    guarded(
        WaitUserDecision,
        Trigger::UserDecisionReceived,
        Guard::Decision(&[Answer::Replan, Answer::NewTask]),
        PlanLoop,
    ),
    guarded(WaitUserDecision, Trigger::UserDecisionReceived, Guard::Decision(&[Answer::Continue]), Execution),
    guarded(WaitUserDecision, Trigger::UserDecisionReceived, Guard::Decision(&[Answer::Abort]), Failed),
    always(WaitUserDecision, Trigger::UserDecisionReceived, RuleTarget::State(RoutingDecision)),
    // What runs goes on while it is paused, and what comes of it is judged when that is over.
    always(Paused, Trigger::TaskStarted, RuleTarget::Same),
    always(Paused, Trigger::TaskProgress, RuleTarget::Same),
    always(Paused, Trigger::TaskCompleted, RuleTarget::Same),
    always(Paused, Trigger::TaskFailed, RuleTarget::Same),
    always(Paused, Trigger::ResumeRequested, RuleTarget::BeforePause),
    stays(Paused, Trigger::UserInputReceived, Guard::Stage(STAGES)),
    always(Paused, Trigger::UserInputReceived, RuleTarget::State(SemanticUnderstanding)),
    Rule {
        from: SourcePhases::Active,
        trigger: Trigger::PauseRequested,
        guard: None,
        to: RuleTarget::State(Paused),
    },
    Rule {
        from: SourcePhases::Open,
        trigger: Trigger::CancelRequested,
        guard: None,
        to: RuleTarget::State(Failed),
    },
    Rule {
        from: SourcePhases::Open,
        trigger: Trigger::ErrorOccurred,
        guard: Some(Guard::ErrorTold),
        to: RuleTarget::State(Failed),
    },
];

/// Input to a workflow with a single phase is kept for the next request in that phase.
const STAGES: &[SingleStage] = SingleStage::ALL;

const fn stays(from: WorkflowState, trigger: Trigger, guard: Guard) -> Rule {
    Rule { from: SourcePhases::State(from), trigger, guard: Some(guard), to: RuleTarget::Same }
}

const fn always(from: WorkflowState, trigger: Trigger, to: RuleTarget) -> Rule {
    Rule { from: SourcePhases::State(from), trigger, guard: None, to }
}

const fn guarded(from: WorkflowState, trigger: Trigger, guard: Guard, to: WorkflowState) -> Rule {
    Rule { from: SourcePhases::State(from), trigger, guard: Some(guard), to: RuleTarget::State(to) }
}

/// Returns the outcome of `trigger` for a workflow in the phase `state` that was paused in the phase `paused_in`. `context` is
/// the context as it would be afterwards.
///
/// # Errors
///
/// When no row of [`RULES`] matches.
pub fn next(
    state: WorkflowState,
    paused_in: Option<WorkflowState>,
    trigger: Trigger,
    context: &Map<String, Value>,
) -> Result<TransitionOutcome, TransitionRefusal> {
    let mut rules = RULES.iter().filter(|rule| rule.trigger == trigger && rule.from.holds(state));
    let rule = rules.find(|rule| rule.guard.is_none_or(|guard| guard.holds(context)));
    match rule.map(|rule| rule.to) {
        Some(RuleTarget::State(state)) => Ok(TransitionOutcome::Enter(state)),
        Some(RuleTarget::BeforePause) => {
            paused_in.map(TransitionOutcome::Enter).ok_or(TransitionRefusal::Invalid)
        }
        Some(RuleTarget::Same) => Ok(TransitionOutcome::Stay),
        None if state.is_terminal() => Err(TransitionRefusal::Ended),
        None if trigger == Trigger::PauseRequested => Err(TransitionRefusal::AlreadyPaused),
        None if trigger == Trigger::ResumeRequested => Err(TransitionRefusal::NotPaused),
        None => Err(TransitionRefusal::Invalid),
    }
}

impl WorkflowState {
    /// Whether the phase is final.
    pub fn is_terminal(self) -> bool {
        matches!(self, Completed | Failed)
    }

    /// Returns the simplified status.
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

impl SourcePhases {
    /// Whether `state` is one of these phases.
    pub fn holds(self, state: WorkflowState) -> bool {
        match self {
            Self::State(one) => one == state,
            Self::Active => !state.is_terminal() && state != Paused,
            Self::Open => !state.is_terminal(),
        }
    }
}

impl Guard {
    /// Whether the context meets the condition.
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
            Self::Stage(stages) => {
                SingleStage::from_context(context).is_some_and(|stage| stages.contains(&stage))
            }
            Self::StageTasksEnded => {
                SingleStage::from_context(context) == Some(SingleStage::Execute)
                    && Self::TasksEnded.holds(context)
            }
            Self::CannotRecover => flag("retriesExhausted") && !flag("replannable"),
            Self::ErrorTold => text("lastError").is_some_and(|error| !crate::is_blank(error)),
        }
    }
}

/// Whether a task, as described by a context, has ended. Its state takes precedence over its status, which stands for several
/// states.
fn has_ended(task: &Value) -> bool {
    const ENDED: [&str; 5] = ["completed", "failed", "skipped", "done", "blocked"];
    let said = |key: &str| task.get(key).and_then(Value::as_str);
    let is_end = |name: &str| match TaskState::named(name) {
        Some(state) => state.has_ended(),
        None => ENDED.contains(&name),
    };
    said("fsmState").or_else(|| said("status")).is_some_and(is_end)
}
