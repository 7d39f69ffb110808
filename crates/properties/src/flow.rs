//! The state of a task, whichever program has written it.

use model::flow::{Action, FlowStatus, FlowStatusError, Phases, StatusRule, Summary, commit_subject};
use model::{MAX_SAFE_INTEGER, is_blank};
use serde_json::Value;

const NOW: &str = "2025-01-15T10:30:00+08:00";

/// What is accepted is kept, with all that is not known of it, and can be gone on with; what is refused has a reason.
pub(crate) fn flow_status(data: &[u8]) {
    let status = match FlowStatus::parse(data) {
        Ok(status) => status,
        Err(FlowStatusError::Invalid { path, rule }) => {
            assert!(!path.is_empty() || rule == StatusRule::Object, "a value without a name");
            return;
        }
        Err(FlowStatusError::Syntax { message }) => {
            assert!(!message.is_empty());
            return;
        }
    };
    let written = serde_json::to_vec_pretty(&status).unwrap();
    assert!(FlowStatus::parse(&written).as_ref() == Ok(&status), "another one when read again");
    let value = |bytes: &[u8]| -> Value { serde_json::from_slice(bytes).unwrap() };
    let data = data.strip_prefix("\u{feff}".as_bytes()).unwrap_or(data);
    assert_eq!(value(data), value(&written), "something was lost");

    // It becomes part of a file's name.
    let task = status.task_id.as_str();
    assert!(!is_blank(task) && !task.starts_with('.') && !task.contains(['/', '\\', '\0', '\n']));
    assert!(status.present_phase().len() <= status.history.len());
    for action in Action::ALL {
        let mut next = status.clone();
        let phase = next.current_phase.clone();
        let Ok(summary) = Summary::new(&phase) else { continue };
        next.record(action, NOW, &phase, &summary);
        let newest = next.newest().unwrap();
        assert_eq!((newest.action, newest.step), (action, next.current_step));
        let last = status.history.iter().map(|entry| entry.step).chain([status.current_step]).max();
        assert!(newest.step > status.current_step || last >= Some(MAX_SAFE_INTEGER), "it only ever grows");
        assert!(next.history[..status.history.len()] == *status.history, "the past has changed");
        let written = serde_json::to_vec_pretty(&next).unwrap();
        assert!(FlowStatus::parse(&written).as_ref() == Ok(&next), "cannot be read again");
        let subject = commit_subject(action, &phase, &summary);
        assert!(subject.starts_with("[aide] ") && !subject.contains(|c: char| c.is_control()), "{subject:?}");
        // Whatever the phases are, the present one need not be one of them.
        let _ = Phases::new(&[]).check_next(&phase, &phase).unwrap_err();
    }
}
