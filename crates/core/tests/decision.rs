//! Decisions: questions, answers and ends.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

use aide_core::decision::{
    AnswerProblem, Consequence, DecisionReason, NewQuestion, Question, QuestionProblem, Resolution, Subject,
    UserAnswer, consent_effect, fallback_answer, implied_answer, is_due, option_labels, read_answer,
    status_at,
};
use model::respond::ResponseError;
use model::{Chosen, DecideItem, DecideOutput, Decision, Ending, ItemKind, Returned};
use protocol::workflow::{Consent, DecisionStatus, Effect, ErrorCode, MissingResource, Refusal, ToolName};
use serde_json::{Value, json};

fn texts(options: &[&str]) -> Vec<String> {
    options.iter().map(|option| (*option).to_owned()).collect()
}

const SUBJECT: Subject<'_> = Subject { task: Some("report"), source: "workflow-1" };

fn ask(new: &NewQuestion<'_>) -> Result<Question, QuestionProblem> {
    new.check_message()?;
    new.ask(&new.read_options()?, SUBJECT, 1000)
}

/// The item of a question with these options.
fn item(options: &[&str]) -> DecideItem {
    ask(&NewQuestion { message: "Go on?", options: &texts(options), ..NewQuestion::default() }).unwrap().item
}

/// The item of a request for consent to a call of this tool.
fn consent(tool: ToolName, params: Value) -> DecideItem {
    let params = params.as_object().unwrap().clone();
    let (message, context) = (tool.question(&params), tool.shown(&params));
    let options = texts(&Consent::OPTIONS);
    let new = NewQuestion {
        message: &message,
        options: &options,
        context: Some(&context),
        multi_select: Some(false),
        ..NewQuestion::default()
    };
    ask(&new).unwrap().item
}

#[test]
fn s7_1_message_and_options_are_limited() {
    let long = "x".repeat((16 << 10) + 1);
    let many: Vec<String> = (0..65).map(|no| no.to_string()).collect();
    let problem = |message: &str, options: &[String]| {
        let new = NewQuestion { message, options, ..NewQuestion::default() };
        assert_eq!(new.check().err(), ask(&new).err());
        new.check().err()
    };
    assert_eq!(problem(" \n", &[]), Some(QuestionProblem::MessageMissing));
    assert_eq!(problem(&long, &[]), Some(QuestionProblem::TooLong));
    assert_eq!(problem(&long[1..], &[]), None);
    assert_eq!(problem("?", std::slice::from_ref(&long)), Some(QuestionProblem::TooLong));
    assert_eq!(problem("?", &many), Some(QuestionProblem::TooLong));
    assert_eq!(problem("?", &many[1..]), None);
    assert_eq!(problem("?", &texts(&["a", " "])), Some(QuestionProblem::OptionBlank));
    let refusal = Refusal::from(QuestionProblem::TooLong);
    assert_eq!(
        (refusal.code, &*refusal.error),
        (ErrorCode::InvalidRequest, "message or options are too long")
    );
    assert_eq!(Refusal::from(QuestionProblem::MessageMissing).code, ErrorCode::MissingField);
}

#[test]
fn s7_1_options_are_trimmed_and_duplicates_dropped() {
    let options = texts(&[" a ", "b", "a", "b "]);
    let new = NewQuestion { message: "?", options: &options, ..NewQuestion::default() };
    assert_eq!(new.read_options().unwrap(), ["a", "b"]);
}

#[test]
fn s7_1_no_option_is_free_text() {
    for (options, kind) in
        [(&[][..], ItemKind::Text), (&["Read it"], ItemKind::Confirm), (&["a", "b"], ItemKind::Choice)]
    {
        assert_eq!(item(options).kind, kind, "{options:?}");
    }
}

