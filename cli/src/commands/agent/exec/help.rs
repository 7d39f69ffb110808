//! The words of `aide agent exec --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
    pub(super) file: &'static str,
    pub(super) agent: &'static str,
    pub(super) provider: &'static str,
    pub(super) no_wait: &'static str,
    pub(super) json: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "执行一条命令",
    usage: "aide agent exec [选项] --agent <DIR> <FILE>",
    after: "\
依次: 查找输入（workspace/<plan>/inputs/ 与任务的文件夹，不含收件箱），由智能体的
提示词、输入与命令的 prompt 组成提示词，询问 LLM，检查回答与评分，把结果写入
outbox/<plan>/。评分低也是结果。输入不齐且 wait_for_inputs 为 true 时一直等待；超过
timeout 时请求用户处理（给出如何答复: aide decide open 或 aide decide answer），并继续等待。

请求在发出之前、回答在解析之前先行保存: 无论何时中断，重新执行同一命令会从中断处继续，
已有的回答不会重复请求。同一 idempotency_key 的命令只执行一次。

退出码:
  0    成功；标准输出为消息，或 --json 的结果文档
  1    失败；标准错误给出代码与建议
  75   输入不齐，且使用了 --no-wait
  130  被 Ctrl-C 中断（SIGTERM 为 143，SIGHUP 为 129）；命令没有结束",
    file: "命令，或 type 为 command 的消息；- 表示标准输入，最大 16 MiB",
    agent: "智能体的文件夹，或 .aide/agents/ 下的名称",
    provider: "使用的提供者（默认依次为 agent_profile.json、agent.provider、唯一的一个）",
    no_wait: "输入不齐时不等待，以退出码 75 结束",
    json: "输出一行 JSON: 结果文档",
};

pub(super) static EN: Help = Help {
    about: "Execute one command",
    usage: "aide agent exec [OPTIONS] --agent <DIR> <FILE>",
    after: "\
Finds the inputs (in workspace/<plan>/inputs/ and the task's folder, never in the inbox),
builds the prompt from the agent's prompt, the inputs and the command's prompt, asks the
LLM, checks the answer and its score, and writes the results to outbox/<plan>/. A low score
is still a result. If inputs are missing and wait_for_inputs is true, it waits; after the
timeout it asks the user (and prints how to answer: aide decide open, or aide decide
answer) and keeps waiting.

Requests are stored before they are sent, and answers before they are read: after an
interruption, running the same command again continues from there and never repeats a
request that has been answered. Commands with the same idempotency_key are executed once.

Exit codes:
  0    success; standard output has the message, or with --json the result document
  1    failure; standard error has the code and a remedy
  75   inputs are missing, and --no-wait was given
  130  interrupted by Ctrl-C (SIGTERM 143, SIGHUP 129); the command is not finished",
    file: "A command, or a message of type command; - for standard input; at most 16 MiB",
    agent: "The agent's folder, or a name in .aide/agents/",
    provider: "The provider (default: that of agent_profile.json, agent.provider, or the only one)",
    no_wait: "Do not wait for missing inputs: end with exit code 75",
    json: "Print one line of JSON: the result document",
};
