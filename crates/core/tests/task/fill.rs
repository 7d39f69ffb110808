//! The steps that a client may leave out.

use aide_core::task::steps_between;
use protocol::workflow::{TaskState, TaskTrigger};
use std::collections::HashSet;

/// How many triggers lead from a state (a line) to another (a column, in the order of the lines); `-` where none do.
const STEPS: &str = "
    created             0 - - - - - - - - - - -
    ready               - 0 1 2 2 3 4 4 5 6 3 6
    dispatching         - - 0 1 1 2 3 3 4 5 2 5
    dispatched          - - - 0 - 1 2 2 3 4 - 4
    dispatch_failed     - 1 2 3 0 4 5 5 6 7 1 7
    running             - - - - - 0 1 1 2 3 - 3
    execution_succeeded - - - - - - 0 - 1 2 - 2
    execution_failed    - 1 2 3 3 4 5 0 6 7 4 7
    reviewing           - - - - - - - - 0 1 - 1
    rework_required     - 1 2 3 3 4 5 5 6 0 4 7
    blocked             - - - - - - - - - - 0 -
    done                - - - - - - - - - - - 0";

#[test]
fn steps_are_filled_in_as_the_table_says() {
    let mut found = String::new();
    for from in TaskState::ALL {
        let steps = |to: &TaskState| {
            steps_between(*from, *to).map_or("-".to_owned(), |steps| steps.len().to_string())
        };
        let steps: Vec<String> = TaskState::ALL.iter().map(steps).collect();
        found.push_str(&format!("\n    {:<19} {}", from.name(), steps.join(" ")));
    }
    assert_eq!(found, STEPS);
}

#[test]
fn every_path_is_one_of_the_machine() {
    for from in TaskState::ALL {
        for to in TaskState::ALL {
            let Some(steps) = steps_between(*from, *to) else { continue };
            assert!(!steps.contains(&TaskTrigger::DepsSatisfied), "{from} {to}");
            let end = steps.iter().try_fold(*from, |state, step| state.next(*step));
            assert_eq!(end, Some(*to), "{from} {to}");
        }
    }
}

/// Searches the shortest path in the table of transitions.
fn search(from: TaskState, to: TaskState) -> Option<Vec<TaskTrigger>> {
    use TaskState::{
        DispatchFailed, Dispatched, Dispatching, Done, ExecutionSucceeded, Ready, Reviewing, ReworkRequired,
        Running,
    };
    // A result ends an attempt: only a review follows.
    let is_passed = |state: TaskState| match state {
        Ready | Dispatching | Dispatched | Running => true,
        ExecutionSucceeded => matches!(to, Reviewing | Done | ReworkRequired),
        Reviewing => matches!(to, Done | ReworkRequired),
        DispatchFailed => to == TaskState::Blocked,
        _ => false,
    };
    let mut ways = vec![(from, Vec::new())];
    let mut seen = HashSet::from([from]);
    let mut at = 0;
    while at < ways.len() {
        let (state, way) = ways[at].clone();
        if state == to {
            return Some(way);
        }
        // Clients cannot cause `deps_satisfied`.
        for trigger in TaskTrigger::ALL.iter().filter(|trigger| **trigger != TaskTrigger::DepsSatisfied) {
            if let Some(next) = state.next(*trigger).filter(|next| *next == to || is_passed(*next))
                && seen.insert(next)
            {
                ways.push((next, way.iter().copied().chain([*trigger]).collect()));
            }
        }
        at += 1;
    }
    None
}

#[test]
fn s5_5_steps_that_a_client_left_out_are_filled_in_along_the_shortest_path() {
    for from in TaskState::ALL {
        for to in TaskState::ALL {
            assert_eq!(steps_between(*from, *to), search(*from, *to), "{from} {to}");
        }
    }
}
