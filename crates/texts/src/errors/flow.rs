//! The errors of `flow`.

use super::{Explain, Explanation, reason};
use crate::Lang;
use flow::{BackError, FlowError, GitError, HookError, InProgress};

impl Explain for FlowError {
    fn zh(&self) -> Explanation {
        match self {
            Self::Summary(error) => error.zh(),
            Self::NoTask => Explanation::new("未找到流程状态，请先运行：aide flow start <环节名> \"<总结>\""),
            Self::NoStepBefore => Explanation::new("没有更早的步骤")
                .with_hint("aide flow show 列出各个步骤；--restore=1 查看第一步时的文件"),
            Self::UnknownStep { step, last } => {
                Explanation::new(format!("没有步骤 {step}")).with_hint(format!("此任务的步骤为 1 至 {last}"))
            }
            Self::StepWithoutCommit { step } => Explanation::new(format!("步骤 {step} 及其之前没有提交")),
            Self::Phase(error) => error.zh(),
            Self::Busy(holder) => {
                let purpose = match &*holder.purpose {
                    "" => String::new(),
                    purpose => format!(" 正在执行 aide flow {purpose}"),
                };
                Explanation::new(match holder.pid {
                    Some(pid) => format!("状态文件被占用（进程 {pid}{purpose}）"),
                    None => "状态文件被占用".to_owned(),
                })
                .with_hint("请稍后重试")
            }
            Self::File(error) => error.zh(),
            Self::Git(error) => error.zh(),
            Self::Hook(error) => error.zh(),
            Self::Undecided { phase, open } if open.is_empty() => {
                Explanation::new(format!("离开 {phase} 前需要用户完成决策，而本环节还没有已完成的决策"))
                    .with_hint("执行 aide decide submit '<json>' 提交待定项，用户完成决策后重试")
            }
            Self::Undecided { phase, open } => {
                Explanation::new(format!("离开 {phase} 前需要用户完成决策，待决策:"))
                    .with_hint("执行 aide decide open 打开页面，用户完成决策后重试")
                    .with_lines(items(open))
            }
        }
    }

    fn en(&self) -> Explanation {
        match self {
            Self::Summary(error) => error.en(),
            Self::NoTask => {
                Explanation::new("No task found; run aide flow start <phase> \"<summary>\" first")
            }
            Self::NoStepBefore => Explanation::new("There is no previous step")
                .with_hint("aide flow show lists the steps; --restore=1 shows the files of the first one"),
            Self::UnknownStep { step, last } => Explanation::new(format!("No such step: {step}"))
                .with_hint(format!("the steps of this task are 1 to {last}")),
            Self::StepWithoutCommit { step } => {
                Explanation::new(format!("Nothing was committed for step {step} or any step before it"))
            }
            Self::Phase(error) => error.en(),
            Self::Busy(holder) => Explanation::new(match (holder.pid, &*holder.purpose) {
                (Some(pid), "") => format!("The state is in use (process {pid})"),
                (Some(pid), purpose) => {
                    format!("The state is in use (process {pid} is running aide flow {purpose})")
                }
                (None, _) => "The state is in use".to_owned(),
            })
            .with_hint("try again later"),
            Self::File(error) => error.en(),
            Self::Git(error) => error.en(),
            Self::Hook(error) => error.en(),
            Self::Undecided { phase, open } if open.is_empty() => Explanation::new(format!(
                "Decisions are required before leaving {phase}, and none has been made in this phase"
            ))
            .with_hint("ask with aide decide submit '<json>', and try again once the user has decided"),
            Self::Undecided { phase, open } => {
                Explanation::new(format!("Decisions are required before leaving {phase}; still open:"))
                    .with_hint(
                        "run aide decide open to see the page, and try again once the user has decided",
                    )
                    .with_lines(items(open))
            }
        }
    }
}

impl Explain for BackError {
    fn zh(&self) -> Explanation {
        match self {
            Self::Pending(request) => Explanation::new("已存在待确认的返工请求").with_hint(format!(
                "执行 aide flow back-confirm --key {} 确认，或用 --cancel 取消",
                request.pending_key
            )),
            Self::NoRequest => Explanation::new("无待确认的返工请求"),
            Self::WrongKey => Explanation::new("确认 key 不匹配"),
            Self::Flow(error) => error.zh(),
        }
    }

    fn en(&self) -> Explanation {
        match self {
            Self::Pending(request) => Explanation::new(
                "A request to go back is already waiting for confirmation",
            )
            .with_hint(format!(
                "run aide flow back-confirm --key {} to confirm it, or with --cancel to cancel it",
                request.pending_key
            )),
            Self::NoRequest => Explanation::new("No request to go back is waiting for confirmation"),
            Self::WrongKey => Explanation::new("Wrong confirmation key"),
            Self::Flow(error) => error.en(),
        }
    }
}

