//! Which files an agent has got, by the log.

use super::log::{ALL, each_line};
use crate::dag::{Arrivals, ArrivedFile};
use crate::names::Names;
use files::{Dir, FileError};
use protocol::agent::{Delivery, DeliveryStatus, Id, MessageType, Sha256};
use serde_json::Value;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Up to this many files are kept, whether requested lately or not.
const KEPT: usize = 4_096;
/// Where a line says what a message is in the words of its maker.
const SUBTYPE: &str = "subtype";

/// The files that agents have got: read from the log when an agent's files are requested, and kept as long as requests
/// continue. An agent whose tasks are over may have got very many.
#[derive(Debug)]
pub(super) struct LoggedArrivals {
    dir: Dir,
    kept: RefCell<BTreeMap<Id, CachedArrivals>>,
    /// Why the log could not be read.
    trouble: RefCell<Option<FileError>>,
    /// What stands in many lines is kept once.
    names: RefCell<Names>,
}

#[derive(Debug)]
struct CachedArrivals {
    files: Arc<Vec<ArrivedFile>>,
    is_asked_for: bool,
}

impl LoggedArrivals {
    /// Those of the log in this folder.
    pub(super) fn new(dir: Dir) -> Self {
        Self { dir, kept: RefCell::default(), trouble: RefCell::default(), names: RefCell::default() }
    }

    /// Adds what a line tells that was written after all others.
    pub(super) fn push(&mut self, line: &Delivery) {
        let Some((agent, files)) = files_of(line, self.names.get_mut()) else { return };
        if let Some(kept) = self.kept.get_mut().get_mut(&agent) {
            Arc::make_mut(&mut kept.files).extend(files);
        }
    }

    /// If many files are kept, forgets those not requested since the last call.
    pub(super) fn forget(&mut self) {
        let kept = self.kept.get_mut();
        if kept.values().map(|kept| kept.files.len()).sum::<usize>() > KEPT {
            kept.retain(|_, kept| kept.is_asked_for);
            *self.names.get_mut() = Names::default();
        }
        kept.values_mut().for_each(|kept| kept.is_asked_for = false);
    }

    /// Tells of trouble with the log. Whatever was concluded from [`for_agent`](Arrivals::for_agent) before may be wrong then.
    pub(super) fn check(&self) -> Result<(), FileError> {
        self.trouble.take().map_or(Ok(()), Err)
    }

    fn read(&self, agent: &Id) -> Result<Vec<ArrivedFile>, FileError> {
        let mut arrived = Vec::new();
        let finder = memchr::memmem::Finder::new(agent.as_str());
        each_line(
            &self.dir,
            ALL,
            |line| finder.find(line).is_some(),
            |line, _| {
                if let Some((to, files)) = files_of(&line, &mut self.names.borrow_mut())
                    && to == *agent
                {
                    arrived.extend(files);
                }
                Ok::<_, FileError>(())
            },
        )?;
        Ok(arrived)
    }
}

impl Arrivals for LoggedArrivals {
    fn for_agent(&self, agent: &Id) -> Arc<Vec<ArrivedFile>> {
        if let Some(kept) = self.kept.borrow_mut().get_mut(agent) {
            kept.is_asked_for = true;
            return Arc::clone(&kept.files);
        }
        match self.read(agent) {
            Ok(files) => {
                let files = Arc::new(files);
                let kept = CachedArrivals { files: Arc::clone(&files), is_asked_for: true };
                self.kept.borrow_mut().insert(agent.clone(), kept);
                files
            }
            Err(error) => {
                *self.trouble.borrow_mut() = Some(error);
                Arc::default()
            }
        }
    }
}

