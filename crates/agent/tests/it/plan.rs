//! The rules of contract/plans §10 to §14, with real folders and agents that are moved by hand.

use crate::ground::{Ground, PLAN, dag, draft, happened, node, reads};
use agent::plan::{Folders, PlanError, PlanEvent, RetryOrder, RetryOutcome, System, SystemPart};
use agent::sha256;
use protocol::agent::Code;
use serde_json::{Value, json};
use std::fs::{self, File};
use std::time::{Duration, SystemTime};

fn two_tasks() -> Ground {
    let ground = Ground::new(&["agent_a", "agent_b"]);
    ground.activate(
        &dag(&[node("a", &[], &["agent_b"], json!({})), reads("b", "a", &["agent_a"])]),
        &[draft("a", json!({})), draft("b", json!({}))],
        None,
    );
    ground
}

#[test]
fn s10_4_a_command_is_issued_complete_once_its_task_can_begin() {
    let ground = two_tasks();
    let first = ground.tick();
    assert!(matches!(&first[0], PlanEvent::Issued { task_id, .. } if task_id.as_str() == "a"), "{first:?}");
    assert_eq!(ground.inbox("agent_a"), ["cmd_a_001.msg.json"]);
    assert_eq!(ground.inbox("agent_b"), Vec::<String>::new());
    let command = &ground.command("a", 1)["payload"]["command"];
    let sha256 = sha256(&fs::read(ground.path(&format!("rt/plans/{PLAN}/task_dag.json"))).unwrap());
    assert_eq!(command["dag_ref"], json!({ "sha256": sha256, "revision": 1 }));
    assert_eq!((&command["command_seq"], &command["prompt"]), (&json!(1), &json!("Do it.")));
    assert_eq!(ground.system("commands").len(), 1);
    assert_eq!(ground.statuses(), ["DELIVERED"]);
    assert_eq!(ground.list(&format!("agents/agent_issuer/outbox/{PLAN}/.sent")), ["cmd_a_001.msg.json"]);
    assert_eq!(ground.states()["a"], "READY");
}

#[test]
fn x_a_a_plan_of_two_tasks_comes_to_its_end() {
    let ground = two_tasks();
    ground.tick();
    ground.does("a", 1, &[("a.md", "text")]);
    ground.tick();
    assert_eq!(ground.inbox("agent_b"), ["a.md", "artifact_msg_a_1.msg.json", "cmd_b_001.msg.json"]);
    let inputs = &ground.command("b", 1)["payload"]["command"]["resolved_inputs"];
    assert_eq!(inputs[0]["paths"], json!(["a.md"]));
    assert_eq!(inputs[0]["message_id"], json!("msg_a_1"));
    ground.does("b", 1, &[("b.md", "more")]);
    let tick = ground.try_tick().unwrap();
    let standing = tick.standing.values().next().unwrap();
    assert!(standing.is_over() && standing.has_succeeded());
    assert_eq!(ground.states().values().collect::<Vec<_>>(), ["COMPLETED", "COMPLETED"]);
    assert_eq!(ground.alerts(), Vec::<String>::new());
    // The acknowledgement of a command is archived, and leaves the scan.
    assert_eq!(ground.system("acks").len(), 2);
    assert!(!ground.outbox("agent_a").iter().any(|name| name.starts_with("ack_")));
}

/// A program that runs agents as well has only just started them: that they were not seen before is no alert.
#[test]
fn s12_agents_that_are_just_being_started_are_not_missed() {
    let ground = two_tasks();
    ground.tick();
    let seen = json!({ "schema_version": "1.0", "agent_id": "agent_a", "last_heartbeat": ground.now(),
        "health": "HEALTHY", "status": "IDLE" });
    ground.write("agents/agent_a/status_heartbeat.json", seen);
    ground.after(300);
    let mut system = System::open(ground.folders(), &ground.clock, "test").unwrap().with_agents();
    system.tick(SystemPart::All, None).unwrap();
    ground.after(60);
    system.tick(SystemPart::All, None).unwrap();
    assert_eq!(ground.alerts(), Vec::<String>::new());
    // Where it does not come, the command says so.
    ground.after(10);
    system.tick(SystemPart::All, None).unwrap();
    assert_eq!(ground.alerts(), ["HEARTBEAT_TIMEOUT"]);
    drop(system);
    // A program that runs no agents reports it at once.
    let ground = two_tasks();
    ground.tick();
    let seen = json!({ "schema_version": "1.0", "agent_id": "agent_a", "last_heartbeat": ground.now(),
        "health": "HEALTHY", "status": "IDLE" });
    ground.write("agents/agent_a/status_heartbeat.json", seen);
    ground.after(61);
    ground.tick();
    assert_eq!(ground.alerts(), ["HEARTBEAT_TIMEOUT"]);
}

#[test]
fn s10_1_an_idle_pass_writes_nothing() {
    let ground = two_tasks();
    ground.tick();
    ground.does("a", 1, &[("a.md", "text")]);
    ground.sends("agent_a", "msg_lost", "a", "unknown", &[("x.md", "x")]);
    ground.tick();
    let before = ground.tree();
    ground.after(1);
    assert_eq!(ground.tick(), []);
    let mut system = System::open(ground.folders(), &ground.clock, "test").unwrap();
    for _ in 0..5 {
        ground.after(1);
        assert_eq!(happened(system.tick(SystemPart::All, None).unwrap()), []);
    }
    assert_eq!(ground.tree(), before);
}

