//! 中文: the documented messages to the letter, and the others in their manner.

use super::{FlowMessage, files, folders, phase_line, shell_words};
use model::flow::short_hash;
use texts::Lang;

pub(super) fn render(message: &FlowMessage) -> String {
    match message {
        FlowMessage::Started { phase } => format!("任务开始: {phase}"),
        FlowMessage::Entered { phase } => format!("进入环节: {phase}"),
        FlowMessage::WentBack { phase } => format!("回退到环节: {phase}"),
        FlowMessage::ErrorRecorded { summary } => format!("错误已记录: {summary}"),
        FlowMessage::DiagramsDone { count } => format!("PlantUML 处理完成: {count} 个文件"),
        FlowMessage::NoPlantUml => "未找到 PlantUML（jar 或系统命令），已跳过校验/PNG 生成".to_owned(),
        FlowMessage::ChangelogReminder { path } => format!("请更新 {path}"),
        FlowMessage::ChangelogMissed { path } => format!("离开 docs 前没有更新 {path}"),
        FlowMessage::NotCommitted { why } => format!("已记录，但没有提交: {}", why.zh().what),
        FlowMessage::Interrupted { task, phase } => {
            format!("任务 {task} 尚在环节 {phase}，已归档，可用 aide flow show {task} 查看")
        }
        FlowMessage::RepositoriesLeftOut { paths } => {
            format!("仓库中的 git 仓库没有提交: {}", folders(paths, "、"))
        }
        FlowMessage::SubmoduleOrIgnore { path } => format!(
            "作为子模块: git submodule add <URL> {path}；不纳入版本管理: 在 .gitignore 中加入 {path}/；作为普通文件: 删除其中的 .git"
        ),

        FlowMessage::Committed { files, hash } => format!("已提交 {files} 个文件: {}", short_hash(hash)),
        FlowMessage::Recovered { files, hash } => {
            format!("此前被中断的命令已提交 {files} 个文件: {}", short_hash(hash))
        }
        FlowMessage::OthersCommitted { paths, count } => {
            format!("此提交包含任务开始前已有的 {count} 个文件的改动: {}", files(paths, "、"))
        }
        FlowMessage::HowToBeAsked => {
            "撤销提交而保留文件: git reset HEAD^（首个提交: git update-ref -d HEAD）；之后的操作仍会提交它们，除非先 git stash -u；有此类改动时不开始任务: aide config set flow.commit ask"
                .to_owned()
        }
        FlowMessage::SecretsCommitted { paths } => format!("已提交，但疑似密钥: {}", files(paths, "、")),
        FlowMessage::TakeOut { paths } => {
            let paths = shell_words(paths);
            format!("如果确是密钥，推送之前: git rm --cached {paths}，加入 .gitignore，git commit --amend")
        }
        FlowMessage::SecretsLeftOut { paths } => format!("疑似密钥，没有提交: {}", files(paths, "、")),
        FlowMessage::AddOrIgnore { paths } => match &paths[..] {
            [path] => {
                format!("如果确是密钥: 将 {path} 加入 .gitignore；如果不是: git add {}", shell_words(paths))
            }
            paths => format!("是密钥的加入 .gitignore；不是的: git add {}", shell_words(paths)),
        },
        FlowMessage::CommitOthers { paths, count } => {
            format!("任务开始前已有 {count} 个文件的改动: {}。包含在任务的第一次提交中吗？[y/N]", files(paths, "、"))
        }
        FlowMessage::CommitSecrets { paths } => {
            format!("疑似密钥: {}。仍要提交吗？[y/N]", files(paths, "、"))
        }
        FlowMessage::NothingBegun => "没有开始任务，也没有提交".to_owned(),
        FlowMessage::HowNotToCommit => {
            "先自行提交或 git stash；或只提交您用 git add 暂存的内容: aide config set flow.git.add_strategy staged".to_owned()
        }
        FlowMessage::CannotAsk { paths, count } => format!(
            "flow.commit 为 \"ask\" 而没有终端，无法询问是否提交任务开始前已有的 {count} 个文件的改动: {}",
            files(paths, "、")
        ),
        FlowMessage::SayYes => "用户同意后加上 --yes；或先自行提交或 git stash".to_owned(),

        FlowMessage::BackAtNothing => "已回退到第一步之前，没有更早的步骤".to_owned(),
        FlowMessage::BackAt { step, summary } => format!("已回到步骤 {step}: {summary}"),
        FlowMessage::Restored { step, hash, path } => {
            format!("步骤 {step}（{}）时的文件: {path}", short_hash(hash))
        }
        FlowMessage::RemoveRestored { path } => format!("删除: git worktree remove {path}"),

        FlowMessage::ConfirmBack => "返工需要确认。请先完成以下准备工作:".to_owned(),
        FlowMessage::ConfirmBackFirst => "1. 学习返工流程指南".to_owned(),
        FlowMessage::ConfirmBackThen => "2. 更新任务文档（记录返工原因和新需求）".to_owned(),
        FlowMessage::ConfirmBackCommand => "3. 完成准备工作后执行:".to_owned(),
        FlowMessage::ConfirmCommand { key } => format!("   aide flow back-confirm --key {key}"),
        FlowMessage::RunConfirm { key } => format!("请执行: aide flow back-confirm --key {key}"),
        FlowMessage::BackRequested => "已存在待确认的返工请求".to_owned(),
        FlowMessage::BackTarget { phase } => format!("目标环节: {phase}"),
        FlowMessage::BackReason { reason } => format!("原因: {reason}"),
        FlowMessage::BackCancelled => "返工请求已取消".to_owned(),
        FlowMessage::BeginAnew => "建议执行 /exit 重新开始对话".to_owned(),
        FlowMessage::GiveKey => "需要 --key <KEY> 或 --cancel".to_owned(),

        FlowMessage::NoTask => "无活跃任务".to_owned(),
        FlowMessage::PresentTask { task } => format!("当前任务: {task}"),
        FlowMessage::Phase { phase } => format!("环节: {phase}"),
        FlowMessage::Step { step } => format!("步骤: {step}"),
        FlowMessage::StartedAt { time } => format!("开始时间: {time}"),
        FlowMessage::Latest { summary } => format!("最新操作: {summary}"),
        FlowMessage::LatestAt { time } => format!("操作时间: {time}"),
        FlowMessage::Commit { hash } => format!("Git 提交: {}", short_hash(hash)),
        FlowMessage::PhaseLine { phases, present } => format!("进度: {}", phase_line(phases, present)),
        FlowMessage::TimeSpent { seconds, in_phase } => {
            let words = Lang::Zh.history();
            format!("用时: {}（本环节 {}）", words.duration(*seconds), words.duration(*in_phase))
        }
        FlowMessage::Problems { errors, issues } => format!("错误: {errors}，问题: {issues}"),
        FlowMessage::LastSteps => "最近步骤:".to_owned(),
        FlowMessage::OpenDecisions { count } => {
            format!("待决策: {count} 项，执行 aide decide open 打开页面")
        }
        FlowMessage::NoTasks => "暂无任务记录".to_owned(),
        FlowMessage::PresentTasks => "当前任务:".to_owned(),
        FlowMessage::EarlierTasks => "已归档任务:".to_owned(),
        FlowMessage::TaskLine { number, is_present, task, phase, summary } => {
            format!("{}[{number}] {task} ({phase}) {summary}", if *is_present { '*' } else { ' ' })
        }
        FlowMessage::UnreadableTask { number, task, why } => format!(" [{number}] {task}  {}", why.zh().what),
        FlowMessage::SeeTask => "提示: 使用 aide flow show <task_id> 查看详细状态".to_owned(),
        FlowMessage::TaskId { task } => format!("任务 ID: {task}"),
        FlowMessage::PresentPhase { phase } => format!("当前环节: {phase}"),
        FlowMessage::PresentStep { step } => format!("当前步骤: {step}"),
        FlowMessage::History => "历史记录:".to_owned(),
        FlowMessage::Entry { number, time, action, phase, step, summary, hash } => {
            let hash = if hash.is_empty() { String::new() } else { format!(" [{}]", short_hash(hash)) };
            format!("[{number}] {time} {action} {phase} step={step}: {summary}{hash}")
        }

        FlowMessage::UnknownTask { task } => format!("未找到任务: {task}"),
        FlowMessage::SeeTasks => "执行 aide flow list 查看全部任务".to_owned(),
    }
}
