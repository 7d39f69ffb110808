//! Two workflows at a time on one pool, of random plans whose tasks fail at random, and the process killed at random moments:
//! what was finished is not done again, what was under way at most once more, and it ends as it would have undisturbed.

use crate::studio::{AgentRequest, Studio, says};
use crate::support::campaign;
use llm::LlmError;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use protocol::workflow::{DecisionStatus, EventType, WorkflowState};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

/// How many pairs of plans are tried; the long campaign multiplies it.
const PAIRS: u32 = 8;

/// In how many runs each pair is disturbed, and how often in each of these.
const KILLS: [usize; 3] = [1, 1, 3];

/// What the two workflows are about. Every prompt, answer and question of a workflow contains its own word, and never the other.
const WORDS: [&str; 2] = ["alpha", "beta"];

/// A plan, and the outcome of its tasks.
#[derive(Debug, Clone)]
struct Graph {
    word: &'static str,
    nodes: Vec<Node>,
}

#[derive(Debug, Clone)]
struct Node {
    id: String,
    needs: Vec<String>,
    capability: Option<&'static str>,
    /// The steps of its agent, in their order.
    does: Vec<AgentStep>,
    /// How it fails, try by try, before it succeeds.
    fails: Vec<FailureKind>,
    /// Whether its first result is rejected.
    is_rejected: bool,
}

#[derive(Debug, Clone, Copy)]
enum AgentStep {
    Write,
    Search,
    Ask,
}

#[derive(Debug, Clone, Copy)]
enum FailureKind {
    /// The agent says that it may be tried again.
    Once,
    /// The agent says that it makes no sense to try again.
    ForGood,
    /// The model of the agent cannot be reached.
    Unreachable,
}

fn graph(word: &'static str) -> impl Strategy<Value = Graph> {
    let capability = select(vec![None, None, Some("web_search"), Some("file_ops"), Some("shell_exec")]);
    let does = select(vec![AgentStep::Write, AgentStep::Write, AgentStep::Search, AgentStep::Ask]);
    let fails =
        select(vec![FailureKind::Once, FailureKind::Once, FailureKind::Unreachable, FailureKind::ForGood]);
    let fails = prop_oneof![3 => Just(Vec::new()), 1 => vec(fails, 1..4)];
    let node = (any::<u16>(), capability, vec(does, 0..3), fails, prop::bool::weighted(0.15));
    vec(node, 1..7).prop_map(move |drawn| {
        let id = |number: usize| format!("{word}-{}", number + 1);
        let node = |(number, drawn): (usize, _)| {
            let (needs, capability, does, fails, is_rejected): (u16, _, _, _, _) = drawn;
            // Of what stands before it: no bit, no need.
            let needs = (0..number).filter(|other| needs >> other & 1 == 1).map(id).collect();
            Node { id: id(number), needs, capability, does, fails, is_rejected }
        };
        Graph { word, nodes: drawn.into_iter().enumerate().map(node).collect() }
    })
}

impl Graph {
    fn plan(&self) -> Value {
        let task = |node: &Node| {
            json!({
                "id": node.id, "description": format!("{} of {}", node.id, self.word), "dependencies": node.needs,
                "requiredCapabilities": node.capability.into_iter().collect::<Vec<_>>(),
            })
        };
        self.nodes.iter().map(task).collect()
    }

    fn rejected(&self) -> Vec<&str> {
        self.nodes.iter().filter(|node| node.is_rejected).map(|node| &*node.id).collect()
    }