/// An agent that writes in place is read at any moment of that.
#[test]
fn what_is_still_being_written_in_an_outbox_is_left_until_it_is_still_or_whole() {
    const HOUR: Duration = Duration::from_secs(3600);
    let ground = two_tasks();
    ground.tick();
    ground.does("a", 1, &[("a.md", "text")]);
    let outbox = |name: &str| format!("agents/agent_a/outbox/{PLAN}/{name}");
    fs::remove_file(ground.path(&outbox("task_state_a.json"))).unwrap();
    let written = ground.outbox("agent_a").into_iter().filter(|name| name.ends_with(".json"));
    let written: Vec<String> = written.collect();
    assert_eq!(written.len(), 2, "{written:?}");
    let read = |name: &String| fs::read_to_string(ground.path(&outbox(name))).unwrap();
    let whole: Vec<String> = written.iter().map(read).collect();
    for (name, whole) in written.iter().zip(&whole) {
        ground.write(&outbox(name), &whole[..whole.len() / 2]);
    }
    ground.write(&outbox("alert_empty.json"), "");
    let mut system = System::open(ground.folders(), &ground.clock, "test").unwrap().settling(HOUR);
    let mut tick = || happened(system.tick(SystemPart::All, None).unwrap());
    for _ in 0..2 {
        assert_eq!(tick(), []);
        assert_eq!((ground.alerts(), ground.system("acks")), (Vec::<String>::new(), Vec::<String>::new()));
    }
    // It is read again without anything else having changed, also at once.
    for (name, whole) in written.iter().zip(&whole) {
        fs::write(ground.path(&outbox(name)), whole).unwrap();
    }
    let delivered = |it: &PlanEvent| matches!(it, PlanEvent::Delivered { output_name: Some(_), .. });
    assert!(tick().iter().any(delivered));
    assert_eq!((ground.system("acks").len(), ground.alerts()), (1, Vec::<String>::new()));
    // What stays half is refused once it has been still.
    let file = File::options().write(true).open(ground.path(&outbox("alert_empty.json"))).unwrap();
    file.set_modified(SystemTime::now() - 2 * HOUR).unwrap();
    let refused = tick();
    let is_refused = |it: &PlanEvent| matches!(it, PlanEvent::GivenUp { file_name, .. } if file_name == "alert_empty.json");
    assert!(refused.iter().any(is_refused), "{refused:?}");
}

#[test]
fn one_router_at_a_time() {
    let ground = two_tasks();
    let _held = System::open(ground.folders(), &ground.clock, "first").unwrap();
    let error = ground.try_tick().unwrap_err();
    assert!(error.starts_with("held by another program"), "{error}");
}

#[test]
fn eight_routers_do_what_one_does() {
    const MESSAGES: usize = 60;
    let ground = two_tasks();
    for number in 0..MESSAGES {
        let content = format!("content {number}");
        let path = format!("{number}.md");
        ground.sends("agent_a", &format!("msg_{number}"), "a", "a_out", &[(&path, &content)]);
    }
    let root = ground.root.clone();
    let open = || Folders::open(&root.join("agents"), &root.join("rt")).unwrap();
    // While one router runs, all others are refused with an error that names it.
    let one = System::open(open(), &ground.clock, "the first").unwrap();
    std::thread::scope(|scope| {
        let refused = (0..8).map(|_| {
            scope.spawn(|| {
                let clock = crate::support::FakeClock {
                    seconds: std::cell::Cell::new(crate::support::START),
                    next: std::cell::Cell::new(0),
                };
                match System::open(open(), &clock, "test").map(drop) {
                    Err(PlanError::Held { holder, .. }) => holder.purpose,
                    other => panic!("{other:?}"),
                }
            })
        });
        let refused: Vec<_> = refused.collect();
        for refused in refused {
            assert_eq!(refused.join().unwrap(), "the first");
        }
    });
    drop(one);
    let passes: usize = std::thread::scope(|scope| {
        let routers = (0..8).map(|number| {
            let root = &root;
            scope.spawn(move || {
                let clock = crate::support::FakeClock {
                    seconds: std::cell::Cell::new(crate::support::START),
                    // No two routers draw the same random numbers.
                    next: std::cell::Cell::new(number << 20),
                };
                let mut passes = 0;
                for _ in 0..30 {
                    let folders = Folders::open(&root.join("agents"), &root.join("rt")).unwrap();
                    let Ok(mut system) = System::open(folders, &clock, "test") else { continue };
                    happened(system.tick(SystemPart::All, None).unwrap());
                    passes += 1;
                }
                passes
            })
        });
        let routers: Vec<_> = routers.collect();
        routers.into_iter().map(|router| router.join().unwrap()).sum()
    });
    assert!(passes > 0);
    ground.tick();
    // One command, and each message once.
    assert_eq!(ground.statuses(), vec!["DELIVERED"; MESSAGES + 1]);
    assert_eq!(ground.system("commands").len(), 1);
    assert_eq!(ground.inbox("agent_b").len(), 2 * MESSAGES);
    assert_eq!(ground.alerts(), Vec::<String>::new());
}

