//! `aide plan run`: the plan of the repository is carried out as the README shows, undisturbed and killed again and again.

use crate::support::disk::unshare;
use crate::support::{CommandOutput, Folder, begin, copy, until};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, Command};
use tempfile::TempDir;

const PLAN: &str = "plan_handbook";
const HANDBOOK: &str = ".aide/system_runtime/artifacts/plan_handbook/task_handbook/handbook.md";
const TEXT: &str = "# Asking\n\nSay what you know, what you want to know, and until when.\n\n# Answering\n\nAnswer what was \
                    asked. An example: \"Yes, until Friday.\"\n";

/// A copy of the example, trusted and activated. Its provider also notes what it is asked.
struct Scene(Folder, TempDir);

impl Scene {
    fn new() -> Self {
        let folder = Folder::empty();
        let example = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("examples/plan");
        copy(&example, folder.path());
        let provider = fs::read_to_string(example.join("provider.sh")).unwrap();
        // A process killed between starting a program and writing to it has asked nothing.
        let noting = "prompt=$(cat)\n[ -n \"$prompt\" ] || exit 1\n\
                      printf '%s' \"$prompt\" | cksum >> \"$AIDE_PROJECT/asked\"\n";
        folder.write("provider.sh", provider.replace("prompt=$(cat)\n", noting));
        // It asks a person; other programs may have all the default ports.
        let config = fs::read_to_string(folder.join(".aide/config.toml")).unwrap();
        folder.write(".aide/config.toml", config + "\n[decide]\nport = 0\n");
        let scene = Self(folder, tempfile::tempdir().unwrap());
        for arguments in [&["trust"][..], &["plan", "activate", "plan"]] {
            let finished = scene.aide(arguments);
            assert_eq!((finished.code, &*finished.stderr), (Some(0), ""));
        }
        scene
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.0.command(arguments);
        command.env("HOME", self.1.path());
        command
    }

    fn aide(&self, arguments: &[&str]) -> CommandOutput {
        CommandOutput::new(self.command(arguments).output().unwrap())
    }

    fn run(&self, arguments: &[&str]) -> Child {
        begin(self.command(&[&["plan", "run"], arguments].concat()))
    }

    /// The questions that are open.
    fn open(&self) -> Option<String> {
        let entries = fs::read_dir(self.0.join(".aide/decisions/open")).into_iter().flatten();
        let mut names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.find_map(|name| {
            name.strip_suffix(".json").filter(|name| !name.ends_with(".draft")).map(str::to_owned)
        })
    }

    fn provide(&self, session: &str) -> CommandOutput {
        self.0.write("from-ann.md", "Approved. Ann\n");
        self.aide(&["decide", "answer", session, "--provide", "from-ann.md"])
    }

    fn json(&self, path: &str) -> Value {
        serde_json::from_slice(&fs::read(self.0.join(path)).unwrap()).unwrap()
    }

    /// How often the provider was asked the same.
    fn asked(&self) -> BTreeMap<String, usize> {
        let mut asked = BTreeMap::new();
        for line in fs::read_to_string(self.0.join("asked")).unwrap_or_default().lines() {
            *asked.entry(line.to_owned()).or_default() += 1;
        }
        asked
    }

    #[track_caller]
    fn is_done(&self) {
        assert_eq!(fs::read_to_string(self.0.join(HANDBOOK)).unwrap(), TEXT);
        let status = self.json(&format!(".aide/system_runtime/plans/{PLAN}/plan_status.json"));
        for task in status["tasks"].as_array().unwrap() {
            assert_eq!(task["state"], "COMPLETED", "{task}");
            let again = if task["task_id"] == "task_chapter_2" { 1 } else { 0 };
            assert_eq!(task["attempts"]["reexecute_count"], again, "{task}");
        }
        let lines =
            fs::read_to_string(self.0.join(&format!(".aide/system_runtime/plans/{PLAN}/deliveries.jsonl")));
        let mut delivered = BTreeMap::new();
        for line in lines.unwrap().lines() {
            let line: Value = serde_json::from_str(line).unwrap();
            assert_eq!(line["status"], "DELIVERED", "{line}");
            *delivered
                .entry((line["message_id"].to_string(), line["to_agent_id"].to_string()))
                .or_insert(0) += 1;
        }
        // Six commands; two chapters, one of them twice and to two agents; two reviews; the approval; the handbook.
        assert_eq!(delivered.len(), 6 + 1 + 4 + 2 + 1 + 1, "{delivered:?}");
        assert!(delivered.values().all(|times| *times == 1), "{delivered:?}");
    }
}

