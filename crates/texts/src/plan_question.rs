//! What a plan asks people, in the reader's language. What is kept and sent has the words of its documents.

use crate::{Lang, fill};
use model::{DecideItem, Origin};
use protocol::agent::{PlanChoice, PlanContext, PlanQuestion, PlanTitle};
use std::borrow::Cow;

impl Lang {
    /// A question of a plan, as this reader is asked; `None` where it is another one, or stands in this language already.
    pub(crate) fn asked_by_plan(self, item: &DecideItem) -> Option<DecideItem> {
        let question = PlanQuestion::from_item(item).filter(|_| self == Self::Zh)?;
        let (title, is_judged) =
            (plan_question(question), matches!(question, PlanQuestion::NotGoodEnough { .. }));
        let mut item = item.clone();
        item.title = title;
        if let Some(context) = item.context.as_ref().filter(|_| is_judged) {
            item.context = Some(PlanContext::reword(context, "评审意见:", "条未列出", "评审对象:"));
        }
        for option in &mut item.options {
            if let Some(choice) = PlanChoice::read(&option.label) {
                option.label = plan_choice(choice);
            }
        }
        Some(item)
    }

    /// What a set of questions is called for this reader: one that a plan asks in their language, any other as it was written.
    pub fn task<'t>(self, task: &'t str, origin: &Origin) -> Cow<'t, str> {
        match origin {
            Origin::Agent { .. } => self.plan_title(task),
            _ => Cow::Borrowed(task),
        }
    }

    pub(crate) fn plan_title(self, task: &str) -> Cow<'_, str> {
        match PlanTitle::read(task).filter(|_| self == Self::Zh) {
            Some(title) => Cow::Owned(plan_title(title)),
            None => Cow::Borrowed(task),
        }
    }
}

fn plan_question(question: PlanQuestion<'_>) -> String {
    let because = |cause: Option<&str>| cause.map(|cause| format!(": {cause}")).unwrap_or_default();
    match question {
        PlanQuestion::DependencyFailed { failed, cause, task } => fill(
            "{failed} 失败{cause}。{task} 需要它的结果，如何继续？",
            &[("failed", failed), ("cause", &because(cause)), ("task", task)],
        ),
        PlanQuestion::NoPlanner { failed, cause, task } => fill(
            "{failed} 失败{cause}。{task} 请求另定计划，但没有规划者，如何继续？",
            &[("failed", failed), ("cause", &because(cause)), ("task", task)],
        ),
        PlanQuestion::AmbiguousInput { input, task } => {
            fill("有多个文件符合 {task} 的输入 {input}，应当用哪一个？", &[("input", input), ("task", task)])
        }
        PlanQuestion::NotGoodEnough { task, found } => {
            fill("{task} 仍未达到要求（{found}），是否按现状接受？", &[("task", task), ("found", found)])
        }
        PlanQuestion::NotReviewed { task, missing, failed, cause } => {
            let because = failed.map(|failed| {
                fill("{failed} 失败{cause}。", &[("failed", failed), ("cause", &because(cause))])
            });
            fill(
                "{failure}不会再有对 {task} 的评审（缺少: {missing}），是否不经评审继续？",
                &[("failure", &because.unwrap_or_default()), ("task", task), ("missing", missing)],
            )
        }
    }
}

fn plan_choice(choice: PlanChoice<'_>) -> String {
    match choice {
        PlanChoice::TryAgain => "重试".to_owned(),
        PlanChoice::Without { task, failed } => {
            fill("不用 {failed} 的结果执行 {task}", &[("task", task), ("failed", failed)])
        }
        PlanChoice::Skip { task } => fill("跳过 {task}", &[("task", task)]),
        PlanChoice::AsItIs => "按现状接受".to_owned(),
        PlanChoice::DoAgain => "重新执行".to_owned(),
        PlanChoice::WithoutReview => "不经评审继续".to_owned(),
        PlanChoice::Files { paths, message } => {
            fill("{message} 的 {paths}", &[("message", message), ("paths", paths)])
        }
    }
}

fn plan_title(title: PlanTitle<'_>) -> String {
    match title {
        PlanTitle::Failed { task, failed } => {
            fill("{task}: {failed} 失败", &[("task", task), ("failed", failed)])
        }
        PlanTitle::Which { task, input } => {
            fill("{task}: 用哪个 {input}？", &[("task", task), ("input", input)])
        }
        PlanTitle::NotGoodEnough { task } => fill("{task}: 未达到要求", &[("task", task)]),
        PlanTitle::NotReviewed { task } => fill("{task}: 未经评审", &[("task", task)]),
    }
}

