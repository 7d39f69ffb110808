//! What is wrong with a plan, what happens to it, and what it is not done for, in both languages.

use crate::Lang;
use agent::dag::{Document, Finding, Flaw, Open};
use agent::plan::Happened;

/// The sentence for something that is wrong with a plan, with its place and its code.
pub fn finding(lang: Lang, finding: &Finding) -> String {
    let document = match finding.document {
        Document::Dag => "task_dag.json",
        Document::Manifest => "plan_manifest.json",
        Document::Command => "commands",
    };
    let sentence = match lang {
        Lang::Zh => flaw_zh(&finding.flaw),
        Lang::En => flaw_en(&finding.flaw),
    };
    format!("{document} {}: {sentence} [{}]", finding.path, finding.code())
}

fn flaw_zh(flaw: &Flaw) -> String {
    match flaw {
        Flaw::DuplicateTask(task) => format!("任务重复: {task}"),
        Flaw::UnknownDependency(task) => format!("依赖的任务不存在: {task}"),
        Flaw::Cycle(tasks) => format!("任务互相依赖: {}", joined(tasks, " → ")),
        Flaw::DuplicateOutput(output) => format!("输出重复: {output}"),
        Flaw::UnknownFallback(task) => format!("后备任务不存在，或是任务自身: {task}"),
        Flaw::MissingFallback => "FALLBACK 缺少 fallback_task_id".to_owned(),
        Flaw::FallbackNeedsTask(task) => format!("后备任务 {task} 依赖于此任务"),
        Flaw::UnknownAgent(agent) => format!("没有此 agent 的文件夹: {agent}"),
        Flaw::UnreachableEvidence(path) => format!("没有任务产出此证据: {path}"),
        Flaw::UnreachableThreshold(format) => format!("没有任务给出此种评分: {}", format.name()),
        Flaw::EmptyGate => "关卡没有写明需要什么".to_owned(),
        Flaw::RoutingGap(output) => format!("输出 {output} 不发给任何 agent，也没有适用的路由规则"),
        Flaw::RuleShadows => "此规则适用于一切，其后的规则不会生效".to_owned(),
        Flaw::RuleWithoutTarget => "路由规则没有目标".to_owned(),
        Flaw::UnmadeDeliverable(name) => format!("没有任务产出此交付物: {name}"),
        Flaw::UnknownTask(task) => format!("没有此任务: {task}"),
        Flaw::UnreachableInput(name) => format!("没有任务产出此输入，或没有发给执行者: {name}"),
        Flaw::InputNotAwaited(task) => format!("产出此输入的任务 {task} 不在 depends_on 中"),
        Flaw::BadPattern(pattern) => format!("不是有效的通配符: {pattern}"),
        Flaw::OtherPlan(plan) => format!("属于另一个计划: {plan}"),
        Flaw::NoCommand(task) => format!("任务 {task} 没有命令"),
        Flaw::UnknownOutput(output) => format!("命令产出的 {output} 不是其任务的输出"),
        Flaw::TaskIdTooLong(task) => format!("任务标识过长，无法组成命令的标识: {task}"),
    }
}

fn flaw_en(flaw: &Flaw) -> String {
    match flaw {
        Flaw::DuplicateTask(task) => format!("duplicate task: {task}"),
        Flaw::UnknownDependency(task) => format!("depends on a task that does not exist: {task}"),
        Flaw::Cycle(tasks) => format!("tasks depend on one another: {}", joined(tasks, " → ")),
        Flaw::DuplicateOutput(output) => format!("duplicate output: {output}"),
        Flaw::UnknownFallback(task) => {
            format!("the fallback task does not exist, or is the task itself: {task}")
        }
        Flaw::MissingFallback => "FALLBACK needs fallback_task_id".to_owned(),
        Flaw::FallbackNeedsTask(task) => format!("the fallback task {task} depends on this task"),
        Flaw::UnknownAgent(agent) => format!("there is no agent folder: {agent}"),
        Flaw::UnreachableEvidence(path) => format!("no task makes this evidence: {path}"),
        Flaw::UnreachableThreshold(format) => {
            format!("no task gives a score of this kind: {}", format.name())
        }
        Flaw::EmptyGate => "the gate does not say what it needs".to_owned(),
        Flaw::RoutingGap(output) => {
            format!("the output {output} is delivered to no agent, and no routing rule fits it")
        }
        Flaw::RuleShadows => "this rule fits everything; those after it never apply".to_owned(),
        Flaw::RuleWithoutTarget => "the routing rule has no target".to_owned(),
        Flaw::UnmadeDeliverable(name) => format!("no task makes this deliverable: {name}"),
        Flaw::UnknownTask(task) => format!("no such task: {task}"),
        Flaw::UnreachableInput(name) => {
            format!("no task makes this input, or it is not delivered to whoever needs it: {name}")
        }
        Flaw::InputNotAwaited(task) => format!("{task} makes this input and is not in depends_on"),
        Flaw::BadPattern(pattern) => format!("not a valid pattern: {pattern}"),
        Flaw::OtherPlan(plan) => format!("belongs to another plan: {plan}"),
        Flaw::NoCommand(task) => format!("the task {task} has no command"),
        Flaw::UnknownOutput(output) => {
            format!("the command makes {output}, which is not an output of its task")
        }
        Flaw::TaskIdTooLong(task) => format!("the task's id is too long for those of its commands: {task}"),
    }
}

