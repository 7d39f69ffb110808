//! Every message about phases and steps in both languages.

use super::FlowMessage;
use flow::GitError;

/// In seconds, which are not printed.
const MORE_THAN_TWO_HOURS: u64 = 7325;

fn text(text: &str) -> String {
    text.to_owned()
}

samples! {
    FlowMessage;
    Started { phase: text("impl") },
    Entered { phase: text("impl") },
    WentBack { phase: text("impl") },
    ErrorRecorded { summary: text("测试失败") },
    DiagramsDone { count: 2 },
    NoPlantUml,
    ChangelogReminder { path: text("CHANGELOG.md") },
    ChangelogMissed { path: text("CHANGELOG.md") },
    NotCommitted { why: Box::new(GitError::NotInstalled) },
    Interrupted { task: text("2025-01-15T10-30-00"), phase: text("impl") },
    RepositoriesLeftOut { paths: vec![text("vendor/lib"), text("wt")] },
    SubmoduleOrIgnore { path: text("vendor/lib") },
    Committed { files: 3, hash: text("0123456") },
    Recovered { files: 2, hash: text("0123456") },
    OthersCommitted { paths: vec![text("a.txt"), text("b.txt")], count: 2 },
    HowToBeAsked,
    SecretsCommitted { paths: vec![text(".env")] },
    TakeOut { paths: vec![text(".env")] },
    SecretsLeftOut { paths: vec![text(".env"), text("id_rsa")] },
    AddOrIgnore { paths: vec![text(".env")] },
    CommitOthers { paths: vec![text("a.txt"), text("b.txt")], count: 2 },
    CommitSecrets { paths: vec![text(".env")] },
    NothingBegun,
    HowNotToCommit,
    CannotAsk { paths: vec![text("a.txt")], count: 1 },
    SayYes,
    BackAtNothing,
    BackAt { step: 3, summary: text("login page") },
    Restored { step: 3, hash: text("0123456"), path: text("/p/.aide/steps/x.3") },
    RemoveRestored { path: text("/p/.aide/steps/x.3") },
    ConfirmBack,
    ConfirmBackFirst,
    ConfirmBackThen,
    ConfirmBackCommand,
    ConfirmCommand { key: text("0123456789ab") },
    RunConfirm { key: text("0123456789ab") },
    BackRequested,
    BackTarget { phase: text("impl") },
    BackReason { reason: text("新需求") },
    BackCancelled,
    BeginAnew,
    GiveKey,
    NoTask,
    PresentTask { task: text("2025-01-15T10-30-00") },
    Phase { phase: text("impl") },
    Step { step: 5 },
    StartedAt { time: text("2025-01-15T10:30:00+08:00") },
    Latest { summary: text("完成") },
    LatestAt { time: text("2025-01-15T10:35:00+08:00") },
    Commit { hash: text("0123456") },
    PhaseLine { phases: vec![text("flow-design"), text("impl"), text("verify")], present: text("impl") },
    TimeSpent { seconds: MORE_THAN_TWO_HOURS, in_phase: 59 },
    Problems { errors: 1, issues: 2 },
    LastSteps,
    OpenDecisions { count: 2 },
    NoTasks,
    PresentTasks,
    EarlierTasks,
    TaskLine {
        number: 1,
        is_present: true,
        task: text("2025-01-15T10-30-00"),
        phase: text("impl"),
        summary: text("开始")
    },
    UnreadableTask { number: 2, task: text("2025-01-15T10-30-00"), why: Box::new(GitError::NotInstalled) },
    SeeTask,
    TaskId { task: text("2025-01-15T10-30-00") },
    PresentPhase { phase: text("impl") },
    PresentStep { step: 5 },
    History,
    Entry {
        number: 2,
        time: text("2025-01-15T10:35:00+08:00"),
        action: "next-step",
        phase: text("impl"),
        step: 2,
        summary: text("完成"),
        hash: text("0123456")
    },
    UnknownTask { task: text("x") },
    SeeTasks,
}
