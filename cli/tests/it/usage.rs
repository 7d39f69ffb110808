//! Help, version, and command lines that mean nothing.

use crate::support::http::post_json;
use crate::support::{CommandOutput, Folder};
use serde_json::{Value, json};
use std::env;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::pipe;
use std::path::Path;
use std::process::{Command, Stdio};

/// A file that is missing is said to be missing, and nothing of reading, writing, space or permissions.
#[test]
fn a_missing_file_is_said_to_be_missing() {
    let folder = Folder::project();
    for arguments in [
        &["decide", "submit", "nothere.json"][..],
        &["agent", "exec", "nothere.json", "--agent", "reviewer"],
        &["workflow", "understand", "--file", "nothere.json"],
        &["workflow", "review", "--file", "nothere.json"],
    ] {
        for (lang, words) in
            [("en", "✗ no such file: nothere.json\n"), ("zh", "✗ 文件不存在: nothere.json\n")]
        {
            let failed = folder.aide([arguments, &["--lang", lang]].concat());
            assert!(failed.code.is_some_and(|code| code != 0), "{arguments:?}");
            assert_eq!(
                failed.stderr.split_inclusive('\n').next(),
                Some(words),
                "{arguments:?}: {}",
                failed.stderr
            );
            assert!(!failed.stderr.contains("cannot read or write"), "{arguments:?}: {}", failed.stderr);
        }
    }
}

/// What the program needs on another machine, in words that say which version.
#[test]
fn the_readmes_say_which_libraries_another_machine_needs() {
    let (en, zh) = (include_str!("../../../README.md"), include_str!("../../../README.zh.md"));
    let en = en.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(en.contains("needs only glibc and libgcc, at least as new as on the build machine"), "{en}");
    assert!(zh.contains("只需要 glibc 和 libgcc，版本不低于编译它的机器"), "{zh}");
}

#[test]
fn help_of_every_command() {
    let folder = Folder::empty();
    for lang in ["zh", "en"] {
        for command in [
            &[][..],
            &["init"],
            &["setup"],
            &["trust"],
            &["config"],
            &["config", "get"],
            &["config", "set"],
            &["config", "unset"],
            &["config", "list"],
            &["config", "path"],
            &["decide"],
            &["decide", "submit"],
            &["decide", "open"],
            &["decide", "answer"],
            &["decide", "wait"],
            &["decide", "result"],
            &["decide", "list"],
            &["decide", "show"],
            &["decide", "export"],
            &["decide", "cancel"],
            &["decide", "schema"],
            &["decide", "clean"],
            &["flow"],
            &["flow", "start"],
            &["flow", "next-step"],
            &["flow", "back-step"],
            &["flow", "next-part"],
            &["flow", "back-part"],
            &["flow", "back-confirm"],
            &["flow", "issue"],
            &["flow", "error"],
            &["flow", "status"],
            &["flow", "list"],
            &["flow", "show"],
            &["flow", "log"],
            &["provider"],
            &["provider", "list"],
            &["provider", "check"],
            &["plan"],
            &["plan", "lint"],
            &["plan", "activate"],
            &["plan", "tick"],
            &["plan", "status"],
            &["plan", "replay"],
            &["plan", "release"],
            &["schema"],
        ] {
            let finished = folder.aide(command.iter().chain(&["--help", "--lang", lang]));
            assert_eq!((finished.code, &*finished.stderr), (Some(0), ""));
            let words = [&["aide"][..], command].concat().join(" ");
            assert!(finished.stdout.contains(&words), "{words}: {}", finished.stdout);
            assert_eq!(folder.aide(command.iter().chain(&["-h", "--lang", lang])), finished);
        }
    }
    assert!(folder.tree().is_empty());
}

#[test]
fn a_command_without_its_command_is_help() {
    let folder = Folder::empty();
    assert_eq!(folder.aide([""; 0]), folder.aide(["--help"]));
    assert_eq!(folder.aide(["decide"]), folder.aide(["decide", "--help"]));
    assert_eq!(folder.aide(["decide"]).code, Some(0));
}

