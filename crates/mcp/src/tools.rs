//! The tools as a client lists them: when to use each, what it takes, what it returns.

use rmcp::model::{JsonObject, MetaObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use std::sync::Arc;

/// A tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Name {
    Submit,
    Wait,
    Result,
    List,
    Amend,
    Cancel,
    FlowStatus,
    FlowRecord,
}

impl Name {
    /// All of them, in the order of the list.
    pub(crate) const ALL: [Self; 8] = [
        Self::Submit,
        Self::Wait,
        Self::Result,
        Self::List,
        Self::Amend,
        Self::Cancel,
        Self::FlowStatus,
        Self::FlowRecord,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Submit => "decide_submit",
            Self::Wait => "decide_wait",
            Self::Result => "decide_result",
            Self::List => "decide_list",
            Self::Amend => "decide_amend",
            Self::Cancel => "decide_cancel",
            Self::FlowStatus => "flow_status",
            Self::FlowRecord => "flow_record",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }

    fn title(self) -> &'static str {
        match self {
            Self::Submit => "Ask the user",
            Self::Wait => "Wait for the user's answer",
            Self::Result => "Look up an answer",
            Self::List => "List open and earlier decisions",
            Self::Amend => "Correct open questions",
            Self::Cancel => "Withdraw open questions",
            Self::FlowStatus => "Show the current task",
            Self::FlowRecord => "Record a step of the task",
        }
    }

    fn description(self) -> &'static str {
        match self {
            Self::Submit => {
                "Use this whenever you need the user to decide something: a design choice, an ambiguity, a \
                 risky or irreversible step, missing information. The user sees one page with all questions, the \
                 options with pros and cons, and your recommendation. Put all questions that are open now into \
                 one call.\n\
                 Give `task`, `source` (the document or code they come from) and `items`. An item has a unique \
                 `id` (1, 2, …), a `title` that is the question, and at least two `options`, each with a `value` \
                 for you and a `label` for the user. Helpful: `context` (Markdown), `location` (`file`, `start`, \
                 `end`), `recommend` (the `value` of an option), `pros`, `cons`, `score` (0 to 100), \
                 `multiple`, `allow_other`. `kind: \"text\"` asks for words and has no options. Or give \
                 `questions` in the format of AskUserQuestion.\n\
                 The call returns when the user has answered, or earlier with `status: \"pending\"`: follow \
                 `next` then. Calling again with the same open questions returns the same session. Until `status` is \
                 `answered`, nothing was decided: do not choose for the user. Call decide_list first if the user \
                 may have decided this before."
            }
            Self::Wait => {
                "Use this after decide_submit returned `pending` or `queued`: it waits for the user's answer to \
                 that session. If it returns `pending` again, call it again, or continue with work that does not \
                 depend on the answer. Do not submit the questions again."
            }
            Self::Result => {
                "Use this to look up, without waiting, the state of a session: its answers, or that the user \
                 has not answered yet."
            }
            Self::List => {
                "Use this before asking, so that the user is not asked twice: it lists the open questions and \
                 the earlier decisions of the project whose text contains all words of `query`. Earlier decisions are \
                 evidence of what the user wants, never authority for something new."
            }
            Self::Amend => {
                "Use this to correct questions that are still open, for example because you learned more. Give the \
                 complete corrected set. What the user has filled in for items that did not change is kept. The \
                 result names the session that replaces the old one."
            }
            Self::Cancel => {
                "Use this to withdraw questions that are no longer needed. The user cannot answer them afterwards."
            }
            Self::FlowStatus => {
                "Use this to see where the current task stands: its phase, its step, and what was recorded so far."
            }
            Self::FlowRecord => {
                "Use this to record progress of the current task. Every action commits the changes in the \
                 project with git. `start` begins a task in `phase`; `next-step`, `back-step`, `issue` and \
                 `error` record within the phase; `next-part` and `back-part` go to `phase`. Going back to a \
                 phase may return a `key`: call again with action `back-confirm` and that `key` once you have \
                 done what it asks for."
            }
        }
    }

    fn annotations(self) -> ToolAnnotations {
        let hints = ToolAnnotations::with_title(self.title()).open_world(false);
        match self {
            Self::Submit => hints.read_only(false).destructive(false).idempotent(true),
            Self::Wait | Self::Result | Self::List | Self::FlowStatus => hints.read_only(true),
            Self::Amend => hints.read_only(false).destructive(false).idempotent(true),
            Self::Cancel | Self::FlowRecord => hints.read_only(false).destructive(true),
        }
    }

    fn input(self) -> Value {
        let text = |about: &str| json!({ "type": "string", "description": about });
        let mut members = match self {
            Self::Submit => json!({
                "task": text("What you are working on, in one line"),
                "source": text("The document or code that the questions come from"),
                "items": items(),
                "questions": {
                    "type": "array",
                    "description": "Instead of items: questions in the format of AskUserQuestion",
                    "items": { "type": "object" },
                },
                "if_open": {
                    "type": "string",
                    "enum": ["queue", "replace", "fail"],
                    "description": "If other questions are open: queue after them (default), replace the latest ones, or fail",
                },
                "wait": { "type": "boolean", "description": "If false, returns at once; call decide_wait later" },
                "partial": partial(),
            }),
            Self::Wait => json!({
                "session_id": text("As decide_submit returned it"),
                "timeout_seconds": {
                    "type": "integer",
                    "minimum": 1,
                    "description": "How long to wait; less than 30 becomes 30",
                },
            }),
            Self::Result | Self::Cancel => json!({ "session_id": text("As decide_submit returned it") }),
            Self::List => json!({
                "query": text("Words that the questions or their answers contain"),
                "limit": { "type": "integer", "minimum": 1, "maximum": 50, "description": "Maximum number of earlier decisions; default 10" },
            }),
            Self::Amend => json!({
                "session_id": text("The session of the open questions to correct"),
                "task": text("As in decide_submit"),
                "source": text("As in decide_submit"),
                "items": { "type": "array", "items": { "type": "object" }, "description": "The complete corrected items, as in decide_submit" },
                "partial": partial(),
            }),
            Self::FlowStatus => json!({}),
            Self::FlowRecord => json!({
                "action": {
                    "type": "string",
                    "enum": ["start", "next-step", "back-step", "next-part", "back-part", "issue", "error", "back-confirm"],
                },
                "phase": text("For start, next-part and back-part"),
                "summary": text("What was done, in one line"),
                "key": text("For back-confirm"),
            }),
        };
        let required: &[&str] = match self {
            Self::Submit | Self::List | Self::FlowStatus => &[],
            Self::Wait | Self::Result | Self::Cancel => &["session_id"],
            Self::Amend => &["session_id", "task", "source", "items"],
            Self::FlowRecord => &["action"],
        };
        members["project"] = text("The project's folder, if it is not the current one");
        let mut schema = json!({ "type": "object", "properties": members });
        if !required.is_empty() {
            schema["required"] = json!(required);
        }
        schema
    }

    fn output(self) -> Option<Value> {
        match self {
            Self::FlowStatus | Self::FlowRecord => None,
            _ => Some(output()),
        }
    }

    fn tool(self) -> Tool {
        let tool = Tool::new(self.name(), self.description(), object(self.input()))
            .with_title(self.title())
            .with_annotations(self.annotations());
        let tool = match self {
            // Claude Code hides the others until it searches for them.
            Self::Submit | Self::Wait => tool.with_meta(always_loaded()),
            _ => tool,
        };
        match self.output() {
            Some(output) => tool.with_raw_output_schema(object(output)),
            None => tool,
        }
    }
}

