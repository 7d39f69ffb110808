//! Names that are almost a known one: which are reported, and above all which are not.

use model::{Questions, edit_distance, slips};
use proptest::prelude::*;
use serde_json::{Value, json};

const ITEM: &[&str] = &[
    "id",
    "title",
    "location",
    "context",
    "options",
    "recommend",
    "multiple",
    "min",
    "max",
    "allow_other",
    "required",
];
const OPTION: &[&str] = &["value", "label", "score", "pros", "cons"];
const ROOT: &[&str] = &["task", "source", "items"];
const LOCATION: &[&str] = &["file", "start", "end"];

/// Only what must be there.
fn questions() -> Value {
    json!({
        "task": "t", "source": "s",
        "items": [{
            "id": 1, "title": "t", "location": {"file": "f", "start": 1, "end": 2},
            "options": [{"value": "a", "label": "A"}, {"value": "b", "label": "B"}],
        }],
    })
}

/// The questions with one more member at `pointer`.
fn with(pointer: &str, key: &str, value: Value) -> Value {
    let mut questions = questions();
    let object = questions.pointer_mut(pointer).unwrap().as_object_mut().unwrap();
    object.insert(key.to_owned(), value);
    questions
}

/// The reported slips, each as `path.found → meant`.
fn told(document: &Value) -> Vec<String> {
    let told = |slip: &model::Slip| {
        let path = slip.path.to_string();
        let dot = if path.is_empty() { "" } else { "." };
        format!("{path}{dot}{} → {}", slip.found, slip.meant)
    };
    slips(document.to_string().as_bytes()).iter().map(told).collect()
}

#[test]
fn slips_are_told_with_what_was_meant() {
    for (pointer, key, value, meant) in [
        ("/items/0", "recomend", json!("a"), "items[0].recomend → recommend"),
        ("/items/0", "reccommend", json!("a"), "items[0].reccommend → recommend"),
        ("/items/0", "recommended", json!("a"), "items[0].recommended → recommend"),
        ("/items/0", "recommendation", json!("a"), "items[0].recommendation → recommend"),
        ("/items/0", "Recommend", json!("a"), "items[0].Recommend → recommend"),
        ("/items/0", "kinds", json!("text"), "items[0].kinds → kind"),
        ("/items/0/options/1", "descripton", json!("d"), "items[0].options[1].descripton → description"),
        ("/items/0", "multi", json!(true), "items[0].multi → multiple"),
        ("/items/0", "mutliple", json!(true), "items[0].mutliple → multiple"),
        ("/items/0", "allow_others", json!(true), "items[0].allow_others → allow_other"),
        ("/items/0", "allowOther", json!(true), "items[0].allowOther → allow_other"),
        ("/items/0", "allow-other", json!(true), "items[0].allow-other → allow_other"),
        ("/items/0", "allowother", json!(true), "items[0].allowother → allow_other"),
        ("/items/0", "require", json!(false), "items[0].require → required"),
        ("/items/0", "requried", json!(false), "items[0].requried → required"),
        ("/items/0", "contxt", json!("c"), "items[0].contxt → context"),
        ("/items/0", "content", json!("c"), "items[0].content → context"),
        ("/items/0", "Max", json!(2), "items[0].Max → max"),
        ("/items/0/options/1", "pro", json!(["p"]), "items[0].options[1].pro → pros"),
        ("/items/0/options/1", "con", json!("c"), "items[0].options[1].con → cons"),
        ("/items/0/options/1", "scroe", json!(5), "items[0].options[1].scroe → score"),
        ("/items/0/options/0", "scores", json!(5), "items[0].options[0].scores → score"),
        // What other tools call it.
        ("/items/0", "multiSelect", json!(true), "items[0].multiSelect → multiple"),
        ("/items/0", "multiple_choice", json!(true), "items[0].multiple_choice → multiple"),
        ("/items/0/options/1", "explanation", json!("d"), "items[0].options[1].explanation → description"),
    ] {
        let document = with(pointer, key, value);
        assert_eq!(told(&document), [meant]);
        // It is no error, and what was sent is kept.
        let questions = Questions::parse(document.to_string().as_bytes()).unwrap();
        assert_eq!(questions.slips(), slips(document.to_string().as_bytes()));
        assert_eq!(Value::Object(questions.document().clone()), document);
    }
}

