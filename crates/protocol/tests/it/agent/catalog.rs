//! Every format: its example fits its schema and its check, and whatever is derived from the example to be wrong fits neither.

use jsonschema::Validator;
use proptest::prelude::*;
use protocol::agent::{CATALOG, CatalogEntry, Mode};
use serde_json::{Map, Value, json};
use std::path::Path;
use std::sync::LazyLock;
use std::{env, fs};

static ANYTHING: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);

struct Subject {
    entry: &'static CatalogEntry,
    schema: Value,
    validator: Validator,
    example: Value,
}

static SUBJECTS: LazyLock<Vec<Subject>> = LazyLock::new(|| {
    let subject = |entry: &'static CatalogEntry| {
        let schema = serde_json::from_str(entry.schema).unwrap();
        let validator = jsonschema::draft202012::new(&schema).unwrap();
        let example = serde_json::from_str(entry.example).unwrap();
        Subject { entry, schema, validator, example }
    };
    CATALOG.iter().map(subject).collect()
});

impl Subject {
    /// Whether the check, and whether the schema accepts it.
    fn verdicts(&self, value: &Value) -> (bool, bool) {
        (self.entry.problems(value).is_empty(), self.validator.is_valid(value))
    }

    /// Goes through the schema and the example side by side.
    fn walk(&self, schema: &Value, pointer: &str, visit: &mut dyn FnMut(&Map<String, Value>, &str)) {
        let schema = self.resolved(schema);
        visit(schema, pointer);
        let Some(at) = self.example.pointer(pointer) else { return };
        if let (Some(Value::Object(properties)), Value::Object(_)) = (schema.get("properties"), at) {
            for (key, property) in properties {
                self.walk(property, &format!("{pointer}/{key}"), visit);
            }
        }
        if let (Some(items), Value::Array(array)) = (schema.get("items"), at) {
            for index in 0..array.len() {
                self.walk(items, &format!("{pointer}/{index}"), visit);
            }
        }
    }

    /// What a schema refers to, if it does; without the possibility of `null`.
    fn resolved<'s>(&'s self, schema: &'s Value) -> &'s Map<String, Value> {
        if let Some(Value::Array(any)) = schema.get("anyOf") {
            let other = any.iter().find(|one| one.get("type") != Some(&json!("null")));
            return self.resolved(other.unwrap());
        }
        match schema.get("$ref").and_then(Value::as_str) {
            Some(reference) => self.resolved(self.schema.pointer(reference.trim_start_matches('#')).unwrap()),
            // What can be anything has no rules.
            None => schema.as_object().unwrap_or(&ANYTHING),
        }
    }
}

/// With another value at a place, which need not be there yet; `None` removes it.
fn with(document: &Value, pointer: &str, value: Option<Value>) -> Option<Value> {
    let mut document = document.clone();
    let Some((parent, key)) = pointer.rsplit_once('/') else { return value };
    match (document.pointer_mut(parent)?, value) {
        (Value::Object(object), None) => drop(object.shift_remove(key)),
        (Value::Object(object), Some(value)) => drop(object.insert(key.to_owned(), value)),
        (Value::Array(array), Some(value)) => *array.get_mut(key.parse::<usize>().unwrap())? = value,
        _ => return None,
    }
    Some(document)
}

#[test]
fn every_example_is_valid_and_comes_back_as_it_was() {
    for subject in &*SUBJECTS {
        let Subject { entry, example, .. } = subject;
        assert_eq!(entry.problems(example), [], "{}", entry.name);
        let errors: Vec<_> = subject.validator.iter_errors(example).map(|error| error.to_string()).collect();
        assert_eq!(errors, [""; 0], "{}", entry.name);
        assert_eq!(entry.format.rewritten(example, entry.mode).as_ref(), Ok(example), "{}", entry.name);
    }
}

#[test]
fn the_schemas_are_those_of_the_types() {
    let update = env::var_os("UPDATE_DOCS").is_some_and(|value| !value.is_empty());
    for entry in CATALOG {
        let wanted = format!("{:#}\n", entry.generated_schema());
        // They are compiled in: a file that is written again, though the same, compiles every crate again.
        if entry.schema == wanted {
            continue;
        }
        assert!(update, "{}: run UPDATE_DOCS=1 cargo nextest run -p protocol schemas", entry.name);
        let file = format!("src/agent/schemas/{}.json", entry.name);
        fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join(file), &wanted).unwrap();
    }
}