#[test]
fn the_example_comes_to_its_end_once_a_person_has_attached_the_file() {
    let scene = Scene::new();
    let running = scene.run(&["--lang", "en"]);
    until("a person is asked", || scene.open().is_some());
    let session = scene.open().unwrap();
    let provided = scene.provide(&session);
    assert_eq!(provided.code, Some(0), "{}", provided.stderr);
    let finished = CommandOutput::new(running.wait_with_output().unwrap());
    assert_eq!((finished.code, &*finished.stderr), (Some(0), ""));
    assert!(finished.stdout.ends_with("✓ The plan plan_handbook is done\n"), "{}", finished.stdout);
    let how = format!("Answer with aide decide open, or aide decide answer {session}");
    assert!(finished.stdout.contains(&how), "{}", finished.stdout);
    scene.is_done();
    assert_eq!(scene.asked().values().sum::<usize>(), 6);
    // Run again, nothing is left to do and no provider is asked.
    let again = scene.aide(&["plan", "run", "--json"]);
    assert_eq!((again.code, &*again.stderr), (Some(0), ""));
    for line in again.stdout.lines() {
        serde_json::from_str::<Value>(line).unwrap_or_else(|_| panic!("{line}"));
    }
    assert_eq!(scene.asked().values().sum::<usize>(), 6);
}

/// The project has no folder of the agent by which people are asked.
#[test]
fn a_person_is_asked_where_nothing_was_prepared_for_that() {
    let scene = Scene::new();
    fs::remove_dir_all(scene.0.join(".aide/agents/agent_human_gateway")).unwrap();
    let running = scene.run(&["--lang", "en"]);
    until("a person is asked", || scene.open().is_some());
    let provided = scene.provide(&scene.open().unwrap());
    assert_eq!(provided.code, Some(0), "{}", provided.stderr);
    let finished = CommandOutput::new(running.wait_with_output().unwrap());
    assert_eq!((finished.code, &*finished.stderr), (Some(0), ""), "{}", finished.stdout);
    scene.is_done();
}

/// Carries the example out, with its file provided: what was printed, line by line.
fn lines(arguments: &[&str]) -> Vec<String> {
    let scene = Scene::new();
    let running = scene.run(arguments);
    until("a person is asked", || scene.open().is_some());
    let session = scene.open().unwrap();
    assert_eq!(scene.provide(&session).code, Some(0));
    let finished = CommandOutput::new(running.wait_with_output().unwrap());
    assert_eq!((finished.code, &*finished.stderr), (Some(0), ""));
    finished.stdout.lines().map(str::to_owned).collect()
}

#[test]
fn what_a_model_does_is_told_while_it_works() {
    for (arguments, expected) in
        [(&["--lang", "en"][..], "is waiting for example, "), (&["--json"][..], "\"event\":\"model_works\"")]
    {
        let scene = Scene::new();
        let provider = fs::read_to_string(scene.0.join("provider.sh")).unwrap();
        let held = "while [ ! -e \"$AIDE_PROJECT/go\" ]; do sleep 0.05; done\nprompt=$(cat)\n";
        scene.0.write("provider.sh", provider.replacen("prompt=$(cat)\n", held, 1));
        scene.aide(&["trust"]);
        let mut running = scene.run(arguments);
        let mut lines = BufReader::new(running.stdout.take().unwrap());
        let mut seen = String::new();
        while !seen.contains(expected) {
            assert_ne!(lines.read_line(&mut seen).unwrap(), 0, "{seen}");
        }
        let line = seen.lines().last().unwrap();
        if let Ok(told) = serde_json::from_str::<Value>(line) {
            assert_eq!(
                (&told["provider"], &told["attempt"], &told["plan_id"]),
                (&"example".into(), &1.into(), &PLAN.into())
            );
            assert!(told["seconds"].as_u64() >= Some(5) && told["task_id"].is_string(), "{told}");
        } else {
            assert!(line.starts_with(&format!("→ {PLAN}/task_")) && line.ends_with(" s"), "{line}");
        }
        scene.0.write("go", "");
        until("a person is asked", || scene.open().is_some());
        let session = scene.open().unwrap();
        assert_eq!(scene.provide(&session).code, Some(0));
        lines.read_to_string(&mut seen).unwrap();
        assert_eq!(running.wait().unwrap().code(), Some(0), "{seen}");
        scene.is_done();
    }
}