#[test]
fn s7_1_multi_select_defaults_to_true_unless_the_options_are_a_yes_no_pair() {
    for (options, multiple) in [
        (&["Y", "n"][..], false),
        (&["yes", "no"], false),
        (&["是", "否"], false),
        (&["a", "b"], true),
        (&["Y", "n", "always"], true),
        (&["a"], false),
        (&[], false),
    ] {
        assert_eq!(item(options).multiple, multiple, "{options:?}");
    }
    let options = texts(&["a", "b"]);
    for multi_select in [false, true] {
        let new = NewQuestion {
            message: "?",
            options: &options,
            multi_select: Some(multi_select),
            ..NewQuestion::default()
        };
        assert_eq!(ask(&new).unwrap().item.multiple, multi_select);
    }
}

#[test]
fn s7_1_the_default_must_be_an_answer_and_the_timeout_positive() {
    let options = texts(&["a", "b"]);
    let new = NewQuestion { message: "?", options: &options, ..NewQuestion::default() };
    let problem = AnswerProblem { error: ResponseError::NoOption, options: options.clone() };
    let with_default = NewQuestion { default: Some("c"), ..new };
    assert_eq!(ask(&with_default), Err(QuestionProblem::Default(problem)));
    assert_eq!(with_default.check(), Ok(()), "the check leaves default and timeout out");
    let with_default = ask(&NewQuestion { default: Some("b"), ..new }).unwrap();
    assert_eq!((with_default.item.recommended(), with_default.expires), (Some(1), None));
    for timeout_ms in [Some(0), Some(-1)] {
        assert_eq!(ask(&NewQuestion { timeout_ms, ..new }), Err(QuestionProblem::Timeout));
    }
    for (timeout_ms, expires) in [(1, 1001), (i64::MAX, i64::MAX)] {
        let asked = ask(&NewQuestion { timeout_ms: Some(timeout_ms), ..new }).unwrap();
        assert_eq!(asked.expires, Some(expires));
    }
}

#[test]
fn s7_5_a_decision_is_a_set_of_one_question() {
    let options = texts(&["a", "b"]);
    let new = NewQuestion {
        message: "Which?",
        options: &options,
        allow_other: true,
        default: Some("a"),
        context: Some("# Why"),
        ..NewQuestion::default()
    };
    let expected = json!({
        "task": "report",
        "source": "workflow-1",
        "items": [{
            "id": 1, "title": "Which?", "context": "# Why",
            "options": [{ "value": "a", "label": "a" }, { "value": "b", "label": "b" }],
            "allow_other": true, "recommend": "a", "multiple": true,
        }],
    });
    let asked = ask(&new).unwrap();
    assert_eq!(asked.document.to_string(), expected.to_string(), "members keep their order");
    assert!(new.is_asked_by(&asked.item));
    assert!(!NewQuestion { context: None, ..new }.is_asked_by(&asked.item));
    assert!(!NewQuestion { message: "What?", ..new }.is_asked_by(&asked.item));
    // Without the task of a workflow, the question says what it is about.
    for task in [None, Some(" ")] {
        let asked = new.ask(&options, Subject { task, source: "decision-1" }, 0).unwrap();
        assert_eq!(asked.document["task"], json!("Which?"));
    }
}

#[test]
fn s7_1_waiting_for_user_has_a_reason() {
    let missing = MissingResource { kind: "executor".to_owned(), capabilities: None, min_level: None };
    let shortage = DecisionReason::Shortage { missing: vec![missing], suggestion: Some("more".to_owned()) };
    for (why, reason, missing) in [
        (DecisionReason::Confirmation, "confirmation_required", None),
        (DecisionReason::Ambiguity, "ambiguous_input", None),
        (DecisionReason::Recovery, "error_recovery", None),
        (shortage, "resource_shortage", Some(1)),
    ] {
        let told = why.waiting("d", texts(&["a"]));
        assert_eq!(told.reason, reason);
        assert_eq!(told.missing_resources.map(|missing| missing.len()), missing);
        assert_eq!((&*told.options[0].id, told.context), ("a", Some(json!({ "decisionId": "d" }))));
    }
}

