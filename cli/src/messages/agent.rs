//! What is said about agents that work through files.

use std::path::PathBuf;
use texts::Lang;

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
    /// Inputs are not there, and nobody waits for them.
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
}

impl AgentMessage {
    /// In words.
    pub(super) fn tell(&self, lang: Lang) -> String {
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
            "在配置中添加 [[agent.providers]]；写在项目中的须先执行 aide trust".to_owned()
        }
        AgentMessage::UnknownProvider { name } => format!("没有此提供者: {name}"),
        AgentMessage::KnownProviders { names } => format!("可用的提供者: {}", names.join(", ")),
        AgentMessage::WhichProvider { names } => format!("有多个提供者: {}", names.join(", ")),
        AgentMessage::NameProvider => {
            "用 --provider 指定一个，或写在 agent_profile.json 的 provider 或配置的 agent.provider 中"
                .to_owned()
        }
        AgentMessage::CannotWatch { words } => format!("无法监视收件箱，改为定时查看: {words}"),
    }
}

fn en(message: &AgentMessage) -> String {
    match message {
        AgentMessage::WaitsFor { names } => format!("Waiting for inputs: {}", names.join(", ")),
        AgentMessage::PersonAsked { request, names } => {
            format!("The user has been asked for inputs: {} ({request})", names.join(", "))
        }
        AgentMessage::FromRecord => "This command has ended before; the result is the recorded one".to_owned(),
        AgentMessage::Missing { names } => format!("inputs are missing: {}", names.join(", ")),
        AgentMessage::PutInputs { folder } => {
            format!("put the files into {} and run it again, or leave out --no-wait", folder.display())
        }
        AgentMessage::Parked => "interrupted; the command has not ended".to_owned(),
        AgentMessage::RunAgain => {
            "run the same command again to go on; no answer that is there is asked for again".to_owned()
        }
        AgentMessage::NoProvider => "there is no provider (a program or endpoint that answers prompts)".to_owned(),
        AgentMessage::AddProvider => {
            "add [[agent.providers]] to the configuration; a project's requires aide trust".to_owned()
        }
        AgentMessage::UnknownProvider { name } => format!("no such provider: {name}"),
        AgentMessage::KnownProviders { names } => format!("providers: {}", names.join(", ")),
        AgentMessage::WhichProvider { names } => format!("there are several providers: {}", names.join(", ")),
        AgentMessage::NameProvider => {
            "name one with --provider, as provider in agent_profile.json, or as agent.provider in the configuration"
                .to_owned()
        }
        AgentMessage::CannotWatch { words } => {
            format!("cannot watch the inbox, looking from time to time instead: {words}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::AgentMessage;
    use texts::Lang;

    fn names() -> Vec<String> {
        vec!["a.json".to_owned(), "feedback_*.json".to_owned()]
    }

    samples! {
        AgentMessage;
        WaitsFor { names: names() },
        PersonAsked { request: "human_req_20260112T090000Z_1a2b3c4d".to_owned(), names: names() },
        FromRecord,
        Missing { names: names() },
        PutInputs { folder: "/p/.aide/agents/a/workspace/p/inputs".into() },
        Parked,
        RunAgain,
        NoProvider,
        AddProvider,
        UnknownProvider { name: "x".to_owned() },
        KnownProviders { names: names() },
        WhichProvider { names: names() },
        NameProvider,
        CannotWatch { words: "its words".to_owned() },
    }

    fn table(lang: Lang) -> String {
        samples().iter().map(|message| message.tell(lang) + "\n").collect()
    }

    #[test]
    fn messages_about_agents_in_chinese() {
        insta::with_settings!({ snapshot_path => "../../tests/snapshots", prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!("agent_messages_zh", table(Lang::Zh));
        });
    }

    #[test]
    fn messages_about_agents_in_english() {
        insta::with_settings!({ snapshot_path => "../../tests/snapshots", prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!("agent_messages_en", table(Lang::En));
        });
    }
}
