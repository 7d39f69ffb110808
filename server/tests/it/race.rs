//! Many at once, and connections that break: exactly one answer wins, everybody hears of the same one, and it is on the
//! disk as it was given.

use crate::support::wire::{Server, within};
use crate::support::{ITEMS, OpenQuestions, open, record};
use decide::SubmitError;
use model::{Answer, AnswerSheet, DecideOutput, Ending, Via};
use serde_json::json;
use std::sync::Barrier;
use std::thread;
use store::{Project, PublishOutcome};

/// How many answer the same questions at once.
const SUBMITTERS: usize = 64;
const ROUNDS: usize = 80;
const CUTS: usize = 500;

/// How many times the usual is tried.
fn factor() -> usize {
    usize::try_from(effort::factor()).unwrap()
}

/// What one of many was told.
enum Outcome {
    Won,
    /// What stands instead.
    Lost(Ending),
}

/// The answers of submitter `me`, told apart by their note.
fn answers(me: usize) -> serde_json::Value {
    json!({"decisions": [{"id": 1, "chosen": "a", "note": format!("by {me}")}, {"id": 2, "chosen": "b"}]})
}

fn ending(me: usize) -> Ending {
    if me % 16 == 15 {
        return Ending::Cancelled;
    }
    let output: DecideOutput = serde_json::from_value(answers(me)).unwrap();
    Ending::Decided(output)
}

/// Through the page, the form, the API, or, with a handle of its own as another process has it, a command.
fn submit(opened: &OpenQuestions, me: usize) -> Outcome {
    let note = format!("by {me}");
    let sheet = AnswerSheet {
        answers: vec![
            Answer { id: 1, options: vec![0], note, ..Answer::default() },
            Answer { id: 2, options: vec![1], ..Answer::default() },
        ],
        ..AnswerSheet::default()
    };
    let result = match me % 16 {
        15 => {
            let decisions = Project::at(opened.folder.path()).unwrap().decisions().unwrap();
            let (pending, questions) = decisions.pending_questions().unwrap().unwrap();
            return match decisions.publish(&pending, &questions, Ending::Cancelled, Via::Terminal).unwrap() {
                PublishOutcome::Won(_) => Outcome::Won,
                PublishOutcome::Lost(ending) => Outcome::Lost(ending),
            };
        }
        kind if kind % 3 == 0 => opened.hall.own().unwrap().submit_sheet(&sheet, Via::Page, None).map(drop),
        kind if kind % 3 == 1 => opened.hall.own().unwrap().submit_sheet(&sheet, Via::Form, None).map(drop),
        _ => opened.hall.own().unwrap().submit_json(&answers(me).to_string()),
    };
    match result {
        Ok(_) => Outcome::Won,
        Err(SubmitError::Ended(ending)) => Outcome::Lost(ending),
        Err(other) => panic!("{other:?}"),
    }
}

#[test]
fn of_sixty_four_answers_at_once_exactly_one_wins() {
    for round in 0..ROUNDS * factor() {
        let opened = open(ITEMS);
        let start = Barrier::new(SUBMITTERS);
        let told: Vec<Outcome> = thread::scope(|scope| {
            let (opened, start) = (&opened, &start);
            let one = |me| {
                scope.spawn(move || {
                    start.wait();
                    submit(opened, me)
                })
            };
            let running: Vec<_> = (0..SUBMITTERS).map(one).collect();
            running.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let winners: Vec<usize> = (0..SUBMITTERS).filter(|me| matches!(told[*me], Outcome::Won)).collect();
        let [winner] = winners[..] else { panic!("round {round}: {winners:?} won") };
        for told in told {
            if let Outcome::Lost(stands) = told {
                assert_eq!(stands, ending(winner), "round {round}");
            }
        }
        let record = record(opened.folder.path(), &opened.id).unwrap();
        match ending(winner) {
            Ending::Decided(output) => assert_eq!(record["output"], json!(output), "round {round}"),
            _ => assert_eq!(record["cancelled"], true, "round {round}"),
        }
    }
}

/// Every cut is followed by a whole attempt, as a browser or a script makes it.
#[tokio::test]
async fn an_answer_cut_off_anywhere_can_be_sent_again() {
    let body = answers(0).to_string();
    let request = format!(
        "POST /api/submit HTTP/1.1\r\nHost: localhost:PORT\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    for round in 0..CUTS * factor() {
        // Every place is cut, in an order without a pattern; every other time what is cut off is the answer.
        let cut = if round % 2 == 0 { round / 2 * 7919 % request.len() } else { request.len() };
        within(async {
            let mut server = Server::start(ITEMS);
            let mut first = server.connect().await;
            first.send(&request[..cut]).await;
            drop(first);
            if cut == request.len() {
                // The server may have ended with the first answer; that is on the disk then.
                if let Some(mut again) = server.try_connect().await {
                    again.try_send(&request).await;
                    if let Some(answer) = again.next_answer().await {
                        assert!([200, 409].contains(&answer.status.as_u16()), "{}", answer.text());
                    }
                }
            } else {
                assert!(server.record().is_none(), "half an answer was taken, cut at {cut}");
                let mut again = server.connect().await;
                again.send(&request).await;
                assert_eq!(again.answer().await.status, 200, "cut at {cut}");
            }
            server.ended().await;
            assert_eq!(server.record().unwrap()["output"], answers(0), "cut at {cut}");
        })
        .await;
    }
}

#[tokio::test]
async fn the_server_does_not_stay_for_the_page_whose_answers_have_ended_the_set() {
    let opened = open(ITEMS);
    let (hall, form) = (&opened.hall, opened.hall.own().unwrap());
    // It has waited for news, until it sent its answers.
    tokio::select! {
        biased;
        () = hall.news(form) => panic!("there are none"),
        () = std::future::ready(()) => {}
    }
    assert!(hall.has_other_pages());
    let answers = [1, 2].map(|id| Answer { id, options: vec![0], ..Answer::default() });
    let sheet = AnswerSheet { answers: answers.to_vec(), ..AnswerSheet::default() };
    form.submit_sheet(&sheet, Via::Page, None).unwrap();
    // The command that waits for the end has heard of it by now, and asks this at once.
    assert!(!hall.has_other_pages());
}

#[tokio::test]
async fn the_server_stays_for_another_page_than_that() {
    let opened = open(ITEMS);
    let (hall, form) = (&opened.hall, opened.hall.own().unwrap());
    let two = async { tokio::join!(hall.news(form), hall.news(form)) };
    tokio::select! {
        biased;
        _ = two => panic!("there are none"),
        () = std::future::ready(()) => {}
    }
    let answers = [1, 2].map(|id| Answer { id, options: vec![0], ..Answer::default() });
    let sheet = AnswerSheet { answers: answers.to_vec(), ..AnswerSheet::default() };
    form.submit_sheet(&sheet, Via::Page, None).unwrap();
    assert!(hall.has_other_pages());
}
