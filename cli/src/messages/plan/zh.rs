//! 中文.

use super::PlanMessage;
use texts::{Lang, agent_problem, plan_document, plan_event, plan_finding, plan_paused, syntax};

pub(super) fn render(message: &PlanMessage) -> String {
    match message {
        PlanMessage::NoAgents { path } => format!("没有智能体的文件夹: {}", path.display()),
        PlanMessage::MakeAgents => {
            "执行 aide plan init 写出一个计划及其智能体，或用 --agents 指定其文件夹".to_owned()
        }
        PlanMessage::UnknownPlan { name } => format!("没有此计划: {name}"),
        PlanMessage::KnownPlans { names } => format!("已有的计划: {}", names.join(", ")),
        PlanMessage::NoPlans => "没有计划".to_owned(),
        PlanMessage::ServeAgain => "请重新执行 aide plan serve".to_owned(),
        PlanMessage::ActivateOne => {
            "执行 aide plan init 写出一个，或执行 aide plan activate <DIR> 激活一个".to_owned()
        }
        PlanMessage::UnknownAgent { name } => format!("没有此智能体: {name}"),
        PlanMessage::KnownAgents { names } => format!("已有的智能体: {}", names.join(", ")),
        PlanMessage::NoSuchFolder { path } => format!("没有此文件夹: {}", path.display()),
        PlanMessage::NoDag { path } => format!("{} 中没有 task_dag.json", path.display()),
        PlanMessage::WhatAPlanIs => {
            "计划的文件夹包含 task_dag.json，可选的 plan_manifest.json，以及 commands/ 中每个任务一个命令文件"
                .to_owned()
        }
        PlanMessage::NotJson { file, error } => {
            format!("{file}: JSON 解析失败: {}", syntax(Lang::Zh, error))
        }
        PlanMessage::Broken { file, problem } => format!("{file}: {}", agent_problem(Lang::Zh, problem)),
        PlanMessage::Found { finding } => {
            format!("{}: {}", plan_document(finding.document), plan_finding(Lang::Zh, finding))
        }
        PlanMessage::IsValid { plan, tasks, hints: 0 } => format!("计划 {plan} 有效（{tasks} 个任务）"),
        PlanMessage::IsValid { plan, tasks, hints } => {
            format!("计划 {plan} 有效（{tasks} 个任务），另有 {hints} 处提醒")
        }
        PlanMessage::HasErrors { errors, hints: 0 } => format!("计划有 {errors} 个错误"),
        PlanMessage::HasErrors { errors, hints } => format!("计划有 {errors} 个错误，另有 {hints} 处提醒"),
        PlanMessage::NotActivated { errors } => format!("计划有 {errors} 个错误，没有激活"),
        PlanMessage::MendAndRepeat => "改正后重新执行；aide plan lint 只检查".to_owned(),
        PlanMessage::Activated { plan, revision, sha256, tasks, was_active } => {
            let what = if *was_active { "此前已激活" } else { "已激活" };
            format!("计划 {plan} {what}（版本 {revision}，DAG {sha256}，{tasks} 个任务）")
        }
        PlanMessage::NextRun => "下一步: aide plan run".to_owned(),
        PlanMessage::Event { plan, happened } => format!("{plan}: {}", plan_event(Lang::Zh, happened)),
        PlanMessage::NothingToDo => "没有需要处理的内容".to_owned(),
        PlanMessage::Trouble { plan, why } => format!("{plan}: {}", why.zh().what),
        PlanMessage::Paused { plan, code } => format!("{plan}: {}", plan_paused(Lang::Zh, *code)),
        PlanMessage::NotYetSeen { plan } => format!("计划 {plan} 还没有状态；aide plan tick 或 run 后才有"),
        PlanMessage::Plan { plan, updated_at } => format!("计划 {plan}（{updated_at}）"),
        PlanMessage::Summary { total, completed, running, failed, skipped, blocked } => format!(
            "共 {total} 个任务: 完成 {completed}，进行中 {running}，等待输入 {}，等待评审 {}，等待用户 {}，失败 {failed}，跳过 {skipped}",
            blocked.input, blocked.review, blocked.human
        ),
        PlanMessage::ReviewGate { status, score: None } => format!("DAG 评审: {}", gate(status)),
        PlanMessage::ReviewGate { status, score: Some(score) } => {
            format!("DAG 评审: {}（{score} 分）", gate(status))
        }
        PlanMessage::ReleaseGate { status } => format!("发布: {}", gate(status)),
        PlanMessage::OpenRequest { title, session: Some(session) } => {
            format!("等待用户处理: {title}（aide decide answer {session}）")
        }
        PlanMessage::OpenRequest { title, session: None } => {
            format!("等待用户处理: {title}（尚未提问；aide plan run 会提问）")
        }
        PlanMessage::AnsweredRequest { title } => format!("已答复: {title}（由 aide plan run 继续执行）"),
        PlanMessage::GivenUp { plan, count } => {
            format!("有 {count} 条消息已放弃投递，执行 aide plan replay {plan} --list 查看")
        }
        PlanMessage::DeadLetter { letter, time, code, file, message, is_retriable } => {
            let message = message.as_deref().unwrap_or("-");
            let retriable = match is_retriable {
                Some(true) => "可重试",
                Some(false) => "不可重试",
                None => "未知是否可重试",
            };
            format!("{letter}  {time}  {code}  {file}  {message}  {retriable}")
        }
        PlanMessage::NoDeadLetters => "没有放弃投递的消息".to_owned(),
        PlanMessage::NotGivenUp { name } => format!("没有可重新投递的消息: {name}"),
        PlanMessage::SeeDeadLetters { plan } => {
            format!("执行 aide plan replay {plan} --list 查看放弃投递的消息；没有 message_id 的不能重新投递")
        }
        PlanMessage::ReplayRequested { message } => format!("已请求重新投递 {message}"),
        PlanMessage::NextTick => "由正在运行的 aide plan run 或下一次 aide plan tick 投递".to_owned(),
        PlanMessage::Released { release, is_approved: true } => format!("APPROVE: 可以发布（{release}）"),
        PlanMessage::Released { release, is_approved: false } => format!("REJECT: 不能发布（{release}）"),
        PlanMessage::EvidenceMissing { name } => format!("缺少证据: {name}"),
        PlanMessage::EvidenceRejected { name, why } => format!("证据不合格: {name}（{why}）"),
        PlanMessage::NoManifest { plan } => format!("计划 {plan} 没有 plan_manifest.json"),
        PlanMessage::AddManifest => "在计划的文件夹中添加 plan_manifest.json 并重新激活".to_owned(),
        PlanMessage::Run(message) => message.render(Lang::Zh),
        PlanMessage::Again(message) => message.render(Lang::Zh),
    }
}

/// How a gate stands.
fn gate(status: &str) -> &str {
    match status {
        "PENDING" => "等待中",
        "APPROVED" => "已批准",
        "REJECTED" => "已拒绝",
        "REVISE" => "需要修改",
        other => other,
    }
}