impl Explain for GitError {
    fn zh(&self) -> Explanation {
        const NO_COMMITS: &str = "不需要提交时，设置 flow.git.enabled = false";
        const NOTHING_RECORDED: &str = "没有记录任何内容，状态、索引与历史保持原样；解决后重试";
        match self {
            Self::NotInstalled => Explanation::new("未找到 git 命令，请先安装 git").with_hint(NO_COMMITS),
            Self::NotARepository => {
                Explanation::new("当前目录不是 git 仓库，请先执行 git init 或切换到正确目录")
                    .with_hint(NO_COMMITS)
            }
            Self::LeadsNowhere { link, target } => Explanation::new(format!(
                "{} 指向 {}，而它不存在",
                link.display(),
                target.display()
            ))
            .with_hint(format!(
                "将仓库移回原处；若它是工作树（worktree）而仓库已移走，请在仓库的新位置执行 git worktree repair {}",
                link.parent().unwrap_or(link).display()
            )),
            Self::Bare => Explanation::new("这是没有工作区的 git 仓库").with_hint("请在工作区中执行"),
            Self::Detached => Explanation::new("HEAD 处于游离状态，提交不属于任何分支")
                .with_hint("执行 git switch -c <分支名> 建立分支，或设置 flow.git.allow_detached = true"),
            Self::InProgress(what) => {
                let command = command(*what);
                Explanation::new(format!("{command} 尚未完成"))
                    .with_hint(format!("用 {command} --continue 完成，或用 {command} --abort 放弃，然后重试"))
            }
            Self::Unmerged { files } => Explanation::new(format!("文件有冲突尚未解决: {}", files.join(", ")))
                .with_hint("解决冲突并执行 git add 后重试"),
            Self::IndexLocked { path } => Explanation::new(format!("git 索引被占用: {}", path.display()))
                .with_hint("等待另一个 git 命令结束；如果没有 git 在运行，删除该文件后重试"),
            Self::NoIdentity { words } => Explanation::new("git 不知道提交者是谁")
                .with_hint("执行 git config user.name \"<姓名>\" 与 git config user.email \"<邮箱>\" 后重试")
                .with_lines(last_lines(words)),
            Self::Failed { command, words } => Explanation::new(format!("{command} 失败:"))
                .with_hint(NOTHING_RECORDED)
                .with_lines(last_lines(words)),
            Self::Interrupted { command, programs } => {
                Explanation::new(format!("{command} 被中断，当时正在等待: {}", programs.join(", ")))
                    .with_hint(NOTHING_RECORDED)
            }
            Self::Io { path, source } => {
                Explanation::new(format!("无法读写 {}: {}", path.display(), reason(Lang::Zh, source)))
                    .with_hint(NOTHING_RECORDED)
            }
        }
    }

    fn en(&self) -> Explanation {
        const NO_COMMITS: &str = "set flow.git.enabled = false if you want no commits";
        const NOTHING_RECORDED: &str =
            "nothing was recorded: state, index and history are unchanged; fix the problem and try again";
        match self {
            Self::NotInstalled => {
                Explanation::new("git not found; install git first").with_hint(NO_COMMITS)
            }
            Self::NotARepository => {
                Explanation::new("Not in a git repository; run git init first, or change to the right folder")
                    .with_hint(NO_COMMITS)
            }
            Self::LeadsNowhere { link, target } => Explanation::new(format!(
                "{} leads to {}, which does not exist",
                link.display(),
                target.display()
            ))
            .with_hint(format!(
                "move the repository back; for a worktree whose repository was moved, run git worktree repair {} where the repository is now",
                link.parent().unwrap_or(link).display()
            )),
            Self::Bare => Explanation::new("This git repository has no work tree").with_hint("run it in a work tree"),
            Self::Detached => Explanation::new("HEAD is detached; the commit would belong to no branch").with_hint(
                "create a branch with git switch -c <name>, or set flow.git.allow_detached = true",
            ),
            Self::InProgress(what) => {
                let command = command(*what);
                Explanation::new(format!("A {command} is in progress")).with_hint(format!(
                    "finish it with {command} --continue or abandon it with {command} --abort, then try again"
                ))
            }
            Self::Unmerged { files } => {
                Explanation::new(format!("Files with unresolved conflicts: {}", files.join(", ")))
                    .with_hint("resolve the conflicts, run git add, then try again")
            }
            Self::IndexLocked { path } => Explanation::new(format!("The git index is in use: {}", path.display()))
                .with_hint("wait for the other git command; if none is running, delete that file and try again"),
            Self::NoIdentity { words } => Explanation::new("git does not know who you are")
                .with_hint(
                    "run git config user.name \"<name>\" and git config user.email \"<address>\", then try again",
                )
                .with_lines(last_lines(words)),
            Self::Failed { command, words } => Explanation::new(format!("{command} failed:"))
                .with_hint(NOTHING_RECORDED)
                .with_lines(last_lines(words)),
            Self::Interrupted { command, programs } => {
                Explanation::new(format!("{command} was interrupted while it waited for: {}", programs.join(", ")))
                    .with_hint(NOTHING_RECORDED)
            }
            Self::Io { path, source } => {
                Explanation::new(format!("Cannot read or write {}: {}", path.display(), reason(Lang::En, source)))
                    .with_hint(NOTHING_RECORDED)
            }
        }
    }
}

