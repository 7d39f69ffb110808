//! A project in a folder of its own, the real program in it, and a small HTTP client.

#![allow(dead_code, reason = "the tests of the documents use a part")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

pub(crate) mod chance;
pub(crate) mod daemon;
pub(crate) mod disk;
pub(crate) mod http;
pub(crate) mod mcp;
pub(crate) mod mcp_http;
pub(crate) mod plan;
pub(crate) mod ports;
pub(crate) mod repository;
pub(crate) mod running;
pub(crate) mod terminal;
pub(crate) mod worker;

use running::RunningServer;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// What a finished command left.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CommandOutput {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl CommandOutput {
    pub(crate) fn new(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// The same without its first line on standard error, which names the session that is meant when none is given.
    #[track_caller]
    pub(crate) fn about_the_newest(mut self) -> Self {
        let rest = self.stderr.split_once('\n').filter(|(line, _)| {
            let named = line.strip_prefix("→ 会话 ").or_else(|| line.strip_prefix("→ Session "));
            named.is_some_and(|named| named.split_once(": ").is_some())
        });
        self.stderr = rest.unwrap_or_else(|| panic!("no session: {self:?}")).1.to_owned();
        self
    }

    /// Without the lines on standard error that tell of commits.
    pub(crate) fn without_commit(mut self) -> Self {
        let is_told = |line: &str| {
            if line.starts_with("→ 已回到步骤 ") || line.starts_with("→ 已回退到第一步之前")
            {
                return Some(true);
            }
            let told = ["→ 已提交 ", "⚠ 此前被中断的命令已提交 "];
            let (files, hash) =
                told.iter().find_map(|told| line.strip_prefix(told))?.split_once(" 个文件: ")?;
            Some(files.parse::<usize>().is_ok() && hash.len() == 7)
        };
        let lines = self.stderr.split_inclusive('\n');
        self.stderr = lines.filter(|line| is_told(line.trim_end()) != Some(true)).collect();
        self
    }

    /// Succeeded with exactly this on standard output, and nothing on standard error.
    #[track_caller]
    pub(crate) fn succeeded(&self, stdout: &str) {
        assert_eq!((self.code, &*self.stdout, &*self.stderr), (Some(0), stdout, ""));
    }

    /// Succeeded with exactly this on both.
    #[track_caller]
    pub(crate) fn succeeded_and_said(&self, stdout: &str, stderr: &str) {
        assert_eq!((self.code, &*self.stdout, &*self.stderr), (Some(0), stdout, stderr));
    }

    /// Failed with exactly this on standard error, and nothing on standard output.
    #[track_caller]
    pub(crate) fn failed(&self, code: i32, stderr: &str) {
        assert_eq!((self.code, &*self.stdout, &*self.stderr), (Some(code), "", stderr));
    }

    /// Failed with `told`, and the advice how to go on waiting for the questions, which are kept.
    #[track_caller]
    pub(crate) fn failed_and_kept(&self, code: i32, told: &str) {
        assert_eq!((self.code, &*self.stdout), (Some(code), ""), "{}", self.stderr);
        self.kept(told);
    }

    /// Ended with `told` and that advice on standard error.
    #[track_caller]
    pub(crate) fn kept(&self, told: &str) {
        let advice = self.stderr.strip_prefix(told).unwrap_or_else(|| panic!("{self:?}"));
        let chinese = ("  建议: 待定项已保留，执行 aide decide wait ", " 继续等待\n");
        let english = ("  hint: the questions are kept; run aide decide wait ", " to keep waiting\n");
        let session = [chinese, english]
            .iter()
            .find_map(|(before, after)| advice.strip_prefix(before)?.strip_suffix(after))
            .unwrap_or_else(|| panic!("{self:?}"));
        assert!(session.starts_with("20") && !session.contains(' '), "{session}");
    }

    /// Succeeded with standard output beginning so, and nothing on standard error.
    #[track_caller]
    pub(crate) fn succeeded_with(&self, beginning: &str) {
        assert_eq!((self.code, &*daemon::without_notice(&self.stderr)), (Some(0), ""), "{}", self.stdout);
        assert!(self.stdout.starts_with(beginning), "{}", self.stdout);
    }

    /// Failed with standard error beginning so, whatever was told before.
    #[track_caller]
    pub(crate) fn failed_with_after(&self, code: i32, beginning: &str) {
        assert_eq!(self.code, Some(code), "{}", self.stderr);
        assert!(self.stderr.starts_with(beginning), "{}", self.stderr);
    }

    /// Failed with standard error beginning so, and nothing on standard output.
    #[track_caller]
    pub(crate) fn failed_with(&self, code: i32, beginning: &str) {
        assert_eq!((self.code, &*self.stdout), (Some(code), ""), "{}", self.stderr);
        assert!(self.stderr.starts_with(beginning), "{}", self.stderr);
    }
}

