//! Each rule of contract/plans §10.

use super::*;
use crate::dag::tests::{cases, hash, id, node, time};
use proptest::prelude::*;
use protocol::agent::{
    Code, Delivery, DeliveryStatus, Envelope, Format, FormatError, Id, ReplayRequest, Sha256, TaskDag, Text,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// A router without a disk: what a router keeps, and what it does with a decision.
struct Router {
    active: ActiveDag,
    agents: BTreeSet<Id>,
    log: DeliveryLog,
    lines: Vec<Delivery>,
    archived: Vec<Envelope>,
    held: BTreeSet<Id>,
    inboxes: BTreeMap<Id, InboxNames>,
}

#[derive(Clone)]
struct File {
    owner: Id,
    name: String,
    sha256: Sha256,
    envelope: Result<Envelope, UnreadableMessage>,
    sent_before: bool,
    replay: bool,
    payload: PayloadFile,
}

impl File {
    fn with<T>(&self, then: impl FnOnce(OutgoingMessage<'_>) -> T) -> T {
        let plan = id("p");
        then(OutgoingMessage {
            owner: &self.owner,
            plan_id: &plan,
            name: &self.name,
            sha256: &self.sha256,
            envelope: self.envelope.as_ref(),
            sent_before: self.sent_before,
            replay: self.replay,
            payload: &|_| self.payload.clone(),
        })
    }
}

fn dag(nodes: &[Value]) -> TaskDag {
    let rules = json!([
        { "match": { "output_name": "ruled", "tag": "beta" }, "deliver_to": ["agent_c"] },
        { "match": { "content_type": "text/plain" }, "deliver_to": ["agent_b"] },
    ]);
    let dag = json!({ "schema_version": "1.1", "plan_id": "p", "nodes": nodes, "routing_rules": rules });
    TaskDag::from_value(&dag).unwrap()
}

impl Router {
    fn new() -> Self {
        let output =
            |name: &str, to: &[&str]| json!({ "name": name, "deliver_to": to, "idempotency_key": "k" });
        let outputs = json!([
            output("o", &["agent_b", "agent_c"]),
            output("lost", &[]),
            output("ruled", &[]),
            output("gone", &["agent_b", "agent_gone"])
        ]);
        let nodes = [
            node(
                "a",
                &[],
                json!({ "outputs": outputs, "failure_policy": { "reexecute_target_agent_id": "agent_b" } }),
            ),
            node("z", &[], json!({ "assigned_agent_id": "agent_gone" })),
        ];
        Self {
            active: ActiveDag { dag: dag(&nodes), sha256: hash(7), revision: None, kind: None },
            agents: ["agent_a", "agent_b", "agent_c"].map(id).into(),
            log: DeliveryLog::default(),
            lines: Vec::new(),
            archived: Vec::new(),
            held: BTreeSet::new(),
            inboxes: BTreeMap::new(),
        }
    }

    fn candidates(&self, files: &[File]) -> Candidates {
        let mut newest: Option<Candidates> = None;
        // The plan's id must live as long as what lies in its folder.
        let plan = id("p");
        let payload = |_: &protocol::agent::PayloadPath| PayloadFile::Missing;
        let scan = files.iter().map(|file| OutgoingMessage {
            owner: &file.owner,
            plan_id: &plan,
            name: &file.name,
            sha256: &file.sha256,
            envelope: file.envelope.as_ref(),
            sent_before: false,
            replay: false,
            payload: &payload,
        });
        newest.get_or_insert(candidates(&self.archived, scan, &self.active, &self.agents, &self.log)).clone()
    }

    fn decide(&self, file: &File, candidates: &Candidates) -> Decision {
        let known = RoutingState {
            active: &self.active,
            agents: &self.agents,
            log: &self.log,
            candidates,
            held: &self.held,
            inboxes: &self.inboxes,
        };
        file.with(|out| decide(&out, &known))
    }

    /// Applies a decision, at most `steps` steps of it: it may be cut off anywhere.
    fn act(&mut self, file: &File, decision: &Decision, mut steps: usize) {
        let mut count = self.lines.len();
        let mut ids = |kind: &str| {
            count += 1;
            id(&format!("{kind}_{count}"))
        };
        let lines = file.with(|out| lines(&out, decision, &self.active, &time(0), &mut ids));
        if let Decision::Deliver(Route { archive: Some(_), .. }) | Decision::Superseded(_) = decision {
            self.archived.push(file.envelope.clone().unwrap());
        }
        for line in lines {
            if steps == 0 {
                return;
            }
            steps -= 1;
            // It is valid, whatever is said in it.
            let line = Delivery::from_value(&serde_json::to_value(&line).unwrap()).unwrap();
            self.log.record(&line);
            if line.status == DeliveryStatus::Delivered {
                let Decision::Deliver(route) = decision else { unreachable!() };
                let agent = line.to_agent_id.agent().unwrap();
                let target = route.targets.iter().find(|(to, _)| *to == agent).unwrap();
                let TargetRoute::Deliver { name, .. } = &target.1 else { unreachable!() };
                self.inboxes.entry(agent).or_default().claim(name, file.envelope.as_ref().unwrap());
            }
            self.lines.push(line);
        }
    }

    fn route(&mut self, file: &File) -> Decision {
        let decision = self.decide(file, &self.candidates(std::slice::from_ref(file)));
        self.act(file, &decision, usize::MAX);
        decision
    }

    fn code(&mut self, file: &File) -> Code {
        match self.route(file) {
            Decision::DeadLetter(dead) => dead.code,
            other => panic!("{other:?}"),
        }
    }
}

fn file(owner: &str, name: &str, sha: u8, value: Value) -> File {
    let bytes = serde_json::to_vec(&value).unwrap();
    let message_id = value["message_id"].as_str().map(str::to_owned);
    File {
        owner: id(owner),
        name: name.to_owned(),
        sha256: hash(sha),
        envelope: Envelope::parse(&bytes).map_err(|error| UnreadableMessage::new(&error, message_id)),
        sent_before: false,
        replay: false,
        payload: PayloadFile::Present(hash(1)),
    }
}

fn artifact_of(message: &str, output: &str, path: &str, content: u8) -> Value {
    json!({
        "schema_version": "1.0", "message_id": message, "plan_id": "p", "task_id": "a", "output_name": output,
        "producer_agent_id": "agent_a", "type": "artifact", "created_at": "2026-01-12T09:00:00Z",
        "payload": { "files": [{ "path": path, "sha256": hash(content) }] },
    })
}

fn command_of(message: &str, task: &str, seq: u64) -> Value {
    let command_id = format!("cmd_{task}_{seq:03}");
    json!({
        "schema_version": "1.0", "message_id": message, "plan_id": "p", "task_id": task, "command_id": command_id,
        "producer_agent_id": "agent_a", "type": "command", "created_at": "2026-01-12T09:00:00Z",
        "payload": { "command": {
            "schema_version": "1.0", "command_id": command_id, "plan_id": "p", "task_id": task, "command_seq": seq,
            "dag_ref": { "sha256": hash(7) }, "prompt": "Do it.", "required_inputs": [], "wait_for_inputs": true,
            "score_required": false, "timeout": 60,
        } },
    })
}

fn artifact(message: &str, sha: u8) -> File {
    file("agent_a", &format!("{message}.msg.json"), sha, artifact_of(message, "o", "o.md", 1))
}

fn command(message: &str, seq: u64) -> File {
    file("agent_a", &format!("cmd_{message}.msg.json"), seq as u8, command_of(message, "a", seq))
}

#[test]
fn each_code_of_a_message_that_cannot_be_delivered_s10_2() {
    let changed = |mut value: Value, place: &str, to: Value| {
        *value.pointer_mut(place).unwrap() = to;
        file("agent_a", "x.msg.json", 1, value)
    };
    let of = || command_of("m", "a", 1);
    let inside = "/payload/command";
    for (file, code) in [
        (changed(of(), "/schema_version", json!("2.0")), Code::SchemaVersionUnsupported),
        (changed(of(), &format!("{inside}/schema_version"), json!("2.0")), Code::SchemaVersionUnsupported),
        (changed(of(), "/created_at", json!(1)), Code::SchemaInvalid),
        (changed(of(), "/type", json!("rumour")), Code::UnsupportedMessageType),
        (changed(of(), "/task_id", json!("z")), Code::CommandEnvelopeMismatch),
        (changed(of(), &format!("{inside}/command_seq"), Value::Null), Code::CommandSeqMissing),
        (changed(of(), &format!("{inside}/command_seq"), json!(2)), Code::CommandSeqMismatch),
        (changed(of(), &format!("{inside}/dag_ref/sha256"), json!(hash(8))), Code::CommandDagMismatch),
        (file("agent_a", "x.msg.json", 1, command_of("m", "b", 1)), Code::DagTaskNotFound),
        (file("agent_a", "x.msg.json", 1, command_of("m", "z", 1)), Code::TargetAgentNotFound),
        (changed(artifact_of("m", "o", "o.md", 1), "/task_id", json!("b")), Code::DagTaskNotFound),
        (changed(artifact_of("m", "o", "o.md", 1), "/output_name", json!("b")), Code::DagOutputNotFound),
        (changed(artifact_of("m", "o", "o.md", 1), "/plan_id", json!("q")), Code::EnvelopeInvalid),
        (changed(artifact_of("m", "o", "o.md", 1), "/payload/files/0/path", json!("../o")), Code::UnsafePath),
        (file("agent_a", "x.msg.json", 1, artifact_of("m", "lost", "o.md", 1)), Code::RoutingNoTarget),
        (file("agent_a", "x.msg.json", 1, artifact_of("m", "gone", "o.md", 1)), Code::TargetAgentNotFound),
        (File { payload: PayloadFile::Missing, ..artifact("m", 1) }, Code::MissingPayload),
        (File { payload: PayloadFile::Unsafe, ..artifact("m", 1) }, Code::UnsafePath),
        (File { payload: PayloadFile::Present(hash(3)), ..artifact("m", 1) }, Code::PayloadShaMismatch),
    ] {
        let mut router = Router::new();
        assert_eq!(router.code(&file), code);
        assert_eq!(router.lines.len(), 1, "nobody got it");
        assert_eq!(router.lines[0].to_agent_id, "*");
        let dead = DeadLetterReason { code, detail: " ".to_owned(), file: None };
        let letter = file.with(|out| dead_letter(&out, &dead, &time(0), id("dlq_1")));
        protocol::agent::DeadLetter::from_value(&serde_json::to_value(letter).unwrap()).unwrap();
        assert_eq!(router.route(&file), Decision::GivenUp, "it is said once");
        router.active.sha256 = hash(9);
        assert!(matches!(router.route(&file), Decision::DeadLetter(_)), "another DAG is another chance");
    }
}

#[test]
fn a_file_that_is_no_json_is_named_after_its_file_s10_2() {
    let unreadable = UnreadableMessage::new(&Envelope::parse(b"{").unwrap_err(), None);
    let broken = File { name: "broken.msg.json".into(), envelope: Err(unreadable), ..artifact("m", 1) };
    let mut router = Router::new();
    assert_eq!(router.code(&broken), Code::EnvelopeParseError);
    assert_eq!(router.lines[0].message_id, "broken.msg");
}

#[test]
fn a_duplicate_is_said_once_and_delivered_to_nobody_s10_2() {
    let mut router = Router::new();
    let message = artifact("m", 1);
    assert!(matches!(router.route(&message), Decision::Deliver(_)));
    assert_eq!(router.route(&message), Decision::Settled, "cut off before it was put away");
    let again = File { sent_before: true, ..message };
    assert_eq!(router.route(&again), Decision::Duplicate { of: id("m"), by_content: false });
    assert_eq!(router.lines.last().unwrap().skip_reason.as_deref(), Some("DUPLICATE_MESSAGE_ID_AND_SHA256"));
    assert_eq!(router.route(&again), Decision::Settled);
    assert_eq!(router.lines.len(), 3);
}

#[test]
fn an_id_is_not_used_for_something_else_s10_2() {
    let mut router = Router::new();
    router.route(&artifact("m", 1));
    assert_eq!(router.code(&artifact("m", 2)), Code::MessageIdReusedWithDifferentPayload);
}

#[test]
fn the_same_output_in_another_message_is_a_duplicate_s11_5() {
    let mut router = Router::new();
    router.route(&artifact("m", 1));
    assert_eq!(router.route(&artifact("n", 2)), Decision::Duplicate { of: id("m"), by_content: true });
}

#[test]
fn an_older_command_is_superseded_by_a_valid_newer_one_only_c16() {
    let mut router = Router::new();
    let (old, new) = (command("m1", 1), command("m2", 2));
    let newest = router.candidates(&[old.clone(), new.clone()]);
    let decision = router.decide(&old, &newest);
    router.act(&old, &decision, 9);
    let line = router.lines.last().unwrap();
    assert_eq!(line.status, DeliveryStatus::SkippedSuperseded);
    assert_eq!(line.superseded, Some(true));
    assert_eq!(line.superseded_by_message_id.as_deref(), Some("m2"));
    assert_eq!(line.superseded_by_command_id.as_deref(), Some("cmd_a_002"));
    assert_eq!(line.superseded_by_command_seq, Some(2));
    // One for another DAG, or without an agent, or that contradicts itself, supersedes nothing.
    let mut other = command_of("m3", "a", 3);
    other["payload"]["command"]["dag_ref"]["sha256"] = json!(hash(8));
    let mut wrong = command_of("m4", "a", 4);
    wrong["payload"]["command"]["command_seq"] = json!(5);
    let invalid = [other, wrong].map(|value| file("agent_a", "x.msg.json", 3, value));
    assert_eq!(Router::new().candidates(&invalid), Candidates::new());
}

#[test]
fn a_command_goes_to_its_task_and_one_that_is_done_again_to_who_does_it_again_s11_3() {
    let mut router = Router::new();
    router.route(&command("m1", 1));
    let mut again = command_of("m2", "a", 2);
    again["payload"]["command"]["reexecute_count"] = json!(1);
    router.route(&file("agent_a", "m2.msg.json", 2, again));
    let to: Vec<&str> = router.lines.iter().map(|line| line.to_agent_id.as_str()).collect();
    assert_eq!(to, ["agent_a", "agent_b"]);
}

#[test]
fn the_first_rule_that_fits_counts_unless_the_task_names_somebody_s10_2() {
    let router = Router::new();
    let node = router.active.dag.node("a").unwrap();
    let files = |kind: &str| {
        let file = json!({ "path": "x", "sha256": hash(1), "content_type": kind });
        vec![protocol::agent::FileRef::from_value(&file).unwrap()]
    };
    let targets = |output: &str, kind: &str, tag| {
        let output = node.output(output).unwrap();
        crate::dag::targets(&router.active.dag, output, &files(kind), tag)
            .into_iter()
            .map(|id| id.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(targets("ruled", "text/plain", Some("beta")), ["agent_c"]);
    assert_eq!(targets("ruled", "text/plain", None), ["agent_b"]);
    assert_eq!(targets("ruled", "text/html", None), [""; 0]);
    assert_eq!(targets("o", "text/plain", None), ["agent_b", "agent_c"]);
}

#[test]
fn names_of_two_producers_never_collide_b3() {
    let mut router = Router::new();
    router.route(&artifact("m", 1));
    for path in ["o.md", "o.md/inside"] {
        let second = file("agent_b", "m.msg.json", 2, artifact_of("n", "o", path, 2));
        let second = File { payload: PayloadFile::Present(hash(2)), ..second };
        let Decision::Deliver(route) = router.decide(&second, &Candidates::new()) else { panic!() };
        assert!(
            !route.settles() && route.targets.iter().all(|(_, to)| matches!(to, TargetRoute::Wait { .. }))
        );
    }
    let other = file("agent_b", "m.msg.json", 3, artifact_of("n", "o", "p.md", 1));
    let Decision::Deliver(route) = router.decide(&other, &Candidates::new()) else { panic!() };
    assert_eq!(route.targets[0].1, TargetRoute::Deliver { name: "m__n.msg.json".into(), replaces: None });
    assert_eq!(route.warnings, [Warning::OtherProducer(id("agent_a"))]);
}

#[test]
fn what_is_not_approved_is_held_s11_4() {
    let mut router = Router::new();
    router.held.insert(id("a"));
    assert_eq!(router.route(&command("m", 1)), Decision::Held);
    router.held.clear();
    assert!(matches!(router.route(&command("m", 1)), Decision::Deliver(_)));
}

#[test]
fn which_dag_is_active_s10_4() {
    let dag = || Router::new().active.dag;
    let bad = || Err(FormatError::Invalid(Vec::new()));
    let reference = |sha: u8, plan: &str| {
        protocol::agent::ActiveDagRef::from_value(
            &json!({ "schema_version": "1.0", "plan_id": plan, "dag_kind": "meta",
            "task_dag_sha256": hash(sha), "updated_at": "2026-01-12T09:00:00Z" }),
        )
        .unwrap()
    };
    let newer = TaskDag::from_value(&json!({ "schema_version": "2.0" })).unwrap_err();
    let active = |dag, reference| active_dag(&id("p"), dag, reference).map(|active| active.kind.is_some());
    assert_eq!(active(None, None), Err(Code::DagMissing));
    assert_eq!(active(Some((bad(), hash(7))), None), Err(Code::DagInvalid));
    let newer = Some((Err(FormatError::Invalid(newer)), hash(7)));
    let mut free = serde_json::to_value(dag()).unwrap();
    free["nodes"][0].as_object_mut().unwrap().remove("assigned_agent_id");
    let free = FormatError::Invalid(TaskDag::from_value(&free).unwrap_err());
    assert_eq!(active(Some((Err(free), hash(7))), None), Err(Code::DagTaskNoAssignee));
    assert_eq!(active(newer, None), Err(Code::DagSchemaVersionUnsupported));
    assert_eq!(active(Some((Ok(dag()), hash(7))), None), Ok(false), "worth a warning");
    let other = Err(FormatError::Invalid(Vec::new()));
    assert_eq!(active(Some((Ok(dag()), hash(7))), Some(other)), Err(Code::ActiveDagRefInvalid));
    assert_eq!(
        active(Some((Ok(dag()), hash(7))), Some(Ok(reference(7, "q")))),
        Err(Code::ActiveDagRefInvalid)
    );
    assert_eq!(
        active(Some((Ok(dag()), hash(7))), Some(Ok(reference(8, "p")))),
        Err(Code::ActiveDagRefMismatch)
    );
    assert_eq!(active(Some((Ok(dag()), hash(7))), Some(Ok(reference(7, "p")))), Ok(true));
}

#[test]
fn a_delivery_is_tried_again_after_30_60_and_120_seconds_s6_6() {
    for (failures, seconds) in [(1, 30), (2, 60), (3, 120)] {
        assert_eq!(retry(failures, Some(&time(0)), &time(seconds - 1)), Retry::At(time(seconds)));
        assert_eq!(retry(failures, Some(&time(0)), &time(seconds)), Retry::Now);
    }
    assert_eq!(retry(0, None, &time(0)), Retry::Now);
    assert_eq!(retry(4, Some(&time(0)), &time(9999)), Retry::GiveUp);
}

#[test]
fn a_message_is_replayed_three_times_by_itself_and_whenever_a_person_asks_s10_4() {
    let message_id: Text = "m".parse().unwrap();
    let request = ReplayRequest {
        deadletter_id: None,
        message_id,
        reason: None,
        operator: None,
        time: time(5),
        extra: Default::default(),
    };
    assert_eq!(replay(&[], &time(0), 0, false), Replay::NotAsked);
    assert_eq!(replay(&[], &time(0), 2, true), Replay::Again);
    assert_eq!(replay(&[], &time(0), 3, true), Replay::TooOften);
    assert_eq!(replay(&[&request], &time(5), 3, false), Replay::Again);
    assert_eq!(replay(&[&request], &time(6), 0, false), Replay::NotAsked);
}

proptest! {
    #![proptest_config(cases(500))]

    /// Whatever comes in which order and how often, wherever a router is cut off, and whenever a receiver takes what it
    /// has: each message reaches each of its targets once, and nothing that is not taken shares a path.
    #[test]
    fn each_message_reaches_each_target_once(
        order in proptest::collection::vec((0_usize..6, 0_usize..3, any::<bool>()), 0..30),
    ) {
        let messages: Vec<File> = (0..6_u8).map(|at| {
            // Two by two they want the same name; all have other contents.
            let content = at + 20;
            let value = artifact_of(&format!("m{at}"), "o", &format!("o{}.md", at / 2), content);
            File { payload: PayloadFile::Present(hash(content)), ..file("agent_a", "same.msg.json", at + 1, value) }
        }).collect();
        let mut router = Router::new();
        let everything = (0..6).cycle().take(36).map(|which| (which, 9, true));
        for (which, steps, takes) in order.into_iter().chain(everything) {
            let decision = router.decide(&messages[which], &Candidates::new());
            if let Decision::Deliver(route) = &decision {
                for (agent, target) in &route.targets {
                    if let TargetRoute::Deliver { name, .. } = target {
                        let inbox = router.inboxes.get(agent).cloned().unwrap_or_default();
                        let path = format!("o{}.md", which / 2);
                        let message = id(&format!("m{}", which));
                        prop_assert!(inbox.path_taken(&path, &message).is_none());
                        prop_assert!(!inbox.name_taken(name, &message));
                    }
                }
            }
            router.act(&messages[which], &decision, steps);
            if takes {
                router.inboxes.clear();
            }
        }
        let mut delivered: Vec<(String, String)> =
            router.lines.iter().map(|line| (line.message_id.to_string(), line.to_agent_id.to_string())).collect();
        delivered.sort();
        let expected: Vec<(String, String)> = (0..6)
            .flat_map(|at| ["agent_b", "agent_c"].map(|agent| (format!("m{at}"), agent.to_owned())))
            .collect();
        prop_assert_eq!(delivered, expected);
        for message in &messages {
            prop_assert_eq!(router.decide(message, &Candidates::new()), Decision::Settled);
        }
    }

    /// However commands come, a task is never given an older one after a newer one, and the newest arrives.
    #[test]
    fn commands_of_a_task_only_become_newer(order in proptest::collection::vec(1_u64..6, 1..20)) {
        let mut router = Router::new();
        let mut delivered = Vec::new();
        for (at, seq) in order.iter().enumerate() {
            let window: Vec<File> = order[at..].iter().take(2).map(|seq| command(&format!("m{seq}"), *seq)).collect();
            let newest = router.candidates(&window);
            let file = command(&format!("m{seq}"), *seq);
            let decision = router.decide(&file, &newest);
            if matches!(decision, Decision::Deliver(_)) {
                delivered.push(*seq);
            }
            router.act(&file, &decision, 9);
        }
        prop_assert!(delivered.is_sorted_by(|a, b| a < b), "{:?}", delivered);
        prop_assert_eq!(delivered.last(), order.iter().max());
    }
}
