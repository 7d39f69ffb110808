//! Whatever is asked of a journal, the one on the disk answers as the one in memory does; also after it was closed or killed.

use crate::support::{EventRecorder, JournalFolder, decision, event, factor, session, why, workflow};
use journal::{
    Agent, Change, Checkpoint, Count, Decision, EventFilter, Idempotency, Instruction, Journal, Key, Lease,
    Mailbox, Memory, Message, Outbox, Project, Query, Record, Retention, Session, Sqlite, Step, Sum, Task,
    Tool, View, ViewExt, Workflow,
};
use model::workflow::{
    AgentState, DecisionStatus, EventType, MailStatus, ResourceStatus, TaskState, ToolName, ToolPolicy,
    WorkflowState,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{FileFailurePersistence, TestRunner};

/// How many sequences are tried; the long campaign multiplies it.
const SEQUENCES: u32 = 500;
const MAX_LENGTH: usize = 25;

#[derive(Debug, Clone)]
enum Op {
    /// A change of some rows and events.
    Change { parts: Vec<Part>, events: u8, under: Option<u8> },
    /// Work is claimed.
    Claim { now: i64, limit: u32 },
    /// A claim is kept, or given back.
    Hold { lease: u8, until: Option<i64> },
    /// Old things are forgotten.
    Prune { keep: u64, before: i64, at_most: u32 },
    /// The journal is closed and opened.
    Restart,
    /// It is killed and opened.
    Kill,
}

/// What is done with one row.
#[derive(Debug, Clone)]
struct Part {
    table: u8,
    first: u8,
    second: u8,
    value: u8,
    what: RowAction,
}

#[derive(Debug, Clone, Copy)]
enum RowAction {
    /// The row is put, with the version that it has.
    Put,
    /// It is put with another version.
    PutStale,
    Remove,
    /// It is expected as it is.
    Expect,
    /// It is expected otherwise.
    ExpectStale,
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let what = prop_oneof![
        12 => Just(RowAction::Put),
        1 => Just(RowAction::PutStale),
        3 => Just(RowAction::Remove),
        1 => Just(RowAction::Expect),
        1 => Just(RowAction::ExpectStale),
    ];
    let part = (0..14_u8, 0..3_u8, 0..3_u8, 0..4_u8, what)
        .prop_map(|(table, first, second, value, what)| Part { table, first, second, value, what });
    let change = (vec(part, 1..4), 0..3_u8, proptest::option::weighted(0.1, 0..4_u8))
        .prop_map(|(parts, events, under)| Op::Change { parts, events, under });
    let op = prop_oneof![
        20 => change,
        2 => (0..5_i64, 0..3_u32).prop_map(|(now, limit)| Op::Claim { now, limit }),
        2 => (0..4_u8, proptest::option::of(0..9_i64)).prop_map(|(lease, until)| Op::Hold { lease, until }),
        1 => (0..9_u64, 0..4_i64, 0..5_u32).prop_map(|(keep, before, at_most)| Op::Prune { keep, before, at_most }),
        1 => Just(Op::Restart),
        1 => Just(Op::Kill),
    ];
    vec(op, 1..MAX_LENGTH)
}

/// The row that a part is about: of few names, so that they meet.
fn row(part: &Part) -> Record {
    let Part { table, first, second, value, .. } = *part;
    let name = |number: u8| format!("n{number}");
    let (a, b, v) = (name(first), name(second), i64::from(value));
    let some = (value > 0).then(|| name(value));
    let json = format!("{{\"v\":{value}}}");
    match table {
        0 => Project { id: a, root: format!("/{b}"), seen: v, version: 0 }.into(),
        1 => Session { project: (value == 3).then_some(b), updated: v, ..session(&a) }.into(),
        2 => Message {
            session: a,
            no: i64::from(second),
            id: name(first * 3 + second),
            role: "user".to_owned(),
            content: b,
            at: v,
            workflow: some,
        }
        .into(),
        3 => {
            let states =
                [WorkflowState::Idle, WorkflowState::Paused, WorkflowState::Completed, WorkflowState::Failed];
            let state = states[usize::from(value)];
            let wake_at = (value < 2).then_some(v);
            Workflow { state, wake_at, context: json, updated: v, ..workflow(&a, &b) }.into()
        }
        4 => Task {
            workflow: a,
            id: b,
            no: i64::from(second % 2),
            description: String::new(),
            kind: "executor".to_owned(),
            state: TaskState::ALL[usize::from(value)],
            needs: "[]".to_owned(),
            capabilities: "[]".to_owned(),
            agent: None,
            dispatch: some,
            attempt: v,
            min_level: None,
            rejections: 0,
            due: None,
            estimate: None,
            started: None,
            finished: None,
            result: Some(json),
            error: None,
            version: 0,
        }
        .into(),
        5 => Step {
            workflow: a,
            no: i64::from(second),
            attempt: 1,
            task: some,
            name: b,
            request_sha256: String::new(),
            request: String::new(),
            answer: None,
            outcome: None,
            tokens: cost_json(value),
            started: v,
            finished: None,
            version: 0,
        }
        .into(),
        6 => Agent {
            id: a,
            name: b,
            kind: "executor".to_owned(),
            capabilities: "[]".to_owned(),
            state: AgentState::Idle,
            status: ResourceStatus::Available,
            session: None,
            workflow: some,
            task: None,
            deployed: None,
            deployments: v,
            errors: 0,
            last_error: None,
            last_error_at: None,
            beat: Some(v),
            version: 0,
        }
        .into(),
        7 => {
            let status = DecisionStatus::ALL[usize::from(value)];
            let workflow = (second == 2).then(|| name(value));
            let expires = (second > 0).then_some(v);
            Decision { status, workflow, expires, ask: b, created: v, ..decision(&a) }.into()
        }
        8 => Checkpoint {
            id: name(first * 3 + value),
            session: a,
            no: i64::from(second),
            workflow: None,
            at: v,
            state: Some(WorkflowState::Execution),
            progress: v,
            body: json,
        }
        .into(),
        9 => Instruction { workflow: a, no: i64::from(second), text: b, used_by: some, version: 0 }.into(),
        10 => Mailbox {
            id: a,
            target: b,
            sender: None,
            callback: some,
            content: json,
            status: MailStatus::ALL[usize::from(second)],
            result: None,
            error: None,
            workflow: None,
            created: v,
            updated: v,
            version: 0,
        }
        .into(),
        11 => Idempotency {
            scope: a,
            key: b,
            request_sha256: json,
            status: None,
            body: None,
            created: v,
            version: 0,
        }
        .into(),
        12 => Outbox { id: a, kind: b, body: json, attempts: 0, next: v, version: 0 }.into(),
        _ => Tool {
            name: ToolName::ALL[usize::from(first)],
            policy: ToolPolicy::ALL[usize::from(value % 3)],
            configured: ToolPolicy::ALL[usize::from(second)],
            changed: v,
            version: 0,
        }
        .into(),
    }
}

/// What a step says that it has cost: everything, a part of it, or nothing.
fn cost_json(value: u8) -> Option<String> {
    Some(match value {
        0 => return None,
        1 => r#"{"input":null,"output":2,"cost":null}"#.to_owned(),
        value => format!(r#"{{"format":"text","input":{value},"output":{value}0,"cost":0.25}}"#),
    })
}

/// The key of a row, its version, and the row with another one.
fn parts_of(record: Record) -> (Key, Option<i64>, impl Fn(i64) -> Record) {
    macro_rules! of {
        ($($name:ident: $changes:tt),* $(,)?) => {
            match &record { $( Record::$name(row) => (journal::Row::key(row), journal::Row::version(row)), )* }
        };
    }
    macro_rules! versioned {
        ($version:expr, $($name:ident),*) => {
            match record.clone() {
                $( Record::$name(row) => Record::$name($name { version: $version, ..row }), )*
                other => other,
            }
        };
    }
    let (key, version) = of!(
        Event: no, Project: yes, Session: yes, Message: no, Workflow: yes, Task: yes, Step: yes, Agent: yes,
        Decision: yes, Checkpoint: no, Instruction: yes, Mailbox: yes, Idempotency: yes, Outbox: yes,
        Tool: yes,
    );
    let with = move |version| {
        versioned!(
            version,
            Project,
            Session,
            Workflow,
            Task,
            Step,
            Agent,
            Decision,
            Instruction,
            Mailbox,
            Idempotency,
            Outbox,
            Tool
        )
    };
    (key, version, with)
}

/// All that can be asked.
fn everything(view: &dyn View) -> String {
    let mut all = format!("{:?}\n", view.log().unwrap());
    let mut add = |records: Vec<Record>| all.push_str(&format!("{records:#?}\n"));
    let names = ["n0", "n1", "n2"];
    for query in [
        Query::projects().raw(),
        Query::sessions().raw(),
        Query::workflows().raw(),
        Query::workflows_in(&[WorkflowState::Idle, WorkflowState::Failed]).raw(),
        Query::agents().raw(),
        Query::decisions(None, None).raw(),
        Query::decisions(Some("n1"), Some(DecisionStatus::Pending)).raw(),
        Query::decisions_due(2).raw(),
        Query::mail(None, None).limit(2).raw(),
        Query::mail(Some("n1"), Some(MailStatus::Pending)).raw(),
        Query::requests_until(2).raw(),
        Query::outbox_due(2).raw(),
        Query::outbox().raw(),
        Query::tools().raw(),
    ] {
        add(view.list(query).unwrap());
    }
    for name in names {
        for query in [
            Query::project_at(&format!("/{name}")).raw(),
            Query::sessions_of(name).raw(),
            Query::messages_of(name).raw(),
            Query::workflows_of(name).raw(),
            Query::tasks_of(name).raw(),
            Query::steps_of(name).raw(),
            Query::last_steps_of(name).for_task(names[0]).limit(2).raw(),
            Query::steps_of(name).with_outcome().raw(),
            Query::last_steps_of(name).for_task(name).with_outcome().raw(),
            Query::agents_of(name).raw(),
            Query::decisions_of(name).raw(),
            Query::asked_as(name).raw(),
            Query::checkpoints_of(name).raw(),
            Query::checkpoints_of_workflow(name).raw(),
            Query::instructions_of(name).raw(),
            Query::mail_called(name).raw(),
            Query::mail_of(name).raw(),
        ] {
            add(view.list(query).unwrap());
        }
    }
    for filter in [
        EventFilter::after(0, u32::MAX),
        EventFilter { workflow: Some("n1".to_owned()), newest: true, ..EventFilter::after(1, 2) },
        EventFilter { kinds: Some(vec![EventType::WorkflowProgress]), ..EventFilter::after(0, 3) },
    ] {
        all.push_str(&format!("{:?}\n", view.events(&filter).unwrap()));
    }
    for count in [Count::TASKS, Count::MESSAGES] {
        all.push_str(&format!("{:?}\n", view.count(&count).unwrap()));
    }
    for name in names {
        all.push_str(&format!("{:?}\n", view.sum(&Sum::cost_of(name)).unwrap()));
    }
    all
}

fn check(ops: &[Op]) {
    let heard = (EventRecorder::default(), EventRecorder::default());
    let memory = Memory::new(heard.0.listener());
    let mut place = JournalFolder::in_memory();
    let mut disk: Sqlite = place.open_with(heard.1.listener()).unwrap();
    let mut leases: Vec<Lease> = Vec::new();
    for (number, op) in ops.iter().enumerate() {
        match op {
            Op::Change { parts, events, under } => {
                let mut change = Change::default();
                for part in parts {
                    let (key, version, with) = parts_of(row(part));
                    let found = memory.view().unwrap().get(&key).unwrap();
                    let is_kept = found.is_some();
                    let present = found.and_then(|record| parts_of(record).1).unwrap_or_default();
                    match part.what {
                        RowAction::Put => change.put.push(with(present)),
                        RowAction::PutStale => change.put.push(with(present + 1)),
                        RowAction::Remove => change.remove.push(key),
                        RowAction::Expect => change.expect.push((key, is_kept.then_some(present))),
                        RowAction::ExpectStale => {
                            change.expect.push((key, (!is_kept || version.is_some()).then_some(present + 1)));
                        }
                    }
                }
                for part in 0..*events {
                    // Some names come twice.
                    let name =
                        format!("e{}", if number % 7 == 0 { 0 } else { number * 10 + usize::from(part) });
                    let workflow = format!("n{}", number % 3);
                    change.events.push(event(&name, Some(&workflow)));
                }
                change.lease = under.and_then(|under| leases.get(usize::from(under)).cloned());
                let expected = memory.commit(change.clone()).map_err(|error| why(&error));
                let result = disk.commit(change).map_err(|error| why(&error));
                assert_eq!(result, expected, "{op:?}");
            }
            Op::Claim { now, limit } => {
                let expected = memory.claim("me", *now, now + 2, *limit).unwrap();
                assert_eq!(disk.claim("me", *now, now + 2, *limit).unwrap(), expected);
                leases.extend(expected);
            }
            Op::Hold { lease, until } => {
                let Some(lease) = leases.get(usize::from(*lease)) else { continue };
                let hold = |journal: &dyn Journal| match until {
                    Some(until) => journal.renew(lease, *until).unwrap(),
                    None => journal.release(lease).unwrap(),
                };
                assert_eq!(hold(&disk), hold(&memory));
            }
            Op::Prune { keep, before, at_most } => {
                let prune = Retention { keep_events: *keep, answered_before: *before, at_most: *at_most };
                assert_eq!(disk.prune(prune).unwrap(), memory.prune(prune).unwrap());
            }
            Op::Restart => {
                drop(disk);
                disk = place.open_with(heard.1.listener()).unwrap();
            }
            Op::Kill => {
                let killed = place.killed();
                disk = killed.open_with(heard.1.listener()).unwrap();
                place = killed;
            }
        }
        let expected = everything(&*memory.view().unwrap());
        assert_eq!(everything(&*disk.view().unwrap()), expected, "after {op:?}");
    }
    assert_eq!(heard.1.numbers(), heard.0.numbers());
}

#[test]
fn any_sequence_ends_the_same_in_memory_and_on_the_disk() {
    let failures = FileFailurePersistence::Direct("tests/it/sequences.regressions");
    let config = ProptestConfig {
        cases: SEQUENCES * factor(),
        failure_persistence: Some(Box::new(failures)),
        ..ProptestConfig::default()
    };
    let checked = TestRunner::new(config).run(&ops(), |ops| {
        check(&ops);
        Ok(())
    });
    if let Err(error) = checked {
        panic!("{error}");
    }
}
