//! What a request asks, as questions that a person can answer on the page (contract/plans §13).

use model::{Questions, USUAL_FILES};
use protocol::agent::{DecisionChoice, HumanRequest, Id, NeededFile};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The words around what a request says, in one language.
#[derive(Debug, Clone, Copy)]
pub struct Words {
    /// What the set is called, given the plan and the task.
    pub task: fn(&str, Option<&str>) -> String,
    /// The title that asks for a file.
    pub file: fn(&str) -> String,
    /// How sensitive a file is, and which agent gets it.
    pub file_context: fn(Option<&str>, Option<&str>) -> String,
    /// The title that asks for a criterion.
    pub criterion: fn(&str) -> String,
    /// The title where a request says nothing that could be asked.
    pub anything: &'static str,
}

/// Where a decision that is needed has what the person should know, in Markdown.
pub(crate) const CONTEXT: &str = "context";
/// So much of that is shown, in characters.
const MOST_CONTEXT: usize = 20_000;

/// What an item of the questions stands for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Part<'r> {
    /// A file that is missing.
    File(&'r NeededFile),
    /// The decision, with the keys of its choices.
    Decision { question: &'r str, choices: Vec<&'r DecisionChoice> },
    /// A criterion.
    Criterion { key: &'r str, value: &'r Value },
    /// Whatever the person wants to say.
    Anything,
}

/// What a request asks, part by part: the number of an item is its place, counted from 1.
pub(crate) fn parts(request: &HumanRequest) -> Vec<Part<'_>> {
    let mut parts: Vec<Part<'_>> = request.needed.files.iter().flatten().map(Part::File).collect();
    if let Some(decision) = &request.needed.decision {
        let mut keys = BTreeSet::new();
        let options = decision.options.iter().flatten();
        let choices = options.filter(|choice| keys.insert(choice.key.as_str())).collect();
        parts.push(Part::Decision { question: decision.question.as_str(), choices });
    }
    let criteria = request.needed.criteria.iter().flatten();
    parts.extend(criteria.map(|(key, value)| Part::Criterion { key, value }));
    if parts.is_empty() {
        parts.push(Part::Anything);
    }
    parts
}

/// Returns the questions of a request.
///
/// # Errors
///
/// What of them cannot be asked: a request of thousands of items.
pub fn questions(request: &HumanRequest, words: &Words) -> Result<Questions, model::InputError> {
    let task = request.created_by.as_ref().and_then(|by| by.task_id.as_ref()).map(Id::as_str);
    let items: Vec<Value> = parts(request)
        .iter()
        .enumerate()
        .map(|(at, part)| {
            let mut item = item(part, request, words);
            item["id"] = json!(at + 1);
            item
        })
        .collect();
    let title = request.title.as_deref().filter(|title| !model::is_blank(title));
    let name = title.map_or_else(|| (words.task)(request.plan_id.as_str(), task), |title| shown(title, 200));
    let document = json!({ "task": name, "source": request.plan_id, "items": items });
    Questions::parse(document.to_string().as_bytes())
}

fn item(part: &Part<'_>, request: &HumanRequest, words: &Words) -> Value {
    match part {
        Part::File(file) => {
            let agent = file.deliver_to_agent_id.as_ref().map(Id::as_str);
            let mut context = (words.file_context)(file.sensitivity.as_deref(), agent);
            if let Some(description) = file.description.as_deref().filter(|it| !model::is_blank(it)) {
                context = format!("{}\n\n{context}", shown(description, 2000));
            }
            let is_pattern = file.name.contains(['*', '?', '[']);
            let mut item = json!({
                "kind": "files",
                "title": shown(&(words.file)(file.name.as_str()), 200),
                "context": context,
                "min": 1,
                "max": if is_pattern { USUAL_FILES } else { 1 },
            });
            // Only a pattern says what files may be called: any other file gets the name that is wanted.
            if is_pattern {
                item["names"] = json!([name_pattern(file.name.file_name())]);
            }
            item
        }
        Part::Decision { question, choices } => {
            let options: Vec<Value> = choices
                .iter()
                .map(|choice| {
                    let label = choice.label.as_deref().filter(|label| !model::is_blank(label));
                    let mut option = json!({
                        "value": choice.key, "label": shown(label.unwrap_or(choice.key.as_str()), 200),
                    });
                    if let Some(impact) = choice.impact.as_deref().filter(|it| !model::is_blank(it)) {
                        option["description"] = json!(shown(impact, 500));
                    }
                    option
                })
                .collect();
            let mut item = json!({ "title": shown(question, 500) });
            let decision = request.needed.decision.as_ref();
            let context = decision.and_then(|decision| decision.extra.get(CONTEXT)?.as_str());
            if let Some(context) = context.filter(|context| !model::is_blank(context)) {
                item["context"] = json!(shown(context, MOST_CONTEXT));
            }
            match options.len() {
                0 => item["kind"] = json!("text"),
                1 => {
                    item["kind"] = json!("confirm");
                    item["options"] = json!(options);
                }
                _ => {
                    item["options"] = json!(options);
                    item["allow_other"] = json!(true);
                    let default = decision.and_then(|it| it.default.as_deref());
                    // Only recommended, never chosen in advance.
                    if let Some(default) =
                        default.filter(|it| choices.iter().any(|one| one.key.as_str() == *it))
                    {
                        item["recommend"] = json!(default);
                    }
                }
            }
            item
        }
        Part::Criterion { key, value } => {
            let context = match value {
                Value::Null => String::new(),
                Value::String(text) => shown(text, 2000),
                value => {
                    format!("```json\n{}\n```", shown(&format!("{value:#}"), 2000).replace("```", "'''"))
                }
            };
            let mut item = json!({ "kind": "text", "title": shown(&(words.criterion)(key), 200) });
            if !model::is_blank(&context) {
                item["context"] = json!(context);
            }
            item
        }
        Part::Anything => json!({ "kind": "text", "title": words.anything }),
    }
}

/// The pattern of the page, which knows `*` alone.
fn name_pattern(name: &str) -> String {
    let mut pattern = String::new();
    let mut is_in_class = false;
    for letter in name.chars() {
        match letter {
            ']' if is_in_class => is_in_class = false,
            _ if is_in_class => {}
            '[' => {
                is_in_class = true;
                pattern.push('*');
            }
            '?' => pattern.push('*'),
            letter => pattern.push(letter),
        }
    }
    pattern
}

/// A text that is not longer than so many letters, and is visible.
fn shown(text: &str, most: usize) -> String {
    let text = text.trim();
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None if model::is_blank(text) => "…".to_owned(),
        None => text.to_owned(),
    }
}
