//! What the log of deliveries says that matters for later messages.
//!
//! A log grows with every message, and memory must not. What the last lines say is kept. Of those before them, a
//! [`Part`] of the log remembers in a few bytes which messages and contents they are about: when one of those is there again,
//! its lines are read again. So a message that is new costs no look at the log, and an old one is known as well as on its
//! first day.

use super::PlanError;
use super::arrivals::LoggedArrivals;
use super::log::{ALL, DELIVERIES, FOREVER, each_line};
use crate::routing::{DeliveryLog, content, delivered_content};
use files::{Dir, FileError, Lock, line_log};
use memchr::memmem;
use protocol::agent::{Delivery, DeliveryStatus, Envelope, Id, Sha256, Timestamp};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

#[cfg(test)]
mod tests;

/// [`Ledger::most`]: some thousand lines.
const MAX_LINES: usize = 2_048;

/// A message that was given up: its id, the agent it is from, its file and the hash of that.
pub(super) type Source = (String, Id, String, String);

/// How often a message was given up, and when last.
#[derive(Debug, Clone)]
pub(super) struct DeadLetterRecord {
    pub(super) times: u64,
    pub(super) at: Timestamp,
    /// The hash of the DAG by which it was decided.
    pub(super) dag: String,
}

/// What the log says.
#[derive(Debug)]
pub(super) struct Ledger {
    dir: Dir,
    /// So many messages and contents are known without a look at the log.
    most: usize,
    /// How long the log is, in bytes.
    length: u64,
    /// The earlier parts of it, in their order.
    parts: Vec<Part>,
    /// What the lines since are about.
    recent: Vec<Fingerprint>,
    /// What was read again.
    recalled: BTreeSet<Fingerprint>,
    log: DeliveryLog,
    /// The messages that went only to the archive, with their hashes.
    archived: BTreeSet<(String, Sha256)>,
    pub(super) arrived: LoggedArrivals,
    pub(super) given_up: BTreeMap<Source, DeadLetterRecord>,
    /// The deliveries to an agent that have failed since the last that has not, by message and agent.
    pub(super) failed: BTreeMap<(String, Id), (usize, Timestamp)>,
    /// The outputs that were delivered, by their tasks.
    pub(super) outputs: BTreeSet<(Id, Id)>,
}

/// A part of the log whose lines are not kept.
#[derive(Debug)]
struct Part {
    bytes: Range<u64>,
    /// What its lines are about, in order.
    about: Box<[Fingerprint]>,
}

/// A message or a content, in short. Two may have the same, which costs a look at the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Fingerprint(u32);

impl Fingerprint {
    fn new(what: impl Hash) -> Self {
        let mut hasher = DefaultHasher::new();
        what.hash(&mut hasher);
        let [a, b, c, d, ..] = hasher.finish().to_le_bytes();
        Self(u32::from_le_bytes([a, b, c, d]))
    }

    fn of_message(message_id: &str) -> Self {
        Self::new(("message", message_id))
    }

    fn of_content(task: &str, output: &str, content: impl Hash) -> Self {
        Self::new((task, output, content))
    }

    /// What a line is about that can be read again.
    fn of_line(line: &Delivery) -> impl Iterator<Item = Self> {
        let is_told_once = matches!(line.status, DeliveryStatus::Deadlettered | DeliveryStatus::Failed);
        let message = (!is_told_once).then(|| Self::of_message(&line.message_id));
        let is_output = line.status == DeliveryStatus::Delivered;
        let content = is_output.then(|| {
            let (task, output) = (line.task_id.as_deref()?, line.output_name.as_deref()?);
            Some(Self::of_content(task, output, delivered_content(line)?))
        });
        message.into_iter().chain(content.flatten())
    }
}

impl Part {
    fn tells_of(&self, what: Fingerprint) -> bool {
        self.about.binary_search(&what).is_ok()
    }
}

impl Ledger {
    /// Reads the log in a plan's folder.
    pub(super) fn load(dir: &Dir) -> Result<Self, FileError> {
        Self::load_keeping(dir, MAX_LINES)
    }

    fn load_keeping(dir: &Dir, most: usize) -> Result<Self, FileError> {
        let mut ledger = Self {
            dir: dir.again()?,
            most,
            length: 0,
            parts: Vec::new(),
            recent: Vec::new(),
            recalled: BTreeSet::new(),
            log: DeliveryLog::default(),
            archived: BTreeSet::new(),
            arrived: LoggedArrivals::new(dir.again()?),
            given_up: BTreeMap::new(),
            failed: BTreeMap::new(),
            outputs: BTreeSet::new(),
        };
        each_line(
            dir,
            ALL,
            |_| true,
            |line, end| {
                ledger.record(&line);
                ledger.length = end;
                ledger.forget_if_many();
                Ok::<_, FileError>(())
            },
        )?;
        Ok(ledger)
    }

