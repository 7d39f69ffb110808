//! People are asked and answer (contract/plans §13), with real folders and real questions.

use crate::ground::{Ground, PLAN, dag, draft, happened, node};
use agent::gateway::{Gateway, GatewayEvent, RequestOutcome};
use agent::human::Words;
use agent::plan::{PlanEvent, System, SystemPart};
use agent::sha256;
use files::fault::{self, Fault};
use model::{Chosen, DecideOutput, Decision, Ending, Origin, Questions, Returned, Via};
use proptest::prelude::*;
use rustix::io::Errno;
use serde_json::{Value, json};
use std::fs;
use store::{Decisions, PendingSet, Project};

const WORDS: Words = Words {
    task: |plan, task| format!("{plan} {task:?}"),
    file: |name| format!("Provide {name}"),
    file_context: |sensitivity, agent| format!("{sensitivity:?} {agent:?}"),
    criterion: |key| format!("Criterion {key}"),
    anything: "Say how to continue",
};
const REQUEST: &str = "human_req_1";

struct Scene {
    ground: Ground,
    decisions: Decisions,
}

fn scene() -> Scene {
    let ground = Ground::new(&["agent_a", "agent_b", "agent_human_gateway"]);
    ground.activate(&dag(&[node("a", &[], &["agent_b"], json!({}))]), &[draft("a", json!({}))], None);
    fs::create_dir(ground.path(".aide")).unwrap();
    let decisions = Project::at(&ground.root).unwrap().decisions().unwrap();
    Scene { ground, decisions }
}

impl Scene {
    fn asks(&self, needed: Value) {
        self.asks_with(json!({ "needed": needed }));
    }

    fn asks_with(&self, further: Value) {
        let mut request = json!({ "schema_version": "1.0", "request_id": REQUEST, "plan_id": PLAN,
            "created_at": "2026-01-12T09:00:00Z", "severity": "HIGH", "type": "MISSING_FILE", "needed": {},
            "created_by": { "agent_id": "agent_a", "task_id": "a", "command_id": "cmd_a_001" } });
        for (key, value) in further.as_object().unwrap() {
            request[key] = value.clone();
        }
        let name = format!("agents/agent_a/outbox/{PLAN}/human_intervention_request_{REQUEST}.json");
        self.ground.write(&name, request);
        self.ground.tick();
    }

    fn try_tick(&self) -> Result<Vec<GatewayEvent>, String> {
        let folders = self.ground.try_folders().map_err(|error| error.to_string())?;
        let gateway = Gateway {
            folders: &folders,
            decisions: &self.decisions,
            words: &WORDS,
            clock: &self.ground.clock,
        };
        gateway.tick().map_err(|error| error.to_string())
    }

    #[track_caller]
    fn tick(&self) -> Vec<RequestOutcome> {
        self.try_tick().unwrap().into_iter().map(|done| done.what).collect()
    }

    fn open(&self) -> Option<(PendingSet, Questions)> {
        let pending = self.decisions.open_sets().unwrap().into_iter().next()?;
        self.decisions.set(&pending.session).unwrap()
    }

    /// Answers what is open, with a file for each item that wants one.
    fn answers(&self, files: &[(&str, &str)]) {
        let (pending, questions) = self.open().unwrap();
        let mut decisions = Vec::new();
        for (item, (name, content)) in questions.input().items.iter().zip(files) {
            let mut upload = self.decisions.attach(&pending, &questions, item.id, name).unwrap();
            upload.write(content.as_bytes()).unwrap();
            let attached = upload.finish().unwrap();
            decisions.push(decision(item.id, Chosen::None, None, vec![attached]));
        }
        self.ends(Ending::Decided(DecideOutput::complete(decisions)));
    }

    fn ends(&self, ending: Ending) {
        let (pending, questions) = self.open().unwrap();
        self.decisions.publish(&pending, &questions, ending, Via::Page).unwrap();
    }