#[cfg(test)]
mod tests {
    use crate::Lang;
    use model::{Origin, Questions};
    use serde_json::json;

    fn of_plan() -> Origin {
        Origin::Agent { plan: "p".into(), task: "t".into(), agent: "a".into(), request: "r".into() }
    }

    #[test]
    fn a_plan_asks_each_reader_in_their_language_and_takes_the_same_answers() {
        for (task, title, options, zh_task, zh_title, zh_options) in [
            (
                "publish: draft has failed",
                "draft has failed: no network. publish needs it. What now?",
                vec!["Try again", "Do publish without draft", "Skip publish"],
                "publish: draft 失败",
                "draft 失败: no network。publish 需要它的结果，如何继续？",
                vec!["重试", "不用 draft 的结果执行 publish", "跳过 publish"],
            ),
            (
                "publish: draft has failed",
                "draft has failed. publish asks for another plan, and there is no planner. What now?",
                vec!["Do publish without draft", "Skip publish"],
                "publish: draft 失败",
                "draft 失败。publish 请求另定计划，但没有规划者，如何继续？",
                vec!["不用 draft 的结果执行 publish", "跳过 publish"],
            ),
            (
                "publish: which text?",
                "Several files fit the input text of publish. Which one is meant?",
                vec!["a.md of msg_1", "a.md, b.md of msg_2"],
                "publish: 用哪个 text？",
                "有多个文件符合 publish 的输入 text，应当用哪一个？",
                vec!["msg_1 的 a.md", "msg_2 的 a.md, b.md"],
            ),
            (
                "draft: not good enough",
                "draft is still not good enough (review: FAIL, 0.4). Take it as it is?",
                vec!["Take it as it is", "Have it done again", "Skip draft"],
                "draft: 未达到要求",
                "draft 仍未达到要求（review: FAIL, 0.4），是否按现状接受？",
                vec!["按现状接受", "重新执行", "跳过 draft"],
            ),
            (
                "draft: not reviewed",
                "No review of draft is coming (missing: review_result.json). Continue without it?",
                vec!["Continue without it", "Skip draft"],
                "draft: 未经评审",
                "不会再有对 draft 的评审（缺少: review_result.json），是否不经评审继续？",
                vec!["不经评审继续", "跳过 draft"],
            ),
        ] {
            let given: Vec<_> = (0..)
                .zip(&options)
                .map(|(at, label)| json!({ "value": format!("k{at}"), "label": label }))
                .collect();
            let item = json!({ "id": 1, "title": title, "options": given, "allow_other": true });
            let questions = json!({ "task": task, "source": "p", "items": [item] });
            let questions = Questions::from_value(questions).unwrap();
            let labels = |lang: Lang| -> Vec<String> {
                let asked = lang.questions(questions.input());
                asked.items[0].options.iter().map(|option| option.label.clone()).collect()
            };
            let zh = Lang::Zh.questions(questions.input());
            assert_eq!(
                (&*zh.task, &*zh.items[0].title, labels(Lang::Zh)),
                (zh_task, zh_title, zh_options.iter().map(ToString::to_string).collect())
            );
            assert!(
                zh.items[0]
                    .options
                    .iter()
                    .zip(&questions.input().items[0].options)
                    .all(|(a, b)| a.value == b.value)
            );
            assert_eq!(&*Lang::En.questions(questions.input()), questions.input());
            assert_eq!(Lang::Zh.task(task, &of_plan()), zh_task);
            assert_eq!(
                (Lang::Zh.task(task, &Origin::Decide), Lang::En.task(task, &of_plan())),
                (task.into(), task.into())
            );
        }
    }

    #[test]
    fn words_of_an_agent_stay_as_they_are() {
        let item = json!({
            "id": 1, "title": "draft is still not good enough (I think). Take it as it is?",
            "options": [{ "value": "y", "label": "Yes" }, { "value": "n", "label": "No" }],
        });
        let questions = json!({ "task": "draft: not reviewed", "source": "p", "items": [item] });
        let questions = Questions::from_value(questions).unwrap();
        assert_eq!(&*Lang::Zh.questions(questions.input()), questions.input());
    }
}
