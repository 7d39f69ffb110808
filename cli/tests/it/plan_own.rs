//! A plan of one's own: begun with `aide plan init`, judged by what was delivered last, tried again where a task has failed, and
//! looked at for what came of it.

use crate::support::daemon::Place;
use crate::support::http::get;
use crate::support::running::RunningServer;
use crate::support::{CommandOutput, Folder, begin, until};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Command};
use std::sync::{Arc, Mutex};
use std::thread;
use tempfile::TempDir;

/// Writes and reviews: the first version is not good enough, and a version that it has not seen is none.
const PROVIDER: &str = r#"
prompt=$(cat)
printf '%s\n=====\n' "$prompt" >> "$AIDE_PROJECT/asked"
[ ! -e "$AIDE_PROJECT/broken" ] || { echo '{"other": 1}'; exit; }
case $prompt in
*'You review'*)
    [ ! -e "$AIDE_PROJECT/unreviewed" ] || { echo '{"other": 1}'; exit; }
    case $prompt in
    *'version two'*) printf '%s\n' '{"result": {"decision": "PASS", "issues": []}, "score": 90, "score_explanation": "good"}' ;;
    *) printf '%s\n' '{"result": {"decision": "REJECT", "issues": [{"text": "too short"}]}, "score": 40, "score_explanation": "bad"}' ;;
    esac ;;
*'too short'*) printf '%s\n' '{"result": "version two\n"}' ;;
*) printf '%s\n' '{"result": "version one\n"}' ;;
esac
"#;

const CONFIG: &str = r#"
[[agent.providers]]
name = "stand-in"
kind = "command"
command = "sh"
args = ["-c", 'sh "$AIDE_PROJECT/provider.sh"']

[decide]
port = 0
"#;

struct Scene(Folder, TempDir);

impl Scene {
    fn new() -> Self {
        let folder = Folder::empty();
        folder.write("provider.sh", PROVIDER);
        folder.write(".aide/config.toml", CONFIG);
        let scene = Self(folder, tempfile::tempdir().unwrap());
        scene.succeeds(&["trust"]);
        scene
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.0.command([arguments, &["--lang", "en"]].concat());
        command.env("HOME", self.1.path());
        command
    }

    fn aide(&self, arguments: &[&str]) -> CommandOutput {
        CommandOutput::new(self.command(arguments).output().unwrap())
    }

    #[track_caller]
    fn succeeds(&self, arguments: &[&str]) -> String {
        let finished = self.aide(arguments);
        assert_eq!((finished.code, &*finished.stderr), (Some(0), ""), "{arguments:?}: {}", finished.stdout);
        finished.stdout
    }

    fn run(&self) -> Child {
        begin(self.command(&["plan", "run"]))
    }

    fn json(&self, path: &str) -> Value {
        serde_json::from_slice(&fs::read(self.0.join(path)).unwrap()).unwrap()
    }

    fn files(&self, path: &str) -> Vec<String> {
        let entries = fs::read_dir(self.0.join(path)).into_iter().flatten().map(|entry| entry.unwrap());
        let mut names: Vec<String> = entries
            .map(|entry| entry.file_name().into_string().unwrap())
            .filter(|it| it.ends_with(".json"))
            .collect();
        names.sort();
        names
    }

    /// The sets of questions that are open.
    fn open(&self) -> Vec<String> {
        let names = self.files(".aide/decisions/open");
        names.into_iter().filter(|name| !name.ends_with(".draft.json")).collect()
    }

    /// Whether another question is open than `before`, and no other one.
    fn asks_again(&self, before: &[String]) -> bool {
        let open = self.open();
        open.len() == 1 && open != before
    }

    /// Whether the plan says so: a question of it may be there before that.
    fn has_failed(&self, task: &str) -> bool {
        let told = self.aide(&["plan", "status", "--json"]).stdout;
        let status: Value = serde_json::from_str(&told).unwrap_or_default();
        let mut tasks = status["tasks"].as_array().into_iter().flatten();
        tasks.any(|known| known["task_id"] == task && known["state"] == "FAILED")
    }

    fn asked(&self) -> String {
        fs::read_to_string(self.0.join("asked")).unwrap_or_default()
    }

    /// A plan of two tasks, the second of which needs the first.
    fn two_tasks(&self) {
        let task = |name: &str, before: &[&str], to: &[&str]| {
            json!({ "task_id": name, "assigned_agent_id": format!("agent_{name}"), "depends_on": before,
                "outputs": [{ "name": name, "deliver_to": to, "idempotency_key": name, "deliverable": to.is_empty() }] })
        };
        let dag = json!({ "schema_version": "1.1", "plan_id": "plan_two",
            "nodes": [task("first", &[], &["agent_second"]), task("second", &["first"], &[])] });
        self.0.write("two/task_dag.json", dag.to_string());
        for name in ["first", "second"] {
            let command = json!({ "schema_version": "1.0", "command_id": format!("cmd_{name}"), "plan_id": "plan_two",
                "task_id": name, "prompt": "Do it.", "required_inputs": [], "wait_for_inputs": true,
                "score_required": false, "timeout": 60,
                "produces": [{ "output_name": name, "files": [{ "path": format!("{name}.md") }] }] });
            self.0.write(&format!("two/commands/{name}.json"), command.to_string());
            fs::create_dir_all(self.0.join(&format!(".aide/agents/agent_{name}"))).unwrap();
        }
        self.succeeds(&["plan", "activate", "two"]);
    }
}

