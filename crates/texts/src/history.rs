//! The words of the history, one table per language, as those of the page are.

use crate::page::counted;
use crate::{Lang, fill};
use model::Via;
use store::Delivery;

/// All words of the history that the form does not have.
#[derive(Debug)]
#[expect(missing_docs, reason = "each field is named after the place its text stands in")]
pub struct HistoryTexts {
    pub navigation: &'static str,
    pub history: &'static str,
    pub questions: &'static str,
    pub title: &'static str,
    pub lead: &'static str,
    pub search: &'static str,
    pub search_label: &'static str,
    pub empty: &'static str,
    pub empty_hint: &'static str,
    pub nothing_found: &'static str,
    pub nothing_found_hint: &'static str,
    pub show_all: &'static str,
    pub pages: &'static str,
    pub page: &'static str,
    pub newer: &'static str,
    pub older: &'static str,
    pub open: &'static str,
    pub answered: &'static str,
    pub returned: &'static str,
    pub cancelled: &'static str,
    pub expired: &'static str,
    pub replaced: &'static str,
    pub unreadable: &'static str,
    pub untitled: &'static str,
    pub ending: &'static str,
    pub asked_at: &'static str,
    pub ended_at: &'static str,
    pub open_for: &'static str,
    pub door: &'static str,
    pub session: &'static str,
    pub delivery: &'static str,
    pub export: &'static str,
    pub chosen: &'static str,
    pub chosen_is: &'static str,
    pub left_open: &'static str,
    pub left_for_later: &'static str,
    pub followed: &'static str,
    pub not_followed: &'static str,
    pub note: &'static str,
    pub reason: &'static str,
    pub meant: &'static str,
    pub unreadable_questions: &'static str,
    pub missing: &'static str,
    pub missing_hint: &'static str,
    pub no_project: &'static str,
    pub no_project_hint: &'static str,
    pub no_workflow: &'static str,
    pub no_workflow_hint: &'static str,
    pub no_event: &'static str,
    pub no_event_hint: &'static str,
    pub no_plan: &'static str,
    pub no_plan_hint: &'static str,
    pub no_task: &'static str,
    pub no_task_hint: &'static str,
    /// One question, and any other number of them.
    items: [&'static str; 2],
    page_door: &'static str,
    form_door: &'static str,
    api_door: &'static str,
    terminal_door: &'static str,
    clock_door: &'static str,
    /// What became of an answer; each with `{client}`.
    delivered: &'static str,
    sent: &'static str,
    kept: &'static str,
    asker_gone: &'static str,
    some_client: &'static str,
    /// Days, hours, minutes, seconds.
    units: [&'static str; 4],
}

const ZH: HistoryTexts = HistoryTexts {
    navigation: "导航",
    history: "历史",
    questions: "待定项",
    title: "Aide 决策历史",
    lead: "此项目的决策，最近的在前",
    search: "搜索",
    search_label: "在任务、来源、标题、选项、备注和退回原因中搜索",
    empty: "还没有决策",
    empty_hint: "待定项有了结果（决策、退回或取消）之后，会列在这里。",
    nothing_found: "没有找到",
    nothing_found_hint: "没有同时包含所有这些词的决策。",
    show_all: "显示全部",
    pages: "翻页",
    page: "第 {page} 页",
    newer: "← 较新",
    older: "较早 →",
    open: "待决策",
    answered: "已决策",
    returned: "已退回",
    cancelled: "已取消",
    expired: "已过期",
    replaced: "已被取代",
    unreadable: "无法读取",
    untitled: "（无任务名）",
    ending: "结果:",
    asked_at: "提问时间:",
    ended_at: "完成时间:",
    open_for: "历时:",
    door: "方式:",
    session: "会话:",
    delivery: "送达:",
    export: "导出 Markdown",
    chosen: "已选",
    chosen_is: "已选: {labels}",
    left_open: "未作决定",
    left_for_later: "留待稍后决策",
    followed: "采纳推荐",
    not_followed: "未采纳推荐",
    note: "备注:",
    reason: "退回原因:",
    meant: "退回原因涉及此项",
    unreadable_questions: "此记录中的待定项不符合格式，以下是文件的内容: {problem}",
    missing: "没有这次决策",
    missing_hint: "此项目中没有这个名称的决策。",
    no_project: "没有这个项目",
    no_project_hint: "此服务中没有这个名称的项目。",
    no_workflow: "没有这个工作流",
    no_workflow_hint: "它可能已被删除，或者链接不完整。",
    no_event: "没有这个事件",
    no_event_hint: "守护进程只保留较新的事件；也可能链接不完整。",
    no_plan: "没有这个计划",
    no_plan_hint: "此项目中没有这个名称的计划。",
    no_task: "没有这个任务",
    no_task_hint: "此项目中没有这个名称的任务。",
    items: ["1 项", "{count} 项"],
    page_door: "网页",
    form_door: "网页表单",
    api_door: "接口",
    terminal_door: "终端",
    clock_door: "截止时间",
    delivered: "答案已送达 {client}",
    sent: "答案已发送给 {client}",
    kept: "{client} 尚未取走答案；答案已保留",
    asker_gone: "{client} 的会话已结束；答案已保留",
    some_client: "提问者",
    units: ["天", "小时", "分", "秒"],
};

const EN: HistoryTexts = HistoryTexts {
    navigation: "Navigation",
    history: "History",
    questions: "Questions",
    title: "Aide: past decisions",
    lead: "This project's decisions, newest first",
    search: "Search",
    search_label: "Search tasks, sources, titles, options, notes and reasons",
    empty: "No decisions yet",
    empty_hint: "Questions appear here once they are answered, sent back or cancelled.",
    nothing_found: "Nothing found",
    nothing_found_hint: "No decision contains all of these words.",
    show_all: "Show all",
    pages: "Pages",
    page: "Page {page}",
    newer: "← Newer",
    older: "Older →",
    open: "pending",
    answered: "answered",
    returned: "sent back",
    cancelled: "cancelled",
    expired: "expired",
    replaced: "replaced",
    unreadable: "unreadable",
    untitled: "(no task)",
    ending: "Outcome:",
    asked_at: "Asked:",
    ended_at: "Ended:",
    open_for: "Open for:",
    door: "How:",
    session: "Session:",
    delivery: "Delivery:",
    export: "Export as Markdown",
    chosen: "Chosen",
    chosen_is: "Chosen: {labels}",
    left_open: "Left open",
    left_for_later: "Left for later",
    followed: "as recommended",
    not_followed: "not as recommended",
    note: "Note:",
    reason: "Reason:",
    meant: "The reason is about this question",
    unreadable_questions: "The questions in this record are not valid; this is what the file says: {problem}",
    missing: "No such decision",
    missing_hint: "This project has no decision with that name.",
    no_project: "No such project",
    no_project_hint: "This server has no project with that name.",
    no_workflow: "No such workflow",
    no_workflow_hint: "It may have been removed, or the link is incomplete.",
    no_event: "No such event",
    no_event_hint: "Only the newest events are kept, or the link is incomplete.",
    no_plan: "No such plan",
    no_plan_hint: "This project has no plan with that name.",
    no_task: "No such task",
    no_task_hint: "This project has no task with that name.",
    items: ["1 question", "{count} questions"],
    page_door: "on the page",
    form_door: "on the page, as a form",
    api_door: "through the API",
    terminal_door: "in the terminal",
    clock_door: "deadline",
    delivered: "The answer was delivered to {client}",
    sent: "The answer was sent to {client}",
    kept: "{client} has not fetched the answer yet; it is kept",
    asker_gone: "The session of {client} has ended; the answer is kept",
    some_client: "the agent",
    units: ["d", "h", "min", "s"],
};

impl Lang {
    /// The words of the history in this language.
    pub fn history(self) -> &'static HistoryTexts {
        match self {
            Self::Zh => &ZH,
            Self::En => &EN,
        }
    }
}

impl HistoryTexts {
    /// How many questions there are.
    pub fn items(&self, count: usize) -> String {
        counted(self.items, count)
    }

