//! Selects the inputs of a task from the delivered files (contract/plans §11.1), in the form that its command has.

use crate::pattern::Pattern;
use protocol::agent::{
    Extra, Id, MessageType, Node, NodeInput, NonEmpty, PickPolicy, RelPath, ResolvedInput, Score, Selector,
    SelectorKind, Sha256, Text, Timestamp,
};
use serde_json::json;
use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A file that was delivered to an agent.
#[derive(Debug, Clone, PartialEq)]
pub struct ArrivedFile {
    /// Its message.
    pub message_id: Id,
    /// What the message is.
    pub kind: MessageType,
    /// What the message is in the words of its maker.
    pub subtype: Option<Arc<str>>,
    /// The task that has made it.
    pub task_id: Id,
    /// Which output of the task it is.
    pub output_name: Id,
    /// The command that has made it, if the message says so.
    pub command_id: Option<Id>,
    /// Where it lies in the message.
    pub path: RelPath,
    /// The hash of its bytes.
    pub sha256: Sha256,
    /// When it was delivered, by the log; of several times, the first.
    pub delivered_at: Timestamp,
}

/// All delivered files by receiving agent: each lookup covers the files of one agent.
pub trait Arrivals: std::fmt::Debug {
    /// Returns what an agent got, in the order in which it did.
    fn for_agent(&self, agent: &Id) -> Arc<Vec<ArrivedFile>>;
}

impl Arrivals for BTreeMap<Id, Vec<ArrivedFile>> {
    fn for_agent(&self, agent: &Id) -> Arc<Vec<ArrivedFile>> {
        Arc::new(self.get(agent).cloned().unwrap_or_default())
    }
}

/// The scores that files were given, by their hashes.
pub type Scores = BTreeMap<Sha256, Score>;

/// What the inputs of a task have come to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ResolvedInputs {
    /// For the command, in the order of the inputs.
    pub resolved: Vec<ResolvedInput>,
    /// The required inputs that nothing fits, by their names.
    pub missing: Vec<String>,
    /// The required inputs that several fit, and none more than the others: `INPUT_AMBIGUOUS`.
    pub ambiguous: Vec<Ambiguity>,
}

/// An input that several files fit.
#[derive(Debug, Clone, PartialEq)]
pub struct Ambiguity {
    /// The input.
    pub input_name: String,
    /// Why none of them is taken.
    pub reason: AmbiguityReason,
    /// The messages and paths to choose from.
    pub candidates: Vec<Choice>,
}

/// Something to choose.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Choice {
    /// The message.
    pub message_id: Id,
    /// Its files that fit.
    pub paths: Vec<RelPath>,
}

impl Choice {
    /// Returns the key under which a person chooses it.
    pub fn key(&self) -> String {
        let paths: Vec<&str> = self.paths.iter().map(RelPath::as_str).collect();
        format!("{}:{}", self.message_id, paths.join(","))
    }
}

/// Why none is taken of several that fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AmbiguityReason {
    /// They are equal in what decides.
    Tie,
    /// What decides is not known of all of them.
    MissingData,
}

/// Whether the selector of files fits a path; a pattern may also fit the name alone.
pub(super) fn matches_path(selector: &Selector, path: &str) -> bool {
    let Some(value) = selector.value.as_deref() else { return false };
    match selector.kind {
        SelectorKind::ByFileName => path == value,
        SelectorKind::ByGlob => pattern_fits(value, path),
        SelectorKind::ByOutputName | SelectorKind::ByMessageType => false,
    }
}

/// A name that is there literally is no pattern.
pub(crate) fn pattern_fits(text: &str, path: &str) -> bool {
    path == text || Pattern::new(text).is_some_and(|pattern| pattern.fits(path))
}

fn fits(selector: &Selector, file: &ArrivedFile) -> bool {
    let fits = match selector.kind {
        SelectorKind::ByFileName | SelectorKind::ByGlob => matches_path(selector, &file.path),
        SelectorKind::ByOutputName => selector.value.as_deref() == Some(file.output_name.as_str()),
        SelectorKind::ByMessageType => {
            selector.type_value.as_deref() == Some(file.kind.name())
                && selector.subtype_value.as_deref() == file.subtype.as_deref()
        }
    };
    fits && selector.allowed_hashes.as_ref().is_none_or(|allowed| allowed.contains(&file.sha256))
}

