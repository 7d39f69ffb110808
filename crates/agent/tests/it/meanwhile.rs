//! Agents do not wait for the system: their messages and reports arrive during a pass. Whatever the moment, the plan comes to
//! the same end, and no person is asked about outputs in transit.

use crate::ground::{Ground, PLAN, dag, draft, node, reads};
use files::fault;
use serde_json::json;
use std::rc::Rc;

const JUDGEMENT: &str = "artifact_validation_result.json";

/// What the agents do, in this order: the task, which time, and what they make.
const WORK: [(&str, u32, &str, &str); 5] = [
    ("a", 1, "a.md", "bad"),
    ("r", 1, JUDGEMENT, "40 REJECT"),
    ("a", 2, "a.md", "good"),
    ("r", 2, JUDGEMENT, "90 PASS"),
    ("b", 1, "b.md", "end"),
];

/// The distance between the calls at which the work is done, each piece at different ones: the long campaign tries every call.
const STRIDE: usize = 4;

#[test]
fn the_first_version_may_be_sent_at_any_moment_of_a_pass() {
    at_any_moment(0);
}

#[test]
fn it_may_be_rejected_at_any_moment_of_a_pass() {
    at_any_moment(1);
}

#[test]
fn the_second_version_may_be_sent_at_any_moment_of_a_pass() {
    at_any_moment(2);
}

#[test]
fn it_may_be_approved_at_any_moment_of_a_pass() {
    at_any_moment(3);
}

#[test]
fn what_the_plan_is_for_may_be_sent_at_any_moment_of_a_pass() {
    at_any_moment(4);
}

fn at_any_moment(step: usize) {
    let stride = effort::stride(STRIDE);
    let mut turn = step % stride;
    while comes_to_its_end(step, turn) {
        turn += stride;
    }
    assert!(turn > 50, "only {turn} calls");
}

/// One piece of work is done in the midst of a pass, right before a call; whether there was one.
fn comes_to_its_end(disturbing: usize, turn: usize) -> bool {
    let ground = Rc::new(judged());
    let about = format!("work {disturbing}, call {turn}");
    pass(&ground, &about);
    let mut came = true;
    for step in 0..WORK.len() {
        ground.after(1);
        if step == disturbing {
            let agents = Rc::clone(&ground);
            fault::run_before(u64::try_from(turn).unwrap(), move || work(&agents, step));
            pass(&ground, &about);
            came = fault::run_no_more();
            if !came {
                work(&ground, step);
            }
        } else {
            work(&ground, step);
        }
        pass(&ground, &about);
    }
    assert!(ground.states().values().all(|state| state == "COMPLETED"), "{about}: {:?}", ground.states());
    assert_eq!(ground.system("commands").len(), WORK.len(), "{about}");
    assert_eq!(ground.list(&format!("rt/artifacts/{PLAN}/b")), ["b.md"], "{about}");
    came
}

/// `a` is judged by `r`, and done again until it is good enough; then comes `b`, which the plan is for.
fn judged() -> Ground {
    let ground = Ground::new(&["agent_a", "agent_b", "agent_r", "agent_human_gateway"]);
    let gates = json!({ "gates": { "required": true, "evidence_required": [JUDGEMENT] } });
    let review = json!({ "produces": [{ "output_name": "r_out",
        "files": [{ "path": JUDGEMENT, "format": "artifact_validation_result" }] }] });
    let manifest = json!({ "schema_version": "1.0", "plan_id": PLAN, "created_at": ground.now(), "agents": [],
        "deliverables": [{ "name": "b_out" }] });
    let nodes =
        [node("a", &[], &["agent_b", "agent_r"], gates), reads("r", "a", &["agent_a"]), reads("b", "a", &[])];
    let drafts = [draft("a", json!({})), draft("b", json!({})), draft("r", review)];
    ground.activate(&dag(&nodes), &drafts, Some(manifest));
    ground
}

fn work(ground: &Ground, step: usize) {
    let (task, seq, path, content) = WORK[step];
    let content = match content.split_once(' ') {
        Some((score, decision)) => json!({ "schema_version": "1.0", "plan_id": PLAN,
            "validation_id": format!("val_{score}"), "validator_agent_id": "agent_r",
            "validated_at": ground.now(), "subject": { "task_id": "a" },
            "score": score.parse::<u32>().unwrap(), "decision": decision })
        .to_string(),
        None => content.to_owned(),
    };
    ground.does(task, seq, &[(path, &content)]);
}

fn pass(ground: &Ground, about: &str) {
    let tick = ground.try_tick().unwrap();
    assert!(tick.trouble.is_empty(), "{about}: {:?}", tick.trouble);
    for standing in tick.standing.values() {
        assert!(!standing.is_over() || standing.has_succeeded(), "{about}: {:?}", standing.open);
    }
    assert_eq!(ground.inbox("agent_human_gateway"), Vec::<String>::new(), "{about}");
    assert_eq!(ground.alerts(), Vec::<String>::new(), "{about}");
}
