//! The programs that a project runs around its phases, and the decisions that it waits for.

use crate::support::repository::Repository;
use crate::support::running::RunningServer;
use crate::support::{CommandOutput, full, full_answers, minimal, minimal_answers, until};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Stdio;

/// A task in the phase `impl`, with this configuration, which is trusted.
fn trusted(configuration: &str) -> Repository {
    let repository = Repository::with_task();
    repository.configure(configuration);
    repository.git(["commit", "-qam", "configure"]);
    assert_eq!(repository.aide(["trust"]).code, Some(0));
    repository
}

/// What the hooks have written down, and nothing any more.
fn said(repository: &Repository) -> String {
    let file = repository.home().join("said");
    let said = fs::read_to_string(&file).unwrap_or_default();
    let _ = fs::remove_file(file);
    said
}

/// A hook that writes its name down.
fn hook(on: &str, rest: &str) -> String {
    format!(
        "[[flow.hooks]]\non = \"{on}\"\nrun = \"echo {on}{} >>$HOME/said\"\n{rest}\n",
        rest.replace(['"', ' '], "")
    )
}

#[test]
fn each_hook_runs_where_it_is_meant_to_and_in_the_order_they_are_written() {
    let all = ["step", "leave", "enter"].map(|on| hook(on, "")).concat();
    let some = hook("enter", "phase = \"verify\"")
        + &hook("leave", "phase = \"verify\"")
        + &hook("step", "phase = \"impl\"");
    let repository = trusted(&(all + &some));
    for (arguments, expected) in [
        (&["next-step", "x"][..], "step\nstepphase=impl\n"),
        (&["back-step", "x"], "step\nstepphase=impl\n"),
        (&["issue", "x"], "step\nstepphase=impl\n"),
        (&["error", "x"], "step\nstepphase=impl\n"),
        (&["next-part", "verify", "x"], "leave\nenter\nenterphase=verify\n"),
        (&["next-step", "x"], "step\n"),
        (&["back-part", "impl", "x"], "leave\nenter\nleavephase=verify\n"),
        (&["start", "verify", "x"], "enter\nenterphase=verify\n"),
        // What is refused anyway runs none.
        (&["next-part", "finish", "x"], ""),
        (&["next-step", " "], ""),
    ] {
        repository.aide(["flow"].iter().chain(arguments));
        assert_eq!(said(&repository), expected, "{arguments:?}");
    }
}

#[test]
fn a_hook_knows_what_happens_and_its_files_are_in_the_commit() {
    let show = "printf '%s|' \"$AIDE_FLOW_ACTION\" \"$AIDE_FLOW_PHASE\" \"$AIDE_FLOW_FROM\" \"$AIDE_FLOW_SUMMARY\" \"$AIDE_FLOW_TASK\" \"$PWD\" >made";
    let repository = trusted(&format!(
        "[[flow.hooks]]\non = \"enter\"\nrun = [\"sh\", \"-c\", '''{show}''']\n[[flow.hooks]]\non = \"step\"\nrun = '''{show}'''\n"
    ));
    let task = repository.state()["task_id"].as_str().unwrap().to_owned();
    let root = repository.path().canonicalize().unwrap().display().to_string();
    let summary = "两行\n$(id) \"x\"";
    repository.flow(["next-step", summary]).succeeded("");
    let expected = format!("next-step|impl|impl|{summary}|{task}|{root}|");
    assert_eq!(repository.git(["show", "HEAD:made"]), expected);
    repository.flow(["next-part", "verify", "完成"]).succeeded("✓ 进入环节: verify\n");
    let expected = format!("next-part|verify|impl|完成|{task}|{root}|");
    assert_eq!(repository.git(["show", "HEAD:made"]), expected);
    assert_eq!(repository.unclean(), "");
}

#[test]
fn a_hook_that_fails_forbids_the_action() {
    let repository = trusted(
        "[[flow.hooks]]\non = \"leave\"\nphase = \"impl\"\nrun = \"echo first; echo '三项未通过' >&2; exit 3\"\n\
         [[flow.hooks]]\non = \"leave\"\nrun = \"echo never >>$HOME/said\"\n\
         [[flow.hooks]]\non = \"step\"\nrun = [\"/nonexistent/tool\", \"-x\"]\n\
         [[flow.hooks]]\non = \"enter\"\nphase = \"flow-design\"\nrun = \"kill -9 $$\"\n",
    );
    let before = repository.snapshot();
    let told = repository.flow(["next-part", "verify", "x"]);
    told.failed_with(1, "✗ 钩子失败（退出码 3）: echo first; echo '三项未通过' >&2; exit 3\n  建议: ");
    assert!(told.stderr.ends_with("\n  first\n  三项未通过\n"), "{}", told.stderr);
    assert_eq!(said(&repository), "");
    repository.flow(["next-step", "x"]).failed_with(1, "✗ 无法启动钩子: /nonexistent/tool -x: ");
    repository.flow(["start", "flow-design", "x"]).failed_with(1, "✗ 钩子被信号终止: kill -9 $$\n");
    assert_eq!(repository.snapshot(), before);
    // The state of the phase is the same, and it can be gone on with.
    repository.configure("");
    repository.flow(["next-part", "verify", "x"]).succeeded("✓ 进入环节: verify\n");
}

