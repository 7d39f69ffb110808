//! The words of `aide flow --help`, and of the commands below it.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) flow: &'static str,
    pub(super) flow_usage: &'static str,
    pub(super) flow_after: &'static str,
    pub(super) start: &'static str,
    pub(super) start_usage: &'static str,
    pub(super) start_after: &'static str,
    pub(super) next_step: &'static str,
    pub(super) next_step_usage: &'static str,
    pub(super) back_step: &'static str,
    pub(super) back_step_usage: &'static str,
    pub(super) back_step_after: &'static str,
    pub(super) restore: &'static str,
    pub(super) next_part: &'static str,
    pub(super) next_part_usage: &'static str,
    pub(super) next_part_after: &'static str,
    pub(super) back_part: &'static str,
    pub(super) back_part_usage: &'static str,
    pub(super) back_part_after: &'static str,
    pub(super) back_confirm: &'static str,
    pub(super) back_confirm_usage: &'static str,
    pub(super) back_confirm_after: &'static str,
    pub(super) key: &'static str,
    pub(super) cancel: &'static str,
    pub(super) issue: &'static str,
    pub(super) issue_usage: &'static str,
    pub(super) error: &'static str,
    pub(super) error_usage: &'static str,
    /// Below the actions that leave the phase as it is.
    pub(super) step_after: &'static str,
    pub(super) phase: &'static str,
    pub(super) summary: &'static str,
    pub(super) yes: &'static str,
    pub(super) json: &'static str,
    pub(super) status: &'static str,
    pub(super) status_usage: &'static str,
    pub(super) status_after: &'static str,
    pub(super) watch: &'static str,
    pub(super) list: &'static str,
    pub(super) list_usage: &'static str,
    pub(super) show: &'static str,
    pub(super) show_usage: &'static str,
    pub(super) task: &'static str,
    pub(super) see_json: &'static str,
    pub(super) open: &'static str,
    pub(super) open_usage: &'static str,
    pub(super) open_after: &'static str,
    pub(super) log: &'static str,
    pub(super) log_usage: &'static str,
    pub(super) log_format: &'static str,
}

