//! Documents as an agent may send them, and ways to break one.
#![allow(unreachable_pub, reason = "the tests are a program of their own")]

use model::{Attachment, Attachments, DecideInput, ItemKind, MAX_SAFE_INTEGER, is_blank};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashSet};

/// So many cases of each property. A failing one is printed, and belongs in a table once it is understood.
pub fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::default() }
}

/// Any JSON value without members or elements.
fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_filter("JSON has no others", |float| float.is_finite()).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ]
}

/// Any JSON value, not too deep.
pub fn any_json() -> impl Strategy<Value = Value> {
    leaf().prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            btree_map(any::<String>(), inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// A text in which something is written.
pub fn written() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-d]{1,3}",
        any::<String>().prop_filter("something must be written", |text| !is_blank(text))
    ]
}

/// A whole number from 1 to the largest safe one, written as `7` or as `7.0`.
fn whole() -> impl Strategy<Value = Value> {
    let number = prop_oneof![1_u64..20, 1..=MAX_SAFE_INTEGER, Just(MAX_SAFE_INTEGER)];
    (number, any::<bool>())
        .prop_map(|(number, float)| if float { json!(number as f64) } else { json!(number) })
}

/// An optional member: absent, `null`, or there.
fn optional(value: impl Strategy<Value = Value>) -> impl Strategy<Value = Option<Value>> {
    prop_oneof![1 => Just(None), 1 => Just(Some(Value::Null)), 3 => value.prop_map(Some)]
}

/// Members that no document names.
fn unknown() -> impl Strategy<Value = BTreeMap<String, Value>> {
    btree_map("x[a-z]{0,3}", leaf(), 0..2)
}

fn strings() -> impl Strategy<Value = Option<Value>> {
    optional(vec(any::<String>(), 0..3).prop_map(Value::from))
}

/// An object of the members that are there, the unknown ones in the middle.
fn object<const N: usize>(
    known: [(&str, Option<Value>); N],
    unknown: BTreeMap<String, Value>,
    before: usize,
) -> Value {
    let mut members = Map::new();
    let mut known = known.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
    members.extend(known.by_ref().take(before));
    members.extend(unknown);
    members.extend(known);
    Value::Object(members)
}

fn option() -> impl Strategy<Value = Value> {
    let score = optional(prop_oneof![
        (0_u64..=100).prop_map(Value::from),
        (0.0..=100.0).prop_map(|score: f64| json!(score)),
    ]);
    let description = optional(any::<String>().prop_map(Value::from));
    let preview = optional(prop_oneof![
        any::<String>().prop_map(Value::from),
        Just(json!("data:image/gif;base64,R0lGODlh")),
        Just(json!({ "file": "docs/a.png", "x": 1 })),
    ]);
    let texts = (description, preview);
    (written(), written(), texts, score, strings(), strings(), unknown(), 0_usize..7).prop_map(
        |(value, label, (description, preview), score, pros, cons, unknown, before)| {
            let known = [
                ("value", Some(value.into())),
                ("label", Some(label.into())),
                ("description", description),
                ("preview", preview),
                ("score", score),
                ("pros", pros),
                ("cons", cons),
            ];
            object(known, unknown, before)
        },
    )
}

fn location() -> impl Strategy<Value = Value> {
    (written(), 1_u64..1000, 0_u64..1000, unknown(), 0_usize..4).prop_map(
        |(file, start, length, unknown, before)| {
            let known = [
                ("file", Some(file.into())),
                ("start", Some(start.into())),
                ("end", Some((start + length).into())),
            ];
            object(known, unknown, before)
        },
    )
}

/// One of another kind than `choice`, made of one.
fn of_another_kind(mut item: Value, kind: &str, keeps_empty: bool) -> Value {
    let members = item.as_object_mut().unwrap();
    for key in ["multiple", "min", "max", "recommend", "allow_other"] {
        members.shift_remove(key);
    }
    if kind == "files" {
        members.shift_remove("options");
        if keeps_empty {
            members.extend(
                json!({"names": ["*.pdf", "a"], "min": 2, "max": 3, "max_bytes": 9})
                    .as_object()
                    .unwrap()
                    .clone(),
            );
        }
    } else if kind == "text" {
        members.shift_remove("options");
        if keeps_empty {
            members.insert("options".to_owned(), json!([]));
        }
    } else {
        members["options"].as_array_mut().unwrap().truncate(1);
        if keeps_empty {
            members.insert("recommend".to_owned(), members["options"][0]["value"].clone());
        }
    }
    members.insert("kind".to_owned(), kind.into());
    item
}

