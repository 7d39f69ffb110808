//! What is known of a plan, from what lies in its folders.

use super::PlanError;
use super::arrivals::files_of;
use super::collect::acks_of;
use super::deliver::{COMMANDS, EVIDENCE, evidence_format, evidence_marks};
use super::documents::Documents;
use super::ledger::Ledger;
use super::log::each_line;
use super::scan::{Messages, Scan};
use crate::dag::{Arrivals as _, ArrivedFile, Evidence, LastCommand, assignee, reexecutions};
use crate::folder::ENVELOPE_LIMIT;
use crate::monitor::{Alarm, ObservedCommand, observe};
use crate::names::Names;
use files::{Dir, FileError, Identity, json};
use memchr::memmem::Finder;
use protocol::agent::{
    Code, Command, Delivery, Envelope, Extra, Format, FormatName, Id, Judgement, MessageType, Mode, RelPath,
    Sha256, Timestamp,
};
use serde_json::Value;
use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};

/// The commands of a plan that were archived, by the names of their files. What was read once is not read again.
#[derive(Debug, Default)]
pub(super) struct Commands {
    folder: Option<Identity>,
    pub(super) archived: BTreeMap<String, Envelope>,
    /// Those whose envelopes name something else than their commands: they do not count.
    inconsistent: BTreeMap<String, Alarm>,
}

impl Commands {
    /// Reads what has come since.
    pub(super) fn update(&mut self, plan: &Dir) -> Result<(), FileError> {
        let folder = plan.identity(COMMANDS)?;
        if folder.is_none() || folder == self.folder {
            return Ok(());
        }
        let Some(dir) = plan.folder(COMMANDS)? else { return Ok(()) };
        for name in dir.names()? {
            if !name.ends_with(".msg.json") || self.archived.contains_key(&name) {
                continue;
            }
            let Some(bytes) = dir.read(&name, ENVELOPE_LIMIT)? else { continue };
            if let Some(alarm) = inconsistent(&bytes) {
                self.inconsistent.insert(name, alarm);
            } else if let Ok(envelope) = Envelope::parse_for(&bytes, Mode::Direct) {
                self.archived.insert(name, envelope);
            }
        }
        self.folder = folder;
        Ok(())
    }
}

/// The alarm about an archived command whose envelope names another plan, task or command than it does. A reader of envelopes
/// refuses such a message, and would not say whose it is.
fn inconsistent(bytes: &[u8]) -> Option<Alarm> {
    let message: Value = serde_json::from_slice(bytes).ok()?;
    let command = &message["payload"]["command"];
    let differs = |key: &str| command[key].is_string() && message[key] != command[key];
    if !["plan_id", "task_id", "command_id"].into_iter().any(differs) {
        return None;
    }
    Some(Alarm {
        code: Code::CommandArchiveInconsistent,
        task_id: command["task_id"].as_str()?.parse().ok()?,
        message_id: message["message_id"].as_str()?.parse().ok()?,
        details: Extra::new(),
    })
}

/// What judges something, by its message and path. What was looked at once is not looked at again.
#[derive(Debug, Default)]
pub(super) struct EvidenceCache {
    evidence: BTreeMap<(Id, RelPath), Evidence>,
    /// So far the log was looked at, in bytes.
    looked_at: u64,
}

/// The facts about a plan besides its documents and deliveries.
#[derive(Debug, Default)]
pub(super) struct PlanFacts {
    pub(super) work: BTreeMap<Id, LastCommand>,
    pub(super) evidence: Vec<Evidence>,
    /// The tasks with messages that are not settled.
    pub(super) in_transit: BTreeSet<Id>,
    /// The highest number that any command of a task has had.
    pub(super) last_seqs: BTreeMap<Id, u64>,
    pub(super) alarms: Vec<Alarm>,
}

/// The sources of these facts.
pub(super) struct Sources<'s> {
    pub(super) found: &'s Scan,
    pub(super) plan: &'s Dir,
    pub(super) documents: &'s Documents,
    pub(super) ledger: &'s Ledger,
    pub(super) commands: &'s Commands,
    pub(super) messages: &'s Messages,
    pub(super) now: &'s Timestamp,
}

