//! What is to become of each file: everything is read, checked and made first, and then applied as one.

mod location;
mod part;

use self::location::{missing_folders, resolve};
use self::part::{Part, stranger};
use crate::agent::{Agent, Places, Scope, is_woken};
use crate::error::{Refusal, RefusalReason, SetupError};
use crate::hook::{Element, hooks};
use crate::later_changes::{LaterChange, changes};
use crate::permission::{self, permissions, policy_file};
use crate::record::{Record, Records};
use crate::texts;
use files::together::{self, Edit, FileLocation, FileSnapshot, NotApplied};
use similar::TextDiff;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// How large a file may be that is changed, in bytes.
const LIMIT: u64 = 16 << 20;
const BOM: &str = "\u{feff}";

/// What is asked for.
#[derive(Debug, Clone)]
pub struct Request {
    /// Whose configuration.
    pub scope: Scope,
    /// Which agents.
    pub agents: Vec<Agent>,
    /// What starts aide.
    pub command: String,
    /// Whether agents are to call aide by themselves as well.
    pub with_hooks: bool,
}

/// What becomes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Nothing: it is as it should be.
    Unchanged,
    /// It is new.
    Created,
    /// It gets what is missing.
    Changed,
    /// It loses what is aide's.
    Restored,
    /// It goes.
    Removed,
}

/// A file, and what is to become of it.
#[derive(Debug)]
pub struct PlannedFile {
    /// Where the agent looks for it.
    pub path: PathBuf,
    /// The agents it is for; empty where it is for all.
    pub agents: Vec<Agent>,
    /// What becomes of it.
    pub change: Change,
    /// What was changed in it since aide wrote it, when that is taken out.
    pub since: Vec<LaterChange>,
    spot: FileLocation,
    before: Option<FileSnapshot>,
    after: Option<Vec<u8>>,
    /// The record to keep; `None` keeps none.
    record: Option<Record>,
    /// The folders to remove afterwards, if they are empty.
    folders: Vec<PathBuf>,
    /// Whether there is a record that is of no use afterwards.
    is_forgotten: bool,
}

/// All files.
#[derive(Debug)]
pub struct Plan {
    /// In the order of their agents.
    pub files: Vec<PlannedFile>,
    is_private: bool,
}

/// A file that was changed.
#[derive(Debug)]
pub struct AppliedChange {
    /// Where what was there before is kept.
    pub backup: Option<PathBuf>,
}

struct PlannedPart {
    root: PathBuf,
    file: PathBuf,
    agent: Option<Agent>,
    part: Part,
}

/// A file with all parts that are in it: two names may lead to one file.
struct Group {
    path: PathBuf,
    agents: Vec<Agent>,
    parts: Vec<Part>,
}

/// Plans to set agents up.
///
/// # Errors
///
/// [`SetupError::Refused`] with every file that must not be changed.
pub fn set_up(places: &Places, request: &Request, records: &Records) -> Result<Plan, SetupError> {
    let with_hook = |hook: &Element| request.with_hooks || hook.is_there();
    let wanted = wanted(places, request, records, with_hook, |_, _| true);
    plan(places, request, records, wanted, |spot, group, before, record| {
        let (bom, text) = text_of(before.as_ref())?;
        let mut after = text.to_owned();
        for part in &group.parts {
            after = part.set(&after)?;
        }
        let after = format!("{bom}{after}").into_bytes();
        let is_same = before.as_ref().is_some_and(|seen| seen.bytes == after);
        let change = match &before {
            _ if is_same => Change::Unchanged,
            Some(_) => Change::Changed,
            None => Change::Created,
        };
        let new_folders = missing_folders(spot);
        let record = match record {
            _ if is_same => record,
            // What `--remove` would give now is what it is to give afterwards.
            Some(record) => {
                let now = before.as_ref().map(|seen| seen.bytes.as_slice());
                let original = match now {
                    Some(bytes) if bytes == record.written => record.original,
                    Some(_) => taken_out(&group.parts, before.as_ref(), Some(&record))?.0,
                    None => None,
                };
                let folders = if record.folders.is_empty() { new_folders } else { record.folders };
                Some(Record { original, written: after.clone(), folders })
            }
            None => {
                let original = before.as_ref().map(|seen| seen.bytes.clone());
                Some(Record { original, written: after.clone(), folders: new_folders })
            }
        };
        Ok(Outcome {
            change,
            after: Some(after),
            record,
            since: Vec::new(),
            folders: Vec::new(),
            is_forgotten: false,
        })
    })
}

