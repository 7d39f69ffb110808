//! The words of the pages of plans, one table per language.

use crate::page::counted;
use crate::{Lang, fill};
use protocol::agent::{DeliveryStatus, Health, PlanState, Severity};

/// All words of plans that stand on pages and in tables.
#[derive(Debug)]
#[expect(missing_docs, reason = "each field is named after the place its text stands in")]
pub struct PlanTexts {
    pub plans: &'static str,
    pub title: &'static str,
    pub lead: &'static str,
    pub lead_of_one: &'static str,
    pub no_plans: &'static str,
    /// With the command in backticks.
    pub no_plans_hint: &'static str,
    pub not_live: &'static str,
    /// With `{plan}`, and the command in backticks.
    pub not_yet_seen: &'static str,
    /// The same of one whose state is there, but damaged.
    pub state_unreadable: &'static str,
    /// Of an address that names none.
    pub no_plan: &'static str,
    /// Of an address that names none.
    pub no_agent: &'static str,
    /// Of a file that is not there.
    pub no_document: &'static str,
    pub invalid: &'static str,
    /// With `{name}` and `{wanted}`.
    pub bad_parameter: &'static str,
    pub true_or_false: &'static str,
    /// With `{least}` and `{most}`.
    pub between: &'static str,
    /// With `{least}`.
    pub at_least: &'static str,
    pub unreadable: &'static str,
    pub not_found: &'static str,
    pub id: &'static str,
    pub updated: &'static str,
    pub progress: &'static str,
    /// With `{done}` and `{total}`.
    pub done_of: &'static str,
    pub not_begun: &'static str,
    pub review: &'static str,
    pub release: &'static str,
    pub pending: &'static str,
    pub tasks: &'static str,
    pub graph: &'static str,
    pub graph_in_words: &'static str,
    /// Before the tasks that one comes after.
    pub after: &'static str,
    pub artifacts: &'static str,
    /// With `{task}`.
    pub made_by: &'static str,
    /// Above the columns of a table of tasks: the task, its state, its agent, since when, how often again, what it waits for.
    pub columns: [&'static str; 6],
    pub score: &'static str,
    pub waits_for: &'static str,
    pub failed_because: &'static str,
    /// With `{command}`.
    pub try_again: &'static str,
    pub answered: &'static str,
    pub people: &'static str,
    pub answer: &'static str,
    pub not_asked_yet: &'static str,
    pub given_up: &'static str,
    pub replay: &'static str,
    pub alerts: &'static str,
    pub decisions: &'static str,
    /// With `{agent}`.
    pub decided_by: &'static str,
    pub deliveries: &'static str,
    pub nothing_delivered: &'static str,
    /// With `{shown}` and `{total}`.
    pub latest: &'static str,
    pub command: &'static str,
    pub all_as_json: &'static str,
    pub archive: &'static str,
    pub agents: &'static str,
    pub no_agents: &'static str,
    /// With `{time}`.
    pub last_seen: &'static str,
    pub works_on: &'static str,
    /// With `{count}` and `{state}`.
    counted: &'static str,
    states: [&'static str; 5],
    healths: [&'static str; 3],
    doings: [&'static str; 3],
    statuses: [&'static str; 5],
    severities: [&'static str; 4],
    /// One time, and any other number of them.
    repeated: [&'static str; 2],
    waiting: [&'static str; 2],
    failed: [&'static str; 2],
    lost: [&'static str; 2],
    bytes: [&'static str; 2],
}

const ZH: PlanTexts = PlanTexts {
    plans: "计划",
    title: "Aide 计划",
    lead: "有变化时自动更新",
    lead_of_one: "各任务的进展；有变化时自动更新",
    no_plans: "还没有计划",
    no_plans_hint: "执行 `aide plan activate` 之后，计划会显示在这里。",
    not_live: "连接已中断，正在重试；这里显示的可能已过时。",
    not_yet_seen: "{plan} 尚未运行；执行 `aide plan run` 后开始。",
    state_unreadable: "{plan} 的状态无法读取。",
    no_plan: "没有这样的计划",
    no_agent: "没有这样的智能体，或者还没有它的状态",
    no_document: "还没有这个文件",
    invalid: "参数无效",
    bad_parameter: "{name} 应为{wanted}",
    true_or_false: " true 或 false",
    between: " {least} 至 {most} 的整数",
    at_least: "不小于 {least} 的整数",
    unreadable: "无法读取",
    not_found: "未找到",
    id: "标识:",
    updated: "更新于:",
    progress: "进度:",
    done_of: "已完成 {done}/{total} 个任务",
    not_begun: "尚未开始，执行 aide plan run 后开始",
    review: "DAG 评审:",
    release: "发布:",
    pending: "待定",
    tasks: "任务",
    graph: "依赖图",
    graph_in_words: "任务的依赖图；下面的任务列表写明每个任务在哪些任务之后",
    after: "先做: ",
    artifacts: "成果",
    made_by: "由任务 {task} 产出",
    columns: ["任务", "状态", "智能体", "自", "重做", "等待"],
    score: "评分",
    waits_for: "等待: ",
    failed_because: "失败原因: ",
    try_again: "{command} 重试此任务",
    answered: "已答复，由 aide plan run 继续执行",
    people: "等待您",
    answer: "去回答",
    not_asked_yet: "尚未提问；aide plan run 会提问",
    given_up: "未能投递",
    replay: "重新投递: ",
    alerts: "告警",
    decisions: "决定",
    decided_by: "由 {agent}",
    deliveries: "投递",
    nothing_delivered: "还没有投递过消息。",
    latest: "最近 {shown} 条，共 {total} 条",
    command: "命令",
    all_as_json: "全部（JSON）",
    archive: "归档",
    agents: "智能体",
    no_agents: "还没有智能体运行过。",
    last_seen: "最后活动 {time}",
    works_on: "正在处理: ",
    counted: "{count} 个{state}",
    states: ["进行中", "阻塞", "已完成", "失败", "未开始"],
    healths: ["正常", "警告", "严重"],
    doings: ["空闲", "工作中", "等待中"],
    statuses: ["已投递", "重复，已跳过", "已被取代，已跳过", "失败，将重试", "已放弃"],
    severities: ["严重程度: 低", "严重程度: 中", "严重程度: 高", "严重程度: 紧急"],
    repeated: ["重做 1 次", "重做 {count} 次"],
    waiting: ["1 项等待您决策", "{count} 项等待您决策"],
    failed: ["1 个任务失败", "{count} 个任务失败"],
    lost: ["1 条消息未能投递", "{count} 条消息未能投递"],
    bytes: ["1 字节", "{count} 字节"],
};

const EN: PlanTexts = PlanTexts {
    plans: "Plans",
    title: "Aide plans",
    lead: "Updated whenever something changes",
    lead_of_one: "How far its tasks have come; updated whenever something changes",
    no_plans: "No plans yet",
    no_plans_hint: "Once you run `aide plan activate`, plans appear here.",
    not_live: "The connection was lost; trying again. What you see may be out of date.",
    not_yet_seen: "{plan} has not run yet; run `aide plan run` to begin.",
    state_unreadable: "The state of {plan} cannot be read.",
    no_plan: "there is no such plan",
    no_agent: "there is no such agent, or it has not been seen yet",
    no_document: "there is no such file yet",
    invalid: "invalid parameter",
    bad_parameter: "{name} must be {wanted}",
    true_or_false: "true or false",
    between: "a whole number from {least} to {most}",
    at_least: "a whole number of at least {least}",
    unreadable: "cannot be read",
    not_found: "not found",
    id: "Id:",
    updated: "Updated:",
    progress: "Progress:",
    done_of: "{done} of {total} {total:task|tasks} done",
    not_begun: "not started yet; aide plan run starts it",
    review: "Review of the DAG:",
    release: "Release:",
    pending: "pending",
    tasks: "Tasks",
    graph: "Graph",
    graph_in_words: "The graph of the tasks; the list of tasks below says which ones each comes after",
    after: "after ",
    artifacts: "Results",
    made_by: "made by {task}",
    columns: ["task", "state", "agent", "since", "repeated", "waits for"],
    score: "score",
    waits_for: "waits for: ",
    failed_because: "Failed: ",
    try_again: "{command} retries it",
    answered: "answered; aide plan run continues",
    people: "Waiting for you",
    answer: "Answer",
    not_asked_yet: "not asked yet; aide plan run asks",
    given_up: "Not delivered",
    replay: "to deliver it again: ",
    alerts: "Alerts",
    decisions: "Decisions",
    decided_by: "by {agent}",
    deliveries: "Deliveries",
    nothing_delivered: "No message has been delivered yet.",
    latest: "The latest {shown} of {total}",
    command: "command",
    all_as_json: "All of them as JSON",
    archive: "archive",
    agents: "Agents",
    no_agents: "No agent has run yet.",
    last_seen: "last seen {time}",
    works_on: "works on: ",
    counted: "{count} {state}",
    states: ["running", "blocked", "completed", "failed", "not started"],
    healths: ["healthy", "warning", "critical"],
    doings: ["idle", "working", "waiting"],
    statuses: [
        "delivered",
        "left out: came before",
        "left out: superseded",
        "failed, will be tried again",
        "given up",
    ],
    severities: ["severity: low", "severity: medium", "severity: high", "severity: critical"],
    repeated: ["repeated once", "repeated {count} times"],
    waiting: ["1 question waits for you", "{count} questions wait for you"],
    failed: ["1 task failed", "{count} tasks failed"],
    lost: ["1 message not delivered", "{count} messages not delivered"],
    bytes: ["1 byte", "{count} bytes"],
};

impl PlanTexts {
    /// The word for how far a plan has come.
    pub fn state(&self, state: PlanState) -> &'static str {
        self.states[match state {
            PlanState::Running => 0,
            PlanState::Blocked => 1,
            PlanState::Completed => 2,
            PlanState::Failed => 3,
            PlanState::Other => 4,
        }]
    }

    /// How many plans have come so far, where some have.
    pub fn counted(&self, count: usize, state: PlanState) -> String {
        fill(self.counted, &[("count", &count.to_string()), ("state", self.state(state))])
    }

    /// The word for how an agent is.
    pub fn health(&self, health: Health) -> &'static str {
        self.healths[match health {
            Health::Healthy => 0,
            Health::Warning => 1,
            Health::Critical => 2,
        }]
    }

    /// The word for what an agent says that it does; its own where that is another one.
    pub fn doing<'a>(&self, status: &'a str) -> &'a str {
        match status {
            "IDLE" => self.doings[0],
            "RUNNING" => self.doings[1],
            "WAITING" => self.doings[2],
            other => other,
        }
    }

    /// The words for what has become of a message.
    pub fn status(&self, status: DeliveryStatus) -> &'static str {
        self.statuses[match status {
            DeliveryStatus::Delivered => 0,
            DeliveryStatus::SkippedDuplicate => 1,
            DeliveryStatus::SkippedSuperseded => 2,
            DeliveryStatus::Failed => 3,
            DeliveryStatus::Deadlettered => 4,
        }]
    }

    /// The word for how bad something is.
    pub fn severity(&self, severity: Severity) -> &'static str {
        self.severities[match severity {
            Severity::Low => 0,
            Severity::Medium => 1,
            Severity::High => 2,
            Severity::Critical => 3,
        }]
    }

    /// How often a task was done again.
    pub fn repeated(&self, count: u64) -> String {
        counted(self.repeated, usize::try_from(count).unwrap_or(usize::MAX))
    }

    /// How many questions of a plan are open.
    pub fn waiting(&self, count: usize) -> String {
        counted(self.waiting, count)
    }

    /// How many tasks of a plan have failed.
    pub fn failed(&self, count: usize) -> String {
        counted(self.failed, count)
    }

    /// How large a file is.
    pub fn size(&self, bytes: u64) -> String {
        counted(self.bytes, usize::try_from(bytes).unwrap_or(usize::MAX))
    }

    /// How many messages of a plan were given up.
    pub fn lost(&self, count: usize) -> String {
        counted(self.lost, count)
    }
}

impl Lang {
    /// The words of the pages of plans.
    pub fn plans(self) -> &'static PlanTexts {
        match self {
            Self::Zh => &ZH,
            Self::En => &EN,
        }
    }
}
