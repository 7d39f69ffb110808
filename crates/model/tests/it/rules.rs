//! Every rule of contract/decide §2 and §3: which text breaks it, where, and what is said to be found; and what lies just
//! inside of it.

use crate::support::with;
use model::{
    Answer, AnswerSheet, Attachment, Attachments, Chosen, Found, InputError, ItemKind, Problem, Questions,
    Rule, SyntaxError, parse_output,
};
use serde_json::{Value, json};

/// Both items have everything that is optional.
fn full() -> Value {
    let item = |id: u64| {
        json!({
            "id": id, "title": "t", "location": {"file": "f", "start": 5, "end": 7}, "context": "c", "recommend": "b",
            "options": [
                {"value": "a", "label": "A", "score": 85, "pros": ["p"], "cons": ["c"]},
                {"value": "b", "label": "B", "score": 70.5, "pros": [], "cons": []},
            ],
        })
    };
    json!({"task": "t", "source": "s", "items": [item(1), item(2)], "_meta": {}})
}

/// The text of `full` with `json` at `pointer`, as it is written; empty leaves the member out.
fn text(pointer: &str, json: &str) -> String {
    const MARK: &str = "⟨here⟩";
    let value = (!json.is_empty()).then(|| MARK.into());
    with(&full(), pointer, value).to_string().replace(&format!("\"{MARK}\""), json)
}

fn problems(text: &str) -> Vec<Problem> {
    match Questions::parse(text.as_bytes()) {
        Err(InputError::Invalid(problems)) => problems,
        other => panic!("{text}: {other:?}"),
    }
}

/// Each problem as `path: what was found`.
fn places(problems: &[Problem]) -> Vec<String> {
    let place = |problem: &Problem| match &problem.found {
        Found::Missing => format!("{}: missing", problem.path),
        Found::Json(json) => format!("{}: {json}", problem.path),
    };
    problems.iter().map(place).collect()
}

/// Texts, each wrong at its place by the same rule.
struct RuleCase {
    pointer: &'static str,
    rule: Rule,
    texts: &'static [&'static str],
}

