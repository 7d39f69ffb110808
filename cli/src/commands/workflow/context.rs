//! What a decision is about, for whoever is asked: its question is one line, and leaves most of it out.

use crate::messages::{DaemonMessage, Message};
use crate::output::Output;
use client::Client;
use model::workflow::api::DecisionView;
use model::workflow::says_all;

/// How much of it is shown, in lines and in characters: the question that comes after it is to stay on the screen.
const LINES: usize = 20;
const CHARACTERS: usize = 1200;
/// What stands before each line, so that none looks like a line of the program.
const MARGIN: &str = "  │ ";

/// Shows on standard error what the decision is about, unless the question says all of it.
pub(super) fn tell(output: &Output, client: &Client, decision: &DecisionView) {
    let context = decision.context.as_deref().unwrap_or_default().trim_end();
    if context.is_empty() || says_all(&decision.message, context) {
        return;
    }
    let (shown, is_cut) = cut(context);
    output.notice(&Message::daemon(DaemonMessage::DecisionContext));
    output.relay(&shown.lines().map(|line| format!("{MARGIN}{line}\n")).collect::<String>());
    if is_cut {
        let of_workflow = decision.workflow_id.iter().map(|id| format!("workflows/{id}"));
        let page = format!("{}/{}", client.address().http(), of_workflow.collect::<String>());
        output.warning(&Message::daemon(DaemonMessage::DecisionContextCut { page }));
    }
}

/// As much as is shown, and whether that is not all.
fn cut(context: &str) -> (String, bool) {
    let mut line_ends = context.match_indices('\n').map(|(at, _)| at);
    let by_lines = line_ends.nth(LINES - 1).unwrap_or(context.len());
    let by_length = context.char_indices().nth(CHARACTERS).map_or(context.len(), |(at, _)| at);
    let end = by_lines.min(by_length);
    (context[..end].to_owned(), end < context.len())
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn a_screenful_is_shown() {
        let lines = |count: usize| vec!["x"; count].join("\n");
        assert_eq!(cut(&lines(20)), (lines(20), false));
        assert_eq!(cut(&lines(21)), (lines(20), true));
        assert_eq!(cut(&"好".repeat(1200)), ("好".repeat(1200), false));
        assert_eq!(cut(&"好".repeat(1201)), ("好".repeat(1200), true));
    }
}