fn item() -> impl Strategy<Value = Value> {
    let kind =
        prop::sample::select(vec![None, None, Some("choice"), Some("text"), Some("confirm"), Some("files")]);
    (choice(), kind, any::<bool>()).prop_map(|(mut item, kind, keeps_empty)| match kind {
        None => item,
        Some("choice") => {
            item["kind"] = "choice".into();
            item
        }
        Some(kind) => of_another_kind(item, kind, keeps_empty),
    })
}

fn choice() -> impl Strategy<Value = Value> {
    let context = optional(any::<String>().prop_map(Value::from));
    let recommend = optional(any::<prop::sample::Index>().prop_map(|index| json!(index.index(1 << 20))));
    let members =
        (whole(), written(), optional(location()), context, vec(option(), 2..5), recommend, unknown());
    let index = any::<prop::sample::Index>;
    let bounds = prop::option::of((prop::option::of(index()), prop::option::of(index())));
    let flag = || optional(any::<bool>().prop_map(Value::from));
    (members, bounds, flag(), flag(), 0_usize..7).prop_map(
        |(
            (id, title, location, context, mut options, recommend, unknown),
            bounds,
            other,
            required,
            before,
        )| {
            let mut seen = HashSet::new();
            for option in &mut options {
                let mut value = option["value"].as_str().unwrap().to_owned();
                while !seen.insert(value.clone()) {
                    value.push('x');
                }
                option["value"] = value.into();
            }
            let recommend = recommend.map(|index| match index.as_u64() {
                Some(index) => options[usize::try_from(index).unwrap() % options.len()]["value"].clone(),
                None => Value::Null,
            });
            let choices = options.len() + usize::from(other == Some(json!(true)));
            let min = bounds.and_then(|(min, _)| Some(min?.index(choices + 1)));
            let least = min.unwrap_or(0).max(1);
            let max = bounds.and_then(|(_, max)| Some(least + max?.index(choices - least + 1)));
            let known = [
                ("id", Some(id)),
                ("multiple", bounds.map(|_| json!(true))),
                ("min", min.map(Value::from)),
                ("max", max.map(Value::from)),
                ("allow_other", other),
                ("required", required),
                ("title", Some(title.into())),
                ("location", location),
                ("context", context),
                ("options", Some(options.into())),
                ("recommend", recommend),
            ];
            object(known, unknown, before)
        },
    )
}

/// A valid document, with unknown members everywhere.
pub fn document() -> impl Strategy<Value = Value> {
    let any_unknown = btree_map("x[a-z]{0,3}", any_json(), 0..2);
    let meta = optional(btree_map("[a-z]{0,3}", any_json(), 0..2).prop_map(|members| json!(members)));
    (written(), written(), vec(item(), 1..5), meta, any_unknown, 0_usize..5).prop_map(
        |(task, source, mut items, meta, unknown, before)| {
            let mut seen = HashSet::new();
            for item in &mut items {
                let mut id = item["id"].as_f64().unwrap() as u64;
                while !seen.insert(id) {
                    id = id % MAX_SAFE_INTEGER + 1;
                    item["id"] = id.into();
                }
            }
            let known = [
                // First, where it is the hardest to take out.
                ("_meta", meta),
                ("task", Some(task.into())),
                ("source", Some(source.into())),
                ("items", Some(items.into())),
            ];
            object(known, unknown, before)
        },
    )
}

/// As many files as each item needs that asks for some.
pub fn attached(input: &DecideInput) -> Attachments {
    let items = input.items.iter().filter(|item| item.kind == ItemKind::Files);
    let file = |index: usize| Attachment {
        name: format!("{index}.pdf"),
        sha256: "0".repeat(64),
        size: index as u64,
    };
    items.map(|item| (item.id, (0..item.file_bounds().0).map(file).collect())).collect()
}

