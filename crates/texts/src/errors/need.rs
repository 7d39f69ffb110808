//! What the value of a setting or of a flag must be.

use super::{Explain, Explanation};
use crate::Lang;
use settings::{Key, Kind};

/// What a value must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is named after what its sentence says")]
pub enum Need {
    Port,
    Timeout,
    Host,
    Auth,
    /// A login, where other machines can come.
    Login,
    Url,
    Language,
    Format,
    ReportFormat,
    Notify,
    Count,
    Age,
    Deadline,
    Boolean,
    Integer {
        min: i64,
        max: i64,
    },
    OneOf(&'static [&'static str]),
    List,
    Utf8,
}

/// A flag of the command line that has a wrong value.
#[derive(Debug)]
pub struct BadFlag {
    /// The flag.
    pub flag: &'static str,
    /// What was given.
    pub value: String,
    /// What it must be.
    pub need: Need,
}

impl Explain for BadFlag {
    fn zh(&self) -> Explanation {
        let Self { flag, value, need } = self;
        Explanation::new(format!("参数 {flag} 的值无效: \"{value}\"，{}", need.required(Lang::Zh)))
            .with_hint(need.advice(Lang::Zh))
    }

    fn en(&self) -> Explanation {
        let Self { flag, value, need } = self;
        Explanation::new(format!("bad value for argument {flag}: \"{value}\" {}", need.required(Lang::En)))
            .with_hint(need.advice(Lang::En))
    }
}

impl Need {
    /// What the value of `key` must be.
    pub fn for_key(key: &Key) -> Self {
        match (key.name, key.kind) {
            ("decide.port" | "daemon.http_port" | "daemon.ws_port", _) => Self::Port,
            ("decide.timeout", _) => Self::Timeout,
            ("decide.auth", _) => Self::Auth,
            ("general.lang", _) => Self::Language,
            ("notify.when", _) => Self::Notify,
            (_, Kind::Boolean) => Self::Boolean,
            (_, Kind::Integer { min, max }) => Self::Integer { min, max },
            (_, Kind::OneOf(allowed)) => Self::OneOf(allowed),
            (_, Kind::Address) => Self::Host,
            (_, Kind::Link) => Self::Url,
            (_, Kind::Text) => Self::Utf8,
            (_, Kind::Texts | Kind::Phases | Kind::Tables | Kind::Map) => Self::List,
        }
    }

    /// The end of a sentence that begins with the value: that it is not what it must be.
    pub(super) fn required(self, lang: Lang) -> String {
        match lang {
            Lang::Zh => self.required_zh(),
            Lang::En => self.required_en(),
        }
    }

    /// What to do about it.
    pub(super) fn advice(self, lang: Lang) -> &'static str {
        match lang {
            Lang::Zh => self.advice_zh(),
            Lang::En => self.advice_en(),
        }
    }
}

impl Need {
    fn required_zh(self) -> String {
        match self {
            Self::Port => "必须为 0 到 65535 的整数".to_owned(),
            Self::Timeout => "必须为 0 到 315360000 的整数（秒）".to_owned(),
            Self::Host => "必须为 localhost 或 IP 地址".to_owned(),
            Self::Auth => "必须为 auto、always 或 never".to_owned(),
            Self::Login => "不能用于其他机器可访问的地址".to_owned(),
            Self::Url => "必须为空或以 http://、https:// 开头的地址".to_owned(),
            Self::Language => "必须为 zh、en 或 auto".to_owned(),
            Self::Format => "必须为 md 或 adr".to_owned(),
            Self::ReportFormat => "必须为 md".to_owned(),
            Self::Notify => "必须为 bell、desktop、command 或 none".to_owned(),
            Self::Count => "必须为记录的数量".to_owned(),
            Self::Age => "必须为秒（s）、分（m）、小时（h）、天（d）或周（w）的数量".to_owned(),
            Self::Deadline => {
                "必须为秒（s）、分（m）、小时（h）、天（d）或周（w）的数量，或带时区的将来时间".to_owned()
            }
            Self::Boolean => "必须为 true 或 false".to_owned(),
            Self::Integer { min, max } => format!("必须为 {min} 到 {max} 的整数"),
            Self::OneOf(allowed) => format!("必须为 {} 之一", allowed.join("、")),
            Self::List => "必须为字符串列表，例如 a,b 或 [\"a\", \"b\"]".to_owned(),
            Self::Utf8 => "必须为有效的 UTF-8".to_owned(),
        }
    }

