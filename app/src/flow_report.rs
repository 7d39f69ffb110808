//! A task as a Markdown report.

use crate::export::line;
use crate::html::markdown::inline;
use crate::timeline;
use model::flow::{Action, FlowStatus, short_hash};
use store::{Decisions, StoreError, seconds_between};
use texts::Lang;

/// The report of a task: its phases with their times, everything that was recorded, and what was decided.
///
/// # Errors
///
/// When the folder of the decisions cannot be read.
pub fn flow_report(lang: Lang, status: &FlowStatus, decisions: &Decisions) -> Result<String, StoreError> {
    let (words, common) = (lang.flow(), lang.history());
    let stays = timeline::visits(status, decisions)?;
    let last = status.newest().map_or(&status.started_at, |entry| &entry.timestamp);
    let duration = |from: &str, to: &str| {
        seconds_between(from, to).map(|seconds| common.duration(seconds)).unwrap_or_default()
    };
    let mut text = format!("# {}: {}\n\n", words.report, inline(status.summary()));
    for (name, value) in [
        (words.task, status.task_id.to_string()),
        (words.phase, status.current_phase.clone()),
        (words.step, status.current_step.to_string()),
        (words.started, status.started_at.clone()),
        (words.spent, duration(&status.started_at, last)),
    ] {
        line(&mut text, &format!("- {name} {}", inline(&value)));
    }
    for (place, stay) in stays.iter().enumerate() {
        let left = stays.get(place + 1).map_or(last.as_str(), |next| next.entered_at());
        let spent = duration(stay.entered_at(), left);
        line(&mut text, &format!("\n## {} ({spent})\n", inline(stay.phase)));
        line(
            &mut text,
            &format!(
                "| {} | {} | {} | {} | {} |\n|---|---|---|---|---|",
                words.step.trim_end_matches(':'),
                words.time,
                words.action,
                words.summary,
                words.commit
            ),
        );
        for entry in &stay.entries {
            let commit = entry.git_commit.as_deref().map(short_hash).unwrap_or_default();
            let (time, summary) = (inline(&entry.timestamp), inline(&entry.summary));
            let (step, action, commit) = (entry.step, words.action(entry.action), inline(commit));
            line(&mut text, &format!("| {step} | {time} | {action} | {summary} | {commit} |"));
        }
        for decided in &stay.decided {
            line(
                &mut text,
                &format!("\n- {}: {} ({})", words.decided, inline(&decided.task), decided.session),
            );
        }
    }
    let problems =
        status.history.iter().filter(|entry| matches!(entry.action, Action::Issue | Action::Error));
    let problems: Vec<_> = problems.collect();
    if !problems.is_empty() {
        line(&mut text, &format!("\n## {}\n", words.problems));
    }
    for entry in problems {
        let action = words.action(entry.action);
        let (phase, summary) = (inline(&entry.phase), inline(&entry.summary));
        line(&mut text, &format!("- {action} ({phase}, {}): {summary}", entry.step));
    }
    Ok(text)
}
