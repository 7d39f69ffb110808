//! A project in a git repository of its own.

use super::{CommandOutput, Folder};
use serde_json::Value;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A project, its repository, and a home with an identity.
#[derive(Debug)]
pub(crate) struct Repository {
    pub(crate) folder: Folder,
    home: tempfile::TempDir,
}

impl Repository {
    /// After `git init`, `aide init` and one commit of both.
    pub(crate) fn new() -> Self {
        let repository = Self::without_commits();
        repository.write("README.md", "# test\n");
        repository.git(["add", "-A"]);
        repository.git(["commit", "-q", "-m", "begin"]);
        repository
    }

    /// After `git init` and `aide init`.
    pub(crate) fn without_commits() -> Self {
        let repository = Self::bare_folder();
        repository.git(["init", "-q", "-b", "main"]);
        assert_eq!(repository.aide(["init"]).code, Some(0));
        repository
    }

    /// An empty folder, and a home with an identity.
    pub(crate) fn bare_folder() -> Self {
        let home = tempfile::tempdir().unwrap();
        fs::write(
            home.path().join(".gitconfig"),
            "[user]\n\tname = Ann\n\temail = ann@example.com\n[gc]\n\tauto = 0\n[init]\n\tdefaultBranch = main\n",
        )
        .unwrap();
        Self { folder: Folder::empty(), home }
    }

    /// With a task in the phase `impl`.
    pub(crate) fn with_task() -> Self {
        let repository = Self::new();
        repository.flow(["start", "impl", "开始"]).succeeded("✓ 任务开始: impl\n");
        repository
    }

    /// Another one that is the same, and has a home of its own.
    pub(crate) fn copy(&self) -> Self {
        let copy = Self::bare_folder();
        let from = [self.path(), self.home()].map(|path| path.join("."));
        for (from, to) in from.iter().zip([copy.path(), copy.home()]) {
            assert!(Command::new("cp").arg("-a").args([from, to]).status().unwrap().success());
        }
        copy
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn join(&self, path: &str) -> PathBuf {
        self.folder.join(path)
    }

    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        self.folder.write(path, content);
    }

    /// A command here, in an environment that has a path and this home only.
    pub(crate) fn equip(&self, command: &mut Command) {
        let path = std::env::var_os("PATH").unwrap_or_default();
        command.current_dir(self.path()).env_clear().env("PATH", path).env("HOME", self.home.path());
        command.env("GIT_CONFIG_NOSYSTEM", "1").stdin(Stdio::null());
    }

