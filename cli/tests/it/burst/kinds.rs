//! The kinds of workflows in a burst, and what each must come to. Their agents are in `agent.sh`.

use crate::support::Folder;
use serde_json::Value;
use std::collections::BTreeMap;

/// What the agents of a workflow do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Answer at once.
    Prompt,
    /// Take up to 200 ms for a task.
    Slow,
    /// Fail once each way: the program, an answer that cannot be read, a task that succeeds the second time.
    Failing,
    /// Fail a task for good.
    Hopeless,
    /// Ask the person, in a phase and in tasks.
    Asking,
    /// Search the web, for which the person is asked.
    Searching,
    /// Want the person to agree to the plan.
    Unsure,
}

const KINDS: [Kind; 7] =
    [Kind::Prompt, Kind::Slow, Kind::Failing, Kind::Hopeless, Kind::Asking, Kind::Searching, Kind::Unsure];

/// The events that are counted for each workflow.
pub(super) const COUNTED: [&str; 7] = [
    "user_decision_required",
    "user_decision_received",
    "task_started",
    "task_completed",
    "task_failed",
    "tool_result",
    "system_error",
];

/// The phases of a workflow that comes to its end.
const PHASES: [&str; 6] =
    ["semantic_understanding", "routing_decision", "plan_loop", "execution", "review", "completed"];

/// How a workflow has ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fate {
    /// What its last task came to, where it has completed.
    pub(super) output: Option<String>,
    /// Why it has failed.
    pub(super) error: Option<String>,
    /// The phases that it has entered, the last of which is its end.
    pub(super) phases: Vec<String>,
    /// How many of each of [`COUNTED`].
    pub(super) events: [usize; COUNTED.len()],
}

/// A workflow of the burst, by its number from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Task(pub(super) usize);

impl Task {
    pub(super) fn name(self) -> String {
        format!("burst-{:03}", self.0)
    }

    fn kind(self) -> Kind {
        KINDS[self.0 % KINDS.len()]
    }

    /// What the person writes.
    pub(super) fn words(self) -> String {
        format!("{} {}", self.name(), format!("{:?}", self.kind()).to_lowercase())
    }

    /// The task that a decision is about, which names it in its question or its context.
    pub(super) fn named_in(decision: &Value) -> Option<Self> {
        let texts = ["message", "context"].iter().filter_map(|member| decision[*member].as_str());
        let digits = texts.filter_map(|text| text.split_once("burst-")?.1.get(..3)).next()?;
        digits.parse().ok().map(Self)
    }

    fn is_even(self) -> bool {
        self.0.is_multiple_of(2)
    }

    /// What the person answers to a question of its workflow, which was asked this question so often before.
    pub(super) fn answer(self, question: &str, before: usize) -> Option<&'static str> {
        let in_turn = |answers: [&'static str; 2]| answers.get(before).copied();
        match question {
            "检测到网络访问，是否继续？" => Some(if self.is_even() { "always" } else { "n" }),
            "任务 1 失败，如何继续？" => in_turn(["continue", "abort"]),
            "计划待确认，如何继续？" => in_turn(["replan", "continue"]),
            _ if question == format!("{}: which?", self.name()) => {
                Some(if self.is_even() { "red" } else { "2" })
            }
            _ => None,
        }
    }

    /// What it must come to.
    pub(super) fn fate(self) -> Fate {
        let is_even = self.is_even();
        let word = match self.kind() {
            Kind::Prompt | Kind::Unsure | Kind::Hopeless => "promptly",
            Kind::Slow => "slowly",
            Kind::Failing => "again",
            Kind::Asking => {
                if is_even {
                    "red"
                } else {
                    "blue"
                }
            }
            Kind::Searching => {
                if is_even {
                    "found"
                } else {
                    "refused"
                }
            }
        };
        // Asked, answered, tasks begun, done and failed, tools used, errors.
        let events = match self.kind() {
            Kind::Prompt | Kind::Slow => [0, 0, 3, 3, 0, 0, 0],
            Kind::Failing => [0, 0, 4, 3, 1, 0, 1],
            Kind::Hopeless => [2, 2, 3, 1, 2, 0, 0],
            Kind::Asking => [3, 3, 3, 3, 0, 0, 0],
            // A yes holds for the workflow, a no for the call.
            Kind::Searching if is_even => [1, 1, 3, 3, 0, 2, 0],
            Kind::Searching => [2, 2, 3, 3, 0, 0, 0],
            Kind::Unsure => [2, 2, 3, 3, 0, 0, 0],
        };
        let is_lost = self.kind() == Kind::Hopeless;
        let phases: &[&str] = if is_lost { &PHASES[..4] } else { &PHASES };
        let mut phases: Vec<String> = phases.iter().map(|&phase| phase.to_owned()).collect();
        if is_lost {
            phases.push("failed".to_owned());
        }
        Fate {
            output: (!is_lost).then(|| format!("{}: third {word}", self.name())),
            error: is_lost.then(|| format!("{}: no luck", self.name())),
            phases,
            events,
        }
    }
}

/// Writes the configuration of a daemon whose agents are those of the burst: each kind is a program of its own.
pub(super) fn configure(folder: &Folder) {
    folder.write("agents/agent.sh", include_str!("agent.sh"));
    folder.write("agents/search.sh", "read -r query\necho \"found $query\"\n");
    let path = |name: &str| folder.join("agents").join(name).display().to_string();
    let mut config = format!(
        "[daemon]\nprovider = \"prompt\"\n\
         [daemon.concurrency]\ntotal = 16\nexecutor = 10\norchestrator = 4\nreviewer = 3\n\
         [daemon.tools]\nweb_search = \"ask\"\nsearch_command = [\"/bin/sh\", \"{}\"]\n",
        path("search.sh"),
    );
    for name in ["prompt", "slow", "failing", "asking"] {
        config += &format!(
            "[[agent.providers]]\nname = \"{name}\"\nkind = \"command\"\ncommand = \"/bin/sh\"\n\
             args = [\"{}\", \"{name}\"]\n",
            path("agent.sh"),
        );
    }
    // Beside those that there are anyway.
    for (provider, kind, capability, count) in [
        ("prompt", "orchestrator", "planning", 3),
        ("prompt", "reviewer", "quality_check", 2),
        ("slow", "executor", "patience", 3),
        ("failing", "executor", "luck", 2),
        ("asking", "executor", "questions", 2),
    ] {
        for number in 0..count {
            config += &format!(
                "[[daemon.agents]]\nid = \"{provider}-{kind}-{number}\"\ntype = \"{kind}\"\n\
                 provider = \"{provider}\"\ncapabilities = [\"{capability}\"]\n"
            );
        }
    }
    folder.write("home/.config/aide/config.toml", config);
}

/// What has happened to each workflow, as its events tell it: the phases that it has entered, and how many of [`COUNTED`].
pub(super) fn history(events: &[Value]) -> BTreeMap<&str, (Vec<String>, [usize; COUNTED.len()])> {
    let mut histories: BTreeMap<&str, (Vec<String>, [usize; COUNTED.len()])> = BTreeMap::new();
    for event in events {
        let Some(workflow) = event["workflowId"].as_str() else { continue };
        let (phases, counts) = histories.entry(workflow).or_default();
        if event["type"] == "phase_transition" {
            phases.push(event["payload"]["to"].as_str().unwrap().to_owned());
        }
        if let Some(at) = COUNTED.iter().position(|kind| event["type"] == **kind) {
            counts[at] += 1;
        }
    }
    histories
}
