//! What the codes of a plan mean, and what an alert says, in a sentence.

use super::waiting::names_in;
use crate::Lang;
use protocol::agent::{Alert, Code};
use serde_json::Value;

/// What went wrong, in a few words.
pub fn plan_code(lang: Lang, code: Code) -> &'static str {
    let [en, zh] = both(code);
    match lang {
        Lang::Zh => zh,
        Lang::En => en,
    }
}

/// What an alert says. Those that the program gives have an id of the program's and say so in the language of the page, with the
/// names that are known; the words of an agent stay as they are.
pub fn plan_alert(lang: Lang, alert: &Alert) -> String {
    let code = Code::named(&alert.kind).filter(|code| {
        let begin = format!("alert_{}_", code.name().to_lowercase());
        alert.alert_id.as_str().starts_with(&begin)
    });
    let Some(code) = code else { return alert.message.to_string() };
    let detail = |key| alert.details.as_ref().and_then(|details| details.get(key));
    let missing = detail("missing").map(names_in).unwrap_or_default().join(", ");
    let told = |key| detail(key).and_then(Value::as_str).unwrap_or_default();
    let names = [&*missing, told("file_name"), told("file"), told("path"), told("error")];
    let mut sentence = plan_code(lang, code).to_owned();
    for name in names.into_iter().filter(|name| !model::is_blank(name)) {
        sentence.push_str(": ");
        sentence.push_str(name);
    }
    sentence
}

