//! What is read again from the log decides as if it had been kept.

use super::{Ledger, each_line};
use crate::dag::tests::{dag, hash, id, node, time};
use crate::plan::log::{ALL, DELIVERIES, last_lines};
use crate::routing::{
    ActiveDag, Candidates, Decision, OutgoingMessage, PayloadFile, RoutingState, decide, lines,
};
use files::{Dir, FileError, Lock};
use proptest::prelude::*;
use protocol::agent::{Envelope, Format, Sha256};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// How an output that comes again can be taken.
const MODES: [&str; 5] =
    ["immutable_by_message_id", "keep_latest", "overwrite_by_name", "reject_on_change", "semver_tagged"];

#[derive(Debug, Clone)]
struct SentMessage {
    message: usize,
    task: usize,
    content: u8,
    tag: Option<&'static str>,
}

#[derive(Debug, Clone)]
enum Act {
    /// One of a few messages, and whether one of this name and content was put away before.
    Send(prop::sample::Index, bool),
    /// The tasks take what comes again in other ways.
    Replan(usize),
    Forget,
    Restart,
}

fn messages() -> impl Strategy<Value = Vec<SentMessage>> {
    let tag = prop::option::of(prop::sample::select(vec!["1.0.0", "v1.0.0", "1.1.0", "none"]));
    let sent = (0..5_usize, 0..2_usize, 0..2_u8, tag).prop_map(|(message, task, content, tag)| SentMessage {
        message,
        task,
        content,
        tag,
    });
    prop::collection::vec(sent, 1..8)
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        12 => (any::<prop::sample::Index>(), any::<bool>()).prop_map(|(one, again)| Act::Send(one, again)),
        2 => (0..MODES.len()).prop_map(Act::Replan),
        1 => Just(Act::Forget),
        1 => Just(Act::Restart),
    ];
    prop::collection::vec(act, 1..40)
}

/// A plan whose tasks take what comes again each in another way, the first in this one.
fn active(first: usize) -> ActiveDag {
    let nodes = (0..MODES.len()).map(|task| {
        let outputs = json!([{
            "name": "o", "deliver_to": ["agent_b", "agent_c"], "idempotency_key": "k",
            "versioning": { "mode": MODES[(first + task) % MODES.len()] },
        }]);
        node(&format!("t{task}"), &[], json!({ "outputs": outputs }))
    });
    ActiveDag { dag: dag(&nodes.collect::<Vec<_>>()), sha256: hash(7), revision: None, kind: None }
}

impl SentMessage {
    fn envelope(&self) -> Envelope {
        let mut envelope = json!({
            "schema_version": "1.0", "message_id": format!("m{}", self.message), "plan_id": "p",
            "task_id": format!("t{}", self.task), "output_name": "o", "producer_agent_id": "agent_a", "type": "artifact",
            "created_at": time(0),
            "payload": { "files": [{ "path": "f.md", "sha256": hash(self.content) }] },
        });
        if let Some(tag) = self.tag {
            envelope["tag"] = tag.into();
        }
        Envelope::from_value(&envelope).unwrap()
    }
}