/// Plans to take out what is aide's.
///
/// # Errors
///
/// As [`set_up`].
pub fn take_out(places: &Places, request: &Request, records: &Records) -> Result<Plan, SetupError> {
    let is_known = |root: &Path, file: &Path| {
        let spot = resolve(places, request.scope, root, file);
        spot.is_ok_and(|spot| records.load(&spot.path()).is_ok_and(|record| record.is_some()))
    };
    // Whether hooks were wanted, the files say. Permissions are those of `aide setup` alone.
    let with_hook = |hook: &Element| hook.is_there() || is_known(&hook.root, &hook.file);
    let wanted = wanted(places, request, records, with_hook, is_known);
    plan(places, request, records, wanted, |_, group, before, record| {
        let (after, since) = taken_out(&group.parts, before.as_ref(), record.as_ref())?;
        let change = match (&before, &after) {
            (None, _) => Change::Unchanged,
            (Some(_), None) => Change::Removed,
            (Some(seen), Some(after)) if seen.bytes == *after => Change::Unchanged,
            (Some(_), Some(_)) => Change::Restored,
        };
        let is_forgotten = record.is_some();
        let folders = match after {
            None => record.map(|record| record.folders).unwrap_or_default(),
            Some(_) => Vec::new(),
        };
        Ok(Outcome { change, after, record: None, since, folders, is_forgotten })
    })
}

struct Outcome {
    change: Change,
    after: Option<Vec<u8>>,
    record: Option<Record>,
    since: Vec<LaterChange>,
    folders: Vec<PathBuf>,
    is_forgotten: bool,
}

fn plan(
    places: &Places,
    request: &Request,
    records: &Records,
    wanted: Vec<PlannedPart>,
    outcome: impl Fn(
        &FileLocation,
        &Group,
        &Option<FileSnapshot>,
        Option<Record>,
    ) -> Result<Outcome, RefusalReason>,
) -> Result<Plan, SetupError> {
    let mut refused = Vec::new();
    let mut groups: Vec<(FileLocation, Group)> = Vec::new();
    let mut known: BTreeMap<FileLocation, usize> = BTreeMap::new();
    for PlannedPart { root, file, agent, part } in wanted {
        let spot = match resolve(places, request.scope, &root, &file) {
            Ok(spot) => spot,
            Err(why) => {
                // Several parts may be meant for it.
                if refused.iter().all(|known: &Refusal| known.path != file) {
                    refused.push(Refusal { path: file, why });
                }
                continue;
            }
        };
        let index = *known.entry(spot.clone()).or_insert_with(|| {
            groups.push((spot, Group { path: file, agents: Vec::new(), parts: Vec::new() }));
            groups.len() - 1
        });
        let Some((_, group)) = groups.get_mut(index) else { continue };
        group.agents.extend(agent.filter(|agent| !group.agents.contains(agent)));
        // CLAUDE.md may be a link to AGENTS.md, which needs no import of itself.
        if !(matches!(part, Part::Block(_)) && group.parts.iter().any(|part| matches!(part, Part::Block(_))))
        {
            group.parts.push(part);
        }
    }
    let mut files = Vec::new();
    for (spot, group) in groups {
        let planned = (|| {
            let before = together::look(&spot, LIMIT).map_err(RefusalReason::File)?;
            let record = records.load(&spot.path()).map_err(RefusalReason::File)?;
            let outcome = outcome(&spot, &group, &before, record)?;
            Ok((before, outcome))
        })();
        match planned {
            Ok((before, Outcome { change, after, record, since, folders, is_forgotten })) => {
                let Group { path, agents, .. } = group;
                files.push(PlannedFile {
                    path,
                    agents,
                    change,
                    since,
                    spot,
                    before,
                    after,
                    record,
                    folders,
                    is_forgotten,
                });
            }
            Err(why) => refused.push(Refusal { path: group.path, why }),
        }
    }
    if !refused.is_empty() {
        return Err(SetupError::Refused(refused));
    }
    Ok(Plan { files, is_private: request.scope == Scope::User })
}

impl Plan {
    /// Whether any file is to change.
    pub fn is_empty(&self) -> bool {
        self.files.iter().all(|file| file.change == Change::Unchanged)
    }

    /// All changes as a unified diff.
    pub fn diff(&self) -> String {
        self.diff_of(self.files.iter())
    }

    /// The new files that get the same content as another new one before them: the path of each, and that of the other.
    pub fn doubles(&self) -> Vec<(&Path, &Path)> {
        let mut first = BTreeMap::new();
        let mut doubles = Vec::new();
        for file in self.files.iter().filter(|file| file.before.is_none() && file.change == Change::Created) {
            let other = *first.entry(file.after.as_deref()).or_insert(&*file.path);
            if other != file.path {
                doubles.push((&*file.path, other));
            }
        }
        doubles
    }

