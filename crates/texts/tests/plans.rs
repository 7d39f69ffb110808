//! What is said of plans, in both languages.

use agent::dag::{Document, Finding, Flaw};
use agent::plan::PlanEvent;
use protocol::agent::{Code, FormatName, Id, RelPath, State};
use std::collections::BTreeSet;
use texts::{Lang, missing_parameter, plan_event, plan_finding, plan_paused, task_state};

/// A sample of each variant, with the source of its parameters. The `match` has no wildcard, so a variant without one does not
/// compile.
macro_rules! samples {
    ($type:ident: $($variant:ident $({ $($field:ident: $value:expr),* })? $(( $argument:expr ))?),* $(,)?) => {{
        let samples = vec![$($type::$variant $({ $($field: $value),* })? $(( $argument ))?),*];
        for sample in &samples {
            match sample {
                $($type::$variant { .. } => (),)*
            }
        }
        let sources = [$(concat!("" $($(, stringify!($value), " ")*)? $(, stringify!($argument))?)),*];
        samples.into_iter().zip(sources).collect::<Vec<_>>()
    }};
}

fn id(text: &str) -> Id {
    text.parse().unwrap_or_else(|_| panic!("{text}"))
}

fn path(text: &str) -> RelPath {
    text.parse().unwrap_or_else(|_| panic!("{text}"))
}

fn flaws() -> Vec<(Flaw, &'static str)> {
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

fn happened() -> Vec<(PlanEvent, &'static str)> {
    samples! { PlanEvent:
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
    }
}

#[test]
fn every_flaw_and_event_has_its_words_with_what_was_found() {
    const PATH: &str = "nodes[0].outputs[1]";
    for lang in Lang::ALL {
        for (flaw, source) in flaws() {
            let finding = Finding { document: Document::Dag, path: PATH.to_owned(), flaw };
            let told = plan_finding(lang, &finding);
            assert!(told.starts_with(&format!("{PATH}: ")) && !told.contains('\n'), "{told}");
            assert_eq!(missing_parameter(&told, source), None, "{told}");
        }
        for (happened, source) in happened() {
            let told = plan_event(lang, &happened);
            assert!(!told.trim().is_empty() && !told.contains('\n'), "{told}");
            assert_eq!(missing_parameter(&told, source), None, "{told}");
        }
    }
}

#[test]
fn an_event_says_as_much_as_is_known_of_it() {
    let delivered = |task: Option<&str>, output: Option<&str>, to: Option<&str>| PlanEvent::Delivered {
        message_id: id("msg_1"),
        task_id: task.map(id),
        output_name: output.map(id),
        from: id("agent_a"),
        to: to.map(id),
    };
    let issued =
        PlanEvent::Issued { task_id: id("task_a"), command_id: id("cmd_task_a_002"), reexecutions: 1 };
    let asked = PlanEvent::Asked { request_id: id("human_req_1"), task_id: None };
    for (happened, told) in [
        (
            delivered(Some("task_a"), None, Some("agent_b")),
            "Command of task_a delivered: agent_a → agent_b (msg_1)",
        ),
        (delivered(None, Some("report"), None), "Output report archived: agent_a (msg_1)"),
        (delivered(None, None, Some("agent_b")), "Message delivered: agent_a → agent_b (msg_1)"),
        (issued, "Command cmd_task_a_002 of task_a issued (repetition 1)"),
        (asked, "The user is asked (human_req_1)"),
        (PlanEvent::Released { is_approved: true }, "The release was approved"),
        (PlanEvent::Released { is_approved: false }, "The release was rejected"),
    ] {
        assert_eq!(plan_event(Lang::En, &happened), told);
    }
}

#[test]
fn every_state_and_every_pause_has_words_of_its_own() {
    let codes = [
        Code::DagMissing,
        Code::DagTaskNoAssignee,
        Code::ActiveDagRefMismatch,
        Code::ActiveDagRefInvalid,
        Code::DagSchemaVersionUnsupported,
        Code::DagInvalid,
    ];
    for lang in Lang::ALL {
        let states: BTreeSet<&str> = State::ALL.iter().map(|state| task_state(lang, *state)).collect();
        assert!(states.len() == State::ALL.len() && !states.contains(""), "{states:?}");
        let mut paused = BTreeSet::new();
        for code in codes {
            let told = plan_paused(lang, code);
            let sentence = told.strip_suffix(&format!(" [{code}]"));
            assert!(sentence.is_some_and(|sentence| paused.insert(sentence.to_owned())), "{told}");
        }
        assert!(!paused.contains(""), "{paused:?}");
    }
}

#[test]
fn a_path_that_somebody_made_up_is_told_in_part() {
    let finding = Finding { document: Document::Command, path: "x".repeat(10_000), flaw: Flaw::EmptyGate };
    let told = plan_finding(Lang::En, &finding);
    assert!(told.starts_with(&format!("{}…: the gate", "x".repeat(200))), "{told}");
}
