//! What is said about agents that work through files.

use protocol::agent::Code;
use std::path::PathBuf;
use texts::{Lang, en_count};

/// One line for people: what happened, or what to do about it.
#[derive(Debug)]
pub(crate) enum AgentMessage {
    /// What a command waits for.
    WaitsFor {
        names: Vec<String>,
    },
    /// A person was asked for it.
    PersonAsked {
        request: String,
        names: Vec<String>,
    },
    /// The command has ended before.
    FromRecord,
    /// Inputs are missing and are not awaited.
    Missing {
        names: Vec<String>,
    },
    PutInputs {
        folder: PathBuf,
    },
    /// A command was interrupted.
    Parked,
    RunAgain,
    NoProvider,
    AddProvider,
    /// A name that is none of a provider.
    UnknownProvider {
        name: String,
    },
    KnownProviders {
        names: Vec<String>,
    },
    /// There are several, and none is named.
    WhichProvider {
        names: Vec<String>,
    },
    NameProvider,
    CannotWatch {
        words: String,
    },
    /// An agent looks for messages from now on.
    Running {
        agent: String,
        seconds: u64,
    },
    /// The agent has been told to end.
    Stopped,
    /// A command was taken. `task` is plan and task, here and below.
    TaskTaken {
        task: String,
        command: String,
    },
    TaskWaits {
        task: String,
        names: Vec<String>,
    },
    TaskAsked {
        task: String,
        names: Vec<String>,
        request: String,
    },
    TaskSucceeded {
        task: String,
        score: Option<String>,
    },
    TaskFailed {
        task: String,
        code: Option<Code>,
        detail: String,
    },
    /// A later command of its task has overtaken it.
    TaskSuperseded {
        task: String,
        command: String,
        detail: String,
    },
    TaskParked {
        task: String,
    },
    /// A provider that was asked has not answered yet.
    ModelWorks {
        agent: String,
        provider: String,
        task: String,
        seconds: u64,
        tokens: Option<u64>,
        characters: u64,
        /// The attempt that has failed, why, and in how many seconds the next one begins.
        failed: Option<(u32, String, u64)>,
    },
    /// A question to a provider was ended by a signal.
    AwaitedProvider {
        provider: String,
    },
    AwaitedByAgent {
        agent: String,
        provider: String,
    },
    /// A signal came while the person had not answered.
    AwaitedPerson {
        request: String,
        names: Vec<String>,
    },
    AwaitedInputs {
        names: Vec<String>,
    },
    /// Files of an artifact have become inputs.
    Filed {
        plan: String,
        names: Vec<String>,
    },
    Duplicate {
        plan: String,
        message: String,
    },
    /// A message was put aside.
    PutAside {
        plan: String,
        name: String,
        code: Code,
        detail: String,
    },
    /// Something stays where it is for now.
    Skipped {
        name: String,
        detail: String,
    },
    /// No messages are taken for now.
    Stalled,
    /// They are again.
    WentOn,
}

/// A provider that many have, as the configuration names it.
pub(crate) const EXAMPLE_PROVIDER: &str =
    r#"agent.providers = [{ name = "claude", kind = "command", preset = "claude" }]"#;

impl AgentMessage {
    /// In words.
    pub(super) fn render(&self, lang: Lang) -> String {
        match lang {
            Lang::Zh => zh(self),
            Lang::En => en(self),
        }
    }
}

