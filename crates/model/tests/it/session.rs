//! Session ids: never the same twice, never earlier than the last, whatever the clock says.

use crate::support::config;
use model::SessionId;
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::HashSet;

/// A reading of the clock; few enough that seconds repeat and go backwards.
fn reading() -> impl Strategy<Value = String> {
    let near = (0_u32..4).prop_map(|second| format!("2025-01-15T10-30-{second:02}"));
    let far = (0_u32..10_000, 1_u32..13, 1_u32..32, 0_u32..24, 0_u32..60, 0_u32..61).prop_map(
        |(year, month, day, hour, minute, second)| {
            format!("{year:04}-{month:02}-{day:02}T{hour:02}-{minute:02}-{second:02}")
        },
    );
    prop_oneof![4 => near, 1 => far]
}

fn id() -> impl Strategy<Value = SessionId> {
    let number = prop_oneof![1_u32..12, 1..=u32::MAX];
    (reading(), number).prop_map(|(second, number)| {
        if number == 1 { second.parse().unwrap() } else { format!("{second}-{number}").parse().unwrap() }
    })
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn ids_grow_whatever_the_clock_says(readings in vec(reading(), 1..50)) {
        let mut ids: Vec<SessionId> = Vec::new();
        for reading in &readings {
            let next = SessionId::next(reading, ids.last()).unwrap();
            if let Some(last) = ids.last() {
                prop_assert!(next > *last, "{last}, then {next} at {reading}");
            }
            let latest = ids.last().map(|last| last.to_string()[..19].to_owned());
            if latest.is_none_or(|latest| *reading > latest) {
                prop_assert_eq!(&next.to_string(), reading, "the clock is followed while it goes forwards");
            }
            ids.push(next);
        }
        let written: HashSet<_> = ids.iter().map(SessionId::to_string).collect();
        prop_assert_eq!(written.len(), ids.len());
    }

    #[test]
    fn an_id_is_read_back_as_it_was_written(id in id()) {
        prop_assert_eq!(id.to_string().parse(), Ok(id.clone()));
        let json = serde_json::to_string(&id).unwrap();
        prop_assert_eq!(&json, &format!("\"{id}\""));
        prop_assert_eq!(serde_json::from_str::<SessionId>(&json).unwrap(), id);
    }

    #[test]
    fn ids_are_ordered_by_second_then_number(one in id(), other in id()) {
        let key = |id: &SessionId| {
            let text = id.to_string();
            let (second, rest) = text.split_at(19);
            (second.to_owned(), rest.strip_prefix('-').map_or(1, |number| number.parse::<u32>().unwrap()))
        };
        prop_assert_eq!(one.cmp(&other), key(&one).cmp(&key(&other)));
        prop_assert_eq!(one == other, one.to_string() == other.to_string());
    }

    #[test]
    fn what_is_read_is_written_the_same(text in "[0-9T-]{17,22}|2025-01-15T10-30-0[0-9]-?[0-9]{0,11}|\\PC*") {
        if let Ok(id) = text.parse::<SessionId>() {
            prop_assert_eq!(id.to_string(), text);
        }
    }
}

#[test]
fn within_one_second_ids_are_counted() {
    let mut last = None;
    let mut next = |reading: &str| {
        let id = SessionId::next(reading, last.as_ref()).unwrap();
        last = Some(id.clone());
        id.to_string()
    };
    assert_eq!(next("2025-01-15T10-30-00"), "2025-01-15T10-30-00");
    assert_eq!(next("2025-01-15T10-30-00"), "2025-01-15T10-30-00-2");
    assert_eq!(next("2025-01-15T10-29-59"), "2025-01-15T10-30-00-3", "the clock was set back");
    assert_eq!(next("2025-01-15T10-30-01"), "2025-01-15T10-30-01");
}

#[test]
fn ten_comes_after_two() {
    let id = |text: &str| text.parse::<SessionId>().unwrap();
    assert!(id("2025-01-15T10-30-00-10") > id("2025-01-15T10-30-00-2"));
    assert!(id("2025-01-15T10-30-00-2") > id("2025-01-15T10-30-00"));
    assert!(id("2025-01-15T10-30-01") > id("2025-01-15T10-30-00-10"));
    assert!("2025-01-15T10-30-00-10" < "2025-01-15T10-30-00-2", "which is why ids are not compared as texts");
}

#[test]
fn what_is_no_id_is_refused() {
    for text in [
        "",
        "2025-01-15T10-30-0",
        "2025-01-15T10:30:00",
        "2025-01-15 10-30-00",
        "2025-01-15T10-30-00 ",
        " 2025-01-15T10-30-00",
        "2025-01-15T10-30-00-",
        "2025-01-15T10-30-00-0",
        "2025-01-15T10-30-00-1",
        "2025-01-15T10-30-00-02",
        "2025-01-15T10-30-00-+2",
        "2025-01-15T10-30-00--2",
        "2025-01-15T10-30-00-2-2",
        "2025-01-15T10-30-00-4294967296",
        "2025-01-15T10-30-00.json",
        "2025-01-15T10-30-00/..",
        "2025-01-15T10-30-0０",
        "../../../../etc/hosts",
        "２025-01-15T10-30-00",
    ] {
        assert!(text.parse::<SessionId>().is_err(), "{text:?}");
        assert!(SessionId::next(text, None).is_err(), "{text:?}");
        assert!(serde_json::from_value::<SessionId>(text.into()).is_err(), "{text:?}");
    }
    assert!(serde_json::from_str::<SessionId>("20250115103000").is_err());
}