#[test]
fn a_hook_that_takes_too_long_is_ended_with_all_that_it_has_started() {
    let repository = trusted(
        "[[flow.hooks]]\non = \"step\"\ntimeout = 1\nrun = \"sleep 600 & echo $! >$HOME/said; echo still here; wait\"\n",
    );
    let before = repository.snapshot();
    let told = repository.flow(["next-step", "x"]);
    told.failed_with(
        1,
        "✗ 钩子超过 1 秒，已终止: sleep 600 & echo $! >$HOME/said; echo still here; wait\n  建议: ",
    );
    assert_eq!(repository.snapshot(), before);
    let process = said(&repository);
    let status = Path::new("/proc").join(process.trim()).join("stat");
    // It may not have been reaped yet.
    until("its end", || {
        fs::read_to_string(&status).is_ok_and(|stat| stat.contains(") Z ")) || !status.exists()
    });
}

/// A hook has a process group of its own, so it gets the signal only if `aide` passes it on.
#[test]
fn a_ctrl_c_ends_a_hook_and_with_it_the_action() {
    let repository = trusted("[[flow.hooks]]\non = \"step\"\nrun = \"echo $$ >$HOME/said; sleep 600\"\n");
    let before = repository.snapshot();
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let mut command = repository.command(["flow", "next-step", "x"]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0).spawn().unwrap();
        let group = Pid::from_child(&child);
        until("the hook", || repository.home().join("said").exists());
        kill_process_group(group, signal).unwrap();
        let told = CommandOutput::new(child.wait_with_output().unwrap());
        told.failed_with(code, "✗ 钩子被信号终止: echo $$ >$HOME/said; sleep 600\n");
        assert_eq!(repository.snapshot(), before);
        said(&repository);
    }
}

/// A signal that only this program gets, as a service manager sends it: a signature that the user would have to give, and a hook of git.
#[test]
fn a_signal_ends_what_git_waits_for_and_with_it_the_action() {
    let signs = |repository: &Repository, script: &str| {
        let program = repository.home().join("gpg");
        fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        repository.git(["config", "commit.gpgsign", "true"]);
        repository.git(["config", "user.signingkey", "ABCDEF"]);
        repository.git(["config", "gpg.program", program.to_str().unwrap()]);
    };
    let script = "echo $$ >\"$HOME/said\"; exec sleep 600";
    for is_hook in [false, true] {
        let repository = Repository::with_task();
        if is_hook {
            repository.hook("pre-commit", script);
        } else {
            signs(&repository, script);
        }
        let before = repository.snapshot();
        for (signal, code) in [(Signal::TERM, 143), (Signal::HUP, 129), (Signal::INT, 130)] {
            let mut command = repository.command(["flow", "next-step", "x"]);
            let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            let process = Pid::from_child(&child);
            let file = repository.home().join("said");
            // The shell has its own name until it has become the other program.
            let is_asleep = |pid: &str| {
                fs::read_to_string(format!("/proc/{}/comm", pid.trim())).is_ok_and(|name| name == "sleep\n")
            };
            until("it is waited for", || {
                fs::read_to_string(&file).is_ok_and(|said| said.ends_with('\n') && is_asleep(&said))
            });
            kill_process(process, signal).unwrap();
            let told = CommandOutput::new(child.wait_with_output().unwrap());
            told.failed_with(code, "✗ git commit 被中断，当时正在等待: sleep\n");
            assert_eq!(repository.snapshot(), before);
            let status = Path::new("/proc").join(said(&repository).trim()).join("stat");
            assert!(fs::read_to_string(&status).is_ok_and(|stat| stat.contains(") Z ")) || !status.exists());
        }
    }
}

