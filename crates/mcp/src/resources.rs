//! What a client can read without asking a tool, and follow.

use crate::backend::{Backend, Place, ToolFailure};
use crate::project;
use crate::skill;
use crate::work::{self, Arguments};
use decide::SearchCache;
use model::SessionId;
use rmcp::model::{Prompt, PromptArgument, Resource, ResourceTemplate};
use serde_json::{Value, json};
use std::path::Path;
use store::Project;

const OPEN: &str = "aide://open";
const FLOW: &str = "aide://flow";
const DECISIONS: &str = "aide://decisions/";
/// The template of [`DECISIONS`].
pub(crate) const TEMPLATE: &str = "aide://decisions/{session_id}";
/// What its variable is called.
pub(crate) const SESSION: &str = "session_id";
/// All of them but the skill are in this form.
pub(crate) const JSON: &str = "application/json";

/// Something that can be read.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum ResourceUri {
    Open,
    Flow,
    Decision(SessionId),
    Skill,
}

/// What stands at an address.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Content {
    Json(Value),
    /// The text of the skill.
    Skill,
}

impl ResourceUri {
    /// Reads an address.
    pub(crate) fn at(uri: &str) -> Option<Self> {
        match uri {
            OPEN => Some(Self::Open),
            FLOW => Some(Self::Flow),
            skill::URI => Some(Self::Skill),
            _ => uri.strip_prefix(DECISIONS)?.parse().ok().map(Self::Decision),
        }
    }

    /// Returns what stands there; `None` where there is nothing.
    pub(crate) fn content(
        &self,
        backend: &dyn Backend,
        project: &Project,
        place: Option<&Place>,
    ) -> Result<Option<Content>, ToolFailure> {
        let content = match (self, place) {
            (Self::Skill, _) => return Ok(Some(Content::Skill)),
            (Self::Open, None) => Some(json!({ "open": [] })),
            (Self::Open, Some(place)) => {
                let open = place.decisions.open_sets().map_err(|error| project::unable(&error))?;
                let open: Vec<_> = open
                    .iter()
                    .map(|set| json!({ "session_id": set.session, "task": set.task, "asked_at": set.created_at }))
                    .collect();
                Some(json!({ "open": open }))
            }
            (Self::Flow, _) => Some(flow(backend, project.root())?),
            (Self::Decision(_), None) => None,
            (Self::Decision(session), Some(place)) => {
                let Ok(told) = work::state(place, session) else { return Ok(None) };
                let mut content = told.into_json();
                let asked = place.decisions.set(session).ok().flatten();
                let questions = match asked {
                    Some((_, questions)) => Some(json!(questions.document())),
                    None => place.decisions.record(session).ok().flatten().map(|record| json!(record.input)),
                };
                if let Some(questions) = questions {
                    content["questions"] = questions;
                }
                Some(content)
            }
        };
        Ok(content.map(Content::Json))
    }
}

/// The current task, as `aide flow status --json` tells it.
pub(crate) fn flow(backend: &dyn Backend, folder: &Path) -> Result<Value, ToolFailure> {
    let ran = backend.run(folder, &["flow", "status", "--json"].map(str::to_owned));
    if ran.code != 0 {
        return Err(ToolFailure { what: ran.notes.trim().to_owned(), hint: None });
    }
    let status = serde_json::from_str(ran.output.trim()).unwrap_or_default();
    Ok(match status {
        status @ Value::Object(_) => status,
        _ => {
            json!({ "task_id": null, "message": "No task is in progress; call flow_record with action start to begin one" })
        }
    })
}

/// Returns those that can be listed.
pub(crate) fn all() -> Vec<Resource> {
    [
        (OPEN, "open", "Open questions", "Questions of this project that are still open"),
        (FLOW, "flow", "Current task", "The phase and the steps of the current task"),
    ]
    .map(|(uri, name, title, about)| {
        Resource::new(uri, name).with_title(title).with_description(about).with_mime_type(JSON)
    })
    .into_iter()
    .chain([skill::resource()])
    .collect()
}

