//! What agents do to files and with commands, and what they cannot. What tools cannot do is in `tool_misbehaviour.rs`.

use process::Cancellation;
use protocol::workflow::ToolName;
use serde_json::{Map, Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use tempfile::TempDir;
use workflow::tools::{PlaceFault, Search, ToolConfig, ToolError, Toolbox};

/// A project.
struct TestProject {
    root: TempDir,
    toolbox: Toolbox,
}

impl TestProject {
    fn new() -> Self {
        Self::with(ToolConfig::default())
    }

    fn with(config: ToolConfig) -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("project")).unwrap();
        let toolbox = Toolbox::new(Some(root.path().join("project")), config);
        Self { root, toolbox }
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.root.path().join("project").join(name)
    }

    fn run(&self, tool: ToolName, params: Value) -> Result<Value, ToolError> {
        self.toolbox.run(tool, &object(params), &Cancellation::default())
    }

    fn read(&self, path: &str) -> Result<Value, ToolError> {
        self.run(ToolName::ReadFile, json!({ "path": path }))
    }

    fn write(&self, path: &str, content: &str) -> Result<Value, ToolError> {
        self.run(ToolName::WriteFile, json!({ "path": path, "content": content }))
    }

    fn shell(&self, command: &str) -> Result<Value, ToolError> {
        self.run(ToolName::ShellExec, json!({ "command": command }))
    }

    fn search(&self, query: &str) -> Result<Value, ToolError> {
        self.run(ToolName::WebSearch, json!({ "query": query }))
    }
}

fn object(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap()
}

fn by_program(script: &str) -> ToolConfig {
    let command = ["sh", "-c", script].map(str::to_owned).to_vec();
    ToolConfig { search: Some(Search::Command(command)) }
}

/// The processes whose PIDs are in `file` are gone, or zombies that only wait to be reaped.
fn wait_until_gone(file: &Path) {
    for pid in fs::read_to_string(file).unwrap().split_whitespace() {
        let is_gone = || {
            let status = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            status.rsplit_once(") ").is_none_or(|(_, rest)| rest.starts_with('Z'))
        };
        while !is_gone() {
            thread::yield_now();
        }
    }
}

#[test]
fn what_was_written_is_read_again() {
    let ground = TestProject::new();
    let written = ground.write("deepseek/报告.md", "# 你好\n").unwrap();
    assert_eq!(written, json!({ "path": "deepseek/报告.md", "bytes": 9 }));
    assert_eq!(fs::read_to_string(ground.path("deepseek/报告.md")).unwrap(), "# 你好\n");
    assert_eq!(ground.read("./deepseek/报告.md").unwrap()["content"], "# 你好\n");
    let whole = ground.path("deepseek/报告.md");
    assert_eq!(ground.read(whole.to_str().unwrap()).unwrap()["content"], "# 你好\n");
    // A program stays one.
    fs::write(ground.path("run"), "old").unwrap();
    fs::set_permissions(ground.path("run"), fs::Permissions::from_mode(0o755)).unwrap();
    ground.write("run", "new").unwrap();
    assert_eq!(fs::metadata(ground.path("run")).unwrap().permissions().mode() & 0o777, 0o755);
    let left: Vec<_> = fs::read_dir(ground.path("")).unwrap().collect();
    assert_eq!(left.len(), 2);
}

#[test]
fn what_belongs_to_git_and_to_this_program_is_not_touched() {
    let ground = TestProject::new();
    for folder in [".git/hooks", ".aide", "vendor/.git"] {
        fs::create_dir_all(ground.path(folder)).unwrap();
        fs::write(ground.path(folder).join("file"), "own").unwrap();
        let path = format!("{folder}/file");
        for refused in [ground.read(&path), ground.write(&path, "taken")] {
            assert!(matches!(refused, Err(ToolError::Place { fault: PlaceFault::Reserved, .. })), "{path}");
        }
        assert_eq!(fs::read_to_string(ground.path(&path)).unwrap(), "own");
    }
    // The file of a worktree.
    assert!(ground.write("sub/.git", "gitdir: elsewhere").is_err());
    assert!(!ground.path("sub").exists());
}

