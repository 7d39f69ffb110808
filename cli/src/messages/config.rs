//! Messages about the configuration and the trust in it.

use settings::{ConfigValue, KeyFault, Origin, Source, UnknownKey};
use std::path::PathBuf;
use texts::Lang;

/// One line for people.
#[derive(Debug)]
pub(crate) enum ConfigMessage {
    /// A key and its value.
    Setting {
        key: String,
        value: ConfigValue,
    },
    /// `ignored` is what the project says, where it is not trusted.
    Listed {
        setting: String,
        source: Source,
        ignored: Option<ConfigValue>,
    },
    Path {
        file: PathBuf,
    },
    ConfigPath {
        file: PathBuf,
        origin: Origin,
        exists: bool,
    },
    KeySet {
        key: String,
        value: ConfigValue,
    },
    KeyIsSet {
        key: String,
        value: ConfigValue,
    },
    NoSuchProgram {
        program: String,
    },
    /// A command line that was written as one word, as a list.
    WordByWord {
        key: &'static str,
        words: ConfigValue,
    },
    InstallProgram,
    KeyUnset {
        key: String,
    },
    NoSuchKey {
        key: String,
    },
    UnknownKey {
        key: String,
    },
    NearKey {
        key: &'static str,
    },
    SeeKeys,
    /// A key of a file that has no effect.
    KeyWithoutEffect {
        key: UnknownKey,
    },
    /// So many more of them are not listed.
    KeysLeftOut {
        count: usize,
    },
    UserOnly {
        key: &'static str,
    },
    AddUser,
    NoConfigFolder,
    SetConfigHome,
    /// `keys` are those that have no effect.
    NotTrusted {
        file: PathBuf,
        keys: String,
    },
    Trusted {
        file: PathBuf,
    },
    TrustUntrusted,
    NothingToTrust,
    TrustRevoked,
    NothingTrusted,
    NoStateFolder,
    SetHome,
}

impl ConfigMessage {
    pub(super) fn render(&self, lang: Lang) -> String {
        match lang {
            Lang::Zh => zh(self),
            Lang::En => en(self),
        }
    }
}

fn zh(message: &ConfigMessage) -> String {
    match message {
        ConfigMessage::Setting { key, value } => format!("{key} = {value}"),
        ConfigMessage::Listed { setting, source, ignored } => {
            let source = match source {
                Source::Flag(name) => format!("参数 {name}"),
                Source::Variable(name) => format!("环境变量 {name}"),
                Source::File { origin: Origin::Project, line, .. } => format!("项目配置{}", line_zh(*line)),
                Source::File { origin: Origin::User, line, .. } => format!("用户配置{}", line_zh(*line)),
                Source::Default => "默认".to_owned(),
            };
            let ignored = ignored
                .as_ref()
                .map_or_else(String::new, |value| format!("；项目配置中的 {value} 尚未信任，没有生效"));
            format!("{setting}  ({source}{ignored})")
        }
        ConfigMessage::Path { file } => file.display().to_string(),
        ConfigMessage::ConfigPath { file, origin, exists } => {
            let whose = match origin {
                Origin::Project => "项目",
                Origin::User => "用户",
            };
            let missing = if *exists { "" } else { "，不存在" };
            format!("{}  ({whose}{missing})", file.display())
        }
        ConfigMessage::KeySet { key, value } => format!("已更新 {key} = {value}"),
        ConfigMessage::KeyIsSet { key, value } => format!("{key} 已是 {value}，无须更新"),
        ConfigMessage::NoSuchProgram { program } => format!("没有此程序: {program}"),
        ConfigMessage::WordByWord { key, words } => {
            format!("将程序与各个参数分开: aide config set --user {key} '{words}'")
        }
        ConfigMessage::InstallProgram => {
            "请安装此程序，或写出它的完整路径；在此之前，用到它的操作都会失败".to_owned()
        }
        ConfigMessage::KeyUnset { key } => format!("已移除 {key}"),
        ConfigMessage::NoSuchKey { key } => format!("未找到配置项 {key}"),
        ConfigMessage::UnknownKey { key } => format!("没有此配置项: {key}"),
        ConfigMessage::NearKey { key } => format!("是否要用 {key}？"),
        ConfigMessage::KeyWithoutEffect { key: UnknownKey { file, line, name, fault } } => {
            let at = line.map_or_else(String::new, |line| format!(" 第 {line} 行"));
            let why = match fault {
                KeyFault::Unknown(Some(near)) => format!("没有此配置项，是否要用 {near}？"),
                KeyFault::Unknown(None) => "没有此配置项".to_owned(),
                KeyFault::UserOnly => "只能写在您自己的配置中".to_owned(),
            };
            format!("{}{at}的 {name} 没有生效：{why}", file.display())
        }
        ConfigMessage::KeysLeftOut { count } => format!("另有 {count} 个配置项没有生效"),
        ConfigMessage::SeeKeys => "执行 aide config list 查看全部配置项".to_owned(),
        ConfigMessage::UserOnly { key } => format!("{key} 只能写在您自己的配置中"),
        ConfigMessage::AddUser => "加上 --user".to_owned(),
        ConfigMessage::NoConfigFolder => "没有可保存用户配置的目录".to_owned(),
        ConfigMessage::SetConfigHome => "设置 HOME，或将 XDG_CONFIG_HOME 设为绝对路径".to_owned(),
        ConfigMessage::NotTrusted { file, keys } => {
            format!("{} 中的 {keys} 没有生效，执行 aide trust 查看并信任", file.display())
        }
        ConfigMessage::Trusted { file } => format!("已信任其当前内容: {}", file.display()),
        ConfigMessage::TrustUntrusted => "尚未信任，执行 aide trust 信任".to_owned(),
        ConfigMessage::NothingToTrust => "配置中没有需要信任的内容".to_owned(),
        ConfigMessage::TrustRevoked => "已不再信任此项目的任何内容".to_owned(),
        ConfigMessage::NothingTrusted => "此前没有信任过此项目的内容".to_owned(),
        ConfigMessage::NoStateFolder => "没有可保存信任记录的目录".to_owned(),
        ConfigMessage::SetHome => "设置 HOME，或将 XDG_STATE_HOME 设为绝对路径".to_owned(),
    }
}

