//! `aide decide list --all`

use crate::context::{Context, DONE};
use crate::everywhere::{OpenOverview, OpenProject};
use crate::failure::Failure;
use crate::messages::Message;
use decide::Entry;
use serde_json::{Value, json};

/// Lists what is open on this machine.
pub(super) fn list(context: &Context, is_json: bool) -> Result<u8, Failure> {
    let found = OpenOverview::look(context);
    for root in &found.silent {
        context.output.warning(&Message::ProjectSilent { root: root.clone() });
    }
    if is_json {
        context.output.json(&Value::Array(values(&found)).to_string())?;
        return Ok(DONE);
    }
    if found.is_empty() {
        context.output.info(&Message::NothingOpen);
    }
    for OpenProject { project, entries, .. } in found.projects {
        context.output.entry(0, &Message::Place { place: project.root().display().to_string() })?;
        for entry in entries {
            context.output.entry(2, &Message::session(entry, context.language.messages))?;
        }
    }
    if let Some((running, asked)) = found.daemon.filter(|(_, asked)| !asked.is_empty()) {
        context.output.entry(0, &Message::Place { place: running.url })?;
        for view in asked {
            let question = context.language.messages.message(&view);
            context
                .output
                .entry(2, &Message::Place { place: format!("{}  {question}", view.decision_id) })?;
        }
    }
    Ok(DONE)
}

/// The questions as `list --json` has them, each with its project and, where a server shows it, its link; then what workflows ask.
fn values(found: &OpenOverview) -> Vec<Value> {
    let mut values = Vec::new();
    for open in &found.projects {
        for entry in &open.entries {
            values.push(value(open, entry));
        }
    }
    if let Some((running, asked)) = &found.daemon {
        values.extend(asked.iter().map(|view| {
            json!({
                "decision_id": view.decision_id,
                "status": "pending",
                "task": view.message,
                "items": 1,
                "workflow_id": view.workflow_id,
                "url": running.url,
            })
        }));
    }
    values
}

fn value(open: &OpenProject, entry: &Entry) -> Value {
    let mut value = entry.to_json();
    value["project"] = open.project.root().to_string_lossy().into();
    if let Some(server) =
        open.server.as_ref().filter(|server| decide::serves(&open.decisions, server, &entry.session))
    {
        value["url"] = server.link_to(&entry.session).into();
    }
    value
}
