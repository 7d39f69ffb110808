//! What an agent's configuration says of aide now, and what a program that the agent starts can see of its environment.

use crate::agent::{Agent, Format, Places, Scope, XAUTHORITY};
use crate::hook::{Element, hooks};
use crate::{json, toml};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

/// How large a file may be that is looked at, in bytes.
const LIMIT: u64 = 16 << 20;
/// What Codex hands on to a server, beside what its entry says.
const CODEX: [&str; 10] =
    ["HOME", "LOGNAME", "PATH", "SHELL", "USER", "LANG", "LC_ALL", "TERM", "TMPDIR", "TZ"];
/// Parts of the names that Gemini withholds.
const WITHHELD_BY_GEMINI: [&str; 4] = ["TOKEN", "SECRET", "KEY", "AUTH"];

/// The variables that an entry of `aide setup` may set.
const OWN_VARIABLES: [&str; 2] = ["AIDE_MCP_HOLD", "AIDE_MCP_WAKE"];

/// What was found in the file of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installation {
    /// The file in which the agent has its servers.
    pub path: PathBuf,
    /// What it says.
    pub entry: Entry,
}

/// What a file says of aide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// There is no such file.
    NoFile,
    /// It cannot be read, or the agent could not parse it.
    Unreadable {
        /// Why.
        reason: String,
    },
    /// It has no entry that is called so.
    Missing,
    /// The entry starts nothing that could be aide: it has no program.
    NoProgram,
    /// It has one.
    Found(Box<LaunchCommand>),
}

/// What an entry starts, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchCommand {
    /// The program.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The variables that the entry sets.
    pub variables: BTreeMap<String, String>,
    /// The variables of its own that the agent hands on because the entry says so.
    pub handed_on: Vec<String>,
    /// How long the agent waits for a call; `None` where neither the entry nor the agent says so.
    pub limit: Option<Duration>,
    /// How long a call is held, where the entry says so.
    pub hold: Option<Duration>,
    /// Whether everything that `aide setup` writes is there.
    pub is_current: bool,
}

impl LaunchCommand {
    /// Whether it starts nothing but what `aide setup --project` writes: `aide mcp`, by the name that the user's own path finds,
    /// with no variable beside those of that entry. Anything else in a file of a repository may be a program of others.
    pub fn is_as_written_into_projects(&self) -> bool {
        let is_own = |(name, text): (&String, &String)| {
            OWN_VARIABLES.contains(&name.as_str()) || (name.as_str(), text.as_str()) == XAUTHORITY
        };
        self.program == "aide" && self.arguments == ["mcp"] && self.variables.iter().all(is_own)
    }
}

/// Whether an agent calls `aide hook wake` by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WakeHooks {
    /// It does.
    There,
    /// The file of the hooks lacks one, or is not there.
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The agent could not parse the file.
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The agent has no such hooks.
    Never,
}

impl Agent {
    /// Looks for the hooks that bring this agent the answers: those of the person count in every project. What is missing is
    /// looked for in the files of `scope`.
    pub fn waking(self, places: &Places, scope: Scope) -> WakeHooks {
        let look = |looked: Scope| -> Option<WakeHooks> {
            let hooks = hooks(self, places, looked, "aide").into_iter().filter(Element::wakes);
            let states: Vec<_> = hooks.map(|hook| self.state_of(places, looked, &hook)).collect();
            let is_lacking = |state: &WakeHooks| *state != WakeHooks::There;
            let is_woken = !states.is_empty();
            is_woken.then(|| states.into_iter().find(is_lacking).unwrap_or(WakeHooks::There))
        };
        let Some(own) = look(scope) else { return WakeHooks::Never };
        let other = if scope == Scope::User { Scope::Project } else { Scope::User };
        if look(other) == Some(WakeHooks::There) { WakeHooks::There } else { own }
    }

    fn state_of(self, places: &Places, scope: Scope, hook: &Element) -> WakeHooks {
        // What a person keeps out of git counts as well.
        let local = (self == Self::Claude && scope == Scope::Project)
            .then(|| places.project.join(".claude/settings.local.json"));
        let mut state = WakeHooks::Missing { path: hook.file.clone() };
        for path in local.into_iter().chain([hook.file.clone()]) {
            match hook.is_in(&path) {
                Ok(true) => return WakeHooks::There,
                Ok(false) => {}
                Err(reason) => state = WakeHooks::Unreadable { path, reason },
            }
        }
        state
    }

