//! The words of tasks, on the page and in reports, one table per language.

use crate::Lang;
use crate::page::counted;
use model::flow::Action;

/// All words of tasks that the history does not have.
#[derive(Debug)]
#[expect(missing_docs, reason = "each field is named after the place its text stands in")]
pub struct FlowTexts {
    pub flow: &'static str,
    pub title: &'static str,
    pub report: &'static str,
    pub lead: &'static str,
    pub no_task: &'static str,
    /// With the command in backticks.
    pub no_task_hint: &'static str,
    pub unreadable: &'static str,
    pub task: &'static str,
    pub phase: &'static str,
    pub step: &'static str,
    pub started: &'static str,
    pub spent: &'static str,
    pub spent_in_phase: &'static str,
    pub phases: &'static str,
    pub present: &'static str,
    pub no_commit: &'static str,
    pub no_files: &'static str,
    pub binary: &'static str,
    pub decided: &'static str,
    pub not_live: &'static str,
    pub time: &'static str,
    pub action: &'static str,
    pub summary: &'static str,
    pub commit: &'static str,
    pub problems: &'static str,
    pub past_tasks: &'static str,
    pub past_lead: &'static str,
    pub to_present: &'static str,
    /// How many tasks are not listed.
    pub further_tasks: &'static str,
    /// One step, and any other number of them.
    steps: [&'static str; 2],
    /// One file, and any other number of them.
    files: [&'static str; 2],
    actions: [&'static str; 7],
}

const ZH: FlowTexts = FlowTexts {
    flow: "流程",
    title: "Aide 流程",
    report: "任务报告",
    lead: "此任务的环节与步骤，最近的在前",
    no_task: "无活跃任务",
    no_task_hint: "执行 `aide flow start` 之后，任务的进展会显示在这里。",
    unreadable: "无法读取任务的状态",
    task: "任务:",
    phase: "环节:",
    step: "步骤:",
    started: "开始时间:",
    spent: "用时:",
    spent_in_phase: "本环节用时:",
    phases: "环节",
    present: "当前",
    no_commit: "无提交",
    no_files: "只有任务记录",
    binary: "二进制",
    decided: "决策",
    not_live: "连接已断开，此页不再更新",
    time: "时间",
    action: "操作",
    summary: "总结",
    commit: "提交",
    problems: "问题与错误",
    past_tasks: "以前的任务",
    past_lead: "此任务已归档；它的环节与步骤，最近的在前",
    to_present: "当前任务",
    further_tasks: "还有 {count} 个更早的任务: aide flow list",
    steps: ["1 步", "{count} 步"],
    files: ["任务记录之外 1 个文件", "任务记录之外 {count} 个文件"],
    actions: ["开始", "步骤前进", "步骤回退", "进入环节", "环节回退", "问题", "错误"],
};

const EN: FlowTexts = FlowTexts {
    flow: "Progress",
    title: "Aide: progress",
    report: "Task report",
    lead: "This task's phases and steps, newest first",
    no_task: "No active task",
    no_task_hint: "After `aide flow start`, the task's progress appears here.",
    unreadable: "Cannot read the task's state",
    task: "Task:",
    phase: "Phase:",
    step: "Step:",
    started: "Started:",
    spent: "Time spent:",
    spent_in_phase: "In this phase:",
    phases: "Phases",
    present: "current",
    no_commit: "no commit",
    no_files: "only the task's record",
    binary: "binary",
    decided: "Decision",
    not_live: "Connection lost; this page is no longer updated",
    time: "Time",
    action: "Action",
    summary: "Summary",
    commit: "Commit",
    problems: "Issues and errors",
    past_tasks: "Past tasks",
    past_lead: "This task is archived; its phases and steps, newest first",
    to_present: "Current task",
    further_tasks: "{count} older {count:task|tasks}: aide flow list",
    steps: ["1 step", "{count} steps"],
    files: ["1 file besides the task's record", "{count} files besides the task's record"],
    actions: ["start", "step", "step back", "phase entered", "back to phase", "issue", "error"],
};

impl Lang {
    /// The words of tasks in this language.
    pub fn flow(self) -> &'static FlowTexts {
        match self {
            Self::Zh => &ZH,
            Self::En => &EN,
        }
    }
}

impl FlowTexts {
    /// How many files a commit has changed.
    pub fn files(&self, count: usize) -> String {
        counted(self.files, count)
    }

    /// How many steps a task has.
    pub fn steps(&self, count: usize) -> String {
        counted(self.steps, count)
    }

    /// The word for an action.
    pub fn action(&self, action: Action) -> &'static str {
        let place = Action::ALL.iter().position(|known| *known == action);
        place.and_then(|place| self.actions.get(place)).copied().unwrap_or_default()
    }
}
