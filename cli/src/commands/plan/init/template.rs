//! The plan that `aide plan init` writes: what is written is reviewed until it is good enough.

use protocol::agent::{Id, Timestamp};
use serde_json::{Value, json};
use texts::Lang;

/// The agents.
pub(super) const WRITER: &str = "agent_writer";
pub(super) const REVIEWER: &str = "agent_reviewer";
/// How good the work must be.
const LEAST: u64 = 80;

struct Words {
    plan: &'static str,
    draft: &'static str,
    review: &'static str,
    task: &'static str,
    again: &'static str,
    writer: &'static str,
    reviewer: &'static str,
    judge: &'static str,
    criteria: &'static str,
}

static ZH: Words = Words {
    plan: "写出并评审",
    draft: "写",
    review: "评审",
    task: "为第一次接触本项目的人写一份简短的介绍（Markdown）: 它做什么，给谁用，怎么开始。",
    again: "如果输入中有评审意见，请按意见修改。",
    writer: "你写文字，简短而准确，只写你知道的事情。",
    reviewer: "你评审别人写的内容，公正而具体。",
    judge: "输入中是要评审的内容。它够好吗？指出缺少什么、哪里不对。",
    criteria: "80 分以上: 可以直接使用；以下: 需要修改",
};

static EN: Words = Words {
    plan: "Write and review",
    draft: "Write",
    review: "Review",
    task: "Write a short introduction to this project in Markdown, for readers who are new to it: what it does, who it is for, and how to get started.",
    again: "If the inputs include a review, fix every issue that it lists.",
    writer: "You write concisely and precisely, and only what you know.",
    reviewer: "You review the work of other writers. Be fair and specific.",
    judge: "The input is the work to review. Is it good enough? Name everything that is missing or wrong.",
    criteria: "80 or more: usable as it is; below 80: needs revision",
};

/// What a plan for this task is called: its first line, as far as a title goes.
fn name_of(task: &str) -> Option<String> {
    /// So many letters say enough.
    const MAX_CHARS: usize = 60;
    let line =
        task.lines().map(|line| line.trim().trim_start_matches('#').trim()).find(|line| !line.is_empty())?;
    let line = line.strip_suffix(['.', '。']).unwrap_or(line);
    Some(match line.char_indices().nth(MAX_CHARS) {
        None => line.to_owned(),
        Some((end, _)) => {
            let cut = &line[..end];
            // Not in the middle of a word, where there are words.
            let whole = cut.rsplit_once(' ').map_or(cut, |(whole, _)| whole);
            format!("{}…", whole.trim_end_matches([',', ';', ':', '，', '；', '：']))
        }
    })
}

/// A plan, as it is written.
pub(super) struct Template {
    pub(super) files: Vec<(String, Value)>,
    pub(super) agents: Vec<(Id, Value)>,
}

impl Template {
    pub(super) fn new(lang: Lang, plan: &Id, task: Option<&str>, now: &Timestamp) -> Self {
        let words = match lang {
            Lang::Zh => &ZH,
            Lang::En => &EN,
        };
        let dag = json!({
            "schema_version": "1.1",
            "plan_id": plan,
            "nodes": [
                {
                    "task_id": "draft",
                    "name": words.draft,
                    "assigned_agent_id": WRITER,
                    "depends_on": [],
                    "gates": {
                        "required": true,
                        "evidence_required": ["artifact_validation_result.json"],
                        "thresholds": { "artifact_validation_min_score": LEAST },
                    },
                    "outputs": [{
                        "name": "draft", "deliver_to": [REVIEWER], "deliverable": true,
                        "idempotency_key": format!("{plan}:draft"), "versioning": { "mode": "keep_latest" },
                    }],
                },
                {
                    "task_id": "review",
                    "name": words.review,
                    "assigned_agent_id": REVIEWER,
                    "depends_on": ["draft"],
                    "inputs": [{
                        "name": "draft", "selector": { "type": "by_output_name", "value": "draft" },
                        "required": true, "pick_policy": "latest_by_delivered_at",
                    }],
                    "outputs": [{
                        "name": "review", "deliver_to": [WRITER],
                        "idempotency_key": format!("{plan}:review"), "versioning": { "mode": "keep_latest" },
                    }],
                },
            ],
        });
        let manifest = json!({
            "schema_version": "1.0",
            "plan_id": plan,
            "plan_name": task.and_then(name_of).unwrap_or_else(|| words.plan.to_owned()),
            "created_at": now,
            "agents": [{ "agent_id": WRITER, "required": true }, { "agent_id": REVIEWER, "required": true }],
            "deliverables": [{ "name": "draft", "from_task_id": "draft" }],
            "policies": { "max_reexecute_times": 3 },
        });
        let command = |task: &str, prompt: String, file: Value| {
            json!({
                "schema_version": "1.0", "command_id": format!("cmd_{task}"), "plan_id": plan, "task_id": task,
                "prompt": prompt, "required_inputs": [], "wait_for_inputs": true, "score_required": false,
                "timeout": 3600, "produces": [{ "output_name": task, "files": [file] }],
            })
        };
        let draft = command(
            "draft",
            format!("{}\n\n{}", task.unwrap_or(words.task).trim_end(), words.again),
            json!({ "path": "draft.md", "content_type": "text/markdown" }),
        );
        let mut review = command(
            "review",
            words.judge.to_owned(),
            json!({ "path": "artifact_validation_result.json", "format": "artifact_validation_result" }),
        );
        review["score_required"] = true.into();
        review["score_criteria"] = words.criteria.into();
        let agent = |name: &str, prompt: &str| {
            name.parse().ok().map(|id| (id, json!({ "agent_id": name, "prompt": prompt })))
        };
        let agents = [agent(WRITER, words.writer), agent(REVIEWER, words.reviewer)];
        let file = |path: &str, value: Value| (path.to_owned(), value);
        Self {
            files: vec![
                file("commands/draft.json", draft),
                file("commands/review.json", review),
                file("plan_manifest.json", manifest),
                file("task_dag.json", dag),
            ],
            agents: agents.into_iter().flatten().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::name_of;

    #[test]
    fn a_plan_is_called_after_the_first_line_of_its_task() {
        for (task, name) in [
            ("Write a poem.", "Write a poem"),
            ("\n# 写一首诗。\n四行", "写一首诗"),
            (" \n", ""),
            (
                "Write a short introduction to this project, for people who see it first",
                "Write a short introduction to this project, for people who…",
            ),
        ] {
            assert_eq!(name_of(task).unwrap_or_default(), name, "{task}");
        }
        assert_eq!(name_of(&"字".repeat(99)).map(|name| name.chars().count()), Some(61));
    }
}
