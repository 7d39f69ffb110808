//! Questions of a plan to people: the text that its documents contain, and the parser for it, so that each reader sees the
//! question in their own language. Ids contain no white space, so the text shows where they are.

use model::{DecideItem, ItemKind};
use std::fmt;

/// A question of a plan, parsed from its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanQuestion<'t> {
    /// A dependency of a task has failed.
    DependencyFailed {
        /// Id of the failed task.
        failed: &'t str,
        /// Reason, if the agent reported one.
        cause: Option<&'t str>,
        /// Id of the task that depends on it.
        task: &'t str,
    },
    /// A task asks for a new plan because another task has failed.
    NoPlanner {
        /// Id of the failed task.
        failed: &'t str,
        /// Reason, if the agent reported one.
        cause: Option<&'t str>,
        /// Id of the task that asks.
        task: &'t str,
    },
    /// Several files match an input.
    AmbiguousInput {
        /// Name of the input.
        input: &'t str,
        /// Id of the task that needs the input.
        task: &'t str,
    },
    /// A reviewed task is still not good enough.
    NotGoodEnough {
        /// Id of the task.
        task: &'t str,
        /// The judgements.
        found: &'t str,
    },
    /// A judgement of a task is missing and will not arrive.
    NotReviewed {
        /// Id of the task.
        task: &'t str,
        /// The missing judgement.
        missing: &'t str,
        /// Id of the failed reviewer; `None` if none has failed.
        failed: Option<&'t str>,
        /// Reason, if the agent reported one.
        cause: Option<&'t str>,
    },
}

const HAS_FAILED: &str = " has failed";
const NEEDS_IT: &str = " needs it. What now?";
const NO_PLANNER: &str = " asks for another plan, and there is no planner. What now?";
const SEVERAL: &str = "Several files fit the input ";
const WHICH: &str = ". Which one is meant?";
const NOT_GOOD: &str = " is still not good enough (";
const AS_IT_IS: &str = "). Take it as it is?";
const NO_REVIEW: &str = "No review of ";
const MISSING: &str = " is coming (missing: ";
const WITHOUT: &str = "). Continue without it?";

/// Returns the text if it is one word, as every id is.
fn word(text: &str) -> Option<&str> {
    (!text.is_empty() && !text.contains(char::is_whitespace)).then_some(text)
}

impl<'t> PlanQuestion<'t> {
    /// Parses the text of a question; `None` if it is not a question of a plan.
    pub fn read(text: &'t str) -> Option<Self> {
        let failure = |end: &str| {
            let (rest, task) = text.strip_suffix(end)?.rsplit_once(". ")?;
            let (failed, cause) = rest.split_once(HAS_FAILED)?;
            let cause = if cause.is_empty() { None } else { Some(cause.strip_prefix(": ")?) };
            Some((word(failed)?, cause, word(task)?))
        };
        if let Some((failed, cause, task)) = failure(NEEDS_IT) {
            return Some(Self::DependencyFailed { failed, cause, task });
        }
        if let Some((failed, cause, task)) = failure(NO_PLANNER) {
            return Some(Self::NoPlanner { failed, cause, task });
        }
        if let Some(named) = text.strip_prefix(SEVERAL) {
            let (input, task) = named.strip_suffix(WHICH)?.rsplit_once(" of ")?;
            return Some(Self::AmbiguousInput { input, task: word(task)? });
        }
        if let Some(rest) = text.strip_suffix(WITHOUT) {
            let (rest, missing) = rest.rsplit_once(MISSING)?;
            let (failure, task) = rest.rsplit_once(NO_REVIEW)?;
            let task = word(task)?;
            if failure.is_empty() {
                return Some(Self::NotReviewed { task, missing, failed: None, cause: None });
            }
            let (failed, cause) = failure.strip_suffix(". ")?.split_once(HAS_FAILED)?;
            let cause = if cause.is_empty() { None } else { Some(cause.strip_prefix(": ")?) };
            return Some(Self::NotReviewed { task, missing, failed: Some(word(failed)?), cause });
        }
        let (task, found) = text.strip_suffix(AS_IT_IS)?.split_once(NOT_GOOD)?;
        Some(Self::NotGoodEnough { task: word(task)?, found })
    }