    /// Reads what the file of this agent says.
    pub fn installed(self, places: &Places, scope: Scope) -> Installation {
        let wanted = self.config_file(places, scope, "aide");
        let entry = match fs::metadata(&wanted.file) {
            Err(_) => Entry::NoFile,
            Ok(metadata) if !metadata.is_file() || metadata.len() > LIMIT => {
                Entry::Unreadable { reason: "not a regular file, or too large".to_owned() }
            }
            Ok(_) => match fs::read_to_string(&wanted.file) {
                Err(error) => Entry::Unreadable { reason: error.to_string() },
                Ok(text) => self.entry_in(&text, &wanted.format, &wanted.entry),
            },
        };
        Installation { path: wanted.file, entry }
    }

    fn entry_in(self, text: &str, format: &Format, wanted: &Value) -> Entry {
        let text = text.trim_start_matches('\u{feff}');
        let (read, path) = match format {
            Format::Json { flavour, path } => (json::read(text, *flavour), *path),
            Format::Toml { path } => (toml::read(text), *path),
        };
        let value = match read {
            Ok(value) => value,
            Err(reason) => return Entry::Unreadable { reason },
        };
        let Some(found) = json::get(&value, path) else { return Entry::Missing };
        let texts = |value: Option<&Value>| -> Vec<String> {
            let values = value.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            values.iter().filter_map(|value| value.as_str().map(str::to_owned)).collect()
        };
        let mut arguments = texts(found.get("args"));
        let program = match found.get("command") {
            Some(Value::String(program)) => Some(program.clone()),
            Some(words) => {
                let mut words = texts(Some(words)).into_iter();
                let program = words.next();
                arguments = words.collect();
                program
            }
            None => None,
        };
        let Some(program) = program.filter(|program| !program.is_empty()) else { return Entry::NoProgram };
        let set = found.get("env").or_else(|| found.get("environment")).and_then(Value::as_object);
        let set = set.into_iter().flatten();
        let variables: BTreeMap<String, String> =
            set.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect();
        let hold = variables.get("AIDE_MCP_HOLD").and_then(|hold| hold.parse().ok()).map(Duration::from_secs);
        // The program may be another copy than the one that asks.
        let mut current = found.clone();
        json::merge_value(&mut current, wanted);
        if let Some(command) = found.get("command") {
            current["command"] = command.clone();
        }
        Entry::Found(Box::new(LaunchCommand {
            is_current: current == *found,
            handed_on: texts(found.get("env_vars")),
            limit: self.limit(found),
            program,
            arguments,
            variables,
            hold,
        }))
    }

    /// How long the agent waits for a call.
    fn limit(self, entry: &Value) -> Option<Duration> {
        let number = |pointer: &str| entry.pointer(pointer).and_then(Value::as_u64);
        let seconds = Duration::from_secs;
        match self {
            Self::Claude => number("/timeout").map(Duration::from_millis),
            Self::Codex => Some(seconds(number("/tool_timeout_sec").unwrap_or(300))),
            Self::Gemini => Some(number("/timeout").map_or(seconds(600), Duration::from_millis)),
            Self::Opencode => {
                let limit = number("/timeout/request").or_else(|| number("/timeout"));
                Some(limit.map_or(seconds(60), Duration::from_millis))
            }
            Self::Zed => Some(seconds(number("/timeout").unwrap_or(60))),
            Self::Cursor | Self::VsCode | Self::Windsurf => None,
        }
    }

    /// How it calls itself when it speaks to a server.
    pub fn client_name(self) -> &'static str {
        match self {
            Self::Claude => "claude-code",
            Self::Codex => "codex-mcp-client",
            Self::Cursor => "cursor-vscode",
            Self::Gemini => "gemini-cli-mcp-client",
            Self::VsCode => "Visual Studio Code",
            Self::Opencode => "opencode",
            Self::Zed => "Zed",
            Self::Windsurf => "windsurf",
        }
    }

    /// The whole environment that it gives to what an entry starts, out of its own.
    pub fn environment(
        self,
        started: &LaunchCommand,
        own: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Vec<(OsString, OsString)> {
        let is_handed_on = |name: &OsString| {
            let name = name.to_string_lossy();
            match self {
                Self::Codex => {
                    CODEX.contains(&&*name) || started.handed_on.iter().any(|handed| *handed == name)
                }
                Self::Gemini => !WITHHELD_BY_GEMINI.iter().any(|part| name.to_uppercase().contains(part)),
                _ => true,
            }
        };
        let own: Vec<(OsString, OsString)> = own.into_iter().collect();
        let value = |name: &str| own.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        let set = started.variables.iter().map(|(name, text)| (name.into(), expanded(text, &value)));
        let set: Vec<(OsString, OsString)> = set.collect();
        let handed = own.iter().filter(|(name, _)| is_handed_on(name)).cloned();
        handed.filter(|(name, _)| set.iter().all(|(other, _)| other != name)).chain(set.clone()).collect()
    }
}