/// One way to make a valid document invalid: the place as a JSON pointer, and what stands there then.
#[derive(Debug, Clone)]
pub struct Break {
    pub pointer: String,
    /// `None` removes the member.
    pub value: Option<Value>,
}

impl Break {
    pub fn apply(&self, document: &mut Value) {
        *document = with(document, &self.pointer, self.value.clone());
    }

    /// The place as a problem names it.
    pub fn path(&self) -> String {
        let mut path = String::new();
        for segment in self.pointer.split('/').skip(1) {
            if segment.bytes().all(|byte| byte.is_ascii_digit()) {
                path.push_str(&format!("[{segment}]"));
            } else {
                path.push_str(if path.is_empty() { "" } else { "." });
                path.push_str(segment);
            }
        }
        path
    }
}

/// `document` with the value at `pointer` replaced; `None` removes it.
pub fn with(document: &Value, pointer: &str, value: Option<Value>) -> Value {
    let mut document = document.clone();
    let Some((parent, key)) = pointer.rsplit_once('/') else { return value.unwrap() };
    match (document.pointer_mut(parent).unwrap(), value) {
        (Value::Object(object), Some(value)) => {
            object.insert(key.to_owned(), value);
        }
        (Value::Object(object), None) => {
            object.shift_remove(key);
        }
        (Value::Array(array), Some(value)) => array[key.parse::<usize>().unwrap()] = value,
        (other, _) => panic!("{pointer}: {other}"),
    }
    document
}

/// Every way to break exactly one place of `document`.
pub fn breaks(document: &Value) -> Vec<Break> {
    let mut breaks = Breaks(Vec::new());
    breaks.set("", [json!(null), json!([]), json!("x"), json!(1), json!(true)]);
    breaks.text("/task");
    breaks.text("/source");
    breaks.required("/items", [json!([]), json!({}), json!("x"), json!(0)]);
    breaks.set("/_meta", [json!([]), json!("x"), json!(0), json!(false)]);
    let items = document["items"].as_array().unwrap();
    for (index, item) in items.iter().enumerate() {
        let at = format!("/items/{index}");
        breaks.set(&at, not_an_object());
        breaks.whole(&format!("{at}/id"));
        if index > 0 {
            breaks.set(&format!("{at}/id"), [items[0]["id"].clone()]);
        }
        breaks.text(&format!("{at}/title"));
        breaks.set(&format!("{at}/context"), not_a_text());
        breaks.set(&format!("{at}/kind"), not_a_text());
        breaks.set(&format!("{at}/kind"), [json!(""), json!("Text"), json!("file")]);
        breaks.set(&format!("{at}/recommend"), not_a_text());
        let kind = item.get("kind").and_then(Value::as_str).unwrap_or("choice");
        let options = item.get("options").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        match kind {
            "text" => {
                let option = json!({"value": "v", "label": "l"});
                breaks.set(&format!("{at}/options"), [json!([option]), json!({}), json!("x")]);
                breaks.set(&format!("{at}/recommend"), [json!("v")]);
                breaks.set(&format!("{at}/multiple"), [json!(true)]);
            }
            "files" => {
                let option = json!({"value": "v", "label": "l"});
                breaks.set(&format!("{at}/options"), [json!([option]), json!({}), json!("x")]);
                breaks.set(&format!("{at}/recommend"), [json!("v")]);
                breaks.set(&format!("{at}/multiple"), [json!(true)]);
                breaks.set(&format!("{at}/allow_other"), [json!(true)]);
                breaks.set(&format!("{at}/names"), [json!([]), json!({}), json!("x"), json!(0)]);
                breaks.set(&format!("{at}/max_bytes"), [json!(0), json!(67_108_865), json!(1.5), json!("1")]);
                for bound in ["min", "max"] {
                    breaks.set(&format!("{at}/{bound}"), [json!(0), json!(101), json!(1.5), json!("1")]);
                }
                if item["names"].is_array() {
                    breaks.text_within(&format!("{at}/names/1"));
                    breaks.set(&format!("{at}/names/0"), [json!("a/b"), json!("\\")]);
                }
            }
            "confirm" => {
                let mut second = options[0].clone();
                second["value"] = format!("{} again", second["value"]).into();
                breaks.set(&format!("{at}/options"), [json!([options[0], second])]);
                breaks.set(&format!("{at}/allow_other"), [json!(true)]);
                breaks.set(&format!("{at}/multiple"), [json!(true)]);
            }
            _ => {}
        }
        for flag in ["allow_other", "required", "multiple"] {
            breaks.set(&format!("{at}/{flag}"), [json!(1), json!("true"), json!([])]);
        }
        for bound in ["min", "max"].iter().filter(|_| kind != "files") {
            // Above what is there to choose, or nothing that has bounds.
            breaks
                .set(&format!("{at}/{bound}"), [json!(options.len() + 2), json!(-1), json!(1.5), json!("1")]);
        }
        let offered: String = options.iter().map(|option| option["value"].as_str().unwrap()).collect();
        let nothing_offered = format!("{offered}x");
        breaks.set(&format!("{at}/recommend"), [json!(""), json!("\u{3000}"), json!(nothing_offered)]);
        breaks.set(&format!("{at}/location"), not_an_object());
        if item["location"].is_object() {
            breaks.text(&format!("{at}/location/file"));
            breaks.whole(&format!("{at}/location/start"));
            breaks.whole(&format!("{at}/location/end"));
            if let Some(before) = item["location"]["start"].as_u64().unwrap().checked_sub(1) {
                breaks.set(&format!("{at}/location/end"), [before.into()]);
            }
        }
        if !matches!(kind, "text" | "files") {
            break_options(&mut breaks, &format!("{at}/options"), options, kind == "choice");
        }
    }
    breaks.0
}

