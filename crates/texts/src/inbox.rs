//! The words of the inbox, and of the ways to it, one table per language.

use crate::page::counted;
use crate::{Lang, fill};
use model::Origin;

/// All words of the inbox that no other page has.
#[derive(Debug)]
#[expect(missing_docs, reason = "each field is named after the place its text stands in")]
pub struct InboxTexts {
    pub inbox: &'static str,
    pub title: &'static str,
    pub lead: &'static str,
    pub next: &'static str,
    /// Leads to what was left for later of the same questions.
    pub remainder: &'static str,
    pub to_workflow: &'static str,
    /// Beside other facts about the questions.
    pub interrupted: &'static str,
    pub paused: &'static str,
    /// Beside a button that resumes it.
    pub interrupted_hint: &'static str,
    pub paused_hint: &'static str,
    pub not_live: &'static str,
    /// Without script, where the page does not load itself.
    pub reload: &'static str,
    /// Of an address that names none.
    pub no_set: &'static str,
    begun: &'static str,
    /// Where some questions may be left open.
    begun_required: &'static str,
    /// With `{time}`.
    pub deadline: &'static str,
    pub asked_at: &'static str,
    /// With `{span}`, behind the time.
    ago: &'static str,
    pub projects: &'static str,
    pub search: &'static str,
    pub any_project: &'static str,
    pub any_state: &'static str,
    pub state_new: &'static str,
    pub state_begun: &'static str,
    pub state_complete: &'static str,
    pub state_due: &'static str,
    pub show_all: &'static str,
    pub none_found: &'static str,
    /// The way to the sets before and after those of a page.
    pub earlier: &'static str,
    pub later: &'static str,
    pub none: &'static str,
    pub none_hint: &'static str,
    /// One set, and any other number of them.
    open: [&'static str; 2],
    waiting: [&'static str; 2],
    decide: &'static str,
    agent: &'static str,
    /// An agent that asks by way of `aide mcp`, which need not say what it is.
    client: &'static str,
    some_client: &'static str,
    branch: &'static str,
    workflow: &'static str,
    /// A task of it, and an agent that works on it.
    task_of_workflow: &'static str,
    agent_of_workflow: &'static str,
    /// Asks by way of a daemon, for no workflow.
    program: &'static str,
}

const ZH: InboxTexts = InboxTexts {
    inbox: "收件箱",
    title: "Aide 收件箱",
    lead: "按提问的先后排列；答完一组后继续下一组",
    next: "下一组: {task}",
    remainder: "回答其余项",
    to_workflow: "回到工作流",
    interrupted: "工作流已中断",
    paused: "工作流已暂停",
    interrupted_hint: "工作流已中断，您点「继续」后才会接着执行。",
    paused_hint: "工作流已暂停，您点「继续」后才会接着执行。",
    not_live: "连接已中断，正在重试；这里显示的可能已过时。",
    reload: "重新载入以查看变化",
    no_set: "没有这样的待定项，或者它们已有结果",
    begun: "已完成 {done}/{total} 项",
    begun_required: "必答项已完成 {done}/{total} 项",
    deadline: "截止 {time}",
    asked_at: "提问于 ",
    ago: "（{span}前）",
    projects: "项目",
    search: "搜索",
    any_project: "全部项目",
    any_state: "全部状态",
    state_new: "尚未作答",
    state_begun: "已部分作答",
    state_complete: "已答完，未提交",
    state_due: "有截止时间",
    show_all: "显示全部",
    none_found: "没有符合条件的待定项",
    earlier: "← 较早",
    later: "较新 →",
    none: "没有待定项",
    none_hint: "有新的待定项时，会显示在这里",
    open: ["1 组待定项", "{count} 组待定项"],
    waiting: ["另有 1 组等待决策", "另有 {count} 组等待决策"],
    decide: "提交",
    agent: "智能体 {agent} · 计划 {plan} · 任务 {task}",
    client: "由 {client} 提问",
    some_client: "由智能体提问",
    branch: "分支 {branch}",
    workflow: "工作流 {workflow}",
    task_of_workflow: "任务 {task}",
    agent_of_workflow: "智能体 {agent}",
    program: "程序",
};

const EN: InboxTexts = InboxTexts {
    inbox: "Inbox",
    title: "Aide inbox",
    lead: "Oldest first; when you have answered one, the next follows",
    next: "Next: {task}",
    remainder: "Answer the rest",
    to_workflow: "Back to the workflow",
    interrupted: "the workflow is interrupted",
    paused: "the workflow is paused",
    interrupted_hint: "The workflow is interrupted. It continues once you resume it.",
    paused_hint: "The workflow is paused. It continues once you resume it.",
    not_live: "The connection was lost; trying again. What you see may be out of date.",
    reload: "Reload to see what has changed",
    no_set: "there are no such questions, or they have ended",
    begun: "{done} of {total} {total:question|questions} answered",
    begun_required: "{done} of {total} required {total:question|questions} answered",
    deadline: "due {time}",
    asked_at: "asked ",
    ago: " ({span} ago)",
    projects: "Projects",
    search: "Search",
    any_project: "Any project",
    any_state: "Any state",
    state_new: "Not started",
    state_begun: "Partly answered",
    state_complete: "Answered, not submitted",
    state_due: "With a deadline",
    show_all: "Show all",
    none_found: "No questions match",
    earlier: "← Older",
    later: "Newer →",
    none: "Nothing to answer",
    none_hint: "New questions appear here",
    open: ["1 set of questions", "{count} sets of questions"],
    waiting: ["1 more set is waiting", "{count} more sets are waiting"],
    decide: "submitted",
    agent: "agent {agent} · plan {plan} · task {task}",
    client: "asked by {client}",
    some_client: "asked by an agent",
    branch: "branch {branch}",
    workflow: "workflow {workflow}",
    task_of_workflow: "task {task}",
    agent_of_workflow: "agent {agent}",
    program: "a program",
};

impl InboxTexts {
    /// How many sets are open.
    pub fn open(&self, count: usize) -> String {
        if count == 0 { self.none.to_owned() } else { counted(self.open, count) }
    }

    /// How many of the questions that need an answer are answered; `has_others` where a set has further questions.
    pub fn begun(&self, done: usize, total: usize, has_others: bool) -> String {
        let template = if has_others { self.begun_required } else { self.begun };
        fill(template, &[("done", &done.to_string()), ("total", &total.to_string())])
    }

    /// How many sets are open beside the one that is shown.
    pub fn waiting(&self, count: usize) -> String {
        counted(self.waiting, count)
    }

    /// That something was so many seconds ago, in the language `lang` of these words.
    pub fn ago(&self, lang: Lang, seconds: u64) -> String {
        fill(self.ago, &[("span", &lang.history().duration(seconds))])
    }

    /// Who asks.
    pub fn origin(&self, origin: &Origin) -> String {
        match origin {
            Origin::Decide => self.decide.to_owned(),
            Origin::Agent { plan, task, agent, .. } => {
                fill(self.agent, &[("agent", agent), ("plan", plan), ("task", task)])
            }
            Origin::Mcp { client, version, branch } => {
                let client =
                    [client, version].map(|part| part.trim()).into_iter().filter(|part| !part.is_empty());
                let client = client.collect::<Vec<_>>().join(" ");
                let asker = match &*client {
                    "" => self.some_client.to_owned(),
                    client => fill(self.client, &[("client", client)]),
                };
                let branch = branch.as_ref().map(|branch| fill(self.branch, &[("branch", branch)]));
                [Some(asker), branch].into_iter().flatten().collect::<Vec<_>>().join(" · ")
            }
            Origin::Workflow { workflow, task, agent, .. } => {
                let part = |words, name, value: &Option<String>| {
                    value.as_ref().map(|value| fill(words, &[(name, value)]))
                };
                let parts = [
                    part(self.workflow, "workflow", workflow),
                    part(self.task_of_workflow, "task", task),
                    part(self.agent_of_workflow, "agent", agent),
                ];
                let parts: Vec<_> = parts.into_iter().flatten().collect();
                if parts.is_empty() { self.program.to_owned() } else { parts.join(" · ") }
            }
        }
    }
}

impl Lang {
    /// The words of the inbox.
    pub fn inbox(self) -> &'static InboxTexts {
        match self {
            Self::Zh => &ZH,
            Self::En => &EN,
        }
    }
}
