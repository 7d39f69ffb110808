//! A plan in a project's folders, as a router and agents leave it.

use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// What a page must show as it is.
pub const HOSTILE: &str = "<script>alert(1)</script>\"'";

pub struct Plan {
    id: String,
    runtime: PathBuf,
}

impl Plan {
    /// One of which everything is known: three tasks, one done, one that waits for a person, one that has not begun.
    pub fn new(project: &Path, id: &str) -> Self {
        let plan = Self::bare(project, id);
        let task = |task: &str, state: &str| {
            json!({ "task_id": task, "assigned_agent_id": "agent_a", "state": state,
                "updated_at": "2026-01-12T09:01:00Z", "attempts": { "reexecute_count": 1 } })
        };
        let mut waits = task("task_two", "BLOCKED_WAITING_HUMAN");
        waits["blocking"] = json!({ "reason": "MISSING_INPUTS", "missing": ["approval.md"] });
        let tasks = [task("task_one", "COMPLETED"), waits, task("task_three", "PENDING")];
        plan.status(&tasks);
        plan.write(
            "plan_manifest.json",
            &json!({
                "schema_version": "1.0", "plan_id": id, "plan_name": format!("Plan of {HOSTILE}"),
                "created_at": "2026-01-12T08:30:00Z", "agents": [], "deliverables": [{ "name": "x" }],
            }),
        );
        plan.write("release_manifest.json", &json!({
            "schema_version": "1.0", "release_id": "release_1", "plan_id": id,
            "created_at": "2026-01-12T11:00:00Z", "release_manager_agent_id": "agent_a", "decision": "APPROVE",
        }));
        plan.request("req_1");
        plan.write(
            "decisions/decision_record_dec_1.json",
            &json!({
                "schema_version": "1.0", "decision_id": "dec_1", "plan_id": id, "decision_type": "DAG_REVIEW",
                "decision": "APPROVE", "decided_by_agent_id": "agent_a", "created_at": "2026-01-12T08:30:30Z",
                "subject": { "kind": "task_dag" }, "notes": HOSTILE,
            }),
        );
        plan.write(
            "acks/ack_msg_1.json",
            &json!({
                "schema_version": "1.0", "plan_id": id, "message_id": "msg_1", "task_id": "task_one",
                "consumer_agent_id": "agent_a", "status": "SUCCEEDED", "consumed_at": "2026-01-12T09:00:04Z",
                "finished_at": "2026-01-12T09:01:30Z", "result": { "ok": true },
            }),
        );
        plan.write(
            &format!("../../alerts/{id}/alert_1.json"),
            &json!({
                "schema_version": "1.0", "alert_id": "alert_1", "plan_id": id, "severity": "HIGH",
                "type": "COMMAND_ACK_TIMEOUT", "created_at": "2026-01-12T10:00:04Z", "message": HOSTILE,
            }),
        );
        plan.write(&format!("../../deadletter/{id}/dead_1.json"), &json!({
            "schema_version": "1.0", "plan_id": id, "deadletter_id": "dead_1", "created_at": "2026-01-12T10:00:04Z",
            "reason": { "code": "ROUTING_NO_TARGET", "message": HOSTILE },
            "original": { "file_name": "x.msg.json", "message_id": "msg_9", "producer_agent_id": "agent_a" },
        }));
        plan.deliveries(&["DELIVERED", "SKIPPED_DUPLICATE", "DELIVERED"]);
        plan.agent("agent_a", "WAITING");
        plan
    }

    /// One of which nothing is known but its name: what its DAG was cannot be read any more.
    pub fn bare(project: &Path, id: &str) -> Self {
        let runtime = project.join(".aide/system_runtime");
        fs::create_dir_all(runtime.join("plans").join(id)).unwrap();
        fs::create_dir_all(project.join(".aide/agents")).unwrap();
        fs::write(runtime.join("plans").join(id).join("task_dag.json"), "{}").unwrap();
        Self { id: id.to_owned(), runtime }
    }

    pub fn status(&self, tasks: &[Value]) {
        self.write("plan_status.json", &json!({
            "schema_version": "1.0", "plan_id": self.id, "active_task_dag_sha256": "sha256:0f1e",
            "updated_at": "2026-01-12T09:02:00Z", "summary": { "total_tasks": tasks.len(), "completed": 1 },
            "blocked_summary": { "INPUT": 0, "REVIEW": 0, "HUMAN": 1 }, "tasks": tasks,
            "gates": { "release": { "required": true, "status": "PENDING" } },
        }));
    }

    pub fn request(&self, id: &str) {
        self.write(&format!("human_requests/human_intervention_request_{id}.json"), &json!({
            "schema_version": "1.0", "request_id": id, "plan_id": self.id, "created_at": "2026-01-12T10:00:04Z",
            "created_by": { "agent_id": "agent_a", "task_id": "task_two" }, "severity": "HIGH",
            "type": "MISSING_FILE", "needed": { "files": [{ "name": "approval.md" }] },
        }));
    }

    /// A line for each status, the first of `msg_1` and `task_one`, the second of `msg_2` and `task_two`, and so on.
    pub fn deliveries(&self, statuses: &[&str]) {
        let lines = statuses.iter().enumerate().map(|(index, status)| {
            let (number, tasks) = (index + 1, ["task_one", "task_two", "task_three"]);
            json!({ "schema_version": "1.0", "delivery_id": format!("del_{number}"), "plan_id": self.id,
                "message_id": format!("msg_{number}"), "task_id": tasks[index % 3], "from_agent_id": "agent_issuer",
                "to_agent_id": "agent_a", "delivered_at": "2026-01-12T09:00:02Z", "status": status })
        });
        let text: String = lines.map(|line| format!("{line}\n")).collect();
        fs::write(self.path("deliveries.jsonl"), text).unwrap();
    }

    /// How an agent is.
    pub fn agent(&self, agent: &str, status: &str) {
        self.write(
            &format!("../../agent_status/{agent}.json"),
            &json!({
                "schema_version": "1.0", "agent_id": agent, "last_heartbeat": "2026-01-12T09:00:14Z",
                "health": "HEALTHY", "status": status, "current_task_ids": ["task_two"],
            }),
        );
    }

    pub fn write(&self, name: &str, document: &Value) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, document.to_string()).unwrap();
    }

    pub fn path(&self, name: &str) -> PathBuf {
        // `..` is one up from where the plan is, whether or not that is there.
        match name.strip_prefix("../../") {
            Some(name) => self.runtime.join(name),
            None => self.runtime.join("plans").join(&self.id).join(name),
        }
    }
}
