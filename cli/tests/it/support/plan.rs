//! A project with a plan, whose agents are moved by hand.

use super::{CommandOutput, Folder};
use agent::sha256;
use serde_json::{Value, json};
use std::fs;

pub(crate) const PLAN: &str = "plan_p";
pub(crate) const NOW: &str = "2026-01-12T09:00:00Z";

/// A project with agents and the folder of a plan's author.
pub(crate) struct Scene(pub(crate) Folder);

pub(crate) fn node(task: &str, depends_on: &[&str], to: &[&str]) -> Value {
    json!({
        "task_id": task, "assigned_agent_id": format!("agent_{task}"), "depends_on": depends_on,
        "outputs": [{ "name": format!("{task}_out"), "deliver_to": to, "idempotency_key": format!("p:{task}") }],
    })
}

pub(crate) fn command(task: &str) -> Value {
    json!({
        "schema_version": "1.0", "command_id": format!("cmd_{task}"), "plan_id": PLAN, "task_id": task,
        "prompt": "Do it.", "required_inputs": [], "wait_for_inputs": true, "score_required": false, "timeout": 60,
        "produces": [{ "output_name": format!("{task}_out"), "files": [{ "path": format!("{task}.md") }] }],
    })
}

impl Scene {
    pub(crate) fn new(agents: &[&str]) -> Self {
        let folder = Folder::project();
        for agent in agents {
            fs::create_dir_all(folder.join(&format!(".aide/agents/{agent}"))).unwrap();
        }
        Self(folder)
    }

    /// Two tasks, one after the other.
    pub(crate) fn two_tasks() -> Self {
        let scene = Self::new(&["agent_a", "agent_b"]);
        scene.author(&[node("a", &[], &["agent_b"]), node("b", &["a"], &["agent_a"])]);
        scene
    }

    /// What the author writes: these tasks, and a command for each.
    pub(crate) fn author(&self, nodes: &[Value]) {
        let dag = json!({ "schema_version": "1.1", "plan_id": PLAN, "nodes": nodes });
        self.0.write("plan/task_dag.json", dag.to_string());
        for node in nodes {
            let task = node["task_id"].as_str().unwrap();
            self.0.write(&format!("plan/commands/{task}.json"), command(task).to_string());
        }
    }

    pub(crate) fn plan(&self, arguments: &[&str]) -> CommandOutput {
        self.0.aide(["plan"].iter().chain(arguments))
    }

    #[track_caller]
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let finished = self.plan(arguments);
        assert_eq!(finished.stderr, "");
        serde_json::from_str(&finished.stdout).unwrap_or_else(|_| panic!("{finished:?}"))
    }

    #[track_caller]
    pub(crate) fn activate(&self) {
        let activated = self.plan(&["activate", "plan"]);
        assert_eq!(activated.code, Some(0), "{}", activated.stderr);
    }

    pub(crate) fn names(&self, path: &str) -> Vec<String> {
        let entries = fs::read_dir(self.0.join(path)).into_iter().flatten().map(|entry| entry.unwrap());
        let files = entries.filter(|entry| entry.file_type().unwrap().is_file());
        let mut names: Vec<String> = files.map(|entry| entry.file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub(crate) fn inbox(&self, agent: &str) -> Vec<String> {
        self.names(&format!(".aide/agents/{agent}/inbox/{PLAN}"))
    }

    /// An artifact in an agent's outbox; its file is written only if it is there.
    pub(crate) fn sends(&self, agent: &str, message: &str, output: &str, file: &str, content: Option<&str>) {
        let outbox = format!(".aide/agents/{agent}/outbox/{PLAN}");
        if let Some(content) = content {
            self.0.write(&format!("{outbox}/{file}"), content);
        }
        let envelope = json!({
            "schema_version": "1.0", "message_id": message, "plan_id": PLAN, "task_id": "a",
            "output_name": output, "producer_agent_id": agent, "type": "artifact", "created_at": NOW,
            "payload": { "files": [{ "path": file, "sha256": sha256(content.unwrap_or("text").as_bytes()) }] },
        });
        self.0.write(&format!("{outbox}/{message}.msg.json"), envelope.to_string());
    }

    /// The codes of the alerts that a pass gives.
    #[track_caller]
    pub(crate) fn alerts_of_a_tick(&self) -> Vec<String> {
        let ticked = self.json(&["tick", "--json"]);
        let happened = ticked["happened"].as_array().unwrap().iter();
        let codes = happened.filter(|it| it["event"] == "alerted").map(|it| it["code"].as_str().unwrap());
        codes.map(str::to_owned).collect()
    }
}
