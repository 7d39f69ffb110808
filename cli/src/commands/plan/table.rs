//! The tasks of a plan as a table.

use protocol::agent::{Id, PlanStatus, TaskStatus};
use std::collections::BTreeMap;
use texts::{Lang, task_state, task_waits_for, terminal_safe};
use unicode_width::UnicodeWidthStr;

/// The last score of each task.
pub(super) type Scores = BTreeMap<Id, String>;

const GAP: &str = "  ";

/// A line for each task, below one that says what is in the columns.
/// `scores` adds a column with the last score of each task.
pub(super) fn render(status: &PlanStatus, lang: Lang, scores: Option<&Scores>) -> String {
    let mut head = lang.plans().columns.map(str::to_owned).to_vec();
    if scores.is_some() {
        head.push(lang.plans().score.to_owned());
    }
    let tasks = status.tasks.iter().map(|task| {
        let mut row = row(task, lang).to_vec();
        row.extend(scores.map(|scores| scores.get(&task.task_id).cloned().unwrap_or_default()));
        // What it waits for can be long, and comes last.
        let last = row.len() - 1;
        if scores.is_some() {
            row.swap(last - 1, last);
        }
        row
    });
    if scores.is_some() {
        let last = head.len() - 1;
        head.swap(last - 1, last);
    }
    let rows: Vec<Vec<String>> = std::iter::once(head).chain(tasks).collect();
    let mut widths = [0; 7];
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

/// A time of a document as people read times: of this place, and to the second.
pub(super) fn local(time: &str) -> String {
    store::moment(time).unwrap_or_else(|| time.to_owned())
}

fn row(task: &TaskStatus, lang: Lang) -> [String; 6] {
    let waits_for = task.blocking.as_ref().map(|blocking| task_waits_for(lang, blocking));
    [
        task.task_id.to_string(),
        task_state(lang, task.state).to_owned(),
        task.assigned_agent_id.to_string(),
        local(task.updated_at.as_str()),
        task.attempts.reexecute_count.to_string(),
        // An agent has written it, and a row is a line.
        terminal_safe(&waits_for.unwrap_or_default()).replace('\n', "\\n").replace('\t', " "),
    ]
}
