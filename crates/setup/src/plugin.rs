//! The manifests of the plugin, all from one source: the folder `plugin/` of the repository, and what leads to it.

use crate::agent::{Agent, plugin_entry};
use crate::hook::plugin_hooks;
use crate::texts::SKILL;
use serde_json::{Value, json};

const NAME: &str = "aide";
const VERSION: &str = env!("CARGO_PKG_VERSION");
const LICENSE: &str = env!("CARGO_PKG_LICENSE");
const DESCRIPTION: &str = "AI agents ask, people decide: questions with options on a page, answers as JSON, nothing lost in between";
const PLUGIN_SCHEMA: &str = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json";
const MCP_SCHEMA: &str = "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json";

/// Every file, with its path from the root of the repository.
pub fn files() -> Vec<(&'static str, String)> {
    let text = |value: Value| format!("{value:#}\n");
    let entry = plugin_entry;
    let servers = |entry: Value| json!({ NAME: entry });
    let keywords = ["mcp", "decisions", "questions", "human-in-the-loop"];
    // The schema knows neither a time-out nor what else an agent takes.
    let portable = json!({ "type": "stdio", "command": "aide", "args": ["mcp"] });
    let about = |mut value: Value| {
        value["name"] = NAME.into();
        value["version"] = VERSION.into();
        value["description"] = DESCRIPTION.into();
        value["author"] = json!({ "name": NAME });
        value["license"] = LICENSE.into();
        value["keywords"] = json!(keywords);
        value
    };
    let mut gemini = entry(Agent::Gemini);
    if let Some(members) = gemini.as_object_mut() {
        // An extension may not say that it is trusted, nor that it is not.
        members.shift_remove("trust");
    }
    let listed =
        json!({ "name": NAME, "description": DESCRIPTION, "version": VERSION, "source": "./plugin" });
    vec![
        ("plugin/skills/aide/SKILL.md", SKILL.to_owned()),
        ("plugin/plugin.json", text(about(json!({ "$schema": PLUGIN_SCHEMA })))),
        ("plugin/mcp.json", text(json!({ "$schema": MCP_SCHEMA, "mcpServers": servers(portable) }))),
        ("plugin/.claude-plugin/plugin.json", text(about(json!({})))),
        ("plugin/hooks/hooks.json", text(plugin_hooks())),
        ("plugin/.mcp.json", text(json!({ "mcpServers": servers(entry(Agent::Claude)) }))),
        (
            "plugin/.codex-plugin/plugin.json",
            text(about(json!({ "skills": "./skills/", "mcpServers": "./.codex-plugin/mcp.json" }))),
        ),
        ("plugin/.codex-plugin/mcp.json", text(json!({ "mcpServers": servers(entry(Agent::Codex)) }))),
        (
            "plugin/gemini-extension.json",
            text(json!({
                "name": NAME, "version": VERSION, "description": DESCRIPTION, "mcpServers": servers(gemini),
            })),
        ),
        (
            ".claude-plugin/marketplace.json",
            text(json!({
                "name": NAME, "owner": { "name": NAME }, "metadata": { "description": DESCRIPTION }, "plugins": [listed],
            })),
        ),
        (
            ".agents/plugins/marketplace.json",
            text(json!({
                "name": NAME,
                "plugins": [{ "name": NAME, "source": { "source": "local", "path": "./plugin" } }],
            })),
        ),
    ]
}
