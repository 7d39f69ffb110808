//! Each rule of contract/plans §11 that the plan itself follows.

use super::*;
use crate::routing::{ActiveDag, Candidates, DeliveryLog};
use proptest::prelude::*;
use protocol::agent::{
    Code, Command, Envelope, Format, HumanDecision, Id, MessageType, Mode, PlanManifest, ReleaseDecision,
    Score, Sha256, State, TaskDag, Timestamp,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) fn id(text: &str) -> Id {
    text.parse().unwrap()
}

pub(crate) fn hash(byte: u8) -> Sha256 {
    Sha256::from([byte; 32])
}

/// So many cases of what is drawn; the long campaign multiplies them.
pub(crate) fn cases(count: u32) -> ProptestConfig {
    ProptestConfig::with_cases(count * effort::factor())
}

pub(crate) fn time(seconds: i64) -> Timestamp {
    Timestamp::from_unix(1_800_000_000 + seconds)
}

/// A task with the agent `agent_<task>` and the output `<task>_out` for its dependents, unless `more` says otherwise.
pub(crate) fn node(task: &str, depends_on: &[&str], more: Value) -> Value {
    let mut node = json!({
        "task_id": task, "assigned_agent_id": format!("agent_{task}"), "depends_on": depends_on,
        "outputs": [{ "name": format!("{task}_out"), "deliver_to": ["agent_sink"], "idempotency_key": format!("p:{task}") }],
    });
    for (key, value) in more.as_object().into_iter().flatten() {
        node[key] = value.clone();
    }
    node
}

pub(crate) fn dag(nodes: &[Value]) -> TaskDag {
    TaskDag::from_value(&json!({ "schema_version": "1.1", "plan_id": "p", "nodes": nodes })).unwrap()
}

pub(crate) fn draft(task: &str, more: Value) -> Command {
    let mut command = json!({
        "schema_version": "1.0", "command_id": format!("cmd_{task}"), "plan_id": "p", "task_id": task,
        "prompt": "Do it.", "required_inputs": [], "wait_for_inputs": true, "score_required": false, "timeout": 60,
    });
    for (key, value) in more.as_object().into_iter().flatten() {
        command[key] = value.clone();
    }
    Command::from_value_for(&command, Mode::Direct).unwrap()
}

fn makes(output: &str, path: &str) -> Value {
    json!({ "produces": [{ "output_name": output, "files": [{ "path": path }] }] })
}

fn flaws(dag: &TaskDag, around: Surroundings<'_>) -> Vec<(Code, String)> {
    lint(dag, around).into_iter().map(|finding| (finding.code(), finding.path)).collect()
}

#[test]
fn lint_names_each_flaw_with_its_place_s11() {
    let twice = json!([
        { "name": "a_out", "deliver_to": ["agent_sink"], "idempotency_key": "k" },
        { "name": "a_out", "deliver_to": ["agent_sink"], "idempotency_key": "k" },
    ]);
    let fallback =
        json!({ "failure_policy": { "on_dependency_failed": "FALLBACK", "fallback_task_id": "nowhere" } });
    for (nodes, code, path) in [
        (
            vec![node("a", &[], json!({})), node("a", &[], json!({}))],
            Code::DagDuplicateTask,
            "nodes[1].task_id",
        ),
        (vec![node("a", &["b"], json!({}))], Code::DagUnknownDependency, "nodes[0].depends_on[0]"),
        (vec![node("a", &["a"], json!({}))], Code::DagCycle, "nodes[0].depends_on"),
        (
            vec![node("a", &[], json!({ "outputs": twice }))],
            Code::DagDuplicateOutput,
            "nodes[0].outputs[1].name",
        ),
        (
            vec![node("a", &[], fallback)],
            Code::DagUnknownFallback,
            "nodes[0].failure_policy.fallback_task_id",
        ),
        (
            vec![node(
                "a",
                &[],
                json!({ "outputs": [{ "name": "o", "deliver_to": [], "idempotency_key": "k" }] }),
            )],
            Code::RoutingNoTarget,
            "nodes[0].outputs[0].deliver_to",
        ),
        (vec![node("a", &[], json!({ "gates": { "required": true } }))], Code::DagInvalid, "nodes[0].gates"),
    ] {
        assert_eq!(flaws(&dag(&nodes), Surroundings::default()), [(code, path.to_owned())]);
    }
}

#[test]
fn lint_names_the_tasks_of_a_cycle_s11() {
    let dag =
        dag(&[node("c", &["b"], json!({})), node("b", &["c"], json!({})), node("a", &["b"], json!({}))]);
    let found = lint(&dag, Surroundings::default());
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].flaw, Flaw::Cycle(vec![id("c"), id("b"), id("c")]));
}

#[test]
fn lint_draws_only_edges_that_there_are_s11() {
    // All four depend on one another, but not each on the one that comes next in the document.
    let dag = dag(&[
        node("a", &["c"], json!({})),
        node("b", &["a", "d"], json!({})),
        node("c", &["b"], json!({})),
        node("d", &["c"], json!({})),
    ]);
    let found = lint(&dag, Surroundings::default());
    let Flaw::Cycle(tasks) = &found[0].flaw else { panic!("{found:?}") };
    assert!(tasks.len() > 2 && tasks.first() == tasks.last(), "{tasks:?}");
    for edge in tasks.windows(2) {
        assert!(dag.node(&edge[0]).unwrap().depends_on.contains(&edge[1]), "{edge:?} of {tasks:?}");
    }
}