/// A folder that is deleted in the end.
#[derive(Debug)]
pub(crate) struct Folder(TempDir);

impl Folder {
    /// Without `.aide/`.
    pub(crate) fn empty() -> Self {
        Self(TempDir::new().unwrap())
    }

    /// After `aide init`.
    pub(crate) fn project() -> Self {
        let folder = Self::empty();
        assert_eq!(folder.aide(["init"]).code, Some(0));
        folder
    }

    /// The same, whose servers take any free port also where neither a flag nor a variable says so: other programs may have all
    /// the default ports. A flag or a variable would ask for a server of its own, in place of the daemon.
    pub(crate) fn project_on_any_port() -> Self {
        let folder = Self::project();
        assert_eq!(folder.aide(["config", "set", "decide.port", "0"]).code, Some(0));
        folder
    }

    /// Another folder with the same content.
    pub(crate) fn copied(&self) -> Self {
        let folder = Self::empty();
        copy(self.path(), folder.path());
        folder
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn join(&self, path: &str) -> PathBuf {
        self.path().join(path)
    }

    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn decision(&self, file: &str) -> PathBuf {
        self.join(".aide/decisions").join(file)
    }

    pub(crate) fn pending(&self) -> Value {
        self.file("pending.json")
    }

    /// A file of `.aide/decisions/`.
    pub(crate) fn file(&self, name: &str) -> Value {
        serde_json::from_slice(&fs::read(self.decision(name)).unwrap()).unwrap()
    }

    pub(crate) fn session(&self) -> String {
        self.pending()["_meta"]["session_id"].as_str().unwrap().to_owned()
    }

    pub(crate) fn record(&self) -> Value {
        self.file(&format!("{}.json", self.session()))
    }

    /// The program here, with an empty environment.
    pub(crate) fn command<I: IntoIterator<Item = S>, S: AsRef<OsStr>>(&self, arguments: I) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_aide"));
        command.args(arguments).current_dir(self.path()).env_clear().stdin(Stdio::null());
        command
    }

    /// Runs the program to its end.
    pub(crate) fn aide<I: IntoIterator<Item = S>, S: AsRef<OsStr>>(&self, arguments: I) -> CommandOutput {
        CommandOutput::new(self.command(arguments).output().unwrap())
    }

    /// What `aide decide result` says of the newest questions, apart from which these are.
    #[track_caller]
    pub(crate) fn result(&self) -> CommandOutput {
        self.aide(["decide", "result"]).about_the_newest()
    }

    /// `aide decide answer` with `input` from a pipe.
    pub(crate) fn answer(&self, input: &str) -> CommandOutput {
        self.answer_with(&[], input)
    }

    /// The same with further arguments.
    pub(crate) fn answer_with(&self, arguments: &[&str], input: &str) -> CommandOutput {
        let mut command = self.command(["decide", "answer"].iter().chain(arguments));
        command.stdin(Stdio::piped());
        let mut child = begin(command);
        // It may end before all is read.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        CommandOutput::new(child.wait_with_output().unwrap())
    }

    /// `aide decide submit` on any free port, up to its three lines.
    pub(crate) fn submit(&self, input: &Value) -> RunningServer {
        self.submit_with(input, &[])
    }