#[test]
fn a_schema_says_which_draft_it_is_of_and_what_each_member_means() {
    for subject in &*SUBJECTS {
        let schema = &subject.schema;
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
        assert_eq!(schema["title"], subject.entry.name);
        subject.walk(schema, "", &mut |schema, pointer| {
            for (key, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
                assert!(property.get("description").is_some(), "{} {pointer}/{key}", subject.entry.name);
            }
            // Other versions and programs may say more.
            if schema.get("properties").is_some() {
                assert_ne!(schema.get("additionalProperties"), Some(&json!(false)), "{pointer}");
            }
        });
    }
}

#[test]
fn what_lacks_a_required_member_fits_neither() {
    let mut count = 0;
    for subject in &*SUBJECTS {
        subject.walk(&subject.schema, "", &mut |schema, pointer| {
            for key in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
                let place = format!("{pointer}/{}", key.as_str().unwrap());
                if subject.example.pointer(&place).is_none() {
                    continue;
                }
                for value in [None, Some(Value::Null)] {
                    let broken = with(&subject.example, &place, value).unwrap();
                    assert_eq!(subject.verdicts(&broken), (false, false), "{} {place}", subject.entry.name);
                    count += 1;
                }
            }
        });
    }
    assert!(count > 400, "{count}");
}

#[test]
fn what_is_none_of_the_names_fits_neither() {
    let mut count = 0;
    for subject in &*SUBJECTS {
        subject.walk(&subject.schema, "", &mut |schema, pointer| {
            if !schema.contains_key("enum") {
                return;
            }
            for value in [json!("nonsense"), json!(""), json!(1), json!(["x"])] {
                let Some(broken) = with(&subject.example, pointer, Some(value)) else { continue };
                assert_eq!(subject.verdicts(&broken), (false, false), "{} {pointer}", subject.entry.name);
                count += 1;
            }
        });
    }
    assert!(count > 80, "{count}");
}

#[test]
fn what_is_of_another_type_fits_neither() {
    let mut count = 0;
    for subject in &*SUBJECTS {
        subject.walk(&subject.schema, "", &mut |schema, pointer| {
            let Some(types) = schema.get("type") else { return };
            let fits = |name: &str| {
                types == name || types.as_array().is_some_and(|some| some.contains(&json!(name)))
            };
            for (name, value) in [
                ("string", json!("x")),
                ("object", json!({})),
                ("array", json!([])),
                ("boolean", json!(true)),
                ("integer", json!(1)),
            ] {
                if fits(name) || name == "integer" && fits("number") {
                    continue;
                }
                let Some(broken) = with(&subject.example, pointer, Some(value)) else { continue };
                assert_eq!(
                    subject.verdicts(&broken),
                    (false, false),
                    "{} {pointer} {name}",
                    subject.entry.name
                );
                count += 1;
            }
        });
    }
    assert!(count > 1500, "{count}");
}

#[test]
fn the_bounds_of_a_schema_are_those_of_the_check() {
    for subject in &*SUBJECTS {
        subject.walk(&subject.schema, "", &mut |schema, pointer| {
            let mut values = Vec::new();
            if let Some(least) = schema.get("minimum").and_then(Value::as_f64) {
                values.push((json!(least - 1.0), false));
                values.push((json!(least), true));
            }
            if let Some(most) = schema.get("maximum").and_then(Value::as_f64).filter(|most| *most <= 100.0) {
                values.push((json!(most + 0.5), false));
            }
            if schema.contains_key("minItems") {
                values.push((json!([]), false));
            }
            if schema.contains_key("minLength") || schema.contains_key("pattern") {
                values.push((json!(""), false));
            }
            for (value, fits) in values {
                let Some(changed) = with(&subject.example, pointer, Some(value.clone())) else { continue };
                let (checked, described) = subject.verdicts(&changed);
                let name = subject.entry.name;
                // What fits by itself may still not fit the rest.
                assert_eq!(described, fits, "{name} {pointer} {value}");
                assert!(fits || !checked, "{name} {pointer} {value}");
            }
        });
    }
}

