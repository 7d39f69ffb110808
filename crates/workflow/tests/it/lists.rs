//! Lists read in parts.

use crate::support::{Scene, answer};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use journal::{JournalExt as _, Project, Record, Session, Workflow};
use proptest::prelude::*;
use protocol::workflow::{DecisionStatus, SessionKind, WorkflowState};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use workflow::{Failure, ListRange, NewDecision, NewSession, PAGE, Runtime, StateFilter, WorkflowFilter};

/// The entries of a part of a list, as JSON, and the cursor of what comes behind.
type Part = Result<(Vec<Value>, Option<String>), Failure>;

type ReadPart = fn(&Runtime, &ListRange) -> Part;

/// Collects the pages of a part.
fn part<T: Serialize>(
    read: impl FnOnce(&mut workflow::TakePage<'_, T>) -> Result<Option<String>, Failure>,
) -> Part {
    let mut entries = Vec::new();
    let next = read(&mut |page| {
        assert!(page.len() <= usize::try_from(PAGE).unwrap());
        entries.extend(page.iter().map(|entry| json!(entry)));
        ControlFlow::Continue(())
    })?;
    Ok((entries, next))
}

fn waiting() -> WorkflowFilter {
    WorkflowFilter { state: Some(StateFilter::Waiting), ..WorkflowFilter::default() }
}

/// All lists that are read row by row.
const LISTS: [(&str, ReadPart); 7] = [
    ("workflows", |runtime, range| {
        part(|take| runtime.read_workflows(&WorkflowFilter::default(), range, take))
    }),
    ("waiting", |runtime, range| part(|take| runtime.read_workflows(&waiting(), range, take))),
    ("states", |runtime, range| part(|take| runtime.read_states(range, take))),
    ("sessions", |runtime, range| part(|take| runtime.read_sessions(range, take))),
    ("resumable", |runtime, range| part(|take| runtime.read_resumable(range, take))),
    ("decisions", |runtime, range| part(|take| runtime.read_decisions(None, None, range, take))),
    ("pending", |runtime, range| {
        part(|take| runtime.read_decisions(None, Some(DecisionStatus::Pending), range, take))
    }),
];

/// All parts of a list, one after the other, of `limit` entries each; `between` is done between two of them.
fn parts(runtime: &Runtime, read: ReadPart, limit: u32, mut between: impl FnMut()) -> Vec<Value> {
    let mut all = Vec::new();
    let mut range = ListRange { limit: Some(limit), cursor: None };
    loop {
        let (entries, next) = read(runtime, &range).unwrap();
        let is_full = entries.len() == usize::try_from(limit).unwrap();
        assert!(entries.len() <= usize::try_from(limit).unwrap());
        assert!(is_full || next.is_none(), "a part that is not full is the last one");
        all.extend(entries);
        match next {
            Some(next) => range.cursor = Some(next),
            None => return all,
        }
        between();
    }
}

pub(crate) fn decision(workflow: Option<String>) -> NewDecision {
    NewDecision {
        workflow_id: workflow,
        session_id: None,
        task_id: None,
        agent_id: None,
        message: "Which one?".to_owned(),
        options: vec!["a".to_owned(), "b".to_owned()],
        default: None,
        multi_select: None,
        allow_other: false,
        timeout_ms: None,
        context: None,
    }
}

/// So many workflows, of which some wait, were cancelled or paused, or have a client's checkpoint beside them.
fn filled(steps: &[u8]) -> Scene {
    let scene = Scene::in_memory();
    for step in steps {
        // Some of them at the same moment.
        scene.world.pass(i64::from(*step % 2));
        match step % 5 {
            0 | 1 => drop(scene.executing(json!([{ "id": "t", "description": "x" }]))),
            2 => {
                let (workflow, _) = scene.executing(json!([{ "id": "t", "description": "x" }]));
                scene.runtime.create_decision(None, &decision(Some(workflow))).unwrap();
            }
            3 => {
                let (workflow, _) = scene.begin("x");
                scene.runtime.pause(None, &workflow, false).unwrap();
            }
            _ => {
                scene.runtime.create_session(None, &NewSession::default()).unwrap();
                scene.runtime.create_decision(None, &decision(None)).unwrap();
            }
        }
    }
    scene
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    /// The parts, one after the other, are the list.
    #[test]
    fn parts_of_any_size_are_the_whole_list(steps in prop::collection::vec(any::<u8>(), 0..40), limit in 1_u32..50) {
        let scene = filled(&steps);
        for (name, read) in LISTS {
            let (whole, next) = read(&scene.runtime, &ListRange::all()).unwrap();
            prop_assert!(next.is_none(), "{name}");
            prop_assert_eq!(parts(&scene.runtime, read, limit, || ()), whole, "{}", name);
        }
    }

    /// What comes or changes meanwhile moves no other entry: none of those is missing or given twice.
    #[test]
    fn parts_stay_together_while_others_come(steps in prop::collection::vec(any::<u8>(), 1..12), limit in 1_u32..8) {
        for (name, read) in LISTS {
            let scene = filled(&steps);
            let (before, _) = read(&scene.runtime, &ListRange::all()).unwrap();
            let mut come = 0;
            let found = parts(&scene.runtime, read, limit, || {
                come += 1;
                if come > 5 {
                    return;
                }
                scene.world.pass(1);
                let (workflow, _) = scene.executing(json!([{ "id": "t", "description": "x" }]));
                scene.runtime.create_decision(None, &decision(Some(workflow))).unwrap();
            });
            let text = |entries: &[Value]| entries.iter().map(Value::to_string).collect::<Vec<_>>();
            let (before, found) = (text(&before), text(&found));
            let once: BTreeSet<_> = found.iter().collect();
            prop_assert_eq!(once.len(), found.len(), "{}", name);
            prop_assert!(before.iter().all(|entry| once.contains(entry)), "{}", name);
        }
    }
}

#[test]
fn a_cursor_of_another_list_is_refused() {
    let scene = filled(&[0, 1, 2, 3, 4, 0, 1, 2, 3, 4]);
    let first = ListRange { limit: Some(1), cursor: None };
    for (name, read) in LISTS {
        let (_, cursor) = read(&scene.runtime, &first).unwrap();
        for (other, read_other) in LISTS {
            // Also where one list is looked through in another way.
            if name == other {
                continue;
            }
            let range = ListRange { limit: None, cursor: cursor.clone() };
            let refused =
                cursor.is_none() || matches!(read_other(&scene.runtime, &range), Err(Failure::Refused(_)));
            assert!(refused, "{name} {other}");
        }
        let Some(cursor) = cursor else { continue };
        let parsed: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(cursor).unwrap()).unwrap();
        let (digest, cells) = (parsed[0].as_str().unwrap(), &parsed[1]);
        assert_eq!(digest.len(), 12);
        let cursor = |value: Value| URL_SAFE_NO_PAD.encode(value.to_string());
        for bad in [
            "x".to_owned(),
            "W10".to_owned(),
            "ä".to_owned(),
            // Of this list, but not places in its order.
            cursor(json!([digest, cells, 0])),
            cursor(json!([digest, [1]])),
            cursor(json!([digest, ["x", "y"]])),
            // One of an earlier version: it did not name the filters.
            cursor(json!([name, cells])),
        ] {
            let range = ListRange { limit: None, cursor: Some(bad.clone()) };
            let Err(Failure::Refused(refusal)) = read(&scene.runtime, &range) else { panic!("{name} {bad}") };
            assert_eq!(
                (refusal.code.name(), &refusal.details["field"]),
                ("INVALID_REQUEST", &json!("cursor"))
            );
        }
    }
}

