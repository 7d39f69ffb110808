//! What is wrong with what agents tell one another: a sentence for every broken rule, in both languages.

mod en;
mod gateway;
mod zh;

pub use gateway::gateway_words;

use crate::{Explain, Explanation, Lang, show, syntax};
use model::Found;
use protocol::agent::{FormatError, Problem};

/// Maximum number of further problems reported per document; the author corrects these and tries again.
const MAX_PROBLEMS: usize = 50;
/// A path through arbitrarily named members can be of any length.
const MAX_PATH: usize = 200;

/// The sentence for one broken rule, with its path, what was found there, and its code.
pub fn agent_problem(lang: Lang, problem: &Problem) -> String {
    let mut path = problem.path.clone();
    if let Some((end, _)) = path.char_indices().nth(MAX_PATH) {
        path.truncate(end);
        path.push('…');
    }
    let sentence = match lang {
        Lang::Zh => zh::problem(&path, problem),
        Lang::En => en::problem(&path, problem),
    };
    format!("{sentence} [{}]", problem.code())
}

/// `"a", "b"`, with this between them.
fn quoted(names: &[&str], separator: &str) -> String {
    names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(separator)
}

/// What was found, where it is worth telling.
fn json(found: &Found) -> Option<String> {
    match found {
        Found::Missing => None,
        Found::Json(json) => Some(show::json(json)),
    }
}

/// Of the problems, all: the first as what happened, the others in lines of their own.
impl Explain for FormatError {
    fn zh(&self) -> Explanation {
        match self {
            Self::Syntax(error) => Explanation::new(format!("JSON 解析失败: {}", syntax(Lang::Zh, error)))
                .with_hint("检查 JSON 格式是否正确"),
            Self::Invalid(problems) => invalid(Lang::Zh, problems, "数据验证失败", zh::further, zh::left_out),
        }
    }

    fn en(&self) -> Explanation {
        match self {
            Self::Syntax(error) => {
                Explanation::new(format!("cannot parse the JSON: {}", syntax(Lang::En, error)))
                    .with_hint("check that the JSON is well-formed")
            }
            Self::Invalid(problems) => invalid(Lang::En, problems, "invalid data", en::further, en::left_out),
        }
    }
}

fn invalid(
    lang: Lang,
    problems: &[Problem],
    what: &str,
    further: fn(usize) -> String,
    left_out: fn(usize) -> String,
) -> Explanation {
    let Some((first, others)) = problems.split_first() else { return Explanation::new(what) };
    let mut explanation = Explanation::new(format!("{what}: {}", agent_problem(lang, first)));
    if !others.is_empty() {
        explanation.lines.push(further(others.len()));
    }
    let told = others.iter().take(MAX_PROBLEMS).map(|problem| format!("- {}", agent_problem(lang, problem)));
    explanation.lines.extend(told);
    if let Some(count) = others.len().checked_sub(MAX_PROBLEMS).filter(|count| *count > 0) {
        explanation.lines.push(format!("- {}", left_out(count)));
    }
    explanation
}
