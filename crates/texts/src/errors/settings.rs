//! The errors of `settings`.

use super::files::{conflict_en, conflict_zh};
use super::{BadFlag, Explain, Explanation, Need, reason};
use crate::Lang;
use settings::{
    BadSetting, ConfigError, ConfigErrorKind, ConfigErrors, EditError, Key, NotAValue, PhasesFault,
    SettingError, Source,
};
use std::path::{Path, PathBuf};

/// A value that was given for a key, and is none.
#[derive(Debug)]
pub struct RefusedValue {
    /// The key.
    pub key: &'static Key,
    /// What was given.
    pub value: String,
    /// Why it is none.
    pub why: NotAValue,
}

/// A key that was not set or taken out.
#[derive(Debug)]
pub struct RefusedEdit {
    /// Its name, as it was given.
    pub key: String,
    /// The file.
    pub file: PathBuf,
    /// Why it was not.
    pub why: EditError,
}

impl Explain for ConfigError {
    fn zh(&self) -> Explanation {
        let Self { file, line, key, kind } = self;
        let key = key.map(|key| format!("{key} ")).unwrap_or_default();
        let what = match kind {
            ConfigErrorKind::Io(error) => format!("无法读取: {}", reason(Lang::Zh, error)),
            ConfigErrorKind::Symlink => "不能是符号链接".to_owned(),
            ConfigErrorKind::NotAFile => "不是普通文件".to_owned(),
            ConfigErrorKind::NotAFolder => "不是目录".to_owned(),
            ConfigErrorKind::TooLarge { limit } => format!("超过 {limit} 字节"),
            ConfigErrorKind::NotUtf8 => "不是有效的 UTF-8".to_owned(),
            ConfigErrorKind::Conflict => {
                return bad_config_zh(file, "", "有合并冲突")
                    .with_hint(conflict_zh(&file.display().to_string()));
            }
            ConfigErrorKind::Syntax { message, column, text } => {
                let place = format!("{}第 {column} 列", at_zh(*line));
                return Explanation {
                    quote: line.map(|line| format!("{line} | {text}")),
                    ..bad_config_zh(file, &place, &format!("{key}不是有效的 TOML: {message}"))
                };
            }
            ConfigErrorKind::WrongType { expected, found } => {
                let expected = match *expected {
                    "boolean" => "布尔值",
                    "integer" => "整数",
                    "string" => "字符串",
                    "table" => "表",
                    "table of strings" => "字符串表",
                    "array of strings" => "字符串数组",
                    "array of tables" => "表数组（[[…]]）",
                    "string or array of strings" => "字符串或字符串数组",
                    "table of integers or array of strings" => "整数表或字符串数组",
                    "number from 0 to 2" => " 0 到 2 之间的数",
                    other => other,
                };
                format!("必须为{expected}，实际为 {found}")
            }
            ConfigErrorKind::Newer { found, known } => {
                return bad_config_zh(
                    file,
                    &at_zh(*line),
                    &format!("是更新版本 aide 的配置（version = {found}，此程序只认识 {known}）"),
                )
                .with_hint("请使用更新版本的 aide");
            }
            ConfigErrorKind::OutOfRange { min, max, found } => {
                format!("必须在 {min} 到 {max} 之间，实际为 {found}")
            }
            ConfigErrorKind::NotOneOf { allowed, found } => {
                format!("必须为 {} 之一，实际为 \"{found}\"", allowed.join("、"))
            }
            ConfigErrorKind::Missing => "必须给出".to_owned(),
            ConfigErrorKind::NoProgram => "必须给出要执行的程序".to_owned(),
            // The documented sentence has no place in it.
            ConfigErrorKind::Phases(fault) => {
                return bad_phases_zh(fault).with_hint(format!(
                    "修正 {}{}，再重试",
                    file.display(),
                    at_zh(*line)
                ));
            }
            ConfigErrorKind::UnknownPhase { name } => format!("不是 flow.phases 中的环节: \"{name}\""),
            ConfigErrorKind::Blank => "不能为空".to_owned(),
            ConfigErrorKind::Repeated { name } => format!("重复: \"{name}\""),
            ConfigErrorKind::NotForKind { kind } => format!("不能用于 kind = \"{kind}\""),
            ConfigErrorKind::NotTogether { other } => format!("不能与 {other} 同时给出"),
            ConfigErrorKind::NotAVariable => "必须为环境变量的名称".to_owned(),
            ConfigErrorKind::NotALink => "必须为 http:// 或 https:// 链接，其中不能有用户名".to_owned(),
            ConfigErrorKind::NotAnId { found } => format!(
                "必须由字母、数字、\".\"、\"_\" 和 \"-\" 组成，不以 \".\" 开头，最多 128 个字符，实际为 \"{found}\""
            ),
            ConfigErrorKind::NotAbsolute => "必须为绝对路径".to_owned(),
            ConfigErrorKind::NotASpan { found } => {
                format!("必须为秒（s）、分（m）、小时（h）或天（d）的数量，最多 30d，实际为 \"{found}\"")
            }
            ConfigErrorKind::NoQuery => "其中必须有 {query}，代表要搜索的内容".to_owned(),
            ConfigErrorKind::InlineKey => {
                return bad_config_zh(file, &at_zh(*line), &format!("{key}不能写在文件中")).with_hint(
                    "删去它，用 api_key_env 指明环境变量，或用 api_key_command 指明输出密钥的命令",
                );
            }
            ConfigErrorKind::InlineSecret { name } => {
                return bad_config_zh(file, &at_zh(*line), &format!("{key}中不能有密钥: {name}"))
                    .with_hint("删去它，设为环境变量，并在 pass_env 中写出其名称");
            }
        };
        bad_config_zh(file, &at_zh(*line), &format!("{key}{what}"))
    }