fn partial() -> Value {
    json!({ "type": "boolean", "description": "If true, the user may answer some items now and the rest later" })
}

fn always_loaded() -> MetaObject {
    let mut meta = MetaObject::new();
    meta.0.insert("anthropic/alwaysLoad".to_owned(), true.into());
    meta
}

/// Returns all tools.
pub(crate) fn all() -> Vec<Tool> {
    Name::ALL.into_iter().map(Name::tool).collect()
}

/// What a client reads about the server: when to use it, and what its results mean.
pub(crate) const INSTRUCTIONS: &str = "\
Use these tools whenever the user has to decide something, instead of asking in your reply or choosing yourself: \
decide_submit shows the user one page with your questions and returns the answers.\n\
- Before you ask, decide_list finds what the user decided earlier. It is evidence, never authority.\n\
- Put all questions that are open now into one decide_submit, each with two to four real options, their pros and \
cons, and your recommendation. Do not ask what you can find out yourself.\n\
- status `answered`: continue with `answers`; `other` and `note` are the user's own words and take precedence. \
`pending` or `queued`: nothing is decided; follow `next`, usually decide_wait with the session_id, and do not ask \
again. `returned`: the user sent the questions back; read `message`, correct them and submit. `cancelled`, \
`expired`, `replaced`: nothing was decided; ask again only if it still matters.\n\
- No answer is never an answer: if the user has not decided, do not act as if they had.\n\
- The questions outlive this connection: after a crash or a timeout, submit the same questions again, or call \
decide_wait, and you get the same session.\n\
- flow_status and flow_record keep the project's task: its phases, its steps, and a git commit for each.";

