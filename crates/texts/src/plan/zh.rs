//! 中文.

use super::{list, quote};
use agent::dag::{Flaw, OpenItem};
use agent::plan::PlanEvent;
use protocol::agent::{Code, State};

pub(super) fn flaw(flaw: &Flaw) -> String {
    match flaw {
        Flaw::DuplicateTask(task) => format!("任务 {task} 重复"),
        Flaw::UnknownDependency(task) => format!("依赖的任务 {task} 不存在"),
        Flaw::Cycle(tasks) => format!("任务相互依赖: {}", list(tasks, " → ")),
        Flaw::DuplicateOutput(output) => format!("输出 {output} 重复"),
        Flaw::UnknownFallback(task) => format!("备用任务 {task} 不存在，或就是此任务"),
        Flaw::MissingFallback => "策略为 FALLBACK，但没有备用任务".to_owned(),
        Flaw::FallbackNeedsTask(task) => format!("备用任务 {task} 依赖此任务"),
        Flaw::UnknownAgent(agent) => format!("没有智能体 {agent} 的文件夹"),
        Flaw::UnreachableEvidence(file) => {
            format!("计划中没有任务产出证据 {}", quote(file.as_str()))
        }
        Flaw::UnreachableThreshold(format) => {
            format!("没有命令写出 {}；请在其文件中加上 \"format\"", format.name())
        }
        Flaw::EmptyGate => "门禁为必需，但没有写明证据或分数".to_owned(),
        Flaw::RoutingGap(output) => format!("输出 {output} 没有接收者"),
        Flaw::RuleShadows => "规则匹配一切，其后的规则不会生效".to_owned(),
        Flaw::RuleWithoutTarget => "规则没有接收者".to_owned(),
        Flaw::UnmadeDeliverable(name) => format!("没有任务产出交付物 {}", quote(name)),
        Flaw::UnknownTask(task) => format!("任务 {task} 不存在"),
        Flaw::UnreachableInput(name) => {
            format!("没有任务把输入 {} 交付给此任务的智能体，需由用户提供", quote(name))
        }
        Flaw::InputNotAwaited(task) => format!("输入由任务 {task} 产出，但此任务不依赖它"),
        Flaw::BadPattern(pattern) => format!("{} 不是有效的通配符", quote(pattern)),
        Flaw::OtherPlan(plan) => format!("属于另一个计划 {plan}"),
        Flaw::NoCommand(task) => format!("任务 {task} 没有命令文件"),
        Flaw::UnknownOutput(output) => format!("任务在 DAG 中没有输出 {output}"),
        Flaw::Misspelt { found, meant } => format!("没有名为 {} 的成员，是否为 {meant}？", quote(found)),
        Flaw::AgentIsFile(agent) => format!("{agent} 是文件；智能体应为文件夹"),
        Flaw::NotDelivered { input, maker, agent } => format!(
            "输入 {} 由 {maker} 产出，但没有投递给 {agent}；请在该输出的 deliver_to 中加入 {agent}",
            quote(input)
        ),
        Flaw::EmptySelector(input) => {
            format!("输入 {} 的选择器与此任务的智能体收到的任何内容都不匹配", quote(input))
        }
        Flaw::RuleMatchesNothing(output) => format!("没有任务有输出 {output}"),
        Flaw::NothingToJudge(task) => format!(
            "{task} 负责评审，但收不到要评审的内容；请加上 inputs，或把内容投递给它的智能体并在 depends_on 中写明任务"
        ),
        Flaw::TaskIdTooLong(task) => format!("任务标识过长，无法用于命令标识: {task}"),
    }
}