fn joined(names: &[model::agent::Id], separator: &str) -> String {
    names.iter().map(ToString::to_string).collect::<Vec<_>>().join(separator)
}

/// The sentence for something that has happened to a plan.
pub fn happened(lang: Lang, happened: &Happened) -> String {
    let name = |id: &Option<model::agent::Id>| id.as_ref().map(ToString::to_string).unwrap_or_default();
    match (lang, happened) {
        (Lang::Zh, Happened::Delivered { task_id, output_name: Some(output), from, to, .. }) => match to {
            Some(to) => format!("已投递 {}/{output}: {from} → {to}", name(task_id)),
            None => format!("已归档 {}/{output}（来自 {from}）", name(task_id)),
        },
        (Lang::Zh, Happened::Delivered { task_id, from, to, .. }) => {
            format!("已投递 {} 的命令: {from} → {}", name(task_id), name(to))
        }
        (Lang::Zh, Happened::GivenUp { code, from, file_name, detail }) => {
            format!("已放弃 {from} 的 {file_name}: {code}（{detail}）")
        }
        (Lang::Zh, Happened::Issued { task_id, command_id, reexecutions: 0 }) => {
            format!("{task_id} 可以开始，已发出命令 {command_id}")
        }
        (Lang::Zh, Happened::Issued { task_id, command_id, reexecutions }) => {
            format!("{task_id} 须重做（第 {reexecutions} 次），已发出命令 {command_id}")
        }
        (Lang::Zh, Happened::Asked { request_id, task_id }) => {
            format!("已请求用户: {}（{request_id}）", name(task_id))
        }
        (Lang::Zh, Happened::Answered { request_id }) => format!("用户已答复: {request_id}"),
        (Lang::Zh, Happened::ReplanRequested { request_id }) => format!("已请求新的计划: {request_id}"),
        (Lang::Zh, Happened::Released { is_approved: true }) => "已批准发布".to_owned(),
        (Lang::Zh, Happened::Released { is_approved: false }) => "已拒绝发布".to_owned(),
        (Lang::Zh, Happened::Alerted { code, message }) => format!("警报 {code}: {message}"),
        (Lang::En, Happened::Delivered { task_id, output_name: Some(output), from, to, .. }) => match to {
            Some(to) => format!("delivered {}/{output}: {from} → {to}", name(task_id)),
            None => format!("archived {}/{output} from {from}", name(task_id)),
        },
        (Lang::En, Happened::Delivered { task_id, from, to, .. }) => {
            format!("delivered the command of {}: {from} → {}", name(task_id), name(to))
        }
        (Lang::En, Happened::GivenUp { code, from, file_name, detail }) => {
            format!("gave up {file_name} from {from}: {code} ({detail})")
        }
        (Lang::En, Happened::Issued { task_id, command_id, reexecutions: 0 }) => {
            format!("{task_id} can begin: issued {command_id}")
        }
        (Lang::En, Happened::Issued { task_id, command_id, reexecutions }) => {
            format!("{task_id} is to be done again ({reexecutions}): issued {command_id}")
        }
        (Lang::En, Happened::Asked { request_id, task_id }) => {
            format!("asked the user about {} ({request_id})", name(task_id))
        }
        (Lang::En, Happened::Answered { request_id }) => format!("the user has answered {request_id}"),
        (Lang::En, Happened::ReplanRequested { request_id }) => {
            format!("asked for another plan: {request_id}")
        }
        (Lang::En, Happened::Released { is_approved: true }) => "the release is approved".to_owned(),
        (Lang::En, Happened::Released { is_approved: false }) => "the release is rejected".to_owned(),
        (Lang::En, Happened::Alerted { code, message }) => format!("alert {code}: {message}"),
    }
}

/// Why a plan is not done.
pub fn open(lang: Lang, open: &Open) -> String {
    match (lang, open) {
        (Lang::Zh, Open::NotArchived(name)) => format!("交付物尚未产出: {name}"),
        (Lang::Zh, Open::NotAccepted(name)) => format!("交付物尚未验收: {name}"),
        (Lang::Zh, Open::NeverSeen(agent)) => format!("agent 从未运行: {agent}"),
        (Lang::Zh, Open::Failed(task)) => format!("任务失败: {task}"),
        (Lang::Zh, Open::ReleasePending) => "尚未决定是否发布".to_owned(),
        (Lang::Zh, Open::ReleaseRejected) => "发布被拒绝".to_owned(),
        (Lang::En, Open::NotArchived(name)) => format!("deliverable not made yet: {name}"),
        (Lang::En, Open::NotAccepted(name)) => format!("deliverable not accepted yet: {name}"),
        (Lang::En, Open::NeverSeen(agent)) => format!("agent never seen: {agent}"),
        (Lang::En, Open::Failed(task)) => format!("task failed: {task}"),
        (Lang::En, Open::ReleasePending) => "the release is not decided yet".to_owned(),
        (Lang::En, Open::ReleaseRejected) => "the release was rejected".to_owned(),
    }
}
