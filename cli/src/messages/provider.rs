//! What is said about providers.

use std::path::PathBuf;
use texts::{Lang, en_count};

/// One line for people: what was found, or what to do about it.
#[derive(Debug)]
pub(crate) enum ProviderMessage {
    /// Above those that are configured.
    Configured,
    NoneConfigured,
    /// Above the presets.
    Presets,
    /// A program that answers.
    Program {
        name: String,
        command: String,
        path: Option<PathBuf>,
        model: Option<String>,
        is_default: bool,
        is_trusted: bool,
    },
    /// A server that answers.
    Endpoint {
        name: String,
        url: String,
        model: Option<String>,
        is_default: bool,
        is_trusted: bool,
    },
    /// What a library says, already in the user's language.
    Words {
        words: String,
    },
    /// It comes from a project that is not trusted.
    Untrusted,
    RunTrust,
    /// Agents of the daemon use it, and ask it in another way.
    OfDaemon,
    TryWorkflow,
    /// It does not answer as agents of commands and plans need it.
    NotForAgents {
        name: String,
    },
    /// It is a preset, and stands in no configuration.
    OnlyPreset,
    AddEntry {
        preset: String,
    },
    ProgramAt {
        path: PathBuf,
    },
    Version {
        version: String,
    },
    LoggedIn {
        by: String,
    },
    LoggedOut,
    LogIn,
    FolderTrusted,
    FolderUntrusted,
    RunTrustForProgram,
    NoModel,
    SetModel,
    Url {
        url: String,
    },
    NoKey,
    KeyInVariable {
        name: String,
    },
    KeyOfProgram {
        program: String,
    },
    /// No provider is configured that agents use which name none.
    NoDefault,
    /// Which provider is checked where none is named.
    Default {
        name: String,
    },
    /// The question is being asked.
    Asking {
        seconds: u64,
    },
    Answered {
        seconds: String,
        answer: String,
    },
    /// It has answered, but not in the form that agents need.
    BadAnswer {
        seconds: String,
        why: String,
    },
    TryOtherModel,
    Usage {
        model: Option<String>,
        tokens: Option<(u64, u64)>,
        cost: Option<f64>,
    },
    Models {
        count: usize,
    },
    ModelsUntold,
    ModelNotListed {
        model: String,
    },
    ChooseModel,
    Usable {
        name: String,
    },
    Unusable {
        name: String,
    },
    Interrupted,
}

impl ProviderMessage {
    /// In words.
    pub(super) fn render(&self, lang: Lang) -> String {
        match lang {
            Lang::Zh => zh(self),
            Lang::En => en(self),
        }
    }
}