    /// The same as [`Self::diff`] without the new files whose content is shown for another one.
    pub fn short_diff(&self) -> String {
        let doubles: Vec<&Path> = self.doubles().into_iter().map(|(path, _)| path).collect();
        self.diff_of(self.files.iter().filter(|file| !doubles.contains(&&*file.path)))
    }

    fn diff_of<'f>(&self, files: impl Iterator<Item = &'f PlannedFile>) -> String {
        let mut text = String::new();
        for file in files.filter(|file| file.change != Change::Unchanged) {
            let of = |bytes: Option<&[u8]>| String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned();
            let before = of(file.before.as_ref().map(|seen| seen.bytes.as_slice()));
            let after = of(file.after.as_deref());
            let path = file.path.display().to_string();
            let nothing = "/dev/null".to_owned();
            let (old, new) = match (&file.before, &file.after) {
                (None, _) => (nothing, path),
                (_, None) => (path, nothing),
                _ => (path.clone(), path),
            };
            let diff = TextDiff::from_lines(before.as_str(), after.as_str());
            text += &diff.unified_diff().context_radius(3).header(&old, &new).to_string();
        }
        text
    }

    /// Changes all files, or none. Returns one entry for each of [`Plan::files`].
    ///
    /// # Errors
    ///
    /// [`SetupError::NotApplied`] when a file has changed since the plan was made, and whatever the disk says.
    pub fn apply(&self, records: &Records) -> Result<Vec<AppliedChange>, SetupError> {
        let is_touched = |file: &&PlannedFile| file.change != Change::Unchanged;
        let is_left = |file: &PlannedFile| file.is_forgotten || together::has_leftovers(&file.spot);
        if self.is_empty() && !self.files.iter().any(is_left) {
            return Ok(self.files.iter().map(|_| AppliedChange { backup: None }).collect());
        }
        let open = records.open()?;
        for file in &self.files {
            together::sweep(&file.spot)?;
        }
        let mut applied = Vec::new();
        let mut former = Vec::new();
        for file in &self.files {
            let path = file.spot.path();
            let mut backup = None;
            if is_touched(&file) {
                former.push((path.clone(), open.load(&path)?));
                if let Some(seen) = &file.before {
                    backup = Some(open.back_up(&path, &seen.bytes)?);
                }
            }
            applied.push(AppliedChange { backup });
        }
        // Before the files: whatever is killed afterwards, it is known what was there.
        for file in self.files.iter().filter(is_touched).filter(|file| file.record.is_some()) {
            open.save(&file.spot.path(), file.record.as_ref())?;
        }
        let edits = self.files.iter().filter(is_touched).map(|file| Edit {
            spot: file.spot.clone(),
            before: file.before.clone(),
            after: file.after.clone(),
            is_private: self.is_private,
        });
        if let Err(NotApplied { error, left }) = together::apply(&edits.collect::<Vec<_>>()) {
            for (path, record) in former {
                // That the files could not be changed says more.
                let _ = open.save(&path, record.as_ref());
            }
            return Err(SetupError::NotApplied { error, left });
        }
        for file in self.files.iter().filter(|file| file.is_forgotten) {
            // Before the record, which says that these folders are to go.
            for folder in file.folders.iter().rev() {
                together::remove_empty_folder(folder);
            }
            open.save(&file.spot.path(), None)?;
        }
        Ok(applied)
    }
}

