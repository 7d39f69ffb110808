//! The agents: what each is called, how it is noticed, where its configuration is, and what is written there.

use crate::json::Flavour;
use serde_json::{Map, Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A coding agent that can be set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Agent {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Cursor.
    Cursor,
    /// Gemini CLI.
    Gemini,
    /// Visual Studio Code with Copilot.
    VsCode,
    /// opencode.
    Opencode,
    /// Zed.
    Zed,
    /// Windsurf, now Devin Desktop.
    Windsurf,
}

/// Whose configuration is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The person's own, for all projects.
    User,
    /// That of one project, for everyone who works on it.
    Project,
}

/// The folders that agents look into.
#[derive(Debug, Clone)]
pub struct Places {
    /// The person's home.
    pub home: PathBuf,
    /// `$XDG_CONFIG_HOME`, or `.config` in the home.
    pub config: PathBuf,
    /// `$CODEX_HOME`, where it is set.
    pub codex: Option<PathBuf>,
    /// `$CLAUDE_CONFIG_DIR`, where it is set.
    pub claude: Option<PathBuf>,
    /// The root of the project.
    pub project: PathBuf,
    /// The folders of `$PATH`.
    pub path: Vec<PathBuf>,
}

/// How an entry is written into a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Format {
    Json { flavour: Flavour, path: &'static [&'static str] },
    Toml { path: &'static [&'static str] },
}

/// The file that an agent has its servers in.
#[derive(Debug, Clone)]
pub(crate) struct ConfigFile {
    /// The folder that links may not lead out of, beside the home.
    pub(crate) root: PathBuf,
    pub(crate) file: PathBuf,
    pub(crate) format: Format,
    pub(crate) entry: Value,
}

/// How long a call is held at most, in seconds: a day, as long as an answer is kept for an agent that asks again.
const DAY: u64 = 86_400;
/// By how much the server gives up earlier than the agent.
const MARGIN: u64 = 10;
/// The longest that Zed takes.
const ZED: u64 = 600;

/// What `aide mcp` needs of the environment, and Codex withholds: for the browser, notices, SSH, and where files are.
const ENVIRONMENT: [&str; 14] = [
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "DBUS_SESSION_BUS_ADDRESS",
    "XDG_RUNTIME_DIR",
    "XDG_CONFIG_HOME",
    "XDG_STATE_HOME",
    "XDG_CURRENT_DESKTOP",
    "SSH_CONNECTION",
    "SSH_TTY",
    "BROWSER",
    "AIDE_LANG",
    "AIDE_NOTIFY",
    "FINGER_HOME",
];

/// Where the key to the screen of X11 is, for an agent that withholds the user's own variable.
pub(crate) const XAUTHORITY: (&str, &str) = ("XAUTHORITY", "${XAUTHORITY:-$HOME/.Xauthority}");

const MCP_SERVERS: &[&str] = &["mcpServers", "aide"];

impl Agent {
    /// All, in the order of the help.
    pub const ALL: [Self; 8] = [
        Self::Claude,
        Self::Codex,
        Self::Cursor,
        Self::Gemini,
        Self::VsCode,
        Self::Opencode,
        Self::Zed,
        Self::Windsurf,
    ];

