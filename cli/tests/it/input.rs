//! Where questions come from, and everything that can be wrong with that.

use crate::support::http::get;
use crate::support::running::RunningServer;
use crate::support::{CommandOutput, Folder, minimal, minimal_answers};
use serde_json::{Value, json};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::ffi::OsStringExt;
use std::process::{Command, Stdio};
use std::thread;

const ADVICE: &str = "  建议: 检查 JSON 格式是否正确\n";

/// The program with `input` on standard input.
fn piped(folder: &Folder, input: &[u8]) -> CommandOutput {
    let mut command = folder.command(["decide", "submit", "-"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    thread::scope(|scope| {
        // The program need not read all of it.
        scope.spawn(move || stdin.write_all(input));
        CommandOutput::new(child.wait_with_output().unwrap())
    })
}

#[test]
fn bad_json_is_refused_whichever_way_it_comes() {
    let folder = Folder::project();
    let earlier = folder.submit(&minimal());
    drop(earlier);
    let valid = minimal().to_string();
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("empty", Vec::new(), "输入为空"),
        ("blank", b" \n\t".to_vec(), "输入为空"),
        ("UTF-16", b"\xff\xfe{\0}\0".to_vec(), "编码为 UTF-16，请保存为 UTF-8"),
        ("word", b"{nonsense".to_vec(), "key must be a string at line 1 column 2"),
        ("cut off", valid.as_bytes()[..40].to_vec(), "EOF while parsing"),
        ("trailing", format!("{valid} x").into(), "trailing characters at line 1 column"),
        ("two documents", format!("{valid}{valid}").into(), "trailing characters at line 1 column"),
        ("duplicate", br#"{"task":"a","task":"b"}"#.to_vec(), "duplicate key \"task\" at line 1 column"),
        (
            "deep",
            format!("{{\"a\":{}", "[".repeat(100_000)).into(),
            "recursion limit exceeded at line 1 column",
        ),
        ("UTF-8", b"{\"task\":\"\xff\"}".to_vec(), "不是有效的 UTF-8，从第 10 个字节起"),
        ("cut UTF-8", b"{\"task\":\"\xe4\xb8\"}".to_vec(), "不是有效的 UTF-8，从第 10 个字节起"),
        ("surrogate", br#"{"task":"\ud800"}"#.to_vec(), "unexpected end of hex escape at line 1 column"),
        (
            "surrogates",
            br#"{"task":"\udc00\ud800"}"#.to_vec(),
            "lone leading surrogate in hex escape at line 1 column",
        ),
        ("NaN", br#"{"task":NaN}"#.to_vec(), "expected value at line 1 column"),
        ("infinite", br#"{"task":1e400}"#.to_vec(), "number out of range at line 1 column"),
        ("quotes", br#"{'task':'x'}"#.to_vec(), "key must be a string at line 1 column 2"),
        ("comma", br#"{"task":"x",}"#.to_vec(), "trailing comma at line 1 column"),
        (
            "control",
            b"{\"task\":\"a\nb\"}".to_vec(),
            "control character (\\u0000-\\u001F) found while parsing a string at line 2",
        ),
    ];
    let before = folder.tree();
    for (name, bytes, told) in cases {
        let told = format!("✗ JSON 解析失败: {told}");
        let finished = piped(&folder, &bytes);
        finished.failed_with(1, &told);
        assert!(finished.stderr.ends_with(ADVICE), "{name}: {}", finished.stderr);
        // An argument is at most 128 KiB, and what does not begin like JSON is a path.
        if bytes.starts_with(b"{") || name == "empty" {
            folder
                .aide([OsStr::new("decide"), "submit".as_ref(), &OsString::from_vec(bytes.clone())])
                .failed_with(1, &told);
        }
        let file = Folder::empty();
        file.write("items.json", &bytes);
        folder
            .aide([OsStr::new("decide"), "submit".as_ref(), file.join("items.json").as_ref()])
            .failed_with(1, &told);
    }
    assert_eq!(folder.tree(), before);
}

#[test]
fn integers_beyond_two_to_the_53rd_are_refused() {
    let input = minimal().to_string().replace("\"id\":1", "\"id\":9007199254740993");
    let told = "✗ 数据验证失败: items[0].id 不能大于 9007199254740991，实际为 9007199254740993\n";
    piped(&Folder::project(), input.as_bytes()).failed_with(1, told);
}

#[test]
fn too_much_is_refused_without_being_read() {
    const TOLD: &str = "✗ 输入过大: 超过 16 MiB\n  建议: 减少待定项或缩短内容\n";
    let folder = Folder::project();
    let before = folder.tree();
    let elsewhere = Folder::empty();
    let mut input = minimal();
    input["task"] = "长".repeat(50_000_000 / 3).into();
    let input = input.to_string();
    elsewhere.write("big.json", &input);
    piped(&folder, input.as_bytes()).failed(1, TOLD);
    folder
        .aide([OsStr::new("decide"), "submit".as_ref(), elsewhere.join("big.json").as_ref()])
        .failed(1, TOLD);
    folder.aide(["decide", "submit", "/dev/zero"]).failed(1, TOLD);
    assert_eq!(folder.tree(), before);
}

#[test]
fn the_limit_is_inside() {
    let folder = Folder::project();
    let mut input = minimal().to_string();
    let padding = (16 << 20) - input.len();
    input.push_str(&" ".repeat(padding));
    folder.write("items.json", &input);
    drop(RunningServer::start(folder.command(["decide", "submit", "items.json", "--port", "0"])));
    input.push(' ');
    folder.write("items.json", &input);
    folder.aide(["decide", "submit", "items.json"]).failed_with(1, "✗ 输入过大");
}

#[test]
fn paths() {
    let folder = Folder::project();
    let before = folder.tree();
    let missing = "  建议: 检查路径是否正确；JSON 内容须以 { 开头，或用 - 表示标准输入\n";
    for path in ["missing.json", "./missing", "no/such/file", "config.toml/x", "a\\b", "/", ".aide"] {
        let finished = folder.aide(["decide", "submit", path]);
        if ["/", ".aide"].contains(&path) {
            finished.failed(
                1,
                &format!("✗ 输入是目录而不是文件: {path}\n  建议: 请给出 JSON 文件的路径、以 {{ 开头的 JSON，或用 - 表示标准输入\n"),
            );
        } else {
            finished.failed(1, &format!("✗ 文件不存在: {path}\n{missing}"));
        }
    }
    folder
        .aide(["decide", "submit", ".aide/config.toml/x.json"])
        .failed(1, &format!("✗ 文件不存在: .aide/config.toml/x.json\n{missing}"));
    let long = format!("{}.json", "x".repeat(5000));
    folder.aide(["decide", "submit", &long]).failed_with(1, "✗ 文件不存在: xxx");
    // Reading fails for everybody, root included.
    folder.aide(["decide", "submit", "/proc/self/mem"]).failed_with(1, "✗ 读取文件失败: /proc/self/mem: ");
    let not_utf8 = OsString::from_vec(b"no\xff/such".to_vec());
    folder
        .aide([OsStr::new("decide"), "submit".as_ref(), &not_utf8])
        .failed_with(1, "✗ 文件不存在: no\u{fffd}/such");
    // A printed name cannot be mistaken for a message, and control sequences in it have no effect on a terminal.
    folder
        .aide(["decide", "submit", "\u{1b}[2J\u{202e}/x.json"])
        .failed_with(1, "✗ 文件不存在: \\u{1b}[2J\\u{202e}/x.json\n");
    assert_eq!(folder.tree(), before);
}

#[test]
fn each_source_is_read() {
    let folder = Folder::project();
    let input = minimal().to_string();
    folder.write("sub/items.json", &input);
    folder.write("- x", &input);
    let fifo = folder.join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let check = |command: Command, writer: Option<&dyn Fn()>| {
        let _ = fs::remove_file(folder.decision("pending.json"));
        thread::scope(|scope| {
            let running = scope.spawn(|| RunningServer::start(command));
            if let Some(write) = writer {
                write();
            }
            let running = running.join().unwrap();
            assert_eq!(folder.pending()["task"], "测试任务");
            assert_eq!(running.answer(&minimal_answers()).status, 200);
            running.finish().succeeded("✓ 决策已完成\n");
        });
    };
    let submit = |argument: &str| folder.command(["decide", "submit", argument, "--port", "0"]);
    check(submit(&input), None);
    check(submit(&format!(" \r\n\t{input}\n")), None);
    check(folder.command(["decide", &input, "--port", "0"]), None);
    check(submit("sub/items.json"), None);
    check(submit("./- x"), None);
    check(submit(folder.join("sub/items.json").to_str().unwrap()), None);
    check(submit("fifo"), Some(&|| fs::write(&fifo, &input).unwrap()));
    for argument in ["-", "/dev/stdin"] {
        let mut command = submit(argument);
        command.stdin(File::open(folder.join("sub/items.json")).unwrap());
        check(command, None);
    }
    // A relative path is relative to the current folder, not to the project.
    let mut command = folder.command(["decide", "submit", "items.json", "--port", "0"]);
    command.current_dir(folder.join("sub"));
    check(command, None);
}

#[test]
fn closed_standard_input_is_empty() {
    let folder = Folder::project();
    let before = folder.tree();
    let script = "exec \"$0\" decide submit - <&-";
    let output = Command::new("/bin/sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_aide")])
        .current_dir(folder.path())
        .env_clear()
        .output()
        .unwrap();
    CommandOutput::new(output).failed(1, &format!("✗ JSON 解析失败: 输入为空\n{ADVICE}"));
    assert_eq!(folder.tree(), before);
}

#[test]
fn words_that_are_no_path_are_told_what_is_wrong_with_them() {
    let folder = Folder::project();
    for (text, told) in [
        ("invalid json", "✗ JSON 解析失败: expected value at line 1 column 1\n"),
        ("[{\"a/b\": 1}, ", "✗ JSON 解析失败: EOF while parsing a value"),
        ("null", "✗ 数据验证失败: 输入数据必须为对象\n"),
        ("\"a/b.json\"", "✗ 数据验证失败: 输入数据必须为对象\n"),
        ("", "✗ JSON 解析失败: 输入为空\n"),
    ] {
        folder.aide(["decide", "submit", text]).failed_with(1, told);
    }
}

#[test]
fn refused_input_leaves_earlier_questions_and_starts_nothing() {
    let folder = Folder::project();
    let running = folder.submit(&minimal());
    let before = folder.tree();
    folder.aide(["decide", "submit", "{\"task\":\"x\"}"]).failed_with(1, "✗ 数据验证失败");
    assert_eq!(folder.tree(), before);
    assert_eq!(running.answer(&minimal_answers()).status, 200);
    running.finish().succeeded("✓ 决策已完成\n");
    let result: Value = serde_json::from_str(&folder.result().stdout).unwrap();
    assert_eq!(result, minimal_answers());
}

#[test]
fn questions_are_taken_in_the_shape_of_the_dialog() {
    let folder = Folder::project();
    let asked = json!({ "questions": {
        "question": "Which framework?", "header": "Framework",
        "options": [{ "label": "React (Recommended)", "description": "Known" }, "Vue"],
    } });
    let running = folder.submit(&asked);
    let page = get(running.port, "/?lang=en").text().to_owned();
    assert!(
        page.contains("Which framework?")
            && page.contains("AskUserQuestion")
            && page.contains("Recommended</span>")
    );
    assert!(!page.contains("(Recommended)<"), "{page}");
    running.answer(&json!({ "decisions": [{ "id": 1, "chosen": "React (Recommended)" }] }));
    assert_eq!(running.finish().code, Some(0));
    assert!(folder.result().stdout.contains("\"chosen\":\"React (Recommended)\""));
    let wrong =
        json!({ "questions": [{ "question": "?", "options": ["a"] }, { "options": "b" }] }).to_string();
    let told = folder.aide(["--lang", "en", "decide", "submit", &wrong]);
    assert_eq!(told.code, Some(1));
    for line in [
        "questions[0].options needs at least 2 options, but has 1",
        "questions[1].question must be a string, but is missing",
        "questions[1].options must be an array with at least 1 element, but is \"b\"",
    ] {
        assert!(told.stderr.contains(line), "{}", told.stderr);
    }
}

#[test]
fn previews_are_shown_without_a_way_out_of_the_project() {
    let folder = Folder::project();
    let png = b"\x89PNG\r\n\x1a\n0000";
    folder.write("docs/a.png", png);
    folder.write("docs/fake.png", "<svg onload=alert(1)>");
    folder.write("docs/large.png", [&png[..], &vec![0; 600 << 10]].concat());
    std::os::unix::fs::symlink("/etc/hostname", folder.join("docs/link.png")).unwrap();
    let option = |value: &str, preview: Value| json!({ "value": value, "label": value, "preview": preview });
    let options = json!([
        option("html", json!("<b>bold</b><script>alert(1)</script><img src=x onerror=alert(1)>")),
        option("markdown", json!("**strong**")),
        option("drawn", json!("┌─┐\n│ │\n└─┘")),
        option("file", json!({ "file": "docs/a.png" })),
        option("fake", json!({ "file": "docs/fake.png" })),
        option("large", json!({ "file": "docs/large.png" })),
        option("link", json!({ "file": "docs/link.png" })),
        option("up", json!({ "file": "../../etc/x.png" })),
        option("absolute", json!({ "file": "/etc/x.png" })),
    ]);
    let item = json!({ "id": 1, "title": "Which look?", "options": options });
    let running = folder.submit(&json!({ "task": "t", "source": "s", "items": [item] }));
    let page = get(running.port, "/?lang=en").text().to_owned();
    for shown in [
        "<div class=\"item-context preview\"><b>bold</b></div>",
        "<strong>strong</strong>",
        "<pre tabindex=\"0\">┌─┐\n│ │\n└─┘</pre>",
        "<img src=\"data:image/png;base64,iVBORw0KGgowMDAw\" alt=\"file\">",
        "<code>docs/fake.png</code>",
        "<code>docs/large.png</code>",
        "<code>docs/link.png</code>",
        "<code>../../etc/x.png</code>",
        "<code>/etc/x.png</code>",
        ".preview img",
    ] {
        assert!(page.contains(shown), "{shown} is not in {page}");
    }
    assert!(!page.contains("onerror") && !page.contains("alert(1)") && page.matches("<img").count() == 1);
    let shown = folder.aide(["--lang", "en", "decide", "show"]).stdout;
    assert!(shown.contains("**strong**") && shown.contains("Picture: docs/a.png"), "{shown}");
    running.answer(&json!({ "decisions": [{ "id": 1, "chosen": "html" }] }));
    assert_eq!(running.finish().code, Some(0));
    // A set without previews has nothing of it.
    let running = folder.submit(&crate::support::minimal());
    assert!(!get(running.port, "/").text().contains("preview"));
    running.kill();
}
