//! Help, version, and command lines that mean nothing.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod support;

use std::fs::File;
use std::io::pipe;
use std::process::{Command, Stdio};
use support::{Finished, Folder};

#[test]
fn help_of_every_command() {
    let folder = Folder::empty();
    for lang in ["zh", "en"] {
        let mut all = String::new();
        for command in [
            &[][..],
            &["init"],
            &["trust"],
            &["config"],
            &["config", "get"],
            &["config", "set"],
            &["config", "unset"],
            &["config", "list"],
            &["config", "path"],
            &["decide"],
            &["decide", "submit"],
            &["decide", "result"],
        ] {
            let finished = folder.aide(command.iter().chain(&["--help", "--lang", lang]));
            assert_eq!((finished.code, &*finished.stderr), (Some(0), ""));
            all += &format!("$ aide {}\n{}\n", command.join(" "), finished.stdout);
            assert_eq!(folder.aide(command.iter().chain(&["-h", "--lang", lang])), finished);
        }
        insta::assert_snapshot!(format!("help_{lang}"), all);
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
    folder.aide(["--version"]).succeeded(&version);
    folder.aide(["-V"]).succeeded(&version);
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
    Finished::of(output).succeeded("");
    let full = File::options().write(true).open("/dev/full").unwrap();
    let output = folder.command(["--version"]).stdout(full).output().unwrap();
    assert_eq!(Finished::of(output).code, Some(1));
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
    Finished::of(output).failed(1, "✗ 无法确定当前目录: 不存在 (os error 2)\n");
}

/// Colours are for people; what a terminal gets is told by a terminal.
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

/// Whoever has only the binary can check questions before asking them.
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
