//! Messages for a single phase (contract/workflows §3.8). Each begins a workflow that enters that phase at once and ends with its
//! result. So it is stored, has steps, events, decisions and costs, and continues after a crash, as any other workflow.

use crate::draft::Draft;
use crate::failure::Failure;
use aide_core::{Context, PhaseRequest};
use journal::{Query, Workflow};
use protocol::workflow::{Refusal, SingleStage};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The member of a message for a reviewer that has what is to be judged.
const PROPOSAL: &str = "proposal";

/// How large the input may be, in bytes of JSON; the context of the workflow must hold its result as well.
const MAX_BROUGHT: usize = 512 << 10;

/// How long the words may be by which a workflow is listed that was begun by something else than words, in characters.
const MAX_TITLE: usize = 200;

/// All modules that do one phase.
pub(crate) fn modules() -> impl Iterator<Item = &'static str> {
    SingleStage::ALL.iter().map(|stage| stage.module())
}

/// The phase that a module does.
pub(crate) fn stage_of_module(module: &str) -> Option<SingleStage> {
    SingleStage::ALL.iter().copied().find(|stage| stage.module() == module)
}

/// The phase that is all that a workflow is for, if it is only for one.
pub(crate) fn stage_of(workflow: &Workflow) -> Option<SingleStage> {
    Context::read(&workflow.context).stage()
}

/// Reads a message that is for one phase: an object, or for a phase that is about words, those alone. Returns the task, in words,
/// and the request without what others than the sender know.
///
/// # Errors
///
/// When it does not say what the phase is about.
pub(crate) fn read(stage: SingleStage, message: &Value) -> Result<(String, PhaseRequest), Refusal> {
    let may_queue = match message.get("queueOnBusy") {
        None | Some(Value::Null | Value::Bool(true)) => true,
        Some(Value::Bool(false)) => false,
        Some(_) => return Err(Refusal::invalid("queueOnBusy must be true or false", "queueOnBusy")),
    };
    let (task, subject) = match stage {
        SingleStage::Understand => {
            (words(message, &["input", "content", "text"], "Missing input", "input")?, None)
        }
        SingleStage::Plan | SingleStage::Execute => {
            (words(message, &["task", "content", "text"], "Missing task", "task")?, None)
        }
        SingleStage::Route => {
            let intent = match message.get("intentAnalysis") {
                None | Some(Value::Null) => {
                    return Err(Refusal::missing("Missing intentAnalysis", "intentAnalysis"));
                }
                Some(Value::Object(intent)) => json!(intent),
                Some(_) => {
                    return Err(Refusal::invalid("intentAnalysis must be an object", "intentAnalysis"));
                }
            };
            let goal = intent["normalizedIntent"]["goal"].as_str().map(str::to_owned);
            (goal.unwrap_or_else(|| title(&intent)), Some(sized(intent, "intentAnalysis")?))
        }
        SingleStage::Review => {
            let is_blank = |value: &Value| match value {
                Value::Null => true,
                Value::String(text) => model::is_blank(text),
                _ => false,
            };
            let proposal = message.get(PROPOSAL).filter(|proposal| !is_blank(proposal));
            let proposal = proposal.ok_or_else(|| Refusal::missing("Missing proposal", PROPOSAL))?;
            (title(proposal), Some(sized(proposal.clone(), PROPOSAL)?))
        }
    };
    let agent = match message.get("agent").filter(|_| stage == SingleStage::Execute) {
        None | Some(Value::Null) => None,
        Some(Value::String(agent)) if !model::is_blank(agent) => Some(agent.clone()),
        Some(_) => return Err(Refusal::invalid("agent must be a string", "agent")),
    };
    let (sender, answered, before) = (None, BTreeSet::new(), None);
    Ok((task, PhaseRequest { stage, subject, agent, may_queue, sender, answered, before }))
}

/// The words that a message consists of, or has under one of these names.
fn words(message: &Value, names: &[&str], missing: &str, field: &str) -> Result<String, Refusal> {
    let text = match message {
        Value::String(text) => Some(text.as_str()),
        message => names.iter().find_map(|name| message.get(name)?.as_str()),
    };
    let text = text.map(str::trim).filter(|text| !model::is_blank(text));
    text.map(str::to_owned).ok_or_else(|| Refusal::missing(missing, field))
}

