//! The errors of `agent`, and why commands have failed.

use super::{Explain, Explanation, reason};
use crate::Lang;
use agent::{CommandFailure, ExecutionError, FolderError};
use files::Holder;
use protocol::agent::Code;

impl Explain for FolderError {
    fn zh(&self) -> Explanation {
        match self {
            Self::Missing { path } => Explanation::new(format!("没有此智能体的文件夹: {}", path.display()))
                .with_hint("项目的智能体在 .aide/agents 中: mkdir -p .aide/agents/NAME；或检查 --agent"),
            Self::Held { path, holder } => {
                Explanation::new(format!("{} 正由{}使用", path.display(), holder_zh(holder)))
                    .with_hint("一个智能体的文件夹同时只能有一个程序使用；等待或结束它后重试")
            }
            Self::NotAnId { name } => Explanation::new(format!("文件夹名不能用作智能体的标识: {name}"))
                .with_hint("改名（字母、数字与 ._-，至多 128 个），或在 agent_profile.json 中写明 agent_id"),
            Self::Invalid { path, error } => {
                let mut explanation = error.zh();
                explanation.what = format!("{}: {}", path.display(), explanation.what);
                explanation
            }
            Self::File(error) => error.zh(),
        }
    }

    fn en(&self) -> Explanation {
        match self {
            Self::Missing { path } => Explanation::new(format!("no such agent folder: {}", path.display()))
                .with_hint("agents of a project are in .aide/agents: mkdir -p .aide/agents/NAME, or check --agent"),
            Self::Held { path, holder } => {
                Explanation::new(format!("{} is in use by {}", path.display(), holder_en(holder))).with_hint(
                    "only one program at a time may use an agent's folder; wait for it to finish, or stop it, then try again",
                )
            }
            Self::NotAnId { name } => {
                Explanation::new(format!("the folder's name cannot be the id of an agent: {name}")).with_hint(
                    "rename it (letters, digits and ._-, at most 128), or write agent_id in its agent_profile.json",
                )
            }
            Self::Invalid { path, error } => {
                let mut explanation = error.en();
                explanation.what = format!("{}: {}", path.display(), explanation.what);
                explanation
            }
            Self::File(error) => error.en(),
        }
    }
}

pub(super) fn holder_zh(holder: &Holder) -> String {
    let purpose = if holder.purpose.is_empty() { String::new() } else { format!(" aide {}", holder.purpose) };
    match holder.pid {
        Some(pid) => format!("另一个程序{purpose}（进程 {pid}）"),
        None => format!("另一个程序{purpose}"),
    }
}

pub(super) fn holder_en(holder: &Holder) -> String {
    let program = if holder.purpose.is_empty() {
        "another program".to_owned()
    } else {
        format!("aide {}", holder.purpose)
    };
    match holder.pid {
        Some(pid) => format!("{program} (process {pid})"),
        None => program,
    }
}

impl Explain for ExecutionError {
    fn zh(&self) -> Explanation {
        const AGAIN: &str = "命令没有结束，可以重新执行";
        match self {
            Self::File(error) => error.zh(),
            Self::NotRecorded(source) => {
                Explanation::new(format!("无法记录请求或回答: {}", reason(Lang::Zh, source))).with_hint(AGAIN)
            }
            Self::MessageReused { message_id } => {
                Explanation::new(format!("{}: {message_id}", Code::MessageIdReusedWithDifferentPayload))
                    .with_hint("此 message_id 属于另一条消息；使用新的 message_id")
            }
            Self::Json(error) => Explanation::new(format!("无法写成 JSON: {error}")).with_hint(AGAIN),
            Self::Questions(error) => error.zh(),
        }
    }

    fn en(&self) -> Explanation {
        const AGAIN: &str = "the command has not ended and can be run again";
        match self {
            Self::File(error) => error.en(),
            Self::NotRecorded(source) => Explanation::new(format!(
                "cannot record the request or its answer: {}",
                reason(Lang::En, source)
            ))
            .with_hint(AGAIN),
            Self::MessageReused { message_id } => {
                Explanation::new(format!("{}: {message_id}", Code::MessageIdReusedWithDifferentPayload))
                    .with_hint("this message_id belongs to another message; use a new one")
            }
            Self::Json(error) => {
                Explanation::new(format!("cannot be written as JSON: {error}")).with_hint(AGAIN)
            }
            Self::Questions(error) => error.en(),
        }
    }
}

