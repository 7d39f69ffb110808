//! A plan of 6 agents and 200 commands that is killed again and again ends as if it never was: the same files, nothing lost,
//! delivered or ended twice, and no answer paid for again that is stored.

use crate::support::{CommandOutput, Folder, begin};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;
use tempfile::TempDir;

const PLAN: &str = "plan_wide";
const AGENTS: usize = 6;
const TASKS: usize = 200;
/// So many tasks can go on at a time: each needs what the one has made that lies so far before it.
const WIDTH: usize = 20;
/// So many lines an undisturbed run prints, about.
const LINES: u64 = 1200;

/// So many times the plan is killed; the long campaign multiplies it.
const KILLS: u64 = 12;
/// One plan is not killed more often: it would be over before.
const MOST_KILLS: u64 = 24;

/// Answers with the chain found among its inputs, plus one more link. It notes in its task's folder which run asked it, so that
/// a provider that is late because its run was killed does not count as asked again.
const PROVIDER: &str = r#"prompt=$(cat)
# Whoever was killed between starting a program and writing to it has asked nothing.
case $prompt in *'"result": '*) ;; *) exit 1 ;; esac
echo "$AIDE_PROOF_RUN" >> asked
name=${prompt##*'This is '}
name=${name%%.*}
chain=$(printf '%s\n' "$prompt" | sed -n 's/^chain //p')
printf '{"result": "chain %s\\n"}\n' "$chain${chain:+ }$name"
"#;

/// Numbers that are the same each time.
struct Chance(u64);

impl Chance {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

/// The plan, activated, in a project that is trusted.
struct Scene {
    folder: Folder,
    home: TempDir,
    runs: u64,
    /// The tasks whose answers are stored, with the run that has stored them at the latest.
    stored: BTreeMap<String, u64>,
}

fn task(number: usize) -> String {
    format!("t{number:03}")
}

fn agent(number: usize) -> String {
    format!("agent_{}", number % AGENTS)
}

/// What a task makes: its chain.
fn content(number: usize) -> String {
    let links: Vec<String> = (0..=number).filter(|link| link % WIDTH == number % WIDTH).map(task).collect();
    format!("chain {}\n", links.join(" "))
}

fn node(number: usize) -> Value {
    let is_last = number + WIDTH >= TASKS;
    let to: Vec<String> = if is_last { Vec::new() } else { vec![agent(number + WIDTH)] };
    let mut node = json!({
        "task_id": task(number), "assigned_agent_id": agent(number), "depends_on": [],
        "outputs": [{ "name": format!("out_{number}"), "deliver_to": to, "deliverable": is_last,
            "idempotency_key": format!("{PLAN}:{number}") }],
    });
    if let Some(before) = number.checked_sub(WIDTH) {
        node["depends_on"] = json!([task(before)]);
        let selector = json!({ "type": "by_output_name", "value": format!("out_{before}") });
        node["inputs"] = json!([{ "name": "before", "selector": selector, "required": true,
            "pick_policy": "latest_by_delivered_at" }]);
    }
    node
}

fn draft(number: usize) -> Value {
    json!({
        "schema_version": "1.0", "command_id": format!("cmd_{}", task(number)), "plan_id": PLAN,
        "task_id": task(number), "prompt": format!("This is {}.", task(number)), "required_inputs": [],
        "wait_for_inputs": true, "score_required": false, "timeout": 3600,
        "produces": [{ "output_name": format!("out_{number}"),
            "files": [{ "path": format!("{}.md", task(number)) }] }],
    })
}

impl Scene {
    fn new() -> Self {
        let folder = Folder::empty();
        folder.write("provider.sh", PROVIDER);
        folder.write(
            ".aide/config.toml",
            "[[agent.providers]]\nname = \"fake\"\nkind = \"command\"\ncommand = \"sh\"\n\
             args = [\"-c\", 'sh \"$AIDE_PROJECT/provider.sh\"']\npass_env = [\"AIDE_PROOF_RUN\"]\n",
        );
        for number in 0..AGENTS {
            let profile = json!({ "prompt": "You add a link.", "provider": "fake" });
            folder.write(&format!(".aide/agents/{}/agent_profile.json", agent(number)), profile.to_string());
        }
        let nodes: Vec<Value> = (0..TASKS).map(node).collect();
        let dag = json!({ "schema_version": "1.1", "plan_id": PLAN, "nodes": nodes });
        folder.write("plan/task_dag.json", dag.to_string());
        for number in 0..TASKS {
            folder.write(&format!("plan/commands/{}.json", task(number)), draft(number).to_string());
        }
        let scene = Self { folder, home: TempDir::new().unwrap(), runs: 0, stored: BTreeMap::new() };
        for arguments in [&["trust"][..], &["plan", "activate", "plan"]] {
            let finished = CommandOutput::new(scene.command(arguments).output().unwrap());
            assert_eq!((finished.code, &*finished.stderr), (Some(0), ""));
        }
        scene
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.folder.command(arguments);
        command.env("HOME", self.home.path()).env("PATH", "/usr/bin:/bin");
        command.env("AIDE_PROOF_RUN", self.runs.to_string());
        command
    }

    /// Lets it run for so many lines and then so long, and kills it; whether it was killed before it ended.
    fn run_and_kill(&mut self, lines: u64, then: Duration) -> bool {
        self.runs += 1;
        let mut child = begin(self.command(&["plan", "run", "--json"]));
        let mut printed = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        for _ in 0..lines {
            line.clear();
            if printed.read_line(&mut line).unwrap() == 0 {
                break;
            }
        }
        thread::sleep(then);
        let is_over = child.try_wait().unwrap().is_some();
        child.kill().unwrap();
        let finished = CommandOutput::new(child.wait_with_output().unwrap());
        assert!(!is_over || finished.code == Some(0), "{}", finished.stderr);
        self.no_stored_answer_was_asked_again();
        !is_over
    }

    fn run_to_the_end(&mut self) {
        self.runs += 1;
        let finished = CommandOutput::new(self.command(&["plan", "run", "--json"]).output().unwrap());
        assert_eq!((finished.code, &*finished.stderr), (Some(0), ""), "{}", finished.stdout);
        self.no_stored_answer_was_asked_again();
    }

    fn runtime(&self, path: &str) -> PathBuf {
        self.folder.join(".aide/system_runtime").join(path)
    }

    /// The folder of an agent for this plan.
    fn of_agent(&self, number: usize, path: &str) -> PathBuf {
        self.folder.join(".aide/agents").join(agent(number)).join(path)
    }

    /// The tasks of the messages that carry commands.
    fn commands(&self) -> BTreeMap<String, String> {
        let names = names(&self.runtime(&format!("plans/{PLAN}/commands")));
        let commands =
            names.iter().filter_map(|name| name.strip_suffix("_001.msg.json")?.split_once("__cmd_"));
        commands.map(|(message, task)| (message.to_owned(), task.to_owned())).collect()
    }

    /// The runs in which a task's question was asked.
    fn asked(&self, number: usize) -> Vec<u64> {
        let path = self.of_agent(number, &format!("workspace/{PLAN}/tasks/{}/asked", task(number)));
        let text = fs::read_to_string(path).unwrap_or_default();
        text.lines().map(|run| run.parse().unwrap()).collect()
    }

    fn no_stored_answer_was_asked_again(&mut self) {
        let commands = self.commands();
        for number in 0..AGENTS {
            let traces = self.of_agent(number, &format!("workspace/{PLAN}/trace"));
            for message in names(&traces) {
                if traces.join(&message).join("answer_1").exists() {
                    self.stored.entry(commands[&message].clone()).or_insert(self.runs);
                }
            }
        }
        for number in 0..TASKS {
            let Some(stored) = self.stored.get(&task(number)) else { continue };
            let asked = self.asked(number);
            assert!(!asked.is_empty(), "{number}: answered without having been asked");
            assert!(
                asked.iter().all(|run| run <= stored),
                "{number}: stored in {stored}, asked in {asked:?}"
            );
            // Within one run as well.
            let runs: BTreeSet<u64> = asked.iter().copied().collect();
            assert_eq!(runs.len(), asked.len(), "{number}: {asked:?}");
        }
    }

    #[track_caller]
    fn is_as_if_it_was_never_disturbed(&self) {
        for number in 0..TASKS {
            let made =
                fs::read_to_string(self.of_agent(number, &format!("outbox/{PLAN}/{}.md", task(number))));
            assert_eq!(made.unwrap(), content(number));
        }
        let artifacts = self.runtime(&format!("artifacts/{PLAN}"));
        let last: Vec<usize> = (TASKS - WIDTH..TASKS).collect();
        assert_eq!(names(&artifacts), last.iter().copied().map(task).collect::<Vec<_>>());
        for number in last {
            let file = artifacts.join(task(number)).join(format!("{}.md", task(number)));
            assert_eq!(fs::read_to_string(file).unwrap(), content(number));
        }
        self.everything_was_delivered_once();
        self.everything_has_ended_once();
        assert_eq!(self.stored.len(), TASKS);
        for folder in ["alerts", "deadletter"] {
            assert_eq!(names(&self.runtime(folder).join(PLAN)), Vec::<String>::new());
        }
        for number in 0..AGENTS {
            let inbox = self.of_agent(number, &format!("inbox/{PLAN}"));
            for place in [inbox.clone(), inbox.join(".pending"), inbox.join(".deadletter")] {
                let left: Vec<String> =
                    names(&place).into_iter().filter(|name| place.join(name).is_file()).collect();
                assert_eq!(left, Vec::<String>::new(), "{}", place.display());
            }
        }
        assert_eq!(names(&self.folder.join(".aide/decisions/open")), Vec::<String>::new(), "nobody is asked");
    }

    fn everything_was_delivered_once(&self) {
        let log = fs::read_to_string(self.runtime(&format!("plans/{PLAN}/deliveries.jsonl"))).unwrap();
        let mut delivered = BTreeMap::new();
        for line in log.lines() {
            let line: Value = serde_json::from_str(line).unwrap();
            assert_eq!(line["status"], "DELIVERED", "{line}");
            let what = (line["task_id"].to_string(), line["output_name"].to_string());
            let key = (line["message_id"].to_string(), line["to_agent_id"].to_string());
            assert_eq!(delivered.insert(key, what), None, "{line}");
        }
        // A command and an output for each task, and no second message for either.
        let what: BTreeSet<_> = delivered.values().collect();
        assert_eq!((delivered.len(), what.len()), (2 * TASKS, 2 * TASKS));
    }

    fn everything_has_ended_once(&self) {
        let status = self.runtime(&format!("plans/{PLAN}/plan_status.json"));
        let status: Value = serde_json::from_slice(&fs::read(status).unwrap()).unwrap();
        let tasks = status["tasks"].as_array().unwrap();
        assert_eq!(tasks.len(), TASKS);
        for task in tasks {
            assert_eq!(
                (&task["state"], &task["attempts"]["reexecute_count"]),
                (&json!("COMPLETED"), &json!(0))
            );
        }
        assert_eq!(self.commands().len(), TASKS);
        let acks = self.runtime(&format!("plans/{PLAN}/acks"));
        let mut acknowledged = BTreeSet::new();
        for name in names(&acks) {
            let ack: Value = serde_json::from_slice(&fs::read(acks.join(name)).unwrap()).unwrap();
            assert_eq!(ack["status"], "SUCCEEDED", "{ack}");
            assert!(acknowledged.insert(ack["message_id"].to_string()), "{ack}");
        }
        assert!(acknowledged.len() >= TASKS, "{}", acknowledged.len());
        let mut ended = BTreeMap::new();
        for number in 0..AGENTS {
            let log = fs::read_to_string(self.of_agent(number, "logs/activity.jsonl")).unwrap();
            // A kill may leave half a line.
            let lines = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
            for line in lines.filter(|line| line["event"] == "command_succeeded") {
                *ended.entry(line["task_id"].to_string()).or_insert(0) += 1;
            }
            let outbox = self.of_agent(number, &format!("outbox/{PLAN}/.sent"));
            let sent = names(&outbox).iter().filter(|name| name.starts_with("artifact_")).count();
            assert_eq!(sent, (0..TASKS).filter(|task| task % AGENTS == number).count());
        }
        assert!(ended.values().all(|times| *times == 1), "{ended:?}");
    }
}

/// What lies in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn killed_at_any_moment_a_large_plan_ends_as_if_it_was_never_disturbed() {
    let factor = u64::from(effort::factor());
    let mut chance = Chance(factor);
    let kills = KILLS * factor;
    let mut killed = 0;
    while killed < kills {
        let mut scene = Scene::new();
        let share = (kills - killed).min(MOST_KILLS);
        // Spread over all of the plan.
        let pace = (2 * LINES).div_ceil(share);
        for _ in 0..share {
            // Every third where it begins: there it finds out what the kill before has left.
            let (lines, then) = if chance.below(3) == 0 {
                (0, chance.below(150_000))
            } else {
                (chance.below(pace), chance.below(25_000))
            };
            if !scene.run_and_kill(lines, Duration::from_micros(then)) {
                break;
            }
            killed += 1;
        }
        scene.run_to_the_end();
        scene.is_as_if_it_was_never_disturbed();
    }
}
