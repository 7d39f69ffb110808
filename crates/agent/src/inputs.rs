//! Which files the inputs of a command are (contract/plans §7). The inbox itself is never searched.

use crate::folder::{PlanFolder, walk};
use crate::hash::{self, Hasher};
use crate::human::answer_name;
use crate::pattern::Pattern;
use files::{Dir, FileError, FileType};
use protocol::agent::{
    Command, Extra, Id, IndexedFile, InputEntry, NeededFile, PayloadPath, RelPath, Sha256,
};
use serde_json::{Value, json};
use std::collections::HashSet;

/// The task whose files a person has provided: they are wanted more than any other's.
pub(crate) const PERSON: &str = "human_gateway";
const INDEX: &str = "input_index.json";
/// Below what a prompt names the files that the task has made before.
pub(crate) const FORMER: &str = "former_result";

/// How much of the inputs a prompt has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InlineLimits {
    /// Of one file, in bytes.
    pub file: usize,
    /// Of all together.
    pub total: usize,
}

impl Default for InlineLimits {
    fn default() -> Self {
        Self { file: 256 << 10, total: 1 << 20 }
    }
}

/// An input that a command asks for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RequestedInput {
    pub(crate) required: bool,
    /// Any of these will do; the first one first.
    pub(crate) alternatives: Vec<RelPath>,
    pub(crate) description: String,
    pub(crate) sensitivity: String,
}

/// An input that is not there.
#[derive(Debug, Clone, PartialEq)]
pub struct MissingInput {
    /// What it is called, or a pattern of that.
    pub name: RelPath,
    /// What it is.
    pub description: String,
    /// How secret it is.
    pub sensitivity: String,
}

/// Several files of one name, of different tasks and with different contents.
#[derive(Debug, Clone, PartialEq)]
pub struct AmbiguousInput {
    /// The name.
    pub name: RelPath,
    /// The tasks that have made them.
    pub tasks: Vec<Id>,
}

/// A file that is an input.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct InputFile {
    pub(crate) path: RelPath,
    /// From the plan's workspace.
    place: Vec<String>,
    pub(crate) message_id: Option<Id>,
}

/// What became of what a command asks for.
#[derive(Debug, Default)]
pub(crate) struct Resolution {
    pub(crate) found: Vec<InputFile>,
    pub(crate) missing: Vec<MissingInput>,
    pub(crate) ambiguous: Vec<AmbiguousInput>,
}

/// An input with the content that a prompt has of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LoadedInput {
    pub(crate) path: RelPath,
    pub(crate) sha256: Sha256,
    pub(crate) size: u64,
    pub(crate) message_id: Option<Id>,
    /// Its text.
    pub(crate) text: Result<String, NotInlined>,
    /// Whether it is what the task has made before.
    pub(crate) is_former: bool,
}

/// Why a prompt does not have a file's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotInlined {
    Binary,
    TooLarge,
}

impl InputFile {
    /// What a person has answered to a request, as it was filed.
    pub(crate) fn answer(request_id: &Id) -> Option<Self> {
        let name = answer_name(request_id);
        let place = ["inputs", PERSON, request_id.as_str(), &name].map(str::to_owned).to_vec();
        Some(Self { path: name.parse().ok()?, place, message_id: None })
    }
}

impl MissingInput {
    /// As a person is asked for it.
    pub(crate) fn needed(&self, by: &Id) -> NeededFile {
        NeededFile {
            name: self.name.clone(),
            description: Some(self.description.clone()),
            sensitivity: Some(self.sensitivity.clone()),
            deliver_to_agent_id: Some(by.clone()),
            extra: Extra::new(),
        }
    }

    /// As the state of a task has it.
    pub(crate) fn to_value(&self) -> Value {
        json!({ "name": self.name, "description": self.description, "sensitivity": self.sensitivity })
    }
}

