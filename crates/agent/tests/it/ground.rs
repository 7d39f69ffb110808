//! A plan among agents that are moved by hand.

use crate::support::{FakeClock, START, in_memory};
use agent::plan::{
    AuthoredPlan, Folders, PlanError, PlanEvent, ReadOutcome, System, SystemPart, Tick, authored,
};
use agent::sha256;
use protocol::agent::DagKind;
use serde_json::{Value, json};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use tempfile::TempDir;

pub(crate) const PLAN: &str = "plan_p";

pub(crate) struct Ground {
    _folder: TempDir,
    pub(crate) root: PathBuf,
    pub(crate) clock: FakeClock,
}

/// A task whose output `<task>_out` goes to the agents that are named.
pub(crate) fn node(task: &str, depends_on: &[&str], to: &[&str], more: Value) -> Value {
    let mut node = json!({
        "task_id": task, "assigned_agent_id": format!("agent_{task}"), "depends_on": depends_on,
        "outputs": [{ "name": format!("{task}_out"), "deliver_to": to, "idempotency_key": format!("p:{task}") }],
    });
    for (key, value) in more.as_object().into_iter().flatten() {
        node[key] = value.clone();
    }
    node
}

/// A task that needs the output of another.
pub(crate) fn reads(task: &str, from: &str, to: &[&str]) -> Value {
    let input = json!({ "name": "text", "selector": { "type": "by_output_name", "value": format!("{from}_out") },
        "required": true, "pick_policy": "latest_by_delivered_at" });
    node(task, &[from], to, json!({ "inputs": [input] }))
}

pub(crate) fn dag(nodes: &[Value]) -> Value {
    json!({ "schema_version": "1.1", "plan_id": PLAN, "nodes": nodes })
}

/// The command of a task in the document's minimal form.
pub(crate) fn draft(task: &str, more: Value) -> Value {
    let mut command = json!({
        "schema_version": "1.0", "command_id": format!("cmd_{task}"), "plan_id": PLAN, "task_id": task,
        "prompt": "Do it.", "required_inputs": [], "wait_for_inputs": true, "score_required": false, "timeout": 60,
        "produces": [{ "output_name": format!("{task}_out"), "files": [{ "path": format!("{task}.md") }] }],
    });
    for (key, value) in more.as_object().into_iter().flatten() {
        command[key] = value.clone();
    }
    command
}

impl Ground {
    pub(crate) fn new(agents: &[&str]) -> Self {
        let folder = in_memory();
        let root = folder.path().to_owned();
        for agent in agents {
            fs::create_dir_all(root.join("agents").join(agent)).unwrap();
        }
        let clock = FakeClock { seconds: Cell::new(START), next: Cell::new(0) };
        Self { _folder: folder, root, clock }
    }

    pub(crate) fn folders(&self) -> Folders {
        self.try_folders().unwrap()
    }

    pub(crate) fn try_folders(&self) -> Result<Folders, PlanError> {
        Folders::open(&self.root.join("agents"), &self.root.join("rt"))
    }

    /// Makes a DAG the active one, with a command for each task.
    pub(crate) fn activate(
        &self,
        dag: &Value,
        drafts: &[Value],
        manifest: Option<Value>,
    ) -> Box<AuthoredPlan> {
        let author = self.root.join("author");
        let _ = fs::remove_dir_all(&author);
        write(&author.join("task_dag.json"), &dag.to_string());
        for draft in drafts {
            let task = draft["task_id"].as_str().unwrap();
            write(&author.join("commands").join(format!("{task}.json")), &draft.to_string());
        }
        if let Some(manifest) = manifest {
            write(&author.join("plan_manifest.json"), &manifest.to_string());
        }
        let plan = match authored(&author).unwrap() {
            ReadOutcome::Plan(plan) => plan,
            other => panic!("{other:?}"),
        };
        self.folders().activate(&plan, DagKind::Business, &self.clock).unwrap();
        plan
    }