#[test]
fn x_b_what_nobody_gets_is_given_up_once_and_delivered_after_the_dag_was_mended() {
    let ground = Ground::new(&["agent_a", "agent_b"]);
    let drafts = [draft("a", json!({}))];
    ground.activate(&dag(&[node("a", &[], &[], json!({}))]), &drafts, None);
    ground.tick();
    ground.does("a", 1, &[("a.md", "text")]);
    ground.tick();
    ground.tick();
    assert_eq!(ground.statuses(), ["DELIVERED", "DEADLETTERED"]);
    assert_eq!(ground.alerts(), ["ROUTING_NO_TARGET"]);
    let letters = ground.folders().dead_letters(&PLAN.parse().unwrap()).unwrap();
    assert_eq!(letters.len(), 1);
    assert_eq!(letters[0].reason.code.as_str(), "ROUTING_NO_TARGET");

    ground.after(1);
    ground.activate(&dag(&[node("a", &[], &["agent_b"], json!({}))]), &drafts, None);
    ground.tick();
    let delivered: Vec<Value> = ground
        .deliveries()
        .into_iter()
        .filter(|line| line["message_id"] == "msg_a_1" && line["status"] == "DELIVERED")
        .collect();
    assert_eq!(delivered.len(), 1);
    assert_eq!(delivered[0]["to_agent_id"], "agent_b");
    assert!(ground.inbox("agent_b").contains(&"a.md".to_owned()));
}

#[test]
fn s10_4_a_person_asks_for_a_message_to_be_delivered_again() {
    let ground = Ground::new(&["agent_a", "agent_b"]);
    ground.activate(&dag(&[node("a", &[], &["agent_b"], json!({}))]), &[draft("a", json!({}))], None);
    ground.tick();
    let files = [("a.md", "text")];
    let envelope = ground.artifact("agent_a", "msg_early", "a", "a_out", &files);
    ground.write(&format!("agents/agent_a/outbox/{PLAN}/artifact_early.msg.json"), envelope);
    ground.tick();
    assert_eq!(ground.alerts(), ["MISSING_PAYLOAD"]);
    ground.write(&format!("agents/agent_a/outbox/{PLAN}/a.md"), "text");
    ground.after(30);
    ground.tick();
    assert!(!ground.inbox("agent_b").contains(&"a.md".to_owned()), "nobody has asked");
    let plan = PLAN.parse().unwrap();
    let asked = ground.folders().replay(&plan, "msg_early", (None, None), &ground.clock).unwrap();
    assert!(asked.is_some());
    assert!(ground.folders().replay(&plan, "msg_other", (None, None), &ground.clock).unwrap().is_none());
    ground.tick();
    assert!(ground.inbox("agent_b").contains(&"a.md".to_owned()));
}

#[test]
fn x_c_a_copy_of_what_was_sent_is_skipped_and_said_once() {
    let ground = two_tasks();
    ground.tick();
    ground.does("a", 1, &[("a.md", "text")]);
    let envelope = ground.path(&format!("agents/agent_a/outbox/{PLAN}/artifact_msg_a_1.msg.json"));
    let bytes = fs::read(&envelope).unwrap();
    ground.tick();
    for _ in 0..3 {
        fs::write(&envelope, &bytes).unwrap();
        ground.tick();
    }
    let copies = ground.statuses().iter().filter(|status| *status == "SKIPPED_DUPLICATE").count();
    assert_eq!(copies, 1);
    assert_eq!(ground.outbox("agent_a"), ["a.md", "task_state_a.json"]);
}

#[test]
fn every_code_of_the_router_is_told_once() {
    let ground = two_tasks();
    ground.tick();
    let outbox = format!("agents/agent_a/outbox/{PLAN}");
    let good = [("x.md", "x")];
    let send = |name: &str, value: &Value| ground.write(&format!("{outbox}/{name}.msg.json"), value);
    ground.write(&format!("{outbox}/x.md"), "x");
    ground.write(&format!("{outbox}/parse.msg.json"), "{");
    let artifact = |message: &str| ground.artifact("agent_a", message, "a", "a_out", &good);
    let with = |message: &str, key: &str, value: Value| {
        let mut envelope = artifact(message);
        envelope[key] = value;
        envelope
    };
    send("version", &with("msg_version", "schema_version", json!("2.0")));
    send("schema", &with("msg_schema", "created_at", json!(5)));
    send("type", &with("msg_type", "type", json!("gossip")));
    send("task", &with("msg_task", "task_id", json!("nobodys")));
    send("output", &with("msg_output", "output_name", json!("nothing")));
    send("plan", &with("msg_plan", "plan_id", json!("plan_other")));
    let mut payload = artifact("msg_payload");
    payload["payload"]["files"][0]["path"] = json!("nowhere.md");
    send("payload", &payload);
    let mut sha = artifact("msg_sha");
    sha["payload"]["files"][0]["sha256"] = json!(sha256(b"other"));
    send("sha", &sha);
    let mut outside = artifact("msg_outside");
    outside["payload"]["files"][0]["path"] = json!("../../../secret");
    send("outside", &outside);
    // A command that is changed: each contradiction has its code.
    let command = {
        let path = format!("agents/agent_a/inbox/{PLAN}/cmd_a_001.msg.json");
        move |message: &str, change: &dyn Fn(&mut Value)| {
            let mut envelope: Value = serde_json::from_slice(&fs::read(ground_path(&path)).unwrap()).unwrap();
            envelope["message_id"] = json!(message);
            envelope["command_id"] = json!("cmd_a_007");
            envelope["payload"]["command"]["command_id"] = json!("cmd_a_007");
            envelope["payload"]["command"]["command_seq"] = json!(7);
            change(&mut envelope);
            envelope
        }
    };
    fn ground_path(path: &str) -> std::path::PathBuf {
        ROOT.with(|root| root.borrow().join(path))
    }
    thread_local! { static ROOT: std::cell::RefCell<std::path::PathBuf> = std::cell::RefCell::default(); }
    ROOT.with(|root| *root.borrow_mut() = ground.root.clone());
    send("c_mismatch", &command("msg_c1", &|it| it["command_id"] = json!("cmd_a_008")));
    send(
        "c_missing",
        &command("msg_c2", &|it| {
            it["payload"]["command"].as_object_mut().unwrap().remove("command_seq");
        }),
    );
    send(
        "c_format",
        &command("msg_c3", &|it| {
            it["command_id"] = json!("cmd_a_7");
            it["payload"]["command"]["command_id"] = json!("cmd_a_7");
        }),
    );
    send("c_seq", &command("msg_c4", &|it| it["payload"]["command"]["command_seq"] = json!(8)));
    send(
        "c_task",
        &command("msg_c5", &|it| {
            it["command_id"] = json!("cmd_b_007");
            it["payload"]["command"]["command_id"] = json!("cmd_b_007");
        }),
    );
    send(
        "c_dag",
        &command("msg_c6", &|it| {
            it["payload"]["command"]["dag_ref"]["sha256"] = json!(sha256(b"another"));
        }),
    );
    ground.tick();
    let codes: Vec<String> = ground
        .deliveries()
        .iter()
        .filter(|line| line["status"] == "DEADLETTERED")
        .map(|line| line["error"]["code"].as_str().unwrap().to_owned())
        .collect();
    let mut wanted = [
        Code::EnvelopeParseError,
        Code::SchemaVersionUnsupported,
        Code::SchemaInvalid,
        Code::UnsupportedMessageType,
        Code::DagTaskNotFound,
        Code::DagOutputNotFound,
        Code::EnvelopeInvalid,
        Code::MissingPayload,
        Code::PayloadShaMismatch,
        Code::UnsafePath,
        Code::CommandEnvelopeMismatch,
        Code::CommandSeqMissing,
        Code::CommandSeqInvalidFormat,
        Code::CommandSeqMismatch,
        Code::CommandTaskMismatch,
        Code::CommandDagMismatch,
    ]
    .map(|code| code.name().to_owned());
    let mut found = codes.clone();
    found.sort();
    wanted.sort();
    assert_eq!(found, wanted);
    let before = ground.tree();
    ground.tick();
    assert_eq!(ground.tree(), before, "told once");
    assert_eq!(ground.inbox("agent_b"), Vec::<String>::new());
}