    /// Parses the question of an item; `None` if it is not a question of a plan, or has options that a plan does not offer.
    pub fn from_item(item: &'t DecideItem) -> Option<Self> {
        let question = Self::read(&item.title)?;
        let is_choice = matches!(item.kind, ItemKind::Choice | ItemKind::Confirm) && !item.multiple;
        let is_known = item.options.iter().all(|option| PlanChoice::read(&option.label).is_some());
        (is_choice && !item.options.is_empty() && is_known).then_some(question)
    }
}

impl fmt::Display for PlanQuestion<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let after = |cause: Option<&str>| cause.map(|cause| format!(": {cause}")).unwrap_or_default();
        match *self {
            Self::DependencyFailed { failed, cause, task } => {
                write!(f, "{failed}{HAS_FAILED}{}. {task}{NEEDS_IT}", after(cause))
            }
            Self::NoPlanner { failed, cause, task } => {
                write!(f, "{failed}{HAS_FAILED}{}. {task}{NO_PLANNER}", after(cause))
            }
            Self::AmbiguousInput { input, task } => write!(f, "{SEVERAL}{input} of {task}{WHICH}"),
            Self::NotGoodEnough { task, found } => write!(f, "{task}{NOT_GOOD}{found}{AS_IT_IS}"),
            Self::NotReviewed { task, missing, failed, cause } => {
                if let Some(failed) = failed {
                    write!(f, "{failed}{HAS_FAILED}{}. ", after(cause))?;
                }
                write!(f, "{NO_REVIEW}{task}{MISSING}{missing}{WITHOUT}")
            }
        }
    }
}

/// An option of a question, parsed from its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanChoice<'t> {
    /// Retry the failed task.
    TryAgain,
    /// Execute a task without the failed one.
    Without {
        /// Id of the task to execute.
        task: &'t str,
        /// Id of the failed task.
        failed: &'t str,
    },
    /// Skip a task.
    Skip {
        /// Id of the task.
        task: &'t str,
    },
    /// Accept the judged work.
    AsItIs,
    /// Redo the judged work.
    DoAgain,
    /// Continue the plan without a judgement.
    WithoutReview,
    /// Use these files of a message.
    Files {
        /// Paths of the files.
        paths: &'t str,
        /// Id of the message.
        message: &'t str,
    },
}

const AGAIN: &str = "Try again";
const TAKE: &str = "Take it as it is";
const ANEW: &str = "Have it done again";
const CONTINUE: &str = "Continue without it";

impl<'t> PlanChoice<'t> {
    /// Parses the text of an option; `None` if it is not an option of a plan.
    pub fn read(text: &'t str) -> Option<Self> {
        match text {
            AGAIN => return Some(Self::TryAgain),
            TAKE => return Some(Self::AsItIs),
            ANEW => return Some(Self::DoAgain),
            CONTINUE => return Some(Self::WithoutReview),
            _ => {}
        }
        if let Some(task) = text.strip_prefix("Skip ").and_then(word) {
            return Some(Self::Skip { task });
        }
        let without = text.strip_prefix("Do ").and_then(|rest| rest.split_once(" without "));
        if let Some((task, failed)) = without
            && let (Some(task), Some(failed)) = (word(task), word(failed))
        {
            return Some(Self::Without { task, failed });
        }
        let (paths, message) = text.rsplit_once(" of ")?;
        Some(Self::Files { paths, message: word(message)? })
    }
}

impl fmt::Display for PlanChoice<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::TryAgain => f.write_str(AGAIN),
            Self::Without { task, failed } => write!(f, "Do {task} without {failed}"),
            Self::Skip { task } => write!(f, "Skip {task}"),
            Self::AsItIs => f.write_str(TAKE),
            Self::DoAgain => f.write_str(ANEW),
            Self::WithoutReview => f.write_str(CONTINUE),
            Self::Files { paths, message } => write!(f, "{paths} of {message}"),
        }
    }
}

