//! Workflows that a daemon before has left behind: from the first moment on they are interrupted, whenever that is written.

use crate::counted::counting;
use crate::crashing::mortal;
use crate::recorded;
use crate::studio::{Studio, says, smooth};
use crate::support::{Scene, TestWorld, answer, nobody};
use crate::whole::WholeLists as _;
use journal::{Journal, Query, Sqlite, ViewExt as _};
use protocol::workflow::WorkflowState;
use serde_json::json;
use std::ops::ControlFlow;
use std::sync::Arc;
use workflow::{
    ListRange, NewCheckpoint, NewDecision, Runtime, StateFilter, Transition, WorkflowFilter, World,
};

/// How many workflows share a change of the recovery.
const TOGETHER: usize = 64;

/// The workflows of a daemon that was killed, with their sessions.
struct Left {
    begun: (String, String),
    /// In each, a task has begun: in the first two by an agent of the pool, in the others by a client alone.
    executing: Vec<(String, String)>,
    paused: (String, String),
    paused_at_work: (String, String),
    asked: (String, String),
    decision: String,
    ended: (String, String),
}

impl Left {
    fn by(scene: &Scene) -> Self {
        let begun = scene.begin("begun");
        let tasks = || json!([{ "id": "a", "description": "A" }, { "id": "b" }]);
        let at_work = |agent: Option<&str>| {
            let found = scene.executing(tasks());
            let begun = match agent {
                Some(agent) => json!({ "taskId": "a", "agentId": agent }),
                None => json!({ "taskId": "a" }),
            };
            scene.step(&found.0, "task_started", begun).unwrap();
            found
        };
        let agents = [Some("executor-coding"), Some("executor-general"), None, None, None];
        let executing: Vec<_> = agents.into_iter().map(at_work).collect();
        let paused = scene.executing(tasks());
        answer(scene.runtime.pause(None, &paused.0, false)).unwrap();
        let paused_at_work = at_work(None);
        answer(scene.runtime.pause(None, &paused_at_work.0, false)).unwrap();
        let asked = scene.executing(tasks());
        let question = question(&asked.0);
        let made = answer(scene.runtime.create_decision(None, &question)).unwrap();
        let decision = made["decisionId"].as_str().unwrap().to_owned();
        let ended = scene.begin("ended");
        answer(scene.runtime.cancel(None, &ended.0)).unwrap();
        Self { begun, executing, paused, paused_at_work, asked, decision, ended }
    }

    fn all(&self) -> Vec<&(String, String)> {
        let others = [&self.begun, &self.paused, &self.paused_at_work, &self.asked, &self.ended];
        self.executing.iter().chain(others).collect()
    }
}

fn question(workflow: &str) -> NewDecision {
    NewDecision {
        workflow_id: Some(workflow.to_owned()),
        session_id: None,
        task_id: None,
        agent_id: None,
        message: "Which one?".to_owned(),
        options: vec!["this".to_owned(), "that".to_owned()],
        default: None,
        multi_select: None,
        allow_other: false,
        timeout_ms: None,
        context: None,
    }
}

fn mark_all(runtime: &Runtime) {
    assert!(runtime.finish_recovery(&mut |_, _| ControlFlow::Continue(())).unwrap());
}

/// What clients are shown, but for checkpoints.
fn shown(runtime: &Runtime, left: &Left) -> String {
    let mut text = String::new();
    for state in [None, Some(StateFilter::Interrupted), Some(StateFilter::Active), Some(StateFilter::Waiting)]
    {
        let sought = WorkflowFilter { state, ..WorkflowFilter::default() };
        text += &format!("{:?}\n", runtime.workflows_sought(&sought).unwrap());
        let page = runtime.list_page(&sought, 0, 50).unwrap();
        for listed in &page.workflows {
            text += &format!("{:?} {}\n", listed.summary, listed.waiting);
        }
    }
    text += &format!("{:?}\n{:?}\n", runtime.states().unwrap(), runtime.sessions().unwrap());
    text += &format!("{:?}\n{:?}\n", runtime.agents().unwrap(), runtime.decisions(None, None).unwrap());
    for (workflow, session) in left.all() {
        text += &format!("{:?}\n", runtime.workflow(workflow).unwrap());
        text += &format!("{:?}\n", runtime.state(workflow).unwrap());
        text += &format!("{:?}\n", runtime.tasks(workflow).unwrap());
        text += &format!("{:?}\n", runtime.session(session).unwrap());
    }
    text
}