fn zh(message: &AgentMessage) -> String {
    match message {
        AgentMessage::WaitsFor { names } => format!("等待输入: {}", names.join(", ")),
        AgentMessage::PersonAsked { request, names } => {
            format!("已请求用户提供输入: {}（{request}）", names.join(", "))
        }
        AgentMessage::FromRecord => "此命令此前已经结束，结果取自记录".to_owned(),
        AgentMessage::Missing { names } => format!("缺少输入: {}", names.join(", ")),
        AgentMessage::PutInputs { folder } => {
            format!("将文件放入 {} 后重新执行，或去掉 --no-wait", folder.display())
        }
        AgentMessage::Parked => "已中断，命令没有结束".to_owned(),
        AgentMessage::RunAgain => "重新执行同一命令即可继续，已有的回答不会重复请求".to_owned(),
        AgentMessage::NoProvider => "没有可用的提供者（回答提示词的程序或服务）".to_owned(),
        AgentMessage::AddProvider => {
            format!(
                "在 ~/.config/aide/config.toml 的开头加上: {EXAMPLE_PROVIDER}；写在项目中的须先执行 aide trust"
            )
        }
        AgentMessage::UnknownProvider { name } => format!("没有此提供者: {name}"),
        AgentMessage::KnownProviders { names } => format!("可用的提供者: {}", names.join(", ")),
        AgentMessage::WhichProvider { names } => format!("有多个提供者: {}", names.join(", ")),
        AgentMessage::NameProvider => {
            "用 --provider 指定一个，或写在 agent_profile.json 的 provider 或配置的 agent.provider 中"
                .to_owned()
        }
        AgentMessage::CannotWatch { words } => format!("无法监视收件箱，改为定时查看: {words}"),
        AgentMessage::Running { agent, seconds } => {
            format!("{agent} 运行中，随时接收消息，并每 {seconds} 秒查看一次；按 Ctrl-C 结束")
        }
        AgentMessage::Stopped => "已停止，未结束的命令在下次运行时继续".to_owned(),
        AgentMessage::TaskTaken { task, command } => format!("{task}: 开始处理 {command}"),
        AgentMessage::TaskWaits { task, names } => format!("{task}: 等待输入: {}", names.join(", ")),
        AgentMessage::TaskAsked { task, names, request } => {
            format!("{task}: 已请求用户提供输入: {}（{request}）", names.join(", "))
        }
        AgentMessage::TaskSucceeded { task, score: None } => format!("{task}: 成功"),
        AgentMessage::TaskSucceeded { task, score: Some(score) } => format!("{task}: 成功，评分 {score}"),
        AgentMessage::TaskFailed { task, code, detail } => format!("{task}: 失败，{}", coded(*code, detail)),
        AgentMessage::TaskSuperseded { task, command, detail } => {
            format!("{task}: 不执行 {command}，已有更新的命令: {detail}")
        }
        AgentMessage::AwaitedProvider { provider } => format!("当时正在等待: 提供方 {provider} 的回答"),
        AgentMessage::AwaitedByAgent { agent, provider } => {
            format!("当时正在等待: 提供方 {provider} 的回答（{agent}）")
        }
        AgentMessage::AwaitedPerson { request, names } => {
            format!("当时正在等待: 用户提供 {}（{request}）", names.join(", "))
        }
        AgentMessage::AwaitedInputs { names } => format!("当时正在等待: 输入 {}", names.join(", ")),
        AgentMessage::TaskParked { task } => format!("{task}: 已中断，下次运行时继续"),
        AgentMessage::ModelWorks { agent, provider, task, seconds, tokens, characters, failed } => {
            let written = match (tokens, characters) {
                (Some(tokens), _) => format!("，已输出 {tokens} 个 token"),
                (None, 0) => String::new(),
                (None, characters) => format!("，已收到 {characters} 个字符"),
            };
            let failed = failed
                .as_ref()
                .map(|(attempt, error, wait)| format!("，第 {attempt} 次尝试失败，{wait} 秒后重试: {error}"));
            format!(
                "{task}: {agent} 正在等待 {provider} 的回答，{seconds} 秒{written}{}",
                failed.unwrap_or_default()
            )
        }
        AgentMessage::Filed { plan, names } => format!("{plan}: 收到文件: {}", names.join(", ")),
        AgentMessage::Duplicate { plan, message } => format!("{plan}: 消息 {message} 重复，不再处理"),
        AgentMessage::PutAside { plan, name, code, detail } => {
            format!("{plan}: {name} 已搁置到 .deadletter，{}", coded(Some(*code), detail))
        }
        AgentMessage::Skipped { name, detail } => format!("暂时跳过 {name}: {detail}"),
        AgentMessage::Stalled => "暂停接收消息，恢复后自动继续".to_owned(),
        AgentMessage::WentOn => "已恢复，继续接收消息".to_owned(),
    }
}

