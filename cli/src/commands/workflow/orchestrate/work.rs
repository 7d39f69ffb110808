//! What agents do meanwhile, for a person who watches.

use crate::commands::workflow::lines;
use crate::due::{self, Due};
use protocol::workflow::WaitingFor;

/// How many lines are printed at a time; the others are only counted.
const MAX_LINES: usize = 5;

/// Returns the lines that are due, of all that a workflow waits for.
pub(super) fn lines(due: &mut Due, waiting: &[WaitingFor]) -> Vec<String> {
    let works = waiting.iter().filter_map(|work| {
        // The events tell of agents.
        let name = lines::waiting(work).filter(|_| work.kind != "agent")?;
        Some(due::Work {
            key: format!("{name} {}", work.since.as_deref().unwrap_or_default()),
            age: lines::age(work).unwrap_or_default(),
            failed: work.error.is_some().then(|| work.attempt.unwrap_or(1)),
            what: format!("Waiting for {name}{}", lines::progress(work)),
        })
    });
    let mut lines = due.take_due(works);
    let more = lines.len().saturating_sub(MAX_LINES);
    lines.truncate(MAX_LINES);
    lines.extend((more > 0).then(|| format!("Waiting for {more} more")));
    lines
}

#[cfg(test)]
mod tests {
    use super::lines;
    use crate::due::Due;
    use protocol::workflow::{WaitingFor, WorkflowState};

    fn model(agent: &str) -> WaitingFor {
        WaitingFor {
            kind: "model".to_owned(),
            name: Some("claude".to_owned()),
            agent_id: Some(agent.to_owned()),
            phase: Some(WorkflowState::PlanLoop),
            since: Some("2025-01-15T10:30:00.000Z".to_owned()),
            tokens: Some(7),
            ..WaitingFor::default()
        }
    }

    #[test]
    fn a_line_says_what_is_waited_for_and_how_far_that_is() {
        let told = lines(&mut Due::default(), &[model("planner-1")]);
        let [line] = &told[..] else { panic!("{told:?}") };
        assert!(line.starts_with("Waiting for claude (planner-1, plan_loop), "), "{line}");
        assert!(line.ends_with(" s, 7 tokens"), "{line}");
    }

    #[test]
    fn of_many_some_are_told_and_how_many_more() {
        let many: Vec<WaitingFor> = (0..9).map(|number| model(&format!("executor-{number}"))).collect();
        let told = lines(&mut Due::default(), &many);
        assert_eq!(told.len(), 6);
        assert_eq!(told[5], "Waiting for 4 more");
    }
}
