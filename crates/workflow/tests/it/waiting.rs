//! Workflows that wait for an agent which others use cost nothing until it is free, and then continue, whatever has freed it.
//!
//! The time of these tests stands still: what continues was woken.

use crate::studio::{AgentRequest, Studio, says, smooth};
use crate::support::answer;
use protocol::workflow::{TaskStatus, WorkflowState};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};
use std::time::Duration;
use workflow::PoolAgent;

const EXECUTOR: &str = "executor-1";

/// The usual agents, but this many executors.
fn pool(executors: usize) -> Vec<PoolAgent> {
    let mut pool = PoolAgent::usual();
    pool.retain(|agent| agent.kind != "executor");
    pool.extend((1..=executors).map(|number| PoolAgent {
        id: format!("executor-{number}"),
        name: format!("executor {number}"),
        kind: "executor".to_owned(),
        capabilities: vec![("work".to_owned(), 5)],
    }));
    pool
}

fn plan() -> Value {
    json!([{ "id": "task-1", "description": "a" }])
}

fn done() -> String {
    says("COMPLETE", json!({ "output": "done" }))
}

/// How often agents may still answer in the role that is held up.
#[derive(Clone, Default)]
struct Turns(Arc<AtomicUsize>);

impl Turns {
    fn give(&self, count: usize) {
        self.0.fetch_add(count, Ordering::Relaxed);
    }

    fn take(&self, asked: &AgentRequest) {
        let take = |left: usize| left.checked_sub(1);
        while self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_err()
            && !asked.cancellation.is_cancelled()
        {
            asked.cancellation.wait(Duration::from_millis(2));
        }
    }
}

/// Workflows that wait for the agent of this role, which one of them uses.
fn crowd(role: &'static str, count: usize) -> (Studio, Turns, Vec<String>) {
    let turns = Turns::default();
    let taken = turns.clone();
    let studio = Studio::new(move |asked: &AgentRequest| {
        if asked.role == role {
            taken.take(asked);
        }
        Ok(smooth(asked, &plan()).unwrap_or_else(done))
    });
    let studio = studio.with_pool(pool(1)).start();
    let begin = |_| {
        let (workflow, _) = studio.begin("x");
        // Who has waited longer comes first.
        studio.world.pass(1);
        workflow
    };
    let begun: Vec<String> = (0..count).map(begin).collect();
    let state = if role == "understand" { "semantic_understanding" } else { "execution" };
    for workflow in &begun {
        studio.reaches(workflow, WorkflowState::named(state).unwrap());
    }
    studio.has_a_round();
    (studio, turns, begun)
}

fn is_done(studio: &Studio, workflow: &str) -> bool {
    studio.state(workflow) == WorkflowState::Completed
}

/// What is read while a few workflows go on one after the other, and so many wait for the same agent.
fn reads_for_a_few(role: &'static str, waiting: usize) -> i64 {
    const FEW: usize = 5;
    let (studio, turns, begun) = crowd(role, waiting);
    let before = studio.journal.reads.load(Ordering::Relaxed);
    turns.give(FEW);
    // Who is understood waits for the same agent behind all others. The test reads through another journal than the engine.
    let has_gone_on = |studio: &Studio, workflow: &String| match role {
        "understand" => studio.state(workflow) != WorkflowState::SemanticUnderstanding,
        _ => is_done(studio, workflow),
    };
    studio.until("a few", |studio| {
        (begun.iter().filter(|workflow| has_gone_on(studio, workflow)).count() == FEW).then_some(())
    });
    studio.has_a_round();
    studio.journal.reads.load(Ordering::Relaxed) - before
}

#[test]
fn s6_1_what_waits_for_an_agent_is_not_read_whenever_another_workflow_goes_on() {
    for role in ["task-1", "understand"] {
        let (few, many) = (reads_for_a_few(role, 8), reads_for_a_few(role, 80));
        assert!(many * 2 <= few * 3, "{role}: {few} statements among 8, {many} among 80");
    }
}

/// What is read, and how often claims are extended, in a time in which nothing happens.
fn cost_of_waiting(waiting: usize) -> (i64, i64) {
    let (studio, _turns, begun) = crowd("task-1", waiting);
    studio.world.pass(1_500);
    studio.until("all that wait say so", |studio| {
        let says_so = |workflow: &String| {
            let waiting = studio.runtime.state(workflow).unwrap().waiting_for.unwrap_or_default();
            waiting.iter().any(|waiting| waiting.kind == "agent")
        };
        (begun.iter().filter(|workflow| says_so(workflow)).count() == waiting - 1).then_some(())
    });
    studio.has_a_round();
    let counted = |count: &AtomicI64| count.load(Ordering::Relaxed);
    let journal = &studio.journal;
    let before = (counted(&journal.reads), counted(&journal.renewals));
    for _ in 0..20 {
        studio.world.pass(10_000);
        studio.has_a_round();
    }
    (counted(&journal.reads) - before.0, counted(&journal.renewals) - before.1)
}