pub(super) static ZH: Help = Help {
    flow: "记录任务的环节与步骤，并以 git 提交",
    flow_usage: "aide flow [选项] <子命令>",
    flow_after: "\
示例:
  aide flow start task-optimize \"开始任务: 实现用户认证\"
  aide flow next-step \"需求已澄清\"
  aide flow next-part flow-design \"任务优化完成，开始流程设计\"
  aide flow status

每个操作要么全部完成，要么什么都不改变: 校验、钩子、状态、git add、git commit。提交
信息为 [aide] <环节>: <总结>。环节由 flow.phases 配置，默认依次为 task-optimize、
flow-design、impl、verify、docs、finish。

提交包含所有改动的文件与所有未被 git 忽略的新文件，不限于任务自身的。每次提交的文件数与
哈希输出到标准错误。开始任务前已有的改动，以及疑似密钥的新文件，在终端中先询问；没有
终端时改动照常提交并列出，疑似密钥的新文件不提交并列出。如需改变:
  aide config set flow.commit all                 不询问，全部提交（即 --yes）
  aide config set flow.commit tracked             不询问，只提交 git 已知文件的改动
  aide config set flow.commit ask                 没有终端也没有 --yes 时拒绝开始
  aide config set flow.git.add_strategy staged    只提交已用 git add 加入的
  aide config set flow.git.enabled false          不提交",
    start: "开始任务",
    start_usage: "aide flow start [选项] <PHASE> <SUMMARY>",
    start_after: "上一个任务的状态移入 .aide/logs/，可用 aide flow list 与 show 查看。",
    next_step: "步骤前进",
    next_step_usage: "aide flow next-step [选项] <SUMMARY>",
    back_step: "步骤回退",
    back_step_usage: "aide flow back-step [选项] <SUMMARY>
       aide flow back-step --restore[=<STEP>]",
    back_step_after: "\
步骤编号只增不减。提交与回到的步骤输出到标准错误。项目中的文件保持不变；--restore 把那一步时的文件放在单独
的 git 工作区 .aide/steps/ 中（输出其路径与删除方法），重复执行没有影响。尚未回退时，那一步是当前
步骤的前一步。没有 SUMMARY 时什么都不记录。",
    restore: "查看 STEP 时的文件；默认为回退之后所在的步骤，尚未回退时为前一步",
    next_part: "进入下一个环节",
    next_part_usage: "aide flow next-part [选项] <PHASE> <SUMMARY>",
    next_part_after: "\
只能前进到相邻环节。离开 flow-design 时校验有改动的 PlantUML 图并生成 PNG；离开 docs
前须更新 CHANGELOG.md。可用 flow.plantuml.*、flow.changelog.* 与 [[flow.require]] 配置。",
    back_part: "回退到之前的环节",
    back_part_usage: "aide flow back-part [选项] <PHASE> <SUMMARY>",
    back_part_after: "flow.back_confirm = true 时只登记请求，用 aide flow back-confirm 确认后才回退。",
    back_confirm: "确认或取消回退请求",
    back_confirm_usage: "aide flow back-confirm [选项] (--key <KEY> | --cancel)",
    back_confirm_after: "仅用于 flow.back_confirm = true。",
    key: "back-part 输出的 key",
    cancel: "取消请求",
    issue: "记录一般问题（不阻塞继续）",
    issue_usage: "aide flow issue [选项] <SUMMARY>",
    error: "记录严重错误（需要用户关注）",
    error_usage: "aide flow error [选项] <SUMMARY>",
    step_after: "步骤编号只增不减。提交输出到标准错误；标准输出只有 aide flow error 记录的错误。",
    phase: "环节名，flow.phases 之一",
    summary: "总结或原因，最多 500 个字符",
    yes: "不询问，提交所有文件，包括疑似密钥的新文件",
    json: "输出一行 JSON: task_id、action、phase、step、summary、timestamp、git_commit、committed",
    status: "查看当前任务",
    status_usage: "aide flow status [选项]",
    status_after: "在终端中还显示全部环节、最近的步骤与用时。",
    watch: "有变化时重新显示，直到被中断；与 --json 合用时每次变化输出一行",
    list: "列出当前与已归档的任务",
    list_usage: "aide flow list [选项]",
    show: "查看任务的完整记录",
    show_usage: "aide flow show [选项] [TASK]",
    task: "任务 ID（如 2025-01-15T10-30-00）或 aide flow list 中的编号；默认为当前任务",
    see_json: "输出一行 JSON",
    open: "在浏览器中打开任务的网页",
    open_usage: "aide flow open [选项] [TASK]",
    open_after: "\
网页显示当前任务的环节、步骤、提交与决策，并列出以前的任务。已有服务在运行时由它显示，
否则由此命令提供服务，直到按 Ctrl-C。选择浏览器的方式见 aide decide open。",
    log: "输出任务报告",
    log_usage: "aide flow log [选项] [TASK]",
    log_format: "md（默认）",
};

