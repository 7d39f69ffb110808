//! Whatever is asked of a journal in whatever order, it answers as a model of a few lines does; also after it was closed or
//! killed. There is one kind of row that changes, one that is written once, and one that is forgotten; what the others have
//! beside that is tested for each of them (`rows.rs`, `content.rs`).

use crate::rows::with_version;
use crate::support::{
    Change, Commit, Committed, EventRecorder, JournalFolder, event, identity, session, why, workflow,
};
use journal::{
    Event, EventFilter, Idempotency, Journal, Key, Lease, Log, Message, PruneReport, Query, Record,
    Retention, Sqlite, View, ViewExt, Workflow,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{FileFailurePersistence, TestRunner};
use protocol::workflow::{EventType, WorkflowState};
use std::collections::BTreeMap;
use std::slice;

/// How many sequences are tried; the long campaign multiplies it.
const SEQUENCES: u32 = 500;
const MAX_LENGTH: usize = 25;

/// Names of rows; of sessions, all but the last are there.
const NAMES: [&str; 3] = ["n0", "n1", "n2"];

#[derive(Debug, Clone)]
enum Op {
    /// A change of some rows and events.
    Change { parts: Vec<Part>, events: u8, under: Option<u8> },
    /// Work is claimed.
    Claim { now: i64, limit: u32 },
    /// A claim is kept, or given back.
    Hold { lease: u8, until: Option<i64> },
    /// All claims are given back.
    ReleaseAll,
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
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let what = prop_oneof![
        12 => Just(RowAction::Put),
        1 => Just(RowAction::PutStale),
        3 => Just(RowAction::Remove),
    ];
    let part = (0..3_u8, 0..3_u8, 0..3_u8, 0..4_u8, what)
        .prop_map(|(table, first, second, value, what)| Part { table, first, second, value, what });
    let change = (vec(part, 1..4), 0..3_u8, proptest::option::weighted(0.1, 0..4_u8))
        .prop_map(|(parts, events, under)| Op::Change { parts, events, under });
    let op = prop_oneof![
        40 => change,
        6 => (0..5_i64, 0..3_u32).prop_map(|(now, limit)| Op::Claim { now, limit }),
        4 => (0..4_u8, proptest::option::of(0..9_i64)).prop_map(|(lease, until)| Op::Hold { lease, until }),
        1 => Just(Op::ReleaseAll),
        2 => (0..9_u64, 0..4_i64, 0..5_u32).prop_map(|(keep, before, at_most)| Op::Prune { keep, before, at_most }),
        2 => Just(Op::Restart),
        2 => Just(Op::Kill),
    ];
    vec(op, 1..MAX_LENGTH)
}

/// The row that a part is about: of few names, so that they meet.
fn row(part: &Part) -> Record {
    let Part { table, first, second, value, .. } = *part;
    let [a, b] = [first, second].map(|number| NAMES[usize::from(number)]);
    let v = i64::from(value);
    match table {
        0 => {
            let states =
                [WorkflowState::Idle, WorkflowState::Paused, WorkflowState::Completed, WorkflowState::Failed];
            let state = states[usize::from(value)];
            let wake_at = (value < 2).then_some(v);
            Workflow { state, wake_at, updated: v, ..workflow(a, b) }.into()
        }
        1 => Message {
            session: a.to_owned(),
            no: i64::from(second),
            id: format!("m{}", first * 2 + second),
            role: "user".to_owned(),
            content: b.to_owned(),
            at: v,
            workflow: (value > 0).then(|| b.to_owned()),
        }
        .into(),
        _ => Idempotency {
            name: Idempotency::name_of(a, b),
            request_sha256: String::new(),
            status: (value > 1).then_some(v),
            body: None,
            created: v,
            version: 0,
        }
        .into(),
    }
}

/// What a journal must answer.
#[derive(Clone, Default)]
struct Model {
    rows: BTreeMap<Key, Record>,
    /// Until when a workflow is claimed, and the number of the claim.
    leases: BTreeMap<String, (Option<i64>, i64)>,
    /// The requests whose answers are remembered, in the order in which they were written.
    answers: Vec<Key>,
    events: Vec<Event>,
    last: i64,
    pruned: i64,
}

impl Model {
    /// The numbers of its events, or why the change is refused.
    fn commit(&mut self, change: Change) -> Result<Vec<i64>, String> {
        let mut next = self.clone();
        let numbers = next.make(change)?;
        *self = next;
        Ok(numbers)
    }

    fn make(&mut self, change: Change) -> Result<Vec<i64>, String> {
        if let Some(Lease { workflow, fence }) = change.lease
            && self.leases.get(&workflow).is_none_or(|(_, newest)| *newest != fence)
        {
            return Err(format!("fenced {workflow}"));
        }
        for row in change.put {
            self.put(&row)?;
        }
        for key in change.remove {
            self.remove(&key);
        }
        let first = self.last + 1;
        for new in change.events {
            self.last += 1;
            let journal::NewEvent { id, at, kind, session, workflow, task, agent, payload } = new;
            let seq = self.last;
            self.events.push(Event { seq, id, at, kind, session, workflow, task, agent, payload });
        }
        Ok((first..=self.last).collect())
    }

    fn put(&mut self, row: &Record) -> Result<(), String> {
        let (key, version) = identity(row);
        let found = self.rows.get(&key).map(|found| identity(found).1);
        let is_as_read = found == version.filter(|version| *version > 0).map(Some);
        let is_same = |(at, other): (&Key, &Record)| match (row, other) {
            (Record::Message(row), Record::Message(other)) => *at != key && row.id == other.id,
            _ => false,
        };
        if !is_as_read || self.rows.iter().any(is_same) {
            return Err(format!("conflict {key:?}"));
        }
        let session = match row {
            Record::Workflow(row) => &row.session,
            Record::Message(row) => &row.session,
            _ => NAMES[0],
        };
        if !NAMES[..2].contains(&session) {
            return Err("invalid".to_owned());
        }
        let is_new =
            self.rows.insert(key.clone(), with_version(row, version.unwrap_or_default() + 1)).is_none();
        if is_new && matches!(row, Record::Idempotency(_)) {
            self.answers.push(key);
        }
        Ok(())
    }

    fn remove(&mut self, key: &Key) {
        if let Some(Record::Workflow(removed)) = self.rows.remove(key) {
            self.leases.remove(&removed.id);
        }
        self.answers.retain(|kept| kept != key);
    }

    fn claim(&mut self, now: i64, until: i64, limit: u32) -> Vec<Lease> {
        let free =
            |id: &str| self.leases.get(id).and_then(|(until, _)| *until).is_none_or(|until| until <= now);
        let mut due: Vec<_> = self
            .workflows()
            .filter_map(|row| {
                let wake_at = row.wake_at.filter(|at| *at <= now && free(&row.id))?;
                // Since then it could have been claimed.
                let ended = self.leases.get(&row.id).and_then(|(until, _)| *until);
                Some((ended.map_or(wake_at, |ended| wake_at.max(ended)), row.id.clone()))
            })
            .collect();
        due.sort();
        due.truncate(limit as usize);
        let mut leases: Vec<_> = due
            .into_iter()
            .map(|(_, workflow)| {
                let held = self.leases.entry(workflow.clone()).or_default();
                *held = (Some(until), held.1 + 1);
                Lease { workflow, fence: held.1 }
            })
            .collect();
        leases.sort_by(|a, b| a.workflow.cmp(&b.workflow));
        leases
    }

    fn hold(&mut self, lease: &Lease, until: Option<i64>) -> bool {
        let held = self.leases.get_mut(&lease.workflow);
        let held = held.filter(|(until, fence)| *fence == lease.fence && until.is_some());
        held.map(|held| held.0 = until).is_some()
    }

    fn prune(&mut self, prune: Retention) -> PruneReport {
        let last = self.last.saturating_sub(i64::try_from(prune.keep_events).unwrap());
        let is_open = |event: &Event| {
            self.workflows().any(|row| event.workflow.as_ref() == Some(&row.id) && !row.state.is_terminal())
        };
        let events = self.events.iter().filter(|event| event.seq <= last && !is_open(event));
        let events: Vec<i64> = events.map(|event| event.seq).take(prune.at_most as usize).collect();
        self.events.retain(|event| !events.contains(&event.seq));
        self.pruned = events.iter().copied().fold(self.pruned, i64::max);
        let is_old = |key: &&Key| matches!(&self.rows[*key], Record::Idempotency(row) if row.created < prune.answered_before);
        let oldest = self.answers.iter().take(prune.at_most as usize);
        let answers: Vec<_> = oldest.filter(is_old).cloned().collect();
        for key in &answers {
            self.remove(key);
        }
        PruneReport { events: events.len() as u64, answers: answers.len() as u64 }
    }

    fn workflows(&self) -> impl Iterator<Item = &Workflow> {
        self.rows.values().filter_map(|row| match row {
            Record::Workflow(row) => Some(row),
            _ => None,
        })
    }

    fn messages(&self) -> impl Iterator<Item = &Message> {
        self.rows.values().filter_map(|row| match row {
            Record::Message(row) => Some(row),
            _ => None,
        })
    }

    /// That a view shows the same, whatever is asked.
    fn check(&self, view: &dyn View, op: &Op) {
        assert_eq!(view.log().unwrap(), Log { last: self.last, pruned: self.pruned }, "{op:?}");
        for (first, second) in (0..3).flat_map(|first| (0..3).map(move |second| (first, second))) {
            for table in 0..3 {
                let (key, _) = identity(&row(&Part { table, first, second, value: 0, what: RowAction::Put }));
                assert_eq!(view.get(&key).unwrap().as_ref(), self.rows.get(&key), "{op:?}");
            }
        }
        // Latest first.
        let workflows = |is_sought: &dyn Fn(&Workflow) -> bool| {
            let mut found: Vec<_> = self.workflows().filter(|row| is_sought(row)).cloned().collect();
            found.sort_by(|a, b| (b.updated, &b.id).cmp(&(a.updated, &a.id)));
            found
        };
        assert_eq!(view.find(&Query::workflows()).unwrap(), workflows(&|_| true), "{op:?}");
        let first = workflows(&|_| true).into_iter().next();
        assert_eq!(view.first(Query::workflows()).unwrap(), first, "{op:?}");
        let states = [WorkflowState::Idle, WorkflowState::Failed];
        let mut in_states = workflows(&|row| states.contains(&row.state));
        in_states.sort_by(|a, b| a.id.cmp(&b.id));
        assert_eq!(view.find(&Query::workflows_in(&states)).unwrap(), in_states, "{op:?}");
        let mut counts = Vec::new();
        for name in NAMES {
            let found = view.find(&Query::workflows_of(name)).unwrap();
            assert_eq!(found, workflows(&|row| row.session == name), "{op:?}");
            let mut said: Vec<_> = self.messages().filter(|row| row.session == name).cloned().collect();
            if !said.is_empty() {
                let count = i64::try_from(said.len()).unwrap();
                counts.push((vec![journal::Cell::Text(name.to_owned())], count));
            }
            assert_eq!(view.find(&Query::messages_from(name)).unwrap(), said, "{op:?}");
            said.reverse();
            assert_eq!(view.find(&Query::messages_of(name)).unwrap(), said, "{op:?}");
        }
        assert_eq!(view.count(&journal::Count::MESSAGES).unwrap(), counts, "{op:?}");
        let mut requests: Vec<_> = self
            .rows
            .values()
            .filter_map(|row| match row {
                Record::Idempotency(row) => Some(row.clone()),
                _ => None,
            })
            .collect();
        requests.sort_by(|a, b| a.name.cmp(&b.name));
        assert_eq!(view.find(&Query::requests()).unwrap(), requests, "{op:?}");
        self.check_events(view, op);
    }

    fn check_events(&self, view: &dyn View, op: &Op) {
        for workflow in [None, Some("n1".to_owned())] {
            for kinds in [None, Some(vec![EventType::WorkflowProgress]), Some(vec![EventType::TaskFailed])] {
                for (after, limit, newest) in [(0, u32::MAX, false), (1, 2, true), (3, 3, false)] {
                    let is_sought = |event: &&Event| {
                        event.seq > after
                            && workflow.as_ref().is_none_or(|id| event.workflow.as_ref() == Some(id))
                            && kinds.as_ref().is_none_or(|kinds| kinds.contains(&event.kind))
                    };
                    let mut expected: Vec<_> = self.events.iter().filter(is_sought).cloned().collect();
                    if newest {
                        expected.reverse();
                    }
                    expected.truncate(limit as usize);
                    let (workflow, kinds) = (workflow.clone(), kinds.clone());
                    let filter = EventFilter { kinds, workflow, newest, ..EventFilter::after(after, limit) };
                    assert_eq!(view.events(&filter).unwrap(), expected, "{filter:?} {op:?}");
                }
            }
        }
    }
}

/// The change that is made of these parts; what they rest on is what there is.
fn change_of(model: &Model, parts: &[Part]) -> Change {
    let mut change = Change::default();
    for part in parts {
        let row = row(part);
        let (key, _) = identity(&row);
        let present = model.rows.get(&key).and_then(|found| identity(found).1).unwrap_or_default();
        match part.what {
            RowAction::Put => change.put.push(with_version(&row, present)),
            RowAction::PutStale => change.put.push(with_version(&row, present + 1)),
            RowAction::Remove => change.remove.push(key),
        }
    }
    change
}

fn check(ops: &[Op]) {
    let told = EventRecorder::default();
    let mut model = Model::default();
    let mut place = JournalFolder::in_memory();
    let mut journal: Sqlite = place.open_with(told.listener()).unwrap();
    let sessions = NAMES[..2].iter().map(|name| session(name).into());
    journal.commit(Change { put: sessions.collect(), ..Change::default() }).unwrap();
    let mut leases: Vec<Lease> = Vec::new();
    for (number, op) in ops.iter().enumerate() {
        match op {
            Op::Change { parts, events, under } => {
                let mut change = change_of(&model, parts);
                for part in 0..*events {
                    // Some names come twice.
                    let name =
                        format!("e{}", if number % 7 == 0 { 0 } else { number * 10 + usize::from(part) });
                    change.events.push(event(&name, Some(NAMES[number % 3])));
                }
                change.lease = under.and_then(|under| leases.get(usize::from(under)).cloned());
                let expected = model.commit(change.clone());
                let numbers = |made: Committed| made.events.iter().map(|event| event.seq).collect();
                let result = journal.commit(change).map(numbers).map_err(|error| why(&error));
                assert_eq!(result, expected, "{op:?}");
            }
            Op::Claim { now, limit } => {
                let expected = model.claim(*now, now + 2, *limit);
                assert_eq!(journal.claim("me", *now, now + 2, *limit).unwrap(), expected, "{op:?}");
                leases.extend(expected);
            }
            Op::Hold { lease, until } => {
                let Some(lease) = leases.get(usize::from(*lease)) else { continue };
                let held = match until {
                    Some(until) => journal.renew(slice::from_ref(lease), *until).unwrap().is_empty(),
                    None => journal.release(lease).unwrap(),
                };
                assert_eq!(held, model.hold(lease, *until), "{op:?}");
            }
            Op::ReleaseAll => {
                journal.release_all().unwrap();
                model.leases.values_mut().for_each(|held| held.0 = None);
            }
            Op::Prune { keep, before, at_most } => {
                let prune = Retention { keep_events: *keep, answered_before: *before, at_most: *at_most };
                assert_eq!(journal.prune(prune).unwrap(), model.prune(prune), "{op:?}");
            }
            Op::Restart => {
                drop(journal);
                journal = place.open_with(told.listener()).unwrap();
            }
            Op::Kill => {
                let killed = place.killed();
                journal = killed.open_with(told.listener()).unwrap();
                place = killed;
            }
        }
        model.check(&*journal.view().unwrap(), op);
    }
    assert_eq!(told.numbers(), (1..=model.last).collect::<Vec<_>>());
}

#[test]
fn any_sequence_ends_as_the_model_says() {
    let failures = FileFailurePersistence::Direct("tests/it/sequences.regressions");
    let config = ProptestConfig {
        cases: SEQUENCES * effort::factor(),
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
