//! What is said of plans, in both languages.

use agent::dag::{Document, Finding, Flaw};
use agent::plan::PlanEvent;
use model::agent::{Code, FormatName, Id, RelPath, State};
use texts::{Lang, plan_event, plan_finding, plan_paused, task_state};

/// A sample of each variant. The `match` has no wildcard, so a variant without one does not compile.
macro_rules! samples {
    ($type:ident: $($variant:ident $({ $($field:ident: $value:expr),* })? $(( $argument:expr ))?),* $(,)?) => {{
        let samples = vec![$($type::$variant $({ $($field: $value),* })? $(( $argument ))?),*];
        for sample in &samples {
            match sample {
                $($type::$variant { .. } => (),)*
            }
        }
        samples
    }};
}

fn id(text: &str) -> Id {
    text.parse().unwrap_or_else(|_| panic!("{text}"))
}

fn path(text: &str) -> RelPath {
    text.parse().unwrap_or_else(|_| panic!("{text}"))
}

fn flaws() -> Vec<Flaw> {
    samples! { Flaw:
        DuplicateTask(id("task_a")),
        UnknownDependency(id("task_x")),
        Cycle(vec![id("task_a"), id("task_b"), id("task_a")]),
        DuplicateOutput(id("report")),
        UnknownFallback(id("task_x")),
        MissingFallback,
        FallbackNeedsTask(id("task_b")),
        UnknownAgent(id("agent_x")),
        UnreachableEvidence(path("e2e_test_result.json")),
        UnreachableThreshold(FormatName::DagReviewResult),
        EmptyGate,
        RoutingGap(id("report")),
        RuleShadows,
        RuleWithoutTarget,
        UnmadeDeliverable("report.md".to_owned()),
        UnknownTask(id("task_x")),
        UnreachableInput("draft".to_owned()),
        InputNotAwaited(id("task_b")),
        BadPattern("[".to_owned()),
        OtherPlan(id("plan_b")),
        NoCommand(id("task_a")),
        UnknownOutput(id("report")),
        TaskIdTooLong(id("task_long")),
        Misspelt { found: "gate".to_owned(), meant: "gates" },
        AgentIsFile(id("agent_x")),
        NotDelivered { input: "draft".to_owned(), maker: id("task_a"), agent: id("agent_b") },
        EmptySelector("draft".to_owned()),
        RuleMatchesNothing(id("report")),
        NothingToJudge(id("task_review")),
    }
}

fn happened() -> Vec<PlanEvent> {
    let mut all = samples! { PlanEvent:
        Delivered {
            message_id: id("msg_1"),
            task_id: Some(id("task_a")),
            output_name: Some(id("report")),
            from: id("agent_a"),
            to: Some(id("agent_b"))
        },
        GivenUp {
            code: Code::RoutingNoTarget,
            from: id("agent_a"),
            file_name: "a.msg.json".to_owned(),
            detail: "nobody gets it".to_owned()
        },
        Issued { task_id: id("task_a"), command_id: id("cmd_task_a_001"), reexecutions: 0 },
        Asked { request_id: id("human_req_1"), task_id: Some(id("task_a")) },
        Answered { request_id: id("human_req_1") },
        Withdrawn { request_id: id("human_req_1"), task_id: Some(id("task_a")) },
        ReplanRequested { request_id: id("replan_1") },
        Released { is_approved: true },
        Alerted { code: Code::HeartbeatTimeout, message: "line\nbreak".to_owned() },
    };
    let delivered = |task: Option<&str>, output: Option<&str>, to: Option<&str>| PlanEvent::Delivered {
        message_id: id("msg_1"),
        task_id: task.map(id),
        output_name: output.map(id),
        from: id("agent_a"),
        to: to.map(id),
    };
    all.extend([
        delivered(Some("task_a"), None, Some("agent_b")),
        delivered(None, Some("report"), None),
        delivered(None, None, Some("agent_b")),
        PlanEvent::Issued { task_id: id("task_a"), command_id: id("cmd_task_a_002"), reexecutions: 1 },
        PlanEvent::Asked { request_id: id("human_req_1"), task_id: None },
        PlanEvent::Released { is_approved: false },
    ]);
    all
}

fn table(lang: Lang) -> String {
    let finding = |flaw| Finding { document: Document::Dag, path: "nodes[0].outputs[1]".to_owned(), flaw };
    let flaws = flaws().into_iter().map(|flaw| plan_finding(lang, &finding(flaw)));
    let happened = happened().into_iter().map(|happened| plan_event(lang, &happened)).collect::<Vec<_>>();
    let states = State::ALL.iter().map(|state| format!("{state}: {}", task_state(lang, *state)));
    let codes = [
        Code::DagMissing,
        Code::DagTaskNoAssignee,
        Code::ActiveDagRefMismatch,
        Code::ActiveDagRefInvalid,
        Code::DagSchemaVersionUnsupported,
        Code::DagInvalid,
    ];
    let paused = codes.into_iter().map(|code| plan_paused(lang, code));
    let lines: Vec<String> = flaws.chain(happened).chain(states).chain(paused).collect();
    lines.join("\n")
}

#[test]
fn every_flaw_event_and_state_has_its_words() {
    insta::assert_snapshot!("plans_zh", table(Lang::Zh));
    insta::assert_snapshot!("plans_en", table(Lang::En));
}

#[test]
fn a_path_that_somebody_made_up_is_told_in_part() {
    let finding = Finding { document: Document::Command, path: "x".repeat(10_000), flaw: Flaw::EmptyGate };
    let told = plan_finding(Lang::En, &finding);
    assert!(told.starts_with(&format!("{}…: the gate", "x".repeat(200))), "{told}");
}
