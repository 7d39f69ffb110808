//! Which agent gets a task, how many run at a time, and for how long (contract/workflows §6.1, §6.5).

use crate::studio::{AgentRequest, Studio, says, smooth};
use crate::support::answer;
use llm::LlmError;
use protocol::workflow::{DecisionStatus, SingleStage, TaskStatus, WorkflowState};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;
use workflow::{Concurrency, EngineLimits, PoolAgent};

/// How many are asked at the same time.
#[derive(Default)]
struct ConcurrencyMeter {
    now: Mutex<(BTreeMap<String, usize>, usize)>,
    news: Condvar,
}

impl ConcurrencyMeter {
    /// An agent is asked, and waits until `expected` agents have been asked at once, or until a timeout.
    fn join(&self, agent: &str, expected: usize) {
        let mut now = self.now.lock().unwrap();
        let count = now.0.entry(agent.to_owned()).or_default();
        *count += 1;
        assert_eq!(*count, 1, "{agent} does two things at a time");
        now.1 = now.1.max(now.0.values().sum());
        self.news.notify_all();
        let is_alone = |now: &mut (BTreeMap<String, usize>, usize)| now.1 < expected;
        let (mut now, _) = self.news.wait_timeout_while(now, Duration::from_secs(10), is_alone).unwrap();
        *now.0.get_mut(agent).unwrap() -= 1;
    }

    fn peak(&self) -> usize {
        self.now.lock().unwrap().1
    }
}

fn agents(kind: &str, count: usize) -> Vec<PoolAgent> {
    let agent = |number| PoolAgent {
        id: format!("{kind}-{number}"),
        name: format!("{kind} {number}"),
        kind: kind.to_owned(),
        capabilities: vec![("work".to_owned(), 5)],
    };
    (1..=count).map(agent).collect()
}

/// The usual agents, but as many of this kind.
fn pool(kind: &str, count: usize) -> Vec<PoolAgent> {
    let mut pool = PoolAgent::usual();
    pool.retain(|agent| agent.kind != kind);
    pool.extend(agents(kind, count));
    pool
}

fn tasks(count: usize) -> Value {
    (1..=count).map(|number| json!({ "id": format!("task-{number}"), "description": "a" })).collect()
}

#[test]
fn s6_1_three_executors_work_at_a_time_and_five_agents_in_all() {
    let usual = Concurrency::default();
    for (limits, expected) in [
        (usual, 3),
        (Concurrency { executor: 6, ..usual }, 5),
        (Concurrency { executor: 6, total: 2, ..usual }, 2),
    ] {
        let crowd = Arc::new(ConcurrencyMeter::default());
        let (joined, plan) = (Arc::clone(&crowd), tasks(7));
        let studio = Studio::new(move |asked: &AgentRequest| {
            if let Some(text) = smooth(asked, &plan) {
                return Ok(text);
            }
            joined.join(&asked.agent, expected);
            Ok(says("COMPLETE", json!({ "output": "done" })))
        });
        let studio = studio.with_pool(pool("executor", 7)).paced(|pace| pace.concurrency = limits).start();
        let (workflow, _) = studio.begin("x");
        studio.reaches(&workflow, WorkflowState::Completed);
        assert_eq!(crowd.peak(), expected);
    }
}

#[test]
fn s6_1_one_orchestrator_thinks_at_a_time_whatever_there_are() {
    let usual = Concurrency::default();
    for (limits, agents, expected) in [
        (usual, 3, 1),
        (Concurrency { orchestrator: 2, ..usual }, 3, 2),
        (Concurrency { orchestrator: 3, ..usual }, 1, 1),
    ] {
        let crowd = Arc::new(ConcurrencyMeter::default());
        let joined = Arc::clone(&crowd);
        let studio = Studio::new(move |asked: &AgentRequest| {
            if asked.role == "understand" {
                joined.join(&asked.agent, expected);
            }
            Ok(smooth(asked, &tasks(1)).unwrap_or_else(|| says("COMPLETE", json!({ "output": "done" }))))
        });
        let studio =
            studio.with_pool(pool("orchestrator", agents)).paced(|pace| pace.concurrency = limits).start();
        let begun: Vec<String> = (0..4).map(|_| studio.begin("x").0).collect();
        for workflow in &begun {
            studio.reaches(workflow, WorkflowState::Completed);
        }
        assert_eq!(crowd.peak(), expected);
    }
}

