//! Prompts contain what the user says: an answer by its number or its name, a note with it or in its place, an answer in their
//! own words.

use crate::studio::{AgentRequest, Studio, says, smooth};
use crate::support::answer;
use llm::LlmError;
use protocol::workflow::WorkflowState;
use serde_json::{Value, json};

fn one_task() -> Value {
    json!([{ "id": "task-1", "description": "Write" }])
}

/// What failed is tried again at once.
fn impatient(script: impl Fn(&AgentRequest) -> Result<String, LlmError> + Send + Sync + 'static) -> Studio {
    Studio::new(script).paced(|pace| (pace.backoff, pace.max_backoff) = (0, 0))
}

/// Its task fails until a person has been asked.
fn fails_once(asked: &AgentRequest) -> Result<String, LlmError> {
    if let Some(text) = smooth(asked, &one_task()) {
        return Ok(text);
    }
    Ok(match asked.before {
        0 => says("FAIL", json!({ "reason": "nothing there" })),
        _ => says("COMPLETE", json!({ "output": "done" })),
    })
}

/// What it has been understood to be is asked first.
fn asks_what_is_meant(asked: &AgentRequest) -> Result<String, LlmError> {
    if asked.role == "understand" && !asked.prompt.contains("Asked and answered") {
        let params = json!({ "question": "Which one?", "suggestions": ["V3", "R1"] });
        return Ok(says("CLARIFICATION_REQUIRED", params));
    }
    Ok(smooth(asked, &one_task()).unwrap_or_else(|| says("COMPLETE", json!({ "output": "done" }))))
}

const FAILED: &str = "任务 1 失败，如何继续？";
const REJECTED: &str = "审查多次未通过，如何继续？";

