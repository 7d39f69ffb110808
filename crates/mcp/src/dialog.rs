//! Questions as AskUserQuestion takes them, as items.

use serde_json::{Map, Value, json};

/// How agents mark the option that they recommend.
const RECOMMENDED: [&str; 2] = ["(Recommended)", "(recommended)"];

/// Returns `questions` as items: an array of questions, or one question. Whatever does not fit is left as it is, so that its
/// reader says what is wrong with it.
pub(crate) fn items(questions: &Value) -> Value {
    match questions {
        Value::Array(questions) => {
            (1_u64..).zip(questions).map(|(id, question)| item(id, question)).collect()
        }
        Value::Object(_) => json!([item(1, questions)]),
        other => other.clone(),
    }
}

fn item(id: u64, question: &Value) -> Value {
    if let Value::String(title) = question {
        return json!({ "id": id, "title": title, "kind": "text" });
    }
    let Value::Object(question) = question else { return question.clone() };
    let mut item = Map::new();
    item.insert("id".to_owned(), id.into());
    let title = question.get("question").or_else(|| question.get("title"));
    item.insert("title".to_owned(), title.cloned().unwrap_or_default());
    if let Some(header) =
        question.get("header").and_then(Value::as_str).filter(|header| !header.trim().is_empty())
    {
        item.insert("context".to_owned(), header.into());
    }
    let is_set = |name: &str| question.get(name).and_then(Value::as_bool) == Some(true);
    match question.get("options") {
        None | Some(Value::Null) => {
            item.insert("kind".to_owned(), "text".into());
            return Value::Object(item);
        }
        Some(Value::Array(options)) => {
            let mut recommended = None;
            let options: Vec<_> = options.iter().map(|given| option(given, &mut recommended)).collect();
            item.insert("options".to_owned(), options.into());
            if let Some(value) = recommended {
                item.insert("recommend".to_owned(), value.into());
            }
        }
        Some(other) => {
            item.insert("options".to_owned(), other.clone());
        }
    }
    if is_set("multiSelect") || is_set("multiple") {
        item.insert("multiple".to_owned(), true.into());
    }
    // The dialog adds "Other" to every question.
    item.insert("allow_other".to_owned(), true.into());
    Value::Object(item)
}

/// The first one that is marked is what is recommended.
fn option(given: &Value, recommended: &mut Option<String>) -> Value {
    let label = match given {
        Value::String(label) => label,
        Value::Object(option) => match option.get("label") {
            Some(Value::String(label)) => label,
            _ => return given.clone(),
        },
        other => return other.clone(),
    };
    let plain = RECOMMENDED.iter().find_map(|mark| Some(label.trim().strip_suffix(mark)?.trim()));
    let plain = plain.filter(|plain| !plain.is_empty());
    if plain.is_some() && recommended.is_none() {
        // What comes back is what was given.
        *recommended = Some(label.clone());
    }
    let mut option = json!({ "value": label, "label": plain.unwrap_or(label) });
    if let Some(Value::String(description)) = given.get("description")
        && !description.trim().is_empty()
    {
        option["description"] = description.as_str().into();
    }
    option
}

#[cfg(test)]
mod tests {
    use super::items;
    use model::Questions;
    use serde_json::json;

    #[test]
    fn questions_of_the_dialog_become_items() {
        let questions = json!([
            {
                "question": "Which framework?", "header": "Framework", "multiSelect": true,
                "options": [
                    { "label": "React (Recommended)", "description": "Known" },
                    { "label": "Vue", "description": "" },
                ],
            },
            { "question": "Name?", "options": ["a", "b"] },
            "What else?",
        ]);
        let expected = json!([
            {
                "id": 1, "title": "Which framework?", "context": "Framework",
                "options": [
                    { "value": "React (Recommended)", "label": "React", "description": "Known" },
                    { "value": "Vue", "label": "Vue" },
                ],
                "recommend": "React (Recommended)", "multiple": true, "allow_other": true,
            },
            {
                "id": 2, "title": "Name?",
                "options": [{ "value": "a", "label": "a" }, { "value": "b", "label": "b" }],
                "allow_other": true,
            },
            { "id": 3, "title": "What else?", "kind": "text" },
        ]);
        let found = items(&questions);
        assert_eq!(found, expected);
        let document = json!({ "task": "t", "source": "s", "items": found });
        assert!(Questions::from_value(document).is_ok());
        assert_eq!(items(&questions[0])[0]["title"], "Which framework?");
    }

    #[test]
    fn what_does_not_fit_is_refused_by_the_reader_of_items() {
        for questions in
            [json!(3), json!([3]), json!([{ "options": 5 }]), json!([{ "question": "x", "options": [1] }])]
        {
            let document = json!({ "task": "t", "source": "s", "items": items(&questions) });
            assert!(Questions::from_value(document).is_err(), "{questions}");
        }
    }
}
