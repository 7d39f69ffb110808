//! The question of a new decision: its check, and the set of one item that is made of it.

use super::answer::{AnswerProblem, read_answer};
use crate::Millis;
use model::{DecideItem, ItemKind, Questions, respond};
use protocol::workflow::{MissingResource, Refusal, WaitingForUser, WaitingOption};
use serde_json::{Map, Value, json};

/// How many options a decision may have.
const MAX_OPTIONS: usize = 64;

/// How long a message or an option may be, in bytes.
const MAX_TEXT: usize = 16 << 10;

/// A question for the user.
#[derive(Debug, Clone, Copy, Default)]
pub struct NewQuestion<'a> {
    /// The question.
    pub message: &'a str,
    /// What can be chosen; none for free text, one to be confirmed.
    pub options: &'a [String],
    /// Whether free text is accepted although there are options.
    pub allow_other: bool,
    /// What stands for no answer.
    pub default: Option<&'a str>,
    /// Whether several options can be chosen; by default, unless they are a yes and a no.
    pub multi_select: Option<bool>,
    /// For how long it can be answered, in milliseconds.
    pub timeout_ms: Option<i64>,
    /// An explanation, in Markdown.
    pub context: Option<&'a str>,
}

/// What a question is about.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The task of its workflow, if it has one.
    pub task: Option<&'a str>,
    /// The ID of its workflow, or of the decision if it has none.
    pub source: &'a str,
}

/// A question that can be asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The set of questions that consists of it.
    pub document: Value,
    /// The item of this set.
    pub item: DecideItem,
    /// When it expires.
    pub expires: Option<Millis>,
}

/// Reason why a question cannot be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QuestionProblem {
    /// There is no message.
    MessageMissing,
    /// An option is blank.
    OptionBlank,
    /// The message or an option is too long, or there are too many options.
    TooLong,
    /// The message is not a question.
    NoQuestion,
    /// The default is not an answer.
    Default(AnswerProblem),
    /// The timeout is not positive.
    Timeout,
}

impl From<QuestionProblem> for Refusal {
    fn from(problem: QuestionProblem) -> Self {
        match problem {
            QuestionProblem::MessageMissing => Self::missing("Missing message", "message"),
            QuestionProblem::OptionBlank => Self::invalid("options must not be blank", "options"),
            QuestionProblem::TooLong => Self::invalid("message or options are too long", "options")
                .with("maxOptions", MAX_OPTIONS)
                .with("maxBytes", MAX_TEXT),
            QuestionProblem::NoQuestion => Self::invalid("message is no question", "message"),
            QuestionProblem::Default(problem) => problem.refusal("default"),
            QuestionProblem::Timeout => Self::invalid("timeoutMs must be positive", "timeoutMs"),
        }
    }
}

