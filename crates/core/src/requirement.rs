//! What a task needs of the agent that does it (contract/workflows §6.1), and how well each agent meets that.

use crate::task::Task;
use protocol::workflow::MissingResource;
use protocol::workflow::api::Capability;

/// The preferred level, in any capability, if the words of a task suggest none.
const USUAL_LEVEL: u64 = 5;

/// What the words of a task say of who should do it: a capability, how good at it, and the words. Those in Latin letters are
/// beginnings of words: "searching" is "search", "research" is not.
const INFERRED: &[(&str, u64, &[&str])] = &[
    ("web_search", 7, &["搜索", "调研", "分析", "search", "research", "analy"]),
    ("code_generation", 7, &["代码", "编程", "开发", "code", "coding", "program", "develop"]),
    ("file_ops", 5, &["文件", "保存", "创建", "file", "save", "saving", "create", "creating"]),
    ("report_generation", 7, &["报告", "总结", "report", "summar"]),
];

/// What a task requires of its agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirement {
    /// The kind of agent.
    pub kind: String,
    /// What it must be able to do, all of it.
    pub capabilities: Vec<String>,
    /// The level that it needs in one of these capabilities, or in any if none is named.
    pub min_level: Option<u64>,
    /// What is better: each capability with its level; any capability where none is named.
    preferred: Vec<(Option<&'static str>, u64)>,
}

/// How well an agent meets a requirement; the greater the better.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fitness {
    /// How much of what is better it has.
    preferred: usize,
    /// The levels of all that is asked for, added up.
    levels: u64,
}

impl Requirement {
    /// The requirement of a task. The planner knows what the task needs; if the planner states nothing, the words of the task
    /// tell which agents are preferred, and exclude none.
    pub fn new(kind: &str, capabilities: Vec<String>, min_level: Option<u64>, description: &str) -> Self {
        let is_stated = !capabilities.is_empty() || min_level.is_some();
        let preferred = if is_stated || kind != "executor" { Vec::new() } else { inferred(description) };
        Self { kind: kind.to_owned(), capabilities, min_level, preferred }
    }

    /// The requirement of this task.
    pub fn of(task: &Task) -> Self {
        Self::new(&task.kind, task.capabilities.clone(), task.min_level, &task.description)
    }

    /// How well an agent of this kind, able to do this, meets it; `None` if it does not.
    pub fn met_by(&self, kind: &str, able: &[Capability]) -> Option<Fitness> {
        if kind != self.kind {
            return None;
        }
        let level = |name: &str| able.iter().find(|able| able.kind == name).map(|able| able.level);
        let levels: Vec<u64> = self.capabilities.iter().map(|name| level(name)).collect::<Option<_>>()?;
        let best = if levels.is_empty() {
            able.iter().map(|able| able.level).max()
        } else {
            levels.iter().copied().max()
        };
        if self.min_level.is_some_and(|least| best.is_none_or(|best| best < least)) {
            return None;
        }
        let mut fitness = Fitness { preferred: 0, levels: levels.into_iter().fold(0, u64::saturating_add) };
        for (name, least) in &self.preferred {
            let level = match name {
                Some(name) => level(name),
                None => able.iter().map(|able| able.level).max(),
            };
            if let Some(level) = level.filter(|level| level >= least) {
                fitness.preferred += 1;
                // Of those who are good at nothing in particular none is better than another.
                fitness.levels = fitness.levels.saturating_add(name.map_or(0, |_| level));
            }
        }
        Some(fitness)
    }

    /// The form in which it is reported when no agent meets it.
    pub fn missing(&self) -> MissingResource {
        MissingResource {
            kind: self.kind.clone(),
            capabilities: Some(self.capabilities.clone()),
            min_level: self.min_level,
        }
    }

    /// Names what no agent has.
    pub fn lacking(&self) -> String {
        let what =
            if self.capabilities.is_empty() { self.kind.clone() } else { self.capabilities.join(", ") };
        match self.min_level {
            Some(level) => format!("{what} ≥ {level}"),
            None => what,
        }
    }
}

/// What the words of a task say of who should do it.
fn inferred(description: &str) -> Vec<(Option<&'static str>, u64)> {
    let text = description.to_lowercase();
    let is_said = |words: &&[&str]| words.iter().any(|word| has(&text, word));
    let meant: Vec<_> = INFERRED
        .iter()
        .filter(|(_, _, words)| is_said(words))
        .map(|(name, level, _)| (Some(*name), *level))
        .collect();
    if meant.is_empty() { vec![(None, USUAL_LEVEL)] } else { meant }
}

/// Whether a text has this word; one in Latin letters must begin there.
fn has(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        !word.is_ascii() || before.is_none_or(|before| !before.is_ascii_alphanumeric())
    })
}

#[cfg(test)]
mod tests {
    use super::inferred;

    #[test]
    fn s6_1_words_say_what_a_task_is_about() {
        let of = |text: &str| {
            let meant = inferred(text).into_iter();
            meant
                .map(|(name, level)| format!("{} {level}", name.unwrap_or("any")))
                .collect::<Vec<_>>()
                .join(", ")
        };
        for (words, meant) in [
            ("搜索 search 调研 分析", "web_search 7"),
            ("代码 code 编程 开发", "code_generation 7"),
            ("文件 file 保存 创建", "file_ops 5"),
            ("报告 report 总结", "report_generation 7"),
        ] {
            for word in words.split(' ') {
                assert_eq!(of(word), meant, "{word}");
                assert_eq!(of(&format!("请{word}一下")), meant, "{word}");
            }
        }
        assert_eq!(
            of("搜索 deepseek 最新发布，写报告并保存"),
            "web_search 7, file_ops 5, report_generation 7"
        );
        assert_eq!(of("Searching; then a REPORT"), "web_search 7, report_generation 7");
        // A part of another word is none.
        assert_eq!(of("Decode the profile"), "any 5");
        assert_eq!(of(""), "any 5");
    }
}