const fn wrong(pointer: &'static str, rule: Rule, texts: &'static [&'static str]) -> RuleCase {
    RuleCase { pointer, rule, texts }
}

const NO_TEXT: &[&str] = &["", "null", "1", "true", "[\"x\"]", "{\"x\":\"y\"}"];
const BLANK: &[&str] = &[
    r#""""#,
    r#"" ""#,
    r#""\t\r\n""#,
    "\"\u{3000}\"",
    "\"\u{200b}\"",
    "\"\u{3000} \u{200b}\u{feff}\"",
    r#""\u3000\u200B""#,
    r#""\u0000""#,
];
const NO_OBJECT: &[&str] = &["1", "true", "\"x\"", "[]", "[{}]"];
/// The same, where something must stand.
const NO_ELEMENT: &[&str] = &["null", "1", "true", "\"x\"", "[]", "[{}]"];
const NO_INTEGER: &[&str] = &["", "null", "1.5", "\"1\"", "true", "[1]", "{}", "1e-1", "0.1"];
const NOT_POSITIVE: &[&str] = &["0", "-1", "-0", "0.0", "-1.0", "-9223372036854775808", "-1e300"];
const NOT_SAFE: &[&str] =
    &["9007199254740992", "9007199254740993", "9007199254740992.0", "18446744073709551615", "1e17", "1e300"];
const NO_ARRAY: &[&str] = &["", "null", "[]", "{}", "{\"0\":{}}", "\"x\"", "1"];
const NO_STRINGS: &[&str] = &["\"x\"", "1", "false", "{}"];

fn table() -> Vec<RuleCase> {
    let mut table = vec![
        wrong("", Rule::InputIsObject, &["null", "[]", "\"x\"", "1", "true"]),
        wrong("/task", Rule::IsString, NO_TEXT),
        wrong("/task", Rule::NotBlank, BLANK),
        wrong("/source", Rule::IsString, NO_TEXT),
        wrong("/source", Rule::NotBlank, BLANK),
        wrong("/items", Rule::IsFilledArray, NO_ARRAY),
        wrong("/items/1", Rule::IsObject, NO_ELEMENT),
        wrong("/items/1/id", Rule::IsInteger, NO_INTEGER),
        wrong("/items/1/id", Rule::IsPositive, NOT_POSITIVE),
        wrong("/items/1/id", Rule::IsSafeInteger, NOT_SAFE),
        wrong("/items/1/id", Rule::UniqueId { id: 1 }, &["1", "1.0", "1e0", "10e-1"]),
        wrong("/items/1/title", Rule::IsString, NO_TEXT),
        wrong("/items/1/title", Rule::NotBlank, BLANK),
        wrong("/items/1/options/1/label", Rule::IsString, NO_TEXT),
        wrong("/items/1/options/1/label", Rule::NotBlank, BLANK),
        wrong("/items/1/options/1/score", Rule::IsNumber, &["\"5\"", "true", "[5]", "{}"]),
        wrong(
            "/items/1/options/1/score",
            Rule::IsScore,
            &["-0.1", "100.1", "-1", "101", "100.00000000000001", "-5e-324"],
        ),
        wrong("/items/1/options/1/pros", Rule::IsStringArray, NO_STRINGS),
        wrong("/items/1/options/1/cons", Rule::IsStringArray, NO_STRINGS),
        wrong("/items/1/options/0/pros/0", Rule::IsString, &["null", "1", "[]"]),
        wrong("/items/1/options/0/cons/0", Rule::IsString, &["null", "1", "[]"]),
        wrong("/items/1/recommend", Rule::IsString, &["1", "true", "[\"a\"]", "{}"]),
        wrong("/items/1/recommend", Rule::NotBlank, BLANK),
        wrong(
            "/items/1/recommend",
            Rule::RecommendsAnOption { value: "A".to_owned() },
            &["\"A\"", r#""\u0041""#],
        ),
        wrong("/items/1/recommend", Rule::RecommendsAnOption { value: "a ".to_owned() }, &["\"a \""]),
        wrong("/items/1/location", Rule::IsObject, NO_OBJECT),
        wrong("/items/1/location/file", Rule::IsString, NO_TEXT),
        wrong("/items/1/location/file", Rule::NotBlank, BLANK),
        wrong("/items/1/location/end", Rule::EndsAfterStart { start: 5 }, &["4", "1", "4.0"]),
        wrong("/items/1/context", Rule::IsString, &["1", "true", "[\"x\"]", "{}"]),
        wrong("/_meta", Rule::IsObject, NO_OBJECT),
    ];
    for pointer in ["/items/1/location/start", "/items/1/location/end"] {
        table.push(wrong(pointer, Rule::IsInteger, NO_INTEGER));
        table.push(wrong(pointer, Rule::IsPositive, NOT_POSITIVE));
        table.push(wrong(pointer, Rule::IsSafeInteger, NOT_SAFE));
    }
    table
}

/// `items[1].id` for `/items/1/id`.
fn path(pointer: &str) -> String {
    crate::support::Break { pointer: pointer.to_owned(), value: None }.path()
}

#[test]
fn each_rule_has_its_place() {
    for RuleCase { pointer, rule, texts } in table() {
        for json in texts {
            let found = problems(&text(pointer, json));
            assert_eq!(found.len(), 1, "{pointer} {json}: {found:?}");
            assert_eq!(found[0].path.to_string(), path(pointer), "{json}");
            assert_eq!(found[0].rule, rule, "{pointer} {json}");
            let expected = match *json {
                "" | "null" => Found::Missing,
                json => Found::Json(serde_json::from_str::<Value>(json).unwrap().to_string()),
            };
            assert_eq!(found[0].found, expected, "{pointer} {json}");
        }
    }
}

/// What is wrong in one place and therefore in another.
#[test]
fn a_recommended_option_that_is_gone_is_told_too() {
    let gone = |pointer: &str, json: &str| {
        let problems = problems(&text(pointer, json));
        let rules: Vec<_> = problems.iter().map(|problem| problem.rule.clone()).collect();
        assert_eq!(problems.last().unwrap().path.to_string(), "items[1].recommend");
        assert_eq!(rules.last().unwrap(), &Rule::RecommendsAnOption { value: "b".to_owned() });
        assert_eq!(rules.len(), 2, "{rules:?}");
        (problems[0].path.to_string(), rules[0].clone())
    };
    let options = "items[1].options";
    for json in NO_ARRAY {
        assert_eq!(gone("/items/1/options", json), (options.to_owned(), Rule::IsFilledArray), "{json}");
    }
    let one = r#"[{"value":"a","label":"A"}]"#;
    assert_eq!(gone("/items/1/options", one), (options.to_owned(), Rule::AtLeastTwoOptions { count: 1 }));
    for json in NO_ELEMENT {
        assert_eq!(gone("/items/1/options/1", json), (format!("{options}[1]"), Rule::IsObject), "{json}");
    }
    let twice = Rule::UniqueValue { value: "a".to_owned() };
    for (rule, texts) in
        [(Rule::IsString, NO_TEXT), (Rule::NotBlank, BLANK), (twice, &["\"a\"", r#""\u0061""#])]
    {
        for json in texts {
            assert_eq!(gone("/items/1/options/1/value", json), (format!("{options}[1].value"), rule.clone()));
        }
    }
}

#[test]
fn what_lies_just_inside_is_accepted() {
    for (pointer, texts) in [
        ("/task", &["\"x\"", "\" \u{200b}x\"", "\"\u{1f44d}\"", r#""\u0000x""#][..]),
        (
            "/items/1/id",
            &["2.0", "3e0", "9007199254740991", "9007199254740990", "9007199254740991.0", "20e-1"],
        ),
        ("/items/1/title", &["\"0\"", "\"null\""]),
        (
            "/items/1/options/1/score",
            &["", "null", "0", "-0", "-0.0", "0.0", "100", "100.0", "1e2", "99.99", "5e-324"],
        ),
        ("/items/1/options/1/pros", &["", "null", "[]", "[\"\"]", "[\"\u{3000}\"]"]),
        ("/items/1/options/1/cons", &["", "null", "[]", "[\"\"]"]),
        ("/items/1/options/1/label", &["\"A\""]),
        ("/items/1/recommend", &["", "null", "\"a\"", r#""\u0061""#]),
        ("/items/1/location", &["", "null"]),
        ("/items/1/location/start", &["1", "7", "1.0"]),
        ("/items/1/location/end", &["5", "5.0", "9007199254740991"]),
        ("/items/1/context", &["", "null", "\"\"", "\" \""]),
        ("/_meta", &["", "null", "{}", r#"{"session_id":"forged"}"#]),
        ("/unknown", &["null", "1", "[[{}]]"]),
        ("/items/1/unknown", &["null", "{\"id\":0}"]),
        ("/items/1/options/1/Value", &["\"a\""]),
        ("/items/1/location/column", &["-1"]),
    ] {
        for json in texts {
            let sent = text(pointer, json);
            let questions =
                Questions::parse(sent.as_bytes()).unwrap_or_else(|error| panic!("{sent}: {error:?}"));
            let mut expected: Value = serde_json::from_str(&sent).unwrap();
            expected.as_object_mut().unwrap().shift_remove("_meta");
            let kept = serde_json::to_string(questions.document()).unwrap();
            assert_eq!(kept, expected.to_string(), "{pointer} {json}");
        }
    }
}

#[test]
fn an_absent_option_and_null_mean_the_same() {
    let read = |json: &str| {
        ["/items/1/recommend", "/items/1/location", "/items/1/context"].map(|pointer| {
            let questions = Questions::parse(text(pointer, json).as_bytes()).unwrap();
            questions.input().clone()
        })
    };
    assert_eq!(read(""), read("null"));
    let [recommend, location, context] = read("");
    assert_eq!(recommend.items[1].recommend, None);
    assert_eq!(location.items[1].location, None);
    assert_eq!(context.items[1].context, None);
}

#[test]
fn numbers_beyond_all_bounds_are_no_json() {
    for pointer in ["/items/1/id", "/items/1/options/1/score", "/items/1/location/start", "/unknown"] {
        for json in ["1e400", "-1e400", "NaN", "Infinity", "01", "+1", ".5", "0x1"] {
            let error = Questions::parse(text(pointer, json).as_bytes()).unwrap_err();
            let InputError::Syntax(SyntaxError::Json(words)) = &error else { panic!("{json}: {error:?}") };
            assert!(words.contains(" at line 1 column "), "{words}");
        }
    }
}

#[test]
fn what_is_no_json_is_told() {
    let syntax = |bytes: &[u8]| match Questions::parse(bytes) {
        Err(InputError::Syntax(error)) => error,
        other => panic!("{other:?}"),
    };
    for empty in ["", " ", "\r\n\t", "\u{3000}"] {
        assert_eq!(syntax(empty.as_bytes()), SyntaxError::Empty, "{empty:?}");
    }
    let marked = format!(
        "\u{feff}{}",
        serde_json::json!({"task": "t", "source": "s", "items": [
            {"id": 1, "title": "t", "options": [{"value": "a", "label": "A"}, {"value": "b", "label": "B"}]},
        ]})
    );
    assert_eq!(Questions::parse(marked.as_bytes()).unwrap().input().task, "t");
    for utf16 in [&b"\xff\xfe{\0}\0"[..], b"\xfe\xff\0{\0}", b"{\0}\0", b"\0{\0}"] {
        assert_eq!(syntax(utf16), SyntaxError::Utf16, "{utf16:?}");
    }
    assert_eq!(syntax(b"{\"a\":\"\xff\"}"), SyntaxError::NotUtf8 { offset: 6 });
    for text in ["{", "{}x", "{'a':1}", "{\"a\":1,}", "{\"a\":\"\n\"}", r#"{"a":"\ud800"}"#, "{\"a\":1}{}"] {
        assert!(matches!(syntax(text.as_bytes()), SyntaxError::Json(_)), "{text}");
    }
    for (text, key) in [
        (r#"{"task":"a","task":"b"}"#, "task"),
        (r#"{"x":[{"y":1,"\u0079":1}]}"#, "y"),
        (r#"{"":1,"":1}"#, ""),
    ] {
        let SyntaxError::Json(words) = syntax(text.as_bytes()) else { panic!("{text}") };
        assert!(words.starts_with(&format!("duplicate key {key:?} at line 1 column ")), "{words}");
    }
}

#[test]
fn nesting_has_a_limit() {
    let nested = |depth: usize| {
        let unknown = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        Questions::parse(text("/unknown", &unknown).as_bytes())
    };
    assert!(nested(126).is_ok(), "127 levels with the document itself");
    for depth in [127, 128, 129, 100_000] {
        assert!(matches!(nested(depth), Err(InputError::Syntax(SyntaxError::Json(_)))), "{depth}");
    }
}

#[test]
fn all_is_told_in_the_documented_order() {
    let location = json!({"file": "", "start": 0, "end": "x"});
    let first = json!({"value": "", "label": 1, "score": 101, "pros": "p", "cons": ["c", 2]});
    let item = json!({
        // Written the other way round: the order is that of the rules.
        "context": 1, "location": location, "recommend": "x", "title": " ", "id": 1.5,
        "options": [first, {"value": "v", "label": "l"}, {"label": "", "value": "v"}, 3],
    });
    let repeated = json!({"id": 7, "title": "t", "options": [{"value": "a", "label": "a"}, {"value": "b", "label": "b"}]});
    let mut twice = repeated.clone();
    twice["context"] = 0.into();
    let document = json!({"_meta": 1, "items": [null, item, repeated, twice, {}], "source": "", "task": false, "extra": 1});
    assert_eq!(
        places(&problems(&document.to_string())),
        [
            "task: false",
            "source: \"\"",
            "items[0]: missing",
            "items[1].id: 1.5",
            "items[1].title: \" \"",
            "items[1].options[0].value: \"\"",
            "items[1].options[0].label: 1",
            "items[1].options[0].score: 101",
            "items[1].options[0].pros: \"p\"",
            "items[1].options[0].cons[1]: 2",
            "items[1].options[2].value: \"v\"",
            "items[1].options[2].label: \"\"",
            "items[1].options[3]: 3",
            "items[1].recommend: \"x\"",
            "items[1].location.file: \"\"",
            "items[1].location.start: 0",
            "items[1].location.end: \"x\"",
            "items[1].context: 1",
            "items[3].context: 0",
            "items[3].id: 7",
            "items[4].id: missing",
            "items[4].title: missing",
            "items[4].options: missing",
            "_meta: 1",
        ]
    );
    assert_eq!(places(&problems("{}")), ["task: missing", "source: missing", "items: missing"]);
}

#[test]
fn every_rule_of_the_answers_has_its_place() {
    let asked = Questions::from_value(full()).unwrap();
    let given = |text: &str| match parse_output(text, asked.input(), &Attachments::new()) {
        Err(InputError::Invalid(problems)) => {
            let rules = problems.iter().map(|problem| problem.rule.clone()).collect::<Vec<_>>();
            (places(&problems), rules)
        }
        other => panic!("{text}: {other:?}"),
    };
    let open = |ids: &[u64]| Rule::EveryItemAnswered { ids: ids.to_vec() };
    let no_option = |id, chosen: &str| Rule::OptionExists { id, chosen: chosen.to_owned() };
    for (text, expected, rules) in [
        ("[]", vec![": []"], vec![Rule::OutputIsObject]),
        ("{}", vec!["decisions: missing"], vec![Rule::IsFilledArray]),
        (r#"{"decisions":[]}"#, vec!["decisions: []"], vec![Rule::IsFilledArray]),
        (r#"{"decisions":[3]}"#, vec!["decisions[0]: 3"], vec![Rule::IsObject]),
        (
            r#"{"decisions":[{"id":"1","chosen":"","note":2}]}"#,
            vec!["decisions[0].id: \"1\"", "decisions[0].chosen: \"\"", "decisions[0].note: 2"],
            vec![Rule::IsInteger, Rule::NotBlank, Rule::IsString],
        ),
        (r#"{"decisions":[{"id":2,"chosen":"a"}]}"#, vec!["decisions: missing"], vec![open(&[1])]),
        (
            r#"{"decisions":[{"id":2,"chosen":"x"},{"id":9,"chosen":"a"},{"id":2,"chosen":"b"},{"id":1,"chosen":"A"}]}"#,
            vec![
                "decisions[0]: missing",
                "decisions[1]: missing",
                "decisions[2]: missing",
                "decisions[3]: missing",
            ],
            vec![
                no_option(2, "x"),
                Rule::ItemExists { id: 9 },
                Rule::AnsweredOnce { id: 2 },
                no_option(1, "A"),
            ],
        ),
    ] {
        let (places, found) = given(text);
        assert_eq!(places, expected, "{text}");
        assert_eq!(found, rules, "{text}");
    }
    for text in ["", "{", r#"{"decisions":[],"decisions":[]}"#, "\u{feff}{}"] {
        let refused = parse_output(text, asked.input(), &Attachments::new());
        assert!(matches!(refused, Err(InputError::Syntax(SyntaxError::Json(_)))), "{text}");
    }
    let text = r#"{"decisions":[{"id":2.0,"chosen":"b","note":" n "},{"note":null,"chosen":"a","id":1,"x":1}],"x":1}"#;
    let output = parse_output(text, asked.input(), &Attachments::new()).unwrap();
    let json = serde_json::to_string(&output).unwrap();
    assert_eq!(json, r#"{"decisions":[{"id":1,"chosen":"a"},{"id":2,"chosen":"b","note":" n "}]}"#);
}

/// An item with everything that can be added to one.
fn asked(members: Value) -> Result<Questions, Vec<Problem>> {
    let mut item = json!({
        "id": 1,
        "title": "t",
        "options": [{"value": "a", "label": "A"}, {"value": "b", "label": "B"}, {"value": "c", "label": "C"}],
    });
    item.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    Questions::from_value(json!({"task": "t", "source": "s", "items": [item]}))
}

#[test]
fn the_optional_members_of_an_item_have_rules() {
    let between = |least, most| Rule::IsBetween { least, most };
    for (members, place, rule) in [
        (json!({"multiple": 1}), "items[0].multiple: 1", Rule::IsBoolean),
        (json!({"allow_other": "yes"}), "items[0].allow_other: \"yes\"", Rule::IsBoolean),
        (json!({"required": 0}), "items[0].required: 0", Rule::IsBoolean),
        (json!({"min": 1}), "items[0].min: 1", Rule::NeedsMultiple),
        (json!({"max": 1, "multiple": false}), "items[0].max: 1", Rule::NeedsMultiple),
        (json!({"min": 1.5, "multiple": true}), "items[0].min: 1.5", Rule::IsInteger),
        (json!({"min": -1, "multiple": true}), "items[0].min: -1", between(0, 3)),
        (json!({"min": 4, "multiple": true}), "items[0].min: 4", between(0, 3)),
        (json!({"max": 0, "multiple": true}), "items[0].max: 0", between(1, 3)),
        (json!({"min": 2, "max": 1, "multiple": true}), "items[0].max: 1", between(2, 3)),
        (json!({"max": 5, "multiple": true, "allow_other": true}), "items[0].max: 5", between(1, 4)),
    ] {
        let problems = asked(members.clone()).unwrap_err();
        assert_eq!(places(&problems), [place], "{members}");
        assert_eq!(problems[0].rule, rule, "{members}");
    }
    for members in [
        json!({"multiple": null, "min": null, "max": null, "allow_other": null, "required": null}),
        json!({"multiple": true, "min": 0, "max": 1.0}),
        json!({"multiple": true, "min": 4, "max": 4, "allow_other": true}),
        json!({"multiple": false, "allow_other": false, "required": true}),
    ] {
        assert!(asked(members.clone()).is_ok(), "{members}");
    }
}

#[test]
fn what_an_answer_may_be_depends_on_the_item() {
    let (one, none) = (json!({}), json!({"required": false}));
    let other = json!({"allow_other": true});
    let several = json!({"multiple": true, "max": 2});
    let several_or_none = json!({"multiple": true, "min": 0});
    let several_other = json!({"multiple": true, "allow_other": true, "required": false});
    let count = |least, most, count| Rule::ChoiceCount { id: 1, least, most, count };
    let open = || Rule::EveryItemAnswered { ids: vec![1] };
    let ok = |text: &str| Ok(format!("{{\"id\":1,{text}}}"));
    for (members, decision, expected) in [
        (&one, r#""chosen":"a""#, ok(r#""chosen":"a""#)),
        (&one, r#""chosen":null"#, Err(vec![Rule::IsString])),
        (&one, r#""note":"n""#, Err(vec![Rule::IsString])),
        (&one, r#""chosen":["a"]"#, Err(vec![Rule::IsString])),
        (&one, r#""chosen":["a","b"]"#, Err(vec![count(1, 1, 2)])),
        (&one, r#""chosen":null,"other":"x""#, Err(vec![Rule::OtherOffered { id: 1 }])),
        (&none, r#""chosen":null,"note":"n""#, ok(r#""chosen":null,"note":"n""#)),
        (&none, r#""chosen":"b""#, ok(r#""chosen":"b""#)),
        (&other, r#""chosen":null,"other":" x\n""#, ok(r#""chosen":null,"other":" x\n""#)),
        (&other, r#""chosen":null,"other":" ""#, Err(vec![Rule::OtherWritten { id: 1 }])),
        (&other, r#""chosen":"a","other":"x""#, Err(vec![count(1, 1, 2)])),
        (&other, r#""chosen":null"#, Err(vec![Rule::IsString])),
        (&several, r#""chosen":["c","a"]"#, ok(r#""chosen":["a","c"]"#)),
        (&several, r#""chosen":["b"]"#, ok(r#""chosen":["b"]"#)),
        (&several, r#""chosen":"b""#, Err(vec![Rule::IsStringArray])),
        (&several, r#""chosen":[]"#, Err(vec![count(1, 2, 0)])),
        (&several, r#""chosen":["a","b","c"]"#, Err(vec![count(1, 2, 3)])),
        (&several, r#""chosen":["a","a"]"#, Err(vec![Rule::ChosenOnce { id: 1, chosen: "a".to_owned() }])),
        (&several, r#""chosen":["x"]"#, Err(vec![Rule::OptionExists { id: 1, chosen: "x".to_owned() }])),
        (&several, r#""chosen":["a",""]"#, Err(vec![Rule::NotBlank])),
        (&several_or_none, r#""chosen":[]"#, ok(r#""chosen":[]"#)),
        (&several_or_none, r#""chosen":null"#, ok(r#""chosen":[]"#)),
        (&several_other, r#""chosen":["a"],"other":"x""#, ok(r#""chosen":["a"],"other":"x""#)),
        (&several_other, r#""chosen":null,"other":"x""#, ok(r#""chosen":[],"other":"x""#)),
        (&several_other, r#""chosen":[]"#, ok(r#""chosen":null"#)),
    ] {
        let questions = asked(members.clone()).unwrap();
        let text = format!("{{\"decisions\":[{{\"id\":1,{decision}}}]}}");
        let found = match parse_output(&text, questions.input(), &Attachments::new()) {
            Ok(output) => Ok(serde_json::to_string(&output.decisions[0]).unwrap()),
            Err(InputError::Invalid(problems)) => {
                Err(problems.into_iter().map(|problem| problem.rule).collect::<Vec<_>>())
            }
            Err(error) => panic!("{text}: {error:?}"),
        };
        assert_eq!(found, expected, "{members} {decision}");
    }
    // Not mentioned at all.
    let two = |second: Value| {
        let mut document = asked(second).unwrap().document().clone();
        let first = json!({"id": 2, "title": "t", "options": [{"value": "a", "label": "A"}, {"value": "b", "label": "B"}]});
        document["items"].as_array_mut().unwrap().push(first);
        let questions = Questions::from_value(Value::Object(document)).unwrap();
        parse_output(r#"{"decisions":[{"id":2,"chosen":"a"}]}"#, questions.input(), &Attachments::new())
    };
    match two(one) {
        Err(InputError::Invalid(problems)) => assert_eq!(problems[0].rule, open()),
        other => panic!("{other:?}"),
    }
    assert_eq!(
        serde_json::to_string(&two(none).unwrap()).unwrap(),
        r#"{"decisions":[{"id":1,"chosen":null},{"id":2,"chosen":"a"}]}"#
    );
}

/// One item of a kind, with these members.
fn of_kind(kind: &str, members: Value) -> Result<Questions, Vec<Problem>> {
    let mut item = json!({"id": 1, "title": "t", "kind": kind});
    item.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    Questions::from_value(json!({"task": "t", "source": "s", "items": [item]}))
}

#[test]
fn each_kind_has_the_members_that_make_sense_with_it() {
    let (a, b) = (json!({"value": "a", "label": "A"}), json!({"value": "b", "label": "B"}));
    let foreign = |kind| Rule::NotOfKind { kind };
    for (kind, members, place, rule) in [
        ("Text", json!({}), "items[0].kind: \"Text\"", Rule::IsKind),
        ("file", json!({"options": []}), "items[0].kind: \"file\"", Rule::IsKind),
        ("choice", json!({}), "items[0].options: missing", Rule::IsFilledArray),
        (
            "choice",
            json!({"options": [a]}),
            "items[0].options: [{\"value\":\"a\",\"label\":\"A\"}]",
            Rule::AtLeastTwoOptions { count: 1 },
        ),
        (
            "text",
            json!({"options": [a, 1]}),
            "items[0].options: [{\"value\":\"a\",\"label\":\"A\"},1]",
            foreign(ItemKind::Text),
        ),
        ("text", json!({"options": {}}), "items[0].options: {}", foreign(ItemKind::Text)),
        ("text", json!({"recommend": "x"}), "items[0].recommend: \"x\"", foreign(ItemKind::Text)),
        ("text", json!({"multiple": true, "min": 1}), "items[0].multiple: true", foreign(ItemKind::Text)),
        ("text", json!({"min": 1}), "items[0].min: 1", Rule::NeedsMultiple),
        ("text", json!({"max": 1}), "items[0].max: 1", Rule::NeedsMultiple),
        ("confirm", json!({}), "items[0].options: missing", Rule::IsFilledArray),
        ("confirm", json!({"options": []}), "items[0].options: []", Rule::IsFilledArray),
        (
            "confirm",
            json!({"options": [a, b]}),
            "items[0].options: [{\"value\":\"a\",\"label\":\"A\"},{\"value\":\"b\",\"label\":\"B\"}]",
            Rule::OneOption { count: 2 },
        ),
        (
            "confirm",
            json!({"options": [a], "recommend": "b"}),
            "items[0].recommend: \"b\"",
            Rule::RecommendsAnOption { value: "b".to_owned() },
        ),
        (
            "confirm",
            json!({"options": [a], "allow_other": true}),
            "items[0].allow_other: true",
            foreign(ItemKind::Confirm),
        ),
        (
            "confirm",
            json!({"options": [a], "multiple": true, "min": 0}),
            "items[0].multiple: true",
            foreign(ItemKind::Confirm),
        ),
        (
            "files",
            json!({"options": [a]}),
            "items[0].options: [{\"value\":\"a\",\"label\":\"A\"}]",
            foreign(ItemKind::Files),
        ),
        ("files", json!({"recommend": "x"}), "items[0].recommend: \"x\"", foreign(ItemKind::Files)),
        ("files", json!({"multiple": true, "min": 2}), "items[0].multiple: true", foreign(ItemKind::Files)),
        ("files", json!({"allow_other": true}), "items[0].allow_other: true", foreign(ItemKind::Files)),
        ("files", json!({"min": 0}), "items[0].min: 0", Rule::IsBetween { least: 1, most: 100 }),
        ("files", json!({"max": 101}), "items[0].max: 101", Rule::IsBetween { least: 1, most: 100 }),
        ("files", json!({"min": 4, "max": 3}), "items[0].max: 3", Rule::IsBetween { least: 4, most: 100 }),
        (
            "files",
            json!({"max_bytes": 0}),
            "items[0].max_bytes: 0",
            Rule::IsBetween { least: 1, most: 67_108_864 },
        ),
        (
            "files",
            json!({"max_bytes": 67_108_865}),
            "items[0].max_bytes: 67108865",
            Rule::IsBetween { least: 1, most: 67_108_864 },
        ),
        ("files", json!({"names": []}), "items[0].names: []", Rule::IsFilledArray),
        ("files", json!({"names": "*.pdf"}), "items[0].names: \"*.pdf\"", Rule::IsFilledArray),
        ("files", json!({"names": ["a", 1]}), "items[0].names[1]: 1", Rule::IsString),
        ("files", json!({"names": [" "]}), "items[0].names[0]: \" \"", Rule::NotBlank),
        ("files", json!({"names": ["a/b"]}), "items[0].names[0]: \"a/b\"", Rule::IsFileName),
        ("files", json!({"names": ["..\\*"]}), "items[0].names[0]: \"..\\\\*\"", Rule::IsFileName),
    ] {
        let problems = of_kind(kind, members.clone()).unwrap_err();
        assert_eq!(places(&problems), [place], "{kind} {members}");
        assert_eq!(problems[0].rule, rule, "{kind} {members}");
    }
    for (kind, members) in [
        // Defaults written out.
        (
            "text",
            json!({"options": null, "multiple": false, "allow_other": false, "recommend": null, "min": null}),
        ),
        ("text", json!({"options": [], "allow_other": true, "required": false})),
        ("confirm", json!({"options": [a], "recommend": "a", "multiple": false, "allow_other": false})),
        ("choice", json!({"options": [a, b]})),
        // Members unknown to this kind.
        ("choice", json!({"options": [a, b], "names": 1, "max_bytes": "x"})),
        ("files", json!({"options": [], "multiple": false, "allow_other": false, "recommend": null})),
        ("files", json!({"names": ["*.pdf", "logo.svg"], "min": 1, "max": 100, "max_bytes": 67_108_864})),
        ("files", json!({"min": 20})),
    ] {
        assert!(of_kind(kind, members.clone()).is_ok(), "{kind} {members}");
    }
    for kind in [json!(1), json!(true), json!(["text"]), json!({})] {
        let problems = asked(json!({"kind": kind})).unwrap_err();
        assert_eq!(problems[0].rule, Rule::IsKind, "{kind}");
    }
    assert_eq!(asked(json!({"kind": null})).unwrap().input().items[0].kind, ItemKind::Choice);
}

#[test]
fn an_answer_in_words_is_given_as_words_and_what_is_confirmed_by_its_option() {
    let (text, confirm) = (
        |members: Value| of_kind("text", members).unwrap(),
        |members: Value| {
            let mut with = json!({"options": [{"value": "go", "label": "Go"}]});
            with.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
            of_kind("confirm", with).unwrap()
        },
    );
    let (required, optional) = (json!({}), json!({"required": false}));
    let words = || vec![Rule::AnsweredInWords { id: 1 }];
    let ok = |text: &str| Ok(format!("{{\"id\":1,{text}}}"));
    for (asked, decision, expected) in [
        (text(required.clone()), r#""chosen":null,"other":"x\ny""#, ok(r#""chosen":null,"other":"x\ny""#)),
        (text(required.clone()), r#""other":"x","note":"n""#, ok(r#""chosen":null,"other":"x","note":"n""#)),
        (text(required.clone()), r#""chosen":[],"other":"x""#, ok(r#""chosen":null,"other":"x""#)),
        (text(required.clone()), r#""chosen":null"#, Err(words())),
        (text(required.clone()), r#""chosen":"x""#, Err(words())),
        (text(required.clone()), r#""chosen":"x","other":"x""#, Err(words())),
        (text(required.clone()), r#""other":" \n""#, Err(words())),
        (text(optional.clone()), r#""other":"""#, Err(words())),
        (text(optional.clone()), r#""chosen":null"#, ok(r#""chosen":null"#)),
        (text(optional.clone()), r#""chosen":null,"note":"n""#, ok(r#""chosen":null,"note":"n""#)),
        (confirm(required.clone()), r#""chosen":"go""#, ok(r#""chosen":"go""#)),
        (confirm(required.clone()), r#""chosen":null"#, Err(vec![Rule::IsString])),
        (confirm(required.clone()), r#""other":"no""#, Err(vec![Rule::OtherOffered { id: 1 }])),
        (
            confirm(required),
            r#""chosen":"no""#,
            Err(vec![Rule::OptionExists { id: 1, chosen: "no".to_owned() }]),
        ),
        (confirm(optional), r#""chosen":null"#, ok(r#""chosen":null"#)),
    ] {
        let given = format!("{{\"decisions\":[{{\"id\":1,{decision}}}]}}");
        let found = match parse_output(&given, asked.input(), &Attachments::new()) {
            Ok(output) => Ok(serde_json::to_string(&output.decisions[0]).unwrap()),
            Err(InputError::Invalid(problems)) => {
                Err(problems.into_iter().map(|problem| problem.rule).collect::<Vec<_>>())
            }
            Err(error) => panic!("{error:?}"),
        };
        assert_eq!(found, expected, "{decision}");
    }
}

/// Files of these names, all of the same content.
fn files(names: &[&str]) -> Vec<Attachment> {
    let file = |name: &&str| Attachment { name: (*name).to_owned(), sha256: "0".repeat(64), size: 3 };
    names.iter().map(file).collect()
}

#[test]
fn files_come_from_what_is_attached_and_from_nobody_else() {
    let asked = |members: Value| of_kind("files", members).unwrap();
    let (required, optional) = (|| asked(json!({"max": 2})), || asked(json!({"required": false, "min": 2})));
    let listed = |names: &[&str]| format!("\"files\":{}", serde_json::to_string(&files(names)).unwrap());
    let ok = |names: &[&str]| Ok(format!("{{\"id\":1,\"chosen\":null,{}}}", listed(names)));
    let count = |least, most, count| vec![Rule::FileCount { id: 1, least, most, count }];
    let given = |json: &str, asked: &Questions, names: &[&str]| {
        let text = format!("{{\"decisions\":[{{\"id\":1,{json}}}]}}");
        match parse_output(&text, asked.input(), &Attachments::from([(1, files(names))])) {
            Ok(output) => Ok(serde_json::to_string(&output.decisions[0]).unwrap()),
            Err(InputError::Invalid(problems)) => {
                Err(problems.into_iter().map(|problem| problem.rule).collect::<Vec<_>>())
            }
            Err(error) => panic!("{error:?}"),
        }
    };
    for (asked, json, names, expected) in [
        (required(), "\"chosen\":null".to_owned(), &["a", "b"][..], ok(&["a", "b"])),
        // In whatever order they are named, it is that in which they were attached.
        (required(), listed(&["b", "a"]), &["a", "b"], ok(&["a", "b"])),
        (required(), listed(&["a"]), &["a", "b"], Err(vec![Rule::FilesAttached { id: 1 }])),
        (required(), listed(&["a", "b", "c"]), &["a", "b"], Err(vec![Rule::FilesAttached { id: 1 }])),
        (required(), listed(&["A"]), &["a"], Err(vec![Rule::FilesAttached { id: 1 }])),
        (required(), listed(&["a"]).replace("000", "001"), &["a"], Err(vec![Rule::FilesAttached { id: 1 }])),
        (required(), listed(&["a"]).replace(":3", ":4"), &["a"], Err(vec![Rule::FilesAttached { id: 1 }])),
        (required(), "\"files\":{}".to_owned(), &["a"], Err(vec![Rule::IsFilledArray])),
        (required(), "\"files\":[\"a\"]".to_owned(), &["a"], Err(vec![Rule::IsObject])),
        (
            required(),
            "\"files\":[{}]".to_owned(),
            &["a"],
            Err(vec![Rule::IsString, Rule::IsString, Rule::IsInteger]),
        ),
        (required(), "\"chosen\":\"a\"".to_owned(), &["a"], Err(vec![Rule::AnsweredByFiles { id: 1 }])),
        (required(), "\"other\":\"a\"".to_owned(), &["a"], Err(vec![Rule::AnsweredByFiles { id: 1 }])),
        (required(), "\"chosen\":null".to_owned(), &[], Err(count(1, 2, 0))),
        (required(), "\"files\":[]".to_owned(), &[], Err(count(1, 2, 0))),
        (required(), "\"chosen\":null".to_owned(), &["a", "b", "c"], Err(count(1, 2, 3))),
        (optional(), "\"chosen\":null".to_owned(), &["a"], Err(count(2, 10, 1))),
        (optional(), "\"files\":[]".to_owned(), &[], Ok("{\"id\":1,\"chosen\":null}".to_owned())),
        (optional(), "\"chosen\":null".to_owned(), &["a", "b"], ok(&["a", "b"])),
    ] {
        assert_eq!(given(&json, &asked, names), expected, "{json} {names:?}");
    }
    let text = of_kind("text", json!({})).unwrap();
    for json in [format!("\"other\":\"x\",{}", listed(&["a"])), "\"other\":\"x\",\"files\":[]".to_owned()] {
        assert_eq!(given(&json, &text, &["a"]), Err(vec![Rule::FilesAsked { id: 1 }]), "{json}");
    }
}

#[test]
fn position_0_stands_for_the_attached_files() {
    for (members, options, names, expected) in [
        (json!({}), vec![0], &["a"][..], Ok(1)),
        (json!({}), vec![0], &[], Err(Rule::FileCount { id: 1, least: 1, most: 10, count: 0 })),
        (json!({}), vec![], &["a"], Err(Rule::EveryItemAnswered { ids: vec![1] })),
        (json!({}), vec![1], &["a"], Err(Rule::AnsweredByFiles { id: 1 })),
        (json!({}), vec![0, 0], &["a"], Err(Rule::AnsweredByFiles { id: 1 })),
        (json!({"required": false}), vec![0], &["a"], Ok(1)),
        (json!({"required": false}), vec![0], &[], Ok(0)),
        (json!({"required": false}), vec![], &["a"], Ok(0)),
        (
            json!({"required": false, "min": 2}),
            vec![0],
            &["a"],
            Err(Rule::FileCount { id: 1, least: 2, most: 10, count: 1 }),
        ),
    ] {
        let asked = of_kind("files", members.clone()).unwrap();
        let answer = Answer { id: 1, options, ..Answer::default() };
        let sheet = AnswerSheet { answers: vec![answer.clone()], ..AnswerSheet::default() };
        let decided = sheet.decide(asked.input(), &Attachments::from([(1, files(names))]));
        let found = match decided {
            Ok(output) => {
                assert_eq!(output.decisions[0].chosen, Chosen::None);
                Ok(output.decisions[0].files.len())
            }
            Err(problems) => Err(problems[0].rule.clone()),
        };
        assert_eq!(found, expected, "{members} {answer:?} {names:?}");
    }
}

#[test]
fn the_field_for_words_of_a_text_item_is_chosen_by_what_is_in_it() {
    for (members, options, other, expected) in [
        (json!({}), vec![], " x ", Some(Ok("x"))),
        (json!({}), vec![0], "x", Some(Ok("x"))),
        (json!({}), vec![0], " ", None),
        (json!({}), vec![], "", None),
        (json!({"required": false}), vec![0], "", Some(Err(()))),
    ] {
        let asked = of_kind("text", members.clone()).unwrap();
        let answer = Answer { id: 1, options, other: other.to_owned(), ..Answer::default() };
        let open = answer.leaves_open(&asked.input().items[0]);
        assert_eq!(open, expected.is_none(), "{members} {answer:?}");
        let sheet = AnswerSheet { answers: vec![answer.clone()], ..AnswerSheet::default() };
        match (sheet.decide(asked.input(), &Attachments::new()), expected) {
            (Ok(output), Some(expected)) => {
                assert_eq!(output.decisions[0].other.as_deref().ok_or(()), expected, "{answer:?}");
                assert_eq!(output.decisions[0].chosen, Chosen::None);
            }
            (Err(problems), None) => assert_eq!(problems[0].rule, Rule::EveryItemAnswered { ids: vec![1] }),
            other => panic!("{answer:?}: {other:?}"),
        }
    }
}

#[test]
fn without_a_kind_nothing_is_said_of_it() {
    let asked = asked(json!({})).unwrap();
    let written = serde_json::to_string(asked.input()).unwrap();
    assert!(!written.contains("kind") && !written.contains("description"), "{written}");
    let text = of_kind("text", json!({})).unwrap();
    assert_eq!(
        serde_json::to_string(&text.input().items[0]).unwrap(),
        r#"{"id":1,"title":"t","kind":"text"}"#
    );
}