    /// What is said to a prompt: by what stands in it alone, so that it does not matter how often it is asked.
    fn says(&self, asked: &AgentRequest) -> Result<String, LlmError> {
        let node = match &*asked.role {
            "understand" => {
                return Ok(says("INTENT_ANALYSIS", json!({ "normalizedIntent": { "goal": "it" } })));
            }
            "route" => return Ok(says("ROUTE_DECISION", json!({ "route": "full_replan" }))),
            "plan" => return Ok(says("TASK_PLAN", json!({ "tasks": self.plan() }))),
            "review" => {
                let rejected = self.rejected();
                let is_better = rejected.iter().all(|id| asked.prompt.contains(&format!("{id} is better")));
                return Ok(match is_better {
                    true => says("REVIEW_APPROVE", json!({ "approved": true })),
                    false => says("REVIEW_REJECT", json!({ "feedback": "no", "tasks": rejected })),
                });
            }
            task => self.nodes.iter().find(|node| node.id == task).unwrap(),
        };
        for need in &node.needs {
            let result = format!("\"{need}\":{{\"description\":\"{need} of {}\",\"result\":{{", self.word);
            assert!(asked.prompt.contains(&result), "{} without {need}: {}", node.id, asked.prompt);
        }
        let (tries, is_again) =
            (tries(&asked.prompt), asked.prompt.contains("Review of the previous result"));
        let quality = if is_again { "better" } else { "done" };
        let round = asked.round();
        let name = format!("{}/{round}/{tries}/{quality}", node.id);
        if let Some(does) = node.does.get(round) {
            return Ok(match does {
                AgentStep::Write => says("WRITE_FILE", json!({ "path": name, "content": quality })),
                AgentStep::Search => says("WEB_SEARCH", json!({ "query": name })),
                AgentStep::Ask => {
                    says("USER_ESCALATE", json!({ "message": name, "options": ["this", "that"] }))
                }
            });
        }
        let reason = format!("try {}", tries + 1);
        match node.fails.get(tries) {
            Some(FailureKind::Once) => Ok(says("FAIL", json!({ "reason": reason, "recoverable": true }))),
            Some(FailureKind::ForGood) => Ok(says("FAIL", json!({ "reason": reason }))),
            Some(FailureKind::Unreachable) => {
                Err(LlmError::Connect { target: "x".to_owned(), message: reason })
            }
            None => Ok(says("COMPLETE", json!({ "output": format!("{} is {quality}", node.id) }))),
        }
    }
}

/// How often a task has failed before, according to the agent's prompt.
fn tries(prompt: &str) -> usize {
    let Some((_, told)) = prompt.split_once("Error of the previous attempt:") else { return 0 };
    let number = told.split_once("try ").unwrap().1;
    number.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap()
}

/// One resource does one task at a time, across workflows.
#[derive(Default)]
struct BusyAgents(Mutex<HashMap<String, String>>);

impl BusyAgents {
    fn during<T>(&self, asked: &AgentRequest, act: impl FnOnce() -> T) -> T {
        if !asked.role.contains('-') {
            return act();
        }
        let before = { self.0.lock().unwrap().insert(asked.agent.clone(), asked.role.clone()) };
        assert_eq!(before, None, "{} does {} as well", asked.agent, asked.role);
        let done = panic::catch_unwind(AssertUnwindSafe(act));
        self.0.lock().unwrap().remove(&asked.agent);
        done.unwrap_or_else(|fault| panic::resume_unwind(fault))
    }
}

/// The outcome of both workflows.
#[derive(Debug, PartialEq)]
struct Outcome {
    outputs: Vec<Value>,
    tasks: Vec<Vec<(String, &'static str, Option<Value>)>>,
    /// What people were asked by agents, and how often.
    asked: BTreeMap<String, i32>,
}

struct Run<'g> {
    graphs: &'g [Graph; 2],
    studio: Studio,
    /// The workflows and their sessions.
    begun: Vec<(String, String)>,
    /// How often each step may have been done.
    may: HashMap<(String, i64), i64>,
    /// The numbers of the last events before the kills.
    killed: Vec<i64>,
    /// Whether it was resumed after a task had failed: then it is planned anew (contract/workflows §8.3), and unfinished tasks
    /// begin anew.
    is_planned_anew: bool,
    /// What was wrong with a prompt.
    faults: Arc<Mutex<Vec<String>>>,
}

impl<'g> Run<'g> {
    fn new(graphs: &'g [Graph; 2]) -> Self {
        let plans = graphs.clone();
        let busy = Arc::new(BusyAgents::default());
        let faults: Arc<Mutex<Vec<String>>> = Arc::default();
        let found = Arc::clone(&faults);
        let studio = Studio::new(move |asked: &AgentRequest| {
            let [is_first, is_second] = WORDS.map(|word| asked.prompt.contains(word));
            // The engine outlives a panic, so the panic is reported to the waiting test.
            let says = AssertUnwindSafe(|| {
                assert_ne!(is_first, is_second, "it is about one of the two: {}", asked.prompt);
                busy.during(asked, || plans[usize::from(is_second)].says(asked))
            });
            panic::catch_unwind(says).unwrap_or_else(|fault| {
                let words = fault.downcast_ref::<String>().cloned().unwrap_or_default();
                found.lock().unwrap().push(words);
                Err(LlmError::Cancelled)
            })
        });
        Self {
            graphs,
            studio,
            begun: Vec::new(),
            may: HashMap::new(),
            killed: Vec::new(),
            is_planned_anew: false,
            faults,
        }
    }