fn en(message: &AgentMessage) -> String {
    match message {
        AgentMessage::WaitsFor { names } => format!("Waiting for inputs: {}", names.join(", ")),
        AgentMessage::PersonAsked { request, names } => {
            format!("The user has been asked for inputs: {} ({request})", names.join(", "))
        }
        AgentMessage::FromRecord => "This command has already ended; the result is the recorded one".to_owned(),
        AgentMessage::Missing { names } => format!("inputs are missing: {}", names.join(", ")),
        AgentMessage::PutInputs { folder } => {
            format!("put the files into {} and run it again, or leave out --no-wait", folder.display())
        }
        AgentMessage::Parked => "interrupted; the command is not finished".to_owned(),
        AgentMessage::RunAgain => {
            "run the same command again to continue; no answered request is repeated".to_owned()
        }
        AgentMessage::NoProvider => "there is no provider (a program or endpoint that answers prompts)".to_owned(),
        AgentMessage::AddProvider => {
            format!(
                "add to the top of ~/.config/aide/config.toml: {EXAMPLE_PROVIDER}; a project's requires aide trust"
            )
        }
        AgentMessage::UnknownProvider { name } => format!("no such provider: {name}"),
        AgentMessage::KnownProviders { names } => format!("providers: {}", names.join(", ")),
        AgentMessage::WhichProvider { names } => format!("there are several providers: {}", names.join(", ")),
        AgentMessage::NameProvider => {
            "name one with --provider, as provider in agent_profile.json, or as agent.provider in the configuration"
                .to_owned()
        }
        AgentMessage::CannotWatch { words } => {
            format!("cannot watch the inbox, polling it instead: {words}")
        }
        AgentMessage::Running { agent, seconds } => format!(
            "{agent} is running: it handles messages as they arrive and checks every {seconds} s; Ctrl-C ends it"
        ),
        AgentMessage::Stopped => "Stopped; unfinished commands continue next time".to_owned(),
        AgentMessage::TaskTaken { task, command } => format!("{task}: working on {command}"),
        AgentMessage::TaskWaits { task, names } => format!("{task}: waiting for inputs: {}", names.join(", ")),
        AgentMessage::TaskAsked { task, names, request } => {
            format!("{task}: the user has been asked for inputs: {} ({request})", names.join(", "))
        }
        AgentMessage::TaskSucceeded { task, score: None } => format!("{task}: succeeded"),
        AgentMessage::TaskSucceeded { task, score: Some(score) } => format!("{task}: succeeded, score {score}"),
        AgentMessage::TaskFailed { task, code, detail } => format!("{task}: failed, {}", coded(*code, detail)),
        AgentMessage::TaskSuperseded { task, command, detail } => {
            format!("{task}: {command} is not executed because there is a later command: {detail}")
        }
        AgentMessage::AwaitedProvider { provider } => {
            format!("it was waiting for: the answer of provider {provider}")
        }
        AgentMessage::AwaitedByAgent { agent, provider } => {
            format!("it was waiting for: the answer of provider {provider} to {agent}")
        }
        AgentMessage::AwaitedPerson { request, names } => {
            format!("it was waiting for: {} from the user ({request})", names.join(", "))
        }
        AgentMessage::AwaitedInputs { names } => {
            format!("it was waiting for: the inputs {}", names.join(", "))
        }
        AgentMessage::TaskParked { task } => format!("{task}: interrupted, continues next time"),
        AgentMessage::ModelWorks { agent, provider, task, seconds, tokens, characters, failed } => {
            let written = match (tokens, characters) {
                (Some(tokens), _) => format!(", {} so far", en_count(tokens, "token")),
                (None, 0) => String::new(),
                (None, characters) => format!(", {} so far", en_count(characters, "character")),
            };
            let failed = failed.as_ref().map(|(attempt, error, wait)| {
                format!(", attempt {attempt} has failed, the next one begins in {wait} s: {error}")
            });
            format!(
                "{task}: {agent} is waiting for {provider}, {seconds} s{written}{}",
                failed.unwrap_or_default()
            )
        }
        AgentMessage::Filed { plan, names } => format!("{plan}: received files: {}", names.join(", ")),
        AgentMessage::Duplicate { plan, message } => {
            format!("{plan}: message {message} is a duplicate and was not handled again")
        }
        AgentMessage::PutAside { plan, name, code, detail } => {
            format!("{plan}: {name} was moved to .deadletter, {}", coded(Some(*code), detail))
        }
        AgentMessage::Skipped { name, detail } => format!("skipped for now: {name}: {detail}"),
        AgentMessage::Stalled => "No messages are taken for now; this resumes automatically".to_owned(),
        AgentMessage::WentOn => "Taking messages again".to_owned(),
    }
}