    /// The name of a door.
    pub fn via(&self, via: Via) -> &'static str {
        match via {
            Via::Page => self.page_door,
            Via::Form => self.form_door,
            Via::Api => self.api_door,
            Via::Terminal => self.terminal_door,
            Via::Clock => self.clock_door,
        }
    }

    /// What became of the answer for the program that calls itself `client`.
    pub fn told_delivery(&self, delivery: Delivery, client: &str) -> String {
        let words = match delivery {
            Delivery::Delivered => self.delivered,
            Delivery::Sent => self.sent,
            Delivery::Kept => self.kept,
            Delivery::AskerGone => self.asker_gone,
        };
        let client = if client.trim().is_empty() { self.some_client } else { client_title(client) };
        fill(words, &[("client", client)])
    }

    /// A span of time in its two largest units.
    pub fn duration(&self, seconds: u64) -> String {
        let amounts = [seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60];
        let largest = amounts.iter().position(|amount| *amount > 0).unwrap_or(amounts.len() - 1);
        let parts = amounts.iter().zip(self.units).skip(largest).take(2);
        let parts: Vec<_> = parts
            .enumerate()
            .filter(|(place, (amount, _))| *place == 0 || **amount > 0)
            .map(|(_, (amount, unit))| format!("{amount} {unit}"))
            .collect();
        parts.join(" ")
    }
}

/// What people call an agent whose program calls itself `client`.
fn client_title(client: &str) -> &str {
    match client {
        "claude-code" => "Claude Code",
        "codex-mcp-client" => "Codex",
        "gemini-cli-mcp-client" => "Gemini CLI",
        "Visual Studio Code" => "VS Code",
        "cursor-vscode" => "Cursor",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use crate::Lang;

    #[test]
    fn a_span_of_time_has_at_most_two_units() {
        for (seconds, zh, en) in [
            (0, "0 秒", "0 s"),
            (59, "59 秒", "59 s"),
            (60, "1 分", "1 min"),
            (185, "3 分 5 秒", "3 min 5 s"),
            (3_605, "1 小时", "1 h"),
            (90_061, "1 天 1 小时", "1 d 1 h"),
            (864_000, "10 天", "10 d"),
        ] {
            assert_eq!(Lang::Zh.history().duration(seconds), zh);
            assert_eq!(Lang::En.history().duration(seconds), en);
        }
    }
}