/// One of several that fit: a file, or a message with all its files where messages are selected.
struct Candidate<'a> {
    files: Vec<&'a ArrivedFile>,
}

impl Candidate<'_> {
    fn at(&self) -> &Timestamp {
        &self.files[0].delivered_at
    }

    /// Those of the same content under the same names are one.
    fn content(&self) -> Vec<(&RelPath, &Sha256)> {
        self.files.iter().map(|file| (&file.path, &file.sha256)).collect()
    }

    fn choice(&self) -> Choice {
        let paths = self.files.iter().map(|file| file.path.clone()).collect();
        Choice { message_id: self.files[0].message_id.clone(), paths }
    }
}

fn candidates<'a>(selector: &Selector, arrived: &'a [ArrivedFile]) -> Vec<Candidate<'a>> {
    let mut found: BTreeMap<(&Id, Option<&RelPath>), BTreeMap<&RelPath, &ArrivedFile>> = BTreeMap::new();
    let by_message = matches!(selector.kind, SelectorKind::ByOutputName | SelectorKind::ByMessageType);
    for file in arrived.iter().filter(|file| fits(selector, file)) {
        let key = (&file.message_id, (!by_message).then_some(&file.path));
        let seen = found.entry(key).or_default().entry(&file.path).or_insert(file);
        if file.delivered_at < seen.delivered_at {
            *seen = file;
        }
    }
    found.into_values().map(|files| Candidate { files: files.into_values().collect() }).collect()
}

/// Takes the one that the policy says; `None` if nothing fits.
fn pick<'a>(
    policy: PickPolicy,
    candidates: Vec<Candidate<'a>>,
    scores: &Scores,
    chosen: Option<&str>,
) -> Result<Option<Candidate<'a>>, (AmbiguityReason, Vec<Choice>)> {
    let mut candidates = candidates;
    if let Some(at) = chosen.and_then(|key| candidates.iter().position(|one| one.choice().key() == key)) {
        return Ok(Some(candidates.swap_remove(at)));
    }
    if candidates.len() <= 1 {
        return Ok(candidates.pop());
    }
    let all = |reason, of: &[Candidate<'_>]| Err((reason, of.iter().map(Candidate::choice).collect()));
    let best: Vec<Candidate<'a>> = match policy {
        PickPolicy::LatestByDeliveredAt => {
            let latest = candidates.iter().map(Candidate::at).max().cloned();
            candidates.into_iter().filter(|one| Some(one.at()) == latest.as_ref()).collect()
        }
        PickPolicy::FirstSeen => {
            let first = candidates.iter().map(Candidate::at).min().cloned();
            candidates.into_iter().filter(|one| Some(one.at()) == first.as_ref()).collect()
        }
        // The hashes that are not allowed do not even fit.
        PickPolicy::BySha256 => candidates,
        PickPolicy::HighestScore => {
            let score = |one: &Candidate<'_>| {
                one.files
                    .iter()
                    .filter_map(|file| scores.get(&file.sha256))
                    .map(Score::value)
                    .reduce(f64::max)
            };
            if candidates.iter().any(|one| score(one).is_none()) {
                return all(AmbiguityReason::MissingData, &candidates);
            }
            let highest = candidates.iter().filter_map(score).reduce(f64::max);
            candidates.into_iter().filter(|one| score(one) == highest).collect()
        }
    };
    let contents: BTreeSet<_> = best.iter().map(Candidate::content).collect();
    if contents.len() > 1 {
        return all(AmbiguityReason::Tie, &best);
    }
    // The same bytes under the same name: the first, so that it is always the same one.
    Ok(best.into_iter().min_by(|a, b| a.at().cmp(b.at()).then_with(|| a.choice().cmp(&b.choice()))))
}

