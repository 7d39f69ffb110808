//! What is said about plans.

use agent::dag::{Finding, Open};
use agent::plan::Happened;
use model::SessionId;
use model::agent::{Code, Id, State};
use texts::Lang;

/// One line for people: what happened, or what to do about it.
#[derive(Debug)]
pub(crate) enum PlanMessage {
    /// Nothing is wrong with a plan.
    Sound {
        plan: Id,
        tasks: usize,
    },
    Finding {
        finding: Finding,
    },
    /// A plan cannot go on as it is.
    Unsound {
        count: usize,
    },
    MendFindings,
    NoDag,
    PlanFolder,
    Activated {
        plan: Id,
        revision: u64,
        tasks: usize,
    },
    AlreadyActive {
        plan: Id,
        revision: u64,
    },
    RunIt,
    Happened {
        plan: Id,
        happened: Happened,
    },
    NothingHappened,
    Paused {
        plan: Id,
        code: Code,
    },
    NoPlans,
    ActivateFirst,
    UnknownPlan {
        name: String,
    },
    KnownPlans {
        names: Vec<String>,
    },
    /// The head of a plan's status.
    Status {
        plan: Id,
        completed: u64,
        total: u64,
    },
    /// A line of it.
    Task {
        task: String,
        state: State,
        agent: String,
        again: u64,
        waits_for: Option<String>,
        score: Option<String>,
    },
    /// Something for which a plan is not done.
    Open {
        open: Open,
    },
    NoDeadLetters,
    DeadLetter {
        id: String,
        code: String,
        file: String,
        time: String,
    },
    WillReplay {
        message: String,
    },
    UnknownDeadLetter {
        name: String,
    },
    ListDeadLetters,
    Approved {
        release: Id,
    },
    Rejected {
        release: Id,
    },
    MissingEvidence {
        name: String,
    },
    RejectedEvidence {
        name: String,
        why: String,
    },
    SeeEvidence,
    /// Which agents this process runs.
    Runs {
        agents: Vec<String>,
    },
    /// An agent that another program runs.
    RunsElsewhere {
        agent: String,
    },
    /// How a person can answer.
    HowToAnswer {
        session: SessionId,
    },
    /// Nobody has answered in time.
    NoAnswer {
        request: String,
    },
    /// A request that is none.
    CannotAsk {
        request: String,
        why: String,
    },
    /// What the answers of providers have cost.
    Spent {
        answers: u64,
        tokens: u64,
        dollars: Option<String>,
    },
    /// A plan has come to what it is for.
    Done {
        plan: Id,
    },
    /// A plan has ended otherwise.
    NotDone {
        plan: Id,
    },
    SeeStatus,
    /// The plans go on when they are run again.
    Parked,
    RunAgain,
}

impl PlanMessage {
    /// In words.
    pub(super) fn tell(&self, lang: Lang) -> String {
        match lang {
            Lang::Zh => zh(self),
            Lang::En => en(self),
        }
    }
}