/// Which agent got files with a line, and which.
pub(super) fn files_of(line: &Delivery, names: &mut Names) -> Option<(Id, Vec<ArrivedFile>)> {
    if line.status != DeliveryStatus::Delivered {
        return None;
    }
    let to = names.id(&line.to_agent_id)?;
    let message_id: Id = line.message_id.parse().ok()?;
    let task_id = names.id(line.task_id.as_deref()?)?;
    let output_name = names.id(line.output_name.as_deref()?)?;
    let command_id = line.command_id.as_deref().and_then(|id| names.id(id));
    let subtype = line.extra.get(SUBTYPE).and_then(Value::as_str).map(|text| names.subtype(text));
    let delivered_at = names.time(&line.delivered_at);
    let files = line.payload.iter().flat_map(|payload| payload.files.iter().flatten());
    let files = files.filter_map(|file| {
        Some(ArrivedFile {
            message_id: message_id.clone(),
            kind: MessageType::Artifact,
            subtype: subtype.clone(),
            task_id: task_id.clone(),
            output_name: output_name.clone(),
            command_id: command_id.clone(),
            path: file.path.parse().ok()?,
            sha256: file.sha256.parse::<Sha256>().ok()?,
            delivered_at: delivered_at.clone(),
        })
    });
    Some((to, files.collect()))
}

#[cfg(test)]
mod tests {
    use super::{KEPT, LoggedArrivals};
    use crate::dag::Arrivals;
    use crate::dag::tests::{hash, id, time};
    use crate::plan::log::DELIVERIES;
    use files::Dir;
    use protocol::agent::{Delivery, Format};
    use serde_json::json;
    use std::fs;
    use std::sync::Arc;

    fn line(number: usize, to: &str) -> Delivery {
        Delivery::from_value(&json!({
            "schema_version": "1.0", "delivery_id": format!("del_{number}"), "plan_id": "p",
            "message_id": format!("m{number}"), "task_id": "a", "output_name": "o", "from_agent_id": "agent_a",
            "to_agent_id": to, "delivered_at": time(0), "status": "DELIVERED", "subtype": "draft",
            "payload": { "files": [{ "path": format!("{number}.md"), "sha256": hash(1) }] },
        }))
        .unwrap()
    }

    #[test]
    fn what_nobody_asks_for_is_read_again_when_somebody_does() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join(DELIVERIES);
        let text = |line: &Delivery| format!("{}\n", serde_json::to_string(line).unwrap());
        let to = |number: usize| if number.is_multiple_of(10) { "agent_b" } else { "agent_c" };
        fs::write(&log, (0..=KEPT).map(|number| text(&line(number, to(number)))).collect::<String>())
            .unwrap();
        let (b, c) = (id("agent_b"), id("agent_c"));
        let mut arrivals = LoggedArrivals::new(Dir::open(folder.path()).unwrap());
        let messages = |files: Arc<Vec<_>>| {
            files.iter().map(|file: &crate::dag::ArrivedFile| file.message_id.to_string()).collect::<Vec<_>>()
        };
        let of = |agent: &str| -> Vec<String> {
            (0..=KEPT).filter(|one| to(*one) == agent).map(|one| format!("m{one}")).collect()
        };
        assert_eq!(messages(arrivals.for_agent(&b)), of("agent_b"));
        assert_eq!(messages(arrivals.for_agent(&c)), of("agent_c"));
        assert_eq!(arrivals.for_agent(&id("agent_d")).len(), 0);
        // The log is gone: what is still known is kept, and the rest makes trouble.
        fs::rename(&log, folder.path().join("away")).unwrap();
        fs::create_dir(&log).unwrap();
        arrivals.forget();
        assert_eq!(arrivals.for_agent(&b).len(), of("agent_b").len());
        arrivals.push(&line(KEPT + 1, "agent_b"));
        assert_eq!(messages(arrivals.for_agent(&b)).last(), Some(&format!("m{}", KEPT + 1)));
        arrivals.forget();
        arrivals.check().unwrap();
        assert!(arrivals.for_agent(&c).is_empty());
        assert!(arrivals.check().is_err());
        arrivals.check().unwrap();
        // It is back.
        fs::remove_dir(&log).unwrap();
        fs::rename(folder.path().join("away"), &log).unwrap();
        assert_eq!(arrivals.for_agent(&c).len(), of("agent_c").len());
        assert_eq!(arrivals.for_agent(&c)[0].subtype.as_deref(), Some("draft"));
    }
}
