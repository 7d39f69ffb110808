//! Every message in both languages, as it is printed.

use super::FlowMessage;
use flow::InProgress;
use model::flow::StatusRule;
use std::io::Error;
use texts::Lang;

fn text(text: &str) -> String {
    text.to_owned()
}

fn refused() -> Error {
    Error::from_raw_os_error(13)
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
    NotCommitted { why: Box::new(FlowMessage::NoGit) },
    Interrupted { task: text("2025-01-15T10-30-00"), phase: text("impl") },
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
    NoBackRequest,
    WrongKey,
    GiveKey,
    NoTask,
    PresentTask { task: text("2025-01-15T10-30-00") },
    Phase { phase: text("impl") },
    Step { step: 5 },
    StartedAt { time: text("2025-01-15T10:30:00+08:00") },
    Latest { summary: text("完成") },
    LatestAt { time: text("2025-01-15T10:35:00+08:00") },
    Commit { hash: text("0123456789abcdef") },
    PhaseLine { phases: vec![text("flow-design"), text("impl"), text("verify")], present: text("impl") },
    TimeSpent { seconds: 7325, in_phase: 59 },
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
    UnreadableTask { number: 2, task: text("2025-01-15T10-30-00"), why: Box::new(FlowMessage::NoGit) },
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
        hash: text("0123456789abcdef")
    },
    NoAideFolder,
    NoStatus,
    Blank,
    TooLong { limit: 500, found: 501 },
    UnknownPhase { phase: text("x") },
    NotNext { from: text("impl"), to: text("docs") },
    NotBack { from: text("impl"), to: text("docs") },
    NextPhaseIs { phase: text("verify") },
    PhasesAre { phases: text("impl, verify") },
    AtLastPhase,
    Busy { pid: Some(42), purpose: text("next-step") },
    TryLater,
    NotJson { file: text(".aide/flow-status.json"), words: text("parser's words") },
    BadStatus { file: text(".aide/flow-status.json"), path: text(""), rule: StatusRule::Object },
    MendStatus,
    UnknownTask { task: text("x") },
    SeeTasks,
    Undecided { phase: text("impl") },
    NothingAsked { phase: text("impl") },
    OpenItem { id: 1, title: text("认证方式选择") },
    OpenPage,
    AskFirst,
    NoGit,
    InstallGit,
    NoRepository,
    MakeRepository,
    Bare,
    UseWorkTree,
    Detached,
    SwitchBranch,
    GoingOn { what: InProgress::Merge },
    EndIt { what: InProgress::Rebase },
    Unmerged { files: text("a, b") },
    Resolve,
    IndexLocked { path: "/p/.git/index.lock".into() },
    UnlockIndex,
    NoIdentity,
    SetIdentity,
    GitFailed { command: text("git commit") },
    NothingRecorded,
    RepositoryFile { path: "/p/.git/index".into(), error: refused() },
    BadDiagrams,
    BadDiagram { file: text("docs/a.puml"), words: text("its words") },
    CorrectDiagrams,
    NoPicture { file: text("docs/a.puml"), words: text("its words") },
    PlantUmlMissing,
    InstallPlantUml,
    NoChangelog { path: text("CHANGELOG.md") },
    ChangelogUnchanged { path: text("CHANGELOG.md") },
    WriteChangelog { path: text("CHANGELOG.md") },
    HookFailed { command: text("make check"), code: Some(2) },
    HookTimedOut { command: text("make check"), seconds: 60 },
    HookNotStarted { command: text("make check"), error: refused() },
    CorrectHook,
    Words { words: text("its words") },
}

/// Variants within the messages.
fn further_samples() -> Vec<FlowMessage> {
    let rule = |path: &str, rule| FlowMessage::BadStatus { file: text("f.json"), path: text(path), rule };
    vec![
        FlowMessage::DiagramsDone { count: 1 },
        FlowMessage::Busy { pid: None, purpose: String::new() },
        FlowMessage::Busy { pid: Some(42), purpose: String::new() },
        FlowMessage::HookFailed { command: text("make"), code: None },
        FlowMessage::GoingOn { what: InProgress::CherryPick },
        FlowMessage::GoingOn { what: InProgress::Revert },
        rule("history[3]", StatusRule::Object),
        rule("current_phase", StatusRule::Text),
        rule("task_id", StatusRule::TaskName),
        rule("history[3].step", StatusRule::Integer),
        rule("history", StatusRule::List),
        rule("history[3].action", StatusRule::Action),
        rule("history[3].git_commit", StatusRule::TextOrMissing),
        rule("task_id", StatusRule::Once),
    ]
}

fn table(lang: Lang) -> String {
    samples().into_iter().chain(further_samples()).map(|message| message.tell(lang) + "\n").collect()
}

#[test]
fn messages_in_chinese() {
    insta::with_settings!({ snapshot_path => "../../../tests/snapshots", prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("flow_messages_zh", table(Lang::Zh));
    });
}

#[test]
fn messages_in_english() {
    insta::with_settings!({ snapshot_path => "../../../tests/snapshots", prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("flow_messages_en", table(Lang::En));
    });
}
