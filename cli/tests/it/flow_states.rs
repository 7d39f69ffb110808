//! `aide flow` in every state that a repository can be in: what is recorded, what is refused, and that nothing is lost.

use crate::support::repository::Repository;
use crate::support::{CommandOutput, until};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

/// Every action, its arguments, and what it says.
const ACTIONS: [(&[&str], &str); 7] = [
    (&["start", "impl", "新"], "✓ 任务开始: impl\n"),
    (&["next-step", "新"], ""),
    (&["back-step", "新"], ""),
    (&["next-part", "verify", "新"], "✓ 进入环节: verify\n"),
    (&["back-part", "flow-design", "新"], "⚠ 回退到环节: flow-design\n"),
    (&["issue", "新"], ""),
    (&["error", "新"], "✗ 错误已记录: 新\n"),
];

/// So many of them are tried in each state. `scripts/soak` tries all.
const SHARE: usize = 2;

/// The actions to try in the state at `place`: others in each, so that every one meets every kind of state.
fn share(place: usize) -> impl Iterator<Item = (&'static [&'static str], &'static str)> {
    let share = if effort::is_complete() { ACTIONS.len() } else { SHARE };
    ACTIONS.into_iter().cycle().skip(place * SHARE).take(share)
}

/// A state of a repository that has a task in the phase `impl`, and what every action does in it.
struct State {
    name: &'static str,
    enter: fn(&Repository),
    /// The folder of the project.
    project: &'static str,
    variables: &'static [(&'static str, &'static str)],
    expected: Expected,
}