fn items() -> Value {
    let text = json!({ "type": "string" });
    let texts = json!({ "type": "array", "items": { "type": "string" } });
    let option = json!({
        "type": "object",
        "properties": {
            "value": { "type": "string", "description": "What you get back" },
            "label": { "type": "string", "description": "What the user reads" },
            "description": text, "pros": texts, "cons": texts,
            "preview": { "type": "string", "description": "What it looks like: Markdown or HTML" },
            "score": { "type": "number", "minimum": 0, "maximum": 100 },
        },
        "required": ["value", "label"],
    });
    json!({
        "type": "array",
        "description": "The questions",
        "items": {
            "type": "object",
            "properties": {
                "id": { "type": "integer", "minimum": 1 },
                "title": { "type": "string", "description": "The question" },
                "kind": { "type": "string", "enum": ["choice", "text", "confirm", "files"] },
                "context": { "type": "string", "description": "What the user needs to know, in Markdown" },
                "location": {
                    "type": "object",
                    "properties": {
                        "file": text, "start": { "type": "integer" }, "end": { "type": "integer" },
                    },
                },
                "options": { "type": "array", "items": option },
                "recommend": { "type": "string", "description": "The value of the option you recommend" },
                "multiple": { "type": "boolean" },
                "allow_other": { "type": "boolean", "description": "The user may write an answer of their own" },
                "required": { "type": "boolean" },
            },
            "required": ["id", "title"],
        },
    })
}

/// The words of `status`.
pub(crate) const STATUSES: [&str; 8] =
    ["answered", "pending", "queued", "returned", "replaced", "cancelled", "expired", "none"];

fn output() -> Value {
    let text = json!({ "type": "string" });
    let texts = json!({ "type": "array", "items": { "type": "string" } });
    let answers = json!({
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "id": { "type": "integer" }, "title": text, "chosen": texts, "labels": texts, "other": text,
                "note": text, "files": texts, "via": text,
            },
            "required": ["id", "title", "chosen", "labels"],
        },
    });
    json!({
        "type": "object",
        "properties": {
            "status": { "type": "string", "enum": STATUSES },
            "session_id": text,
            "url": text,
            "answers": answers,
            "message": text,
            "waited_seconds": { "type": "integer" },
            "summary": text,
            "next": text,
            "decisions": { "type": "array", "items": { "type": "object" } },
        },
        "required": ["status", "summary", "next"],
    })
}

fn object(schema: Value) -> Arc<JsonObject> {
    match schema {
        Value::Object(object) => Arc::new(object),
        _ => Arc::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::{INSTRUCTIONS, all};
    use serde_json::{Value, json};

    /// What Claude Code shows of a description.
    const MAX_DESCRIPTION: usize = 2048;

    #[test]
    fn what_clients_cut_off_is_not_written() {
        assert!(INSTRUCTIONS.len() < MAX_DESCRIPTION, "{}", INSTRUCTIONS.len());
        for tool in all() {
            let description = tool.description.unwrap_or_default();
            assert!(
                description.len() < MAX_DESCRIPTION && description.starts_with("Use this "),
                "{}",
                tool.name
            );
        }
        let listed = json!({ "tools": all() }).to_string();
        assert!(listed.len() <= 16_000, "{}", listed.len());
    }

    #[test]
    fn schemas_are_what_every_client_takes() {
        fn check(value: &Value) {
            match value {
                Value::Object(members) => {
                    for name in ["$ref", "oneOf", "anyOf", "allOf", "format", "$schema", "$defs"] {
                        assert!(!members.contains_key(name), "{value}");
                    }
                    members.values().for_each(check);
                }
                Value::Array(values) => values.iter().for_each(check),
                _ => {}
            }
        }
        for tool in all() {
            let schemas = [Some(tool.input_schema), tool.output_schema];
            for schema in schemas.into_iter().flatten() {
                assert_eq!(schema["type"], "object", "{}", tool.name);
                check(&Value::Object(schema.as_ref().clone()));
            }
        }
    }
}
