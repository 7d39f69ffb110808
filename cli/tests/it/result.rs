//! `aide decide result` in every state.

use crate::support::{CommandOutput, Folder, minimal, minimal_answers};
use rustix::process::Signal;
use serde_json::json;
use std::fs::File;
use std::io::pipe;
use std::process::Stdio;

const SESSION: &str = "2025-01-15T10-30-00";

/// A project with pending questions and no server.
fn pending() -> Folder {
    let folder = Folder::project();
    let mut pending = minimal();
    pending["_meta"] = json!({"created_at": "2025-01-15T10:30:00+08:00", "session_id": SESSION});
    folder.write(".aide/decisions/pending.json", pending.to_string());
    folder
}

/// The same with a record of `session`.
fn with_record(session: &str, record: &str) -> Folder {
    let folder = pending();
    folder.write(&format!(".aide/decisions/{session}.json"), record);
    folder
}

fn record() -> String {
    json!({"input": minimal(), "output": minimal_answers(), "completed_at": "2025-01-15T10:35:00+08:00"})
        .to_string()
}

/// Both languages say the same, on standard error alone, with exit code 1.
#[track_caller]
fn says(folder: &Folder, zh: &str, en: &str) {
    let before = folder.tree();
    let told = [folder.aide(["decide", "result"]), folder.aide(["decide", "result", "--lang", "en"])];
    // If it is known which questions are meant, the first line names them.
    let is_known = told[0].stderr.starts_with('→');
    let [zh_told, en_told] = if is_known { told.map(CommandOutput::about_the_newest) } else { told };
    let named =
        |told: &str| if is_known { told.replace("SESSION", &folder.session()) } else { told.to_owned() };
    zh_told.failed(1, &named(zh));
    en_told.failed(1, &named(en));
    assert_eq!(folder.tree(), before);
}

#[test]
fn no_project() {
    says(
        &Folder::empty(),
        "✗ .aide 目录不存在，请先执行 aide init\n",
        "✗ there is no .aide folder, run aide init first\n",
    );
}

#[test]
fn no_questions() {
    says(
        &Folder::project(),
        "✗ 未找到待定项数据\n  建议: 请先执行 aide decide submit '<json>'\n",
        "✗ no questions found\n  hint: run aide decide submit '<json>' first\n",
    );
}

#[test]
fn waiting_for_the_person() {
    let folder = Folder::project();
    let running = folder.submit(&minimal());
    says(
        &folder,
        "✗ 尚无决策结果\n  建议: 请等待用户在 Web 界面完成操作\n",
        "✗ no decision yet\n  hint: wait until the user has finished on the web page\n",
    );
    drop(running);
}

const GONE: (&str, &str) = (
    "✗ 尚无决策结果\n  建议: 待定项仍在等待决策，但没有服务在运行: 执行 aide decide wait SESSION 恢复服务并继续等待\n",
    "✗ no decision yet\n  hint: the questions are still open, but no server is running: run aide decide wait SESSION to restart it\n",
);

#[test]
fn the_server_is_gone() {
    says(&pending(), GONE.0, GONE.1);
    // However it ended; what a killed one left behind is not believed.
    for signal in [Signal::INT, Signal::TERM, Signal::KILL] {
        let folder = Folder::project();
        let running = folder.submit(&minimal());
        running.signal(signal);
        let _ = running.finish();
        says(&folder, GONE.0, GONE.1);
    }
}

const EXPIRED: (&str, &str) = (
    "✗ 决策结果已过期\n  建议: 请重新执行 aide decide submit '<json>'；待定项仍在等待决策，也可执行 aide decide wait SESSION 恢复服务并继续等待\n",
    "✗ no decision yet\n  hint: the questions are still open, but no server is running: run aide decide wait SESSION to restart it\n",
);

#[test]
fn only_an_older_record() {
    says(&with_record("2025-01-14T10-30-00", &record()), EXPIRED.0, EXPIRED.1);
}

#[test]
fn other_files_are_no_records() {
    says(&with_record("notes", &record()), GONE.0, GONE.1);
}

#[test]
fn an_older_record_while_the_server_waits() {
    let folder = Folder::project();
    let first = folder.submit(&minimal());
    assert_eq!(first.answer(&minimal_answers()).status, 200);
    first.finish().succeeded("✓ 决策已完成\n");
    let running = folder.submit(&minimal());
    folder.result().failed_with(1, "✗ 尚无决策结果\n  建议: 请等待用户");
    running.signal(Signal::INT);
    let _ = running.finish();
    says(&folder, EXPIRED.0, EXPIRED.1);
}

