//! The words of `aide decide answer`, beside those it shares with the page.

use texts::Lang;

/// One table per language. `{…}` marks a place that [`texts::fill`] replaces.
#[derive(Debug)]
pub(crate) struct FormWords {
    pub position: &'static str,
    pub nothing_chosen: &'static str,
    pub review: &'static str,
    pub review_lead: &'static str,
    pub sending_back: &'static str,
    pub whole_set: &'static str,
    pub only_this: &'static str,
    pub reason: &'static str,
    pub other_of_item: &'static str,
    pub text_of_item: &'static str,
    pub text_empty: &'static str,
    /// The same where what is typed is the answer.
    pub text_typing: &'static str,
    /// The same where it may stay empty, and Enter goes on.
    pub text_optional: &'static str,
    pub path_of_item: &'static str,
    pub add_file: &'static str,
    pub note_of_item: &'static str,
    pub more_above: &'static str,
    pub more_below: &'static str,
    pub more_source: &'static str,
    pub too_small: &'static str,
    pub keys: &'static str,

    /// Keys and what they do, the most important first: as many as fit are shown.
    pub text_hints: &'static [(&'static str, &'static str)],
    /// While the answer is missing, and Enter writes it as well.
    pub text_open_hints: &'static [(&'static str, &'static str)],
    /// The same where what is typed is the answer.
    pub text_typing_hints: &'static [(&'static str, &'static str)],
    pub file_hints: &'static [(&'static str, &'static str)],
    pub file_open_hints: &'static [(&'static str, &'static str)],
    pub path_hints: &'static [(&'static str, &'static str)],
    pub item_hints: &'static [(&'static str, &'static str)],
    pub review_hints: &'static [(&'static str, &'static str)],
    pub write_hints: &'static [(&'static str, &'static str)],
    pub send_back_hints: &'static [(&'static str, &'static str)],
    pub help_hints: &'static [(&'static str, &'static str)],

    // What keys do that the page does not have.
    pub help_move: &'static str,
    pub help_space: &'static str,
    pub help_choose: &'static str,
    pub help_enter: &'static str,
    pub help_send_back: &'static str,
    pub help_source: &'static str,
    pub help_review: &'static str,
    pub help_scroll: &'static str,
    pub help_leave: &'static str,

    pub choose_first: &'static str,
    pub choose_count: &'static str,
    pub choose_files: &'static str,
    pub nothing_recommended: &'static str,
    pub taken: &'static str,
    pub still_open: &'static str,
    pub no_reason: &'static str,
    pub held: &'static str,
    pub draft_failed: &'static str,

    // Line by line.
    pub plain_lead: &'static str,
    pub plain_choice: &'static str,
    /// Behind what asks for an answer that may be given later.
    pub plain_later: &'static str,
    pub plain_kept: &'static str,
    pub plain_confirm: &'static str,
    pub plain_text: &'static str,
    pub plain_text_kept: &'static str,
    pub plain_text_help: &'static str,
    pub plain_files: &'static str,
    pub plain_files_kept: &'static str,
    pub plain_files_help: &'static str,
    pub plain_attached: &'static str,
    pub plain_other: &'static str,
    pub plain_note: &'static str,
    pub plain_note_kept: &'static str,
    pub plain_reason: &'static str,
    pub plain_submit: &'static str,
    pub plain_not_understood: &'static str,
    pub plain_no_option: &'static str,
    pub plain_help: &'static str,
    /// What can be typed at each question, whatever its kind.
    pub plain_help_always: &'static str,
}