/// What `command` asks for: `resolved_inputs` if it has them, even none, else `required_inputs`.
pub(crate) fn wanted(command: &Command) -> Vec<RequestedInput> {
    match &command.resolved_inputs {
        Some(resolved) => resolved
            .iter()
            .map(|input| RequestedInput {
                required: input.required,
                alternatives: input.paths.to_vec(),
                description: input
                    .description
                    .clone()
                    .unwrap_or_else(|| format!("Required input: {}", input.input_name)),
                sensitivity: input.sensitivity.clone().unwrap_or_else(|| "UNKNOWN".to_owned()),
            })
            .collect(),
        None => command
            .required_inputs
            .iter()
            .map(|path| RequestedInput {
                required: true,
                alternatives: vec![path.clone()],
                description: "Required input file".to_owned(),
                sensitivity: "UNKNOWN".to_owned(),
            })
            .collect(),
    }
}

/// Looks for what `command` asks for.
///
/// # Errors
///
/// Whatever the disk says. What is no regular file, or lies behind a symlink, is not there.
pub(crate) fn resolve(plan: &PlanFolder<'_>, command: &Command) -> Result<Resolution, FileError> {
    let index = plan.index()?;
    let entries = index.map(|index| index.entries).unwrap_or_default();
    let task = plan.workspace.folder_at(["tasks", command.task_id.as_str()])?;
    let places = Places { plan, entries: &entries, task: task.is_some().then_some(&command.task_id) };
    let mut resolution = Resolution::default();
    let mut seen = HashSet::new();
    for wanted in wanted(command) {
        let mut matches = Matches::None;
        for path in &wanted.alternatives {
            matches = places.look_for(path)?;
            if !matches!(matches, Matches::None) {
                break;
            }
        }
        match matches {
            Matches::Files(files) => {
                resolution.found.extend(files.into_iter().filter(|file| seen.insert(file.place.clone())));
            }
            Matches::Ambiguous(ambiguous) => resolution.ambiguous.push(ambiguous),
            Matches::None if wanted.required => {
                if let Some(name) = wanted.alternatives.into_iter().next() {
                    let RequestedInput { description, sensitivity, .. } = wanted;
                    resolution.missing.push(MissingInput { name, description, sensitivity });
                }
            }
            Matches::None => {}
        }
    }
    Ok(resolution)
}

enum Matches {
    None,
    Files(Vec<InputFile>),
    Ambiguous(AmbiguousInput),
}

/// Where inputs are looked for.
struct Places<'p> {
    plan: &'p PlanFolder<'p>,
    entries: &'p [InputEntry],
    /// If it has a folder.
    task: Option<&'p Id>,
}

/// A file of the index, of the newest message of its task.
struct Candidate<'p> {
    entry: &'p InputEntry,
    file: &'p IndexedFile,
    place: Vec<String>,
}

impl<'p> Places<'p> {
    /// A name that is there wins over the pattern that it would be.
    fn look_for(&self, path: &RelPath) -> Result<Matches, FileError> {
        let literal = self.literal(path)?;
        if !matches!(literal, Matches::None) {
            return Ok(literal);
        }
        match Pattern::of_name(path) {
            Some(pattern) => self.matching(&pattern),
            None => Ok(Matches::None),
        }
    }

    /// In their order: the index, the folder of the inputs, the folder of the task.
    fn literal(&self, path: &RelPath) -> Result<Matches, FileError> {
        let mut candidates = self.newest(|file| file.path == *path)?;
        if let Some(person) = candidates.iter().position(|found| found.entry.task_id == *PERSON) {
            candidates = vec![candidates.swap_remove(person)];
        }
        let differ = candidates.windows(2).any(|pair| pair[0].file.sha256 != pair[1].file.sha256);
        if differ {
            let tasks = candidates.iter().map(|found| found.entry.task_id.clone()).collect();
            return Ok(Matches::Ambiguous(AmbiguousInput { name: path.clone(), tasks }));
        }
        if let Some(found) = candidates.pop() {
            return Ok(Matches::Files(vec![found.into_found()]));
        }
        let way: Vec<String> = path.components().map(str::to_owned).collect();
        let roots = [vec!["inputs".to_owned()], self.task_way()];
        for root in roots.into_iter().filter(|root| !root.is_empty()) {
            let place: Vec<String> = root.iter().chain(&way).cloned().collect();
            let is_index = place == ["inputs", INDEX];
            if !is_index && is_file(&self.plan.workspace, &place)? {
                let message_id = self.message_at(&place);
                return Ok(Matches::Files(vec![InputFile { path: path.clone(), place, message_id }]));
            }
        }
        Ok(Matches::None)
    }

