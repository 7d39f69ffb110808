//! Every message about plans in both languages.

use super::PlanMessage;
use agent::dag::{Document, Finding, Flaw};
use agent::plan::{PlanError, PlanEvent};
use model::{Found, SyntaxError};
use protocol::agent::{BlockedSummary, Code, Extra, Id, Problem, Rule};

fn id(text: &str) -> Id {
    text.parse().unwrap()
}

fn names(names: [&str; 2]) -> Vec<String> {
    names.map(str::to_owned).into()
}

fn problem() -> Problem {
    Problem { path: "nodes[0].task_id".to_owned(), rule: Rule::IsString, found: Found::Missing }
}

fn finding() -> Finding {
    let flaw = Flaw::UnknownDependency(id("task_x"));
    Finding { document: Document::Dag, path: "nodes[0].depends_on[0]".to_owned(), flaw }
}

fn blocked() -> BlockedSummary {
    BlockedSummary { input: 1, review: 2, human: 3, extra: Extra::new() }
}

samples! {
    PlanMessage, Run, Again;
    NoAgents { path: "/p/.aide/agents".into() },
    MakeAgents,
    UnknownPlan { name: "plan_x".to_owned() },
    KnownPlans { names: names(["plan_a", "plan_b"]) },
    NoPlans,
    ActivateOne,
    ServeAgain,
    UnknownAgent { name: "x".to_owned() },
    KnownAgents { names: names(["plan_a", "plan_b"]) },
    NoSuchFolder { path: "/p/plan".into() },
    NoDag { path: "/p/plan".into() },
    WhatAPlanIs,
    NotJson { file: "task_dag.json".to_owned(), error: SyntaxError::Empty },
    Broken { file: "task_dag.json".to_owned(), problem: problem() },
    Found { finding: finding() },
    IsValid { plan: id("plan_a"), tasks: 2, hints: 1 },
    HasErrors { errors: 1, hints: 2 },
    NotActivated { errors: 1 },
    MendAndRepeat,
    Activated { plan: id("plan_a"), revision: 2, sha256: "sha256:0123456789ab".to_owned(), tasks: 2, was_active: false },
    NextRun,
    Event { plan: id("plan_a"), happened: Box::new(PlanEvent::Answered { request_id: id("human_req_1") }) },
    NothingToDo,
    Trouble { plan: id("plan_a"), why: PlanError::UnknownPlan(id("plan_a")).into() },
    Paused { plan: id("plan_a"), code: Code::DagMissing },
    NotYetSeen { plan: id("plan_a") },
    Plan { plan: id("plan_a"), updated_at: "2026-01-12T17:00:00+08:00".to_owned() },
    Summary { total: 9, completed: 1, running: 1, failed: 1, skipped: 0, blocked: blocked() },
    ReviewGate { status: "OTHER".to_owned(), score: Some("85".to_owned()) },
    ReleaseGate { status: "OTHER".to_owned() },
    OpenRequest { title: "a title".to_owned(), session: Some("2025-01-15T10-30-00".parse().unwrap()) },
    AnsweredRequest { title: "a title".to_owned() },
    GivenUp { plan: id("plan_a"), count: 2 },
    DeadLetter {
        letter: id("dlq_1"),
        time: "2026-01-12T09:00:00Z".parse().unwrap(),
        code: "ROUTING_NO_TARGET".to_owned(),
        file: "a.msg.json".to_owned(),
        message: Some("msg_1".to_owned()),
        is_retriable: Some(true)
    },
    NoDeadLetters,
    NotGivenUp { name: "msg_x".to_owned() },
    SeeDeadLetters { plan: id("plan_a") },
    ReplayRequested { message: "msg_1".to_owned() },
    NextTick,
    Released { release: id("rel_1"), is_approved: true },
    EvidenceMissing { name: "e2e_test_result.json".to_owned() },
    EvidenceRejected { name: "e2e_test_result.json".to_owned(), why: "FAIL".to_owned() },
    NoManifest { plan: id("plan_a") },
    AddManifest,
}