impl NewQuestion<'_> {
    /// Checks whether the user can be asked this, apart from default and timeout.
    ///
    /// # Errors
    ///
    /// Why it cannot be asked.
    pub fn check(&self) -> Result<(), QuestionProblem> {
        self.check_message()?;
        let options = self.read_options()?;
        let document = self.document(&options, Subject { task: None, source: "?" });
        item_of(&document).map(drop).ok_or(QuestionProblem::NoQuestion)
    }

    /// Checks whether there is a message.
    ///
    /// # Errors
    ///
    /// When it is blank.
    pub fn check_message(&self) -> Result<(), QuestionProblem> {
        if model::is_blank(self.message) { Err(QuestionProblem::MessageMissing) } else { Ok(()) }
    }

    /// Returns the options, trimmed, each once.
    ///
    /// # Errors
    ///
    /// When one is blank, or they or the message are too long.
    pub fn read_options(&self) -> Result<Vec<String>, QuestionProblem> {
        let mut options: Vec<String> = Vec::new();
        for option in self.options {
            let option = option.trim();
            if option.is_empty() {
                return Err(QuestionProblem::OptionBlank);
            }
            if !options.iter().any(|known| known == option) {
                options.push(option.to_owned());
            }
        }
        let is_long = |text: &str| text.len() > MAX_TEXT;
        if options.len() > MAX_OPTIONS
            || options.iter().any(|option| is_long(option))
            || is_long(self.message)
        {
            return Err(QuestionProblem::TooLong);
        }
        Ok(options)
    }

    /// Returns the question with these options, as it is asked at this time.
    ///
    /// # Errors
    ///
    /// Why it cannot be asked.
    pub fn ask(
        &self,
        options: &[String],
        subject: Subject<'_>,
        now: Millis,
    ) -> Result<Question, QuestionProblem> {
        let document = self.document(options, subject);
        let item = item_of(&document).ok_or(QuestionProblem::NoQuestion)?;
        if let Some(default) = self.default {
            read_answer(&item, default, None).map_err(QuestionProblem::Default)?;
        }
        let expires = match self.timeout_ms {
            None => None,
            Some(timeout) if timeout > 0 => Some(now.saturating_add(timeout)),
            Some(_) => return Err(QuestionProblem::Timeout),
        };
        Ok(Question { document, item, expires })
    }

    /// Whether a stored question asks the same.
    pub fn is_asked_by(&self, item: &DecideItem) -> bool {
        item.title == self.message && item.context.as_deref() == self.context
    }

    /// The set of questions that consists of this one.
    fn document(&self, options: &[String], subject: Subject<'_>) -> Value {
        let mut item = self.item(options);
        let is_yes_or_no = || {
            let document = json!({ "task": "?", "source": "?", "items": [item.clone()] });
            item_of(&document).is_some_and(|item| respond::is_yes_or_no(&item))
        };
        let is_single = || options.len() == 2 && is_yes_or_no();
        if kind_of(options) == ItemKind::Choice && self.multi_select.unwrap_or_else(|| !is_single()) {
            item["multiple"] = json!(true);
        }
        let task = subject.task.filter(|task| !model::is_blank(task)).unwrap_or(self.message);
        json!({ "task": task, "source": subject.source, "items": [item] })
    }

    fn item(&self, options: &[String]) -> Value {
        let kind = kind_of(options);
        let mut item = Map::new();
        item.insert("id".to_owned(), json!(1));
        item.insert("title".to_owned(), json!(self.message));
        if kind != ItemKind::Choice {
            item.insert("kind".to_owned(), json!(kind.name()));
        }
        if let Some(context) = self.context.filter(|context| !model::is_blank(context)) {
            item.insert("context".to_owned(), json!(context));
        }
        if kind != ItemKind::Text {
            let listed = options.iter().map(|option| json!({ "value": option, "label": option }));
            item.insert("options".to_owned(), listed.collect());
        }
        if self.allow_other && kind == ItemKind::Choice {
            item.insert("allow_other".to_owned(), json!(true));
        }
        let is_default = |option: &&String| self.default == Some(option.as_str());
        if let Some(default) = options.iter().find(is_default).filter(|_| kind == ItemKind::Choice) {
            item.insert("recommend".to_owned(), json!(default));
        }
        Value::Object(item)
    }
}

fn kind_of(options: &[String]) -> ItemKind {
    match options.len() {
        0 => ItemKind::Text,
        1 => ItemKind::Confirm,
        _ => ItemKind::Choice,
    }
}

/// Returns the item of a set of one question; `None` if it cannot be read.
pub fn item_of(document: &Value) -> Option<DecideItem> {
    let questions = Questions::from_value(document.clone()).ok()?;
    questions.input().items.first().cloned()
}

/// Why the user is asked.
#[derive(Debug, Clone, PartialEq)]
pub enum DecisionReason {
    /// An agent or a client asks.
    Confirmation,
    /// It is not clear what was meant.
    Ambiguity,
    /// Something has failed.
    Recovery,
    /// No agent can do the work.
    Shortage {
        /// What no agent has.
        missing: Vec<MissingResource>,
        /// What would help.
        suggestion: Option<String>,
    },
}

impl DecisionReason {
    /// Returns the event that reports the decision in the older vocabulary.
    pub fn waiting(self, decision: &str, options: Vec<String>) -> WaitingForUser {
        let (reason, missing_resources, suggestion) = match self {
            Self::Confirmation => ("confirmation_required", None, None),
            Self::Ambiguity => ("ambiguous_input", None, None),
            Self::Recovery => ("error_recovery", None, None),
            Self::Shortage { missing, suggestion } => ("resource_shortage", Some(missing), suggestion),
        };
        let option = |label: String| WaitingOption { id: label.clone(), label, description: None };
        WaitingForUser {
            reason: reason.to_owned(),
            missing_resources,
            suggestion,
            options: options.into_iter().map(option).collect(),
            context: Some(json!({ "decisionId": decision })),
        }
    }
}