#[test]
fn s7_2_what_is_no_answer_is_refused() {
    let refused = |options: &[&str], multi_select: Option<bool>, text: &str| {
        let options = texts(options);
        let new = NewQuestion { message: "?", options: &options, multi_select, ..NewQuestion::default() };
        let refusal = read_answer(&ask(&new).unwrap().item, text, None).unwrap_err().refusal("response");
        assert_eq!(refusal.code, ErrorCode::InvalidResponse);
        let details = refusal.details;
        assert_eq!(details["field"], json!("response"));
        assert_eq!(details["options"], json!(options));
        refusal.error
    };
    assert_eq!(refused(&["a", "b"], None, " "), "Missing response");
    assert_eq!(refused(&[], None, ""), "Missing response");
    assert_eq!(refused(&["a", "b"], None, "c"), "Response names no option");
    assert_eq!(refused(&["a", "b"], Some(false), "1,2"), "Response names too few or too many options");
}

#[test]
fn s7_3_a_decision_expires_with_its_time_recorded_or_not() {
    for (expires, now, due) in [(None, i64::MAX, false), (Some(5), 4, false), (Some(5), 5, true)] {
        assert_eq!(is_due(expires, now), due);
        let status = if due { DecisionStatus::Expired } else { DecisionStatus::Pending };
        assert_eq!(status_at(DecisionStatus::Pending, expires, now), status);
        assert_eq!(status_at(DecisionStatus::Answered, expires, now), DecisionStatus::Answered);
    }
    let options = item(&["a", "b"]);
    assert_eq!(fallback_answer(&options, Some("2")).unwrap().selected, ["b"]);
    assert_eq!((fallback_answer(&options, Some("c")), fallback_answer(&options, None)), (None, None));
    // An empty answer is the default.
    assert_eq!(read_answer(&options, "", Some("b")).unwrap().selected, ["b"]);
}

#[test]
fn s7_3_user_decision_received_has_the_raw_answer_or_one_word() {
    let options = item(&["a", "b"]);
    let answer = read_answer(&options, " 1, 2 ", None).unwrap();
    let answered = Resolution::answered(answer);
    let told = answered.event("d", &options);
    assert_eq!(
        (&*told.decision_id, &*told.decision, &told.selected[..]),
        ("d", "1, 2", &texts(&["a", "b"])[..])
    );
    assert_eq!((answered.status, told.context), (DecisionStatus::Answered, None));
    assert!(matches!(answered.ending, Ending::Decided(_)));

    let returned = Resolution::returned(&Returned { message: "clearer".to_owned(), items: Vec::new() });
    let told = returned.event("d", &options);
    assert_eq!((&*told.decision, told.context), ("returned", Some(json!({ "note": "clearer" }))));
    let cancelled = Resolution::cancelled();
    assert_eq!(
        (cancelled.status, cancelled.answer_text()),
        (DecisionStatus::Cancelled, "cancelled".to_owned())
    );
    let expired = Resolution::expired("then".to_owned(), None);
    assert_eq!((expired.status, expired.answer_text()), (DecisionStatus::Expired, "timeout".to_owned()));
    assert_eq!((expired.response, expired.selected.len()), (None, 0));
}

#[test]
fn s7_3_with_a_default_that_is_the_answer_and_the_status_is_expired() {
    let fallback = fallback_answer(&item(&["a", "b"]), Some("b"));
    let expired = Resolution::expired("then".to_owned(), fallback);
    assert_eq!((expired.status, expired.answer_text()), (DecisionStatus::Expired, "b".to_owned()));
    assert_eq!(expired.ending, Ending::Expired("then".to_owned()));
    assert_eq!(expired.consequence(false), Consequence::Decided("b".to_owned()));
    assert_eq!(expired.consequence(true), Consequence::TaskContinues);
    let expired = Resolution::expired("then".to_owned(), None);
    assert_eq!(expired.consequence(false), Consequence::Unanswered);
    assert_eq!(expired.consequence(true), Consequence::Unanswered);
}

