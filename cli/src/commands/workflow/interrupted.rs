//! That a workflow is interrupted: its agents have given up, or the daemon was away. It goes on once somebody says so.

use crate::messages::{DaemonMessage, Message};
use crate::output::Output;
use model::workflow::api::StateSnapshot;
use serde_json::{Value, json};
use texts::json_safe;

/// Whether nobody goes on with it before somebody says so.
pub(super) fn is_interrupted(state: &StateSnapshot) -> bool {
    let is_left = state.context.get("interrupted").and_then(Value::as_bool).unwrap_or_default();
    is_left && !state.fsm_state.is_terminal()
}

/// Says so on standard error, with the reason and what to do.
pub(super) fn tell(output: &Output, state: &StateSnapshot) {
    let (error, session) = (state.error.clone(), state.session_id.clone());
    let what = Message::daemon(DaemonMessage::WorkflowInterrupted { error });
    output.warning_with(&what, &Message::daemon(DaemonMessage::ResumeSession { session }));
}

/// The same for a program, as one line.
pub(super) fn line(state: &StateSnapshot) -> String {
    let StateSnapshot { workflow_id, session_id, error, .. } = state;
    let told = json!({
        "type": "interrupted", "workflowId": workflow_id, "sessionId": session_id, "error": error,
    });
    json_safe(&told.to_string()).into_owned()
}
