//! The words of `aide workflow --help`, of `aide orchestrate --help`, and of the commands below them.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) workflow: &'static str,
    pub(super) workflow_after: &'static str,
    pub(super) workflow_id: &'static str,
    pub(super) orchestrate: &'static str,
    pub(super) orchestrate_after: &'static str,
    pub(super) task: &'static str,
    pub(super) task_file: &'static str,
    pub(super) session: &'static str,
    pub(super) watch: &'static str,
    pub(super) stream: &'static str,
    pub(super) blocking: &'static str,
    pub(super) yes: &'static str,
    pub(super) reconnect: &'static str,
    pub(super) list: &'static str,
    pub(super) list_after: &'static str,
    pub(super) list_state: &'static str,
    pub(super) list_project: &'static str,
    pub(super) list_search: &'static str,
    pub(super) list_limit: &'static str,
    pub(super) list_cursor: &'static str,
    pub(super) list_more: &'static str,
    pub(super) no_workflows: &'static str,
    pub(super) none_found: &'static str,
    pub(super) no_decision: &'static str,
    pub(super) no_open_decision: &'static str,
    pub(super) remove: &'static str,
    pub(super) remove_after: &'static str,
    pub(super) prune: &'static str,
    pub(super) prune_after: &'static str,
    pub(super) prune_older: &'static str,
    pub(super) prune_dry: &'static str,
    pub(super) status: &'static str,
    pub(super) status_after: &'static str,
    pub(super) status_name: &'static str,
    pub(super) follow: &'static str,
    pub(super) tasks: &'static str,
    pub(super) output: &'static str,
    pub(super) output_after: &'static str,
    pub(super) pause: &'static str,
    pub(super) pause_after: &'static str,
    pub(super) hard: &'static str,
    pub(super) resume: &'static str,
    pub(super) resume_after: &'static str,
    pub(super) cancel: &'static str,
    pub(super) input: &'static str,
    pub(super) input_after: &'static str,
    pub(super) input_text: &'static str,
    pub(super) decision: &'static str,
    pub(super) decision_after: &'static str,
    pub(super) decision_list: &'static str,
    pub(super) decision_of: &'static str,
    pub(super) decision_all: &'static str,
    pub(super) decision_create: &'static str,
    pub(super) decision_create_after: &'static str,
    pub(super) decision_message: &'static str,
    pub(super) decision_option: &'static str,
    pub(super) decision_workflow: &'static str,
    pub(super) decision_default: &'static str,
    pub(super) decision_expires: &'static str,
    pub(super) decision_single: &'static str,
    pub(super) decision_wait: &'static str,
    pub(super) decision_respond: &'static str,
    pub(super) decision_respond_after: &'static str,
    pub(super) decision_id: &'static str,
    pub(super) decision_answer: &'static str,
    pub(super) sessions: &'static str,
    pub(super) sessions_after: &'static str,
    pub(super) no_sessions: &'static str,
    pub(super) nothing_resumable: &'static str,
    pub(super) resumable: &'static str,
    pub(super) progress: &'static str,
    pub(super) resume_session: &'static str,
    pub(super) resume_session_after: &'static str,
    pub(super) session_id: &'static str,
    pub(super) checkpoint_id: &'static str,
    pub(super) resuming: &'static str,
    pub(super) resumed_phase: &'static str,
    pub(super) going_on: &'static str,
    pub(super) checkpoint: &'static str,
    pub(super) agents: &'static str,
    pub(super) resources: &'static str,
    pub(super) events: &'static str,
    pub(super) events_after: &'static str,
    pub(super) events_of: &'static str,
    pub(super) events_follow: &'static str,
    pub(super) events_types: &'static str,
    pub(super) events_groups: &'static str,
    pub(super) events_limit: &'static str,
    pub(super) events_since: &'static str,
    pub(super) understand: &'static str,
    pub(super) understand_input: &'static str,
    pub(super) route: &'static str,
    pub(super) route_intent: &'static str,
    pub(super) plan: &'static str,
    pub(super) execute: &'static str,
    pub(super) execute_after: &'static str,
    pub(super) execute_task: &'static str,
    pub(super) execute_agent: &'static str,
    pub(super) image: &'static str,
    pub(super) execute_no_queue: &'static str,
    pub(super) execute_blocking: &'static str,
    pub(super) review: &'static str,
    pub(super) review_proposal: &'static str,
    pub(super) stage_file: &'static str,
    pub(super) stage_after: &'static str,
    pub(super) repl: &'static str,
    pub(super) repl_after: &'static str,
    pub(super) repl_help: &'static [&'static str],
}