#[test]
fn lint_finds_what_is_misspelt_and_what_matches_nothing_s11() {
    let input = |name: &str, output: &str, required: bool| {
        json!({ "name": name, "selector": { "type": "by_output_name", "value": output },
            "required": required, "pick_policy": "first_seen" })
    };
    let text = json!({ "schema_version": "1.1", "plan_id": "p", "nodes": [
        { "task_id": "a", "assigned_agent_id": "agent_a", "depends_on": [], "gate": { "required": true },
          "outputs": [{ "name": "a_out", "deliver_to": ["agent_c"], "idempotency_key": "k", "deliverables": true }] },
        { "task_id": "b", "assigned_agent_id": "agent_b", "depends_on": ["a"], "outputs": [],
          "inputs": [input("one", "a_out", true), input("two", "nothing", true), input("three", "nothing", false)] },
        { "task_id": "c", "assigned_agent_id": "agent_c", "depends_on": ["a"], "outputs": [] },
        { "task_id": "d", "assigned_agent_id": "agent_c", "depends_on": [], "outputs": [] },
    ], "routing_rules": [{ "match": { "output_name": "gone" }, "deliver_to": ["agent_a"] }] });
    let told = |flaw: &Flaw| match flaw {
        Flaw::Misspelt { found, meant } => format!("{found} {meant}"),
        Flaw::NotDelivered { input, maker, agent } => format!("{input} {maker} {agent}"),
        flaw => format!("{flaw:?}").split('(').next().unwrap().to_owned(),
    };
    let slips: Vec<(String, String)> =
        super::slips(Document::Dag, &text).iter().map(|it| (it.path.clone(), told(&it.flaw))).collect();
    let pair = |path: &str, flaw: &str| (path.to_owned(), flaw.to_owned());
    assert_eq!(
        slips,
        [
            pair("nodes[0].gate", "gate gates"),
            pair("nodes[0].outputs[0].deliverables", "deliverables deliverable"),
        ]
    );
    let dag = TaskDag::from_value(&text).unwrap();
    // Both judge: the one gets what the task before it has made, the other nothing.
    let judges =
        json!({ "produces": [{ "output_name": "x", "files": [{ "path": "x_dag_review_result.json" }] }] });
    let wants = json!({ "required_inputs": ["a.md", "approval.md"] });
    let makes = json!({ "produces": [{ "output_name": "a_out", "files": [{ "path": "a.md" }] }] });
    let drafts: Drafts = [("a", makes), ("b", wants), ("c", judges.clone()), ("d", judges)]
        .map(|(task, more)| (id(task), draft(task, more)))
        .into();
    let around = Surroundings { drafts: Some(&drafts), ..Surroundings::default() };
    let found: Vec<(String, String)> = lint(&dag, around)
        .iter()
        .filter(|it| !it.is_fatal())
        .map(|it| (it.path.clone(), told(&it.flaw)))
        .collect();
    assert_eq!(
        found,
        [
            pair("nodes[1].inputs[0].selector", "one a agent_b"),
            pair("nodes[1].inputs[1].selector", "UnreachableInput"),
            pair("nodes[1].inputs[2].selector", "EmptySelector"),
            pair("nodes[3]", "NothingToJudge"),
            pair("routing_rules[0].match.output_name", "RuleMatchesNothing"),
            // `a.md` goes to others.
            pair("b.required_inputs[0]", "UnreachableInput"),
            pair("b.required_inputs[1]", "UnreachableInput"),
        ]
    );
}

#[test]
fn lint_looks_at_agents_gates_deliverables_and_commands_s11() {
    let gates = json!({ "gates": { "required": true, "evidence_required": ["review.json"],
        "thresholds": { "artifact_validation_min_score": 80 } } });
    let dag = dag(&[node("a", &[], gates)]);
    let drafts: Drafts = [(id("b"), draft("b", json!({})))].into();
    let agents = [id("agent_a")].into();
    let manifest = PlanManifest::from_value(&json!({
        "schema_version": "1.0", "plan_id": "p", "created_at": "2026-01-12T09:00:00Z", "agents": [],
        "deliverables": [{ "name": "nothing" }],
    }))
    .unwrap();
    let around = Surroundings {
        manifest: Some(&manifest),
        drafts: Some(&drafts),
        agents: Some(&agents),
        misplaced: None,
    };
    let paths: Vec<String> = flaws(&dag, around).into_iter().map(|(_, path)| path).collect();
    assert_eq!(
        paths,
        [
            "nodes[0].gates.evidence_required[0]",
            "nodes[0].gates.thresholds.artifact_validation_min_score",
            "nodes[0].outputs[0].deliver_to[0]",
            "deliverables[0].name",
            "a",
            "b.task_id",
        ]
    );
}

/// A file, and who got it.
fn arrived(message: &str, task: &str, path: &str, content: u8, at: i64, to: &str) -> (Id, ArrivedFile) {
    let file = ArrivedFile {
        message_id: id(message),
        kind: MessageType::Artifact,
        subtype: Some("remark".into()),
        task_id: id(task),
        output_name: id(&format!("{task}_out")),
        command_id: None,
        path: path.parse().unwrap(),
        sha256: hash(content),
        delivered_at: time(at),
    };
    (id(to), file)
}

fn arrivals(files: &[(Id, ArrivedFile)]) -> BTreeMap<Id, Vec<ArrivedFile>> {
    let mut arrivals: BTreeMap<Id, Vec<ArrivedFile>> = BTreeMap::new();
    for (agent, file) in files {
        arrivals.entry(agent.clone()).or_default().push(file.clone());
    }
    arrivals
}

fn picking(kind: &str, value: &str, policy: &str) -> TaskDag {
    let selector = match kind {
        "by_message_type" => json!({ "type": kind, "type_value": "artifact", "subtype_value": value }),
        _ => json!({ "type": kind, "value": value, "allowed_hashes": [hash(1), hash(2)] }),
    };
    let input = json!({ "name": "in", "selector": selector, "required": true, "pick_policy": policy });
    dag(&[node("b", &[], json!({ "inputs": [input] }))])
}

fn picked(
    dag: &TaskDag,
    files: &[(Id, ArrivedFile)],
    scores: &Scores,
) -> Result<Vec<String>, Option<AmbiguityReason>> {
    let arrivals = arrivals(files);
    let compiled = compile_inputs(&dag.nodes[0], &id("agent_b"), &arrivals, scores, &BTreeMap::new());
    if let Some(ambiguity) = compiled.ambiguous.first() {
        return Err(Some(ambiguity.reason));
    }
    if !compiled.missing.is_empty() {
        return Err(None);
    }
    Ok(compiled.resolved.iter().map(|input| input.extra["message_id"].as_str().unwrap().to_owned()).collect())
}