#[test]
fn a_slip_that_makes_the_questions_invalid_is_told_as_well() {
    let document = json!({"task": "t", "sources": "s", "items": [
        {"id": 1, "titel": "t", "option": [], "location": {"files": "f"}},
        {"ID": 2, "options": [{"valeu": "a", "lable": "A"}, 7]},
        "x",
    ]});
    assert_eq!(
        told(&document),
        [
            "sources → source",
            "items[0].titel → title",
            "items[0].option → options",
            "items[0].location.files → file",
            "items[1].ID → id",
            "items[1].options[0].valeu → value",
            "items[1].options[0].lable → label",
        ]
    );
    // As AskUserQuestion has it, after a byte order mark.
    let document = json!({"questions": [], "title": "t", "items": [
        {"question": "q", "multiSelect": "yes", "choices": [], "options": [{"name": "a", "id": "a"}]},
    ]});
    let slips_of = slips(format!("\u{feff}{document}").as_bytes());
    let named: Vec<_> = slips_of.iter().map(|slip| (&*slip.found, slip.meant)).collect();
    assert_eq!(named, [("title", "task"), ("question", "title"), ("name", "label"), ("id", "value")]);
    for nothing in ["", "{", "[]", "7", "\u{feff}{}", "{\"item\":[],\"item\":[]}"] {
        assert!(slips(nothing.as_bytes()).is_empty(), "{nothing}");
    }
    assert!(slips(b"{\"taks\":\"\xff\"}").is_empty());
}

#[test]
fn what_somebody_chose_to_add_is_not_told() {
    let items = [
        "_x",
        "_recommend",
        "comment",
        "note",
        "notes",
        "id2",
        "ids",
        "uid",
        "tags",
        "type",
        "kind",
        "name",
        "title2",
        "title_zh",
        "context_md",
        "description",
        "priority",
        "group",
        "category",
        "allow",
        "mix",
        "man",
        "minimum",
        "maximum",
        "min_score",
        "optional",
        "allocation",
        "vocation",
        "locale",
        "requires_login",
        "标题",
        "recommend_reason",
        "recommend2",
        "default",
        "",
        " ",
    ];
    let options = [
        "label_zh",
        "label2",
        "labelZh",
        "value_type",
        "values_map",
        "cost",
        "icons",
        "pos",
        "prob",
        "prod",
        "scope",
        "store",
        "core",
        "share",
        "level",
        "table",
        "valid",
        "risk",
        "effort",
        "link",
        "url",
        "description",
        "id",
        "recommended",
        "default",
        "tags",
        "colour",
    ];
    let root =
        ["_meta", "_task", "tags", "sourced_by", "author", "version", "$schema", "title", "context", "disk"];
    let location = ["line", "lines", "column", "fill", "state", "ends", "and", "startColumn", "commit"];
    for (pointer, keys) in [
        ("/items/0", &items[..]),
        ("/items/0/options/1", &options[..]),
        ("", &root[..]),
        ("/items/0/location", &location[..]),
    ] {
        for key in keys {
            for value in [json!("a"), json!(1), json!(true), json!(["a"]), json!({})] {
                assert_eq!(told(&with(pointer, key, value)), [""; 0], "{pointer} {key}");
            }
        }
    }
}

#[test]
fn it_is_no_slip_where_what_was_meant_is_there_or_takes_something_else() {
    assert_eq!(told(&with("/items/0", "titles", json!("x"))), [""; 0]);
    assert_eq!(told(&with("/items/0", "requires", json!(["database"]))), [""; 0]);
    assert_eq!(told(&with("/items/0", "recomend", json!({"by": "x"}))), [""; 0]);
    assert_eq!(told(&with("/items/0", "recomend", Value::Null)), [""; 0]);
    let mut document = with("/items/0", "recomend", json!("a"));
    document["items"][0]["recommend"] = Value::Null;
    assert_eq!(told(&document), ["items[0].recomend → recommend"]);
}