#[test]
fn s6_1_a_task_that_waits_for_a_person_holds_up_nobody() {
    let studio = Studio::new(|asked: &AgentRequest| {
        if let Some(text) = smooth(asked, &tasks(3)) {
            return Ok(text);
        }
        Ok(match (&*asked.role, asked.round()) {
            ("task-1", 0) => says("USER_ESCALATE", json!({ "message": "Which?", "options": ["a", "b"] })),
            _ => says("COMPLETE", json!({ "output": "done" })),
        })
    });
    let limits = Concurrency { executor: 1, ..Concurrency::default() };
    let studio = studio.with_pool(pool("executor", 2)).paced(|pace| pace.concurrency = limits).start();
    let (workflow, _) = studio.begin("x");
    let done = |studio: &Studio| {
        let tasks = studio.runtime.tasks(&workflow).unwrap();
        let is_done = |id: &str| tasks.iter().any(|task| task.id == id && task.result.is_some());
        (is_done("task-2") && is_done("task-3")).then_some(())
    };
    studio.until("that the others are done", |studio| done(studio));
    studio.decide("Which?", "a");
    studio.reaches(&workflow, WorkflowState::Completed);
}

/// Three workflows and one agent: each asks the user although the previous question is open, and each continues once it is
/// answered, whatever the others do.
#[test]
fn s6_1_what_waits_for_a_person_holds_no_agent() {
    let crowd = Arc::new(ConcurrencyMeter::default());
    let joined = Arc::clone(&crowd);
    let studio = Studio::new(move |asked: &AgentRequest| {
        if let Some(text) = smooth(asked, &tasks(1)) {
            return Ok(text);
        }
        joined.join(&asked.agent, 0);
        Ok(match asked.round() {
            0 => says("USER_ESCALATE", json!({ "message": "Which?", "options": ["a", "b"] })),
            _ => says("COMPLETE", json!({ "output": "done" })),
        })
    });
    let studio = studio.with_pool(pool("executor", 1)).start();
    let begun: Vec<String> = (0..3).map(|_| studio.begin("x").0).collect();
    let pending =
        |studio: &Studio, workflow: &String| studio.runtime.state(workflow).unwrap().pending_decision;
    let asked = studio.until("all three ask", |studio| {
        begun.iter().map(|workflow| pending(studio, workflow)).collect::<Option<Vec<String>>>()
    });
    studio.until("the agent is free", |studio| {
        let agents = studio.runtime.agents().unwrap();
        let executor = agents.into_iter().find(|agent| agent.kind == "executor").unwrap();
        (executor.status == "available" && executor.task_id.is_none()).then_some(())
    });
    // The time without an agent does not count for the task.
    studio.world.pass(24 * 60 * 60 * 1000);
    for decision in &asked {
        answer(studio.runtime.respond(None, decision, "a")).unwrap();
    }
    studio.nudge();
    for workflow in &begun {
        studio.reaches(workflow, WorkflowState::Completed);
    }
    assert!(studio.events().iter().all(|(kind, _)| kind != "task_failed"), "{:#?}", studio.brief());
    assert_eq!(crowd.peak(), 1);
}

#[test]
fn s6_1_whoever_waits_for_an_agent_says_for_which_and_who_uses_it() {
    let studio = Studio::new(move |asked: &AgentRequest| {
        if let Some(text) = smooth(asked, &tasks(1)) {
            return Ok(text);
        }
        if asked.prompt.contains("the long one") {
            asked.cancellation.wait(Duration::from_secs(60));
        }
        Ok(says("COMPLETE", json!({ "output": "done" })))
    });
    let studio = studio.with_pool(pool("executor", 1)).start();
    let (first, _) = studio.begin("the long one");
    studio.until("the agent is at work", |studio| {
        let tasks = studio.runtime.tasks(&first).unwrap();
        tasks.iter().any(|task| task.status == TaskStatus::InProgress).then_some(())
    });
    let (second, _) = studio.begin("the short one");
    let agents = |studio: &Studio, workflow: &String| {
        let mut waiting = studio.runtime.state(workflow).unwrap().waiting_for?;
        waiting.retain(|waiting| waiting.kind == "agent");
        (!waiting.is_empty()).then_some(waiting)
    };
    let waiting = studio.until("it says what it waits for", |studio| {
        studio.world.pass(100);
        agents(studio, &second)
    });
    let told = json!([{ "type": "agent", "agentType": "executor", "usedBy": [first] }]);
    assert_eq!(json!(waiting), told);
    let is_news =
        |(kind, payload): &(String, Value)| kind == "workflow_update" && payload["waitingFor"] == told;
    assert_eq!(studio.events().iter().filter(|event| is_news(event)).count(), 1);
    assert_eq!(agents(&studio, &first), None);
    answer(studio.runtime.cancel(None, &first)).unwrap();
    studio.reaches(&second, WorkflowState::Completed);
    assert_eq!(studio.runtime.state(&second).unwrap().waiting_for, None);
}

