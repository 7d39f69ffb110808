//! The errors of `llm`.

use super::{Explain, Explanation, reason};
use crate::Lang;
use llm::{Awaited, BadAnswer, KeyError, LlmError, MAX_LINE};
use std::process::ExitStatus;
use std::time::Duration;

impl Explain for LlmError {
    fn zh(&self) -> Explanation {
        match self {
            Self::NotFound { program } => {
                Explanation::of(format!("找不到程序: {program}")).with_hint("安装它，或修改提供者的 command")
            }
            Self::NotStarted { program, source } => {
                Explanation::of(format!("无法执行 {program}: {}", reason(Lang::Zh, source)))
            }
            Self::Failed { program, status, said } => {
                Explanation::of(with_words(&format!("{program} 失败（{}）", ending(Lang::Zh, *status)), said))
            }
            Self::TimedOut { awaited, after, said } => {
                let time = seconds(*after);
                let what = match awaited {
                    Awaited::Beginning => format!("等待 {time} 秒后仍没有开始回答"),
                    Awaited::More => format!("回答中断了 {time} 秒"),
                    Awaited::End => format!("{time} 秒内没有答完"),
                };
                let explanation = Explanation::of(with_words(&what, said));
                match awaited {
                    Awaited::End => explanation.with_hint("重试，或增大提供者的 timeout"),
                    Awaited::Beginning | Awaited::More => explanation.with_hint("稍后重试"),
                }
            }
            Self::Cancelled => Explanation::of("已取消"),
            Self::TooMuch { limit } => Explanation::of(format!("回答超过 {limit} 字节")),
            Self::BadAnswer(error) => error.zh(),
            Self::Http { status, message, .. } => {
                let explanation = Explanation::of(with_words(&format!("服务返回 {status}"), message));
                match status {
                    300..=399 => explanation.with_hint("不跟随重定向；修改提供者的 base_url"),
                    401 | 403 => explanation.with_hint("检查提供者的密钥"),
                    404 => explanation.with_hint("检查提供者的 base_url 与 model"),
                    408 | 409 | 429 | 500..=599 => explanation.with_hint("稍后重试"),
                    _ => explanation,
                }
            }
            Self::Connect { target, message } => Explanation::of(format!("无法连接 {target}: {message}"))
                .with_hint("检查网络与提供者的 base_url"),
            Self::Cut { message } => {
                Explanation::of(format!("连接提前中断: {message}")).with_hint("稍后重试")
            }
            Self::BadUrl => {
                Explanation::of("提供者的 base_url 不是有效的地址").with_hint("使用 http:// 或 https:// 链接")
            }
            Self::NoKey(error) => error.zh(),
            Self::NotRecorded { source, raw } => {
                let what = if raw.is_some() { "回答" } else { "请求" };
                Explanation::of(format!("无法记录{what}: {}", reason(Lang::Zh, source)))
            }
        }
    }

    fn en(&self) -> Explanation {
        match self {
            Self::NotFound { program } => Explanation::of(format!("program not found: {program}"))
                .with_hint("install it, or change the provider's command"),
            Self::NotStarted { program, source } => {
                Explanation::of(format!("cannot run {program}: {}", reason(Lang::En, source)))
            }
            Self::Failed { program, status, said } => Explanation::of(with_words(
                &format!("{program} failed ({})", ending(Lang::En, *status)),
                said,
            )),
            Self::TimedOut { awaited, after, said } => {
                let time = seconds(*after);
                let what = match awaited {
                    Awaited::Beginning => format!("no answer began within {time} seconds"),
                    Awaited::More => format!("the answer paused for {time} seconds"),
                    Awaited::End => format!("the answer did not end within {time} seconds"),
                };
                let explanation = Explanation::of(with_words(&what, said));
                match awaited {
                    Awaited::End => explanation.with_hint("try again, or raise the provider's timeout"),
                    Awaited::Beginning | Awaited::More => explanation.with_hint("try again later"),
                }
            }
            Self::Cancelled => Explanation::of("cancelled"),
            Self::TooMuch { limit } => Explanation::of(format!("the answer has more than {limit} bytes")),
            Self::BadAnswer(error) => error.en(),
            Self::Http { status, message, .. } => {
                let explanation =
                    Explanation::of(with_words(&format!("the endpoint answered {status}"), message));
                match status {
                    300..=399 => {
                        explanation.with_hint("redirects are not followed; change the provider's base_url")
                    }
                    401 | 403 => explanation.with_hint("check the provider's key"),
                    404 => explanation.with_hint("check the provider's base_url and model"),
                    408 | 409 | 429 | 500..=599 => explanation.with_hint("try again later"),
                    _ => explanation,
                }
            }
            Self::Connect { target, message } => {
                Explanation::of(format!("cannot connect to {target}: {message}"))
                    .with_hint("check the network and the provider's base_url")
            }
            Self::Cut { message } => {
                Explanation::of(format!("the connection ended early: {message}")).with_hint("try again later")
            }
            Self::BadUrl => Explanation::of("the provider's base_url is not a valid address")
                .with_hint("use a link that begins with http:// or https://"),
            Self::NoKey(error) => error.en(),
            Self::NotRecorded { source, raw } => {
                let what = if raw.is_some() { "answer" } else { "request" };
                Explanation::of(format!("cannot record the {what}: {}", reason(Lang::En, source)))
            }
        }
    }
}