fn zh(message: &PlanMessage) -> String {
    match message {
        PlanMessage::Sound { plan, tasks } => format!("计划 {plan} 没有问题（{tasks} 个任务）"),
        PlanMessage::Finding { finding } => texts::finding(Lang::Zh, finding),
        PlanMessage::Unsound { count } => format!("计划有 {count} 个问题，无法执行"),
        PlanMessage::MendFindings => "改正以上问题后重试".to_owned(),
        PlanMessage::NoDag => "文件夹中没有 task_dag.json".to_owned(),
        PlanMessage::PlanFolder => {
            "计划的文件夹包含 task_dag.json、plan_manifest.json，以及 commands/ 中每个任务一条命令".to_owned()
        }
        PlanMessage::Activated { plan, revision, tasks } => {
            format!("已启用计划 {plan}（第 {revision} 版，{tasks} 个任务）")
        }
        PlanMessage::AlreadyActive { plan, revision } => {
            format!("计划 {plan} 已经启用（第 {revision} 版）")
        }
        PlanMessage::RunIt => "运行 aide plan run 开始执行".to_owned(),
        PlanMessage::Happened { plan, happened } => {
            format!("{plan}: {}", texts::happened(Lang::Zh, happened))
        }
        PlanMessage::NothingHappened => "没有可做的事".to_owned(),
        PlanMessage::Paused { plan, code } => format!("计划 {plan} 暂停: {code}"),
        PlanMessage::NoPlans => "没有计划".to_owned(),
        PlanMessage::ActivateFirst => "用 aide plan activate <DIR> 启用一个".to_owned(),
        PlanMessage::UnknownPlan { name } => format!("没有此计划: {name}"),
        PlanMessage::KnownPlans { names } => format!("现有的计划: {}", names.join(", ")),
        PlanMessage::Status { plan, completed, total } => format!("{plan}: 已完成 {completed}/{total}"),
        PlanMessage::Task { task, state, agent, again, waits_for, score } => {
            let again = if *again > 0 { format!("，重做 {again} 次") } else { String::new() };
            let waits = waits_for.as_ref().map(|waits| format!("，{waits}")).unwrap_or_default();
            let score = score.as_ref().map(|score| format!("，评分 {score}")).unwrap_or_default();
            format!("{task}: {}（{agent}{again}{score}{waits}）", state_zh(*state))
        }
        PlanMessage::Open { open } => texts::open(Lang::Zh, open),
        PlanMessage::NoDeadLetters => "没有被放弃的消息".to_owned(),
        PlanMessage::DeadLetter { id, code, file, time } => format!("{id}: {code} {file}（{time}）"),
        PlanMessage::WillReplay { message } => format!("下次投递时将重新投递 {message}"),
        PlanMessage::UnknownDeadLetter { name } => format!("没有被放弃的消息: {name}"),
        PlanMessage::ListDeadLetters => "用 --list 查看被放弃的消息".to_owned(),
        PlanMessage::Approved { release } => format!("已批准发布（{release}）"),
        PlanMessage::Rejected { release } => format!("已拒绝发布（{release}）"),
        PlanMessage::MissingEvidence { name } => format!("缺少证据: {name}"),
        PlanMessage::RejectedEvidence { name, why } => format!("证据不合格: {name}（{why}）"),
        PlanMessage::SeeEvidence => "补齐证据后重新执行".to_owned(),
        PlanMessage::Runs { agents } => format!("运行中的 agent: {}", agents.join(", ")),
        PlanMessage::RunsElsewhere { agent } => format!("{agent} 由另一个程序运行"),
        PlanMessage::HowToAnswer { session } => {
            format!("用 aide decide open 或 aide decide answer {session} 答复")
        }
        PlanMessage::NoAnswer { request } => format!("没有人及时答复 {request}"),
        PlanMessage::CannotAsk { request, why } => format!("无法请求用户: {request}（{why}）"),
        PlanMessage::Spent { answers, tokens, dollars } => {
            let dollars = dollars.as_ref().map(|it| format!("，{it} 美元")).unwrap_or_default();
            format!("LLM 回答 {answers} 次，{tokens} 个 token{dollars}")
        }
        PlanMessage::Done { plan } => format!("计划 {plan} 已完成"),
        PlanMessage::NotDone { plan } => format!("计划 {plan} 已结束，但没有完成"),
        PlanMessage::SeeStatus => "用 aide plan status 查看各个任务".to_owned(),
        PlanMessage::Parked => "已中断，计划没有结束".to_owned(),
        PlanMessage::RunAgain => "重新运行 aide plan run 即可继续".to_owned(),
    }
}

