//! The state of a task: what is read comes back, and what is wrong is named.

use model::flow::{Action, FlowStatus, FlowStatusError, StatusRule, Summary};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::Arc;

/// A state object of contract/flow §3.1.
const EXAMPLE: &str = r#"{
  "task_id": "2025-01-15T10-30-00",
  "current_phase": "impl",
  "current_step": 5,
  "started_at": "2025-01-15T10:30:00+08:00",
  "history": [
    {
      "timestamp": "2025-01-15T10:30:00+08:00",
      "action": "start",
      "phase": "flow-design",
      "step": 1,
      "summary": "开始任务: 实现用户认证模块",
      "git_commit": "a1b2c3d"
    },
    {
      "timestamp": "2025-01-15T11:00:00+08:00",
      "action": "next-part",
      "phase": "impl",
      "step": 3,
      "summary": "流程设计完成,开始实现",
      "git_commit": "i7j8k9l"
    },
    {
      "timestamp": "2025-01-15T12:00:00+08:00",
      "action": "next-step",
      "phase": "impl",
      "step": 5,
      "summary": "完成用户模型定义",
      "git_commit": "q3r4s5t"
    }
  ]
}"#;

#[test]
fn the_documented_example_comes_back_byte_by_byte() {
    let status = FlowStatus::parse(EXAMPLE.as_bytes()).unwrap();
    assert_eq!(serde_json::to_string_pretty(&status).unwrap(), EXAMPLE);
    assert_eq!(status.summary(), "开始任务: 实现用户认证模块");
    let phase: Vec<u64> = status.present_phase().iter().map(|entry| entry.step).collect();
    assert_eq!(phase, [3, 5]);
}

/// What [`FlowStatus::parse_to_extend`] keeps as text must make no difference, whatever the text is.
fn assert_extended_alike(text: &str) {
    let bytes = Arc::new(text.as_bytes().to_vec());
    let (whole, kept) = (FlowStatus::parse(&bytes), FlowStatus::parse_to_extend(&bytes));
    assert_eq!(kept, whole, "{text}");
    let (Ok(mut whole), Ok(mut kept)) = (whole, kept) else { return };
    let summary = Summary::new("one more: \"x\"").unwrap();
    for round in 0..3 {
        let written = kept.to_text().unwrap();
        let mut expected = serde_json::to_vec_pretty(&whole).unwrap();
        expected.push(b'\n');
        assert_eq!(String::from_utf8_lossy(&written), String::from_utf8_lossy(&expected), "{round}: {text}");
        assert_eq!(kept.history.len(), whole.history.len());
        assert_eq!(kept.history.last(), whole.newest());
        assert_eq!(kept.history.nth_last(1), whole.history.iter().nth_back(1));
        for status in [&mut whole, &mut kept] {
            if let Some(newest) = status.history.last_mut() {
                newest.git_commit = Some(format!("c{round}"));
            }
            status.record(Action::NextStep, "2025-01-15T13:00:00+08:00", "verify", &summary);
        }
    }
    assert_eq!(kept, whole, "{text}");
}

/// Whatever one changes in a text by hand.
#[test]
fn a_text_with_one_change_is_extended_like_any_other() {
    let pieces =
        ["", " ", "\n", "\"", "\\", ",", "0", "-", "\t", "\u{1}", "\\u0041", "\\/", "\\n", "}", "流"];
    for at in (0..=EXAMPLE.len()).filter(|at| EXAMPLE.is_char_boundary(*at)) {
        let (before, after) = EXAMPLE.split_at(at);
        for piece in pieces {
            assert_extended_alike(&format!("{before}{piece}{after}"));
        }
        // Without this character.
        let left = after.char_indices().nth(1).map_or("", |(next, _)| &after[next..]);
        assert_extended_alike(&format!("{before}{left}"));
    }
}

#[test]
fn earlier_entries_are_not_taken_apart_to_add_one() {
    let text = Arc::new(EXAMPLE.as_bytes().to_vec());
    let kept = FlowStatus::parse_to_extend(&text).unwrap();
    assert_eq!(Arc::strong_count(&text), 2, "the text is kept");
    assert_eq!(String::from_utf8(kept.to_text().unwrap()).unwrap(), format!("{EXAMPLE}\n"));
    // What is known besides is not dropped with it.
    let others = Arc::new(EXAMPLE.replacen("\"step\": 1,", "\"step\": 1, \"x\": 2,", 1).into_bytes());
    assert_eq!(FlowStatus::parse_to_extend(&others).unwrap().history[0].others.as_ref().unwrap()["x"], 2);
    assert_eq!(Arc::strong_count(&others), 1);
}

#[test]
fn a_byte_order_mark_is_no_mistake() {
    let text = format!("\u{feff}{EXAMPLE}");
    assert!(FlowStatus::parse(text.as_bytes()).is_ok());
}

#[test]
fn the_number_of_a_step_only_grows() {
    let mut status = FlowStatus::parse(EXAMPLE.as_bytes()).unwrap();
    let summary = Summary::new("x").unwrap();
    status.current_step = 2;
    status.record(Action::BackStep, "t", "impl", &summary);
    assert_eq!((status.current_step, status.newest().unwrap().step), (6, 6));
    status.record(Action::BackPart, "t", "flow-design", &summary);
    assert_eq!((status.current_step, &*status.current_phase), (7, "flow-design"));
}

