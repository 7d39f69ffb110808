//! What is said about plans that are begun, tried again, and looked at for what came of them, and about files and providers that
//! are not what a plan needs.

use crate::messages::agent::EXAMPLE_PROVIDER;
use protocol::agent::State;
use std::path::PathBuf;
use texts::{Lang, task_state};

/// One line for people.
#[derive(Debug)]
pub(crate) enum AgainMessage {
    // A file where a folder is needed.
    IsFile { path: PathBuf },
    NameItsFolder { path: PathBuf },
    MustBeFolder,

    // No folder was named.
    NoPlanHere { command: &'static str },
    MakeOne { command: &'static str },
    SeveralHere { folders: Vec<PathBuf> },
    NameFolder { command: &'static str, path: PathBuf },
    PlanTaken { path: PathBuf },
    ActivateFound { path: PathBuf },
    OfOtherProject { path: PathBuf, root: PathBuf },
    GoThere { root: PathBuf, command: &'static str },

    // Providers.
    NoProvider,
    AddOne,
    AppendOne,
    ProviderLine { line: &'static str },
    UnknownProvider { agent: String, provider: String, said_in: Option<String> },
    NoProviderOf { agent: String },

    // Another try.
    UnknownTask { task: String },
    NothingFailed,
    FailedTasks { tasks: Vec<String> },
    WhichPlan { task: String },
    NamePlan { names: Vec<String> },
    NotEnded { task: String, state: Option<State> },
    NeverBegun { task: String },
    Retrying { task: String },
    DependentsFollow { tasks: Vec<String> },
    FailedBecause { task: String, cause: Option<String> },
    CommandsChanged { tasks: Vec<String> },
    DoAgain { tasks: Vec<String> },
    UsedNextTime,

    // Its end.
    PlanGoesOn { plan: String, tasks: Vec<String> },
    ReallyRemove { plan: String },
    CannotAskToRemove { plan: String },
    RemoveWithYes { plan: String },
    PlanRemoved { plan: String },
    NextPass,
    TryAgain { tasks: Vec<String> },

    // What came of it.
    NoResult { plan: String },
    RunOrLook { plan: String },
    MarkDeliverable,
    SeveralPlans,
    Artifact { name: String, task: String, path: String, bytes: u64 },
    NotOver { plan: String },
    Made { plan: String, name: String, path: String },

    // A plan of one's own.
    PlanExists { path: PathBuf },
    UsePlan { path: PathBuf },
    PlanWritten { plan: String, path: PathBuf },
    Written { path: PathBuf },
    AgentsKept { agents: Vec<String> },
    NextActivate { path: PathBuf },
}

impl AgainMessage {
    /// In words.
    pub(super) fn render(&self, lang: Lang) -> String {
        match lang {
            Lang::Zh => zh(self),
            Lang::En => en(self),
        }
    }
}

fn listed(folders: &[PathBuf]) -> String {
    let folders: Vec<_> = folders.iter().map(|folder| folder.display().to_string()).collect();
    folders.join(", ")
}

fn zh(message: &AgainMessage) -> String {
    match message {
        AgainMessage::IsFile { path } => format!("{} 是文件，这里需要文件夹", path.display()),
        AgainMessage::NameItsFolder { path } => format!("请指定它所在的文件夹: {}", path.display()),
        AgainMessage::MustBeFolder => "移走该文件，改为同名的文件夹".to_owned(),
        AgainMessage::NoPlanHere { command } => {
            format!("没有指定计划的文件夹，这里也没有计划: aide plan {command}")
        }
        AgainMessage::MakeOne { command } => {
            format!("aide plan {command} DIR（DIR 中有 task_dag.json）；aide plan init 写出新的计划")
        }
        AgainMessage::SeveralHere { folders } => format!("这里有多个计划: {}", listed(folders)),
        AgainMessage::NameFolder { command, path } => {
            format!("指定一个: aide plan {command} {}", path.display())
        }
        AgainMessage::PlanTaken { path } => format!("计划所在的文件夹: {}", path.display()),
        AgainMessage::ActivateFound { path } => format!("执行 aide plan activate {}", path.display()),
        AgainMessage::OfOtherProject { path, root } => {
            format!("{} 中的计划属于另一个项目: {}", path.display(), root.display())
        }
        AgainMessage::GoThere { root, command } => {
            format!("先进入文件夹 {}，再执行 aide plan {command}", root.display())
        }
        AgainMessage::NoProvider => "没有配置提供者，智能体无法工作".to_owned(),
        AgainMessage::AddOne => format!("在 ~/.config/aide/config.toml 的开头加上: {EXAMPLE_PROVIDER}"),
        AgainMessage::AppendOne => "在 ~/.config/aide/config.toml 的末尾加上以下四行:".to_owned(),
        AgainMessage::ProviderLine { line } => format!("  {line}"),
        AgainMessage::UnknownProvider { agent, provider, said_in } => {
            let said_in = said_in.as_deref().unwrap_or("agent.provider");
            format!("{agent} 的提供者 {provider} 没有配置（见 {said_in}）")
        }
        AgainMessage::NoProviderOf { agent } => {
            format!("有多个提供者，而 {agent} 与 agent.provider 都没有指定")
        }
        AgainMessage::UnknownTask { task } => format!("没有此任务: {task}"),
        AgainMessage::NothingFailed => "没有失败的任务；aide plan status 显示各个任务".to_owned(),
        AgainMessage::FailedTasks { tasks } => format!("失败的任务: {}", tasks.join(", ")),
        AgainMessage::WhichPlan { task } => format!("多个计划中都有失败的任务 {task}"),
        AgainMessage::NamePlan { names } => format!("用 --plan 指定: {}", names.join(", ")),
        AgainMessage::NotEnded { task, state: Some(state) } => {
            format!("任务 {task} 还没有结束: {}", task_state(Lang::Zh, *state))
        }
        AgainMessage::NotEnded { task, state: None } => format!("任务 {task} 还没有结束"),
        AgainMessage::NeverBegun { task } => {
            format!("任务 {task} 从未开始，请重试它所依赖的任务")
        }
        AgainMessage::Retrying { task } => format!("将重新执行任务 {task}"),
        AgainMessage::DependentsFollow { tasks } => {
            format!("依赖它的任务随之重新执行: {}", tasks.join(", "))
        }
        AgainMessage::FailedBecause { task, cause } => {
            let cause = cause.as_ref().map(|cause| format!("（{cause}）")).unwrap_or_default();
            format!("{task} 失败{cause}；aide plan retry {task} 重试")
        }
        AgainMessage::CommandsChanged { tasks } => format!("有变化的命令: {}", tasks.join(", ")),
        AgainMessage::DoAgain { tasks } => {
            format!("已结束的任务不会自动重新执行；aide plan retry {} 按新的命令重新执行", tasks.join(" / "))
        }
        AgainMessage::PlanGoesOn { plan, tasks } => {
            format!("计划 {plan} 还没有结束，未结束的任务: {}", tasks.join(", "))
        }
        AgainMessage::ReallyRemove { plan } => {
            format!("删除计划 {plan}、它的成果，以及各智能体为它收到和发出的内容？[y/N] ")
        }
        AgainMessage::CannotAskToRemove { plan } => format!("没有终端，无法询问是否删除计划 {plan}"),
        AgainMessage::RemoveWithYes { plan } => format!("aide plan remove {plan} --yes 不询问，直接删除"),
        AgainMessage::PlanRemoved { plan } => format!("已删除计划 {plan}"),
        AgainMessage::UsedNextTime => "任务下一次执行时使用新的命令".to_owned(),
        AgainMessage::NextPass => "由正在运行的 aide plan run 或下一次 aide plan run 执行".to_owned(),
        AgainMessage::TryAgain { tasks } => {
            format!("用 aide plan retry {} 重试，用 aide plan status 查看各个任务", tasks.join(" / "))
        }
        AgainMessage::NoResult { plan } => format!("计划 {plan} 还没有成果"),
        AgainMessage::RunOrLook { plan } => {
            format!("aide plan run {plan} 继续执行，aide plan status {plan} 显示进展")
        }
        AgainMessage::MarkDeliverable => {
            "在 task_dag.json 中给成果所在的输出加上 \"deliverable\": true，再次激活".to_owned()
        }
        AgainMessage::SeveralPlans => "有多个计划，请指定一个".to_owned(),
        AgainMessage::Artifact { name, task, path, bytes } => {
            format!("{name}（任务 {task}，{bytes} 字节）: {path}")
        }
        AgainMessage::NotOver { plan } => format!("计划 {plan} 还没有完成，成果可能还会变化"),
        AgainMessage::Made { plan, name, path } => format!("{plan} 的成果 {name}: {path}"),
        AgainMessage::PlanExists { path } => format!("{} 中已有计划", path.display()),
        AgainMessage::UsePlan { path } => {
            format!("用 aide plan activate {} 激活它，或指定另一个文件夹", path.display())
        }
        AgainMessage::PlanWritten { plan, path } => format!("已写出计划 {plan}: {}", path.display()),
        AgainMessage::Written { path } => path.display().to_string(),
        AgainMessage::AgentsKept { agents } => format!("保持不变的智能体: {}", agents.join(", ")),
        AgainMessage::NextActivate { path } => {
            format!("下一步: aide plan activate {}，然后 aide plan run", path.display())
        }
    }
}

fn en(message: &AgainMessage) -> String {
    match message {
        AgainMessage::IsFile { path } => format!("{} is a file, not a folder", path.display()),
        AgainMessage::NameItsFolder { path } => format!("name its folder: {}", path.display()),
        AgainMessage::MustBeFolder => "move the file away and make a folder of this name".to_owned(),
        AgainMessage::NoPlanHere { command } => {
            format!("no folder is named, and there is no plan here: aide plan {command}")
        }
        AgainMessage::MakeOne { command } => {
            format!(
                "aide plan {command} DIR, where DIR has a task_dag.json; aide plan init writes a new plan"
            )
        }
        AgainMessage::SeveralHere { folders } => format!("there are several plans here: {}", listed(folders)),
        AgainMessage::NameFolder { command, path } => {
            format!("name one: aide plan {command} {}", path.display())
        }
        AgainMessage::PlanTaken { path } => format!("The plan in {}", path.display()),
        AgainMessage::ActivateFound { path } => format!("run aide plan activate {}", path.display()),
        AgainMessage::OfOtherProject { path, root } => {
            format!("the plan in {} belongs to another project: {}", path.display(), root.display())
        }
        AgainMessage::GoThere { root, command } => {
            format!("run aide plan {command} in the folder {}", root.display())
        }
        AgainMessage::NoProvider => "no provider is configured, so the agents cannot work".to_owned(),
        AgainMessage::AddOne => format!("add to the top of ~/.config/aide/config.toml: {EXAMPLE_PROVIDER}"),
        AgainMessage::AppendOne => {
            "add these four lines to the end of ~/.config/aide/config.toml:".to_owned()
        }
        AgainMessage::ProviderLine { line } => format!("  {line}"),
        AgainMessage::UnknownProvider { agent, provider, said_in } => {
            let said_in = said_in.as_deref().unwrap_or("agent.provider");
            format!("the provider {provider} of {agent} is not configured (named in {said_in})")
        }
        AgainMessage::NoProviderOf { agent } => {
            format!("there are several providers, and neither {agent} nor agent.provider names one")
        }
        AgainMessage::UnknownTask { task } => format!("no such task: {task}"),
        AgainMessage::NothingFailed => "no task has failed; aide plan status shows the tasks".to_owned(),
        AgainMessage::FailedTasks { tasks } => format!("failed tasks: {}", tasks.join(", ")),
        AgainMessage::WhichPlan { task } => format!("several plans have the failed task {task}"),
        AgainMessage::NamePlan { names } => format!("name one with --plan: {}", names.join(", ")),
        AgainMessage::NotEnded { task, state: Some(state) } => {
            format!("the task {task} has not ended: {}", task_state(Lang::En, *state))
        }
        AgainMessage::NotEnded { task, state: None } => format!("the task {task} has not ended"),
        AgainMessage::NeverBegun { task } => {
            format!("the task {task} never began; retry the tasks that it depends on")
        }
        AgainMessage::Retrying { task } => format!("The task {task} will be redone"),
        AgainMessage::DependentsFollow { tasks } => {
            format!("Tasks that depend on it are redone after it: {}", tasks.join(", "))
        }
        AgainMessage::FailedBecause { task, cause } => {
            let cause = cause.as_ref().map(|cause| format!(": {cause}")).unwrap_or_default();
            format!("{task} failed{cause} (aide plan retry {task} retries it)")
        }
        AgainMessage::CommandsChanged { tasks } => format!("Changed commands: {}", tasks.join(", ")),
        AgainMessage::DoAgain { tasks } => format!(
            "An ended task is not redone automatically; aide plan retry {} redoes it with the new command",
            tasks.join(" / ")
        ),
        AgainMessage::PlanGoesOn { plan, tasks } => {
            format!("the plan {plan} has not ended; open tasks: {}", tasks.join(", "))
        }
        AgainMessage::ReallyRemove { plan } => {
            format!(
                "Remove the plan {plan}, its results, and the messages that its agents received and sent? [y/N] "
            )
        }
        AgainMessage::CannotAskToRemove { plan } => {
            format!("cannot ask whether to remove the plan {plan}: there is no terminal")
        }
        AgainMessage::RemoveWithYes { plan } => {
            format!("aide plan remove {plan} --yes removes it without asking")
        }
        AgainMessage::PlanRemoved { plan } => format!("The plan {plan} was removed"),
        AgainMessage::UsedNextTime => "The next run of the task uses the new command".to_owned(),
        AgainMessage::NextPass => "A running aide plan run does it, or the next one".to_owned(),
        AgainMessage::TryAgain { tasks } => {
            format!("aide plan retry {} retries it; aide plan status shows the tasks", tasks.join(" / "))
        }
        AgainMessage::NoResult { plan } => format!("the plan {plan} has no results yet"),
        AgainMessage::RunOrLook { plan } => {
            format!("aide plan run {plan} continues it; aide plan status {plan} shows its progress")
        }
        AgainMessage::MarkDeliverable => {
            "add \"deliverable\": true to an output in task_dag.json, and activate the plan again".to_owned()
        }
        AgainMessage::SeveralPlans => "there are several plans; name one".to_owned(),
        AgainMessage::Artifact { name, task, path, bytes } => {
            let s = if *bytes == 1 { "" } else { "s" };
            format!("{name} (task {task}, {bytes} byte{s}): {path}")
        }
        AgainMessage::NotOver { plan } => {
            format!("the plan {plan} is not done; its results may still change")
        }
        AgainMessage::Made { plan, name, path } => format!("{plan} made {name}: {path}"),
        AgainMessage::PlanExists { path } => format!("there is a plan in {} already", path.display()),
        AgainMessage::UsePlan { path } => {
            format!("activate it with aide plan activate {}, or name another folder", path.display())
        }
        AgainMessage::PlanWritten { plan, path } => format!("The plan {plan} is in {}", path.display()),
        AgainMessage::Written { path } => path.display().to_string(),
        AgainMessage::AgentsKept { agents } => format!("Existing agents, unchanged: {}", agents.join(", ")),
        AgainMessage::NextActivate { path } => {
            format!("Next: aide plan activate {}, then aide plan run", path.display())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::AgainMessage;
    use protocol::agent::State;

    fn names(names: [&str; 2]) -> Vec<String> {
        names.map(str::to_owned).into()
    }

    samples! {
        AgainMessage;
        IsFile { path: "plan/task_dag.json".into() },
        NameItsFolder { path: "plan".into() },
        MustBeFolder,
        NoPlanHere { command: "lint" },
        MakeOne { command: "lint" },
        SeveralHere { folders: vec!["mine".into(), "plan".into()] },
        NameFolder { command: "lint", path: "plan".into() },
        PlanTaken { path: "plan".into() },
        ActivateFound { path: "plan".into() },
        OfOtherProject { path: "in/plan".into(), root: "/home/ann/all/in".into() },
        GoThere { root: "/home/ann/all/in".into(), command: "activate" },
        NoProvider,
        AddOne,
        AppendOne,
        ProviderLine { line: "[[agent.providers]]" },
        UnknownProvider { agent: "agent_a".to_owned(), provider: "x".to_owned(), said_in: Some("a.json".to_owned()) },
        NoProviderOf { agent: "agent_a".to_owned() },
        UnknownTask { task: "task_x".to_owned() },
        NothingFailed,
        FailedTasks { tasks: names(["a_1", "b_2"]) },
        WhichPlan { task: "task_a".to_owned() },
        NamePlan { names: names(["a_1", "b_2"]) },
        NotEnded { task: "task_a".to_owned(), state: Some(State::Running) },
        NeverBegun { task: "task_a".to_owned() },
        Retrying { task: "task_a".to_owned() },
        DependentsFollow { tasks: names(["a_1", "b_2"]) },
        FailedBecause { task: "task_a".to_owned(), cause: Some("out of ink".to_owned()) },
        CommandsChanged { tasks: names(["a_1", "b_2"]) },
        DoAgain { tasks: names(["a_1", "b_2"]) },
        UsedNextTime,
        PlanGoesOn { plan: "plan_a".to_owned(), tasks: names(["a_1", "b_2"]) },
        ReallyRemove { plan: "plan_a".to_owned() },
        CannotAskToRemove { plan: "plan_a".to_owned() },
        RemoveWithYes { plan: "plan_a".to_owned() },
        PlanRemoved { plan: "plan_a".to_owned() },
        NextPass,
        TryAgain { tasks: names(["a_1", "b_2"]) },
        NoResult { plan: "plan_a".to_owned() },
        RunOrLook { plan: "plan_a".to_owned() },
        MarkDeliverable,
        SeveralPlans,
        Artifact { name: "handbook".to_owned(), task: "task_a".to_owned(), path: "a/handbook.md".to_owned(), bytes: 123 },
        NotOver { plan: "plan_a".to_owned() },
        Made { plan: "plan_a".to_owned(), name: "handbook".to_owned(), path: "a/handbook.md".to_owned() },
        PlanExists { path: "plan".into() },
        UsePlan { path: "plan".into() },
        PlanWritten { plan: "plan_a".to_owned(), path: "plan".into() },
        Written { path: "plan/task_dag.json".into() },
        AgentsKept { agents: names(["a_1", "b_2"]) },
        NextActivate { path: "plan".into() },
    }
}