    fn response(&self) -> Value {
        self.ground
            .json(&format!("rt/plans/{PLAN}/human_responses/human_intervention_response_{REQUEST}.json"))
    }

    fn arrived(&self, agent: &str, path: &str) -> Option<String> {
        fs::read_to_string(self.ground.path(&format!("agents/{agent}/inbox/{PLAN}/{path}"))).ok()
    }

    /// Places a response in an outbox by hand.
    fn places(&self, agent: &str, response: Value) {
        let mut all = json!({ "schema_version": "1.0", "request_id": REQUEST, "plan_id": PLAN,
            "responded_at": "2026-01-12T09:00:00Z" });
        for (key, value) in response.as_object().unwrap() {
            all[key] = value.clone();
        }
        let name = format!("agents/{agent}/outbox/{PLAN}/human_intervention_response_{REQUEST}.json");
        self.ground.write(&name, all);
    }
}

fn decision(id: u64, chosen: Chosen, other: Option<&str>, files: Vec<model::Attachment>) -> Decision {
    Decision { id, chosen, other: other.map(str::to_owned), files, note: None }
}

#[test]
fn e_d_a_file_that_only_a_person_has_reaches_whoever_waits() {
    let scene = scene();
    scene.asks(json!({ "files": [{ "name": "d/requirements.md", "sensitivity": "INTERNAL",
        "deliver_to_agent_id": "agent_b" }] }));
    assert!(matches!(scene.tick()[..], [RequestOutcome::Asked(_)]));
    let (pending, questions) = scene.open().unwrap();
    let origin = Origin::Agent {
        plan: PLAN.to_owned(),
        task: "a".to_owned(),
        agent: "agent_a".to_owned(),
        request: REQUEST.to_owned(),
    };
    assert_eq!(pending.origin, origin);
    assert_eq!(questions.input().items[0].title, "Provide d/requirements.md");
    assert_eq!(scene.tick(), [], "asked once");
    // The file may have another name at its source.
    scene.answers(&[("Wishes (final).md", "what we want")]);
    assert_eq!(scene.tick(), [RequestOutcome::Answered]);
    let told = scene.ground.tick();
    assert!(told.iter().any(|it| matches!(it, PlanEvent::Answered { .. })), "{told:?}");
    assert_eq!(scene.response()["decision"], "PROVIDE");
    assert_eq!(scene.arrived("agent_b", "d/requirements.md").as_deref(), Some("what we want"));
    let inbox = scene.ground.inbox("agent_b");
    let envelope = inbox.iter().find(|name| name.starts_with("msg_human_")).unwrap();
    let envelope = scene.ground.json(&format!("agents/agent_b/inbox/{PLAN}/{envelope}"));
    assert_eq!((&envelope["task_id"], &envelope["output_name"]), (&json!("human_gateway"), &json!(REQUEST)));
    assert_eq!(envelope["payload"]["files"][0]["sha256"], json!(sha256(b"what we want")));
    assert_eq!(scene.ground.system("human_responses/.processed"), [format!("{REQUEST}.json")]);
    let before = scene.ground.tree();
    scene.ground.tick();
    scene.tick();
    assert_eq!(scene.ground.tree(), before);
}

#[test]
fn x_d_names_that_no_browser_keeps_and_patterns_are_delivered_as_they_are_wanted() {
    for (wanted, attached, delivered) in [
        (".env.staging", "env.staging", ".env.staging"),
        ("feedback_*.json", "feedback_ann.json", "feedback_ann.json"),
        ("notes/*.md", "today.md", "notes/today.md"),
    ] {
        let scene = scene();
        scene.asks(json!({ "files": [{ "name": wanted }] }));
        scene.tick();
        scene.answers(&[(attached, "x")]);
        scene.tick();
        scene.ground.tick();
        // No recipient is named, so it is for the requester.
        assert_eq!(scene.arrived("agent_a", delivered).as_deref(), Some("x"), "{wanted}");
    }
}