impl Explain for BadAnswer {
    fn zh(&self) -> Explanation {
        Explanation::of(match self {
            Self::NotUtf8 { at } => format!("回答不是有效的 UTF-8（位置 {at}）"),
            Self::NotJson { message } => format!("回答不是有效的 JSON: {message}"),
            Self::LineTooLong { line } => format!("回答的第 {line} 行超过 {MAX_LINE} 字节"),
            Self::NoResult { said } => with_words("没有得到回答", said),
            Self::Refused { message } => with_words("没有给出回答", message),
        })
    }

    fn en(&self) -> Explanation {
        Explanation::of(match self {
            Self::NotUtf8 { at } => format!("the answer is not valid UTF-8 (at byte {at})"),
            Self::NotJson { message } => format!("the answer is not valid JSON: {message}"),
            Self::LineTooLong { line } => format!("line {line} of the answer has more than {MAX_LINE} bytes"),
            Self::NoResult { said } => with_words("there is no answer", said),
            Self::Refused { message } => with_words("no answer was given", message),
        })
    }
}

impl Explain for KeyError {
    fn zh(&self) -> Explanation {
        match self {
            Self::NoVariable { name } => Explanation::of(format!("环境变量 {name} 没有设置"))
                .with_hint("把它设为密钥，或修改提供者的 api_key_env"),
            Self::NoOutput { program, reason } => {
                Explanation::of(format!("{program} 没有输出密钥: {reason}"))
                    .with_hint("检查提供者的 api_key_command")
            }
            Self::NotAKey => Explanation::of("密钥为空，或含有不允许的字符")
                .with_hint("检查提供者的 api_key_env 或 api_key_command"),
        }
    }

    fn en(&self) -> Explanation {
        match self {
            Self::NoVariable { name } => {
                Explanation::of(format!("the environment variable {name} is not set"))
                    .with_hint("set it to the key, or change the provider's api_key_env")
            }
            Self::NoOutput { program, reason } => {
                Explanation::of(format!("{program} printed no key: {reason}"))
                    .with_hint("check the provider's api_key_command")
            }
            Self::NotAKey => Explanation::of("the key is empty or has characters that no key has")
                .with_hint("check the provider's api_key_env or api_key_command"),
        }
    }
}

/// What others have said of it comes last.
fn with_words(what: &str, said: &str) -> String {
    if said.is_empty() { what.to_owned() } else { format!("{what}: {said}") }
}

/// In seconds, with a fraction only where there is one.
fn seconds(time: Duration) -> String {
    time.as_secs_f64().to_string()
}

fn ending(lang: Lang, status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (lang, status.code(), status.signal()) {
        (Lang::Zh, Some(code), _) => format!("退出码 {code}"),
        (Lang::En, Some(code), _) => format!("exit code {code}"),
        (Lang::Zh, None, Some(signal)) => format!("信号 {signal}"),
        (Lang::En, None, Some(signal)) => format!("signal {signal}"),
        (_, None, None) => status.to_string(),
    }
}
