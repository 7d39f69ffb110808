//! All text for people, in two languages.
//!
//! The libraries report errors as data; the sentences are here, shared by the command line, the backend and the page. For rules
//! there is one file per language, for errors one per crate (`errors`), each an exhaustive `match`: a missing text does not
//! compile.
//!
//! # One word for one thing
//!
//! | in code and JSON | Chinese | English |
//! |---|---|---|
//! | the items of a session | 待定项 | questions |
//! | `session` | 会话 | session: the name of one set of questions, as in file names |
//! | a decision | 决策 | decision; what is chosen for one question is its answer |
//! | `returned` | 退回 | sent back |
//! | `cancelled` | 取消 | cancelled |
//! | `replaced` | 取代 | replaced |
//! | the person who answers | 用户；对其说话时用“您” | the user; "you" where they are spoken to |
//! | the asker | 提问者 | the agent |
//! | an agent, whatever it does | 智能体 | the agent |
//! | `files` | 附件 | attached files |
//! | `recommend` | 推荐；采纳推荐 | recommendation; accept |
//! | the present task or phase | 当前 | current |
//! | a phase, a step | 环节、步骤 | phase, step |
//! | an issue, an error of a task | 问题、错误 | issue, error |
//!
//! # Errors
//!
//! Libraries return enums that hold what was found; the only texts in them are those of a parser or of the system. An error that
//! a person may see implements `Explain` (`crates/texts/src/errors`, a file per crate): what happened and what to do, once per
//! language, for terminal, page and API alike. Context that an error lacks, such as the key that a command was to set, is
//! combined with it in `texts` (`RefusedEdit`). A `Failure` of a command carries the error, and advice of its own if the command
//! knows better; only `server::BindError` is worded in `cli/src/messages/bind.rs`, because `texts` knows no server. Over HTTP,
//! `app::detail_of` and the pages render the sentence in the language of the request; refusals of the gate are `gate::Rejection`.
//! No input may panic; `clippy::unwrap_used` warns outside tests.

mod agents;
mod consent;
mod en;
mod errors;
mod files;
mod flow;
mod history;
mod inbox;
mod lang;
mod missing_parameter;
mod page;
mod plan;
mod plan_question;
mod plural;
mod recovery;
mod safe;
mod show;
mod uploads;
mod workflow;
mod zh;

pub use self::agents::{agent_problem, gateway_words};
pub use self::files::{FileTexts, named_file, size};
pub use self::flow::FlowTexts;
pub use self::plan::{
    PlanTexts, plan_alert, plan_code, plan_document, plan_event, plan_finding, plan_open, plan_paused,
    task_failure, task_state, task_waits_for,
};
pub use errors::{BadFlag, Explain, Explanation, Need, RefusedEdit, RefusedValue, reason, sent_back};
pub use history::HistoryTexts;
pub use inbox::InboxTexts;
pub use lang::{Lang, UnknownLang};
pub use missing_parameter::missing_parameter;
pub use page::{PageTexts, fill};
pub use plural::{en_count, wrong_plural};
pub use safe::{json_safe, terminal_safe};
pub use uploads::UploadTexts;
pub use workflow::WorkflowTexts;

use model::{Found, Problem, Rule, Slip, SyntaxError};

/// The sentence for one broken rule, with its path and what was found there.
pub fn problem(lang: Lang, problem: &Problem) -> String {
    match lang {
        Lang::Zh => zh::problem(problem),
        Lang::En => en::problem(problem),
    }
}

/// What to do about a broken rule, in a terminal.
pub fn problem_hint(lang: Lang, problem: &Problem) -> String {
    let see_schema = match lang {
        Lang::Zh => zh::SEE_SCHEMA,
        Lang::En => en::SEE_SCHEMA,
    };
    problem_remedy(lang, problem).unwrap_or(see_schema).to_owned()
}

/// What to do about a broken rule, without a command; `None` where the schema alone helps.
pub fn problem_remedy(lang: Lang, problem: &Problem) -> Option<&'static str> {
    match lang {
        Lang::Zh => zh::remedy(problem),
        Lang::En => en::remedy(problem),
    }
}

/// The sentence for a name that is almost a known one.
pub fn slip(lang: Lang, slip: &Slip) -> String {
    let found = show::member(&slip.path, &slip.found);
    match lang {
        Lang::Zh => zh::slip(&found, slip.meant),
        Lang::En => en::slip(&found, slip.meant),
    }
}

/// Whether what is wrong is that something is not there.
fn is_incomplete(Problem { rule, found, .. }: &Problem) -> bool {
    let is_empty = || matches!(found, Found::Json(json) if json == "[]");
    match rule {
        Rule::InputIsObject | Rule::OutputIsObject | Rule::NotBlank => true,
        Rule::IsFilledArray => *found == Found::Missing || is_empty(),
        _ => *found == Found::Missing,
    }
}

/// Why a text is not JSON.
pub fn syntax(lang: Lang, error: &SyntaxError) -> String {
    match lang {
        Lang::Zh => zh::syntax(error),
        Lang::En => en::syntax(error),
    }
}