#[test]
fn a_plan_of_ones_own_runs_within_three_commands_and_what_is_judged_is_the_latest() {
    // Also where the reviewer's task does not say what its inputs are: what was delivered is judged, read, and in its last version.
    for names_inputs in [true, false] {
        let scene = Scene::new();
        let begun = scene.succeeds(&["plan", "init"]);
        assert!(begun.contains("plan/task_dag.json") && begun.contains("aide plan activate plan"), "{begun}");
        if !names_inputs {
            let mut dag = scene.json("plan/task_dag.json");
            assert!(dag["nodes"][1].as_object_mut().unwrap().remove("inputs").is_some());
            scene.0.write("plan/task_dag.json", dag.to_string());
        }
        let linted = scene.succeeds(&["plan", "lint", "plan"]);
        assert!(linted.starts_with("✓ ") && linted.ends_with("is valid (2 tasks)\n"), "{linted}");
        scene.succeeds(&["plan", "activate", "plan"]);
        let ran = scene.succeeds(&["plan", "run"]);
        assert!(ran.contains("draft: .aide/system_runtime/artifacts/"), "{ran}");
        // The reviewer has seen both versions, each once, and has not been told to make up what identifies its judgement.
        let asked = scene.asked();
        let reviews: Vec<&str> =
            asked.split("=====").filter(|prompt| prompt.contains("You review")).collect();
        assert_eq!(reviews.len(), 2, "{asked}");
        assert!(reviews[0].contains("version one") && !reviews[0].contains("version two"), "{}", reviews[0]);
        assert!(reviews[1].contains("version two") && !reviews[1].contains("version one"), "{}", reviews[1]);
        assert!(reviews.iter().all(|prompt| prompt.contains("they are filled in")), "{asked}");
        // How many inputs there are, and the form of the answer: a judgement with its score, and a text.
        let form = "{\"result\": {\"decision\": \"<PASS or REJECT>\", \"issues\": [{\"text\": \"<what must be improved>\"}]}, \
                    \"score\": <a number from 0 to 100>, \"score_explanation\": \"<why this score>\"}";
        assert!(reviews.iter().all(|prompt| prompt.contains(form)), "{asked}");
        assert!(reviews.iter().all(|prompt| prompt.contains("One input file follows. ")), "{asked}");
        assert!(asked.contains("{\"result\": \"<the result of the task>\"}"), "{asked}");
        assert!(ran.contains("→ LLM: 4 answers, tokens unknown\n"), "{ran}");
        // What is done again has the former result beside the judgement; the reviewer has not.
        let drafts: Vec<&str> = asked.split("=====").filter(|prompt| prompt.contains("You write")).collect();
        let former = |prompt: &str| prompt.contains("file \"former_result/draft.md\"");
        assert_eq!(drafts.iter().map(|prompt| former(prompt)).collect::<Vec<_>>(), [false, true], "{asked}");
        let named = "The files below former_result/ are your previous result of this task";
        assert!(drafts[1].contains("version one") && drafts[1].contains(named), "{}", drafts[1]);
        assert!(!reviews.iter().any(|prompt| prompt.contains("former_result")), "{asked}");
        // A command beside it, whose plan is none.
        fs::create_dir_all(scene.0.join(".aide/agents/agent_reviewer/outbox/plan_docs")).unwrap();
        let result = scene.succeeds(&["plan", "result"]);
        assert!(
            result.contains("draft (task draft, 12 bytes): ") && result.ends_with("version two\n"),
            "{result}"
        );
        let told: Value = serde_json::from_str(&scene.succeeds(&["plan", "result", "--json"])).unwrap();
        let artifact = &told["artifacts"][0];
        assert_eq!(
            (&told["state"], &artifact["name"], &artifact["task_id"]),
            (&json!("COMPLETED"), &json!("draft"), &json!("draft"))
        );
        assert_eq!((&artifact["bytes"], &artifact["deliverable"]), (&json!(12), &json!(true)));
        assert_eq!(fs::read_to_string(artifact["path"].as_str().unwrap()).unwrap(), "version two\n");
        // What identifies a judgement is filled in.
        let plan = told["plan_id"].as_str().unwrap();
        let evidence = format!(".aide/agents/agent_reviewer/outbox/{plan}/artifact_validation_result.json");
        let judgement = scene.json(&evidence);
        assert_eq!(
            (&judgement["plan_id"], &judgement["validator_agent_id"], &judgement["score"]),
            (&json!(plan), &json!("agent_reviewer"), &json!(90))
        );
        assert_eq!(judgement["validation_id"], "validation_cmd_review_002");
        // The page of the plan has its graph, and what came of it with its path.
        let mut serving = scene.0.command(["plan", "serve", "--port", "0"]);
        serving.env("HOME", scene.1.path());
        let serving = RunningServer::printing(serving, 2);
        for lang in ["en", "zh"] {
            let html = get(serving.port, &format!("/plans/{plan}?lang={lang}"));
            let (_, graph) = html.text().split_once("<svg").unwrap();
            let (graph, _) = graph.split_once("</svg>").unwrap();
            assert!(graph.contains("draft") && graph.contains("review"), "{graph}");
            let path = artifact["path"].as_str().unwrap().strip_prefix(scene.0.path().to_str().unwrap());
            let path = path.unwrap().trim_start_matches('/');
            // A line may end behind each folder.
            let shown = path.replace('/', "/<wbr>");
            assert!(html.text().contains(&shown), "{path}: {}", html.text());
        }
    }
}