    /// One pass of a system that has just started.
    #[track_caller]
    pub(crate) fn tick(&self) -> Vec<PlanEvent> {
        happened(self.try_tick().unwrap())
    }

    pub(crate) fn try_tick(&self) -> Result<Tick, String> {
        let opened = self.try_folders().and_then(|folders| System::open(folders, &self.clock, "test"));
        let mut system = opened.map_err(|error| error.to_string())?;
        system.tick(SystemPart::All, None).map_err(|error| error.to_string())
    }

    pub(crate) fn after(&self, seconds: i64) {
        self.clock.seconds.set(self.clock.seconds.get() + seconds);
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    pub(crate) fn write(&self, path: &str, content: impl ToString) {
        write(&self.root.join(path), &content.to_string());
    }

    #[track_caller]
    pub(crate) fn json(&self, path: &str) -> Value {
        let bytes = fs::read(self.root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        serde_json::from_slice(&bytes).unwrap()
    }

    pub(crate) fn list(&self, path: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.root.join(path)) else { return Vec::new() };
        let entries = entries.map(|entry| entry.unwrap());
        let files = entries.filter(|entry| entry.file_type().unwrap().is_file());
        let mut names: Vec<String> = files.map(|entry| entry.file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub(crate) fn inbox(&self, agent: &str) -> Vec<String> {
        self.list(&format!("agents/{agent}/inbox/{PLAN}"))
    }

    pub(crate) fn outbox(&self, agent: &str) -> Vec<String> {
        self.list(&format!("agents/{agent}/outbox/{PLAN}"))
    }

    pub(crate) fn system(&self, folder: &str) -> Vec<String> {
        self.list(&format!("rt/plans/{PLAN}/{folder}"))
    }

    pub(crate) fn alerts(&self) -> Vec<String> {
        let names = self.list(&format!("rt/alerts/{PLAN}"));
        let mut found: Vec<String> = names
            .iter()
            .map(|name| self.json(&format!("rt/alerts/{PLAN}/{name}"))["type"].as_str().unwrap().to_owned())
            .collect();
        found.sort();
        found
    }

    pub(crate) fn deliveries(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.root.join(format!("rt/plans/{PLAN}/deliveries.jsonl")));
        let text = text.unwrap_or_default();
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    pub(crate) fn statuses(&self) -> Vec<String> {
        self.deliveries().iter().map(|line| line["status"].as_str().unwrap().to_owned()).collect()
    }

    pub(crate) fn states(&self) -> BTreeMap<String, String> {
        let status = self.json(&format!("rt/plans/{PLAN}/plan_status.json"));
        let tasks = status["tasks"].as_array().unwrap().iter();
        tasks.map(|task| (text(&task["task_id"]), text(&task["state"]))).collect()
    }

    /// The command that an agent has got last.
    #[track_caller]
    pub(crate) fn command(&self, task: &str, seq: u32) -> Value {
        self.json(&format!("agents/agent_{task}/inbox/{PLAN}/cmd_{task}_{seq:03}.msg.json"))
    }

    /// What an agent does with a command: it ends in this state, and makes these files of its output.
    pub(crate) fn does(&self, task: &str, seq: u32, files: &[(&str, &str)]) {
        self.ends(task, seq, "SUCCEEDED", files);
    }

    pub(crate) fn fails(&self, task: &str, seq: u32) {
        self.ends(task, seq, "FAILED", &[]);
    }

    fn ends(&self, task: &str, seq: u32, status: &str, files: &[(&str, &str)]) {
        let agent = format!("agent_{task}");
        let envelope = self.command(task, seq);
        let message = text(&envelope["message_id"]);
        let name = format!("cmd_{task}_{seq:03}.msg.json");
        let inbox = self.path(&format!("agents/{agent}/inbox/{PLAN}"));
        fs::create_dir_all(inbox.join(".processed")).unwrap();
        fs::rename(inbox.join(&name), inbox.join(".processed").join(&name)).unwrap();
        // What came for it is filed.
        for name in self.inbox(&agent).iter().filter(|name| !name.starts_with("cmd_")) {
            fs::remove_file(inbox.join(name)).unwrap();
        }
        if !files.is_empty() {
            let (message, output) = (format!("msg_{task}_{seq}"), format!("{task}_out"));
            self.sends(&agent, &message, task, &output, files);
            let path = format!("agents/{agent}/outbox/{PLAN}/artifact_{message}.msg.json");
            let mut artifact = self.json(&path);
            artifact["command_id"] = envelope["command_id"].clone();
            self.write(&path, artifact);
        }
        let now = self.now();
        self.write(
            &format!("agents/{agent}/outbox/{PLAN}/ack_{message}.json"),
            json!({ "schema_version": "1.0", "plan_id": PLAN, "message_id": message, "task_id": task,
                "command_id": envelope["command_id"], "command_seq": seq, "consumer_agent_id": agent,
                "status": status, "consumed_at": now, "finished_at": now }),
        );
        let state = if status == "FAILED" { "FAILED" } else { "COMPLETED" };
        self.state(task, seq, state);
    }

    pub(crate) fn state(&self, task: &str, seq: u32, state: &str) {
        let agent = format!("agent_{task}");
        self.write(
            &format!("agents/{agent}/outbox/{PLAN}/task_state_{task}.json"),
            json!({ "schema_version": "1.0", "plan_id": PLAN, "task_id": task, "agent_id": agent, "state": state,
                "updated_at": self.now(), "command_id": format!("cmd_{task}_{seq:03}"), "command_seq": seq }),
        );
    }

    /// An artifact in an outbox, with its files.
    pub(crate) fn sends(&self, agent: &str, message: &str, task: &str, output: &str, files: &[(&str, &str)]) {
        let outbox = format!("agents/{agent}/outbox/{PLAN}");
        for (path, content) in files {
            self.write(&format!("{outbox}/{path}"), content);
        }
        let envelope = self.artifact(agent, message, task, output, files);
        self.write(&format!("{outbox}/artifact_{message}.msg.json"), envelope);
    }

    pub(crate) fn artifact(
        &self,
        agent: &str,
        message: &str,
        task: &str,
        output: &str,
        files: &[(&str, &str)],
    ) -> Value {
        let listed =
            files.iter().map(|(path, content)| json!({ "path": path, "sha256": sha256(content.as_bytes()) }));
        json!({
            "schema_version": "1.0", "message_id": message, "plan_id": PLAN, "task_id": task,
            "output_name": output, "producer_agent_id": agent, "type": "artifact", "created_at": self.now(),
            "payload": { "files": listed.collect::<Vec<_>>() },
        })
    }

    pub(crate) fn now(&self) -> String {
        use agent::Clock;
        self.clock.now().to_string()
    }

    /// Every file with its bytes and when it was written.
    pub(crate) fn tree(&self) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
        let mut tree = BTreeMap::new();
        walk(&self.root, &mut tree);
        // A lock file names its owner.
        tree.retain(|path, _| path.extension().is_none_or(|it| it != "lock") && !path.ends_with(".lock"));
        tree
    }
}

pub(crate) fn happened(tick: Tick) -> Vec<PlanEvent> {
    assert!(tick.trouble.is_empty(), "{:?}", tick.trouble);
    tick.happened.into_iter().map(|(_, it)| it).collect()
}

fn walk(dir: &Path, tree: &mut BTreeMap<PathBuf, (Vec<u8>, SystemTime)>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(&path, tree);
        } else {
            let written = fs::metadata(&path).unwrap().modified().unwrap();
            tree.insert(path.clone(), (fs::read(&path).unwrap(), written));
        }
    }
}

fn write(path: &Path, content: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    // As agents do it: whole or not at all.
    let temporary = path.with_extension("tmp");
    fs::write(&temporary, content).unwrap();
    fs::rename(&temporary, path).unwrap();
}

pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value}")).to_owned()
}
