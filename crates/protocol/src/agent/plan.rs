//! `active_dag_ref.json`, `plan_manifest.json` and `plan_status.json`: purpose and status of a plan.

use super::macros::{document, document_names};
use super::{
    Extra, Id, NonEmpty, RelPath, ReviewDecision, SchemaVersion, Score, Sha256, State, Text, Timestamp,
};
use std::num::NonZeroU64;

document_names! {
    /// Purpose of a DAG.
    DagKind {
        /// Creates the plan itself.
        Meta = "meta",
        /// Does the work of the plan.
        Business = "business",
    }
}

document! {
    /// Reference to the active DAG of a plan.
    ActiveDagRef {
        /// Version of this format.
        schema_version: SchemaVersion,
        /// Id of the plan.
        plan_id: Id,
        /// Purpose of the DAG.
        dag_kind: DagKind,
        /// Hash of the DAG file.
        task_dag_sha256: Sha256,
        /// Revision of the DAG; absent if unknown.
        task_dag_revision: Option<u64>,
        /// Time since which the DAG is active.
        updated_at: Timestamp,
        /// Additional notes; absent if there are none.
        notes: Option<String>,
    }
}

document! {
    /// Deliverables, agents and policies of a plan.
    PlanManifest {
        /// Version of this format.
        schema_version: SchemaVersion,
        /// Id of the plan.
        plan_id: Id,
        /// Display name of the plan; absent if there is none.
        plan_name: Option<String>,
        /// Creation time.
        created_at: Timestamp,
        /// Agents that work for the plan.
        agents: Vec<PlanAgent>,
        /// Additional data of the tasks that the DAG does not contain; absent if there are none.
        tasks: Option<Vec<Extra>>,
        /// Deliverables of the plan.
        deliverables: NonEmpty<Deliverable>,
        /// Policies for all tasks; absent for the defaults.
        policies: Option<Policies>,
    }
}

document! {
    /// An agent that works for a plan.
    PlanAgent {
        /// Id of the agent.
        agent_id: Id,
        /// Whether the plan cannot complete without the agent.
        required: bool,
    }
}

document! {
    /// A deliverable of a plan.
    Deliverable {
        /// Name of the output, or of its file.
        name: Text,
        /// Id of the task that produces the deliverable; absent if unknown.
        from_task_id: Option<Id>,
        /// Conditions for acceptance; absent if there are none.
        accept_if: Option<Acceptance>,
    }
}

document! {
    /// Conditions for accepting a deliverable.
    Acceptance {
        /// Whether a trusted validator must have validated the deliverable.
        validated_by_trusted_validator: Option<bool>,
        /// Files required as evidence; absent if there are none.
        evidence_required: Option<Vec<RelPath>>,
    }
}

document! {
    /// Policies for all tasks of a plan.
    Policies {
        /// Maximum number of repeated executions of a task; defaults to 3.
        max_reexecute_times: Option<u64>,
        /// Maximum time that a command waits for its inputs, in seconds.
        timeout_default_seconds: Option<NonZeroU64>,
        /// Action when a task is blocked.
        on_blocked: Option<String>,
        /// Action when a task has failed.
        on_failed: Option<String>,
        /// Timeouts of judgements; absent if there are none.
        timeouts: Option<Timeouts>,
        /// Files required for a release; absent if there are none.
        release_gates_required: Option<Vec<RelPath>>,
    }
}

document! {
    /// Timeouts of judgements.
    Timeouts {
        /// Timeout of a DAG review; absent if there is none.
        dag_review: Option<JudgementTimeout>,
        /// Timeout of an artifact validation; absent if there is none.
        artifact_validation: Option<JudgementTimeout>,
        /// Timeout of a release decision; absent if there is none.
        release_gate: Option<JudgementTimeout>,
    }
}

document! {
    /// Timeout of a judgement.
    JudgementTimeout {
        /// Timeout in seconds; absent if there is none.
        timeout_seconds: Option<NonZeroU64>,
        /// Decision that applies after the timeout; absent if there is none.
        default_decision: Option<ReviewDecision>,
    }
}

document! {
    /// Status of a plan.
    PlanStatus {
        /// Version of this format.
        schema_version: SchemaVersion,
        /// Id of the plan.
        plan_id: Id,
        /// Hash of the active DAG.
        active_task_dag_sha256: Text,
        /// Time at which the status was written.
        updated_at: Timestamp,
        /// Number of tasks by state; absent if unknown.
        summary: Option<PlanSummary>,
        /// Number of blocked tasks by reason.
        blocked_summary: BlockedSummary,
        /// Status of each task.
        tasks: Vec<TaskStatus>,
        /// Status of the gates; absent if there are none.
        gates: Option<PlanGates>,
    }
}

