//! Messages about the resident process, and of its clients.

use model::respond;
use std::path::PathBuf;
use texts::Lang;

/// One line for people: what happened, or what to do about it. What the contract says to the letter is not here.
#[derive(Debug)]
pub(crate) enum DaemonMessage {
    // Where its state is.
    RelativeHome {
        path: PathBuf,
    },
    NoHome,
    NameFullPath,

    // Its beginning and its end.
    OtherPort {
        flag: &'static str,
    },
    EndedEarly,
    SeeLog,
    /// It runs, and has not answered one question.
    SeeLogs {
        pid: u32,
    },
    /// It runs, and answers no question.
    DoesNotAnswer {
        pid: u32,
    },
    EndStuck,
    DoesNotEnd {
        pid: u32,
    },
    NoLog {
        path: PathBuf,
    },
    /// It speaks another version of the protocol.
    OtherVersion {
        version: String,
    },
    Restart,
    /// It speaks the same, and is another version.
    VersionDiffers {
        daemon: String,
        program: &'static str,
    },

    // Who works for it.
    /// No provider has this name.
    UnknownProvider {
        provider: String,
        agents: Vec<String>,
    },

    /// A workflow has begun that no agent of the daemon can take on.
    NoProvider,
    /// The same: there are providers, and none is the daemon's.
    NoProviderNamed,
    /// The same: the provider was configured after the daemon was started.
    StartedBefore,
    /// It has been waited for in vain that a client drives it.
    NotDriven {
        workflow: String,
    },
    /// The lines that follow belong in the configuration. `workflow`, here and below, is resumed once the daemon knows them.
    AddProvider {
        workflow: Option<String>,
    },
    /// Those that were printed before do.
    AddPrinted {
        workflow: Option<String>,
    },
    /// The lines that follow belong at the end of a configuration that says something else as well.
    AppendProvider {
        provider: String,
        workflow: Option<String>,
    },
    /// Those that were printed before do.
    AppendPrinted {
        provider: String,
        workflow: Option<String>,
    },
    /// A provider that is configured is to answer for the agents of the daemon.
    SetProvider {
        provider: String,
        workflow: Option<String>,
    },
    /// The configuration has all that is needed.
    StartAnew {
        workflow: Option<String>,
    },

    // Its journal.
    NoJournal {
        path: PathBuf,
    },
    /// A copy was made.
    CopyIsThere {
        path: PathBuf,
    },
    AnotherName,

    /// The caller does not want to wait any longer.
    Interrupted,

    /// What a signal has ended the wait for.
    AwaitedDaemon {
        url: String,
    },
    AwaitedDecision {
        workflow: String,
        decision: String,
    },
    AwaitedWorkflow {
        workflow: String,
        state: Option<String>,
        /// The providers, tools and agents that it waits for, as far as that is known.
        works: Vec<String>,
    },

    // While a workflow is watched.
    ConnectionLost,
    ConnectionBack,
    /// The daemon does not answer; the connection is tried again.
    NoAnswerYet,
    /// No driver continues it.
    WorkflowInterrupted {
        error: Option<String>,
    },
    ResumeWorkflow {
        workflow: String,
    },
    /// The context of a decision comes next.
    DecisionContext,
    /// It was not all.
    DecisionContextCut {
        page: String,
    },
    /// A decision waits that is not asked here.
    WaitsForAnswer {
        question: String,
    },
    /// Where it is answered.
    AnswerOpen {
        page: String,
        decision: String,
    },
    /// What was typed answers nothing.
    NoAnswer {
        options: Vec<String>,
        /// The part of a list that is none of them.
        unknown: Option<String>,
        /// Whether several can be chosen.
        several: bool,
    },
    /// The page takes more than an option.
    NoteOnPage {
        page: String,
    },
    /// What says how far a workflow is, and why it has failed.
    SeeWorkflow {
        workflow: String,
    },
    /// Nothing of a session is left to go on with.
    SessionEnded {
        session: String,
    },
    /// What was answered counts once it is resumed.
    WorkflowPaused,
    /// What says more of a workflow that has failed.
    SeeEvents {
        workflow: String,
    },
    TryProvider,
    /// What a library says, already in the user's language.
    Words {
        words: String,
    },
    /// The next question can be answered in the person's own words.
    OwnWords,
    /// Nothing can be typed any more.
    Unanswered {
        decision: String,
    },
    AnswerLater {
        decision: String,
    },
    /// What was said to a paused workflow has ended the pause.
    PauseEnded,
    /// What was said to a workflow would be the answer to its question, and is none.
    NotSent {
        question: String,
        page: String,
    },
    /// The same thing is given as an argument and by `--file`.
    TwoInputs {
        argument: String,
    },
    /// What must be JSON is not.
    NoJson {
        argument: String,
        reason: String,
    },
}