#[test]
fn only_regular_files_of_text_are_read() {
    let ground = TestProject::new();
    fs::create_dir(ground.path("folder")).unwrap();
    fs::write(ground.path("binary"), [0xff, 0xfe, 0]).unwrap();
    let made = std::process::Command::new("mkfifo").arg(ground.path("pipe")).status().unwrap();
    assert!(made.success());
    for path in ["folder", "pipe", "missing", "missing/too", "binary/below"] {
        let refused = ground.read(path);
        assert!(matches!(refused, Err(ToolError::File { .. })), "{path}: {refused:?}");
    }
    assert!(matches!(ground.read("binary"), Err(ToolError::NotText)));
    for path in ["folder", "pipe"] {
        assert!(matches!(ground.write(path, "x"), Err(ToolError::File { .. })), "{path}");
    }
}

#[test]
fn ten_megabytes_are_neither_read_nor_written() {
    let ground = TestProject::new();
    let large = "a".repeat(10 << 20);
    fs::write(ground.path("large"), &large).unwrap();
    let refused = ground.read("large").unwrap_err();
    assert_eq!(refused.to_string(), "large: larger than 1048576 bytes");
    assert!(matches!(ground.write("new", &large), Err(ToolError::TooLarge { limit: 8_388_608 })));
    assert!(!ground.path("new").exists());
    fs::write(ground.path("fits"), &large[..1 << 20]).unwrap();
    assert_eq!(ground.read("fits").unwrap()["content"].as_str().unwrap().len(), 1 << 20);
}

#[test]
fn a_command_runs_in_the_project_and_all_that_it_says_is_told() {
    let ground = TestProject::new();
    let found = ground.shell("pwd -P; echo aside >&2; exit 3").unwrap();
    let folder = ground.path("").canonicalize().unwrap();
    assert_eq!(found["stdout"].as_str().unwrap().trim_end(), folder.to_str().unwrap());
    assert_eq!((&found["stderr"], &found["exitCode"]), (&json!("aside\n"), &json!(3)));
    let killed = ground.shell("kill -9 $$").unwrap();
    assert_eq!((&killed["exitCode"], &killed["signal"]), (&Value::Null, &json!(9)));
    // The command gets no input.
    assert_eq!(ground.shell("cat; echo end").unwrap()["stdout"], "end\n");
}

#[test]
fn a_command_knows_the_listed_variables_and_no_secret() {
    const LISTED: [&str; 12] = [
        "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TERM", "PWD",
        "SHLVL",
    ];
    // A variable that cargo has set for this test, and that must not be visible.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    let ground = TestProject::new();
    let found = ground.shell("env").unwrap();
    let lines = found["stdout"].as_str().unwrap().lines();
    let names: Vec<&str> = lines.filter_map(|line| Some(line.split_once('=')?.0)).collect();
    let other =
        |name: &&&str| !LISTED.contains(name) && !name.starts_with("LC_") && !["_", "OLDPWD"].contains(name);
    assert_eq!(names.iter().find(other), None);
    assert!(names.contains(&"PATH"));
    assert_eq!(ground.shell("echo $TERM").unwrap()["stdout"], "dumb\n");
}

#[test]
fn of_what_a_command_complains_of_only_the_end_is_kept() {
    let ground = TestProject::new();
    let found = ground.shell("head -c 10485760 /dev/zero | tr '\\0' a >&2; echo end >&2").unwrap();
    let said = found["stderr"].as_str().unwrap();
    assert!(said.len() <= 65536 && said.ends_with("a\nend\n") || said.ends_with("aend\n"));
}

#[test]
fn a_command_that_does_not_hear_is_ended_with_all_that_it_has_started() {
    let ground = TestProject::new();
    // Deaf themselves, and their children are as well.
    let script =
        "trap '' TERM HUP INT; (sleep 600) & echo $! $$ >new; mv new pid; while :; do sleep 600; done";
    let cancellation = Cancellation::default();
    let params = object(json!({ "command": script }));
    thread::scope(|scope| {
        let running = scope.spawn(|| ground.toolbox.run(ToolName::ShellExec, &params, &cancellation));
        while !ground.path("pid").exists() {
            thread::yield_now();
        }
        cancellation.cancel();
        assert!(matches!(running.join().unwrap(), Err(ToolError::Cancelled)));
    });
    wait_until_gone(&ground.path("pid"));
}

