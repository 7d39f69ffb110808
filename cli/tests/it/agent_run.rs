//! `aide agent run`, with programs that answer instead of an LLM.

use crate::support::disk::unshare;
use crate::support::worker::{AGENT, PLAN, Scene, command};
use crate::support::{CommandOutput, begin, until};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::fs;
use std::process::{Child, Command};
use std::thread;
use std::time::Duration;

fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

#[test]
fn once_does_one_round_and_tells_what_happens() {
    let scene =
        Scene::new(r#"cat > /dev/null; echo '{"result":"fine","score":85,"score_explanation":"why"}'"#);
    scene.deliver("1.msg.json", command(1, json!({"score_required": true, "score_criteria": "c"})));
    scene.deliver("2.msg.json", command(2, json!({"required_inputs": ["x.md"]})));
    scene.deliver("3.msg.json", "{half");
    let first = scene.once(&[]);
    assert_eq!((first.code, &*first.stderr), (Some(0), ""));
    assert_eq!(
        first.stdout,
        "→ plan_a/task_1: 开始处理 cmd_task_1_001\n\
         ✓ plan_a/task_1: 成功，评分 85\n\
         → plan_a/task_2: 开始处理 cmd_task_2_001\n\
         → plan_a/task_2: 等待输入: x.md\n\
         ⚠ plan_a: 3.msg.json 已搁置到 .deadletter，ENVELOPE_PARSE_ERROR: \
         Json(\"key must be a string at line 1 column 2\")\n"
    );
    scene.artifact("msg_x", "x.md", "content");
    let second = scene.once(&["--json"]);
    let lines: Vec<Value> = second.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((second.code, &*second.stderr, lines.len()), (Some(0), "", 2));
    assert_eq!(
        lines[0],
        json!({"event": "filed", "plan_id": PLAN, "message_id": "msg_x", "task_id": "task_b", "output_name": "o",
            "paths": ["x.md"]})
    );
    assert_eq!(
        lines[1],
        json!({"event": "succeeded", "plan_id": PLAN, "task_id": "task_2", "command_id": "cmd_task_2_001",
            "command_seq": 1, "message_id": "msg_2", "message": "fine", "warnings": [], "score": null,
            "spent": {"answers": 1, "input_tokens": 0, "output_tokens": 0, "cost_usd": null}})
    );
    scene.once(&[]).succeeded("");
    assert_eq!((scene.ack("msg_1"), scene.ack("msg_2")), (json!("SUCCEEDED"), json!("SUCCEEDED")));
}

#[test]
fn without_a_provider_or_a_folder_it_does_not_begin() {
    let scene = Scene::new("");
    scene.deliver("1.msg.json", command(1, json!({})));
    let mut nobody = scene.0.command(["agent", "run", "--agent", "nobody", "--once"]);
    let nobody = nobody.env("HOME", scene.0.join("home")).output().unwrap();
    CommandOutput::new(nobody).failed_with(1, "✗ 没有此智能体的文件夹: nobody\n");
    fs::remove_file(scene.0.join("home/.config/aide/config.toml")).unwrap();
    scene.once(&[]).failed_with(1, "✗ 没有可用的提供者");
    assert_eq!(scene.list(&format!("inbox/{PLAN}"), ""), ["1.msg.json"]);
    scene.0.aide(["agent", "run"]).failed_with(2, "✗ ");
}

#[test]
fn it_is_woken_by_what_arrives_keeps_others_out_and_ends_when_it_is_told() {
    let scene = Scene::new("cat > /dev/null; echo r");
    // So long that only an event can be in time.
    scene.0.write(
        &format!("{AGENT}/heartbeat_config.json"),
        r#"{"schema_version":"1.0","agent_id":"worker","poll_interval_seconds":3600}"#,
    );
    for (round, (sent, code)) in (1..).zip([(Signal::TERM, 143), (Signal::INT, 130), (Signal::HUP, 129)]) {
        let child = begin(scene.command(&[]));
        until("it does not run", || scene.status()["status"] == "IDLE");
        let other = scene.once(&[]);
        other.failed_with(1, "✗ ");
        assert!(other.stderr.contains("aide agent run"), "{}", other.stderr);
        // The plan may be new.
        scene.deliver(
            &format!("{round}.msg.json"),
            command(round, json!({"required_inputs": [format!("{round}.md")]})),
        );
        until("it does not wait", || scene.state(&format!("task_{round}")) == "BLOCKED_WAITING_INPUT");
        scene.artifact(&format!("msg_x{round}"), &format!("{round}.md"), "content");
        until("it has not ended", || scene.state(&format!("task_{round}")) == "COMPLETED");
        signal(&child, sent);
        let ended = CommandOutput::new(child.wait_with_output().unwrap());
        assert_eq!((ended.code, &*ended.stderr), (Some(code), ""), "{}", ended.stdout);
        let expected = format!("✓ plan_a/task_{round}: 成功\n");
        assert!(
            ended.stdout.starts_with("→ worker 运行中") && ended.stdout.contains(&expected),
            "{}",
            ended.stdout
        );
        assert!(ended.stdout.ends_with("→ 已停止，未结束的命令在下次运行时继续\n"), "{}", ended.stdout);
        assert_eq!(scene.status()["status"], "STOPPED");
    }
}

/// Whichever is first works, the others say who does; a kill leaves nothing that keeps the next one out.
#[test]
fn of_several_started_at_once_exactly_one_works() {
    const AT_ONCE: usize = 3;
    let scene = Scene::new("cat > /dev/null; echo x >> \"$AIDE_PROJECT/asked\"; echo r");
    for round in 1..=5 {
        let mut running: Vec<Child> = (0..AT_ONCE).map(|_| begin(scene.command(&["--json"]))).collect();
        until("more than one works", || {
            let ended = running.iter_mut().filter_map(|child| child.try_wait().unwrap());
            ended.count() == AT_ONCE - 1
        });
        scene.deliver(&format!("{round}.msg.json"), command(round, json!({})));
        until("nobody works", || scene.state(&format!("task_{round}")) == "COMPLETED");
        for mut child in running {
            if child.try_wait().unwrap().is_none() {
                child.kill().unwrap();
                let killed = CommandOutput::new(child.wait_with_output().unwrap());
                assert_eq!((killed.code, &*killed.stderr), (None, ""));
                continue;
            }
            let other = CommandOutput::new(child.wait_with_output().unwrap());
            other.failed_with(1, "✗ ");
            assert!(other.stderr.contains("aide agent run"), "{}", other.stderr);
        }
        let asked = fs::read_to_string(scene.0.join("asked")).unwrap();
        assert_eq!(asked.lines().count() as u64, round, "a command was done twice");
    }
    // Not only among many: the next one begins at once. It may find a message that the last one was killed over before that was
    // put away, and says so; nothing is done twice.
    let next = scene.once(&[]);
    assert_eq!((next.code, &*next.stderr), (Some(0), ""), "{}", next.stdout);
    assert!(next.stdout.is_empty() || next.stdout.contains("msg_5"), "{}", next.stdout);
    assert_eq!(fs::read_to_string(scene.0.join("asked")).unwrap().lines().count(), 5);
}

#[test]
fn it_looks_from_time_to_time_and_asks_when_a_wait_runs_out() {
    let scene = Scene::new("cat > /dev/null; echo r");
    scene.deliver("1.msg.json", command(1, json!({"required_inputs": ["x.md"], "timeout": 1})));
    let child = begin(scene.command(&["--lang", "en"]));
    until("nobody is asked", || scene.state("task_1") == "BLOCKED_WAITING_HUMAN");
    assert_eq!(scene.list(&format!("outbox/{PLAN}"), "human_intervention_request_").len(), 1);
    signal(&child, Signal::TERM);
    let ended = CommandOutput::new(child.wait_with_output().unwrap());
    assert!(
        ended.stdout.contains("→ plan_a/task_1: the user has been asked for inputs: x.md (human_req_"),
        "{}",
        ended.stdout
    );
    // It has asked: the questions are there after it has ended, and the next run takes the answer.
    let listed = CommandOutput::new(scene.0.command(["decide", "list", "--json"]).output().unwrap());
    let listed: Value = serde_json::from_str(&listed.stdout).unwrap();
    assert_eq!((listed.as_array().unwrap().len(), &listed[0]["status"]), (1, &json!("unserved")));
    let session = listed[0]["session_id"].as_str().unwrap();
    let how = format!("Answer with aide decide open, or aide decide answer {session}");
    assert!(ended.stdout.contains(&how), "{}", ended.stdout);
    scene.0.write("x.md", "given");
    let answer = ["decide", "answer", session, "--provide", "x.md"];
    assert_eq!(CommandOutput::new(scene.0.command(answer).output().unwrap()).code, Some(0));
    let next = CommandOutput::new(scene.command(&["--once"]).output().unwrap());
    assert_eq!(next.code, Some(0), "{}", next.stderr);
    assert_eq!(scene.state("task_1"), "COMPLETED", "{}", next.stdout);
}

#[test]
fn a_signal_while_the_llm_answers_parks_the_command() {
    let scene = Scene::new("cat > /dev/null; touch begun; exec sleep 600");
    scene.0.write(
        &format!("{AGENT}/heartbeat_config.json"),
        r#"{"schema_version":"1.0","agent_id":"worker","poll_interval_seconds":1}"#,
    );
    scene.deliver("1.msg.json", command(1, json!({})));
    scene.deliver("2.msg.json", command(2, json!({})));
    let child = begin(scene.command(&[]));
    let begun = scene.0.join(&format!("{AGENT}/workspace/{PLAN}/tasks/task_1/begun"));
    until("it does not begin", || begun.exists());
    assert_eq!(scene.status()["current_task_ids"], json!(["task_1", "task_2"]));
    // It does not appear dead.
    until("it does not say that it lives", || scene.status()["uptime_seconds"].as_u64() >= Some(2));
    assert_eq!(scene.status()["status"], "RUNNING");
    signal(&child, Signal::TERM);
    let ended = CommandOutput::new(child.wait_with_output().unwrap());
    assert_eq!(
        (ended.code, scene.state("task_1"), scene.ack("msg_1")),
        (Some(143), json!("READY"), json!("CONSUMED"))
    );
    assert!(ended.stderr.starts_with("→ 当时正在等待: 提供方 "), "{ended:?}");
    // What was not taken stays where it is.
    assert_eq!(scene.list(&format!("inbox/{PLAN}"), ""), ["2.msg.json"]);
    scene.0.write("fake.sh", "cat > /dev/null; echo r");
    assert_eq!(scene.once(&[]).code, Some(0));
    assert_eq!((scene.state("task_1"), scene.state("task_2")), (json!("COMPLETED"), json!("COMPLETED")));
}

#[test]
fn kills_at_any_moment_lose_nothing_and_pay_for_no_answer_twice() {
    /// Kills in all.
    const KILLS: u64 = 60;
    const COMMANDS: u64 = 8;
    let kills = KILLS * u64::from(effort::factor());
    let (mut killed, mut number) = (0, 0_u64);
    while killed < kills {
        number += 1;
        let scene = Scene::new("cat > /dev/null; echo x >> asked; echo r");
        for task in 1..=COMMANDS {
            let needs =
                if task % 2 == 0 { json!({"required_inputs": [format!("{task}.md")]}) } else { json!({}) };
            scene.deliver(&format!("c{task}.msg.json"), command(task, needs.clone()));
            // Some twice.
            if task % 3 == 0 {
                scene.deliver(&format!("d{task}.msg.json"), command(task, needs));
            }
            scene.artifact(&format!("msg_x{task}"), &format!("{task}.md"), "content");
        }
        scene.deliver("zz.msg.json", "{half");
        let folder = |task: u64| format!("{AGENT}/workspace/{PLAN}/tasks/task_{task}/asked");
        let asked = |task: u64| {
            fs::read_to_string(scene.0.join(&folder(task))).map_or(0, |text| text.lines().count())
        };
        let mut when_stored = [None; COMMANDS as usize + 1];
        for round in 0..15 {
            let mut child = begin(scene.command(&["--json"]));
            // Another moment each time.
            thread::sleep(Duration::from_micros(5_000 + (number * 7919 + round * 104_729) % 60_000));
            assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
            child.kill().unwrap();
            child.wait().unwrap();
            killed += 1;
            for task in 1..=COMMANDS {
                let path = format!("{AGENT}/workspace/{PLAN}/trace/msg_{task}/answer_1");
                match when_stored[task as usize] {
                    Some(before) => {
                        assert_eq!(asked(task), before, "asked again for an answer that is there")
                    }
                    None if scene.0.join(&path).exists() => when_stored[task as usize] = Some(asked(task)),
                    None => {}
                }
            }
        }
        for _ in 0..3 {
            assert_eq!(scene.once(&[]).code, Some(0));
        }
        for task in 1..=COMMANDS {
            assert_eq!(scene.state(&format!("task_{task}")), "COMPLETED", "{task}");
            assert_eq!(scene.ack(&format!("msg_{task}")), "SUCCEEDED", "{task}");
            assert_eq!(scene.ack(&format!("msg_x{task}")), "SUCCEEDED", "{task}");
            assert_eq!(
                scene.list(&format!("outbox/{PLAN}"), &format!("artifact_task_{task}_")).len(),
                1,
                "{task}"
            );
            if let Some(before) = when_stored[task as usize] {
                assert_eq!(asked(task), before);
            }
        }
        let index = scene.json(&format!("workspace/{PLAN}/inputs/input_index.json")).unwrap();
        assert_eq!(index["entries"].as_array().unwrap().len() as u64, COMMANDS);
        assert_eq!(scene.list(&format!("inbox/{PLAN}/.pending"), ""), Vec::<String>::new());
        assert_eq!(scene.list(&format!("inbox/{PLAN}"), ""), Vec::<String>::new());
        assert_eq!(scene.list(&format!("outbox/{PLAN}"), "alert_").len(), 1);
    }
}

/// Commands arrive while the disk is full: none is taken, nothing is lost, the error is reported once, and the agent continues by
/// itself.
#[test]
fn a_full_disk_stops_it_for_as_long_as_it_is_full() {
    let Some(flags) = unshare() else { return };
    let scene = Scene::new("cat > /dev/null; echo r");
    scene.0.write(
        &format!("{AGENT}/heartbeat_config.json"),
        r#"{"schema_version":"1.0","agent_id":"worker","poll_interval_seconds":1}"#,
    );
    fs::create_dir(scene.0.join("disk")).unwrap();
    for number in 1..=3 {
        scene.0.write(&format!("later/{number}.msg.json"), command(number, json!({})));
    }
    let script = r#"
        mount -t tmpfs -o size=2m none disk || exit
        cp -r .aide disk/ && cd disk || exit
        mkdir -p .aide/agents/worker/inbox/plan_a
        "$AIDE" agent run --agent worker >../out 2>../err &
        until [ -e .aide/agents/worker/status_heartbeat.json ]; do sleep 0.05; done
        # They take no space when they come.
        mkdir -p inbox.new && cp ../later/*.msg.json inbox.new/
        cat /dev/zero >filler 2>/dev/null
        mv inbox.new/*.msg.json .aide/agents/worker/inbox/plan_a/
        until grep -q . ../err; do sleep 0.05; done
        sleep 2.5
        ls .aide/agents/worker/inbox/plan_a | wc -l
        ls .aide/agents/worker/inbox/plan_a/.pending 2>/dev/null | wc -l
        rm filler
        until [ "$(grep -l SUCCEEDED .aide/agents/worker/outbox/plan_a/ack_*.json 2>/dev/null | wc -l)" = 3 ]; do sleep 0.05; done
        kill -TERM $!
        wait $!
        echo $?
    "#;
    let unshared = scene.0.command::<_, &str>([]);
    let program = unshared.get_program().to_owned();
    let mut shell = Command::new("timeout");
    shell.args(["60", "unshare", flags, "sh", "-c", script]).current_dir(scene.0.path()).env_clear();
    shell.env("AIDE", program).env("HOME", scene.0.join("home")).env("PATH", "/usr/bin:/bin");
    let output = shell.output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let (out, err) =
        (fs::read_to_string(scene.0.join("out")).unwrap(), fs::read_to_string(scene.0.join("err")).unwrap());
    let said: Vec<&str> = said.lines().map(str::trim).collect();
    assert_eq!(said, ["3", "0", "143"], "{out}\n{err}\n{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(err.matches('⚠').count(), 1, "{err}");
    assert!(err.contains("→ 暂停接收消息") && err.ends_with("→ 已恢复，继续接收消息\n"), "{err}");
    assert_eq!(out.matches('✓').count(), 3, "{out}");
}

/// An artifact whose file was missing or half when it was looked at is taken back once that is whole; for any other reason,
/// it stays aside.
#[test]
fn a_message_whose_file_comes_late_is_taken_back_and_its_command_goes_on() {
    let scene = Scene::new("cat > /dev/null; echo r");
    assert_eq!(scene.0.aide(["config", "set", "agent.settle_time", "0"]).code, Some(0));
    let aside = format!("inbox/{PLAN}/.deadletter");
    let inbox = |name: &str| scene.0.join(&format!("{AGENT}/inbox/{PLAN}/{name}"));
    let events = || {
        let ran = scene.once(&["--json"]);
        assert_eq!((ran.code, &*ran.stderr), (Some(0), ""));
        let lines = ran.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        // A command that waits says so in each run.
        lines.filter(|line| line["event"] != "waiting" && line["event"] != "taken").collect::<Vec<Value>>()
    };
    let names = |events: &[Value]| -> Vec<String> {
        events.iter().map(|event| event["event"].as_str().unwrap().to_owned()).collect()
    };
    for (number, half) in [(1, None), (2, Some("cont"))] {
        let file = format!("in/{number}.md");
        scene.deliver(&format!("c{number}.msg.json"), command(number, json!({ "required_inputs": [&file] })));
        scene.artifact(&format!("msg_x{number}"), &file, "content");
        match half {
            None => fs::remove_file(inbox(&file)).unwrap(),
            Some(half) => fs::write(inbox(&file), half).unwrap(),
        }
        let code = if half.is_some() { "PAYLOAD_SHA_MISMATCH" } else { "MISSING_PAYLOAD" };
        let refused = events();
        assert_eq!((names(&refused), &refused[0]["code"]), (vec!["put_aside".to_owned()], &json!(code)));
        assert_eq!(scene.list(&aside, "").len(), 1);
        // Still not whole.
        fs::write(inbox(&file), "conten").unwrap();
        assert_eq!(names(&events()), [""; 0]);
        scene.deliver(&file, "content");
        let went_on = events();
        assert_eq!(
            (names(&went_on), &went_on[0]["paths"]),
            (["filed", "succeeded"].map(str::to_owned).into(), &json!([file]))
        );
        assert_eq!(scene.list(&aside, "").len(), 0);
        assert_eq!(scene.ack(&format!("msg_x{number}")), "SUCCEEDED");
        let name = format!("msg_x{number}__artifact_msg_x{number}.msg.json");
        assert_eq!(scene.list(&format!("inbox/{PLAN}/.processed"), &format!("msg_x{number}")), [name]);
    }
    // Whole when it was put aside: nothing that comes makes it good.
    scene.0.write(
        &format!("{AGENT}/heartbeat_config.json"),
        r#"{"schema_version":"1.0","agent_id":"worker","poll_interval_seconds":10,"inputs":{"keep_versions":false}}"#,
    );
    scene.artifact("msg_x3", "in/1.md", "another content");
    assert_eq!(events()[0]["code"], "INPUT_CONFLICT");
    scene.artifact("msg_x4", "4.md", "content");
    assert_eq!(names(&events()), ["filed"]);
    scene.once(&[]).succeeded("");
    assert_eq!(scene.list(&aside, "").len(), 1);
}

#[test]
fn it_is_woken_by_the_file_of_a_message_that_was_put_aside() {
    let scene = Scene::new("cat > /dev/null; echo r");
    assert_eq!(scene.0.aide(["config", "set", "agent.settle_time", "0"]).code, Some(0));
    // So long that only an event can be in time.
    scene.0.write(
        &format!("{AGENT}/heartbeat_config.json"),
        r#"{"schema_version":"1.0","agent_id":"worker","poll_interval_seconds":3600}"#,
    );
    scene.artifact("msg_x", "x.md", "content");
    let late = scene.0.join(&format!("{AGENT}/inbox/{PLAN}/x.md"));
    fs::rename(&late, scene.0.join("x.md")).unwrap();
    let child = begin(scene.command(&[]));
    until("it is not put aside", || scene.list(&format!("inbox/{PLAN}/.deadletter"), "").len() == 1);
    until("it does not wait", || scene.status()["status"] == "IDLE");
    fs::rename(scene.0.join("x.md"), &late).unwrap();
    until("it is not taken back", || scene.ack("msg_x") == "SUCCEEDED");
    signal(&child, Signal::TERM);
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(143));
}

#[test]
fn a_command_that_is_executed_gets_the_input_whose_file_comes_late() {
    let scene = Scene::new("cat > /dev/null; echo r");
    assert_eq!(scene.0.aide(["config", "set", "agent.settle_time", "0"]).code, Some(0));
    scene.0.write("c.json", command(1, json!({ "required_inputs": ["x.md"] })));
    scene.artifact("msg_x", "x.md", "content");
    fs::remove_file(scene.0.join(&format!("{AGENT}/inbox/{PLAN}/x.md"))).unwrap();
    let exec = || {
        let mut exec = scene.0.command(["agent", "exec", "--agent", "worker", "--no-wait", "c.json"]);
        exec.env("HOME", scene.0.join("home")).env("PATH", "/usr/bin:/bin");
        CommandOutput::new(exec.output().unwrap())
    };
    assert_eq!(exec().code, Some(75));
    assert_eq!(scene.list(&format!("inbox/{PLAN}/.deadletter"), "").len(), 1);
    scene.deliver("x.md", "content");
    exec().succeeded("r\n");
    assert_eq!(scene.ack("msg_x"), "SUCCEEDED");
}

#[test]
fn a_corrected_provider_is_asked_by_an_agent_that_runs() {
    let scene = Scene::new("cat > /dev/null; exit 1");
    let config = "home/.config/aide/config.toml";
    let before = fs::read_to_string(scene.0.join(config)).unwrap();
    scene.deliver("1.msg.json", command(1, json!({})));
    let child = begin(scene.command(&[]));
    until("the first task has not failed", || scene.ack("msg_1") == "FAILED");
    // What cannot be used is reported, and the provider from before is asked.
    scene.0.write(config, format!("[agent]\nprovider = \"absent\"\n{before}"));
    scene.deliver("2.msg.json", command(2, json!({})));
    until("the second task has not failed", || scene.ack("msg_2") == "FAILED");
    scene.0.write("right.sh", r#"cat > /dev/null; echo '{"result":"written"}'"#);
    scene.0.write(config, before.replace("fake.sh", "right.sh"));
    scene.deliver("3.msg.json", command(3, json!({})));
    until("the third task is not done", || scene.ack("msg_3") == "SUCCEEDED");
    signal(&child, Signal::TERM);
    let stopped = CommandOutput::new(child.wait_with_output().unwrap());
    assert_eq!(stopped.code, Some(143));
    let told: Vec<&str> = stopped.stderr.lines().filter(|line| line.contains("provider")).collect();
    assert_eq!(
        told,
        ["⚠ worker 继续使用之前的 provider，无法使用新的配置: 没有此提供者: absent"],
        "{}",
        stopped.stderr
    );
}
