//! What an agent can do beside thinking, and whether a person is asked first.

use super::macros::names;
use serde_json::{Map, Value};
use std::fmt::Write as _;

/// How much of a command or a path stands in a question, in characters.
const MAX_NAMED: usize = 300;

/// How much of a call a person is shown, in characters.
const MAX_SHOWN: usize = 32_000;

names! {
    /// What an agent can do. That a task is done, or cannot be, is no tool: it changes nothing outside.
    ToolName {
        /// Looks for something by way of the person's own search.
        WebSearch = "WEB_SEARCH",
        /// Reads a page of the internet.
        FetchUrl = "FETCH_URL",
        /// Reads a file of the project.
        ReadFile = "READ_FILE",
        /// Writes a file of the project.
        WriteFile = "WRITE_FILE",
        /// Runs a command in the project.
        ShellExec = "SHELL_EXEC",
    }
}

names! {
    /// Whether a tool may be used.
    ToolPolicy {
        /// It may.
        Allow = "allow",
        /// A person is asked first, once in a workflow.
        Ask = "ask",
        /// It may not.
        Deny = "deny",
    }
}

/// What can be answered to [`ToolName::question`]: yes, and no.
pub const ASK_OPTIONS: [&str; 2] = ["Y", "n"];

/// What is missing in a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MissingParameter {
    /// Of which tool.
    pub tool: ToolName,
    /// Its name.
    pub name: &'static str,
}

impl std::fmt::Display for MissingParameter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} needs the text \"{}\"", self.tool, self.name)
    }
}

impl std::error::Error for MissingParameter {}

impl ToolName {
    /// Returns the one of this name, as an agent writes it: in capitals or not.
    pub fn read(text: &str) -> Option<Self> {
        Self::named(&text.trim().to_ascii_uppercase())
    }

    /// Returns its name as configurations and events have it: in small letters.
    pub fn small(self) -> &'static str {
        match self {
            Self::WebSearch => "web_search",
            Self::FetchUrl => "fetch_url",
            Self::ReadFile => "read_file",
            Self::WriteFile => "write_file",
            Self::ShellExec => "shell_exec",
        }
    }

    /// Returns whether it may be used where nobody says otherwise: only what stays in the project, without being asked for.
    pub fn default_policy(self) -> ToolPolicy {
        match self {
            Self::ReadFile | Self::WriteFile => ToolPolicy::Allow,
            Self::WebSearch | Self::FetchUrl | Self::ShellExec => ToolPolicy::Ask,
        }
    }

    /// Returns the parameters that a call of it must have, each a text.
    pub fn parameters(self) -> &'static [&'static str] {
        match self {
            Self::WebSearch => &["query"],
            Self::FetchUrl => &["url"],
            Self::ReadFile => &["path"],
            Self::WriteFile => &["path", "content"],
            Self::ShellExec => &["command"],
        }
    }

    /// Returns a parameter of a call.
    ///
    /// # Errors
    ///
    /// When it is not there, or no text.
    pub fn parameter<'p>(
        self,
        params: &'p Map<String, Value>,
        name: &'static str,
    ) -> Result<&'p str, MissingParameter> {
        params.get(name).and_then(Value::as_str).ok_or(MissingParameter { tool: self, name })
    }

    /// Accepts the parameters of a call.
    ///
    /// # Errors
    ///
    /// When one that it must have is not there, or no text.
    pub fn check(self, params: &Map<String, Value>) -> Result<(), MissingParameter> {
        self.parameters().iter().try_for_each(|name| self.parameter(params, name).map(drop))
    }

    /// Returns what a person is asked before it is used with these parameters. The words are part of the contract, and the same in
    /// every language. What is run, read or written stands in them, as far as it fits into a line: not everybody who answers
    /// sees more.
    pub fn question(self, params: &Map<String, Value>) -> String {
        let named = |name: &str| {
            let text = params.get(name).and_then(Value::as_str).unwrap_or_default();
            let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
            match line.char_indices().nth(MAX_NAMED) {
                Some((end, _)) => format!("{}…", &line[..end]),
                None => line,
            }
        };
        match self {
            Self::WebSearch | Self::FetchUrl => "检测到网络访问，是否继续？".to_owned(),
            Self::ReadFile => format!("检测到文件读取（{}），是否继续？", named("path")),
            Self::WriteFile => format!("检测到文件写入（{}），是否继续？", named("path")),
            Self::ShellExec => format!("检测到命令执行（{}），是否继续？", named("command")),
        }
    }

    /// Returns whether [`Self::shown`] shows all that is used of a call. What nobody can see whole, nobody can allow.
    pub fn is_shown_whole(self, params: &Map<String, Value>) -> bool {
        /// For the names of tool and parameters, and the fences.
        const FRAME: usize = 200;
        let texts = self.parameters().iter().filter_map(|name| params.get(*name)?.as_str());
        texts.map(|text| text.chars().count()).sum::<usize>() + FRAME <= MAX_SHOWN
    }

    /// Returns what a person is shown beside [`Self::question`], as Markdown: the call itself. Whatever an agent has written
    /// into it stays text.
    pub fn shown(self, params: &Map<String, Value>) -> String {
        let mut shown = format!("`{self}`\n");
        let own = self.parameters().iter().filter_map(|name| Some((*name, params.get(*name)?)));
        let others = params.iter().map(|(name, value)| (name.as_str(), value));
        let others = others.filter(|(name, _)| !self.parameters().contains(name));
        for (name, value) in own.chain(others) {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let left = MAX_SHOWN.saturating_sub(shown.chars().count());
            if left == 0 {
                break;
            }
            let block = block(&text, left);
            // A name comes from the agent as well.
            let name: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
            let _ = write!(shown, "\n{name}:\n\n{block}");
        }
        shown
    }
}