fn en(message: &ConfigMessage) -> String {
    match message {
        ConfigMessage::Setting { key, value } => format!("{key} = {value}"),
        ConfigMessage::Listed { setting, source, ignored } => {
            let source = match source {
                Source::Flag(name) => format!("argument {name}"),
                Source::Variable(name) => format!("environment variable {name}"),
                Source::File { origin: Origin::Project, line, .. } => format!("project{}", line_en(*line)),
                Source::File { origin: Origin::User, line, .. } => format!("user{}", line_en(*line)),
                Source::Default => "default".to_owned(),
            };
            let ignored = ignored.as_ref().map_or_else(String::new, |value| {
                format!("; the project says {value}, which is ignored because it is not trusted")
            });
            format!("{setting}  ({source}{ignored})")
        }
        ConfigMessage::Path { file } => file.display().to_string(),
        ConfigMessage::ConfigPath { file, origin, exists } => {
            let whose = match origin {
                Origin::Project => "project",
                Origin::User => "user",
            };
            let missing = if *exists { "" } else { ", missing" };
            format!("{}  ({whose}{missing})", file.display())
        }
        ConfigMessage::KeySet { key, value } => format!("Set {key} = {value}"),
        ConfigMessage::KeyIsSet { key, value } => format!("{key} is already {value}"),
        ConfigMessage::NoSuchProgram { program } => format!("there is no such program: {program}"),
        ConfigMessage::WordByWord { key, words } => {
            format!(
                "pass the program and each argument as separate values: aide config set --user {key} '{words}'"
            )
        }
        ConfigMessage::InstallProgram => {
            "install it, or give its full path; until then, everything that needs it fails".to_owned()
        }
        ConfigMessage::KeyUnset { key } => format!("Removed {key}"),
        ConfigMessage::NoSuchKey { key } => format!("{key} is not set"),
        ConfigMessage::UnknownKey { key } => format!("unknown key: {key}"),
        ConfigMessage::NearKey { key } => format!("did you mean {key}?"),
        ConfigMessage::KeyWithoutEffect { key: UnknownKey { file, line, name, fault } } => {
            let at = line.map_or_else(String::new, |line| format!(", line {line}"));
            let why = match fault {
                KeyFault::Unknown(Some(near)) => format!("there is no such key; did you mean {near}?"),
                KeyFault::Unknown(None) => "there is no such key".to_owned(),
                KeyFault::UserOnly => "it belongs in your own configuration".to_owned(),
            };
            format!("{name} has no effect ({}{at}): {why}", file.display())
        }
        ConfigMessage::KeysLeftOut { count } => match count {
            1 => "one more key has no effect".to_owned(),
            count => format!("{count} more keys have no effect"),
        },
        ConfigMessage::SeeKeys => "run aide config list to see all keys".to_owned(),
        ConfigMessage::UserOnly { key } => format!("{key} belongs in your own configuration"),
        ConfigMessage::AddUser => "add --user".to_owned(),
        ConfigMessage::NoConfigFolder => "no user configuration directory".to_owned(),
        ConfigMessage::SetConfigHome => "set HOME, or XDG_CONFIG_HOME to an absolute path".to_owned(),
        ConfigMessage::NotTrusted { file, keys } => {
            let (them, are) = if keys.contains(',') { ("them", "are") } else { ("it", "is") };
            format!(
                "{keys} in {} {are} ignored until trusted; run aide trust to review and trust {them}",
                file.display()
            )
        }
        ConfigMessage::Trusted { file } => format!("Trusted in its current form: {}", file.display()),
        ConfigMessage::TrustUntrusted => "not trusted; run aide trust to trust it".to_owned(),
        ConfigMessage::NothingToTrust => "Nothing in the configuration needs trust".to_owned(),
        ConfigMessage::TrustRevoked => "Nothing in this project is trusted any longer".to_owned(),
        ConfigMessage::NothingTrusted => "Nothing in this project was trusted".to_owned(),
        ConfigMessage::NoStateFolder => "no state directory".to_owned(),
        ConfigMessage::SetHome => "set HOME, or XDG_STATE_HOME to an absolute path".to_owned(),
    }
}