fn en(message: &PlanMessage) -> String {
    match message {
        PlanMessage::Sound { plan, tasks } => {
            format!("The plan {plan} is sound ({tasks} task{})", if *tasks == 1 { "" } else { "s" })
        }
        PlanMessage::Finding { finding } => texts::finding(Lang::En, finding),
        PlanMessage::Unsound { count: 1 } => "the plan has a problem and cannot be carried out".to_owned(),
        PlanMessage::Unsound { count } => format!("the plan has {count} problems and cannot be carried out"),
        PlanMessage::MendFindings => "correct what is listed above, then try again".to_owned(),
        PlanMessage::NoDag => "there is no task_dag.json in the folder".to_owned(),
        PlanMessage::PlanFolder => {
            "a plan's folder has task_dag.json, plan_manifest.json, and a command for each task in commands/"
                .to_owned()
        }
        PlanMessage::Activated { plan, revision, tasks } => {
            let s = if *tasks == 1 { "" } else { "s" };
            format!("Activated the plan {plan} (revision {revision}, {tasks} task{s})")
        }
        PlanMessage::AlreadyActive { plan, revision } => {
            format!("The plan {plan} is active already (revision {revision})")
        }
        PlanMessage::RunIt => "Start it with aide plan run".to_owned(),
        PlanMessage::Happened { plan, happened } => {
            format!("{plan}: {}", texts::happened(Lang::En, happened))
        }
        PlanMessage::NothingHappened => "There is nothing to do".to_owned(),
        PlanMessage::Paused { plan, code } => format!("the plan {plan} is paused: {code}"),
        PlanMessage::NoPlans => "there is no plan".to_owned(),
        PlanMessage::ActivateFirst => "activate one with aide plan activate <DIR>".to_owned(),
        PlanMessage::UnknownPlan { name } => format!("no such plan: {name}"),
        PlanMessage::KnownPlans { names } => format!("plans: {}", names.join(", ")),
        PlanMessage::Status { plan, completed, total } => format!("{plan}: {completed} of {total} completed"),
        PlanMessage::Task { task, state, agent, again, waits_for, score } => {
            let again = if *again > 0 { format!(", done again {again}×") } else { String::new() };
            let waits = waits_for.as_ref().map(|waits| format!(", {waits}")).unwrap_or_default();
            let score = score.as_ref().map(|score| format!(", score {score}")).unwrap_or_default();
            format!("{task}: {} ({agent}{again}{score}{waits})", state_en(*state))
        }
        PlanMessage::Open { open } => texts::open(Lang::En, open),
        PlanMessage::NoDeadLetters => "No message was given up".to_owned(),
        PlanMessage::DeadLetter { id, code, file, time } => format!("{id}: {code} {file} ({time})"),
        PlanMessage::WillReplay { message } => format!("{message} will be delivered again by the next pass"),
        PlanMessage::UnknownDeadLetter { name } => format!("no message was given up under this name: {name}"),
        PlanMessage::ListDeadLetters => "--list shows what was given up".to_owned(),
        PlanMessage::Approved { release } => format!("The release is approved ({release})"),
        PlanMessage::Rejected { release } => format!("the release is rejected ({release})"),
        PlanMessage::MissingEvidence { name } => format!("evidence is missing: {name}"),
        PlanMessage::RejectedEvidence { name, why } => format!("evidence is not good enough: {name} ({why})"),
        PlanMessage::SeeEvidence => "provide the evidence, then run it again".to_owned(),
        PlanMessage::Runs { agents } => format!("Running the agents {}", agents.join(", ")),
        PlanMessage::RunsElsewhere { agent } => format!("another program runs {agent}"),
        PlanMessage::HowToAnswer { session } => {
            format!("Answer with aide decide open, or aide decide answer {session}")
        }
        PlanMessage::NoAnswer { request } => format!("nobody has answered {request} in time"),
        PlanMessage::CannotAsk { request, why } => format!("the user cannot be asked: {request} ({why})"),
        PlanMessage::Spent { answers, tokens, dollars } => {
            let dollars = dollars.as_ref().map(|it| format!(", ${it}")).unwrap_or_default();
            let s = if *answers == 1 { "" } else { "s" };
            format!("LLM: {answers} answer{s}, {tokens} tokens{dollars}")
        }
        PlanMessage::Done { plan } => format!("The plan {plan} is done"),
        PlanMessage::NotDone { plan } => format!("the plan {plan} has ended without being done"),
        PlanMessage::SeeStatus => "aide plan status shows its tasks".to_owned(),
        PlanMessage::Parked => "interrupted; the plans have not ended".to_owned(),
        PlanMessage::RunAgain => "run aide plan run again to go on".to_owned(),
    }
}

