//! The tools of aide that an agent may call without asking its user first: those that ask the user, wait, or read. Without that, an
//! agent that runs without a terminal cannot ask at all, and any other asks whether it may ask.

use crate::agent::{Agent, Places, Scope};
use crate::hook::Element;
use std::path::PathBuf;

/// What Claude Code calls them; the tool that commits is not among them.
const CLAUDE: [&str; 7] = [
    "mcp__aide__decide_submit",
    "mcp__aide__decide_wait",
    "mcp__aide__decide_result",
    "mcp__aide__decide_list",
    "mcp__aide__decide_amend",
    "mcp__aide__decide_cancel",
    "mcp__aide__flow_status",
];

/// The policy of Gemini CLI that allows the same, as its file says it.
pub(crate) const GEMINI: &str = "\
# Written by `aide setup`: tools that ask you, wait for you, or read. The one that commits is not among them.
[[rule]]
mcpName = \"aide\"
toolName = [
  \"decide_submit\",
  \"decide_wait\",
  \"decide_result\",
  \"decide_list\",
  \"decide_amend\",
  \"decide_cancel\",
  \"flow_status\",
]
decision = \"allow\"
priority = 100
";

/// The permissions that an agent keeps in an array.
pub(crate) fn permissions(agent: Agent, places: &Places, scope: Scope) -> Vec<Element> {
    if agent != Agent::Claude {
        return Vec::new();
    }
    let (root, file) = places.claude_settings(scope);
    let element = |tool: &str| Element::strict(root, file.clone(), &["permissions", "allow"], tool.into());
    CLAUDE.into_iter().map(element).collect()
}

/// The file with the policy of an agent, where it has one of its own. That of a project has no say in Gemini CLI.
pub(crate) fn policy_file(agent: Agent, places: &Places, scope: Scope) -> Option<PathBuf> {
    let has_one = agent == Agent::Gemini && scope == Scope::User;
    has_one.then(|| places.home.join(".gemini/policies/aide.toml"))
}
