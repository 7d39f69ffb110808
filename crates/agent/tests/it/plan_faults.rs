//! Every call to the system fails once, or is the last one before a kill, while a plan is carried out. Whatever that leaves,
//! the next pass comes to the same end: nothing is lost, delivered twice or written down twice.

use crate::ground::{Ground, PLAN, dag, draft, node};
use files::fault::{self, Fault};
use rustix::io::Errno;
use serde_json::json;
use std::collections::BTreeMap;

#[test]
fn a_plan_survives_every_call_that_fails() {
    a_plan(Fault::Fails(Errno::IO));
}

#[test]
fn a_plan_survives_a_full_disk_at_every_call() {
    a_plan(Fault::Fails(Errno::NOSPC));
}

#[test]
fn a_plan_survives_every_call_that_fails_although_it_was_done() {
    a_plan(Fault::FailsDone(Errno::IO));
}

#[test]
fn a_plan_survives_a_kill_before_every_call() {
    a_plan(Fault::Killed);
}

/// The distance between the calls that fail, different ones each time: the long campaign lets every call fail.
const STRIDE: u64 = 5;

fn a_plan(fault: Fault) {
    let stride = effort::stride(STRIDE);
    // One pass at a time is disturbed: each of the three.
    for disturbed in 0..3 {
        let mut turn = u64::try_from(disturbed).unwrap() % stride;
        while disturb(disturbed, turn, fault) {
            turn += stride;
        }
        assert!(turn > 50, "only {turn} calls");
    }
}

fn disturb(disturbed: usize, turn: u64, fault: Fault) -> bool {
    let ground = Ground::new(&["agent_a", "agent_b", "agent_c", "agent_human_gateway"]);
    let manifest = json!({ "schema_version": "1.0", "plan_id": PLAN, "created_at": ground.now(), "agents": [],
        "deliverables": [{ "name": "b_out" }] });
    ground.activate(
        &dag(&[
            node("a", &[], &["agent_b", "agent_c"], json!({})),
            node("b", &["a"], &["agent_a"], json!({})),
        ]),
        &[draft("a", json!({})), draft("b", json!({}))],
        Some(manifest),
    );
    let mut came = false;
    let mut pass = |number: usize| {
        if number == disturbed {
            fault::fail(turn, fault);
            let _ = ground.try_tick();
            came = fault::fail_no_more();
        }
        // Whatever was not done is done now; a delivery that has failed is tried again after its time.
        ground.after(30);
        let tick = ground.try_tick().unwrap();
        assert!(tick.trouble.is_empty(), "call {turn}, {fault:?}: {:?}", tick.trouble);
    };
    pass(0);
    ground.does("a", 1, &[("d/a.md", "text"), ("x.md", "more")]);
    let request = json!({ "schema_version": "1.0", "request_id": "human_req_1", "plan_id": PLAN,
        "created_at": "2026-01-12T09:00:00Z", "severity": "HIGH", "type": "CLARIFY", "needed": {} });
    ground
        .write(&format!("agents/agent_a/outbox/{PLAN}/human_intervention_request_human_req_1.json"), request);
    pass(1);
    ground.does("b", 1, &[("b.md", "end")]);
    pass(2);

    let about = format!("pass {disturbed}, call {turn}, {fault:?}");
    assert_eq!(ground.states().values().collect::<Vec<_>>(), ["COMPLETED", "COMPLETED"], "{about}");
    let mut delivered = BTreeMap::new();
    for line in ground.deliveries() {
        if line["status"] == "DELIVERED" {
            let key = (line["message_id"].to_string(), line["to_agent_id"].to_string());
            *delivered.entry(key).or_insert(0) += 1;
        }
    }
    assert_eq!(delivered.len(), 5, "{about}: {delivered:?}");
    // A line is written after the agent has the message: a kill in between may repeat the delivery, never the message.
    assert!(delivered.values().all(|times| *times == 1), "{about}: {delivered:?}");
    assert_eq!(ground.system("commands").len(), 2, "{about}");
    assert_eq!(ground.system("acks").len(), 2, "{about}");
    let asked = ground.inbox("agent_human_gateway");
    assert_eq!(asked.iter().filter(|name| name.ends_with(".json")).count(), 1, "{about}: {asked:?}");
    assert_eq!(ground.inbox("agent_c"), ["artifact_msg_a_1.msg.json", "x.md"], "{about}");
    assert_eq!(ground.list(&format!("rt/artifacts/{PLAN}/b")), ["b.md"], "{about}");
    assert_eq!(ground.alerts(), Vec::<String>::new(), "{about}");
    came
}
