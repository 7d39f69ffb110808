//! 中文.

use super::{json, quoted};
use crate::show;
use model::MAX_SAFE_INTEGER;
use protocol::agent::{Id, PathFault, Problem, RelPath, Rule};

pub(super) fn problem(path: &str, problem: &Problem) -> String {
    let path = if path.is_empty() { "文档" } else { path };
    let found = match json(&problem.found) {
        None => "当前缺失".to_owned(),
        Some(json) => format!("实际为 {json}"),
    };
    match &problem.rule {
        Rule::IsGiven => format!("{path} 不能缺少，{found}"),
        Rule::IsObject => format!("{path} 必须为对象，{found}"),
        Rule::IsString => format!("{path} 必须为字符串，{found}"),
        Rule::NotBlank => format!("{path} 不能为空，{found}"),
        Rule::IsBoolean => format!("{path} 必须为 true 或 false，{found}"),
        Rule::IsInteger { least } => format!("{path} 必须为 {least}-{MAX_SAFE_INTEGER} 的整数，{found}"),
        Rule::IsNumber { least } => format!("{path} 必须为不小于 {least} 的数字，{found}"),
        Rule::IsScore => format!("{path} 必须为 0-100 的数字，{found}"),
        Rule::IsArray => format!("{path} 必须为数组，{found}"),
        Rule::IsFilledArray => format!("{path} 必须为至少 1 个元素的数组，{found}"),
        Rule::IsOneOf { names } => format!("{path} 必须为 {} 之一，{found}", quoted(names, "、")),
        Rule::IsId => {
            let most = Id::MAX;
            format!("{path} 只能由字母、数字、“.”、“_”、“-”组成，不能以点开头，最多 {most} 个字符，{found}")
        }
        Rule::IsCommandId => format!("{path} 必须以 cmd_ 开头，{found}"),
        Rule::IsPath { fault } => match fault {
            PathFault::Empty => format!("{path} 必须为路径，且各级名称不能为空，{found}"),
            PathFault::Absolute => format!("{path} 必须为相对路径，{found}"),
            PathFault::Parent => format!("{path} 不能用 .. 指向上级目录，{found}"),
            PathFault::Control => format!("{path} 不能含有控制字符，{found}"),
            PathFault::TooLong => format!(
                "{path} 最长 {} 字节，其中每级名称最长 {} 字节，{found}",
                RelPath::MAX,
                RelPath::MAX_COMPONENT
            ),
            PathFault::Reserved => format!("{path} 不能是隐藏文件，也不能与智能体的控制文件同名，{found}"),
        },
        Rule::IsSha256 => format!("{path} 必须为 sha256: 加 64 位小写十六进制数字，{found}"),
        Rule::IsTimestamp => format!("{path} 必须为时间，如 2026-01-12T09:00:00Z，{found}"),
        Rule::IsVersion => format!("{path} 必须为版本号，如 1.0，{found}"),
        Rule::VersionSupported { newest, .. } => {
            format!("{path} 必须为受支持的版本（最新为 {newest}），{found}")
        }
        Rule::IsMessageType => format!("{path} 必须为 \"command\" 或 \"artifact\"，{found}"),
        Rule::SameAsEnvelope { envelope } => {
            format!("{path} 必须与信封一致，为 {}，{found}", show::quoted(envelope))
        }
        Rule::SeqGiven => format!("{path} 在计划的命令中不能缺少，{found}"),
        Rule::SeqInId => format!("{path} 在计划的命令中必须为 cmd_任务_序号，序号至少三位，{found}"),
        Rule::SeqMatchesId { in_id } => {
            format!("{path} 必须与 command_id 末尾的序号（{}）一致，{found}", show::plain(in_id))
        }
        Rule::TaskMatchesId { in_id } => {
            format!("{path} 必须与 command_id 中的任务（{}）一致，{found}", show::plain(in_id))
        }
        Rule::NamesNoTarget => format!("{path} 不允许出现: 命令不指定投递目标，投递由 DAG 决定"),
        Rule::MinNotAboveMax => format!("{path} 不能大于 max_score，{found}"),
        Rule::NeedsScore => format!("{path} 只能与 score_required: true 一起使用"),
        Rule::IsUnique => format!("{path} 必须唯一，重复值: {}", json(&problem.found).unwrap_or_default()),
        Rule::NeedsHashes => format!("{path} 必须列出 by_sha256 可选的哈希，{found}"),
    }
}

pub(super) fn further(count: usize) -> String {
    format!("另有 {count} 个问题:")
}

pub(super) fn left_out(count: usize) -> String {
    format!("以及其他 {count} 个问题")
}