fn state_zh(state: State) -> &'static str {
    match state {
        State::Pending => "未开始",
        State::Ready => "就绪",
        State::Running => "执行中",
        State::BlockedWaitingInput => "等待输入",
        State::BlockedWaitingReview => "等待评审",
        State::BlockedWaitingHuman => "等待用户",
        State::Failed => "失败",
        State::Skipped => "已跳过",
        State::Completed => "已完成",
    }
}

fn state_en(state: State) -> &'static str {
    match state {
        State::Pending => "pending",
        State::Ready => "ready",
        State::Running => "running",
        State::BlockedWaitingInput => "waiting for inputs",
        State::BlockedWaitingReview => "waiting for a review",
        State::BlockedWaitingHuman => "waiting for the user",
        State::Failed => "failed",
        State::Skipped => "skipped",
        State::Completed => "completed",
    }
}

#[cfg(test)]
mod tests {
    use super::PlanMessage;
    use agent::dag::{Document, Finding, Flaw, Open};
    use agent::plan::Happened;
    use model::agent::{Code, Id, State};
    use texts::Lang;

    fn id(text: &str) -> Id {
        text.parse().unwrap()
    }

    fn finding(flaw: Flaw) -> PlanMessage {
        let path = "nodes[0].depends_on[0]".to_owned();
        PlanMessage::Finding { finding: Finding { document: Document::Dag, path, flaw } }
    }

    fn happened(happened: Happened) -> PlanMessage {
        PlanMessage::Happened { plan: id("plan_p"), happened }
    }

    samples! {
        PlanMessage;
        Sound { plan: id("plan_p"), tasks: 3 },
        Finding {
            finding: Finding {
                document: Document::Dag,
                path: "nodes[0].depends_on[0]".to_owned(),
                flaw: Flaw::UnknownDependency(id("task_x"))
            }
        },
        Unsound { count: 2 },
        MendFindings,
        NoDag,
        PlanFolder,
        Activated { plan: id("plan_p"), revision: 2, tasks: 3 },
        AlreadyActive { plan: id("plan_p"), revision: 2 },
        RunIt,
        Happened {
            plan: id("plan_p"),
            happened: Happened::Answered { request_id: id("human_req_1") }
        },
        NothingHappened,
        Paused { plan: id("plan_p"), code: Code::DagInvalid },
        NoPlans,
        ActivateFirst,
        UnknownPlan { name: "plan_x".to_owned() },
        KnownPlans { names: vec!["plan_p".to_owned(), "plan_q".to_owned()] },
        Status { plan: id("plan_p"), completed: 1, total: 3 },
        Task {
            task: "task_a".to_owned(),
            state: State::BlockedWaitingInput,
            agent: "agent_a".to_owned(),
            again: 2,
            waits_for: Some("x.md".to_owned()),
            score: Some("85".to_owned())
        },
        Open { open: Open::NotArchived("handbook".to_owned()) },
        NoDeadLetters,
        DeadLetter {
            id: "dlq_1".to_owned(),
            code: "ROUTING_NO_TARGET".to_owned(),
            file: "a.msg.json".to_owned(),
            time: "2026-01-12T09:00:00Z".to_owned()
        },
        WillReplay { message: "msg_1".to_owned() },
        UnknownDeadLetter { name: "msg_1".to_owned() },
        ListDeadLetters,
        Approved { release: id("rel_1") },
        Rejected { release: id("rel_1") },
        MissingEvidence { name: "smoke_test_result.json".to_owned() },
        RejectedEvidence { name: "smoke_test_result.json".to_owned(), why: "REJECT".to_owned() },
        SeeEvidence,
        Runs { agents: vec!["agent_a".to_owned(), "agent_b".to_owned()] },
        RunsElsewhere { agent: "agent_a".to_owned() },
        HowToAnswer { session: "2025-01-15T10-30-00".parse().unwrap() },
        NoAnswer { request: "human_req_1".to_owned() },
        CannotAsk { request: "human_req_1".to_owned(), why: "why".to_owned() },
        Spent { answers: 5, tokens: 1200, dollars: Some("0.0123".to_owned()) },
        Done { plan: id("plan_p") },
        NotDone { plan: id("plan_p") },
        SeeStatus,
        Parked,
        RunAgain,
    }