fn sized(value: Value, field: &str) -> Result<Value, Refusal> {
    if value.to_string().len() > MAX_BROUGHT {
        return Err(Refusal::invalid(format!("{field} is too large"), field).with("limit", MAX_BROUGHT));
    }
    Ok(value)
}

/// The words by which something else than words is listed: those that it has, or its beginning.
fn title(value: &Value) -> String {
    let said = ["task", "goal", "description", "summary", "thought"]
        .iter()
        .find_map(|name| value.get(name)?.as_str().filter(|text| !model::is_blank(text)))
        .or(value.as_str());
    let text = said.map_or_else(|| value.to_string(), |text| text.trim().to_owned());
    match text.char_indices().nth(MAX_TITLE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// How the last workflow of a session stands that was for more than one phase, but for the one named: what is said may be about
/// it.
pub(crate) fn before(
    draft: &Draft<'_>,
    session: &str,
    except: Option<&str>,
) -> Result<Option<Value>, Failure> {
    let rows = draft.find(&Query::workflows_of(session))?;
    let others = rows.iter().filter(|row| stage_of(row).is_none() && Some(&*row.id) != except);
    let Some(row) = others.max_by_key(|row| row.created) else {
        return Ok(None);
    };
    let tasks = draft.tasks(&row.id)?;
    let task = |task: &journal::Task| json!({ "id": task.id, "description": task.description, "status": task.state.simple().name() });
    let tasks: Vec<Value> = tasks.iter().map(task).collect();
    Ok(Some(json!({ "workflowId": row.id, "task": row.task, "phase": row.state.name(), "tasks": tasks })))
}

#[cfg(test)]
mod tests {
    use super::read as read_message;
    use protocol::workflow::{ErrorCode, SingleStage};
    use serde_json::{Value, json};

    fn read(stage: SingleStage, message: Value) -> Result<String, (ErrorCode, String)> {
        read_message(stage, &message).map(|(task, _)| task).map_err(|refusal| (refusal.code, refusal.error))
    }

    #[test]
    fn what_a_phase_is_about_must_be_there() {
        let missing = |what: &str| Err((ErrorCode::MissingField, format!("Missing {what}")));
        for (stage, what) in [
            (SingleStage::Understand, "input"),
            (SingleStage::Route, "intentAnalysis"),
            (SingleStage::Plan, "task"),
            (SingleStage::Execute, "task"),
            (SingleStage::Review, "proposal"),
        ] {
            for message in [json!({}), json!({ what: null }), json!(null), json!(" ")] {
                assert_eq!(read(stage, message.clone()), missing(what), "{stage} {message}");
            }
        }
        assert_eq!(read(SingleStage::Review, json!({ "proposal": "\n" })), missing("proposal"));
        let invalid = Err((ErrorCode::InvalidRequest, "intentAnalysis must be an object".to_owned()));
        assert_eq!(read(SingleStage::Route, json!({ "intentAnalysis": "x" })), invalid);
        let invalid = Err((ErrorCode::InvalidRequest, "agent must be a string".to_owned()));
        assert_eq!(read(SingleStage::Execute, json!({ "task": "x", "agent": 1 })), invalid);
        let large = json!({ "proposal": "x".repeat(1 << 20) });
        assert_eq!(read(SingleStage::Review, large).unwrap_err().1, "proposal is too large");
    }

    #[test]
    fn it_is_listed_by_words() {
        assert_eq!(read(SingleStage::Plan, json!(" x ")), Ok("x".to_owned()));
        assert_eq!(read(SingleStage::Understand, json!({ "input": "x" })), Ok("x".to_owned()));
        let intent = json!({ "intentAnalysis": { "normalizedIntent": { "goal": "a report" } } });
        assert_eq!(read(SingleStage::Route, intent), Ok("a report".to_owned()));
        assert_eq!(
            read(SingleStage::Review, json!({ "proposal": { "task": "t", "a": 1 } })),
            Ok("t".to_owned())
        );
        assert_eq!(read(SingleStage::Review, json!({ "proposal": [1] })), Ok("[1]".to_owned()));
        let long = read(SingleStage::Review, json!({ "proposal": "路".repeat(500) })).unwrap();
        assert_eq!(long, format!("{}…", "路".repeat(200)));
    }
}
