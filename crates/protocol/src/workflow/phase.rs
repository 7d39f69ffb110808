//! Phases of a workflow, and what leads from one to another.

use super::macros::payload_names;
use WorkflowState::{
    Completed, Execution, Failed, Idle, Paused, PlanLoop, ReplanEvaluation, Review, RoutingDecision,
    SemanticUnderstanding, WaitUserDecision,
};

payload_names! {
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

payload_names! {
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

payload_names! {
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

payload_names! {
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

payload_names! {
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

payload_names! {
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