#[test]
fn programs_are_told_what_happens_and_how_it_ended() {
    let lines = lines(&["--json"]);
    let events: Vec<Value> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut counts = BTreeMap::new();
    for event in &events {
        *counts.entry(event["event"].as_str().unwrap()).or_insert(0) += 1;
        let has_plan = !matches!(event["event"].as_str(), Some("running" | "ended"));
        assert_eq!(event["plan_id"] == PLAN, has_plan, "{event}");
    }
    // How often a task waits, and whether the last files are filed before the end, depends on timing. `model_works` occurs on a
    // busy machine.
    counts.remove("model_works");
    assert!(counts.remove("waiting") >= Some(1) && counts.remove("filed") >= Some(6), "{counts:?}");
    let expected = [
        ("alerted", 1),
        ("answered", 1),
        ("asked", 1),
        ("delivered", 15),
        ("ended", 1),
        ("issued", 6),
        ("questions_answered", 1),
        ("questions_opened", 1),
        ("running", 1),
        ("succeeded", 6),
        ("taken", 6),
    ];
    assert_eq!(counts, BTreeMap::from(expected));
    let of = |name: &str| events.iter().find(|event| event["event"] == name).unwrap();
    assert_eq!(of("issued")["task_id"], "task_chapter_1");
    assert_eq!(of("questions_opened")["request_id"], of("asked")["request_id"]);
    assert_eq!(of("questions_opened")["session_id"].as_str().unwrap().len(), "2026-11-23T13-17-28".len());
    let delivered: Vec<&Value> = events.iter().filter(|event| event["event"] == "delivered").collect();
    assert_eq!(
        (&delivered[0]["from_agent_id"], &delivered[0]["output_name"]),
        (&"agent_issuer".into(), &Value::Null)
    );
    let end = events.last().unwrap();
    assert_eq!(end["event"], "ended");
    assert_eq!(end["plans"][0]["plan_id"], PLAN);
}

#[test]
fn in_chinese_every_line_is_chinese() {
    let lines = lines(&["--lang", "zh"]);
    let has_chinese = |line: &String| line.chars().any(|one| ('\u{4e00}'..='\u{9fff}').contains(&one));
    assert!(lines.iter().all(has_chinese), "{lines:?}");
    assert_eq!(lines.last().unwrap(), "✓ 计划 plan_handbook 已完成");
}

#[test]
fn what_a_person_refuses_fails_and_so_does_the_plan() {
    let scene = Scene::new();
    let running = scene.run(&["--lang", "en"]);
    until("a person is asked", || scene.open().is_some());
    let session = scene.open().unwrap();
    assert_eq!(scene.aide(&["decide", "cancel", &session]).code, Some(0));
    let finished = CommandOutput::new(running.wait_with_output().unwrap());
    assert_eq!(finished.code, Some(1), "{}", finished.stdout);
    assert!(finished.stdout.contains("HUMAN_REJECTED"), "{}", finished.stdout);
}

#[test]
fn a_signal_ends_all_and_says_what_was_being_waited_for() {
    let signals = [(Signal::TERM, 143), (Signal::HUP, 129), (Signal::INT, 130)];
    let end = |running: Child, signal: Signal, code: i32, awaited: &[&str]| {
        kill_process(Pid::from_child(&running), signal).unwrap();
        let ended = CommandOutput::new(running.wait_with_output().unwrap());
        assert_eq!(ended.code, Some(code), "{ended:?}");
        assert!(ended.stderr.starts_with("✗ interrupted; the plans are not finished\n  hint: "), "{ended:?}");
        for line in awaited {
            assert!(ended.stderr.contains(&format!("\n  it was waiting for: {line}\n")), "{ended:?}");
        }
    };
    // The provider hangs, and does not hear.
    for (signal, code) in signals {
        let scene = Scene::new();
        scene.0.write(
            "provider.sh",
            "trap '' TERM\necho $$ >> \"$AIDE_PROJECT/hangs\"\nsleep 600 & wait\nsleep 600\n",
        );
        let running = scene.run(&["--lang", "en"]);
        let hangs = || fs::read_to_string(scene.0.join("hangs")).unwrap_or_default();
        until("both chapters are not being written", || hangs().lines().count() == 2);
        let of = |agent: &str| format!("the answer of provider example to agent_writer_{agent}");
        end(running, signal, code, &[&of("a"), &of("b")]);
        for process in hangs().lines() {
            // It may have ended, and its parent not have waited for it.
            let stat = || fs::read_to_string(Path::new("/proc").join(process).join("stat"));
            until("it goes on", || stat().is_err() || stat().is_ok_and(|stat| stat.contains(") Z ")));
        }
    }
    // A person is asked.
    for (signal, code) in signals {
        let scene = Scene::new();
        let running = scene.run(&["--lang", "en"]);
        until("a person is asked", || {
            let status = format!(".aide/system_runtime/plans/{PLAN}/plan_status.json");
            let text = fs::read_to_string(scene.0.join(&status)).unwrap_or_default();
            scene.open().is_some() && text.contains("BLOCKED_WAITING_HUMAN")
        });
        end(running, signal, code, &["the user's answer to task task_handbook of plan_handbook"]);
    }
}