    fn matching(&self, pattern: &Pattern) -> Result<Matches, FileError> {
        let mut found: Vec<InputFile> =
            self.newest(|file| pattern.fits(&file.path))?.into_iter().map(Candidate::into_found).collect();
        let indexed: HashSet<Vec<String>> = self
            .entries
            .iter()
            .flat_map(|entry| &entry.files)
            .filter_map(|file| self.place_of(file))
            .collect();
        for root in [vec!["inputs".to_owned()], self.task_way()] {
            let names: Vec<&str> = root.iter().map(String::as_str).collect();
            let folder = if names.is_empty() { None } else { self.plan.workspace.folder_at(names)? };
            let Some(folder) = folder else { continue };
            for way in walk(&folder)? {
                let place: Vec<String> = root.iter().chain(&way).cloned().collect();
                let Ok(path) = way.join("/").parse::<RelPath>() else { continue };
                if pattern.fits(&path) && !indexed.contains(&place) && place != ["inputs", INDEX] {
                    found.push(InputFile { path, place, message_id: None });
                }
            }
        }
        found.sort_by(|one, other| (&one.path, &one.place).cmp(&(&other.path, &other.place)));
        Ok(if found.is_empty() { Matches::None } else { Matches::Files(found) })
    }

    /// The files of the index that `wanted` picks and that are there: of each task and name, the newest.
    fn newest(&self, wanted: impl Fn(&IndexedFile) -> bool) -> Result<Vec<Candidate<'p>>, FileError> {
        let mut newest: Vec<Candidate<'p>> = Vec::new();
        for entry in self.entries {
            for file in entry.files.iter().filter(|file| wanted(file)) {
                let Some(place) = self.place_of(file) else { continue };
                if !is_file(&self.plan.workspace, &place)? {
                    continue;
                }
                let candidate = Candidate { entry, file, place };
                let same = newest
                    .iter_mut()
                    .find(|other| other.entry.task_id == entry.task_id && other.file.path == file.path);
                match same {
                    // Of two that came at the same time, the last one.
                    Some(other) if other.entry.received_at <= entry.received_at => *other = candidate,
                    Some(_) => {}
                    None => newest.push(candidate),
                }
            }
        }
        Ok(newest)
    }

    /// Where a file of the index lies, from the plan's workspace. Others have written the path as it was given to them.
    fn place_of(&self, file: &IndexedFile) -> Option<Vec<String>> {
        let beginning = format!("workspace/{}/", self.plan.id);
        let stored = file.stored_at.as_str();
        let start = stored.match_indices(&beginning).find_map(|(start, _)| {
            let is_whole = start == 0 || stored[..start].ends_with('/');
            is_whole.then_some(start + beginning.len())
        })?;
        let path: RelPath = stored[start..].parse().ok()?;
        Some(path.components().map(str::to_owned).collect())
    }

    fn message_at(&self, place: &[String]) -> Option<Id> {
        let mut entries = self.entries.iter().rev();
        let entry = entries
            .find(|entry| entry.files.iter().any(|file| self.place_of(file).as_deref() == Some(place)))?;
        Some(entry.message_id.clone())
    }

    fn task_way(&self) -> Vec<String> {
        self.task.map(|task| vec!["tasks".to_owned(), task.to_string()]).unwrap_or_default()
    }
}

