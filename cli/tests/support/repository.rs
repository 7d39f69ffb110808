//! A project in a git repository of its own.

use super::{Finished, Folder};
use serde_json::Value;
use std::ffi::OsStr;
use std::fs;
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
    pub(crate) fn aide<I: IntoIterator<Item = S>, S: AsRef<OsStr>>(&self, arguments: I) -> Finished {
        Finished::of(self.command(arguments).output().unwrap())
    }

    /// `aide flow …`
    pub(crate) fn flow<const N: usize>(&self, arguments: [&str; N]) -> Finished {
        self.aide(["flow"].iter().chain(&arguments))
    }

    /// Runs git, which must succeed, and returns what it says.
    #[track_caller]
    pub(crate) fn git<I: IntoIterator<Item = S>, S: AsRef<OsStr>>(&self, arguments: I) -> String {
        let finished = self.try_git(arguments);
        assert_eq!(finished.code, Some(0), "{}{}", finished.stdout, finished.stderr);
        finished.stdout.trim_end().to_owned()
    }

    /// Runs git.
    pub(crate) fn try_git<I: IntoIterator<Item = S>, S: AsRef<OsStr>>(&self, arguments: I) -> Finished {
        let mut command = Command::new("git");
        self.equip(&mut command);
        Finished::of(command.args(arguments).output().unwrap())
    }

    /// A hook of git.
    pub(crate) fn hook(&self, name: &str, script: &str) {
        use std::os::unix::fs::PermissionsExt;
        let path = self.join(".git/hooks").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// A line at the end of the configuration.
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
        self.git(["status", "--porcelain"])
    }

    /// Everything that an action may change: state, index, history, and the files that git sees.
    pub(crate) fn snapshot(&self) -> Snapshot {
        let read = |path: &str| fs::read(self.join(path)).ok();
        let git_dir = self.try_git(["rev-parse", "--absolute-git-dir"]).stdout.trim_end().to_owned();
        Snapshot {
            state: read(".aide/flow-status.json"),
            index: fs::read(Path::new(&git_dir).join("index")).ok(),
            refs: self.try_git(["for-each-ref"]).stdout,
            head: fs::read(Path::new(&git_dir).join("HEAD")).ok(),
            status: self.try_git(["status", "--porcelain"]).stdout,
            locks: ["index.lock", "HEAD.lock", "aide/journal.json", "aide/index"]
                .into_iter()
                .filter(|name| Path::new(&git_dir).join(name).exists())
                .map(str::to_owned)
                .collect(),
        }
    }
}

/// What must be as before when an action was refused.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Snapshot {
    pub(crate) state: Option<Vec<u8>>,
    index: Option<Vec<u8>>,
    refs: String,
    head: Option<Vec<u8>>,
    status: String,
    pub(crate) locks: Vec<String>,
}
