//! `--notify`: how the user is notified, and that it never blocks or fails a command.

use crate::support::running::RunningServer;
use crate::support::terminal::Terminal;
use crate::support::{CommandOutput, Folder, minimal, minimal_answers, written};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// A program that writes what it was told into `file`, at once or not at all.
fn program(path: &Path, file: &Path) {
    let file = file.display();
    let script = format!(
        "#!/bin/sh\nprintf '%s\\n' \"$*|$AIDE_URL|$AIDE_TASK|$AIDE_ITEMS\" > '{file}.new'\nmv '{file}.new' '{file}'\n"
    );
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, script).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A project and a person with a command of their own, which writes to `told`.
fn project() -> Folder {
    let folder = Folder::project();
    program(&folder.join("home/tell"), &folder.join("told"));
    let command = json!([folder.join("home/tell"), "a b", "$HOME;*"]);
    folder.write("home/.config/aide/config.toml", format!("[notify]\ncommand = {command}\n"));
    folder
}

fn submit(folder: &Folder, further: &[&str]) -> Command {
    let mut command =
        folder.command(["decide", "submit", "--port", "0", &minimal().to_string()].iter().chain(further));
    command.env("HOME", folder.join("home")).env("PATH", "/usr/bin:/bin");
    command
}

#[test]
fn the_persons_own_command_is_told_of_new_questions() {
    let folder = project();
    let waiting = RunningServer::start(submit(&folder, &["--notify", "command"]));
    let told = folder.join("told");
    let expected = format!("a b $HOME;*|{}|测试任务|1\n", waiting.url);
    assert_eq!(written(&told), expected);
    waiting.answer(&minimal_answers());
    waiting.finish().succeeded("✓ 决策已完成\n");
}

#[test]
fn a_repository_cannot_have_a_program_started() {
    let folder = project();
    folder.write("home/.config/aide/config.toml", "");
    let evil = json!([folder.join("home/tell")]);
    folder.write(".aide/config.toml", format!("[notify]\nwhen = \"command\"\ncommand = {evil}\n"));
    let waiting = RunningServer::start(submit(&folder, &["--notify", "command"]));
    waiting.answer(&minimal_answers());
    let finished = waiting.finish();
    assert_eq!(finished.code, Some(0));
    let config = folder.path().canonicalize().unwrap().join(".aide/config.toml");
    let own = folder.join("home/.config/aide/config.toml");
    assert_eq!(
        finished.stderr,
        format!(
            "⚠ 已忽略 {} 第 1 行的 [notify]，它只能写在您自己的配置中\n⚠ 无法通知您: {} 中没有设置 notify.command\n",
            config.display(),
            own.display()
        )
    );
    assert!(!folder.join("told").exists());
}

#[test]
fn what_goes_wrong_is_told_and_the_questions_are_asked() {
    let folder = project();
    let own = folder.join("home/.config/aide/config.toml");
    for (config, further, warning) in [
        (
            "[notify]\ncommand = [\"/no/such\"]\n",
            &["--notify", "command"][..],
            "⚠ 无法通知您: 无法启动 /no/such: 不存在",
        ),
        ("[notify]\nwhen = \"fax\"\n", &[], "⚠ 配置有误"),
        ("", &["--notify", "desktop"], "⚠ 无法通知您: 无法启动 notify-send: 不存在"),
    ] {
        fs::write(&own, config).unwrap();
        let mut command = submit(&folder, further);
        command.env("PATH", folder.join("home"));
        let waiting = RunningServer::start(command);
        waiting.answer(&minimal_answers());
        let finished = waiting.finish();
        assert_eq!(finished.code, Some(0), "{config}");
        assert!(finished.stderr.starts_with(warning), "{config}: {}", finished.stderr);
    }
    // What is no TOML says nothing of the rest either.
    fs::write(&own, "[notify\n").unwrap();
    CommandOutput::new(submit(&folder, &[]).output().unwrap()).failed_with(1, "✗ 配置有误: ");
    folder.aide(["decide", "submit", "--notify", "fax", &minimal().to_string()]).failed(
        2,
        "✗ 参数 --notify 的值无效: \"fax\"，必须为 bell、desktop、command 或 none\n  \
         建议: command 在 ~/.config/aide/config.toml 的 notify.command 中设置\n",
    );
}