#[test]
fn what_models_tools_and_agents_with_folders_do_is_told_while_they_do_it() {
    let let_go = Arc::new(AtomicBool::new(false));
    let is_let_go = Arc::clone(&let_go);
    let studio = Studio::new(move |asked: &AgentRequest| {
        let is_over = || is_let_go.load(Ordering::Relaxed) || asked.cancellation.is_cancelled();
        while asked.role == "plan" && !is_over() {
            asked.cancellation.wait(Duration::from_millis(10));
        }
        Ok(smooth(asked, &tasks(1)).unwrap_or_else(|| says("COMPLETE", json!({ "output": "done" }))))
    });
    let studio = studio.start();
    let (workflow, _) = studio.begin("x");
    let waiting = studio.until("the planner works", |studio| {
        let waiting = studio.of_engine.state(&workflow).unwrap().waiting_for;
        waiting.filter(|waiting| waiting[0].phase == Some(WorkflowState::PlanLoop))
    });
    let since = waiting[0].since.clone().unwrap();
    let (agent, name) = (waiting[0].agent_id.clone().unwrap(), waiting[0].name.clone().unwrap());
    let told = json!([{
        "type": "model", "agentId": agent, "phase": "plan_loop", "name": name, "since": since,
    }]);
    assert_eq!(json!(waiting), told);
    let_go.store(true, Ordering::Relaxed);
    studio.reaches(&workflow, WorkflowState::Completed);
    assert_eq!(studio.of_engine.state(&workflow).unwrap().waiting_for, None);
}

#[test]
fn s6_1_a_task_that_takes_too_long_is_given_to_another_agent_and_then_a_person_decides() {
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let asked_of = Arc::clone(&seen);
    let studio = Studio::new(move |asked: &AgentRequest| {
        if let Some(text) = smooth(asked, &tasks(1)) {
            return Ok(text);
        }
        asked_of.lock().unwrap().push(asked.agent.clone());
        asked.cancellation.wait(Duration::from_secs(60));
        assert!(asked.cancellation.is_cancelled());
        Ok(says("COMPLETE", json!({ "output": "too late" })))
    });
    let studio = studio.with_pool(pool("executor", 2)).start();
    let (workflow, _) = studio.begin("x");
    for count in 1..=3 {
        studio.until("a try", |studio| {
            studio.world.pass(1);
            (seen.lock().unwrap().len() == count).then_some(())
        });
        studio.world.pass(30 * 60 * 1000);
    }
    studio.decide("任务 1 失败，如何继续？", "abort");
    studio.reaches(&workflow, WorkflowState::Failed);
    let error = studio.runtime.tasks(&workflow).unwrap().remove(0).error;
    assert_eq!(error.as_deref(), Some("TIMEOUT: not done after 1800 s"));
    // After a failure another one is preferred.
    let seen = seen.lock().unwrap();
    assert!(seen[0] != seen[1] && seen[1] != seen[2], "{seen:?}");
}

#[test]
fn s6_1_neither_is_the_time_in_which_another_task_asks() {
    let studio = Studio::new(|asked: &AgentRequest| {
        if let Some(text) = smooth(asked, &tasks(2)) {
            return Ok(text);
        }
        Ok(match asked.round() {
            0 => says("WEB_SEARCH", json!({ "query": "x" })),
            _ => says("COMPLETE", json!({ "output": "done" })),
        })
    })
    .start();
    let (workflow, _) = studio.begin("x");
    studio.until("both wait for the same", |studio| {
        let steps = studio.steps(&workflow);
        (steps.iter().filter(|step| step.outcome.is_some()).count() == 2).then_some(())
    });
    studio.world.pass(24 * 60 * 60 * 1000);
    studio.decide("检测到网络访问，是否继续？", "Y");
    studio.reaches(&workflow, WorkflowState::Completed);
    assert!(studio.events().iter().all(|(kind, _)| kind != "task_failed"), "{:#?}", studio.brief());
}

