//! A task in the order of time: phase by phase what was recorded, and what a person has decided meanwhile.

use model::flow::{FlowStatus, HistoryEntry};
use model::{DecisionRecord, SessionId};
use store::{Decisions, StoreError, is_since};

/// A stay in one phase; a phase that was entered again has several.
#[derive(Debug)]
pub(crate) struct PhaseVisit<'s> {
    pub(crate) phase: &'s str,
    /// In the order of time, never empty.
    pub(crate) entries: Vec<&'s HistoryEntry>,
    /// What was decided in it.
    pub(crate) decided: Vec<AnsweredSet>,
}

/// A set of questions that a person has answered.
#[derive(Debug)]
pub(crate) struct AnsweredSet {
    pub(crate) session: SessionId,
    pub(crate) task: String,
    pub(crate) completed_at: String,
}

impl PhaseVisit<'_> {
    /// When the phase was entered.
    pub(crate) fn entered_at(&self) -> &str {
        self.entries.first().map_or("", |entry| &entry.timestamp)
    }
}

/// The stays of a task, the first one first.
///
/// # Errors
///
/// When the folder of the decisions cannot be read.
pub(crate) fn visits<'s>(
    status: &'s FlowStatus,
    decisions: &Decisions,
) -> Result<Vec<PhaseVisit<'s>>, StoreError> {
    let mut stays: Vec<PhaseVisit<'s>> = Vec::new();
    for entry in &status.history {
        match stays.last_mut() {
            Some(stay) if stay.phase == entry.phase => stay.entries.push(entry),
            _ => stays.push(PhaseVisit { phase: &entry.phase, entries: vec![entry], decided: Vec::new() }),
        }
    }
    for session in decisions.records()? {
        // The history shows what cannot be read.
        let Ok(Some(record)) = decisions.record(&session) else { continue };
        if record.output().is_none() {
            continue;
        }
        // Decisions from before the task belong to none of its phases.
        let stay = stays.iter_mut().rev().find(|stay| is_since(&record.completed_at, stay.entered_at()));
        if let Some(stay) = stay {
            stay.decided.push(decided(session, record));
        }
    }
    for stay in &mut stays {
        stay.decided.sort_by(|one, other| one.session.cmp(&other.session));
    }
    Ok(stays)
}

fn decided(session: SessionId, record: DecisionRecord) -> AnsweredSet {
    let task = record.input.get("task").and_then(|task| task.as_str()).unwrap_or_default().to_owned();
    AnsweredSet { session, task, completed_at: record.completed_at }
}