    /// Adds a line, durably.
    pub(super) fn append(&mut self, lock: &Lock, line: &Delivery) -> Result<(), PlanError> {
        line_log::append(lock, &self.dir, DELIVERIES, &serde_json::to_string(line)?, FOREVER)?;
        self.length = self.dir.size(DELIVERIES)?.unwrap_or_default();
        self.record(line);
        self.arrived.push(line);
        Ok(())
    }

    /// How long the log is, in bytes.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// What the log says of the messages that were [recalled](Self::recall).
    pub(super) fn log(&self) -> &DeliveryLog {
        &self.log
    }

    /// Whether a recalled message went only to the archive.
    pub(super) fn is_archived(&self, message_id: &Id, sha256: &Sha256) -> bool {
        self.archived.contains(&(message_id.to_string(), *sha256))
    }

    /// Forgets what can be read again, if there is much of it. What was recalled must be recalled anew.
    pub(super) fn forget(&mut self) {
        self.arrived.forget();
        self.forget_if_many();
    }

    fn forget_if_many(&mut self) {
        if self.recent.len().max(self.recalled.len()) < self.most {
            return;
        }
        let mut about = std::mem::take(&mut self.recent);
        if !about.is_empty() {
            about.sort_unstable();
            about.dedup();
            let start = self.parts.last().map_or(0, |part| part.bytes.end);
            self.parts.push(Part { bytes: start..self.length, about: about.into() });
        }
        self.recalled.clear();
        self.archived.clear();
        self.log.forget();
    }

    /// Makes sure that everything is known that the log says of a message, and of others with its content.
    pub(super) fn recall(&mut self, envelope: &Envelope) -> Result<(), FileError> {
        let message = Fingerprint::of_message(&envelope.message_id);
        let of_output = envelope.task_id.as_deref().zip(envelope.output_name.as_deref());
        let output = of_output.map(|(task, output)| (task, output, content(envelope)));
        let content = output.map(|(task, output, content)| Fingerprint::of_content(task, output, content));
        let message = Some(message).filter(|message| self.recalled.insert(*message));
        let content = content.filter(|content| self.recalled.insert(*content));
        let is_about_message = memmem::Finder::new(envelope.message_id.as_str());
        let sha256 = envelope.files().first().map(|file| file.sha256.hex()).unwrap_or_default();
        let is_about_content = memmem::Finder::new(&sha256);
        // The latest first: it is the last of its content that counts.
        for part in self.parts.iter().rev() {
            let tells = |what: Option<Fingerprint>| what.is_some_and(|what| part.tells_of(what));
            let (of_message, of_content) = (tells(message), tells(content));
            if !of_message && !of_content {
                continue;
            }
            let is_wanted = |line: &[u8]| {
                (of_message && is_about_message.find(line).is_some())
                    || (of_content && is_about_content.find(line).is_some())
            };
            let mut lines = Vec::new();
            each_line(&self.dir, part.bytes.clone(), is_wanted, |line, _| {
                lines.push(line);
                Ok::<_, FileError>(())
            })?;
            for line in lines.iter().rev() {
                if of_message && *line.message_id == *envelope.message_id {
                    self.log.recall(line);
                    self.archived.extend(archived(line));
                }
                let is_of_output = line.task_id.as_deref().zip(line.output_name.as_deref()) == of_output;
                if of_content
                    && is_of_output
                    && delivered_content(line) == output.map(|(_, _, content)| content)
                {
                    self.log.recall_content(line);
                }
            }
        }
        Ok(())
    }

    fn record(&mut self, line: &Delivery) {
        self.recent.extend(Fingerprint::of_line(line));
        self.log.record(line);
        match line.status {
            DeliveryStatus::Delivered => {
                let id = |text: &Option<String>| text.as_deref()?.parse::<Id>().ok();
                if let (Some(task_id), Some(output_name)) = (id(&line.task_id), id(&line.output_name)) {
                    self.outputs.insert((task_id, output_name));
                    self.archived.extend(archived(line));
                }
                if let Some(agent) = line.to_agent_id.agent() {
                    self.failed.remove(&(line.message_id.to_string(), agent));
                }
            }
            DeliveryStatus::Deadlettered => {
                let text = |key| line.extra.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
                let sha256 = line.envelope_sha256.as_deref().unwrap_or_default().to_owned();
                let source =
                    (line.message_id.to_string(), line.from_agent_id.clone(), text("file_name"), sha256);
                let times = self.given_up.get(&source).map_or(0, |known| known.times) + 1;
                let at = line.delivered_at.clone();
                self.given_up.insert(source, DeadLetterRecord { times, at, dag: text("dag_sha256") });
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
}

/// The message of a line, with its hash, if it went only to the archive.
fn archived(line: &Delivery) -> Option<(String, Sha256)> {
    let is_archived = line.status == DeliveryStatus::Delivered && line.to_agent_id.agent().is_none();
    let sha256 = line.envelope_sha256.as_ref()?.parse().ok()?;
    is_archived.then(|| (line.message_id.to_string(), sha256))
}