/// A shell may swallow the signal that comes while it starts something: git is gone then, and the hook goes on.
#[test]
fn a_hook_that_outlives_its_git_is_not_waited_for() {
    for (hook, is_done) in [("pre-commit", false), ("post-commit", true)] {
        let repository = Repository::with_task();
        repository.hook(hook, "echo $$ >\"$HOME/said\"; kill -9 $PPID; exec sleep 600");
        let before = repository.snapshot();
        let told = repository.flow(["next-step", "x"]);
        if is_done {
            told.succeeded("");
        } else {
            told.failed_with(1, "✗ git commit 失败:\n");
            assert_eq!(repository.snapshot(), before);
        }
        assert_eq!((repository.unclean(), repository.left().len()), (String::new(), 0));
        let process = Pid::from_raw(said(&repository).trim().parse().unwrap()).unwrap();
        rustix::process::kill_process(process, Signal::KILL).unwrap();
    }
}

/// It neither keeps the action waiting nor the next one from beginning.
#[test]
fn what_a_hook_leaves_running_is_not_waited_for() {
    let repository = trusted("[[flow.hooks]]\non = \"step\"\nrun = \"sleep 600 & echo $! >$HOME/said\"\n");
    repository.flow(["next-step", "一"]).succeeded("");
    let first = said(&repository);
    repository.flow(["next-step", "二"]).succeeded("");
    for process in [first, said(&repository)] {
        let process = rustix::process::Pid::from_raw(process.trim().parse().unwrap()).unwrap();
        rustix::process::kill_process(process, rustix::process::Signal::KILL).unwrap();
    }
}

#[test]
fn an_action_in_a_hook_says_that_one_is_going_on() {
    let aide = env!("CARGO_BIN_EXE_aide");
    let repository = trusted(&format!("[[flow.hooks]]\non = \"step\"\nrun = \"{aide} flow issue inner\"\n"));
    let before = repository.snapshot();
    let told = repository.flow(["next-step", "outer"]);
    told.failed_with(1, &format!("✗ 钩子失败（退出码 1）: {aide} flow issue inner\n"));
    assert!(told.stderr.contains("\n  ✗ 状态文件被占用（进程 "), "{}", told.stderr);
    assert_eq!(repository.snapshot(), before);
}

#[test]
fn a_hook_that_commits_by_itself_is_part_of_the_history() {
    let repository = trusted("[[flow.hooks]]\non = \"leave\"\nrun = \"git add -A && git commit -qm hook\"\n");
    repository.write("new", "new");
    repository.flow(["next-part", "verify", "x"]).succeeded("✓ 进入环节: verify\n");
    assert_eq!(repository.git(["log", "-2", "--format=%s"]), "[aide] verify: x\nhook");
    let shown: Value = serde_json::from_str(&repository.flow(["show", "--json"]).stdout).unwrap();
    assert_eq!(shown["history"][1]["git_commit"], repository.head());
    assert_eq!(repository.unclean(), "");
}

#[test]
fn the_hooks_of_a_strangers_project_are_passed_over_until_it_is_trusted() {
    let repository = Repository::with_task();
    repository.configure(&(hook("step", "") + "[plantuml]\njava_path = \"/evil\"\n"));
    let file = repository.path().canonicalize().unwrap().join(".aide/config.toml").display().to_string();
    let warning =
        format!("⚠ {file} 中的 flow.hooks, plantuml.java_path 没有生效，执行 aide trust 查看并信任\n");
    let told = repository.flow(["next-step", "一"]);
    assert_eq!((told.code, &*told.stdout, &*told.stderr), (Some(0), "", &*warning));
    let told = repository.flow(["next-step", "二", "--json"]);
    assert_eq!((told.code, &*told.stderr), (Some(0), &*warning));
    serde_json::from_str::<Value>(&told.stdout).unwrap();
    // Looking runs nothing, so there is nothing to warn of.
    assert_eq!(repository.flow(["status"]).stderr, "");
    assert_eq!(said(&repository), "");

    assert_eq!(repository.aide(["trust"]).code, Some(0));
    repository.flow(["next-step", "三"]).succeeded("");
    assert_eq!(said(&repository), "step\n");
    // Any change has to be seen again, and so has the same text in another place.
    repository.configure(&(hook("step", "") + "# changed\n"));
    assert!(repository.flow(["next-step", "四"]).stderr.starts_with("⚠ "));
    repository.configure(&hook("step", ""));
    assert_eq!(repository.aide(["trust"]).code, Some(0));
    let state = repository.home().join("elsewhere");
    let mut other = repository.command(["flow", "next-step", "五"]);
    assert!(
        CommandOutput::new(other.env("XDG_STATE_HOME", &state).output().unwrap()).stderr.starts_with("⚠ ")
    );
    assert_eq!(said(&repository), "");
    repository.flow(["next-step", "六"]).succeeded("");
    assert_eq!(said(&repository), "step\n");
    assert_eq!(repository.aide(["trust", "--revoke"]).code, Some(0));
    assert!(repository.flow(["next-step", "七"]).stderr.starts_with("⚠ "));
    assert_eq!(said(&repository), "");
}