    /// The same with further arguments.
    pub(crate) fn submit_with(&self, input: &Value, further: &[&str]) -> RunningServer {
        let input = input.to_string();
        let mut arguments = vec!["decide", "submit", &input];
        if !further.contains(&"--port") {
            arguments.extend(["--port", "0"]);
        }
        arguments.extend(further);
        RunningServer::start(self.command(arguments))
    }

    /// Every file and folder with its content; two snapshots are equal when nothing was touched.
    pub(crate) fn tree(&self) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        let mut tree = BTreeMap::new();
        collect(self.path(), &mut tree);
        tree
    }
}

/// What `server.json` says, once it is there.
pub(crate) fn server(folder: &Folder) -> Option<Value> {
    fs::read(folder.decision("server.json")).ok().map(|bytes| serde_json::from_slice(&bytes).unwrap())
}

/// Ends what a test has left in the background.
pub(crate) struct BackgroundGuard<'f>(pub(crate) &'f Folder);

impl Drop for BackgroundGuard<'_> {
    fn drop(&mut self) {
        if let Some(pid) = server(self.0).and_then(|server| server["pid"].as_i64()) {
            let pid = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}

/// Starts a command that goes on while the test does something.
pub(crate) fn begin(mut command: Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Fails rather than hangs.
#[track_caller]
pub(crate) fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !condition() {
        assert!(Instant::now() < deadline, "{what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Removes a folder in which a program may be writing at the same moment: a file that appears meanwhile keeps it from being removed.
#[track_caller]
pub(crate) fn remove_folder(path: &Path) {
    until("the folder is removed", || match fs::remove_dir_all(path) {
        Ok(()) => true,
        Err(error) => error.kind() == ErrorKind::NotFound,
    });
}

/// Waits until a program has written a file to the end of a line, and returns what is in it: a shell creates the file first.
#[track_caller]
pub(crate) fn written(path: &Path) -> String {
    let read = || fs::read_to_string(path).ok().filter(|text| text.ends_with('\n'));
    until(&format!("{} is not written", path.display()), || read().is_some());
    read().unwrap()
}

/// Copies what is in a folder.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target: PathBuf = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn collect(folder: &Path, tree: &mut BTreeMap<PathBuf, Option<Vec<u8>>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, tree);
            tree.insert(path, None);
        } else {
            let content = fs::read(&path).unwrap();
            tree.insert(path, Some(content));
        }
    }
}

/// The smallest valid questions.
pub(crate) fn minimal() -> Value {
    json!({
        "task": "测试任务",
        "source": "test.md",
        "items": [{
            "id": 1,
            "title": "测试问题",
            "options": [{"value": "a", "label": "选项A"}, {"value": "b", "label": "选项B"}],
        }],
    })
}

/// A full example of the questions of contract/decide §2.1.
pub(crate) fn full() -> Value {
    json!({
        "task": "实现用户认证模块",
        "source": "task-now.md",
        "items": [
            {
                "id": 1,
                "title": "认证方式选择",
                "location": {"file": "task-now.md", "start": 5, "end": 7},
                "context": "需要选择认证方式",
                "options": [
                    {"value": "jwt", "label": "JWT", "score": 85, "pros": ["无状态"], "cons": ["撤销复杂"]},
                    {"value": "session", "label": "Session", "score": 70, "pros": ["简单"], "cons": ["有状态"]},
                ],
                "recommend": "jwt",
            },
            {
                "id": 2,
                "title": "密码加密算法",
                "options": [
                    {"value": "bcrypt", "label": "bcrypt", "score": 90},
                    {"value": "argon2", "label": "argon2", "score": 95},
                ],
                "recommend": "bcrypt",
            },
        ],
    })
}

/// Answers to [`full`].
pub(crate) fn full_answers() -> Value {
    json!({"decisions": [
        {"id": 1, "chosen": "jwt"},
        {"id": 2, "chosen": "bcrypt", "note": "团队更熟悉 bcrypt"},
    ]})
}

/// Answers to [`minimal`].
pub(crate) fn minimal_answers() -> Value {
    json!({"decisions": [{"id": 1, "chosen": "a"}]})
}
