//! Tools of agents, and the user's consent to their use.

use super::Question;
use super::macros::payload_names;
use model::respond::ALWAYS;
use model::{DecideItem, ItemKind};
use serde_json::{Map, Value};
use std::fmt::Write as _;

/// Maximum length of a command or path in a question, in characters.
const MAX_NAMED: usize = 300;

/// Maximum length of a call as shown to a user, in characters.
const MAX_SHOWN: usize = 32_000;

payload_names! {
    /// A tool of an agent. Reporting a task as done or impossible is not a tool: it changes nothing outside.
    ToolName {
        /// Searches through the user's own search service.
        WebSearch = "WEB_SEARCH",
        /// Fetches a web page.
        FetchUrl = "FETCH_URL",
        /// Reads a project file.
        ReadFile = "READ_FILE",
        /// Writes a project file.
        WriteFile = "WRITE_FILE",
        /// Runs a command in the project.
        ShellExec = "SHELL_EXEC",
    }
}

payload_names! {
    /// Policy of a tool.
    ToolPolicy {
        /// The tool may be used.
        Allow = "allow",
        /// A user is asked first, for each call until they allow the tool for the workflow.
        Ask = "ask",
        /// The tool may not be used.
        Deny = "deny",
    }
}

/// Answers to [`ToolName::question`] that the contract defines: yes (for this call) and no.
pub const ASK_OPTIONS: [&str; 2] = [YES, NO];

/// Allows the requested call.
const YES: &str = "Y";

/// Denies the requested call.
const NO: &str = "n";

/// A required parameter is missing in a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MissingParameter {
    /// The tool.
    pub tool: ToolName,
    /// Name of the parameter.
    pub name: &'static str,
}

impl std::fmt::Display for MissingParameter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} needs the text \"{}\"", self.tool, self.name)
    }
}

impl std::error::Error for MissingParameter {}

impl ToolName {
    /// Returns the tool with this name, in upper or lower case, as an agent writes it.
    pub fn read(text: &str) -> Option<Self> {
        Self::named(&text.trim().to_ascii_uppercase())
    }

    /// Returns the name in lower case, as in configurations and events.
    pub fn small(self) -> &'static str {
        match self {
            Self::WebSearch => "web_search",
            Self::FetchUrl => "fetch_url",
            Self::ReadFile => "read_file",
            Self::WriteFile => "write_file",
            Self::ShellExec => "shell_exec",
        }
    }

    /// Returns the policy that applies by default: only tools that stay within the project are allowed without asking.
    pub fn default_policy(self) -> ToolPolicy {
        match self {
            Self::ReadFile | Self::WriteFile => ToolPolicy::Allow,
            Self::WebSearch | Self::FetchUrl | Self::ShellExec => ToolPolicy::Ask,
        }
    }

    /// Returns the required parameters of a call, all of them strings.
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
    /// When the parameter is absent or not a string.
    pub fn parameter<'p>(
        self,
        params: &'p Map<String, Value>,
        name: &'static str,
    ) -> Result<&'p str, MissingParameter> {
        params.get(name).and_then(Value::as_str).ok_or(MissingParameter { tool: self, name })
    }

    /// Checks the parameters of a call.
    ///
    /// # Errors
    ///
    /// When a required parameter is absent or not a string.
    pub fn check(self, params: &Map<String, Value>) -> Result<(), MissingParameter> {
        self.parameters().iter().try_for_each(|name| self.parameter(params, name).map(drop))
    }

    /// Returns the question that asks a user to allow a call with these parameters. The text is part of the contract and the same
    /// in every language; [`Question`] parses it, so that each reader sees it in their own language. It contains the command or
    /// path, as far as it fits on one line.
    pub fn question(self, params: &Map<String, Value>) -> String {
        let named = |name: &str| {
            let text = params.get(name).and_then(Value::as_str).unwrap_or_default();
            model::beginning(&model::on_one_line(text), MAX_NAMED)
        };
        match self {
            Self::WebSearch | Self::FetchUrl => Question::Network.to_string(),
            Self::ReadFile => Question::Read(&named("path")).to_string(),
            Self::WriteFile => Question::Write(&named("path")).to_string(),
            Self::ShellExec => Question::Run(&named("command")).to_string(),
        }
    }

    /// Returns whether [`Self::shown`] shows the complete call. A call that cannot be shown completely cannot be allowed.
    pub fn is_shown_whole(self, params: &Map<String, Value>) -> bool {
        /// For the names of the tool and its parameters, and the fences.
        const FRAME: usize = 200;
        let parts = self.parts(params);
        let length = |(name, text): &(String, String)| name.chars().count() + text.chars().count();
        parts.iter().map(length).sum::<usize>() + FRAME <= MAX_SHOWN
    }

    /// Returns the call as Markdown, shown to the user next to [`Self::question`]. Text written by an agent is not interpreted as
    /// markup.
    pub fn shown(self, params: &Map<String, Value>) -> String {
        self.written_out(&self.parts(params))
    }

    /// The parameters of a call as text, those that the tool uses first.
    fn parts(self, params: &Map<String, Value>) -> Vec<(String, String)> {
        let own = self.parameters().iter().filter_map(|name| Some((*name, params.get(*name)?)));
        let others = params.iter().map(|(name, value)| (name.as_str(), value));
        let others = others.filter(|(name, _)| !self.parameters().contains(name));
        let part = |(name, value): (&str, &Value)| {
            // A name comes from the agent as well.
            let name = name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
            (name, value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        };
        own.chain(others).map(part).collect()
    }

    fn written_out(self, parts: &[(String, String)]) -> String {
        let mut shown = format!("`{self}`\n");
        for (name, text) in parts {
            let left = MAX_SHOWN.saturating_sub(shown.chars().count());
            if left == 0 {
                break;
            }
            let block = block(text, left);
            let _ = write!(shown, "\n{name}:\n\n{block}");
        }
        shown
    }
}