    /// The program here.
    pub(crate) fn command<I: IntoIterator<Item = S>, S: AsRef<OsStr>>(&self, arguments: I) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_aide"));
        self.equip(&mut command);
        command.args(arguments);
        command
    }

    /// Runs the program to its end.
    pub(crate) fn aide<I: IntoIterator<Item = S>, S: AsRef<OsStr>>(&self, arguments: I) -> CommandOutput {
        CommandOutput::new(self.command(arguments).output().unwrap())
    }

    /// `aide flow …`, without the line that it prints on standard error for every commit.
    pub(crate) fn flow<const N: usize>(&self, arguments: [&str; N]) -> CommandOutput {
        self.aide(["flow"].iter().chain(&arguments)).without_commit()
    }

    /// Runs git, which must succeed, and returns what it says.
    #[track_caller]
    pub(crate) fn git<I: IntoIterator<Item = S>, S: AsRef<OsStr>>(&self, arguments: I) -> String {
        let finished = self.try_git(arguments);
        assert_eq!(finished.code, Some(0), "{}{}", finished.stdout, finished.stderr);
        finished.stdout.trim_end().to_owned()
    }

    /// Runs git.
    pub(crate) fn try_git<I: IntoIterator<Item = S>, S: AsRef<OsStr>>(&self, arguments: I) -> CommandOutput {
        let mut command = Command::new("git");
        self.equip(&mut command);
        CommandOutput::new(command.args(arguments).output().unwrap())
    }

    /// A hook of git.
    pub(crate) fn hook(&self, name: &str, script: &str) {
        use std::os::unix::fs::PermissionsExt;
        let path = self.join(".git/hooks").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// The configuration.
    pub(crate) fn configure(&self, lines: &str) {
        self.write(".aide/config.toml", lines);
    }

    /// The state of the present task.
    pub(crate) fn state(&self) -> Value {
        serde_json::from_slice(&fs::read(self.join(".aide/flow-status.json")).unwrap()).unwrap()
    }

    /// The subject of the latest commit.
    pub(crate) fn subject(&self) -> String {
        self.git(["log", "-1", "--format=%s"])
    }

    /// The hash of the latest commit.
    pub(crate) fn head(&self) -> String {
        self.git(["rev-parse", "HEAD"])
    }

    /// What git says is not committed.
    pub(crate) fn unclean(&self) -> String {
        // What only looks does not write the index.
        self.git(["--no-optional-locks", "status", "--porcelain"])
    }

    /// The folder of the repository itself.
    pub(crate) fn git_dir(&self) -> PathBuf {
        self.git_dir_of(self.path()).unwrap_or_default()
    }

    fn git_dir_of(&self, project: &Path) -> Option<PathBuf> {
        let mut command = Command::new("git");
        self.equip(&mut command);
        let asked = command.current_dir(project).args(["rev-parse", "--absolute-git-dir"]).output().unwrap();
        asked.status.success().then(|| OsStr::from_bytes(asked.stdout.trim_ascii_end()).into())
    }

    /// Everything that an action may change: state, index, history, and the files that git sees.
    pub(crate) fn snapshot(&self) -> Snapshot {
        self.snapshot_of(self.path())
    }

    /// The same, of the project in `project`.
    pub(crate) fn snapshot_of(&self, project: &Path) -> Snapshot {
        let git_dir = self.git_dir_of(project);
        let read = |name: &str| fs::read(git_dir.as_ref()?.join(name)).ok();
        let git = |arguments: &[&str]| {
            let mut command = Command::new("git");
            self.equip(&mut command);
            command.current_dir(project).arg("--no-optional-locks").args(arguments).output().unwrap().stdout
        };
        Snapshot {
            state: fs::read(project.join(".aide/flow-status.json")).ok(),
            index: read("index"),
            refs: String::from_utf8(git(&["for-each-ref"])).unwrap(),
            head: read("HEAD"),
            status: git(&["status", "--porcelain", "-z"]),
            left: left(project, git_dir.as_deref()),
        }
    }

    /// Locks, and what an action prepares and removes.
    pub(crate) fn left(&self) -> Vec<String> {
        left(self.path(), self.git_dir_of(self.path()).as_deref())
    }
}

fn left(project: &Path, git_dir: Option<&Path>) -> Vec<String> {
    let mut left = Vec::new();
    let mut look = |folder: &Path, stays: &dyn Fn(&str) -> bool| {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if !stays(&name) {
                left.push(folder.join(name).display().to_string());
            }
        }
    };
    for folder in [".aide", ".aide/logs"] {
        look(&project.join(folder), &|name| !name.ends_with(".tmp"));
    }
    if let Some(git_dir) = git_dir {
        look(&git_dir.join("aide"), &|name| name == "flow.lock" || name == "newest.json");
        for folder in ["", "refs", "refs/heads", "reftable"] {
            look(&git_dir.join(folder), &|name| !name.ends_with(".lock"));
        }
    }
    left.sort();
    left
}

/// What must be as before when an action was refused.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Snapshot {
    pub(crate) state: Option<Vec<u8>>,
    index: Option<Vec<u8>>,
    refs: String,
    head: Option<Vec<u8>>,
    pub(crate) status: Vec<u8>,
    pub(crate) left: Vec<String>,
}
