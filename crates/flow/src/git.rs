//! The user's own `git` command.
//!
//! Every call is given the lock of the action as its standard input. A git that outlives a killed `aide` then still holds it,
//! so that the next action does not begin while that commit may yet be made.

use crate::error::{GitError, InProgress};
use process::{Cancellation, Program};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The folder of ours, below the repository's own.
pub(crate) const AIDE: &str = "aide";
/// Where a repository is. With `GIT_DIR` alone, as git tells it to its hooks, the project's folder would be taken for the
/// whole work tree, and everything around it for removed.
const PLACES: [&str; 3] = ["GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR"];
/// What else git tells its hooks about the command that runs them.
const OUTER: [&str; 7] = [
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
];

/// How much of git's own words is passed on, in bytes.
const WORDS: usize = 4096;

/// A repository and where the project is in it.
#[derive(Debug)]
pub(crate) struct Repository {
    /// The project.
    pub(crate) root: PathBuf,
    /// `.git`, or what a worktree or submodule has in its place.
    pub(crate) git_dir: PathBuf,
    /// Where the branches are.
    pub(crate) common_dir: PathBuf,
    /// The index.
    pub(crate) index: PathBuf,
    /// The project's path from the top of the work tree: empty, or with a slash at its end.
    pub(crate) prefix: String,
    /// The commit that is checked out; `None` before the first.
    pub(crate) head: Option<String>,
    /// The branch that is checked out, as `refs/heads/…`; `None` when HEAD is detached.
    pub(crate) branch: Option<String>,
    /// What every git holds as long as it runs.
    action_lock: Option<File>,
    /// Ends a git that waits for others.
    cancellation: Option<Cancellation>,
}

impl Repository {
    /// The repository that `root` is in.
    pub(crate) fn open(root: &Path) -> Result<Self, GitError> {
        // Git would take a repository further up for the project's, or say that there is none.
        if !is_place_meant()
            && let Some(error) = leads_nowhere(root)
        {
            return Err(error);
        }
        let arguments = [
            "rev-parse",
            "--path-format=absolute",
            "--is-inside-work-tree",
            "--git-dir",
            "--git-common-dir",
            "--git-path",
            "index",
            "--show-prefix",
            "HEAD",
            "--symbolic-full-name",
            "HEAD",
        ];
        let output = plumbing(root).args(arguments).stdin(Stdio::null()).output().map_err(not_started)?;
        let failed = |words| GitError::Failed { command: "git rev-parse".to_owned(), words };
        let text = std::str::from_utf8(&output.stdout).map_err(|_| failed(last_words(&output.stdout)))?;
        let lines: Vec<&str> = text.lines().collect();
        // Before the first commit there is no hash, and git fails.
        let expected = if output.status.success() { 2 } else { 1 };
        let (git_dir, common_dir, index, prefix, rest) = match &*lines {
            ["false", ..] => return Err(GitError::Bare),
            ["true", git_dir, common_dir, index, prefix, rest @ ..] if rest.len() == expected => {
                (git_dir, common_dir, index, prefix, rest)
            }
            // An old git, or a path of several lines.
            [_, ..] => return Err(failed(last_words(&output.stdout))),
            [] => {
                let words = words(&output);
                let is_none = words.contains("not a git repository");
                return Err(if is_none { GitError::NotARepository } else { failed(words) });
            }
        };
        let mut repository = Self {
            root: root.to_owned(),
            git_dir: git_dir.into(),
            common_dir: common_dir.into(),
            index: index.into(),
            prefix: (*prefix).to_owned(),
            head: None,
            branch: None,
            action_lock: None,
            cancellation: None,
        };
        if output.status.success() {
            repository.head = rest.first().map(|hash| (*hash).to_owned());
            repository.branch =
                rest.get(1).filter(|name| name.starts_with("refs/")).map(|name| (*name).to_owned());
        } else {
            // Before the first commit.
            repository.branch = repository.ask(&["symbolic-ref", "-q", "HEAD"])?;
        }
        Ok(repository)
    }