fn zh(message: &ProviderMessage) -> String {
    let listed = |name: &str, what: &str, model: &Option<String>, is_default: bool, is_trusted: bool| {
        let default = if is_default { "（默认）" } else { "" };
        let model = model.as_ref().map(|model| format!("，模型 {model}")).unwrap_or_default();
        let trust = if is_trusted { "" } else { "，尚未信任，不使用" };
        format!("{name}{default}: {what}{model}{trust}")
    };
    match message {
        ProviderMessage::Configured => "已配置的提供者".to_owned(),
        ProviderMessage::NoneConfigured => {
            "没有配置提供者: 在配置中添加 [[agent.providers]]，写在项目中的须先执行 aide trust".to_owned()
        }
        ProviderMessage::Presets => "内置的预设（preset）".to_owned(),
        ProviderMessage::Program { name, command, path, model, is_default, is_trusted } => {
            let what = match path {
                Some(path) => format!("程序 {}", path.display()),
                None => format!("程序 {command}，没有找到"),
            };
            listed(name, &what, model, *is_default, *is_trusted)
        }
        ProviderMessage::Endpoint { name, url, model, is_default, is_trusted } => {
            listed(name, &format!("服务 {url}"), model, *is_default, *is_trusted)
        }
        ProviderMessage::Words { words } => words.clone(),
        ProviderMessage::Untrusted => "来自此项目的配置，而该配置尚未信任".to_owned(),
        ProviderMessage::RunTrust => "执行 aide trust 查看并信任".to_owned(),
        ProviderMessage::OfDaemon => "守护进程的智能体使用它，工作流以另一种方式提问".to_owned(),
        ProviderMessage::TryWorkflow => {
            "守护进程运行时，用 aide workflow understand \"问候\" 以工作流的方式试用它".to_owned()
        }
        ProviderMessage::NotForAgents { name } => format!("{name} 无法用于 aide agent 与 aide plan"),
        ProviderMessage::OnlyPreset => "只是预设，没有写在配置中，智能体不会使用它".to_owned(),
        ProviderMessage::AddEntry { preset } => {
            format!(
                "在配置中添加 [[agent.providers]]: name = \"{preset}\", kind = \"command\", preset = \"{preset}\""
            )
        }
        ProviderMessage::ProgramAt { path } => format!("程序: {}", path.display()),
        ProviderMessage::Version { version } => format!("版本: {version}"),
        ProviderMessage::LoggedIn { by } => format!("已登录（{by}）"),
        ProviderMessage::LoggedOut => "没有登录".to_owned(),
        ProviderMessage::LogIn => "用该程序自身登录，除非它另有密钥，例如通过提供者的 pass_env".to_owned(),
        ProviderMessage::FolderTrusted => "该程序信任此目录".to_owned(),
        ProviderMessage::FolderUntrusted => "该程序不信任此目录，在此不会工作".to_owned(),
        ProviderMessage::RunTrustForProgram => "执行 aide trust，或让该程序自身信任此目录".to_owned(),
        ProviderMessage::NoModel => "没有指定模型".to_owned(),
        ProviderMessage::SetModel => "在配置中写明 model".to_owned(),
        ProviderMessage::Url { url } => format!("地址: {url}"),
        ProviderMessage::NoKey => "没有配置密钥".to_owned(),
        ProviderMessage::KeyInVariable { name } => format!("密钥: 环境变量 {name} 已设置"),
        ProviderMessage::KeyOfProgram { program } => format!("密钥: 由 {program} 输出"),
        ProviderMessage::NoDefault => "没有给出 NAME，也没有配置默认的提供者".to_owned(),
        ProviderMessage::Default { name } => format!("检查默认的提供者 {name}"),
        ProviderMessage::Asking { seconds } => format!("正在提问，最多等待 {seconds} 秒；按 Ctrl-C 结束"),
        ProviderMessage::Answered { seconds, answer } => format!("{seconds} 秒后回答: {answer}"),
        ProviderMessage::BadAnswer { seconds, why } => {
            format!("{seconds} 秒后回答，但不是智能体所需的格式: {why}")
        }
        ProviderMessage::TryOtherModel => "换一个模型，或对此提供者只使用不需要 JSON 的命令".to_owned(),
        ProviderMessage::Usage { model, tokens, cost } => {
            let model = model.as_ref().map(|model| format!("模型 {model}，")).unwrap_or_default();
            let tokens = match tokens {
                Some((read, written)) => format!("读入 {read} 个 token，写出 {written} 个"),
                None => "没有给出 token 数".to_owned(),
            };
            let cost = cost.map_or_else(|| "没有给出费用".to_owned(), |cost| format!("费用 {cost} 美元"));
            format!("{model}{tokens}，{cost}")
        }
        ProviderMessage::Models { count } => format!("{count} 个模型:"),
        ProviderMessage::ModelsUntold => "它没有给出有哪些模型".to_owned(),
        ProviderMessage::ModelNotListed { model } => format!("模型 {model} 不在其中"),
        ProviderMessage::ChooseModel => "把提供者的 model 改为其中之一".to_owned(),
        ProviderMessage::Usable { name } => format!("{name} 可以使用"),
        ProviderMessage::Unusable { name } => format!("{name} 无法使用"),
        ProviderMessage::Interrupted => "已中断".to_owned(),
    }
}