impl Explain for HookError {
    fn zh(&self) -> Explanation {
        const CORRECT: &str = "没有记录任何内容；解决后重试，或修改配置中的 flow.hooks";
        let write = |path: &str| format!("更新 {path} 后重试；不需要时设置 flow.changelog.required = false");
        match self {
            Self::Diagrams { problems } => Explanation::new("PlantUML 语法校验失败:")
                .with_hint("修正后重试")
                .with_lines(diagrams(problems)),
            Self::Picture { file, words } => {
                Explanation::new(format!("PlantUML PNG 生成失败: {file} {words}")).with_hint("修正后重试")
            }
            Self::NoPlantUml => Explanation::new("未找到 PlantUML（jar 或系统命令）").with_hint(
                "安装 plantuml，或设置 plantuml.jar_path，或设置 flow.plantuml.on_missing_tool = \"warn\"",
            ),
            Self::NoChangelog { path } => {
                Explanation::new(format!("离开 docs 前需要更新 {path}（当前文件不存在）"))
                    .with_hint(write(path))
            }
            Self::ChangelogUnchanged { path } => {
                Explanation::new(format!("离开 docs 前需要更新 {path}（未检测到 docs 阶段的更新记录）"))
                    .with_hint(write(path))
            }
            Self::Failed { command, code, words } => Explanation::new(match code {
                Some(code) => format!("钩子失败（退出码 {code}）: {command}"),
                None => format!("钩子被信号终止: {command}"),
            })
            .with_hint(CORRECT)
            .with_lines(last_lines(words)),
            Self::TimedOut { command, seconds } => {
                Explanation::new(format!("钩子超过 {seconds} 秒，已终止: {command}")).with_hint(CORRECT)
            }
            Self::NotStarted { command, source } => {
                Explanation::new(format!("无法启动钩子: {command}: {}", reason(Lang::Zh, source)))
                    .with_hint(CORRECT)
            }
        }
    }

    fn en(&self) -> Explanation {
        const CORRECT: &str =
            "nothing was recorded; fix the problem and try again, or change flow.hooks in the configuration";
        let write =
            |path: &str| format!("update {path} and try again, or set flow.changelog.required = false");
        match self {
            Self::Diagrams { problems } => Explanation::new("PlantUML found errors:")
                .with_hint("correct them and try again")
                .with_lines(diagrams(problems)),
            Self::Picture { file, words } => {
                Explanation::new(format!("PlantUML produced no PNG: {file} {words}"))
                    .with_hint("correct them and try again")
            }
            Self::NoPlantUml => Explanation::new("PlantUML not found (neither jar nor command)").with_hint(
                "install plantuml, set plantuml.jar_path, or set flow.plantuml.on_missing_tool = \"warn\"",
            ),
            Self::NoChangelog { path } => Explanation::new(format!(
                "{path} must be updated before leaving docs (there is no such file)"
            ))
            .with_hint(write(path)),
            Self::ChangelogUnchanged { path } => Explanation::new(format!(
                "{path} must be updated before leaving docs (it was not changed in this phase)"
            ))
            .with_hint(write(path)),
            Self::Failed { command, code, words } => Explanation::new(match code {
                Some(code) => format!("A hook failed (exit code {code}): {command}"),
                None => format!("A hook was killed by a signal: {command}"),
            })
            .with_hint(CORRECT)
            .with_lines(last_lines(words)),
            Self::TimedOut { command, seconds } => {
                Explanation::new(format!("A hook ran for more than {seconds} s and was killed: {command}"))
                    .with_hint(CORRECT)
            }
            Self::NotStarted { command, source } => {
                Explanation::new(format!("Cannot start a hook: {command}: {}", reason(Lang::En, source)))
                    .with_hint(CORRECT)
            }
        }
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

fn items(open: &[(u64, String)]) -> Vec<String> {
    open.iter().map(|(id, title)| format!("{id}. {title}")).collect()
}

fn diagrams(problems: &[(String, String)]) -> Vec<String> {
    problems.iter().map(|(file, words)| format!("{file}: {words}")).collect()
}

/// The last lines of what a program said.
fn last_lines(words: &str) -> Vec<String> {
    const MAX_LINES: usize = 20;
    let lines: Vec<&str> = words.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(MAX_LINES)..].iter().map(|line| (*line).to_owned()).collect()
}
