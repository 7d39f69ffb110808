//! What `aide flow` commits that is not its own: it is named, asked about, or left out, and every commit is reported.

use crate::support::repository::Repository;
use crate::support::terminal::Terminal;
use crate::support::{CommandOutput, until};
use serde_json::{Value, json};
use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

const KEY: &str =
    "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\n-----END OPENSSH PRIVATE KEY-----\n";

/// Waits until the clock shows a later second. The history has whole seconds, and when a file was changed in its folder (`ctime`)
/// cannot be set: what comes after an action has to come in a later second.
fn next_second() {
    let second = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let now = second();
    until("the clock stands still", || second() > now);
}

/// `aide flow …` with all that it says.
fn told(repository: &Repository, arguments: &[&str]) -> CommandOutput {
    repository.aide(["flow"].iter().chain(arguments))
}

/// The line that tells of the latest commit, as git knows it.
fn committed(repository: &Repository) -> String {
    let files = repository.git(["show", "--name-only", "--format=", "HEAD"]).lines().count();
    format!("→ 已提交 {files} 个文件: {}\n", &repository.head()[..7])
}

fn files(repository: &Repository) -> Vec<String> {
    let shown = repository.git(["show", "--name-only", "--format=", "HEAD"]);
    shown.lines().filter(|path| !path.starts_with(".aide/")).map(str::to_owned).collect()
}

/// `aide flow …` in a terminal.
fn terminal(repository: &Repository, arguments: &[&str]) -> Terminal {
    let arguments: Vec<_> = ["flow"].iter().chain(arguments).copied().collect();
    let (path, home) = (std::env::var("PATH").unwrap(), repository.home().to_str().unwrap().to_owned());
    let variables = [("PATH", &*path), ("HOME", &*home), ("TERM", "xterm"), ("GIT_CONFIG_NOSYSTEM", "1")];
    let mut terminal = Terminal::start(&repository.folder, &arguments, &variables);
    // No line is broken.
    terminal.resize(24, 200);
    terminal
}

#[test]
fn the_clock_of_a_task_stops_with_the_last_entry_of_the_last_phase() {
    let repository = Repository::new();
    assert_eq!(repository.aide(["config", "set", "flow.changelog.required", "false"]).code, Some(0));
    assert_eq!(told(&repository, &["start", "task-optimize", "开始"]).code, Some(0));
    let seconds = || {
        let status: Value = serde_json::from_str(&told(&repository, &["status", "--json"]).stdout).unwrap();
        (status["seconds"].as_u64().unwrap(), status["seconds_in_phase"].as_u64().unwrap())
    };
    next_second();
    next_second();
    assert!(seconds().0 > 0, "it runs");
    for phase in ["flow-design", "impl", "verify", "docs", "finish"] {
        let entered = told(&repository, &["next-part", phase, "完成"]);
        assert_eq!(entered.code, Some(0), "{phase}: {}", entered.stderr);
    }
    let at_the_end = seconds();
    next_second();
    next_second();
    assert_eq!((seconds(), at_the_end.1), (at_the_end, 0));
}

#[test]
fn every_commit_is_told_with_its_files_and_its_hash() {
    let repository = Repository::new();
    let start = told(&repository, &["start", "task-optimize", "开始"]);
    assert_eq!((start.code, &*start.stdout), (Some(0), "✓ 任务开始: task-optimize\n"));
    assert_eq!(start.stderr, committed(&repository));
    let actions: [&[&str]; 6] = [
        &["next-step", "一"],
        &["back-step", "二"],
        &["next-part", "flow-design", "三"],
        &["back-part", "task-optimize", "四"],
        &["issue", "五"],
        &["error", "六"],
    ];
    for (number, action) in actions.iter().enumerate() {
        for file in 0..number {
            repository.write(&format!("{number}/{file}.txt"), "x\n");
        }
        let told = told(&repository, action);
        let back = if action[0] == "back-step" { "→ 已回到步骤 1: 开始\n" } else { "" };
        assert_eq!((told.code, told.stderr), (Some(0), committed(&repository) + back), "{action:?}");
        assert_eq!(files(&repository).len(), number, "{action:?}");
    }
    // In English, and with the number in the singular.
    let told = repository.aide(["--lang", "en", "flow", "next-step", "seven"]);
    assert_eq!(told.stderr, format!("→ Committed 1 file as {}\n", &repository.head()[..7]));
}