#[test]
fn b3_two_producers_with_one_file_name_never_overwrite_each_other() {
    let ground = Ground::new(&["agent_a", "agent_b", "agent_c"]);
    ground.activate(
        &dag(&[node("a", &[], &["agent_c"], json!({})), node("b", &[], &["agent_c"], json!({}))]),
        &[draft("a", json!({})), draft("b", json!({}))],
        None,
    );
    ground.tick();
    ground.sends("agent_a", "msg_1", "a", "a_out", &[("same.md", "from a")]);
    ground.sends("agent_b", "msg_2", "b", "b_out", &[("same.md", "from b")]);
    ground.tick();
    let inbox = ground.path(&format!("agents/agent_c/inbox/{PLAN}"));
    assert_eq!(fs::read_to_string(inbox.join("same.md")).unwrap(), "from a");
    assert_eq!(ground.inbox("agent_c"), ["artifact_msg_1.msg.json", "same.md"]);
    // Once the first is taken, the second comes.
    fs::remove_file(inbox.join("same.md")).unwrap();
    fs::remove_file(inbox.join("artifact_msg_1.msg.json")).unwrap();
    ground.tick();
    assert_eq!(fs::read_to_string(inbox.join("same.md")).unwrap(), "from b");
    assert_eq!(ground.alerts(), Vec::<String>::new());
}

#[test]
fn b8_a_delivery_to_several_heals_and_is_never_repeated() {
    let ground = Ground::new(&["agent_a", "agent_b", "agent_c"]);
    ground.activate(
        &dag(&[node("a", &[], &["agent_b", "agent_c"], json!({}))]),
        &[draft("a", json!({}))],
        None,
    );
    // Something stands where the inbox of one of them should be.
    ground.write("agents/agent_c/inbox", "no folder");
    ground.tick();
    ground.does("a", 1, &[("a.md", "text")]);
    ground.tick();
    assert_eq!(ground.inbox("agent_b"), ["a.md", "artifact_msg_a_1.msg.json"]);
    assert!(ground.statuses().contains(&"FAILED".to_owned()));
    fs::remove_file(ground.path("agents/agent_c/inbox")).unwrap();
    ground.after(29);
    ground.tick();
    assert_eq!(ground.inbox("agent_c"), Vec::<String>::new(), "not before its time");
    ground.after(1);
    ground.tick();
    assert_eq!(ground.inbox("agent_c"), ["a.md", "artifact_msg_a_1.msg.json"]);
    let delivered = ground.statuses().iter().filter(|status| *status == "DELIVERED").count();
    assert_eq!(delivered, 3, "the command, and one for each");
}

#[test]
fn a_plan_is_not_over_while_something_is_delivered_again() {
    let heals = |is_repaired: bool| {
        let ground = Ground::new(&["agent_a", "agent_b"]);
        let manifest = json!({ "schema_version": "1.0", "plan_id": PLAN, "created_at": ground.now(),
            "agents": [], "deliverables": [{ "name": "a_out", "from_task_id": "a" }] });
        let dag = dag(&[node("a", &[], &["agent_b"], json!({}))]);
        ground.activate(&dag, &[draft("a", json!({}))], Some(manifest));
        ground.write("agents/agent_b/inbox", "no folder");
        ground.tick();
        ground.does("a", 1, &[("a.md", "text")]);
        let over = |ground: &Ground| {
            let standing = ground.try_tick().unwrap().standing.into_values().next().unwrap();
            (standing.is_over(), standing.has_succeeded())
        };
        assert_eq!(over(&ground), (false, false));
        if is_repaired {
            fs::remove_file(ground.path("agents/agent_b/inbox")).unwrap();
            ground.after(30);
            return over(&ground);
        }
        for _ in 0..2 {
            ground.after(120);
            assert_eq!(over(&ground), (false, false));
        }
        ground.after(120);
        let _failed_for_the_last_time = over(&ground);
        ground.after(1);
        over(&ground)
    };
    assert_eq!(heals(true), (true, true));
    assert_eq!(heals(false), (true, false));
}