#[test]
fn b17_one_file_for_two_agents_reaches_both() {
    let scene = scene();
    scene.asks(json!({ "files": [
        { "name": "same.md", "deliver_to_agent_id": "agent_a" },
        { "name": "same.md", "deliver_to_agent_id": "agent_b" },
    ] }));
    scene.tick();
    scene.answers(&[("same.md", "x"), ("same.md", "x")]);
    scene.tick();
    scene.ground.tick();
    for agent in ["agent_a", "agent_b"] {
        assert_eq!(scene.arrived(agent, "same.md").as_deref(), Some("x"), "{agent}");
    }
}

#[test]
fn s13_answers_are_approve_or_clarify_and_what_is_sent_back_is_reject() {
    let options = json!([{ "key": "yes", "label": "Yes" }, { "key": "no", "impact": "it is late" }]);
    let needed = json!({ "decision": { "question": "Go?", "options": options, "default": "no" },
        "criteria": { "speed": "how fast?" } });
    let answer = |other: Option<&str>| {
        let chosen = if other.is_some() { Chosen::None } else { Chosen::One("yes".to_owned()) };
        let decisions =
            vec![decision(1, chosen, other, Vec::new()), decision(2, Chosen::None, Some("1 s"), Vec::new())];
        Ending::Decided(DecideOutput::complete(decisions))
    };
    let returned = Ending::Returned(Returned { message: "Not now.".to_owned(), items: Vec::new() });
    for (ending, wanted) in
        [(answer(None), "APPROVE"), (answer(Some("later")), "CLARIFY"), (returned, "REJECT")]
    {
        let scene = scene();
        scene.asks(needed.clone());
        scene.tick();
        let (_, questions) = scene.open().unwrap();
        let item = &questions.input().items[0];
        assert_eq!(item.recommend.as_deref(), Some("no"), "recommended, and not chosen");
        scene.ends(ending);
        scene.tick();
        scene.ground.tick();
        let response = scene.response();
        assert_eq!(response["decision"], wanted);
        // The requester gets the answer itself.
        let answer = scene.arrived("agent_a", &format!("human_response_{REQUEST}.json")).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&answer).unwrap(), response);
        match wanted {
            "REJECT" => assert_eq!(response["reason"], "Not now."),
            _ => assert_eq!(response["criteria_updates"]["speed"], "1 s"),
        }
        if wanted == "APPROVE" {
            assert_eq!(response["decision_answers"][0], json!({ "question": "Go?", "selected": "yes" }));
        }
    }
}

#[test]
fn s13_a_response_by_hand_counts_and_closes_the_questions() {
    let scene = scene();
    scene.asks(json!({ "files": [{ "name": "x.md" }] }));
    scene.tick();
    let session = scene.open().unwrap().0.session;
    scene.ground.write(&format!("agents/agent_human_gateway/outbox/{PLAN}/x.md"), "by hand");
    scene.places(
        "agent_human_gateway",
        json!({ "decision": "PROVIDE", "provided_files": [{ "name": "x.md", "deliver_to_agent_id": "agent_a" }] }),
    );
    assert_eq!(scene.tick(), [RequestOutcome::AnsweredElsewhere]);
    assert!(scene.open().is_none());
    assert_eq!(scene.decisions.record(&session).unwrap().unwrap().ending, Ending::Cancelled);
    scene.ground.tick();
    assert_eq!(scene.arrived("agent_a", "x.md").as_deref(), Some("by hand"));
    assert_eq!(scene.ground.alerts(), Vec::<String>::new());
}