#[test]
fn where_nothing_is_committed_no_commit_is_told() {
    let repository = Repository::without_commits();
    repository.write(".gitignore", ".aide/\n");
    repository.git(["add", "-A"]);
    repository.git(["commit", "-q", "-m", "begin"]);
    told(&repository, &["start", "impl", "开始"]).succeeded("✓ 任务开始: impl\n");
    let json: Value =
        serde_json::from_str(&told(&repository, &["next-step", "一", "--json"]).stdout).unwrap();
    assert_eq!((&json["git_commit"], &json["committed"]["files"]), (&Value::Null, &json!(0)));
    repository.configure("flow.git.enabled = false\n");
    repository.write("new.txt", "x\n");
    told(&repository, &["start", "impl", "再来"]).failed_with_after(0, "⚠ 任务 ");
    assert!(repository.unclean().contains("new.txt"));
}

#[test]
fn without_a_terminal_changes_of_others_are_committed_and_named() {
    let repository = Repository::new();
    repository.write("README.md", "# mine\n");
    for number in 0..12 {
        repository.write(&format!("draft {number:02}.txt"), "mine\n");
    }
    repository.write(".aide/notes.md", "of the project\n");
    let told = told(&repository, &["start", "impl", "开始"]);
    assert_eq!((told.code, &*told.stdout), (Some(0), "✓ 任务开始: impl\n"));
    let named: Vec<_> = (0..9).map(|number| format!("draft {number:02}.txt")).collect();
    assert_eq!(
        told.stderr,
        format!(
            "{}⚠ 此提交包含任务开始前已有的 13 个文件的改动: README.md、{}、… (+3)\n  建议: 撤销提交而保留文件: git reset HEAD^（首个提交: git \
             update-ref -d HEAD）；之后的操作仍会提交它们，除非先 git stash -u；有此类改动时不开始任务: aide config set flow.commit ask\n",
            committed(&repository),
            named.join("、")
        )
    );
    assert_eq!((files(&repository).len(), &*repository.unclean()), (13, ""));
    // They are part of the task from then on.
    repository.write("README.md", "# of the task\n");
    let told = self::told(&repository, &["next-step", "一"]);
    assert_eq!(told.stderr, committed(&repository));
}

#[test]
fn who_has_said_so_is_not_told_of_it() {
    for (setting, flags, expected) in [
        ("auto", &["--yes"][..], &["README.md", "mine.txt"][..]),
        ("ask", &["--yes"], &["README.md", "mine.txt"]),
        ("all", &[], &["README.md", "mine.txt"]),
        ("tracked", &[], &["README.md"]),
        ("tracked", &["--yes"], &["README.md"]),
    ] {
        let repository = Repository::new();
        repository.configure(&format!("flow.commit = \"{setting}\"\n"));
        repository.git(["commit", "-qam", "configure"]);
        repository.write("README.md", "# mine\n");
        repository.write("mine.txt", "mine\n");
        let told = told(&repository, &[&["start", "impl", "开始"], flags].concat());
        assert_eq!((told.code, &*told.stderr), (Some(0), &*committed(&repository)), "{setting} {flags:?}");
        assert_eq!(files(&repository), expected, "{setting} {flags:?}");
    }
}