/// The code, what it means, and what was found.
impl Explain for CommandFailure {
    fn zh(&self) -> Explanation {
        let (what, hint) = match self.code {
            Some(Code::LlmOutputInvalid) => (
                "LLM 的回答不符合要求的格式，纠正一次后仍不符合",
                "修改提示词或换一个提供者，以新的命令重新执行",
            ),
            Some(Code::ScoreMissing) => {
                ("LLM 的回答没有评分，纠正一次后仍没有", "在提示词中写明评分要求，以新的命令重新执行")
            }
            Some(Code::ScoreOutOfRange) => {
                ("LLM 的评分不在 0 到 100 之间", "在提示词中写明评分范围，以新的命令重新执行")
            }
            Some(Code::OutputMissing) => {
                ("LLM 的回答缺少要产出的文件", "在提示词中写明每个文件的内容，以新的命令重新执行")
            }
            Some(Code::OutputCollision) => {
                ("另一个任务已产出同名文件", "为其中一个任务的 produces 换一个路径，以新的命令重新执行")
            }
            Some(Code::IdempotencyKeyReused) => {
                ("此幂等键属于另一条命令", "使用新的 idempotency_key，或恢复原来的命令")
            }
            Some(Code::InputAmbiguous) => {
                ("多个任务产出了同名输入", "在 resolved_inputs 中写明使用哪一个，以新的命令重新执行")
            }
            Some(Code::HumanRejected) => ("用户拒绝了请求", "按用户的理由修改后，以新的命令重新执行"),
            Some(Code::HumanTimeout) => {
                ("用户没有在 agent.human_timeout 之内提供输入", "补齐输入，以新的命令重新执行")
            }
            Some(Code::Timeout) => ("LLM 没有在规定时间内回答", "稍后重试，或增大提供者的 timeout"),
            Some(Code::LlmFailed) => ("LLM 没有回答", "检查提供者的配置后重试"),
            _ => ("命令执行失败", "详见智能体文件夹中的 logs/error_chains.jsonl"),
        };
        explained(self, what, hint)
    }

    fn en(&self) -> Explanation {
        let (what, hint) = match self.code {
            Some(Code::LlmOutputInvalid) => (
                "the LLM's answer did not have the required form, even after one correction",
                "change the prompt or use another provider, and run a new command",
            ),
            Some(Code::ScoreMissing) => (
                "the LLM's answer had no score, even after one correction",
                "ask for the score in the prompt, and run a new command",
            ),
            Some(Code::ScoreOutOfRange) => (
                "the LLM's score was not from 0 to 100",
                "name the range in the prompt, and run a new command",
            ),
            Some(Code::OutputMissing) => (
                "the LLM's answer lacked a required file",
                "describe each file in the prompt, and run a new command",
            ),
            Some(Code::OutputCollision) => (
                "another task has produced a file of the same name",
                "give one of the tasks another path in produces, and run a new command",
            ),
            Some(Code::IdempotencyKeyReused) => (
                "this idempotency key belongs to another command",
                "use a new idempotency_key, or the original command",
            ),
            Some(Code::InputAmbiguous) => (
                "several tasks have produced an input of this name",
                "name the intended one in resolved_inputs, and run a new command",
            ),
            Some(Code::HumanRejected) => {
                ("the user declined the request", "change it as the user asks, and run a new command")
            }
            Some(Code::HumanTimeout) => (
                "the user did not provide the inputs within agent.human_timeout",
                "provide the inputs, and run a new command",
            ),
            Some(Code::Timeout) => {
                ("the LLM did not answer in time", "try again later, or raise the provider's timeout")
            }
            Some(Code::LlmFailed) => {
                ("the LLM did not answer", "check the provider's configuration, then try again")
            }
            _ => ("the command failed", "see logs/error_chains.jsonl in the agent's folder"),
        };
        explained(self, what, hint)
    }
}

fn explained(CommandFailure { code, detail }: &CommandFailure, what: &str, hint: &str) -> Explanation {
    let what = match code {
        Some(code) => format!("{code}: {what}"),
        None => what.to_owned(),
    };
    let mut explanation = Explanation::new(what).with_hint(hint);
    if !detail.is_empty() {
        explanation = explanation.with_lines(vec![detail.clone()]);
    }
    explanation
}