fn is_interrupted(runtime: &Runtime, workflow: &str) -> bool {
    runtime.workflow(workflow).unwrap().interrupted == Some(true)
}

/// How many workflows have the mark of any daemon that drives them.
fn driven(journal: &dyn Journal) -> usize {
    journal.view().unwrap().find(&Query::driven_workflows()).unwrap().len()
}

#[test]
fn s1_5_what_clients_are_shown_does_not_depend_on_what_is_written_already() {
    let inner = Arc::new(Sqlite::in_memory(nobody()).unwrap());
    let scene = Scene::with(inner.clone(), None);
    let left = Left::by(&scene);
    let running = shown(&scene.runtime, &left);
    scene.runtime.begin_recovery().unwrap();
    let at_once = shown(&scene.runtime, &left);
    assert_ne!(at_once, running);
    assert!(is_interrupted(&scene.runtime, &left.begun.0));
    // Those of agents at work are written, and none of the others.
    assert_eq!(driven(&*inner), 7);
    let events = scene.last();
    mark_all(&scene.runtime);
    assert_eq!(shown(&scene.runtime, &left), at_once);
    assert_eq!(scene.last(), events, "no event comes late");
    assert_eq!(driven(&*inner), 2, "those that are paused");
}

type Request = fn(&Scene, &Left) -> String;

fn said<T: std::fmt::Debug>(result: T) -> String {
    format!("{result:?}")
}

fn step(scene: &Scene, workflow: &str, trigger: &str, context: serde_json::Value) -> String {
    let trigger = protocol::workflow::Trigger::named(trigger).unwrap();
    let context = serde_json::from_value(context).unwrap();
    said(answer(scene.runtime.transition(None, workflow, &Transition { trigger, context })))
}

const REQUESTS: [(&str, Request); 20] = [
    ("step", |scene, left| step(scene, &left.begun.0, "intent_analyzed", json!({}))),
    ("a task that was begun ends", |scene, left| {
        let ended = |of: &(String, String)| step(scene, &of.0, "task_completed", json!({ "taskId": "a" }));
        left.executing.iter().map(ended).collect()
    }),
    ("a task begins", |scene, left| {
        let begun = |of: &(String, String)| step(scene, &of.0, "task_started", json!({ "taskId": "b" }));
        left.executing.iter().map(begun).collect()
    }),
    ("a paused task ends", |scene, left| {
        step(scene, &left.paused_at_work.0, "task_completed", json!({ "taskId": "a" }))
    }),
    ("pause", |scene, left| said(answer(scene.runtime.pause(None, &left.executing[4].0, false)))),
    ("hard pause", |scene, left| said(answer(scene.runtime.pause(None, &left.executing[4].0, true)))),
    ("resume", |scene, left| {
        left.all()
            .into_iter()
            .map(|(workflow, _)| said(answer(scene.runtime.resume(None, workflow))))
            .collect()
    }),
    ("resume the session", |scene, left| {
        let resumed =
            |(_, session): &(String, String)| said(answer(scene.runtime.resume_session(None, session, None)));
        left.all().into_iter().map(resumed).collect()
    }),
    ("resume from the last checkpoint", |scene, left| {
        let last = |workflow| said(answer(scene.runtime.resume_workflow(None, workflow)));
        left.all().into_iter().map(|(workflow, _)| last(workflow)).collect()
    }),
    ("resume from a named checkpoint", |scene, left| {
        let (_, session) = &left.executing[4];
        let last = scene.runtime.latest_checkpoint(session).unwrap();
        let name = &*last.checkpoint.checkpoint_id;
        said(&last) + &said(answer(scene.runtime.resume_session(None, session, Some(name))))
    }),
    ("resumable sessions", |scene, _| said(scene.runtime.resumable().unwrap())),
    ("a part of the resumable sessions", |scene, _| {
        let (mut found, range) = (Vec::new(), ListRange { limit: Some(3), cursor: None });
        let next = scene.runtime.read_resumable(&range, &mut |page| {
            found.extend(page);
            ControlFlow::Continue(())
        });
        assert!(next.unwrap().is_some());
        let resumed =
            said(answer(scene.runtime.resume_session(None, &found[1].id, Some(&found[1].checkpoint_id))));
        said(found) + &resumed
    }),
    ("cancel", |scene, left| {
        let cancelled = |(workflow, _): &(String, String)| said(answer(scene.runtime.cancel(None, workflow)));
        left.all().into_iter().map(cancelled).collect()
    }),
    ("input", |scene, left| {
        let given =
            |(workflow, _): &(String, String)| said(answer(scene.runtime.input(None, workflow, "shorter")));
        left.all().into_iter().map(given).collect()
    }),
    ("answer", |scene, left| said(answer(scene.runtime.respond(None, &left.decision, "this")))),
    ("question", |scene, left| {
        said(answer(scene.runtime.create_decision(None, &question(&left.begun.0))).is_ok())
    }),
    ("checkpoint of a client", |scene, left| {
        let new = NewCheckpoint {
            session_id: left.executing[4].1.clone(),
            original_task: "by hand".to_owned(),
            task_progress: Vec::new(),
            agent_states: serde_json::Map::default(),
            context: serde_json::Map::default(),
        };
        said(answer(scene.runtime.create_checkpoint(None, &new)))
    }),
    ("a workflow begins beside one that was left", |scene, left| {
        let (_, session) = &left.executing[4];
        let beside = json!({ "content": "beside", "sessionId": session });
        let begun = scene.send("finger-orchestrator", beside).unwrap();
        assert_eq!(begun["sessionId"], **session);
        said(&begun) + &step(scene, begun["workflowId"].as_str().unwrap(), "intent_analyzed", json!({}))
    }),
    ("removal", |scene, left| {
        let removed = said(answer(scene.runtime.delete_workflow(None, &left.executing[4].0)));
        removed + &said(answer(scene.runtime.delete_session(None, &left.begun.1)))
    }),
    ("the daemon ends", |scene, _| {
        scene.runtime.checkpoint_all().unwrap();
        String::new()
    }),
];