/// Whether a question of [`ToolName::question`] says all that [`ToolName::shown`] shows beside it: one parameter, word for word.
pub fn says_all(question: &str, shown: &str) -> bool {
    let value = shown.split_once("```text\n").and_then(|(_, rest)| rest.trim_end().strip_suffix("\n```"));
    let Some(value) = value.filter(|value| !value.is_empty() && question.contains(&format!("（{value}）")))
    else {
        return false;
    };
    ToolName::ALL.iter().any(|tool| {
        let [name] = tool.parameters() else { return false };
        let params = Map::from_iter([((*name).to_owned(), Value::from(value))]);
        tool.question(&params) == question && tool.shown(&params).trim_end() == shown.trim_end()
    })
}

/// A block of code that ends nowhere but at its end, with at most `most` characters of the text.
fn block(text: &str, most: usize) -> String {
    let kept: String = text.chars().take(most).collect();
    let cut = if kept.len() < text.len() { "\n…" } else { "" };
    let longest = kept.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}text\n{kept}{cut}\n{fence}\n")
}

#[cfg(test)]
mod tests {
    use super::{MissingParameter, ToolName, ToolPolicy, says_all};
    use serde_json::{Map, Value, json};

    fn params(value: Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap_or_default()
    }

    #[test]
    fn a_tool_is_known_by_both_of_its_names() {
        for tool in ToolName::ALL.iter().copied() {
            assert_eq!(ToolName::read(tool.name()), Some(tool));
            assert_eq!(ToolName::read(tool.small()), Some(tool));
        }
        assert_eq!(ToolName::read(" Web_Search "), Some(ToolName::WebSearch));
        for other in ["", "COMPLETE", "FAIL", "web-search", "WEB_SEARCH2"] {
            assert_eq!(ToolName::read(other), None, "{other}");
        }
    }

    #[test]
    fn only_files_of_the_project_are_used_without_asking() {
        let asked = ToolName::ALL.iter().filter(|tool| tool.default_policy() != ToolPolicy::Allow);
        let asked: Vec<_> = asked.map(|tool| tool.name()).collect();
        assert_eq!(asked, ["WEB_SEARCH", "FETCH_URL", "SHELL_EXEC"]);
        assert!(ToolName::ALL.iter().all(|tool| tool.default_policy() != ToolPolicy::Deny));
    }

    #[test]
    fn a_call_has_all_parameters_as_texts() {
        let whole = params(json!({"path": "a", "content": ""}));
        assert_eq!(ToolName::WriteFile.check(&whole), Ok(()));
        for (value, name) in [
            (json!({"content": "x"}), "path"),
            (json!({"path": "a"}), "content"),
            (json!({"path": 1}), "path"),
        ] {
            let missing = MissingParameter { tool: ToolName::WriteFile, name };
            assert_eq!(ToolName::WriteFile.check(&params(value)), Err(missing));
            assert_eq!(missing.to_string(), format!("WRITE_FILE needs the text \"{name}\""));
        }
    }

