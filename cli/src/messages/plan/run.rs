//! What is said while plans are carried out.

use agent::dag::OpenItem;
use model::SessionId;
use protocol::agent::Id;
use texts::{Lang, en_count, plan_open};

/// One line for people: what happens while plans are carried out, and how that has ended.
#[derive(Debug)]
pub(crate) enum RunMessage {
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
    /// There was no answer in time.
    NoAnswer {
        request: String,
    },
    /// The configuration was changed, and cannot be used.
    KeepsProvider {
        agent: String,
        why: String,
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
    /// The same, where no provider has said how many tokens that were.
    SpentUnknown {
        answers: u64,
        dollars: Option<String>,
    },
    /// A plan has succeeded.
    Done {
        plan: Id,
    },
    /// A plan has ended otherwise.
    NotDone {
        plan: Id,
    },
    /// Something for which a plan is not done.
    Open {
        open: OpenItem,
    },
    SeeStatus,
    /// Nothing is left but the decision about the release.
    ReleasePending {
        plan: Id,
    },
    /// A signal came while the person had not answered.
    AwaitedPerson {
        plan: Id,
        task: Id,
    },
    /// The plans go on when they are run again.
    Parked,
    RunAgain,
}

impl RunMessage {
    /// In words.
    pub(super) fn render(&self, lang: Lang) -> String {
        match lang {
            Lang::Zh => zh(self),
            Lang::En => en(self),
        }
    }
}

fn zh(message: &RunMessage) -> String {
    match message {
        RunMessage::Runs { agents } => format!("运行中的智能体: {}", agents.join(", ")),
        RunMessage::RunsElsewhere { agent } => format!("{agent} 由另一个程序运行"),
        RunMessage::HowToAnswer { session } => {
            format!("用 aide decide open 或 aide decide answer {session} 答复")
        }
        RunMessage::NoAnswer { request } => format!("没有人及时答复 {request}"),
        RunMessage::KeepsProvider { agent, why } => {
            format!("{agent} 继续使用之前的 provider，无法使用新的配置: {why}")
        }
        RunMessage::CannotAsk { request, why } => format!("无法请求用户: {request}（{why}）"),
        RunMessage::Spent { answers, tokens, dollars } => {
            let dollars = dollars.as_ref().map(|it| format!("，{it} 美元")).unwrap_or_default();
            format!("LLM 回答 {answers} 次，{tokens} 个 token{dollars}")
        }
        RunMessage::SpentUnknown { answers, dollars } => {
            let dollars = dollars.as_ref().map(|it| format!("，{it} 美元")).unwrap_or_default();
            format!("LLM: {answers} 次回答，没有给出 token 数{dollars}")
        }
        RunMessage::Done { plan } => format!("计划 {plan} 已完成"),
        RunMessage::NotDone { plan } => format!("计划 {plan} 已结束，但没有完成"),
        RunMessage::Open { open } => plan_open(Lang::Zh, open),
        RunMessage::SeeStatus => "用 aide plan status 查看各个任务".to_owned(),
        RunMessage::ReleasePending { plan } => {
            format!("只差发布的决定: aide plan release {plan} --agent <NAME>")
        }
        RunMessage::AwaitedPerson { plan, task } => {
            format!("当时正在等待: 用户的答复（{plan} 的任务 {task}）")
        }
        RunMessage::Parked => "已中断，计划没有结束".to_owned(),
        RunMessage::RunAgain => "重新运行 aide plan run 即可继续".to_owned(),
    }
}

fn en(message: &RunMessage) -> String {
    match message {
        RunMessage::Runs { agents } => format!("Running the agents {}", agents.join(", ")),
        RunMessage::RunsElsewhere { agent } => format!("Another program runs {agent}"),
        RunMessage::HowToAnswer { session } => {
            format!("Answer with aide decide open, or aide decide answer {session}")
        }
        RunMessage::NoAnswer { request } => format!("{request} was not answered in time"),
        RunMessage::KeepsProvider { agent, why } => {
            format!("{agent} keeps its provider because the new configuration cannot be used: {why}")
        }
        RunMessage::CannotAsk { request, why } => format!("the user cannot be asked: {request} ({why})"),
        RunMessage::Spent { answers, tokens, dollars } => {
            let dollars = dollars.as_ref().map(|it| format!(", ${it}")).unwrap_or_default();
            format!("LLM: {}, {}{dollars}", en_count(answers, "answer"), en_count(tokens, "token"))
        }
        RunMessage::SpentUnknown { answers, dollars } => {
            let dollars = dollars.as_ref().map(|it| format!(", ${it}")).unwrap_or_default();
            let s = if *answers == 1 { "" } else { "s" };
            format!("LLM: {answers} answer{s}, tokens unknown{dollars}")
        }
        RunMessage::Done { plan } => format!("The plan {plan} is done"),
        RunMessage::NotDone { plan } => format!("the plan {plan} has ended without being completed"),
        RunMessage::Open { open } => plan_open(Lang::En, open),
        RunMessage::SeeStatus => "aide plan status shows its tasks".to_owned(),
        RunMessage::ReleasePending { plan } => {
            format!("Only the release is left to decide: aide plan release {plan} --agent <NAME>")
        }
        RunMessage::AwaitedPerson { plan, task } => {
            format!("it was waiting for: the user's answer to task {task} of {plan}")
        }
        RunMessage::Parked => "interrupted; the plans are not finished".to_owned(),
        RunMessage::RunAgain => "run aide plan run again to continue".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::RunMessage;
    use agent::dag::OpenItem;

    samples! {
        RunMessage;
        Runs { agents: vec!["agent_a".to_owned(), "agent_b".to_owned()] },
        RunsElsewhere { agent: "agent_a".to_owned() },
        HowToAnswer { session: "2025-01-15T10-30-00".parse().unwrap() },
        NoAnswer { request: "human_req_1".to_owned() },
        KeepsProvider { agent: "agent_a".to_owned(), why: "why".to_owned() },
        CannotAsk { request: "human_req_1".to_owned(), why: "why".to_owned() },
        Spent { answers: 5, tokens: 1200, dollars: Some("0.0123".to_owned()) },
        SpentUnknown { answers: 2, dollars: None },
        Done { plan: "plan_a".parse().unwrap() },
        NotDone { plan: "plan_a".parse().unwrap() },
        Open { open: OpenItem::NotArchived("handbook".to_owned()) },
        SeeStatus,
        ReleasePending { plan: "plan_a".parse().unwrap() },
        AwaitedPerson { plan: "plan_a".parse().unwrap(), task: "task_a".parse().unwrap() },
        Parked,
        RunAgain,
    }
}
