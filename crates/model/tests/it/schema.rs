//! The schemas say what the code does.

use crate::support::{attached, breaks, config, document};
use jsonschema::Validator;
use model::{ANSWERS_SCHEMA, AnswerSheet, QUESTIONS_SCHEMA, Questions, Rule};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::LazyLock;

static QUESTIONS: LazyLock<Validator> = LazyLock::new(|| validator(QUESTIONS_SCHEMA));
static ANSWERS: LazyLock<Validator> = LazyLock::new(|| validator(ANSWERS_SCHEMA));

fn validator(schema: &str) -> Validator {
    jsonschema::draft202012::new(&serde_json::from_str(schema).unwrap()).unwrap()
}

/// Rules that a schema cannot say, or that belong to `aide`'s own member.
fn is_beyond(rule: &Rule, path: &str) -> bool {
    matches!(
        rule,
        Rule::UniqueId { .. }
            | Rule::UniqueValue { .. }
            | Rule::RecommendsAnOption { .. }
            | Rule::EndsAfterStart { .. }
            | Rule::IsBetween { .. }
    ) || path == "_meta"
}

/// What is white space to `aide` and not to a regular expression.
fn is_invisible(found: &Value) -> bool {
    found.as_str().is_some_and(|text| text.chars().any(|c| !c.is_whitespace()))
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn what_is_valid_is_valid_by_the_schema(document in document(), index in any::<prop::sample::Index>()) {
        prop_assert!(QUESTIONS.is_valid(&document), "{document}");
        let breaks = breaks(&document);
        let broken = &breaks[index.index(breaks.len())];
        let found = broken.value.clone().unwrap_or_default();
        let mut wrong = document;
        broken.apply(&mut wrong);
        let Err(problems) = Questions::from_value(wrong.clone()) else {
            return Err(TestCaseError::fail(format!("{broken:?}")));
        };
        let beyond = problems.iter().all(|problem| is_beyond(&problem.rule, &problem.path.to_string()));
        prop_assert!(beyond || is_invisible(&found) || !QUESTIONS.is_valid(&wrong), "{broken:?}");
    }

    #[test]
    fn what_is_answered_is_valid_by_the_schema(document in document()) {
        let questions = Questions::from_value(document).unwrap();
        let mut sheet = AnswerSheet::default();
        for item in &questions.input().items {
            let wanted = u32::try_from(item.bounds().0).unwrap();
            let options = (0..wanted).collect();
            sheet.answers.push(model::Answer { id: item.id, options, other: "其他".to_owned(), note: "n".to_owned() });
        }
        let output = json!(sheet.decide(questions.input(), &attached(questions.input())).unwrap());
        prop_assert!(ANSWERS.is_valid(&output), "{output}");
    }
}

/// Which members an item has depends on its kind, and the other way round.
#[test]
fn the_schema_knows_the_members_of_each_kind() {
    let option = |value: &str| json!({"value": value, "label": "l"});
    let options = [json!(null), json!([]), json!([option("a")]), json!([option("a"), option("b")])];
    for kind in [json!(null), json!("choice"), json!("text"), json!("confirm"), json!("files"), json!("file")]
    {
        for options in &options {
            for (member, value) in [
                ("required", json!(false)),
                ("recommend", json!("a")),
                ("multiple", json!(true)),
                ("allow_other", json!(true)),
                ("min", json!(0)),
                ("names", json!(["a/b"])),
                ("names", json!(["*.pdf"])),
                ("max_bytes", json!("1")),
            ] {
                let mut item = json!({"id": 1, "title": "t", "kind": kind, "options": options});
                item[member] = value;
                let asked = json!({"task": "t", "source": "s", "items": [item]});
                let is_valid = match Questions::from_value(asked.clone()) {
                    Ok(_) => true,
                    Err(problems) => problems.iter().all(|problem| is_beyond(&problem.rule, "")),
                };
                assert_eq!(QUESTIONS.is_valid(&asked), is_valid, "{asked}");
            }
        }
    }
    assert!(!QUESTIONS.is_valid(&json!({"task": "t", "source": "s", "items": [{"id": 1, "title": "t"}]})));
}