/// contract/workflows §3: all entries of a session are in one part, so it does not matter where the session stands afterwards.
#[test]
fn a_session_that_moves_between_two_parts_is_given_once() {
    let mut scene = Scene::on_disk();
    let mut expected = BTreeSet::new();
    for _ in 0..3 {
        scene.world.pass(1);
        let (first, session) = scene.executing(json!([{ "id": "a" }]));
        scene.world.pass(1);
        let said = scene.send("orchestrator", json!({ "content": "second", "sessionId": session })).unwrap();
        expected.extend([first, said["workflowId"].as_str().unwrap().to_owned()]);
    }
    scene.restart();
    let first = ListRange { limit: Some(1), cursor: None };
    let read = |range: &ListRange| part(|take| scene.runtime.read_resumable(range, take)).unwrap();
    let (mut found, mut next) = read(&first);
    while let Some(cursor) = next {
        // The session of the last entry moves to the front.
        let session = found.last().unwrap()["id"].as_str().unwrap().to_owned();
        scene.world.pass(1);
        answer(scene.runtime.add_message(None, &session, "user", "more")).unwrap();
        let (entries, behind) = read(&ListRange { limit: Some(1), cursor: Some(cursor) });
        found.extend(entries);
        next = behind;
    }
    let ids: Vec<_> = found.iter().map(|entry| entry["workflowId"].as_str().unwrap().to_owned()).collect();
    assert_eq!(ids.len(), expected.len(), "{ids:?}");
    assert_eq!(BTreeSet::from_iter(ids), expected);
}

