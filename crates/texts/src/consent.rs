//! Whether a tool may be used, in the reader's language. What is kept and sent has the words of the contract.
//!
//! Before an agent of a workflow uses a tool, the question contains the whole call (`protocol/src/workflow/tool.rs`) and the
//! words of each answer in the reader's language (`texts/src/consent.rs`). `Y` allows one call, `always` the tool until the
//! workflow ends. What `aide flow` may commit is settled before the action begins: `Survey` finds files that may be the person's,
//! `Consent` holds what they have agreed to (`cli/src/commands/flow/consent.rs`).

use crate::{Lang, fill};
use model::{DecideInput, DecideItem};
use protocol::workflow::api::DecisionView;
use protocol::workflow::{Consent, Effect, Question, ToolName};
use serde_json::Value;
use std::borrow::Cow;

impl Lang {
    /// A question as this reader is asked: one of the program in their language, any other as it was written.
    pub fn question(self, message: &str) -> Cow<'_, str> {
        let Some(question) = Question::parse(message).filter(|_| self == Self::En) else {
            return self.recovery(message).map_or(Cow::Borrowed(message), Cow::Owned);
        };
        Cow::Owned(match question {
            Question::Network => "Allow network access?".to_owned(),
            Question::Read(path) => format!("Allow reading a file ({path})?"),
            Question::Write(path) => format!("Allow writing a file ({path})?"),
            Question::Run(command) => format!("Allow running a command ({command})?"),
        })
    }

    /// What a decision asks this reader: questions of the program in their language, those of agents as they were written.
    pub fn message(self, decision: &DecisionView) -> Cow<'_, str> {
        match decision.consent {
            Some(_) => self.question(&decision.message),
            None => self.recovery(&decision.message).map_or(Cow::Borrowed(&decision.message), Cow::Owned),
        }
    }

    /// What an answer to it does.
    pub fn effect(self, effect: Effect, tool: ToolName) -> String {
        let words = match (effect, self) {
            (Effect::AllowCall, Self::Zh) => "仅允许这次调用",
            (Effect::AllowCall, Self::En) => "Allow this call",
            (Effect::AllowTool, Self::Zh) => "在此工作流中始终允许 {tool}",
            (Effect::AllowTool, Self::En) => "Allow {tool} for this workflow",
            (Effect::Deny, Self::Zh) => "拒绝",
            (Effect::Deny, Self::En) => "Deny",
        };
        fill(words, &[("tool", tool.name())])
    }

    /// What the answer in the context of an event does, where it is one about a tool.
    pub(crate) fn effect_in(self, context: &Value) -> Option<String> {
        let named = |name: &str| context.get(name)?.as_str();
        Some(self.effect(Effect::named(named("effect")?)?, ToolName::named(named("tool")?)?))
    }

    /// What an answer to a decision does, where the program asks: about a tool, or how a workflow continues. `None` for the answer to
    /// an agent, which says that itself.
    pub fn effect_of(self, decision: &DecisionView, answer: &str) -> Option<Cow<'static, str>> {
        let Some(consent) = &decision.consent else {
            return self.recovery_effect(&decision.message, answer).map(Cow::Borrowed);
        };
        let known = consent.answers.iter().find(|known| known.answer == answer)?;
        Some(Cow::Owned(self.effect(Effect::named(&known.effect)?, consent.tool)))
    }

    /// The same, or the answer itself.
    pub fn answer<'a>(self, decision: &DecisionView, answer: &'a str) -> Cow<'a, str> {
        self.effect_of(decision, answer).unwrap_or(Cow::Borrowed(answer))
    }

    /// Questions as this reader is asked: those about a tool, and those of a plan, in their language, and with options that say what
    /// they do. The values stay what they are.
    pub fn questions(self, input: &DecideInput) -> Cow<'_, DecideInput> {
        // What a workflow or a plan asks is a set of one.
        if let [item] = &input.items[..]
            && let Cow::Owned(item) = self.asked(item)
        {
            let task = match Consent::read(&input.items[0]) {
                Some(_) => input.task.clone(),
                None => self.plan_title(&input.task).into_owned(),
            };
            return Cow::Owned(DecideInput { task, items: vec![item], ..input.clone() });
        }
        Cow::Borrowed(input)
    }

    /// One of them.
    pub fn asked(self, item: &DecideItem) -> Cow<'_, DecideItem> {
        let Some(consent) = Consent::read(item) else {
            let asked = self.asked_by_program(item).or_else(|| self.asked_by_plan(item));
            return asked.map_or(Cow::Borrowed(item), Cow::Owned);
        };
        let mut item = item.clone();
        item.title = self.question(&item.title).into_owned();
        for (option, (_, effect)) in item.options.iter_mut().zip(&consent.answers) {
            option.label = self.effect(*effect, consent.tool);
        }
        Cow::Owned(item)
    }
}

#[cfg(test)]
mod tests {
    use crate::Lang;
    use model::Questions;
    use protocol::workflow::{Consent, ToolName};
    use serde_json::{Map, Value, json};

    #[test]
    fn a_question_about_a_tool_is_asked_in_the_language_of_its_reader() {
        for (message, en) in [
            ("检测到网络访问，是否继续？", "Allow network access?"),
            ("检测到文件读取（a.md），是否继续？", "Allow reading a file (a.md)?"),
            ("检测到文件写入（a.md），是否继续？", "Allow writing a file (a.md)?"),
            ("检测到命令执行（make），是否继续？", "Allow running a command (make)?"),
            ("Go on?", "Go on?"),
        ] {
            assert_eq!((Lang::En.question(message), Lang::Zh.question(message)), (en.into(), message.into()));
        }
    }

    #[test]
    fn its_options_say_what_they_do_and_are_worth_the_same() {
        let call = Map::from_iter([("command".to_owned(), Value::from("rm -rf build && make all"))]);
        let (title, context) = (ToolName::ShellExec.question(&call), ToolName::ShellExec.shown(&call));
        let options = Consent::OPTIONS.map(|option| json!({ "value": option, "label": option }));
        let item = json!({ "id": 1, "title": title, "context": context, "options": options });
        let questions = json!({ "task": "Build it", "source": "wf-1", "items": [item] });
        let questions = Questions::from_value(questions).unwrap();
        for (lang, said) in [
            (Lang::En, ["Allow this call", "Deny", "Allow SHELL_EXEC for this workflow"]),
            (Lang::Zh, ["仅允许这次调用", "拒绝", "在此工作流中始终允许 SHELL_EXEC"]),
        ] {
            let asked = lang.questions(questions.input());
            let item = &asked.items[0];
            let labels: Vec<_> = item.options.iter().map(|option| &*option.label).collect();
            let values: Vec<_> = item.options.iter().map(|option| &*option.value).collect();
            assert_eq!((&labels[..], &values[..]), (&said[..], &Consent::OPTIONS[..]));
            assert_eq!(item.context, questions.input().items[0].context);
        }
    }
}