/// The title of a question, parsed from its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanTitle<'t> {
    /// A task has failed.
    Failed {
        /// Id of the blocked task.
        task: &'t str,
        /// Id of the failed task.
        failed: &'t str,
    },
    /// Several files match an input.
    Which {
        /// Id of the task.
        task: &'t str,
        /// Name of the input.
        input: &'t str,
    },
    /// A task is not good enough.
    NotGoodEnough {
        /// Id of the task.
        task: &'t str,
    },
    /// A task is not reviewed.
    NotReviewed {
        /// Id of the task.
        task: &'t str,
    },
}

const SHORT: &str = "not good enough";
const UNSEEN: &str = "not reviewed";

impl<'t> PlanTitle<'t> {
    /// Parses the text of a title; `None` if it is not a title of a plan.
    pub fn read(text: &'t str) -> Option<Self> {
        let (task, rest) = text.split_once(": ")?;
        let task = word(task)?;
        match rest {
            SHORT => return Some(Self::NotGoodEnough { task }),
            UNSEEN => return Some(Self::NotReviewed { task }),
            _ => {}
        }
        if let Some(input) = rest.strip_prefix("which ").and_then(|rest| rest.strip_suffix('?')) {
            return Some(Self::Which { task, input });
        }
        Some(Self::Failed { task, failed: rest.strip_suffix(HAS_FAILED).and_then(word)? })
    }
}

impl fmt::Display for PlanTitle<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Failed { task, failed } => write!(f, "{task}: {failed}{HAS_FAILED}"),
            Self::Which { task, input } => write!(f, "{task}: which {input}?"),
            Self::NotGoodEnough { task } => write!(f, "{task}: {SHORT}"),
            Self::NotReviewed { task } => write!(f, "{task}: {UNSEEN}"),
        }
    }
}

/// Context of a question about work that is not good enough, as Markdown. Its fixed words are at the beginnings of lines, so that
/// they can be parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanContext {
    /// Issues to resolve, each on one line.
    pub issues: Vec<String>,
    /// Number of omitted issues.
    pub left_out: usize,
    /// Judged files, each with its beginning if it is text.
    pub works: Vec<(String, Option<String>)>,
}

const FOUND: &str = "What the judges found:";
const MORE: &str = "more";
const WORK: &str = "What was judged:";

impl fmt::Display for PlanContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.issues.is_empty() {
            writeln!(f, "{FOUND}\n")?;
            for issue in &self.issues {
                writeln!(f, "- {issue}")?;
            }
            if self.left_out > 0 {
                writeln!(f, "- … {} {MORE}", self.left_out)?;
            }
        }
        for (at, (path, excerpt)) in self.works.iter().enumerate() {
            if at > 0 || !self.issues.is_empty() {
                writeln!(f)?;
            }
            writeln!(f, "{WORK} `{}`", path.replace('`', "'"))?;
            if let Some(excerpt) = excerpt {
                let fence = fence_around(excerpt);
                writeln!(f, "\n{fence}\n{excerpt}\n{fence}")?;
            }
        }
        Ok(())
    }
}

/// Returns more tildes than any line of the text begins with, and at least three.
fn fence_around(text: &str) -> String {
    let tildes = |line: &str| line.trim_start().chars().take_while(|letter| *letter == '~').count();
    "~".repeat(text.lines().map(tildes).max().unwrap_or(0).max(2) + 1)
}