#[test]
fn version() {
    let folder = Folder::empty();
    let version = format!("aide {}\n", env!("CARGO_PKG_VERSION"));
    folder.aide(["-V"]).succeeded(&version);
    // With what it was built from and for.
    let long = folder.aide(["--version"]).stdout;
    let built = long.strip_prefix(version.trim_end()).and_then(|rest| rest.strip_prefix(" ("));
    let target = built.and_then(|built| built.strip_suffix(")\n")).and_then(|built| built.split(", ").last());
    assert!(target.is_some_and(|target| target.starts_with(env::consts::ARCH)), "{long}");
}

#[test]
fn wrong_usage_exits_with_2() {
    let folder = Folder::project();
    let before = folder.tree();
    for (arguments, told) in [
        (&["x"][..], "✗ 无法识别的子命令: x\n  建议: 执行 aide --help 查看用法\n"),
        (
            &["decide", "resutl"],
            "✗ 无法识别的子命令: resutl\n  建议: 是否要用 result？执行 aide decide --help 查看用法\n",
        ),
        (&["decide", "submit"], "✗ 缺少参数: <INPUT>\n  建议: 执行 aide decide submit --help 查看用法\n"),
        (
            &["decide", "submit", "{}", "--prot", "1"],
            "✗ 无法识别的参数: --prot\n  建议: 是否要用 --port？执行 aide decide submit --help 查看用法\n",
        ),
        (
            &["decide", "submit", "{}", "--port"],
            "✗ 参数缺少值: --port <PORT>\n  建议: 执行 aide decide submit --help 查看用法\n",
        ),
        (&["init", "--force"], "✗ 无法识别的参数: --force\n  建议: 执行 aide init --help 查看用法\n"),
        (
            &["decide", "list", "x\u{1b}[2J\n✓ y"],
            "✗ 无法识别的参数: x\\u{1b}[2J\\n✓ y\n  建议: 执行 aide decide list --help 查看用法\n",
        ),
    ] {
        folder.aide(arguments).failed(2, told);
    }
    folder
        .aide(["--lang", "en", "decide", "submit"])
        .failed(2, "✗ missing argument: <INPUT>\n  hint: run aide decide submit --help\n");
    assert_eq!(folder.tree(), before);
}

#[test]
fn nobody_reads_the_help() {
    let folder = Folder::empty();
    let (reader, writer) = pipe().unwrap();
    drop(reader);
    let output = folder.command(["--help"]).stdout(Stdio::from(writer)).output().unwrap();
    CommandOutput::new(output).succeeded("");
    let full = File::options().write(true).open("/dev/full").unwrap();
    let output = folder.command(["--version"]).stdout(full).output().unwrap();
    assert_eq!(CommandOutput::new(output).code, Some(1));
}

#[test]
fn the_current_folder_can_be_gone() {
    let folder = Folder::empty();
    let script = "mkdir gone && cd gone && rmdir ../gone && exec \"$0\" decide result";
    let output = Command::new("/bin/sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_aide")])
        .current_dir(folder.path())
        .output()
        .unwrap();
    CommandOutput::new(output).failed(1, "✗ 无法确定当前目录: 不存在 (os error 2)\n");
}

/// Colours are for people, so they are tested on a real terminal.
#[test]
fn colours_on_a_terminal_only() {
    let folder = Folder::empty();
    let on_terminal = |variables: &[(&str, &str)]| {
        let command = format!("{} decide result", env!("CARGO_BIN_EXE_aide"));
        let mut script = Command::new("script");
        script.args(["-qec", &command, "/dev/null"]).current_dir(folder.path()).stdin(Stdio::null());
        script
            .env_remove("NO_COLOR")
            .env("TERM", "xterm")
            .env("LC_ALL", "C.UTF-8")
            .envs(variables.iter().copied());
        String::from_utf8(script.output().unwrap().stdout).unwrap()
    };
    assert!(on_terminal(&[]).contains("\u{1b}[31m✗\u{1b}[0m .aide 目录不存在"), "{:?}", on_terminal(&[]));
    for variable in [("NO_COLOR", "1"), ("TERM", "dumb")] {
        assert!(!on_terminal(&[variable]).contains('\u{1b}'), "{variable:?}");
    }
    folder.aide(["decide", "result"]).failed(1, "✗ .aide 目录不存在，请先执行 aide init\n");
}

