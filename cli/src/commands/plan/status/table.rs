//! The tasks of a plan as a table.

use crate::messages::PlanMessage;
use model::agent::{PlanStatus, TaskStatus};
use texts::{Lang, task_state, terminal_safe};
use unicode_width::UnicodeWidthStr;

const GAP: &str = "  ";

/// A line for each task, below one that says what is in the columns.
pub(super) fn of(status: &PlanStatus, lang: Lang) -> String {
    let head = PlanMessage::columns(lang).map(str::to_owned);
    let rows: Vec<[String; 6]> =
        std::iter::once(head).chain(status.tasks.iter().map(|task| row(task, lang))).collect();
    let mut widths = [0; 6];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.width().max(*width);
        }
    }
    let mut text = String::new();
    for row in &rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(widths) {
            line.push_str(cell);
            line.push_str(&" ".repeat(width - cell.width()));
            line.push_str(GAP);
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn row(task: &TaskStatus, lang: Lang) -> [String; 6] {
    let waits_for = task.blocking.as_ref().map(|blocking| PlanMessage::waits_for(lang, blocking));
    [
        task.task_id.to_string(),
        task_state(lang, task.state).to_owned(),
        task.assigned_agent_id.to_string(),
        task.updated_at.to_string(),
        task.attempts.reexecute_count.to_string(),
        // An agent has written it, and a row is a line.
        terminal_safe(&waits_for.unwrap_or_default()).replace('\n', "\\n").replace('\t', " "),
    ]
}