#[test]
fn s6_1_the_time_in_which_a_person_is_asked_is_not_that_of_the_task() {
    let studio = Studio::new(|asked: &AgentRequest| {
        if let Some(text) = smooth(asked, &tasks(1)) {
            return Ok(text);
        }
        Ok(match asked.round() {
            0 => says("USER_ESCALATE", json!({ "message": "Which?", "options": ["a", "b"] })),
            _ => says("COMPLETE", json!({ "output": "done" })),
        })
    })
    .start();
    let (workflow, _) = studio.begin("x");
    studio.asked();
    studio.world.pass(24 * 60 * 60 * 1000);
    studio.decide("Which?", "a");
    studio.reaches(&workflow, WorkflowState::Completed);
    let events = studio.events();
    assert!(events.iter().all(|(kind, _)| kind != "task_failed"), "{:#?}", studio.brief());
}

#[test]
fn s6_1_the_usual_agents_are_those_of_the_document() {
    let listed = |agent: &PoolAgent| {
        let able = |(name, level): &(String, u64)| format!("{name} {level}");
        let able = agent.capabilities.iter().map(able).collect::<Vec<_>>().join(", ");
        format!("{} | {} | {} | {able}", agent.id, agent.name, agent.kind)
    };
    assert_eq!(
        PoolAgent::usual().iter().map(listed).collect::<Vec<_>>(),
        [
            "orchestrator-default | Default Orchestrator | orchestrator | planning 8, coordination 9",
            "executor-general | General Executor | executor | web_search 8, file_ops 9, shell_exec 7",
            "executor-research | Research Executor | executor | web_search 10, data_analysis 8, report_generation 9",
            "executor-coding | Coding Executor | executor | code_generation 9, file_ops 10, shell_exec 8",
            "reviewer-default | Default Reviewer | reviewer | code_review 8, quality_check 9",
        ]
    );
}

/// contract/workflows §1.2 and §6.1: an agent has 1800 s for a task.
#[test]
fn s6_1_the_limits_are_those_of_the_document() {
    let Concurrency { total, executor, orchestrator, reviewer, tool, api, database } = Concurrency::default();
    assert_eq!((total, executor, orchestrator, reviewer), (5, 3, 1, 2));
    assert_eq!((tool, api, database), (5, 10, 3));
    let pace = EngineLimits::default();
    assert_eq!((pace.retries, pace.backoff, pace.max_backoff), (2, 1000, 30_000));
    assert_eq!((pace.acknowledgement, pace.task_timeout), (30_000, 30 * 60 * 1000));
    assert_eq!((pace.repairs, pace.rejections, pace.rounds), (3, 3, 10));
}

#[test]
fn s6_1_two_reviewers_judge_at_a_time() {
    let may_end = Arc::new(AtomicBool::new(false));
    let may = Arc::clone(&may_end);
    let studio = Studio::new(move |asked: &AgentRequest| {
        while asked.role == "review" && !may.load(Ordering::Relaxed) && !asked.cancellation.is_cancelled() {
            asked.cancellation.wait(Duration::from_millis(5));
        }
        Ok(smooth(asked, &tasks(1)).unwrap_or_else(|| says("COMPLETE", json!({ "output": "done" }))))
    });
    let studio = studio.with_pool(pool("reviewer", 4)).start();
    let begun: Vec<String> = (0..4).map(|_| studio.begin("x").0).collect();
    for workflow in &begun {
        studio.reaches(workflow, WorkflowState::Review);
    }
    let asked = |studio: &Studio| {
        studio.log.prompts.lock().unwrap().iter().filter(|(role, _)| role == "review").count()
    };
    studio.until("two reviews", |studio| (asked(studio) >= 2).then_some(()));
    // Another agent is asked and answers meanwhile: there was time for a third review.
    let (other, _) = studio.begin_stage(SingleStage::Understand, json!("y"));
    studio.reaches(&other, WorkflowState::Completed);
    assert_eq!(asked(&studio), 2);
    may_end.store(true, Ordering::Relaxed);
    for workflow in &begun {
        studio.reaches(workflow, WorkflowState::Completed);
    }
}

/// A task of this name that needs these capabilities.
fn needs(id: &str, capabilities: &[&str]) -> Value {
    json!({ "id": id, "description": id, "requiredCapabilities": capabilities })
}

/// A workflow of this plan, of which all is done at once; only its tasks are answered for by this script.
fn begun(plan: Value, script: impl Fn(&AgentRequest) -> String + Send + Sync + 'static) -> Studio {
    Studio::new(move |asked: &AgentRequest| Ok(smooth(asked, &plan).unwrap_or_else(|| script(asked))))
}