impl DaemonMessage {
    /// In words.
    pub(super) fn render(&self, lang: Lang) -> String {
        match lang {
            Lang::Zh => zh(self),
            Lang::En => en(self),
        }
    }
}

fn zh(message: &DaemonMessage) -> String {
    match message {
        DaemonMessage::RelativeHome { path } => format!("FINGER_HOME 不是绝对路径: {}", path.display()),
        DaemonMessage::NoHome => "没有保存守护进程状态的目录".to_owned(),
        DaemonMessage::NameFullPath => "用 FINGER_HOME 或 XDG_STATE_HOME 给出绝对路径".to_owned(),
        DaemonMessage::OtherPort { flag } => {
            format!(
                "关闭占用端口的程序，或用 {flag} 及您自己的配置指定其他端口；执行 aide daemon status 查看已有的守护进程"
            )
        }
        DaemonMessage::EndedEarly => "守护进程启动后随即结束".to_owned(),
        DaemonMessage::SeeLog => "执行 aide daemon logs 查看原因".to_owned(),
        DaemonMessage::SeeLogs { pid } => {
            format!(
                "守护进程（PID {pid}）在运行，但没有应答；执行 aide daemon logs 查看原因，或执行 aide daemon stop --force 结束它"
            )
        }
        DaemonMessage::DoesNotAnswer { pid } => format!("守护进程（PID {pid}）没有应答"),
        DaemonMessage::EndStuck => {
            "执行 aide daemon logs 查看原因，用 aide daemon restart 重新启动它，或用 aide daemon stop 结束它；\
             卡住超过 daemon.stall_limit（默认 60 秒）时，它会自行重新启动"
                .to_owned()
        }
        DaemonMessage::DoesNotEnd { pid } => format!("守护进程（PID {pid}）没有结束"),
        DaemonMessage::NoLog { path } => format!("日志文件不存在: {}", path.display()),
        DaemonMessage::OtherVersion { version } => format!("正在运行的守护进程是另一个版本（{version}）"),
        DaemonMessage::Restart => "执行 aide daemon restart".to_owned(),
        DaemonMessage::VersionDiffers { daemon, program } => format!(
            "正在运行的守护进程是 aide {daemon}，此程序是 {program}；aide daemon restart 用此程序替换它，不会丢失任何内容"
        ),
        DaemonMessage::UnknownProvider { provider, agents } => format!(
            "您自己的配置中没有名为 \"{provider}\" 的 [[agent.providers]]，这些智能体无法工作: {}",
            agents.join("、")
        ),
        DaemonMessage::NoProvider => {
            "没有配置 provider: 守护进程的智能体不会处理此工作流，只能由程序通过 HTTP 推进".to_owned()
        }
        DaemonMessage::NoProviderNamed => {
            "没有设置 daemon.provider: 守护进程的智能体不会处理此工作流，只能由程序通过 HTTP 推进".to_owned()
        }
        DaemonMessage::StartedBefore => {
            "守护进程在配置 provider 之前启动: 它的智能体不会处理此工作流，只能由程序通过 HTTP 推进".to_owned()
        }
        DaemonMessage::NotDriven { workflow } => {
            format!("守护进程的智能体没有 provider，也没有程序推进此工作流: {workflow}")
        }
        DaemonMessage::AddProvider { workflow } => format!(
            "在您自己的配置文件（aide config path）中加入以下三行，然后执行 {}",
            restarted(workflow)
        ),
        DaemonMessage::AddPrinted { workflow } => format!(
            "在您自己的配置文件（aide config path）中加入以上三行，然后执行 {}",
            restarted(workflow)
        ),
        DaemonMessage::AppendProvider { provider, workflow } => format!(
            "在您自己的配置文件（aide config path）末尾加入以下四行，然后执行 \
             aide config set --user daemon.provider {provider} && {}",
            restarted(workflow)
        ),
        DaemonMessage::AppendPrinted { provider, workflow } => format!(
            "在您自己的配置文件（aide config path）末尾加入以上四行，然后执行 \
             aide config set --user daemon.provider {provider} && {}",
            restarted(workflow)
        ),
        DaemonMessage::SetProvider { provider, workflow } => format!(
            "执行 aide config set --user daemon.provider {provider} && {}",
            restarted(workflow)
        ),
        DaemonMessage::StartAnew { workflow } => format!("执行 {}", restarted(workflow)),
        DaemonMessage::NoJournal { path } => format!("没有可以备份的日志: {}", path.display()),
        DaemonMessage::CopyIsThere { path } => format!("文件已存在: {}", path.display()),
        DaemonMessage::AnotherName => "备份不覆盖任何文件，请换一个名称".to_owned(),
        DaemonMessage::Interrupted => "已中断".to_owned(),
        DaemonMessage::AwaitedDaemon { url } => format!("当时正在等待: 守护进程的应答（{url}）"),
        DaemonMessage::AwaitedDecision { workflow, decision } => {
            format!("当时正在等待: 用户的决策 {decision}（工作流 {workflow}）")
        }
        DaemonMessage::AwaitedWorkflow { workflow, state, works } => {
            let state = state.as_ref().map(|state| format!("（{state}）")).unwrap_or_default();
            format!("当时正在等待: 工作流 {workflow}{state}{}", listed(works))
        }
        DaemonMessage::ConnectionLost => "与守护进程的连接已断开，正在重新连接".to_owned(),
        DaemonMessage::NoAnswerYet => "守护进程没有应答，正在重新连接".to_owned(),
        DaemonMessage::ConnectionBack => "已重新连接，没有遗漏".to_owned(),
        DaemonMessage::WorkflowInterrupted { error: None } => "工作流已中断，恢复之后才会继续".to_owned(),
        DaemonMessage::WorkflowInterrupted { error: Some(error) } => {
            format!("工作流已中断，恢复之后才会继续: {error}")
        }
        DaemonMessage::WorkflowPaused => "工作流已暂停，恢复之后才会继续".to_owned(),
        DaemonMessage::ResumeWorkflow { workflow } => format!("执行 aide workflow resume {workflow}"),
        DaemonMessage::DecisionContext => "要您决策的是:".to_owned(),
        DaemonMessage::DecisionContextCut { page } => format!("以上不是全部，全文见 {page}"),
        DaemonMessage::WaitsForAnswer { question } => format!("等待您的决策: {question}"),
        DaemonMessage::AnswerOpen { page, decision } => {
            format!("在页面上回答: {page}，或执行 aide workflow decision respond {decision} ANSWER")
        }
        DaemonMessage::NoteOnPage { page } => format!("需要用自己的话说明或退回时，在页面上回答: {page}"),
        DaemonMessage::SeeWorkflow { workflow } => {
            format!("执行 aide workflow status {workflow} 查看进展，或为何失败")
        }
        DaemonMessage::SessionEnded { session } => format!(
            "其中的工作流均已结束；用 aide orchestrate --session {session} TASK 重新交给它一个任务，可恢复的会话见 aide workflow sessions --resumable"
        ),
        DaemonMessage::SeeEvents { workflow } => format!("执行 aide workflow events {workflow} 查看经过"),
        DaemonMessage::TryProvider => "执行 aide provider check NAME 单独检查一个 provider".to_owned(),
        DaemonMessage::Words { words } => words.clone(),
        DaemonMessage::OwnWords => "下面的问题也可以用自己的话回答".to_owned(),
        DaemonMessage::NoAnswer { unknown: Some(unknown), options, several } => {
            let typed = DaemonMessage::NoAnswer { options: options.clone(), unknown: None, several: *several };
            format!("没有选项 {unknown}；{}", zh(&typed))
        }
        DaemonMessage::NoAnswer { options, several, .. } => match &options[..] {
            [] => "请输入文字".to_owned(),
            [first, second] if respond::are_yes_and_no(first, second) => {
                format!("请输入 {first}、{second}")
            }
            [first, second, third] if respond::are_yes_and_no(first, second) && third == respond::ALWAYS => {
                format!("请输入 {first}、{second} 或 {third}")
            }
            options => {
                let last = options.len();
                let numbers = if *several { format!("，如 1 或 1,{last}，") } else { "（一个），".to_owned() };
                format!("请输入 1 至 {last} 的编号{numbers}或选项的文字")
            }
        },
        DaemonMessage::Unanswered { decision } => format!("没有输入，决策仍在等待: {decision}"),
        DaemonMessage::AnswerLater { decision } => {
            format!("在网页上回答，或执行 aide workflow decision respond {decision} ANSWER")
        }
        DaemonMessage::PauseEnded => "暂停已结束: 工作流将根据您的话重新开始".to_owned(),
        DaemonMessage::NotSent { question, page } => format!(
            "没有发送，因为有问题等待回答: {question}（先回答它: {page}；再重新输入）"
        ),
        DaemonMessage::TwoInputs { argument } => format!("{argument} 与 --file 只能给出一个"),
        DaemonMessage::NoJson { argument, reason } => format!("{argument} 不是 JSON: {reason}"),
    }
}

