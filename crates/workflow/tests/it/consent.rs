//! What a person agrees to: one call, or a tool until the workflow ends.

use crate::studio::{AgentRequest, Studio, says, smooth};
use journal::{Decision, Journal as _, JournalExt as _, ViewExt as _};
use protocol::workflow::{DecisionStatus, WorkflowState};
use serde_json::{Value, json};

/// Two tasks side by side, each of which searches for something of its own, and then for something else.
fn studio() -> Studio {
    let plan = json!([{ "id": "task-1", "description": "a" }, { "id": "task-2", "description": "b" }]);
    Studio::new(move |asked: &AgentRequest| {
        Ok(smooth(asked, &plan).unwrap_or_else(|| match asked.round() {
            round @ 0..2 => says("WEB_SEARCH", json!({ "query": format!("{} {round}", asked.role) })),
            _ => says("COMPLETE", json!({ "output": "done" })),
        }))
    })
}

/// The questions that are open, by what they would search for.
fn open(studio: &Studio, count: usize) -> Vec<(String, String)> {
    studio.until("the questions", |studio| {
        let pending = studio.runtime.decisions(None, Some(DecisionStatus::Pending)).unwrap();
        let asked = pending.into_iter().map(|decision| {
            let query = decision.consent.unwrap().params["query"].as_str().unwrap().to_owned();
            (query, decision.decision_id)
        });
        let mut asked: Vec<_> = asked.collect();
        asked.sort();
        (asked.len() == count).then_some(asked)
    })
}

#[test]
fn each_call_is_asked_for_until_the_tool_is_allowed_and_what_is_open_then_is_settled() {
    let studio = studio().start();
    let (workflow, _) = studio.begin("x");
    let asked = open(&studio, 2);
    let queries: Vec<_> = asked.iter().map(|(query, _)| &**query).collect();
    assert_eq!(queries, ["task-1 0", "task-2 0"]);
    studio.runtime.respond(None, &asked[0].1, "Y").unwrap();
    // The call of the other task is asked for still, and the next one of this task as well.
    let asked = open(&studio, 2);
    assert_eq!(asked[0].0, "task-1 1");
    assert_eq!(studio.calls(), [r#"WEB_SEARCH {"query":"task-1 0"}"#]);
    studio.runtime.respond(None, &asked[1].1, "ALWAYS").unwrap();
    studio.reaches(&workflow, WorkflowState::Completed);
    assert_eq!(studio.calls().len(), 4, "{:?}", studio.calls());
    let settled = studio.runtime.decision(&asked[0].1).unwrap();
    assert_eq!((&*settled.status, settled.selected), ("answered", vec!["always".to_owned()]));
    let all = studio.runtime.decisions(Some(&workflow), None).unwrap();
    assert_eq!(all.len(), 3, "the last call needs no question");
}

#[test]
fn programs_read_the_words_of_the_contract_and_what_each_answer_does() {
    let studio = studio().start();
    studio.begin("x");
    let (_, id) = open(&studio, 2).remove(0);
    let view = studio.runtime.decision(&id).unwrap();
    assert_eq!(view.message, "检测到网络访问，是否继续？");
    assert_eq!(view.options, Some(vec!["Y".to_owned(), "n".to_owned()]));
    assert_eq!(
        json!(view.consent),
        json!({
            "tool": "WEB_SEARCH",
            "params": { "query": "task-1 0" },
            "answers": [
                { "answer": "Y", "effect": "allow_call" },
                { "answer": "n", "effect": "deny" },
                { "answer": "always", "effect": "allow_tool" },
            ],
        })
    );
    let told = studio
        .events()
        .into_iter()
        .find(|(kind, told)| kind == "user_decision_required" && told["decisionId"] == id.as_str());
    assert_eq!(told.unwrap().1["options"], json!(["Y", "n"]));
    // What is no answer is refused with all that are.
    let refused = studio.runtime.respond(None, &id, "maybe").unwrap_err();
    let workflow::Failure::Refused(refused) = refused else { panic!("{refused}") };
    assert_eq!(refused.details["options"], json!(["Y", "n", "always"]));
}

#[test]
fn what_an_older_version_has_asked_holds_as_it_said() {
    let mut studio = studio().start();
    let (workflow, session) = studio.begin("x");
    let asked = open(&studio, 2);
    studio.stop();
    // As it was kept before there was a third option.
    for (_, id) in &asked {
        let mut row = studio.journal.view().unwrap().row::<Decision>(&Decision::key_of(id)).unwrap().unwrap();
        let mut questions: Value = serde_json::from_str(&row.questions).unwrap();
        questions["items"][0]["options"].as_array_mut().unwrap().truncate(2);
        row.questions = questions.to_string();
        studio.journal.write(|tx| tx.put(row.clone().into())).unwrap();
    }
    studio.start_for(i64::MAX);
    studio.resume(&session).unwrap();
    let view = studio.runtime.decision(&asked[0].1).unwrap();
    assert_eq!(json!(view.consent)["answers"][0], json!({ "answer": "Y", "effect": "allow_tool" }));
    studio.runtime.respond(None, &asked[0].1, "Y").unwrap();
    studio.reaches(&workflow, WorkflowState::Completed);
    assert_eq!(studio.calls().len(), 4);
    assert_eq!(studio.runtime.decisions(Some(&workflow), None).unwrap().len(), 2);
}