impl Candidate<'_> {
    fn into_found(self) -> InputFile {
        let Self { entry, file, place } = self;
        InputFile { path: file.path.clone(), place, message_id: Some(entry.message_id.clone()) }
    }
}

/// The folder that a place lies in, with its name there; `None` when there is none, or something else on the way.
fn folder_of<'n>(root: &Dir, place: &'n [String]) -> Result<Option<(Dir, &'n str)>, FileError> {
    let Some((name, way)) = place.split_last() else { return Ok(None) };
    match root.folder_at(way.iter().map(String::as_str)) {
        Ok(folder) => Ok(folder.map(|folder| (folder, name.as_str()))),
        Err(FileError::Symlink { path } | FileError::NotAFolder { path }) => {
            tracing::warn!(path = %path.display(), "skipped: not a folder");
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

fn is_file(root: &Dir, place: &[String]) -> Result<bool, FileError> {
    match folder_of(root, place)? {
        Some((folder, name)) => Ok(folder.kind(name)? == Some(FileType::RegularFile)),
        None => Ok(false),
    }
}

/// Reads what was found, each file once, in constant memory where it is large.
///
/// # Errors
///
/// Whatever the disk says.
pub(crate) fn load(
    plan: &PlanFolder<'_>,
    found: Vec<InputFile>,
    limits: InlineLimits,
) -> Result<Vec<LoadedInput>, FileError> {
    let mut left = limits.total;
    let mut loaded = Vec::with_capacity(found.len());
    for InputFile { path, place, message_id } in found {
        let Some((folder, name)) = folder_of(&plan.workspace, &place)? else { continue };
        let Some(read) = read(&folder, name, (path, message_id), limits.file.min(left))? else { continue };
        left -= read.text.as_ref().map_or(0, String::len);
        loaded.push(read);
    }
    Ok(loaded)
}

/// Reads a file that the task has made before, as an input; `None` if it has gone. `used` is how much of the inputs the prompt
/// has already, in bytes.
///
/// # Errors
///
/// Whatever the disk says.
pub(crate) fn former(
    (folder, name): (&Dir, &str),
    path: &PayloadPath,
    message_id: &Id,
    used: usize,
    limits: InlineLimits,
) -> Result<Option<LoadedInput>, FileError> {
    let Ok(path) = format!("{FORMER}/{path}").parse() else { return Ok(None) };
    let limit = limits.file.min(limits.total.saturating_sub(used));
    let loaded = read(folder, name, (path, Some(message_id.clone())), limit)?;
    Ok(loaded.map(|loaded| LoadedInput { is_former: true, ..loaded }))
}

fn read(
    folder: &Dir,
    name: &str,
    (path, message_id): (RelPath, Option<Id>),
    limit: usize,
) -> Result<Option<LoadedInput>, FileError> {
    let (mut hasher, mut bytes) = (Hasher::default(), Some(Vec::new()));
    let size = folder.read_in_pieces(name, u64::MAX, |piece| {
        hasher.add(piece);
        if let Some(kept) = &mut bytes {
            kept.extend_from_slice(piece);
            if kept.len() > limit {
                bytes = None;
            }
        }
        Ok::<_, FileError>(())
    })?;
    let Some(size) = size else { return Ok(None) };
    let text = match bytes {
        None => Err(NotInlined::TooLarge),
        Some(bytes) => match String::from_utf8(bytes) {
            Ok(text) if !text.contains('\0') => Ok(text),
            _ => Err(NotInlined::Binary),
        },
    };
    Ok(Some(LoadedInput { path, sha256: hasher.end(), size, message_id, text, is_former: false }))
}

/// For those who look whether a file is the one that they know.
pub(crate) fn same_file(dir: &Dir, name: &str, sha256: &Sha256) -> Result<Option<bool>, FileError> {
    Ok(hash::of_file(dir, name)?.map(|(found, _)| found == *sha256))
}