/// The parts that belong to the agents.
fn wanted(
    places: &Places,
    request: &Request,
    records: &Records,
    with_hook: impl Fn(&Element) -> bool,
    with_permission: impl Fn(&Path, &Path) -> bool,
) -> Vec<PlannedPart> {
    let Places { home, project, .. } = places;
    let base = if request.scope == Scope::User { home } else { project };
    let mut found: Vec<(Agent, Element)> = Vec::new();
    for agent in &request.agents {
        let of_agent = hooks(*agent, places, request.scope, &request.command).into_iter().map(|hook| {
            let spot = resolve(places, request.scope, &hook.root, &hook.file).ok();
            // One that cannot be read is refused later.
            let record = spot.and_then(|spot| records.load(&spot.path()).ok().flatten());
            let former = record.map(|record| hook.programs_in(&record)).unwrap_or_default();
            Element { former, ..hook }
        });
        found.extend(of_agent.filter(&with_hook).map(|hook| (*agent, hook)));
    }
    let is_hooked = |agent: Agent| found.iter().any(|(hooked, _)| *hooked == agent);
    let mut all: Vec<PlannedPart> = request
        .agents
        .iter()
        .map(|agent| {
            let mut found = agent.config_file(places, request.scope, &request.command);
            if *agent == Agent::Claude && is_hooked(Agent::Claude) {
                is_woken(&mut found.entry);
            }
            let part = Part::Entry { format: found.format, entry: found.entry };
            PlannedPart { root: found.root, file: found.file, agent: Some(*agent), part }
        })
        .collect();
    for agent in &request.agents {
        let allowed = permissions(*agent, places, request.scope).into_iter();
        found.extend(
            allowed
                .filter(|allowed| with_permission(&allowed.root, &allowed.file))
                .map(|allowed| (*agent, allowed)),
        );
        let policy = policy_file(*agent, places, request.scope);
        all.extend(policy.filter(|file| with_permission(base, file)).map(|file| {
            let part = Part::Whole(permission::GEMINI);
            PlannedPart { root: base.clone(), file, agent: Some(*agent), part }
        }));
    }
    all.extend(found.into_iter().map(|(agent, element)| PlannedPart {
        root: element.root.clone(),
        file: element.file.clone(),
        agent: Some(agent),
        part: Part::Element(element),
    }));
    let mut shared = |root: &Path, file: PathBuf, part| {
        all.push(PlannedPart { root: root.to_owned(), file, agent: None, part });
    };
    const SKILL: &str = "skills/aide/SKILL.md";
    shared(base, base.join(".agents").join(SKILL), Part::Whole(texts::SKILL));
    match &places.claude {
        Some(folder) if request.scope == Scope::User => {
            shared(folder, folder.join(SKILL), Part::Whole(texts::SKILL));
        }
        _ => shared(base, base.join(".claude").join(SKILL), Part::Whole(texts::SKILL)),
    }
    if request.scope == Scope::Project {
        shared(project, project.join("AGENTS.md"), Part::Block(texts::INSTRUCTIONS));
        if request.agents.contains(&Agent::Claude) {
            shared(project, project.join("CLAUDE.md"), Part::Block(texts::IMPORT));
        }
    }
    all
}

/// The agents of `agents` that are set up already.
pub fn those_set_up(places: &Places, scope: Scope, agents: &[Agent]) -> Vec<Agent> {
    let is_set_up = |agent: &Agent| {
        let found = agent.config_file(places, scope, "aide");
        let text = fs::read_to_string(&found.file).unwrap_or_default();
        let text = text.strip_prefix(BOM).unwrap_or(&text);
        found.format.get(text).is_some_and(|entry| stranger(&entry, &found.entry).is_none())
    };
    agents.iter().copied().filter(is_set_up).collect()
}

/// Plans to take out what those named have for themselves, when others go on using what is shared.
///
/// # Errors
///
/// As [`set_up`].
pub fn take_out_own(places: &Places, request: &Request, records: &Records) -> Result<Plan, SetupError> {
    let mut plan = take_out(places, request, records)?;
    let is_import = |file: &PlannedFile| file.path.ends_with("CLAUDE.md");
    plan.files.retain(|file| !file.agents.is_empty() || is_import(file));
    Ok(plan)
}

fn text_of(seen: Option<&FileSnapshot>) -> Result<(&str, &str), RefusalReason> {
    let Some(seen) = seen else { return Ok(("", "")) };
    let text = str::from_utf8(&seen.bytes).map_err(|_| RefusalReason::NotText)?;
    Ok(text.strip_prefix(BOM).map_or(("", text), |text| (BOM, text)))
}

/// A file without what is aide's, and what was changed in it since. `None` when nothing is left.
fn taken_out(
    parts: &[Part],
    before: Option<&FileSnapshot>,
    record: Option<&Record>,
) -> Result<(Option<Vec<u8>>, Vec<LaterChange>), RefusalReason> {
    let Some(seen) = before else { return Ok((None, Vec::new())) };
    if let Some(record) = record {
        if seen.bytes == record.written {
            return Ok((record.original.clone(), Vec::new()));
        }
        if record.original.as_ref() == Some(&seen.bytes) {
            return Ok((record.original.clone(), Vec::new()));
        }
    }
    let (bom, text) = text_of(before)?;
    let original = record.map(|record| {
        let text = record.original.as_deref().map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        text.map(|text| text.strip_prefix(BOM).map(str::to_owned).unwrap_or(text))
    });
    let mut after = Some(text.to_owned());
    for part in parts.iter().rev() {
        let Some(text) = after else { break };
        after = part.remove(&text, original.as_ref().map(Option::as_deref))?;
    }
    let since = match record {
        Some(record) => {
            let written = String::from_utf8_lossy(&record.written);
            changes(
                |text| parts.iter().find_map(|part| part.read(text)),
                written.trim_start_matches(BOM),
                text,
            )
        }
        None => Vec::new(),
    };
    // Nothing was there, and nothing is in it.
    let is_void =
        |text: &String| matches!(&original, Some(None)) && parts.iter().all(|part| part.is_void(text));
    let after = after.filter(|text| !is_void(text));
    Ok((after.map(|text| format!("{bom}{text}").into_bytes()), since))
}
