//! Earlier deliveries, announcements and dead letters, read from the log.

use super::{DAG, FILE_NAME};
use crate::dag::{Content, Versions};
use protocol::agent::{Delivery, DeliveryStatus, Id, Sha256};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A message, its hash, its outbox and its file.
pub(super) type Source = (String, String, String, String);

/// The contents of `deliveries.jsonl`. Of old lines, only those that were read again are known: see [`forget`](Self::forget).
#[derive(Debug, Clone, Default)]
pub struct DeliveryLog {
    /// By message: the hashes under which it was delivered, and to whom.
    delivered: BTreeMap<String, Vec<(Sha256, Id)>>,
    pub(super) said: BTreeSet<Source>,
    pub(super) given_up: BTreeMap<Source, String>,
    pub(super) versions: BTreeMap<(String, String, Id), Versions>,
}

impl DeliveryLog {
    /// Takes a line into account. Only what was delivered counts as delivered.
    pub fn record(&mut self, line: &Delivery) {
        match line.status {
            DeliveryStatus::Delivered => {
                let Some(is_new) = self.note_delivered(line) else { return };
                self.given_up.remove(&source(line));
                if is_new
                    && let Some((key, content)) = version_of(line)
                    && let Ok(message_id) = line.message_id.parse()
                {
                    let tag = line.extra.get("tag").and_then(Value::as_str).map(str::to_owned);
                    self.versions.entry(key).or_default().push(message_id, content, tag);
                }
            }
            DeliveryStatus::SkippedDuplicate | DeliveryStatus::SkippedSuperseded => {
                self.said.insert(source(line));
            }
            DeliveryStatus::Deadlettered => {
                self.given_up.insert(source(line), text(line, DAG));
            }
            DeliveryStatus::Failed => {}
        }
    }

    /// Forgets what there is more of with each message, but nothing that no line can tell alone: what was given up, and what
    /// came last of an output. The rest can be [read again](Self::recall).
    pub(crate) fn forget(&mut self) {
        self.delivered.clear();
        self.said.clear();
        self.versions.values_mut().for_each(Versions::forget);
    }

    /// Takes what a forgotten line says about its message into account again.
    pub(crate) fn recall(&mut self, line: &Delivery) {
        match line.status {
            DeliveryStatus::Delivered => {
                self.note_delivered(line);
            }
            DeliveryStatus::SkippedDuplicate | DeliveryStatus::SkippedSuperseded => {
                self.said.insert(source(line));
            }
            DeliveryStatus::Deadlettered | DeliveryStatus::Failed => {}
        }
    }

    /// The same for the content of the message. Of several with the same content, the last is recalled first.
    pub(crate) fn recall_content(&mut self, line: &Delivery) {
        if let Some((key, content)) = version_of(line)
            && let Ok(message_id) = line.message_id.parse()
        {
            self.versions.entry(key).or_default().recall(message_id, content);
        }
    }

    /// Notes which agent got a message, if one did, and whether that is new.
    fn note_delivered(&mut self, line: &Delivery) -> Option<bool> {
        let agent = line.to_agent_id.agent()?;
        let sha256 = line.envelope_sha256.as_ref()?.parse().ok()?;
        let known = self.delivered.entry(line.message_id.to_string()).or_default();
        let delivery = (sha256, agent);
        let is_new = !known.contains(&delivery);
        if is_new {
            known.push(delivery);
        }
        Some(is_new)
    }

    /// Whether an agent has a message.
    pub fn has(&self, message_id: &str, sha256: &Sha256, agent: &Id) -> bool {
        self.delivered_as(message_id).iter().any(|(of, to)| of == sha256 && to == agent)
    }

    /// Whether any agent has a message.
    pub(super) fn is_delivered(&self, message_id: &str, sha256: &Sha256) -> bool {
        self.delivered_as(message_id).iter().any(|(of, _)| of == sha256)
    }

    /// Whether the id was delivered with another content.
    pub(super) fn is_reused(&self, message_id: &str, sha256: &Sha256) -> bool {
        self.delivered_as(message_id).iter().any(|(of, _)| of != sha256)
    }

    fn delivered_as(&self, message_id: &str) -> &[(Sha256, Id)] {
        self.delivered.get(message_id).map(Vec::as_slice).unwrap_or_default()
    }
}

fn text(line: &Delivery, key: &str) -> String {
    line.extra.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn source(line: &Delivery) -> Source {
    let sha256 = line.envelope_sha256.as_deref().unwrap_or_default().to_owned();
    (line.message_id.to_string(), sha256, line.from_agent_id.to_string(), text(line, FILE_NAME))
}

/// Which output went to whom with a line, and what it was.
fn version_of(line: &Delivery) -> Option<((String, String, Id), Content)> {
    let key = (line.task_id.clone()?, line.output_name.clone()?, line.to_agent_id.agent()?);
    Some((key, delivered_content(line)?))
}

/// What the files of a line are.
pub(crate) fn delivered_content(line: &Delivery) -> Option<Content> {
    let files = line.payload.as_ref()?.files.as_ref()?;
    files.iter().map(|file| Some((file.path.as_str(), file.sha256.parse().ok()?))).collect()
}
