//! 中文: the documented messages to the letter, and the others in their manner.

use super::super::zh::reason;
use super::{FlowMessage, phase_line};
use flow::InProgress;
use model::flow::{StatusRule, short_hash};
use texts::Lang;

pub(super) fn tell(message: &FlowMessage) -> String {
    match message {
        FlowMessage::Started { phase } => format!("任务开始: {phase}"),
        FlowMessage::Entered { phase } => format!("进入环节: {phase}"),
        FlowMessage::WentBack { phase } => format!("回退到环节: {phase}"),
        FlowMessage::ErrorRecorded { summary } => format!("错误已记录: {summary}"),
        FlowMessage::DiagramsDone { count } => format!("PlantUML 处理完成: {count} 个文件"),
        FlowMessage::NoPlantUml => "未找到 PlantUML（jar 或系统命令），已跳过校验/PNG 生成".to_owned(),
        FlowMessage::ChangelogReminder { path } => format!("请更新 {path}"),
        FlowMessage::ChangelogMissed { path } => format!("离开 docs 前没有更新 {path}"),
        FlowMessage::NotCommitted { why } => format!("已记录，但没有提交: {}", tell(why)),
        FlowMessage::Interrupted { task, phase } => {
            format!("任务 {task} 尚在环节 {phase}，已归档，可用 aide flow show {task} 查看")
        }

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
        FlowMessage::NoBackRequest => "无待确认的返工请求".to_owned(),
        FlowMessage::WrongKey => "确认 key 不匹配".to_owned(),
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
        FlowMessage::UnreadableTask { number, task, why } => format!(" [{number}] {task}  {}", tell(why)),
        FlowMessage::SeeTask => "提示: 使用 aide flow show <task_id> 查看详细状态".to_owned(),
        FlowMessage::TaskId { task } => format!("任务 ID: {task}"),
        FlowMessage::PresentPhase { phase } => format!("当前环节: {phase}"),
        FlowMessage::PresentStep { step } => format!("当前步骤: {step}"),
        FlowMessage::History => "历史记录:".to_owned(),
        FlowMessage::Entry { number, time, action, phase, step, summary, hash } => {
            let hash = if hash.is_empty() { String::new() } else { format!(" [{}]", short_hash(hash)) };
            format!("[{number}] {time} {action} {phase} step={step}: {summary}{hash}")
        }

        FlowMessage::NoAideFolder => "未找到 .aide 目录，请先运行：aide init".to_owned(),
        FlowMessage::NoStatus => "未找到流程状态，请先运行：aide flow start <环节名> \"<总结>\"".to_owned(),
        FlowMessage::Blank => "文本参数不能为空".to_owned(),
        FlowMessage::TooLong { limit, found } => {
            format!("文本参数过长: {found} 个字符，最多 {limit} 个")
        }
        FlowMessage::UnknownPhase { phase } => format!("未知环节: {phase}（请检查 flow.phases 配置）"),
        FlowMessage::NotNext { from, to } => {
            format!("非法跳转: {from} -> {to}（next-part 只能前进到相邻环节，不可跳过环节）")
        }
        FlowMessage::NotBack { from, to } => {
            format!("非法回退: {from} -> {to}（back-part 只能回退到之前环节）")
        }
        FlowMessage::NextPhaseIs { phase } => format!("下一个环节是 {phase}"),
        FlowMessage::PhasesAre { phases } => format!("环节依次为: {phases}"),
        FlowMessage::AtLastPhase => "当前已是最后一个环节".to_owned(),
        FlowMessage::Busy { pid, purpose } => {
            let purpose =
                if purpose.is_empty() { String::new() } else { format!(" 正在执行 aide flow {purpose}") };
            match pid {
                Some(pid) => format!("状态文件被占用（进程 {pid}{purpose}）"),
                None => "状态文件被占用".to_owned(),
            }
        }
        FlowMessage::TryLater => "请稍后重试".to_owned(),
        FlowMessage::NotJson { file, words } => format!("状态文件解析失败: {file}: {words}"),
        FlowMessage::BadStatus { file, path, rule } => {
            let rule = match rule {
                StatusRule::Object if path.is_empty() => "状态文件顶层必须为对象".to_owned(),
                StatusRule::Object => format!("history 条目必须为对象（{path}）"),
                StatusRule::Text => format!("{path} 必须为非空字符串"),
                StatusRule::TaskName => format!("{path} 不能用作文件名"),
                StatusRule::Integer => format!("{path} 必须为整数"),
                StatusRule::List => format!("{path} 必须为列表"),
                StatusRule::Action => format!("{path} 不是已知的操作类型"),
                StatusRule::TextOrMissing => format!("{path} 必须为字符串或缺失"),
                StatusRule::Once => format!("{path} 重复出现"),
            };
            format!("状态文件解析失败: {file}: {rule}")
        }
        FlowMessage::MendStatus => {
            "该文件没有被改动；请修正它，或备份后删除，再执行 aide flow start".to_owned()
        }
        FlowMessage::UnknownTask { task } => format!("未找到任务: {task}"),
        FlowMessage::SeeTasks => "执行 aide flow list 查看全部任务".to_owned(),
        FlowMessage::Undecided { phase } => format!("离开 {phase} 前需要用户完成决策，待决策:"),
        FlowMessage::NothingAsked { phase } => {
            format!("离开 {phase} 前需要用户完成决策，而本环节还没有已完成的决策")
        }
        FlowMessage::OpenItem { id, title } => format!("{id}. {title}"),
        FlowMessage::OpenPage => "执行 aide decide open 打开页面，用户完成决策后重试".to_owned(),
        FlowMessage::AskFirst => "执行 aide decide submit '<json>' 提交待定项，用户完成决策后重试".to_owned(),

        FlowMessage::NoGit => "未找到 git 命令，请先安装 git".to_owned(),
        FlowMessage::InstallGit | FlowMessage::MakeRepository => {
            "不需要提交时，设置 flow.git.enabled = false".to_owned()
        }
        FlowMessage::NoRepository => "当前目录不是 git 仓库，请先执行 git init 或切换到正确目录".to_owned(),
        FlowMessage::Bare => "这是没有工作区的 git 仓库".to_owned(),
        FlowMessage::UseWorkTree => "请在工作区中执行".to_owned(),
        FlowMessage::Detached => "HEAD 处于游离状态，提交不属于任何分支".to_owned(),
        FlowMessage::SwitchBranch => {
            "执行 git switch -c <分支名> 建立分支，或设置 flow.git.allow_detached = true".to_owned()
        }
        FlowMessage::GoingOn { what } => format!("{} 尚未完成", command(*what)),
        FlowMessage::EndIt { what } => {
            let command = command(*what);
            format!("用 {command} --continue 完成，或用 {command} --abort 放弃，然后重试")
        }
        FlowMessage::Unmerged { files } => format!("文件有冲突尚未解决: {files}"),
        FlowMessage::Resolve => "解决冲突并执行 git add 后重试".to_owned(),
        FlowMessage::IndexLocked { path } => format!("git 索引被占用: {}", path.display()),
        FlowMessage::UnlockIndex => {
            "等待另一个 git 命令结束；如果没有 git 在运行，删除该文件后重试".to_owned()
        }
        FlowMessage::NoIdentity => "git 不知道提交者是谁".to_owned(),
        FlowMessage::SetIdentity => {
            "执行 git config user.name \"<姓名>\" 与 git config user.email \"<邮箱>\" 后重试".to_owned()
        }
        FlowMessage::GitFailed { command } => format!("{command} 失败:"),
        FlowMessage::NothingRecorded => "没有记录任何内容，状态、索引与历史保持原样；解决后重试".to_owned(),
        FlowMessage::RepositoryFile { path, error } => {
            format!("无法读写 {}: {}", path.display(), reason(error))
        }

        FlowMessage::BadDiagrams => "PlantUML 语法校验失败:".to_owned(),
        FlowMessage::BadDiagram { file, words } => format!("{file}: {words}"),
        FlowMessage::CorrectDiagrams => "修正后重试".to_owned(),
        FlowMessage::NoPicture { file, words } => format!("PlantUML PNG 生成失败: {file} {words}"),
        FlowMessage::PlantUmlMissing => "未找到 PlantUML（jar 或系统命令）".to_owned(),
        FlowMessage::InstallPlantUml => {
            "安装 plantuml，或设置 plantuml.jar_path，或设置 flow.plantuml.on_missing_tool = \"warn\""
                .to_owned()
        }
        FlowMessage::NoChangelog { path } => format!("离开 docs 前需要更新 {path}（当前文件不存在）"),
        FlowMessage::ChangelogUnchanged { path } => {
            format!("离开 docs 前需要更新 {path}（未检测到 docs 阶段的更新记录）")
        }
        FlowMessage::WriteChangelog { path } => {
            format!("更新 {path} 后重试；不需要时设置 flow.changelog.required = false")
        }
        FlowMessage::HookFailed { command, code } => match code {
            Some(code) => format!("钩子失败（退出码 {code}）: {command}"),
            None => format!("钩子被信号终止: {command}"),
        },
        FlowMessage::HookTimedOut { command, seconds } => format!("钩子超过 {seconds} 秒，已终止: {command}"),
        FlowMessage::HookNotStarted { command, error } => {
            format!("无法启动钩子: {command}: {}", reason(error))
        }
        FlowMessage::CorrectHook => "没有记录任何内容；解决后重试，或修改配置中的 flow.hooks".to_owned(),
        FlowMessage::Words { words } => words.clone(),
    }
}

fn command(what: InProgress) -> &'static str {
    match what {
        InProgress::Merge => "git merge",
        InProgress::Rebase => "git rebase",
        InProgress::CherryPick => "git cherry-pick",
        InProgress::Revert => "git revert",
    }
}