#[test]
fn s6_6_a_delivery_that_never_succeeds_is_given_up_after_three_retries() {
    let ground = Ground::new(&["agent_a", "agent_b"]);
    ground.activate(&dag(&[node("a", &[], &["agent_b"], json!({}))]), &[draft("a", json!({}))], None);
    ground.write("agents/agent_b/inbox", "no folder");
    ground.tick();
    ground.does("a", 1, &[("a.md", "text")]);
    for _ in 0..8 {
        ground.tick();
        ground.after(120);
    }
    let failed = ground.statuses().iter().filter(|status| *status == "FAILED").count();
    assert_eq!(failed, 4);
    assert_eq!(ground.alerts(), ["UNHANDLED_EXCEPTION"]);
}

#[test]
fn c7_an_acknowledgement_may_come_to_an_end_and_nothing_else() {
    let ground = two_tasks();
    ground.tick();
    let message = ground.command("a", 1)["message_id"].as_str().unwrap().to_owned();
    let ack = |status: &str, at: &str| {
        json!({ "schema_version": "1.0", "plan_id": PLAN, "message_id": message, "consumer_agent_id": "agent_a",
            "status": status, "consumed_at": "2026-01-12T09:00:00Z", "finished_at": at })
    };
    let name = format!("agents/agent_a/outbox/{PLAN}/ack_{message}.json");
    ground.write(&name, ack("CONSUMED", "2026-01-12T09:00:00Z"));
    ground.tick();
    assert_eq!(ground.json(&format!("rt/plans/{PLAN}/acks/ack_{message}.json"))["status"], "CONSUMED");
    ground.write(&name, ack("SUCCEEDED", "2026-01-12T09:00:05Z"));
    ground.tick();
    assert_eq!(ground.json(&format!("rt/plans/{PLAN}/acks/ack_{message}.json"))["status"], "SUCCEEDED");
    assert_eq!(ground.alerts(), Vec::<String>::new());
    for forged in [ack("FAILED", "2026-01-12T09:00:09Z"), ack("CONSUMED", "2026-01-12T09:00:09Z")] {
        ground.write(&name, forged);
        ground.tick();
    }
    assert_eq!(ground.json(&format!("rt/plans/{PLAN}/acks/ack_{message}.json"))["status"], "SUCCEEDED");
    assert_eq!(ground.alerts(), ["ACK_ID_REUSED_WITH_DIFFERENT_CONTENT"; 2]);
    // An agent acknowledges only for itself.
    ground.write(
        &format!("agents/agent_b/outbox/{PLAN}/ack_{message}.json"),
        ack("FAILED", "2026-01-12T09:00:09Z"),
    );
    ground.tick();
    assert_eq!(ground.alerts().last().unwrap(), "ACK_SCHEMA_INVALID");
}

#[test]
fn c8_each_consumer_of_a_message_has_its_own_acknowledgement() {
    let ground = two_tasks();
    ground.tick();
    for agent in ["agent_a", "agent_b"] {
        ground.write(
            &format!("agents/{agent}/outbox/{PLAN}/ack_msg_x.json"),
            json!({ "schema_version": "1.0", "plan_id": PLAN, "message_id": "msg_x", "consumer_agent_id": agent,
                "status": "SUCCEEDED", "consumed_at": "2026-01-12T09:00:00Z" }),
        );
    }
    ground.tick();
    assert_eq!(ground.system("acks"), ["ack_msg_x.json", "ack_msg_x__agent_b.json"]);
    assert_eq!(ground.alerts(), Vec::<String>::new());
}

/// `a` is judged by `r`, and done again with the judgement until it is good enough.
fn judged() -> Ground {
    let ground = Ground::new(&["agent_a", "agent_r", "agent_human_gateway"]);
    let gates = json!({ "gates": { "required": true, "evidence_required": ["artifact_validation_result.json"] },
        "failure_policy": { "max_reexecute_times": 1 } });
    let review = json!({ "produces": [{ "output_name": "r_out",
        "files": [{ "path": "artifact_validation_result.json", "format": "artifact_validation_result" }] }] });
    ground.activate(
        &dag(&[node("a", &[], &["agent_r"], gates), reads("r", "a", &["agent_a"])]),
        &[draft("a", json!({})), draft("r", review)],
        None,
    );
    ground
}

fn validation(ground: &Ground, score: u32) -> String {
    let decision = if score >= 80 { "PASS" } else { "REJECT" };
    json!({ "schema_version": "1.0", "plan_id": PLAN, "validation_id": format!("val_{score}"),
        "validator_agent_id": "agent_r", "validated_at": ground.now(), "subject": { "task_id": "a" },
        "score": score, "decision": decision })
    .to_string()
}