/// The disk is full before the first command is issued: nothing is lost, the error is reported, and the plan continues by itself.
#[test]
fn a_full_disk_holds_a_plan_up_for_as_long_as_it_is_full() {
    let Some(flags) = unshare() else { return };
    let scene = Scene::new();
    fs::create_dir(scene.0.join("disk")).unwrap();
    let script = r#"
        mount -t tmpfs -o size=4m none disk || exit
        cp -r .aide provider.sh disk/ && cd disk || exit
        "$AIDE" trust >/dev/null || exit
        "$AIDE" plan tick >/dev/null || exit
        cat /dev/zero >filler 2>/dev/null
        "$AIDE" plan run >../out 2>../err &
        until grep -q . ../err; do sleep 0.05; done
        sleep 1
        find .aide/agents -name 'ack_*' | wc -l
        rm filler
        until ls .aide/decisions/open/*.json >/dev/null 2>&1; do sleep 0.05; done
        session=$(basename .aide/decisions/open/*.json .json)
        echo Approved. >approval.md
        "$AIDE" decide answer "${session%.draft}" --provide approval.md >/dev/null || exit
        wait $!
        echo $?
        cat .aide/system_runtime/artifacts/plan_handbook/task_handbook/handbook.md >../handbook.md
    "#;
    let program = scene.command(&[]).get_program().to_owned();
    let mut shell = Command::new("timeout");
    shell.args(["90", "unshare", flags, "sh", "-c", script]).current_dir(scene.0.path()).env_clear();
    shell.env("AIDE", program).env("HOME", scene.1.path()).env("PATH", "/usr/bin:/bin");
    let output = shell.output().unwrap();
    let read = |name: &str| fs::read_to_string(scene.0.join(name)).unwrap_or_default();
    let said = String::from_utf8(output.stdout).unwrap();
    let said: Vec<&str> = said.lines().map(str::trim).collect();
    let (out, err) = (read("out"), read("err"));
    assert_eq!(said, ["0", "0"], "{out}\n{err}\n{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(read("handbook.md"), TEXT);
    assert!(err.contains("磁盘空间不足") && err.lines().all(|line| line.starts_with("⚠ ")), "{err}");
}

/// So many times the process is killed; the long campaign multiplies it.
const KILLS: usize = 20;

#[test]
fn killed_again_and_again_a_plan_ends_as_if_it_never_was() {
    for round in 0..u64::from(effort::factor()) {
        let scene = Scene::new();
        for kill in 0..KILLS {
            let mut running = scene.run(&[]);
            // The wait varies, so that the program is killed at different points.
            let wait = std::time::Duration::from_millis((37 * (kill as u64 + 1) + 11 * round) % 700);
            std::thread::sleep(wait);
            running.kill().unwrap();
            running.wait().unwrap();
            if let Some(session) = scene.open().filter(|_| kill > KILLS / 2) {
                scene.provide(&session);
            }
        }
        let running = scene.run(&[]);
        until("a person is asked", || scene.open().is_some() || scene.0.join(HANDBOOK).exists());
        if let Some(session) = scene.open() {
            scene.provide(&session);
        }
        let finished = CommandOutput::new(running.wait_with_output().unwrap());
        assert_eq!(finished.code, Some(0), "{}\n{}", finished.stdout, finished.stderr);
        scene.is_done();
        // A request that was sent and whose answer a kill has prevented from being stored is sent once more.
        let asked = scene.asked();
        assert_eq!(asked.len(), 6, "{asked:?}");
        let records = fs::read_dir(scene.0.join(".aide/decisions")).unwrap();
        let sets =
            records.filter(|entry| entry.as_ref().unwrap().path().extension().is_some_and(|it| it == "json"));
        assert_eq!(sets.count(), 1, "a person is asked once");
    }
}
