//! Questions about a workflow that cannot continue by itself, in the reader's language, with options that say what they do. They
//! are stored and sent in the words of the contract ([`RecoveryQuestion`]).

use crate::Lang;
use model::DecideItem;
use protocol::workflow::RecoveryQuestion;
use std::borrow::Cow;

/// What stands before the reason why an answer to a workflow cannot be used.
const BAD_PROPOSAL: &str = "proposal_error: ";
const NO_SEARCH: [&str; 2] = [
    "Web search needs a program or an address of yours: set `daemon.tools.search_command` or `daemon.tools.search_url` in your own \
     configuration (`aide config path`), then run `aide daemon restart`.",
    "智能体使用您自己的搜索程序或地址：在您自己的配置（`aide config path`）中设置 `daemon.tools.search_command` 或 \
     `daemon.tools.search_url`，然后执行 `aide daemon restart`。",
];
/// Behind the same, where the workflow still waits.
const THEN_RESUME: [&str; 2] = [
    "After that, resume the workflow (`aide workflow resume`) and answer `continue`.",
    "之后恢复工作流（`aide workflow resume`），再回答 `continue`。",
];
const UNUSABLE_ANSWER: [&str; 2] = [
    "A workflow needs one JSON object in each answer. Let the provider's program print one, or set `daemon.provider` to another \
     provider; then try it with `aide workflow understand \"say hello\"`.",
    "工作流要求每个回答都是一个 JSON 对象。请让 provider 的程序这样输出，或将 `daemon.provider` 设为另一个 provider，再用 \
     `aide workflow understand \"问候\"` 试用。",
];

fn in_english(question: RecoveryQuestion<'_>) -> String {
    let cause = match question {
        RecoveryQuestion::TaskFailed { number } => format!("Task {number} has failed"),
        RecoveryQuestion::ResourcesMissing { resources } => lacking_in_english(resources),
        RecoveryQuestion::TaskChanged => "The task has changed".to_owned(),
        RecoveryQuestion::PlanUnconfirmed => "The plan needs your consent".to_owned(),
        RecoveryQuestion::ReviewsFailed => "The result was rejected several times".to_owned(),
    };
    format!("{cause}. How should the workflow continue?")
}