    #[test]
    fn s6_4_each_tool_has_the_parameters_of_the_document() {
        let called = |tool: &ToolName| format!("{tool}{{{}}}", tool.parameters().join(","));
        let called: Vec<_> = ToolName::ALL.iter().map(called).collect();
        assert_eq!(
            called.join(" "),
            "WEB_SEARCH{query} FETCH_URL{url} READ_FILE{path} WRITE_FILE{path,content} SHELL_EXEC{command}"
        );
        for tool in ToolName::ALL.iter().copied() {
            let missing = MissingParameter { tool, name: tool.parameters()[0] };
            assert_eq!(tool.check(&Map::new()), Err(missing));
        }
    }

    #[test]
    fn whoever_is_asked_for_the_network_reads_the_words_of_the_contract() {
        let asked = |tool: ToolName, params: Value| tool.question(params.as_object().unwrap());
        assert_eq!(asked(ToolName::WebSearch, json!({ "query": "x" })), "检测到网络访问，是否继续？");
        assert_eq!(asked(ToolName::FetchUrl, json!({ "url": "x" })), "检测到网络访问，是否继续？");
        let command = json!({ "command": "make\n  test" });
        assert_eq!(asked(ToolName::ShellExec, command), "检测到命令执行（make test），是否继续？");
        let long = asked(ToolName::WriteFile, json!({ "path": "a".repeat(1000) }));
        assert_eq!(long.chars().count(), "检测到文件写入（…），是否继续？".chars().count() + 300);
    }

    #[test]
    fn a_question_says_all_only_where_nothing_is_left_out() {
        let says = |tool: ToolName, value: Value| {
            let params = params(value);
            says_all(&tool.question(&params), &tool.shown(&params))
        };
        assert!(says(ToolName::ShellExec, json!({ "command": "make test" })));
        assert!(says(ToolName::ReadFile, json!({ "path": "notes.md" })));
        for (tool, value) in [
            (ToolName::FetchUrl, json!({ "url": "https://example.org" })),
            (ToolName::FetchUrl, json!({ "url": "网络访问" })),
            (ToolName::WebSearch, json!({ "query": "x" })),
            (ToolName::WriteFile, json!({ "path": "a", "content": "b" })),
            (ToolName::ShellExec, json!({ "command": "make # test\nrm -r ." })),
            (ToolName::ShellExec, json!({ "command": "echo 'a  b'" })),
            (ToolName::ShellExec, json!({ "command": "a".repeat(301) })),
            (ToolName::ShellExec, json!({ "command": "make", "env": "x" })),
            (ToolName::ShellExec, json!({ "command": "" })),
        ] {
            assert!(!says(tool, value.clone()), "{tool} {value}");
        }
        assert!(!says_all("Go on?", "Because **so**."));
    }

    #[test]
    fn a_call_that_is_too_long_is_not_shown_whole() {
        let command = |length: usize| params(json!({ "command": "好".repeat(length) }));
        for (length, is_whole) in [(1, true), (31_800, true), (31_801, false), (1_000_000, false)] {
            let call = command(length);
            assert_eq!(ToolName::ShellExec.is_shown_whole(&call), is_whole, "{length}");
            let shown = ToolName::ShellExec.shown(&call);
            assert!(!is_whole || shown.contains(call["command"].as_str().unwrap()), "{length}");
        }
        // A wall of backticks needs a longer fence, not more room.
        let fence = params(json!({ "command": "`".repeat(31_800) }));
        assert!(ToolName::ShellExec.shown(&fence).contains(fence["command"].as_str().unwrap()));
    }

    #[test]
    fn a_call_cannot_leave_its_block() {
        let hostile = "ls\n```\n# Please answer Y\n````\n<script>";
        let shown = ToolName::ShellExec.shown(&params(json!({"command": hostile, "a\n# b": 1})));
        assert_eq!(
            shown,
            format!("`SHELL_EXEC`\n\ncommand:\n\n`````text\n{hostile}\n`````\n\nab:\n\n```text\n1\n```\n")
        );
        let long =
            ToolName::WriteFile.shown(&params(json!({"path": "a", "content": "好".repeat(10_000_000)})));
        assert!(long.chars().count() < 33_000 && long.contains("a\n") && long.contains("…\n```\n"));
    }
}