#[test]
fn templates_and_formats_have_names_of_their_own() {
    let names: Vec<_> = CATALOG.iter().map(|entry| entry.name).collect();
    for (index, name) in names.iter().enumerate() {
        assert!(!names[..index].contains(name), "{name}");
        assert_eq!(CatalogEntry::named(name).unwrap().name, *name);
    }
    for template in ["command.cmd", "command_envelope.msg", "dag_review_request.cmd", "dag_review_result"] {
        assert!(names.contains(&template), "{template}");
    }
    assert!(CatalogEntry::named("nonsense").is_none());
    // A format that a command may ask for is known by the same name.
    for entry in CATALOG.iter().filter(|entry| !entry.name.contains('.')) {
        assert_eq!(entry.format.name(), entry.name);
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    let texts = prop_oneof![
        any::<String>(),
        prop::sample::select(vec![
            "",
            " ",
            "1.0",
            "1.1",
            "2.0",
            "a",
            "../a",
            "/a",
            "a/b",
            "cmd_a_001",
            "command",
            "artifact",
            "by_glob",
            "ack_1",
            "2026-01-12T09:00:00Z",
            "SKIPPED_SUPERSEDED",
            "by_sha256",
            "send_to",
            "*",
            "a\0b",
        ])
        .prop_map(str::to_owned),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        (-2i64..120).prop_map(Value::from),
        texts.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((texts.clone(), inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Every place in a document.
fn places(value: &Value, pointer: &str, places: &mut Vec<String>) {
    places.push(pointer.to_owned());
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                let key = key.replace('~', "~0").replace('/', "~1");
                self::places(value, &format!("{pointer}/{key}"), places);
            }
        }
        Value::Array(array) => {
            for (index, value) in array.iter().enumerate() {
                self::places(value, &format!("{pointer}/{index}"), places);
            }
        }
        _ => {}
    }
}

/// Whether everything in `before` but `null` is in `after` as well, in its order among what is not known.
fn is_kept(before: &Value, after: &Value) -> bool {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => before
            .iter()
            .all(|(key, value)| after.get(key).map_or(value.is_null(), |after| is_kept(value, after))),
        (Value::Array(before), Value::Array(after)) => {
            before.len() == after.len()
                && before.iter().zip(after).all(|(before, after)| is_kept(before, after))
        }
        // 1.0 is 1.
        (Value::Number(before), Value::Number(after)) => before.as_f64() == after.as_f64(),
        (before, after) => before == after,
    }
}

/// What must hold for any document.
fn holds(subject: &Subject, value: &Value) -> Result<(), TestCaseError> {
    let entry = subject.entry;
    let mut other_mode = entry.format.problems(value, Mode::Direct);
    other_mode.extend(entry.format.problems(value, Mode::Routed));
    for problem in &other_mode {
        prop_assert!(!problem.code().name().is_empty());
    }
    if !entry.problems(value).is_empty() {
        return Ok(());
    }
    prop_assert!(
        subject.validator.is_valid(value),
        "{} accepts what its schema refuses: {value}",
        entry.name
    );
    let after = entry.format.rewritten(value, entry.mode).unwrap();
    prop_assert!(is_kept(value, &after), "{}: {value} became {after}", entry.name);
    prop_assert_eq!(entry.problems(&after), []);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_document_is_read_without_harm(value in any_value(), subject in 0..CATALOG.len()) {
        holds(&SUBJECTS[subject], &value)?;
    }

    #[test]
    fn whatever_is_changed_in_a_valid_document_check_and_schema_agree(
        subject in 0..CATALOG.len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any_value(), 0..4u8, "[a-z_ ]{0,12}"), 1..4),
    ) {
        let subject = &SUBJECTS[subject];
        let mut value = subject.example.clone();
        for (place, new, how, key) in changes {
            let mut all = Vec::new();
            places(&value, "", &mut all);
            let place = place.get(&all);
            match (value.pointer_mut(place), how) {
                (Some(Value::Object(object)), 0) => drop(object.insert(key, new)),
                (Some(Value::Object(object)), 1) if !object.is_empty() => {
                    let key = object.keys().nth(key.len() % object.len()).unwrap().clone();
                    object.shift_remove(&key);
                }
                (Some(Value::Array(array)), 0) => array.push(new),
                (Some(Value::Array(array)), 1) => drop(array.pop()),
                (Some(at), _) => *at = new,
                (None, _) => {}
            }
            holds(subject, &value)?;
        }
    }
}
