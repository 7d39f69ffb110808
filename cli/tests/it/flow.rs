//! `aide flow` in real repositories: the rules of contract/flow, and what is said.

use crate::support::http::get;
use crate::support::repository::Repository;
use crate::support::terminal::Terminal;
use crate::support::{Folder, minimal};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

/// In the phase `phase`, with the default phases.
fn in_phase(phase: &str) -> Repository {
    let repository = Repository::new();
    let reminder = if phase == "docs" { "→ 请更新 CHANGELOG.md\n" } else { "" };
    repository.flow(["start", phase, "开始"]).succeeded(&format!("✓ 任务开始: {phase}\n{reminder}"));
    repository
}

fn summaries(state: &Value) -> Vec<(&str, &str, &str, u64)> {
    let entries = state["history"].as_array().unwrap().iter();
    entries
        .map(|entry| {
            (
                entry["action"].as_str().unwrap(),
                entry["phase"].as_str().unwrap(),
                entry["summary"].as_str().unwrap(),
                entry["step"].as_u64().unwrap(),
            )
        })
        .collect()
}

#[test]
fn c2_1_start_records_the_task_and_its_phase() {
    let repository = in_phase("task-optimize");
    let state = repository.state();
    assert_eq!(state["current_phase"], "task-optimize");
    assert_eq!(state["current_step"], 1);
    assert_eq!(summaries(&state), [("start", "task-optimize", "开始", 1)]);
    assert_eq!(state["history"][0].get("git_commit"), None, "the commit cannot know its own hash");
    assert_eq!(repository.subject(), "[aide] task-optimize: 开始");
    let task = state["task_id"].as_str().unwrap();
    assert_eq!(
        repository.git(["log", "-1", "--format=%(trailers:key=Aide-Step,valueonly)"]),
        format!("{task}/1")
    );
    assert_eq!(repository.unclean(), "");
    // As documented: UTF-8, two spaces, a line feed at the end.
    let text = fs::read_to_string(repository.join(".aide/flow-status.json")).unwrap();
    assert_eq!(text, serde_json::to_string_pretty(&state).unwrap() + "\n");
}

#[test]
fn c2_2_next_step_is_silent() {
    let repository = in_phase("impl");
    repository.flow(["next-step", "完成用户模型定义"]).succeeded("");
    assert_eq!(
        summaries(&repository.state()),
        [("start", "impl", "开始", 1), ("next-step", "impl", "完成用户模型定义", 2)]
    );
    assert_eq!(repository.subject(), "[aide] impl: 完成用户模型定义");
}

#[test]
fn c2_3_next_part_enters_the_next_phase() {
    let repository = in_phase("task-optimize");
    repository.flow(["next-part", "flow-design", "任务优化完成"]).succeeded("✓ 进入环节: flow-design\n");
    assert_eq!(repository.state()["current_phase"], "flow-design");
    assert_eq!(repository.subject(), "[aide] flow-design: 任务优化完成");
}

#[test]
fn c2_4_no_phase_is_skipped() {
    let repository = in_phase("flow-design");
    let before = repository.snapshot();
    repository.flow(["next-part", "verify", "x"]).failed(
        1,
        "✗ 非法跳转: flow-design -> verify（next-part 只能前进到相邻环节，不可跳过环节）\n  建议: 下一个环节是 impl\n",
    );
    assert_eq!(repository.snapshot(), before);
}

#[test]
fn c2_5_back_part_goes_back_at_once() {
    let repository = in_phase("impl");
    repository.flow(["back-part", "flow-design", "需求有变"]).succeeded("⚠ 回退到环节: flow-design\n");
    let state = repository.state();
    assert_eq!((&state["current_phase"], &state["current_step"]), (&json!("flow-design"), &json!(2)));
    assert_eq!(repository.subject(), "[aide] flow-design back-part: 需求有变");
}

#[test]
fn c2_6_back_part_goes_only_back() {
    for (from, to) in [("flow-design", "impl"), ("verify", "verify")] {
        let repository = in_phase(from);
        let before = repository.snapshot();
        repository
            .flow(["back-part", to, "x"])
            .failed_with(1, &format!("✗ 非法回退: {from} -> {to}（back-part 只能回退到之前环节）\n"));
        assert_eq!(repository.snapshot(), before);
    }
}

