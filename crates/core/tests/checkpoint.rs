//! Checkpoints: what they hold, and how a session continues from one.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

use aide_core::checkpoint::{
    NewCheckpoint, ResumeCandidate, body, check_resumption, resume_context, resume_phase,
};
use aide_core::task::Task;
use aide_core::{Context, Workflow};
use protocol::workflow::api::SessionCheckpoint;
use protocol::workflow::{ErrorCode, PhaseTransition, TaskState, WorkflowState};
use serde_json::{Map, Value, json};

fn workflow(state: WorkflowState, previous: Option<WorkflowState>) -> Workflow {
    Workflow {
        id: "w".to_owned(),
        session: "s".to_owned(),
        state,
        previous,
        task: "write".to_owned(),
        round: 1,
        error: None,
        output: None,
        cancelled: false,
        failures: 0,
        wake_at: None,
        updated: 0,
    }
}

/// A transition to this phase, from whichever.
fn to(state: WorkflowState) -> (i64, PhaseTransition) {
    (1000, serde_json::from_value(json!({ "from": "idle", "to": state })).unwrap())
}

fn of_session(status: &str) -> SessionCheckpoint {
    let progress = json!([{
        "taskId": "x", "description": "X", "status": status, "iterationCount": 2, "maxIterations": 3,
    }]);
    let new = NewCheckpoint {
        session_id: "s".to_owned(),
        original_task: "by hand".to_owned(),
        task_progress: serde_json::from_value(progress).unwrap(),
        agent_states: Map::new(),
        context: Map::new(),
    };
    new.body("c".to_owned(), 1000)
}

#[test]
fn s8_3_a_checkpoint_says_how_far_a_workflow_has_come() {
    let by = |id: &str, state: TaskState| Task {
        state,
        agent: Some("x".to_owned()),
        attempt: 1,
        started: Some(1000),
        ..Task::new(id)
    };
    let tasks = [
        Task { result: Some("7".to_owned()), finished: Some(2000), ..by("a", TaskState::Done) },
        Task { error: Some("e".to_owned()), ..by("b", TaskState::ExecutionFailed) },
        by("c", TaskState::Running),
        Task { needs: vec!["a".to_owned()], min_level: Some(3), ..Task::new("d") },
        Task { state: TaskState::ReworkRequired, ..Task::new("e") },
    ];
    let paused = workflow(WorkflowState::Paused, Some(WorkflowState::Execution));
    let transitions = [WorkflowState::PlanLoop, WorkflowState::Execution, WorkflowState::Paused].map(to);
    let context = Context::from_members(json!({ "route": "x" }).as_object().unwrap().clone());
    let body = body("chk".to_owned(), (&paused, context, &tasks), transitions, 3000);
    assert_eq!((&*body.checkpoint_id, &*body.session_id, &*body.original_task), ("chk", "s", "write"));
    assert_eq!((body.workflow_id.as_deref(), &*body.timestamp), (Some("w"), "1970-01-01T00:00:03.000Z"));
    assert_eq!((&body.completed_task_ids, &body.failed_task_ids), (&vec!["a".into()], &vec!["b".into()]));
    assert_eq!(body.pending_task_ids, ["c", "d", "e"]);
    let states: Vec<&str> = body.task_progress.iter().map(|task| &*task.status).collect();
    assert_eq!(states, ["completed", "failed", "in_progress", "pending", "pending"]);
    let results: Vec<_> = body.task_progress.iter().map(|task| task.result.clone()).collect();
    let (done, failed) = (json!({ "success": true, "output": 7 }), json!({ "success": false, "error": "e" }));
    assert_eq!(results, [Some(done), Some(failed), None, None, None]);
    let (first, last) = (&body.task_progress[0], &body.task_progress[3]);
    assert_eq!(first.completed_at.as_deref(), Some("1970-01-01T00:00:02.000Z"));
    assert_eq!((last.dependencies.clone(), last.min_level), (Some(vec!["a".to_owned()]), Some(3)));
    let at_work = json!({ "agentId": "x", "currentTaskId": "c", "status": "running", "round": 1 });
    assert_eq!(Value::Object(body.agent_states.clone()), json!({ "x": at_work }));
    let history = body.phase_history.as_ref().unwrap();
    let phases: Vec<&str> = history.iter().map(|phase| &*phase.phase).collect();
    assert_eq!(phases, ["plan_loop", "execution"], "a pause is no phase to continue in");
    assert_eq!((body.context["route"].clone(), &*history[0].action), (json!("x"), "resume_session"));
}

