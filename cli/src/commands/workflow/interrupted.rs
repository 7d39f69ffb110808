//! That a workflow is interrupted: its agents have given up, or the daemon was away. It continues once it is resumed.

use crate::messages::{DaemonMessage, Message};
use crate::output::Output;
use protocol::workflow::api::StateSnapshot;
use serde_json::{Value, json};
use texts::json_safe;

/// Whether it stands still until it is resumed.
pub(super) fn is_interrupted(state: &StateSnapshot) -> bool {
    let is_left = state.context.get("interrupted").and_then(Value::as_bool).unwrap_or_default();
    is_left && !state.fsm_state.is_terminal()
}

/// Says so on standard error, with the reason and what to do.
pub(super) fn print(output: &Output, state: &StateSnapshot) {
    let (error, workflow) = (state.error.clone(), state.workflow_id.clone());
    let what = Message::daemon(DaemonMessage::WorkflowInterrupted { error });
    output.warning_with(&what, &Message::daemon(DaemonMessage::ResumeWorkflow { workflow }));
}

/// The same for a program, as one line.
pub(super) fn line(state: &StateSnapshot) -> String {
    let StateSnapshot { workflow_id, session_id, error, .. } = state;
    let line = json!({
        "type": "interrupted", "workflowId": workflow_id, "sessionId": session_id, "error": error,
    });
    json_safe(&line.to_string()).into_owned()
}
