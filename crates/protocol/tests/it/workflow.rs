//! What may happen to tasks and agents, row by row; and the events of workflows.

use protocol::workflow::{
    AGENT_RULES, AgentState, AgentTrigger, AssignmentPhase, Event, EventGroup, EventType, Selection,
    SimpleStatus, TASK_RULES, TaskState, TaskStatus, TaskTrigger, Trigger, WorkflowState,
};
use serde_json::Value;
use std::collections::BTreeSet;

#[test]
fn every_row_of_the_task_table_holds_and_no_other() {
    let table = "
        created deps_satisfied ready
        ready orchestrator_dispatch dispatching
        dispatching dispatch_ack dispatched
        dispatching dispatch_nack dispatch_failed
        dispatching timeout dispatch_failed
        dispatching no_resource dispatch_failed
        dispatched task_execution_started running
        dispatch_failed recoverable_retry ready
        dispatch_failed unrecoverable blocked
        running task_progress running
        running task_execution_result_success execution_succeeded
        running task_execution_result_failure execution_failed
        execution_failed retry_or_reassign ready
        execution_succeeded review_requested reviewing
        reviewing review_pass done
        reviewing review_reject rework_required
        rework_required replan_or_retry ready";
    let expected: BTreeSet<_> = table.trim().lines().map(|line| line.trim().to_owned()).collect();
    let mut found = BTreeSet::new();
    for &from in TaskState::ALL {
        for &trigger in TaskTrigger::ALL {
            found.extend(from.next(trigger).map(|to| format!("{from} {trigger} {to}")));
        }
    }
    assert_eq!(found, expected);
    assert_eq!(TaskState::ALL.len(), 12);
    assert_eq!(TASK_RULES.iter().map(|rule| rule.triggers.len()).sum::<usize>(), expected.len());
}

#[test]
fn every_row_of_the_agent_table_holds_and_no_other() {
    let table = "
        idle dispatch_ack reserved
        reserved task_execution_started running
        running agent_step_completed running
        running task_execution_result_success idle
        running task_execution_result_failure error
        error recover_or_reset idle
        released dispatch_ack reserved";
    let expected: BTreeSet<_> = table.trim().lines().map(|line| line.trim().to_owned()).collect();
    let mut found = BTreeSet::new();
    for &from in AgentState::ALL {
        for &trigger in AgentTrigger::ALL {
            found.extend(from.next(trigger).map(|to| format!("{from} {trigger} {to}")));
        }
    }
    assert_eq!(found, expected);
    assert_eq!((AgentState::ALL.len(), AGENT_RULES.len()), (5, expected.len()));
}

#[test]
fn states_have_the_words_of_the_document() {
    assert_eq!((WorkflowState::ALL.len(), Trigger::ALL.len()), (11, 18));
    let simple: Vec<_> = WorkflowState::ALL.iter().map(|state| state.simple().name()).collect();
    let expected =
        "planning planning planning planning executing executing executing paused paused completed failed";
    assert_eq!(simple.join(" "), expected);
    assert_eq!(SimpleStatus::ALL.len(), 5);
    let simple: Vec<_> = TaskState::ALL.iter().map(|state| state.simple().name()).collect();
    let expected = "ready ready in_progress in_progress blocked in_progress completed failed completed blocked blocked \
                    completed";
    assert_eq!(simple.join(" "), expected);
    assert_eq!(TaskState::Created.status(), TaskStatus::Pending);
    for &state in TaskState::ALL {
        let left = state.interrupted();
        assert!(!left.is_in_flight());
        assert_eq!(left != state, state.is_in_flight(), "{state}");
    }
}

#[test]
fn s6_5_each_state_of_a_task_is_a_phase_of_its_assignment() {
    let phases = |was_tried, is_over| {
        let phase =
            |state: &TaskState| state.assignment(was_tried, is_over).map_or("-", |phase| phase.name());
        TaskState::ALL.iter().map(phase).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        phases(false, false),
        "- queued assigned assigned failed started reviewing failed reviewing retry failed passed"
    );
    assert_eq!(
        phases(true, false),
        "- retry assigned assigned failed started reviewing failed reviewing retry failed passed"
    );
    let over = "closed closed closed closed failed closed closed failed closed closed failed passed";
    assert_eq!((phases(false, true), phases(true, true)), (over.to_owned(), over.to_owned()));
    assert_eq!(
        AssignmentPhase::NAMES.join("|"),
        "assigned|queued|started|reviewing|retry|passed|failed|closed"
    );
}

#[test]
fn s5_6_an_agent_is_idle_running_or_in_error() {
    let simple: Vec<_> = AgentState::ALL.iter().map(|state| format!("{state} {}", state.simple())).collect();
    assert_eq!(simple, ["idle idle", "reserved running", "running running", "error error", "released idle"]);
}

/// contract/workflows §5.1 and §5.2.
#[test]
fn s5_1_states_and_triggers_have_their_names() {
    let names = |names: &[&str]| names.join(" ");
    assert_eq!(
        names(WorkflowState::NAMES),
        "idle semantic_understanding routing_decision plan_loop execution review replan_evaluation \
         wait_user_decision paused completed failed"
    );
    assert_eq!(
        names(Trigger::NAMES),
        "user_input_received intent_analyzed routing_decided plan_created task_dispatched task_started \
         task_progress task_completed task_failed review_passed review_rejected major_change_detected \
         resource_missing user_decision_received pause_requested resume_requested cancel_requested \
         error_occurred"
    );
}