#[test]
fn s7_3_the_workflow_gets_the_first_option_else_the_text() {
    let options = item(&["a", "b"]);
    let consequence = |item: &DecideItem, text: &str| {
        Resolution::answered(read_answer(item, text, None).unwrap()).consequence(false)
    };
    assert_eq!(consequence(&options, "2,1"), Consequence::Decided("b".to_owned()));
    assert_eq!(consequence(&item(&[]), "as you like"), Consequence::Decided("as you like".to_owned()));
    let returned = Resolution::returned(&Returned { message: "?".to_owned(), items: Vec::new() });
    assert_eq!(returned.consequence(false), Consequence::Decided("returned".to_owned()));
    assert_eq!(returned.consequence(true), Consequence::TaskContinues);
}

#[test]
fn s7_5_an_answer_of_the_page_is_kept_as_text_with_its_note() {
    let options = item(&["a", "b"]);
    let decision = Decision {
        id: 1,
        chosen: Chosen::Several(texts(&["b"])),
        note: Some("soon".to_owned()),
        ..Decision::default()
    };
    let output = DecideOutput::complete(vec![decision]);
    let decided = Resolution::decided_on_page(&options, &output);
    assert_eq!((decided.answer_text(), &decided.selected), ("b".to_owned(), &texts(&["b"])));
    assert_eq!(decided.event("d", &options).context, Some(json!({ "note": "soon" })));
    assert_eq!(decided.ending, Ending::Decided(output));
}

#[test]
fn s7_3_the_waiter_gets_the_choice_and_the_note() {
    let note = Some("soon".to_owned());
    let answer = UserAnswer::new(texts(&["a", "b"]), Some("1,2".to_owned()), note.clone());
    assert_eq!((answer.choice_or("continue"), &answer.note), (Some("a"), &note));
    let typed = UserAnswer::new(Vec::new(), Some("as you like".to_owned()), Some(" ".to_owned()));
    assert_eq!((typed.choice_or("continue"), typed.note.clone()), (Some("as you like"), None));
    // A note that came back in place of an answer.
    assert_eq!(UserAnswer::new(Vec::new(), None, note).choice_or("continue"), Some("continue"));
    assert_eq!(UserAnswer::default().choice_or("continue"), None);
}

#[test]
fn s7_4_each_answer_has_an_effect() {
    let call = consent(ToolName::ShellExec, json!({ "command": "ls" }));
    assert_eq!(option_labels(&call), ["Y", "n"]);
    for (text, effect, answer) in [
        ("", Effect::AllowCall, "Y"),
        ("1", Effect::AllowCall, "1"),
        ("n", Effect::Deny, "n"),
        ("3", Effect::AllowTool, "3"),
    ] {
        let answered = Resolution::answered(read_answer(&call, text, None).unwrap());
        assert_eq!(consent_effect(&call, answered.status, &answered.selected), Some(effect), "{text}");
        let told = answered.event("d", &call);
        assert_eq!(told.decision, answer);
        let expected = json!({ "effect": effect.name(), "tool": ToolName::ShellExec.name() });
        assert_eq!(told.context, Some(expected), "{text}");
    }
    assert_eq!(consent_effect(&call, DecisionStatus::Cancelled, &texts(&["Y"])), None);
    assert_eq!(consent_effect(&call, DecisionStatus::Answered, &[]), None);
}

#[test]
fn s7_4_always_answers_other_open_questions_about_the_tool() {
    let other = consent(ToolName::ShellExec, json!({ "command": "pwd" }));
    let response = implied_answer(ToolName::ShellExec, "always", &other).unwrap();
    assert_eq!(response.selected, ["always"]);
    assert_eq!(implied_answer(ToolName::ReadFile, "always", &other), None);
    assert_eq!(implied_answer(ToolName::ShellExec, "always", &item(&["Y", "n", "always"])), None);
    assert_eq!(implied_answer(ToolName::ShellExec, "something else", &other), None);
}
