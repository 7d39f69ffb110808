//! Progress of a workflow, as one line of phases.

use super::WorkflowState;

/// The phases of a workflow that takes no detour.
const USUAL: [WorkflowState; 6] = [
    WorkflowState::SemanticUnderstanding,
    WorkflowState::RoutingDecision,
    WorkflowState::PlanLoop,
    WorkflowState::Execution,
    WorkflowState::Review,
    WorkflowState::Completed,
];

/// Status of a phase in the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// The phase is over.
    Past,
    /// The phase was left before its end: the workflow has failed in it, is paused in it, or is re-evaluating its plan.
    Left,
    /// The workflow is in this phase.
    Present,
    /// The phase comes later, unless the workflow takes a detour.
    Ahead,
}

/// Returns the phases of a workflow in order, exactly one of them present. A phase outside the usual line stands after the last
/// usual phase that was entered: `previous`, or otherwise the last one in `entered`, the phases entered so far in order. Nothing
/// lies ahead of a failed workflow.
pub fn phase_line(
    state: WorkflowState,
    previous: Option<WorkflowState>,
    entered: &[WorkflowState],
) -> Vec<(WorkflowState, Stage)> {
    let place = |phase: WorkflowState| USUAL.iter().position(|usual| *usual == phase);
    let mut line = USUAL.to_vec();
    let present = place(state).unwrap_or_else(|| {
        let last = previous.and_then(place).or_else(|| entered.iter().rev().copied().find_map(place));
        let at = last.map_or(0, |last| last + 1);
        if state.is_terminal() {
            line.truncate(at);
        }
        line.insert(at, state);
        at
    });
    let is_left =
        matches!(state, WorkflowState::Paused | WorkflowState::Failed | WorkflowState::ReplanEvaluation);
    let stage = |at: usize| match at {
        at if at + 1 == present && is_left => Stage::Left,
        at if at < present => Stage::Past,
        at if at == present => Stage::Present,
        _ => Stage::Ahead,
    };
    line.into_iter().enumerate().map(|(at, phase)| (phase, stage(at))).collect()
}

#[cfg(test)]
mod tests {
    use super::{Stage, phase_line};
    use crate::workflow::WorkflowState::{self, *};

    #[track_caller]
    fn check(line: &[(WorkflowState, Stage)], phases: &[WorkflowState], present: WorkflowState) {
        assert_eq!(line.iter().map(|(phase, _)| *phase).collect::<Vec<_>>(), phases);
        let at = phases.iter().position(|phase| *phase == present).unwrap();
        for (place, (phase, stage)) in line.iter().enumerate() {
            let is_left = matches!(present, Paused | Failed | ReplanEvaluation) && place + 1 == at;
            let expected = match place.cmp(&at) {
                std::cmp::Ordering::Less if is_left => Stage::Left,
                std::cmp::Ordering::Less => Stage::Past,
                std::cmp::Ordering::Equal => Stage::Present,
                std::cmp::Ordering::Greater => Stage::Ahead,
            };
            assert_eq!(*stage, expected, "{phase:?}");
        }
    }

    #[test]
    fn on_the_usual_way_the_present_phase_is_one_of_six() {
        let usual = [SemanticUnderstanding, RoutingDecision, PlanLoop, Execution, Review, Completed];
        for present in usual {
            check(&phase_line(present, None, &[]), &usual, present);
        }
    }

    #[test]
    fn what_comes_between_stands_behind_the_phase_that_it_interrupts() {
        let paused = [SemanticUnderstanding, RoutingDecision, PlanLoop, Execution, Paused, Review, Completed];
        check(&phase_line(Paused, Some(Execution), &[SemanticUnderstanding, Review]), &paused, Paused);
        let entered = [SemanticUnderstanding, RoutingDecision, WaitUserDecision];
        let waits = [
            SemanticUnderstanding,
            RoutingDecision,
            WaitUserDecision,
            PlanLoop,
            Execution,
            Review,
            Completed,
        ];
        check(&phase_line(WaitUserDecision, None, &entered), &waits, WaitUserDecision);
        // What was paused is itself not on the way: where it was before counts.
        check(
            &phase_line(Paused, Some(WaitUserDecision), &entered),
            &[SemanticUnderstanding, RoutingDecision, Paused, PlanLoop, Execution, Review, Completed],
            Paused,
        );
        let idle = [Idle, SemanticUnderstanding, RoutingDecision, PlanLoop, Execution, Review, Completed];
        check(&phase_line(Idle, None, &[]), &idle, Idle);
    }

    #[test]
    fn nothing_lies_ahead_of_what_has_failed() {
        let failed = [SemanticUnderstanding, RoutingDecision, Failed];
        check(&phase_line(Failed, None, &[SemanticUnderstanding, RoutingDecision, Failed]), &failed, Failed);
        check(&phase_line(Failed, None, &[]), &[Failed], Failed);
    }
}
