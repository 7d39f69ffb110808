//! The words of the page, one table per language: a text that is missing in one of them does not compile.
//!
//! `{…}` marks a place that [`fill`] replaces; the browser does the same with the few texts it gets.

use crate::Lang;

/// All words of the page.
#[derive(Debug)]
#[expect(missing_docs, reason = "each field is named after the place its text stands in")]
pub struct PageTexts {
    pub title: &'static str,
    pub lead: &'static str,
    pub task: &'static str,
    pub source: &'static str,
    pub language: &'static str,
    pub other_language: &'static str,
    pub items: &'static str,
    pub overview: &'static str,
    pub recommended: &'static str,
    pub recommends: &'static str,
    pub score: &'static str,
    pub pros: &'static str,
    pub cons: &'static str,
    pub location: &'static str,
    pub omitted_lines: &'static str,
    pub several: &'static str,
    pub optional: &'static str,
    pub leave_open: &'static str,
    pub other: &'static str,
    pub other_label: &'static str,
    pub other_placeholder: &'static str,
    pub note: &'static str,
    pub note_placeholder: &'static str,
    pub note_of: &'static str,
    pub progress: &'static str,
    pub submit: &'static str,
    pub submitting: &'static str,
    pub submit_hint: &'static str,
    pub take_recommendations: &'static str,
    pub take_recommendations_hint: &'static str,
    pub failed: &'static str,
    pub unreachable: &'static str,
    pub incomplete: &'static str,
    pub incomplete_item: &'static str,
    pub draft_kept: &'static str,
    pub stale: &'static str,
    pub stale_hint: &'static str,
    pub reload: &'static str,
    pub decided: &'static str,
    pub decided_elsewhere: &'static str,
    pub decided_elsewhere_hint: &'static str,
    pub close: &'static str,
    pub cancelled: &'static str,
    pub cancelled_hint: &'static str,
    pub return_title: &'static str,
    pub return_hint: &'static str,
    pub return_message: &'static str,
    pub return_placeholder: &'static str,
    pub return_items: &'static str,
    pub return_button: &'static str,
    pub return_missing: &'static str,
    pub returned: &'static str,
    pub returned_hint: &'static str,
    pub returned_elsewhere: &'static str,
    pub returned_already: &'static str,
    pub summary: &'static str,
    pub keys: &'static str,
    pub key_next: &'static str,
    pub key_choose: &'static str,
    pub key_recommended: &'static str,
    pub key_all: &'static str,
    pub key_note: &'static str,
    pub key_other: &'static str,
    pub key_clear: &'static str,
    pub key_leave: &'static str,
    pub key_submit: &'static str,
    pub key_help: &'static str,
    pub separator: &'static str,
    pub http_refused: &'static str,
    pub http_bad_host: &'static str,
    pub http_cross_site: &'static str,
    pub http_bad_request: &'static str,
    pub http_media_type: &'static str,
    pub http_too_large: &'static str,
    pub http_too_large_detail: &'static str,
    pub http_too_slow: &'static str,
    pub http_invalid: &'static str,
    pub http_conflict: &'static str,
    pub http_closed: &'static str,
    pub http_save_failed: &'static str,
    pub http_saved: &'static str,
}

const ZH: PageTexts = PageTexts {
    title: "Aide 待定项确认",
    lead: "请根据任务信息完成待定项选择",
    task: "任务:",
    source: "来源:",
    language: "语言",
    other_language: "English",
    items: "待定项列表",
    overview: "目录",
    recommended: "推荐",
    recommends: "推荐: {label}",
    score: "评分: {score}",
    pros: "优点",
    cons: "缺点",
    location: "来源: {file} (行 {start}-{end})",
    omitted_lines: "另有 {count} 行未显示",
    several: "可多选（{range} 项）",
    optional: "可不回答",
    leave_open: "不作决定",
    other: "其他",
    other_label: "其他答案:",
    other_placeholder: "写下您自己的答案...",
    note: "备注（可选）:",
    note_placeholder: "添加补充说明...",
    note_of: "备注: {note}",
    progress: "已完成 {done}/{total} 项",
    submit: "提交决策",
    submitting: "提交中...",
    submit_hint: "请先完成所有待定项的选择",
    take_recommendations: "采纳全部推荐",
    take_recommendations_hint: "只填尚未选择的项，已选的不变",
    failed: "提交失败: {detail}",
    unreachable: "没有程序在接收答案。您的输入已保存在此浏览器中，恢复后会自动提交",
    incomplete: "请先完成所有待定项的选择",
    incomplete_item: "请在此项中选择一个选项",
    draft_kept: "没有程序在接收答案；您的输入已保存在此浏览器中，恢复后可继续提交",
    stale: "此页面已过期",
    stale_hint: "待定项已被新的提交取代，您的输入没有丢失：请重新载入页面",
    reload: "重新载入",
    decided: "决策已提交",
    decided_elsewhere: "此前已有决策",
    decided_elsewhere_hint: "另一个页面或程序已先提交，以下是生效的结果，您刚才的选择没有被采用",
    close: "您可以关闭此页面",
    cancelled: "待定项已取消",
    cancelled_hint: "提问者已取消这些待定项，不再需要决策",
    return_title: "无法回答？退回给提问者",
    return_hint: "说明缺少什么或哪里不清楚。退回后不会产生任何决策，提问者会收到您的说明。",
    return_message: "退回原因:",
    return_placeholder: "例如：缺少成本估算，请先补充...",
    return_items: "涉及的待定项（都不选表示全部）:",
    return_button: "退回",
    return_missing: "请填写退回原因",
    returned: "已退回",
    returned_hint: "提问者会收到您的说明，没有产生任何决策",
    returned_elsewhere: "这些待定项此前已被退回: {message}",
    returned_already: "另一个页面已先退回这些待定项，没有产生任何决策",
    summary: "决策结果",
    keys: "键盘操作",
    key_next: "下一项 / 上一项",
    key_choose: "选择当前项的第几个选项",
    key_recommended: "采纳当前项的推荐",
    key_all: "采纳全部推荐",
    key_note: "填写当前项的备注",
    key_other: "写下自己的答案（如果可以）",
    key_clear: "清除当前项的选择",
    key_leave: "离开输入框（不会丢弃内容）",
    key_submit: "提交决策",
    key_help: "显示或隐藏这张表",
    separator: "；",
    http_refused: "请求被拒绝",
    http_bad_host: "Host 不是本服务的地址",
    http_cross_site: "请求来自其他网站",
    http_bad_request: "请求格式不正确",
    http_media_type: "Content-Type 应为 {expected}",
    http_too_large: "请求体过大",
    http_too_large_detail: "单次提交限制 1MB",
    http_too_slow: "请求体未在时限内到达",
    http_invalid: "决策数据无效",
    http_conflict: "决策已存在",
    http_closed: "待定项已关闭",
    http_save_failed: "保存失败",
    http_saved: "决策已保存",
};

