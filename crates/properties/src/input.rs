//! What an agent, a person and a configuration say.

use model::{
    Answer, AnswerSheet, Attachment, Attachments, DecideInput, InputError, ItemKind, Questions, SyntaxError,
    form, is_blank, parse_output,
};
use settings::{ConfigValue, known, parse_config, set_in, unset_in};
use std::collections::HashSet;
use std::path::Path;
use std::sync::LazyLock;
use texts::Lang;

/// The longest timeout that can be configured: ten years, in seconds.
const TEN_YEARS: u64 = 315_360_000;

/// Questions that form bodies and answers are read for.
static QUESTIONS: LazyLock<Questions> = LazyLock::new(|| {
    let text = r#"{"task":"t","source":"s","items":[
        {"id":1,"title":"one","recommend":"b","options":[{"value":"a","label":"A"},{"value":"b","label":"B"}]},
        {"id":2,"title":"two","options":[{"value":"a","label":"A"},{"value":" c\r","label":"C"}]}]}"#;
    Questions::parse(text.as_bytes()).unwrap()
});

/// What is accepted can be asked and answered, and is the same when it is written and read again; what is refused has
/// reasons, in both languages.
pub(crate) fn decision_json(data: &[u8]) {
    match Questions::parse(data) {
        Ok(questions) => {
            let input = questions.input();
            let ids: HashSet<u64> = input.items.iter().map(|item| item.id).collect();
            assert_eq!(ids.len(), input.items.len(), "two items of one id");
            for item in &input.items {
                let values: HashSet<_> = item.options.iter().map(|option| &option.value).collect();
                let count = item.options.len();
                assert!(values.len() == count, "options cannot be told apart");
                assert!(match item.kind {
                    ItemKind::Choice => count >= 2,
                    ItemKind::Text => count == 0 && item.choices() == 1,
                    ItemKind::Files => count == 0 && item.choices() == 1,
                    ItemKind::Confirm => item.choices() == 1 && count == 1,
                });
                assert!(item.recommend.as_ref().is_none_or(|value| values.contains(value)));
            }
            let written = serde_json::to_vec(questions.document()).unwrap();
            let again = Questions::parse(&written).unwrap();
            assert!(again == questions && again.input() == input, "another one when read again");
            assert_eq!(again.fingerprint(), questions.fingerprint());
            let first = |item: &model::DecideItem| {
                let count = u32::try_from(item.bounds().0.max(1)).unwrap();
                Answer {
                    id: item.id,
                    options: (0..count).collect(),
                    other: "x".to_owned(),
                    note: String::new(),
                }
            };
            let sheet =
                AnswerSheet { answers: input.items.iter().map(first).collect(), ..AnswerSheet::default() };
            let files = attached(input);
            let output = sheet.decide(input, &files).unwrap();
            let written = serde_json::to_string(&output).unwrap();
            assert_eq!(parse_output(&written, input, &files).as_ref(), Ok(&output));
        }
        Err(InputError::Invalid(problems)) => {
            assert!(!problems.is_empty());
            for problem in &problems {
                for lang in [Lang::Zh, Lang::En] {
                    assert!(!texts::problem(lang, problem).is_empty());
                }
            }
        }
        Err(InputError::Syntax(_)) => {}
    }
}

/// As many files as each item needs that asks for some.
fn attached(input: &DecideInput) -> Attachments {
    let items = input.items.iter().filter(|item| item.kind == ItemKind::Files);
    let file = |index: usize| Attachment { name: index.to_string(), sha256: "0".repeat(64), size: 0 };
    items.map(|item| (item.id, (0..item.file_bounds().0).map(file).collect())).collect()
}

/// What is accepted as an answer answers every item once, with an option that was offered.
pub(crate) fn answer_json(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match parse_output(text, QUESTIONS.input(), &Attachments::new()) {
        Ok(output) => {
            check_output(&output, QUESTIONS.input());
            let written = serde_json::to_string(&output).unwrap();
            assert_eq!(parse_output(&written, QUESTIONS.input(), &Attachments::new()).as_ref(), Ok(&output));
        }
        Err(InputError::Invalid(problems)) => assert!(!problems.is_empty()),
        Err(InputError::Syntax(error)) => {
            let is_known = matches!(error, SyntaxError::Json(_) | SyntaxError::Utf16 | SyntaxError::Conflict);
            assert!(is_known, "{error:?}")
        }
    }
}

/// A form is read without a line break that a browser made up, each item once; accepted, it answers every item.
pub(crate) fn form_body(data: &[u8]) {
    let mut post = form::read(form_urlencoded::parse(data));
    let ids: HashSet<u64> = post.sheet.answers.iter().map(|answer| answer.id).collect();
    assert_eq!(ids.len(), post.sheet.answers.len(), "one item twice");
    assert!(
        post.sheet.answers.iter().all(|answer| !answer.note.contains('\r') && !answer.other.contains('\r'))
    );
    let input = QUESTIONS.input();
    if let Ok(output) = post.sheet.decide(input, &Attachments::new()) {
        check_output(&output, input);
    }
    if let Some(returned) = post.sheet.returned.as_ref().and_then(|returned| returned.checked(input)) {
        assert!(!is_blank(&returned.message) && returned.items.iter().all(|id| [1, 2].contains(id)));
    }
    let before = post.sheet.clone();
    post.sheet.take_recommendations(input);
    for answer in before.answers.iter().filter(|answer| !answer.options.is_empty()) {
        assert_eq!(post.sheet.get(answer.id), Some(answer), "a choice was changed");
    }
}

fn check_output(output: &model::DecideOutput, input: &DecideInput) {
    assert_eq!(output.decisions.len(), input.items.len());
    for (decision, item) in output.decisions.iter().zip(&input.items) {
        assert_eq!(decision.id, item.id);
        let [value] = decision.chosen.values() else { panic!("not one: {:?}", decision.chosen) };
        assert!(item.options.iter().any(|option| option.value == *value), "never offered");
        assert!(decision.note.as_ref().is_none_or(|note| !is_blank(note)));
    }
}

/// A key that is set has its value then and can be taken out again; nothing else changes. Where that cannot be, it is
/// refused.
fn edited(text: &str) {
    for (key, value) in [
        ("decide.port", ConfigValue::Integer(80)),
        ("flow.git.enabled", ConfigValue::Boolean(false)),
        ("flow.phases", ConfigValue::texts(["a", "\"\n"])),
    ] {
        let Ok(after) = set_in(text, known(key).unwrap(), &value) else { continue };
        assert_eq!(set_in(&after, known(key).unwrap(), &value).unwrap(), after, "{key} is set twice");
        let names: Vec<_> = key.split('.').collect();
        let without = unset_in(&after, &names).unwrap();
        assert_ne!(without, after, "{key} stays");
    }
}

/// What is accepted is within its limits; what is refused is found at a line that exists.
pub(crate) fn configuration(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    edited(text);
    match parse_config(text, Path::new("config.toml")) {
        Ok(config) => assert!(config.decide.timeout <= TEN_YEARS),
        Err(error) => {
            let lines = text.split('\n').count();
            assert!(
                error.line.is_none_or(|line| (1..=lines).contains(&line)),
                "line {:?} of {lines}",
                error.line
            );
        }
    }
}