#[test]
fn init_changes_nothing_that_is_there() {
    let scene = Scene::new();
    scene.0.write(".aide/agents/agent_writer/agent_profile.json", r#"{"prompt": "Mine."}"#);
    let begun = scene.succeeds(&["plan", "init", "mine", "--task", "Write a poem.", "--json"]);
    let begun: Value = serde_json::from_str(&begun).unwrap();
    assert_eq!((&begun["plan_id"], &begun["kept_agents"]), (&json!("plan_mine"), &json!(["agent_writer"])));
    let profile = fs::read_to_string(scene.0.join(".aide/agents/agent_writer/agent_profile.json")).unwrap();
    assert_eq!(profile, r#"{"prompt": "Mine."}"#);
    let prompt = scene.json("mine/commands/draft.json")["prompt"].as_str().unwrap().to_owned();
    assert!(prompt.starts_with("Write a poem."), "{prompt}");
    assert_eq!(scene.json("mine/plan_manifest.json")["plan_name"], "Write a poem");
    let before = fs::read(scene.0.join("mine/task_dag.json")).unwrap();
    let again = scene.aide(&["plan", "init", "mine"]);
    assert_eq!(again.code, Some(1));
    assert!(again.stderr.contains("there is a plan in mine already"), "{}", again.stderr);
    assert_eq!(fs::read(scene.0.join("mine/task_dag.json")).unwrap(), before);
}

#[test]
fn a_failed_task_is_tried_again_and_its_question_withdrawn() {
    let scene = Scene::new();
    scene.two_tasks();
    scene.0.write("broken", "");
    let none = scene.aide(&["plan", "result"]);
    assert_eq!(none.code, Some(1));
    assert!(none.stderr.contains("the plan plan_two has no results yet"), "{}", none.stderr);
    let running = scene.run();
    until("a person is asked", || scene.open().len() == 1);
    let open = scene.json(&format!(".aide/decisions/open/{}", scene.open()[0]));
    let text = open.to_string();
    assert!(text.contains("first has failed") && text.contains("LLM_OUTPUT_INVALID"), "{text}");
    let first = text.find("Try again").unwrap();
    assert!(first < text.find("Do second without first").unwrap(), "{text}");
    until("the status does not say so", || {
        let status = scene.aide(&["plan", "status"]).stdout;
        status.contains("failed") && status.contains("Waiting for the user")
    });
    // Status and page say why it has failed, and what to do.
    let status = scene.aide(&["plan", "status"]).stdout;
    let line = status.lines().find(|line| line.starts_with("→ first failed: ")).unwrap_or_default();
    let ends = "[LLM_OUTPUT_INVALID] (aide plan retry first retries it)";
    assert!(line.ends_with(ends), "{status}");
    let mut serving = scene.0.command(["plan", "serve", "--port", "0"]);
    serving.env("HOME", scene.1.path());
    let serving = RunningServer::printing(serving, 2);
    for (lang, words) in [
        ("en", ["Failed: ", "[LLM_OUTPUT_INVALID]", "aide plan retry first retries it"]),
        ("zh", ["失败原因: ", "[LLM_OUTPUT_INVALID]", "aide plan retry first 重试此任务"]),
    ] {
        let html = get(serving.port, &format!("/plans/plan_two?lang={lang}"));
        assert!(words.iter().all(|word| html.text().contains(word)), "{lang}: {}", html.text());
    }
    drop(serving);
    fs::remove_file(scene.0.join("broken")).unwrap();
    let wrong = scene.aide(&["plan", "retry", "second"]);
    assert_eq!(wrong.code, Some(1));
    assert!(
        wrong.stderr.contains("the task second has not ended")
            && wrong.stderr.contains("failed tasks: first"),
        "{}",
        wrong.stderr
    );
    let unknown = scene.aide(&["plan", "retry", "third"]);
    assert!(unknown.code == Some(1) && unknown.stderr.contains("no such task: third"), "{}", unknown.stderr);
    let retried = scene.succeeds(&["plan", "retry", "first"]);
    assert!(retried.starts_with("✓ The task first will be redone\n"), "{retried}");
    let finished = CommandOutput::new(running.wait_with_output().unwrap());
    assert_eq!((finished.code, &*finished.stderr), (Some(0), ""), "{}", finished.stdout);
    assert!(finished.stdout.contains("The question of second is withdrawn"), "{}", finished.stdout);
    // It is open nowhere any more, and recorded as withdrawn.
    assert_eq!(scene.open(), [""; 0]);
    let listed: Value = serde_json::from_str(&scene.succeeds(&["decide", "list", "--json"])).unwrap();
    assert!(!listed.to_string().contains("pending"), "{listed}");
    let mut records = scene.files(".aide/decisions");
    records.retain(|name| name != "server.json");
    let record = scene.json(&format!(".aide/decisions/{}", records[0]));
    assert_eq!((records.len(), &record["cancelled"]), (1, &json!(true)), "{record}");
    let withdrawn = scene.files(".aide/system_runtime/plans/plan_two/human_withdrawals");
    assert_eq!(withdrawn.len(), 1);
    assert!(!scene.aide(&["plan", "status"]).stdout.contains("Waiting for the user"));
    let result = scene.succeeds(&["plan", "result", "plan_two"]);
    assert!(result.contains("second (task second, 12 bytes)"), "{result}");
}

#[test]
fn a_corrected_provider_is_asked_by_a_run_that_began_before() {
    let scene = Scene::new();
    let provider = |name: &str, script: &str| {
        format!(
            "[[agent.providers]]\nname = \"{name}\"\nkind = \"command\"\ncommand = \"sh\"\nargs = [\"-c\", {script}]\n"
        )
    };
    // The user's own, which needs no trust.
    scene.0.write(".aide/config.toml", "[decide]\nport = 0\n");
    let own = scene.1.path().join(".config/aide/config.toml");
    fs::create_dir_all(own.parent().unwrap()).unwrap();
    let wrong = provider("wrong", r#"'cat > /dev/null; echo "{\"other\": 1}"'"#);
    fs::write(&own, &wrong).unwrap();
    scene.two_tasks();
    let running = scene.run();
    until("a person is asked", || scene.has_failed("first") && scene.open().len() == 1);
    let before = scene.open();
    // What cannot be used is reported, once, and the provider from before is asked.
    fs::write(&own, format!("[agent]\nprovider = \"absent\"\n{wrong}")).unwrap();
    scene.succeeds(&["plan", "retry", "first"]);
    until("it has not failed again", || scene.asks_again(&before) && scene.has_failed("first"));
    let right = provider("right", r#"'cat > /dev/null; echo "{\"result\": \"written\"}"'"#);
    fs::write(&own, right).unwrap();
    scene.succeeds(&["plan", "retry", "first"]);
    let finished = CommandOutput::new(running.wait_with_output().unwrap());
    assert_eq!(finished.code, Some(0), "{}{}", finished.stdout, finished.stderr);
    assert_eq!(
        finished.stderr,
        "⚠ agent_first keeps its provider because the new configuration cannot be used: no such provider: absent\n"
    );
    let result = scene.succeeds(&["plan", "result", "plan_two"]);
    assert!(result.contains("second (task second, 7 bytes)"), "{result}");
}

#[test]
fn a_provider_that_was_changed_in_the_project_is_asked_once_it_is_trusted() {
    let scene = Scene::new();
    scene.two_tasks();
    scene.0.write("broken", "");
    let running = scene.run();
    until("a person is asked", || scene.has_failed("first") && scene.open().len() == 1);
    let before = scene.open();
    scene.0.write(
        ".aide/config.toml",
        CONFIG.replace("sh \"$AIDE_PROJECT/provider.sh\"", "echo \"{\\\"result\\\": 1}\""),
    );
    scene.aide(&["plan", "retry", "first"]);
    until("it has not failed again", || scene.asks_again(&before) && scene.has_failed("first"));
    scene.succeeds(&["trust"]);
    scene.succeeds(&["plan", "retry", "first"]);
    let finished = CommandOutput::new(running.wait_with_output().unwrap());
    assert_eq!(finished.code, Some(0), "{}{}", finished.stdout, finished.stderr);
    let told: Vec<&str> = finished.stderr.lines().collect();
    let (start, end) =
        ("⚠ agent_first keeps its provider because the new configuration cannot be used: ", "trust it");
    assert!(told.len() == 1 && told[0].starts_with(start) && told[0].ends_with(end), "{}", finished.stderr);
    assert!(told[0].contains("run aide trust"), "{}", finished.stderr);
}

#[test]
fn the_question_about_a_failed_task_offers_to_try_it_again() {
    let scene = Scene::new();
    scene.two_tasks();
    scene.0.write("broken", "");
    let running = scene.run();
    until("a person is asked", || scene.open().len() == 1);
    fs::remove_file(scene.0.join("broken")).unwrap();
    let requests = ".aide/system_runtime/plans/plan_two/human_requests";
    let request = scene.json(&format!("{requests}/{}", scene.files(requests)[0]));
    let id = request["request_id"].as_str().unwrap();
    let response = json!({ "schema_version": "1.0", "request_id": id, "plan_id": "plan_two",
        "responded_at": "2026-01-12T09:00:00Z", "decision": "APPROVE",
        "decision_answers": [{ "question": request["needed"]["decision"]["question"], "selected": "again" }] });
    let outbox = ".aide/agents/agent_human_gateway/outbox/plan_two";
    scene.0.write(&format!("{outbox}/human_intervention_response_{id}.json"), response.to_string());
    let finished = CommandOutput::new(running.wait_with_output().unwrap());
    assert_eq!((finished.code, &*finished.stderr), (Some(0), ""), "{}", finished.stdout);
    assert!(finished.stdout.contains("cmd_first_002"), "{}", finished.stdout);
}

#[test]
fn a_plan_asks_each_reader_in_their_language() {
    let scene = Scene::new();
    scene.two_tasks();
    scene.0.write("broken", "");
    let running = scene.run();
    until("a person is asked", || scene.open().len() == 1);
    let name = &scene.open()[0];
    let session = name.strip_suffix(".json").unwrap();
    let zh = |arguments: &[&str]| {
        let finished = scene.0.aide([&["decide"], arguments].concat());
        assert_eq!(finished.code, Some(0), "{arguments:?}: {}", finished.stderr);
        finished.stdout
    };
    let en = |arguments: &[&str]| scene.aide(&[&["decide"], arguments].concat()).stdout;
    // What is kept has the words of the documents in every language.
    let kept = scene.json(&format!(".aide/decisions/open/{name}"));
    assert_eq!(kept["task"], "second: first has failed");
    assert_eq!(kept["items"][0]["options"][0]["label"], "Try again");
    for (text, words) in [
        (zh(&["list"]), &["second: first 失败"][..]),
        (en(&["list"]), &["second: first has failed"]),
        (
            zh(&["show", session]),
            &[
                "first 失败: ",
                "second 需要它的结果，如何继续？",
                "重试",
                "不用 first 的结果执行 second",
                "跳过 second",
            ],
        ),
        (
            en(&["show", session]),
            &[
                "first has failed: ",
                "second needs it. What now?",
                "Try again",
                "Do second without first",
                "Skip second",
            ],
        ),
    ] {
        assert!(words.iter().all(|word| text.contains(word)), "{words:?}: {text}");
    }
    // The page, in both languages.
    let mut serving = scene.0.command(["plan", "serve", "--port", "0"]);
    serving.env("HOME", scene.1.path());
    let serving = RunningServer::printing(serving, 2);
    for (lang, words) in [
        ("zh", ["second: first 失败", "second 需要它的结果，如何继续？", "重试", "跳过 second"]),
        ("en", ["second: first has failed", "second needs it. What now?", "Try again", "Skip second"]),
    ] {
        let html = get(serving.port, &format!("/d/{session}?lang={lang}"));
        assert!(words.iter().all(|word| html.text().contains(word)), "{lang}: {}", html.text());
        let inbox = get(serving.port, &format!("/?lang={lang}"));
        assert!(inbox.text().contains(words[1]), "{lang}: {}", inbox.text());
    }
    drop(serving);
    // At the terminal, and the answer is worth the same.
    fs::remove_file(scene.0.join("broken")).unwrap();
    let answered = scene.0.answer_with(&[session], "重试\n\ny\n");
    assert_eq!(answered.code, Some(0), "{}{}", answered.stdout, answered.stderr);
    assert!(answered.stdout.contains("1. 重试"), "{}", answered.stdout);
    let finished = CommandOutput::new(running.wait_with_output().unwrap());
    assert_eq!((finished.code, &*finished.stderr), (Some(0), ""), "{}", finished.stdout);
    let record = scene.json(&format!(".aide/decisions/{name}"));
    assert_eq!(record["output"]["decisions"][0]["chosen"], "again", "{record}");
    assert!(zh(&["show", session]).contains("重试") && en(&["show", session]).contains("Try again"));
    assert!(zh(&["list"]).contains("second: first 失败"));
}

/// Ends a `plan run` as Ctrl+C does.
fn interrupt(running: Child) {
    use rustix::process::{Pid, Signal, kill_process};
    kill_process(Pid::from_child(&running), Signal::INT).unwrap();
    assert_eq!(CommandOutput::new(running.wait_with_output().unwrap()).code, Some(130));
}

/// The prompts of a task of two that were sent, the latest last.
fn prompts_of(scene: &Scene, task: &str) -> Vec<String> {
    let traces = scene.0.join(&format!(".aide/agents/agent_{task}/workspace/plan_two/trace"));
    let mut requests: Vec<(String, String)> = fs::read_dir(traces)
        .unwrap()
        .map(|entry| fs::read(entry.unwrap().path().join("request_1.json")).unwrap())
        .map(|bytes| serde_json::from_slice::<Value>(&bytes).unwrap())
        .map(|request| (request["requested_at"].to_string(), request["prompt"].as_str().unwrap().to_owned()))
        .collect();
    // Of one second the later one has more instructions.
    requests.sort_by(|(a, of_a), (b, of_b)| (a, of_a.len()).cmp(&(b, of_b.len())));
    requests.into_iter().map(|(_, prompt)| prompt).collect()
}

#[test]
fn what_the_user_writes_is_in_the_prompts_of_the_next_attempts() {
    let scene = Scene::new();
    scene.two_tasks();
    scene.0.write("broken", "");
    let running = scene.run();
    until("a person is asked", || scene.open().len() == 1);
    interrupt(running);
    // Nothing runs while the note is written, so the next run reads it.
    let session = scene.open()[0].strip_suffix(".json").unwrap().to_owned();
    let status = scene.aide(&["plan", "status"]).stdout;
    assert!(status.contains(&format!("(aide decide answer {session})")), "{status}");
    assert_eq!(scene.0.answer_with(&[&session], "重试\nWrite in rhymes.\ny\n").code, Some(0));
    let status = scene.aide(&["plan", "status"]).stdout;
    let answered = "Answered: second: first has failed (aide plan run continues)\n";
    assert!(status.contains(answered) && !status.contains("not asked yet"), "{status}");
    let running = scene.run();
    until("a person is asked again", || scene.open().len() == 1);
    let heading = "\n\n## User instructions (highest priority)\n\n";
    let prompts = prompts_of(&scene, "first");
    assert_eq!(prompts.len(), 2);
    assert!(!prompts[0].contains(heading), "{}", prompts[0]);
    assert!(prompts[1].contains(heading) && prompts[1].contains("\n1. Write in rhymes.\n"), "{}", prompts[1]);
    // In one's own words.
    let session = scene.open()[0].strip_suffix(".json").unwrap().to_owned();
    let own = scene.0.answer_with(&[&session], "4\nUse four lines.\n\ny\n");
    assert_eq!(own.code, Some(0), "{}{}", own.stdout, own.stderr);
    until("a person is asked a third time", || {
        scene.open().first().is_some_and(|name| name.strip_suffix(".json") != Some(&session))
    });
    let prompt = prompts_of(&scene, "first").pop().unwrap();
    assert!(prompt.contains("\n1. Use four lines.\n2. Write in rhymes.\n"), "{prompt}");
    // By name.
    fs::remove_file(scene.0.join("broken")).unwrap();
    let told = scene.succeeds(&["plan", "retry", "first", "--note", "Begin with the cat."]);
    assert_eq!(told, "✓ The task first will be redone\n→ A running aide plan run does it, or the next one\n");
    let finished = CommandOutput::new(running.wait_with_output().unwrap());
    assert_eq!(finished.code, Some(0), "{}{}", finished.stdout, finished.stderr);
    let prompts = prompts_of(&scene, "first");
    let written = "\n1. Begin with the cat.\n2. Use four lines.\n3. Write in rhymes.\n";
    assert!(prompts.len() == 4 && prompts[3].contains(written), "{}", prompts[3]);
    // What was written for one task is not for another.
    assert!(prompts_of(&scene, "second").iter().all(|prompt| !prompt.contains(heading)));
}

#[test]
fn a_changed_command_is_done_again_when_that_is_wanted_with_what_builds_on_it() {
    let scene = Scene::new();
    scene.two_tasks();
    scene.succeeds(&["plan", "run"]);
    let mut command = scene.json("two/commands/first.json");
    command["prompt"] = "Do it in rhymes.".into();
    scene.0.write("two/commands/first.json", command.to_string());
    let told = scene.succeeds(&["plan", "activate", "two"]);
    for line in [
        "→ Changed commands: first",
        "→ An ended task is not redone automatically; aide plan retry first redoes it with the new command",
    ] {
        assert!(told.lines().any(|it| it == line), "{told}");
    }
    // Once it is the active one, it differs no more.
    assert!(!scene.succeeds(&["plan", "activate", "two"]).contains("Changed"));
    scene.succeeds(&["plan", "run"]);
    assert_eq!((prompts_of(&scene, "first").len(), prompts_of(&scene, "second").len()), (1, 1));
    let told = scene.succeeds(&["plan", "retry", "first"]);
    assert!(told.contains("→ Tasks that depend on it are redone after it: second\n"), "{told}");
    let ran = scene.succeeds(&["plan", "run"]);
    assert!(ran.contains("cmd_first_002") && ran.contains("cmd_second_002"), "{ran}");
    let prompts = prompts_of(&scene, "first");
    assert!(prompts.len() == 2 && prompts[1].contains("# Task\n\nDo it in rhymes.\n"), "{prompts:?}");
    assert_eq!(prompts_of(&scene, "second").len(), 2);
    let again = scene.succeeds(&["plan", "run"]);
    assert!(!again.contains("cmd_first_003"), "{again}");
}

#[test]
fn a_command_that_is_executed_by_hand_is_no_plan() {
    let scene = Scene::new();
    scene.0.write(".aide/agents/agent_clerk/agent_profile.json", r#"{"prompt": "You work."}"#);
    let command = json!({ "schema_version": "1.0", "command_id": "cmd_hand", "plan_id": "plan_hand", "task_id": "hand",
        "prompt": "Do it.", "required_inputs": [], "wait_for_inputs": false, "score_required": false, "timeout": 60 });
    scene.0.write("hand.json", command.to_string());
    let executed = scene.aide(&["agent", "exec", "hand.json", "--agent", "agent_clerk"]);
    assert_eq!(executed.code, Some(0), "{}", executed.stderr);
    scene.two_tasks();
    let ran = scene.succeeds(&["plan", "run"]);
    assert!(!ran.contains("plan_hand"), "{ran}");
    assert!(!scene.aide(&["plan", "status"]).stdout.contains("plan_hand"));
    let unknown = scene.aide(&["plan", "status", "plan_hand"]);
    assert!(
        unknown.code == Some(1) && unknown.stderr.contains("no such plan: plan_hand"),
        "{}",
        unknown.stderr
    );
    assert_eq!(scene.succeeds(&["plan", "tick"]), "→ There is nothing to do\n");
    assert_eq!(scene.files(".aide/system_runtime/alerts/plan_hand"), [""; 0]);
}

#[test]
fn a_plan_is_removed_once_it_has_ended() {
    let scene = Scene::new();
    scene.two_tasks();
    scene.0.write("broken", "");
    let running = scene.run();
    until("a person is asked", || scene.open().len() == 1);
    let refused = scene.aide(&["plan", "remove", "plan_two", "--yes"]);
    assert_eq!(refused.code, Some(1));
    let told = "the plan plan_two has not ended; open tasks: second";
    assert!(refused.stderr.contains(told), "{}", refused.stderr);
    fs::remove_file(scene.0.join("broken")).unwrap();
    scene.succeeds(&["plan", "retry", "first"]);
    assert_eq!(CommandOutput::new(running.wait_with_output().unwrap()).code, Some(0));
    // It asks a person, and removes nothing unasked.
    let unasked = scene.aide(&["plan", "remove", "plan_two"]);
    assert!(unasked.code == Some(1) && unasked.stderr.contains("--yes"), "{}", unasked.stderr);
    assert!(scene.aide(&["plan", "status"]).stdout.contains("plan_two"));
    let removed = scene.succeeds(&["plan", "remove", "plan_two", "--yes"]);
    assert_eq!(removed, "✓ The plan plan_two was removed\n");
    assert!(!scene.aide(&["plan", "status"]).stdout.contains("plan_two"));
    let left = Command::new("find").arg(scene.0.join(".aide")).args(["-name", "plan_two"]).output().unwrap();
    assert_eq!(String::from_utf8(left.stdout).unwrap(), "");
    // What the author wrote stays, and is a plan again.
    scene.succeeds(&["plan", "activate", "two"]);
    let ran = scene.succeeds(&["plan", "run"]);
    assert!(ran.contains("cmd_second_001"), "{ran}");
    // One that was never run can be removed as well.
    scene.succeeds(&["plan", "init", "mine"]);
    scene.succeeds(&["plan", "activate", "mine"]);
    let removed = scene.succeeds(&["plan", "remove", "plan_mine", "--yes", "--json"]);
    assert_eq!(removed, "{\"plan_id\":\"plan_mine\",\"removed\":true}\n");
}

#[test]
fn run_says_whose_provider_is_not_there_and_what_names_it() {
    let scene = Scene::new();
    scene.two_tasks();
    scene.0.write(".aide/agents/agent_second/agent_profile.json", r#"{"provider": "dmo"}"#);
    let told = scene.aide(&["plan", "run"]);
    let expected = "✗ the provider dmo of agent_second is not configured (named in .aide/agents/agent_second/agent_profile.json)\n  \
                    hint: providers: stand-in\n";
    assert_eq!((told.code, &*told.stderr), (Some(1), expected));
    scene.0.write(".aide/config.toml", "");
    let told = scene.aide(&["plan", "run"]);
    let hint = "hint: add to the top of ~/.config/aide/config.toml: agent.providers = [{ name = \"claude\"";
    assert!(told.code == Some(1) && told.stderr.contains(hint), "{}", told.stderr);
}

/// What aide says to add can be added, whatever the user's file says already.
#[test]
fn the_lines_for_a_provider_fit_a_configuration_that_has_a_table_of_agents() {
    const USER: &str = ".config/aide/config.toml";
    let scene = Scene::new();
    scene.two_tasks();
    scene.0.write(".aide/config.toml", "");
    scene.succeeds(&["config", "set", "--user", "agent.human_timeout", "60"]);
    scene.succeeds(&["plan", "activate", "two"]);
    for arguments in [&["plan", "lint", "two"][..], &["plan", "init", "mine"], &["plan", "run"]] {
        let told = scene.aide(arguments);
        let text = told.stdout + &told.stderr;
        let (_, lines) = text.split_once("the end of ~/.config/aide/config.toml:\n").expect(&text);
        let lines: String = lines.lines().take(4).map(|line| format!("{}\n", line.trim())).collect();
        let before = fs::read_to_string(scene.1.path().join(USER)).unwrap();
        fs::write(scene.1.path().join(USER), format!("{before}\n{lines}")).unwrap();
        let listed = scene.succeeds(&["provider", "list"]);
        assert!(listed.contains("claude"), "{listed}");
        fs::write(scene.1.path().join(USER), before).unwrap();
    }
}

#[test]
fn without_a_folder_the_only_plan_is_taken() {
    let scene = Scene::new();
    for command in ["lint", "activate"] {
        let none = scene.aide(&["plan", command]);
        let told = format!(
            "✗ no folder is named, and there is no plan here: aide plan {command}\n  hint: aide plan {command} DIR, where DIR has a \
             task_dag.json; aide plan init writes a new plan\n"
        );
        assert_eq!((none.code, &*none.stderr), (Some(2), &*told));
    }
    scene.succeeds(&["plan", "init"]);
    let linted = scene.aide(&["plan", "lint"]);
    assert_eq!((linted.code, &*linted.stderr), (Some(0), "→ The plan in plan\n"));
    assert!(linted.stdout.ends_with("is valid (2 tasks)\n"), "{}", linted.stdout);
    // In its own folder, and elsewhere in the project.
    for (folder, named) in [("plan", "."), ("notes", "")] {
        fs::create_dir_all(scene.0.join(folder)).unwrap();
        let mut command = scene.command(&["plan", "activate"]);
        let activated = CommandOutput::new(command.current_dir(scene.0.join(folder)).output().unwrap());
        assert_eq!(activated.code, Some(0), "{}", activated.stderr);
        let path = if named == "." { named.to_owned() } else { scene.0.join("plan").display().to_string() };
        assert_eq!(activated.stderr, format!("→ The plan in {path}\n"));
    }
    // Of several, one is to be named.
    scene.succeeds(&["plan", "init", "mine"]);
    for command in ["lint", "activate"] {
        let several = scene.aide(&["plan", command]);
        let told = format!(
            "✗ there are several plans here: mine, plan\n  hint: name one: aide plan {command} mine\n"
        );
        assert_eq!((several.code, &*several.stderr), (Some(2), &*told));
    }
    let json = scene.aide(&["plan", "lint", "mine", "--json"]);
    assert_eq!((json.code, &*json.stderr), (Some(0), ""), "{}", json.stdout);
    // In a folder that is named, the only one.
    fs::create_dir_all(scene.0.join("a/b")).unwrap();
    fs::rename(scene.0.join("mine"), scene.0.join("a/b/mine")).unwrap();
    for command in ["lint", "activate"] {
        let inside = scene.aide(&["plan", command, "a"]);
        assert_eq!(
            (inside.code, &*inside.stderr),
            (Some(0), "→ The plan in a/b/mine\n"),
            "{}",
            inside.stdout
        );
    }
    let none = scene.aide(&["plan", "lint", "notes"]);
    assert!(none.stderr.starts_with("✗ there is no task_dag.json in notes\n"), "{none:?}");
}

#[test]
fn a_review_that_does_not_come_is_asked_about_with_its_cause_and_can_be_tried_again() {
    let scene = Scene::new();
    scene.succeeds(&["plan", "init"]);
    scene.succeeds(&["plan", "activate", "plan"]);
    scene.0.write("unreviewed", "");
    let running = scene.run();
    until("a person is asked", || scene.open().len() == 1);
    let first = scene.open()[0].clone();
    let session = first.strip_suffix(".json").unwrap();
    let shown = scene.aide(&["decide", "show", session]).stdout;
    let asked = "review has failed: the object has no `result` [LLM_OUTPUT_INVALID]. No review of draft is coming \
        (missing: artifact_validation_result.json). Continue without it?";
    for words in [asked, "Try again / Continue without it / Skip draft"] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    let shown = scene.0.aide(["decide", "show", session]).stdout;
    let asked = "review 失败: the object has no `result` [LLM_OUTPUT_INVALID]。不会再有对 draft 的评审（缺少: \
        artifact_validation_result.json），是否不经评审继续？";
    for words in ["draft: 未经评审", asked, "重试 / 不经评审继续 / 跳过 draft"] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    assert_eq!(scene.0.answer_with(&[session], "重试\n\ny\n").code, Some(0));
    until("a person is asked again", || scene.open().first().is_some_and(|now| *now != first));
    let second = scene.open()[0].clone();
    let session = second.strip_suffix(".json").unwrap();
    assert_eq!(scene.0.answer_with(&[session], "不经评审继续\n\ny\n").code, Some(0));
    running.wait_with_output().unwrap();
    for (name, chosen) in [(first, "again"), (second, "approve")] {
        let record = scene.json(&format!(".aide/decisions/{name}"));
        assert_eq!(record["output"]["decisions"][0]["chosen"], chosen, "{record}");
    }
    let status = scene.aide(&["plan", "status"]).stdout;
    assert!(status.lines().any(|line| line.starts_with("draft ") && line.contains("completed")), "{status}");
}

#[test]
fn work_that_is_not_good_enough_is_asked_about_in_each_language() {
    let scene = Scene::new();
    scene.succeeds(&["plan", "init"]);
    // Nothing that is written is ever good enough.
    let provider =
        PROVIDER.replace("*'too short'*) printf '%s\\n' '{\"result\": \"version two\\n\"}' ;;", "");
    assert_ne!(provider, PROVIDER);
    scene.0.write("provider.sh", provider);
    scene.aide(&["trust"]);
    scene.succeeds(&["plan", "activate", "plan"]);
    let running = scene.run();
    until("a person is asked", || scene.open().len() == 1);
    let name = &scene.open()[0];
    let session = name.strip_suffix(".json").unwrap();
    let shown = scene.aide(&["decide", "show", session]).stdout;
    let plan = fs::read_dir(scene.0.join(".aide/system_runtime/plans")).unwrap().next().unwrap().unwrap();
    let plan = plan.file_name().into_string().unwrap();
    let work = format!(".aide/agents/agent_writer/outbox/{plan}/draft.md");
    for words in [
        "draft is still not good enough (review: REJECT, 40). Take it as it is?",
        "Take it as it is / Have it done again / Skip draft",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    let request = format!(".aide/system_runtime/plans/{plan}/human_requests");
    let request = scene.json(&format!("{request}/{}", scene.files(&request)[0]));
    assert_eq!(
        (&request["context_refs"][0]["kind"], &request["context_refs"][0]["file"]),
        (&json!("judged"), &json!(work)),
        "{request}"
    );
    let mut serving = scene.0.command(["plan", "serve", "--port", "0"]);
    serving.env("HOME", scene.1.path());
    let serving = RunningServer::printing(serving, 2);
    for (lang, found, judged) in
        [("en", "What the judges found:", "What was judged:"), ("zh", "评审意见:", "评审对象:")]
    {
        let html = get(serving.port, &format!("/d/{session}?lang={lang}"));
        for words in [found, "too short</li>", judged, &format!("<code>{work}</code>"), "version one"] {
            assert!(html.text().contains(words), "{lang}: {words}: {}", html.text());
        }
    }
    drop(serving);
    let shown = scene.0.aide(["decide", "show", session]).stdout;
    for words in
        ["draft 仍未达到要求（review: REJECT, 40），是否按现状接受？", "按现状接受 / 重新执行 / 跳过 draft"]
    {
        assert!(shown.contains(words), "{shown}");
    }
    // At the terminal it stands above the question. Another try is made with what was written beside the answer.
    let answered = scene.0.answer_with(&[session], "重新执行\nMention the cat.\ny\n");
    assert_eq!(answered.code, Some(0), "{}{}", answered.stdout, answered.stderr);
    assert!(
        answered.stdout.contains("- too short") && answered.stdout.contains(&work),
        "{}",
        answered.stdout
    );
    until("the person is asked again", || scene.open().first().is_some_and(|now| now != name));
    let asked = scene.asked();
    let last = asked.split("=====").filter(|prompt| prompt.contains("You write")).last().unwrap();
    assert!(last.contains("\n## User instructions (highest priority)\n"), "{last}");
    assert!(last.contains("\n1. Mention the cat.\n") && last.contains("former_result/draft.md"), "{last}");
    let again = scene.open()[0].strip_suffix(".json").unwrap().to_owned();
    assert_eq!(scene.0.answer_with(&[&again], "按现状接受\n\ny\n").code, Some(0));
    let finished = CommandOutput::new(running.wait_with_output().unwrap());
    assert_eq!(finished.code, Some(0), "{}{}", finished.stdout, finished.stderr);
    assert!(scene.succeeds(&["plan", "result"]).ends_with("version one\n"));
}

#[test]
fn the_end_of_a_task_and_of_the_plan_withdraw_what_is_still_open() {
    let scene = Scene::new();
    scene.two_tasks();
    // The agent of a task asks, and goes on without waiting; so does one that has no task.
    for (request, task) in [("req_task", Some("first")), ("req_plan", None)] {
        let mut by = json!({ "agent_id": "agent_first" });
        if let Some(task) = task {
            by["task_id"] = task.into();
            by["command_id"] = "cmd_first_001".into();
        }
        let document = json!({ "schema_version": "1.0", "request_id": request, "plan_id": "plan_two",
            "created_at": "2026-01-12T09:00:00Z", "created_by": by, "severity": "LOW", "type": "CLARIFY",
            "needed": { "decision": { "question": "Which tone?", "options": [{ "key": "a" }, { "key": "b" }] } } });
        let outbox = ".aide/agents/agent_first/outbox/plan_two";
        scene.0.write(&format!("{outbox}/human_intervention_request_{request}.json"), document.to_string());
    }
    let finished = CommandOutput::new(scene.command(&["plan", "run"]).output().unwrap());
    assert_eq!(finished.code, Some(0), "{}{}", finished.stdout, finished.stderr);
    assert_eq!(scene.open(), [""; 0]);
    let withdrawals = ".aide/system_runtime/plans/plan_two/human_withdrawals";
    let reason = |request: &str| scene.json(&format!("{withdrawals}/{request}.json"))["reason"].clone();
    assert_eq!((reason("req_plan"), scene.files(withdrawals).len()), (json!("PLAN_ENDED"), 2));
    assert_eq!(reason("req_task"), "TASK_ENDED");
    for record in scene.files(".aide/decisions") {
        assert_eq!(scene.json(&format!(".aide/decisions/{record}"))["cancelled"], true, "{record}");
    }
}

#[test]
fn plan_run_says_what_has_failed_and_where_to_answer() {
    let scene = Scene::new();
    scene.two_tasks();
    scene.0.write("broken", "");
    let place = Place::started();
    let on_daemon = |arguments: &[&str]| {
        let mut command = scene.command(arguments);
        command.env("FINGER_HOME", place.state()).env("HOME", place.folder.join("home"));
        // Where this user has trusted the project.
        command.env("XDG_STATE_HOME", scene.1.path().join(".local/state"));
        command
    };
    let running = begin(on_daemon(&["plan", "run"]));
    until("a person is asked", || scene.open().len() == 1);
    let session = scene.open()[0].strip_suffix(".json").unwrap().to_owned();
    // The inbox has it without anything more being done.
    until("the daemon shows it", || get(place.http_port(), "/").text().contains("plan_two"));
    let status = CommandOutput::new(on_daemon(&["plan", "status"]).output().unwrap()).stdout;
    let waits = format!("Waiting for the user: second: first has failed (aide decide answer {session})\n");
    assert!(status.contains(&waits), "{status}");
    assert!(!status.contains("human_req_"), "{status}");
    // Times are those of this place, to the second.
    let time = status.split_once("Plan plan_two (").unwrap().1.split(')').next().unwrap();
    assert_eq!(time.len(), "2026-01-12T09:00:00+08:00".len(), "{status}");
    fs::remove_file(scene.0.join("broken")).unwrap();
    scene.succeeds(&["plan", "retry", "first"]);
    let finished = CommandOutput::new(running.wait_with_output().unwrap());
    let output = finished.stdout;
    assert_eq!((finished.code, &*finished.stderr), (Some(0), ""), "{output}");
    let (_, asked) = output.split_once("The user is asked about second").unwrap();
    let lines: Vec<&str> = asked.lines().skip(1).take(3).collect();
    let link = format!("→ Open: http://localhost:{}/d/", place.http_port());
    assert_eq!(lines[0], "⚠ failed tasks: first", "{output}");
    assert!(lines[1].starts_with(&link) && lines[1].ends_with(&session), "{output}");
    assert_eq!(
        lines[2],
        format!("→ Answer with aide decide open, or aide decide answer {session}"),
        "{output}"
    );
}

/// A run that goes on with a question that is open says so at its beginning, as the one did that has asked it.
#[test]
fn a_later_run_says_what_has_failed_and_where_to_answer() {
    let scene = Scene::new();
    scene.two_tasks();
    scene.0.write("broken", "");
    let running = scene.run();
    until("a person is asked", || scene.open().len() == 1);
    let session = scene.open()[0].strip_suffix(".json").unwrap().to_owned();
    interrupt(running);
    let mut again = scene.run();
    let (lines, mut output) = (Arc::new(Mutex::new(String::new())), again.stdout.take().unwrap());
    let heard = Arc::clone(&lines);
    let reading = thread::spawn(move || {
        let mut some = [0; 1024];
        while let Ok(length @ 1..) = output.read(&mut some) {
            heard.lock().unwrap().push_str(&String::from_utf8_lossy(&some[..length]));
        }
    });
    let told = format!("→ Answer with aide decide open, or aide decide answer {session}\n");
    until("it says where to answer", || lines.lock().unwrap().contains(&told));
    interrupt(again);
    reading.join().unwrap();
    let lines = lines.lock().unwrap();
    assert!(lines.contains("⚠ failed tasks: first\n"), "{lines}");
    assert_eq!(lines.matches(&told).count(), 1, "{lines}");
    // For programs as the event of the question.
    let mut json = begin(scene.command(&["plan", "run", "--json"]));
    let mut first = BufReader::new(json.stdout.take().unwrap()).lines();
    let event = first.find_map(|line| {
        let event: Value = serde_json::from_str(&line.unwrap()).unwrap();
        (event["event"] == "questions_opened").then_some(event)
    });
    assert_eq!(event.unwrap()["session_id"], session.as_str());
    interrupt(json);
}

/// `plan init` begins a project where there is none: it is found from its folders, in the language that was asked for.
#[test]
fn a_plan_that_is_begun_outside_of_a_project_makes_one() {
    let folder = Folder::empty();
    let aide =
        |arguments: &[&str]| CommandOutput::new(folder.command(arguments.iter().copied()).output().unwrap());
    let begun = aide(&["--lang", "en", "plan", "init"]);
    assert_eq!(begun.code, Some(0), "{}", begun.stderr);
    assert!(
        begun.stdout.starts_with("✓ Created the default configuration .aide/config.toml\n"),
        "{}",
        begun.stdout
    );
    let config = fs::read_to_string(folder.join(".aide/config.toml")).unwrap();
    assert!(config.contains("\nlang = \"en\"\n"), "{config}");
    for inside in ["plan", "plan/commands"] {
        let mut command = folder.command(["plan", "status"]);
        let told = CommandOutput::new(command.current_dir(folder.join(inside)).output().unwrap());
        assert_eq!((told.code, &*told.stderr), (Some(0), ""), "{inside}");
        let mut command = folder.command(["plan", "lint"]);
        let told = CommandOutput::new(command.current_dir(folder.join(inside)).output().unwrap());
        assert!(told.stdout.contains("The plan plan_"), "{inside}: {told:?}");
    }
    // A configuration that is there is kept, and folders of its own need no project.
    let again = aide(&["plan", "init", "other"]);
    assert!(again.code == Some(0) && !again.stdout.contains("configuration"), "{again:?}");
    assert_eq!(fs::read_to_string(folder.join(".aide/config.toml")).unwrap(), config);
    let elsewhere = Folder::empty();
    let own = elsewhere.aide(["plan", "init", "--agents", "a", "--runtime", "r"]);
    assert_eq!((own.code, elsewhere.join(".aide").exists()), (Some(0), false), "{own:?}");
    let mut chinese = Folder::empty().command(["plan", "init", "--agents", "a", "--runtime", "r"]);
    let chinese = CommandOutput::new(
        chinese.env("LANG", "en_US.UTF-8").current_dir(elsewhere.path()).arg("two").output().unwrap(),
    );
    assert!(
        chinese.stderr.ends_with(
            "For English, add --lang en, or set it once: aide config set --user general.lang auto\n"
        ),
        "{chinese:?}"
    );
}

#[test]
fn another_revision_withdraws_what_the_one_before_has_asked() {
    let scene = Scene::new();
    scene.two_tasks();
    scene.0.write("broken", "");
    let running = scene.run();
    until("a person is asked", || scene.open().len() == 1);
    fs::remove_file(scene.0.join("broken")).unwrap();
    let mut dag = scene.json("two/task_dag.json");
    dag["nodes"][0]["name"] = "Once more".into();
    scene.0.write("two/task_dag.json", dag.to_string());
    scene.succeeds(&["plan", "activate", "two"]);
    let finished = CommandOutput::new(running.wait_with_output().unwrap());
    assert_eq!(finished.code, Some(0), "{}{}", finished.stdout, finished.stderr);
    assert_eq!(scene.open(), [""; 0]);
    assert_eq!(scene.files(".aide/system_runtime/plans/plan_two/human_withdrawals").len(), 1);
    assert_eq!(scene.files(".aide/system_runtime/plans/plan_two/human_responses").len(), 0);
}

#[test]
fn lint_finds_what_newcomers_get_wrong() {
    let scene = Scene::new();
    scene.two_tasks();
    let lint = |scene: &Scene, path: &str| {
        let finished = scene.aide(&["plan", "lint", path]);
        (finished.code, finished.stdout + &finished.stderr)
    };
    let (code, clean) = lint(&scene, "two");
    assert!(code == Some(0) && clean.lines().count() == 1, "{clean}");
    // A file in the place of a folder.
    let (code, text) = lint(&scene, "two/task_dag.json");
    assert_eq!(code, Some(1));
    assert_eq!(text, "✗ two/task_dag.json is a file, not a folder\n  hint: name its folder: two\n");
    // Misspelt: what may be left out is a warning, what must be there an error that says what was meant.
    let written = fs::read_to_string(scene.0.join("two/task_dag.json")).unwrap();
    let mut dag: Value = serde_json::from_str(&written).unwrap();
    dag["nodes"][0]["gate"] = json!({ "required": true });
    scene.0.write("two/task_dag.json", dag.to_string());
    let (code, text) = lint(&scene, "two");
    assert!(
        code == Some(0) && text.contains("nodes[0].gate: unknown name \"gate\"; did you mean gates?"),
        "{text}"
    );
    scene.0.write("two/task_dag.json", written.replace("assigned_agent_id", "asigned_agent_id"));
    let (code, text) = lint(&scene, "two");
    assert!(code == Some(1) && text.contains("did you mean assigned_agent_id?"), "{text}");
    scene.0.write("two/task_dag.json", &written);
    // A file that no task makes, a provider that is not configured, and an agent that is a file.
    let mut command = scene.json("two/commands/second.json");
    command["required_inputs"] = json!(["approval.md"]);
    scene.0.write("two/commands/second.json", command.to_string());
    scene.0.write(".aide/agents/agent_second/agent_profile.json", r#"{"provider": "elsewhere"}"#);
    let (code, text) = lint(&scene, "two");
    assert!(
        code == Some(0)
            && text.contains("second.required_inputs[0]: no task delivers the input \"approval.md\""),
        "{text}"
    );
    assert!(text.contains("the provider elsewhere of agent_second is not configured"), "{text}");
    let told: Value = serde_json::from_str(&scene.aide(&["plan", "lint", "two", "--json"]).stdout).unwrap();
    assert_eq!((&told["valid"], told["findings"].as_array().unwrap().len()), (&json!(true), 2), "{told}");
    fs::remove_dir_all(scene.0.join(".aide/agents/agent_second")).unwrap();
    scene.0.write(".aide/agents/agent_second", "");
    let (code, text) = lint(&scene, "two");
    assert!(code == Some(1) && text.contains("agent_second is a file; an agent is a folder"), "{text}");
    fs::remove_file(scene.0.join(".aide/agents/agent_second")).unwrap();
    fs::create_dir(scene.0.join(".aide/agents/agent_second")).unwrap();
    // No provider at all.
    scene.0.write(".aide/config.toml", "");
    let (_, text) = lint(&scene, "two");
    assert!(text.contains("no provider is configured") && text.contains("agent.providers = [{"), "{text}");
}

#[test]
fn lint_finds_reviewers_without_work_selectors_that_match_nothing_and_draws_what_is_there() {
    let scene = Scene::new();
    scene.succeeds(&["plan", "init"]);
    let written = scene.json("plan/task_dag.json");
    let lint = |dag: &Value| {
        scene.0.write("plan/task_dag.json", dag.to_string());
        let finished = scene.aide(&["plan", "lint", "plan"]);
        (finished.code, finished.stdout + &finished.stderr)
    };
    let warned = |dag: &Value, words: &str| {
        let (code, text) = lint(dag);
        assert!(
            code == Some(0) && text.contains(words) && text.contains("with 1 warning"),
            "{words}: {text}"
        );
    };
    // A reviewer that is given nothing.
    let mut dag = written.clone();
    dag["nodes"][1].as_object_mut().unwrap().remove("inputs");
    dag["nodes"][0]["outputs"][0]["deliver_to"] = json!([]);
    warned(
        &dag,
        "nodes[1]: review reviews, but gets nothing to review; add inputs, or deliver the work to its agent",
    );
    // Selectors that match nothing, and a rule for an output that there is not.
    for selector in
        [json!({ "type": "by_glob", "value": "*.pdf" }), json!({ "type": "by_file_name", "value": "a.pdf" })]
    {
        let mut dag = written.clone();
        dag["nodes"][1]["inputs"][0]["selector"] = selector;
        warned(&dag, "nodes[1].inputs[0].selector: ");
    }
    let mut dag = written.clone();
    dag["routing_rules"] = json!([{ "match": { "output_name": "nope" }, "deliver_to": ["agent_writer"] }]);
    warned(&dag, "routing_rules[0].match.output_name: no task has an output nope");
    // Of tasks that depend on one another, each edge that is drawn is one that there is.
    let mut dag = written.clone();
    let mut third = dag["nodes"][1].clone();
    third["task_id"] = "publish".into();
    third["outputs"][0]["idempotency_key"] = "publish".into();
    third["depends_on"] = json!(["review"]);
    dag["nodes"].as_array_mut().unwrap().push(third);
    dag["nodes"][0]["depends_on"] = json!(["publish"]);
    let (code, text) = lint(&dag);
    assert_eq!(code, Some(1));
    let (_, drawn) = text.split_once("these tasks depend on each other: ").unwrap();
    let drawn = drawn.split_once(" [DAG_CYCLE]").unwrap().0;
    let way: Vec<&str> = drawn.split(" → ").collect();
    let nodes = dag["nodes"].as_array().unwrap();
    for pair in way.windows(2) {
        let node = nodes.iter().find(|node| node["task_id"] == pair[0]).unwrap();
        assert!(node["depends_on"].as_array().unwrap().contains(&pair[1].into()), "{drawn}");
    }
    assert_eq!((way.len(), way.first()), (4, way.last()), "{drawn}");
    // A score that no file has.
    let mut command = scene.json("plan/commands/review.json");
    let file = &mut command["produces"][0]["files"][0];
    file["path"] = "verdict.json".into();
    file.as_object_mut().unwrap().remove("format");
    scene.0.write("plan/commands/review.json", command.to_string());
    let mut dag = written;
    dag["nodes"][0]["gates"].as_object_mut().unwrap().remove("evidence_required");
    let (code, text) = lint(&dag);
    let words = "no command writes an artifact_validation_result; add \"format\" to its file";
    assert!(code == Some(1) && text.contains(words), "{text}");
}

#[test]
fn a_plan_of_a_project_inside_is_left_to_that_project() {
    let scene = Scene::new();
    fs::create_dir_all(scene.0.join("inside")).unwrap();
    for arguments in [&["init"][..], &["plan", "init"]] {
        let mut command = scene.command(arguments);
        let begun = CommandOutput::new(command.current_dir(scene.0.join("inside")).output().unwrap());
        assert_eq!(begun.code, Some(0), "{begun:?}");
    }
    let root = scene.0.path().canonicalize().unwrap().join("inside").display().to_string();
    for command in ["lint", "activate"] {
        let refused = scene.aide(&["plan", command, "inside"]);
        let told = format!(
            "→ The plan in inside/plan\n✗ the plan in inside/plan belongs to another project: {root}\n  hint: run aide plan {command} \
             in the folder {root}\n"
        );
        assert_eq!((refused.code, &*refused.stderr), (Some(1), &*told));
    }
}