#[test]
fn each_selector_and_pick_policy_takes_what_it_says_s11_1() {
    let files = [
        arrived("m1", "a", "x.md", 1, 5, "agent_b"),
        arrived("m2", "c", "y.md", 2, 9, "agent_b"),
        arrived("m3", "c", "z.md", 1, 99, "agent_other"),
    ];
    let none = Scores::new();
    let scores: Scores =
        [(hash(1), Score::try_from(90.0).unwrap()), (hash(2), Score::try_from(70.0).unwrap())].into();
    for (kind, value, policy, scores, expected) in [
        ("by_file_name", "x.md", "first_seen", &none, Ok(vec!["m1".to_owned()])),
        ("by_file_name", "w.md", "first_seen", &none, Err(None)),
        ("by_glob", "*.md", "first_seen", &none, Ok(vec!["m1".to_owned()])),
        ("by_glob", "*.md", "latest_by_delivered_at", &none, Ok(vec!["m2".to_owned()])),
        ("by_output_name", "c_out", "first_seen", &none, Ok(vec!["m2".to_owned()])),
        ("by_message_type", "remark", "latest_by_delivered_at", &none, Ok(vec!["m2".to_owned()])),
        ("by_glob", "*.md", "by_sha256", &none, Err(Some(AmbiguityReason::Tie))),
        ("by_glob", "*.md", "highest_score", &none, Err(Some(AmbiguityReason::MissingData))),
        ("by_glob", "*.md", "highest_score", &scores, Ok(vec!["m1".to_owned()])),
    ] {
        assert_eq!(picked(&picking(kind, value, policy), &files, scores), expected, "{kind} {policy}");
    }
}

#[test]
fn a_tie_is_ambiguous_and_the_same_bytes_are_not_s11_1() {
    let mut files =
        [arrived("m1", "a", "x.md", 1, 5, "agent_b"), arrived("m2", "c", "x.md", 2, 5, "agent_b")];
    let dag = picking("by_glob", "*.md", "first_seen");
    assert_eq!(picked(&dag, &files, &Scores::new()), Err(Some(AmbiguityReason::Tie)));
    files[1].1.sha256 = hash(1);
    assert_eq!(picked(&dag, &files, &Scores::new()), Ok(vec!["m1".to_owned()]));
}

#[test]
fn a_name_that_several_have_is_told_by_where_it_was_put_away_s11_1() {
    let files = [
        arrived("m1", "a", "x.md", 1, 5, "agent_b"),
        arrived("m2", "a", "x.md", 2, 9, "agent_b"),
        arrived("m3", "c", "y.md", 2, 9, "agent_b"),
    ];
    let path = |policy, value| {
        let dag = picking("by_output_name", value, policy);
        let compiled = compile_inputs(
            &dag.nodes[0],
            &id("agent_b"),
            &arrivals(&files),
            &Scores::new(),
            &BTreeMap::new(),
        );
        compiled.resolved[0].paths[0].to_string()
    };
    assert_eq!(path("first_seen", "a_out"), "a/a_out/x.md");
    assert_eq!(path("latest_by_delivered_at", "a_out"), ".versions/m2/x.md");
    assert_eq!(path("first_seen", "c_out"), "y.md");
}

/// A simulated plan: the agents execute their commands at once, as `play` says.
struct Plan {
    dag: TaskDag,
    manifest: Option<PlanManifest>,
    drafts: Drafts,
    work: BTreeMap<Id, LastCommand>,
    arrived: BTreeMap<Id, Vec<ArrivedFile>>,
    evidence: Vec<Evidence>,
    asked: BTreeMap<String, Option<HumanAnswer>>,
    retried: BTreeMap<Id, u64>,
    instructions: BTreeMap<Id, Vec<Instruction>>,
    commands: Vec<Envelope>,
    now: i64,
}

impl Plan {
    fn new(nodes: &[Value], drafts: &[(&str, Value)]) -> Self {
        Self {
            dag: dag(nodes),
            manifest: None,
            drafts: drafts.iter().map(|(task, more)| (id(task), draft(task, more.clone()))).collect(),
            work: BTreeMap::new(),
            arrived: BTreeMap::new(),
            evidence: Vec::new(),
            asked: BTreeMap::new(),
            retried: BTreeMap::new(),
            instructions: BTreeMap::new(),
            commands: Vec::new(),
            now: 0,
        }
    }