impl PlanContext {
    /// Returns a context with its fixed words in another language: `found` and `work` for the headings, `more` after the number
    /// of omitted issues. Issues and works are unchanged.
    pub fn reword(context: &str, found: &str, more: &str, work: &str) -> String {
        let mut fence: Option<String> = None;
        let lines: Vec<String> = context
            .lines()
            .map(|line| {
                if let Some(end) = &fence {
                    if line == end {
                        fence = None;
                    }
                    return line.to_owned();
                }
                if line.len() > 2 && line.chars().all(|letter| letter == '~') {
                    fence = Some(line.to_owned());
                    return line.to_owned();
                }
                if line == FOUND {
                    return found.to_owned();
                }
                let left_out = line.strip_prefix("- … ").and_then(|line| line.strip_suffix(MORE));
                if let Some(count) = left_out.and_then(|count| count.trim().parse::<usize>().ok()) {
                    return format!("- … {count} {more}");
                }
                match line.strip_prefix(WORK) {
                    Some(path) => format!("{work}{path}"),
                    None => line.to_owned(),
                }
            })
            .collect();
        lines.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::{PlanChoice, PlanContext, PlanQuestion, PlanTitle};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_read_again(
            (task, failed) in ("[A-Za-z0-9_-][A-Za-z0-9._-]{0,8}", "[A-Za-z0-9_-][A-Za-z0-9._-]{0,8}"),
            cause in proptest::option::of("[a-z.:]( ?[a-z.:?]){0,20}"),
            names in "[a-z]([a-z, ./();]{0,20}[a-z])?",
        ) {
            let (task, failed, cause, names) = (&*task, &*failed, cause.as_deref(), &*names);
            for question in [
                PlanQuestion::DependencyFailed { failed, cause, task },
                PlanQuestion::NoPlanner { failed, cause, task },
                PlanQuestion::AmbiguousInput { input: names, task },
                PlanQuestion::NotGoodEnough { task, found: names },
                PlanQuestion::NotReviewed { task, missing: names, failed: None, cause: None },
                PlanQuestion::NotReviewed { task, missing: names, failed: Some(failed), cause },
            ] {
                let words = question.to_string();
                prop_assert_eq!(PlanQuestion::read(&words), Some(question));
            }
            for choice in [
                PlanChoice::TryAgain,
                PlanChoice::Without { task, failed },
                PlanChoice::Skip { task },
                PlanChoice::AsItIs,
                PlanChoice::DoAgain,
                PlanChoice::WithoutReview,
                PlanChoice::Files { paths: names, message: task },
            ] {
                let words = choice.to_string();
                prop_assert_eq!(PlanChoice::read(&words), Some(choice));
            }
            for title in [
                PlanTitle::Failed { task, failed },
                PlanTitle::Which { task, input: names },
                PlanTitle::NotGoodEnough { task },
                PlanTitle::NotReviewed { task },
            ] {
                let words = title.to_string();
                prop_assert_eq!(PlanTitle::read(&words), Some(title));
            }
        }
    }

    #[test]
    fn a_context_is_reworded_and_what_was_judged_stays() {
        let work = "# Draft\n\nWhat was judged: nothing\n~~~\nWhat the judges found:\n~~~";
        let context = PlanContext {
            issues: vec!["No rhyme.".to_owned(), "What the judges found:".to_owned()],
            left_out: 3,
            works: vec![("a/draft.md".to_owned(), Some(work.to_owned())), ("a/b.png".to_owned(), None)],
        };
        let text = context.to_string();
        let expected = |found: &str, more: &str, judged: &str| {
            format!(
                "{found}\n\n- No rhyme.\n- What the judges found:\n- … 3 {more}\n\n{judged} `a/draft.md`\n\n~~~~\n{work}\n\
                 ~~~~\n\n{judged} `a/b.png`"
            )
        };
        assert_eq!(text.trim_end(), expected("What the judges found:", "more", "What was judged:"));
        assert_eq!(PlanContext::reword(&text, "F", "M", "W"), expected("F", "M", "W"));
        assert_eq!(PlanContext { issues: vec![], left_out: 0, works: vec![] }.to_string(), "");
    }

    #[test]
    fn other_words_are_no_question_of_a_plan() {
        for text in ["", "Go on?", "It has failed. What now?", "the build has failed. x needs it. What now?"]
        {
            assert_eq!(PlanQuestion::read(text), None, "{text}");
        }
        for text in ["Yes", "Skip the rest", "of", "Do it"] {
            assert_eq!(PlanChoice::read(text), None, "{text}");
        }
        for text in ["Add user login", "auth: which?", "the login: not reviewed"] {
            assert_eq!(PlanTitle::read(text), None, "{text}");
        }
    }
}
