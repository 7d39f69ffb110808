//! What becomes of one message (contract/plans §10.2).

use super::{ActiveDag, assignee, targets};
use crate::dag::{Content, VersionDecision, Versions, reexecutions, version};
use model::agent::{
    Code, DeadActions, DeadLetter, DeadOriginal, DeadReason, DeliveredFile, DeliveredPayload, Delivery,
    DeliveryError, DeliveryStatus, Envelope, Extra, FormatError, Id, MessageType, PayloadPath, Recipient,
    SchemaVersion, Sha256, SuggestedNext, Text, Timestamp,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Where a line of the log names the file of a message.
const FILE_NAME: &str = "file_name";
/// Where a line of the log names the DAG by which it was decided.
const DAG: &str = "dag_sha256";
const DUPLICATE: &str = "DUPLICATE_MESSAGE_ID_AND_SHA256";
const SAME_CONTENT: &str = "DUPLICATE_IDEMPOTENCY_KEY_AND_SHA256";
const SUPERSEDED: &str = "SUPERSEDED_BY_NEWER_COMMAND";

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

/// A message, its hash, its outbox and its file.
type Source = (String, String, String, String);

/// The contents of `deliveries.jsonl`. Of old lines, only those that were read again are known: see [`forget`](Self::forget).
#[derive(Debug, Clone, Default)]
pub struct DeliveryLog {
    /// By message: the hashes under which it was delivered, and to whom.
    delivered: BTreeMap<String, Vec<(Sha256, Id)>>,
    said: BTreeSet<Source>,
    given_up: BTreeMap<Source, String>,
    versions: BTreeMap<(String, String, Id), Versions>,
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
    fn is_delivered(&self, message_id: &str, sha256: &Sha256) -> bool {
        self.delivered_as(message_id).iter().any(|(of, _)| of == sha256)
    }

    /// Whether the id was delivered with another content.
    fn is_reused(&self, message_id: &str, sha256: &Sha256) -> bool {
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

/// Returns the lines that a decision leaves in the log: of a delivery, one for each target that gets it, written when it
/// has it. `ids` gives each its id.
pub fn lines(
    out: &OutgoingMessage<'_>,
    decision: &Decision,
    active: &ActiveDag,
    now: &Timestamp,
    ids: &mut dyn FnMut(&str) -> Id,
) -> Vec<Delivery> {
    let mut line = |to: Recipient, status| line(out, active, to, status, now, ids("del"));
    match decision {
        Decision::Deliver(route) => {
            let delivered = route.targets.iter().filter_map(|(agent, target)| match target {
                TargetRoute::Deliver { replaces, .. } => Some((agent, replaces)),
                _ => None,
            });
            let lines = delivered.map(|(agent, replaces)| {
                let mut line = line(Recipient::from(agent.clone()), DeliveryStatus::Delivered);
                if let Some(replaced) = replaces {
                    line.extra.insert("replaces_message_id".to_owned(), json!(replaced));
                }
                line
            });
            lines.collect()
        }
        Decision::Duplicate { of, by_content } => {
            let mut line = line(Recipient::nobody(), DeliveryStatus::SkippedDuplicate);
            line.skip_reason = Some((if *by_content { SAME_CONTENT } else { DUPLICATE }).to_owned());
            if *by_content {
                line.extra.insert("duplicate_of_message_id".to_owned(), json!(of));
            }
            vec![line]
        }
        Decision::Superseded(Supersession { by, .. }) => {
            let mut line = line(Recipient::nobody(), DeliveryStatus::SkippedSuperseded);
            line.skip_reason = Some(SUPERSEDED.to_owned());
            line.superseded = Some(true);
            line.superseded_by_message_id = Some(by.message_id.to_string());
            line.superseded_by_command_id = Some(by.command_id.to_string());
            line.superseded_by_command_seq = Some(by.seq);
            vec![line]
        }
        Decision::DeadLetter(dead) => {
            let mut line = line(Recipient::nobody(), DeliveryStatus::Deadlettered);
            line.error = Some(DeliveryError {
                code: Some(dead.code.name().to_owned()),
                message: Some(dead.detail.clone()),
                file: dead.file.clone().or_else(|| Some(out.name.to_owned())),
                extra: Extra::new(),
            });
            vec![line]
        }
        Decision::Held | Decision::Settled | Decision::GivenUp => Vec::new(),
    }
}

fn line(
    out: &OutgoingMessage<'_>,
    active: &ActiveDag,
    to_agent_id: Recipient,
    status: DeliveryStatus,
    now: &Timestamp,
    delivery_id: Id,
) -> Delivery {
    let envelope = out.envelope.ok();
    let text = |id: Option<&Id>| id.map(ToString::to_string);
    let files = envelope.map(Envelope::files).unwrap_or_default().iter().filter_map(|file| {
        let (path, sha256) = (file.path.parse().ok()?, file.sha256.into());
        Some(DeliveredFile { path, sha256, extra: Extra::new() })
    });
    let mut extra = Extra::new();
    extra.insert(FILE_NAME.to_owned(), json!(out.name));
    extra.insert(DAG.to_owned(), json!(active.sha256));
    if let Some(subtype) = envelope.and_then(|envelope| envelope.subtype.as_ref()) {
        extra.insert("subtype".to_owned(), json!(subtype));
    }
    if let Some(tag) = envelope.and_then(tag) {
        extra.insert("tag".to_owned(), json!(tag));
    }
    Delivery {
        schema_version: SchemaVersion::CURRENT,
        delivery_id,
        plan_id: out.plan_id.clone(),
        message_id: said(out.message_id()),
        envelope_sha256: Some((*out.sha256).into()),
        task_id: text(envelope.and_then(|envelope| envelope.task_id.as_ref())),
        command_id: text(envelope.and_then(|envelope| envelope.command_id.as_ref())),
        output_name: text(envelope.and_then(|envelope| envelope.output_name.as_ref())),
        from_agent_id: out.owner.clone(),
        to_agent_id,
        delivered_at: now.clone(),
        status,
        payload: Some(DeliveredPayload { files: Some(files.collect()), extra: Extra::new() }),
        skip_reason: None,
        superseded: None,
        superseded_by_message_id: None,
        superseded_by_command_id: None,
        superseded_by_command_seq: None,
        error: None,
        extra,
    }
}

/// A text that says something: a name of blanks says nothing.
fn said(text: &str) -> Text {
    let shown = || text.escape_debug().to_string().parse().ok();
    text.parse().ok().or_else(shown).unwrap_or_else(|| Text::from(Code::EnvelopeInvalid))
}

/// Returns what is filed of a message that is given up.
pub fn dead_letter(
    out: &OutgoingMessage<'_>,
    dead: &DeadLetterReason,
    now: &Timestamp,
    deadletter_id: Id,
) -> DeadLetter {
    let is_retriable = matches!(
        dead.code,
        Code::RoutingNoTarget
            | Code::TargetAgentNotFound
            | Code::MissingPayload
            | Code::DagTaskNotFound
            | Code::DagOutputNotFound
            | Code::UnhandledException
    );
    let next = if is_retriable { SuggestedNext::ManualReplay } else { SuggestedNext::Alert };
    DeadLetter {
        schema_version: SchemaVersion::CURRENT,
        plan_id: out.plan_id.clone(),
        deadletter_id,
        created_at: now.clone(),
        reason: DeadReason { code: Text::from(dead.code), message: said(&dead.detail), extra: Extra::new() },
        original: DeadOriginal {
            file_name: said(out.name),
            message_id: Some(out.message_id().to_owned()),
            producer_agent_id: Some(out.owner.to_string()),
            extra: Extra::new(),
        },
        actions: Some(DeadActions {
            retriable: Some(is_retriable),
            suggested_next: Some(next),
            extra: Extra::new(),
        }),
        extra: Extra::new(),
    }
}