#[test]
fn an_option_is_chosen_by_its_number_as_by_its_name() {
    for (response, ends) in [
        ("1", WorkflowState::Completed),
        ("Continue", WorkflowState::Completed),
        ("2", WorkflowState::Completed),
        ("3", WorkflowState::Failed),
    ] {
        let studio = impatient(fails_once).start();
        let (workflow, _) = studio.begin("x");
        studio.decide(FAILED, response);
        studio.reaches(&workflow, ends);
        let plans = studio.prompts_of("plan").len();
        assert_eq!(plans, if response == "2" { 2 } else { 1 }, "{response}");
    }
    let rejected = |asked: &AgentRequest| match &*asked.role {
        "review" => Ok(says("REVIEW_REJECT", json!({ "approved": false, "feedback": "too short" }))),
        _ => asks_what_is_meant(asked),
    };
    let studio = impatient(rejected).paced(|pace| pace.rejections = 0).start();
    let (workflow, _) = studio.begin("x");
    // The prompt has the option that was chosen, not the text that was typed.
    studio.decide("Which one?", "2");
    studio.decide(REJECTED, "1");
    studio.reaches(&workflow, WorkflowState::Completed);
    let understood = studio.prompts_of("understand").pop().unwrap();
    assert!(understood.contains(r#"{"question":"Which one?","answer":"R1"}"#), "{understood}");
}

/// A question what is meant offers guesses; what the person means may be none of them.
#[test]
fn what_is_meant_can_be_said_in_the_persons_own_words() {
    let studio = impatient(asks_what_is_meant).start();
    let (workflow, _) = studio.begin("x");
    let (asked, _) = studio.asked();
    assert_eq!(studio.runtime.decision(&asked).unwrap().allow_other, Some(true));
    studio.decide("Which one?", "A third company");
    studio.reaches(&workflow, WorkflowState::Completed);
    let understood = studio.prompts_of("understand").pop().unwrap();
    assert!(understood.contains(r#"{"question":"Which one?","answer":"A third company"}"#), "{understood}");
    // Any other question takes its options alone, and says which one it was.
    let studio = impatient(fails_once).start();
    studio.begin("x");
    let (asked, _) = studio.asked();
    assert_eq!(studio.runtime.decision(&asked).unwrap().allow_other, None);
    let refused = studio.runtime.respond(None, &asked, "Try harder").unwrap_err().to_string();
    assert!(refused.contains("Response names no option"), "{refused}");
}

/// Words that are sent to a workflow which asks what is meant are the answer.
#[test]
fn input_answers_the_question_what_is_meant() {
    let studio = impatient(asks_what_is_meant).start();
    let (workflow, _) = studio.begin("x");
    studio.asked();
    studio.runtime.input(None, &workflow, "A third company").unwrap();
    studio.reaches(&workflow, WorkflowState::Completed);
    let understood = studio.prompts_of("understand").pop().unwrap();
    assert!(understood.contains(r#""answer":"A third company""#), "{understood}");
}

#[test]
fn words_beside_an_answer_are_for_whoever_goes_on() {
    let studio = impatient(fails_once).start();
    let (workflow, _) = studio.begin("x");
    studio.decide_on_page(FAILED, Some(vec![0]), "look in the attic");
    studio.reaches(&workflow, WorkflowState::Completed);
    assert!(studio.prompts_of("task-1").pop().unwrap().contains("look in the attic"));

    let studio = impatient(asks_what_is_meant).start();
    let (workflow, _) = studio.begin("x");
    studio.decide_on_page("Which one?", Some(vec![0]), "the large one");
    studio.reaches(&workflow, WorkflowState::Completed);
    let understood = studio.prompts_of("understand").pop().unwrap();
    let told = r#"{"question":"Which one?","answer":"V3","note":"the large one"}"#;
    assert!(understood.contains(told), "{understood}");

    let studio = impatient(|asked: &AgentRequest| {
        if let Some(text) = smooth(asked, &one_task()) {
            return Ok(text);
        }
        Ok(match asked.round() {
            0 => says(
                "USER_ESCALATE",
                json!({ "message": "Which?", "options": ["a", "b"], "multiSelect": false }),
            ),
            _ => says("COMPLETE", json!({ "output": "done" })),
        })
    })
    .start();
    let (workflow, _) = studio.begin("x");
    studio.decide_on_page("Which?", Some(vec![1]), "but gently");
    studio.reaches(&workflow, WorkflowState::Completed);
    assert!(studio.prompts_of("task-1").pop().unwrap().contains("but gently"));
}

#[test]
fn a_question_that_is_sent_back_with_words_is_answered_by_them() {
    let studio = impatient(fails_once).start();
    let (workflow, _) = studio.begin("x");
    studio.decide_on_page(FAILED, None, "look in the attic");
    studio.reaches(&workflow, WorkflowState::Completed);
    assert!(studio.prompts_of("task-1").pop().unwrap().contains("look in the attic"));

    let studio = impatient(asks_what_is_meant).start();
    let (workflow, _) = studio.begin("x");
    studio.decide_on_page("Which one?", None, "neither of them");
    studio.reaches(&workflow, WorkflowState::Completed);
    assert!(studio.prompts_of("understand").pop().unwrap().contains("neither of them"));

    // The reviewer's last word is the person's.
    let studio = impatient(|asked: &AgentRequest| match &*asked.role {
        "review" if asked.before == 0 => {
            Ok(says("REVIEW_REJECT", json!({ "approved": false, "feedback": "too short" })))
        }
        _ => Ok(smooth(asked, &one_task()).unwrap_or_else(|| says("COMPLETE", json!({ "output": "done" })))),
    })
    .paced(|pace| pace.rejections = 0)
    .start();
    let (workflow, _) = studio.begin("x");
    studio.decide_on_page(REJECTED, None, "twice as long");
    studio.reaches(&workflow, WorkflowState::Completed);
    let again = studio.prompts_of("task-1").pop().unwrap();
    assert!(again.contains("too short") && again.contains("twice as long"), "{again}");
}

#[test]
fn why_a_person_has_said_no_is_told_to_the_agent() {
    let studio = impatient(|asked: &AgentRequest| {
        if let Some(text) = smooth(asked, &one_task()) {
            return Ok(text);
        }
        Ok(match asked.round() {
            0 => says("WEB_SEARCH", json!({ "query": "deepseek" })),
            _ => says("COMPLETE", json!({ "output": "done" })),
        })
    })
    .start();
    let (workflow, _) = studio.begin("x");
    studio.decide_on_page("检测到网络访问，是否继续？", Some(vec![1]), "use the archive");
    studio.reaches(&workflow, WorkflowState::Completed);
    let told = studio.prompts_of("task-1").pop().unwrap();
    assert!(told.contains("Tool WEB_SEARCH is not allowed. The person says: use the archive"), "{told}");
    assert!(studio.calls().is_empty());
}

#[test]
fn nobody_is_asked_to_allow_what_cannot_be_shown_whole() {
    let studio = impatient(|asked: &AgentRequest| {
        if let Some(text) = smooth(asked, &one_task()) {
            return Ok(text);
        }
        Ok(match asked.round() {
            0 => says("WEB_SEARCH", json!({ "query": format!("{} rm -r", "x".repeat(40_000)) })),
            _ => says("COMPLETE", json!({ "output": "done" })),
        })
    })
    .start();
    let (workflow, _) = studio.begin("x");
    studio.reaches(&workflow, WorkflowState::Completed);
    let told = studio.prompts_of("task-1").pop().unwrap();
    assert!(told.contains("The parameters are too long to show to the user"), "{told}");
    assert!(studio.calls().is_empty() && studio.runtime.decisions(None, None).unwrap().is_empty());
}

#[test]
fn what_was_said_is_said_again_when_the_answer_to_it_cannot_be_used() {
    let mut studio = impatient(|asked: &AgentRequest| match (&*asked.role, asked.before) {
        ("understand", 0) => Ok("I think so".to_owned()),
        _ => Ok(smooth(asked, &one_task()).unwrap_or_else(|| says("COMPLETE", json!({ "output": "done" })))),
    });
    // The user says it before an agent is asked.
    studio.start_for(0);
    let (workflow, session) = studio.begin("x");
    answer(studio.runtime.input(None, &workflow, "In French, please.")).unwrap();
    studio.start_for(i64::MAX);
    studio.resume(&session).unwrap();
    studio.reaches(&workflow, WorkflowState::Completed);
    let understood = studio.prompts_of("understand");
    assert_eq!(understood.len(), 2);
    assert!(understood.iter().all(|prompt| prompt.contains("In French")), "{understood:#?}");
    assert!(!studio.prompts_of("plan")[0].contains("In French"));
}