#[test]
fn s6_1_what_waits_for_an_agent_is_not_read_again_while_nothing_happens() {
    let ((reads, renewals), (more_reads, more_renewals)) = (cost_of_waiting(6), cost_of_waiting(60));
    assert!(more_reads * 2 <= reads * 3, "{reads} statements while 6 wait, {more_reads} while 60 do");
    assert!(renewals >= 5 && more_renewals <= renewals + 1, "{renewals} changes, then {more_renewals}");
}

/// Without their extension a workflow would be claimed again a minute later, and what runs for it cancelled.
#[test]
fn claims_are_extended_also_after_the_clock_was_set_back() {
    let (studio, _turns, _begun) = crowd("task-1", 2);
    studio.world.pass(20_000);
    studio.has_a_round();
    studio.world.pass(-3_600_000);
    studio.has_a_round();
    let (workflow, _) = studio.begin("x");
    studio.reaches(&workflow, WorkflowState::Execution);
    let before = studio.journal.renewals.load(Ordering::Relaxed);
    for _ in 0..5 {
        studio.world.pass(10_000);
        studio.has_a_round();
    }
    assert!(studio.journal.renewals.load(Ordering::Relaxed) > before);
}

/// How an agent becomes free that a workflow uses.
type Free = fn(&Studio, &str);

/// A workflow uses an agent in this role, and another waits for it; returns the studio and both. The first one's agent goes on
/// once the flag is set.
fn two(role: &'static str, is_deaf: bool) -> (Studio, Arc<AtomicBool>, [String; 2]) {
    let may: Arc<AtomicBool> = Arc::default();
    let may_go_on = Arc::clone(&may);
    let studio = Studio::new(move |asked: &AgentRequest| {
        let is_first = asked.prompt.contains("the first one");
        let is_over = || may_go_on.load(Ordering::Relaxed) || asked.cancellation.is_cancelled() && !is_deaf;
        while asked.role == role && is_first && !is_over() {
            // An agent at work: a deaf one must not be woken by its cancellation, so it waits for no condition of the engine.
            std::thread::sleep(Duration::from_millis(2));
        }
        if asked.role == "task-1" && is_first && asked.round() == 0 {
            return Ok(says("USER_ESCALATE", json!({ "message": "Which?", "options": ["a", "b"] })));
        }
        Ok(smooth(asked, &plan()).unwrap_or_else(done))
    });
    let studio = studio.with_pool(pool(1)).start();
    let (first, _) = studio.begin("the first one");
    studio.until("that its agent is at work", |studio| {
        let prompts = studio.log.prompts.lock().unwrap();
        prompts.iter().any(|(known, _)| known == role).then_some(())
    });
    let (second, _) = studio.begin("the second one");
    let state =
        if role == "task-1" { WorkflowState::Execution } else { WorkflowState::SemanticUnderstanding };
    studio.reaches(&second, state);
    studio.has_a_round();
    (studio, may, [first, second])
}

fn report(trigger: &'static str, studio: &Studio, workflow: &str) {
    let told = json!({ "taskId": "task-1", "agentId": EXECUTOR, "result": { "output": "x" }, "error": "no" });
    studio.step(workflow, trigger, told).unwrap();
}

#[test]
fn s6_1_a_task_that_waits_is_begun_whatever_has_freed_the_agent() {
    let ways: [(&str, Free); 7] = [
        ("its end is reported by a client", |studio, first| report("task_completed", studio, first)),
        ("its failure is reported by a client", |studio, first| report("task_failed", studio, first)),
        ("it is taken back by a client", |studio, _| {
            answer(studio.runtime.release(None, EXECUTOR)).unwrap();
        }),
        ("its workflow is cancelled", |studio, first| {
            answer(studio.runtime.cancel(None, first)).unwrap();
        }),
        ("its workflow is paused", |studio, first| {
            answer(studio.runtime.pause(None, first, true)).unwrap();
        }),
        ("its workflow is driven elsewhere by a client", |studio, first| {
            studio.step(first, "major_change_detected", json!({})).unwrap();
        }),
        ("nothing can be read meanwhile", |studio, first| {
            studio.journal.busy.store(3, Ordering::Relaxed);
            answer(studio.runtime.cancel(None, first)).unwrap();
        }),
    ];
    for (name, free) in ways {
        let (studio, _may, [first, second]) = two("task-1", false);
        free(&studio, &first);
        studio.until(name, |studio| is_done(studio, &second).then_some(()));
    }
    // Its task asks a person.
    let (studio, may, [first, second]) = two("task-1", false);
    may.store(true, Ordering::Relaxed);
    studio.reaches(&second, WorkflowState::Completed);
    assert_eq!(studio.state(&first), WorkflowState::Execution);
}