    /// Continues for this many changes, or to the end; returns whether the end is reached.
    fn go_on_for(&mut self, changes: i64) -> bool {
        self.studio.start_for(changes);
        if self.begun.is_empty() {
            self.begun = self.graphs.iter().map(|graph| self.studio.begin(graph.word)).collect();
        } else {
            for (workflow, session) in &self.begun {
                if !self.studio.state(workflow).is_terminal() {
                    let resumed = self.studio.resume(session).unwrap();
                    let is_failed = |id: &Value| !id.as_array().unwrap().is_empty();
                    self.is_planned_anew |=
                        is_failed(&resumed["resumeContext"]["checkpoint"]["failedTaskIds"]);
                }
            }
        }
        let (begun, faults) = (self.begun.clone(), Arc::clone(&self.faults));
        let is_over = self.studio.until("the end of both, or of the process", |studio| {
            assert_eq!(*faults.lock().unwrap(), [""; 0]);
            answer_all(studio);
            studio.nudge();
            let is_dead = studio.journal.made.load(Ordering::Acquire) >= changes;
            let is_over = begun.iter().all(|(workflow, _)| studio.state(workflow).is_terminal());
            (is_dead || is_over).then_some(is_over)
        });
        self.studio.stop();
        self.note();
        is_over
    }

    /// What was finished when the process ended must not be done again; what was begun may be once more.
    fn note(&mut self) {
        self.killed.push(self.studio.rows().last().map_or(0, |event| event.seq));
        for (workflow, _) in &self.begun {
            for step in self.studio.steps(workflow) {
                let is_finished = step.answer.is_some() || step.outcome.is_some();
                let attempts = step.attempt + i64::from(!is_finished);
                self.may.insert((workflow.clone(), step.no), attempts);
            }
        }
    }

    fn outcome(&self) -> Outcome {
        let mut asked = BTreeMap::new();
        for decision in self.studio.runtime.decisions(None, None).unwrap() {
            assert_eq!(decision.status, DecisionStatus::Answered.name());
            if !decision.message.starts_with("任务") {
                *asked.entry(decision.message).or_default() += 1;
            }
        }
        let of = |workflow: &str| {
            let tasks = self.studio.runtime.tasks(workflow).unwrap().into_iter();
            tasks.map(|task| (task.id, task.status.name(), task.result)).collect::<Vec<_>>()
        };
        let output = |workflow: &str| {
            let state = self.studio.runtime.state(workflow).unwrap();
            assert_eq!(
                state.fsm_state,
                WorkflowState::Completed,
                "{:?} {:#?}",
                state.error,
                self.studio.brief()
            );
            serde_json::to_value(state.output).unwrap()
        };
        Outcome {
            outputs: self.begun.iter().map(|(workflow, _)| output(workflow)).collect(),
            tasks: self.begun.iter().map(|(workflow, _)| of(workflow)).collect(),
            asked,
        }
    }

    /// No step was done more often than it may have been, and no model and no tool was used for anything else.
    fn check_steps(&self) {
        let mut prompts: HashMap<String, i64> = HashMap::new();
        let mut calls: HashMap<String, i64> = HashMap::new();
        for (workflow, _) in &self.begun {
            let mut last = HashMap::new();
            for step in self.studio.steps(workflow) {
                last.insert(step.no, step);
            }
            for step in last.into_values() {
                let may = self.may.get(&(workflow.clone(), step.no)).copied().unwrap_or(1);
                assert!(step.attempt <= may, "{} was done {} times, not {may}", step.name, step.attempt);
                let request: Value = serde_json::from_str(&step.request).unwrap_or_default();
                if step.name.ends_with("/think") {
                    *prompts.entry(request["prompt"].as_str().unwrap().to_owned()).or_default() +=
                        step.attempt;
                } else if step.name.ends_with("/tool") {
                    let call = format!("{} {}", request["action"].as_str().unwrap(), request["params"]);
                    *calls.entry(call).or_default() += step.attempt;
                }
            }
        }
        for (_, prompt) in self.studio.log.prompts.lock().unwrap().iter() {
            *prompts.get_mut(prompt).unwrap() -= 1;
        }
        for call in self.studio.calls() {
            *calls.get_mut(&call).unwrap() -= 1;
        }
        let often: Vec<_> = prompts.iter().chain(&calls).filter(|(_, left)| **left < 0).collect();
        assert!(often.is_empty(), "{often:#?}");
    }