fn en(message: &ProviderMessage) -> String {
    let listed = |name: &str, what: &str, model: &Option<String>, is_default: bool, is_trusted: bool| {
        let default = if is_default { " (default)" } else { "" };
        let model = model.as_ref().map(|model| format!(", model {model}")).unwrap_or_default();
        let trust = if is_trusted { "" } else { ", not used: the project is not trusted" };
        format!("{name}{default}: {what}{model}{trust}")
    };
    match message {
        ProviderMessage::Configured => "Configured providers".to_owned(),
        ProviderMessage::NoneConfigured => {
            "No providers are configured: add [[agent.providers]] to the configuration; a project's requires aide trust"
                .to_owned()
        }
        ProviderMessage::Presets => "Built-in presets".to_owned(),
        ProviderMessage::Program { name, command, path, model, is_default, is_trusted } => {
            let what = match path {
                Some(path) => format!("program {}", path.display()),
                None => format!("program {command}, not found"),
            };
            listed(name, &what, model, *is_default, *is_trusted)
        }
        ProviderMessage::Endpoint { name, url, model, is_default, is_trusted } => {
            listed(name, &format!("endpoint {url}"), model, *is_default, *is_trusted)
        }
        ProviderMessage::Words { words } => words.clone(),
        ProviderMessage::Untrusted => {
            "it comes from the configuration of this project, which you have not trusted".to_owned()
        }
        ProviderMessage::RunTrust => "run aide trust to see and trust it".to_owned(),
        ProviderMessage::OfDaemon => "the daemon's agents use it, and workflows ask in a different form".to_owned(),
        ProviderMessage::TryWorkflow => {
            "while the daemon is running, aide workflow understand \"say hello\" asks it the way a workflow does".to_owned()
        }
        ProviderMessage::NotForAgents { name } => format!("{name} cannot be used by aide agent and aide plan"),
        ProviderMessage::OnlyPreset => "it is a preset without an entry in your configuration: no agent uses it".to_owned(),
        ProviderMessage::AddEntry { preset } => format!(
            "add [[agent.providers]] to your configuration: name = \"{preset}\", kind = \"command\", preset = \"{preset}\""
        ),
        ProviderMessage::ProgramAt { path } => format!("program: {}", path.display()),
        ProviderMessage::Version { version } => format!("version: {version}"),
        ProviderMessage::LoggedIn { by } => format!("logged in ({by})"),
        ProviderMessage::LoggedOut => "not logged in".to_owned(),
        ProviderMessage::LogIn => {
            "log in with the program itself, unless it gets a key in another way, such as the provider's pass_env".to_owned()
        }
        ProviderMessage::FolderTrusted => "the program trusts this folder".to_owned(),
        ProviderMessage::FolderUntrusted => "the program does not trust this folder, and will not work in it".to_owned(),
        ProviderMessage::RunTrustForProgram => {
            "run aide trust, or let the program itself trust the folder".to_owned()
        }
        ProviderMessage::NoModel => "no model is named".to_owned(),
        ProviderMessage::SetModel => "set model in the configuration".to_owned(),
        ProviderMessage::Url { url } => format!("address: {url}"),
        ProviderMessage::NoKey => "no key is configured".to_owned(),
        ProviderMessage::KeyInVariable { name } => format!("key: the environment variable {name} is set"),
        ProviderMessage::KeyOfProgram { program } => format!("key: printed by {program}"),
        ProviderMessage::NoDefault => {
            "no NAME is given, and no provider is configured as the default".to_owned()
        }
        ProviderMessage::Default { name } => format!("checking the default provider, {name}"),
        ProviderMessage::Asking { seconds } => {
            let limit = en_count(seconds, "second");
            format!("asking one question, for at most {limit}; Ctrl-C ends it")
        }
        ProviderMessage::Answered { seconds, answer } => format!("answered after {seconds} s: {answer}"),
        ProviderMessage::BadAnswer { seconds, why } => {
            format!("answered after {seconds} s, but not in the form that agents need: {why}")
        }
        ProviderMessage::TryOtherModel => {
            "use another model, or use this one only for commands that need no JSON".to_owned()
        }
        ProviderMessage::Usage { model, tokens, cost } => {
            let model = model.as_ref().map(|model| format!("model {model}, ")).unwrap_or_default();
            let tokens = match tokens {
                Some((read, written)) => format!("{} read and {written} written", en_count(read, "token")),
                None => "tokens unknown".to_owned(),
            };
            let cost = cost.map_or_else(|| "cost unknown".to_owned(), |cost| format!("cost ${cost}"));
            format!("{model}{tokens}, {cost}")
        }
        ProviderMessage::Models { count } => format!("{}:", en_count(count, "model")),
        ProviderMessage::ModelsUntold => "it does not list its models".to_owned(),
        ProviderMessage::ModelNotListed { model } => format!("the model {model} is not among them"),
        ProviderMessage::ChooseModel => "set the provider's model to one of them".to_owned(),
        ProviderMessage::Usable { name } => format!("{name} can be used"),
        ProviderMessage::Unusable { name } => format!("{name} cannot be used"),
        ProviderMessage::Interrupted => "interrupted".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::ProviderMessage;

    fn text(text: &str) -> String {
        text.to_owned()
    }

    samples! {
        ProviderMessage;
        Configured,
        NoneConfigured,
        Presets,
        Program {
            name: text("claude"), command: text("claude"), path: Some("/usr/bin/claude".into()), model: None,
            is_default: true, is_trusted: true
        },
        Endpoint {
            name: text("local"), url: text("http://localhost:11434/v1"), model: Some(text("qwen3")),
            is_default: false, is_trusted: false
        },
        Words { words: text("its words") },
        Untrusted,
        RunTrust,
        OfDaemon,
        TryWorkflow,
        NotForAgents { name: text("example") },
        OnlyPreset,
        AddEntry { preset: text("claude") },
        ProgramAt { path: "/usr/bin/claude".into() },
        Version { version: text("2.1.332 (Claude Code)") },
        LoggedIn { by: text("api_key") },
        LoggedOut,
        LogIn,
        FolderTrusted,
        FolderUntrusted,
        RunTrustForProgram,
        NoModel,
        SetModel,
        Url { url: text("http://localhost:11434/v1") },
        NoKey,
        KeyInVariable { name: text("OPENAI_API_KEY") },
        KeyOfProgram { program: text("pass") },
        NoDefault,
        Default { name: text("claude") },
        Asking { seconds: 900 },
        Answered { seconds: text("1.2"), answer: text("ready") },
        BadAnswer { seconds: text("1.2"), why: text("its words") },
        TryOtherModel,
        Usage { model: Some(text("qwen3")), tokens: Some((120, 7)), cost: Some(0.00062) },
        Models { count: 2 },
        ModelsUntold,
        ModelNotListed { model: text("qwen3") },
        ChooseModel,
        Usable { name: text("claude") },
        Unusable { name: text("claude") },
        Interrupted,
    }
}