    fn en(&self) -> Explanation {
        let Self { file, line, key, kind } = self;
        let key = key.map(|key| format!("{key} ")).unwrap_or_default();
        let what = match kind {
            ConfigErrorKind::Io(error) => format!("cannot be read: {}", reason(Lang::En, error)),
            ConfigErrorKind::Symlink => "must not be a symlink".to_owned(),
            ConfigErrorKind::NotAFile => "is not a regular file".to_owned(),
            ConfigErrorKind::NotAFolder => "is not a folder".to_owned(),
            ConfigErrorKind::TooLarge { limit } => format!("is larger than {limit} bytes"),
            ConfigErrorKind::NotUtf8 => "is not valid UTF-8".to_owned(),
            ConfigErrorKind::Conflict => {
                return bad_config_en(file, "", "merge conflict")
                    .with_hint(conflict_en(&file.display().to_string()));
            }
            ConfigErrorKind::Syntax { message, column, text } => {
                let place = format!("{}, column {column}", at_en(*line));
                return Explanation {
                    quote: line.map(|line| format!("{line} | {text}")),
                    ..bad_config_en(file, &place, &format!("{key}is not valid TOML: {message}"))
                };
            }
            ConfigErrorKind::WrongType { expected, found } => {
                let article = if expected.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
                format!("must be {article} {expected}, but is {found}")
            }
            ConfigErrorKind::Newer { found, known } => {
                return bad_config_en(
                    file,
                    &at_en(*line),
                    &format!(
                        "is for a later version of aide (version = {found}, this program knows {known})"
                    ),
                )
                .with_hint("use a later version of aide");
            }
            ConfigErrorKind::OutOfRange { min, max, found } => {
                format!("must be from {min} to {max}, but is {found}")
            }
            ConfigErrorKind::NotOneOf { allowed, found } => {
                format!("must be one of {}, but is \"{found}\"", allowed.join(", "))
            }
            ConfigErrorKind::Missing => "is missing".to_owned(),
            ConfigErrorKind::NoProgram => "must name a program to run".to_owned(),
            ConfigErrorKind::Phases(fault) => {
                return bad_phases_en(fault).with_hint(format!(
                    "correct {}{} and try again",
                    file.display(),
                    at_en(*line)
                ));
            }
            ConfigErrorKind::UnknownPhase { name } => format!("is not one of flow.phases: \"{name}\""),
            ConfigErrorKind::Blank => "must not be blank".to_owned(),
            ConfigErrorKind::Repeated { name } => format!("appears twice: \"{name}\""),
            ConfigErrorKind::NotForKind { kind } => format!("is not allowed with kind = \"{kind}\""),
            ConfigErrorKind::NotTogether { other } => format!("cannot be combined with {other}"),
            ConfigErrorKind::NotAVariable => "must be the name of an environment variable".to_owned(),
            ConfigErrorKind::NotALink => {
                "must be a link that begins with http:// or https:// and contains no user name".to_owned()
            }
            ConfigErrorKind::NotAnId { found } => format!(
                "must consist of letters, digits, '.', '_' and '-', not begin with '.', and have at most 128 \
                 characters, but is \"{found}\""
            ),
            ConfigErrorKind::NotAbsolute => "must be an absolute path".to_owned(),
            ConfigErrorKind::NotASpan { found } => format!(
                "must be a number of seconds (s), minutes (m), hours (h) or days (d), at most 30d, but is \"{found}\""
            ),
            ConfigErrorKind::NoQuery => {
                "must contain {query}, which is replaced by the search query".to_owned()
            }
            ConfigErrorKind::InlineKey => {
                return bad_config_en(file, &at_en(*line), &format!("{key}must not be in a file")).with_hint(
                    "remove it, and name a variable with api_key_env or a program that prints the key with \
                     api_key_command",
                );
            }
            ConfigErrorKind::InlineSecret { name } => {
                return bad_config_en(file, &at_en(*line), &format!("{key}must not hold a secret: {name}"))
                    .with_hint(
                        "remove it, set it as a variable of the environment, and name it in pass_env",
                    );
            }
        };
        bad_config_en(file, &at_en(*line), &format!("{key}{what}"))
    }
}