#[test]
fn a_server_of_other_questions_is_no_reason_to_wait() {
    let folder = Folder::project();
    let running = folder.submit(&minimal());
    let mut pending = folder.pending();
    pending["_meta"]["session_id"] = SESSION.into();
    folder.write(".aide/decisions/pending.json", pending.to_string());
    says(&folder, GONE.0, GONE.1);
    drop(running);
}

#[test]
fn damaged_questions() {
    for damaged in ["", "{", "[]", "null", "{\"_meta\": {}} x", "\u{feff}{}"] {
        let folder = pending();
        folder.write(".aide/decisions/pending.json", damaged);
        let before = folder.tree();
        let finished = folder.aide(["decide", "result"]);
        finished.failed_with(1, "✗ 无法解析 pending.json: ");
        let advice = "  建议: 文件可能已损坏，请重新执行 aide decide submit '<json>'\n";
        assert!(finished.stderr.ends_with(advice), "{}", finished.stderr);
        assert_eq!(folder.tree(), before);
    }
}

#[test]
fn questions_without_a_session() {
    for meta in [json!(null), json!({}), json!({"session_id": 1}), json!({"session_id": "../../etc/passwd"})]
    {
        let folder = pending();
        let mut pending = minimal();
        pending["_meta"] = meta;
        folder.write(".aide/decisions/pending.json", pending.to_string());
        says(
            &folder,
            "✗ 数据异常\n  建议: pending.json 缺少 session_id，请重新执行 aide decide submit\n",
            "✗ the data is damaged\n  hint: pending.json has no session_id, run aide decide submit again\n",
        );
    }
}

#[test]
fn damaged_record() {
    says(
        &with_record(SESSION, "{\"input\": {}"),
        "✗ 无法解析决策记录 2025-01-15T10-30-00.json: EOF while parsing an object at line 1 column 12\n  建议: 文件可能已损坏，请恢复该文件，或重新执行 aide decide submit '<json>'\n",
        "✗ cannot parse the record 2025-01-15T10-30-00.json: EOF while parsing an object at line 1 column 12\n  hint: the file may be damaged, restore it or run aide decide submit '<json>' again\n",
    );
    let missing = with_record(SESSION, "{\"input\": {}, \"completed_at\": \"\"}");
    missing.result().failed_with(1, "✗ 无法解析决策记录 2025-01-15T10-30-00.json: needs one of output");
}

#[test]
fn success_from_any_subfolder() {
    let folder = with_record(SESSION, &record());
    folder.write("src/deep/er/file", "");
    for path in ["", "src", "src/deep/er"] {
        let mut command = folder.command(["decide", "result"]);
        command.current_dir(folder.join(path));
        CommandOutput::new(command.output().unwrap())
            .about_the_newest()
            .succeeded("{\"decisions\":[{\"id\":1,\"chosen\":\"a\"}]}\n");
    }
}

#[test]
fn a_language_changes_nothing_in_the_result() {
    let folder = with_record(SESSION, &record());
    folder
        .aide(["--lang", "en", "decide", "result"])
        .about_the_newest()
        .succeeded("{\"decisions\":[{\"id\":1,\"chosen\":\"a\"}]}\n");
}

#[test]
fn blank_notes_of_other_programs_are_left_out() {
    let output = json!({"decisions": [{"id": 1, "chosen": "a", "note": " \n"}]});
    let record = json!({"input": minimal(), "output": output, "completed_at": ""}).to_string();
    let folder = with_record(SESSION, &record);
    folder.result().succeeded("{\"decisions\":[{\"id\":1,\"chosen\":\"a\"}]}\n");
}

#[test]
fn nobody_reads_the_result() {
    let folder = with_record(SESSION, &record());
    let (reader, writer) = pipe().unwrap();
    drop(reader);
    let output = folder.command(["decide", "result"]).stdout(Stdio::from(writer)).output().unwrap();
    CommandOutput::new(output).about_the_newest().succeeded("");
    // A full disk is another matter.
    let full = File::options().write(true).open("/dev/full").unwrap();
    let output = folder.command(["decide", "result"]).stdout(full).output().unwrap();
    CommandOutput::new(output)
        .about_the_newest()
        .failed(1, "✗ 无法写入标准输出: 磁盘空间不足 (os error 28)\n");
}

#[test]
fn what_is_not_ours_is_not_followed() {
    let folder = pending();
    let path = folder.decision("pending.json");
    std::fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", &path).unwrap();
    folder.aide(["decide", "result"]).failed_with(1, "✗ 不能是符号链接: ");
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    folder.aide(["decide", "result"]).failed_with(1, "✗ 不是普通文件: ");
}

#[test]
fn a_broken_configuration_does_not_hide_the_result() {
    let folder = with_record(SESSION, &record());
    folder.write(".aide/config.toml", "[decide");
    folder.result().succeeded("{\"decisions\":[{\"id\":1,\"chosen\":\"a\"}]}\n");
}
