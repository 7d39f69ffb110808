//! The words of the page, one table per language: a text that is missing in one of them does not compile.
//!
//! `{…}` marks a place that [`fill`] replaces; the browser does the same with the few texts it gets.

use crate::Lang;
use model::{DecideInput, DecideItem, DecideOption, Preview, is_blank};

/// All words of the page.
#[derive(Debug)]
#[expect(missing_docs, reason = "each field is named after the place its text stands in")]
pub struct PageTexts {
    pub title: &'static str,
    pub lead: &'static str,
    pub task: &'static str,
    pub source: &'static str,
    pub other_language: &'static str,
    pub items: &'static str,
    pub overview: &'static str,
    pub recommended: &'static str,
    pub recommends: &'static str,
    pub option: &'static str,
    pub picture: &'static str,
    pub score_head: &'static str,
    pub score: &'static str,
    pub pros: &'static str,
    pub cons: &'static str,
    pub unfold: &'static str,
    pub location: &'static str,
    pub omitted_lines: &'static str,
    pub lines_above: &'static str,
    pub lines_below: &'static str,
    pub source_changed: &'static str,
    pub source_gone: &'static str,
    pub several: &'static str,
    pub optional: &'static str,
    pub leave_open: &'static str,
    pub other: &'static str,
    pub other_label: &'static str,
    pub other_placeholder: &'static str,
    pub answer: &'static str,
    pub answer_placeholder: &'static str,
    pub answered: &'static str,
    /// In the place of options, where there are none.
    pub in_words: &'static str,
    pub note: &'static str,
    pub note_placeholder: &'static str,
    pub note_of: &'static str,
    pub progress: &'static str,
    /// Where some questions may be left open.
    progress_required: &'static str,
    pub submit: &'static str,
    pub submitting: &'static str,
    submit_hint: &'static str,
    /// Where some questions may be left open.
    submit_hint_required: &'static str,
    /// On the button, where a part of the answers can be submitted.
    pub submit_part: &'static str,
    /// That it can.
    pub partial: &'static str,
    left_for_later: [&'static str; 2],
    full_stop: &'static str,
    pub take_recommendations: &'static str,
    /// The same where there is little room.
    pub take_recommendations_short: &'static str,
    pub take_recommendations_hint: &'static str,
    pub failed: &'static str,
    pub unreachable: &'static str,
    pub incomplete_item: &'static str,
    pub incomplete_text: &'static str,
    pub incomplete_confirm: &'static str,
    pub incomplete_files: &'static str,
    pub not_answered: &'static str,
    pub draft_kept: &'static str,
    pub review_button: &'static str,
    pub review: &'static str,
    pub review_hint: &'static str,
    pub review_back: &'static str,
    pub closes_at: &'static str,
    pub time_left: &'static str,
    pub extend: &'static str,
    pub extend_by_itself: &'static str,
    pub stale: &'static str,
    pub stale_hint: &'static str,
    pub written: &'static str,
    /// Before what was written on a page whose questions ended elsewhere.
    pub unsent: &'static str,
    pub reload: &'static str,
    pub notify: &'static str,
    pub new_questions: &'static str,
    pub decided: &'static str,
    pub decided_elsewhere: &'static str,
    pub decided_elsewhere_hint: &'static str,
    pub take_back: &'static str,
    pub take_back_hint: &'static str,
    pub close: &'static str,
    pub see_again: &'static str,
    pub see_all: &'static str,
    pub cancelled: &'static str,
    pub cancelled_hint: &'static str,
    pub expired: &'static str,
    pub expired_hint: &'static str,
    pub unknown_address: &'static str,
    pub unknown_address_hint: &'static str,
    pub only_addresses_hint: &'static str,
    pub no_page: &'static str,
    pub no_page_hint: &'static str,
    pub no_page_way_on: &'static str,
    pub door: &'static str,
    pub door_hint: &'static str,
    pub door_button: &'static str,
    pub welcome: &'static str,
    pub welcome_hint: &'static str,
    pub go_on: &'static str,
    pub logged_out: &'static str,
    pub logged_out_hint: &'static str,
    pub logged_out_page: &'static str,
    pub not_sent_hint: &'static str,
    pub other_user: &'static str,
    pub other_user_hint: &'static str,
    pub other_user_page: &'static str,
    pub other_user_not_sent_hint: &'static str,
    pub ticket_over: &'static str,
    pub ticket_over_hint: &'static str,
    pub too_many_tickets_hint: &'static str,
    pub return_title: &'static str,
    pub return_hint: &'static str,
    pub return_message: &'static str,
    pub return_placeholder: &'static str,
    pub return_items: &'static str,
    pub return_button: &'static str,
    pub return_missing: &'static str,
    pub returned: &'static str,
    pub returned_hint: &'static str,
    /// Before the titles of those that were named.
    pub returned_items: &'static str,
    pub returned_elsewhere: &'static str,
    pub returned_already: &'static str,
    pub summary: &'static str,
    pub keys: &'static str,
    pub key_next: &'static str,
    /// The two halves of it, where each has a row.
    pub key_forward: &'static str,
    pub key_backward: &'static str,
    pub key_choose: &'static str,
    pub key_recommended: &'static str,
    pub key_all: &'static str,
    pub key_note: &'static str,
    pub key_other: &'static str,
    pub key_clear: &'static str,
    pub key_undo: &'static str,
    /// Between keys that do the same.
    pub key_or: &'static str,
    pub key_review: &'static str,
    /// What a change is called: of several answers, of one that is given, of one that is cleared, of what is sent back; then
    /// what stands before it once it is undone, and after it how to undo it. `#` is the number, or the key.
    pub changes: [&'static str; 6],
    pub undo: &'static str,
    pub redo: &'static str,
    pub key_defer: &'static str,
    pub key_ask_back: &'static str,
    pub key_view: &'static str,
    pub key_leave: &'static str,
    pub key_submit: &'static str,
    pub key_help: &'static str,
    pub separator: &'static str,
    pub http_refused: &'static str,
    pub http_bad_host: &'static str,
    pub http_not_found: &'static str,
    pub http_not_found_detail: &'static str,
    pub http_cross_site: &'static str,
    pub http_bad_request: &'static str,
    pub http_login: &'static str,
    pub http_other_user: &'static str,
    pub http_media_type: &'static str,
    pub http_too_large: &'static str,
    pub http_too_large_detail: &'static str,
    pub http_too_slow: &'static str,
    pub http_stuck: &'static str,
    pub http_stuck_detail: &'static str,
    pub http_busy_detail: &'static str,
    pub http_held_detail: &'static str,
    pub http_invalid: &'static str,
    pub http_conflict: &'static str,
    pub http_closed: &'static str,
    pub http_save_failed: &'static str,
    pub http_saved: &'static str,
    pub left_open: &'static str,
    pub restored: &'static str,
    pub restored_here: &'static str,
    /// After answers were taken back.
    pub taken_back: &'static str,
    pub key_send_back: &'static str,
    pub key_advance: &'static str,
}

const ZH: PageTexts = PageTexts {
    title: "Aide 待定项确认",
    lead: "请根据任务信息完成待定项选择",
    task: "任务:",
    source: "来源:",
    other_language: "English",
    items: "待定项列表",
    overview: "目录",
    recommended: "推荐",
    recommends: "推荐: {label}",
    option: "选项",
    picture: "图片",
    score_head: "评分",
    score: "评分: {score}",
    pros: "优点",
    cons: "缺点",
    unfold: "显示全部说明",
    location: "来源: {file} (行 {start}-{end})",
    omitted_lines: "另有 {count} 行未显示",
    lines_above: "上方第 {start}-{end} 行",
    lines_below: "下方第 {start}-{end} 行",
    source_changed: "⚠ 提问之后此文件已更改，所指的行可能已不同",
    source_gone: "⚠ 提问之后此文件已无法读取",
    several: "可多选（{range} 项）",
    optional: "可不回答",
    leave_open: "不作决定",
    other: "其他",
    other_label: "其他答案:",
    other_placeholder: "写下您自己的答案...",
    answer: "您的回答:",
    answer_placeholder: "在此填写...",
    answered: "回答:",
    in_words: "自行填写",
    note: "备注（可选）:",
    note_placeholder: "添加补充说明...",
    note_of: "备注: {note}",
    progress: "已完成 {done}/{total} 项",
    progress_required: "必答项已完成 {done}/{total} 项",
    submit: "提交决策",
    submitting: "提交中...",
    submit_hint: "请先完成所有待定项的选择",
    submit_hint_required: "请先完成必答的待定项",
    submit_part: "提交 {done}/{total} 项",
    partial: "可以先提交一部分，其余稍后再答",
    left_for_later: ["其余 1 项留待稍后决策", "其余 {count} 项留待稍后决策"],
    full_stop: "。",
    take_recommendations: "采纳全部推荐",
    take_recommendations_short: "采纳全部",
    take_recommendations_hint: "只填写尚未选择的项，已选的不变",
    failed: "提交失败: {detail}",
    unreachable: "提问者未连接。您的答案已保存在此浏览器中，恢复连接后会自动提交",
    incomplete_item: "请在此项中选择一个选项",
    incomplete_text: "请填写此项的回答",
    incomplete_confirm: "请确认此项；如不同意，请退回待定项",
    incomplete_files: "请为此项添加附件",
    not_answered: "未选择",
    draft_kept: "提问者未连接。您的答案会保存在此浏览器中；照常提交即可，恢复连接后会自动发送",
    review_button: "检查",
    review: "检查您的选择",
    review_hint: "尚未提交。确认无误后提交，或返回修改。",
    review_back: "返回修改",
    closes_at: "服务将于 {time} 关闭；届时仍未提交，则不产生任何决策",
    time_left: "剩余时间:",
    extend: "延长时间",
    extend_by_itself: "填写时自动延长",
    stale: "此页面已过期",
    stale_hint: "待定项已被新的待定项取代，请重新载入页面；未变动的待定项会保留您的答案",
    written: "您在旧页面中写下的内容：",
    unsent: "您写下但没有提交的内容：",
    reload: "重新载入",
    notify: "有新的待定项时通知我",
    new_questions: "有新的待定项等待您决策",
    decided: "决策已提交",
    decided_elsewhere: "此前已有决策",
    decided_elsewhere_hint: "另一个页面或程序已先提交。以下是生效的结果，您刚才的选择没有被采用。",
    take_back: "撤回提交",
    take_back_hint: "{seconds} 秒内可以撤回并修改",
    close: "您可以关闭此页面。",
    see_again: "要再次查看，请在此项目中执行",
    see_all: "全部决策:",
    cancelled: "待定项已取消",
    cancelled_hint: "提问者已取消这些待定项，不再需要决策。",
    expired: "待定项已过期",
    expired_hint: "截止时间已过，这些待定项不再接受决策。",
    unknown_address: "本服务不接受此地址",
    unknown_address_hint: "其他网站可以让任意名称指向这台电脑，因此只接受已知的地址。如果您确实通过以下地址访问，请在运行 aide 的电脑上执行这里的命令，再重新启动服务。",
    only_addresses_hint: "其他网站可以让任意名称指向这台电脑，因此只接受 localhost 与 IP 地址，不接受以下名称。请用 localhost 或 IP 地址打开。",
    no_page: "没有这个页面",
    no_page_hint: "地址可能有误，或者页面已不存在。",
    no_page_way_on: "打开待定项",
    door: "打开待定项",
    door_hint: "此链接让您登录一次，之后即失效。按下按钮，在此浏览器中打开页面。",
    door_button: "打开",
    welcome: "已登录",
    welcome_hint: "即将打开待定项页面。",
    go_on: "继续",
    logged_out: "需要登录",
    logged_out_hint: "此浏览器没有登录，或服务已重新启动。请在运行 aide 的电脑上进入该项目，执行 aide decide open，再打开它输出的链接。",
    logged_out_page: "服务已重新启动，需要重新登录。您的答案已保存在此浏览器中：请在运行 aide 的电脑上进入该项目，执行 aide decide open，打开它输出的链接，再重新载入此页面",
    not_sent_hint: "服务已重新启动，刚才的内容没有提交。请保留此页面，在运行 aide 的电脑上进入该项目，执行 aide decide open，用新标签页打开它输出的链接；然后重新载入此页面，内容会再次提交，也可以后退回到表单。",
    other_user: "此页面属于这台电脑的另一位用户",
    other_user_hint: "只有运行 aide 的那位用户不用登录就能打开它。请让对方在该项目中执行 aide decide open --link，再打开对方发来的链接；链接只能使用一次，并且只在十分钟内有效。",
    other_user_page: "服务已重新启动，而此页面属于这台电脑的另一位用户，需要重新登录。您的答案已保存在此浏览器中：请让对方在该项目中执行 aide decide open --link，打开对方发来的链接，再重新载入此页面",
    other_user_not_sent_hint: "刚才的内容没有提交，因为需要先登录。请保留此页面，让对方在该项目中执行 aide decide open --link，用新标签页打开对方发来的链接；然后重新载入此页面，内容会再次提交，也可以后退回到表单。",
    ticket_over: "此链接已失效",
    ticket_over_hint: "登录链接只能使用一次，并且只在十分钟内有效。请在运行 aide 的电脑上进入该项目，执行 aide decide open，获取新的链接。",
    too_many_tickets_hint: "无效链接的尝试次数过多，请一分钟后再试。",
    return_title: "无法回答？退回给提问者",
    return_hint: "说明缺少什么或哪里不清楚。退回后不会产生任何决策，您的说明会发给提问者。",
    return_message: "退回原因:",
    return_placeholder: "例如：缺少成本估算，请先补充...",
    return_items: "涉及哪些待定项？（都不选表示全部）",
    return_button: "退回",
    return_missing: "请填写退回原因",
    returned: "已退回",
    returned_hint: "您的说明已发给提问者，没有产生任何决策。对方修改后可以再次提问；未变动的待定项会保留您的答案。",
    returned_items: "涉及的待定项：",
    returned_elsewhere: "这些待定项此前已被退回: {message}",
    returned_already: "另一个页面已先退回这些待定项，没有产生任何决策。",
    summary: "决策结果",
    keys: "键盘操作",
    key_next: "下一项 / 上一项",
    key_forward: "下一项",
    key_backward: "上一项",
    key_choose: "选择当前项的第几个选项",
    key_recommended: "采纳当前项的推荐",
    key_all: "采纳全部推荐",
    key_note: "填写当前项的备注",
    key_other: "写下自己的答案；只能选择选项时填写备注",
    key_clear: "清除当前项的选择",
    key_undo: "撤销上一次更改 / 恢复撤销的更改",
    key_or: "或",
    key_review: "检查；Esc 返回",
    changes: [
        "已更改 # 项的答案",
        "已更改第 # 项的答案",
        "已清除第 # 项的答案",
        "已更改要退回的项",
        "已撤销: ",
        " · 按 # 撤销",
    ],
    undo: "撤销",
    redo: "恢复",
    key_defer: "暂不选择，转到下一项",
    key_ask_back: "退回全部待定项，并指明当前项",
    key_view: "一次只展开一项",
    key_leave: "离开输入框，回到当前项（不会丢弃内容）",
    key_submit: "提交决策；填写退回原因时则为退回",
    key_help: "显示或隐藏这张表",
    separator: "；",
    http_refused: "请求被拒绝",
    http_not_found: "未找到",
    http_not_found_detail: "没有这个接口",
    http_bad_host: "Host 不是本服务的地址；如需接受，请设置 decide.url 或 daemon.url",
    http_cross_site: "请求来自其他网站",
    http_bad_request: "请求格式不正确",
    http_login: "需要登录：请使用命令输出的链接，或以 Authorization: Bearer 发送 .aide/decisions/server.json 中的 secret",
    http_other_user: "此页面属于这台电脑的另一位用户，需要登录：请让对方在该项目中执行 aide decide open --link，使用其输出的链接",
    http_media_type: "Content-Type 应为 {expected}",
    http_too_large: "请求体过大",
    http_too_large_detail: "单次提交限制 {limit} MiB",
    http_too_slow: "请求体未在时限内到达",
    http_stuck: "服务器繁忙",
    http_stuck_detail: "处理未在时限内完成，请稍后重试",
    http_busy_detail: "请求未能及时开始处理，未作任何更改，请稍后重新发送",
    http_held_detail: "等待中的请求过多，请稍后重试",
    http_invalid: "决策数据无效",
    http_conflict: "决策已存在",
    http_closed: "待定项已关闭",
    http_save_failed: "保存失败",
    http_saved: "决策已保存",
    left_open: "还有 {count} 项未完成: 第 {items} 项",
    restored: "已恢复您 {time} 的草稿",
    restored_here: "已恢复您的草稿",
    taken_back: "已撤回，尚未提交任何答案",
    key_send_back: "退回全部待定项",
    key_advance: "按数字选择后自动转到下一项",
};

const EN: PageTexts = PageTexts {
    title: "Aide: decisions needed",
    lead: "Answer each question",
    task: "Task:",
    source: "Source:",
    other_language: "中文",
    items: "Questions",
    overview: "Overview",
    recommended: "Recommended",
    recommends: "Recommended: {label}",
    option: "Option",
    picture: "Picture",
    score_head: "Score",
    score: "Score: {score}",
    pros: "Pros",
    cons: "Cons",
    unfold: "Show all",
    location: "Source: {file} (lines {start}–{end})",
    omitted_lines: "{count} more {count:line|lines}",
    lines_above: "Above (lines {start}–{end})",
    lines_below: "Below (lines {start}–{end})",
    source_changed: "⚠ This file has changed since the question was asked; these may not be the lines it is about",
    source_gone: "⚠ This file could be read when the question was asked, but no longer",
    several: "options to choose: {range}",
    optional: "optional",
    leave_open: "Leave open",
    other: "Other",
    other_label: "Your own answer:",
    other_placeholder: "Write your own answer…",
    answer: "Your answer:",
    answer_placeholder: "Write here…",
    answered: "Answer:",
    in_words: "answered in words",
    note: "Note (optional):",
    note_placeholder: "Anything the agent should know…",
    note_of: "Note: {note}",
    progress: "{done} of {total} answered",
    progress_required: "{done} of {total} required answered",
    submit: "Submit",
    submitting: "Submitting…",
    submit_hint: "Answer every question first",
    submit_hint_required: "Answer the required questions first",
    submit_part: "Submit {done}/{total}",
    partial: "You can submit a part now and answer the rest later",
    left_for_later: ["1 question is left for later", "{count} questions are left for later"],
    full_stop: ".",
    take_recommendations: "Accept all recommendations",
    take_recommendations_short: "Accept all",
    take_recommendations_hint: "Only fills in open questions; what you chose stays",
    failed: "Not submitted: {detail}",
    unreachable: "the agent is not connected. Your answers are kept here and sent when it comes back",
    incomplete_item: "Please choose an option",
    incomplete_text: "Please write an answer",
    incomplete_confirm: "Please confirm; if you do not agree, send the questions back",
    incomplete_files: "Please attach files",
    not_answered: "Not answered",
    draft_kept: "The agent is not connected. Your answers are kept here; submit as usual, and they are sent when it comes back",
    review_button: "Review",
    review: "Review your answers",
    review_hint: "Not submitted yet. Submit, or go back to make changes.",
    review_back: "Go back",
    closes_at: "Closes at {time}. Without an answer by then, nothing is decided",
    time_left: "Time left:",
    extend: "More time",
    extend_by_itself: "Extend while I answer",
    stale: "This page is out of date",
    stale_hint: "Newer questions have replaced these. Please reload the page; answers to unchanged questions are kept",
    written: "What you wrote on the old page:",
    unsent: "What you had written and not submitted:",
    reload: "Reload",
    notify: "Notify me of new questions",
    new_questions: "New questions are waiting for you",
    decided: "Decisions submitted",
    decided_elsewhere: "Already decided",
    decided_elsewhere_hint: "Another page or program submitted first. These are the answers that count; yours were not used.",
    take_back: "Take it back",
    take_back_hint: "For {seconds} {seconds:second|seconds} you can take it back and change it",
    close: "You can close this page.",
    see_again: "To see this again, run in the project:",
    see_all: "All decisions:",
    cancelled: "Questions cancelled",
    cancelled_hint: "The agent cancelled these questions; no decision is needed any more.",
    expired: "Questions expired",
    expired_hint: "The deadline has passed; these questions can no longer be answered.",
    unknown_address: "This server does not accept the address",
    unknown_address_hint: "Other sites can make any name lead to this computer, so only known addresses are accepted. If the following is how you reach it, run these commands on the computer that runs aide, then start the server again.",
    only_addresses_hint: "Other sites can make any name lead to this computer, so only localhost and IP addresses are accepted, not the following name. Open it by localhost or by its IP address.",
    no_page: "No such page",
    no_page_hint: "The address may be mistyped, or the page is gone.",
    no_page_way_on: "Open the questions",
    door: "Open the questions",
    door_hint: "This link logs you in once. Press the button to open the page in this browser.",
    door_button: "Open",
    welcome: "You are logged in",
    welcome_hint: "The questions will open in a moment.",
    go_on: "Continue",
    logged_out: "Please log in",
    logged_out_hint: "This browser is not logged in, or the server has restarted. On the computer that runs aide, run aide decide open in the project, and open the link it prints.",
    logged_out_page: "the server has restarted, and you need to log in again. Your answers are kept here. On the computer that runs aide, run aide decide open in the project, open the link it prints, then reload this page",
    not_sent_hint: "The server has restarted, and your answers did not arrive. Keep this page open. On the computer that runs aide, run aide decide open in the project, and open the link it prints in a new tab; then reload this page to send them again, or go back to the form.",
    other_user: "This page belongs to another user of this computer",
    other_user_hint: "It opens without a login for that user alone. Ask the user who runs aide to run aide decide open --link in the project, and open the link they send you. It works once, and for ten minutes.",
    other_user_page: "the server has restarted, and this page belongs to another user of this computer: you need to log in again. Your answers are kept here. Ask the user who runs aide to run aide decide open --link in the project, open the link they send you, then reload this page",
    other_user_not_sent_hint: "Your answers did not arrive: only the user who runs aide can send them without logging in. Keep this page open. Ask that user to run aide decide open --link in the project, and open the link they send you in a new tab; then reload this page to send them again, or go back to the form.",
    ticket_over: "This link no longer works",
    ticket_over_hint: "A login link works once, and for ten minutes. On the computer that runs aide, run aide decide open in the project to get a new one.",
    too_many_tickets_hint: "Too many invalid links were tried. Try again in a minute.",
    return_title: "Can't answer? Send it back",
    return_hint: "Say what is missing or unclear. Nothing is decided; your message goes to the agent.",
    return_message: "Reason:",
    return_placeholder: "For example: what would it cost?",
    return_items: "Which questions? (none ticked = all)",
    return_button: "Send back",
    return_missing: "Say why you are sending the questions back",
    returned: "Sent back",
    returned_hint: "Your message goes to the agent. Nothing was decided. The agent can ask again; your answers to unchanged questions are kept.",
    returned_items: "Questions you named:",
    returned_elsewhere: "These questions were already sent back: {message}",
    returned_already: "Another page has already sent these questions back. Nothing was decided.",
    summary: "Decisions",
    keys: "Keyboard",
    key_next: "next / previous question",
    key_forward: "next question",
    key_backward: "previous question",
    key_choose: "choose that option",
    key_recommended: "accept the recommendation",
    key_all: "accept all recommendations",
    key_note: "write a note",
    key_other: "write your own answer (or a note, where only options are allowed)",
    key_clear: "clear the answer",
    key_undo: "undo the last change / redo it",
    key_or: "or",
    key_review: "review your answers; Esc returns",
    changes: [
        "# answers changed",
        "Answer to # changed",
        "Answer to # cleared",
        "Send-back list changed",
        "Undone: ",
        " · # undoes it",
    ],
    undo: "Undo",
    redo: "Redo",
    key_defer: "clear the answer and go to the next question",
    key_ask_back: "send all questions back, naming this one",
    key_view: "show one question at a time",
    key_leave: "leave a field (nothing is lost)",
    key_submit: "submit, or send back while giving the reason",
    key_help: "show or hide this list",
    separator: "; ",
    http_refused: "request refused",
    http_not_found: "not found",
    http_not_found_detail: "there is no such endpoint",
    http_bad_host: "Host is not an address of this server; set decide.url or daemon.url if it should be",
    http_cross_site: "the request comes from another site",
    http_bad_request: "malformed request",
    http_login: "login required: use the link that the command printed, or send the secret in .aide/decisions/server.json as Authorization: Bearer",
    http_other_user: "this page belongs to another user of this computer, login required: ask them to run aide decide open --link in the project, and use the link it prints",
    http_media_type: "Content-Type must be {expected}",
    http_too_large: "request body too large",
    http_too_large_detail: "a submission is limited to {limit} MiB",
    http_too_slow: "the request body did not arrive in time",
    http_stuck: "server busy",
    http_stuck_detail: "the request was not finished in time; try again later",
    http_busy_detail: "the request could not start in time, and nothing was changed; send it again later",
    http_held_detail: "too many requests are waiting; try again later",
    http_invalid: "invalid decisions",
    http_conflict: "already decided",
    http_closed: "questions closed",
    http_save_failed: "could not be saved",
    http_saved: "decisions saved",
    left_open: "Not answered yet: no. {items}",
    restored: "Your draft of {time} was restored",
    restored_here: "Your draft was restored",
    taken_back: "Taken back: nothing is submitted",
    key_send_back: "send all questions back",
    key_advance: "After a digit, go on to the next question",
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
/// braces. `{name:task|tasks}` stands for the first word where the value is 1, else for the second.
pub fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        match after.split_once('}') {
            Some((name, tail)) => {
                let (name, forms) = name.split_once(':').unwrap_or((name, ""));
                if let Some((_, value)) = values.iter().find(|(key, _)| *key == name) {
                    filled.push_str(match forms.split_once('|') {
                        None => value,
                        Some((one, many)) => {
                            if *value == "1" {
                                one
                            } else {
                                many
                            }
                        }
                    });
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

impl PageTexts {
    /// The template of how many questions of `input` are answered, of those that need an answer.
    pub fn progress_of(&self, input: &DecideInput) -> &'static str {
        if input.items.iter().all(DecideItem::needs_choice) { self.progress } else { self.progress_required }
    }

    /// What an option looks like, as far as text can show it; `None` where nothing is said of that.
    pub fn preview(&self, option: &DecideOption) -> Option<String> {
        match option.preview.as_ref()? {
            Preview::Text(text) if is_blank(text) => None,
            Preview::Text(text) => Some(text.trim_matches(['\n', '\r']).trim_end().to_owned()),
            Preview::Picture(_) => Some(self.picture.to_owned()),
            Preview::File(file) => Some(format!("{}: {file}", self.picture)),
        }
    }

    /// What is to be done before `input` can be submitted as a whole.
    pub fn submit_hint_of(&self, input: &DecideInput) -> &'static str {
        if input.items.iter().all(DecideItem::needs_choice) {
            self.submit_hint
        } else {
            self.submit_hint_required
        }
    }

    /// How many items were left for later when the others were answered.
    pub fn left_for_later(&self, count: usize) -> String {
        counted(self.left_for_later, count)
    }

    /// The same, as a sentence.
    pub fn left_for_later_sentence(&self, count: usize) -> String {
        self.left_for_later(count) + self.full_stop
    }

    /// The name of the button that submits, when `done` of `total` items are answered that need an answer.
    pub fn submit_of(&self, input: &DecideInput, done: usize, total: usize) -> String {
        if input.partial && done > 0 && done < total {
            fill(self.submit_part, &[("done", &done.to_string()), ("total", &total.to_string())])
        } else {
            self.submit.to_owned()
        }
    }
}

/// The words for one, or those for any other number, with `{count}`.
pub(crate) fn counted([one, many]: [&'static str; 2], count: usize) -> String {
    if count == 1 { one.to_owned() } else { fill(many, &[("count", &count.to_string())]) }
}

#[cfg(test)]
mod tests {
    use super::fill;

    #[test]
    fn values_are_inserted_as_they_are() {
        assert_eq!(fill("{done}/{total}", &[("done", "{total}"), ("total", "2")]), "{total}/2");
        assert_eq!(fill("a { b", &[]), "a { b");
        let lines = |count| fill("{count} {count:line|lines}", &[("count", count)]);
        assert_eq!([lines("0"), lines("1"), lines("11")], ["0 lines", "1 line", "11 lines"]);
    }
}