#[test]
fn s13_a_wrong_response_is_refused_with_its_code() {
    let provide = |file: Value| json!({ "decision": "PROVIDE", "provided_files": [file] });
    for (agent, response, code) in [
        ("agent_human_gateway", json!({ "decision": "MAYBE" }), "HUMAN_RESPONSE_SCHEMA_INVALID"),
        ("agent_b", json!({ "decision": "APPROVE" }), "HUMAN_RESPONSE_SCHEMA_INVALID"),
        (
            "agent_human_gateway",
            json!({ "decision": "APPROVE", "request_id": "human_req_other" }),
            "HUMAN_RESPONSE_SCHEMA_INVALID",
        ),
        ("agent_human_gateway", provide(json!({ "name": "x.md" })), "HUMAN_RESPONSE_MISSING_DELIVER_TO"),
        (
            "agent_human_gateway",
            provide(json!({ "name": "nowhere.md", "deliver_to_agent_id": "agent_a" })),
            "MISSING_PAYLOAD",
        ),
        (
            "agent_human_gateway",
            provide(json!({ "name": "x.md", "deliver_to_agent_id": "agent_z" })),
            "TARGET_AGENT_NOT_FOUND",
        ),
        (
            "agent_human_gateway",
            provide(json!({ "name": "x.md", "deliver_to_agent_id": "agent_a", "sha256": sha256(b"other") })),
            "PAYLOAD_SHA_MISMATCH",
        ),
    ] {
        let scene = scene();
        scene.asks(json!({ "files": [{ "name": "x.md" }] }));
        scene.ground.write(&format!("agents/agent_human_gateway/outbox/{PLAN}/x.md"), "x");
        scene.places(agent, response.clone());
        scene.ground.tick();
        assert_eq!(scene.ground.alerts(), [code], "{response}");
        assert_eq!(scene.arrived("agent_a", "x.md"), None);
        assert_eq!(scene.ground.system("human_responses"), Vec::<String>::new());
    }
}

#[test]
fn a_deadline_that_passes_is_no_answer() {
    let scene = scene();
    scene.asks_with(
        json!({ "deadline": "2026-01-12T10:00:00Z", "needed": { "files": [{ "name": "x.md" }] } }),
    );
    assert!(matches!(scene.tick()[..], [RequestOutcome::Asked(_)]));
    assert_eq!(scene.tick(), [RequestOutcome::Expired]);
    scene.ground.tick();
    assert_eq!(scene.tick(), []);
    assert_eq!(scene.ground.system("human_responses"), Vec::<String>::new());
    let processed = format!("agents/agent_human_gateway/inbox/{PLAN}/.processed");
    assert_eq!(scene.ground.list(&processed).len(), 1);
}

#[test]
fn a_person_is_asked_once_and_answered_once_whatever_fails() {
    // The distance between the calls that fail; the long campaign lets every call fail.
    let stride = effort::stride(23);
    for fault in
        [Fault::Fails(Errno::IO), Fault::Fails(Errno::NOSPC), Fault::FailsDone(Errno::IO), Fault::Killed]
    {
        let mut turn = 0;
        while disturb(turn, fault) {
            turn += stride;
        }
        assert!(turn > 100, "only {turn} calls");
    }
}