    fn with<T>(&self, then: impl FnOnce(&Facts<'_>, &[NodeProgress]) -> T) -> T {
        let (graph, none, now) = (Graph::new(&self.dag), BTreeSet::new(), time(self.now));
        let facts = Facts {
            graph: &graph,
            manifest: self.manifest.as_ref(),
            drafts: &self.drafts,
            work: &self.work,
            arrived: &self.arrived,
            evidence: &self.evidence,
            asked: &self.asked,
            retried: &self.retried,
            instructions: &self.instructions,
            in_transit: &none,
            now: &now,
        };
        let progress = progress(&facts).unwrap();
        then(&facts, &progress)
    }

    fn steps(&self) -> Vec<Step> {
        let (agent, dag_sha256, last_seqs) = (id("agent_issuer"), hash(7), BTreeMap::new());
        let planner = id("agent_planner");
        let issuer = Issuer {
            agent: &agent,
            dag_sha256: &dag_sha256,
            revision: Some(1),
            last_seqs: &last_seqs,
            planner: Some(&planner),
        };
        let mut count = self.commands.len();
        let mut ids = |kind: &str| {
            count += 1;
            id(&format!("{kind}_{count}"))
        };
        self.with(|facts, progress| steps(facts, progress, &issuer, &mut ids))
    }

    /// Issues the commands that are due; returns their ids.
    fn tick(&mut self) -> Vec<String> {
        self.now += 10;
        let mut issued = Vec::new();
        for step in self.steps() {
            match step {
                Step::Issue(envelope) => {
                    let command = envelope.command().unwrap();
                    // It is a command that the router takes.
                    Envelope::from_value(&serde_json::to_value(&*envelope).unwrap()).unwrap();
                    issued.push(command.command_id.to_string());
                    let work = LastCommand::new(command, State::Ready, time(self.now), None);
                    self.work.insert(command.task_id.clone(), work);
                    self.commands.push(*envelope);
                }
                Step::Ask(question) => {
                    self.asked.insert(question.key(), None);
                    issued.push(question.key());
                }
                Step::Replan { key, request } => {
                    protocol::agent::ReplanRequest::from_value(&serde_json::to_value(&*request).unwrap())
                        .unwrap();
                    self.asked.insert(key.clone(), None);
                    issued.push(key);
                }
                Step::Default { task_id, .. } => issued.push(format!("default:{task_id}")),
                Step::CannotIssue(task) => panic!("{task}"),
            }
        }
        issued
    }

    fn end(&mut self, task: &str, state: State) {
        let work = self.work.get_mut(&id(task)).unwrap();
        work.state = state;
        work.updated_at = time(self.now);
    }

    fn state(&self, task: &str) -> State {
        self.with(|_, progress| progress.iter().find(|one| one.task_id == *task).unwrap().state)
    }

    /// The judge is done, and has given this score.
    fn judge(&mut self, judge: &str, score: f64) {
        self.end(judge, State::Completed);
        let work = &self.work[&id(judge)];
        let path = "artifact_validation_result.json";
        let message = format!("m_{}", work.command_id);
        self.evidence.push(Evidence {
            path: path.parse().unwrap(),
            sha256: hash(9),
            format: Some(protocol::agent::FormatName::ArtifactValidationResult),
            passed: true,
            decision: "PASS".to_owned(),
            score: Some(Score::try_from(score).unwrap()),
            message_id: id(&message),
            task_id: id(judge),
            command_id: Some(work.command_id.clone()),
            subject: None,
            judged: Vec::new(),
            delivered_at: time(self.now),
        });
        let (agent, file) = arrived(&message, judge, path, 9, self.now, "agent_a");
        self.arrived.entry(agent).or_default().push(file);
    }

    fn answer(&mut self, decision: HumanDecision, selected: Option<&str>) {
        for answer in self.asked.values_mut() {
            let selected = selected.map(str::to_owned);
            *answer = Some(HumanAnswer { decision, selected, in_own_words: false });
        }
    }
}

#[test]
fn a_command_is_completed_from_its_minimal_form_s10_4_s11() {
    let mut plan = Plan::new(&[node("a", &[], json!({}))], &[("a", json!({}))]);
    assert_eq!(plan.tick(), ["cmd_a_001"]);
    let command = plan.commands[0].command().unwrap();
    assert_eq!(command.command_seq, Some(1));
    assert_eq!(command.dag_ref.as_ref().unwrap().sha256, *hash(7).to_string());
    assert_eq!(command.idempotency_key.as_deref(), Some("p:a:cmd_a_001"));
    assert_eq!(plan.tick(), [""; 0], "it is issued once");
    assert_eq!(plan.state("a"), State::Ready);
}

#[test]
fn a_task_begins_after_all_it_depends_on_whatever_the_order_of_the_document_s11_2() {
    let nodes = [node("c", &["b", "a"], json!({})), node("b", &["a"], json!({})), node("a", &[], json!({}))];
    let mut plan = Plan::new(&nodes, &[("a", json!({})), ("b", json!({})), ("c", json!({}))]);
    for task in ["a", "b", "c"] {
        assert_eq!(plan.tick(), [format!("cmd_{task}_001")]);
        let later = ["a", "b", "c"].into_iter().filter(|other| *other > task);
        assert!(later.map(|other| plan.state(other)).all(|state| state == State::Pending));
        plan.end(task, State::Completed);
    }
    assert_eq!(plan.tick(), [""; 0]);
}

#[test]
fn what_nobody_makes_the_agent_waits_for_s6_4() {
    let input = json!({ "name": "guide", "required": true, "pick_policy": "first_seen",
        "selector": { "type": "by_file_name", "value": "style.md" } });
    let mut plan = Plan::new(&[node("a", &[], json!({ "inputs": [input] }))], &[("a", json!({}))]);
    plan.tick();
    let resolved = plan.commands[0].command().unwrap().resolved_inputs.clone().unwrap();
    assert_eq!((resolved[0].required, resolved[0].paths[0].as_str()), (true, "style.md"));
}

#[test]
fn an_input_that_is_ambiguous_is_chosen_by_a_person_s11_1() {
    let input = json!({ "name": "in", "required": true, "pick_policy": "first_seen",
        "selector": { "type": "by_glob", "value": "*.md" } });
    let mut plan = Plan::new(&[node("b", &[], json!({ "inputs": [input] }))], &[("b", json!({}))]);
    let files = [arrived("m1", "x", "x.md", 1, 5, "agent_b"), arrived("m2", "y", "y.md", 2, 5, "agent_b")];
    plan.arrived = arrivals(&files);
    assert_eq!(plan.tick(), ["input:b:in:m1:x.md;m2:y.md"]);
    assert_eq!(plan.state("b"), State::BlockedWaitingHuman);
    assert_eq!(plan.tick(), [""; 0], "it is asked once");
    plan.answer(HumanDecision::Approve, Some("m2:y.md"));
    assert_eq!(plan.tick(), ["cmd_b_001"]);
    let resolved = plan.commands[0].command().unwrap().resolved_inputs.clone().unwrap();
    assert_eq!(resolved[0].paths[0].as_str(), "y.md");
}

fn failing(policy: Value) -> Plan {
    let nodes = [
        node("a", &[], json!({})),
        node("b", &["a"], json!({ "failure_policy": policy })),
        node("c", &["b"], json!({})),
        node("f", &[], json!({})),
    ];
    let mut plan =
        Plan::new(&nodes, &[("a", json!({})), ("b", json!({})), ("c", json!({})), ("f", json!({}))]);
    plan.tick();
    plan.end("a", State::Failed);
    plan
}

#[test]
fn skip_leaves_out_and_what_needs_that_as_well_s11_3() {
    let plan = failing(json!({ "on_dependency_failed": "SKIP" }));
    assert_eq!((plan.state("b"), plan.state("c")), (State::Skipped, State::Skipped));
}

#[test]
fn block_asks_a_person_and_goes_on_or_not_as_they_say_s11_3() {
    for (decision, state) in [(HumanDecision::Approve, State::Ready), (HumanDecision::Reject, State::Failed)]
    {
        let mut plan = failing(json!({ "on_dependency_failed": "BLOCK" }));
        assert_eq!(plan.state("b"), State::BlockedWaitingHuman);
        assert_eq!(plan.tick(), ["dependency:b:a:1"]);
        plan.answer(decision, None);
        assert_eq!(plan.state("b"), state);
    }
}

#[test]
fn replan_is_requested_once_s11_3() {
    let mut plan = failing(json!({ "on_dependency_failed": "REPLAN_REQUEST" }));
    assert_eq!(plan.tick(), ["replan:b:a:1"]);
    assert_eq!(plan.tick(), [""; 0]);
    assert_eq!(plan.state("b"), State::BlockedWaitingReview);
}

#[test]
fn a_fallback_is_done_only_when_called_for_and_stands_in_s11_3() {
    let policy = json!({ "on_dependency_failed": "FALLBACK", "fallback_task_id": "f" });
    let mut plan = failing(policy);
    assert_eq!(plan.commands.len(), 1, "f waits");
    assert_eq!(plan.tick(), ["cmd_f_001"]);
    assert_eq!((plan.state("b"), plan.state("c")), (State::Skipped, State::Pending));
    plan.end("f", State::Completed);
    assert_eq!(plan.tick(), ["cmd_c_001"]);
}

fn gated(limit: u64) -> Plan {
    let gates = json!({ "required": true, "evidence_required": ["artifact_validation_result.json"],
        "thresholds": { "artifact_validation_min_score": 80 } });
    let nodes = [
        node("a", &[], json!({ "gates": gates, "failure_policy": { "max_reexecute_times": limit } })),
        node("j", &["a"], json!({})),
        node("c", &["a"], json!({})),
    ];
    let drafts =
        [("a", json!({})), ("j", makes("j_out", "artifact_validation_result.json")), ("c", json!({}))];
    Plan::new(&nodes, &drafts)
}

/// A plan whose first task is done and whose reviewer has its command.
fn under_review() -> Plan {
    let mut plan = gated(1);
    plan.tick();
    plan.end("a", State::Completed);
    plan.tick();
    plan
}

#[test]
fn a_gate_lets_only_the_judge_begin_and_opens_with_the_score_s11_4() {
    let mut plan = gated(1);
    plan.tick();
    plan.end("a", State::Completed);
    assert_eq!(plan.state("a"), State::BlockedWaitingReview);
    assert_eq!(plan.tick(), ["cmd_j_001"], "c waits for the gate");
    plan.judge("j", 80.0);
    assert_eq!(plan.state("a"), State::Completed);
    assert_eq!(plan.tick(), ["cmd_c_001"]);
}

#[test]
fn a_gate_that_falls_short_has_the_task_done_again_with_the_judgement_then_a_person_decides_s11_4() {
    let mut plan = under_review();
    plan.judge("j", 79.5);
    assert_eq!(plan.tick(), ["cmd_a_002"]);
    let command = plan.commands.last().unwrap().command().unwrap().clone();
    let judgement = command.resolved_inputs.unwrap().pop().unwrap();
    assert_eq!((judgement.input_name.as_str(), judgement.required), (JUDGEMENT, true));
    assert_eq!(judgement.paths[0].as_str(), "artifact_validation_result.json");
    assert_eq!(command.extra["reexecute_count"], 1);
    assert_eq!(plan.tick(), [""; 0]);
    plan.end("a", State::Completed);
    // What was judged is another: the judge begins again, and its old judgement is void.
    assert_eq!(plan.state("a"), State::BlockedWaitingReview);
    assert_eq!(plan.tick(), ["cmd_j_002"]);
    plan.judge("j", 10.0);
    assert_eq!(plan.tick(), ["gate:a:2"]);
    assert_eq!(plan.state("a"), State::BlockedWaitingHuman);
    plan.answer(HumanDecision::Approve, None);
    assert_eq!(plan.tick(), ["cmd_c_001"]);
}

#[test]
fn a_gate_before_a_task_has_what_was_judged_done_again_and_nothing_begins_meanwhile_s11_4() {
    let gates = json!({ "required": true, "thresholds": { "artifact_validation_min_score": 80 } });
    let nodes = [
        node("a", &[], json!({})),
        node("j", &["a"], json!({})),
        node("p", &["j"], json!({ "gates": gates })),
    ];
    let drafts =
        [("a", json!({})), ("j", makes("j_out", "artifact_validation_result.json")), ("p", json!({}))];
    let mut plan = Plan::new(&nodes, &drafts);
    plan.tick();
    plan.end("a", State::Completed);
    plan.tick();
    plan.judge("j", 50.0);
    assert_eq!(plan.state("p"), State::BlockedWaitingReview);
    assert_eq!(plan.tick(), ["cmd_a_002"]);
    assert_eq!(plan.tick(), [""; 0]);
    plan.end("a", State::Completed);
    assert_eq!(plan.tick(), ["cmd_j_002"]);
    plan.judge("j", 90.0);
    assert_eq!(plan.tick(), ["cmd_p_001"]);
}

#[test]
fn a_judgement_that_nobody_can_give_any_more_is_asked_of_a_person_s11_4() {
    let mut plan = under_review();
    plan.end("j", State::Failed);
    assert_eq!(plan.tick(), ["review:a:1:j=1:artifact_validation_result.json"]);
    plan.answer(HumanDecision::Reject, None);
    assert_eq!(plan.state("a"), State::Failed);
}

#[test]
fn a_reviewer_that_has_failed_can_be_tried_again_before_its_work_counts_unreviewed() {
    let mut plan = under_review();
    for (seq, again) in [(1, "cmd_j_002"), (2, "cmd_j_003")] {
        plan.end("j", State::Failed);
        assert_eq!(plan.tick(), [format!("review:a:1:j={seq}:artifact_validation_result.json")]);
        plan.answer(HumanDecision::Clarify, Some(AGAIN));
        plan.retried.extend(retried(&plan.asked));
        assert_eq!(plan.state("a"), State::BlockedWaitingReview);
        assert_eq!(plan.tick(), [again]);
        assert_eq!(plan.tick(), [""; 0], "it is asked about once it has ended");
    }
    plan.judge("j", 90.0);
    assert_eq!(plan.state("a"), State::Completed);
}

#[test]
fn what_was_answered_before_reviewers_were_named_still_counts() {
    let mut plan = under_review();
    plan.end("j", State::Failed);
    let answer = HumanAnswer { decision: HumanDecision::Approve, selected: None, in_own_words: false };
    plan.asked.insert("evidence:a:1:artifact_validation_result.json".to_owned(), Some(answer));
    assert_eq!(plan.state("a"), State::Completed);
}

#[test]
fn a_task_behind_a_gate_goes_on_without_a_judgement_when_a_person_says_so() {
    let gates = json!({ "required": true, "thresholds": { "artifact_validation_min_score": 80 } });
    let policy = json!({ "on_dependency_failed": "BLOCK" });
    let nodes =
        [node("j", &[], json!({})), node("p", &["j"], json!({ "gates": gates, "failure_policy": policy }))];
    let drafts = [("j", makes("j_out", "artifact_validation_result.json")), ("p", json!({}))];
    let mut plan = Plan::new(&nodes, &drafts);
    plan.tick();
    plan.end("j", State::Failed);
    assert_eq!(plan.tick(), ["dependency:p:j:1"]);
    plan.answer(HumanDecision::Approve, None);
    assert_eq!(plan.tick(), ["review:p:0:j=1:artifact_validation_result"]);
    plan.answer(HumanDecision::Approve, None);
    assert_eq!(plan.tick(), ["cmd_p_001"]);
}

#[test]
fn a_judgement_that_does_not_come_in_time_is_taken_as_the_plan_says_s11_6() {
    for (default, expected) in [
        ("APPROVE", vec!["default:a", "cmd_c_001"]),
        ("REVISE", vec!["default:a", "cmd_a_002"]),
        ("REJECT", vec!["default:a", "dependency:c:a:1"]),
    ] {
        let timeouts =
            json!({ "artifact_validation": { "timeout_seconds": 100, "default_decision": default } });
        let manifest = json!({ "schema_version": "1.0", "plan_id": "p", "created_at": "2026-01-12T09:00:00Z",
            "agents": [], "deliverables": [{ "name": "a_out" }], "policies": { "timeouts": timeouts } });
        let mut plan = gated(1);
        plan.manifest = Some(PlanManifest::from_value(&manifest).unwrap());
        plan.tick();
        plan.end("a", State::Completed);
        plan.tick();
        assert_eq!(plan.tick(), [""; 0]);
        plan.now += 100;
        assert_eq!(plan.tick(), expected, "{default}");
        if default == "REVISE" {
            assert_eq!(plan.work[&id("a")].reexecutions, 1, "it counts");
        }
    }
}

#[test]
fn a_task_is_done_again_as_often_as_the_plan_says_unless_it_says_itself_s11_3() {
    let manifest = json!({ "schema_version": "1.0", "plan_id": "p", "created_at": "2026-01-12T09:00:00Z", "agents": [],
        "deliverables": [{ "name": "a_out" }], "policies": { "max_reexecute_times": 5 } });
    let mut plan = gated(1);
    plan.with(|facts, _| {
        assert_eq!(facts.max_reexecutions(&facts.graph.dag().nodes[0]), 1);
        assert_eq!(facts.max_reexecutions(&facts.graph.dag().nodes[1]), 3);
    });
    plan.manifest = Some(PlanManifest::from_value(&manifest).unwrap());
    plan.with(|facts, _| assert_eq!(facts.max_reexecutions(&facts.graph.dag().nodes[1]), 5));
}

#[test]
fn a_plan_is_done_when_nothing_is_open_s11_6() {
    let manifest = PlanManifest::from_value(&json!({
        "schema_version": "1.0", "plan_id": "p", "created_at": "2026-01-12T09:00:00Z",
        "agents": [{ "agent_id": "agent_a", "required": true }, { "agent_id": "agent_c", "required": false }],
        "deliverables": [{ "name": "a_out", "from_task_id": "a" }],
        "policies": { "release_gates_required": ["smoke_test_result.json"],
            "timeouts": { "release_gate": { "timeout_seconds": 60 } } },
    }))
    .unwrap();
    let mut plan = Plan::new(&[node("a", &[], json!({}))], &[("a", json!({}))]);
    plan.tick();
    let look = |plan: &Plan, archived: bool, seen: bool, release, late: i64| {
        let archived = if archived { [(id("a"), id("a_out"))].into() } else { BTreeSet::new() };
        let seen = if seen { [id("agent_a")].into() } else { BTreeSet::new() };
        plan.with(|facts, progress| {
            open(&Outcome {
                dag: facts.graph.dag(),
                manifest: &manifest,
                drafts: Some(facts.drafts),
                progress,
                archived: &archived,
                evidence: &[],
                trusted: None,
                seen: &seen,
                release,
                release_asked_at: Some(&time(0)),
                now: &time(late),
            })
        })
    };
    let all =
        [OpenItem::NotArchived("a_out".into()), OpenItem::NeverSeen(id("agent_a")), OpenItem::ReleasePending];
    assert_eq!(look(&plan, false, false, None, 1), all);
    assert_eq!(
        look(&plan, true, true, Some(ReleaseDecision::Approve), 1),
        [OpenItem::NotAccepted("a_out".into())]
    );
    plan.end("a", State::Completed);
    assert_eq!(look(&plan, true, true, Some(ReleaseDecision::Approve), 1), []);
    assert_eq!(look(&plan, true, true, None, 61), [OpenItem::ReleaseRejected], "nobody has looked in time");
    plan.end("a", State::Failed);
    assert!(look(&plan, true, true, Some(ReleaseDecision::Approve), 1).contains(&OpenItem::Failed(id("a"))));
}

#[test]
fn an_output_that_comes_again_becomes_what_its_mode_says_s11_5() {
    let output = |versioning: Value| {
        let outputs =
            json!([{ "name": "o", "deliver_to": [], "idempotency_key": "k", "versioning": versioning }]);
        dag(&[node("a", &[], json!({ "outputs": outputs }))]).nodes[0].outputs[0].clone()
    };
    let content = |byte| Content::from_iter([("o.md", hash(byte))]);
    let earlier = |tag: &str| {
        let mut versions = Versions::default();
        versions.push(id("m1"), content(1), Some(tag.to_owned()));
        versions
    };
    use VersionDecision::{BadTag, Deliver, Duplicate, Reject, Replace};
    let m1 = || id("m1");
    for (versioning, tag, decision) in [
        (json!(null), None, Deliver),
        (json!({ "mode": "immutable_by_message_id" }), None, Deliver),
        (json!({ "mode": "keep_latest" }), None, Replace(m1())),
        (json!({ "mode": "overwrite_by_name" }), None, Replace(m1())),
        (json!({ "mode": "reject_on_change" }), None, Reject(m1())),
        (json!({ "conflict_policy": "deadletter_on_change" }), None, Reject(m1())),
        (json!({ "mode": "semver_tagged" }), Some("1.1.0"), Replace(m1())),
        (json!({ "mode": "semver_tagged" }), Some("1.0.0"), Reject(m1())),
        (json!({ "mode": "semver_tagged" }), Some("newer"), BadTag(Some("newer".into()))),
        (json!({ "mode": "semver_tagged" }), None, BadTag(None)),
    ] {
        let output = output(versioning.clone());
        assert_eq!(version(&output, content(2), tag, &earlier("v1.0.0")), decision, "{versioning}");
        assert_eq!(version(&output, content(1), tag, &earlier("v1.0.0")), Duplicate(m1()), "{versioning}");
        assert_eq!(version(&output, content(2), tag, &Versions::default()), Deliver);
    }
    // What was there before and comes back is news where the latest counts, and the same again where all do.
    let mut versions = earlier("1.0.0");
    versions.push(id("m2"), content(2), Some("2.0.0".to_owned()));
    let mode = |mode: &str| output(json!({ "mode": mode }));
    assert_eq!(version(&mode("keep_latest"), content(1), None, &versions), Replace(id("m2")));
    assert_eq!(version(&mode("immutable_by_message_id"), content(1), None, &versions), Duplicate(m1()));
    assert_eq!(version(&mode("reject_on_change"), content(3), None, &versions), Reject(id("m2")));
    assert_eq!(version(&mode("semver_tagged"), content(3), Some("v1.0.0"), &versions), Reject(m1()));
    // The order in which files are named does not matter, what they are called does.
    let files = [("a", hash(1)), ("b", hash(2))];
    assert_eq!(Content::from_iter(files), Content::from_iter([files[1], files[0]]));
    assert_ne!(Content::from_iter(files), Content::from_iter([("a", hash(2)), ("b", hash(1))]));
    assert_ne!(Content::from_iter([("a", hash(1))]), Content::from_iter(files));
}

/// The simplest algorithm: remove nodes without remaining dependencies until none is left.
fn can_be_sorted(edges: &BTreeSet<(usize, usize)>, count: usize) -> bool {
    let mut left: BTreeSet<usize> = (0..count).collect();
    while let Some(free) =
        left.iter().copied().find(|one| !edges.iter().any(|(from, to)| to == one && left.contains(from)))
    {
        left.remove(&free);
    }
    left.is_empty()
}

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn lint_refuses_a_cycle_if_and_only_if_the_tasks_have_no_order(
        count in 1_usize..8,
        edges in proptest::collection::btree_set((0_usize..8, 0_usize..8), 0..14),
    ) {
        let edges: BTreeSet<_> = edges.into_iter().filter(|(a, b)| *a < count && *b < count).collect();
        let nodes: Vec<Value> = (0..count).map(|to| {
            let from: Vec<String> = edges.iter().filter(|(_, other)| *other == to).map(|(from, _)| format!("t{from}")).collect();
            node(&format!("t{to}"), &from.iter().map(String::as_str).collect::<Vec<_>>(), json!({}))
        }).collect();
        let dag = dag(&nodes);
        let is_sorted = can_be_sorted(&edges, count);
        prop_assert_eq!(lint(&dag, Surroundings::default()).is_empty(), is_sorted);
        let graph = Graph::new(&dag);
        let order = graph.order();
        prop_assert_eq!(order.is_some(), is_sorted);
        for (from, to) in &edges {
            let place = |task: usize| order.as_ref()?.iter().position(|node| node.task_id == *format!("t{task}").as_str());
            prop_assert!(!is_sorted || place(*from) < place(*to));
        }
    }

