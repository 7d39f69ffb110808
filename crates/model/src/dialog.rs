//! Questions in the shape of the agents' own dialogs, such as AskUserQuestion of Claude Code, as items.
//!
//! An agent knows that shape by heart, so it is read leniently: one question in place of a list, labels in place of options,
//! a question in place of an object. What does not fit is left as it is, so that the reader of items says what is wrong.

use crate::path::Segment;
use crate::read::optional;
use crate::{Path, Problem, is_blank};
use serde_json::{Map, Value, json};
use std::borrow::Cow;

const QUESTIONS: &str = "questions";
/// Where questions come from that do not say it.
const SOURCE: &str = "AskUserQuestion";
/// What else such a document has, and has no meaning here.
const OF_DIALOG: [&str; 4] = [QUESTIONS, "answers", "annotations", "metadata"];
/// How agents mark the option that they recommend, in small letters.
const RECOMMENDED: [&str; 4] = ["(recommended)", "[recommended]", "(推荐)", "（推荐）"];

/// Whether a document asks in the shape of a dialog.
pub(crate) fn is_dialog(document: &Map<String, Value>) -> bool {
    optional(document, "items").is_none() && optional(document, QUESTIONS).is_some()
}

/// The document with items made of its questions. Where it lacks `task` and `source`, they are the first question and the
/// name of the dialog.
pub(crate) fn document(given: &Map<String, Value>) -> Map<String, Value> {
    let items = items(&questions(given));
    let first = items.get(0).and_then(|item| item.get("title")?.as_str()).filter(|title| !is_blank(title));
    let named = given.get("metadata").and_then(|metadata| metadata.get("source")?.as_str());
    let source = named.filter(|source| !is_blank(source)).unwrap_or(SOURCE);
    let about = [("task", first.unwrap_or("Questions")), ("source", source)];
    let about = about.map(|(key, usual)| {
        (key.to_owned(), optional(given, key).cloned().unwrap_or_else(|| usual.trim().into()))
    });
    let mut document: Map<_, _> = about.into_iter().collect();
    document.insert("items".to_owned(), items);
    let is_other = |key: &str| !OF_DIALOG.contains(&key) && !["task", "source", "items"].contains(&key);
    document.extend(
        given.iter().filter(|(key, _)| is_other(key)).map(|(key, value)| (key.clone(), value.clone())),
    );
    document
}

/// The problems of the items, as those of the questions that they were made of.
pub(crate) fn given_problems(given: &Map<String, Value>, problems: Vec<Problem>) -> Vec<Problem> {
    let questions = questions(given);
    let at = |problem: Problem| Problem { path: given_path(&questions, &problem.path), ..problem };
    let mut problems: Vec<_> = problems.into_iter().map(at).collect();
    // A label is both what comes back and what is read.
    problems.dedup_by(|next, problem| next.path == problem.path && next.rule == problem.rule);
    problems
}

/// Where in the document that was given stands what is at `path` of the items.
pub(crate) fn path_as_given(given: &Map<String, Value>, path: &Path) -> Path {
    given_path(&questions(given), path)
}

fn given_path(questions: &Value, path: &Path) -> Path {
    let mut segments = path.segments().iter();
    if segments.next() != Some(&Segment::Key("items")) {
        return path.clone();
    }
    let mut place = Path::root().key(QUESTIONS);
    let Some(Segment::Index(index)) = segments.next() else { return place };
    let question = match questions {
        Value::Array(questions) => {
            place = place.index(*index);
            questions.get(*index)
        }
        question => Some(question),
    };
    let Some(Value::Object(question)) = question else { return place };
    let mut option: Option<&Value> = None;
    for segment in segments {
        place = match (segment, option) {
            (Segment::Key(key), None) => place.key(name_in_question(key, question)),
            (Segment::Index(index), None) => {
                option = question.get("options").and_then(|options| options.get(*index));
                place.index(*index)
            }
            (_, Some(Value::String(_))) => return place,
            (Segment::Key("value"), Some(option)) if option.get("value").is_none() => place.key("label"),
            (Segment::Key(key), _) => place.key(key),
            (Segment::Index(index), _) => place.index(*index),
        };
    }
    place
}

fn name_in_question(key: &'static str, question: &Map<String, Value>) -> &'static str {
    let dialog = match key {
        "title" => "question",
        "context" => "header",
        "multiple" => "multiSelect",
        other => other,
    };
    if question.contains_key(key) { key } else { dialog }
}

/// What is asked. Some models write it as a text.
fn questions(given: &Map<String, Value>) -> Cow<'_, Value> {
    let Some(questions) = given.get(QUESTIONS) else { return Cow::Owned(Value::Null) };
    let written = questions.as_str().and_then(|text| serde_json::from_str(text).ok());
    match written {
        Some(read @ (Value::Array(_) | Value::Object(_))) => Cow::Owned(read),
        _ => Cow::Borrowed(questions),
    }
}