#[test]
fn s11_4_what_falls_short_is_done_again_with_the_judgement_and_then_a_person_decides() {
    let ground = judged();
    ground.tick();
    ground.does("a", 1, &[("a.md", "bad")]);
    ground.tick();
    assert_eq!(ground.states()["a"], "BLOCKED_WAITING_REVIEW");
    let short = validation(&ground, 40);
    ground.does("r", 1, &[("artifact_validation_result.json", &short)]);
    ground.after(1);
    ground.tick();
    let again = &ground.command("a", 2)["payload"]["command"];
    assert_eq!(again["reexecute_count"], 1);
    let inputs = again["resolved_inputs"].as_array().unwrap();
    let judgement = inputs.iter().find(|input| input["input_name"] == "judgement").unwrap();
    assert_eq!(judgement["paths"], json!(["artifact_validation_result.json"]));
    ground.does("a", 2, &[("a.md", "still bad")]);
    ground.after(1);
    ground.tick();
    let short = validation(&ground, 50);
    ground.does("r", 2, &[("artifact_validation_result.json", &short)]);
    ground.after(1);
    let asked = ground.tick();
    assert!(asked.iter().any(|it| matches!(it, PlanEvent::Asked { .. })), "{asked:?}");
    let requests = ground.inbox("agent_human_gateway");
    assert_eq!(requests.len(), 1, "{requests:?}");
    let request = ground.json(&format!("agents/agent_human_gateway/inbox/{PLAN}/{}", requests[0]));
    let keys: Vec<&str> = request["needed"]["decision"]["options"]
        .as_array()
        .unwrap()
        .iter()
        .map(|option| option["key"].as_str().unwrap())
        .collect();
    assert_eq!(keys, ["approve", "again", "reject"]);
    assert_eq!(ground.states()["a"], "BLOCKED_WAITING_HUMAN");
    ground.tick();
    assert_eq!(ground.inbox("agent_human_gateway").len(), 1, "asked once");
}

#[test]
fn s11_3_a_failed_dependency_is_told_and_a_person_is_asked() {
    let ground = Ground::new(&["agent_a", "agent_b", "agent_human_gateway"]);
    ground.activate(
        &dag(&[node("a", &[], &["agent_b"], json!({})), node("b", &["a"], &["agent_a"], json!({}))]),
        &[draft("a", json!({})), draft("b", json!({}))],
        None,
    );
    ground.tick();
    ground.fails("a", 1);
    ground.tick();
    assert_eq!(ground.alerts(), ["TASK_FAILED"]);
    assert_eq!(ground.states()["b"], "BLOCKED_WAITING_HUMAN");
    let requests = ground.system("human_requests");
    assert_eq!(requests.len(), 1);
    let request = ground.json(&format!("rt/plans/{PLAN}/human_requests/{}", requests[0]));
    assert_eq!(request["blocking"]["reason"], "DEPENDENCY_FAILED");
}

/// The requests to a person that are still open.
fn open(ground: &Ground) -> Vec<String> {
    let requests = ground.folders().open_requests(&PLAN.parse().unwrap()).unwrap();
    requests.into_iter().map(|request| request.request_id.to_string()).collect()
}

fn is_withdrawn(happened: &[PlanEvent], request: &str) -> bool {
    happened.iter().any(|it| matches!(it, PlanEvent::Withdrawn { request_id, .. } if *request_id == *request))
}

#[test]
fn s13_what_an_agent_has_asked_is_withdrawn_once_its_task_has_ended() {
    let ground = Ground::new(&["agent_a", "agent_b", "agent_human_gateway"]);
    ground.activate(
        &dag(&[node("a", &[], &["agent_b"], json!({})), node("b", &["a"], &["agent_a"], json!({}))]),
        &[draft("a", json!({})), draft("b", json!({}))],
        None,
    );
    ground.tick();
    let request = |id: &str, command: &str| {
        json!({ "schema_version": "1.0", "request_id": id, "plan_id": PLAN, "created_at": ground.now(),
            "created_by": { "agent_id": "agent_a", "task_id": "a", "command_id": command }, "severity": "HIGH",
            "type": "MISSING_FILE", "needed": { "files": [{ "name": "x.md" }] } })
    };
    for (id, command) in [("req_1", "cmd_a_001"), ("req_2", "cmd_elsewhere")] {
        let name = format!("agents/agent_a/outbox/{PLAN}/human_intervention_request_{id}.json");
        ground.write(&name, request(id, command));
    }
    ground.tick();
    ground.after(9);
    assert!(!is_withdrawn(&ground.tick(), "req_1"), "it waits");
    assert_eq!(open(&ground), ["req_1", "req_2"]);
    ground.does("a", 1, &[("a.md", "A")]);
    ground.after(9);
    assert!(is_withdrawn(&ground.tick(), "req_1"));
    // Of a command that is not the plan's nothing is known.
    assert_eq!(open(&ground), ["req_2"]);
    let withdrawal = ground.json(&format!("rt/plans/{PLAN}/human_withdrawals/req_1.json"));
    assert_eq!((&withdrawal["reason"], &withdrawal["request_id"]), (&json!("TASK_ENDED"), &json!("req_1")));
    ground.tick();
    ground.does("b", 1, &[("b.md", "B")]);
    ground.after(9);
    assert!(is_withdrawn(&ground.tick(), "req_2"), "the plan has ended");
    assert!(open(&ground).is_empty());
}