#[test]
fn s6_1_a_phase_that_waits_is_begun_whatever_has_freed_the_agent() {
    let ways: [(&str, Free); 3] = [
        ("its workflow is cancelled", |studio, first| {
            answer(studio.runtime.cancel(None, first)).unwrap();
        }),
        ("its workflow is paused", |studio, first| {
            answer(studio.runtime.pause(None, first, true)).unwrap();
        }),
        ("its phase is ended by a client", |studio, first| {
            studio.step(first, "intent_analyzed", json!({})).unwrap();
        }),
    ];
    for (name, free) in ways {
        let (studio, _may, [first, second]) = two("understand", false);
        free(&studio, &first);
        studio.until(name, |studio| is_done(studio, &second).then_some(()));
    }
    // Its answer is there.
    let (studio, may, [_, second]) = two("understand", false);
    may.store(true, Ordering::Relaxed);
    studio.reaches(&second, WorkflowState::Completed);
}

#[test]
fn s6_1_an_agent_that_does_not_notice_its_cancellation_is_waited_for_only_so_long() {
    let (studio, may, [first, second]) = two("understand", true);
    answer(studio.runtime.cancel(None, &first)).unwrap();
    studio.has_a_round();
    assert_eq!(studio.prompts_of("understand").len(), 1);
    studio.world.pass(10_000);
    studio.reaches(&second, WorkflowState::Completed);
    may.store(true, Ordering::Relaxed);
}

#[test]
fn s6_1_a_task_waits_for_an_agent_that_a_client_has_deployed_until_it_is_released() {
    let (studio, may, [first, second]) = two("task-1", false);
    may.store(true, Ordering::Relaxed);
    studio.reaches(&second, WorkflowState::Completed);
    let session = studio.runtime.state(&first).unwrap().session_id;
    answer(studio.runtime.deploy(None, EXECUTOR, &session, &first)).unwrap();
    let (third, _) = studio.begin("the third one");
    studio.reaches(&third, WorkflowState::Execution);
    studio.has_a_round();
    let task = |studio: &Studio| studio.runtime.tasks(&third).unwrap().remove(0).status;
    assert_eq!(task(&studio), TaskStatus::Ready);
    answer(studio.runtime.release(None, EXECUTOR)).unwrap();
    studio.reaches(&third, WorkflowState::Completed);
}

#[test]
fn s6_1_a_task_is_begun_by_an_agent_that_is_deployed_to_its_workflow_while_others_wait() {
    let (studio, may, [first, second]) = two("task-1", false);
    answer(studio.runtime.cancel(None, &second)).unwrap();
    let (third, session) = studio.begin("the third one");
    studio.reaches(&third, WorkflowState::Execution);
    studio.has_a_round();
    // In one change with the end of what it does, no other workflow can be given the agent.
    answer(studio.runtime.pause(None, &third, true)).unwrap();
    answer(studio.runtime.cancel(None, &first)).unwrap();
    studio.has_a_round();
    answer(studio.runtime.deploy(None, EXECUTOR, &session, &third)).unwrap();
    answer(studio.runtime.resume(None, &third)).unwrap();
    studio.reaches(&third, WorkflowState::Completed);
    may.store(true, Ordering::Relaxed);
}

#[test]
fn s6_1_what_was_paused_while_it_waited_waits_again_when_it_is_resumed() {
    let (studio, _may, [first, second]) = two("task-1", false);
    answer(studio.runtime.pause(None, &second, false)).unwrap();
    studio.has_a_round();
    answer(studio.runtime.resume(None, &second)).unwrap();
    studio.has_a_round();
    answer(studio.runtime.cancel(None, &first)).unwrap();
    studio.reaches(&second, WorkflowState::Completed);
}

#[test]
fn s6_1_what_waited_when_the_engine_was_killed_waits_again_and_has_the_agents_that_there_are_then() {
    for executors in [1, 2] {
        let (mut studio, may, [first, second]) = two("task-1", false);
        let session = studio.runtime.state(&second).unwrap().session_id;
        let of_first = studio.runtime.state(&first).unwrap().session_id;
        studio.stop();
        let mut studio = studio.with_pool(pool(executors));
        studio.start_for(i64::MAX);
        studio.resume(&of_first).unwrap();
        studio.until("that the first one has its agent", |studio| {
            let task = studio.runtime.tasks(&first).unwrap().remove(0);
            (task.status == TaskStatus::InProgress).then_some(())
        });
        studio.resume(&session).unwrap();
        if executors == 1 {
            studio.has_a_round();
            assert_eq!(studio.runtime.tasks(&second).unwrap().remove(0).status, TaskStatus::Ready);
            may.store(true, Ordering::Relaxed);
        }
        studio.reaches(&second, WorkflowState::Completed);
        may.store(true, Ordering::Relaxed);
    }
}