fn done(_: &AgentRequest) -> String {
    says("COMPLETE", json!({ "output": "done" }))
}

/// The agents that did the tasks of a workflow.
fn assignees(studio: &Studio, workflow: &str) -> Vec<String> {
    let tasks = studio.runtime.tasks(workflow).unwrap();
    tasks.into_iter().map(|task| task.assignee.unwrap_or_default()).collect()
}

#[test]
fn s6_1_a_task_is_given_to_whoever_has_all_its_capabilities_and_of_those_to_the_best() {
    let plan = json!([
        needs("task-1", &["web_search", "file_ops"]),
        needs("task-2", &["web_search", "report_generation"]),
        needs("task-3", &["shell_exec"]),
    ]);
    let studio = begun(plan, done).start();
    let (workflow, _) = studio.begin("x");
    studio.reaches(&workflow, WorkflowState::Completed);
    assert_eq!(assignees(&studio, &workflow), ["executor-general", "executor-research", "executor-coding"]);
    // All capabilities are there, but no agent has both.
    let studio = begun(json!([needs("task-1", &["data_analysis", "code_generation"])]), done).start();
    let (workflow, _) = studio.begin("x");
    studio.reaches(&workflow, WorkflowState::WaitUserDecision);
    assert!(studio.brief().contains(&"resource_shortage".to_owned()));
    studio.decide("资源不足：缺少 data_analysis, code_generation", "abort");
    studio.reaches(&workflow, WorkflowState::Failed);
}

#[test]
fn s6_1_where_the_planner_insists_on_what_no_agent_can_do_a_person_is_asked() {
    let studio = begun(json!([needs("task-1", &["telepathy"])]), done).start();
    let (workflow, _) = studio.begin("x");
    studio.reaches(&workflow, WorkflowState::WaitUserDecision);
    let events = studio.events();
    let told = &events.iter().find(|(kind, _)| kind == "resource_shortage").unwrap().1;
    let missing = json!([{ "type": "executor", "capabilities": ["telepathy"] }]);
    assert_eq!(told["missingResources"], missing);
    // The agent was asked to repair the plan as often as any answer.
    let plans = studio.log.prompts.lock().unwrap().iter().filter(|(role, _)| role == "plan").count();
    assert_eq!(plans, 1 + EngineLimits::default().repairs);
    studio.decide("资源不足：缺少 telepathy", "abort");
    studio.reaches(&workflow, WorkflowState::Failed);
    // It has failed for what lacked, and not for the answer.
    let error = studio.runtime.state(&workflow).unwrap().error;
    assert_eq!(error.as_deref(), Some("资源不足：缺少 telepathy"));
}

/// No task waits for the better agent, and an agent that is better at nothing does it as well.
#[test]
fn s6_1_the_words_of_a_task_prefer_an_agent_and_keep_no_task_waiting() {
    let both = json!([{ "id": "a", "description": "search" }, { "id": "b", "description": "search" }]);
    for (pool, expected) in [
        (PoolAgent::usual(), ["executor-general", "executor-research"]),
        (pool("executor", 2), ["executor-1", "executor-2"]),
    ] {
        let crowd = Arc::new(ConcurrencyMeter::default());
        let joined = Arc::clone(&crowd);
        let studio = begun(both.clone(), move |asked| {
            joined.join(&asked.agent, 2);
            done(asked)
        });
        let studio = studio.with_pool(pool).start();
        let (workflow, _) = studio.begin("x");
        studio.reaches(&workflow, WorkflowState::Completed);
        let mut did = assignees(&studio, &workflow);
        did.sort();
        assert_eq!((did, crowd.peak()), (expected.map(str::to_owned).to_vec(), 2));
    }
}