fn break_options(breaks: &mut Breaks, at: &str, options: &[Value], is_choice: bool) {
    breaks.required(at, [json!([]), json!({}), json!("x")]);
    if is_choice {
        breaks.set(at, [json!([options[0]])]);
    }
    for (index, option) in options.iter().enumerate() {
        let at = format!("{at}/{index}");
        breaks.set(&at, not_an_object());
        breaks.set(&at, [Value::Null]);
        breaks.text(&format!("{at}/value"));
        if index > 0 {
            breaks.set(&format!("{at}/value"), [options[0]["value"].clone()]);
        }
        breaks.text(&format!("{at}/label"));
        breaks.set(&format!("{at}/description"), not_a_text());
        let score = format!("{at}/score");
        breaks.set(&score, [json!(-0.1), json!(100.1), json!(-1), json!(101), json!("5"), json!([5])]);
        for list in ["pros", "cons"] {
            breaks.set(&format!("{at}/{list}"), [json!("x"), json!({}), json!(0), json!(false)]);
            for index in 0..option[list].as_array().map_or(0, Vec::len) {
                breaks.set(&format!("{at}/{list}/{index}"), not_a_text());
                breaks.set(&format!("{at}/{list}/{index}"), [Value::Null]);
            }
        }
    }
}

struct Breaks(Vec<Break>);

impl Breaks {
    fn set(&mut self, pointer: &str, values: impl IntoIterator<Item = Value>) {
        let pointer = pointer.to_owned();
        self.0.extend(values.into_iter().map(|value| Break { pointer: pointer.clone(), value: Some(value) }));
    }

    fn required(&mut self, pointer: &str, values: impl IntoIterator<Item = Value>) {
        self.set(pointer, values);
        self.set(pointer, [Value::Null]);
        self.0.push(Break { pointer: pointer.to_owned(), value: None });
    }

    fn text(&mut self, pointer: &str) {
        self.required(pointer, not_a_text());
        self.set(pointer, [json!(""), json!(" \n"), json!("\u{3000}\u{200b}")]);
    }

    /// The same for an element of an array.
    fn text_within(&mut self, pointer: &str) {
        self.set(pointer, not_a_text());
        self.set(pointer, [Value::Null, json!(""), json!(" \n"), json!("\u{3000}\u{200b}")]);
    }

    fn whole(&mut self, pointer: &str) {
        let wrong = [json!(0), json!(-1), json!(1.5), json!("1"), json!(true), json!(1_u64 << 53), json!([])];
        self.required(pointer, wrong);
    }
}

fn not_a_text() -> [Value; 4] {
    [json!(1), json!(true), json!(["x"]), json!({})]
}

fn not_an_object() -> [Value; 4] {
    [json!(1), json!(true), json!("x"), json!([])]
}
