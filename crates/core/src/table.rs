//! Table of a workflow's phases: what leads from one to another (contract/workflows §5.3).

use WorkflowState::{
    Completed, Execution, Failed, Idle, Paused, PlanLoop, ReplanEvaluation, Review, RoutingDecision,
    SemanticUnderstanding, WaitUserDecision,
};
use protocol::workflow::{Answer, ErrorCode, Refusal, Route, SingleStage, Trigger, WorkflowState};

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

/// Condition of a [`Rule`], evaluated against [`Guards`].
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
    LastErrorGiven,
}

/// What the conditions of the table look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guards {
    /// The phase, if the workflow consists of it alone.
    pub stage: Option<SingleStage>,
    /// The last route.
    pub route: GivenRoute,
    /// The answer to the decision that the workflow waited for, if it is one of the known ones.
    pub decision: Option<Answer>,
    /// Whether every task has ended, or there are none.
    pub have_tasks_ended: bool,
    /// Whether all retries are exhausted, and another plan does not help.
    pub cannot_recover: bool,
    /// Whether there is an error that ends the workflow.
    pub has_last_error: bool,
}

/// A route as a context names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GivenRoute {
    /// It names none.
    Absent,
    /// One of the routes.
    Known(Route),
    /// Anything else.
    Unknown,
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

impl TransitionRefusal {
    /// Returns the refusal of a trigger for a workflow in this phase.
    pub fn refusal(self, trigger: Trigger, state: WorkflowState, is_cancelled: bool) -> Refusal {
        let (code, words) = match self {
            Self::Ended => (ErrorCode::WorkflowTerminal, "Workflow has ended"),
            Self::AlreadyPaused => (ErrorCode::WorkflowAlreadyPaused, "Workflow is already paused"),
            Self::NotPaused => (ErrorCode::WorkflowNotPaused, "Workflow is not paused"),
            Self::Invalid => (ErrorCode::InvalidTransition, "Transition failed"),
        };
        let refusal = Refusal::new(code, words).with("trigger", trigger.name()).at(state);
        // The state of a cancelled workflow is `failed` as well.
        if is_cancelled { refusal.with("cancelled", true) } else { refusal }
    }
}

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
        guard: Some(Guard::LastErrorGiven),
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

/// Returns the outcome of `trigger` for a workflow in the phase `state` that was paused in the phase `paused_in`. `guards` are
/// those of the context as it would be afterwards.
///
/// # Errors
///
/// When no row of [`RULES`] matches.
pub fn next(
    state: WorkflowState,
    paused_in: Option<WorkflowState>,
    trigger: Trigger,
    guards: &Guards,
) -> Result<TransitionOutcome, TransitionRefusal> {
    let mut rules = RULES.iter().filter(|rule| rule.trigger == trigger && rule.from.holds(state));
    let rule = rules.find(|rule| rule.guard.is_none_or(|guard| guard.holds(guards)));
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
    /// Whether the condition is met.
    pub fn holds(self, guards: &Guards) -> bool {
        match self {
            Self::Route(routes) => {
                matches!(guards.route, GivenRoute::Known(route) if routes.contains(&route))
            }
            Self::RouteOrNone(routes) => {
                guards.route == GivenRoute::Absent || Self::Route(routes).holds(guards)
            }
            Self::Decision(answers) => guards.decision.is_some_and(|answer| answers.contains(&answer)),
            Self::TasksEnded => guards.have_tasks_ended,
            Self::Stage(stages) => guards.stage.is_some_and(|stage| stages.contains(&stage)),
            Self::StageTasksEnded => guards.stage == Some(SingleStage::Execute) && guards.have_tasks_ended,
            Self::CannotRecover => guards.cannot_recover,
            Self::LastErrorGiven => guards.has_last_error,
        }
    }
}