#[test]
fn s6_1_what_must_be_done_well_is_given_to_nobody_below_that_level() {
    let plan = |capabilities: &[&str], level: u64| {
        let mut task = needs("task-1", capabilities);
        task["minLevel"] = json!(level);
        json!([task])
    };
    for (capabilities, level, who) in
        [(&["shell_exec", "web_search"][..], 8, "executor-general"), (&[], 10, "executor-coding")]
    {
        let studio = begun(plan(capabilities, level), done).start();
        let (workflow, _) = studio.begin("x");
        studio.reaches(&workflow, WorkflowState::Completed);
        assert_eq!(assignees(&studio, &workflow), [who], "{capabilities:?} {level}");
        assert_eq!(studio.runtime.tasks(&workflow).unwrap()[0].min_level, Some(level));
    }
    // One agent is at that level, but none can do both.
    let studio = begun(plan(&["file_ops", "shell_exec"], 9), done);
    let mut pool = PoolAgent::usual();
    pool.iter_mut().for_each(|agent| agent.capabilities.retain(|(name, _)| name != "shell_exec"));
    let alone = |id: &str, name: &str, level| PoolAgent {
        id: id.to_owned(),
        name: id.to_owned(),
        kind: "executor".to_owned(),
        capabilities: vec![(name.to_owned(), level), ("file_ops".to_owned(), 5)],
    };
    pool.push(alone("executor-shell", "shell_exec", 7));
    let studio = studio.with_pool(pool).start();
    let (workflow, _) = studio.begin("x");
    studio.reaches(&workflow, WorkflowState::WaitUserDecision);
    let (_, told) = studio.events().into_iter().find(|(kind, _)| kind == "resource_shortage").unwrap();
    let missing = json!([{ "type": "executor", "capabilities": ["file_ops", "shell_exec"], "minLevel": 9 }]);
    assert_eq!(told["missingResources"], missing);
    studio.decide("资源不足：缺少 file_ops, shell_exec ≥ 9", "abort");
    studio.reaches(&workflow, WorkflowState::Failed);
}

#[test]
fn s6_1_whoever_is_busy_is_waited_for_and_nobody_is_asked() {
    let plan = json!([needs("task-1", &["data_analysis"]), needs("task-2", &["data_analysis"])]);
    let studio = begun(plan, done).start();
    let (workflow, _) = studio.begin("x");
    studio.reaches(&workflow, WorkflowState::Completed);
    assert_eq!(assignees(&studio, &workflow), ["executor-research"; 2]);
    let events = studio.brief();
    let at = |name: &str| events.iter().position(|event| event == name).unwrap();
    assert!(at("task_completed task-1") < at("task_started task-2"), "{events:#?}");
    assert!(events.iter().all(|event| event != "resource_shortage" && event != "user_decision_required"));
}

#[test]
fn s6_1_whoever_has_waited_longest_is_given_an_agent_next_unless_another_is_more_urgent() {
    for (gap, urgency, next) in [
        (1000, "medium", ["alpha task-2", "beta task-1", "gamma task-1"]),
        (1000, "high", ["gamma task-1", "gamma task-2", "gamma task-3"]),
        (6000, "high", ["alpha task-2", "beta task-1", "gamma task-1"]),
        (1000, "low", ["alpha task-2", "beta task-1", "alpha task-3"]),
    ] {
        let (order, may_end): (Arc<Mutex<Vec<String>>>, Arc<AtomicBool>) = Default::default();
        let (noted, may) = (Arc::clone(&order), Arc::clone(&may_end));
        let studio = Studio::new(move |asked: &AgentRequest| {
            if asked.role == "understand" && asked.prompt.contains("gamma") {
                let intent = json!({ "goal": "it", "urgency": urgency });
                return Ok(says("INTENT_ANALYSIS", json!({ "normalizedIntent": intent })));
            }
            if let Some(text) = smooth(asked, &tasks(3)) {
                return Ok(text);
            }
            let name = ["alpha", "beta", "gamma"].into_iter().find(|name| asked.prompt.contains(name));
            noted.lock().unwrap().push(format!("{} {}", name.unwrap(), asked.role));
            while !may.load(Ordering::Relaxed) && !asked.cancellation.is_cancelled() {
                asked.cancellation.wait(Duration::from_millis(5));
            }
            Ok(done(asked))
        });
        let studio = studio.with_pool(pool("executor", 1)).start();
        let begun = ["alpha", "beta", "gamma"].map(|name| {
            let (workflow, _) = studio.begin(name);
            studio.reaches(&workflow, WorkflowState::Execution);
            studio.is_looked_at(&workflow);
            studio.world.pass(gap);
            workflow
        });
        may_end.store(true, Ordering::Relaxed);
        for workflow in &begun {
            studio.reaches(workflow, WorkflowState::Completed);
        }
        let order = order.lock().unwrap();
        assert_eq!(order[..4].join(", "), format!("alpha task-1, {}", next.join(", ")), "{gap} {urgency}");
    }
}

