//! `daemon.provider`, `[[daemon.agents]]` and `[daemon.tools]`.

use super::agent::{Problems, not_blank, read};
use crate::error::shorten;
use crate::layer::{Entry, LocatedItem};
use crate::{
    AnsweredBy, ConfigError, ConfigErrorKind, ConfigErrors, CrewAgent, CrewConfig, CrewLimits, Key, Layers,
    SearchBy, forms, keys,
};
use model::is_blank;
use protocol::workflow::{ToolName, ToolPolicy};
use std::ffi::OsStr;
use std::path::PathBuf;

/// What a table of `daemon.agents` may have.
pub(crate) const CREW_MEMBERS: &[&str] = &["id", "name", "type", "capabilities", "provider", "folder"];
/// How well something can be done.
const LEVELS: (i64, i64) = (1, 10);
/// How long an id may be.
const MAX_ID: usize = 128;

impl Layers<'_> {
    /// What is said of those who work on workflows. It is meant for the person's own file alone.
    ///
    /// # Errors
    ///
    /// Whatever is wrong with it, all at once.
    pub fn crew(&self) -> Result<CrewConfig, ConfigErrors> {
        let mut problems = Problems::default();
        let provider = problems.keep(self.text(&keys::DAEMON_PROVIDER)).flatten();
        let provider = provider.filter(|name| !name.is_empty());
        let tables = self.find(&keys::DAEMON_AGENTS);
        let tables = tables.and_then(|found| found.map_or(Ok(Vec::new()), LocatedItem::tables));
        let mut agents: Vec<CrewAgent> = Vec::new();
        for entry in problems.keep(tables).unwrap_or_default() {
            let Some(agent) = read_agent(entry, provider.is_some(), &mut problems) else { continue };
            if agents.iter().any(|other| other.id == agent.id) {
                let name = shorten(&agent.id);
                let error = entry.find("daemon.agents.id");
                problems.found.extend(error.map(|found| found.error(ConfigErrorKind::Repeated { name })));
            }
            agents.push(agent);
        }
        let mut policies = Vec::new();
        for tool in ToolName::ALL.iter().copied() {
            let policy = problems.keep(self.choice(policy_key(tool), ToolPolicy::named)).flatten();
            policies.extend(policy.map(|policy| (tool, policy)));
        }
        let search = self.search(&mut problems);
        let limits = self.limits(&mut problems);
        problems.into_result(CrewConfig { provider, agents, policies, search, limits })
    }

    /// How many agents work at a time, and for how long.
    fn limits(&self, problems: &mut Problems) -> CrewLimits {
        let usual = CrewLimits::default();
        let mut many = |key, usual| problems.keep(self.integer(key)).flatten().unwrap_or(usual);
        CrewLimits {
            total: many(&keys::DAEMON_CONCURRENCY_TOTAL, usual.total),
            executor: many(&keys::DAEMON_CONCURRENCY_EXECUTOR, usual.executor),
            orchestrator: many(&keys::DAEMON_CONCURRENCY_ORCHESTRATOR, usual.orchestrator),
            reviewer: many(&keys::DAEMON_CONCURRENCY_REVIEWER, usual.reviewer),
            tool: many(&keys::DAEMON_CONCURRENCY_TOOL, usual.tool),
            api: many(&keys::DAEMON_CONCURRENCY_API, usual.api),
            database: many(&keys::DAEMON_CONCURRENCY_DATABASE, usual.database),
            task_timeout: problems
                .keep(self.integer(&keys::DAEMON_TASK_TIMEOUT))
                .flatten()
                .unwrap_or(usual.task_timeout),
        }
    }

    /// How to look for something.
    fn search(&self, problems: &mut Problems) -> Option<SearchBy> {
        let command = problems.keep(self.find(&keys::DAEMON_TOOLS_SEARCH_COMMAND)).flatten();
        let command = command.and_then(|found| {
            let words = problems.keep(found.texts())?;
            let is_program = words.first().is_none_or(|program| !is_blank(program));
            problems.keep(if is_program { Ok(()) } else { Err(found.error(ConfigErrorKind::NoProgram)) })?;
            (!words.is_empty()).then_some(words)
        });
        let url = problems.keep(self.find(&keys::DAEMON_TOOLS_SEARCH_URL)).flatten();
        let url = url.and_then(|found| {
            let text = problems.keep(found.text())?;
            let kind = match text {
                "" => return None,
                // It may hold a key: neither is quoted.
                text if !forms::is_link(text) => ConfigErrorKind::NotALink,
                text if !text.contains("{query}") => ConfigErrorKind::NoQuery,
                text if command.is_none() => return Some(text.to_owned()),
                _ => ConfigErrorKind::NotTogether { other: "search_command" },
            };
            problems.found.push(found.error(kind));
            None
        });
        command.map(SearchBy::Command).or(url.map(SearchBy::Url))
    }
}

