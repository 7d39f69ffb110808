//! What the program asks about a workflow that cannot go on by itself. `finger.md` words it in Chinese, and so it is kept and sent;
//! readers of English are asked in English.

use crate::Lang;

impl Lang {
    /// A question of the program in this language; `None` for what it keeps as it is: the words of agents, and Chinese.
    pub(crate) fn recovery(self, message: &str) -> Option<String> {
        if self == Self::Zh {
            return None;
        }
        let asked = match message {
            "任务有变化，如何继续？" => {
                "The task has changed. How should the workflow continue?".to_owned()
            }
            "计划待确认，如何继续？" => {
                "The plan needs your consent. How should the workflow continue?".to_owned()
            }
            "审查多次未通过，如何继续？" => {
                "The result was rejected several times. How should the workflow continue?".to_owned()
            }
            _ => {
                if let Some(lacking) = message.strip_prefix("资源不足：缺少 ") {
                    format!(
                        "No agent can do the task: {lacking} is missing. How should the workflow continue?"
                    )
                } else {
                    let number = message.strip_prefix("任务 ")?.strip_suffix(" 失败，如何继续？")?;
                    format!("Task {number} has failed. How should the workflow continue?")
                }
            }
        };
        Some(asked)
    }
}

#[cfg(test)]
mod tests {
    use crate::Lang;

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
}
