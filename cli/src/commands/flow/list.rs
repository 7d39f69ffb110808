//! `aide flow list`

use super::FlowContext;
use crate::context::DONE;
use crate::failure::Failure;
use crate::messages::{FlowMessage, Message};
use model::flow::FlowStatus;
use serde_json::{Value, json};
use store::EarlierTask;

/// How much of a summary is shown, in characters.
const SHORT: usize = 30;

pub(super) fn run(scene: &FlowContext<'_>, json: bool) -> Result<u8, Failure> {
    let output = &scene.context.output;
    let (present, earlier) = flow::tasks(scene.project, &scene.config)?;
    if json {
        let present = present.iter().map(|status| to_json(true, status));
        let earlier = earlier.iter().map(|task| match &task.status {
            Ok(status) => to_json(false, status),
            Err(_) => json!({ "task_id": task.id.as_str(), "current": false, "unreadable": true }),
        });
        output.json(&Value::Array(present.chain(earlier).collect()).to_string())?;
        return Ok(DONE);
    }
    let info = |message| output.info(&Message::flow(message));
    if present.is_none() && earlier.is_empty() {
        info(FlowMessage::NoTasks);
        return Ok(DONE);
    }
    let mut number = 0;
    if let Some(status) = &present {
        info(FlowMessage::PresentTasks);
        number += 1;
        output.entry(2, &Message::flow(line(number, true, status)))?;
    }
    if !earlier.is_empty() {
        info(FlowMessage::EarlierTasks);
    }
    for EarlierTask { id, status } in earlier {
        number += 1;
        let message = match status {
            Ok(status) => line(number, false, &status),
            Err(error) => FlowMessage::UnreadableTask { number, task: id.to_string(), why: Box::new(error) },
        };
        output.entry(2, &Message::flow(message))?;
    }
    info(FlowMessage::SeeTask);
    Ok(DONE)
}

fn line(number: usize, is_present: bool, status: &FlowStatus) -> FlowMessage {
    FlowMessage::TaskLine {
        number,
        is_present,
        task: status.task_id.to_string(),
        phase: status.current_phase.clone(),
        summary: shortened(status.summary()),
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHORT) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

fn to_json(is_present: bool, status: &FlowStatus) -> Value {
    json!({
        "task_id": status.task_id.as_str(),
        "current": is_present,
        "phase": status.current_phase,
        "step": status.current_step,
        "started_at": status.started_at,
        "summary": status.summary(),
    })
}