/// The key of the policy of a tool.
fn policy_key(tool: ToolName) -> &'static Key {
    match tool {
        ToolName::WebSearch => &keys::DAEMON_TOOLS_WEB_SEARCH,
        ToolName::FetchUrl => &keys::DAEMON_TOOLS_FETCH_URL,
        ToolName::ReadFile => &keys::DAEMON_TOOLS_READ_FILE,
        ToolName::WriteFile => &keys::DAEMON_TOOLS_WRITE_FILE,
        ToolName::ShellExec => &keys::DAEMON_TOOLS_SHELL_EXEC,
    }
}

fn read_agent(entry: Entry<'_>, has_provider: bool, problems: &mut Problems) -> Option<CrewAgent> {
    let id = problems.keep(entry.need("daemon.agents.id").and_then(|found| match found.text()? {
        text if is_id(text) => Ok(text.to_owned()),
        text => Err(found.error(ConfigErrorKind::NotAnId { found: shorten(text) })),
    }));
    let name = read(entry, "daemon.agents.name", problems, not_blank);
    let kind = read(entry, "daemon.agents.type", problems, |found| {
        found.choice(CrewAgent::KINDS, |text| CrewAgent::KINDS.iter().find(|kind| **kind == text).copied())
    });
    let capabilities = entry.find("daemon.agents.capabilities");
    let capabilities = capabilities.and_then(|found| read_capabilities(found, problems));
    let provider = read(entry, "daemon.agents.provider", problems, not_blank);
    let folder =
        read(entry, "daemon.agents.folder", problems, |found| match PathBuf::from(not_blank(found)?) {
            path if !path.is_absolute() => Err(found.error(ConfigErrorKind::NotAbsolute)),
            path => match path.file_name().and_then(OsStr::to_str) {
                // The folder's name is the agent's among others, and others lie beside it.
                Some(name)
                    if is_id(name) && path.parent().is_some_and(|agents| agents.parent().is_some()) =>
                {
                    Ok(path)
                }
                name => {
                    let name = shorten(name.unwrap_or_default());
                    Err(found.error(ConfigErrorKind::NotAnId { found: name }))
                }
            },
        });
    match (entry.find("daemon.agents.provider"), entry.find("daemon.agents.folder")) {
        (Some(_), Some(found)) => {
            problems.found.push(found.error(ConfigErrorKind::NotTogether { other: "provider" }));
        }
        // Without either, nothing could answer.
        (None, None) if !has_provider => {
            problems.keep(entry.need("daemon.agents.provider"));
        }
        _ => {}
    }
    let answers = provider.map(AnsweredBy::Provider).or(folder.map(AnsweredBy::Folder));
    Some(CrewAgent { id: id?, name, kind, capabilities, answers })
}

/// A table of names, each with how well, or a list of names.
fn read_capabilities(found: LocatedItem<'_>, problems: &mut Problems) -> Option<Vec<(String, u64)>> {
    let levels: Result<Vec<(String, u64)>, ConfigError> = if let Some(table) = found.item.as_table_like() {
        let level = |(name, item): (&str, _)| {
            let level = LocatedItem { item, ..found }.integer(LEVELS)?;
            Ok((name.to_owned(), level))
        };
        table.iter().map(level).collect()
    } else {
        let names = found.texts().map_err(|_| found.wrong_type("table of integers or array of strings"));
        names.map(|names| names.into_iter().map(|name| (name, CrewAgent::USUAL_LEVEL)).collect())
    };
    let levels = problems.keep(levels)?;
    if levels.iter().any(|(name, _)| is_blank(name)) {
        problems.found.push(found.error(ConfigErrorKind::Blank));
        return None;
    }
    Some(levels)
}

/// Whether a text can stand in a path: letters, digits, `.`, `_` and `-`.
fn is_id(text: &str) -> bool {
    (1..=MAX_ID).contains(&text.len())
        && !text.starts_with('.')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
}