/// Returns what the inputs of a task have come to for `agent`, who is to do it. `chosen` has what people have chosen, by the
/// names of the inputs.
pub fn compile_inputs(
    node: &Node,
    agent: &Id,
    arrivals: &dyn Arrivals,
    scores: &Scores,
    chosen: &BTreeMap<String, String>,
) -> ResolvedInputs {
    let mut compiled = ResolvedInputs::default();
    let arrived = LazyCell::new(|| arrivals.for_agent(agent));
    for input in node.inputs.iter().flatten() {
        let fitting = candidates(&input.selector, &arrived);
        match pick(input.pick_policy, fitting, scores, chosen.get(input.name.as_str()).map(String::as_str)) {
            Ok(Some(picked)) => {
                compiled.resolved.extend(picked.files.iter().map(|file| resolved(input, file, &arrived)));
            }
            Ok(None) if input.required => compiled.missing.push(input.name.to_string()),
            Err((reason, candidates)) if input.required => {
                let input_name = input.name.to_string();
                compiled.ambiguous.push(Ambiguity { input_name, reason, candidates });
            }
            // An ambiguous input that is not required is left out.
            Ok(None) | Err(_) => {}
        }
    }
    // Only where nothing else is said (contract/plans §11).
    if node.inputs.is_none() {
        for wanted in node.required_inputs.iter().flatten() {
            let is_there = arrived.iter().any(|file| pattern_fits(wanted, &file.path));
            if !is_there {
                compiled.missing.push(wanted.to_string());
            }
        }
    }
    compiled
}

/// Returns what a task that names no inputs works with: what the tasks in `before` have made and was delivered to `agent`, of
/// each output the latest message.
pub(super) fn delivered(before: &BTreeSet<&str>, agent: &Id, arrivals: &dyn Arrivals) -> Vec<ResolvedInput> {
    let arrived = arrivals.for_agent(agent);
    let of_these = || arrived.iter().filter(|file| before.contains(file.task_id.as_str()));
    let mut latest: BTreeMap<(&Id, &Id), (&Timestamp, &Id)> = BTreeMap::new();
    for file in of_these() {
        let known = latest
            .entry((&file.task_id, &file.output_name))
            .or_insert((&file.delivered_at, &file.message_id));
        // Of two at the same time, the one that the log has last.
        if file.delivered_at >= *known.0 {
            *known = (&file.delivered_at, &file.message_id);
        }
    }
    let mut resolved: Vec<ResolvedInput> = Vec::new();
    for file in of_these() {
        let is_latest = latest
            .get(&(&file.task_id, &file.output_name))
            .is_some_and(|(_, message_id)| **message_id == file.message_id);
        let Ok(name) = file.output_name.as_str().parse() else { continue };
        let one = resolved_as(name, true, file, &arrived);
        if is_latest && !resolved.iter().any(|known| known.paths == one.paths) {
            resolved.push(one);
        }
    }
    resolved
}

fn resolved(input: &NodeInput, file: &ArrivedFile, arrived: &[ArrivedFile]) -> ResolvedInput {
    resolved_as(input.name.clone(), input.required, file, arrived)
}

fn resolved_as(
    input_name: Text,
    required: bool,
    file: &ArrivedFile,
    arrived: &[ArrivedFile],
) -> ResolvedInput {
    let mut extra = Extra::new();
    extra.insert("message_id".to_owned(), json!(file.message_id));
    extra.insert("sha256".to_owned(), json!(file.sha256));
    ResolvedInput {
        input_name,
        required,
        paths: NonEmpty::one(place_of(file, arrived)),
        description: None,
        sensitivity: None,
        extra,
    }
}

/// Where an agent that has got what has `arrived` finds just this file: under its name where nothing else has it, else where it
/// was put away.
pub(super) fn place_of(file: &ArrivedFile, arrived: &[ArrivedFile]) -> RelPath {
    let rivals = || arrived.iter().filter(|other| other.path == file.path);
    if rivals().all(|other| other.sha256 == file.sha256) {
        return file.path.clone();
    }
    let of_output =
        |other: &&ArrivedFile| other.task_id == file.task_id && other.output_name == file.output_name;
    let first = rivals()
        .filter(of_output)
        .min_by(|a, b| a.delivered_at.cmp(&b.delivered_at).then_with(|| a.message_id.cmp(&b.message_id)));
    let place = if first.is_none_or(|first| first.sha256 == file.sha256) {
        format!("{}/{}/{}", file.task_id, file.output_name, file.path)
    } else {
        format!(".versions/{}/{}", file.message_id, file.path)
    };
    place.parse().unwrap_or_else(|_| file.path.clone())
}