    /// The events of one workflow are about no other; no agent does two tasks at a time; a task's dependencies were done before
    /// it.
    fn check_events(&self) {
        let mut done: BTreeSet<String> = BTreeSet::new();
        let mut working: HashMap<String, String> = HashMap::new();
        let mut killed = self.killed.iter().copied().peekable();
        for event in self.studio.rows() {
            while killed.next_if(|seq| *seq < event.seq).is_some() {
                working.clear();
            }
            let Some(at) = self.begun.iter().position(|(id, _)| event.workflow.as_ref() == Some(id)) else {
                let about = self.begun.iter().filter(|(id, session)| {
                    event.payload.contains(id.as_str()) || event.session.as_ref() == Some(session)
                });
                assert!(about.count() <= 1, "{event:?}");
                continue;
            };
            let (session, other) = (&self.begun[at].1, &self.begun[1 - at]);
            assert_eq!(event.session.as_ref(), Some(session), "{event:?}");
            let graph = &self.graphs[at];
            let find = |id: &str| graph.nodes.iter().find(|node| node.id == id);
            assert!(event.task.as_deref().is_none_or(|id| find(id).is_some()), "{event:?}");
            let mut payload: Value = serde_json::from_str(&event.payload).unwrap();
            // Only who uses the agents that it waits for.
            payload.as_object_mut().unwrap().remove("waitingFor");
            for foreign in [&other.0, &other.1, WORDS[1 - at]] {
                assert!(!payload.to_string().contains(foreign), "{event:?}");
            }
            let text = |key: &str| payload[key].as_str().unwrap_or_default().to_owned();
            assert!(payload.get("taskId").is_none_or(|id| find(id.as_str().unwrap()).is_some()), "{event:?}");
            match event.kind {
                EventType::TaskStarted => {
                    let missing =
                        find(&text("taskId")).unwrap().needs.iter().find(|need| !done.contains(*need));
                    assert_eq!(missing, None, "{event:?}");
                    let before = working.insert(text("agentId"), text("taskId"));
                    assert!(before.is_none_or(|before| before == text("taskId")), "{event:?}");
                    done.remove(&text("taskId"));
                }
                EventType::TaskCompleted | EventType::TaskFailed => {
                    assert_eq!(working.remove(&text("agentId")), Some(text("taskId")), "{event:?}");
                    if event.kind == EventType::TaskCompleted {
                        done.insert(text("taskId"));
                    }
                }
                // While a task waits for a person, its agent does others, and comes back to it.
                EventType::ResourceUpdate if text("status") == "available" => {
                    working.remove(&text("resourceId"));
                }
                EventType::AgentUpdate if payload["currentTaskId"].is_string() => {
                    let before = working.insert(text("agentId"), text("currentTaskId"));
                    assert!(before.is_none_or(|before| before == text("currentTaskId")), "{event:?}");
                }
                EventType::DecisionTreeNode if text("action") == "REVIEW_REJECT" => {
                    graph.rejected().into_iter().for_each(|id| _ = done.remove(id));
                }
                _ => {}
            }
        }
    }
}

/// A person who answers whatever is asked.
fn answer_all(studio: &Studio) {
    for decision in studio.runtime.decisions(None, Some(DecisionStatus::Pending)).unwrap() {
        let answer = match &*decision.message {
            message if message.starts_with("检测到") => "Y",
            message if message.starts_with("任务") => "continue",
            _ => "this",
        };
        // Its waiter may have ended meanwhile.
        let _ = studio.runtime.respond(None, &decision.decision_id, answer);
    }
}

fn check(graphs: &[Graph; 2], fractions: &[Vec<u16>]) {
    let mut undisturbed = Run::new(graphs);
    assert!(undisturbed.go_on_for(i64::MAX));
    let expected = undisturbed.outcome();
    undisturbed.check_steps();
    undisturbed.check_events();
    // Each question once; whether the network may be used, once for each call.
    let often = expected.asked.iter().filter(|(asked, times)| **times > 1 && !asked.starts_with("检测到"));
    assert_eq!(often.count(), 0, "{:?}", expected.asked);
    let changes = undisturbed.studio.journal.made.load(Ordering::Acquire);
    for kills in fractions {
        let mut run = Run::new(graphs);
        for fraction in kills {
            if run.go_on_for((changes * i64::from(*fraction)) >> 16) {
                break;
            }
        }
        assert!(run.go_on_for(i64::MAX));
        let outcome = run.outcome();
        if !run.is_planned_anew {
            assert_eq!(outcome.asked, expected.asked);
        }
        assert_eq!(outcome.outputs, expected.outputs);
        assert_eq!(outcome.tasks, expected.tasks);
        run.check_steps();
        run.check_events();
    }
}

#[test]
fn two_workflows_of_random_plans_end_as_if_nothing_had_been_killed() {
    let kills = KILLS.map(|times| vec(any::<u16>(), times));
    let drawn = ((graph(WORDS[0]), graph(WORDS[1])), kills);
    campaign("crashes", PAIRS, &drawn, |((first, second), kills)| check(&[first, second], &kills));
}