/// Whatever a client asks for in the first moment: it is done as if all had been written before.
#[test]
fn s1_5_a_request_in_the_first_moment_does_what_it_does_later() {
    for (name, request) in REQUESTS {
        let log = |is_marked: bool| {
            let scene = Scene::in_memory();
            let left = Left::by(&scene);
            scene.world.pass(5_000);
            scene.runtime.begin_recovery().unwrap();
            if is_marked {
                mark_all(&scene.runtime);
            }
            let answers = request(&scene, &left);
            if !is_marked {
                mark_all(&scene.runtime);
            }
            recorded::log(&**scene.runtime.journal(), &answers)
        };
        let (first, later) = (log(false), log(true));
        assert!(first == later, "{name}: {}", difference(&first, &later));
    }
}

fn difference(one: &str, other: &str) -> String {
    let lines = one.lines().zip(other.lines()).filter(|(one, other)| one != other);
    lines.map(|(one, other)| format!("\n< {one}\n> {other}")).take(4).collect()
}

#[test]
fn s1_5_what_is_resumed_is_not_interrupted_again_before_the_next_kill() {
    let scene = Scene::in_memory();
    let (first, second) = (scene.begin("first"), scene.begin("second"));
    let interrupted = || [&first, &second].map(|(workflow, _)| is_interrupted(&scene.runtime, workflow));
    scene.runtime.begin_recovery().unwrap();
    assert_eq!(interrupted(), [true, true]);
    answer(scene.runtime.resume_session(None, &first.1, None)).unwrap();
    assert_eq!(interrupted(), [false, true]);
    // Killed before the second was marked.
    scene.runtime.begin_recovery().unwrap();
    assert_eq!(interrupted(), [true, true]);
    answer(scene.runtime.resume(None, &second.0)).unwrap();
    assert_eq!(interrupted(), [true, false]);
    let mut told = Vec::new();
    let report = &mut |done, total| {
        told.push((done, total));
        ControlFlow::Continue(())
    };
    assert!(scene.runtime.finish_recovery(report).unwrap());
    assert_eq!(told, [(0, 1), (1, 1)]);
    assert_eq!(interrupted(), [true, false]);
}

/// The daemon is killed before each of the changes of its recovery: nothing is lost, and nothing is done twice.
#[test]
fn s1_5_a_kill_during_the_recovery_loses_nothing() {
    let log = |changes: i64| {
        let inner = Arc::new(Sqlite::in_memory(nobody()).unwrap());
        let scene = Scene::with(inner.clone(), None);
        let left = Left::by(&scene);
        let begun: Vec<_> = (0..2 * TOGETHER).map(|number| scene.begin(&number.to_string()).0).collect();
        let world: Arc<dyn World> = Arc::new(TestWorld::default());
        let killed = Runtime::new(mortal(&inner, changes), world);
        let is_done = killed
            .begin_recovery()
            .and_then(|()| killed.finish_recovery(&mut |_, _| ControlFlow::Continue(())))
            .is_ok();
        scene.runtime.begin_recovery().unwrap();
        assert!(begun.iter().all(|workflow| is_interrupted(&scene.runtime, workflow)));
        let at_once = shown(&scene.runtime, &left);
        mark_all(&scene.runtime);
        assert!(shown(&scene.runtime, &left) == at_once);
        assert_eq!(driven(&*inner), 2);
        (is_done, recorded::log(&*inner, ""))
    };
    let (is_done, whole) = log(i64::MAX);
    assert!(is_done);
    let kills = (0..).map(log).take_while(|(is_done, log)| {
        assert!(*log == whole, "{}", difference(log, &whole));
        !is_done
    });
    assert_eq!(kills.count(), 4, "one for agents at work, three for the others");
}

