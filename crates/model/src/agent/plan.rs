//! `active_dag_ref.json`, `plan_manifest.json` and `plan_status.json`: what a plan is for, and how far it has come.

use super::macros::{names, object};
use super::{
    Extra, Filled, Id, RelPath, ReviewDecision, SchemaVersion, Score, Sha256, State, Text, Timestamp,
};
use std::num::NonZeroU64;

names! {
    /// What a DAG is for.
    DagKind {
        /// To make the plan itself.
        Meta = "meta",
        /// To do what the plan is for.
        Business = "business",
    }
}

object! {
    /// Which DAG of a plan is the active one.
    ActiveDagRef {
        /// The version of this format.
        schema_version: SchemaVersion,
        /// The plan.
        plan_id: Id,
        /// What the DAG is for.
        dag_kind: DagKind,
        /// The hash of its file.
        task_dag_sha256: Sha256,
        /// Its revision.
        task_dag_revision: Option<u64>,
        /// Since when.
        updated_at: Timestamp,
        /// What else is to be said.
        notes: Option<String>,
    }
}

object! {
    /// What a plan is for, and what it needs.
    PlanManifest {
        /// The version of this format.
        schema_version: SchemaVersion,
        /// The plan.
        plan_id: Id,
        /// What people call it.
        plan_name: Option<String>,
        /// When it was made.
        created_at: Timestamp,
        /// Who works for it.
        agents: Vec<PlanAgent>,
        /// Its tasks, as far as the DAG does not say.
        tasks: Option<Vec<Extra>>,
        /// What it is for.
        deliverables: Filled<Deliverable>,
        /// What holds for all tasks.
        policies: Option<Policies>,
    }
}

object! {
    /// Who works for a plan.
    PlanAgent {
        /// The agent.
        agent_id: Id,
        /// Whether the plan cannot end without.
        required: bool,
    }
}

object! {
    /// What a plan is for.
    Deliverable {
        /// The output, or its file.
        name: Text,
        /// The task that it comes of.
        from_task_id: Option<Id>,
        /// When it is accepted.
        accept_if: Option<Acceptance>,
    }
}

object! {
    /// When a deliverable is accepted.
    Acceptance {
        /// Whether a validator that is trusted must have said so.
        validated_by_trusted_validator: Option<bool>,
        /// The files that show it.
        evidence_required: Option<Vec<RelPath>>,
    }
}

object! {
    /// What holds for all tasks of a plan.
    Policies {
        /// How often a task may be done again; 3 if nothing is said.
        max_reexecute_times: Option<u64>,
        /// How long a command waits for its inputs, in seconds.
        timeout_default_seconds: Option<NonZeroU64>,
        /// What happens when a task is blocked.
        on_blocked: Option<String>,
        /// What happens when a task has failed.
        on_failed: Option<String>,
        /// How long is waited for those who judge.
        timeouts: Option<Timeouts>,
        /// The files that a release needs.
        release_gates_required: Option<Vec<RelPath>>,
    }
}

object! {
    /// How long is waited for those who judge.
    Timeouts {
        /// Who review the DAG.
        dag_review: Option<JudgementTimeout>,
        /// Who validate artifacts.
        artifact_validation: Option<JudgementTimeout>,
        /// Who release.
        release_gate: Option<JudgementTimeout>,
    }
}

object! {
    /// How long is waited for a judgement.
    JudgementTimeout {
        /// In seconds.
        timeout_seconds: Option<NonZeroU64>,
        /// What counts then.
        default_decision: Option<ReviewDecision>,
    }
}

object! {
    /// How far a plan has come.
    PlanStatus {
        /// The version of this format.
        schema_version: SchemaVersion,
        /// The plan.
        plan_id: Id,
        /// The hash of the active DAG.
        active_task_dag_sha256: Text,
        /// When this was written.
        updated_at: Timestamp,
        /// How many tasks have come how far.
        summary: Option<PlanSummary>,
        /// How many tasks wait for what.
        blocked_summary: BlockedSummary,
        /// The tasks.
        tasks: Vec<TaskStatus>,
        /// The gates.
        gates: Option<PlanGates>,
    }
}

names! {
    /// How far a plan has come, in a word.
    PlanState {
        /// Somebody works on it.
        Running = "RUNNING",
        /// Nobody does, and something is waited for.
        Blocked = "BLOCKED",
        /// All tasks are done, or were left out.
        Completed = "COMPLETED",
        /// Nothing more happens, and a task has failed.
        Failed = "FAILED",
        /// It has not begun.
        Other = "OTHER",
    }
}

const BLOCKED: [State; 3] =
    [State::BlockedWaitingInput, State::BlockedWaitingReview, State::BlockedWaitingHuman];

impl PlanStatus {
    /// Returns how far the plan has come, in a word.
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

object! {
    /// How many tasks have come how far.
    PlanSummary {
        /// All.
        total_tasks: Option<u64>,
        /// Those that are done.
        completed: Option<u64>,
        /// Those that are being worked on.
        running: Option<u64>,
        /// Those that wait for files, a review or a person.
        blocked: Option<u64>,
        /// Those that have failed.
        failed: Option<u64>,
        /// Those that were left out.
        skipped: Option<u64>,
    }
}

object! {
    /// How many tasks wait for what.
    BlockedSummary {
        /// For files.
        input as "INPUT": u64,
        /// For a review.
        review as "REVIEW": u64,
        /// For a person.
        human as "HUMAN": u64,
    }
}

object! {
    /// How far a task has come.
    TaskStatus {
        /// The task.
        task_id: Id,
        /// Who does it.
        assigned_agent_id: Id,
        /// How far it has come.
        state: State,
        /// Since when.
        updated_at: Timestamp,
        /// How often it was done.
        attempts: Attempts,
        /// What it waits for.
        blocking: Option<Extra>,
        /// What has come of it.
        outputs: Option<Vec<Extra>>,
    }
}

object! {
    /// How often a task was done.
    Attempts {
        /// How often it was done again.
        reexecute_count: u64,
    }
}

object! {
    /// The gates of a plan.
    PlanGates {
        /// The review of the DAG.
        dag_review: Option<GateStatus>,
        /// The release.
        release: Option<GateStatus>,
    }
}

object! {
    /// How it stands with a gate.
    GateStatus {
        /// Whether it must be passed.
        required: Option<bool>,
        /// How it stands: `PENDING`, or what was decided.
        status: Option<String>,
        /// With which score.
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