fn coded(code: Option<Code>, detail: &str) -> String {
    code.map_or_else(|| detail.to_owned(), |code| format!("{code}: {detail}"))
}

#[cfg(test)]
mod tests {
    use super::AgentMessage;
    use protocol::agent::Code;

    fn names(names: [&str; 2]) -> Vec<String> {
        names.map(str::to_owned).into()
    }

    samples! {
        AgentMessage;
        WaitsFor { names: names(["a.json", "b_*.json"]) },
        PersonAsked { request: "human_req_20260112T090000Z_1a2b3c4d".to_owned(), names: names(["a.json", "b_*.json"]) },
        FromRecord,
        Missing { names: names(["a.json", "b_*.json"]) },
        PutInputs { folder: "/p/.aide/agents/a/workspace/p/inputs".into() },
        Parked,
        RunAgain,
        NoProvider,
        AddProvider,
        UnknownProvider { name: "x".to_owned() },
        KnownProviders { names: names(["a.json", "b_*.json"]) },
        WhichProvider { names: names(["a.json", "b_*.json"]) },
        NameProvider,
        CannotWatch { words: "its words".to_owned() },
        Running { agent: "agent_a".to_owned(), seconds: 10 },
        Stopped,
        TaskTaken { task: "plan_a/task_a".to_owned(), command: "cmd_task_a_001".to_owned() },
        TaskWaits { task: "plan_a/task_a".to_owned(), names: names(["a.json", "b_*.json"]) },
        TaskAsked { task: "plan_a/task_a".to_owned(), names: names(["a.json", "b_*.json"]), request: "human_req_20260112T090000Z_1a2b3c4d".to_owned() },
        TaskSucceeded { task: "plan_a/task_a".to_owned(), score: Some("85".to_owned()) },
        TaskFailed { task: "plan_a/task_a".to_owned(), code: Some(Code::LlmFailed), detail: "its words".to_owned() },
        TaskSuperseded { task: "plan_a/task_a".to_owned(), command: "cmd_task_a_001".to_owned(), detail: "its words".to_owned() },
        TaskParked { task: "plan_a/task_a".to_owned() },
        ModelWorks { agent: "a".to_owned(), provider: "p".to_owned(), task: "plan_a/task_a".to_owned(), seconds: 12, tokens: Some(340),
            characters: 0, failed: Some((2, "its words".to_owned(), 4)) },
        AwaitedProvider { provider: "x".to_owned() },
        AwaitedByAgent { agent: "agent_a".to_owned(), provider: "x".to_owned() },
        AwaitedPerson { request: "human_req_20260112T090000Z_1a2b3c4d".to_owned(), names: names(["a.json", "b_*.json"]) },
        AwaitedInputs { names: names(["a.json", "b_*.json"]) },
        Filed { plan: "plan_a".to_owned(), names: names(["a.json", "b_*.json"]) },
        Duplicate { plan: "plan_a".to_owned(), message: "msg_1".to_owned() },
        PutAside { plan: "plan_a".to_owned(), name: "x.msg.json".to_owned(), code: Code::SchemaInvalid, detail: "its words".to_owned() },
        Skipped { name: "x.msg.json".to_owned(), detail: "its words".to_owned() },
        Stalled,
        WentOn,
    }
}