    fn advice_zh(self) -> &'static str {
        match self {
            Self::Port => "0 表示任意空闲端口",
            Self::Timeout => "0 表示不超时",
            Self::Host => "默认为 127.0.0.1",
            Self::Auth => "默认为 auto",
            Self::Login => "请用 auto 或 always，或监听 127.0.0.1，远程访问可用 ssh -L 转发端口",
            Self::Url => "为空时自动生成",
            Self::Format | Self::ReportFormat => "默认为 md",
            Self::Notify => "command 在 ~/.config/aide/config.toml 的 notify.command 中设置",
            Self::Count => "0 表示只保留最近一次提交",
            Self::Age => "例如 12h、30d 或 2w",
            Self::Deadline => "例如 30m、2h 或 2026-01-15T18:00:00+08:00",
            Self::Language => "auto 表示跟随系统语言",
            Self::Boolean | Self::Integer { .. } | Self::OneOf(_) | Self::List | Self::Utf8 => {
                "执行 aide config list 查看全部配置项"
            }
        }
    }

    fn required_en(self) -> String {
        match self {
            Self::Port => "is not an integer from 0 to 65535".to_owned(),
            Self::Timeout => "is not an integer from 0 to 315360000 (seconds)".to_owned(),
            Self::Host => "is neither localhost nor an IP address".to_owned(),
            Self::Auth => "is not one of auto, always, never".to_owned(),
            Self::Login => "is not allowed on an address that other machines can reach".to_owned(),
            Self::Url => "is neither empty nor an address that starts with http:// or https://".to_owned(),
            Self::Language => "is not one of zh, en, auto".to_owned(),
            Self::Format => "is neither md nor adr".to_owned(),
            Self::ReportFormat => "is not md".to_owned(),
            Self::Notify => "is not one of bell, desktop, command, none".to_owned(),
            Self::Count => "is not a number of records".to_owned(),
            Self::Age => {
                "is not a number of seconds (s), minutes (m), hours (h), days (d) or weeks (w)".to_owned()
            }
            Self::Deadline => {
                "is not a number of seconds (s), minutes (m), hours (h), days (d) or weeks (w), nor a later time with its offset"
                    .to_owned()
            }
            Self::Boolean => "is neither true nor false".to_owned(),
            Self::Integer { min, max } => format!("is not an integer from {min} to {max}"),
            Self::OneOf(allowed) => format!("is not one of {}", allowed.join(", ")),
            Self::List => "is not a list of strings, such as a,b or [\"a\", \"b\"]".to_owned(),
            Self::Utf8 => "is not valid UTF-8".to_owned(),
        }
    }

    fn advice_en(self) -> &'static str {
        match self {
            Self::Port => "0 means any free port",
            Self::Timeout => "0 means no timeout",
            Self::Host => "the default is 127.0.0.1",
            Self::Auth => "the default is auto",
            Self::Login => "use auto or always, or listen on 127.0.0.1 and forward the port with ssh -L",
            Self::Url => "leave it empty to have the link generated",
            Self::Format | Self::ReportFormat => "the default is md",
            Self::Notify => "for command, set notify.command in ~/.config/aide/config.toml",
            Self::Count => "0 keeps only the most recent questions",
            Self::Age => "for example 12h, 30d or 2w",
            Self::Deadline => "for example 30m, 2h or 2026-01-15T18:00:00+08:00",
            Self::Language => "auto follows the locale",
            Self::Boolean | Self::Integer { .. } | Self::OneOf(_) | Self::List | Self::Utf8 => {
                "run aide config list to see all keys"
            }
        }
    }
}