#[test]
fn c3_1_what_was_changed_is_in_the_commit_and_its_hash_in_the_file_later() {
    let repository = in_phase("impl");
    repository.write("src/user.rs", "struct User;\n");
    repository.write("Cargo.lock", "# locked\n");
    repository.flow(["next-step", "模型"]).succeeded("");
    let commit = repository.head();
    let files = repository.git(["show", "--name-only", "--format=", "HEAD"]);
    let task = repository.state()["task_id"].as_str().unwrap().to_owned();
    let own = format!(".aide/logs/flow-status.{task}.json");
    assert_eq!(files.lines().collect::<Vec<_>>(), [&*own, "Cargo.lock", "src/user.rs"]);
    assert_eq!(repository.unclean(), "");
    repository.flow(["issue", "测试覆盖率较低"]).succeeded("");
    assert_eq!(repository.state()["history"][1]["git_commit"], commit);
    assert_eq!(repository.subject(), "[aide] impl issue: 测试覆盖率较低");
}

#[test]
fn c3_2_without_changes_and_with_an_ignored_folder_nothing_is_committed() {
    let repository = Repository::without_commits();
    repository.write(".gitignore", ".aide/\n");
    repository.git(["add", "-A"]);
    repository.git(["commit", "-q", "-m", "begin"]);
    let head = repository.head();
    repository.flow(["start", "impl", "开始"]).succeeded("✓ 任务开始: impl\n");
    repository.flow(["next-step", "无改动"]).succeeded("");
    assert_eq!(repository.head(), head);
    let state = repository.state();
    assert_eq!(state["current_step"], 2);
    assert!(state["history"].as_array().unwrap().iter().all(|entry| entry.get("git_commit").is_none()));
    // Another change is committed, and found again.
    repository.write("a.txt", "a\n");
    repository.flow(["next-step", "有改动"]).succeeded("");
    assert_eq!(repository.git(["show", "--name-only", "--format=", "HEAD"]), "a.txt");
    repository.flow(["next-step", "又无改动"]).succeeded("");
    assert_eq!(repository.state()["history"][2]["git_commit"], repository.head());
    // The latest had nothing to commit.
    repository.flow(["next-step", "再次"]).succeeded("");
    assert_eq!(repository.state()["history"][3].get("git_commit"), None);
}

#[test]
fn c3_3_where_git_fails_nothing_is_recorded() {
    let outside = Repository::bare_folder();
    outside.aide(["init"]);
    let told = outside.flow(["start", "impl", "开始"]);
    told.failed_with(1, "✗ 当前目录不是 git 仓库，请先执行 git init 或切换到正确目录\n");
    assert!(!outside.join(".aide/flow-status.json").exists());

    let repository = in_phase("impl");
    repository.write("a.txt", "a\n");
    repository.git(["add", "a.txt"]);
    repository.write("b.txt", "b\n");
    repository.hook("pre-commit", "echo 'no tests, no commit' >&2; exit 1");
    let before = repository.snapshot();
    let told = repository.flow(["next-step", "x"]);
    told.failed_with(1, "✗ git commit 失败:\n");
    assert!(told.stderr.contains("\n  no tests, no commit\n"), "{}", told.stderr);
    assert_eq!(repository.snapshot(), before);
    // And nothing has to be repaired.
    fs::remove_file(repository.join(".git/hooks/pre-commit")).unwrap();
    repository.flow(["next-step", "x"]).succeeded("");
    assert_eq!(repository.unclean(), "");
}