    /// Whichever tasks fail, and in whatever order they end: no task begins before its dependencies are done, none is issued
    /// twice, and a plan in which everything succeeds ends.
    #[test]
    fn a_plan_is_played_in_its_order_and_ends(
        edges in proptest::collection::btree_set((0_usize..7, 0_usize..7), 0..12),
        choices in proptest::collection::vec((any::<prop::sample::Index>(), 0_u8..10), 30),
        failing in any::<bool>(),
    ) {
        let edges: BTreeSet<_> = edges.into_iter().filter(|(from, to)| from < to).collect();
        let names: Vec<String> = (0..7).map(|at| format!("t{at}")).collect();
        let nodes: Vec<Value> = (0..7).map(|to| {
            let from: Vec<&str> = edges.iter().filter(|(_, other)| *other == to).map(|(from, _)| names[*from].as_str()).collect();
            node(&names[to], &from, json!({ "failure_policy": { "on_dependency_failed": "SKIP" } }))
        }).collect();
        let drafts: Vec<(&str, Value)> = names.iter().map(|name| (name.as_str(), json!({}))).collect();
        let mut plan = Plan::new(&nodes, &drafts);
        for (which, luck) in choices {
            for command in plan.tick() {
                prop_assert!(command.ends_with("_001"), "{}", command);
            }
            let running: Vec<String> = plan.work.iter().filter(|(_, work)| work.state == State::Ready).map(|(task, _)| task.to_string()).collect();
            if running.is_empty() { break }
            let task = running[which.index(running.len())].clone();
            for (from, to) in &edges {
                let is_done = plan.work.get(&id(&names[*from])).is_some_and(|work| work.state == State::Completed);
                prop_assert!(names[*to] != task || is_done);
            }
            plan.end(&task, if failing && luck == 0 { State::Failed } else { State::Completed });
        }
        let states: Vec<State> = names.iter().map(|name| plan.state(name)).collect();
        prop_assert!(states.iter().all(|state| state.is_terminal()), "{:?}", states);
        prop_assert!(failing || states.iter().all(|state| *state == State::Completed));
    }
}

