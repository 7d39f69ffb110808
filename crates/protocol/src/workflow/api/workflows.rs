//! Workflows, their tasks and their snapshots.

use super::decisions::AskResolution;
use crate::workflow::macros::payload;
use crate::workflow::{
    AgentState, AssignmentPhase, SimpleStatus, TaskState, TaskStatus, WaitingFor, WorkflowState,
};
use serde_json::{Map, Value};

payload! {
    /// A workflow was changed.
    WorkflowAnswer {
        /// Always true.
        success: bool,
        /// Id of the workflow.
        workflow_id: String,
        /// Simplified status of the workflow; absent if the operation does not report it.
        status: Option<SimpleStatus>,
        /// Phase of the workflow; absent if the operation does not report it.
        state: Option<WorkflowState>,
        /// The decision that the input answered; absent if it answered none.
        ask_resolution: Option<AskResolution>,
    }
}

payload! {
    /// A trigger was applied to a workflow.
    TransitionAnswer {
        /// Always true.
        success: bool,
        /// Phase of the workflow after the trigger.
        current_state: WorkflowState,
        /// Context of the workflow.
        context: Map<String, Value>,
    }
}

payload! {
    /// Summary of a workflow, as listed.
    WorkflowSummary {
        /// Id of the workflow.
        id: String,
        /// Same as `id`.
        workflow_id: String,
        /// Id of the session.
        session_id: String,
        /// Simplified status.
        status: SimpleStatus,
        /// Current phase.
        fsm_state: WorkflowState,
        /// Number of tasks.
        task_count: u64,
        /// Number of completed tasks.
        completed_tasks: u64,
        /// Number of failed tasks.
        failed_tasks: u64,
        /// Creation time (ISO 8601, UTC).
        created_at: String,
        /// Time of the last change (ISO 8601, UTC).
        updated_at: String,
        /// Task of the workflow, as the user stated it.
        user_task: String,
        /// Project folder of the session; absent if it has none.
        project_path: Option<String>,
        /// True if the workflow was cancelled, in which case its phase is `failed`; absent otherwise.
        cancelled: Option<bool>,
        /// Why the workflow failed; absent if it has not failed or was cancelled.
        error: Option<String>,
        /// True while the workflow is interrupted: the daemon was stopped, and the workflow does not continue until it is
        /// resumed. Absent otherwise.
        interrupted: Option<bool>,
        /// Number of pending decisions; absent if there are none.
        pending_decisions: Option<u64>,
        /// What the workflow waits for other than a user; absent if nothing.
        waiting_for: Option<Vec<WaitingFor>>,
    }
}

payload! {
    /// Complete state of a workflow at one point in time.
    StateSnapshot {
        /// Id of the workflow.
        workflow_id: String,
        /// Id of the session.
        session_id: String,
        /// Current phase.
        fsm_state: WorkflowState,
        /// Simplified status.
        simplified_status: SimpleStatus,
        /// Phase before the pause; absent unless the workflow is paused.
        previous_state: Option<WorkflowState>,
        /// Tasks of the workflow.
        tasks: Vec<TaskSnapshot>,
        /// Agents assigned to the workflow.
        agents: Vec<AgentSnapshot>,
        /// Context of the workflow.
        context: Map<String, Value>,
        /// Task of the workflow, as the user stated it.
        user_task: String,
        /// Number of times the workflow was planned.
        round: u64,
        /// Phases that the workflow has entered, at most the last 200, oldest first. Those of an ended workflow are removed
        /// together with its events.
        history: Vec<PhaseEntry>,
        /// Id of the pending decision; absent if there is none.
        pending_decision: Option<String>,
        /// What the workflow waits for other than a user; absent if nothing.
        waiting_for: Option<Vec<WaitingFor>>,
        /// Result of the workflow; absent if there is none yet.
        output: Option<Value>,
        /// Error of the workflow; absent if there is none.
        error: Option<String>,
        /// Time of the last change, at which this state was reached (ISO 8601, UTC).
        timestamp: String,
    }
}

payload! {
    /// State of a task.
    TaskSnapshot {
        /// Id of the task.
        id: String,
        /// State of the task.
        fsm_state: TaskState,
        /// Simplified status of the task.
        simplified_status: TaskStatus,
        /// Id of the assigned agent; absent if none is assigned.
        assignee: Option<String>,
    }
}

payload! {
    /// State of an agent.
    AgentSnapshot {
        /// Id of the agent.
        id: String,
        /// State of the agent.
        fsm_state: AgentState,
        /// Simplified status: `idle`, `running` or `error`.
        simplified_status: String,
    }
}

payload! {
    /// A phase that a workflow has entered.
    PhaseEntry {
        /// The phase.
        state: WorkflowState,
        /// Time of entry (ISO 8601, UTC).
        timestamp: String,
        /// Trigger of the transition; absent if there was none.
        trigger: Option<String>,
    }
}

payload! {
    /// Snapshots of all workflows.
    Snapshots {
        /// One snapshot per workflow, most recently changed first.
        snapshots: Vec<StateSnapshot>,
    }
}

payload! {
    /// A task of a workflow.
    TaskNode {
        /// Id of the task.
        id: String,
        /// Description of the work.
        description: String,
        /// Type of agent that executes the task: `executor` or `reviewer`.
        kind as "type": String,
        /// Simplified status.
        status: TaskStatus,
        /// State of the task.
        fsm_state: TaskState,
        /// Ids of the tasks that this task depends on.
        dependencies: Vec<String>,
        /// Ids of the tasks that depend on this task.
        dependents: Vec<String>,
        /// Capabilities that the assigned agent must have.
        required_capabilities: Vec<String>,
        /// Minimum level, from 1 to 10, that the assigned agent must have in at least one of these capabilities; absent if there
        /// is none.
        min_level: Option<u64>,
        /// Id of the assigned agent; absent if none is assigned.
        assignee: Option<String>,
        /// Estimated duration in milliseconds; absent if there is no estimate.
        estimated_duration: Option<u64>,
        /// Deadline of the task (ISO 8601, UTC); absent if there is none.
        deadline: Option<String>,
        /// Start time (ISO 8601, UTC); absent before the start.
        started_at: Option<String>,
        /// End time (ISO 8601, UTC); absent before the end.
        completed_at: Option<String>,
        /// Result of the task; absent if there is none.
        result: Option<Value>,
        /// Error of the task; absent if there is none.
        error: Option<String>,
        /// Assignment of the task; absent while it waits for other tasks.
        assignment: Option<Assignment>,
    }
}

payload! {
    /// Assignment of a task by one agent to another.
    Assignment {
        /// Id of the workflow.
        epic_id: String,
        /// Id of the task.
        task_id: String,
        /// Id of the agent that assigns the task.
        assigner_agent_id: String,
        /// Id of the agent that the task is assigned to; absent if there is none.
        assignee_agent_id: Option<String>,
        /// Phase of the assignment.
        phase: AssignmentPhase,
        /// Number of attempts so far.
        attempt: u64,
    }
}

payload! {
    /// Result of a workflow.
    WorkflowOutput {
        /// Id of the workflow.
        workflow_id: String,
        /// The result, as text or JSON.
        output: Value,
        /// Path of the result file, relative to the project folder; absent if there is no file.
        path: Option<String>,
    }
}