pub(super) fn happened(happened: &PlanEvent) -> String {
    match happened {
        PlanEvent::Delivered { message_id, task_id, output_name, from, to } => {
            let what = match (output_name, task_id) {
                (Some(output), Some(task)) => format!("{task} 的输出 {output} "),
                (Some(output), None) => format!("输出 {output} "),
                (None, Some(task)) => format!("{task} 的命令"),
                (None, None) => "消息".to_owned(),
            };
            match to {
                Some(to) => format!("{what}已投递: {from} → {to}（{message_id}）"),
                None => format!("{what}已归档: {from}（{message_id}）"),
            }
        }
        PlanEvent::GivenUp { code, from, file_name, detail } => {
            format!("{from} 的 {} 已放弃投递: {} [{code}]", quote(file_name), quote(detail))
        }
        PlanEvent::Issued { task_id, command_id, reexecutions: 0 } => {
            format!("已下发 {task_id} 的命令 {command_id}")
        }
        PlanEvent::Issued { task_id, command_id, reexecutions } => {
            format!("已下发 {task_id} 的命令 {command_id}（第 {reexecutions} 次重做）")
        }
        PlanEvent::Asked { request_id, task_id: Some(task) } => {
            format!("请求用户处理 {task}（{request_id}）")
        }
        PlanEvent::Asked { request_id, task_id: None } => format!("请求用户处理（{request_id}）"),
        PlanEvent::Answered { request_id } => format!("用户已答复（{request_id}）"),
        PlanEvent::Withdrawn { request_id, task_id: Some(task) } => {
            format!("{task} 的问题已撤回，不再需要答复（{request_id}）")
        }
        PlanEvent::Withdrawn { request_id, task_id: None } => {
            format!("问题已撤回，不再需要答复（{request_id}）")
        }
        PlanEvent::ReplanRequested { request_id } => format!("已请求重新规划（{request_id}）"),
        PlanEvent::Released { is_approved: true } => "发布已批准".to_owned(),
        PlanEvent::Released { is_approved: false } => "发布被拒绝".to_owned(),
        PlanEvent::Alerted { code, message } => format!("告警: {} [{code}]", quote(message)),
    }
}

pub(super) fn state(state: State) -> &'static str {
    match state {
        State::Pending => "等待前置",
        State::Ready => "就绪",
        State::Running => "进行中",
        State::BlockedWaitingInput => "等待输入",
        State::BlockedWaitingReview => "等待评审",
        State::BlockedWaitingHuman => "等待用户",
        State::Failed => "失败",
        State::Skipped => "已跳过",
        State::Completed => "已完成",
    }
}

pub(super) fn paused(code: Code) -> &'static str {
    match code {
        Code::DagMissing => "计划没有 DAG，重新激活后继续",
        Code::DagTaskNoAssignee => "DAG 中有任务没有指定智能体，重新激活后继续",
        Code::ActiveDagRefMismatch => "DAG 与 active_dag_ref.json 不符，重新激活后继续",
        Code::ActiveDagRefInvalid => "active_dag_ref.json 无效，重新激活后继续",
        Code::DagSchemaVersionUnsupported => "不支持此 DAG 的版本，重新激活后继续",
        _ => "计划的 DAG 无效，重新激活后继续",
    }
}

/// Why a plan is not done.
pub(super) fn open(open: &OpenItem) -> String {
    match open {
        OpenItem::NotArchived(name) => format!("交付物尚未产出: {name}"),
        OpenItem::NotAccepted(name) => format!("交付物尚未验收: {name}"),
        OpenItem::NeverSeen(agent) => format!("智能体从未运行: {agent}"),
        OpenItem::Failed(task) => format!("任务失败: {task}"),
        OpenItem::ReleasePending => "尚未决定是否发布".to_owned(),
        OpenItem::ReleaseRejected => "发布被拒绝".to_owned(),
    }
}

/// Why a task waits, where the reason is one that the system gives.
pub(super) fn reason(reason: &str) -> Option<&'static str> {
    Some(match reason {
        "MISSING_INPUTS" => "缺少输入",
        "WAIT_FOR_INPUTS_TIMEOUT" => "缺少的输入",
        "DEPENDENCIES" => "前置任务",
        "EVIDENCE_MISSING" => "缺少证据",
        "EVIDENCE_SHORT" => "评审通过",
        "INPUT_AMBIGUOUS" => "输入不唯一",
        "DEPENDENCY_FAILED" => "对失败任务的决定",
        "REPLAN_REQUESTED" => "已请求重新规划",
        "TIMEOUT" => "命令超时未结束",
        "DECIDED_BY_USER" => "用户选择了跳过",
        _ => return None,
    })
}