fn en(message: &DaemonMessage) -> String {
    match message {
        DaemonMessage::RelativeHome { path } => {
            format!("FINGER_HOME is not an absolute path: {}", path.display())
        }
        DaemonMessage::NoHome => "there is no folder for the daemon's state".to_owned(),
        DaemonMessage::NameFullPath => "set FINGER_HOME or XDG_STATE_HOME to an absolute path".to_owned(),
        DaemonMessage::OtherPort { flag } => format!(
            "stop the program that uses it, or set another port with {flag} or in your own configuration; \
             aide daemon status shows a running daemon"
        ),
        DaemonMessage::EndedEarly => "the daemon ended right after its start".to_owned(),
        DaemonMessage::SeeLog => "run aide daemon logs to see why".to_owned(),
        DaemonMessage::SeeLogs { pid } => format!(
            "a daemon (PID {pid}) is running but does not answer; run aide daemon logs to see why, or end it with \
             aide daemon stop --force"
        ),
        DaemonMessage::DoesNotAnswer { pid } => format!("the daemon (PID {pid}) does not answer"),
        DaemonMessage::EndStuck => {
            "run aide daemon logs to see why, and aide daemon restart to restart it, or aide daemon stop; \
             when it is stuck for longer than daemon.stall_limit (60 s by default), it restarts by itself"
                .to_owned()
        }
        DaemonMessage::DoesNotEnd { pid } => format!("the daemon (PID {pid}) does not stop"),
        DaemonMessage::NoLog { path } => format!("Log file not found: {}", path.display()),
        DaemonMessage::OtherVersion { version } => {
            format!("the running daemon is another version ({version})")
        }
        DaemonMessage::Restart => "run aide daemon restart".to_owned(),
        DaemonMessage::VersionDiffers { daemon, program } => format!(
            "the running daemon is aide {daemon}, this program is {program}; aide daemon restart replaces it without losing anything"
        ),
        DaemonMessage::UnknownProvider { provider, agents } => format!(
            "there is no [[agent.providers]] named \"{provider}\" in your own configuration; these agents cannot work: {}",
            agents.join(", ")
        ),
        DaemonMessage::NoProvider => {
            "no provider is configured: the daemon's agents leave this workflow to a client that drives it over HTTP"
                .to_owned()
        }
        DaemonMessage::NoProviderNamed => {
            "daemon.provider is not set: the daemon's agents leave this workflow to a client that drives it over HTTP"
                .to_owned()
        }
        DaemonMessage::StartedBefore => {
            "the daemon was started before its provider was configured: its agents leave this workflow to a client that \
             drives it over HTTP"
                .to_owned()
        }
        DaemonMessage::NotDriven { workflow } => {
            format!("the daemon's agents have no provider, and no client drives the workflow: {workflow}")
        }
        DaemonMessage::AddProvider { workflow } => format!(
            "add these three lines to your own configuration (aide config path), then run {}",
            restarted(workflow)
        ),
        DaemonMessage::AddPrinted { workflow } => format!(
            "add the three lines above to your own configuration (aide config path), then run {}",
            restarted(workflow)
        ),
        DaemonMessage::AppendProvider { provider, workflow } => format!(
            "add these four lines to the end of your own configuration (aide config path), then run \
             aide config set --user daemon.provider {provider} && {}",
            restarted(workflow)
        ),
        DaemonMessage::AppendPrinted { provider, workflow } => format!(
            "add the four lines above to the end of your own configuration (aide config path), then run \
             aide config set --user daemon.provider {provider} && {}",
            restarted(workflow)
        ),
        DaemonMessage::SetProvider { provider, workflow } => format!(
            "run aide config set --user daemon.provider {provider} && {}",
            restarted(workflow)
        ),
        DaemonMessage::StartAnew { workflow } => format!("run {}", restarted(workflow)),
        DaemonMessage::NoJournal { path } => format!("there is no journal to copy: {}", path.display()),
        DaemonMessage::CopyIsThere { path } => format!("the file already exists: {}", path.display()),
        DaemonMessage::AnotherName => "a backup does not overwrite files; give it another name".to_owned(),
        DaemonMessage::Interrupted => "interrupted".to_owned(),
        DaemonMessage::AwaitedDaemon { url } => format!("it was waiting for: the daemon's answer ({url})"),
        DaemonMessage::AwaitedDecision { workflow, decision } => {
            format!("it was waiting for: the user's decision {decision} of workflow {workflow}")
        }
        DaemonMessage::AwaitedWorkflow { workflow, state, works } => {
            let state = state.as_ref().map(|state| format!(" (in {state})")).unwrap_or_default();
            format!("it was waiting for: workflow {workflow}{state}{}", listed(works))
        }
        DaemonMessage::ConnectionLost => "the connection to the daemon is lost; trying again".to_owned(),
        DaemonMessage::NoAnswerYet => "the daemon does not answer; trying again".to_owned(),
        DaemonMessage::ConnectionBack => "connected again; nothing was missed".to_owned(),
        DaemonMessage::WorkflowInterrupted { error: None } => {
            "the workflow is interrupted, and goes on once it is resumed".to_owned()
        }
        DaemonMessage::WorkflowInterrupted { error: Some(error) } => {
            format!("the workflow is interrupted, and goes on once it is resumed: {error}")
        }
        DaemonMessage::WorkflowPaused => "the workflow is paused, and goes on once it is resumed".to_owned(),
        DaemonMessage::ResumeWorkflow { workflow } => format!("run aide workflow resume {workflow}"),
        DaemonMessage::DecisionContext => "what you are asked about:".to_owned(),
        DaemonMessage::DecisionContextCut { page } => format!("this is not all of it; see {page}"),
        DaemonMessage::WaitsForAnswer { question } => format!("waiting for your decision: {question}"),
        DaemonMessage::AnswerOpen { page, decision } => {
            format!("answer on its page: {page}, or run aide workflow decision respond {decision} ANSWER")
        }
        DaemonMessage::NoteOnPage { page } => {
            format!("to add a note in your own words or to send it back, answer on its page: {page}")
        }
        DaemonMessage::SeeWorkflow { workflow } => {
            format!("aide workflow status {workflow} shows its progress, or why it failed")
        }
        DaemonMessage::SessionEnded { session } => format!(
            "its workflows have ended; aide orchestrate --session {session} TASK starts another task in it, and aide workflow sessions --resumable lists those that can be resumed"
        ),
        DaemonMessage::SeeEvents { workflow } => {
            format!("aide workflow events {workflow} shows what has happened")
        }
        DaemonMessage::TryProvider => "aide provider check NAME tries a provider by itself".to_owned(),
        DaemonMessage::Words { words } => words.clone(),
        DaemonMessage::OwnWords => "The next question also takes your own words".to_owned(),
        DaemonMessage::NoAnswer { unknown: Some(unknown), options, several } => {
            let typed = DaemonMessage::NoAnswer { options: options.clone(), unknown: None, several: *several };
            format!("there is no option {unknown}; {}", en(&typed))
        }
        DaemonMessage::NoAnswer { options, several, .. } => match &options[..] {
            [] => "type some words".to_owned(),
            [first, second] if respond::are_yes_and_no(first, second) => format!("type {first} or {second}"),
            [first, second, third] if respond::are_yes_and_no(first, second) && third == respond::ALWAYS => {
                format!("type {first}, {second} or {third}")
            }
            options if *several => {
                let last = options.len();
                format!("type numbers from 1 to {last}, such as 1 or 1,{last}, or an option's words")
            }
            options => format!("type one number from 1 to {}, or an option's words", options.len()),
        },
        DaemonMessage::Unanswered { decision } => format!("no input; the decision stays open: {decision}"),
        DaemonMessage::AnswerLater { decision } => {
            format!("answer on the page, or run aide workflow decision respond {decision} ANSWER")
        }
        DaemonMessage::PauseEnded => {
            "this has ended the pause: the workflow begins anew with what you say".to_owned()
        }
        DaemonMessage::NotSent { question, page } => format!(
            "nothing was sent, because a question is open: {question} (answer it first: {page}; then send the text again)"
        ),
        DaemonMessage::TwoInputs { argument } => format!("{argument} and --file cannot both be given"),
        DaemonMessage::NoJson { argument, reason } => format!("{argument} is not JSON: {reason}"),
    }
}