impl Explain for ConfigErrors {
    fn zh(&self) -> Explanation {
        self.first.zh().with_lines(self.more.iter().map(|error| error.zh().what).collect())
    }

    fn en(&self) -> Explanation {
        self.first.en().with_lines(self.more.iter().map(|error| error.en().what).collect())
    }
}

impl Explain for BadSetting {
    fn zh(&self) -> Explanation {
        let (Self { key, at, value, .. }, need) = (self, need(self));
        let required = need.required(Lang::Zh);
        let explanation = match at {
            Source::Flag(flag) => return BadFlag { flag, value: value.clone(), need }.zh(),
            Source::Variable(name) => {
                Explanation::new(format!("环境变量 {name} 的值无效: \"{value}\"，{required}"))
            }
            Source::File { file, line, .. } => {
                bad_config_zh(file, &at_zh(*line), &format!("{} {required}，实际为 \"{value}\"", key.name))
            }
            Source::Default => Explanation::new(format!("{} {required}，实际为 \"{value}\"", key.name)),
        };
        explanation.with_hint(need.advice(Lang::Zh))
    }

    fn en(&self) -> Explanation {
        let (Self { key, at, value, .. }, need) = (self, need(self));
        let required = need.required(Lang::En);
        let explanation = match at {
            Source::Flag(flag) => return BadFlag { flag, value: value.clone(), need }.en(),
            Source::Variable(name) => {
                Explanation::new(format!("bad value for environment variable {name}: \"{value}\" {required}"))
            }
            Source::File { file, line, .. } => {
                bad_config_en(file, &at_en(*line), &format!("{} is \"{value}\", which {required}", key.name))
            }
            Source::Default => Explanation::new(format!("{} is \"{value}\", which {required}", key.name)),
        };
        explanation.with_hint(need.advice(Lang::En))
    }
}

impl Explain for SettingError {
    fn zh(&self) -> Explanation {
        match self {
            Self::Config(error) => error.zh(),
            Self::Bad(error) => error.zh(),
        }
    }

    fn en(&self) -> Explanation {
        match self {
            Self::Config(error) => error.en(),
            Self::Bad(error) => error.en(),
        }
    }
}

