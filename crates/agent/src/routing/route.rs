//! What becomes of one message (contract/plans §10.2).

mod lines;
mod log;

pub use lines::{dead_letter, lines};
pub use log::DeliveryLog;
pub(crate) use log::delivered_content;

use super::ActiveDag;
use crate::dag::{Content, VersionDecision, Versions, assignee, reexecutions, targets, version};
use log::Source;
use protocol::agent::{Code, Envelope, FormatError, Id, MessageType, PayloadPath, Sha256, Text};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Where a line of the log names the file of a message.
const FILE_NAME: &str = "file_name";
/// Where a line of the log names the DAG by which it was decided.
const DAG: &str = "dag_sha256";

/// A message in an outbox.
#[derive(Clone, Copy)]
pub struct OutgoingMessage<'a> {
    /// Whose outbox it is.
    pub owner: &'a Id,
    /// The plan whose folder it lies in.
    pub plan_id: &'a Id,
    /// The name of its file.
    pub name: &'a str,
    /// The hash of its file.
    pub sha256: &'a Sha256,
    /// What it says.
    pub envelope: Result<&'a Envelope, &'a UnreadableMessage>,
    /// Whether a message of this name and content was sent before and has been put away: this one is another copy.
    pub sent_before: bool,
    /// Whether a retry was requested although it was given up.
    pub replay: bool,
    /// What lies where a file of it should.
    pub payload: &'a dyn Fn(&PayloadPath) -> PayloadFile,
}

/// A file that is no message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadableMessage {
    /// Why.
    pub code: Code,
    /// The id that it gives itself nevertheless.
    pub message_id: Option<String>,
}

/// What lies where a file should.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PayloadFile {
    /// A file with this hash.
    Present(Sha256),
    /// Nothing.
    Missing,
    /// No file, or one that lies elsewhere.
    Unsafe,
}

/// The newest command of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Its message.
    pub message_id: Id,
    /// The command.
    pub command_id: Id,
    /// Its number.
    pub seq: u64,
}

/// The newest command of each task.
pub type Candidates = BTreeMap<Id, Candidate>;

/// Which message has which names at a receiver: those of the envelopes that lie in its inbox or are being worked on, and
/// the paths of their files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InboxNames {
    names: BTreeMap<String, Id>,
    paths: BTreeMap<String, Id>,
}

impl InboxNames {
    /// Notes that an envelope lies there under this name.
    pub fn claim(&mut self, name: &str, envelope: &Envelope) {
        self.names.insert(name.to_owned(), envelope.message_id.clone());
        for file in envelope.files() {
            self.paths.insert(file.path.to_string(), envelope.message_id.clone());
        }
    }

    /// Returns who has the name, if it is another message.
    pub(super) fn name_taken(&self, name: &str, message: &Id) -> bool {
        self.names.get(name).is_some_and(|by| by != message)
    }

    /// Returns which other message lies on, in or around a path.
    pub(crate) fn path_taken(&self, path: &str, message: &Id) -> Option<&Id> {
        let inside = format!("{path}/");
        let below = self.paths.range(inside.clone()..).take_while(|(other, _)| other.starts_with(&inside));
        let above = path.match_indices('/').filter_map(|(at, _)| self.paths.get_key_value(&path[..at]));
        let on = self.paths.get_key_value(path);
        on.into_iter().chain(above).chain(below).map(|(_, by)| by).find(|by| *by != message)
    }
}

/// All that is known of a plan.
#[derive(Clone, Copy)]
pub struct RoutingState<'a> {
    /// Its active DAG.
    pub active: &'a ActiveDag,
    /// The agents that have a folder.
    pub agents: &'a BTreeSet<Id>,
    /// What was delivered.
    pub log: &'a DeliveryLog,
    /// The newest commands.
    pub candidates: &'a Candidates,
    /// The tasks that may not begin yet: their DAG or what they need is not approved.
    pub held: &'a BTreeSet<Id>,
    /// What lies with the receivers.
    pub inboxes: &'a BTreeMap<Id, InboxNames>,
}

/// What becomes of a message.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// It is delivered to all targets that can get it now.
    Deliver(Route),
    /// Nothing: it was delivered, and the duplicate is not reported yet. Reported once.
    Duplicate {
        /// The message that it is the same as.
        of: Id,
        /// Whether it is another message with the same content.
        by_content: bool,
    },
    /// Nothing: a newer command is there. It is archived nevertheless.
    Superseded(Supersession),
    /// Nothing yet: the task may not begin.
    Held,
    /// It is given up.
    DeadLetter(DeadLetterReason),
    /// Nothing, and everything was said: it can be put away.
    Settled,
    /// Nothing: it was given up, and nothing has changed since.
    GivenUp,
}