    /// Where references are in tables instead of files, if they are.
    pub(crate) fn tables(&self) -> impl Iterator<Item = PathBuf> {
        [&self.common_dir, &self.git_dir].into_iter().map(|folder| folder.join("reftable"))
    }

    /// Lets every git from now on hold `action_lock`.
    pub(crate) fn hold(&mut self, action_lock: File) {
        self.action_lock = Some(action_lock);
    }

    /// Lets `cancellation` end what waits for others: hooks of git, and programs that sign.
    pub(crate) fn cancel_by(&mut self, cancellation: &Cancellation) {
        self.cancellation = Some(cancellation.clone());
    }

    /// A program that is ended by the cancellation of this repository, if it has one.
    pub(crate) fn ended_by(&self, program: Program) -> Program {
        match &self.cancellation {
            Some(cancellation) => program.ended_by(cancellation),
            None => program,
        }
    }

    /// Whether a commit can be made here at all: files in conflict anywhere in the repository prevent it.
    pub(crate) fn check(&self, allow_detached: bool) -> Result<(), GitError> {
        let exists = |name: &str| self.git_dir.join(name).exists();
        let going_on = [
            ("rebase-merge", InProgress::Rebase),
            ("rebase-apply", InProgress::Rebase),
            ("MERGE_HEAD", InProgress::Merge),
            ("CHERRY_PICK_HEAD", InProgress::CherryPick),
            ("REVERT_HEAD", InProgress::Revert),
        ];
        for (name, what) in going_on {
            // All but the first two are references, which have files, or are in tables.
            let is_going_on = exists(name)
                || name.ends_with("HEAD")
                    && self.tables().any(|tables| tables.exists())
                    && self.ask(&["rev-parse", "-q", "--verify", name])?.is_some();
            if is_going_on {
                return Err(GitError::InProgress(what));
            }
        }
        if self.branch.is_none() && !allow_detached {
            return Err(GitError::Detached);
        }
        let unmerged = self.run(None, &["ls-files", "-u", "-z", "--", ":/"])?;
        let unmerged = String::from_utf8_lossy(&unmerged.stdout).into_owned();
        let mut files: Vec<String> = unmerged
            .split('\0')
            .filter_map(|entry| entry.split_once('\t').map(|(_, path)| path.to_owned()))
            .collect();
        files.dedup();
        files.truncate(10);
        if files.is_empty() { Ok(()) } else { Err(GitError::Unmerged { files }) }
    }

    /// A git command on `index`, or on the repository's own.
    pub(crate) fn command(&self, index: Option<&Path>) -> io::Result<Command> {
        let mut command = git(&self.root);
        self.equip(&mut command, index)?;
        Ok(command)
    }

    fn equip(&self, command: &mut Command, index: Option<&Path>) -> io::Result<()> {
        match &self.action_lock {
            Some(lock) => command.stdin(lock.try_clone()?),
            None => command.stdin(Stdio::null()),
        };
        if let Some(index) = index {
            command.env("GIT_INDEX_FILE", index);
        }
        Ok(())
    }

    /// Runs git to its end, and fails if it does.
    pub(crate) fn run<A: AsRef<OsStr>>(
        &self,
        index: Option<&Path>,
        arguments: &[A],
    ) -> Result<Output, GitError> {
        let output = self.output(index, arguments)?;
        if output.status.success() {
            return Ok(output);
        }
        Err(failed(arguments, &output))
    }

    /// Runs git to its end.
    pub(crate) fn output<A: AsRef<OsStr>>(
        &self,
        index: Option<&Path>,
        arguments: &[A],
    ) -> Result<Output, GitError> {
        let mut command = plumbing(&self.root);
        self.equip(&mut command, index).map_err(not_started)?;
        command.args(arguments).output().map_err(not_started)
    }