const EN: PageTexts = PageTexts {
    title: "Aide: decisions needed",
    lead: "Please choose an option for every item",
    task: "Task:",
    source: "Source:",
    language: "Language",
    other_language: "中文",
    items: "Items to decide",
    overview: "Overview",
    recommended: "Recommended",
    recommends: "Recommended: {label}",
    score: "Score: {score}",
    pros: "Pros",
    cons: "Cons",
    location: "Source: {file} (lines {start}-{end})",
    omitted_lines: "{count} more lines not shown",
    several: "choose {range}",
    optional: "may be left open",
    leave_open: "Leave open",
    other: "Other",
    other_label: "Other answer:",
    other_placeholder: "Write your own answer...",
    note: "Note (optional):",
    note_placeholder: "Add what the agent should know...",
    note_of: "Note: {note}",
    progress: "{done} of {total} decided",
    submit: "Submit decisions",
    submitting: "Submitting...",
    submit_hint: "Choose an option for every item first",
    take_recommendations: "Take all recommendations",
    take_recommendations_hint: "Fills in open items only; what you chose stays",
    failed: "Not submitted: {detail}",
    unreachable: "nobody is listening. Your input is kept in this browser and will be submitted as soon as somebody does",
    incomplete: "Choose an option for every item first",
    incomplete_item: "Choose an option here",
    draft_kept: "Nobody is listening at the moment; your input is kept in this browser",
    stale: "This page is out of date",
    stale_hint: "Newer questions have replaced these. Your input is not lost: please reload the page",
    reload: "Reload",
    decided: "Decisions submitted",
    decided_elsewhere: "Already decided",
    decided_elsewhere_hint: "Another page or program submitted first. This is the result that stands; your choices were not used",
    close: "You can close this page",
    cancelled: "Questions withdrawn",
    cancelled_hint: "Whoever asked has withdrawn these questions; no decision is needed any more",
    return_title: "Cannot answer? Send it back",
    return_hint: "Say what is missing or unclear. No decision is made; whoever asked gets your words.",
    return_message: "Reason:",
    return_placeholder: "For example: what would it cost?",
    return_items: "Items that are meant (none means all):",
    return_button: "Send back",
    return_missing: "Say why you send the questions back",
    returned: "Sent back",
    returned_hint: "Whoever asked gets your words. No decision was made",
    returned_elsewhere: "These questions were already sent back: {message}",
    returned_already: "Another page has sent these questions back already. No decision was made",
    summary: "Decisions",
    keys: "Keyboard",
    key_next: "next / previous item",
    key_choose: "choose that option of the current item",
    key_recommended: "take the recommendation of the current item",
    key_all: "take all recommendations",
    key_note: "write a note on the current item",
    key_other: "write an answer of your own, where possible",
    key_clear: "clear the choice of the current item",
    key_leave: "leave a field (nothing is discarded)",
    key_submit: "submit decisions",
    key_help: "show or hide this table",
    separator: "; ",
    http_refused: "request refused",
    http_bad_host: "Host is not an address of this server",
    http_cross_site: "the request comes from another site",
    http_bad_request: "malformed request",
    http_media_type: "Content-Type must be {expected}",
    http_too_large: "request body too large",
    http_too_large_detail: "a submission is limited to 1 MB",
    http_too_slow: "the request body did not arrive in time",
    http_invalid: "invalid decisions",
    http_conflict: "already decided",
    http_closed: "questions closed",
    http_save_failed: "could not be saved",
    http_saved: "decisions saved",
};

impl Lang {
    /// The words of the page in this language.
    pub fn page(self) -> &'static PageTexts {
        match self {
            Self::Zh => &ZH,
            Self::En => &EN,
        }
    }

    /// The language to switch to.
    pub fn other(self) -> Self {
        match self {
            Self::Zh => Self::En,
            Self::En => Self::Zh,
        }
    }
}

/// Replaces each `{name}` of `template` by its value. Values are inserted as they are, also when they contain
/// braces.
pub fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        match after.split_once('}') {
            Some((name, tail)) => {
                if let Some((_, value)) = values.iter().find(|(key, _)| *key == name) {
                    filled.push_str(value);
                }
                rest = tail;
            }
            None => {
                filled.push('{');
                rest = after;
            }
        }
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::fill;

    #[test]
    fn values_are_inserted_as_they_are() {
        assert_eq!(fill("{done}/{total}", &[("done", "{total}"), ("total", "2")]), "{total}/2");
        assert_eq!(fill("a { b", &[]), "a { b");
    }
}
