//! The documented verification checklist; each test is named by its number. Those of the browser (4.x, 6.1) are with
//! the browser's tests.

use crate::support::http::{get, post_json};
use crate::support::ports::Ports;
use crate::support::running::RunningServer;
use crate::support::{Folder, full, full_answers, minimal, minimal_answers};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const DECIDED: &str = "✓ 决策已完成\n";
const INTERRUPTED: &str = "⚠ 服务已中断\n";

#[test]
fn c2_1_valid_submit_prints_the_link_and_waits() {
    let folder = Folder::project();
    let input = minimal().to_string();
    let submit = |further: &[&str]| {
        RunningServer::attempt(folder.command([&["decide", "submit", &input], further].concat()), 3)
    };
    // The default port, or a later one when it is taken.
    let running = match submit(&[]) {
        Ok(running) => {
            assert!((3721..=3730).contains(&running.port), "{}", running.port);
            running
        }
        // Other programs have all of them.
        Err(refused) => {
            refused.failed_with(1, "✗ 无法启动服务: 端口 3721-3730 均被占用\n");
            submit(&["--port", "0"]).unwrap()
        }
    };
    assert_eq!(
        running.printed,
        format!("→ Web 服务已启动\n→ 请访问: http://localhost:{}\n→ 等待用户完成决策...\n", running.port)
    );
    assert_eq!(folder.pending()["task"], "测试任务");
    // It still serves.
    assert_eq!(get(running.port, "/api/items").status, 200);
}

#[test]
fn c2_2_invalid_json_is_refused() {
    let folder = Folder::project();
    let before = folder.tree();
    let finished = folder.aide(["decide", "submit", "invalid json"]);
    finished
        .failed(1, "✗ JSON 解析失败: expected value at line 1 column 1\n  建议: 检查 JSON 格式是否正确\n");
    assert_eq!(folder.tree(), before);
}