#[derive(Clone, Copy)]
enum Expected {
    /// Nothing has changed, and this is the first line of what is said.
    Refused(&'static str),
    /// It was recorded with so many commits; git then says this of the files that are not committed.
    Done { commits: usize, unclean: &'static str },
}

impl State {
    const fn refused(name: &'static str, line: &'static str, enter: fn(&Repository)) -> Self {
        Self { name, enter, project: "", variables: &[], expected: Expected::Refused(line) }
    }

    const fn done(name: &'static str, enter: fn(&Repository)) -> Self {
        Self { expected: Expected::Done { commits: 1, unclean: "" }, ..Self::refused(name, "", enter) }
    }

    /// For what no commit can contain.
    const fn leaving(self, unclean: &'static str) -> Self {
        Self { expected: Expected::Done { commits: 1, unclean }, ..self }
    }

    const fn without_commit(self) -> Self {
        Self { expected: Expected::Done { commits: 0, unclean: "" }, ..self }
    }

    const fn below(self, project: &'static str) -> Self {
        Self { project, ..self }
    }

    const fn with(self, variables: &'static [(&'static str, &'static str)]) -> Self {
        Self { variables, ..self }
    }

    /// Every action in a repository of its own that is in this state; those that wait do so at the same time.
    fn check(&self, template: &Repository, place: usize) {
        thread::scope(|scope| {
            for (arguments, says) in share(place) {
                scope.spawn(move || {
                    let repository = template.copy();
                    (self.enter)(&repository);
                    self.check_action(&repository, arguments, says);
                });
            }
        });
    }

    fn check_action(&self, repository: &Repository, arguments: &[&str], says: &str) {
        let case = format!("{}: {}", self.name, arguments[0]);
        let project = repository.join(self.project).canonicalize().unwrap();
        let run = |arguments: &[&str]| {
            let mut command = repository.command(["flow"].iter().chain(arguments));
            let output = command.current_dir(&project).envs(self.variables.iter().copied()).output().unwrap();
            CommandOutput::new(output)
        };
        let before = repository.snapshot_of(&project);
        // Another work tree has only the file of the branch.
        let state: Option<Value> = serde_json::from_str(&run(&["show", "--json"]).stdout).ok();
        let former = || commits(&project, repository);
        let (files, count) = (files(repository.path()), former());
        let told = run(arguments);
        match self.expected {
            Expected::Refused(line) => {
                assert_eq!((told.code, &*told.stdout), (Some(1), ""), "{case}: {}", told.stderr);
                assert_eq!(told.stderr.lines().next(), Some(line), "{case}: {}", told.stderr);
                assert!(told.stderr.lines().nth(1).is_none_or(|line| line.starts_with("  ")), "{case}");
                assert_eq!(repository.snapshot_of(&project), before, "{case}");
            }
            Expected::Done { commits, unclean } => {
                assert_eq!((told.code, &*told.stdout), (Some(0), says), "{case}: {}", told.stderr);
                assert_eq!(told.stderr.matches("→ 已提交 ").count(), commits, "{case}: {}", told.stderr);
                let told = told.without_commit();
                let expected = ["⚠ 任务 ", "⚠ 此提交包含任务开始前已有的 ", "  建议: 撤销提交而保留文件: "];
                let is_expected = |line: &str| expected.iter().any(|beginning| line.starts_with(beginning));
                let warned =
                    told.stderr.is_empty() || arguments[0] == "start" && told.stderr.lines().all(is_expected);
                assert!(warned, "{case}: {}", told.stderr);
                assert_eq!(former() - count, commits, "{case}");
                let after = repository.snapshot_of(&project);
                assert_eq!(
                    String::from_utf8_lossy(&after.status).replace('\0', "\n").trim_end(),
                    unclean,
                    "{case}"
                );
                assert_eq!(after.left, before.left, "{case}");
                self.check_history(&run(&["show", "--json"]).stdout, state.as_ref(), arguments, &case);
                if commits == 1 {
                    let shown: Value = serde_json::from_str(&run(&["status", "--json"]).stdout).unwrap();
                    assert_eq!(shown["latest"]["git_commit"], head(&project, repository), "{case}");
                }
            }
        }
        assert_eq!(self::files(repository.path()), files, "{case}");
    }

    /// One entry more, and every one has a commit, if there is one.
    fn check_history(&self, shown: &str, state: Option<&Value>, arguments: &[&str], case: &str) {
        let shown: Value = serde_json::from_str(shown).unwrap();
        let history = shown["history"].as_array().unwrap();
        let former = state.and_then(|state| state["history"].as_array()).map_or(0, Vec::len);
        assert_eq!(history.len(), if arguments[0] == "start" { 1 } else { former + 1 }, "{case}");
        let newest = history.last().unwrap();
        assert_eq!((&newest["action"], &newest["summary"]), (&json!(arguments[0]), &json!("新")), "{case}");
        assert_eq!(shown["current_step"], newest["step"], "{case}");
        if matches!(self.expected, Expected::Done { commits: 1, .. }) {
            // Those of a repository without commits have none.
            for entry in history.iter().filter(|_| self.name != "no commits") {
                assert!(entry["git_commit"].is_string(), "{case}: {shown}");
            }
        }
    }
}

fn git(project: &Path, repository: &Repository, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    repository.equip(&mut command);
    let output = command.current_dir(project).args(arguments).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

fn head(project: &Path, repository: &Repository) -> String {
    git(project, repository, &["rev-parse", "HEAD"])
}

/// How many commits there are on what is checked out.
fn commits(project: &Path, repository: &Repository) -> usize {
    git(project, repository, &["rev-list", "--count", "HEAD", "--"]).parse().unwrap_or_default()
}

/// What the user has: every file and symlink but git's own and those of `.aide/`.
fn files(root: &Path) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    let (mut files, mut folders) = (BTreeMap::new(), vec![root.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let data = path.symlink_metadata().unwrap();
            if data.is_dir() {
                let is_ours = matches!(path.file_name().unwrap().to_str(), Some(".git" | ".aide"))
                    || path.join("HEAD").is_file();
                if !is_ours {
                    folders.push(path);
                }
            } else if data.is_file() {
                files.insert(
                    path.strip_prefix(root).unwrap().to_owned(),
                    (data.mode(), fs::read(&path).unwrap()),
                );
            } else if data.is_symlink() {
                let target = fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes();
                files.insert(path.strip_prefix(root).unwrap().to_owned(), (0, target));
            }
        }
    }
    files
}

fn check_all(states: &[State]) {
    let template = Repository::with_task();
    let check = |place, state: &State| catch_unwind(AssertUnwindSafe(|| state.check(&template, place)));
    let failed = states.iter().enumerate().filter(|(place, state)| check(*place, state).is_err());
    let failed: Vec<_> = failed.map(|(_, state)| state.name).collect();
    assert!(failed.is_empty(), "see above: {failed:?}");
}

/// A project in another folder, with a task in the phase `impl`.
fn start_in(repository: &Repository, project: &str) {
    let project = repository.join(project);
    for arguments in [&["init"][..], &["flow", "start", "impl", "开始"]] {
        let mut command = repository.command(arguments);
        let told = CommandOutput::new(command.current_dir(&project).output().unwrap());
        assert_eq!(told.code, Some(0), "{told:?}");
    }
}

/// Two branches that change the same line; `other` is not checked out.
fn diverge(repository: &Repository) {
    repository.write("f", "one\n");
    repository.git(["add", "-A"]);
    repository.git(["commit", "-qm", "one"]);
    repository.git(["checkout", "-qb", "other"]);
    repository.write("f", "other\n");
    repository.git(["commit", "-qam", "other"]);
    repository.git(["checkout", "-q", "main"]);
    repository.write("f", "main\n");
    repository.git(["commit", "-qam", "main"]);
}

/// As if there had never been a task.
fn forget_tasks(repository: &Repository) {
    fs::remove_file(repository.join(".aide/flow-status.json")).unwrap();
    fs::remove_dir_all(repository.join(".aide/logs")).unwrap();
}

fn executable(path: &Path, script: &str) {
    fs::write(path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Another repository, with one commit.
fn repository_in(repository: &Repository, folder: &str) {
    repository.write(&format!("{folder}/inner.txt"), "inner");
    repository.git(["-C", folder, "init", "-q"]);
    repository.git(["-C", folder, "add", "-A"]);
    repository.git(["-C", folder, "commit", "-qm", "inner"]);
}

fn submodule(repository: &Repository) {
    let other = repository.home().join("other");
    fs::create_dir(&other).unwrap();
    let other = other.to_str().unwrap();
    repository.git(["-C", other, "init", "-q"]);
    repository.git(["-C", other, "commit", "-q", "--allow-empty", "-m", "other"]);
    repository.git(["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other, "module"]);
    repository.git(["commit", "-qm", "module"]);
}

const COMMIT_FAILED: &str = "✗ git commit 失败:";
const ADD_FAILED: &str = "✗ git add 失败:";
const DETACHED: &str = "✗ HEAD 处于游离状态，提交不属于任何分支";

/// They are named before they become gitlinks, and everything else is committed.
#[test]
fn a_repository_within_the_repository_is_left_out_and_named() {
    let repository = Repository::with_task();
    submodule(&repository);
    repository_in(&repository, "vendor/own lib");
    // Git could not even add this one.
    repository.write("empty/a", "a");
    repository.git(["-C", "empty", "init", "-q"]);
    repository.git(["worktree", "add", "-q", "-b", "linked", "tree"]);
    // Who names it means it as a submodule.
    repository_in(&repository, "meant");
    repository.git(["config", "-f", ".gitmodules", "submodule.meant.path", "meant"]);
    repository.git(["config", "-f", ".gitmodules", "submodule.meant.url", "https://example.com/meant"]);
    repository.write("new", "new");
    let told = repository.flow(["next-step", "一"]);
    assert_eq!((told.code, &*told.stdout), (Some(0), ""), "{told:?}");
    let first = "⚠ 仓库中的 git 仓库没有提交: empty/、tree/、vendor/own lib/\n";
    assert!(told.stderr.starts_with(first), "{}", told.stderr);
    for way in ["git submodule add <URL> empty", ".gitignore 中加入 empty/"] {
        assert!(told.stderr.contains(way), "{}", told.stderr);
    }
    let staged = repository.git(["ls-tree", "-r", "HEAD"]);
    let links: Vec<_> = staged.lines().filter(|line| line.starts_with("160000 ")).collect();
    assert!(links.len() == 2 && links[0].ends_with("\tmeant") && links[1].ends_with("\tmodule"), "{staged}");
    assert!(staged.contains("\tnew"), "{staged}");
    assert_eq!(repository.unclean(), "?? empty/\n?? tree/\n?? vendor/");
    // Beside JSON as well; once it is ignored nothing is said.
    let told = repository.flow(["issue", "二", "--json"]);
    assert!(told.code == Some(0) && told.stderr.starts_with(first), "{told:?}");
    repository.write(".gitignore", "empty/\ntree/\nvendor/\n");
    repository.flow(["next-step", "三"]).succeeded("");
    assert_eq!(repository.unclean(), "");
    // A gitlink that is there follows its repository, as before.
    repository.git(["-C", "meant", "commit", "-q", "--allow-empty", "-m", "another"]);
    repository.flow(["next-step", "四"]).succeeded("");
    let found = repository.git(["rev-parse", "HEAD:meant"]);
    assert_eq!(found, repository.git(["-C", "meant", "rev-parse", "HEAD"]));
}

#[test]
fn a_dot_git_that_leads_nowhere_is_said_to_do_so_by_every_command() {
    type Break = fn(&Repository) -> &'static str;
    let ways: [Break; 2] = [
        |repository| {
            fs::rename(repository.join(".git"), repository.home().join("moved")).unwrap();
            repository.write(".git", "gitdir: /does/not/exist\n");
            "/does/not/exist"
        },
        |repository| {
            fs::rename(repository.join(".git"), repository.home().join("moved")).unwrap();
            symlink("/does/not/exist/.git", repository.join(".git")).unwrap();
            "/does/not/exist/.git"
        },
    ];
    for lead_nowhere in ways {
        let repository = Repository::with_task();
        let status = repository.flow(["status"]).stdout;
        let target = lead_nowhere(&repository);
        let link = repository.path().canonicalize().unwrap().join(".git");
        let words = format!("{} 指向 {target}，而它不存在\n  建议: ", link.display());
        for arguments in [
            &["start", "impl", "x"][..],
            &["next-step", "x"],
            &["back-step", "x"],
            &["next-part", "verify", "x"],
            &["back-part", "flow-design", "x"],
            &["issue", "x"],
            &["error", "x"],
        ] {
            let before = fs::read(repository.join(".aide/flow-status.json")).unwrap();
            let told = repository.aide(["flow"].iter().chain(arguments));
            told.failed_with(1, &format!("✗ {words}"));
            assert!(told.stderr.contains("git worktree repair"), "{told:?}");
            assert_eq!(fs::read(repository.join(".aide/flow-status.json")).unwrap(), before);
        }
        // What is recorded can be seen.
        let told = repository.flow(["status"]);
        assert_eq!(told.code, Some(0));
        assert!(told.stdout.lines().next() == status.lines().next(), "{told:?}");
        for arguments in [&["status"][..], &["list"], &["show"], &["log"], &["status", "--json"]] {
            let told = repository.aide(["flow"].iter().chain(arguments));
            assert!(told.code == Some(0) && told.stderr.starts_with(&format!("⚠ {words}")), "{told:?}");
        }
        repository.configure("[flow]\nback_confirm = true\n");
        let told = repository.flow(["back-part", "flow-design", "x"]);
        assert!(told.code == Some(0) && told.stderr.starts_with(&format!("⚠ {words}")), "{told:?}");
        repository.configure("[flow.git]\nrequired = false\n");
        let told = repository.flow(["next-step", "x"]);
        assert!(
            told.code == Some(0) && told.stderr.contains(&format!("{} 指向 {target}", link.display())),
            "{told:?}"
        );
    }
}

#[test]
fn git_does_not_take_a_repository_further_up_for_one_that_is_gone() {
    let repository = Repository::with_task();
    fs::create_dir(repository.join("sub")).unwrap();
    start_in(&repository, "sub");
    symlink("nowhere", repository.join("sub/.git")).unwrap();
    let head = repository.head();
    let mut command = repository.command(["flow", "next-step", "x"]);
    let told = CommandOutput::new(command.current_dir(repository.join("sub")).output().unwrap());
    assert_eq!(told.code, Some(1), "{told:?}");
    assert!(told.stderr.contains("sub/.git 指向 nowhere，而它不存在"), "{told:?}");
    assert_eq!(repository.head(), head);
}

#[test]
fn a_work_tree_whose_repository_was_moved_is_told_what_repairs_it() {
    let repository = Repository::with_task();
    let (tree, moved) = (repository.home().join("tree"), repository.home().join("moved"));
    repository.git(["worktree", "add", "-q", "-b", "linked", tree.to_str().unwrap()]);
    fs::rename(repository.join(".git"), repository.home().join("kept.git")).unwrap();
    fs::create_dir(&moved).unwrap();
    fs::rename(repository.home().join("kept.git"), moved.join(".git")).unwrap();
    let mut command = repository.command(["flow", "next-step", "x"]);
    let told = CommandOutput::new(command.current_dir(&tree).output().unwrap());
    assert_eq!(told.code, Some(1), "{told:?}");
    let repair = format!("git worktree repair {}", tree.canonicalize().unwrap().display());
    assert!(told.stderr.contains("，而它不存在") && told.stderr.contains(&repair), "{told:?}");
    repository.git(["-C", moved.to_str().unwrap(), "worktree", "repair", tree.to_str().unwrap()]);
    let mut command = repository.command(["flow", "next-step", "x"]);
    CommandOutput::new(command.current_dir(&tree).output().unwrap()).without_commit().succeeded("");
}

/// What the person has to bring to an end, or to mend, first.
#[test]
fn where_no_commit_can_be_made_nothing_is_touched() {
    check_all(&[
        State::refused(
            "no repository",
            "✗ 当前目录不是 git 仓库，请先执行 git init 或切换到正确目录",
            |repository| {
                fs::remove_dir_all(repository.join(".git")).unwrap();
            },
        ),
        State::refused("bare repository", "✗ 这是没有工作区的 git 仓库", |repository| {
            repository.git(["clone", "-q", "--bare", ".", "bare.git"]);
            let (from, to) = (repository.join(".aide"), repository.join("bare.git"));
            assert!(Command::new("cp").arg("-a").args([from, to]).status().unwrap().success());
        })
        .below("bare.git"),
        State::refused("no git", "✗ 未找到 git 命令，请先安装 git", |_| {}).with(&[("PATH", "/nonexistent")]),
        State::refused("a repository of somebody else", "✗ git rev-parse 失败:", |_| {})
            .with(&[("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")]),
        State::refused("detached", DETACHED, |repository| {
            repository.git(["checkout", "-q", "--detach"]);
        }),
        State::refused("bisect", DETACHED, |repository| {
            repository.git(["bisect", "start", "HEAD", "HEAD~1"]);
            repository.git(["checkout", "-q", "--detach"]);
        }),
        State::refused("merge with conflicts", "✗ git merge 尚未完成", |repository| {
            diverge(repository);
            repository.try_git(["merge", "-q", "other"]);
        }),
        State::refused("merge that waits for its commit", "✗ git merge 尚未完成", |repository| {
            diverge(repository);
            repository.git(["merge", "-q", "--no-commit", "-s", "ours", "other"]);
        }),
        State::refused("rebase with conflicts", "✗ git rebase 尚未完成", |repository| {
            diverge(repository);
            repository.try_git(["rebase", "-q", "other"]);
        }),
        State::refused("rebase with the old machinery", "✗ git rebase 尚未完成", |repository| {
            diverge(repository);
            repository.try_git(["rebase", "-q", "--apply", "other"]);
        }),
        State::refused("rebase that waits", "✗ git rebase 尚未完成", |repository| {
            diverge(repository);
            repository.git(["-c", "sequence.editor=sed -i 1ibreak", "rebase", "-q", "-i", "HEAD~1"]);
        }),
        State::refused("cherry-pick", "✗ git cherry-pick 尚未完成", |repository| {
            diverge(repository);
            repository.try_git(["cherry-pick", "other"]);
        }),
        State::refused(
            "cherry-pick whose conflicts are resolved",
            "✗ git cherry-pick 尚未完成",
            |repository| {
                fs::remove_dir_all(repository.join(".git")).unwrap();
                // An older git has no tables, in which this is not a file.
                if repository.try_git(["init", "-q", "--ref-format=reftable"]).code != Some(0) {
                    repository.git(["init", "-q"]);
                }
                diverge(repository);
                repository.try_git(["cherry-pick", "other"]);
                repository.git(["add", "-A"]);
            },
        ),
        State::refused("revert", "✗ git revert 尚未完成", |repository| {
            diverge(repository);
            repository.try_git(["revert", "--no-edit", "HEAD~1"]);
        }),
        State::refused("conflicts of a stash", "✗ 文件有冲突尚未解决: f", stash_conflict),
        State::refused("no identity", "✗ git 不知道提交者是谁", |repository| {
            fs::write(repository.home().join(".gitconfig"), "[user]\n\tuseConfigOnly = true\n").unwrap();
        }),
        State::refused("signing fails", COMMIT_FAILED, |repository| {
            repository.git(["config", "commit.gpgsign", "true"]);
            repository.git(["config", "gpg.program", "false"]);
            repository.write("new", "new");
        }),
        State::refused("pre-commit refuses", COMMIT_FAILED, |repository| {
            repository.hook("pre-commit", "echo no >&2; exit 1");
            repository.write("new", "new");
        }),
        State::refused("pre-commit refuses without a word", COMMIT_FAILED, |repository| {
            repository.hook("pre-commit", "exit 1");
        }),
        State::refused("prepare-commit-msg refuses", COMMIT_FAILED, |repository| {
            repository.hook("prepare-commit-msg", "exit 1");
        }),
        State::refused("commit-msg refuses", COMMIT_FAILED, |repository| {
            repository.hook("commit-msg", "cat \"$1\"; exit 1");
        }),
        State::refused("commit-msg leaves no message", COMMIT_FAILED, |repository| {
            repository.hook("commit-msg", ": >\"$1\"");
        }),
        State::refused("reference-transaction refuses", COMMIT_FAILED, |repository| {
            repository.hook("reference-transaction", "exit 1");
        }),
        State::refused("a hook of core.hooksPath refuses", COMMIT_FAILED, |repository| {
            fs::create_dir(repository.home().join("hooks")).unwrap();
            executable(&repository.home().join("hooks/pre-commit"), "exit 1");
            let hooks = repository.home().join("hooks");
            repository.git(["config", "core.hooksPath", hooks.to_str().unwrap()]);
        }),
        State::refused("the branch is locked", COMMIT_FAILED, |repository| {
            repository.write(".git/refs/heads/main.lock", "");
        }),
        State::refused("HEAD is locked", COMMIT_FAILED, |repository| {
            repository.write(".git/HEAD.lock", "");
        }),
        State::refused("the index is broken", "✗ git ls-files 失败:", |repository| {
            repository.write(".git/index", "x");
        }),
        State::refused("the branch is broken", DETACHED, |repository| {
            repository.write(".git/refs/heads/main", "x\n");
        }),
        State::refused("a filter fails", ADD_FAILED, |repository| {
            repository.git(["config", "filter.broken.clean", "false"]);
            repository.git(["config", "filter.broken.required", "true"]);
            repository.write(".gitattributes", "*.bin filter=broken\n");
            repository.write("a.bin", "a");
        }),
        State::refused("a file outside of the sparse cone", ADD_FAILED, |repository| {
            repository.write("in/a", "a");
            repository.write("out/a", "a");
            repository.git(["add", "-A"]);
            repository.git(["commit", "-qm", "folders"]);
            repository.git(["sparse-checkout", "set", ".aide", "in"]);
            repository.write("out/new", "new");
        }),
        State::refused("the folder of the project is ignored", ADD_FAILED, |repository| {
            repository.write(".git/info/exclude", "scratch/\n");
            repository.write("scratch/a", "a");
            let aide = repository.join(".aide");
            assert!(
                Command::new("cp")
                    .arg("-a")
                    .arg(aide)
                    .arg(repository.join("scratch"))
                    .status()
                    .unwrap()
                    .success()
            );
        })
        .below("scratch"),
    ]);
}

/// It says that git is waited for, and does not wait for ever.
#[test]
fn while_another_git_has_the_index_nothing_is_touched() {
    let template = Repository::with_task();
    let repository = template.copy();
    repository.write(".git/index.lock", "");
    let lock = repository.git_dir().canonicalize().unwrap().join("index.lock");
    let before = repository.snapshot();
    let began = Instant::now();
    let told = repository.flow(["next-step", "x"]);
    told.failed_with(1, &format!("✗ git 索引被占用: {}\n  建议: ", lock.display()));
    assert!(began.elapsed() >= Duration::from_secs(3));
    assert_eq!(repository.snapshot(), before);
    fs::remove_file(lock).unwrap();
    repository.flow(["next-step", "x"]).succeeded("");

    // One that ends in time.
    thread::scope(|scope| {
        for (arguments, says) in ACTIONS {
            let template = &template;
            scope.spawn(move || {
                let repository = template.copy();
                repository.write(".git/index.lock", "");
                repository.write("new", "new");
                let mut command = repository.command(["flow"].iter().chain(arguments));
                let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
                until("an action that waits", || repository.join(".git/aide/journal.json").exists());
                fs::remove_file(repository.join(".git/index.lock")).unwrap();
                let told = CommandOutput::new(child.wait_with_output().unwrap());
                assert_eq!((told.code, &*told.stdout), (Some(0), says), "{arguments:?}: {told:?}");
                assert_eq!((repository.unclean(), repository.left().len()), (String::new(), 0));
            });
        }
    });
}

/// Whatever lies in the work tree is in the commit, or was there before and still is.
#[test]
fn every_kind_of_change_is_committed() {
    check_all(&[
        State::done("nothing has changed", |_| {}),
        State::done("new files, some in new folders", |repository| {
            repository.write("new.txt", "new");
            repository.write("a/b/c.txt", "c");
            repository.write("empty", "");
            fs::create_dir(repository.join("empty folder")).unwrap();
        }),
        State::done("changed and removed files, links, modes", |repository| {
            for name in ["changed", "removed", "mode", "becomes a link", "becomes a folder", "renamed"] {
                repository.write(name, name);
            }
            repository.write("folder/a", "a");
            repository.git(["add", "-A"]);
            repository.git(["commit", "-qm", "files"]);
            repository.write("changed", "differs");
            fs::remove_file(repository.join("removed")).unwrap();
            fs::set_permissions(repository.join("mode"), fs::Permissions::from_mode(0o755)).unwrap();
            fs::rename(repository.join("renamed"), repository.join("other name")).unwrap();
            for name in ["becomes a link", "becomes a folder"] {
                fs::remove_file(repository.join(name)).unwrap();
            }
            symlink("changed", repository.join("becomes a link")).unwrap();
            symlink("nowhere", repository.join("dangling")).unwrap();
            symlink("/", repository.join("outside")).unwrap();
            repository.write("becomes a folder/a", "a");
            fs::remove_dir_all(repository.join("folder")).unwrap();
            repository.write("folder", "a file now");
        }),
        State::done("staged, and changed again", |repository| {
            repository.write("both", "staged");
            repository.write("README.md", "staged");
            repository.git(["add", "-A"]);
            repository.write("both", "and changed again");
            repository.git(["rm", "-q", "--cached", "README.md"]);
            repository.write("announced", "later");
            repository.git(["add", "-N", "announced"]);
        }),
        State::done("names that are hard to write", |repository| {
            for name in [
                "中文 名.txt",
                "a\nb",
                "\"quoted\"",
                "'",
                "-rf",
                "--",
                ":(top)x",
                "*",
                " ",
                "\u{7f}",
                "a\\b",
                "$(id)",
            ] {
                repository.write(name, name);
            }
            fs::write(repository.path().join(OsStr::from_bytes(b"\xff\xfe")), "no UTF-8").unwrap();
        }),
        State::done("what git ignores, or does not know", |repository| {
            repository.write(".gitignore", "*.log\nbuild/\n");
            repository.write("a.log", "log");
            repository.write("build/out", "out");
            rustix::fs::mknodat(
                rustix::fs::CWD,
                repository.join("fifo"),
                rustix::fs::FileType::Fifo,
                rustix::fs::Mode::from_raw_mode(0o600),
                0,
            )
            .unwrap();
        }),
        State::done("a file of a million lines, and a binary one", |repository| {
            repository.write("lines", "line\n".repeat(1_000_000));
            repository.write("binary", (0..=255).collect::<Vec<u8>>());
        }),
        State::done("a submodule", |repository| {
            submodule(repository);
            repository.write("new", "new");
        }),
        State::done("a submodule with another commit", |repository| {
            submodule(repository);
            repository.git(["-C", "module", "commit", "-q", "--allow-empty", "-m", "another"]);
        }),
        State::done("a submodule with changes of its own", |repository| {
            submodule(repository);
            repository.write("module/new", "new");
        })
        .leaving(" M module"),
        State::done("only tracked files are wanted", |repository| {
            repository.configure("[flow.git]\nadd_strategy = \"tracked\"\n");
            repository.write("README.md", "changed");
            repository.write("new", "new");
        })
        .leaving("?? new"),
        State::done("only staged files are wanted", |repository| {
            repository.configure("[flow.git]\nadd_strategy = \"staged\"\n");
            repository.write("staged", "staged");
            repository.git(["add", "staged", ".aide"]);
            repository.write("staged", "changed again");
            repository.write("README.md", "changed");
            repository.write("new", "new");
        })
        .leaving(" M README.md\n M staged\n?? new"),
        State::done("a stash, a tag and another branch", |repository| {
            repository.write("README.md", "stashed");
            repository.git(["stash", "-q"]);
            repository.git(["tag", "v1"]);
            repository.git(["branch", "other"]);
            repository.write("README.md", "changed");
        }),
    ]);
}

#[test]
fn every_kind_of_repository_is_committed_to() {
    check_all(&[
        State::done("no commits", |repository| {
            fs::remove_dir_all(repository.join(".git")).unwrap();
            repository.git(["init", "-q"]);
            forget_tasks(repository);
            start_in(repository, "");
            // As if it had never been.
            repository.git(["update-ref", "-d", "HEAD"]);
            repository.write("new", "new");
        }),
        State::done("an orphan branch", |repository| {
            repository.git(["checkout", "-q", "--orphan", "new"]);
        }),
        State::done(".aide is ignored, and nothing has changed", |repository| {
            repository.write(".gitignore", ".aide/\n");
            repository.git(["rm", "-rq", "--cached", ".aide"]);
            repository.git(["add", "-A"]);
            repository.git(["commit", "-qm", "ignore"]);
        })
        .without_commit(),
        State::done(".aide is ignored, and something has changed", |repository| {
            repository.write(".git/info/exclude", ".aide/\n");
            repository.git(["rm", "-rq", "--cached", ".aide"]);
            repository.write("new", "new");
        }),
        State::done(".aide is ignored, and empty commits are wanted", |repository| {
            repository.configure("[flow.git]\nallow_empty_commit = true\n");
            repository.write(".git/info/exclude", ".aide/\n");
            repository.git(["rm", "-rq", "--cached", ".aide"]);
            repository.git(["commit", "-qm", "ignore"]);
        }),
        State::done(".aide is ignored and tracked all the same", |repository| {
            repository.write(".gitignore", ".aide/\n");
        }),
        State::done("no commits and .aide ignored", |repository| {
            fs::remove_dir_all(repository.join(".git")).unwrap();
            repository.git(["init", "-q"]);
            repository.write(".git/info/exclude", ".aide/\n");
            fs::remove_file(repository.join("README.md")).unwrap();
        })
        .without_commit(),
        State::done("commits are not wanted", |repository| {
            repository.configure("[flow.git]\nenabled = false\n");
            repository.git(["commit", "-qam", "configure"]);
            repository.write(".git/info/exclude", ".aide/\n");
            repository.git(["rm", "-rq", "--cached", ".aide"]);
            repository.git(["commit", "-qm", "ignore"]);
        })
        .without_commit(),
        State::done("detached, as the configuration allows", |repository| {
            repository.configure("[flow.git]\nallow_detached = true\n");
            repository.git(["checkout", "-q", "--detach"]);
        }),
        State::done("the project is a folder of the repository", |repository| {
            repository.write("sub/a", "a");
            start_in(repository, "sub");
            repository.write("sub/b", "b");
            repository.write("README.md", "not in the project");
        })
        .below("sub")
        .leaving(" M README.md"),
        State::done("two projects in one repository", |repository| {
            for project in ["sub", "other/deep"] {
                fs::create_dir_all(repository.join(project)).unwrap();
                start_in(repository, project);
            }
        })
        .below("sub"),
        State::done("a linked work tree", |repository| {
            repository.git(["worktree", "add", "-q", "linked"]);
            repository.write(".git/info/exclude", "linked/\n");
            repository.write("linked/new", "new");
        })
        .below("linked"),
        State::done("the work tree that others are linked to", |repository| {
            let linked = repository.home().join("linked");
            repository.git(["worktree", "add", "-q", linked.to_str().unwrap()]);
            repository.write("new", "new");
        }),
        State::done("inside of a submodule", |repository| {
            submodule(repository);
            start_in(repository, "module");
            repository.write("module/new", "new");
        })
        .below("module"),
        State::done("inside of a nested repository", |repository| {
            repository_in(repository, "nested");
            start_in(repository, "nested");
            repository.write("nested/new", "new");
        })
        .below("nested"),
        State::done("a sparse checkout", |repository| {
            repository.write("in/a", "a");
            repository.write("out/a", "a");
            repository.git(["add", "-A"]);
            repository.git(["commit", "-qm", "folders"]);
            repository.git(["sparse-checkout", "set", "--sparse-index", ".aide", "in"]);
            assert!(!repository.join("out").exists());
            repository.write("in/b", "b");
        }),
        State::done("a split index", |repository| {
            repository.git(["config", "core.splitIndex", "true"]);
            repository.git(["update-index", "--split-index"]);
            repository.write("new", "new");
            repository.git(["add", "new"]);
        }),
        State::done("an untracked cache, an index of version 4", |repository| {
            repository.git(["config", "feature.manyFiles", "true"]);
            repository.git(["update-index", "--force-untracked-cache", "--index-version", "4"]);
            repository.unclean();
            repository.write("new", "new");
        }),
        State::done("line feeds become those of Windows", |repository| {
            repository.git(["config", "core.autocrlf", "true"]);
            repository.write("crlf", "a\r\n");
            repository.write("lf", "a\n");
        }),
        State::done("references in tables", |repository| {
            fs::remove_dir_all(repository.join(".git")).unwrap();
            // An older git has no tables.
            if repository.try_git(["init", "-q", "--ref-format=reftable"]).code != Some(0) {
                repository.git(["init", "-q"]);
            }
            forget_tasks(repository);
            start_in(repository, "");
        }),
        State::done("hashes of 64 digits", |repository| {
            fs::remove_dir_all(repository.join(".git")).unwrap();
            repository.git(["init", "-q", "--object-format=sha256"]);
            forget_tasks(repository);
            start_in(repository, "");
        }),
        State::done("the repository is elsewhere", |repository| {
            let elsewhere = repository.home().join("elsewhere.git");
            repository.git(["init", "-q", "--separate-git-dir", elsewhere.to_str().unwrap()]);
        }),
        State::done("everything is packed", |repository| {
            repository.git(["gc", "-q", "--prune=now"]);
            repository.git(["pack-refs", "--all"]);
        }),
        State::done("a shallow clone", |repository| {
            let git = format!("file://{}", repository.join(".git").canonicalize().unwrap().display());
            let clone = repository.home().join("clone");
            repository.git(["clone", "-q", "--depth", "1", &git, clone.to_str().unwrap()]);
            fs::remove_dir_all(repository.join(".git")).unwrap();
            fs::rename(clone.join(".git"), repository.join(".git")).unwrap();
        }),
        State::done("the latest commit was rewritten", |repository| {
            repository.git([
                "commit",
                "-q",
                "--amend",
                "--reset-author",
                "-m",
                &amended(repository, "again"),
            ]);
        }),
        State::done("history was rebased", |repository| {
            repository.git([
                "-c",
                "rebase.backend=merge",
                "rebase",
                "-q",
                "--root",
                "--force-rebase",
                "--reset-author-date",
            ]);
            repository.git(["commit", "-q", "--allow-empty", "-m", "by hand"]);
        }),
    ]);
}

/// The message of the latest commit with another subject.
fn amended(repository: &Repository, subject: &str) -> String {
    let message = repository.git(["log", "-1", "--format=%B"]);
    format!("{subject}\n{}", message.split_once('\n').unwrap().1)
}

#[test]
fn hooks_and_configuration_of_the_user_are_respected() {
    check_all(&[
        State::done("pre-commit changes files and adds them", |repository| {
            // As lint-staged and pre-commit do: what is staged is looked at, mended and staged again.
            repository.hook(
                "pre-commit",
                "git diff --cached --name-only -z >\"$HOME/staged\" || exit 1\n\
                 echo mended >generated; git add generated; git update-index --refresh -q; exit 0",
            );
            repository.write("generated", "mended\n");
            repository.write("new", "new");
        }),
        State::done("pre-commit adds all files", |repository| {
            repository.hook("pre-commit", "git add -A");
            repository.write("new", "new");
        }),
        State::done("pre-commit formats all files and adds them", |repository| {
            let format = "sed -i 's/^  /\\t/' .aide/*.json && git add -u && git diff --quiet";
            repository.hook("pre-commit", format);
        }),
        State::done("pre-commit refuses what is not staged", |repository| {
            repository.hook("pre-commit", "git diff --exit-code");
            repository.write("new", "new");
        }),
        State::done("pre-commit looks around", |repository| {
            repository
                .hook("pre-commit", "git status --short && git diff --stat HEAD && git ls-files >/dev/null");
            repository.write("new", "new");
        }),
        State::done("pre-commit hides what is not staged, and brings it back", |repository| {
            repository.hook(
                "pre-commit",
                "git stash push -q --keep-index --include-untracked && git reset -q --hard && git stash pop -q --index",
            );
            repository.write("new", "new");
            repository.write("README.md", "changed");
        }),
        State::done("commit-msg drops the trailer", |repository| {
            repository.hook("commit-msg", "echo 'JIRA-1: theirs' >\"$1\"");
        }),
        State::done("prepare-commit-msg adds its own", |repository| {
            repository.hook("prepare-commit-msg", "printf '\\n# comment\\n\\nTICKET-1\\n' >>\"$1\"");
        }),
        State::done("post-commit fails, and says a lot", |repository| {
            repository.hook("post-commit", "yes no | head -c 300000 >&2; exit 1");
        }),
        State::done("core.hooksPath", |repository| {
            let hooks = repository.home().join("hooks");
            fs::create_dir(&hooks).unwrap();
            executable(&hooks.join("pre-commit"), "echo ran >>\"$HOME/ran\"");
            repository.git(["config", "core.hooksPath", hooks.to_str().unwrap()]);
            repository.write("new", "new");
        }),
        State::done("signing", |repository| {
            let gpg = repository.home().join("gpg");
            executable(
                &gpg,
                "cat >/dev/null; echo '[GNUPG:] SIG_CREATED ' >&2; printf -- '-----BEGIN PGP SIGNATURE-----\\n\\nx\\n-----END PGP SIGNATURE-----\\n'",
            );
            repository.git(["config", "commit.gpgsign", "true"]);
            repository.git(["config", "gpg.program", gpg.to_str().unwrap()]);
            repository.git(["config", "log.showSignature", "true"]);
        }),
        State::done("an identity in the environment only", |repository| {
            fs::write(repository.home().join(".gitconfig"), "[user]\n\tuseConfigOnly = true\n").unwrap();
        })
        .with(&[
            ("GIT_AUTHOR_NAME", "Bea"),
            ("GIT_AUTHOR_EMAIL", "bea@example.com"),
            ("GIT_COMMITTER_NAME", "Bea"),
            ("GIT_COMMITTER_EMAIL", "bea@example.com"),
        ]),
        State::done("a configuration that changes what git says and does", |repository| {
            for (key, value) in [
                ("color.ui", "always"),
                ("core.quotePath", "false"),
                ("core.pager", "false"),
                ("core.editor", "false"),
                ("core.commentChar", "["),
                ("core.fileMode", "false"),
                ("core.sharedRepository", "group"),
                ("core.logAllRefUpdates", "false"),
                ("commit.cleanup", "scissors"),
                ("commit.verbose", "true"),
                ("commit.template", "/nonexistent"),
                ("commit.status", "true"),
                ("diff.external", "false"),
                ("diff.ignoreSubmodules", "all"),
                ("diff.noprefix", "true"),
                ("format.pretty", "oneline"),
                ("grep.patternType", "perl"),
                ("i18n.commitEncoding", "GBK"),
                ("i18n.logOutputEncoding", "GBK"),
                ("log.date", "relative"),
                ("log.decorate", "full"),
                ("log.follow", "true"),
                ("status.branch", "true"),
                ("submodule.recurse", "true"),
                ("trailer.separators", "="),
                ("trailer.Aide-Step.key", "Theirs="),
                ("alias.add", "!false"),
                ("rerere.enabled", "true"),
                ("gc.auto", "1"),
                ("gc.autoDetach", "false"),
            ] {
                repository.git(["config", key, value]);
            }
            repository.write("new", "new");
        }),
        State::done("the language of the user", |repository| repository.write("new", "new"))
            .with(&[("LC_ALL", "zh_CN.UTF-8"), ("LANGUAGE", "zh_CN")]),
        State::done("the traces of git", |repository| repository.write("new", "new"))
            .with(&[("GIT_TRACE", "2"), ("GIT_TRACE_SETUP", "2")]),
    ]);
}

#[test]
fn a_git_that_is_too_old_is_told_from_a_repository_without_work_tree() {
    let repository = Repository::with_task();
    // It repeats what it does not know.
    executable(&repository.home().join("git"), "printf '%s\\n' \"$@\"");
    let before = repository.snapshot();
    let mut command = repository.command(["flow", "next-step", "x"]);
    let told = CommandOutput::new(command.env("PATH", repository.home()).output().unwrap());
    told.failed_with(1, "✗ git rev-parse 失败:\n");
    assert_eq!(repository.snapshot(), before);
}

/// 100,000 in the long campaign.
#[test]
fn a_repository_of_many_files_is_committed_to() {
    let count = if effort::is_complete() { 100_000 } else { 20_000 };
    let repository = Repository::with_task();
    for number in 0..count {
        if number % 1000 == 0 {
            fs::create_dir(repository.join(&format!("{}", number / 1000))).unwrap();
        }
        fs::write(repository.join(&format!("{}/{number}", number / 1000)), number.to_string()).unwrap();
    }
    for (arguments, says) in ACTIONS {
        repository.write("0/0", arguments[0]);
        let told = repository.aide(["flow"].iter().chain(arguments));
        assert_eq!((told.code, &*told.stdout), (Some(0), says), "{told:?}");
        assert_eq!(repository.git(["show", "HEAD:0/0"]), arguments[0]);
    }
    assert_eq!(repository.unclean(), "");
    assert_eq!(
        repository
            .git(["ls-tree", "-r", "--name-only", "HEAD"])
            .lines()
            .filter(|name| !name.starts_with('.'))
            .count(),
        count + 1
    );
}

/// The action waits for the index, which the outer command has, and refuses; or has a commit of its own.
#[test]
fn an_action_in_a_hook_of_git_loses_nothing() {
    for (hook, arguments, subjects) in [
        ("pre-commit", &["commit", "-qam", "outer"][..], "outer\n[aide] impl: 开始"),
        ("post-commit", &["commit", "-qam", "outer"], "[aide] impl: inner\nouter\n[aide] impl: 开始"),
        ("post-checkout", &["checkout", "-qb", "other"], "[aide] impl: inner\n[aide] impl: 开始\nbegin"),
    ] {
        let repository = Repository::with_task();
        repository.write("README.md", "changed");
        // Once: the inner commit runs the hook as well.
        let aide = env!("CARGO_BIN_EXE_aide");
        let script = format!(
            "[ -e \"$HOME/once\" ] && exit; : >\"$HOME/once\"; '{aide}' flow next-step inner; echo $? >\"$HOME/code\"; exit 0"
        );
        repository.hook(hook, &script);
        repository.git(arguments);
        let code = fs::read_to_string(repository.home().join("code")).unwrap();
        assert_eq!(code, if hook == "pre-commit" { "1\n" } else { "0\n" }, "{hook}");
        let log = repository.git(["log", "-3", "--format=%s"]);
        assert!(log.starts_with(subjects), "{hook}: {log}");
        assert_eq!((repository.unclean(), repository.left().len()), (String::new(), 0), "{hook}");
        repository.flow(["next-step", "after"]).succeeded("");
        assert_eq!(repository.git(["show", "HEAD:README.md"]), "changed");
    }
}

fn set_time(path: &Path, time: SystemTime) {
    fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

/// A stash that cannot be applied leaves files in conflict, and nothing that is going on.
fn stash_conflict(repository: &Repository) {
    repository.write("f", "one");
    repository.git(["add", "-A"]);
    repository.git(["commit", "-qm", "one"]);
    repository.write("f", "two");
    repository.git(["stash", "-q"]);
    repository.write("f", "three");
    repository.git(["commit", "-qam", "three"]);
    repository.try_git(["stash", "pop", "-q"]);
}

/// Git compares by content what was changed in the second in which the index was written.
#[test]
fn a_change_in_the_very_second_of_the_former_commit_is_in_the_next_one() {
    let repository = Repository::with_task();
    // So that size and second are all that git compares, whatever time it is.
    repository.git(["config", "core.trustctime", "false"]);
    repository.git(["config", "core.checkStat", "minimal"]);
    let time = SystemTime::now() - Duration::from_secs(3600);
    let write = |text: &str| {
        repository.write("a.txt", text);
        set_time(&repository.join("a.txt"), time);
    };
    write("one");
    repository.flow(["next-step", "一"]).succeeded("");
    set_time(&repository.join(".git/index"), time);
    write("two");
    repository.flow(["next-step", "二"]).succeeded("");
    assert_eq!(repository.git(["show", "HEAD:a.txt"]), "two");
}

/// A Ctrl-C that comes while such a hook runs does the same.
#[test]
fn an_action_is_done_when_its_commit_is_whatever_becomes_of_git_then() {
    let repository = Repository::with_task();
    repository.hook("post-commit", "kill -9 $PPID");
    repository.write("a.txt", "a");
    repository.flow(["next-step", "一"]).succeeded("");
    assert_eq!((repository.subject(), repository.unclean()), ("[aide] impl: 一".to_owned(), String::new()));
    assert_eq!(repository.state()["current_step"], 2);
    assert_eq!(repository.left(), [""; 0]);
}

#[test]
fn a_killed_action_is_completed_also_when_a_hook_has_rewritten_its_message() {
    let repository = Repository::with_task();
    repository.hook("commit-msg", "echo ours >\"$1\"");
    // Git is the child of aide.
    repository.hook("post-commit", "kill -9 $(ps -o ppid= -p $PPID)");
    repository.write("a.txt", "a");
    assert_eq!(repository.flow(["next-step", "一"]).code, None, "killed");
    fs::remove_file(repository.join(".git/hooks/post-commit")).unwrap();
    until("the end of git", || repository.try_git(["log", "-1", "--format=%s"]).stdout == "ours\n");
    repository.flow(["next-step", "二"]).succeeded("");
    let state = repository.state();
    assert_eq!((&state["current_step"], &state["history"][1]["summary"]), (&json!(3), &json!("一")));
    assert_eq!(state["history"][1]["git_commit"], repository.git(["rev-parse", "HEAD^"]));
    assert_eq!((repository.unclean(), repository.left().len()), (String::new(), 0));
}

#[test]
fn the_newest_commit_is_found_wherever_its_message_says_so() {
    let repository = Repository::with_task();
    repository.hook("commit-msg", "printf '\nTICKET-1\n' >>\"$1\"");
    repository.flow(["next-step", "一"]).succeeded("");
    fs::remove_file(repository.join(".git/hooks/commit-msg")).unwrap();
    // Rewritten, together with others, and one more on top.
    repository.git(["reset", "-q", "--soft", "HEAD~2"]);
    repository.git(["commit", "-q", "-m", "all\n\n* [aide] impl: 一\n\n    Aide-Step: x/20\n\n* two"]);
    let newest = |step: u64| {
        let task = repository.state()["task_id"].as_str().unwrap().to_owned();
        (format!("one\n\n  Aide-Step: {task}/{step}\n\nand more"), format!("Aide-Step: {task}/{step}0"))
    };
    let (message, other) = newest(2);
    repository.git(["commit", "-q", "--amend", "-m", &message]);
    let commit = repository.head();
    repository.git(["commit", "-q", "--allow-empty", "-m", &other]);
    let status: Value = serde_json::from_str(&repository.flow(["status", "--json"]).stdout).unwrap();
    assert_eq!(status["latest"]["git_commit"], commit);
    repository.flow(["next-step", "二"]).succeeded("");
    assert_eq!(repository.state()["history"][1]["git_commit"], commit);
}

#[test]
fn the_newest_commit_is_found_on_a_branch_that_is_not_checked_out_any_more() {
    for leave in [&["checkout", "-q", "--orphan", "new"][..], &["symbolic-ref", "HEAD", "refs/heads/older"]] {
        let repository = Repository::with_task();
        let commit = repository.head();
        repository.git(["branch", "older", "HEAD^"]);
        repository.git(leave);
        repository.flow(["next-step", "一"]).succeeded("");
        assert_eq!(repository.state()["history"][0]["git_commit"], commit);
    }
}

/// The project is a folder of the repository, and the variables are those of a hook in a linked work tree.
#[test]
fn what_an_outer_git_says_of_its_repository_does_not_count() {
    let repository = Repository::new();
    repository.write("sub/.aide/config.toml", "");
    let git_dir = repository.git_dir();
    let mut start = repository.command(["flow", "start", "impl", "一"]);
    start.env("GIT_DIR", &git_dir).env("GIT_INDEX_FILE", git_dir.join("other")).env("GIT_PREFIX", "x/");
    start.env("GIT_LITERAL_PATHSPECS", "1");
    let told = CommandOutput::new(start.current_dir(repository.join("sub")).output().unwrap());
    told.without_commit().succeeded("✓ 任务开始: impl\n");
    assert_eq!(repository.unclean(), "");
    let files = repository.git(["ls-tree", "-r", "--name-only", "HEAD"]);
    assert!(files.contains("README.md\nsub/.aide/.gitignore\n"), "{files}");
    assert!(!git_dir.join("other").exists());

    // A user who also names the work tree means it.
    let repository = Repository::without_commits();
    fs::rename(repository.join(".git"), repository.home().join("dotfiles")).unwrap();
    let mut start = repository.command(["flow", "start", "impl", "一"]);
    start.env("GIT_DIR", repository.home().join("dotfiles")).env("GIT_WORK_TREE", repository.path());
    CommandOutput::new(start.output().unwrap()).without_commit().succeeded("✓ 任务开始: impl\n");
}

#[test]
fn files_of_the_user_that_are_named_as_ours_are_committed() {
    let repository = Repository::with_task();
    for name in ["flow-status.json.tmp", "docs/flow-status-2.json.tmp", "Cargo.lock", "index.lock", "aide/x"]
    {
        repository.write(name, name);
    }
    // Our files are left out even where no rule ignores them.
    repository.write(".aide/.gitignore", "decisions/.lock\n");
    repository.write(".gitignore", "!*.tmp\n");
    repository.flow(["next-step", "一"]).succeeded("");
    let files = repository.git(["show", "--name-only", "--format=", "HEAD"]);
    let task = repository.state()["task_id"].as_str().unwrap().to_owned();
    let own = format!(".aide/logs/flow-status.{task}.json");
    let expected = [
        ".aide/.gitignore",
        &own,
        ".gitignore",
        "Cargo.lock",
        "aide/x",
        "docs/flow-status-2.json.tmp",
        "flow-status.json.tmp",
        "index.lock",
    ];
    assert_eq!(files.lines().collect::<Vec<_>>(), expected);
    assert_eq!(repository.unclean(), "");
}

#[test]
fn where_only_tracked_files_are_committed_there_need_not_be_any() {
    let repository = Repository::without_commits();
    repository.configure("[flow.git]\nadd_strategy = \"tracked\"\n");
    repository.flow(["start", "impl", "一"]).succeeded("✓ 任务开始: impl\n");
    let task = repository.state()["task_id"].as_str().unwrap().to_owned();
    assert_eq!(repository.git(["ls-files"]), format!(".aide/logs/flow-status.{task}.json"));
    // A file that cannot be added is still an error.
    repository.write("a", "a");
    repository.git(["add", "a"]);
    repository.git(["config", "filter.broken.clean", "false"]);
    repository.git(["config", "filter.broken.required", "true"]);
    repository.write(".gitattributes", "a filter=broken\n");
    repository.write("a", "b");
    repository.flow(["next-step", "二"]).failed_with(1, "✗ git add 失败:\n");
}

#[test]
fn messages_are_utf_8_in_a_repository_with_another_encoding() {
    let repository = Repository::with_task();
    repository.git(["config", "i18n.commitEncoding", "GBK"]);
    repository.git(["config", "i18n.logOutputEncoding", "GBK"]);
    repository.flow(["next-step", "中文"]).succeeded("");
    assert_eq!(repository.git(["log", "-1", "--encoding=UTF-8", "--format=%s"]), "[aide] impl: 中文");
    repository.flow(["next-step", "二"]).succeeded("");
    assert_eq!(repository.state()["history"][1]["git_commit"], repository.git(["rev-parse", "HEAD^"]));
}

/// Git's answers are lines of UTF-8; guessing at others led to a commit of a path that does not exist.
#[test]
fn a_project_in_a_folder_that_git_cannot_name_in_a_line_is_refused() {
    for name in [OsStr::from_bytes(b"a\nb"), OsStr::from_bytes(b"a\xffb")] {
        for top in ["", "below"] {
            let repository = Repository::bare_folder();
            let project = repository.join(top).join(name);
            fs::create_dir_all(&project).unwrap();
            let run = |arguments: &[&str]| {
                let mut command = repository.command(arguments);
                CommandOutput::new(command.current_dir(&project).output().unwrap())
            };
            repository.git([
                OsStr::new("init"),
                "-q".as_ref(),
                if top.is_empty() { project.as_ref() } else { top.as_ref() },
            ]);
            run(&["init"]);
            let before = repository.snapshot_of(&project);
            run(&["flow", "start", "impl", "一"]).failed_with(1, "✗ git rev-parse 失败:\n");
            assert_eq!(repository.snapshot_of(&project), before);
        }
    }
}

#[test]
fn files_in_conflict_anywhere_are_named() {
    let repository = Repository::with_task();
    repository.write("sub/.aide/config.toml", "");
    stash_conflict(&repository);
    let mut start = repository.command(["flow", "start", "impl", "一"]);
    let told = CommandOutput::new(start.current_dir(repository.join("sub")).output().unwrap());
    told.failed_with(1, "✗ 文件有冲突尚未解决: ../f\n");
}

/// They may well start within a second.
#[test]
fn two_projects_in_one_repository_keep_their_commits_apart() {
    let repository = Repository::new();
    repository.hook("commit-msg", "echo ours >\"$1\"");
    let run = |project: &str, arguments: &[&str]| {
        let mut command = repository.command(arguments);
        let told = CommandOutput::new(command.current_dir(repository.join(project)).output().unwrap());
        assert_eq!(told.code, Some(0), "{told:?}");
        told.stdout
    };
    let projects = ["a", "b", "c"];
    for project in projects {
        repository.write(&format!("{project}/.aide/config.toml"), "");
        run(project, &["flow", "start", "impl", project]);
    }
    let mut tasks = Vec::new();
    for project in projects {
        let commit = repository.git(["log", "-1", "--format=%H", "--", project]);
        let shown: Value = serde_json::from_str(&run(project, &["flow", "show", "--json"])).unwrap();
        assert_eq!(shown["history"][0]["git_commit"], commit, "{project}");
        tasks.push(shown["task_id"].as_str().unwrap().to_owned());
    }
    assert!(tasks.is_sorted() && tasks[0] != tasks[1] && tasks[1] != tasks[2], "{tasks:?}");
}

/// `git clean` in a hook removes the new state, which lies beside the old one, and `.aide/decisions` with it; a hook that
/// looks at the files as they will be committed puts it into the place of the old one.
#[test]
fn a_hook_may_clear_away_what_git_ignores_and_check_out_what_will_be_committed() {
    for (hook, code) in
        [("git clean -fdxq", 0), ("git clean -fdxq; exit 1", 1), ("git checkout -f -- .; exit 1", 1)]
    {
        let repository = Repository::with_task();
        let before = repository.snapshot();
        repository.hook("pre-commit", hook);
        let told = repository.flow(["next-step", "一"]);
        assert_eq!(told.code, Some(code), "{hook}: {told:?}");
        if code == 1 {
            assert_eq!(repository.snapshot(), before, "{hook}");
            fs::remove_file(repository.join(".git/hooks/pre-commit")).unwrap();
            repository.flow(["next-step", "一"]).succeeded("");
        }
        assert_eq!(
            (&repository.state()["current_step"], repository.unclean()),
            (&json!(2), String::new()),
            "{hook}"
        );
        assert_eq!(repository.left(), [""; 0], "{hook}");
    }
}