/// A user with only the binary can check questions before asking them.
#[test]
fn the_schemas_are_printed() {
    let folder = Folder::empty();
    for (arguments, title) in [
        (&["decide", "schema"][..], "aide decide submit"),
        (&["decide", "schema", "--answers"], "aide decide result"),
    ] {
        let finished = folder.aide(arguments);
        assert_eq!((finished.code, &*finished.stderr), (Some(0), ""));
        let schema: serde_json::Value = serde_json::from_str(&finished.stdout).unwrap();
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
        assert!(schema["title"].as_str().unwrap().starts_with(title), "{}", schema["title"]);
    }
    assert!(folder.tree().is_empty());
}

/// The lines of a help from one to another, exactly as they stand there.
fn script(help: &str, from: &str, to: &str) -> String {
    let lines = help.lines().skip_while(|line| line.trim() != from).take_while(|line| line.trim() != to);
    lines.fold(String::new(), |script, line| script + line + "\n")
}

/// Runs lines in a shell that finds this program.
fn shell(folder: &Folder, lang: &str, script: &str) -> CommandOutput {
    let bin = Path::new(env!("CARGO_BIN_EXE_aide")).parent().unwrap();
    let path = env::var_os("PATH").unwrap();
    let path = env::join_paths([bin.to_owned()].into_iter().chain(env::split_paths(&path))).unwrap();
    let variables: [(&str, &OsStr); 3] =
        [("PATH", &path), ("AIDE_LANG", lang.as_ref()), ("AIDE_DECIDE_PORT", "0".as_ref())];
    let mut command = Command::new("/bin/sh");
    command.args(["-e", "-c", script]).current_dir(folder.path()).env_clear().envs(variables);
    CommandOutput::new(command.stdin(Stdio::null()).output().unwrap())
}

#[test]
fn an_agent_with_nothing_but_help_asks_waits_and_reads_the_answer() {
    for lang in ["en", "zh"] {
        let folder = Folder::empty();
        // The first help names the steps, and the next one to read.
        let overview = shell(&folder, lang, "aide --help").stdout;
        for step in [
            "aide init",
            "aide decide submit --detach",
            "aide decide wait SESSION --timeout 540",
            "aide decide --help",
        ] {
            assert!(overview.contains(step), "{step} is missing in\n{overview}");
        }
        let help = shell(&folder, lang, "aide decide --help").stdout;
        let wait = "aide decide wait 2025-01-15T10-30-00 --timeout 540";
        let asked = shell(&folder, lang, &script(&help, "aide init", wait));
        assert_eq!((asked.code, &*asked.stderr), (Some(0), ""), "{}", asked.stdout);
        assert!(asked.stdout.contains("http://localhost:"), "{}", asked.stdout);
        // There is no answer yet, and the exit code is the one in the help.
        let last = asked.stdout.lines().last().unwrap();
        let session = last.split("aide decide wait ").nth(1).unwrap().split(' ').next().unwrap();
        let waited = shell(&folder, lang, &format!("aide decide wait {session} --timeout 1"));
        assert_eq!(waited.code, Some(75), "{}", waited.stderr);
        assert!(help.contains("75"), "{help}");
        let server = fs::read(folder.decision("server.json")).unwrap();
        let server: Value = serde_json::from_slice(&server).unwrap();
        let port = server["url"].as_str().unwrap().rsplit(':').next().unwrap().parse().unwrap();
        let answers = json!({"decisions": [{"id": 1, "chosen": "jwt"}]});
        assert_eq!(post_json(port, "/api/submit", &answers.to_string()).status, 200);
        let answered = shell(&folder, lang, &wait.replace("2025-01-15T10-30-00", session));
        answered.succeeded("{\"decisions\":[{\"id\":1,\"chosen\":\"jwt\"}]}\n");
        assert!(help.contains(answered.stdout.trim()), "the help says what is printed:\n{help}");
    }
}