pub(super) static ZH: Help = Help {
    workflow: "工作流: 查看与驱动守护进程中的工作流、决策、会话与事件",
    workflow_after: "\
程序 finger 有同样的子命令，写作 finger list、finger status 等。

退出码:
  0  成功
  1  失败，或请求与当前状态冲突
  2  参数错误
  3  没有守护进程应答
  4  没有此工作流、会话、决策等
  5  工作流失败
  6  被 Ctrl-C 中断，或工作流被取消
  7  --timeout 的时间用尽，或决策已过期",
    workflow_id: "工作流的标识，如 wf-…",
    orchestrate: "开始一个工作流",
    orchestrate_after: "\
输出 Workflow started: 与工作流的标识，立即返回。守护进程记录它，并通知所有订阅者；由程序通过 HTTP
推进它，见 docs/API.md。

--watch 逐行显示所发生的事，直到工作流结束。需要您决策时，在终端中提问: 输入选项的文字、编号，或多个
编号，如 1,3 与 1-3；直接回车取默认值。有人先在别处回答时，提问随即撤回。标准输入不是终端时，每个决策
读取一行。问题中写不下的内容在标准错误中，位于问题之上。守护进程重启后自动重新连接，不遗漏，不重复。
工作流中断而无人继续时，标准错误会说明原因与恢复它的命令。

能否使用工具的提问之上有完整的调用: Y 仅允许这次调用，always 在工作流结束之前始终允许该工具，n 拒绝。

没有 provider 时，标准错误会说明缺少什么: 要加入配置的几行，或设置 daemon.provider 的命令；10 秒之内没有程序推进它时，--watch 等以退出码 4 结束。

退出码（--watch、--stream、--blocking）:
  0  工作流完成
  3  没有守护进程应答，或断开之后没有恢复
  4  没有此会话，没有配置 provider，或没有谁能完成任务
  5  工作流失败
  6  被 Ctrl-C 中断，提问时输入结束（决策仍在等待），或工作流被取消
  7  --timeout 的时间用尽，或因决策过期而失败",
    task: "要做的事；未给出时，取自 --file 或标准输入",
    task_file: "要做的事在此文件中；- 为标准输入",
    session: "在此会话中进行（默认为新的会话，属于当前项目）",
    watch: "显示所发生的事，并在终端中决策，直到工作流结束",
    stream: "同样持续到结束，以 SSE 的形式输出每个事件，最后为 event: done",
    blocking: "静默等待到结束，然后输出结果；决策由他人回答",
    yes: "声明了默认值的决策取默认值，不再提问；能否使用工具仍会询问",
    reconnect: "守护进程断开后，最多等待多少秒（默认 30；0 为不等待）",
    list: "列出工作流，最近变化的在前",
    list_after: "\
每行一个: 标识、状态、多久以前开始、项目、要做的事；其下是它的会话，以及它在等待什么。--state 可以是 active（尚未
结束）、waiting（有决策等待回答）、interrupted、cancelled，或一个阶段，如 paused、completed、failed。",
    list_state: "只列出处于此状态的，如 active、waiting、failed",
    list_project: "只列出此项目的: 其目录，或目录的名称",
    list_search: "只列出要做的事或标识中有此文字的",
    list_limit: "最多列出这么多个，1 至 1000",
    list_cursor: "从上一部分结束处继续，其值由上一部分给出",
    list_more: "还有更多:",
    no_workflows: "还没有工作流",
    none_found: "没有符合的工作流",
    no_decision: "没有决策",
    no_open_decision: "没有等待回答的决策",
    remove: "删除已经结束的工作流",
    remove_after: "\
同时删除其任务、步骤、决策与检查点；会话没有其他内容时也删除。它留在项目中的文件与项目历史中的决策不受
影响。尚未结束的、有决策等待回答的，不会删除: 退出码为 1。",
    prune: "删除早已结束的工作流",
    prune_after: "\
删除已经结束、且在此时间内没有变化的所有工作流，每个输出一行。尚未结束的、有决策等待回答的会保留。",
    prune_older: "多久没有变化: 30m、12h、30d、2w",
    prune_dry: "只列出会删除的",
    status: "查看一个工作流或一条消息",
    status_after: "\
退出码（--follow）:
  0  工作流完成
  5  工作流失败
  6  工作流被取消",
    status_name: "工作流的标识，或消息的标识（messageId 或 callbackId）",
    follow: "变化时再次输出，直到工作流结束",
    tasks: "列出工作流的任务",
    output: "输出工作流的结果",
    output_after: "\
结果在文件中时，输出该文件的路径: 在当前目录之下时以 ./ 开头，否则为完整路径。",
    pause: "暂停工作流",
    pause_after: "\
进行中的任务继续到结束，不开始新的任务。",
    hard: "同时中断进行中的任务",
    resume: "让暂停或中断的工作流继续",
    resume_after: "\
中断的工作流从最近的检查点继续: 已完成的任务保持完成，中断的任务可以重新开始。",
    cancel: "结束工作流",
    input: "对工作流说一句话",
    input_after: "\
工作流在等待用户时，这就是答案。对暂停的工作流说话会结束暂停，工作流据此重新开始；否则留给
下一步使用。",
    input_text: "要说的话",
    decision: "向用户提出的决策",
    decision_after: "\
第一个有效的答案成立，之后的得到退出码 1。",
    decision_list: "列出等待回答的决策",
    decision_of: "只列出此工作流的",
    decision_all: "也列出已经结束的",
    decision_create: "请用户决策",
    decision_create_after: "\
退出码（--wait）:
  0  有了答案，标准输出为 Decision: 与答案
  6  决策被取消
  7  决策已过期",
    decision_message: "问题",
    decision_option: "一个选项，可多次给出；没有选项时，答案是任意文本",
    decision_workflow: "等待它的工作流",
    decision_default: "没有答案时的答案",
    decision_expires: "多少秒之后过期（默认不过期）",
    decision_single: "只能选一个选项",
    decision_wait: "等待答案",
    decision_respond: "回答一个决策",
    decision_respond_after: "\
答案可以是选项的文字、编号，或多个编号，如 1,3 与 1-3；Y 与 n 用于是非题。能否使用工具: Y 仅允许这次
调用，always 在工作流结束之前始终允许该工具，n 拒绝这次调用。",
    decision_id: "决策的标识",
    decision_answer: "答案",
    sessions: "列出会话",
    sessions_after: "\
每个会话之下是它的工作流: 标识、状态、要做的事。",
    no_sessions: "还没有会话",
    nothing_resumable: "没有可以继续的会话",
    resumable: "只列出可以继续的",
    progress: "进度: {percent}%",
    resume_session: "让会话从检查点继续",
    resume_session_after: "\
已完成的任务保持完成，中断的任务可以重新开始。会话的工作流正在进行时，退出码为 1。",
    session_id: "会话的标识",
    checkpoint_id: "从此检查点继续（默认为最近一个）",
    resuming: "恢复中...",
    resumed_phase: "当前阶段: {phase}",
    going_on: "继续执行...",
    checkpoint: "以 JSON 输出会话最近的检查点",
    agents: "列出智能体",
    resources: "列出可用的智能体",
    events: "列出已发生的事件，或持续显示",
    events_after: "\
--follow 持续显示，直到守护进程结束。每个事件都有编号；--since 从该编号之后开始，因此不会漏掉。",
    events_of: "只看此工作流的",
    events_follow: "持续显示新的事件",
    events_types: "只看这些类型，以逗号分隔，* 为任意字符，如 task_*",
    events_groups: "只看这些组，以逗号分隔，如 TASK,PHASE",
    events_limit: "最多多少个（默认最近 100 个）",
    events_since: "从此编号之后开始",
    understand: "理解一句话: 想要什么，与正在进行的事是什么关系",
    understand_input: "要理解的话；未给出时，取自 --file 或标准输入",
    route: "决定从哪里继续: 执行、重新计划，或由用户决定",
    route_intent: "理解的结果，一个 JSON 对象；未给出时，取自 --file 或标准输入",
    plan: "把一件事拆成任务，不执行",
    execute: "由一个智能体完成一件事，不作计划",
    execute_after: "\
智能体逐步进行，使用其工具；策略为 ask 的工具先询问用户。立即返回，输出消息与工作流的标识: status 显示
进展与结果，output 输出结果。--blocking 则等待，输出 [CLI] Result: 与一行 JSON 的结果；需要您决策时，
在终端中提问，否则由他人回答。

退出码:
  0  这一阶段完成
  3  没有守护进程应答
  4  没有此会话或智能体，或没有为它配置 provider
  5  这一阶段失败
  6  被 Ctrl-C 中断，或工作流被取消
  7  --timeout 的时间用尽",
    execute_task: "同 TASK",
    execute_agent: "由此智能体完成（默认为空闲而胜任者）",
    image: "随任务附上的图像，项目中的文件（可重复）",
    execute_no_queue: "此智能体正忙时立即失败，而不是排队等候（最多 5 分钟）",
    execute_blocking: "等待到结束，然后输出结果",
    review: "审查一个提议，或已经做完的事",
    review_proposal: "要审查的，任意 JSON；未给出时，取自 --file 或标准输入",
    stage_file: "同一内容在此文件中；- 为标准输入",
    stage_after: "\
只进行一个阶段，等待它结束，输出 [CLI] Result: 与一行 JSON 的结果。它是只有一个阶段的工作流: 有事件、
决策与花费，也出现在 list 中。需要您决策时，在终端中提问；否则由他人回答。

守护进程须有 provider，见 [daemon] provider。--json 输出的内容可以直接交给 route 与 review。

退出码:
  0  这一阶段完成
  3  没有守护进程应答
  4  没有此会话或智能体，或没有为它配置 provider
  5  这一阶段失败
  6  被 Ctrl-C 中断，或工作流被取消
  7  --timeout 的时间用尽",
    repl: "与守护进程对话: 开始工作流，看它进行，随时输入",
    repl_after: "\
第一行开始一个工作流，此后的各行是对它说的话，或决策的答案。以 / 开头的行是命令，/help 列出它们。",
    repl_help: &[
        "/status       当前的工作流如何",
        "/list         列出所有工作流",
        "/pause        暂停当前的工作流",
        "/resume       让它继续",
        "/cancel       结束它",
        "/answer D A   以 A 答复决策 D（有多个决策待定时）",
        "/switch ID    换到另一个工作流",
        "/new          下一行开始新的工作流",
        "/json         事件输出为 JSON",
        "/text         事件输出为文字",
        "/clear        清屏",
        "/exit, /quit  离开；工作流继续进行",
    ],
};

