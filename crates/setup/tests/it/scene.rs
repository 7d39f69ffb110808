//! A home and a project, and what is set up in them.

use setup::{Agent, AppliedChange, Places, Plan, Records, Request, Scope, SetupError, set_up, take_out};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

pub(crate) const PROGRAM: &str = "/opt/aide/bin/aide";

pub(crate) struct Scene {
    folder: TempDir,
}

/// Everything below a folder: modes and contents, or where a link leads.
pub(crate) type Tree = BTreeMap<PathBuf, (u32, Vec<u8>)>;

impl Scene {
    pub(crate) fn new() -> Self {
        // In memory, where there is such a place: much is forced to the disk here.
        let memory = Path::new("/dev/shm");
        let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
        let folder = folder.unwrap();
        for name in ["home", "project", "state", "outside"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        Self { folder }
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    pub(crate) fn places(&self) -> Places {
        Places {
            home: self.path("home"),
            config: self.path("home/.config"),
            codex: None,
            claude: None,
            project: self.path("project"),
            path: vec![self.path("bin")],
        }
    }

    pub(crate) fn records(&self) -> Records {
        Records::below(&self.path("state"))
    }

    pub(crate) fn planned(&self, scope: Scope, agents: &[Agent]) -> Result<Plan, SetupError> {
        set_up(&self.places(), &request(scope, agents), &self.records())
    }

    pub(crate) fn set_up(
        &self,
        scope: Scope,
        agents: &[Agent],
    ) -> Result<(Plan, Vec<AppliedChange>), SetupError> {
        let plan = self.planned(scope, agents)?;
        let applied = plan.apply(&self.records())?;
        Ok((plan, applied))
    }

    /// The same with hooks.
    pub(crate) fn hook(&self, scope: Scope, agents: &[Agent]) -> Result<Plan, SetupError> {
        self.hook_by(&request(scope, agents).command, scope, agents)
    }

    /// The same by a program of this name.
    pub(crate) fn hook_by(&self, program: &str, scope: Scope, agents: &[Agent]) -> Result<Plan, SetupError> {
        let command = program.to_owned();
        let request = Request { with_hooks: true, command, ..request(scope, agents) };
        let plan = set_up(&self.places(), &request, &self.records())?;
        plan.apply(&self.records())?;
        Ok(plan)
    }

    pub(crate) fn take_out(&self, scope: Scope, agents: &[Agent]) -> Result<Plan, SetupError> {
        self.take_out_by(&request(scope, agents).command, scope, agents)
    }

    /// The same by a program of this name.
    pub(crate) fn take_out_by(
        &self,
        program: &str,
        scope: Scope,
        agents: &[Agent],
    ) -> Result<Plan, SetupError> {
        let request = Request { command: program.to_owned(), ..request(scope, agents) };
        let plan = take_out(&self.places(), &request, &self.records())?;
        plan.apply(&self.records())?;
        Ok(plan)
    }

    /// All that agents and the person see.
    pub(crate) fn tree(&self) -> Tree {
        let mut tree = Tree::new();
        for name in ["home", "project", "outside"] {
            collect(&self.path(name), &mut tree);
        }
        tree
    }
}

pub(crate) fn request(scope: Scope, agents: &[Agent]) -> Request {
    let command = match scope {
        Scope::User => PROGRAM.to_owned(),
        Scope::Project => "aide".to_owned(),
    };
    Request { scope, agents: agents.to_vec(), command, with_hooks: false }
}

fn collect(folder: &Path, tree: &mut Tree) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        let mode = entry.metadata().unwrap().permissions().mode();
        if kind.is_dir() {
            tree.insert(path.clone(), (mode, Vec::new()));
            collect(&path, tree);
        } else if kind.is_symlink() {
            let target = fs::read_link(&path).unwrap();
            tree.insert(path, (mode, target.to_string_lossy().into_owned().into_bytes()));
        } else {
            tree.insert(path.clone(), (mode, fs::read(&path).unwrap()));
        }
    }
}

/// The file that an agent has its servers in, from the folder of the scene on.
pub(crate) fn file_of(agent: Agent, scope: Scope) -> &'static str {
    match (agent, scope) {
        (Agent::Claude, Scope::User) => "home/.claude.json",
        (Agent::Claude, Scope::Project) => "project/.mcp.json",
        (Agent::Codex, Scope::User) => "home/.codex/config.toml",
        (Agent::Codex, Scope::Project) => "project/.codex/config.toml",
        (Agent::Cursor, Scope::User) => "home/.cursor/mcp.json",
        (Agent::Cursor, Scope::Project) => "project/.cursor/mcp.json",
        (Agent::Gemini, Scope::User) => "home/.gemini/settings.json",
        (Agent::Gemini, Scope::Project) => "project/.gemini/settings.json",
        (Agent::VsCode, Scope::User) if cfg!(target_vendor = "apple") => {
            "home/Library/Application Support/Code/User/mcp.json"
        }
        (Agent::VsCode, Scope::User) => "home/.config/Code/User/mcp.json",
        (Agent::VsCode, Scope::Project) => "project/.vscode/mcp.json",
        (Agent::Opencode, Scope::User) => "home/.config/opencode/opencode.json",
        (Agent::Opencode, Scope::Project) => "project/opencode.json",
        (Agent::Zed, Scope::User) => "home/.config/zed/settings.json",
        (Agent::Zed, Scope::Project) => "project/.zed/settings.json",
        (Agent::Windsurf, Scope::User) => "home/.config/devin/mcp_config.json",
        (Agent::Windsurf, Scope::Project) => "project/.devin/mcp_config.json",
    }
}

/// The file that an agent has its hooks in; `None` where it has none.
pub(crate) fn hooks_of(agent: Agent, scope: Scope) -> Option<&'static str> {
    Some(match (agent, scope) {
        (Agent::Claude, Scope::User) => "home/.claude/settings.json",
        (Agent::Claude, Scope::Project) => "project/.claude/settings.json",
        (Agent::Codex, Scope::User) => "home/.codex/hooks.json",
        (Agent::Codex, Scope::Project) => "project/.codex/hooks.json",
        (Agent::Cursor, Scope::User) => "home/.cursor/hooks.json",
        (Agent::Cursor, Scope::Project) => "project/.cursor/hooks.json",
        (Agent::Gemini, _) => file_of(agent, scope),
        _ => return None,
    })
}