/// `${NAME}`, `${NAME:-else}` and `$NAME` in a value, as agents expand them.
fn expanded(text: &str, value: &impl Fn(&str) -> Option<OsString>) -> OsString {
    let lookup = |name: &str| value(name).map(|value| value.to_string_lossy().into_owned());
    let mut result = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        result.push_str(before);
        if let Some((inside, behind)) = after.strip_prefix('{').and_then(|after| after.split_once('}')) {
            let (name, otherwise) = inside.split_once(":-").unwrap_or((inside, ""));
            let found = lookup(name).filter(|found| !found.is_empty());
            result.push_str(
                &found.unwrap_or_else(|| expanded(otherwise, value).to_string_lossy().into_owned()),
            );
            rest = behind;
        } else {
            let end = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(after.len());
            let (name, behind) = after.split_at(end);
            if name.is_empty() {
                result.push('$');
            } else {
                result.push_str(&lookup(name).unwrap_or_default());
            }
            rest = behind;
        }
    }
    result.push_str(rest);
    result.into()
}

#[cfg(test)]
mod tests {
    use super::{Entry, LaunchCommand, WakeHooks, expanded};
    use crate::{Agent, Places, Records, Request, Scope, set_up};
    use std::ffi::OsString;
    use std::fs;
    use std::path::Path;
    use std::time::Duration;

    fn places(root: &Path) -> Places {
        Places {
            home: root.join("home"),
            config: root.join("home/.config"),
            codex: None,
            claude: None,
            project: root.join("project"),
            path: Vec::new(),
        }
    }

    fn found(agent: Agent, places: &Places, scope: Scope) -> LaunchCommand {
        match agent.installed(places, scope).entry {
            Entry::Found(started) => *started,
            other => panic!("{agent:?}: {other:?}"),
        }
    }

    #[test]
    fn what_setup_has_written_is_found_and_current_for_every_agent() {
        let root = tempfile::tempdir().unwrap();
        let places = places(root.path());
        fs::create_dir_all(&places.home).unwrap();
        fs::create_dir_all(&places.project).unwrap();
        for scope in [Scope::User, Scope::Project] {
            let request = Request {
                scope,
                agents: Agent::ALL.to_vec(),
                command: "/opt/aide".to_owned(),
                with_hooks: scope == Scope::User,
            };
            let records = Records::below(&root.path().join("state"));
            set_up(&places, &request, &records).unwrap().apply(&records).unwrap();
            for agent in Agent::ALL {
                let started = found(agent, &places, scope);
                assert!(started.is_current, "{agent:?}");
                assert_eq!(
                    (started.program.as_str(), &started.arguments[..]),
                    ("/opt/aide", &["mcp".to_owned()][..])
                );
                // What is held is given back before the agent gives up.
                assert!(
                    started.limit.is_none_or(|limit| started.hold.is_some_and(|hold| hold < limit)),
                    "{agent:?}"
                );
            }
        }
    }

