//! Whatever an agent sends beside the documented members comes back as it was.

use crate::helpers::{Fixture, questions};
use model::Questions;
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Map, Value};

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_filter("JSON has no others", |float| float.is_finite()).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Value::from),
            btree_map(any::<String>(), inner, 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// The members of `known` and `unknown`, the unknown ones split around the known.
fn mix(known: &Map<String, Value>, unknown: Vec<(String, Value)>, before: usize) -> Map<String, Value> {
    let mut mixed = Map::new();
    let mut unknown: Vec<_> =
        unknown.into_iter().filter(|(key, _)| !known.contains_key(key) && key != "_meta").collect();
    let after = unknown.split_off(before.min(unknown.len()));
    mixed.extend(unknown);
    mixed.extend(known.clone());
    for (key, value) in after {
        mixed.entry(key).or_insert(value);
    }
    mixed
}

#[test]
fn unknown_members_survive() {
    let fixture = Fixture::new();
    let config = Config { cases: 200, failure_persistence: None, ..Config::default() };
    let members =
        (vec((any::<String>(), any_json()), 0..5), vec(("x[a-z]{0,6}", any_json()), 0..4), 0_usize..4);
    let result = TestRunner::new(config).run(&members, |(outer, inner, before)| {
        let mut known = questions("属性").document().clone();
        let item = known["items"][0].as_object().unwrap().clone();
        known["items"][0] = Value::Object(mix(&item, inner, before));
        let document = mix(&known, outer, before);
        // From text, as an agent sends it.
        let asked = Questions::parse(Value::Object(document.clone()).to_string().as_bytes()).unwrap();
        prop_assert_eq!(asked.document(), &document);

        fixture.ask(&asked).unwrap();
        let read = fixture.pending_document();
        prop_assert_eq!(&read, &document);
        let keys = |map: &Map<String, Value>| map.keys().cloned().collect::<Vec<_>>();
        prop_assert_eq!(keys(&read), keys(&document), "the order of members");
        let reread = Questions::from_value(Value::Object(read)).unwrap();
        prop_assert_eq!(reread.fingerprint(), asked.fingerprint());
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}