fn decided(
    ledger: &Ledger,
    active: &ActiveDag,
    (sent, sent_before): (&SentMessage, bool),
    then: impl FnOnce(&OutgoingMessage<'_>, &Decision),
) {
    let (envelope, plan, owner) = (sent.envelope(), id("p"), id("agent_a"));
    // The same message may come with another content.
    let sha256: Sha256 = crate::hash::sha256(serde_json::to_string(&envelope).unwrap().as_bytes());
    let agents: BTreeSet<_> = ["agent_a", "agent_b", "agent_c"].map(id).into();
    let name = format!("{}.msg.json", envelope.message_id);
    let out = OutgoingMessage {
        owner: &owner,
        plan_id: &plan,
        name: &name,
        sha256: &sha256,
        envelope: Ok(&envelope),
        sent_before,
        replay: false,
        payload: &|_| PayloadFile::Present(hash(sent.content)),
    };
    let (candidates, held, inboxes) = (Candidates::new(), BTreeSet::new(), BTreeMap::new());
    let log = ledger.log();
    let known = RoutingState {
        active,
        agents: &agents,
        log,
        candidates: &candidates,
        held: &held,
        inboxes: &inboxes,
    };
    then(&out, &decide(&out, &known));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn what_was_forgotten_decides_as_what_was_kept(
        messages in messages(), acts in acts(), first in 0..MODES.len(), most in 1..6_usize,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let dir = Dir::open(folder.path()).unwrap();
        let lock = Lock::take(&dir).unwrap();
        let mut active_dag = active(first);
        let mut all = Ledger::load_keeping(&dir, usize::MAX).unwrap();
        let mut some = Ledger::load_keeping(&dir, most).unwrap();
        let mut count = 0;
        for act in acts {
            match act {
                Act::Forget => some.forget(),
                Act::Restart => some = Ledger::load_keeping(&dir, most).unwrap(),
                Act::Replan(first) => active_dag = active(first),
                Act::Send(one, again) => {
                    let sent = one.get(&messages);
                    some.recall(&sent.envelope()).unwrap();
                    let mut written = Vec::new();
                    decided(&all, &active_dag, (sent, again), |out, wanted| {
                        decided(&some, &active_dag, (sent, again), |_, found| assert_eq!(found, wanted, "{sent:?}"));
                        let now = time(count);
                        let mut ids = |kind: &str| {
                            count += 1;
                            id(&format!("{kind}_{count}"))
                        };
                        written = lines(out, wanted, &active_dag, &now, &mut ids);
                    });
                    for line in written {
                        some.append(&lock, &line).unwrap();
                        all.length = some.length;
                        all.record(&line);
                    }
                }
            }
        }
        let all = Ledger::load_keeping(&dir, usize::MAX).unwrap();
        let some = Ledger::load_keeping(&dir, most).unwrap();
        prop_assert_eq!(some.length, fs::metadata(folder.path().join(DELIVERIES)).map_or(0, |it| it.len()));
        prop_assert_eq!(&some.outputs, &all.outputs);
        prop_assert!(some.recent.len() < most.max(3), "{} of {}", some.recent.len(), most);
    }
}

#[test]
fn of_several_messages_with_one_content_the_last_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let dir = Dir::open(folder.path()).unwrap();
    let lock = Lock::take(&dir).unwrap();
    let send = |message, content| SentMessage { message, task: 0, content, tag: None };
    // The first task keeps the latest: what comes back is news.
    let latest = active(1);
    for most in [1, 16, usize::MAX] {
        let mut ledger = Ledger::load_keeping(&dir, most).unwrap();
        for (message, content) in [(0, 0), (1, 1), (2, 0), (3, 1)] {
            let sent = send(message, content);
            ledger.recall(&sent.envelope()).unwrap();
            let mut written = Vec::new();
            decided(&ledger, &latest, (&sent, false), |out, decision| {
                written = lines(out, decision, &latest, &time(0), &mut |kind| id(kind));
            });
            for line in written {
                ledger.append(&lock, &line).unwrap();
            }
            ledger.forget();
        }
        let again = send(4, 0);
        ledger.recall(&again.envelope()).unwrap();
        decided(&ledger, &active(0), (&again, false), |_, decision| {
            assert_eq!(*decision, Decision::Duplicate { of: id("m2"), by_content: true }, "{most}");
        });
    }
}

#[test]
fn a_line_is_read_wherever_a_piece_of_the_file_ends() {
    let folder = tempfile::tempdir().unwrap();
    let dir = Dir::open(folder.path()).unwrap();
    let line = |number: usize| {
        let files = json!([{ "path": "x".repeat(number % 700 + 1), "sha256": hash(1) }]);
        json!({
            "schema_version": "1.0", "delivery_id": format!("del_{number}"), "plan_id": "p",
            "message_id": format!("m{number}"), "from_agent_id": "agent_a", "to_agent_id": "agent_b",
            "delivered_at": time(0), "status": "DELIVERED", "payload": { "files": files },
        })
    };
    let text: String = (0..1_000).map(|number| format!("{}\n", line(number))).collect();
    // Half a line, as a killed writer leaves it, and an empty one.
    fs::write(folder.path().join(DELIVERIES), format!("{{\"half\": \n\n{text}{}", line(1_000))).unwrap();
    let mut ends = Vec::new();
    each_line(
        &dir,
        ALL,
        |_| true,
        |line, end| {
            assert_eq!(*line.message_id, *format!("m{}", ends.len()));
            ends.push(end);
            Ok::<_, FileError>(())
        },
    )
    .unwrap();
    assert_eq!(ends.len(), 1_001);
    for most in [0, 1, 3, 2_000] {
        let (last, total) = last_lines(&dir, most).unwrap();
        let wanted = (0..=1_000).map(|number| format!("m{number}")).skip(1_001_usize.saturating_sub(most));
        assert!(last.iter().map(|line| line.message_id.to_string()).eq(wanted), "{most}");
        assert_eq!(total, 1_001);
    }
    // From the end of a line on, the next ones are read.
    let mut rest = Vec::new();
    let wanted = |line: &[u8]| memchr::memmem::find(line, b"\"m998\"").is_some();
    each_line(&dir, ends[899]..ends[998], wanted, |line, end| {
        rest.push((line.message_id.to_string(), end));
        Ok::<_, FileError>(())
    })
    .unwrap();
    assert_eq!(rest, [("m998".to_owned(), ends[998])]);
}