const REQUIRE: &str = "[[flow.require]]\nphase = \"impl\"\ndecision = \"answered\"\n";
const NOTHING_ASKED: &str = "✗ 离开 impl 前需要用户完成决策，而本环节还没有已完成的决策\n  \
                             建议: 执行 aide decide submit '<json>' 提交待定项，用户完成决策后重试\n";

/// A task in a phase that is left only after a decision.
fn deciding() -> Repository {
    let repository = Repository::with_task();
    repository.configure(REQUIRE);
    repository.flow(["next-step", "配置"]).succeeded("");
    repository
}

fn ask(repository: &Repository, questions: &Value) -> RunningServer {
    let mut command = repository.command(["decide", "submit", &questions.to_string(), "--port", "0"]);
    command.stdin(Stdio::null());
    RunningServer::start(command)
}

#[track_caller]
fn is_refused(repository: &Repository, message: &str) {
    let before = repository.snapshot();
    repository.flow(["next-part", "verify", "x"]).failed(1, message);
    assert_eq!(repository.snapshot(), before);
}

#[test]
fn a_phase_that_needs_a_decision_is_left_when_a_person_has_made_it() {
    let repository = deciding();
    is_refused(&repository, NOTHING_ASKED);
    let asked = ask(&repository, &full());
    is_refused(
        &repository,
        "✗ 离开 impl 前需要用户完成决策，待决策:\n  建议: 执行 aide decide open 打开页面，用户完成决策后重试\n  \
         1. 认证方式选择\n  2. 密码加密算法\n",
    );
    let status: Value = serde_json::from_str(&repository.flow(["status", "--json"]).stdout).unwrap();
    assert_eq!(status["open_decisions"], 2);
    assert_eq!(asked.answer(&full_answers()).status, 200);
    asked.finish().succeeded("✓ 决策已完成\n");
    repository.flow(["next-part", "verify", "决定了"]).succeeded("✓ 进入环节: verify\n");
    assert_eq!(repository.unclean(), "", "the decision is part of the commit");
    // Another phase needs none, nor does going back, nor a step.
    repository.flow(["next-part", "docs", "x"]).succeeded("✓ 进入环节: docs\n→ 请更新 CHANGELOG.md\n");
    repository.flow(["back-part", "impl", "x"]).succeeded("⚠ 回退到环节: impl\n");
}

#[test]
fn an_answer_in_the_terminal_is_one_as_well() {
    let repository = deciding();
    ask(&repository, &minimal()).kill();
    let mut answer = repository.command(["decide", "answer"]);
    let mut child = answer.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"1\n\ny\n").unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    repository.flow(["next-part", "verify", "决定了"]).succeeded("✓ 进入环节: verify\n");
}

#[test]
fn what_was_decided_before_the_phase_or_not_decided_is_no_decision() {
    let repository = deciding();
    let record = |name: &str, ending: Value, time: &str| {
        let mut record = json!({"input": minimal(), "completed_at": time});
        record.as_object_mut().unwrap().extend(ending.as_object().unwrap().clone());
        repository.write(&format!(".aide/decisions/{name}.json"), record.to_string());
    };
    let (early, late) = ("2024-03-02T08:00:00+08:00", "2099-03-02T08:00:00+08:00");
    record("2024-03-02T08-00-00", json!({"output": minimal_answers()}), early);
    record("2099-03-02T08-00-00", json!({"returned": {"message": "太早"}}), late);
    record("2099-03-02T08-00-01", json!({"cancelled": {}}), late);
    repository.write(".aide/decisions/2099-03-02T08-00-02.json", "{");
    is_refused(&repository, NOTHING_ASKED);
    // Nor is what was cancelled by the command.
    ask(&repository, &minimal()).kill();
    assert_eq!(repository.aide(["decide", "cancel"]).code, Some(0));
    is_refused(&repository, NOTHING_ASKED);
    record("2099-03-02T08-00-03", json!({"output": minimal_answers()}), late);
    repository.flow(["next-part", "verify", "决定了"]).succeeded("✓ 进入环节: verify\n");
    // Entered anew, it needs another one.
    let entered = repository.state()["history"].as_array().unwrap().len();
    fs::remove_file(repository.join(".aide/decisions/2099-03-02T08-00-03.json")).unwrap();
    repository.flow(["back-part", "impl", "x"]).succeeded("⚠ 回退到环节: impl\n");
    is_refused(&repository, NOTHING_ASKED);
    assert_eq!(repository.state()["history"].as_array().unwrap().len(), entered + 1);
}