    /// As it is named on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::Gemini => "gemini",
            Self::VsCode => "vscode",
            Self::Opencode => "opencode",
            Self::Zed => "zed",
            Self::Windsurf => "windsurf",
        }
    }

    /// As people call it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Claude => "Claude Code",
            Self::Codex => "Codex",
            Self::Cursor => "Cursor",
            Self::Gemini => "Gemini CLI",
            Self::VsCode => "VS Code",
            Self::Opencode => "opencode",
            Self::Zed => "Zed",
            Self::Windsurf => "Windsurf",
        }
    }

    /// Whether it is installed, or has been used; for a project also whether that has files of it.
    pub fn is_found(self, places: &Places, scope: Scope) -> bool {
        let Places { home, config, project, .. } = places;
        let programs: &[&str] = match self {
            Self::Claude => &["claude"],
            Self::Codex => &["codex"],
            Self::Cursor => &["cursor", "cursor-agent"],
            Self::Gemini => &["gemini"],
            Self::VsCode => &["code", "code-insiders"],
            Self::Opencode => &["opencode"],
            Self::Zed => &["zed", "zeditor"],
            Self::Windsurf => &["windsurf", "devin-desktop"],
        };
        let own = match self {
            Self::Claude => vec![home.join(".claude"), home.join(".claude.json")],
            Self::Codex => vec![places.codex_home()],
            Self::Cursor => vec![home.join(".cursor")],
            Self::Gemini => vec![home.join(".gemini")],
            Self::VsCode => vec![places.vscode_user()],
            Self::Opencode => vec![config.join("opencode")],
            Self::Zed => vec![config.join("zed")],
            Self::Windsurf => vec![config.join("devin"), home.join(".codeium/windsurf")],
        };
        let of_project: &[&str] = match self {
            Self::Claude => &[".claude", ".mcp.json", "CLAUDE.md"],
            Self::Codex => &[".codex"],
            Self::Cursor => &[".cursor", ".cursorrules"],
            Self::Gemini => &[".gemini", "GEMINI.md"],
            Self::VsCode => &[".vscode"],
            Self::Opencode => &[".opencode", "opencode.json", "opencode.jsonc"],
            Self::Zed => &[".zed"],
            Self::Windsurf => &[".devin", ".windsurf", ".windsurfrules"],
        };
        let is_program = |name: &&str| places.path.iter().any(|folder| folder.join(name).is_file());
        let is_sign = |path: PathBuf| path.exists() && !has_our_skill_alone(&path);
        programs.iter().any(is_program)
            || own.into_iter().any(is_sign)
            || scope == Scope::Project && of_project.iter().any(|name| is_sign(project.join(name)))
    }

    /// The file to change, and the entry, which starts `command`.
    pub(crate) fn config_file(self, places: &Places, scope: Scope, command: &str) -> ConfigFile {
        let is_user = scope == Scope::User;
        let Places { home, config, project, .. } = places;
        let base = if is_user { home } else { project };
        let of = |root: &Path, file: PathBuf, format, entry| ConfigFile {
            root: root.to_owned(),
            file,
            format,
            entry,
        };
        let json = |flavour, path| Format::Json { flavour, path };
        let lenient = |path| json(Flavour::Comments, path);
        let args = json!(["mcp"]);
        let milliseconds = DAY * 1000;
        let hold = |seconds: u64| json!({ "AIDE_MCP_HOLD": (seconds - MARGIN).to_string() });
        match self {
            Self::Claude => {
                let (root, file) = match (&places.claude, is_user) {
                    (Some(folder), true) => (folder, folder.join(".claude.json")),
                    (None, true) => (home, home.join(".claude.json")),
                    (_, false) => (project, project.join(".mcp.json")),
                };
                let entry = json!({
                    "type": "stdio", "command": command, "args": args, "env": hold(DAY), "timeout": milliseconds,
                    "alwaysLoad": true,
                });
                of(root, file, json(Flavour::Strict, MCP_SERVERS), entry)
            }
            Self::Codex => {
                let folder = if is_user { places.codex_home() } else { project.join(".codex") };
                let root = if is_user && places.codex.is_some() { &folder } else { base };
                let entry = json!({
                    "command": command, "args": args, "env": hold(DAY), "env_vars": ENVIRONMENT,
                    "startup_timeout_sec": 20, "tool_timeout_sec": DAY, "default_tools_approval_mode": "approve",
                    "tools": { "flow_record": { "approval_mode": "auto" } },
                });
                of(root, folder.join("config.toml"), Format::Toml { path: &["mcp_servers", "aide"] }, entry)
            }
            Self::Cursor => {
                let entry = json!({ "type": "stdio", "command": command, "args": args });
                of(base, base.join(".cursor/mcp.json"), lenient(MCP_SERVERS), entry)
            }
            Self::Gemini => {
                let mut env = hold(DAY);
                // Names with AUTH are withheld; without it no program finds its way to the screen of X11.
                env[XAUTHORITY.0] = XAUTHORITY.1.into();
                let entry = json!({
                    "command": command, "args": args, "env": env, "timeout": milliseconds, "trust": false,
                });
                of(base, base.join(".gemini/settings.json"), lenient(MCP_SERVERS), entry)
            }
            Self::VsCode => {
                let (root, file, mut entry) = match is_user {
                    true => (
                        config,
                        places.vscode_user().join("mcp.json"),
                        json!({ "type": "stdio", "command": command, "args": args }),
                    ),
                    false => {
                        let entry = json!({ "type": "stdio", "command": command, "args": args });
                        (project, project.join(".vscode/mcp.json"), entry)
                    }
                };
                if !is_user {
                    entry["cwd"] = "${workspaceFolder}".into();
                }
                of(root, file, lenient(&["servers", "aide"]), entry)
            }
            Self::Opencode => {
                let (root, folder) =
                    if is_user { (config, config.join("opencode")) } else { (project, project.clone()) };
                let with_comments = folder.join("opencode.jsonc");
                let file = if with_comments.exists() { with_comments } else { folder.join("opencode.json") };
                let mut entry = json!({
                    "type": "local", "command": [command, "mcp"], "environment": hold(DAY),
                });
                let format = if has_nested_servers(&file) {
                    entry["timeout"] = json!({ "startup": 20_000, "request": milliseconds });
                    lenient(&["mcp", "servers", "aide"])
                } else {
                    entry["enabled"] = true.into();
                    entry["timeout"] = milliseconds.into();
                    lenient(&["mcp", "aide"])
                };
                of(root, file, format, entry)
            }
            Self::Zed => {
                let (root, folder) =
                    if is_user { (config, config.join("zed")) } else { (project, project.join(".zed")) };
                let entry = json!({ "command": command, "args": args, "env": hold(ZED), "timeout": ZED });
                of(root, folder.join("settings.json"), lenient(&["context_servers", "aide"]), entry)
            }
            Self::Windsurf => {
                let entry = json!({ "command": command, "args": args });
                let former = home.join(".codeium/windsurf");
                let (root, file) = if !is_user {
                    (project, project.join(".devin/mcp_config.json"))
                } else if former.exists() && !config.join("devin").exists() {
                    (home, former.join("mcp_config.json"))
                } else {
                    (config, config.join("devin/mcp_config.json"))
                };
                of(root, file, lenient(MCP_SERVERS), entry)
            }
        }
    }
}