    fn table(lang: Lang) -> String {
        let task = || id("task_a");
        let flaws = [
            Flaw::DuplicateTask(task()),
            Flaw::UnknownDependency(task()),
            Flaw::Cycle(vec![task(), id("task_b")]),
            Flaw::DuplicateOutput(id("out")),
            Flaw::UnknownFallback(task()),
            Flaw::MissingFallback,
            Flaw::FallbackNeedsTask(task()),
            Flaw::UnknownAgent(id("agent_a")),
            Flaw::UnreachableEvidence("review.json".parse().unwrap()),
            Flaw::UnreachableThreshold(model::agent::FormatName::DagReviewResult),
            Flaw::EmptyGate,
            Flaw::RoutingGap(id("out")),
            Flaw::RuleShadows,
            Flaw::RuleWithoutTarget,
            Flaw::UnmadeDeliverable("handbook".to_owned()),
            Flaw::UnknownTask(task()),
            Flaw::UnreachableInput("text".to_owned()),
            Flaw::InputNotAwaited(task()),
            Flaw::BadPattern("[".to_owned()),
            Flaw::OtherPlan(id("plan_q")),
            Flaw::NoCommand(task()),
            Flaw::UnknownOutput(id("out")),
            Flaw::TaskIdTooLong(task()),
        ]
        .map(finding);
        let delivered = |output_name, to| Happened::Delivered {
            message_id: id("msg_1"),
            task_id: Some(task()),
            output_name,
            from: id("agent_a"),
            to,
        };
        let issued = |reexecutions| Happened::Issued {
            task_id: task(),
            command_id: id("cmd_task_a_001"),
            reexecutions,
        };
        let events = [
            delivered(None, Some(id("agent_b"))),
            delivered(Some(id("out")), Some(id("agent_b"))),
            delivered(Some(id("out")), None),
            Happened::GivenUp {
                code: Code::MissingPayload,
                from: id("agent_a"),
                file_name: "a.msg.json".to_owned(),
                detail: "a.md".to_owned(),
            },
            issued(0),
            issued(1),
            Happened::Asked { request_id: id("human_req_1"), task_id: Some(task()) },
            Happened::ReplanRequested { request_id: id("replan_1") },
            Happened::Released { is_approved: true },
            Happened::Released { is_approved: false },
            Happened::Alerted { code: Code::TaskFailed, message: "task_a has failed".to_owned() },
        ]
        .map(happened);
        let open = [
            Open::NotAccepted("handbook".to_owned()),
            Open::NeverSeen(id("agent_a")),
            Open::Failed(task()),
            Open::ReleasePending,
            Open::ReleaseRejected,
        ]
        .map(|open| PlanMessage::Open { open });
        let all = samples().into_iter().chain(flaws).chain(events).chain(open);
        all.map(|message| message.tell(lang) + "\n").collect()
    }

    #[test]
    fn messages_about_plans_in_chinese() {
        insta::with_settings!({ snapshot_path => "../../tests/snapshots", prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!("plan_messages_zh", table(Lang::Zh));
        });
    }

    #[test]
    fn messages_about_plans_in_english() {
        insta::with_settings!({ snapshot_path => "../../tests/snapshots", prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!("plan_messages_en", table(Lang::En));
        });
    }
}