/// To whom a message goes.
#[derive(Debug, Clone, PartialEq)]
pub struct Route {
    /// All who should get it.
    pub targets: Vec<(Id, TargetRoute)>,
    /// The name under which a command is archived first.
    pub archive: Option<String>,
    /// What should be said besides.
    pub warnings: Vec<Warning>,
}

/// What becomes of a message for one agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TargetRoute {
    /// It is delivered: files first, and then the envelope under this name.
    Deliver {
        /// The name.
        name: String,
        /// The message whose place it takes, which is worth a note.
        replaces: Option<Id>,
    },
    /// It has it.
    Done,
    /// It has the same from another message.
    Same(Id),
    /// It has another message whose files have the same names, and which is not taken yet.
    Wait {
        /// The path.
        path: PayloadPath,
        /// That message.
        taken_by: Id,
    },
}

/// Something that should be said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Warning {
    /// It says that another agent sends it.
    OtherProducer(Id),
}

/// By which command another is superseded, and under which name it is archived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Supersession {
    /// The newer one.
    pub by: Candidate,
    /// The name.
    pub archive: String,
}

/// Why a message is given up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeadLetterReason {
    /// Why.
    pub code: Code,
    /// What exactly: names and hashes.
    pub detail: String,
    /// The file that it is about.
    pub file: Option<String>,
}

impl UnreadableMessage {
    /// Returns why a file is no message.
    pub fn new(error: &FormatError, message_id: Option<String>) -> Self {
        Self { code: error.code(), message_id }
    }
}

impl Route {
    /// Whether nothing is left to do for it once this is done.
    pub fn settles(&self) -> bool {
        !self.targets.iter().any(|(_, route)| matches!(route, TargetRoute::Wait { .. }))
    }
}

impl OutgoingMessage<'_> {
    /// Returns the id of the message; the name of the file if it has none.
    pub fn message_id(&self) -> &str {
        let stem = self.name.strip_suffix(".json").unwrap_or(self.name);
        match self.envelope {
            Ok(envelope) => envelope.message_id.as_str(),
            Err(unreadable) => {
                unreadable.message_id.as_deref().filter(|id| id.parse::<Text>().is_ok()).unwrap_or(stem)
            }
        }
    }

    fn archive_name(&self) -> String {
        format!("{}__{}", self.message_id(), self.name)
    }

    fn source(&self) -> Source {
        (self.message_id().to_owned(), self.sha256.to_string(), self.owner.to_string(), self.name.to_owned())
    }
}

/// What the files of a message are.
pub(crate) fn content(envelope: &Envelope) -> Content {
    envelope.files().iter().map(|file| (file.path.as_str(), file.sha256)).collect()
}

fn tag(envelope: &Envelope) -> Option<&str> {
    envelope.extra.get("tag").and_then(Value::as_str)
}

/// Returns the newest command of each task, among those that were archived and those of this scan that are valid and can be
/// delivered: one that is not supersedes nothing (contract/plans §10.2).
pub fn candidates<'a>(
    archived: impl IntoIterator<Item = &'a Envelope>,
    scan: impl IntoIterator<Item = OutgoingMessage<'a>>,
    active: &ActiveDag,
    agents: &BTreeSet<Id>,
    log: &DeliveryLog,
) -> Candidates {
    let archived = archived.into_iter().filter(|envelope| envelope.plan_id == active.dag.plan_id);
    let scanned = scan.into_iter().filter_map(|out| {
        let envelope = out.envelope.ok()?;
        let is_valid = out.plan_id == &envelope.plan_id && !log.is_reused(&envelope.message_id, out.sha256);
        is_valid.then_some(envelope)
    });
    let mut newest = Candidates::new();
    for envelope in archived.chain(scanned) {
        let Some(command) = envelope.command() else { continue };
        let Some(seq) = command.command_seq else { continue };
        let is_for = command.dag_ref.as_ref().is_some_and(|dag| active.sha256 == *dag.sha256);
        let target = active.dag.node(&command.task_id).map(|node| assignee(node, reexecutions(command)));
        if !is_for || !target.is_some_and(|target| agents.contains(target)) {
            continue;
        }
        let message_id = envelope.message_id.clone();
        let candidate = Candidate { message_id, command_id: command.command_id.clone(), seq };
        let known = newest.entry(command.task_id.clone()).or_insert_with(|| candidate.clone());
        if candidate.seq > known.seq {
            *known = candidate;
        }
    }
    newest
}