impl Sources<'_> {
    /// Gathers it.
    pub(super) fn gather(&self, judged: &mut EvidenceCache) -> Result<PlanFacts, PlanError> {
        let alarms = self.commands.inconsistent.values().cloned().collect();
        let mut gathered = PlanFacts { alarms, ..PlanFacts::default() };
        let sent = self.messages.values().filter_map(|message| message.envelope.as_ref().ok());
        let mut last: BTreeMap<&Id, &Envelope> = BTreeMap::new();
        for envelope in self.commands.archived.values().chain(sent.clone()) {
            let Some(command) = envelope.command() else { continue };
            let highest = gathered.last_seqs.entry(command.task_id.clone()).or_insert(0);
            *highest = (*highest).max(command.seq());
            let is_for_dag =
                command.dag_ref.as_ref().is_some_and(|dag| self.documents.active.sha256 == *dag.sha256);
            if !is_for_dag || envelope.plan_id != self.documents.active.dag.plan_id {
                continue;
            }
            let known = last.entry(&command.task_id).or_insert(envelope);
            if known.command().is_none_or(|known| known.seq() < command.seq()) {
                *known = envelope;
            }
        }
        for envelope in sent.filter(|envelope| envelope.kind == MessageType::Artifact) {
            gathered.in_transit.extend(envelope.task_id.clone());
        }
        for (task, envelope) in last {
            let Some(command) = envelope.command() else { continue };
            let (work, alarm) = self.observe(task, envelope, command)?;
            gathered.alarms.extend(alarm);
            if let Some(work) = work {
                gathered.work.insert(task.clone(), work);
            }
        }
        gathered.evidence = self.evidence(judged)?;
        Ok(gathered)
    }

    fn observe(
        &self,
        task: &Id,
        envelope: &Envelope,
        command: &Command,
    ) -> Result<(Option<LastCommand>, Option<Alarm>), PlanError> {
        let Some(node) = self.documents.active.dag.node(task) else { return Ok((None, None)) };
        let agent = assignee(node, reexecutions(command));
        let task_state = self.found.state(agent, task);
        let acks = acks_of(self.plan, &envelope.message_id, agent)?;
        // Missing inputs matter only until the agent itself reports something.
        let is_silent = task_state.is_none() && acks.is_empty();
        let missing = if is_silent { self.missing(command, agent) } else { Vec::new() };
        let observed = ObservedCommand { message: envelope, task_state, acks: &acks, missing: &missing };
        Ok(observe(&observed, self.now))
    }

    /// The inputs that an agent lacks, by the deliveries.
    fn missing(&self, command: &Command, agent: &Id) -> Vec<String> {
        let arrived = LazyCell::new(|| self.ledger.arrived.for_agent(agent));
        let is_there = |path: &RelPath| {
            arrived.iter().any(|file| {
                path.as_str() == file.path.as_str()
                    || path.as_str().ends_with(&format!("/{}", file.path))
                    || crate::dag::pattern_fits(path, &file.path)
            })
        };
        match &command.resolved_inputs {
            Some(resolved) => {
                let missing = resolved
                    .iter()
                    .filter(|input| input.required && !input.paths.iter().any(is_there))
                    .filter_map(|input| input.paths.iter().next());
                missing.map(ToString::to_string).collect()
            }
            None => command
                .required_inputs
                .iter()
                .filter(|path| !is_there(path))
                .map(ToString::to_string)
                .collect(),
        }
    }

    fn evidence(&self, judged: &mut EvidenceCache) -> Result<Vec<Evidence>, PlanError> {
        let length = self.ledger.length();
        if judged.looked_at < length {
            let (mut names, since) = (Names::default(), judged.looked_at..length);
            let marks = evidence_marks(self.documents);
            let marks: Vec<Finder<'_>> = marks.iter().map(Finder::new).collect();
            let is_wanted = |line: &[u8]| marks.iter().any(|mark| mark.find(line).is_some());
            each_line(self.plan, since, is_wanted, |line, _| self.judge(judged, &line, &mut names))?;
            judged.looked_at = length;
        }
        Ok(judged.evidence.values().cloned().collect())
    }

    /// Adds the files of a line that judge something.
    fn judge(&self, judged: &mut EvidenceCache, line: &Delivery, names: &mut Names) -> Result<(), FileError> {
        for file in files_of(line, names).map(|(_, files)| files).unwrap_or_default() {
            let key = (file.message_id.clone(), file.path.clone());
            if let Some(known) = judged.evidence.get_mut(&key) {
                // It counts from when the first has it.
                known.delivered_at = known.delivered_at.clone().min(file.delivered_at.clone());
                continue;
            }
            let format =
                evidence_format(self.documents, &file.task_id, &file.output_name, file.path.as_str());
            let Some(format) = format else { continue };
            if let Some(evidence) = self.read_evidence(&file, format)? {
                judged.evidence.insert(key, evidence);
            }
        }
        Ok(())
    }

    fn read_evidence(&self, file: &ArrivedFile, format: FormatName) -> Result<Option<Evidence>, FileError> {
        let mut way: Vec<&str> = vec![EVIDENCE, file.message_id.as_str()];
        way.extend(file.path.components());
        let name = way.pop().unwrap_or_default();
        let Some(folder) = self.plan.folder_at(way)? else { return Ok(None) };
        let bytes = match folder.read(name, json::MAX_JSON) {
            Ok(Some(bytes)) => bytes,
            Ok(None) | Err(FileError::TooLarge { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let value: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        let judgement = Judgement::from_value(format, &value).and_then(Result::ok);
        // One about another plan says nothing about this one.
        let judgement = judgement.filter(|judgement| judgement.plan_id == self.documents.active.dag.plan_id);
        let about = |key: &str| value.get(key).and_then(Value::as_object);
        let subjects = ["subject", "dag", "target"].into_iter().filter_map(about);
        let subject = subjects.clone().find_map(|it| it.get("task_id")?.as_str()?.parse().ok());
        let judged = subjects.filter_map(|it| it.get("sha256")?.as_str()?.parse::<Sha256>().ok());
        Ok(Some(Evidence {
            path: file.path.clone(),
            sha256: file.sha256,
            format: Some(format),
            passed: judgement.as_ref().is_some_and(|judgement| judgement.passed),
            decision: judgement.as_ref().map_or_else(|| "INVALID".to_owned(), |it| it.decision.to_owned()),
            score: judgement.and_then(|judgement| judgement.score),
            message_id: file.message_id.clone(),
            task_id: file.task_id.clone(),
            command_id: file.command_id.clone(),
            subject,
            judged: judged.collect(),
            delivered_at: file.delivered_at.clone(),
        }))
    }
}