/// Why a name is that of no agent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no such agent")]
pub struct UnknownAgent;

impl FromStr for Agent {
    type Err = UnknownAgent;

    fn from_str(name: &str) -> Result<Self, UnknownAgent> {
        Self::ALL.into_iter().find(|agent| agent.name() == name).ok_or(UnknownAgent)
    }
}

impl Places {
    /// The file in which Claude Code has hooks and permissions, and the folder that links may not lead out of.
    pub(crate) fn claude_settings(&self, scope: Scope) -> (&Path, PathBuf) {
        let (root, folder) = match (&self.claude, scope) {
            (Some(folder), Scope::User) => (folder, folder.clone()),
            (None, Scope::User) => (&self.home, self.home.join(".claude")),
            (_, Scope::Project) => (&self.project, self.project.join(".claude")),
        };
        (root, folder.join("settings.json"))
    }

    pub(crate) fn codex_home(&self) -> PathBuf {
        self.codex.clone().unwrap_or_else(|| self.home.join(".codex"))
    }

    /// The folder of the person's own settings of VS Code.
    fn vscode_user(&self) -> PathBuf {
        if cfg!(target_vendor = "apple") {
            self.home.join("Library/Application Support/Code/User")
        } else {
            self.config.join("Code/User")
        }
    }
}

/// Whether a configuration of opencode keeps its servers as version 2 does.
fn has_nested_servers(file: &Path) -> bool {
    let text = fs::read_to_string(file).unwrap_or_default();
    let read = crate::json::read(text.trim_start_matches('\u{feff}'), Flavour::Comments);
    read.is_ok_and(|value| {
        let is_server =
            |value: &Map<String, Value>| value.contains_key("command") || value.contains_key("url");
        value.pointer("/mcp/servers").and_then(Value::as_object).is_some_and(|servers| !is_server(servers))
    })
}

/// The entry that a plugin has for an agent.
pub(crate) fn plugin_entry(agent: Agent) -> Value {
    let nowhere = PathBuf::from("/");
    let places = Places {
        home: nowhere.clone(),
        config: nowhere.clone(),
        codex: None,
        claude: None,
        project: nowhere,
        path: Vec::new(),
    };
    let mut entry = agent.config_file(&places, Scope::Project, "aide").entry;
    // Its hooks come with it.
    if agent == Agent::Claude {
        is_woken(&mut entry);
    }
    entry
}

/// Says in the entry of Claude Code that its sessions are woken with the answer, so that no call waits for it.
pub(crate) fn is_woken(entry: &mut Value) {
    entry["env"]["AIDE_MCP_WAKE"] = "1".into();
}
/// Whether nothing but this program's skill is in a folder: it is written there for every agent.
fn has_our_skill_alone(folder: &Path) -> bool {
    let holds_only = |folder: &Path, name: &str| {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
        names.len() == 1 && names[0] == name
    };
    holds_only(folder, "skills") && holds_only(&folder.join("skills"), "aide")
}