#[test]
fn whatever_is_wrong_is_named() {
    let with = |pointer: &str, value: Option<Value>| {
        let mut document: Value = serde_json::from_str(EXAMPLE).unwrap();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        let parent = document.pointer_mut(parent).unwrap().as_object_mut().unwrap();
        match value {
            Some(value) => parent.insert(key.to_owned(), value),
            None => parent.remove(key),
        };
        FlowStatus::parse(document.to_string().as_bytes())
    };
    let top = ["task_id", "current_phase", "started_at"];
    for key in top {
        for value in [
            None,
            Some(json!("")),
            Some(json!(" \u{3000}")),
            Some(json!(1)),
            Some(json!(null)),
            Some(json!([])),
        ] {
            let error = FlowStatusError::Invalid { path: key.to_owned(), rule: StatusRule::Text };
            assert_eq!(with(&format!("/{key}"), value), Err(error));
        }
    }
    for key in ["timestamp", "phase", "summary", "action"] {
        for value in [None, Some(json!("")), Some(json!(true)), Some(json!({}))] {
            let error =
                FlowStatusError::Invalid { path: format!("history[1].{key}"), rule: StatusRule::Text };
            assert_eq!(with(&format!("/history/1/{key}"), value), Err(error));
        }
    }
    for (pointer, path) in [("/current_step", "current_step"), ("/history/2/step", "history[2].step")] {
        for value in [json!(true), json!(1.5), json!(-1), json!("1"), json!(1_u64 << 53), json!(null)] {
            let error = FlowStatusError::Invalid { path: path.to_owned(), rule: StatusRule::Integer };
            assert_eq!(with(pointer, Some(value)), Err(error));
        }
    }
    for (pointer, value, path, rule) in [
        ("/task_id", json!("a/b"), "task_id", StatusRule::TaskName),
        ("/task_id", json!("../x"), "task_id", StatusRule::TaskName),
        ("/history", json!({}), "history", StatusRule::List),
        ("/history", json!("x"), "history", StatusRule::List),
        ("/history", json!([1]), "history[0]", StatusRule::Object),
        ("/history", json!([[]]), "history[0]", StatusRule::Object),
        ("/history/0/action", json!("jump"), "history[0].action", StatusRule::Action),
        ("/history/0/git_commit", json!(null), "history[0].git_commit", StatusRule::TextOrMissing),
        ("/history/0/git_commit", json!(7), "history[0].git_commit", StatusRule::TextOrMissing),
    ] {
        assert_eq!(with(pointer, Some(value)), Err(FlowStatusError::Invalid { path: path.to_owned(), rule }));
    }
    for text in ["[]", "1", "null", "\"x\"", "true", "-1", "1.5"] {
        let error = FlowStatusError::Invalid { path: String::new(), rule: StatusRule::Object };
        assert_eq!(FlowStatus::parse(text.as_bytes()), Err(error), "{text}");
    }
    let twice = EXAMPLE.replacen("\"started_at\"", "\"task_id\": \"x\", \"started_at\"", 1);
    let error = FlowStatusError::Invalid { path: "task_id".to_owned(), rule: StatusRule::Once };
    assert_eq!(FlowStatus::parse(twice.as_bytes()), Err(error));
    for text in [&b""[..], b"{", b"\xff", b"{}x", &[b'['; 100_000]] {
        assert!(matches!(FlowStatus::parse(text), Err(FlowStatusError::Syntax { .. })));
    }
}

fn any_entry() -> impl Strategy<Value = Value> {
    let action = proptest::sample::select(Action::ALL.map(Action::code).to_vec());
    let other = proptest::option::of(("[a-z_]{1,6}x", any::<i32>()));
    (action, "[^ ]\\PC{0,20}", 0..1_u64 << 53, proptest::option::of("[0-9a-f]{40}"), other).prop_map(
        |(action, summary, step, commit, other)| {
            let mut entry = json!({
                "timestamp": "2025-01-15T10:30:00+08:00", "action": action, "phase": "p", "step": step,
                "summary": format!("x{summary}"),
            });
            if let Some(commit) = commit {
                entry["git_commit"] = json!(commit);
            }
            if let Some((key, value)) = other {
                entry[key] = json!(value);
            }
            entry
        },
    )
}

proptest! {
    #[test]
    fn what_is_read_is_written_again(
        entries in proptest::collection::vec(any_entry(), 0..8),
        step in 0..1_u64 << 53,
        other in any::<bool>(),
    ) {
        let mut document = json!({
            "task_id": "2025-01-15T10-30-00", "current_phase": "p", "current_step": step,
            "started_at": "2025-01-15T10:30:00+08:00", "history": entries,
        });
        if other {
            document["source_branch"] = json!({"deep": ["x", 1.25]});
        }
        let status = FlowStatus::parse(document.to_string().as_bytes()).unwrap();
        prop_assert_eq!(serde_json::to_value(&status).unwrap(), document);
        assert_extended_alike(&serde_json::to_string_pretty(&status).unwrap());
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
        let _ = FlowStatus::parse(&bytes);
    }
}