document_names! {
    /// Simplified status of a plan.
    PlanState {
        /// Work is in progress.
        Running = "RUNNING",
        /// No work is in progress: the plan waits for something.
        Blocked = "BLOCKED",
        /// All tasks are completed or skipped.
        Completed = "COMPLETED",
        /// No more work is possible, and a task has failed.
        Failed = "FAILED",
        /// The plan has not started.
        Other = "OTHER",
    }
}

const BLOCKED: [State; 3] =
    [State::BlockedWaitingInput, State::BlockedWaitingReview, State::BlockedWaitingHuman];

impl PlanStatus {
    /// Returns the simplified status of the plan.
    pub fn state(&self) -> PlanState {
        let has = |wanted: &[State]| self.tasks.iter().any(|task| wanted.contains(&task.state));
        if !self.tasks.iter().any(|task| task.state != State::Pending) {
            PlanState::Other
        } else if has(&[State::Running, State::Ready]) {
            PlanState::Running
        } else if has(&BLOCKED) {
            PlanState::Blocked
        } else if has(&[State::Failed]) {
            PlanState::Failed
        } else if has(&[State::Pending]) {
            // Between one task and the next.
            PlanState::Running
        } else {
            PlanState::Completed
        }
    }
}

document! {
    /// Number of tasks by state.
    PlanSummary {
        /// Total number of tasks.
        total_tasks: Option<u64>,
        /// Number of completed tasks.
        completed: Option<u64>,
        /// Number of running tasks.
        running: Option<u64>,
        /// Number of tasks that wait for files, a review or a person.
        blocked: Option<u64>,
        /// Number of failed tasks.
        failed: Option<u64>,
        /// Number of skipped tasks.
        skipped: Option<u64>,
    }
}

document! {
    /// Number of blocked tasks by reason.
    BlockedSummary {
        /// Number of tasks that wait for files.
        input as "INPUT": u64,
        /// Number of tasks that wait for a review.
        review as "REVIEW": u64,
        /// Number of tasks that wait for a person.
        human as "HUMAN": u64,
    }
}

document! {
    /// Status of a task.
    TaskStatus {
        /// Id of the task.
        task_id: Id,
        /// Id of the assigned agent.
        assigned_agent_id: Id,
        /// State of the task.
        state: State,
        /// Time of the last change of state.
        updated_at: Timestamp,
        /// Executions of the task.
        attempts: Attempts,
        /// What the task waits for; absent if nothing.
        blocking: Option<Extra>,
        /// Outputs of the task; absent if there are none.
        outputs: Option<Vec<Extra>>,
    }
}

document! {
    /// Executions of a task.
    Attempts {
        /// Number of repeated executions.
        reexecute_count: u64,
    }
}

document! {
    /// Status of the gates of a plan.
    PlanGates {
        /// Review of the DAG; absent if there is none.
        dag_review: Option<GateStatus>,
        /// Release; absent if there is none.
        release: Option<GateStatus>,
    }
}

document! {
    /// Status of a gate.
    GateStatus {
        /// Whether the gate must be passed.
        required: Option<bool>,
        /// `PENDING`, or the decision; absent if unknown.
        status: Option<String>,
        /// Score from 0 to 100; absent if there is none.
        score: Option<Score>,
    }
}

#[cfg(test)]
mod tests {
    use super::{PlanState, PlanStatus};
    use crate::agent::{Format, State};
    use serde_json::json;

    #[test]
    fn s14_a_plan_is_told_in_a_word() {
        use State::{
            BlockedWaitingHuman, BlockedWaitingInput, Completed, Failed, Pending, Ready, Running, Skipped,
        };
        for (states, word) in [
            (&[][..], PlanState::Other),
            (&[Pending, Pending], PlanState::Other),
            (&[Ready, Pending], PlanState::Running),
            (&[Completed, Running, BlockedWaitingInput, Failed], PlanState::Running),
            (&[Completed, Pending], PlanState::Running),
            (&[Completed, BlockedWaitingHuman, Failed, Pending], PlanState::Blocked),
            (&[Completed, Failed, Pending], PlanState::Failed),
            (&[Completed, Skipped], PlanState::Completed),
        ] {
            let tasks: Vec<_> = states
                .iter()
                .enumerate()
                .map(|(number, state)| {
                    json!({ "task_id": format!("t{number}"), "assigned_agent_id": "a", "state": state.name(),
                        "updated_at": "2026-01-12T09:01:00Z", "attempts": { "reexecute_count": 0 } })
                })
                .collect();
            let status = json!({ "schema_version": "1.0", "plan_id": "p", "active_task_dag_sha256": "sha256:0f1e",
                "updated_at": "2026-01-12T09:02:00Z", "blocked_summary": { "INPUT": 0, "REVIEW": 0, "HUMAN": 0 },
                "tasks": tasks });
            let status = PlanStatus::from_value(&status).unwrap_or_else(|error| panic!("{error:?}"));
            assert_eq!(status.state(), word, "{states:?}");
        }
    }
}