#[test]
fn c2_3_a_missing_field_is_named() {
    let folder = Folder::project();
    let before = folder.tree();
    folder.aide(["decide", "submit", r#"{"task":"test"}"#]).failed(
        1,
        "✗ 数据验证失败: source 必须为字符串，当前缺失\n  建议: 检查必填字段是否完整\n  另有 1 个问题:\n  - items 必须为至少 1 个元素的数组，当前缺失\n",
    );
    assert_eq!(folder.tree(), before);
}

#[test]
fn c2_4_no_questions_no_result() {
    let finished = Folder::project().aide(["decide", "result"]);
    finished.failed(1, "✗ 未找到待定项数据\n  建议: 请先执行 aide decide submit '<json>'\n");
}

#[test]
fn c2_5_interrupted_there_is_no_result() {
    let folder = Folder::project();
    let running = folder.submit(&minimal());
    running.signal(Signal::INT);
    assert_eq!(running.finish().code, Some(130));
    let finished = folder.result();
    let advice = format!("执行 aide decide wait {} 恢复服务并继续等待", folder.session());
    let told = format!("✗ 尚无决策结果\n  建议: 待定项仍在等待决策，但没有服务在运行: {advice}\n");
    finished.failed(1, &told);
}

#[test]
fn c2_6_the_result_has_every_item() {
    let folder = Folder::project();
    let running = folder.submit(&full());
    assert_eq!(running.answer(&full_answers()).status, 200);
    running.finish().succeeded(DECIDED);
    let expected = "{\"decisions\":[{\"id\":1,\"chosen\":\"jwt\"},{\"id\":2,\"chosen\":\"bcrypt\",\"note\":\"团队更熟悉 bcrypt\"}]}\n";
    // It can be asked for again.
    for _ in 0..2 {
        folder.result().succeeded(expected);
    }
}

#[test]
fn c3_1_an_occupied_port_is_passed_over() {
    let folder = Folder::project();
    let mut ports = Ports::hold();
    ports.release(1);
    let running = folder.submit_with(&minimal(), &["--port", &ports.first.to_string()]);
    assert_eq!(running.port, ports.first + 1);
    assert_eq!(get(running.port, "/api/items").status, 200);
}

#[test]
fn c3_2_ten_occupied_ports_are_reported() {
    let folder = Folder::project();
    let ports = Ports::hold();
    let (first, last) = (ports.first, ports.first + 9);
    let arguments = ["decide", "submit", &minimal().to_string(), "--port", &first.to_string()];
    folder.aide(arguments).failed(
        1,
        &format!(
            "✗ 无法启动服务: 端口 {first}-{last} 均被占用\n  建议: 关闭占用端口的程序，或在配置中指定其他端口\n"
        ),
    );
}

#[test]
fn c3_3_the_api_gives_the_questions() {
    let folder = Folder::project();
    folder.write("task-now.md", "1\n2\n3\n4\n五\n6\n7\n8\n");
    let running = folder.submit(&full());
    let response = get(running.port, "/api/items");
    assert_eq!(response.status, 200);
    assert_eq!(response.header("content-type"), "application/json; charset=utf-8");
    let mut items = response.json();
    if let Some(excerpt) = items["items"][0].as_object_mut().unwrap().remove("source_content") {
        assert_eq!(excerpt, "五\n6\n7");
    }
    assert_eq!(items, full());
    let mut pending = folder.pending();
    pending.as_object_mut().unwrap().remove("_meta");
    assert_eq!(items, pending);
}

#[test]
fn c3_4_an_accepted_answer_ends_the_server() {
    let folder = Folder::project();
    let running = folder.submit(&minimal());
    let response = running.answer(&minimal_answers());
    assert_eq!(response.status, 200);
    assert_eq!(response.header("content-type"), "application/json; charset=utf-8");
    assert_eq!(response.json(), json!({"success": true, "message": "决策已保存"}));
    running.finish().succeeded(DECIDED);
    assert_eq!(folder.record()["output"], minimal_answers());
}

#[test]
fn c3_5_an_incomplete_answer_is_refused_and_the_server_stays() {
    let folder = Folder::project();
    let running = folder.submit(&full());
    let response = running.answer(&json!({"decisions": [{"id": 1, "chosen": "jwt"}]}));
    assert_eq!(response.status, 400);
    let refusal = json!({"error": "决策数据无效", "detail": "缺少待定项 2 的决策"});
    assert_eq!(response.json(), refusal);
    assert_eq!(running.answer(&full_answers()).status, 200);
    running.finish().succeeded(DECIDED);
}

#[test]
fn c3_6_the_page_and_its_files_are_served() {
    let folder = Folder::project();
    let running = folder.submit(&full());
    let page = get(running.port, "/");
    assert_eq!(page.status, 200);
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    assert!(page.text().contains("认证方式选择"), "{}", page.text());
    for (extension, content_type) in [(".css", "text/css"), (".js", "javascript"), (".svg", "image/svg+xml")]
    {
        for path in linked(page.text(), extension) {
            let file = get(running.port, &path);
            assert_eq!(file.status, 200, "{path}");
            assert!(file.header("content-type").contains(content_type), "{path}");
            assert!(!file.body.is_empty(), "{path}");
        }
    }
}

/// The paths in quotes that end so.
fn linked(page: &str, extension: &str) -> Vec<String> {
    let quoted = page.split('"').filter(|path| path.starts_with('/') && path.ends_with(extension));
    quoted.map(str::to_owned).collect()
}

#[test]
fn c3_7_other_paths_are_not_found() {
    let folder = Folder::project();
    let running = folder.submit(&minimal());
    for path in ["/nonexistent", "/api", "/api/items/1", "/.aide/config.toml", "/../Cargo.toml"] {
        assert_eq!(get(running.port, path).status, 404, "{path}");
    }
}

#[test]
fn c3_8_ctrl_c_ends_it_cleanly() {
    let folder = Folder::project();
    let running = folder.submit(&minimal());
    running.signal(Signal::INT);
    running.finish().failed_and_kept(130, INTERRUPTED);
    assert!(folder.decision("pending.json").exists());
    // What it leaves of itself is not believed.
    folder.result().failed_with(1, "✗ 尚无决策结果\n  建议: 待定项仍在等待决策");
}

#[test]
fn c5_1_pending_has_its_session() {
    let folder = Folder::project();
    let running = folder.submit(&full());
    let text = fs::read_to_string(folder.decision("pending.json")).unwrap();
    assert!(text.starts_with("{\n  \"task\"") && text.ends_with("}\n"), "{text}");
    let mut pending: Value = serde_json::from_str(&text).unwrap();
    let meta = pending.as_object_mut().unwrap().remove("_meta").unwrap();
    assert_eq!(pending, full());
    assert_eq!(meta.as_object().unwrap().len(), 2);
    assert!(shaped(meta["session_id"].as_str().unwrap(), "0000-00-00T00-00-00"), "{meta}");
    let created_at = meta["created_at"].as_str().unwrap().replace('-', "+");
    assert!(shaped(&created_at, "0000+00+00T00:00:00+00:00"), "{meta}");
    drop(running);
}

/// True when the digits of `shape` are digits and everything else is the same.
fn shaped(text: &str, shape: &str) -> bool {
    text.len() == shape.len()
        && text.bytes().zip(shape.bytes()).all(|(byte, shape)| match shape {
            b'0' => byte.is_ascii_digit(),
            other => byte == other,
        })
}

#[test]
fn c5_2_the_record_has_input_output_and_time() {
    let folder = Folder::project();
    let mut input = full();
    input["unknown"] = json!({"kept": [1, 2.5, null]});
    let running = folder.submit(&input);
    assert_eq!(running.answer(&full_answers()).status, 200);
    running.finish().succeeded(DECIDED);
    let record = folder.record();
    assert_eq!(record["input"], input);
    assert_eq!(record["output"], full_answers());
    let completed_at = record["completed_at"].as_str().unwrap().replace('-', "+");
    assert!(shaped(&completed_at, "0000+00+00T00:00:00+00:00"), "{record}");
}

#[test]
fn c5_3_a_later_submit_replaces_the_questions() {
    let folder = Folder::project();
    let first = folder.submit(&minimal());
    first.signal(Signal::INT);
    first.finish().failed_and_kept(130, INTERRUPTED);
    let earlier = folder.session();
    let second = folder.submit(&full());
    assert_eq!(folder.pending()["task"], "实现用户认证模块");
    assert!(folder.session() > earlier, "{earlier}");
    drop(second);
}

#[test]
fn c5_4_an_interrupted_write_leaves_a_whole_file() {
    let folder = Folder::project();
    let inputs = [many(50), many(150)];
    for (name, input) in ["a.json", "b.json"].iter().zip(&inputs) {
        folder.write(name, input.to_string());
    }
    folder.submit(&inputs[0]).kill();
    for round in 0..60_u32 {
        let file = ["a.json", "b.json"][usize::try_from(round % 2).unwrap()];
        let mut command = folder.command(["decide", "submit", file, "--port", "0"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // Another moment each time, from the very beginning to after the link.
        let moment = Instant::now() + Duration::from_micros(u64::from(round) * 150);
        while Instant::now() < moment {
            std::hint::spin_loop();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let mut pending = folder.pending();
        pending.as_object_mut().unwrap().remove("_meta");
        assert!(inputs.contains(&pending), "round {round}");
    }
    // Nothing that a kill left behind is in the way.
    let earlier = folder.session();
    let running = folder.submit(&minimal());
    assert_eq!(running.answer(&minimal_answers()).status, 200);
    let finished = running.finish();
    assert_eq!((finished.code, &*finished.stdout), (Some(0), DECIDED));
    let told = format!("⚠ 取代了尚未回答的待定项: {earlier}（");
    assert!(finished.stderr.starts_with(&told), "{finished:?}");
}

#[test]
fn c6_2_an_agent_can_script_it() {
    let folder = Folder::project();
    let running = folder.submit(&full());
    let waiting = folder.result();
    waiting.failed(1, "✗ 尚无决策结果\n  建议: 请等待用户在 Web 界面完成操作\n");
    assert_eq!(post_json(running.port, "/api/submit", &full_answers().to_string()).status, 200);
    running.finish().succeeded(DECIDED);
    let result = folder.result();
    assert_eq!((result.code, &*result.stderr), (Some(0), ""));
    assert_eq!(serde_json::from_str::<Value>(&result.stdout).unwrap(), full_answers());
}

#[test]
fn c7_1_without_init_nothing_works() {
    let folder = Folder::empty();
    let told = "✗ .aide 目录不存在，请先执行 aide init\n";
    folder.aide(["decide", "result"]).failed(1, told);
    folder.aide(["decide", "submit", &minimal().to_string()]).failed(1, told);
    assert!(folder.tree().is_empty());
}

#[test]
fn c7_2_damaged_questions_are_reported() {
    let folder = Folder::project();
    folder.write(".aide/decisions/pending.json", "{\"task\": ");
    folder.aide(["decide", "result"]).failed(
        1,
        "✗ 无法解析 pending.json: EOF while parsing a value at line 1 column 9\n  建议: 文件可能已损坏，请重新执行 aide decide submit '<json>'\n",
    );
}

#[test]
fn c7_3_a_hundred_items() {
    let folder = Folder::project();
    let running = folder.submit(&many(100));
    assert_eq!(get(running.port, "/").status, 200);
    let decisions: Vec<_> = (1..=100).map(|id| json!({"id": id, "chosen": "b"})).collect();
    let answers = json!({ "decisions": decisions });
    assert_eq!(running.answer(&answers).status, 200);
    running.finish().succeeded(DECIDED);
    folder.result().succeeded(&format!("{answers}\n"));
}

fn many(count: u64) -> Value {
    let item =
        |id| json!({"id": id, "title": format!("问题 {id}"), "options": minimal()["items"][0]["options"]});
    json!({"task": "t", "source": "s", "items": (1..=count).map(item).collect::<Vec<_>>()})
}

#[test]
fn c7_4_any_text_survives() {
    let folder = Folder::project();
    let text = "中文 👩‍👩‍👧‍👦 \"quotes\" 'single' \\ back\nnew\tline <b>&amp; \u{202e}rtl\u{0}\u{7f}\u{85}";
    let mut input = minimal();
    input["task"] = text.into();
    input["items"][0]["title"] = text.into();
    input["items"][0]["options"][0]["value"] = text.into();
    // A null character cannot stand in an argument, but escaped in JSON it can.
    let running = folder.submit(&input);
    assert_eq!(folder.pending()["task"], text);
    assert_eq!(get(running.port, "/api/items").json()["items"][0]["title"], text);
    let answers = json!({"decisions": [{"id": 1, "chosen": text, "note": text}]});
    assert_eq!(running.answer(&answers).status, 200);
    running.finish().succeeded(DECIDED);
    let result = folder.result();
    assert_eq!((result.code, &*result.stderr), (Some(0), ""));
    assert_eq!(serde_json::from_str::<Value>(&result.stdout).unwrap(), answers);
    // What a terminal would obey is escaped, what people read is not.
    assert!(result.stdout.contains("中文 👩‍👩‍👧‍👦"), "{}", result.stdout);
    assert!(result.stdout.contains(r"\u202ertl\u0000\u007f\u0085"), "{}", result.stdout);
}

/// Not in the list, but what 3.8 is about: nothing of it is left running.
#[test]
fn nothing_is_left_behind() {
    let folder = Folder::project();
    let running = folder.submit(&minimal());
    let pid = running.pid();
    assert_eq!(running.answer(&minimal_answers()).status, 200);
    running.finish().succeeded(DECIDED);
    let alive = Command::new("kill").args(["-0", &pid.to_string()]).stderr(Stdio::null()).status().unwrap();
    assert!(!alive.success());
    assert!(!folder.decision("server.json").exists());
}