#[test]
fn s6_5_two_answered_tasks_that_wait_for_the_same_agent_use_it_one_after_the_other() {
    let (at_work, most): (Arc<AtomicUsize>, Arc<AtomicUsize>) = Default::default();
    let may_end: Arc<AtomicBool> = Arc::default();
    let (seen, may) = (Arc::clone(&most), Arc::clone(&may_end));
    let studio = Studio::new(move |asked: &AgentRequest| {
        if let Some(text) = smooth(asked, &tasks(3)) {
            return Ok(text);
        }
        if asked.role != "task-3" && asked.round() == 0 {
            return Ok(says("USER_ESCALATE", json!({ "message": asked.role, "options": ["this"] })));
        }
        seen.fetch_max(at_work.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
        while asked.role == "task-3" && !may.load(Ordering::Relaxed) && !asked.cancellation.is_cancelled() {
            asked.cancellation.wait(Duration::from_millis(5));
        }
        asked.cancellation.wait(Duration::from_millis(100));
        at_work.fetch_sub(1, Ordering::Relaxed);
        Ok(done(asked))
    });
    let studio = studio.with_pool(pool("executor", 1)).start();
    let (workflow, _) = studio.begin("x");
    studio.until("the third task has the agent", |_| (most.load(Ordering::Relaxed) > 0).then_some(()));
    for decision in studio.runtime.decisions(None, Some(DecisionStatus::Pending)).unwrap() {
        answer(studio.runtime.respond(None, &decision.decision_id, "this")).unwrap();
    }
    studio.is_looked_at(&workflow);
    may_end.store(true, Ordering::Relaxed);
    studio.reaches(&workflow, WorkflowState::Completed);
    assert_eq!(most.load(Ordering::Relaxed), 1, "tasks at work with one agent");
}

#[test]
fn s6_5_each_task_says_who_has_given_it_to_whom_and_how_far_that_has_come() {
    let plan = json!([
        { "id": "a", "description": "a" },
        { "id": "b", "description": "b" },
        { "id": "c", "description": "c", "dependencies": ["a", "b"] },
    ]);
    let studio = Studio::new(move |asked: &AgentRequest| {
        if asked.role == "review" && asked.before == 0 {
            return Ok(says("REVIEW_REJECT", json!({ "feedback": "again", "tasks": ["b"] })));
        }
        if let Some(text) = smooth(asked, &plan) {
            return Ok(text);
        }
        Ok(match (&*asked.role, asked.round(), asked.before) {
            // Of the first try, and of the one after the review.
            ("a", 0, _) | ("b", 0, 1..) => {
                says("USER_ESCALATE", json!({ "message": "Which?", "options": ["a", "b"] }))
            }
            _ => done(asked),
        })
    });
    let studio = studio.with_pool(pool("executor", 1)).start();
    let (workflow, _) = studio.begin("x");
    let told = |studio: &Studio| {
        let tasks = studio.runtime.tasks(&workflow).unwrap();
        let told = tasks.into_iter().map(|task| match task.assignment {
            None => "-".to_owned(),
            Some(told) => {
                assert_eq!((&told.epic_id, &told.task_id), (&workflow, &task.id));
                let from = told.assigner_agent_id.trim_start_matches("orchestrator-");
                let to = told.assignee_agent_id.unwrap_or_default();
                format!("{from} → {to} {} {}", told.phase, told.attempt)
            }
        });
        told.collect::<Vec<_>>()
    };
    studio.asked();
    // The agent of the one that asks does the other meanwhile.
    studio.until("that the other is done", |studio| {
        (told(studio)[1] == "default → executor-1 reviewing 1").then_some(())
    });
    assert_eq!(told(&studio)[0], "default → executor-1 started 1");
    assert_eq!(told(&studio)[2], "-");
    studio.decide("Which?", "a");
    studio.asked();
    let again = [
        "default → executor-1 reviewing 1",
        "default → executor-1 started 2",
        "default → executor-1 reviewing 1",
    ];
    assert_eq!(told(&studio), again);
    answer(studio.runtime.cancel(None, &workflow)).unwrap();
    studio.reaches(&workflow, WorkflowState::Failed);
    assert_eq!(told(&studio)[1], "default → executor-1 closed 2");
    // If another driver takes over, in whatever way, it is the one that gives tasks.
    let studio = Studio::new(|_: &AgentRequest| unreachable!());
    let (workflow, _) = studio.begin("x");
    for (trigger, context) in [
        ("intent_analyzed", json!({})),
        ("routing_decided", json!({ "route": "full_replan" })),
        ("plan_created", json!({ "tasks": [{ "id": "a", "description": "a", "assignee": "mine" }] })),
    ] {
        studio.step(&workflow, trigger, context).unwrap();
    }
    let task = studio.runtime.tasks(&workflow).unwrap().remove(0).assignment.unwrap();
    assert_eq!(
        (&*task.assigner_agent_id, task.assignee_agent_id.as_deref()),
        ("finger-orchestrator", Some("mine"))
    );
}

#[test]
fn s6_1_each_retry_waits_twice_as_long_as_the_one_before_up_to_the_longest_wait() {
    for (longest, waits) in [(30_000, [1000, 2000]), (1500, [1000, 1500])] {
        let studio = begun(tasks(1), |_| says("FAIL", json!({ "reason": "timeout", "recoverable": true })));
        let studio =
            studio.paced(|pace| (pace.backoff, pace.max_backoff, pace.retries) = (1000, longest, 2)).start();
        studio.begin("x");
        studio.until("a question", |studio| {
            studio.nudge();
            studio.brief().contains(&"user_decision_required".to_owned()).then_some(())
        });
        let rows = studio.rows();
        let times = |kind: &str| {
            rows.iter().filter(|row| row.kind.name() == kind).map(|row| row.at).collect::<Vec<_>>()
        };
        let (started, failed) = (times("task_started"), times("task_failed"));
        assert_eq!((started.len(), failed.len()), (3, 3));
        for (number, wait) in waits.into_iter().enumerate() {
            let waited = started[number + 1] - failed[number];
            assert!(waited >= wait, "{waited} ms instead of {wait} ms before try {}", number + 2);
        }
    }
}

#[test]
fn s6_5_tasks_begin_in_the_order_of_the_plan_as_soon_as_all_that_they_need_is_done() {
    let plan = json!([
        { "id": "c", "description": "c" },
        { "id": "d", "description": "d", "dependencies": ["a", "c"] },
        { "id": "b", "description": "b" },
        { "id": "a", "description": "a" },
    ]);
    let studio =
        Studio::new(move |asked: &AgentRequest| Ok(smooth(asked, &plan).unwrap_or_else(|| done(asked))));
    let studio = studio.paced(|pace| pace.concurrency.executor = 1).start();
    let (workflow, _) = studio.begin("x");
    studio.reaches(&workflow, WorkflowState::Completed);
    let events = studio.brief();
    let of = |kind: &str| {
        events.iter().filter_map(|event| event.strip_prefix(kind)).map(str::trim).collect::<Vec<_>>()
    };
    assert_eq!(of("task_started"), ["c", "b", "a", "d"]);
    assert_eq!(of("workflow_progress"), ["25", "50", "75", "100"], "one after each task that has ended");
}

#[test]
fn s6_5_an_agent_is_free_again_however_its_task_ends() {
    for end in ["success", "failure", "no answer", "timeout", "cancel", "pause"] {
        let studio = Studio::new(move |asked: &AgentRequest| match (smooth(asked, &tasks(1)), end) {
            (Some(text), _) => Ok(text),
            (None, "success") => Ok(done(asked)),
            (None, "failure") => Ok(says("FAIL", json!({ "reason": "no way" }))),
            (None, "no answer") => Err(LlmError::NotFound { program: "think".to_owned() }),
            (None, _) => {
                asked.cancellation.wait(Duration::from_secs(60));
                Ok(done(asked))
            }
        });
        let studio = studio.paced(|pace| pace.retries = 0).start();
        let (workflow, _) = studio.begin("x");
        if matches!(end, "timeout" | "cancel" | "pause") {
            let is_busy = |studio: &Studio| {
                let agents = studio.runtime.agents().unwrap();
                agents.iter().any(|agent| agent.status == "busy").then_some(())
            };
            studio.until("that somebody is at it", is_busy);
        }
        match end {
            "timeout" => studio.world.pass(30 * 60 * 1000),
            "cancel" => drop(answer(studio.runtime.cancel(None, &workflow)).unwrap()),
            "pause" => drop(answer(studio.runtime.pause(None, &workflow, true)).unwrap()),
            _ => {}
        }
        if matches!(end, "failure" | "no answer" | "timeout") {
            assert_eq!(studio.asked().1, "任务 1 失败，如何继续？", "{end}");
        }
        studio.until(end, |studio| {
            let agents = studio.runtime.agents().unwrap();
            agents.iter().all(|agent| agent.status == "available" && agent.task_id.is_none()).then_some(())
        });
        if end == "success" {
            studio.reaches(&workflow, WorkflowState::Completed);
        }
    }
}
