//! A project with an agent, and a program that answers instead of an LLM.

use super::{CommandOutput, Folder};
use serde_json::{Value, json};
use std::fs;
use std::process::Command;

pub(crate) const AGENT: &str = ".aide/agents/worker";
pub(crate) const PLAN: &str = "plan_a";

/// A project with an agent, and a provider that runs a script.
pub(crate) struct Scene(pub(crate) Folder);

impl Scene {
    pub(crate) fn new(script: &str) -> Self {
        let folder = Folder::project();
        folder.write(&format!("{AGENT}/agent_profile.json"), r#"{"prompt":"You work."}"#);
        folder.write("fake.sh", script);
        let config = format!(
            "[[agent.providers]]\nname = \"fake\"\nkind = \"command\"\ncommand = \"sh\"\nargs = [{:?}]\n",
            folder.join("fake.sh").display().to_string()
        );
        folder.write("home/.config/aide/config.toml", config);
        Self(folder)
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.0.command(["agent", "run", "--agent", "worker"].iter().chain(arguments));
        command.env("HOME", self.0.join("home")).env("PATH", "/usr/bin:/bin");
        command
    }

    pub(crate) fn once(&self, further: &[&str]) -> CommandOutput {
        let arguments: Vec<&str> = ["--once"].iter().chain(further).copied().collect();
        CommandOutput::new(self.command(&arguments).output().unwrap())
    }

    /// Puts a file into the inbox whole, as a router does.
    pub(crate) fn deliver(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = format!("{AGENT}/inbox/{PLAN}/{name}");
        self.0.write(&format!("{path}.tmp"), content);
        fs::rename(self.0.join(&format!("{path}.tmp")), self.0.join(&path)).unwrap();
    }

    pub(crate) fn artifact(&self, message: &str, path: &str, content: &str) {
        self.deliver(path, content);
        let envelope = json!({
            "schema_version": "1.0", "message_id": message, "plan_id": PLAN, "task_id": "task_b",
            "output_name": "o", "producer_agent_id": "agent_b", "type": "artifact",
            "created_at": "2026-01-12T09:00:00Z",
            "payload": {"files": [{"path": path, "sha256": agent::sha256(content.as_bytes())}]},
        });
        self.deliver(&format!("artifact_{message}.msg.json"), envelope.to_string());
    }

    pub(crate) fn json(&self, path: &str) -> Option<Value> {
        let bytes = fs::read(self.0.join(&format!("{AGENT}/{path}"))).ok()?;
        Some(serde_json::from_slice(&bytes).unwrap())
    }

    pub(crate) fn ack(&self, message: &str) -> Value {
        let ack = self.json(&format!("outbox/{PLAN}/ack_{message}.json"));
        ack.map_or(Value::Null, |ack| ack["status"].clone())
    }

    pub(crate) fn state(&self, task: &str) -> Value {
        let state = self.json(&format!("outbox/{PLAN}/task_state_{task}.json"));
        state.map_or(Value::Null, |state| state["state"].clone())
    }

    pub(crate) fn status(&self) -> Value {
        self.json("status_heartbeat.json").unwrap_or_default()
    }

    pub(crate) fn list(&self, folder: &str, beginning: &str) -> Vec<String> {
        let entries = fs::read_dir(self.0.join(&format!("{AGENT}/{folder}"))).into_iter().flatten();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> =
            names.filter(|name| name.starts_with(beginning) && name.ends_with(".json")).collect();
        names.sort();
        names
    }
}

pub(crate) fn command(number: u64, further: Value) -> String {
    let task = format!("task_{number}");
    let mut command = json!({
        "schema_version": "1.0", "command_id": format!("cmd_{task}_001"), "plan_id": PLAN, "task_id": task,
        "command_seq": 1, "prompt": "Do it.", "required_inputs": [], "wait_for_inputs": true,
        "score_required": false, "timeout": 3600,
    });
    command.as_object_mut().unwrap().extend(further.as_object().unwrap().clone());
    json!({
        "schema_version": "1.0", "message_id": format!("msg_{number}"), "plan_id": PLAN, "task_id": task,
        "command_id": format!("cmd_{task}_001"), "producer_agent_id": "agent_gm", "type": "command",
        "created_at": "2026-01-12T09:00:00Z", "payload": {"command": command},
    })
    .to_string()
}