fn both(code: Code) -> [&'static str; 2] {
    match code {
        Code::EnvelopeParseError => ["A message is not JSON", "消息不是 JSON"],
        Code::SchemaInvalid | Code::EnvelopeInvalid => ["A message is not valid", "消息无效"],
        Code::SchemaVersionUnsupported => ["The version of a message is not supported", "不支持消息的版本"],
        Code::UnsupportedMessageType | Code::UnknownMessageType => {
            ["The type of a message is not known", "消息类型未知"]
        }
        Code::RoutingNoTarget => ["No agent receives this output", "没有智能体接收此输出"],
        Code::TargetAgentNotFound => ["The receiving agent does not exist", "接收消息的智能体不存在"],
        Code::MessageIdReusedWithDifferentPayload => {
            ["The id of a message was reused for another message", "消息标识已用于其他消息"]
        }
        Code::CommandDagMismatch => {
            ["A command was made for a DAG that is not active", "命令所属的 DAG 不是当前的 DAG"]
        }
        Code::UnhandledException => ["Internal error", "程序自身出错"],
        Code::MissingPayload => ["A file of a message is missing", "消息缺少文件"],
        Code::CommandEnvelopeMismatch | Code::CommandArchiveInconsistent => {
            ["A command and its message name different things", "命令与其消息不一致"]
        }
        Code::CommandSeqMissing => ["A command has no number", "命令没有序号"],
        Code::CommandSeqInvalidFormat => ["The id of a command has no number", "命令标识中没有序号"],
        Code::CommandSeqMismatch => ["A command and its id have different numbers", "命令与其标识的序号不同"],
        Code::CommandTaskMismatch => ["A command and its id name different tasks", "命令与其标识的任务不同"],
        Code::DagMissing => ["The plan has no DAG and cannot continue", "计划没有 DAG，无法继续"],
        Code::DagSchemaVersionUnsupported => [
            "The version of the DAG is not supported; the plan cannot continue",
            "不支持 DAG 的版本，计划无法继续",
        ],
        Code::DagInvalid => ["The DAG is not valid", "DAG 无效"],
        Code::DagTaskNotFound => ["The DAG has no such task", "DAG 中没有这个任务"],
        Code::DagTaskNoAssignee => ["A task of the DAG has no agent", "DAG 中有任务没有指定智能体"],
        Code::DagOutputNotFound => ["The task has no such output", "任务没有这个输出"],
        Code::ActiveDagRefMismatch => {
            ["The DAG is not the one in active_dag_ref.json", "DAG 与 active_dag_ref.json 不符"]
        }
        Code::ActiveDagRefInvalid => {
            ["active_dag_ref.json is missing or not valid", "active_dag_ref.json 缺失或无效"]
        }
        Code::DagDuplicateTask => ["A task appears twice in the DAG", "DAG 中有重复的任务"],
        Code::DagUnknownDependency => ["A task depends on one that does not exist", "依赖的任务不存在"],
        Code::DagCycle => ["Tasks depend on each other", "任务相互依赖"],
        Code::DagDuplicateOutput => ["A task has two outputs of one name", "任务有重名的输出"],
        Code::DagUnknownFallback => ["A fallback task does not exist", "备用任务不存在"],
        Code::AckSchemaInvalid => ["An acknowledgement is not valid", "回执无效"],
        Code::AckIdReusedWithDifferentContent => {
            ["A message was acknowledged in two ways", "同一消息有不同的回执"]
        }
        Code::HumanRequestSchemaInvalid => ["A request to the user is not valid", "对用户的请求无效"],
        Code::HumanResponseSchemaInvalid => ["A response of the user is not valid", "用户的答复无效"],
        Code::HumanResponseMissingDeliverTo => {
            ["No agent receives a file of the user", "用户提供的文件没有接收者"]
        }
        Code::HumanRequestIdReusedWithDifferentContent => {
            ["The id of a request was reused for another request", "请求标识已用于其他请求"]
        }
        Code::HumanResponseIdReusedWithDifferentContent => {
            ["A request already has another response", "请求已有另一份答复"]
        }
        Code::HumanGatewayAgentMissing => [
            "Requests to the user wait: agent_human_gateway is missing",
            "缺少 agent_human_gateway，对用户的请求在等待",
        ],
        Code::HumanTimeout => ["The user has not answered in time", "用户未按时答复"],
        Code::HumanRejected => ["The user declined the request", "用户拒绝了请求"],
        Code::DecisionSchemaInvalid => ["A decision is not valid", "决定无效"],
        Code::DecisionIdReusedWithDifferentContent => {
            ["The id of a decision was reused for another decision", "决定标识已用于其他决定"]
        }
        Code::ReleaseManifestSchemaInvalid => ["A release is not valid", "发布无效"],
        Code::ReleaseIdReusedWithDifferentContent => {
            ["The id of a release was reused for another release", "发布标识已用于其他发布"]
        }
        Code::UnsafePath => ["A path is not safe", "路径不安全"],
        Code::InputConflict => ["An input already exists with different content", "已有同名但内容不同的输入"],
        Code::InputAmbiguous => [
            "Several tasks have produced an input; the user is asked to choose one",
            "有多个任务产出同一输入，已请用户选择",
        ],
        Code::PayloadFinalizeConflict => {
            ["A file of a message already exists with different content", "消息的文件已存在且内容不同"]
        }
        Code::PayloadShaMismatch => {
            ["A file of a message is not the one that was sent", "消息的文件与发送时不同"]
        }
        Code::WaitForInputsTimeout => ["Inputs are missing; the user is asked", "缺少输入，已请求人工处理"],
        Code::TaskStateCorruptFallback => ["The state of a task cannot be read", "任务的状态无法读取"],
        Code::CommandAckTimeout => ["A command was not acknowledged in time", "命令未按时得到回执"],
        Code::PlanStatusAggregationFailed => {
            ["The state of the plan cannot be determined", "无法得出计划的状态"]
        }
        Code::Timeout => ["It timed out", "等待的内容未按时到达"],
        Code::HeartbeatTimeout => {
            ["An agent has work and has not been active for a long time", "智能体有任务，但很久没有活动"]
        }
        Code::IdempotencyKeyReused => [
            "The key of a command that has ended was used again with other content",
            "已结束命令的键带来了不同的内容",
        ],
        Code::LlmFailed => ["The LLM has not answered", "LLM 没有答复"],
        Code::LlmOutputInvalid => {
            ["The answer of the LLM does not have the required format", "LLM 的答复不合要求的格式"]
        }
        Code::ScoreMissing => ["The answer of the LLM has no score", "LLM 的答复没有评分"],
        Code::ScoreOutOfRange => ["The score is not from 0 to 100", "评分不在 0 至 100 之间"],
        Code::OutputMissing => ["The answer of the LLM lacks a file", "LLM 的答复缺少文件"],
        Code::OutputCollision => ["Another task has written a file of this name", "另一任务已写出同名文件"],
        Code::TaskFailed => ["A task has failed", "任务失败"],
        Code::ReleaseDecisionMismatch => {
            ["The release and the decision about it contradict each other", "发布与关于它的决定矛盾"]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::plan_alert;
    use crate::Lang;
    use protocol::agent::{Alert, Format};
    use serde_json::{Value, json};

    fn told(lang: Lang, id: &str, kind: &str, details: Value) -> String {
        let alert = json!({
            "schema_version": "1.0", "alert_id": id, "plan_id": "plan_a", "severity": "HIGH", "type": kind,
            "created_at": "2026-01-12T10:00:04Z", "message": "In words of its own.", "details": details,
        });
        plan_alert(lang, &Alert::parse(alert.to_string().as_bytes()).unwrap())
    }

    #[test]
    fn an_alert_of_the_program_is_told_in_the_language_of_the_page() {
        let (id, kind) = ("alert_wait_for_inputs_timeout_0123456789abcdef", "WAIT_FOR_INPUTS_TIMEOUT");
        let details = json!({ "missing": ["approval.md", { "name": "b.md" }], "request_id": "req_1" });
        assert_eq!(told(Lang::Zh, id, kind, details.clone()), "缺少输入，已请求人工处理: approval.md, b.md");
        assert_eq!(
            told(Lang::En, id, kind, details),
            "Inputs are missing; the user is asked: approval.md, b.md"
        );
        assert_eq!(
            told(Lang::Zh, "alert_task_failed_0123456789abcdef", "TASK_FAILED", json!({})),
            "任务失败"
        );
    }

    #[test]
    fn an_agent_is_left_its_words() {
        for (id, kind) in [("alert_1", "TASK_FAILED"), ("alert_task_failed_1", "SOMETHING")] {
            assert_eq!(told(Lang::Zh, id, kind, json!({})), "In words of its own.");
        }
    }
}