/// Returns what becomes of a message. What it decides, [`lines`] writes down; asked again with that in the log, it decides
/// what is left.
pub fn decide(out: &OutgoingMessage<'_>, known: &RoutingState<'_>) -> Decision {
    if !out.replay && known.log.given_up.get(&out.source()).is_some_and(|dag| known.active.sha256 == **dag) {
        return Decision::GivenUp;
    }
    let routed = match out.envelope {
        Ok(envelope) => match envelope.kind {
            MessageType::Command => command(out, envelope, known),
            MessageType::Artifact => artifact(out, envelope, known),
        },
        Err(unreadable) => Err(dead(unreadable.code, out.name)),
    };
    routed.unwrap_or_else(Decision::DeadLetter)
}

fn dead(code: Code, detail: impl ToString) -> DeadLetterReason {
    DeadLetterReason { code, detail: detail.to_string(), file: None }
}

fn check_id(
    out: &OutgoingMessage<'_>,
    envelope: &Envelope,
    known: &RoutingState<'_>,
) -> Result<(), DeadLetterReason> {
    if envelope.plan_id != *out.plan_id || envelope.plan_id != known.active.dag.plan_id {
        let code = match envelope.kind {
            MessageType::Command => Code::CommandEnvelopeMismatch,
            MessageType::Artifact => Code::EnvelopeInvalid,
        };
        return Err(dead(code, format!("plan_id {} in the folder of {}", envelope.plan_id, out.plan_id)));
    }
    if known.log.is_reused(&envelope.message_id, out.sha256) {
        return Err(dead(Code::MessageIdReusedWithDifferentPayload, &envelope.message_id));
    }
    Ok(())
}

fn warnings(out: &OutgoingMessage<'_>, envelope: &Envelope) -> Vec<Warning> {
    let other = Some(&envelope.producer_agent_id).filter(|producer| *producer != out.owner);
    other.cloned().map(Warning::OtherProducer).into_iter().collect()
}

/// What everybody has: nothing to do, but to say so if it is there once more.
fn delivered(out: &OutgoingMessage<'_>, envelope: &Envelope, known: &RoutingState<'_>) -> Decision {
    if !out.sent_before || known.log.said.contains(&out.source()) {
        return Decision::Settled;
    }
    Decision::Duplicate { of: envelope.message_id.clone(), by_content: false }
}

fn command(
    out: &OutgoingMessage<'_>,
    envelope: &Envelope,
    known: &RoutingState<'_>,
) -> Result<Decision, DeadLetterReason> {
    check_id(out, envelope, known)?;
    if known.log.is_delivered(&envelope.message_id, out.sha256) {
        return Ok(delivered(out, envelope, known));
    }
    let Some(command) = envelope.command() else { return Err(dead(Code::SchemaInvalid, "payload.command")) };
    let Some(seq) = command.command_seq else {
        return Err(dead(Code::CommandSeqMissing, &command.command_id));
    };
    let dag = command.dag_ref.as_ref().map(|dag| dag.sha256.as_str()).unwrap_or_default();
    if known.active.sha256 != *dag {
        return Err(dead(Code::CommandDagMismatch, dag));
    }
    let newest = known.candidates.get(&command.task_id);
    if let Some(newest) = newest.filter(|newest| newest.seq > seq) {
        if known.log.said.contains(&out.source()) {
            return Ok(Decision::Settled);
        }
        return Ok(Decision::Superseded(Supersession { by: newest.clone(), archive: out.archive_name() }));
    }
    let node = known
        .active
        .dag
        .node(&command.task_id)
        .ok_or_else(|| dead(Code::DagTaskNotFound, &command.task_id))?;
    let target = assignee(node, reexecutions(command));
    if !known.agents.contains(target) {
        return Err(dead(Code::TargetAgentNotFound, target));
    }
    if known.held.contains(&command.task_id) {
        return Ok(Decision::Held);
    }
    let route = to(out, envelope, target, None, known);
    Ok(Decision::Deliver(Route {
        targets: vec![(target.clone(), route)],
        archive: Some(out.archive_name()),
        warnings: warnings(out, envelope),
    }))
}

