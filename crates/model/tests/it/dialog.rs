//! Questions in the shape of AskUserQuestion.

use crate::support::{any_json, config};
use model::{InputError, Preview, Questions, slips};
use proptest::prelude::*;
use serde_json::{Value, json};

fn read(document: Value) -> Value {
    let questions =
        Questions::parse(document.to_string().as_bytes()).unwrap_or_else(|error| panic!("{error:?}"));
    Value::Object(questions.document().clone())
}

/// What is wrong, each as `path: rule`.
fn problems(document: &Value) -> Vec<String> {
    match Questions::parse(document.to_string().as_bytes()) {
        Err(InputError::Invalid(problems)) => {
            problems.iter().map(|problem| format!("{}: {:?}", problem.path, problem.rule)).collect()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn questions_of_the_dialog_become_items() {
    let asked = json!({
        "questions": [
            {
                "question": "Which framework?", "header": "Framework", "multiSelect": true,
                "options": [
                    { "label": "React (Recommended)", "description": "Known", "preview": "```\nx\n```" },
                    { "label": "Vue", "description": "" },
                ],
            },
            { "question": "Name?", "options": ["a", "b"], "multiSelect": false, "header": "" },
            "What else?",
        ],
        "metadata": { "source": "plan" },
    });
    let expected = json!({
        "task": "Which framework?", "source": "plan",
        "items": [
            {
                "id": 1, "title": "Which framework?", "context": "Framework",
                "options": [
                    {
                        "value": "React (Recommended)", "label": "React", "description": "Known",
                        "preview": "```\nx\n```",
                    },
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
        ],
    });
    assert_eq!(read(asked), expected);
    // What became of them is read as any other.
    assert_eq!(read(expected.clone()), expected);
}

#[test]
fn the_shape_is_read_leniently() {
    let option = |label: &str| json!({ "value": label, "label": label });
    let usual = json!([option("a"), option("b")]);
    for (question, member, expected) in [
        // One question in place of a list, and its like.
        (json!({ "question": "q", "options": ["a", "b"] }), "title", json!("q")),
        (json!({ "title": "q", "options": ["a", "b"] }), "title", json!("q")),
        (json!("q"), "kind", json!("text")),
        (json!("{\"question\":\"q\",\"options\":[\"a\",\"b\"]}"), "options", usual.clone()),
        (json!("[{\"question\":\"q\",\"options\":[\"a\",\"b\"]}]"), "options", usual.clone()),
        (json!({ "question": "q", "options": ["a", "b"], "multiple": true }), "multiple", json!(true)),
        (
            json!({ "question": "q", "options": ["a", "b"], "allow_other": false }),
            "allow_other",
            json!(false),
        ),
        (
            json!({ "question": "q", "options": ["a", "b (recommended)"] }),
            "recommend",
            json!("b (recommended)"),
        ),
        (json!({ "question": "q", "options": ["甲（推荐）", "乙"] }), "recommend", json!("甲（推荐）")),
        // A word that says nothing else is a label.
        (json!({ "question": "q", "options": ["(Recommended)", "b"] }), "recommend", Value::Null),
        // As Gemini asks.
        (json!({ "question": "q", "type": "text", "placeholder": "p" }), "kind", json!("text")),
        (json!({ "question": "q", "type": "yesno" }), "options", json!([option("Yes"), option("No")])),
        (json!({ "question": "q", "type": "choice", "options": ["a", "b"] }), "options", usual),
        // As an item, under another name.
        (
            json!({ "id": 7, "title": "q", "options": [option("a"), { "value": "x", "label": "B" }] }),
            "id",
            json!(7),
        ),
        (json!({ "question": "Sure?", "kind": "confirm", "options": ["Yes"] }), "kind", json!("confirm")),
        (json!({ "question": "The files?", "kind": "files" }), "kind", json!("files")),
    ] {
        let document = json!({ "questions": question });
        let read = read(document);
        assert_eq!(read["items"][0].get(member).cloned().unwrap_or_default(), expected, "{question}");
        assert_eq!((&read["source"], read.get("questions")), (&json!("AskUserQuestion"), None));
    }
    let named = read(json!({ "task": "t", "source": "s", "questions": "q", "partial": true, "items": null }));
    assert_eq!(
        (&named["task"], &named["source"], &named["partial"]),
        (&json!("t"), &json!("s"), &json!(true))
    );
}

#[test]
fn all_problems_are_told_where_they_were_made() {
    assert_eq!(
        problems(&json!({ "task": " ", "questions": [
            { "header": "h", "options": [{ "label": "" }, "a", "a", 3, " "] },
            { "question": "q", "header": 3, "multiSelect": "yes", "options": ["a"] },
            { "question": "q", "options": [{ "description": "d" }, { "label": "b", "preview": 3 }] },
            { "title": "q", "multiple": 3, "context": 4, "options": "a" },
            4,
        ] })),
        [
            "task: NotBlank",
            "questions[0].question: IsString",
            "questions[0].options[0].label: NotBlank",
            "questions[0].options[2]: UniqueValue { value: \"a\" }",
            "questions[0].options[3]: IsObject",
            "questions[0].options[4]: NotBlank",
            "questions[1].options: AtLeastTwoOptions { count: 1 }",
            "questions[1].header: IsString",
            "questions[1].multiSelect: IsBoolean",
            "questions[2].options[0].label: IsString",
            "questions[2].options[1].preview: IsPreview",
            "questions[3].options: IsFilledArray",
            "questions[3].context: IsString",
            "questions[3].multiple: IsBoolean",
            "questions[4]: IsObject",
        ]
    );
    assert_eq!(problems(&json!({ "questions": {} })), ["questions.question: IsString"]);
    assert_eq!(problems(&json!({ "questions": [] })), ["questions: IsFilledArray"]);
    assert_eq!(problems(&json!({ "questions": 3 })), ["questions: IsFilledArray"]);
}

#[test]
fn slips_are_told_where_they_were_made() {
    let document =
        json!({ "taks": "t", "questions": [{ "question": "q", "recomend": "a", "option": ["a"] }] });
    let found = slips(document.to_string().as_bytes());
    let told: Vec<_> =
        found.iter().map(|slip| format!("{}.{} {}", slip.path, slip.found, slip.meant)).collect();
    assert_eq!(told, ["questions[0].recomend recommend", "questions[0].option options"]);
}

#[test]
fn previews_are_texts_or_pictures() {
    let png = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUg==";
    let preview = |given: &Value| {
        let options =
            json!([{ "value": "a", "label": "A", "preview": given }, { "value": "b", "label": "B" }]);
        json!({ "task": "t", "source": "s", "items": [{ "id": 1, "title": "t", "options": options }] })
    };
    for (given, expected) in [
        (json!("**a**"), Some(Preview::Text("**a**".to_owned()))),
        (json!(null), None),
        (json!(png), Some(Preview::Picture(png.to_owned()))),
        (json!(format!("  {png}\n")), Some(Preview::Picture(png.to_owned()))),
        (json!({ "file": "docs/a.PNG" }), Some(Preview::File("docs/a.PNG".to_owned()))),
    ] {
        let questions = Questions::from_value(preview(&given)).unwrap();
        let read = &questions.input().items[0].options[0].preview;
        assert_eq!(*read, expected, "{given}");
        let kept = json!(questions.input())["items"][0]["options"][0].get("preview").cloned();
        assert_eq!(kept.is_some(), expected.is_some());
    }
    for (given, problem) in [
        (json!(3), "items[0].options[0].preview: IsPreview"),
        (json!(["a"]), "items[0].options[0].preview: IsPreview"),
        (json!({ "url": "x" }), "items[0].options[0].preview: IsPreview"),
        (json!({ "file": "a.svg" }), "items[0].options[0].preview.file: IsPictureFile"),
        (json!({ "file": "/etc/passwd" }), "items[0].options[0].preview.file: IsPictureFile"),
        (json!("x".repeat(65_537)), "items[0].options[0].preview: IsShort { most: 65536 }"),
        (json!("data:text/html,<script>"), "items[0].options[0].preview: IsPicture"),
        (json!("DATA:image/png;base64,iVBORw0KGgo="), "items[0].options[0].preview: IsPicture"),
        (json!("data:image/svg+xml;base64,PHN2Zz4="), "items[0].options[0].preview: IsPicture"),
        (json!("data:image/png;base64,/9j/AAAA"), "items[0].options[0].preview: IsPicture"),
        (json!("data:image/png;base64,iVBORw0KGgo\" onerror=\""), "items[0].options[0].preview: IsPicture"),
        (json!(format!("{png}{}", "A".repeat(800 << 10))), "items[0].options[0].preview: IsPicture"),
    ] {
        assert_eq!(problems(&preview(&given)), [problem], "{:.80}", given.to_string());
    }
}

proptest! {
    #![proptest_config(config())]

    /// Whatever is sent as questions is read or refused, and what is refused names a place that it has, or lacks.
    #[test]
    fn any_questions_are_read_or_refused(questions in any_json(), name in "question|options|header|label|preview") {
        for questions in [questions.clone(), json!({ name.as_str(): questions.clone() }), json!([{ name.as_str(): questions }])] {
            let document = json!({ "questions": questions });
            let _ = slips(document.to_string().as_bytes());
            match Questions::from_value(document.clone()) {
                Ok(read) => {
                    let kept = Value::Object(read.document().clone());
                    prop_assert_eq!(Questions::from_value(kept).unwrap(), read);
                }
                Err(problems) => {
                    prop_assert!(!problems.is_empty());
                    for problem in problems {
                        let path = problem.path.to_string();
                        prop_assert!(path.starts_with("questions") || document["questions"].is_null(), "{path}");
                    }
                }
            }
        }
    }
}