pub(super) static EN: Help = Help {
    workflow: "Workflows: start, follow and control the workflows of a daemon",
    workflow_after: "\
The program finger has the same commands: finger list, finger status, and so on.

Exit codes:
  0  success
  1  failure, or not possible in the current state
  2  wrong arguments
  3  no daemon answers
  4  no such workflow, session or decision
  5  the workflow has failed
  6  interrupted by Ctrl-C, or the workflow was cancelled
  7  --timeout has elapsed, or a decision has expired",
    workflow_id: "A workflow, such as wf-…",
    orchestrate: "Begin a workflow",
    orchestrate_after: "\
Prints Workflow started: and the workflow, and returns at once. The daemon keeps it and
reports its events; programs drive it over HTTP, see docs/API.md.

With --watch, prints one line per event until the workflow ends. When a decision is needed, you
are asked in the terminal: type the text of an option, its number, or several, such as 1,3 or
1-3; Enter alone takes the default. The question is withdrawn when it is answered elsewhere. If
standard input is not a terminal, each decision reads one line of it. Text that does not fit in
the question is printed above it, on standard error. After a restart of the daemon the command
reconnects, and each event is shown exactly once. If the workflow stops making progress,
standard error gives the reason and the command that resumes it.

When a tool needs permission, the full call is shown above the question: Y allows this call,
always allows the tool until the workflow ends, n denies this call.

Without a provider, standard error shows what is missing: lines to add to your configuration, or
the command that sets daemon.provider; with --watch and the like, the command exits with 4 unless a client drives the workflow within 10 s.

Exit codes with --watch, --stream, --blocking:
  0  the workflow has been completed
  3  no daemon answers, or the connection was lost and not restored
  4  there is no such session, no provider is configured, or no agent can do a task
  5  the workflow has failed
  6  interrupted by Ctrl-C, end of input at a question (the decision stays open), or the
     workflow was cancelled
  7  --timeout has elapsed, or it failed because a decision expired",
    task: "The task; if absent, it is read from --file or standard input",
    task_file: "Read the task from this file; - for standard input",
    session: "Start it in this session (default: a new session of this project)",
    watch: "Print events and ask for decisions until the workflow ends",
    stream: "Like --watch, as server-sent events, with event: done at the end",
    blocking: "Wait silently for the end, then print the result; decisions are answered elsewhere",
    yes: "Accept the default of decisions that declare one; permission for tools is still asked",
    reconnect: "Seconds to wait for reconnection to a lost daemon (default 30; 0: do not wait)",
    list: "List workflows, latest change first",
    list_after: "\
One line per workflow: name, state, time since its start, project and task; below that, its
session and what it is waiting for. --state is active (not ended), waiting (a decision is
pending), interrupted, cancelled, or a phase, such as paused, completed or failed.",
    list_state: "List only workflows in this state, such as active, waiting or failed",
    list_project: "List only workflows of this project: its folder, or that folder's name",
    list_search: "List only workflows that have this text in their task or name",
    list_limit: "List at most this many, from 1 to 1000",
    list_cursor: "Continue where the part before has ended, which names this cursor",
    list_more: "There are more:",
    no_workflows: "No workflows yet",
    none_found: "No workflow matches",
    no_decision: "No decisions",
    no_open_decision: "No pending decisions",
    remove: "Remove workflows that have ended",
    remove_after: "\
Also removes their tasks, steps, decisions and checkpoints, and a session that becomes empty.
Files in the project and decisions in its history stay. A workflow that has not ended, or has an
open decision, is not removed: the exit code is 1.",
    prune: "Remove workflows that ended long ago",
    prune_after: "\
Removes every workflow that has ended and has not changed for that long, and prints a line for
each. Workflows that have not ended or have an open decision stay.",
    prune_older: "Minimum time since the last change: 30m, 12h, 30d, 2w",
    prune_dry: "Only list what would be removed",
    status: "Show the status of a workflow or a message",
    status_after: "\
Exit codes with --follow:
  0  the workflow has been completed
  5  it has failed
  6  it was cancelled",
    status_name: "A workflow, or a message (messageId or callbackId)",
    follow: "Print it again after each change until the workflow ends",
    tasks: "List the tasks of a workflow",
    output: "Print the result of a workflow",
    output_after: "\
If the result is in a file, its path is printed: relative if it is below the current
folder (./report.md), otherwise absolute.",
    pause: "Pause a workflow",
    pause_after: "\
The current step is finished, and no new step begins. With --hard, the current step is stopped
and restarts on resume.",
    hard: "Stop the current step; it restarts on resume",
    resume: "Resume a paused or interrupted workflow",
    resume_after: "\
An interrupted workflow continues from its last checkpoint: completed tasks stay completed, and
tasks in progress may restart.",
    cancel: "End a workflow",
    input: "Send input to a workflow",
    input_after: "\
If the workflow is waiting for the user, the input is the answer. Otherwise a paused workflow
resumes and starts over with it, and a running workflow keeps it for its next step.",
    input_text: "The input",
    decision: "Decisions: questions to the user",
    decision_after: "\
The first valid answer counts; a later one fails with exit code 1.",
    decision_list: "List pending decisions",
    decision_of: "Only those of this workflow",
    decision_all: "Include decisions that have ended",
    decision_create: "Ask the user",
    decision_create_after: "\
Exit codes with --wait:
  0  answered; standard output has Decision: and the answer
  6  cancelled
  7  expired",
    decision_message: "The question",
    decision_option: "An option; repeatable. Without options, the answer is free text",
    decision_workflow: "The workflow that waits for the answer",
    decision_default: "Answer used on timeout",
    decision_expires: "Seconds until it expires (default: never)",
    decision_single: "Only one option can be chosen",
    decision_wait: "Wait for the answer",
    decision_respond: "Answer a decision",
    decision_respond_after: "\
An answer is the text of an option, its number, or several, such as 1,3 or 1-3; Y or n for a
yes/no question. For permission to use a tool: Y allows this call, always allows the tool until
the workflow ends, n denies this call.",
    decision_id: "A decision",
    decision_answer: "The answer",
    sessions: "List the sessions",
    sessions_after: "\
Lists the workflows of each session below it: name, state and task.",
    no_sessions: "No sessions yet",
    nothing_resumable: "No session can be resumed",
    resumable: "Only sessions that can be resumed",
    progress: "progress: {percent}%",
    resume_session: "Resume a session from a checkpoint",
    resume_session_after: "\
Completed tasks stay completed, and tasks in progress may restart. If a workflow of the session
is running, the exit code is 1.",
    session_id: "A session",
    checkpoint_id: "The checkpoint to resume from (default: the last one)",
    resuming: "resuming...",
    resumed_phase: "current phase: {phase}",
    going_on: "going on...",
    checkpoint: "Print the last checkpoint of a session as JSON",
    agents: "List the agents",
    resources: "List the idle agents",
    events: "List past events, or follow new ones",
    events_after: "\
With --follow, it prints events until the daemon stops. Events are numbered; --since begins
after that number, so that no event is missed.",
    events_of: "Only those of this workflow",
    events_follow: "Continue with new events",
    events_types: "Only events of these types, separated by commas; * matches any characters, as in task_*",
    events_groups: "Only events of these groups, separated by commas, such as TASK,PHASE",
    events_limit: "Maximum number (default: the last 100)",
    events_since: "Begin after the event of this number",
    understand: "Analyze a request: its intent, and how it relates to the current task",
    understand_input: "The request; if absent, it is read from --file or standard input",
    route: "Choose the next step: execute, replan, or ask the user",
    route_intent: "The analyzed intent, a JSON object; if absent, it is read from --file or standard input",
    plan: "Plan the tasks of a request without executing them",
    execute: "Let one agent do a task, without a plan",
    execute_after: "\
The agent works step by step with its tools; a tool whose policy is ask needs the user's permission
first. Returns at once with the ids of a message and of a workflow: status shows the state and the
outcome, output prints the result. With --blocking it waits and prints [CLI] Result: and the result as
one line of JSON; on a terminal you are asked for decisions, otherwise they are answered elsewhere.

Exit codes:
  0  the phase is done
  3  no daemon answers
  4  there is no such session or agent, or no provider is configured for it
  5  the phase has failed
  6  interrupted by Ctrl-C, or the workflow was cancelled
  7  --timeout has elapsed",
    execute_task: "Same as TASK",
    execute_agent: "The agent to use (default: a free agent that qualifies)",
    image: "An image to attach, a file of the project (repeatable)",
    execute_no_queue: "Fail at once if the agent is busy instead of waiting up to 5 minutes",
    execute_blocking: "Wait until it ends, then print the result",
    review: "Review a proposal or a result",
    review_proposal: "What to review, any JSON; if absent, it is read from --file or standard input",
    stage_file: "Read it from this file; - for standard input",
    stage_after: "\
Runs one phase only, waits until it ends, and prints [CLI] Result: and the result as one line of JSON.
It is a workflow of one phase: it has events, decisions and a cost, and is listed. On a terminal you
are asked for decisions; otherwise they are answered elsewhere.

The daemon needs a provider, see [daemon] provider. The output of --json can be passed to route and
review as it is.

Exit codes:
  0  the phase is done
  3  no daemon answers
  4  there is no such session or agent, or no provider is configured for it
  5  the phase has failed
  6  interrupted by Ctrl-C, or the workflow was cancelled
  7  --timeout has elapsed",
    repl: "Interactive session with a daemon: start, watch and instruct workflows",
    repl_after: "\
The first line starts a workflow; later lines are input to it or answer its decisions. A line
that begins with / is a command; /help lists them.",
    repl_help: &[
        "/status       Show the status of the current workflow",
        "/list         List all workflows",
        "/pause        Pause the current workflow",
        "/resume       Resume it",
        "/cancel       Cancel it",
        "/answer D A   Answer the decision D with A (if several are pending)",
        "/switch ID    Switch to another workflow",
        "/new          Start another workflow with the next line",
        "/json         Print events as JSON",
        "/text         Print events as text",
        "/clear        Clear the screen",
        "/exit, /quit  Leave; the workflow continues",
    ],
};