    #[test]
    fn what_is_missing_broken_or_old_is_told_apart() {
        let root = tempfile::tempdir().unwrap();
        let places = places(root.path());
        let write = |path: &str, text: &str| {
            let path = places.home.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let entry = |agent: Agent| agent.installed(&places, Scope::User).entry;
        assert_eq!(entry(Agent::Codex), Entry::NoFile);
        write(".codex/config.toml", "x = 1\n");
        assert_eq!(entry(Agent::Codex), Entry::Missing);
        write(".codex/config.toml", "[mcp_servers.aide\n");
        assert!(matches!(entry(Agent::Codex), Entry::Unreadable { .. }));
        write(".codex/config.toml", "[mcp_servers.aide]\nurl = \"http://x\"\n");
        assert_eq!(entry(Agent::Codex), Entry::NoProgram);
        write(".codex/config.toml", "[mcp_servers.aide]\ncommand = \"aide\"\nargs = [\"mcp\"]\n");
        let old = found(Agent::Codex, &places, Scope::User);
        assert_eq!((old.is_current, old.limit, old.hold), (false, Some(Duration::from_secs(300)), None));
        write(
            ".config/opencode/opencode.json",
            "{\"mcp\":{\"aide\":{\"type\":\"local\",\"command\":[\"a\",\"b\"]}}}",
        );
        let opencode = found(Agent::Opencode, &places, Scope::User);
        assert_eq!((opencode.program.as_str(), &opencode.arguments[..]), ("a", &["b".to_owned()][..]));
    }

    #[test]
    fn hooks_that_wake_are_found_wherever_they_are() {
        let root = tempfile::tempdir().unwrap();
        let places = places(root.path());
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let hook = r#"[{"hooks":[{"type":"command","command":"/old/decider","args":["hook","wake"]}]}]"#;
        let stop = format!("{{\"hooks\":{{\"Stop\":{hook}}}}}");
        let both = format!("{{\"hooks\":{{\"Stop\":{hook},\"PostToolUse\":{hook}}}}}");
        let waking = |scope| Agent::Claude.waking(&places, scope);
        let missing = |path: &str| WakeHooks::Missing { path: root.path().join(path) };
        let [user, own] = ["home/.claude/settings.json", "project/.claude/settings.json"];
        assert_eq!(waking(Scope::User), missing(user));
        assert_eq!(waking(Scope::Project), missing(own));
        write(user, &stop);
        assert_eq!(waking(Scope::User), missing(user));
        write(own, "{");
        assert!(
            matches!(waking(Scope::Project), WakeHooks::Unreadable { path, .. } if path == root.path().join(own))
        );
        write(user, &both);
        assert_eq!((waking(Scope::User), waking(Scope::Project)), (WakeHooks::There, WakeHooks::There));
        fs::remove_file(root.path().join(user)).unwrap();
        write(own, "{}");
        write("project/.claude/settings.local.json", &both);
        assert_eq!(waking(Scope::Project), WakeHooks::There);
        assert_eq!(Agent::Zed.waking(&places, Scope::User), WakeHooks::Never);
        assert_eq!(Agent::Gemini.waking(&places, Scope::User), WakeHooks::Never);
    }

    #[test]
    fn each_agent_hands_on_what_it_hands_on() {
        let root = tempfile::tempdir().unwrap();
        let places = places(root.path());
        fs::create_dir_all(&places.home).unwrap();
        let agents = vec![Agent::Codex, Agent::Gemini, Agent::Zed];
        let request = Request { scope: Scope::User, agents, command: "aide".to_owned(), with_hooks: false };
        let records = Records::below(&root.path().join("state"));
        set_up(&places, &request, &records).unwrap().apply(&records).unwrap();
        let own = ["HOME", "PATH", "DISPLAY", "XAUTHORITY", "GITHUB_TOKEN", "EDITOR"];
        let own = || own.map(|name| (OsString::from(name), OsString::from("x")));
        let names = |agent: Agent| {
            let started = found(agent, &places, Scope::User);
            let mut names: Vec<_> = agent
                .environment(&started, own())
                .into_iter()
                .map(|(name, _)| name.into_string().unwrap())
                .collect();
            names.sort();
            names
        };
        assert_eq!(names(Agent::Codex), ["AIDE_MCP_HOLD", "DISPLAY", "HOME", "PATH", "XAUTHORITY"]);
        // XAUTHORITY is what the entry sets.
        let gemini = ["AIDE_MCP_HOLD", "DISPLAY", "EDITOR", "HOME", "PATH", "XAUTHORITY"];
        assert_eq!(names(Agent::Gemini), gemini);
        assert_eq!(names(Agent::Zed).len(), 7);
    }

    #[test]
    fn variables_in_values_are_expanded() {
        let value = |name: &str| (name == "HOME").then(|| OsString::from("/h"));
        for (text, expected) in [
            ("${X:-$HOME/.Xauthority}", "/h/.Xauthority"),
            ("${HOME}/a$HOME", "/h/a/h"),
            ("$", "$"),
            ("a$1", "a"),
            ("${X}", ""),
            ("plain", "plain"),
        ] {
            assert_eq!(expanded(text, &value), OsString::from(expected), "{text}");
        }
    }
}