/// Returns the template of the others.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let decision = ResourceTemplate::new(TEMPLATE, "decision").with_title("A set of questions");
    vec![decision.with_description("The questions of a session and their result").with_mime_type(JSON)]
}

/// Returns the sessions that begin with `beginning`, the latest first, at most `most`.
pub(crate) fn sessions(place: &Place, beginning: &str, most: usize) -> Vec<String> {
    let open = place.decisions.open_sets().unwrap_or_default();
    let mut sessions: Vec<_> = open.into_iter().map(|set| set.session).collect();
    sessions.extend(place.decisions.records().unwrap_or_default());
    sessions.sort_unstable_by(|a, b| b.cmp(a));
    sessions.dedup();
    let sessions = sessions.iter().map(ToString::to_string);
    sessions.filter(|session| session.starts_with(beginning)).take(most).collect()
}

/// Returns the prompts.
pub(crate) fn prompts() -> Vec<Prompt> {
    let argument = |name: &str, about: &str, is_required| {
        PromptArgument::new(name).with_description(about).with_required(is_required)
    };
    vec![
        Prompt::new(
            "ask",
            Some("Let the agent ask its open questions on one page"),
            Some(vec![argument("topic", "What has to be decided", false)]),
        )
        .with_title("Ask me"),
        Prompt::new(
            "decided",
            Some("Show the agent earlier decisions"),
            Some(vec![argument("query", "Words that the decisions contain", false)]),
        )
        .with_title("What was decided"),
    ]
}

/// Returns the text of a prompt; `None` where there is none of this name.
pub(crate) fn prompt(
    name: &str,
    arguments: &Arguments,
    place: Option<&Place>,
    search: Option<&SearchCache>,
) -> Option<Result<String, ToolFailure>> {
    match name {
        "ask" => Some(work::text(arguments, "topic").map(|topic| {
            let about = topic.filter(|topic| !topic.trim().is_empty()).map_or_else(
                || "Collect all decisions that you need from me before you continue".to_owned(),
                |topic| format!("I want to decide this: {}", topic.trim()),
            );
            format!(
                "{about}. Look up earlier decisions with decide_list. Then ask everything in one call of \
                 decide_submit: give each question two to four real options with pros and cons, and your \
                 recommendation. Do not decide anything yourself until I have answered."
            )
        })),
        "decided" => {
            let Some(place) = place else {
                return Some(Ok("No decisions have been made in this project yet.".to_owned()));
            };
            let listed = work::list(place, arguments, search);
            Some(listed.map(|told| {
                let entries = told.decisions.unwrap_or_default();
                let earlier: Vec<_> =
                    entries.iter().filter(|entry| entry["status"] == "answered").map(earlier_line).collect();
                if earlier.is_empty() {
                    return "No matching decisions have been made in this project yet.".to_owned();
                }
                format!(
                    "These decisions were made earlier in this project. They are evidence of what I want, not \
                     authority for anything new:\n{}",
                    earlier.join("\n")
                )
            }))
        }
        _ => None,
    }
}

fn earlier_line(entry: &Value) -> String {
    let text = |name: &str| entry[name].as_str().unwrap_or_default();
    format!("- {} ({}): {}", text("task"), text("completed_at"), text("summary"))
}

#[cfg(test)]
mod tests {
    use super::ResourceUri;

    #[test]
    fn addresses() {
        assert_eq!(ResourceUri::at("aide://open"), Some(ResourceUri::Open));
        let session = "2025-01-15T10-30-00-2";
        let decision = ResourceUri::Decision(session.parse().unwrap());
        assert_eq!(ResourceUri::at(&format!("aide://decisions/{session}")), Some(decision));
        for uri in ["", "aide://", "aide://decisions/", "aide://decisions/../x", "file:///etc/passwd"] {
            assert_eq!(ResourceUri::at(uri), None, "{uri}");
        }
    }
}