#[test]
fn the_desktop_gets_the_text_as_text() {
    let folder = project();
    program(&folder.join("bin/notify-send"), &folder.join("told"));
    let mut questions = minimal();
    questions["task"] = "-x <b>&".into();
    let mut command =
        folder.command(["decide", "submit", "--port=0", "--notify=desktop", &questions.to_string()]);
    command.env("PATH", format!("{}:/usr/bin:/bin", folder.join("bin").display()));
    let waiting = RunningServer::start(command);
    let told = folder.join("told");
    let text = written(&told);
    assert!(
        text.starts_with("--app-name=aide -- aide: 1 个待定项等待您决策 -x &lt;b&gt;&amp;\nhttp://"),
        "{text}"
    );
    waiting.signal(Signal::TERM);
    assert_eq!(waiting.finish().code, Some(143));
}

#[test]
fn the_bell_rings_once_in_the_terminal_and_nowhere_else() {
    let folder = Folder::project();
    folder.write("home/.config/aide/config.toml", "[notify]\nwhen = \"bell\"\n");
    let home = folder.join("home");
    let variables = [("TERM", "xterm"), ("HOME", home.to_str().unwrap())];
    let input = minimal().to_string();
    let arguments = ["decide", "submit", "--port", "0", &input];
    // By default for new questions; not for the same ones again, unless asked for.
    for (further, rings) in [(&[][..], 1), (&[], 0), (&["--notify", "bell"], 1), (&["--notify", "none"], 0)] {
        let arguments: Vec<&str> = arguments.iter().chain(further).copied().collect();
        let mut terminal = Terminal::start(&folder, &arguments, &variables);
        terminal.until("等待用户完成决策");
        terminal.signal(Signal::INT);
        let (code, terminal) = terminal.finish();
        assert_eq!(code, Some(130));
        assert_eq!(terminal.written.iter().filter(|byte| **byte == 7).count(), rings, "{further:?}");
    }
}

#[test]
fn waiting_for_one_of_several_sets_reminds_of_that_one() {
    let folder = project();
    RunningServer::start(submit(&folder, &[])).kill();
    let mut other = minimal();
    other["task"] = "另一个任务".into();
    let queued = folder.aide(["decide", "submit", "--queue", "--detach", "--port", "0", &other.to_string()]);
    assert_eq!(queued.code, Some(0), "{}", queued.stderr);
    let listed: Value = serde_json::from_str(&folder.aide(["decide", "list", "--json"]).stdout).unwrap();
    let is_other = |set: &&Value| set["task"] == other["task"];
    let session = listed.as_array().unwrap().iter().find(is_other).unwrap()["session_id"].as_str().unwrap();
    let mut command = folder.command(["decide", "wait", session, "--timeout", "1", "--notify", "command"]);
    command.env("HOME", folder.join("home")).env("PATH", "/usr/bin:/bin");
    assert_eq!(command.output().unwrap().status.code(), Some(75));
    let told = folder.join("told");
    crate::support::until("the command has run", || told.exists());
    let told = fs::read_to_string(told).unwrap();
    assert!(told.ends_with("|另一个任务|1\n"), "{told}");
    for session in ["", session] {
        folder.aide(["decide", "cancel"].into_iter().chain((!session.is_empty()).then_some(session)));
    }
}

#[test]
fn waiting_reminds_who_asks_for_it() {
    let folder = project();
    RunningServer::start(submit(&folder, &[])).kill();
    assert!(!folder.join("told").exists(), "nobody asked for that");
    let mut command = folder.command(["decide", "wait", "--timeout", "1", "--notify", "command"]);
    let finished = command.env("HOME", folder.join("home")).env("PATH", "/usr/bin:/bin").output().unwrap();
    assert_eq!(finished.status.code(), Some(75));
    crate::support::until("the command has run", || folder.join("told").exists());
    folder.aide(["decide", "cancel"]);
}