/// What a workflow waits for, to stand behind it.
/// The commands that start the daemon anew and let a workflow go on.
fn restarted(workflow: &Option<String>) -> String {
    let resume = workflow.as_ref().map(|workflow| format!(" && aide workflow resume {workflow}"));
    format!("aide daemon restart{}", resume.unwrap_or_default())
}

fn listed(works: &[String]) -> String {
    if works.is_empty() { String::new() } else { format!(": {}", works.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::DaemonMessage;
    use texts::Lang;

    fn options() -> Vec<String> {
        ["a.pdf", "b.pdf"].map(str::to_owned).into()
    }

    samples! {
        DaemonMessage;
        RelativeHome { path: "state".into() },
        NoHome,
        NameFullPath,
        OtherPort { flag: "--http-port" },
        EndedEarly,
        SeeLog,
        SeeLogs { pid: 4242 },
        DoesNotAnswer { pid: 4242 },
        EndStuck,
        DoesNotEnd { pid: 4242 },
        NoLog { path: "/s/aide/daemon/daemon.log".into() },
        OtherVersion { version: "0.2.0".to_owned() },
        Restart,
        VersionDiffers { daemon: "0.1.0".to_owned(), program: "0.2.0" },
        UnknownProvider { provider: "claude".to_owned(), agents: vec!["legal".to_owned(), "b".to_owned()] },
        NoProvider,
        NoProviderNamed,
        StartedBefore,
        NotDriven { workflow: "wf-1".to_owned() },
        AddProvider { workflow: Some("wf-1".to_owned()) },
        AddPrinted { workflow: None },
        AppendProvider { provider: "claude".to_owned(), workflow: None },
        AppendPrinted { provider: "claude".to_owned(), workflow: Some("wf-1".to_owned()) },
        SetProvider { provider: "demo".to_owned(), workflow: Some("wf-1".to_owned()) },
        StartAnew { workflow: Some("wf-1".to_owned()) },
        NoJournal { path: "/s/aide/daemon".into() },
        CopyIsThere { path: "/b/journal.db".into() },
        AnotherName,
        Interrupted,
        AwaitedDaemon { url: "ws://127.0.0.1:9998".to_owned() },
        AwaitedDecision { workflow: "wf-1".to_owned(), decision: "decision-1".to_owned() },
        AwaitedWorkflow { workflow: "wf-1".to_owned(), state: Some("execution".to_owned()), works: vec!["claude (planner-1, plan_loop)".to_owned()] },
        ConnectionLost,
        ConnectionBack,
        NoAnswerYet,
        WorkflowInterrupted { error: Some("LLM_ERROR: no answer".to_owned()) },
        ResumeWorkflow { workflow: "wf-1".to_owned() },
        DecisionContext,
        DecisionContextCut { page: "http://localhost:8080/workflows/wf-1".to_owned() },
        NoAnswer { options: options(), unknown: Some("c.pdf".to_owned()), several: true },
        WaitsForAnswer { question: "Which way?".to_owned() },
        AnswerOpen { page: "http://localhost:8080/d/workflow.2025-01-15T10-30-00".to_owned(), decision: "dec-1".to_owned() },
        NoteOnPage { page: "http://localhost:8080/d/workflow.2025-01-15T10-30-00".to_owned() },
        SeeWorkflow { workflow: "wf-1".to_owned() },
        SessionEnded { session: "session-1".to_owned() },
        SeeEvents { workflow: "wf-1".to_owned() },
        WorkflowPaused,
        TryProvider,
        Words { words: "words of a library".to_owned() },
        OwnWords,
        Unanswered { decision: "decision-1".to_owned() },
        AnswerLater { decision: "decision-1".to_owned() },
        PauseEnded,
        NotSent {
            question: "Allow network access?".to_owned(),
            page: "http://localhost:8080/d/w/2025-01-15T10-30-00".to_owned()
        },
        TwoInputs { argument: "TASK".to_owned() },
        NoJson { argument: "--intent".to_owned(), reason: "expected value at line 1 column 1".to_owned() },
    }

    #[test]
    fn what_can_be_typed_is_what_the_question_takes() {
        let told_of = |options: &[&str], several| {
            let options = options.iter().map(|option| (*option).to_owned()).collect();
            DaemonMessage::NoAnswer { options, unknown: None, several }.render(Lang::En)
        };
        let told = |options: &[&str]| told_of(options, true);
        assert_eq!(told_of(&["a", "b", "c"], false), "type one number from 1 to 3, or an option's words");
        assert_eq!(told(&["Y", "n"]), "type Y or n");
        assert_eq!(told(&["Y", "n", "always"]), "type Y, n or always");
        assert_eq!(
            told(&["a", "b", "c"]),
            "type numbers from 1 to 3, such as 1 or 1,3, or an option's words"
        );
        assert_eq!(told(&[]), "type some words");
    }
}
