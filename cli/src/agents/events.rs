//! What a heartbeat tells, for people and for programs.

use crate::messages::AgentMessage;
use crate::output::Tone;
use agent::heartbeat::{CommandRef, Event, EventKind};
use serde_json::{Map, Value, json};

/// A line for people.
pub(crate) fn line(event: &Event) -> (Option<Tone>, AgentMessage) {
    let plan = event.plan_id.as_ref().map(ToString::to_string).unwrap_or_default();
    let task = |about: &CommandRef| format!("{plan}/{}", about.task_id);
    match &event.what {
        EventKind::Taken(about) => {
            let command = about.command_id.to_string();
            (None, AgentMessage::TaskTaken { task: task(about), command })
        }
        EventKind::Filed { paths, .. } => (None, AgentMessage::Filed { plan, names: paths.clone() }),
        EventKind::Waits { about, names, asked: None, .. } => {
            (None, AgentMessage::TaskWaits { task: task(about), names: names.clone() })
        }
        EventKind::Waits { about, names, asked: Some(asked), .. } => {
            let request = asked.request_id.to_string();
            (None, AgentMessage::TaskAsked { task: task(about), names: names.clone(), request })
        }
        EventKind::Ended { about, ended } => match &ended.failure {
            Some(failed) => {
                let (code, detail) = (failed.code, failed.detail.clone());
                (Some(Tone::Failure), AgentMessage::TaskFailed { task: task(about), code, detail })
            }
            None => {
                let score = ended.document.as_ref().and_then(|document| document.score.as_ref());
                let score = score.map(ToString::to_string);
                (Some(Tone::Ok), AgentMessage::TaskSucceeded { task: task(about), score })
            }
        },
        EventKind::Superseded { about, failed } => {
            let (command, detail) = (about.command_id.to_string(), failed.detail.clone());
            (Some(Tone::Warning), AgentMessage::TaskSuperseded { task: task(about), command, detail })
        }
        EventKind::Parked(about) => (None, AgentMessage::TaskParked { task: task(about) }),
        EventKind::Duplicate { message_id } => {
            (None, AgentMessage::Duplicate { plan, message: message_id.to_string() })
        }
        EventKind::PutAside { name, code, detail } => {
            let (name, code, detail) = (name.clone(), *code, detail.clone());
            (Some(Tone::Warning), AgentMessage::PutAside { plan, name, code, detail })
        }
        EventKind::Skipped { name, detail } => {
            let (name, detail) = (name.clone(), detail.clone());
            (Some(Tone::Warning), AgentMessage::Skipped { name, detail })
        }
    }
}

/// A line for programs.
pub(crate) fn json(event: &Event) -> Value {
    let (name, about, more) = match &event.what {
        EventKind::Taken(about) => ("taken", Some(about), json!({})),
        EventKind::Filed { message_id, task_id, output_name, paths } => {
            let more = json!({
                "message_id": message_id, "task_id": task_id, "output_name": output_name, "paths": paths,
            });
            ("filed", None, more)
        }
        EventKind::Waits { about, names, asked, until } => {
            let seconds = until.map(|until| until.as_secs());
            let request_id = asked.as_ref().map(|asked| &asked.request_id);
            let mut more = json!({ "missing": names, "request_id": request_id, "seconds_left": seconds });
            if let Some(session) = asked.as_ref().and_then(|asked| asked.session.as_ref()) {
                more["session"] = json!(session);
            }
            ("waiting", Some(about), more)
        }
        EventKind::Ended { about, ended } => {
            let spent = json!({
                "answers": ended.spent.answers, "input_tokens": ended.spent.input_tokens,
                "output_tokens": ended.spent.output_tokens, "cost_usd": ended.spent.cost_usd,
            });
            let mut more = json!({ "message": ended.message, "warnings": ended.warnings, "spent": spent });
            let name = match (&ended.failure, &ended.document) {
                (Some(failed), _) => {
                    more["code"] = json!(failed.code);
                    more["error"] = json!(failed.detail);
                    "failed"
                }
                (None, document) => {
                    more["score"] = json!(document.as_ref().and_then(|document| document.score.as_ref()));
                    "succeeded"
                }
            };
            (name, Some(about), more)
        }
        EventKind::Superseded { about, failed } => {
            ("superseded", Some(about), json!({ "error": failed.detail }))
        }
        EventKind::Parked(about) => ("parked", Some(about), json!({})),
        EventKind::Duplicate { message_id } => ("duplicate", None, json!({ "message_id": message_id })),
        EventKind::PutAside { name, code, detail } => {
            ("put_aside", None, json!({ "file": name, "code": code, "error": detail }))
        }
        EventKind::Skipped { name, detail } => ("skipped", None, json!({ "file": name, "error": detail })),
    };
    let mut line = Map::new();
    line.insert("event".to_owned(), name.into());
    line.insert("plan_id".to_owned(), json!(event.plan_id));
    if let Some(about) = about {
        line.insert("task_id".to_owned(), json!(about.task_id));
        line.insert("command_id".to_owned(), json!(about.command_id));
        line.insert("command_seq".to_owned(), json!(about.command_seq));
        line.insert("message_id".to_owned(), json!(about.message_id));
    }
    if let Value::Object(more) = more {
        line.extend(more);
    }
    Value::Object(line)
}