const ZH: FormWords = FormWords {
    position: "第 {number} 项，共 {total} 项",
    nothing_chosen: "未选择",
    review: "检查并提交",
    review_lead: "Enter 修改所在的一项；在最后一行按 Enter 提交。",
    sending_back: "退回全部待定项？不会产生任何决策",
    whole_set: "涉及: 全部待定项",
    only_this: "涉及: {title}",
    reason: "退回原因",
    other_of_item: "其他答案: {title}",
    text_of_item: "回答: {title}",
    text_empty: "按空格键或 Enter 填写",
    text_typing: "直接输入您的回答",
    text_optional: "按空格键填写",
    path_of_item: "附件的路径（Enter 添加）: {title}",
    add_file: "添加附件（按空格键或 Enter 输入路径）",
    note_of_item: "备注: {title}",
    more_above: "↑ 上方还有 {count} 行",
    more_below: "↓ 下方还有 {count} 行（PgDn）",
    more_source: "另有 {count} 行（s 全部显示）",
    too_small: "终端窗口太小",
    keys: "键盘操作",

    text_hints: &[
        ("空格", "填写"),
        ("Enter", "下一项"),
        ("?", "帮助"),
        ("n", "备注"),
        ("q", "离开"),
        ("x", "清除"),
        ("c", "检查"),
    ],
    text_open_hints: &[
        ("空格/Enter", "填写"),
        ("?", "帮助"),
        ("→", "跳过"),
        ("n", "备注"),
        ("q", "离开"),
        ("c", "检查"),
    ],
    text_typing_hints: &[("→", "跳过"), ("←", "返回"), ("?", "帮助"), ("Esc", "其他按键")],
    file_open_hints: &[
        ("空格/Enter", "添加附件"),
        ("?", "帮助"),
        ("→", "跳过"),
        ("n", "备注"),
        ("q", "离开"),
        ("c", "检查"),
    ],
    file_hints: &[
        ("空格", "添加附件"),
        ("Enter", "下一项"),
        ("x", "移除光标处的附件"),
        ("?", "帮助"),
        ("n", "备注"),
        ("q", "离开"),
        ("c", "检查"),
    ],
    path_hints: &[("Enter", "添加"), ("Esc", "返回")],
    item_hints: &[
        ("1-9/空格", "选择"),
        ("Enter", "下一项"),
        ("?", "帮助"),
        ("↑↓", "移动"),
        ("n", "备注"),
        ("q", "离开"),
        ("r", "推荐"),
        ("c", "检查"),
    ],
    review_hints: &[
        ("Enter", "修改/提交"),
        ("↑↓", "移动"),
        ("?", "帮助"),
        ("a", "采纳推荐"),
        ("b", "退回"),
        ("q", "离开"),
    ],
    write_hints: &[("Esc", "完成（内容保留）"), ("Enter", "换行")],
    send_back_hints: &[("Enter", "退回"), ("Tab", "范围"), ("e", "修改"), ("Esc", "取消")],
    help_hints: &[("任意键", "关闭"), ("PgUp/PgDn", "翻页")],

    help_move: "在选项间移动",
    help_space: "空格",
    help_choose: "选择所在的选项",
    help_enter: "下一项；最后一项之后检查并提交",
    help_send_back: "退回全部待定项",
    help_source: "显示全部 / 部分源文件内容",
    help_review: "检查并提交",
    help_scroll: "翻页",
    help_leave: "离开；已填写的内容保留为草稿",

    choose_first: "尚未选择：按数字键或空格选择；→ 暂时跳过",
    choose_count: "此项需要选择 {range} 项",
    choose_files: "请添加 {range} 个附件",
    nothing_recommended: "没有可采纳的推荐",
    taken: "已采纳 {count} 项推荐，请检查",
    still_open: "还有 {count} 项未完成",
    no_reason: "请填写退回原因",
    held: "同一个键按得太快: 请松开，稍后再按",
    draft_failed: "草稿无法保存: {words}",

    plain_lead: "每项先输入选项的编号，再输入备注（可为空）。输入 ? 查看其他输入。",
    plain_choice: "选择",
    plain_later: "（回车: 稍后再答，没有备注）",
    plain_kept: "选择（回车保留 {current}）",
    plain_confirm: "确认（输入 1）",
    plain_text: "回答（直接输入）",
    plain_text_kept: "回答（回车保留 {current}）",
    plain_text_help: "\
回答         直接输入
o            回答与以下某个字母相同时，先输入 o
x            清除",
    plain_files: "附件（输入文件路径，每次一个）",
    plain_files_kept: "附件（再输入路径以添加，回车保留 {current}）",
    plain_files_help: "\
文件路径     添加附件；与以下某个字母同名的文件写作 ./a
- 2          移除这个编号的附件
x            清除选择",
    plain_attached: "已添加 {file}",
    plain_other: "其他答案",
    plain_note: "备注（可为空）",
    plain_note_kept: "备注（回车保留原有的，- 删除）",
    plain_reason: "退回原因",
    plain_submit: "提交以上决策吗？[y/N]",
    plain_not_understood: "无法识别: {line}",
    plain_no_option: "没有选项 {line}（1 至 {count}）",
    plain_help: "\
2            选择这个选项；可多选时也可输入 1,3 或 1-3
选项的文字   按文字选择
r            采纳推荐
x            清除",
    plain_help_always: "\
a            未选择的项全部采纳推荐
j / k        下一项 / 上一项
i            退回，并指明当前项
b            退回全部待定项
q            离开，草稿保留
… \\          写在行末: 内容在下一行继续",
};