pub(super) static EN: Help = Help {
    flow: "Record the phases and steps of a task, and commit them",
    flow_usage: "aide flow [OPTIONS] <COMMAND>",
    flow_after: "\
Examples:
  aide flow start task-optimize \"Start: user login\"
  aide flow next-step \"Requirements are clear\"
  aide flow next-part flow-design \"Task is clear, starting the design\"
  aide flow status

An action succeeds as a whole or changes nothing: checks, hooks, state, git add,
git commit. The commit message is [aide] <phase>: <summary>. The phases are set by
flow.phases; the default is task-optimize, flow-design, impl, verify, docs, finish.

Every changed file and every new file that git does not ignore is committed, not
only those of the task. The number of files and the hash of every commit are printed
on standard error. On a terminal, you are asked first about changes from before the
task, and about new files that look like secrets. Without a terminal, the changes
are committed and listed; new files that look like secrets are listed, not committed.
To change that:
  aide config set flow.commit all                 everything, unasked, as with --yes
  aide config set flow.commit tracked             changes to files git knows, unasked
  aide config set flow.commit ask                 no start without terminal or --yes
  aide config set flow.git.add_strategy staged    only what you have git added
  aide config set flow.git.enabled false          no commits at all",
    start: "Start a task",
    start_usage: "aide flow start [OPTIONS] <PHASE> <SUMMARY>",
    start_after: "The previous task is moved to .aide/logs/, where aide flow list and show find it.",
    next_step: "Record a step forward",
    next_step_usage: "aide flow next-step [OPTIONS] <SUMMARY>",
    back_step: "Record a step back",
    back_step_usage: "aide flow back-step [OPTIONS] <SUMMARY>
       aide flow back-step --restore[=<STEP>]",
    back_step_after: "\
Step numbers never decrease. The commit and the step that you are back at are printed to
standard error. The files of the project stay as they are; --restore checks out the files of
that step in a separate git worktree below .aide/steps/ and prints its path and how to
remove it. Without an earlier step back, that is the step before the current one. Repeating
this is harmless. Without SUMMARY, nothing is recorded.",
    restore: "show the files as they were at STEP; by default, the step you are back at, or before a step back the previous one",
    next_part: "Go to the next phase",
    next_part_usage: "aide flow next-part [OPTIONS] <PHASE> <SUMMARY>",
    next_part_after: "\
No phase can be skipped. On leaving flow-design, changed PlantUML diagrams are
checked and drawn as PNG; before leaving docs, CHANGELOG.md must be updated. To
configure this: flow.plantuml.*, flow.changelog.* and [[flow.require]].",
    back_part: "Go back to an earlier phase",
    back_part_usage: "aide flow back-part [OPTIONS] <PHASE> <SUMMARY>",
    back_part_after: "\
With flow.back_confirm = true, this only records a request; aide flow back-confirm
then goes back.",
    back_confirm: "Confirm or cancel going back",
    back_confirm_usage: "aide flow back-confirm [OPTIONS] (--key <KEY> | --cancel)",
    back_confirm_after: "Only used with flow.back_confirm = true.",
    key: "the key printed by back-part",
    cancel: "cancel the request",
    issue: "Record an issue that does not stop the work",
    issue_usage: "aide flow issue [OPTIONS] <SUMMARY>",
    error: "Record an error that needs the user's attention",
    error_usage: "aide flow error [OPTIONS] <SUMMARY>",
    step_after: "\
Step numbers never decrease. The commit is printed to standard error; standard output has
only the error that aide flow error records.",
    phase: "a phase, one of flow.phases",
    summary: "what was done, or why; at most 500 characters",
    yes: "commit every file without asking, including new ones that look like secrets",
    json: "print one line of JSON: task_id, action, phase, step, summary, timestamp, git_commit, committed",
    status: "Show the current task",
    status_usage: "aide flow status [OPTIONS]",
    status_after: "In a terminal, it also shows all phases, the latest steps and the time spent.",
    watch: "show it again after each change, until interrupted; with --json, one line per change",
    list: "List the current task and the archived ones",
    list_usage: "aide flow list [OPTIONS]",
    show: "Show the full record of a task",
    show_usage: "aide flow show [OPTIONS] [TASK]",
    task: "a task, such as 2025-01-15T10-30-00, or its number in aide flow list; by default the current one",
    see_json: "print one line of JSON",
    open: "Open the page of a task in a browser",
    open_usage: "aide flow open [OPTIONS] [TASK]",
    open_after: "\
The page shows the phases, steps, commits and decisions of the current task, and lists
earlier tasks. If a server is running, it serves the page; otherwise this command does,
until Ctrl-C. For the choice of browser, see aide decide open --help.",
    log: "Print a report on a task",
    log_usage: "aide flow log [OPTIONS] [TASK]",
    log_format: "md (the default)",
};