pub(crate) fn session(id: &str, project: Option<&str>) -> Session {
    Session {
        id: id.to_owned(),
        kind: SessionKind::User,
        name: id.to_owned(),
        project: project.map(str::to_owned),
        paused: false,
        created: 1,
        updated: 1,
        accessed: 1,
        context: "{}".to_owned(),
        version: 0,
    }
}

pub(crate) fn workflow(id: String, session: &str, updated: i64) -> Workflow {
    Workflow {
        id,
        session: session.to_owned(),
        state: WorkflowState::Idle,
        previous: None,
        task: "x".to_owned(),
        context: "{}".to_owned(),
        round: 0,
        engine: 1,
        error: None,
        output: None,
        cancelled: false,
        failures: 0,
        wake_at: None,
        created: 1,
        updated,
        driven: 0,
        version: 0,
    }
}

/// However long a list is, no more than one page of it is held.
#[test]
fn a_list_of_20_000_workflows_is_given_in_pages() {
    const COUNT: usize = 20_000;
    let scene = Scene::in_memory();
    let rows = [
        Record::from(Project { id: "p".to_owned(), root: "/p".to_owned(), seen: 1, version: 0 }),
        session("s", Some("p")).into(),
    ];
    let rows = rows.into_iter().chain((0..COUNT).map(|number| {
        let updated = i64::try_from(number / 3).unwrap();
        workflow(format!("wf-{number}"), "s", updated).into()
    }));
    let rows: Vec<Record> = rows.collect();
    scene.runtime.journal().write(|tx| rows.iter().cloned().try_for_each(|row| tx.put(row))).unwrap();
    let (mut count, mut pages, mut most) = (0, 0, 0);
    let mut take = |page: Vec<protocol::workflow::api::WorkflowSummary>| {
        (count, pages, most) = (count + page.len(), pages + 1, most.max(page.len()));
        assert_eq!(page[0].project_path.as_deref(), Some("/p"));
        ControlFlow::Continue(())
    };
    scene.runtime.read_workflows(&WorkflowFilter::default(), &ListRange::all(), &mut take).unwrap();
    let page = usize::try_from(PAGE).unwrap();
    assert_eq!((count, pages, most), (COUNT, COUNT.div_ceil(page), page));
    // One that takes no more is given no more.
    let mut pages = 0;
    let mut stop = |_| {
        pages += 1;
        ControlFlow::Break(())
    };
    scene.runtime.read_workflows(&WorkflowFilter::default(), &ListRange::all(), &mut stop).unwrap();
    assert_eq!(pages, 1);
}