/// A PlantUML that finds a mistake in files with `bad`.
fn plantuml(repository: &Repository) {
    use std::os::unix::fs::PermissionsExt;
    let script = "#!/bin/sh\nmode=$1; shift\nfor file; do\n  if grep -q bad \"$file\"; then echo \"Error line 1 in file: $file\" >&2; failed=1; fi\n  \
                  [ \"$mode\" = -tpng ] && printf png >\"${file%.*}.png\"\n  echo \"$mode $file\" >>\"$HOME/calls\"\ndone\nexit ${failed:-0}\n";
    let path = repository.home().join("bin/plantuml");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn flow_with_plantuml(repository: &Repository, arguments: &[&str]) -> crate::support::CommandOutput {
    let path = format!("{}/bin:{}", repository.home().display(), std::env::var("PATH").unwrap());
    let mut command = repository.command(["flow"].iter().chain(arguments));
    crate::support::CommandOutput::new(command.env("PATH", path).output().unwrap())
}

#[test]
fn c4_1_changed_diagrams_are_checked_and_drawn_when_the_design_is_left() {
    let repository = Repository::new();
    plantuml(&repository);
    repository.write("docs/old.puml", "@startuml\nbad but old\n@enduml\n");
    repository.git(["add", "-A"]);
    repository.git(["commit", "-q", "-m", "old"]);
    repository.flow(["start", "flow-design", "开始"]).succeeded("✓ 任务开始: flow-design\n");
    repository.write("docs/a/流程.puml", "@startuml\nbad\n@enduml\n");
    repository.write("discuss/b.plantuml", "@startuml\ngood\n@enduml\n");
    repository.flow(["next-step", "画图"]).succeeded("");
    let before = repository.snapshot();
    let told = flow_with_plantuml(&repository, &["next-part", "impl", "设计完成"]);
    told.failed(
        1,
        "✗ PlantUML 语法校验失败:\n  建议: 修正后重试\n  docs/a/流程.puml: Error line 1 in file: ./docs/a/流程.puml\n",
    );
    assert_eq!(repository.snapshot(), before);

    repository.write("docs/a/流程.puml", "@startuml\ngood\n@enduml\n");
    let told = flow_with_plantuml(&repository, &["next-part", "impl", "设计完成"]);
    assert_eq!((told.code, &*told.stdout), (Some(0), "✓ 进入环节: impl\n✓ PlantUML 处理完成: 2 个文件\n"));
    let files = repository.git(["-c", "core.quotePath=false", "show", "--name-only", "--format=", "HEAD"]);
    for file in ["docs/a/流程.png", "discuss/b.png", "docs/a/流程.puml"] {
        assert!(files.lines().any(|line| line == file), "{file} in {files}");
    }
    let calls = fs::read_to_string(repository.home().join("calls")).unwrap();
    assert!(!calls.contains("old.puml"), "{calls}");
    assert_eq!(repository.unclean(), "");
}

#[test]
fn c4_1_without_plantuml_diagrams_are_passed_over_or_not() {
    let repository = in_phase("flow-design");
    repository.write("docs/a.puml", "@startuml\n@enduml\n");
    let told = repository.flow(["next-part", "impl", "x"]);
    let warning = "⚠ 未找到 PlantUML（jar 或系统命令），已跳过校验/PNG 生成\n";
    assert_eq!((told.code, &*told.stdout, &*told.stderr), (Some(0), "✓ 进入环节: impl\n", warning));

    let repository = in_phase("flow-design");
    repository.configure("[flow.plantuml]\non_missing_tool = \"error\"\n");
    repository.write("docs/a.puml", "@startuml\n@enduml\n");
    repository.flow(["next-part", "impl", "x"]).failed_with(1, "✗ 未找到 PlantUML（jar 或系统命令）\n");
    repository.configure("[flow.plantuml]\nenabled = false\n");
    repository.flow(["next-part", "impl", "x"]).succeeded("✓ 进入环节: impl\n");
}

#[test]
fn c4_2_entering_the_documents_reminds_of_the_change_log() {
    let repository = in_phase("verify");
    repository.flow(["next-part", "docs", "验证通过"]).succeeded("✓ 进入环节: docs\n→ 请更新 CHANGELOG.md\n");
    let repository = in_phase("finish");
    repository.flow(["back-part", "docs", "x"]).succeeded("⚠ 回退到环节: docs\n→ 请更新 CHANGELOG.md\n");
    let repository = Repository::new();
    repository.flow(["start", "docs", "x"]).succeeded("✓ 任务开始: docs\n→ 请更新 CHANGELOG.md\n");
}

#[test]
fn c4_3_the_documents_are_left_when_the_change_log_was_written() {
    let repository = in_phase("docs");
    let leave = || repository.flow(["next-part", "finish", "文档完成"]);
    leave().failed_with(1, "✗ 离开 docs 前需要更新 CHANGELOG.md（当前文件不存在）\n");
    // One from before the phase does not count.
    repository.flow(["back-part", "verify", "x"]).succeeded("⚠ 回退到环节: verify\n");
    repository.write("CHANGELOG.md", "# old\n");
    repository.flow(["next-step", "x"]).succeeded("");
    repository.flow(["next-part", "docs", "x"]).succeeded("✓ 进入环节: docs\n→ 请更新 CHANGELOG.md\n");
    let before = repository.snapshot();
    leave().failed_with(1, "✗ 离开 docs 前需要更新 CHANGELOG.md（未检测到 docs 阶段的更新记录）\n");
    assert_eq!(repository.snapshot(), before);
    // Going back is always possible.
    repository.write("CHANGELOG.md", "# new\n");
    repository.flow(["next-step", "更新 CHANGELOG"]).succeeded("");
    leave().succeeded("✓ 进入环节: finish\n");
    assert_eq!(repository.subject(), "[aide] finish: 文档完成");
}

#[test]
fn c4_3_a_change_that_is_not_committed_counts_and_the_configuration_can_waive_it() {
    let repository = in_phase("docs");
    repository.write("CHANGELOG.md", "# new\n");
    repository.flow(["next-part", "finish", "x"]).succeeded("✓ 进入环节: finish\n");

    let repository = in_phase("docs");
    repository.configure("[flow.changelog]\nrequired = false\n");
    let told = repository.flow(["next-part", "finish", "x"]);
    assert_eq!((told.code, &*told.stdout), (Some(0), "✓ 进入环节: finish\n"));
    assert_eq!(told.stderr, "⚠ 离开 docs 前没有更新 CHANGELOG.md\n");
}

#[test]
fn an_error_is_recorded_and_said() {
    let repository = in_phase("impl");
    repository.flow(["error", "测试失败"]).succeeded("✗ 错误已记录: 测试失败\n");
    repository.flow(["back-step", "撤销"]).succeeded("");
    let subjects = repository.git(["log", "-2", "--format=%s"]);
    assert_eq!(subjects, "[aide] impl back-step: 撤销\n[aide] impl error: 测试失败");
    assert_eq!(repository.state()["current_step"], 3, "it only ever grows");
}

#[test]
fn a_summary_forges_neither_a_line_nor_a_trailer() {
    let repository = in_phase("impl");
    repository.flow(["next-step", "a\n\nAide-Step: 2025-01-15T10-30-00/9\nSigned-off-by: Eve"]).succeeded("");
    assert_eq!(
        repository.git(["log", "-1", "--format=%B"]).lines().next().unwrap(),
        "[aide] impl: a Aide-Step: 2025-01-15T10-30-00/9 Signed-off-by: Eve"
    );
    let trailers = repository.git(["log", "-1", "--format=%(trailers)"]);
    assert_eq!(trailers.trim(), format!("Aide-Step: {}/2", repository.state()["task_id"].as_str().unwrap()));
}

#[test]
fn bad_arguments_change_nothing() {
    let repository = in_phase("impl");
    let before = repository.snapshot();
    repository.flow(["next-step", "  "]).failed(1, "✗ 文本参数不能为空\n");
    repository.flow(["next-part", "nowhere", "x"]).failed_with(
        1,
        "✗ 未知环节: nowhere（请检查 flow.phases 配置）\n  建议: 环节依次为: task-optimize, ",
    );
    repository.flow(["start", "nowhere", "x"]).failed_with(1, "✗ 未知环节: nowhere");
    let long = "字".repeat(501);
    repository.flow(["next-step", &long]).failed(1, "✗ 文本参数过长: 501 个字符，最多 500 个\n");
    repository.flow(["next-step"]).failed_with(2, "✗ 缺少参数: <SUMMARY>\n");
    repository.flow(["sideways", "x"]).failed_with(2, "✗ 无法识别的子命令: sideways\n");
    assert_eq!(repository.snapshot(), before);
}

#[test]
fn without_a_task_or_a_folder_it_says_what_to_do() {
    let repository = Repository::new();
    for action in ["next-step", "back-step", "issue", "error"] {
        repository
            .flow([action, "x"])
            .failed(1, "✗ 未找到流程状态，请先运行：aide flow start <环节名> \"<总结>\"\n");
    }
    repository.flow(["status"]).succeeded("→ 无活跃任务\n");
    repository.flow(["status", "--json"]).succeeded("null\n");
    repository.flow(["list"]).succeeded("→ 暂无任务记录\n");
    repository.flow(["list", "--json"]).succeeded("[]\n");
    repository.flow(["show", "x"]).failed(1, "✗ 未找到任务: x\n  建议: 执行 aide flow list 查看全部任务\n");
    repository.flow(["show", "../../etc/passwd"]).failed_with(1, "✗ 未找到任务: ");

    let nothing = Repository::bare_folder();
    nothing.git(["init", "-q"]);
    nothing.flow(["start", "impl", "x"]).failed(1, "✗ 未找到 .aide 目录，请先运行：aide init\n");
}

#[test]
fn status_list_and_show_tell_all() {
    let repository = in_phase("impl");
    repository.write("a.txt", "a\n");
    repository.flow(["next-step", "完成"]).succeeded("");
    let state = repository.state();
    let task = state["task_id"].as_str().unwrap();
    let head = repository.head();
    let times: Vec<&str> = state["history"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["timestamp"].as_str().unwrap())
        .collect();
    repository.flow(["status"]).succeeded(&format!(
        "→ 当前任务: {task}\n→ 环节: impl\n→ 步骤: 2\n→ 开始时间: {}\n→ 最新操作: 完成\n→ 操作时间: {}\n→ Git 提交: {}\n",
        state["started_at"].as_str().unwrap(),
        times[1],
        &head[..7],
    ));
    let first = state["history"][0]["git_commit"].as_str().unwrap();
    repository.flow(["show"]).succeeded(&format!(
        "→ 任务 ID: {task}\n→ 当前环节: impl\n→ 当前步骤: 2\n→ 开始时间: {}\n→ 历史记录:\n  \
         [1] {} start impl step=1: 开始 [{}]\n  [2] {} next-step impl step=2: 完成 [{}]\n",
        state["started_at"].as_str().unwrap(),
        times[0],
        &first[..7],
        times[1],
        &head[..7],
    ));
    let status: Value = serde_json::from_str(&repository.flow(["status", "--json"]).stdout).unwrap();
    assert_eq!(status["latest"]["git_commit"], head);
    assert_eq!((&status["current_step"], &status["open_decisions"]), (&json!(2), &json!(0)));
    let show: Value = serde_json::from_str(&repository.flow(["show", task, "--json"]).stdout).unwrap();
    assert_eq!(show["history"][1]["git_commit"], head);

    // The next task archives this one, and all its commits are known.
    let told = repository.flow([
        "start",
        "task-optimize",
        "第二个任务，它的总结比三十个字符要长得多，所以在列表中会被截短",
    ]);
    assert_eq!((told.code, &*told.stdout), (Some(0), "✓ 任务开始: task-optimize\n"));
    assert_eq!(
        told.stderr,
        format!("⚠ 任务 {task} 尚在环节 impl，已归档，可用 aide flow show {task} 查看\n")
    );
    let next = repository.state()["task_id"].as_str().unwrap().to_owned();
    assert!(next.as_str() > task, "{next} {task}");
    repository.flow(["list"]).succeeded(&format!(
        "→ 当前任务:\n  *[1] {next} (task-optimize) 第二个任务，它的总结比三十个字符要长得多，所以在列表中会被截...\n→ 已归档任务:\n   [2] {task} (impl) 开始\n→ 提示: 使用 aide flow show <task_id> 查看详细状态\n"
    ));
    let archived: Value = serde_json::from_slice(
        &fs::read(repository.join(&format!(".aide/logs/flow-status.{task}.json"))).unwrap(),
    )
    .unwrap();
    assert_eq!(archived["history"][1]["git_commit"], head);
    assert_eq!(repository.unclean(), "");
    let show: Value = serde_json::from_str(&repository.flow(["show", task, "--json"]).stdout).unwrap();
    assert_eq!(show, archived);
    // By its number in the list.
    assert_eq!(repository.flow(["show", "2", "--json"]).stdout, format!("{show}\n"));
    assert_eq!(repository.flow(["show", "1"]).stdout, repository.flow(["show"]).stdout);
    for absent in ["0", "3"] {
        repository.flow(["show", absent]).failed_with(1, &format!("✗ 未找到任务: {absent}\n"));
    }
}

#[test]
fn a_finished_task_is_archived_without_a_word() {
    let repository = in_phase("finish");
    repository.flow(["start", "impl", "下一个"]).succeeded("✓ 任务开始: impl\n");
}

#[test]
fn archives_of_earlier_implementations_are_found() {
    let repository = in_phase("impl");
    let old = json!({
        "task_id": "2025-01-15T10-30-00", "current_phase": "finish", "current_step": 1, "started_at": "2025-01-15T10:30:00+08:00",
        "history": [{"timestamp": "2025-01-15T10:30:00+08:00", "action": "start", "phase": "finish", "step": 1, "summary": "旧任务"}],
    });
    repository.write(".aide/logs/2025-01-15T10-30-00-status.json", old.to_string());
    repository.write(".aide/logs/flow-status.2025-01-14T10-30-00.json", "{");
    let told = repository.flow(["list"]).stdout;
    assert!(told.contains("\n   [2] 2025-01-15T10-30-00 (finish) 旧任务\n"), "{told}");
    assert!(told.contains("\n   [3] 2025-01-14T10-30-00  状态文件解析失败: "), "{told}");
    let show: Value =
        serde_json::from_str(&repository.flow(["show", "2025-01-15T10-30-00", "--json"]).stdout).unwrap();
    assert_eq!(show, old);
    repository.flow(["show", "2025-01-14T10-30-00"]).failed_with(1, "✗ 状态文件解析失败: ");
}

#[test]
fn an_unreadable_state_is_reported_and_never_overwritten() {
    let repository = in_phase("impl");
    for (content, words) in [
        ("", "EOF while parsing a value"),
        ("[]", "状态文件顶层必须为对象"),
        ("{\"task_id\": \"\"}", "task_id 必须为非空字符串"),
        ("{\"task_id\":\"x\",\"history\":{}}", "history 必须为列表"),
        ("{\"task_id\":\"x\",\"history\":[1]}", "current_phase 必须为非空字符串"),
        (
            "{\"task_id\":\"x\",\"current_phase\":\"impl\",\"current_step\":true,\"started_at\":\"t\",\"history\":[]}",
            "current_step 必须为整数",
        ),
    ] {
        repository.write(".aide/flow-status.json", content);
        let before = repository.snapshot();
        for arguments in [["start", "impl", "x"].as_slice(), &["next-step", "x"], &["status"], &["show"]] {
            let told = repository.aide(["flow"].iter().chain(arguments));
            told.failed_with(1, "✗ 状态文件解析失败: .aide/flow-status.json: ");
            assert!(told.stderr.contains(words), "{content}: {}", told.stderr);
        }
        assert_eq!(repository.snapshot(), before);
    }
}

#[test]
fn unknown_fields_are_kept() {
    let repository = in_phase("impl");
    let mut state = repository.state();
    state["source_branch"] = json!("main");
    state["history"][0]["others"] = json!({"a": [1.5, null]});
    repository.write(".aide/flow-status.json", state.to_string());
    repository.flow(["next-step", "x"]).succeeded("");
    let state = repository.state();
    assert_eq!(state["source_branch"], "main");
    assert_eq!(state["history"][0]["others"], json!({"a": [1.5, null]}));
}

#[test]
fn actions_tell_json() {
    let repository = Repository::new();
    let started: Value =
        serde_json::from_str(&repository.flow(["start", "impl", "开始", "--json"]).stdout).unwrap();
    assert_eq!(
        started,
        json!({
            "task_id": repository.state()["task_id"], "action": "start", "phase": "impl", "step": 1, "summary": "开始",
            "timestamp": repository.state()["started_at"], "git_commit": repository.head(),
            "committed": {
                "files": 1, "changed_before": {"count": 0, "files": []}, "secrets": {"count": 0, "files": []},
                "left_out": {"count": 0, "files": []},
            },
        })
    );
    let error: Value = serde_json::from_str(&repository.flow(["error", "坏了", "--json"]).stdout).unwrap();
    assert_eq!((&error["action"], &error["git_commit"]), (&json!("error"), &json!(repository.head())));
}

#[test]
fn going_back_can_need_a_confirmation() {
    let repository = in_phase("impl");
    repository.configure("[flow]\nback_confirm = true\n");
    repository.git(["commit", "-qam", "configure"]);
    let before = repository.snapshot();
    repository.flow(["back-part", "verify", "x"]).failed_with(1, "✗ 非法回退: impl -> verify");
    repository.flow(["back-part", "nowhere", "x"]).failed_with(1, "✗ 未知环节: nowhere");
    repository.flow(["back-confirm", "--key", "x"]).failed(1, "✗ 无待确认的返工请求\n");
    repository.flow(["back-confirm", "--cancel"]).failed(1, "✗ 无待确认的返工请求\n");
    repository.flow(["back-confirm"]).failed_with(2, "✗ 需要 --key <KEY> 或 --cancel\n");

    let told = repository.flow(["back-part", "flow-design", "新需求"]);
    let request: Value =
        serde_json::from_slice(&fs::read(repository.join(".aide/back-confirm-state.json")).unwrap()).unwrap();
    let key = request["pending_key"].as_str().unwrap().to_owned();
    assert!(key.len() == 12 && key.bytes().all(|byte| byte.is_ascii_hexdigit()), "{key}");
    told.succeeded(&format!(
        "⚠ 返工需要确认。请先完成以下准备工作:\n→ 1. 学习返工流程指南\n→ 2. 更新任务文档（记录返工原因和新需求）\n→ 3. 完成准备工作后执行:\n→    aide flow back-confirm --key {key}\n"
    ));
    assert_eq!(repository.snapshot(), before, "the wish alone changes nothing that git sees");
    let told = repository.flow(["back-part", "task-optimize", "x"]);
    assert_eq!(
        (told.code, told.stdout),
        (
            Some(1),
            format!(
                "⚠ 已存在待确认的返工请求\n→ 目标环节: flow-design\n→ 原因: 新需求\n→ 请执行: aide flow back-confirm --key {key}\n"
            )
        )
    );
    repository.flow(["back-confirm", "--key", "000000000000"]).failed(1, "✗ 确认 key 不匹配\n");
    assert_eq!(repository.snapshot(), before);
    repository
        .flow(["back-confirm", "--key", &key])
        .succeeded("⚠ 回退到环节: flow-design\n⚠ 建议执行 /exit 重新开始对话\n");
    assert_eq!(repository.subject(), "[aide] flow-design back-part: 新需求");
    assert_eq!(repository.unclean(), "");
    repository.flow(["back-confirm", "--key", &key]).failed(1, "✗ 无待确认的返工请求\n");

    repository.flow(["back-part", "task-optimize", "x"]);
    repository.flow(["back-confirm", "--cancel"]).succeeded("✓ 返工请求已取消\n");
    assert_eq!(repository.state()["current_phase"], "flow-design");
}

#[test]
fn a_report_has_everything_that_was_recorded() {
    let repository = in_phase("flow-design");
    repository.flow(["next-part", "impl", "设计 | 完成 <b>"]).succeeded("✓ 进入环节: impl\n");
    repository.flow(["issue", "测试*较少*"]).succeeded("");
    let state = repository.state();
    let entries = state["history"].as_array().unwrap();
    let time = |index: usize| entries[index]["timestamp"].as_str().unwrap();
    let commit = |index: usize| entries[index]["git_commit"].as_str().unwrap()[..7].to_owned();
    let report = repository.flow(["log", "--format", "md"]);
    assert_eq!((report.code, &*report.stderr), (Some(0), ""));
    for line in [
        "# 任务报告: 开始".to_owned(),
        format!("- 任务: {}", state["task_id"].as_str().unwrap()),
        format!("| 1 | {} | 开始 | 开始 | {} |", time(0), commit(0)),
        format!("| 2 | {} | 进入环节 | 设计 \\| 完成 \\<b\\> | {} |", time(1), commit(1)),
        format!("| 3 | {} | 问题 | 测试\\*较少\\* | {} |", time(2), &repository.head()[..7]),
        "- 问题 (impl, 3): 测试\\*较少\\*".to_owned(),
    ] {
        assert!(report.stdout.lines().any(|found| found == line), "{line} is missing in\n{}", report.stdout);
    }
    assert_eq!(repository.flow(["log"]).stdout, report.stdout);
    let task = state["task_id"].as_str().unwrap();
    assert_eq!(repository.flow(["log", task]).stdout, report.stdout);
    let english = repository.aide(["--lang", "en", "flow", "log"]).stdout;
    assert!(
        english.starts_with("# Task report: 开始\n") && english.contains("## Issues and errors\n"),
        "{english}"
    );
    repository
        .flow(["log", "--format", "html"])
        .failed_with(2, "✗ 参数 --format 的值无效: \"html\"，必须为 md\n");
    repository.flow(["log", "2020-01-01T00-00-00"]).failed_with(1, "✗ 未找到任务: 2020-01-01T00-00-00\n");
}

#[test]
fn who_watches_sees_every_change() {
    let repository = in_phase("impl");
    let mut child =
        repository.command(["flow", "status", "--watch", "--json"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    assert_eq!(next()["current_step"], 1);
    repository.flow(["next-step", "x"]).succeeded("");
    assert_eq!(next()["current_step"], 2);
    fs::remove_dir_all(repository.join(".aide/logs")).unwrap();
    fs::remove_file(repository.join(".aide/flow-status.json")).unwrap();
    assert_eq!(next(), Value::Null);
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn in_a_terminal_status_shows_phases_steps_and_time() {
    let repository = in_phase("flow-design");
    repository.flow(["next-part", "impl", "设计完成"]).succeeded("✓ 进入环节: impl\n");
    let path = std::env::var("PATH").unwrap();
    let home = repository.home().display().to_string();
    let variables = [("TERM", "xterm-256color"), ("PATH", path.as_str()), ("HOME", home.as_str())];
    let (code, terminal) = Terminal::start(&repository.folder, &["flow", "status"], &variables).finish();
    assert_eq!(code, Some(0));
    let screen = terminal.screen();
    for part in [
        "→ 环节: impl",
        "task-optimize → flow-design → [impl] → verify → docs → finish",
        "用时: ",
        "最近步骤:",
        "start flow-design step=1: 开始 [",
        "next-part impl step=2: 设计完成 [",
    ] {
        // A line may be broken where the screen ends.
        let flat = screen.replace('\n', "");
        assert!(flat.contains(part), "{part} is missing in\n{screen}");
    }
}

#[test]
fn who_watches_in_a_terminal_sees_one_status_in_its_place() {
    let repository = in_phase("impl");
    let path = std::env::var("PATH").unwrap();
    let home = repository.home().display().to_string();
    let variables = [("TERM", "xterm-256color"), ("PATH", path.as_str()), ("HOME", home.as_str())];
    let mut terminal = Terminal::start(&repository.folder, &["flow", "status", "--watch"], &variables);
    terminal.until("→ 步骤: 1");
    terminal.until("用时: ");
    repository.flow(["issue", "测试不足\u{1b}[2J"]).succeeded("");
    terminal.until("⚠ [");
    terminal.until("测试不足\\u{1b}[2J");
    terminal.resize(24, 30);
    terminal.until("最近步骤:");
    assert_eq!(terminal.screen().matches("最近步骤").count(), 1, "{}", terminal.screen());
    // What does not fit is printed whole, its end last.
    terminal.resize(5, 80);
    terminal.until("⚠ [");
    terminal.signal(Signal::INT);
    let (_, terminal) = terminal.finish();
    assert!(terminal.is_given_back());
}

#[test]
fn errors_and_issues_are_told_apart_at_a_glance() {
    let repository = in_phase("impl");
    repository.flow(["issue", "测试不足"]).succeeded("");
    repository.flow(["error", "连不上数据库"]).succeeded("✗ 错误已记录: 连不上数据库\n");
    repository.flow(["next-step", "修好了"]).succeeded("");
    let path = std::env::var("PATH").unwrap();
    let home = repository.home().display().to_string();
    let variables = [("TERM", "xterm-256color"), ("PATH", path.as_str()), ("HOME", home.as_str())];
    for command in ["status", "show"] {
        let terminal = Terminal::start(&repository.folder, &["flow", command], &variables).finish().1;
        let screen = terminal.screen();
        let line = |summary: &str| {
            // A line may be broken where the screen ends.
            let flat =
                screen.replace("\n  [", "\n\n  [").replace("\n⚠ [", "\n\n⚠ [").replace("\n✗ [", "\n\n✗ [");
            let lines: Vec<_> = flat.split("\n\n").map(|line| line.replace('\n', "")).collect();
            let of = |line: &&String| line.contains("step=") && line.contains(summary);
            lines.iter().find(of).cloned().unwrap_or_else(|| panic!("no {summary} on\n{screen}"))
        };
        assert!(line("测试不足").starts_with("⚠ [2] "), "{command}\n{screen}");
        assert!(line("连不上数据库").starts_with("✗ [3] "), "{command}\n{screen}");
        assert!(line("修好了").starts_with("  [4] "), "{command}\n{screen}");
        assert_eq!(screen.contains("→ 错误: 1，问题: 1"), command == "status", "{screen}");
    }
    // A program reads what it always did.
    let shown = repository.flow(["show"]).stdout;
    assert!(shown.contains("\n  [2] ") && shown.contains("\n  [3] ") && !shown.contains('✗'), "{shown}");
}

#[test]
fn a_mistake_about_tasks_keeps_nobody_from_asking() {
    let folder = Folder::project();
    folder.write(".aide/config.toml", "[flow]\nphases = []\n");
    let running = folder.submit(&minimal());
    assert_eq!(get(running.port, "/").status, 200);
    let page = get(running.port, "/flow");
    assert_eq!(page.status, 500);
    assert!(page.text().contains("flow.phases 配置无效：必须为非空列表"), "{}", page.text());
    // Who has mended it need not ask anew.
    folder.write(".aide/config.toml", "");
    assert_eq!(get(running.port, "/flow").status, 200);
}

#[test]
fn a_mistake_about_tasks_is_told_in_the_language_of_whoever_asks() {
    let folder = Folder::project();
    folder.write(".aide/config.toml", "[flow]\nphases = []\n");
    let running = folder.submit(&minimal());
    for (lang, told) in [
        ("zh", "flow.phases 配置无效：必须为非空列表"),
        ("en", "flow.phases is invalid: it must be a list of at least one phase"),
    ] {
        let page = get(running.port, &format!("/flow?lang={lang}"));
        assert_eq!(page.status, 500);
        assert!(page.text().contains(told), "{lang}: {}", page.text());
    }
}

#[test]
fn an_earlier_task_whose_file_is_none_is_listed_with_the_reason() {
    let repository = in_phase("impl");
    fs::create_dir(repository.join(".aide/logs/flow-status.2025-01-14T10-30-00.json")).unwrap();
    for (lang, told) in [("zh", "不是普通文件: "), ("en", "not a regular file: ")] {
        let listed = repository.flow(["list", "--lang", lang]).stdout;
        assert!(listed.contains(&format!("\n   [2] 2025-01-14T10-30-00  {told}")), "{lang}: {listed}");
    }
}