    /// The first line that git says; `None` when it fails.
    pub(crate) fn ask(&self, arguments: &[&str]) -> Result<Option<String>, GitError> {
        let output = self.output(None, arguments)?;
        if !output.status.success() {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&output.stdout);
        Ok(text.lines().next().map(str::to_owned).filter(|line| !line.is_empty()))
    }

    /// Whether git says yes by its exit code: 0, not 1.
    pub(crate) fn says<A: AsRef<OsStr>>(
        &self,
        index: Option<&Path>,
        arguments: &[A],
    ) -> Result<bool, GitError> {
        let output = self.output(index, arguments)?;
        match output.status.code() {
            Some(0) => Ok(true),
            Some(1) => Ok(false),
            _ => Err(failed(arguments, &output)),
        }
    }

    /// The names that git lists with a NUL after each.
    pub(crate) fn list<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Result<Vec<String>, GitError> {
        let output = self.run(None, arguments)?;
        let text = String::from_utf8_lossy(&output.stdout);
        Ok(text.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect())
    }

    /// The same as paths, whatever bytes they consist of.
    pub(crate) fn paths<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Result<Vec<PathBuf>, GitError> {
        let output = self.run(None, arguments)?;
        let names = output.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        Ok(names.map(|name| PathBuf::from(OsStr::from_bytes(name))).collect())
    }
}

/// What git and the user's hooks said, the end of it if it is long.
pub(crate) fn words(output: &Output) -> String {
    let text = if output.stderr.trim_ascii().is_empty() { &output.stdout } else { &output.stderr };
    last_words(text)
}

/// The end of what a program said.
pub(crate) fn last_words(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim();
    let start = text.len().saturating_sub(WORDS);
    let start = (start..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    text[start..].to_owned()
}

fn git(root: &Path) -> Command {
    let mut command = Command::new("git");
    command.current_dir(root);
    for variable in OUTER {
        command.env_remove(variable);
    }
    if !is_place_meant() {
        for variable in PLACES {
            command.env_remove(variable);
        }
    }
    command
}

/// Whether the environment says where the repository is: with where the files are as well, it is meant.
fn is_place_meant() -> bool {
    std::env::var_os("GIT_WORK_TREE").is_some_and(|path| Path::new(&path).is_absolute())
}

/// The error of a `.git` that leads to a folder that does not exist: the nearest one, in `root` or above it.
fn leads_nowhere(root: &Path) -> Option<GitError> {
    let found = |folder: &Path| {
        let link = folder.join(".git");
        fs::symlink_metadata(&link).ok().map(|metadata| (link, metadata.file_type()))
    };
    let (link, kind) = root.ancestors().find_map(found)?;
    let target = if kind.is_symlink() && !link.exists() {
        fs::read_link(&link).ok()?
    } else {
        // What a worktree and a submodule have.
        let text = if link.is_file() { fs::read(&link).ok()? } else { return None };
        let target = text.strip_prefix(b"gitdir:")?.trim_ascii();
        let target = PathBuf::from(OsStr::from_bytes(target));
        if link.parent()?.join(&target).exists() {
            return None;
        }
        target
    };
    Some(GitError::LeadsNowhere { link, target })
}

/// A command whose words are read here: in no language but git's own, and without taking locks to save itself work.
fn plumbing(root: &Path) -> Command {
    let mut command = git(root);
    command.env("LC_ALL", "C").env("GIT_OPTIONAL_LOCKS", "0");
    command
}

pub(crate) fn failed<A: AsRef<OsStr>>(arguments: &[A], output: &Output) -> GitError {
    let name = arguments.first().map(|name| name.as_ref().to_string_lossy().into_owned());
    GitError::Failed { command: format!("git {}", name.unwrap_or_default()), words: words(output) }
}

pub(crate) fn not_started(error: io::Error) -> GitError {
    match error.kind() {
        ErrorKind::NotFound => GitError::NotInstalled,
        _ => GitError::Failed { command: "git".to_owned(), words: error.to_string() },
    }
}
