//! `deliveries.jsonl`: what was delivered to whom, a line for each, which is written when the agent has it.

use super::PlanError;
use crate::dag::{Arrivals, Arrived};
use crate::names::Names;
use crate::routing::DeliveryLog;
use files::{Dir, FileError, Lock, line_log};
use model::agent::{Delivery, DeliveryStatus, Format, Id, MessageType, Sha256, Timestamp};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Its name.
pub const DELIVERIES: &str = "deliveries.jsonl";
/// Where a line says what a message is in the words of its maker.
const SUBTYPE: &str = "subtype";
/// It is never begun anew: what was delivered once is known for ever.
const FOREVER: line_log::Rotation = line_log::Rotation { max_bytes: u64::MAX, keep: 0 };

/// A message that was given up: its id, the agent it is from, its file and the hash of that.
pub(super) type Source = (String, Id, String, String);

/// How often a message was given up, and when last.
#[derive(Debug, Clone)]
pub(super) struct GivenUp {
    pub(super) times: u64,
    pub(super) at: Timestamp,
    /// The hash of the DAG by which it was decided.
    pub(super) dag: String,
}

/// All lines of the log, as far as they matter for what comes.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    pub(super) log: DeliveryLog,
    pub(super) arrived: Arrivals,
    pub(super) given_up: BTreeMap<Source, GivenUp>,
    /// The deliveries to an agent that have failed since the last that has not, by message and agent.
    pub(super) failed: BTreeMap<(String, Id), (usize, Timestamp)>,
    /// The outputs that were delivered, by their tasks.
    pub(super) outputs: BTreeSet<(Id, Id)>,
    /// The messages that went to nobody but the archive, with their hashes.
    pub(super) archived: BTreeSet<(Id, Sha256)>,
    /// What stands in many lines is kept once.
    names: Names,
}

impl Ledger {
    /// Reads the log.
    pub(super) fn load(dir: Option<&Dir>) -> Result<Self, FileError> {
        let mut ledger = Self::default();
        if let Some(dir) = dir {
            each_line(dir, |line| ledger.record(&line))?;
        }
        Ok(ledger)
    }

    /// Adds a line, durably.
    pub(super) fn append(&mut self, lock: &Lock, dir: &Dir, line: &Delivery) -> Result<(), PlanError> {
        line_log::append(lock, dir, DELIVERIES, &serde_json::to_string(line)?, FOREVER)?;
        self.record(line);
        Ok(())
    }

    fn record(&mut self, line: &Delivery) {
        self.log.record(line);
        match line.status {
            DeliveryStatus::Delivered => self.delivered(line),
            DeliveryStatus::Deadlettered => {
                let text = |key| line.extra.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
                let sha256 = line.envelope_sha256.as_deref().unwrap_or_default().to_owned();
                let source =
                    (line.message_id.to_string(), line.from_agent_id.clone(), text("file_name"), sha256);
                let times = self.given_up.get(&source).map_or(0, |known| known.times) + 1;
                let at = line.delivered_at.clone();
                self.given_up.insert(source, GivenUp { times, at, dag: text("dag_sha256") });
            }
            DeliveryStatus::Failed => {
                let Some(agent) = line.to_agent_id.agent() else { return };
                let failed = self.failed.entry((line.message_id.to_string(), agent));
                let at = line.delivered_at.clone();
                failed
                    .and_modify(|(times, last)| {
                        *times += 1;
                        *last = at.clone();
                    })
                    .or_insert((1, at));
            }
            DeliveryStatus::SkippedDuplicate | DeliveryStatus::SkippedSuperseded => {}
        }
    }

    fn delivered(&mut self, line: &Delivery) {
        let names = &mut self.names;
        let mut id = |text: &Option<String>| names.id(text.as_deref()?);
        let (Some(task_id), Some(output_name)) = (id(&line.task_id), id(&line.output_name)) else { return };
        let command_id = id(&line.command_id);
        self.outputs.insert((task_id.clone(), output_name.clone()));
        let known = self.log.message_id(&line.message_id);
        let Some(message_id) = known.or_else(|| line.message_id.parse().ok()) else { return };
        let Some(to_agent) = line.to_agent_id.agent() else {
            let sha256 = line.envelope_sha256.as_ref().and_then(|sha256| sha256.parse().ok());
            self.archived.extend(sha256.map(|sha256| (message_id, sha256)));
            return;
        };
        self.failed.remove(&(line.message_id.to_string(), to_agent.clone()));
        let subtype = line.extra.get(SUBTYPE).and_then(Value::as_str).map(|text| names.subtype(text));
        let delivered_at = names.time(&line.delivered_at);
        let files = line.payload.iter().flat_map(|payload| payload.files.iter().flatten());
        for file in files {
            let (Ok(path), Ok(sha256)) = (file.path.parse(), file.sha256.parse::<Sha256>()) else { continue };
            let file = Arrived {
                message_id: message_id.clone(),
                kind: MessageType::Artifact,
                subtype: subtype.clone(),
                task_id: task_id.clone(),
                output_name: output_name.clone(),
                command_id: command_id.clone(),
                path,
                sha256,
                delivered_at: delivered_at.clone(),
            };
            self.arrived.push(&to_agent, file);
        }
    }
}

/// Reads the log line by line. One that a killed writer has left torn, or that says nothing, is skipped.
pub(super) fn each_line(dir: &Dir, mut tell: impl FnMut(Delivery)) -> Result<(), FileError> {
    let mut rest = Vec::new();
    dir.read_in_pieces(DELIVERIES, u64::MAX, |piece| {
        rest.extend_from_slice(piece);
        let whole = rest.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        for line in rest[..whole].split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            if let Ok(line) = Delivery::parse(line) {
                tell(line);
            }
        }
        rest.drain(..whole);
        Ok::<_, FileError>(())
    })?;
    if let Ok(line) = Delivery::parse(&rest) {
        tell(line);
    }
    Ok(())
}
