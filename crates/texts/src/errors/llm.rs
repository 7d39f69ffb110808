//! The errors of `llm`.

use super::{Explain, Explanation, reason};
use crate::Lang;
use llm::{AnswerStage, BadAnswer, Cause, FinishReason, KeyError, LlmError};
use std::process::ExitStatus;
use std::time::Duration;

impl Explain for LlmError {
    fn zh(&self) -> Explanation {
        match self {
            Self::NotFound { program } => {
                Explanation::new(format!("找不到程序: {program}")).with_hint("安装它，或修改提供者的 command")
            }
            Self::NotStarted { program, source } => {
                Explanation::new(format!("无法执行 {program}: {}", reason(Lang::Zh, source)))
            }
            Self::Failed { program, status, said, unpassed } => {
                let what = with_words(&format!("{program} 失败（{}）", ending(*status)), said);
                let hint = match unpassed.as_slice() {
                    _ if said.contains("not running in a trusted directory") => {
                        Some("在项目中执行 aide trust，或让该程序自身信任此目录".to_owned())
                    }
                    [] => hint_for_program(self.cause()).map(str::to_owned),
                    names => Some(format!(
                        "环境变量 {} 已设置，但没有传给该程序: 如果它需要，写入提供者的 pass_env",
                        names.join("、")
                    )),
                };
                Explanation { hint, ..Explanation::new(what) }
            }
            Self::TimedOut { awaited, after, said } => {
                let time = seconds(*after);
                let what = match awaited {
                    AnswerStage::Beginning => format!("等待 {time} 秒后仍没有开始回答"),
                    AnswerStage::More => format!("回答中断了 {time} 秒"),
                    AnswerStage::End => format!("{time} 秒内没有答完"),
                };
                let explanation = Explanation::new(with_words(&what, said));
                match awaited {
                    AnswerStage::End => explanation.with_hint("重试，或增大提供者的 timeout"),
                    AnswerStage::Beginning => {
                        explanation.with_hint("稍后重试，或增大提供者的 first_byte_timeout")
                    }
                    AnswerStage::More => explanation.with_hint("稍后重试，或增大提供者的 idle_timeout"),
                }
            }
            Self::Cancelled => Explanation::new("已取消"),
            Self::TooMuch { limit } => Explanation::new(format!("回答超过 {limit} 字节")),
            Self::BadAnswer(error) => error.zh(),
            Self::Http { target, status, message, .. } => {
                let explanation = Explanation::new(with_words(&format!("{target} 返回 {status}"), message));
                match (status, self.cause()) {
                    (300..=399, _) => explanation.with_hint("不跟随重定向；修改提供者的 base_url"),
                    (404, _) => explanation.with_hint("检查提供者的 base_url 与 model"),
                    (_, Cause::Quota) => explanation.with_hint(QUOTA),
                    (_, Cause::Key) => explanation.with_hint("检查提供者的密钥"),
                    (_, Cause::Busy | Cause::Fault) => explanation.with_hint("稍后重试"),
                    (_, Cause::Lasting) => explanation,
                }
            }
            Self::Connect { target, message } => Explanation::new(format!("无法连接 {target}: {message}"))
                .with_hint("检查网络与提供者的 base_url"),
            Self::Certificate { target, message } => {
                Explanation::new(format!("{target} 的证书不受信任: {message}"))
                    .with_hint("用 SSL_CERT_FILE 指定签发者的证书文件")
            }
            Self::Proxy { target, message } => Explanation::new(format!(
                "无法使用到 {target} 的代理: {message}"
            ))
            .with_hint("HTTPS_PROXY 与 HTTP_PROXY 应以 http:// 或 https:// 开头，或把主机写入 NO_PROXY"),
            Self::Cut { message } => {
                Explanation::new(format!("连接提前中断: {message}")).with_hint("稍后重试")
            }
            Self::BadUrl => Explanation::new("提供者的 base_url 不是有效的地址")
                .with_hint("使用 http:// 或 https:// 链接"),
            Self::NoKey(error) => error.zh(),
            Self::NotRecorded { source, raw } => {
                let what = if raw.is_some() { "回答" } else { "请求" };
                Explanation::new(format!("无法记录{what}: {}", reason(Lang::Zh, source)))
            }
        }
    }

    fn en(&self) -> Explanation {
        in_english(self, self.hint())
    }
}

impl Explain for BadAnswer {
    fn zh(&self) -> Explanation {
        let what = match self {
            Self::NotUtf8 { at } => format!("回答不是有效的 UTF-8（位置 {at}）"),
            Self::NotJson { message } => format!("回答不是有效的 JSON: {message}"),
            Self::NoResult { said } => with_words("没有得到回答", said),
            Self::Unfinished { reason } => match reason {
                FinishReason::Length => "回答达到最大长度而被截断（max_tokens）".to_owned(),
                FinishReason::Filter => "回答被内容过滤器中止（content_filter）".to_owned(),
                FinishReason::Missing => "回答缺少结尾".to_owned(),
                FinishReason::Other(reason) => format!("回答没有到达结尾: finish_reason 是 {reason:?}"),
            },
            Self::Refused { message } => with_words("没有给出回答", message),
        };
        let hint = match self {
            Self::Unfinished { reason: FinishReason::Length } => {
                Some("增大提供者的 max_tokens，或要求更短的回答")
            }
            Self::Refused { .. } => hint_for_program(self.cause()),
            _ => None,
        };
        Explanation { hint: hint.map(str::to_owned), ..Explanation::new(what) }
    }

    fn en(&self) -> Explanation {
        in_english(self, self.hint().map(str::to_owned))
    }
}

impl Explain for KeyError {
    fn zh(&self) -> Explanation {
        match self {
            Self::NoVariable { name } => Explanation::new(format!("环境变量 {name} 没有设置"))
                .with_hint("把它设为密钥，或修改提供者的 api_key_env"),
            Self::NoOutput { program, reason } => {
                Explanation::new(format!("{program} 没有输出密钥: {reason}"))
                    .with_hint("检查提供者的 api_key_command")
            }
            Self::NotAKey => Explanation::new("密钥为空，或含有不允许的字符")
                .with_hint("检查提供者的 api_key_env 或 api_key_command"),
        }
    }

    fn en(&self) -> Explanation {
        in_english(self, Some(self.hint().to_owned()))
    }
}

/// The English words stand beside the types: they are recorded as well.
fn in_english(error: &impl ToString, hint: Option<String>) -> Explanation {
    Explanation { hint, ..Explanation::new(error.to_string()) }
}

/// What to do where a program has named the cause.
fn hint_for_program(cause: Cause) -> Option<&'static str> {
    match cause {
        Cause::Busy | Cause::Fault => Some("稍后重试"),
        Cause::Quota => Some(QUOTA),
        Cause::Key => Some("用该程序自身登录，或用提供者的 pass_env 把密钥传给它"),
        Cause::Lasting => None,
    }
}

const QUOTA: &str = "额度或余额已用完: 等待恢复，或换用其他提供者";

/// What others have said of it comes last.
fn with_words(what: &str, said: &str) -> String {
    if said.is_empty() { what.to_owned() } else { format!("{what}: {said}") }
}

/// In seconds, with a fraction only where there is one.
fn seconds(time: Duration) -> String {
    time.as_secs_f64().to_string()
}

fn ending(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("退出码 {code}"),
        (None, Some(signal)) => format!("信号 {signal}"),
        (None, None) => status.to_string(),
    }
}
