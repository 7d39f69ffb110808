//! What is said of a plan: what is wrong with it, what happens to it, and how far its tasks have come, in both languages.

mod code;
mod en;
mod page;
mod waiting;
mod zh;

pub use code::{plan_alert, plan_code};
pub use page::PlanTexts;
pub use waiting::{task_failure, task_waits_for};

use crate::{Lang, show};
use agent::dag::{Document, Finding, OpenItem};
use agent::plan::{PLAN_MANIFEST, PlanEvent, TASK_DAG};
use protocol::agent::{Code, State};

/// A path through arbitrarily named members can be of any length.
const MAX_PATH: usize = 200;

/// The file or folder of the author that a finding is in.
pub fn plan_document(document: Document) -> &'static str {
    match document {
        Document::Dag => TASK_DAG,
        Document::Manifest => PLAN_MANIFEST,
        Document::Command => "commands",
    }
}

/// The sentence for something that is wrong with a plan, with its path and its code.
pub fn plan_finding(lang: Lang, finding: &Finding) -> String {
    let mut path = finding.path.clone();
    if let Some((end, _)) = path.char_indices().nth(MAX_PATH) {
        path.truncate(end);
        path.push('…');
    }
    let sentence = match lang {
        Lang::Zh => zh::flaw(&finding.flaw),
        Lang::En => en::flaw(&finding.flaw),
    };
    format!("{path}: {sentence} [{}]", finding.code())
}

/// The sentence for something that has happened to a plan.
pub fn plan_event(lang: Lang, happened: &PlanEvent) -> String {
    match lang {
        Lang::Zh => zh::happened(happened),
        Lang::En => en::happened(happened),
    }
}

/// The sentence for something for which a plan is not done.
pub fn plan_open(lang: Lang, open: &OpenItem) -> String {
    match lang {
        Lang::Zh => zh::open(open),
        Lang::En => en::open(open),
    }
}

/// The word for how far a task has come.
pub fn task_state(lang: Lang, state: State) -> &'static str {
    match lang {
        Lang::Zh => zh::state(state),
        Lang::En => en::state(state),
    }
}

/// The sentence for why a plan does not go on.
pub fn plan_paused(lang: Lang, code: Code) -> String {
    let sentence = match lang {
        Lang::Zh => zh::paused(code),
        Lang::En => en::paused(code),
    };
    format!("{sentence} [{code}]")
}

/// Names one after the other, with this between them.
fn list<T: ToString>(names: &[T], separator: &str) -> String {
    names.iter().map(ToString::to_string).collect::<Vec<_>>().join(separator)
}

/// Foreign text, on one line and short.
fn quote(text: &str) -> String {
    show::quoted(text)
}