/// Lets one call fail, wherever it is, from the asking to the delivery.
fn disturb(turn: u64, fault: Fault) -> bool {
    let scene = scene();
    scene.asks(json!({ "files": [{ "name": "d/x.md", "deliver_to_agent_id": "agent_b" }] }));
    fault::fail(turn, fault);
    let _ = scene.try_tick();
    let came_first = fault::fail_no_more();
    scene.try_tick().unwrap();
    assert_eq!(scene.decisions.open_sets().unwrap().len(), 1, "call {turn}, {fault:?}: asked once");
    scene.answers(&[("x.md", "content")]);
    if !came_first {
        // It comes later than the asking.
        fault::fail(turn, fault);
    }
    let _ = scene.try_tick();
    let _ = scene.ground.try_tick();
    let came = fault::fail_no_more();
    for _ in 0..3 {
        scene.try_tick().unwrap();
        scene.ground.after(30);
        let system = System::open(scene.ground.folders(), &scene.ground.clock, "test");
        happened(system.unwrap().tick(SystemPart::All, None).unwrap());
    }
    let about = format!("call {turn}, {fault:?}");
    assert_eq!(scene.arrived("agent_b", "d/x.md").as_deref(), Some("content"), "{about}");
    assert_eq!(scene.decisions.records().unwrap().len(), 1, "{about}");
    assert!(scene.open().is_none(), "{about}");
    assert_eq!(
        scene.ground.system("human_responses"),
        [format!("human_intervention_response_{REQUEST}.json")]
    );
    let delivered = scene.ground.deliveries().iter().filter(|line| line["output_name"] == REQUEST).count();
    assert_eq!(delivered, 1, "{about}");
    assert_eq!(scene.ground.alerts(), Vec::<String>::new(), "{about}");
    came_first || came
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof!["[ -~]{0,30}", "\\PC{0,20}", "[a-z]{300,2500}", Just(String::new()), Just(" \n\t".to_owned())]
}

fn any_name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,8}\\.[a-z]{1,4}",
        "[a-z*?]{1,8}",
        Just(".env.staging".to_owned()),
        "[a-z]{1,5}/[a-z*]{1,5}"
    ]
}

/// Texts that a reader would not see are none: a label of a variation selector alone made the request one that cannot be asked.
#[test]
fn what_is_invisible_is_not_shown() {
    let unseen = "\u{e01cf}";
    let request = json!({ "schema_version": "1.0", "request_id": "r", "plan_id": "p",
        "created_at": "2026-01-12T09:00:00Z", "severity": "LOW", "type": "CLARIFY", "title": unseen,
        "needed": { "decision": { "question": "Which?", "options": [
            { "key": "a", "label": unseen, "impact": unseen }, { "key": "b", "label": "B" }] } } });
    let request = <protocol::agent::HumanRequest as protocol::agent::Format>::from_value(&request).unwrap();
    let questions = agent::human::questions(&request, &WORDS).unwrap();
    let item = &questions.input().items[0];
    assert_eq!(item.options.iter().map(|option| &*option.label).collect::<Vec<_>>(), ["a", "B"]);
    assert_eq!(item.options[0].description, None);
    assert!(!model::is_blank(&questions.input().task));
}

proptest! {
    /// No wording of a question makes its requester wait for ever.
    #[test]
    fn any_request_can_be_asked(
        title in proptest::option::of(any_text()),
        files in proptest::collection::vec((any_name(), any_text(), any_text()), 0..5),
        decision in proptest::option::of((
            "[a-z?]{1,40}",
            proptest::collection::vec(("[a-z]{1,3}", any_text(), any_text()), 0..6),
            any_text(),
        )),
        criteria in proptest::collection::btree_map(any_text(), any_text(), 0..4),
    ) {
        let files: Vec<Value> = files
            .iter()
            .map(|(name, description, sensitivity)| {
                json!({ "name": name, "description": description, "sensitivity": sensitivity })
            })
            .collect();
        let mut needed = json!({ "files": files, "criteria": criteria });
        if let Some((question, options, default)) = &decision {
            let options: Vec<Value> = options
                .iter()
                .map(|(key, label, impact)| json!({ "key": key, "label": label, "impact": impact }))
                .collect();
            needed["decision"] = json!({ "question": question, "options": options, "default": default });
        }
        let request = json!({ "schema_version": "1.0", "request_id": "r", "plan_id": "p",
            "created_at": "2026-01-12T09:00:00Z", "severity": "LOW", "type": "CLARIFY", "title": title,
            "needed": needed });
        let request = <protocol::agent::HumanRequest as protocol::agent::Format>::from_value(&request);
        prop_assume!(request.is_ok());
        let asked = agent::human::questions(&request.unwrap(), &WORDS);
        prop_assert!(asked.is_ok(), "{asked:?}");
    }
}