fn artifact(
    out: &OutgoingMessage<'_>,
    envelope: &Envelope,
    known: &RoutingState<'_>,
) -> Result<Decision, DeadLetterReason> {
    check_id(out, envelope, known)?;
    let dag = &known.active.dag;
    let task = envelope.task_id.as_deref().unwrap_or_default();
    let name = envelope.output_name.as_deref().unwrap_or_default();
    let node = dag.node(task).ok_or_else(|| dead(Code::DagTaskNotFound, task))?;
    let output = node.output(name).ok_or_else(|| dead(Code::DagOutputNotFound, format!("{task}: {name}")))?;
    let targets = targets(dag, output, envelope.files(), tag(envelope));
    if targets.is_empty() {
        return Err(dead(Code::RoutingNoTarget, format!("{task}: {name}")));
    }
    let has = |agent: &&Id| known.log.has(&envelope.message_id, out.sha256, agent);
    if targets.iter().all(has) {
        return Ok(delivered(out, envelope, known));
    }
    // All of them before any gets it: who is not there now would never get it.
    if let Some(missing) = targets.iter().find(|agent| !known.agents.contains(**agent)) {
        return Err(dead(Code::TargetAgentNotFound, missing));
    }
    let content = content(envelope);
    let none = Versions::default();
    let mut routes = Vec::new();
    for agent in targets {
        if has(&agent) {
            routes.push((agent.clone(), TargetRoute::Done));
            continue;
        }
        let key = (task.to_owned(), name.to_owned(), agent.clone());
        let earlier = known.log.versions.get(&key).unwrap_or(&none);
        let route = match version(output, content, tag(envelope), earlier) {
            VersionDecision::Deliver => to(out, envelope, agent, None, known),
            VersionDecision::Replace(replaced) => to(out, envelope, agent, Some(replaced), known),
            VersionDecision::Duplicate(of) => TargetRoute::Same(of),
            VersionDecision::Reject(of) => {
                return Err(dead(
                    Code::InputConflict,
                    format!("{task}: {name} is another content than {of}"),
                ));
            }
            VersionDecision::BadTag(tag) => {
                let tag = tag.unwrap_or_default();
                return Err(dead(Code::InputConflict, format!("{task}: {name} has no version: '{tag}'")));
            }
        };
        routes.push((agent.clone(), route));
    }
    let is_nothing_new = |route: &TargetRoute| matches!(route, TargetRoute::Done | TargetRoute::Same(_));
    if routes.iter().all(|(_, route)| is_nothing_new(route)) {
        let same = routes.iter().find_map(|(_, route)| match route {
            TargetRoute::Same(of) => Some(of.clone()),
            _ => None,
        });
        return Ok(match same.filter(|_| !known.log.said.contains(&out.source())) {
            Some(of) => Decision::Duplicate { of, by_content: true },
            None => Decision::Settled,
        });
    }
    for file in envelope.files() {
        let about = |code, detail| Err(DeadLetterReason { code, detail, file: Some(file.path.to_string()) });
        match (out.payload)(&file.path) {
            PayloadFile::Present(found) if found == file.sha256 => {}
            PayloadFile::Present(found) => {
                return about(Code::PayloadShaMismatch, format!("{found}, not {}", file.sha256));
            }
            PayloadFile::Missing => return about(Code::MissingPayload, file.path.to_string()),
            PayloadFile::Unsafe => return about(Code::UnsafePath, file.path.to_string()),
        }
    }
    Ok(Decision::Deliver(Route { targets: routes, archive: None, warnings: warnings(out, envelope) }))
}

/// The scheme of the names: see the module.
fn to(
    out: &OutgoingMessage<'_>,
    envelope: &Envelope,
    agent: &Id,
    replaces: Option<Id>,
    known: &RoutingState<'_>,
) -> TargetRoute {
    let message = &envelope.message_id;
    let mut name = out.name.to_owned();
    if let Some(inbox) = known.inboxes.get(agent) {
        for file in envelope.files() {
            if let Some(by) = inbox.path_taken(&file.path, message) {
                return TargetRoute::Wait { path: file.path.clone(), taken_by: by.clone() };
            }
        }
        if inbox.name_taken(&name, message) {
            let stem = name.strip_suffix(".msg.json").unwrap_or(&name);
            name = format!("{stem}__{message}.msg.json");
        }
    }
    TargetRoute::Deliver { name, replaces }
}