#[test]
fn only_a_command_for_the_active_dag_is_the_newest_s10_2() {
    let mut plan = Plan::new(&[node("a", &[], json!({}))], &[("a", json!({}))]);
    plan.tick();
    let active = |sha256| ActiveDag { dag: plan.dag.clone(), sha256, revision: None, kind: None };
    let (agents, log) = ([id("agent_a")].into(), DeliveryLog::default());
    let newest = |active: &ActiveDag| crate::routing::candidates(&plan.commands, [], active, &agents, &log);
    assert_eq!(newest(&active(hash(7)))[&id("a")].seq, 1);
    assert_eq!(newest(&active(hash(8))), Candidates::new());
}

#[test]
fn a_task_that_names_no_inputs_works_with_the_latest_of_what_was_delivered_s11_1() {
    let mut plan = Plan::new(
        &[node("a", &[], json!({})), node("b", &["a"], json!({})), node("c", &[], json!({}))],
        &[("a", json!({})), ("b", json!({ "required_inputs": ["mine.md"] })), ("c", json!({}))],
    );
    plan.tick();
    plan.end("a", State::Completed);
    plan.arrived = arrivals(&[
        arrived("m1", "a", "x.md", 1, 5, "agent_b"),
        arrived("m2", "a", "x.md", 2, 9, "agent_b"),
        // Not what it builds on, and not for it.
        arrived("m3", "c", "y.md", 3, 9, "agent_b"),
        arrived("m4", "a", "x.md", 4, 99, "agent_sink"),
    ]);
    assert_eq!(plan.tick(), ["cmd_b_001"]);
    let command = plan.commands.last().unwrap().command().unwrap();
    let inputs: Vec<(String, bool)> = command
        .resolved_inputs
        .iter()
        .flatten()
        .map(|input| (input.paths[0].to_string(), input.required))
        .collect();
    assert_eq!(inputs, [(".versions/m2/x.md".to_owned(), true), ("mine.md".to_owned(), true)]);
}