#[test]
fn nothing_is_done_that_was_cancelled_before() {
    let ground = TestProject::with(by_program("touch searched"));
    let cancellation = Cancellation::default();
    cancellation.cancel();
    for (tool, params) in [
        (ToolName::ShellExec, json!({ "command": "touch run" })),
        (ToolName::WriteFile, json!({ "path": "written", "content": "" })),
        (ToolName::ReadFile, json!({ "path": "read" })),
        (ToolName::WebSearch, json!({ "query": "x" })),
        (ToolName::FetchUrl, json!({ "url": "http://example.com" })),
    ] {
        let ended = ground.toolbox.run(tool, &object(params), &cancellation);
        assert!(matches!(ended, Err(ToolError::Cancelled)), "{tool}: {ended:?}");
    }
    assert_eq!(fs::read_dir(ground.path("")).unwrap().count(), 0);
}

#[test]
fn a_call_that_lacks_something_is_not_done() {
    let ground = TestProject::new();
    for (tool, params, told) in [
        (ToolName::WriteFile, json!({ "path": "a" }), "WRITE_FILE needs the text \"content\""),
        (ToolName::ReadFile, json!({ "path": ["a"] }), "READ_FILE needs the text \"path\""),
        (ToolName::ShellExec, json!({}), "SHELL_EXEC needs the text \"command\""),
    ] {
        assert_eq!(ground.run(tool, params).unwrap_err().to_string(), told);
    }
    assert!(!ground.path("a").exists());
}

#[test]
fn without_a_project_and_without_a_search_there_are_no_such_tools() {
    let toolbox = Toolbox::new(None, ToolConfig::default());
    let there: Vec<_> = ToolName::ALL.iter().filter(|tool| toolbox.is_there(**tool)).collect();
    assert_eq!(there, [&ToolName::FetchUrl]);
    let run = |tool, params| toolbox.run(tool, &object(params), &Cancellation::default()).unwrap_err();
    assert!(matches!(run(ToolName::ReadFile, json!({ "path": "a" })), ToolError::NoProject));
    assert!(matches!(run(ToolName::ShellExec, json!({ "command": "id" })), ToolError::NoProject));
    assert_eq!(
        run(ToolName::WebSearch, json!({ "query": "x" })).to_string(),
        "web_search capability not available: no search is configured"
    );
    let ground = TestProject::with(by_program("true"));
    assert!(ToolName::ALL.iter().all(|tool| ground.toolbox.is_there(*tool)));
}

#[test]
fn a_search_by_a_program_reads_the_query_and_returns_what_is_printed() {
    let ground = TestProject::with(by_program("printf 'found: '; cat"));
    // It is never part of a command.
    let hostile = "$(touch x); `touch y` -- \n'\"";
    let found = ground.search(hostile).unwrap();
    assert_eq!(found, json!({ "query": hostile, "results": format!("found: {hostile}") }));
    assert_eq!(fs::read_dir(ground.path("")).unwrap().count(), 0);
    let ground = TestProject::with(by_program("echo '[{\"title\": \"paper1.pdf\"}]'"));
    assert_eq!(ground.search("x").unwrap()["results"], json!([{ "title": "paper1.pdf" }]));
}

#[test]
fn a_search_at_an_address_is_asked_there_and_nowhere_else() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (sender, asked) = mpsc::channel();
    thread::spawn(move || {
        for answer in [
            "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{\"hits\":1}",
            "HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n",
        ] {
            let (mut stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut first = String::new();
            reader.read_line(&mut first).unwrap();
            let mut line = String::new();
            while reader.read_line(&mut line).is_ok_and(|length| length > 2) {
                line.clear();
            }
            sender.send(first).unwrap();
            stream.write_all(answer.as_bytes()).unwrap();
        }
    });
    let url = format!("http://127.0.0.1:{port}/search?key=hunter2&q={{query}}&n=5");
    let ground = TestProject::with(ToolConfig { search: Some(Search::Url(url)) });
    assert_eq!(ground.search("深度 a&b=c#d").unwrap()["results"], json!({ "hits": 1 }));
    assert_eq!(
        asked.recv().unwrap().trim_end(),
        "GET /search?key=hunter2&q=%E6%B7%B1%E5%BA%A6+a%26b%3Dc%23d&n=5 HTTP/1.1"
    );
    assert!(matches!(ground.search("x"), Err(ToolError::TooManyRedirects(0))));
    assert!(matches!(ground.search("x"), Err(ToolError::Status { status: 500 })));
    // The server is gone by now. No error or debug output contains the key.
    let told = ground.search("x").unwrap_err();
    assert!(matches!(told, ToolError::Unreachable { .. }));
    assert!(!format!("{told} {told:?} {:?}", ground.toolbox).contains("hunter2"));
}