fn items(questions: &Value) -> Value {
    match questions {
        Value::Array(questions) => {
            let are_numbered = questions.iter().all(|question| question.get("id").is_some());
            let item = |(id, question): (u64, &Value)| item(id, are_numbered, question);
            (1_u64..).zip(questions).map(item).collect()
        }
        Value::Object(question) => json!([item(1, question.contains_key("id"), questions)]),
        Value::String(_) => json!([item(1, false, questions)]),
        other => other.clone(),
    }
}

fn item(id: u64, is_numbered: bool, question: &Value) -> Value {
    if let Value::String(title) = question {
        return json!({ "id": id, "title": title, "kind": "text" });
    }
    let Value::Object(question) = question else { return question.clone() };
    let asks = |kind: &str| question.get("type").and_then(Value::as_str) == Some(kind);
    let mut item = Map::new();
    let id = if is_numbered { question.get("id").cloned().unwrap_or_default() } else { id.into() };
    item.insert("id".to_owned(), id);
    let title = optional(question, "title").or_else(|| question.get("question"));
    item.insert("title".to_owned(), title.cloned().unwrap_or_default());
    if let Some(header) = optional(question, "header").filter(|header| !header.as_str().is_some_and(is_blank))
    {
        item.insert("context".to_owned(), header.clone());
    }
    let yes_and_no = json!(["Yes", "No"]);
    let options = if asks("yesno") { Some(&yes_and_no) } else { optional(question, "options") };
    let is_open = options.is_none() || asks("text");
    let kind = optional(question, "kind");
    if kind.is_none() && is_open {
        item.insert("kind".to_owned(), "text".into());
    } else {
        item.extend(kind.map(|kind| ("kind".to_owned(), kind.clone())));
        let mut recommended = None;
        match options {
            Some(Value::Array(options)) => {
                let options: Vec<_> = options.iter().map(|given| option(given, &mut recommended)).collect();
                item.insert("options".to_owned(), options.into());
            }
            other => item.extend(other.map(|options| ("options".to_owned(), options.clone()))),
        }
        item.extend(recommended.map(|value| ("recommend".to_owned(), value.into())));
        let several = optional(question, "multiple").or_else(|| optional(question, "multiSelect"));
        if let Some(several) = several.filter(|several| **several != Value::Bool(false)) {
            item.insert("multiple".to_owned(), several.clone());
        }
        // A dialog adds "Other" to every question.
        if kind.is_none_or(|kind| kind == "choice") {
            item.insert("allow_other".to_owned(), true.into());
        }
    }
    let is_read = ["id", "question", "title", "header", "options", "kind", "multiple", "multiSelect", "type"];
    let others = question.iter().filter(|(key, value)| !is_read.contains(&key.as_str()) && !value.is_null());
    item.extend(others.map(|(key, value)| (key.clone(), value.clone())));
    Value::Object(item)
}

/// The first one that is marked is what is recommended.
fn option(given: &Value, recommended: &mut Option<String>) -> Value {
    let (label, others) = match given {
        Value::String(label) => (label, None),
        Value::Object(option) => match option.get("label") {
            Some(Value::String(label)) => (label, Some(option)),
            _ => return given.clone(),
        },
        other => return other.clone(),
    };
    let plain = without_mark(label);
    // What comes back is what was given.
    let value =
        others.and_then(|option| optional(option, "value")).cloned().unwrap_or_else(|| label.as_str().into());
    if plain.is_some() && recommended.is_none() {
        *recommended = value.as_str().map(str::to_owned);
    }
    let mut option = Map::new();
    option.insert("value".to_owned(), value);
    option.insert("label".to_owned(), plain.unwrap_or(label).into());
    for (key, value) in others.into_iter().flatten() {
        let is_empty = value.is_null() || key == "description" && value.as_str().is_some_and(is_blank);
        if !["value", "label"].contains(&key.as_str()) && !is_empty {
            option.insert(key.clone(), value.clone());
        }
    }
    Value::Object(option)
}

/// The label without the mark of a recommendation, if it has one and says something else as well.
fn without_mark(label: &str) -> Option<&str> {
    let label = label.trim();
    let plain = RECOMMENDED.iter().find_map(|mark| {
        let (plain, end) = label.split_at_checked(label.len().checked_sub(mark.len())?)?;
        (end.to_lowercase() == *mark).then(|| plain.trim_end())
    });
    plain.filter(|plain| !is_blank(plain))
}