#[test]
fn a_failed_task_is_tried_again_where_that_is_wanted_s11_3() {
    let mut plan = Plan::new(
        &[node("a", &[], json!({})), node("b", &["a"], json!({}))],
        &[("a", json!({})), ("b", json!({}))],
    );
    plan.tick();
    plan.end("a", State::Failed);
    assert_eq!(plan.tick(), ["dependency:b:a:1"]);
    let is_open = |plan: &Plan, key: &str| plan.with(|facts, progress| is_still_asked(facts, progress, key));
    assert!(is_open(&plan, "dependency:b:a:1"));
    // The person who was asked wants it.
    let again = HumanAnswer {
        decision: HumanDecision::Clarify,
        selected: Some(AGAIN.to_owned()),
        in_own_words: false,
    };
    plan.asked.insert("dependency:b:a:1".to_owned(), Some(again));
    plan.retried = retried(&plan.asked);
    assert_eq!(plan.tick(), ["cmd_a_002"]);
    assert_eq!((plan.state("a"), plan.state("b")), (State::Ready, State::Pending));
    assert!(plan.tick().is_empty(), "once");
    plan.end("a", State::Failed);
    assert_eq!(plan.tick(), ["dependency:b:a:2"]);
    // It is named: then the question is no longer one.
    plan.retried.insert(id("a"), 2);
    assert!(!is_open(&plan, "dependency:b:a:2"));
    assert_eq!(plan.tick(), ["cmd_a_003"]);
    plan.end("a", State::Completed);
    assert_eq!(plan.tick(), ["cmd_b_001"]);
}