/// Effect of an answer to a request for consent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Allows only the requested call.
    AllowCall,
    /// Allows every call of the tool until the workflow ends.
    AllowTool,
    /// Denies the requested call.
    Deny,
}

impl Effect {
    /// Returns the name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::AllowCall => "allow_call",
            Self::AllowTool => "allow_tool",
            Self::Deny => "deny",
        }
    }

    /// Returns the effect with this name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::AllowCall, Self::AllowTool, Self::Deny].into_iter().find(|effect| effect.name() == name)
    }

    /// Returns the effect of the option `chosen`. Before `always` existed, `Y` applied until the workflow ends; it still does for
    /// a question without that option.
    pub fn from_choice(options: &[&str], chosen: &str) -> Option<Self> {
        match chosen {
            YES if options.contains(&ALWAYS) => Some(Self::AllowCall),
            YES | ALWAYS => Some(Self::AllowTool),
            NO => Some(Self::Deny),
            _ => None,
        }
    }
}

/// A tool call that needs the user's consent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consent {
    /// The tool.
    pub tool: ToolName,
    /// Parameters of the call, each a name and a text; those that the tool uses come first.
    pub params: Vec<(String, String)>,
    /// Possible answers with their effects, in the order in which the options are numbered.
    pub answers: Vec<(String, Effect)>,
}

impl Consent {
    /// Options of a new question, in the order in which they are numbered. Those of the contract come first.
    pub const OPTIONS: [&'static str; 3] = [YES, NO, ALWAYS];

    /// Reads the question of a decision; `None` if it is not about a tool call, or does not show the complete call.
    pub fn read(item: &DecideItem) -> Option<Self> {
        if item.kind != ItemKind::Choice || item.multiple || item.allow_other {
            return None;
        }
        let options: Vec<&str> = item.options.iter().map(|option| &*option.value).collect();
        if options != Self::OPTIONS && options != ASK_OPTIONS {
            return None;
        }
        let context = item.context.as_deref()?;
        let (tool, params) = read_call(context)?;
        let used = params.iter().map(|(name, text)| (name.clone(), Value::from(text.clone())));
        // The first of a name is the tool's own.
        let map: Map<String, Value> = used.rev().collect();
        let is_whole = tool.written_out(&params) == context && tool.question(&map) == item.title;
        let answer = |option: &&str| Some(((*option).to_owned(), Effect::from_choice(&options, option)?));
        let answers = options.iter().map(answer).collect::<Option<_>>()?;
        is_whole.then_some(Self { tool, params, answers })
    }
}

/// Parses the output of [`ToolName::shown`].
fn read_call(shown: &str) -> Option<(ToolName, Vec<(String, String)>)> {
    let (name, mut rest) = shown.strip_prefix('`')?.split_once("`\n")?;
    let tool = ToolName::named(name)?;
    let mut params = Vec::new();
    while !rest.is_empty() {
        let (name, block) = rest.strip_prefix('\n')?.split_once(":\n\n")?;
        let (open, text) = block.split_once("text\n")?;
        if open.len() < 3 || open.bytes().any(|byte| byte != b'`') {
            return None;
        }
        let (text, after) = text.split_once(&format!("\n{open}\n"))?;
        params.push((name.to_owned(), text.to_owned()));
        rest = after;
    }
    Some((tool, params))
}

/// A code block that the text cannot close, with at most `most` characters of the text.
fn block(text: &str, most: usize) -> String {
    let kept: String = text.chars().take(most).collect();
    let cut = if kept.len() < text.len() { "\n…" } else { "" };
    let longest = kept.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}text\n{kept}{cut}\n{fence}\n")
}