#[test]
fn s13_what_was_withdrawn_can_be_asked_again() {
    let ground = Ground::new(&["agent_a", "agent_r", "agent_human_gateway"]);
    let gates = json!({ "gates": { "evidence_required": ["artifact_validation_result.json"] } });
    ground.activate(
        &dag(&[node("a", &[], &["agent_r"], gates), reads("r", "a", &["agent_a"])]),
        &[
            draft("a", json!({})),
            draft(
                "r",
                json!({ "produces": [{ "output_name": "r_out",
                "files": [{ "path": "artifact_validation_result.json" }] }] }),
            ),
        ],
        None,
    );
    let plan = PLAN.parse().unwrap();
    ground.tick();
    ground.does("a", 1, &[("a.md", "A")]);
    ground.after(9);
    ground.tick();
    let mut asked: Vec<String> = Vec::new();
    for round in 1..=2 {
        ground.fails("r", round);
        ground.after(9);
        ground.tick();
        let now = open(&ground);
        assert!(now.len() == 1 && !asked.contains(&now[0]), "{now:?}");
        let request = ground
            .json(&format!("rt/plans/{PLAN}/human_requests/human_intervention_request_{}.json", now[0]));
        assert_eq!(request["title"], "a: not reviewed");
        // There is a reviewer again who could judge.
        let retried = ground
            .folders()
            .retry(&plan, &"r".parse().unwrap(), RetryOrder::default(), &ground.clock)
            .unwrap();
        assert_eq!(retried, RetryOutcome::Requested { command_seq: round.into(), dependents: Vec::new() });
        assert!(is_withdrawn(&ground.tick(), &now[0]), "{round}");
        assert!(open(&ground).is_empty());
        asked.extend(now);
    }
    assert!(ground.alerts().iter().all(|code| code == "TASK_FAILED"), "{:?}", ground.alerts());
}

#[test]
fn s11_3_another_plan_is_asked_for_once() {
    let ground = Ground::new(&["agent_a", "agent_b", "agent_planner"]);
    let policy = json!({ "failure_policy": { "on_dependency_failed": "REPLAN_REQUEST" } });
    let manifest = json!({ "schema_version": "1.0", "plan_id": PLAN, "created_at": ground.now(), "agents": [],
        "deliverables": [{ "name": "b_out" }], "planner_agent_id": "agent_planner" });
    ground.activate(
        &dag(&[node("a", &[], &["agent_b"], json!({})), node("b", &["a"], &["agent_a"], policy)]),
        &[draft("a", json!({})), draft("b", json!({}))],
        Some(manifest),
    );
    ground.tick();
    ground.fails("a", 1);
    ground.tick();
    ground.after(9);
    ground.tick();
    let inbox = ground.inbox("agent_planner");
    assert_eq!(inbox.len(), 2, "{inbox:?}");
    let request = ground.json(&format!(
        "agents/agent_planner/inbox/{PLAN}/{}",
        inbox.iter().find(|name| !name.ends_with(".msg.json")).unwrap()
    ));
    assert_eq!(request["trigger"]["failed_task_id"], "a");
    assert_eq!(ground.states()["b"], "BLOCKED_WAITING_REVIEW");
}

#[test]
fn what_the_plan_is_for_is_archived_although_it_goes_to_nobody() {
    let ground = Ground::new(&["agent_a"]);
    let manifest = json!({ "schema_version": "1.0", "plan_id": PLAN, "created_at": ground.now(),
        "agents": [], "deliverables": [{ "name": "a_out", "from_task_id": "a" }] });
    ground.activate(&dag(&[node("a", &[], &[], json!({}))]), &[draft("a", json!({}))], Some(manifest));
    ground.tick();
    ground.does("a", 1, &[("d/a.md", "text")]);
    let tick = ground.try_tick().unwrap();
    assert!(tick.standing.values().next().unwrap().has_succeeded());
    assert_eq!(fs::read_to_string(ground.path(&format!("rt/artifacts/{PLAN}/a/d/a.md"))).unwrap(), "text");
    assert_eq!(ground.alerts(), Vec::<String>::new());
    ground.tick();
    assert_eq!(ground.statuses(), ["DELIVERED", "DELIVERED"]);
}

#[test]
fn e_c_a_release_is_approved_by_its_evidence_and_archived() {
    let ground = Ground::new(&["agent_a", "agent_rel"]);
    let manifest = json!({ "schema_version": "1.0", "plan_id": PLAN, "created_at": ground.now(), "agents": [],
        "deliverables": [{ "name": "a_out" }],
        "policies": { "release_gates_required": ["smoke_test_result.json", "release_manifest.json"] } });
    ground.activate(
        &dag(&[node("a", &[], &["agent_rel"], json!({}))]),
        &[draft("a", json!({}))],
        Some(manifest),
    );
    let plan = PLAN.parse().unwrap();
    let agent = "agent_rel".parse().unwrap();
    let released = ground.folders().release(&plan, &agent, &ground.clock).unwrap();
    assert_eq!(released.missing, ["smoke_test_result.json"]);
    ground.tick();
    assert_eq!(ground.json(&format!("rt/plans/{PLAN}/release_manifest.json"))["decision"], "REJECT");

    let smoke = json!({ "schema_version": "1.0", "plan_id": PLAN, "validation_id": "val_1",
        "validator_agent_id": "agent_q", "validated_at": ground.now(), "decision": "PASS" });
    let inputs = format!("agents/agent_rel/workspace/{PLAN}/inputs");
    ground.write(&format!("{inputs}/t/o/smoke_test_result.json"), &smoke);
    ground.write(
        &format!("{inputs}/input_index.json"),
        json!({ "schema_version": "1.0", "plan_id": PLAN, "agent_id": "agent_rel", "updated_at": ground.now(),
            "entries": [{ "message_id": "m", "task_id": "t", "output_name": "o", "received_at": ground.now(),
                "files": [{ "path": "smoke_test_result.json", "sha256": sha256(smoke.to_string().as_bytes()),
                    "stored_at": format!("workspace/{PLAN}/inputs/t/o/smoke_test_result.json") }] }] }),
    );
    ground.after(1);
    let released = ground.folders().release(&plan, &agent, &ground.clock).unwrap();
    assert_eq!((released.missing.len(), released.rejected.len()), (0, 0));
    ground.tick();
    assert_eq!(ground.json(&format!("rt/plans/{PLAN}/release_manifest.json"))["decision"], "APPROVE");
    assert_eq!(ground.system("releases").len(), 2);
    assert_eq!(ground.system("decisions").len(), 2);
    assert_eq!(ground.alerts(), Vec::<String>::new());
}