fn any_value() -> impl Strategy<Value = Value> {
    prop_oneof![Just(json!("a")), Just(json!(1)), Just(json!(true)), Just(json!(["a"])), Just(json!({}))]
}

/// Plausible names: words joined in the usual ways.
fn any_name() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z]{1,14}", "[a-z]{2,8}_[a-z]{2,8}", "[a-z]{2,8}[A-Z][a-z]{1,8}", "\\PC{0,12}"]
}

proptest! {
    /// Three letters away from every name, and the beginning of none: never told.
    #[test]
    fn distant_names_are_never_told(name in any_name(), value in any_value()) {
        let plain = name.to_lowercase().replace(['_', '-', ' '], "");
        let is_far = |known: &&str| {
            let known = known.replace('_', "");
            edit_distance(&plain, &known) > 2 && !known.starts_with(&plain) && !plain.starts_with(&known)
        };
        for (pointer, known) in
            [("", ROOT), ("/items/0", ITEM), ("/items/0/options/0", OPTION), ("/items/0/location", LOCATION)]
        {
            if known.iter().all(is_far) {
                prop_assert_eq!(told(&with(pointer, &name, value.clone())), [""; 0], "{} {}", pointer, name);
            }
        }
    }

    /// A name that begins with `_` or has a digit is the author's own.
    #[test]
    fn names_that_are_marked_as_own_are_never_told(
        known in prop::sample::select([ROOT, ITEM, OPTION, LOCATION].concat()),
        digit in 0..10_u32,
        at in 0..12_usize,
        value in any_value(),
    ) {
        let mut numbered = known.to_owned();
        numbered.insert(at.min(known.len()), char::from_digit(digit, 10).unwrap());
        for name in [format!("_{known}"), numbered] {
            for pointer in ["", "/items/0", "/items/0/options/0", "/items/0/location"] {
                prop_assert_eq!(told(&with(pointer, &name, value.clone())), [""; 0], "{} {}", pointer, name);
            }
        }
    }

    /// One letter too many, too few or exchanged within a name of at least eight is always told.
    #[test]
    fn one_slip_in_a_long_name_is_told(
        (known, value) in prop::sample::select(vec![
            ("recommend", json!("a")), ("multiple", json!(true)), ("allow_other", json!(true)), ("required", json!(true)),
        ]),
        at in 1..7_usize,
        letter in "[a-z]",
        how in 0..3,
    ) {
        let mut slipped = known.to_owned();
        match how {
            0 => { slipped.remove(at); }
            1 => slipped.insert_str(at, &letter),
            _ => {
                let next = slipped.remove(at);
                slipped.insert(at - 1, next);
            }
        }
        prop_assume!(slipped != known && !slipped.starts_with('_'));
        prop_assert_eq!(told(&with("/items/0", &slipped, value)), [format!("items[0].{slipped} → {known}")]);
    }

    /// Whatever it is given, it ends and stays within the document.
    #[test]
    fn any_bytes_have_slips_or_none(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        slips(&bytes);
    }
}

#[test]
fn what_only_files_have_is_a_known_name_only_there() {
    let told = |kind: &str, key: &str, value: Value| {
        let item = json!({"id": 1, "title": "t", "kind": kind, key: value});
        let found = slips(json!({"task": "t", "source": "s", "items": [item]}).to_string().as_bytes());
        found.into_iter().map(|slip| (slip.found, slip.meant)).collect::<Vec<_>>()
    };
    for (key, value, meant) in [("name", json!(["*.pdf"]), "names"), ("maxBytes", json!(3), "max_bytes")] {
        assert_eq!(told("files", key, value.clone()), [(key.to_owned(), meant)]);
        assert_eq!(told("choice", key, value), []);
    }
    assert_eq!(told("files", "names", json!(["*.pdf"])), []);
    assert_eq!(told("files", "option", json!([])), [], "no options are missing");
}