const EN: FormWords = FormWords {
    position: "Question {number} of {total}",
    nothing_chosen: "Not answered",
    review: "Review and submit",
    review_lead: "Enter changes the selected question; on the last line, it submits.",
    sending_back: "Send all questions back? No decision will be made",
    whole_set: "About: all questions",
    only_this: "About: {title}",
    reason: "Reason for sending back",
    other_of_item: "Other answer: {title}",
    text_of_item: "Answer: {title}",
    text_empty: "Press Space or Enter to write",
    text_typing: "Type your answer",
    text_optional: "Press Space to write",
    path_of_item: "Path of a file (Enter attaches it): {title}",
    add_file: "Attach a file (press Space or Enter to type its path)",
    note_of_item: "Note: {title}",
    more_above: "↑ lines above: {count}",
    more_below: "↓ lines below: {count} (PgDn)",
    more_source: "lines not shown: {count} (s shows all)",
    too_small: "The terminal is too small",
    keys: "Keyboard",

    text_hints: &[
        ("Space", "write"),
        ("Enter", "next"),
        ("?", "help"),
        ("n", "note"),
        ("q", "leave"),
        ("x", "clear"),
        ("c", "review"),
    ],
    text_open_hints: &[
        ("Space/Enter", "write"),
        ("?", "help"),
        ("→", "skip"),
        ("n", "note"),
        ("q", "leave"),
        ("c", "review"),
    ],
    text_typing_hints: &[("→", "skip"), ("←", "back"), ("?", "help"), ("Esc", "other keys")],
    file_open_hints: &[
        ("Space/Enter", "attach"),
        ("?", "help"),
        ("→", "skip"),
        ("n", "note"),
        ("q", "leave"),
        ("c", "review"),
    ],
    file_hints: &[
        ("Space", "attach"),
        ("Enter", "next"),
        ("x", "remove"),
        ("?", "help"),
        ("n", "note"),
        ("q", "leave"),
        ("c", "review"),
    ],
    path_hints: &[("Enter", "attach"), ("Esc", "back")],
    item_hints: &[
        ("1-9/Space", "choose"),
        ("Enter", "next"),
        ("?", "help"),
        ("↑↓", "move"),
        ("n", "note"),
        ("q", "leave"),
        ("r", "recommended"),
        ("c", "review"),
    ],
    review_hints: &[
        ("Enter", "change/submit"),
        ("↑↓", "move"),
        ("?", "help"),
        ("a", "recommended"),
        ("b", "send back"),
        ("q", "leave"),
    ],
    write_hints: &[("Esc", "done (text is kept)"), ("Enter", "new line")],
    send_back_hints: &[("Enter", "send back"), ("Tab", "about"), ("e", "edit"), ("Esc", "cancel")],
    help_hints: &[("any key", "close"), ("PgUp/PgDn", "scroll")],

    help_move: "move between options",
    help_space: "Space",
    help_choose: "choose the selected option",
    help_enter: "next question; after the last one, review and submit",
    help_send_back: "send all questions back",
    help_source: "show all / some lines of the source",
    help_review: "review and submit",
    help_scroll: "scroll",
    help_leave: "leave; your answers are kept as a draft",

    choose_first: "Not answered: press a digit or Space; → skips it for now",
    choose_count: "This question takes {range} {range:choice|choices}",
    choose_files: "Attach {range} {range:file|files}",
    nothing_recommended: "Nothing is recommended here",
    taken: "Recommendations accepted: {count}; please review them",
    still_open: "Questions left: {count}",
    no_reason: "Say why you are sending the questions back",
    held: "That key came twice at once: release it, then press it again",
    draft_failed: "Cannot save the draft: {words}",

    plain_lead: "For each question, type the number of an option, then a note (optional). Type ? for other inputs.",
    plain_choice: "Choice",
    plain_later: " (Enter: later, without a note)",
    plain_kept: "Choice (Enter keeps {current})",
    plain_confirm: "Confirm (type 1)",
    plain_text: "Answer (type it)",
    plain_text_kept: "Answer (Enter keeps {current})",
    plain_text_help: "\
your answer  as it is
o            first, for an answer that is one of these letters
x            clear",
    plain_files: "Files (type a path, one at a time)",
    plain_files_kept: "Files (type a path to add one, Enter keeps {current})",
    plain_files_help: "\
a path       attach the file; ./a for a file named like one of these letters
- 2          remove the file with this number
x            leave open",
    plain_attached: "Attached {file}",
    plain_other: "Other answer",
    plain_note: "Note (optional)",
    plain_note_kept: "Note (Enter keeps it, - removes it)",
    plain_reason: "Reason",
    plain_submit: "Submit these decisions? [y/N]",
    plain_not_understood: "Not understood: {line}",
    plain_no_option: "There is no option {line} (1 to {count})",
    plain_help: "\
2            choose this option; where several are allowed also 1,3 or 1-3
its words    choose an option by its name
r            accept the recommendation
x            clear",
    plain_help_always: "\
a            accept all recommendations where nothing is chosen yet
j / k        next / previous question
i            send all questions back, naming this one
b            send all questions back
q            leave and keep a draft
… \\          at the end of a line: the text continues on the next line",
};

impl FormWords {
    /// In one language.
    pub(crate) fn for_lang(lang: Lang) -> &'static Self {
        match lang {
            Lang::Zh => &ZH,
            Lang::En => &EN,
        }
    }
}