/// Clients are served as soon with many as with few.
#[test]
fn a_start_after_a_kill_costs_the_same_however_many_workflows_were_driven() {
    let cost = |count: usize| {
        let (scene, costs) = counting();
        for number in 0..count {
            scene.begin(&number.to_string());
        }
        costs();
        scene.runtime.begin_recovery().unwrap();
        let cost = costs();
        let sought = WorkflowFilter { state: Some(StateFilter::Interrupted), ..WorkflowFilter::default() };
        assert_eq!(scene.runtime.workflows_sought(&sought).unwrap().len(), count);
        cost
    };
    assert_eq!(cost(20), cost(200));
    assert_eq!(cost(20)[0], 0, "nothing is written");
}

/// Between the changes of the recovery, others make theirs.
#[test]
fn a_recovery_marks_a_few_at_a_time_and_stops_in_between() {
    let inner = Arc::new(Sqlite::in_memory(nobody()).unwrap());
    let scene = Scene::with(inner.clone(), None);
    for number in 0..2 * TOGETHER + 1 {
        scene.begin(&number.to_string());
    }
    scene.runtime.begin_recovery().unwrap();
    let mut left = Vec::new();
    let report = &mut |done, total| {
        assert_eq!(total, 2 * TOGETHER + 1);
        left.push((done, driven(&*inner)));
        if done == 2 * TOGETHER { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    assert!(!scene.runtime.finish_recovery(report).unwrap());
    assert_eq!(left, [(0, 2 * TOGETHER + 1), (TOGETHER, TOGETHER + 1), (2 * TOGETHER, 1)]);
    assert_eq!(scene.runtime.resumable().unwrap().len(), 2 * TOGETHER + 1);
    assert_eq!(driven(&*inner), 0);
}

/// The list waits for the recovery, but other lists do not wait for it, and it ends with its client.
#[test]
fn the_list_of_all_resumable_sessions_gives_way_between_the_changes_of_the_recovery() {
    let inner = Arc::new(Sqlite::in_memory(nobody()).unwrap());
    let scene = Scene::with(inner.clone(), None);
    for number in 0..2 * TOGETHER + 1 {
        scene.begin(&number.to_string());
    }
    scene.runtime.begin_recovery().unwrap();
    let mut left = Vec::new();
    let next = scene.runtime.read_resumable(&ListRange::all(), &mut |page| {
        assert!(page.is_empty());
        left.push(driven(&*inner));
        if left.len() == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(next.unwrap(), None);
    assert_eq!(left, [2 * TOGETHER + 1, TOGETHER + 1]);
}

#[test]
fn s1_5_the_engine_does_not_drive_what_was_left_behind_before_it_is_resumed() {
    let mut studio = Studio::new(|asked| {
        let planned = smooth(asked, &json!([{ "id": "does", "description": "x" }]));
        Ok(planned.unwrap_or_else(|| says("COMPLETE", json!({ "output": "done" }))))
    })
    .start();
    studio.stop();
    let (left, session) = studio.begin("left");
    studio.is_killed_while_it_recovers();
    studio.start_for(i64::MAX);
    studio.is_looked_at(&left);
    let state = studio.runtime.workflow(&left).unwrap();
    assert_eq!((state.fsm_state, state.interrupted), (WorkflowState::SemanticUnderstanding, Some(true)));
    answer(studio.runtime.resume_session(None, &session, None)).unwrap();
    studio.reaches(&left, WorkflowState::Completed);
    // The next daemon leaves what this one has not ended.
    let (next, _) = studio.begin("next");
    studio.stop();
    studio.start_for(i64::MAX);
    let is_left = studio.runtime.workflow(&next).unwrap();
    assert!(is_left.fsm_state.is_terminal() || is_left.interrupted == Some(true));
}