fn line_zh(line: Option<usize>) -> String {
    line.map(|line| format!(" 第 {line} 行")).unwrap_or_default()
}

fn line_en(line: Option<usize>) -> String {
    line.map(|line| format!(", line {line}")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::ConfigMessage;
    use settings::{ConfigValue, KeyFault, Origin, Source, UnknownKey};
    use texts::Lang;

    fn text(text: &str) -> String {
        text.to_owned()
    }

    /// A place whose file is not printed.
    fn in_project() -> Source {
        Source::File { origin: Origin::Project, file: "/p".into(), line: Some(3) }
    }

    samples! {
        ConfigMessage;
        Setting { key: text("decide.url"), value: ConfigValue::Text(text("http://x")) },
        Listed {
            setting: text("decide.port = 80"),
            source: in_project(),
            ignored: None
        },
        Path { file: "/home/x/.config/aide/config.toml".into() },
        ConfigPath { file: "/p/.aide/config.toml".into(), origin: Origin::Project, exists: true },
        KeySet { key: text("decide.port"), value: ConfigValue::Integer(80) },
        KeyIsSet { key: text("decide.port"), value: ConfigValue::Integer(80) },
        NoSuchProgram { program: text("my-search") },
        WordByWord {
            key: "daemon.tools.search_command",
            words: ConfigValue::texts(&["sh".to_owned(), "/home/ann/search.sh".to_owned()])
        },
        InstallProgram,
        KeyUnset { key: text("decide.port") },
        NoSuchKey { key: text("decide.prot") },
        UnknownKey { key: text("decide.prot") },
        NearKey { key: "decide.port" },
        SeeKeys,
        KeyWithoutEffect {
            key: UnknownKey {
                file: "/p/.aide/config.toml".into(),
                line: Some(3),
                name: text("decide.prot"),
                fault: KeyFault::Unknown(Some("decide.port"))
            }
        },
        KeysLeftOut { count: 2 },
        UserOnly { key: "notify.when" },
        AddUser,
        NoConfigFolder,
        SetConfigHome,
        NotTrusted { file: "/p/.aide/config.toml".into(), keys: text("decide.bind, decide.url") },
        Trusted { file: "/p/.aide/config.toml".into() },
        TrustUntrusted,
        NothingToTrust,
        TrustRevoked,
        NothingTrusted,
        NoStateFolder,
        SetHome,
    }

    /// Variants within the messages.
    fn further_samples() -> Vec<ConfigMessage> {
        let own = || Source::File { origin: Origin::User, file: "/h".into(), line: None };
        let sources = [Source::Flag("--lang"), Source::Variable("AIDE_LANG"), own(), Source::Default];
        let mut messages = Vec::from(sources.map(|source| {
            let ignored = Some(ConfigValue::Text(text("http://x")));
            ConfigMessage::Listed { setting: text("decide.url = \"\""), source, ignored }
        }));
        messages.push(ConfigMessage::ConfigPath { file: "/h".into(), origin: Origin::User, exists: false });
        let (file, keys) = ("/p/.aide/config.toml".into(), text("decide.url"));
        messages.push(ConfigMessage::NotTrusted { file, keys });
        messages
    }

    #[test]
    fn no_variant_has_a_second_line() {
        for lang in Lang::ALL {
            for message in further_samples() {
                let told = message.render(lang);
                assert!(!told.contains('\n') && told.trim() == told && !told.is_empty(), "{told:?}");
            }
        }
    }
}