/// Says what an option does; `None` for one that the question does not have.
fn effect(question: RecoveryQuestion<'_>, lang: Lang, option: &str) -> Option<&'static str> {
    use RecoveryQuestion::{PlanUnconfirmed, ResourcesMissing, ReviewsFailed, TaskChanged, TaskFailed};
    let [en, zh] = match (option, question) {
        ("continue", TaskFailed { .. } | ResourcesMissing { .. }) => ["Try it again", "重试"],
        ("continue", TaskChanged) => ["Keep the plan", "按原计划继续"],
        ("continue", PlanUnconfirmed) => ["Execute this plan", "执行此计划"],
        ("continue", ReviewsFailed) => ["Request another revision", "再修改一次"],
        ("accept", ReviewsFailed) => ["Accept the result as it is", "接受现有结果"],
        ("replan", _) => ["Make a new plan", "重新规划"],
        ("new_task", TaskChanged) => ["Treat it as a new task", "作为新任务处理"],
        ("abort", _) => ["End the workflow", "终止工作流"],
        _ => return None,
    };
    Some(if lang == Lang::Zh { zh } else { en })
}

fn lacking_in_english(resources: &str) -> String {
    format!("No agent can do the task: {resources} is missing")
}

impl Lang {
    /// A question of the program in this language; `None` for what it keeps as it is: the words of agents, and Chinese.
    pub(crate) fn recovery(self, message: &str) -> Option<String> {
        RecoveryQuestion::parse(message).filter(|_| self == Self::En).map(in_english)
    }

    /// What an option does in a question of the program about how a workflow continues; `None` in any other question.
    pub(crate) fn recovery_effect(self, message: &str, option: &str) -> Option<&'static str> {
        effect(RecoveryQuestion::parse(message)?, self, option)
    }

    /// Such a question as this reader is asked: the options say what they do, their values stay.
    pub(crate) fn asked_by_program(self, item: &DecideItem) -> Option<DecideItem> {
        let question = RecoveryQuestion::parse(&item.title)?;
        let mut asked = item.clone();
        for option in &mut asked.options {
            // An agent may have asked the same and mean something else by its options.
            let is_ours = option.label == option.value;
            option.label = effect(question, self, &option.value).filter(|_| is_ours)?.to_owned();
        }
        if self == Self::En {
            asked.title = in_english(question);
        }
        asked.context = self.context(&item.title, item.context.as_deref());
        Some(asked)
    }

    /// What makes it possible to go on, as Markdown, where a workflow stops for want of something that is configured: `cause` is
    /// the question of the program, or why the workflow has failed.
    pub fn remedy(self, cause: &str) -> Option<&'static str> {
        let is_search = |capability: &str| capability.split(' ').next() == Some("web_search");
        let [en, zh] = match RecoveryQuestion::parse(cause) {
            Some(RecoveryQuestion::ResourcesMissing { resources })
                if resources.split(", ").any(is_search) =>
            {
                NO_SEARCH
            }
            None if cause.starts_with("cannot use what ") || cause.starts_with(BAD_PROPOSAL) => {
                UNUSABLE_ANSWER
            }
            _ => return None,
        };
        Some(if self == Self::Zh { zh } else { en })
    }

    /// What a question is about, as Markdown: its own context, and behind that what makes it possible to go on.
    pub fn context(self, question: &str, own: Option<&str>) -> Option<String> {
        let remedy = self.remedy(question).map(|remedy| {
            let [en, zh] = THEN_RESUME;
            if self == Self::Zh { format!("{remedy}{zh}") } else { format!("{remedy} {en}") }
        });
        // Why a task has failed is quoted there.
        let is_unusable = own.is_some_and(|own| own.lines().any(|line| line.starts_with(BAD_PROPOSAL)));
        let remedy =
            remedy.or_else(|| is_unusable.then(|| self.remedy(BAD_PROPOSAL)).flatten().map(str::to_owned));
        let parts: Vec<_> = own.map(str::to_owned).into_iter().chain(remedy).collect();
        (!parts.is_empty()).then(|| parts.join("\n\n"))
    }

    /// Why a workflow has failed: where no agent could do a task, in this language.
    pub fn cause(self, error: &str) -> Cow<'_, str> {
        match RecoveryQuestion::parse(error) {
            Some(RecoveryQuestion::ResourcesMissing { resources }) if self == Self::En => {
                Cow::Owned(lacking_in_english(resources))
            }
            _ => Cow::Borrowed(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Lang;
    use model::Questions;
    use serde_json::{Value, json};

    #[test]
    fn questions_of_the_program_are_asked_in_english_and_those_of_agents_as_they_are() {
        for (message, asked) in [
            ("任务 1 失败，如何继续？", Some("Task 1 has failed. How should the workflow continue?")),
            (
                "资源不足：缺少 web_search",
                Some("No agent can do the task: web_search is missing. How should the workflow continue?"),
            ),
            ("任务有变化，如何继续？", Some("The task has changed. How should the workflow continue?")),
            (
                "计划待确认，如何继续？",
                Some("The plan needs your consent. How should the workflow continue?"),
            ),
            (
                "审查多次未通过，如何继续？",
                Some("The result was rejected several times. How should the workflow continue?"),
            ),
            ("找到 5 篇论文，选择哪些？", None),
            ("任务 失败，如何继续", None),
        ] {
            assert_eq!(Lang::En.recovery(message).as_deref(), asked, "{message}");
            assert_eq!(Lang::Zh.recovery(message), None, "{message}");
        }
    }

    #[test]
    fn options_of_the_program_say_what_they_do_and_keep_their_values() {
        let values = ["continue", "replan", "abort"];
        for (message, lang, labels) in [
            ("任务 1 失败，如何继续？", Lang::En, ["Try it again", "Make a new plan", "End the workflow"]),
            ("任务 1 失败，如何继续？", Lang::Zh, ["重试", "重新规划", "终止工作流"]),
            (
                "计划待确认，如何继续？",
                Lang::En,
                ["Execute this plan", "Make a new plan", "End the workflow"],
            ),
            ("Which way?", Lang::En, values),
            ("任务 2 失败，如何继续？", Lang::En, ["Delete it", "replan", "abort"]),
        ] {
            let label = |value: &str| {
                if labels[0] == "Delete it" && value == "continue" {
                    labels[0].to_owned()
                } else {
                    value.to_owned()
                }
            };
            let options: Vec<Value> =
                values.iter().map(|value| json!({ "value": value, "label": label(value) })).collect();
            let item = json!({ "id": 1, "title": message, "options": options });
            let questions = json!({ "task": "Build it", "source": "wf-1", "items": [item] });
            let questions = Questions::from_value(questions).unwrap();
            let asked = lang.questions(questions.input());
            let said: Vec<_> =
                asked.items[0].options.iter().map(|option| (&*option.label, &*option.value)).collect();
            assert_eq!(said, labels.into_iter().zip(values).collect::<Vec<_>>(), "{message}");
        }
    }

    #[test]
    fn what_no_agent_can_do_is_a_cause_in_the_language_of_its_reader() {
        let cause = "资源不足：缺少 web_search";
        assert_eq!(Lang::En.cause(cause), "No agent can do the task: web_search is missing");
        assert_eq!((Lang::Zh.cause(cause), Lang::En.cause("no luck")), (cause.into(), "no luck".into()));
    }

    #[test]
    fn what_is_to_be_configured_is_named_where_a_workflow_stops_for_want_of_it() {
        for lang in [Lang::En, Lang::Zh] {
            for cause in ["资源不足：缺少 web_search", "资源不足：缺少 file_ops, web_search ≥ 8"]
            {
                let remedy = lang.remedy(cause).unwrap();
                for name in
                    ["`daemon.tools.search_command`", "`daemon.tools.search_url`", "`aide daemon restart`"]
                {
                    assert!(remedy.contains(name), "{remedy}");
                }
            }
            let unusable =
                "cannot use what demo answers as orchestrator-default: the answer has no JSON object";
            assert!(lang.remedy(unusable).unwrap().contains("`aide workflow understand "));
            for cause in ["资源不足：缺少 file_ops", "任务 1 失败，如何继续？", "no network", "web_search"]
            {
                assert_eq!(lang.remedy(cause), None, "{cause}");
            }
        }
        let options: Vec<Value> =
            ["continue", "abort"].map(|value| json!({ "value": value, "label": value })).to_vec();
        let item = json!({ "id": 1, "title": "资源不足：缺少 web_search", "options": options });
        let questions =
            Questions::from_value(json!({ "task": "Look", "source": "wf-1", "items": [item] })).unwrap();
        let asked = Lang::En.questions(questions.input());
        let context = asked.items[0].context.as_deref().unwrap();
        assert!(context.starts_with(Lang::En.remedy("资源不足：缺少 web_search").unwrap()), "{context}");
        assert!(
            context.ends_with(" resume the workflow (`aide workflow resume`) and answer `continue`."),
            "{context}"
        );
    }
}