#[test]
fn ask_starts_nothing_where_it_cannot() {
    let repository = Repository::new();
    repository.configure("flow.commit = \"ask\"\n");
    repository.git(["commit", "-qam", "configure"]);
    repository.write("mine.txt", "mine\n");
    let before = repository.snapshot();
    for flags in [&[][..], &["--json"]] {
        told(&repository, &[&["start", "impl", "开始"], flags].concat()).failed(
            1,
            "✗ flow.commit 为 \"ask\" 而没有终端，无法询问是否提交任务开始前已有的 1 个文件的改动: mine.txt\n  建议: \
             用户同意后加上 --yes；或先自行提交或 git stash\n",
        );
        assert_eq!(repository.snapshot(), before);
    }
    // What is wrong besides is said instead, for no answer would help.
    told(&repository, &["start", "nowhere", "开始"]).failed_with(1, "✗ 未知环节: nowhere");
    fs::remove_file(repository.join("mine.txt")).unwrap();
    assert_eq!(told(&repository, &["start", "impl", "开始"]).code, Some(0));
    // From then on what is changed is the task's.
    repository.write("ours.txt", "ours\n");
    assert_eq!(told(&repository, &["next-step", "一"]).code, Some(0));
    assert_eq!(files(&repository), ["ours.txt"]);
}

#[test]
fn what_looks_like_a_secret_is_left_out_and_named() {
    let repository = Repository::new();
    repository.write("a.txt", "a\n");
    repository.write(".env", "TOKEN=1\n");
    repository.write("deploy/key with space", KEY);
    next_second();
    let start = told(&repository, &["start", "impl", "开始"]);
    assert_eq!(start.code, Some(0));
    assert!(
        start.stderr.ends_with(
            "⚠ 疑似密钥，没有提交: .env、deploy/key with space\n  建议: 是密钥的加入 .gitignore；不是的: git add .env 'deploy/key with space'\n"
        ),
        "{}",
        start.stderr
    );
    assert!(start.stderr.contains("已有的 1 个文件的改动: a.txt\n"), "{}", start.stderr);
    assert_eq!(files(&repository), ["a.txt"]);
    // Programs learn of them later as well, as long as they are there; people only once: later those that are new since the action
    // before.
    repository.write("b.txt", "b\n");
    let step = told(&repository, &["next-step", "一", "--json"]);
    let json: Value = serde_json::from_str(&step.stdout).unwrap();
    assert_eq!(
        json["committed"],
        json!({
            "files": 2, "changed_before": {"count": 0, "files": []}, "secrets": {"count": 0, "files": []},
            "left_out": {"count": 2, "files": [".env", "deploy/key with space"]},
        })
    );
    assert!(!step.stderr.contains("疑似密钥"), "{}", step.stderr);
    assert_eq!(files(&repository), ["b.txt"]);
    next_second();
    repository.write("c.txt", "c\n");
    assert_eq!(told(&repository, &["next-step", "又"]).code, Some(0));
    next_second();
    repository.write("d.txt", "d\n");
    let step = told(&repository, &["next-step", "再"]);
    assert!(step.code == Some(0) && !step.stderr.contains("疑似密钥"), "{}", step.stderr);
    next_second();
    repository.write("later.pem", KEY);
    let step = told(&repository, &["next-step", "新"]);
    assert!(step.stderr.contains("⚠ 疑似密钥，没有提交: later.pem\n"), "{}", step.stderr);
    fs::remove_file(repository.join("later.pem")).unwrap();
    // What was added by hand is committed as that person wants, and named.
    repository.git(["add", "deploy"]);
    repository.write(".gitignore", ".env\n");
    let step = told(&repository, &["next-step", "二"]);
    assert_eq!(
        step.stderr,
        format!(
            "{}⚠ 已提交，但疑似密钥: deploy/key with space\n  建议: 如果确是密钥，推送之前: git rm --cached 'deploy/key with space'，加入 \
             .gitignore，git commit --amend\n",
            committed(&repository)
        )
    );
    // Once it is known to git, a change of it is one like any other.
    repository.write("deploy/key with space", format!("{KEY}\n"));
    assert_eq!(told(&repository, &["next-step", "三"]).stderr, committed(&repository));
    assert_eq!(repository.unclean(), "");
}