#[test]
fn a_task_that_is_done_is_done_again_with_what_builds_on_it_where_that_is_wanted() {
    let mut plan = Plan::new(
        &[node("a", &[], json!({})), node("b", &["a"], json!({})), node("c", &[], json!({}))],
        &[("a", json!({})), ("b", json!({})), ("c", json!({}))],
    );
    assert_eq!(plan.tick(), ["cmd_a_001", "cmd_c_001"]);
    plan.end("a", State::Completed);
    plan.end("c", State::Completed);
    assert_eq!(plan.tick(), ["cmd_b_001"]);
    plan.end("b", State::Completed);
    assert!(plan.tick().is_empty());
    plan.retried.insert(id("a"), 1);
    assert_eq!(plan.tick(), ["cmd_a_002"]);
    assert_eq!((plan.state("a"), plan.state("b")), (State::Ready, State::Pending));
    assert!(plan.tick().is_empty(), "once");
    plan.end("a", State::Completed);
    assert_eq!(plan.tick(), ["cmd_b_002"]);
    plan.end("b", State::Completed);
    assert!(plan.tick().is_empty());
    assert_eq!((plan.state("b"), plan.state("c")), (State::Completed, State::Completed));
}

#[test]
fn own_words_about_a_failed_task_have_it_tried_again_and_are_its_instructions() {
    let words = |selected: &str| HumanAnswer {
        decision: HumanDecision::Clarify,
        selected: Some(selected.to_owned()),
        in_own_words: selected != AGAIN,
    };
    for (key, answer, task, is_retried) in [
        ("dependency:b:a:1", words("Use fewer words."), "a", true),
        ("dependency:b:a:1", words(AGAIN), "a", true),
        // A task that never had a command cannot be tried again: the task that was asked about continues.
        ("dependency:b:a:0", words("Use fewer words."), "b", false),
        ("replan:b:a:2", words("Use fewer words."), "a", true),
        ("gate:a:3", words("Use fewer words."), "a", false),
        ("review:b:1:a=2:names", words("Use fewer words."), "a", true),
    ] {
        assert_eq!(instructed(key, &answer)[0].0, id(task), "{key}");
        let asked = [(key.to_owned(), Some(answer))].into();
        assert_eq!(retried(&asked).contains_key(&id("a")), is_retried, "{key}");
    }
    let mut plan = Plan::new(&[node("a", &[], json!({}))], &[("a", json!({}))]);
    let instruction =
        |at: i64, text: &str| Instruction { written_at: time(at), seq: 1, text: text.to_owned() };
    plan.instructions
        .insert(id("a"), vec![instruction(9, "Second.\nOn two lines."), instruction(3, "First.")]);
    plan.tick();
    let prompt = &plan.commands[0].command().unwrap().prompt;
    let (before, after) = prompt.split_once("\n\n## User instructions (highest priority)\n\n").unwrap();
    assert!(!before.is_empty() && after.ends_with("\n\n1. Second.\n   On two lines.\n2. First."), "{prompt}");
}

#[test]
fn a_long_instruction_is_in_the_prompt_and_says_what_is_left_out() {
    let instruction = |at: i64, text: String| Instruction { written_at: time(at), seq: 1, text };
    let prompt_with = |written: Vec<Instruction>| {
        let mut plan = Plan::new(&[node("a", &[], json!({}))], &[("a", json!({}))]);
        plan.instructions.insert(id("a"), written);
        plan.tick();
        plan.commands[0].command().unwrap().prompt.to_string()
    };
    // A character of three bytes lies on the limit.
    let long = format!("a{}", "字".repeat(12_000));
    let prompt = prompt_with(vec![instruction(9, long), instruction(3, "First.".to_owned())]);
    let written = format!("\n\n1. a{} … (3234 more bytes were left out)", "字".repeat(10_922));
    assert!(prompt.ends_with(&written), "{}", &prompt[prompt.len() - 200..]);
    // Earlier ones are whole or not there.
    let earlier = prompt_with(vec![instruction(9, "Short.".to_owned()), instruction(3, "b".repeat(33_000))]);
    assert!(earlier.ends_with("\n\n1. Short."), "{}", earlier.len());
}