#[test]
fn s8_3_a_session_continues_in_the_last_phase_unless_the_tasks_say_otherwise() {
    use WorkflowState::{Completed, Execution, Paused, PlanLoop, Review, SemanticUnderstanding};
    let ended = |state: TaskState| vec![Task { state, ..Task::new("a") }];
    for (tasks, entered, context, phase) in [
        (vec![], vec![Review], json!({}), Review),
        (ended(TaskState::ExecutionFailed), vec![Execution], json!({}), PlanLoop),
        (ended(TaskState::ExecutionFailed), vec![Execution], json!({ "stage": "execute" }), Execution),
        (ended(TaskState::Running), vec![], json!({}), Execution),
        (ended(TaskState::Done), vec![Paused], json!({}), Review),
        (ended(TaskState::Ready), vec![Completed], json!({}), SemanticUnderstanding),
        (vec![], vec![], json!({ "stage": "plan" }), PlanLoop),
        (vec![], vec![], json!({}), SemanticUnderstanding),
    ] {
        let context = Context::from_members(context.as_object().unwrap().clone());
        let workflow = workflow(Execution, None);
        let transitions: Vec<_> = entered.into_iter().map(to).collect();
        let body = body("c".to_owned(), (&workflow, context, &tasks), transitions, 0);
        assert_eq!(resume_phase(&body), phase, "{body:?}");
    }
}

#[test]
fn s8_4_only_what_has_no_driver_is_resumed() {
    let candidate = |id, state, is_interrupted| Some(ResumeCandidate { id, state, is_interrupted });
    let left = candidate("left", WorkflowState::Review, true);
    let paused = candidate("paused", WorkflowState::Paused, false);
    let running = candidate("running", WorkflowState::Review, false);
    let ended = candidate("ended", WorkflowState::Completed, false);
    for (workflow, other, refused) in [
        (left, None, None),
        (paused, running, None),
        (None, None, None),
        (running, None, Some((ErrorCode::SessionBusy, Some("running")))),
        (None, running, Some((ErrorCode::SessionBusy, Some("running")))),
        (ended, running, Some((ErrorCode::SessionBusy, Some("running")))),
        (ended, None, Some((ErrorCode::SessionNotResumable, None))),
    ] {
        let refusal = check_resumption("s", workflow, other).err();
        let busy = refusal.map(|refusal| {
            assert_eq!(refusal.details["sessionId"], "s");
            (refusal.code, refusal.details.get("workflowId").and_then(Value::as_str).map(str::to_owned))
        });
        let refused = refused.map(|(code, id)| (code, id.map(str::to_owned)));
        assert_eq!(busy, refused, "{workflow:?} {other:?}");
    }
    let idle = ResumeCandidate { id: "w", state: WorkflowState::Idle, is_interrupted: false };
    assert!(!idle.is_under_way() && !idle.is_left() && running.unwrap().is_under_way());
}

#[test]
fn s8_4_the_client_that_resumes_is_told_what_is_next() {
    let of = |status: &str| {
        let context = resume_context(of_session(status));
        (context.estimated_progress, context.next_actions, context.summary)
    };
    let (progress, actions, summary) = of("in_progress");
    assert_eq!((progress, actions), (0, vec!["Continue task \"X\" (currently in_progress, round 2)".into()]));
    let expected =
        "# Session Resume Summary\n\nTask: by hand\n\nProgress: 0% (0/1 tasks)\n\n- x: X (in_progress)\n";
    assert_eq!(summary, expected);
    assert_eq!(of("pending").1, ["Start pending task: X"]);
    assert_eq!(of("failed").1, ["Review 1 failed task(s) for potential retry"]);
    for status in ["completed", "skipped"] {
        let (progress, actions, _) = of(status);
        assert_eq!((progress, &*actions[0]), (100, "All tasks completed - session can be finalized"));
    }
}