/// The messages of contract/workflows §4.3 and §4.5, and those of all other types, read and written again. A member that is left
/// out is missed, or stays out.
#[test]
fn events_have_the_payloads_of_the_document() {
    let document = include_str!("events.jsonl");
    let mut seen = BTreeSet::new();
    for line in document.lines() {
        let told: Value = serde_json::from_str(line).unwrap();
        let kind = EventType::named(told["type"].as_str().unwrap()).unwrap();
        let event = Event::read(kind, &told["payload"].to_string())
            .unwrap_or_else(|error| panic!("{kind}: {error}: {line}"));
        assert_eq!(event.kind(), kind);
        assert_eq!(event.payload(), told["payload"].to_string(), "{kind}");
        seen.insert(kind.name());
        for member in told["payload"].as_object().unwrap().keys() {
            let mut without = told["payload"].clone();
            without.as_object_mut().unwrap().shift_remove(member);
            if let Ok(event) = Event::read(kind, &without.to_string()) {
                assert_eq!(event.payload(), without.to_string(), "{kind} without {member}");
            }
        }
    }
    let missing: Vec<_> = EventType::NAMES.iter().filter(|name| !seen.contains(*name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn every_event_belongs_to_a_group() {
    assert_eq!((EventType::ALL.len(), EventGroup::ALL.len()), (29, 10));
    let in_group = |group: EventGroup| {
        let kinds = EventType::ALL.iter().filter(|kind| kind.group() == group);
        kinds.map(|kind| kind.name()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        in_group(EventGroup::HumanInLoop),
        "waiting_for_user user_decision_required user_decision_received"
    );
    assert_eq!(in_group(EventGroup::Progress), "plan_updated workflow_progress agent_update workflow_update");
    assert_eq!(
        in_group(EventGroup::Task),
        "task_started task_progress task_completed task_failed task_blocked"
    );
    assert_eq!(in_group(EventGroup::All), "", "stands for all, and none belongs to it alone");
}

fn entries(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn told(selection: &Selection) -> Vec<&'static str> {
    EventType::ALL.iter().filter(|kind| selection.has(**kind)).map(|kind| kind.name()).collect()
}

#[test]
fn entries_are_added_and_removed_one_by_one() {
    let mut selection = Selection::default();
    assert_eq!(told(&selection).len(), EventType::ALL.len(), "all, until somebody chooses");
    selection.remove(&entries(&["task_started"]), &entries(&["TASK"]));
    assert_eq!(told(&selection).len(), EventType::ALL.len(), "nothing was chosen that could be removed");
    selection.add(&entries(&["phase_transition"]), &[]).unwrap();
    selection.add(&[], &entries(&["HUMAN_IN_LOOP", "WORKFLOW"])).unwrap();
    let expected =
        ["waiting_for_user", "phase_transition", "user_decision_required", "user_decision_received"];
    let chosen: BTreeSet<_> = told(&selection).into_iter().collect();
    assert_eq!(chosen, expected.into(), "what was chosen before stays");
    selection.add(&entries(&["task_*"]), &[]).unwrap();
    selection.remove(&entries(&["task_started"]), &[]);
    assert!(selection.has(EventType::TaskStarted), "`task_*` is another entry");
    selection.remove(&entries(&["task_*"]), &entries(&["HUMAN_IN_LOOP"]));
    assert_eq!(told(&selection), ["phase_transition"]);
    selection.remove(&[], &[]);
    assert_eq!(told(&selection), [""; 0], "nothing, once all are removed");
    selection.add(&[], &entries(&["ALL"])).unwrap();
    assert_eq!(told(&selection).len(), EventType::ALL.len());
}

#[test]
fn patterns_stand_for_any_characters() {
    let of = |pattern: &str| {
        let mut selection = Selection::default();
        selection.add(&entries(&[pattern]), &[]).unwrap();
        told(&selection).len()
    };
    assert_eq!(of("*"), EventType::ALL.len());
    assert_eq!(of("task_*"), 5);
    assert_eq!(of("*_update"), 3);
    assert_eq!(of("t*_*ed"), 4, "task_started, task_completed, task_failed, task_blocked");
    assert_eq!(of("TASK_*"), 0, "names have their case");
    assert_eq!(of(""), 0);
    assert_eq!(of("task_started"), 1);
}

#[test]
fn a_selection_does_not_grow_for_ever() {
    let mut selection = Selection::default();
    let many: Vec<String> = (0..300).map(|number| format!("x{number}")).collect();
    assert!(selection.add(&many, &[]).is_err());
    assert!(selection.add(&["*".repeat(200)], &[]).is_err());
    assert_eq!(told(&selection).len(), EventType::ALL.len(), "nothing was added");
    selection.add(&many[..256], &[]).unwrap();
    selection.add(&many[..256], &[]).unwrap();
    assert!(selection.add(&many[256..257], &[]).is_err());
}