#[test]
fn a_secret_that_is_agreed_to_is_committed_and_named() {
    for (setting, flags) in [("auto", &["--yes"][..]), ("ask", &["--yes"]), ("all", &[])] {
        let repository = Repository::with_task();
        repository.configure(&format!("flow.commit = \"{setting}\"\n"));
        repository.write("web/.env", "TOKEN=1\n");
        let told = told(&repository, &[&["next-step", "一"], flags].concat());
        assert!(
            told.code == Some(0) && told.stderr.contains("⚠ 已提交，但疑似密钥: web/.env\n"),
            "{setting}: {}",
            told.stderr
        );
        assert_eq!(files(&repository), ["web/.env"]);
    }
}

#[test]
fn on_a_terminal_it_is_asked() {
    let repository = Repository::new();
    repository.write("mine.txt", "mine\n");
    repository.write(".env", "TOKEN=1\n");
    let before = repository.snapshot();
    for answer in ["n\r", "\r", "\u{4}", "what\r"] {
        let mut terminal = terminal(&repository, &["start", "impl", "begin"]);
        terminal.until("mine.txt");
        terminal.until("[y/N]");
        terminal.press(answer);
        let (code, terminal) = terminal.finish();
        assert!(
            code == Some(1) && terminal.screen().contains("没有开始任务，也没有提交"),
            "{}",
            terminal.screen()
        );
        assert_eq!(repository.snapshot(), before, "{answer:?}");
    }
    let mut start = terminal(&repository, &["start", "impl", "begin"]);
    start.until("[y/N]");
    start.press("y\r");
    start.until("疑似密钥: .env。");
    start.press("n\r");
    let (code, start) = start.finish();
    assert!(code == Some(0) && start.screen().contains("疑似密钥，没有提交: .env"), "{}", start.screen());
    assert_eq!(files(&repository), ["mine.txt"]);
    // A step asks about the secret alone.
    repository.write("ours.txt", "ours\n");
    let mut step = terminal(&repository, &["next-step", "one"]);
    step.until("疑似密钥: .env。");
    step.press("y\r");
    let (code, step) = step.finish();
    assert!(code == Some(0) && step.screen().contains("已提交，但疑似密钥: .env"), "{}", step.screen());
    assert_eq!(files(&repository), [".env", "ours.txt"]);
    // Nothing to ask about.
    let (code, step) = terminal(&repository, &["next-step", "two"]).finish();
    assert!(code == Some(0) && !step.screen().contains("[y/N]"), "{}", step.screen());
}

#[test]
fn what_is_refused_anyway_is_not_asked_about() {
    let repository = Repository::new();
    repository.write("mine.txt", "mine\n");
    let (code, refused) = terminal(&repository, &["start", "nowhere", "begin"]).finish();
    assert!(code == Some(1) && !refused.screen().contains("[y/N]"), "{}", refused.screen());
    assert!(refused.screen().contains("未知环节: nowhere"), "{}", refused.screen());
}

#[test]
fn a_commit_of_a_killed_action_is_told_by_the_next_one() {
    let repository = Repository::with_task();
    // It dies after the branch has moved, and before the index is put in its place.
    repository.hook("post-commit", "kill -9 $(ps -o ppid= -p $PPID)");
    repository.write("ours.txt", "ours\n");
    let killed = told(&repository, &["next-step", "一"]);
    assert_ne!(killed.code, Some(0));
    let hash = repository.head();
    fs::remove_file(repository.join(".git/hooks/post-commit")).unwrap();
    let next = told(&repository, &["next-step", "二"]);
    assert_eq!(
        next.stderr,
        format!("⚠ 此前被中断的命令已提交 2 个文件: {}\n{}", &hash[..7], committed(&repository))
    );
    assert_eq!(repository.git(["rev-parse", "HEAD^"]), hash);
}