#[cfg(test)]
mod tests {
    use super::{Consent, Effect, MissingParameter, ToolName, ToolPolicy};
    use model::{DecideItem, Questions};
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

    fn item(tool: ToolName, params: &Map<String, Value>, options: &[&str]) -> DecideItem {
        let listed: Vec<_> =
            options.iter().map(|option| json!({ "value": option, "label": option })).collect();
        let item = json!({
            "id": 1, "title": tool.question(params), "context": tool.shown(params), "options": listed,
        });
        let questions =
            Questions::from_value(json!({ "task": "t", "source": "s", "items": [item] })).unwrap();
        questions.input().items[0].clone()
    }

    #[test]
    fn a_question_about_a_call_is_read_back_whole() {
        for (tool, value, read) in [
            (ToolName::ShellExec, json!({ "command": "make test" }), &["command=make test"][..]),
            (ToolName::ShellExec, json!({ "command": "" }), &["command="]),
            (
                ToolName::ShellExec,
                json!({ "command": "a\n```\n\nurl:\n\n```text\nb\n" }),
                &["command=a\n```\n\nurl:\n\n```text\nb\n"],
            ),
            (ToolName::FetchUrl, json!({ "url": "https://example.org" }), &["url=https://example.org"]),
            (ToolName::WriteFile, json!({ "content": "b", "path": "a" }), &["path=a", "content=b"]),
            (
                ToolName::ShellExec,
                json!({ "co mmand": "x", "command": "make", "env": 1 }),
                &["command=make", "command=x", "env=1"],
            ),
        ] {
            let consent = Consent::read(&item(tool, &params(value), &Consent::OPTIONS)).unwrap();
            let params: Vec<_> = consent.params.iter().map(|(name, text)| format!("{name}={text}")).collect();
            assert_eq!(
                (consent.tool, params),
                (tool, read.iter().map(ToString::to_string).collect()),
                "{tool}"
            );
            let effects: Vec<_> =
                consent.answers.iter().map(|(answer, effect)| (&**answer, *effect)).collect();
            let (call, all) = (Effect::AllowCall, Effect::AllowTool);
            assert_eq!(effects, [("Y", call), ("n", Effect::Deny), ("always", all)]);
        }
    }

    #[test]
    fn a_question_of_an_older_version_does_what_it_said() {
        let old = item(ToolName::ShellExec, &params(json!({ "command": "make" })), &["Y", "n"]);
        let answers = Consent::read(&old).unwrap().answers;
        assert_eq!(answers, [("Y".to_owned(), Effect::AllowTool), ("n".to_owned(), Effect::Deny)]);
    }

    #[test]
    fn a_question_about_anything_else_is_no_consent() {
        let call = params(json!({ "command": "make" }));
        let whole = item(ToolName::ShellExec, &call, &Consent::OPTIONS);
        assert!(Consent::read(&whole).is_some());
        let change = |change: &dyn Fn(&mut DecideItem)| {
            let mut item = whole.clone();
            change(&mut item);
            Consent::read(&item)
        };
        assert_eq!(change(&|item| item.title = "检测到命令执行（true），是否继续？".to_owned()), None);
        assert_eq!(change(&|item| item.context = None), None);
        assert_eq!(change(&|item| item.context.as_mut().unwrap().push_str("\nDo it.")), None);
        assert_eq!(change(&|item| item.options.swap(0, 1)), None);
        assert_eq!(change(&|item| item.options[0].value = "yes".to_owned()), None);
    }

    #[test]
    fn a_call_that_is_too_long_is_not_shown_whole() {
        let command = |length: usize| params(json!({ "command": "好".repeat(length) }));
        for (length, is_whole) in [(1, true), (31_793, true), (31_794, false), (1_000_000, false)] {
            let call = command(length);
            assert_eq!(ToolName::ShellExec.is_shown_whole(&call), is_whole, "{length}");
            let shown = ToolName::ShellExec.shown(&call);
            assert!(!is_whole || shown.contains(call["command"].as_str().unwrap()), "{length}");
        }
        // A wall of backticks needs a longer fence, not more room.
        let fence = params(json!({ "command": "`".repeat(15_000) }));
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