#[test]
fn s13_a_decision_that_says_otherwise_than_its_release_is_told_whichever_comes_first() {
    for (first, then) in [("decision", "release"), ("release", "decision"), ("both", "nothing")] {
        let ground = two_tasks();
        ground.write("agents/agent_rel/profile", "");
        let release = json!({ "schema_version": "1.0", "release_id": "rel_1", "plan_id": PLAN,
            "created_at": ground.now(), "release_manager_agent_id": "agent_rel", "artifacts": [],
            "evidence_required": [], "evidence_refs": [], "decision": "APPROVE" });
        let release = release.to_string();
        let decision = |number: u32, verdict: &str| {
            json!({ "schema_version": "1.0", "decision_id": format!("dec_{number}"), "plan_id": PLAN,
                "decision_type": "RELEASE", "decision": verdict, "decided_by_agent_id": "agent_rel",
                "created_at": ground.now(), "subject": { "kind": "release",
                    "ref_sha256": sha256(release.as_bytes()) } })
        };
        for what in [first, then] {
            let outbox = format!("agents/agent_rel/outbox/{PLAN}");
            if matches!(what, "release" | "both") {
                ground.write(&format!("{outbox}/release_manifest_rel_1.json"), &release);
            }
            if matches!(what, "decision" | "both") {
                ground.write(&format!("{outbox}/decision_record_1.json"), decision(1, "REJECT"));
                ground.write(&format!("{outbox}/decision_record_2.json"), decision(2, "APPROVE"));
            }
            ground.tick();
        }
        assert_eq!(ground.alerts(), ["RELEASE_DECISION_MISMATCH"], "{first}, then {then}");
        assert_eq!((ground.system("releases").len(), ground.system("decisions").len()), (1, 2));
        assert_eq!(ground.outbox("agent_rel"), Vec::<String>::new());
    }
}

#[test]
fn s10_4_a_wrong_dag_pauses_its_plan_and_no_other() {
    let ground = two_tasks();
    ground.write("rt/plans/plan_broken/task_dag.json", "{");
    let tick = ground.try_tick().unwrap();
    assert_eq!(tick.paused.values().copied().collect::<Vec<_>>(), [Code::DagInvalid]);
    assert_eq!(ground.inbox("agent_a"), ["cmd_a_001.msg.json"]);
    assert_eq!(ground.list("rt/alerts/plan_broken").len(), 1);
    ground.try_tick().unwrap();
    assert_eq!(ground.list("rt/alerts/plan_broken").len(), 1);
}

#[test]
fn s13_a_request_of_an_agent_reaches_the_gateway_once() {
    let ground = two_tasks();
    ground.tick();
    let request = json!({ "schema_version": "1.0", "request_id": "human_req_1", "plan_id": PLAN,
        "created_at": ground.now(), "severity": "HIGH", "type": "MISSING_FILE",
        "needed": { "files": [{ "name": "x.md" }] } });
    let name = "human_intervention_request_human_req_1.json";
    ground.write(&format!("agents/agent_a/outbox/{PLAN}/{name}"), &request);
    ground.tick();
    assert_eq!(ground.alerts(), ["HUMAN_GATEWAY_AGENT_MISSING"]);
    fs::create_dir_all(ground.path("agents/agent_human_gateway")).unwrap();
    ground.tick();
    assert_eq!(ground.inbox("agent_human_gateway"), [name]);
    assert_eq!(ground.system("human_requests"), [name]);
    assert!(!ground.outbox("agent_a").contains(&name.to_owned()));
    // The same id for something else is refused.
    let mut other = request;
    other["severity"] = json!("LOW");
    ground.write(&format!("agents/agent_b/outbox/{PLAN}/{name}"), &other);
    ground.tick();
    assert!(ground.alerts().contains(&"HUMAN_REQUEST_ID_REUSED_WITH_DIFFERENT_CONTENT".to_owned()));
    assert_eq!(ground.json(&format!("rt/plans/{PLAN}/human_requests/{name}"))["severity"], "HIGH");
}

#[test]
fn s10_4_a_plan_without_a_manifest_does_not_keep_the_one_before() {
    let ground = Ground::new(&["agent_a"]);
    let nodes = dag(&[node("a", &[], &["agent_a"], json!({}))]);
    let manifest = json!({ "schema_version": "1.0", "plan_id": PLAN, "created_at": ground.now(), "agents": [],
        "deliverables": [{ "name": "a_out" }] });
    ground.activate(&nodes, &[draft("a", json!({}))], Some(manifest));
    let path = ground.path(&format!("rt/plans/{PLAN}/plan_manifest.json"));
    assert!(path.is_file());
    ground.activate(&nodes, &[draft("a", json!({}))], None);
    assert!(!path.exists());
}