impl Explain for RefusedValue {
    fn zh(&self) -> Explanation {
        let Self { key, value, why } = self;
        let bad = |need: Need| {
            Explanation::new(format!("{} 的值无效: \"{value}\"，{}", key.name, need.required(Lang::Zh)))
        };
        let explanation = match why {
            NotAValue::NotUtf8 => bad(Need::Utf8),
            NotAValue::WrongKind => bad(Need::for_key(key)),
            NotAValue::Phases(fault) => bad_phases_zh(fault),
        };
        explanation.with_hint(format!("默认为 {}", key.default()))
    }

    fn en(&self) -> Explanation {
        let Self { key, value, why } = self;
        let bad = |need: Need| {
            Explanation::new(format!("bad value for {}: \"{value}\" {}", key.name, need.required(Lang::En)))
        };
        let explanation = match why {
            NotAValue::NotUtf8 => bad(Need::Utf8),
            NotAValue::WrongKind => bad(Need::for_key(key)),
            NotAValue::Phases(fault) => bad_phases_en(fault),
        };
        explanation.with_hint(format!("the default is {}", key.default()))
    }
}

impl Explain for RefusedEdit {
    fn zh(&self) -> Explanation {
        let Self { key, file, why } = self;
        let by_hand = format!("请直接编辑 {}", file.display());
        match why {
            EditError::Config(error) => error.zh(),
            EditError::File(error) => error.zh(),
            EditError::Section => Explanation::new(format!("{key} 是一节，不是配置项"))
                .with_hint(format!("执行 aide config get {key} 查看其中的配置项")),
            EditError::Tables => {
                Explanation::new(format!("{key} 由若干个表组成，不能用命令修改")).with_hint(by_hand)
            }
            EditError::Unsuited => {
                Explanation::new(format!("无法只修改 {key} 而不影响文件的其他内容")).with_hint(by_hand)
            }
        }
    }

    fn en(&self) -> Explanation {
        let Self { key, file, why } = self;
        let by_hand = format!("edit {} by hand", file.display());
        match why {
            EditError::Config(error) => error.en(),
            EditError::File(error) => error.en(),
            EditError::Section => Explanation::new(format!("{key} is a section, not a key"))
                .with_hint(format!("run aide config get {key} to see its keys")),
            EditError::Tables => {
                Explanation::new(format!("{key} consists of tables, which cannot be set with a command"))
                    .with_hint(by_hand)
            }
            EditError::Unsuited => {
                Explanation::new(format!("cannot change {key} without changing other parts of the file"))
                    .with_hint(by_hand)
            }
        }
    }
}

/// What the value of a setting must be.
fn need(bad: &BadSetting) -> Need {
    if bad.lets_anybody_in { Need::Login } else { Need::for_key(bad.key) }
}

fn bad_config_zh(file: &Path, place: &str, what: &str) -> Explanation {
    Explanation::new(format!("配置有误: {}{place}: {what}", file.display())).with_hint("修正该文件后重试")
}

fn bad_config_en(file: &Path, place: &str, what: &str) -> Explanation {
    Explanation::new(format!("bad configuration: {}{place}: {what}", file.display()))
        .with_hint("correct the file and try again")
}

fn at_zh(line: Option<usize>) -> String {
    line.map(|line| format!(" 第 {line} 行")).unwrap_or_default()
}

fn at_en(line: Option<usize>) -> String {
    line.map(|line| format!(", line {line}")).unwrap_or_default()
}

fn bad_phases_zh(fault: &PhasesFault) -> Explanation {
    let what = match fault {
        PhasesFault::Empty => "必须为非空列表".to_owned(),
        PhasesFault::Blank => "环节名必须为非空字符串".to_owned(),
        PhasesFault::Repeated(name) => format!("环节名重复 \"{name}\""),
    };
    Explanation::new(format!("flow.phases 配置无效：{what}"))
}

fn bad_phases_en(fault: &PhasesFault) -> Explanation {
    let what = match fault {
        PhasesFault::Empty => "it must be a list of at least one phase".to_owned(),
        PhasesFault::Blank => "the name of a phase must be a non-blank string".to_owned(),
        PhasesFault::Repeated(name) => format!("there are two phases named \"{name}\""),
    };
    Explanation::new(format!("flow.phases is invalid: {what}"))
}
