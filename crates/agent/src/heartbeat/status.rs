//! `status_heartbeat.json`: the agent's status, for observers.

use crate::clock::Clock;
use crate::folder::AgentFolder;
use files::{FileError, durable, json};
use protocol::agent::{Extra, Health, Id, SchemaVersion, StatusHeartbeat, Timestamp};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

const FILE: &str = "status_heartbeat.json";
/// How much of an error is written, in bytes.
const MAX_ERROR: usize = 500;

/// What the file says, and when it was written.
#[derive(Debug)]
pub(super) struct Status {
    started: Timestamp,
    written: Option<(ReportedStatus, Timestamp)>,
    last_error: Option<String>,
}

/// What it says, apart from the time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReportedStatus {
    pub(super) health: Health,
    pub(super) status: &'static str,
    pub(super) plans: Vec<Id>,
    pub(super) tasks: Vec<Id>,
}

impl Status {
    pub(super) fn new(started: Timestamp) -> Self {
        Self { started, written: None, last_error: None }
    }

    /// What went wrong last.
    pub(super) fn note(&mut self, error: &str) {
        self.last_error = Some(error[..error.floor_char_boundary(MAX_ERROR)].to_owned());
        // It is news.
        if let Some((said, _)) = &mut self.written {
            said.status = "";
        }
    }

    /// Writes the file when it would say something else, or is older than `interval`.
    pub(super) fn write(
        &mut self,
        folder: &AgentFolder,
        clock: &dyn Clock,
        said: ReportedStatus,
        interval: Duration,
    ) -> Result<(), FileError> {
        let now = clock.now();
        let interval = i64::try_from(interval.as_secs()).unwrap_or(i64::MAX);
        let is_known = self.written.as_ref().is_some_and(|(before, written)| {
            // Also one from the future, from before the clock was set, is old.
            let age = now.unix_seconds().saturating_sub(written.unix_seconds());
            *before == said && (0..interval).contains(&age)
        });
        if is_known {
            return Ok(());
        }
        // Where this fails, the next one is written whatever it says.
        self.written = None;
        put(folder, &said, &self.started, &now, self.last_error.clone())?;
        self.written = Some((said, now));
        Ok(())
    }

    /// Runs `act`, which may take long. Meanwhile the file is written every `interval`, so that the agent does not appear dead.
    pub(super) fn beat_during<T>(
        &self,
        folder: &AgentFolder,
        clock: &dyn Clock,
        interval: Duration,
        act: impl FnOnce() -> T,
    ) -> T {
        let Some((said, _)) = &self.written else { return act() };
        let (said, started, last_error) = (said.clone(), self.started.clone(), self.last_error.clone());
        let (from, begun) = (clock.now().unix_seconds(), Instant::now());
        thread::scope(|scope| {
            let (running, ended) = mpsc::channel::<()>();
            let beat = move || {
                while ended.recv_timeout(interval) == Err(RecvTimeoutError::Timeout) {
                    let passed = i64::try_from(begun.elapsed().as_secs()).unwrap_or(i64::MAX);
                    let now = Timestamp::from_unix(from.saturating_add(passed));
                    if let Err(error) = put(folder, &said, &started, &now, last_error.clone()) {
                        tracing::warn!(%error, "cannot write the status");
                    }
                }
            };
            if let Err(error) = thread::Builder::new().spawn_scoped(scope, beat) {
                tracing::warn!(%error, "cannot write the status for now");
            }
            let done = act();
            drop(running);
            done
        })
    }

    /// Whatever it says is written next time.
    pub(super) fn forget(&mut self) {
        self.written = None;
    }
}

fn put(
    folder: &AgentFolder,
    said: &ReportedStatus,
    started: &Timestamp,
    now: &Timestamp,
    last_error: Option<String>,
) -> Result<(), FileError> {
    let status = StatusHeartbeat {
        schema_version: SchemaVersion::CURRENT,
        agent_id: folder.id().clone(),
        last_heartbeat: now.clone(),
        health: said.health,
        status: Some(said.status.to_owned()),
        uptime_seconds: Some(u64::try_from(now.seconds_since(started)).unwrap_or(0)),
        current_plan_ids: Some(said.plans.clone()),
        current_task_ids: Some(said.tasks.clone()),
        resource_usage: None,
        last_error,
        collected_at: None,
        extra: Extra::new(),
    };
    let text = json::text(&folder.root, FILE, &status, json::MAX_JSON)?;
    durable::replace(&folder.lock, &folder.root, FILE, &text)
}
